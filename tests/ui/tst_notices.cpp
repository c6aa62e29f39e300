// Notices: the rules by themselves, over made-up facts and times; the bell of the real window; sleep, kept off on a
// bus of the test's own.
#include "tests/ui/window_test.h"
#include "ui/desktop/sleep_guard.h"
#include "ui/shell/notice_list.h"
#include "ui/shell/tray.h"
#include "ui/state/alert_messages.h"
#include "ui/state/notices.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QDBusContext>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr qint64 kMinute = 60'000;

NoticeFacts facts(std::map<qint64, NoticeFacts::Queue> queues) {
    NoticeFacts made;
    made.queues = std::move(queues);
    made.workers.emplace();
    return made;
}

QStringList texts(const std::vector<Notice>& notices) {
    QStringList all;
    for (const Notice& each : notices) all << each.text;
    return all;
}

} // namespace

/// What the desktop's screen saver is asked.
class ScreenSaver final : public QObject, protected QDBusContext {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.ScreenSaver")

public:
    QList<uint> held;
    uint next = 7;
    bool refuses = false;

public slots: // NOLINT(readability-redundant-access-specifiers): moc's
    uint Inhibit(const QString& application, const QString& reason) {
        if (refuses || application.isEmpty() || reason.isEmpty()) {
            sendErrorReply(QDBusError::AccessDenied, "not now");
            return 0;
        }
        held << next;
        return next++;
    }
    void UnInhibit(uint cookie) { held.removeAll(cookie); }
};

class TestNotices : public test::WindowTest {
    Q_OBJECT

    QProcess bus_;
    ScreenSaver saver_;
    std::optional<QDBusConnection> desktop_;
    NoticeRules rules_;

    void serve(bool there) {
        if (!there) {
            desktop_->unregisterService("org.freedesktop.ScreenSaver");
            desktop_->unregisterObject("/org/freedesktop/ScreenSaver");
            return;
        }
        QVERIFY(desktop_->registerObject("/org/freedesktop/ScreenSaver", &saver_, QDBusConnection::ExportAllSlots));
        QVERIFY(desktop_->registerService("org.freedesktop.ScreenSaver"));
    }
    Notices* notices() { return window_->findChild<Notices*>("notices"); }
    /// One that nobody looks at.
    bool openBehind() {
        if (!openWindow()) return false;
        notices()->setInFront([] { return false; });
        return true;
    }

private slots:
    void initTestCase() {
        // Before the first word to a bus: this program has none but the test's.
        bus_.start("dbus-daemon", {"--session", "--nofork", "--print-address"});
        QVERIFY2(bus_.waitForStarted(), "dbus-daemon is missing: ./dev installs it");
        QVERIFY(bus_.waitForReadyRead());
        const QString address = QString::fromLatin1(bus_.readLine()).trimmed();
        qputenv("DBUS_SESSION_BUS_ADDRESS", address.toLatin1());
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", address.toLatin1());
        desktop_ = QDBusConnection::connectToBus(address, "desktop");
        QVERIFY(desktop_->isConnected());
        QVERIFY(start("notices"));
    }
    void init() {
        QSettings().clear();
        rules_.reset();
        saver_.held.clear();
        saver_.refuses = false;
    }
    void cleanup() { window_.reset(); }
    void cleanupTestCase() {
        desktop_.reset();
        QDBusConnection::disconnectFromBus("desktop");
        bus_.kill();
        bus_.waitForFinished();
    }

    // --- the rules ----------------------------------------------------------------------------------------------

    void whatWasThereAtTheBeginningIsNoNews() {
        QVERIFY(rules_.look(facts({{1, {"cook", 0, 9}}}), 0).empty());
        QVERIFY(rules_.look(facts({{1, {"cook", 0, 9}}, {2, {"new", 0, 3}}}), 1'000).empty());
    }

    void aQueueThatHasNothingLeftHasFinished() {
        rules_.look(facts({{1, {"cook", 3, 0}}}), 0);
        const auto notices = rules_.look(facts({{1, {"cook", 0, 0}}}), 1'000);
        QCOMPARE(texts(notices), QStringList{"cook has finished"});
        QCOMPARE(notices[0].page, QString("actions"));
        QCOMPARE(notices[0].filter, QString("queue:1"));
        QVERIFY(rules_.look(facts({{1, {"cook", 0, 0}}}), 2'000).empty());
    }

    void severalOfAKindAreCountedTogetherOnceAMinute() {
        rules_.look(facts({{1, {"a", 1, 0}}, {2, {"b", 1, 0}}, {3, {"c", 1, 0}}}), 0);
        QCOMPARE(rules_.look(facts({{1, {"a", 0, 0}}, {2, {"b", 1, 0}}, {3, {"c", 1, 0}}}), 1'000).size(), 1U);
        QVERIFY(rules_.look(facts({{1, {"a", 0, 0}}, {2, {"b", 0, 0}}, {3, {"c", 1, 0}}}), 2'000).empty());
        QVERIFY(rules_.isWaiting());
        QVERIFY(rules_.look(facts({{1, {"a", 0, 0}}, {2, {"b", 0, 0}}, {3, {"c", 0, 0}}}), 30'000).empty());
        const auto notices =
            rules_.look(facts({{1, {"a", 0, 0}}, {2, {"b", 0, 0}}, {3, {"c", 0, 0}}}), 1'000 + kMinute);
        QCOMPARE(notices.size(), 1U);
        QVERIFY2(notices[0].text.startsWith("2 queue") && notices[0].text.endsWith(": b, c"),
                 qPrintable(notices[0].text));
        QCOMPARE(notices[0].page, QString("queues"));
        QVERIFY(!rules_.isWaiting());
    }

    void theFirstFailureInTenMinutesIsToldAndThoseThatFollowAreNot() {
        rules_.look(facts({{7, {"unit-tests", 90, 0}}}), 0);
        const auto first = rules_.look(facts({{7, {"unit-tests", 80, 57}}}), 1'000);
        QCOMPARE(texts(first), QStringList{"57 failed in unit-tests"});
        QCOMPARE(first[0].filter, QString("state:failed queue:7"));
        QVERIFY(rules_.look(facts({{7, {"unit-tests", 70, 60}}}), 5 * kMinute).empty());
        // Nine minutes after the second one: it still goes on.
        QVERIFY(rules_.look(facts({{7, {"unit-tests", 60, 61}}}), 14 * kMinute).empty());
        QCOMPARE(rules_.look(facts({{7, {"unit-tests", 50, 62}}}), 24 * kMinute).size(), 1U);
    }

    void whileItWaitsToBeToldMoreFailuresAreCountedIn() {
        rules_.look(facts({{1, {"a", 9, 0}}, {2, {"b", 9, 0}}}), 0);
        QCOMPARE(rules_.look(facts({{1, {"a", 9, 1}}, {2, {"b", 9, 0}}}), 1'000).size(), 1U);
        QVERIFY(rules_.look(facts({{1, {"a", 9, 1}}, {2, {"b", 9, 4}}}), 2'000).empty());
        QVERIFY(rules_.look(facts({{1, {"a", 9, 1}}, {2, {"b", 9, 6}}}), 3'000).empty());
        QCOMPARE(texts(rules_.look(facts({{1, {"a", 9, 1}}, {2, {"b", 9, 6}}}), 2 * kMinute)),
                 QStringList{"6 failed in b"});
    }

    void whatTheOperatorJustDidIsNotTold_data() {
        QTest::addColumn<QByteArray>("method");
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("told");
        QTest::newRow("cancelled it") << QByteArray("POST") << "queues/1/cancel" << 0;
        QTest::newRow("drained it") << QByteArray("POST") << "queues/1/drain" << 0;
        QTest::newRow("cancelled actions") << QByteArray("POST") << "jobs/cancel" << 0;
        QTest::newRow("cancelled one") << QByteArray("POST") << "jobs/12/cancel" << 0;
        QTest::newRow("retired one") << QByteArray("DELETE") << "jobs/12" << 0;
        QTest::newRow("abandoned all") << QByteArray("POST") << "abandon" << 0;
        QTest::newRow("cancelled another") << QByteArray("POST") << "queues/2/cancel" << 1;
        QTest::newRow("looked at it") << QByteArray("GET") << "queues/1" << 1;
        QTest::newRow("submitted") << QByteArray("POST") << "jobs" << 1;
    }
    void whatTheOperatorJustDidIsNotTold() {
        QFETCH(QByteArray, method);
        QFETCH(QString, path);
        rules_.look(facts({{1, {"cook", 3, 0}}}), 0);
        rules_.did({method, path, {}, {}}, 500);
        const auto notices = rules_.look(facts({{1, {"cook", 0, 0}}}), 1'000);
        QTEST(static_cast<int>(notices.size()), "told");
        // It is news again later.
        rules_.look(facts({{1, {"cook", 3, 0}}}), 2 * kMinute);
        QCOMPARE(rules_.look(facts({{1, {"cook", 0, 0}}}), 3 * kMinute).size(), 1U);
    }

    void aWorkerThatIsGoneIsNamed() {
        NoticeFacts before = facts({});
        before.workers = {{"ab12", "shaderc"}, {"cd34", "fbx_import"}};
        NoticeFacts after = before;
        rules_.look(before, 0);
        after.workers->erase("ab12");
        QVERIFY(texts(rules_.look(after, 1'000)).constFirst().endsWith("shaderc"));
        // Removed by hand; and one list that did not come says nothing of workers.
        rules_.did({"DELETE", "workers/cd34", {}, {}}, 2'000);
        after.workers->clear();
        QVERIFY(rules_.look(after, 2 * kMinute - 60'000).empty());
        after.workers.reset();
        QVERIFY(rules_.look(after, 4 * kMinute).empty());
    }

    void theGuardTheDiskAndTheConnection() {
        NoticeFacts now = facts({});
        now.diskBytes = 1'000;
        now.diskFreeBytes = 100;
        rules_.look(now, 0);
        now.guardStopped = 2;
        QVERIFY(texts(rules_.look(now, 1'000)).constFirst().contains('2'));
        now.diskFreeBytes = 49;
        QCOMPARE(rules_.look(now, 2'000).size(), 1U);
        now.diskFreeBytes = 60; // not so much better that it would be news again
        rules_.look(now, 2 * kMinute);
        now.diskFreeBytes = 40;
        QVERIFY(rules_.look(now, 4 * kMinute).empty());
        now.diskFreeBytes = 70;
        rules_.look(now, 5 * kMinute);
        now.diskFreeBytes = 40;
        QCOMPARE(rules_.look(now, 6 * kMinute).size(), 1U);
        now.downMs = 29'999;
        QVERIFY(rules_.look(now, 7 * kMinute).empty());
        now.downMs = 30'000;
        QCOMPARE(rules_.look(now, 8 * kMinute).size(), 1U);
        now.downMs = 90'000;
        QVERIFY(rules_.look(now, 10 * kMinute).empty());
        now.downMs = 0;
        rules_.look(now, 11 * kMinute);
        now.downMs = 30'000;
        QCOMPARE(rules_.look(now, 12 * kMinute).size(), 1U);
    }

    void whatADeadEngineLeftBehindIsToldOnceAlsoWhenItWasThereBefore() {
        NoticeFacts now = facts({});
        now.orphans = 3;
        now.orphansTold = 1; // by the window before
        QVERIFY(texts(rules_.look(now, 0)).constFirst().contains('2'));
        QVERIFY(rules_.look(now, 2 * kMinute).empty());
        now.orphans = 4;
        QVERIFY(texts(rules_.look(now, 4 * kMinute)).constFirst().contains('1'));
        now.orphans = 2; // of another run
        now.orphansTold = 0;
        QVERIFY(texts(rules_.look(now, 6 * kMinute)).constFirst().contains('2'));
        rules_.reset();
        now.orphansTold = 2;
        QVERIFY(rules_.look(now, 8 * kMinute).empty());
    }

    // --- the bell -----------------------------------------------------------------------------------------------

    void theBellKeepsTheLastHundredAndRulesThatAreOffTellNothing() {
        Notices notices;
        NoticesModel model(notices);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        int told = 0;
        connect(&notices, &Notices::told, this, [&] { ++told; });
        for (int i = 0; i < 130; ++i)
            notices.add({NoticeRule::QueueFinished, QStringLiteral("notice %1").arg(i), "queues", {}});
        QCOMPARE(notices.all().size(), std::size_t{Notices::kMost});
        QCOMPARE(told, 130);
        QCOMPARE(model.notice(0)->text, QString("notice 129"));
        notices.add({NoticeRule::DiskFull, "off as it comes", "settings", {}});
        QCOMPARE(told, 130);
        setNoticeRuleOn(NoticeRule::QueueFinished, false);
        notices.add({NoticeRule::QueueFinished, "switched off", "queues", {}});
        QCOMPARE(told, 130);
        notices.setInFront([] { return true; });
        notices.add({NoticeRule::FirstFailure, "seen as it comes", "actions", {}});
        QCOMPARE(told, 130);
        QCOMPARE(notices.unseen(), Notices::kMost - 1);
        notices.markSeen();
        QCOMPARE(notices.unseen(), 0);
        notices.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    // --- alerts of the engine -------------------------------------------------------------------------------------

    static QJsonObject alertsOf(const QJsonArray& fired) {
        const auto rule = [](const char* name, const char* kind, bool isForDesktop) {
            const QJsonObject target =
                isForDesktop ? QJsonObject{{"desktop", true}} : QJsonObject{{"command", QJsonArray{"tell-me"}}};
            return QJsonObject{{"name", name}, {"on", QJsonObject{{"kind", kind}}}, {"then", QJsonArray{target}}};
        };
        return {{"alerts", QJsonArray{rule("ends", "action_finished", true), rule("queues", "queue_finished", true),
                                      rule("elsewhere", "machine", false), rule("machines", "machine", true),
                                      rule("gpus", "gpu_lost", true)}},
                {"fired", fired}};
    }
    static QJsonObject said(const char* rule, qint64 t, QJsonObject more = {}) {
        QJsonObject json{{"rule", rule},      {"severity", "critical"},
                         {"state", "firing"}, {"t", t},
                         {"count", 1},        {"text", QStringLiteral("%1 at %2").arg(QLatin1String(rule)).arg(t)}};
        for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
        return json;
    }

    void whatAnAlertSaidForTheDesktopIsANoticeThatLeadsToItsCause() {
        const auto notices =
            alertNotices(alertsOf({said("machines", 30, {{"key", "anvil"}, {"state", "resolved"}}),
                                   said("ends", 20, {{"lsn", 7}}), said("ends", 25, {{"queue_id", 4}}),
                                   said("ends", 10, {{"lsn", 6}}), said("elsewhere", 40)}),
                         10);
        QCOMPARE(notices.size(), std::size_t{3});
        QCOMPARE(notices[0].text, QString("ends at 20"));
        QCOMPARE(notices[0].page + ' ' + notices[0].filter, QString("actions lsn:7"));
        QCOMPARE(notices[0].face, std::optional(DisplayState::Failed));
        QCOMPARE(notices[1].filter, QString("queue:4"));
        QCOMPARE(notices[2].page + ' ' + notices[2].filter, QString("machines anvil"));
        QCOMPARE(notices[2].face, std::optional(DisplayState::Completed));
        const auto gpu = alertNotices(alertsOf({said("gpus", 20, {{"key", "gpu 0"}})}), 10);
        QCOMPARE(gpu.front().page + ' ' + gpu.front().filter, QString("machines "));
    }

    void whatTheWindowTellsByItselfIsNotToldTwice() {
        const QJsonObject json = alertsOf({said("queues", 20, {{"queue_id", 4}})});
        QCOMPARE(alertNotices(json, 0).size(), std::size_t{0});
        setNoticeRuleOn(NoticeRule::QueueFinished, false);
        QCOMPARE(alertNotices(json, 0).size(), std::size_t{1});
    }

    void aStormOfAlertsIsOneNotice() {
        QJsonArray fired;
        for (int t = 1; t <= 9; ++t) fired.append(said("ends", t));
        const auto notices = alertNotices(alertsOf(fired), 0);
        QCOMPARE(notices.size(), std::size_t{1});
        QVERIFY2(notices[0].text.startsWith("9 ") && notices[0].text.endsWith("ends at 9"),
                 qPrintable(notices[0].text));
    }

    void whatAnAlertSaysCannotTurnTheText() {
        const QJsonObject json = alertsOf({said("ends", 1, {{"text", QString("a") + QChar(0x202e) + "b"}})});
        QVERIFY(!alertNotices(json, 0).front().text.contains(QChar(0x202e)));
    }

    void anAlertOfTheEngineIsToldAndWhatWasThereBeforeIsNot() {
        const QJsonObject rule{{"name", "each-end"},
                               {"on", QJsonObject{{"kind", "action_finished"}, {"filter", "label:alerted*"}}},
                               {"then", QJsonArray{QJsonObject{{"desktop", true}}}},
                               {"quiet_s", 0}};
        QVERIFY(openBehind());
        QVERIFY(ask("POST", "alerts", rule).ok());
        const auto alerts = [this] {
            return std::ranges::count(notices()->all(), NoticeRule::Alert, &Notice::rule);
        };
        const auto isSaid = [this] {
            return !ask("GET", "alerts/each-end").json.value("messages").toArray().isEmpty();
        };
        // The window knows what was before once it has asked for the first time.
        const auto isKnown = [] {
            QSettings settings;
            settings.beginGroup("notices/alerts-told");
            return !settings.childKeys().isEmpty();
        };
        QVERIFY(QTest::qWaitFor(isKnown, kSoon));
        const qint64 lsn = submit("alerted 1", "true");
        QVERIFY(QTest::qWaitFor(isSaid, kSoon));
        QTRY_COMPARE_WITH_TIMEOUT(alerts(), 1, kSoon);
        const auto told = std::ranges::find(notices()->all(), NoticeRule::Alert, &Notice::rule);
        QCOMPARE(told->page + ' ' + told->filter, QStringLiteral("actions lsn:%1").arg(lsn));
        window_.reset();
        // Another window: this one is told already.
        QVERIFY(openBehind());
        submit("alerted 2", "true");
        QTRY_COMPARE_WITH_TIMEOUT(alerts(), 1, kSoon);
        QVERIFY(ask("DELETE", "alerts/each-end").ok());
    }

    void aFailureIsToldOnceAndEnterOpensIt() {
        QVERIFY(openBehind());
        window_->engine().commands()->run(
            operations::createQueue("fails", {{"idle_expiry_s", 0}, {"max_retries", 0}}));
        const auto queue = [&] {
            return std::ranges::find_if(window_->engine().state()->queues(),
                                        [](const auto& each) { return each.second.tag == "fails"; });
        };
        QTRY_VERIFY_WITH_TIMEOUT(queue() != window_->engine().state()->queues().end(), kSoon);
        // As it is when it is first looked at is where it begins: one may be too early to be news.
        for (int tries = 0; tries < 20 && notices()->unseen() == 0; ++tries) {
            QVERIFY(submit("fails", "exit 4", {}, queue()->first) > 0);
            [[maybe_unused]] const bool told = QTest::qWaitFor([&] { return notices()->unseen() > 0; }, 2'000);
        }
        QVERIFY(notices()->unseen() > 0);
        window_->findChild<QAction*>("notices")->trigger();
        NoticeList* list = window_->findChild<NoticeList*>("notice-list");
        QVERIFY(list->isVisible());
        QVERIFY(list->model()->rowCount() > 0);
        QTest::keyClick(list->list(), Qt::Key_Return);
        QVERIFY(!list->isVisible());
        QCOMPARE(window_->navigation().pageId(), QString("actions"));
        QCOMPARE(notices()->unseen(), 0);
    }

    void escClosesTheListAndItsButtonsWork() {
        QVERIFY(openBehind());
        notices()->add({NoticeRule::QueueFinished, "cook has finished", "queues", {}});
        NoticeList* list = window_->findChild<NoticeList*>("notice-list");
        QTest::mouseClick(window_->findChild<TopBar*>("top-bar")->bell(), Qt::LeftButton);
        QVERIFY(list->isVisible());
        QTest::keyClick(list->list(), Qt::Key_Escape);
        QVERIFY(!list->isVisible());
        list->toggle(window_->findChild<TopBar*>("top-bar")->bell());
        for (auto* button : list->findChildren<QAbstractButton*>())
            if (button->text() == "Clear") button->click();
        QCOMPARE(list->model()->rowCount(), 0);
    }

    void theTrayShowsCountsAndHoldsAll() {
        QVERIFY(openBehind());
        QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<Tray*>("tray")->counts().contains("running"), kSoon);
        const auto actionOf = [&](const QString& text) {
            for (QAction* action : window_->findChild<Tray*>("tray")->menu()->actions())
                if (action->text() == text) return action;
            return static_cast<QAction*>(nullptr);
        };
        QVERIFY(!actionOf("Release all")->isEnabled());
        actionOf("Hold all")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->allHeld(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(actionOf("Release all")->isEnabled() && !actionOf("Hold all")->isEnabled(), kSoon);
        actionOf("Release all")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!window_->engine().state()->allHeld(), kSoon);
        // Without a tray nothing is told there.
        if (!QSystemTrayIcon::isSystemTrayAvailable()) QVERIFY(!window_->findChild<Tray*>("tray")->tell({}));
    }

    void rulesAreSwitchedInTheSettings() {
        QVERIFY(openBehind());
        window_->navigation().show("settings", "notifications");
        auto* box = window_->navigation().page()->findChild<QCheckBox*>("disk-full");
        QVERIFY(box != nullptr && !box->isChecked());
        box->click();
        QVERIFY(isNoticeRuleOn(NoticeRule::DiskFull));
        QVERIFY(window_->navigation().page()->undo());
        QVERIFY(!isNoticeRuleOn(NoticeRule::DiskFull));
        window_->navigation().page()->findChild<QCheckBox*>("tray")->click();
        QVERIFY(!isTrayWanted());
    }

    // --- sleep --------------------------------------------------------------------------------------------------

    void withoutAServiceItSaysSo() {
        SleepGuard guard;
        guard.setWanted(true);
        QTRY_COMPARE_WITH_TIMEOUT(guard.state(), SleepGuard::State::Impossible, kSoon);
        guard.setWanted(false);
        QCOMPARE(guard.state(), SleepGuard::State::Free);
    }

    void theScreenSaverKeepsItAwakeUntilItIsNotWantedAnyMore() {
        serve(true);
        SleepGuard guard;
        guard.setWanted(true);
        QTRY_COMPARE_WITH_TIMEOUT(guard.state(), SleepGuard::State::Kept, kSoon);
        QCOMPARE(guard.by(), QString("org.freedesktop.ScreenSaver"));
        QCOMPARE(saver_.held.size(), 1);
        guard.setWanted(false);
        QTRY_VERIFY_WITH_TIMEOUT(saver_.held.isEmpty(), kSoon);
        // No more wanted before the answer came: given back at once.
        guard.setWanted(true);
        guard.setWanted(false);
        guard.setWanted(true);
        QTRY_COMPARE_WITH_TIMEOUT(guard.state(), SleepGuard::State::Kept, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(saver_.held.size(), 1, kSoon);
    }

    void aServiceThatRefusesOrGoesIsNotCountedOn() {
        saver_.refuses = true;
        SleepGuard guard;
        guard.setWanted(true);
        QTRY_COMPARE_WITH_TIMEOUT(guard.state(), SleepGuard::State::Impossible, kSoon);
        guard.setWanted(false);
        saver_.refuses = false;
        guard.setWanted(true);
        QTRY_COMPARE_WITH_TIMEOUT(guard.state(), SleepGuard::State::Kept, kSoon);
        serve(false);
        QTRY_COMPARE_WITH_TIMEOUT(guard.state(), SleepGuard::State::Impossible, kSoon);
        serve(true);
    }

    void theWindowKeepsTheMachineAwakeWhileActionsRunAndCanBeToldNotTo() {
        QVERIFY(openBehind());
        QVERIFY(submit("sleeps", "sleep 30") > 0);
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChild<SleepGuard*>("sleep-guard")->state(), SleepGuard::State::Kept,
                                  kSoon);
        window_->navigation().show("settings", "general");
        auto* box = window_->navigation().page()->findChild<QCheckBox*>("keep-awake");
        QVERIFY(box != nullptr && box->isChecked());
        box->click();
        QCOMPARE(window_->findChild<SleepGuard*>("sleep-guard")->state(), SleepGuard::State::Free);
        QTRY_VERIFY_WITH_TIMEOUT(saver_.held.isEmpty(), kSoon);
        box->click();
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChild<SleepGuard*>("sleep-guard")->state(), SleepGuard::State::Kept,
                                  kSoon);
    }
};

QTEST_MAIN(TestNotices)
#include "tst_notices.moc"
