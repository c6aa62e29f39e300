// Telling those who watch: changes are noted as they happen, and looked up when somebody asks.
#include "core/engine/engine_core.h"
#include "core/engine/list_parts.h"

#include "core/coro/timeout.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

namespace {

/// The ring is kept this long after the last question, for who comes back with his position.
constexpr Duration kKeepFeed{60'000'000};
/// A question for the next change is answered after this long even without one.
constexpr Duration kLongestWait{25'000'000};
// What one update holds at most; the rest is told by the next one.
constexpr std::size_t kQueuesAtOnce = 500;
constexpr std::size_t kFinishedAtOnce = 4'000;
/// Rows of one answer, all watchers together; who has no room asks again.
constexpr std::size_t kRowsOfAnswer = 4'000;
constexpr std::uint64_t kEntriesPerSlice = 1'000;
constexpr std::size_t kRowsPerRead = 100;
/// Pages of a filter that finds little: each looks for 10 ms at most.
constexpr int kMostPages = 100;

/// Adds to a list in order; false when it is there.
template<class T>
bool insertSorted(std::vector<T>& list, T value) {
    const auto at = std::ranges::lower_bound(list, value);
    if (at != list.end() && *at == value) return false;
    list.insert(at, value);
    return true;
}

} // namespace

// --- noting

/// Somebody asks for changes: they are kept from now on, and a while after he last asked.
void EngineCore::keepChanges() {
    feedUsed_ = MonoClock::now();
    if (feed_.isOpen()) return;
    feed_.open();
    session_->setChangeSink([this](const session::Change& change) { noteAction(change); });
    loop_.spawn("change feed", dropUnusedFeed());
}

coro::Task<void> EngineCore::dropUnusedFeed() {
    while (MonoClock::now() - feedUsed_ < kKeepFeed) co_await coro::sleepFor(kKeepFeed);
    session_->setChangeSink({});
    feed_.close();
}

void EngineCore::noteAction(const session::Change& change) {
    ChangeEntry entry{
        .lsn = change.lsn, .queue = change.queue, .cls = change.cls.value, .label = change.label.value};
    entry.state = change.state;
    if (change.isEnd && ending_) {
        entry.kind = ChangeEntry::Kind::Ended;
        entry.reason = ending_->reason;
        entry.hasExitCode = ending_->exitCode.has_value();
        entry.exitCode = ending_->exitCode.value_or(0);
    }
    feed_.note(entry);
}

void EngineCore::noteRow(Lsn lsn) {
    const auto live = session_->live(lsn);
    if (!live) return;
    feed_.note({.lsn = lsn,
                .queue = live->queue,
                .cls = live->cls.value,
                .label = live->label.value,
                .kind = ChangeEntry::Kind::Action,
                .state = live->state});
}

void EngineCore::noteChange(ChangeEntry::Kind kind, QueueId queue) {
    feed_.note({.lsn = {}, .queue = queue, .kind = kind});
}

void EngineCore::noteWritable() {
    if (std::exchange(toldWritable_, committer_.writable()) != toldWritable_)
        noteChange(ChangeEntry::Kind::Session);
}

// --- telling

/// A way through the ring for one request.
struct EngineCore::Walk {
    const WatchRequest& request;
    WatchUpdate& update;
    std::uint64_t target;         ///< the last entry to look at
    std::optional<QueueId> queue; ///< that the filter names
    bool impossible = false;      ///< the filter names a queue that is not there
};

coro::Task<void> EngineCore::walk(Walk& walk) {
    WatchUpdate& update = walk.update;
    if (!feed_.covers(walk.request.seen)) update.kind = WatchUpdate::Kind::Lost;
    if (update.kind == WatchUpdate::Kind::Lost) co_return;
    for (update.seq = walk.request.seen; update.seq < walk.target; ++update.seq) {
        if ((update.seq + 1) % kEntriesPerSlice == 0) co_await coro::yieldNow();
        if (!feed_.covers(update.seq)) {
            update.kind = WatchUpdate::Kind::Lost;
            co_return;
        }
        if (!takeEntry(walk, feed_.at(update.seq + 1))) co_return;
    }
}

/// False: the update has no room for it.
bool EngineCore::takeEntry(Walk& walk, const ChangeEntry& entry) const {
    using Kind = ChangeEntry::Kind;
    WatchUpdate& update = walk.update;
    if (entry.kind == Kind::Session) update.session = update.counts = true;
    if (entry.kind == Kind::Workers) update.workers = true;
    if (entry.kind == Kind::Session || entry.kind == Kind::Workers) return true;
    if (entry.kind != Kind::Queue && !takeRow(walk, entry)) return false;
    if (entry.kind == Kind::Retired) return true;
    if (update.queues.size() >= kQueuesAtOnce && !std::ranges::binary_search(update.queues, entry.queue))
        return false;
    insertSorted(update.queues, entry.queue);
    update.counts = true;
    return true;
}

bool EngineCore::takeRow(Walk& walk, const ChangeEntry& entry) const {
    const Watch& watch = *walk.request.watch;
    WatchUpdate& update = walk.update;
    switch (watch.kind) {
    case Watch::Kind::Nothing: return true;
    case Watch::Kind::Finished: {
        if (entry.kind != ChangeEntry::Kind::Ended) return true;
        if (update.finished.size() >= kFinishedAtOnce) return false;
        FinishedRow row{entry.lsn, entry.queue, entry.state, entry.reason, {}};
        if (entry.hasExitCode) row.exitCode = entry.exitCode;
        update.finished.push_back(row);
        return true;
    }
    case Watch::Kind::Lsns:
        if (!std::ranges::binary_search(watch.lsns, entry.lsn)) return true;
        break;
    case Watch::Kind::Filter:
        if (!mayMatch(walk, entry)) return true;
        break;
    }
    if (update.rows.size() >= kMaxWatchedRows && !std::ranges::binary_search(update.rows, entry.lsn)) return false;
    insertSorted(update.rows, entry.lsn);
    return true;
}

/// Whether the row is worth reading: it may be one of the filter's now, or was.
bool EngineCore::mayMatch(const Walk& walk, const ChangeEntry& entry) const {
    if (walk.request.known && std::ranges::binary_search(*walk.request.known, entry.lsn)) return true;
    if (walk.impossible || entry.kind == ChangeEntry::Kind::Retired) return false;
    const ListQuery& filter = walk.request.watch->filter;
    if (walk.queue && entry.queue != *walk.queue) return false;
    if (!filter.label.empty() && dictionary_.label(entry.label) != filter.label) return false;
    if (!filter.worker.empty()) {
        const ClassKey& key = dictionary_.classKey(entry.cls);
        if (key.workerId != filter.worker && key.workerName != filter.worker &&
            key.workerName + "@" + key.workerVersion != filter.worker)
            return false;
    }
    if (filter.states.empty() && !filter.heldOnly && !filter.retryOnly) return true;
    const auto live = session_->live(entry.lsn);
    if (filter.heldOnly || filter.retryOnly) return live && (filter.heldOnly ? live->held : live->backoff);
    return std::ranges::find(filter.states, live ? live->state : entry.state) != filter.states.end();
}

bool EngineCore::matches(const ListQuery& query, const ActionResult& row) const {
    if (!accepts(query, row)) return false;
    if (query.queue && knownQueue(*query.queue) != row.queue) return false;
    if (!query.label.empty() && row.label != query.label) return false;
    if (query.worker.empty() || row.workerId == query.worker || row.workerName == query.worker) return true;
    const RegisteredWorker* worker = query.worker.contains('@') ? workers_.find(query.worker) : nullptr;
    return worker && worker->id == row.workerId;
}

void EngineCore::tellEverything(const WatchRequest& request, WatchUpdate& update) {
    update.seq = request.afterQueue ? request.seen : feed_.last();
    update.session = update.counts = update.workers = !request.afterQueue;
    for (const QueueEntry* entry : queues_.all()) {
        if (request.afterQueue && entry->id <= *request.afterQueue) continue;
        if (update.queues.size() == kQueuesAtOnce) {
            update.moreQueues = true;
            break;
        }
        update.queues.push_back(entry->id);
    }
}

/// The rows of a watch as they are: of a filter the newest.
coro::Task<void> EngineCore::tellAllRows(const Watch& watch, WatchUpdate& update, Collected& into) {
    update.rows.clear();
    if (watch.kind == Watch::Kind::Lsns) update.rows = watch.lsns;
    if (watch.kind != Watch::Kind::Filter) co_return;
    ListQuery query = watch.filter;
    query.sort = {};
    query.limit = static_cast<int>(kMaxWatchedRows);
    query.cursor.clear();
    for (int page = 0; page < kMostPages && update.rows.size() < kMaxWatchedRows; ++page) {
        Result<ListPage> found = co_await list(query);
        if (!found) co_return; // its queue is gone, or the journal cannot be read: nothing to show
        for (ActionResult& row : found->jobs) {
            if (update.rows.size() < kMaxWatchedRows) insertSorted(update.rows, row.lsn);
            into.rows.insert_or_assign(row.lsn, std::move(row));
        }
        if (found->cursor.empty()) co_return;
        query.cursor = found->cursor;
    }
}

coro::Task<void> EngineCore::readRows(std::vector<Lsn> lsns, Collected& into) {
    for (std::size_t at = 0; at < lsns.size(); at += kRowsPerRead) {
        std::vector<Lsn> some(lsns.begin() + static_cast<std::ptrdiff_t>(at),
                              lsns.begin() + static_cast<std::ptrdiff_t>(std::min(at + kRowsPerRead, lsns.size())));
        auto rows = co_await read([some](store::Reader& reader) -> Result<std::vector<ActionResult>> {
            std::vector<ActionResult> found;
            for (const Lsn lsn : some) {
                auto row = reader.get(lsn);
                if (!row) return std::unexpected(row.error());
                if (*row) found.push_back(std::move(**row));
            }
            return found;
        });
        if (!rows) co_return; // what cannot be read now is told as gone; its next change brings it back
        std::vector<ActionResult> told;
        for (ActionResult& row : *rows) {
            if (!isEnded(row.state) && !session_->live(row.lsn)) {
                // It ended, or entered, while we read.
                Result<ActionResult> again = co_await rowOf(row.lsn);
                if (!again) continue;
                row = std::move(*again);
            } else if (!isEnded(row.state)) {
                overlay(row);
            }
            row.attempts.clear();
            told.push_back(std::move(row));
        }
        co_await addNotes(told, kDescribeFor / 4);
        for (ActionResult& row : told) into.rows.insert_or_assign(row.lsn, std::move(row));
    }
}

/// Of the rows that were looked at, those that are told and those that are gone.
void EngineCore::sortRows(const WatchRequest& request, WatchUpdate& update, const Collected& from) const {
    const bool filtered = request.watch->kind == Watch::Kind::Filter;
    const auto isKnown = [&](Lsn lsn) {
        return !filtered || (request.known && std::ranges::binary_search(*request.known, lsn));
    };
    std::vector<Lsn> told;
    for (const Lsn lsn : update.rows) {
        const auto row = from.rows.find(lsn);
        if (row != from.rows.end() && (!filtered || matches(request.watch->filter, row->second)))
            told.push_back(lsn);
        else if (isKnown(lsn))
            update.goneRows.push_back(lsn);
    }
    update.rows = std::move(told);
}

/// Views of all queues that updates name; those that are not there any more are told as gone.
void EngineCore::addQueues(Collected& into) {
    for (WatchUpdate& update : into.updates) {
        std::erase_if(update.queues, [&](QueueId id) {
            const QueueEntry* entry = queues_.find(id);
            if (!entry) {
                update.goneQueues.push_back(id);
                return true;
            }
            if (!into.queues.contains(id)) into.queues.emplace(id, view(*entry));
            return false;
        });
    }
}

/// Who waits for the actions that the filter names is looked up each time; when that fails the filter has no rows.
coro::Task<void> EngineCore::findDependents(WatchRequest& request) {
    auto found = co_await withDependents(request.watch->filter);
    if (!found) co_return;
    Watch watch = *request.watch;
    watch.filter = std::move(*found);
    request.watch = std::make_shared<const Watch>(std::move(watch));
}

coro::Task<Collected> EngineCore::collect(std::vector<WatchRequest> requests) {
    keepChanges();
    Collected answer;
    answer.updates.resize(requests.size());
    const std::uint64_t target = feed_.last();
    std::vector<Lsn> wanted;
    bool wantsWorkers = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        WatchRequest& request = requests[i];
        WatchUpdate& update = answer.updates[i];
        if (wanted.size() + answer.rows.size() >= kRowsOfAnswer) {
            update.kind = WatchUpdate::Kind::Later;
            continue;
        }
        if (namesPredecessors(request.watch->filter.filter)) co_await findDependents(request);
        if (request.everything) {
            tellEverything(request, update);
        } else {
            Walk way{request, update, target, {}, false};
            if (const auto& ref = request.watch->filter.queue) {
                way.queue = knownQueue(*ref);
                way.impossible = !way.queue;
            }
            co_await walk(way);
            if (update.kind == WatchUpdate::Kind::Lost) continue;
        }
        if (request.allRows) co_await tellAllRows(*request.watch, update, answer);
        for (const Lsn lsn : update.rows)
            if (!answer.rows.contains(lsn)) insertSorted(wanted, lsn);
        wantsWorkers |= update.workers;
    }
    co_await readRows(std::move(wanted), answer);
    for (std::size_t i = 0; i < requests.size(); ++i) sortRows(requests[i], answer.updates[i], answer);
    addQueues(answer);
    if (wantsWorkers)
        for (const RegisteredWorker* worker : workers_.all()) answer.workers.push_back(worker->id);
    answer.session = co_await session();
    answer.latest = feed_.last();
    co_return answer;
}

namespace {

coro::Task<void> changes(ChangeFeed& feed, std::uint64_t seen) {
    while (feed.last() <= seen) co_await feed.changed().wait();
}

} // namespace

coro::Task<std::uint64_t> EngineCore::awaitChange(std::uint64_t seen) {
    keepChanges();
    // When nothing happens, who asked shows that he is still there by asking again.
    co_await coro::within(kLongestWait, changes(feed_, seen));
    co_return feed_.last();
}

coro::Task<MetricsView> EngineCore::metrics() {
    MetricsView view;
    view.counters = counters_;
    view.session = co_await session();
    const session::SessionCounts counts = session_->counts();
    view.held = counts.held;
    for (const QueueEntry* entry : queues_.all())
        if (const auto status = session_->queueStatus(entry->id))
            view.queues.push_back({entry->id, status->counters.pending, status->counters.running});
    view.store = store_->stats();
    view.uncommittedResults = committer_.outstandingResults();
    view.helperBacklog = helpers_->backlog();
    view.locksHeld = session_->locksHeld();
    view.locksWaitedFor = session_->locksWaitedFor();
    view.hung = dispatcher_->hung();
    if (warm_) {
        const runners::WarmCounters& warm = warm_->counters();
        view.poolProcesses = warm_->alive();
        view.poolBusy = warm_->busy();
        view.poolSpawned = warm.spawned;
        view.poolSpawnFailures = warm.spawnFailures;
        view.poolCrashes = warm.crashes;
        view.poolRequests = warm.requests;
        view.poolElsewhere = warm.elsewhere;
    }
    view.attemptsInFlight = dispatcher_->inFlight();
    view.sessionBytes = session_->memoryBytes();
    view.specCacheBytes = specs_.bytes();
    view.revision = feed_.last();
    view.loopWakeups = loop_.wakeups();
    view.loopSwitches = loop_.switches();
    co_return view;
}

} // namespace yard::engine
