// Questions about the engine as a whole.
#include "core/engine/kernel/kernel.h"
#include "core/session/live_views.h"

#include <unistd.h>

namespace yard::engine {

namespace {

/// Commands are looked up for this long before others who read get their turn.
constexpr Duration kNamesPortion{8'000};
/// Bars of a timeline whose commands are looked up; what is beyond has none.
constexpr std::size_t kNamedBars = 2'000;

} // namespace

coro::Task<TimelineView> Kernel::timelines(TimelineQuery query) {
    TimelineView view = co_await timelines_->query(std::move(query));
    std::vector<Lsn> lsns = view.unnamed(kNamedBars);
    while (!lsns.empty()) {
        auto commands =
            co_await read([lsns](store::Reader& reader) { return reader.commands(lsns, kNamesPortion); });
        if (!commands || commands->empty()) break; // bars without names are better than none
        for (std::size_t i = 0; i < commands->size(); ++i)
            if (!(*commands)[i].empty()) view.commands.emplace(lsns[i], std::move((*commands)[i]));
        lsns.erase(lsns.begin(), lsns.begin() + std::ssize(*commands));
    }
    co_return view;
}

coro::Task<SessionView> Kernel::session() {
    SessionView view;
    view.state = session_->state();
    view.engineId = directory_->engineId();
    view.runId = runId_;
    const session::SessionCounts counts = session_->views().counts();
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
    view.machineName = machineName_;
    view.held = counts.held;
    view.retry = counts.backingOff;
    view.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    view.total = total_;
    view.taken = session_->taken();
    for (const auto& [name, amount] : total_.named)
        if (name == "gpus") view.gpus = static_cast<double>(amount) / 1000;
    view.memoryBytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
    view.capacity = capacity_;
    view.slots = {.oneCore = coreSlots_,
                  .other = sharedSlots_,
                  .warm = static_cast<int>(poolOptions().max),
                  .why = slotLimit_};
    view.journalWritable = committer_.writable();
    view.guard = guards_->view();
    view.why = !view.journalWritable ? committer_.failure() : view.guard.reason;
    const EngineFigures& itself = figures_->engine();
    view.itself = {itself.cpuPercent, itself.rssBytes, itself.journalBytes, itself.diskBytes, itself.diskFreeBytes};
    view.sandbox = sandboxing_->view();
    view.janitor = {
        .reaped = counters_.orphansReaped, .staleLocks = counters_.staleLocks, .findings = orphans_->findings()};
    co_return view;
}

coro::Task<MetricsView> Kernel::metrics() {
    MetricsView view;
    view.counters = counters_;
    view.session = co_await session();
    const session::SessionCounts counts = session_->views().counts();
    view.held = counts.held;
    for (const QueueEntry* entry : queues_->all())
        if (const auto status = session_->views().queue(entry->id))
            view.queues.push_back({entry->id, status->counters.pending, status->counters.running});
    view.store = store_->stats();
    view.uncommittedResults = committer_.outstandingResults();
    view.helperBacklog = helpers_->backlog();
    view.locksHeld = session_->views().locksHeld();
    view.locksWaitedFor = session_->views().locksWaitedFor();
    view.hung = monitor_->hung();
    if (warm_) {
        const runners::WarmCounters& warm = warm_->views().counters();
        view.poolProcesses = warm_->views().alive();
        view.poolBusy = warm_->views().busy();
        view.poolSpawned = warm.spawned;
        view.poolSpawnFailures = warm.spawnFailures;
        view.poolCrashes = warm.crashes;
        view.poolRequests = warm.requests;
        view.poolElsewhere = warm.elsewhere;
    }
    view.attemptsInFlight = attempts_.size();
    view.sessionBytes = session_->memoryBytes();
    view.specCacheBytes = specs_.bytes();
    view.revision = changes_->feed().last();
    view.loopWakeups = loop_.wakeups();
    view.loopSwitches = loop_.switches();
    co_return view;
}

} // namespace yard::engine
