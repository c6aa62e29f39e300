// The page History over a link that is played: what the rows of its tabs say, what it asks for, and what comes of answers
// that are late, wrong or too much.
#include "tests/ui/played_page.h"
#include "ui/pages/failures/failures_page.h"
#include "ui/pages/history/history_page.h"
#include "ui/pages/history/kind_panel.h"
#include "ui/pages/history/kind_values.h"
#include "ui/pages/history/past_panes.h"
#include "ui/style/format.h"
#include "ui/style/theme.h"

#include <QAction>
#include <QLocale>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

using namespace yard;
using namespace yard::ui;
template<class Shown>
using Played = test::PlayedPage<Shown>;

namespace {

constexpr qint64 kSecond = 1'000'000;
constexpr qint64 kHour = 3'600 * kSecond;

QJsonObject kind(const QString& name, qint64 runs, qint64 failed, QJsonObject more = {}) {
    QJsonObject json{{"kind", name},
                     {"runs", runs},
                     {"failed", failed},
                     {"reasons", QJsonObject()},
                     {"last", wallNow() - kHour},
                     {"versions", QJsonArray{"1", "2"}},
                     {"duration", QJsonObject{{"p50", 3.4}, {"p90", 5.0}, {"p95", 5.8}, {"p99", 7.0}}}};
    for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
    return json;
}

QJsonObject change(const QString& what, double before, double after) {
    return {{"what", what},
            {"t", wallNow() - 2 * kHour},
            {"before", before},
            {"after", after},
            {"ratio", after / before},
            {"p", 1e-9},
            {"since", QJsonObject{{"version", "2.4.2"}}}};
}

QJsonObject kindsOf(const QJsonArray& kinds, const QString& cursor = {}) {
    QJsonObject json{{"kinds", kinds}};
    if (!cursor.isEmpty()) json.insert("cursor", cursor);
    return json;
}

QJsonArray threeKinds() {
    return {
        kind("cook:run", 100, 5, {{"regression", change("duration", 2.0, 3.0)}}), kind("exec:git log", 50, 0),
        kind("thumb:make", 1'000, 20,
             {{"flaky", QJsonObject{{"is_flaky", true}, {"probability", 0.99}, {"rate", 0.041}, {"inputs", 2}}}})};
}

} // namespace

class TestHistoryPage : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-history-page");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
    }

    void aKindSaysWhatOneWouldAsk() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf(threeKinds())));
        const Table* table = on.page.table();
        QCOMPARE(on.cell(table, 0, 0), QString("cook:run"));
        QCOMPARE(on.cell(table, 0, 1), QString("100"));
        QCOMPARE(on.cell(table, 0, 3), QString("3.4 s"));
        QCOMPARE(on.cell(table, 0, 4), QString("5.8 s"));
        QCOMPARE(on.cell(table, 0, 5), Format::unknown());
        QVERIFY2(on.cell(table, 0, 8).startsWith("slower by 50 % since"), qPrintable(on.cell(table, 0, 8)));
        QVERIFY(on.cell(table, 0, 8).endsWith("with version 2.4.2"));
        QCOMPARE(on.cell(table, 1, 8), QString());
        QCOMPARE(on.cell(table, 2, 6), QString("2"));
        QCOMPARE(on.cell(table, 2, 8), QString("fails 4.1 % of the time on inputs that work"));
    }

    void aKindThatAsksForTooMuchSaysWhatIsEnough() {
        Played<HistoryPage> on;
        QJsonObject one = kind("a:b", 30, 0);
        one.insert("learned_memory_bytes", 1e9);
        one.insert("asked_memory_bytes", 4e9);
        QJsonObject enough = kind("c:d", 30, 0);
        enough.insert("learned_memory_bytes", 1e9);
        enough.insert("asked_memory_bytes", 1e9);
        QVERIFY(on.played.link.answer("kinds", kindsOf({one, enough})));
        QCOMPARE(on.cell(on.page.table(), 0, 8),
                 QString("ask for 1.00 GB instead of 4.00 GB: 4.0 times as many would fit"));
        QCOMPARE(on.cell(on.page.table(), 1, 8), QString());
    }

    void kindsComePageAfterPageAndAllAreShown() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf({kind("a:b", 1, 0)}, "1000")));
        QCOMPARE(on.page.table()->rows()->rowCount(), 1);
        QVERIFY(on.played.link.answer("kinds", kindsOf({kind("c:d", 1, 0)})));
        QCOMPARE(on.page.table()->rows()->rowCount(), 2);
    }

    void theTabFlakyHasThoseAlone() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf(threeKinds())));
        on.page.setTab(HistoryPage::Flaky);
        QCOMPARE(on.page.table()->rows()->rowCount(), 1);
        QCOMPARE(on.cell(on.page.table(), 0, 0), QString("thumb:make"));
        on.page.setFilter("cook");
        QCOMPARE(on.page.table()->rows()->rowCount(), 0);
        QVERIFY(!on.page.table()->message().isEmpty());
        on.page.setTab(HistoryPage::Kinds);
        QCOMPARE(on.page.table()->rows()->rowCount(), 1);
    }

    void aRegressionLeadsToItsKind() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf(threeKinds())));
        QJsonObject one = change("duration", 2.0, 3.0);
        one.insert("kind", "cook:run");
        QVERIFY(on.played.link.answer("regressions", QJsonObject{{"regressions", QJsonArray{one}}}));
        on.page.setTab(HistoryPage::Regressions);
        QCOMPARE(on.cell(on.page.changes(), 0, 1), QString("cook:run"));
        QCOMPARE(on.cell(on.page.changes(), 0, 2), QString("2.0 s"));
        on.page.changes()->selectId(on.page.changes()->rows()->idAt(0));
        QVERIFY(on.page.panel()->isVisible());
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl kinds show cook:run"));
        on.command("show-actions")->trigger();
        QCOMPARE(on.played.window.places.last(), QString(R"(actions worker:"cook" function:"run")"));
        // Of a command each word by itself: "git -C there log" is of this kind, too.
        QCOMPARE(actionsOfKind("exec:git log"), QString(R"(worker:exec "git" "log")"));
    }

    void aKindIsShownByDayVersionAndInput() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf(threeKinds())));
        on.page.table()->selectId(on.page.table()->rows()->idAt(2));
        QTRY_COMPARE(on.played.link.waiting("kinds/thumb%3Amake"), std::size_t{1});
        constexpr qint64 kDay = 24 * kHour;
        const auto day = [](qint64 t, double p50) {
            return QJsonObject{
                {"t", t}, {"runs", 3}, {"failed", 0}, {"duration", QJsonObject{{"p50", p50}, {"p95", 2 * p50}}}};
        };
        QJsonObject detail = kind("thumb:make", 1'000, 20);
        detail.insert("versions", QJsonArray{QJsonObject{{"version", "1"}, {"runs", 7}, {"failed", 1}}});
        detail.insert("machines", QJsonArray{QJsonObject{{"machine", "anvil"}, {"runs", 8}, {"failed", 0}}});
        detail.insert("days", QJsonArray{day(10 * kDay, 1.0), day(11 * kDay, 1.5)});
        detail.insert("weeks", QJsonArray());
        QVERIFY(on.played.link.answer("kinds/thumb%3Amake", detail));
        QVERIFY(on.played.link.answer(
            "kinds/thumb%3Amake/flaky",
            QJsonObject{
                {"inputs", QJsonArray{QJsonObject{
                               {"spec", "00ff"}, {"completed", 9}, {"failed", 1}, {"lsns", QJsonArray{77}}}}},
                {"lines", QJsonArray{QJsonObject{{"line", "licence lost"}, {"count", 4}}}}}));
        KindPanel* panel = on.page.panel();
        QCOMPARE(on.cell(panel->versions(), 0, 0), QString("1"));
        QCOMPARE(on.cell(panel->machines(), 0, 0), QString("anvil"));
        QCOMPARE(on.cell(panel->flaky(), 0, 1), QString("1 of 10"));
        QTRY_COMPARE(panel->chart()->data().t.size(), std::size_t{2});
        QCOMPARE(panel->chart()->data().values[0][1], 1.5);
        emit panel->flaky()->opened(1);
        QCOMPARE(on.played.window.shown, std::vector<qint64>{77});
        bool saysLines = false;
        for (const Fact& fact : panel->facts()->facts()) saysLines = saysLines || fact.value == "4 × licence lost";
        QVERIFY(saysLines);
        panel->setMemory(true);
        QTRY_VERIFY(panel->chart()->data().t.empty());
    }

    void anEngineThatCannotTellSaysWhy() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", Answer{404, {}, {}, "not_found", "There is no such route."}));
        QCOMPARE(on.page.table()->message(), QString("There is no such route."));
    }

    void eachTabOfHistoryAsksForItsOwn() {
        Played<HistoryPage> on;
        QCOMPARE(on.played.link.waiting("accounting"), std::size_t{0});
        on.page.open(HistoryPage::Usage);
        QCOMPARE(on.played.link.waiting("accounting"), std::size_t{1});
        QCOMPARE(on.played.link.waiting("audit"), std::size_t{0});
        on.page.setTab(HistoryPage::Audit);
        QCOMPARE(on.played.link.waiting("audit"), std::size_t{1});
        on.page.setTab(HistoryPage::Alerts);
        QCOMPARE(on.played.link.waiting("alerts"), std::size_t{1});
        // A number that is no tab changes nothing.
        on.page.open(99);
        QVERIFY(on.page.alerts()->isVisible());
        on.page.open(HistoryPage::Kinds);
        QVERIFY(on.page.table()->isVisible());
    }

    void failuresAreAPageBehindATab() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Regressions);
        emit on.page.tabs()->chosen(HistoryPage::Failures);
        QCOMPARE(on.played.window.places.last().trimmed(), QString("failures"));
        QCOMPARE(on.page.tabs()->current(), static_cast<int>(HistoryPage::Regressions));
        Played<FailuresPage> failures;
        QCOMPARE(failures.page.tabs()->current(), static_cast<int>(FailuresTab));
        emit failures.page.tabs()->chosen(AuditTab);
        QCOMPARE(failures.played.window.places.last(), QString("history 6"));
        QCOMPARE(failures.page.tabs()->current(), static_cast<int>(FailuresTab));
    }

    void usageSaysWhatWasForNothing() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Usage);
        const auto row = [](const QString& key, double used, double wasted) {
            return QJsonObject{{"key", key},
                               {"actions", 4},
                               {"core_seconds", used},
                               {"wasted_core_seconds", wasted},
                               {"memory_gb_hours", 1.5},
                               {"wait_seconds", 8}};
        };
        QVERIFY(on.played.link.answer(
            "accounting",
            QJsonObject{{"retired", 3}, {"rows", QJsonArray{row("7", 36'000, 3'600), row("8", 0, 0)}}}));
        UsagePane* usage = on.page.usage();
        QCOMPARE(on.cell(usage->table(), 0, 0), QString("queue 7"));
        QCOMPARE(on.cell(usage->table(), 0, 2), QString("10.0"));
        QCOMPARE(on.cell(usage->table(), 0, 3), QString("1.00"));
        QCOMPARE(on.cell(usage->table(), 0, 4), QString("10.0 %"));
        QCOMPARE(on.cell(usage->table(), 0, 6), QString("2.0 s"));
        QCOMPARE(on.cell(usage->table(), 1, 4), Format::unknown());
        QVERIFY2(usage->line().startsWith("10.0 core hours, 1.00 of them wasted (10.0 %)"),
                 qPrintable(usage->line()));
        QVERIFY2(usage->line().contains("3 action"), qPrintable(usage->line()));
        emit usage->table()->opened(usage->table()->rows()->idAt(0));
        QCOMPARE(on.played.window.places.last(), QString("actions queue:7"));
        // A label begins like a formula: a table for spreadsheets has none.
        usage->setBy("label");
        QVERIFY(on.played.link.answer("accounting", QJsonObject{{"rows", QJsonArray{row("=SUM(1)", 1, 0)}}}));
        QVERIFY2(usage->csv().contains("\"'=SUM(1)\",4,1,0,1.5,8\r\n"), usage->csv().constData());
        on.page.setFilter("nothing has this");
        QCOMPARE(usage->table()->rows()->rowCount(), 0);
        QVERIFY(!usage->table()->message().isEmpty());
        QVERIFY2(!usage->csv().contains("SUM"), usage->csv().constData());
    }

    void usageThatWasAskedForBeforeIsNotTakenForAnother() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Usage);
        on.page.usage()->setBy("worker");
        QVERIFY(on.played.link.answer(
            "accounting", QJsonObject{{"rows", QJsonArray{QJsonObject{{"key", "7"}, {"actions", 1}}}}}));
        QCOMPARE(on.cell(on.page.usage()->table(), 0, 0), QString("queue 7"));
        QVERIFY(on.played.link.answer(
            "accounting", QJsonObject{{"rows", QJsonArray{QJsonObject{{"key", "7"}, {"actions", 1}}}}}));
        QCOMPARE(on.cell(on.page.usage()->table(), 0, 0), QString("7"));
    }

    void rulesOfAlertsSayWhatTheyToldLast() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Alerts);
        const QJsonObject night{
            {"name", "night"},
            {"state", "firing"},
            {"since", wallNow() - kHour},
            {"on", QJsonObject{{"kind", "failures"}, {"filter", "queue:nightly"}}},
            {"then",
             QJsonArray{QJsonObject{{"desktop", true}}, QJsonObject{{"webhook", "https://ci.example.org/secret"}}}},
            {"messages", QJsonArray{QJsonObject{{"t", wallNow() - kHour}, {"text", "3 failed"}}}}};
        const QJsonObject quiet{{"name", "quiet"}, {"state", "quiet"}, {"waiting_error", "no route to host"}};
        QVERIFY(on.played.link.answer("alerts", QJsonObject{{"alerts", QJsonArray{night, quiet}}}));
        const Table* table = on.page.alerts()->table();
        QCOMPARE(on.cell(table, 0, 1), QString("Firing"));
        QCOMPARE(on.cell(table, 0, 3), QString("failures queue:nightly"));
        QVERIFY(on.cell(table, 0, 4).endsWith(": 3 failed"));
        QCOMPARE(on.cell(table, 0, 5), QString("the desktop, ci.example.org"));
        QCOMPARE(on.cell(table, 1, 4), QString("not told yet: no route to host"));
        on.page.alerts()->table()->selectId(table->rows()->idAt(0));
        on.page.alerts()->rowActions().front()->trigger();
        QCOMPARE(on.last(), QString(R"(POST alerts/night/silence {"s":3600})"));
        QVERIFY(on.played.link.answer("alerts/night/silence",
                                      Answer{403, {}, {}, "forbidden", "Not with this token."}));
        QCOMPARE(on.played.window.said.last(), QString("Not with this token."));
        emit on.page.alerts()->table()->opened(table->rows()->idAt(0));
        QCOMPARE(on.played.window.places.last(), QString("alerts"));
    }

    void aRowOfTheAuditIsCopiedAsWhatItWas() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Audit);
        const auto entry = [](qint64 ago, const QString& path, const QString& body, int result) {
            return QJsonObject{{"t", wallNow() - ago}, {"who", "anna"}, {"method", "POST"},
                               {"path", path},         {"body", body},  {"result", result}};
        };
        QVERIFY(on.played.link.answer(
            "audit", QJsonObject{{"entries", QJsonArray{entry(kSecond, "/compute/queues/7/hold", "{}", 200)}},
                                 {"dropped", 2},
                                 {"cursor", "20833.4711"}}));
        QCOMPARE(on.page.audit()->table()->rows()->rowCount(), 1);
        QVERIFY(on.played.link.answer(
            "audit",
            QJsonObject{{"entries", QJsonArray{entry(kHour, "/compute/cancel", "{\"lsns\":[1,2…", 403),
                                               entry(2 * kHour, "/compute/settings", "{\"note\":\"a…z\"}", 200),
                                               entry(3 * kHour, "/compute/queues/7/cancel", "", 200)}}}));
        AuditPane* audit = on.page.audit();
        const Table* table = audit->table();
        QCOMPARE(table->rows()->rowCount(), 4);
        QCOMPARE(on.cell(table, 0, 3), QString("POST /compute/queues/7/hold {}"));
        QCOMPARE(on.cell(table, 1, 4), QString("403"));
        QVERIFY2(audit->line().contains("2 could not be kept"), qPrintable(audit->line()));
        emit audit->table()->opened(table->rows()->idAt(0));
        QVERIFY2(on.played.window.said.last().contains("curl"), qPrintable(on.played.window.said.last()));
        // Of a body that was cut no request can be made, also where what is left of it is JSON.
        for (const int cut : {1, 2}) {
            emit audit->table()->opened(table->rows()->idAt(cut));
            QVERIFY2(!on.played.window.said.last().contains("curl"), qPrintable(on.played.window.said.last()));
        }
        emit audit->table()->opened(table->rows()->idAt(3));
        QVERIFY(on.played.window.said.last().contains("curl -sS -X POST"));
        on.page.setFilter("hold");
        QCOMPARE(table->rows()->rowCount(), 1);
    }

    void anAuditWithQuietWeeksIsReadToItsBegin() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Audit);
        const QJsonObject quiet{{"entries", QJsonArray()}, {"cursor", "20833.0"}};
        for (int page = 0; page < 11; ++page) QVERIFY(on.played.link.answer("audit", quiet));
        QVERIFY(on.page.audit()->table()->message().isEmpty()); // nothing is known yet
        const QJsonObject old{{"t", wallNow() - 88 * 24 * kHour},
                              {"who", "anna"},
                              {"method", "POST"},
                              {"path", "/compute/hold"},
                              {"result", 200}};
        QVERIFY(on.played.link.answer("audit", QJsonObject{{"entries", QJsonArray{old}}}));
        QCOMPARE(on.page.audit()->table()->rows()->rowCount(), 1);
        QVERIFY(!on.page.audit()->line().contains("older"));
    }

    void whoMayNotSeeTheAuditIsTold() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Audit);
        QVERIFY(on.played.link.answer("audit", Answer{403, {}, {}, "forbidden", "Admin only."}));
        QCOMPARE(on.page.audit()->table()->message(), QString("Admin only."));
    }

    void whatAKindCallsItselfCannotTurnTheText() {
        Played<HistoryPage> on;
        const QString turning = QString("a") + QChar(0x202e) + "b:c";
        QVERIFY(on.played.link.answer("kinds", kindsOf({kind(turning, 1, 0)})));
        QVERIFY(!on.cell(on.page.table(), 0, 0).contains(QChar(0x202e)));
    }
};

QTEST_MAIN(TestHistoryPage)
#include "tst_history_page.moc"
