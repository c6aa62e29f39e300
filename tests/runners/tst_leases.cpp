// Leases: order in a slot, taking back, moving within a group, the bounds, entries of the slots file, batching.
#include "core/launcher/launcher.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTest>

#include <map>
#include <numeric>
#include <set>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

class TestLeases : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void leasesOfASlotRunInTheirOrderOneAtATime();
    void whatWaitsCanBeTakenBackWhatRunsCannot();
    void endingAWaitingLeaseReturnsIt();
    void aDrySlotTakesOverFromItsGroup();
    void otherGroupsAreLeftAlone();
    void moreThanTheBoundComesBack();
    void aLeaseForASlotThatIsNotThereComesBack();
    void freeSlotsAreCounted();
    void aFullRingHoldsTheNextStartBackUntilAcknowledged();
    void theSlotsFileSaysWhatLives();
    void updatesOfShortActionsComeInBatches();
    void aHurriedActionIsReportedAtOnce();
    void manyActionsAllComeBackOnce();
};

void TestLeases::leasesOfASlotRunInTheirOrderOneAtATime() {
    RunnerBench bench(2);
    std::vector<Lease> batch;
    for (int i = 1; i <= 8; ++i) {
        batch.push_back(bench.lease(i, {"exit", "0"}));
        batch.back().slot = SlotId(1);
    }
    bench.runner().submit(std::move(batch));
    MonoTime last{};
    for (int i = 1; i <= 8; ++i) {
        const Ended* end = bench.ended(i);
        QVERIFY(end->slot == SlotId(1));
        QVERIFY(end->times.submitting >= last);
        last = end->times.ended;
    }
    QVERIFY(bench.close());
}

void TestLeases::whatWaitsCanBeTakenBackWhatRunsCannot() {
    RunnerBench bench(1);
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    bench.submit(1, {"wait", fifo.path(), gate.path()});
    bench.submit(2, {"exit", "0"});
    bench.submit(3, {"exit", "0"});
    QVERIFY(fifo.next().pid > 0);
    bench.runner().takeBack({Lsn(1), 1});
    bench.runner().takeBack({Lsn(2), 1});
    bench.runner().takeBack({Lsn(2), 2}); // not that attempt
    bench.runner().takeBack({Lsn(99), 1});
    QVERIFY(bench.until([&] { return bench.isReturned(2); }));
    QVERIFY(!bench.isReturned(1) && !bench.isReturned(3));
    gate.open();
    QCOMPARE(bench.ended(1)->exitCode, std::optional(0));
    QCOMPARE(bench.ended(3)->exitCode, std::optional(0));
    QVERIFY(!bench.started(2) && bench.all<Ended>(2).empty());
    QVERIFY(bench.close());
}

void TestLeases::endingAWaitingLeaseReturnsIt() {
    RunnerBench bench(1);
    Fifo fifo(bench.path("fifo"));
    bench.submit(1, {"wait", fifo.path()});
    bench.submit(2, {"exit", "0"});
    QVERIFY(fifo.next().pid > 0);
    bench.runner().end({Lsn(2), 1}, StopCause::Cancelled);
    QVERIFY(bench.until([&] { return bench.isReturned(2); }));
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(1));
    QVERIFY(bench.close());
}

void TestLeases::aDrySlotTakesOverFromItsGroup() {
    RunnerBench bench(2);
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    std::vector<Lease> batch;
    batch.push_back(bench.lease(1, {"wait", fifo.path(), gate.path()}));
    for (int i = 2; i <= 5; ++i) batch.push_back(bench.lease(i, {"exit", "0"}));
    batch.push_back(bench.lease(6, {"exit", "0"}));
    for (Lease& lease : batch) {
        lease.group = 1;
        lease.slot = SlotId(lease.id.lsn.value == 6 ? 1 : 0);
    }
    // Slot 0 is busy before slot 1 runs dry.
    bench.runner().submit({batch.begin(), batch.begin() + 5});
    QVERIFY(fifo.next().pid > 0);
    bench.runner().submit({batch.begin() + 5, batch.end()});
    for (int i = 2; i <= 6; ++i) QVERIFY(bench.ended(i)->slot == SlotId(1));
    for (int i = 2; i <= 5; ++i) {
        QCOMPARE(bench.all<Moved>(i).size(), std::size_t{1});
        QVERIFY(bench.all<Moved>(i).front().slot == SlotId(1));
    }
    // Moved comes right behind the Ended that made room, so a slot never looks free in between.
    for (std::size_t k = 0; k < bench.seen.size(); ++k)
        if (std::holds_alternative<Moved>(bench.seen[k].what))
            QVERIFY(std::holds_alternative<Ended>(bench.seen[k - 1].what));
    gate.open();
    QCOMPARE(bench.ended(1)->exitCode, std::optional(0));
    QVERIFY(bench.close());
}

void TestLeases::otherGroupsAreLeftAlone() {
    RunnerBench bench(2);
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    const auto make = [&](std::int64_t lsn, unsigned slot, unsigned group, std::vector<std::string> role) {
        Lease lease = bench.lease(lsn, std::move(role));
        lease.slot = SlotId(slot);
        lease.group = group;
        bench.submit(lease);
    };
    make(1, 0, 1, {"wait", fifo.path(), gate.path()});
    QVERIFY(fifo.next().pid > 0);
    make(2, 0, 2, {"exit", "0"}); // another group
    make(3, 1, 1, {"exit", "0"});
    QVERIFY(bench.ended(3));
    make(4, 1, 0, {"exit", "0"}); // no group: takes nothing over
    QVERIFY(bench.ended(4));
    QVERIFY(!bench.started(2));
    gate.open();
    QVERIFY(bench.ended(2)->slot == SlotId(0));
    QVERIFY(bench.close());
}

void TestLeases::moreThanTheBoundComesBack() {
    RunnerBench bench(1);
    Fifo fifo(bench.path("fifo"));
    std::vector<Lease> batch;
    for (int i = 1; i <= 12; ++i) batch.push_back(bench.lease(i, {"wait", fifo.path()}));
    bench.runner().submit(std::move(batch));
    QVERIFY(bench.until([&] { return bench.isReturned(12); }));
    for (int i = 1; i <= 12; ++i) QCOMPARE(bench.isReturned(i), i > static_cast<int>(kLeasesPerSlot));
    QVERIFY(bench.close(Duration(100'000)));
}

void TestLeases::aLeaseForASlotThatIsNotThereComesBack() {
    RunnerBench bench(2);
    Lease lease = bench.lease(1, {"exit", "0"});
    lease.slot = SlotId(2);
    bench.submit(lease);
    QVERIFY(bench.until([&] { return bench.isReturned(1); }));
    bench.submit(2, {"exit", "0"});
    QVERIFY(bench.ended(2));
    QVERIFY(bench.close());
}

void TestLeases::freeSlotsAreCounted() {
    RunnerBench bench(3);
    Fifo fifo(bench.path("fifo"));
    QCOMPARE(bench.runner().capacity(), 3u);
    QCOMPARE(bench.runner().free(), 3u);
    bench.submit(1, {"wait", fifo.path()});
    bench.submit(2, {"wait", fifo.path()});
    QCOMPARE(bench.runner().free(), 1u);
    QCOMPARE(bench.runner().outstanding(), std::size_t{2});
    bench.runner().endAll(StopCause::Cancelled);
    QVERIFY(bench.until([&] { return bench.runner().free() == 3; }));
    QVERIFY(bench.close());
}

void TestLeases::aFullRingHoldsTheNextStartBackUntilAcknowledged() {
    RunnerBench bench(1);
    bench.acknowledges = false;
    int next = 1;
    const int ring = static_cast<int>(SlotsFile::kRing);
    while (next <= ring) {
        bench.submit(next, {"exit", "0"});
        QVERIFY(bench.ended(next++));
    }
    bench.submit(ring + 1, {"exit", "0"});
    bench.runner().takeBack(
        {Lsn(ring + 2), 1}); // nothing: the next line can only be answered after the lease was read
    bench.submit(ring + 2, {"exit", "0"});
    bench.runner().takeBack({Lsn(ring + 2), 1});
    QVERIFY(bench.until([&] { return bench.isReturned(ring + 2); }));
    QVERIFY(!bench.started(ring + 1));
    bench.runner().acknowledge(SlotId(0), {Lsn(3), 1});
    QCOMPARE(bench.ended(ring + 1)->exitCode, std::optional(0));
    // One that is held back can be taken back too.
    bench.submit(ring + 3, {"exit", "0"});
    bench.runner().takeBack({Lsn(ring + 3), 1});
    QVERIFY(bench.until([&] { return bench.isReturned(ring + 3); }));
    QVERIFY(bench.close());
}

void TestLeases::theSlotsFileSaysWhatLives() {
    RunnerBench bench(2);
    bench.acknowledges = false;
    Fifo fifo(bench.path("fifo"));
    bench.submit(1, {"wait", fifo.path()});
    Lease brief = bench.lease(2, {"exit", "0"});
    Lease none = bench.lease(3, {});
    none.argv = {"/no/such/program"};
    brief.slot = none.slot = SlotId(1); // the first sits in slot 0 for as long as we like
    bench.submit(brief);
    bench.submit(none);
    const int pid = fifo.next().pid;
    QVERIFY(bench.ended(2) && bench.ended(3));
    QVERIFY(bench.until([&] { return bench.started(1) != nullptr; }));
    auto file = SlotsFile::open(bench.config().dataDir + "/slots");
    QVERIFY(file);
    QCOMPARE(file->launcherPid(), bench.runner().launcherPid());
    const auto first = file->find({Lsn(1), 1});
    QVERIFY(first && first->state == SlotEntryState::Cloned && first->pid == pid);
    QVERIFY(file->find({Lsn(2), 1}));  // ended, but not acknowledged
    QVERIFY(!file->find({Lsn(3), 1})); // proven never to have run
    bench.runner().acknowledge(bench.ended(2)->slot, {Lsn(2), 1});
    QVERIFY(!file->find({Lsn(2), 1}));
    bench.runner().endAll(StopCause::Cancelled);
    QVERIFY(bench.ended(1));
    QVERIFY(bench.close());
}

void TestLeases::updatesOfShortActionsComeInBatches() {
    RunnerBench bench(1, [](LauncherConfig& config) {
        config.quiet = Duration(10'000'000);
        config.lowWater = 1;
    });
    std::vector<std::size_t> batches;
    bench.onUpdates = [&](std::vector<Update>& batch) { batches.push_back(batch.size()); };
    std::vector<Lease> leases;
    for (int i = 1; i <= 8; ++i) leases.push_back(bench.lease(i, {"exit", "0"}));
    bench.runner().submit(std::move(leases));
    QVERIFY(bench.ended(8));
    // Nothing is said until the last waiting one was taken; then there is one left to run.
    QVERIFY2(batches.size() <= 3, std::to_string(batches.size()).c_str());
    QCOMPARE(std::accumulate(batches.begin(), batches.end(), std::size_t{0}), std::size_t{16});
    QVERIFY(bench.close());
}

void TestLeases::aHurriedActionIsReportedAtOnce() {
    RunnerBench bench(1, [](LauncherConfig& config) { config.quiet = Duration(3'600'000'000); });
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"wait", fifo.path()});
    lease.hurry = true;
    std::vector<Lease> batch{lease, bench.lease(2, {"exit", "0"})};
    bench.runner().submit(std::move(batch));
    QVERIFY(bench.until([&] { return bench.started(1) != nullptr; }));
    bench.runner().endAll(StopCause::Cancelled);
    QVERIFY(bench.ended(1));
    QVERIFY(bench.close());
}

void TestLeases::manyActionsAllComeBackOnce() {
    constexpr int kCount = 400;
    RunnerBench bench(3);
    int submitted = 0;
    std::map<std::int64_t, int> terminal;
    const auto fill = [&] {
        std::vector<Lease> batch;
        while (submitted < kCount && bench.runner().outstanding() + batch.size() < 3 * kLeasesPerSlot) {
            ++submitted;
            batch.push_back(bench.lease(submitted, {submitted % 7 == 0 ? "print" : "exit", "0"}));
            batch.back().group = static_cast<std::uint32_t>(submitted % 2 + 1);
        }
        if (!batch.empty()) bench.runner().submit(std::move(batch));
    };
    std::set<std::int64_t> startedOnes;
    bench.onUpdates = [&](std::vector<Update>& batch) {
        for (const Update& update : batch) {
            if (std::holds_alternative<Started>(update.what))
                QVERIFY(startedOnes.insert(update.id.lsn.value).second);
            if (std::holds_alternative<Ended>(update.what)) {
                QVERIFY(startedOnes.contains(update.id.lsn.value));
                ++terminal[update.id.lsn.value];
            }
            if (std::holds_alternative<Returned>(update.what)) ++terminal[update.id.lsn.value];
        }
        fill();
    };
    fill();
    QVERIFY(bench.until([&] { return terminal.size() == kCount; }));
    for (const auto& [lsn, count] : terminal) QCOMPARE(count, 1);
    QCOMPARE(bench.runner().free(), 3u);
    QVERIFY(bench.close());
}

YARD_RUNNER_TEST_MAIN(TestLeases)
#include "tst_leases.moc"
