// An array or a list as one row of the Actions table, read from the engine's JSON (docs/lists.md, fold=1), and what
// stands in which column of it and of the rows below it. Values; ui thread.
#pragma once

#include "ui/state/action_row.h"
#include "ui/widgets/rows_model.h"

#include <QJsonObject>
#include <cstdint>
#include <vector>

namespace yard::ui {

/// The row of one action, and of what it stands for where that is more.
struct FoldedRow {
    ActionRow action; ///< the one that matched
    qint64 first = 0; ///< of the array or list; 0: the action was posted alone
    qint64 count = 0; ///< as it was posted
    bool isList = false;
    QString name; ///< with "{index}" in it; of a list that of its first action
    qint64 started = 0;
    qint64 place = 0;    ///< of the first of those that wait; 0: none does, or it is not known
    QString failure;     ///< the commonest line
    qint64 failures = 0; ///< how many have it
    paint::Shares shares{};

    bool isFold() const { return first != 0; }
    qint64 last() const { return first + count - 1; }
    qint64 of(DisplayState face) const { return shares[static_cast<std::size_t>(face)]; }
    qint64 failed() const { return of(DisplayState::Failed) + of(DisplayState::Abandoned); }
    qint64 live() const;
    /// Stays its own: an action's number, of a fold a number below 0.
    qint64 id() const;
    /// "lsn:12..411", for filters.
    QString filter() const;
};

FoldedRow foldedRowOf(const QJsonObject& json);
/// The id of the row below the actions of an unfolded one, with all that are not shown.
qint64 restIdOf(qint64 first);
/// The first LSN of the fold that a row with this id heads, or whose rest it is; 0: neither.
qint64 foldOf(qint64 id);
bool isRestId(qint64 id);

enum class FoldedColumn : std::uint8_t { State, Lsn, Index, What, Place, Failed, Ran, Note, Again };
std::vector<Column> foldedColumns();
/// Which are said to be unfolded; `now` in microseconds.
Row foldedTableRow(const FoldedRow& row, bool isOpen, qint64 now);
/// Of one of its actions, below it.
Row foldedMemberRow(const ActionRow& row, qint64 now);
/// "395 more: 8 failed, 2 running, 352 completed", and the way to all of them.
Row foldedRestRow(const FoldedRow& row, const std::vector<ActionRow>& members);

} // namespace yard::ui
