#include "ui/timeline/hover_card.h"

#include "ui/state/action_row.h"
#include "ui/style/format.h"
#include "ui/style/icons.h"

#include <QJsonArray>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace yard::ui::timeline {

namespace {

constexpr int kCardWidth = 356;
constexpr int kKeyWidth = 72;
constexpr int kCardLine = 20;
constexpr int kCardFoot = 28;
constexpr int kCardApart = 12;

QString secondsText(const Format& format, std::int64_t micros) {
    return format.duration(Duration(micros));
}

} // namespace

QRect cardRect(QSize card, const QRectF& over, const QRectF& inside) {
    double y = over.bottom() + kCardApart;
    if (y + card.height() > inside.bottom()) y = over.top() - kCardApart - card.height();
    const bool fitsUpright = y >= inside.top();
    double x = over.left();
    if (!fitsUpright) {
        // Neither below nor above: beside.
        y = std::clamp(over.center().y() - card.height() / 2.0, inside.top(),
                       std::max(inside.top(), inside.bottom() - card.height()));
        x = over.right() + kCardApart;
        if (x + card.width() > inside.right()) x = over.left() - kCardApart - card.width();
    }
    x = std::clamp(x, inside.left(), std::max(inside.left(), inside.right() - card.width()));
    return {QPoint(static_cast<int>(std::round(x)), static_cast<int>(std::round(y))), card};
}

HoverCard::HoverCard(QWidget* parent)
    : QWidget(parent)
    , open_(new Button(Button::Kind::Link, tr("Open"), {}, this))
    , log_(new Button(Button::Kind::Link, tr("Log"), {}, this))
    , compare_(new Button(Button::Kind::Link, tr("Compare"), {}, this)) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("What the pointer is over"));
    connect(open_, &QAbstractButton::clicked, this, [this] { emit opened(lsn_, {}); });
    connect(log_, &QAbstractButton::clicked, this, [this] { emit opened(lsn_, QStringLiteral("output")); });
    connect(compare_, &QAbstractButton::clicked, this, [this] { emit compareWanted(lsn_); });
    for (Button* button : {open_, log_, compare_}) button->hide();
    hide();
}

void HoverCard::present(TimelineView& view, const TimelineView::Hovered& hovered) {
    lines_.clear();
    error_.clear();
    subtitle_.clear();
    face_.reset();
    lsn_ = 0;
    shown_ = hovered.key();
    over_ = hovered.area;
    inside_ = QRectF(view.rect()).adjusted(kLabels + 4, kMapHeight, -kRight, -4);
    switch (hovered.kind) {
    case TimelineView::Hovered::Kind::Nothing: return drop();
    case TimelineView::Hovered::Kind::Bar: describeBar(view, hovered); break;
    case TimelineView::Hovered::Kind::Gap: describeGap(view, hovered); break;
    case TimelineView::Hovered::Kind::Graph: describeGraph(view, hovered); break;
    }
    place();
    show();
    raise();
}

void HoverCard::pin() {
    if (!isVisible() || pinned_ || lsn_ == 0) return;
    pinned_ = true;
    setAttribute(Qt::WA_TransparentForMouseEvents, false);
    int x = 10;
    for (Button* button : {open_, log_, compare_}) {
        button->setGeometry(QRect(QPoint(x, height() - kCardFoot + 3), button->sizeHint()));
        x = button->geometry().right() + 12;
        button->show();
    }
    update();
}

void HoverCard::drop() {
    pinned_ = false;
    shown_.clear();
    setAttribute(Qt::WA_TransparentForMouseEvents);
    for (Button* button : {open_, log_, compare_}) button->hide();
    hide();
}

void HoverCard::describeBar(TimelineView& view, const TimelineView::Hovered& hovered) {
    const Format format;
    const Item& item = hovered.bar.item;
    const WallMicros now = view.data().now();
    face_ = item.face;
    lsn_ = item.lsn;
    const QString number = format.number(item.lsn);
    if (item.isStep) {
        title_ = item.count == 1 ? tr("%1 in one step").arg(number)
                                 : tr("%1 short actions").arg(format.number(item.count));
        subtitle_ = tr("the worst is %1: %2; zoom in to see each").arg(number, wordWithin(item.face));
        lines_.push_back({tr("from"), format.time(item.begin, now)});
        lines_.push_back({tr("covered"), format.percent(std::llround(item.covered * 1'000), 1'000)});
    } else {
        title_ = hovered.bar.name.isEmpty() ? number : hovered.bar.name;
        lines_.push_back({tr("began"), tr("%1, %2 ago")
                                           .arg(cursorLabel(item.begin, 10'000, QTimeZone::systemTimeZone()),
                                                secondsText(format, now - item.begin))});
        const WallMicros runs = item.running;
        const WallMicros exits = item.exited > 0 ? item.exited : item.until(now);
        QStringList split;
        if (runs > 0) {
            split << tr("prepare %1").arg(secondsText(format, runs - item.begin));
            split << (item.isOpen() && item.exited == 0 ? tr("running for %1") : tr("run %1"))
                         .arg(secondsText(format, exits - runs));
            if (item.exited > 0 && !item.isOpen())
                split << tr("collect %1").arg(secondsText(format, item.end - item.exited));
        } else {
            split << (item.isOpen() ? tr("preparing for %1") : tr("%1 in all"))
                         .arg(secondsText(format, item.until(now) - item.begin));
        }
        lines_.push_back({tr("split"), split.join(tr(", "))});
        lines_.push_back(
            {tr("number"), item.attempt > 1 ? tr("%1, try %2").arg(number).arg(item.attempt) : number});
    }
    foot_ = tr("Click selects   Enter opens   Ctrl L log   Ctrl D compare");
    view.data().details(item.lsn, this, [this, key = shown_, attempt = item.attempt](const QJsonObject& job) {
        if (key != shown_) return; // the pointer is elsewhere by now
        addDetails(job, attempt);
        place();
        update();
    });
}

void HoverCard::addDetails(const QJsonObject& job, std::uint32_t attempt) {
    const Format format;
    QJsonObject tried = job;
    const QJsonArray attempts = job.value("attempts").toArray();
    for (const QJsonValue one : attempts)
        if (one["n"].toInteger() == attempt) tried = one.toObject();
    error_ = tried.value("note").toString();
    QStringList used;
    if (const QJsonValue cpu = tried.value("cpu_seconds"); cpu.isDouble())
        used << tr("%1 of processor").arg(format.duration(Duration(std::llround(cpu.toDouble() * 1e6))));
    if (const QJsonValue memory = tried.value("max_rss_bytes"); memory.isDouble())
        used << tr("peak %1").arg(format.size(memory.toInteger()));
    if (const QString given = givenWords(tried.value("resources_given").toObject()); !given.isEmpty())
        lines_.push_back({tr("given"), unturned(given)});
    if (!used.isEmpty()) lines_.push_back({tr("used"), used.join(tr(", "))});
    QString tries = attempts.isEmpty() ? QString() : tr("%1 of %2").arg(attempt).arg(attempts.size());
    if (const QJsonValue code = tried.value("exit_code"); code.isDouble())
        tries += (tries.isEmpty() ? QString() : tr(", ")) + tr("exit code %1").arg(code.toInteger());
    if (!tries.isEmpty()) lines_.push_back({tr("tries"), tries});
}

QString HoverCard::whyIdle(TimelineView& view, WallMicros at) const {
    const Figures& figures = view.data().figures();
    const Scene scene = view.scene();
    const std::ptrdiff_t step = figures.stepAt(at);
    if (step < 0) return {};
    const auto i = static_cast<std::size_t>(step);
    const Format format;
    const double guard = scene.machine.memory * scene.machine.guardShare;
    if (guard > 0 && figures.memory[i] >= guard)
        return tr("memory at %1, no starts above %2")
            .arg(format.size(static_cast<std::int64_t>(figures.memory[i])),
                 format.size(static_cast<std::int64_t>(guard)));
    if (figures.pending[i] == 0) return tr("nothing waited");
    return {};
}

void HoverCard::describeGap(TimelineView& view, const TimelineView::Hovered& hovered) {
    const Format format;
    const WallMicros now = view.data().now();
    face_ = DisplayState::Pending;
    const QString name = hovered.bar.workerName.isEmpty()
                             ? tr("slot %1").arg(hovered.bar.slot)
                             : tr("%1 slot %2").arg(hovered.bar.workerName).arg(hovered.bar.slot);
    title_ = tr("%1: idle").arg(name);
    const auto time = [&](WallMicros at) { return cursorLabel(at, 1e6, QTimeZone::systemTimeZone()); };
    if (hovered.gap.from > 0)
        subtitle_ = tr("nothing started here for %1")
                        .arg(secondsText(format, (hovered.gap.to > 0 ? hovered.gap.to : now) - hovered.gap.from));
    lines_.push_back({tr("from"), hovered.gap.from > 0 ? time(hovered.gap.from) : tr("before what is shown")});
    lines_.push_back({tr("until"), hovered.gap.to > 0           ? time(hovered.gap.to)
                                   : view.range().contains(now) ? tr("now")
                                                                : tr("after what is shown")});
    if (const QString why = whyIdle(view, hovered.at); !why.isEmpty()) lines_.push_back({tr("because"), why});
    const Figures& figures = view.data().figures();
    if (const std::ptrdiff_t step = figures.stepAt(hovered.at); step >= 0) {
        const double waiting = figures.pending[static_cast<std::size_t>(step)];
        if (!std::isnan(waiting))
            lines_.push_back(
                {tr("waiting"), tr("%1 actions in all").arg(format.number(static_cast<std::int64_t>(waiting)))});
    }
    if (hovered.bar.item.lsn > 0 && !hovered.bar.item.isStep)
        lines_.push_back({tr("before"), tr("%1 %2, %3")
                                            .arg(format.number(hovered.bar.item.lsn), hovered.bar.name,
                                                 wordWithin(hovered.bar.item.face))});
    foot_.clear();
}

void HoverCard::describeGraph(TimelineView& view, const TimelineView::Hovered& hovered) {
    const Format format;
    title_ = tr("The machine at %1").arg(cursorLabel(hovered.at, 1e6, QTimeZone::systemTimeZone()));
    const Figures& figures = view.data().figures();
    if (const std::ptrdiff_t step = figures.stepAt(hovered.at); step >= 0) {
        const auto i = static_cast<std::size_t>(step);
        if (!std::isnan(figures.cores[i]))
            lines_.push_back({tr("processor"), tr("%1 cores").arg(format.cores(figures.cores[i]))});
        if (!std::isnan(figures.memory[i]))
            lines_.push_back({tr("memory"), format.size(static_cast<std::int64_t>(figures.memory[i]))});
        if (!std::isnan(figures.running[i]))
            lines_.push_back({tr("running"), format.number(static_cast<std::int64_t>(figures.running[i]))});
    } else {
        subtitle_ = tr("no data: the engine was not there, or was not asked");
    }
    // Those that had run longest: what one looks for first when the machine is full.
    std::vector<SelectedBar> then = view.barsAt(hovered.at);
    std::ranges::sort(then, {}, [](const SelectedBar& bar) { return bar.item.begin; });
    if (then.size() > 3) then.resize(3);
    for (const SelectedBar& bar : then)
        lines_.push_back({lines_.empty() || lines_.back().key != tr("longest") ? tr("longest") : QString(),
                          tr("%1, for %2")
                              .arg(bar.name.isEmpty() ? format.number(bar.item.lsn) : bar.name,
                                   secondsText(format, hovered.at - bar.item.begin))});
    foot_.clear();
}

void HoverCard::place() {
    int height = 8 + 20;
    if (!subtitle_.isEmpty() || !error_.isEmpty()) height += 20;
    height += 4 + static_cast<int>(lines_.size()) * kCardLine + 6;
    if (!foot_.isEmpty()) height += kCardFoot;
    setGeometry(cardRect({kCardWidth, height}, over_, inside_));
}

void HoverCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme(Token::Bg2));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme(Token::Line2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    double y = 8;
    double x = 12;
    if (face_) {
        icons::paintFace(painter, QRectF(x, y, 14, 20), theme.scheme(), *face_, 14, theme(Token::Bg2));
        x += 21;
    }
    paint::text(painter, {x, y, width() - x - 12, 20}, title_, typeface(Type::Strong), theme(Token::Text1));
    y += 20;
    if (!error_.isEmpty())
        paint::text(painter, {12, y, width() - 24.0, 20}, error_, typeface(Type::Mono),
                    theme.inkOf(DisplayState::Failed));
    else if (!subtitle_.isEmpty())
        paint::text(painter, {12, y, width() - 24.0, 20}, subtitle_, typeface(Type::Small), theme(Token::Text2));
    if (!error_.isEmpty() || !subtitle_.isEmpty()) y += 20;
    y += 4;
    for (const Line& line : lines_) {
        paint::text(painter, {12, y, kKeyWidth, kCardLine}, line.key, typeface(Type::Small), theme(Token::Text2));
        paint::text(painter, {12.0 + kKeyWidth, y, width() - 24.0 - kKeyWidth, kCardLine}, line.value,
                    typeface(Type::Small), theme(Token::Text1));
        y += kCardLine;
    }
    if (foot_.isEmpty()) return;
    y += 6;
    paint::hairline(painter, {1, y}, {width() - 1.0, y}, theme(Token::Line));
    if (!pinned_)
        paint::text(painter, {12, y, width() - 24.0, kCardFoot - 2.0}, foot_, typeface(Type::Caption),
                    theme(Token::Text3));
}

} // namespace yard::ui::timeline
