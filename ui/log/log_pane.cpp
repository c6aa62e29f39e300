#include "ui/log/log_pane.h"

#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QCheckBox>
#include <QKeyEvent>
#include <QLineEdit>

namespace yard::ui {

LogPane::LogPane(QWidget* parent)
    : QWidget(parent)
    , view_(new LogView)
    , bar_(new Surface(Token::Bg2))
    , find_(new QLineEdit)
    , only_(new QLineEdit)
    , pause_(new QCheckBox(tr("Pause"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makeBar();
    column->addWidget(bar_);
    column->addWidget(view_, 1);
    setFocusProxy(view_);
}

void LogPane::makeBar() {
    auto* row = new QHBoxLayout(bar_);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(8);
    find_->setPlaceholderText(tr("Find; Enter for the next"));
    find_->setAccessibleName(tr("Find in output"));
    only_->setPlaceholderText(tr("Only lines that hold…"));
    only_->setAccessibleName(tr("Filter output"));
    auto* close = new Button(Button::Kind::Flat, {}, "close");
    close->setAccessibleName(tr("Close find"));
    close->setToolTip(tr("Esc"));
    row->addWidget(find_, 1);
    row->addWidget(only_, 1);
    row->addWidget(pause_);
    row->addWidget(close);
    bar_->hide();
    connect(find_, &QLineEdit::textChanged, this, [this](const QString& text) { view_->find(text); });
    connect(find_, &QLineEdit::returnPressed, this, [this] { findNext(false); });
    connect(only_, &QLineEdit::textChanged, view_, &LogView::setFilter);
    connect(pause_, &QCheckBox::toggled, view_, &LogView::setPaused);
    connect(close, &QAbstractButton::clicked, this, &LogPane::closeFind);
}

void LogPane::openFind() {
    bar_->show();
    find_->setFocus();
    find_->selectAll();
}

void LogPane::closeFind() {
    find_->clear();
    only_->clear();
    pause_->setChecked(false); // nothing that is seen would say that it is one
    bar_->hide();
    view_->setFocus();
}

void LogPane::findNext(bool backwards) {
    if (find_->text().isEmpty()) return openFind();
    view_->find(find_->text(), backwards);
}

bool LogPane::isOwnKey(const QKeyEvent& event) const {
    if (event.matches(QKeySequence::Find)) return true;
    if (event.key() == Qt::Key_F3) return (event.modifiers() & ~Qt::ShiftModifier) == Qt::NoModifier;
    return event.key() == Qt::Key_Escape && isFinding();
}

/// Before they are shortcuts of the page or the window.
bool LogPane::event(QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride || !isOwnKey(*static_cast<QKeyEvent*>(event)))
        return QWidget::event(event);
    event->accept();
    return true;
}

void LogPane::keyPressEvent(QKeyEvent* event) {
    if (!isOwnKey(*event)) return QWidget::keyPressEvent(event);
    if (event->key() == Qt::Key_F3) return findNext((event->modifiers() & Qt::ShiftModifier) != 0);
    event->key() == Qt::Key_Escape ? closeFind() : openFind();
}

} // namespace yard::ui
