#include "ui/pages/failures/masked_line.h"

#include "ui/style/paint.h"
#include "ui/widgets/text_view.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace yard::ui {

namespace {
constexpr int kLineHeight = 34;
constexpr int kLineMargin = 12;
} // namespace

MaskedLine::MaskedLine(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void MaskedLine::show(const QString& line) {
    pieces_ = piecesOfLine(line);
    setAccessibleName(line);
    setToolTip(plainTip(line));
    update();
}

QSize MaskedLine::sizeHint() const {
    return {0, scaled(kLineHeight)};
}

QSize MaskedLine::minimumSizeHint() const {
    return sizeHint();
}

void MaskedLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const QFont& font = typeface(Type::Mono);
    const QFontMetricsF metrics(font);
    painter.fillRect(rect(), theme(Token::Bg1));
    QRectF left = QRectF(rect()).adjusted(kLineMargin, 0, -kLineMargin, 0);
    for (const LinePiece& piece : pieces_) {
        if (left.width() <= 0) break;
        const qreal width = metrics.horizontalAdvance(piece.text);
        if (piece.isMask)
            painter.fillRect(QRectF(left.left(), left.center().y() - metrics.height() / 2,
                                    std::min(width, left.width()), metrics.height()),
                             theme(Token::Selection));
        paint::text(painter, left, piece.text, font, theme(piece.isMask ? Token::Accent : Token::Text1));
        left.setLeft(left.left() + width);
    }
}

} // namespace yard::ui
