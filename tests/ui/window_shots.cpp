// window_shots DIRECTORY [PAGE…]: pictures of every page in both themes and two sizes, of a real engine with work
// of all states. What they show is looked at by people, and checked for blankness by the test of the same name.
#include "tests/ui/demo_load.h"
#include "tests/ui/real_engine.h"
#include "tests/ui/warm_worker.h"
#include "ui/bridge/attached_link.h"
#include "ui/models/languages.h"
#include "ui/models/notices.h"
#include "ui/shell/key_overlay.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_list.h"
#include "ui/shell/palette.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStandardPaths>
#include <QTest>
#include <cstdio>

using namespace yard;

namespace {

/// The palette with nothing and with something typed, and the overlay of keys.
int overlays(ui::MainWindow& window, ui::Theme& theme, const QDir& directory) {
    int made = 0;
    for (const auto choice : {ui::Theme::Choice::Dark, ui::Theme::Choice::Light}) {
        theme.choose(choice);
        const QString look = choice == ui::Theme::Choice::Dark ? "dark" : "light";
        window.resize(1280, 720);
        window.ui::MainWindow::show("queues");
        QTest::qWait(300);
        for (const QString& typed : {QString(), QStringLiteral("re"), QStringLiteral("exec slot 1 03:00")}) {
            window.palette()->open(typed);
            QTest::qWait(200);
            const QString name =
                QStringLiteral("palette-%1-%2.png").arg(typed.isEmpty() ? "all" : typed.left(2), look);
            if (window.grab().save(directory.filePath(name))) ++made;
            window.palette()->leave();
        }
        window.actionsById().at("keys")->trigger();
        QTest::qWait(100);
        if (window.grab().save(directory.filePath("keys-" + look + ".png"))) ++made;
        window.keyOverlay()->leave();
        window.notices()->setInFront([] { return false; });
        window.notices()->clear();
        window.notices()->add({ui::NoticeRule::QueueFinished, "nightly-cook has finished", "queues", {}});
        window.notices()->add({ui::NoticeRule::FirstFailure, "57 failed in unit-tests", "actions", {}});
        window.noticeList()->toggle(window.topBar()->bell());
        QTest::qWait(100);
        if (window.grab().save(directory.filePath("notices-" + look + ".png"))) ++made;
        window.noticeList()->leave();
    }
    return made;
}

/// Warm workers, some with work that goes on, and processes that went.
void submitWarm(ui::EngineLink& link) {
    const QString thumbs = test::registerWarmWorker(link, "thumbnailer", "1.2.0", {{"max_processes", 2}});
    const QString shaders = test::registerWarmWorker(link, "shaderc-warm", "2024.3", {{"queue", "private"}});
    const QString scan = test::registerWarmWorker(link, "usd-scan", "0.9.4", {{"max_requests", 2}});
    QJsonArray work;
    const auto add = [&](const QString& worker, const char* function, const QString& label) {
        const QJsonValue args = function == std::string_view("gate") ? QJsonValue("/nonexistent/never")
                                                                     : QJsonValue(QJsonObject{{"a", 1}, {"b", 2}});
        work.append(QJsonObject{
            {"worker", worker}, {"function", function}, {"label", label}, {"args", args}, {"priority", 60}});
    };
    for (int i = 0; i < 4; ++i) add(scan, "add", QStringLiteral("/assets/env/harbor/pier_%1").arg(i));
    add(shaders, "die", "volumetric.hlsl V0044");
    for (int i = 0; i < 3; ++i) add(shaders, "add", QStringLiteral("hair_marschner.hlsl V011%1").arg(i));
    for (int i = 0; i < 6; ++i) add(thumbs, "gate", QStringLiteral("IMG_2093%1.cr3").arg(i));
    link.send({"POST", "jobs", {}, QJsonDocument(work).toJson()}, &link, [](const ui::Answer&) {});
}

} // namespace

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
    ui::Languages languages; // YARD_SHOTS_LANGUAGE=de
    ui::Languages::choose(qEnvironmentVariable("YARD_SHOTS_LANGUAGE", "en"));
    languages.install();
    ui::Theme theme(nullptr);
    ui::dressApplication();
    ui::MainWindow window;
    auto link = std::make_unique<ui::AttachedLink>(engine.address(), engine.token());
    ui::EngineLink& connection = *link;
    window.setEngine(std::move(link), "embedded");
    window.show();
    if (!QTest::qWaitFor([&] { return connection.state() == ui::LinkState::Connected; }, 5'000)) return 1;
    if (wanted.isEmpty() || wanted.contains("pool")) submitWarm(connection);
    test::submitDemo(connection);
    QTest::qWait(3'500);
    int made = 0;
    if (wanted.contains("palette")) made += overlays(window, theme, directory);
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
