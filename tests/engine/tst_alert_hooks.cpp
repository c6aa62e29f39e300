// Webhooks over real sockets: what is sent, answers that are none, redirections that are followed and that are not, a server
// that hangs; with a clock that the test moves.
#include "core/engine/alerts/hook_client.h"
#include "tests/coro/coro_test.h"
#include "tests/engine/hook_server.h"

#include <QTest>

#include <fmt/format.h>
#include <optional>
#include <string>

using namespace yard;
using namespace yard::engine;
using yard::engine::test::HookServer;

class TestEngineAlertHooks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aMessageIsPosted();
    void anotherStatusIsAFailure_data();
    void anotherStatusIsAFailure();
    void aRedirectionToItsOriginIsFollowed();
    void aRedirectionElsewhereIsRefused();
    void aRedirectionWhereItMayIsFollowed();
    void endlessRedirectionsEnd();
    void aServerThatHangsIsLeftWhenTheTimeIsOver();
    void aServerThatIsNotThereIsAFailure();

private:
    struct Bench {
        coro::test::Rig rig;
        coro::HelperPool helpers{1};
        ~Bench() { rig.loop.shutdown(); }

        coro::Task<Result<int>> send(const std::string& url, const std::string& allowed = {}) {
            return sendHook(rig.loop, helpers,
                            {.url = *alerts::parseUrl(url), .body = R"({"a":1})", .allowed = allowed},
                            Duration(10'000'000));
        }
        std::string outcome(const std::string& url, const std::string& allowed = {}) {
            const auto sent = rig.ask(send(url, allowed));
            return sent ? std::to_string(*sent) : sent.error().message;
        }
    };
};

void TestEngineAlertHooks::aMessageIsPosted() {
    HookServer server([](const std::string&) { return HookServer::status(204); });
    Bench bench;
    QCOMPARE(bench.outcome(server.url("/x?y=1")), std::string("204"));
    const std::string request = server.requests().at(0);
    QVERIFY(request.starts_with("POST /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:"));
    QVERIFY(request.find("Content-Type: application/json\r\n") != std::string::npos);
    QVERIFY(request.ends_with("\r\n\r\n{\"a\":1}"));
}

void TestEngineAlertHooks::anotherStatusIsAFailure_data() {
    QTest::addColumn<QString>("answer");
    QTest::addColumn<QString>("words");
    QTest::newRow("500") << QString::fromStdString(HookServer::status(500)) << "answers 500.";
    QTest::newRow("404") << QString::fromStdString(HookServer::status(404)) << "answers 404.";
    QTest::newRow("303") << QString::fromStdString(HookServer::status(303)) << "answers 303.";
    QTest::newRow("no HTTP") << "220 mail.example ESMTP\r\n\r\n" << "answers something that is no HTTP.";
    QTest::newRow("nothing") << "" << "ended the connection without an answer.";
    QTest::newRow("a long head") << "HTTP/1.1 200 OK\r\nX: " + QString(40'000, 'x')
                                 << "answers something that is no HTTP.";
    QTest::newRow("nowhere") << QString::fromStdString(HookServer::status(307, "Location: ftp://x/\r\n"))
                             << "redirects to something that is no address.";
}

void TestEngineAlertHooks::anotherStatusIsAFailure() {
    QFETCH(QString, answer);
    QFETCH(QString, words);
    HookServer server([text = answer.toStdString()](const std::string&) { return std::optional(text); });
    Bench bench;
    const std::string outcome = bench.outcome(server.url());
    QVERIFY2(outcome.ends_with(" " + words.toStdString()), outcome.c_str());
}

void TestEngineAlertHooks::aRedirectionToItsOriginIsFollowed() {
    HookServer server([](const std::string& request) {
        return HookServer::status(request.starts_with("POST /there") ? 200 : 308, "Location: /there\r\n");
    });
    Bench bench;
    QCOMPARE(bench.outcome(server.url()), std::string("200"));
    QVERIFY(server.requests().at(1).ends_with("{\"a\":1}"));
}

void TestEngineAlertHooks::aRedirectionElsewhereIsRefused() {
    HookServer other([](const std::string&) { return HookServer::status(200); }, "127.0.0.2");
    HookServer server(
        [&](const std::string&) { return HookServer::status(307, fmt::format("Location: {}\r\n", other.url())); });
    Bench bench;
    const std::string outcome = bench.outcome(server.url());
    QVERIFY2(outcome.find("redirects to 127.0.0.2:") != std::string::npos, outcome.c_str());
    QVERIFY(outcome.ends_with("which webhook_allow does not name."));
    QVERIFY(other.requests().empty());
}

void TestEngineAlertHooks::aRedirectionWhereItMayIsFollowed() {
    HookServer other([](const std::string&) { return HookServer::status(200); }, "127.0.0.2");
    HookServer server([&](const std::string&) {
        return HookServer::status(302, fmt::format("Location: {}\r\n", other.url("/x")));
    });
    Bench bench;
    QCOMPARE(bench.outcome(server.url(), "hooks.example 127.0.0.0/24"), std::string("200"));
    QVERIFY(other.requests().at(0).starts_with("POST /x "));
}

void TestEngineAlertHooks::endlessRedirectionsEnd() {
    HookServer server([](const std::string&) { return HookServer::status(307, "Location: /again\r\n"); });
    Bench bench;
    QVERIFY(bench.outcome(server.url()).ends_with("redirects too often."));
    QCOMPARE(server.requests().size(), std::size_t(kMostRedirects + 1));
}

void TestEngineAlertHooks::aServerThatHangsIsLeftWhenTheTimeIsOver() {
    HookServer server([](const std::string&) { return std::optional<std::string>(); });
    Bench bench;
    const auto answer = bench.rig.begin(bench.send(server.url()));
    QVERIFY(QTest::qWaitFor(
        [&] {
            bench.rig.settle();
            return !server.requests().empty();
        },
        kWaitMs));
    QVERIFY(!answer->has_value());
    bench.rig.advance(Duration(10'000'000));
    QVERIFY(answer->has_value());
    QVERIFY((*answer)->error().message.ends_with("does not answer within 10 s."));
}

void TestEngineAlertHooks::aServerThatIsNotThereIsAFailure() {
    std::string url;
    {
        const HookServer server([](const std::string&) { return HookServer::status(200); });
        url = server.url();
    }
    Bench bench;
    QVERIFY(bench.outcome(url).find("cannot be reached") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestEngineAlertHooks)
#include "tst_alert_hooks.moc"
