// Session::places(): the order that people give the pending actions of a queue, and the numbers in it. Owner: engine
// thread. Lives as long as the session, above the commands of actions.
//
// A move stays within a priority: what has a higher one still goes first. It is planned here and changes nothing; the
// engine has the journal keep the plan, then setPlace() carries it out. Answers need prepare() before.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/model/place_key.h"
#include "core/session/ledger.h"
#include "core/session/service_state.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace yard::session {

struct MoveTo {
    enum class Where : unsigned char { Top, Up, Down, Bottom, Before };
    Where where = Where::Top;
    Lsn before{}; ///< of Before: pending, of the same queue and priority, not moved itself
};

/// Where each of those stands from then on whose place changes, also of some beside which there was no room left.
struct MovePlan {
    struct Placed {
        Lsn lsn;
        PlaceKey to;
    };
    QueueId queue{}; ///< of all of them
    std::vector<Placed> placed;
    std::int64_t matched = 0;                   ///< those that wait, moved or there already
    std::vector<std::pair<Lsn, Error>> refused; ///< NotFound, WrongState: it does not wait
};

class PlaceCommands {
public:
    /// Actions that are moved by one command.
    static constexpr std::size_t kMostAtOnce = 20'000;
    /// Pending actions that have a place of their own, in all: each costs memory until it has ended, and once more for a
    /// while when it is moved again.
    static constexpr std::int64_t kMostMoved = 100'000;

    PlaceCommands(Ledger& ledger, const ServiceState& service)
        : ledger_(ledger)
        , records_(ledger.records())
        , service_(service) {}

    /// Works at the orders of these queues for about `most` actions, in one walk for all. True: they are known, and kept
    /// up from then on.
    bool prepare(std::span<const QueueId> queues, int most);
    bool prepare(QueueId queue, int most) { return prepare(std::span(&queue, 1), most); }
    /// From 1; of what is not pending, or of a queue that is not prepared: nothing.
    std::optional<std::int64_t> numberOf(Lsn lsn) const;
    /// All pending actions of a queue that is prepared.
    std::vector<Lsn> inOrder(QueueId queue) const;
    /// Where these go; they keep their order among themselves. Up and down move each block of neighbours by one.
    /// Invalid: of several queues, or Before names one that cannot be; NotFound, WrongState: that one does not wait;
    /// AtLimit. Their queue is prepared.
    Result<MovePlan> plan(std::span<const Lsn> lsns, MoveTo to) const;

private:
    std::optional<Error> whyNotMovable(std::uint32_t record, Lsn lsn) const;

    Ledger& ledger_;
    const Records& records_;
    const ServiceState& service_;
    OwnerCheck owner_;
};

} // namespace yard::session
