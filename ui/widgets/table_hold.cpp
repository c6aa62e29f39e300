#include "ui/widgets/table_hold.h"

#include "ui/widgets/table.h"

#include <QHeaderView>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr qsizetype kMostRanges = 2'000;

} // namespace

TableHold::TableHold(Table& table)
    : QObject(&table)
    , table_(table) {}

void TableHold::setRows(TableModel& rows) {
    rows_ = &rows;
    connect(rows_, &QAbstractItemModel::layoutAboutToBeChanged, this, &TableHold::beforeOrder);
    connect(rows_, &QAbstractItemModel::layoutChanged, this, &TableHold::afterOrder);
    connect(rows_, &QAbstractItemModel::modelAboutToBeReset, this, &TableHold::beforeOrder);
    connect(rows_, &QAbstractItemModel::modelReset, this, &TableHold::afterOrder);
    connect(rows_, &QAbstractItemModel::rowsAboutToBeInserted, this, &TableHold::beforeRowsAdded);
    connect(rows_, &QAbstractItemModel::rowsInserted, this, &TableHold::onRowsAdded);
    connect(rows_, &QAbstractItemModel::rowsRemoved, this, &TableHold::findMissed);
}

void TableHold::selectAll() {
    reselectAll();
    all_ = true;
}

void TableHold::reselectAll() {
    const bool before = std::exchange(restoring_, true);
    table_.selectAll();
    restoring_ = before;
}

bool TableHold::noteSelection() {
    if (restoring_) return false;
    all_ = false;
    return true;
}

void TableHold::beforeOrder() {
    if (restoring_) return;
    kept_ = {};
    if (!all_) kept_.ids = table_.selectedIds();
    kept_.current = table_.currentId();
    if (table_.currentIndex().isValid())
        missed_.clear();
    else if (!missed_.empty())
        kept_.ids = missed_;
    if (kept_.current == 0 && !missed_.empty()) kept_.current = missed_.front();
    if (kept_.current == 0) kept_.row = table_.currentIndex().row();
    kept_.end = end();
    const int top = table_.verticalScrollBar()->value() > 0 && !reordering_ ? table_.rowAt(0) : -1;
    if (top < 0) return;
    kept_.top = rows_->idAt(top);
    kept_.topAt = table_.rowViewportPosition(top);
}

/// The same rows stay selected, wherever they are now; what was first in view stays there. Another list begins at its
/// top.
void TableHold::afterOrder() {
    if (restoring_) return;
    restoring_ = true;
    reordering_ = false;
    const int scrolled = table_.verticalScrollBar()->value();
    restoreCurrent();
    restoreScroll(scrolled);
    restoring_ = false;
    emit restored();
}

void TableHold::restoreCurrent() {
    const int current = kept_.current != 0 ? rows_->rowOf(kept_.current) : -1;
    if (current >= 0)
        table_.selectionModel()->setCurrentIndex(rows_->index(current, 0), QItemSelectionModel::NoUpdate);
    else if (kept_.current != 0 && !rows_->isWhole())
        miss();
    else if (kept_.current != 0)
        missed_.clear(); // it is of another list: given up
    if (all_)
        reselectAll();
    else
        reselect(std::exchange(kept_.ids, {}));
    // One that is not known yet is known by its place; at a guessed end that place is the end.
    const int last = rows_->rowCount() - 1;
    const int place = rows_->isOtherList() ? -1 : kept_.lastIsCurrent() ? last : std::min(kept_.row, last);
    if (place >= 0 && !all_)
        table_.selectionModel()->setCurrentIndex(rows_->index(place, 0),
                                                 QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

/// `scrolled`: where it was before anything was restored.
void TableHold::restoreScroll(int scrolled) {
    QScrollBar* bar = table_.verticalScrollBar();
    const int top = kept_.top != 0 ? rows_->rowOf(kept_.top) : -1;
    table_.updateGeometries(); // how far it can be scrolled now
    if (rows_->isOtherList()) return bar->setValue(0);
    bar->setValue(top >= 0 ? top * table_.verticalHeader()->defaultSectionSize() - kept_.topAt : scrolled);
    const bool topIsGone = top < 0 && kept_.top != 0;
    if (kept_.lastIsCurrent() || (topIsGone && kept_.end.isInView)) bar->setValue(bar->maximum());
}

/// A list that is asked for again begins with its first page: what was current and selected behind it comes again.
void TableHold::miss() {
    missed_ = kept_.ids;
    std::erase(missed_, kept_.current);
    missed_.insert(missed_.begin(), kept_.current);
}

void TableHold::findMissed() {
    if (restoring_ || missed_.empty() || table_.currentIndex().isValid()) return;
    beforeOrder();
    afterOrder();
}

/// Rows next to one another are one range; more than kMostRanges of them are no selection that a hand made.
void TableHold::reselect(std::vector<qint64> ids) {
    if (ids.empty()) return table_.selectionModel()->clearSelection();
    const std::vector<int> selected = rows_->rowsOf(std::move(ids));
    QItemSelection selection;
    for (std::size_t at = 0; at < selected.size() && selection.size() <= kMostRanges;) {
        std::size_t end = at + 1;
        while (end < selected.size() && selected[end] == selected[end - 1] + 1) ++end;
        selection.append(QItemSelectionRange(rows_->index(selected[at], 0),
                                             rows_->index(selected[end - 1], rows_->columnCount() - 1)));
        at = end;
    }
    if (selection.size() > kMostRanges) selection.clear();
    table_.selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
}

TableHold::End TableHold::end() const {
    const QScrollBar* bar = table_.verticalScrollBar();
    if (bar->value() == 0 || bar->value() != bar->maximum()) return {};
    const QModelIndex current = table_.currentIndex();
    return {true, current.isValid() && current.row() == rows_->rowCount() - 1};
}

/// The end of a list whose end was only guessed: who went there meant the end, wherever it is.
void TableHold::beforeRowsAdded(const QModelIndex&, int first) {
    const int last = rows_->rowCount() - 1;
    const bool isGuessed = first > last && last >= 0 && !rows_->isHere(last);
    followed_ = isGuessed ? end() : End();
}

/// At the end, of a list that is still being read: all are meant, also these.
void TableHold::onRowsAdded() {
    if (restoring_) return;
    if (all_) reselectAll();
    findMissed();
    const End followed = std::exchange(followed_, {});
    if (!followed.isInView) return;
    table_.updateGeometries();
    QScrollBar* bar = table_.verticalScrollBar();
    if (followed.isCurrent) {
        const auto how = all_ || !table_.selectionModel()->hasSelection()
                             ? QItemSelectionModel::SelectionFlags(QItemSelectionModel::NoUpdate)
                             : QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows;
        table_.selectionModel()->setCurrentIndex(rows_->index(rows_->rowCount() - 1, 0), how);
    }
    bar->setValue(bar->maximum());
}

} // namespace yard::ui
