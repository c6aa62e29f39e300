#include "core/runners/warm_processes.h"

#include "core/base/log.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::runners {

using pool::WhyEnded;

namespace {

/// One that dies closes its socket a moment before its end can be seen, and how it ended says more than our kill.
constexpr Duration kDiesWithin{200'000};
/// A look at that which comes so much later found this thread asleep: how it ended may wait to be read.
constexpr Duration kLate{50'000};
constexpr unsigned kMostLateLooks = 5;
/// So many want to know what a process printed, and wait for the launcher to tell.
constexpr std::size_t kMostAsks = 16;

} // namespace

WarmProcesses::WarmProcesses(WarmShared& shared, WarmProcessStarter& starter, WarmWorkers& workers)
    : shared_(shared)
    , starter_(starter)
    , workers_(workers) {
    const WarmConfig& config = shared.config;
    for (unsigned i = config.slots; i-- > 0;) freeSlots_.emplace_back(config.firstSlot.value + i);
}

WarmProcesses::~WarmProcesses() {
    for (const auto& [number, process] : processes_) process->channel.close();
}

// --- who there is

WarmProcess* WarmProcesses::find(pool::ProcessId id) const {
    if (id.place >= byPlace_.size()) return nullptr;
    WarmProcess* process = byPlace_[id.place];
    return process && process->inPool == id ? process : nullptr;
}

WarmProcess* WarmProcesses::find(AttemptId id) const {
    const auto at = processes_.find(id.lsn.value);
    return at == processes_.end() ? nullptr : at->second.get();
}

WarmProcess* WarmProcesses::find(const std::string& name) const {
    for (const auto& [number, process] : processes_)
        if (process->name == name) return process.get();
    return nullptr;
}

WarmProcess* WarmProcesses::findByPid(int pid) const {
    const auto at = std::ranges::find_if(processes_, [pid](const auto& one) { return one.second->pid == pid; });
    return at == processes_.end() || pid == 0 ? nullptr : at->second.get();
}

std::vector<WarmProcess*> WarmProcesses::list() const {
    std::vector<WarmProcess*> all;
    for (const auto& [number, process] : processes_) all.push_back(process.get());
    return all;
}

WarmProcessView WarmProcesses::viewOf(const WarmProcess& process) const {
    WarmProcessView view;
    view.id = process.name;
    view.worker = process.worker->source;
    view.pid = process.pid;
    view.concurrency = process.concurrency;
    view.given = process.given;
    view.cpuSeconds = process.cpuSeconds;
    view.rssBytes = process.rssBytes;
    if (const auto inPool = shared_.pool.process(process.inPool)) {
        view.state = pool::name(inPool->state);
        view.whyStarted = pool::name(inPool->whyStarted);
        view.whyEnded = pool::name(inPool->whyEnded);
        if (inPool->state == pool::ProcessState::Starting) view.note = process.step();
        view.sessions = inPool->sessions;
        view.processed = inPool->processed;
        view.started = inPool->started;
        view.lastUsed = inPool->lastUsed;
    }
    return view;
}

std::vector<ProcessLook> WarmProcesses::looks(bool usedOnly) {
    std::vector<ProcessLook> all;
    for (const auto& [number, process] : processes_) {
        if (process->pid == 0 || (usedOnly && !process->usedSinceSample && process->inFlight() == 0)) continue;
        process->usedSinceSample = false;
        all.push_back(process->look());
    }
    return all;
}

// --- start

void WarmProcesses::order(const pool::Outbox::Spawn& spawn, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    auto made = std::make_unique<WarmProcess>();
    WarmProcess& process = *made;
    process.inPool = spawn.process;
    process.id = {Lsn(nextNumber_++), 1};
    process.name = fmt::format("p{}", process.id.lsn.value - kFirstProcessLsn + 1);
    process.worker = workers_.of(spawn.group);
    process.slot = freeSlots_.back();
    freeSlots_.pop_back();
    processes_.emplace(process.id.lsn.value, std::move(made));
    if (byPlace_.size() <= spawn.process.place) byPlace_.resize(spawn.process.place + 1);
    byPlace_[spawn.process.place] = &process;
    const Resources kept = keptPart(process.worker->descriptor->resources, process.worker->descriptor->pool.keeps);
    const bool isAnything = kept.memoryMb > 0 || !kept.named.empty();
    if (!isAnything || shared_.host.hold(process.memoryKey(), kept))
        prepare(process);
    else
        askForRoom(process, now);
}

/// It has a place in a full pool while others wait for one, and may have what it waits for meanwhile.
bool WarmProcesses::isInTheWay(const WarmProcess& process) const {
    if (process.worker->descriptor->pool.keeps.empty()) return false;
    if (shared_.pool.count() < shared_.pool.options().max) return false;
    return std::ranges::any_of(shared_.pool.groups(), [&](pool::GroupId id) {
        const auto group = shared_.pool.group(id);
        return group && id != process.worker->group && group->waiting > 0 && group->size == 0 &&
               group->starting == 0;
    });
}

void WarmProcesses::askForRoom(WarmProcess& process, MonoTime now) {
    const bool askedBefore = std::exchange(process.asksAt, MonoTime::max()) != MonoTime::max();
    if (process.phase != WarmProcess::Phase::Waiting) return;
    // Those who asked for it do not any more.
    if (const auto group = shared_.pool.group(process.worker->group);
        group && group->size == 0 && group->waiting == 0 && group->options.minProcesses == 0) {
        shared_.pool.detach(process.inPool, WhyEnded::ActionEnded, now, shared_.out);
        return;
    }
    // Its place goes to who waits; it gets in line behind them. Not at once, or two such would only end each other.
    if (askedBefore && isInTheWay(process)) {
        shared_.pool.detach(process.inPool, WhyEnded::Evicted, now, shared_.out);
        return;
    }
    // It may only be in line behind who waits for cores.
    if (shared_.host.lacksMemory(process.worker->source))
        shared_.pool.makeRoom(
            process.inPool, [this](pool::GroupId id) { return workers_.memoryOf(id) > 0; }, now, shared_.out);
    for (const std::string& name : process.worker->descriptor->pool.keeps)
        if (shared_.host.lacks(process.memoryKey(), name))
            shared_.pool.makeRoom(
                process.inPool, [&](pool::GroupId id) { return workers_.keeps(id, name); }, now, shared_.out);
    process.asksAt = now + pool::kPatience;
    shared_.timer.armAt(process.asksAt);
}

void WarmProcesses::prepare(WarmProcess& process) {
    process.phase = WarmProcess::Phase::Preparing;
    process.kept = process.given = shared_.host.given(process.memoryKey());
    shared_.host.prepare({process.id, process.slot, process.worker->source, process.kept});
}

void WarmProcesses::memoryGranted(WarmProcess& process) {
    if (process.phase == WarmProcess::Phase::Waiting) prepare(process);
}

void WarmProcesses::prepared(WarmProcess& process, Result<Lease> lease, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    std::string failure;
    Result<UniqueFd> theirs = UniqueFd();
    if (!lease)
        failure = "its files could not be made: " + lease.error().message;
    else if (theirs = process.channel.open(); !theirs)
        failure = theirs.error().message;
    if (process.phase != WarmProcess::Phase::Ending && failure.empty())
        return launch(process, std::move(*lease), std::move(*theirs), now);
    process.channel.close();
    if (!failure.empty()) process.worker->lastFailure = {.message = failure};
    sayGoodbye(process, failure.empty() ? WhyEnded::None : WhyEnded::SpawnFailed, failure);
    if (process.phase == WarmProcess::Phase::Ending)
        shared_.pool.gone(process.inPool, now, shared_.out);
    else
        shared_.pool.spawnFailed(process.inPool, now, shared_.out);
    forget(process, now);
}

void WarmProcesses::launch(WarmProcess& process, Lease lease, UniqueFd theirs, MonoTime now) {
    lease.id = process.id;
    lease.slot = process.slot;
    process.memoryLimit = lease.sandbox ? static_cast<std::int64_t>(lease.sandbox->memoryBytes)
                                        : process.worker->descriptor->resources.memoryMb << 20;
    process.isContained = lease.sandbox != nullptr;
    lease.deadline = Duration::zero();
    lease.grace = shared_.grace;
    lease.keepsLast = true;
    lease.hurry = true;
    lease.locks = process.worker->locks;
    lease.socket = std::make_shared<UniqueFd>(std::move(theirs));
    lease.env.emplace_back("YARD_SOCKET_FD", std::to_string(kSocketFd));
    process.channel.watch(shared_.epoll.get(), static_cast<std::uint64_t>(process.id.lsn.value));
    process.phase = WarmProcess::Phase::Launched;
    process.submitted = true;
    process.readyBy = now + shared_.config.spawnLimit;
    shared_.timer.armAt(process.readyBy);
    starter_.submit(std::move(lease));
}

Result<void> WarmProcesses::becomeReady(WarmProcess& process, std::string_view json, MonoTime now) {
    const auto ready = warm::parseReady(json);
    if (!ready)
        return yard::fail(ErrorKind::Malformed, "it did not say that it is ready: " + ready.error().message);
    process.phase = WarmProcess::Phase::Live;
    process.concurrency = ready->concurrency;
    process.maxAhead = ready->ahead;
    process.firstLane = process.worker->takeLanes(process.concurrency);
    for (unsigned lane = process.concurrency; lane-- > 0;) process.freeLanes.push_back(lane);
    process.lastAnswer = now;
    ++shared_.counters.spawned;
    const double average = process.worker->averageRun;
    process.worker->window = -1;
    shared_.pool.spawned(process.inPool, ready->concurrency, average > 0 && average < kShortRun ? ready->ahead : 0,
                         now, shared_.out);
    becameIdle(process, now);
    return {};
}

// --- cores, and who has bytes to write

void WarmProcesses::noteToWrite(WarmProcess& process) {
    if (process.isToWrite) return;
    process.isToWrite = true;
    toWrite_.push_back(&process);
}

std::vector<WarmProcess*> WarmProcesses::takeToWrite() {
    for (WarmProcess* process : toWrite_) process->isToWrite = false;
    return std::exchange(toWrite_, {});
}

bool WarmProcesses::takeCores(WarmProcess& process, MonoTime now) {
    if (process.holdsCores) return true;
    if (process.wantsCores || process.gaveWay) return false;
    const Resources cores = busyPart(process.worker->descriptor->resources, process.worker->descriptor->pool.keeps);
    process.wantsCores = true;
    const bool isAnything = cores.milliCores > 0 || !cores.named.empty();
    if (isAnything && !shared_.host.hold(process.coreKey(), cores)) return false;
    haveCores(process, now);
    return true;
}

void WarmProcesses::haveCores(WarmProcess& process, MonoTime now) {
    process.wantsCores = false;
    process.holdsCores = true;
    process.given = joined(process.kept, shared_.host.given(process.coreKey()));
    process.heldSince = now;
    shared_.timer.armAt(now + kTurn);
}

void WarmProcesses::giveCores(WarmProcess& process) {
    if (process.wantsCores || process.holdsCores) shared_.host.letGo(process.coreKey());
    process.wantsCores = process.holdsCores = false;
    process.given = process.kept;
    process.turn = WarmProcess::Turn::Serving;
    process.yieldsFor = kTurn;
}

// --- idle ones

void WarmProcesses::becameIdle(const WarmProcess& process, MonoTime now) {
    const Duration most = process.worker->descriptor->pool.maxIdle.value_or(shared_.pool.options().maxIdle);
    if (most <= Duration::zero() || now + most >= nextClean_) return;
    nextClean_ = now + most;
    shared_.timer.armAt(nextClean_);
}

void WarmProcesses::clean(MonoTime now) {
    if (now >= nextClean_) nextClean_ = shared_.pool.clean(now, shared_.out).value_or(MonoTime::max());
    shared_.timer.armAt(nextClean_);
}

void WarmProcesses::cleanNow() {
    nextClean_ = MonoClock::now();
    shared_.timer.armAt(nextClean_);
}

// --- ends

void WarmProcesses::retire(WarmProcess& process, std::string why, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    const bool wasLive = process.phase == WarmProcess::Phase::Live;
    process.phase = WarmProcess::Phase::Ending;
    process.failure = std::move(why);
    process.worker->window = -1;
    process.channel.close();
    if (!wasLive) return;
    if (!process.endedForOne) {
        ++shared_.counters.crashes;
        logWarning("pool", "process {} of {} is ended: {}", process.name, process.worker->descriptor->name,
                   process.failure);
    }
    shared_.pool.crashed(process.inPool, now, shared_.out,
                         process.endedForOne  ? WhyEnded::ActionEnded
                         : process.overMemory ? WhyEnded::Memory
                                              : WhyEnded::Crashed);
}

void WarmProcesses::letEnd(WarmProcess& process, Duration grace, MonoTime now) {
    if (process.failure != kHungUp || shared_.isEnding) return kill(process, grace);
    process.killAt = now + kDiesWithin;
    shared_.timer.armAt(process.killAt);
}

void WarmProcesses::endPolitely(WarmProcess& process, MonoTime now) {
    process.worker->window = -1;
    if (process.phase == WarmProcess::Phase::Ending) return;
    const WarmProcess::Phase was = process.phase;
    process.phase = WarmProcess::Phase::Ending;
    giveCores(process);
    if (was == WarmProcess::Phase::Waiting) {
        sayGoodbye(process, WhyEnded::None, {});
        shared_.pool.gone(process.inPool, now, shared_.out);
        return forget(process, now);
    }
    if (was == WarmProcess::Phase::Preparing) return;
    process.channel.close();
    if (was == WarmProcess::Phase::Launched || shared_.isEnding) return kill(process, shared_.grace);
    process.killAt = now + shared_.grace;
    shared_.timer.armAt(process.killAt);
}

void WarmProcesses::lookAtEnd(WarmProcess& process, MonoTime now) {
    const bool isLate = now - process.killAt > kLate;
    if (process.failure != kHungUp || !isLate || ++process.lateLooks > kMostLateLooks)
        return kill(process, shared_.grace);
    process.killAt = now + kDiesWithin;
    shared_.timer.armAt(process.killAt);
}

void WarmProcesses::kill(WarmProcess& process, Duration grace) {
    process.killAt = MonoTime::max();
    if (process.failure == kHungUp) { // it should have been dying
        process.failure = "it closed its socket and went on";
        grace = Duration::zero();
    }
    if (process.submitted) starter_.end(process.id, grace);
}

void WarmProcesses::launcherIsDone(WarmProcess& process, const Ended& ended) {
    YARD_ASSERT_OWNER(owner_);
    process.submitted = false;
    process.output = std::make_shared<const OutputEnds>(
        OutputEnds{{ended.out.size, ended.out.bytes}, {ended.err.size, ended.err.bytes}});
    starter_.acknowledge(process.slot, process.id);
}

void WarmProcesses::failedToStart(WarmProcess& process, const Ended& ended, MonoTime now) {
    std::string why =
        ended.cause == EndCause::SpawnError
            ? fmt::format("start ({}): {}", runners::name(ended.spawn.step), ended.spawn.message)
        : process.failure.empty() || process.failure == kHungUp
            ? fmt::format("handshake: {} before it was ready; {}", howItEnded(ended), lastOutputOf(ended))
            : fmt::format("handshake: {}; {}", process.failure, lastOutputOf(ended));
    logWarning("pool", "no process of {} came up: {}", process.worker->descriptor->name, why);
    ++shared_.counters.spawnFailures;
    sayGoodbye(process, WhyEnded::SpawnFailed, why);
    process.worker->lastFailure = {ended.spawn.step, ended.spawn.err, {}, std::move(why)};
    shared_.pool.spawnFailed(process.inPool, now, shared_.out);
    forget(process, now);
}

void WarmProcesses::sayGoodbye(WarmProcess& process, WhyEnded why, std::string note) {
    process.lastView = viewOf(process);
    if (why != WhyEnded::None) process.lastView.whyEnded = pool::name(why);
    process.lastView.note = std::move(note);
}

void WarmProcesses::forget(WarmProcess& process, MonoTime now) {
    if (!process.output) process.output = std::make_shared<const OutputEnds>();
    while (!process.asks.empty()) tellOutput(process, process.output);
    process.lastView.ended = now;
    process.lastView.output = std::move(process.output);
    gone_.keep(std::move(process.lastView));
    process.channel.close();
    giveCores(process);
    shared_.host.letGo(process.memoryKey());
    shared_.host.discard({process.id, process.slot, process.worker->source});
    freeSlots_.push_back(process.slot);
    if (process.firstLane) process.worker->giveLanes(*process.firstLane, process.concurrency);
    process.worker->window = -1;
    byPlace_[process.inPool.place] = nullptr;
    std::erase(toWrite_, &process);
    const WarmWorker* worker = process.worker;
    processes_.erase(process.id.lsn.value);
    if (!hasAnyOf(*worker)) workers_.dropRemoved(worker);
}

bool WarmProcesses::hasAnyOf(const WarmWorker& worker) const {
    return std::ranges::any_of(processes_, [&](const auto& process) { return process.second->worker == &worker; });
}

// --- what they print

Result<void> WarmProcesses::askOutput(const std::string& name, OutputSink sink) {
    YARD_ASSERT_OWNER(owner_);
    if (WarmProcess* process = find(name)) {
        if (process->asks.size() >= kMostAsks)
            return yard::fail(ErrorKind::Busy,
                              "Too many ask what process " + name + " printed; try again in a moment.");
        if (process->submitted && starter_.askOutput(process->id))
            process->asks.push_back(std::move(sink));
        else
            sink(process->output ? process->output : std::make_shared<const OutputEnds>());
        return {};
    }
    const WarmProcessView* gone = gone_.find(name);
    if (!gone)
        return yard::fail(ErrorKind::NotFound,
                          "There is no warm process \"" + name +
                              "\", nor is it one of the last that ended; GET pool lists them.");
    sink(gone->output);
    return {};
}

void WarmProcesses::tellOutput(WarmProcess& process, const std::shared_ptr<const OutputEnds>& output) {
    if (process.asks.empty()) return;
    OutputSink sink = std::move(process.asks.front());
    process.asks.pop_front();
    sink(output);
}

} // namespace yard::runners
