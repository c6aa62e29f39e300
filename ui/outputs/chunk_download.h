// Brings a chunk into a file, in constant memory: whole and checked against its hash, or not at all. Until then the
// bytes lie beside it, in a file with a name of its own that goes if this is deleted before. Owner: ui thread.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/outputs/decoded.h"

#include <QCryptographicHash>
#include <QFile>

namespace yard::ui {

class ChunkDownload final : public QObject {
    Q_OBJECT
public:
    /// What becomes of a file that is there already, also of one that comes meanwhile.
    enum class Existing : std::uint8_t { Stays, IsReplaced };
    /// `problem`: why there is no file, a sentence; empty: it is there.
    using Done = std::function<void(const QString& problem)>;

    /// `path`: in a folder that is there. `done` is called once, later; it may delete this. `link` outlives it.
    ChunkDownload(EngineLink& link, ChunkFile file, QString path, Existing existing, Done done);
    ~ChunkDownload() override;

private:
    void take(const QByteArray& piece);
    void endLater();
    void end(const Answer& answer);
    /// What is wrong with the answer, or with putting the file into its place.
    QString finish(const Answer& answer);

    const ChunkFile file_;
    const QString path_;
    const Existing existing_;
    Done done_;
    QFile part_;
    QCryptographicHash hash_{QCryptographicHash::Sha256};
    qint64 got_ = 0;
    QString problem_;
    std::unique_ptr<QObject> stream_;
};

} // namespace yard::ui
