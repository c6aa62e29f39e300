// Paints the bars of one lane. Geometry says the state as well as colour does: running is full height, preparing
// and collecting are stubs of half that, failed and abandoned are taller. Owner: ui thread; for one paint.
#pragma once

#include "ui/timeline/lane_layout.h"
#include "ui/timeline/marks.h"

#include <QPainter>
#include <set>
#include <tuple>

namespace yard::ui::timeline {

class LanePainter {
public:
    /// `pixel`: a device pixel in logical ones.
    LanePainter(QPainter& painter, const TimeScale& scale, int laneHeight, WallMicros now, double pixel);

    /// `clip`: the stretch of time that is drawn from this lane. `row` is as high as a lane.
    void paint(const QRectF& row, const Lane& lane, const Names& names, Range clip, double opacity = 1);
    /// Where a bar lies, with its stubs.
    QRectF areaOf(const QRectF& row, const Item& item) const;

private:
    void paintMark(const QRectF& row, const Lane& lane, const Names& names, const Mark& mark);
    void paintBar(const QRectF& row, const Item& item, const QString& name, Range clip, bool withStubs);
    void paintBody(const QRectF& body, const Item& item, const QString& name);
    void paintLabel(const QRectF& body, const Item& item, const QString& name);
    void paintWait(const QRectF& row, const Lane& lane, std::size_t item);
    QColor fillOf(DisplayState face, float alpha = 1) const;
    double snap(double x) const;
    double bodyHeight() const;

    QPainter& painter_;
    TimeScale scale_;
    int laneHeight_;
    WallMicros now_;
    double pixel_;
    double opacity_ = 1;
    Range clip_;
    std::vector<Mark> marks_;
    /// Attempts that have their label, and whether it is a pale one: a bar over a seam is painted in two parts.
    std::set<std::tuple<qint64, std::uint32_t, bool>> labelled_;
};

/// Near black or white, whichever stands out more.
QColor textOn(const QColor& fill);

} // namespace yard::ui::timeline
