// Rows of the journal as values: what the engine hands to the store and gets back at a start. Any thread; no owner.
// Enum numbers that reach the database are append-only. 0 means absent for times, LSNs and labels.
#pragma once

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/model/action_spec.h"
#include "core/model/annotation.h"
#include "core/model/fold.h"
#include "core/model/place_key.h"
#include "core/model/queue.h"
#include "core/model/result.h"
#include "core/model/states.h"
#include "core/store/bulk.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yard::store {

/// Dense integers that the engine gives out, from 1; label 0 is "no label". A number is never reused for other
/// text.
using ClassNumber = std::uint32_t;
using LabelNumber = std::uint32_t;

/// Chunks up to this size live in the database.
inline constexpr std::size_t kSmallChunk = 16u << 10;

/// One `after` of an action. `state` is filled in by the store when rows are restored: Pending while the
/// predecessor is not finished for good, its end state once it is, New when it is no longer known (retired).
/// One of a whole array has its elements instead of a state: those that are not finished are Pending.
struct Edge {
    Lsn lsn{};
    DependencyOn on = DependencyOn::Completed;
    ActionState state = ActionState::Pending;
    std::int64_t count = 0; ///< of an array: its elements, from `lsn` on
    std::int64_t failed = 0;
    std::int64_t other = 0; ///< abandoned or cancelled
    Lsn otherwise{};        ///< one of those that failed, were abandoned or cancelled
};
/// Elements that ended otherwise than completed are counted up to so many.
inline constexpr std::size_t kMostOtherwise = 1'000;

/// A finished action that failed because what it waited for ended otherwise.
struct FailedDependent {
    Lsn lsn{};
    QueueId queue{};
    ClassNumber classNumber = 0;
};

/// A small durable thing of the engine's (PutDocuments).
struct DocumentRow {
    std::string kind{};
    std::string name{};
    std::string body{};
};

/// An action that is not finished. Submitting and Running are not in the journal: such a row is pending.
struct PendingRow {
    Lsn lsn{};
    QueueId queue{};
    ClassNumber classNumber = 0;
    LabelNumber label = 0;
    std::int16_t priority = 0;
    bool held = false;
    bool cancelRequested = false; ///< ends Cancelled after a restart
    bool backoff = false;         ///< notBefore is a retry's back-off, not the action's own not_before
    WallMicros tNew = 0;
    WallMicros tPending = 0;
    WallMicros notBefore = 0;
    Lsn arrayBase{};             ///< first LSN of the array this belongs to; 0: none
    std::int64_t arrayIndex = 0; ///< its {index} when arrayBase is set
    std::uint32_t attempts = 0;  ///< attempts that ended; the next one is attempts + 1
    std::uint32_t retryCount = 0;
    std::uint32_t ownFailures = 0;
    std::uint32_t interruptions = 0;
    std::optional<PlaceKey> place{}; ///< where it was moved to by hand; only restored, written by PlaceActions
    std::vector<Edge> after{};
    std::string id{}; ///< of its list; only written, never restored
    std::string
        command{}; ///< ActionResult::command, of an array with "{index}" in it; only written, never restored
};

/// Text of a label or class number, committed with the first row that uses it. One that is there already is left as
/// it is: two submissions under way may both bring it.
struct LabelEntry {
    LabelNumber number = 0;
    std::string text{};
};
struct ClassEntry {
    ClassNumber number = 0;
    std::string text{}; ///< canonical JSON, the engine's own business
    std::string workerId{};
    std::string workerName{};
    std::string function{};
};

/// A queue without its live counts. Counters are kept by the store: engine writes of a queue leave them alone.
struct QueueRow {
    QueueId id{};
    std::string token{};
    std::string tag{};
    QueueState state = QueueState::Active;
    bool held = false;
    std::string config{}; ///< JSON of QueueConfig
    WallMicros created = 0;
    Mark mark = Mark::None;
    std::int64_t failedBefore = 0; ///< of counters.failed: do not count towards stop_after_failures
    bool deleting = false;         ///< goes with the end of its last action; once written it stays so
    QueueCounters counters{};      ///< only completed, failed, abandoned, cancelled; read, never written from here
};

struct WorkerRow {
    Hash256 id{};
    std::string canonical{}; ///< the descriptor as hashed
    WallMicros registered = 0;
    std::vector<Hash256> chunks{}; ///< its files: kept while the worker is registered
};

/// An operation on many actions, carried out by the engine in parts and deleted at its end. What is left of one
/// when the engine dies is carried out by the next start (Store::restore).
struct OpRow {
    std::int64_t id = 0; ///< increasing; the engine's
    std::string body{};  ///< toText() of a BulkOp
    Lsn last{};          ///< the last LSN it covers
    Lsn cursor{};        ///< carried out up to here
};

/// Actions that follow each other and have one mark.
struct MarkedRun {
    LsnRun lsns{};
    Mark mark = Mark::None;
};

struct CommentRow {
    Lsn lsn{};       ///< 0: it is of a queue
    QueueId queue{}; ///< when it is of no action
    Comment comment{};
};

/// An array, or single actions of a posted list that follow each other; two actions at least.
struct FoldRun {
    LsnRun lsns{};
    FoldKind kind = FoldKind::Array;
};
/// The same with what became of its actions. Those that neither ended nor are gone are pending in the journal.
struct FoldRow {
    LsnRun lsns{.first = {}, .count = 0}; ///< count 0: there is none
    FoldKind kind = FoldKind::Array;
    EndCounts ended{};
    std::int64_t gone = 0;  ///< forgotten
    WallMicros started = 0; ///< of the attempts that ended the first start; 0: none began
};

/// LSNs [first, end) that belong to this run of the engine. Their end is on the disk.
struct LsnBlock {
    Lsn first{};
    Lsn end{};
};

/// A chunk of at most kSmallChunk bytes, written with the operation that names it.
struct SmallChunk {
    Hash256 hash{};
    std::string bytes{};
};

} // namespace yard::store
