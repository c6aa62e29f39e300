// What a graph of who waits for whom is made from. Values, no owner.
#pragma once

#include "core/engine/state/graph_view.h"
#include "core/store/waits.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

/// An action, or an array as a whole.
struct GraphUnit {
    store::WaitUnit row{};
    std::uint32_t distance = 0; ///< edges to what was asked for
    StateCounts states{};
    std::string command = {}; ///< in short, where nothing else says how long it takes
    // what is left of it
    Duration work{};    ///< one after another
    Duration longest{}; ///< of one action
    int width = 1;      ///< so many of its kind may run at once
    EstimateGap gap = EstimateGap::None;
};

struct GraphParts {
    std::vector<GraphUnit> units; ///< by LSN; none overlap
    std::vector<store::WaitEdge> edges;
    std::vector<std::pair<Lsn, ActionState>> elements; ///< by LSN: those that are waited for without their array
    bool isTruncated = false;
};

/// Each action of these as a unit of its own, the nearest first, at most `limit`. `some` has the elements that are
/// meant of a unit, by the unit's first LSN; of others all are.
void unfold(GraphParts& parts, const std::vector<std::pair<Lsn, Lsn>>& some, int limit);

std::int64_t unfinishedIn(const StateCounts& states);
/// Of what lived first and was counted then among what has ended: what is over `count` did not live any more.
void countEachOnce(StateCounts& states, std::int64_t count);
/// Whoever waited for it need not any more.
bool isMet(DependencyOn on, const StateCounts& states);

/// The graph of these, without names.
GraphView graphOf(const GraphParts& parts, const GraphQuery& query);

} // namespace yard::engine
