#include "core/fleet/hours.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace yard::fleet {

namespace {

constexpr std::size_t kMaxRules = 16;
constexpr std::array<std::string_view, 7> kDays = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

std::unexpected<Error> notHours(std::string_view rule) {
    return invalid("hours",
                   "Hours are given as \"mon-fri 19:00-07:00\", with commas between several. This is none: \"" +
                       shortened(rule, 60) + "\".");
}

std::optional<int> dayOf(std::string_view word) {
    const auto* at = std::ranges::find(kDays, word);
    if (at == kDays.end()) return std::nullopt;
    return static_cast<int>(at - kDays.begin());
}

/// First and last day; the last may lie before the first: over Sunday.
std::optional<std::pair<int, int>> daysOf(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto first = dayOf(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : dayOf(text.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    return std::pair(*first, *last);
}

} // namespace

int weekMinuteAt(WallMicros now, int utcOffset) {
    constexpr std::int64_t kMinute = 60'000'000;
    constexpr std::int64_t kThursday = 3 * kMinutesOfDay; // the day on which the clock began
    const std::int64_t minutes = now / kMinute + utcOffset + kThursday;
    return static_cast<int>((minutes % kMinutesOfWeek + kMinutesOfWeek) % kMinutesOfWeek);
}

Result<Hours> Hours::parse(std::string_view text) {
    Hours hours;
    std::size_t rules = 0;
    for (std::string_view left = trimmed(text, " "); !left.empty();) {
        const std::size_t comma = left.find(',');
        const std::string_view rule = trimmed(left.substr(0, comma), " ");
        left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
        if (++rules > kMaxRules) return invalid("hours", "At most 16 rules can be given. Join some of them.");
        const std::size_t space = rule.find(' ');
        const auto days = space == std::string_view::npos ? std::pair(0, 6) : daysOf(rule.substr(0, space));
        const std::string_view times =
            space == std::string_view::npos ? rule : trimmed(rule.substr(space + 1), " ");
        const std::size_t dash = times.find('-');
        if (!days || dash == std::string_view::npos) return notHours(rule);
        const auto begin = dayMinutesIn(times.substr(0, dash));
        const auto end = dayMinutesIn(times.substr(dash + 1));
        if (!begin || !end || *begin == kMinutesOfDay) return notHours(rule);
        const int length = *end > *begin ? *end - *begin : *end - *begin + kMinutesOfDay;
        const int count = (days->second - days->first + 7) % 7 + 1;
        for (int i = 0; i < count; ++i)
            hours.spans_.push_back({.begin = (days->first + i) % 7 * kMinutesOfDay + *begin, .length = length});
    }
    return hours;
}

bool Hours::isOpen(int minuteOfWeek) const {
    if (spans_.empty()) return true;
    return std::ranges::any_of(spans_, [&](const Span& span) {
        return (minuteOfWeek - span.begin + kMinutesOfWeek) % kMinutesOfWeek < span.length;
    });
}

std::optional<int> Hours::untilChange(int minuteOfWeek) const {
    // Only where a span begins or ends can it change, and spans may touch.
    std::vector<int> waits;
    for (const Span& span : spans_)
        for (const int edge : {span.begin, span.begin + span.length})
            waits.push_back((edge - minuteOfWeek + 2 * kMinutesOfWeek - 1) % kMinutesOfWeek + 1);
    std::ranges::sort(waits);
    const bool isOpenNow = isOpen(minuteOfWeek);
    for (const int wait : waits)
        if (isOpen((minuteOfWeek + wait) % kMinutesOfWeek) != isOpenNow) return wait;
    return std::nullopt;
}

} // namespace yard::fleet
