// Ending whole process trees: cancel, deadline, normal ends with survivors, daemons, fork storms, and the same
// twice.
#include "core/host/process_tree.h"
#include "core/launcher/launcher.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTest>

#include <algorithm>
#include <cerrno>
#include <signal.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {
constexpr Duration kShort{50'000};
bool standsStill(int pid) {
    const auto stat = host::readStat(pid);
    return stat && stat->state == 'T';
}
double seconds(MonoTime from, MonoTime to) {
    return static_cast<double>((to - from).count()) / 1e6;
}
} // namespace

class TestTeardown : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cancelSendsTermFirst();
    void whoIgnoresTermIsKilledAfterTheGrace();
    void aLongGraceIsNotWaitedForWhenAllAreGone();
    void theDeadlineEndsTheTree();
    void aDeadlineShorterThanTheTickIsKept();
    void noDeadlineMeansNone();
    void grandchildrenInTheirOwnSessionsAreEnded();
    void aDaemonIsEndedWhenTheFirstProcessEnds();
    void aDaemonOfALongActionIsEndedByCancel();
    void aNamelessDaemonEndsWithTheOnlyActionItCanBelongTo();
    void aNamelessDaemonEndsWithItsActionAlthoughOthersRun();
    void aDaemonOfOneActionDoesNotTouchAnother_data();
    void aDaemonOfOneActionDoesNotTouchAnother();
    void aBackgroundChildThatEndsByItselfCostsNothing();
    void zombiesOfRunningActionsAreReaped();
    void aForkStormIsEnded();
    void aStoppedProcessIsEnded();
    void aTreeStandsStillAndGoesOn();
    void whatStandsStillMissesNoDeadline();
    void whatStandsStillIsEndedAsEverythingElse();
    void whatStoodStillBeforeStaysSo();
    void whatDoesNotRunCannotStandStill();
    void cancelTwiceAndInTheMiddleOfATeardownIsSafe();
    void aShorterGraceHastens();
    void cancelAfterTheEndIsHarmless();
    void endAllEndsEverythingAndReturnsWhatWaits();
    void theFirstCauseCounts();
    void shutDownEndsWhatRuns();
};

void TestTeardown::cancelSendsTermFirst() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    bench.submit(1, {"gentle", fifo.path()});
    QVERIFY(fifo.next().pid > 0);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    const Ended* end = bench.ended(1);
    QVERIFY(end->cause == EndCause::Cancelled);
    QCOMPARE(end->exitCode, std::optional(3));
    QCOMPARE(textOf(end->out), std::string("bye"));
    QVERIFY(bench.close());
}

void TestTeardown::whoIgnoresTermIsKilledAfterTheGrace() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"stubborn", fifo.path()});
    lease.grace = Duration(300'000);
    bench.submit(lease);
    QVERIFY(fifo.next().pid > 0);
    const MonoTime from = MonoClock::now();
    bench.runner().end({Lsn(1), 1}, StopCause::Abandoned);
    const Ended* end = bench.ended(1);
    QVERIFY(end->cause == EndCause::Abandoned);
    QCOMPARE(end->signal, std::optional(SIGKILL));
    QVERIFY(seconds(from, end->times.ended) >= 0.3);
    QVERIFY(bench.close());
}

void TestTeardown::aLongGraceIsNotWaitedForWhenAllAreGone() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"wait", fifo.path()});
    lease.grace = Duration(60'000'000);
    bench.submit(lease);
    QVERIFY(fifo.next().pid > 0);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    const Ended* end = bench.ended(1);
    QVERIFY(end);
    QCOMPARE(end->signal, std::optional(SIGTERM));
    QVERIFY(bench.close());
}

void TestTeardown::theDeadlineEndsTheTree() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"tree", fifo.path(), "1"});
    lease.deadline = Duration(3'000'000); // in which the tree grows, on a busy machine as well
    lease.grace = kShort;
    bench.submit(lease);
    std::vector<int> pids;
    for (int i = 0; i < 3; ++i) pids.push_back(fifo.next().pid);
    const Ended* end = bench.ended(1);
    QVERIFY(end->cause == EndCause::Deadline);
    QVERIFY(seconds(end->times.submitting, end->times.ended) >= 3);
    for (const int pid : pids) QVERIFY(pid > 0 && isGone(pid));
    QVERIFY(bench.close());
}

/// The tick is a second, and each would last to the next one. Of several the shortest is looked at: on a busy machine
/// one may take longer.
void TestTeardown::aDeadlineShorterThanTheTickIsKept() {
    constexpr int kBenches = 3;
    std::vector<double> first;
    std::vector<double> later; // they start without the main thread being told
    for (int n = 0; n < kBenches; ++n) {
        RunnerBench bench(1);
        Fifo fifo(bench.path("fifo"));
        std::vector<Lease> batch;
        for (int i = 1; i <= 3; ++i) {
            batch.push_back(bench.lease(i, {"wait", fifo.path()}));
            batch.back().deadline = Duration(100'000);
        }
        bench.runner().submit(std::move(batch));
        for (int i = 1; i <= 3; ++i) {
            const Ended* end = bench.ended(i);
            QVERIFY(end && end->cause == EndCause::Deadline);
            const double lasted = seconds(end->times.submitting, end->times.ended);
            QVERIFY2(lasted >= 0.1, std::to_string(lasted).c_str());
            (i == 1 ? first : later).push_back(lasted);
        }
        QVERIFY(bench.close());
    }
    for (const double shortest : {std::ranges::min(first), std::ranges::min(later)})
        QVERIFY2(shortest < 0.9, std::to_string(shortest).c_str());
}

void TestTeardown::noDeadlineMeansNone() {
    RunnerBench bench;
    Lease none = bench.lease(1, {"exit", "0"});
    none.deadline = Duration::zero();
    bench.submit(none);
    Lease huge = bench.lease(2, {"exit", "0"});
    huge.deadline = Duration::max();
    bench.submit(huge);
    for (int i : {1, 2}) QVERIFY(bench.ended(i)->cause == EndCause::Exited);
    QVERIFY(bench.close());
}

void TestTeardown::grandchildrenInTheirOwnSessionsAreEnded() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"tree", fifo.path(), "5"});
    lease.grace = kShort;
    bench.submit(lease);
    std::vector<int> pids;
    for (int i = 0; i < 11; ++i) pids.push_back(fifo.next().pid);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(1)->cause == EndCause::Cancelled);
    for (const int pid : pids) QVERIFY(pid > 0 && isGone(pid));
    QVERIFY(bench.close());
}

void TestTeardown::aDaemonIsEndedWhenTheFirstProcessEnds() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"daemon", fifo.path(), "7"});
    lease.grace = kShort;
    bench.submit(lease);
    const Ended* end = bench.ended(1);
    const int daemon = fifo.next().pid;
    QVERIFY(end->cause == EndCause::Exited);
    QCOMPARE(end->exitCode, std::optional(7));
    QVERIFY(end->hadSurvivors);
    QVERIFY(seconds(end->times.exited, end->times.ended) >= 0.05);
    QVERIFY(daemon > 0 && isGone(daemon));
    QVERIFY(bench.close());
}

void TestTeardown::aDaemonOfALongActionIsEndedByCancel() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    // The shell stays, the daemon it started has been orphaned long before.
    Lease lease = bench.lease(1, {});
    lease.argv = {"/bin/sh", "-c",
                  "'" + childProgram() + "' daemon '" + fifo.path() + "'; exec '" + childProgram() + "' wait '" +
                      fifo.path() + "'"};
    lease.grace = kShort;
    bench.submit(lease);
    const auto first = fifo.next();
    const auto second = fifo.next();
    QVERIFY(first.pid > 0 && second.pid > 0);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(1)->cause == EndCause::Cancelled);
    QVERIFY(isGone(first.pid) && isGone(second.pid));
    QVERIFY(bench.close());
}

void TestTeardown::aNamelessDaemonEndsWithTheOnlyActionItCanBelongTo() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"nameless", fifo.path()});
    lease.grace = kShort;
    bench.submit(lease);
    const Ended* end = bench.ended(1);
    const int daemon = fifo.next().pid;
    QCOMPARE(end->exitCode, std::optional(0));
    QVERIFY(daemon > 0 && isGone(daemon));
    QVERIFY(bench.close());
}

// It has left its session, its parent and its environment, as `env -i` and a daemon's own double fork do.
void TestTeardown::aNamelessDaemonEndsWithItsActionAlthoughOthersRun() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Fifo waits(bench.path("waits"));
    Fifo gate(bench.path("gate"));
    bench.submit(1, {"wait", waits.path(), gate.path()});
    QVERIFY(waits.next().pid > 0);
    Lease lease = bench.lease(2, {"nameless", fifo.path()});
    lease.grace = kShort;
    bench.submit(lease);
    const Ended* end = bench.ended(2);
    const int daemon = fifo.next().pid;
    QVERIFY(end->hadSurvivors);
    QVERIFY(daemon > 0 && isGone(daemon));
    gate.open();
    QCOMPARE(bench.ended(1)->exitCode, std::optional(0));
    QVERIFY(bench.close());
}

void TestTeardown::aDaemonOfOneActionDoesNotTouchAnother_data() {
    QTest::addColumn<QByteArray>("role");
    QTest::newRow("with its environment") << QByteArray("daemon");
    QTest::newRow("nameless") << QByteArray("nameless");
}

void TestTeardown::aDaemonOfOneActionDoesNotTouchAnother() {
    QFETCH(QByteArray, role);
    RunnerBench bench;
    Fifo daemons(bench.path("daemons"));
    Fifo waits(bench.path("waits"));
    Fifo gate(bench.path("gate"));
    Lease lease = bench.lease(1, {});
    lease.argv = {"/bin/sh", "-c",
                  "'" + childProgram() + "' " + role.toStdString() + " '" + daemons.path() + "'; exec '" +
                      childProgram() + "' wait '" + waits.path() + "' '" + gate.path() + "'"};
    lease.grace = kShort;
    bench.submit(lease);
    const int daemon = daemons.next().pid;
    QVERIFY(daemon > 0 && waits.next().pid > 0);
    // Others come and go beside it, with survivors of their own or without.
    bench.submit(2, {"exit", "0"});
    QVERIFY(!bench.ended(2)->hadSurvivors);
    Lease third = bench.lease(3, {role.toStdString(), daemons.path()});
    third.grace = kShort;
    bench.submit(third);
    const Ended* end = bench.ended(3);
    QVERIFY(end->hadSurvivors && isGone(daemons.next().pid));
    QVERIFY(!isGone(daemon));
    gate.open();
    QCOMPARE(bench.ended(1)->exitCode, std::optional(0));
    QVERIFY(isGone(daemon));
    QVERIFY(bench.close());
}

void TestTeardown::aBackgroundChildThatEndsByItselfCostsNothing() {
    RunnerBench bench;
    for (int i = 1; i <= 50; ++i) {
        bench.submit(i, {"background"});
        QCOMPARE(bench.ended(i)->exitCode, std::optional(5));
    }
    QVERIFY(bench.close());
}

void TestTeardown::zombiesOfRunningActionsAreReaped() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {});
    lease.argv = {"/bin/sh", "-c",
                  "'" + childProgram() + "' background; exec '" + childProgram() + "' wait '" + fifo.path() + "'"};
    bench.submit(lease);
    QVERIFY(fifo.next().pid > 0);
    const std::string children = "/proc/" + std::to_string(bench.runner().launcherPid()) + "/task/" +
                                 std::to_string(bench.runner().launcherPid()) + "/children";
    QVERIFY(bench.until([&] {
        FILE* file = std::fopen(children.c_str(), "r");
        const bool none = std::fgetc(file) == EOF;
        std::fclose(file);
        return none;
    }));
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(1));
    QVERIFY(bench.close());
}

void TestTeardown::aForkStormIsEnded() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"storm", fifo.path(), "3000"});
    lease.grace = kShort;
    bench.submit(lease);
    for (int i = 0; i < 3; ++i) QVERIFY(fifo.next().pid > 0);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(1)->cause == EndCause::Cancelled);
    QVERIFY(bench.close());
}

void TestTeardown::aStoppedProcessIsEnded() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"gentle", fifo.path()});
    lease.grace = Duration(30'000'000);
    bench.submit(lease);
    const int pid = fifo.next().pid;
    QVERIFY(pid > 0 && ::kill(pid, SIGSTOP) == 0);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QCOMPARE(bench.ended(1)->exitCode, std::optional(3));
    QVERIFY(bench.close());
}

void TestTeardown::aTreeStandsStillAndGoesOn() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    bench.submit(1, {"tree", fifo.path(), "1"});
    std::vector<int> pids;
    for (int i = 0; i < 3; ++i) pids.push_back(fifo.next().pid);
    QVERIFY(bench.runner().setFrozen({Lsn(1), 1}, true));
    QVERIFY(bench.until([&] { return bench.all<Frozen>(1).size() == 1; }));
    QVERIFY(bench.all<Frozen>(1).back().isFrozen);
    for (const int pid : pids) QVERIFY(bench.until([&] { return standsStill(pid); })); // once it has its signal
    QVERIFY(bench.runner().setFrozen({Lsn(1), 1}, true));                              // it does already
    QVERIFY(bench.runner().setFrozen({Lsn(1), 1}, false));
    QVERIFY(bench.until([&] { return bench.all<Frozen>(1).size() == 2; }));
    QVERIFY(!bench.all<Frozen>(1).back().isFrozen);
    for (const int pid : pids) QVERIFY(!standsStill(pid));
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(1)->cause == EndCause::Cancelled);
    QVERIFY(bench.close());
}

/// The other one has the same deadline: when it has come, that of the first has not.
void TestTeardown::whatStandsStillMissesNoDeadline() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    for (const int lsn : {1, 2}) {
        Lease lease = bench.lease(lsn, {"wait", fifo.path()});
        lease.deadline = Duration(1'500'000);
        lease.grace = kShort;
        bench.submit(lease);
        QVERIFY(fifo.next().pid > 0);
        if (lsn == 1) QVERIFY(bench.runner().setFrozen({Lsn(1), 1}, true));
    }
    QVERIFY(bench.until([&] { return !bench.all<Frozen>(1).empty(); }));
    QVERIFY(bench.ended(2)->cause == EndCause::Deadline);
    QVERIFY(bench.all<Ended>(1).empty());
    const MonoTime goesOn = MonoClock::now();
    QVERIFY(bench.runner().setFrozen({Lsn(1), 1}, false));
    const Ended* end = bench.ended(1);
    QVERIFY(end->cause == EndCause::Deadline);
    QVERIFY(end->times.ended >= goesOn);
    QVERIFY(bench.close());
}

void TestTeardown::whatStandsStillIsEndedAsEverythingElse() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"gentle", fifo.path()});
    lease.grace = Duration(30'000'000);
    bench.submit(lease);
    QVERIFY(fifo.next().pid > 0);
    QVERIFY(bench.runner().setFrozen({Lsn(1), 1}, true));
    QVERIFY(bench.until([&] { return bench.all<Frozen>(1).size() == 1; }));
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QCOMPARE(bench.ended(1)->exitCode, std::optional(3)); // it heard the SIGTERM
    QCOMPARE(bench.all<Frozen>(1).size(), std::size_t{2});
    QVERIFY(!bench.all<Frozen>(1).back().isFrozen);
    QVERIFY(!bench.runner().setFrozen({Lsn(1), 1}, false));
    // And one that is killed by somebody else.
    bench.submit(2, {"wait", fifo.path()});
    const int pid = fifo.next().pid;
    QVERIFY(bench.runner().setFrozen({Lsn(2), 1}, true));
    QVERIFY(bench.until([&] { return bench.all<Frozen>(2).size() == 1; }));
    QVERIFY(pid > 0 && ::kill(pid, SIGKILL) == 0);
    QCOMPARE(bench.ended(2)->signal, std::optional(SIGKILL));
    QVERIFY(bench.close());
}

void TestTeardown::whatStoodStillBeforeStaysSo() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    bench.submit(1, {"wait", fifo.path()});
    const int pid = fifo.next().pid;
    QVERIFY(pid > 0 && ::kill(pid, SIGSTOP) == 0);
    QVERIFY(eventually([pid] { return standsStill(pid); }));
    for (const bool on : {true, false}) {
        QVERIFY(bench.runner().setFrozen({Lsn(1), 1}, on));
        QVERIFY(bench.until([&] { return bench.all<Frozen>(1).size() == (on ? 1u : 2u); }));
        QVERIFY(standsStill(pid));
    }
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(1));
    QVERIFY(bench.close());
}

void TestTeardown::whatDoesNotRunCannotStandStill() {
    RunnerBench bench(1);
    Fifo fifo(bench.path("fifo"));
    QVERIFY(!bench.runner().setFrozen({Lsn(1), 1}, true));
    bench.submit(1, {"wait", fifo.path()});
    bench.submit(2, {"wait", fifo.path()}); // behind it
    QVERIFY(fifo.next().pid > 0);
    QVERIFY(bench.runner().setFrozen({Lsn(2), 1}, true)); // it waits: nothing becomes of that
    QVERIFY(bench.runner().setFrozen({Lsn(1), 1}, false));
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(1));
    QVERIFY(fifo.next().pid > 0);
    bench.runner().end({Lsn(2), 1}, StopCause::Cancelled);
    QVERIFY(bench.ended(2));
    QVERIFY(bench.all<Frozen>(1).empty() && bench.all<Frozen>(2).empty());
    QVERIFY(bench.close());
}

void TestTeardown::cancelTwiceAndInTheMiddleOfATeardownIsSafe() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"daemon", fifo.path()});
    lease.grace = Duration(200'000);
    bench.submit(lease);
    const int daemon = fifo.next().pid; // the first process has ended or is about to; the teardown begins
    for (int i = 0; i < 20; ++i) {
        bench.runner().end({Lsn(1), 1}, i % 2 == 0 ? StopCause::Cancelled : StopCause::Abandoned);
        bench.until([] { return true; });
    }
    QVERIFY(bench.ended(1));
    QCOMPARE(bench.all<Ended>(1).size(), std::size_t{1});
    QVERIFY(isGone(daemon));
    QVERIFY(bench.close());
}

void TestTeardown::aShorterGraceHastens() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"stubborn", fifo.path()});
    lease.grace = Duration(3'600'000'000);
    bench.submit(lease);
    QVERIFY(fifo.next().pid > 0);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled, Duration::zero());
    QCOMPARE(bench.ended(1)->signal, std::optional(SIGKILL));
    QVERIFY(bench.close());
}

void TestTeardown::cancelAfterTheEndIsHarmless() {
    RunnerBench bench;
    for (int i = 1; i <= 200; ++i) {
        bench.submit(i, {"exit", "0"});
        if (i % 3 == 0) bench.until([&] { return bench.started(i) != nullptr; });
        bench.runner().end({Lsn(i), 1}, StopCause::Cancelled);
        QVERIFY(bench.until([&] { return !bench.all<Ended>(i).empty() || bench.isReturned(i); }));
        bench.runner().end({Lsn(i), 1}, StopCause::Cancelled);
    }
    bench.submit(1000, {"exit", "4"});
    QCOMPARE(bench.ended(1000)->exitCode, std::optional(4));
    QVERIFY(bench.close());
}

void TestTeardown::endAllEndsEverythingAndReturnsWhatWaits() {
    RunnerBench bench(2);
    Fifo fifo(bench.path("fifo"));
    std::vector<Lease> batch;
    for (int i = 1; i <= 6; ++i) batch.push_back(bench.lease(i, {"wait", fifo.path()}));
    bench.runner().submit(std::move(batch));
    for (int i = 0; i < 2; ++i) QVERIFY(fifo.next().pid > 0);
    bench.runner().endAll(StopCause::EngineStopped);
    QVERIFY(bench.until([&] { return bench.runner().outstanding() == 0; }));
    int ended = 0;
    int returned = 0;
    for (int i = 1; i <= 6; ++i) {
        ended += static_cast<int>(bench.all<Ended>(i).size());
        returned += static_cast<int>(bench.all<Returned>(i).size());
        for (const Ended& end : bench.all<Ended>(i)) QVERIFY(end.cause == EndCause::EngineStopped);
    }
    QCOMPARE(ended, 2);
    QCOMPARE(returned, 4);
    QVERIFY(bench.close());
}

void TestTeardown::theFirstCauseCounts() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"stubborn", fifo.path()});
    lease.grace = kShort;
    bench.submit(lease);
    QVERIFY(fifo.next().pid > 0);
    bench.runner().end({Lsn(1), 1}, StopCause::Abandoned);
    bench.runner().endAll(StopCause::EngineStopped);
    QVERIFY(bench.ended(1)->cause == EndCause::Abandoned);
    QVERIFY(bench.close());
}

void TestTeardown::shutDownEndsWhatRuns() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    bench.submit(1, {"stubborn", fifo.path()});
    bench.submit(2, {"tree", fifo.path(), "2"});
    std::vector<int> pids;
    for (int i = 0; i < 6; ++i) pids.push_back(fifo.next().pid);
    QVERIFY(bench.close(kShort));
    for (const int pid : pids) QVERIFY(pid > 0 && isGone(pid));
    QVERIFY(bench.ended(1) == nullptr || bench.all<Ended>(1).front().cause == EndCause::EngineStopped);
}

YARD_RUNNER_TEST_MAIN(TestTeardown)
#include "tst_teardown.moc"
