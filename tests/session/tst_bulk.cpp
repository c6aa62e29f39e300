// Operations on a whole queue or on everything: effective at once, carried out in steps.
#include "tests/session/parts.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::PartsOfSession;

class TestBulk : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCancelledQueueStartsNothingBeforeTheFirstStep();
    void whatIsInNoLaneEndsToo();
    void whatIsOutIsStopped();
    void everythingOfAnAbandonedSessionEnds();
    void oneStepEndsAboutAThousand();
};

void TestBulk::aCancelledQueueStartsNothingBeforeTheFirstStep() {
    PartsOfSession parts;
    parts.add(1);
    parts.add(2, 8);
    parts.bulk.cancelQueue(parts.ledger.findQueue(QueueId(7)), parts.out);
    QVERIFY(parts.out.finish.empty());
    QCOMPARE(parts.start(), std::vector<std::int64_t>{2});
    QVERIFY(parts.bulk.hasMore());
    parts.bulk.step(parts.out);
    QVERIFY(!parts.bulk.hasMore());
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.queue().jobs, 0u);
    parts.check();
}

void TestBulk::whatIsInNoLaneEndsToo() {
    PartsOfSession parts;
    NewAction held = PartsOfSession::action(1);
    held.held = true;
    parts.add(held);
    NewAction later = PartsOfSession::action(2);
    later.notBefore = parts.now + Duration{1'000'000};
    parts.add(later);
    parts.bulk.cancelQueue(parts.ledger.findQueue(QueueId(7)), parts.out);
    while (parts.bulk.hasMore()) {
        parts.bulk.step(parts.out);
        parts.check();
    }
    QCOMPARE(parts.storeAll(), std::size_t{2});
    QCOMPARE(parts.queue().tally.stored.cancelled, 2);
    QVERIFY(!parts.timers.earliest());
}

void TestBulk::whatIsOutIsStopped() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    parts.bulk.cancelQueue(parts.ledger.findQueue(QueueId(7)), parts.out);
    QCOMPARE(parts.out.stop.size(), std::size_t{1});
    parts.end(1, ActionState::Failed, Reason::ExitCode);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.out.finish.front().state, ActionState::Cancelled);
}

void TestBulk::everythingOfAnAbandonedSessionEnds() {
    PartsOfSession parts;
    for (std::int64_t lsn = 1; lsn <= 4; ++lsn) parts.add(lsn, lsn % 2 == 0 ? 7 : 8);
    parts.start();
    parts.bulk.cancelQueue(parts.ledger.findQueue(QueueId(7)), parts.out);
    (void)parts.service.moveTo(SessionState::Abandoned);
    parts.bulk.abandonAll();
    parts.check();
    while (parts.bulk.hasMore()) parts.bulk.step(parts.out);
    QCOMPARE(parts.out.finish.size(), std::size_t{4});
    for (const Finish& finish : parts.out.finish) QCOMPARE(finish.state, ActionState::Abandoned);
    parts.storeAll();
    QCOMPARE(parts.ledger.total().stored.abandoned, 4);
    parts.check();
}

void TestBulk::oneStepEndsAboutAThousand() {
    PartsOfSession parts;
    for (std::int64_t lsn = 1; lsn <= 2'500; ++lsn) parts.add(lsn);
    parts.bulk.cancelQueue(parts.ledger.findQueue(QueueId(7)), parts.out);
    parts.bulk.step(parts.out);
    QCOMPARE(parts.out.finish.size(), std::size_t{1'000});
    parts.check();
    while (parts.bulk.hasMore()) parts.bulk.step(parts.out);
    QCOMPARE(parts.storeAll(), std::size_t{2'500});
}

QTEST_APPLESS_MAIN(TestBulk)
#include "tst_bulk.moc"
