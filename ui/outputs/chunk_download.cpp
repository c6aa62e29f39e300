#include "ui/outputs/chunk_download.h"

#include "ui/outputs/chunk_request.h"

#include <QFileInfo>
#include <QRandomGenerator>

#include <cstdio>
#include <utility>

namespace yard::ui {

ChunkDownload::ChunkDownload(EngineLink& link, ChunkFile file, QString path, Existing existing, Done done)
    : file_(std::move(file))
    , path_(std::move(path))
    , existing_(existing)
    , done_(std::move(done))
    , part_(QFileInfo(path_).path() +
            QStringLiteral("/.part-%1").arg(QRandomGenerator::system()->generate64(), 16, 16, QLatin1Char('0'))) {
    if (!hasHash(file_))
        problem_ = tr("The engine does not say where its content is.");
    else if (!part_.open(QIODevice::WriteOnly | QIODevice::NewOnly))
        problem_ = part_.errorString();
    if (!problem_.isEmpty() || file_.size == 0) { // nothing to ask for
        endLater();
        return;
    }
    stream_ = link.stream(
        chunkRequest(file_), [this](const QByteArray& piece) { take(piece); },
        [this](const Answer& answer) { end(answer); });
}

ChunkDownload::~ChunkDownload() {
    if (part_.isOpen()) part_.remove();
}

/// Without the rest of what was asked for.
void ChunkDownload::endLater() {
    Answer answer;
    answer.status = 200;
    QMetaObject::invokeMethod(
        this,
        [this, answer] {
            if (!done_) return; // all of it had come
            stream_.reset();
            end(answer);
        },
        Qt::QueuedConnection);
}

/// Not more than it should be: what a broken engine sends does not fill the disk. What cannot be kept is not waited for.
void ChunkDownload::take(const QByteArray& piece) {
    if (!problem_.isEmpty()) return;
    got_ += piece.size();
    hash_.addData(piece);
    if (got_ > file_.size)
        problem_ = tr("What came is not what the engine said; try again.");
    else if (part_.write(piece) != piece.size())
        problem_ = part_.errorString();
    if (!problem_.isEmpty()) endLater();
}

QString ChunkDownload::finish(const Answer& answer) {
    if (!problem_.isEmpty()) return problem_;
    if (answer.status == 404) return tr("Its content is gone: the engine does not have it any more.");
    if (!answer.ok()) return answer.message;
    if (got_ != file_.size || QString::fromLatin1(hash_.result().toHex()) != file_.hash)
        return tr("What came is not what the engine said; try again.");
    if (!part_.flush()) return part_.errorString();
    // QFile::rename() replaces nothing, and rename() does.
    const bool placed = existing_ == Existing::IsReplaced
                            ? std::rename(QFile::encodeName(part_.fileName()), QFile::encodeName(path_)) == 0
                            : QFile::rename(part_.fileName(), path_);
    if (!placed) return tr("The file could not be put into its place.");
    part_.close(); // it has another name now
    return {};
}

void ChunkDownload::end(const Answer& answer) {
    const QString problem = finish(answer);
    if (part_.isOpen()) part_.remove();
    const Done done = std::exchange(done_, nullptr);
    done(problem);
}

} // namespace yard::ui
