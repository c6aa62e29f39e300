// What the hand has of a table, kept while its rows change: the rows that are selected, the current one, the place it
// is scrolled to. Owner: ui thread, the table; lifetime: that of the table.
#pragma once

#include "ui/widgets/table_model.h"

#include <QObject>
#include <vector>

namespace yard::ui {

class Table;

class TableHold final : public QObject {
    Q_OBJECT
public:
    explicit TableHold(Table& table);

    /// The model of the table, which has it already.
    void setRows(TableModel& rows);
    /// All that match are meant, also those not in view.
    bool isAll() const { return all_; }
    void selectAll();
    /// The selection is another by the hand. False: it is this that restores it.
    bool noteSelection();
    /// The header orders again: other rows may come into view.
    void noteReordering() { reordering_ = true; }

signals:
    /// After the rows changed: some of what was selected may be lost, or be there again.
    void restored();

private:
    /// The end of the list, as the hand has it; neither where it is elsewhere in the list.
    struct End {
        bool isInView = false;
        bool isCurrent = false; ///< in view, and the last row is the current one
    };
    /// What the hand had before the order changed, to be found again after it.
    struct Kept {
        std::vector<qint64> ids;
        qint64 current = 0;
        int row = -1;   ///< of the current row, when its id is not known
        qint64 top = 0; ///< the row that was first in view, when it is to stay there
        int topAt = 0;
        End end;
        /// The last row was current, and all that is known of it is that.
        bool lastIsCurrent() const { return row >= 0 && end.isCurrent; }
    };
    void beforeOrder();
    void afterOrder();
    void restoreCurrent();
    void restoreScroll(int scrolled);
    void miss();
    void findMissed();
    void reselect(std::vector<qint64> ids);
    void reselectAll();
    End end() const;
    void beforeRowsAdded(const QModelIndex& parent, int first);
    void onRowsAdded();

    Table& table_;
    TableModel* rows_ = nullptr;
    Kept kept_;
    std::vector<qint64> missed_; ///< current and selected when it was there: the current one first
    End followed_;               ///< a guessed one, while rows come behind it
    bool all_ = false;
    bool restoring_ = false;
    bool reordering_ = false;
};

} // namespace yard::ui
