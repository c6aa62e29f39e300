#include "ui/widgets/cell_delegate.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/table.h"

#include <QHeaderView>
#include <QPainter>

#include <algorithm>

namespace yard::ui {

namespace {

QColor cellColourOf(const Theme& theme, const Cell& cell) {
    switch (cell.tone) {
    case Cell::Tone::Normal: return theme(Token::Text1);
    case Cell::Tone::Dim: return theme(Token::Text2);
    case Cell::Tone::Faint: return theme(Token::Text3);
    case Cell::Tone::Alert: return theme.inkOf(DisplayState::Failed);
    case Cell::Tone::Accent: return theme(Token::Accent);
    }
    return {};
}

/// What is not here yet: a bar in place of text.
void paintLoading(QPainter& painter, const QRectF& area, const Theme& theme) {
    const qreal width = std::min<qreal>(area.width(), 48);
    painter.fillRect(QRectF(area.left(), std::round(area.center().y() - 4), width, 8), theme(Token::Bg3));
}

/// At the left end, where there is room beside the number.
void paintMeterBefore(QPainter& painter, const QRectF& area, const Cell& cell) {
    const int wide = scaled(40);
    if (!cell.share || area.width() < 2 * wide) return;
    paint::meter(painter, QRectF(area.left(), std::round(area.center().y() - 3), wide, 6), *cell.share,
                 Theme::current()(Token::Text2));
}

void paintNumber(QPainter& painter, const QRectF& area, const Cell& cell, const QColor& colour) {
    paintMeterBefore(painter, area, cell);
    // Zero and unknown stand back; what failed stands out.
    const bool faint = cell.tone == Cell::Tone::Normal && (cell.text == u"0" || cell.text == Format::unknown());
    const bool alert = cell.tone == Cell::Tone::Alert;
    const QFont& font = typeface(alert ? Type::Strong : Type::Body);
    // Words in place of a number end in an ellipsis, or they would run into the cell before; a number is never cut.
    const bool isWords = std::ranges::none_of(cell.text, [](QChar c) { return c.isDigit(); });
    if (isWords && QFontMetricsF(font).horizontalAdvance(cell.text) > area.width()) {
        paint::text(painter, area, cell.text, font, colour, Qt::AlignRight | Qt::AlignVCenter, Qt::ElideRight);
        return;
    }
    paint::number(painter, area, cell.text, font, faint ? Theme::current()(Token::Text3) : colour);
}

QRectF contentOf(const QRectF& cell, bool first, bool last) {
    return cell.adjusted(first ? 12 : 8, 0, last ? -12 : -8, 0);
}

/// Text with a part that leads elsewhere: that part alone is in accent.
void paintLinked(QPainter& painter, const QRectF& area, const Cell& cell, const QColor& colour) {
    const QFont& font = typeface(Type::Body);
    const QFontMetricsF metrics(font);
    const auto at = cell.text.indexOf(cell.link);
    QRectF left = area;
    for (const auto& [text, ink] :
         {std::pair{cell.text.left(at), colour}, std::pair{cell.link, Theme::current()(Token::Accent)},
          std::pair{cell.text.mid(at + cell.link.size()), colour}}) {
        if (left.width() <= 0 || text.isEmpty()) continue;
        paint::text(painter, left, text, font, ink);
        left.setLeft(left.left() + metrics.horizontalAdvance(text));
    }
}

/// A small button at the right of its cell; its frame is there under the pointer only.
void paintPress(QPainter& painter, const QRectF& area, const Cell& cell, bool hovered) {
    if (cell.text.isEmpty()) return;
    const Theme& theme = Theme::current();
    const QFont& own = typeface(Type::Small);
    const qreal width = QFontMetricsF(own).horizontalAdvance(cell.text) + (cell.icon.isEmpty() ? 16 : 32);
    const QRectF box(area.right() - width + 4, area.top() + 1, width, area.height() - 3);
    if (hovered) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(theme(Token::Line));
        painter.setBrush(theme(Token::Bg2));
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.restore();
    }
    const QColor colour = theme(hovered ? Token::Text1 : Token::Text2);
    QRectF inside = box.adjusted(8, 0, -8, 0);
    if (!cell.icon.isEmpty()) {
        icons::paint(painter, QRectF(inside.left(), inside.top(), 12, inside.height()), cell.icon, 12, colour);
        inside.setLeft(inside.left() + 16);
    }
    paint::text(painter, inside, cell.text, own, colour, Qt::AlignLeft, Qt::ElideNone);
}

bool hasShares(const Cell& cell) {
    return std::ranges::any_of(cell.shares, [](std::int64_t count) { return count > 0; });
}

/// What stands for several actions: the triangle that unfolds it, and how they stand.
void paintBar(QPainter& painter, const QRectF& area, const Cell& cell, const Theme& theme) {
    constexpr qreal kTriangle = 14;
    constexpr int kBar = 98;
    if (!cell.icon.isEmpty())
        icons::paint(painter, QRectF(area.left(), area.top(), kTriangle, area.height()), cell.icon, 14,
                     theme(Token::Text2));
    const qreal left = area.left() + kTriangle + 6;
    const QRectF bar(left, std::round(area.center().y() - 4), std::min<qreal>(scaled(kBar), area.right() - left),
                     8);
    paint::progress(painter, bar, cell.shares);
}

/// What stands before the text, and how much room it takes.
qreal paintIcon(QPainter& painter, const QRectF& area, const Cell& cell, Token under) {
    if (!cell.face && cell.icon.isEmpty()) return 0;
    constexpr qreal kRoom = 21;
    const Theme& theme = Theme::current();
    const QRectF icon(area.left(), area.top(), 14, area.height());
    if (cell.face)
        icons::paintFace(painter, icon, theme.scheme(), *cell.face, 14, theme(under));
    else
        icons::paint(painter, icon, cell.icon, 14, theme(Token::Text2));
    return kRoom;
}

/// What stands at the right end, and how much room it takes.
qreal paintAside(QPainter& painter, const QRectF& area, const Cell& cell) {
    if (cell.aside.isEmpty()) return 0;
    constexpr qreal kGap = 8;
    const QFont& own = typeface(Type::Caption);
    const qreal width = std::min(area.width() / 2, std::ceil(QFontMetricsF(own).horizontalAdvance(cell.aside)) + 1);
    paint::text(painter, QRectF(area.right() - width, area.top(), width, area.height()), cell.aside, own,
                Theme::current()(Token::Text3));
    return width + kGap;
}

} // namespace

QRectF linkArea(const QRectF& cell, const Cell& shown, bool first, bool last) {
    const auto at = shown.target == 0 || shown.link.isEmpty() ? -1 : shown.text.indexOf(shown.link);
    if (at < 0) return {};
    const QFontMetricsF metrics(typeface(Type::Body));
    const QRectF inside = contentOf(cell, first, last);
    const qreal left = inside.left() + metrics.horizontalAdvance(shown.text.left(at));
    return QRectF(left, cell.top(), metrics.horizontalAdvance(shown.link), cell.height()).intersected(inside);
}

namespace {

bool isAtHandIn(const Table& table, int row) {
    return table.isHovered(row) || table.currentIndex().row() == row ||
           table.selectionModel()->isSelected(table.rows()->index(row, 0));
}

/// The next column that is shown; -1: there is none.
int neighbourOf(const QHeaderView& header, int column, int step) {
    for (int at = header.visualIndex(column) + step; at >= 0 && at < header.count(); at += step)
        if (const int logical = header.logicalIndex(at); !header.isSectionHidden(logical)) return logical;
    return -1;
}

/// Its text may go on in the cell behind it. A link may not: what is pressed there is another cell.
bool mayGoOn(const TableModel& rows, int row, int column) {
    const CellKind kind = rows.columns()[static_cast<std::size_t>(column)].kind;
    const bool isText = kind == CellKind::Text || kind == CellKind::Name || kind == CellKind::Mono;
    return isText && rows.cell(row, column).target == 0;
}

bool isSpare(const Table& table, int row, int column) {
    if (table.rows()->columns()[static_cast<std::size_t>(column)].kind != CellKind::Press) return false;
    const Cell cell = table.rows()->cell(row, column);
    return cell.text.isEmpty() || (cell.onHand && !isAtHandIn(table, row));
}

} // namespace

CellRoom roomOf(const Table& table, int row, int column) {
    const QHeaderView& header = *table.horizontalHeader();
    const auto own = [&](int of) {
        return CellRoom{.column = of, .left = table.columnViewportPosition(of), .width = table.columnWidth(of)};
    };
    const TableModel& rows = *table.rows();
    int text = column;
    int button = column;
    if (!rows.isHere(row)) return own(column);
    if (rows.columns()[static_cast<std::size_t>(column)].kind == CellKind::Press)
        text = neighbourOf(header, column, -1);
    else
        button = neighbourOf(header, column, 1);
    if (text < 0 || button < 0 || !isSpare(table, row, button) || !mayGoOn(rows, row, text)) return own(column);
    CellRoom both = own(text);
    both.width += table.columnWidth(button);
    return both;
}

CellDelegate::CellDelegate(Table* table)
    : QStyledItemDelegate(table)
    , table_(table) {}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const TableModel* rows = table_->rows();
    const Theme& theme = Theme::current();
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    const bool active = table_->hasFocus() || table_->isActiveWindow();
    Token under = Token::Bg1;
    if (selected)
        under = active ? Token::Selection : Token::SelectionDim;
    else if (table_->isHovered(index.row()))
        under = Token::Bg3;
    const CellRoom room = roomOf(*table_, index.row(), index.column());
    const Cell cell = rows->isHere(index.row()) ? rows->cell(index.row(), room.column) : Cell{};
    if (cell.isHead && under == Token::Bg1) under = Token::Bg2;
    const QRect area = option.rect;
    painter->fillRect(area, theme(under));
    if (!selected)
        paint::hairline(*painter, QPointF(area.left(), area.bottom()), QPointF(area.right() + 1, area.bottom()),
                        theme(Token::Grid));
    const auto* header = table_->horizontalHeader();
    const bool first = header->visualIndex(index.column()) == 0;
    const bool last = area.right() >= table_->viewport()->width() - 2;
    const QRect whole(room.left, area.top(), room.width, area.height());
    QRectF inside =
        contentOf(whole, header->visualIndex(room.column) == 0, whole.right() >= table_->viewport()->width() - 2);
    if (!rows->isHere(index.row())) {
        paintLoading(*painter, inside, theme);
        return;
    }
    constexpr qreal kDotRadius = 3;
    if (first)
        paint::mark(*painter, QPointF(area.left() + 6, area.center().y()), kDotRadius, rows->markAt(index.row()));
    painter->save();
    if (whole.width() != area.width()) painter->setClipRect(area, Qt::IntersectClip);
    inside.setLeft(inside.left() + scaled(cell.indent));
    paintContent(
        *painter,
        {.inside = inside, .row = index.row(), .column = room.column, .isSelected = selected, .under = under},
        cell);
    painter->restore();
    if (!table_->hasFocus() || table_->currentIndex().row() != index.row()) return;
    // The focus row has a frame, drawn cell by cell.
    const QColor accent = theme(Token::Accent);
    paint::hairline(*painter, area.topLeft(), QPointF(area.right() + 1, area.top()), accent);
    paint::hairline(*painter, area.bottomLeft(), QPointF(area.right() + 1, area.bottom()), accent);
    if (first) paint::hairline(*painter, area.topLeft(), QPointF(area.left(), area.bottom()), accent);
    if (last) paint::hairline(*painter, area.topRight(), QPointF(area.right(), area.bottom()), accent);
}

void CellDelegate::paintContent(QPainter& painter, const Place& place, const Cell& cell) const {
    const TableModel* rows = table_->rows();
    const Theme& theme = Theme::current();
    QRectF inside = place.inside;
    const bool first = table_->horizontalHeader()->visualIndex(place.column) == 0;
    const CellKind kind = rows->columns()[static_cast<std::size_t>(place.column)].kind;
    const QColor colour = cellColourOf(theme, cell);
    if (kind == CellKind::State && cell.face) {
        paint::state(painter, inside, *cell.face, cell.text, place.isSelected, theme(place.under));
    } else if (kind == CellKind::State && hasShares(cell)) {
        paintBar(painter, inside, cell, theme);
    } else if (kind == CellKind::Press && cell.onHand && !isAtHandIn(*table_, place.row)) {
        // its row is not looked at
    } else if (kind == CellKind::Progress) {
        constexpr int kMostProgress = 480;
        const qreal wide = std::min<qreal>(inside.width(), scaled(kMostProgress)); // more says no more
        paint::progress(painter, QRectF(inside.left(), std::round(inside.center().y() - 4), wide, 8), cell.shares);
    } else if (kind == CellKind::Bars) {
        paint::bars(painter, QRectF(inside.left(), inside.top() + 5, inside.width(), inside.height() - 10),
                    cell.bars,
                    cell.tone == Cell::Tone::Faint ? theme(Token::Text3) : theme.fillOf(DisplayState::Failed));
    } else if (kind == CellKind::Press) {
        paintPress(painter, inside, cell, table_->isHovered(place.row));
    } else if (cell.target != 0 && cell.text.contains(cell.link)) {
        paintLinked(painter, inside, cell, colour);
    } else if (kind == CellKind::Number) {
        paintNumber(painter, inside, cell, colour);
    } else {
        inside.setLeft(inside.left() + paintIcon(painter, inside, cell, place.under));
        inside.setRight(inside.right() - paintAside(painter, inside, cell));
        const bool mono = cell.mono || kind == CellKind::Mono;
        const QFont& own = typeface(mono ? Type::Mono : cell.isHead && first ? Type::Strong : Type::Body);
        paint::text(painter, inside, cell.text, own, kind == CellKind::Link ? theme(Token::Accent) : colour,
                    Qt::AlignLeft, kind == CellKind::Name ? Qt::ElideMiddle : Qt::ElideRight);
    }
}

} // namespace yard::ui
