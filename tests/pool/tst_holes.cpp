// The places where the algorithm as it was written down leaves a hole, and what this pool does instead.
#include "tests/pool/pool_test.h"

using namespace yard;
using namespace yard::pool;

class TestPoolHoles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void takingAnIdleProcessRaisesActiveAndNotMax();
    void aDetachedGroupIsNotAccessible();
    void evictionTakesTheVictimsGroupAndNotTheRequesters();
    void sessionsAreLoweredBeforeMaxRequestsIsLookedAt();
    void noMoreSessionsThanMaxRequestsAreOpened();
    void aFailedSpawnDoesNotRemoveAHealthyGroup();
    void aFailedSpawnReportsToEveryoneWhoWaitedForIt();
    void checkoutDoesNotWaitForASpawnOfAnotherGroup();
    void theLeastTraffickedGroupIsEvicted();
    void whatEndsStillCountsAgainstTheBudget();
    void whatStartsCountsAgainstTheBudget();
    void aBusyGroupDoesNotKeepOthersOutForEver();
    void minProcessesDoNotTakeAPlaceMadeForOthers();
    void whatLacksMoreThanAPlaceGetsThatOfAnIdleOne();
};

// "mutate_max(active + 1)" in checkout: literally, each use of an idle process would set the limit.
void TestPoolHoles::takingAnIdleProcessRaisesActiveAndNotMax() {
    PoolTest t({.max = 4});
    const GroupId g = t.group("a");
    t.warm(g);
    t.checkout(g);
    QCOMPARE(t.pool.active(), 1u);
    QCOMPARE(t.pool.options().max, 4u);
}

// "(detached) == (accessible via groups)" is the wrong way round, for groups and for processes.
void TestPoolHoles::aDetachedGroupIsNotAccessible() {
    PoolTest t;
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    QVERIFY(t.pool.findGroup("a"));
    t.pool.removeGroup(g, t.now, t.out);
    t.step(); // verify() has the line the right way round
    QVERIFY(!t.pool.findGroup("a"));
    QVERIFY(!t.pool.group(g));
    QVERIFY(t.stateOf(p) == ProcessState::Stopping);
}

// detach_group removes "options.app_group_name": on an eviction that is the name of whoever asks.
void TestPoolHoles::evictionTakesTheVictimsGroupAndNotTheRequesters() {
    PoolTest t({.max = 1});
    const GroupId a = t.group("a");
    const GroupId b = t.group("b");
    t.warm(a);
    QVERIFY(!t.checkout(b, 1));
    QVERIFY(t.ending.size() == 1 && t.ending[0].why == WhyEnded::Evicted);
    t.reap();
    t.spawnAll();
    QVERIFY(t.pool.findGroup("b") == b);
    QCOMPARE(t.pool.group(b)->size, 1u);
    QCOMPARE(t.pool.group(a)->size, 0u);
}

// The text tests max_requests with the closed session still counted: the process would leave as an active one.
void TestPoolHoles::sessionsAreLoweredBeforeMaxRequestsIsLookedAt() {
    PoolTest t;
    const GroupId g = t.group("a", {.maxRequests = 1});
    t.checkout(g, 1);
    const ProcessId p = t.spawnOne();
    QVERIFY(t.stateOf(p) == ProcessState::Finishing);
    t.close(p);
    QVERIFY(t.stateOf(p) == ProcessState::Stopping);
    QCOMPARE(t.pool.process(p)->sessions, 0u);
    QCOMPARE(t.pool.active(), 0u);
    // Lowered while sessions are open: it goes with its last one.
    const GroupId h = t.group("b");
    const ProcessId q = t.warm(h);
    t.checkout(h);
    t.pool.configureGroup(h, {.maxRequests = 1}, t.now, t.out);
    t.close(q);
    QVERIFY(t.stateOf(q) == ProcessState::Stopping);
}

// With many sessions at once the text's process serves more than max_requests.
void TestPoolHoles::noMoreSessionsThanMaxRequestsAreOpened() {
    PoolTest t({.max = 1});
    const GroupId g = t.group("a", {.maxRequests = 3});
    t.checkout(g, 1);
    const ProcessId p = t.spawnOne(8);
    QVERIFY(t.checkout(g) == p);
    QVERIFY(t.checkout(g) == p);
    QVERIFY(!t.checkout(g, 4));
    QCOMPARE(t.pool.process(p)->sessions, 3u);
}

// "remove_group_without_lock" is nowhere; taking it for detach_group, one failed background spawn would end every
// healthy process of the group.
void TestPoolHoles::aFailedSpawnDoesNotRemoveAHealthyGroup() {
    PoolTest t;
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    t.checkout(g, 1);
    QVERIFY(!t.checkout(g, 2));
    t.failOne();
    QVERIFY(t.stateOf(p) == ProcessState::Busy);
    QVERIFY(t.failed.empty());
    t.close(p);
    QCOMPARE(t.served.size(), 1u);
}

void TestPoolHoles::aFailedSpawnReportsToEveryoneWhoWaitedForIt() {
    PoolTest t;
    const GroupId g = t.group("a");
    t.checkout(g, 1);
    t.checkout(g, 2);
    t.failOne();
    QCOMPARE(t.failed.size(), 2u);
    QVERIFY(t.failed[0].why == WhyEnded::SpawnFailed);
    QCOMPARE(t.pool.count(), 0u);
    t.checkout(g, 3); // the next one tries again
    QCOMPARE(t.starting.size(), 1u);
}

// spawn() is called with the pool's lock held: one slow start would stop every group.
void TestPoolHoles::checkoutDoesNotWaitForASpawnOfAnotherGroup() {
    PoolTest t;
    const GroupId a = t.group("a");
    const GroupId b = t.group("b");
    const ProcessId p = t.warm(b);
    t.checkout(a, 1);
    QCOMPARE(t.starting.size(), 1u);
    QVERIFY(t.checkout(b) == p);
}

// The text means the least trafficked and takes the first of the list.
void TestPoolHoles::theLeastTraffickedGroupIsEvicted() {
    PoolTest t({.max = 2});
    const GroupId busy = t.group("busy");
    const GroupId quiet = t.group("quiet");
    const GroupId third = t.group("third");
    const ProcessId ofBusy = t.warm(busy);
    for (int i = 0; i < 20; ++i) t.close(*t.checkout(busy));
    const ProcessId ofQuiet = t.warm(quiet); // idle for less long
    t.checkout(third, 1);
    QVERIFY(t.stateOf(ofQuiet) == ProcessState::Stopping);
    QVERIFY(t.stateOf(ofBusy) == ProcessState::Idle);
    t.reap();
    t.spawnAll();
    t.close(t.served.back().process);
    // A burst of long ago is worth little: halved each minute.
    t.pass(Duration(600'000'000));
    for (int i = 0; i < 3; ++i) t.close(*t.checkout(third));
    t.checkout(quiet, 2);
    QVERIFY(t.stateOf(ofBusy) == ProcessState::Stopping);
}

// The text lowers count when a process is detached; it still runs, and with the next one the budget is exceeded.
void TestPoolHoles::whatEndsStillCountsAgainstTheBudget() {
    PoolTest t({.max = 1});
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    t.checkout(g);
    t.pool.detach(p, WhyEnded::Detached, t.now, t.out);
    t.step();
    t.checkout(g, 2);
    QVERIFY(t.starting.empty());
    t.close(p);
    QVERIFY(t.starting.empty());
    t.reap();
    QCOMPARE(t.starting.size(), 1u);
}

// The text raises count when a spawn is done; several groups at once would exceed the budget.
void TestPoolHoles::whatStartsCountsAgainstTheBudget() {
    PoolTest t({.max = 2});
    for (const char* key : {"a", "b", "c", "d"}) t.checkout(t.group(key), 1);
    QCOMPARE(t.starting.size(), 2u);
    QCOMPARE(t.pool.count(), 2u);
}

// Sessions that never all end keep a process busy forever: in the text a new group then waits forever.
void TestPoolHoles::aBusyGroupDoesNotKeepOthersOutForEver() {
    PoolTest t({.max = 1});
    const GroupId a = t.group("a");
    const GroupId b = t.group("b");
    t.checkout(a, 1);
    const ProcessId p = t.spawnOne(2);
    t.checkout(a, 2);
    QVERIFY(!t.checkout(b, 3));
    for (int i = 0; i < 5; ++i) {
        t.close(p);
        QVERIFY(t.checkout(a) == p);
    }
    t.pass(kPatience);
    t.close(p);
    QVERIFY(t.stateOf(p) == ProcessState::Finishing);
    QVERIFY(!t.checkout(a, 4));
    t.close(p);
    t.reap();
    t.spawnAll();
    QCOMPARE(t.served.back().tag, 3u);
}

// A place that was made by an eviction would be filled by the victim's own min_processes, and again, forever.
void TestPoolHoles::minProcessesDoNotTakeAPlaceMadeForOthers() {
    PoolTest t({.max = 2});
    const GroupId a = t.group("a", {.minProcesses = 2});
    const GroupId b = t.group("b");
    t.checkout(a, 1);
    t.spawnAll();
    t.close(t.served[0].process);
    t.checkout(b, 2);
    t.reap();
    t.spawnAll();
    QCOMPARE(t.served.back().tag, 2u);
    QCOMPARE(t.pool.group(a)->size, 1u);
}

// Places are counted and memory is not: an idle process would keep it from everybody for as long as it lives.
void TestPoolHoles::whatLacksMoreThanAPlaceGetsThatOfAnIdleOne() {
    PoolTest t({.max = 9});
    const GroupId without = t.group("a");
    const GroupId used = t.group("b");
    const GroupId rare = t.group("c");
    const GroupId wanting = t.group("d", {.minProcesses = 2, .maxProcesses = 2});
    const ProcessId small = t.warm(without);
    const ProcessId least = t.warm(rare);
    const ProcessId idle = t.warm(used);
    t.close(*t.checkout(used));
    const auto helps = [&](GroupId id) { return id != without; };
    t.checkout(wanting, 1);
    const ProcessId fresh = t.starting[0].process;
    QVERIFY(t.pool.makeRoom(fresh, helps, t.now, t.out));
    t.step();
    QVERIFY(t.stateOf(least) == ProcessState::Stopping);
    QVERIFY(t.pool.makeRoom(fresh, helps, t.now, t.out)); // it was not enough
    t.step();
    QVERIFY(t.stateOf(idle) == ProcessState::Stopping);
    QVERIFY(!t.pool.makeRoom(fresh, helps, t.now, t.out));
    QVERIFY(t.stateOf(small) == ProcessState::Idle);
    // Another one than the first is worth nobody's end.
    t.spawnOne();
    QCOMPARE(t.starting.size(), 1u);
    QVERIFY(!t.pool.makeRoom(t.starting[0].process, [](GroupId) { return true; }, t.now, t.out));
}

QTEST_APPLESS_MAIN(TestPoolHoles)
#include "tst_holes.moc"
