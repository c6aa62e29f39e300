// Private to core/store: whether an action is pending or finished, and changes of a pending one. The writer's
// thread.
#pragma once

#include "core/model/states.h"
#include "core/store/writer/applied.h"
#include "core/store/writer/statement_maker.h"

#include <cstdint>
#include <optional>

namespace yard::store {

/// Purpose: what several parts ask of `pending` and `done`, in one place. Rows come into these tables and go by
/// Acceptance, Endings, BulkChanges and Retirement.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection outlives it.
/// Invariant: an LSN is in one of the two tables at most. What is being accepted in parts is in neither, as far as
/// others are told.
class ActionRows {
public:
    struct Done {
        ActionState state{};
        std::optional<std::int64_t> arrayBase;
    };

    explicit ActionRows(StatementMaker& sql);

    /// SQLITE_ROW: there; SQLITE_DONE: not; else an error. So do the next two.
    int findPending(Lsn lsn);
    int findDone(Lsn lsn, Done& done);
    /// In either table.
    int find(Lsn lsn);

    /// SQLite's code, also when there is no such row.
    int update(const Update& update);
    Applied apply(const Update& update);
    Applied apply(const PlaceActions& placed);
    /// The answer to what wants a pending action and finds none.
    static Applied notPending(Lsn lsn);

private:
    Database& database_;
    const OwnerCheck& owner_;
    Statement findPending_, findDone_, update_, place_;
};

} // namespace yard::store
