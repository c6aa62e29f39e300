// Units and edges as a graph: nodes, edges, ways.
#include "core/engine/reading/graph_parts.h"

#include "core/engine/reading/graph_paths.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

namespace yard::engine {

namespace {

/// An edge of two units.
struct UnitLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    DependencyOn on = DependencyOn::Completed;
    bool isMet = false;
    auto key() const { return std::tuple(from, to, on); }
};

/// Of links with the same ends one is left, met when all are.
void joinAlike(std::vector<UnitLink>& links) {
    std::ranges::sort(links, {}, &UnitLink::key);
    std::size_t kept = 0;
    for (const UnitLink& link : links) {
        if (kept > 0 && links[kept - 1].key() == link.key())
            links[kept - 1].isMet = links[kept - 1].isMet && link.isMet;
        else
            links[kept++] = link;
    }
    links.resize(kept);
}

/// From units and edges to nodes: each step takes what the one before left.
class GraphMaker {
public:
    GraphMaker(const GraphParts& parts, const GraphQuery& query)
        : parts_(parts)
        , query_(query) {
        view_.isTruncated = parts.isTruncated;
    }

    GraphView make() && {
        link();
        group();
        keepNearest();
        makeNodes();
        findPaths();
        return std::move(view_);
    }

private:
    /// The units that have some of these.
    std::pair<std::uint32_t, std::uint32_t> unitsIn(const store::LsnRun& run) const {
        const auto& units = parts_.units;
        const auto begin =
            std::ranges::lower_bound(units, run.first, {}, [](const GraphUnit& u) { return u.row.lsns.last(); });
        const auto end =
            std::ranges::upper_bound(units, run.last(), {}, [](const GraphUnit& u) { return u.row.lsns.first; });
        const auto first = static_cast<std::uint32_t>(begin - units.begin());
        return {first, std::max(first, static_cast<std::uint32_t>(end - units.begin()))};
    }

    bool isLinkMet(const store::WaitEdge& edge, const GraphUnit& parent) const {
        if (edge.parent.count > 1 || parent.row.lsns.count == 1) return isMet(edge.on, parent.states);
        const auto at =
            std::ranges::lower_bound(parts_.elements, edge.parent.first, {}, &std::pair<Lsn, ActionState>::first);
        StateCounts states{};
        if (at != parts_.elements.end() && at->first == edge.parent.first) ++states[std::to_underlying(at->second)];
        return isMet(edge.on, states);
    }

    void link() {
        for (const store::WaitEdge& edge : parts_.edges) {
            const auto [from, fromEnd] = unitsIn(edge.parent);
            const auto [to, toEnd] = unitsIn(edge.child);
            for (std::uint32_t parent = from; parent < fromEnd; ++parent) {
                const bool met = isLinkMet(edge, parts_.units[parent]);
                for (std::uint32_t child = to; child < toEnd; ++child) {
                    if (links_.size() >= kMostPairs) {
                        view_.isTruncated = true;
                        return joinAlike(links_);
                    }
                    links_.push_back({parent, child, edge.on, met});
                }
            }
        }
        joinAlike(links_);
    }

    /// The edges of a unit, in order: what it waits for, then what waits for it.
    struct Ends {
        std::vector<std::uint64_t> all;
    };
    std::vector<Ends> endsOfUnits() const {
        std::vector<Ends> ends(parts_.units.size());
        constexpr int kBits = 2;
        const auto code = [](std::uint32_t other, const UnitLink& link, bool isChild) {
            return (std::uint64_t{isChild} << 63) | (std::uint64_t{other} << kBits) | std::to_underlying(link.on);
        };
        for (const UnitLink& link : links_) {
            ends[link.to].all.push_back(code(link.from, link, false));
            ends[link.from].all.push_back(code(link.to, link, true));
        }
        for (Ends& one : ends) std::ranges::sort(one.all);
        return ends;
    }

    /// Units by the nodes they are of: those of single actions of one kind with the same edges are one.
    void group() {
        const auto& units = parts_.units;
        nodeOf_.resize(units.size());
        if (!query_.isFolded) {
            for (std::uint32_t i = 0; i < units.size(); ++i) groups_.push_back({i});
            std::iota(nodeOf_.begin(), nodeOf_.end(), 0u);
            return;
        }
        const std::vector<Ends> ends = endsOfUnits();
        const auto key = [&](std::uint32_t i) {
            const store::WaitUnit& row = units[i].row;
            return std::tuple(row.lsns.count > 1, row.queue, row.classNumber, row.label);
        };
        std::vector<std::uint32_t> order(units.size());
        std::iota(order.begin(), order.end(), 0u);
        const auto isBefore = [&](std::uint32_t a, std::uint32_t b) {
            if (const auto byKind = key(a) <=> key(b); byKind != 0) return byKind < 0;
            const auto byEnds = ends[a].all <=> ends[b].all;
            return byEnds != 0 ? byEnds < 0 : a < b;
        };
        std::ranges::sort(order, isBefore);
        for (const std::uint32_t i : order) {
            const bool mayJoin = !groups_.empty() && units[i].row.lsns.count == 1 && !ends[i].all.empty() &&
                                 isAlike(groups_.back().front(), i, ends);
            if (mayJoin)
                groups_.back().push_back(i);
            else
                groups_.push_back({i});
            nodeOf_[i] = static_cast<std::uint32_t>(groups_.size() - 1);
        }
    }

    bool isAlike(std::uint32_t a, std::uint32_t b, const std::vector<Ends>& ends) const {
        const store::WaitUnit& x = parts_.units[a].row;
        const store::WaitUnit& y = parts_.units[b].row;
        return x.lsns.count == 1 && x.queue == y.queue && x.classNumber == y.classNumber && x.label == y.label &&
               ends[a].all == ends[b].all;
    }

    const GraphUnit& firstOf(std::uint32_t node) const { return parts_.units[groups_[node].front()]; }

    /// `kept_`: the nodes of the answer, by number.
    void keepNearest() {
        kept_.resize(groups_.size());
        std::iota(kept_.begin(), kept_.end(), 0u);
        const auto limit = static_cast<std::size_t>(query_.limit);
        if (kept_.size() <= limit) return;
        view_.isTruncated = true;
        const auto rank = [this](std::uint32_t node) {
            const std::int64_t lsn = firstOf(node).row.lsns.first.value;
            std::uint32_t nearest = std::numeric_limits<std::uint32_t>::max();
            for (const std::uint32_t unit : groups_[node]) nearest = std::min(nearest, parts_.units[unit].distance);
            return std::pair(nearest, query_.lsn.value > 0 ? lsn : -lsn);
        };
        std::vector<std::pair<std::pair<std::uint32_t, std::int64_t>, std::uint32_t>> ranked;
        for (const std::uint32_t node : kept_) ranked.emplace_back(rank(node), node);
        std::ranges::nth_element(ranked, ranked.begin() + query_.limit);
        kept_.clear();
        for (const auto& [place, node] : std::span(ranked).first(limit)) kept_.push_back(node);
    }

    static std::optional<Duration> leftOf(const GraphUnit& sum) {
        if (sum.gap != EstimateGap::None) return std::nullopt;
        return std::max(sum.longest, sum.work / std::max(sum.width, 1));
    }

    void makeNodes() {
        for (const std::uint32_t node : kept_) {
            GraphUnit sum{.width = firstOf(node).width};
            GraphNode& made = view_.nodes.emplace_back();
            made.lsn = firstOf(node).row.lsns.first;
            made.count = 0;
            for (const std::uint32_t i : groups_[node]) {
                const GraphUnit& unit = parts_.units[i];
                made.count += unit.row.lsns.count;
                for (std::size_t state = 0; state < kActionStates; ++state)
                    made.states[state] += unit.states[state];
                sum.work += unit.work;
                sum.longest = std::max(sum.longest, unit.longest);
                if (sum.gap == EstimateGap::None) sum.gap = unit.gap;
            }
            if (unfinishedIn(made.states) == 0) continue;
            made.left = leftOf(sum);
            made.gap = sum.gap;
        }
    }

    /// Of nodes of the answer, by their places in it.
    std::vector<UnitLink> keptLinks() {
        constexpr auto kNoGroup = std::numeric_limits<std::uint32_t>::max();
        std::vector<std::uint32_t> placeOf(groups_.size(), kNoGroup);
        for (std::uint32_t place = 0; place < kept_.size(); ++place) placeOf[kept_[place]] = place;
        std::vector<UnitLink> links;
        for (UnitLink link : links_) {
            link.from = placeOf[nodeOf_[link.from]];
            link.to = placeOf[nodeOf_[link.to]];
            if (link.from != kNoGroup && link.to != kNoGroup && link.from != link.to) links.push_back(link);
        }
        joinAlike(links);
        if (links.size() <= kMostGraphEdges) return links;
        view_.isTruncated = true;
        links.resize(kMostGraphEdges);
        return links;
    }

    void findPaths() {
        const std::vector<UnitLink> links = keptLinks();
        std::vector<GraphPaths::Node> nodes;
        for (const GraphNode& node : view_.nodes)
            nodes.push_back({.hasEnded = unfinishedIn(node.states) == 0, .left = node.left});
        std::vector<GraphPaths::Edge> edges;
        for (const UnitLink& link : links) edges.push_back({link.from, link.to, link.isMet});
        const GraphPaths paths(nodes, edges);
        for (std::uint32_t i = 0; i < view_.nodes.size(); ++i) {
            view_.nodes[i].layer = paths.layers()[i];
            view_.nodes[i].slack = paths.slackOf(i);
        }
        for (const UnitLink& link : links)
            view_.edges.push_back({view_.nodes[link.from].lsn, view_.nodes[link.to].lsn, link.on, link.isMet});
        for (const std::uint32_t node : paths.critical()) view_.critical.push_back(view_.nodes[node].lsn);
        std::ranges::sort(view_.nodes, {}, [](const GraphNode& node) { return std::pair(node.layer, node.lsn); });
        std::ranges::sort(view_.edges, {},
                          [](const GraphEdge& edge) { return std::tuple(edge.from, edge.to, edge.on); });
    }

    static constexpr std::size_t kMostPairs = 4 * kMostGraphEdges;
    const GraphParts& parts_;
    const GraphQuery& query_;
    std::vector<UnitLink> links_;
    std::vector<std::uint32_t> nodeOf_;              ///< of each unit
    std::vector<std::vector<std::uint32_t>> groups_; ///< units of each node
    std::vector<std::uint32_t> kept_;
    GraphView view_;
};

} // namespace

GraphView graphOf(const GraphParts& parts, const GraphQuery& query) {
    return GraphMaker(parts, query).make();
}

} // namespace yard::engine
