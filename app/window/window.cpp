#include "app/window/window_host.h"
#include "core/base/open_files.h"
#include "ui/bridge/attached_link.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/state/engines.h"
#include "ui/state/languages.h"
#include "ui/style/app_style.h"
#include "ui/style/appearance.h"
#include "ui/style/theme.h"

#include <QApplication>

using namespace yard;

namespace {

/// Calls `act` on the ui thread, soon.
template<typename Act>
void soon(Act act) {
    QMetaObject::invokeMethod(qApp, std::move(act), Qt::QueuedConnection);
}

void show(ui::MainWindow& window, const app::Served& served) {
    const QUrl address(QString::fromStdString(served.url));
    window.engine().engines().setShell(
        address, {QString::fromStdString(served.dataDir), QString::fromStdString(served.tokenFile)});
    if (!served.fingerprint.empty())
        window.engine().engines().setPin(address, QByteArray::fromStdString(served.fingerprint));
    if (served.embedded) window.engine().engines().setEmbedded(address, QByteArray::fromStdString(served.token));
    // Without a token it is taken from where it is kept, else asked for.
    if (served.token.empty()) return window.engine().attachTo(address);
    window.engine().set(window.engine().linkTo(address, QByteArray::fromStdString(served.token)),
                        served.embedded ? ui::EngineAttachment::tr("embedded") : address.authority());
}

/// Closing ends the embedded engine: asks while actions run.
bool mayClose(ui::MainWindow& window, bool embedded) {
    if (!embedded || window.engine().state() == nullptr || !window.engine().state()->isLive()) return true;
    const qint64 running = window.engine().state()->count(ui::DisplayState::Running) +
                           window.engine().state()->count(ui::DisplayState::Submitting);
    if (running == 0) return true;
    return window.ask(
        ui::MainWindow::tr("Quit while %n action(s) run?", nullptr, static_cast<int>(running)),
        ui::MainWindow::tr("The engine ends with its window. What runs is ended and goes back to pending; "
                           "the next start runs it again. An engine started with --headless goes on."),
        ui::MainWindow::tr("Quit"), ui::MainWindow::tr("Keep running"));
}

} // namespace

extern "C" __attribute__((visibility("default"))) int yardmasterRunWindow(int argc, char** argv,
                                                                          const app::WindowHost& host) {
    if (host.openFiles != 0) setOpenFilesAtStart(host.openFiles);
    QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QCoreApplication::setOrganizationName("yardmaster");
    QCoreApplication::setApplicationName("yardmaster");
    QGuiApplication::setApplicationDisplayName("Yardmaster");
    const QApplication application(argc, argv);
    QGuiApplication::setWindowIcon(QIcon(":/icons/yard.svg"));
    ui::Languages languages;
    languages.install();
    ui::PortalSchemeSource portal;
    const ui::Theme theme(&portal);
    ui::dressApplication();
    ui::Appearance::stored().apply();
    ui::MainWindow window;
    bool embedded = false;
    bool ending = false;
    window.setMayClose([&](ui::MainWindow& closing) { return ending || mayClose(closing, embedded); });
    window.setStarting(ui::MainWindow::tr("The engine is starting…"));
    window.show();
    host.listening({.serving =
                        [&](app::Served served) {
                            soon([&, served = std::move(served)] {
                                embedded = served.embedded;
                                show(window, served);
                            });
                        },
                    .failed =
                        [&](std::string sentence) {
                            soon([&, sentence = std::move(sentence)] {
                                window.setStarting(QString::fromStdString(sentence));
                            });
                        },
                    .quit =
                        [&] {
                            soon([&] {
                                ending = true;
                                window.close();
                                QCoreApplication::quit();
                            });
                        }});
    return QApplication::exec();
}
