// The context menus of actions and queues, by mouse and key, on the real window over a real engine: where they lead, and what they
// copy.
#include "tests/ui/operator_test.h"
#include "ui/pages/action_entries.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/dashboard/failures_panel.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/pages/timelines/timelines_page.h"

#include <QClipboard>
#include <QFile>
#include <QInputDialog>
#include <QTemporaryDir>

using namespace yard;
using namespace yard::ui;

class TestMenus : public test::OperatorTest {
    Q_OBJECT

    qint64 queue_ = 0; ///< without retries
    qint64 holder_ = 0;
    qint64 waits_ = 0;
    qint64 failed_ = 0;

    ActionsPage* page() { return qobject_cast<ActionsPage*>(window_->navigation().page()); }
    QString filter() { return window_->navigation().page()->filter(); }
    /// The row is there, and painted.
    void goTo(qint64 lsn) {
        window_->navigation().show("actions", QStringLiteral("lsn:%1").arg(lsn));
        QTRY_VERIFY_WITH_TIMEOUT(page()->model()->action(lsn) != nullptr, kSoon);
        QVERIFY(!shownRow(page()->table(), lsn).isEmpty());
    }
    /// The texts of the menu that opens next, of its menus with a slash; it is closed then.
    void readMenu(QStringList& texts) {
        withNextMenu([&texts](QMenu* menu) {
            for (const QAction* action : menu->actions()) {
                texts << action->text();
                if (action->menu() == nullptr) continue;
                for (const QAction* inside : action->menu()->actions())
                    texts << action->text() + '/' + inside->text();
            }
            menu->close();
        });
    }
    /// The same for one entry of its "Copy as", which is chosen.
    void chooseToCopy(const QString& text) {
        QApplication::clipboard()->clear();
        withNextMenu([text](QMenu* menu) {
            for (const QAction* action : menu->actions())
                if (action->menu() != nullptr && action->text() == "Copy as")
                    for (QAction* inside : action->menu()->actions())
                        if (inside->text() == text) inside->trigger();
            menu->close();
        });
    }
    QString copied() { return QApplication::clipboard()->text(); }

private slots:
    void initTestCase() {
        QVERIFY(start("menus", {"--capacity", "4"}));
        QVERIFY(openWindow());
        queue_ = makeQueue("menus", {{"max_retries", 0}});
        holder_ = submit("holds", "sleep 600", {{"locks", QJsonArray{"app:menus"}}}, queue_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(holder_), QString("running"), kSoon);
        waits_ = submit("waits", "true", {{"locks", QJsonArray{"app:menus"}}}, queue_);
        const QJsonObject more{{"env", QJsonObject{{"GREETING", "a b"}}}, {"cwd", engine_.directory()}};
        failed_ = submit("fails", "sleep 0.2; exit 3", more, queue_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(failed_), QString("failed"), kSoon);
        window_.reset();
    }
    void cleanupTestCase() { engine_.kill(); }
    void init() {
        QVERIFY(openWindow());
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }
    void cleanup() { window_.reset(); }

    // --- values

    void whatIsWaitedForAreTheActionsThatAreNamedHere() {
        const QJsonObject why{
            {"waits",
             QJsonArray{QJsonObject{{"kind", "dependency"}, {"lsn", 4}},
                        QJsonObject{{"kind", "dependency"}, {"array", 7}},
                        QJsonObject{{"kind", "lock"}, {"holder", QJsonObject{{"engine", "us"}, {"lsn", 4}}}},
                        QJsonObject{{"kind", "lock"}, {"holder", QJsonObject{{"engine", "them"}, {"lsn", 5}}}},
                        QJsonObject{{"kind", "capacity"},
                                    {"kept_for", 9},
                                    {"holders", QJsonArray{QJsonObject{{"lsn", 4}}, QJsonObject{{"lsn", 11}},
                                                           QJsonObject{{"name", "worker sort"}}}}},
                        QJsonObject{{"kind", "start"}, {"lsn", 3}}}}};
        QCOMPARE(waitedFor(why, "us"), (std::vector<qint64>{4, 7, 9, 11}));
        QVERIFY(waitedFor({}, "us").empty());
        QJsonArray many;
        for (int i = 1; i <= 80; ++i) many.append(QJsonObject{{"kind", "dependency"}, {"lsn", i}});
        QCOMPARE(waitedFor({{"waits", many}}, "us").size(), std::size_t{50});
    }

    void aCommandIsWrittenForAShell() {
        const QJsonObject spec{{"worker", "exec"},
                               {"argv", QJsonArray{"sh", "-c", "echo $A"}},
                               {"env", QJsonObject{{"A", "x y"}, {"SECRET", QJsonValue()}}},
                               {"cwd", "/tmp/a b"}};
        QCOMPARE(shellLineOf(spec), QString("cd '/tmp/a b' && env 'A=x y' sh -c 'echo $A'"));
        QCOMPARE(shellLineOf({{"worker", "thumb"}, {"function", "f"}}), QString());
    }

    void likesHaveTheSameLabelOrTheSameName() {
        ActionRow row;
        row.worker = "exec";
        row.name = "make \"all\"";
        QCOMPARE(row.kindFilter(), QString("worker:\"exec\" name:\"make *all*\""));
        row.label = "night";
        QCOMPARE(row.kindFilter(), QString("worker:\"exec\" label:\"night\""));
        row.function = "f";
        QCOMPARE(row.kindFilter(), QString("worker:\"exec\" function:\"f\" label:\"night\""));
    }

    // --- the menu of a row

    void theMenuOfARowHasWhatCanBeDoneAndSeen() {
        goTo(failed_);
        QStringList texts;
        readMenu(texts);
        rightClickRow(page()->table(), failed_);
        for (const char* text : {"Open",
                                 "Log",
                                 "Reschedule",
                                 "Edit and resubmit",
                                 "Compare with the last good one",
                                 "Open in a terminal, to run it again",
                                 "Cancel",
                                 "Hold or release",
                                 "Retire",
                                 "Show on timeline",
                                 "Show what it waits for",
                                 "Show same kind",
                                 "Show same queue",
                                 "Show same worker",
                                 "Copy as",
                                 "Copy as/LSN",
                                 "Copy as/yardctl",
                                 "Copy as/curl",
                                 "Copy as/JSON",
                                 "Copy as/Shell command"})
            QVERIFY2(texts.contains(text), text);
    }

    void aFailedActionOpensInATerminalInTwoGestures() {
        QTemporaryDir folder;
        const QString said = folder.filePath("said");
        QFile terminal(folder.filePath("terminal"));
        QVERIFY(terminal.open(QIODevice::WriteOnly));
        terminal.write("#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done > " + said.toUtf8() +
                       ".part && mv " + said.toUtf8() + ".part " + said.toUtf8() + "\n");
        terminal.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        terminal.close();
        qputenv("TERMINAL", terminal.fileName().toUtf8());
        goTo(failed_);
        withNextMenu([](QMenu* menu) {
            for (QAction* action : menu->actions())
                if (action->text() == "Open in a terminal, to run it again") action->trigger();
            menu->close();
        });
        rightClickRow(page()->table(), failed_);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(said), kSoon);
        qunsetenv("TERMINAL");
        QFile file(said);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray words = file.readAll();
        QVERIFY2(words.contains("yardctl --data-dir "), words.constData());
        QVERIFY2(words.contains(QStringLiteral(" reproduce %1 ").arg(failed_).toUtf8()), words.constData());
    }

    void whatHasNotBegunCannotBeReproduced() {
        goTo(waits_);
        bool isOffered = true;
        withNextMenu([&isOffered](QMenu* menu) {
            for (const QAction* action : menu->actions())
                if (action->text() == "Open in a terminal, to run it again") isOffered = action->isEnabled();
            menu->close();
        });
        rightClickRow(page()->table(), waits_);
        QVERIFY(!isOffered);
    }

    void shiftF10OpensTheMenuOfTheRowThatHasTheFocus() {
        goTo(failed_);
        page()->table()->setFocus();
        page()->table()->setCurrentIndex(page()->table()->rows()->index(0, 0));
        QStringList texts;
        readMenu(texts);
        QTest::keyClick(page()->table(), Qt::Key_F10, Qt::ShiftModifier);
        QVERIFY(texts.contains("Show on timeline"));
        QCOMPARE(page()->table()->selectedIds(), std::vector<qint64>{failed_});
    }

    void ofSeveralTheirNumbersAreCopied() {
        window_->navigation().show("actions", QStringLiteral("lsn:%1,%2").arg(waits_).arg(failed_));
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 2, kSoon);
        QVERIFY(!shownRow(page()->table(), failed_).isEmpty());
        page()->table()->selectAll();
        QStringList texts;
        readMenu(texts);
        rightClickRow(page()->table(), failed_);
        QVERIFY(texts.contains("Copy as/yardctl"));
        QVERIFY(!texts.contains("Copy as/JSON") && !texts.contains("Show same kind"));
    }

    void itLeadsToWhatItWaitsFor() {
        goTo(waits_);
        clickInMenu("Show what it waits for");
        rightClickRow(page()->table(), waits_);
        QTRY_COMPARE_WITH_TIMEOUT(page()->detail()->lsn(), holder_, kSoon);
    }

    void itSaysWhyWhereNoActionIsWaitedFor() {
        const qint64 held = submit("held", "true", {{"hold", true}}, queue_);
        goTo(held);
        clickInMenu("Show what it waits for");
        rightClickRow(page()->table(), held);
        QTRY_VERIFY_WITH_TIMEOUT(shown(window_->findChild<StatusBar*>("status-bar")).contains("It waits for no"),
                                 kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(page()->detail()->lsn(), held, kSoon);
    }

    void itLeadsToItsLikes() {
        goTo(failed_);
        clickInMenu("Show same kind");
        rightClickRow(page()->table(), failed_);
        QTRY_COMPARE_WITH_TIMEOUT(filter(), QString("worker:\"exec\" label:\"fails\""), kSoon);
        goTo(failed_);
        clickInMenu("Show same queue");
        rightClickRow(page()->table(), failed_);
        QTRY_COMPARE_WITH_TIMEOUT(filter(), QStringLiteral("queue:%1").arg(queue_), kSoon);
    }

    void itLeadsToItsBarOnTheTimeline() {
        goTo(failed_);
        clickInMenu("Show on timeline");
        rightClickRow(page()->table(), failed_);
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("timelines"), kSoon);
        auto* timelines = qobject_cast<TimelinesPage*>(window_->navigation().page());
        QTRY_VERIFY_WITH_TIMEOUT(timelines->view()->selected().has_value(), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(timelines->view()->selected()->item.lsn, failed_, kSoon);
        // What has not run has no bar, and that is said.
        window_->navigation().showThing("timelines", waits_);
        QTRY_VERIFY_WITH_TIMEOUT(shown(window_->findChild<StatusBar*>("status-bar")).contains("has not run"),
                                 kSoon);
        window_->navigation().showThing("timelines", 987'654'321);
        QTRY_VERIFY_WITH_TIMEOUT(!shown(window_->findChild<StatusBar*>("status-bar")).contains("has not run"),
                                 kSoon);
    }

    void itCopiesNumberCommandAndJson() {
        goTo(failed_);
        chooseToCopy("LSN");
        rightClickRow(page()->table(), failed_);
        QCOMPARE(copied(), QString::number(failed_));
        chooseToCopy("Shell command");
        rightClickRow(page()->table(), failed_);
        QTRY_VERIFY2_WITH_TIMEOUT(copied().startsWith("cd "), qPrintable(copied()), kSoon);
        QVERIFY2(copied().endsWith("&& env 'GREETING=a b' sh -c 'sleep 0.2; exit 3'"), qPrintable(copied()));
        chooseToCopy("JSON");
        rightClickRow(page()->table(), failed_);
        QTRY_VERIFY_WITH_TIMEOUT(copied().contains("\"exit_code\": 3"), kSoon);
    }

    void theDashboardHasTheSameEntries() {
        window_->navigation().show("dashboard");
        Table* table = qobject_cast<DashboardPage*>(window_->navigation().page())->failures()->table();
        QTRY_VERIFY_WITH_TIMEOUT(table->rows()->rowOf(failed_) >= 0, kSoon);
        QVERIFY(!shownRow(table, failed_).isEmpty());
        QStringList texts;
        readMenu(texts);
        rightClickRow(table, failed_, 0);
        for (const char* text :
             {"Compare with the last good one", "Show on timeline", "Show same kind", "Copy as/JSON"})
            QVERIFY2(texts.contains(text), text);
    }

    void aMenuGoesWithItsPageWhenAnotherEngineIsChosen() {
        goTo(failed_);
        const QPointer<ActionsPage> before(page());
        bool wasOpen = false;
        QTimer::singleShot(0, qApp, [this, &wasOpen] {
            wasOpen = qobject_cast<QMenu*>(QApplication::activePopupWidget()) != nullptr;
            window_->engine().set(std::make_unique<AttachedLink>(engine_.address(), engine_.token()), "embedded");
        });
        emit before->table()->menuWanted(before->mapToGlobal(QPoint(20, 20)));
        QVERIFY(wasOpen);
        QVERIFY(before.isNull());
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->isLive(), kSoon);
    }

    // --- the menu of a queue

    void theMenuOfAQueueSetsItsWeightAndCopies() {
        window_->navigation().show("queues");
        Table* table = qobject_cast<QueuesPage*>(window_->navigation().page())->table();
        const qint64 row = rowIdOf(queue_);
        QTRY_VERIFY_WITH_TIMEOUT(table->rows()->rowOf(row) >= 0, kSoon);
        QVERIFY(!shownRow(table, row).isEmpty());
        QStringList texts;
        readMenu(texts);
        rightClickRow(table, row, 0);
        for (const char* text :
             {"Show actions", "Show failures", "Reschedule failures", "Hold", "Release", "Drain…", "Cancel…",
              "Delete…", "Set weight…", "Copy token", "Copy as/yardctl", "Copy as/curl"})
            QVERIFY2(texts.contains(text), text);
        chooseToCopy("JSON");
        rightClickRow(table, row, 0);
        QVERIFY2(copied().startsWith('{') && copied().contains("\"menus\""), qPrintable(copied()));

        QTimer answer;
        connect(&answer, &QTimer::timeout, this, [&answer] {
            auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr) return;
            answer.stop();
            dialog->setDoubleValue(2.5);
            dialog->accept();
        });
        answer.start(10);
        clickInMenu("Set weight…");
        rightClickRow(table, row, 0);
        const auto weight = [this] {
            return ask("GET", QStringLiteral("queues/%1").arg(queue_)).json.value("config")["weight"].toDouble();
        };
        QTRY_COMPARE_WITH_TIMEOUT(weight(), 2.5, kSoon);
    }
};

QTEST_MAIN(TestMenus)
#include "tst_menus.moc"
