#include "core/session/action_commands.h"

#include "core/session/refusals.h"

namespace yard::session {

Result<void> ActionCommands::cancel(Lsn lsn, Outbox& out) {
    const auto follows = cancelLater(lsn, out);
    if (!follows) return std::unexpected(follows.error());
    if (*follows) finishCancelled(lsn, out);
    return {};
}

Result<void> ActionCommands::mayCancel(Lsn lsn) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return noAction(lsn);
    const Record& r = records_[record];
    if (r.phase == Phase::Ending && r.target() == ActionState::Cancelled) return {};
    if (r.phase == Phase::Ending || service_.isAbandoned())
        return wrongState(lsn, "has ended already: nothing is left to cancel");
    return {};
}

Result<bool> ActionCommands::cancelLater(Lsn lsn, Outbox& out) {
    if (auto may = mayCancel(lsn); !may) return std::unexpected(may.error());
    const std::uint32_t record = records_.find(lsn);
    Record& r = records_[record];
    if (r.phase == Phase::Ending) return false; // as Cancelled
    const bool waits = r.phase == Phase::Waiting;
    if (r.has(Record::kCancel)) return waits;
    parts_.ledger.touch(r);
    if (r.has(Record::kOut)) {
        parts_.attempts.cancel(record, out);
        return false;
    }
    if (waits) parts_.entrance.leave(record);
    parts_.timers.clear(record);
    r.set(Record::kCancel);
    if (!waits) parts_.ends.cancel(record, 0, out); // a retry under way
    return waits;
}

void ActionCommands::finishCancelled(Lsn lsn, Outbox& out) {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone || records_[record].phase != Phase::Waiting || !records_[record].has(Record::kCancel))
        return;
    parts_.ends.cancel(record, 0, out);
}

Result<void> ActionCommands::mayHold(Lsn lsn) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return noAction(lsn);
    if (!isPendingPhase(records_[record].phase) || service_.isAbandoned())
        return wrongState(
            lsn, "is not pending any more: only what has not started can be held, but it can be cancelled");
    return {};
}

Result<void> ActionCommands::hold(Lsn lsn, Outbox& out) {
    if (auto may = mayHold(lsn); !may) return may;
    const std::uint32_t record = records_.find(lsn);
    parts_.entrance.setHeld(record, true);
    if (records_[record].phase == Phase::Leased) parts_.attempts.takeBack(record, out);
    return {};
}

Result<void> ActionCommands::release(Lsn lsn) {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return noAction(lsn);
    parts_.entrance.setHeld(record, false);
    parts_.entrance.wake(record);
    return {};
}

Result<std::uint32_t> ActionCommands::findMovable(Lsn lsn) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return noAction(lsn);
    const Record& r = records_[record];
    if (r.phase == Phase::Leased)
        return wrongState(lsn, "is being started: wait for its end, or cancel it and submit another");
    if (r.phase != Phase::Waiting || service_.isAbandoned())
        return wrongState(lsn, "is not pending any more: cancel it and submit another");
    if (r.has(Record::kCancel)) return wrongState(lsn, "is being cancelled: submit another");
    if (parts_.ledger.queueOf(r).state == QueueState::Cancelled)
        return wrongState(lsn, "is being cancelled with its queue: submit another");
    return record;
}

Result<void> ActionCommands::mayMove(Lsn lsn) const {
    const auto record = findMovable(lsn);
    if (!record) return std::unexpected(record.error());
    return {};
}

Result<void> ActionCommands::setPriority(Lsn lsn, int priority) {
    if (priority < -100 || priority > 100)
        return invalid("priority", "Give \"priority\" as a number from -100 to 100.");
    const auto record = findMovable(lsn);
    if (!record) return std::unexpected(record.error());
    if (records_[*record].priority() != priority) move(*record, lanes_[records_[*record].lane].queue, priority);
    return {};
}

Result<void> ActionCommands::setQueue(Lsn lsn, QueueId queue) {
    const auto record = findMovable(lsn);
    if (!record) return std::unexpected(record.error());
    if (auto taken = queues_.accepts(queue); !taken) return taken;
    const std::uint32_t to = parts_.ledger.findQueue(queue);
    if (lanes_[records_[*record].lane].queue != to) move(*record, to, records_[*record].priority());
    return {};
}

void ActionCommands::move(std::uint32_t from, std::uint32_t queue, int priority) {
    parts_.entrance.leave(from);
    if (!records_[from].has(Record::kInLane)) {
        parts_.ledger.moveInPlace(from, queue, priority);
        return parts_.entrance.wake(from);
    }
    const bool isMoved = records_[from].isMoved();
    liveOn(from, queue, priority, isMoved ? std::optional(records_.placeOf(from)) : std::nullopt);
}

bool ActionCommands::setPlace(Lsn lsn, const PlaceKey& to) {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone || !isPendingPhase(records_[record].phase) || service_.isAbandoned()) return false;
    const Record& r = records_[record];
    if (r.phase == Phase::Waiting) parts_.entrance.leave(record);
    if (r.has(Record::kInLane)) {
        if (r.has(Record::kCancel)) return false; // it ends where it is
        liveOn(record, lanes_[r.lane].queue, r.priority(), to);
        return true;
    }
    parts_.ledger.setPlace(record, to);
    parts_.entrance.wake(record);
    return true;
}

/// Lives on in a new record: the entry of the old one in its lane would be in the wrong place, and is dropped when
/// met.
void ActionCommands::liveOn(std::uint32_t from, std::uint32_t queue, int priority, std::optional<PlaceKey> place) {
    const Record old = records_[from];
    const Lsn lsn = records_.lsnOf(old);
    const std::optional<MonoTime> timer = parts_.timers.of(old);
    const NewAction action{.lsn = lsn,
                           .queue = parts_.ledger.order().queue(queue).id,
                           .cls = ClassId(lanes_[old.lane].cls),
                           .label = LabelId(old.label),
                           .priority = priority,
                           .held = old.has(Record::kHeld),
                           .submitTime = records_.submitTime(from),
                           .attempts = old.attempt,
                           .retries = old.retries(),
                           .place = place};
    parts_.timers.clear(from);
    records_.unmap(lsn);
    parts_.ledger.setPhase(from, Phase::Dead);
    const std::uint32_t to = parts_.entrance.make(action, queue);
    parts_.dependencies.moveDependents(from, to);
    if (timer) parts_.timers.set(to, *timer, old.has(Record::kBackoff));
    parts_.entrance.wake(to);
}

} // namespace yard::session
