#include "ui/shell/rail.h"

#include "ui/shell/command_keys.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"

#include <QDragEnterEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace yard::ui {

namespace {
constexpr int kWide = 176;
constexpr int kNarrow = 48;
} // namespace

RailItem::RailItem(const QString& title, const QString& icon, const QString& key, QWidget* parent)
    : QAbstractButton(parent)
    , icon_(icon)
    , key_(key) {
    setText(title);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setFixedHeight(scaled(32));
    tellName();
}

void RailItem::tellName() {
    setAccessibleName(count_.text.isEmpty() ? text() : text() + ", " + count_.text);
    setToolTip(narrow_ ? text() + "  " + key_ : key_);
}

void RailItem::setCurrent(bool current) {
    if (current_ == current) return;
    current_ = current;
    update();
}

void RailItem::setCount(const PageSpec::Count& count) {
    if (count_.text == count.text && count_.bad == count.bad && count_.face == count.face) return;
    count_ = count;
    tellName();
    update();
}

void RailItem::setNarrow(bool narrow) {
    narrow_ = narrow;
    tellName();
    updateGeometry();
    update();
}

QSize RailItem::sizeHint() const {
    return {narrow_ ? kNarrow : scaled(kWide), scaled(32)};
}

void RailItem::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    if (current_)
        painter.fillRect(rect(), theme(Token::Bg4));
    else if (underMouse())
        painter.fillRect(rect(), theme(Token::Bg3));
    if (current_) painter.fillRect(QRect(0, 0, 3, height()), theme(Token::Accent));
    const QRectF icon(narrow_ ? 16 : 14, 0, 16, height());
    icons::paint(painter, icon, icon_, 16, theme(current_ ? Token::Accent : Token::Text2));
    if (hasFocus()) {
        painter.setPen(QPen(theme(Token::Accent), 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
    if (narrow_) {
        if (count_.bad)
            icons::paintFace(painter, QRectF(30, 2, 10, 12), theme.scheme(), count_.face, 10, theme(Token::Bg0));
        return;
    }
    const qreal right = width() - 12;
    const qreal counted = numberWidth(typeface(Type::Caption), count_.text);
    paint::text(painter, QRectF(40, 0, right - counted - (count_.bad ? 24 : 6) - 40, height()), text(),
                typeface(current_ ? Type::Strong : Type::Body), theme(current_ ? Token::Text1 : Token::Text2));
    if (count_.text.isEmpty()) return;
    paint::number(painter, QRectF(right - counted, 0, counted, height()), count_.text, typeface(Type::Caption),
                  theme(Token::Text3), Qt::AlignLeft);
    if (count_.bad)
        icons::paintFace(painter, QRectF(right - counted - 17, 0, 13, height()), theme.scheme(), count_.face, 13,
                         theme(current_ ? Token::Bg4 : Token::Bg0));
}

void RailItem::setOpensForDrags(bool opens) {
    setAcceptDrops(opens);
}

void RailItem::dragEnterEvent(QDragEnterEvent* event) {
    event->acceptProposedAction();
    emit clicked();
}

/// Here there is no queue yet: the page is open now, with the rows to drop onto.
void RailItem::dropEvent(QDropEvent* event) {
    event->setDropAction(Qt::IgnoreAction);
    event->accept();
    emit clicked();
}

Rail::Rail(const std::vector<PageSpec>& pages, QWidget* parent)
    : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 8, 1, 8);
    column->setSpacing(0);
    int number = 0;
    for (const PageSpec& spec : pages) {
        const bool last = spec.id == "settings";
        if (last) column->addStretch(1);
        const QString place = spec.hasKey ? pageKey(++number) : QString();
        const QString key = last ? tr("Ctrl+,") : place.isEmpty() ? QString() : tr("Ctrl+%1").arg(place);
        auto* item = new RailItem(spec.title, spec.icon, key);
        connect(item, &QAbstractButton::clicked, this, [this, id = spec.id] { emit chosen(id); });
        item->setOpensForDrags(spec.id == "queues");
        column->addWidget(item);
        entries_.push_back({spec, item});
    }
    if (pages.empty() || pages.back().id != "settings") column->addStretch(1);
    setFixedWidth(scaled(kWide));
    setAccessibleName(tr("Pages"));
}

void Rail::setCurrent(const QString& id) {
    for (const Entry& entry : entries_) entry.item->setCurrent(entry.spec.id == id);
}

void Rail::setNarrow(bool narrow) {
    setFixedWidth(narrow ? kNarrow : scaled(kWide));
    for (const Entry& entry : entries_) entry.item->setNarrow(narrow);
}

void Rail::count(const EngineState& state) {
    for (const Entry& entry : entries_)
        if (entry.spec.count) entry.item->setCount(entry.spec.count(state));
}

void Rail::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg0));
    paint::hairline(painter, QPointF(width() - 1, 0), QPointF(width() - 1, height()),
                    Theme::current()(Token::Line));
}

} // namespace yard::ui
