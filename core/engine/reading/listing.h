// Lists of actions, page by page, and how many there are. A list by LSN is a window over the journal, overlaid with
// what is known now; by any other field its pages are taken along an order that was made once (orders.h).
//
// An answer takes 20 ms at most: a page may be short, even empty, and still have a cursor.
//
// Owner: engine thread. Lifetime: after the orders.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/match_walk.h"
#include "core/engine/reading/orders.h"
#include "core/engine/reading/selection.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace yard::engine {

class Listing {
public:
    struct Parts {
        const session::Session& session;
        Queues& queues;
        Selection& selection;
        ActionRows& rows;
        Orders& orders;
        MatchWalk& matches;
        JournalReads& journal;
        std::function<MonoTime()> now;
    };
    explicit Listing(Parts parts)
        : parts_(std::move(parts)) {}

    /// A page, within some 20 ms: it may be short, even empty, and still have a cursor to go on with.
    /// By LSN: what is there all the time is listed once, what comes or goes meanwhile at most once.
    /// By another field: the first page has an order made of all that match then; see sorted_list_cache.h for how long
    /// it is kept. What matched then and still does is listed once, at the place it had then, as it is now; what came
    /// to match later is not. Malformed: no cursor of this list. WrongState: its order is not kept any more.
    /// AtLimit: too many match for an order. Busy: too many orders are being made.
    coro::Task<Result<ListPage>> list(ListQuery query);
    /// The LSNs of all that match and nothing else of them, query.limit (1..kMostLsnsInPart) at a time. Whatever
    /// the field, an order is made and kept as for list() by another field than the LSN, and its errors are the
    /// same. A part without LSNs and with a cursor: the order is still being made, go on.
    coro::Task<Result<LsnPart>> lsns(ListQuery query);
    /// All that match, order, limit and cursor apart. Looks for a quarter of a second at most.
    coro::Task<Result<ListCount>> count(ListQuery query);
    /// The last 1000 that finished, of all queues or of one, newest first.
    coro::Task<Result<ListPage>> history(QueueSelector queue);
    /// list() of a query that Selection::lookUp() has looked up. Looks until then, and no longer than usual.
    coro::Task<Result<ListPage>> pageOf(ListQuery query, MonoTime until = MonoTime::max());

private:
    coro::Task<Result<ListPage>> byLsn(ListQuery query, store::PageFilter filter, MonoTime until);
    ListPage merge(const ListQuery& query, JournalReads::TwoPages pages) const;
    coro::Task<Result<ListPage>> running(ListQuery query);
    coro::Task<Result<ListPage>> named(ListQuery query, std::vector<Lsn> lsns, MonoTime until);
    coro::Task<Result<ListPage>> sorted(ListQuery query, store::PageFilter filter, MonoTime until);
    coro::Task<Result<ListPage>> rowsOf(std::span<const Lsn> lsns, std::size_t& at, ListQuery query,
                                        MonoTime until);
    // counting.cpp
    coro::Task<std::int64_t> countLive(ListQuery query, std::optional<QueueId> queue, MonoTime until,
                                       bool& isExact);
    coro::Task<Result<std::int64_t>> countEnded(ListQuery query, MonoTime until, bool& isExact);

    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
