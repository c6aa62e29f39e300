#include "core/schedule/timing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace yard::schedule {

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr double kLongestStep = 10.0 * 366 * 86'400;
/// The year 9999.
constexpr WallMicros kLastMicros = 253'402'300'800 * kSecond;

std::int64_t floorSeconds(WallMicros at) {
    return at / kSecond - (at % kSecond < 0 ? 1 : 0);
}

} // namespace

Result<Timing> Timing::cron(std::string_view line, std::string_view zone) {
    auto cron = Cron::parse(line);
    if (!cron) return std::unexpected(cron.error());
    auto found = Zone::find(zone);
    if (!found) return std::unexpected(found.error());
    return Timing(Calendar{.cron = *cron, .zone = *std::move(found)});
}

Result<Timing> Timing::every(double seconds, WallMicros anchor) {
    if (!(seconds >= 1 && seconds <= kLongestStep))
        return invalid("every_s", "Give the seconds from one time to the next, from 1 to 316224000.");
    if (anchor < 0 || anchor >= kLastMicros)
        return invalid("anchor", "Give the time from which the steps count, in microseconds since 1970.");
    return Timing(Steps{.length = std::llround(seconds * static_cast<double>(kSecond)), .anchor = anchor});
}

Result<Timing> Timing::once(WallMicros at) {
    if (at <= 0 || at >= kLastMicros) return invalid("at", "Give the time in microseconds since 1970.");
    return Timing(Once{.at = at});
}

std::optional<WallMicros> Timing::nextOf(const Calendar& calendar, WallMicros after) {
    const auto second = calendar.cron.next(calendar.zone, floorSeconds(after));
    if (!second) return std::nullopt;
    return *second * kSecond;
}

std::optional<WallMicros> Timing::nextOf(const Steps& steps, WallMicros after) {
    const std::int64_t done = after < steps.anchor ? 0 : (after - steps.anchor) / steps.length;
    const WallMicros next = steps.anchor + (done + 1) * steps.length;
    if (next >= kLastMicros) return std::nullopt;
    return next;
}

std::optional<WallMicros> Timing::nextOf(const Once& once, WallMicros after) {
    if (once.at <= after) return std::nullopt;
    return once.at;
}

std::optional<WallMicros> Timing::nextAfter(WallMicros after) const {
    if (after >= kLastMicros) return std::nullopt;
    return std::visit([&](const auto& rule) { return nextOf(rule, after); }, rule_);
}

std::vector<WallMicros> Timing::listAfter(WallMicros after, std::size_t count) const {
    std::vector<WallMicros> times;
    for (auto next = nextAfter(after); next && times.size() < std::min(count, kMostListed); next = nextAfter(*next))
        times.push_back(*next);
    return times;
}

std::vector<WallMicros> Timing::newest(WallMicros after, WallMicros until, std::size_t count) const {
    // Whether one is due between a time and `until` holds up to the last one and no longer, so that is found by
    // halving: a year of minutes costs no more than a day of them.
    std::vector<WallMicros> times;
    while (times.size() < std::min(count, kMostListed)) {
        auto first = nextAfter(after);
        if (!first || *first > until) break;
        WallMicros before = after;
        WallMicros end = until;
        while (before + 1 < end) {
            const WallMicros middle = before + (end - before) / 2;
            const auto next = nextAfter(middle);
            if (!next || *next > until)
                end = middle;
            else {
                first = next;
                before = *next - 1;
            }
        }
        times.push_back(*first);
        until = *first - 1;
    }
    std::ranges::reverse(times);
    return times;
}

} // namespace yard::schedule
