// What became of attempts, on its way to the journal and back: the session's Retry and Finish become rows, and only
// their acknowledgement moves counters, tells those who wait and lets what waited for it go on.
//
// A result may be visible before it is kept (an abandoned session); who waits for an end gets what is kept.
//
// Owner: engine thread. Lifetime: after the rows, the queues and the predecessors; before Execution, which reads
// waiters(). Invariant: each result that was posted comes back once, in any order.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/committer.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/predecessors.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/spec_cache.h"
#include "core/engine/state/unkept_values.h"
#include "core/engine/state/waiters.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace yard::engine {

class Results {
public:
    /// Ends on their way to the journal, beyond which large operations wait: what else is written is not held up.
    static constexpr std::size_t kAhead = 4'000;

    /// Where they go.
    struct Journal {
        std::function<void(store::Retry)> retry;
        std::function<void(store::Finish, bool somebodyWaits)> finish;
        std::function<void(store::FinishMany)> finishMany;
        std::function<std::vector<ResultAck>()> takeAcks;
        std::function<std::size_t()> outstanding; ///< actions whose result is posted and not acknowledged
    };
    /// What they come from.
    struct Attempts {
        std::function<const Attempt*(Lsn)> find; ///< null: none is under way
        /// See Execution::record().
        std::function<AttemptRecord(runners::AttemptId, ActionState, Reason, bool retried,
                                    std::vector<store::SmallChunk>&)>
            record;
        std::function<void(Lsn, std::uint32_t attempt)> stored; ///< the journal has its end
        std::function<std::size_t()> inFlight;
        std::function<void(Lsn)> markUrgent; ///< somebody waits for its end
    };
    struct Parts {
        session::Session& session;
        session::Outbox& outbox;
        ActionRows& rows;
        Queues& queues;
        Predecessors& predecessors;
        SpecCache& specs;
        UnkeptValues& unkept;
        EngineCounters& counters;
        const WallScale& scale;
        Journal journal;
        Attempts attempts;
        /// An action has ended with this attempt; `live`: as the session has it.
        std::function<void(const Attempt&, const AttemptRecord&, const session::LiveView& live)> ran;
        std::function<void()> finished; ///< an action has ended, and is kept
        std::function<void()> acked;    ///< some were acknowledged: what they held is free
        std::function<MonoTime()> now;
        /// The journal has the end of this one; `live`: as the session had it. Empty: nobody asks.
        std::function<void(const session::LiveView& live, ActionState, Reason)> kept{};
        std::function<std::int64_t(Lsn)> objectOf{}; ///< that it belongs to; 0, or empty: to none
    };
    explicit Results(Parts parts)
        : parts_(std::move(parts)) {}

    // --- to the journal
    void postRetry(const session::Retry& retry);
    void postFinishes(const std::vector<session::Finish>& finishes);
    // --- and back
    void takeAcks();

    bool hasRoom() const { return parts_.journal.outstanding() < kAhead; }
    /// Returns when there is room for more.
    coro::Task<void> room();

    // --- for those who wait
    const Waiters& waiters() const { return waiters_; }
    /// The action, once it has ended or `wait` is over. NotFound.
    coro::Task<Result<ActionResult>> waitFor(Lsn lsn, Duration wait);
    /// Waits for the end of one that the session has. The result as it is kept, without reading it, where that is
    /// known.
    coro::Task<std::optional<ActionResult>> endOf(Lsn lsn, Duration wait);

private:
    void postFinish(const session::Finish& finish);
    void take(const ResultAck& ack, Lsn lsn);

    Parts parts_;
    Waiters waiters_;
    coro::ConditionVariable roomMade_;
    OwnerCheck owner_;
};

} // namespace yard::engine
