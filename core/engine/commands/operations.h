// What is done to actions by hand, to one or to all that a query means: cancel, hold, release, change, retire. The
// session is asked first, as it alone knows whether it may; then the journal has it; then it is answered.
//
// Many at once (bulk.cpp) are chosen by a walk in memory and written down as LSNs before anything of it happens, so a
// start after a crash carries out the same and nothing else. Each part goes to the session and into the journal's FIFO
// without a suspension in between: what others do to the same actions has one order in both.
//
// Owner: engine thread; one cooperative thread for each cancellation of many, until it is kept. Lifetime: after the
// selection and the rows. Invariant: one operation on many at a time.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/one_shot.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/selection.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"
#include "core/store/bulk.h"
#include "core/store/journal.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace yard::engine {

class Operations {
public:
    struct Parts {
        session::Session& session;
        session::Outbox& outbox;
        Queues& queues;
        Selection& selection;
        ActionRows& rows;
        Annotations& annotations;
        ChangeLog& changes;
        JournalReads& journal;
        coro::HelperPool& helpers;
        /// Posted when this returns, answered once the journal has it.
        std::function<std::unique_ptr<coro::OneShot<store::AckDetail>>(store::Action)> post;
        std::function<coro::Task<Result<ActionResult>>(Lsn, Duration)> waitForEnd;
        std::function<coro::Task<void>()> room;                            ///< for more ends on their way
        std::function<coro::Task<Result<void>>(Lsn, bool force)> mayRetry; ///< what a retry would answer
        std::function<std::vector<Lsn>()> notBegun; ///< handed out, and their programs have not begun
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<void()> wake; ///< there is something for the next turn
    };
    explicit Operations(Parts parts)
        : parts_(std::move(parts)) {}

    // --- one. NotFound, WrongState.
    coro::Task<Result<void>> cancel(Lsn lsn);
    coro::Task<Result<void>> hold(Lsn lsn);
    coro::Task<Result<void>> release(Lsn lsn);
    /// Priority (-100..100), queue, or both; only while it is pending and not being started, else WrongState. The
    /// queue must take work.
    coro::Task<Result<void>> change(Lsn lsn, ActionChange what);
    coro::Task<Result<void>> retire(Lsn lsn);
    /// What the deed would answer for it now; nothing changes.
    coro::Task<Result<void>> mayChange(BulkDeed deed, Lsn lsn);
    // --- many (bulk.cpp)
    /// All that live and match, without a limit to their number; what has finished is not looked at. Cancel: what
    /// waits or runs, none of which starts once this answers; their ends follow. Others: what is pending, changed
    /// and in the journal when this answers. An engine that dies meanwhile finishes it at its next start.
    /// With `atMost` it never changes more: those that are changed are chosen, and counted, before the first is.
    coro::Task<Result<BulkAnswer>> changeMatching(BulkRequest request);
    /// How many of these are told to end, and have not.
    coro::Task<std::int64_t> beingCancelled(std::vector<Lsn> lsns);

private:
    coro::Task<store::AckDetail> commit(store::Action action);
    coro::Task<store::AckDetail> write(Lsn lsn, store::BulkChange change);
    void takeBack(const session::LiveView& before, const store::BulkChange& change);
    coro::Task<Result<void>> changeOne(Lsn lsn, store::BulkChange change);
    coro::Task<Result<void>> notEnded(Lsn lsn, store::BulkChange change);
    coro::Task<Result<void>> notWaitedFor(Lsn lsn);
    Result<void> notLive(Lsn lsn) const;
    // bulk.cpp
    Result<store::BulkChange> wantedChange(const ActionChange& what);
    Result<store::BulkChange> bulkChange(const BulkDeed& deed);
    Result<void> mayChangeLive(Lsn lsn, const store::BulkChange& change) const;
    Result<void> changeLive(Lsn lsn, const store::BulkChange& change);
    coro::Task<store::LsnSet> choose(const BulkRequest& request, const store::BulkChange& change,
                                     std::optional<QueueId> queue, BulkAnswer& answer);
    coro::Task<Result<void>> remember(const store::LsnSet& chosen, const store::BulkChange& change);
    coro::Task<Result<void>> changeChosen(const store::LsnSet& chosen, const store::BulkChange& change,
                                          BulkAnswer& answer);
    coro::Task<Result<void>> cancelChosen(const store::LsnSet& chosen, BulkAnswer& answer);
    coro::Task<void> endCancelled(std::int64_t op, store::LsnSet waiting, store::LsnSet running);

    Parts parts_;
    coro::Mutex bulkMutex_;
    std::int64_t lastOp_ = 0; ///< number of the last one of this run
    OwnerCheck owner_;
};

} // namespace yard::engine
