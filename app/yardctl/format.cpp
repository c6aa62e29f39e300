#include "app/yardctl/format.h"

#include "app/yardctl/json_text.h"

#include "core/base/duration_text.h"
#include "core/base/moment.h"
#include "core/base/sizes.h"
#include "core/base/text.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

std::optional<std::int64_t> integerFrom(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string strftimeWords(const std::tm& time, const char* pattern) {
    std::array<char, 64> text{};
    const std::size_t n = std::strftime(text.data(), text.size(), pattern, &time);
    return {text.data(), n};
}

} // namespace

std::string durationWords(double seconds) {
    return durationText(seconds);
}

std::string sizeWords(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
    if (bytes < 1000) return fmt::format("{} B", bytes);
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1000;
        ++unit;
    }
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string bytesWords(double bytes) {
    return sizeWords(static_cast<std::uint64_t>(std::max(bytes, 0.0)));
}

std::string timeWords(std::int64_t micros, std::int64_t now) {
    constexpr std::int64_t kMicros = 1'000'000;
    constexpr std::int64_t kDay = 86'400;
    const std::time_t at = micros / kMicros;
    const std::time_t today = now / kMicros;
    std::tm then{};
    std::tm current{};
    ::localtime_r(&at, &then);
    ::localtime_r(&today, &current);
    if (then.tm_year == current.tm_year && then.tm_yday == current.tm_yday) return strftimeWords(then, "%H:%M:%S");
    if (at < today && today - at < kDay) return strftimeWords(then, "%a %H:%M:%S");
    if (at < today && today - at < 6 * kDay) return strftimeWords(then, "%a %H:%M");
    if (then.tm_year == current.tm_year) return strftimeWords(then, "%d %b %H:%M");
    return strftimeWords(then, "%Y-%m-%d");
}

std::string upperCase(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

std::string printable(std::string_view text) {
    std::string out = wellFormed(text);
    for (char& c : out)
        if (const auto u = static_cast<unsigned char>(c); u < 0x20 || u == 0x7f) c = '?';
    // C1 controls are two bytes in UTF-8, and terminals obey them too; others turn the rest of the line around.
    for (std::size_t i = 0; i + 1 < out.size(); ++i)
        if (out[i] == '\xc2' && static_cast<unsigned char>(out[i + 1]) < 0xa0)
            out.replace(i, 2, "?");
        else if (const std::size_t length = steeringLength(std::string_view(out).substr(i)); length > 0)
            out.replace(i, length, "?");
    return out;
}

std::optional<std::size_t> terminalWidth() {
    constexpr int kMost = 10'000;
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0) return std::nullopt;
    // Only who exports it means it: shells keep it to themselves.
    if (const char* said = std::getenv("COLUMNS"); said && isDigits(said))
        if (const auto columns = integerFrom(said); columns && *columns > 0 && *columns <= kMost)
            return static_cast<std::size_t>(*columns);
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    constexpr std::size_t kUsual = 80;
    return kUsual;
}

namespace {

constexpr std::size_t kGap = 2; ///< between two columns of a table
constexpr std::size_t kGone = kWhole;

/// Of a line of these columns.
std::size_t lineWidth(const std::vector<std::size_t>& widths) {
    std::size_t sum = 0;
    for (const std::size_t width : widths)
        if (width != kGone) sum += width + (sum > 0 ? kGap : 0);
    return sum;
}

} // namespace

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t w = displayWidth(columns_[c].head);
        for (const auto& row : rows_) w = std::max(w, displayWidth(row[c]));
        widths.push_back(w);
    }
    return widths;
}

void Table::fit(std::vector<std::size_t>& widths, std::size_t width) const {
    std::vector<std::size_t> least = widths;
    for (std::size_t c = 0; c < least.size(); ++c) least[c] = std::min(least[c], columns_[c].least);
    while (lineWidth(least) > width) {
        std::size_t next = kGone;
        for (std::size_t c = 0; c < least.size(); ++c)
            if (columns_[c].goes > 0 && least[c] != kGone &&
                (next == kGone || columns_[c].goes < columns_[next].goes))
                next = c;
        if (next == kGone) break;
        least[next] = widths[next] = kGone;
    }
    for (std::size_t all = lineWidth(widths); all > width; --all) {
        std::size_t widest = kGone;
        for (std::size_t c = 0; c < widths.size(); ++c)
            if (widths[c] != kGone && widths[c] > least[c] && (widest == kGone || widths[c] > widths[widest]))
                widest = c;
        if (widest == kGone) break;
        --widths[widest];
    }
}

std::string Table::text(std::optional<std::size_t> width) const {
    std::vector<std::size_t> fitting = widths();
    if (width) fit(fitting, *width);
    std::string out;
    const auto addRow = [&](auto&& cell) {
        std::string line;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (fitting[c] == kGone) continue;
            const std::string text = fitted(cell(c), fitting[c]);
            const std::string pad(fitting[c] - displayWidth(text), ' ');
            if (!line.empty()) line += std::string(kGap, ' ');
            line += columns_[c].right ? pad + text : text + pad;
        }
        while (line.ends_with(' ')) line.pop_back();
        out += width ? fitted(line, *width) : line;
        out += '\n';
    };
    addRow([&](std::size_t c) -> const std::string& { return columns_[c].head; });
    for (const auto& row : rows_) addRow([&](std::size_t c) -> const std::string& { return row[c]; });
    return out;
}

std::string errorLine(bool json, std::string_view code, std::string_view message) {
    if (!json) return fmt::format("yardctl: {}\n", message);
    return compactJson(boost::json::object{{"error", code}, {"message", message}}) + "\n";
}

Outcome<std::vector<LsnRange>> parseLsnRanges(const std::vector<std::string>& words) {
    std::vector<LsnRange> out;
    for (const std::string& word : words) {
        const std::size_t dots = word.find("..");
        const auto first = integerFrom(std::string_view(word).substr(0, dots));
        const auto last = dots == std::string::npos ? first : integerFrom(std::string_view(word).substr(dots + 2));
        if (first && last && *last >= 1 && *last < *first)
            return usageError(
                fmt::format("the range '{}' begins behind its end: write {}..{}", printable(word), *last, *first));
        if (!first || !last || *first < 1 || *last < *first)
            return usageError(fmt::format("'{}' is not the number of an action (an LSN), nor a range like 12..20",
                                          printable(word)));
        out.push_back({*first, *last});
    }
    return out;
}

Outcome<double> parseDuration(std::string_view text) {
    if (const auto seconds = durationIn(text)) return *seconds;
    return usageError(fmt::format("'{}' is not a duration; write 90, 90s, 10min, 2h or 1d", printable(text)));
}

Outcome<std::int64_t> parseMoment(std::string_view text, std::int64_t now) {
    if (const auto time = timeIn(text, now)) return time->begin;
    return usageError(
        fmt::format("'{}' is not a time; write -1h (an hour ago), 09:45, today, yesterday, 2026-11-20 or "
                    "'2026-11-20 09:45'",
                    printable(text)));
}

static Outcome<std::int64_t> comingIn(double seconds, std::int64_t now) {
    constexpr double kMost = 100.0 * 365 * 86'400;
    if (seconds <= kMost) return now + static_cast<std::int64_t>(seconds * 1e6);
    return usageError("that is over a hundred years from now; write a time that is nearer");
}

Outcome<std::int64_t> parseComing(std::string_view text, std::int64_t now) {
    constexpr std::int64_t kDay = 86'400'000'000;
    if (text.starts_with('+')) {
        auto seconds = parseDuration(text.substr(1));
        if (!seconds) return std::unexpected(seconds.error());
        return comingIn(*seconds, now);
    }
    // "10m" can only be meant from now on; a number alone may be anything.
    if (const auto seconds = durationIn(text); seconds && !integerFrom(text)) return comingIn(*seconds, now);
    auto moment = parseMoment(text, now);
    const bool isTimeOfDay = text.contains(':') && text.find_first_of("- ") == std::string_view::npos;
    if (moment && *moment < now && isTimeOfDay) moment = parseMoment(text, now + kDay);
    constexpr std::string_view kForms = "+10m, 22:30 (the next one), 'tomorrow 09:45' or 'YYYY-MM-DD 09:45'";
    if (!moment) return usageError(fmt::format("'{}' is not a time to come; write {}", printable(text), kForms));
    if (*moment >= now) return moment;
    const std::time_t seconds = *moment / 1'000'000;
    std::tm then{};
    ::localtime_r(&seconds, &then);
    return usageError(fmt::format("'{}' is {}, which has passed; write {}", printable(text),
                                  strftimeWords(then, "%Y-%m-%d %H:%M:%S"), kForms));
}

namespace {

/// A number of 0 or more at the start of the text, and what follows it.
std::optional<std::pair<double, std::string_view>> amountIn(std::string_view text) {
    double value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
    return std::pair(value, text.substr(static_cast<std::size_t>(end - text.data())));
}

} // namespace

Outcome<std::int64_t> parseSize(std::string_view text, std::string_view what) {
    constexpr double kMost = 9e18;
    const auto amount = amountIn(text);
    const auto unit = amount && !amount->second.empty() ? bytesPerUnit(amount->second) : std::nullopt;
    if (unit && amount->first * *unit < kMost) return static_cast<std::int64_t>(std::ceil(amount->first * *unit));
    return usageError(fmt::format("{} wants a size with its unit, as 500M or 2GiB (powers of 1024), or 2GB (of "
                                  "1000), not '{}'",
                                  what, printable(text)));
}

Outcome<double> parseAmount(std::string_view text, std::string_view what) {
    if (const auto amount = amountIn(text); amount && amount->second.empty()) return amount->first;
    return usageError(fmt::format("{} wants a number, not '{}'", what, printable(text)));
}

Outcome<std::int64_t> parseInteger(std::string_view text, std::string_view what) {
    if (const auto value = integerFrom(text)) return *value;
    return usageError(fmt::format("{} wants a whole number, not '{}'", what, printable(text)));
}

} // namespace yard::ctl
