// Until when attempts of each guest group may run. The launcher's copy: it ends them at that time by itself, because
// the engine that says so may be stopped, or hang. Times go in, what follows comes out; no clock.
//
// Owner: the board, under its lock. Invariants: a group of which nothing was said may not run; each end of a time is
// told once; at most kMaxGuestGroup groups.
#pragma once

#include "core/base/boot_clock.h"
#include "core/lease/runner.h"

#include <cstdint>
#include <map>
#include <vector>

namespace yard::runners {

class GuestTimes {
public:
    /// Between SIGTERM and SIGKILL at the end of a group's time, at most: half of what a teardown may take
    /// (link::kTeardown, 8 s). The rest is for the kernel, and for whoever is late.
    static constexpr Duration kGrace{4'000'000};

    /// Also to an earlier time. Requires: a number of wire::MayRun.
    void set(std::uint32_t group, BootTime until);
    /// Group 0 always may.
    bool mayRun(std::uint32_t group, BootTime now) const;
    /// The groups whose time is over and that were not told since it was said.
    std::vector<std::uint32_t> takeOver(BootTime now);
    /// When takeOver() has more to tell; max(): never.
    BootTime next() const;

private:
    struct Time {
        BootTime until{};
        bool isTold = false;
    };
    std::map<std::uint32_t, Time> times_;
};

} // namespace yard::runners
