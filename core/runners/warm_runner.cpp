// Opening, events and time; requests until they are with a process.
#include "core/runners/warm_runner.h"

#include "core/base/log.h"
#include "core/runners/warm_process.h"
#include "core/runners/warm_requests.h"
#include "core/runners/warm_workers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace yard::runners {

using pool::WhyEnded;

namespace {

/// The launcher starts the processes.
class LocalStarter final : public WarmProcessStarter {
public:
    explicit LocalStarter(Runner& local)
        : local_(local) {}
    void submit(Lease lease) override {
        std::vector<Lease> batch;
        batch.push_back(std::move(lease));
        local_.submit(std::move(batch));
    }
    void end(AttemptId id, Duration grace) override { local_.end(id, StopCause::Cancelled, grace); }
    void acknowledge(SlotId slot, AttemptId id) override { local_.acknowledge(slot, id); }
    bool askOutput(AttemptId id) override { return local_.askOutputEnds(id); }

private:
    Runner& local_;
};

} // namespace

WarmRunner::WarmRunner(WarmConfig config, Runner& local, WarmHost& host, UpdateSink sink)
    : local_(local)
    , sink_(std::move(sink))
    , shared_(std::move(config), host)
    , starter_(std::make_unique<LocalStarter>(local)) {}

WarmRunner::~WarmRunner() = default;

Result<std::unique_ptr<WarmRunner>> WarmRunner::start(WarmConfig config, Runner& local, WarmHost& host,
                                                      UpdateSink sink) {
    std::unique_ptr<WarmRunner> runner(new WarmRunner(std::move(config), local, host, std::move(sink)));
    if (auto opened = runner->open(); !opened) return std::unexpected(opened.error());
    return runner;
}

Result<void> WarmRunner::open() {
    if (auto opened = requests_.open(shared_.config.dataDir + "/slots.warm"); !opened) return opened;
    shared_.epoll.reset(::epoll_create1(EPOLL_CLOEXEC));
    wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!shared_.epoll || !wake_) return failErrno("make an epoll for warm workers", errno);
    if (auto opened = shared_.timer.open(); !opened) return opened;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = 0;
    ::epoll_ctl(shared_.epoll.get(), EPOLL_CTL_ADD, shared_.timer.fd(), &event);
    event.data.u64 = 1;
    ::epoll_ctl(shared_.epoll.get(), EPOLL_CTL_ADD, wake_.get(), &event);
    return {};
}

int WarmRunner::pollFd() const {
    return shared_.epoll.get();
}

void WarmRunner::onReadable() {
    YARD_ASSERT_OWNER(owner_);
    std::array<epoll_event, 64> events;
    const int n = ::epoll_wait(shared_.epoll.get(), events.data(), static_cast<int>(events.size()), 0);
    const MonoTime now = MonoClock::now();
    bool isDue = false;
    telling_ = true;
    for (int i = 0; i < n; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        std::uint64_t count = 0;
        if (event.data.u64 == 0) {
            isDue = shared_.timer.hasRung();
        } else if (event.data.u64 == 1) {
            if (::read(wake_.get(), &count, sizeof count) > 0) woken_ = false;
        } else if (WarmProcess* process =
                       processes_.find(AttemptId{Lsn(static_cast<std::int64_t>(event.data.u64)), 1})) {
            if (event.events & EPOLLOUT) router_.write(*process, now);
            if (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) router_.read(*process, now);
        }
    }
    if (isDue) tick(now);
    flush();
    telling_ = false;
    if (requests_.hasUpdates()) sink_(requests_.takeUpdates());
}

/// What the pool wants done, and what follows from that, until nothing does.
void WarmRunner::carry() {
    if (carrying_) return;
    carrying_ = true;
    const MonoTime now = MonoClock::now();
    while (!shared_.out.spawn.empty() || !shared_.out.served.empty() || !shared_.out.failed.empty() ||
           !shared_.out.end.empty() || !shared_.out.finishing.empty() || !shared_.out.restarted.empty() ||
           !shared_.out.rolledBack.empty()) {
        pool::Outbox todo = std::exchange(shared_.out, {});
        for (const auto& spawn : todo.spawn) processes_.order(spawn, now);
        for (const auto& served : todo.served) router_.served(served, now);
        for (const auto& failed : todo.failed) router_.failed(failed);
        for (const auto& end : todo.end)
            if (WarmProcess* process = processes_.find(end.process)) processes_.endPolitely(*process, now);
        for (const auto& finishing : todo.finishing)
            if (WarmProcess* process = processes_.find(finishing.process);
                process && finishing.why != WhyEnded::MaxRequests)
                router_.unsentElsewhere(*process, false, now);
        for (const pool::GroupId id : todo.restarted)
            logInfo("pool", "every process of {} is a new one", workers_.of(id)->descriptor->name);
        for (const auto& back : todo.rolledBack) {
            const WarmWorker& worker = *workers_.of(back.group);
            logWarning("pool", "the restart of {} was stopped, {} of {} processes are left: {}",
                       worker.descriptor->name, back.left, back.of,
                       back.why == WhyEnded::SpawnFailed
                           ? worker.lastFailure.message
                           : fmt::format("the new one was ended ({})", pool::name(back.why)));
        }
    }
    carrying_ = false;
    if (const auto at = shared_.pool.nextSpawn()) shared_.timer.armAt(*at);
    workers_.tellWindows();
}

void WarmRunner::flush() {
    carry();
    const MonoTime now = MonoClock::now();
    // Writing may find a process broken, and that gives others something to write.
    for (auto toWrite = processes_.takeToWrite(); !toWrite.empty(); toWrite = processes_.takeToWrite()) {
        for (WarmProcess* process : toWrite)
            if (!process->channel.waitsToWrite()) router_.write(*process, now);
        carry();
    }
    if (requests_.hasUpdates() && !woken_ && !telling_) {
        woken_ = true;
        ::eventfd_write(wake_.get(), 1);
    }
}

// --- workers

pool::GroupId WarmRunner::addWorker(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor,
                                    std::uint32_t gate) {
    YARD_ASSERT_OWNER(owner_);
    const pool::GroupId group = workers_.add(id, std::move(descriptor), gate).group;
    flush();
    return group;
}

pool::GroupId WarmRunner::addActor(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor,
                                   const std::string& source, std::vector<std::string> locks) {
    YARD_ASSERT_OWNER(owner_);
    WarmWorker& worker = workers_.add(id, std::move(descriptor), kNoGate, source);
    worker.locks = std::move(locks);
    const pool::GroupId group = worker.group;
    flush();
    return group;
}

void WarmRunner::removeWorker(const std::string& id) {
    WarmWorker* worker = workers_.find(id);
    if (!worker) return;
    shared_.pool.removeGroup(worker->group, MonoClock::now(), shared_.out);
    carry();
    for (const std::uint32_t place : std::exchange(worker->held, {}))
        requests_.fail(place, EndCause::SpawnError, "its worker was removed");
    workers_.remove(*worker);
    if (!processes_.hasAnyOf(*worker)) workers_.dropRemoved(worker);
    flush();
}

void WarmRunner::restartSigns(const std::string& id, const pool::RestartSigns& signs, UniqueFd changes) {
    WarmWorker* worker = workers_.find(id);
    if (!worker) return;
    const MonoTime now = MonoClock::now();
    workers_.take(*worker, signs, std::move(changes), now);
    carry();
    worker->lookedAt = now; // those held were submitted before this look: they need no other one
    for (const std::uint32_t request : std::exchange(worker->held, {})) router_.route(request, now);
    flush();
}

void WarmRunner::configure(const pool::PoolOptions& options, Duration grace) {
    pool::PoolOptions held = options;
    held.max = std::min(held.max, shared_.config.slots);
    shared_.grace = grace;
    shared_.pool.configure(held, MonoClock::now(), shared_.out);
    processes_.cleanNow();
    workers_.forgetWindows();
    flush();
}

bool WarmRunner::restart(const std::string& id) {
    const WarmWorker* worker = workers_.find(id);
    if (!worker) return false;
    shared_.pool.restart(worker->group, MonoClock::now(), shared_.out);
    flush();
    return true;
}

// --- processes

bool WarmRunner::detach(const std::string& name) {
    WarmProcess* process = processes_.find(name);
    if (!process) return false;
    const bool done = shared_.pool.detach(process->inPool, pool::WhyEnded::Detached, MonoClock::now(), shared_.out);
    process->worker->window = -1;
    flush();
    return done;
}

void WarmRunner::prepared(AttemptId id, Result<Lease> lease) {
    YARD_ASSERT_OWNER(owner_);
    WarmProcess* process = processes_.find(id);
    if (!process) return;
    processes_.prepared(*process, std::move(lease), MonoClock::now());
    flush();
}

void WarmRunner::granted(std::uint64_t key) {
    const AttemptId id{Lsn(static_cast<std::int64_t>(key / 2)), 1};
    WarmProcess* process = processes_.find(id);
    if (!process) return shared_.host.letGo(key);
    if (key == process->memoryKey())
        processes_.memoryGranted(*process);
    else
        router_.coresGranted(*process, MonoClock::now());
    flush();
}

void WarmRunner::processUpdate(Update update) {
    YARD_ASSERT_OWNER(owner_);
    WarmProcess* process = processes_.find(update.id);
    if (!process) return;
    const MonoTime now = MonoClock::now();
    if (const auto* started = std::get_if<Started>(&update.what)) {
        process->pid = started->pid;
    } else if (const auto* ended = std::get_if<Ended>(&update.what)) {
        router_.processEnded(*process, *ended, now);
    } else if (auto* ends = std::get_if<OutputEnds>(&update.what)) {
        processes_.tellOutput(*process, std::make_shared<const OutputEnds>(std::move(*ends)));
    } else if (std::holds_alternative<Returned>(update.what)) {
        Ended never;
        never.cause = EndCause::SpawnError;
        never.spawn.message = "the launcher did not take it";
        router_.processEnded(*process, never, now);
    } else if (const auto* busy = std::get_if<LockBusy>(&update.what)) {
        Ended never;
        never.cause = EndCause::SpawnError;
        never.spawn.step = SpawnStep::Lock;
        never.spawn.message = whyLocked(*busy);
        router_.processEnded(*process, never, now);
    }
    flush();
}

bool WarmRunner::giveMemory(std::int64_t memoryMb) {
    YARD_ASSERT_OWNER(owner_);
    const bool isComing = release_.giveMemory(memoryMb);
    flush();
    return isComing;
}

bool WarmRunner::giveNamed(const std::string& name) {
    YARD_ASSERT_OWNER(owner_);
    const bool isComing = release_.giveNamed(name);
    flush();
    return isComing;
}

void WarmRunner::endThoseWith(const std::string& resource, const std::string& name) {
    YARD_ASSERT_OWNER(owner_);
    release_.endThoseWith(resource, name);
    flush();
}

Result<void> WarmRunner::askOutput(const std::string& process, OutputSink sink) {
    YARD_ASSERT_OWNER(owner_);
    return processes_.askOutput(process, std::move(sink));
}

std::vector<ProcessLook> WarmRunner::looks(bool usedOnly) {
    YARD_ASSERT_OWNER(owner_);
    return processes_.looks(usedOnly);
}

void WarmRunner::sampled(const std::vector<ProcessSample>& samples) {
    const MonoTime now = MonoClock::now();
    for (const ProcessSample& sample : samples) {
        WarmProcess* process = processes_.findByPid(sample.pid);
        if (!process) continue;
        process->cpuSeconds = sample.cpuSeconds;
        process->rssBytes = sample.rssBytes;
        if (process->phase == WarmProcess::Phase::Live && !sample.hasSocket)
            router_.broken(*process, std::string(kHungUp), now);
        else
            router_.noteMemory(*process, sample.memoryBytes, sample.processes, now);
    }
    flush();
}

void WarmRunner::noteMemory(int pid, std::int64_t bytes, std::size_t processes) {
    YARD_ASSERT_OWNER(owner_);
    if (WarmProcess* process = processes_.findByPid(pid))
        router_.noteMemory(*process, bytes, processes, MonoClock::now());
    flush();
}

// --- requests

void WarmRunner::submit(std::vector<Lease> batch) {
    YARD_ASSERT_OWNER(owner_);
    const MonoTime now = MonoClock::now();
    for (Lease& lease : batch) {
        const std::uint32_t place = requests_.add(std::move(lease));
        if (shared_.isEnding)
            requests_.giveBack(place);
        else
            router_.route(place, now);
    }
    flush();
}

std::optional<MonoTime> WarmRunner::answerBy() const {
    return router_.answerBy();
}

void WarmRunner::entriesSynced(const Result<void>& synced) {
    YARD_ASSERT_OWNER(owner_);
    router_.entriesSynced(synced, MonoClock::now());
    flush();
}

void WarmRunner::remade(AttemptId id, const Result<void>& made) {
    YARD_ASSERT_OWNER(owner_);
    if (const auto place = requests_.find(id)) router_.remade(*place, made, MonoClock::now());
    flush();
}

void WarmRunner::takeBack(AttemptId id) {
    YARD_ASSERT_OWNER(owner_);
    if (const auto place = requests_.find(id)) router_.takeBack(*place, MonoClock::now());
    flush();
}

void WarmRunner::end(AttemptId id, StopCause cause, std::optional<Duration> grace) {
    YARD_ASSERT_OWNER(owner_);
    if (const auto place = requests_.find(id)) router_.end(*place, cause, grace, MonoClock::now());
    flush();
}

void WarmRunner::endAll(StopCause cause, std::optional<Duration> grace) {
    for (const AttemptId id : requests_.all()) end(id, cause, grace);
}

void WarmRunner::shutDown(Duration grace) {
    shared_.isEnding = true;
    shared_.grace = grace;
    endAll(StopCause::EngineStopped, grace);
    std::vector<std::string> ids;
    for (const auto& [id, worker] : workers_.all()) ids.push_back(id);
    for (const std::string& id : ids) removeWorker(id);
}

void WarmRunner::acknowledge(SlotId slot, AttemptId id) {
    if (!requests_.freeEntry(slot, id)) return;
    const MonoTime now = MonoClock::now();
    for (const auto& [number, process] : processes_.all()) router_.feed(*process, now);
    flush();
}

// --- time

void WarmRunner::tick(MonoTime now) {
    requests_.tellStarted(now);
    const bool deadlines = requests_.areDeadlinesDue(now);
    const bool isCrowded = shared_.host.isCrowded();
    for (WarmProcess* process : processes_.list()) {
        if (now >= process->killAt) {
            processes_.lookAtEnd(*process, now);
        } else if (process->killAt != MonoTime::max()) {
            shared_.timer.armAt(process->killAt);
        }
        if (process->phase == WarmProcess::Phase::Launched && now >= process->readyBy)
            router_.broken(
                *process,
                fmt::format("it was not ready within {} s", shared_.config.spawnLimit.count() / 1'000'000), now);
        else if (process->phase == WarmProcess::Phase::Launched)
            shared_.timer.armAt(process->readyBy);
        if (now >= process->asksAt)
            processes_.askForRoom(*process, now);
        else
            shared_.timer.armAt(process->asksAt);
        if (deadlines) router_.lookAtDeadlines(*process, now);
        router_.takeTurns(*process, isCrowded, now);
    }
    requests_.armDeadline();
    processes_.clean(now);
    (void)shared_.pool.retrySpawns(now, shared_.out); // what is left to retry is armed once this is carried out
}

} // namespace yard::runners
