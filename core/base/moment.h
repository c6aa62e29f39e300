// Times and durations as people type them. Pure functions; any thread. Times are local, relative to a given now.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace yard {

/// From `begin` to just before `end`: a day, a minute, a second. A moment (now, -1h) begins where it ends.
struct TimeWindow {
    WallMicros begin = 0;
    WallMicros end = 0;
    bool isMoment() const { return begin == end; }
};

/// Seconds of "90", "0.5s", "10min", "2h", "1d", "1h30m"; not negative.
std::optional<double> durationIn(std::string_view text);
/// "-1h" (ago), "now", "today", "yesterday", "tomorrow", "09:45", "09:45:31" (today), "tomorrow 09:45", "2026-11-20",
/// "2026-11-20 09:45" (T too).
std::optional<TimeWindow> timeIn(std::string_view text, WallMicros now);
/// How many seconds local time is ahead of UTC then.
std::int64_t utcOffsetAt(WallMicros at);

} // namespace yard
