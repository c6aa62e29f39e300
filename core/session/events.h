// Session::events(): what runners and the journal tell of attempts, and what becomes of an action whose attempt is over:
// another one, or its end. Owner: engine thread. Lives as long as the session, above the ends.
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"
#include "core/session/attempts.h"
#include "core/session/ends.h"
#include "core/session/entrance.h"
#include "core/session/ledger.h"
#include "core/session/service_state.h"
#include "core/session/timers.h"

#include <cstdint>

namespace yard::session {

class Events {
public:
    /// `seed`: of the jitter of back-offs.
    Events(Ledger& ledger, const ServiceState& service, Timers& timers, Entrance& entrance, Attempts& attempts,
           Ends& ends, std::uint64_t seed)
        : ledger_(ledger)
        , records_(ledger.records())
        , order_(ledger.order())
        , service_(service)
        , timers_(timers)
        , entrance_(entrance)
        , attempts_(attempts)
        , ends_(ends)
        , random_(seed) {}

    // -- of runners: of an older attempt or an unknown action they are ignored and counted
    /// One that was to end meanwhile is stopped.
    void submitting(Lsn lsn, std::uint32_t attempt, Outbox& out) { began(lsn, attempt, Phase::Submitting, out); }
    void running(Lsn lsn, std::uint32_t attempt, Outbox& out) { began(lsn, attempt, Phase::Running, out); }
    /// The attempt's tree is gone, and what it left takes a while to keep: its resources are free for others. It
    /// runs until ended(), for its queue's `max_running`, its label's limit and its locks as well. Of maxKeeping at
    /// once; one more has its resources until ended().
    void keeping(Lsn lsn, std::uint32_t attempt);
    /// The lease was given back before it ran: to the front of its order, uncounted; the next start has the same
    /// number. So a runner may get the same attempt again; what still answers the first time is its to tell apart.
    void returned(Lsn lsn, std::uint32_t attempt, Outbox& out);
    /// The attempt's tree is gone (submitting() and running() may have been left out). Its resources are free;
    /// Retry or Finish says what became of it.
    void ended(Lsn lsn, std::uint32_t attempt, const AttemptEnd& end, MonoTime now, Outbox& out);
    /// Of a record that was just made and is in no lane yet: the attempt that the last engine had out is over.
    void interrupted(std::uint32_t record, MonoTime now, Outbox& out);
    /// Likewise: a machine has that attempt still, as far as is known. What the machine says follows as for any other.
    void isOut(std::uint32_t record, MachineId machine) { attempts_.takeOver(record, machine); }

    // -- of the journal
    void retryStored(Lsn lsn, Outbox& out);
    /// Counters move to the final state, the action is no longer live; those that wait for it go on, or fail, the
    /// first ones at once and the rest by Session::step(). A queue that reached its number of failures is held
    /// (Outbox::stopped).
    void finishStored(Lsn lsn, Outbox& out, const StoredEnd& end = {}) { ends_.stored(lsn, end, out); }

private:
    void began(Lsn lsn, std::uint32_t attempt, Phase phase, Outbox& out);
    void goBackUncounted(std::uint32_t record, Outbox& out);
    void decideEnd(std::uint32_t record, std::uint32_t attempt, const AttemptEnd& end, bool cancelled, MonoTime now,
                   Outbox& out);

    Ledger& ledger_;
    Records& records_;
    Order& order_;
    const ServiceState& service_;
    Timers& timers_;
    Entrance& entrance_;
    Attempts& attempts_;
    Ends& ends_;
    std::uint64_t random_;
    OwnerCheck owner_;
};

} // namespace yard::session
