#include "core/engine/reading/graph_paths.h"

#include <algorithm>
#include <limits>

namespace yard::engine {

namespace {
constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();
} // namespace

GraphPaths::GraphPaths(std::span<const Node> nodes, std::span<const Edge> edges)
    : begins_(nodes.size() + 1)
    , layers_(nodes.size())
    , ends_(nodes.size())
    , slack_(nodes.size()) {
    sort(edges);
    const auto isUnknown = [](const Node& node) { return !node.hasEnded && !node.left; };
    if (std::ranges::any_of(nodes, isUnknown)) return;
    findTimes(nodes, edges);
    findCritical(nodes, edges);
}

/// Those that wait for nothing come first, then whoever has met all it waits for.
void GraphPaths::sort(std::span<const Edge> edges) {
    std::vector<std::uint32_t> waits(layers_.size());
    for (const Edge& edge : edges) {
        ++begins_[edge.from + 1];
        ++waits[edge.to];
    }
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    out_.resize(edges.size());
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end());
    for (std::uint32_t i = 0; i < edges.size(); ++i) out_[next[edges[i].from]++] = i;
    order_.reserve(layers_.size());
    for (std::uint32_t i = 0; i < layers_.size(); ++i)
        if (waits[i] == 0) order_.push_back(i);
    for (std::size_t at = 0; at < order_.size(); ++at) {
        const std::uint32_t from = order_[at];
        for (std::uint32_t i = begins_[from]; i < begins_[from + 1]; ++i) {
            const std::uint32_t to = edges[out_[i]].to;
            layers_[to] = std::max(layers_[to], layers_[from] + 1);
            if (--waits[to] == 0) order_.push_back(to);
        }
    }
}

void GraphPaths::findTimes(std::span<const Node> nodes, std::span<const Edge> edges) {
    for (const std::uint32_t from : order_) {
        if (nodes[from].hasEnded) continue;
        ends_[from] += *nodes[from].left; // till here it was when it can begin
        for (std::uint32_t i = begins_[from]; i < begins_[from + 1]; ++i) {
            const Edge& edge = edges[out_[i]];
            if (!edge.isMet) ends_[edge.to] = std::max(ends_[edge.to], ends_[from]);
        }
    }
    Duration whole{};
    for (const std::uint32_t node : order_)
        if (!nodes[node].hasEnded) whole = std::max(whole, ends_[node]);
    std::vector<Duration> latest(nodes.size(), whole); // ends, without a delay of the whole
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        if (nodes[*at].hasEnded) continue;
        for (std::uint32_t i = begins_[*at]; i < begins_[*at + 1]; ++i) {
            const Edge& edge = edges[out_[i]];
            if (!edge.isMet && !nodes[edge.to].hasEnded)
                latest[*at] = std::min(latest[*at], latest[edge.to] - *nodes[edge.to].left);
        }
        slack_[*at] = latest[*at] - ends_[*at];
    }
}

/// From the last end back: of each the one it waits for longest.
void GraphPaths::findCritical(std::span<const Node> nodes, std::span<const Edge> edges) {
    std::vector<std::uint32_t> before(nodes.size(), kNoNode);
    std::uint32_t last = kNoNode;
    for (const std::uint32_t from : order_) {
        if (nodes[from].hasEnded) continue;
        if (last == kNoNode || ends_[from] > ends_[last]) last = from;
        for (std::uint32_t i = begins_[from]; i < begins_[from + 1]; ++i) {
            const Edge& edge = edges[out_[i]];
            if (edge.isMet || nodes[edge.to].hasEnded) continue;
            std::uint32_t& best = before[edge.to];
            if (best == kNoNode || ends_[from] > ends_[best]) best = from;
        }
    }
    for (; last != kNoNode; last = before[last]) critical_.push_back(last);
    std::ranges::reverse(critical_);
}

} // namespace yard::engine
