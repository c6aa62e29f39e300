// The console page on the real program: the prompt, what it may change, what is inside, and a profile.
#include "tests/ui/window_test.h"
#include "ui/pages/console/console_page.h"
#include "ui/pages/console/console_prompt.h"
#include "ui/pages/console/icicle.h"
#include "ui/pages/console/inside_panels.h"
#include "ui/pages/console/log_panel.h"
#include "ui/pages/console/profile_panel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/table.h"

#include <QComboBox>
#include <QLineEdit>
#include <QLocale>

using namespace yard;
using namespace yard::ui;

class TestConsolePage : public test::WindowTest {
    Q_OBJECT

    ConsolePage* page() { return at<ConsolePage>("console"); }
    void type(const QString& line) {
        QLineEdit* field = page()->prompt()->field();
        field->setFocus();
        QTest::keyClicks(field, line);
        QTest::keyClick(field, Qt::Key_Return);
    }
    bool shows(const QString& text) {
        return QTest::qWaitFor([&] { return page()->prompt()->shown().contains(text); }, kSoon);
    }
    QAction* command(const QString& id) {
        for (QAction* action : page()->commands())
            if (action->objectName() == id) return action;
        return nullptr;
    }
    int rowsOf(InsidePanels::Tab tab) { return page()->panels()->table(tab)->rows()->rowCount(); }

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QVERIFY(start("console_page"));
    }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    void aLineIsAnswered() {
        type("6 * 7");
        QVERIFY2(shows("yard> 6 * 7\n42\n"), qPrintable(page()->prompt()->shown()));
        type("queues");
        QVERIFY(shows("queue_id"));
        page()->prompt()->clear();
        QCOMPARE(page()->prompt()->shown(), QString());
    }

    void whatItIsAskedAtTheStartIsNotShown() {
        type("1");
        QVERIFY(shows("1\n"));
        QVERIFY2(!page()->prompt()->shown().contains("everything about one action"),
                 qPrintable(page()->prompt()->shown()));
    }

    void changesAreRefusedUntilTheyAreAllowed() {
        type("set \"grace_s\" (3)");
        QVERIFY2(shows("read-only until changes are allowed"), qPrintable(page()->prompt()->shown()));
        command("allow-changes")->trigger();
        type("set \"grace_s\" (3)");
        QVERIFY2(shows("grace_s is 3"), qPrintable(page()->prompt()->shown()));
        QCOMPARE(ask("GET", "settings").json["grace_s"].toInt(), 3);
        command("allow-changes")->trigger();
        page()->prompt()->clear();
        type("set \"grace_s\" (2)");
        QVERIFY(shows("read-only until changes are allowed"));
    }

    void linesComeBack() {
        type("40 + 2");
        QVERIFY(shows("42\n"));
        QLineEdit* field = page()->prompt()->field();
        QTest::keyClicks(field, "half");
        QTest::keyClick(field, Qt::Key_Up);
        QCOMPARE(field->text(), QString("40 + 2"));
        QTest::keyClick(field, Qt::Key_Down);
        QCOMPARE(field->text(), QString("half"));
    }

    void aTabCompletesACommand() {
        type("1");
        QVERIFY(shows("1\n"));
        QLineEdit* field = page()->prompt()->field();
        // Its names are there once the answer before is.
        QTRY_VERIFY_WITH_TIMEOUT(
            (field->setText("descr"), QTest::keyClick(field, Qt::Key_Tab), field->text() == "descriptors "), kSoon);
        field->setText("thr");
        QTest::keyClick(field, Qt::Key_Tab);
        QCOMPARE(field->text(), QString("thread"));
        QTest::keyClick(field, Qt::Key_Tab);
        QVERIFY(shows("thread  threads\n"));
    }

    void whatIsInsideIsShown() {
        using enum InsidePanels::Tab;
        InsidePanels* panels = page()->panels();
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(Threads) > 3, kSoon);
        QVERIFY(panels->note().contains(QString::number(rowsOf(Threads))));
        panels->setTab(Descriptors);
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(Descriptors) > 2, kSoon);
        panels->setTab(Memory);
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(Memory) > 2, kSoon);
        panels->setTab(Turns);
        QTRY_VERIFY_WITH_TIMEOUT(!panels->note().isEmpty(), kSoon);
    }

    void theLogIsFollowed() {
        using enum InsidePanels::Tab;
        InsidePanels* panels = page()->panels();
        LogPanel* log = panels->log();
        // The engine of a test writes errors alone; of this the log tells, so there is a line.
        QCOMPARE(ask("PATCH", "inside/log", QJsonObject{{"level", "info"}}).status, 200);
        panels->setTab(Log);
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(Log) > 0, kSoon);
        QVERIFY(panels->note().contains("latest first"));
        QTRY_VERIFY_WITH_TIMEOUT(log->areas()->findData("http") > 0, kSoon);
        // The level of one area, which the log tells of.
        log->areas()->setCurrentIndex(log->areas()->findData("http"));
        emit log->areas()->activated(log->areas()->currentIndex());
        QCOMPARE(log->levels()->currentData().toString(), QString("default"));
        log->levels()->setCurrentIndex(log->levels()->findData("debug"));
        emit log->levels()->activated(log->levels()->currentIndex());
        const auto ofHttp = [this] {
            return ask("GET", "inside/log").bytes.contains(R"("name":"http","level":"debug")");
        };
        QTRY_VERIFY_WITH_TIMEOUT(ofHttp(), kSoon);
        log->filter()->setText("level of the log is debug for http");
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(Log) > 0, kSoon);
        log->filter()->setText("no line has this");
        QCOMPARE(rowsOf(Log), 0);
        log->filter()->clear();
        // Not followed: what comes later is not there.
        QVERIFY(log->isFollowing());
        log->follow()->click();
        QVERIFY(!log->isFollowing());
        QCOMPARE(ask("PATCH", "inside/log", QJsonObject{{"level", "default"}, {"area", "http"}}).status, 200);
        QCOMPARE(ask("PATCH", "inside/log", QJsonObject{{"level", "error"}}).status, 200);
    }

    void aProfileIsAnIcicle() {
        ProfilePanel* profile = page()->profile();
        QVERIFY(!profile->isOn());
        command("profile")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(profile->isOn(), kSoon);
        QCOMPARE(profile->toggle()->text(), QString("Stop and show"));
        QCOMPARE(ask("GET", "session").status, 200); // so that something runs
        command("profile")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!profile->icicle()->profile().nodes.empty(), kSoon);
        QVERIFY(!profile->isOn());
        const QString whole = profile->icicle()->wordsAt({5, 5});
        QVERIFY2(whole.startsWith("loop engine: ") && whole.contains("100.0 %"), qPrintable(whole));
        const std::size_t parts = profile->icicle()->spokenParts().size();
        QVERIFY(parts > 1);
        // A click zooms, one above goes back.
        const SpokenPart second = profile->icicle()->spokenParts()[1];
        QTest::mouseClick(profile->icicle(), Qt::LeftButton, {}, second.area.center());
        QCOMPARE(profile->icicle()->spokenParts()[1].area.width(), profile->icicle()->width());
        QTest::mouseClick(profile->icicle(), Qt::LeftButton, {}, {5, 5});
        QCOMPARE(profile->icicle()->spokenParts().size(), parts);
    }

    void aProfileThatAnotherTakesCanBeEnded() {
        QCOMPARE(ask("POST", "inside/profile/start", QJsonObject{}).status, 200);
        command("profile")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(page()->profile()->isOn(), kSoon);
        command("profile")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!page()->profile()->isOn(), kSoon);
    }
};

QTEST_MAIN(TestConsolePage)
#include "tst_console_page.moc"
