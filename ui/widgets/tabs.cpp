#include "ui/widgets/tabs.h"

#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/transient.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace yard::ui {

namespace {
constexpr int kTabLeft = 6;
constexpr int kTabPadding = 10;
constexpr int kDownIcon = 14;
constexpr int kMostAlone = 720; ///< px of all tabs, for which others make room
constexpr int kLeastTabs = 420; ///< of more
} // namespace

Tabs::Tabs(const QStringList& titles, QWidget* parent)
    : QWidget(parent) {
    for (const QString& title : titles) tabs_.push_back({title, {}});
    installSpoken();
    setFixedHeight(scaled(32));
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
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

QSize Tabs::minimumSizeHint() const {
    const QSize all = sizeHint();
    return {all.width() <= kMostAlone ? all.width() : kLeastTabs, all.height()};
}

/// Wide enough for whichever it is called as: nothing moves when another is chosen.
int Tabs::moreWidth() const {
    const QFontMetrics metrics(typeface(Type::Strong));
    int words = metrics.horizontalAdvance(tr("More"));
    for (const Tab& tab : tabs_) words = std::max(words, metrics.horizontalAdvance(tab.title));
    return 2 * kTabPadding + words + 6 + kDownIcon;
}

int Tabs::countInRow() const {
    const int all = static_cast<int>(tabs_.size());
    if (sizeHint().width() <= width()) return all;
    int x = kTabLeft + moreWidth();
    int count = 0;
    while (count < all && (x += widthOf(tabs_[static_cast<std::size_t>(count)])) <= width()) ++count;
    return count;
}

QString Tabs::moreTitle() const {
    return isBehindMore(current_) ? tabs_[static_cast<std::size_t>(current_)].title : tr("More");
}

QRect Tabs::tabArea(int tab) const {
    const int inRow = std::min(tab, countInRow());
    int x = kTabLeft;
    for (int i = 0; i < inRow; ++i) x += widthOf(tabs_[static_cast<std::size_t>(i)]);
    const int width = isBehindMore(tab) ? moreWidth() : widthOf(tabs_[static_cast<std::size_t>(tab)]);
    return {x, 0, width, height()};
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
    const int all = static_cast<int>(tabs_.size());
    const int inRow = countInRow();
    // What is behind "More" is one tab more.
    for (int i = 0; i < std::min(all, inRow + 1); ++i) {
        const Tab& tab = tabs_[static_cast<std::size_t>(i)];
        const bool isMore = i == inRow;
        const QString title = isMore ? moreTitle() : tab.title;
        const bool on = isMore ? isBehindMore(current_) : i == current_;
        const QRectF area = tabArea(i);
        const QFont& own = typeface(on ? Type::Strong : Type::Body);
        const qreal words = QFontMetricsF(own).horizontalAdvance(title);
        paint::text(painter, area.adjusted(kTabPadding, 0, 0, 0), title, own,
                    theme(on ? Token::Text1 : Token::Text2), Qt::AlignLeft, Qt::ElideNone);
        const QRectF behind = area.adjusted(kTabPadding + words + 6, 0, 0, 0);
        if (isMore)
            icons::paint(painter, QRectF(behind.left(), 0, kDownIcon, height()), "down", kDownIcon,
                         theme(Token::Text2));
        else
            paint::number(painter, behind, tab.note, typeface(Type::Body), theme(Token::Text3), Qt::AlignLeft);
        if (on) painter.fillRect(QRectF(area.left(), height() - 2, area.width(), 2), theme(Token::Accent));
        if (on && hasFocus()) {
            painter.setPen(QPen(theme(Token::Accent), 2));
            painter.drawRect(area.adjusted(1, 2, -1, -4));
        }
    }
}

void Tabs::choose(int tab) {
    setCurrent(tab);
    emit chosen(tab);
}

void Tabs::openMore() {
    const int all = static_cast<int>(tabs_.size());
    const int inRow = countInRow();
    if (inRow == all) return;
    Transient<QMenu> menu(this);
    for (int i = inRow; i < all; ++i) {
        const Tab& tab = tabs_[static_cast<std::size_t>(i)];
        QAction* action = menu->addAction(tab.note.isEmpty() ? tab.title : tab.title + ' ' + tab.note, this,
                                          [this, i] { choose(i); });
        action->setCheckable(true);
        action->setChecked(i == current_);
    }
    (void)menu.run(mapToGlobal(tabArea(inRow).bottomLeft()));
}

void Tabs::mousePressEvent(QMouseEvent* event) {
    const int inRow = countInRow();
    for (int i = 0; i < static_cast<int>(tabs_.size()); ++i)
        if (tabArea(i).contains(event->position().toPoint())) return i < inRow ? choose(i) : openMore();
}

/// Left and right walk all of them; down opens what is behind "More".
void Tabs::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(tabs_.size());
    if (event->key() == Qt::Key_Down && countInRow() < count) return openMore();
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? count - 1 : 0;
    if (step == 0) return QWidget::keyPressEvent(event);
    choose((current_ + step) % count);
}

} // namespace yard::ui
