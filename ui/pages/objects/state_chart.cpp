#include "ui/pages/objects/state_chart.h"

#include <QHash>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace yard::ui {

namespace {

constexpr qreal kGap = 72;    ///< between columns
constexpr qreal kLeft = 60;   ///< before the first column: arrows come back there
constexpr qreal kStep = 68;   ///< from row to row
constexpr qreal kMargin = 16; ///< above it arrows of a state to itself stand
constexpr qreal kLane = 10;   ///< between arrows beside each other
constexpr qreal kApart = 12;  ///< of an upright line from the states
constexpr std::size_t kInGap = 5;

/// Half a pixel: lines of one are sharp.
qreal sharp(qreal at) {
    return std::floor(at) + 0.5;
}

} // namespace

StateChart::StateChart(const ObjectType& type) {
    findColumns(type);
    qreal right = 0;
    qreal bottom = 0;
    for (Place& place : places_) {
        place.area = QRectF(kLeft + place.column * (kWidth + kGap), kMargin + place.row * kStep, kWidth, kHeight);
        right = std::max(right, place.area.right());
        bottom = std::max(bottom, place.area.bottom());
    }
    size_ = places_.empty() ? QSizeF() : QSizeF(right, bottom);
    layArrows(type);
    if (!places_.empty()) size_ = QSizeF(right + kGap, bottom + kMargin + static_cast<qreal>(lanes_) * kLane);
}

std::pair<QPointF, qreal> StateChart::Arrow::level() const {
    std::pair<QPointF, qreal> longest;
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF a = line[i - 1];
        const QPointF b = line[i];
        const qreal length = std::abs(a.x() - b.x());
        if (length > longest.second) longest = {(a + b) / 2, length};
    }
    return longest;
}

std::pair<QPointF, qreal> StateChart::Arrow::upright() const {
    std::pair<QPointF, qreal> longest;
    for (qsizetype i = 1; i < line.size(); ++i) {
        const qreal length = std::abs(line[i - 1].y() - line[i].y());
        if (length > longest.second) longest = {(line[i - 1] + line[i]) / 2, length};
    }
    return longest;
}

/// Each part is level or upright.
qreal StateChart::Arrow::distance(QPointF at) const {
    qreal nearest = std::numeric_limits<qreal>::max();
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QRectF part = QRectF(line[i - 1], line[i]).normalized();
        const qreal aside = std::max({part.left() - at.x(), at.x() - part.right(), 0.0});
        const qreal above = std::max({part.top() - at.y(), at.y() - part.bottom(), 0.0});
        nearest = std::min(nearest, std::max(aside, above));
    }
    return nearest;
}

const StateChart::Place* StateChart::place(const QString& state) const {
    const auto found = std::ranges::find(places_, state, &Place::state);
    return found == places_.end() ? nullptr : &*found;
}

/// Each state is reached from the initial one: the engine takes no other type. One that is not stands at the end.
void StateChart::findColumns(const ObjectType& type) {
    QHash<QString, int> distance;
    std::deque<QString> next;
    for (const ObjectState& state : type.states)
        if (state.isInitial) {
            distance[state.name] = 0;
            next.push_back(state.name);
        }
    int farthest = 0;
    while (!next.empty()) {
        const QString from = next.front();
        next.pop_front();
        for (const QString& to : type.movesFrom(from)) {
            if (distance.contains(to)) continue;
            distance[to] = distance[from] + 1;
            farthest = std::max(farthest, distance[to]);
            next.push_back(to);
        }
    }
    QHash<int, int> rows;
    for (const ObjectState& state : type.states) {
        const int column = distance.value(state.name, farthest + 1);
        places_.push_back({.state = state.name, .column = column, .row = rows[column]++, .area = {}});
    }
}

void StateChart::layArrows(const ObjectType& type) {
    QHash<QString, int> outs;
    QHash<QString, int> ins;
    for (const auto& [from, to] : type.moves) {
        if (from == to) continue;
        ++outs[from];
        ++ins[to];
    }
    QHash<QString, int> left;
    QHash<QString, int> entered;
    const auto port = [](const Place& place, int number, int of) {
        return sharp(place.area.top() + place.area.height() * number / (of + 1));
    };
    for (const auto& [from, to] : type.moves) {
        if (arrows_.size() >= kMostArrows) return;
        const Place* a = place(from);
        const Place* b = place(to);
        if (a == nullptr || b == nullptr) continue;
        if (a == b) {
            const qreal top = sharp(a->area.top());
            const qreal x = sharp(a->area.right());
            arrows_.push_back(
                {from, to, QPolygonF{{x - 48, top}, {x - 48, top - 10}, {x - 20, top - 10}, {x - 20, top}}});
            continue;
        }
        const qreal leave = port(*a, ++left[from], outs[from]);
        const qreal enter = port(*b, ++entered[to], ins[to]);
        arrows_.push_back({from, to, lineOf(*a, *b, leave, enter, arrows_.size())});
    }
}

QPolygonF StateChart::lineOf(const Place& from, const Place& to, qreal leave, qreal enter, std::size_t number) {
    const qreal aside = kApart + static_cast<qreal>(number % kInGap) * kLane;
    const qreal start = from.area.right();
    const qreal out = sharp(start + aside);
    const bool isNext = to.column == from.column + 1;
    if (isNext && leave == enter) return {{start, leave}, {to.area.left(), enter}};
    if (isNext) return {{start, leave}, {out, leave}, {out, enter}, {to.area.left(), enter}};
    if (to.column == from.column) return {{start, leave}, {out, leave}, {out, enter}, {to.area.right(), enter}};
    const qreal below = sharp(size_.height() + kMargin / 2 + static_cast<qreal>(lanes_++) * kLane);
    const qreal in = sharp(to.area.left() - aside);
    return {{start, leave}, {out, leave}, {out, below}, {in, below}, {in, enter}, {to.area.left(), enter}};
}

} // namespace yard::ui
