// What alerts of the kind queue_finished count, over engines that die: the tallies, and the rules that they are for.
#include "core/engine/alerts/queue_tallies.h"
#include "tests/engine/alert_bench.h"

#include <QTest>

#include <string>

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;
using Bench = AlertBench;

namespace {

constexpr WallMicros kSecond = 1'000'000;
constexpr const char* kFinished = R"({"name":"q","on":{"kind":"queue_finished"},"quiet_s":0})";

} // namespace

class TestQueueTallies : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatEndedBeforeARestartIsCounted();
    void whatWasTheLastBeforeAKillIsTold();
    void aRuleThatComesAgainBeginsAtNothing();
    void whatNoRuleCountsAnyMoreLeavesTheJournal();
    void aTallyThatIsOverSoonIsNotWritten();
    void aTallyThatTheJournalRefusesIsWrittenLater();
    void aTallyThatCannotBeReadIsLeftOut();
};

void TestQueueTallies::whatEndedBeforeARestartIsCounted() {
    Bench bench;
    QVERIFY(bench.create(kFinished));
    bench.unfinished[QueueId(1)] = 1;
    for (const ActionState state : {ActionState::Completed, ActionState::Failed, ActionState::Completed})
        bench.end(1, state);
    bench.pass(11 * kSecond);
    QCOMPARE(bench.kept("alert_tally"), std::size_t(1));
    bench.open();
    QVERIFY(bench.told("q").empty());
    bench.unfinished[QueueId(1)] = 0;
    bench.end(1, ActionState::Failed);
    bench.pass(11 * kSecond);
    QCOMPARE(bench.told("q"), std::string("Nothing is left to do in queue 1 (tag): 4 ended, 2 of them failed."));
    QCOMPARE(bench.kept("alert_tally"), std::size_t(0));
    bench.open(); // told once
    bench.pass(11 * kSecond);
    QCOMPARE(bench.told("q"), std::string("Nothing is left to do in queue 1 (tag): 4 ended, 2 of them failed."));
}

void TestQueueTallies::whatWasTheLastBeforeAKillIsTold() {
    Bench bench;
    QVERIFY(bench.create(kFinished));
    bench.unfinished[QueueId(1)] = 1;
    bench.end(1, ActionState::Completed);
    bench.pass(11 * kSecond);
    bench.unfinished[QueueId(1)] = 0; // its end is in the journal, and nobody heard of it
    bench.open();
    bench.pass(11 * kSecond);
    QCOMPARE(bench.told("q"), std::string("Nothing is left to do in queue 1 (tag): 1 ended, 0 of them failed."));
    QCOMPARE(bench.kept("alert_tally"), std::size_t(0));
}

void TestQueueTallies::aRuleThatComesAgainBeginsAtNothing() {
    for (const WallMicros meanwhile : {WallMicros{0}, 11 * kSecond}) { // the journal has none of it, or has
        Bench bench;
        QVERIFY(bench.create(kFinished));
        bench.unfinished[QueueId(1)] = 2;
        bench.end(1, ActionState::Failed);
        bench.pass(meanwhile);
        QVERIFY(bench.rig.ask(bench.alerts->remove("q")));
        bench.end(1, ActionState::Completed); // nobody counts it
        QVERIFY(bench.create(kFinished));
        bench.unfinished[QueueId(1)] = 0;
        bench.end(1, ActionState::Completed);
        bench.pass(11 * kSecond);
        QCOMPARE(bench.told("q"),
                 std::string("Nothing is left to do in queue 1 (tag): 1 ended, 0 of them failed."));
        QCOMPARE(bench.kept("alert_tally"), std::size_t(0));
    }
}

void TestQueueTallies::whatNoRuleCountsAnyMoreLeavesTheJournal() {
    Bench bench;
    QVERIFY(bench.create(kFinished));
    bench.unfinished[QueueId(1)] = 1;
    bench.end(1, ActionState::Completed);
    bench.pass(11 * kSecond);
    QCOMPARE(bench.kept("alert_tally"), std::size_t(1));
    const auto left = bench.journal;
    // The rule becomes one of another kind.
    QVERIFY(bench.rig.ask(bench.alerts->change("q", R"({"on":{"kind":"disk","over":80}})")));
    bench.pass(11 * kSecond);
    QCOMPARE(bench.kept("alert_tally"), std::size_t(0));
    // An engine that died before that was written does the same when it starts.
    bench.journal = left;
    bench.journal.erase({"alert", "q"});
    bench.open();
    bench.pass(11 * kSecond);
    QCOMPARE(bench.kept("alert_tally"), std::size_t(0));
}

void TestQueueTallies::aTallyThatIsOverSoonIsNotWritten() {
    QueueTallies tallies;
    tallies.count(QueueId(1), false, 5);
    QCOMPARE(tallies.due(), std::optional<WallMicros>(5 + QueueTallies::kWrittenAfter));
    QCOMPARE(tallies.take(QueueId(1), 6), std::optional(QueueTally{.ended = 1, .failed = 0}));
    QVERIFY(!tallies.due());
    QVERIFY(tallies.changes().empty());
    QVERIFY(!tallies.take(QueueId(1), 7));
}

void TestQueueTallies::aTallyThatTheJournalRefusesIsWrittenLater() {
    QueueTallies tallies;
    tallies.count(QueueId(1), true, 5);
    const auto first = tallies.changes();
    QCOMPARE(first.size(), std::size_t(1));
    QCOMPARE(*first[0].body, std::string("1 1"));
    tallies.refused(first, 6);
    tallies.count(QueueId(1), false, 7);
    QCOMPARE(*tallies.changes()[0].body, std::string("2 1"));
    QVERIFY(tallies.changes().empty());
    // Over while it is being written, and that refused: it is taken away.
    const auto taken = tallies.take(QueueId(1), 8);
    QCOMPARE(taken, std::optional(QueueTally{.ended = 2, .failed = 1}));
    const auto over = tallies.changes();
    QVERIFY(!over[0].body.has_value());
    tallies.refused(over, 9);
    QVERIFY(!tallies.changes()[0].body.has_value());
    QVERIFY(tallies.changes().empty());
}

void TestQueueTallies::aTallyThatCannotBeReadIsLeftOut() {
    QueueTallies tallies;
    for (const char* body : {"", "1", "0 0", "1 2", "-1 0", "1 -1", "1 0 0", "x 0", "99999999999999999999 0"})
        QVERIFY2(!tallies.restore("1", body), body);
    QVERIFY(!tallies.restore("one", "1 0"));
    QVERIFY(!tallies.restore("1 2", "1 0"));
    QCOMPARE(tallies.restore("7", "3 1"), std::optional(QueueId(7)));
    QCOMPARE(tallies.take(QueueId(7), 1), std::optional(QueueTally{.ended = 3, .failed = 1}));
}

QTEST_GUILESS_MAIN(TestQueueTallies)
#include "tst_queue_tallies.moc"
