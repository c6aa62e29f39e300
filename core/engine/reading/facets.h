// How many actions of a filter there are of each state, in each queue and so on, for lists beside a list. One walk counts
// all of them: it chooses by the terms that hold of each count, and the tally looks at the others.
//
// An answer takes a quarter of a second once its turn comes; what was not looked at by then is not in it.
//
// Owner: engine thread. Lifetime: after the matches. Invariant: one walk at a time.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/facet_tally.h"
#include "core/engine/reading/match_walk.h"
#include "core/engine/reading/selection.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace yard::engine {

class Facets {
public:
    struct Parts {
        const session::Session& session;
        const InternTable& dictionary;
        Queues& queues;
        Selection& selection;
        MatchWalk& matches;
        std::string machineName;
        std::function<const Attempt*(Lsn)> attempt; ///< that goes on, or null
    };
    explicit Facets(Parts parts)
        : parts_(std::move(parts)) {}

    /// Of all that match by state, queue and so on; see FacetQuery. Looks for a quarter of a second at most, one after
    /// another. NotFound: the queue. AtLimit: see Selection::lookUp().
    coro::Task<Result<FacetCounts>> count(FacetQuery query);

private:
    coro::Task<Result<bool>> walk(ListQuery query, bool byMachine, FacetTally& tally);
    std::optional<std::uint32_t> classOf(store::ClassNumber number) const;
    FacetKind kindOf(const session::LiveView& live) const;
    FacetKind kindOf(const store::EndedKind& ended) const;
    FacetKind kindOf(const ActionResult& row) const;

    Parts parts_;
    coro::Mutex mutex_;
    OwnerCheck owner_;
};

} // namespace yard::engine
