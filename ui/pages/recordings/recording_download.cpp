#include "ui/pages/recordings/recording_download.h"

#include "ui/bridge/recording_operations.h"

#include <QTimer>

#include <utility>

namespace yard::ui {

RecordingDownload::RecordingDownload(EngineLink& link, const QString& recording, const QString& path, Done done,
                                     QObject* parent)
    : QObject(parent)
    , file_(path)
    , done_(std::move(done)) {
    if (!file_.open(QIODevice::WriteOnly)) {
        QTimer::singleShot(0, this, [this] { end({}); });
        problem_ = file_.errorString();
        return;
    }
    // Inputs and variables of all its actions are in it.
    file_.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    stream_ = link.stream(
        operations::recordingFile(recording), [this](const QByteArray& piece) { take(piece); },
        [this](const Answer& answer) { end(answer); });
}

void RecordingDownload::take(const QByteArray& piece) {
    if (!problem_.isEmpty()) return;
    if (file_.write(piece) == piece.size()) return;
    problem_ = file_.errorString();
    QTimer::singleShot(0, this, [this] { end({}); }); // the stream may be what calls
}

void RecordingDownload::end(const Answer& answer) {
    if (!done_) return;
    if (problem_.isEmpty() && !answer.ok()) problem_ = answer.message;
    if (problem_.isEmpty() && !file_.commit()) problem_ = file_.errorString();
    if (!problem_.isEmpty()) file_.cancelWriting();
    std::exchange(done_, {})(problem_);
    deleteLater();
}

} // namespace yard::ui
