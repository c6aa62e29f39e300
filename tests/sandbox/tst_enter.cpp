// Real sandboxes around small programs, started as the launcher does it.
#include "core/base/files.h"
#include "core/sandbox/enter.h"
#include "core/sandbox/own_thread.h"
#include "core/sandbox/record.h"
#include "core/sandbox/support.h"

#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
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
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::sandbox;

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
    void aNetworkThatNobodyUsedServesTheNextSandbox();
    void aNetworkThatWasUsedServesNobodyElse();
    void whoeverMakesASocketUsesTheNetwork_data();
    void whoeverMakesASocketUsesTheNetwork();
    void aSocketThatOutlivesItsSandboxIsNotMetByTheNext();
    void namelessSocketsOutsideAreNotReachedWithTheNetwork();
    void nobodyIsReachedThroughTheWorkingDirectory_data();
    void nobodyIsReachedThroughTheWorkingDirectory();
    void protocolsThatNobodyNeedsAreNotThere();
    void eventsOfTheMachineAreNotHeard();
    void nothingIsMountedIntoARunningSandbox();
    void whatComesOrGoesOutsideIsInTheNextRoot();
    void whatCannotBeMadeNowIsTriedAgain();
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
    if (run.told.isNetworkUnused) base_->networks().giveBack(std::move(started.network));
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
    if (plan_.hostUser == 0 || !base_->roots().furnishedFor(*layoutOf(plan_)))
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

void TestSandboxEnter::aNetworkThatNobodyUsedServesTheNextSandbox() {
    if (plan_.hostUser == 0) QSKIP("each sandbox makes its own network here");
    const std::string look = "readlink /proc/self/ns/net; ls /sys 2>/dev/null; grep -c : /proc/net/dev";
    const Run first = run(look);
    const unsigned made = base_->networks().made();
    const Run second = run(look);
    QCOMPARE(second.out, first.out);
    QCOMPARE(runProgram("/worker/none", {"none"}).failed, Step::Exec);
    QCOMPARE(run(look).out, first.out);
    QCOMPARE(base_->networks().made(), made);
}

/// A server that ends its connection first keeps its port for a minute: the next one would not get it.
void TestSandboxEnter::aNetworkThatWasUsedServesNobodyElse() {
    const std::string server = "grep -c 'lo: *0 *0 ' /proc/net/dev; exec perl -e 'use Socket; "
                               "$a = sockaddr_in(7777, inet_aton(\"127.0.0.1\")); "
                               "socket(L, PF_INET, SOCK_STREAM, 0); bind(L, $a) and listen(L, 1) or die $!; "
                               "socket(C, PF_INET, SOCK_STREAM, 0); connect(C, $a) or die $!; "
                               "accept(S, L); close(S); read(C, $x, 1); print \"served\\n\"'";
    const unsigned before = base_->networks().made();
    for (int i = 0; i < 3; ++i) QCOMPARE(run(server).out, "1\nserved\n");
    if (plan_.hostUser != 0) QVERIFY(base_->networks().made() >= before + 2);
}

void TestSandboxEnter::whoeverMakesASocketUsesTheNetwork_data() {
    QTest::addColumn<QString>("socket");
    QTest::addColumn<bool>("uses");
    QTest::newRow("none") << "1" << false;
    QTest::newRow("local") << "socket(S, AF_UNIX, SOCK_STREAM, 0)" << false;
    QTest::newRow("IPv4, nothing sent") << "socket(S, AF_INET, SOCK_DGRAM, 0)" << true;
    QTest::newRow("IPv6, nothing sent") << "socket(S, AF_INET6, SOCK_DGRAM, 0)" << true;
    QTest::newRow("routes") << "socket(S, 16, SOCK_RAW, 0)" << true;
    QTest::newRow("by a child") << "(fork() or exit(!socket(S, AF_INET, SOCK_DGRAM, 0))), wait() > 0 && !$?"
                                << true;
}

/// What a namespace remembers of a socket is not to be seen from outside: counters of errors, flow labels.
void TestSandboxEnter::whoeverMakesASocketUsesTheNetwork() {
    QFETCH(QString, socket);
    QFETCH(bool, uses);
    const Run seen =
        run(fmt::format("exec perl -e 'use Socket; ({}) or die \"$!\"; print \"made\"'", socket.toStdString()));
    QCOMPARE(seen.out, "made");
    QCOMPARE(seen.told.isNetworkUnused, !uses);
    QVERIFY(seen.told.denied.empty());
}

/// It is queued in a socket whose other end is outside, as a warm worker's is.
void TestSandboxEnter::aSocketThatOutlivesItsSandboxIsNotMetByTheNext() {
    int ends[2];
    QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const UniqueFd outside(ends[0]);
    UniqueFd inside(ends[1]);
    const Run first = runProgram("/usr/bin/python3",
                                 {"python3", "-c",
                                  "import socket\n"
                                  "left = socket.socket(socket.AF_UNIX)\n"
                                  "left.bind('\\0left')\n"
                                  "left.listen()\n"
                                  "socket.send_fds(socket.socket(fileno=3), [b'x'], [left.fileno()])\n"
                                  "print('sent')\n"},
                                 {}, inside.get());
    inside.reset();
    QCOMPARE(first.out, std::string("sent\n"));
    QVERIFY(first.told.isNetworkUnused);
    const Run second =
        runProgram("/usr/bin/python3", {"python3", "-c",
                                        "import socket\n"
                                        "try: print(socket.socket(socket.AF_UNIX).connect('\\0left'))\n"
                                        "except OSError as e: print(e.errno)\n"});
    QCOMPARE(second.out, fmt::format("{}\n", ECONNREFUSED));
}

void TestSandboxEnter::namelessSocketsOutsideAreNotReachedWithTheNetwork() {
    if (base_->scopeFd() < 0) QSKIP("this kernel has no Landlock that keeps sockets apart");
    const UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string text = fmt::format("yard-test-{}", ::getpid());
    text.copy(name.sun_path + 1, text.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    QCOMPARE(::bind(server.get(), reinterpret_cast<const sockaddr*>(&name), size), 0);
    QCOMPARE(::listen(server.get(), 1), 0);
    plan_.network = true;
    const Run seen = runProgram(
        "/usr/bin/python3", {"python3", "-c",
                             "import socket, sys\n"
                             "own = socket.socket(socket.AF_UNIX)\n"
                             "own.bind('\\0' + sys.argv[1] + '.own')\n"
                             "own.listen()\n"
                             "for name in ('.own', ''):\n"
                             "    try: print(socket.socket(socket.AF_UNIX).connect('\\0' + sys.argv[1] + name))\n"
                             "    except OSError as e: print(e.errno)\n",
                             text});
    QCOMPARE(seen.out, fmt::format("None\n{}\n", EPERM));
}

void TestSandboxEnter::nobodyIsReachedThroughTheWorkingDirectory_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("plain") << "/work";
    QTest::newRow("with the letters of options") << "/a:b,c\\d e";
}

/// Services of the user may have their sockets and pipes there; everybody may write to these.
void TestSandboxEnter::nobodyIsReachedThroughTheWorkingDirectory() {
    QFETCH(QString, name);
    const std::string place = root_ + name.toStdString();
    QVERIFY(makeDirectories(place, 0755));
    QVERIFY(writeFileAtomically(place + "/file", "content", 0644));
    QCOMPARE(::chmod(root_.c_str(), 0755), 0);
    UniqueFd directory(::open(place.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    std::vector<UniqueFd> servers;
    for (const auto& [type, file] : {std::pair{SOCK_STREAM, "stream"}, std::pair{SOCK_DGRAM, "datagram"}}) {
        servers.emplace_back(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/{}", directory.get(),
                         file);
        QCOMPARE(::bind(servers.back().get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        QCOMPARE(::chmod((place + "/" + file).c_str(), 0777), 0);
    }
    QCOMPARE(::listen(servers.front().get(), 1), 0);
    QCOMPARE(::mkfifo((place + "/pipe").c_str(), 0666), 0);
    QCOMPARE(::chmod((place + "/pipe").c_str(), 0666), 0);
    const UniqueFd reader(::open((place + "/pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    QVERIFY(reader);
    plan_.binds.push_back({.from = place, .to = place, .isolated = true});
    plan_.cwd = place;
    const Run seen =
        runProgram("/usr/bin/python3", {"python3", "-c",
                                        "import os, socket\n"
                                        "def attempt(what):\n"
                                        "    try: print(what())\n"
                                        "    except OSError as e: print(e.errno)\n"
                                        "attempt(lambda: socket.socket(socket.AF_UNIX).connect('stream'))\n"
                                        "datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
                                        "attempt(lambda: datagrams.sendto(b'x', 'datagram'))\n"
                                        "attempt(lambda: datagrams.sendmsg([b'x'], [], 0, 'datagram'))\n"
                                        "attempt(lambda: os.open('pipe', os.O_WRONLY | os.O_NONBLOCK))\n"
                                        "attempt(lambda: os.open('new', os.O_WRONLY | os.O_CREAT))\n"
                                        "attempt(lambda: os.open('file', os.O_WRONLY))\n"
                                        "attempt(lambda: open('file').read())\n"});
    QCOMPARE(seen.doing, std::string());
    QCOMPARE(seen.out, fmt::format("{0}\n{0}\n{0}\n{1}\n{2}\n{2}\ncontent\n", ECONNREFUSED, ENXIO, EROFS));
}

void TestSandboxEnter::protocolsThatNobodyNeedsAreNotThere() {
    const Run seen = runProgram("/usr/bin/python3", {"python3", "-c",
                                                     "import socket\n"
                                                     "def attempt(what):\n"
                                                     "    try: what(); print('made')\n"
                                                     "    except OSError as e: print(e.errno)\n"
                                                     "attempt(lambda: socket.socketpair())\n"
                                                     "attempt(lambda: socket.socketpair(30, 1))\n"   // AF_TIPC
                                                     "attempt(lambda: socket.socket(2, 1, 6))\n"     // TCP
                                                     "attempt(lambda: socket.socket(2, 1, 262))\n"   // MPTCP
                                                     "attempt(lambda: socket.socket(2, 5, 132))\n"   // SCTP
                                                     "attempt(lambda: socket.socket(38, 5, 0))\n"}); // AF_ALG
    QCOMPARE(seen.out, fmt::format("made\n{1}\nmade\n{0}\n{0}\n{1}\n", EPROTONOSUPPORT, EPERM));
}

void TestSandboxEnter::eventsOfTheMachineAreNotHeard() {
    const Run seen =
        run("exec perl -e 'socket(S, 16, 3, 15) and print \"heard\"; print $!'"); // NETLINK_KOBJECT_UEVENT
    QCOMPARE(seen.out, "Operation not permitted");
    QCOMPARE(seen.told.denied.size(), std::size_t{1});
    QCOMPARE(seen.told.denied.front().call, "socket");
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
