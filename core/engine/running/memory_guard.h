// Memory guard: keeps the machine from thrashing. Above one share of its memory nothing starts, above a second one
// the action that is furthest over the memory it asked for is stopped, another one a while later if that did not
// help. Pure decisions from readings; who reads and carries out is in guards.cpp. Owner: engine thread.
#pragma once

#include "core/base/clock.h"
#include "core/model/settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::engine {

struct MemoryReading {
    double usedPercent = 0; ///< of what there is: not free, and not to be had at once
    bool ofGroup = false;   ///< of what a control group of ours may use, which is shorter than the machine's
    std::optional<double> stalledPercent; ///< of the last ten seconds; absent where the kernel does not say
};
/// From /proc/meminfo, /proc/pressure/memory and our control groups below `root`: of machine and groups the one
/// that is fullest. Nothing when they cannot be read. Blocks.
std::optional<MemoryReading> readMemory(const std::string& root = "/");

class MemoryGuard {
public:
    /// Takes a reading; true: stop an action now. Thresholds of 0 are off.
    bool observe(const MemoryReading& reading, const Settings& settings, MonoTime now);
    /// Nothing runs and nothing waits: what was read means nothing any more.
    void forget() {
        holding_ = false;
        last_ = {};
        isKnown_ = false;
    }

    bool isHolding() const { return holding_; }
    /// Absent before the first reading and after forget().
    std::optional<double> usedPercent() const { return isKnown_ ? std::optional(last_.usedPercent) : std::nullopt; }
    /// Of what that is: "machine's memory".
    std::string_view whose() const;
    /// "93 % of the machine's memory is in use, starting goes on below 88 %"
    std::string reason() const;
    /// "61 % of the machine's memory is in use"; after forget() that nothing is left that could need it.
    std::string reasonToGoOn() const;

private:
    bool holding_ = false;
    bool isKnown_ = false;
    double goesOnBelow_ = 0;
    MemoryReading last_;
    MonoTime stopped_{};
};

} // namespace yard::engine
