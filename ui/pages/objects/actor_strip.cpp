#include "ui/pages/objects/actor_strip.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/text_view.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kCardWidth = 232; ///< least
constexpr int kFirstWidth = 168;
constexpr int kMoreWidth = 96; ///< of how many have no room

ActorStrip::Card cardOf(const ActorInfo& actor, const ObjectType* type, WallMicros now) {
    const Format format;
    ActorStrip::Card card;
    card.title =
        actor.key.isEmpty() ? unturned(actor.type) : unturned(actor.type) + QStringLiteral(", ") + actor.key;
    card.object = actor.object;
    const bool isBusy = actor.object != 0;
    card.face = isBusy ? DisplayState::Running : actor.isReady ? DisplayState::Pending : DisplayState::Submitting;
    card.state = isBusy          ? ActorStrip::tr("busy")
                 : actor.isReady ? ActorStrip::tr("ready")
                                 : ActorStrip::tr("starting");
    const auto spent = Duration(std::max<WallMicros>(0, actor.since > 0 ? now - actor.since : 0));
    if (!isBusy) {
        card.line = actor.since > 0 ? ActorStrip::tr("for %1").arg(format.duration(spent)) : QString();
        return card;
    }
    const QString what = format.number(actor.object);
    if (type == nullptr || type->tickLimit <= Duration::zero()) {
        card.line = ActorStrip::tr("%1: object %2").arg(format.duration(spent), what);
        return card;
    }
    card.line =
        ActorStrip::tr("%1 of %2: object %3").arg(format.duration(spent), format.duration(type->tickLimit), what);
    card.share = std::min(1.0, static_cast<double>(spent.count()) / static_cast<double>(type->tickLimit.count()));
    return card;
}

} // namespace

ActorStrip::ActorStrip(QWidget* parent)
    : QWidget(parent) {
    installSpoken();
    setFixedHeight(scaled(60));
    setAccessibleName(tr("Actors"));
}

void ActorStrip::show(const OrchestratorInfo& orchestrator, const std::vector<ObjectType>& types, WallMicros now) {
    cards_.clear();
    qint64 most = 0;
    for (const ObjectType& type : types) most += type.mostActors;
    const Format format;
    Card all;
    all.title = format.number(static_cast<qint64>(orchestrator.actors.size()));
    all.state = tr("at most %1").arg(format.number(most));
    all.line = tr("Actors");
    cards_.push_back(all);
    for (const ActorInfo& actor : orchestrator.actors)
        cards_.push_back(cardOf(actor, typeNamed(types, actor.type), now));
    // Why a type has none is what one asks where none runs.
    for (const auto& [type, why] : orchestrator.failures) {
        const bool runs =
            std::ranges::find(orchestrator.actors, type, &ActorInfo::type) != orchestrator.actors.end();
        if (!runs)
            cards_.push_back({.title = unturned(type),
                              .state = tr("did not start"),
                              .line = why,
                              .object = 0,
                              .face = DisplayState::Failed});
    }
    update();
}

std::size_t ActorStrip::shown() const {
    const int free = std::max(0, width() - scaled(kFirstWidth));
    const auto fits = [&](int room) {
        return static_cast<std::size_t>(std::max(1, room / scaled(kCardWidth))) + 1;
    };
    return cards_.size() <= fits(free) ? cards_.size() : fits(free - scaled(kMoreWidth));
}

QRect ActorStrip::areaOf(std::size_t card) const {
    if (card == 0) return {0, 0, scaled(kFirstWidth), height()};
    return {scaled(kFirstWidth) + static_cast<int>(card - 1) * scaled(kCardWidth), 0, scaled(kCardWidth), height()};
}

std::vector<SpokenPart> ActorStrip::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (std::size_t i = 0; i < std::min(cards_.size(), kMostParts); ++i) {
        const Card& card = cards_[i];
        parts.push_back({QAccessible::ListItem, i == 0 ? card.line : card.title,
                         i == 0 ? card.title + QStringLiteral(", ") + card.state
                                : card.state + QStringLiteral(", ") + card.line,
                         card.share, areaOf(i)});
    }
    return parts;
}

void ActorStrip::mousePressEvent(QMouseEvent* event) {
    for (std::size_t i = 1; i < shown(); ++i)
        if (areaOf(i).contains(event->position().toPoint()) && cards_[i].object != 0)
            emit objectClicked(cards_[i].object);
}

bool ActorStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t i = 1; i < shown(); ++i)
        if (areaOf(i).contains(help->pos()))
            QToolTip::showText(help->globalPos(), plainTip(cards_[i].title + QStringLiteral(": ") + cards_[i].line),
                               this);
    return true;
}

void ActorStrip::paintCard(QPainter& painter, const Card& card, const QRect& area) const {
    const Theme& theme = Theme::current();
    const QRectF top(area.left() + 12, scaled(9), area.width() - 24, scaled(18));
    const QRectF line(area.left() + 12, scaled(29), area.width() - 24, scaled(18));
    constexpr int kIcon = 13;
    if (card.face)
        icons::paintFace(painter, QRectF(top.left(), top.top(), kIcon, top.height()), theme.scheme(), *card.face,
                         kIcon, theme(Token::Bg1));
    const QString drawn =
        paint::text(painter, top, card.state, typeface(Type::Caption), theme(Token::Text2), Qt::AlignRight);
    const qreal aside = QFontMetricsF(typeface(Type::Caption)).horizontalAdvance(drawn) + 8;
    paint::text(painter, top.adjusted(kIcon + 7, 0, -aside, 0), card.title, typeface(Type::Strong),
                theme(Token::Text1), Qt::AlignLeft, Qt::ElideMiddle);
    paint::text(painter, line, card.line, typeface(Type::Caption), theme(Token::Text2));
    if (card.share)
        paint::meter(painter, QRectF(line.left(), height() - scaled(8), line.width(), 3), *card.share,
                     theme.fillOf(DisplayState::Running));
}

void ActorStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme(Token::Bg1));
    if (cards_.empty()) return;
    const QRect first = areaOf(0);
    const QRectF caption(first.left() + 16, scaled(8), first.width() - 28, scaled(18));
    const QRectF figure(first.left() + 16, scaled(26), first.width() - 28, scaled(24));
    paint::text(painter, caption, cards_[0].line, typeface(Type::Caption), theme(Token::Text2));
    paint::number(painter, figure, cards_[0].title, typeface(Type::Title), theme(Token::Text1), Qt::AlignLeft);
    paint::text(painter, figure, cards_[0].state, typeface(Type::Caption), theme(Token::Text2), Qt::AlignRight);
    const std::size_t count = shown();
    for (std::size_t i = 1; i < count; ++i) {
        const QRect area = areaOf(i);
        paint::hairline(painter, QPointF(area.left(), 1), QPointF(area.left(), height() - 1), theme(Token::Line));
        paintCard(painter, cards_[i], area);
    }
    if (count < cards_.size()) {
        const int left = areaOf(count - 1).right();
        paint::text(painter, QRectF(left + 12, 0, width() - left - 24, height()),
                    tr("and %Ln more", nullptr, pluralCount(static_cast<std::int64_t>(cards_.size() - count))),
                    typeface(Type::Caption), theme(Token::Text2));
    }
    paint::hairline(painter, QPointF(0, height() - 0.5), QPointF(width(), height() - 0.5), theme(Token::Line));
}

} // namespace yard::ui
