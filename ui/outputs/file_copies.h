// Copies of outputs for other programs: to be opened with one, or dragged to one. They lie in a temporary directory
// that goes with this; beyond 2 GiB the oldest go first. A file is a copy: what is changed in it is not kept. Owner:
// ui thread.
#pragma once

#include "ui/outputs/chunk_download.h"

#include <QTemporaryDir>

namespace yard::ui {

class FileCopies final : public QObject {
    Q_OBJECT
public:
    static constexpr qint64 kMostBytes = qint64{2} << 30;
    static constexpr std::size_t kMostAtOnce = 8; ///< that come at one time
    /// `path` of the copy, or `problem`: why there is none, a sentence.
    using Done = std::function<void(const QString& path, const QString& problem)>;

    /// `link` outlives it. `most`: bytes of all copies.
    explicit FileCopies(EngineLink& link, qint64 most = kMostBytes, QObject* parent = nullptr);
    ~FileCopies() override;

    /// Empty: there is none yet.
    QString pathOf(const ChunkFile& file) const;
    /// Makes one of bytes that are here; its path, empty if it cannot be written.
    QString put(const ChunkFile& file, const QByteArray& bytes);
    /// Brings it, if it is not here; `done` is called once, at once if it is.
    void make(const ChunkFile& file, Done done);

private:
    struct Copy {
        ChunkFile file;
        QString path;
    };
    struct Coming {
        ChunkFile file;
        std::vector<Done> done;
        std::unique_ptr<ChunkDownload> download;
    };
    /// Where a copy may be written; empty: nowhere.
    QString newPath(const ChunkFile& file);
    void came(const ChunkFile& file, const QString& path, const QString& problem);

    EngineLink& link_;
    const qint64 most_;
    std::unique_ptr<QTemporaryDir> directory_;
    std::vector<Copy> copies_; ///< oldest first
    std::vector<Coming> coming_;
    int made_ = 0;
};

} // namespace yard::ui
