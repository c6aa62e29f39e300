// What a link goes over: sockets, TLS, pipes.
#include "core/linkio/child_stream.h"
#include "core/tls/server_tls.h"
#include "tests/linkio/link_rig.h"

#include <QTemporaryDir>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>

using namespace yard;
using namespace yard::linkio;
using namespace yard::linkio::test;

namespace {

coro::Task<std::string> readText(ByteStream& stream) {
    std::array<char, 64> room;
    const std::size_t count = co_await stream.read(room);
    co_return count == 0 ? std::string("end") : std::string(room.data(), count);
}

coro::Task<std::size_t> readMuch(ByteStream& stream, std::size_t wanted) {
    std::array<char, 4096> room;
    std::size_t all = 0;
    while (all < wanted) {
        const std::size_t count = co_await stream.read(room);
        if (count == 0) break;
        all += count;
    }
    co_return all;
}

struct Pipe {
    UniqueFd reads;
    UniqueFd writes;
    Pipe() {
        std::array<int, 2> fds{};
        if (::pipe2(fds.data(), O_CLOEXEC) != 0) qFatal("pipe2");
        reads = UniqueFd(fds[0]);
        writes = UniqueFd(fds[1]);
    }
};

using Stream = std::unique_ptr<ByteStream>;

/// Both sides of a TLS connection over a socket pair; errors where there is none.
struct Secure {
    coro::test::Rig& rig;
    Ends ends;
    Result<Stream> server = fail(ErrorKind::Internal, "not begun");
    Result<Stream> client = fail(ErrorKind::Internal, "not begun");

    Secure(coro::test::Rig& theRig, const tls::ServerTls& tls, std::string fingerprint)
        : rig(theRig) {
        auto left = *socketStream(rig.loop, std::move(ends.ours));
        auto right = *socketStream(rig.loop, std::move(ends.theirs));
        auto session = *tls::Session::connect({.fingerprint = std::move(fingerprint), .host = "127.0.0.1"});
        rig.spawn("server", take(tlsStream(std::move(left), tls.accept(), 10s), server));
        rig.spawn("client", take(tlsStream(std::move(right), std::move(session), 10s), client));
        rig.settle();
    }
    static coro::Task<void> take(coro::Task<Result<Stream>> greeting, Result<Stream>& into) {
        into = co_await std::move(greeting);
    }
};

} // namespace

class TestLinkStreams : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { std::signal(SIGPIPE, SIG_IGN); }
    void socketsCarryBytesBothWays();
    void aTcpSocketKeepsLittleThatIsUnsent();
    void whatIsNoSocketIsRefused();
    void closingEndsWhatIsUnderWay();
    void pipesCarryBytesBothWays();
    void pipesThatAreClosedEnd();
    void aFileIsReadToItsEnd();
    void whatIsNoDescriptorIsRefused();
    void aProgramsStreamsCarryBytesBothWays();
    void whatAProgramWroteLastIsKept();
    void aProgramEndsWithItsStream();
    void aProgramThatIsNotThereIsRefused();
    void tlsCarriesBytesBothWays();
    void tlsRefusesAnotherKey();
    void tlsDoesNotWaitForever();
    void tlsNoticesThatTheOtherSideLeft();
};

void TestLinkStreams::socketsCarryBytesBothWays() {
    coro::test::Rig rig;
    Ends ends;
    const Stream left = *socketStream(rig.loop, std::move(ends.ours));
    const Stream right = *socketStream(rig.loop, std::move(ends.theirs));
    QVERIFY(rig.ask(left->write("hello")));
    QCOMPARE(rig.ask(readText(*right)), std::string("hello"));
    const auto much = rig.begin(readMuch(*left, 3'000'000));
    QVERIFY(rig.ask(right->write(std::string(3'000'000, 'x'))));
    rig.settle();
    QCOMPARE(**much, std::size_t(3'000'000));
}

void TestLinkStreams::aTcpSocketKeepsLittleThatIsUnsent() {
    coro::test::Rig rig;
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int fd = socket.get();
    const auto stream = socketStream(rig.loop, std::move(socket));
    QVERIFY(stream.has_value());
    int unsent = 0;
    int noDelay = 0;
    socklen_t size = sizeof unsent;
    QCOMPARE(::getsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, &size), 0);
    QCOMPARE(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &noDelay, &size), 0);
    QCOMPARE(unsent, kUnsentBytes);
    QVERIFY(noDelay != 0);
}

void TestLinkStreams::whatIsNoSocketIsRefused() {
    coro::test::Rig rig;
    Pipe pipe;
    QVERIFY(!socketStream(rig.loop, std::move(pipe.reads)));
}

void TestLinkStreams::closingEndsWhatIsUnderWay() {
    coro::test::Rig rig;
    Ends ends;
    const Stream socket = *socketStream(rig.loop, std::move(ends.ours));
    const auto read = rig.begin(readText(*socket));
    const auto write = rig.begin(socket->write(std::string(10'000'000, 'x')));
    QVERIFY(!*read && !*write);
    socket->close();
    socket->close();
    rig.settle();
    QCOMPARE(**read, std::string("end"));
    QCOMPARE(**write, false);
    QCOMPARE(rig.ask(readText(*socket)), std::string("end"));

    Pipe in;
    Pipe out;
    const Stream pipes = *descriptorStream(rig.loop, std::move(in.reads), std::move(out.writes));
    const auto readPipe = rig.begin(readText(*pipes));
    const auto writePipe = rig.begin(pipes->write(std::string(10'000'000, 'x')));
    QVERIFY(!*readPipe && !*writePipe);
    pipes->close();
    pipes->close();
    rig.settle();
    QCOMPARE(**readPipe, std::string("end"));
    QCOMPARE(**writePipe, false);
    QCOMPARE(rig.ask(readText(*pipes)), std::string("end"));
    QVERIFY(!rig.ask(pipes->write("x")));
}

void TestLinkStreams::pipesCarryBytesBothWays() {
    coro::test::Rig rig;
    Pipe there;
    Pipe back;
    const Stream left = *descriptorStream(rig.loop, std::move(back.reads), std::move(there.writes));
    const Stream right = *descriptorStream(rig.loop, std::move(there.reads), std::move(back.writes));
    QVERIFY(rig.ask(left->write("hello")));
    QCOMPARE(rig.ask(readText(*right)), std::string("hello"));
    const auto much = rig.begin(readMuch(*left, 500'000));
    QVERIFY(rig.ask(right->write(std::string(500'000, 'x'))));
    rig.settle();
    QCOMPARE(**much, std::size_t(500'000));
}

void TestLinkStreams::pipesThatAreClosedEnd() {
    coro::test::Rig rig;
    Pipe there;
    Pipe back;
    const Stream stream = *descriptorStream(rig.loop, std::move(back.reads), std::move(there.writes));
    back.writes.reset();
    there.reads.reset();
    QCOMPARE(rig.ask(readText(*stream)), std::string("end"));
    QVERIFY(!rig.ask(stream->write("hello")));
}

void TestLinkStreams::aFileIsReadToItsEnd() {
    coro::test::Rig rig;
    UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Pipe pipe;
    const auto stream = descriptorStream(rig.loop, std::move(nothing), std::move(pipe.writes));
    QVERIFY(stream.has_value());
    QCOMPARE(rig.ask(readText(**stream)), std::string("end"));
}

void TestLinkStreams::whatIsNoDescriptorIsRefused() {
    coro::test::Rig rig;
    Pipe pipe;
    const auto stream = descriptorStream(rig.loop, UniqueFd(), std::move(pipe.writes));
    QVERIFY(!stream);
    QVERIFY(stream.error().message.starts_with("wait for a descriptor of the link"));
}

void TestLinkStreams::aProgramsStreamsCarryBytesBothWays() {
    coro::test::Rig rig;
    const auto stream = *ChildStream::over(rig.loop, *startChild({"cat"}));
    QVERIFY(rig.ask(stream->write("hello")));
    QCOMPARE(rig.ask(readText(*stream)), std::string("hello"));
    stream->closeInput();
    QCOMPARE(rig.ask(readText(*stream)), std::string("end"));
    QCOMPARE(rig.ask(stream->finished(1h)).status, 0);
}

void TestLinkStreams::whatAProgramWroteLastIsKept() {
    coro::test::Rig rig;
    const auto stream = *ChildStream::over(
        rig.loop, *startChild({"sh", "-c", "head -c 100000 /dev/zero >&2; echo last >&2; exit 3"}));
    QCOMPARE(rig.ask(readText(*stream)), std::string("end"));
    const ChildEnd end = rig.ask(stream->finished(1h));
    QCOMPARE(end.status, 3);
    QCOMPARE(end.errors.size(), kKeptErrors);
    QVERIFY(end.errors.ends_with("last\n"));
    QCOMPARE(stream->lastWords(), end.errors);
}

void TestLinkStreams::aProgramEndsWithItsStream() {
    coro::test::Rig rig;
    auto stream = *ChildStream::over(rig.loop, *startChild({"sleep", "600"}));
    const pid_t pid = stream->pid();
    const auto read = rig.begin(readText(*stream));
    stream->close();
    rig.settle();
    QCOMPARE(**read, std::string("end"));
    stream.reset();
    QCOMPARE(::kill(pid, 0), -1); // its end was taken
    auto other = *ChildStream::over(rig.loop, *startChild({"sleep", "600"}));
    const auto end = rig.begin(other->finished(5s));
    QVERIFY(!*end);
    rig.advance(5s);
    QCOMPARE((**end).status, -1);
    rig.settle();
}

void TestLinkStreams::aProgramThatIsNotThereIsRefused() {
    const auto child = startChild({"/no/such/program"});
    QVERIFY(!child);
    QCOMPARE(child.error().kind, ErrorKind::NotFound);
    const auto directory = startChild({"/"});
    QVERIFY(!directory);
    QCOMPARE(directory.error().kind, ErrorKind::Io);
}

void TestLinkStreams::tlsCarriesBytesBothWays() {
    coro::test::Rig rig;
    QTemporaryDir directory;
    const auto tls = *tls::ServerTls::own((directory.path() + "/tls").toStdString());
    Secure secure(rig, *tls, tls->fingerprint());
    QVERIFY2(secure.server.has_value() && secure.client.has_value(),
             secure.client ? "" : secure.client.error().message.c_str());
    const Stream server = std::move(*secure.server);
    const Stream client = std::move(*secure.client);
    QVERIFY(rig.ask(client->write("hello")));
    QCOMPARE(rig.ask(readText(*server)), std::string("hello"));
    const auto much = rig.begin(readMuch(*client, 1'000'000));
    QVERIFY(rig.ask(server->write(std::string(1'000'000, 'x'))));
    rig.settle();
    QCOMPARE(**much, std::size_t(1'000'000));
    server->close();
    QCOMPARE(rig.ask(readText(*client)), std::string("end"));
}

void TestLinkStreams::tlsRefusesAnotherKey() {
    coro::test::Rig rig;
    QTemporaryDir directory;
    const auto tls = *tls::ServerTls::own((directory.path() + "/tls").toStdString());
    const Secure secure(rig, *tls, std::string(64, 'a'));
    QVERIFY(!secure.client);
    QVERIFY(secure.client.error().kind == ErrorKind::Invalid);
    QVERIFY(!secure.client.error().message.empty());
    QVERIFY(!secure.server);
}

void TestLinkStreams::tlsDoesNotWaitForever() {
    coro::test::Rig rig;
    QTemporaryDir directory;
    const auto tls = *tls::ServerTls::own((directory.path() + "/tls").toStdString());
    Ends ends;
    Result<Stream> stream = fail(ErrorKind::Internal, "not begun");
    rig.spawn("server",
              Secure::take(tlsStream(*socketStream(rig.loop, std::move(ends.ours)), tls->accept(), 10s), stream));
    rig.settle();
    rig.advance(11s);
    QCOMPARE(stream.error().message, std::string("The other side did not finish the handshake of TLS in time."));
    QVERIFY(isAtEnd(ends.theirs));
}

void TestLinkStreams::tlsNoticesThatTheOtherSideLeft() {
    coro::test::Rig rig;
    QTemporaryDir directory;
    const auto tls = *tls::ServerTls::own((directory.path() + "/tls").toStdString());
    Ends ends;
    ends.theirs.reset();
    Result<Stream> stream = fail(ErrorKind::Internal, "not begun");
    rig.spawn("server",
              Secure::take(tlsStream(*socketStream(rig.loop, std::move(ends.ours)), tls->accept(), 10s), stream));
    rig.settle();
    QCOMPARE(stream.error().message, std::string("The other side left before the handshake of TLS was done."));
}

QTEST_GUILESS_MAIN(TestLinkStreams)
#include "tst_streams.moc"
