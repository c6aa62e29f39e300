// How large a process that starts others seems in their figures. Linux counts for a new program also the memory
// that the process had before exec, which is its parent's where they share it until then: the peak of a small
// program is never below that of its starter.
//
// About the calling process. LowPeak belongs to one thread; ownPeakBytes() may be called by any.
#pragma once

#include <cstdint>

namespace yard::runners {

class LowPeak {
public:
    /// Gives back what the kernel can bring again from files, and begins the count of the peak again. Blocks for a
    /// millisecond or two; what is needed is faulted in again. Without effect where /proc is not as usual.
    void lower();
    /// The same if the peak is by kWorthwhile higher than after the last time. Blocks for some 30 us if it is not.
    void lowerIfGrown();
    static constexpr std::int64_t kWorthwhile = 4 << 20;

private:
    std::int64_t last_ = 0;
};

/// Lower bound of the peak memory that the kernel reports for children of this process. Counts from its own start:
/// lowering the peak does not change it.
std::int64_t ownPeakBytes();
/// Since the peak was lowered. 0: not to be known.
std::int64_t peakSinceLowered();

/// Before a program is started: which peak it will be told to have had at least.
std::uint32_t peakBefore();
/// What the kernel says of a program that was started after `before` may be that of this process. Blocks for some
/// 30 us where that is close.
bool mayBeOurs(std::int64_t peakBytes, std::uint32_t before);

} // namespace yard::runners
