#include "core/base/moment.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

namespace yard {

namespace {

constexpr WallMicros kSecond = 1'000'000;
constexpr WallMicros kMinute = 60 * kSecond;
constexpr WallMicros kDay = 0; ///< its length is the calendar's

struct Form {
    const char* pattern; ///< of strptime
    WallMicros length;
};
constexpr std::array kForms{Form{"%H:%M", kMinute},
                            Form{"%H:%M:%S", kSecond},
                            Form{"%Y-%m-%d", kDay},
                            Form{"%Y-%m-%d %H:%M", kMinute},
                            Form{"%Y-%m-%d %H:%M:%S", kSecond},
                            Form{"%Y-%m-%dT%H:%M", kMinute},
                            Form{"%Y-%m-%dT%H:%M:%S", kSecond}};

std::optional<WallMicros> momentOf(std::tm time) {
    time.tm_isdst = -1;
    const std::time_t seconds = ::mktime(&time);
    return seconds < 0 ? std::nullopt : std::optional(WallMicros{seconds} * kSecond);
}

std::optional<TimeWindow> spanOf(const std::tm& time, WallMicros length) {
    std::tm next = time;
    ++next.tm_mday;
    const auto begin = momentOf(time);
    const auto end = !begin ? std::nullopt : length == kDay ? momentOf(next) : std::optional(*begin + length);
    return end ? std::optional(TimeWindow{.begin = *begin, .end = *end}) : std::nullopt;
}

bool isInCalendar(const std::tm& time) {
    using namespace std::chrono;
    return year_month_day(year(time.tm_year + 1900), month(static_cast<unsigned>(time.tm_mon + 1)),
                          day(static_cast<unsigned>(time.tm_mday)))
        .ok();
}

std::optional<TimeWindow> ago(std::string_view text, WallMicros now) {
    constexpr double kMost = 1e10; // some 300 years
    const auto seconds = durationIn(text);
    if (!seconds || *seconds > kMost) return std::nullopt;
    const WallMicros then = now - static_cast<WallMicros>(*seconds * 1e6);
    return TimeWindow{.begin = then, .end = then};
}

} // namespace

namespace {

/// Seconds of one part of a duration at the start of `text`, which becomes what follows it.
std::optional<double> takePart(std::string_view& text, bool isFirst) {
    constexpr std::array<std::pair<std::string_view, double>, 6> kUnits = {
        {{"s", 1}, {"ms", 0.001}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
    double value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty() && isFirst) return value;
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789."));
    text.remove_prefix(unit.size());
    for (const auto& [name, seconds] : kUnits)
        if (unit == name) return value * seconds;
    return std::nullopt;
}

/// What the forms read; the day, where they leave it out, begins at `midnight`.
std::optional<TimeWindow> timeOf(const std::tm& midnight, std::string_view text) {
    const std::string word(text);
    for (const auto& [pattern, length] : kForms) {
        std::tm time = midnight; // fills what the pattern leaves out
        const char* end = ::strptime(word.c_str(), pattern, &time);
        if (end && *end == '\0' && end == word.c_str() + word.size() && isInCalendar(time))
            return spanOf(time, length);
    }
    return std::nullopt;
}

/// How many days after today: "tomorrow" is 1.
std::optional<int> dayIn(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, int>, 3> kDays = {
        {{"today", 0}, {"yesterday", -1}, {"tomorrow", 1}}};
    for (const auto& [name, days] : kDays)
        if (word == name) return days;
    return std::nullopt;
}

} // namespace

std::optional<double> durationIn(std::string_view text) {
    double seconds = 0;
    bool isFirst = true;
    do {
        const auto part = takePart(text, isFirst);
        if (!part) return std::nullopt;
        seconds += *part;
        isFirst = false;
    } while (!text.empty());
    return seconds;
}

std::optional<TimeWindow> timeIn(std::string_view text, WallMicros now) {
    if (text == "now") return TimeWindow{.begin = now, .end = now};
    if (text.starts_with('-')) return ago(text.substr(1), now);
    const std::time_t seconds = now / kSecond;
    std::tm midnight{};
    if (!::localtime_r(&seconds, &midnight)) return std::nullopt;
    midnight.tm_hour = midnight.tm_min = midnight.tm_sec = 0;
    const std::size_t space = text.find(' ');
    const auto days = dayIn(text.substr(0, space));
    if (!days) return timeOf(midnight, text);
    midnight.tm_mday += *days;
    if (space == std::string_view::npos) return spanOf(midnight, kDay);
    // The calendar's: the day after the last of a month is the first of the next.
    const auto day = momentOf(midnight);
    const std::time_t begin = day.value_or(0) / kSecond;
    const std::string_view time = text.substr(space + 1);
    if (!day || !::localtime_r(&begin, &midnight) || time.contains('-')) return std::nullopt;
    return timeOf(midnight, time);
}

std::int64_t utcOffsetAt(WallMicros at) {
    const std::time_t seconds = at / kSecond;
    std::tm local{};
    return ::localtime_r(&seconds, &local) ? local.tm_gmtoff : 0;
}

} // namespace yard
