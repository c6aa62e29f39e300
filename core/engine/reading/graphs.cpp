#include "core/engine/reading/graphs.h"

#include "core/coro/suspend.h"
#include "core/engine/reading/asking_place.h"
#include "core/engine/reading/graph_walk.h"
#include "core/engine/state/slice.h"
#include "core/model/action_name.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace yard::engine {

namespace {

/// A graph is searched for so long, its edges are completed, and states looked up.
constexpr Duration kSearchFor{1'500'000};
constexpr Duration kEdgesFor{500'000};
constexpr Duration kStatesFor{1'000'000};
/// Of the journal, before others who read get their turn.
constexpr Duration kStatesPortion{8'000};

GraphParts partsOf(GraphWalk::Found found, const GraphQuery& query) {
    GraphParts parts;
    parts.isTruncated = found.isTruncated;
    parts.units.assign(found.units.begin(), found.units.end());
    parts.edges.assign(found.edges.begin(), found.edges.end());
    if (!query.isFolded)
        unfold(parts, found.some, query.limit);
    else
        std::ranges::sort(parts.units, {}, [](const GraphUnit& unit) { return unit.row.lsns.first; });
    return parts;
}

/// The array with this element; null: it is none, or not in the graph.
const GraphUnit* arrayWith(const std::vector<GraphUnit>& units, Lsn element) {
    const auto behind =
        std::ranges::upper_bound(units, element, {}, [](const GraphUnit& unit) { return unit.row.lsns.first; });
    if (behind == units.begin()) return nullptr;
    const GraphUnit& unit = *std::prev(behind);
    return unit.row.lsns.count > 1 && unit.row.lsns.last() >= element ? &unit : nullptr;
}

} // namespace

struct Graphs::Kinds {
    struct Kind {
        session::Outlook::Answer usual; ///< of one that waits; of a command without a label that is its own
        bool isOfItsCommand = false;
        int width = 1;
    };
    std::map<std::tuple<QueueId, session::ClassId, session::LabelId>, Kind> known;
};

/// So many of its kind may run at once.
int Graphs::widthOf(const session::LiveView& live) const {
    double width = std::max(parts_.cores(), 1);
    for (const session::ResourceNeed& need : parts_.session.needs(live.cls))
        if (need.need > 0) width = std::min(width, std::floor(need.total / need.need));
    if (const QueueConfig* config = parts_.session.queues().configOf(live.queue)) {
        if (config->maxRunning > 0) width = std::min<double>(width, config->maxRunning);
        for (const auto& [label, most] : config->labelLimits)
            if (label == parts_.dictionary.label(live.label.value)) width = std::min<double>(width, most);
    }
    return std::max(static_cast<int>(width), 1);
}

void Graphs::take(GraphUnit& unit, const session::LiveView& live, Kinds& kinds) const {
    ++unit.states[std::to_underlying(live.state)];
    if (isEnded(live.state)) return;
    const auto [at, isNew] = kinds.known.try_emplace({live.queue, live.cls, live.label});
    Kinds::Kind& kind = at->second;
    if (isNew) {
        session::LiveView waiting = live;
        waiting.state = ActionState::Pending;
        kind = {.usual = parts_.estimates.left(waiting),
                .isOfItsCommand = parts_.estimates.isOfItsCommand(live.cls, live.label),
                .width = widthOf(live)};
    }
    const session::Outlook::Answer left = live.state != ActionState::Pending ? parts_.estimates.left(live)
                                          : kind.isOfItsCommand ? parts_.estimates.ofCommand(unit.command)
                                                                : kind.usual;
    if (left.gap != EstimateGap::None) unit.gap = left.gap;
    unit.width = kind.width;
    unit.work += left.time;
    unit.longest = std::max(unit.longest, left.time);
}

coro::Task<Result<GraphParts>> Graphs::search(const GraphQuery& query, MonoTime until) {
    GraphWalk walk({.journal = parts_.journal, .now = parts_.now, .until = until, .edgesUntil = until + kEdgesFor},
                   query.isFolded, query.limit);
    Result<void> searched;
    if (query.lsn.value > 0) {
        searched = co_await walk.around(query.lsn);
    } else {
        const auto queue = parts_.queues.numberOf(query.queue.value_or(QueueRef{}));
        if (!queue) co_return std::unexpected(queue.error());
        searched = co_await walk.ofQueue(*queue);
    }
    if (!searched) co_return std::unexpected(searched.error());
    co_return co_await parts_.helpers.run(
        [found = walk.take(), query]() mutable { return partsOf(std::move(found), query); });
}

coro::Task<Result<void>> Graphs::lookAtArray(GraphUnit& unit, Kinds& kinds, MonoTime until, bool& isWhole) {
    const store::LsnRun all = unit.row.lsns;
    isWhole = parts_.now() < until;
    if (!isWhole) { // as far as anybody knows, all of it is to come
        unit.states[std::to_underlying(ActionState::Pending)] = all.count;
        unit.gap = EstimateGap::NoHistory;
        co_return Result<void>();
    }
    for (Lsn next = all.first; next.value > 0 && next <= all.last();) {
        const auto most = std::min<std::int64_t>(kPerSlice, all.last().value - next.value + 1);
        next = parts_.session.views().walk(next, static_cast<int>(most), [&](const session::LiveView& live) {
            if (live.lsn <= all.last() && !isEnded(live.state)) take(unit, live, kinds);
        });
        co_await coro::yieldNow();
    }
    store::PageFilter filter;
    filter.from = all.first;
    filter.to = all.last();
    filter.lookFor = kStatesPortion;
    Lsn cursor{};
    do {
        if (parts_.now() >= until) {
            isWhole = false;
            break;
        }
        const auto counted = co_await parts_.journal.countKinds(filter, cursor);
        if (!counted) co_return std::unexpected(counted.error());
        for (const auto& [kind, count] : counted->kinds) unit.states[std::to_underlying(kind.state)] += count;
        cursor = counted->cursor;
    } while (cursor.value > 0);
    countEachOnce(unit.states, all.count);
    co_return Result<void>();
}

/// Single actions that do not live: as they ended.
coro::Task<Result<void>> Graphs::lookAtEnded(GraphParts& parts, const std::vector<std::uint32_t>& units) {
    for (std::size_t at = 0; at < units.size(); at += kPerSlice) {
        const auto some =
            std::span(units).subspan(at, std::min(static_cast<std::size_t>(kPerSlice), units.size() - at));
        std::vector<Lsn> lsns;
        for (const std::uint32_t unit : some) lsns.push_back(parts.units[unit].row.lsns.first);
        const auto states = co_await parts_.journal.states(std::move(lsns));
        if (!states) co_return std::unexpected(states.error());
        for (std::size_t i = 0; i < some.size(); ++i)
            if ((*states)[i] != ActionState::New) ++parts.units[some[i]].states[std::to_underlying((*states)[i])];
    }
    co_return Result<void>();
}

/// Those that are waited for without the rest of their array.
coro::Task<Result<void>> Graphs::lookAtElements(GraphParts& parts) {
    std::vector<Lsn> lsns;
    int inSlice = 0;
    for (const store::WaitEdge& edge : parts.edges) {
        if (edge.parent.count == 1 && arrayWith(parts.units, edge.parent.first)) lsns.push_back(edge.parent.first);
        if (++inSlice % kPerSlice == 0) co_await coro::yieldNow();
    }
    for (std::size_t at = 0; at < lsns.size(); at += kPerSlice) {
        const auto some =
            std::span(lsns).subspan(at, std::min(static_cast<std::size_t>(kPerSlice), lsns.size() - at));
        const auto states = co_await parts_.journal.states({some.begin(), some.end()});
        if (!states) co_return std::unexpected(states.error());
        for (std::size_t i = 0; i < some.size(); ++i)
            if ((*states)[i] != ActionState::New) parts.elements.emplace_back(some[i], (*states)[i]);
    }
    co_return Result<void>();
}

/// It has not ended as far as is known, and only its command says how long it takes.
bool Graphs::isOfItsCommand(const GraphUnit& unit) const {
    const store::WaitUnit& row = unit.row;
    if (row.lsns.count == 1) {
        const auto live = parts_.session.views().live(row.lsns.first);
        return live && live->state == ActionState::Pending &&
               parts_.estimates.isOfItsCommand(live->cls, live->label);
    }
    if (row.classNumber == 0 || row.classNumber > parts_.dictionary.classCount()) return false;
    if (row.label >= parts_.dictionary.labelCount()) return false;
    return parts_.estimates.isOfItsCommand(session::ClassId(row.classNumber - 1), session::LabelId(row.label));
}

/// Of arrays with "{index}" in it: what one element took says nothing of the next.
coro::Task<Result<void>> Graphs::findCommands(GraphParts& parts, MonoTime until) {
    std::vector<std::uint32_t> asked;
    for (std::uint32_t i = 0; i < parts.units.size(); ++i) {
        if (isOfItsCommand(parts.units[i])) asked.push_back(i);
        if ((i + 1) % kPerSlice == 0) co_await coro::yieldNow();
    }
    for (std::size_t at = 0; at < asked.size();) {
        if (parts_.now() >= until) {
            parts.isTruncated = true;
            break;
        }
        std::vector<Lsn> lsns;
        for (std::size_t i = at; i < std::min(asked.size(), at + kPerSlice); ++i)
            lsns.push_back(parts.units[asked[i]].row.lsns.first);
        const auto names = co_await parts_.journal.waitNames(std::move(lsns), kStatesPortion);
        if (!names) co_return std::unexpected(names.error());
        if (names->empty()) break;
        for (const store::WaitName& name : *names) {
            GraphUnit& unit = parts.units[asked[at++]];
            const bool isElement = unit.row.lsns.count == 1 && name.arrayIndex;
            unit.command = isElement ? elementName(name.command, *name.arrayIndex) : name.command;
        }
    }
    co_return Result<void>();
}

coro::Task<Result<void>> Graphs::lookAt(GraphParts& parts, MonoTime until) {
    if (const auto found = co_await findCommands(parts, until); !found) co_return found;
    Kinds kinds;
    std::vector<std::uint32_t> ended;
    for (std::uint32_t i = 0; i < parts.units.size(); ++i) {
        GraphUnit& unit = parts.units[i];
        if (unit.row.lsns.count > 1) {
            bool isWhole = true;
            const auto looked = co_await lookAtArray(unit, kinds, until, isWhole);
            if (!looked) co_return looked;
            if (!isWhole) parts.isTruncated = true;
            continue;
        }
        if (const auto live = parts_.session.views().live(unit.row.lsns.first))
            take(unit, *live, kinds);
        else if (isEnded(unit.row.state))
            ++unit.states[std::to_underlying(unit.row.state)];
        else
            ended.push_back(i);
        if ((i + 1) % kPerSlice == 0) co_await coro::yieldNow();
    }
    if (const auto looked = co_await lookAtEnded(parts, ended); !looked) co_return looked;
    co_return co_await lookAtElements(parts);
}

std::string Graphs::nameOf(const store::WaitUnit& row, const store::WaitName& name, bool isAlone) const {
    const bool isElement = row.lsns.count == 1 && name.arrayIndex;
    if (row.label > 0 && row.label < parts_.dictionary.labelCount()) {
        const std::string& label = parts_.dictionary.label(row.label);
        return isElement ? elementName(label, *name.arrayIndex, label.size() + kMaxNameBytes) : label;
    }
    if (isAlone && !name.id.empty()) return name.id;
    if (!name.command.empty()) return isElement ? elementName(name.command, *name.arrayIndex) : name.command;
    if (row.classNumber == 0 || row.classNumber > parts_.dictionary.classCount()) return {};
    const ClassKey& key = parts_.dictionary.classKey(row.classNumber - 1);
    return key.function.empty() ? key.workerName : fmt::format("{}.{}", key.workerName, key.function);
}

coro::Task<Result<void>> Graphs::addNames(GraphView& view, const GraphParts& parts) {
    for (std::size_t at = 0; at < view.nodes.size();) {
        const std::size_t end = std::min(view.nodes.size(), at + static_cast<std::size_t>(kPerSlice));
        std::vector<Lsn> lsns;
        for (std::size_t i = at; i < end; ++i) lsns.push_back(view.nodes[i].lsn);
        const auto names = co_await parts_.journal.waitNames(std::move(lsns), kStatesPortion);
        if (!names) co_return std::unexpected(names.error());
        for (const store::WaitName& name : *names) {
            GraphNode& node = view.nodes[at++];
            const auto unit = std::ranges::lower_bound(parts.units, node.lsn, {},
                                                       [](const GraphUnit& one) { return one.row.lsns.first; });
            if (unit == parts.units.end()) continue;
            node.label = nameOf(unit->row, name, node.count == unit->row.lsns.count);
        }
        if (names->empty()) break;
    }
    co_return Result<void>();
}

coro::Task<Result<GraphView>> Graphs::make(GraphQuery query) {
    const MonoTime until = parts_.now() + kSearchFor;
    Result<GraphParts> found = co_await search(query, until);
    if (!found) co_return std::unexpected(found.error());
    const auto parts = std::make_shared<GraphParts>(std::move(*found));
    const auto looked = co_await lookAt(*parts, parts_.now() + kStatesFor);
    if (!looked) co_return std::unexpected(looked.error());
    // Theirs as long as they make it, ours again afterwards.
    GraphView view = co_await parts_.helpers.run([parts, query] {
        std::ranges::sort(parts->elements);
        return graphOf(*parts, query);
    });
    const auto named = co_await addNames(view, *parts);
    if (!named) co_return std::unexpected(named.error());
    co_return view;
}

coro::Task<Result<GraphView>> Graphs::view(GraphQuery query) {
    YARD_ASSERT_OWNER(owner_);
    if (asking_ > kMostWaiting) co_return tooManyAskFor("graphs");
    const AskingPlace asking(asking_);
    const auto guard = co_await mutex_.lock();
    co_return co_await make(std::move(query));
}

} // namespace yard::engine
