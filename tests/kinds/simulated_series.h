// Kinds of work with a known truth, simulated: how often the memory of work raises a false alarm, misses a change, and how
// long it takes to see one. The same by the same seeds. Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

namespace yard::kinds::test {

/// Lines of docs/kinds.md, as they stand there.
struct KnownTruth {
    std::vector<std::string> lines;
    int alarmsPerSeries = 0;    ///< of 10,000 independent runs without a change: the most of one series
    int missedOfTwenty = 0;     ///< of steps by 20 per cent, with noise of 10 per cent or less
    int flakyWithoutReason = 0; ///< kinds whose inputs always work
    int flakyMissed = 0;        ///< kinds of which one run in twenty fails
};
KnownTruth simulateKnownTruth();

} // namespace yard::kinds::test
