#include "ui/pages/objects/state_view.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/text_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QtMath>

#include <algorithm>
#include <limits>
#include <utility>

namespace yard::ui {

StateView::StateView(QWidget* parent)
    : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("States and moves"));
    installSpoken();
}

void StateView::show(const ObjectType& type, const QString& chosen, const QStringList& unclaimed,
                     ObjectRates rates) {
    const bool isSame = type.name == type_.name && type.moves == type_.moves &&
                        std::ranges::equal(type.states, type_.states, {}, &ObjectState::name, &ObjectState::name);
    if (type.name != type_.name) stays_.clear();
    type_ = type;
    chosen_ = chosen;
    unclaimed_ = unclaimed;
    rates_ = std::move(rates);
    if (!isSame) {
        chart_ = StateChart(type_);
        current_.clear();
    }
    setFixedSize(sizeHint());
    update();
}

QSize StateView::sizeHint() const {
    return {qCeil(chart_.size().width()), qCeil(chart_.size().height())};
}

QString StateView::wordsOf(const QString& state) const {
    const ObjectState* of = type_.state(state);
    if (of == nullptr) return {};
    QStringList words{unturned(of->name), tr("%Ln object(s)", nullptr, pluralCount(of->count))};
    if (of->isInitial) words << tr("new objects begin here");
    if (const QString made = rateWords(rates_, {}, state); !made.isEmpty())
        words << tr("%1 made per min").arg(made);
    if (of->isFinal) words << tr("final");
    if (const QString stay = stayWords(state); !stay.isEmpty()) words << stay;
    if (unclaimed_.contains(state)) words << tr("claimed by nobody");
    QStringList to;
    for (const QString& next : type_.movesFrom(state)) {
        const QString rate = rateWords(rates_, state, next);
        to << (rate.isEmpty() ? unturned(next) : tr("%1 (%2 per min)").arg(unturned(next), rate));
    }
    if (!to.isEmpty()) words << tr("may become %1").arg(to.join(QStringLiteral(", ")));
    return words.join(QStringLiteral(", "));
}

void StateView::showStays(ObjectStays stays) {
    stays_ = std::move(stays);
    update();
}

QString StateView::stayWords(const QString& state) const {
    const auto stay = stays_.find(state);
    return stay == stays_.end() ? QString() : tr("usual stay %1").arg(Format().duration(stay->second.usual));
}

QString StateView::wordsOf(const StateChart::Arrow& arrow) const {
    const QString way = QStringLiteral("%1 → %2").arg(unturned(arrow.from), unturned(arrow.to));
    const QString rate = rateWords(rates_, arrow.from, arrow.to);
    return rate.isEmpty() ? way : tr("%1: %2 per min").arg(way, rate);
}

/// The nearest, where one is near.
const StateChart::Arrow* StateView::arrowAt(QPointF at) const {
    constexpr qreal kNear = 5;
    const StateChart::Arrow* best = nullptr;
    for (const StateChart::Arrow& arrow : chart_.arrows())
        if (arrow.distance(at) <= kNear && (best == nullptr || arrow.distance(at) < best->distance(at)))
            best = &arrow;
    return best;
}

std::vector<SpokenPart> StateView::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (const StateChart::Place& place : chart_.places())
        parts.push_back({QAccessible::ListItem, wordsOf(place.state), {}, {}, place.area.toAlignedRect()});
    return parts;
}

const StateChart::Place* StateView::placeAt(QPointF at) const {
    const auto found =
        std::ranges::find_if(chart_.places(), [&](const auto& place) { return place.area.contains(at); });
    return found == chart_.places().end() ? nullptr : &*found;
}

/// The nearest in that direction.
const StateChart::Place* StateView::nextBy(int key) const {
    const StateChart::Place* here = chart_.place(current_);
    if (here == nullptr) return chart_.places().empty() ? nullptr : &chart_.places().front();
    const StateChart::Place* best = nullptr;
    qreal nearest = std::numeric_limits<qreal>::max();
    for (const StateChart::Place& place : chart_.places()) {
        const QPointF way = place.area.center() - here->area.center();
        const bool isThere = (key == Qt::Key_Left && place.column < here->column) ||
                             (key == Qt::Key_Right && place.column > here->column) ||
                             (key == Qt::Key_Up && place.column == here->column && place.row < here->row) ||
                             (key == Qt::Key_Down && place.column == here->column && place.row > here->row);
        const qreal length = way.manhattanLength();
        if (!isThere || length >= nearest) continue;
        nearest = length;
        best = &place;
    }
    return best;
}

void StateView::choose(const QString& state) {
    current_ = state;
    update();
    emit chosen(state == chosen_ ? QString() : state);
}

void StateView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (const StateChart::Place* next = nextBy(event->key())) {
            current_ = next->state;
            update();
            emit currentMoved(next->area.toAlignedRect());
            QAccessibleValueChangeEvent moved(this, wordsOf(current_));
            QAccessible::updateAccessibility(&moved);
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (!current_.isEmpty()) choose(current_);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void StateView::mousePressEvent(QMouseEvent* event) {
    const StateChart::Place* place = placeAt(event->position());
    if (event->button() != Qt::LeftButton || place == nullptr) return QWidget::mousePressEvent(event);
    choose(place->state);
}

bool StateView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const StateChart::Place* place = placeAt(help->pos()))
        QToolTip::showText(help->globalPos(), plainTip(wordsOf(place->state)), this);
    else if (const StateChart::Arrow* arrow = arrowAt(help->pos()))
        QToolTip::showText(help->globalPos(), plainTip(wordsOf(*arrow)), this);
    else if (!rates_.empty())
        QToolTip::showText(help->globalPos(),
                           plainTip(tr("Numbers on arrows: moves per minute, of the last ten minutes")), this);
    return true;
}

// --- painting

void StateView::paintArrows(QPainter& painter) const {
    const Theme& theme = Theme::current();
    constexpr qreal kHead = 4;
    constexpr qreal kHeadLength = 7;
    for (const StateChart::Arrow& arrow : chart_.arrows()) {
        const bool isOfChosen = !chosen_.isEmpty() && arrow.from == chosen_;
        const QColor ink = theme(isOfChosen ? Token::Accent : Token::Text3);
        painter.setPen(QPen(ink, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(arrow.line);
        const QPointF tip = arrow.line.back();
        const QPointF before = arrow.line[arrow.line.size() - 2];
        const QLineF way(tip, before);
        if (way.length() <= 0) continue;
        const QPointF back = (before - tip) / way.length() * kHeadLength;
        const QPointF aside = QPointF(-back.y(), back.x()) / kHeadLength * kHead;
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        painter.drawPolygon(QPolygonF{tip, tip + back + aside, tip + back - aside});
    }
}

/// On a level part of its arrow, which it interrupts; where that has no room on an upright one.
std::optional<QRectF> StateView::rateArea(const StateChart::Arrow& arrow, const QString& rate) {
    constexpr qreal kHeight = 14;
    constexpr qreal kPad = 3;
    constexpr qreal kHeadRoom = 9;
    const qreal width = numberWidth(typeface(Type::Caption), rate) + 2 * kPad;
    const auto [middle, length] = arrow.level();
    if (width + kHeadRoom <= length)
        return QRectF(middle.x() - width / 2, middle.y() - kHeight / 2, width, kHeight);
    const auto [beside, height] = arrow.upright();
    if (kHeight + kHeadRoom <= height)
        return QRectF(beside.x() - width / 2, beside.y() - kHeight / 2, width, kHeight);
    return std::nullopt;
}

/// Where there is no room its tool tip and the words of the state have it.
void StateView::paintRates(QPainter& painter) const {
    const Theme& theme = Theme::current();
    for (const StateChart::Arrow& arrow : chart_.arrows()) {
        const QString rate = rateWords(rates_, arrow.from, arrow.to);
        const auto area = rate.isEmpty() ? std::nullopt : rateArea(arrow, rate);
        if (!area) continue;
        painter.fillRect(*area, theme(Token::Bg1));
        paint::text(painter, *area, rate, typeface(Type::Caption), theme(Token::Text1), Qt::AlignHCenter);
    }
}

void StateView::paintState(QPainter& painter, const StateChart::Place& place) const {
    const ObjectState* state = type_.state(place.state);
    if (state == nullptr) return;
    const Theme& theme = Theme::current();
    const bool isChosen = place.state == chosen_;
    const bool isCurrent = place.state == current_ && hasFocus();
    const QColor under = theme(isChosen ? Token::Selection : Token::Bg2);
    painter.setPen(isCurrent  ? QPen(theme(Token::Accent), 2)
                   : isChosen ? QPen(theme(Token::Accent), 1)
                              : QPen(theme(Token::Line2), 1));
    painter.setBrush(under);
    painter.drawRoundedRect(place.area.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    const QRectF inner = place.area.adjusted(8, 4, -8, -4);
    const QRectF line(inner.left(), inner.top(), inner.width(), 18);
    constexpr int kIcon = 13;
    const bool isUnclaimed = unclaimed_.contains(place.state);
    const DisplayState face = isUnclaimed ? DisplayState::Abandoned : faceOfKind(state->kind);
    icons::paintFace(painter, QRectF(line.left(), line.top(), kIcon, line.height()), theme.scheme(), face, kIcon,
                     under);
    const QString count = Format().number(state->count);
    const qreal counted = numberWidth(typeface(Type::Strong), count);
    paint::number(painter, line, count, typeface(Type::Strong),
                  theme(state->count > 0 ? Token::Text1 : Token::Text3));
    paint::text(painter, line.adjusted(kIcon + 6, 0, -counted - 6, 0), unturned(state->name),
                typeface(Type::Strong),
                face == DisplayState::Failed && state->count > 0 ? theme.inkOf(face) : theme(Token::Text1),
                Qt::AlignLeft, Qt::ElideMiddle);
    const QString stay = stayWords(place.state);
    const QString note = isUnclaimed        ? tr("claimed by nobody")
                         : !stay.isEmpty()  ? stay
                         : state->isInitial ? tr("begins here")
                         : state->isFinal   ? tr("final")
                                            : QString();
    paint::text(painter, QRectF(inner.left(), inner.bottom() - 16, inner.width(), 16), note,
                typeface(Type::Caption), theme(Token::Text2));
}

void StateView::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), Theme::current()(Token::Bg1));
    painter.setRenderHint(QPainter::Antialiasing);
    paintArrows(painter);
    paintRates(painter);
    for (const StateChart::Place& place : chart_.places())
        if (place.area.intersects(event->rect())) paintState(painter, place);
}

} // namespace yard::ui
