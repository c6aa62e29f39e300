#include "core/engine/reading/graph_walk.h"

#include "core/coro/suspend.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/state/slice.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::engine {

namespace {

/// Asked of the journal at once, and how long it looks before others who read get their turn.
constexpr std::size_t kUnitsAtOnce = 500;
constexpr Duration kGraphPortion{8'000};
/// Of a queue's graph so many units per node that is wanted: those that are alike come together.
constexpr std::size_t kUnitsPerNode = 20;

} // namespace

std::vector<store::LsnRun> GraphWalk::runsOf(std::span<const std::uint32_t> units) const {
    std::vector<store::LsnRun> runs;
    runs.reserve(units.size());
    for (const std::uint32_t unit : units) runs.push_back(found_.units[unit].row.lsns);
    return runs;
}

bool GraphWalk::isKnown(const store::LsnRun& run) const {
    const auto behind = byFirst_.upper_bound(run.first);
    return behind != byFirst_.begin() && found_.units[std::prev(behind)->second].row.lsns.last() >= run.first;
}

bool GraphWalk::isFull() {
    const bool isFull = found_.units.size() >= kMostUnits || found_.edges.size() >= kMostEdges ||
                        (!isFolded_ && actions_ > limit_) || parts_.now() >= parts_.until;
    if (isFull) found_.isTruncated = true;
    return isFull;
}

/// All of these are part of the graph: of an array perhaps one element.
void GraphWalk::means(const store::LsnRun& run) {
    const auto behind = byFirst_.upper_bound(run.first);
    if (isFolded_ || behind == byFirst_.begin()) return;
    const auto& [first, unit] = *std::prev(behind);
    const std::int64_t size = found_.units[unit].row.lsns.count;
    if (size == 1) return;
    Meant& meant = meant_[first];
    if (meant.isWhole) return;
    if (run.count == 1) {
        if (meant.elements.insert(run.first).second) ++actions_;
        return;
    }
    actions_ += size - std::ssize(meant.elements);
    meant = {.isWhole = true, .elements = {}};
}

/// Who waits for another element of the array does not wait for this one.
bool GraphWalk::isMeant(const store::WaitEdge& edge) const {
    if (isFolded_ || edge.parent.count > 1 || edge.parent.first == asked_) return true;
    const auto& array = found_.units.front().row.lsns; // what was asked for came first
    return edge.parent.first < array.first || edge.parent.first > array.last();
}

coro::Task<GraphWalk::Answer> GraphWalk::add(std::vector<store::LsnRun> runs, std::uint32_t distance) {
    std::ranges::sort(runs, {}, [](const store::LsnRun& run) { return std::pair(run.first, run.count); });
    const auto same = std::ranges::unique(runs);
    runs.erase(same.begin(), same.end());
    Answer answer;
    for (std::size_t at = 0; at < runs.size() && (found_.units.empty() || !isFull()); at += kUnitsAtOnce) {
        const auto some = std::span(runs).subspan(at, std::min(kUnitsAtOnce, runs.size() - at));
        const auto rows = co_await parts_.journal.waitUnits({some.begin(), some.end()});
        if (!rows) co_return Answer{std::unexpected(rows.error()), {}};
        for (const store::WaitUnit& row : *rows) {
            if (row.lsns.count == 0 || isKnown(row.lsns)) continue;
            const auto place = static_cast<std::uint32_t>(found_.units.size());
            found_.units.push_back({.row = row, .distance = distance});
            hasEdges_.push_back(false);
            byFirst_.emplace(row.lsns.first, place);
            if (row.lsns.count == 1) ++actions_;
            answer.found.push_back(place);
        }
    }
    co_return answer;
}

/// What some of these wait for: so many of them were looked at.
coro::Task<Result<std::size_t>> GraphWalk::readEdges(std::span<const std::uint32_t> children,
                                                     std::vector<store::WaitEdge>& edges) {
    const auto some = children.first(std::min(kUnitsAtOnce, children.size()));
    auto looked = co_await parts_.journal.waitParents(runsOf(some), kGraphPortion);
    if (!looked) co_return std::unexpected(looked.error());
    for (const std::uint32_t unit : some.first(looked->looked)) hasEdges_[unit] = true;
    edges = std::move(looked->edges);
    int inSlice = 0;
    for (const store::WaitEdge& edge : edges) {
        found_.edges.push_back(edge);
        if (++inSlice % kPerSlice == 0) co_await coro::yieldNow();
    }
    co_return looked->looked;
}

coro::Task<GraphWalk::Answer> GraphWalk::parentsOf(Units children, std::uint32_t distance) {
    Answer answer;
    for (std::size_t at = 0; at < children.size() && !isFull();) {
        std::vector<store::WaitEdge> edges;
        const auto looked = co_await readEdges(std::span(children).subspan(at), edges);
        if (!looked) co_return Answer{std::unexpected(looked.error()), {}};
        at += *looked;
        std::vector<store::LsnRun> unknown;
        int inSlice = 0;
        for (const store::WaitEdge& edge : edges) {
            if (!isKnown(edge.parent)) unknown.push_back(edge.parent);
            if (++inSlice % kPerSlice == 0) co_await coro::yieldNow();
        }
        Answer more = co_await add(std::move(unknown), distance);
        if (!more.result) co_return more;
        answer.found.insert(answer.found.end(), more.found.begin(), more.found.end());
        for (const store::WaitEdge& edge : edges) {
            means(edge.parent);
            if (++inSlice % kPerSlice == 0) co_await coro::yieldNow();
        }
    }
    co_return answer;
}

coro::Task<GraphWalk::Answer> GraphWalk::childrenOf(Units parents, std::uint32_t distance) {
    Answer answer;
    for (std::size_t at = 0; at < parents.size(); at += kUnitsAtOnce) {
        const auto some = runsOf(std::span(parents).subspan(at, std::min(kUnitsAtOnce, parents.size() - at)));
        for (store::WaitPlace place; place.at < some.size() && !isFull();) {
            const auto looked = co_await parts_.journal.waitChildren(some, place, kPerSlice, kGraphPortion);
            if (!looked) co_return Answer{std::unexpected(looked.error()), {}};
            place = looked->place;
            std::vector<store::LsnRun> unknown;
            for (const store::WaitEdge& edge : looked->edges)
                if (isMeant(edge) && !isKnown(edge.child)) unknown.push_back(edge.child);
            Answer more = co_await add(std::move(unknown), distance);
            if (!more.result) co_return more;
            for (const std::uint32_t unit : more.found) means(found_.units[unit].row.lsns);
            answer.found.insert(answer.found.end(), more.found.begin(), more.found.end());
        }
    }
    co_return answer;
}

/// Level by level: what is near is known before what is far.
coro::Task<Result<void>> GraphWalk::searchBothWays(std::uint32_t asked) {
    Units up{asked};
    Units down{asked};
    for (std::uint32_t distance = 1; !up.empty() || !down.empty(); ++distance) {
        // Each level is a node at least.
        if (isFull() || std::cmp_greater(distance, limit_)) {
            found_.isTruncated = true;
            break;
        }
        Answer parents = co_await parentsOf(std::move(up), distance);
        if (!parents.result) co_return parents.result;
        up = std::move(parents.found);
        Answer children = co_await childrenOf(std::move(down), distance);
        if (!children.result) co_return children.result;
        down = std::move(children.found);
    }
    co_return co_await findEdges();
}

/// Of those that were found without: who waits for the same may wait for each other, too.
coro::Task<Result<void>> GraphWalk::findEdges() {
    Units without;
    for (std::uint32_t unit = 0; unit < found_.units.size(); ++unit) {
        if (!hasEdges_[unit]) without.push_back(unit);
        if ((unit + 1) % kPerSlice == 0) co_await coro::yieldNow();
    }
    for (std::size_t at = 0; at < without.size();) {
        if (found_.edges.size() >= kMostEdges || parts_.now() >= parts_.edgesUntil) {
            found_.isTruncated = true;
            break;
        }
        std::vector<store::WaitEdge> edges;
        const auto looked = co_await readEdges(std::span(without).subspan(at), edges);
        if (!looked) co_return std::unexpected(looked.error());
        at += *looked;
    }
    co_return Result<void>();
}

coro::Task<Result<void>> GraphWalk::around(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    asked_ = lsn;
    const Answer found = co_await add({{lsn, 1}}, 0);
    if (!found.result) co_return found.result;
    if (found.found.empty()) co_return unknownAction(lsn);
    means({lsn, 1});
    co_return co_await searchBothWays(found.found.front());
}

coro::Task<Result<void>> GraphWalk::ofQueue(QueueId queue) {
    YARD_ASSERT_OWNER(owner_);
    const std::size_t most = std::min(kMostUnits, static_cast<std::size_t>(limit_) * kUnitsPerNode);
    Lsn cursor{};
    do {
        const auto looked = co_await parts_.journal.waitsOfQueue(queue, cursor, kGraphPortion);
        if (!looked) co_return std::unexpected(looked.error());
        cursor = looked->cursor;
        std::vector<store::LsnRun> unknown;
        for (const Lsn lsn : looked->lsns)
            if (!isKnown({lsn, 1})) unknown.push_back({lsn, 1});
        const Answer added = co_await add(std::move(unknown), 0);
        if (!added.result) co_return added.result;
        for (const std::uint32_t unit : added.found) means(found_.units[unit].row.lsns);
        if (cursor.value > 0 && found_.units.size() >= most) found_.isTruncated = true;
    } while (cursor.value > 0 && !found_.isTruncated && !isFull());
    co_return co_await findEdges();
}

GraphWalk::Found GraphWalk::take() {
    for (const auto& [first, meant] : meant_)
        for (const Lsn element : meant.elements) found_.some.emplace_back(first, element);
    return std::move(found_);
}

} // namespace yard::engine
