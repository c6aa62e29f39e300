// Schedules as people write them down: what is read, kept and refused, changed, paused and removed; with a clock and a
// journal that a test moves, and one whole engine that is started again.
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"
#include "tests/engine/schedule_bench.h"

#include <QTest>

#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;
using Bench = ScheduleBench;

class TestEngineSchedules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsNoScheduleIsRefused_data();
    void whatIsNoScheduleIsRefused();
    void aScheduleIsReadAsItIsWritten();
    void allOfThemTogetherHaveABound();
    void theTimesShownAreThoseAtWhichItStarts();
    void aNameIsTakenOnce();
    void whatTheJournalRefusesIsNotThere();
    void whatIsMadeAgainRunsAgain();
    void aPausedScheduleMissesNothing();
    void aChangeKeepsWhatItDoesNotName();
    void aScheduleCanBeRunByHand();
    void whatIsRemovedIsForgotten();
    void aZoneThatIsGoneIsToldAndTheRestRuns();
    void theNextTimesOfALine();
    void aWholeEngineRunsItAndKeepsIt();
};

void TestEngineSchedules::whatIsNoScheduleIsRefused_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* what, const char* json, const char* error) {
        QTest::newRow(what) << json << error;
    };
    row("no JSON", "{", "malformed ");
    row("no object", "[]", "malformed ");
    row("no name", R"({"every_s":60,"action":{"worker":"exec","argv":["x"]}})", "invalid name");
    row("a bad name", R"({"name":"a b","every_s":60,"action":{"worker":"exec","argv":["x"]}})", "invalid name");
    row("a word of the routes", R"({"name":"next","every_s":60,"action":{"worker":"exec","argv":["x"]}})",
        "invalid name");
    row("no time", R"({"name":"a","action":{"worker":"exec","argv":["x"]}})", "invalid cron");
    row("two times", R"({"name":"a","every_s":60,"at":5,"action":{"worker":"exec","argv":["x"]}})", "invalid cron");
    row("a bad line", R"({"name":"a","cron":"* *","action":{"worker":"exec","argv":["x"]}})", "invalid cron");
    row("no zone", R"({"name":"a","cron":"@daily","timezone":"X/Y","action":{"worker":"exec","argv":["x"]}})",
        "invalid timezone");
    row("no steps", R"({"name":"a","every_s":0,"action":{"worker":"exec","argv":["x"]}})", "invalid every_s");
    row("no single time", R"({"name":"a","at":0,"action":{"worker":"exec","argv":["x"]}})", "invalid at");
    row("nothing to run", R"({"name":"a","every_s":60})", "invalid action");
    row("both kinds", R"({"name":"a","every_s":60,"action":{"worker":"exec","argv":["x"]},"list":[]})",
        "invalid action");
    row("a list as action", R"({"name":"a","every_s":60,"action":[{"worker":"exec","argv":["x"]}]})",
        "invalid action");
    row("an empty list", R"({"name":"a","every_s":60,"list":[]})", "invalid list");
    row("a bad action", R"({"name":"a","every_s":60,"action":{"worker":"exec"}})", "invalid argv");
    const std::string chunk = '"' + std::string(64, 'a') + '"';
    const std::string inputs = R"({"name":"a","every_s":60,"action":{"worker":"exec","argv":["x"],"inputs":{"a":)";
    row("a chunk as input", (inputs + chunk + "}}}").c_str(), "invalid inputs");
    const std::string input = R"({"name":"a","every_s":60,"list":[{"worker":"exec","argv":["x"],"stdin":{"hash":)";
    row("a chunk as stdin", (input + chunk + "}}]}").c_str(), "invalid stdin");
    row("an unknown member", R"({"name":"a","every_s":60,"when":1,"action":{"worker":"exec","argv":["x"]}})",
        "invalid when");
    row("what only the journal says",
        R"({"name":"a","every_s":60,"anchor":1,"action":{"worker":"exec","argv":["x"]}})", "invalid anchor");
    row("a bad rule", R"({"name":"a","every_s":60,"missed":"never","action":{"worker":"exec","argv":["x"]}})",
        "invalid missed");
    row("a bad overlap", R"({"name":"a","every_s":60,"overlap":1,"action":{"worker":"exec","argv":["x"]}})",
        "invalid overlap");
    row("a bad queue", R"({"name":"a","every_s":60,"queue":"x","action":{"worker":"exec","argv":["x"]}})",
        "invalid queue");
    row("much jitter", R"({"name":"a","every_s":60,"jitter_s":86401,"action":{"worker":"exec","argv":["x"]}})",
        "invalid jitter_s");
    row("jitter of a whole period",
        R"({"name":"a","every_s":60,"jitter_s":60,"action":{"worker":"exec","argv":["x"]}})", "invalid jitter_s");
    row("a pause that is none", R"({"name":"a","every_s":60,"paused":1,"action":{"worker":"exec","argv":["x"]}})",
        "invalid paused");
}

void TestEngineSchedules::whatIsNoScheduleIsRefused() {
    QFETCH(QString, json);
    QFETCH(QString, error);
    Bench bench;
    QCOMPARE(bench.refused(json.toStdString()), error.toStdString());
    QVERIFY(bench.journal.empty());
    QCOMPARE(bench.refused(std::string(kMostScheduleBytes + 1, ' ')), std::string("too_large "));
}

void TestEngineSchedules::aScheduleIsReadAsItIsWritten() {
    Bench bench;
    const auto made = bench.create(
        R"({"name":"nightly","list":[{"worker":"exec","argv":["a"]},{"worker":"exec","argv":["b"]}],"cron":"0 3 * * 1-5",)"
        R"("timezone":"Europe/Berlin","missed":"skip","overlap":"queue","queue":7,"jitter_s":1.5,"paused":true})");
    QVERIFY(made);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeSchedule(writer, made->definition);
    writer.closeObject();
    QCOMPARE(text,
             fmt::format(
                 R"({{"name":"nightly","list":[{{"worker":"exec","argv":["a"]}},{{"worker":"exec","argv":["b"]}}],)"
                 R"("cron":"0 3 * * 1-5","timezone":"Europe/Berlin","missed":"skip","overlap":"queue",)"
                 R"("queue":"7","jitter_s":1.5,"paused":true,"anchor":{}}})",
                 kBegin));
    QCOMPARE(made->times.size(), std::size_t(10));
    QCOMPARE(made->next, WallMicros(0)); // it is paused
}

void TestEngineSchedules::theTimesShownAreThoseAtWhichItStarts() {
    Bench bench;
    const auto made =
        bench.create(R"({"name":"late","every_s":3600,"jitter_s":1800,"action":{"worker":"exec","argv":["x"]}})");
    QVERIFY(made);
    QVERIFY(made->next > kBegin + 3'600'000'000);
    QCOMPARE(made->times.front(), made->next);
}

void TestEngineSchedules::aNameIsTakenOnce() {
    Bench bench;
    QVERIFY(bench.create(hourly()));
    QCOMPARE(bench.refused(hourly()), std::string("wrong_state "));
    QVERIFY(bench.create(hourly("", "tock")));
    QCOMPARE(bench.schedules->list().size(), std::size_t(2));
}

void TestEngineSchedules::allOfThemTogetherHaveABound() {
    Bench bench;
    const std::string word(130'900, 'x');
    const std::string action = fmt::format(R"("action":{{"worker":"exec","argv":["{}","{}"]}}}})", word, word);
    for (int i = 0; i < 257; ++i)
        bench.journal[{"schedule", fmt::format("n{}", i)}] =
            fmt::format(R"({{"name":"n{}","every_s":60,)", i) + action;
    bench.open();
    QCOMPARE(bench.refused(hourly()), std::string("at_limit "));
    QVERIFY(bench.rig.ask(bench.schedules->change("n0", R"({"action":{"worker":"exec","argv":["x"]}})")));
    QVERIFY(bench.create(hourly()));
}

void TestEngineSchedules::whatTheJournalRefusesIsNotThere() {
    Bench bench;
    bench.commitRefusal = fail(ErrorKind::Journal, "full").error();
    QCOMPARE(bench.refused(hourly()), std::string("journal "));
    QVERIFY(bench.schedules->list().empty());
    QVERIFY(!bench.armed);
}

void TestEngineSchedules::whatIsMadeAgainRunsAgain() {
    Bench bench;
    bench.run();
    const std::string once = fmt::format(R"({{"at":{}}})", kBegin + kHour);
    const std::string made =
        fmt::format(R"({{"name":"tick","overlap":"allow","at":{},"action":{{"worker":"exec","argv":["true"]}}}})",
                    kBegin + kHour);
    QVERIFY(bench.create(made));
    bench.pass(kHour);
    QVERIFY(bench.rig.ask(bench.schedules->remove("tick")));
    QVERIFY(bench.create(made));
    bench.rig.settle();
    QCOMPARE(bench.runs(), std::string("+1h submitted 2"));
    const std::string later = fmt::format(R"({{"at":{}}})", kBegin + 9 * kHour);
    QVERIFY(bench.rig.ask(bench.schedules->change("tick", later)));
    QVERIFY(bench.rig.ask(bench.schedules->change("tick", once)));
    bench.rig.settle();
    QCOMPARE(bench.runs(), std::string("+1h submitted 2; +1h submitted 3"));
}

void TestEngineSchedules::aPausedScheduleMissesNothing() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    QVERIFY(bench.rig.ask(bench.schedules->setPaused("tick", true)));
    QVERIFY(!bench.armed);
    bench.pass(5 * kHour);
    bench.open();
    bench.run();
    const auto resumed = bench.rig.ask(bench.schedules->setPaused("tick", false));
    QVERIFY(resumed);
    QCOMPARE(resumed->next, kBegin + 6 * kHour);
    QCOMPARE(bench.runs(), std::string());
    bench.pass(kHour);
    QCOMPARE(bench.runs(), std::string("+6h submitted 1"));
    QCOMPARE(bench.rig.ask(bench.schedules->setPaused("none", true)).error().kind, ErrorKind::NotFound);
}

void TestEngineSchedules::aChangeKeepsWhatItDoesNotName() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly(R"("missed":"all")")));
    bench.pass(kHour / 2);
    const auto changed =
        bench.rig.ask(bench.schedules->change("tick", R"({"at":)" + std::to_string(kBegin + kHour) + "}"));
    QVERIFY(changed);
    QCOMPARE(changed->definition.missed, schedule::Missed::All);
    QCOMPARE(changed->definition.everySeconds, 0.0);
    QCOMPARE(changed->next, kBegin + kHour);
    QCOMPARE(bench.rig.ask(bench.schedules->change("tick", R"({"name":"tock"})")).error().field,
             std::string("name"));
    QCOMPARE(bench.rig.ask(bench.schedules->change("tick", R"({"cron":"x"})")).error().field, std::string("cron"));
    QCOMPARE(bench.rig.ask(bench.schedules->change("none", "{}")).error().kind, ErrorKind::NotFound);
    bench.pass(kHour);
    QCOMPARE(bench.runs(), std::string("+1h late submitted 1"));
    QVERIFY(!bench.armed);
}

void TestEngineSchedules::aScheduleCanBeRunByHand() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly(R"("paused":true)")));
    QVERIFY(bench.rig.ask(bench.schedules->runNow("tick")));
    QVERIFY(bench.submitted[0].idempotencyKey.empty());
    QCOMPARE(bench.rig.ask(bench.schedules->runNow("tick")).error().kind, ErrorKind::WrongState);
    QCOMPARE(bench.runs(), std::string("by hand submitted 1"));
    bench.live.clear();
    bench.refusal = fail(ErrorKind::TooManyPending, "Too many.").error();
    QCOMPARE(bench.rig.ask(bench.schedules->runNow("tick")).error().kind, ErrorKind::TooManyPending);
    QCOMPARE(bench.rig.ask(bench.schedules->runNow("none")).error().kind, ErrorKind::NotFound);
}

void TestEngineSchedules::whatIsRemovedIsForgotten() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    QVERIFY(bench.rig.ask(bench.schedules->remove("tick")));
    QVERIFY(bench.journal.empty());
    QVERIFY(!bench.armed);
    QCOMPARE(bench.rig.ask(bench.schedules->remove("tick")).error().kind, ErrorKind::NotFound);
    QCOMPARE(bench.schedules->get("tick").error().kind, ErrorKind::NotFound);
}

void TestEngineSchedules::aZoneThatIsGoneIsToldAndTheRestRuns() {
    Bench bench;
    bench.journal[{"schedule", "gone"}] =
        R"({"name":"gone","action":{"worker":"exec","argv":["x"]},"cron":"@daily","timezone":"Old/Place"})";
    bench.journal[{"schedule", "garbage"}] = "{";
    bench.journal[{"schedule_runs", "gone"}] = "[]";
    bench.journal[{"another", "thing"}] = "{}";
    bench.open();
    bench.run();
    QCOMPARE(bench.schedules->list().size(), std::size_t(1));
    const auto view = bench.schedules->get("gone");
    QCOMPARE(view->broken->field, std::string("timezone"));
    QCOMPARE(view->next, WallMicros(0));
    QVERIFY(bench.create(hourly()));
    bench.pass(kHour);
    QCOMPARE(bench.runs(), std::string("+1h submitted 1"));
}

void TestEngineSchedules::theNextTimesOfALine() {
    Bench bench;
    const auto times = bench.schedules->next("0 0 * * *", "UTC", kDay, 2);
    QCOMPARE(*times, (std::vector<WallMicros>{2 * kDay, 3 * kDay}));
    QVERIFY(bench.schedules->next("0 0 * * *", "UTC", {}, 1)->front() > kBegin);
    QCOMPARE(bench.schedules->next("0 0 L * *", "UTC", {}, 1).error().field, std::string("cron"));
}

void TestEngineSchedules::aWholeEngineRunsItAndKeepsIt() {
    yard::test::EngineTest engine;
    const std::string json = fmt::format(
        R"({{"name":"soon","at":{},"action":{{"worker":"exec","argv":["true"]}}}})", wallNow() + 50'000);
    QVERIFY(engine.run(engine->ask(&Schedules::create, json)));
    const auto lastRun = [&]() -> std::optional<ScheduleRun> {
        const auto view = engine.run(engine->ask(&Schedules::get, "soon"));
        if (!view || view->runs.empty()) return std::nullopt;
        return view->runs.front();
    };
    QTRY_VERIFY_WITH_TIMEOUT(lastRun().has_value(), 20'000);
    const ScheduleRun run = *lastRun();
    QCOMPARE(run.items.size(), std::size_t(1));
    const auto result = engine.run(engine->ask(&Results::waitFor, run.items[0].first, Duration(20'000'000)));
    QVERIFY(result);
    QCOMPARE(result->label, std::string("soon"));
    engine.stop();
    engine.start();
    QVERIFY(lastRun().has_value());
    QCOMPARE(lastRun()->items[0].first, run.items[0].first);
    QCOMPARE(engine.run(engine->ask(&Schedules::list)).size(), std::size_t(1));
}

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    TestEngineSchedules test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_schedules.moc"
