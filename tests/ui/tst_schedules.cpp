// The tab of schedules over a link that is played: rows, the strip of a day, what is written with its next times, what is
// sent, and runs that lead to their actions.
#include "tests/ui/played_page.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/pages/queues/schedules_pane.h"
#include "ui/state/schedule_draft.h"
#include "ui/style/theme.h"

#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QLocale>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr qint64 kMinute = qint64{60} * 1'000'000;

QJsonObject nightly(QJsonObject more = {}) {
    const QJsonObject action{{"worker", "exec"}, {"argv", QJsonArray{"/bin/sh", "-c", "make all"}}};
    QJsonObject json{{"name", "nightly"}, {"cron", "0 3 * * *"}, {"timezone", "Europe/Berlin"},
                     {"missed", "skip"},  {"overlap", "queue"},  {"queue", "7"},
                     {"jitter_s", 30},    {"action", action},    {"next", wallNow() + 90 * kMinute},
                     {"unfinished", 1},   {"paused", false}};
    for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
    return json;
}

class Played {
public:
    Played() {
        pane.resize(1'200, 800);
        pane.show();
        pane.setActive(true);
    }
    bool tell(const QJsonArray& schedules) {
        return played.link.answer("schedules", QJsonObject{{"schedules", schedules}});
    }
    bool tellTimes(const QJsonArray& times) {
        return played.link.answer("schedules/next", QJsonObject{{"times", times}});
    }
    QLineEdit* line(const char* member) { return pane.form()->findChild<QLineEdit*>(QLatin1String(member)); }
    void write(const char* member, const QString& text) {
        line(member)->selectAll();
        QTest::keyClicks(line(member), text);
    }
    void choose(const char* member, int at) {
        auto* box = qobject_cast<QComboBox*>(pane.form()->row(member)->control());
        box->setCurrentIndex(at);
        emit box->activated(at);
    }
    /// The newest question that is no look, as "METHOD path"; its body.
    std::pair<QString, QJsonObject> sent() {
        for (auto at = played.link.asked.rbegin(); at != played.link.asked.rend(); ++at) {
            const Request& request = std::get<0>(*at);
            if (request.method == "GET") continue;
            return {QString::fromLatin1(request.method) + ' ' + request.path,
                    QJsonDocument::fromJson(request.body).object()};
        }
        return {};
    }

    /// The newest question that is no look gets its answer. False: there is none.
    bool answerSent(const Answer& answer) {
        auto& asked = played.link.asked;
        for (auto at = asked.end(); at != asked.begin();) {
            if (std::get<0>(*--at).method == "GET") continue;
            const auto done = std::get<2>(*at);
            asked.erase(at);
            done(answer);
            return true;
        }
        return false;
    }

    test::PlayedContext played;
    SchedulesPane pane{played.context()};
};

} // namespace

class TestSchedules : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-schedules");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
    }

    void eachScheduleIsARow() {
        Played on;
        QVERIFY(
            on.tell({nightly({{"last", QJsonObject{{"t", 5},
                                                   {"due", 5},
                                                   {"outcome", "refused"},
                                                   {"late", false},
                                                   {"actions", QJsonArray()},
                                                   {"error", "no queue"}}}}),
                     QJsonObject{{"name", "often"}, {"every_s", 7'200}, {"paused", true}},
                     QJsonObject{{"name", "sick"}, {"cron", "0 0 * * *"}, {"broken", "its time zone is gone"}}}));
        const TableModel* rows = on.pane.table()->rows();
        QCOMPARE(rows->rowCount(), 3);
        QCOMPARE(rows->cell(0, 0).text, QString("nightly"));
        QCOMPARE(rows->cell(0, 1).text, QString("0 3 * * * Europe/Berlin"));
        QCOMPARE(rows->cell(0, 3).face, std::optional(DisplayState::Failed));
        QCOMPARE(rows->cell(0, 3).tip, QString("no queue"));
        QCOMPARE(rows->cell(1, 1).text, QString("every 2 h 0 min"));
        QCOMPARE(rows->cell(1, 2).text, QString("paused"));
        QCOMPARE(rows->cell(2, 2).text, QString("never"));
        QCOMPARE(rows->cell(2, 2).tip, QString("its time zone is gone"));
        on.pane.setFilter("OFT");
        QCOMPARE(rows->rowCount(), 1);
    }

    void theStripHasTheTimesOfADay() {
        Played on;
        const qint64 now = wallNow();
        QVERIFY(on.tell({nightly(), QJsonObject{{"name", "often"}, {"every_s", 6 * 3'600}, {"next", now + kMinute}},
                         QJsonObject{{"name", "paused"}, {"cron", "1 1 * * *"}, {"paused", true}}}));
        QCOMPARE(on.played.link.waiting("schedules/next"), 1u); // of what is paused nothing is asked
        QCOMPARE(on.pane.strip()->ticks().size(), 1u + 4u);     // the next one of the line alone
        QVERIFY(on.tellTimes({now + 90 * kMinute, now + 600 * kMinute, now + 25 * 60 * kMinute}));
        const auto ticks = on.pane.strip()->ticks();
        QCOMPARE(ticks.size(), 2u + 4u); // what is not within the day is not there
        QCOMPARE(ticks[0].schedules, QStringList("often"));
        QCOMPARE(ticks[1].schedules, QStringList("nightly"));
        // A click on a tick opens its schedule.
        QTest::mouseClick(on.pane.strip(), Qt::LeftButton, {}, QPoint(static_cast<int>(ticks[1].x), 20));
        QCOMPARE(on.pane.form()->name(), QString("nightly"));
    }

    void aLineOfEachMinuteFillsTheWholeDay() {
        Played on;
        QVERIFY(on.tell({nightly({{"cron", "* * * * *"}})}));
        const qint64 now = wallNow();
        QJsonArray times;
        for (int i = 1; i <= 1'000; ++i) times.append(now + i * kMinute);
        QVERIFY(!std::get<0>(on.played.link.asked.back()).query.hasQueryItem("from"));
        QVERIFY(on.tellTimes(times));
        // What one answer has no room for is asked for from there on, and shown when all is there.
        QCOMPARE(on.played.link.waiting("schedules/next"), 1u);
        QCOMPARE(std::get<0>(on.played.link.asked.back()).query.queryItemValue("from"),
                 QString::number(now + 1'000 * kMinute));
        QCOMPARE(on.pane.strip()->ticks().size(), 1u);
        QJsonArray more;
        for (int i = 1'000; i <= 1'999; ++i) more.append(now + i * kMinute); // the first one comes twice
        QVERIFY(on.tellTimes(more));
        QCOMPARE(on.played.link.waiting("schedules/next"), 0u); // it reaches over the hour until the next question
        int count = 0;
        for (const DayStrip::Tick& tick : on.pane.strip()->ticks()) count += tick.count;
        QVERIFY2(count >= 1'439 && count <= 1'440, qPrintable(QString::number(count)));
        QVERIFY(on.pane.strip()->ticks().back().last >= now + 1'438 * kMinute);
    }

    void aLineThatIsNotAnsweredToTheEndIsAskedForAgain() {
        Played on;
        const QJsonArray all{nightly({{"cron", "* * * * *"}})};
        QVERIFY(on.tell(all));
        QJsonArray times;
        for (int i = 1; i <= 1'000; ++i) times.append(wallNow() + i * kMinute);
        QVERIFY(on.tellTimes(times));
        QVERIFY(on.played.link.answer("schedules/next", Answer{0, {}, {}, {}, "gone"}));
        QCOMPARE(on.pane.strip()->ticks().size(), 1u);
        emit on.pane.form()->saved("nightly"); // looks again
        QVERIFY(on.tell(all));
        QCOMPARE(on.played.link.waiting("schedules/next"), 1u);
        QVERIFY(!std::get<0>(on.played.link.asked.back()).query.hasQueryItem("from"));
    }

    void anEngineThatTellsTheSameTimesTwiceIsNotAskedAgain() {
        Played on;
        QVERIFY(on.tell({nightly({{"cron", "* * * * *"}})}));
        QJsonArray times;
        for (int i = 1; i <= 1'000; ++i) times.append(wallNow() + i * kMinute);
        QVERIFY(on.tellTimes(times));
        QVERIFY(on.tellTimes(times));
        QCOMPARE(on.played.link.waiting("schedules/next"), 0u);
        QVERIFY(on.pane.strip()->ticks().size() > 100u);
    }

    void whatRepeatsIsCountedToTheEndOfTheDay() {
        DayStrip strip;
        strip.resize(504, 64);
        constexpr qint64 kSecond = 1'000'000;
        const qint64 from = 1'000 * kMinute;
        strip.show({{.schedule = "second", .at = {from + kSecond}, .step = kSecond}}, from);
        int count = 0;
        for (const DayStrip::Tick& tick : strip.ticks()) {
            count += tick.count;
            QCOMPARE((tick.last - tick.first) / kSecond + 1, qint64{tick.count});
        }
        QCOMPARE(count, 86'400);
        QCOMPARE(strip.ticks().size(), 160u); // 3 pixels each
        QCOMPARE(strip.ticks().back().last, from + DayStrip::kSpan);
        // Of what began long before, and of what begins after the day, nothing else is counted.
        strip.show({{.schedule = "old", .at = {1}, .step = 60 * kMinute},
                    {.schedule = "late", .at = {from + DayStrip::kSpan + 1}, .step = kSecond}},
                   from);
        QCOMPARE(strip.ticks().size(), 24u);
        QCOMPARE(strip.ticks()[0].schedules, QStringList("old"));
        // The one that is due first is the one that a click means.
        strip.show({{.schedule = "b", .at = {from + 2}}, {.schedule = "a", .at = {from + 1}}}, from);
        QCOMPARE(strip.ticks()[0].schedules, (QStringList{"a", "b"}));
        strip.resize(10, 64); // no room for any
        QCOMPARE(strip.ticks().size(), 1u);
    }

    void whatIsDueAtOnePlaceIsOneTick() {
        DayStrip strip;
        strip.resize(500, 64);
        std::vector<DayStrip::Times> all;
        for (int i = 0; i < 8; ++i) all.push_back({.schedule = QString::number(i), .at = {kMinute + i}});
        strip.show(all, 1);
        const auto ticks = strip.ticks();
        QCOMPARE(ticks.size(), 1u);
        QCOMPARE(ticks[0].count, 8);
        QCOMPARE(ticks[0].schedules.size(), DayStrip::kMostNamed);
        QVERIFY2(strip.wordsOf(ticks[0]).contains("8 times"), qPrintable(strip.wordsOf(ticks[0])));
        QCOMPARE(strip.spokenParts().size(), 1u);
    }

    void whoIsToldOfAClickMayHaveOtherTimesShown() {
        DayStrip strip;
        strip.resize(500, 64);
        strip.show({{.schedule = "first", .at = {60 * kMinute}}}, 1);
        QString told;
        connect(&strip, &DayStrip::chosen, this, [&](const QString& name) {
            strip.show({}, 1);
            QVERIFY(strip.ticks().empty());
            told = name;
        });
        const auto x = static_cast<int>(strip.ticks().at(0).x);
        QTest::mouseClick(&strip, Qt::LeftButton, {}, QPoint(x, 20));
        QCOMPARE(told, QString("first"));
    }

    void theNextTenTimesStandThereBeforeItIsSaved() {
        Played on;
        QVERIFY(on.tell({}));
        on.write("name", "new");
        on.write("cron", "0 3 * * 1-5");
        QTRY_COMPARE(on.played.link.waiting("schedules/next"), 1u);
        QVERIFY(std::get<0>(on.played.link.asked.back()).query.toString().contains("n=10"));
        QVERIFY(on.tellTimes({wallNow() + kMinute, wallNow() + 2 * kMinute}));
        QCOMPARE(on.pane.form()->next()->facts().size(), 2u);
        // A line that is none is told at its field.
        on.write("cron", "never");
        QTRY_COMPARE(on.played.link.waiting("schedules/next"), 1u);
        QVERIFY(on.played.link.answer(
            "schedules/next", Answer{422, {}, QJsonObject{{"field", "cron"}}, "invalid", "Give five fields."}));
        QCOMPARE(on.pane.form()->row("cron")->problem(), QString("Give five fields."));
        QVERIFY(on.pane.form()->next()->facts().empty());
        // Others need no engine.
        on.choose("when", 1);
        on.write("every_s", "60");
        QTRY_COMPARE(on.pane.form()->next()->facts().size(), 10u);
        on.choose("when", 2);
        on.write("at", "2999-12-24 18:00");
        QTRY_COMPARE(on.pane.form()->next()->facts().size(), 1u);
        on.write("at", "1999-12-24 18:00");
        QTRY_VERIFY(!on.pane.form()->nextWords().isEmpty());
        QVERIFY(on.sent().first.isEmpty());
    }

    void aNewOneIsSent() {
        Played on;
        QVERIFY(on.tell({}));
        QTest::mouseClick(on.pane.form()->save(), Qt::LeftButton);
        QVERIFY(!on.pane.form()->row("name")->problem().isEmpty());
        on.write("name", "clean");
        QTest::mouseClick(on.pane.form()->save(), Qt::LeftButton);
        QVERIFY(!on.pane.form()->row("command")->problem().isEmpty());
        on.write("command", "rm -rf tmp");
        on.choose("when", 1);
        on.write("every_s", "3600");
        QTest::mouseClick(on.pane.form()->save(), Qt::LeftButton);
        const auto [request, body] = on.sent();
        QCOMPARE(request, QString("POST schedules"));
        QCOMPARE(body, (QJsonObject{{"name", "clean"},
                                    {"every_s", 3'600},
                                    {"missed", "once"},
                                    {"overlap", "skip"},
                                    {"jitter_s", 0},
                                    {"action", QJsonObject{{"worker", "exec"},
                                                           {"argv", QJsonArray{"/bin/sh", "-c", "rm -rf tmp"}}}}}));
    }

    void anAnswerToWhatWasWrittenBeforeIsDropped() {
        Played on;
        QVERIFY(on.tell({}));
        on.write("cron", "0 3 * * *");
        QTRY_COMPARE(on.played.link.waiting("schedules/next"), 1u);
        on.write("cron", "0 4"); // is not asked about yet
        QVERIFY(on.played.link.answer("schedules/next",
                                      Answer{422, {}, QJsonObject{{"field", "cron"}}, "invalid", "Give five."}));
        QVERIFY(on.pane.form()->row("cron")->problem().isEmpty());
        QVERIFY(on.pane.form()->next()->facts().empty());
    }

    void whatIsWrittenWhileItIsSavedStays() {
        Played on;
        QVERIFY(on.tell({}));
        on.write("name", "clean");
        on.write("command", "rm -rf tmp");
        on.choose("when", 1);
        on.write("every_s", "3600");
        QTest::mouseClick(on.pane.form()->save(), Qt::LeftButton);
        on.write("name", "cleaner");
        on.write("every_s", "60");
        const QJsonObject kept{
            {"name", "clean"},
            {"every_s", 3'600},
            {"action", QJsonObject{{"worker", "exec"}, {"argv", QJsonArray{"/bin/sh", "-c", "rm -rf tmp"}}}}};
        QVERIFY(on.answerSent(Answer{200, {}, kept, {}, {}}));
        QCOMPARE(on.line("every_s")->text(), QString("60"));
        QCOMPARE(on.pane.form()->name(), QString("clean"));
        QCOMPARE(on.line("name")->text(), QString("clean")); // it has that name by now
        QVERIFY(on.line("name")->isReadOnly());
        QTest::mouseClick(on.pane.form()->save(), Qt::LeftButton);
        const auto [request, body] = on.sent();
        QCOMPARE(request, QString("PATCH schedules/clean"));
        QCOMPARE(body.value("every_s"), QJsonValue(60));
    }

    void theAnswerToOneIsNotShownInAnother() {
        Played on;
        QVERIFY(on.tell({nightly(), nightly({{"name", "daily"}})}));
        on.pane.strip()->chosen("nightly");
        QTest::mouseClick(on.pane.form()->save(), Qt::LeftButton);
        on.pane.strip()->chosen("daily");
        QVERIFY(on.answerSent(Answer{422, {}, QJsonObject{{"field", "cron"}}, "invalid", "Give five."}));
        QCOMPARE(on.pane.form()->name(), QString("daily"));
        QVERIFY(on.pane.form()->row("cron")->problem().isEmpty());
    }

    void whatAFormDoesNotShowStaysAsItIs() {
        Played on;
        const QJsonObject other{{"worker", "resize"}, {"function", "go"}};
        QVERIFY(on.tell({nightly({{"action", other}})}));
        on.pane.table()->selectId(1);
        emit on.pane.table()->selectionEdited();
        QCOMPARE(on.pane.form()->name(), QString("nightly"));
        QCOMPARE(on.line("cron")->text(), QString("0 3 * * *"));
        QCOMPARE(on.line("jitter_s")->text(), QString("30"));
        QTest::mouseClick(on.pane.form()->save(), Qt::LeftButton);
        const auto [request, body] = on.sent();
        QCOMPARE(request, QString("PATCH schedules/nightly"));
        QVERIFY(!body.contains("action") && !body.contains("list") && !body.contains("name"));
        QCOMPARE(body.value("missed").toString(), QString("skip"));
        QCOMPARE(body.value("overlap").toString(), QString("queue"));
    }

    void whatIsAsItWasIsNotSaidAgain() {
        const QJsonObject action{{"worker", "exec"},
                                 {"argv", QJsonArray{"/bin/sh", "-c", "make all"}},
                                 {"env", QJsonObject{{"A", "b"}}}};
        const auto changed = [&](QJsonObject schedule, const auto& change) {
            schedule.insert("name", "n");
            schedule.insert("action", action);
            const ScheduleDraft before = ScheduleDraft::of(schedule);
            ScheduleDraft after = before;
            change(after);
            return after.changesTo(before);
        };
        const auto overlap = [](ScheduleDraft& draft) { draft.overlap = "allow"; };
        // A moment that has passed would come once more: the form shows no parts of a second.
        QCOMPARE(changed({{"at", qint64{1'700'000'000'123'456}}}, overlap),
                 (QJsonObject{{"missed", "once"}, {"overlap", "allow"}, {"queue", ""}, {"jitter_s", 0}}));
        QVERIFY(!changed({{"every_s", 1'234'567}}, overlap).contains("every_s"));
        QCOMPARE(ScheduleDraft::of({{"every_s", 1'234'567.5}, {"jitter_s", 86'399.25}}).schedule().value("every_s"),
                 QJsonValue(1'234'567.5));
        // Another line leaves the rest of its action alone.
        const QJsonObject other =
            changed({{"cron", "0 3 * * *"}}, [](ScheduleDraft& draft) { draft.command = "make some"; });
        QCOMPARE(other.value("action").toObject().value("env"), QJsonValue(QJsonObject{{"A", "b"}}));
        QCOMPARE(other.value("action").toObject().value("argv"),
                 QJsonValue(QJsonArray{"/bin/sh", "-c", "make some"}));
        QVERIFY(!other.contains("cron"));
    }

    void runsLeadToTheirActions() {
        Played on;
        QVERIFY(on.tell({nightly()}));
        on.pane.strip()->chosen("nightly");
        const QJsonArray runs{
            QJsonObject{{"t", 9},
                        {"due", 8},
                        {"outcome", "submitted"},
                        {"late", true},
                        {"skipped", 3},
                        {"actions", QJsonArray{QJsonObject{{"lsn", 42}, {"count", 5}}}}},
            QJsonObject{{"t", 7}, {"outcome", "overlap"}, {"late", false}, {"actions", QJsonArray()}}};
        QTRY_VERIFY(on.played.link.waiting("schedules/nightly") > 0);
        QVERIFY(on.played.link.answer("schedules/nightly", nightly({{"runs", runs}})));
        const TableModel* rows = on.pane.form()->runs()->rows();
        QCOMPARE(rows->rowCount(), 2);
        QCOMPARE(rows->cell(0, 2).text, QString("42"));
        QCOMPARE(rows->cell(0, 3).text, QString("for 3 more"));
        QCOMPARE(rows->cell(1, 0).text, QString("by hand"));
        emit on.pane.form()->runs()->linkClicked(rows->idAt(0), 2);
        emit on.pane.form()->runs()->linkClicked(rows->idAt(1), 2); // it has none
        QCOMPARE(on.played.window.shown, std::vector<qint64>{42});
    }

    void whatIsChosenCanBeRunPausedAndRemoved() {
        Played on;
        QVERIFY(on.tell({nightly()}));
        QTest::mouseClick(on.pane.run(), Qt::LeftButton); // nothing is chosen yet
        QVERIFY(on.sent().first.isEmpty());
        on.pane.strip()->chosen("nightly");
        QTest::mouseClick(on.pane.run(), Qt::LeftButton);
        QCOMPARE(on.sent().first, QString("POST schedules/nightly/run"));
        QTest::mouseClick(on.pane.pause(), Qt::LeftButton);
        QCOMPARE(on.sent().first, QString("POST schedules/nightly/pause"));
        QTest::mouseClick(on.pane.remove(), Qt::LeftButton);
        QCOMPARE(on.sent().first, QString("DELETE schedules/nightly"));
    }

    void thePageHasATabForThem() {
        test::PlayedContext played;
        QueuesPage page(played.context());
        page.setActive(true);
        QCOMPARE(played.link.waiting("schedules"), 0u); // nobody looks at them
        page.showTab(QueuesPage::SchedulesTab);
        QCOMPARE(played.link.waiting("schedules"), 1u);
        QVERIFY(played.link.answer("schedules", QJsonObject{{"schedules", QJsonArray{nightly()}}}));
        QCOMPARE(page.schedules()->schedules().size(), 1u);
        page.open(0, {});
        QCOMPARE(page.tabs()->current(), static_cast<int>(QueuesPage::QueuesTab));
    }
};

QTEST_MAIN(TestSchedules)
#include "tst_schedules.moc"
