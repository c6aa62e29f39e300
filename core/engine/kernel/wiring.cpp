// The services of the engine, each given what it needs of the others.
#include "core/engine/kernel/kernel.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/remove_tree.h"
#include "core/base/user_name.h"
#include "core/lease/scratch.h"
#include "core/locks/lock_directory.h"
#include "core/session/live_views.h"

#include <cerrno>
#include <sys/eventfd.h>
#include <unistd.h>

namespace yard::engine {

/// Elements of an array are looked through for this long before others who read get their turn.
static constexpr Duration kArrayPortion{8'000};
/// Commands of pending actions likewise.
static constexpr Duration kEstimatesPortion{4'000};

/// For services that have threads of their own.
std::function<void(const char* name, coro::Task<void>)> Kernel::spawning() {
    return [this](const char* name, coro::Task<void> task) { loop_.spawn(name, std::move(task)); };
}

/// The attempt under way, null when there is none. For services that are made before Execution.
std::function<const Attempt*(Lsn)> Kernel::attempts() const {
    return [this](Lsn lsn) { return attempts_.latest(lsn); };
}

/// All but those that need a runner, a store or Execution. Each one is given what is made before it; what comes
/// later is reached through functions.
void Kernel::openServices() {
    openChanges();
    openLocks();
    openOrphanSweep();
    openQueues();
    openWorkers();
    openIntake();
    openForecasts();
    openRows();
    openLists();
    openResults();
    openRescheduling();
    openOperations();
    openAnnotating();
    openPool();
}

void Kernel::openExecution(runners::ScratchHomePtr scratch) {
    places_.emplace(RunnerPlaces::Parts{
        .loop = loop_,
        .session = *session_,
        .slots = slots_,
        .updates = [this](std::vector<runners::Update> batch) { runnerUpdates(std::move(batch)); },
        .wake = [this] { wake(); }});
    workspaces_.emplace(Workspaces::Parts{.attempts = attempts_,
                                          .dictionary = dictionary_,
                                          .workers = registry_,
                                          .helpers = *helpers_,
                                          .dataDir = directory_->path(),
                                          .scratch = std::move(scratch),
                                          .settings = settings_,
                                          .sandboxing = *sandboxing_,
                                          .claims = claims_});
    leases_.emplace(
        LeaseMaker::Parts{.session = *session_,
                          .dictionary = dictionary_,
                          .workers = registry_,
                          .unkept = unkept_,
                          .settings = settings_,
                          .isDurable = isDurable(),
                          .warmGroup = [this](const std::string& id) { return warm_->views().groupOf(id); }});
    execution_.emplace(Execution::Parts{
        .session = *session_,
        .outbox = outbox_,
        .attempts = attempts_,
        .slots = slots_,
        .leases = *leases_,
        .files = *workspaces_,
        .dictionary = dictionary_,
        .specs = specs_,
        .counters = counters_,
        .estimator = estimator_,
        .waiters = results_->waiters(),
        .settings = settings_,
        .loop = loop_,
        .fetchSpecs = [this](std::vector<Lsn> lsns) { return store_->fetchSpecs(std::move(lsns)); },
        .spawn = [this](std::string name, coro::Task<void> task) { loop_.spawn(std::move(name), std::move(task)); },
        .lockBusy = [this](const runners::LockBusy& busy) { locks_->foundBusy(busy); },
        .sentWarm =
            [this] {
                if (const auto by = warm_->answerBy()) loop_.stayAwakeUntil(*by);
            },
        .wake = [this] { wake(); },
        .tellSpan = [this](timeline::Span span) { timelines_->note(span); },
        .now = MonoClock::now});
    monitor_.emplace(AttemptMonitor::Parts{
        .attempts = attempts_,
        .dictionary = dictionary_,
        .end = [this](Attempt& attempt, runners::StopCause cause,
                      std::optional<Duration> grace) { execution_->tellToEnd(attempt, cause, grace); },
        .watch = [this](const Attempt& attempt, runners::Stream stream) { execution_->watch(attempt, stream); }});
}

void Kernel::openGuards() {
    guards_.emplace(Guards::Parts{
        .monitor = *monitor_,
        .session = *session_,
        .outbox = outbox_,
        .helpers = *helpers_,
        .counters = counters_,
        .settings = settings_,
        .readMemory = options_.readMemory,
        .adopter = [this] { return adopter(); },
        .limitedWarm = [this] { return warm_->views().limited(); },
        .noteWarm = [this](int pid,
                           const TreeReading& tree) { warm_->noteMemory(pid, tree.memoryBytes(), tree.processes); },
        .wallOf = [this](MonoTime at) { return scale_.at(at); },
        .wake = [this] { wake(); },
        .changed = [this] { changes_->note(ChangeEntry::Kind::Session); },
        .rowChanged = [this](Lsn lsn) { changes_->noteRow(lsn); }});
}

/// Without a directory for them, what claims a lock cannot start, and says why; the rest runs.
void Kernel::openLocks() {
    auto directory = options_.lockDir.empty() ? locks::lockDirectory() : Result<std::string>(options_.lockDir);
    if (directory)
        if (auto made = makeDirectories(*directory); !made) directory = std::unexpected(made.error());
    if (directory)
        lockDir_ = std::move(*directory);
    else
        logWarning("engine", "named locks cannot be had: {}", directory.error().message);
    locks_.emplace(LockWatch::Parts{
        .session = *session_,
        .dictionary = dictionary_,
        .helpers = *helpers_,
        .looks = looksAt(lockDir_),
        .self = {.engine = directory_->engineId(), .pid = ::getpid(), .dataDir = directory_->path(), .lsn = {}},
        .startedAt =
            [this](Lsn lsn) {
                const Attempt* attempt = attempts_.latest(lsn);
                return attempt ? attempt->record.times[ActionState::Submitting] : 0;
            },
        .wake = [this] { wake(); }});
}

void Kernel::openOrphanSweep() {
    locks::Janitor::Places places;
    places.scratch = directory_->scratch();
    places.locks = lockDir_;
    places.ownSlots = static_cast<unsigned>(coreSlots_ + sharedSlots_ + poolSlots_);
    places.ownFrom = kFirstMailbox;
    places.deadline = settings_.deadline;
    places.remove = [stop = helpers_->stopping()](const std::string& path) { return removeTree(path, stop); };
    orphans_.emplace(OrphanSweep::Parts{.helpers = *helpers_,
                                        .claims = claims_,
                                        .counters = counters_,
                                        .places = std::move(places),
                                        .changed = [this] { changes_->note(ChangeEntry::Kind::Session); }});
}

void Kernel::openChanges() {
    changes_.emplace(
        ChangeLog::Parts{.session = *session_, .spawn = spawning(), .now = [this] { return loop_.now(); }});
}

void Kernel::openQueues() {
    queues_.emplace(
        Queues::Parts{.session = *session_,
                      .outbox = outbox_,
                      .dictionary = dictionary_,
                      .annotations = annotations_,
                      .commit = [this](store::Action action) { return committer_.commit(std::move(action)); },
                      .spawn = spawning(),
                      .estimate = [this](QueueView& view,
                                         const session::QueueStatus& status) { estimates_->ofQueue(view, status); },
                      .changed = [this](QueueId id) { changes_->note(ChangeEntry::Kind::Queue, id); },
                      .now = [this] { return loop_.now(); },
                      .wake = [this] { wake(); }});
}

/// A chunk that has not the size of its file may be damaged: then it is put aside, and needed again.
static void checkSizes(store::ChunkStore& chunks, const WorkerDescriptor& descriptor) {
    for (const WorkerFile& file : descriptor.files)
        if (const auto size = chunks.sizeOf(file.hash); size && *size != file.size) (void)chunks.verify(file.hash);
}

void Kernel::openWorkers() {
    classes_.emplace(*session_, dictionary_, registry_);
    workers_.emplace(Workers::Parts{
        .session = *session_,
        .dictionary = dictionary_,
        .registry = registry_,
        .helpers = *helpers_,
        .settings = settings_,
        .commit = [this](store::Action action) { return committer_.commit(std::move(action)); },
        .mayRun = [this] { return sandboxing_->checkWorker(); },
        .checkFiles = [this](const WorkerDescriptor& descriptor) { checkSizes(*chunks_, descriptor); },
        .cancelAll = [this](std::string id) { return cancelAllOf(std::move(id)); },
        .waitFor = [this](Lsn lsn, Duration wait) { return waitForEnd(lsn, wait); },
        .came = [this](const std::string& id,
                       const Workers::Descriptor& descriptor) { addWarmWorker(id, descriptor); },
        .left = [this](const std::string& id) { workerLeft(id); },
        .changed = [this] { changes_->note(ChangeEntry::Kind::Workers); },
        .now = [this] { return loop_.now(); }});
}

Result<void> Kernel::mayRun(const ActionSpec& spec) const {
    if (!spec.isExec()) return sandboxing_->checkWorker();
    return spec.sandbox ? sandboxing_->checkExec() : Result<void>{};
}

void Kernel::openIntake() {
    predecessors_.emplace(
        Predecessors::Parts{.session = *session_, .endedOtherwise = [this](Lsn first, Lsn last, Lsn behind) {
                                return read([first, last, behind](store::Reader& reader) {
                                    return reader.endedOtherwise(first, last, behind, kArrayPortion);
                                });
                            }});
    intake_.emplace(Intake::Parts{
        .session = *session_,
        .outbox = outbox_,
        .dictionary = dictionary_,
        .registry = registry_,
        .classes = *classes_,
        .workers = *workers_,
        .queues = *queues_,
        .predecessors = *predecessors_,
        .specs = specs_,
        .unkept = unkept_,
        .helpers = *helpers_,
        .counters = counters_,
        .settings = settings_,
        .scale = scale_,
        .commit = [this](store::Action action) { return committer_.commit(std::move(action)); },
        .mayRun = [this](const ActionSpec& spec) { return mayRun(spec); },
        .chunkSize = [this](const Hash256& hash) { return chunks_->sizeOf(hash).value_or(0); },
        .arraySizes =
            [this](std::vector<Lsn> bases) {
                return read([bases = std::move(bases)](store::Reader& reader) { return reader.arraySizes(bases); });
            },
        .keptAnswer =
            [this](std::string key) {
                return read([key = std::move(key)](store::Reader& reader) { return reader.keptAnswer(key); });
            },
        .endOf = [this](Lsn lsn, Duration wait) { return results_->endOf(lsn, wait); },
        .spawn = spawning(),
        .wake = [this] { wake(); },
        .replaced = [this](Lsn lsn) { changes_->noteReplaced(lsn); },
        .dependents =
            [this](Lsn parent, int most) {
                return read([=](store::Reader& reader) { return reader.pendingDependents(parent, most); });
            }});
}

/// From what finished last.
coro::Task<void> Kernel::learnFromHistory() {
    constexpr int kRows = 1'000;
    const auto rows = co_await read([](store::Reader& reader) { return reader.history(kRows); });
    if (rows)
        estimates_->learn(*rows);
    else
        logDebug("engine", "what finished last cannot be read: {}", rows.error().message);
}

coro::Task<Result<std::vector<std::string>>> Kernel::commandsOf(std::vector<Lsn> lsns, Duration lookFor) {
    return read(
        [lsns = std::move(lsns), lookFor](store::Reader& reader) { return reader.commands(lsns, lookFor); });
}

std::optional<Wait> Kernel::nothingStarts() const {
    if (!places_->isAccepting()) return plainWait(WaitKind::NoRunner, "the launcher is being replaced");
    if (!committer_.writable()) return plainWait(WaitKind::Journal, committer_.failure());
    if (guards_->isHolding()) return holdOf("memory", guards_->reason());
    return std::nullopt;
}

void Kernel::openForecasts() {
    estimates_.emplace(Estimates::Parts{
        .session = *session_,
        .dictionary = dictionary_,
        .estimator = estimator_,
        .scale = scale_,
        .attempt = attempts(),
        .nothingStarts = [this] { return guards_->isHolding(); },
        .commands = [this](std::vector<Lsn> lsns) { return commandsOf(std::move(lsns), kEstimatesPortion); },
        .spawn = spawning(),
        .now = MonoClock::now});
    reasons_.emplace(Reasons::Parts{
        .session = *session_,
        .dictionary = dictionary_,
        .locks = *locks_,
        .estimates = *estimates_,
        .scale = scale_,
        .attempt = attempts(),
        .isStarting = [this](const Attempt& one) { return slots_.isStarting(one); },
        .slots =
            [this] {
                return CoreSlots{.all = coreSlots_ + coresBeside(),
                                 .busy = slots_.busyCoreSlots(),
                                 .cores = capacity_ + coresBeside(),
                                 .limit = slotLimit_};
            },
        .nothingStarts = [this] { return nothingStarts(); },
        .writesJournal = [this] { return committer_.writable(); },
        .poolWait =
            [this](const std::string& worker) { return warm_ ? warm_->views().waitOf(worker) : std::nullopt; },
        .holderName =
            [this](session::HoldKey key) {
                if (RunnerPlaces::isOwnKey(key)) return std::string("a runner that is not there");
                return warm_ ? warm_->views().holderName(key) : std::string();
            },
        .parents =
            [this](Lsn lsn) { return read([lsn](store::Reader& reader) { return waitsOfParents(reader, lsn); }); },
        .stateOf = [this](Lsn lsn) { return stateOfEnded(lsn); },
        .now = MonoClock::now});
}

void Kernel::openRows() {
    waitingCounts_.emplace(
        WaitingCounts::Parts{.session = *session_, .reasons = *reasons_, .scale = scale_, .now = MonoClock::now});
    accounting_.emplace(Accounting::Parts{.dictionary = dictionary_,
                                          .journal = journal_,
                                          .helpers = *helpers_,
                                          .machineName = machineName_,
                                          .ended =
                                              [this] {
                                                  const QueueCounters all = session_->views().counts().all;
                                                  return all.completed + all.failed + all.abandoned + all.cancelled;
                                              },
                                          .now = [this] { return scale_.at(MonoClock::now()); }});
    graphs_.emplace(Graphs::Parts{.session = *session_,
                                  .dictionary = dictionary_,
                                  .queues = *queues_,
                                  .journal = journal_,
                                  .estimates = *estimates_,
                                  .helpers = *helpers_,
                                  .cores = [this] { return capacity_ + coresBeside(); },
                                  .now = MonoClock::now});
    notes_.emplace(Notes::Parts{.reasons = *reasons_,
                                .helpers = *helpers_,
                                .scale = scale_,
                                .attempt = attempts(),
                                .follow =
                                    [this](Lsn lsn) {
                                        execution_->follow(lsn, 0, 0);
                                        return execution_->follow(lsn, 0, 1);
                                    },
                                .spawn = spawning(),
                                .rowChanged = [this](Lsn lsn) { changes_->noteRow(lsn); },
                                .now = MonoClock::now});
    rows_.emplace(ActionRows::Parts{.session = *session_,
                                    .dictionary = dictionary_,
                                    .journal = journal_,
                                    .reasons = *reasons_,
                                    .estimates = *estimates_,
                                    .notes = *notes_,
                                    .annotations = annotations_,
                                    .settings = settings_,
                                    .scale = scale_,
                                    .machineName = machineName_,
                                    .attempt = attempts()});
    details_.emplace(
        ActionDetails::Parts{.session = *session_,
                             .dictionary = dictionary_,
                             .rows = *rows_,
                             .journal = journal_,
                             .attempt = attempts(),
                             .follow = [this](Lsn lsn, std::uint32_t number,
                                              unsigned stream) { return execution_->follow(lsn, number, stream); },
                             .progress = [this]() -> coro::ConditionVariable& { return execution_->progress(); },
                             .now = MonoClock::now});
}

void Kernel::openLists() {
    selection_.emplace(Selection::Parts{.session = *session_,
                                        .dictionary = dictionary_,
                                        .registry = registry_,
                                        .queues = *queues_,
                                        .rows = *rows_,
                                        .annotations = annotations_,
                                        .journal = journal_,
                                        .scale = scale_,
                                        .now = MonoClock::now});
    orders_.emplace(Orders::Parts{.session = *session_,
                                  .dictionary = dictionary_,
                                  .selection = *selection_,
                                  .rows = *rows_,
                                  .journal = journal_,
                                  .changes = *changes_,
                                  .helpers = *helpers_,
                                  .scale = scale_,
                                  .run = runId_,
                                  .attempt = attempts(),
                                  .spawn = spawning(),
                                  .now = MonoClock::now});
    matches_.emplace(MatchWalk::Parts{
        .session = *session_, .selection = *selection_, .journal = journal_, .now = MonoClock::now});
    listing_.emplace(Listing::Parts{.session = *session_,
                                    .queues = *queues_,
                                    .selection = *selection_,
                                    .rows = *rows_,
                                    .orders = *orders_,
                                    .matches = *matches_,
                                    .journal = journal_,
                                    .now = MonoClock::now});
    folding_.emplace(Folding::Parts{.session = *session_,
                                    .selection = *selection_,
                                    .listing = *listing_,
                                    .journal = journal_,
                                    .attempt = attempts(),
                                    .now = MonoClock::now});
    facets_.emplace(Facets::Parts{.session = *session_,
                                  .dictionary = dictionary_,
                                  .queues = *queues_,
                                  .selection = *selection_,
                                  .matches = *matches_,
                                  .machineName = machineName_});
    failureMutes_.emplace(
        FailureMutes::Parts{.commit = [this](store::Action action) { return committer_.commit(std::move(action)); },
                            .now = [this] { return scale_.at(MonoClock::now()); }});
    failures_.emplace(Failures::Parts{.dictionary = dictionary_,
                                      .selection = *selection_,
                                      .journal = journal_,
                                      .mutes = *failureMutes_,
                                      .helpers = *helpers_,
                                      .machineName = machineName_,
                                      .now = MonoClock::now,
                                      .wall = [this] { return scale_.at(MonoClock::now()); }});
    watching_.emplace(Watching::Parts{.session = *session_,
                                      .dictionary = dictionary_,
                                      .registry = registry_,
                                      .queues = *queues_,
                                      .changes = *changes_,
                                      .selection = *selection_,
                                      .rows = *rows_,
                                      .listing = *listing_,
                                      .journal = journal_,
                                      .sessionView = [this] { return overview_->session(); }});
}

void Kernel::openResults() {
    Results::Journal journal{
        .retry = [this](store::Retry row) { committer_.retry(std::move(row)); },
        .finish = [this](store::Finish row, bool isWaitedFor) { committer_.finish(std::move(row), isWaitedFor); },
        .finishMany = [this](store::FinishMany rows) { committer_.finishMany(std::move(rows)); },
        .takeAcks = [this] { return committer_.takeAcks(); },
        .outstanding = [this] { return committer_.outstandingResults(); }};
    Results::Attempts ended{.find = attempts(),
                            .record =
                                [this](runners::AttemptId id, ActionState state, Reason reason, bool retried,
                                       std::vector<store::SmallChunk>& chunks) {
                                    return execution_->record(id, state, reason, retried, chunks);
                                },
                            .stored = [this](Lsn lsn, std::uint32_t attempt) { execution_->stored(lsn, attempt); },
                            .inFlight = [this] { return attempts_.size(); },
                            .setHurry = [this](Lsn lsn) { execution_->setHurry(lsn); }};
    results_.emplace(Results::Parts{.session = *session_,
                                    .outbox = outbox_,
                                    .rows = *rows_,
                                    .queues = *queues_,
                                    .predecessors = *predecessors_,
                                    .specs = specs_,
                                    .unkept = unkept_,
                                    .counters = counters_,
                                    .scale = scale_,
                                    .journal = std::move(journal),
                                    .attempts = std::move(ended),
                                    .finished = [this] { retention_->noteFinished(); },
                                    .acked = [this] { locks_->lookSoon(); },
                                    .now = MonoClock::now});
}

void Kernel::openRescheduling() {
    rescheduling_.emplace(Rescheduling::Parts{
        .session = *session_,
        .outbox = outbox_,
        .dictionary = dictionary_,
        .rows = *rows_,
        .predecessors = *predecessors_,
        .entered = workers_->entered(),
        .scale = scale_,
        .takesActions = [this](const std::string& worker) { return workers_->takesActions(worker); },
        .post = [this](store::Action action) { return committer_.begin(std::move(action)); },
        .waits = [this](Lsn lsn) { return read([lsn](store::Reader& reader) { return readWaits(reader, lsn); }); },
        .failed =
            [this](std::vector<Lsn> parents, Reached place) {
                return read([parents = std::move(parents), place](store::Reader& reader) {
                    return readFailed(reader, parents, place);
                });
            },
        .putBack = [this](Lsn lsn) { orders_->notePutBack(lsn); },
        .wake = [this] { wake(); },
        .now = MonoClock::now});
}

void Kernel::openOperations() {
    operations_.emplace(
        Operations::Parts{.session = *session_,
                          .outbox = outbox_,
                          .queues = *queues_,
                          .selection = *selection_,
                          .rows = *rows_,
                          .annotations = annotations_,
                          .changes = *changes_,
                          .journal = journal_,
                          .helpers = *helpers_,
                          .post = [this](store::Action action) { return committer_.begin(std::move(action)); },
                          .waitForEnd = [this](Lsn lsn, Duration wait) { return results_->waitFor(lsn, wait); },
                          .room = [this] { return results_->room(); },
                          .mayRetry = [this](Lsn lsn, bool force) { return rescheduling_->mayRetry(lsn, force); },
                          .notBegun = [this] { return attempts_.notBegun(); },
                          .spawn = spawning(),
                          .wake = [this] { wake(); }});
}

void Kernel::openAnnotating() {
    annotating_.emplace(
        Annotating::Parts{.annotations = annotations_,
                          .rows = *rows_,
                          .queues = *queues_,
                          .changes = *changes_,
                          .journal = journal_,
                          .user = userName(),
                          .commit = [this](store::Action action) { return committer_.commit(std::move(action)); },
                          .now = [this] { return scale_.at(MonoClock::now()); }});
}

void Kernel::openPool() {
    WarmPool::Processes processes{
        .areBusy = [this] { return warm_->views().busy() > 0; },
        .looks = [this](bool usedOnly) { return warm_->looks(usedOnly); },
        .looksAt = [this](const std::string& id) { return warm_->views().look(id); },
        .sampled = [this](const WarmPool::Samples& samples) { warm_->sampled(samples); },
        .all = [this] { return warm_->views().pool(); },
        .find = [this](const std::string& id) { return warm_->views().process(id); },
        .askOutput = [this](const std::string& id, auto sink) { return warm_->askOutput(id, std::move(sink)); },
        .restart = [this](const std::string& worker) { return warm_->restart(worker); },
        .detach = [this](const std::string& id) { return warm_->detach(id); }};
    pool_.emplace(WarmPool::Parts{
        .session = *session_,
        .registry = registry_,
        .scale = scale_,
        .processes = std::move(processes),
        .sample =
            [this](WarmPool::Looks looks) {
                return helpers_->run(
                    [looks = std::move(looks), adopter = adopter()] { return sampleProcesses(looks, adopter); });
            },
        .sampled = [this] { guards_->limitsMayApply(); },
        .changeSettings = [this](std::string json) { return settingsService_.change(std::move(json)); }});
}

Result<void> Kernel::openSessionMoves() {
    UniqueFd sunset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!sunset) return failErrno("eventfd", errno);
    sessionMoves_.emplace(SessionMoves::Parts{.session = *session_,
                                              .outbox = outbox_,
                                              .sunset = std::move(sunset),
                                              .changed = [this] { changes_->note(ChangeEntry::Kind::Session); },
                                              .wake = [this] { wake(); }});
    return {};
}

void Kernel::openOverview() {
    overview_.emplace(Overview::Parts{.session = *session_,
                                      .queues = *queues_,
                                      .committer = committer_,
                                      .attempts = attempts_,
                                      .specs = specs_,
                                      .changes = *changes_,
                                      .helpers = *helpers_,
                                      .loop = loop_,
                                      .counters = counters_,
                                      .constants = {.engineId = directory_->engineId(),
                                                    .runId = runId_,
                                                    .machineName = machineName_,
                                                    .capacity = capacity_,
                                                    .total = total_,
                                                    .sandbox = sandboxing_->view()},
                                      .slots =
                                          [this] {
                                              return SessionView::Slots{.oneCore = coreSlots_,
                                                                        .other = sharedSlots_,
                                                                        .warm = static_cast<int>(poolOptions().max),
                                                                        .why = slotLimit_};
                                          },
                                      .guard = [this] { return guards_->view(); },
                                      .itself =
                                          [this] {
                                              const EngineFigures& itself = figures_->engine();
                                              return SessionView::EngineUsage{.cpuPercent = itself.cpuPercent,
                                                                              .rssBytes = itself.rssBytes,
                                                                              .journalBytes = itself.journalBytes,
                                                                              .diskBytes = itself.diskBytes,
                                                                              .diskFreeBytes =
                                                                                  itself.diskFreeBytes};
                                          },
                                      .findings = [this] { return orphans_->findings(); },
                                      .store = [this] { return store_->stats(); },
                                      .hung = [this] { return monitor_->hung(); },
                                      .warm = [this] { return warm_ ? &warm_->views() : nullptr; }});
}

coro::Task<Result<ActionState>> Kernel::stateOfEnded(Lsn lsn) {
    const Result<ActionResult> known = co_await rows_->row(lsn);
    if (!known) co_return std::unexpected(known.error());
    co_return known->state;
}

coro::Task<Result<void>> Kernel::cancelAllOf(std::string workerId) {
    BulkRequest cancelling;
    cancelling.which.worker = std::move(workerId);
    const Result<BulkAnswer> cancelled = co_await operations_->changeMatching(std::move(cancelling));
    if (!cancelled) co_return std::unexpected(cancelled.error());
    co_return Result<void>{};
}

coro::Task<Result<void>> Kernel::waitForEnd(Lsn lsn, Duration wait) {
    const Result<ActionResult> ended = co_await results_->waitFor(lsn, wait);
    if (!ended) co_return std::unexpected(ended.error());
    co_return Result<void>{};
}

void Kernel::workerLeft(const std::string& id) {
    warm_->removeWorker(id);
    workspaces_->forgetWorker(id);
    helpers_->postDeletion([dataDir = directory_->path(), id, stop = helpers_->stopping()] {
        const auto removed = runners::removeWorkerFiles(dataDir, id, stop);
        if (!removed && !stop.stop_requested())
            logWarning("engine", "files of worker {}: {}", id, removed.error().message);
    });
}

} // namespace yard::engine
