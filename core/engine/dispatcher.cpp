#include "core/engine/dispatcher.h"

#include "core/base/log.h"
#include "core/engine/outcome.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace yard::engine {

using runners::AttemptId;
using Phase = Attempt::Phase;

Dispatcher::Dispatcher(Parts parts)
    : parts_(std::move(parts)) {}
Dispatcher::~Dispatcher() = default;

void Dispatcher::attach(store::Store& store, store::ChunkStore& chunks, runners::Runner& runner,
                        runners::WarmRunner& warm, unsigned coreSlots, unsigned slots) {
    store_ = &store;
    chunks_ = &chunks;
    runner_ = &runner;
    warm_ = &warm;
    slotLoad_.assign(slots, 0);
    slotBusySince_.assign(slots, {});
    coreSlots_ = std::min<std::ptrdiff_t>(coreSlots, std::ssize(slotLoad_));
}

Attempt* Dispatcher::get(AttemptId id) {
    const auto at = attempts_.find(id);
    return at == attempts_.end() ? nullptr : &at->second;
}

const Attempt* Dispatcher::find(Lsn lsn) const {
    const auto number = latest_.find(lsn);
    if (number == latest_.end()) return nullptr;
    const auto at = attempts_.find(AttemptId{lsn, number->second});
    return at == attempts_.end() ? nullptr : &at->second;
}

bool Dispatcher::isStarting(const Attempt& attempt) const {
    if (attempt.phase != Phase::Launched || attempt.warm || attempt.pid != 0) return false;
    if (attempt.slot.value >= slotLoad_.size() || slotBusySince_[attempt.slot.value] != MonoTime{}) return false;
    if (slotLoad_[attempt.slot.value] == 1) return true;
    return std::ranges::none_of(attempts_, [&](const auto& entry) {
        const Attempt& other = entry.second;
        return other.phase == Phase::Launched && !other.warm && other.slot == attempt.slot &&
               (other.pid != 0 || other.launched < attempt.launched);
    });
}

std::ptrdiff_t Dispatcher::busyCoreSlots() const {
    return std::count_if(slotLoad_.begin(), slotLoad_.begin() + coreSlots_, [](unsigned load) { return load > 0; });
}

Attempt* Dispatcher::latest(Lsn lsn) {
    return const_cast<Attempt*>(find(lsn)); // ours to change
}

std::optional<MonoTime> Dispatcher::oldestCollection() const {
    std::optional<MonoTime> oldest;
    for (const auto& [id, attempt] : attempts_)
        if (attempt.collected != MonoTime{} && !attempt.stored && (!oldest || attempt.collected < *oldest))
            oldest = attempt.collected;
    return oldest;
}

// --- starting

void Dispatcher::begin(const std::vector<session::Start>& starts, WallScale scale) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<runners::Lease> leases;
    std::vector<Lsn> missing;
    const WallMicros now = scale.at(MonoClock::now());
    for (const session::Start& start : starts) {
        const AttemptId id{start.lsn, start.attempt};
        Attempt& attempt = attempts_[id];
        assert(attempt.id.lsn.value == 0 && "an attempt is begun once");
        latest_[start.lsn] = start.attempt;
        attempt.id = id;
        attempt.queue = start.queue;
        attempt.cls = start.cls;
        attempt.ahead = start.ahead;
        attempt.shared = start.shared;
        attempt.warm = start.warm;
        attempt.hurry = parts_.waiters.contains(start.lsn);
        attempt.record.n = start.attempt;
        attempt.scale = scale;
        // The wall clock may have been set back since this action was new: its times shall not run backwards.
        if (const auto live = parts_.session.live(start.lsn)) {
            attempt.label = live->label;
            if (live->submitTime > now) attempt.scale.offset += live->submitTime - now;
        }
        attempt.spec = parts_.specs.take(start.lsn);
        if (attempt.spec)
            proceed(attempt, leases);
        else
            missing.push_back(start.lsn);
    }
    submit(std::move(leases));
    if (missing.empty()) return;
    if (const auto asked = store_->fetchSpecs(missing); !asked) {
        logWarning("engine", "specs cannot be read now: {}", asked.error().message);
        for (const session::Start& start : starts)
            if (Attempt* attempt = get({start.lsn, start.attempt}); attempt && attempt->phase == Phase::Fetching)
                giveUp(*attempt);
    }
}

void Dispatcher::specsArrived(std::vector<store::FetchedSpec> specs) {
    std::vector<runners::Lease> leases;
    for (store::FetchedSpec& fetched : specs) {
        Attempt* attempt = latest(fetched.lsn);
        if (!attempt || attempt->phase != Phase::Fetching) {
            if (fetched.spec && !attempt) parts_.specs.put(fetched.lsn, std::move(fetched.spec));
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

void Dispatcher::proceed(Attempt& attempt, std::vector<runners::Lease>& leases) {
    if (attempt.warm) {
        if (!needsDirectory(attempt)) return launch(attempt, warmLease(attempt), leases);
    } else {
        attempt.slot = leastLoadedSlot(attempt.shared);
        ++slotLoad_[attempt.slot.value];
        ++processes_;
        if (!attempt.spec->needsPreparing()) return launch(attempt, bareLease(attempt), leases);
    }
    attempt.phase = Phase::Preparing;
    parts_.loop.spawn(fmt::format("prepare {}", attempt.id.lsn.value), prepare(attempt.id));
}

Duration Dispatcher::deadlineOf(const Attempt& attempt) const {
    if (attempt.spec->deadline) return *attempt.spec->deadline;
    const QueueConfig* config = parts_.session.queueConfig(attempt.queue);
    if (config && config->deadline) return *config->deadline;
    const RegisteredWorker* worker = parts_.workers.find(parts_.dictionary.classKey(attempt.cls.value).workerId);
    if (worker && worker->descriptor->deadline) return *worker->descriptor->deadline;
    return parts_.settings.deadline;
}

runners::Lease Dispatcher::bareLease(const Attempt& attempt) const {
    runners::Lease lease;
    lease.argv = attempt.spec->argv;
    lease.env = attempt.spec->env;
    lease.cwd = attempt.spec->cwd.value_or("");
    // Leases of one class need the same, so a slot that runs dry may take one over from another.
    lease.group = attempt.cls.value + 1;
    return lease;
}

/// The journal has their names only.
void Dispatcher::addUnkept(Attempt& attempt, runners::Lease& lease) const {
    if (attempt.spec->unkeptEnv.empty()) return;
    const Variables* values = parts_.unkept.find(attempt.id.lsn);
    for (const std::string& name : attempt.spec->unkeptEnv) {
        const auto nameOf = [](const auto& variable) -> const std::string& { return variable.first; };
        const auto known = values ? std::ranges::find(*values, name, nameOf) : Variables::const_iterator{};
        if (values && known != values->end())
            lease.env.push_back(*known);
        else
            attempt.lacking.push_back(name);
    }
}

void Dispatcher::launch(Attempt& attempt, runners::Lease lease, std::vector<runners::Lease>& leases) {
    if (attempt.spec->tty && !giveTerminal(attempt, lease)) return;
    lease.id = attempt.id;
    lease.slot = attempt.slot;
    lease.deadline = deadlineOf(attempt);
    lease.grace = parts_.settings.grace;
    lease.streamBytes = static_cast<std::uint64_t>(parts_.settings.streamBytes);
    lease.hurry = attempt.hurry;
    lease.locks = parts_.dictionary.classKey(attempt.cls.value).locks;
    lease.once = parts_.isDurable && isLastTry(attempt);
    lease.engineEnv = attempt.spec->engineEnv;
    addUnkept(attempt, lease);
    attempt.phase = Phase::Launched;
    attempt.launched = MonoClock::now();
    attempt.grace = lease.grace;
    leases.push_back(std::move(lease));
    progress_.notifyAll();
}

void Dispatcher::submit(std::vector<runners::Lease> leases) {
    std::vector<runners::Lease> warm;
    for (runners::Lease& lease : leases)
        if (lease.warm) warm.push_back(std::move(lease));
    if (!warm.empty()) std::erase_if(leases, [](const runners::Lease& lease) { return lease.warm.has_value(); });
    if (!leases.empty()) runner_->submit(std::move(leases));
    if (warm.empty()) return;
    warm_->submit(std::move(warm));
    if (const auto by = warm_->answerBy()) parts_.loop.stayAwakeUntil(*by);
}

void Dispatcher::place(Attempt& attempt, SlotId slot) {
    if (attempt.warm || slot == attempt.slot || slot.value >= slotLoad_.size()) return;
    --slotLoad_[attempt.slot.value];
    ++slotLoad_[slot.value];
    attempt.slot = slot;
}

void Dispatcher::leaveSlot(const Attempt& attempt) {
    if (attempt.warm) return;
    --slotLoad_[attempt.slot.value];
    --processes_;
}

// --- taking back and stopping

void Dispatcher::takeBack(const session::TakeBack& what) {
    Attempt* attempt = get({what.lsn, what.attempt});
    if (!attempt) return;
    if (attempt->phase == Phase::Fetching) return giveUp(*attempt);
    if (attempt->phase == Phase::Launched) runnerOf(*attempt).takeBack(attempt->id);
}

runners::StopCause stopCauseOf(session::StopCause cause) {
    switch (cause) {
    case session::StopCause::Cancel: return runners::StopCause::Cancelled;
    case session::StopCause::Abandon: return runners::StopCause::Abandoned;
    case session::StopCause::EngineStopped: break;
    }
    return runners::StopCause::EngineStopped;
}

void Dispatcher::stop(const session::Stop& what) {
    Attempt* attempt = get({what.lsn, what.attempt});
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

void Dispatcher::tellToEnd(Attempt& attempt, runners::StopCause cause, std::optional<Duration> grace) {
    if (!attempt.endAsked) attempt.endAsked = MonoClock::now();
    attempt.grace = std::min(grace.value_or(attempt.grace), attempt.grace);
    runnerOf(attempt).end(attempt.id, cause, grace);
}

/// Nothing of it ever ran: the session may start it again, or end it, as if it had not been begun.
void Dispatcher::giveUp(Attempt& attempt) {
    const AttemptId id = attempt.id;
    discardScratch(attempt);
    if (attempt.phase != Phase::Fetching) leaveSlot(attempt);
    if (attempt.spec) parts_.specs.put(id.lsn, std::move(attempt.spec));
    erase(id);
    parts_.session.returned(id.lsn, id.attempt, parts_.outbox);
    parts_.wake();
}

namespace {

/// A directory that is not there is the action's own fault only where the action named it.
bool isFinal(const Attempt& attempt, const runners::SpawnFailure& failure) {
    const bool isOurs = failure.step == runners::SpawnStep::ChangeDirectory && attempt.spec && !attempt.spec->cwd;
    return !isOurs && runners::cannotHeal(failure);
}

} // namespace

void Dispatcher::neverStarted(Attempt& attempt, runners::SpawnFailure failure) {
    attempt.cannotHeal = isFinal(attempt, failure);
    runners::Ended ended;
    ended.cause = runners::EndCause::SpawnError;
    ended.spawn = std::move(failure);
    attempt.record.outcome = outcomeOf(ended);
    const WallMicros now = attempt.scale.at(MonoClock::now());
    attempt.record.times[ActionState::Submitting] = now;
    attempt.record.times[ActionState::Failed] = now;
    if (attempt.phase != Phase::Fetching) leaveSlot(attempt);
    discardScratch(attempt);
    finish(attempt);
}

void Dispatcher::restoreInterrupted(AttemptId id, QueueId queue, session::ClassId cls, WallScale scale,
                                    WallMicros started) {
    Attempt& attempt = attempts_[id];
    latest_[id.lsn] = id.attempt;
    attempt.id = id;
    attempt.queue = queue;
    attempt.cls = cls;
    attempt.scale = scale;
    attempt.phase = Phase::Ended;
    attempt.record.n = id.attempt;
    attempt.record.outcome.state = ActionState::Abandoned;
    attempt.record.outcome.reason = Reason::EngineDied;
    attempt.record.outcome.note = "the engine died while this ran";
    const WallMicros now = scale.at(MonoClock::now());
    attempt.record.times[ActionState::Abandoned] = now;
    attempt.record.times[ActionState::Submitting] = attempt.record.times[ActionState::Running] =
        std::min(started, now);
}

// --- what the runner says

void Dispatcher::updates(std::vector<runners::Update> batch) {
    YARD_ASSERT_OWNER(owner_);
    for (runners::Update& update : batch) {
        Attempt* attempt = get(update.id);
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
            place(*attempt, moved->slot);
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

} // namespace

void Dispatcher::onStarted(Attempt& attempt, const runners::Started& started) {
    place(attempt, started.slot);
    setTimes(attempt, started.times);
    // A warm process is not its action's: what it uses, and whether it gets on, says nothing of one.
    attempt.pid = attempt.warm ? 0 : started.pid;
    if (attempt.warm) attempt.slot = started.slot;
    attempt.lane = started.lane;
    attempt.runningSince = attempt.progress = MonoClock::now();
    if (!attempt.warm && attempt.slot.value < slotBusySince_.size())
        slotBusySince_[attempt.slot.value] = attempt.runningSince;
    parts_.session.submitting(attempt.id.lsn, attempt.id.attempt, parts_.outbox);
    parts_.session.running(attempt.id.lsn, attempt.id.attempt, parts_.outbox);
}

void Dispatcher::onEnded(Attempt& attempt, runners::Ended ended) {
    if (attempt.phase != Phase::Launched) return;
    leaveSlot(attempt);
    closeTerminal(attempt);
    // Of what the kernel counted for nobody, as it was ended with who would have waited for it, a look may tell.
    if (attempt.usage && ended.cpuSeconds)
        ended.cpuSeconds = std::max(*ended.cpuSeconds, static_cast<double>(attempt.usage->cpu) / 1e6);
    // The kernel tells of the largest process, the looks of all together.
    if (attempt.usage && ended.maxRssBytes)
        ended.maxRssBytes = std::max(*ended.maxRssBytes, attempt.usage->series.mostRss());
    if (attempt.pid != 0) slotBusySince_[attempt.slot.value] = {};
    if (attempt.warm || (ended.cause != runners::EndCause::SpawnError && ended.slot.value < slotLoad_.size()))
        attempt.slot = ended.slot;
    if (ended.lane) attempt.lane = ended.lane;
    setTimes(attempt, ended.times);
    attempt.record.outcome = outcomeOf(ended);
    attempt.cannotHeal = ended.cause == runners::EndCause::SpawnError && isFinal(attempt, ended.spawn);
    const bool byGuard = ended.cause == runners::EndCause::EngineStopped && !attempt.stop;
    attempt.wasEnforced =
        ended.cause == runners::EndCause::Deadline || (byGuard && (attempt.isOverMemory || attempt.isOverOutputs));
    if (byGuard && attempt.isOverMemory) {
        attempt.record.outcome.state = ActionState::Failed;
        attempt.record.outcome.reason = Reason::Memory;
        attempt.record.outcome.note =
            fmt::format("its processes, /tmp, sockets and pipes took more than {} MB together; it was ended",
                        attempt.memoryLimit >> 20);
    } else if (byGuard && attempt.isOverOutputs) {
        attempt.record.outcome.state = ActionState::Failed;
        attempt.record.outcome.reason = Reason::ResultTooLarge;
        attempt.record.outcome.note =
            "its outputs/ held more than twice what the worker's limits allow; it was ended";
    } else if (byGuard && !attempt.stoppedForMemory.empty()) {
        attempt.record.outcome.reason = Reason::MemoryPressure;
        attempt.record.outcome.note = attempt.stoppedForMemory;
    }
    attempt.pid = 0;
    attempt.hungSince = 0;
    const MonoTime end = ended.times.ended == MonoTime{} ? MonoClock::now() : ended.times.ended;
    attempt.record.times[attempt.record.outcome.state] = attempt.scale.at(end);
    if (attempt.scratch || attempt.request || !ended.out.path.empty() || !ended.err.path.empty()) {
        attempt.phase = Phase::Collecting;
        attempt.collected = MonoClock::now();
        parts_.loop.spawn(fmt::format("collect {}", attempt.id.lsn.value), collect(attempt.id, std::move(ended)));
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

void Dispatcher::onStreamAt(Attempt& attempt, const runners::StreamAt& at) {
    noteOutput(attempt, at);
    if (!attempt.live) return;
    LiveStreams::One& stream = attempt.live->streams[at.stream == runners::Stream::Out ? 0 : 1];
    stream.path = at.path;
    stream.limit = at.limit;
    stream.size = at.size; // smaller than before when a full disk cut it
    attempt.live->changed.notifyAll();
}

namespace {

void noteLacking(AttemptOutcome& outcome, const std::vector<std::string>& names) {
    const std::string what =
        fmt::format("it ran without {}: the value is never kept, so not over a restart", listedNames(names));
    outcome.note = outcome.note.empty() ? what : fmt::format("{} ({})", outcome.note, what);
}

} // namespace

/// The attempt is over and everything of it is kept: the session decides what becomes of the action.
void Dispatcher::finish(Attempt& attempt) {
    attempt.phase = Phase::Ended;
    if (attempt.usage) attempt.record.outcome.samples = attempt.usage->series.all();
    attempt.usage.reset();
    if (!attempt.lacking.empty() && attempt.record.times[ActionState::Running] != 0)
        noteLacking(attempt.record.outcome, attempt.lacking);
    const AttemptOutcome& outcome = attempt.record.outcome;
    // A cause of our own decides, whatever was collected meanwhile; a moved state moves its time along.
    WallMicros& end = attempt.record.times[outcome.state];
    if (end == 0) end = attempt.scale.at(MonoClock::now());
    session::AttemptEnd event;
    event.state = outcome.state;
    event.reason = outcome.reason;
    event.exitCode = outcome.exitCode;
    // What a lost runner had begun may have run, though it had no time to say so.
    event.neverRan = attempt.record.times[ActionState::Running] == 0 && outcome.reason != Reason::LostRunner;
    event.cannotHeal = attempt.cannotHeal;
    event.wasEnforced = attempt.wasEnforced;
    const WallMicros begun = attempt.record.times[ActionState::Submitting];
    event.runTime = begun ? Duration(end - begun) : Duration(-1);
    count(attempt);
    const AttemptId id = attempt.id;
    const bool alreadyStored = attempt.stored;
    parts_.session.ended(id.lsn, id.attempt, event, MonoClock::now(), parts_.outbox);
    if (alreadyStored)
        stored(id.lsn, id.attempt);
    else if (const auto live = parts_.session.live(id.lsn); live && live->attempt < id.attempt)
        forgetUncounted(attempt);
    parts_.wake();
}

void Dispatcher::count(const Attempt& attempt) {
    const Timestamps& times = attempt.record.times;
    const WallMicros submitting = times[ActionState::Submitting];
    const WallMicros running = times[ActionState::Running];
    if (submitting == 0 || running == 0) return;
    ++parts_.counters.started;
    const auto live = parts_.session.live(attempt.id.lsn);
    if (live && attempt.record.outcome.state == ActionState::Completed) {
        const ClassKey& key = parts_.dictionary.classKey(attempt.cls.value);
        parts_.estimator.learn(
            live->queue,
            Estimator::kindOf(key.workerName, key.function, parts_.dictionary.label(live->label.value)),
            Duration(times[ActionState::Completed] - submitting));
    }
    if (live && attempt.id.attempt == 1) parts_.counters.wait.observe(Duration(submitting - live->submitTime));
    parts_.counters.prepare.observe(Duration(running - submitting));
    parts_.counters.run.observe(Duration(times[attempt.record.outcome.state] - running));
}

/// It never ran and is not counted: the journal will not hear of it, and the next attempt has its number.
void Dispatcher::forgetUncounted(Attempt& attempt) {
    runnerOf(attempt).acknowledge(attempt.slot, attempt.id);
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

std::vector<timeline::Span> Dispatcher::openSpans() const {
    std::vector<timeline::Span> open;
    for (const auto& [id, attempt] : attempts_) {
        const bool began = attempt.record.times[ActionState::Submitting] != 0;
        if (began && !attempt.stored && attempt.phase != Phase::Ended)
            open.push_back(spanOf(attempt, attempt.record.times));
    }
    return open;
}

AttemptRecord Dispatcher::record(AttemptId id, ActionState state, Reason reason, bool retried,
                                 std::vector<store::SmallChunk>& chunks) {
    AttemptRecord record;
    record.n = id.attempt;
    Attempt* attempt = get(id);
    if (attempt) {
        // The record is needed once: with the attempt over it is moved out, of one still running it is a copy.
        if (attempt->phase == Phase::Ended) {
            chunks = std::move(attempt->chunks);
            record = std::move(attempt->record);
        } else {
            record = attempt->record;
        }
    }
    const WallMicros end = record.times[record.outcome.state];
    if (record.outcome.state != state) record.times[record.outcome.state] = 0;
    record.outcome.state = state;
    record.outcome.reason = reason;
    record.times[state] = end ? end : wallNow();
    if (attempt) {
        timeline::Span span = spanOf(*attempt, record.times);
        span.state = state;
        span.retried = retried;
        span.end = record.times[state];
        parts_.tellSpan(span);
    }
    return record;
}

void Dispatcher::stored(Lsn lsn, std::uint32_t number) {
    Attempt* attempt = get({lsn, number});
    if (!attempt) return;
    if (attempt->live) {
        attempt->live->ended = true;
        attempt->live->changed.notifyAll();
    }
    attempt->stored = true;
    if (attempt->phase != Phase::Ended) return; // abandoned at once; its process is still being ended
    if (runner_)
        runnerOf(*attempt).acknowledge(attempt->slot, attempt->id); // none yet: an attempt of the last engine
    erase(attempt->id);
}

void Dispatcher::erase(AttemptId id) {
    if (Attempt* attempt = get(id)) closeTerminal(*attempt);
    attempts_.erase(id);
    if (const auto at = latest_.find(id.lsn); at != latest_.end() && at->second == id.attempt) latest_.erase(at);
    progress_.notifyAll();
}

// --- followers

std::shared_ptr<LiveStreams> Dispatcher::follow(Lsn lsn, std::uint32_t number, unsigned stream) {
    Attempt* attempt = latest(lsn);
    if (attempt && number != 0) attempt = get({lsn, number});
    if (!attempt || attempt->stored) return nullptr;
    if (!attempt->live) attempt->live = std::make_shared<LiveStreams>();
    LiveStreams::One& one = attempt->live->streams[stream];
    if (!one.watched && attempt->phase == Phase::Launched) {
        one.watched = true;
        runnerOf(*attempt).watch(attempt->id, stream == 0 ? runners::Stream::Out : runners::Stream::Err);
    }
    return attempt->live;
}

void Dispatcher::setHurry(Lsn lsn) {
    if (Attempt* attempt = latest(lsn)) attempt->hurry = true;
}

} // namespace yard::engine
