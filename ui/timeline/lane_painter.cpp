#include "ui/timeline/lane_painter.h"

#include "ui/style/format.h"
#include "ui/style/paint.h"

#include <QFontMetricsF>
#include <QHash>

#include <algorithm>
#include <cmath>

namespace yard::ui::timeline {

namespace {

constexpr double kStubHeight = 0.5;
constexpr double kTaller = 2;
constexpr double kGapFrom = 4;
constexpr double kLeastLabel = 20;

bool isTall(DisplayState face) {
    return face == DisplayState::Failed || face == DisplayState::Abandoned;
}

double luminance(const QColor& colour) {
    const auto part = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) + 0.0722 * part(colour.blueF());
}

/// How wide a label is: asked for every bar in every frame, so remembered.
double labelWidth(const QString& label) {
    constexpr qsizetype kMostKept = 20'000;
    static QHash<QString, double> widths;
    static QFont font;
    const QFont& current = typeface(Type::BarLabel);
    if (font != current || widths.size() > kMostKept) {
        widths.clear();
        font = current;
    }
    if (const auto found = widths.constFind(label); found != widths.cend()) return *found;
    const double width = QFontMetricsF(current).horizontalAdvance(label);
    widths.insert(label, width);
    return width;
}

} // namespace

QColor textOn(const QColor& fill) {
    const double light = luminance(fill);
    const bool whiteStandsOut = 1.05 / (light + 0.05) > (light + 0.05) / 0.055;
    return whiteStandsOut ? colour(Scheme::Light, Token::Bg1) : colour(Scheme::Dark, Token::Bg0);
}

LanePainter::LanePainter(QPainter& painter, const TimeScale& scale, int laneHeight, WallMicros now, double pixel)
    : painter_(painter)
    , scale_(scale)
    , laneHeight_(laneHeight)
    , now_(now)
    , pixel_(pixel) {}

QColor LanePainter::fillOf(DisplayState face, float alpha) const {
    QColor fill = Theme::current().fillOf(face);
    fill.setAlphaF(static_cast<float>(alpha * opacity_));
    return fill;
}

double LanePainter::snap(double x) const {
    return std::round(x / pixel_) * pixel_;
}

void LanePainter::paint(const QRectF& row, const Lane& lane, const Names& names, Range clip, double opacity) {
    opacity_ = opacity;
    clip_ = clip.cut(scale_.range());
    marks_.clear();
    layMarks(lane, scale_, clip, now_, pixel_, marks_);
    for (const Mark& mark : marks_) paintMark(row, lane, names, mark);
}

void LanePainter::paintMark(const QRectF& row, const Lane& lane, const Names& names, const Mark& mark) {
    const Item& item = lane[mark.item];
    if (mark.kind != Mark::Kind::Column && !item.isStep) {
        paintBar(row, item, names[item.name], clip_, mark.kind == Mark::Kind::Bar && laneHeight_ >= 14);
        if (item.retried) paintWait(row, lane, mark.item);
        return;
    }
    const double body = bodyHeight();
    const double more = isTall(mark.face) ? kTaller : 0;
    const double from = snap(mark.from);
    const double to = std::max(snap(mark.to), from + pixel_);
    painter_.fillRect(QRectF(from, row.center().y() - body / 2 - more, to - from, body + 2 * more),
                      fillOf(mark.face, mark.alpha));
}

void LanePainter::paintBar(const QRectF& row, const Item& item, const QString& name, Range clip, bool withStubs) {
    const WallMicros until = item.until(now_);
    // What is not known counts as part of the body, but for what has not run yet.
    const bool neverRan = item.running == 0 && item.face == DisplayState::Submitting;
    const WallMicros runs = neverRan ? until : item.running > 0 ? item.running : item.begin;
    const WallMicros exits = item.exited > 0 ? std::min(item.exited, until) : until;
    const auto x = [&](WallMicros at) { return snap(scale_.xOf(std::clamp(at, clip.from, clip.to))); };
    const double body = bodyHeight() + (isTall(item.face) ? 2 * kTaller : 0);
    const double begin = x(item.begin);
    double end = x(until);
    const bool reachesNow = item.isOpen() && until <= clip.to;
    if (!item.isOpen() && end - begin >= kGapFrom) end -= 1;
    double from = begin;
    double to = end;
    if (withStubs) {
        from = std::min(x(runs), end);
        to = std::max(from, std::min(x(exits), end));
        const double half = std::round(bodyHeight() * kStubHeight);
        const double y = row.center().y() - half / 2;
        if (from - begin >= pixel_) painter_.fillRect(QRectF(begin, y, from - begin, half), fillOf(item.face));
        if (end - to >= pixel_) painter_.fillRect(QRectF(to, y, end - to, half), fillOf(item.face));
    }
    if (to > from) paintBody({from, row.center().y() - body / 2, to - from, body}, item, name);
    if (reachesNow) {
        QColor edge = Theme::current()(Token::Text1);
        edge.setAlphaF(static_cast<float>(opacity_));
        const double tall = std::min(row.height(), body + 4);
        painter_.fillRect(QRectF(end - 2, row.center().y() - tall / 2, 2, tall), edge);
    }
}

double LanePainter::bodyHeight() const {
    return timeline::bodyHeight(laneHeight_);
}

void LanePainter::paintBody(const QRectF& body, const Item& item, const QString& name) {
    const QColor fill = fillOf(item.face);
    if (item.face == DisplayState::Cancelled && body.width() > 3) {
        QPen pen(fill, 1);
        pen.setDashPattern({3, 2});
        painter_.setPen(pen);
        painter_.setBrush(Qt::NoBrush);
        painter_.drawRect(body.adjusted(0.5, 0.5, -0.5, -0.5));
    } else {
        painter_.fillRect(body, fill);
    }
    QColor on = textOn(fill);
    on.setAlphaF(static_cast<float>(opacity_));
    if (item.face == DisplayState::Abandoned && body.width() > 6) {
        painter_.save();
        painter_.setRenderHint(QPainter::Antialiasing);
        painter_.setPen(QPen(on, 1));
        for (double x = body.left() + 3; x < body.right() - 3; x += 6)
            painter_.drawLine(QPointF(x, body.bottom() - 2),
                              QPointF(std::min(x + 4, body.right()), body.top() + 2));
        painter_.restore();
    }
    if (item.face == DisplayState::Failed && body.width() > 12 && body.height() >= 8) {
        painter_.save();
        painter_.setRenderHint(QPainter::Antialiasing);
        painter_.setPen(QPen(on, 1.6));
        const QRectF cross(body.right() - 11, body.center().y() - 3, 6, 6);
        painter_.drawLine(cross.topLeft(), cross.bottomRight());
        painter_.drawLine(cross.bottomLeft(), cross.topRight());
        painter_.restore();
    }
    if (laneHeight_ >= 14 && body.width() >= kLeastLabel && !name.isEmpty()) paintLabel(body, item, name);
}

void LanePainter::paintLabel(const QRectF& body, const Item& item, const QString& name) {
    const double taken = item.face == DisplayState::Failed ? 18 : 8;
    const bool two = laneHeight_ >= 32;
    const QRectF room = body.adjusted(5, 0, -(taken - 5), 0);
    if (labelWidth(name) > room.width()) return;
    if (!labelled_.emplace(item.lsn, item.attempt, opacity_ < 1).second) return;
    QColor ink = item.face == DisplayState::Cancelled ? Theme::current()(Token::Text2) : textOn(fillOf(item.face));
    ink.setAlphaF(static_cast<float>(opacity_));
    painter_.setFont(typeface(Type::BarLabel));
    painter_.setPen(ink);
    const QFontMetricsF metrics(typeface(Type::BarLabel));
    const double middle = two ? body.top() + body.height() * 0.28 : body.center().y();
    const auto baseline = [&](double at) { return std::round(at + (metrics.ascent() - metrics.descent()) / 2); };
    painter_.drawText(QPointF(room.left(), baseline(middle)), unturned(name));
    if (!two) return;
    const QString second = Format().duration(Duration(item.until(now_) - item.begin));
    if (labelWidth(second) <= room.width())
        painter_.drawText(QPointF(room.left(), baseline(body.top() + body.height() * 0.74)), second);
}

void LanePainter::paintWait(const QRectF& row, const Lane& lane, std::size_t item) {
    constexpr std::size_t kLookAhead = 8;
    constexpr double kLongest = 26;
    double to = scale_.xOf(std::min(lane[item].end + static_cast<WallMicros>(kLongest * scale_.microsPerPixel()),
                                    std::min(now_, clip_.to)));
    // Up to the next attempt where it came in this lane, else a short piece that another bar ends.
    for (std::size_t next = item + 1; next < std::min(lane.size(), item + kLookAhead); ++next) {
        if (lane[next].isStep) continue;
        to = std::min(to, scale_.xOf(lane[next].begin));
        break;
    }
    const double from = scale_.xOf(lane[item].end) + 2;
    if (to - from < 4) return;
    QColor ink = Theme::current().inkOf(DisplayState::Retry);
    ink.setAlphaF(static_cast<float>(opacity_));
    QPen pen(ink, 2);
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern({1, 1.5});
    painter_.setPen(pen);
    painter_.drawLine(QPointF(from, row.center().y()), QPointF(to, row.center().y()));
}

QRectF LanePainter::areaOf(const QRectF& row, const Item& item) const {
    const double from = scale_.xOf(std::max(item.begin, scale_.range().from));
    const double to = scale_.xOf(std::min(item.until(now_), scale_.range().to));
    const double body = bodyHeight() + (isTall(item.face) ? 2 * kTaller : 0);
    return {from, row.center().y() - body / 2, std::max(to - from, 1.0), body};
}

} // namespace yard::ui::timeline
