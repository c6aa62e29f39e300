// What an engine without work shows: three ways to begin, by keyboard and by mouse, and the example that comes and goes.
#include "tests/ui/played_page.h"
#include "tests/ui/window_test.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/dashboard/first_start.h"
#include "ui/shell/engine_menu.h"
#include "ui/state/example_run.h"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QTemporaryDir>

using namespace yard;
using namespace yard::ui;

namespace {

/// The page beside a played engine.
struct Played {
    Played()
        : first(context.context()) {
        first.resize(900, 600);
        first.show();
        first.activateWindow();
    }
    Button* button(const char* name) { return first.findChild<Button*>(name); }

    test::PlayedContext context;
    FirstStart first;
};

} // namespace

class TestFirstStart : public test::WindowTest {
    Q_OBJECT

    DashboardPage* page() { return at<DashboardPage>("dashboard"); }
    QAction* command(const QString& text) {
        for (QAction* action : window_->findChildren<QAction*>())
            if (action->text() == text && !qobject_cast<QMenu*>(action->parent())) return action;
        return nullptr;
    }
    /// A file with these bytes; its path.
    QString fileNamed(const QString& name, bool isProgram) {
        QFile file(files_.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write("#!/bin/sh\n");
        file.close();
        if (isProgram) file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    static bool drop(QWidget& on, const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(40, 40), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&on, &enter);
        if (!enter.isAccepted()) return false;
        QDropEvent event(QPointF(40, 40), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&on, &event);
        return event.isAccepted();
    }
    static QJsonObject formWith(const QString& program) {
        return {{"worker", "exec"}, {"argv", QJsonArray{program}}, {"cwd", QFileInfo(program).absolutePath()}};
    }

    /// Whether the example comes, and to its end.
    bool isLoaded() {
        return QTest::qWaitFor(
            [this] {
                return !ask("GET", "schedules").json.value("schedules").toArray().isEmpty() &&
                       window_->engine().link()->findChild<ExampleRun*>() == nullptr;
            },
            2 * kSoon);
    }

    QTemporaryDir files_;

private slots:
    void initTestCase() { QVERIFY(start("first_start", {"--capacity", "2"})); }

    void aCommandIsTypedIntoTheForm() {
        Played played;
        QTest::mouseClick(played.button("first-run"), Qt::LeftButton);
        QCOMPARE(played.context.window.forms, (QJsonArray{QJsonObject()}));
    }

    void tabGoesFromOneToTheNextAndSpacePresses() {
        Played played;
        QVERIFY(QTest::qWaitForWindowActive(&played.first));
        played.button("first-run")->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QCOMPARE(played.context.window.forms.size(), 1);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget()->objectName(), QString("first-program"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget()->objectName(), QString("first-example"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QTRY_COMPARE(played.context.link.waiting("queues"), std::size_t{1});
    }

    void aProgramThatIsChosenOpensTheFormWithIt() {
        Played played;
        const QString program = fileNamed("tool", true);
        chooseNext(program);
        QTest::mouseClick(played.button("first-program"), Qt::LeftButton);
        QCOMPARE(played.context.window.forms, (QJsonArray{formWith(program)}));
    }

    void aFileThatIsNoProgramIsNotTaken() {
        Played played;
        chooseNext(fileNamed("notes.txt", false));
        QTest::mouseClick(played.button("first-program"), Qt::LeftButton);
        QVERIFY(played.context.window.forms.isEmpty());
        QCOMPARE(played.context.window.said,
                 QStringList("notes.txt cannot be executed: choose a program, or run it by its interpreter."));
    }

    void aProgramThatIsDroppedOpensTheFormWithIt() {
        Played played;
        const QString program = fileNamed("tool", true);
        QVERIFY(drop(played.first, program));
        QCOMPARE(played.context.window.forms, (QJsonArray{formWith(program)}));
    }

    void whatIsNoProgramIsLeftToTheWindow() {
        Played played;
        QVERIFY(!drop(played.first, fileNamed("worker.json", false)));
        QVERIFY(!drop(played.first, files_.path()));
        QVERIFY(played.context.window.forms.isEmpty());
    }

    void anEngineThatRefusesTheExampleSaysWhy() {
        Played played;
        Button* example = played.button("first-example");
        QTest::mouseClick(example, Qt::LeftButton);
        QVERIFY(!example->isEnabled());
        QTRY_COMPARE(played.context.link.waiting("queues"), std::size_t{1});
        QVERIFY(played.context.link.answer("queues", QJsonObject{{"queues", QJsonArray()}}));
        QTRY_COMPARE(played.context.link.waiting("queues"), std::size_t{1});
        QCOMPARE(std::get<Request>(played.context.link.asked.back()).method, QByteArray("POST"));
        const QString why = "The token \"anna\" has the right submit, and this needs operate.";
        QVERIFY(played.context.link.answer("queues", Answer{403, {}, {}, "forbidden", why}));
        QTRY_COMPARE(played.context.window.said, QStringList(why));
        QVERIFY(example->isEnabled());
    }

    void twoLoadsAtOnceAreOne() {
        Played played;
        QStringList told;
        const auto tell = [&](const QString& sentence, bool) { told << sentence; };
        ExampleRun::load(played.context.link, &played.first, tell);
        ExampleRun::load(played.context.link, &played.first, tell);
        QTRY_COMPARE(told, QStringList("The example is being loaded or removed: wait until that has ended."));
        QTRY_COMPARE(played.context.link.waiting("queues"), std::size_t{1});
        QVERIFY(played.context.link.answer("queues", Answer{500, {}, {}, "internal", "It broke."}));
        QTRY_COMPARE(told.size(), 2);
        // Then another one may.
        ExampleRun::load(played.context.link, &played.first, tell);
        QTRY_COMPARE(played.context.link.waiting("queues"), std::size_t{1});
    }

    void theExampleComesAndGoesAsOne() {
        QVERIFY(openWindow());
        QTRY_VERIFY_WITH_TIMEOUT(page()->isEmpty(), kSoon);
        auto* example = page()->findChild<Button*>("first-example");
        QTRY_VERIFY_WITH_TIMEOUT(example->isVisible(), kSoon);
        QTest::mouseClick(example, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isEmpty(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(!example->isVisible(), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(window_->engine().state()->queues().size(), std::size_t{6}, kSoon);
        QVERIFY(isLoaded());
        // The engine's menu has the way out.
        auto* menu = window_->findChild<EngineMenu*>();
        QVERIFY(QMetaObject::invokeMethod(menu, "aboutToShow"));
        QAction* away = nullptr;
        for (QAction* action : menu->actions())
            if (action->text() == "Remove the example") away = action;
        QVERIFY(away != nullptr);
        away->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window_->engine().state()->queues().size(), std::size_t{1}, 2 * kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(ask("GET", "workers").json.value("workers").toArray().isEmpty(), kSoon);
        QCOMPARE(jobs({}).size(), 0);
        // An engine without any work, as before.
        QTRY_VERIFY_WITH_TIMEOUT(page()->isEmpty(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(page()->findChild<Button*>("first-example")->isVisible(), kSoon);
    }

    void theWindowsCommandsDoTheSame() {
        QVERIFY(openWindow());
        QVERIFY(command("Look at an example") != nullptr);
        command("Look at an example")->trigger();
        QVERIFY(isLoaded());
        command("Remove the example")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(ask("GET", "workers").json.value("workers").toArray().isEmpty(), 2 * kSoon);
        QCOMPARE(jobs({}).size(), 0);
    }

    void theFirstActionTakesItsPlace() {
        QVERIFY(openWindow());
        QTRY_VERIFY_WITH_TIMEOUT(page()->isEmpty(), kSoon);
        QVERIFY(submit("one", "true") > 0);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isEmpty(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->findChild<Button*>("first-run")->isVisible(), kSoon);
    }
    void cleanup() { window_.reset(); }
};

QTEST_MAIN(TestFirstStart)
#include "tst_first_start.moc"
