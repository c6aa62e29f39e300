// What is dropped anywhere on the window: a program, a folder or a descriptor is registered.
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/state/chunk_upload.h"

#include <QDragEnterEvent>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMimeData>

namespace yard::ui {

namespace {

constexpr qint64 kDropMostLooked = 4 << 20;

/// A descriptor says which program it starts; an action says which worker.
bool isDescriptor(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > kDropMostLooked) return false;
    const QJsonDocument document = QJsonDocument::fromJson(file.read(kDropMostLooked));
    // What cannot be read is shown by the form with the line that is wrong.
    return document.isNull() ? QFileInfo(path).fileName() == "worker.json"
                             : document.object().contains("executable");
}

QString firstFile(const QMimeData& data) {
    for (const QUrl& url : data.urls())
        if (url.isLocalFile()) return url.toLocalFile();
    return {};
}

} // namespace

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (engine_->state() != nullptr && !firstFile(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QString path = firstFile(*event->mimeData());
    if (path.isEmpty()) return event->ignore();
    event->acceptProposedAction();
    if (!path.contains(".json") || QFileInfo(path).isDir()) return navigation_->openRegister(path);
    inBackground(
        this, [path] { return isDescriptor(path); },
        [this, path](bool descriptor) {
            if (descriptor) return navigation_->openRegister(path);
            navigation_->show(QStringLiteral("queues"));
            say(tr("Drop a file with actions onto the queue that is to have them."));
        });
}

} // namespace yard::ui
