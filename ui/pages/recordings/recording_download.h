// Brings a recording into a file, in constant memory: whole or not at all. Owner: ui thread; goes with its parent, and
// then there is no file.
#pragma once

#include "ui/bridge/engine_link.h"

#include <QSaveFile>

namespace yard::ui {

class RecordingDownload final : public QObject {
    Q_OBJECT
public:
    /// `problem`: why there is no file, a sentence; empty: it is there.
    using Done = std::function<void(const QString& problem)>;

    /// What is there already is replaced. `done` is called once, later. `link` outlives it.
    RecordingDownload(EngineLink& link, const QString& recording, const QString& path, Done done, QObject* parent);

private:
    void take(const QByteArray& piece);
    void end(const Answer& answer);

    QSaveFile file_;
    QString problem_;
    Done done_;
    std::unique_ptr<QObject> stream_;
};

} // namespace yard::ui
