// Which actions a ListQuery means: of rows, of what lives, and of the journal. What neither a row nor the session has
// (who waits for whom, commands of what waits, marks and comments) is looked up first and kept in the query.
//
// Owner: engine thread. Lifetime: after the rows and the queues.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/live_matcher.h"
#include "core/engine/state/annotations.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/views.h"
#include "core/engine/state/worker_registry.h"
#include "core/session/session.h"
#include "core/store/reader.h"

#include <functional>
#include <optional>
#include <utility>

namespace yard::engine {

class Selection {
public:
    struct Parts {
        const session::Session& session;
        const InternTable& dictionary;
        const WorkerRegistry& registry;
        Queues& queues;
        const ActionRows& rows;
        const Annotations& annotations;
        JournalReads& journal;
        const WallScale& scale;
        std::function<MonoTime()> now;
    };
    explicit Selection(Parts parts)
        : parts_(std::move(parts)) {}

    // --- looking up, before anything else
    /// The query with what `after`, `mark` and `comment` mean looked up. AtLimit.
    coro::Task<Result<ListQuery>> lookUp(ListQuery query);
    /// Looks up which of what waits has a command that the query means. False: not all was looked at before
    /// `until`.
    coro::Task<Result<bool>> findCommands(ListQuery& query, MonoTime until);

    /// What of the query the journal can look for. NotFound.
    Result<store::PageFilter> pageFilter(const ListQuery& query);
    /// For a walk over what lives, that begins now.
    LiveMatcher matcher(const ListQuery& query, std::optional<QueueId> queue) const;
    /// What pageFilter() cannot say of a row.
    bool accepts(const ListQuery& query, const ActionResult& row) const;
    /// The query means this row.
    bool matches(const ListQuery& query, const ActionResult& row) const;

private:
    coro::Task<Result<void>> findDependents(FilterTerm& term);
    coro::Task<void> findNoted(FilterTerm& term) const;

    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
