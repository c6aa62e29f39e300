// What a user of warm workers can rely on, rule by rule.
#include "tests/pool/pool_test.h"

using namespace yard;
using namespace yard::pool;

class TestPoolRules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFirstRequestSpawnsAndWaits();
    void anIdleProcessIsUsedBeforeAnotherIsSpawned();
    void theProcessUsedLastIsUsedNext();
    void allBusySpawnsInTheBackgroundAndTheFirstFreeServes();
    void aPrivateQueueTakesTheLeastBusyProcess();
    void concurrencyFillsAProcessBeforeTheNext();
    void aheadGoesBeyondConcurrency();
    void maxPerGroupHolds();
    void maxHoldsAndANewGroupWaits();
    void raisingMaxWakesThoseWhoWait();
    void loweringMaxEndsWhatIsIdle();
    void loweringMaxPerGroupEndsWhatIsIdle();
    void aFamilyOverItsLimitEndsWhatIsIdle();
    void maxRequestsRetiresAProcess();
    void idleProcessesGoAfterTheirTime();
    void idleForEverWithZero();
    void minProcessesStay();
    void minProcessesAreSpawnedAfterTheFirst();
    void minProcessesComeBackWhateverTookThem_data();
    void minProcessesComeBackWhateverTookThem();
    void aSpawnForTheFutureGivesItsPlaceToWhoWaits();
    void aPausedProcessGetsNoMoreSessionsUntilItHasNone();
    void whatOthersLackIdleProcessesGiveButNotTheMinimum();
    void aWaiterCanGiveUp();
    void aDetachedProcessFinishesItsSessions();
    void removingAGroupInterruptsItsSpawn();
    void aCrashSpawnsForThoseWhoWait();
    void whatEndsWithAnActionIsNoCrash();
    void aFailingBackgroundSpawnPauses();
};

void TestPoolRules::theFirstRequestSpawnsAndWaits() {
    PoolTest t;
    const GroupId g = t.group("a");
    QVERIFY(!t.checkout(g, 7));
    QCOMPARE(t.starting.size(), 1u);
    QVERIFY(!t.checkout(g, 8));
    QCOMPARE(t.starting.size(), 1u); // one at a time
    const ProcessId p = t.spawnOne();
    QCOMPARE(t.served.size(), 1u);
    QCOMPARE(t.served[0].tag, 7u);
    QVERIFY(t.served[0].process == p);
    QCOMPARE(name(t.pool.process(p)->whyStarted), "first_request");
    t.close(p);
    QCOMPARE(t.served.size(), 2u);
    QCOMPARE(t.served[1].tag, 8u);
}

void TestPoolRules::anIdleProcessIsUsedBeforeAnotherIsSpawned() {
    PoolTest t;
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    QVERIFY(t.checkout(g) == p);
    QVERIFY(t.starting.empty());
    QCOMPARE(t.pool.active(), 1u);
    QCOMPARE(t.pool.group(g)->hits, 1u);
}

void TestPoolRules::theProcessUsedLastIsUsedNext() {
    PoolTest t;
    const GroupId g = t.group("a", {.globalQueue = false});
    const ProcessId first = t.warm(g);
    QVERIFY(t.checkout(g) == first);
    QVERIFY(t.checkout(g) == first); // private: in line, and one more is spawned
    const ProcessId second = t.spawnOne();
    QVERIFY(t.checkout(g) == second);
    t.close(second);
    t.close(first);
    t.close(first);
    QVERIFY(t.checkout(g) == first);
}

void TestPoolRules::allBusySpawnsInTheBackgroundAndTheFirstFreeServes() {
    PoolTest t;
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    t.checkout(g, 1);
    QVERIFY(!t.checkout(g, 2));
    QCOMPARE(t.starting.size(), 1u);
    t.close(p); // sooner than the new one
    QCOMPARE(t.served.size(), 1u);
    QCOMPARE(t.served[0].tag, 2u);
    const ProcessId late = t.spawnOne();
    QVERIFY(t.stateOf(late) == ProcessState::Idle);
    QCOMPARE(name(t.pool.process(late)->whyStarted), "all_busy");
}

void TestPoolRules::aPrivateQueueTakesTheLeastBusyProcess() {
    PoolTest t({.max = 2});
    const GroupId g = t.group("a", {.globalQueue = false});
    const ProcessId first = t.warm(g);
    t.checkout(g);
    t.checkout(g);
    const ProcessId second = t.spawnOne();
    for (int i = 0; i < 2; ++i) QVERIFY(t.checkout(g) == second);
    QCOMPARE(t.pool.process(first)->sessions, 2u);
    t.close(first);
    QVERIFY(t.checkout(g) == first);
    QVERIFY(t.starting.empty());
}

void TestPoolRules::concurrencyFillsAProcessBeforeTheNext() {
    PoolTest t;
    const GroupId g = t.group("a");
    t.checkout(g, 1);
    const ProcessId p = t.spawnOne(3);
    QVERIFY(t.checkout(g) == p);
    QVERIFY(t.checkout(g) == p);
    QVERIFY(t.starting.empty());
    QVERIFY(!t.checkout(g, 4));
    QCOMPARE(t.starting.size(), 1u);
}

void TestPoolRules::aheadGoesBeyondConcurrency() {
    PoolTest t({.max = 1});
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    t.pool.setAhead(p, 2, t.now, t.out);
    for (int i = 0; i < 3; ++i) QVERIFY(t.checkout(g) == p);
    QVERIFY(!t.checkout(g, 9));
    t.pool.setAhead(p, 0, t.now, t.out);
    t.close(p);
    QVERIFY(t.served.empty());
    t.close(p);
    t.close(p);
    QCOMPARE(t.served.size(), 1u);
}

void TestPoolRules::maxPerGroupHolds() {
    PoolTest t({.max = 4, .maxPerGroup = 2});
    const GroupId g = t.group("a");
    const GroupId own = t.group("b", {.maxProcesses = 3});
    for (std::uint64_t i = 0; i < 9; ++i) {
        t.checkout(g, i);
        t.spawnAll();
    }
    QCOMPARE(t.pool.group(g)->size, 2u);
    t.pool.configure({.max = 9, .maxPerGroup = 2}, t.now, t.out);
    t.step();
    for (std::uint64_t i = 0; i < 9; ++i) {
        t.checkout(own, i);
        t.spawnAll();
    }
    QCOMPARE(t.pool.group(own)->size, 3u);
    QCOMPARE(t.pool.group(g)->size, 2u);
}

void TestPoolRules::maxHoldsAndANewGroupWaits() {
    PoolTest t({.max = 1});
    const GroupId a = t.group("a");
    const GroupId b = t.group("b");
    const ProcessId p = t.warm(a);
    t.checkout(a, 1);
    QVERIFY(!t.checkout(b, 2));
    QVERIFY(t.starting.empty());
    t.close(p); // idle, and nobody of its own waits: its place is b's
    QVERIFY(t.stateOf(p) == ProcessState::Stopping);
    QVERIFY(t.starting.empty()); // not before it is gone
    t.reap();
    QCOMPARE(t.starting.size(), 1u);
    t.spawnAll();
    QCOMPARE(t.served.size(), 1u);
    QCOMPARE(t.served[0].tag, 2u);
}

void TestPoolRules::raisingMaxWakesThoseWhoWait() {
    PoolTest t({.max = 1});
    const GroupId a = t.group("a");
    const GroupId b = t.group("b");
    t.warm(a);
    t.checkout(a, 1);
    QVERIFY(!t.checkout(a, 2));
    QVERIFY(!t.checkout(b, 3));
    QVERIFY(t.starting.empty());
    t.pool.configure({.max = 3}, t.now, t.out);
    t.step();
    QCOMPARE(t.starting.size(), 2u);
    t.spawnAll();
    QCOMPARE(t.served.size(), 2u);
}

void TestPoolRules::loweringMaxEndsWhatIsIdle() {
    PoolTest t({.max = 3});
    const GroupId a = t.group("a");
    const GroupId b = t.group("b");
    const GroupId c = t.group("c");
    const ProcessId idle = t.warm(a);
    t.warm(b);
    const ProcessId busy = t.warm(c);
    t.checkout(c);
    t.checkout(b);
    t.pool.configure({.max = 1}, t.now, t.out);
    t.step();
    QVERIFY(t.stateOf(idle) == ProcessState::Stopping);
    QVERIFY(t.stateOf(busy) == ProcessState::Busy);
    t.reap();
    t.close(busy);
    QVERIFY(t.stateOf(busy) == ProcessState::Stopping);
    t.reap();
    QCOMPARE(t.pool.count(), 1u);
}

void TestPoolRules::loweringMaxPerGroupEndsWhatIsIdle() {
    PoolTest t({.max = 9});
    const GroupId a = t.group("a", {.minProcesses = 4});
    t.checkout(a, 1);
    t.spawnAll();
    const ProcessId busy = t.served[0].process;
    const ProcessId own = t.warm(t.group("b", {.maxProcesses = 3}));
    t.pool.configure({.max = 9, .maxPerGroup = 2}, t.now, t.out);
    t.step();
    QCOMPARE(t.ending.size(), 2u);
    QVERIFY(t.ending[0].why == WhyEnded::Evicted);
    QCOMPARE(t.pool.group(a)->size, 2u);
    QVERIFY(t.stateOf(own) == ProcessState::Idle); // its worker says itself how many
    // What is busy goes once it is idle, and those that go already count no more.
    QVERIFY(t.checkout(a, 2));
    t.pool.configure({.max = 9, .maxPerGroup = 1}, t.now, t.out);
    t.step();
    QCOMPARE(t.ending.size(), 2u);
    t.close(busy);
    QVERIFY(t.stateOf(busy) == ProcessState::Stopping);
    t.reap();
    QCOMPARE(t.pool.group(a)->size, 1u);
}

void TestPoolRules::aFamilyOverItsLimitEndsWhatIsIdle() {
    PoolTest t({.max = 9});
    const GroupId old = t.group("v1", {.minProcesses = 2, .maxProcesses = 2}, "app");
    t.checkout(old, 1);
    t.spawnAll();
    t.close(t.served[0].process);
    QCOMPARE(t.pool.group(old)->size, 2u);
    t.pool.configureGroup(old, {.maxProcesses = 1}, t.now, t.out);
    t.step();
    QCOMPARE(t.pool.group(old)->size, 1u);
    t.reap();
    // The limit is that of the newest version.
    const GroupId fresh = t.group("v2", {.minProcesses = 2, .maxProcesses = 2}, "app");
    t.reap();
    t.checkout(fresh, 2);
    t.spawnAll();
    QCOMPARE(t.pool.group(fresh)->size, 2u);
    t.group("v2", {.maxProcesses = 1}, "app");
    QCOMPARE(t.pool.group(fresh)->size, 1u);
}

void TestPoolRules::maxRequestsRetiresAProcess() {
    PoolTest t({.max = 1});
    const GroupId g = t.group("a", {.maxRequests = 2});
    const ProcessId p = t.warm(g);
    QVERIFY(t.checkout(g) == p);
    QVERIFY(t.stateOf(p) == ProcessState::Finishing);
    QVERIFY(!t.checkout(g, 5));
    t.close(p);
    t.reap();
    QCOMPARE(t.starting.size(), 1u);
    t.spawnAll();
    QCOMPARE(t.served.size(), 1u);
}

void TestPoolRules::idleProcessesGoAfterTheirTime() {
    PoolTest t;
    const GroupId a = t.group("a");
    const GroupId b = t.group("b", {.maxIdle = Duration(1'000'000)});
    const ProcessId pool = t.warm(a);
    const ProcessId own = t.warm(b);
    const auto next = t.pool.clean(t.now, t.out);
    t.step();
    QVERIFY(next == t.now + Duration(1'000'000));
    t.pass(Duration(1'000'000));
    QVERIFY(t.pool.clean(t.now, t.out) == t.now + Duration(299'000'000));
    t.step();
    QVERIFY(t.stateOf(own) == ProcessState::Stopping);
    QVERIFY(t.stateOf(pool) == ProcessState::Idle);
    t.pass(Duration(299'000'000));
    QVERIFY(!t.pool.clean(t.now, t.out));
    t.step();
    QVERIFY(t.stateOf(pool) == ProcessState::Stopping);
}

void TestPoolRules::idleForEverWithZero() {
    PoolTest t({.max = 4, .maxIdle = Duration(0)});
    const ProcessId p = t.warm(t.group("a"));
    t.pass(Duration(1'000'000'000'000));
    QVERIFY(!t.pool.clean(t.now, t.out));
    t.step();
    QVERIFY(t.stateOf(p) == ProcessState::Idle);
    t.pool.configure({.max = 4, .maxIdle = Duration(1)}, t.now, t.out); // while it runs
    t.pool.clean(t.now, t.out);
    t.step();
    QVERIFY(t.stateOf(p) == ProcessState::Stopping);
}

void TestPoolRules::minProcessesStay() {
    PoolTest t;
    const GroupId g = t.group("a", {.minProcesses = 1});
    const ProcessId p = t.warm(g);
    t.pass(Duration(1'000'000'000));
    QVERIFY(!t.pool.clean(t.now, t.out));
    t.step();
    QVERIFY(t.stateOf(p) == ProcessState::Idle);
}

void TestPoolRules::minProcessesAreSpawnedAfterTheFirst() {
    PoolTest t;
    const GroupId g = t.group("a", {.minProcesses = 3});
    QVERIFY(t.starting.empty()); // not before somebody needs it
    t.checkout(g, 1);
    t.spawnAll();
    QCOMPARE(t.pool.group(g)->size, 3u);
}

void TestPoolRules::minProcessesComeBackWhateverTookThem_data() {
    QTest::addColumn<int>("what");
    const char* names[] = {"two crashes at once",   "a failed spawn",          "a place that another needed",
                           "a restart that failed", "max, lowered and raised", "removed and added again",
                           "a new version",         "the option itself"};
    for (int i = 0; i < 8; ++i) QTest::newRow(names[i]) << i;
}

namespace {

/// Takes processes of a group with two away, in one of eight ways. The group that is to have two afterwards.
GroupId takeAway(PoolTest& t, GroupId g, int what, const PoolOptions& options) {
    const auto all = t.pool.processes(g);
    switch (what) {
    case 0:
        for (const auto& process : all) t.pool.crashed(process.id, t.now, t.out), t.step();
        break;
    case 1:
        t.pool.detach(all[0].id, WhyEnded::Detached, t.now, t.out);
        t.step();
        t.failOne();
        break;
    case 2: {
        t.pool.configure({.max = 2}, t.now, t.out);
        const GroupId other = t.group("other");
        t.checkout(other, 1);
        t.reap();
        t.spawnAll();
        t.close(t.served.back().process);
        if (t.pool.group(g)->size != 1) qFatal("the other group took no place");
        t.pool.detach(t.served.back().process, WhyEnded::Detached, t.now, t.out);
        t.step();
        break;
    }
    case 3:
        t.pool.configure({.max = 2}, t.now, t.out);
        t.pool.restart(g, t.now, t.out);
        t.step();
        t.reap();
        t.failOne();
        if (t.rolledBack.size() != 1) qFatal("the restart did not fail");
        break;
    case 4:
        t.pool.configure({.max = 1}, t.now, t.out);
        t.step();
        t.reap();
        t.pool.configure(options, t.now, t.out);
        break;
    case 5:
        t.pool.removeGroup(g, t.now, t.out);
        t.step();
        t.reap();
        g = t.group("g", {.minProcesses = 2});
        break;
    case 6: g = t.group("h", {.minProcesses = 2}, "g"); break;
    default:
        t.pool.configureGroup(g, {.minProcesses = 0, .maxProcesses = 1}, t.now, t.out);
        t.step();
        t.reap();
        t.pool.configureGroup(g, {.minProcesses = 2}, t.now, t.out);
    }
    return g;
}

} // namespace

void TestPoolRules::minProcessesComeBackWhateverTookThem() {
    QFETCH(int, what);
    const PoolOptions options{.max = 3, .maxPerGroup = 0, .maxIdle = Duration(0)};
    PoolTest t(options);
    GroupId g = t.group("g", {.minProcesses = 2});
    t.warm(g);
    t.spawnAll();
    QCOMPARE(t.pool.group(g)->size, 2u);
    const auto later = [&] {
        t.pass(Duration(60'000'000));
        (void)t.pool.retrySpawns(t.now, t.out);
        t.step();
    };
    g = takeAway(t, g, what, options);
    t.step();
    t.reap();
    if (t.starting.empty()) later();
    t.spawnAll();
    later();
    t.spawnAll();
    QCOMPARE(t.pool.group(g)->size, 2u);
}

void TestPoolRules::aSpawnForTheFutureGivesItsPlaceToWhoWaits() {
    PoolTest t({.max = 2});
    const GroupId g = t.group("g", {.minProcesses = 2});
    t.checkout(g, 1);
    t.spawnOne(); // it has the request; another is being spawned for min_processes, and takes long
    QCOMPARE(t.starting.size(), 1u);
    const GroupId other = t.group("other");
    t.checkout(other, 2);
    t.reap();
    QCOMPARE(t.starting.size(), 1u);
    QVERIFY(t.starting.front().group == other);
}

void TestPoolRules::aPausedProcessGetsNoMoreSessionsUntilItHasNone() {
    for (const bool globalQueue : {true, false}) {
        PoolTest t;
        const GroupId g = t.group("a", {.maxProcesses = 2, .globalQueue = globalQueue});
        t.checkout(g, 1);
        const ProcessId p = t.spawnOne(3);
        t.pool.setPaused(p, true, t.now, t.out);
        t.step();
        QVERIFY(!t.checkout(g, 2));
        QCOMPARE(t.starting.size(), 1u); // there is work for another one
        t.pool.setPaused(p, false, t.now, t.out);
        t.step();
        QCOMPARE(t.served.back().tag, 2u);
        QVERIFY(t.served.back().process == p);
        t.pool.setPaused(p, true, t.now, t.out);
        t.step();
        QVERIFY(!t.checkout(g, 3));
        t.close(p);
        QCOMPARE(t.served.back().tag, 2u);
        t.close(p); // its last one
        QCOMPARE(t.served.back().tag, 3u);
        t.close(p);
        t.pool.setPaused(p, true, t.now, t.out); // it has none
        t.step();
        QVERIFY(t.checkout(g, 4) == p);
    }
}

void TestPoolRules::whatOthersLackIdleProcessesGiveButNotTheMinimum() {
    PoolTest t({.max = 9});
    const GroupId kept = t.group("kept", {.minProcesses = 1});
    const GroupId rare = t.group("rare");
    const GroupId often = t.group("often");
    const GroupId small = t.group("small");
    const auto helps = [&](GroupId group) { return group != small; };
    t.warm(small);
    t.warm(kept);
    const ProcessId first = t.warm(rare);
    const ProcessId last = t.warm(often);
    for (int i = 0; i < 5; ++i) t.close(t.checkout(often).value());
    QVERIFY(t.pool.evictIdle(helps, t.now, t.out) == rare);
    t.step();
    QVERIFY(t.stateOf(first) == ProcessState::Stopping);
    t.checkout(often);
    QVERIFY(!t.pool.evictIdle(helps, t.now, t.out)); // it works
    t.close(last);
    QVERIFY(t.pool.evictIdle(helps, t.now, t.out) == often);
    t.step();
    QCOMPARE(name(t.ending.back().why), "evicted");
    QVERIFY(!t.pool.evictIdle(helps, t.now, t.out));
}

void TestPoolRules::aWaiterCanGiveUp() {
    PoolTest t;
    const GroupId g = t.group("a");
    t.checkout(g, 1);
    const WaiterId waiter = t.waiter;
    QVERIFY(t.pool.cancelWait(waiter));
    t.step();
    QVERIFY(!t.pool.cancelWait(waiter));
    t.spawnAll();
    QVERIFY(t.served.empty());
    QCOMPARE(t.pool.active(), 0u);
}

void TestPoolRules::aDetachedProcessFinishesItsSessions() {
    PoolTest t;
    const GroupId g = t.group("a");
    t.checkout(g, 1);
    const ProcessId p = t.spawnOne(2);
    t.checkout(g, 2);
    QVERIFY(t.pool.detach(p, WhyEnded::Detached, t.now, t.out));
    t.step();
    QCOMPARE(t.finishing.size(), 1u);
    QVERIFY(!t.pool.detach(p, WhyEnded::Detached, t.now, t.out));
    t.close(p);
    QVERIFY(t.ending.empty());
    t.close(p);
    QCOMPARE(t.ending.size(), 1u);
    t.reap();
    QCOMPARE(t.pool.count(), 0u);
}

void TestPoolRules::removingAGroupInterruptsItsSpawn() {
    PoolTest t;
    const GroupId g = t.group("a");
    t.checkout(g, 1);
    t.pool.removeGroup(g, t.now, t.out);
    t.step();
    QCOMPARE(t.failed.size(), 1u);
    QVERIFY(t.failed[0].why == WhyEnded::Removed);
    QCOMPARE(t.ending.size(), 1u);
    QVERIFY(t.starting.empty());
    t.reap();
    QCOMPARE(t.pool.count(), 0u);
    QVERIFY(!t.pool.findGroup("a"));
    t.pool.checkout(g, 2, t.now, t.out);
    t.step();
    QCOMPARE(t.failed.size(), 2u);
}

void TestPoolRules::aCrashSpawnsForThoseWhoWait() {
    PoolTest t({.max = 1});
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    t.checkout(g, 1);
    QVERIFY(!t.checkout(g, 2));
    t.pool.crashed(p, t.now, t.out);
    t.step();
    QVERIFY(t.finishing.empty());
    t.close(p); // too late: its sessions are void
    t.reap();
    t.spawnAll();
    QCOMPARE(t.served.size(), 1u);
    QCOMPARE(t.served[0].tag, 2u);
}

void TestPoolRules::whatEndsWithAnActionIsNoCrash() {
    for (const WhyEnded why : {WhyEnded::Crashed, WhyEnded::ActionEnded}) {
        PoolTest t;
        const GroupId g = t.group("a");
        t.checkout(g, 1);
        t.checkout(g, 2);
        t.spawnAll();
        t.spawnAll();
        QCOMPARE(t.pool.group(g)->size, 2u);
        t.checkout(g, 3);
        t.failOne(); // no other one for a while
        t.pass(Duration(1'000'000));
        t.pool.crashed(t.served[0].process, t.now, t.out, why);
        t.step();
        QCOMPARE(name(t.ending.back().why), why == WhyEnded::Crashed ? "crashed" : "action_ended");
        // One that dies before it served anything will do so again.
        QCOMPARE(t.starting.empty(), why == WhyEnded::Crashed);
    }
}

void TestPoolRules::aFailingBackgroundSpawnPauses() {
    PoolTest t;
    const GroupId g = t.group("a");
    t.warm(g);
    t.checkout(g, 1);
    QVERIFY(!t.checkout(g, 2));
    t.failOne();
    QVERIFY(t.failed.empty()); // the process that lives will serve it
    QVERIFY(t.starting.empty());
    QVERIFY(!t.checkout(g, 3));
    QVERIFY(t.starting.empty());
    const auto due = t.pool.retrySpawns(t.now, t.out);
    t.step();
    QVERIFY(due == t.now + Duration(250'000));
    t.pass(Duration(250'000));
    QVERIFY(!t.pool.retrySpawns(t.now, t.out));
    t.step();
    QCOMPARE(t.starting.size(), 1u);
}

QTEST_APPLESS_MAIN(TestPoolRules)
#include "tst_rules.moc"
