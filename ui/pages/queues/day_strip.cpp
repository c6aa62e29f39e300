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
#include <utility>

namespace yard::ui {

namespace {

constexpr double kStripEdge = 12;  ///< left and right of the axis
constexpr double kTickWidth = 3;   ///< narrower ones could not be told apart
constexpr double kTickReach = 5;   ///< so far from a tick a click still means it
constexpr int kHourWordWidth = 44; ///< an hour's word needs so much

/// Equal parts of the strip, and what is due in each.
class Places {
public:
    Places(WallMicros from, int places)
        : from_(from)
        , ticks_(static_cast<std::size_t>(places)) {}

    /// `count` times from `first` on, the last one at `last`, all within one place.
    void note(qint64 first, qint64 last, qint64 count, const QString& schedule) {
        DayStrip::Tick& tick = ticks_[static_cast<std::size_t>(placeOf(first))];
        const bool isFirst = tick.count == 0 || first < tick.first;
        if (isFirst) tick.first = first;
        tick.last = std::max(tick.last, last);
        tick.count += static_cast<int>(count);
        if (isFirst) {
            tick.schedules.removeOne(schedule);
            tick.schedules.prepend(schedule);
            if (tick.schedules.size() > DayStrip::kMostNamed) tick.schedules.removeLast();
        } else if (tick.schedules.size() < DayStrip::kMostNamed && !tick.schedules.contains(schedule)) {
            tick.schedules.append(schedule);
        }
    }

    /// As often as that is until the end. A place at a time: there may be 86,400 of them.
    void noteRepeats(qint64 after, qint64 step, const QString& schedule) {
        const qint64 end = from_ + DayStrip::kSpan;
        if (step <= 0 || after > end || after < 0) return;
        qint64 at = after + step;
        if (at < from_) at += (from_ - at + step - 1) / step * step;
        while (at <= end) {
            const qint64 more = (std::min(endOf(placeOf(at)), end) - at) / step;
            note(at, at + more * step, more + 1, schedule);
            at += (more + 1) * step;
        }
    }
    const std::vector<DayStrip::Tick>& ticks() const { return ticks_; }

private:
    qint64 size() const { return static_cast<qint64>(ticks_.size()); }
    qint64 placeOf(qint64 at) const { return (at - from_) * size() / (DayStrip::kSpan + 1); }
    qint64 endOf(qint64 place) const { return from_ + ((place + 1) * (DayStrip::kSpan + 1) - 1) / size(); }

    WallMicros from_;
    std::vector<DayStrip::Tick> ticks_;
};

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
    ticksWidth_ = -1;
    update();
}

void DayStrip::setChosen(const QString& schedule) {
    chosen_ = schedule;
    update();
}

double DayStrip::xOf(qint64 at) const {
    return kStripEdge + static_cast<double>(at - from_) / static_cast<double>(kSpan) * (width() - 2 * kStripEdge);
}

const std::vector<DayStrip::Tick>& DayStrip::ticks() const {
    if (std::exchange(ticksWidth_, width()) != width())
        ticks_ = count(std::max(1, static_cast<int>((width() - 2 * kStripEdge) / kTickWidth)));
    return ticks_;
}

std::vector<DayStrip::Tick> DayStrip::count(int places) const {
    Places all(from_, places);
    for (const Times& times : times_) {
        for (const qint64 at : times.at)
            if (at >= from_ && at <= from_ + kSpan) all.note(at, at, 1, times.schedule);
        if (!times.at.empty()) all.noteRepeats(times.at.back(), times.step, times.schedule);
    }
    std::vector<Tick> ticks;
    const double wide = std::max(0.0, width() - 2 * kStripEdge) / places;
    for (std::size_t i = 0; i < all.ticks().size(); ++i) {
        if (all.ticks()[i].count == 0) continue;
        ticks.push_back(all.ticks()[i]);
        ticks.back().x = kStripEdge + static_cast<double>(i) * wide;
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
    const Tick* tick = tickAt(ticks(), event->position().x());
    if (tick == nullptr) return;
    const QString name = tick->schedules.front(); // who hears of it may have other times shown
    emit chosen(name);
}

bool DayStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::vector<Tick>& all = ticks();
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
