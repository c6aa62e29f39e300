// Carries attempts from the session's Start to their end: fetches the spec, has a directory made where one is needed,
// hands the lease to a runner, turns what the runner says into events of the session, has outputs collected, and holds
// the record of each attempt until the journal has it. The phases are in attempt.h.
//
// Owner: engine thread. Lifetime: made before the runners, outlives them. Invariants: each attempt that was begun ends
// once, by an event of the session (returned or ended); a record is kept until stored().
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/running/attempt_table.h"
#include "core/engine/running/job_tokens.h"
#include "core/engine/running/lease_maker.h"
#include "core/engine/running/slot_balancer.h"
#include "core/engine/running/workspaces.h"
#include "core/engine/state/estimator.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/spec_cache.h"
#include "core/engine/state/waiters.h"
#include "core/lease/runner.h"
#include "core/model/settings.h"
#include "core/runners/runner_group.h"
#include "core/session/session.h"
#include "core/store/journal.h"
#include "core/timeline/span.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

/// Longest grace when the engine itself ends: it has ten seconds for all.
inline constexpr Duration kMaxGraceAtEnd{2'000'000};

class Execution {
public:
    struct Parts {
        session::Session& session;
        session::Outbox& outbox;
        AttemptTable& attempts;
        SlotBalancer& slots;
        const LeaseMaker& leases;
        AttemptFiles& files;
        const InternTable& dictionary;
        SpecCache& specs;
        EngineCounters& counters;
        Estimator& estimator;
        const Waiters& waiters;                                   ///< what somebody waits for hurries
        const Settings& settings;                                 ///< in force now
        coro::Loop& loop;                                         ///< of terminals
        std::function<Result<void>(std::vector<Lsn>)> fetchSpecs; ///< answered by specsArrived()
        std::function<void(std::string name, coro::Task<void>)> spawn;
        std::function<void(const runners::LockBusy&)> lockBusy;     ///< a start found a lock held
        std::function<void()> sentWarm;                             ///< a warm process is about to answer
        std::function<void(const Attempt&)> started;                ///< its process runs
        std::function<void(const Attempt&)> frozen = {};            ///< its processes stand still, or go on
        std::function<std::string(session::MachineId)> machineName; ///< empty: this machine
        std::function<void()> wake;                                 ///< the session got events: take a turn
        std::function<void(timeline::Span)> tellSpan;               ///< of each attempt that ended
        std::function<MonoTime()> now;
        JobTokens* tokens = nullptr; ///< null: nothing gets any
        /// Looks which of these GPUs is lost, as a sentence; empty: none. Null: there are none.
        std::function<coro::Task<std::string>(GivenResources)> lostGpu = {};
    };
    explicit Execution(Parts parts);

    /// `warm` serves the actions of warm workers, the group all others.
    void attach(runners::RunnerGroup& group, runners::Runner& warm);

    // --- what the session decided
    void begin(const std::vector<session::Start>& starts, WallScale scale);
    void takeBack(const session::TakeBack& what);
    void stop(const session::Stop& what);
    /// The record of an attempt that ended, for the journal; its small chunks are moved out. Of one that still runs
    /// (an abandoned session) the times so far.
    /// `retried`: another one follows.
    AttemptRecord record(runners::AttemptId id, ActionState state, Reason reason, bool retried,
                         std::vector<store::SmallChunk>& chunks);
    /// The journal has the end of this attempt.
    void stored(Lsn lsn, std::uint32_t attempt);
    /// At a start: the record of an attempt that the last engine had out. It ends at once as `engine_died`.
    struct Interrupted {
        runners::AttemptId id;
        QueueId queue;
        session::ClassId cls;
        WallMicros started = 0; ///< 0: not known
        bool warm = false;      ///< what it printed was its process's, not its own
    };
    void restoreInterrupted(const Interrupted& what, WallScale scale);
    /// At a start: records of what the last engine gave to other machines, which may have it still. Returns once their
    /// specs are here, as far as they can be read. The session has them as handed out.
    struct Expected {
        runners::AttemptId id;
        session::MachineId machine;
    };
    coro::Task<Result<void>> expect(std::vector<Expected> attempts, WallScale scale);
    /// From now on the runner of its machine has it. The attempt, in its slot.
    const Attempt& takeOver(runners::AttemptId id);

    // --- what comes in
    void specsArrived(std::vector<store::FetchedSpec> specs);
    void updates(std::vector<runners::Update> batch);
    /// Asks back what waits behind a long one while another slot is idle. After each turn.
    void balance();

    // --- for those who look after attempts
    /// Tells its processes to end. The shortest grace that was asked for counts.
    void tellToEnd(Attempt& attempt, runners::StopCause cause, std::optional<Duration> grace);
    void watch(const Attempt& attempt, runners::Stream stream);
    /// Its processes are to stand still, or to go on; Attempt::frozenAt says when they do.
    void setFrozen(runners::AttemptId id, bool on);

    // --- questions
    /// Starts watching the stream of a launched attempt; null when there is none of that number (0: any).
    std::shared_ptr<LiveStreams> follow(Lsn lsn, std::uint32_t attempt, unsigned stream);
    /// Somebody waits for this one's end.
    void markUrgent(Lsn lsn);
    /// Notified whenever an attempt was launched, started or ended.
    coro::ConditionVariable& progress() { return progress_; }
    /// Those that have begun and not ended.
    std::vector<timeline::Span> openSpans() const;

private:
    void submit(std::vector<runners::Lease> leases);
    void proceed(Attempt& attempt, std::vector<runners::Lease>& leases);
    void launch(Attempt& attempt, runners::Lease lease, std::vector<runners::Lease>& leases);
    Result<void> giveTerminal(Attempt& attempt, runners::Lease& lease);
    Result<void> giveTokens(const Attempt& attempt, runners::Lease& lease);
    void closeGiven(Attempt& attempt);
    coro::Task<void> prepare(runners::AttemptId id);
    coro::Task<void> collect(runners::AttemptId id, runners::Ended ended);
    void takesLong(runners::AttemptId id);
    runners::Runner& runnerOf(const Attempt& attempt) const {
        return attempt.warm ? *warm_ : group_->of(attempt.slot);
    }
    void acknowledge(const Attempt& attempt);
    void giveUp(Attempt& attempt);
    void neverStarted(Attempt& attempt, runners::SpawnFailure failure);
    void onStarted(Attempt& attempt, const runners::Started& started);
    void onEnded(Attempt& attempt, runners::Ended ended);
    coro::Task<void> lookAtGpus(runners::AttemptId id, runners::Ended ended);
    void afterEnd(Attempt& attempt, runners::Ended ended);
    void onStreamAt(Attempt& attempt, const runners::StreamAt& at);
    void onFrozen(Attempt& attempt, const runners::Frozen& frozen);
    void finish(Attempt& attempt);
    void count(const Attempt& attempt);
    void learnRunTime(const Attempt& attempt, const session::LiveView& live, Duration took);
    void forgetUncounted(Attempt& attempt);
    void erase(runners::AttemptId id);

    Parts parts_;
    runners::RunnerGroup* group_ = nullptr;
    runners::Runner* warm_ = nullptr;
    coro::ConditionVariable progress_;
    OwnerCheck owner_;
};

} // namespace yard::engine
