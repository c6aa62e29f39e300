// How values read in a terminal: durations, sizes, times, tables, and the words people type for them. Pure
// functions.
#pragma once

#include "app/yardctl/display_width.h"
#include "app/yardctl/failure.h"

#include <boost/json.hpp>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// "0.09 s", "8.4 s", "41.2 s", "6 min 12 s", "1 h 54 min", "2 d 4 h": two units at most.
std::string durationWords(double seconds);
/// Decimal, three figures: "512 B", "1.23 kB", "45.6 MB".
std::string sizeWords(std::uint64_t bytes);
/// The same of a figure as JSON has it; less than none is none.
std::string bytesWords(double bytes);
/// Local: "09:45:31" today, "Fri 23:12:05" in the last 24 hours, "Wed 03:12" in the last week, "12 Nov 03:12" this year, else "2025-11-12". `now` in the
/// same unit, microseconds since the epoch.
std::string timeWords(std::int64_t micros, std::int64_t now);
/// What others wrote, made safe for a terminal: control characters become '?'.
std::string printable(std::string_view text);
/// Of ASCII letters: the head of a column.
std::string upperCase(std::string_view text);
/// Columns of the terminal on stdout, of which $COLUMNS is told more than the terminal itself; nothing when stdout is no
/// terminal (then nothing is cut).
std::optional<std::size_t> terminalWidth();

/// A column that is never narrower than its content.
inline constexpr std::size_t kWhole = static_cast<std::size_t>(-1);

/// Rows under a heading, columns as wide as their content. Where they do not fit the terminal, columns that may go do,
/// then those that may be narrow are, and what is left over is cut from the end of each line: none is wrapped.
class Table {
public:
    struct Column {
        std::string head;
        bool right = false;
        std::size_t least = kWhole; ///< terminal columns it may be cut to; kWhole: it is not cut
        int goes = 0;               ///< where there is no room for all, 1 goes first, then 2; 0 stays
    };
    explicit Table(std::vector<Column> columns)
        : columns_(std::move(columns)) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }
    std::string text(std::optional<std::size_t> width) const;

private:
    std::vector<std::size_t> widths() const;
    void fit(std::vector<std::size_t>& widths, std::size_t width) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// A line for stderr: "yardctl: …", or with --json {"error","message"}.
std::string errorLine(bool json, std::string_view code, std::string_view message);

/// From the first to the last, both included; LSNs in between may be of no action.
struct LsnRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool isOne() const { return first == last; }
    friend bool operator==(const LsnRange&, const LsnRange&) = default;
};
/// "12", "12..20", in the order given.
Outcome<std::vector<LsnRange>> parseLsnRanges(const std::vector<std::string>& words);
/// Seconds from "90", "0.5s", "10min", "2h", "1d".
Outcome<double> parseDuration(std::string_view text);
/// A moment in microseconds since the epoch, local time: "-1h" (ago), "now", "today", "yesterday" (their midnight),
/// "09:45", "09:45:31" (today), "2026-11-20", "2026-11-20 09:45". `now` in microseconds.
Outcome<std::int64_t> parseMoment(std::string_view text, std::int64_t now);
/// The same of a time to come: "+10m" from now; a time of day that has passed is tomorrow's.
Outcome<std::int64_t> parseComing(std::string_view text, std::int64_t now);
/// Bytes from "500M", "2G", "1.5GiB": a unit is asked for, K, M, G and T are powers of 1024.
Outcome<std::int64_t> parseSize(std::string_view text, std::string_view what);
/// A number of 0 or more: 2, 0.5.
Outcome<double> parseAmount(std::string_view text, std::string_view what);
Outcome<std::int64_t> parseInteger(std::string_view text, std::string_view what);

} // namespace yard::ctl
