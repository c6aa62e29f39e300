// The kernel's events with real sockets, processes, signals and files: operations of Asio and Beast with
// interruption and timeouts, readiness, ends of processes, changes of files.
#include "core/coro/events.h"
#include "core/coro/net.h"
#include "tests/coro/coro_test.h"

#include <boost/asio/read.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::coro;
using namespace yard::coro::test;
namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

/// Two connected sockets on one loop.
struct Pair {
    UnixSocket left, right;
    explicit Pair(Loop& loop)
        : left(loop.io())
        , right(loop.io()) {
        int fds[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) std::abort();
        left.assign(asio::local::stream_protocol(), fds[0]);
        right.assign(asio::local::stream_protocol(), fds[1]);
    }
};

Task<void> readInto(UnixSocket& socket, std::string& log) {
    std::array<char, 64> buffer;
    const Moved moved = co_await readSome(socket, buffer);
    log += moved.error ? moved.error.message() : std::string(buffer.data(), moved.bytes);
}

Task<void> writeText(UnixSocket& socket, std::string text) {
    const Moved moved = co_await writeAll(socket, text);
    if (moved.error) throw std::runtime_error(moved.error.message());
}

Task<void> readExactly(UnixSocket& socket, std::vector<char>& into, std::string& log) {
    auto [error, bytes] = co_await asyncOp<IoSignature>(
        "read all", [&](auto handler) { asio::async_read(socket, asio::buffer(into), std::move(handler)); });
    log += error ? error.message() : fmt::format("{} bytes", bytes);
}

Task<void> limited(Task<void> body, Duration limit, std::string& log) {
    bool timedOut = false;
    try {
        co_await withTimeout(limit, std::move(body));
    } catch (const TimeoutError&) {
        timedOut = true;
    }
    if (timedOut) log += "timeout";
}

Task<void> readRequest(UnixSocket& socket, std::string& log) {
    beast::flat_buffer buffer;
    beast::http::request<beast::http::string_body> request;
    auto [error, bytes] = co_await asyncOp<IoSignature>("read request", [&](auto handler) {
        beast::http::async_read(socket, buffer, request, std::move(handler));
    });
    log += error ? error.message() : fmt::format("{} {}", std::string(request.target()), request.body());
}

Task<void> trickle(UnixSocket& socket, std::string text) {
    for (char c : text) {
        std::string one(1, c);
        co_await writeText(socket, one);
        co_await yieldNow();
    }
}

Task<void> pump(UnixSocket& socket, int times, std::string word, std::string& log) {
    std::array<char, 1> buffer;
    for (int i = 0; i < times; ++i) {
        const Moved moved = co_await readSome(socket, buffer);
        if (moved.error) co_return;
        log += word;
    }
}

Task<void> serveOne(TcpAcceptor& acceptor, std::string& log) {
    auto [error, socket] = co_await accept(acceptor);
    if (error) co_return;
    std::array<char, 64> buffer;
    const Moved moved = co_await readSome(socket, buffer);
    log += std::string(buffer.data(), moved.bytes);
    co_await writeAll(socket, std::string_view("pong"));
}

Task<void> serveNobody(TcpAcceptor& acceptor) {
    auto [error, socket] = co_await accept(acceptor);
    if (!error) co_await sleepFor(1h);
}

Task<void> callTcp(Loop& loop, asio::ip::tcp::endpoint peer, std::string& log) {
    TcpSocket socket(loop.io());
    const ErrorCode error = co_await connect(socket, peer);
    if (error) throw std::runtime_error(error.message());
    co_await writeAll(socket, std::string_view("ping"));
    std::array<char, 64> buffer;
    Moved moved = co_await readSome(socket, buffer);
    log += std::string(buffer.data(), moved.bytes);
    moved = co_await readSome(socket, buffer);
    log += moved.error == asio::error::eof ? "|end" : "|?";
}

Task<void> awaitReadable(FdWatch& watch, std::string& log) {
    log += fmt::format("{} ", co_await watch.readable());
}

Task<void> inlineOperations(int times, std::string word, std::string& log) {
    for (int i = 0; i < times; ++i) {
        auto [error] = co_await asyncOp<DoneSignature>("inline", [](auto handler) { handler(ErrorCode()); });
        if (!error) log += word;
    }
}

/// Ignores its cancellation slot; ends by `cancel` only.
Task<void> stubborn(asio::basic_waitable_timer<std::chrono::steady_clock>& timer, std::string& log) {
    auto [error] = co_await asyncOp<DoneSignature>(
        "stubborn",
        [&](auto handler) { timer.async_wait([handler](ErrorCode result) mutable { handler(result); }); },
        [&] { timer.cancel(); });
    log += error.message();
}

pid_t startChild(const char* script) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::execl("/bin/sh", "sh", "-c", script, static_cast<char*>(nullptr));
        ::_exit(127);
    }
    return pid;
}

Task<void> reapChild(pid_t pid, std::string& log) {
    const Result<ProcessExit> exit = co_await waitProcess(pid);
    log += exit ? fmt::format("{}{} ", exit->exited() ? "exit" : "signal", exit->status) : exit.error().message;
}

Task<void> nextSignal(SignalWatch& watch, std::string& log) {
    log += fmt::format("{} ", co_await watch.next());
}

Task<void> nextChange(FileWatch& watch, std::string& log) {
    const FileChange change = co_await watch.next();
    log += fmt::format("{}:{} ", change.name,
                       change.mask & IN_CREATE       ? "create"
                       : change.mask & IN_MODIFY     ? "modify"
                       : change.mask & IN_DELETE     ? "delete"
                       : change.mask & IN_Q_OVERFLOW ? "overflow"
                                                     : "other");
}

void touch(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
}

} // namespace

class TestEvents : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesGoThroughASocket() {
        Loop loop;
        Pair pair(loop);
        std::string log;
        loop.spawn("reader", readInto(pair.right, log));
        loop.spawn("writer", writeText(pair.left, "hello"));
        loop.run();
        QCOMPARE(log, std::string("hello"));
    }

    void tcpAcceptsConnectsAndEnds() {
        Loop loop;
        std::string log;
        TcpAcceptor acceptor(loop.io(), asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
        loop.spawn("server", serveOne(acceptor, log));
        loop.spawn("client", callTcp(loop, acceptor.local_endpoint(), log));
        loop.run();
        QCOMPARE(log, std::string("pingpong|end"));
    }

    void anInterruptedReadEndsAndItsBufferIsFree() {
        Rig rig;
        Pair pair(rig.loop);
        std::string log;
        std::vector<char> into(100);
        ThreadRef reader = rig.spawn("reader", readExactly(pair.right, into, log));
        rig.settle();
        QCOMPARE(std::string(reader->where()), std::string("read all"));
        reader->interrupt();
        QVERIFY(!reader->hasEnded());
        rig.settle();
        QCOMPARE(reader->end(), ThreadEnd::Interrupted);
        QCOMPARE(log, std::string());
        // The socket is as good as before.
        rig.spawn("reader", readInto(pair.right, log));
        rig.spawn("writer", writeText(pair.left, "later"));
        rig.settle();
        QCOMPARE(log, std::string("later"));
    }

    void aReadThatTimesOutIsCancelled() {
        Rig rig;
        Pair pair(rig.loop);
        std::string log;
        rig.spawn("reader", limited(readInto(pair.right, log), 5s, log));
        rig.settle();
        rig.advance(5s);
        QCOMPARE(log, std::string("timeout"));
    }

    void aComposedReadOfBeastParsesWhatTricklesIn() {
        Rig rig;
        Pair pair(rig.loop);
        std::string log;
        rig.spawn("reader", readRequest(pair.right, log));
        rig.spawn("writer", trickle(pair.left, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"));
        rig.settle();
        QCOMPARE(log, std::string("/x body"));
    }

    void aComposedReadOfBeastIsCancelledBetweenItsSteps() {
        Rig rig;
        // The interruption is tried after every number of turns, so that it falls into each step of the operation.
        for (int turns = 0; turns < 30; ++turns) {
            Pair pair(rig.loop);
            std::string log;
            ThreadRef reader = rig.spawn("reader", readRequest(pair.right, log));
            ThreadRef writer = rig.spawn("writer", trickle(pair.left, "POST /x HTTP/1.1\r\nHost: a\r\n"));
            int left = turns;
            rig.loop.meter().setObserver(nullptr);
            while (left-- > 0 && !writer->hasEnded()) {
                rig.loop.post([] {});
                rig.loop.stop();
                rig.loop.runForever();
            }
            reader->interrupt();
            rig.settle();
            QCOMPARE(reader->end(), ThreadEnd::Interrupted);
            QCOMPARE(log, std::string());
        }
    }

    void anOperationThatIgnoresItsSlotIsCancelledByHand() {
        Loop loop;
        asio::basic_waitable_timer<std::chrono::steady_clock> timer(loop.io(), 1h);
        std::string log;
        ThreadRef thread = loop.spawn("stubborn", stubborn(timer, log));
        loop.runUntilIdle();
        thread->interrupt();
        loop.run();
        QCOMPARE(thread->end(), ThreadEnd::Interrupted);
        QCOMPARE(log, std::string());
    }

    void aReadThatSucceededInSpiteOfTheInterruptionIsDelivered() {
        Rig rig;
        Pair pair(rig.loop);
        std::string log;
        ThreadRef reader = rig.spawn("reader", readInto(pair.right, log));
        rig.settle();
        QCOMPARE(::send(pair.left.native_handle(), "data", 4, 0), ssize_t{4});
        rig.loop.io().poll(); // the handler has run, the thread has not
        reader->interrupt();
        rig.settle();
        QCOMPARE(log, std::string("data"));
    }

    void fastReadersGiveWayToOthers() {
        Rig rig;
        Pair first(rig.loop), second(rig.loop);
        std::string log;
        QCOMPARE(::send(first.left.native_handle(), "xxxxxxxxxx", 10, 0), ssize_t{10});
        QCOMPARE(::send(second.left.native_handle(), "xxxxxxxxxx", 10, 0), ssize_t{10});
        rig.spawn("a", pump(first.right, 10, "a", log));
        rig.spawn("b", pump(second.right, 10, "b", log));
        rig.settle();
        QCOMPARE(log, std::string("aaaabbbbaaaaabbbbbab"));
    }

    void operationsThatCompleteInlineCountAgainstTheBudget() {
        Rig rig;
        std::string log;
        rig.spawn("a", inlineOperations(6, "a", log));
        rig.spawn("b", inlineOperations(6, "b", log));
        rig.settle();
        QCOMPARE(log, std::string("aaaabbbbaabb"));
    }

    void framesWithOperationsUnderWayAreDestroyedWithTheLoop() {
        std::string log;
        auto rig = std::make_unique<Rig>();
        auto pair = std::make_unique<Pair>(rig->loop);
        std::vector<char> into(100);
        rig->spawn("reader", readExactly(pair->right, into, log));
        rig->spawn("beast", readRequest(pair->left, log));
        rig->settle();
        pair.reset();
        rig.reset();
        QCOMPARE(log, std::string());
    }

    void socketsInFramesAreDestroyedWithTheLoop() {
        std::string log;
        {
            Rig rig;
            TcpAcceptor acceptor(rig.loop.io(), asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
            rig.spawn("client", callTcp(rig.loop, acceptor.local_endpoint(), log));
            rig.spawn("server", serveNobody(acceptor));
            for (int i = 0; i < 5; ++i) rig.settle();
            QCOMPARE(rig.loop.threadCount(), std::size_t{2});
        }
        QCOMPARE(log, std::string());
    }

    // ---- descriptors

    void aDescriptorIsWatchedAndLeavesBeforeItIsClosed() {
        Rig rig;
        int fds[2];
        QCOMPARE(::pipe2(fds, O_CLOEXEC), 0);
        std::string log;
        FdWatch watch(rig.loop, UniqueFd(fds[0]));
        rig.spawn("w", awaitReadable(watch, log));
        rig.settle();
        QCOMPARE(log, std::string());
        QCOMPARE(::write(fds[1], "x", 1), ssize_t{1});
        rig.settle();
        QCOMPARE(log, std::string("0 "));
        // Still unread, so a second wait is answered too: edges are armed again.
        rig.spawn("w", awaitReadable(watch, log));
        rig.settle();
        QCOMPARE(std::exchange(log, {}), std::string("0 0 "));
        char byte;
        QCOMPARE(::read(fds[0], &byte, 1), ssize_t{1});
        rig.spawn("w", awaitReadable(watch, log));
        rig.settle();
        // A copy, as a child between clone and exec has one, keeps the open file in the epoll set if only closed.
        const UniqueFd copy(::dup(fds[0]));
        UniqueFd released = watch.release();
        QCOMPARE(released.get(), fds[0]);
        rig.settle();
        QCOMPARE(log, fmt::format("{} ", ECANCELED));
        released.reset();
        QCOMPARE(::write(fds[1], "x", 1), ssize_t{1});
        rig.settle();
        QCOMPARE(watch.fd(), -1);
        ::close(fds[1]);
    }

    void aFileThatEpollCannotWatchIsAnError() {
        Rig rig;
        UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
        QVERIFY(file);
        FdWatch watch(rig.loop, file.get());
        std::string log;
        rig.spawn("w", awaitReadable(watch, log));
        rig.settle();
        QVERIFY(!log.empty() && log != "0 ");
    }

    // ---- processes

    void endsOfProcessesAreEvents() {
        Loop loop;
        std::string log;
        const pid_t quick = startChild("exit 3");
        const pid_t killed = startChild("kill -TERM $$");
        loop.spawn("quick", reapChild(quick, log));
        loop.run();
        loop.spawn("killed", reapChild(killed, log));
        loop.run();
        QCOMPARE(log, fmt::format("exit3 signal{} ", SIGTERM));
        QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1); // both are reaped
    }

    void anInterruptedWaitForAProcessDoesNotReapIt() {
        Loop loop;
        std::string log;
        const pid_t pid = startChild("exec sleep 1000");
        ThreadRef thread = loop.spawn("w", reapChild(pid, log));
        loop.runUntilIdle();
        thread->interrupt();
        loop.run();
        QCOMPARE(thread->end(), ThreadEnd::Interrupted);
        ::kill(pid, SIGKILL);
        QCOMPARE(::waitpid(pid, nullptr, 0), pid);
    }

    void aProcessThatIsNotOursIsAnError() {
        Loop loop;
        std::string log;
        loop.spawn("w", reapChild(::getppid(), log));
        loop.run();
        QVERIFY2(log.find("waitid") != std::string::npos || log.find("pidfd") != std::string::npos, log.c_str());
    }

    // ---- signals

    void signalsAreEventsAndAreKeptUntilAsked() {
        Loop loop;
        std::string log;
        SignalWatch watch(loop, {SIGUSR1, SIGUSR2});
        loop.spawn("s", nextSignal(watch, log));
        loop.runUntilIdle();
        QCOMPARE(::raise(SIGUSR1), 0);
        loop.run();
        QCOMPARE(::raise(SIGUSR2), 0);
        loop.runUntilIdle();
        loop.spawn("s", nextSignal(watch, log));
        loop.run();
        QCOMPARE(log, fmt::format("{} {} ", SIGUSR1, SIGUSR2));
    }

    // ---- files

    void changesOfFilesAreEvents() {
        QTemporaryDir directory;
        Rig rig;
        std::string log, other;
        auto watch = FileWatch::open(rig.loop, directory.path().toStdString(), IN_CREATE | IN_DELETE);
        auto second = FileWatch::open(rig.loop, directory.path().toStdString(), IN_DELETE);
        QVERIFY(watch && second);
        rig.spawn("w", nextChange(*watch, log));
        rig.spawn("w", nextChange(*second, other));
        rig.settle();
        touch(directory.filePath("a"));
        rig.settle();
        QCOMPARE(log, std::string("a:create "));
        QCOMPARE(other, std::string());
        QFile::remove(directory.filePath("a"));
        rig.spawn("w", nextChange(*watch, log));
        rig.settle();
        QCOMPARE(log, std::string("a:create a:delete "));
        QCOMPARE(other, std::string("a:delete "));
    }

    void changesThatNobodyTakesBecomeOneOverflow() {
        QTemporaryDir directory;
        Rig rig;
        std::string log;
        auto watch = FileWatch::open(rig.loop, directory.path().toStdString(), IN_ATTRIB);
        QVERIFY(watch);
        // Two files in turn, because inotify merges equal neighbours; attributes, because files cost the disk.
        const std::string names[] = {directory.filePath("a").toStdString(), directory.filePath("b").toStdString()};
        for (const std::string& name : names) touch(QString::fromStdString(name));
        for (std::size_t i = 0; i < 1025; ++i) QCOMPARE(::chmod(names[i % 2].c_str(), 0600), 0);
        rig.settle();
        rig.spawn("w", nextChange(*watch, log));
        rig.settle();
        QCOMPARE(log, std::string(":overflow "));
    }

    void aMissingFileIsAnError() {
        Loop loop;
        QVERIFY(!FileWatch::open(loop, "/nowhere/at/all", IN_CREATE));
    }

    void aWatchMayOutliveItsLoop() {
        QTemporaryDir directory;
        auto rig = std::make_unique<Rig>();
        auto watch = FileWatch::open(rig->loop, directory.path().toStdString(), IN_CREATE);
        QVERIFY(watch);
        rig.reset();
    }
};

QTEST_GUILESS_MAIN(TestEvents)
#include "tst_events.moc"
