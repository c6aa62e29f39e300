// A queue as a row of a table, the same wherever queues are listed. Values; ui thread.
#pragma once

#include "ui/state/engine_state.h"
#include "ui/style/format.h"
#include "ui/widgets/rows_model.h"

namespace yard::ui {

enum QueueColumn : std::uint8_t {
    kQueueName,
    kQueueState,
    kQueueWeight,
    kQueueProgress,
    kQueueDone,
    kQueueWaiting,
    kQueueRunning,
    kQueueCompleted,
    kQueueFailed,
    kQueuePerMinute,
    kQueueFinish
};

/// `few`: weight and completed only when chosen.
std::vector<Column> queueColumns(bool few);
Row queueRow(const Format& format, const QueueInfo& queue);

/// Rows need ids other than 0, which queue 0 has.
inline qint64 rowIdOf(qint64 queue) {
    return queue + 1;
}
inline qint64 queueIdOf(qint64 row) {
    return row - 1;
}

/// Until what it has should be done; absent: not known, or that time has passed and there is still something.
std::optional<Duration> timeLeft(const QueueInfo& queue, qint64 now);

/// What the queue as a whole does now.
DisplayState faceOf(const QueueInfo& queue);

} // namespace yard::ui
