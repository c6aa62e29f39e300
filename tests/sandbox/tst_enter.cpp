// Real sandboxes around small programs, started as the launcher does it.
#include "core/base/files.h"
#include "core/sandbox/enter.h"
#include "core/sandbox/own_thread.h"
#include "core/sandbox/record.h"
#include "core/sandbox/support.h"
#include "tests/sandbox/sandbox_run.h"

#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::sandbox;
using namespace yard::test;

namespace {

/// What a file holds, seen from a namespace of mounts; what there is against opening it.
std::string contentInside(const UniqueFd& space, const std::string& path, int how = O_RDONLY) {
    std::string content;
    runOnOwnThread([&] {
        if (::unshare(CLONE_FS) != 0 || ::setns(space.get(), CLONE_NEWNS) != 0) return;
        const UniqueFd file(::open(path.c_str(), how | O_CLOEXEC));
        content = std::string(16, 0);
        const ssize_t got = file ? ::read(file.get(), content.data(), content.size()) : -1;
        content = got < 0 ? std::strerror(errno) : content.substr(0, static_cast<std::size_t>(got));
    });
    return content;
}

class TestSandboxEnter : public QObject, private SandboxRun {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { open(); }
    void init() { makeAnew(); }
    void theMachineCanDoIt();
    void aProgramRunsAsAnotherUserInItsOwnWorld();
    void exitCodesAndSignalsArriveAsTheyAre();
    void thePeakOfMemoryIsThatOfWhatRanInside();
    void denialsNeverFillASmallPipe();
    void onlyOutputsAndTmpCanBeWritten();
    void whatIsWrittenOverALayerEndsWithTheSandbox();
    void inputsWithoutADirectoryAreEmptyAndReadOnly();
    void aRootIsFurnishedOnceForAllOfItsKind();
    void whatIsReplacedOutsideIsNewInTheNextRoot();
    void nothingIsMountedIntoARunningSandbox();
    void whatComesOrGoesOutsideIsInTheNextRoot();
    void whatCannotBeMadeNowIsTriedAgain();
    void theRootHoldsWhatItShould();
    void devicesThatItWasGivenAreThereAndNoOthers();
    void aMissingProgramIsToldByName();
    void aStepThatFailsIsToldInWords();
    void deniedCallsAreTold();
    void denialsPastTheLimitAreAnsweredNotTold();
    void aDaemonEndsWithItsProgram();
    void killingTheFirstProcessEndsAll();
    void descriptorsOfTheStarterAreNotThere();
    void theSocketIsThere();
};

} // namespace

void TestSandboxEnter::theMachineCanDoIt() {
    const Support support = probe();
    QCOMPARE(support.why(), std::string());
    QCOMPARE(support.parts.size(), std::size_t{10});
    QVERIFY(support.isComplete());
}

void TestSandboxEnter::aProgramRunsAsAnotherUserInItsOwnWorld() {
    const Run seen =
        run("id -u; id -g; uname -n; echo $$; grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' "
            "/proc/self/status; echo /proc/[0-9]*; pwd");
    QCOMPARE(seen.doing, std::string());
    QCOMPARE(seen.out, "1000\n1000\nsandbox\n2\nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\n"
                       "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\n"
                       "NoNewPrivs:\t1\nSeccomp:\t2\n/proc/1 /proc/2\n/\n");
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

void TestSandboxEnter::whatIsWrittenOverALayerEndsWithTheSandbox() {
    const std::string place = root_ + "/lower, and more";
    QVERIFY(makeDirectories(place + "/sub", 0777));
    QCOMPARE(::chmod((place + "/sub").c_str(), 0777), 0);
    QVERIFY(writeFileAtomically(place + "/sub/file", "old", 0666));
    QCOMPARE(::chmod((place + "/sub/file").c_str(), 0666), 0);
    plan_.binds.push_back({.from = place, .to = "/layer", .writable = true, .isolated = true});
    const std::string script = "stat -c %u /layer; cat /layer/sub/file; echo new >/layer/sub/file && echo made "
                               ">/layer/made && rm /layer/sub/file && ls /layer /layer/sub";
    for (int i = 0; i < 2; ++i) {
        const Run seen = run(script);
        QVERIFY2(seen.failed == Step::None, seen.doing.c_str());
        QCOMPARE(seen.out, "1000\nold/layer:\nmade\nsub\n\n/layer/sub:\n");
    }
    QCOMPARE(readFile(place + "/sub/file").value(), "old");
    QVERIFY(!QFile::exists(QString::fromStdString(place + "/made")));
}

void TestSandboxEnter::inputsWithoutADirectoryAreEmptyAndReadOnly() {
    plan_.binds[0].from.clear();
    const Run seen = run("ls /inputs; (echo x >/inputs/made) 2>/dev/null || cd /inputs && pwd");
    QCOMPARE(seen.out, "/inputs\n");
}

void TestSandboxEnter::aRootIsFurnishedOnceForAllOfItsKind() {
    if (plan_.hostUser == 0 || !base_->roots().furnishedFor(*layoutOf(plan_)))
        QSKIP("each sandbox furnishes its own root here");
    const unsigned before = base_->roots().made();
    QCOMPARE(run("(echo 1 >/a; echo 1 >/etc/passwd) 2>/dev/null; ls / /etc").out, run("ls / /etc").out);
    QCOMPARE(base_->roots().made(), before);
    // A place of its own that others do not see has a root of its own, too.
    const std::string place = root_ + "/inputs";
    plan_.binds.push_back({place, place});
    QCOMPARE(run("cat " + place + "/in").out, "given\n");
    QCOMPARE(base_->roots().made(), before);
    plan_.binds.pop_back();
    QCOMPARE(run("ls -d " + place + " 2>/dev/null || echo none").out, "none\n");
}

void TestSandboxEnter::whatIsReplacedOutsideIsNewInTheNextRoot() {
    if (plan_.hostUser == 0) QSKIP("each sandbox furnishes its own root here");
    QVERIFY(writeFileAtomically(root_ + "/file", "one", 0644));
    Roots roots([this] {
        Layout system;
        system.directory("etc");
        system.lookAt(root_ + "/file");
        system.bind(root_ + "/file", "etc/file", MOUNT_ATTR_RDONLY, false);
        system.bind(root_ + "/inputs", "etc/inputs", MOUNT_ATTR_RDONLY, true);
        return system;
    });
    const auto own = layoutOf(plan_);
    const auto first = roots.furnishedFor(*own);
    if (!first) QSKIP("each sandbox furnishes its own root here");
    QCOMPARE(contentInside(*first, "/etc/file"), "one");
    QCOMPARE(contentInside(*roots.furnishedFor(*own), "/etc/file"), "one");
    QVERIFY(writeFileAtomically(root_ + "/file", "another", 0644));
    QCOMPARE(contentInside(*roots.furnishedFor(*own), "/etc/file"), "another");
    QCOMPARE(contentInside(*first, "/etc/file"), "one");
    QCOMPARE(roots.made(), 2u);
    // Nothing of the machine is left in it, and nothing in it can be written.
    QCOMPARE(contentInside(*first, root_ + "/file"), "No such file or directory");
    QCOMPARE(contentInside(*first, "/etc/file", O_WRONLY), "Read-only file system");
}

/// Where the machine's mounts are shared, as most are, a copy of one would be told of what comes into the first.
void TestSandboxEnter::nothingIsMountedIntoARunningSandbox() {
    if (plan_.hostUser == 0) QSKIP("only root can mount something");
    Run seen;
    bool isShared = false;
    runOnOwnThread([&] {
        isShared = ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) == 0;
        seen = run("grep -c . /proc/self/mountinfo; grep -E ' (shared|master):' /proc/self/mountinfo");
    });
    QVERIFY(isShared);
    QCOMPARE(seen.doing, std::string());
    QVERIFY2(seen.out.ends_with("\n") && seen.out.find(' ') == std::string::npos, seen.out.c_str());
}

void TestSandboxEnter::whatComesOrGoesOutsideIsInTheNextRoot() {
    const std::string machine = root_ + "/machine";
    for (const char* directory : {"/usr", "/dev", "/etc"}) QVERIFY(makeDirectories(machine + directory, 0755));
    for (const char* file :
         {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/etc/mime.types"})
        QVERIFY(writeFileAtomically(machine + file, "one", 0644));
    const std::string zone = machine + "/etc/localtime";
    QCOMPARE(::symlink("/usr/share/zoneinfo/Etc/UTC", zone.c_str()), 0);
    Roots roots([&] { return systemLayout(machine); });
    const auto shows = [&](std::string_view to, std::string_view from) {
        const auto system = roots.system();
        return std::ranges::any_of(system->ops(), [&](const Op& op) { return op.to == to && op.from == from; });
    };
    const std::string types = machine + "/etc/mime.types";
    QVERIFY(shows("etc/mime.types", types));
    QVERIFY(shows("etc/localtime", "/usr/share/zoneinfo/Etc/UTC"));
    const auto before = roots.system();
    QCOMPARE(roots.system(), before);

    QCOMPARE(::unlink(types.c_str()), 0);
    QVERIFY(!shows("etc/mime.types", types));
    QCOMPARE(::unlink(zone.c_str()), 0);
    QCOMPARE(::symlink("/usr/share/zoneinfo/Asia/Tokyo", zone.c_str()), 0);
    QVERIFY(shows("etc/localtime", "/usr/share/zoneinfo/Asia/Tokyo"));
    QVERIFY(writeFileAtomically(machine + "/etc/services", "one", 0644));
    QVERIFY(shows("etc/services", machine + "/etc/services"));
}

void TestSandboxEnter::whatCannotBeMadeNowIsTriedAgain() {
    if (plan_.hostUser == 0) QSKIP("each sandbox makes its own here");
    const auto own = layoutOf(plan_);
    Networks networks;
    Roots roots;
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{3, before.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const bool made = static_cast<bool>(networks.take()) || roots.furnishedFor(*own);
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
    QVERIFY(!made);
    QVERIFY(networks.take());
    QVERIFY(roots.furnishedFor(*own));
}

void TestSandboxEnter::theRootHoldsWhatItShould() {
    const Run seen = run("ls /; ls /dev; ls -d /root /home /var /sys /run 2>/dev/null; cut -d: -f1 /etc/passwd");
    QVERIFY2(seen.out.starts_with("bin\ndev\netc\ninputs\nlib\n"), seen.out.c_str());
    QVERIFY2(seen.out.ends_with("usr\nfd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\nurandom\nzero\n"
                                "root\nworker\nnobody\n"),
             seen.out.c_str());
}

void TestSandboxEnter::devicesThatItWasGivenAreThereAndNoOthers() {
    const std::string script =
        "for d in tty ptmx; do [ -c /dev/$d ] && echo $d; done; echo x >/dev/null && echo null";
    QCOMPARE(run(script).out, "null\n");
    plan_.devices = {"/dev/tty"};
    QCOMPARE(run(script).out, "tty\nnull\n");
    QCOMPARE(run("(rm /dev/tty; echo x >/dev/made) 2>/dev/null; ls -d /dev/tty /dev/made 2>/dev/null").out,
             "/dev/tty\n");
    for (const char* wrong :
         {"/dev/no-such-device", "/etc/passwd", "/dev/../etc/passwd", "/dev/fd/../null", "/dev"}) {
        plan_.devices = {wrong};
        QVERIFY2(!layoutOf(plan_), wrong);
    }
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
    entry.inFd = entry.outFd = entry.errFd = null.get();
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
