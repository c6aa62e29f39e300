// What may start now does, and nothing else.
#include "tests/session/parts.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::PartsOfSession;

class TestStarter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void soManyStartAsFit();
    void aPausedSessionStartsNothingButItsTimersFire();
    void nothingStartsWhereTheCallerDoesNotWantIt();
    void whatIsAskedForFirstIsGrantedFirst();
    void shortOnesGoAheadOnceTheMachineIsFull();
    void theNextWakeIsTheEarliestTimer();
    void noMoreAreOutThanTheRunnerTakes();
    void oneCallStartsAboutAThousand();
};

void TestStarter::soManyStartAsFit() {
    PartsOfSession parts;
    for (std::int64_t lsn = 1; lsn <= 3; ++lsn) parts.add(lsn);
    QCOMPARE(parts.start().size(), std::size_t{2});
    QVERIFY(parts.start().empty());
    parts.end(1, ActionState::Completed);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{3});
    parts.check();
}

void TestStarter::aPausedSessionStartsNothingButItsTimersFire() {
    PartsOfSession parts;
    (void)parts.service.moveTo(SessionState::Paused);
    NewAction later = PartsOfSession::action(1);
    later.notBefore = parts.now + Duration{1'000};
    const std::uint32_t a = parts.add(later);
    parts.now += Duration{2'000};
    QVERIFY(parts.start().empty());
    QVERIFY(parts.record(a).has(Record::kInLane));
}

void TestStarter::nothingStartsWhereTheCallerDoesNotWantIt() {
    PartsOfSession parts;
    parts.add(1);
    QVERIFY(!parts.starter.schedule(parts.now, parts.out, false));
    QVERIFY(parts.out.start.empty());
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
}

void TestStarter::whatIsAskedForFirstIsGrantedFirst() {
    PartsOfSession parts;
    for (std::int64_t lsn = 1; lsn <= 3; ++lsn) parts.add(lsn);
    parts.start();
    QVERIFY(!parts.holds.take(1, Resources{.milliCores = 1'000, .named = {}}));
    parts.end(1, ActionState::Completed);
    QVERIFY(parts.start().empty());
    QCOMPARE(parts.out.granted, std::vector<HoldKey>{1});
}

void TestStarter::shortOnesGoAheadOnceTheMachineIsFull() {
    PartsOfSession parts;
    parts.options.aheadPerSlot = 1;
    for (std::int64_t lsn = 1; lsn <= 5; ++lsn) parts.add(lsn);
    QCOMPARE(parts.start().size(), std::size_t{2});
    parts.queues.learnRunTime(QueueId(7), Duration{1'000});
    while (parts.starter.schedule(parts.now, parts.out, true)) {
    }
    QCOMPARE(parts.out.start.size(), std::size_t{2});
    QVERIFY(parts.out.start.front().ahead);
    parts.check();
}

void TestStarter::theNextWakeIsTheEarliestTimer() {
    PartsOfSession parts;
    QVERIFY(!parts.starter.nextWake());
    NewAction later = PartsOfSession::action(1);
    later.notBefore = parts.now + Duration{5'000};
    parts.add(later);
    QCOMPARE(parts.starter.nextWake(), std::optional(later.notBefore));
}

void TestStarter::noMoreAreOutThanTheRunnerTakes() {
    PartsOfSession parts;
    parts.options.maxOutstanding = 1;
    for (std::int64_t lsn = 1; lsn <= 3; ++lsn) parts.add(lsn);
    QCOMPARE(parts.start().size(), std::size_t{1});
    parts.ledger.classes().setGate(GateId(0), 1);
    parts.add(4, 7, 2);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{4});
    parts.check();
}

void TestStarter::oneCallStartsAboutAThousand() {
    PartsOfSession parts;
    parts.ledger.classes().setGate(GateId(0), 5'000);
    for (std::int64_t lsn = 1; lsn <= 2'500; ++lsn) parts.add(lsn, 7, 2);
    QVERIFY(parts.starter.schedule(parts.now, parts.out, true));
    QCOMPARE(parts.out.start.size(), std::size_t{1'000});
    QCOMPARE(parts.start().size(), std::size_t{2'500});
}

QTEST_APPLESS_MAIN(TestStarter)
#include "tst_starter.moc"
