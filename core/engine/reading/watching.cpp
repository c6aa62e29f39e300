#include "core/engine/reading/watching.h"

#include "core/engine/state/list_parts.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

namespace {

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

/// A way through the ring for one request.
struct Watching::Walk {
    const WatchRequest& request;
    WatchUpdate& update;
    std::uint64_t target;         ///< the last entry to look at
    std::optional<QueueId> queue; ///< that the filter names
    bool impossible = false;      ///< the filter names a queue that is not there
};

coro::Task<void> Watching::walk(Walk& walk) {
    WatchUpdate& update = walk.update;
    if (!parts_.changes.feed().covers(walk.request.seen)) update.kind = WatchUpdate::Kind::Lost;
    if (update.kind == WatchUpdate::Kind::Lost) co_return;
    for (update.seq = walk.request.seen; update.seq < walk.target; ++update.seq) {
        if ((update.seq + 1) % kEntriesPerSlice == 0) co_await coro::yieldNow();
        if (!parts_.changes.feed().covers(update.seq)) {
            update.kind = WatchUpdate::Kind::Lost;
            co_return;
        }
        if (!takeEntry(walk, parts_.changes.feed().at(update.seq + 1))) co_return;
    }
}

/// False: the update has no room for it.
bool Watching::takeEntry(Walk& walk, const ChangeEntry& entry) const {
    using Kind = ChangeEntry::Kind;
    WatchUpdate& update = walk.update;
    if (entry.kind == Kind::Session) update.session = update.counts = true;
    if (entry.kind == Kind::Workers) update.workers = true;
    if (entry.kind == Kind::Alerts) update.alerts = true;
    if (entry.kind == Kind::Machines) update.machines = true;
    if (entry.kind == Kind::Object) return takeObject(walk, entry.lsn.value);
    if (entry.kind == Kind::Session || entry.kind == Kind::Workers || entry.kind == Kind::Alerts ||
        entry.kind == Kind::Machines)
        return true;
    if (entry.kind != Kind::Queue && !takeRow(walk, entry)) return false;
    if (entry.kind == Kind::Retired || entry.kind == Kind::Annotated) return true;
    if (update.queues.size() >= kQueuesAtOnce && !std::ranges::binary_search(update.queues, entry.queue))
        return false;
    insertSorted(update.queues, entry.queue);
    update.counts = true;
    return true;
}

bool Watching::takeObject(Walk& walk, std::int64_t id) {
    WatchUpdate& update = walk.update;
    update.types = true;
    if (walk.request.watch->kind != Watch::Kind::Objects || id == 0) return true;
    if (update.objects.size() >= kMaxWatchedRows && !std::ranges::binary_search(update.objects, id)) return false;
    insertSorted(update.objects, id);
    return true;
}

bool Watching::takeRow(Walk& walk, const ChangeEntry& entry) const {
    const Watch& watch = *walk.request.watch;
    WatchUpdate& update = walk.update;
    switch (watch.kind) {
    case Watch::Kind::Nothing:
    case Watch::Kind::Objects: return true;
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
bool Watching::mayMatch(const Walk& walk, const ChangeEntry& entry) const {
    if (walk.request.known && std::ranges::binary_search(*walk.request.known, entry.lsn)) return true;
    if (walk.impossible || entry.kind == ChangeEntry::Kind::Retired) return false;
    if (entry.kind == ChangeEntry::Kind::Annotated) return true; // its row says the rest
    const ListQuery& filter = walk.request.watch->filter;
    if (walk.queue && entry.queue != *walk.queue) return false;
    if (!filter.label.empty() && parts_.dictionary.label(entry.label) != filter.label) return false;
    if (!filter.worker.empty()) {
        const ClassKey& key = parts_.dictionary.classKey(entry.cls);
        if (key.workerId != filter.worker && key.workerName != filter.worker &&
            key.workerName + "@" + key.workerVersion != filter.worker)
            return false;
    }
    if (filter.states.empty() && !filter.heldOnly && !filter.retryOnly) return true;
    const auto live = parts_.session.views().live(entry.lsn);
    if (filter.heldOnly || filter.retryOnly) return live && (filter.heldOnly ? live->held : live->backoff);
    return std::ranges::find(filter.states, live ? live->state : entry.state) != filter.states.end();
}

void Watching::tellEverything(const WatchRequest& request, WatchUpdate& update) const {
    update.seq = request.afterQueue ? request.seen : parts_.changes.feed().last();
    update.session = update.counts = update.workers = update.machines = update.types = !request.afterQueue;
    for (const QueueEntry* entry : parts_.queues.all()) {
        if (request.afterQueue && entry->id <= *request.afterQueue) continue;
        if (update.queues.size() == kQueuesAtOnce) {
            update.moreQueues = true;
            break;
        }
        update.queues.push_back(entry->id);
    }
}

/// The rows of a watch as they are: of a filter the newest.
coro::Task<void> Watching::tellAllRows(const Watch& watch, WatchUpdate& update, WatchedChanges& into) {
    update.rows.clear();
    if (watch.kind == Watch::Kind::Lsns) update.rows = watch.lsns;
    if (watch.kind != Watch::Kind::Filter) co_return;
    ListQuery query = watch.filter;
    query.sort = {};
    query.limit = static_cast<int>(kMaxWatchedRows);
    query.cursor.clear();
    for (int page = 0; page < kMostPages && update.rows.size() < kMaxWatchedRows; ++page) {
        Result<ListPage> found = co_await parts_.listing.pageOf(query);
        if (!found) co_return; // its queue is gone, or the journal cannot be read: nothing to show
        for (ActionResult& row : found->jobs) {
            if (update.rows.size() < kMaxWatchedRows) insertSorted(update.rows, row.lsn);
            into.rows.insert_or_assign(row.lsn, std::move(row));
        }
        if (found->cursor.empty()) co_return;
        query.cursor = found->cursor;
    }
}

coro::Task<void> Watching::readRows(std::vector<Lsn> lsns, WatchedChanges& into) {
    for (std::size_t at = 0; at < lsns.size(); at += kRowsPerRead) {
        std::vector<Lsn> some(lsns.begin() + static_cast<std::ptrdiff_t>(at),
                              lsns.begin() + static_cast<std::ptrdiff_t>(std::min(at + kRowsPerRead, lsns.size())));
        auto rows = co_await parts_.journal.getAll(some);
        if (!rows) co_return; // what cannot be read now is told as gone; its next change brings it back
        std::vector<ActionResult> told;
        for (ActionResult& row : *rows) {
            if (!parts_.rows.update(row) && !co_await parts_.rows.readAgain(row)) continue;
            row.attempts.clear();
            told.push_back(std::move(row));
        }
        co_await parts_.rows.addNotes(told, Notes::kDescribeFor / 4);
        for (ActionResult& row : told) into.rows.insert_or_assign(row.lsn, std::move(row));
    }
}

/// Of the rows that were looked at, those that are told and those that are gone.
void Watching::sortRows(const WatchRequest& request, WatchUpdate& update, const WatchedChanges& from) const {
    const bool filtered = request.watch->kind == Watch::Kind::Filter;
    const auto isKnown = [&](Lsn lsn) {
        return !filtered || (request.known && std::ranges::binary_search(*request.known, lsn));
    };
    std::vector<Lsn> told;
    for (const Lsn lsn : update.rows) {
        const auto row = from.rows.find(lsn);
        if (row != from.rows.end() && (!filtered || parts_.selection.matches(request.watch->filter, row->second)))
            told.push_back(lsn);
        else if (isKnown(lsn))
            update.goneRows.push_back(lsn);
    }
    update.rows = std::move(told);
}

/// Views of all queues that updates name; those that are not there any more are told as gone.
void Watching::addQueues(WatchedChanges& into) const {
    for (WatchUpdate& update : into.updates) {
        std::erase_if(update.queues, [&](QueueId id) {
            const QueueEntry* entry = parts_.queues.find(id);
            if (!entry) {
                update.goneQueues.push_back(id);
                return true;
            }
            if (!into.queues.contains(id)) into.queues.emplace(id, parts_.queues.view(*entry));
            return false;
        });
    }
}

/// Who waits for the actions that the filter names, or has a mark, is looked up each time; when that fails the filter
/// has no rows.
coro::Task<void> Watching::lookUp(WatchRequest& request) {
    auto found = co_await parts_.selection.lookUp(request.watch->filter);
    if (!found) co_return;
    Watch watch = *request.watch;
    watch.filter = std::move(*found);
    request.watch = std::make_shared<const Watch>(std::move(watch));
}

/// What changed, or everything. Of rows only which ones to look at.
coro::Task<void> Watching::tell(WatchRequest& request, std::uint64_t target, WatchUpdate& update,
                                WatchedChanges& into) {
    if (wantsLookUp(request.watch->filter.filter)) co_await lookUp(request);
    if (request.everything) {
        tellEverything(request, update);
    } else {
        Walk way{request, update, target, {}, false};
        if (const auto& ref = request.watch->filter.queue) {
            way.queue = parts_.queues.known(*ref);
            way.impossible = !way.queue;
        }
        co_await walk(way);
        if (update.kind == WatchUpdate::Kind::Lost) co_return;
    }
    if (request.allRows) co_await tellAllRows(*request.watch, update, into);
}

coro::Task<WatchedChanges> Watching::collect(std::vector<WatchRequest> requests) {
    YARD_ASSERT_OWNER(owner_);
    parts_.changes.keep();
    WatchedChanges answer;
    answer.updates.resize(requests.size());
    const std::uint64_t target = parts_.changes.feed().last();
    std::vector<Lsn> wanted;
    bool wantsWorkers = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        WatchUpdate& update = answer.updates[i];
        if (wanted.size() + answer.rows.size() >= kRowsOfAnswer) {
            update.kind = WatchUpdate::Kind::Later;
            continue;
        }
        co_await tell(requests[i], target, update, answer);
        if (update.kind == WatchUpdate::Kind::Lost) continue;
        for (const Lsn lsn : update.rows)
            if (!answer.rows.contains(lsn)) insertSorted(wanted, lsn);
        wantsWorkers |= update.workers;
    }
    co_await readRows(std::move(wanted), answer);
    for (std::size_t i = 0; i < requests.size(); ++i) sortRows(requests[i], answer.updates[i], answer);
    addQueues(answer);
    if (wantsWorkers)
        for (const RegisteredWorker* worker : parts_.registry.all()) answer.workers.push_back(worker->id);
    answer.session = co_await parts_.sessionView();
    answer.latest = parts_.changes.feed().last();
    co_return answer;
}

} // namespace yard::engine
