// The link to an engine at an address: what it tells, and that it heals by itself.
#include "tests/support/waiting.h"
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <optional>

using namespace yard::test;
using namespace yard::ui;
using namespace std::chrono_literals;

namespace {

constexpr LinkLimits kQuick{.firstPause = 20ms, .longestPause = 80ms, .patience = 20s, .mostAnswer = 1 << 20};

/// A link and all that it told.
struct Watched {
    Watched(const QUrl& address, const QByteArray& token, LinkLimits limits = kQuick)
        : link(address, token, limits) {
        QObject::connect(&link, &EngineLink::batch, &link, [this](const QJsonObject& b) { batches.append(b); });
        QObject::connect(&link, &EngineLink::refreshed, &link, [this] { ++refreshes; });
        QObject::connect(&link, &EngineLink::stateChanged, &link, [this] { states.append(link.state()); });
    }
    bool comesTo(LinkState state) {
        return QTest::qWaitFor([&] { return link.state() == state; }, yard::kWaitMs);
    }
    Answer ask(const Request& request) {
        std::optional<Answer> answer;
        link.send(request, &link, [&](const Answer& a) { answer = a; });
        if (!QTest::qWaitFor([&] { return answer.has_value(); }, yard::kWaitMs)) return {};
        return *answer;
    }
    /// Asks for the ends of all actions; true when the engine says that it tells of them. What ends before is not told.
    bool watchesEnds() {
        link.watch({{"finished", true}});
        return QTest::qWaitFor(
            [&] {
                return std::ranges::any_of(batches, [](const QJsonObject& b) { return b["watch"] == "finished"; });
            },
            yard::kWaitMs);
    }
    /// An action that is seen in a batch.
    bool tellsOf(qint64 lsn, const QString& state) {
        return QTest::qWaitFor(
            [&] {
                for (const QJsonObject& b : batches)
                    for (const QJsonValue action : b.value("actions").toArray())
                        if (action["lsn"].toInteger() == lsn && action["state"].toString() == state) return true;
                return false;
            },
            yard::kWaitMs);
    }

    AttachedLink link;
    QList<QJsonObject> batches;
    QList<LinkState> states;
    int refreshes = 0;
};

Request submitTrue() {
    return {.method = "POST", .path = "jobs", .query = {}, .body = R"({"worker":"exec","argv":["/bin/true"]})"};
}

} // namespace

class TestAttached : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(engine_.start()); }
    void aConnectionBeginsWithASnapshot();
    void requestsAreAnswered();
    void refusalsCarryTheSentenceOfTheApi();
    void anAnswerThatIsTooLongIsCutOff();
    void anAnswerForSomebodyGoneIsDropped();
    void aWrongTokenIsRefusedUntilAnotherComes();
    void whileItIsDownRequestsAreAnsweredAtOnce();
    void somethingElseAtTheAddressIsNotBelieved();
    void aCutConnectionGoesOnWhereItWas();
    void aServerThatNeverGreetsIsGivenUp();
    void anEngineThatWasKilledIsFoundAgain();

private:
    RealEngine engine_;
};

void TestAttached::aConnectionBeginsWithASnapshot() {
    Watched engine(engine_.address(), engine_.token());
    QVERIFY(engine.link.state() == LinkState::Connecting && engine.link.downSince().isValid());
    QVERIFY(engine.comesTo(LinkState::Connected));
    QVERIFY(!engine.link.downSince().isValid());
    QVERIFY(QTest::qWaitFor([&] { return !engine.batches.isEmpty(); }, yard::kWaitMs));
    QCOMPARE(engine.batches.first()["snapshot"].toBool(), true);
    QCOMPARE(engine.batches.first()["session"].toObject()["state"].toString(), "ready");
    QCOMPARE(engine.refreshes, 1);
}

void TestAttached::requestsAreAnswered() {
    Watched engine(engine_.address(), engine_.token());
    QVERIFY(engine.comesTo(LinkState::Connected));
    QVERIFY(engine.watchesEnds());
    const Answer submitted = engine.ask(submitTrue());
    QVERIFY2(submitted.ok(), qPrintable(submitted.message));
    const qint64 lsn = submitted.json["lsn"].toInteger();
    QVERIFY(engine.tellsOf(lsn, "completed"));
    const Answer listed = engine.ask(
        {.method = "GET", .path = "jobs", .query = QUrlQuery{{"q", QString("lsn:%1").arg(lsn)}}, .body = {}});
    QCOMPARE(listed.json["jobs"].toArray().size(), 1);
}

void TestAttached::refusalsCarryTheSentenceOfTheApi() {
    Watched engine(engine_.address(), engine_.token());
    QVERIFY(engine.comesTo(LinkState::Connected));
    const Answer answer = engine.ask({.method = "GET", .path = "jobs/999999999", .query = {}, .body = {}});
    QCOMPARE(answer.status, 404);
    QCOMPARE(answer.error, "not_found");
    QVERIFY2(answer.message.contains("999999999"), qPrintable(answer.message));
}

void TestAttached::anAnswerThatIsTooLongIsCutOff() {
    LinkLimits narrow = kQuick;
    narrow.mostAnswer = 16'000;
    Watched engine(engine_.address(), engine_.token(), narrow);
    QVERIFY(engine.comesTo(LinkState::Connected));
    const QByteArray array = R"({"worker":"exec","argv":["/bin/true"],"array":{"from":0,"to":199}})";
    QVERIFY(engine.ask({.method = "POST", .path = "jobs", .query = {}, .body = array}).ok());
    const Answer answer =
        engine.ask({.method = "GET", .path = "jobs", .query = QUrlQuery{{"limit", "200"}}, .body = {}});
    QCOMPARE(answer.status, 0);
    QVERIFY2(answer.message.contains("too long"), qPrintable(answer.message));
    QVERIFY(engine.ask({.method = "GET", .path = "queues", .query = {}, .body = {}}).ok());
}

void TestAttached::anAnswerForSomebodyGoneIsDropped() {
    Watched engine(engine_.address(), engine_.token());
    QVERIFY(engine.comesTo(LinkState::Connected));
    auto page = std::make_unique<QObject>();
    bool told = false;
    engine.link.send({.method = "GET", .path = "queues", .query = {}, .body = {}}, page.get(),
                     [&](const Answer&) { told = true; });
    page.reset();
    QVERIFY(engine.ask({.method = "GET", .path = "queues", .query = {}, .body = {}}).ok());
    QVERIFY(!told);
}

void TestAttached::aWrongTokenIsRefusedUntilAnotherComes() {
    Watched engine(engine_.address(), QByteArray(64, 'f'));
    QVERIFY(engine.comesTo(LinkState::Refused));
    const Answer answer = engine.ask(submitTrue());
    QCOMPARE(answer.status, 0);
    QVERIFY2(answer.message.contains("token"), qPrintable(answer.message));
    engine.link.setToken(engine_.token());
    QVERIFY(engine.comesTo(LinkState::Connected));
}

void TestAttached::whileItIsDownRequestsAreAnsweredAtOnce() {
    QTcpServer nobody; // a port that refuses
    QVERIFY(nobody.listen(QHostAddress::LocalHost));
    const quint16 port = nobody.serverPort();
    nobody.close();
    Watched engine(QStringLiteral("http://127.0.0.1:%1/compute").arg(port), "x");
    QVERIFY(engine.comesTo(LinkState::Waiting));
    const Answer answer = engine.ask(submitTrue());
    QCOMPARE(answer.status, 0);
    QVERIFY(!answer.message.isEmpty());
}

void TestAttached::somethingElseAtTheAddressIsNotBelieved() {
    QTcpServer other;
    QVERIFY(other.listen(QHostAddress::LocalHost));
    connect(&other, &QTcpServer::newConnection, &other, [&other] {
        QTcpSocket* socket = other.nextPendingConnection();
        connect(socket, &QTcpSocket::readyRead, socket, [socket] {
            socket->readAll();
            socket->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
            socket->disconnectFromHost();
        });
    });
    Watched engine(QStringLiteral("http://127.0.0.1:%1/compute").arg(other.serverPort()), "x");
    QVERIFY(engine.comesTo(LinkState::Waiting));
    QVERIFY(!engine.states.contains(LinkState::Connected));
}

void TestAttached::aCutConnectionGoesOnWhereItWas() {
    Relay relay(engine_.port());
    Watched direct(engine_.address(), engine_.token()); // keeps the engine's ring of changes
    Watched engine(relay.address(), engine_.token());
    QVERIFY(engine.comesTo(LinkState::Connected) && direct.comesTo(LinkState::Connected));
    QVERIFY(engine.watchesEnds());
    const Answer before = direct.ask(submitTrue());
    QVERIFY(engine.tellsOf(before.json["lsn"].toInteger(), "completed"));

    relay.setOpen(false);
    relay.cut();
    QVERIFY(engine.comesTo(LinkState::Waiting));
    QVERIFY(engine.link.downSince().isValid());
    const Answer meanwhile = direct.ask(submitTrue());
    direct.link.watch({{"finished", true}});
    QVERIFY(direct
                .ask({.method = "GET",
                      .path = QString("jobs/%1").arg(meanwhile.json["lsn"].toInteger()),
                      .query = QUrlQuery{{"wait", "50"}},
                      .body = {}})
                .ok());
    relay.setOpen(true);
    QVERIFY(engine.comesTo(LinkState::Connected));
    QVERIFY(engine.tellsOf(meanwhile.json["lsn"].toInteger(), "completed"));
    QCOMPARE(engine.refreshes, 1);
}

void TestAttached::aServerThatNeverGreetsIsGivenUp() {
    QTcpServer mute; // says who it is, and takes the handshake of the socket without a word
    QVERIFY(mute.listen(QHostAddress::LocalHost));
    connect(&mute, &QTcpServer::newConnection, &mute, [&mute] {
        QTcpSocket* socket = mute.nextPendingConnection();
        connect(socket, &QTcpSocket::readyRead, socket, [socket] {
            if (socket->readAll().contains("/session"))
                socket->write("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"run_id\":\"a\"}");
        });
    });
    Watched engine(QStringLiteral("http://127.0.0.1:%1/compute").arg(mute.serverPort()), "x",
                   {.firstPause = 20ms, .longestPause = 80ms, .patience = 200ms, .mostAnswer = 1 << 20});
    QVERIFY(engine.comesTo(LinkState::Waiting));
    QVERIFY(!engine.states.contains(LinkState::Connected));
}

void TestAttached::anEngineThatWasKilledIsFoundAgain() {
    Watched engine(engine_.address(), engine_.token());
    QVERIFY(engine.comesTo(LinkState::Connected));
    engine_.kill();
    QVERIFY(engine.comesTo(LinkState::Waiting));
    QVERIFY(engine_.start());
    QVERIFY(engine.comesTo(LinkState::Connected));
    QCOMPARE(engine.refreshes, 2);
    QVERIFY(engine.ask(submitTrue()).ok());
}

QTEST_GUILESS_MAIN(TestAttached)
#include "tst_attached.moc"
