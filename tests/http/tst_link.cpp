// GET link: who may open one, what is refused with which sentence, and that bytes pass until either side or the server
// ends it.
#include "core/http/api.h"
#include "core/http/link_door.h"
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "core/tls/server_tls.h"
#include "tests/engine/engine_test.h"
#include "tests/http/raw_client.h"
#include "tests/http/tls_client.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

using namespace yard;
using namespace yard::http;

namespace {

/// Sends back what comes.
class EchoDoor final : public LinkDoor {
public:
    bool isFull() const override { return full; }
    coro::Task<void> serve(linkio::ByteStream& stream, LinkOpener opener) override {
        who = std::move(opener);
        ++begun;
        std::array<char, 65536> room;
        for (;;) {
            const std::size_t count = co_await stream.read(room);
            if (count == 0) break;
            const bool written = co_await stream.write({room.data(), count});
            if (!written || std::string_view(room.data(), count) == "close") break;
        }
        ++ended;
    }

    std::atomic<bool> full{false};
    LinkOpener who; ///< to be read once it has begun
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
};

struct Linked {
    explicit Linked(bool hasDoor = true, std::shared_ptr<tls::ServerTls> tls = {}) {
        ApiOptions options;
        options.links = hasDoor ? &door : nullptr;
        options.tls = tls;
        api = std::make_unique<Api>(*engine, options);
        auto started = Server::start({"127.0.0.1", 0}, *api, {}, std::move(tls));
        if (!started) qFatal("no server: %s", started.error().message.c_str());
        server = std::move(*started);
    }
    ~Linked() { server->stop(); }

    std::string request(const std::string& token,
                        std::string_view fields = "Connection: Upgrade\r\nUpgrade: yard-link\r\n") {
        return fmt::format("GET /compute/link HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n{}\r\n",
                           token, fields);
    }
    RawAnswer ask(const std::string& bytes) { return exchange(server->port(), bytes); }
    /// One that is open.
    RawClient open(const std::string& token) {
        RawClient client(server->port());
        client.send(request(token));
        if (!client.receiveUntil("\r\n\r\n")) qFatal("no answer");
        return client;
    }
    std::string makeToken(std::string_view members) {
        const std::string body = fmt::format("{{\"name\":\"anna\",{}}}", members);
        const RawAnswer answer =
            ask(fmt::format("POST /compute/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n"
                            "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                            engine->token(), body.size(), body));
        return std::string(boost::json::parse(answer.body).at("token").as_string());
    }

    test::EngineTest engine{1};
    EchoDoor door;
    std::unique_ptr<Api> api;
    std::unique_ptr<Server> server;
};

} // namespace

class LinkRouteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bytesPassBothWays();
    void bytesPassByTls();
    void whatIsNoUpgradeIsToldHow_data();
    void whatIsNoUpgradeIsToldHow();
    void withoutADoorItIsRefused();
    void aFullDoorIsToldSo();
    void onlyAnAdministratorOpensOne();
    void bytesBeforeTheAnswerAreRefused();
    void eitherSideMayLeave();
    void aTokenThatIsRemovedEndsItsLink();
    void aTokenThatExpiresEndsItsLink();
    void aStoppingServerEndsLinks();
};

void LinkRouteTest::bytesPassBothWays() {
    Linked linked;
    RawClient client = linked.open(linked.engine->token());
    QVERIFY(client.rest().starts_with("HTTP/1.1 101 Switching Protocols\r\n"));
    QVERIFY(client.rest().contains("\r\nUpgrade: yard-link\r\n"));
    QVERIFY(client.send("hello"));
    QVERIFY(client.receiveUntil("\r\n\r\nhello"));
    QVERIFY(client.send(std::string(30'000, 'x') + "end"));
    QVERIFY(client.receiveUntil("xend"));
    QVERIFY(linked.door.who.token.empty());
    QCOMPARE(linked.door.who.peer, std::string("127.0.0.1"));
}

void LinkRouteTest::bytesPassByTls() {
    QTemporaryDir directory;
    const auto tls = *tls::ServerTls::own((directory.path() + "/tls").toStdString());
    Linked linked(true, tls);
    TlsClient client(linked.server->port(), tls->fingerprint());
    QVERIFY(client.send(linked.request(linked.engine->token())));
    QVERIFY(client.receiveUntil("\r\n\r\n"));
    QVERIFY(client.said().starts_with("HTTP/1.1 101 "));
    QVERIFY(client.send(std::string(30'000, 'x') + "end"));
    QVERIFY(client.receiveUntil("xend"));
    QVERIFY(client.send("close"));
    QVERIFY(client.isToldGoodbye());
}

void LinkRouteTest::whatIsNoUpgradeIsToldHow_data() {
    QTest::addColumn<QByteArray>("fields");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("another protocol") << QByteArray("Connection: Upgrade\r\nUpgrade: websocket\r\n");
    QTest::newRow("no Connection") << QByteArray("Upgrade: yard-link\r\n");
    QTest::newRow("a longer word") << QByteArray("Connection: Upgrade\r\nUpgrade: yard-links\r\n");
}

void LinkRouteTest::whatIsNoUpgradeIsToldHow() {
    QFETCH(QByteArray, fields);
    Linked linked;
    const RawAnswer answer = linked.ask(linked.request(linked.engine->token(), fields.toStdString()));
    QCOMPARE(answer.status, 426);
    QCOMPARE(answer.field("Upgrade"), std::string("yard-link"));
    QVERIFY(answer.body.contains("Upgrade: yard-link"));
    QCOMPARE(linked.door.begun.load(), 0);
}

void LinkRouteTest::withoutADoorItIsRefused() {
    Linked linked(false);
    const RawAnswer answer = linked.ask(linked.request(linked.engine->token()));
    QCOMPARE(answer.status, 501);
    QVERIFY(answer.body.contains("takes no machines yet"));
}

void LinkRouteTest::aFullDoorIsToldSo() {
    Linked linked;
    linked.door.full = true;
    QCOMPARE(linked.ask(linked.request(linked.engine->token())).status, 429);
    QCOMPARE(linked.door.begun.load(), 0);
}

void LinkRouteTest::onlyAnAdministratorOpensOne() {
    Linked linked;
    QCOMPARE(linked.ask(linked.request("wrong")).status, 401);
    const std::string operates = linked.makeToken(R"("rights":"operate")");
    QCOMPARE(linked.ask(linked.request(operates)).status, 403);
    QCOMPARE(linked.door.begun.load(), 0);
}

void LinkRouteTest::bytesBeforeTheAnswerAreRefused() {
    Linked linked;
    const RawAnswer answer = linked.ask(linked.request(linked.engine->token()) + "too early");
    QCOMPARE(answer.status, 400);
    QCOMPARE(linked.door.begun.load(), 0);
}

void LinkRouteTest::eitherSideMayLeave() {
    Linked linked;
    RawClient client = linked.open(linked.engine->token());
    client.send("close");
    QVERIFY(client.isClosedByServer());
    QVERIFY(eventually([&] { return linked.door.ended == 1; }));
    RawClient other = linked.open(linked.engine->token());
    other.close();
    QVERIFY(eventually([&] { return linked.door.ended == 2; }));
    QVERIFY(eventually([&] { return linked.server->counters().open == 0; }));
}

void LinkRouteTest::aTokenThatIsRemovedEndsItsLink() {
    Linked linked;
    const std::string token = linked.makeToken(R"("rights":"admin")");
    RawClient client = linked.open(token);
    QVERIFY(eventually([&] { return linked.door.begun == 1; }));
    QCOMPARE(linked.door.who.token, std::string("anna"));
    const RawAnswer removed = linked.ask(fmt::format("DELETE /compute/tokens/anna HTTP/1.1\r\nHost: localhost\r\n"
                                                     "Authorization: Bearer {}\r\n\r\n",
                                                     linked.engine->token()));
    QCOMPARE(removed.status, 200);
    QVERIFY(client.isClosedByServer());
    QVERIFY(eventually([&] { return linked.door.ended == 1; }));
}

void LinkRouteTest::aTokenThatExpiresEndsItsLink() {
    Linked linked;
    RawClient client = linked.open(linked.makeToken(R"("rights":"admin","expires_s":8)"));
    QVERIFY(eventually([&] { return linked.door.begun == 1; }));
    QVERIFY(client.isClosedByServer());
    QVERIFY(eventually([&] { return linked.door.ended == 1; }));
}

void LinkRouteTest::aStoppingServerEndsLinks() {
    Linked linked;
    RawClient client = linked.open(linked.engine->token());
    QVERIFY(eventually([&] { return linked.door.begun == 1; }));
    linked.server->stop();
    QCOMPARE(linked.door.ended.load(), 1);
    QVERIFY(client.isClosedByServer());
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    LinkRouteTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_link.moc"
