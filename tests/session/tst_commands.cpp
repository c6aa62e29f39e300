// What people ask of an action or of a queue, and what is refused.
#include "tests/session/parts.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::PartsOfSession;

class TestCommands : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCancelInTwoPartsStartsNothingInBetween();
    void aRetryOnItsWayIsCancelledAtOnce();
    void aHeldLeaseIsAskedBack();
    void anActionMovesWithItsTimerAndItsDependents();
    void anActionOutsideOfItsLaneMovesInPlace();
    void whatRunsIsNotMoved();
    void unknownOnesAreNotFound();
    void queueZeroCannotBeCancelled();
    void aDrainedQueueTakesNothingNew();
    void aReleasedQueueCountsItsFailuresFromNothing();
    void labelLimitsCountWhatIsOut();
    void aDeletedQueueIsForgottenAfterItsLastEnd();
};

void TestCommands::aCancelInTwoPartsStartsNothingInBetween() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    const auto follows = parts.actions.cancelLater(Lsn(1), parts.out);
    QVERIFY(follows && *follows);
    QVERIFY(parts.start().empty());
    QVERIFY(parts.out.finish.empty());
    QVERIFY(parts.record(a).has(Record::kCancel));
    parts.actions.finishCancelled(Lsn(1), parts.out);
    parts.actions.finishCancelled(Lsn(1), parts.out);
    QCOMPARE(parts.storeAll(), std::size_t{1});
    parts.check();
}

void TestCommands::aRetryOnItsWayIsCancelledAtOnce() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    parts.end(1, ActionState::Failed, Reason::ExitCode);
    const auto follows = parts.actions.cancelLater(Lsn(1), parts.out);
    QVERIFY(follows && !*follows);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QVERIFY(parts.actions.mayCancel(Lsn(1)));
}

void TestCommands::aHeldLeaseIsAskedBack() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    QVERIFY(parts.actions.hold(Lsn(1), parts.out));
    QCOMPARE(parts.out.takeBack.size(), std::size_t{1});
    parts.events.returned(Lsn(1), 1, parts.out);
    QVERIFY(parts.start().empty());
    QVERIFY(parts.actions.release(Lsn(1)));
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
}

void TestCommands::anActionMovesWithItsTimerAndItsDependents() {
    PartsOfSession parts;
    parts.add(1);
    NewAction waits = PartsOfSession::action(2);
    const Predecessor after{.lsn = Lsn(1)};
    waits.after = {&after, 1};
    parts.add(waits);
    QVERIFY(parts.actions.setQueue(Lsn(1), QueueId(8)));
    QCOMPARE(parts.queue(7).tally.stored.pending, 1);
    QCOMPARE(parts.queue(8).tally.stored.pending, 1);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
    parts.end(1, ActionState::Completed);
    parts.storeAll();
    QCOMPARE(parts.start(), std::vector<std::int64_t>{2});
    NewAction later = PartsOfSession::action(3);
    later.notBefore = parts.now + Duration{1'000'000};
    parts.add(later);
    QVERIFY(parts.actions.setPriority(Lsn(3), 5));
    QCOMPARE(parts.timers.earliest(), std::optional(later.notBefore));
    parts.check();
}

void TestCommands::anActionOutsideOfItsLaneMovesInPlace() {
    PartsOfSession parts;
    NewAction held = PartsOfSession::action(1);
    held.held = true;
    const std::uint32_t a = parts.add(held);
    QVERIFY(parts.actions.setPriority(Lsn(1), 7));
    QCOMPARE(parts.ledger.records().find(Lsn(1)), a);
    QCOMPARE(parts.record(a).priority(), 7);
    parts.check();
}

void TestCommands::whatRunsIsNotMoved() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    const auto moved = parts.actions.setQueue(Lsn(1), QueueId(8));
    QVERIFY(!moved);
    QCOMPARE(moved.error().kind, ErrorKind::WrongState);
    QVERIFY(!parts.actions.mayMove(Lsn(1)));
    QVERIFY(parts.actions.mayHold(Lsn(1)));
    parts.events.running(Lsn(1), 1, parts.out);
    QVERIFY(!parts.actions.mayHold(Lsn(1)));
    QVERIFY(parts.actions.mayCancel(Lsn(1)));
}

void TestCommands::unknownOnesAreNotFound() {
    PartsOfSession parts;
    QCOMPARE(parts.actions.cancel(Lsn(9), parts.out).error().kind, ErrorKind::NotFound);
    QCOMPARE(parts.queues.hold(QueueId(9), parts.out).error().kind, ErrorKind::NotFound);
    QCOMPARE(parts.queues.accepts(QueueId(9)).error().kind, ErrorKind::NotFound);
}

void TestCommands::queueZeroCannotBeCancelled() {
    PartsOfSession parts;
    parts.queues.add(QueueId(0), {}, QueueState::Active, false, {}, 0);
    QCOMPARE(parts.queues.cancel(QueueId(0), parts.out).error().kind, ErrorKind::WrongState);
    QCOMPARE(parts.queues.forget(QueueId(0), parts.out).error().kind, ErrorKind::WrongState);
    QVERIFY(parts.queues.accepts(QueueId(0)));
}

void TestCommands::aDrainedQueueTakesNothingNew() {
    PartsOfSession parts;
    parts.add(1);
    QVERIFY(parts.queues.drain(QueueId(7)));
    QVERIFY(!parts.queues.drain(QueueId(7)));
    QVERIFY(!parts.queues.accepts(QueueId(7)));
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
}

void TestCommands::aReleasedQueueCountsItsFailuresFromNothing() {
    PartsOfSession parts;
    parts.queue().config.stopAfterFailures = 1;
    parts.ends.finish(parts.add(1), 0, ActionState::Failed, Reason::ExitCode, parts.out);
    QVERIFY(parts.queue().held);
    QVERIFY(parts.queues.release(QueueId(7)));
    QVERIFY(!parts.queue().held);
    QCOMPARE(parts.queue().failuresSinceRelease(), 0);
    parts.storeAll();
    QCOMPARE(parts.queue().failuresSinceRelease(), 0);
}

void TestCommands::labelLimitsCountWhatIsOut() {
    PartsOfSession parts;
    NewAction labelled = PartsOfSession::action(1);
    labelled.label = LabelId(3);
    parts.add(labelled);
    parts.start();
    parts.queues.setLabelLimits(QueueId(7), {{LabelId(3), 1}});
    labelled.lsn = Lsn(2);
    parts.add(labelled);
    QVERIFY(parts.start().empty());
    parts.end(1, ActionState::Completed);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{2});
    parts.check();
}

void TestCommands::aDeletedQueueIsForgottenAfterItsLastEnd() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    QVERIFY(parts.queues.forget(QueueId(7), parts.out));
    QVERIFY(parts.out.forgotten.empty());
    parts.end(1, ActionState::Completed);
    parts.storeAll();
    while (parts.bulk.hasMore()) parts.bulk.step(parts.out);
    QCOMPARE(parts.out.forgotten, std::vector{QueueId(7)});
    QVERIFY(!parts.ledger.queueNamed(QueueId(7)));
}

QTEST_APPLESS_MAIN(TestCommands)
#include "tst_commands.moc"
