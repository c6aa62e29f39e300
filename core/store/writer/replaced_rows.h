// Private to core/store: which actions were replaced, and by which. The writer's thread.
#pragma once

#include "core/store/writer/action_rows.h"

#include <cstdint>

namespace yard::store {

/// Purpose: owns the table `replaced`. An action is replaced once; its successor may be replaced in turn.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and `actions` outlive it.
/// Invariant: a successor is newer than what it replaces, so a walk from one to the next comes to an end.
class ReplacedRows {
public:
    ReplacedRows(StatementMaker& sql, ActionRows& actions);

    /// What is to be replaced was retired meanwhile, or never was, or was replaced already. True: `applied` is the
    /// answer.
    bool refuses(const Accept& accept, Applied& applied);
    /// SQLite's code. The old one is marked as to be cancelled where that is asked for.
    int insert(const Replacement& one);
    /// Of actions that are no longer known.
    int forget(std::int64_t first, std::int64_t last);

private:
    int findNewest(Lsn lsn, Lsn& newest);

    const OwnerCheck& owner_;
    ActionRows& actions_;
    Statement successorOf_, insert_, delete_;
};

} // namespace yard::store
