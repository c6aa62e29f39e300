// What must hold however many actions there are: starvation, shares, and the mistakes that a first draft
// made. Work is counted in calls and decisions, never in seconds.
#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"
#include "core/session/wait_reasons.h"
#include "tests/session/machine.h"

#include <QTest>
#include <map>
#include <vector>

using namespace yard;
using namespace yard::session;
using yard::session::test::Machine;

class TestBounds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lowPriorityStartsWithinSixteenUnderASteadyStreamOfHigh();
    void theTurnOfTheOldestSurvivesALeaseThatComesBack();
    void sharesFollowWeights();
    void largeActionsCostMoreOfTheirShare();
    void manyBlockedLanesCostADecisionNothing();
    void aFreedLockCostsAsMuchAsWhatCanHaveIt_data();
    void aFreedLockCostsAsMuchAsWhatCanHaveIt();
    void aFreedLockIsOfferedOnceInEachQueue();
    void aRetryIsCountedOnceItIsKept();
    void cancelledActionsInFrontDoNotHangAQueue();
    void cancelledActionsInFrontAreSkippedInParts();
    void cancellingAMillionInAQueueIsAtOnceAndInSteps();
    void whatIsCancelledInTwoPartsDoesNotStartInBetween();
    void aWalkShowsWhatLivesInOrder();
    void abandoningIsAtOnceAndInSteps();
    void cancelAndSubmitInAHeldQueueDoesNotGrow();
    void shapesPastTheLimitStillStart();
    void aMillionTimersFireInParts();
    void forgottenQueuesLeaveNothingBehind();
    void queueOrderIsFairAfterHoldOfMany();
    void somethingLargeIsNotStarvedBySmallOnes();
    void somethingLargeIsNotStarvedBySlowOnes();
    void aReservationEndsWithWhatItIsFor();
    void positionsAmongAMillionAreAboutRight();
    void whatIsKeptLongLeavesItsResourcesToOthers();
    void whatIsKeptLongIsNotCountlessEither();
    void whatIsOnItsWayToTheJournalIsRunningAndHoldsNothing();
};

void TestBounds::lowPriorityStartsWithinSixteenUnderASteadyStreamOfHigh() {
    Machine m(1);
    const Lsn low = m.submit(0, -100);
    for (int i = 0; i < 40; ++i) {
        m.submit(0, 100);
        m.submit(0, 100);
        m.schedule();
        m.complete();
        if (m.started.back().lsn == low) {
            QCOMPARE(m.started.size(), std::size_t{16});
            return;
        }
    }
    QFAIL("never started");
}

void TestBounds::theTurnOfTheOldestSurvivesALeaseThatComesBack() {
    Machine m(1);
    const Lsn low = m.submit(0, -100);
    for (int i = 0; i < 15; ++i) {
        m.submit(0, 100);
        m.schedule();
        m.complete();
    }
    m.submit(0, 100);
    m.schedule();
    QCOMPARE(m.started.back().lsn, low);
    m.session.events().returned(low, 1, m.out);
    m.running.clear();
    m.schedule();
    QCOMPARE(m.started.back().lsn, low);
}

void TestBounds::sharesFollowWeights() {
    Machine m(2);
    const std::map<std::int64_t, double> weights{{1, 1}, {2, 2}, {3, 5}};
    for (const auto& [id, weight] : weights) {
        m.addQueue(id, weight);
        for (int i = 0; i < 1'000; ++i) m.submit(id);
    }
    while (m.started.size() < 800) {
        m.schedule();
        m.complete();
    }
    std::map<std::int64_t, int> starts;
    for (const Start& s : m.started) ++starts[s.queue.value];
    for (const auto& [id, weight] : weights) QVERIFY(std::abs(starts[id] - 100 * weight) <= 2);
}

void TestBounds::largeActionsCostMoreOfTheirShare() {
    Machine m(4);
    m.defineClass(1, 4);
    m.addQueue(1);
    m.addQueue(2);
    for (int i = 0; i < 400; ++i) {
        m.submit(1, 0, 1);
        m.submit(2);
    }
    for (int i = 0; i < 100; ++i) {
        m.schedule();
        m.complete();
    }
    std::map<std::int64_t, int> cores;
    for (const Start& s : m.started) cores[s.queue.value] += s.queue.value == 1 ? 4 : 1;
    QVERIFY(std::abs(cores[1] - cores[2]) <= 8);
}

void TestBounds::manyBlockedLanesCostADecisionNothing() {
    // Mistake (i), first half: parking each lane that does not fit made the first decision walk all of them.
    Machine m(2);
    m.defineClass(1, 2);
    m.submit();
    m.schedule();
    for (std::uint32_t cls = 2; cls < 50'000; ++cls) {
        m.defineClass(cls, 2);
        m.submit(0, 5, cls);
    }
    QCOMPARE(m.schedule(), std::size_t{0});
    QCOMPARE(m.calls, 1);
    m.submit();
    QCOMPARE(m.schedule(), std::size_t{1});
    QCOMPARE(m.calls, 1);
    m.complete();
    QCOMPARE(m.schedule(), std::size_t{1});
    QCOMPARE(m.calls, 1);
}

void TestBounds::aFreedLockCostsAsMuchAsWhatCanHaveIt_data() {
    QTest::addColumn<bool>("andOneOfItsOwn");
    QTest::newRow("one lock") << false;
    QTest::newRow("two locks, one of its own") << true;
}

void TestBounds::aFreedLockCostsAsMuchAsWhatCanHaveIt() {
    // A thousand lanes that claim one lock: each time it was freed all that were left were woken, 499,500 lanes.
    QFETCH(const bool, andOneOfItsOwn);
    constexpr std::uint32_t kLanes = 1'000;
    Machine m(4);
    for (std::uint32_t cls = 1; cls <= kLanes; ++cls) {
        m.defineLocking(cls, andOneOfItsOwn ? std::vector{LockId(0), LockId(cls)} : std::vector{LockId(0)});
        m.submit(0, static_cast<int>(cls % 7), cls);
    }
    QCOMPARE(m.schedule(), std::size_t{1});
    QCOMPARE(m.session.views().counts().lanesWoken, 0u);
    for (std::uint32_t i = 1; i < kLanes; ++i) {
        m.complete();
        QCOMPARE(m.schedule(), std::size_t{1});
        if (i % 100 == 0) m.session.check();
    }
    m.complete();
    QCOMPARE(m.session.views().counts().all.completed, static_cast<std::int64_t>(kLanes));
    const std::uint64_t woken = m.session.views().counts().lanesWoken;
    QVERIFY2(woken <= 2 * kLanes + 100, std::to_string(woken).c_str());
    if (andOneOfItsOwn) return; // those that were refused eight times go one after the other
    // By priority, then age, but for the turns of the oldest.
    std::vector<std::pair<int, std::int64_t>> byKey;
    for (std::size_t i = 0; i < m.started.size(); ++i)
        if (i % 16 != 15) byKey.emplace_back(-static_cast<int>(m.started[i].lsn.value % 7), m.started[i].lsn.value);
    QVERIFY(std::ranges::is_sorted(byKey));
}

void TestBounds::aFreedLockIsOfferedOnceInEachQueue() {
    constexpr std::int64_t kQueues = 20;
    constexpr int kPriorities = 50;
    Machine m(4);
    m.defineLocking(1, {LockId(0)});
    for (std::int64_t queue = 1; queue <= kQueues; ++queue) {
        m.addQueue(queue);
        for (int priority = 0; priority < kPriorities; ++priority) m.submit(queue, priority, 1);
    }
    m.schedule();
    constexpr std::int64_t kAll = kQueues * kPriorities;
    for (std::int64_t i = 1; i < kAll; ++i) {
        m.complete();
        QCOMPARE(m.schedule(), std::size_t{1});
    }
    m.complete();
    m.session.check();
    QCOMPARE(m.session.views().counts().all.completed, kAll);
    const std::uint64_t woken = m.session.views().counts().lanesWoken;
    QVERIFY2(woken <= static_cast<std::uint64_t>((kQueues + 2) * kAll), std::to_string(woken).c_str());
}

void TestBounds::aRetryIsCountedOnceItIsKept() {
    Machine m(1);
    const Lsn lsn = m.submit();
    m.schedule();
    AttemptEnd end;
    end.state = ActionState::Failed;
    end.reason = Reason::ExitCode;
    m.session.events().ended(lsn, 1, end, m.now, m.out);
    QCOMPARE(m.out.retry.size(), std::size_t{1});
    QCOMPARE(m.out.retry.front().retries.retryCount, 1);
    QVERIFY(m.session.views().live(lsn)->state == ActionState::Running);
    QCOMPARE(m.session.views().live(lsn)->retries.retryCount, 0);
    m.session.events().retryStored(lsn, m.out);
    QVERIFY(m.session.views().live(lsn)->state == ActionState::Pending);
    QCOMPARE(m.session.views().live(lsn)->retries.retryCount, 1);
}

void TestBounds::cancelledActionsInFrontDoNotHangAQueue() {
    // Mistake (i), second half: a wake-up spent on a lane of cancelled actions was lost, the machine stood still.
    Machine m(1);
    std::vector<Lsn> doomed;
    m.submit();
    m.schedule();
    for (std::uint32_t cls = 1; cls <= 300; ++cls) {
        m.defineClass(cls, 1);
        doomed.push_back(m.submit(0, 5, cls));
        m.submit(0, 0, cls);
    }
    for (const Lsn lsn : doomed) QVERIFY(m.session.actions().cancel(lsn, m.out));
    m.settle();
    for (int i = 0; i < 300; ++i) {
        m.complete();
        QCOMPARE(m.schedule(), std::size_t{1});
    }
    m.complete();
    QCOMPARE(m.session.views().counts().all.pending, 0);
    QCOMPARE(m.session.views().counts().all.completed, 301);
    m.session.check();
}

void TestBounds::cancelledActionsInFrontAreSkippedInParts() {
    Machine m(1);
    QVERIFY(m.session.queues().hold(QueueId(0), m.out));
    std::vector<Lsn> doomed;
    for (int i = 0; i < 4'000; ++i) doomed.push_back(m.submit());
    const Lsn last = m.submit();
    for (const Lsn lsn : doomed) QVERIFY(m.session.actions().cancel(lsn, m.out));
    m.settle();
    QVERIFY(m.session.queues().release(QueueId(0)));
    QCOMPARE(m.schedule(), std::size_t{1});
    QCOMPARE(m.started.back().lsn, last);
    QVERIFY2(m.calls >= 4, "a call takes out no more than 1,000");
    m.session.check();
}

void TestBounds::cancellingAMillionInAQueueIsAtOnceAndInSteps() {
    const int n = 100'000;
    Machine m(1);
    m.addQueue(1);
    for (int i = 0; i < n; ++i) m.submit(1, i % 5, 0, i % 10 == 0);
    m.schedule();
    QVERIFY(m.session.queues().cancel(QueueId(1), m.out));
    QCOMPARE(m.out.finish.size(), std::size_t{0});
    QCOMPARE(m.out.stop.size(), std::size_t{1});
    m.complete();
    m.submit();
    QCOMPARE(m.schedule(), std::size_t{1});
    QVERIFY(m.steps() >= n / 1'000);
    QVERIFY(m.most <= 1'000);
    QCOMPARE(m.session.views().queue(QueueId(1))->counters.cancelled, n);
    m.session.check();
}

void TestBounds::whatIsCancelledInTwoPartsDoesNotStartInBetween() {
    Machine m(1);
    const Lsn running = m.submit();
    m.schedule();
    const Lsn parent = m.submit();
    std::vector<Lsn> doomed;
    for (int i = 0; i < 100; ++i) doomed.push_back(m.submit(0, 50, 0, i % 10 == 0));
    NewAction child;
    child.lsn = Lsn(++m.lsn);
    child.submitTime = m.lsn;
    const Predecessor after{.lsn = parent, .on = DependencyOn::Failed};
    child.after = {&after, 1};
    m.session.intake().add({&child, 1}, m.now, m.out);
    doomed.push_back(child.lsn);
    NewAction later;
    later.lsn = Lsn(++m.lsn);
    later.notBefore = m.now + Duration{5};
    later.submitTime = m.lsn;
    m.session.intake().add({&later, 1}, m.now, m.out);
    doomed.push_back(later.lsn);

    QCOMPARE(m.session.actions().cancelLater(running, m.out).value_or(true), false);
    QCOMPARE(m.out.stop.size(), std::size_t{1});
    for (const Lsn lsn : doomed) QCOMPARE(m.session.actions().cancelLater(lsn, m.out).value_or(false), true);
    QCOMPARE(m.out.finish.size(), std::size_t{0});
    QCOMPARE(m.session.actions().cancelLater(Lsn(9'999), m.out).error().kind, ErrorKind::NotFound);
    QCOMPARE(m.session.actions().setPriority(doomed[0], 3).error().kind, ErrorKind::WrongState);
    QVERIFY(m.session.actions().release(doomed[0]));
    m.session.check();
    m.now += Duration{10};
    m.complete();
    QCOMPARE(m.schedule(), std::size_t{1});
    QCOMPARE(m.started.back().lsn, parent);
    m.complete(); // what the child waits for ends otherwise: it ends cancelled all the same
    QCOMPARE(m.schedule(), std::size_t{0});
    m.session.check();
    for (const Lsn lsn : doomed) {
        m.session.actions().finishCancelled(lsn, m.out);
        m.session.actions().finishCancelled(lsn, m.out);
    }
    QCOMPARE(m.out.finish.size(), doomed.size());
    m.settle();
    const QueueCounters counters = m.session.views().queue(QueueId(0))->counters;
    QCOMPARE(counters.cancelled, static_cast<std::int64_t>(doomed.size()) + 1);
    QCOMPARE(counters.pending, 0);
    m.session.check();
}

void TestBounds::aWalkShowsWhatLivesInOrder() {
    Machine m(1);
    std::vector<Lsn> lives;
    for (int i = 0; i < 3'000; ++i) lives.push_back(m.submit(0, i % 3));
    for (int i = 0; i < 3'000; i += 2)
        QVERIFY(m.session.actions().cancel(lives[static_cast<std::size_t>(i)], m.out));
    m.settle();
    std::vector<Lsn> walked;
    int steps = 0;
    for (Lsn next{1}; next.value > 0; ++steps)
        next = m.session.views().walk(next, 100, [&](const LiveView& live) { walked.push_back(live.lsn); });
    QCOMPARE(walked.size(), std::size_t{1'500});
    QCOMPARE(steps, 16);
    for (std::size_t i = 0; i < walked.size(); ++i) QCOMPARE(walked[i], lives[2 * i + 1]);
}

void TestBounds::abandoningIsAtOnceAndInSteps() {
    const int n = 100'000;
    Machine m(2);
    for (int i = 0; i < n; ++i) m.submit(0, i % 3, 0, i % 10 == 0);
    m.schedule();
    QVERIFY(m.session.moveTo(SessionState::Abandoned, m.out));
    QCOMPARE(m.session.views().counts().all.abandoned, n);
    QCOMPARE(m.session.views().counts().all.active(), 0);
    QVERIFY(m.steps() >= n / 1'000);
    QVERIFY(m.most <= 1'000);
    QCOMPARE(m.session.views().queue(QueueId(0))->counters.abandoned, n);
    m.complete();
    m.session.check();
    QVERIFY2(m.session.memoryBytes() < 2'000'000, "what is over leaves no memory behind");
}

void TestBounds::cancelAndSubmitInAHeldQueueDoesNotGrow() {
    Machine m(1);
    QVERIFY(m.session.queues().hold(QueueId(0), m.out));
    for (int i = 0; i < 10; ++i) m.submit(0, i);
    std::size_t after = 0;
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 5'000; ++i) {
            QVERIFY(m.session.actions().cancel(m.submit(0, i % 10), m.out));
            m.settle();
        }
        m.steps();
        if (round == 3) after = m.session.memoryBytes();
    }
    QVERIFY(m.session.memoryBytes() <= after);
    m.session.check();
    QCOMPARE(m.session.views().counts().all.pending, 10);
}

void TestBounds::shapesPastTheLimitStillStart() {
    Machine m(1);
    Resources need;
    for (std::uint32_t i = 1; i <= 1'000; ++i) {
        need.milliCores = i;
        m.session.defineClass(ClassId(i), need);
        m.submit(0, 0, i);
    }
    for (int i = 0; i < 1'000 && m.session.views().counts().all.pending > 0; ++i) {
        m.schedule();
        m.complete();
    }
    QCOMPARE(m.session.views().counts().all.completed, 1'000);
}

void TestBounds::aMillionTimersFireInParts() {
    Machine m(1);
    for (int i = 0; i < 20'000; ++i) {
        NewAction a;
        a.lsn = Lsn(++m.lsn);
        a.submitTime = 100'000 - i;
        a.notBefore = m.now + Duration{1'000};
        m.session.intake().add({&a, 1}, m.now, m.out);
    }
    QCOMPARE(m.schedule(), std::size_t{0});
    m.now += Duration{1'000};
    QCOMPARE(m.schedule(), std::size_t{1});
    QCOMPARE(m.calls, 20);
    QVERIFY(!m.session.nextWake());
    m.session.check();
}

void TestBounds::forgottenQueuesLeaveNothingBehind() {
    Machine m(2);
    std::size_t after = 0;
    for (int round = 0; round < 2'000; ++round) {
        const std::int64_t id = round + 1;
        m.addQueue(id);
        for (int i = 0; i < 3; ++i) m.submit(id, 0, 0, i == 2);
        m.schedule();
        QVERIFY(m.session.queues().forget(QueueId(id), m.out));
        m.steps();
        m.complete();
        m.schedule();
        m.steps();
        if (round == 100) after = m.session.memoryBytes();
    }
    QCOMPARE(m.forgotten.size(), std::size_t{2'000});
    QVERIFY(m.session.memoryBytes() <= after + 4'096);
    QCOMPARE(m.session.views().counts().all.cancelled, 6'000);
    m.session.check();
}

void TestBounds::queueOrderIsFairAfterHoldOfMany() {
    Machine m(1);
    for (std::int64_t id = 1; id <= 50; ++id) {
        m.addQueue(id);
        for (int i = 0; i < 20; ++i) m.submit(id);
        QVERIFY(m.session.queues().hold(QueueId(id), m.out));
    }
    m.submit();
    m.schedule();
    m.complete();
    for (std::int64_t id = 1; id <= 50; ++id) QVERIFY(m.session.queues().release(QueueId(id)));
    for (int i = 0; i < 500; ++i) {
        m.schedule();
        m.complete();
    }
    std::map<std::int64_t, int> starts;
    for (const Start& s : m.started) ++starts[s.queue.value];
    for (std::int64_t id = 1; id <= 50; ++id) QVERIFY(std::abs(starts[id] - 10) <= 1);
}

namespace {

/// A stream of small actions that never leaves both cores of a machine free; one action that needs both.
struct SmallBeforeLarge : Machine {
    SmallBeforeLarge()
        : Machine(2) {
        defineClass(1, 2);
        addQueue(1);
        addQueue(2);
        submit(1);
        submit(1);
        schedule();
        large = submit(2, 100, 1);
    }
    /// Starts of small ones until the large one starts; `limit` when it does not.
    int smallOnesBefore(int limit, Duration each) {
        for (int n = 0; n < limit; ++n) {
            submit(1);
            submit(1);
            now += each;
            completeOne();
            schedule();
            if (!running.empty() && running.back().lsn == large) return n;
        }
        return limit;
    }
    Lsn large;
};

} // namespace

void TestBounds::somethingLargeIsNotStarvedBySmallOnes() {
    SmallBeforeLarge m;
    const int before = m.smallOnesBefore(5'000, Duration{10});
    QVERIFY2(before >= 990 && before <= 1'010, std::to_string(before).c_str());
    m.completeOne();
    QCOMPARE(m.schedule(), std::size_t{2}); // the reservation is over
    m.session.check();
}

void TestBounds::somethingLargeIsNotStarvedBySlowOnes() {
    SmallBeforeLarge m;
    const int before = m.smallOnesBefore(100, Duration{10'000'000}); // 10 s each
    QVERIFY2(before >= 3 && before <= 6, std::to_string(before).c_str());
}

void TestBounds::aReservationEndsWithWhatItIsFor() {
    SmallBeforeLarge m;
    for (int i = 0; i < 5; ++i) { // passed over for 50 s: one core is kept free
        m.submit(1);
        m.now += Duration{10'000'000};
        m.completeOne();
        m.schedule();
    }
    QCOMPARE(m.running.size(), std::size_t{1});
    QVERIFY(m.session.actions().cancel(m.large, m.out).has_value());
    m.settle();
    QCOMPARE(m.schedule(), std::size_t{1});
    m.session.check();
}

void TestBounds::positionsAmongAMillionAreAboutRight() {
    Machine m(1);
    m.submit();
    m.schedule();
    constexpr std::int64_t kMillion = 1'000'000;
    const std::int64_t first = m.lsn + 1;
    for (std::int64_t i = 0; i < kMillion; ++i) m.submit();
    for (const std::int64_t before : {0L, 500L, 20'000L, 500'000L, 999'999L}) {
        const auto waiting = m.session.reasons().of(Lsn(first + before), true);
        QVERIFY(waiting && waiting->position);
        QCOMPARE(waiting->position->isExact, before < 1'000);
        const double error = static_cast<double>(waiting->position->before - before);
        QVERIFY2(std::abs(error) <= 0.01 * static_cast<double>(before), std::to_string(error).c_str());
    }
}

void TestBounds::whatIsKeptLongLeavesItsResourcesToOthers() {
    Machine m(2);
    QueueConfig one;
    one.maxRunning = 1;
    m.session.queues().add(QueueId(1), one);
    m.defineClass(2, 2);
    m.defineLocking(3, {LockId(1)});
    m.submit(1, 0, 3);
    m.schedule();
    const Start kept = m.started.back();
    m.session.events().keeping(kept.lsn, kept.attempt);
    QCOMPARE(m.session.views().live(kept.lsn)->state, ActionState::Pending); // it has not said that it began
    m.session.events().running(kept.lsn, kept.attempt, m.out);
    QCOMPARE(m.session.views().live(kept.lsn)->state, ActionState::Running);
    QVERIFY(m.session.views().live(kept.lsn)->keeping);
    const Lsn large = m.submit(0, 0, 2); // all cores
    m.schedule();
    QVERIFY(m.hasStarted(large));
    QVERIFY(m.completeOf(2));
    // Its queue and its lock know it to run.
    const Lsn next = m.submit(1);
    const Lsn locked = m.submit(0, 0, 3);
    m.schedule();
    QVERIFY(!m.hasStarted(next) && !m.hasStarted(locked));
    m.session.check();
    m.session.events().ended(kept.lsn, kept.attempt, Machine::completed(), m.now, m.out);
    m.settle();
    QVERIFY(!m.session.views().live(kept.lsn));
    m.running.clear();
    m.schedule();
    QVERIFY(m.hasStarted(next) && m.hasStarted(locked));
    QCOMPARE(m.submit(0), Lsn(5)); // and has given them back once
    QCOMPARE(m.schedule(), std::size_t{0});
    m.session.check();
}

void TestBounds::whatIsKeptLongIsNotCountlessEither() {
    Machine m(1);
    for (int i = 0; i < 40; ++i) m.submit();
    int kept = 0;
    for (; m.schedule() > 0 && kept < 40; ++kept) {
        m.session.events().keeping(m.started.back().lsn, 1);
        m.session.events().keeping(m.started.back().lsn, 1); // once is enough
        m.session.check();
    }
    QCOMPARE(kept, SessionOptions().maxKeeping + 1); // the last one has its core until its end
    m.completeAt(0);
    QCOMPARE(m.schedule(), std::size_t{0});
    m.completeAt(m.running.size() - 1);
    QCOMPARE(m.schedule(), std::size_t{1});
    m.session.check();
}

void TestBounds::whatIsOnItsWayToTheJournalIsRunningAndHoldsNothing() {
    Machine m(1);
    const Lsn first = m.submit();
    const Lsn next = m.submit();
    QCOMPARE(m.schedule(), std::size_t{1});
    const Start start = m.started.back();
    QCOMPARE(start.lsn, first);
    m.session.events().running(first, start.attempt, m.out);
    m.session.events().ended(first, start.attempt, Machine::completed(), m.now, m.out);
    // Its core is free before its result is kept; until then it is seen running, and counted so.
    while (m.session.schedule(m.now, m.out)) {
    }
    QCOMPARE(m.out.start.size(), std::size_t{1});
    QCOMPARE(m.out.start.front().lsn, next);
    m.session.events().running(next, m.out.start.front().attempt, m.out);
    QCOMPARE(m.session.views().live(first)->state, ActionState::Running);
    QCOMPARE(m.session.views().live(next)->state, ActionState::Running);
    QCOMPARE(m.session.views().counts().all.running, 2);
    QCOMPARE(m.session.views().counts().outstanding, 1);
    m.session.check();
    m.settle();
    QVERIFY(!m.session.views().live(first));
    QCOMPARE(m.session.views().counts().all.running, 1);
    m.session.check();
}

QTEST_APPLESS_MAIN(TestBounds)
#include "tst_bounds.moc"
