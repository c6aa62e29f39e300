// window_shots DIRECTORY [PAGE…]: pictures of every page in both themes and two sizes, of a real engine with work
// of all states. What they show is looked at by people, and checked for blankness by the test of the same name.
#include "tests/ui/demo_load.h"
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"
#include "ui/shell/main_window.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QStandardPaths>
#include <QTest>
#include <cstdio>

using namespace yard;

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName("yardmaster-shots");
    if (argc < 2) return std::fputs("usage: window_shots DIRECTORY [PAGE…]\n", stderr), 2;
    const QDir directory(QString::fromLocal8Bit(argv[1]));
    directory.mkpath(".");
    QStringList wanted;
    for (int i = 2; i < argc; ++i) wanted << QString::fromLocal8Bit(argv[i]);
    test::RealEngine engine;
    engine.setArguments({"--capacity", "6"});
    if (!engine.start()) return std::fputs("the engine did not start\n", stderr), 1;
    ui::Theme theme(nullptr);
    ui::dressApplication();
    ui::MainWindow window;
    auto link = std::make_unique<ui::AttachedLink>(engine.address(), engine.token());
    ui::EngineLink& connection = *link;
    window.setEngine(std::move(link), "embedded");
    window.show();
    if (!QTest::qWaitFor([&] { return connection.state() == ui::LinkState::Connected; }, 5'000)) return 1;
    test::submitDemo(connection);
    QTest::qWait(3'500);
    int made = 0;
    for (const ui::PageSpec& spec : window.pages()) {
        if (!wanted.isEmpty() && !wanted.contains(spec.id)) continue;
        for (const auto choice : {ui::Theme::Choice::Dark, ui::Theme::Choice::Light})
            for (const QSize size : {QSize(1440, 900), QSize(1280, 720), QSize(2560, 1440)}) {
                theme.choose(choice);
                window.resize(size);
                window.ui::MainWindow::show(spec.id);
                if (spec.id == "settings")
                    window.page()->setFilter(qEnvironmentVariable("YARD_SHOTS_SECTION", "engine"));
                if (spec.id == "workers" && !qEnvironmentVariableIsEmpty("YARD_SHOTS_FORM")) {
                    if (qEnvironmentVariable("YARD_SHOTS_FORM") == "submit")
                        window.openSubmit();
                    else
                        window.openRegister(qEnvironmentVariable("YARD_SHOTS_FORM"));
                    QTest::qWait(600);
                    for (QDialog* form : window.findChildren<QDialog*>()) {
                        form->grab().save(directory.filePath("form-" + form->objectName() + ".png"));
                        form->close();
                    }
                }
                if (spec.id == "actions") window.showAction(test::demoFailure(window), "output");
                QTest::qWait(400);
                const QString name = QStringLiteral("%1-%2-%3.png")
                                         .arg(spec.id, choice == ui::Theme::Choice::Dark ? "dark" : "light")
                                         .arg(size.width());
                if (window.grab().save(directory.filePath(name))) ++made;
            }
    }
    std::printf("%d pictures in %s\n", made, argv[1]);
    return made > 0 ? 0 : 1;
}
