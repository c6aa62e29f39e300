#include "ui/widgets/popover.h"

#include "ui/style/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>

namespace yard::ui {

Popover::Popover(QWidget& window, const QString& objectName)
    : QWidget(&window)
    , window_(window) {
    setObjectName(objectName);
    hide();
    // Of the window, so that it is told of sizes; of the program, so that it is told of the focus.
    window.installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (isVisible() && focus_ != nullptr && now != nullptr && now != anchor_ && !holds(now) &&
            now->window() == window_.window())
            leave();
    });
}

bool Popover::holds(const QWidget* widget) const {
    return widget != nullptr && (widget == this || isAncestorOf(widget));
}

void Popover::enter(QWidget* focus, QWidget* anchor) {
    if (!isVisible()) before_ = anchor != nullptr ? anchor : window_.focusWidget();
    anchor_ = anchor;
    focus_ = focus;
    place();
    show();
    raise();
    if (focus == nullptr) return;
    focus->installEventFilter(this); // Esc is the window's as well
    focus->setFocus(Qt::PopupFocusReason);
}

void Popover::leave() {
    if (isHidden()) return;
    const bool had = holds(QApplication::focusWidget());
    hide();
    onLeft();
    if (had && before_) before_->setFocus(Qt::OtherFocusReason);
}

void Popover::place() {
    setGeometry(placed());
}

bool Popover::eventFilter(QObject* on, QEvent* event) {
    if (on == &window_ && event->type() == QEvent::Resize && isVisible()) place();
    const bool isKey = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (on == focus_ && isKey && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        if (event->type() == QEvent::KeyPress) leave();
        return true;
    }
    return QWidget::eventFilter(on, event);
}

void Popover::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme(Token::Bg1));
    painter.save();
    paintInside(painter);
    painter.restore();
    painter.setPen(theme(Token::Line2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

} // namespace yard::ui
