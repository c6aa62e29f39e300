// Whom a program in a sandbox can reach: nobody outside, nobody in the sandbox before or after it.
#include "tests/sandbox/sandbox_run.h"

#include <cerrno>
#include <cstddef>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

using namespace yard;
using namespace yard::test;

class TestSandboxSockets : public QObject, private SandboxRun {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { open(); }
    void init() { makeAnew(); }
    void aNetworkThatNobodyUsedServesTheNextSandbox();
    void aNetworkThatWasUsedServesNobodyElse();
    void whoeverMakesASocketUsesTheNetwork_data();
    void whoeverMakesASocketUsesTheNetwork();
    void aSocketThatOutlivesItsSandboxIsNotMetByTheNext();
    void thePipeOfAJobserverIsBothOfItsDescriptors();
    void namelessSocketsOutsideAreNotReachedWithTheNetwork();
    void nobodyIsReachedThroughTheWorkingDirectory_data();
    void nobodyIsReachedThroughTheWorkingDirectory();
    void protocolsThatNobodyNeedsAreNotThere();
    void buffersOfSocketsStayAsUsual();
    void eventsOfTheMachineAreNotHeard();
    void connectingOutIsToldWithTheAddress();
};

void TestSandboxSockets::aNetworkThatNobodyUsedServesTheNextSandbox() {
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
void TestSandboxSockets::aNetworkThatWasUsedServesNobodyElse() {
    const std::string server = "grep -c 'lo: *0 *0 ' /proc/net/dev; exec perl -e 'use Socket; "
                               "$a = sockaddr_in(7777, inet_aton(\"127.0.0.1\")); "
                               "socket(L, PF_INET, SOCK_STREAM, 0); bind(L, $a) and listen(L, 1) or die $!; "
                               "socket(C, PF_INET, SOCK_STREAM, 0); connect(C, $a) or die $!; "
                               "accept(S, L); close(S); read(C, $x, 1); print \"served\\n\"'";
    const unsigned before = base_->networks().made();
    for (int i = 0; i < 3; ++i) QCOMPARE(run(server).out, "1\nserved\n");
    if (plan_.hostUser != 0) QVERIFY(base_->networks().made() >= before + 2);
}

void TestSandboxSockets::whoeverMakesASocketUsesTheNetwork_data() {
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
void TestSandboxSockets::whoeverMakesASocketUsesTheNetwork() {
    QFETCH(QString, socket);
    QFETCH(bool, uses);
    const Run seen =
        run(fmt::format("exec perl -e 'use Socket; ({}) or die \"$!\"; print \"made\"'", socket.toStdString()));
    QCOMPARE(seen.out, "made");
    QCOMPARE(seen.told.isNetworkUnused, !uses);
    QVERIFY(seen.told.denied.empty());
}

/// It is queued in a socket whose other end is outside, as a warm worker's is.
void TestSandboxSockets::aSocketThatOutlivesItsSandboxIsNotMetByTheNext() {
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

void TestSandboxSockets::thePipeOfAJobserverIsBothOfItsDescriptors() {
    int ends[2];
    QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    const UniqueFd writer(::open(fmt::format("/proc/self/fd/{}", ends[1]).c_str(), O_RDWR | O_CLOEXEC));
    ::close(ends[1]);
    tokens_ = writer.get();
    const Run first =
        run("for d in 3 4 5 6; do [ -e /proc/self/fd/$d ] && echo $d; done; printf + >&4; head -c 1 <&3");
    tokens_ = -1;
    QCOMPARE(first.out, std::string("3\n4\n+"));
    QCOMPARE(run("[ -e /proc/self/fd/3 ] || echo none").out, std::string("none\n"));
}

void TestSandboxSockets::namelessSocketsOutsideAreNotReachedWithTheNetwork() {
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

void TestSandboxSockets::nobodyIsReachedThroughTheWorkingDirectory_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("plain") << "/work";
    QTest::newRow("with the letters of options") << "/a:b,c\\d e";
}

/// Services of the user may have their sockets and pipes there; everybody may write to these.
void TestSandboxSockets::nobodyIsReachedThroughTheWorkingDirectory() {
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

void TestSandboxSockets::protocolsThatNobodyNeedsAreNotThere() {
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

void TestSandboxSockets::buffersOfSocketsStayAsUsual() {
    const Run seen =
        runProgram("/usr/bin/python3", {"python3", "-c",
                                        "import socket\n"
                                        "s = socket.socketpair()[0]\n"
                                        "def sizes(): return [s.getsockopt(1, 7), s.getsockopt(1, 8)]\n"
                                        "before = sizes()\n"
                                        "for option in (7, 8): s.setsockopt(1, option, 1 << 20)\n"
                                        "s.setsockopt(1, 9, 1)\n" // SO_KEEPALIVE
                                        "print(sizes() == before, s.getsockopt(1, 9))\n"});
    QCOMPARE(seen.out, std::string("True 1\n"));
}

void TestSandboxSockets::eventsOfTheMachineAreNotHeard() {
    const Run seen =
        run("exec perl -e 'socket(S, 16, 3, 15) and print \"heard\"; print $!'"); // NETLINK_KOBJECT_UEVENT
    QCOMPARE(seen.out, "Operation not permitted");
    QCOMPARE(seen.told.denied.size(), std::size_t{1});
    QCOMPARE(seen.told.denied.front().call, "socket");
}

void TestSandboxSockets::connectingOutIsToldWithTheAddress() {
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

QTEST_GUILESS_MAIN(TestSandboxSockets)
#include "tst_sockets.moc"
