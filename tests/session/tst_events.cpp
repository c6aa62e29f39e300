// What becomes of an action whose attempt is over.
#include "tests/session/parts.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::PartsOfSession;

class TestEvents : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneThatCompletesEnds();
    void oneThatFailsWaitsForTheJournalAndItsBackOff();
    void oneThatNeverRanGoesBackUncounted();
    void oneThatIsReturnedHasTheSameNumberAgain();
    void whatRanIsNotReturned();
    void oneThatBeginsInASunsetIsStopped();
    void theAttemptOfTheLastEngineIsDecidedLikeAnyOther();
    void whatTheLastEngineGaveAwayStaysOutUntilItsMachineSpeaks();
    void whatWasToBeCancelledEndsThoughAMachineHasIt();
};

void TestEvents::oneThatCompletesEnds() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    parts.start();
    parts.events.running(Lsn(1), 1, parts.out);
    QCOMPARE(parts.record(a).phase, Phase::Running);
    parts.end(1, ActionState::Completed);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.out.finish.front().attempt, 1u);
    QVERIFY(parts.attempts.all().empty());
}

void TestEvents::oneThatFailsWaitsForTheJournalAndItsBackOff() {
    PartsOfSession parts;
    parts.queue().config.maxRetries = 1;
    parts.queue().config.backoff = Duration{1'000'000};
    const std::uint32_t a = parts.add(1);
    parts.start();
    parts.end(1, ActionState::Failed, Reason::ExitCode);
    QCOMPARE(parts.out.retry.size(), std::size_t{1});
    QCOMPARE(parts.record(a).phase, Phase::Retrying);
    parts.now += Duration{60'000'000};
    QVERIFY(parts.start().empty());
    parts.events.retryStored(Lsn(1), parts.out);
    QCOMPARE(parts.record(a).phase, Phase::Waiting);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
    QCOMPARE(parts.record(a).attempt, 2u);
    parts.check();
}

void TestEvents::oneThatNeverRanGoesBackUncounted() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    parts.start();
    AttemptEnd end;
    end.state = ActionState::Abandoned;
    end.reason = Reason::EngineStopped;
    end.neverRan = true;
    parts.events.ended(Lsn(1), 1, end, parts.now, parts.out);
    QVERIFY(parts.out.retry.empty() && parts.out.finish.empty());
    QCOMPARE(parts.record(a).attempt, 0u);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
}

void TestEvents::oneThatIsReturnedHasTheSameNumberAgain() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    parts.start();
    parts.events.returned(Lsn(1), 1, parts.out);
    QCOMPARE(parts.record(a).phase, Phase::Waiting);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
    QCOMPARE(parts.record(a).attempt, 1u);
}

void TestEvents::whatRanIsNotReturned() {
    PartsOfSession parts;
    const std::uint32_t a = parts.add(1);
    parts.start();
    parts.events.running(Lsn(1), 1, parts.out);
    parts.events.returned(Lsn(1), 1, parts.out);
    QCOMPARE(parts.record(a).phase, Phase::Running);
    QCOMPARE(parts.attempts.ignored(), std::uint64_t{1});
}

void TestEvents::oneThatBeginsInASunsetIsStopped() {
    PartsOfSession parts;
    parts.add(1);
    parts.start();
    (void)parts.service.moveTo(SessionState::Sunset);
    parts.events.submitting(Lsn(1), 1, parts.out);
    QCOMPARE(parts.out.stop.size(), std::size_t{1});
    QCOMPARE(parts.out.stop.front().cause, StopCause::EngineStopped);
}

void TestEvents::theAttemptOfTheLastEngineIsDecidedLikeAnyOther() {
    PartsOfSession parts;
    NewAction died = PartsOfSession::action(1);
    died.interrupted = true;
    const std::uint32_t a = parts.add(died);
    QCOMPARE(parts.out.retry.size(), std::size_t{1});
    QCOMPARE(parts.out.retry.front().reason, Reason::EngineDied);
    QCOMPARE(parts.record(a).attempt, 1u);
    died.lsn = Lsn(2);
    died.cancelRequested = true;
    parts.add(died);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.out.finish.front().state, ActionState::Cancelled);
}

void TestEvents::whatTheLastEngineGaveAwayStaysOutUntilItsMachineSpeaks() {
    PartsOfSession parts;
    NewAction out = PartsOfSession::action(1);
    out.attempts = 2;
    out.out = MachineId(0);
    const std::uint32_t a = parts.add(out);
    QVERIFY(parts.out.start.empty());
    QCOMPARE(parts.record(a).attempt, 3u);
    QCOMPARE(parts.record(a).phase, Phase::Leased);
    QVERIFY(parts.record(a).has(Record::kOut));
    parts.attempts.check();
    QVERIFY(parts.start().empty()); // it has started
    parts.events.returned(Lsn(1), 3, parts.out);
    QCOMPARE(parts.record(a).attempt, 2u);
    QCOMPARE(parts.start(), std::vector<std::int64_t>{1});
    QCOMPARE(parts.record(a).attempt, 3u);
}

void TestEvents::whatWasToBeCancelledEndsThoughAMachineHasIt() {
    PartsOfSession parts;
    NewAction out = PartsOfSession::action(1);
    out.cancelRequested = true;
    out.out = MachineId(0);
    parts.add(out);
    QCOMPARE(parts.out.finish.size(), std::size_t{1});
    QCOMPARE(parts.out.finish.front().state, ActionState::Cancelled);
}

QTEST_APPLESS_MAIN(TestEvents)
#include "tst_events.moc"
