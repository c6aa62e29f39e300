#include "core/engine/reading/action_rows.h"

#include "core/coro/sync.h"
#include "core/engine/state/pending_action.h"
#include "core/engine/state/slice.h"
#include "core/model/action_name.h"
#include "core/session/live_views.h"
#include "core/session/place_commands.h"
#include "core/session/wait_reasons.h"

#include <fmt/format.h>
#include <set>
#include <vector>

namespace yard::engine {

/// What was seen of an attempt that goes on: the last look, and as what an end would say. Another machine tells no
/// processor time before the end.
static void showUsage(ActionResult& result, const AttemptUsage& usage, bool isHere) {
    const auto& samples = usage.series.all();
    if (samples.empty()) return;
    result.usage = samples.back();
    AttemptOutcome& outcome = result.outcome.emplace();
    outcome.state = ActionState::Running;
    if (isHere) outcome.measures[Measure::CpuTime] = usage.cpu;
    outcome.measures[Measure::PeakMemory] = usage.series.mostRss();
}

static void showGiven(ActionResult& result, const GivenResources& given) {
    if (!result.outcome) result.outcome.emplace().state = ActionState::Running;
    result.outcome->given = given;
}

static void showMachine(ActionResult& result, const std::string& machine) {
    if (!result.outcome) result.outcome.emplace().state = ActionState::Running;
    result.outcome->machine = machine;
}

void ActionRows::overlay(ActionResult& result) const {
    const auto live = parts_.session.views().live(result.lsn);
    if (!live) return;
    result.state = live->state;
    if (live->state == ActionState::Abandoned) { // its row follows
        result.outcome.emplace();
        result.outcome->state = ActionState::Abandoned;
        result.outcome->reason = Reason::Abandoned;
    }
    result.held = live->held;
    result.priority = live->priority;
    result.retryCount = live->retries.retryCount;
    result.retryAt = live->backoff && live->wakesAt != MonoTime{} ? parts_.scale.at(live->wakesAt) : 0;
    if (live->cancelRequested && !isEnded(live->state)) result.ending = ActionState::Cancelled;
    if (live->state == ActionState::Pending) {
        if (const auto waiting = parts_.session.reasons().of(result.lsn, false))
            if (std::string words = parts_.reasons.firstWords(result.lsn, *waiting); !words.empty())
                result.note = std::move(words);
        return;
    }
    const Attempt* attempt = parts_.attempt(result.lsn);
    if (!attempt) return;
    result.hungSince = attempt->hungSince;
    if (parts_.tokens) result.tokens = parts_.tokens(attempt->id);
    if (attempt->terminal) result.tty = attempt->terminal->size();
    if (attempt->progress != MonoTime{} && parts_.settings.hung > Duration::zero())
        result.silentSince = parts_.scale.at(attempt->progress);
    if (attempt->phase == Attempt::Phase::Collecting) result.note = kCollectingWords;
    if (attempt->hungSince != 0) result.note = "no output and no processor time for a while";
    if (result.ending) result.note = "cancelled: its processes are being ended";
    if (auto journal = parts_.reasons.journalWait(*attempt)) result.note = std::move(journal->message);
    if (attempt->usage) showUsage(result, *attempt->usage, attempt->pid != 0 || attempt->usage->cpu > 0);
    if (!attempt->given.empty()) showGiven(result, attempt->given);
    if (!attempt->machineName.empty()) showMachine(result, attempt->machineName);
    const Timestamps& times = attempt->record.times;
    result.times[ActionState::Submitting] = times[ActionState::Submitting];
    result.times[ActionState::Running] = times[ActionState::Running];
    result.times.exited = times.exited;
    result.times.frozen = attempt->frozenUntil(parts_.now()).count();
    if (attempt->frozenAt) result.note = kFrozenWords;
    parts_.estimates.ofRunning(result, *live);
}

coro::Task<void> ActionRows::addNotes(std::span<ActionResult> rows, Duration pendingFor) {
    addAnnotations(rows);
    co_await parts_.notes.addTo(rows, pendingFor);
    co_await addPlaces(rows, pendingFor);
}

/// The order of a queue is known from the first question on; where that takes longer the rows have no place yet, and
/// the next question goes on.
coro::Task<void> ActionRows::addPlaces(std::span<ActionResult> rows, Duration pendingFor) {
    std::set<QueueId> queues;
    for (const ActionResult& row : rows)
        if (row.state == ActionState::Pending) queues.insert(row.queue);
    const std::vector<QueueId> wanted(queues.begin(), queues.end());
    const MonoTime until = parts_.now() + pendingFor;
    while (!parts_.places.prepare(wanted, kPerSlice) && parts_.now() < until) co_await coro::yieldNow();
    for (ActionResult& row : rows)
        row.place = row.state == ActionState::Pending ? parts_.places.numberOf(row.lsn) : std::nullopt;
}

std::optional<ActionResult> ActionRows::ofFinish(const store::Finish& finish) const {
    const auto live = parts_.session.views().live(finish.lsn);
    if (!live || !finish.attempt || finish.attempt->n != 1 || live->retries.retryCount != 0) return std::nullopt;
    ActionResult result;
    result.lsn = finish.lsn;
    result.queue = live->queue;
    const ClassKey& key = parts_.dictionary.classKey(live->cls.value);
    result.classNumber = live->cls.value + 1;
    result.workerId = key.workerId;
    result.workerName = key.workerName;
    result.function = key.function;
    result.label = parts_.dictionary.label(live->label.value);
    const Attempt* own = parts_.attempt(finish.lsn);
    if (!own || !own->spec || own->spec->array) return std::nullopt; // the journal knows its index
    if (result.label.empty() && key.workerId == "exec") result.command = commandName(own->spec->argv);
    result.state = finish.state;
    result.priority = live->priority;
    AttemptRecord& attempt = result.attempts.emplace_back(*finish.attempt);
    attempt.outcome.samples.clear();
    result.note = finish.note.empty() ? attempt.outcome.note : finish.note;
    result.times = attempt.times;
    result.times[ActionState::New] = result.times[ActionState::Pending] = live->submitTime;
    result.times[finish.state] = finish.tEnd;
    result.outcome = attempt.outcome;
    result.outcome->note = result.note;
    return result;
}

std::unexpected<Error> unknownAction(Lsn lsn) {
    return fail(
        ErrorKind::NotFound,
        fmt::format("There is no action {}, or not any more (it was retired): GET jobs lists those there are.",
                    lsn.value));
}

coro::Task<Result<ActionResult>> ActionRows::action(Lsn lsn) {
    Result<ActionResult> known = co_await row(lsn);
    if (known) co_await addNotes(std::span(&*known, 1));
    co_return known;
}

coro::Task<Result<ActionResult>> ActionRows::row(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    for (int attempt = 0;; ++attempt) {
        auto read = co_await parts_.journal.get(lsn);
        if (!read) co_return std::unexpected(read.error());
        if (!*read) co_return unknownAction(lsn);
        ActionResult result = std::move(**read);
        if (!update(result) && attempt < 3) {
            co_await coro::yieldNow();
            continue;
        }
        co_return result;
    }
}

bool ActionRows::update(ActionResult& row) const {
    if (isEnded(row.state)) return true;
    if (!parts_.session.views().live(row.lsn)) return false;
    overlay(row);
    return true;
}

coro::Task<bool> ActionRows::readAgain(ActionResult& read) {
    Result<ActionResult> now = co_await row(read.lsn);
    if (!now) co_return false;
    read = std::move(*now);
    read.attempts.clear();
    co_return true;
}

session::NewAction ActionRows::entering(const store::PendingRow& row) {
    if (row.tPending > row.tNew) putBack(row.lsn, row.tPending);
    return sessionAction(row, parts_.scale);
}

WallMicros ActionRows::pendingSince(const session::LiveView& live) const {
    const auto at = putBack_.find(live.lsn);
    return at == putBack_.end() ? live.submitTime : at->second;
}

void ActionRows::nameMachine(ActionResult& row) const {
    if (row.times[ActionState::Submitting] == 0) return;
    const bool wasElsewhere = row.outcome && !row.outcome->machine.empty();
    row.machine = wasElsewhere ? row.outcome->machine : parts_.machineName;
    row.platform = parts_.platformOf(row.machine);
}

ActionResult ActionRows::withNames(ActionResult result) const {
    if (result.classNumber > 0 && result.classNumber <= parts_.dictionary.classCount())
        result.locks = parts_.dictionary.classKey(result.classNumber - 1).locks;
    nameMachine(result);
    return result;
}

} // namespace yard::engine
