#include "ui/widgets/tabs.h"

#include "ui/style/paint.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace yard::ui {

namespace {
constexpr int kTabLeft = 6;
constexpr int kTabPadding = 10;
} // namespace

Tabs::Tabs(const QStringList& titles, QWidget* parent)
    : QWidget(parent) {
    for (const QString& title : titles) tabs_.push_back({title, {}});
    installSpoken();
    setFixedHeight(scaled(32));
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    setCurrent(0);
    setAccessibleName(titles.join(", "));
}

int Tabs::widthOf(const Tab& tab) const {
    // As wide as when it is the current one: nothing moves when another is chosen.
    int width = 2 * kTabPadding + QFontMetrics(typeface(Type::Strong)).horizontalAdvance(tab.title);
    if (!tab.note.isEmpty()) width += 6 + QFontMetrics(typeface(Type::Body)).horizontalAdvance(tab.note);
    return width;
}

QSize Tabs::sizeHint() const {
    int width = kTabLeft;
    for (const Tab& tab : tabs_) width += widthOf(tab);
    return {width, scaled(32)};
}

QRect Tabs::tabArea(int tab) const {
    int x = kTabLeft;
    for (int i = 0; i < tab; ++i) x += widthOf(tabs_[static_cast<std::size_t>(i)]);
    return {x, 0, widthOf(tabs_[static_cast<std::size_t>(tab)]), height()};
}

/// Each with its count; of the current one says so.
std::vector<SpokenPart> Tabs::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (int i = 0; i < static_cast<int>(tabs_.size()); ++i) {
        const Tab& tab = tabs_[static_cast<std::size_t>(i)];
        const QString name = tab.note.isEmpty() ? tab.title : tab.title + QStringLiteral(", ") + tab.note;
        parts.push_back({QAccessible::PageTab, name, i == current_ ? tr("shown") : QString(), {}, tabArea(i)});
    }
    return parts;
}

void Tabs::setNote(int tab, const QString& note) {
    auto& own = tabs_[static_cast<std::size_t>(tab)];
    if (own.note == note) return;
    own.note = note;
    updateGeometry();
    update();
}

void Tabs::setCurrent(int tab) {
    current_ = tab;
    setAccessibleDescription(tabs_[static_cast<std::size_t>(tab)].title);
    update();
}

void Tabs::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    qreal x = kTabLeft;
    for (int i = 0; i < static_cast<int>(tabs_.size()); ++i) {
        const Tab& tab = tabs_[static_cast<std::size_t>(i)];
        const bool on = i == current_;
        const QRectF area(x, 0, widthOf(tab), height());
        const QFont& own = typeface(on ? Type::Strong : Type::Body);
        const qreal words = QFontMetricsF(own).horizontalAdvance(tab.title);
        paint::text(painter, area.adjusted(kTabPadding, 0, 0, 0), tab.title, own,
                    theme(on ? Token::Text1 : Token::Text2), Qt::AlignLeft, Qt::ElideNone);
        paint::number(painter, area.adjusted(kTabPadding + words + 6, 0, 0, 0), tab.note, typeface(Type::Body),
                      theme(Token::Text3), Qt::AlignLeft);
        if (on) painter.fillRect(QRectF(x, height() - 2, area.width(), 2), theme(Token::Accent));
        if (on && hasFocus()) {
            painter.setPen(QPen(theme(Token::Accent), 2));
            painter.drawRect(area.adjusted(1, 2, -1, -4));
        }
        x += area.width();
    }
}

void Tabs::mousePressEvent(QMouseEvent* event) {
    for (int i = 0; i < static_cast<int>(tabs_.size()); ++i)
        if (tabArea(i).contains(event->position().toPoint())) {
            setCurrent(i);
            return emit chosen(i);
        }
}

void Tabs::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(tabs_.size());
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? count - 1 : 0;
    if (step == 0) return QWidget::keyPressEvent(event);
    setCurrent((current_ + step) % count);
    emit chosen(current_);
}

} // namespace yard::ui
