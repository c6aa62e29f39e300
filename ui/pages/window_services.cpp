#include "ui/pages/window_services.h"

#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>

namespace yard::ui {

namespace {

struct CopyWords {
    Q_DECLARE_TR_FUNCTIONS(WindowServices)
};

} // namespace

void copyText(WindowServices& window, const QString& text) {
    QApplication::clipboard()->setText(text);
    window.say(CopyWords::tr("Copied: %1").arg(text.section('\n', 0, 0)));
}

} // namespace yard::ui
