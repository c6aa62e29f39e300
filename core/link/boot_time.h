// The time of leases: CLOCK_BOOTTIME, which goes on while a machine sleeps. Times of two machines are never
// compared. Values; this room only gets them, whoever has a clock gives them.
#pragma once

#include "core/base/clock.h"

#include <chrono>

namespace yard::link {

/// Without now(): a clock of its own type, so that MonoTime, which stops while a machine sleeps, cannot be mixed
/// in.
struct BootClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;
};
using BootTime = BootClock::time_point;

inline constexpr Duration kRenewEvery = std::chrono::seconds(1);
/// Without a frame for this long a machine counts as silent.
inline constexpr Duration kSilentAfter = std::chrono::seconds(3);
/// How much longer than the lease a yard waits. The end of a guest's tree at the end of its lease has to fit in,
/// and what two clocks differ in the length of a lease.
inline constexpr Duration kYardWaitsLonger = std::chrono::seconds(10);
/// A guest's tree is gone this long after the end of its lease, whatever grace it was given.
inline constexpr Duration kTeardown = std::chrono::seconds(8);

} // namespace yard::link
