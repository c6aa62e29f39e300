#include "ui/widgets/page_head.h"

#include "ui/style/icons.h"
#include "ui/style/paint.h"

#include <QKeyEvent>
#include <QPainter>

namespace yard::ui {

FilterField::FilterField(const QString& placeholder, bool language, QWidget* parent)
    : QLineEdit(parent) {
    setPlaceholderText(placeholder);
    setAccessibleName(placeholder);
    if (language) setFont(typeface(Type::Mono));
    setTextMargins(24, 0, 24, 0);
    setMaxLength(4'096);
    setFixedHeight(scaled(28));
    setMinimumWidth(scaled(160));
}

void FilterField::setProblem(const QString& why) {
    if (problem_ == why) return;
    problem_ = why;
    setToolTip(why);
    setAccessibleDescription(why);
    update();
}

void FilterField::setCount(const QString& count) {
    if (count_ == count) return;
    count_ = count;
    const qreal width = count.isEmpty() ? 24 : numberWidth(typeface(Type::Caption), count) + 16;
    setTextMargins(24, 0, qRound(width), 0);
    update();
}

void FilterField::focusAll() {
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
}

void FilterField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const Theme& theme = Theme::current();
    icons::paint(painter, QRectF(8, 0, 14, height()), "filter", 14, theme(Token::Text2));
    if (!problem_.isEmpty()) {
        painter.setPen(QPen(theme.inkOf(Face::Failed), 1.5));
        const qreal y = height() - 5;
        const qreal width = std::min<qreal>(fontMetrics().horizontalAdvance(text()), this->width() - 60);
        painter.drawLine(QPointF(30, y), QPointF(30 + width, y));
    }
    if (!count_.isEmpty()) {
        paint::number(painter, QRectF(0, 0, width() - 10, height()), count_, typeface(Type::Caption),
                      theme(Token::Text3), Qt::AlignRight);
        return;
    }
    if (!text().isEmpty() || hasFocus()) return;
    const QRectF key(width() - 24, height() / 2.0 - 9, 16, 18);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme(Token::Line));
    painter.drawRoundedRect(key, 3, 3);
    paint::text(painter, key, QStringLiteral("/"), typeface(Type::Caption), theme(Token::Text3), Qt::AlignHCenter,
                Qt::ElideNone);
}

void FilterField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) return clear();
    QLineEdit::keyPressEvent(event);
}

PageHead::PageHead(const QString& title, QWidget* parent)
    : QWidget(parent)
    , left_(new QHBoxLayout)
    , right_(new QHBoxLayout)
    , note_(new Label({}, Type::Body, Token::Text3)) {
    setFixedHeight(scaled(48));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 0, 16, 0);
    row->setSpacing(8);
    row->addWidget(new Label(title, Type::Title, Token::Text1));
    row->addWidget(note_);
    left_->setSpacing(8);
    right_->setSpacing(8);
    row->addSpacing(4);
    row->addLayout(left_, 1);
    row->addLayout(right_);
    left_->addStretch(1);
}

void PageHead::setNote(const QString& note) {
    note_->setText(note);
}

void PageHead::addLeft(QWidget* widget, int stretch) {
    left_->insertWidget(left_->count() - 1, widget, stretch);
}

void PageHead::addRight(QWidget* widget) {
    right_->addWidget(widget);
}

void PageHead::addSeparator() {
    right_->addWidget(new Rule(Qt::Vertical));
}

} // namespace yard::ui
