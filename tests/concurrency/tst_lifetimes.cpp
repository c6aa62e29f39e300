// That a lock lives within its process, the process within its action, the action within its deadline, and nothing
// outlives whoever owns it, however that one ends: real launchers, real engines, real signals.
#include "core/base/files.h"
#include "core/host/launcher_group.h"
#include "core/host/process_tree.h"
#include "core/launcher/child_process.h"
#include "core/launcher/launcher.h"
#include "core/locks/named_lock.h"
#include "tests/concurrency/helper.h"
#include "tests/runners/fuse_test.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;
using yard::test::Helper;

namespace {

/// A runner with a directory of locks.
class LockBench : public RunnerBench {
public:
    explicit LockBench(unsigned slots = 2)
        : RunnerBench(slots, [](LauncherConfig& config) {
            config.lockDir = config.dataDir + "/locks";
            (void)makeDirectories(config.lockDir);
        }) {}
    Lease locking(std::int64_t lsn, std::vector<std::string> role, std::vector<std::string> names) {
        Lease made = lease(lsn, std::move(role));
        made.locks = std::move(names);
        return made;
    }
    locks::LockState look(const std::string& name) const { return locks::look(config().lockDir, name); }
    bool isFree(const std::string& name) const {
        return !look(name).isHeld && ::access((config().lockDir + "/" + name + ".lock").c_str(), F_OK) != 0;
    }
};

/// The program as its users start it.
class Program {
public:
    Program() {
        ::setenv("XDG_RUNTIME_DIR", dir_.path().toStdString().c_str(), 1);
        engine_ = std::make_unique<Helper>(program(), arguments());
    }
    /// What the engine leaves comes to this process, a subreaper since its first runner, and ends in its own time:
    /// the next test must not find it among its children.
    ~Program() {
        engine_.reset();
        const bool allGone = eventually([] {
            pid_t reaped = 0;
            do reaped = ::waitpid(-1, nullptr, WNOHANG | __WALL);
            while (reaped > 0);
            return reaped < 0 && errno == ECHILD;
        });
        if (!allGone) qWarning("a child is left that does not end");
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    static std::string program() { return yard::test::binDirectory() + "/yardmaster"; }
    std::vector<std::string> arguments() const {
        return {"--headless", "--no-sandbox", "--data-dir", path("data"), "--listen", "127.0.0.1:0"};
    }
    std::string path(const std::string& name) const { return (dir_.path() + "/").toStdString() + name; }
    bool serves() { return engine_->line().starts_with("listening on"); }
    Helper& engine() { return *engine_; }
    /// Submits `sh -c script` that claims the lock "l"; true when it is running (the script makes `running`).
    bool run(const std::string& script) const {
        const std::string here = dir_.path().toStdString();
        if (ctl({"run", "-d", "--lock", "l", "-C", here, "--", "/bin/sh", "-c", script}).end() != 0) return false;
        return eventually([&] { return ::access(path("running").c_str(), F_OK) == 0; });
    }
    /// What a command of yardctl prints, by lines.
    Helper ctl(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"--data-dir", path("data")});
        return {yard::test::binDirectory() + "/yardctl", std::move(arguments), Helper::Input::None};
    }
    std::string shown(const std::string& lsn) const {
        Helper show = ctl({"show", lsn, "--json"});
        std::string all;
        for (std::string line = show.line(); !line.empty(); line = show.line()) all += line;
        return all;
    }
    /// Engine and launcher at the same instant: neither sees the other die.
    void killBoth() {
        const std::vector<int> children = host::childrenOf(engine_->pid());
        ::kill(engine_->pid(), SIGSTOP);
        for (const int child : children) ::kill(child, SIGKILL);
        engine_->end(SIGKILL);
    }
    Helper another() const { return {program(), arguments()}; }
    std::string locks() const { return path("yardmaster/locks"); }
    int pidIn(const std::string& name) const {
        const auto text = readFile(path(name));
        return text ? std::atoi(text->c_str()) : 0;
    }

private:
    QTemporaryDir dir_;
    std::unique_ptr<Helper> engine_;
};

// A first process, and a daemon that left session, parent and environment behind.
constexpr const char* kWithDaemon =
    "env -i setsid sh -c 'trap \"\" TERM; echo $$ >daemon.new; mv daemon.new daemon; while :; do sleep 1; done' & "
    "while [ ! -e daemon ]; do sleep 0.01; done; echo $$ >running.new; mv running.new running; while :; do sleep "
    "1; done";

} // namespace

class TestLifetimes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The lock within the tree
    void anActionHoldsItsLocksAndItsChildrenDoNotGetThem();
    void aDaemonKeepsTheLockUntilItIsGone();
    void aBusyLockIsSaidAndNoneOfTheOthersIsKept();
    void aStartThatFailsLetsGo();
    void aLockThatCannotBeUsedIsASpawnError();

    // The process within its owner
    void aKilledLauncherTakesItsActionsAlong();
    void aChildOfADeadParentDoesNotBegin();
    void aKilledEngineLeavesNoProcessAndNoLock();
    void engineAndLauncherKilledAtOnceLeaveNothingForTheNext();
    void whereAGroupCanBeMadeNotEvenANamelessDaemonOutlivesBoth();
    void aNoteAboutAForeignGroupIsNotFollowed();
    void whatIsCollectedWhenTheEngineIsKilledWasInterrupted();
    void aLauncherThatStandsInTheKernelKeepsTheNextEngineFromNothing_data();
    void aLauncherThatStandsInTheKernelKeepsTheNextEngineFromNothing();
    void sigtermTearsDownGentlyAndExitsZero();

    // One teardown
    void theDeadlineEndsTheTreeWithItsOwnCause();
    void teardownDuringTeardownIsOneTeardown();
};

// --- the lock within the tree

void TestLifetimes::anActionHoldsItsLocksAndItsChildrenDoNotGetThem() {
    LockBench bench;
    bench.submit(bench.locking(1, {"fds"}, {"a", "b"}));
    QCOMPARE(textOf(bench.ended(1)->out), std::string("0 1 2 /dev/null"));
    QVERIFY(bench.isFree("a") && bench.isFree("b"));

    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    bench.submit(bench.locking(2, {"wait", fifo.path(), gate.path()}, {"a", "b"}));
    QCOMPARE(fifo.next().word, std::string("wait"));
    for (const char* name : {"a", "b"}) {
        const locks::LockState state = bench.look(name);
        QVERIFY(state.isHeld && state.holder);
        QCOMPARE(state.holder->lsn.value, std::int64_t{2});
        QCOMPARE(state.holder->pid, ::getpid());
        QCOMPARE(state.holder->dataDir, bench.config().dataDir);
    }
    gate.open();
    QVERIFY(bench.ended(2));
    QVERIFY(bench.isFree("a") && bench.isFree("b"));
    QVERIFY(bench.close());
}

void TestLifetimes::aDaemonKeepsTheLockUntilItIsGone() {
    LockBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.locking(1, {"daemon", fifo.path(), "0"}, {"a"});
    lease.grace = Duration(2'000'000); // in which it is looked at
    bench.submit(std::move(lease));
    const Fifo::Line daemon = fifo.next();
    QVERIFY(daemon.pid > 0);
    // Its first process ends at once; the daemon ignores SIGTERM and lives through the grace.
    QVERIFY(bench.look("a").isHeld);
    QVERIFY(!isGone(daemon.pid));
    const Ended end = *bench.ended(1);
    QVERIFY(end.hadSurvivors);
    QVERIFY(isGone(daemon.pid));
    QVERIFY(bench.isFree("a"));
    QVERIFY(bench.close());
}

void TestLifetimes::aBusyLockIsSaidAndNoneOfTheOthersIsKept() {
    LockBench bench;
    auto other = std::make_unique<Helper>(yard::test::lockChild(),
                                          std::vector<std::string>{"hold", bench.config().lockDir, "b"});
    QCOMPARE(other->line(), std::string("held"));
    bench.submit(bench.locking(1, {"exit", "0"}, {"a", "b"}));
    QVERIFY(bench.until([&] { return !bench.all<LockBusy>(1).empty(); }));
    const LockBusy busy = bench.all<LockBusy>(1).front();
    QCOMPARE(busy.name, std::string("b"));
    QVERIFY(busy.holder && busy.holder->pid == other->pid());
    QVERIFY(!bench.started(1));
    QVERIFY(bench.isFree("a"));
    // What waits behind it in its slot starts all the same.
    Lease first = bench.locking(2, {"exit", "0"}, {"b"});
    Lease behind = bench.lease(3, {"exit", "3"});
    first.slot = behind.slot = SlotId(0);
    std::vector<Lease> both;
    both.push_back(std::move(first));
    both.push_back(std::move(behind));
    bench.runner().submit(std::move(both));
    QCOMPARE(bench.ended(3)->exitCode, std::optional(3));
    QCOMPARE(bench.all<LockBusy>(2).size(), std::size_t{1});
    other.reset();
    Lease again = bench.locking(1, {"exit", "0"}, {"a", "b"});
    again.id.attempt = 2;
    bench.submit(std::move(again));
    QVERIFY(bench.ended(1));
    QVERIFY(bench.close());
}

void TestLifetimes::aStartThatFailsLetsGo() {
    LockBench bench;
    Lease lease = bench.locking(1, {"exit", "0"}, {"a"});
    lease.argv = {"/no/such/program"};
    bench.submit(std::move(lease));
    QVERIFY(bench.ended(1)->cause == EndCause::SpawnError);
    QVERIFY(bench.isFree("a"));
    QVERIFY(bench.close());
}

void TestLifetimes::aLockThatCannotBeUsedIsASpawnError() {
    {
        LockBench bench;
        (void)makeDirectories(bench.config().lockDir + "/a.lock");
        bench.submit(bench.locking(1, {"exit", "0"}, {"a"}));
        const Ended end = *bench.ended(1);
        QVERIFY(end.cause == EndCause::SpawnError && end.spawn.step == SpawnStep::Lock);
        QVERIFY2(end.spawn.message.contains("a.lock"), end.spawn.message.c_str());
        QVERIFY(bench.close());
    }
    RunnerBench none;
    Lease lease = none.lease(1, {"exit", "0"});
    lease.locks = {"a"};
    none.submit(std::move(lease));
    QVERIFY(none.ended(1)->spawn.message.contains("no directory for locks"));
    QVERIFY(none.close());
}

// --- the process within its owner

void TestLifetimes::aKilledLauncherTakesItsActionsAlong() {
    LockBench bench;
    Fifo fifo(bench.path("fifo"));
    bench.submit(bench.locking(1, {"nameless", fifo.path()}, {"a"}));
    bench.submit(bench.locking(2, {"stubborn", fifo.path()}, {"b"}));
    const Fifo::Line one = fifo.next();
    const Fifo::Line two = fifo.next();
    QVERIFY(one.pid > 0 && two.pid > 0);
    ::kill(bench.runner().launcherPid(), SIGKILL);
    QVERIFY(bench.ended(1) && bench.ended(2));
    QVERIFY(isGone(one.pid) && isGone(two.pid));
    QVERIFY(!bench.look("a").isHeld && !bench.look("b").isHeld);
    // The files it left are no obstacle.
    Lease again = bench.locking(3, {"exit", "0"}, {"a", "b"});
    bench.submit(std::move(again));
    QVERIFY(bench.ended(3)->cause == EndCause::Exited);
    QVERIFY(bench.close());
}

void TestLifetimes::aChildOfADeadParentDoesNotBegin() {
    // As it is when the launcher dies between clone and prctl: whoever is the parent then is another one.
    QTemporaryDir dir;
    const std::string mark = (dir.path() + "/ran").toStdString();
    std::string touch = "/usr/bin/touch";
    std::string file = mark;
    char* argv[] = {touch.data(), file.data(), nullptr};
    char* envp[] = {nullptr};
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    ChildPlan plan;
    plan.program = touch.c_str();
    plan.argv = argv;
    plan.envp = envp;
    plan.cwd = "/";
    plan.inFd = plan.outFd = plan.errFd = null.get();
    ::getrlimit(RLIMIT_NOFILE, &plan.openFiles);
    plan.parentPid = 1;
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const ChildStack stack;
    const ChildStart orphan = startChild(plan, stack);
    plan.parentPid = ::getpid();
    const ChildStart child = startChild(plan, stack);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    QVERIFY(orphan.failedStep == SpawnStep::ParentDeath);
    QCOMPARE(orphan.err, ESRCH);
    QVERIFY(child.failedStep == SpawnStep::None);
    int status = 0;
    QCOMPARE(::waitpid(child.pid, &status, 0), child.pid);
    QVERIFY(::access(mark.c_str(), F_OK) == 0);
}

void TestLifetimes::aKilledEngineLeavesNoProcessAndNoLock() {
    Program program;
    QVERIFY(program.serves());
    QVERIFY(program.run(kWithDaemon));
    const int first = program.pidIn("running");
    const int daemon = program.pidIn("daemon");
    QVERIFY(first > 0 && daemon > 0);
    QVERIFY(locks::look(program.locks(), "l").isHeld);
    program.engine().end(SIGKILL);
    QVERIFY(eventually([&] { return isGone(first) && isGone(daemon); }));
    QVERIFY(eventually([&] { return !locks::look(program.locks(), "l").isHeld; }));
}

void TestLifetimes::engineAndLauncherKilledAtOnceLeaveNothingForTheNext() {
    Program program;
    QVERIFY(program.serves());
    // This daemon keeps what it inherited; the next test's does not.
    QVERIFY(
        program.run("setsid sh -c 'trap \"\" TERM; echo $$ >daemon.new; mv daemon.new daemon; while :; do sleep "
                    "1; done' & while [ ! -e daemon ]; do sleep 0.01; done; echo $$ >running.new; mv running.new "
                    "running; while :; do sleep 1; done"));
    program.killBoth();
    QVERIFY(eventually([&] { return isGone(program.pidIn("running")); })); // its parent-death signal
    QVERIFY(eventually([&] { return !locks::look(program.locks(), "l").isHeld; }));
    Helper next = program.another();
    QVERIFY(next.line().starts_with("listening on"));
    QVERIFY(isGone(program.pidIn("daemon"))); // before anything starts
    QCOMPARE(next.end(SIGTERM), 0);
}

void TestLifetimes::whereAGroupCanBeMadeNotEvenANamelessDaemonOutlivesBoth() {
    Program program;
    QVERIFY(program.serves());
    if (!readFile(program.path("data/cgroup")))
        QSKIP("no control group can be made here: a daemon without environment, session and parent is not found "
              "then");
    QVERIFY(program.run(kWithDaemon));
    const int daemon = program.pidIn("daemon");
    program.killBoth();
    QVERIFY(eventually([&] { return isGone(program.pidIn("running")); }));
    QVERIFY(!isGone(daemon)); // nothing tells it apart but its group
    Helper next = program.another();
    QVERIFY(next.line().starts_with("listening on"));
    QVERIFY(isGone(daemon));
    QCOMPARE(next.end(SIGTERM), 0);
    QVERIFY(!readFile(program.path("data/cgroup"))); // and the group went with the engine
}

void TestLifetimes::aNoteAboutAForeignGroupIsNotFollowed() {
    QTemporaryDir dir;
    const std::string data = dir.path().toStdString();
    const std::string note = data + "/cgroup";
    QVERIFY(host::endLauncherGroup(data, "0123456789abcdef", Duration(0)));
    for (const std::string& text :
         {std::string("/sys/fs/cgroup"), data, std::string(), data + "/yardmaster-0123456789abcdef"}) {
        (void)writeFileAtomically(note, text, 0600);
        QVERIFY(host::endLauncherGroup(data, "0123456789abcdef", Duration(0)));
        QVERIFY(!readFile(note));
    }
    QVERIFY(!host::enterLauncherGroup(""));
    QVERIFY(!host::enterLauncherGroup(data));
}

void TestLifetimes::whatIsCollectedWhenTheEngineIsKilledWasInterrupted() {
    Program program;
    QVERIFY(program.serves());
    // It would be read for an hour.
    const std::string script = "test -e again && exit 0; touch again; truncate -s 8T $YARD_SCRATCH/outputs/big";
    (void)writeFileAtomically(
        program.path("action"),
        fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c","{}"],"cwd":"{}","expect":["big"]}})", script,
                    program.path("")),
        0600);
    QCOMPARE(program.ctl({"submit", program.path("action")}).end(), 0);
    QVERIFY(eventually([&] { return program.shown("1").contains("\"exited\""); }));
    for (int i = 0; i < 8; ++i) // its slot serves others meanwhile
        QCOMPARE(program.ctl({"run", "--", "true"}).end(), 0);
    QVERIFY(!program.shown("1").contains("\"reason\""));
    program.killBoth();
    Helper next = program.another();
    QVERIFY(next.line().starts_with("listening on"));
    static_cast<void>(program.ctl({"wait", "1"}).end()); // it ends without an output
    const std::string result = program.shown("1");
    QVERIFY2(result.contains("engine_died") && result.contains("missing_output"), result.c_str());
    QCOMPARE(next.end(SIGTERM), 0);
}

void TestLifetimes::aLauncherThatStandsInTheKernelKeepsTheNextEngineFromNothing_data() {
    QTest::addColumn<bool>("both");
    QTest::newRow("the engine is killed") << false;
    QTest::newRow("both are") << true;
}

void TestLifetimes::aLauncherThatStandsInTheKernelKeepsTheNextEngineFromNothing() {
    QFETCH(bool, both);
    YARD_WITH_FUSE_MOUNT(mount, "");
    Program program;
    QVERIFY(program.serves());
    // A start that was under way counts as begun.
    QCOMPARE(program.ctl({"run", "-d", "--interruptions", "1", "-C", mount.path() + "/below", "--", "true"}).end(),
             0);
    QVERIFY(mount.holds());
    if (both)
        program.killBoth();
    else
        program.engine().end(SIGKILL);
    Helper next = program.another();
    QVERIFY(next.line().starts_with("listening on"));
    QCOMPARE(program.ctl({"run", "--", "true"}).end(), 0);
    QVERIFY(mount.held() >= 1);
    mount.answer();
    QCOMPARE(program.ctl({"wait", "1"}).end(), 0);
    QCOMPARE(next.end(SIGTERM), 0);
}

void TestLifetimes::sigtermTearsDownGentlyAndExitsZero() {
    Program program;
    QVERIFY(program.serves());
    QVERIFY(
        program.run("trap 'echo bye >bye; exit 3' TERM; echo $$ >running.new; mv running.new running; while :; do "
                    "sleep 0.05; done"));
    const int first = program.pidIn("running");
    QCOMPARE(program.engine().end(SIGTERM), 0);
    QVERIFY(isGone(first));
    QCOMPARE(*readFile(program.path("bye")), std::string("bye\n"));
    QVERIFY(!locks::look(program.locks(), "l").isHeld);
}

// --- one teardown

void TestLifetimes::theDeadlineEndsTheTreeWithItsOwnCause() {
    LockBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.locking(1, {"tree", fifo.path(), "2", "2"}, {"a"});
    lease.argv = bench.lease(1, {"nameless", fifo.path()}).argv;
    lease.deadline = Duration(2'000'000);
    lease.grace = Duration(100'000);
    bench.submit(std::move(lease));
    const Fifo::Line daemon = fifo.next();
    Lease stubborn = bench.locking(2, {"stubborn", fifo.path()}, {"b"});
    stubborn.deadline = Duration(2'000'000); // it has said its pid by then, on a busy machine as well
    stubborn.grace = Duration(100'000);
    bench.submit(std::move(stubborn));
    const Fifo::Line process = fifo.next();
    QVERIFY(bench.ended(1) && bench.ended(2));
    QVERIFY(bench.ended(2)->cause == EndCause::Deadline);
    QVERIFY(isGone(daemon.pid) && isGone(process.pid));
    QVERIFY(bench.isFree("a") && bench.isFree("b"));
    QVERIFY(bench.close());
}

void TestLifetimes::teardownDuringTeardownIsOneTeardown() {
    LockBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.locking(1, {"stubborn", fifo.path()}, {"a"});
    lease.deadline = Duration(1'500'000);
    lease.grace = Duration(2'000'000); // so that the deadline comes in the middle of it
    bench.submit(std::move(lease));
    const Fifo::Line process = fifo.next();
    // Cancel, again, abandon, the deadline, the engine's own end: the first cause counts, everything ends once.
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled, Duration(10'000'000));
    bench.runner().end({Lsn(1), 1}, StopCause::Abandoned);
    bench.runner().endAll(StopCause::EngineStopped);
    QVERIFY(bench.ended(1)->cause == EndCause::Cancelled);
    bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    QCOMPARE(bench.all<Ended>(1).size(), std::size_t{1});
    QVERIFY(isGone(process.pid));
    QVERIFY(bench.isFree("a"));
    QVERIFY(bench.close());
}

YARD_RUNNER_TEST_MAIN(TestLifetimes)
#include "tst_lifetimes.moc"
