// Time. Decisions use the monotonic clock only; wall time is what people see, pinned to it by one offset that never
// changes. Values, no owner.
#pragma once

#include <chrono>
#include <cstdint>

namespace yard {

/// CLOCK_MONOTONIC in microseconds. Never goes back, does not jump with the wall clock.
struct MonoClock {
    using duration = std::chrono::microseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<MonoClock>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept;
};
using MonoTime = MonoClock::time_point;
using Duration = MonoClock::duration;
/// As people and JSON have it.
constexpr double inSeconds(Duration duration) {
    return static_cast<double>(duration.count()) / 1e6;
}

/// Microseconds since the Unix epoch, as in every JSON field that holds a time. 0 means absent.
using WallMicros = std::int64_t;
WallMicros wallNow() noexcept;

/// Maps monotonic to wall time by an offset taken once: within one action times never run backwards (docs/api.md).
struct WallScale {
    std::int64_t offset = 0;
    static WallScale pinnedNow() noexcept;
    WallMicros at(MonoTime t) const noexcept { return t.time_since_epoch().count() + offset; }
};

} // namespace yard
