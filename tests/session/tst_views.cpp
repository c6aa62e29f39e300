// What the session answers when asked: live actions, queues, why something waits.
#include "tests/session/parts.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::PartsOfSession;

class TestViews : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRetryUnderWayIsStillSeenRunning();
    void whatEndedIsSeenUntilItsEndIsStored();
    void everythingActiveOfAnAbandonedSessionIsAbandoned();
    void aWalkGoesOnWhereItStopped();
    void aQueueSaysWhatItCounts();
    void whyOneWaits();
    void howManyComeBefore();
    void whoWaitsForALock();
    void whatWaitsAtAGate();
};

void TestViews::aRetryUnderWayIsStillSeenRunning() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    parts.end(1, ActionState::Failed, Reason::ExitCode);
    const auto view = parts.views.live(Lsn(1));
    QVERIFY(view);
    QCOMPARE(view->state, ActionState::Running);
    QCOMPARE(view->retries.retryCount, 0);
    QVERIFY(!view->backoff);
    parts.events.retryStored(Lsn(1), parts.out);
    QCOMPARE(parts.views.live(Lsn(1))->state, ActionState::Pending);
    QCOMPARE(parts.views.live(Lsn(1))->retries.retryCount, 1);
    QCOMPARE(parts.views.counts().backingOff, 1);
}

void TestViews::whatEndedIsSeenUntilItsEndIsStored() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    parts.events.running(Lsn(1), 1, parts.out);
    QCOMPARE(parts.views.running(), std::vector{Lsn(1)});
    parts.end(1, ActionState::Completed);
    QCOMPARE(parts.views.live(Lsn(1))->ending, std::optional(ActionState::Completed));
    parts.storeAll();
    QVERIFY(!parts.views.live(Lsn(1)));
}

void TestViews::everythingActiveOfAnAbandonedSessionIsAbandoned() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    parts.add(2);
    (void)parts.service.moveTo(SessionState::Abandoned);
    for (const std::int64_t lsn : {1, 2}) QCOMPARE(parts.views.live(Lsn(lsn))->state, ActionState::Abandoned);
    QCOMPARE(parts.views.counts().all.abandoned, 2);
    QVERIFY(parts.views.running().empty());
    QVERIFY(!parts.reasons.of(Lsn(2), false));
}

void TestViews::aWalkGoesOnWhereItStopped() {
    PartsOfSession parts;
    for (std::int64_t lsn = 1; lsn <= 5; ++lsn) parts.add(lsn);
    std::vector<std::int64_t> seen;
    const auto note = [&](const LiveView& view) { seen.push_back(view.lsn.value); };
    const Lsn next = parts.views.walk(Lsn(1), 3, note);
    QCOMPARE(next, Lsn(4));
    QCOMPARE(parts.views.walk(next, 3, note), Lsn{});
    QCOMPARE(seen, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
}

void TestViews::aQueueSaysWhatItCounts() {
    PartsOfSession parts;
    NewAction held = PartsOfSession::action(1);
    held.held = true;
    parts.add(held);
    (void)parts.queues.hold(QueueId(7), parts.out);
    const auto status = parts.views.queue(QueueId(7));
    QVERIFY(status && status->held);
    QCOMPARE(status->counters.pending, 1);
    QCOMPARE(status->heldActions, 1);
    QVERIFY(!parts.views.queue(QueueId(99)));
}

void TestViews::whyOneWaits() {
    PartsOfSession parts;
    parts.queue().config.maxRunning = 1;
    parts.add(1);
    parts.add(2);
    parts.start();
    const auto why = parts.reasons.of(Lsn(2), false);
    QVERIFY(why && why->queueLimit);
    QCOMPARE(why->queueLimit->running, 1);
    QVERIFY(why->isOneCore && !why->noSlot);
    QCOMPARE(why->needs.size(), std::size_t{1});
    QVERIFY(parts.reasons.of(Lsn(1), false)->starting);
    parts.events.running(Lsn(1), 1, parts.out);
    QVERIFY(!parts.reasons.of(Lsn(1), false));
}

void TestViews::howManyComeBefore() {
    PartsOfSession parts;
    for (std::int64_t lsn = 1; lsn <= 4; ++lsn) parts.add(lsn);
    QCOMPARE(parts.reasons.of(Lsn(3), true)->position->before, 2);
    NewAction urgent = PartsOfSession::action(5);
    urgent.priority = 9;
    parts.add(urgent);
    QCOMPARE(parts.reasons.of(Lsn(3), true)->position->before, 3);
    QVERIFY(parts.reasons.of(Lsn(3), true)->position->isExact);
    QVERIFY(!parts.reasons.of(Lsn(3), false)->position);
}

void TestViews::whoWaitsForALock() {
    PartsOfSession parts;
    parts.add(1, 7, 1);
    parts.add(2, 7, 1);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
    const auto why = parts.reasons.of(Lsn(2), false);
    QVERIFY(why);
    QCOMPARE(why->locks.size(), std::size_t{1});
    QCOMPARE(why->locks.front().holder, Lsn(1));
    const auto locks = parts.reasons.locks(10);
    QCOMPARE(locks.size(), std::size_t{1});
    QCOMPARE(locks.front().holder, Lsn(1));
    QCOMPARE(locks.front().waiting, std::vector{Lsn(2)});
}

void TestViews::whatWaitsAtAGate() {
    PartsOfSession parts;
    parts.ledger.classes().setGate(GateId(0), 1);
    for (std::int64_t lsn = 1; lsn <= 3; ++lsn) parts.add(lsn, 7, 2);
    QCOMPARE(parts.reasons.waitingAt(GateId(0)), 3);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
    QCOMPARE(parts.reasons.waitingAt(GateId(0)), 2);
    QCOMPARE(parts.reasons.of(Lsn(2), false)->needs.front().resource, std::string("warm"));
}

QTEST_APPLESS_MAIN(TestViews)
#include "tst_views.moc"
