#include "ui/pages/save_as.h"

#include "ui/pages/page.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QSaveFile>

namespace yard::ui {

namespace {

struct SaveAs {
    Q_DECLARE_TR_FUNCTIONS(SaveAs)
};

} // namespace

void saveAs(QWidget* over, Navigator& navigator, const QString& title, const QString& name,
            const QByteArray& bytes) {
    const QString path = QFileDialog::getSaveFileName(over, title, name);
    if (path.isEmpty()) return;
    QSaveFile file(path);
    const bool good = file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
    navigator.say(good ? SaveAs::tr("Saved %1").arg(path) : SaveAs::tr("%1: %2").arg(path, file.errorString()),
                  !good);
}

} // namespace yard::ui
