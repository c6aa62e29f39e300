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

std::optional<double> durationIn(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, double>, 7> kUnits = {
        {{"", 1}, {"s", 1}, {"ms", 0.001}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
    double value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, seconds] : kUnits)
        if (unit == name) return value * seconds;
    return std::nullopt;
}

std::optional<TimeWindow> timeIn(std::string_view text, WallMicros now) {
    if (text == "now") return TimeWindow{.begin = now, .end = now};
    if (text.starts_with('-')) return ago(text.substr(1), now);
    const std::time_t seconds = now / kSecond;
    std::tm midnight{};
    if (!::localtime_r(&seconds, &midnight)) return std::nullopt;
    midnight.tm_hour = midnight.tm_min = midnight.tm_sec = 0;
    if (text == "today") return spanOf(midnight, kDay);
    if (text == "yesterday") {
        --midnight.tm_mday;
        return spanOf(midnight, kDay);
    }
    const std::string word(text);
    for (const auto& [pattern, length] : kForms) {
        std::tm time = midnight; // fills what the pattern leaves out
        const char* end = ::strptime(word.c_str(), pattern, &time);
        if (end && *end == '\0' && end == word.c_str() + word.size() && isInCalendar(time))
            return spanOf(time, length);
    }
    return std::nullopt;
}

} // namespace yard
