// The services that know and change things, each given what it needs of the others.
#include "core/engine/kernel/wiring.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/user_name.h"
#include "core/engine/kernel/wires.h"
#include "core/lease/scratch.h"
#include "core/locks/lock_directory.h"
#include "core/session/live_views.h"

#include <cerrno>
#include <sys/eventfd.h>
#include <unistd.h>

namespace yard::engine {

/// Elements of an array are looked through for this long before others who read get their turn.
static constexpr Duration kArrayPortion{8'000};

/// All but those that need a runner, a store or Execution. Each one is given what is made before it; what comes
/// later is reached through functions.
Result<void> Wiring::openServices() {
    openChanges();
    openLocks();
    running_.openOrphanSweep();
    openQueues();
    openWorkers();
    openIntake();
    reading_.open();
    openResults();
    openRescheduling();
    openOperations();
    openAnnotating();
    openMoving();
    openSchedules();
    objects_.open();
    alerts_.open();
    running_.openPool();
    return openSessionMoves();
}

void Wiring::openRunning(runners::ScratchHomePtr scratch) {
    running_.openExecution(std::move(scratch));
    running_.openGuards();
    courtesy_.open();
    openGuests();
    openAllocators();
}

void Wiring::openUpkeep() {
    recordings_.open();
    running_.openUpkeep();
    reading_.openOverview();
}

/// Without a directory for them, what claims a lock cannot start, and says why; the rest runs.
void Wiring::openLocks() {
    auto directory =
        ground_.options.lockDir.empty() ? locks::lockDirectory() : Result<std::string>(ground_.options.lockDir);
    if (directory)
        if (auto made = makeDirectories(*directory); !made) directory = std::unexpected(made.error());
    if (directory)
        ground_.lockDir = std::move(*directory);
    else
        logWarning("engine", "named locks cannot be had: {}", directory.error().message);
    services_.locks.emplace(LockWatch::Parts{.session = *services_.session,
                                             .dictionary = services_.dictionary,
                                             .helpers = *ground_.helpers,
                                             .looks = looksAt(ground_.lockDir),
                                             .self = {.engine = ground_.directory->engineId(),
                                                      .pid = ::getpid(),
                                                      .dataDir = ground_.directory->path(),
                                                      .lsn = {}},
                                             .startedAt =
                                                 [this](Lsn lsn) {
                                                     const Attempt* attempt = services_.attempts.latest(lsn);
                                                     return attempt ? attempt->record.times[ActionState::Submitting]
                                                                    : 0;
                                                 },
                                             .wake = wake_});
}

void Wiring::openChanges() {
    services_.changes.emplace(ChangeLog::Parts{.session = *services_.session,
                                               .spawn = spawningOn(ground_.loop),
                                               .now = [this] { return ground_.loop.now(); }});
}

void Wiring::openQueues() {
    services_.queues.emplace(Queues::Parts{
        .session = *services_.session,
        .outbox = services_.outbox,
        .dictionary = services_.dictionary,
        .annotations = services_.annotations,
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .spawn = spawningOn(ground_.loop),
        .estimate = [this](QueueView& view,
                           const session::QueueStatus& status) { services_.estimates->ofQueue(view, status); },
        .changed = [this](QueueId id) { services_.changes->note(ChangeEntry::Kind::Queue, id); },
        .now = [this] { return ground_.loop.now(); },
        .wake = wakingForWork(services_, wake_)});
}

/// A chunk that has not the size of its file may be damaged: then it is put aside, and needed again.
static void checkSizes(store::ChunkStore& chunks, const WorkerDescriptor& descriptor) {
    for (const WorkerFile& file : descriptor.files)
        if (const auto size = chunks.sizeOf(file.hash); size && *size != file.size) (void)chunks.verify(file.hash);
}

void Wiring::openWorkers() {
    services_.wine.emplace(WineHost::Parts{.directory = ground_.directory->path() + "/wine",
                                           .isSandboxed = ground_.sandboxing->forWorkers()});
    services_.classes.emplace(*services_.session, services_.dictionary, services_.registry,
                              [this](const std::string& platform) { return services_.wine->hostOf(platform); });
    services_.workers.emplace(Workers::Parts{
        .session = *services_.session,
        .dictionary = services_.dictionary,
        .registry = services_.registry,
        .helpers = *ground_.helpers,
        .settings = ground_.settings,
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .mayRun = [this] { return ground_.sandboxing->checkWorker(); },
        .mayRunForeign = [this](const WorkerDescriptor& worker) { return mayRunForeign(worker); },
        .checkFiles = [this](const WorkerDescriptor& descriptor) { checkSizes(*ground_.chunks, descriptor); },
        .cancelAll = [this](std::string id) { return cancelAllOf(std::move(id)); },
        .waitFor = [this](Lsn lsn, Duration wait) { return waitForEnd(lsn, wait); },
        .came =
            [this](const std::string& id, const Workers::Descriptor& descriptor) {
                warmSide_.addWorker(id, descriptor);
                services_.objects->workersChanged();
            },
        .left = [this](const std::string& id) { workerLeft(id); },
        .changed = [this] { services_.changes->note(ChangeEntry::Kind::Workers); },
        .now = [this] { return ground_.loop.now(); }});
}

/// Wine may have come since the start: then those that waited for it know.
Result<void> Wiring::mayRunForeign(const WorkerDescriptor& worker) {
    if (services_.wine->look())
        for (const RegisteredWorker* known : services_.registry.all())
            if (known->descriptor->platform == wine::kPlatform) {
                services_.classes->workerCame(known->id);
                wake_();
            }
    return services_.wine->mayRegister(worker);
}

Result<void> Wiring::mayRun(const ActionSpec& spec) const {
    if (!spec.isExec()) return ground_.sandboxing->checkWorker();
    return spec.sandbox ? ground_.sandboxing->checkExec() : Result<void>{};
}

void Wiring::openIntake() {
    services_.predecessors.emplace(Predecessors::Parts{
        .session = *services_.session, .endedOtherwise = [this](Lsn first, Lsn last, Lsn behind) {
            return ground_.journal.ask([first, last, behind](store::Reader& reader) {
                return reader.endedOtherwise(first, last, behind, kArrayPortion);
            });
        }});
    services_.intake.emplace(Intake::Parts{
        .session = *services_.session,
        .outbox = services_.outbox,
        .dictionary = services_.dictionary,
        .registry = services_.registry,
        .classes = *services_.classes,
        .workers = *services_.workers,
        .queues = *services_.queues,
        .predecessors = *services_.predecessors,
        .specs = services_.specs,
        .unkept = services_.unkept,
        .helpers = *ground_.helpers,
        .counters = ground_.counters,
        .settings = ground_.settings,
        .scale = ground_.scale,
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .mayRun = [this](const ActionSpec& spec) { return mayRun(spec); },
        .chunkSize = [this](const Hash256& hash) { return ground_.chunks->sizeOf(hash).value_or(0); },
        .arraySizes =
            [this](std::vector<Lsn> bases) {
                return ground_.journal.ask(
                    [bases = std::move(bases)](store::Reader& reader) { return reader.arraySizes(bases); });
            },
        .learnedMemory = [this](const ActionSpec& spec,
                                std::string_view worker) { return services_.kinds->learnedMemory(spec, worker); },
        .keptAnswer =
            [this](std::string key) {
                return ground_.journal.ask(
                    [key = std::move(key)](store::Reader& reader) { return reader.keptAnswer(key); });
            },
        .endOf = [this](Lsn lsn, Duration wait) { return services_.results->endOf(lsn, wait); },
        .spawn = spawningOn(ground_.loop),
        .wake = wakingForWork(services_, wake_),
        .replaced = [this](Lsn lsn) { services_.changes->noteReplaced(lsn); },
        .dependents =
            [this](Lsn parent, int most) {
                return ground_.journal.ask(
                    [=](store::Reader& reader) { return reader.pendingDependents(parent, most); });
            }});
}

void Wiring::openResults() {
    Results::Journal journal{
        .retry = [this](store::Retry row) { services_.committer.retry(std::move(row)); },
        .finish = [this](store::Finish row,
                         bool isWaitedFor) { services_.committer.finish(std::move(row), isWaitedFor); },
        .finishMany = [this](store::FinishMany rows) { services_.committer.finishMany(std::move(rows)); },
        .takeAcks = [this] { return services_.committer.takeAcks(); },
        .outstanding = [this] { return services_.committer.outstandingResults(); }};
    Results::Attempts ended{
        .find = attemptsOf(services_),
        .record =
            [this](runners::AttemptId id, ActionState state, Reason reason, bool retried,
                   std::vector<store::SmallChunk>& chunks) {
                return services_.execution->record(id, state, reason, retried, chunks);
            },
        .stored = [this](Lsn lsn, std::uint32_t attempt) { services_.execution->stored(lsn, attempt); },
        .inFlight = [this] { return services_.attempts.size(); },
        .markUrgent = [this](Lsn lsn) { services_.execution->markUrgent(lsn); }};
    services_.results.emplace(Results::Parts{
        .session = *services_.session,
        .outbox = services_.outbox,
        .rows = *services_.rows,
        .queues = *services_.queues,
        .predecessors = *services_.predecessors,
        .specs = services_.specs,
        .unkept = services_.unkept,
        .counters = ground_.counters,
        .scale = ground_.scale,
        .journal = std::move(journal),
        .attempts = std::move(ended),
        .ran = [this](const Attempt& attempt, const AttemptRecord& record,
                      const session::LiveView& live) { services_.kinds->note(attempt, record, live); },
        .finished = [this] { services_.retention->noteFinished(); },
        .acked = [this] { services_.locks->lookSoon(); },
        .now = MonoClock::now,
        .kept =
            [this](const session::LiveView& live, ActionState state, Reason reason) {
                services_.recordings->ended(live.lsn);
                services_.objects->actions().ended(live.lsn);
                services_.alerts->ended(live.lsn, {.queue = live.queue,
                                                   .cls = live.cls.value,
                                                   .label = live.label.value,
                                                   .state = state,
                                                   .reason = reason});
            },
        .objectOf = [this](Lsn lsn) { return services_.objects->actions().ownerOf(lsn); }});
}

void Wiring::openRescheduling() {
    services_.rescheduling.emplace(Rescheduling::Parts{
        .session = *services_.session,
        .outbox = services_.outbox,
        .dictionary = services_.dictionary,
        .rows = *services_.rows,
        .predecessors = *services_.predecessors,
        .entered = services_.workers->entered(),
        .scale = ground_.scale,
        .takesActions = [this](const std::string& worker) { return services_.workers->takesActions(worker); },
        .post = [this](store::Action action) { return services_.committer.begin(std::move(action)); },
        .waits =
            [this](Lsn lsn) {
                return ground_.journal.ask([lsn](store::Reader& reader) { return readWaits(reader, lsn); });
            },
        .failed =
            [this](std::vector<Lsn> parents, Reached place) {
                return ground_.journal.ask([parents = std::move(parents), place](store::Reader& reader) {
                    return readFailed(reader, parents, place);
                });
            },
        .mayRun = [this](Lsn lsn) { return services_.machines->mayRun(lsn); },
        .putBack = [this](Lsn lsn) { services_.orders->notePutBack(lsn); },
        .wake = wakingForWork(services_, wake_),
        .now = MonoClock::now});
}

void Wiring::openOperations() {
    services_.operations.emplace(Operations::Parts{
        .session = *services_.session,
        .outbox = services_.outbox,
        .queues = *services_.queues,
        .selection = *services_.selection,
        .rows = *services_.rows,
        .annotations = services_.annotations,
        .changes = *services_.changes,
        .journal = ground_.journal,
        .helpers = *ground_.helpers,
        .post = [this](store::Action action) { return services_.committer.begin(std::move(action)); },
        .waitForEnd = [this](Lsn lsn, Duration wait) { return services_.results->waitFor(lsn, wait); },
        .room = [this] { return services_.results->room(); },
        .mayRetry = [this](Lsn lsn, bool force) { return services_.rescheduling->mayRetry(lsn, force); },
        .notBegun = [this] { return services_.attempts.notBegun(); },
        .spawn = spawningOn(ground_.loop),
        .wake = wakingForWork(services_, wake_)});
}

void Wiring::openAnnotating() {
    services_.annotating.emplace(Annotating::Parts{
        .annotations = services_.annotations,
        .rows = *services_.rows,
        .queues = *services_.queues,
        .changes = *services_.changes,
        .journal = ground_.journal,
        .user = userName(),
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .now = [this] { return ground_.scale.at(MonoClock::now()); }});
}

void Wiring::openMoving() {
    services_.moving.emplace(
        Moving::Parts{.session = *services_.session,
                      .queues = *services_.queues,
                      .selection = *services_.selection,
                      .journal = ground_.journal,
                      .post = [this](store::Action action) { return services_.committer.begin(std::move(action)); },
                      .wake = wakingForWork(services_, wake_)});
}

static std::string missedText(const std::string& name, const ScheduleRun& run) {
    if (run.outcome == RunOutcome::Refused) return "Schedule " + name + " was due and did not run: " + run.error;
    std::string text = "Schedule " + name;
    text += run.outcome == RunOutcome::Missed ? " did not run when it was due, as nothing acted on it in time."
            : run.isLate                      ? " was acted on late."
                                              : " was acted on once for several times.";
    if (run.skipped == 1) text += " One time before that was missed as well.";
    if (run.skipped > 1) text += fmt::format(" {} times before that were missed as well.", run.skipped);
    return text;
}

void Wiring::openSchedules() {
    services_.schedules.emplace(Schedules::Parts{
        .settings = ground_.settings,
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .submit =
            [this](Submission submission) {
                return services_.intake->submit(std::move(submission), Duration::zero());
            },
        .cancel = [this](Lsn lsn) { return services_.operations->cancel(lsn); },
        .liveBetween =
            [this](Lsn first, Lsn end) {
                std::optional<Lsn> found;
                // Those whose end is kept are passed over without being shown.
                for (Lsn at = first; at.value > 0 && at < end && !found;)
                    at = services_.session->views().walk(at, 1, [&](const session::LiveView& live) {
                        if (live.lsn < end) found = live.lsn;
                    });
                return found;
            },
        .takesWork = [this] { return services_.session->state() <= SessionState::Ready; },
        .arm = [this](std::optional<WallMicros> at) { services_.scheduleAlarm->set(at); },
        .rung = [this] { return services_.scheduleAlarm->rung(); },
        .now = wallNow,
        .missed =
            [this](const std::string& name, const ScheduleRun& run) {
                services_.alerts->happened(alerts::Kind::ScheduleMissed,
                                           {.key = name, .text = missedText(name, run), .since = wallNow()});
            }});
}

Result<void> Wiring::openSessionMoves() {
    UniqueFd sunset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!sunset) return failErrno("eventfd", errno);
    services_.sessionMoves.emplace(
        SessionMoves::Parts{.session = *services_.session,
                            .outbox = services_.outbox,
                            .sunset = std::move(sunset),
                            .changed = [this] { services_.changes->note(ChangeEntry::Kind::Session); },
                            .wake = wake_});
    return {};
}

coro::Task<Result<void>> Wiring::cancelAllOf(std::string workerId) {
    BulkRequest cancelling;
    cancelling.which.worker = std::move(workerId);
    const Result<BulkAnswer> cancelled = co_await services_.operations->changeMatching(std::move(cancelling));
    if (!cancelled) co_return std::unexpected(cancelled.error());
    co_return Result<void>{};
}

coro::Task<Result<void>> Wiring::waitForEnd(Lsn lsn, Duration wait) {
    const Result<ActionResult> ended = co_await services_.results->waitFor(lsn, wait);
    if (!ended) co_return std::unexpected(ended.error());
    co_return Result<void>{};
}

void Wiring::workerLeft(const std::string& id) {
    services_.warm->removeWorker(id);
    services_.objects->workersChanged();
    services_.workspaces->forgetWorker(id);
    ground_.helpers->postDeletion([dataDir = ground_.directory->path(), id, stop = ground_.helpers->stopping()] {
        const auto removed = runners::removeWorkerFiles(dataDir, id, stop);
        if (!removed && !stop.stop_requested())
            logWarning("engine", "files of worker {}: {}", id, removed.error().message);
    });
}

} // namespace yard::engine
