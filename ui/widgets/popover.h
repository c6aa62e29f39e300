// What opens over the window's content: the palette, the bell's list, the overlay of keys, what a filter offers. A
// child of the window without a frame of the system's, so that it works wherever windows cannot place others.
// Owner: ui thread.
//
// One that takes the focus is left by Esc, by a click elsewhere in the window, and gives the focus back.
#pragma once

#include <QPointer>
#include <QWidget>

QT_BEGIN_NAMESPACE
class QPainter;
QT_END_NAMESPACE

namespace yard::ui {

class Popover : public QWidget {
    Q_OBJECT
public:
    void leave();

protected:
    /// Hidden; over `window`, which outlives it.
    Popover(QWidget& window, const QString& objectName);

    QWidget& over() const { return window_; }
    /// Shows it in its place. `focus`: of it, has the focus from now on; null: the focus stays where it is.
    /// `anchor`: what it belongs to, has the focus afterwards, and may be pressed without leaving.
    void enter(QWidget* focus, QWidget* anchor = nullptr);
    /// Where it is to stand within the window; lays out what is in it. Asked again when that has another size.
    virtual QRect placed() = 0;
    void place();
    /// On the ground, within the frame.
    virtual void paintInside(QPainter& painter) { static_cast<void>(painter); }
    virtual void onLeft() {}

    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* on, QEvent* event) override;

private:
    bool holds(const QWidget* widget) const;
    QWidget& window_;
    QPointer<QWidget> focus_;
    QPointer<QWidget> anchor_;
    QPointer<QWidget> before_;
};

} // namespace yard::ui
