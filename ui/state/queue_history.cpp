#include "ui/state/queue_history.h"

#include <algorithm>

namespace yard::ui {

void QueueHistory::push(Series& series, const Point& point) {
    auto& points = series.points;
    // Within a step the newest counts; a gap is never written over.
    if (points.size() > 1 && point.left >= 0 && points.back().left >= 0 &&
        point.t - points[points.size() - 2].t < series.step)
        points.back() = point;
    else
        points.push_back(point);
    if (points.size() <= kMostPoints) return;
    std::vector<Point> coarser;
    coarser.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        if (i % 2 == 0 || points[i].left < 0 || i + 1 == points.size()) coarser.push_back(points[i]);
    // All gaps: the oldest half goes.
    if (coarser.size() > kMostPoints) coarser.erase(coarser.begin(), coarser.begin() + kMostPoints / 2);
    points = std::move(coarser);
    series.step *= 2;
}

void QueueHistory::add(qint64 queue, qint64 t, qint64 left, qint64 done) {
    if (series_.size() >= kMostQueues && !series_.contains(queue))
        series_.erase(
            std::ranges::min_element(series_, {}, [](const auto& entry) { return entry.second.points.back().t; }));
    push(series_[queue], {t, left, done});
}

void QueueHistory::loseSight(qint64 t) {
    for (auto& [queue, series] : series_)
        if (series.points.back().left >= 0) push(series, {t, -1, series.points.back().done});
}

const std::vector<QueueHistory::Point>& QueueHistory::of(qint64 queue) const {
    static const std::vector<Point> none;
    const auto found = series_.find(queue);
    return found == series_.end() ? none : found->second.points;
}

double QueueHistory::perMinute(qint64 queue, qint64 now, qint64 span) const {
    const auto& points = of(queue);
    const auto first =
        std::ranges::find_if(points, [&](const Point& point) { return point.left >= 0 && point.t >= now - span; });
    if (first == points.end() || now - first->t < 1'000'000) return -1;
    return static_cast<double>(points.back().done - first->done) * 60e6 / static_cast<double>(now - first->t);
}

} // namespace yard::ui
