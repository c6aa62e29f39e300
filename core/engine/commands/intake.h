// Taking work in: a list of actions is checked and resolved, gets its LSNs, is committed, and only then told to the
// session and answered. All of a list comes in or nothing; a large one goes to the journal in parts. What may change
// while that takes its time (a worker is removed, a predecessor ends) is looked at again, or watched.
//
// Owner: engine thread. Lifetime: after the session and the services it is given.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/commands/superseding.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/predecessors.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/spec_cache.h"
#include "core/engine/state/unkept_values.h"
#include "core/engine/state/views.h"
#include "core/engine/state/work_classes.h"
#include "core/engine/state/workers.h"
#include "core/session/session.h"
#include "core/store/reader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::engine {

class Intake {
public:
    struct Parts {
        session::Session& session;
        session::Outbox& outbox;
        InternTable& dictionary;
        const WorkerRegistry& registry;
        WorkClasses& classes;
        Workers& workers;
        Queues& queues;
        Predecessors& predecessors;
        SpecCache& specs;
        UnkeptValues& unkept;
        coro::HelperPool& helpers;
        EngineCounters& counters;
        const Settings& settings; ///< in force now
        const WallScale& scale;
        /// Answered once the journal has it.
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<Result<void>(const ActionSpec&)> mayRun;  ///< it can be kept in its sandbox here
        std::function<std::uint64_t(const Hash256&)> chunkSize; ///< 0: there is none; on a helper
        std::function<coro::Task<Result<std::vector<std::int64_t>>>(std::vector<Lsn>)> arraySizes;
        /// MiB for an action like this, by what its kind took so far; nothing: too few ran. Empty: nobody knows.
        std::function<std::optional<std::int64_t>(const ActionSpec&, std::string_view worker)> learnedMemory{};
        std::function<coro::Task<Result<std::optional<store::Reader::KeptAnswer>>>(std::string key)> keptAnswer;
        std::function<coro::Task<std::optional<ActionResult>>(Lsn, Duration)> endOf; ///< waits for it
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<void()> wake;        ///< something may start now
        std::function<void(Lsn)> replaced; ///< the journal has its successor
        Superseding::Dependents dependents;
    };
    explicit Intake(Parts parts)
        : parts_(std::move(parts)) {}

    /// What the journal has: numbers to give, and when the last action was submitted.
    void restore(store::LsnBlock lsns, WallMicros lastSubmitTime);
    /// Accepted means committed. NeedChunks, Invalid (unknown worker or function, unknown LSN in `after`, …; with
    /// index), NotFound (queue), WrongState (queue drains), NotAccepting, Busy, Journal. `linger`: of a single action,
    /// the answer waits so long for its end, and brings the result if that came.
    coro::Task<Result<SubmitAnswer>> submit(Submission submission, Duration linger);

private:
    /// Of an edge to an array of which it is not looked up yet how many elements it has.
    static constexpr std::int64_t kArrayUnknown = -1;
    struct Resolved {
        std::vector<store::AcceptItem> items;
        std::vector<store::LabelEntry> labels;
        std::vector<store::ClassEntry> classes;
        std::vector<SpecPtr> specs;
        std::vector<std::pair<std::size_t, Variables>> unkept; ///< of some items, by their place
        std::vector<std::string> workers;                      ///< ids of registered ones, each once
        std::int64_t count = 0;
        std::vector<store::FinishedState> finished; ///< predecessors that had ended when it was committed
        std::vector<std::uint32_t> order;           ///< of the items: their places in the list; empty: as posted
        std::size_t placeOf(std::size_t item) const { return order.empty() ? item : order[item]; }
    };
    class KeyInParts;

    coro::Task<Result<SubmitAnswer>> take(Submission submission);
    coro::Task<Result<SubmitAnswer>> answeredBefore(std::string key, Hash256 body, Error refusal);
    // checking
    coro::Task<Result<void>> checkStdins(const Submission& submission);
    coro::Task<Result<Resolved>> resolve(Submission& submission, QueueId queue);
    Result<void> resolveOne(const ParsedAction& action, QueueId queue, Resolved& resolved);
    Result<void> mayEnter(const Resolved& resolved) const;
    coro::Task<Result<std::vector<store::Edge>>> findArrays(Resolved& resolved);
    coro::Task<void> nameParents(Resolved& resolved, const Submission& submission);
    // committing
    coro::Task<Result<Lsn>> takeLsns(std::int64_t count);
    static SubmitAnswer number(Resolved& resolved, Lsn first, QueueId queue);
    static store::Accept acceptOf(Resolved& resolved, const Submission& submission, const SubmitAnswer& answer,
                                  const Superseding& superseding);
    coro::Task<void> keyIsFree(const store::Accept& accept);
    coro::Task<store::AckDetail> acceptAtOnce(store::Accept accept);
    coro::Task<store::AckDetail> acceptInParts(store::Accept whole);
    coro::Task<void> undoParts(std::vector<store::LsnRun> rows, Lsn first);
    coro::Task<void> enter(const Resolved& resolved);

    Parts parts_;
    store::LsnBlock lsns_;
    coro::Mutex lsnMutex_; ///< one reservation at a time
    WallMicros lastSubmitTime_ = 0;
    std::unordered_set<std::string>
        pendingIdempotencyKeys_; ///< idempotency keys of submissions on their way in parts
    coro::ConditionVariable partsEnded_;
    std::int64_t entering_ = 0; ///< actions that are accepted and not yet in the session
    OwnerCheck owner_;
};

} // namespace yard::engine
