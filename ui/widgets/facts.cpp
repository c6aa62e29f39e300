#include "ui/widgets/facts.h"

#include "ui/style/paint.h"
#include "ui/widgets/text_view.h"
#include "ui/widgets/transient.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace yard::ui {

namespace {
constexpr int kFactRow = 22;
constexpr int kFactLeft = 12;
constexpr int kMeter = 92;
constexpr int kFactApart = 12; ///< name and value
} // namespace

Facts::Facts(QWidget* parent)
    : QWidget(parent) {
    installSpoken();
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void Facts::set(std::vector<Fact> facts) {
    if (facts == facts_) return;
    facts_ = std::move(facts);
    QString spoken;
    for (const Fact& fact : facts_) spoken += fact.name + ": " + fact.value + ". ";
    setAccessibleName(spoken);
    updateGeometry();
    update();
}

std::vector<SpokenPart> Facts::spokenParts() const {
    std::vector<SpokenPart> parts;
    int y = 5;
    for (const Fact& fact : facts_) {
        const auto role = fact.share                      ? QAccessible::ProgressBar
                          : fact.tone == Fact::Tone::Link ? QAccessible::Link
                                                          : QAccessible::ListItem;
        parts.push_back({role, fact.name, fact.value, fact.share, QRect(0, y, width(), scaled(kFactRow))});
        y += scaled(kFactRow);
    }
    return parts;
}

QSize Facts::sizeHint() const {
    return {scaled(240), facts_.empty() ? 0 : static_cast<int>(facts_.size()) * scaled(kFactRow) + 10};
}

QSize Facts::minimumSizeHint() const {
    return {0, sizeHint().height()};
}

int Facts::nameWidth() const {
    qreal name = 0;
    qreal value = 0;
    const QFontMetricsF metrics(typeface(Type::Body));
    for (const Fact& fact : facts_) {
        name = std::max(name, metrics.horizontalAdvance(fact.name));
        value = std::max(value, metrics.horizontalAdvance(fact.value) + (fact.share ? scaled(kMeter) + 8 : 0));
    }
    const int left = width() - 2 * kFactLeft - kFactApart - static_cast<int>(std::ceil(value)) - 1;
    return std::min(static_cast<int>(std::ceil(name)) + 1, std::max(left, width() / 2));
}

void Facts::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const int names = nameWidth();
    // Beside meters what has none lines up with them, at the right.
    const bool metered = std::ranges::any_of(facts_, [](const Fact& fact) { return fact.share.has_value(); });
    int y = 5;
    for (const Fact& fact : facts_) {
        const QRectF row(kFactLeft, y, width() - 2 * kFactLeft, scaled(kFactRow));
        paint::text(painter, QRectF(row.left(), row.top(), names, row.height()), fact.name, typeface(Type::Body),
                    theme(Token::Text2));
        QRectF rest = row.adjusted(names + kFactApart, 0, 0, 0);
        const QColor colour = fact.tone == Fact::Tone::Alert  ? theme.inkOf(DisplayState::Failed)
                              : fact.tone == Fact::Tone::Link ? theme(Token::Accent)
                              : fact.tone == Fact::Tone::Dim  ? theme(Token::Text3)
                                                              : theme(Token::Text1);
        const QFont& own = typeface(fact.tone == Fact::Tone::Alert ? Type::Strong : Type::Body);
        if (fact.share) {
            const qreal meter = std::min<qreal>(scaled(kMeter), rest.width() / 2);
            paint::meter(painter, QRectF(rest.left(), std::round(row.center().y() - 2), meter, 5), *fact.share,
                         *fact.share >= 1 ? theme.fillOf(DisplayState::Retry) : theme(Token::Text2));
            rest.setLeft(rest.left() + meter + 8);
            paint::number(painter, rest, fact.value, own, colour);
        } else if (metered) {
            paint::number(painter, rest, fact.value, own, colour);
        } else {
            paint::text(painter, rest, fact.value, own, colour);
        }
        y += scaled(kFactRow);
    }
}

const Fact* Facts::factAt(double y) const {
    const auto at = static_cast<std::size_t>(std::max(0.0, y - 5) / scaled(kFactRow));
    return at < facts_.size() ? &facts_[at] : nullptr;
}

void Facts::mousePressEvent(QMouseEvent* event) {
    const Fact* fact = event->button() == Qt::LeftButton ? factAt(event->position().y()) : nullptr;
    if (fact != nullptr && !fact->target.isEmpty()) emit linkClicked(QString(fact->target));
}

void Facts::contextMenuEvent(QContextMenuEvent* event) {
    const Fact* fact = factAt(event->pos().y());
    if (fact == nullptr) return;
    Transient<QMenu> menu(this);
    menu->addAction(tr("Copy"), this, [value = fact->value] { QApplication::clipboard()->setText(value); });
    (void)menu.run(event->globalPos());
}

bool Facts::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Fact* fact = factAt(help->pos().y());
    if (fact == nullptr) return true;
    const int room = width() - 2 * kFactLeft - nameWidth() - kFactApart;
    if (QFontMetrics(typeface(Type::Body)).horizontalAdvance(fact->value) > room)
        QToolTip::showText(help->globalPos(), plainTip(fact->value), this);
    return true;
}

} // namespace yard::ui
