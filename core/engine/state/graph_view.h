// What is asked of the engine about who waits for whom, and what it answers (docs/graphs.md). Values.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/action_spec.h"
#include "core/model/estimate.h"
#include "core/model/queue.h"
#include "core/model/states.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

inline constexpr int kGraphNodes = 2'000;      ///< where nobody says
inline constexpr int kMostGraphNodes = 10'000; ///< that may be asked for
/// Of an answer, and pairs of what it is made from: what is beyond is left out, and the answer says so.
inline constexpr std::size_t kMostGraphEdges = 100'000;

struct GraphQuery {
    Lsn lsn{};                     ///< 0: of a queue
    std::optional<QueueRef> queue; ///< where there is no LSN
    bool isFolded = false;         ///< arrays, and lists with equal edges, as one node each
    int limit = kGraphNodes;       ///< nodes, 1..kMostGraphNodes
};

using StateCounts = std::array<std::int64_t, kActionStates>;

struct GraphNode {
    Lsn lsn;                      ///< the first; what edges call it
    std::int64_t count = 1;       ///< actions
    std::string label;            ///< what people call it
    StateCounts states{};         ///< of those that are known
    int layer = 0;                ///< edges of the longest way to it
    std::optional<Duration> left; ///< how long it still takes, once it begins; nothing: it has ended, or `gap`
    EstimateGap gap = EstimateGap::None;
    std::optional<Duration> slack; ///< it may end so much later, and the whole ends no later
};
struct GraphEdge {
    Lsn from; ///< is waited for
    Lsn to;
    DependencyOn on = DependencyOn::Completed;
    bool isMet = false;
};
struct GraphView {
    std::vector<GraphNode> nodes; ///< by layer, then by LSN
    std::vector<GraphEdge> edges;
    std::vector<Lsn> critical; ///< of what has not ended the way that takes longest; empty: a time is not known
    bool isTruncated = false;  ///< there is more
};

} // namespace yard::engine
