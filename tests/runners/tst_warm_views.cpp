// What is seen of warm workers and their processes, without a process: states are made by hand.
#include "core/runners/warm_views.h"
#include "tests/runners/warm_parts.h"

#include <QTest>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {

constexpr MonoTime kNow{Duration{1'000'000'000}};
using For = WarmWait::For;

struct Seen : WarmParts {
    Seen()
        : worker(workers.add("w1", warmDescriptor("one", 300, 1'000), 7)) {}
    /// A request waits, and a process is ordered for it.
    WarmProcess& ordered() {
        (void)shared.pool.checkout(worker.group, 1, kNow, shared.out);
        const pool::Outbox::Spawn spawn = shared.out.spawn.at(0);
        shared.out.clear();
        processes.order(spawn, kNow);
        return *processes.find(spawn.process);
    }
    WarmProcess& live() {
        WarmProcess& process = ordered();
        processes.prepared(process, Lease{}, kNow);
        if (!processes.becomeReady(process, R"({"ready":true,"concurrency":2})", kNow)) qFatal("not ready");
        process.pid = 41;
        return process;
    }
    std::uint32_t running(WarmProcess& process, std::int64_t lsn) {
        const std::uint32_t place = requests.add(warmLease(lsn));
        requests[place].process = &process;
        requests.run(place, 0, kNow);
        process.lanes.push_back(place);
        return place;
    }

    NotingStarter starter;
    RequestTable requests{shared};
    WarmWorkers workers{shared};
    WarmProcesses processes{shared, starter, workers};
    WarmViews views{shared, requests, workers, processes};
    WarmWorker& worker;
};

} // namespace

class TestWarmViews : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aGroupShowsWhatItsProcessesWorkOn();
    void oneThatIsGoneIsStillFound();
    void whatARequestWaitsForFollowsTheProcess();
    void whoHoldsResourcesIsNamed();
    void onlyThoseThatWorkUnderALimitAreLookedAtForIt();
};

void TestWarmViews::aGroupShowsWhatItsProcessesWorkOn() {
    Seen seen;
    WarmProcess& process = seen.live();
    seen.running(process, 5);
    const WarmPoolView all = seen.views.pool();
    QCOMPARE(all.groups.size(), std::size_t{1});
    QCOMPARE(all.groups[0].memoryMb, std::int64_t{300});
    QCOMPARE(all.groups[0].processes.size(), std::size_t{1});
    const WarmProcessView& view = all.groups[0].processes[0];
    QCOMPARE(view.id, std::string("p1"));
    QVERIFY(view.current == std::vector{Lsn(5)});
    QVERIFY(view.currentSince == std::optional(kNow));
    QCOMPARE(seen.views.alive(), 1u);
}

void TestWarmViews::oneThatIsGoneIsStillFound() {
    Seen seen;
    WarmProcess& process = seen.ordered();
    QCOMPARE(seen.views.process("p1")->note, std::string("its files are made"));
    seen.processes.prepared(process, fail(ErrorKind::Io, "no space"), kNow);
    QCOMPARE(seen.views.process("p1")->note, std::string("its files could not be made: no space"));
    QVERIFY(seen.views.pool().groups.at(0).processes.empty());
    QCOMPARE(seen.views.pool().gone.size(), std::size_t{1});
    QVERIFY(!seen.views.process("p2"));
}

void TestWarmViews::whatARequestWaitsForFollowsTheProcess() {
    Seen seen;
    QVERIFY(!seen.views.waitOf("w2"));
    QVERIFY(seen.views.waitOf("w1")->what == For::Process);
    seen.host.gives = false;
    WarmProcess& process = seen.ordered();
    QVERIFY(seen.views.waitOf("w1")->what == For::Start);
    QCOMPARE(seen.views.waitOf("w1")->step, kWaitsForMemory);
    QCOMPARE(seen.views.waitOf("w1")->hold, std::optional(process.memoryKey()));
    seen.processes.memoryGranted(process);
    seen.processes.prepared(process, Lease{}, kNow);
    QCOMPARE(seen.views.waitOf("w1")->step, std::string_view("is being started"));
    QVERIFY(seen.processes.becomeReady(process, R"({"ready":true})", kNow));
    QVERIFY(!seen.processes.takeCores(process, kNow));
    QVERIFY(seen.views.waitOf("w1")->what == For::Cores);
    QCOMPARE(seen.views.waitOf("w1")->hold, std::optional(process.coreKey()));
    seen.processes.haveCores(process, kNow);
    process.turn = WarmProcess::Turn::Yielding;
    QVERIFY(seen.views.waitOf("w1")->what == For::Turn);
}

void TestWarmViews::whoHoldsResourcesIsNamed() {
    Seen seen;
    const WarmProcess& process = seen.ordered();
    QCOMPARE(seen.views.holderName(process.coreKey()), std::string("process p1 of one"));
    QCOMPARE(seen.views.holderName(process.memoryKey()), std::string("process p1 of one"));
    QCOMPARE(seen.views.holderName(2), std::string());
    QVERIFY(seen.views.groupOf("w1") == std::optional(seen.worker.group));
}

void TestWarmViews::onlyThoseThatWorkUnderALimitAreLookedAtForIt() {
    Seen seen;
    WarmProcess& process = seen.live();
    QCOMPARE(seen.views.look("p1").size(), std::size_t{1});
    QVERIFY(seen.views.limited().empty()); // idle, without children
    seen.running(process, 5);
    QCOMPARE(seen.views.limited().size(), std::size_t{1});
    process.memoryLimit = 0;
    QVERIFY(seen.views.limited().empty());
    process.usedSinceSample = false;
    QCOMPARE(seen.processes.looks(true).size(), std::size_t{1}); // it works
    process.lanes.clear();
    QVERIFY(seen.processes.looks(true).empty());
    QCOMPARE(seen.processes.looks(false).size(), std::size_t{1});
}

QTEST_APPLESS_MAIN(TestWarmViews)
#include "tst_warm_views.moc"
