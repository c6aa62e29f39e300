// Changes of many actions as they are confirmed: from how many on they can be taken back for a while, from how many
// on they are asked about, and what the question says. The one place for these numbers. Values; ui thread.
#pragma once

#include "ui/bridge/operation.h"

#include <functional>
#include <limits>

namespace yard::ui {

struct ManyChange {
    static constexpr qint64 kNever = std::numeric_limits<qint64>::max();

    std::function<Operation(const Target&)> make; ///< one of operations::
    Target which;                                 ///< with the number that was shown
    QString lost;                                 ///< what cannot be undone, for the question
    QString none = {};                            ///< what to say where it is not one
    qint64 undoableFrom = kNever;                 ///< of so many on there is a while to take it back
    qint64 askedFrom = kNever;                    ///< of so many on it is asked about whatever was shown

    /// Asked about however few they are, and `why` is said first.
    ManyChange askedAbout(const QString& why) const;
    /// For exactly so many; the engine changes nothing where it would be more.
    Operation of(qint64 count) const;
    /// Asks the engine how many it would be.
    Request count() const;
};

ManyChange reschedulingOf(const Target& which);
ManyChange cancellingOf(const Target& which);
ManyChange retiringOf(const Target& which);
ManyChange holdingOf(const Target& which);
ManyChange releasingOf(const Target& which);
ManyChange priorityOf(const Target& which, int priority);
ManyChange markingOf(const Target& which, Mark mark);
ManyChange movingOf(const Target& which, qint64 queue, const QString& name);

} // namespace yard::ui
