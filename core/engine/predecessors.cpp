// What submissions and what runs again wait for: others of the same list by their numbers, arrays as a whole.
#include "core/engine/engine_core.h"

#include "core/model/action_graph.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

/// Elements of an array are looked through for this long before others who read get their turn.
constexpr Duration kArrayPortion{8'000};
constexpr std::size_t kNamedAtOnce = 1'000;
/// Submissions that wait for one action, as far as is looked.
constexpr int kMostChildren = 1'000;

} // namespace

/// In which order they get their LSNs: each after those of the list that it waits for. Empty: as they stand.
std::vector<std::uint32_t> EngineCore::listOrder(std::span<const ParsedAction> actions) {
    for (std::size_t i = 0; i < actions.size(); ++i)
        if (std::ranges::any_of(actions[i].parents, [i](std::uint32_t parent) { return parent > i; }))
            return parentsFirst(actions).value_or(std::vector<std::uint32_t>());
    return {};
}

/// Of a whole array, with what was seen of its elements while it was watched: those that run again have not ended.
store::Edge EngineCore::asOfNow(store::Edge array) const {
    const PredecessorWatch::Ends* ends = predecessors_.endsOf(array.lsn);
    if (!ends) return array;
    array.failed = array.other = 0;
    for (const auto& [lsn, state] : *ends) {
        if (session_->live(lsn)) continue;
        const bool failed = state == ActionState::Failed;
        if (failed || array.failed == 0) array.otherwise = lsn;
        ++(failed ? array.failed : array.other);
    }
    return array;
}

/// How the elements of these arrays had ended, which are watched: what ends from now on is seen there.
coro::Task<Result<void>> EngineCore::lookAtArrays(std::vector<store::Edge> edges) {
    std::ranges::sort(edges, {}, &store::Edge::lsn);
    const auto same = std::ranges::unique(edges, {}, &store::Edge::lsn);
    edges.erase(same.begin(), same.end());
    for (const store::Edge& edge : edges) {
        if (edge.count <= 0) continue;
        const Lsn last{edge.lsn.value + edge.count - 1};
        for (Lsn behind{};;) {
            const auto found = co_await read([&edge, last, behind](store::Reader& reader) {
                return reader.endedOtherwise(edge.lsn, last, behind, kArrayPortion);
            });
            if (!found) co_return std::unexpected(found.error());
            for (const auto& [lsn, state] : found->ends) predecessors_.hadEnded(edge.lsn, lsn, state);
            behind = found->cursor;
            if (behind.value == 0 || found->ends.size() >= store::kMostOtherwise) break;
        }
    }
    co_return Result<void>{};
}

/// How many elements the arrays have that are waited for as a whole. Those of the same list are known.
coro::Task<Result<std::vector<store::Edge>>> EngineCore::findArrays(Resolved& resolved) {
    std::vector<store::Edge*> edges;
    std::vector<std::size_t> items;
    std::vector<Lsn> bases;
    for (std::size_t i = 0; i < resolved.items.size(); ++i)
        for (store::Edge& edge : resolved.items[i].row.after)
            if (edge.count == kArrayUnknown) {
                edges.push_back(&edge);
                items.push_back(i);
                bases.push_back(edge.lsn);
            }
    std::vector<store::Edge> found;
    if (bases.empty()) co_return found;
    const auto sizes = co_await read([bases](store::Reader& reader) { return reader.arraySizes(bases); });
    if (!sizes) co_return std::unexpected(sizes.error());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        edges[i]->count = (*sizes)[i];
        if (edges[i]->count > 0) {
            found.push_back(*edges[i]);
            continue;
        }
        auto error =
            invalid("after", fmt::format("Action {} is not the first of an array, or is not known any more: "
                                         "give the LSN that the array was answered with, or wait for "
                                         "actions alone.",
                                         bases[i].value));
        if (resolved.items.size() > 1) error.error().index = static_cast<int>(resolved.placeOf(items[i]));
        co_return error;
    }
    co_return found;
}

/// WrongState when something that has not begun was posted to wait for it: a reader of that one would not find its
/// parent, and could not run it again.
coro::Task<Result<void>> EngineCore::notWaitedFor(Lsn lsn) {
    const auto children =
        co_await read([lsn](store::Reader& reader) { return reader.pendingDependents(lsn, kMostChildren); });
    if (!children) co_return std::unexpected(children.error());
    std::int64_t waiting = 0;
    Lsn first{};
    for (const store::LsnRun& run : children->runs())
        for (Lsn next = run.first; next.value > 0 && next <= run.last();) {
            next = session_->walkLive(next, kPerSlice, [&](const session::LiveView& live) {
                if (live.lsn > run.last() || live.state != ActionState::Pending || live.attempt > 0) return;
                if (waiting++ == 0) first = live.lsn;
            });
            co_await coro::yieldNow();
        }
    if (waiting == 0) co_return Result<void>{};
    co_return fail(ErrorKind::WrongState,
                   waiting == 1
                       ? fmt::format("Action {} waits to run after action {}: wait for its end, or cancel it, "
                                     "then retire this one.",
                                     first.value, lsn.value)
                       : fmt::format("Action {} and {} more wait to run after action {}: wait for their ends, "
                                     "or cancel them, then retire this one.",
                                     first.value, waiting - 1, lsn.value));
}

/// What waits for others of the list gets their numbers, and its kept text names them by these.
coro::Task<void> EngineCore::nameParents(Resolved& resolved, const Submission& submission) {
    std::vector<std::size_t> itemAt(resolved.items.size()); // by place
    for (std::size_t i = 0; i < itemAt.size(); ++i) itemAt[resolved.placeOf(i)] = i;
    for (std::size_t i = 0; i < resolved.items.size(); ++i) {
        if (i > 0 && i % kNamedAtOnce == 0) co_await coro::yieldNow();
        const ParsedAction& action = submission.actions[resolved.placeOf(i)];
        if (action.parents.empty()) continue;
        store::AcceptItem& item = resolved.items[i];
        std::vector<Dependency> after = action.spec->after;
        for (std::size_t k = 0; k < action.parents.size(); ++k) {
            const store::AcceptItem& parent = resolved.items[itemAt[action.parents[k]]];
            const DependencyOn on = action.spec->references[k].on;
            after.push_back({.lsn = parent.row.lsn, .on = on, .isArray = parent.isArray});
            store::Edge& edge = item.row.after.emplace_back();
            edge.lsn = parent.row.lsn;
            edge.on = on;
            edge.count = parent.isArray ? parent.count : 0;
        }
        item.spec = withAfter(item.spec, after);
    }
}

session::Predecessor EngineCore::predecessor(const store::Edge& edge,
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
    if (const auto end = predecessors_.endOf(edge.lsn)) p.state = *end;
    return p;
}

} // namespace yard::engine
