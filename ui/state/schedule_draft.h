// What GET schedules says, and a schedule as it is written in its form and as JSON. What the form does not show of one that
// is changed, a list or an action that is no line of a shell, stays as it was. Values; ui thread.
#pragma once

#include "core/base/clock.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace yard::ui {

struct ScheduleRun {
    qint64 due = 0; ///< microseconds since the epoch; 0: by hand
    qint64 at = 0;
    QString outcome; ///< "submitted", "missed", "overlap", "refused"
    bool isLate = false;
    qint64 skipped = 0;
    qint64 lsn = 0; ///< its first action; 0: none
    QString error;
};

struct ScheduleInfo {
    QString name;
    QString cron;
    QString zone;
    double every = 0; ///< seconds
    qint64 at = 0;
    qint64 next = 0; ///< 0: never, or it is paused
    bool isPaused = false;
    QString broken; ///< why it is never due
    qint64 unfinished = 0;
    QString queue;
    std::optional<ScheduleRun> last{};
    QJsonObject json{};
};
/// By name.
std::vector<ScheduleInfo> readSchedules(const QJsonObject& json);
ScheduleInfo readSchedule(const QJsonObject& json);
ScheduleRun readScheduleRun(const QJsonObject& json);
std::vector<qint64> readScheduleTimes(const QJsonObject& json);
/// "0 3 * * 1-5 Europe/Berlin", "every 2 h", "once, Mon 08:00".
QString whenWords(const ScheduleInfo& schedule, WallMicros now);

struct ScheduleDraft {
    enum class When : unsigned char { Cron, Every, At };
    QString name;
    When when = When::Cron;
    QString cron;
    QString zone;
    QString every; ///< seconds
    QString at;    ///< "2026-12-24 18:00", of this machine's clock
    QString command;
    QString missed = QStringLiteral("once");
    QString overlap = QStringLiteral("skip");
    QString queue;
    QString jitter;
    bool hasOtherWork = false; ///< what it runs is no line of a shell: it stays unless a line is written
    QJsonObject action{};      ///< as it was where it is a line: what else it has stays, whatever the line becomes

    static ScheduleDraft of(const QJsonObject& schedule);
    /// As the engine takes it. A number that is none is sent as the text it is: the engine says what it wants.
    QJsonObject schedule() const;
    /// What is to be said of a schedule that is there, which this was made of as `before`: no time and no action that is as
    /// it was, as it may have more than is shown here, and one that has run would run once more.
    QJsonObject changesTo(const ScheduleDraft& before) const;
    /// The next times of what comes at equal distances or once, at most `most`; nothing of a line of crontab.
    std::vector<qint64> timesWithoutEngine(WallMicros now, qint64 anchor, int most) const;
};

} // namespace yard::ui
