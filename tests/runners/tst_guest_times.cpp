// The end of a guest group's time: the launcher's own count, with times moved by hand, and with real processes whose
// engine does not renew.
#include "core/launcher/guest_times.h"
#include "core/launcher/launcher.h"
#include "core/lease/wire.h"
#include "core/link/boot_time.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTest>

#include <chrono>
#include <signal.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kYard = 3;
constexpr std::uint32_t kOtherYard = 4;
using Groups = std::vector<std::uint32_t>;

static_assert(GuestTimes::kGrace * 2 <= link::kTeardown, "the kernel needs time as well");

BootTime at(Duration time) {
    return BootTime(time);
}

Lease guestLease(RunnerBench& bench, std::int64_t lsn, std::vector<std::string> role, std::uint32_t group = kYard) {
    Lease lease = bench.lease(lsn, std::move(role));
    lease.guestGroup = group;
    return lease;
}

/// A guest that ignores SIGTERM, with a time and a grace of ten minutes.
bool startStubborn(RunnerBench& bench, Fifo& fifo) {
    bench.runner().mayRunUntil(kYard, bootNow() + 600s);
    Lease lease = guestLease(bench, 1, {"stubborn", fifo.path()});
    lease.grace = 600s;
    bench.submit(lease);
    return fifo.next().pid > 0;
}

} // namespace

class TestGuestTimes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aGroupOfWhichNothingWasSaidMayNotRun();
    void theMachinesOwnAlwaysMayRun();
    void aGroupMayRunUpToItsTime();
    void theEndOfATimeIsToldOnce();
    void aTimeThatIsSaidAgainIsToldAgain();
    void anEarlierTimeCounts();
    void theNextEndIsTheEarliestThatWasNotTold();
    void aTimeCrossesTheWireAsItWas();
    void aTimeOfAGroupThatCannotBeIsRefused();

    void aTreeIsEndedAtItsTimeAlthoughTheEngineDoesNothing();
    void whoIgnoresTermIsKilledWithinATeardownWhateverItsGrace();
    void whatIsBeingEndedWithALongGraceIsHastened();
    void theEndOfOneGroupTouchesNoOther();
    void anAttemptWhoseTimeIsOverIsRefusedAtItsStart();
    void whatWaitsInASlotComesBackAtTheEndOfItsTime();
    void aLauncherThatStoodStillEndsTheGroupBeforeItReadsARenewal();
    void aNewTimeLetsNewAttemptsStart();
    void aNewLauncherKnowsTheTimes();
};

void TestGuestTimes::aGroupOfWhichNothingWasSaidMayNotRun() {
    GuestTimes times;
    QVERIFY(!times.mayRun(kYard, at(0s)));
    QVERIFY(times.takeOver(at(1s)).empty());
    QVERIFY(times.next() == BootTime::max());
}

void TestGuestTimes::theMachinesOwnAlwaysMayRun() {
    GuestTimes times;
    times.set(kYard, at(1s));
    QVERIFY(times.mayRun(0, at(5s)));
}

void TestGuestTimes::aGroupMayRunUpToItsTime() {
    GuestTimes times;
    times.set(kYard, at(10s));
    QVERIFY(times.mayRun(kYard, at(10s) - Duration(1)));
    QVERIFY(!times.mayRun(kYard, at(10s)));
    QVERIFY(!times.mayRun(kOtherYard, at(1s)));
}

void TestGuestTimes::theEndOfATimeIsToldOnce() {
    GuestTimes times;
    times.set(kYard, at(10s));
    times.set(kOtherYard, at(20s));
    QVERIFY(times.takeOver(at(10s) - Duration(1)).empty());
    QCOMPARE(times.takeOver(at(10s)), Groups{kYard});
    QVERIFY(times.takeOver(at(11s)).empty());
    QCOMPARE(times.takeOver(at(20s)), Groups{kOtherYard});
}

void TestGuestTimes::aTimeThatIsSaidAgainIsToldAgain() {
    GuestTimes times;
    times.set(kYard, at(10s));
    QCOMPARE(times.takeOver(at(12s)), Groups{kYard});
    times.set(kYard, at(30s));
    QVERIFY(times.mayRun(kYard, at(12s)));
    QVERIFY(times.takeOver(at(29s)).empty());
    QCOMPARE(times.takeOver(at(30s)), Groups{kYard});
}

void TestGuestTimes::anEarlierTimeCounts() {
    GuestTimes times;
    times.set(kYard, at(30s));
    times.set(kYard, at(10s));
    QVERIFY(!times.mayRun(kYard, at(10s)));
    QCOMPARE(times.takeOver(at(10s)), Groups{kYard});
}

void TestGuestTimes::theNextEndIsTheEarliestThatWasNotTold() {
    GuestTimes times;
    times.set(kOtherYard, at(20s));
    times.set(kYard, at(10s));
    QVERIFY(times.next() == at(10s));
    times.takeOver(at(15s));
    QVERIFY(times.next() == at(20s));
    times.takeOver(at(25s));
    QVERIFY(times.next() == BootTime::max());
}

void TestGuestTimes::aTimeCrossesTheWireAsItWas() {
    std::string bytes;
    wire::put(bytes, wire::MayRun{.guestGroup = kYard, .until = at(77s)});
    const std::string payload = bytes.substr(5);
    wire::MayRun read;
    QVERIFY(wire::get(payload, read));
    QVERIFY(read.guestGroup == kYard && read.until == at(77s));
    for (std::size_t n = 0; n < payload.size(); ++n) QVERIFY(!wire::get(payload.substr(0, n), read));
    QVERIFY(!wire::get(payload + "x", read));
}

void TestGuestTimes::aTimeOfAGroupThatCannotBeIsRefused() {
    for (const wire::MayRun& wrong : {wire::MayRun{.guestGroup = 0, .until = at(1s)},
                                      wire::MayRun{.guestGroup = kMaxGuestGroup + 1, .until = at(1s)},
                                      wire::MayRun{.guestGroup = kYard, .until = at(-1s)}}) {
        std::string bytes;
        wire::put(bytes, wrong);
        wire::MayRun read;
        QVERIFY(!wire::get(bytes.substr(5), read));
    }
    Lease lease;
    lease.id = {Lsn(1), 1};
    lease.argv = {"/bin/true"};
    for (const std::uint32_t group : {kMaxGuestGroup, kMaxGuestGroup + 1}) {
        lease.guestGroup = group;
        std::string bytes;
        wire::put(bytes, lease);
        Lease read;
        QCOMPARE(wire::get(bytes.substr(5), read), group == kMaxGuestGroup);
        if (group == kMaxGuestGroup) QCOMPARE(read.guestGroup, group);
    }
}

void TestGuestTimes::aTreeIsEndedAtItsTimeAlthoughTheEngineDoesNothing() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    QVERIFY(bench.runner().mayRunUntil(kYard, bootNow() + 600s));
    Lease lease = guestLease(bench, 1, {"tree", fifo.path(), "2"});
    lease.grace = 50ms;
    bench.submit(lease);
    std::vector<int> pids;
    for (int i = 0; i < 5; ++i) pids.push_back(fifo.next().pid);
    const BootTime until = bootNow() + 300ms;
    bench.runner().mayRunUntil(kYard, until);
    // Nobody drives the runner: as an engine that hangs.
    for (const int pid : pids) QVERIFY(pid > 0 && eventually([pid] { return isGone(pid); }));
    QVERIFY(bootNow() >= until);
    const Ended* end = bench.ended(1);
    QVERIFY(end && end->cause == EndCause::LeaseEnded);
    QVERIFY(bench.close());
}

void TestGuestTimes::whoIgnoresTermIsKilledWithinATeardownWhateverItsGrace() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    QVERIFY(startStubborn(bench, fifo));
    const BootTime until = bootNow();
    bench.runner().mayRunUntil(kYard, until);
    const Ended* end = bench.ended(1);
    QVERIFY(end && end->cause == EndCause::LeaseEnded);
    QCOMPARE(end->signal, std::optional(SIGKILL));
    QVERIFY(bootNow() - until >= GuestTimes::kGrace); // it had its time
    QVERIFY(bootNow() - until < 300s);                // and not its own grace
    QVERIFY(bench.close());
}

void TestGuestTimes::whatIsBeingEndedWithALongGraceIsHastened() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    QVERIFY(startStubborn(bench, fifo));
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    bench.runner().mayRunUntil(kYard, bootNow());
    const Ended* end = bench.ended(1);
    QVERIFY(end);
    QVERIFY(end->cause == EndCause::Cancelled); // the first cause counts
    QCOMPARE(end->signal, std::optional(SIGKILL));
    QVERIFY(bench.close());
}

void TestGuestTimes::theEndOfOneGroupTouchesNoOther() {
    RunnerBench bench(3);
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    for (const std::uint32_t group : {kYard, kOtherYard}) bench.runner().mayRunUntil(group, bootNow() + 600s);
    bench.submit(guestLease(bench, 1, {"wait", fifo.path(), gate.path()}, kOtherYard));
    bench.submit(guestLease(bench, 2, {"wait", fifo.path(), gate.path()}, 0));
    bench.submit(guestLease(bench, 3, {"wait", fifo.path(), gate.path()}));
    for (int i = 0; i < 3; ++i) QVERIFY(fifo.next().pid > 0);
    bench.runner().mayRunUntil(kYard, bootNow());
    QVERIFY(bench.ended(3));
    QVERIFY(bench.ended(3)->cause == EndCause::LeaseEnded);
    gate.open();
    gate.open();
    for (const int lsn : {1, 2}) {
        QVERIFY(bench.ended(lsn));
        QVERIFY(bench.ended(lsn)->cause == EndCause::Exited);
        QVERIFY(bench.ended(lsn));
        QCOMPARE(bench.ended(lsn)->exitCode, std::optional(0));
    }
    QVERIFY(bench.close());
}

void TestGuestTimes::anAttemptWhoseTimeIsOverIsRefusedAtItsStart() {
    RunnerBench bench(1);
    bench.submit(guestLease(bench, 1, {"exit", "0"}));
    QVERIFY(bench.until([&] { return bench.isReturned(1); })); // nothing was said of its group
    bench.runner().mayRunUntil(kYard, bootNow());
    std::vector<Lease> batch;
    for (const std::int64_t lsn : {2, 3}) batch.push_back(guestLease(bench, lsn, {"exit", "0"}));
    batch.push_back(bench.lease(4, {"exit", "0"}));
    bench.runner().submit(std::move(batch));
    QVERIFY(bench.ended(4)); // behind them, in the same slot
    for (const std::int64_t lsn : {1, 2, 3}) QVERIFY(bench.isReturned(lsn) && !bench.started(lsn));
    const auto slots = SlotsFile::open(bench.config().dataDir + "/slots");
    QVERIFY(slots && slots->entries().empty());
    QVERIFY(bench.close());
}

void TestGuestTimes::whatWaitsInASlotComesBackAtTheEndOfItsTime() {
    RunnerBench bench(1);
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    bench.runner().mayRunUntil(kYard, bootNow() + 600s);
    bench.submit(bench.lease(1, {"wait", fifo.path(), gate.path()}));
    bench.submit(guestLease(bench, 2, {"exit", "0"}));
    bench.submit(bench.lease(3, {"exit", "0"}));
    QVERIFY(fifo.next().pid > 0);
    bench.runner().mayRunUntil(kYard, bootNow());
    QVERIFY(bench.until([&] { return bench.isReturned(2); }));
    QVERIFY(bench.all<Ended>(1).empty());
    gate.open();
    QVERIFY(bench.ended(3));
    QCOMPARE(bench.ended(3)->exitCode, std::optional(0));
    QVERIFY(!bench.started(2));
    QVERIFY(bench.close());
}

void TestGuestTimes::aLauncherThatStoodStillEndsTheGroupBeforeItReadsARenewal() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    bench.runner().mayRunUntil(kYard, bootNow() + 600s);
    bench.submit(guestLease(bench, 1, {"wait", fifo.path()}));
    QVERIFY(fifo.next().pid > 0);
    const BootTime until = bootNow() + 500ms;
    bench.runner().mayRunUntil(kYard, until);
    // Its answer says that the launcher has read what came before.
    QVERIFY(bench.runner().askOutputEnds({Lsn(1), 1}));
    QVERIFY(bench.until([&] { return !bench.all<OutputEnds>(1).empty() || !bench.all<Ended>(1).empty(); }));
    const int launcher = bench.runner().launcherPid();
    QCOMPARE(::kill(launcher, SIGSTOP), 0);
    QVERIFY(eventually([&] { return bootNow() > until; }));
    bench.runner().mayRunUntil(kYard, bootNow() + 600s);
    QCOMPARE(::kill(launcher, SIGCONT), 0);
    const Ended* end = bench.ended(1);
    QVERIFY(end && end->cause == EndCause::LeaseEnded);
    QVERIFY(bench.close());
}

void TestGuestTimes::aNewTimeLetsNewAttemptsStart() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    bench.runner().mayRunUntil(kYard, bootNow() + 600s);
    bench.submit(guestLease(bench, 1, {"wait", fifo.path()}));
    QVERIFY(fifo.next().pid > 0);
    bench.runner().mayRunUntil(kYard, bootNow());
    QVERIFY(bench.ended(1));
    QVERIFY(bench.ended(1)->cause == EndCause::LeaseEnded);
    bench.runner().mayRunUntil(kYard, bootNow() + 600s);
    bench.submit(guestLease(bench, 2, {"exit", "4"}));
    QVERIFY(bench.ended(2));
    QCOMPARE(bench.ended(2)->exitCode, std::optional(4));
    QVERIFY(bench.close());
}

void TestGuestTimes::aNewLauncherKnowsTheTimes() {
    RunnerBench bench;
    bench.runner().mayRunUntil(kYard, bootNow() + 600s);
    const int before = bench.runner().launcherPid();
    QCOMPARE(::kill(before, SIGKILL), 0);
    QVERIFY(bench.until([&] {
        const int now = bench.runner().launcherPid();
        return now != 0 && now != before && bench.runner().isAccepting();
    }));
    bench.submit(guestLease(bench, 1, {"exit", "4"}));
    QVERIFY(bench.ended(1));
    QCOMPARE(bench.ended(1)->exitCode, std::optional(4));
    QVERIFY(bench.close());
}

YARD_RUNNER_TEST_MAIN(TestGuestTimes)
#include "tst_guest_times.moc"
