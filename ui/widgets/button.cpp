#include "ui/widgets/button.h"

#include "ui/style/icons.h"
#include "ui/style/paint.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>

namespace yard::ui {

namespace {

constexpr int kIcon = 14;
constexpr int kButtonGap = 6;

} // namespace

Button::Button(Kind kind, const QString& text, const QString& icon, QWidget* parent)
    : QAbstractButton(parent)
    , icon_(icon)
    , kind_(kind) {
    setText(text);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    if (kind == Kind::Link) setCursor(Qt::PointingHandCursor);
}

void Button::setKind(Kind kind) {
    if (kind_ == kind) return;
    kind_ = kind;
    updateGeometry();
    update();
}

void Button::setMenu(QMenu* menu) {
    menu_ = menu;
    connect(this, &QAbstractButton::clicked, menu, [this] { menu_->popup(mapToGlobal(QPoint(0, height() + 2))); });
    updateGeometry();
}

void Button::setHint(const QString& hint) {
    if (hint_ == hint) return;
    hint_ = hint;
    updateGeometry();
    update();
}

void Button::setLit(bool lit) {
    if (lit_ == lit) return;
    lit_ = lit;
    update();
}

void Button::setIconName(const QString& icon) {
    if (icon_ == icon) return;
    icon_ = icon;
    updateGeometry();
    update();
}

void Button::setBlocked(const QString& why) {
    if (!blocked_) tip_ = toolTip();
    blocked_ = !why.isEmpty();
    setEnabled(!blocked_);
    setToolTip(blocked_ ? why : tip_);
}

int Button::heightOf() const {
    return scaled(kind_ == Kind::Small || kind_ == Kind::Link ? 22 : 28);
}

QSize Button::sizeHint() const {
    int width = 2 * padding();
    if (!icon_.isEmpty()) width += kIcon + (text().isEmpty() ? 0 : gap());
    width += QFontMetrics(ownFont()).horizontalAdvance(text());
    if (!hint_.isEmpty()) width += gap() + 2 + QFontMetrics(typeface(Type::Caption)).horizontalAdvance(hint_);
    if (menu_ != nullptr) width += gap() + kIcon;
    const int height = heightOf();
    if (text().isEmpty() && hint_.isEmpty()) width = std::max(width, height);
    return {width, height};
}

Button::Look Button::look() const {
    const Theme& theme = Theme::current();
    const bool hot = isEnabled() && underMouse();
    const bool down = isEnabled() && (isDown() || isChecked());
    Look look{theme(Token::Line), theme(down ? Token::Bg4 : hot ? Token::Bg3 : Token::Bg2), theme(Token::Text1)};
    switch (kind_) {
    case Kind::Plain:
    case Kind::Small: break;
    case Kind::Primary:
        look.inside = down  ? mixed(theme(Token::AccentFill), theme(Token::Bg0), 0.25)
                      : hot ? mixed(theme(Token::AccentFill), theme(Token::OnAccent), 0.08)
                            : theme(Token::AccentFill);
        look.border = look.inside;
        look.text = theme(Token::OnAccent);
        break;
    case Kind::Flat:
        look.border = Qt::transparent;
        look.inside = down ? theme(Token::Bg4) : hot ? theme(Token::Bg3) : QColor(Qt::transparent);
        look.text = theme(hot || down ? Token::Text1 : Token::Text2);
        break;
    case Kind::Link:
        look.border = look.inside = Qt::transparent;
        look.text = theme(Token::Accent);
        break;
    }
    if (lit_ && kind_ != Kind::Primary) look.border = look.text = theme(Token::Accent);
    if (!isEnabled()) {
        look.text = theme(Token::Disabled);
        if (kind_ == Kind::Primary) look.inside = look.border = theme(Token::Bg3);
    }
    return look;
}

const QFont& Button::ownFont() const {
    return typeface(kind_ == Kind::Small ? Type::Small : kind_ == Kind::Primary ? Type::Strong : Type::Body);
}

int Button::padding() const {
    return kind_ == Kind::Link ? 2 : kind_ == Kind::Small ? 8 : 10;
}

int Button::gap() const {
    return kind_ == Kind::Small ? 4 : kButtonGap;
}

void Button::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const Look shown = look();
    painter.setRenderHint(QPainter::Antialiasing);
    if (kind_ != Kind::Link) {
        painter.setPen(shown.border);
        painter.setBrush(shown.inside);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    }
    paintContents(painter, shown);
    if (!hasFocus()) return;
    painter.setPen(QPen(theme(Token::Accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
}

void Button::paintContents(QPainter& painter, const Look& shown) const {
    const QFont& own = ownFont();
    const bool wordless = text().isEmpty() && hint_.isEmpty();
    QRectF at = QRectF(rect()).adjusted(padding(), 0, -padding(), 0);
    if (wordless && menu_ == nullptr) at = rect();
    if (!icon_.isEmpty()) {
        const QRectF area = wordless ? at : QRectF(at.left(), at.top(), kIcon, at.height());
        icons::paint(painter, area, icon_, kIcon, shown.text);
        at.setLeft(at.left() + kIcon + gap());
    }
    if (menu_ != nullptr) {
        icons::paint(painter, QRectF(at.right() - kIcon, at.top(), kIcon, at.height()), "down", kIcon, shown.text);
        at.setRight(at.right() - kIcon - gap());
    }
    const qreal width = QFontMetricsF(own).horizontalAdvance(text());
    const bool fits = width <= at.width() + 2; // the hint of its size is in whole pixels
    paint::text(painter, QRectF(at.left(), at.top(), fits ? width + 1 : at.width(), at.height()), text(), own,
                shown.text, Qt::AlignLeft, fits ? Qt::ElideNone : Qt::ElideRight);
    if (!hint_.isEmpty())
        paint::text(painter, at, hint_, typeface(Type::Caption), lit_ ? shown.text : Theme::current()(Token::Text3),
                    Qt::AlignRight, Qt::ElideNone);
}

void Button::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
    QAbstractButton::keyPressEvent(event);
}

void Button::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) updateGeometry();
    QAbstractButton::changeEvent(event);
}

} // namespace yard::ui
