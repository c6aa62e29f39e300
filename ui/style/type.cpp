#include "ui/style/type.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace yard::ui {

namespace {

struct Shape {
    double size;
    bool semibold;
    bool mono;
};

constexpr std::array<Shape, kTypes> kShapes{{{16, true, false},
                                             {13, false, false},
                                             {13, true, false},
                                             {18, true, false},
                                             {12, false, false},
                                             {11, false, false},
                                             {10.5, false, false},
                                             {12, false, true}}};

struct Fonts {
    double scale = 1;
    bool system = false;
    int row = 24;
    std::optional<std::array<QFont, kTypes>> made;
};

Fonts& fonts() {
    static Fonts kept;
    return kept;
}

QFont made(const Shape& shape, double scale, bool system) {
    QFont font;
    const QString family = shape.mono ? QStringLiteral("JetBrains Mono") : QStringLiteral("Inter");
    if (shape.mono) {
        font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        font.setStyleHint(QFont::Monospace);
    }
    if ((shape.mono || !system) && QFontDatabase::hasFamily(family)) font.setFamily(family);
    font.setPixelSize(qRound(shape.size * scale));
    font.setWeight(shape.semibold ? QFont::DemiBold : QFont::Normal);
    // Ligatures in output would show characters that are not there.
    if (shape.mono) font.setStyleStrategy(QFont::StyleStrategy(font.styleStrategy() | QFont::PreferNoShaping));
    return font;
}

qreal widestDigit(const QFontMetricsF& metrics) {
    qreal widest = 0;
    for (char16_t digit = u'0'; digit <= u'9'; ++digit)
        widest = std::max(widest, metrics.horizontalAdvance(QChar(digit)));
    return widest;
}

/// The advance of a digit by font: asked for each cell that is painted.
qreal digitAdvance(const QFont& font) {
    struct Entry {
        QString key;
        qreal advance = 0;
    };
    static std::array<Entry, kTypes> entries;
    static std::size_t next = 0;
    const QString key = font.key();
    for (const Entry& entry : entries)
        if (entry.key == key) return entry.advance;
    Entry& entry = entries[next++ % entries.size()];
    entry = {key, widestDigit(QFontMetricsF(font))};
    return entry.advance;
}

} // namespace

const QFont& typeface(Type type) {
    Fonts& kept = fonts();
    if (!kept.made) {
        kept.made.emplace();
        for (std::size_t i = 0; i < kTypes; ++i) (*kept.made)[i] = made(kShapes[i], kept.scale, kept.system);
    }
    return (*kept.made)[std::to_underlying(type)];
}

void setTextScale(double scale) {
    fonts().scale = std::clamp(scale, 0.9, 1.5);
    fonts().made.reset();
    if (qApp != nullptr) QApplication::setFont(typeface(Type::Body));
}

double textScale() {
    return fonts().scale;
}

void setSystemFont(bool use) {
    fonts().system = use;
    fonts().made.reset();
    if (qApp != nullptr) QApplication::setFont(typeface(Type::Body));
}

bool usesSystemFont() {
    return fonts().system;
}

void setTableRowHeight(int height) {
    fonts().row = height;
}

int tableRowHeight() {
    return fonts().row;
}

int scaled(int length) {
    return qRound(length * fonts().scale);
}

qreal numberWidth(const QFont& font, const QString& text) {
    const QFontMetricsF metrics(font);
    const qreal digit = digitAdvance(font);
    qreal width = 0;
    for (const QChar c : text) width += c.isDigit() ? digit : metrics.horizontalAdvance(c);
    return width;
}

void drawNumber(QPainter& painter, const QRectF& area, const QString& text, Qt::Alignment alignment) {
    const QFontMetricsF metrics(painter.font());
    const qreal digit = digitAdvance(painter.font());
    const qreal width = numberWidth(painter.font(), text);
    qreal x = area.left();
    if ((alignment & Qt::AlignRight) != 0) x = area.right() - width;
    if ((alignment & Qt::AlignHCenter) != 0) x = area.center().x() - width / 2;
    const qreal y = std::round(area.center().y() + (metrics.ascent() - metrics.descent()) / 2);
    // Runs of what is not a digit are drawn together: " min " keeps its kerning.
    for (qsizetype at = 0; at < text.size();) {
        if (text[at].isDigit()) {
            const qreal own = metrics.horizontalAdvance(text[at]);
            painter.drawText(QPointF(x + (digit - own) / 2, y), text.mid(at, 1));
            x += digit;
            ++at;
            continue;
        }
        qsizetype end = at;
        qreal run = 0;
        for (; end < text.size() && !text[end].isDigit(); ++end) run += metrics.horizontalAdvance(text[end]);
        painter.drawText(QPointF(x, y), text.mid(at, end - at));
        x += run;
        at = end;
    }
}

} // namespace yard::ui
