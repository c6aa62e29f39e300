// What goes into the session and what comes out of it (session.h). Values, no owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/fleet/fleet.h"
#include "core/model/action_spec.h"
#include "core/model/place_key.h"
#include "core/model/states.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace yard::session {

/// Interned by the engine, dense from 0: worker, function, resources, locks and limits of an action are one class.
using ClassId = Id<struct ClassIdTag, std::uint32_t>;
/// Interned name of a lock, dense from 0.
using LockId = Id<struct LockIdTag, std::uint32_t>;
/// Interned label, dense from 1; 0 is "no label".
using LabelId = Id<struct LabelIdTag, std::uint32_t>;

/// A limit on how many attempts of some classes may be out at once, which follows what can serve them: those of a
/// warm worker. Dense from 0.
using GateId = Id<struct GateIdTag, std::uint32_t>;
/// Where attempts run; 0 is this machine.
using MachineId = fleet::MachineId;
/// Who holds resources beside the attempts; the caller's numbers.
using HoldKey = std::uint64_t;

/// What asks for the same as this class was passed over, and what came of it.
struct Passed {
    ClassId cls;
    std::uint32_t starts = 0; ///< of others, meanwhile
    MonoTime since{};
    int doublings = 0;                     ///< of what its next reservation lasts
    std::optional<MonoTime> reservedSince; ///< resources are kept for it
    bool wasGivenUp = false;               ///< they were, in vain, because of these:
    std::vector<Lsn> standing;
    std::vector<HoldKey> holds;
};

/// How often an action went back to Pending. Each saturates at 65,535.
struct RetryCounters {
    int retryCount = 0;    ///< every reset, by hand too
    int ownFailures = 0;   ///< resets after failures of the action's own: against max_retries
    int interruptions = 0; ///< resets after failures that were not: against max_interruptions
    friend bool operator==(const RetryCounters&, const RetryCounters&) = default;
};

/// Whether who waits so may start once what it waits for ended like this.
bool isWanted(DependencyOn on, ActionState end);

/// One of the actions that an action waits for, or a whole array: then for all its elements, and for Failed, that
/// one of them at least has failed.
struct Predecessor {
    Lsn lsn; ///< of an array its first element
    DependencyOn on = DependencyOn::Completed;
    /// Of one that is not live: its final state. Of one that is not known any more: New; it counts as what is
    /// waited for. Of an array, once it is told why an action failed: Failed when an element failed, else how one
    /// ended otherwise, else Completed.
    ActionState state = ActionState::Pending;
    std::int64_t count = 0;  ///< of an array: its elements; 0: one action
    std::int64_t failed = 0; ///< of those that are not live
    std::int64_t other = 0;  ///< abandoned or cancelled, likewise
    Lsn otherwise{};         ///< one of them; one that failed if any did
};

/// An action that the journal has: just accepted, read back at start, or set back by hand.
struct NewAction {
    Lsn lsn;
    QueueId queue;
    ClassId cls; ///< defined before
    LabelId label;
    int priority = 0; ///< -100..100
    bool held = false;
    bool cancelRequested = false; ///< asked before a restart: ends Cancelled without starting
    MonoTime notBefore{};         ///< not_before or the end of a back-off; the epoch of the clock: none
    std::int64_t submitTime = 0;  ///< microseconds, for age: max(now, last given), below 2^55; ties go by LSN
    std::uint32_t attempts = 0;   ///< how many were started so far: the next one has this number + 1
    RetryCounters retries;
    std::optional<PlaceKey> place{}; ///< where it was moved to by hand
    /// At a start: the last engine died while the next attempt was out. It ends at once, Abandoned (engine_died),
    /// and is decided like any other end: a cancel that was asked for holds, also of its queue.
    bool interrupted = false;
    /// At a start: that attempt is out on this machine, which may come back with it. Not together with `interrupted`; of a
    /// class without a gate and locks. One that was to be cancelled ends at once all the same.
    std::optional<MachineId> out{};
    std::span<const Predecessor> after{}; ///< read during the call only; at most 65,535
};

/// How a runner says an attempt ended.
struct AttemptEnd {
    ActionState state = ActionState::Failed; ///< Completed, Failed, Abandoned or Cancelled
    Reason reason = Reason::None;
    std::optional<int> exitCode;
    Duration runTime{}; ///< Submitting to the end of the tree; feeds the average that allows leases ahead
    /// Proven never to have executed. With an interruption as reason (but for spawn_error) it goes back uncounted.
    bool neverRan = false;
    bool cannotHeal = false; ///< another attempt would fail alike: there is none
    /// It was ended for `reason` (its deadline, its limits) before any cancel reached it: a cancel that came later
    /// forbids another attempt and changes nothing else.
    bool wasEnforced = false;
};

/// Give this attempt to a runner. It holds its resources until keeping(), ended() or returned().
struct Start {
    Lsn lsn;
    std::uint32_t attempt = 1; ///< counts from 1
    QueueId queue;
    ClassId cls;
    bool ahead = false;  ///< beyond the capacity: waits in the runner until a slot is free, can be taken back
    bool shared = false; ///< not exactly one core: takes a slot of its own beside those of the cores
    bool warm = false;   ///< of a gate: a warm process serves it, whose resources are held, not the attempt's
    MachineId machine{}; ///< there it runs, or waits for a slot
};
/// Give back this lease unless it has been cloned: answered by returned(), or by the events of a run.
struct TakeBack {
    Lsn lsn;
    std::uint32_t attempt = 0;
};
enum class StopCause : unsigned char { Cancel, Abandon, EngineStopped };
/// End the attempt's tree, gently first. ended() follows; a runner that had not begun may answer returned().
struct Stop {
    Lsn lsn;
    std::uint32_t attempt = 0;
    StopCause cause = StopCause::Cancel;
};
/// Journal failure and reset to Pending as one, then call retryStored().
struct Retry {
    Lsn lsn;
    std::uint32_t endedAttempt = 0;
    ActionState state = ActionState::Failed; ///< of the attempt that ended: Failed or Abandoned
    Reason reason = Reason::None;
    RetryCounters retries; ///< after this reset
    MonoTime notBefore{};  ///< not started again before; the epoch of the clock: at once
};
/// Journal the end of the action, then call finishStored().
struct Finish {
    Lsn lsn;
    std::uint32_t attempt =
        0; ///< the attempt that ended with it; 0: none did (cancelled or abandoned while pending)
    ActionState state = ActionState::Completed;
    Reason reason = Reason::None;
    QueueId queue;
    Predecessor because{}; ///< reason dependency_failed: which one, and how it ended
};

/// How an action ended, as the journal has it; the session passes it on to those who watch.
struct StoredEnd {
    Reason reason = Reason::None;
    std::optional<int> exitCode;
};

/// Something others can see of an action changed.
struct Change {
    Lsn lsn;
    QueueId queue; ///< its counters may have changed too
    ClassId cls;
    LabelId label;
    ActionState state = ActionState::Pending; ///< as others see it now
    std::optional<StoredEnd> end{};           ///< over for good, and in the journal
};

/// What is to happen, in this order: starts, then take-backs, stops, retries, finishes, stopped, forgotten. The
/// engine carries it out after each turn and clears it; one call of the session adds at most a few thousand
/// entries.
struct Outbox {
    std::vector<Start> start;
    std::vector<TakeBack> takeBack;
    std::vector<Stop> stop;
    std::vector<Retry> retry;
    std::vector<Finish> finish;
    std::vector<HoldKey> granted; ///< resources that were asked for by hold()
    std::vector<QueueId> stopped; ///< queues that are held now because of their failures
    std::vector<QueueId>
        forgotten; ///< queues that were deleted and have nothing active any more; unknown from now on

    bool empty() const {
        return start.empty() && takeBack.empty() && stop.empty() && retry.empty() && finish.empty() &&
               granted.empty() && stopped.empty() && forgotten.empty();
    }
    void clear() {
        start.clear();
        takeBack.clear();
        stop.clear();
        retry.clear();
        finish.clear();
        granted.clear();
        stopped.clear();
        forgotten.clear();
    }
};

} // namespace yard::session
