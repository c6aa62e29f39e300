// Private to core/store: blocks of LSNs. The writer's thread.
#pragma once

#include "core/store/writer/applied.h"
#include "core/store/writer/statement_maker.h"

namespace yard::store {

/// Purpose: owns `next_lsn` of the table `meta`. Counters in that table are EndTally's, `last_queue` is Registrations'.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection outlives it.
/// Invariant: `next_lsn` only rises. A block counts as given once its group is committed, synced
/// (Store::Impl::reserve sees to that).
class MetaRows {
public:
    explicit MetaRows(StatementMaker& sql);

    Applied apply(const ReserveLsns& reserve);
    /// Writes something without meaning. SQLite's code.
    int probe();

private:
    const OwnerCheck& owner_;
    Statement put_, get_;
};

} // namespace yard::store
