#include "core/session/impl.h"
#include "core/session/retry.h"

namespace yard::session {

// -- attempts

/// The record of an attempt that a runner has; kNone: an event of something older, counted.
std::uint32_t Session::Impl::findOut(Lsn lsn, std::uint32_t attempt) {
    const std::uint32_t record = records_.find(lsn);
    if (record != kNone && records_[record].has(Record::kOut) && records_[record].attempt == attempt) return record;
    ++ignored_;
    return kNone;
}

/// What it takes of the machine, or its place at its gate, is free for others.
void Session::Impl::giveResources(std::uint32_t record) {
    const std::uint32_t cls = lanes_[records_[record].lane].cls;
    if (!order_.countGate(cls, -1)) capacity_->give(order_.resourcesOf(cls));
    order_.attemptEnded(record, cls);
    countSlot(cls, -1);
}

/// The runner has it no more.
void Session::Impl::giveBack(std::uint32_t record) {
    Record& r = records_[record];
    const Lane& lane = lanes_[r.lane];
    Queue& q = order_.queue(lane.queue);
    if (keeping_.erase(record) == 0) giveResources(record);
    order_.giveLocks(lane.cls);
    if (q.gates) {
        q.gates->count(r.label, -1);
        listOpening(lane.queue);
    }
    if (r.has(Record::kAhead) && --q.ahead == 0) q.lowestAhead = 101;
    --q.outstanding;
    const std::uint32_t last = outstanding_.back();
    outstanding_[r.timer] = last;
    records_[last].timer = r.timer;
    outstanding_.pop_back();
    r.timer = kNone;
    r.unset(Record::kOut | Record::kAhead);
    if (q.config.maxRunning > 0) order_.wake(lane.queue);
}

void Session::Impl::goBackUncounted(std::uint32_t record, Outbox& out) {
    Record& r = records_[record];
    const Lane& lane = lanes_[r.lane];
    --r.attempt;
    order_.refund(lane.queue, lane.cls);
    setPhase(record, Phase::Waiting);
    if (r.has(Record::kCancel) || order_.queue(lane.queue).state == QueueState::Cancelled)
        return finish(record, 0, ActionState::Cancelled, Reason::Cancelled, out);
    // Its turn is still to come.
    if (r.has(Record::kOldestPick) && !r.has(Record::kHeld)) order_.grantTurn(record);
    wakeAction(record);
}

void Session::Impl::stop(std::uint32_t record, StopCause cause, Outbox& out) {
    Record& r = records_[record];
    if (r.has(Record::kStopAsked)) return;
    r.set(Record::kStopAsked);
    out.stop.push_back({.lsn = records_.lsnOf(r), .attempt = r.attempt, .cause = cause});
}

void Session::Impl::takeBack(std::uint32_t record, Outbox& out) {
    Record& r = records_[record];
    if (r.has(Record::kTakeBackAsked)) return;
    r.set(Record::kTakeBackAsked);
    out.takeBack.push_back({.lsn = records_.lsnOf(r), .attempt = r.attempt});
}

/// One that waits at the runner is asked back; should it begin all the same, began() stops it.
void Session::Impl::cancelAttempt(std::uint32_t record, Outbox& out) {
    Record& r = records_[record];
    r.set(Record::kCancel);
    tellChange(r, viewOf(r).state);
    if (r.phase == Phase::Leased && r.has(Record::kAhead))
        takeBack(record, out);
    else
        stop(record, StopCause::Cancel, out);
}

void Session::Impl::takeBackOvertaken(Outbox& out) {
    for (const std::uint32_t queue : overtaken_) {
        Queue& q = order_.queue(queue);
        for (const std::uint32_t record : outstanding_) {
            const Record& r = records_[record];
            // The turn of the oldest is not taken back: under a steady stream of urgent ones it would never come.
            if (lanes_[r.lane].queue == queue && r.phase == Phase::Leased && r.has(Record::kAhead) &&
                !r.has(Record::kOldestPick) && r.priority() < q.arrived)
                takeBack(record, out);
        }
        q.arrived = -101;
        --q.jobs;
        order_.removeIfUnused(queue);
    }
    overtaken_.clear();
}

void Session::Impl::learnRunTime(QueueId id, Duration time) {
    const std::uint32_t at = queueIndex_.find(id.value);
    if (at != kNone) learnRunTime(order_.queue(at), time);
}

void Session::Impl::learnRunTime(Queue& queue, Duration time) {
    if (time.count() < 0) return;
    const auto took = std::max(1.0, static_cast<double>(time.count()));
    queue.averageRun = queue.averageRun == 0 ? took : queue.averageRun + (took - queue.averageRun) / 8;
}

// -- events

void Session::Impl::began(Lsn lsn, std::uint32_t attempt, Phase phase, Outbox& out) {
    const std::uint32_t record = findOut(lsn, attempt);
    if (record == kNone) return;
    Record& r = records_[record];
    Queue& q = queueOf(r);
    if (r.has(Record::kAhead)) { // it has a slot now
        r.unset(Record::kAhead);
        if (--q.ahead == 0) q.lowestAhead = 101;
    }
    if (r.phase < phase) setPhase(record, phase);
    if (abandoned_)
        stop(record, StopCause::Abandon, out);
    else if (r.has(Record::kCancel) || q.state == QueueState::Cancelled)
        stop(record, StopCause::Cancel, out);
    else if (state_ == SessionState::Sunset)
        stop(record, StopCause::EngineStopped, out);
}

void Session::Impl::returned(Lsn lsn, std::uint32_t attempt, Outbox& out) {
    const std::uint32_t record = findOut(lsn, attempt);
    if (record == kNone) return;
    Record& r = records_[record];
    if (r.phase == Phase::Running) { // it ran: a runner cannot take that back
        ++ignored_;
        return;
    }
    giveBack(record);
    if (r.has(Record::kStored))
        dropRecord(record, out);
    else if (r.phase != Phase::Ending && abandoned_)
        sweepAbandoned(record, 0, out);
    else if (r.phase != Phase::Ending)
        goBackUncounted(record, out);
}

void Session::Impl::keeping(Lsn lsn, std::uint32_t attempt) {
    const std::uint32_t record = findOut(lsn, attempt);
    if (record == kNone || keeping_.contains(record)) return;
    if (static_cast<int>(keeping_.size()) >= options_.maxKeeping) return;
    giveResources(record);
    keeping_.insert(record);
}

void Session::Impl::ended(Lsn lsn, std::uint32_t attempt, const AttemptEnd& end, MonoTime now, Outbox& out) {
    assert(isEnded(end.state));
    const std::uint32_t record = findOut(lsn, attempt);
    if (record == kNone) return;
    Record& r = records_[record];
    Queue& q = queueOf(r);
    giveBack(record);
    if (!end.neverRan) learnRunTime(q, end.runTime);
    if (r.has(Record::kStored)) return dropRecord(record, out);
    if (r.phase == Phase::Ending) return;
    if (abandoned_) return sweepAbandoned(record, attempt, out);

    const bool cancelled =
        r.has(Record::kCancel) || q.state == QueueState::Cancelled || end.state == ActionState::Cancelled;
    if (!cancelled && end.state != ActionState::Completed && isUncounted(end)) return goBackUncounted(record, out);
    if (r.phase != Phase::Running) setPhase(record, Phase::Running);
    decideEnd(record, attempt, end, cancelled, now, out);
}

/// The attempt is over and its resources are given back: another one, or the end.
void Session::Impl::decideEnd(std::uint32_t record, std::uint32_t attempt, const AttemptEnd& end, bool cancelled,
                              MonoTime now, Outbox& out) {
    Record& r = records_[record];
    const Queue& q = queueOf(r);
    if (cancelled && !end.wasEnforced)
        return finish(record, attempt, ActionState::Cancelled, Reason::Cancelled, out);
    const bool isLast = cancelled || end.state == ActionState::Completed;
    const auto retries =
        isLast ? std::nullopt : decideRetry(q.config, order_.limitsOf(lanes_[r.lane].cls), r.retries(), end);
    if (!retries) return finish(record, attempt, end.state, end.reason, out);

    r.setRetries(*retries);
    const Duration wait = backoffAfter(q.config, attempt, end.reason, random_);
    setPhase(record, Phase::Retrying);
    if (wait.count() > 0) setTimer(record, now + wait, true);
    out.retry.push_back({.lsn = records_.lsnOf(r),
                         .endedAttempt = attempt,
                         .state = end.state,
                         .reason = end.reason,
                         .retries = *retries,
                         .notBefore = wait.count() > 0 ? now + wait : MonoTime{}});
}

/// Just added, and in no lane yet: the attempt that the last engine had out is over.
void Session::Impl::interrupted(std::uint32_t record, MonoTime now, Outbox& out) {
    Record& r = records_[record];
    ++r.attempt;
    setPhase(record, Phase::Leased);
    setPhase(record, Phase::Running);
    AttemptEnd end;
    end.state = ActionState::Abandoned;
    end.reason = Reason::EngineDied;
    const bool cancelled = r.has(Record::kCancel) || queueOf(r).state == QueueState::Cancelled;
    decideEnd(record, r.attempt, end, cancelled, now, out);
}

// -- acknowledgements

void Session::Impl::retryStored(Lsn lsn, Outbox& out) {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone || records_[record].phase != Phase::Retrying)
        return; // it was cancelled or abandoned meanwhile
    if (abandoned_) return sweepAbandoned(record, 0, out);
    setPhase(record, Phase::Waiting);
    if (queueOf(records_[record]).state == QueueState::Cancelled)
        finish(record, 0, ActionState::Cancelled, Reason::Cancelled, out);
    else
        wakeAction(record);
}

void Session::Impl::finishStored(Lsn lsn, Outbox& out) {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return; // of a queue that was forgotten when it came
    Record& r = records_[record];
    assert(r.phase == Phase::Ending && !r.has(Record::kStored));
    for (Tally* tally : {&queueOf(r).tally, &total_}) {
        QueueCounters& c = tally->stored;
        --(r.has(Record::kCountsRunning) ? c.running : c.pending);
        if (!r.has(Record::kSwept))
            --(r.has(Record::kCountsRunning) ? tally->closingRunning : tally->closingPending);
        switch (r.target()) {
        case ActionState::Completed: ++c.completed; break;
        case ActionState::Failed: ++c.failed; break;
        case ActionState::Abandoned: ++c.abandoned; break;
        default: ++c.cancelled; break;
        }
    }
    // Before its dependents fail with it: it must not count twice when they are counted.
    if (r.target() == ActionState::Failed) --queueOf(r).failing;
    tellChange(r, r.target(), true);
    resolveDependents(record, out);
    if (r.has(Record::kOut)) {
        r.set(Record::kStored); // abandoned, and its processes are being ended still
        tryForget(lanes_[r.lane].queue, out);
    } else {
        dropRecord(record, out);
    }
}

} // namespace yard::session
