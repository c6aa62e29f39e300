// Marks and comments, given to actions in whatever state they are, and to queues. The journal has them before they are
// shown or answered.
//
// Owner: engine thread. Lifetime: after the rows, the queues and the change log. Invariant: one change at a time, so
// that what is counted against a limit is what it is when it is written.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/state/annotations.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/views.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class Annotating {
public:
    struct Parts {
        Annotations& annotations;
        ActionRows& rows;
        Queues& queues;
        ChangeLog& changes;
        JournalReads& journal;
        std::string user; ///< writes the comments that come without a name
        /// Answered once the journal has it.
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<WallMicros()> now;
    };
    explicit Annotating(Parts parts)
        : parts_(std::move(parts)) {}

    /// Those of them that are there; at most store::kMostAtOnce, each once. AtLimit.
    coro::Task<Result<MarkAnswer>> mark(std::vector<Lsn> lsns, Mark mark);
    /// As it was written. Invalid ("text", "by"), NotFound, AtLimit.
    coro::Task<Result<Comment>> comment(Lsn lsn, Comment comment);
    coro::Task<Result<Comment>> commentQueue(QueueRef queue, Comment comment);
    /// The oldest first. NotFound.
    coro::Task<Result<std::vector<Comment>>> comments(Lsn lsn);
    coro::Task<Result<std::vector<Comment>>> queueComments(QueueRef queue);

private:
    coro::Task<Result<std::vector<store::LsnRun>>> known(std::vector<Lsn> lsns, MarkAnswer& answer);
    Result<void> complete(Comment& comment) const;

    Parts parts_;
    coro::Mutex mutex_;
    OwnerCheck owner_;
};

} // namespace yard::engine
