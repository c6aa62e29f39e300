// What GET recordings, replays and their differences say, as values, and the rows and words that the page makes of it.
// Values; ui thread. Everything in them may come from a file that somebody else made: texts are unturned.
#pragma once

#include "core/base/clock.h"
#include "ui/widgets/rows_model.h"

#include <QJsonObject>
#include <optional>
#include <vector>

namespace yard::ui {

struct RecordingInfo {
    qint64 row = 0; ///< the same as long as the page lives
    QString name;
    QString state; ///< "recording", "complete", "cut", "interrupted"
    QString why;
    QString note;
    QString filter;
    QString attachments;
    QString engine; ///< id of that on which it was made
    WallMicros started = 0;
    WallMicros ended = 0; ///< 0: it goes on, or is not told
    qint64 actions = 0;
    std::optional<qint64> failed; ///< of the actions; an engine before this one does not tell
    qint64 waiting = 0;
    qint64 missed = 0;
    qint64 chunks = 0;
    qint64 chunksGone = 0;
    qint64 bytes = 0;

    bool isRunning() const { return state == "recording"; }
};

/// `row` stays 0.
RecordingInfo recordingOf(const QJsonObject& json);
/// `own`: the id of this engine.
std::vector<Column> recordingColumns();
Row recordingRow(const RecordingInfo& recording, const QString& own, WallMicros now);
QString recordingStateWords(const RecordingInfo& recording);
/// The next thing one would ask: why it ended, what was missed, its note.
QString recordingNote(const RecordingInfo& recording);
/// "7, 185 GB".
QString recordingsNote(const std::vector<RecordingInfo>& recordings);

struct ReplayInfo {
    qint64 id = 0;
    QString recording;
    QString state; ///< "running", "done", "cancelled", "failed", "interrupted"
    QString why;
    qint64 queue = 0;
    qint64 actions = 0;
    qint64 submitted = 0;
    qint64 ended = 0;
    qint64 different = 0;
    qint64 impossible = 0;
    WallMicros started = 0;
    WallMicros finished = 0;
    WallMicros eta = 0; ///< 0: not known

    bool isRunning() const { return state == "running"; }
    bool operator==(const ReplayInfo&) const = default;
};
/// The newest first.
std::vector<ReplayInfo> readReplays(const QJsonObject& json);
/// "1,198 the same, 4 differ, 2 could not be run".
QString replayWords(const ReplayInfo& replay, WallMicros now);

struct DifferenceInfo {
    qint64 lsn = 0;
    qint64 replayed = 0; ///< 0: it could not be submitted
    QString what;
    QString name;
    QString recorded; ///< JSON, in short
    QString now;
    QString diff; ///< lines as `diff -u` shows them, or why it could not be submitted
};
DifferenceInfo differenceOf(const QJsonObject& json);
QString differenceSubject(const DifferenceInfo& difference);
std::vector<Column> differenceColumns();
/// `id`: of the row.
Row differenceRow(const DifferenceInfo& difference, qint64 id);

/// An action of a recording, as GET recordings/{name}/actions has it.
std::vector<Column> recordedColumns();
Row recordedRow(const QJsonObject& line);

} // namespace yard::ui
