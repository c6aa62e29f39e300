#include "ui/widgets/panel.h"

#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/text_view.h"

#include <QEvent>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace yard::ui {

Label::Label(const QString& text, Type type, Token token, QWidget* parent)
    : QWidget(parent)
    , text_(text)
    , type_(type)
    , token_(token) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
}

void Label::setText(const QString& text) {
    if (text_ == text) return;
    text_ = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

void Label::setToken(Token token) {
    if (token_ == token) return;
    token_ = token;
    update();
}

void Label::setInk(std::optional<DisplayState> face) {
    if (ink_ == face) return;
    ink_ = face;
    update();
}

void Label::setType(Type type) {
    type_ = type;
    updateGeometry();
    update();
}

void Label::setElides(bool elides) {
    if (elides_ == elides) return;
    elides_ = elides;
    setSizePolicy(elides ? QSizePolicy::Preferred : QSizePolicy::Fixed, QSizePolicy::Fixed);
    updateGeometry();
}

QSize Label::sizeHint() const {
    const QFont& own = typeface(type_);
    const int width = static_cast<int>(
        std::ceil(std::max(numberWidth(own, text_), QFontMetricsF(own).horizontalAdvance(text_)) + 1));
    return QSize(width, QFontMetrics(own).height()).grownBy(contentsMargins());
}

QSize Label::minimumSizeHint() const {
    return elides_ ? QSize(0, sizeHint().height()) : sizeHint();
}

void Label::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const bool numeric = !text_.isEmpty() && text_.front().isDigit();
    const Theme& theme = Theme::current();
    const QColor colour = ink_ ? theme.inkOf(*ink_) : theme(isEnabled() ? token_ : Token::Disabled);
    if (numeric && (!elides_ || sizeHint().width() <= width()))
        return paint::number(painter, contentsRect(), text_, typeface(type_), colour, Qt::AlignLeft);
    paint::text(painter, contentsRect(), text_, typeface(type_), colour, Qt::AlignLeft,
                elides_ ? Qt::ElideRight : Qt::ElideNone);
}

bool Label::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && elides_ && toolTip().isEmpty()) {
        if (sizeHint().width() > width())
            QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainTip(text_), this);
        return true;
    }
    return QWidget::event(event);
}

QScrollArea* scrolling(QWidget* content) {
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    return scroll;
}

Separator::Separator(Qt::Orientation orientation, QWidget* parent)
    : QWidget(parent)
    , orientation_(orientation) {
    const bool upright = orientation == Qt::Vertical;
    setSizePolicy(upright ? QSizePolicy::Fixed : QSizePolicy::Preferred,
                  upright ? QSizePolicy::Preferred : QSizePolicy::Fixed);
}

QSize Separator::sizeHint() const {
    return orientation_ == Qt::Vertical ? QSize(9, 16) : QSize(16, 1);
}

void Separator::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QColor line = Theme::current()(Token::Line);
    if (orientation_ == Qt::Horizontal) return painter.fillRect(rect(), line);
    painter.fillRect(QRect(width() / 2, (height() - 16) / 2, 1, 16), line);
}

Surface::Surface(Token token, QWidget* parent)
    : QWidget(parent)
    , token_(token) {}

void Surface::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), Theme::current()(token_));
}

Panel::Panel(const QString& title, bool framed, QWidget* parent)
    : QWidget(parent)
    , column_(new QVBoxLayout(this))
    , head_(new QHBoxLayout)
    , icon_(new QLabel)
    , title_(new Label(title, Type::Strong, Token::Text1))
    , note_(new Label({}, Type::Body, Token::Text3))
    , framed_(framed) {
    const int edge = framed ? 1 : 0;
    column_->setContentsMargins(edge, edge, edge, edge);
    column_->setSpacing(0);
    auto* head = new QWidget;
    head->setFixedHeight(scaled(32));
    head->setLayout(head_);
    head_->setContentsMargins(12, 0, 12, 0);
    head_->setSpacing(8);
    head_->addWidget(icon_);
    icon_->hide();
    title_->setElides(true);
    head_->addWidget(title_);
    note_->setElides(true);
    // The note has what is left over, so that it gives way before the title does.
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    head_->addWidget(note_, 1);
    column_->addWidget(head);
    setAccessibleName(title);
    connect(&Theme::current(), &Theme::changed, this, &Panel::paintIcon);
}

void Panel::setTitle(const QString& title) {
    title_->setText(title);
    setAccessibleName(title);
}

void Panel::setNote(const QString& note) {
    note_->setText(note);
}

void Panel::addToHead(QWidget* widget) {
    head_->addWidget(widget);
}

void Panel::setIcon(const QString& icon) {
    image_ = icons::icon(icon, Token::Text2);
    paintIcon();
}

void Panel::setFace(DisplayState face) {
    image_ = icons::faceIcon(face);
    paintIcon();
}

void Panel::paintIcon() {
    if (image_.isNull()) return;
    icon_->setPixmap(image_.pixmap(QSize(14, 14), devicePixelRatioF()));
    icon_->show();
}

void Panel::setBody(QWidget* body) {
    column_->addWidget(body, 1);
}

void Panel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const int head = scaled(32);
    const int edge = framed_ ? 1 : 0;
    painter.fillRect(rect(), theme(Token::Bg1));
    painter.fillRect(QRect(0, 0, width(), head + edge), theme(Token::Bg2));
    paint::hairline(painter, QPointF(0, head + edge - 1), QPointF(width(), head + edge - 1), theme(Token::Line));
    if (!framed_) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme(Token::Line));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
}

} // namespace yard::ui
