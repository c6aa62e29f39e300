// What runners and the journal tell of attempts, and what becomes of an action whose attempt is over: another one, or
// its end. Events of older attempts are ignored and counted. Private to session; owner: engine thread. Lives as long
// as the session, above the ends.
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

    // -- of runners (session.h)
    /// `phase`: Submitting or Running. One that was to end meanwhile is stopped.
    void began(Lsn lsn, std::uint32_t attempt, Phase phase, Outbox& out);
    void keeping(Lsn lsn, std::uint32_t attempt);
    void returned(Lsn lsn, std::uint32_t attempt, Outbox& out);
    void ended(Lsn lsn, std::uint32_t attempt, const AttemptEnd& end, MonoTime now, Outbox& out);
    /// Of a record that was just made and is in no lane yet: the attempt that the last engine had out is over.
    void interrupted(std::uint32_t record, MonoTime now, Outbox& out);

    // -- of the journal
    void retryStored(Lsn lsn, Outbox& out);

private:
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
