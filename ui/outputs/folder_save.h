// Saves files below a folder, one after the other. A name never leads out of the folder (file_places.h). Deleted: it
// stops, and what was not whole is gone. Owner: ui thread.
#pragma once

#include "ui/outputs/chunk_download.h"

namespace yard::ui {

class FolderSave final : public QObject {
    Q_OBJECT
public:
    struct Outcome {
        int saved = 0;
        int kept = 0;    ///< were there, and stayed as they were
        int failed = 0;  ///< cannot be written there by their names, or did not come
        QString problem; ///< of the first that failed: a sentence
    };
    using Done = std::function<void(const Outcome&)>;

    /// `folder` is there. `done` is called once, later; it may delete this. A content that does not come, or a disk
    /// that takes no more, ends it; a name that cannot be a file is passed over.
    FolderSave(EngineLink& link, std::vector<ChunkFile> files, QString folder, ChunkDownload::Existing existing,
               Done done);

    /// How many of the files are there now.
    static int existing(const std::vector<ChunkFile>& files, const QString& folder);

private:
    void next();
    void fail(const ChunkFile& file, const QString& why);
    void end();

    EngineLink& link_;
    const std::vector<ChunkFile> files_;
    const QString folder_;
    const ChunkDownload::Existing existing_;
    Done done_;
    Outcome outcome_;
    std::size_t at_ = 0;
    std::unique_ptr<ChunkDownload> download_;
};

} // namespace yard::ui
