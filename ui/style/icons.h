// Icons: one SVG each, 16x16, recoloured. Painted through a cache of pixmaps by name, size, colour and device
// ratio, so that a table of states costs one blit a row. Owner: ui thread.
#pragma once

#include "ui/style/tokens.h"

#include <QIcon>
#include <QPainter>
#include <QPixmap>
#include <QRectF>
#include <QString>

namespace yard::ui::icons {

/// True for the name of an icon that there is ("search", "state-failed").
bool exists(const QString& name);
/// `size` in logical pixels; sharp at `ratio` device pixels each. `cutOut`: what shows through the cross of Failed.
QPixmap pixmap(const QString& name, int size, const QColor& colour, qreal ratio, const QColor& cutOut = Qt::white);
/// Centred in `area`, snapped to device pixels.
void paint(QPainter& painter, const QRectF& area, const QString& name, int size, const QColor& colour,
           const QColor& cutOut = Qt::white);
/// The shape of a state on `under`.
void paintFace(QPainter& painter, const QRectF& area, Scheme scheme, DisplayState face, int size,
               const QColor& under);
/// For buttons and menus: follows the scheme that is current when it is painted; disabled in its token.
QIcon icon(const QString& name, Token token = Token::Text2);
QIcon faceIcon(DisplayState face);

} // namespace yard::ui::icons
