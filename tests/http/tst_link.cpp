// GET link: who may open one, what is refused with which sentence, and that bytes pass until either side or the server
// ends it.
#include "core/launcher/launcher.h"
#include "tests/http/linked.h"
#include "tests/http/tls_client.h"

#include <QTemporaryDir>
#include <QTest>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <string>
#include <string_view>

using namespace yard;
using namespace yard::http;

namespace {

struct LinkedWithTokens : Linked {
    using Linked::Linked;
    RawClient open(const std::string& token) { return openedBy(request(token)); }
    std::string makeToken(std::string_view members) {
        const RawAnswer answer = call("POST", "tokens", fmt::format("{{\"name\":\"anna\",{}}}", members));
        return std::string(boost::json::parse(answer.body).at("token").as_string());
    }
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
    LinkedWithTokens linked;
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
    LinkedWithTokens linked(true, tls);
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
    LinkedWithTokens linked;
    const RawAnswer answer = linked.ask(linked.request(linked.engine->token(), fields.toStdString()));
    QCOMPARE(answer.status, 426);
    QCOMPARE(answer.field("Upgrade"), std::string("yard-link"));
    QVERIFY(answer.body.contains("Upgrade: yard-link"));
    QCOMPARE(linked.door.begun.load(), 0);
}

void LinkRouteTest::withoutADoorItIsRefused() {
    LinkedWithTokens linked(false);
    const RawAnswer answer = linked.ask(linked.request(linked.engine->token()));
    QCOMPARE(answer.status, 501);
    QVERIFY(answer.body.contains("takes no machines yet"));
}

void LinkRouteTest::aFullDoorIsToldSo() {
    LinkedWithTokens linked;
    linked.door.full = true;
    QCOMPARE(linked.ask(linked.request(linked.engine->token())).status, 429);
    QCOMPARE(linked.door.begun.load(), 0);
}

void LinkRouteTest::onlyAnAdministratorOpensOne() {
    LinkedWithTokens linked;
    QCOMPARE(linked.ask(linked.request("wrong")).status, 401);
    const std::string operates = linked.makeToken(R"("rights":"operate")");
    QCOMPARE(linked.ask(linked.request(operates)).status, 403);
    QCOMPARE(linked.door.begun.load(), 0);
}

void LinkRouteTest::bytesBeforeTheAnswerAreRefused() {
    LinkedWithTokens linked;
    const RawAnswer answer = linked.ask(linked.request(linked.engine->token()) + "too early");
    QCOMPARE(answer.status, 400);
    QCOMPARE(linked.door.begun.load(), 0);
}

void LinkRouteTest::eitherSideMayLeave() {
    LinkedWithTokens linked;
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
    LinkedWithTokens linked;
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
    LinkedWithTokens linked;
    RawClient client = linked.open(linked.makeToken(R"("rights":"admin","expires_s":8)"));
    QVERIFY(eventually([&] { return linked.door.begun == 1; }));
    QVERIFY(client.isClosedByServer());
    QVERIFY(eventually([&] { return linked.door.ended == 1; }));
}

void LinkRouteTest::aStoppingServerEndsLinks() {
    LinkedWithTokens linked;
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
