// Schedules at their times: what is submitted when, what was missed, what meets the run before, what of it is remembered;
// with a clock and a journal that a test moves.
#include "tests/engine/schedule_bench.h"

#include <QTest>

#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;
using Bench = ScheduleBench;

class TestEngineSchedulesDue : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itSleepsUntilTheNextTimeThatIsDue();
    void whatIsDueIsSubmittedWithItsNameAsLabel();
    void aNameFurtherInIsNoLabel();
    void aListIsSubmittedAsOne();
    void anotherEngineGoesOnWhereTheLastOneWas();
    void anEngineThatDiesBeforeItWroteDownSubmitsOnce();
    void anEngineThatDiesAmongManyKnowsWhatItSubmitted();
    void whatWasMissedFollowsTheRule_data();
    void whatWasMissedFollowsTheRule();
    void whatWasSkippedIsCountedBesideARunOnTime();
    void aRunThatMeetsTheOneBefore_data();
    void aRunThatMeetsTheOneBefore();
    void aRunBehindAnotherWaitsForItsEnd();
    void whatIsRefusedIsToldAndNotTriedAgain();
    void whereTheJournalIsBusyItIsTriedAgain();
    void manyAtOnceAreJudgedByOneTime();
    void aChangeComesBetweenTwoPortions();
    void whatIsDueWhileTheEngineEndsIsLeftToTheNext();
    void aClockThatWasWrongIsNotKept();
    void timesThatComeAgainRunAgain();
    void theLastHundredRunsAreKept();
    void whatRunsIsNotForgotten_data();
    void whatRunsIsNotForgotten();
};

void TestEngineSchedulesDue::itSleepsUntilTheNextTimeThatIsDue() {
    Bench bench;
    bench.run();
    QVERIFY(!bench.armed);
    QVERIFY(bench.create(hourly()));
    QCOMPARE(bench.armed, std::optional(kBegin + kHour));
    bench.pass(kHour - 1);
    QCOMPARE(bench.wakes, 0);
    bench.pass(1);
    QCOMPARE(bench.wakes, 1);
    QCOMPARE(bench.runs(), std::string("+1h submitted 1"));
    QCOMPARE(bench.armed, std::optional(kBegin + 2 * kHour));
}

void TestEngineSchedulesDue::whatIsDueIsSubmittedWithItsNameAsLabel() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly(R"("queue":"3")")));
    QVERIFY(
        bench.create(R"({"name":"own","every_s":3600,"action":{"worker":"exec","argv":["true"],"label":"mine"}})"));
    bench.pass(kHour);
    QCOMPARE(bench.submitted.size(), std::size_t(2));
    const Submission& own = bench.submitted[0];
    const Submission& named = bench.submitted[1];
    QCOMPARE(own.actions[0].spec->label, std::string("mine"));
    QCOMPARE(named.actions[0].spec->label, std::string("tick"));
    QCOMPARE(named.actions[0].text, std::string(R"({"label":"tick","worker":"exec","argv":["true"]})"));
    QCOMPARE(named.queue.ref, parseQueueRef("3"));
    QVERIFY(!own.queue.ref);
}

void TestEngineSchedulesDue::aNameFurtherInIsNoLabel() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(
        R"({"name":"tick","every_s":3600,"action":{"worker":"exec","argv":["true"],"env":{"label":"x"}}})"));
    QVERIFY(
        bench.create(R"({"name":"tock","every_s":3600,"action":{"worker":"exec","argv":["true"],"label" : ""}})"));
    bench.pass(kHour);
    QCOMPARE(bench.submitted[0].actions[0].text,
             std::string(R"({"label":"tick","worker":"exec","argv":["true"],"env":{"label":"x"}})"));
    QVERIFY(!bench.submitted[1].actions[0].text.contains("tock")); // twice would be no action
    QCOMPARE(bench.submitted[1].actions[0].spec->label, std::string("tock"));
    for (const Submission& one : bench.submitted) QVERIFY(parseActions(one.actions[0].text));
}

void TestEngineSchedulesDue::aListIsSubmittedAsOne() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(
        R"({"name":"tick","every_s":3600,"list":[{"worker":"exec","argv":["a"]},{"worker":"exec","argv":["b"]}]})"));
    bench.pass(kHour);
    QCOMPARE(bench.submitted.size(), std::size_t(1));
    QCOMPARE(bench.runs(), std::string("+1h submitted 1 2"));
    QCOMPARE(bench.schedules->get("tick")->unfinished, std::int64_t(1));
}

void TestEngineSchedulesDue::anotherEngineGoesOnWhereTheLastOneWas() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    bench.pass(kHour);
    bench.live.clear();
    bench.open();
    QCOMPARE(bench.runs(), std::string("+1h submitted 1"));
    bench.run();
    QCOMPARE(bench.submitted.size(), std::size_t(1));
    bench.pass(kHour);
    QCOMPARE(bench.runs(), std::string("+1h submitted 1; +2h submitted 2"));
}

void TestEngineSchedulesDue::anEngineThatDiesBeforeItWroteDownSubmitsOnce() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    const auto before = bench.journal;
    bench.pass(kHour);
    bench.journal = before;
    bench.open();
    bench.run();
    QCOMPARE(bench.runs(), std::string("+1h submitted 1"));
    QCOMPARE(bench.submitted.size(), std::size_t(1));
}

void TestEngineSchedulesDue::anEngineThatDiesAmongManyKnowsWhatItSubmitted() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    QVERIFY(bench.create(hourly("", "tock")));
    bench.pass(kHour);
    bench.journal = bench.journalBefore; // the second one was on its way
    bench.open();
    QCOMPARE(bench.runs(), std::string("+1h submitted 1"));
    QCOMPARE(bench.runs("tock"), std::string());
}

void TestEngineSchedulesDue::whatWasMissedFollowsTheRule_data() {
    QTest::addColumn<QString>("missed");
    QTest::addColumn<QString>("runs");
    QTest::addColumn<int>("told");
    QTest::newRow("once") << "once" << "+3h late submitted 1 for 2 more" << 1;
    QTest::newRow("skip") << "skip" << "+3h late missed for 2 more" << 1;
    QTest::newRow("all") << "all" << "+1h late submitted 1; +2h late submitted 2; +3h late submitted 3" << 3;
}

void TestEngineSchedulesDue::whatWasMissedFollowsTheRule() {
    QFETCH(QString, missed);
    QFETCH(QString, runs);
    QFETCH(int, told);
    Bench bench;
    QVERIFY(bench.create(hourly(fmt::format(R"("overlap":"allow","missed":"{}")", missed.toStdString()))));
    bench.wall += 3 * kHour + kHour / 2;
    bench.open();
    bench.run();
    QCOMPARE(bench.runs(), runs.toStdString());
    bench.open();
    bench.run();
    QCOMPARE(bench.runs(), runs.toStdString()); // and not again
    QCOMPARE(bench.missed, told);
}

void TestEngineSchedulesDue::whatWasSkippedIsCountedBesideARunOnTime() {
    Bench bench;
    QVERIFY(bench.create(hourly(R"("overlap":"allow","missed":"skip")")));
    bench.wall += 3 * kHour;
    bench.open();
    bench.run();
    QCOMPARE(bench.runs(), std::string("+2h late missed for 1 more; +3h submitted 1"));
    QCOMPARE(bench.missed, 1);
}

void TestEngineSchedulesDue::aRunThatMeetsTheOneBefore_data() {
    QTest::addColumn<QString>("overlap");
    QTest::addColumn<QString>("runs");
    QTest::addColumn<QString>("cancelled");
    QTest::newRow("skip") << "skip" << "+1h submitted 1; +2h overlap" << "";
    QTest::newRow("queue") << "queue" << "+1h submitted 1; +2h submitted 2" << "";
    QTest::newRow("cancel") << "cancel_previous" << "+1h submitted 1; +2h submitted 2" << "1";
    QTest::newRow("allow") << "allow" << "+1h submitted 1; +2h submitted 2" << "";
}

void TestEngineSchedulesDue::aRunThatMeetsTheOneBefore() {
    QFETCH(QString, overlap);
    QFETCH(QString, runs);
    QFETCH(QString, cancelled);
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly(fmt::format(R"("overlap":"{}")", overlap.toStdString()))));
    bench.pass(kHour);
    bench.pass(kHour);
    QCOMPARE(bench.runs(), runs.toStdString());
    QCOMPARE(bench.cancelled, cancelled.toStdString());
    // Without another one in the way each runs.
    bench.live.clear();
    bench.pass(kHour);
    QVERIFY(bench.runs().find("+3h submitted") != std::string::npos);
}

void TestEngineSchedulesDue::aRunBehindAnotherWaitsForItsEnd() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly(R"("overlap":"queue")")));
    for (int i = 0; i < 3; ++i) bench.pass(kHour);
    QVERIFY(bench.submitted[0].actions[0].spec->after.empty());
    for (const std::size_t i : {1U, 2U}) {
        const auto& after = bench.submitted[i].actions[0].spec->after;
        QCOMPARE(after.size(), std::size_t(1)); // for the last one, which waits for those before it
        QCOMPARE(after[0].lsn.value, std::int64_t(i));
        QCOMPARE(after[0].on, DependencyOn::Any);
    }
}

void TestEngineSchedulesDue::whatIsRefusedIsToldAndNotTriedAgain() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    bench.refusal = invalid("worker", "There is no such worker.").error();
    bench.pass(kHour);
    bench.refusal.reset();
    bench.pass(1);
    QCOMPARE(bench.runs(), std::string("+1h refused"));
    QCOMPARE(bench.schedules->get("tick")->runs[0].error, std::string("There is no such worker."));
    bench.open(); // the sentence is kept
    QCOMPARE(bench.schedules->get("tick")->runs[0].error, std::string("There is no such worker."));
}

void TestEngineSchedulesDue::whereTheJournalIsBusyItIsTriedAgain() {
    using namespace std::chrono_literals;
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    bench.refusal = fail(ErrorKind::Busy, "Try again.").error();
    bench.pass(kHour);
    QCOMPARE(bench.runs(), std::string());
    bench.refusal.reset();
    bench.rig.advance(1s);
    QCOMPARE(bench.runs(), std::string("+1h submitted 1"));
    // Not for good.
    bench.live.clear();
    bench.refusal = fail(ErrorKind::Busy, "Try again.").error();
    bench.pass(kHour);
    for (int i = 0; i < 60; ++i) bench.rig.advance(1s);
    QCOMPARE(bench.runs(), std::string("+1h submitted 1; +2h refused"));
    // An engine that ends leaves it to the next.
    bench.pass(kHour);
    bench.takesWork = false;
    bench.rig.advance(1s);
    QCOMPARE(bench.runs(), std::string("+1h submitted 1; +2h refused"));
}

void TestEngineSchedulesDue::manyAtOnceAreJudgedByOneTime() {
    Bench bench;
    bench.run();
    for (int i = 0; i < 150; ++i) QVERIFY(bench.create(hourly(R"("missed":"skip")", fmt::format("s{:03}", i))));
    bench.perSubmission = 1'000'000;
    bench.pass(kHour);
    QCOMPARE(bench.submitted.size(), std::size_t(150));
    QCOMPARE(bench.runs("s149"), std::string("+1h submitted 150"));
}

void TestEngineSchedulesDue::aChangeComesBetweenTwoPortions() {
    Bench bench;
    bench.run();
    for (int i = 0; i < 150; ++i) QVERIFY(bench.create(hourly({}, fmt::format("s{:03}", i))));
    bench.perSubmission = 1;
    bench.rig.spawn("remove", [](Bench& from) -> coro::Task<void> {
        while (from.submitted.empty()) co_await coro::yieldNow();
        (void)co_await from.schedules->remove("s149");
    }(bench));
    bench.pass(kHour);
    QCOMPARE(bench.submitted.size(), std::size_t(149));
}

void TestEngineSchedulesDue::whatIsDueWhileTheEngineEndsIsLeftToTheNext() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    QVERIFY(bench.create(hourly("", "tock")));
    bench.refusal = fail(ErrorKind::NotAccepting, "The engine stops.").error();
    bench.pass(kHour);
    bench.takesWork = false;
    bench.pass(kHour);
    QCOMPARE(bench.runs(), std::string());
    bench.refusal.reset();
    bench.takesWork = true;
    bench.open();
    bench.run();
    QCOMPARE(bench.runs(), std::string("+2h submitted 1 for 1 more"));
    QCOMPARE(bench.runs("tock"), std::string("+2h submitted 2 for 1 more"));
}

void TestEngineSchedulesDue::aClockThatWasWrongIsNotKept() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    bench.pass(400 * kDay);
    bench.live.clear();
    bench.setClock(kBegin);
    bench.pass(kHour);
    bench.live.clear();
    bench.wall += 3 * kHour + kHour / 2;
    bench.open();
    bench.run();
    QCOMPARE(bench.runs(),
             std::string("+9600h submitted 1 for 100 more; +1h submitted 2; +4h late submitted 3 for 2 more"));
}

void TestEngineSchedulesDue::timesThatComeAgainRunAgain() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly(R"("overlap":"allow")")));
    bench.pass(2 * kDay);
    bench.setClock(kBegin);
    bench.pass(2 * kDay);
    QCOMPARE(bench.runs(), std::string("+48h submitted 1 for 47 more; +48h submitted 2 for 47 more"));
    // An engine that starts with the right clock sees the same.
    bench.wall = kBegin;
    bench.open();
    bench.run();
    const auto before = bench.journal;
    bench.pass(2 * kDay);
    QCOMPARE(bench.submitted.size(), std::size_t(3));
    // And one that was killed then submits nothing again.
    bench.journal = before;
    bench.open();
    bench.run();
    QCOMPARE(bench.submitted.size(), std::size_t(3));
    QVERIFY(bench.runs().ends_with("; +48h submitted 3 for 47 more"));
}

void TestEngineSchedulesDue::theLastHundredRunsAreKept() {
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly()));
    for (int i = 0; i < 110; ++i) {
        bench.live.clear();
        bench.pass(kHour);
    }
    bench.open();
    const auto view = bench.schedules->get("tick");
    QCOMPARE(view->runs.size(), RunHistory::kMostRuns);
    QCOMPARE(view->runs.front().due, kBegin + 110 * kHour);
    QCOMPARE(bench.schedules->list()[0].runs.size(), std::size_t(1));
    bench.live = {5, 50, 51, 110, 111}; // the first was of a run that is not kept, the last is somebody else's
    QCOMPARE(bench.schedules->list()[0].unfinished, std::int64_t(3));
}

void TestEngineSchedulesDue::whatRunsIsNotForgotten_data() {
    QTest::addColumn<QString>("overlap");
    QTest::addColumn<int>("submitted");
    QTest::newRow("skip") << "skip" << 1;
    QTest::newRow("queue") << "queue" << 100;
    QTest::newRow("allow") << "allow" << 100;
}

void TestEngineSchedulesDue::whatRunsIsNotForgotten() {
    QFETCH(QString, overlap);
    QFETCH(int, submitted);
    Bench bench;
    bench.run();
    QVERIFY(bench.create(hourly(fmt::format(R"("overlap":"{}")", overlap.toStdString()))));
    for (int i = 0; i < 250; ++i) bench.pass(kHour);
    QCOMPARE(bench.live.size(), std::size_t(submitted));
    bench.open();
    const auto view = bench.schedules->get("tick");
    QCOMPARE(view->runs.size(), RunHistory::kMostRuns);
    QCOMPARE(view->runs.back().due, kBegin + kHour);
    QCOMPARE(view->unfinished, std::int64_t(submitted));
}

QTEST_GUILESS_MAIN(TestEngineSchedulesDue)
#include "tst_schedules_due.moc"
