// Figures for /metrics: what the engine counted since its start, and how it stands. Values.
#pragma once

#include "core/engine/state/views.h"
#include "core/history/histogram.h"
#include "core/model/states.h"
#include "core/store/journal.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::engine {

/// Counted on the engine thread as things happen.
struct EngineCounters {
    std::uint64_t submitted = 0; ///< actions, array elements each
    std::uint64_t submissions = 0;
    std::uint64_t refusedSubmissions = 0;
    std::uint64_t started = 0; ///< attempts, once their process runs
    /// Actions by final state and reason, once the journal has them.
    std::array<std::array<std::uint64_t, kReasons>, kActionStates> finished{};
    /// Attempts that were followed by another one, by reason.
    std::array<std::uint64_t, kReasons> retried{};
    std::uint64_t retired = 0;       ///< finished actions that retention took
    std::uint64_t chunksDropped = 0; ///< by it
    std::uint64_t chunkBytesDropped = 0;
    std::uint64_t stoppedForMemory = 0;
    std::uint64_t orphansReaped = 0; ///< directories of attempts that nobody owned
    std::uint64_t staleLocks = 0;    ///< files of locks whose holder died
    history::Histogram submit;       ///< a submission's arrival to its commit
    history::Histogram wait;         ///< an action's submission to its first attempt
    history::Histogram prepare;      ///< Submitting to Running
    history::Histogram run;          ///< Running to the end, with its outputs kept
    history::Histogram commit;       ///< a result's way to the journal
};

struct QueueDepth {
    QueueId id;
    std::int64_t pending = 0;
    std::int64_t running = 0;
};

/// Of objects that have states (docs/objects.md).
struct ObjectFigures {
    struct Type {
        std::string name;
        std::vector<std::pair<std::string, std::uint64_t>> byStatus; ///< all of its states
        std::uint64_t due = 0;                                       ///< in the queue of its actors
        std::uint64_t actors = 0;
    };
    struct Hook {
        std::string name;
        std::string_view kind; ///< "program", "plugin": one of each may have the same name
        std::uint64_t runs = 0;
        std::uint64_t failed = 0;
        std::uint64_t dropped = 0; ///< events that it was not told
    };
    std::vector<Type> types;   ///< by name
    std::uint64_t orphans = 0; ///< due, and nobody looks at them
    std::uint64_t stuck = 0;   ///< retried too often
    std::uint64_t effects = 0; ///< of moves, not carried out yet
    std::vector<Hook> hooks;
};

struct MetricsView {
    EngineCounters counters;
    SessionView session;
    std::int64_t held = 0;
    std::vector<QueueDepth> queues; ///< all, in order
    store::Store::Stats store;
    std::uint64_t uncommittedResults = 0;
    std::uint64_t helperBacklog = 0;
    std::uint64_t attemptsInFlight = 0;
    std::uint64_t locksHeld = 0;      ///< by actions of ours
    std::uint64_t locksWaitedFor = 0; ///< by something that would start but for them
    std::uint64_t hung = 0;           ///< running actions without output and processor time
    // warm processes
    std::uint64_t poolProcesses = 0;
    std::uint64_t poolBusy = 0;
    std::uint64_t poolSpawned = 0;
    std::uint64_t poolSpawnFailures = 0;
    std::uint64_t poolCrashes = 0;
    std::uint64_t poolRequests = 0;
    std::uint64_t poolElsewhere = 0; ///< requests given to another process
    std::uint64_t sessionBytes = 0;
    std::uint64_t specCacheBytes = 0;
    std::uint64_t revision = 0; ///< of the change feed
    std::uint64_t loopWakeups = 0;
    std::uint64_t loopSwitches = 0;
    ObjectFigures objects;
};

} // namespace yard::engine
