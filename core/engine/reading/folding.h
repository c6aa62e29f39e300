// Lists in which an array, or the actions of a posted list that follow each other, are one row: the first of its actions
// that matches, in the order of the list, with numbers of all of them (FoldView). How many ended is counted in the
// journal as they end; what runs is known here. So a row costs the same whether it stands for ten actions or a million.
//
// Bounds: as for other lists, a page may be short and still have a cursor. Of one row kMostWalked actions that wait are
// looked at for how many are held or in back-off and which is the first, and kMostFailuresRead failures for their lines.
//
// Owner: engine thread. Lifetime: after the listing.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/selection.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace yard::engine {

class Folding {
public:
    static constexpr int kMostWalked = 20'000;
    static constexpr int kMostFailuresRead = 100;

    struct Parts {
        session::Session& session; ///< asked; it puts its queues in order for that
        Selection& selection;
        Listing& listing;
        JournalReads& journal;
        std::function<const Attempt*(Lsn)> attempt; ///< null: none is under way
        std::function<MonoTime()> now;
    };
    explicit Folding(Parts parts)
        : parts_(std::move(parts)) {}

    /// `query.fold` is set. The errors are those of Listing::list().
    coro::Task<Result<ListPage>> list(ListQuery query);

private:
    struct Gathered {
        ListPage page;
        std::vector<Lsn> running;                    ///< in order
        store::LsnRun last{.first = {}, .count = 0}; ///< of the row that came last: its others are passed over
        MonoTime until;
        int wanted = 0;
    };
    coro::Task<Result<bool>> take(Gathered& all, ListPage more, const ListQuery& query);
    coro::Task<Result<FoldView>> viewOf(const store::FoldRow& fold, const ActionResult& row,
                                        const std::vector<Lsn>& running);
    void addRunning(FoldView& view, const store::LsnRun& lsns, const std::vector<Lsn>& running,
                    std::int64_t live) const;
    coro::Task<void> addFaces(FoldView& view, store::LsnRun lsns, QueueId queue);
    coro::Task<std::optional<std::int64_t>> placeOf(const session::LiveView& waits);
    coro::Task<Result<void>> addFailure(FoldView& view, store::LsnRun lsns);
    coro::Task<Result<std::string>> nameOf(const store::FoldRow& fold, const ActionResult& row);

    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
