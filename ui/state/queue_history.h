// How many actions queues had left, and how many were done, as far as this window has seen: for the chart of one
// queue. Values; ui thread.
//
// Bounds: kMostPoints points a queue, coarser as it gets longer; kMostQueues queues, the one not heard of for
// longest goes.
#pragma once

#include <QtGlobal>
#include <map>
#include <vector>

namespace yard::ui {

class QueueHistory {
public:
    static constexpr std::size_t kMostPoints = 512;
    static constexpr std::size_t kMostQueues = 500;

    struct Point {
        qint64 t = 0;     ///< microseconds since the epoch
        qint64 left = -1; ///< -1: not known from here on
        qint64 done = 0;
        bool operator==(const Point&) const = default;
    };

    void add(qint64 queue, qint64 t, qint64 left, qint64 done);
    /// Nothing is known of any queue from `t` on, until it is heard of again.
    void loseSight(qint64 t);
    void forget(qint64 queue) { series_.erase(queue); }
    /// In the order of time; a queue says nothing while nothing changes.
    const std::vector<Point>& of(qint64 queue) const;
    /// Done per minute over the last `span` microseconds before `now`, as far as it was seen; negative: not known.
    double perMinute(qint64 queue, qint64 now, qint64 span) const;
    std::size_t queues() const { return series_.size(); }

private:
    struct Series {
        std::vector<Point> points;
        qint64 step = 1'000'000;
    };
    static void push(Series& series, const Point& point);
    std::map<qint64, Series> series_;
};

} // namespace yard::ui
