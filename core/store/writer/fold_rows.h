// Private to core/store: arrays and lists as one row, and how many of each ended. The writer's thread.
#pragma once

#include "core/store/rows.h"
#include "core/store/writer/statement_maker.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace yard::store {

/// What happened to an action that may be of a fold.
struct FoldChange {
    Lsn lsn{};
    std::optional<ActionState> state{}; ///< the end state that is counted
    int ended = 0;                      ///< how many more are in that state: 1, or -1
    int gone = 0;                       ///< 1: its row was forgotten
    WallMicros started = 0;             ///< when an attempt of it began to run; 0: nothing is said of that
};

/// Purpose: owns the table `fold`: first and last LSN, and counts that are brought up to date once per group, so that
/// nobody walks through the elements to count them.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection outlives it.
/// Invariants: folds do not overlap. One of which all actions are gone is gone. All methods return SQLite's code.
class FoldRows {
public:
    explicit FoldRows(StatementMaker& sql);

    /// Before its submission is accepted whole nobody asks for it.
    int insert(const FoldRun& fold);
    /// Those that begin in these rows of a submission that is taken back.
    int undo(const LsnRun& rows);
    /// What the operations of a group tell; in any order. Those of no fold are passed over.
    int add(std::vector<FoldChange> changes);

private:
    struct Place {
        std::int64_t first = 0, last = 0;
    };
    /// The fold that has this LSN, or else the next one behind it; nothing: there is none.
    int findFrom(Lsn lsn, std::optional<Place>& place);
    int findAt(Statement& statement, std::int64_t lsn, std::optional<Place>& place);
    int update(const Place& place, const std::vector<FoldChange>& changes, std::size_t& at);

    const OwnerCheck& owner_;
    Statement insert_, upTo_, behind_, update_, delete_, deleteRun_;
};

} // namespace yard::store
