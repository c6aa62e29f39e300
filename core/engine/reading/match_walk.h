// All actions that a query means, for those who count them: what lives from memory, what ended from the journal. What
// lives is looked at first: what ends meanwhile is then seen at least once.
//
// Owner: engine thread. Lifetime: after the selection.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/reading/selection.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <utility>

namespace yard::engine {

class MatchWalk {
public:
    struct Parts {
        const session::Session& session;
        Selection& selection;
        JournalReads& journal;
        std::function<MonoTime()> now;
    };
    explicit MatchWalk(Parts parts)
        : parts_(std::move(parts)) {}

    using LiveTaker = std::function<void(const session::LiveView&)>;
    struct EndedTaker {
        bool wantsKinds = false;    ///< JournalReads::countKinds(), else count()
        bool wantsMachines = false; ///< PageFilter::wantsMachines
        /// What the journal alone could count, portion by portion.
        std::function<void(const store::Reader::Counted&)> portion;
        /// Row by row, where words decide.
        std::function<void(const ActionResult&)> row;
    };

    /// A walk looks until then, whole or not.
    MonoTime until() const;
    /// `query` is one of Selection::lookUp(), and `queue` the one it names. False: not all was looked at.
    coro::Task<bool> live(ListQuery query, std::optional<QueueId> queue, MonoTime until, LiveTaker take);
    coro::Task<Result<bool>> ended(ListQuery query, MonoTime until, EndedTaker take);

private:
    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
