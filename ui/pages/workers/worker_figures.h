// What the engine's lists tell of a worker's actions: how many wait and run, how long they take, what failed.
// Values.
#pragma once

#include <QJsonArray>
#include <QString>
#include <cstdint>
#include <vector>

namespace yard::ui {

/// One finished run.
struct Run {
    qint64 lsn = 0;
    QString function;
    QString name;
    QString note;
    bool failed = false;
    qint64 at = 0;      ///< its end, microseconds since the epoch
    qint64 ran = -1;    ///< microseconds; -1: not known
    qint64 memory = -1; ///< bytes; -1: not known
};

struct WorkerFigures {
    bool known = false;
    qint64 running = 0;
    qint64 waiting = 0;
    bool moreActive = false; ///< there are more than were told
    std::vector<Run> runs;   ///< oldest first, of the newest there are
    qint64 failed = 0;       ///< within the last 7 days
    bool moreFailed = false;
    qint64 usual = -1; ///< median of the completed ones, microseconds
    qint64 peak = -1;  ///< bytes
    qint64 last = 0;   ///< end of the newest; 0: none
};

void takeActive(WorkerFigures& figures, const QJsonArray& jobs, bool more);
/// `jobs`: results, newest first.
void takeFinished(WorkerFigures& figures, const QJsonArray& jobs);
void takeFailed(WorkerFigures& figures, const QJsonArray& jobs, bool more);

} // namespace yard::ui
