// Where the states of a type stand: in columns by their distance from the initial one, arrows with right angles between.
// An arrow to the next column goes straight over; any other goes below all states, so none runs through one. Values, no
// widgets; ui thread.
#pragma once

#include "ui/pages/objects/object_values.h"

#include <QPolygonF>
#include <QRectF>
#include <QSizeF>
#include <utility>
#include <vector>

namespace yard::ui {

class StateChart {
public:
    static constexpr qreal kWidth = 148;
    static constexpr qreal kHeight = 44;
    /// Beyond so many the arrows would hide what they join; the others are in the words of each state.
    static constexpr std::size_t kMostArrows = 200;

    StateChart() = default;
    explicit StateChart(const ObjectType& type);

    struct Place {
        QString state;
        int column = 0;
        int row = 0;
        QRectF area;
    };
    struct Arrow {
        QString from;
        QString to;
        QPolygonF line; ///< its head is at the end
        /// The middle of its longest level part, and how long that is.
        std::pair<QPointF, qreal> level() const;
        /// The same of its longest upright part.
        std::pair<QPointF, qreal> upright() const;
        /// How far a point is from it.
        qreal distance(QPointF at) const;
    };
    /// In the order of the type's states.
    const std::vector<Place>& places() const { return places_; }
    const std::vector<Arrow>& arrows() const { return arrows_; }
    const Place* place(const QString& state) const;
    QSizeF size() const { return size_; }

private:
    void findColumns(const ObjectType& type);
    void layArrows(const ObjectType& type);
    QPolygonF lineOf(const Place& from, const Place& to, qreal leave, qreal enter, std::size_t number);

    std::vector<Place> places_;
    std::vector<Arrow> arrows_;
    QSizeF size_;
    std::size_t lanes_ = 0; ///< arrows that go below all states
};

} // namespace yard::ui
