// The server by TLS, over real sockets: requests, long answers, watchers, and clients that break the rules.
#include "core/base/files.h"
#include "core/http/auth.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"
#include "tests/http/test_handler.h"
#include "tests/http/tls_client.h"
#include "tests/http/ws_client.h"

#include "core/http/api.h"
#include "core/http/server.h"

#include <QTest>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace yard;
using namespace yard::http;
using namespace std::chrono_literals;

namespace {

const std::string kHello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string post(const std::string& path, const std::string& body) {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

struct RunningTls {
    QTemporaryDir dir;
    std::shared_ptr<tls::ServerTls> tls;
    TestHandler handler;
    std::unique_ptr<Server> server;

    explicit RunningTls(const Limits& limits = {}, bool fromFiles = false) {
        const std::string own = dir.path().toStdString() + "/tls";
        auto made = tls::ServerTls::own(own);
        if (made && fromFiles)
            made = tls::ServerTls::of({.certificate = own + "/certificate.pem", .key = own + "/key.pem"});
        if (!made) qFatal("no TLS: %s", made.error().message.c_str());
        tls = std::move(*made);
        auto started = Server::start({.host = "127.0.0.1", .port = 0}, handler, limits, tls);
        if (!started) qFatal("no server: %s", started.error().message.c_str());
        server = std::move(*started);
    }
    ~RunningTls() { server->stop(); }
    TlsClient client() const { return {server->port(), tls->fingerprint()}; }
};

/// A text frame of a client, masked with zeros.
std::string frameOf(std::string_view text) {
    std::string bytes{"\x81"};
    bytes += static_cast<char>(0x80 | text.size());
    bytes += std::string(4, '\0');
    return bytes + std::string(text);
}

} // namespace

class TlsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void requestsAreAnswered();
    void largeBodiesPassBothWays();
    void theServerSaysGoodbye();
    void plainHttpGetsASentence();
    void whatIsNoHandshakeIsCut();
    void whoDoesNotTrustItLeavesAndOthersAreServed();
    void whoIsSilentIsCut();
    void silentHandshakesKeepNobodyWaiting();
    void handshakesHaveTheirTurns();
    void aStopDoesNotWaitForAHandshake();
    void aWaitingClientThatLeavesIsNoticed_data();
    void aWaitingClientThatLeavesIsNoticed();
    void aReplacedCertificateIsShown();
    void watchersAreTold();
    void pagesComeByTlsAsWell();
    void addressesOfThisMachineAreKnown();
};

void TlsTest::requestsAreAnswered() {
    RunningTls running;
    QVERIFY(running.server->url().starts_with("https://127.0.0.1:"));
    TlsClient client = running.client();
    QVERIFY(client.isOpen());
    for (int i = 0; i < 3; ++i) QVERIFY(client.send(kHello));
    QVERIFY(client.send(post("/echo", "abc")));
    QVERIFY(client.receiveUntil(R"({"bytes":3,"text":"abc"})"));
    QVERIFY(eventually([&] { return running.server->counters().requests == 4; }));
}

void TlsTest::largeBodiesPassBothWays() {
    RunningTls running;
    running.handler.wholeLimit = 1'000'000;
    TlsClient client = running.client();
    QVERIFY(client.send(post("/upload", std::string(3'000'000, 'x'))));
    QVERIFY(client.receiveUntil(R"({"bytes":3000000})"));
    QVERIFY(client.send(post("/echo", std::string(900'000, 'y'))));
    QVERIFY(client.receiveUntil(R"({"bytes":900000,)"));
    QVERIFY(client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    QVERIFY(client.receiveUntil(std::string(65'536, 'x')));
}

void TlsTest::theServerSaysGoodbye() {
    RunningTls running;
    TlsClient client = running.client();
    QVERIFY(client.send("GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
    QVERIFY(client.isToldGoodbye());
    QVERIFY(client.said().ends_with(R"({"hello":true})"));
}

void TlsTest::plainHttpGetsASentence() {
    RunningTls running;
    RawClient client(running.server->port());
    client.send(kHello);
    const RawAnswer answer = client.receive();
    QCOMPARE(answer.status, 400);
    QVERIFY2(answer.body.contains("use https:// here"), answer.body.c_str());
    QVERIFY(client.isClosedByServer());
}

void TlsTest::whatIsNoHandshakeIsCut() {
    RunningTls running;
    RawClient client(running.server->port());
    client.send("\x16 and then nothing that is TLS, for longer than a header is");
    QVERIFY(client.isClosedByServer());
    QVERIFY(running.client().isOpen());
}

void TlsTest::whoDoesNotTrustItLeavesAndOthersAreServed() {
    RunningTls running;
    TlsClient doubtful(running.server->port(), std::string(64, '0'));
    QVERIFY(!doubtful.isOpen());
    QVERIFY(doubtful.session().isMistrusted());
    QCOMPARE(doubtful.session().peerFingerprint(), running.tls->fingerprint());
    TlsClient client = running.client();
    QVERIFY(client.send(kHello));
    QVERIFY(client.receiveUntil(R"({"hello":true})"));
}

void TlsTest::whoIsSilentIsCut() {
    Limits limits;
    limits.handshake = 100ms;
    RunningTls running(limits);
    RawClient client(running.server->port());
    QVERIFY(client.isClosedByServer());
    QVERIFY(eventually([&] { return running.server->counters().open == 0; }));
}

void TlsTest::silentHandshakesKeepNobodyWaiting() {
    Limits limits;
    limits.handshakes = 1;
    limits.handshake = 1h;
    RunningTls running(limits);
    RawClient silent(running.server->port());
    RawClient begun(running.server->port());
    begun.send(std::string("\x16\x03\x01\x02\x00\x01", 6)); // a record of 512 bytes, and the first of them
    QVERIFY(eventually([&] { return running.server->counters().open == 2; }));
    TlsClient client = running.client();
    QVERIFY(client.send(kHello));
    QVERIFY(client.receiveUntil(R"({"hello":true})"));
    QVERIFY(silent.isQuiet(0) && begun.isQuiet(0));
}

void TlsTest::handshakesHaveTheirTurns() {
    Limits limits;
    limits.handshakes = 1;
    RunningTls running(limits);
    constexpr int kClients = 8;
    std::atomic<int> greeted = 0;
    {
        std::vector<std::jthread> clients;
        for (int i = 0; i < kClients; ++i) clients.emplace_back([&] { greeted += running.client().isOpen(); });
    }
    QCOMPARE(greeted.load(), kClients);
}

void TlsTest::aStopDoesNotWaitForAHandshake() {
    Limits limits;
    limits.handshake = 1h;
    limits.stop = 1h;
    RunningTls running(limits);
    RawClient client(running.server->port());
    QVERIFY(eventually([&] { return running.server->counters().open == 1; }));
    running.server->stop();
    QVERIFY(client.isClosedByServer());
}

void TlsTest::aWaitingClientThatLeavesIsNoticed_data() {
    QTest::addColumn<bool>("politely");
    QTest::newRow("with a goodbye") << true;
    QTest::newRow("without") << false;
}

void TlsTest::aWaitingClientThatLeavesIsNoticed() {
    QFETCH(bool, politely);
    RunningTls running;
    TlsClient client = running.client();
    QVERIFY(client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    QVERIFY(eventually([&] { return running.handler.handled == 1; }));
    if (politely)
        client.sayGoodbye();
    else
        client.raw().close();
    QVERIFY(eventually([&] { return running.handler.waitsEnded == 1; }));
}

void TlsTest::aReplacedCertificateIsShown() {
    Limits limits;
    limits.certificate = 10ms;
    RunningTls running(limits, true);
    const std::string before = running.tls->fingerprint();
    TlsClient old = running.client();
    QVERIFY(old.isOpen());
    const std::string own = running.dir.path().toStdString() + "/tls";
    const auto other = tls::Identity::own(running.dir.path().toStdString() + "/other");
    QVERIFY(other.has_value());
    for (const char* file : {"/key.pem", "/certificate.pem"}) {
        const auto text = readFile(running.dir.path().toStdString() + "/other" + file);
        QVERIFY(text && writeFileAtomically(own + file, *text, 0600));
    }
    QVERIFY(eventually([&] { return running.tls->fingerprint() == other->fingerprint(); }));
    QVERIFY(running.client().isOpen());
    QVERIFY(!TlsClient(running.server->port(), before).isOpen());
    // Who was there goes on.
    QVERIFY(old.send(kHello));
    QVERIFY(old.receiveUntil(R"({"hello":true})"));
}

void TlsTest::watchersAreTold() {
    test::EngineTest engine;
    auto made = tls::ServerTls::own(engine.path("tls"));
    QVERIFY(made.has_value());
    ApiOptions options;
    options.tls = *made;
    Api api(*engine, std::move(options));
    auto started = Server::start({.host = "127.0.0.1", .port = 0}, api, {}, *made);
    QVERIFY(started.has_value());
    Server& server = **started;
    TlsClient asks(server.port(), (*made)->fingerprint());
    QVERIFY(asks.send(WsClient::request(server.port(), engine->token(), "/compute/session",
                                        {{"Upgrade", ""}, {"Connection", ""}})));
    QVERIFY(asks.receiveUntil(R"("fingerprint":")" + (*made)->fingerprint()));
    TlsClient watcher(server.port(), (*made)->fingerprint());
    QVERIFY(watcher.send(WsClient::request(server.port(), engine->token(), "/compute/events")));
    QVERIFY(watcher.receiveUntil("101 Switching Protocols"));
    QVERIFY(watcher.receiveUntil(R"("resumed":false)"));
    QVERIFY(watcher.send(frameOf(R"({"watch":{"finished":true}})")));
    QVERIFY(watcher.receiveUntil(R"("watch":)"));
    const Lsn lsn = engine.sh("true");
    QVERIFY(watcher.receiveUntil(fmt::format(R"("lsn":{},)", lsn.value)));
    server.stop();
}

void TlsTest::pagesComeByTlsAsWell() {
    const Gate gate("secret", {});
    RequestHead head;
    head.setTarget("/");
    head.addField("Host", "localhost:8640");
    head.addField("Origin", "https://localhost:8640");
    QVERIFY(!gate.checkPlace(head, 8640, true));
    QVERIFY(gate.checkPlace(head, 8640, false).has_value());
    QVERIFY(gate.checkPlace(head, 443, true).has_value());
    RequestHead usual;
    usual.setTarget("/");
    usual.addField("Origin", "https://localhost");
    QVERIFY(!gate.checkPlace(usual, 443, true));
}

void TlsTest::addressesOfThisMachineAreKnown() {
    for (const char* own : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"})
        QVERIFY2(isLoopback(*parseListenAddress(own)), own);
    for (const char* other : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1"})
        QVERIFY2(!isLoopback(*parseListenAddress(other)), other);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    TlsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_tls.moc"
