#include "app/yardctl/format.h"

#include "core/base/moment.h"
#include "core/base/sizes.h"
#include "core/base/text.h"

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

constexpr std::size_t kMaxLsns = 1'000'000;

std::string twoUnits(std::int64_t total, std::int64_t unit, std::string_view name, std::int64_t small,
                     std::string_view smallName) {
    const std::int64_t rest = total % unit / small;
    if (rest == 0) return fmt::format("{} {}", total / unit, name);
    return fmt::format("{} {} {} {}", total / unit, name, rest, smallName);
}

void appendJson(std::string& out, const boost::json::value& value) {
    if (const auto* object = value.if_object()) {
        out += '{';
        for (bool first = true; const auto& [key, member] : *object) {
            if (!std::exchange(first, false)) out += ',';
            out += boost::json::serialize(key);
            out += ':';
            appendJson(out, member);
        }
        out += '}';
    } else if (const auto* array = value.if_array()) {
        out += '[';
        for (bool first = true; const auto& element : *array) {
            if (!std::exchange(first, false)) out += ',';
            appendJson(out, element);
        }
        out += ']';
    } else if (value.is_double()) {
        out += fmt::format("{}", value.get_double());
    } else {
        out += boost::json::serialize(value);
    }
}

std::optional<std::int64_t> integerOf(std::string_view text) {
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
    constexpr std::int64_t kMinute = 60;
    constexpr std::int64_t kHour = 60 * kMinute;
    constexpr std::int64_t kDay = 24 * kHour;
    if (!std::isfinite(seconds) || seconds < 0) return "-";
    if (seconds == 0) return "0 s";
    if (seconds < 0.001) return "<1 ms";
    if (seconds < 0.0095) return fmt::format("{:.0f} ms", seconds * 1000);
    if (seconds < 0.995) return fmt::format("{:.2f} s", seconds);
    if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
    const std::int64_t total = std::llround(seconds);
    if (total < kHour) return twoUnits(total, kMinute, "min", 1, "s");
    if (total < kDay) return twoUnits(total, kHour, "h", kMinute, "min");
    return twoUnits(total, kDay, "d", kHour, "h");
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
    if (at < today && today - at < 6 * kDay) return strftimeWords(then, "%a %H:%M");
    if (then.tm_year == current.tm_year) return strftimeWords(then, "%d %b %H:%M");
    return strftimeWords(then, "%Y-%m-%d");
}

std::string printable(std::string_view text) {
    std::string out(text);
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

std::size_t displayWidth(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string fitted(std::string_view text, std::size_t width) {
    if (displayWidth(text) <= width) return std::string(text);
    if (width == 0) return {};
    std::size_t end = 0;
    for (std::size_t columns = 0; end < text.size(); ++end) {
        if ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) continue;
        if (++columns == width) break;
    }
    return std::string(text.substr(0, end)) + "…";
}

std::optional<std::size_t> terminalWidth() {
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0) return std::nullopt;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    constexpr std::size_t kUsual = 80;
    return kUsual;
}

std::string Table::text(std::optional<std::size_t> width) const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t w = displayWidth(columns_[c].head);
        for (const auto& row : rows_) w = std::max(w, displayWidth(row[c]));
        widths.push_back(w);
    }
    std::string out;
    const auto addRow = [&](auto&& cell) {
        std::string line;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::string text = cell(c);
            const std::string pad(widths[c] - displayWidth(text), ' ');
            if (c > 0) line += "  ";
            line += columns_[c].right ? pad + text : text + pad;
        }
        while (line.ends_with(' ')) line.pop_back();
        out += width ? fitted(line, *width) : line;
        out += '\n';
    };
    addRow([&](std::size_t c) { return columns_[c].head; });
    for (const auto& row : rows_) addRow([&](std::size_t c) { return row[c]; });
    return out;
}

std::string compactJson(const boost::json::value& value) {
    std::string out;
    appendJson(out, value);
    return out;
}

std::string errorLine(bool json, std::string_view code, std::string_view message) {
    if (!json) return fmt::format("yardctl: {}\n", message);
    return compactJson(boost::json::object{{"error", code}, {"message", message}}) + "\n";
}

Outcome<std::vector<std::int64_t>> parseLsns(const std::vector<std::string>& words) {
    std::vector<std::int64_t> out;
    for (const std::string& word : words) {
        const std::size_t dots = word.find("..");
        const auto first = integerOf(std::string_view(word).substr(0, dots));
        const auto last = dots == std::string::npos ? first : integerOf(std::string_view(word).substr(dots + 2));
        if (!first || !last || *first < 1 || *last < *first)
            return usageError(fmt::format("'{}' is not the number of an action (an LSN), nor a range like 12..20",
                                          printable(word)));
        if (static_cast<std::uint64_t>(*last - *first) >= kMaxLsns - out.size())
            return usageError("more than a million actions at once are too many; use a filter");
        for (std::int64_t lsn = *first; lsn <= *last; ++lsn) out.push_back(lsn);
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

Outcome<std::int64_t> parseComing(std::string_view text, std::int64_t now) {
    constexpr std::int64_t kDay = 86'400'000'000;
    if (text.starts_with('+')) {
        auto seconds = parseDuration(text.substr(1));
        if (!seconds) return std::unexpected(seconds.error());
        return now + static_cast<std::int64_t>(*seconds * 1e6);
    }
    auto moment = parseMoment(text, now);
    const bool isTimeOfDay = text.find(':') != std::string_view::npos && text.find('-') == std::string_view::npos;
    if (moment && *moment < now && isTimeOfDay) moment = parseMoment(text, now + kDay);
    constexpr std::string_view kForms = "+10m, 22:30 (the next one) or 'YYYY-MM-DD 09:45'";
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
    if (const auto value = integerOf(text)) return *value;
    return usageError(fmt::format("{} wants a whole number, not '{}'", what, printable(text)));
}

} // namespace yard::ctl
