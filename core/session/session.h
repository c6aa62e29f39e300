// The scheduler as pure decisions (docs/scheduling.md): events go in with the time as a parameter, what should
// happen comes out in an Outbox. No threads, clocks, processes, disk; a test, a simulation and the engine drive the
// same code.
//
// Owner: engine thread. Order: per queue priority, then age, each 16th start to the oldest; between queues by
// virtual time, which a start advances by its share of the machine over the queue's weight. Nothing here costs more
// than O(log n) per action, or more than about 1,000 actions per call: operations on a queue or on everything are
// effective at once and carried out by step().
//
// What is durable comes first: actions enter after they were committed; a Retry or Finish takes effect (counters,
// visible state, another start) only when the engine says that it is stored. Abandoning the session is the
// exception.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/model/action_spec.h"
#include "core/model/queue.h"
#include "core/model/states.h"
#include "core/session/capacity.h"
#include "core/session/messages.h"
#include "core/session/outline.h"
#include "core/session/views.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace yard::session {

class Session {
public:
    /// Queue 0 exists from the start, Active, default configuration. State: Created.
    Session(std::unique_ptr<Capacity> capacity, SessionOptions options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // -- service state
    SessionState state() const;
    /// WrongState when the table forbids it. Paused: leases ahead are taken back. Abandoned: all that is pending or
    /// running is Abandoned at once, Finish for each follows from step(). Sunset: running attempts get Stop.
    Result<void> moveTo(SessionState to, Outbox& out);
    /// NotAccepting (session), NotFound, WrongState (queue): may new work be submitted to this queue?
    Result<void> accepts(QueueId queue) const;

    // -- classes and queues
    /// Before the first action of the class; again only while there is none. With a gate its attempts take no
    /// resources and no slot: what serves them holds those.
    void defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks = {},
                     std::optional<GateId> gate = {}, const RetryLimits& limits = {});
    /// So many attempts of the gate's classes may be out; 0 until it was set.
    void setGate(GateId gate, int most);
    /// Actions of the gate's classes that wait for a place; looks at each lane, some 10,000 at most.
    std::int64_t waitingAt(GateId gate) const;
    /// Takes resources for something that is no attempt. False: they are not free, or who asked before waits for
    /// the same; Outbox::granted says when they were taken, before anything else that needs what becomes free.
    /// Nothing is leased ahead meanwhile if it asks for cores.
    bool hold(HoldKey key, const Resources& resources);
    /// Of what hold() did not get yet: why. Nothing: it has it, or did not ask.
    std::optional<HoldWait> holdWait(HoldKey key) const;
    /// Gives them back, or takes the wish back. True: somebody may start now.
    bool letGo(HoldKey key);
    /// Something waits for resources that is not at a gate.
    bool isCrowded() const;
    /// MiB of memory that would let one of them start that lacks nothing else; 0: there is none.
    std::int64_t memoryLack() const;
    /// That memory is about to become free: it is kept for that one, whoever else asks for some.
    void keepForLack();
    /// So long resources are kept at most for something large that was passed over, before what else could run
    /// does; twice as long the next time, which comes once all that stood in its way has ended
    /// (docs/scheduling.md).
    void setReserve(Duration reserve);
    /// False: an action of this class would never start on this machine.
    bool everFits(ClassId id) const;
    /// What an action of this class asks for, what there is and what is free of it.
    std::vector<ResourceNeed> needs(ClassId id) const;
    /// What is in use of what there is.
    Resources taken() const;

    /// A new queue, or one of the journal. Of `counters` pending and running are not taken: add() counts them.
    /// Queue 0: sets what the journal knows of it. A Cancelled one ends Cancelled whatever is added.
    void addQueue(QueueId id, const QueueConfig& config, QueueState state = QueueState::Active, bool held = false,
                  const QueueCounters& counters = {}, std::int64_t failedBefore = 0);
    /// Ends of actions whose queues are gone: they count in all.
    void addPast(const QueueCounters& counters);
    /// All but its label limits take effect.
    Result<void> configureQueue(QueueId id, const QueueConfig& config);
    /// For one that goes on where another session is: before anything waits. Unknown queues are ignored.
    void setTurns(double virtualNow, std::span<const QueueTurns> turns);
    /// The same, once all is there. Of what stood in the way, who is not there is left out.
    void setPassed(std::span<const Passed> passed);
    /// The limits of its configuration, with labels as numbers. Unknown queues are ignored.
    void setLabelLimits(QueueId id, std::vector<std::pair<LabelId, int>> limits);
    const QueueConfig* queueConfig(QueueId id) const; ///< nullptr: unknown
    Result<void> holdQueue(QueueId id, Outbox& out);
    Result<void> releaseQueue(QueueId id);
    Result<void> drainQueue(QueueId id);
    /// Pending and running actions end Cancelled, nothing is retried. O(1) here, Finish for each follows from
    /// step().
    Result<void> cancelQueue(QueueId id, Outbox& out);
    /// Cancels what is active, then forgets the queue: Outbox::forgotten, at once or later.
    Result<void> forgetQueue(QueueId id, Outbox& out);

    // -- actions
    /// After their commit; at start all that is in the journal, in order of LSN, at most a few thousand per call.
    /// Queues, classes exist; LSNs are not live. An action of a cancelled queue or with cancelRequested gets its
    /// Finish, and so does one that waits for an action which ended otherwise.
    void add(std::span<const NewAction> actions, MonoTime now, Outbox& out);
    /// May it be set back by hand? WrongState, AtLimit (unless `force`), NotAccepting; else the counters after it.
    Result<RetryCounters> checkReschedule(const FinishedAction& action, bool force) const;
    /// After the commit of a reset by hand: counters of the queue move back from `was` (Failed or Abandoned).
    void reschedule(const NewAction& action, ActionState was, MonoTime now, Outbox& out);
    /// Pending: Finish without an attempt. Leased ahead: TakeBack first. Running: Stop; its end is Cancelled
    /// whatever it says. NotFound, or WrongState when it has ended. Asking twice is fine.
    Result<void> cancel(Lsn lsn, Outbox& out);
    /// The same in two parts, for many: from now on it does not start. True: finishCancelled() must follow, and
    /// gives it its Finish; false: nothing more is to be done.
    Result<bool> cancelLater(Lsn lsn, Outbox& out);
    void finishCancelled(Lsn lsn, Outbox& out);
    /// WrongState unless pending. A lease ahead is taken back.
    Result<void> hold(Lsn lsn, Outbox& out);
    Result<void> release(Lsn lsn);
    /// WrongState unless pending and not handed to a runner. setQueue also as accepts().
    Result<void> setPriority(Lsn lsn, int priority);
    Result<void> setQueue(Lsn lsn, QueueId queue);
    /// What cancel(), hold(), and setPriority() or setQueue() would answer; nothing changes.
    Result<void> mayCancel(Lsn lsn) const;
    Result<void> mayHold(Lsn lsn) const;
    Result<void> mayMove(Lsn lsn) const;

    // -- events of runners: of an older attempt or an unknown action they are ignored and counted
    void submitting(Lsn lsn, std::uint32_t attempt, Outbox& out);
    void running(Lsn lsn, std::uint32_t attempt, Outbox& out);
    /// The lease was given back before it ran: to the front of its order, uncounted; the next start has the same
    /// number.
    void returned(Lsn lsn, std::uint32_t attempt, Outbox& out);
    /// The attempt's tree is gone, and what it left takes a while to keep: its resources are free for others. It
    /// runs until ended(), for its queue's `max_running`, its label's limit and its locks as well. Of maxKeeping at
    /// once; one more has its resources until ended().
    void keeping(Lsn lsn, std::uint32_t attempt);
    /// The attempt's tree is gone (submitting() and running() may have been left out). Its resources are free;
    /// Retry or Finish says what became of it.
    void ended(Lsn lsn, std::uint32_t attempt, const AttemptEnd& end, MonoTime now, Outbox& out);

    // -- acknowledgements of the journal
    void retryStored(Lsn lsn, Outbox& out);
    /// Counters move to the final state, the action is no longer live; those that wait for it go on, or fail, the
    /// first ones at once and the rest by step(). A queue that reached its number of failures is held
    /// (Outbox::stopped).
    void finishStored(Lsn lsn, Outbox& out, const StoredEnd& end = {});

    /// Another engine has this lock: nothing that claims it starts until it is said to be free. Of one of our own:
    /// no effect before that one has ended.
    void setLockElsewhere(LockId lock, bool held);

    // -- time and work
    /// Lets timers fire that are due, then starts what may start. At most a few thousand things per call; true:
    /// call again after a yield. Without `mayStart` timers fire and nothing starts.
    bool schedule(MonoTime now, Outbox& out, bool mayStart = true);
    /// Asks for all leases back that wait ahead at a runner.
    void takeBackAhead(Outbox& out);
    /// The earliest time that schedule() has a timer to fire.
    std::optional<MonoTime> nextWake() const;
    /// Carries out at most 1,000 steps of large operations. `hasMoreWork()`: call it again after a yield.
    void step(Outbox& out);
    bool hasMoreWork() const;

    // -- questions
    std::optional<LiveView> live(Lsn lsn) const;
    /// Shows live actions from `from` on in the order of their LSNs, at most `most`. Returns the LSN to go on with;
    /// 0: that was all.
    Lsn walkLive(Lsn from, int most, const std::function<void(const LiveView&)>& show) const;
    /// Nothing unless it is pending. At most a few thousand things are looked at; without the position a few.
    std::optional<Waiting> waiting(Lsn lsn, bool withPosition) const;
    /// Of an array that something waits for as a whole: how many of its elements have not ended.
    std::optional<std::int64_t> unfinishedOf(Lsn array) const;
    /// Unmet::count is 0 of one that is not known.
    Unmet unmetOf(Lsn lsn) const;
    /// Submitting and running ones, oldest start first is not promised; at most maxOutstanding.
    std::vector<Lsn> runningActions() const;
    std::vector<LockElsewhere> locksElsewhere() const;
    /// Every lock that is held or waited for; of each at most `most` that wait. Looks at each lane and a few
    /// thousand actions.
    std::vector<LockStatus> locks(int most) const;
    /// Who has most of a resource of the machine, `most` at most, the largest amount first. Looks at all that is out.
    std::vector<ResourceHolder> holders(std::string_view resource, std::size_t most) const;
    /// Locks held by actions of ours.
    std::size_t locksHeld() const;
    /// Locks, held here or elsewhere, for which something waits that would start but for them.
    std::size_t locksWaitedFor() const;
    std::optional<QueueStatus> queueStatus(QueueId id) const;
    /// What there is to do, in about so many items beside those that run. Looks at some 260,000 records at most.
    Outline outline(int most, MonoTime now) const;
    /// Changes whenever something that others can see does.
    std::uint32_t revision() const;
    /// An attempt of the queue took so long, before this session.
    void learnRunTime(QueueId id, Duration took);
    SessionCounts counts() const;
    /// `sink` is told of each change while it happens: it must note it and return. Empty: nobody is.
    void setChangeSink(std::function<void(const Change&)> sink);
    /// Bytes the structure holds for `counts().all.active()` actions.
    std::size_t memoryBytes() const;

    /// Asserts every written invariant; walks everything. For tests.
    void check() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::session
