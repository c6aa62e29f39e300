// Private to core/store: the same change, or the same end, of many pending actions, and what is left to do of such
// an operation. The writer's thread.
#pragma once

#include "core/store/writer/applied.h"
#include "core/store/writer/end_tally.h"

#include <vector>

namespace yard::store {

/// Purpose: owns the table `op`, and changes many rows of `pending` by few statements: a statement for each row
/// costs three times as much.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and `tally` outlive it.
/// Invariant: the row of an operation is there as long as a part of it is not committed; its cursor is behind the
/// last part that is.
class BulkChanges {
public:
    BulkChanges(StatementMaker& sql, EndTally& tally);

    Applied apply(const UpdateMany& update);
    Applied apply(const FinishMany& finish);
    Applied apply(const PutOp& put);
    Applied apply(const DropOp& drop);

    /// At a start: carries out what is left of an operation and removes its row. SQLite's code.
    int finish(const OpRow& row);

private:
    int updateRun(const LsnRun& run, const BulkChange& change);
    int finishRun(const LsnRun& run, const FinishMany& finish);

    const OwnerCheck& owner_;
    EndTally& tally_;
    Statement updateRun_, queuesOfRun_, finishRun_, deleteRun_;
    Statement putOp_, moveOp_, deleteOp_;
};

} // namespace yard::store
