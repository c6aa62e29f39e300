// What GET failures says, as values, and the words that the page makes of it. Values; ui thread.
#pragma once

#include "core/base/clock.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <vector>

namespace yard::ui {

struct FailureGroupInfo {
    QString id;
    QString line; ///< masked
    qint64 count = 0;
    WallMicros first = 0;
    WallMicros last = 0;
    std::vector<qint64> queues; ///< as workers and machines: the most frequent first
    QStringList workers;        ///< "shaderc 2024.3"
    QStringList machines;
    std::vector<qint64> lsns; ///< the newest
    QString filter;           ///< finds its actions
    bool muted = false;
    WallMicros mutedUntil = 0;
    std::vector<qint64> hours; ///< of the last 24 hours, the oldest first
    QJsonObject json;

    /// Of its row: of its id, and never 0.
    qint64 row() const;
};

struct FailureGroupsInfo {
    std::vector<FailureGroupInfo> groups; ///< the largest first
    qint64 total = 0;
    bool isExact = true;

    qint64 muted() const;
    /// Null: it is none of these.
    const FailureGroupInfo* group(qint64 row) const;
};

FailureGroupInfo readFailureGroup(const QJsonObject& json);
FailureGroupsInfo readFailureGroups(const QJsonObject& json);

/// "nightly-cook +1"; of none a dash.
QString firstAndMore(const QStringList& names);
/// "57 in the last 24 hours, at most 12 in one of them".
QString hoursWords(const std::vector<qint64>& hours);

/// A mute that somebody has to end: the last moment that the engine takes, nearly.
WallMicros endlessMute();
/// The next Monday at eight in the morning, of this machine's time zone.
WallMicros nextMonday(WallMicros now);
/// "muted to Mon 08:00"; without an end "muted".
QString mutedWords(WallMicros until, WallMicros now);

/// The line cut where a mask begins and ends.
struct LinePiece {
    QString text;
    bool isMask = false;
    bool operator==(const LinePiece&) const = default;
};
std::vector<LinePiece> piecesOfLine(const QString& line);

} // namespace yard::ui
