// Workers of the pool, their restart files, and what people see of it.
#include "core/runners/warm_runner.h"
#include "core/runners/warm_state.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace yard::runners {

namespace {

constexpr Duration kLookEach{1'000'000}; ///< where changes of the directory cannot be watched

} // namespace

pool::GroupId WarmRunner::addWorker(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor,
                                    std::uint32_t gate) {
    YARD_ASSERT_OWNER(owner_);
    auto& worker = workers_[id];
    if (!worker) worker = std::make_unique<Worker>();
    worker->id = id;
    worker->descriptor = std::move(descriptor);
    worker->restartDir =
        pool::restartDirectory(config_.dataDir + "/workers/" + id, worker->descriptor->pool.restartDir);
    worker->gate = gate;
    worker->window = -1;
    const MonoTime now = MonoClock::now();
    worker->group = pool_.addGroup(id, worker->descriptor->pool.group, worker->options(), now, out_);
    if (byGroup_.size() <= worker->group.place) byGroup_.resize(worker->group.place + 1);
    byGroup_[worker->group.place] = worker.get();
    flush();
    return worker->group;
}

void WarmRunner::removeWorker(const std::string& id) {
    const auto at = workers_.find(id);
    if (at == workers_.end()) return;
    const MonoTime now = MonoClock::now();
    Worker& worker = *at->second;
    pool_.removeGroup(worker.group, now, out_);
    carry();
    for (const std::uint32_t place : std::exchange(worker.held, {}))
        fail(place, EndCause::SpawnError, "its worker was removed");
    byGroup_[worker.group.place] = nullptr;
    host_.setWindow(worker.gate, 0);
    // Its processes may take a while to end, and refer to it.
    removed_.push_back(std::move(at->second));
    workers_.erase(at);
    flush();
}

std::optional<pool::GroupId> WarmRunner::groupOf(const std::string& worker) const {
    const auto at = workers_.find(worker);
    return at == workers_.end() ? std::nullopt : std::optional(at->second->group);
}

void WarmRunner::configure(const pool::PoolOptions& options, Duration grace) {
    pool::PoolOptions held = options;
    held.max = std::min(held.max, config_.slots);
    grace_ = grace;
    pool_.configure(held, MonoClock::now(), out_);
    nextClean_ = MonoClock::now();
    armAt(nextClean_);
    for (const auto& [id, worker] : workers_) worker->window = -1;
    flush();
}

bool WarmRunner::restart(const std::string& id) {
    const auto at = workers_.find(id);
    if (at == workers_.end()) return false;
    pool_.restart(at->second->group, MonoClock::now(), out_);
    flush();
    return true;
}

bool WarmRunner::detach(const std::string& name) {
    Process* process = find(name);
    if (!process) return false;
    const bool done = pool_.detach(process->inPool, pool::WhyEnded::Detached, MonoClock::now(), out_);
    process->worker->window = -1;
    flush();
    return done;
}

WarmRunner::Process* WarmRunner::find(const std::string& name) const {
    for (const auto& [number, process] : processes_)
        if (process->name == name) return process.get();
    return nullptr;
}

// --- what processes print

Result<void> WarmRunner::askOutput(const std::string& name, OutputSink sink) {
    YARD_ASSERT_OWNER(owner_);
    if (Process* process = find(name)) {
        if (process->asks.size() >= kMostAsks)
            return yard::fail(ErrorKind::Busy,
                              "Too many ask what process " + name + " printed; try again in a moment.");
        if (process->submitted && local_.askOutput(process->id))
            process->asks.push_back(std::move(sink));
        else
            sink(process->output ? process->output : std::make_shared<const OutputEnds>());
        return {};
    }
    const auto gone = std::ranges::find(gone_, name, &WarmProcessView::id);
    if (gone == gone_.end())
        return yard::fail(ErrorKind::NotFound,
                          "There is no warm process \"" + name +
                              "\", nor is it one of the last that ended; GET pool lists them.");
    sink(gone->output);
    return {};
}

void WarmRunner::tellOutput(Process& process, const std::shared_ptr<const OutputEnds>& output) {
    if (process.asks.empty()) return;
    OutputSink sink = std::move(process.asks.front());
    process.asks.pop_front();
    sink(output);
}

// --- restart files

namespace {

struct Noticed {
    bool anything = false;
    bool isOver = false; ///< what was watched is not at its place any more
};

Noticed readChanges(int inotifyFd) {
    Noticed noticed;
    alignas(inotify_event) std::array<char, 4096> events;
    for (ssize_t n = 0; (n = ::read(inotifyFd, events.data(), events.size())) > 0;) {
        noticed.anything = true;
        for (std::size_t at = 0; at < static_cast<std::size_t>(n);) {
            const auto& event = *reinterpret_cast<const inotify_event*>(events.data() + at);
            if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) noticed.isOver = true;
            at += sizeof(inotify_event) + event.len;
        }
    }
    return noticed;
}

} // namespace

/// Something may have changed since the last look. Does not block: the watch is asked, which costs a system call, so
/// once per batch of requests: all that happened before one of them was submitted has happened before `now`.
bool WarmRunner::mustLook(Worker& worker, MonoTime now) {
    if (!worker.changes) return worker.lookedAt == MonoTime{} || now - worker.lookedAt >= kLookEach;
    if (worker.lookedAt == now) return false;
    worker.lookedAt = now;
    const Noticed noticed = readChanges(worker.changes.get());
    // The path may name another directory now, or none: the look watches anew what is there.
    if (noticed.isOver) worker.changes.reset();
    return noticed.anything;
}

void WarmRunner::look(Worker& worker, MonoTime now) {
    if (worker.isLooking) return;
    worker.isLooking = true;
    worker.lookedAt = now;
    host_.lookForRestart(worker.id, worker.restartDir, !worker.changes);
}

void WarmRunner::restartSigns(const std::string& id, const pool::RestartSigns& signs, UniqueFd changes) {
    const auto at = workers_.find(id);
    if (at == workers_.end()) return;
    Worker& worker = *at->second;
    const MonoTime now = MonoClock::now();
    worker.isLooking = false;
    if (changes) worker.changes = std::move(changes);
    const pool::RestartFiles::Advice advice = worker.files.look(signs);
    if (advice.always != worker.always) {
        worker.always = advice.always;
        pool_.configureGroup(worker.group, worker.options(), now, out_);
    }
    if (advice.restart) pool_.reload(worker.group, now, out_);
    carry();
    worker.lookedAt = now; // those held were submitted before this look: they need no other one
    for (const std::uint32_t request : std::exchange(worker.held, {})) route(request, now);
    flush();
}

// --- lanes

WarmRunner::Worker::Function& WarmRunner::Worker::function(std::string_view name) {
    const auto at = std::ranges::find(functions, name, &Function::name);
    if (at != functions.end()) return *at;
    if (functions.size() > kMostFunctions) return functions.back(); // of all the others
    return functions.emplace_back(std::string(name));
}

std::uint32_t WarmRunner::Worker::takeLanes(unsigned count) {
    std::size_t first = 0;
    for (std::size_t at = 0; at < lanes.size() && at < first + count; ++at)
        if (lanes[at]) first = at + 1;
    if (lanes.size() < first + count) lanes.resize(first + count);
    for (std::size_t at = first; at < first + count; ++at) lanes[at] = true;
    return static_cast<std::uint32_t>(first);
}

void WarmRunner::Worker::giveLanes(std::uint32_t first, unsigned count) {
    for (std::size_t at = first; at < std::size_t{first} + count; ++at) lanes[at] = false;
}

// --- looking

void WarmRunner::sampled(const std::vector<ProcessSample>& samples) {
    const MonoTime now = MonoClock::now();
    for (const ProcessSample& sample : samples) {
        Process* process = findByPid(sample.pid);
        if (!process) continue;
        process->cpuSeconds = sample.cpuSeconds;
        process->rssBytes = sample.rssBytes;
        if (process->phase == Process::Phase::Live && !sample.hasSocket)
            broken(*process, std::string(kHungUp), now);
        else
            checkMemory(*process, sample.memoryBytes, sample.processes, now);
    }
    flush();
}

void WarmRunner::noteMemory(int pid, std::int64_t bytes, std::size_t processes) {
    YARD_ASSERT_OWNER(owner_);
    if (Process* process = findByPid(pid)) checkMemory(*process, bytes, processes, MonoClock::now());
    flush();
}

void WarmRunner::checkMemory(Process& process, std::int64_t bytes, std::size_t processes, MonoTime now) {
    process.memoryBytes = bytes;
    process.processes = processes;
    if (process.memoryLimit <= 0 || bytes <= process.memoryLimit) return;
    const bool isLive = process.phase == Process::Phase::Live;
    const bool isIdle = isLive && process.inFlight() == 0;
    if (isLive && (isIdle || !process.isContained)) pool_.detach(process.inPool, pool::WhyEnded::Memory, now, out_);
    const bool starts = process.phase == Process::Phase::Launched;
    if (!process.isContained || isIdle || !(isLive || starts)) return;
    process.overMemory = true;
    broken(process,
           fmt::format("its processes, /tmp, sockets and pipes took more than {} MB together",
                       process.memoryLimit >> 20),
           now);
}

WarmRunner::Process* WarmRunner::findByPid(int pid) const {
    const auto at = std::ranges::find_if(processes_, [pid](const auto& one) { return one.second->pid == pid; });
    return at == processes_.end() || pid == 0 ? nullptr : at->second.get();
}

std::vector<ProcessLook> WarmRunner::looks(bool usedOnly) {
    std::vector<ProcessLook> all;
    for (const auto& [number, process] : processes_) {
        if (process->pid == 0 || (usedOnly && !process->usedSinceSample && process->inFlight() == 0)) continue;
        process->usedSinceSample = false;
        all.push_back(process->look());
    }
    return all;
}

std::vector<ProcessLook> WarmRunner::looks(const std::string& name) const {
    const Process* process = find(name);
    if (!process || process->pid == 0) return {};
    ProcessLook look = process->look();
    look.socket = 0;
    return {look};
}

std::vector<ProcessLook> WarmRunner::limited() const {
    std::vector<ProcessLook> all;
    for (const auto& [number, process] : processes_) {
        const bool works =
            process->phase == Process::Phase::Live && (process->inFlight() > 0 || process->hasChildren());
        if (process->memoryLimit > 0 && process->pid != 0 && (works || process->phase == Process::Phase::Launched))
            all.push_back(process->look());
    }
    return all;
}

WarmProcessView WarmRunner::viewOf(const Process& process) const {
    WarmProcessView view;
    view.id = process.name;
    view.worker = process.worker->id;
    view.pid = process.pid;
    view.concurrency = process.concurrency;
    view.cpuSeconds = process.cpuSeconds;
    view.rssBytes = process.rssBytes;
    if (const auto inPool = pool_.process(process.inPool)) {
        view.state = pool::name(inPool->state);
        view.whyStarted = pool::name(inPool->whyStarted);
        view.whyEnded = pool::name(inPool->whyEnded);
        if (inPool->state == pool::ProcessState::Starting) view.note = stepOf(process);
        view.sessions = inPool->sessions;
        view.processed = inPool->processed;
        view.started = inPool->started;
        view.lastUsed = inPool->lastUsed;
    }
    for (const std::uint32_t place : process.lanes) {
        const Request& request = requests_[place];
        view.current.push_back(request.id.lsn);
        view.currentSince = view.currentSince ? std::min(*view.currentSince, request.laneAt) : request.laneAt;
    }
    return view;
}

std::string_view WarmRunner::stepOf(const Process& process) const {
    switch (process.phase) {
    case Process::Phase::Waiting: return kWaitsForMemory;
    case Process::Phase::Preparing: return "its files are made";
    default: return process.pid == 0 ? "is being started" : "has not said that it is ready";
    }
}

std::optional<WarmWait> WarmRunner::waitOf(const std::string& worker) const {
    const auto id = groupOf(worker);
    const auto group = id ? pool_.group(*id) : std::nullopt;
    if (!group) return std::nullopt;
    WarmWait wait;
    wait.serving = static_cast<unsigned>(group->size);
    bool lacksCores = false;
    bool yields = false;
    for (const auto& [number, process] : processes_) {
        const auto inPool = process->worker->group == *id ? pool_.process(process->inPool) : std::nullopt;
        if (!inPool) continue;
        if (inPool->state == pool::ProcessState::Starting) {
            wait.step = stepOf(*process);
            if (process->phase == Process::Phase::Waiting) wait.hold = process->memoryKey();
        }
        if (process->wantsCores && group->starting == 0) wait.hold = process->coreKey();
        wait.idle += inPool->state == pool::ProcessState::Idle;
        lacksCores |= process->wantsCores;
        yields |= process->yields() || process->gaveWay;
    }
    using For = WarmWait::For;
    const auto limit = [&](For what, unsigned alive, unsigned most) {
        wait.what = what;
        wait.alive = alive;
        wait.most = most;
    };
    wait.isOwnLimit = group->isOwnLimit;
    if (group->starting > 0)
        wait.what = For::Start;
    else if (yields || lacksCores)
        wait.what = yields ? For::Turn : For::Cores;
    else if (wait.idle > 0)
        wait.what = For::Process;
    else if (group->ofFamily >= group->mostOfFamily)
        limit(For::Group, group->ofFamily, group->mostOfFamily);
    else if (pool_.count() >= pool_.options().max)
        limit(For::Place, pool_.count(), pool_.options().max);
    else if (group->size > 0 && group->pausedUntil > MonoClock::now())
        wait.what = For::Pause;
    wait.until = group->pausedUntil;
    return wait;
}

std::string WarmRunner::holderName(std::uint64_t key) const {
    const auto at = processes_.find(static_cast<std::int64_t>(key / 2));
    if (at == processes_.end()) return {};
    return fmt::format("process {} of {}", at->second->name, at->second->worker->descriptor->name);
}

std::optional<WarmProcessView> WarmRunner::view(const std::string& name) const {
    if (const Process* process = find(name)) return viewOf(*process);
    const auto gone = std::ranges::find(gone_, name, &WarmProcessView::id);
    return gone == gone_.end() ? std::nullopt : std::optional(*gone);
}

WarmPoolView WarmRunner::view() const {
    WarmPoolView all;
    all.options = pool_.options();
    for (const auto& [id, worker] : workers_) {
        const auto group = pool_.group(worker->group);
        if (!group) continue;
        WarmGroupView view;
        view.worker = id;
        view.name = group->family;
        view.version = worker->descriptor->version;
        view.gate = worker->gate;
        view.limits = group->options;
        view.memoryMb = worker->descriptor->resources.memoryMb;
        if (group->restarting) view.restart = {group->renewed, group->target};
        view.waiting = group->waiting + worker->held.size();
        view.spawning = group->starting > 0;
        if (group->hits + group->misses > 0)
            view.hitRate = static_cast<double>(group->hits) / static_cast<double>(group->hits + group->misses);
        view.spawnSecondsSaved = inSeconds(group->saved);
        for (const auto& [number, process] : processes_)
            if (process->worker == worker.get()) view.processes.push_back(viewOf(*process));
        all.groups.push_back(std::move(view));
    }
    all.gone.assign(gone_.begin(), gone_.end());
    return all;
}

} // namespace yard::runners
