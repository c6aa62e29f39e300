// Session::intake(): actions of the journal come in, just accepted, read back, or run again. Owner: engine thread. Lives as long as the session, above the events.
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
#include <span>

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

    /// After their commit; at start all that is in the journal, in order of LSN, at most a few thousand per call.
    /// Queues, classes exist; LSNs are not live. An action of a cancelled queue or with cancelRequested gets its
    /// Finish, and so does one that waits for an action which ended otherwise.
    void add(std::span<const NewAction> actions, MonoTime now, Outbox& out);
    void add(const NewAction& action, MonoTime now, Outbox& out);
    /// Actions that ended before this session, and whose queues are gone: they count in all.
    void addPast(const QueueCounters& counters);
    /// May it be set back by hand? WrongState, AtLimit (unless `force`), NotAccepting; else the counters after it.
    Result<RetryCounters> checkReschedule(const FinishedAction& action, bool force) const;
    /// After the commit of a reset by hand: counters of the queue move back from `was` (Failed or Abandoned).
    void reschedule(const NewAction& action, ActionState was, MonoTime now, Outbox& out);

private:
    Parts parts_;
    const ServiceState& service_;
    OwnerCheck owner_;
};

} // namespace yard::session
