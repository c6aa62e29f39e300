// Private to core/store: the door of the writer: the transactions of the one writing connection, and which part
// (writer/) carries an operation out. Store thread only.
#pragma once

#include "core/base/owner.h"
#include "core/store/operations.h"
#include "core/store/writer/acceptance.h"
#include "core/store/writer/bulk_changes.h"
#include "core/store/writer/document_rows.h"
#include "core/store/writer/endings.h"
#include "core/store/writer/free_pages.h"
#include "core/store/writer/meta_rows.h"
#include "core/store/writer/object_rows.h"
#include "core/store/writer/registrations.h"
#include "core/store/writer/retirement.h"

#include <memory>
#include <vector>

namespace yard::store {

/// Purpose: owns the parts, in the order in which they stand on each other, and begins and ends groups. A part
/// knows only parts before it.
///
/// Lifetime: from Store::open() to the end of the store thread; the connection and ChunkFiles outlive it. Whoever
/// opens the store owns it until releaseOwner(), then the store thread; the parts share its owner.
/// Invariant: what an operation adds besides rows (queue counters, the ring of recent ends, packed chunks) is
/// gathered per group by EndTally and PackWriter and written by commit(), so a rollback, also to a savepoint, drops
/// it with the rows.
class JournalWriter {
public:
    /// Prepares all statements. `database` and `files` outlive it.
    static Result<std::unique_ptr<JournalWriter>> create(Database& database, ChunkFiles& files);

    int begin();
    /// Small chunks over 4 KiB of this group go into one pack file.
    void packLarge(bool on) { packs_.packLarge(on); }
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

    /// Forgets old idempotency keys (IdempotencyKeys::prune). In a transaction of its own.
    int pruneIdempotency(WallMicros now) { return keys_.prune(now); }

private:
    JournalWriter(Database& database, ChunkFiles& files);
    /// The code as an error, after a rollback.
    std::unexpected<Error> failed(int rc);

    Database& database_;
    OwnerCheck owner_;
    StatementMaker statements_; ///< of all parts
    // what a group gathers
    FoldRows folds_;
    EndTally tally_;
    PackWriter packs_;
    // tables that several matters need
    ReferenceNotes notes_;
    ChunkRows chunks_;
    ActionRows actions_;
    AttemptRows attempts_;
    SpecRows specs_;
    ReplacedRows replaced_;
    AnnotationRows annotations_;
    IdempotencyKeys keys_;
    ObjectRows objects_;
    // what operations are about
    Acceptance acceptance_;
    Endings ends_;
    BulkChanges many_;
    Retirement retirement_;
    Registrations registrations_;
    MetaRows meta_;
    DocumentRows documents_;
    FreePages freePages_;

    Statement begin_, commit_, rollback_, savepoint_, release_, rollbackTo_;
};

} // namespace yard::store
