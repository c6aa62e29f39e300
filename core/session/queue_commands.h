// Session::queues(): what people ask of a queue, and what is set of one. Owner: engine thread. Lives as long as the
// session, above the large operations.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/model/queue.h"
#include "core/session/attempts.h"
#include "core/session/bulk.h"
#include "core/session/entrance.h"
#include "core/session/ledger.h"
#include "core/session/service_state.h"
#include "core/session/views.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace yard::session {

class QueueCommands {
public:
    QueueCommands(Ledger& ledger, const ServiceState& service, Entrance& entrance, Attempts& attempts,
                  BulkWork& bulk)
        : ledger_(ledger)
        , order_(ledger.order())
        , service_(service)
        , entrance_(entrance)
        , attempts_(attempts)
        , bulk_(bulk) {}

    /// NotAccepting (session), NotFound, WrongState (queue): may new work be submitted to this queue?
    Result<void> accepts(QueueId id) const;
    /// A new queue, or one of the journal. Of `counters` pending and running are not taken: Intake::add() counts them.
    /// Queue 0: sets what the journal knows of it. A Cancelled one ends Cancelled whatever is added.
    void add(QueueId id, const QueueConfig& config, QueueState state = QueueState::Active, bool held = false,
             const QueueCounters& counters = {}, std::int64_t failedBefore = 0);
    const QueueConfig* configOf(QueueId id) const; ///< nullptr: unknown
    /// All but its label limits take effect.
    Result<void> configure(QueueId id, const QueueConfig& config);
    /// The limits of its configuration, with labels as numbers. Unknown queues are ignored.
    void setLabelLimits(QueueId id, std::vector<std::pair<LabelId, int>> limits);
    /// For one that goes on where another session is: before anything waits. Unknown queues are ignored.
    void setTurns(double virtualNow, std::span<const QueueTurns> turns);
    /// An attempt of the queue took so long, before this session.
    void learnRunTime(QueueId id, Duration took);

    /// For the sake of a person at the machine nothing starts, but in queues whose configuration says so.
    void setYielding(bool on, Outbox& out);
    Result<void> hold(QueueId id, Outbox& out);
    Result<void> release(QueueId id);
    Result<void> drain(QueueId id);
    /// Pending and running actions end Cancelled, nothing is retried. O(1) here, Finish for each follows from
    /// Session::step().
    Result<void> cancel(QueueId id, Outbox& out);
    /// Cancels what is active, then forgets the queue: Outbox::forgotten, at once or later.
    Result<void> forget(QueueId id, Outbox& out);

private:
    Ledger& ledger_;
    Order& order_;
    const ServiceState& service_;
    Entrance& entrance_;
    Attempts& attempts_;
    BulkWork& bulk_;
    bool yielding_ = false;
    OwnerCheck owner_;
};

} // namespace yard::session
