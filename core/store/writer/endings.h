// Private to core/store: ends of attempts: the action has ended for good, tries again, or is put back after its
// end. The writer's thread.
#pragma once

#include "core/store/writer/action_rows.h"
#include "core/store/writer/attempt_rows.h"
#include "core/store/writer/chunk_rows.h"
#include "core/store/writer/end_tally.h"
#include "core/store/writer/spec_rows.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::store {

/// Purpose: moves single actions from `pending` to `done` and back, with their attempts. Many at once without an
/// attempt: BulkChanges.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and the parts below outlive it.
/// Invariant: the row comes into one table and goes from the other in one operation, and the end is told to
/// EndTally once all of it is written.
class Endings {
public:
    /// What it stands on.
    struct Below {
        ActionRows& actions;
        AttemptRows& attempts;
        SpecRows& specs;
        ChunkRows& chunks;
        EndTally& tally;
    };

    Endings(StatementMaker& sql, const Below& below);

    Applied apply(const Finish& finish);
    Applied apply(const Retry& retry);
    Applied apply(const Reopen& reopen);

private:
    /// The columns of a pending row that its end copies.
    struct PendingColumns {
        std::int64_t queue, classNumber, label, priority, flags, tNew;
        std::optional<std::int64_t> pending, arrayBase, arrayIndex;
        std::int64_t attempts, retryCount, ownFailures, interruptions;
        std::string name, id;
    };
    /// A finished row that may be put back.
    struct DoneColumns {
        PendingRow row; ///< as it is going to be
        ActionState state{};
        std::uint32_t retryCount = 0;
    };

    int readPending(Lsn lsn, std::optional<PendingColumns>& columns);
    int insertDone(const Finish& finish, const PendingColumns& row);
    int readDone(const Reopen& reopen, DoneColumns& done);
    /// True: `applied` is the answer.
    bool refuses(const Reopen& reopen, const DoneColumns& done, Applied& applied);
    int putBack(const Reopen& reopen);

    const OwnerCheck& owner_;
    const Below below_;
    Statement selectPending_, deletePending_, retryPending_, insertDone_, selectDone_, deleteDone_, reopenRow_;
};

} // namespace yard::store
