#include "ui/pages/save_as.h"

#include "ui/pages/window_services.h"
#include "ui/widgets/transient.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QSaveFile>

namespace yard::ui {

namespace {

struct SaveAs {
    Q_DECLARE_TR_FUNCTIONS(SaveAs)
};

} // namespace

void saveAs(QWidget* over, WindowServices& window, const QString& title, const QString& name, QByteArray bytes) {
    // The dialog is the outermost window's, and the bytes are a copy: who asked may go while it is open.
    const QString path = QFileDialog::getSaveFileName(lastingWindow(over), title, name);
    if (path.isEmpty()) return;
    QSaveFile file(path);
    const bool good = file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
    window.say(good ? SaveAs::tr("Saved %1").arg(path) : SaveAs::tr("%1: %2").arg(path, file.errorString()), !good);
}

} // namespace yard::ui
