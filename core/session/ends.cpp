#include "core/session/ends.h"

#include <cassert>

namespace yard::session {

namespace {

/// Dependents of one action that are resolved in the call that ends it.
constexpr int kAtOnce = 64;

} // namespace

// -- an end is decided

void Ends::finish(std::uint32_t record, std::uint32_t attempt, ActionState state, Reason reason, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Record& r = records_[record];
    entrance_.leave(record);
    timers_.clear(record);
    r.setTarget(state);
    ledger_.setPhase(record, Phase::Ending);
    Queue& q = ledger_.queueOf(r);
    if (!r.has(Record::kSwept)) ledger_.countClosing(r);
    out.finish.push_back(
        {.lsn = records_.lsnOf(r), .attempt = attempt, .state = state, .reason = reason, .queue = q.id});
    if (state != ActionState::Failed) return;
    ++q.failing;
    stopAfterFailures(ledger_.lanes()[r.lane].queue, out);
}

/// Held as by hand once so many failed since it was released last. They count from their end on, not only once
/// they are stored: in between the next one would start.
void Ends::stopAfterFailures(std::uint32_t queue, Outbox& out) {
    Queue& q = order_.queue(queue);
    if (q.held || q.config.stopAfterFailures == 0 || q.state == QueueState::Cancelled) return;
    if (q.failuresSinceRelease() < q.config.stopAfterFailures) return;
    q.held = true;
    order_.endClaimsOf(queue);
    attempts_.takeBackAhead(queue, out);
    out.stopped.push_back(q.id);
}

void Ends::abandon(std::uint32_t record, std::uint32_t attempt, Outbox& out) {
    records_[record].set(Record::kSwept);
    finish(record, attempt, ActionState::Abandoned, Reason::Abandoned, out);
}

void Ends::failDependent(std::uint32_t record, const Predecessor& because, Outbox& out) {
    finish(record, 0, ActionState::Failed, Reason::DependencyFailed, out);
    out.finish.back().because = because;
}

// -- an end is kept

void Ends::stored(Lsn lsn, const StoredEnd& end, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone) return; // of a queue that was forgotten when it came
    Record& r = records_[record];
    assert(r.phase == Phase::Ending && !r.has(Record::kStored));
    ledger_.countEnd(r);
    // Before its dependents fail with it: it must not count twice when they are counted.
    if (r.target() == ActionState::Failed) --ledger_.queueOf(r).failing;
    ledger_.tellChange(r, r.target(), &end);
    // Behind what others left over: order among dependents is that of their keys, not of this list.
    if (dependencies_.ended(record)) resolve(kAtOnce, out);
    if (r.has(Record::kOut)) {
        r.set(Record::kStored); // abandoned, and its processes are being ended still
        ledger_.tryForget(ledger_.lanes()[r.lane].queue, out);
    } else {
        drop(record, out);
    }
}

void Ends::drop(std::uint32_t record, Outbox& out) {
    const std::uint32_t queue = ledger_.lanes()[records_[record].lane].queue;
    ledger_.retire(record);
    if (order_.hasQueue(queue)) ledger_.tryForget(queue, out);
}

int Ends::resolve(int budget, Outbox& out) {
    for (; budget > 0 && dependencies_.hasNext(); --budget) {
        const auto [child, ended] = dependencies_.takeNext();
        resolveOne(child, ended, out);
    }
    return budget;
}

void Ends::resolveOne(std::uint32_t child, const Predecessor& ended, Outbox& out) {
    Record& r = records_[child];
    if (r.phase == Phase::Dead) return ledger_.entryDropped(child);
    // What ends anyway ends as it does.
    if (r.phase != Phase::Waiting || r.has(Record::kCancel) || service_.isAbandoned() ||
        ledger_.queueOf(r).state == QueueState::Cancelled)
        return;
    ledger_.touch(r);
    if (isWanted(ended.on, ended.state))
        entrance_.wake(child);
    else
        failDependent(child, ended, out);
}

} // namespace yard::session
