// Private to core/store: carries operations out inside a transaction of the one writing connection. Store thread
// only. What an operation adds besides rows (queue counters, the ring of recent ends, packed chunks) is gathered
// per group and written by commit(), so a rollback, also to a savepoint, drops it with the rows.
#pragma once

#include "core/base/owner.h"
#include "core/store/chunk_files.h"
#include "core/store/database.h"
#include "core/store/operations.h"
#include "core/store/schema.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace yard::store {

class JournalWriter {
public:
    /// Prepares all statements. `database` and `files` outlive it.
    static Result<std::unique_ptr<JournalWriter>> create(Database& database, ChunkFiles& files);

    /// What became of one operation. rc is SQLITE_OK also when it was refused (detail->error): nothing was written
    /// then. Another rc: something may have been written, roll back.
    struct Applied {
        int rc = SQLITE_OK;
        std::unique_ptr<AckDetail> detail;

        static Applied refused(Error error);
        static Applied refused(ErrorKind kind, std::string message);
    };

    int begin();
    /// `packLarge`: small chunks over 4 KiB of this group go into one pack file.
    void packLarge(bool on) { packing_ = on; }
    Applied apply(const Action& action);
    /// Writes what was gathered, then commits. Not OK: roll back.
    int commit();
    void rollback();
    /// One operation of a replay: released when kept, else everything since is dropped.
    int savepoint();
    int endSavepoint(bool keep);

    /// A transaction that writes something without meaning: can the journal be written (again)?
    int probe();
    /// The next thread to use it is the owner.
    void releaseOwner() const { owner_.release(); }

    /// At a start: carries out what is left of operations on many actions, in one transaction. Returns how many
    /// there were.
    Result<int> finishOps(const std::vector<OpRow>& ops);

    /// At a start: removes what there is of submissions whose parts did not all come. Returns how many there were.
    Result<int> undoUnfinished();

    /// Forgets idempotency keys older than a day, at most 1,000 and those over a million. In a transaction of its
    /// own.
    int pruneIdempotency(WallMicros now);

private:
    /// done.state Completed … Cancelled, as differences.
    using CounterDelta = std::array<std::int64_t, 4>;
    struct Group {
        std::map<std::int64_t, CounterDelta> counters;
        std::vector<Lsn> finished;
        std::int64_t doneRemoved = 0; ///< rows of `done`; `finished` are those that came
        std::string pack;
        std::int64_t packId = 0;
        bool moves = false;                   ///< `pack` has what was on the disk elsewhere
        std::vector<std::int64_t> emptyPacks; ///< their files go after the commit
    };
    /// The columns of a pending row that its end copies.
    struct PendingColumns {
        std::int64_t queue, classNumber, label, priority, flags, tNew;
        std::optional<std::int64_t> pending, arrayBase, arrayIndex;
        std::int64_t attempts, retryCount, ownFailures, interruptions;
        std::string name, id;
    };

    JournalWriter(Database& database, ChunkFiles& files)
        : database_(database)
        , files_(files) {}
    Result<void> prepareRows();
    Result<void> prepareRest();
    Result<void> prepareSweep();
    Result<void> prepareMany();
    Result<void> loadRecent();

    Applied on(const Accept& accept);
    Applied on(const UndoAccept& undo);
    Applied on(const Finish& finish);
    Applied on(const Retry& retry);
    Applied on(const Update& update);
    Applied on(const UpdateMany& update);
    Applied on(const FinishMany& finish);
    Applied on(const Retire& retire);
    Applied on(const Reopen& reopen);
    Applied on(const PutQueue& put);
    Applied on(const DropQueue& drop);
    Applied on(const PutWorker& put);
    Applied on(const DropWorker& drop);
    Applied on(const PutOp& put);
    Applied on(const DropOp& drop);
    Applied on(const PutChunk& put);
    Applied on(const DropChunk& drop);
    Applied on(const RetireOutdated& retire);
    Applied on(const Marking& marking);
    Applied on(const DropUnused& drop);
    Applied on(const CompactPack& compact);
    Applied on(const ShrinkJournal& shrink);
    Applied on(const PutMeta& put);
    Applied on(const ReserveLsns& reserve);

    // parts of accepting; true: `applied` is the answer
    bool answeredBefore(const Idempotency& idempotency, WallMicros now, Applied& applied);
    bool lacksChunks(std::span<const Hash256> chunks, Applied& applied);
    bool lacksArray(Lsn base, std::size_t index, Applied& applied);
    bool lacksPredecessor(const Accept& accept, Applied& applied);
    int markPart(const AcceptPart& part);
    int removeRows(const LsnRun& rows);
    int insertItem(const AcceptItem& item);
    int insertRows(const AcceptItem& item);
    int insertDictionary(const Accept& accept);

    int readPending(Lsn lsn, std::optional<PendingColumns>& columns);
    int insertDone(const Finish& finish, const PendingColumns& row);
    int putAttempt(Lsn lsn, const AttemptRecord& attempt);
    int putChunks(const std::vector<SmallChunk>& chunks);
    int putChunk(const SmallChunk& chunk);
    /// SQLITE_ROW: there; SQLITE_DONE: not; else an error.
    int findChunk(const Hash256& hash);
    static int stepToChunk(Selecting& found, const Hash256& hash);
    int dropDamaged(const SmallChunk& chunk);
    /// The row that was found has these bytes.
    bool isWhole(const Selecting& found, std::string_view bytes) const;
    int forgetSpec(Lsn lsn, std::optional<std::int64_t> arrayBase);
    /// The specifications of these, and for whom they were to wait.
    int forgetSubmitted(std::int64_t first, std::int64_t last);
    void count(std::int64_t queue, ActionState state, std::int64_t by);
    Applied notFound(Lsn lsn);

    // clearing up (journal_sweep.cpp)
    /// A row of `done` that goes, with others that follow it and belong to the same array, or to none.
    struct Run {
        std::int64_t first, last;
        std::optional<std::int64_t> arrayBase;
    };
    int findOutdated(const RetireOutdated& retire, std::vector<Run>& runs, Swept& swept);
    int retireRun(const Run& run);
    int dropUnused(const Hash256& hash, Swept& swept);
    struct Packed {
        std::int64_t id, at, size;
    };
    int readPack(std::int64_t pack, std::vector<Packed>& live);
    Result<void> readLive(std::int64_t pack, const std::vector<Packed>& live, std::string& bytes) const;
    /// Whatever refers to a chunk from now on is noted while somebody looks for those that nothing refers to.
    void note(std::span<const Hash256> chunks);
    void note(const AttemptRecord& attempt);
    void note(const ChunkRef& chunk) { note(std::span(&chunk.hash, 1)); }
    int beginPack();

    int updateRun(const LsnRun& run, const BulkChange& change);
    int writeCounters();
    int writeRecent();
    int writePack();

    Database& database_;
    ChunkFiles& files_;
    OwnerCheck owner_;
    Group group_;
    Group atSavepoint_;
    bool packing_ = false;
    std::int64_t lastPackId_ =
        0; ///< numbers of packs are not used twice while we live: the file goes after the row
    bool marking_ = false;
    bool notedTooMany_ = false;
    std::unordered_set<std::int64_t> noted_;                             ///< keyOf(), since marking began
    std::array<Lsn, std::size_t{kRecentRows} * kRecentPerRow> recent_{}; ///< committed
    std::uint64_t recentCount_ = 0;

    Statement begin_, commit_, rollback_, savepoint_, release_, rollbackTo_;
    Statement insertPending_, selectPending_, deletePending_, updatePending_, retryPending_, pendingExists_;
    Statement beginAccepting_, endAccepting_, accepting_, undoPending_, undoArray_;
    Statement insertRun_, updateRun_, queuesOfRun_, finishRun_, deleteRun_, moveOp_;
    Statement insertDone_, selectDone_, doneState_, deleteDone_, reopenRow_, attemptFromDone_;
    Statement insertDependent_, deleteDependents_;
    Statement insertSpec_, deleteSpec_, specExists_, insertArray_, releaseArray_, arrayLive_, deleteArray_;
    Statement putAttempt_, deleteAttempts_;
    Statement findChunk_, insertBlob_, deleteBlob_, insertPack_, lastPack_;
    Statement scanDone_, deleteDoneRun_, deleteSpecRun_, releaseArrayBy_, countFinished_;
    Statement blobSize_, packedBlobs_, movePacked_, packSize_, deletePack_, freePages_, allPages_;
    Statement insertLabel_, insertClass_, findIdem_, insertIdem_, deleteIdem_, pruneIdem_;
    Statement putQueue_, deleteQueue_, raiseLastQueue_, countQueue_;
    Statement putWorker_, deleteWorker_, putOp_, deleteOp_, putMeta_, getMeta_, putRecent_;
};

} // namespace yard::store
