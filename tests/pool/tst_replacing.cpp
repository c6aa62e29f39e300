// How processes are replaced: restarts, new versions, and the files that ask for a restart.
#include "core/pool/restart_files.h"
#include "tests/pool/pool_test.h"

using namespace yard;
using namespace yard::pool;

class TestPoolReplacing : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void restartReplacesEachWithinTheBudget();
    void restartWithRoomSpawnsFirst();
    void restartRollsBackWhenTheNewOneFails();
    void restartWithoutRoomSaysHowManyAreLeft();
    void restartEndsWhereTheNewOneIsDetached();
    void aNewVersionReplacesTheOldOne();
    void aNewVersionSharesTheBudgetOfTheOldOne();
    void anOldVersionIsCurrentAgainOnceTheNewerOneIsRemoved();
    void restartFilesAreSeen();
};

void TestPoolReplacing::restartReplacesEachWithinTheBudget() {
    PoolTest t({.max = 2});
    const GroupId g = t.group("a", {.minProcesses = 2});
    t.checkout(g, 1);
    t.spawnAll();
    const ProcessId busy = t.served[0].process;
    t.pool.restart(g, t.now, t.out);
    t.step();
    for (int i = 0; i < 10 && t.restarted == 0; ++i) {
        QVERIFY(t.pool.count() <= 2);
        t.reap();
        t.spawnAll();
        if (t.stateOf(busy) == ProcessState::Finishing) t.close(busy);
    }
    QCOMPARE(t.restarted, 1u);
    QCOMPARE(t.pool.group(g)->size, 2u);
    QVERIFY(t.stateOf(busy) == ProcessState::Gone);
}

void TestPoolReplacing::restartWithRoomSpawnsFirst() {
    PoolTest t({.max = 4});
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    t.pool.restart(g, t.now, t.out);
    t.step();
    QVERIFY(t.stateOf(p) == ProcessState::Idle);
    QVERIFY(t.checkout(g) == p); // it serves until the new one is there
    const ProcessId fresh = t.spawnOne();
    QVERIFY(t.stateOf(p) == ProcessState::Finishing);
    QCOMPARE(name(t.pool.process(fresh)->whyStarted), "restart");
    t.close(p);
    t.reap();
    QCOMPARE(t.restarted, 1u);
    QVERIFY(t.checkout(g) == fresh);
}

void TestPoolReplacing::restartRollsBackWhenTheNewOneFails() {
    PoolTest t({.max = 3});
    const GroupId g = t.group("a", {.minProcesses = 2});
    t.checkout(g, 1);
    t.spawnAll();
    t.pool.restart(g, t.now, t.out);
    t.step();
    t.failOne();
    QCOMPARE(t.rolledBack.size(), 1u);
    QCOMPARE(name(t.rolledBack[0].why), "spawn_failed");
    QCOMPARE(t.rolledBack[0].left, 2u);
    QCOMPARE(t.rolledBack[0].of, 2u);
    QCOMPARE(t.restarted, 0u);
    QCOMPARE(t.pool.group(g)->size, 2u);
    QVERIFY(t.failed.empty());
    QVERIFY(t.ending.empty());
}

void TestPoolReplacing::restartWithoutRoomSaysHowManyAreLeft() {
    PoolTest t({.max = 9});
    const GroupId g = t.group("a", {.minProcesses = 2, .maxProcesses = 2});
    t.checkout(g, 1);
    t.spawnAll();
    t.pool.restart(g, t.now, t.out);
    t.step();
    t.reap(); // one went, so that there is room
    t.failOne();
    QCOMPARE(t.rolledBack.size(), 1u);
    QCOMPARE(t.rolledBack[0].left, 1u);
    QCOMPARE(t.rolledBack[0].of, 2u);
    QCOMPARE(t.pool.group(g)->size, 1u);
}

void TestPoolReplacing::restartEndsWhereTheNewOneIsDetached() {
    PoolTest t({.max = 9});
    const GroupId g = t.group("a");
    const ProcessId p = t.warm(g);
    t.pool.restart(g, t.now, t.out);
    t.step();
    t.pool.detach(t.starting[0].process, WhyEnded::Detached, t.now, t.out);
    t.step();
    QCOMPARE(t.rolledBack.size(), 1u);
    QCOMPARE(name(t.rolledBack[0].why), "detached");
    QCOMPARE(t.rolledBack[0].left, 1u);
    QVERIFY(t.stateOf(p) == ProcessState::Idle);
}

void TestPoolReplacing::aNewVersionReplacesTheOldOne() {
    PoolTest t;
    const GroupId old = t.group("v1", {}, "app");
    const ProcessId idle = t.warm(old);
    t.checkout(old);
    t.checkout(old, 2);
    const ProcessId other = t.spawnOne(); // serves 2
    t.close(other);
    const GroupId fresh = t.group("v2", {}, "app");
    QVERIFY(t.stateOf(other) == ProcessState::Stopping);
    QVERIFY(t.stateOf(idle) == ProcessState::Busy);
    t.close(idle);
    QVERIFY(t.stateOf(idle) == ProcessState::Stopping);
    t.reap();
    // What was submitted for the old version still gets it.
    t.checkout(old, 3);
    const ProcessId late = t.spawnOne();
    QCOMPARE(t.served.back().tag, 3u);
    t.close(late);
    QVERIFY(t.stateOf(late) == ProcessState::Stopping);
    t.warm(fresh);
}

void TestPoolReplacing::aNewVersionSharesTheBudgetOfTheOldOne() {
    PoolTest t({.max = 9});
    const GroupId old = t.group("v1", {.maxProcesses = 1}, "app");
    const ProcessId p = t.warm(old);
    t.checkout(old);
    const GroupId fresh = t.group("v2", {.maxProcesses = 1}, "app");
    QVERIFY(!t.checkout(fresh, 5));
    QVERIFY(t.starting.empty());
    t.close(p);
    t.reap();
    t.spawnAll();
    QCOMPARE(t.served.back().tag, 5u);
    QVERIFY(t.pool.group(old)->superseded);
}

void TestPoolReplacing::anOldVersionIsCurrentAgainOnceTheNewerOneIsRemoved() {
    PoolTest t({.max = 9});
    const GroupId old = t.group("v1", {.maxProcesses = 3}, "app");
    const GroupId middle = t.group("v2", {.maxProcesses = 2}, "app");
    const GroupId fresh = t.group("v3", {.maxProcesses = 1}, "app");
    t.pool.removeGroup(middle, t.now, t.out); // not the newest: nothing changes
    t.step();
    QVERIFY(t.pool.group(old)->superseded && !t.pool.group(fresh)->superseded);
    const ProcessId busy = t.warm(fresh);
    t.checkout(fresh, 1);
    t.pool.removeGroup(fresh, t.now, t.out);
    t.step();
    QVERIFY(!t.pool.group(old)->superseded);
    // Also while the removed one still has a process: the limit is that of the one that stays.
    const ProcessId first = t.warm(old);
    t.checkout(old, 2);
    QVERIFY(!t.checkout(old, 3));
    t.spawnOne();
    QCOMPARE(t.served.back().tag, 3u);
    t.close(busy);
    t.reap();
    t.close(first);
    QVERIFY(t.stateOf(first) == ProcessState::Idle); // and it is not replaced
}

void TestPoolReplacing::restartFilesAreSeen() {
    RestartFiles files;
    QVERIFY(!files.look({.restartAt = 5}).restart); // as it was when everything began
    QVERIFY(!files.look({.restartAt = 5}).restart);
    QVERIFY(files.look({.restartAt = 6}).restart);
    QVERIFY(files.look({.restartAt = 4}).restart); // changed, if back in time
    QVERIFY(!files.look({}).restart);              // taken away
    QVERIFY(files.look({.restartAt = 4}).restart);
    QVERIFY(files.look({.restartAt = 4, .always = true}).restart);
    const auto again = files.look({.restartAt = 4, .always = true});
    QVERIFY(!again.restart && again.always);
    QVERIFY(!files.look({.restartAt = 4}).always);
    QCOMPARE(restartDirectory("/w/1", ""), std::string("/w/1/tmp"));
    QCOMPARE(restartDirectory("/w/1", "run"), std::string("/w/1/run"));
    QCOMPARE(restartDirectory("/w/1", "/srv"), std::string("/srv"));
}

QTEST_APPLESS_MAIN(TestPoolReplacing)
#include "tst_replacing.moc"
