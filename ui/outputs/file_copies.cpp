#include "ui/outputs/file_copies.h"

#include "ui/outputs/file_places.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace yard::ui {

FileCopies::FileCopies(EngineLink& link, qint64 most, QObject* parent)
    : QObject(parent)
    , link_(link)
    , most_(most) {}

FileCopies::~FileCopies() = default;

QString FileCopies::pathOf(const ChunkFile& file) const {
    const auto found = std::ranges::find(copies_, file, &Copy::file);
    return found != copies_.end() && QFileInfo(found->path).isFile() ? found->path : QString();
}

/// Each in a folder of its own, so that its name is the one it had.
QString FileCopies::newPath(const ChunkFile& file) {
    if (file.size < 0 || file.size > most_) return {};
    std::erase_if(copies_, [&](const Copy& copy) { return copy.file == file; });
    qint64 taken = file.size;
    for (const Copy& copy : copies_) taken += copy.file.size;
    for (const Coming& coming : coming_) taken += coming.file.size;
    while (taken > most_ && !copies_.empty()) {
        QFile::remove(copies_.front().path);
        taken -= copies_.front().file.size;
        copies_.erase(copies_.begin());
    }
    if (taken > most_) return {}; // what is on its way needs the room
    if (!directory_) directory_ = std::make_unique<QTemporaryDir>();
    const QString folder = directory_->filePath(QString::number(++made_));
    return directory_->isValid() && QDir().mkdir(folder) ? folder + '/' + safeFileName(file.name) : QString();
}

QString FileCopies::put(const ChunkFile& file, const QByteArray& bytes) {
    if (QString path = pathOf(file); !path.isEmpty()) return path;
    QString path = newPath(file);
    QFile out(path);
    if (path.isEmpty() || !out.open(QIODevice::WriteOnly | QIODevice::NewOnly)) return {};
    if (out.write(bytes) != bytes.size() || !out.flush()) { // a disk that is full
        out.remove();
        return {};
    }
    copies_.push_back({file, path});
    return path;
}

void FileCopies::make(const ChunkFile& file, Done done) {
    if (const QString path = pathOf(file); !path.isEmpty()) return done(path, {});
    if (const auto same = std::ranges::find(coming_, file, &Coming::file); same != coming_.end()) {
        same->done.push_back(std::move(done));
        return;
    }
    if (coming_.size() >= kMostAtOnce)
        return done({}, tr("Other files are being fetched; try again when they are here."));
    QString path = newPath(file);
    if (path.isEmpty())
        return done({}, file.size > most_ ? tr("It is too large for a copy; save it instead.")
                                          : tr("There is no place for a copy; save it instead."));
    Coming& coming = coming_.emplace_back();
    coming.file = file;
    coming.done.push_back(std::move(done));
    coming.download =
        std::make_unique<ChunkDownload>(link_, file, path, ChunkDownload::Existing::Stays,
                                        [this, file, path](const QString& problem) { came(file, path, problem); });
}

void FileCopies::came(const ChunkFile& file, const QString& path, const QString& problem) {
    const auto found = std::ranges::find(coming_, file, &Coming::file);
    Coming ended = std::move(*found);
    coming_.erase(found);
    ended.download.release()->deleteLater(); // it is what calls
    if (problem.isEmpty()) copies_.push_back({file, path});
    for (const Done& done : ended.done) done(problem.isEmpty() ? path : QString(), problem);
}

} // namespace yard::ui
