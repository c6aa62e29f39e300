// Workers with warm processes by themselves: groups and windows, lanes of their timelines, looks at restart files.
#include "core/runners/warm_workers.h"
#include "tests/runners/warm_parts.h"

#include <QFile>
#include <QTest>

#include <sys/inotify.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {

constexpr MonoTime kNow{Duration{1'000'000'000}};

std::shared_ptr<const WorkerDescriptor> descriptor(const char* name, bool globalQueue = true) {
    auto made = std::make_shared<WorkerDescriptor>();
    made->name = made->pool.group = name;
    made->pool.globalQueue = globalQueue;
    made->resources.memoryMb = 300;
    return made;
}

struct Workers : WarmParts {
    /// The process that its group orders comes up and takes so many at once.
    void comeUp(WarmWorker& worker, unsigned concurrency) {
        (void)shared.pool.checkout(worker.group, 1, kNow, shared.out);
        const pool::ProcessId process = shared.out.spawn.at(0).process;
        shared.out.clear();
        shared.pool.spawned(process, concurrency, 0, kNow, shared.out);
        worker.window = -1;
    }

    WarmWorkers workers{shared};
};

} // namespace

class TestWarmWorkers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWorkerIsFoundByItsIdAndItsGroup();
    void oneThatWasRemovedIsKeptForItsProcesses();
    void theWindowIsToldWhenItChangedAndOnce();
    void aPrivateQueueHasAWindowOfTwiceItsPlaces();
    void lanesNextToEachOtherAreTheLowestThatAreFree();
    void functionsBeyondTheMostAreOne();
    void withoutAWatchItIsLookedAtEachSecond();
    void withAWatchItIsLookedAtWhenSomethingChanged();
    void anotherRestartFileReplacesProcesses();
    void alwaysRestartMeansOneRequestForEachProcess();
};

void TestWarmWorkers::aWorkerIsFoundByItsIdAndItsGroup() {
    Workers parts;
    WarmWorker& one = parts.workers.add("w1", descriptor("one"), 7);
    WarmWorker& two = parts.workers.add("w2", descriptor("two"), 8);
    QCOMPARE(parts.workers.find("w1"), &one);
    QCOMPARE(parts.workers.of(two.group), &two);
    QCOMPARE(parts.workers.memoryOf(two.group), std::int64_t{300});
    QVERIFY(!parts.workers.find("w3"));
    QVERIFY(!parts.workers.of(pool::GroupId{99, 1}));
    QCOMPARE(&parts.workers.add("w1", descriptor("one"), 7), &one); // again: it is the same one
}

void TestWarmWorkers::oneThatWasRemovedIsKeptForItsProcesses() {
    Workers parts;
    WarmWorker& worker = parts.workers.add("w1", descriptor("one"), 7);
    const pool::GroupId group = worker.group;
    parts.shared.pool.removeGroup(group, kNow, parts.shared.out);
    parts.workers.remove(worker);
    QVERIFY(!parts.workers.find("w1"));
    QVERIFY(!parts.workers.of(group));
    QCOMPARE(parts.workers.memoryOf(group), std::int64_t{0});
    QCOMPARE(parts.host.windows.back(), std::pair(7u, 0));
    QCOMPARE(worker.id, std::string("w1")); // a process may still ask
    parts.workers.dropRemoved(&worker);
}

void TestWarmWorkers::theWindowIsToldWhenItChangedAndOnce() {
    Workers parts;
    WarmWorker& worker = parts.workers.add("w1", descriptor("one"), 7);
    parts.workers.tellWindows();
    QCOMPARE(parts.host.windows.back(), std::pair(7u, 1)); // who waits is what makes the pool spawn
    parts.workers.tellWindows();
    QCOMPARE(parts.host.windows.size(), std::size_t{1});
    parts.comeUp(worker, 3);
    parts.workers.tellWindows();
    QCOMPARE(parts.host.windows.back(), std::pair(7u, 4));
    parts.workers.forgetWindows();
    parts.workers.tellWindows();
    QCOMPARE(parts.host.windows.size(), std::size_t{3});
}

void TestWarmWorkers::aPrivateQueueHasAWindowOfTwiceItsPlaces() {
    Workers parts;
    WarmWorker& worker = parts.workers.add("w1", descriptor("one", false), 7);
    parts.comeUp(worker, 3);
    parts.workers.tellWindows();
    QCOMPARE(parts.host.windows.back(), std::pair(7u, 7));
}

void TestWarmWorkers::lanesNextToEachOtherAreTheLowestThatAreFree() {
    WarmWorker worker;
    QCOMPARE(worker.takeLanes(2), 0u);
    QCOMPARE(worker.takeLanes(1), 2u);
    QCOMPARE(worker.takeLanes(2), 3u);
    worker.giveLanes(2, 1);
    QCOMPARE(worker.takeLanes(2), 5u);
    QCOMPARE(worker.takeLanes(1), 2u);
    worker.giveLanes(0, 2);
    QCOMPARE(worker.takeLanes(2), 0u);
}

void TestWarmWorkers::functionsBeyondTheMostAreOne() {
    WarmWorker worker;
    for (std::size_t i = 0; i < kMostFunctions; ++i) worker.function(std::to_string(i)).averageRun = 1;
    worker.function("one more").averageRun = 2;
    QCOMPARE(worker.function("another one").averageRun, 2.0);
    QCOMPARE(worker.function("0").averageRun, 1.0);
}

void TestWarmWorkers::withoutAWatchItIsLookedAtEachSecond() {
    Workers parts;
    WarmWorker& worker = parts.workers.add("w1", descriptor("one"), 7);
    QVERIFY(parts.workers.mustLook(worker, kNow));
    parts.workers.look(worker, kNow);
    parts.workers.look(worker, kNow); // that goes on
    QCOMPARE(parts.host.looks, std::vector<std::string>{"w1"});
    parts.workers.take(worker, {}, {}, kNow);
    QVERIFY(!parts.workers.mustLook(worker, kNow + Duration(999'999)));
    QVERIFY(parts.workers.mustLook(worker, kNow + Duration(1'000'000)));
}

void TestWarmWorkers::withAWatchItIsLookedAtWhenSomethingChanged() {
    Workers parts;
    WarmWorker& worker = parts.workers.add("w1", descriptor("one"), 7);
    UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    QVERIFY(::inotify_add_watch(watch.get(), parts.dir.path().toStdString().c_str(), IN_CREATE | IN_DELETE_SELF) >=
            0);
    parts.workers.look(worker, kNow);
    parts.workers.take(worker, {}, std::move(watch), kNow);
    QVERIFY(!parts.workers.mustLook(worker, kNow + Duration(5'000'000)));
    QVERIFY(QFile(parts.dir.filePath("restart.txt")).open(QIODevice::WriteOnly));
    QVERIFY(!parts.workers.mustLook(worker, kNow + Duration(5'000'000))); // once per batch
    QVERIFY(parts.workers.mustLook(worker, kNow + Duration(5'000'001)));
    QVERIFY(worker.changes);
    QVERIFY(parts.dir.remove());
    QVERIFY(parts.workers.mustLook(worker, kNow + Duration(5'000'002)));
    QVERIFY(!worker.changes); // another directory may be there now
}

void TestWarmWorkers::anotherRestartFileReplacesProcesses() {
    Workers parts;
    WarmWorker& worker = parts.workers.add("w1", descriptor("one"), 7);
    parts.workers.take(worker, {.restartAt = 5}, {}, kNow); // as it was at first
    parts.comeUp(worker, 1);
    parts.shared.out.clear();
    parts.workers.take(worker, {.restartAt = 5}, {}, kNow);
    QVERIFY(parts.shared.out.finishing.empty() && parts.shared.out.end.empty());
    parts.workers.take(worker, {.restartAt = 6}, {}, kNow);
    QVERIFY(!parts.shared.out.finishing.empty() || !parts.shared.out.end.empty());
}

void TestWarmWorkers::alwaysRestartMeansOneRequestForEachProcess() {
    Workers parts;
    WarmWorker& worker = parts.workers.add("w1", descriptor("one"), 7);
    parts.workers.take(worker, {.restartAt = {}, .always = true}, {}, kNow);
    QCOMPARE(parts.shared.pool.group(worker.group)->options.maxRequests, 1u);
    parts.workers.take(worker, {}, {}, kNow);
    QCOMPARE(parts.shared.pool.group(worker.group)->options.maxRequests, 0u);
}

QTEST_APPLESS_MAIN(TestWarmWorkers)
#include "tst_warm_workers.moc"
