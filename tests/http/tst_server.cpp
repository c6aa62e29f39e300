// The server against clients with and without manners, over real sockets.
#include "core/base/open_files.h"
#include "core/base/unique_fd.h"
#include "core/http/closing.h"
#include "core/http/server.h"
#include "tests/http/raw_client.h"
#include "tests/http/test_handler.h"
#include "tests/support/waiting.h"

#include <QScopeGuard>
#include <QTest>
#include <chrono>
#include <csignal>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace yard;
using namespace yard::http;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

const std::string kHello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Whether the server ends it in time, however often another byte comes.
bool endsThoughItDrips(RawClient& client, const std::string& byte) {
    return eventually([&] { return !client.send(byte) || !client.isQuiet(50); });
}

std::string post(const std::string& path, const std::string& body, const std::string& more = {}) {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

int openDescriptors() {
    int count = 0;
    DIR* dir = ::opendir("/proc/self/fd");
    while (::readdir(dir)) ++count;
    ::closedir(dir);
    return count - 3; // ".", ".." and the directory itself
}

struct Running {
    TestHandler handler;
    std::unique_ptr<Server> server;
    explicit Running(const Limits& limits = {}) {
        auto started = Server::start({.host = "127.0.0.1", .port = 0}, handler, limits);
        if (started) server = std::move(*started);
    }
    std::uint16_t port() const { return server->port(); }
};

} // namespace

class ServerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answersByTheBook_data();
    void answersByTheBook();
    void listensWhereItIsToldOrSaysWhyNot();
    void addressesAreParsed();

    void keepsTheConnectionForManyRequests();
    void answersPipelinedRequestsInOrder();
    void headHasNoBodyButItsLength();
    void http10GetsItsAnswerAndTheEnd();
    void dropsASmallBodyThatNobodyWantsAndGoesOn();
    void sendsContinueOnlyToThoseWhoAreHeard();

    void streamsAnswersInPieces();
    void cutsAnAnswerThatFailsHalfway();
    void saysSoWhenAnAnswerCannotBegin();
    void streamsUploadsOfAnySize();
    void holdsBackForAClientThatDoesNotRead();
    void refusesAHugeBodyWithoutReadingIt();
    void refusesAHugeChunkedBody();

    void closesSlowHeads();
    void closesIdleConnections();
    void closesSlowBodies();
    void limitsBodiesOfAllConnectionsTogether();
    void replacesTheIdlestConnectionAtTheCap();
    void survivesTheEndOfDescriptors();
    void clientsWaitWhileFewDescriptorsAreLeft();
    void noticesThatAWaitingClientLeft();

    void anotherTakesTheDoorWhileAnswersAreFinished();
    void stopFinishesAnswersUnderWay();
    void stopEndsWaitsWithAnAnswer();
    void stopCutsWhatTakesTooLong();
    void leavesNoDescriptorBehind();
};

void ServerTest::answersByTheBook_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("status");
    QTest::addColumn<bool>("stays");
    const auto row = [](const char* sentence, const std::string& bytes, int status, bool stays) {
        QTest::newRow(sentence) << QByteArray::fromStdString(bytes) << status << stays;
    };
    const std::string host = "Host: localhost\r\n";
    row("a GET is answered and the connection stays", kHello, 200, true);
    row("Connection: close is honoured", "GET / HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", 200, false);
    row("HTTP/1.0 closes", "GET / HTTP/1.0\r\n\r\n", 200, false);
    row("HTTP/1.0 with keep-alive stays", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, true);
    row("a body arrives whole", post("/echo", "abc"), 200, true);
    row("a chunked body arrives whole",
        "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 200, true);
    row("an answer without content", "GET /empty HTTP/1.1\r\n" + host + "\r\n", 204, true);
    row("a refusal before the body keeps the connection when the body is small", post("/refused", "abc"), 401,
        true);
    row("a refusal of a chunked body ends it",
        "POST /refused HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 401,
        false);
    row("a body over the limit", post("/echo", std::string(1001, 'a')), 413, true);
    row("a body far over the limit is not read",
        "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 1000000000\r\n\r\nabc", 413, false);
    row("a length of 2^63", "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 9223372036854775808\r\n\r\n", 413,
        false);
    row("a handler that throws", "GET /throw HTTP/1.1\r\n" + host + "\r\n", 500, true);
    row("no Host", "GET / HTTP/1.1\r\n\r\n", 400, false);
    row("not HTTP at all", "\x16\x03\x01\x02", 400, false);
    row("HTTP/9.9", "GET / HTTP/9.9\r\n" + host + "\r\n", 400, false);
    row("lengths that contradict",
        "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", 400,
        false);
    row("a length twice", "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        400, false);
    row("a bad chunk size", "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400,
        false);
    row("a long line", "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n" + host + "\r\n", 431, false);
    row("a long field", "GET / HTTP/1.1\r\n" + host + "X: " + std::string(100'000, 'a') + "\r\n\r\n", 431, false);
    row("a NUL in a field", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n"s, 400, false);
    row("an expectation that is not met",
        "POST /echo HTTP/1.1\r\n" + host + "Expect: tea\r\nContent-Length: 1\r\n\r\na", 417, true);
}

void ServerTest::answersByTheBook() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, status);
    QFETCH(bool, stays);
    Running running;
    RawClient client(running.port());
    client.send(bytes.toStdString());
    const RawAnswer answer = client.receive();
    QCOMPARE(answer.status, status);
    if (status >= 400) {
        QVERIFY(answer.body.starts_with("{\"error\":\""));
        QCOMPARE(answer.field("Content-Type"), std::string("application/json"));
    }
    if (stays) {
        QVERIFY(client.send(kHello));
        QCOMPARE(client.receive().status, 200);
    } else {
        QVERIFY(client.isClosedByServer());
        if (status != 200) QCOMPARE(answer.field("Connection"), std::string("close"));
    }
    // Whatever it was, others are served.
    QCOMPARE(exchange(running.port(), kHello).status, 200);
}

void ServerTest::listensWhereItIsToldOrSaysWhyNot() {
    Running first;
    QVERIFY(first.server);
    QVERIFY(first.port() != 0);
    QCOMPARE(first.server->url(), "http://127.0.0.1:" + std::to_string(first.port()));
    TestHandler handler;
    const auto second = Server::start({.host = "127.0.0.1", .port = first.port()}, handler);
    QVERIFY(!second);
    QCOMPARE(second.error().kind, ErrorKind::Io);
    QVERIFY(second.error().message.starts_with("cannot listen on 127.0.0.1:"));
    const auto foreign = Server::start({.host = "203.0.113.7", .port = 0}, handler);
    QVERIFY(!foreign);
    const auto six = Server::start({.host = "::1", .port = 0}, handler);
    if (six) QVERIFY((*six)->url().starts_with("http://[::1]:"));
}

void ServerTest::addressesAreParsed() {
    const auto plain = parseListenAddress("127.0.0.1:80");
    QVERIFY(plain && plain->host == "127.0.0.1" && plain->port == 80);
    const auto six = parseListenAddress("[::1]:0");
    QVERIFY(six && six->host == "::1" && six->port == 0);
    const auto name = parseListenAddress("localhost:8640");
    QVERIFY(name && name->host == "127.0.0.1");
    for (const char* wrong :
         {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:8o", "::1:80", "x y:1", ":80"})
        QVERIFY2(!parseListenAddress(wrong), wrong);
}

void ServerTest::keepsTheConnectionForManyRequests() {
    Running running;
    RawClient client(running.port());
    for (int i = 0; i < 200; ++i) {
        QVERIFY(client.send(kHello));
        QCOMPARE(client.receive().status, 200);
    }
    QCOMPARE(running.server->counters().accepted, std::uint64_t(1));
    QVERIFY(eventually([&] { return running.server->counters().requests == 200; }));
}

void ServerTest::answersPipelinedRequestsInOrder() {
    Running running;
    RawClient client(running.port());
    std::string all;
    for (int i = 0; i < 10; ++i) all += post("/echo", "request " + std::to_string(i));
    client.send(all);
    for (int i = 0; i < 10; ++i) {
        const RawAnswer answer = client.receive();
        QVERIFY(answer.body.find("request " + std::to_string(i) + "\"") != std::string::npos);
    }
    QVERIFY(client.rest().empty());
}

void ServerTest::headHasNoBodyButItsLength() {
    Running running;
    RawClient client(running.port());
    for (const char* path : {"/hello", "/sized", "/pieces"}) {
        client.send(std::string("HEAD ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const RawAnswer answer = client.receive(true);
        QCOMPARE(answer.status, 200);
        if (path != std::string("/pieces"))
            QCOMPARE(answer.field("Content-Length"), std::string(path == std::string("/sized") ? "15" : "14"));
        client.send(kHello);
        QCOMPARE(client.receive().body, std::string("{\"hello\":true}"));
    }
}

void ServerTest::http10GetsItsAnswerAndTheEnd() {
    Running running;
    const RawAnswer answer = exchange(running.port(), "GET /pieces HTTP/1.0\r\n\r\n");
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.body, std::string(15, 'x'));
    QVERIFY(answer.field("Transfer-Encoding").empty());
}

void ServerTest::dropsASmallBodyThatNobodyWantsAndGoesOn() {
    Running running;
    RawClient client(running.port());
    client.send(post("/lazy", std::string(10'000, 'a')) + kHello);
    QCOMPARE(client.receive().status, 200);
    QCOMPARE(client.receive().body, std::string("{\"hello\":true}"));
}

void ServerTest::sendsContinueOnlyToThoseWhoAreHeard() {
    Running running;
    RawClient heard(running.port());
    heard.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    QCOMPARE(heard.receive().status, 100);
    heard.send("abc");
    QCOMPARE(heard.receive().status, 200);

    RawClient refused(running.port());
    refused.send("POST /refused HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    QCOMPARE(refused.receive().status, 401);
    QVERIFY(refused.isClosedByServer()); // a body may or may not follow: nobody could tell

    RawClient large(running.port());
    large.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3000\r\n\r\n");
    QCOMPARE(large.receive().status, 413);
}

void ServerTest::streamsAnswersInPieces() {
    Running running;
    RawClient client(running.port());
    for (const char* path : {"/pieces", "/sized"}) {
        client.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const RawAnswer answer = client.receive();
        QCOMPARE(answer.status, 200);
        QCOMPARE(answer.body, std::string(15, 'x'));
    }
}

void ServerTest::cutsAnAnswerThatFailsHalfway() {
    Running running;
    RawClient client(running.port());
    client.send("GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::string all;
    for (std::string part = client.receiveSome(); !part.empty(); part = client.receiveSome()) all += part;
    QVERIFY(all.find("xxxxx") != std::string::npos);
    QVERIFY(all.find("\r\n0\r\n") == std::string::npos);
}

void ServerTest::saysSoWhenAnAnswerCannotBegin() {
    Running running;
    QCOMPARE(exchange(running.port(), "GET /unreadable HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 500);
}

void ServerTest::streamsUploadsOfAnySize() {
    Running running;
    RawClient client(running.port());
    const std::string piece(1 << 20, 'u');
    client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 33554432\r\n\r\n");
    for (int i = 0; i < 32; ++i) QVERIFY(client.send(piece));
    QCOMPARE(client.receive().body, std::string("{\"bytes\":33554432}"));

    client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 8; ++i) QVERIFY(client.send("100000\r\n" + piece + "\r\n"));
    client.send("0\r\n\r\n");
    QCOMPARE(client.receive().body, std::string("{\"bytes\":8388608}"));
}

void ServerTest::holdsBackForAClientThatDoesNotRead() {
    Limits limits;
    limits.writeStall = 2s;
    Running running(limits);
    RawClient client(running.port(), 8192);
    client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::uint64_t before = 0;
    QVERIFY(eventually([&] {
        const std::uint64_t now = running.handler.produced;
        std::this_thread::sleep_for(100ms);
        return now > 0 && now == std::exchange(before, running.handler.produced.load());
    }));
    QVERIFY(running.handler.produced < (64u << 20));
    // One that pipelines and reads nothing is not read from either.
    RawClient pipeliner(running.port(), 8192);
    const std::size_t sent = pipeliner.sendUntilFull(kHello, 256u << 20, 300);
    QVERIFY(sent < (64u << 20));
    QCOMPARE(exchange(running.port(), kHello).status, 200);
    QVERIFY(eventually([&] { return running.server->counters().open == 0; }));
}

void ServerTest::refusesAHugeBodyWithoutReadingIt() {
    Running running;
    RawClient client(running.port());
    client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\n");
    client.sendUntilFull(std::string(1 << 20, 'a'), 4u << 20, 500); // a client that sends regardless
    QCOMPARE(client.receive().status, 413);
    QCOMPARE(running.handler.handled.load(), 0);
}

void ServerTest::refusesAHugeChunkedBody() {
    Running running;
    RawClient client(running.port());
    client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "400\r\n" + std::string(1024, 'a') + "\r\n";
    client.sendUntilFull(chunk, 1u << 20, 500);
    QCOMPARE(client.receive().status, 413);
    QCOMPARE(running.handler.handled.load(), 0);
}

void ServerTest::closesSlowHeads() {
    Limits limits;
    limits.head = 300ms;
    Running running(limits);
    std::vector<std::unique_ptr<RawClient>> slow;
    for (int i = 0; i < 200; ++i) {
        slow.push_back(std::make_unique<RawClient>(running.port()));
        slow.back()->send("GET / HTTP/1.1\r\nHost: loc");
    }
    QCOMPARE(exchange(running.port(), kHello).status, 200);
    for (auto& client : slow) {
        QCOMPARE(client->receive().status, 408);
        QVERIFY(client->isClosedByServer());
    }
    // A byte now and then does not help.
    RawClient dripping(running.port());
    QVERIFY(endsThoughItDrips(dripping, "G"));
}

void ServerTest::closesIdleConnections() {
    Limits limits;
    limits.idle = 2s; // one of them sends before
    Running running(limits);
    RawClient fresh(running.port());
    RawClient used(running.port());
    used.send(kHello);
    QCOMPARE(used.receive().status, 200);
    QVERIFY(fresh.isClosedByServer());
    QVERIFY(used.isClosedByServer());
    QVERIFY(eventually([&] { return running.server->counters().open == 0; }));
}

void ServerTest::closesSlowBodies() {
    Limits limits;
    limits.bodyStall = 300ms;
    limits.bodyGrace = 600ms;
    Running running(limits);
    RawClient stalled(running.port());
    stalled.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
    QCOMPARE(stalled.receive().status, 408);
    QVERIFY(stalled.isClosedByServer());

    RawClient dripping(running.port());
    dripping.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
    QVERIFY(endsThoughItDrips(dripping, "a"));
    QCOMPARE(dripping.receive().status, 408);
    QCOMPARE(running.handler.handled.load(), 0);
}

void ServerTest::limitsBodiesOfAllConnectionsTogether() {
    Limits limits;
    limits.bodyBudget = 100'000;
    limits.bodyStall = 1h;
    limits.bodyGrace = 1h;
    Running running(limits);
    running.handler.wholeLimit = 1'000'000;
    RawClient holder(running.port());
    holder.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n" +
                std::string(80'000, 'a'));
    // It holds nearly everything; the others cannot come in, small ones that fit can.
    const std::string large = post("/echo", std::string(50'000, 'b'));
    RawAnswer answer;
    QVERIFY(eventually([&] {
        answer = exchange(running.port(), large);
        return answer.status == 429;
    }));
    QVERIFY(!answer.field("Retry-After").empty());
    QCOMPARE(exchange(running.port(), post("/echo", "small")).status, 200);
    holder.send(std::string(10'000, 'a'));
    QCOMPARE(holder.receive().status, 200);
    QCOMPARE(exchange(running.port(), large).status, 200);
}

void ServerTest::replacesTheIdlestConnectionAtTheCap() {
    Limits limits;
    limits.maxConnections = 4;
    Running running(limits);
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(std::make_unique<RawClient>(running.port()));
        clients.back()->send(kHello);
        QCOMPARE(clients.back()->receive().status, 200);
    }
    clients[0]->send(kHello); // now the second one is idle for longest
    QCOMPARE(clients[0]->receive().status, 200);
    QCOMPARE(exchange(running.port(), kHello).status, 200);
    QVERIFY(clients[1]->isClosedByServer());
    QVERIFY(clients[0]->isQuiet(0));
    QVERIFY(running.server->counters().evicted >= 1);
}

void ServerTest::survivesTheEndOfDescriptors() {
    Running running;
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<RawClient>(running.port()));
        clients.back()->send(kHello);
        QCOMPARE(clients.back()->receive().status, 200);
    }
    RawClient waiting(running.port()); // its descriptor on this side is there before they run out
    waiting.send(kHello);
    QCOMPARE(waiting.receive().status, 200);
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit tight = before;
    tight.rlim_cur = static_cast<rlim_t>(openDescriptors() + 8);
    ::setrlimit(RLIMIT_NOFILE, &tight);
    std::vector<int> filler;
    for (int fd = ::open("/dev/null", O_RDONLY); fd >= 0; fd = ::open("/dev/null", O_RDONLY)) filler.push_back(fd);
    // One descriptor for the client's side: the server has none for its own until an idle connection gives way.
    ::close(filler.back());
    filler.pop_back();
    const RawAnswer answer = exchange(running.port(), kHello);
    for (int fd : filler) ::close(fd);
    ::setrlimit(RLIMIT_NOFILE, &before);
    QCOMPARE(answer.status, 200);
    QVERIFY(running.server->counters().acceptFailures >= 1);
    QVERIFY(running.server->counters().acceptFailures < 20); // it backed off
    QVERIFY(running.server->counters().evicted >= 1);
}

/// The last ones are for the journal and for what runs.
void ServerTest::clientsWaitWhileFewDescriptorsAreLeft() {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit tight = before;
    tight.rlim_cur = 256;
    ::setrlimit(RLIMIT_NOFILE, &tight);
    const auto restored = qScopeGuard([&] { ::setrlimit(RLIMIT_NOFILE, &before); });
    std::vector<UniqueFd> filler;
    const auto left = [] {
        const OpenFiles open = openFiles().value_or(OpenFiles{});
        return open.limit - open.used;
    };
    while (left() > 140 && filler.size() < 256) filler.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Running running;
    // Each takes one here and one in the server, until 64 are left for others.
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 50; ++i) clients.push_back(std::make_unique<RawClient>(running.port()));
    QTRY_VERIFY(running.server->counters().delayed >= 1);
    QCOMPARE(running.server->counters().acceptFailures, std::uint64_t(0));
    filler.clear();
    QCOMPARE(exchange(running.port(), kHello).status, 200);
}

void ServerTest::noticesThatAWaitingClientLeft() {
    Running running;
    RawClient client(running.port());
    client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QVERIFY(eventually([&] { return running.handler.handled == 1; }));
    client.close();
    QVERIFY(eventually([&] { return running.handler.waitsEnded == 1; }));
    QVERIFY(eventually([&] { return running.server->counters().open == 0; }));
}

void ServerTest::anotherTakesTheDoorWhileAnswersAreFinished() {
    Running running;
    RawClient slow(running.port());
    slow.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QVERIFY(eventually([&] { return running.handler.handled == 1; }));
    ListeningSocket socket = running.server->handOver();
    QCOMPARE(socket.port, running.port());
    // Nobody serves now: who comes waits, and is not sent away.
    RawClient early(running.port());
    early.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ClosingHandler closing("secret", {});
    auto last = Server::startOn(std::move(socket), closing);
    QVERIFY(last.has_value());
    const RawAnswer told = early.receive();
    QCOMPARE(told.status, 503);
    QVERIFY2(told.body.contains(R"("healthy":false,"session":"sunset")"), told.body.c_str());
    QVERIFY(early.isClosedByServer());
    running.handler.maySlowAnswer = true;
    QCOMPARE(slow.receive().body, std::string(R"({"slow":true})"));
    running.server->stop();
    // Still there when the first one is not.
    const std::string host = "HTTP/1.1\r\nHost: localhost\r\n";
    RawClient head(running.port());
    head.send("HEAD /health " + host + "\r\n");
    QCOMPARE(head.receive(true).status, 503);
    QCOMPARE(exchange(running.port(), "GET /compute/jobs " + host + "\r\n").status, 401);
    const RawAnswer stopping =
        exchange(running.port(), "GET /compute/jobs " + host + "Authorization: Bearer secret\r\n\r\n");
    QCOMPARE(stopping.status, 503);
    QVERIFY2(stopping.body.contains("try again when it is back"), stopping.body.c_str());
    QCOMPARE(exchange(running.port(), "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
    QCOMPARE(exchange(running.port(),
                      "POST /compute/jobs " + host + "Authorization: Bearer secret\r\nContent-Length: 3\r\n\r\nabc")
                 .status,
             503);
    (*last)->stop();
}

void ServerTest::stopFinishesAnswersUnderWay() {
    Running running;
    RawClient busy(running.port());
    RawClient idle(running.port());
    idle.send(kHello);
    QCOMPARE(idle.receive().status, 200);
    busy.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QVERIFY(eventually([&] { return running.handler.handled == 2; }));
    std::thread stopper([&] { running.server->stop(); });
    const bool isIdleClosed = idle.isClosedByServer(); // so it has begun to stop
    running.handler.maySlowAnswer = true;
    const RawAnswer answer = busy.receive();
    stopper.join();
    QVERIFY(isIdleClosed);
    QCOMPARE(answer.body, std::string("{\"slow\":true}"));
    QCOMPARE(answer.field("Connection"), std::string("close"));
    QVERIFY(!RawClient(running.port()).isConnected());
}

void ServerTest::stopEndsWaitsWithAnAnswer() {
    Running running;
    RawClient client(running.port());
    client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QVERIFY(eventually([&] { return running.handler.handled == 1; }));
    running.server->stop();
    QCOMPARE(client.receive().status, 202);
}

void ServerTest::stopCutsWhatTakesTooLong() {
    Limits limits;
    limits.stop = 200ms;
    limits.writeStall = 1h;
    Running running(limits);
    RawClient client(running.port(), 8192);
    client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QVERIFY(eventually([&] { return running.handler.produced > 0; }));
    running.server->stop();
    QVERIFY(client.isClosedByServer());
}

void ServerTest::leavesNoDescriptorBehind() {
    const int before = openDescriptors();
    {
        Running running;
        for (int i = 0; i < 20; ++i) QCOMPARE(exchange(running.port(), kHello).status, 200);
        RawClient half(running.port());
        half.send("GET / HT");
        QVERIFY(eventually([&] { return running.server->counters().accepted == 21; }));
    }
    QCOMPARE(openDescriptors(), before);
}

QTEST_APPLESS_MAIN(ServerTest)
#include "tst_server.moc"
