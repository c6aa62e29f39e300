// Session::reasons(): why a pending action has not started, with numbers, and what waits for a lock or at a gate. Walks
// no more than a bounded part of the structure, and changes nothing. Owner: engine thread. Lives as long as the
// session, above the attempts.
#pragma once

#include "core/session/attempts.h"
#include "core/session/ledger.h"
#include "core/session/resource_holds.h"
#include "core/session/service_state.h"
#include "core/session/timers.h"
#include "core/session/views.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace yard::session {

class WaitReasons {
public:
    /// The parts that can stand in the way.
    struct Parts {
        const Ledger& ledger;
        const Capacity& capacity;
        const ServiceState& service;
        const Timers& timers;
        const Attempts& attempts;
        const ResourceHolds& holds;
    };
    WaitReasons(const Parts& parts, const SessionOptions& options)
        : parts_(parts)
        , records_(parts.ledger.records())
        , lanes_(parts.ledger.lanes())
        , classes_(parts.ledger.classes())
        , order_(parts.ledger.order())
        , attempts_(parts.attempts)
        , options_(options) {}

    /// Nothing unless it is pending. At most a few thousand things are looked at; without the position a few.
    std::optional<Waiting> of(Lsn lsn, bool withPosition) const;
    /// Every lock that is held or waited for; of each at most `most` that wait. Looks at each lane and a few
    /// thousand actions.
    std::vector<LockStatus> locks(int most) const;
    /// Who has most of a resource of the machine, `most` at most, the largest amount first. Looks at all that is out.
    std::vector<ResourceHolder> holders(std::string_view resource, std::size_t most) const;
    /// Actions of the gate's classes that wait for a place; looks at each lane, some 10,000 at most.
    std::int64_t waitingAt(GateId gate) const;

private:
    void describeQueue(Waiting& w, const Queue& q, const Record& r) const;
    void describeRoom(Waiting& w, std::uint32_t cls) const;
    Waiting::Position positionOf(std::uint32_t record) const;
    std::int64_t waitingInSlots() const;
    std::int64_t waitingInSlots(const Queue& queue, std::uint32_t before) const;
    std::int64_t waitingForProcess(const Queue& queue) const;
    std::vector<Waiting::Lock> locksWaitedFor(std::uint32_t lane) const;

    Parts parts_;
    const Records& records_;
    const Lanes& lanes_;
    const WorkClasses& classes_;
    const Order& order_;
    const Attempts& attempts_;
    const SessionOptions& options_;
};

} // namespace yard::session
