// The part of Execution that has attempts which are over: what the session is told of the end, what is learnt of it, and
// the record until the journal has it.
#include "core/engine/running/execution.h"

#include "core/model/action_name.h"
#include "core/model/unkept_env.h"
#include "core/session/events.h"
#include "core/session/live_views.h"

#include <fmt/format.h>
#include <utility>

namespace yard::engine {

using runners::AttemptId;
using Phase = Attempt::Phase;

namespace {

void noteLacking(AttemptOutcome& outcome, const std::vector<std::string>& names) {
    const std::string what =
        fmt::format("it ran without {}: the value is never kept, so not over a restart", listedNames(names));
    outcome.note = outcome.note.empty() ? what : fmt::format("{} ({})", outcome.note, what);
}

} // namespace

/// The attempt is over and everything of it is kept: the session decides what becomes of the action.
void Execution::finish(Attempt& attempt) {
    attempt.phase = Phase::Ended;
    if (attempt.usage) attempt.record.outcome.samples = attempt.usage->series.all();
    attempt.usage.reset();
    if (!attempt.lacking.empty() && attempt.record.times[ActionState::Running] != 0)
        noteLacking(attempt.record.outcome, attempt.lacking);
    const AttemptOutcome& outcome = attempt.record.outcome;
    // A cause of our own decides, whatever was collected meanwhile; a moved state moves its time along.
    WallMicros& end = attempt.record.times[outcome.state];
    if (end == 0) end = attempt.scale.at(parts_.now());
    session::AttemptEnd event;
    event.state = outcome.state;
    event.reason = outcome.reason;
    event.exitCode = outcome.exitCode;
    // What a lost runner had begun may have run, though it had no time to say so.
    event.neverRan = attempt.record.times[ActionState::Running] == 0 && outcome.reason != Reason::LostRunner;
    event.cannotHeal = attempt.cannotHeal;
    event.wasEnforced = attempt.wasEnforced;
    const WallMicros begun = attempt.isTakenOver ? 0 : attempt.record.times[ActionState::Submitting];
    event.runTime = begun ? Duration(end - begun) : Duration(-1);
    count(attempt);
    const AttemptId id = attempt.id;
    const bool alreadyStored = attempt.stored;
    parts_.session.events().ended(id.lsn, id.attempt, event, parts_.now(), parts_.outbox);
    if (alreadyStored)
        stored(id.lsn, id.attempt);
    else if (const auto live = parts_.session.views().live(id.lsn); live && live->attempt < id.attempt)
        forgetUncounted(attempt);
    parts_.wake();
}

void Execution::count(const Attempt& attempt) {
    const Timestamps& times = attempt.record.times;
    const WallMicros submitting = times[ActionState::Submitting];
    const WallMicros running = times[ActionState::Running];
    if (submitting == 0 || running == 0) return;
    // Of a short one the runner may have told the end alone.
    if (attempt.runningSince == MonoTime{}) ++parts_.counters.started;
    const auto live = parts_.session.views().live(attempt.id.lsn);
    if (live && attempt.record.outcome.state == ActionState::Completed)
        learnRunTime(attempt, *live, Duration(times[ActionState::Completed] - submitting - times.frozen));
    if (live && attempt.id.attempt == 1) parts_.counters.wait.observe(Duration(submitting - live->submitTime));
    parts_.counters.prepare.observe(Duration(running - submitting));
    parts_.counters.run.observe(Duration(times[attempt.record.outcome.state] - running));
}

/// Of one that completed. What was taken over ran before anybody here looked: how long is not known.
void Execution::learnRunTime(const Attempt& attempt, const session::LiveView& live, Duration took) {
    if (attempt.isTakenOver) return;
    const ClassKey& key = parts_.dictionary.classKey(attempt.cls.value);
    const std::string kind =
        Estimator::kindOf(key.workerName, key.function, parts_.dictionary.label(live.label.value));
    parts_.estimator.learn(live.queue, kind, took);
    if (Estimator::isMixed(kind) && attempt.spec)
        parts_.estimator.learnCommand(commandName(attempt.spec->argv), took);
}

void Execution::acknowledge(const Attempt& attempt) {
    if (attempt.warm)
        warm_->acknowledge(attempt.slot, attempt.id);
    else
        group_->acknowledge(attempt.slot, attempt.id);
}

/// It never ran and is not counted: the journal will not hear of it, and the next attempt has its number.
void Execution::forgetUncounted(Attempt& attempt) {
    acknowledge(attempt);
    if (attempt.spec) parts_.specs.put(attempt.id.lsn, std::move(attempt.spec));
    erase(attempt.id);
}

namespace {

/// As far as it has come.
timeline::Span spanOf(const Attempt& attempt, const Timestamps& times) {
    timeline::Span span;
    span.lsn = attempt.id.lsn;
    span.attempt = attempt.id.attempt;
    span.cls = attempt.cls.value;
    span.label = attempt.label.value;
    span.slot = attempt.lane.value_or(attempt.slot.value);
    span.begin = times[ActionState::Submitting];
    span.running = times[ActionState::Running];
    span.exited = times.exited;
    span.state = span.running ? ActionState::Running : ActionState::Submitting;
    return span;
}

} // namespace

std::vector<timeline::Span> Execution::openSpans() const {
    std::vector<timeline::Span> open;
    for (const auto& [id, attempt] : parts_.attempts) {
        const bool began = attempt.record.times[ActionState::Submitting] != 0;
        if (began && !attempt.stored && attempt.phase != Phase::Ended)
            open.push_back(spanOf(attempt, attempt.record.times));
    }
    return open;
}

AttemptRecord Execution::record(AttemptId id, ActionState state, Reason reason, bool retried,
                                std::vector<store::SmallChunk>& chunks) {
    AttemptRecord record;
    record.n = id.attempt;
    Attempt* attempt = parts_.attempts.get(id);
    if (attempt) {
        // The record is needed once: with the attempt over it is moved out, of one still running it is a copy.
        if (attempt->phase == Phase::Ended) {
            chunks = std::move(attempt->chunks);
            record = std::move(attempt->record);
        } else {
            record = attempt->record;
        }
        record.outcome.given = attempt->given;
        record.outcome.machine = attempt->machineName;
    }
    const WallMicros end = record.times[record.outcome.state];
    if (record.outcome.state != state) record.times[record.outcome.state] = 0;
    record.outcome.state = state;
    record.outcome.reason = reason;
    record.times[state] = end ? end : wallNow();
    if (attempt && reason != Reason::EngineDied) { // when that ended nobody saw
        timeline::Span span = spanOf(*attempt, record.times);
        span.state = state;
        span.retried = retried;
        span.end = record.times[state];
        parts_.tellSpan(span);
    }
    return record;
}

void Execution::stored(Lsn lsn, std::uint32_t number) {
    Attempt* attempt = parts_.attempts.get({lsn, number});
    if (!attempt) return;
    if (attempt->live) {
        attempt->live->ended = true;
        attempt->live->changed.notifyAll();
    }
    attempt->stored = true;
    if (attempt->phase != Phase::Ended) return; // abandoned at once; its process is still being ended
    if (group_) acknowledge(*attempt);          // none yet: an attempt of the last engine
    erase(attempt->id);
}

} // namespace yard::engine
