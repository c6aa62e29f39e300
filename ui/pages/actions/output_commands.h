// What can be done with outputs: save, open with another program, copy their names, drag them out. Owner: ui thread.
#pragma once

#include "ui/outputs/file_copies.h"
#include "ui/outputs/folder_save.h"
#include "ui/pages/page.h"

#include <map>

QT_BEGIN_NAMESPACE
class QMenu;
class QMimeData;
QT_END_NAMESPACE

namespace yard::ui {

class Preview;

class OutputCommands final : public QObject {
    Q_OBJECT
public:
    static constexpr std::size_t kMostDragged = 100; ///< files at once

    /// Bytes that `preview` has are not asked for again; it outlives this, and so does `over`, which questions are
    /// asked over.
    OutputCommands(Context context, const Preview& preview, QWidget& over);

    /// One file gets a name, of several a folder is asked for.
    void save(const std::vector<ChunkFile>& files);
    /// Into a folder that is asked for, one file, too. What is listed may change meanwhile, `files` does not.
    void saveAll(std::vector<ChunkFile> files);
    /// Into this folder; asks before it replaces anything. One saving at a time.
    void saveInto(const QString& folder, std::vector<ChunkFile> files);
    bool isSaving() const { return saving_ != nullptr; }
    void stopSaving();
    /// A copy of it, with the program that the desktop has for it.
    void open(const ChunkFile& file);
    /// What a drag of these carries. Null: they have to be fetched first, which it begins and says.
    QMimeData* dragged(const std::vector<ChunkFile>& files);
    /// The menu of the selected ones.
    void fill(QMenu& menu, const std::vector<ChunkFile>& files);

signals:
    void savingChanged();

private:
    void saveAs(ChunkFile file);
    void onSaved(const QString& folder, const FolderSave::Outcome& outcome);
    void fetch(const std::vector<ChunkFile>& files);

    Context context_;
    const Preview& preview_;
    QWidget& over_;
    FileCopies copies_;
    std::unique_ptr<FolderSave> saving_;
    std::map<int, std::unique_ptr<ChunkDownload>> single_; ///< saved under a name that was asked for
    int lastSingle_ = 0;
};

} // namespace yard::ui
