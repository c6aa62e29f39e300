// The table of every page: fixed row heights, one delegate, selection by id, order that stays still under the hand,
// columns that fall away when there is no room. Owner: ui thread.
//
// Frozen while anything is selected, pressed, dragged or scrolled off the top; the model then keeps back what would
// move rows.
#pragma once

#include "ui/widgets/table_model.h"

#include <QTableView>
#include <QTimer>
#include <set>

namespace yard::ui {

class Table : public QTableView {
    Q_OBJECT
public:
    /// `key`: under which settings remember columns, widths and order; empty: nothing is remembered.
    explicit Table(const QString& key, QWidget* parent = nullptr);
    ~Table() override;

    /// Not owned; must outlive the table, or be its child.
    void setRows(TableModel* model);
    TableModel* rows() const { return rows_; }

    /// Selected ids in the order shown, as far as they are known.
    std::vector<qint64> selectedIds() const;
    /// All that match are meant, also those not in view: Ctrl+A.
    bool allSelected() const { return all_; }
    /// Of these rows as many are in view, in part at least.
    int rowsInView() const;
    qint64 currentId() const;
    void selectId(qint64 id);
    /// In place of rows: one sentence; empty: none.
    void setMessage(const QString& message);
    /// Rows of 24, or 28 and 32.
    void setRowHeight(int height);
    /// The menu with the columns, for the page's button and the header's right click.
    void showColumnMenu(const QPoint& global);
    /// Selected rows as text with tabs, as far as they are here.
    QString selectedText() const;
    bool isHovered(int row) const { return row == hovered_; }

signals:
    void selectionEdited(); ///< what is selected is another
    void selectionKept();   ///< after the rows changed: some of what was selected may be lost, or be there again
    void opened(qint64 id); ///< Enter, double click
    void peeked(qint64 id); ///< Space
    void linkClicked(qint64 id, int column);
    void targetClicked(qint64 id); ///< of a link within a cell's text
    void menuWanted(const QPoint& global);
    void typed(const QString& text); ///< a letter that belongs into the filter

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void startDrag(Qt::DropActions actions) override;
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;

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
    void layOut();
    void updateFrozen();
    void onHeaderClicked(int section);
    void beforeOrder();
    void afterOrder();
    void miss();
    void findMissed();
    void reselect(std::vector<qint64> ids);
    End end() const;
    void beforeRowsAdded(const QModelIndex& parent, int first);
    void onRowsAdded();
    bool isHiddenByChoice(int column) const;
    void remember() const;
    void recall();
    bool isPressable(const QModelIndex& index) const;
    qint64 targetAt(const QPoint& at) const;

    QString key_;
    TableModel* rows_ = nullptr;
    std::set<QString> chosen_;  ///< shown though hidden by default
    std::set<QString> refused_; ///< hidden by choice
    Kept kept_;
    std::vector<qint64> missed_; ///< current and selected when it was there: the current one first
    End followed_;               ///< a guessed one, while rows come behind it
    QString message_;
    int sortColumn_ = -1;
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
    int hovered_ = -1;
    bool pressed_ = false;
    bool all_ = false;
    bool restoring_ = false;
    bool reordering_ = false; ///< by the header: other rows may come into view
};

} // namespace yard::ui
