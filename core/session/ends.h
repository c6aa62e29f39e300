// How actions end: the Finish that the journal is to keep, what counts once it has it, and what becomes of those that
// waited for the end. Private to session; owner: engine thread. Lives as long as the session, above the attempts.
//
// Invariant: a record in phase Ending is in no lane, behind no timer and at no gate, and one Finish of it is on its
// way.
#pragma once

#include "core/base/owner.h"
#include "core/session/attempts.h"
#include "core/session/dependencies.h"
#include "core/session/entrance.h"
#include "core/session/ledger.h"
#include "core/session/service_state.h"
#include "core/session/timers.h"

#include <cstdint>

namespace yard::session {

class Ends {
public:
    Ends(Ledger& ledger, const ServiceState& service, Timers& timers, Dependencies& dependencies,
         Entrance& entrance, Attempts& attempts)
        : ledger_(ledger)
        , records_(ledger.records())
        , order_(ledger.order())
        , service_(service)
        , timers_(timers)
        , dependencies_(dependencies)
        , entrance_(entrance)
        , attempts_(attempts) {}

    // -- an end is decided: Outbox::finish. `attempt`: the one that ended with it; 0: none did
    /// A queue that reached its number of failures is held with it: Outbox::stopped.
    void finish(std::uint32_t record, std::uint32_t attempt, ActionState state, Reason reason, Outbox& out);
    void cancel(std::uint32_t record, std::uint32_t attempt, Outbox& out) {
        finish(record, attempt, ActionState::Cancelled, Reason::Cancelled, out);
    }
    /// The session's own end of it: visibly Abandoned at once.
    void abandon(std::uint32_t record, std::uint32_t attempt, Outbox& out);
    /// What it waited for ended otherwise.
    void failDependent(std::uint32_t record, const Predecessor& because, Outbox& out);

    // -- an end is kept
    /// The journal has the Finish: counters move, and those that wait for it learn of it, the first ones at once.
    void stored(Lsn lsn, const StoredEnd& end, Outbox& out);
    /// No longer live; its queue may be forgotten with it.
    void drop(std::uint32_t record, Outbox& out);
    /// So many of those that waited learn of the end. Returns what is left of `budget`.
    int resolve(int budget, Outbox& out);
    bool hasMore() const { return dependencies_.hasNext(); }

private:
    void stopAfterFailures(std::uint32_t queue, Outbox& out);
    void resolveOne(std::uint32_t child, const Predecessor& ended, Outbox& out);

    Ledger& ledger_;
    Records& records_;
    Order& order_;
    const ServiceState& service_;
    Timers& timers_;
    Dependencies& dependencies_;
    Entrance& entrance_;
    Attempts& attempts_;
    OwnerCheck owner_;
};

} // namespace yard::session
