// No action waits forever (docs/scheduling.md): the turn of the oldest, kept where it lacks a lock, a place of its
// label or resources. The machine is against it: what it lacks is never there when the turn comes.
#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"
#include "core/session/resource_holds.h"
#include "core/session/wait_reasons.h"
#include "tests/session/machine.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::session;
using yard::session::test::Machine;

namespace {

constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kLocked = 1;
constexpr std::uint32_t kOther = 2;
constexpr std::uint32_t kBoth = 3;
constexpr std::uint32_t kLarge = 4;
constexpr std::uint32_t kLabel = 7;
constexpr int kUrgent = 100;

/// Two cores. What is urgent never runs out.
struct Adversary : Machine {
    Adversary()
        : Machine(2) {
        defineLocking(kLocked, {LockId(0)});
        defineLocking(kOther, {LockId(1)});
        defineLocking(kBoth, {LockId(0), LockId(1)});
        defineClass(kLarge, 2);
    }
    /// The next start of the queue is the turn of its oldest.
    bool isTurnNext() const { return started.size() % 16 == 15; }
    /// Ends what holds something only when no turn comes next; else something that holds nothing.
    void endOne(std::uint32_t holding) {
        if (isTurnNext() || !completeOf(holding))
            if (!completeOf(kPlain)) completeOne();
    }
};

std::string text(std::size_t n) {
    return fmt::format("after {} starts", n);
}

} // namespace

class TestTurns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWaitsOfAClassThatChangesGoesWithIt();
    void whatNeedsAHeldLockStartsWithinItsBound();
    void eachOlderOneCostsSixteenStartsMore();
    void aTurnIsKeptForBothLocks();
    void aTurnBehindALimitOfItsLabelIsKept();
    void eachOlderOneOfALabelCostsSixteenPlacesMore();
    void aTurnThatLacksRoomIsKept();
    void aKeptTurnEndsWithItsAction_data();
    void aKeptTurnEndsWithItsAction();
    void aKeptTurnIsNotLostWithALeaseThatComesBack();
    void turnsThatNeedEachOthersLocksAllStart();
    void noLockIsKeptForWhatAnotherEngineKeepsWaiting();
    void keptTurnsHaveALimit();
};

void TestTurns::whatWaitsOfAClassThatChangesGoesWithIt() {
    Machine m(3);
    m.defineLocking(kLocked, {LockId(0)});
    m.defineLocking(kOther, {LockId(0)});
    m.defineClass(kLarge, 4);
    m.submit(0, 0, kOther);
    const Lsn blocked = m.submit(0, 0, kLocked);
    m.submit(0, 5, kLarge);
    m.submit(0, 0, kLarge);
    QCOMPARE(m.schedule(), std::size_t{1});
    m.defineClass(kLarge, 1);
    m.session.check();
    QCOMPARE(m.schedule(), std::size_t{2});
    Resources two;
    two.milliCores = 2'000;
    m.session.defineClass(ClassId(kLocked), two, {LockId(0)});
    m.session.check();
    QCOMPARE(m.schedule(), std::size_t{0});
    m.complete();
    QCOMPARE(m.schedule(), std::size_t{1});
    QVERIFY(m.hasStarted(blocked));
    m.session.check();
}

void TestTurns::whatNeedsAHeldLockStartsWithinItsBound() {
    Adversary m;
    m.submit(0, kUrgent, kLocked);
    const Lsn low = m.submit(0, -100, kLocked);
    for (int i = 0; i < 200 && !m.hasStarted(low); ++i) {
        m.submit(0, kUrgent, kLocked);
        m.submit(0, kUrgent, kPlain);
        m.schedule();
        m.endOne(kLocked);
        m.session.check();
    }
    QVERIFY2(m.started.size() <= 18, text(m.started.size()).c_str());
}

void TestTurns::eachOlderOneCostsSixteenStartsMore() {
    constexpr int kOlder = 5;
    Adversary m;
    m.submit(0, kUrgent, kLocked);
    for (int i = 0; i < kOlder; ++i) m.submit(0, -100 + i, i % 2 == 0 ? kLocked : kPlain);
    const Lsn low = m.submit(0, -100, kLocked);
    for (int i = 0; i < 1'000 && !m.hasStarted(low); ++i) {
        m.submit(0, kUrgent, kLocked);
        m.submit(0, kUrgent, kPlain);
        m.schedule();
        m.endOne(kLocked);
        m.session.check();
    }
    QVERIFY2(m.hasStarted(low) && m.started.size() <= 17 * (kOlder + 1) + 1, text(m.started.size()).c_str());
}

void TestTurns::aTurnIsKeptForBothLocks() {
    Adversary m;
    m.submit(0, kUrgent, kLocked);
    m.submit(0, kUrgent, kOther);
    m.schedule();
    const Lsn low = m.submit(0, -100, kBoth);
    bool first = true;
    for (int i = 0; i < 200 && !m.hasStarted(low); ++i) { // one of the two is always held
        m.submit(0, kUrgent, kLocked);
        m.submit(0, kUrgent, kOther);
        m.submit(0, kUrgent - 1, kPlain);
        if (!m.completeOf(first ? kLocked : kOther)) m.completeOne();
        first = !first;
        m.schedule();
        m.session.check();
    }
    QVERIFY2(m.started.size() <= 20, text(m.started.size()).c_str());
}

void TestTurns::aTurnBehindALimitOfItsLabelIsKept() {
    Adversary m;
    m.session.queues().setLabelLimits(QueueId(0), {{LabelId(kLabel), 1}});
    m.submit(0, kUrgent, kOther, false, kLabel);
    m.schedule();
    const Lsn low = m.submit(0, -100, kOther, false, kLabel);
    int places = 0;
    for (int i = 0; i < 1'000 && !m.hasStarted(low); ++i) {
        m.submit(0, kUrgent - 1, kPlain);
        if (m.isTurnNext() || !m.completeOf(kOther)) {
            m.completeOf(kPlain);
        } else {
            ++places;
            m.submit(0, kUrgent, kOther, false, kLabel); // comes while the place is free
        }
        m.schedule();
        m.session.check();
    }
    QVERIFY2(m.hasStarted(low) && places <= 17, fmt::format("after {} places", places).c_str());
    QCOMPARE(m.session.reasons().of(m.submit(0, 0, kOther, false, kLabel), false)->labelLimit->running, 1);
}

void TestTurns::eachOlderOneOfALabelCostsSixteenPlacesMore() {
    constexpr int kOlder = 3;
    Adversary m;
    m.session.queues().setLabelLimits(QueueId(0), {{LabelId(kLabel), 1}});
    m.submit(0, kUrgent, kOther, false, kLabel);
    m.schedule();
    for (int i = 0; i < kOlder; ++i) m.submit(0, -50, kOther, false, kLabel);
    const Lsn low = m.submit(0, -100, kOther, false, kLabel);
    int places = 0;
    for (int i = 0; i < 5'000 && !m.hasStarted(low); ++i) {
        m.submit(0, kUrgent - 1, kPlain);
        if (m.isTurnNext() || !m.completeOf(kOther)) {
            m.completeOf(kPlain);
        } else {
            ++places;
            m.submit(0, kUrgent, kOther, false, kLabel);
        }
        m.schedule();
        m.session.check();
    }
    QVERIFY2(m.hasStarted(low) && places <= 17 * (kOlder + 1), fmt::format("after {} places", places).c_str());
}

void TestTurns::aTurnThatLacksRoomIsKept() {
    Adversary m;
    m.submit(0, kUrgent, kPlain);
    m.schedule();
    const Lsn low = m.submit(0, -100, kLarge);
    bool sawTurn = false;
    for (int i = 0; i < 100 && !m.hasStarted(low); ++i) {
        m.submit(0, kUrgent, kPlain);
        m.submit(0, kUrgent, kLarge);
        const bool turn = m.isTurnNext();
        if (turn) { // only one core is free when its turn comes
            while (m.running.size() > 1) m.completeOne();
            if (!m.running.empty() && m.running.front().cls == ClassId(kLarge)) m.complete();
            if (m.running.empty()) { // a small one first, so that the next turn comes with one core free
                m.session.check();
                m.schedule();
                continue;
            }
        } else {
            m.complete();
        }
        m.schedule();
        sawTurn = sawTurn || turn;
        m.session.check();
    }
    QVERIFY2(m.hasStarted(low), text(m.started.size()).c_str());
    QVERIFY2(m.started.size() <= 18, text(m.started.size()).c_str());
}

/// One whose turn is kept for a lock that `holder` has.
struct Kept : Adversary {
    Kept() {
        holder = submit(0, kUrgent, kLocked);
        schedule();
        low = submit(0, -100, kBoth);
        for (int i = 0; i < 16; ++i) {
            submit(0, kUrgent, kPlain);
            schedule();
            completeOf(kPlain);
        }
    }
    Lsn holder;
    Lsn low;
};

void TestTurns::aKeptTurnEndsWithItsAction_data() {
    QTest::addColumn<int>("how");
    QTest::newRow("cancelled") << 0;
    QTest::newRow("held") << 1;
    QTest::newRow("moved") << 2;
    QTest::newRow("its queue is held") << 3;
    QTest::newRow("another priority") << 4;
}

void TestTurns::aKeptTurnEndsWithItsAction() {
    QFETCH(int, how);
    Kept m;
    m.addQueue(1);
    const Lsn other = m.submit(1, 0, kOther); // the lock is free, and kept
    QCOMPARE(m.schedule(), std::size_t{0});
    QVERIFY(!m.session.reasons().of(other, false)->locks.empty());
    m.session.check();
    if (how == 0) QVERIFY(m.session.actions().cancel(m.low, m.out).has_value());
    if (how == 1) QVERIFY(m.session.actions().hold(m.low, m.out).has_value());
    if (how == 2) QVERIFY(m.session.actions().setQueue(m.low, QueueId(1)).has_value());
    if (how == 3) QVERIFY(m.session.queues().hold(QueueId(0), m.out).has_value());
    if (how == 4) QVERIFY(m.session.actions().setPriority(m.low, -50).has_value());
    m.settle();
    m.session.check();
    QCOMPARE(m.schedule(), std::size_t{1});
    QCOMPARE(m.started.back().lsn, other);
    if (how == 1) QVERIFY(m.session.actions().release(m.low).has_value());
    if (how == 3) QVERIFY(m.session.queues().release(QueueId(0)).has_value());
    m.complete();
    m.schedule();
    QCOMPARE(m.hasStarted(m.low), how != 0);
    m.session.check();
}

void TestTurns::aKeptTurnIsNotLostWithALeaseThatComesBack() {
    Kept m;
    m.completeOf(kLocked);
    for (int i = 0; i < 3; ++i) m.submit(0, kUrgent, kLocked);
    m.schedule();
    QVERIFY(m.hasStarted(m.low));
    std::erase_if(m.running, [&](const Start& s) { return s.lsn == m.low; });
    m.session.events().returned(m.low, 1, m.out);
    m.schedule();
    QCOMPARE(m.running.back().lsn, m.low);
    QCOMPARE(m.running.back().attempt, 1u);
    m.session.check();
}

void TestTurns::turnsThatNeedEachOthersLocksAllStart() {
    // Three queues keep turns for overlapping sets; claims are served in one order, so none waits for itself.
    Machine m(6);
    const std::vector<std::vector<LockId>> sets{
        {LockId(0), LockId(1)}, {LockId(1), LockId(2)}, {LockId(2), LockId(0)}};
    std::vector<Lsn> low;
    for (std::uint32_t i = 0; i < 3; ++i) {
        m.defineLocking(10 + i, {LockId(i)});
        m.defineLocking(20 + i, sets[i]);
        m.addQueue(i + 1);
        m.submit(i + 1, kUrgent, 10 + i);
        m.schedule();
        low.push_back(m.submit(i + 1, -100, 20 + i));
    }
    for (int round = 0; round < 60; ++round) {
        for (std::uint32_t i = 0; i < 3; ++i) {
            m.submit(i + 1, kUrgent, 10 + i);
            m.submit(i + 1, kUrgent, kPlain);
        }
        if (!m.completeOf(10 + static_cast<std::uint32_t>(round % 3))) m.completeOne();
        m.completeOf(kPlain);
        m.schedule();
        m.session.check();
    }
    for (const Lsn lsn : low) QVERIFY(m.hasStarted(lsn));
}

void TestTurns::noLockIsKeptForWhatAnotherEngineKeepsWaiting() {
    Kept m;
    m.session.holds().setLockElsewhere(LockId(1), true);
    m.session.check();
    m.completeOf(kLocked);
    const Lsn next = m.submit(0, kUrgent, kLocked);
    m.schedule();
    QCOMPARE(m.started.back().lsn, next);
    m.session.holds().setLockElsewhere(LockId(1), false);
    m.completeOf(kLocked);
    m.schedule();
    QCOMPARE(m.started.back().lsn, m.low);
    m.session.check();
}

void TestTurns::keptTurnsHaveALimit() {
    constexpr std::uint32_t kMany = 1'010;
    Machine m(2);
    m.defineLocking(1, {LockId(0)});
    m.submit(0, 0, 1);
    QCOMPARE(m.schedule(), std::size_t{1});
    std::vector<Lsn> waiting;
    for (std::uint32_t i = 1; i <= kMany; ++i) {
        m.defineLocking(2 * i, {LockId(0), LockId(i)});
        m.defineLocking(2 * i + 1, {LockId(i)});
        waiting.push_back(m.submit(0, 0, 2 * i));
    }
    for (std::uint32_t i = 0; i < 16 * kMany; ++i) { // each 16th keeps one of them its turn
        m.submit(0, kUrgent);
        m.schedule();
        m.completeOf(kPlain);
    }
    m.session.check();
    m.addQueue(1);
    const Lsn kept = m.submit(1, 0, 2 * 1'000 + 1);
    const Lsn free = m.submit(1, 0, 2 * kMany + 1);
    m.schedule();
    QVERIFY(!m.hasStarted(kept));
    QVERIFY(m.hasStarted(free));
    // All of them start in the end.
    for (std::uint32_t i = 0; i < 2 * kMany && m.session.views().counts().all.pending > 0; ++i) {
        m.complete();
        m.schedule();
    }
    QCOMPARE(m.session.views().counts().all.pending, 0);
    m.session.check();
}

QTEST_APPLESS_MAIN(TestTurns)
#include "tst_turns.moc"
