#include "ui/widgets/table.h"

#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/table_header.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QSettings>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr qsizetype kMostRanges = 2'000;
constexpr int kMostDragged = 5'000;

} // namespace

Table::Table(const QString& key, QWidget* parent)
    : QTableView(parent)
    , key_(key) {
    setHorizontalHeader(new TableHeader(this));
    addScrollBarWidget(new HeaderEnd, Qt::AlignTop);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setRowHeight(tableRowHeight());
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWordWrap(false);
    setMouseTracking(true);
    setTabKeyNavigation(false);
    setItemDelegate(new CellDelegate(this));
    connect(horizontalHeader(), &QHeaderView::sectionClicked, this, &Table::onHeaderClicked);
    connect(horizontalHeader(), &QHeaderView::sectionMoved, this, [this] { remember(); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &Table::updateFrozen);
    horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(horizontalHeader(), &QWidget::customContextMenuRequested, this,
            [this](const QPoint& at) { showColumnMenu(horizontalHeader()->mapToGlobal(at)); });
}

Table::~Table() = default;

void Table::setRows(TableModel* model) {
    rows_ = model;
    setModel(model);
    recall();
    connect(model, &QAbstractItemModel::layoutAboutToBeChanged, this, &Table::beforeOrder);
    connect(model, &QAbstractItemModel::layoutChanged, this, &Table::afterOrder);
    connect(model, &QAbstractItemModel::modelAboutToBeReset, this, &Table::beforeOrder);
    connect(model, &QAbstractItemModel::modelReset, this, &Table::afterOrder);
    connect(model, &QAbstractItemModel::rowsAboutToBeInserted, this, &Table::beforeRowsAdded);
    connect(model, &QAbstractItemModel::rowsInserted, this, &Table::onRowsAdded);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &Table::findMissed);
    layOut();
}

void Table::beforeOrder() {
    if (restoring_) return;
    kept_ = {};
    if (!all_) kept_.ids = selectedIds();
    kept_.current = currentId();
    if (currentIndex().isValid())
        missed_.clear();
    else if (!missed_.empty())
        kept_.ids = missed_;
    if (kept_.current == 0 && !missed_.empty()) kept_.current = missed_.front();
    if (kept_.current == 0) kept_.row = currentIndex().row();
    kept_.end = end();
    const int top = verticalScrollBar()->value() > 0 && !reordering_ ? rowAt(0) : -1;
    if (top < 0) return;
    kept_.top = rows_->idAt(top);
    kept_.topAt = rowViewportPosition(top);
}

/// The same rows stay selected, wherever they are now; what was first in view stays there. Another list begins at its
/// top.
void Table::afterOrder() {
    if (restoring_ || rows_ == nullptr) return;
    restoring_ = true;
    reordering_ = false;
    const int scrolled = verticalScrollBar()->value();
    const int current = kept_.current != 0 ? rows_->rowOf(kept_.current) : -1;
    if (current >= 0)
        selectionModel()->setCurrentIndex(rows_->index(current, 0), QItemSelectionModel::NoUpdate);
    else if (kept_.current != 0 && !rows_->isWhole())
        miss();
    else if (kept_.current != 0)
        missed_.clear(); // it is of another list: given up
    if (all_)
        selectAll();
    else
        reselect(std::exchange(kept_.ids, {}));
    // One that is not known yet is known by its place; at a guessed end that place is the end.
    const int last = rows_->rowCount() - 1;
    const bool isOther = rows_->isOtherList();
    const int place = isOther ? -1 : kept_.lastIsCurrent() ? last : std::min(kept_.row, last);
    if (place >= 0 && !all_)
        selectionModel()->setCurrentIndex(rows_->index(place, 0),
                                          QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    const int top = kept_.top != 0 ? rows_->rowOf(kept_.top) : -1;
    updateGeometries(); // how far it can be scrolled now
    const bool topIsGone = top < 0 && kept_.top != 0;
    verticalScrollBar()->setValue(isOther    ? 0
                                  : top >= 0 ? top * verticalHeader()->defaultSectionSize() - kept_.topAt
                                             : scrolled);
    if (!isOther && (kept_.lastIsCurrent() || (topIsGone && kept_.end.isInView)))
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    restoring_ = false;
    updateFrozen();
    emit selectionKept();
}

/// A list that is asked for anew begins with its first page: what was current and selected behind it comes again.
void Table::miss() {
    missed_ = kept_.ids;
    std::erase(missed_, kept_.current);
    missed_.insert(missed_.begin(), kept_.current);
}

void Table::findMissed() {
    if (restoring_ || missed_.empty() || currentIndex().isValid()) return;
    beforeOrder();
    afterOrder();
}

/// Rows next to one another are one range; more than kMostRanges of them are no selection that a hand made.
void Table::reselect(std::vector<qint64> ids) {
    if (ids.empty()) return selectionModel()->clearSelection();
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
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
}

Table::End Table::end() const {
    const QScrollBar* bar = verticalScrollBar();
    if (bar->value() == 0 || bar->value() != bar->maximum()) return {};
    return {true, currentIndex().isValid() && currentIndex().row() == rows_->rowCount() - 1};
}

/// The end of a list whose end was only guessed: who went there meant the end, wherever it is.
void Table::beforeRowsAdded(const QModelIndex&, int first) {
    const int last = rows_->rowCount() - 1;
    const bool isGuessed = first > last && last >= 0 && !rows_->isHere(last);
    followed_ = isGuessed ? end() : End();
}

/// At the end, of a list that is still being read: all are meant, also these.
void Table::onRowsAdded() {
    if (restoring_) return;
    if (all_) {
        restoring_ = true;
        selectAll();
        restoring_ = false;
    }
    findMissed();
    const End followed = std::exchange(followed_, {});
    if (!followed.isInView) return;
    updateGeometries();
    if (followed.isCurrent) {
        const auto how = all_ || !selectionModel()->hasSelection()
                             ? QItemSelectionModel::SelectionFlags(QItemSelectionModel::NoUpdate)
                             : QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows;
        selectionModel()->setCurrentIndex(rows_->index(rows_->rowCount() - 1, 0), how);
    }
    verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

int Table::rowsInView() const {
    const int first = rowAt(0);
    const int last = rowAt(viewport()->height() - 1);
    return first < 0 ? 0 : (last < 0 ? rows_->rowCount() - 1 : last) - first + 1;
}

std::vector<qint64> Table::selectedIds() const {
    std::vector<qint64> ids;
    if (rows_ == nullptr || selectionModel() == nullptr) return ids;
    std::vector<std::pair<int, int>> ranges;
    for (const QItemSelectionRange& range : selectionModel()->selection())
        ranges.emplace_back(range.top(), range.bottom());
    std::ranges::sort(ranges);
    for (const auto& [top, bottom] : ranges)
        for (int row = top; row <= bottom; ++row)
            if (const qint64 id = rows_->idAt(row); id != 0 && (ids.empty() || ids.back() != id)) ids.push_back(id);
    return ids;
}

qint64 Table::currentId() const {
    return rows_ != nullptr && currentIndex().isValid() ? rows_->idAt(currentIndex().row()) : 0;
}

void Table::selectId(qint64 id) {
    if (rows_ == nullptr) return;
    // Asked for by the hand: what waits to be shown may be it.
    if (rows_->rowOf(id) < 0 && rows_->waiting() > 0) rows_->takeWaiting();
    const int row = rows_->rowOf(id);
    if (row < 0) return clearSelection(); // it is not among the rows: nothing else is to seem chosen
    // Not selectRow(): that heeds which keys are held, as a click does.
    selectionModel()->setCurrentIndex(rows_->index(row, 0),
                                      QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    scrollTo(rows_->index(row, 0));
}

void Table::setMessage(const QString& message) {
    if (message_ == message) return;
    message_ = message;
    viewport()->update();
}

void Table::setRowHeight(int height) {
    verticalHeader()->setMinimumSectionSize(1);
    verticalHeader()->setDefaultSectionSize(scaled(height));
}

void Table::updateFrozen() {
    if (rows_ == nullptr) return;
    rows_->setFrozen(pressed_ || verticalScrollBar()->value() > 0 ||
                     (selectionModel() != nullptr && selectionModel()->hasSelection()));
}

void Table::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) {
    QTableView::selectionChanged(selected, deselected);
    viewport()->update();
    if (restoring_) return;
    all_ = false;
    updateFrozen();
    emit selectionEdited();
}

void Table::onHeaderClicked(int section) {
    const Column& column = rows_->columns()[static_cast<std::size_t>(section)];
    if (column.sort.isEmpty()) return;
    if (sortColumn_ != section) {
        sortColumn_ = section;
        // What is large or new is asked for first.
        sortOrder_ = column.kind == CellKind::Number ? Qt::DescendingOrder : Qt::AscendingOrder;
    } else if (sortOrder_ == (column.kind == CellKind::Number ? Qt::DescendingOrder : Qt::AscendingOrder)) {
        sortOrder_ = sortOrder_ == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
    } else {
        sortColumn_ = -1;
        sortOrder_ = Qt::AscendingOrder;
    }
    horizontalHeader()->setSortIndicatorShown(sortColumn_ >= 0);
    horizontalHeader()->setSortIndicator(sortColumn_, sortOrder_);
    reordering_ = true;
    rows_->sortBy(sortColumn_, sortOrder_);
    remember();
}

bool Table::isHiddenByChoice(int column) const {
    const Column& spec = rows_->columns()[static_cast<std::size_t>(column)];
    return spec.hidden ? !chosen_.contains(spec.id) : refused_.contains(spec.id);
}

/// Widths: every column its own, one takes the rest; those that fall away go in their order until it fits.
void Table::layOut() {
    if (rows_ == nullptr) return;
    const auto& columns = rows_->columns();
    const int room = viewport()->width();
    const int count = static_cast<int>(columns.size());
    std::vector<bool> shown(columns.size());
    int least = 0;
    for (int i = 0; i < count; ++i) {
        shown[static_cast<std::size_t>(i)] = !isHiddenByChoice(i);
        if (shown[static_cast<std::size_t>(i)]) least += scaled(columns[static_cast<std::size_t>(i)].width);
    }
    for (int fall = 1; least > room && fall <= count; ++fall)
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (shown[i] && columns[i].falls == fall) {
                shown[i] = false;
                least -= scaled(columns[i].width);
            }
    for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        setColumnHidden(i, !shown[at]);
        if (!shown[at]) continue;
        const int own = scaled(columns[at].width);
        horizontalHeader()->resizeSection(i, columns[at].stretches ? own + std::max(0, room - least) : own);
    }
}

/// The chosen row stays in view when there is less room, as when its detail opens below.
void Table::resizeEvent(QResizeEvent* event) {
    const QModelIndex current = currentIndex();
    const bool isChosen = current.isValid() && selectionModel()->isSelected(current) &&
                          QRect(QPoint(), event->oldSize()).intersects(visualRect(current));
    QTableView::resizeEvent(event);
    layOut();
    if (isChosen) scrollTo(current, EnsureVisible);
}

void Table::showColumnMenu(const QPoint& global) {
    QMenu menu(this);
    for (int i = 0; i < static_cast<int>(rows_->columns().size()); ++i) {
        const Column& column = rows_->columns()[static_cast<std::size_t>(i)];
        QAction* action = menu.addAction(column.title);
        action->setToolTip(column.tip);
        action->setCheckable(true);
        action->setChecked(!isHiddenByChoice(i));
        action->setEnabled(i != 0);
        connect(action, &QAction::toggled, this, [this, id = column.id](bool on) {
            if (on) {
                chosen_.insert(id);
                refused_.erase(id);
            } else {
                chosen_.erase(id);
                refused_.insert(id);
            }
            layOut();
            remember();
        });
    }
    menu.exec(global);
}

void Table::remember() const {
    if (key_.isEmpty()) return;
    QSettings settings;
    settings.beginGroup("tables/" + key_);
    const auto list = [](const std::set<QString>& ids) { return QStringList(ids.begin(), ids.end()); };
    settings.setValue("chosen", list(chosen_));
    settings.setValue("refused", list(refused_));
    settings.setValue("sort",
                      sortColumn_ < 0 ? QString() : rows_->columns()[static_cast<std::size_t>(sortColumn_)].id);
    settings.setValue("descending", sortOrder_ == Qt::DescendingOrder);
    QStringList order;
    for (int i = 0; i < horizontalHeader()->count(); ++i)
        order << rows_->columns()[static_cast<std::size_t>(horizontalHeader()->logicalIndex(i))].id;
    settings.setValue("order", order);
}

void Table::recall() {
    if (key_.isEmpty()) return;
    QSettings settings;
    settings.beginGroup("tables/" + key_);
    const auto ids = [&](const char* name) {
        const QStringList list = settings.value(name).toStringList();
        return std::set<QString>(list.begin(), list.end());
    };
    chosen_ = ids("chosen");
    refused_ = ids("refused");
    const auto columnOf = [&](const QString& id) {
        const auto found = std::ranges::find(rows_->columns(), id, &Column::id);
        return found == rows_->columns().end() ? -1 : static_cast<int>(found - rows_->columns().begin());
    };
    const QStringList order = settings.value("order").toStringList();
    const QSignalBlocker quiet(horizontalHeader());
    for (int at = 0, visual = 0; at < order.size(); ++at)
        if (const int column = columnOf(order[at]); column >= 0)
            horizontalHeader()->moveSection(horizontalHeader()->visualIndex(column), visual++);
    const QString sort = settings.value("sort").toString();
    sortColumn_ = sort.isEmpty() ? -1 : columnOf(sort);
    if (sortColumn_ < 0) return;
    sortOrder_ = settings.value("descending").toBool() ? Qt::DescendingOrder : Qt::AscendingOrder;
    horizontalHeader()->setSortIndicatorShown(true);
    horizontalHeader()->setSortIndicator(sortColumn_, sortOrder_);
    rows_->sortBy(sortColumn_, sortOrder_);
}

QString Table::selectedText() const {
    QString text;
    for (const int row : rows_->rowsOf(selectedIds())) {
        if (!rows_->isHere(row)) continue;
        QStringList cells;
        for (int visual = 0; visual < horizontalHeader()->count(); ++visual) {
            const int column = horizontalHeader()->logicalIndex(visual);
            if (!isColumnHidden(column)) cells << rows_->cell(row, column).text;
        }
        text += cells.join('\t') + '\n';
    }
    return text;
}

void Table::keyPressEvent(QKeyEvent* event) {
    const bool plain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
    if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(selectedText());
        return;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        restoring_ = true;
        selectAll();
        restoring_ = false;
        all_ = true;
        updateFrozen();
        emit selectionEdited();
        return;
    }
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (plain && currentId() != 0) emit opened(currentId());
        return;
    case Qt::Key_Space:
        if (plain && currentId() != 0) emit peeked(currentId());
        return;
    case Qt::Key_Escape:
        if (selectionModel()->hasSelection()) return clearSelection();
        return event->ignore();
    default: break;
    }
    if (plain && !event->text().isEmpty() && event->text().front().isPrint()) {
        emit typed(event->text());
        return;
    }
    QTableView::keyPressEvent(event);
}

/// Rows are what is walked through: Home and End are those of the list.
QModelIndex Table::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
    const int rows = rows_ == nullptr ? 0 : rows_->rowCount();
    if (rows > 0 && action == MoveHome) return rows_->index(0, 0);
    if (rows > 0 && action == MoveEnd) return rows_->index(rows - 1, 0);
    return QTableView::moveCursor(action, modifiers);
}

/// A link or a button, with something in it.
bool Table::isPressable(const QModelIndex& index) const {
    if (!index.isValid()) return false;
    const CellKind kind = rows_->columns()[static_cast<std::size_t>(index.column())].kind;
    return (kind == CellKind::Link || kind == CellKind::Press) &&
           !rows_->cell(index.row(), index.column()).text.isEmpty();
}

/// Of a link under the pointer; 0: there is none.
qint64 Table::targetAt(const QPoint& at) const {
    const QModelIndex index = indexAt(at);
    if (!index.isValid()) return 0;
    const Cell cell = rows_->cell(index.row(), index.column());
    if (cell.target == 0) return 0;
    const QRectF area = visualRect(index);
    const bool first = horizontalHeader()->visualIndex(index.column()) == 0;
    return linkArea(area, cell, first, area.right() >= viewport()->width() - 2).contains(at) ? cell.target : 0;
}

void Table::mousePressEvent(QMouseEvent* event) {
    pressed_ = true;
    updateFrozen();
    const QModelIndex index = indexAt(event->pos());
    if (!index.isValid() && event->button() == Qt::LeftButton) clearSelection();
    QTableView::mousePressEvent(event);
}

void Table::mouseReleaseEvent(QMouseEvent* event) {
    QTableView::mouseReleaseEvent(event);
    pressed_ = false;
    updateFrozen();
    const QModelIndex index = indexAt(event->pos());
    if (!index.isValid() || event->button() != Qt::LeftButton || event->modifiers() != Qt::NoModifier) return;
    if (const qint64 target = targetAt(event->pos()); target != 0) return emit targetClicked(target);
    if (isPressable(index)) emit linkClicked(rows_->idAt(index.row()), index.column());
}

void Table::mouseMoveEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->pos());
    const int row = index.isValid() ? index.row() : -1;
    if (row != hovered_) {
        hovered_ = row;
        viewport()->update();
    }
    const bool leads = isPressable(index) || targetAt(event->pos()) != 0;
    viewport()->setCursor(leads ? Qt::PointingHandCursor : Qt::ArrowCursor);
    QTableView::mouseMoveEvent(event);
}

/// Not more rows than a hand holds: each is an entry in what is dragged.
void Table::startDrag(Qt::DropActions actions) {
    int dragged = 0;
    for (const QItemSelectionRange& range : selectionModel()->selection()) dragged += range.height();
    if (dragged > kMostDragged) return;
    QTableView::startDrag(actions);
    pressed_ = false; // its release went to what it was dropped on
    updateFrozen();
}

void Table::leaveEvent(QEvent* event) {
    hovered_ = -1;
    viewport()->update();
    QTableView::leaveEvent(event);
}

void Table::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard && currentIndex().isValid())
        return emit menuWanted(viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft()));
    const QModelIndex index = indexAt(event->pos());
    if (index.isValid() && !selectionModel()->isSelected(index)) selectRow(index.row());
    emit menuWanted(event->globalPos());
}

bool Table::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QTableView::viewportEvent(event);
    // Only what is elided, or says more than its text, is told again.
    const auto* help = static_cast<QHelpEvent*>(event);
    const QModelIndex index = indexAt(help->pos());
    if (!index.isValid()) return true;
    const Cell cell = rows_->cell(index.row(), index.column());
    const auto kind = rows_->columns()[static_cast<std::size_t>(index.column())].kind;
    const bool elided = kind != CellKind::Number && kind != CellKind::Progress &&
                        QFontMetrics(font()).horizontalAdvance(cell.text) > visualRect(index).width() - 16;
    const QString tip = !cell.tip.isEmpty() ? cell.tip : elided ? cell.text : QString();
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), tip, viewport());
    return true;
}

void Table::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    if (message_.isEmpty()) return;
    QPainter painter(viewport());
    painter.setFont(typeface(Type::Body));
    painter.setPen(Theme::current()(Token::Text2));
    painter.drawText(viewport()->rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap, message_);
}

} // namespace yard::ui
