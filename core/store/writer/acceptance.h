// Private to core/store: accepts submissions, whole or in parts, and takes back those whose parts did not all come.
// The writer's thread.
#pragma once

#include "core/store/writer/chunk_rows.h"
#include "core/store/writer/fold_rows.h"
#include "core/store/writer/idempotency_keys.h"
#include "core/store/writer/object_rows.h"
#include "core/store/writer/replaced_rows.h"
#include "core/store/writer/spec_rows.h"

#include <vector>

namespace yard::store {

/// Purpose: looks whether a submission can be accepted, then writes its rows. Owns the tables `accepting`,
/// `dict_label` and `dict_class`, and writes new rows of `pending`.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and the parts below outlive it.
/// Invariants: everything is looked for before the first row is written, so a refusal leaves nothing. While a range
/// is in `accepting`, its rows are nobody's: the part that ends the submission, or UndoAccept, takes it out.
class Acceptance {
public:
    /// What it stands on.
    struct Below {
        ActionRows& actions;
        SpecRows& specs;
        ReplacedRows& replaced;
        ChunkRows& chunks;
        IdempotencyKeys& keys;
        FoldRows& folds;
        ObjectRows& objects;
    };

    Acceptance(StatementMaker& sql, const Below& below);

    Applied apply(const Accept& accept);
    Applied apply(const UndoAccept& undo);

    /// At a start: submissions of which not all parts came. SQLite's codes.
    int findUnfinished(std::vector<LsnRun>& wholes);
    int undo(const LsnRun& whole);

private:
    /// True: `applied` is the answer.
    bool refuses(const Accept& accept, Applied& applied);
    bool isCarriedOut(const Accept& accept, Applied& applied);
    bool lacksPredecessor(const Accept& accept, Applied& applied);
    bool lacks(const Edge& edge, std::size_t item, Applied& applied);
    int write(const Accept& accept);
    int markPart(const AcceptPart& part);
    int insertDictionary(const Accept& accept);
    int insertItem(const AcceptItem& item);
    int insertRows(const AcceptItem& item);
    int removeRows(const LsnRun& rows);

    const OwnerCheck& owner_;
    const Below below_;
    Statement insertPending_, insertRun_, deletePending_;
    Statement beginAccepting_, endAccepting_, accepting_;
    Statement insertLabel_, insertClass_;
};

} // namespace yard::store
