#include "ui/widgets/table_header.h"

#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/table_model.h"

#include <QPainter>

namespace yard::ui {

TableHeader::TableHeader(QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
    setSectionsMovable(true);
    setHighlightSections(false);
    setMinimumSectionSize(24);
    setFixedHeight(scaled(26));
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setAttribute(Qt::WA_Hover);
}

QSize TableHeader::sizeHint() const {
    return {QHeaderView::sizeHint().width(), scaled(26)};
}

namespace {

void paintBack(QWidget& widget) {
    QPainter painter(&widget);
    const Theme& theme = Theme::current();
    const int bottom = widget.height() - 1;
    painter.fillRect(widget.rect(), theme(Token::Bg2));
    paint::hairline(painter, QPointF(0, bottom), QPointF(widget.width(), bottom), theme(Token::Line));
}

} // namespace

HeaderEnd::HeaderEnd(QWidget* parent)
    : QWidget(parent) {
    setFixedHeight(scaled(26));
}

void HeaderEnd::paintEvent(QPaintEvent*) {
    paintBack(*this);
}

void TableHeader::paintEvent(QPaintEvent* event) {
    paintBack(*viewport());
    QHeaderView::paintEvent(event);
}

void TableHeader::paintSection(QPainter* painter, const QRect& area, int section) const {
    const auto* rows = qobject_cast<const TableModel*>(model());
    if (rows == nullptr || !area.isValid()) return;
    const Theme& theme = Theme::current();
    painter->save();
    painter->fillRect(area, theme(Token::Bg2));
    paint::hairline(*painter, QPointF(area.left(), area.bottom()), QPointF(area.right() + 1, area.bottom()),
                    theme(Token::Line));
    const Column& column = rows->columns()[static_cast<std::size_t>(section)];
    const bool first = visualIndex(section) == 0;
    const bool last = logicalIndexAt(width() - 1) == section;
    QRectF text = QRectF(area).adjusted(first ? 12 : 8, 0, last ? -12 : -8, 0);
    const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    const bool right = column.kind == CellKind::Number;
    if (sorted) {
        const QFontMetricsF metrics(typeface(Type::Caption));
        const qreal width = metrics.horizontalAdvance(column.title);
        const qreal x = right ? text.right() - width - 16 : text.left();
        const QRectF caret(x, area.top(), 12, area.height());
        painter->save();
        if (sortIndicatorOrder() == Qt::AscendingOrder) { // upside down
            painter->translate(caret.center());
            painter->scale(1, -1);
            painter->translate(-caret.center());
        }
        icons::paint(*painter, caret, "down", 12, theme(Token::Accent));
        painter->restore();
        if (!right) text.setLeft(text.left() + 16);
    }
    paint::text(*painter, text, column.title, typeface(Type::Caption), theme(sorted ? Token::Text1 : Token::Text2),
                right ? Qt::AlignRight : Qt::AlignLeft);
    painter->restore();
}

} // namespace yard::ui
