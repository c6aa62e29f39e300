// What tables, strips and charts draw alike: text that elides, a state's icon and word, segmented progress, meters.
// Each paints within `area` in logical pixels and leaves the painter as it was. Owner: ui thread.
#pragma once

#include "ui/style/theme.h"
#include "ui/style/type.h"

#include <QPainter>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace yard::ui {

/// "failed" of an engine's JSON, with what tells the faces of pending.
DisplayState faceOf(std::string_view state, bool held, bool waitsToRetry);
/// The word people read, translated: "Retry waiting".
QString wordOf(DisplayState face);
/// The same within a sentence or a legend: "retry waiting".
QString wordWithin(DisplayState face);
/// "Red"; of Mark::None nothing.
QString wordOf(Mark mark);

namespace paint {

/// One line, centred upright; elided where it does not fit. Returns what was drawn.
QString text(QPainter& painter, const QRectF& area, const QString& text, const QFont& font, const QColor& colour,
             Qt::Alignment alignment = Qt::AlignLeft, Qt::TextElideMode elide = Qt::ElideRight);
/// Digits line up; never elided.
void number(QPainter& painter, const QRectF& area, const QString& text, const QFont& font, const QColor& colour,
            Qt::Alignment alignment = Qt::AlignRight);
/// Icon and word. On the selection the word is in text1 but for Failed, which is bold.
void state(QPainter& painter, const QRectF& area, DisplayState face, const QString& word, bool selected,
           const QColor& under);

/// How many actions are in each face; drawn in the order of kProgressOrder. A face that is there gets at least 3
/// px.
using Shares = std::array<std::int64_t, kFaces>;
void progress(QPainter& painter, const QRectF& area, const Shares& shares);
/// A bar for each number from the left, the largest as high as `area`; what is there gets at least 2 px.
void bars(QPainter& painter, const QRectF& area, std::span<const qint64> numbers, const QColor& colour);
/// One block of a face as bars show it: legends.
void segment(QPainter& painter, const QRectF& area, DisplayState face);
/// Filled to `share` of 1, empty part in bg4.
void meter(QPainter& painter, const QRectF& area, double share, const QColor& full);
/// The dot of a colour that people gave; Mark::None is none.
void mark(QPainter& painter, QPointF centre, qreal radius, Mark mark);
/// A line of one device pixel.
void hairline(QPainter& painter, QPointF from, QPointF to, const QColor& colour);
/// The ground of a panel below something else, with a line above and one below its tabs, which end at `tabsEnd`.
void panelWithTabs(QPainter& painter, const QRectF& area, qreal tabsEnd);

} // namespace paint
} // namespace yard::ui
