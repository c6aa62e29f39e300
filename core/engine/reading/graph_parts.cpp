#include "core/engine/reading/graph_parts.h"

#include <algorithm>
#include <numeric>

namespace yard::engine {

std::int64_t unfinishedIn(const StateCounts& states) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < states.size(); ++i)
        if (!isEnded(static_cast<ActionState>(i))) sum += states[i];
    return sum;
}

void countEachOnce(StateCounts& states, std::int64_t count) {
    std::int64_t over = std::accumulate(states.begin(), states.end(), std::int64_t{0}) - count;
    for (const ActionState state : {ActionState::Running, ActionState::Submitting, ActionState::Pending}) {
        const std::int64_t twice = std::clamp<std::int64_t>(over, 0, states[std::to_underlying(state)]);
        states[std::to_underlying(state)] -= twice;
        over -= twice;
    }
}

bool isMet(DependencyOn on, const StateCounts& states) {
    if (unfinishedIn(states) > 0) return false;
    const auto count = [&](ActionState state) { return states[std::to_underlying(state)]; };
    const std::int64_t failed = count(ActionState::Failed);
    switch (on) {
    case DependencyOn::Any: return true;
    case DependencyOn::Failed: return failed > 0;
    case DependencyOn::Completed: break;
    }
    return failed + count(ActionState::Abandoned) + count(ActionState::Cancelled) == 0;
}

void unfold(GraphParts& parts, const std::vector<std::pair<Lsn, Lsn>>& some, int limit) {
    std::ranges::sort(parts.units, {},
                      [](const GraphUnit& unit) { return std::pair(unit.distance, unit.row.lsns.first); });
    std::vector<GraphUnit> singles;
    const auto isFull = [&] {
        if (std::ssize(singles) < limit) return false;
        parts.isTruncated = true;
        return true;
    };
    const auto add = [&](const GraphUnit& unit, Lsn lsn) {
        if (isFull()) return false;
        GraphUnit& one = singles.emplace_back(unit);
        // What its journal row says is of the first element.
        if (unit.row.lsns.count > 1) one.row.state = ActionState::Pending;
        one.row.lsns = {lsn, 1};
        return true;
    };
    for (const GraphUnit& unit : parts.units) {
        const store::LsnRun& all = unit.row.lsns;
        const auto own = std::ranges::equal_range(some, all.first, {}, &std::pair<Lsn, Lsn>::first);
        bool goesOn = true;
        if (!own.empty())
            for (auto at = own.begin(); goesOn && at != own.end(); ++at) goesOn = add(unit, at->second);
        else
            for (std::int64_t i = 0; goesOn && i < all.count; ++i) goesOn = add(unit, Lsn(all.first.value + i));
        if (!goesOn) break;
    }
    parts.units = std::move(singles);
    std::ranges::sort(parts.units, {}, [](const GraphUnit& unit) { return unit.row.lsns.first; });
}

} // namespace yard::engine
