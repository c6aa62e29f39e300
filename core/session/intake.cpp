#include "core/session/intake.h"

#include "core/session/refusals.h"

#include <fmt/format.h>

#include <cassert>

namespace yard::session {

void Intake::add(std::span<const NewAction> actions, MonoTime now, Outbox& out) {
    for (const NewAction& action : actions) add(action, now, out);
}

void Intake::add(const NewAction& action, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t queue = parts_.ledger.findQueue(action.queue);
    if (queue == kNone) { // forgotten between acceptance and commit: there is nobody left to count it
        out.finish.push_back({.lsn = action.lsn,
                              .attempt = 0,
                              .state = ActionState::Cancelled,
                              .reason = Reason::Cancelled,
                              .queue = action.queue});
        return;
    }
    const std::uint32_t record = parts_.entrance.make(action, queue);
    parts_.dependencies.elementBegins(action.lsn);
    if (service_.isAbandoned()) {
        parts_.ends.abandon(record, 0, out);
    } else if (action.interrupted) {
        if (action.cancelRequested) parts_.ledger.records()[record].set(Record::kCancel);
        parts_.events.interrupted(record, now, out);
    } else if (action.cancelRequested || parts_.ledger.order().queue(queue).state == QueueState::Cancelled) {
        parts_.ledger.records()[record].set(Record::kCancel);
        parts_.ends.cancel(record, 0, out);
    } else if (action.out) {
        parts_.events.isOut(record, *action.out); // it waits for nothing any more
    } else if (const auto otherwise = parts_.dependencies.waitFor(record, action.after)) {
        parts_.ends.failDependent(record, *otherwise, out);
    } else if (action.notBefore > now) {
        parts_.timers.set(record, action.notBefore, action.attempts > 0);
    } else {
        const Record& r = parts_.ledger.records()[record];
        if (!r.has(Record::kHeld) && r.unmet == 0)
            parts_.arrivals.note({.queue = action.queue,
                                  .cls = action.cls.value,
                                  .label = action.label.value,
                                  .rank = Record::makeKey(action.priority, 0)},
                                 now);
        parts_.entrance.wake(record);
    }
}

Result<RetryCounters> Intake::checkReschedule(const FinishedAction& action, bool force) const {
    if (parts_.ledger.records().find(action.lsn) != kNone)
        return wrongState(action.lsn, "has not ended yet: wait for it, or cancel it");
    if (action.state != ActionState::Failed && action.state != ActionState::Abandoned)
        return wrongState(action.lsn,
                          fmt::format("is {}: only failed and abandoned ones can be run again, submit it again",
                                      name(action.state)));
    if (auto taken = service_.acceptsWork(); !taken) return std::unexpected(taken.error());
    const Queue* q = parts_.ledger.queueNamed(action.queue);
    if (!q || q->state != QueueState::Active)
        return wrongState(action.lsn,
                          fmt::format("cannot run again, its queue {} is {}: submit it again to another one",
                                      action.queue.value, q ? name(q->state) : "deleted"));
    RetryCounters after = action.retries;
    // What failed with another one has not been tried.
    const bool wasTried = action.reason != Reason::DependencyFailed;
    const int limit = action.limits.retries.value_or(q->config.maxRetries);
    // With force it may have been retried more often than the limit says: both are told.
    if (wasTried && after.ownFailures >= limit && !force)
        return fail(ErrorKind::AtLimit,
                    fmt::format("Action {} was retried {} time{}, {} is {}: use force to run it again.",
                                action.lsn.value, after.ownFailures, after.ownFailures == 1 ? "" : "s",
                                action.limits.retries ? "its own limit" : "the limit of its queue", limit));
    ++after.retryCount;
    if (wasTried && action.state == ActionState::Failed && !isInterruption(action.reason)) ++after.ownFailures;
    return after;
}

void Intake::addPast(const QueueCounters& counters) {
    YARD_ASSERT_OWNER(owner_);
    parts_.ledger.addPast(counters);
}

void Intake::reschedule(const NewAction& action, ActionState was, MonoTime now, Outbox& out) {
    assert(was == ActionState::Failed || was == ActionState::Abandoned);
    const std::uint32_t queue = parts_.ledger.findQueue(action.queue);
    if (queue != kNone) {
        parts_.ledger.takeEndBack(queue, was);
        parts_.dependencies.elementRunsAgain(action.lsn, was);
    }
    add(action, now, out);
}

} // namespace yard::session
