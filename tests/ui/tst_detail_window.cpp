// An action in a window of its own on the real program: it stays when something else is selected, follows the output,
// and goes with its engine.
#include "tests/ui/window_test.h"
#include "ui/pages/actions/actions_elsewhere.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/detail_window.h"
#include "ui/pages/actions/output_tab.h"

#include <QAction>
#include <QFile>
#include <QPointer>
#include <QTemporaryDir>

using namespace yard;
using namespace yard::ui;

class TestDetailWindow : public test::WindowTest {
    Q_OBJECT

    qint64 first_ = 0;
    qint64 second_ = 0;

    ActionsPage* page() { return show<ActionsPage>("actions"); }
    /// Of what is selected.
    void openOwn() {
        for (QAction* action : page()->commands())
            if (action->objectName() == "own-window") action->trigger();
    }
    static QStringList linesOf(const DetailWindow* own) {
        const LogText& text = own->panel()->output()->view()->text();
        QStringList lines;
        for (std::size_t i = 0; i < text.size(); ++i) lines << text.line(i).text;
        return lines;
    }
    void select(qint64 lsn) {
        QTRY_VERIFY_WITH_TIMEOUT(page()->model()->rowOf(lsn) >= 0, kSoon);
        page()->table()->selectId(lsn);
    }

private slots:
    void initTestCase() { QVERIFY(start("detail-window")); }
    void init() {
        QVERIFY(openWindow());
        if (first_ != 0) return;
        first_ = submit("first", "echo one");
        second_ = submit("second", "echo two");
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->count(DisplayState::Completed) >= 2, kSoon);
    }
    void cleanup() { window_.reset(); }

    void itStaysWhenTheSelectionMoves() {
        select(first_);
        openOwn();
        QCOMPARE(page()->elsewhere().windows().size(), 1);
        const DetailWindow* own = page()->elsewhere().windows().front();
        QVERIFY(own->isVisible() && own->isWindow());
        QCOMPARE(own->lsn(), first_);
        QTRY_COMPARE_WITH_TIMEOUT(linesOf(own), QStringList{"one"}, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(own->windowTitle().endsWith("first"), kSoon);
        select(second_);
        QCOMPARE(page()->detail()->lsn(), second_);
        QCOMPARE(own->lsn(), first_);
        window_->navigation().show("queues");
        QVERIFY(own->isVisible());
        QCOMPARE(linesOf(own), QStringList{"one"});
    }

    void itFollowsTheOutputToItsEnd() {
        const QTemporaryDir files;
        const QString go = files.filePath("go");
        const qint64 lsn = submit(
            "long", QStringLiteral("echo begun; while [ ! -e '%1' ]; do sleep 0.02; done; echo done").arg(go));
        page()->elsewhere().openWindow(lsn);
        const DetailWindow* own = page()->elsewhere().windows().front();
        QTRY_COMPARE_WITH_TIMEOUT(linesOf(own), QStringList{"begun"}, kSoon);
        QFile file(go);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        QTRY_COMPARE_WITH_TIMEOUT(linesOf(own), QStringList({"begun", "done"}), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(own->action().face, DisplayState::Completed, kSoon);
    }

    void anActionHasOneWindowAndEscClosesIt() {
        page()->elsewhere().openWindow(first_);
        page()->elsewhere().openWindow(second_);
        page()->elsewhere().openWindow(first_);
        QCOMPARE(page()->elsewhere().windows().size(), 2);
        QPointer<DetailWindow> own = page()->elsewhere().windows().front();
        emit own->panel()->closed();
        QCOMPARE(page()->elsewhere().windows().size(), 1);
        QTRY_VERIFY_WITH_TIMEOUT(own.isNull(), kSoon);
        own = page()->elsewhere().windows().front();
        own->activateWindow(); // the offscreen platform does not do so when another window closes
        QVERIFY(QTest::qWaitForWindowActive(own));
        QTest::keyClick(own, Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(own.isNull(), kSoon);
    }

    void thereAreSoManyWindows() {
        const qint64 many = submit("many", "true", {{"array", QJsonObject{{"from", 0}, {"to", 16}}}});
        for (int i = 0; i <= ActionsElsewhere::kMostWindows; ++i) page()->elsewhere().openWindow(many + i);
        QCOMPARE(page()->elsewhere().windows().size(), ActionsElsewhere::kMostWindows);
        QVERIFY(window_->findChild<StatusBar*>("status-bar")->sentence().contains("close one first"));
        page()->elsewhere().openWindow(0);
        QCOMPARE(page()->elsewhere().windows().size(), ActionsElsewhere::kMostWindows);
    }

    void withoutASelectionThereIsNothingToOpen() {
        openOwn();
        QVERIFY(page()->elsewhere().windows().isEmpty());
        for (const QAction* action : page()->commands())
            if (action->objectName() == "own-window") QVERIFY(!blockedWhy(action).isEmpty());
    }

    void itGoesWithTheWindow() {
        page()->elsewhere().openWindow(first_);
        const QPointer<DetailWindow> own = page()->elsewhere().windows().front();
        window_.reset();
        QVERIFY(own.isNull());
    }
};

QTEST_MAIN(TestDetailWindow)
#include "tst_detail_window.moc"
