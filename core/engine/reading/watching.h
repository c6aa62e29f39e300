// Telling those who watch, when they ask, what changed after their place: from what was noted (change_log.h), with the
// values as they are now. What one answer holds is bounded; who has more to come asks again.
//
// Owner: engine thread. Lifetime: after the listing and the change log. Nothing is kept of a watcher here: his place
// and the rows that he has come with his question.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/selection.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/watch.h"
#include "core/engine/state/worker_registry.h"
#include "core/session/session.h"

#include <functional>
#include <utility>
#include <vector>

namespace yard::engine {

class Watching {
public:
    struct Parts {
        const session::Session& session;
        const InternTable& dictionary;
        const WorkerRegistry& registry;
        Queues& queues;
        ChangeLog& changes;
        Selection& selection;
        ActionRows& rows;
        Listing& listing;
        JournalReads& journal;
        std::function<coro::Task<SessionView>()> sessionView;
    };
    explicit Watching(Parts parts)
        : parts_(std::move(parts)) {}

    /// What each of them is told, from one look; the rows are read once for all. From the first call on, and for a
    /// minute after the last, changes are kept for those who ask on.
    coro::Task<WatchedChanges> collect(std::vector<WatchRequest> requests);

private:
    struct Walk;
    coro::Task<void> tell(WatchRequest& request, std::uint64_t target, WatchUpdate& update, WatchedChanges& into);
    coro::Task<void> walk(Walk& walk);
    bool takeEntry(Walk& walk, const ChangeEntry& entry) const;
    static bool takeObject(Walk& walk, std::int64_t id);
    bool takeRow(Walk& walk, const ChangeEntry& entry) const;
    bool mayMatch(const Walk& walk, const ChangeEntry& entry) const;
    void tellEverything(const WatchRequest& request, WatchUpdate& update) const;
    coro::Task<void> lookUp(WatchRequest& request);
    coro::Task<void> tellAllRows(const Watch& watch, WatchUpdate& update, WatchedChanges& into);
    coro::Task<void> readRows(std::vector<Lsn> lsns, WatchedChanges& into);
    void sortRows(const WatchRequest& request, WatchUpdate& update, const WatchedChanges& from) const;
    void addQueues(WatchedChanges& into) const;

    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
