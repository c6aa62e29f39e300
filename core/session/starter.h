// What may start now does: timers that are due, gates with places, then whatever the order says is next and the
// machine has room for. Private to session; owner: engine thread. Lives as long as the session, above the attempts.
//
// Bound: some 1,000 things per call; then it asks to be called again.
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"
#include "core/session/attempts.h"
#include "core/session/entrance.h"
#include "core/session/ledger.h"
#include "core/session/resource_holds.h"
#include "core/session/service_state.h"
#include "core/session/timers.h"

#include <optional>

namespace yard::session {

class Starter {
public:
    /// The parts that a start changes.
    struct Parts {
        Ledger& ledger;
        Timers& timers;
        Entrance& entrance;
        Attempts& attempts;
        ResourceHolds& holds;
    };
    Starter(const Parts& parts, const Capacity& capacity, const ServiceState& service,
            const SessionOptions& options)
        : parts_(parts)
        , classes_(parts.ledger.classes())
        , order_(parts.ledger.order())
        , capacity_(capacity)
        , service_(service)
        , options_(options) {}

    /// As Session::schedule(). Each thing that it hands out is in Outbox::start, each resource hold in `granted`.
    bool schedule(MonoTime now, Outbox& out, bool mayStart);
    /// The earliest time at which there is something to do that nobody tells of.
    std::optional<MonoTime> nextWake() const;

private:
    bool fireTimers(MonoTime now);
    void watchReservation(MonoTime now);
    bool startNext(bool ahead, Outbox& out, int& budget);

    Parts parts_;
    const WorkClasses& classes_;
    Order& order_;
    const Capacity& capacity_;
    const ServiceState& service_;
    const SessionOptions& options_;
    OwnerCheck owner_;
};

} // namespace yard::session
