// What comes in: actions of the journal, just accepted, read back, or run again. Private to session; owner: engine
// thread. Lives as long as the session, above the events.
//
// Invariant: an action that comes in waits, or has a Finish or a Retry on its way; none is left out.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/session/arrivals.h"
#include "core/session/dependencies.h"
#include "core/session/ends.h"
#include "core/session/entrance.h"
#include "core/session/events.h"
#include "core/session/ledger.h"
#include "core/session/service_state.h"
#include "core/session/timers.h"
#include "core/session/views.h"

#include <cstdint>

namespace yard::session {

class Intake {
public:
    /// The parts that something new goes to.
    struct Parts {
        Ledger& ledger;
        Timers& timers;
        Dependencies& dependencies;
        Entrance& entrance;
        Ends& ends;
        Events& events;
        Arrivals& arrivals;
    };
    Intake(const Parts& parts, const ServiceState& service)
        : parts_(parts)
        , service_(service) {}

    // Each as in session.h.
    void add(const NewAction& action, MonoTime now, Outbox& out);
    Result<RetryCounters> checkReschedule(const FinishedAction& action, bool force) const;
    void reschedule(const NewAction& action, ActionState was, MonoTime now, Outbox& out);

private:
    Parts parts_;
    const ServiceState& service_;
    OwnerCheck owner_;
};

} // namespace yard::session
