// A queue inside the session: configuration, counters and its place in the order. Private; owner: engine thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/queue.h"
#include "core/session/grow_array.h"
#include "core/session/label_gates.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace yard::session {

/// Counters as the journal has them, and what of them is on its way there. In an abandoned session everything that
/// is active and not closing is visibly Abandoned already.
struct Tally {
    QueueCounters stored;
    std::int64_t closingPending = 0; ///< pending with a Finish under way that is not the session's
    std::int64_t closingRunning = 0;

    QueueCounters visible(bool sessionAbandoned) const {
        QueueCounters c = stored;
        if (sessionAbandoned) {
            c.pending = closingPending;
            c.running = closingRunning;
            c.abandoned += stored.active() - closingPending - closingRunning;
        }
        return c;
    }
};

/// The lanes of one queue whose actions need the same resources. A lane that has entries is in the first two heaps,
/// unless it waits for a lock.
struct QueueShape {
    std::uint32_t shape = 0;
    std::uint32_t blocked = 0;             ///< lanes of it that wait for a lock, in neither heap
    bool listed = false;                   ///< has an entry in the heap of queues of its shape
    GrowArray<std::uint32_t> byKey;        ///< lanes by their first action: priority, then age
    GrowArray<std::uint32_t> byAge;        ///< the same lanes by the age of their first action
    GrowArray<std::uint32_t> blockedByAge; ///< of those that wait for a lock: which may get the turn of the oldest
};

struct Queue {
    QueueId id;
    QueueConfig config;
    QueueState state = QueueState::Active;
    bool held = false;
    bool yields = false;     ///< starts nothing for the sake of a person at the machine
    bool forgetting = false; ///< deleted: known until nothing of it is active
    bool gone = false;       ///< no longer known; its place is free again when nothing refers to it
    Tally tally;
    std::int64_t waiting = 0;     ///< records in phase Waiting
    std::int64_t heldActions = 0; ///< pending and held by themselves
    std::int64_t records = 0;     ///< of any phase, dead ones too
    std::int32_t outstanding = 0;
    std::int32_t ahead = 0; ///< of outstanding: leased ahead
    int lowestAhead = 101;  ///< least priority leased ahead since there was none
    int arrived = -101;     ///< highest priority that came while something was leased ahead; see Entrance
    double averageRun = 0;  ///< microseconds, moving; 0: none ended yet

    double virtualTime = 0;
    double credit = 0;          ///< of starts that were given back, against the next ones
    std::uint32_t starts = 0;   ///< each 16th goes to the oldest
    std::uint32_t turns = 0;    ///< waiting ones whose turn is kept
    std::uint32_t listings = 0; ///< shapes in whose heap it has an entry
    std::uint32_t jobs = 0;     ///< large operations that name it
    std::vector<QueueShape> shapes;
    std::unique_ptr<LabelGates> gates; ///< limits by label; null: none
    bool openingListed = false;        ///< in the list of Entrance
    std::int64_t failing = 0;          ///< ended failed, on their way into the journal
    std::int64_t failedBefore = 0;     ///< tally.stored.failed when failures were last counted from nothing

    /// One of its attempts took so long.
    void learnRunTime(Duration time) {
        if (time.count() < 0) return;
        const auto took = std::max(1.0, static_cast<double>(time.count()));
        averageRun = averageRun == 0 ? took : averageRun + (took - averageRun) / 8;
    }
    /// Those that ended failed, stored or not, since they were last counted from nothing.
    std::int64_t failuresSinceRelease() const { return failuresInAll() - failedBefore; }
    std::int64_t failuresInAll() const { return tally.stored.failed + failing; }
    /// May start something, as far as the queue goes.
    bool eligible() const {
        return !held && !yields && state != QueueState::Cancelled &&
               (config.maxRunning == 0 || outstanding < config.maxRunning);
    }
};

} // namespace yard::session
