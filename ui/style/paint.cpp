#include "ui/style/paint.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <utility>

namespace yard::ui {

DisplayState faceOf(std::string_view state, bool held, bool waitsToRetry) {
    if (state == "submitting") return DisplayState::Submitting;
    if (state == "running") return DisplayState::Running;
    if (state == "completed") return DisplayState::Completed;
    if (state == "failed") return DisplayState::Failed;
    if (state == "abandoned") return DisplayState::Abandoned;
    if (state == "cancelled") return DisplayState::Cancelled;
    if (held) return DisplayState::Held;
    return waitsToRetry ? DisplayState::Retry : DisplayState::Pending;
}

QString wordOf(DisplayState face) {
    switch (face) {
    case DisplayState::Pending: return QCoreApplication::translate("Face", "Pending");
    case DisplayState::Held: return QCoreApplication::translate("Face", "Held");
    case DisplayState::Retry: return QCoreApplication::translate("Face", "Retry waiting");
    case DisplayState::Submitting: return QCoreApplication::translate("Face", "Submitting");
    case DisplayState::Running: return QCoreApplication::translate("Face", "Running");
    case DisplayState::Completed: return QCoreApplication::translate("Face", "Completed");
    case DisplayState::Failed: return QCoreApplication::translate("Face", "Failed");
    case DisplayState::Abandoned: return QCoreApplication::translate("Face", "Abandoned");
    case DisplayState::Cancelled: return QCoreApplication::translate("Face", "Cancelled");
    }
    return {};
}

QString wordWithin(DisplayState face) {
    switch (face) {
    case DisplayState::Pending: return QCoreApplication::translate("FaceWithin", "pending");
    case DisplayState::Held: return QCoreApplication::translate("FaceWithin", "held");
    case DisplayState::Retry: return QCoreApplication::translate("FaceWithin", "retry waiting");
    case DisplayState::Submitting: return QCoreApplication::translate("FaceWithin", "submitting");
    case DisplayState::Running: return QCoreApplication::translate("FaceWithin", "running");
    case DisplayState::Completed: return QCoreApplication::translate("FaceWithin", "completed");
    case DisplayState::Failed: return QCoreApplication::translate("FaceWithin", "failed");
    case DisplayState::Abandoned: return QCoreApplication::translate("FaceWithin", "abandoned");
    case DisplayState::Cancelled: return QCoreApplication::translate("FaceWithin", "cancelled");
    }
    return {};
}

QString wordOf(Mark mark) {
    switch (mark) {
    case Mark::None: return {};
    case Mark::Red: return QCoreApplication::translate("Mark", "Red");
    case Mark::Orange: return QCoreApplication::translate("Mark", "Orange");
    case Mark::Yellow: return QCoreApplication::translate("Mark", "Yellow");
    case Mark::Green: return QCoreApplication::translate("Mark", "Green");
    case Mark::Blue: return QCoreApplication::translate("Mark", "Blue");
    case Mark::Purple: return QCoreApplication::translate("Mark", "Purple");
    case Mark::Grey: return QCoreApplication::translate("Mark", "Grey");
    }
    return {};
}

namespace paint {

namespace {

constexpr std::array kProgressOrder{DisplayState::Completed, DisplayState::Failed,     DisplayState::Abandoned,
                                    DisplayState::Cancelled, DisplayState::Running,    DisplayState::Retry,
                                    DisplayState::Held,      DisplayState::Submitting, DisplayState::Pending};
constexpr double kLeastSegment = 3;

class Saved {
public:
    explicit Saved(QPainter& painter)
        : painter_(painter) {
        painter_.save();
    }
    ~Saved() { painter_.restore(); }
    Saved(const Saved&) = delete;
    Saved& operator=(const Saved&) = delete;

private:
    QPainter& painter_;
};

void hatch(QPainter& painter, const QRectF& area, const QColor& over) {
    const Saved saved(painter);
    painter.setClipRect(area, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(over, 1.5));
    for (qreal x = area.left() - area.height(); x < area.right() + area.height(); x += 4)
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x + area.height(), area.top()));
}

bool isHatched(DisplayState face) {
    return face == DisplayState::Held || face == DisplayState::Cancelled || face == DisplayState::Abandoned;
}

/// Widths that sum to `width`: by share, but at least kLeastSegment for what is there.
std::array<double, kFaces> widthsOf(const Shares& shares, double width) {
    std::array<double, kFaces> widths{};
    std::int64_t total = 0;
    for (const std::int64_t share : shares) total += share;
    if (total <= 0) return widths;
    double taken = 0;
    double free = 0; // of those that are wide enough to give
    for (std::size_t i = 0; i < kFaces; ++i) {
        if (shares[i] <= 0) continue;
        const double own = width * static_cast<double>(shares[i]) / static_cast<double>(total);
        widths[i] = std::max(own, kLeastSegment);
        taken += widths[i];
        free += widths[i] - kLeastSegment;
    }
    const double over = taken - width;
    if (over > 0 && free > 0)
        for (double& w : widths)
            if (w > kLeastSegment) w -= over * (w - kLeastSegment) / free;
    return widths;
}

} // namespace

QString text(QPainter& painter, const QRectF& area, const QString& text, const QFont& font, const QColor& colour,
             Qt::Alignment alignment, Qt::TextElideMode elide) {
    if (area.width() <= 0 || text.isEmpty()) return {};
    const Saved saved(painter);
    painter.setFont(font);
    painter.setPen(colour);
    const QFontMetricsF metrics(font);
    const QString plain = unturned(text);
    const QString fits = elide == Qt::ElideNone ? plain : metrics.elidedText(plain, elide, area.width());
    const qreal width = (alignment & Qt::AlignLeft) != 0 ? 0 : metrics.horizontalAdvance(fits);
    qreal x = area.left();
    if ((alignment & Qt::AlignRight) != 0) x = area.right() - width;
    if ((alignment & Qt::AlignHCenter) != 0) x = area.center().x() - width / 2;
    const qreal y = std::round(area.center().y() + (metrics.ascent() - metrics.descent()) / 2);
    painter.drawText(QPointF(x, y), fits);
    return fits;
}

void number(QPainter& painter, const QRectF& area, const QString& text, const QFont& font, const QColor& colour,
            Qt::Alignment alignment) {
    const Saved saved(painter);
    painter.setFont(font);
    painter.setPen(colour);
    drawNumber(painter, area, text, alignment);
}

void state(QPainter& painter, const QRectF& area, DisplayState face, const QString& word, bool selected,
           const QColor& under) {
    constexpr qreal kIcon = 14;
    constexpr qreal kGap = 7;
    const Theme& theme = Theme::current();
    icons::paintFace(painter, QRectF(area.left(), area.top(), kIcon, area.height()), theme.scheme(), face,
                     static_cast<int>(kIcon), under);
    const bool failed = face == DisplayState::Failed;
    const QColor colour = failed ? theme.inkOf(face) : theme(Token::Text1);
    text(painter, area.adjusted(kIcon + kGap, 0, 0, 0), word, typeface(failed ? Type::Strong : Type::Body),
         failed || selected ? colour : theme(Token::Text1));
}

void segment(QPainter& painter, const QRectF& area, DisplayState face) {
    const Theme& theme = Theme::current();
    if (face == DisplayState::Pending) { // outline only
        const Saved saved(painter);
        const qreal px = 1 / painter.device()->devicePixelRatioF();
        painter.setPen(QPen(theme.fillOf(face), px));
        painter.drawRect(area.adjusted(px / 2, px / 2, -px / 2, -px / 2));
        return;
    }
    painter.fillRect(area, theme.fillOf(face));
    if (isHatched(face)) hatch(painter, area, theme(Token::Bg1));
}

void bars(QPainter& painter, const QRectF& area, std::span<const qint64> numbers, const QColor& colour) {
    constexpr qreal kBarWidth = 2;
    constexpr qreal kLeastBar = 2;
    hairline(painter, area.bottomLeft(), area.bottomRight(), Theme::current()(Token::Line));
    if (numbers.empty()) return;
    const auto most = static_cast<double>(std::max<qint64>(1, std::ranges::max(numbers)));
    const qreal step = area.width() / static_cast<qreal>(numbers.size());
    qreal x = area.left();
    for (const qint64 number : numbers) {
        const qreal height = std::max(kLeastBar, std::round(area.height() * static_cast<double>(number) / most));
        if (number > 0)
            painter.fillRect(QRectF(std::round(x), area.bottom() - height, std::min(kBarWidth, step), height),
                             colour);
        x += step;
    }
}

void progress(QPainter& painter, const QRectF& area, const Shares& shares) {
    const auto widths = widthsOf(shares, area.width());
    const qreal ratio = painter.device()->devicePixelRatioF();
    const auto snapped = [ratio](qreal at) { return std::round(at * ratio) / ratio; };
    qreal x = area.left();
    bool any = false;
    for (const DisplayState face : kProgressOrder) {
        const double width = widths[std::to_underlying(face)];
        if (width <= 0) continue;
        any = true;
        const qreal left = snapped(x);
        const qreal right = snapped(x + width);
        const qreal gap = right >= area.right() - 0.5 ? 0 : 1;
        segment(painter, QRectF(left, area.top(), std::max(1.0, right - left - gap), area.height()), face);
        x += width;
    }
    if (!any) painter.fillRect(area, Theme::current()(Token::Bg4));
}

void meter(QPainter& painter, const QRectF& area, double share, const QColor& full) {
    painter.fillRect(area, Theme::current()(Token::Bg4));
    const double part = std::clamp(share, 0.0, 1.0);
    if (part <= 0) return;
    const qreal width = std::max(2.0, area.width() * part);
    painter.fillRect(QRectF(area.left(), area.top(), width, area.height()), full);
}

void mark(QPainter& painter, QPointF centre, qreal radius, Mark mark) {
    if (mark == Mark::None) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().dotOf(mark));
    painter.drawEllipse(centre, radius, radius);
    painter.restore();
}

void hairline(QPainter& painter, QPointF from, QPointF to, const QColor& colour) {
    const Saved saved(painter);
    const qreal ratio = painter.device()->devicePixelRatioF();
    const auto middle = [ratio](qreal at) { return (std::floor(at * ratio) + 0.5) / ratio; };
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(colour, 1 / ratio));
    painter.drawLine(QPointF(middle(from.x()), middle(from.y())), QPointF(middle(to.x()), middle(to.y())));
}

void panelWithTabs(QPainter& painter, const QRectF& area, qreal tabsEnd) {
    const Theme& theme = Theme::current();
    painter.fillRect(area, theme(Token::Bg1));
    hairline(painter, area.topLeft(), QPointF(area.left() + area.width(), area.top()), theme(Token::Line2));
    hairline(painter, QPointF(area.left(), tabsEnd), QPointF(area.left() + area.width(), tabsEnd),
             theme(Token::Line));
}

} // namespace paint
} // namespace yard::ui
