#include "ui/pages/pool/pool_strip.h"

#include "ui/style/format.h"
#include "ui/style/paint.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kFirstStripPart = 300;
constexpr std::size_t kTrend = 46;
constexpr std::size_t kLeastOfTrend = 12; ///< fewer looks make a dash, which says nothing
constexpr double kLeastTrend = 0.01;      ///< of the hit rate, over the height
constexpr qint64 kMostCells = 64;         ///< beyond, a cell stands for several

} // namespace

PoolStrip::PoolStrip(QWidget* parent)
    : QWidget(parent)
    , figures_(5, Format::unknown())
    , notes_(5, QString()) {
    installSpoken();
    setFixedHeight(scaled(60));
    setAccessibleName(tr("The pool in figures"));
}

void PoolStrip::show(const PoolView& pool, qint64 machineMemory, std::optional<Duration> oldestWait) {
    const Format format;
    busy_ = pool.count("busy") + pool.count("finishing");
    idle_ = pool.count("idle") + pool.count("stopping");
    starting_ = pool.count("starting");
    max_ = pool.max;
    QStringList states;
    if (busy_ > 0) states << tr("%1 busy").arg(format.number(busy_));
    if (idle_ > 0) states << tr("%1 idle").arg(format.number(idle_));
    if (starting_ > 0) states << tr("%1 starting").arg(format.number(starting_));
    states_ = states.join(", ");
    const auto rate = pool.hitRate();
    if (rate) hitRates_.push_back(*rate);
    if (hitRates_.size() > kTrend) hitRates_.pop_front();
    const auto memory = pool.memory();
    QStringList waiting;
    for (const PoolGroup& group : pool.groups)
        if (group.waiting > 0) waiting << group.name;
    QString forWhom = waiting.size() == 1 ? tr("for %1").arg(waiting.front())
                      : waiting.isEmpty() ? QString()
                                          : tr("for %n worker(s)", nullptr, static_cast<int>(waiting.size()));
    if (oldestWait && !waiting.isEmpty()) forWhom = tr("oldest %1").arg(format.duration(*oldestWait));
    figures_ = {format.number(pool.processes()),
                rate ? format.percent(static_cast<qint64>(*rate * 1e6), 1'000'000) : Format::unknown(),
                format.duration(Duration(static_cast<std::int64_t>(pool.savedSeconds() * 1e6))),
                format.number(pool.waiting()), memory ? format.size(*memory) : Format::unknown()};
    notes_ = {tr("of %1").arg(format.number(max_)), QString(), QString(), forWhom,
              machineMemory > 0 && memory ? tr("of %1").arg(format.size(machineMemory)) : QString()};
    update();
}

QStringList PoolStrip::captions() {
    return {tr("Processes"), tr("Found an idle process"), tr("Starts saved"), tr("Waiting for a process"),
            tr("Memory")};
}

QRect PoolStrip::partAt(int i) const {
    const qreal first = std::min<qreal>(scaled(kFirstStripPart), width() * 0.3);
    const qreal other = (width() - first) / 4;
    const int left = i == 0 ? 0 : qRound(first + (i - 1) * other);
    const int right = i == 0 ? qRound(first) : qRound(first + i * other);
    return {left, 0, right - left, height()};
}

std::vector<SpokenPart> PoolStrip::spokenParts() const {
    std::vector<SpokenPart> parts;
    const QStringList names = captions();
    for (int i = 0; i < names.size(); ++i) {
        QString value = figures_[i];
        for (const QString& more : {notes_[i], i == 0 ? states_ : QString()})
            if (!more.isEmpty()) value += ' ' + more;
        parts.push_back({QAccessible::ListItem, names[i], value, {}, partAt(i)});
    }
    return parts;
}

bool PoolStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<const QHelpEvent*>(event);
    for (const SpokenPart& part : spokenParts())
        if (part.area.contains(help->pos()))
            QToolTip::showText(help->globalPos(), part.name + QStringLiteral(": ") + part.value, this);
    return true;
}

void PoolStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme(Token::Line));
    painter.setBrush(theme(Token::Bg1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QStringList names = captions();
    for (int i = 0; i < 5; ++i) {
        const QRect part = partAt(i);
        const qreal left = part.left();
        const qreal right = part.left() + part.width();
        if (i < 4) paint::hairline(painter, {right, 1}, {right, height() - 1.0}, theme(Token::Line));
        const QRectF caption(left + 14, scaled(8), right - left - 28, scaled(18));
        const QRectF line(left + 14, scaled(26), right - left - 28, scaled(24));
        paint::text(painter, caption, names[i], typeface(Type::Caption), theme(Token::Text2));
        const QFont& own = typeface(Type::Title);
        const qreal wide = numberWidth(own, figures_[i]);
        paint::number(painter, line, figures_[i], own, theme(Token::Text1), Qt::AlignLeft);
        const QRectF rest = line.adjusted(wide + 8, 0, 0, 0);
        // A number is not cut: smaller, or in the tooltip alone.
        for (const Type type : {Type::Body, Type::Caption, Type::BarLabel}) {
            if (QFontMetricsF(typeface(type)).horizontalAdvance(notes_[i]) > rest.width()) continue;
            paint::text(painter, rest, notes_[i], typeface(type), theme(Token::Text2));
            break;
        }
        if (i == 0) {
            paint::text(painter, caption, states_, typeface(Type::Caption), theme(Token::Text2), Qt::AlignRight);
            const qreal noted = QFontMetricsF(typeface(Type::Body)).horizontalAdvance(notes_[0]);
            paintCells(painter, rest.adjusted(noted + 8, 0, 0, 0));
        } else if (i == 1) {
            paintTrend(painter, QRectF(std::max(rest.left() + 8, line.right() - scaled(92)), line.center().y() - 10,
                                       std::min<qreal>(scaled(92), line.right() - rest.left() - 8), 20));
        }
    }
}

/// Full busy, outlined idle, half starting; empty places in line.
void PoolStrip::paintCells(QPainter& painter, const QRectF& area) const {
    const qint64 count = std::min(std::max(max_, busy_ + idle_ + starting_), kMostCells);
    if (count <= 0 || area.width() < 8) return;
    const Theme& theme = Theme::current();
    const qreal step = std::clamp<qreal>(std::floor(area.width() / static_cast<qreal>(count)), 3, 12);
    const auto fits = std::min<qint64>(count, static_cast<qint64>(area.width() / step));
    const qreal top = std::round(area.center().y() - 7);
    for (qint64 i = 0; i < fits; ++i) {
        const QRectF cell(std::round(area.right() - static_cast<qreal>(fits - i) * step) + 0.5, top + 0.5,
                          step > 4 ? step - 3 : step - 2, 13);
        painter.setBrush(Qt::NoBrush);
        if (i < busy_) {
            painter.fillRect(cell.adjusted(-0.5, -0.5, 0.5, 0.5), theme.fillOf(DisplayState::Running));
        } else if (i < busy_ + idle_) {
            painter.setPen(theme(Token::Text2));
            painter.drawRect(cell);
        } else if (i < busy_ + idle_ + starting_) {
            painter.setPen(theme.fillOf(DisplayState::Running));
            painter.drawRect(cell);
            painter.fillRect(QRectF(cell.left(), cell.center().y(), cell.width(), cell.height() / 2),
                             theme.fillOf(DisplayState::Running));
        } else {
            painter.setPen(theme(Token::Line));
            painter.drawRect(cell);
        }
    }
}

void PoolStrip::paintTrend(QPainter& painter, const QRectF& area) const {
    if (hitRates_.size() < kLeastOfTrend || area.width() < 20) return;
    // The newest at the right; what hardly changes stands in the middle.
    const auto [least, most] = std::ranges::minmax(hitRates_);
    const double span = std::max(most - least, kLeastTrend);
    const double low = (least + most - span) / 2;
    QPainterPath path;
    for (std::size_t i = 0; i < hitRates_.size(); ++i) {
        const auto before = static_cast<qreal>(hitRates_.size() - 1 - i);
        const qreal x = area.right() - area.width() * before / (kTrend - 1);
        const qreal y = area.bottom() - area.height() * (hitRates_[i] - low) / span;
        i == 0 ? path.moveTo(x, y) : path.lineTo(x, y);
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Theme::current()(Token::Accent), 1.5));
    painter.drawPath(path);
    painter.restore();
}

} // namespace yard::ui
