// Private to core/store: what was submitted: the posted texts, arrays, and who was to wait for whom. The writer's
// thread.
#pragma once

#include "core/store/bulk.h"
#include "core/store/writer/applied.h"
#include "core/store/writer/statement_maker.h"

#include <cstdint>
#include <optional>

namespace yard::store {

/// Purpose: owns the tables `spec`, `array` and `dependent`. The elements of an array share one specification; its
/// row counts how many of them are known. All methods return SQLite's code.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection outlives it.
/// Invariant: the specification of an array is kept as long as one of its elements is known, pending or finished.
class SpecRows {
public:
    explicit SpecRows(StatementMaker& sql);

    /// Of an item that is not the continuation of an array.
    int insert(const AcceptItem& item);
    /// SQLITE_ROW: there; SQLITE_DONE: not.
    int find(Lsn lsn);
    int findArray(Lsn base);

    /// The text alone, of an action that is no element: who waited for it is still known.
    int forgetText(Lsn lsn);
    /// Rows of actions are gone: from `first` to `last`, which belong to one array, or to none.
    int forget(std::int64_t first, std::int64_t last, std::optional<std::int64_t> arrayBase);
    /// All of a submission that is taken back.
    int undo(const LsnRun& rows);

private:
    int forgetSubmitted(std::int64_t first, std::int64_t last);

    const OwnerCheck& owner_;
    Statement insert_, find_, delete_, deleteRun_;
    Statement insertArray_, releaseArray_, live_, deleteArray_, deleteArrays_;
    Statement insertDependent_, deleteDependents_;
};

} // namespace yard::store
