// What a widget paints, as text with its place: it is painted into a device that keeps every piece of text. For
// tests that read what an operator reads, and see what lies over what.
#pragma once

#include <QRectF>
#include <QString>
#include <functional>
#include <vector>

QT_BEGIN_NAMESPACE
class QPainter;
class QWidget;
QT_END_NAMESPACE

namespace yard::test {

/// Text without a gap in it: what was painted digit by digit, or in several inks, is one piece.
struct Piece {
    QString text;
    QRectF area; ///< in the widget; ascent to descent
    QRectF clip; ///< what of the widget could be painted there
    /// Of its width all can be seen.
    bool isWholeAcross() const { return area.left() >= clip.left() - 1 && area.right() <= clip.right() + 1; }
    /// Most of its height can be seen.
    bool isInView() const;
    /// A number that was cut: what is left of it says something else.
    bool isCutNumber() const;
};

class Painted {
public:
    /// The widget with its children, as far as they are shown.
    explicit Painted(QWidget& widget);
    /// What `paint` paints of a widget that keeps a picture of itself.
    Painted(QWidget& widget, const std::function<void(QPainter&)>& paint);

    /// In view, line by line, from the left.
    const std::vector<Piece>& pieces() const { return pieces_; }
    /// Of those whose middle is within; a space between pieces, a line break between lines.
    QString text(const QRectF& within) const;
    QString text() const { return text(QRectF(-1e6, -1e6, 2e6, 2e6)); }
    bool says(const QString& words) const { return text().contains(words); }
    /// Small pictures that can be seen, as they were painted.
    const std::vector<QRectF>& icons() const { return icons_; }

private:
    void take(std::vector<Piece> runs);
    std::vector<Piece> pieces_;
    std::vector<QRectF> icons_;
};

} // namespace yard::test
