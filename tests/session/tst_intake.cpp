// What comes in: just accepted, read back, or run again.
#include "tests/session/parts.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::PartsOfSession;

class TestIntake : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneOfAForgottenQueueEndsCancelled();
    void oneOfACancelledQueueEndsCancelled();
    void oneThatComesIntoAnAbandonedSessionEndsAbandoned();
    void oneWhosePredecessorEndedOtherwiseFails();
    void onlyWhatMayStartCountsAsArrived();
    void whatEndedRunsAgain();
    void whatEndedBeforeCountsInAll();
    void theLimitHoldsUnlessForced();
};

void TestIntake::oneOfAForgottenQueueEndsCancelled() {
    PartsOfSession parts;
    QCOMPARE(parts.add(1, 99), kNone);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.out.finish.front().state, ActionState::Cancelled);
    parts.storeAll();
    QCOMPARE(parts.ledger.total().stored.cancelled, 0);
}

void TestIntake::oneOfACancelledQueueEndsCancelled() {
    PartsOfSession parts;
    parts.queue().state = QueueState::Cancelled;
    parts.add(1);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.out.finish.front().state, ActionState::Cancelled);
}

void TestIntake::oneThatComesIntoAnAbandonedSessionEndsAbandoned() {
    PartsOfSession parts;
    (void)parts.service.moveTo(SessionState::Abandoned);
    parts.add(1);
    QCOMPARE(parts.out.finish.front().state, ActionState::Abandoned);
    parts.storeAll();
    QCOMPARE(parts.queue().tally.stored.abandoned, 1);
}

void TestIntake::oneWhosePredecessorEndedOtherwiseFails() {
    PartsOfSession parts;
    NewAction waits = PartsOfSession::action(2);
    const Predecessor failed{.lsn = Lsn(1), .state = ActionState::Failed};
    waits.after = {&failed, 1};
    parts.add(waits);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.out.finish.front().reason, Reason::DependencyFailed);
    QCOMPARE(parts.out.finish.front().because.lsn, Lsn(1));
}

void TestIntake::onlyWhatMayStartCountsAsArrived() {
    PartsOfSession parts;
    NewAction held = PartsOfSession::action(1);
    held.held = true;
    std::int64_t lsn = 0;
    const auto arriveFor = [&](int steps, const NewAction& like) {
        for (int step = 0; step < steps; ++step) {
            NewAction next = like;
            next.lsn = Lsn(++lsn);
            parts.now += Duration{5'000'000};
            parts.add(next);
        }
    };
    arriveFor(10, held);
    QVERIFY(parts.arrivals.steady(parts.now).empty());
    arriveFor(10, PartsOfSession::action(1));
    QCOMPARE(parts.arrivals.steady(parts.now).size(), std::size_t{1});
}

void TestIntake::whatEndedBeforeCountsInAll() {
    PartsOfSession parts;
    QueueCounters past;
    past.completed = 3;
    past.failed = 2;
    parts.intake.addPast(past);
    parts.intake.addPast(past);
    QCOMPARE(parts.ledger.total().stored.completed, 6);
    QCOMPARE(parts.ledger.total().stored.failed, 4);
    QCOMPARE(parts.queue().tally.stored.completed, 0);
}

void TestIntake::whatEndedRunsAgain() {
    PartsOfSession parts;
    parts.queue().config.maxRetries = 0;
    parts.add(1);
    parts.start();
    parts.end(1, ActionState::Failed, Reason::ExitCode);
    parts.storeAll();
    QCOMPARE(parts.queue().tally.stored.failed, 1);
    NewAction again = PartsOfSession::action(1);
    again.attempts = 1;
    parts.intake.reschedule(again, ActionState::Failed, parts.now, parts.out);
    QCOMPARE(parts.queue().tally.stored.failed, 0);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
    QCOMPARE(parts.record(parts.ledger.records().find(Lsn(1))).attempt, 2u);
}

void TestIntake::theLimitHoldsUnlessForced() {
    PartsOfSession parts;
    parts.queue().config.maxRetries = 2;
    FinishedAction failed;
    failed.lsn = Lsn(1);
    failed.queue = QueueId(7);
    failed.reason = Reason::ExitCode;
    failed.retries.ownFailures = 2;
    const auto refused = parts.intake.checkReschedule(failed, false);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::AtLimit);
    const auto forced = parts.intake.checkReschedule(failed, true);
    QVERIFY(forced);
    QCOMPARE(forced->ownFailures, 3);
    parts.queue().state = QueueState::Draining;
    QCOMPARE(parts.intake.checkReschedule(failed, true).error().kind, ErrorKind::WrongState);
}

QTEST_APPLESS_MAIN(TestIntake)
#include "tst_intake.moc"
