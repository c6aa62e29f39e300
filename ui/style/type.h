// The type of the window: a few fonts by name, scaled together, and digits that line up. Owner: ui thread.
//
// Inter and JetBrains Mono where they are installed, else the system's. Qt 6.4 cannot switch on tabular figures, so
// numbers are placed digit by digit on the advance of the widest one.
#pragma once

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QString>
#include <cstdint>

namespace yard::ui {

enum class Type : std::uint8_t {
    Title,    ///< 16, semibold
    Body,     ///< 13
    Strong,   ///< 13, semibold
    Figure,   ///< 18, semibold: the numbers of a strip
    Small,    ///< 12: small buttons, chips
    Caption,  ///< 11: heads of tables, chart labels, status bar
    BarLabel, ///< 10.5: inside bars
    Mono      ///< 12: output, hashes, commands, filters
};
inline constexpr std::size_t kTypes = 8;

const QFont& typeface(Type type);

/// 0.9 to 1.5; what is outside is brought to the nearest. Widgets made before keep their fonts until they are asked
/// to change (QEvent::FontChange follows for the application's font).
void setTextScale(double scale);
double textScale();
/// The desktop's own font in place of Inter.
void setSystemFont(bool use);
bool usesSystemFont();

/// Of tables that do not say otherwise, at 100 %: 24, or 28. For tables made from then on.
void setTableRowHeight(int height);
int tableRowHeight();

/// `length` at 100 % of text in pixels of now: heights of rows and heads grow with the text.
int scaled(int length);

/// `text` with every digit as wide as the widest, so that columns line up.
qreal numberWidth(const QFont& font, const QString& text);
void drawNumber(QPainter& painter, const QRectF& area, const QString& text, Qt::Alignment alignment);

} // namespace yard::ui
