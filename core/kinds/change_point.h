// Where a series of measurements changed its level: the split with the largest rank CUSUM, kept if Mann-Whitney says that
// both sides differ and the medians are far enough apart. Ranks, because durations have outliers. docs/kinds.md has how
// often it is wrong. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace yard::kinds {

struct ChangeRules {
    std::size_t minRuns = 30; ///< on each side
    double maxP = 1e-4;
    double minEffect = 0.05; ///< of the first median
};

struct ChangePoint {
    std::size_t at = 0; ///< place of the first value of the new level
    double before = 0;  ///< medians
    double after = 0;
    double p = 1; ///< of seeing it without a change, for all splits that were tried
};

/// The one clearest change of the series; nothing where there is none. Of n values it takes n log n.
std::optional<ChangePoint> findChange(std::span<const float> series, const ChangeRules& rules = {});

} // namespace yard::kinds
