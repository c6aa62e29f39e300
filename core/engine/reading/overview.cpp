#include "core/engine/reading/overview.h"

#include "core/session/live_views.h"

#include <unistd.h>
#include <utility>

namespace yard::engine {

coro::Task<SessionView> Overview::session() {
    co_return look();
}

SessionView Overview::look() const {
    YARD_ASSERT_OWNER(owner_);
    const Constants& constants = parts_.constants;
    SessionView view;
    view.state = parts_.session.state();
    view.engineId = constants.engineId;
    view.runId = constants.runId;
    const session::SessionCounts counts = parts_.session.views().counts();
    const auto set = [&view](ActionState state, std::int64_t count) {
        view.counts[std::to_underlying(state)] = count;
    };
    set(ActionState::Pending, counts.all.pending);
    set(ActionState::Submitting, counts.submitting);
    set(ActionState::Running, counts.all.running - counts.submitting);
    set(ActionState::Completed, counts.all.completed);
    set(ActionState::Failed, counts.all.failed);
    set(ActionState::Abandoned, counts.all.abandoned);
    set(ActionState::Cancelled, counts.all.cancelled);
    view.machineName = constants.machineName;
    view.cloud = parts_.cloud();
    if (parts_.gpus) view.gpuList = parts_.gpus();
    if (parts_.courtesy) view.courtesy = parts_.courtesy();
    view.held = counts.held;
    view.retry = counts.backingOff;
    view.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    view.total = constants.total;
    view.taken = parts_.session.taken();
    for (const auto& [name, amount] : constants.total.named)
        if (name == "gpus") view.gpus = static_cast<double>(amount) / 1000;
    view.memoryBytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
    view.capacity = constants.capacity;
    view.slots = parts_.slots();
    view.journalWritable = parts_.committer.writable();
    view.guard = parts_.guard();
    view.why = !view.journalWritable        ? parts_.committer.failure()
               : !view.guard.reason.empty() ? view.guard.reason
                                            : parts_.descriptors();
    view.itself = parts_.itself();
    view.sandbox = constants.sandbox;
    view.janitor = {.reaped = parts_.counters.orphansReaped,
                    .staleLocks = parts_.counters.staleLocks,
                    .findings = parts_.findings()};
    return view;
}

coro::Task<MetricsView> Overview::metrics() {
    MetricsView view;
    view.counters = parts_.counters;
    view.session = look();
    view.held = view.session.held;
    for (const QueueEntry* entry : parts_.queues.all())
        if (const auto status = parts_.session.views().queue(entry->id))
            view.queues.push_back({entry->id, status->counters.pending, status->counters.running});
    view.store = parts_.store();
    view.uncommittedResults = parts_.committer.outstandingResults();
    view.helperBacklog = parts_.helpers.backlog();
    view.locksHeld = parts_.session.views().locksHeld();
    view.locksWaitedFor = parts_.session.views().locksWaitedFor();
    view.hung = parts_.hung();
    if (const runners::WarmViews* processes = parts_.warm()) {
        const runners::WarmCounters& warm = processes->counters();
        view.poolProcesses = processes->alive();
        view.poolBusy = processes->busy();
        view.poolSpawned = warm.spawned;
        view.poolSpawnFailures = warm.spawnFailures;
        view.poolCrashes = warm.crashes;
        view.poolRequests = warm.requests;
        view.poolElsewhere = warm.elsewhere;
    }
    view.attemptsInFlight = parts_.attempts.size();
    view.sessionBytes = parts_.session.memoryBytes();
    view.specCacheBytes = parts_.specs.bytes();
    view.revision = parts_.changes.feed().last();
    view.loopWakeups = parts_.loop.meter().wakeups();
    view.loopSwitches = parts_.loop.meter().switches();
    if (parts_.objects) view.objects = parts_.objects();
    co_return view;
}

} // namespace yard::engine
