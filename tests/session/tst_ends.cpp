// How actions end: decided once, counted once it is kept, passed on to those that wait.
#include "tests/session/parts.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::PartsOfSession;

class TestEnds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anEndLeavesTheLaneAndCountsOnceItIsStored();
    void oneThatARunnerHasStaysUntilItIsGivenBack();
    void thoseThatWaitedGoOn();
    void thoseThatWaitedForAnotherEndFailWithTheReason();
    void aQueueIsHeldAfterSoManyFailures();
    void manyThatWaitedLearnOfItInSteps();
};

void TestEnds::anEndLeavesTheLaneAndCountsOnceItIsStored() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    parts.ends.cancel(a, 0, parts.out);
    QCOMPARE(parts.record(a).phase, Phase::Ending);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.queue().tally.stored.cancelled, 0);
    QVERIFY(parts.start().empty());
    parts.ends.stored(Lsn(1), {}, parts.out);
    QCOMPARE(parts.queue().tally.stored.cancelled, 1);
    QCOMPARE(parts.ledger.records().find(Lsn(1)), kNone);
    parts.check();
}

void TestEnds::oneThatARunnerHasStaysUntilItIsGivenBack() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    parts.start();
    (void)parts.service.moveTo(SessionState::Abandoned);
    parts.ends.abandon(a, 1, parts.out);
    QCOMPARE(parts.storeAll(), std::size_t{1});
    QVERIFY(parts.record(a).has(Record::kStored));
    QCOMPARE(parts.queue().tally.stored.abandoned, 1);
    parts.attempts.giveBack(a);
    parts.ends.drop(a, parts.out);
    QCOMPARE(parts.ledger.records().find(Lsn(1)), kNone);
    parts.check();
}

void TestEnds::thoseThatWaitedGoOn() {
    PartsOfSession parts;
    parts.add(1);
    NewAction waits = PartsOfSession::action(2);
    const Predecessor after{.lsn = Lsn(1)};
    waits.after = {&after, 1};
    const std::uint32_t b = parts.add(waits);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
    parts.end(1, ActionState::Completed);
    QVERIFY(parts.start().empty());
    parts.storeAll();
    QCOMPARE(parts.record(b).unmet, 0);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{2});
}

void TestEnds::thoseThatWaitedForAnotherEndFailWithTheReason() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    NewAction waits = PartsOfSession::action(2);
    const Predecessor after{.lsn = Lsn(1)};
    waits.after = {&after, 1};
    parts.add(waits);
    parts.ends.cancel(a, 0, parts.out);
    parts.storeAll();
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    const Finish& finish = parts.out.finish.front();
    QCOMPARE(finish.lsn, Lsn(2));
    QCOMPARE(finish.reason, Reason::DependencyFailed);
    QCOMPARE(finish.because.lsn, Lsn(1));
    QCOMPARE(finish.because.state, ActionState::Cancelled);
}

void TestEnds::aQueueIsHeldAfterSoManyFailures() {
    PartsOfSession parts;
    parts.queue().config.stopAfterFailures = 2;
    for (const std::int64_t lsn : {1, 2}) {
        QVERIFY(!parts.queue().held);
        parts.ends.finish(parts.add(lsn), 0, ActionState::Failed, Reason::ExitCode, parts.out);
    }
    QVERIFY(parts.queue().held);
    QCOMPARE(parts.out.stopped, std::vector{QueueId(7)});
    parts.storeAll();
    QCOMPARE(parts.queue().failuresSinceRelease(), 2);
}

void TestEnds::manyThatWaitedLearnOfItInSteps() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    const Predecessor after{.lsn = Lsn(1), .on = DependencyOn::Any};
    for (std::int64_t lsn = 2; lsn < 202; ++lsn) {
        NewAction waits = PartsOfSession::action(lsn);
        waits.after = {&after, 1};
        parts.add(waits);
    }
    parts.ends.cancel(a, 0, parts.out);
    parts.storeAll();
    QVERIFY(parts.ends.hasMore());
    QVERIFY(parts.queue().tally.stored.pending == 200);
    QVERIFY(parts.ends.resolve(1'000, parts.out) > 0);
    QVERIFY(!parts.ends.hasMore());
    parts.check();
}

QTEST_APPLESS_MAIN(TestEnds)
#include "tst_ends.moc"
