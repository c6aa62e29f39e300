// What people ask of a queue, and what is set of one. Private to session; owner: engine thread. Lives as long as the
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

    // Each as in session.h.
    Result<void> accepts(QueueId id) const;
    void add(QueueId id, const QueueConfig& config, QueueState state, bool held, const QueueCounters& counters,
             std::int64_t failedBefore);
    Result<void> configure(QueueId id, const QueueConfig& config);
    void setLabelLimits(QueueId id, std::vector<std::pair<LabelId, int>> limits);
    void setTurns(double virtualNow, std::span<const QueueTurns> turns);
    void learnRunTime(QueueId id, Duration took);

    Result<void> hold(QueueId id, Outbox& out);
    Result<void> release(QueueId id);
    Result<void> drain(QueueId id);
    Result<void> cancel(QueueId id, Outbox& out);
    Result<void> forget(QueueId id, Outbox& out);

private:
    Ledger& ledger_;
    Order& order_;
    const ServiceState& service_;
    Entrance& entrance_;
    Attempts& attempts_;
    BulkWork& bulk_;
    OwnerCheck owner_;
};

} // namespace yard::session
