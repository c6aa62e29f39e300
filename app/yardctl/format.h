// How values read in a terminal: durations, sizes, times, tables, and the words people type for them. Pure
// functions.
#pragma once

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
/// Local: "09:45:31" today, "Fri 03:12" in the last week, "12 Nov 03:12" this year, else "2025-11-12". `now` in the
/// same unit, microseconds since the epoch.
std::string timeWords(std::int64_t micros, std::int64_t now);
/// What others wrote, made safe for a terminal: control characters become '?'.
std::string printable(std::string_view text);
/// Columns a text takes, counting one for each code point.
std::size_t displayWidth(std::string_view text);
/// At most `width` columns, the last one an ellipsis when something was cut.
std::string fitted(std::string_view text, std::size_t width);
/// Columns of the terminal on stdout; nothing when stdout is no terminal (then nothing is cut).
std::optional<std::size_t> terminalWidth();

/// Rows under a heading, columns as wide as their content; what does not fit the terminal is cut from the last.
class Table {
public:
    struct Column {
        std::string head;
        bool right = false;
    };
    explicit Table(std::vector<Column> columns)
        : columns_(std::move(columns)) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }
    std::string text(std::optional<std::size_t> width) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// JSON without white space; numbers as people write them (0.5, not 5E-1).
std::string compactJson(const boost::json::value& value);

/// A line for stderr: "yardctl: …", or with --json {"error","message"}.
std::string errorLine(bool json, std::string_view code, std::string_view message);

/// "12", "12..20" (all of them), in the order given; at most a million.
Outcome<std::vector<std::int64_t>> parseLsns(const std::vector<std::string>& words);
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
