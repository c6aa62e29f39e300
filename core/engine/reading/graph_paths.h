// Ways through a graph of what waits for what: layers, the way that takes longest, and how much the others may take
// longer. Pure; values, no owner. A circle, which no submission can make, is left out of all ways.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace yard::engine {

class GraphPaths {
public:
    struct Node {
        bool hasEnded = false;
        std::optional<Duration> left; ///< of what has not ended; nothing: nobody knows
    };
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        bool isMet = false; ///< nothing waits any more
    };
    /// Time and space: nodes and edges once each.
    GraphPaths(std::span<const Node> nodes, std::span<const Edge> edges);

    /// Edges of the longest way to each node, met ones too.
    const std::vector<int>& layers() const { return layers_; }
    /// Of what has not ended, first to last; empty when nothing is left, or it is not known how long something takes.
    const std::vector<std::uint32_t>& critical() const { return critical_; }
    /// How much later a node may end than it can; nothing for one that has ended, or where critical() is not known.
    std::optional<Duration> slackOf(std::uint32_t node) const { return slack_[node]; }

private:
    void sort(std::span<const Edge> edges);
    void findTimes(std::span<const Node> nodes, std::span<const Edge> edges);
    void findCritical(std::span<const Node> nodes, std::span<const Edge> edges);

    std::vector<std::uint32_t> order_;  ///< each behind what it waits for
    std::vector<std::uint32_t> begins_; ///< of the edges of each node in `out_`
    std::vector<std::uint32_t> out_;    ///< edges by their `from`
    std::vector<int> layers_;
    std::vector<Duration> ends_; ///< at the earliest, from now on
    std::vector<std::uint32_t> critical_;
    std::vector<std::optional<Duration>> slack_;
};

} // namespace yard::engine
