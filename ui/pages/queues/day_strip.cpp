#include "ui/pages/queues/day_strip.h"

#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"
#include "ui/widgets/text_view.h"

#include <QDateTime>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace yard::ui {

namespace {

constexpr double kStripEdge = 12;  ///< left and right of the axis
constexpr double kTickWidth = 3;   ///< narrower ones could not be told apart
constexpr double kTickReach = 5;   ///< so far from a tick a click still means it
constexpr int kHourWordWidth = 44; ///< an hour's word needs so much

} // namespace

DayStrip::DayStrip(QWidget* parent)
    : QWidget(parent) {
    installSpoken();
    setObjectName("pane");
    setAccessibleName(tr("The next 24 hours"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize DayStrip::sizeHint() const {
    return {scaled(480), scaled(64)};
}

void DayStrip::show(std::vector<Times> times, WallMicros from) {
    times_ = std::move(times);
    from_ = from;
    update();
}

void DayStrip::setChosen(const QString& schedule) {
    chosen_ = schedule;
    update();
}

double DayStrip::xOf(qint64 at) const {
    return kStripEdge + static_cast<double>(at - from_) / static_cast<double>(kSpan) * (width() - 2 * kStripEdge);
}

std::vector<DayStrip::Tick> DayStrip::ticks() const {
    std::vector<std::pair<qint64, const QString*>> all;
    for (const Times& times : times_)
        for (const qint64 at : times.at)
            if (at >= from_ && at <= from_ + kSpan) all.emplace_back(at, &times.schedule);
    std::ranges::sort(all, {}, &std::pair<qint64, const QString*>::first);
    std::vector<Tick> ticks;
    for (const auto& [at, schedule] : all) {
        if (ticks.empty() || xOf(at) - ticks.back().x >= kTickWidth)
            ticks.push_back({.x = xOf(at), .first = at, .last = at, .schedules = {}, .count = 0});
        Tick& tick = ticks.back();
        tick.last = at;
        ++tick.count;
        if (!tick.schedules.contains(*schedule) && tick.schedules.size() < kMostNamed) tick.schedules << *schedule;
    }
    return ticks;
}

QString DayStrip::wordsOf(const Tick& tick) const {
    const Format format;
    const QString when = format.coming(tick.first, from_);
    const QString names = unturned(tick.schedules.join(QStringLiteral(", ")));
    return tick.count == 1 ? QStringLiteral("%1: %2").arg(when, names)
                           : tr("from %1: %Ln times, %2", nullptr, tick.count).arg(when, names);
}

const DayStrip::Tick* DayStrip::tickAt(const std::vector<Tick>& ticks, double x) const {
    const auto nearest =
        std::ranges::min_element(ticks, {}, [x](const Tick& tick) { return std::abs(tick.x - x); });
    return nearest == ticks.end() || std::abs(nearest->x - x) > kTickReach ? nullptr : &*nearest;
}

std::vector<SpokenPart> DayStrip::spokenParts() const {
    std::vector<SpokenPart> parts;
    for (const Tick& tick : ticks()) {
        if (parts.size() == kMostParts) break;
        parts.push_back({QAccessible::ListItem,
                         wordsOf(tick),
                         {},
                         {},
                         QRect(static_cast<int>(tick.x), 0, static_cast<int>(kTickWidth), height())});
    }
    return parts;
}

void DayStrip::mousePressEvent(QMouseEvent* event) {
    const std::vector<Tick> all = ticks();
    if (const Tick* tick = tickAt(all, event->position().x())) emit chosen(tick->schedules.front());
}

bool DayStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::vector<Tick> all = ticks();
    if (const Tick* tick = tickAt(all, help->pos().x()))
        QToolTip::showText(help->globalPos(), plainTip(wordsOf(*tick)), this);
    return true;
}

/// Whole hours of this machine's clock, as many as have room for their word.
void DayStrip::paintHours(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const double hourWidth = (width() - 2 * kStripEdge) / 24;
    int step = 1;
    while (step < 12 && hourWidth * step < scaled(kHourWordWidth)) step *= step == 3 ? 2 : step == 1 ? 3 : 2;
    QDateTime hour = QDateTime::fromMSecsSinceEpoch(from_ / 1'000);
    hour.setTime(QTime(hour.time().hour(), 0));
    const qint64 end = from_ + kSpan;
    for (; hour.toMSecsSinceEpoch() * 1'000 <= end; hour = hour.addSecs(3'600)) {
        const qint64 at = hour.toMSecsSinceEpoch() * 1'000;
        if (at < from_ || hour.time().hour() % step != 0) continue;
        const double x = xOf(at);
        paint::hairline(painter, QPointF(x, 0), QPointF(x, height() - scaled(20)), theme(Token::Line));
        const QRectF place(x - scaled(kHourWordWidth) / 2.0, height() - scaled(20), scaled(kHourWordWidth),
                           scaled(18));
        paint::text(painter, place, hour.toString("HH:mm"), typeface(Type::Caption), theme(Token::Text3),
                    Qt::AlignHCenter);
    }
}

void DayStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme(Token::Bg1));
    if (from_ == 0) return;
    paintHours(painter);
    const double foot = height() - scaled(20);
    paint::hairline(painter, QPointF(0, foot), QPointF(width(), foot), theme(Token::Line2));
    for (const Tick& tick : ticks()) {
        const bool isChosen = !chosen_.isEmpty() && tick.schedules.contains(chosen_);
        const double top = isChosen ? scaled(8) : scaled(16);
        painter.fillRect(QRectF(tick.x, top, kTickWidth - 1, foot - top),
                         isChosen ? theme(Token::Accent) : theme(Token::Text2));
    }
}

} // namespace yard::ui
