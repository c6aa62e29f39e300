// The entrance to the lanes: what may start goes into its lane, unless its label has no place; what waits no more
// leaves its turn, its locks and its place of a label to others. Private to session; owner: engine thread. Lives as
// long as the session, above the ledger.
//
// Invariants (asserted by check()):
//   - a record that may start is in its lane, or parked at the gate of its label
//   - a queue is in the list of those with gates to open while its `openingListed` says so, which counts as a job
#pragma once

#include "core/base/owner.h"
#include "core/session/ledger.h"

#include <cstdint>
#include <vector>

namespace yard::session {

class Entrance {
public:
    explicit Entrance(Ledger& ledger)
        : ledger_(ledger)
        , records_(ledger.records())
        , lanes_(ledger.lanes())
        , order_(ledger.order()) {}

    /// A record for the action in phase Waiting, in no lane yet.
    std::uint32_t make(const NewAction& action, std::uint32_t queue);
    /// Into its lane if it may start: the one function that everything that can wake an action calls.
    void wake(std::uint32_t record);
    /// It waited and does not any more, or not for a place of its label: out of its gate, or its chance to another.
    void leave(std::uint32_t record);
    /// Held, it leaves; released, it is not woken yet.
    void setHeld(std::uint32_t record, bool held);

    /// The gates of the queue may have places to offer.
    void listOpening(std::uint32_t queue);
    /// Lets parked actions through gates that have places, into their lanes. `budget` goes down with each.
    void openGates(int& budget);
    bool hasGatesToOpen() const { return !opening_.empty(); }

    /// Forgets the queues in which something came that goes before leases ahead, each shown to `visit` first: its
    /// `arrived` says how urgent that was.
    template<class Visit>
    void takeOvertaken(Visit visit) {
        for (const std::uint32_t queue : overtaken_) {
            visit(queue);
            Queue& q = order_.queue(queue);
            q.arrived = -101;
            --q.jobs;
            order_.removeIfUnused(queue);
        }
        overtaken_.clear();
    }

    /// `isAbandoned`: of the session; then nothing has to be in a lane.
    void check(bool isAbandoned) const; // check.cpp

private:
    Ledger& ledger_;
    Records& records_;
    Lanes& lanes_;
    Order& order_;
    std::vector<std::uint32_t> opening_;   ///< queues with a gate that has places to offer
    std::vector<std::uint32_t> overtaken_; ///< queues whose `arrived` may be above their leases ahead
    OwnerCheck owner_;
};

} // namespace yard::session
