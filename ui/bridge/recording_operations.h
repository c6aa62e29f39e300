// What the window can ask of an engine about recordings and replays (docs/recordings.md), as operation.h has the rest.
// Values; ui thread.
#pragma once

#include "ui/bridge/operation.h"

namespace yard::ui::operations {

/// All of them; with a name that one.
Operation lookAtRecordings(const QString& name = {});
struct RecordingWish {
    QString name;
    QString note;
    QString filter;
    QString attachments; ///< "all", "inputs", "none"
    bool ofThePast = false;
};
Operation startRecording(const RecordingWish& wish);
Operation stopRecording(const QString& name);
Operation deleteRecording(const QString& name);
Operation noteRecording(const QString& name, const QString& note);
/// The body is a file: EngineLink::sendFile().
Request bringRecording(const QString& name);
/// The file, and its actions as lines of JSON; for EngineLink::stream().
Request recordingFile(const QString& name);
Request recordedActions(const QString& name);

struct ReplayWish {
    QString worker;        ///< name@version instead of all others of that name; empty: as recorded
    double speed = 0;      ///< 0: as fast as it goes
    double tolerance = 0;  ///< of numbers, relative; 0: exact
    QStringList ignored{}; ///< "stdout", …
    QString filter{};      ///< which of its actions; empty: all
};
Operation replayRecording(const QString& name, const ReplayWish& wish);
Operation lookAtReplays();
Operation cancelReplay(qint64 id, const QString& recording);
/// `cursor`: of the page before; empty: the first.
Request replayDifferences(qint64 id, const QString& cursor);

} // namespace yard::ui::operations
