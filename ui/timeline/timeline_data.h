// Where the timeline has its bars from: a running engine (timeline_source.h), or something at rest. Owner: ui
// thread.
#pragma once

#include "ui/timeline/timeline_json.h"

#include <QObject>
#include <QStringList>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace yard::ui::timeline {

class TimelineData : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// A part of the range and the picture that shows it.
    struct Piece {
        std::shared_ptr<const Picture> picture;
        Range range;
    };
    struct Known {
        QString name;
        std::set<std::uint32_t> lanes;
        std::set<std::uint32_t> machineSlots; ///< in which these lie
        /// What there is of it in a picture.
        void note(const Group& group);
        friend bool operator==(const Known&, const Known&) = default;
    };

    virtual void setActive(bool) {}
    /// What is looked at. `workers`: those in view; empty: all are.
    virtual void look(Range visible, double microsPerPixel, const QStringList& workers) = 0;
    /// From where the small map at the top begins.
    virtual void setWhole(WallMicros from) = 0;

    /// What there is of this worker in the range, disjoint, in time order; a stretch without a piece is not here
    /// yet.
    virtual std::vector<Piece> pieces(const QString& worker, Range visible, double microsPerPixel) const = 0;
    /// Every worker and slot seen so far, with the worker's name.
    virtual const std::map<QString, Known>& known() const = 0;
    virtual const Figures& figures() const = 0;
    virtual const Figures& whole() const = 0;
    virtual WallMicros wholeFrom() const = 0;
    /// Carried on since the last answer.
    virtual WallMicros now() const = 0;
    /// False: time stands still.
    virtual bool isLive() const = 0;
    /// Why there is nothing to see; empty: nothing went wrong.
    virtual QString problem() const { return {}; }
    virtual bool isReading() const { return false; }
    virtual bool hasAnswered() const { return true; }
    /// The action as GET jobs/LSN has it, later; never when it is not to be had or `context` has gone.
    virtual void details(qint64, QObject*, std::function<void(const QJsonObject&)>) {}
    /// Attempts of the range one by one, as exactly as there are, for exports; an error instead of a picture.
    virtual void exact(Range, QObject*, std::function<void(const Picture*, const QString&)>) {}

signals:
    void changed();        ///< pieces, known() or problem()
    void figuresChanged(); ///< figures() or whole()
};

} // namespace yard::ui::timeline
