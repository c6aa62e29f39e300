// The inside of Session. Private; owner: engine thread. Each group of methods has a source of its own.
//
// Invariants (asserted by check()):
//   - a record's phase changes in setPhase() only, which keeps every counter of phases
//   - stored.pending and stored.running of a queue count its records by kCountsRunning, dead ones not
//   - a record has kOut while a runner has it: then it is in outstanding_, at the place in its `timer`; and while
//     it is in keeping_, too, it holds no resources
//   - a record that may start is in its lane; one in a lane may be anything, and is dropped when met
//   - every record refers to its lane, every lane with references to its queue
//   - `unmet` of a record counts the edges that lead to it; one with unmet > 0 is in no lane and keeps its place
#pragma once

#include "core/base/owner.h"
#include "core/session/lanes.h"
#include "core/session/order.h"
#include "core/session/queues.h"
#include "core/session/record.h"
#include "core/session/session.h"

#include <functional>
#include <map>
#include <memory>
#include <unordered_set>
#include <vector>

namespace yard::session {

class Session::Impl {
public:
    Impl(std::unique_ptr<Capacity> capacity, SessionOptions options);

    // session.cpp: service state, scheduling, questions
    Result<void> moveTo(SessionState to, Outbox& out);
    Result<void> acceptsWork() const;
    bool startsWork() const { return state_ == SessionState::Ready || state_ == SessionState::Draining; }
    bool schedule(MonoTime now, Outbox& out, bool mayStart);
    void watchReservation(MonoTime now);
    void takeBackAllAhead(Outbox& out);
    bool hold(HoldKey key, const Resources& resources);
    /// Resources for something that is no attempt.
    struct Hold {
        HoldKey key;
        Resources resources;
    };
    std::size_t wantedBefore(const Hold& hold, std::size_t earlier) const;
    bool takeHold(const Hold& hold, std::size_t earlier);
    std::optional<HoldWait> holdWait(HoldKey key) const;
    bool letGo(HoldKey key);
    void grantHolds(Outbox& out);
    std::int64_t waitingAt(GateId gate) const;
    std::optional<MonoTime> nextWake() const;
    std::optional<LiveView> live(Lsn lsn) const;
    Lsn walkLive(Lsn from, int most, const std::function<void(const LiveView&)>& show) const;
    std::vector<Lsn> runningActions() const;
    SessionCounts counts() const;
    std::size_t memoryBytes() const;

    // waiting.cpp
    std::optional<Waiting> waiting(Lsn lsn, bool withPosition) const;
    std::vector<LockStatus> locks(int most) const;
    Outline outline(int most) const; // outline.cpp

    // queues.cpp
    Result<void> accepts(QueueId id) const;
    void addQueue(QueueId id, const QueueConfig& config, QueueState state, bool held, const QueueCounters& counters,
                  std::int64_t failedBefore);
    void setLabelLimits(QueueId id, std::vector<std::pair<LabelId, int>> limits);
    Result<void> configureQueue(QueueId id, const QueueConfig& config);
    const Queue* findQueue(QueueId id) const;
    Result<void> holdQueue(QueueId id, Outbox& out);
    Result<void> releaseQueue(QueueId id);
    Result<void> drainQueue(QueueId id);
    Result<void> cancelQueue(QueueId id, Outbox& out);
    Result<void> forgetQueue(QueueId id, Outbox& out);
    std::optional<QueueStatus> queueStatus(QueueId id) const;
    void setTurns(double virtualNow, std::span<const QueueTurns> turns);

    // patience.cpp
    void setPassed(std::span<const Passed> passed);
    std::vector<Passed> passed(std::span<const std::uint32_t> classes) const;

    // dependencies.cpp
    int stepResolve(int budget, Outbox& out);
    std::optional<std::int64_t> unfinishedOf(Lsn array) const;
    std::size_t dependencyBytes() const;
    void checkEdges() const;

    // actions.cpp
    void add(const NewAction& action, MonoTime now, Outbox& out);
    Result<RetryCounters> checkReschedule(const FinishedAction& action, bool force) const;
    void reschedule(const NewAction& action, ActionState was, MonoTime now, Outbox& out);
    Result<void> cancel(Lsn lsn, Outbox& out);
    Result<bool> cancelLater(Lsn lsn, Outbox& out);
    void finishCancelled(Lsn lsn, Outbox& out);
    Result<void> hold(Lsn lsn, Outbox& out);
    Result<void> release(Lsn lsn);
    Result<void> setPriority(Lsn lsn, int priority);
    Result<void> setQueue(Lsn lsn, QueueId queue);
    Result<void> mayCancel(Lsn lsn) const;
    Result<void> mayHold(Lsn lsn) const;
    Result<void> mayMove(Lsn lsn) const;

    // events.cpp
    void began(Lsn lsn, std::uint32_t attempt, Phase phase, Outbox& out);
    void learnRunTime(QueueId id, Duration took);
    void returned(Lsn lsn, std::uint32_t attempt, Outbox& out);
    void keeping(Lsn lsn, std::uint32_t attempt);
    void ended(Lsn lsn, std::uint32_t attempt, const AttemptEnd& end, MonoTime now, Outbox& out);
    void interrupted(std::uint32_t record, MonoTime now, Outbox& out);
    void retryStored(Lsn lsn, Outbox& out);
    void finishStored(Lsn lsn, Outbox& out);

    // bulk.cpp
    void step(Outbox& out);
    bool hasMoreWork() const;

    std::function<void(const Change&)> changeSink; ///< empty: nobody looks on

    void check() const; // check.cpp
    void checkRecord(std::uint32_t place) const;
    std::uint32_t revision() const { return revision_; }

    SessionState state_ = SessionState::Created;
    Order& order() { return order_; }
    const Order& order() const { return order_; }
    const Capacity& capacity() const { return *capacity_; }
    OwnerCheck owner_;

private:
    class Outliner;
    struct Timer {
        MonoTime at;
        std::uint32_t record;
    };

    LiveView viewOf(const Record& record) const;

    // records (actions.cpp)
    Queue& queueOf(const Record& r) { return order_.queue(lanes_[r.lane].queue); }
    const Queue& queueOf(const Record& r) const { return order_.queue(lanes_[r.lane].queue); }
    /// A record in phase Waiting that is in no lane yet; its LSN is mapped to it.
    std::uint32_t makeRecord(const NewAction& action, std::uint32_t queue);
    void setPhase(std::uint32_t record, Phase to);
    void setHeld(std::uint32_t record, bool held);
    /// Others see the action differently from now on.
    void tellChange(const Record& record, ActionState seen, bool isEnd = false) {
        if (changeSink) sendChange(record, seen, isEnd);
    }
    void sendChange(const Record& record, ActionState seen, bool isEnd);
    void tellMove(const Record& record, Phase from, Phase to);
    /// No longer live: unmapped, and freed once its lane has no entry of it.
    void dropRecord(std::uint32_t record, Outbox& out);
    void freeRecord(std::uint32_t record);
    void entryDropped(std::uint32_t record);
    /// Into its lane if it may start: the one function that everything that can wake an action calls.
    void wakeAction(std::uint32_t record);
    void finish(std::uint32_t record, std::uint32_t attempt, ActionState state, Reason reason, Outbox& out);
    void sweepAbandoned(std::uint32_t record, std::uint32_t attempt, Outbox& out);
    void moveToLane(std::uint32_t record, std::uint32_t queue, int priority);
    void moveInPlace(std::uint32_t record, std::uint32_t queue, int priority);
    /// It waited and does not any more, or not for a place of its label: out of its gate, or its chance to another.
    void leaveGate(std::uint32_t record);
    void listOpening(std::uint32_t queue);
    void openGates(int& budget);

    // dependencies (dependencies.cpp)
    struct Edge {
        std::uint32_t child;
        std::uint32_t nextAndOn; ///< 30 bits of the next edge of the same predecessor, 2 of DependencyOn
        std::uint32_t& freeLink() { return child; }
    };
    static_assert(sizeof(Edge) == 8);
    /// Edges whose predecessor has ended.
    struct Resolving {
        std::uint32_t edge;
        Predecessor ended; ///< `on` is the edge's own
    };
    /// Makes the record wait. One that ended otherwise than wanted comes back.
    std::optional<Predecessor> waitFor(std::uint32_t record, std::span<const Predecessor> after);
    std::optional<Predecessor> waitForArray(std::uint32_t record, const Predecessor& array);
    /// A list of edges, with its new first one.
    std::uint32_t makeEdge(std::uint32_t first, std::uint32_t child, DependencyOn on);
    /// An array that others wait for as a whole, from the first of them to the end of its last element: each
    /// element costs a look here instead of an edge to each of them.
    struct Fan {
        std::int64_t count = 0;
        std::int64_t remaining = 0;  ///< elements that are live, their ends not stored
        std::int64_t failed = 0;     ///< of the others
        std::int64_t other = 0;      ///< of the others: abandoned or cancelled
        Lsn otherwise{};             ///< as in Predecessor
        std::uint32_t allOf = kNone; ///< those that wait for all to be completed: the first that is not ends that
        std::uint32_t rest = kNone;  ///< those that wait for the last end
    };
    using Fans = std::map<std::int64_t, Fan>; ///< by the first LSN
    std::int64_t liveIn(Lsn first, std::int64_t count) const;
    Fans::iterator fanOf(Lsn element);
    static Predecessor asPredecessor(std::int64_t first, const Fan& fan);
    void elementEnded(Lsn element, ActionState state);
    void elementBegins(Lsn element);
    void elementRunsAgain(Lsn element, ActionState was);
    void resolveDependents(std::uint32_t record, Outbox& out);
    void resolve(std::uint32_t child, const Predecessor& ended, Outbox& out);
    void failDependent(std::uint32_t record, const Predecessor& because, Outbox& out);
    Waiting::Position positionOf(std::uint32_t record) const;
    std::optional<Waiting::Lock> lockOf(std::uint32_t lane) const;
    bool isReferredTo(const Record& r) const { return r.has(Record::kInLane) || r.unmet > 0; }

    Result<std::uint32_t> findMovable(Lsn lsn) const;

    // attempts (events.cpp)
    bool startNext(bool ahead, Outbox& out, int& budget);
    /// Counts an attempt that is handed out (1) or given back (-1) against the slots.
    void countSlot(std::uint32_t cls, int by);
    void giveBack(std::uint32_t record);
    void giveResources(std::uint32_t record);
    bool holdsNothing(const Record& r) const {
        return r.has(Record::kOut) && keeping_.contains(outstanding_[r.timer]);
    }
    void goBackUncounted(std::uint32_t record, Outbox& out);
    void stop(std::uint32_t record, StopCause cause, Outbox& out);
    void takeBack(std::uint32_t record, Outbox& out);
    void cancelAttempt(std::uint32_t record, Outbox& out);
    std::uint32_t findOut(Lsn lsn, std::uint32_t attempt);
    void takeBackOvertaken(Outbox& out);
    void decideEnd(std::uint32_t record, std::uint32_t attempt, const AttemptEnd& end, bool cancelled, MonoTime now,
                   Outbox& out);
    void stopAfterFailures(std::uint32_t queue, Outbox& out);
    void takeBackAhead(std::uint32_t queue, Outbox& out);
    static void learnRunTime(Queue& queue, Duration took);

    // timers (session.cpp)
    void setTimer(std::uint32_t record, MonoTime at, bool backoff);
    void clearTimer(std::uint32_t record);
    bool fireTimers(MonoTime now);

    // large operations (bulk.cpp)
    void startCancel(std::uint32_t queue, Outbox& out);
    void tryForget(std::uint32_t queue, Outbox& out);
    int stepCancel(int budget, Outbox& out);
    int stepScan(int budget, Outbox& out);
    bool wantsSweep() const;

    std::unique_ptr<Capacity> capacity_;
    SessionOptions options_;
    Records records_;
    Lanes lanes_;
    Order order_;
    IdMap queueIndex_;
    GrowArray<Timer> timers_;
    Slab<Edge, 4096> edges_;
    std::vector<Resolving> resolving_;
    Fans fans_;
    std::vector<std::uint32_t> opening_; ///< queues with a gate that has places to offer
    std::vector<std::uint32_t> outstanding_;
    std::unordered_set<std::uint32_t> keeping_; ///< of outstanding_: have given back their resources
    std::vector<std::uint32_t> overtaken_;      ///< queues whose `arrived` may be above their leases ahead
    std::vector<Hold> holds_;                   ///< taken by something that is no attempt; a few
    std::vector<Hold> wanted_;                  ///< waits for that, oldest first
    std::int32_t gated_ = 0;                    ///< of outstanding_ without keeping_: at a gate
    std::int32_t shared_ = 0;                   ///< of the same: not one core, each in a slot of its own
    std::int32_t partCores_ = 0; ///< of shared_: take some cores, so that slots are no measure of what is free
    bool abandoned_ = false;     ///< was Abandoned; stays so in Sunset
    std::uint32_t revision_ = 0;
    std::uint64_t random_;

    Tally total_;
    std::int64_t submitting_ = 0;
    std::int64_t backingOff_ = 0; ///< pending, with a timer of a back-off
    std::int64_t held_ = 0;       ///< pending and held by themselves
    std::int64_t dead_ = 0;       ///< records that only wait for their entry to be met
    std::uint64_t starts_ = 0;
    std::uint64_t ignored_ = 0;

    std::vector<std::uint32_t> cancelling_; ///< queues whose lanes are being emptied
    std::vector<std::uint32_t> scanWanted_; ///< queues with waiting actions outside of lanes, for the next scan
    std::vector<std::uint32_t> scanning_;   ///< queues the scan under way is for
    std::uint32_t scanAt_ = 0;
    bool scanAll_ = false; ///< the scan under way marks everything Abandoned
    bool sweeping_ = false;
    std::int64_t sweepAbove_ = 0; ///< dead records at which the next sweep of lanes begins
};

} // namespace yard::session
