#include "core/session/events.h"

#include "core/session/retry.h"

#include <cassert>

namespace yard::session {

// -- of runners

void Events::began(Lsn lsn, std::uint32_t attempt, Phase phase, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t record = attempts_.find(lsn, attempt);
    if (record == kNone) return;
    Record& r = records_[record];
    Queue& q = ledger_.queueOf(r);
    attempts_.endAhead(record);
    if (r.phase < phase) ledger_.setPhase(record, phase);
    if (service_.isAbandoned())
        attempts_.stop(record, StopCause::Abandon, out);
    else if (r.has(Record::kCancel) || q.state == QueueState::Cancelled)
        attempts_.stop(record, StopCause::Cancel, out);
    else if (service_.state() == SessionState::Sunset)
        attempts_.stop(record, StopCause::EngineStopped, out);
}

void Events::keeping(Lsn lsn, std::uint32_t attempt) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t record = attempts_.find(lsn, attempt);
    if (record != kNone) attempts_.keep(record);
}

void Events::returned(Lsn lsn, std::uint32_t attempt, Outbox& out) {
    const std::uint32_t record = attempts_.find(lsn, attempt);
    if (record == kNone) return;
    Record& r = records_[record];
    if (r.phase == Phase::Running) { // it ran: a runner cannot take that back
        attempts_.ignore();
        return;
    }
    attempts_.giveBack(record);
    if (r.has(Record::kStored))
        ends_.drop(record, out);
    else if (r.phase != Phase::Ending && service_.isAbandoned())
        ends_.abandon(record, 0, out);
    else if (r.phase != Phase::Ending)
        goBackUncounted(record, out);
}

void Events::ended(Lsn lsn, std::uint32_t attempt, const AttemptEnd& end, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    assert(isEnded(end.state));
    const std::uint32_t record = attempts_.find(lsn, attempt);
    if (record == kNone) return;
    Record& r = records_[record];
    Queue& q = ledger_.queueOf(r);
    attempts_.giveBack(record);
    if (!end.neverRan) q.learnRunTime(end.runTime);
    if (r.has(Record::kStored)) return ends_.drop(record, out);
    if (r.phase == Phase::Ending) return;
    if (service_.isAbandoned()) return ends_.abandon(record, attempt, out);

    const bool cancelled =
        r.has(Record::kCancel) || q.state == QueueState::Cancelled || end.state == ActionState::Cancelled;
    if (!cancelled && end.state != ActionState::Completed && isUncounted(end)) return goBackUncounted(record, out);
    if (r.phase != Phase::Running) ledger_.setPhase(record, Phase::Running);
    decideEnd(record, attempt, end, cancelled, now, out);
}

void Events::interrupted(std::uint32_t record, MonoTime now, Outbox& out) {
    Record& r = records_[record];
    ++r.attempt;
    ledger_.setPhase(record, Phase::Leased);
    ledger_.setPhase(record, Phase::Running);
    AttemptEnd end;
    end.state = ActionState::Abandoned;
    end.reason = Reason::EngineDied;
    const bool cancelled = r.has(Record::kCancel) || ledger_.queueOf(r).state == QueueState::Cancelled;
    decideEnd(record, r.attempt, end, cancelled, now, out);
}

// -- what becomes of the action

void Events::goBackUncounted(std::uint32_t record, Outbox& out) {
    Record& r = records_[record];
    const Lane& lane = ledger_.lanes()[r.lane];
    --r.attempt;
    order_.refund(lane.queue, lane.cls);
    ledger_.setPhase(record, Phase::Waiting);
    if (r.has(Record::kCancel) || order_.queue(lane.queue).state == QueueState::Cancelled)
        return ends_.cancel(record, 0, out);
    // Its turn is still to come.
    if (r.has(Record::kOldestPick) && !r.has(Record::kHeld)) order_.grantTurn(record);
    entrance_.wake(record);
}

/// The attempt is over and its resources are given back: another one, or the end.
void Events::decideEnd(std::uint32_t record, std::uint32_t attempt, const AttemptEnd& end, bool cancelled,
                       MonoTime now, Outbox& out) {
    Record& r = records_[record];
    const Queue& q = ledger_.queueOf(r);
    if (cancelled && !end.wasEnforced) return ends_.cancel(record, attempt, out);
    const bool isLast = cancelled || end.state == ActionState::Completed;
    const auto retries =
        isLast ? std::nullopt
               : decideRetry(q.config, ledger_.classes().limitsOf(ledger_.lanes()[r.lane].cls), r.retries(), end);
    if (!retries) return ends_.finish(record, attempt, end.state, end.reason, out);

    r.setRetries(*retries);
    const Duration wait = backoffAfter(q.config, attempt, end.reason, random_);
    ledger_.setPhase(record, Phase::Retrying);
    if (wait.count() > 0) timers_.set(record, now + wait, true);
    out.retry.push_back({.lsn = records_.lsnOf(r),
                         .endedAttempt = attempt,
                         .state = end.state,
                         .reason = end.reason,
                         .retries = *retries,
                         .notBefore = wait.count() > 0 ? now + wait : MonoTime{}});
}

// -- of the journal

void Events::retryStored(Lsn lsn, Outbox& out) {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone || records_[record].phase != Phase::Retrying)
        return; // it was cancelled or abandoned meanwhile
    if (service_.isAbandoned()) return ends_.abandon(record, 0, out);
    ledger_.setPhase(record, Phase::Waiting);
    if (ledger_.queueOf(records_[record]).state == QueueState::Cancelled)
        ends_.cancel(record, 0, out);
    else
        entrance_.wake(record);
}

} // namespace yard::session
