// The life of warm processes by itself: nothing is started, the starter and the host are told what happens.
#include "core/runners/warm_processes.h"
#include "core/runners/warm_release.h"
#include "tests/runners/warm_parts.h"

#include <QTest>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {

constexpr MonoTime kNow{Duration{1'000'000'000}};
using Phase = WarmProcess::Phase;

struct Processes : WarmParts {
    explicit Processes(std::int64_t memoryMb = 0, std::int64_t milliCores = 0)
        : worker(workers.add("w1", warmDescriptor("one", memoryMb, milliCores), 7)) {}

    WarmProcess& ordered() {
        (void)shared.pool.checkout(worker.group, 1, kNow, shared.out);
        const pool::Outbox::Spawn spawn = shared.out.spawn.at(0);
        shared.out.clear();
        processes.order(spawn, kNow);
        return *processes.find(spawn.process);
    }
    WarmProcess& launched() {
        WarmProcess& process = ordered();
        processes.prepared(process, Lease{}, kNow);
        return process;
    }
    WarmProcess& live() {
        WarmProcess& process = launched();
        if (!processes.becomeReady(process, R"({"ready":true,"concurrency":2})", kNow)) qFatal("not ready");
        return process;
    }
    WarmProcess& started(pool::GroupId group) {
        (void)shared.pool.checkout(group, 1, kNow, shared.out);
        const pool::Outbox::Spawn spawn = shared.out.spawn.at(0);
        shared.out.clear();
        processes.order(spawn, kNow);
        WarmProcess& process = *processes.find(spawn.process);
        processes.prepared(process, Lease{}, kNow);
        if (!processes.becomeReady(process, R"({"ready":true,"concurrency":1})", kNow)) qFatal("not ready");
        shared.pool.close(process.inPool, true, kNow, shared.out);
        shared.out.clear();
        return process;
    }
    const WarmProcessView& lastGone() const { return processes.gone().all().front(); }

    NotingStarter starter;
    WarmWorkers workers{shared};
    WarmProcesses processes{shared, starter, workers};
    WarmRelease release{shared, workers, processes};
    WarmWorker& worker;
};

} // namespace

class TestWarmProcesses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneIsOrderedPreparedStartedAndReady();
    void itsLocksAreThoseOfItsWorker();
    void oneThatNeedsMemoryIsPreparedOnceItHasSome();
    void oneThatCouldNotBePreparedIsGone();
    void oneThatIsNotNeededAnyMoreIsNotStarted();
    void whatDoesNotSayThatItIsReadyIsNot();
    void coresAreAskedForOnceUntilTheyAreGranted();
    void whoHangsUpHasAMomentToDie();
    void aLookThatComesLateIsRepeated();
    void whatIsRetiredForOtherReasonsIsEndedAtOnce();
    void whyItDidNotComeUpIsKept();
    void whatItPrintedIsAskedForAndKept();
    void theLastFiftyThatAreGoneAreKept();
    void whatItsWorkerKeepsItHasFromItsStartAndTheRestWhileItIsBusy();
    void oneThatWaitsForWhatItKeepsSaysSoAndMakesOthersGo();
    void oneThatWaitsForWhatItKeepsLeavesItsPlaceToOthers();
    void anIdleOneGivesUpWhatItKeepsForOthers();
    void whoKeepsALostPieceEnds();
    void idleOnesEndForMemoryWhereTheyHaveEnough();
    void whatTheyPrintedIsKeptOfTheLastOnesOnly();
};

void TestWarmProcesses::itsLocksAreThoseOfItsWorker() {
    Processes parts;
    parts.launched();
    QVERIFY(parts.starter.leases.back().locks.empty());
    Processes locked;
    locked.worker.locks = {"db", "licence"};
    locked.launched();
    QCOMPARE(locked.starter.leases.back().locks, (std::vector<std::string>{"db", "licence"}));
    QCOMPARE(whyLocked({.name = "db", .holder = {}}), std::string("the lock db is held"));
    const locks::LockHolder holder{.pid = 7, .engineId = "e", .dataDir = "/data", .lsn = Lsn(12)};
    QCOMPARE(whyLocked({.name = "db", .holder = holder}),
             std::string("the lock db is held by the engine of /data, process 7"));
}

void TestWarmProcesses::whatItsWorkerKeepsItHasFromItsStartAndTheRestWhileItIsBusy() {
    Processes parts;
    const WarmWorker& keeping = parts.workers.add("w2", keepingDescriptor("two"), 8);
    const std::uint64_t memory = static_cast<std::uint64_t>(kFirstProcessLsn) * 2 + 1;
    parts.host.pieces = {{memory, {{"gpus", {"1"}}}}, {memory - 1, {{"port", {"5000"}}}}};
    WarmProcess& process = parts.started(keeping.group);
    QCOMPARE(process.memoryKey(), memory);
    const Resources kept = parts.host.amounts.at(memory);
    QVERIFY(kept == (Resources{.milliCores = 0, .memoryMb = 100, .named = {{"gpus", 500}}, .gpuMemoryMb = 20}));
    QCOMPARE(listed(parts.host.orders.at(0).given), std::string("gpus 1"));
    QVERIFY(parts.processes.takeCores(process, kNow));
    QVERIFY(parts.host.amounts.at(memory - 1) ==
            (Resources{.milliCores = 1000, .memoryMb = 0, .named = {{"port", 1000}}}));
    QCOMPARE(listed(parts.processes.viewOf(process).given), std::string("gpus 1 port 5000"));
    parts.processes.giveCores(process);
    QCOMPARE(listed(parts.processes.viewOf(process).given), std::string("gpus 1"));
    QVERIFY(parts.release.keepAny());
}

void TestWarmProcesses::oneThatWaitsForWhatItKeepsSaysSoAndMakesOthersGo() {
    Processes parts;
    const WarmWorker& other = parts.workers.add("w2", keepingDescriptor("two"), 8);
    const WarmWorker& keeping = parts.workers.add("w3", keepingDescriptor("three"), 9);
    const WarmProcess& idle = parts.started(other.group);
    parts.host.gives = false;
    parts.host.lacking = "gpus";
    (void)parts.shared.pool.checkout(keeping.group, 2, kNow, parts.shared.out);
    const pool::Outbox::Spawn spawn = parts.shared.out.spawn.at(0);
    parts.shared.out.clear();
    parts.processes.order(spawn, kNow);
    QCOMPARE(parts.processes.find(spawn.process)->step(), kWaitsForKept);
    QCOMPARE(parts.shared.out.end.size(), std::size_t{1});
    QVERIFY(parts.shared.out.end.at(0).process == idle.inPool);
}

void TestWarmProcesses::oneThatWaitsForWhatItKeepsLeavesItsPlaceToOthers() {
    Processes parts;
    parts.shared.pool.configure({.max = 1}, kNow, parts.shared.out);
    const WarmWorker& keeping = parts.workers.add("w2", keepingDescriptor("two"), 8);
    parts.host.gives = false;
    (void)parts.shared.pool.checkout(keeping.group, 1, kNow, parts.shared.out);
    const pool::Outbox::Spawn spawn = parts.shared.out.spawn.at(0);
    parts.shared.out.clear();
    parts.processes.order(spawn, kNow);
    WarmProcess& waits = *parts.processes.find(spawn.process);
    parts.processes.askForRoom(waits, kNow + pool::kPatience);
    QVERIFY(parts.shared.out.end.empty()); // nobody wants its place
    (void)parts.shared.pool.checkout(parts.worker.group, 2, kNow, parts.shared.out);
    parts.processes.askForRoom(waits, kNow + 2 * pool::kPatience);
    QVERIFY(parts.shared.out.end.at(0).process == spawn.process);
    parts.shared.out.clear();
    parts.processes.endPolitely(waits, kNow);
    QCOMPARE(parts.shared.out.spawn.size(), std::size_t{1});
    QVERIFY(parts.shared.out.spawn.at(0).group == parts.worker.group);
}

void TestWarmProcesses::anIdleOneGivesUpWhatItKeepsForOthers() {
    Processes parts;
    const WarmWorker& keeping = parts.workers.add("w2", keepingDescriptor("two"), 8);
    QVERIFY(!parts.release.keepAny() && !parts.release.giveNamed("gpus"));
    const WarmProcess& idle = parts.started(keeping.group);
    QVERIFY(!parts.release.giveNamed("port")); // that it gave back itself
    QVERIFY(parts.release.giveNamed("gpus"));
    QVERIFY(parts.shared.out.end.at(0).process == idle.inPool);
    QVERIFY(parts.release.giveNamed("gpus")); // it is coming
    QCOMPARE(parts.shared.out.end.size(), std::size_t{1});
}

void TestWarmProcesses::whoKeepsALostPieceEnds() {
    Processes parts;
    const WarmWorker& keeping = parts.workers.add("w2", keepingDescriptor("two"), 8);
    const std::uint64_t memory = static_cast<std::uint64_t>(kFirstProcessLsn) * 2 + 1;
    parts.host.pieces = {{memory, {{"gpus", {"1"}}}}};
    const WarmProcess& process = parts.started(keeping.group);
    parts.release.endThoseWith("gpus", "0");
    QVERIFY(parts.shared.out.end.empty());
    parts.release.endThoseWith("gpus", "1");
    QVERIFY(parts.shared.out.end.at(0).process == process.inPool);
}

void TestWarmProcesses::idleOnesEndForMemoryWhereTheyHaveEnough() {
    Processes parts(300);
    const WarmWorker& other = parts.workers.add("w2", warmDescriptor("two", 300, 0), 8);
    parts.started(parts.worker.group);
    parts.started(other.group);
    QVERIFY(!parts.release.giveMemory(700)); // they have 600
    QVERIFY(parts.shared.out.end.empty());
    QVERIFY(parts.release.giveMemory(200));
    QCOMPARE(parts.shared.out.end.size(), std::size_t{1});
    QVERIFY(parts.release.giveMemory(300)); // that is coming
    QCOMPARE(parts.shared.out.end.size(), std::size_t{1});
    QVERIFY(parts.release.giveMemory(400));
    QCOMPARE(parts.shared.out.end.size(), std::size_t{2});
}

void TestWarmProcesses::whatTheyPrintedIsKeptOfTheLastOnesOnly() {
    GoneProcesses gone;
    const auto add = [&gone](const std::string& id, std::size_t bytes) {
        WarmProcessView view;
        view.id = id;
        view.output = std::make_shared<const OutputEnds>(OutputEnds{{bytes, std::string(bytes, 'x')}, {}});
        gone.keep(std::move(view));
    };
    add("p1", GoneProcesses::kMostOutput / 2);
    add("p2", GoneProcesses::kMostOutput / 2);
    QVERIFY(gone.find("p1")->output && gone.find("p2")->output);
    add("p3", 1);
    QVERIFY(!gone.find("p1")->output);
    QVERIFY(gone.find("p2")->output && gone.find("p3")->output);
    QVERIFY(!gone.find("p4"));
}

void TestWarmProcesses::oneIsOrderedPreparedStartedAndReady() {
    Processes parts;
    WarmProcess& process = parts.ordered();
    QCOMPARE(process.name, std::string("p1"));
    QVERIFY(isWarmProcess(process.id));
    QVERIFY(process.phase == Phase::Preparing);
    QCOMPARE(parts.host.orders.at(0).worker, std::string("w1"));
    QCOMPARE(parts.processes.freeSlots(), std::size_t{3});
    parts.processes.prepared(process, Lease{}, kNow);
    QVERIFY(process.phase == Phase::Launched);
    const Lease& lease = parts.starter.leases.at(0);
    QVERIFY(lease.id == process.id && lease.slot == process.slot);
    QVERIFY(lease.socket && std::ranges::find(lease.env, std::string("YARD_SOCKET_FD"),
                                              [](const auto& e) { return e.first; }) != lease.env.end());
    QVERIFY(parts.processes.becomeReady(process, R"({"ready":true,"concurrency":2})", kNow));
    QVERIFY(process.phase == Phase::Live);
    QCOMPARE(process.freeLanes, (std::vector<std::uint32_t>{1, 0}));
    QCOMPARE(process.firstLane, std::optional(0u));
    QCOMPARE(parts.shared.counters.spawned, std::uint64_t{1});
    QCOMPARE(parts.processes.find(std::string("p1")), &process);
    QCOMPARE(parts.processes.find(process.id), &process);
}

void TestWarmProcesses::oneThatNeedsMemoryIsPreparedOnceItHasSome() {
    Processes parts(300);
    parts.host.gives = false;
    WarmProcess& process = parts.ordered();
    QVERIFY(process.phase == Phase::Waiting);
    QCOMPARE(process.step(), kWaitsForMemory);
    QCOMPARE(parts.host.asked, std::vector<std::uint64_t>{process.memoryKey()});
    QVERIFY(parts.host.orders.empty());
    parts.processes.memoryGranted(process);
    QVERIFY(process.phase == Phase::Preparing);
    QCOMPARE(parts.host.orders.size(), std::size_t{1});
}

void TestWarmProcesses::oneThatCouldNotBePreparedIsGone() {
    Processes parts;
    WarmProcess& process = parts.ordered();
    const std::uint64_t memory = process.memoryKey();
    parts.processes.prepared(process, fail(ErrorKind::Io, "no space"), kNow);
    QVERIFY(parts.processes.all().empty());
    QCOMPARE(parts.lastGone().note, std::string("its files could not be made: no space"));
    QCOMPARE(parts.lastGone().whyEnded, pool::name(pool::WhyEnded::SpawnFailed));
    QCOMPARE(parts.shared.out.failed.size(), std::size_t{1}); // who waited for it
    QCOMPARE(parts.processes.freeSlots(), std::size_t{4});
    QCOMPARE(parts.host.discarded.size(), std::size_t{1});
    QCOMPARE(parts.host.freed, std::vector<std::uint64_t>{memory});
}

void TestWarmProcesses::oneThatIsNotNeededAnyMoreIsNotStarted() {
    Processes parts;
    WarmProcess& process = parts.ordered();
    parts.shared.pool.detach(process.inPool, pool::WhyEnded::Detached, kNow, parts.shared.out);
    parts.processes.endPolitely(process, kNow);
    QCOMPARE(parts.processes.all().size(), std::size_t{1}); // its directory is being made
    parts.processes.prepared(process, Lease{}, kNow);
    QVERIFY(parts.starter.leases.empty());
    QVERIFY(parts.processes.all().empty());
    QCOMPARE(parts.lastGone().whyEnded, pool::name(pool::WhyEnded::Detached));
}

void TestWarmProcesses::whatDoesNotSayThatItIsReadyIsNot() {
    Processes parts;
    WarmProcess& process = parts.launched();
    const auto ready = parts.processes.becomeReady(process, "[]", kNow);
    QVERIFY(!ready);
    QVERIFY(ready.error().message.starts_with("it did not say that it is ready: "));
    QVERIFY(process.phase == Phase::Launched);
}

void TestWarmProcesses::coresAreAskedForOnceUntilTheyAreGranted() {
    Processes parts(0, 1'000);
    WarmProcess& process = parts.live();
    parts.host.gives = false;
    QVERIFY(!parts.processes.takeCores(process, kNow));
    QVERIFY(!parts.processes.takeCores(process, kNow));
    QCOMPARE(parts.host.asked, std::vector<std::uint64_t>{process.coreKey()});
    parts.processes.haveCores(process, kNow);
    QVERIFY(parts.processes.takeCores(process, kNow));
    parts.processes.giveCores(process);
    QCOMPARE(parts.host.freed, std::vector<std::uint64_t>{process.coreKey()});
    parts.processes.giveCores(process); // it has none
    QCOMPARE(parts.host.freed.size(), std::size_t{1});
}

void TestWarmProcesses::whoHangsUpHasAMomentToDie() {
    Processes parts;
    WarmProcess& process = parts.live();
    parts.processes.retire(process, std::string(kHungUp), kNow);
    QVERIFY(!process.channel.isOpen());
    QCOMPARE(parts.shared.counters.crashes, std::uint64_t{1});
    parts.processes.letEnd(process, Duration(5), kNow);
    QVERIFY(parts.starter.ends.empty());
    parts.processes.lookAtEnd(process, process.killAt);
    QVERIFY(parts.starter.ends == (std::vector{std::pair(process.id, Duration::zero())}));
    QCOMPARE(process.failure, std::string("it closed its socket and went on"));
}

void TestWarmProcesses::aLookThatComesLateIsRepeated() {
    Processes parts;
    WarmProcess& process = parts.live();
    parts.processes.retire(process, std::string(kHungUp), kNow);
    parts.processes.letEnd(process, Duration(5), kNow);
    int looks = 0;
    while (parts.starter.ends.empty()) {
        parts.processes.lookAtEnd(process, process.killAt + Duration(1'000'000));
        QVERIFY(++looks < 100);
    }
    QVERIFY(looks > 1);
}

void TestWarmProcesses::whatIsRetiredForOtherReasonsIsEndedAtOnce() {
    Processes parts;
    WarmProcess& process = parts.live();
    process.endedForOne = true;
    parts.processes.retire(process, "an action was cancelled", kNow);
    QCOMPARE(parts.shared.counters.crashes, std::uint64_t{0}); // not its fault
    parts.processes.letEnd(process, Duration(5), kNow);
    QVERIFY(parts.starter.ends == (std::vector{std::pair(process.id, Duration(5))}));
}

void TestWarmProcesses::whyItDidNotComeUpIsKept() {
    Processes parts;
    WarmProcess& process = parts.launched();
    const AttemptId id = process.id;
    Ended ended;
    ended.exitCode = 3;
    ended.err.bytes = "Error: no model\n";
    parts.processes.launcherIsDone(process, ended);
    QCOMPARE(parts.starter.acknowledged.size(), std::size_t{1});
    parts.processes.failedToStart(process, ended, kNow);
    const std::string why =
        "handshake: it ended with exit code 3 before it was ready; its last output: Error: no model";
    QCOMPARE(parts.worker.lastFailure.message, why);
    QCOMPARE(parts.lastGone().note, why);
    QCOMPARE(parts.lastGone().output->err.bytes, std::string("Error: no model\n"));
    QCOMPARE(parts.shared.counters.spawnFailures, std::uint64_t{1});
    QVERIFY(!parts.processes.find(id));
}

void TestWarmProcesses::whatItPrintedIsAskedForAndKept() {
    Processes parts;
    std::vector<std::string> told;
    const auto sink = [&told](std::shared_ptr<const OutputEnds> output) { told.push_back(output->out.bytes); };
    QVERIFY(!parts.processes.askOutput("p1", sink));
    WarmProcess& process = parts.launched();
    for (int i = 0; i < 16; ++i) QVERIFY(parts.processes.askOutput("p1", sink));
    const auto tooMany = parts.processes.askOutput("p1", sink);
    QVERIFY(!tooMany && tooMany.error().kind == ErrorKind::Busy);
    parts.processes.tellOutput(process, std::make_shared<const OutputEnds>(OutputEnds{{2, "so"}, {}}));
    QCOMPARE(told, std::vector<std::string>{"so"});
    Ended ended;
    ended.out.bytes = "so far";
    parts.processes.launcherIsDone(process, ended);
    parts.processes.failedToStart(process, ended, kNow);
    QCOMPARE(told.size(), std::size_t{16}); // who still waited
    QVERIFY(parts.processes.askOutput("p1", sink));
    QCOMPARE(told.back(), std::string("so far"));
}

void TestWarmProcesses::theLastFiftyThatAreGoneAreKept() {
    Processes parts;
    for (int i = 0; i < 51; ++i) {
        WarmProcess& process = parts.ordered();
        parts.processes.prepared(process, fail(ErrorKind::Io, "no space"), kNow);
        parts.shared.out.clear();
    }
    QCOMPARE(parts.processes.gone().all().size(), std::size_t{50});
    QCOMPARE(parts.lastGone().id, std::string("p51"));
    QCOMPARE(parts.processes.gone().all().back().id, std::string("p2"));
}

QTEST_APPLESS_MAIN(TestWarmProcesses)
#include "tst_warm_processes.moc"
