#include "ui/widgets/cell_map.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"
#include "ui/widgets/text_view.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <utility>

namespace yard::ui {

namespace {

/// From one cell to the next, and how much of that is painted.
struct CellSize {
    int pitch;
    int body;
    int failed;
};
constexpr std::array kCellSizes{CellSize{16, 12, 14}, CellSize{10, 7, 9}, CellSize{6, 4, 5}, CellSize{3, 2, 3}};
constexpr int kWithShapes = 16;
constexpr int kInRow = 10;
constexpr int kMapEdge = 8;
constexpr int kNumberApart = 14; ///< between numbers at the left
/// Which of several states stands for all of them: those to look at come first.
constexpr std::array kWorstFirst{DisplayState::Failed,    DisplayState::Abandoned, DisplayState::Retry,
                                 DisplayState::Cancelled, DisplayState::Running,   DisplayState::Submitting,
                                 DisplayState::Held,      DisplayState::Pending,   DisplayState::Completed};

std::size_t rankOf(const MapCell& cell) {
    if (!cell.face) return kWorstFirst.size();
    return static_cast<std::size_t>(std::ranges::find(kWorstFirst, *cell.face) - kWorstFirst.begin());
}

const CellSize& cellSizeOf(int pitch) {
    const auto found = std::ranges::find(kCellSizes, pitch, &CellSize::pitch);
    return found == kCellSizes.end() ? kCellSizes.back() : *found;
}

} // namespace

CellMap::CellMap(QWidget* parent)
    : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Map of actions"));
    installSpoken();
}

void CellMap::setCells(std::vector<MapCell> cells, qint64 base) {
    cells_ = std::move(cells);
    base_ = base;
    arrange();
    if (current_ != 0 && !cellOf(current_)) current_ = 0;
    update();
}

// --- where they are

int CellMap::gutter() const {
    const qint64 last = base_ + static_cast<qint64>(cells_.size());
    return kMapEdge * 2 + QFontMetrics(typeface(Type::Caption)).horizontalAdvance(Format().number(last));
}

int CellMap::columnsOf(int pitch) const {
    return std::max(1, (width() - gutter() - kMapEdge) / pitch / kInRow) * kInRow;
}

bool CellMap::fits(int pitch, std::size_t cells) const {
    if (cells > kMostDrawn) return false;
    const auto columns = static_cast<std::size_t>(columnsOf(pitch));
    const auto rows = static_cast<int>((cells + columns - 1) / columns);
    return rows * pitch <= height() - 2 * kMapEdge;
}

/// The largest cells that all fit; where none do, as few to a cell as fit, in steps of 2, 4, 5, 10, 20, 40 and so on.
void CellMap::arrange() {
    per_ = 1;
    for (const CellSize& size : kCellSizes) {
        pitch_ = size.pitch;
        perRow_ = columnsOf(pitch_);
        if (fits(pitch_, cells_.size())) return;
    }
    for (std::size_t decade = 1; per_ < cells_.size(); decade *= 10)
        for (const std::size_t step : {std::size_t{2}, std::size_t{4}, std::size_t{5}, std::size_t{10}}) {
            per_ = decade * step;
            if (per_ >= cells_.size() || fits(pitch_, drawn())) return;
        }
}

QRect CellMap::areaOf(std::size_t cell) const {
    const auto columns = static_cast<std::size_t>(perRow_);
    return {gutter() + static_cast<int>(cell % columns) * pitch_,
            kMapEdge + static_cast<int>(cell / columns) * pitch_, pitch_, pitch_};
}

std::optional<std::size_t> CellMap::cellAt(QPoint at) const {
    const int x = at.x() - gutter();
    const int y = at.y() - kMapEdge;
    if (x < 0 || y < 0 || x >= perRow_ * pitch_) return std::nullopt;
    const auto cell = static_cast<std::size_t>(y / pitch_) * static_cast<std::size_t>(perRow_) +
                      static_cast<std::size_t>(x / pitch_);
    return cell < drawn() ? std::optional(cell) : std::nullopt;
}

std::optional<std::size_t> CellMap::cellOf(qint64 id) const {
    const auto found = std::ranges::lower_bound(cells_, id, {}, &MapCell::id);
    if (found == cells_.end() || found->id != id) return std::nullopt;
    return static_cast<std::size_t>(found - cells_.begin()) / per_;
}

std::optional<DisplayState> CellMap::worstOf(std::size_t cell) const {
    const auto first = cells_.begin() + static_cast<std::ptrdiff_t>(beginOf(cell));
    const auto last = cells_.begin() + static_cast<std::ptrdiff_t>(endOf(cell));
    return std::ranges::min_element(first, last, {}, rankOf)->face;
}

qint64 CellMap::idOf(std::size_t cell) const {
    const auto first = cells_.begin() + static_cast<std::ptrdiff_t>(beginOf(cell));
    const auto last = cells_.begin() + static_cast<std::ptrdiff_t>(endOf(cell));
    return std::ranges::min_element(first, last, {}, rankOf)->id;
}

// --- in words

QString CellMap::wordsOf(std::size_t cell) const {
    const Format format;
    const std::size_t begin = beginOf(cell);
    const std::size_t end = endOf(cell);
    const qint64 number = base_ + static_cast<qint64>(begin);
    if (end - begin == 1) {
        const MapCell& only = cells_[begin];
        const QString state = only.face ? wordWithin(*only.face) : tr("not known");
        return QStringLiteral("%1, %2, %3").arg(format.number(number), format.number(only.id), state);
    }
    std::array<qint64, kFaces> counts{};
    for (std::size_t i = begin; i < end; ++i)
        if (cells_[i].face) ++counts[static_cast<std::size_t>(*cells_[i].face)];
    QStringList words{
        tr("%1 to %2").arg(format.number(number), format.number(base_ + static_cast<qint64>(end) - 1))};
    for (const DisplayState face : kWorstFirst)
        if (const qint64 count = counts[static_cast<std::size_t>(face)]; count > 0)
            words << QStringLiteral("%1 %2").arg(format.number(count), wordWithin(face));
    return words.join(", ");
}

QString CellMap::spokenValue() const {
    const auto cell = cellOf(current_);
    return cell ? wordsOf(*cell) : QString();
}

std::vector<SpokenPart> CellMap::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (std::size_t i = 0; i < std::min(drawn(), kMostParts); ++i)
        parts.push_back({QAccessible::ListItem, wordsOf(i), {}, {}, areaOf(i)});
    return parts;
}

// --- the hand

void CellMap::choose(std::size_t cell) {
    const auto before = cellOf(current_);
    current_ = idOf(cell);
    // With its frame; not all of them, as a held arrow walks thirty a second.
    if (before) update(areaOf(*before).adjusted(-2, -2, 2, 2));
    update(areaOf(cell).adjusted(-2, -2, 2, 2));
    QAccessibleValueChangeEvent event(this, wordsOf(cell));
    QAccessible::updateAccessibility(&event);
    emit chosen(current_);
}

void CellMap::keyPressEvent(QKeyEvent* event) {
    const auto here = cellOf(current_);
    const auto last = static_cast<qint64>(drawn()) - 1;
    const auto at = static_cast<qint64>(here.value_or(0));
    qint64 next = at;
    switch (event->key()) {
    case Qt::Key_Left: next = at - 1; break;
    case Qt::Key_Right: next = at + 1; break;
    case Qt::Key_Up: next = at - perRow_; break;
    case Qt::Key_Down: next = at + perRow_; break;
    case Qt::Key_Home: next = 0; break;
    case Qt::Key_End: next = last; break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (here) emit opened(current_);
        return;
    default: return QWidget::keyPressEvent(event);
    }
    if (last < 0) return;
    if (!here && event->key() != Qt::Key_End) next = 0;
    if (next >= 0 && next <= last) choose(static_cast<std::size_t>(next));
}

void CellMap::mousePressEvent(QMouseEvent* event) {
    const auto cell = cellAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !cell) return QWidget::mousePressEvent(event);
    choose(*cell);
}

void CellMap::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto cell = cellAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !cell) return QWidget::mouseDoubleClickEvent(event);
    choose(*cell);
    emit opened(current_);
}

bool CellMap::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto cell = cellAt(help->pos());
    if (!cell) {
        QToolTip::hideText();
        return true;
    }
    QToolTip::showText(help->globalPos(), plainTip(wordsOf(*cell)), this);
    emit tipShown(idOf(*cell), help->globalPos());
    return true;
}

void CellMap::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const std::size_t before = per_;
    arrange();
    if (per_ != before) emit perCellChanged();
}

// --- painting

/// At the largest size by shape; below it by outline, fill, and the larger cell of what failed.
void CellMap::paintCell(QPainter& painter, std::size_t cell) const {
    const Theme& theme = Theme::current();
    const auto face = worstOf(cell);
    const CellSize& size = cellSizeOf(pitch_);
    const int body = face == DisplayState::Failed ? size.failed : size.body;
    const QRect area = areaOf(cell);
    const int apart = (pitch_ - body) / 2;
    const QRectF inner(area.left() + apart, area.top() + apart, body, body);
    if (!face) return painter.fillRect(inner, theme(Token::Bg3));
    const bool isPlain = face == DisplayState::Completed || face == DisplayState::Pending;
    if (pitch_ >= kWithShapes && !isPlain)
        return icons::paintFace(painter, inner, theme.scheme(), *face, body, theme(Token::Bg1));
    if (pitch_ == kCellSizes.back().pitch && face == DisplayState::Pending) // no room for an outline
        return painter.fillRect(inner, mixed(theme(Token::Bg1), theme.fillOf(*face), 0.5));
    paint::segment(painter, inner, *face);
}

void CellMap::paintNumbers(QPainter& painter, const QRect& within) const {
    const Format format;
    const auto columns = static_cast<std::size_t>(perRow_);
    const auto step = static_cast<std::size_t>((kNumberApart + pitch_ - 1) / pitch_);
    for (std::size_t row = 0; row * columns < drawn(); row += step) {
        const QRect first = areaOf(row * columns);
        const QRectF area(0, first.center().y() - 7, gutter() - kMapEdge, kNumberApart);
        if (!area.toAlignedRect().intersects(within)) continue;
        paint::number(painter, area, format.number(base_ + static_cast<qint64>(row * columns * per_)),
                      typeface(Type::Caption), Theme::current()(Token::Text3));
    }
}

void CellMap::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(event->rect(), theme(Token::Bg1));
    if (cells_.empty()) return;
    paintNumbers(painter, event->rect());
    for (std::size_t i = 0; i < drawn(); ++i)
        if (event->region().intersects(areaOf(i))) paintCell(painter, i);
    const auto chosenCell = cellOf(current_);
    if (!chosenCell) return;
    const qreal line = hasFocus() ? 2 : 1.5;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme(hasFocus() ? Token::Accent : Token::Text1), line));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(areaOf(*chosenCell)).adjusted(-0.5, -0.5, 0.5, 0.5));
}

} // namespace yard::ui
