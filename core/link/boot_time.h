// The time of leases: CLOCK_BOOTTIME, which goes on while a machine sleeps. Times of two machines are never
// compared. Values; this room only gets them, whoever has a clock gives them.
#pragma once

#include "core/base/boot_clock.h"

#include <chrono>

namespace yard::link {

using yard::BootClock;
using yard::BootTime;

inline constexpr Duration kRenewEvery = std::chrono::seconds(1);
/// Without a frame for this long a machine counts as silent.
inline constexpr Duration kSilentAfter = std::chrono::seconds(3);
/// How much longer than the lease a yard waits. The end of a guest's tree at the end of its lease has to fit in,
/// and what two clocks differ in the length of a lease.
inline constexpr Duration kYardWaitsLonger = std::chrono::seconds(10);
/// A guest's tree is gone this long after the end of its lease, whatever grace it was given.
inline constexpr Duration kTeardown = std::chrono::seconds(8);

} // namespace yard::link
