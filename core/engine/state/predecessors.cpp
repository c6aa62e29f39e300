#include "core/engine/state/predecessors.h"

#include "core/session/live_views.h"

#include <algorithm>

namespace yard::engine {

store::Edge Predecessors::asOfNow(store::Edge array) const {
    if (array.count <= 0) return array;
    const PredecessorWatch::Ends* ends = watch_.endsOf(array.lsn);
    if (!ends) return array;
    array.failed = array.other = 0;
    for (const auto& [lsn, state] : *ends) {
        if (parts_.session.views().live(lsn)) continue;
        const bool failed = state == ActionState::Failed;
        if (failed || array.failed == 0) array.otherwise = lsn;
        ++(failed ? array.failed : array.other);
    }
    return array;
}

coro::Task<Result<void>> Predecessors::lookAtArrays(std::vector<store::Edge> edges) {
    YARD_ASSERT_OWNER(owner_);
    std::ranges::sort(edges, {}, &store::Edge::lsn);
    const auto same = std::ranges::unique(edges, {}, &store::Edge::lsn);
    edges.erase(same.begin(), same.end());
    for (const store::Edge& edge : edges) {
        if (edge.count <= 0) continue;
        const Lsn last{edge.lsn.value + edge.count - 1};
        for (Lsn behind{};;) {
            const auto found = co_await parts_.endedOtherwise(edge.lsn, last, behind);
            if (!found) co_return std::unexpected(found.error());
            for (const auto& [lsn, state] : found->ends) watch_.hadEnded(edge.lsn, lsn, state);
            behind = found->cursor;
            if (behind.value == 0 || found->ends.size() >= store::kMostOtherwise) break;
        }
    }
    co_return Result<void>{};
}

session::Predecessor Predecessors::of(const store::Edge& edge,
                                      const std::vector<store::FinishedState>& finished) const {
    session::Predecessor p{.lsn = edge.lsn, .on = edge.on, .state = edge.state};
    if (edge.count > 0) {
        const store::Edge now = asOfNow(edge);
        p.count = now.count;
        p.failed = now.failed;
        p.other = now.other;
        p.otherwise = now.otherwise;
        return p;
    }
    const auto at = std::ranges::find(finished, edge.lsn, &store::FinishedState::lsn);
    if (at != finished.end()) p.state = at->state;
    if (const auto end = watch_.endOf(edge.lsn)) p.state = *end;
    return p;
}

} // namespace yard::engine
