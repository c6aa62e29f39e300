#include "ui/pages/actions/output_commands.h"

#include "ui/outputs/chunk_request.h"
#include "ui/outputs/file_places.h"
#include "ui/outputs/preview.h"
#include "ui/widgets/transient.h"

#include <QDesktopServices>
#include <QFileDialog>
#include <QMenu>
#include <QMimeData>

#include <utility>

namespace yard::ui {

namespace {

constexpr std::size_t kMostSingle = 8;

} // namespace

OutputCommands::OutputCommands(Context context, const Preview& preview, QWidget& over)
    : QObject(&over)
    , context_(context)
    , preview_(preview)
    , over_(over)
    , copies_(context.link) {}

void OutputCommands::save(const std::vector<ChunkFile>& files) {
    if (files.empty()) return;
    files.size() == 1 ? saveAs(files.front()) : saveAll(files);
}

void OutputCommands::saveAll(std::vector<ChunkFile> files) {
    if (files.empty() || isSaving()) return;
    const auto folder = answered(this, [this] {
        return QFileDialog::getExistingDirectory(lastingWindow(&over_), tr("Save outputs into a folder"));
    });
    if (folder && !folder->isEmpty()) saveInto(*folder, std::move(files));
}

/// Who chose a file that is there was asked by the dialog.
void OutputCommands::saveAs(ChunkFile file) {
    if (single_.size() >= kMostSingle)
        return context_.window.say(tr("Other files are being saved; try again when they are there."), true);
    const auto chosen = answered(this, [&] {
        return QFileDialog::getSaveFileName(lastingWindow(&over_), tr("Save an output"), safeFileName(file.name));
    });
    if (!chosen || chosen->isEmpty()) return;
    const QString& path = *chosen;
    const int id = ++lastSingle_;
    single_[id] = std::make_unique<ChunkDownload>(
        context_.link, file, path, ChunkDownload::Existing::IsReplaced, [this, id, path](const QString& problem) {
            single_.at(id).release()->deleteLater(); // it is what calls
            single_.erase(id);
            context_.window.say(problem.isEmpty() ? tr("Saved %1").arg(path) : tr("%1: %2").arg(path, problem),
                                !problem.isEmpty());
        });
}

void OutputCommands::saveInto(const QString& folder, std::vector<ChunkFile> files) {
    if (isSaving() || files.empty()) return;
    auto existing = ChunkDownload::Existing::Stays;
    if (const int there = FolderSave::existing(files, folder); there > 0) {
        const auto replace = answered(this, [&] {
            return context_.window.ask(tr("Replace %n file(s) that are there already?", nullptr, there),
                                       tr("What is in them now is lost. The others are saved either way."),
                                       tr("Replace"), tr("Leave them"));
        });
        if (!replace) return;
        if (*replace) existing = ChunkDownload::Existing::IsReplaced;
    }
    saving_ = std::make_unique<FolderSave>(
        context_.link, std::move(files), folder, existing,
        [this, folder](const FolderSave::Outcome& outcome) { onSaved(folder, outcome); });
    emit savingChanged();
}

void OutputCommands::onSaved(const QString& folder, const FolderSave::Outcome& outcome) {
    saving_.release()->deleteLater(); // it is what calls
    QStringList words{tr("Saved %n file(s) in %1", nullptr, outcome.saved).arg(folder)};
    if (outcome.kept > 0) words << tr("%n stayed as they were", nullptr, outcome.kept);
    if (outcome.failed > 0) words << outcome.problem;
    context_.window.say(words.join("; "), outcome.failed > 0);
    emit savingChanged();
}

void OutputCommands::stopSaving() {
    if (!isSaving()) return;
    saving_.reset();
    context_.window.say(tr("Saving was stopped; the files that are there are whole."));
    emit savingChanged();
}

void OutputCommands::open(const ChunkFile& file) {
    const QByteArray* bytes = preview_.file() == file ? preview_.whole() : nullptr;
    if (bytes != nullptr) copies_.put(file, *bytes);
    copies_.make(file, [this, name = file.name](const QString& path, const QString& problem) {
        if (!problem.isEmpty()) return context_.window.say(tr("%1: %2").arg(name, problem), true);
        if (!QDesktopServices::openUrl(QUrl::fromLocalFile(path)))
            context_.window.say(tr("The desktop has no program that opens %1").arg(name), true);
    });
}

QMimeData* OutputCommands::dragged(const std::vector<ChunkFile>& files) {
    if (files.empty() || files.size() > kMostDragged) return nullptr;
    QList<QUrl> urls;
    std::vector<ChunkFile> missing;
    for (const ChunkFile& file : files) {
        QString path = copies_.pathOf(file);
        const QByteArray* bytes = preview_.file() == file ? preview_.whole() : nullptr;
        if (path.isEmpty() && bytes != nullptr) path = copies_.put(file, *bytes);
        if (path.isEmpty())
            missing.push_back(file);
        else
            urls << QUrl::fromLocalFile(path);
    }
    if (!missing.empty()) {
        fetch(missing);
        return nullptr;
    }
    auto* data = new QMimeData;
    data->setUrls(urls);
    return data;
}

/// A drag does not wait for the network.
void OutputCommands::fetch(const std::vector<ChunkFile>& files) {
    context_.window.say(
        tr("%n file(s) are being fetched; drag again when they are here", nullptr, static_cast<int>(files.size())));
    for (const ChunkFile& file : files)
        copies_.make(file, [this, name = file.name](const QString&, const QString& problem) {
            context_.window.say(problem.isEmpty() ? tr("%1 is here now: drag it").arg(name)
                                                  : tr("%1: %2").arg(name, problem),
                                !problem.isEmpty());
        });
}

void OutputCommands::fill(QMenu& menu, const std::vector<ChunkFile>& files) {
    if (files.empty()) return;
    const auto joined = [files](QString ChunkFile::* member) {
        QStringList all;
        for (const ChunkFile& file : files) all << file.*member;
        return all.join('\n');
    };
    menu.addAction(tr("Save…"), this, [this, files] { save(files); });
    if (files.size() == 1) menu.addAction(tr("Open with another program"), this, [this, files] { open(files[0]); });
    menu.addSeparator();
    menu.addAction(tr("Copy the name"), this,
                   [this, joined] { copyText(context_.window, joined(&ChunkFile::name)); });
    menu.addAction(tr("Copy the hash"), this,
                   [this, joined] { copyText(context_.window, joined(&ChunkFile::hash)); });
    if (files.size() == 1 && hasHash(files[0]))
        menu.addAction(tr("Copy as curl"), this, [this, file = files[0]] {
            copyText(context_.window, context_.link.curl(chunkRequest(file)));
        });
}

} // namespace yard::ui
