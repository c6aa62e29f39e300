// Lists in other orders than that of the LSNs (kept_orders.h): begun, found again by their cursors, and made. What to
// sort by is read in portions, from the session here and from the journal on the reader thread; a helper sorts.
//
// Owner: engine thread; one cooperative thread for each order in the making, and one while any is kept. Lifetime:
// after the selection and the change log.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/selection.h"
#include "core/engine/reading/sorted_list_cache.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"
#include "core/session/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class Orders {
public:
    struct Parts {
        const session::Session& session;
        session::PlaceCommands& places;
        const InternTable& dictionary;
        Selection& selection;
        const ActionRows& rows;
        JournalReads& journal;
        ChangeLog& changes;
        coro::HelperPool& helpers;
        const WallScale& scale;
        std::string run;                            ///< of this engine: cursors of another one mean nothing here
        std::function<const Attempt*(Lsn)> attempt; ///< null: none is under way
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<MonoTime()> now; ///< of the loop that spawn() uses
    };
    struct Place {
        std::shared_ptr<KeptOrder> order;
        std::size_t at = 0;
    };
    explicit Orders(Parts parts)
        : parts_(std::move(parts)) {}

    /// The order of a list, begun or found by its cursor, once it is made, or not made by `until`. Malformed,
    /// WrongState: it is not kept any more; Busy; AtLimit.
    coro::Task<Result<Place>> find(ListQuery query, store::PageFilter filter, MonoTime until);
    /// To go on from there. Of an order in the making another one each time.
    std::string cursorAt(KeptOrder& order, std::size_t at) const;
    /// A finished action is pending again.
    void notePutBack(Lsn lsn) { kept_.notePutBack(lsn); }
    SortedListCache& kept() { return kept_; }

private:
    Result<std::shared_ptr<KeptOrder>> begin(const ListQuery& query, const store::PageFilter& filter);
    coro::Task<void> dropUnused();
    coro::Task<void> make(std::shared_ptr<KeptOrder> order, store::PageFilter filter);
    coro::Task<Result<std::vector<Lsn>>> inOrder(const KeptOrder& order, store::PageFilter filter);
    coro::Task<Result<std::vector<Lsn>>> folded(std::vector<Lsn> lsns);
    coro::Task<KeyPieces> liveKeys(const ListQuery& query, std::optional<QueueId> queue);
    coro::Task<std::vector<store::SortKey>> placesNow(std::optional<QueueId> queue);
    coro::Task<Result<void>> endedKeys(const ListQuery& query, store::PageFilter filter, WallMicros now,
                                       KeyPieces& keys);
    coro::Task<Result<std::vector<Lsn>>> endedThatMatch(const ListQuery& query, store::PageFilter filter);
    coro::Task<std::vector<SortName>> namesFor(SortField field);
    std::int64_t liveKey(const session::LiveView& live, SortField field, WallMicros now) const;

    Parts parts_;
    SortedListCache kept_;
    coro::Semaphore inTheMaking_{SortedListCache::kMadeAtOnce};
    OwnerCheck owner_;
};

/// Malformed: a cursor of another list.
std::unexpected<Error> noCursor();

} // namespace yard::engine
