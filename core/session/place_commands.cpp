#include "core/session/place_commands.h"

#include "core/session/move_planner.h"
#include "core/session/refusals.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::session {

bool PlaceCommands::prepare(std::span<const QueueId> queues, int most) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<std::uint32_t> known;
    for (const QueueId queue : queues)
        if (const std::uint32_t at = ledger_.findQueue(queue); at != kNone) known.push_back(at);
    return known.empty() || ledger_.places().build(known, most);
}

std::optional<std::int64_t> PlaceCommands::numberOf(Lsn lsn) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone || !isPendingPhase(records_[record].phase)) return std::nullopt;
    const OrderedRecords* const order = ledger_.places().of(ledger_.lanes()[records_[record].lane].queue);
    if (!order) return std::nullopt;
    return std::int64_t{order->number(record)} + 1;
}

std::vector<Lsn> PlaceCommands::inOrder(QueueId queue) const {
    std::vector<Lsn> lsns;
    const std::uint32_t at = ledger_.findQueue(queue);
    const OrderedRecords* const order = at == kNone ? nullptr : ledger_.places().of(at);
    if (!order) return lsns;
    lsns.reserve(order->size());
    order->forEach([&](std::uint32_t record) { lsns.push_back(records_.lsnOf(records_[record])); });
    return lsns;
}

/// Nothing: it waits.
std::optional<Error> PlaceCommands::whyNotMovable(std::uint32_t record, Lsn lsn) const {
    if (record == kNone) return noAction(lsn).error();
    const Record& r = records_[record];
    if (!isPendingPhase(r.phase) || r.has(Record::kCancel) || service_.isAbandoned())
        return wrongState(lsn, "is not pending any more: only what has not started has a place to move from")
            .error();
    if (ledger_.queueOf(r).state == QueueState::Cancelled)
        return wrongState(lsn, "is being cancelled with its queue: submit another").error();
    return std::nullopt;
}

Result<MovePlan> PlaceCommands::plan(std::span<const Lsn> lsns, MoveTo to) const {
    YARD_ASSERT_OWNER(owner_);
    if (lsns.size() > kMostAtOnce)
        return fail(ErrorKind::AtLimit,
                    fmt::format("At most {} actions are moved at once: move fewer, or give them "
                                "a priority.",
                                kMostAtOnce));
    const auto queueOf = [&](std::uint32_t record) { return ledger_.lanes()[records_[record].lane].queue; };
    MovePlan plan;
    std::vector<std::uint32_t> chosen;
    for (const Lsn lsn : lsns) {
        const std::uint32_t record = records_.find(lsn);
        if (auto why = whyNotMovable(record, lsn)) {
            plan.refused.emplace_back(lsn, std::move(*why));
            continue;
        }
        if (!chosen.empty() && queueOf(record) != queueOf(chosen.front()))
            return invalid("lsns", fmt::format("Action {} is in queue {} and action {} in queue {}: move those of "
                                               "one queue at a time.",
                                               records_.lsnOf(records_[chosen.front()]).value,
                                               ledger_.queueOf(records_[chosen.front()]).id.value, lsn.value,
                                               ledger_.queueOf(records_[record]).id.value));
        chosen.push_back(record);
    }
    std::uint32_t before = kNone;
    if (to.where == MoveTo::Where::Before) {
        before = records_.find(to.before);
        if (auto why = whyNotMovable(before, to.before)) return std::unexpected(std::move(*why));
    }
    if (chosen.empty()) return plan;
    const std::uint32_t queue = queueOf(chosen.front());
    plan.queue = ledger_.order().queue(queue).id;
    if (before != kNone && queueOf(before) != queue)
        return invalid("to",
                       fmt::format("Action {} is in queue {}, not in queue {}: name one of the same queue.",
                                   to.before.value, ledger_.queueOf(records_[before]).id.value, plan.queue.value));
    const OrderedRecords* const order = ledger_.places().of(queue);
    if (!order) return fail(ErrorKind::Busy, "The order of this queue is not known yet: try again.");
    MovePlanner planner(records_, *order);
    if (auto planned = planner.plan(std::move(chosen), to.where, before); !planned)
        return std::unexpected(planned.error());
    plan.matched = planner.matched();
    plan.placed = planner.take();
    const auto fresh = std::ranges::count_if(plan.placed, [&](const MovePlan::Placed& placed) {
        return !records_[records_.find(placed.lsn)].isMoved();
    });
    if ((fresh > 0 && ledger_.moved() + fresh > kMostMoved) || plan.placed.size() > 2 * kMostAtOnce)
        return fail(ErrorKind::AtLimit, fmt::format("{} actions that were moved wait already, or there is no room "
                                                    "beside them: give these a priority.",
                                                    ledger_.moved()));
    return plan;
}

} // namespace yard::session
