// What a session is made with, and what it says of itself when asked (session.h). Values, no owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/place_key.h"
#include "core/model/queue.h"
#include "core/model/states.h"
#include "core/session/capacity.h"
#include "core/session/messages.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace yard::session {

struct SessionOptions {
    int slotCount = 1; ///< places of the runner for what takes one core: the cores of the capacity, at least 1
    int sharedSlots = 1'024;    ///< places for what takes another amount; one action each
    int aheadPerSlot = 8;       ///< leases beyond the capacity, per slot; 0: none
    Duration aheadBelow{5'000}; ///< only in queues whose average run time is below this
    int maxOutstanding = 1'024; ///< handed out and not ended, whatever their resources; then nothing starts
    int maxKeeping = 32;        ///< beside those: see keeping()
    std::uint64_t seed = 1;     ///< of the jitter of back-offs
};

/// A live action as others see it: pending, submitting or running, or ended and not stored yet.
struct LiveView {
    Lsn lsn;
    QueueId queue;
    ClassId cls;
    LabelId label;
    ActionState state = ActionState::Pending; ///< Pending, Submitting, Running; Abandoned in an abandoned session
    bool held = false;
    bool leased = false;  ///< pending, but handed to a runner already
    bool keeping = false; ///< running, and its resources are given back: see keeping()
    bool cancelRequested = false;
    int unmet = 0;                     ///< actions it waits for
    std::optional<ActionState> ending; ///< its end is on its way to the journal: what it will be
    MonoTime wakesAt{};                ///< end of back-off or not_before; the epoch: none
    bool backoff = false;              ///< wakesAt is a back-off (`retry_at`)
    std::uint32_t attempt = 0;         ///< the current one, or how many there were
    RetryCounters retries;
    int priority = 0;
    std::int64_t submitTime = 0;
    PlaceKey place;             ///< in the order of its queue, within its priority
    std::uint32_t revision = 0; ///< changes whenever something visible of the action does
};

/// A finished action somebody wants to run again; the engine reads it from the journal.
struct FinishedAction {
    Lsn lsn;
    QueueId queue;
    ActionState state = ActionState::Failed;
    Reason reason = Reason::None;
    RetryCounters retries;
    RetryLimits limits;
};

/// What stands between a pending action and its start.
struct Waiting {
    struct Limit {
        int most = 0;
        int running = 0;
    };
    struct Position {
        std::int64_t before = 0; ///< actions of its queue that come first
        bool isExact = true;     ///< below a thousand or so
    };
    /// A lock that it claims and cannot have now.
    struct Lock {
        LockId lock;
        Lsn holder{};           ///< of ours; 0: none
        bool elsewhere = false; ///< another engine has it; neither: it is kept for one that claims several
    };
    bool held = false;               ///< by itself
    bool queueHeld = false;          ///< its queue is
    bool queueYields = false;        ///< its queue starts nothing for the sake of a person at the machine
    std::int64_t failures = 0;       ///< because of so many failures; 0: by hand
    bool sessionHolds = false;       ///< nothing starts in this state of the session
    bool starting = false;           ///< a runner has it already
    int unmet = 0;                   ///< actions it waits for
    MonoTime wakesAt{};              ///< the epoch: no timer
    bool backoff = false;            ///< wakesAt is the end of a back-off, else not_before
    std::optional<Limit> queueLimit; ///< max_running is reached
    std::optional<Limit> labelLimit; ///< that of its label is
    LabelId label;
    ClassId cls;
    std::vector<Lock> locks;
    std::vector<ResourceNeed> needs;
    std::vector<fleet::WhyNot> machines; ///< where there are several, or this is not one: why each does not take it
    bool reservedForLarger = false;      ///< what it needs is kept for something that was passed over
    Lsn keptFor{};                       ///< for this one
    bool isOneCore = false;              ///< it goes to a slot of the cores
    bool noSlot = false;                 ///< the runner has no place for another one that is not one core
    std::optional<Position> position;    ///< absent: it does not wait in line, or was not asked for
};

/// Why resources that hold() was asked for are not there yet. Enough of each, nothing kept, behind nobody: they are
/// about to be given.
struct HoldWait {
    std::vector<ResourceNeed> needs;
    bool isKept = false;           ///< what it needs is kept for something that was passed over
    Lsn keptFor{};                 ///< for this one
    std::optional<HoldKey> behind; ///< who asked first, for more than there is
};

/// Who has some of a resource of the machine.
struct ResourceHolder {
    Lsn lsn{};                     ///< an action that runs
    std::optional<HoldKey> hold{}; ///< instead: what hold() took it for
    double amount = 0;             ///< as in ResourceNeed
};

/// A lock that is held, here or elsewhere, or waited for.
struct LockStatus {
    LockId lock;
    Lsn holder{}; ///< of ours; 0: none
    bool elsewhere = false;
    std::vector<Lsn> waiting; ///< pending ones that claim it, lowest first
    bool hasMore = false;     ///< more than asked for wait
};

struct QueueStatus {
    QueueState state = QueueState::Active;
    bool held = false;
    bool forgetting = false; ///< deleted, waits for its last actions to end
    QueueCounters counters;
    std::int64_t failedBefore = 0; ///< of counters.failed: before the queue was last released, or told when to stop
    std::int64_t heldActions = 0;  ///< of counters.pending: held by themselves
};

/// Where a queue is among the others: its virtual time, and how much it started.
struct QueueTurns {
    QueueId queue;
    double virtualTime = 0;
    std::uint32_t starts = 0;
};

struct SessionCounts {
    QueueCounters
        all; ///< summed over all queues since the start of this session, finished ones of forgotten queues too
    std::int64_t submitting = 0; ///< part of all.running
    std::int64_t held = 0; ///< part of all.pending: actions held by themselves (their queue's hold not counted)
    std::int64_t backingOff = 0;  ///< part of all.pending: those that failed and wait for their next attempt
    std::int64_t outstanding = 0; ///< handed out, resources not given back yet
    std::uint64_t starts = 0;
    std::uint64_t ignoredEvents = 0; ///< of older attempts or unknown actions
    std::uint64_t lanesWoken = 0;    ///< so often something that waited for a lock was looked at again
};

/// How many actions one waits for, of arrays each element that has not ended. Where a few hundred looks are not enough
/// to find out, an array counts as one.
struct Unmet {
    std::int64_t count = 0;
    bool isExact = true;
};

/// A lock that another engine has.
struct LockElsewhere {
    LockId id;
    bool isWaitedFor = false; ///< something here would start but for it
};

} // namespace yard::session
