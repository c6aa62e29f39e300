// What GET pool says, as values, and the sentences that the page makes of it. Values; ui thread.
#pragma once

#include "core/base/clock.h"
#include "ui/style/tokens.h"

#include <QHash>
#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace yard::ui {

struct PoolProcess {
    QString id;     ///< "p31"
    QString worker; ///< id of its worker
    QString state;
    qint64 pid = 0;
    qint64 sessions = 0;
    qint64 processed = 0;
    qint64 concurrency = 1;
    WallMicros started = 0; ///< as all times: 0: not known
    WallMicros lastUsed = 0;
    WallMicros ended = 0;
    std::vector<qint64> current;
    WallMicros currentSince = 0;
    std::optional<double> cpuSeconds;
    std::optional<double> cores; ///< in use since the look before
    std::optional<qint64> rssBytes;
    QString given; ///< "gpus 0": pieces that it has
    QString whyStarted;
    QString why;
    QString note;
    /// Of its id; stays its own.
    qint64 number() const { return id.mid(1).toLongLong(); }
};

struct PoolGroup {
    QString worker;
    QString name;
    QString version;
    qint64 waiting = 0;
    bool starts = false;
    std::optional<double> hitRate;
    double savedSeconds = 0;
    std::optional<std::pair<qint64, qint64>> restart; ///< done, of
    QJsonObject limits;
    std::vector<PoolProcess> processes;
};

struct PoolView {
    qint64 max = 0;
    std::vector<PoolGroup> groups; ///< by name
    std::vector<PoolProcess> gone; ///< newest first
    QJsonObject json;

    qint64 count(const QString& state) const;
    qint64 processes() const;
    qint64 waiting() const;
    double savedSeconds() const;
    std::optional<double> hitRate() const; ///< of all groups, each as it has processes
    std::optional<qint64> memory() const;
    const PoolGroup* group(const QString& worker) const;
    const PoolProcess* process(const QString& id) const;
};

/// `before`: how much processor each had used, and when; is brought up to date.
struct CpuSeen {
    double seconds = 0;
    WallMicros at = 0;
};
PoolView readPool(const QJsonObject& json, QHash<QString, CpuSeen>& before, WallMicros now);

DisplayState faceOf(const PoolProcess& process);
/// "busy", translated.
QString stateWord(const QString& state);
/// "all were busy"
QString startedBecause(const PoolProcess& process, const PoolGroup& group);
/// "idle for longer than it may (300 s)"
QString wentBecause(const PoolProcess& process);
/// "2 of 4 and one starting, one queue for all, hit rate 98.6 %, 12 wait"
QString stateOf(const PoolGroup& group);

} // namespace yard::ui
