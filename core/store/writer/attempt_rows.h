// Private to core/store: attempts that say more than the row of their action. The writer's thread.
#pragma once

#include "core/model/result.h"
#include "core/store/writer/reference_notes.h"
#include "core/store/writer/statement_maker.h"

#include <cstdint>

namespace yard::store {

/// Bits of EndFlags (schema.h) that an attempt's outcome has in `attempt` and in `done`.
std::int64_t endFlagsOf(const AttemptOutcome& outcome);

/// Purpose: owns the table `attempt`. All methods return SQLite's code.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and `notes` outlive it.
/// Invariant: the last attempt of a finished action has a row only when `done` alone cannot tell it.
class AttemptRows {
public:
    AttemptRows(StatementMaker& sql, ReferenceNotes& notes);

    int put(Lsn lsn, const AttemptRecord& attempt);
    /// The last attempt of a finished action gets a row of its own, unless it has one: what tells of it goes.
    int copyFromDone(Lsn lsn);
    /// All attempts of these actions.
    int forget(std::int64_t first, std::int64_t last);

private:
    const OwnerCheck& owner_;
    ReferenceNotes& notes_;
    Statement put_, copyFromDone_, delete_;
};

} // namespace yard::store
