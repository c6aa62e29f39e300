// Services that have a part in attempts and processes, each given what it needs of the others.
#include "core/engine/kernel/wiring_running.h"

#include "core/base/remove_tree.h"
#include "core/engine/kernel/wires.h"

#include <unordered_map>

namespace yard::engine {

/// Commands of bars are looked up for this long before others who read get their turn.
static constexpr Duration kBarsPortion{8'000};

/// Of the first ones of these, what each waited for.
static Result<std::vector<std::vector<store::LsnRun>>> parentsIn(store::Reader& reader,
                                                                 const std::vector<Lsn>& lsns) {
    std::vector<store::LsnRun> children;
    children.reserve(lsns.size());
    for (const Lsn lsn : lsns) children.push_back({lsn, 1});
    const auto found = reader.waitParents(children, kBarsPortion);
    if (!found) return std::unexpected(found.error());
    std::unordered_map<Lsn, std::size_t> places;
    for (std::size_t i = 0; i < found->looked; ++i) places.emplace(lsns[i], i);
    std::vector<std::vector<store::LsnRun>> parents(found->looked);
    for (const store::WaitEdge& edge : found->edges)
        if (const auto at = places.find(edge.child.first); at != places.end())
            parents[at->second].push_back(edge.parent);
    return parents;
}

/// Somebody takes much: of actions and of warm processes, idle ones too, each is looked at.
void RunningWiring::lookForMemory() {
    services_.monitor->lookAtAllNext();
    services_.pool->lookAtIdleNext();
}

void RunningWiring::openJobTokens() {
    const std::string directory = ground_.directory->path() + "/jobservers";
    (void)removeTree(directory, ground_.helpers->stopping()); // named pipes of an engine that was killed
    services_.tokens.emplace(JobTokens::Parts{
        .session = *services_.session,
        .directory = directory,
        .mayGive = [this] { return !services_.courtesy->isHolding() && !services_.guards->isHolding(); },
        .wake = wake_,
        .changed = [this](Lsn lsn) { services_.changes->noteRow(lsn); }});
}

void RunningWiring::openLeases(runners::ScratchHomePtr scratch) {
    services_.places.emplace(RunnerPlaces::Parts{
        .loop = ground_.loop,
        .session = *services_.session,
        .slots = services_.slots,
        .updates = [this](std::vector<runners::Update> batch) { warmSide_.updates(std::move(batch)); },
        .wake = wake_});
    services_.workspaces.emplace(Workspaces::Parts{.attempts = services_.attempts,
                                                   .dictionary = services_.dictionary,
                                                   .workers = services_.registry,
                                                   .helpers = *ground_.helpers,
                                                   .dataDir = ground_.directory->path(),
                                                   .scratch = std::move(scratch),
                                                   .settings = ground_.settings,
                                                   .sandboxing = *ground_.sandboxing,
                                                   .claims = ground_.claims,
                                                   .wine = &*services_.wine});
    services_.leases.emplace(LeaseMaker::Parts{
        .session = *services_.session,
        .dictionary = services_.dictionary,
        .workers = services_.registry,
        .unkept = services_.unkept,
        .settings = ground_.settings,
        .gpus = ground_.gpus,
        .isDurable = ground_.isDurable(),
        .warmGroup = [this](const std::string& id) { return services_.warm->views().groupOf(id); },
        .isIdlePriority =
            [this](const QueueConfig* config) { return services_.courtesy->isIdlePriority(config); }});
}

void RunningWiring::openExecution(runners::ScratchHomePtr scratch) {
    openLeases(std::move(scratch));
    openJobTokens();
    services_.execution.emplace(Execution::Parts{
        .session = *services_.session,
        .outbox = services_.outbox,
        .attempts = services_.attempts,
        .slots = services_.slots,
        .leases = *services_.leases,
        .files = *services_.workspaces,
        .dictionary = services_.dictionary,
        .specs = services_.specs,
        .counters = ground_.counters,
        .estimator = services_.estimator,
        .waiters = services_.results->waiters(),
        .settings = ground_.settings,
        .loop = ground_.loop,
        .fetchSpecs = [this](std::vector<Lsn> lsns) { return ground_.store->fetchSpecs(std::move(lsns)); },
        .spawn = [this](std::string name,
                        coro::Task<void> task) { ground_.loop.spawn(std::move(name), std::move(task)); },
        .lockBusy = [this](const runners::LockBusy& busy) { services_.locks->foundBusy(busy); },
        .sentWarm = [this] { stayAwakeForWarm(); },
        .started =
            [this](const Attempt& attempt) {
                courtesy_.lowerLate(attempt);
                services_.courtesy->started();
            },
        .frozen =
            [this](const Attempt& attempt) {
                services_.changes->noteRow(attempt.id.lsn);
                services_.courtesy->frozenChanged();
            },
        .machineName = [this](session::MachineId id) { return services_.machines->nameOf(id); },
        .wake = wake_,
        .tellSpan = [this](timeline::Span span) { services_.timelines->note(span); },
        .now = MonoClock::now,
        .tokens = &*services_.tokens,
        .lostGpu = [this](GivenResources given) { return services_.gpus->lostOf(std::move(given)); }});
    services_.monitor.emplace(AttemptMonitor::Parts{
        .attempts = services_.attempts,
        .dictionary = services_.dictionary,
        .end = [this](Attempt& attempt, runners::StopCause cause,
                      std::optional<Duration> grace) { services_.execution->tellToEnd(attempt, cause, grace); },
        .watch = [this](const Attempt& attempt,
                        runners::Stream stream) { services_.execution->watch(attempt, stream); },
        .gpus = [this] { return services_.gpus->view(); }});
}

void RunningWiring::stayAwakeForWarm() {
    if (const auto by = services_.warm->answerBy()) ground_.loop.stayAwakeUntil(*by);
}

void RunningWiring::openGuards() {
    services_.guards.emplace(
        Guards::Parts{.monitor = *services_.monitor,
                      .session = *services_.session,
                      .outbox = services_.outbox,
                      .helpers = *ground_.helpers,
                      .counters = ground_.counters,
                      .settings = ground_.settings,
                      .readMemory = ground_.options.readMemory,
                      .adopter = [this] { return adopterOf(ground_, services_); },
                      .limitedWarm = [this] { return services_.warm->views().limited(); },
                      .noteWarm =
                          [this](int pid, const TreeReading& tree) {
                              services_.warm->noteMemory(pid, tree.memoryBytes(), tree.processes);
                          },
                      .wallOf = [this](MonoTime at) { return ground_.scale.at(at); },
                      .wake = wake_,
                      .changed = [this] { services_.changes->note(ChangeEntry::Kind::Session); },
                      .rowChanged =
                          [this](Lsn lsn) {
                              services_.changes->noteRow(lsn);
                              alerts_.tellSilence(lsn);
                          }});
    services_.descriptors.emplace(DescriptorGuard::Parts{
        .wake = wake_, .changed = [this] { services_.changes->note(ChangeEntry::Kind::Session); }});
}

void RunningWiring::openOrphanSweep() {
    locks::Janitor::Places places;
    places.scratch = ground_.directory->scratch();
    places.locks = ground_.lockDir;
    places.ownSlots = static_cast<unsigned>(ground_.slotPlan.ofThisMachine());
    places.ownFrom = kFirstMailbox;
    places.deadline = ground_.settings.deadline;
    places.remove = [stop = ground_.helpers->stopping()](const std::string& path) {
        return removeTree(path, stop);
    };
    services_.orphans.emplace(
        OrphanSweep::Parts{.helpers = *ground_.helpers,
                           .claims = ground_.claims,
                           .counters = ground_.counters,
                           .places = std::move(places),
                           .changed = [this] { services_.changes->note(ChangeEntry::Kind::Session); }});
}

void RunningWiring::openPool() {
    WarmPool::Processes processes{
        .areBusy = [this] { return services_.warm->views().busy() > 0; },
        .looks = [this](bool usedOnly) { return services_.warm->looks(usedOnly); },
        .looksAt = [this](const std::string& id) { return services_.warm->views().look(id); },
        .sampled = [this](const WarmPool::Samples& samples) { services_.warm->sampled(samples); },
        .all = [this] { return services_.warm->views().pool(); },
        .find = [this](const std::string& id) { return services_.warm->views().process(id); },
        .askOutput = [this](const std::string& id,
                            auto sink) { return services_.warm->askOutput(id, std::move(sink)); },
        .restart = [this](const std::string& worker) { return services_.warm->restart(worker); },
        .detach = [this](const std::string& id) { return services_.warm->detach(id); }};
    services_.pool.emplace(WarmPool::Parts{
        .session = *services_.session,
        .registry = services_.registry,
        .scale = ground_.scale,
        .processes = std::move(processes),
        .sample =
            [this](WarmPool::Looks looks) {
                return ground_.helpers->run([looks = std::move(looks), adopter = adopterOf(ground_, services_)] {
                    return sampleProcesses(looks, adopter);
                });
            },
        .sampled = [this] { services_.guards->limitsMayApply(); },
        .changeSettings = [this](std::string json) { return ground_.settingsService.change(std::move(json)); }});
}

void RunningWiring::openGpus() {
    services_.gpus.emplace(
        GpuWatch::Parts{.gpus = ground_.gpus,
                        .reader = *ground_.gpuReader,
                        .session = *services_.session,
                        .isWatched = [this] { return services_.changes->feed().isOpen(); },
                        .endThose =
                            [this](const std::string& index, const std::string& why) {
                                services_.monitor->stopForGpu(index, why);
                                if (services_.warm) services_.warm->endThoseWith(kGpus, index);
                            },
                        .tell = [this](const GpuView& gpu) { alerts_.tellGpu(gpu); },
                        .wake = wake_,
                        .changed = [this] { services_.changes->note(ChangeEntry::Kind::Session); },
                        .pace = ground_.options.gpuPace});
}

void RunningWiring::openMachines() {
    services_.machines.emplace(Machines::Parts{
        .loop = ground_.loop,
        .places = *services_.places,
        .attempts = services_.attempts,
        .dictionary = services_.dictionary,
        .workers = services_.registry,
        .chunks = *ground_.chunks,
        .helpers = *ground_.helpers,
        .session = *services_.session,
        .execution = *services_.execution,
        .monitor = *services_.monitor,
        .committer = services_.committer,
        .yardName = ground_.machineName,
        .yardRunId = ground_.runId,
        .engineId = ground_.directory->engineId(),
        .own = ground_.total,
        .ownSlots = static_cast<unsigned>(ground_.slotPlan.oneCore()),
        .spawn = spawningOn(ground_.loop),
        .scale = [this] { return ground_.scale; },
        .changed =
            [this] {
                services_.changes->note(ChangeEntry::Kind::Machines);
                alerts_.tellMachines();
            },
        .outputDir = ground_.options.dataDir + "/elsewhere",
        .sshProgram = ground_.options.sshProgram,
        .bundle = ground_.options.bundle,
        .lease = std::chrono::seconds(ground_.settings.leaseS),
        .pilots = {.allocatorOf = [this](std::string_view key) { return services_.allocators->allocatorOf(key); },
                   .endOf = [this](std::string_view key) { return services_.allocators->endOf(key); },
                   .removed =
                       [this](std::string key) { return services_.allocators->machineRemoved(std::move(key)); }}});
}

void RunningWiring::openRetention() {
    services_.retention.emplace(Retention::Parts{
        *ground_.store, *ground_.chunkFiles, store::DiskReserve(ground_.directory->path()), services_.committer,
        *ground_.helpers, ground_.counters, ground_.settings, ground_.directory->workers(),
        ground_.options.retentionYoungest, [this] { return services_.attempts.oldestCollection(); },
        [this](Lsn lsn) {
            services_.annotations.forget(lsn);
            services_.changes->noteRetired(lsn);
        }});
}

void RunningWiring::openFigures() {
    services_.figures.emplace(
        StatsSampler::Parts{.helpers = *ground_.helpers,
                            .monitor = *services_.monitor,
                            .session = *services_.session,
                            .counters = ground_.counters,
                            .path = ground_.directory->stats(),
                            .journal = ground_.directory->journal(),
                            .wallOf = [this](MonoTime at) { return ground_.scale.at(at); },
                            .adopter = [this] { return adopterOf(ground_, services_); },
                            .isWatched = [this] { return services_.changes->feed().isOpen(); },
                            .surged = [this] { lookForMemory(); },
                            .looked = [this](const MachineReading& reading) { alerts_.tellUse(reading); },
                            .gpus = [this] { return services_.gpus->view(); }});
}

void RunningWiring::openTimelines() {
    services_.timelines.emplace(TimelineKeeper::Parts{
        .helpers = *ground_.helpers,
        .execution = *services_.execution,
        .dictionary = services_.dictionary,
        .directory = ground_.directory->timeline(),
        .wallOf = [this](MonoTime at) { return ground_.scale.at(at); },
        .commands =
            [this](std::vector<Lsn> lsns) { return commandsOf(ground_.journal, std::move(lsns), kBarsPortion); },
        .indices =
            [this](std::vector<Lsn> lsns) {
                return ground_.journal.ask(
                    [lsns = std::move(lsns)](store::Reader& reader) { return reader.indices(lsns, kBarsPortion); });
            },
        .parents =
            [this](std::vector<Lsn> lsns) {
                return ground_.journal.ask(
                    [lsns = std::move(lsns)](store::Reader& reader) { return parentsIn(reader, lsns); });
            }});
}

void RunningWiring::openUpkeep() {
    openRetention();
    openMachines();
    openFigures();
    openGpus();
    openTimelines();
}

} // namespace yard::engine
