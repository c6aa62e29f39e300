#include "core/session/impl.h"

#include <fmt/format.h>

namespace yard::session {

const TransitionTable<Phase, kPhases>& phaseTransitions() {
    static constexpr TransitionTable<Phase, kPhases> kTable{
        {Phase::Free, {Phase::Waiting}},
        {Phase::Waiting, {Phase::Leased, Phase::Ending, Phase::Dead, Phase::Free}},
        {Phase::Leased, {Phase::Waiting, Phase::Submitting, Phase::Running, Phase::Ending}},
        {Phase::Submitting, {Phase::Waiting, Phase::Running, Phase::Ending}},
        {Phase::Running, {Phase::Waiting, Phase::Retrying, Phase::Ending}},
        {Phase::Retrying, {Phase::Waiting, Phase::Ending}},
        {Phase::Ending, {Phase::Dead, Phase::Free}},
        {Phase::Dead, {Phase::Free}},
    };
    return kTable;
}

namespace {

std::unexpected<Error> noAction(Lsn lsn) {
    return fail(ErrorKind::NotFound,
                fmt::format("Action {0} is not active: GET jobs/{0} says how it ended.", lsn.value));
}
std::unexpected<Error> wrongState(Lsn lsn, std::string_view what) {
    return fail(ErrorKind::WrongState, fmt::format("Action {} {}.", lsn.value, what));
}

} // namespace

// -- records

/// The one function that moves a record. Everything that is counted by phase is counted here.
void Session::Impl::setPhase(std::uint32_t record, Phase to) {
    Record& r = records_[record];
    Queue& q = queueOf(r);
    const Phase from = r.phase;
    assert(phaseTransitions().allows(from, to));
    const auto change = [&](auto& counter, auto holds) {
        counter += static_cast<int>(holds(to)) - static_cast<int>(holds(from));
    };
    change(q.waiting, [](Phase p) { return p == Phase::Waiting; });
    change(submitting_, [](Phase p) { return p == Phase::Submitting; });
    change(dead_, [](Phase p) { return p == Phase::Dead; });
    if (r.has(Record::kHeld)) {
        change(held_, isPendingPhase);
        change(q.heldActions, isPendingPhase);
    }

    for (Tally* tally : {&q.tally, &total_}) {
        QueueCounters& c = tally->stored;
        if (from == Phase::Free) ++c.pending;
        if (from == Phase::Waiting && (to == Phase::Dead || to == Phase::Free))
            --c.pending; // it lives on in another one
        const int moved = static_cast<int>(isRunningPhase(to) && !r.has(Record::kCountsRunning)) -
                          static_cast<int>(isPendingPhase(to) && r.has(Record::kCountsRunning));
        c.running += moved;
        c.pending -= moved;
    }
    if (isRunningPhase(to)) r.set(Record::kCountsRunning);
    if (isPendingPhase(to)) r.unset(Record::kCountsRunning);
    r.phase = to;
    r.revision = ++revision_;
    tellMove(r, from, to);
}

/// Leases, resets and ends on their way to the journal do not show; finishStored() tells of the end.
void Session::Impl::tellMove(const Record& r, Phase from, Phase to) {
    if (to == Phase::Submitting || to == Phase::Running)
        tellChange(r, to == Phase::Running ? ActionState::Running : ActionState::Submitting);
    else if (to == Phase::Waiting && from != Phase::Leased)
        tellChange(r, ActionState::Pending);
    else if (from == Phase::Waiting && (to == Phase::Dead || to == Phase::Free))
        tellChange(r, ActionState::Pending); // moved away: the counters of its queue change
    else if (to == Phase::Ending && r.has(Record::kSwept))
        tellChange(r, ActionState::Abandoned);
}

void Session::Impl::sendChange(const Record& r, ActionState seen, bool isEnd) {
    const Lane& lane = lanes_[r.lane];
    changeSink({.lsn = records_.lsnOf(r),
                .queue = order_.queue(lane.queue).id,
                .cls = ClassId(lane.cls),
                .label = LabelId(r.label),
                .state = seen,
                .isEnd = isEnd});
}

void Session::Impl::setHeld(std::uint32_t record, bool held) {
    Record& r = records_[record];
    if (r.has(Record::kHeld) == held) return;
    if (isPendingPhase(r.phase)) {
        held_ += held ? 1 : -1;
        queueOf(r).heldActions += held ? 1 : -1;
    }
    if (held) leaveGate(record);
    if (held)
        r.set(Record::kHeld);
    else
        r.unset(Record::kHeld);
    r.revision = ++revision_;
    if (isPendingPhase(r.phase)) tellChange(r, ActionState::Pending);
}

std::uint32_t Session::Impl::makeRecord(const NewAction& action, std::uint32_t queue) {
    assert(records_.find(action.lsn) == kNone && order_.isDefined(action.cls));
    const std::uint32_t place = records_.allocate(action.lsn);
    Record& r = records_[place];
    r.key = Record::makeKey(action.priority, action.submitTime);
    r.lane = lanes_.acquire(queue, action.cls.value, action.priority);
    r.label = action.label.value;
    r.attempt = action.attempts;
    r.setRetries(action.retries);
    ++order_.queue(queue).records;
    records_.map(action.lsn, place);
    setPhase(place, Phase::Waiting);
    setHeld(place, action.held);
    return place;
}

void Session::Impl::dropRecord(std::uint32_t record, Outbox& out) {
    Record& r = records_[record];
    records_.unmap(records_.lsnOf(r));
    const std::uint32_t queue = lanes_[r.lane].queue;
    if (isReferredTo(r))
        setPhase(record, Phase::Dead);
    else
        freeRecord(record);
    if (order_.hasQueue(queue)) tryForget(queue, out);
}

void Session::Impl::freeRecord(std::uint32_t record) {
    setPhase(record, Phase::Free);
    const std::uint32_t lane = records_[record].lane;
    const std::uint32_t queue = lanes_[lane].queue;
    lanes_.release(lane);
    records_.release(record);
    --order_.queue(queue).records;
    order_.removeIfUnused(queue);
}

/// An entry was taken out of its lane without being started.
void Session::Impl::entryDropped(std::uint32_t record) {
    if (records_[record].phase == Phase::Dead && !isReferredTo(records_[record])) freeRecord(record);
}

void Session::Impl::leaveGate(std::uint32_t record) {
    const Record& r = records_[record];
    const std::uint32_t queue = lanes_[r.lane].queue;
    Queue& q = order_.queue(queue);
    order_.leave(record);
    if (!q.gates || r.phase != Phase::Waiting || r.has(Record::kCancel)) return;
    if (r.has(Record::kParked))
        q.gates->unpark(record);
    else
        q.gates->offerAgain(r.label);
    listOpening(queue);
}

void Session::Impl::listOpening(std::uint32_t queue) {
    Queue& q = order_.queue(queue);
    if (q.openingListed || !q.gates || !q.gates->wantsOpening()) return;
    q.openingListed = true;
    ++q.jobs;
    opening_.push_back(queue);
}

/// Lets parked actions through gates that have places, into their lanes.
void Session::Impl::openGates(int& budget) {
    while (!opening_.empty() && budget > 0) {
        const std::uint32_t queue = opening_.back();
        Queue& q = order_.queue(queue);
        const auto opened = q.gates->openNext(budget);
        budget -= static_cast<int>(opened.size());
        for (const auto& [record, turn] : opened) {
            if (turn) order_.grantTurn(record);
            order_.enter(record);
        }
        if (q.gates->wantsOpening()) continue;
        opening_.pop_back();
        q.openingListed = false;
        --q.jobs;
        if (q.gates->empty()) q.gates.reset();
        order_.removeIfUnused(queue);
    }
}

void Session::Impl::wakeAction(std::uint32_t record) {
    const Record& r = records_[record];
    if (r.phase != Phase::Waiting || r.has(Record::kHeld | Record::kCancel | Record::kParked) || r.timer != kNone ||
        r.unmet > 0)
        return;
    const std::uint32_t queue = lanes_[r.lane].queue;
    Queue& q = order_.queue(queue);
    if (q.ahead > 0 && r.priority() > q.lowestAhead && r.priority() > q.arrived) {
        if (q.arrived < -100) {
            overtaken_.push_back(queue);
            ++q.jobs;
        }
        q.arrived = r.priority();
    }
    if (!r.has(Record::kInLane)) order_.enter(record);
}

void Session::Impl::finish(std::uint32_t record, std::uint32_t attempt, ActionState state, Reason reason,
                           Outbox& out) {
    Record& r = records_[record];
    leaveGate(record);
    clearTimer(record);
    r.setTarget(state);
    setPhase(record, Phase::Ending);
    Queue& q = queueOf(r);
    if (!r.has(Record::kSwept))
        for (Tally* tally : {&q.tally, &total_})
            ++(r.has(Record::kCountsRunning) ? tally->closingRunning : tally->closingPending);
    out.finish.push_back(
        {.lsn = records_.lsnOf(r), .attempt = attempt, .state = state, .reason = reason, .queue = q.id});
    if (state != ActionState::Failed) return;
    ++q.failing;
    stopAfterFailures(lanes_[r.lane].queue, out);
}

// -- adding

void Session::Impl::add(const NewAction& action, MonoTime now, Outbox& out) {
    const std::uint32_t queue = queueIndex_.find(action.queue.value);
    if (queue == kNone) { // forgotten between acceptance and commit: there is nobody left to count it
        out.finish.push_back({.lsn = action.lsn,
                              .attempt = 0,
                              .state = ActionState::Cancelled,
                              .reason = Reason::Cancelled,
                              .queue = action.queue});
        return;
    }
    const std::uint32_t record = makeRecord(action, queue);
    if (!fans_.empty()) elementBegins(action.lsn);
    if (abandoned_) {
        sweepAbandoned(record, 0, out);
    } else if (action.interrupted) {
        if (action.cancelRequested) records_[record].set(Record::kCancel);
        interrupted(record, now, out);
    } else if (action.cancelRequested || order_.queue(queue).state == QueueState::Cancelled) {
        records_[record].set(Record::kCancel);
        finish(record, 0, ActionState::Cancelled, Reason::Cancelled, out);
    } else if (const auto otherwise = waitFor(record, action.after)) {
        failDependent(record, *otherwise, out);
    } else if (action.notBefore > now) {
        setTimer(record, action.notBefore, action.attempts > 0);
    } else {
        wakeAction(record);
    }
}

Result<RetryCounters> Session::Impl::checkReschedule(const FinishedAction& action, bool force) const {
    if (records_.find(action.lsn) != kNone)
        return wrongState(action.lsn, "has not ended yet: wait for it, or cancel it");
    if (action.state != ActionState::Failed && action.state != ActionState::Abandoned)
        return wrongState(action.lsn,
                          fmt::format("is {}: only failed and abandoned ones can be run again, submit it again",
                                      name(action.state)));
    if (auto taken = acceptsWork(); !taken) return std::unexpected(taken.error());
    const Queue* q = findQueue(action.queue);
    if (!q || q->state != QueueState::Active)
        return wrongState(action.lsn,
                          fmt::format("cannot run again, its queue {} is {}: submit it again to another one",
                                      action.queue.value, q ? name(q->state) : "deleted"));
    RetryCounters after = action.retries;
    if (after.ownFailures >= action.limits.retries.value_or(q->config.maxRetries) && !force)
        return fail(ErrorKind::AtLimit,
                    fmt::format("Action {} was retried {} time{}, {}: use force to run it again.", action.lsn.value,
                                after.ownFailures, after.ownFailures == 1 ? "" : "s",
                                action.limits.retries ? "its own limit" : "the limit of its queue"));
    ++after.retryCount;
    if (action.state == ActionState::Failed && !isInterruption(action.reason)) ++after.ownFailures;
    return after;
}

void Session::Impl::reschedule(const NewAction& action, ActionState was, MonoTime now, Outbox& out) {
    assert(was == ActionState::Failed || was == ActionState::Abandoned);
    const std::uint32_t queue = queueIndex_.find(action.queue.value);
    if (queue != kNone)
        for (Tally* tally : {&order_.queue(queue).tally, &total_})
            --(was == ActionState::Failed ? tally->stored.failed : tally->stored.abandoned);
    if (queue != kNone && !fans_.empty()) elementRunsAgain(action.lsn, was);
    add(action, now, out);
}

// -- operations

Result<void> Session::Impl::cancel(Lsn lsn, Outbox& out) {
    const auto follows = cancelLater(lsn, out);
    if (!follows) return std::unexpected(follows.error());
    if (*follows) finishCancelled(lsn, out);
    return {};
}

Result<void> Session::Impl::mayCancel(Lsn lsn) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return noAction(lsn);
    const Record& r = records_[record];
    if (r.phase == Phase::Ending && r.target() == ActionState::Cancelled) return {};
    if (r.phase == Phase::Ending || abandoned_)
        return wrongState(lsn, "has ended already: nothing is left to cancel");
    return {};
}

Result<bool> Session::Impl::cancelLater(Lsn lsn, Outbox& out) {
    if (auto may = mayCancel(lsn); !may) return std::unexpected(may.error());
    const std::uint32_t record = records_.find(lsn);
    Record& r = records_[record];
    if (r.phase == Phase::Ending) return false; // as Cancelled
    const bool waits = r.phase == Phase::Waiting;
    if (r.has(Record::kCancel)) return waits;
    r.revision = ++revision_;
    if (r.has(Record::kOut)) {
        cancelAttempt(record, out);
        return false;
    }
    if (waits) leaveGate(record);
    clearTimer(record);
    r.set(Record::kCancel);
    if (!waits) finish(record, 0, ActionState::Cancelled, Reason::Cancelled, out); // a retry under way
    return waits;
}

void Session::Impl::finishCancelled(Lsn lsn, Outbox& out) {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone || records_[record].phase != Phase::Waiting || !records_[record].has(Record::kCancel))
        return;
    finish(record, 0, ActionState::Cancelled, Reason::Cancelled, out);
}

Result<void> Session::Impl::mayHold(Lsn lsn) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return noAction(lsn);
    if (!isPendingPhase(records_[record].phase) || abandoned_)
        return wrongState(
            lsn, "is not pending any more: only what has not started can be held, but it can be cancelled");
    return {};
}

Result<void> Session::Impl::hold(Lsn lsn, Outbox& out) {
    if (auto may = mayHold(lsn); !may) return may;
    const std::uint32_t record = records_.find(lsn);
    setHeld(record, true);
    if (records_[record].phase == Phase::Leased) takeBack(record, out);
    return {};
}

Result<void> Session::Impl::release(Lsn lsn) {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return noAction(lsn);
    setHeld(record, false);
    wakeAction(record);
    return {};
}

Result<std::uint32_t> Session::Impl::findMovable(Lsn lsn) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return noAction(lsn);
    const Record& r = records_[record];
    if (r.phase == Phase::Leased)
        return wrongState(lsn, "is being started: wait for its end, or cancel it and submit another");
    if (r.phase != Phase::Waiting || abandoned_)
        return wrongState(lsn, "is not pending any more: cancel it and submit another");
    if (r.has(Record::kCancel)) return wrongState(lsn, "is being cancelled: submit another");
    if (queueOf(r).state == QueueState::Cancelled)
        return wrongState(lsn, "is being cancelled with its queue: submit another");
    return record;
}

Result<void> Session::Impl::mayMove(Lsn lsn) const {
    const auto record = findMovable(lsn);
    if (!record) return std::unexpected(record.error());
    return {};
}

Result<void> Session::Impl::setPriority(Lsn lsn, int priority) {
    if (priority < -100 || priority > 100)
        return invalid("priority", "Give \"priority\" as a number from -100 to 100.");
    const auto record = findMovable(lsn);
    if (!record) return std::unexpected(record.error());
    if (records_[*record].priority() != priority)
        moveToLane(*record, lanes_[records_[*record].lane].queue, priority);
    return {};
}

Result<void> Session::Impl::setQueue(Lsn lsn, QueueId queue) {
    const auto record = findMovable(lsn);
    if (!record) return std::unexpected(record.error());
    if (auto taken = accepts(queue); !taken) return taken;
    const std::uint32_t to = queueIndex_.find(queue.value);
    if (lanes_[records_[*record].lane].queue != to) moveToLane(*record, to, records_[*record].priority());
    return {};
}

/// No lane has an entry of it, and others may refer to its place: it stays where it is.
void Session::Impl::moveInPlace(std::uint32_t record, std::uint32_t queue, int priority) {
    Record& r = records_[record];
    const std::uint32_t fromLane = r.lane;
    const std::uint32_t fromQueue = lanes_[fromLane].queue;
    if (queue != fromQueue) tellChange(r, ActionState::Pending); // the counters of its queue change
    for (const auto& [at, by] : {std::pair{fromQueue, -1}, std::pair{queue, 1}}) {
        Queue& q = order_.queue(at);
        q.tally.stored.pending += by;
        q.waiting += by;
        q.records += by;
        if (r.has(Record::kHeld)) q.heldActions += by;
    }
    r.key = Record::makeKey(priority, r.submitTime());
    r.lane = lanes_.acquire(queue, lanes_[fromLane].cls, priority);
    lanes_.release(fromLane);
    r.revision = ++revision_;
    tellChange(r, ActionState::Pending);
    order_.removeIfUnused(fromQueue);
    wakeAction(record);
}

/// Lives on in a new record: the entry of the old one in its lane would be in the wrong place, and is dropped when
/// met.
void Session::Impl::moveToLane(std::uint32_t from, std::uint32_t queue, int priority) {
    leaveGate(from);
    if (!records_[from].has(Record::kInLane)) return moveInPlace(from, queue, priority);
    const Record old = records_[from];
    const Lsn lsn = records_.lsnOf(old);
    const MonoTime timer = old.timer == kNone ? MonoTime{} : timers_[old.timer].at;
    const NewAction action{.lsn = lsn,
                           .queue = order_.queue(queue).id,
                           .cls = ClassId(lanes_[old.lane].cls),
                           .label = LabelId(old.label),
                           .priority = priority,
                           .held = old.has(Record::kHeld),
                           .submitTime = old.submitTime(),
                           .attempts = old.attempt,
                           .retries = old.retries()};
    clearTimer(from);
    records_.unmap(lsn);
    setPhase(from, Phase::Dead);
    const std::uint32_t to = makeRecord(action, queue);
    records_[to].firstEdge = old.firstEdge;
    records_[from].firstEdge = kNone;
    if (timer != MonoTime{}) setTimer(to, timer, old.has(Record::kBackoff));
    wakeAction(to);
}

} // namespace yard::session
