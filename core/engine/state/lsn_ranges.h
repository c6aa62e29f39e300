// Runs of LSNs as ranges of a filter's term. Values.
#pragma once

#include "core/model/filter.h"
#include "core/store/bulk.h"

#include <algorithm>
#include <vector>

namespace yard::engine {

/// Adds a run that begins behind the beginning of the last range; those that touch or overlap are one.
inline void extend(std::vector<FilterTerm::Range>& ranges, const store::LsnRun& run) {
    const auto first = static_cast<double>(run.first.value);
    const auto last = static_cast<double>(run.last().value);
    if (!ranges.empty() && first <= ranges.back().high + 1)
        ranges.back().high = std::max(ranges.back().high, last);
    else
        ranges.push_back({first, last});
}

} // namespace yard::engine
