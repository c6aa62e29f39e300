#include "core/engine/running/execution.h"

#include "core/base/log.h"
#include "core/engine/running/attempt_monitor.h"
#include "core/engine/running/outcome.h"
#include "core/session/events.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"
#include "core/session/work_classes.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

using runners::AttemptId;
using Phase = Attempt::Phase;

Execution::Execution(Parts parts)
    : parts_(std::move(parts)) {}

void Execution::attach(runners::RunnerGroup& group, runners::Runner& warm) {
    group_ = &group;
    warm_ = &warm;
}

// --- starting

namespace {

/// The wall clock may have been set back since this action was new: its times must not run backwards.
WallScale scaleOf(const session::LiveView& live, WallScale scale, MonoTime now) {
    if (const WallMicros at = scale.at(now); live.submitTime > at) scale.offset += live.submitTime - at;
    return scale;
}

} // namespace

void Execution::begin(const std::vector<session::Start>& starts, WallScale scale) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<runners::Lease> leases;
    std::vector<Lsn> missing;
    const MonoTime now = parts_.now();
    for (const session::Start& start : starts) {
        Attempt& attempt = parts_.attempts.add({start.lsn, start.attempt});
        attempt.queue = start.queue;
        attempt.cls = start.cls;
        attempt.ahead = start.ahead;
        attempt.machine = start.machine;
        attempt.machineName = parts_.machineName(start.machine);
        attempt.shared = start.shared;
        attempt.warm = start.warm;
        attempt.hurry = parts_.waiters.contains(start.lsn);
        attempt.given = parts_.session.views().givenTo(start.lsn);
        attempt.scale = scale;
        if (const auto live = parts_.session.views().live(start.lsn)) {
            attempt.label = live->label;
            attempt.scale = scaleOf(*live, scale, now);
        }
        attempt.spec = parts_.specs.take(start.lsn);
        if (attempt.spec)
            proceed(attempt, leases);
        else
            missing.push_back(start.lsn);
    }
    submit(std::move(leases));
    if (missing.empty()) return;
    if (const auto asked = parts_.fetchSpecs(missing); !asked) {
        logWarning("engine", "specs cannot be read now: {}", asked.error().message);
        for (const session::Start& start : starts)
            if (Attempt* attempt = parts_.attempts.get({start.lsn, start.attempt});
                attempt && attempt->phase == Phase::Fetching)
                giveUp(*attempt);
    }
}

void Execution::specsArrived(std::vector<store::FetchedSpec> specs) {
    std::vector<runners::Lease> leases;
    for (store::FetchedSpec& fetched : specs) {
        Attempt* attempt = parts_.attempts.latest(fetched.lsn);
        if (!attempt || attempt->phase != Phase::Fetching) {
            if (fetched.spec && !attempt) parts_.specs.put(fetched.lsn, std::move(fetched.spec));
            continue;
        }
        if (attempt->isTakenOver) {
            attempt->spec = std::move(fetched.spec);
            attempt->phase = Phase::Preparing;
            if (!attempt->spec)
                logWarning("engine", "the spec of action {}, which another machine may run, cannot be read: {}",
                           fetched.lsn.value, fetched.error);
            progress_.notifyAll();
            continue;
        }
        if (!fetched.spec) {
            neverStarted(*attempt, {.message = "its spec cannot be read: " + fetched.error});
            continue;
        }
        attempt->spec = std::move(fetched.spec);
        proceed(*attempt, leases);
    }
    submit(std::move(leases));
    parts_.wake();
}

void Execution::proceed(Attempt& attempt, std::vector<runners::Lease>& leases) {
    if (!attempt.lostGpu.empty()) return giveUp(attempt);
    if (attempt.warm) {
        if (!parts_.leases.needsDirectory(attempt)) return launch(attempt, parts_.leases.warm(attempt), leases);
    } else {
        const auto slot = parts_.slots.take(attempt.machine, attempt.shared, parts_.now());
        if (!slot) return giveUp(attempt);
        attempt.slot = *slot;
    }
    attempt.phase = Phase::Preparing;
    const bool isElsewhere = !attempt.warm && parts_.slots.isElsewhere(attempt.machine);
    if (isElsewhere) attempt.memoryLimit = parts_.leases.memoryLimitElsewhere(attempt);
    if (isElsewhere || (!attempt.warm && !attempt.spec->needsPreparing()))
        return launch(attempt, parts_.leases.bare(attempt), leases);
    parts_.spawn(fmt::format("prepare {}", attempt.id.lsn.value), prepare(attempt.id));
}

coro::Task<void> Execution::prepare(AttemptId id) {
    Result<Workspace> made = co_await parts_.files.prepare(id);
    Attempt* attempt = parts_.attempts.get(id);
    if (!attempt) co_return;
    if (made) {
        attempt->scratch = std::move(made->scratch);
        attempt->request = std::move(made->request);
        attempt->memoryLimit = made->memoryLimit;
        attempt->outputLimits = made->outputLimits;
    }
    if (attempt->stop || !attempt->lostGpu.empty()) {
        giveUp(*attempt);
    } else if (!made) {
        neverStarted(*attempt, {.err = made.error().sysErrno, .message = std::move(made.error().message)});
    } else {
        runners::Lease lease = attempt->warm ? parts_.leases.warm(*attempt)
                               : made->lease ? std::move(*made->lease)
                                             : parts_.leases.bare(*attempt);
        lease.input = std::move(made->input);
        std::vector<runners::Lease> leases;
        launch(*attempt, std::move(lease), leases);
        submit(std::move(leases));
    }
}

void Execution::launch(Attempt& attempt, runners::Lease lease, std::vector<runners::Lease>& leases) {
    if (attempt.spec->tty) {
        if (auto given = giveTerminal(attempt, lease); !given)
            return neverStarted(attempt, {.step = runners::SpawnStep::Streams,
                                          .err = given.error().sysErrno,
                                          .message = "it got no terminal: " + given.error().message});
    }
    parts_.leases.complete(attempt, lease);
    if (auto given = giveTokens(attempt, lease); !given)
        return neverStarted(attempt, {.step = runners::SpawnStep::Pipe,
                                      .err = given.error().sysErrno,
                                      .message = "it got no jobserver: " + given.error().message});
    attempt.phase = Phase::Launched;
    attempt.launched = parts_.now();
    attempt.grace = lease.grace;
    attempt.idlePriority = lease.idlePriority;
    leases.push_back(std::move(lease));
    progress_.notifyAll();
}

/// Elsewhere, and in a warm process, there is none: cores of this machine are given to processes of this machine.
Result<void> Execution::giveTokens(const Attempt& attempt, runners::Lease& lease) {
    if (!parts_.tokens || attempt.warm || parts_.slots.isElsewhere(attempt.machine)) return {};
    const QueueConfig* config = parts_.session.queues().configOf(attempt.queue);
    const Jobserver kind = attempt.spec->jobserver.value_or(config ? config->jobserver : Jobserver::None);
    if (kind == Jobserver::None) return {};
    int own = 0; // beside the one that each process has without a token
    for (const session::ResourceNeed& need : parts_.session.needs(attempt.cls))
        if (need.resource == "cores") own = std::max(0, static_cast<int>(need.need) - 1);
    return parts_.tokens->give(attempt.id, kind, own, lease);
}

Result<void> Execution::giveTerminal(Attempt& attempt, runners::Lease& lease) {
    auto terminal = Terminal::open(parts_.loop, *attempt.spec->tty);
    if (!terminal) return std::unexpected(terminal.error());
    auto copy = (*terminal)->copy();
    if (!copy) return std::unexpected(copy.error());
    lease.terminal = std::make_shared<UniqueFd>(std::move(*copy));
    attempt.terminal = std::move(*terminal);
    return {};
}

namespace {

/// Whoever of its processes still has it open, as a daemon of somebody else, sees it hung up.
void closeTerminal(Attempt& attempt) {
    if (attempt.terminal) attempt.terminal->close();
    attempt.terminal.reset();
}

} // namespace

void Execution::closeGiven(Attempt& attempt) {
    closeTerminal(attempt);
    if (parts_.tokens) parts_.tokens->ended(attempt.id);
}

void Execution::submit(std::vector<runners::Lease> leases) {
    std::vector<runners::Lease> warm;
    for (runners::Lease& lease : leases)
        if (lease.warm) warm.push_back(std::move(lease));
    if (!warm.empty()) std::erase_if(leases, [](const runners::Lease& lease) { return lease.warm.has_value(); });
    if (!leases.empty()) group_->submit(std::move(leases));
    if (warm.empty()) return;
    warm_->submit(std::move(warm));
    parts_.sentWarm();
}

// --- taking back and stopping

void Execution::takeBack(const session::TakeBack& what) {
    Attempt* attempt = parts_.attempts.get({what.lsn, what.attempt});
    if (!attempt) return;
    if (attempt->phase == Phase::Fetching) return giveUp(*attempt);
    if (attempt->phase == Phase::Launched) runnerOf(*attempt).takeBack(attempt->id);
}

static runners::StopCause stopCauseOf(session::StopCause cause) {
    switch (cause) {
    case session::StopCause::Cancel: return runners::StopCause::Cancelled;
    case session::StopCause::Abandon: return runners::StopCause::Abandoned;
    case session::StopCause::EngineStopped: break;
    }
    return runners::StopCause::EngineStopped;
}

void Execution::stop(const session::Stop& what) {
    Attempt* attempt = parts_.attempts.get({what.lsn, what.attempt});
    if (!attempt) return;
    if (!attempt->isBeingEnded()) attempt->stop = what.cause;
    if (attempt->phase == Phase::Fetching) return giveUp(*attempt);
    if (attempt->collector) attempt->collector->cut();
    if (attempt->phase != Phase::Launched) return; // prepare() looks at `stop`
    const runners::StopCause cause = stopCauseOf(what.cause);
    std::optional<Duration> grace;
    if (cause == runners::StopCause::EngineStopped) grace = std::min(parts_.settings.grace, kMaxGraceAtEnd);
    tellToEnd(*attempt, cause, grace);
}

void Execution::tellToEnd(Attempt& attempt, runners::StopCause cause, std::optional<Duration> grace) {
    if (!attempt.endAsked) attempt.endAsked = parts_.now();
    attempt.grace = std::min(grace.value_or(attempt.grace), attempt.grace);
    runnerOf(attempt).end(attempt.id, cause, grace);
}

void Execution::balance() {
    for (const AttemptId id : parts_.slots.misplaced(parts_.now()))
        if (const Attempt* attempt = parts_.attempts.get(id)) runnerOf(*attempt).takeBack(id);
}

/// Nothing of it ever ran: the session may start it again, or end it, as if it had not been begun.
void Execution::giveUp(Attempt& attempt) {
    const AttemptId id = attempt.id;
    parts_.files.discard(attempt);
    if (attempt.phase != Phase::Fetching) parts_.slots.leave(attempt);
    if (attempt.spec) parts_.specs.put(id.lsn, std::move(attempt.spec));
    erase(id);
    parts_.session.events().returned(id.lsn, id.attempt, parts_.outbox);
    parts_.wake();
}

namespace {

/// A directory that is not there is the action's own fault only where the action named it.
bool isFinal(const Attempt& attempt, const runners::SpawnFailure& failure) {
    const bool isOurs = failure.step == runners::SpawnStep::ChangeDirectory && attempt.spec && !attempt.spec->cwd;
    return !isOurs && runners::cannotHeal(failure);
}

} // namespace

void Execution::neverStarted(Attempt& attempt, runners::SpawnFailure failure) {
    attempt.cannotHeal = isFinal(attempt, failure);
    runners::Ended ended;
    ended.cause = runners::EndCause::SpawnError;
    ended.spawn = std::move(failure);
    attempt.record.outcome = outcomeOf(ended);
    const WallMicros now = attempt.scale.at(parts_.now());
    attempt.record.times[ActionState::Submitting] = now;
    attempt.record.times[ActionState::Failed] = now;
    if (attempt.phase != Phase::Fetching) parts_.slots.leave(attempt);
    parts_.files.discard(attempt);
    finish(attempt);
}

void Execution::restoreInterrupted(const Interrupted& what, WallScale scale) {
    Attempt& attempt = parts_.attempts.add(what.id);
    attempt.queue = what.queue;
    attempt.cls = what.cls;
    attempt.scale = scale;
    attempt.phase = Phase::Ended;
    attempt.record.outcome.state = ActionState::Abandoned;
    attempt.record.outcome.reason = Reason::EngineDied;
    attempt.record.outcome.note = "the engine died while this ran";
    const WallMicros now = scale.at(parts_.now());
    attempt.record.times[ActionState::Abandoned] = now;
    attempt.record.times[ActionState::Submitting] = attempt.record.times[ActionState::Running] =
        std::min(what.started, now);
    if (what.warm) attempt.record.outcome.out = attempt.record.outcome.err = ChunkRef{Hash256::ofNothing(), 0};
}

coro::Task<Result<void>> Execution::expect(std::vector<Expected> attempts, WallScale scale) {
    std::vector<Lsn> lsns;
    for (const Expected& one : attempts) {
        const auto live = parts_.session.views().live(one.id.lsn);
        assert(live && "the session has it as handed out");
        Attempt& attempt = parts_.attempts.add(one.id);
        attempt.queue = live->queue;
        attempt.cls = live->cls;
        attempt.label = live->label;
        attempt.machine = one.machine;
        attempt.machineName = parts_.machineName(one.machine);
        attempt.isTakenOver = true;
        attempt.scale = scaleOf(*live, scale, parts_.now());
        lsns.push_back(one.id.lsn);
    }
    if (lsns.empty()) co_return Result<void>{};
    if (auto asked = parts_.fetchSpecs(std::move(lsns)); !asked) co_return asked;
    for (const Expected& one : attempts)
        while (parts_.attempts.get(one.id)->phase == Phase::Fetching) co_await progress_.wait();
    co_return Result<void>{};
}

const Attempt& Execution::takeOver(AttemptId id) {
    Attempt& attempt = *parts_.attempts.get(id);
    attempt.shared =
        attempt.spec && !session::isExactlyOneCore(parts_.dictionary.classKey(attempt.cls.value).resources);
    attempt.slot = parts_.slots.takeOver(attempt.machine, attempt.shared);
    attempt.memoryLimit = parts_.leases.memoryLimitElsewhere(attempt);
    attempt.phase = Phase::Launched;
    attempt.launched = parts_.now();
    attempt.grace = parts_.settings.grace;
    return attempt;
}

// --- what the runner says

void Execution::updates(std::vector<runners::Update> batch) {
    YARD_ASSERT_OWNER(owner_);
    for (runners::Update& update : batch) {
        Attempt* attempt = parts_.attempts.get(update.id);
        if (!attempt) {
            logDebug("engine", "update for unknown attempt {}.{}", update.id.lsn.value, update.id.attempt);
            continue;
        }
        if (auto* started = std::get_if<runners::Started>(&update.what))
            onStarted(*attempt, *started);
        else if (auto* ended = std::get_if<runners::Ended>(&update.what))
            onEnded(*attempt, std::move(*ended));
        else if (auto* at = std::get_if<runners::StreamAt>(&update.what))
            onStreamAt(*attempt, *at);
        else if (auto* moved = std::get_if<runners::Moved>(&update.what))
            parts_.slots.move(*attempt, moved->slot);
        else if (const auto* frozen = std::get_if<runners::Frozen>(&update.what))
            onFrozen(*attempt, *frozen);
        else {
            if (const auto* busy = std::get_if<runners::LockBusy>(&update.what)) parts_.lockBusy(*busy);
            giveUp(*attempt);
        }
    }
    progress_.notifyAll();
    parts_.wake();
}

namespace {

void setTime(WallMicros& field, const WallScale& scale, MonoTime at) {
    if (at != MonoTime{}) field = scale.at(at);
}

void setTimes(Attempt& attempt, const runners::RunTimes& times) {
    setTime(attempt.record.times[ActionState::Submitting], attempt.scale, times.submitting);
    setTime(attempt.record.times[ActionState::Running], attempt.scale, times.running);
    setTime(attempt.record.times.exited, attempt.scale, times.exited);
}

bool endedByItself(runners::EndCause cause) {
    return cause == runners::EndCause::Exited || cause == runners::EndCause::WorkerCrashed;
}

/// It failed by itself with a GPU that is not known to be lost: that may be why.
bool mayHaveLostGpu(const Attempt& attempt, const runners::Ended& ended) {
    const bool hasGpus = std::ranges::find(attempt.given, kGpus, &GivenResource::resource) != attempt.given.end();
    const bool isGood = ended.cause == runners::EndCause::Exited && ended.exitCode == 0;
    return hasGpus && endedByItself(ended.cause) && !isGood && !attempt.isBeingEnded();
}

/// What the engine itself ended, for a limit, the machine's memory or a lost GPU, says so. What fails by itself with a GPU
/// that is lost fails for that.
void applyGuard(Attempt& attempt, runners::EndCause cause) {
    const bool byGuard = cause == runners::EndCause::EngineStopped && !attempt.stop;
    attempt.wasEnforced =
        cause == runners::EndCause::Deadline ||
        (byGuard && (attempt.isOverMemory || attempt.isOverOutputs || !attempt.overGpuMemory.empty()));
    if (byGuard && attempt.isOverMemory) {
        attempt.record.outcome.state = ActionState::Failed;
        attempt.record.outcome.reason = Reason::Memory;
        attempt.record.outcome.note =
            fmt::format("its processes, /tmp, sockets and pipes took more than {} MiB together; it was ended",
                        attempt.memoryLimit >> 20);
    } else if (byGuard && attempt.isOverOutputs) {
        attempt.record.outcome.state = ActionState::Failed;
        attempt.record.outcome.reason = Reason::ResultTooLarge;
        attempt.record.outcome.note =
            "its outputs/ held more than twice what the worker's limits allow; it was ended";
    } else if (byGuard && !attempt.stoppedForMemory.empty()) {
        attempt.record.outcome.reason = Reason::MemoryPressure;
        attempt.record.outcome.note = attempt.stoppedForMemory;
    } else if (byGuard && !attempt.overGpuMemory.empty()) {
        attempt.record.outcome.state = ActionState::Failed;
        attempt.record.outcome.reason = Reason::GpuMemory;
        attempt.record.outcome.note = attempt.overGpuMemory;
    }
    const bool failed =
        endedByItself(cause) && attempt.record.outcome.state == ActionState::Failed && !attempt.stop;
    if (!attempt.lostGpu.empty() && (byGuard || failed)) {
        attempt.record.outcome.state = ActionState::Failed;
        attempt.record.outcome.reason = Reason::GpuLost;
        attempt.record.outcome.note = attempt.lostGpu;
    }
}

} // namespace

void Execution::onStarted(Attempt& attempt, const runners::Started& started) {
    parts_.slots.move(attempt, started.slot);
    setTimes(attempt, started.times);
    // A warm process is not its action's: what it uses, and whether it gets on, says nothing of one.
    attempt.pid = attempt.warm ? 0 : started.pid;
    if (attempt.warm) attempt.slot = started.slot;
    attempt.lane = started.lane;
    attempt.given = joined(std::move(attempt.given), started.given);
    if (attempt.runningSince == MonoTime{}) ++parts_.counters.started;
    attempt.runningSince = attempt.progress = parts_.now();
    parts_.slots.began(attempt, attempt.runningSince);
    parts_.started(attempt);
    if (parts_.tokens) parts_.tokens->started(attempt.id);
    parts_.session.events().submitting(attempt.id.lsn, attempt.id.attempt, parts_.outbox);
    parts_.session.events().running(attempt.id.lsn, attempt.id.attempt, parts_.outbox);
    if (!attempt.lostGpu.empty() && !attempt.stop) tellToEnd(attempt, runners::StopCause::Machine, std::nullopt);
}

void Execution::setFrozen(AttemptId id, bool on) {
    Attempt* attempt = parts_.attempts.get(id);
    if (!attempt || attempt->phase != Phase::Launched || attempt->toFreeze == on) return;
    if (runnerOf(*attempt).setFrozen(id, on)) attempt->toFreeze = on;
}

void Execution::onFrozen(Attempt& attempt, const runners::Frozen& frozen) {
    attempt.frozen = attempt.frozenUntil(frozen.at);
    attempt.frozenAt = frozen.isFrozen ? std::optional(frozen.at) : std::nullopt;
    attempt.record.times.frozen = attempt.frozen.count();
    attempt.progress = parts_.now(); // it was not silent by itself
    if (parts_.frozen) parts_.frozen(attempt);
}

void Execution::onEnded(Attempt& attempt, runners::Ended ended) {
    if (attempt.phase != Phase::Launched) return;
    // Its runner was lost before it could say that it goes on.
    if (attempt.frozenAt) onFrozen(attempt, {.isFrozen = false, .at = ended.times.ended});
    parts_.slots.leave(attempt);
    closeGiven(attempt);
    attempt.given = joined(std::move(attempt.given), ended.given);
    attempt.pid = 0; // another process may have the number from here on
    if (!parts_.lostGpu || !mayHaveLostGpu(attempt, ended)) return afterEnd(attempt, std::move(ended));
    attempt.phase = Phase::Collecting;
    if (ended.times.ended == MonoTime{}) ended.times.ended = parts_.now();
    parts_.spawn(fmt::format("gpus {}", attempt.id.lsn.value), lookAtGpus(attempt.id, std::move(ended)));
}

coro::Task<void> Execution::lookAtGpus(AttemptId id, runners::Ended ended) {
    GivenResources given;
    if (const Attempt* attempt = parts_.attempts.get(id)) given = attempt->given;
    std::string lost = co_await parts_.lostGpu(std::move(given));
    Attempt* attempt = parts_.attempts.get(id);
    if (!attempt) co_return;
    if (!lost.empty()) attempt->lostGpu = std::move(lost);
    afterEnd(*attempt, std::move(ended));
    progress_.notifyAll();
    parts_.wake();
}

void Execution::afterEnd(Attempt& attempt, runners::Ended ended) {
    // Of what the kernel counted for nobody, as it was ended with who would have waited for it, a look may tell.
    if (attempt.usage && ended.measures[Measure::CpuTime])
        ended.measures.atLeast(Measure::CpuTime, attempt.usage->cpu);
    // The kernel tells of the largest process, and nothing of a small one; the looks of all together.
    const std::int64_t seen = attempt.usage ? attempt.usage->series.mostRss() : 0;
    if (seen > 0) ended.measures.atLeast(Measure::PeakMemory, seen);
    if (attempt.runningSince != MonoTime{}) parts_.slots.ended(attempt);
    if (attempt.warm || (ended.cause != runners::EndCause::SpawnError && parts_.slots.has(ended.slot)))
        attempt.slot = ended.slot;
    if (ended.lane) attempt.lane = ended.lane;
    setTimes(attempt, ended.times);
    attempt.record.outcome = outcomeOf(ended);
    applyDeadline(attempt.record.outcome, attempt.deadline);
    attempt.cannotHeal = ended.cause == runners::EndCause::SpawnError && isFinal(attempt, ended.spawn);
    applyGuard(attempt, ended.cause);
    if (parts_.slots.isElsewhere(attempt.machine))
        applyLeft(attempt.record.outcome, std::move(attempt.leftElsewhere),
                  attempt.spec ? attempt.spec->expect : std::vector<std::string>());
    attempt.hungSince = 0;
    const MonoTime end = ended.times.ended == MonoTime{} ? parts_.now() : ended.times.ended;
    attempt.record.times[attempt.record.outcome.state] = attempt.scale.at(end);
    if (attempt.scratch || attempt.request || !ended.out.path.empty() || !ended.err.path.empty()) {
        attempt.phase = Phase::Collecting;
        attempt.collected = parts_.now();
        parts_.spawn(fmt::format("collect {}", attempt.id.lsn.value), collect(attempt.id, std::move(ended)));
        return;
    }
    AttemptOutcome& outcome = attempt.record.outcome;
    if (ended.times.running != MonoTime{}) {
        outcome.out = keepSmall(ended.out, attempt.chunks);
        outcome.err = keepSmall(ended.err, attempt.chunks);
    }
    if (outcome.state != ActionState::Completed && outcome.note.empty())
        outcome.note = noteFrom(outcome, ended.err.bytes, ended.out.bytes);
    applyStreamLoss(outcome, ended.out, "stdout");
    applyStreamLoss(outcome, ended.err, "stderr");
    finish(attempt);
}

coro::Task<void> Execution::collect(AttemptId id, runners::Ended ended) {
    Collection made = co_await parts_.files.collect(id, std::move(ended), [this, id] { takesLong(id); });
    Attempt* attempt = parts_.attempts.get(id);
    if (!attempt) co_return;
    attempt->record.times[attempt->record.outcome.state] = 0;
    attempt->record.outcome = std::move(made.outcome);
    attempt->cannotHeal = attempt->cannotHeal || made.cannotHeal;
    if (made.isCut && attempt->stop) applyStop(attempt->record.outcome, stopCauseOf(*attempt->stop));
    // Until now it was not over: its outputs were not kept yet.
    attempt->record.times[attempt->record.outcome.state] = attempt->scale.at(parts_.now());
    attempt->chunks = std::move(made.chunks);
    finish(*attempt);
}

/// Others may have what its processes had while its outputs are kept.
void Execution::takesLong(AttemptId id) {
    parts_.session.events().keeping(id.lsn, id.attempt);
    if (Attempt* attempt = parts_.attempts.get(id)) parts_.slots.keepLane(*attempt);
    parts_.wake();
}

void Execution::onStreamAt(Attempt& attempt, const runners::StreamAt& at) {
    AttemptMonitor::noteOutput(attempt, at, parts_.now());
    if (!attempt.live) return;
    LiveStreams::One& stream = attempt.live->streams[at.stream == runners::Stream::Out ? 0 : 1];
    stream.path = at.path;
    stream.limit = at.limit;
    stream.size = at.size; // smaller than before when a full disk cut it
    attempt.live->changed.notifyAll();
}

void Execution::erase(AttemptId id) {
    if (Attempt* attempt = parts_.attempts.get(id)) {
        closeGiven(*attempt);
        parts_.slots.leaveLane(*attempt);
    }
    parts_.attempts.erase(id);
    progress_.notifyAll();
}

// --- followers

std::shared_ptr<LiveStreams> Execution::follow(Lsn lsn, std::uint32_t number, unsigned stream) {
    Attempt* attempt = parts_.attempts.latest(lsn);
    if (attempt && number != 0) attempt = parts_.attempts.get({lsn, number});
    if (!attempt || attempt->stored) return nullptr;
    if (!attempt->live) {
        attempt->live = std::make_shared<LiveStreams>();
        attempt->live->isElsewhere = parts_.slots.isElsewhere(attempt->machine);
    }
    LiveStreams::One& one = attempt->live->streams[stream];
    if (!one.watched && attempt->phase == Phase::Launched) {
        one.watched = true;
        watch(*attempt, stream == 0 ? runners::Stream::Out : runners::Stream::Err);
    }
    return attempt->live;
}

void Execution::watch(const Attempt& attempt, runners::Stream stream) {
    runnerOf(attempt).watch(attempt.id, stream);
}

void Execution::markUrgent(Lsn lsn) {
    if (Attempt* attempt = parts_.attempts.latest(lsn)) attempt->hurry = true;
}

} // namespace yard::engine
