// Services that answer questions, each given what it needs of the others.
#include "core/engine/kernel/wiring_reading.h"

#include "core/engine/kernel/wires.h"
#include "core/engine/objects/object_figures.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"

#include <utility>

namespace yard::engine {

/// Commands of pending actions likewise.
static constexpr Duration kEstimatesPortion{4'000};

std::optional<Wait> ReadingWiring::nothingStarts() const {
    if (!services_.places->isAccepting()) return plainWait(WaitKind::NoRunner, "the launcher is being replaced");
    if (!services_.committer.writable()) return plainWait(WaitKind::Journal, services_.committer.failure());
    if (services_.guards->isHolding()) return holdOf("memory", services_.guards->reason());
    if (services_.descriptors->isHolding()) return holdOf("descriptors", services_.descriptors->reason());
    return std::nullopt;
}

void ReadingWiring::open() {
    openForecasts();
    openRows();
    openLists();
    openTallies();
    openWatching();
}

void ReadingWiring::openForecasts() {
    services_.estimates.emplace(Estimates::Parts{
        .session = *services_.session,
        .dictionary = services_.dictionary,
        .estimator = services_.estimator,
        .scale = ground_.scale,
        .attempt = attemptsOf(services_),
        .nothingStarts = [this] { return services_.guards->isHolding() || services_.descriptors->isHolding(); },
        .commands =
            [this](std::vector<Lsn> lsns) {
                return commandsOf(ground_.journal, std::move(lsns), kEstimatesPortion);
            },
        .spawn = spawningOn(ground_.loop),
        .now = MonoClock::now});
    services_.reasons.emplace(Reasons::Parts{
        .session = *services_.session,
        .dictionary = services_.dictionary,
        .locks = *services_.locks,
        .estimates = *services_.estimates,
        .scale = ground_.scale,
        .attempt = attemptsOf(services_),
        .isStarting = [this](const Attempt& one) { return services_.slots.isStarting(one); },
        .slots =
            [this] {
                return CoreSlots{.all = ground_.slotPlan.oneCore(),
                                 .busy = services_.slots.busyCoreSlots(),
                                 .cores = ground_.cores(),
                                 .limit = ground_.slotPlan.limit};
            },
        .nothingStarts = [this] { return nothingStarts(); },
        .writesJournal = [this] { return services_.committer.writable(); },
        .poolWait =
            [this](const std::string& worker) {
                return services_.warm ? services_.warm->views().waitOf(worker) : std::nullopt;
            },
        .holderName =
            [this](session::HoldKey key) {
                if (CourtesyService::isKey(key)) return std::string("courtesy");
                if (JobTokens::isKey(key)) return std::string("a jobserver");
                if (GuestJobs::isKey(key)) return std::string("an action of another engine");
                return services_.warm ? services_.warm->views().holderName(key) : std::string();
            },
        .courtesyHold = [this] { return services_.courtesy->holdWait(); },
        .courtesyFreeze = [this] { return services_.courtesy->freezeWait(); },
        .courtesyCores = [this] { return services_.courtesy->coresWait(); },
        .foreignWords = [this](const std::string& worker) { return foreignWords(worker); },
        .machineWords = [this](session::MachineId machine) { return services_.machines->notTakenBy(machine); },
        .parents =
            [this](Lsn lsn) {
                return ground_.journal.ask([lsn](store::Reader& reader) { return waitsOfParents(reader, lsn); });
            },
        .stateOf = [this](Lsn lsn) { return stateOfEnded(lsn); },
        .now = MonoClock::now});
}

/// The launcher of this machine is the first of the runners: its slots have the same numbers here.
std::string ReadingWiring::statusFileOf(const Attempt& attempt) const {
    if (attempt.warm || !attempt.spec || services_.slots.isElsewhere(attempt.machine)) return {};
    // One in a sandbox does not see its slot's file, which says how far the one before it was.
    if (attempt.spec->isExec() ? attempt.spec->sandbox : ground_.sandboxing->forWorkers()) return {};
    return fmt::format("{}/status/{}", ground_.directory->path(), attempt.slot.value);
}

const ReportedProgress* ReadingWiring::saidOf(const Attempt& attempt) const {
    if (services_.slots.isElsewhere(attempt.machine)) return services_.machines->progressOf(attempt.id);
    if (!attempt.warm || !services_.warm) return nullptr;
    return services_.warm->views().progressOf(attempt.id);
}

void ReadingWiring::openNotes() {
    auto readsProgress = [this] { return ground_.settings.progressFromOutput == "on"; };
    services_.notes.emplace(Notes::Parts{.reasons = *services_.reasons,
                                         .helpers = *ground_.helpers,
                                         .scale = ground_.scale,
                                         .attempt = attemptsOf(services_),
                                         .follow =
                                             [this](Lsn lsn) {
                                                 services_.execution->follow(lsn, 0, 0);
                                                 return services_.execution->follow(lsn, 0, 1);
                                             },
                                         .spawn = spawningOn(ground_.loop),
                                         .rowChanged = [this](Lsn lsn) { services_.changes->noteRow(lsn); },
                                         .now = MonoClock::now,
                                         .statusFile = [this](const Attempt& one) { return statusFileOf(one); },
                                         .readsProgress = std::move(readsProgress),
                                         .said = [this](const Attempt& one) { return saidOf(one); }});
}

void ReadingWiring::openRows() {
    services_.waitingCounts.emplace(WaitingCounts::Parts{.session = *services_.session,
                                                         .reasons = *services_.reasons,
                                                         .scale = ground_.scale,
                                                         .now = MonoClock::now});
    services_.accounting.emplace(
        Accounting::Parts{.dictionary = services_.dictionary,
                          .journal = ground_.journal,
                          .helpers = *ground_.helpers,
                          .machineName = ground_.machineName,
                          .ended =
                              [this] {
                                  const QueueCounters all = services_.session->views().counts().all;
                                  return all.completed + all.failed + all.abandoned + all.cancelled;
                              },
                          .now = [this] { return ground_.scale.at(MonoClock::now()); }});
    services_.graphs.emplace(Graphs::Parts{.session = *services_.session,
                                           .dictionary = services_.dictionary,
                                           .queues = *services_.queues,
                                           .journal = ground_.journal,
                                           .estimates = *services_.estimates,
                                           .helpers = *ground_.helpers,
                                           .cores = [this] { return ground_.cores(); },
                                           .now = MonoClock::now});
    openNotes();
    auto tokens = [this](runners::AttemptId id) { return services_.tokens->heldBy(id); };
    services_.rows.emplace(ActionRows::Parts{.session = *services_.session,
                                             .places = services_.session->places(),
                                             .dictionary = services_.dictionary,
                                             .journal = ground_.journal,
                                             .reasons = *services_.reasons,
                                             .estimates = *services_.estimates,
                                             .notes = *services_.notes,
                                             .annotations = services_.annotations,
                                             .settings = ground_.settings,
                                             .scale = ground_.scale,
                                             .machineName = ground_.machineName,
                                             .platformOf =
                                                 [this](const std::string& machine) {
                                                     return machine == ground_.machineName
                                                                ? std::string(thisPlatform())
                                                                : services_.machines->platformOf(machine);
                                                 },
                                             .attempt = attemptsOf(services_),
                                             .tokens = std::move(tokens),
                                             .now = MonoClock::now});
    services_.details.emplace(ActionDetails::Parts{
        .session = *services_.session,
        .dictionary = services_.dictionary,
        .rows = *services_.rows,
        .journal = ground_.journal,
        .attempt = attemptsOf(services_),
        .follow = [this](Lsn lsn, std::uint32_t number,
                         unsigned stream) { return services_.execution->follow(lsn, number, stream); },
        .progress = [this]() -> coro::ConditionVariable& { return services_.execution->progress(); },
        .now = MonoClock::now});
}

void ReadingWiring::openLists() {
    services_.selection.emplace(Selection::Parts{.session = *services_.session,
                                                 .dictionary = services_.dictionary,
                                                 .registry = services_.registry,
                                                 .queues = *services_.queues,
                                                 .rows = *services_.rows,
                                                 .annotations = services_.annotations,
                                                 .journal = ground_.journal,
                                                 .scale = ground_.scale,
                                                 .now = MonoClock::now});
    services_.orders.emplace(Orders::Parts{.session = *services_.session,
                                           .places = services_.session->places(),
                                           .dictionary = services_.dictionary,
                                           .selection = *services_.selection,
                                           .rows = *services_.rows,
                                           .journal = ground_.journal,
                                           .changes = *services_.changes,
                                           .helpers = *ground_.helpers,
                                           .scale = ground_.scale,
                                           .run = ground_.runId,
                                           .attempt = attemptsOf(services_),
                                           .spawn = spawningOn(ground_.loop),
                                           .now = MonoClock::now});
    services_.matches.emplace(MatchWalk::Parts{.session = *services_.session,
                                               .selection = *services_.selection,
                                               .journal = ground_.journal,
                                               .now = MonoClock::now});
    services_.listing.emplace(Listing::Parts{.session = *services_.session,
                                             .queues = *services_.queues,
                                             .selection = *services_.selection,
                                             .rows = *services_.rows,
                                             .orders = *services_.orders,
                                             .matches = *services_.matches,
                                             .journal = ground_.journal,
                                             .now = MonoClock::now});
    services_.folding.emplace(Folding::Parts{.session = *services_.session,
                                             .selection = *services_.selection,
                                             .listing = *services_.listing,
                                             .journal = ground_.journal,
                                             .attempt = attemptsOf(services_),
                                             .now = MonoClock::now});
}

/// What counts and sums up many.
void ReadingWiring::openTallies() {
    services_.facets.emplace(Facets::Parts{.session = *services_.session,
                                           .dictionary = services_.dictionary,
                                           .queues = *services_.queues,
                                           .selection = *services_.selection,
                                           .matches = *services_.matches,
                                           .machineName = ground_.machineName,
                                           .attempt = attemptsOf(services_)});
    services_.failureMutes.emplace(FailureMutes::Parts{
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .now = [this] { return ground_.scale.at(MonoClock::now()); }});
    services_.kinds.emplace(KindKeeper::Parts{
        .dictionary = services_.dictionary,
        .machineName =
            [this](session::MachineId machine) {
                return machine == fleet::kLocal ? ground_.machineName : services_.machines->nameOf(machine);
            },
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .now = [this] { return ground_.scale.at(MonoClock::now()); },
        .regressed = [this](const std::string& kind,
                            const kinds::Change& change) { alerts_.tellRegression(kind, change); },
        .suggests =
            [this](QueueId queue) {
                const QueueConfig* config = services_.session->queues().configOf(queue);
                return config != nullptr && config->learn == Learn::Suggest;
            }});
    services_.failures.emplace(Failures::Parts{.dictionary = services_.dictionary,
                                               .selection = *services_.selection,
                                               .journal = ground_.journal,
                                               .mutes = *services_.failureMutes,
                                               .helpers = *ground_.helpers,
                                               .machineName = ground_.machineName,
                                               .now = MonoClock::now,
                                               .wall = [this] { return ground_.scale.at(MonoClock::now()); }});
}

void ReadingWiring::openWatching() {
    services_.watching.emplace(Watching::Parts{.session = *services_.session,
                                               .dictionary = services_.dictionary,
                                               .registry = services_.registry,
                                               .queues = *services_.queues,
                                               .changes = *services_.changes,
                                               .selection = *services_.selection,
                                               .rows = *services_.rows,
                                               .listing = *services_.listing,
                                               .journal = ground_.journal,
                                               .sessionView = [this] { return services_.overview->session(); }});
}

void ReadingWiring::openOverview() {
    services_.inside.emplace(Inside::Parts{.session = *services_.session,
                                           .specs = services_.specs,
                                           .unkept = services_.unkept,
                                           .lists = services_.orders->kept()});
    services_.overview.emplace(
        Overview::Parts{.session = *services_.session,
                        .queues = *services_.queues,
                        .committer = services_.committer,
                        .attempts = services_.attempts,
                        .specs = services_.specs,
                        .changes = *services_.changes,
                        .helpers = *ground_.helpers,
                        .loop = ground_.loop,
                        .counters = ground_.counters,
                        .constants = {.engineId = ground_.directory->engineId(),
                                      .runId = ground_.runId,
                                      .machineName = ground_.machineName,
                                      .capacity = ground_.capacity,
                                      .total = ground_.total,
                                      .sandbox = ground_.sandboxing->view()},
                        .slots =
                            [this] {
                                return SessionView::Slots{.oneCore = ground_.slotPlan.core,
                                                          .other = ground_.slotPlan.shared,
                                                          .warm = static_cast<int>(warmSide_.options().max),
                                                          .why = ground_.slotPlan.limit};
                            },
                        .guard = [this] { return services_.guards->view(); },
                        .descriptors =
                            [this] {
                                const DescriptorGuard& guard = *services_.descriptors;
                                return guard.isHolding() ? guard.reason() : std::string();
                            },
                        .itself =
                            [this] {
                                const EngineFigures& itself = services_.figures->engine();
                                return SessionView::EngineUsage{.cpuPercent = itself.cpuPercent,
                                                                .rssBytes = itself.rssBytes,
                                                                .journalBytes = itself.journalBytes,
                                                                .diskBytes = itself.diskBytes,
                                                                .diskFreeBytes = itself.diskFreeBytes};
                            },
                        .cloud = [this] { return services_.cloud->view(); },
                        .gpus = [this] { return services_.gpus->view(); },
                        .courtesy = [this] { return services_.courtesy->now(); },
                        .findings = [this] { return services_.orphans->findings(); },
                        .store = [this] { return ground_.store->stats(); },
                        .hung = [this] { return services_.monitor->hung(); },
                        .warm = [this] { return services_.warm ? &services_.warm->views() : nullptr; },
                        .objects = [this] { return objectFigures(*services_.objects); }});
}

/// Of a worker for Windows without Wine.
std::string ReadingWiring::foreignWords(const std::string& workerId) const {
    const RegisteredWorker* worker = services_.registry.find(workerId);
    return worker ? services_.wine->whyNot(worker->descriptor->platform) : std::string();
}

coro::Task<Result<ActionState>> ReadingWiring::stateOfEnded(Lsn lsn) {
    const Result<ActionResult> known = co_await services_.rows->row(lsn);
    if (!known) co_return std::unexpected(known.error());
    co_return known->state;
}

} // namespace yard::engine
