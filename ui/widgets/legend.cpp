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

QSize Legend::sizeHint() const {
    const QFontMetrics metrics(typeface(Type::Caption));
    int width = 0;
    for (const Entry& entry : entries_)
        width += kBlock + kLegendGap + metrics.horizontalAdvance(entry.text) + 1 + kLegendApart;
    return {std::max(0, width - kLegendApart), scaled(16)};
}

/// They move closer where there is little room; what does not fit whole then is left out, from the right.
void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QFontMetrics metrics(typeface(Type::Caption));
    const int gaps = std::max(1, static_cast<int>(entries_.size()) - 1);
    const int apart =
        std::clamp(kLegendApart - (sizeHint().width() - width() + gaps - 1) / gaps, kLeastApart, kLegendApart);
    const QColor colour = Theme::current()(Token::Text2);
    int x = 0;
    for (const Entry& entry : entries_) {
        const int text = metrics.horizontalAdvance(entry.text) + 1;
        if (x + kBlock + kLegendGap + text > width()) return;
        entry.block(painter, QRectF(x, (height() - 8) / 2.0, kBlock, 8));
        paint::text(painter, QRectF(x + kBlock + kLegendGap, 0, text, height()), entry.text,
                    typeface(Type::Caption), colour, Qt::AlignLeft, Qt::ElideNone);
        x += kBlock + kLegendGap + text + apart;
    }
}

} // namespace yard::ui
