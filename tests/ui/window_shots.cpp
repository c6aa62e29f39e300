// window_shots DIRECTORY [WHAT…]: pictures of the window in both themes, of a real engine with work of all states.
// WHAT is a page, or palette, sandbox, filter, empty, lost, tabs, sections; every page where nothing is named. For
// people to look at.
//
// YARD_SHOTS_SIZES=1440x900,1280x720   YARD_SHOTS_LANGUAGE=de   YARD_SHOTS_TEXT=1.5   QT_SCALE_FACTOR=2
// YARD_SHOTS_SECTION=appearance
// YARD_SHOTS_SEEN_AS=protanopia: as somebody without red sees them; deuteranopia, tritanopia
#include "tests/ui/demo_load.h"
#include "tests/ui/real_engine.h"
#include "tests/ui/warm_worker.h"
#include "ui/bridge/attached_link.h"
#include "ui/shell/bars.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/key_overlay.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/shell/notice_list.h"
#include "ui/shell/palette.h"
#include "ui/state/languages.h"
#include "ui/state/notices.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"
#include "ui/widgets/page_head.h"

#include <QAction>
#include <QApplication>
#include <QColorSpace>
#include <QDialog>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStandardPaths>
#include <QTest>
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

using namespace yard;

namespace {

/// What YARD_SHOTS_SEEN_AS asks for: a picture as the colour-blind see it (Machado 2009, full dichromacy).
QImage asSeen(const QPixmap& picture) {
    using Matrix = std::array<std::array<double, 3>, 3>;
    static const std::map<QString, Matrix> kinds{
        {"protanopia",
         {{{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}}}},
        {"deuteranopia",
         {{{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}}}},
        {"tritanopia",
         {{{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}}}}};
    QImage image = picture.toImage();
    image.setColorSpace(QColorSpace::SRgb);
    const auto kind = kinds.find(qEnvironmentVariable("YARD_SHOTS_SEEN_AS"));
    if (kind == kinds.end()) return image;
    image.convertTo(QImage::Format_RGBA64);
    image.convertToColorSpace(QColorSpace::SRgbLinear); // the light, which is what is mixed
    for (int y = 0; y < image.height(); ++y) {
        auto* line = reinterpret_cast<QRgba64*>(image.scanLine(y));
        for (int x = 0; x < image.width(); ++x) {
            const auto part = [&](const std::array<double, 3>& row) {
                const double mixed = row[0] * line[x].red() + row[1] * line[x].green() + row[2] * line[x].blue();
                return static_cast<quint16>(std::clamp(mixed, 0.0, 65'535.0));
            };
            const Matrix& m = kind->second;
            line[x] = qRgba64(part(m[0]), part(m[1]), part(m[2]), line[x].alpha());
        }
    }
    image.convertToColorSpace(QColorSpace::SRgb);
    return image.convertToFormat(QImage::Format_RGB32);
}

/// The palette with nothing and with something typed, and the overlay of keys.
int overlays(ui::MainWindow& window, ui::Theme& theme, const QDir& directory) {
    int made = 0;
    for (const auto choice : {ui::Theme::Choice::Dark, ui::Theme::Choice::Light}) {
        theme.choose(choice);
        const QString look = choice == ui::Theme::Choice::Dark ? "dark" : "light";
        window.resize(1280, 720);
        window.navigation().show("queues");
        QTest::qWait(300);
        for (const QString& typed : {QString(), QStringLiteral("re"), QStringLiteral("exec slot 1 03:00")}) {
            window.findChild<ui::Palette*>("palette")->open(typed);
            QTest::qWait(200);
            const QString name =
                QStringLiteral("palette-%1-%2.png").arg(typed.isEmpty() ? "all" : typed.left(2), look);
            if (asSeen(window.grab()).save(directory.filePath(name))) ++made;
            window.findChild<ui::Palette*>("palette")->leave();
        }
        window.findChild<QAction*>("keys")->trigger();
        QTest::qWait(100);
        if (asSeen(window.grab()).save(directory.filePath("keys-" + look + ".png"))) ++made;
        window.findChild<ui::KeyOverlay*>("keys-overlay")->leave();
        window.findChild<ui::Notices*>("notices")->setInFront([] { return false; });
        window.findChild<ui::Notices*>("notices")->clear();
        window.findChild<ui::Notices*>("notices")->add(
            {ui::NoticeRule::QueueFinished, "nightly-cook has finished", "queues", {}});
        window.findChild<ui::Notices*>("notices")->add(
            {ui::NoticeRule::FirstFailure, "57 failed in unit-tests", "actions", {}});
        window.findChild<ui::NoticeList*>("notice-list")->toggle(window.findChild<ui::TopBar*>("top-bar")->bell());
        QTest::qWait(100);
        if (asSeen(window.grab()).save(directory.filePath("notices-" + look + ".png"))) ++made;
        window.findChild<ui::NoticeList*>("notice-list")->leave();
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

/// "1440x900,1280x720" of YARD_SHOTS_SIZES; three where it is not set.
QList<QSize> sizes() {
    QList<QSize> wanted;
    for (const QString& each : qEnvironmentVariable("YARD_SHOTS_SIZES").split(',', Qt::SkipEmptyParts))
        wanted << QSize(each.section('x', 0, 0).toInt(), each.section('x', 1).toInt());
    return wanted.isEmpty() ? QList<QSize>{{1'440, 900}, {1'280, 720}, {2'560, 1'440}} : wanted;
}

struct Shots {
    ui::MainWindow& window;
    ui::Theme& theme;
    QDir directory;
    int made = 0;

    void take(const QString& name) {
        QTest::qWait(600);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        if (asSeen(window.grab()).save(directory.filePath(name + ".png"))) ++made;
    }
    /// In both themes and every size; `prepare` brings the window to what is to be seen.
    void takeAll(const QString& name, const std::function<void()>& prepare) {
        for (const auto choice : {ui::Theme::Choice::Dark, ui::Theme::Choice::Light})
            for (const QSize size : sizes()) {
                theme.choose(choice);
                window.resize(size);
                prepare();
                take(QStringLiteral("%1-%2-%3")
                         .arg(name, choice == ui::Theme::Choice::Dark ? "dark" : "light")
                         .arg(size.width()));
            }
    }
};

/// What the sandbox denied, with what may be allowed.
void takeSandbox(Shots& shots) {
    shots.takeAll("sandbox", [&] {
        shots.window.navigation().showAction(test::demoAction(shots.window, "label:convert*"), "sandbox");
    });
}

/// Completion in the filter, with counts.
void takeFilter(Shots& shots) {
    shots.takeAll("filter", [&] {
        shots.window.navigation().show("actions", {});
        auto* field = shots.window.navigation().page()->findChild<ui::FilterField*>();
        shots.window.activateWindow();
        field->setFocus();
        field->clear();
        QTest::keyClicks(field, "queue:");
    });
}

void takeForms(Shots& shots) {
    const QString form = qEnvironmentVariable("YARD_SHOTS_FORM");
    if (form.isEmpty()) return;
    if (form == "submit")
        shots.window.navigation().openSubmit();
    else
        shots.window.navigation().openRegister(form);
    QTest::qWait(600);
    for (QDialog* dialog : shots.window.findChildren<QDialog*>()) {
        dialog->grab().save(shots.directory.filePath("form-" + dialog->objectName() + ".png"));
        dialog->close();
    }
}

/// Each tab of an action that failed, and of one that waits.
void takeTabs(Shots& shots) {
    for (const QString& tab :
         {"output", "inputs", "outputs", "command", "processor", "sandbox", "history", "graph", "json"})
        shots.takeAll("tab-" + tab, [&] {
            shots.window.navigation().showAction(test::demoAction(shots.window, "state:failed foliage"), tab);
        });
    shots.takeAll("tab-pending", [&] {
        shots.window.navigation().showAction(test::demoAction(shots.window, "state:pending queue:lightmaps"),
                                             "output");
    });
}

void takeSections(Shots& shots) {
    for (const QString& section : {"general", "appearance", "engine", "engines", "notifications", "keys"})
        shots.takeAll("settings-" + section, [&] {
            shots.window.navigation().show("settings");
            shots.window.navigation().page()->setFilter(section);
        });
}

void takePage(Shots& shots, const QString& id, const QString& name) {
    shots.takeAll(name, [&] {
        shots.window.navigation().show(id);
        if (id == "settings")
            shots.window.navigation().page()->setFilter(qEnvironmentVariable("YARD_SHOTS_SECTION", "engine"));
        if (id == "workers") takeForms(shots);
        if (id == "actions" && name == "actions")
            shots.window.navigation().showAction(test::demoAction(shots.window, "state:failed foliage"), "output");
    });
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
    bool isScale = false;
    if (const double scale = qEnvironmentVariable("YARD_SHOTS_TEXT").toDouble(&isScale); isScale)
        ui::setTextScale(scale);
    ui::MainWindow window;
    auto link = std::make_unique<ui::AttachedLink>(engine.address(), engine.token());
    ui::EngineLink& connection = *link;
    window.engine().set(std::move(link), "embedded");
    window.show();
    if (!QTest::qWaitFor([&] { return connection.state() == ui::LinkState::Connected; }, 5'000)) return 1;
    const auto wants = [&](const QString& what) { return wanted.isEmpty() || wanted.contains(what); };
    Shots shots{window, theme, directory};
    // Before there is anything, with work of all states, and after the engine is gone.
    for (const ui::PageSpec& spec : window.navigation().pages())
        if (wanted.contains("empty")) takePage(shots, spec.id, "empty-" + spec.id);
    if (wants("pool")) submitWarm(connection);
    test::submitDemo(connection);
    QTest::qWait(3'500);
    if (wanted.contains("palette")) shots.made += overlays(window, theme, directory);
    for (const ui::PageSpec& spec : window.navigation().pages())
        if (wants(spec.id)) takePage(shots, spec.id, spec.id);
    if (wanted.contains("sandbox")) takeSandbox(shots);
    if (wanted.contains("filter")) takeFilter(shots);
    if (wanted.contains("tabs")) takeTabs(shots);
    if (wanted.contains("sections")) takeSections(shots);
    if (wanted.contains("lost")) {
        engine.kill();
        QTest::qWait(1'500);
        for (const ui::PageSpec& spec : window.navigation().pages()) takePage(shots, spec.id, "lost-" + spec.id);
    }
    std::printf("%d pictures in %s\n", shots.made, argv[1]);
    return shots.made > 0 ? 0 : 1;
}
