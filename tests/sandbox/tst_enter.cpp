// Real sandboxes around small programs, started as the launcher does it.
#include "core/base/files.h"
#include "core/sandbox/enter.h"
#include "core/sandbox/record.h"
#include "core/sandbox/support.h"

#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::sandbox;

namespace {

/// What a program did.
struct Run {
    Step failed = Step::None;
    std::string doing;
    int err = 0;
    int code = 0;
    std::string out;
    Told told;
};

class TestSandboxEnter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void theMachineCanDoIt();
    void aProgramRunsAsAnotherUserInItsOwnWorld();
    void exitCodesAndSignalsArriveAsTheyAre();
    void thePeakOfMemoryIsThatOfWhatRanInside();
    void denialsNeverFillASmallPipe();
    void onlyOutputsAndTmpCanBeWritten();
    void inputsWithoutADirectoryAreEmptyAndReadOnly();
    void aRootIsFurnishedOnceForAllOfItsKind();
    void whatIsReplacedOutsideIsNewInTheNextRoot();
    void theRootHoldsWhatItShould();
    void aMissingProgramIsToldByName();
    void aStepThatFailsIsToldInWords();
    void deniedCallsAreTold();
    void denialsPastTheLimitAreAnsweredNotTold();
    void connectingOutIsToldWithTheAddress();
    void aDaemonEndsWithItsProgram();
    void killingTheFirstProcessEndsAll();
    void descriptorsOfTheStarterAreNotThere();
    void theSocketIsThere();

private:
    Run run(const std::string& script, Limits limits = {});
    Run runProgram(const char* program, std::vector<std::string> arguments, Limits limits = {}, int socket = -1);
    Start begin(const char* program, const std::vector<std::string>& arguments, const Limits& limits, int out,
                int socket);
    std::unique_ptr<QTemporaryDir> directory_;
    std::string root_;
    std::optional<Base> base_;
    Plan plan_;
    std::vector<char> stack_ = std::vector<char>(64u << 10);
};

} // namespace

void TestSandboxEnter::initTestCase() {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM); // the test's own limit
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    auto base = Base::open();
    QVERIFY2(base, base ? "" : base.error().message.c_str());
    base_.emplace(std::move(*base));
}

void TestSandboxEnter::init() {
    directory_ = std::make_unique<QTemporaryDir>();
    root_ = directory_->path().toStdString();
    QVERIFY(makeDirectories(root_ + "/inputs", 0755));
    QVERIFY(makeDirectories(root_ + "/outputs", 0755));
    QVERIFY(writeFileAtomically(root_ + "/inputs/in", "given\n", 0444));
    plan_ = {};
    plan_.tmpBytes = 1u << 20;
    plan_.hostUser = hostUserOf(3);
    plan_.binds = {{root_ + "/inputs", "/inputs"}, {root_ + "/outputs", "/outputs", true}};
    if (plan_.hostUser != 0) QCOMPARE(::chown((root_ + "/outputs").c_str(), plan_.hostUser, plan_.hostUser), 0);
}

Start TestSandboxEnter::begin(const char* program, const std::vector<std::string>& arguments, const Limits& limits,
                              int out, int socket) {
    const auto own = layoutOf(plan_);
    if (!own) return {};
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    char path[] = "PATH=/usr/bin:/bin";
    char* envp[] = {path, nullptr};
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    Entry entry;
    entry.base = &*base_;
    entry.own = &*own;
    entry.program = program;
    entry.argv = argv.data();
    entry.envp = envp;
    entry.cwd = plan_.cwd.c_str();
    entry.nullFd = null.get();
    entry.outFd = entry.errFd = out;
    entry.socketFd = socket;
    entry.network = plan_.network;
    entry.hostUser = plan_.hostUser;
    ::getrlimit(RLIMIT_NOFILE, &entry.openFiles);
    entry.limits = limits;
    return start(entry, stack_.data(), stack_.size());
}

Run TestSandboxEnter::runProgram(const char* program, std::vector<std::string> arguments, Limits limits,
                                 int socket) {
    Run run;
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) return run;
    const UniqueFd reader(pipe[0]);
    UniqueFd writer(pipe[1]);
    Start started = begin(program, arguments, limits, writer.get(), socket);
    writer.reset();
    run.failed = started.failed;
    run.doing = started.doing;
    run.err = started.err;
    if (started.failed != Step::None) return run;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(reader.get(), buffer.data(), buffer.size())) > 0;)
        run.out.append(buffer.data(), static_cast<std::size_t>(n));
    siginfo_t info{};
    while (::waitid(P_PIDFD, static_cast<id_t>(started.pidfd.get()), &info, WEXITED) != 0 && errno == EINTR) {
    }
    run.code = info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
    run.told = readRecords(started.records.get());
    return run;
}

Run TestSandboxEnter::run(const std::string& script, Limits limits) {
    return runProgram("/bin/sh", {"sh", "-c", script}, limits);
}

void TestSandboxEnter::theMachineCanDoIt() {
    const Support support = probe();
    QCOMPARE(support.why(), std::string());
    QCOMPARE(support.parts.size(), std::size_t{10});
    QVERIFY(support.isComplete());
}

void TestSandboxEnter::aProgramRunsAsAnotherUserInItsOwnWorld() {
    const Run seen =
        run("id -u; id -g; uname -n; echo $$; grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' "
            "/proc/self/status; ls /proc | grep -c '^[0-9]'; pwd");
    QCOMPARE(seen.doing, std::string());
    QCOMPARE(seen.out, "1000\n1000\nsandbox\n2\nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\n"
                       "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\n"
                       "NoNewPrivs:\t1\nSeccomp:\t2\n4\n/\n");
    QCOMPARE(seen.code, 0);
}

void TestSandboxEnter::exitCodesAndSignalsArriveAsTheyAre() {
    QCOMPARE(run("exit 7").code, 7);
    Run ended = run("kill -9 $$");
    QCOMPARE(ended.told.signal, std::optional<int>(SIGKILL));
    ended = run("kill -TERM $$"); // a first process would ignore it
    QCOMPARE(ended.told.signal, std::optional<int>(SIGTERM));
    QVERIFY(!run("exit 143").told.signal);
}

/// Linux counts the memory that a process had before exec for what it becomes: that of its starter.
void TestSandboxEnter::thePeakOfMemoryIsThatOfWhatRanInside() {
    constexpr std::int64_t kMib = 1 << 20;
    const std::vector<char> ballast(200 * kMib, 'x');
    const auto peak = [&](const std::string& script) { return run(script).told.peakBytes.value_or(0) / kMib; };
    const std::int64_t least = peak("exec /bin/true");
    QVERIFY2(least < 4, std::to_string(least).c_str());
    // Of a grandchild as well.
    const std::int64_t much = peak("head -c 50M /dev/zero | tail -c 50M >/dev/null");
    QVERIFY2(much >= 50 && much < 60, std::to_string(much).c_str());
    QVERIFY(peak("head -c 50M /dev/zero | tail -c 50M >/dev/null; kill -9 $$") >= 50);
    QVERIFY(ballast.back() == 'x');
}

/// A user who has many pipes is given small ones. Init must not wait for room that nobody makes.
void TestSandboxEnter::denialsNeverFillASmallPipe() {
    std::vector<UniqueFd> pipes;
    // Root is not limited like that; what is left then is the count.
    for (int i = 0; i < 1'100; ++i) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) break;
        pipes.emplace_back(ends[0]);
        pipes.emplace_back(ends[1]);
    }
    int ends[2];
    QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
    pipes.emplace_back(ends[0]);
    pipes.emplace_back(ends[1]);
    const auto room = static_cast<std::size_t>(::fcntl(ends[1], F_GETPIPE_SZ)) / sizeof(Record);
    const Run seen =
        run("i=0; while [ $i -lt 120 ]; do /usr/sbin/chroot / /bin/true 2>/dev/null; i=$((i+1)); done; exit 5");
    QCOMPARE(seen.code, 5);
    QCOMPARE(seen.told.denied.size(), std::min<std::size_t>(kMaxDenials, room - kOtherRecords));
    QVERIFY(seen.told.peakBytes.has_value());
}

void TestSandboxEnter::onlyOutputsAndTmpCanBeWritten() {
    const Run seen =
        run("for d in / /usr /etc /dev /inputs /proc /bin /tmp /outputs; do "
            "(echo x >$d/made) 2>/dev/null && echo $d; done; (echo x >>/inputs/in) 2>/dev/null && echo in; "
            "cat /inputs/in; echo x >/dev/null && echo null; echo x >/dev/shm/a && ls /tmp");
    QCOMPARE(seen.out, "/tmp\n/outputs\ngiven\nnull\na\nmade\n");
    QCOMPARE(readFile(root_ + "/outputs/made").value_or("none"), "x\n");
}

void TestSandboxEnter::inputsWithoutADirectoryAreEmptyAndReadOnly() {
    plan_.binds[0].from.clear();
    const Run seen = run("ls /inputs; (echo x >/inputs/made) 2>/dev/null || cd /inputs && pwd");
    QCOMPARE(seen.out, "/inputs\n");
}

void TestSandboxEnter::aRootIsFurnishedOnceForAllOfItsKind() {
    if (plan_.hostUser == 0 || !base_->roots().copyFor(*layoutOf(plan_)))
        QSKIP("each sandbox furnishes its own root here");
    const unsigned before = base_->roots().made();
    QCOMPARE(run("(echo 1 >/a; echo 1 >/etc/passwd) 2>/dev/null; ls / /etc").out, run("ls / /etc").out);
    QCOMPARE(base_->roots().made(), before);
    // A place of its own that others shall not see has a root of its own, too.
    const std::string place = root_ + "/inputs";
    plan_.binds.push_back({place, place});
    QCOMPARE(run("cat " + place + "/in").out, "given\n");
    QCOMPARE(base_->roots().made(), before);
    plan_.binds.pop_back();
    QCOMPARE(run("ls -d " + place + " 2>/dev/null || echo none").out, "none\n");
}

void TestSandboxEnter::whatIsReplacedOutsideIsNewInTheNextRoot() {
    if (plan_.hostUser == 0) QSKIP("each sandbox furnishes its own root here");
    Layout system;
    QVERIFY(writeFileAtomically(root_ + "/file", "one", 0644));
    system.directory("etc");
    system.bind(root_ + "/file", "etc/file", MOUNT_ATTR_RDONLY, false);
    system.bind(root_ + "/inputs", "etc/inputs", MOUNT_ATTR_RDONLY, true);
    Roots roots(system);
    const auto own = layoutOf(plan_);
    const auto seen = [](const UniqueFd& tree) {
        const UniqueFd file(::openat(tree.get(), "etc/file", O_RDONLY | O_CLOEXEC));
        std::string text(16, 0);
        const ssize_t got = ::read(file.get(), text.data(), text.size());
        return text.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
    };
    const UniqueFd first = roots.copyFor(*own);
    if (!first) QSKIP("each sandbox furnishes its own root here");
    QCOMPARE(seen(first), "one");
    QCOMPARE(seen(roots.copyFor(*own)), "one");
    QVERIFY(writeFileAtomically(root_ + "/file", "another", 0644));
    QCOMPARE(seen(roots.copyFor(*own)), "another");
    QCOMPARE(seen(first), "one");
    QCOMPARE(roots.made(), 2u);
    QVERIFY(::openat(first.get(), "etc/file", O_WRONLY | O_CLOEXEC) < 0 && errno == EROFS);
}

void TestSandboxEnter::theRootHoldsWhatItShould() {
    const Run seen = run("ls /; ls /dev; ls -d /root /home /var /sys /run 2>/dev/null; cut -d: -f1 /etc/passwd");
    QVERIFY2(seen.out.starts_with("bin\ndev\netc\ninputs\nlib\n"), seen.out.c_str());
    QVERIFY2(seen.out.ends_with("usr\nfd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\nurandom\nzero\n"
                                "root\nworker\nnobody\n"),
             seen.out.c_str());
}

void TestSandboxEnter::aMissingProgramIsToldByName() {
    const Run seen = runProgram("/worker/none", {"none"});
    QCOMPARE(seen.failed, Step::Exec);
    QCOMPARE(seen.err, ENOENT);
}

void TestSandboxEnter::aStepThatFailsIsToldInWords() {
    plan_.binds.push_back({root_ + "/gone", "/gone", false});
    QVERIFY(makeDirectories(root_ + "/gone"));
    auto own = layoutOf(plan_);
    QVERIFY(own);
    QCOMPARE(::rmdir((root_ + "/gone").c_str()), 0);
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    char name[] = "true";
    char* argv[] = {name, nullptr};
    char* envp[] = {nullptr};
    Entry entry;
    entry.base = &*base_;
    entry.own = &*own;
    entry.program = "/bin/true";
    entry.argv = argv;
    entry.envp = envp;
    entry.nullFd = entry.outFd = entry.errFd = null.get();
    entry.hostUser = plan_.hostUser;
    ::getrlimit(RLIMIT_NOFILE, &entry.openFiles);
    Start started = start(entry, stack_.data(), stack_.size());
    QCOMPARE(started.failed, Step::System);
    QCOMPARE(started.err, ENOENT);
    QCOMPARE(started.doing, "bind " + root_ + "/gone read-only at /gone");
    entry.cwd = "/nowhere";
    plan_.binds.clear();
    own = layoutOf(plan_);
    QVERIFY(own);
    started = start(entry, stack_.data(), stack_.size());
    QCOMPARE(started.failed, Step::ChangeDirectory);
    QCOMPARE(started.doing, std::string("enter the working directory"));
}

void TestSandboxEnter::deniedCallsAreTold() {
    const Run seen =
        run("mount -t tmpfs none /tmp 2>/dev/null; unshare -r true 2>/dev/null; "
            "touch /outputs/a; chmod 4755 /outputs/a 2>/dev/null; mknod /tmp/d c 1 3 2>/dev/null; ls -l /outputs");
    std::string told;
    for (const Denied& denied : seen.told.denied) {
        told += fmt::format("{} {} {}; ", denied.call, denied.path, denied.err);
        QVERIFY(denied.pid > 1);
        QVERIFY(denied.micros > 0);
    }
    QVERIFY2(told.contains("mount /tmp 1; ") || told.contains("fsopen tmpfs 1; "), told.c_str());
    QVERIFY2(told.contains("unshare  1; "), told.c_str());
    QVERIFY2(told.contains("fchmodat /outputs/a 1; ") || told.contains("chmod /outputs/a 1; "), told.c_str());
    QVERIFY2(told.contains("mknodat /tmp/d 1; ") || told.contains("mknod /tmp/d 1; "), told.c_str());
    QVERIFY2(seen.out.contains("-rw-r--r--"), seen.out.c_str());
}

void TestSandboxEnter::denialsPastTheLimitAreAnsweredNotTold() {
    const Run seen =
        run("i=0; while [ $i -lt 130 ]; do /usr/sbin/chroot / /bin/true 2>/dev/null; i=$((i+1)); done; echo $i");
    QCOMPARE(seen.out, std::string("130\n"));
    QCOMPARE(seen.told.denied.size(), std::size_t{100});
}

void TestSandboxEnter::connectingOutIsToldWithTheAddress() {
    const Run seen = runProgram(
        "/usr/bin/python3",
        {"python3", "-c",
         "import socket\n"
         "for family, peer in ((2, ('192.0.2.7', 80)), (10, ('2001:db8::7', 81)), (2, ('127.0.0.1', 9))):\n"
         "    s = socket.socket(family)\n"
         "    try: s.connect(peer)\n"
         "    except OSError as e: print(e.errno)\n"});
    QCOMPARE(seen.out, fmt::format("{}\n{}\n{}\n", ENETUNREACH, ENETUNREACH, ECONNREFUSED));
    std::string told;
    for (const Denied& denied : seen.told.denied) told += denied.call + " " + denied.path + "; ";
    QCOMPARE(told, std::string("connect 192.0.2.7:80; connect [2001:db8:0:0:0:0:0:7]:81; "));
}

void TestSandboxEnter::aDaemonEndsWithItsProgram() {
    // Its output would keep the pipe open as long as it lives.
    const Run seen = run("setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' & echo begun");
    QCOMPARE(seen.out, std::string("begun\n"));
    QCOMPARE(seen.code, 0);
}

void TestSandboxEnter::killingTheFirstProcessEndsAll() {
    int pipe[2];
    QCOMPARE(::pipe2(pipe, O_CLOEXEC), 0);
    const UniqueFd reader(pipe[0]);
    UniqueFd writer(pipe[1]);
    const Start started =
        begin("/bin/sh", {"sh", "-c", "setsid sleep 1000 & echo up; exec sleep 1000"}, {}, writer.get(), -1);
    writer.reset();
    QCOMPARE(started.failed, Step::None);
    char up[3];
    QCOMPARE(::read(reader.get(), up, 3), ssize_t{3});
    QCOMPARE(::kill(started.pid, SIGTERM), 0); // a first process has no use for it
    QCOMPARE(::kill(started.pid, SIGKILL), 0);
    siginfo_t info{};
    QCOMPARE(::waitid(P_PIDFD, static_cast<id_t>(started.pidfd.get()), &info, WEXITED), 0);
    char more = 0;
    QCOMPARE(::read(reader.get(), &more, 1), ssize_t{0}); // nobody holds the other end
}

void TestSandboxEnter::descriptorsOfTheStarterAreNotThere() {
    const UniqueFd low(::open("/etc/hostname", O_RDONLY));
    const UniqueFd high(::fcntl(low.get(), F_DUPFD, 500));
    const Run seen = runProgram("/bin/ls", {"ls", "/proc/self/fd"});
    QCOMPARE(seen.out, std::string("0\n1\n2\n3\n")); // the last one is the directory
}

void TestSandboxEnter::theSocketIsThere() {
    int ends[2];
    QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    const Run seen = runProgram("/bin/sh", {"sh", "-c", "echo spoke >&3"}, {}, writer.get());
    writer.reset();
    QCOMPARE(seen.code, 0);
    std::array<char, 16> text{};
    QCOMPARE(::read(reader.get(), text.data(), text.size()), ssize_t{6});
}

QTEST_GUILESS_MAIN(TestSandboxEnter)
#include "tst_enter.moc"
