// Starts that stand in the kernel where no signal reaches them, as a file system has taken their request and does
// not answer: their thread is left behind, and everything else goes on.
#include "core/base/files.h"
#include "core/host/process_tree.h"
#include "core/launcher/launcher.h"
#include "core/launcher/silent_paths.h"
#include "core/lease/recovery.h"
#include "core/locks/named_lock.h"
#include "core/sandbox/plan.h"
#include "tests/runners/fuse_test.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTest>

#include <cerrno>
#include <fmt/format.h>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;
using yard::test::FuseMount;
using yard::test::mountedDirectory;

namespace {

/// Where a start stands.
enum Place { Directory, SandboxDirectory, Search, Program };

void withOneSpawner(LauncherConfig& config) {
    config.spawners = 1;
}

} // namespace

class TestStuckStarts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void othersGoOnAndItsLateReturnRunsNothing_data();
    void othersGoOnAndItsLateReturnRunsNothing();
    void aDeadlineEndsItWithASentence_data() { places(); }
    void aDeadlineEndsItWithASentence();
    void afterFiveSecondsItIsGivenUpAndItsMountRefused();
    void theEngineEndsMeanwhile_data() { places(); }
    void theEngineEndsMeanwhile();
    void theEngineIsKilledMeanwhileAndTheNextOneDoesNotWait_data() { places(); }
    void theEngineIsKilledMeanwhileAndTheNextOneDoesNotWait();
    void whenTooManyStandOthersOnSuchMountsAreRefused();

private:
    static void places();
    static Lease leaseAt(RunnerBench& bench, std::int64_t lsn, Place place, const std::string& mount);
};

void TestStuckStarts::places() {
    QTest::addColumn<int>("place");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("directory") << int(Directory) << "the working directory 'DIR/below' does not answer";
    QTest::newRow("directory of a sandbox")
        << int(SandboxDirectory) << "the working directory 'DIR/below' does not answer";
    QTest::newRow("search") << int(Search) << "'program' was looked for in PATH, and 'DIR/program' does not answer";
    QTest::newRow("program") << int(Program) << "could not be started in time";
}

void TestStuckStarts::othersGoOnAndItsLateReturnRunsNothing_data() {
    places();
}

/// What would run makes a file `ran`.
Lease TestStuckStarts::leaseAt(RunnerBench& bench, std::int64_t lsn, Place place, const std::string& mount) {
    Lease lease = bench.lease(lsn, {});
    lease.argv = {"/usr/bin/touch", bench.path("ran")};
    switch (place) {
    case Directory: lease.cwd = mount + "/below"; break;
    case SandboxDirectory: {
        ActionSpec spec;
        spec.cwd = mount + "/below";
        lease.sandbox = std::make_shared<sandbox::Plan>(sandbox::planForExec(spec, {"/r", "", "/d", false}, {}, 0));
        lease.cwd = lease.sandbox->cwd;
        break;
    }
    case Search:
        lease.argv = {"program", bench.path("ran")};
        lease.env = {{"PATH", mount}};
        break;
    case Program: lease.argv = {mount + "/program", bench.path("ran")}; break;
    }
    return lease;
}

namespace {

constexpr const char* kScript = "#!/bin/sh\nexec /usr/bin/touch \"$1\"\n";

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

/// What was killed in a start is gone.
bool settled(RunnerBench& bench) {
    return eventually([&] { return host::childrenOf(bench.runner().launcherPid()).empty(); });
}

/// Whoever lost its parent when the launcher ended is our child, and ends once the mount answers.
bool reapAll() {
    return eventually([] {
        while (::waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
        }
        return ::waitpid(-1, nullptr, WNOHANG | __WALL) < 0 && errno == ECHILD;
    });
}

} // namespace

void TestStuckStarts::othersGoOnAndItsLateReturnRunsNothing() {
    QFETCH(int, place);
    YARD_WITH_FUSE_MOUNT(mount, kScript);
    RunnerBench bench(3, withOneSpawner);
    {
        Fifo fifo(bench.path("fifo"));
        bench.submit(1, {"wait", fifo.path()});
        const int running = fifo.next().pid;
        QVERIFY(running > 0);
        const Lease stuck = leaseAt(bench, 2, Place(place), mount.path());
        bench.submit(stuck);
        QVERIFY(mount.holds());
        Lease behind = bench.lease(3, {"exit", "3"});
        behind.slot = SlotId(1);
        bench.submit(behind);
        bench.runner().end({Lsn(2), 1}, StopCause::Cancelled);
        const Ended* end = bench.ended(2);
        QVERIFY(end && end->cause == EndCause::Cancelled && !bench.started(2));
        QCOMPARE(bench.ended(3)->exitCode, std::optional(3));
        // What names the mount hears of it without a request.
        Lease next = leaseAt(bench, 4, Place(place), mount.path());
        bench.submit(next);
        QVERIFY(bench.ended(4)->cause == EndCause::SpawnError);
        QCOMPARE(mount.held(), std::size_t{1});

        mount.answer();
        // When the mount answers it is tried again at once.
        std::int64_t lsn = 5;
        const auto runsAgain = [&] {
            Lease again = leaseAt(bench, lsn, Place(place), mount.path());
            if (again.sandbox) {
                again.sandbox = nullptr; // its other directories are not there
                again.cwd = mount.path() + "/below";
            }
            again.argv.back() = bench.path("again");
            bench.submit(again);
            return bench.ended(lsn++)->exitCode == 0;
        };
        QVERIFY(eventually(runsAgain));
        QVERIFY(exists(bench.path("again")));
        QVERIFY(!exists(bench.path("ran")));
        // Its thread has come back, and waits for what it had started before.
        QVERIFY(!isGone(running) && !bench.all<Ended>(1).size());
        ::kill(running, SIGTERM);
        QCOMPARE(bench.ended(1)->signal, std::optional(SIGTERM));
    }
    QVERIFY(bench.close());
}

void TestStuckStarts::aDeadlineEndsItWithASentence() {
    QFETCH(int, place);
    QFETCH(QString, sentence);
    YARD_WITH_FUSE_MOUNT(mount, kScript);
    RunnerBench bench(2, withOneSpawner);
    Lease stuck = leaseAt(bench, 1, Place(place), mount.path());
    stuck.deadline = Duration(1'000'000); // until it stands there, on a busy machine
    bench.submit(stuck);
    const Ended* end = bench.ended(1);
    QVERIFY(end && end->cause == EndCause::Deadline);
    const QString wanted = sentence.replace("DIR", QString::fromStdString(mount.path()));
    QVERIFY2(QString::fromStdString(end->spawn.message).contains(wanted), end->spawn.message.c_str());
    mount.answer();
    QVERIFY(settled(bench));
    QVERIFY(bench.close());
    QVERIFY(!exists(bench.path("ran")));
}

void TestStuckStarts::afterFiveSecondsItIsGivenUpAndItsMountRefused() {
    YARD_WITH_FUSE_MOUNT(mount, kScript);
    RunnerBench bench(2, withOneSpawner);
    bench.submit(leaseAt(bench, 1, Search, mount.path()));
    const Ended* end = bench.ended(1);
    QVERIFY(end && end->cause == EndCause::SpawnError && !cannotHeal(end->spawn));
    QCOMPARE(end->spawn.err, ETIMEDOUT);
    std::int64_t lsn = 2;
    for (const Place other : {Directory, SandboxDirectory, Program}) {
        bench.submit(leaseAt(bench, lsn, other, mount.path()));
        QCOMPARE(bench.ended(lsn)->spawn.err, ETIMEDOUT);
        ++lsn;
    }
    QCOMPARE(mount.held(), std::size_t{1});
    mount.answer();
    QVERIFY(settled(bench));
    QVERIFY(bench.close());
}

void TestStuckStarts::theEngineEndsMeanwhile() {
    QFETCH(int, place);
    YARD_WITH_FUSE_MOUNT(mount, kScript);
    RunnerBench bench(2, withOneSpawner);
    bench.submit(leaseAt(bench, 1, Place(place), mount.path()));
    QVERIFY(mount.holds());
    bench.runner().shutDown(Duration(0));
    QVERIFY(bench.until([&] { return bench.runner().isDown(); }));
    QVERIFY(bench.ended(1)->cause == EndCause::EngineStopped);
    QVERIFY(mount.held() >= 1);
    mount.answer();
    QVERIFY(reapAll());
    QVERIFY(!exists(bench.path("ran")));
    QVERIFY(bench.close());
}

void TestStuckStarts::theEngineIsKilledMeanwhileAndTheNextOneDoesNotWait() {
    QFETCH(int, place);
    YARD_WITH_FUSE_MOUNT(mount, kScript);
    RunnerBench bench(2, withOneSpawner);
    bench.submit(leaseAt(bench, 1, Place(place), mount.path()));
    QVERIFY(mount.holds());
    // With a limit that a thread which stands in the kernel reaches.
    const auto recovered = recoverSlots(bench.config().dataDir + "/slots", bench.config().ownerToken);
    QVERIFY2(recovered, recovered ? "" : recovered.error().message.c_str());
    QVERIFY(mount.held() >= 1);
    for (const char* slot : {"0", "1"}) { // which the next launcher takes
        const auto lock = locks::takeFile(fmt::format("{}/scratch/{}/lock", bench.config().dataDir, slot), true);
        QVERIFY(lock && !lock->isBusy);
    }
    mount.answer();
    QVERIFY(reapAll());
    QVERIFY(!exists(bench.path("ran")));
}

void TestStuckStarts::whenTooManyStandOthersOnSuchMountsAreRefused() {
    YARD_IN_FUSE_NAMESPACE();
    std::vector<std::unique_ptr<FuseMount>> mounts;
    for (std::size_t i = 0; i <= SilentPaths::kMostStanding; ++i)
        mounts.push_back(std::make_unique<FuseMount>(fmt::format("{}/{}", mountedDirectory(), i), kScript));
    YARD_NEEDS_FUSE(*mounts.back());
    RunnerBench bench(2, withOneSpawner);
    std::int64_t lsn = 1;
    const Place kinds[] = {Directory, Search};
    for (std::size_t i = 0; i < SilentPaths::kMostStanding; ++i, ++lsn) {
        bench.submit(leaseAt(bench, lsn, kinds[i % 2], mounts[i]->path()));
        QVERIFY(mounts[i]->holds());
        bench.runner().end({Lsn(lsn), 1}, StopCause::Cancelled);
        QVERIFY(bench.ended(lsn)->cause == EndCause::Cancelled);
    }
    for (const Place place : {Directory, Search, Program}) {
        bench.submit(leaseAt(bench, ++lsn, place, mounts.back()->path()));
        const Ended* end = bench.ended(lsn);
        QVERIFY(end && end->cause == EndCause::SpawnError && !cannotHeal(end->spawn));
        QVERIFY2(end->spawn.message.contains("8 starts stand still"), end->spawn.message.c_str());
    }
    QCOMPARE(mounts.back()->held(), std::size_t{0});
    bench.submit(++lsn, {"exit", "4"});
    QCOMPARE(bench.ended(lsn)->exitCode, std::optional(4));
    // One that comes back makes room.
    for (const auto& mount : mounts) mount->answer();
    QVERIFY(eventually([&] {
        bench.submit(leaseAt(bench, ++lsn, Directory, mounts.back()->path()));
        return bench.ended(lsn)->exitCode == 0;
    }));
    QVERIFY(settled(bench));
    QVERIFY(bench.close());
}

YARD_RUNNER_TEST_MAIN(TestStuckStarts)
#include "tst_stuck_starts.moc"
