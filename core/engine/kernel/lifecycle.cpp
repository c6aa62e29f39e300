// Start and end of the engine. The order of a start: the directory's lock, then the end of everything an earlier
// engine left alive, then the journal, then what was interrupted goes back to Pending, then work begins.
#include "core/engine/kernel/kernel.h"

#include "core/base/log.h"
#include "core/base/thread_name.h"
#include "core/coro/stuck_watch.h"
#include "core/coro/timeout.h"
#include "core/engine/kernel/restoring.h"
#include "core/model/worker.h"
#include "core/runners/runner_source.h"
#include "core/runners/this_machine.h"
#include "core/session/growing_capacity.h"
#include "core/session/indexed_capacity.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

namespace {

/// Beyond the grace of running actions: to commit what ended. With the grace, kSaveLimit and 2 s for the launcher to go
/// that is the 10 s of docs/api.md; main ends nothing by itself.
constexpr Duration kShutdownSlack{5'000'000};
/// For the journal to take what is known of kinds of work.
constexpr Duration kSaveLimit{1'000'000};
/// For other systems to be told to end what was asked of them.
constexpr Duration kPilotsLimit{2'000'000};
/// For the journal to take what the last engine left unfinished.
constexpr Duration kStartLimit{30'000'000};
constexpr Duration kIdleCheck{100'000};
/// Handed out and not ended, whatever they need: what waits behind what runs included.
constexpr int kMostOutstanding = 4'096;

/// From what finished last.
coro::Task<void> learnFromHistory(JournalReads& journal, Estimates& estimates) {
    constexpr int kRows = 1'000;
    const auto rows = co_await journal.history(kRows, {});
    if (rows)
        estimates.learn(*rows);
    else
        logDebug("engine", "what finished last cannot be read: {}", rows.error().message);
}

} // namespace

Kernel::Kernel(Options options)
    : ground_(std::move(options)) {}

Kernel::~Kernel() {
    close();
}

Result<void> Kernel::open() {
    if (auto opened = ground_.openDirectory(); !opened) return opened;
    if (auto read = ground_.readSettings(); !read) return read;
    if (auto planned = ground_.planJoin(); !planned) return planned;
    ground_.settingsService.onChanged([this](const Settings& before) { settingsChanged(before); });
    auto interrupted = endInterrupted(*ground_.directory, ground_.options.runners);
    if (!interrupted) return std::unexpected(interrupted.error());
    interrupted_ = std::move(*interrupted);
    if (auto opened = openStorage(); !opened) return opened;
    ground_.openHelpers();
    auto scratch = runners::ScratchHome::open(ground_.directory->path());
    if (!scratch) return std::unexpected(scratch.error());
    if (auto opened = ground_.openHooks(); !opened) return opened;
    if (auto planned = ground_.planResources(); !planned) return planned;
    openSession();
    if (auto opened = wiring_.openServices(); !opened) return opened;
    wiring_.openRunning(std::move(*scratch));
    ground_.loop.release();
    std::promise<Result<void>> begun;
    std::future<Result<void>> began = begun.get_future();
    thread_ = std::thread([this, begun = std::move(begun)]() mutable { runLoop(std::move(begun)); });
    auto result = began.get();
    return result;
}

Result<void> Kernel::openStorage() {
    store::StoreCallbacks callbacks;
    callbacks.acks = [this](store::Acks acks) { services_.committer.deliver(std::move(acks)); };
    callbacks.specs = [this](std::vector<store::FetchedSpec> specs) {
        ground_.loop.post(
            [this, specs = std::move(specs)]() mutable { services_.execution->specsArrived(std::move(specs)); },
            coro::Band::Updates);
    };
    callbacks.begun = [this] { ground_.together.join(); };
    if (auto opened = ground_.openStorage(interrupted_.streams(), std::move(callbacks)); !opened) return opened;
    services_.committer.attach(*ground_.store);
    return {};
}

/// This machine and those beside it, in the order of their places; others may come. With one alone each decision costs
/// least.
static std::unique_ptr<session::Capacity>
machinesOf(const Resources& own, const session::SessionOptions& options, int coreSlots,
           const std::vector<std::shared_ptr<runners::RunnerSource>>& beside) {
    const auto leases = static_cast<std::uint32_t>(1 + options.aheadPerSlot);
    fleet::Machine local;
    local.name = "local";
    local.platform = thisPlatform();
    local.total = own;
    local.slots = static_cast<std::uint32_t>(coreSlots) * leases;
    local.otherSlots = static_cast<std::uint32_t>(options.sharedSlots);
    if (beside.empty()) return std::make_unique<session::GrowingCapacity>(std::move(local));
    auto machines = std::make_unique<session::FleetCapacity>(std::move(local));
    for (std::uint32_t at = 0; at < beside.size(); ++at) {
        fleet::Machine machine;
        machine.name = beside[at]->name();
        machine.platform = thisPlatform();
        machine.total = {.milliCores = std::int64_t{1000} * beside[at]->cores(), .memoryMb = 0, .named = {}};
        machine.slots = beside[at]->cores() * leases;
        machine.takesWorkers = false; // a lease has paths of this machine
        machines->add(session::MachineId(at + 1), std::move(machine));
    }
    return machines;
}

void Kernel::openSession() {
    session::SessionOptions options;
    options.slotCount = ground_.slotPlan.oneCore();
    options.sharedSlots = ground_.slotPlan.shared;
    options.maxOutstanding = std::min(
        kMostOutstanding, options.slotCount * static_cast<int>(runners::kLeasesPerSlot) + options.sharedSlots);
    Resources own = ground_.total;
    own.milliCores -= std::int64_t{1000} * ground_.slotPlan.beside;
    auto machines = machinesOf(own, options, ground_.slotPlan.core, ground_.options.runners);
    if (!ground_.pieces.empty())
        machines =
            std::make_unique<session::IndexedCapacity>(std::move(machines), ground_.pieces, ground_.gpuMemory);
    if (session::IndexedResources* indexed = machines->indexed()) {
        const std::vector<host::GpuFigures> seen = ground_.gpuReader->first();
        for (std::size_t i = 0; i < ground_.gpus.size() && i < seen.size(); ++i)
            if (!seen[i].lost.empty()) indexed->setLost(kGpus, ground_.gpus[i].index, true);
    }
    services_.session.emplace(std::move(machines), options);
    services_.session->setReserve(ground_.settings.reserve);
}

/// Whoever has a copy of a setting, or waits for a time that it gives.
void Kernel::settingsChanged(const Settings& before) {
    ground_.chunkFiles->setGrace(ground_.settings.chunkGrace);
    services_.session->setReserve(ground_.settings.reserve);
    services_.retention->settingsChanged();
    services_.guards->settingsChanged(before);
    services_.courtesy->settingsChanged(before);
    services_.guests->settingsChanged();
    warmSide_.settingsChanged();
}

/// The engine thread: what is read at the start is read here, before the loop runs.
void Kernel::runLoop(std::promise<Result<void>> begun) {
    nameThisThread("engine");
    ground_.together.join();
    if (auto opened = begin(); !opened) {
        begun.set_value(std::move(opened));
    } else {
        const coro::StuckWatch::Watched watched(ground_.loop);
        ground_.loop.spawn("start", beginWork(std::move(begun)));
        ground_.loop.runForever();
    }
    ground_.loop.shutdown();
    services_.courtesy->close();
    services_.guests.reset(); // it gives back what its jobs have
    if (services_.places) services_.places->close();
    services_.warmWatch.reset();
    services_.scheduleAlarm.reset();
    services_.alertAlarm.reset();
}

Result<void> Kernel::begin() {
    if (auto restored = restore(ground_, services_, interrupted_); !restored) return restored;
    interrupted_ = {};
    if (auto started = ground_.startStorage(); !started) return started;
    wiring_.openUpkeep();
    services_.scheduleAlarm.emplace(ground_.loop);
    services_.alertAlarm.emplace(ground_.loop);
    // Empty output is one chunk for all: kept from the beginning, not written with each result.
    return ground_.store->post(
        {.tag = 0, .unhurried = true, .action = store::PutChunk{{Hash256::ofNothing(), {}}}});
}

/// What was interrupted is committed before the runner makes a new slots file, which forgets it: an engine that
/// dies in between finds it again. What other machines may have is theirs from then on. Nothing starts before the session is
/// Ready.
coro::Task<void> Kernel::beginWork(std::promise<Result<void>> begun) {
    services_.workspaces->attach(*ground_.chunks);
    services_.guestJobs->attach(*ground_.chunks);
    co_await services_.workspaces->keepLeftStreams(ground_.directory->chunks() + "/tmp/");
    ground_.loop.spawn("pump", pump())->markService();
    wake();
    const MonoTime until = MonoClock::now() + kStartLimit;
    while (isBusy() && MonoClock::now() < until) co_await idleFor(kIdleCheck);
    Result<void> result;
    if (isBusy())
        result =
            fail(ErrorKind::Journal, "The journal does not take what the last engine left unfinished: is the disk "
                                     "full? Make room and start again.");
    else
        result = startRunners();
    if (result) result = co_await services_.machines->restore(std::exchange(services_.machineBook, {}));
    if (result) result = services_.session->moveTo(SessionState::Ready, services_.outbox);
    if (result) {
        ground_.store->startSucceeded();
        startServices();
        wake();
    }
    const bool ready = result.has_value();
    begun.set_value(std::move(result));
    if (!ready) ground_.loop.stop();
}

/// What has to be done by itself, as cooperative threads.
void Kernel::startServices() {
    const auto serve = [this](const char* name, coro::Task<void> task) {
        ground_.loop.spawn(name, std::move(task))->markService();
    };
    services_.places->run();
    serve("machines", services_.machines->run());
    services_.allocators->run();
    serve("warm pool", warmSide_.watch());
    serve("warm guard", services_.pool->run());
    serve("timers", watchTimers());
    serve("queue expiry", services_.queues->run());
    serve("retention", services_.retention->run());
    serve("memory guard", services_.guards->watchMachine());
    serve("descriptors", services_.descriptors->watch());
    serve("memory limits", services_.guards->watchLimits());
    serve("progress", services_.guards->watchProgress());
    serve("job tokens", services_.tokens->run());
    serve("courtesy", services_.courtesy->run());
    serve("figures", services_.figures->run());
    serve("gpus", services_.gpus->run());
    serve("timelines", services_.timelines->run());
    serve("kinds", services_.kinds->run());
    serve("recordings", services_.recordings->load());
    serve("estimates", learnFromHistory(ground_.journal, *services_.estimates));
    serve("locks", services_.locks->run());
    serve("janitor", services_.orphans->run());
    services_.cloud->start();
    serve("schedules", services_.schedules->run());
    serve("objects", services_.objects->run());
    serve("kept objects", services_.objects->retention().run());
    serve("hook folder", services_.hooks->watch());
    serve("alerts", services_.alerts->run());
    serve("alert alarm", services_.alerts->watchAlarm());
    if (ground_.join) services_.guests->join(std::move(*ground_.join));
}

bool Kernel::isBusy() const {
    return services_.attempts.size() > 0 || services_.guestJobs->count() > 0 ||
           services_.committer.outstandingResults() > 0 || !services_.outbox.empty() || services_.hooks->isBusy();
}

coro::Task<void> Kernel::idleFor(Duration atMost) {
    co_await coro::comesWithin(atMost, idle_);
}

Result<void> Kernel::startRunners() {
    runners::LauncherConfig config;
    config.dataDir = ground_.directory->path();
    config.ownerToken = ground_.directory->engineId();
    config.lockDir = ground_.lockDir;
    config.slots = static_cast<unsigned>(ground_.slotPlan.ofThisMachine());
    config.durable = ground_.isDurable();
    if (!ground_.options.launcherProgram.empty()) config.program = ground_.options.launcherProgram;
    config.beforeLaunch = [this] { ground_.together.part(); }; // it, and all that it starts, may use any CPU
    auto runner = runners::startThisMachine(config, services_.places->sink());
    if (!runner) return std::unexpected(runner.error());
    services_.places->add(std::move(*runner), static_cast<unsigned>(ground_.slotPlan.core),
                          static_cast<unsigned>(ground_.slotPlan.shared));
    for (const auto& source : ground_.options.runners) {
        auto beside = source->start(services_.places->sink());
        if (!beside) return std::unexpected(beside.error());
        services_.places->add(std::move(*beside), source->cores(), 0);
    }
    if (auto warm = warmSide_.start(); !warm) return warm;
    services_.execution->attach(services_.places->group(), *services_.warm);
    return {};
}

// --- the end

coro::Task<void> Kernel::sunset() {
    if (auto moved = services_.session->moveTo(SessionState::Sunset, services_.outbox); !moved)
        logDebug("engine", "{}", moved.error().message);
    wake();
    if (!services_.places->machine() || !services_.warm)
        co_return ground_.loop.stop(); // the start failed: nothing runs
    services_.objects->stop();
    services_.wine->stop();
    services_.guests->leave(link::LeavingCause::Quits, "the engine there ends");
    co_await services_.cloud->stop();
    services_.warm->shutDown(std::min(ground_.settings.grace, kMaxGraceAtEnd));
    const MonoTime until = MonoClock::now() + std::min(ground_.settings.grace, kMaxGraceAtEnd) + kShutdownSlack;
    bool toldToHurry = false;
    while (MonoClock::now() < until) {
        if (hurried_ && !toldToHurry) {
            services_.places->group().endAll(runners::StopCause::EngineStopped, Duration::zero());
            toldToHurry = true;
        }
        if (!isBusy()) break;
        co_await idleFor(kIdleCheck);
    }
    if (services_.attempts.size() > 0)
        logWarning("engine", "{} attempts had not ended; the next start runs them again",
                   services_.attempts.size());
    (void)co_await coro::within(kSaveLimit, services_.kinds->save());
    if (!co_await coro::within(kPilotsLimit, services_.allocators->stop()))
        logWarning("engine", "not all machines of allocators were ended; the next start sees to them");
    services_.places->group().shutDown(Duration::zero());
    for (int step = 0; step < 200 && !services_.places->group().isDown(); ++step)
        co_await coro::sleepFor(Duration(10'000));
    ground_.loop.stop();
}

void Kernel::hurry() {
    hurried_ = true;
    ground_.loop.post([this] { idle_.notifyAll(); }, coro::Band::Results);
}

void Kernel::close() {
    if (closing_.exchange(true)) return;
    if (thread_.joinable()) {
        ground_.loop.post([this] { ground_.loop.spawn("sunset", sunset()); }, coro::Band::Results);
        thread_.join();
    }
    ground_.helpers.reset();
    if (services_.hooks) services_.hooks->close();
    if (services_.wine) services_.wine->close();
    if (services_.figures) services_.figures->save();
    if (services_.timelines) services_.timelines->save();
    if (services_.machines) services_.machines->close();
    if (services_.allocators) services_.allocators->close();
    if (services_.recordings) services_.recordings->close();
    if (services_.replays) services_.replays->close();
    services_.warm.reset();
    services_.places.reset();
    ground_.close();
}

} // namespace yard::engine
