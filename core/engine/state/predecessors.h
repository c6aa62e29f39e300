// What submissions and what runs again wait for, as it is now: how those ended that the journal may tell otherwise by
// the time the action enters the session, and how many elements of an array did.
//
// Owner: engine thread. Lifetime: after the session.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/state/predecessor_watch.h"
#include "core/session/session.h"
#include "core/store/operations.h"
#include "core/store/reader.h"

#include <functional>
#include <vector>

namespace yard::engine {

class Predecessors {
public:
    struct Parts {
        session::Session& session;
        /// Reader::endedOtherwise(), a portion of it.
        std::function<coro::Task<Result<store::Reader::Otherwise>>(Lsn first, Lsn last, Lsn behind)> endedOtherwise;
    };
    explicit Predecessors(Parts parts)
        : parts_(std::move(parts)) {}

    /// For scopes: what is watched is known to its end.
    PredecessorWatch& watch() { return watch_; }
    /// The end of this action is in the journal.
    void ended(Lsn lsn, ActionState state) { watch_.ended(lsn, state); }
    /// How the elements of these arrays had ended, which are watched: what ends from now on is seen there.
    coro::Task<Result<void>> lookAtArrays(std::vector<store::Edge> edges);
    /// Of a whole array, with what was seen of its elements while it was watched: those that run again have not
    /// ended. Any other edge as it is.
    store::Edge asOfNow(store::Edge edge) const;
    /// `finished`: those that had ended when the action was committed.
    session::Predecessor of(const store::Edge& edge, const std::vector<store::FinishedState>& finished) const;

private:
    Parts parts_;
    PredecessorWatch watch_;
    OwnerCheck owner_;
};

} // namespace yard::engine
