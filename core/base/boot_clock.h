// The clock that goes on while a machine sleeps: CLOCK_BOOTTIME. Whatever has to hold across a suspend counts by it.
// Values, no owner.
#pragma once

#include "core/base/clock.h"

#include <chrono>

namespace yard {

/// Without now(): whoever decides gets the time as a parameter. A clock of its own type, so that MonoTime, which
/// stops while a machine sleeps, cannot be mixed in.
struct BootClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;
};
using BootTime = BootClock::time_point;

BootTime bootNow() noexcept;

} // namespace yard
