#include "ui/widgets/legend.h"

#include "ui/style/paint.h"

#include <QFontMetrics>

#include <utility>

namespace yard::ui {

namespace {
constexpr int kBlock = 10;
constexpr int kLegendGap = 4;
constexpr int kLegendApart = 10;
constexpr int kLeastApart = 5;
} // namespace

Legend::Legend(std::vector<Entry> entries, QWidget* parent)
    : QWidget(parent)
    , entries_(std::move(entries)) {
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    QStringList words;
    for (const Entry& entry : entries_) words << entry.text;
    setAccessibleName(words.join(QStringLiteral(", ")));
}

Legend::Entry Legend::of(DisplayState face) {
    return {wordWithin(face),
            [face](QPainter& painter, const QRectF& area) { paint::segment(painter, area, face); }};
}

Legend::Entry Legend::filled(const QString& text, std::function<QColor()> colour) {
    return {text, [colour = std::move(colour)](QPainter& painter, const QRectF& area) {
                painter.fillRect(area, colour());
            }};
}

void Legend::setMostLines(int lines) {
    lines_ = lines;
    updateGeometry();
    update();
}

int Legend::widthOf(const Entry& entry) {
    return kBlock + kLegendGap + QFontMetrics(typeface(Type::Caption)).horizontalAdvance(entry.text) + 1;
}

QSize Legend::sizeHint() const {
    int width = 0;
    for (const Entry& entry : entries_) width += widthOf(entry) + kLegendApart;
    return {std::max(0, width - kLegendApart), scaled(16) * lines_};
}

/// They move closer where there is little room, then go to the next line; what does not fit whole is left out, from
/// the right.
void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int gaps = std::max(1, static_cast<int>(entries_.size()) - 1);
    const int apart =
        std::clamp(kLegendApart - (sizeHint().width() - width() + gaps - 1) / gaps, kLeastApart, kLegendApart);
    const QColor colour = Theme::current()(Token::Text2);
    const int least = sizeHint().width() - gaps * (kLegendApart - kLeastApart);
    const int lines = least > width() ? lines_ : 1;
    const int tall = height() / lines;
    int x = 0;
    int line = 0;
    for (const Entry& entry : entries_) {
        const int wide = widthOf(entry);
        if (x + wide > width() && x > 0 && line + 1 < lines) {
            x = 0;
            ++line;
        }
        if (x + wide > width()) return;
        const qreal top = tall * line;
        entry.block(painter, QRectF(x, top + (tall - 8) / 2.0, kBlock, 8));
        paint::text(painter, QRectF(x + kBlock + kLegendGap, top, wide - kBlock - kLegendGap, tall), entry.text,
                    typeface(Type::Caption), colour, Qt::AlignLeft, Qt::ElideNone);
        x += wide + apart;
    }
}

} // namespace yard::ui
