#include "ui/outputs/folder_save.h"

#include "ui/outputs/file_places.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

FolderSave::FolderSave(EngineLink& link, std::vector<ChunkFile> files, QString folder,
                       ChunkDownload::Existing existing, Done done)
    : link_(link)
    , files_(std::move(files))
    , folder_(std::move(folder))
    , existing_(existing)
    , done_(std::move(done)) {
    QMetaObject::invokeMethod(this, &FolderSave::next, Qt::QueuedConnection);
}

int FolderSave::existing(const std::vector<ChunkFile>& files, const QString& folder) {
    return static_cast<int>(
        std::ranges::count_if(files, [&](const ChunkFile& file) { return placeWithin(folder, file.name).exists; }));
}

void FolderSave::next() {
    for (; at_ < files_.size(); ++at_) {
        const ChunkFile& file = files_[at_];
        const FilePlace place = makePlaceWithin(folder_, file.name);
        if (place.problem == FilePlace::Problem::BadName) {
            fail(file, tr("This name leads nowhere within the folder."));
        } else if (place.problem == FilePlace::Problem::Leads) {
            fail(file, tr("A link is in its place, and could lead out of the folder."));
        } else if (place.problem == FilePlace::Problem::NoFolder) {
            fail(file, tr("Its folder cannot be made there."));
        } else if (place.exists && existing_ == ChunkDownload::Existing::Stays) {
            ++outcome_.kept;
        } else {
            download_ =
                std::make_unique<ChunkDownload>(link_, file, place.path, existing_, [this](const QString& problem) {
                    download_.release()->deleteLater(); // it is what calls
                    const ChunkFile& came = files_[at_++];
                    if (problem.isEmpty())
                        ++outcome_.saved;
                    else
                        fail(came, problem);
                    problem.isEmpty() ? next() : end();
                });
            return;
        }
    }
    end();
}

void FolderSave::fail(const ChunkFile& file, const QString& why) {
    if (outcome_.failed++ == 0) outcome_.problem = QStringLiteral("%1: %2").arg(file.name, why);
}

void FolderSave::end() {
    const Done done = std::move(done_);
    done(outcome_);
}

} // namespace yard::ui
