#include "ui/widgets/table.h"

#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/table_header.h"
#include "ui/widgets/text_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kTableMostDragged = 5'000;

} // namespace

Table::Table(const QString& key, QWidget* parent)
    : QTableView(parent)
    , columns_(*this, key)
    , hold_(new TableHold(*this)) {
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
    connect(horizontalHeader(), &QHeaderView::sectionMoved, this, [this] { columns_.remember(); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &Table::updateFrozen);
    connect(hold_, &TableHold::restored, this, [this] {
        updateFrozen();
        emit selectionKept();
    });
    horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(horizontalHeader(), &QWidget::customContextMenuRequested, this,
            [this](const QPoint& at) { showColumnMenu(horizontalHeader()->mapToGlobal(at)); });
}

Table::~Table() = default;

void Table::setRows(TableModel* model) {
    rows_ = model;
    setModel(model);
    columns_.setRows(*model);
    hold_->setRows(*model);
    columns_.layOut();
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
    // Not selectRow(): that goes by which keys are held, as a click does.
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
    if (!hold_->noteSelection()) return;
    updateFrozen();
    emit selectionEdited();
}

void Table::onHeaderClicked(int section) {
    if (!columns_.turnSort(section)) return;
    hold_->noteReordering();
    columns_.sort();
    columns_.remember();
}

/// The chosen row stays in view when there is less room, as when its detail opens below.
void Table::resizeEvent(QResizeEvent* event) {
    const QModelIndex current = currentIndex();
    const bool isChosen = current.isValid() && selectionModel()->isSelected(current) &&
                          QRect(QPoint(), event->oldSize()).intersects(visualRect(current));
    QTableView::resizeEvent(event);
    columns_.layOut();
    if (isChosen) scrollTo(current, EnsureVisible);
}

void Table::showColumnMenu(const QPoint& global) {
    columns_.showMenu(global);
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
        hold_->selectAll();
        updateFrozen();
        emit selectionEdited();
        return;
    }
    switch (event->key()) {
    case Qt::Key_F10:
        if (event->modifiers() != Qt::ShiftModifier) break;
        return menuOfCurrent();
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
    // A menu takes the release of the others.
    if (event->button() == Qt::LeftButton) pressed_ = true;
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
    if (dragged > kTableMostDragged) return;
    QTableView::startDrag(actions);
    pressed_ = false; // its release went to what it was dropped on
    updateFrozen();
}

void Table::leaveEvent(QEvent* event) {
    hovered_ = -1;
    viewport()->update();
    QTableView::leaveEvent(event);
}

/// By key: of the row that has the focus frame.
void Table::menuOfCurrent() {
    const QModelIndex index = currentIndex();
    if (index.isValid() && !selectionModel()->isSelected(index)) selectRow(index.row());
    const QRect row = index.isValid() ? visualRect(index) : QRect();
    emit menuWanted(viewport()->mapToGlobal(row.bottomLeft()));
}

void Table::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard) return menuOfCurrent();
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
    const CellRoom room = roomOf(*this, index.row(), index.column());
    const Cell cell = rows_->cell(index.row(), room.column);
    const auto kind = rows_->columns()[static_cast<std::size_t>(room.column)].kind;
    const bool elided = kind != CellKind::Number && kind != CellKind::Progress &&
                        QFontMetrics(font()).horizontalAdvance(cell.text) > room.width - 16;
    const QString tip = !cell.tip.isEmpty() ? cell.tip : elided ? cell.text : QString();
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainTip(tip), viewport());
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

bool dropSelection(Table& table) {
    if (!table.selectionModel()->hasSelection()) return false;
    table.clearSelection();
    return true;
}

} // namespace yard::ui
