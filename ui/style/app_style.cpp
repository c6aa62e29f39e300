#include "ui/style/app_style.h"

#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QStyledItemDelegate>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kScrollBar = 10;
constexpr int kLeastThumb = 32;
constexpr int kFieldMargin = 4;
constexpr int kChoiceRow = 24;
constexpr int kBoxArrow = 12;

void frame(QPainter& painter, const QRect& area, const QColor& border, const QColor& inside, qreal width = 1) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(border, width));
    painter.setBrush(inside);
    const qreal half = width / 2;
    painter.drawRoundedRect(QRectF(area).adjusted(half, half, -half, -half), 3, 3);
    painter.restore();
}

void fieldFrame(QPainter& painter, const QStyleOption& option) {
    const Theme& theme = Theme::current();
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    const bool focus = enabled && (option.state & QStyle::State_HasFocus) != 0;
    frame(painter, option.rect, focus ? theme(Token::Accent) : theme(enabled ? Token::Line2 : Token::Line),
          theme(Token::Bg1), focus ? 2 : 1);
}

void scrollBar(QPainter& painter, const QStyleOptionSlider& option, const QStyle& style, const QWidget* widget) {
    const Theme& theme = Theme::current();
    const QRect thumb = style.subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, widget);
    if (option.minimum >= option.maximum) return;
    const bool hot = (option.state & (QStyle::State_MouseOver | QStyle::State_Sunken)) != 0;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme(hot ? Token::Text3 : Token::Line2));
    painter.drawRoundedRect(QRectF(thumb).adjusted(2, 2, -2, -2), 3, 3);
    painter.restore();
}

/// What a combo box opens; Qt names it by its class alone.
bool isComboPopup(const QWidget* widget) {
    return widget != nullptr && widget->inherits("QComboBoxPrivateContainer");
}

void comboBox(QPainter& painter, const QStyleOptionComboBox& option) {
    const Theme& theme = Theme::current();
    fieldFrame(painter, option);
    icons::paint(painter, QRectF(option.rect.right() - 22, option.rect.top(), 14, option.rect.height()), "down", 14,
                 theme(Token::Text2));
}

void checkBox(QPainter& painter, const QStyleOption& option) {
    const Theme& theme = Theme::current();
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    const bool on = (option.state & QStyle::State_On) != 0;
    frame(painter, option.rect,
          theme(on        ? Token::AccentFill
                : enabled ? Token::Line2
                          : Token::Line),
          theme(on ? Token::AccentFill : Token::Bg1));
    if (!on) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme(Token::OnAccent), 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QRectF r = option.rect;
    painter.drawPolyline(QPolygonF({QPointF(r.left() + r.width() * 0.25, r.top() + r.height() * 0.53),
                                    QPointF(r.left() + r.width() * 0.43, r.top() + r.height() * 0.7),
                                    QPointF(r.left() + r.width() * 0.76, r.top() + r.height() * 0.33)}));
    painter.restore();
}

/// What a combo box opens: rows as high as what is pressed has to be.
class BoxRowDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QSize own = QStyledItemDelegate::sizeHint(option, index);
        return {own.width(), std::max(own.height(), scaled(kChoiceRow))};
    }
};

QString sheet() {
    const Theme& theme = Theme::current();
    const auto hex = [&](Token token) { return theme(token).name(); };
    return QStringLiteral("QMenu { background: %1; border: 1px solid %2; padding: 4px 0; }"
                          "QMenu::item { padding: 5px 28px 5px 12px; color: %3; background: transparent; }"
                          "QMenu::item:selected { background: %4; }"
                          "QMenu::item:disabled { color: %5; }"
                          "QMenu::icon { padding-left: 10px; }"
                          "QMenu::separator { height: 1px; background: %6; margin: 4px 0; }"
                          "QToolTip { background: %1; color: %3; border: 1px solid %2; padding: 3px 6px; }")
        .arg(hex(Token::Bg2), hex(Token::Line2), hex(Token::Text1), hex(Token::Bg4), hex(Token::Disabled),
             hex(Token::Line));
}

} // namespace

AppStyle::AppStyle()
    : QProxyStyle(QStyleFactory::create("Fusion")) {}

void AppStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                             const QWidget* widget) const {
    switch (element) {
    case PE_PanelLineEdit:
    case PE_FrameLineEdit:
        // The field within a box that can be written into: the box has the frame.
        if (const auto* panel = qstyleoption_cast<const QStyleOptionFrame*>(option); panel && panel->lineWidth == 0)
            return;
        return fieldFrame(*painter, *option);
    case PE_IndicatorCheckBox: return checkBox(*painter, *option);
    case PE_FrameFocusRect:
        if (qobject_cast<const QAbstractItemView*>(widget) != nullptr) return; // delegates frame the row
        return frame(*painter, option->rect, Theme::current()(Token::Accent), Qt::transparent, 2);
    case PE_Frame:
        if (isComboPopup(widget))
            frame(*painter, option->rect, Theme::current()(Token::Line2), Theme::current()(Token::Bg1));
        return;
    case PE_FrameTabBarBase:
    case PE_PanelStatusBar: return;
    default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void AppStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                           const QWidget* widget) const {
    if (element == CE_Splitter) {
        painter->fillRect(option->rect, Theme::current()(Token::Line));
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void AppStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                  const QWidget* widget) const {
    if (control == CC_ScrollBar)
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option))
            return scrollBar(*painter, *bar, *this, widget);
    if (control == CC_ComboBox)
        if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option))
            return comboBox(*painter, *box);
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect AppStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                               const QWidget* widget) const {
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control != CC_ScrollBar || bar == nullptr) return QProxyStyle::subControlRect(control, option, sub, widget);
    // No arrows: the groove is the whole bar.
    const bool upright = bar->orientation == Qt::Vertical;
    const int length = upright ? bar->rect.height() : bar->rect.width();
    const int range = bar->maximum - bar->minimum;
    const auto wanted = static_cast<std::int64_t>(length) * bar->pageStep / std::max(1, range + bar->pageStep);
    const int thumb = std::min(length, std::max(kLeastThumb, static_cast<int>(wanted)));
    const int at =
        sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - thumb, bar->upsideDown);
    const auto part = [&](int from, int size) {
        return upright ? QRect(bar->rect.left(), bar->rect.top() + from, bar->rect.width(), size)
                       : QRect(bar->rect.left() + from, bar->rect.top(), size, bar->rect.height());
    };
    switch (sub) {
    case SC_ScrollBarGroove: return bar->rect;
    case SC_ScrollBarSlider: return part(at, thumb);
    case SC_ScrollBarSubPage: return part(0, at);
    case SC_ScrollBarAddPage: return part(at + thumb, length - at - thumb);
    default: return {};
    }
}

/// What is written stands off the frame, and what is chosen from can be pressed.
void AppStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (auto* edit = qobject_cast<QLineEdit*>(widget); edit && edit->hasFrame() && edit->textMargins().isNull())
        edit->setTextMargins(kFieldMargin, 0, kFieldMargin, 0);
    // Once: with each change of theme everything is polished again.
    if (auto* box = qobject_cast<QComboBox*>(widget);
        box && dynamic_cast<BoxRowDelegate*>(box->itemDelegate()) == nullptr)
        box->setItemDelegate(new BoxRowDelegate(box));
}

int AppStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_ScrollBarExtent: return kScrollBar;
    case PM_ScrollBarSliderMin: return kLeastThumb;
    case PM_ScrollView_ScrollBarSpacing: return 0;
    case PM_SplitterWidth: return 1;
    case PM_DefaultFrameWidth: return 1;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight: return 16;
    case PM_SmallIconSize: return 14;
    case PM_ButtonIconSize: return 14;
    case PM_MenuPanelWidth: return 1;
    case PM_ToolTipLabelFrameWidth: return 0;
    case PM_FocusFrameHMargin:
    case PM_FocusFrameVMargin: return 2;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int AppStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                        QStyleHintReturn* data) const {
    switch (hint) {
    case SH_Widget_Animate:
    case SH_Widget_Animation_Duration:
    case SH_Menu_FadeOutOnHide:
    case SH_UnderlineShortcut:
    case SH_EtchDisabledText:
    case SH_DitherDisabledText: return 0;
    case SH_ComboBox_Popup: return 0;
    case SH_ScrollBar_LeftClickAbsolutePosition: return 0;
    case SH_ToolTip_WakeUpDelay: return 500;
    default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize AppStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                 const QWidget* widget) const {
    QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_LineEdit || type == CT_ComboBox || type == CT_SpinBox) wanted.setHeight(scaled(28));
    if (type == CT_ComboBox) wanted.rwidth() += kBoxArrow; // the arrow is no part of the text
    return wanted;
}

void dressApplication() {
    QApplication::setStyle(new AppStyle);
    QApplication::setFont(typeface(Type::Body));
    QApplication::setEffectEnabled(Qt::UI_AnimateMenu, false);
    QApplication::setEffectEnabled(Qt::UI_AnimateCombo, false);
    QApplication::setEffectEnabled(Qt::UI_FadeMenu, false);
    QApplication::setEffectEnabled(Qt::UI_FadeTooltip, false);
    qApp->setStyleSheet(sheet());
    QObject::connect(&Theme::current(), &Theme::changed, qApp, [] { qApp->setStyleSheet(sheet()); });
}

} // namespace yard::ui
