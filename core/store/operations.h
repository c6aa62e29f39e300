// What can be asked of the journal, as values prepared by the engine, and the answers. Each operation is carried
// out whole or not at all; the operations of one group share one transaction (journal.h). No owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/store/bulk.h"
#include "core/store/idempotency.h"
#include "core/store/object_operations.h"
#include "core/store/rows.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace yard::store {

/// One action, or an array: `count` rows with consecutive LSNs from row.lsn and indices from row.arrayIndex, which
/// share the spec. The store sets row.arrayBase itself when `isArray`.
struct AcceptItem {
    PendingRow row;
    bool isArray = false;
    std::int64_t count = 1;
    std::int64_t before = 0;       ///< elements of the same array in parts before; the spec came with the first
    std::int64_t total = 0;        ///< of an array that comes in parts: all its elements; else 0
    std::string spec{};            ///< as posted (ParsedAction::text)
    std::vector<Hash256> chunks{}; ///< inputs: must be present, kept from now on
};

/// A large submission comes in parts, so that others get their turn in between. Until the one that `ends` it is
/// committed nobody but their poster sees anything of its rows, and a start removes them.
struct AcceptPart {
    LsnRun whole{}; ///< all LSNs of the submission, the same in each part
    bool begins = false;
    bool ends = false;
};

/// From now on the one is known as replaced by the other.
struct Replacement {
    Lsn old{};
    Lsn successor{};
    bool cancels = false; ///< and is to be cancelled, unless it has ended
};

/// A submission: all rows or none. Errors: NeedChunks (`need`), Invalid (`field` "after" with `index`: unknown
/// predecessor; "replaces": an unknown action; "Idempotency-Key": used with another body), WrongState (one to be
/// replaced was replaced already, by what is kept), Journal. A repeat with the same key and body succeeds
/// with AckDetail::repeated and the first answer; none of its rows exist.
struct Accept {
    std::vector<AcceptItem> items{};
    std::vector<LabelEntry> labels{}; ///< new ones; with the rows or not at all
    std::vector<ClassEntry> classes{};
    std::vector<Replacement> replaced{};      ///< of the whole, with the last part
    std::vector<FoldRun> folds{};             ///< each with the part that has its last row
    std::optional<Idempotency> idempotency{}; ///< looked for by the first part, kept by the last
    WallMicros now = 0;                       ///< wall time, ages idempotency keys
    std::optional<AcceptPart> part{};         ///< absent: it is the whole
    std::optional<SubmitEffect> effect{};     ///< looked for by the first part, carried out by the last
};

/// Removes rows of a submission whose parts did not all come: `rows` of it, at most kMostAtOnce.
struct UndoAccept {
    LsnRun rows{};
    Lsn whole{};       ///< its first LSN
    bool ends = false; ///< the last rows: nothing is left of it
};

/// The end for good. NotFound when the action is not pending in the journal.
struct Finish {
    Lsn lsn{};
    ActionState state = ActionState::Completed; ///< an end state
    Reason reason = Reason::None;
    WallMicros tEnd = 0;
    std::optional<AttemptRecord> attempt{}; ///< absent: it ended without a (further) attempt
    std::string note{};                     ///< when there is no attempt to carry one
    bool keepSpec = true; ///< false only for Completed and Cancelled: the posted text is forgotten
    std::vector<SmallChunk> chunks{};
    // counters as they are at the end; absent keeps those of the row
    std::optional<std::uint32_t> ownFailures{};
    std::optional<std::uint32_t> interruptions{};
};

/// An attempt ended and the action is pending again: both in one.
struct Retry {
    Lsn lsn{};
    AttemptRecord attempt;
    std::uint32_t retryCount = 0;
    std::uint32_t ownFailures = 0;
    std::uint32_t interruptions = 0;
    WallMicros tPending = 0;
    WallMicros notBefore = 0; ///< back-off; 0: none
    std::vector<SmallChunk> chunks{};
};

/// Changes a pending row. NotFound when it is not pending.
struct Update {
    Lsn lsn{};
    std::optional<bool> held{};
    std::optional<bool> cancelRequested{};
    std::optional<int> priority{};
    std::optional<QueueId> queue{};
    std::optional<WallMicros> notBefore{}; ///< clears `backoff`
};

/// Where pending actions stand in the order of their queue. Those that are not pending are passed over. At most
/// kMostAtOnce.
struct PlaceActions {
    std::vector<std::pair<Lsn, PlaceKey>> rows{};
};

/// The same change to many pending rows, each at most once; those that are not pending are passed over. At most
/// kMostAtOnce rows, so that other groups are not held up: the engine sends a large operation in parts.
struct UpdateMany {
    std::vector<LsnRun> runs{};
    BulkChange change{};
    std::int64_t op = 0;    ///< of the OpRow it is a part of; 0: none
    bool endsTheOp = false; ///< the last part: the OpRow goes with it, else its cursor moves past `runs`
};

/// The same end, without an attempt, of many pending actions. Those that are not pending are passed over. At most
/// kMostAtOnce.
struct FinishMany {
    std::vector<LsnRun> runs{};
    ActionState state = ActionState::Cancelled;
    Reason reason = Reason::None;
    WallMicros tEnd = 0;
};

/// Forgets a finished action. WrongState while it is pending, NotFound otherwise.
struct Retire {
    Lsn lsn{};
};

/// Reschedule: done -> pending. NotFound; WrongState when not Failed or Abandoned, when its spec is gone or when
/// retry_count is not `expectRetryCount`. Counts one retry, unless it never began since the last one, and lowers the queue's counter. What ended while it was
/// held is held again. The row as it is afterwards comes back in AckDetail::row.
struct Reopen {
    Lsn lsn{};
    WallMicros tPending = 0;
    std::optional<std::uint32_t> expectRetryCount{}; ///< what the caller decided upon
    std::optional<std::uint32_t> ownFailures{};      ///< absent: kept
    std::optional<std::uint32_t> interruptions{};
    std::vector<Edge> after{}; ///< what it waits for from then on; AckDetail::finished has those that ended
    WallMicros notBefore = 0;  ///< the action's own, when that is still to come
};

/// Gives actions a mark, None takes it away, in whatever state they are. Those that are not there are passed over:
/// AckDetail::marked. At most kMostAtOnce rows.
struct MarkActions {
    std::vector<LsnRun> runs{};
    Mark mark = Mark::None;
};
/// To those of an action, or of a queue when `lsn` is 0. NotFound when it is not there.
struct AddComment {
    Lsn lsn{};
    QueueId queue{};
    Comment comment{};
};

/// Writes everything but the counters.
struct PutQueue {
    QueueRow row;
};
/// Queue 0 stays: Invalid.
struct DropQueue {
    QueueId id{};
};
/// NeedChunks when a file of it is missing.
struct PutWorker {
    WorkerRow row;
};
struct DropWorker {
    Hash256 id{};
};
struct PutOp {
    OpRow row;
};
struct DropOp {
    std::int64_t id = 0;
};
struct PutChunk {
    SmallChunk chunk;
};
/// Forgets a small chunk whose bytes turned out to be wrong, so that it reads as missing.
struct DropChunk {
    Hash256 hash{};
};
/// Which finished actions are to go: up to `last` all below `below`, and those that ended before `endedBefore`; but
/// none that ended at `keptSince` or later.
struct ExpiredRows {
    WallMicros endedBefore = 0; ///< 0: none by their age
    Lsn below{};                ///< 0: none by their number
    WallMicros keptSince = 0;
    Lsn last{};
    bool covers(Lsn lsn, WallMicros end) const {
        return lsn <= last && end < keptSince && (lsn < below || end < endedBefore);
    }
};
/// Forgets finished actions that are outdated: looks at `most` rows from `from` on. AckDetail::swept.
struct RetireOutdated {
    ExpiredRows what{};
    Lsn from{};
    int most = 1'000;
};
/// From its commit on the writer notes each chunk that an operation refers to, until it is switched off.
struct ChunkMark {
    bool on = true;
};
/// Forgets those of these chunks that were not referred to since Marking{true} and are not recent.
/// AckDetail::swept. WrongState without marking, when more was noted than can be, or after `validUntil`.
struct DropUnused {
    std::vector<Hash256> chunks{};
    MonoTime validUntil{};
};
/// Moves up to 1 MiB of what is used of a pack into another one; once nothing is, the pack goes. AckDetail::swept
/// with `more` until then. NotFound; Io when it cannot be read.
struct CompactPack {
    std::int64_t pack = 0;
};
/// Gives up to so many free pages of the journal back to the file system. AckDetail::swept with `more` while a good
/// part of the file is free.
struct ShrinkJournal {
    int pages = 128;
};
/// One change of a document: its new body, or none to remove it.
struct DocumentChange {
    std::string kind{}; ///< 1 to 32 of a-z and _
    std::string name{}; ///< 1 to 256 bytes
    std::optional<std::string> body{};
};
/// Small durable things of all kinds (a schedule, a join token), by kind and name: all of the changes or none. At
/// most kMostDocumentChanges, bodies of at most kMaxDocument bytes. What is removed need not be there.
struct PutDocuments {
    std::vector<DocumentChange> changes{};
};
inline constexpr std::size_t kMostDocumentChanges = 10'000;
inline constexpr std::size_t kMaxDocument = 1u << 20;
/// A new block, its end on the disk before the answer (AckDetail::lsns). `count` at least 1; blocks are 100,000 or
/// more.
struct ReserveLsns {
    std::int64_t count = 1;
};

using Action = std::variant<Accept, UndoAccept, Finish, Retry, Update, UpdateMany, FinishMany, Retire, Reopen,
                            PutQueue, DropQueue, PutWorker, DropWorker, PutOp, DropOp, PutChunk, DropChunk,
                            RetireOutdated, ChunkMark, DropUnused, CompactPack, ShrinkJournal, ReserveLsns,
                            MarkActions, AddComment, PlaceActions, PutDocuments, PutObjectType, DropObjectType,
                            CreateObjects, ClaimObjects, MoveObject, WakeObjects, DropEffect, DropObjects>;

struct Operation {
    std::uint64_t tag = 0;  ///< the poster's, comes back in the Ack
    bool unhurried = false; ///< nobody waits: may linger up to 10 ms for company
    Action action;
};

/// Finish, FinishMany and Retry: never refused for want of room, kept in memory while the journal cannot be
/// written.
bool isResult(const Action& action);
/// A step of clearing up: nobody waits for it but who goes on with the next.
bool isUpkeep(const Action& action);
/// Rows it adds to `pending` (submissions), what it costs to write in rows, and its rough size in memory.
std::int64_t rowCount(const Action& action);
std::int64_t costInRows(const Action& action);
std::size_t footprint(const Action& action);
/// Refuses what cannot be right, before it gets near a group: Invalid.
Result<void> validate(const Action& action);

/// A finished predecessor of an accepted action.
struct FinishedState {
    Lsn lsn{};
    ActionState state = ActionState::Completed;
};

/// What a step of clearing up did.
struct SweepResult {
    std::int64_t gone = 0;  ///< actions, chunks or packs
    std::int64_t bytes = 0; ///< as they lay on the disk
    std::int64_t kept = 0;  ///< chunks: recent, or referred to meanwhile
    bool more = false;
    Lsn next{};                              ///< RetireOutdated: to go on from
    std::vector<std::pair<Lsn, Lsn>> runs{}; ///< RetireOutdated: first and last of those that went
};

struct AckDetail {
    std::optional<Error> error{}; ///< set: nothing of the operation happened
    bool repeated = false;        ///< Accept, CreateObjects: the key was known; `answer` is the first answer
    std::string answer{};
    std::vector<FinishedState> finished{}; ///< Accept, Reopen: predecessors that have already ended
    std::optional<PendingRow> row{};       ///< Reopen
    LsnBlock lsns{};                       ///< ReserveLsns
    std::optional<SweepResult> swept{};
    std::vector<std::int64_t> objects{}; ///< CreateObjects: each; ClaimObjects, MoveObject: those that did not swap
    std::int64_t marked = 0;             ///< MarkActions: how many there are of those that were named
};

/// Answer to one operation. No detail: it is committed and there is nothing more to say.
struct Ack {
    std::uint64_t tag = 0;
    std::unique_ptr<AckDetail> detail{};
    bool ok() const { return !detail || !detail->error; }
};

/// Answers of one group, in the order posted. `writable` false: results are kept in memory, submissions get
/// Journal, nothing new should start. Also delivered, without acks, when only `writable` changed.
struct Acks {
    std::vector<Ack> acks{};
    bool writable = true;
    std::string failure{}; ///< while it is not writable: why, and what to do
};

} // namespace yard::store
