// The table of every page: fixed row heights, one delegate, selection by id. Its order stays still under the hand
// (TableHold), and columns fall away when there is no room (TableColumns). Owner: ui thread; lifetime: its parent's.
//
// Frozen while anything is selected, pressed, dragged or scrolled off the top; the model then keeps back what would
// move rows.
#pragma once

#include "ui/widgets/table_columns.h"
#include "ui/widgets/table_hold.h"

#include <QTableView>
#include <QTimer>

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
    bool allSelected() const { return hold_->isAll(); }
    /// Of these rows as many are in view, in part at least.
    int rowsInView() const;
    qint64 currentId() const;
    void selectId(qint64 id);
    /// In place of rows: one sentence; empty: none.
    void setMessage(const QString& message);
    const QString& message() const { return message_; }
    /// Rows of 24, or 28 and 32.
    void setRowHeight(int height);
    /// The menu with the columns, for the page's button and the header's right click.
    void showColumnMenu(const QPoint& global);
    /// Selected rows as text with tabs, as far as they are here.
    QString selectedText() const;
    bool isHovered(int row) const { return row == hovered_; }
    /// How far it can be scrolled is measured now, not with the next paint.
    using QTableView::updateGeometries;

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
    void updateFrozen();
    void onHeaderClicked(int section);
    void menuOfCurrent();
    bool isPressable(const QModelIndex& index) const;
    qint64 targetAt(const QPoint& at) const;

    TableColumns columns_;
    TableHold* hold_;
    TableModel* rows_ = nullptr;
    QString message_;
    int hovered_ = -1;
    bool pressed_ = false;
};

/// What Escape does: nothing is selected any more. False: nothing was.
bool dropSelection(Table& table);

} // namespace yard::ui
