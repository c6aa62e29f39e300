// Join tokens and the keys of machines: who may open a link with which, how often, and nothing else.
#include "core/base/files.h"
#include "core/http/closing.h"
#include "core/launcher/launcher.h"
#include "tests/http/linked.h"
#include "tests/http/machine_beside.h"
#include "tests/http/tls_client.h"

#include <QTemporaryDir>
#include <QTest>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

using namespace yard;
using namespace yard::http;

namespace {

const std::string kKey(48, 'a');
const std::string kOtherKey(48, 'b');

/// The engine knows no machine.
coro::Task<std::optional<std::set<std::string>>> nobody() {
    co_return std::set<std::string>();
}

struct Joining : Linked {
    explicit Joining(std::shared_ptr<tls::ServerTls> tls = {})
        : Linked(true, std::move(tls)) {}

    static std::string request(const std::string& bearer, const std::string& key) {
        return Linked::request(bearer, key.empty() ? std::string(kUpgrade)
                                                   : fmt::format("{}Yard-Machine-Key: {}\r\n", kUpgrade, key));
    }
    /// Status and sentence of what refuses a link; 101: it is open, until this returns.
    std::pair<int, std::string> knock(const std::string& bearer, const std::string& key = {}) {
        RawClient client(server->port());
        client.send(request(bearer, key));
        if (!client.receiveUntil("\r\n\r\n")) qFatal("no answer");
        if (client.rest().starts_with("HTTP/1.1 101")) {
            client.close();
            return {101, {}};
        }
        const RawAnswer answer = client.receive();
        return {answer.status, answer.body};
    }
    /// One that stays open.
    RawClient open(const std::string& bearer, const std::string& key = {}) {
        return openedBy(request(bearer, key));
    }
    boost::json::object made(const std::string& body = "{}") {
        const RawAnswer answer = call("POST", "machines/tokens", body);
        if (answer.status != 200) qFatal("no token: %s", answer.body.c_str());
        return boost::json::parse(answer.body).as_object();
    }
    std::string token(const std::string& body = "{}") { return std::string(made(body).at("token").as_string()); }
    boost::json::array tokens() {
        return boost::json::parse(call("GET", "machines/tokens").body).at("tokens").as_array();
    }
    std::int64_t used() { return tokens().at(0).at("used").as_int64(); }
};

} // namespace

class JoinTokensTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aTokenIsToldOnceAndListedWithoutItself();
    void onlyHashesAreKept();
    void itHasTheFingerprintOfAnEngineThatServesTls();
    void aUseIsCountedOnceForEachMachine();
    void aMachineComesBackWithItsKey();
    void aKeyOutlivesItsTokenAndTheEngine();
    void aKeyWhoseMachineNeverCameGoesWithItsToken();
    void itOpensTheLinkAlone();
    void withoutAKeyNobodyJoins();
    void anExpiredTokenLetsNobodyIn();
    void aTokenThatIsRemovedLetsNobodyInAndEndsNoLink();
    void aMachineWithATokenOfTheApiHasAKeyAsWell();
    void whatIsWrongIsSaid_data();
    void whatIsWrongIsSaid();
    void aFileThatCannotBeReadRefusesNobodyForGood();
    void anEngineThatEndsSendsNoMachineAway();
    void removingAMachineEndsItsKey();
    void aMachineThatIsBeingRemovedWaitsWhateverIsWrittenMeanwhile();
    void ofKeysWhoseMachinesNeverCameTheOldestGo();
};

void JoinTokensTest::ofKeysWhoseMachinesNeverCameTheOldestGo() {
    Joining linked;
    coro::HelperPool helpers(1);
    const QTemporaryDir directory;
    JoinTokens tokens(directory.filePath("machine_tokens.json").toStdString());
    const auto made = linked.engine.run(tokens.make({.uses = 1'000}, helpers));
    QVERIFY(made);
    const auto keyOf = [](std::size_t number) { return fmt::format("{:048x}", number); };
    std::optional known = std::set<std::string>{Sha256::of(keyOf(0)).hex()};
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-capturing-lambda-coroutines)
    const auto knows = [&known]() -> coro::Task<std::optional<std::set<std::string>>> { co_return known; };
    for (std::size_t number = 0; number < JoinTokens::kMostNew + 2; ++number)
        QVERIFY(linked.engine.run(tokens.enter(made->secret, false, keyOf(number), knows, helpers)));
    QVERIFY(tokens.check(keyOf(0))); // its machine came
    QVERIFY(!tokens.check(keyOf(1)));
    QVERIFY(tokens.check(keyOf(2)));
    QVERIFY(tokens.check(keyOf(JoinTokens::kMostNew + 1)));
    known.reset(); // nobody can tell whose machines came: all stay
    QVERIFY(linked.engine.run(tokens.enter(made->secret, false, keyOf(JoinTokens::kMostNew + 2), knows, helpers)));
    QVERIFY(tokens.check(keyOf(2)));
    const JoinTokens again(directory.filePath("machine_tokens.json").toStdString());
    QVERIFY(again.check(keyOf(0)));
    QVERIFY(!again.check(keyOf(1)));
    helpers.stop();
}

void JoinTokensTest::aTokenIsToldOnceAndListedWithoutItself() {
    Joining linked;
    const auto made = linked.made(R"({"uses":3,"expires_s":60,"max_cores":2})");
    QCOMPARE(made.at("id").as_int64(), 1);
    QCOMPARE(made.at("uses").as_int64(), 3);
    QCOMPARE(made.at("expires").as_int64() - made.at("created").as_int64(), 60'000'000);
    QCOMPARE(made.at("url").as_string(), "http://localhost");
    QCOMPARE(made.at("token").as_string().size(), std::size_t{48});
    const auto listed = linked.tokens();
    QCOMPARE(listed.size(), std::size_t{1});
    QCOMPARE(listed[0].at("max_cores").as_int64(), 2);
    QVERIFY(!listed[0].as_object().contains("token"));
    QCOMPARE(linked.made().at("uses").as_int64(), 1);
    QCOMPARE(linked.call("DELETE", "machines/tokens/2").status, 200);
    QCOMPARE(linked.made().at("id").as_int64(), 3); // no number is given twice
}

void JoinTokensTest::onlyHashesAreKept() {
    Joining linked;
    const std::string token = linked.token();
    QCOMPARE(linked.knock(token, kKey).first, 101);
    const auto file = readFile(linked.engine->dataDir() + std::string(JoinTokens::kFile), 1u << 20);
    QVERIFY(file);
    QVERIFY(!file->contains(token) && !file->contains(kKey));
    QVERIFY(file->contains(Sha256::of(token).hex()) && file->contains(Sha256::of(kKey).hex()));
}

void JoinTokensTest::itHasTheFingerprintOfAnEngineThatServesTls() {
    QTemporaryDir directory;
    const auto tls = *tls::ServerTls::own((directory.path() + "/tls").toStdString());
    Joining linked(tls);
    TlsClient client(linked.server->port(), tls->fingerprint());
    QVERIFY(client.send(
        fmt::format("POST /compute/machines/tokens HTTP/1.1\r\nHost: yard.test\r\nAuthorization: Bearer "
                    "{}\r\nConnection: close\r\n\r\n",
                    linked.engine->token())));
    QVERIFY(client.receiveUntil("}"));
    QVERIFY2(client.said().contains("\"forbidden\""), client.said().c_str()); // it does not go by that name
    TlsClient again(linked.server->port(), tls->fingerprint());
    QVERIFY(again.send(fmt::format("POST /compute/machines/tokens HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: "
                                   "Bearer {}\r\nConnection: close\r\n\r\n",
                                   linked.server->port(), linked.engine->token())));
    QVERIFY(again.receiveUntil("}"));
    QVERIFY2(again.said().contains("." + tls->fingerprint() + "\""), again.said().c_str());
    QVERIFY2(again.said().contains("\"url\":\"https://") && !again.said().contains("https://127."),
             again.said().c_str());
}

void JoinTokensTest::aUseIsCountedOnceForEachMachine() {
    Joining linked;
    const std::string token = linked.token(R"({"uses":2})");
    QCOMPARE(linked.knock(token, kKey).first, 101);
    QCOMPARE(linked.knock(token, kKey).first, 101); // the same machine: it did not hear the answer
    QCOMPARE(linked.used(), 1);
    QCOMPARE(linked.knock(token, kOtherKey).first, 101);
    QCOMPARE(linked.used(), 2);
    const auto [status, sentence] = linked.knock(token, std::string(48, 'c'));
    QCOMPARE(status, 401);
    QVERIFY2(sentence.contains("used up"), sentence.c_str());
    QCOMPARE(linked.knock(token, kKey).first, 101);
    QCOMPARE(linked.used(), 2);
}

void JoinTokensTest::aMachineComesBackWithItsKey() {
    Joining linked;
    const std::string token = linked.token(R"({"max_cores":2})");
    RawClient first = linked.open(token, kKey);
    QVERIFY(eventually([&] { return linked.door.begun == 1; }));
    QCOMPARE(linked.door.who.key, Sha256::of(kKey).hex());
    QCOMPARE(linked.door.who.maxCores, std::int64_t{2});
    QCOMPARE(linked.door.who.token, std::string());
    RawClient again = linked.open(kKey);
    QVERIFY(eventually([&] { return linked.door.begun == 2; }));
    QCOMPARE(linked.door.who.key, Sha256::of(kKey).hex());
    QCOMPARE(linked.door.who.maxCores, std::int64_t{2});
    QCOMPARE(linked.knock(kOtherKey).first, 401);
}

void JoinTokensTest::aKeyOutlivesItsTokenAndTheEngine() {
    Joining linked;
    QCOMPARE(linked.knock(linked.token(), kKey).first, 101);
    QVERIFY(machineComes(linked.engine, helloOfDesk(),
                         {.token = {}, .peer = "10.0.0.2", .key = Sha256::of(kKey).hex(), .mostMilliCores = 0}));
    QCOMPARE(linked.call("DELETE", "machines/tokens/1").status, 200);
    QCOMPARE(linked.knock(kKey).first, 101);
    const JoinTokens next(linked.engine->dataDir() + std::string(JoinTokens::kFile));
    QVERIFY(next.check(kKey));
    QVERIFY(!next.check(kOtherKey));
}

void JoinTokensTest::aKeyWhoseMachineNeverCameGoesWithItsToken() {
    Joining linked;
    QCOMPARE(linked.knock(linked.token(), kKey).first, 101);
    QCOMPARE(linked.knock(linked.token(), kOtherKey).first, 101);
    QCOMPARE(linked.call("DELETE", "machines/tokens/1").status, 200);
    QCOMPARE(linked.knock(kKey).first, 401);
    QCOMPARE(linked.knock(kOtherKey).first, 101); // another token let it in
    const JoinTokens next(linked.engine->dataDir() + std::string(JoinTokens::kFile));
    QVERIFY(!next.check(kKey));
    QVERIFY(next.check(kOtherKey));
}

void JoinTokensTest::itOpensTheLinkAlone() {
    Joining linked;
    const std::string token = linked.token();
    QCOMPARE(linked.knock(token, kKey).first, 101);
    for (const std::string& bearer : {token, kKey})
        for (const char* path : {"session", "machines", "machines/tokens", "jobs"}) {
            const RawAnswer answer = linked.call("GET", path, {}, bearer);
            QCOMPARE(answer.status, 403);
            QVERIFY2(answer.body.contains("opens nothing else"), answer.body.c_str());
        }
}

void JoinTokensTest::withoutAKeyNobodyJoins() {
    Joining linked;
    const std::string token = linked.token();
    QCOMPARE(linked.knock(token).first, 400);
    QCOMPARE(linked.knock(token, "short").first, 400);
    QCOMPARE(linked.used(), 0);
    QCOMPARE(linked.door.begun.load(), 0);
}

void JoinTokensTest::anExpiredTokenLetsNobodyIn() {
    Joining linked;
    const std::string token = linked.token(R"({"expires_s":1})");
    std::string sentence;
    QVERIFY(test::EngineTest::eventually([&] {
        const RawAnswer answer = exchange(linked.server->port(), linked.request(token, "short")); // takes no use
        sentence = answer.body;
        return answer.status == 401;
    }));
    QVERIFY2(sentence.contains("expired"), sentence.c_str());
}

void JoinTokensTest::aTokenThatIsRemovedLetsNobodyInAndEndsNoLink() {
    Joining linked;
    const std::string token = linked.token(R"({"uses":2})");
    RawClient client = linked.open(token, kKey);
    QVERIFY(eventually([&] { return linked.door.begun == 1; }));
    QCOMPARE(linked.call("DELETE", "machines/tokens/1").status, 200);
    QCOMPARE(linked.call("DELETE", "machines/tokens/1").status, 404);
    QCOMPARE(linked.call("DELETE", "machines/tokens/desk").status, 404);
    QCOMPARE(linked.knock(token, kOtherKey).first, 401);
    QCOMPARE(linked.door.ended.load(), 0);
}

void JoinTokensTest::aMachineWithATokenOfTheApiHasAKeyAsWell() {
    Joining linked;
    QCOMPARE(linked.knock(linked.engine->token()).first, 101); // no key, as before
    QCOMPARE(linked.knock(linked.engine->token(), "short").first, 400);
    QCOMPARE(linked.knock(kKey).first, 401);
    QCOMPARE(linked.knock(linked.engine->token(), kKey).first, 101);
    QCOMPARE(linked.knock(kKey).first, 101);
}

void JoinTokensTest::whatIsWrongIsSaid_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("no uses") << QByteArray(R"({"uses":0})");
    QTest::newRow("many uses") << QByteArray(R"({"uses":1001})");
    QTest::newRow("no time") << QByteArray(R"({"expires_s":0})");
    QTest::newRow("too long") << QByteArray(R"({"expires_s":31622401})");
    QTest::newRow("no cores") << QByteArray(R"({"max_cores":0})");
    QTest::newRow("another member") << QByteArray(R"({"name":"desk"})");
}

void JoinTokensTest::whatIsWrongIsSaid() {
    QFETCH(const QByteArray, body);
    Joining linked;
    QCOMPARE(linked.call("POST", "machines/tokens", body.toStdString()).status, 422);
    QVERIFY(linked.tokens().empty());
}

void JoinTokensTest::aFileThatCannotBeReadRefusesNobodyForGood() {
    QTemporaryDir directory;
    const std::string file = directory.path().toStdString() + "/machine_tokens.json";
    for (const char* text : {"{", "[]", R"({"tokens":[{"hash":"x"}]})", R"({"last":-1})"}) {
        QVERIFY(writeFileAtomically(file, text, 0600));
        const JoinTokens tokens(file);
        QCOMPARE(tokens.check(kKey).error().kind, ErrorKind::Io); // a 401 would end the machine
        QVERIFY(!tokens.all());
    }
}

void JoinTokensTest::anEngineThatEndsSendsNoMachineAway() {
    Joining linked;
    QCOMPARE(linked.knock(linked.token(), kKey).first, 101);
    ClosingHandler closing(linked.engine->token(), {}, {},
                           linked.engine->dataDir() + std::string(JoinTokens::kFile));
    const auto answered = [&](const std::string& bearer) {
        Request request;
        request.head.setTarget("/compute/link");
        request.head.method = Method::Get;
        request.head.addField("Authorization", "Bearer " + bearer);
        return closing.admit(request).refusal->status;
    };
    QCOMPARE(answered(kKey), 503);
    QCOMPARE(answered(kOtherKey), 401);
}

void JoinTokensTest::removingAMachineEndsItsKey() {
    Joining linked;
    QCOMPARE(linked.knock(linked.token(), kKey).first, 101);
    QVERIFY(
        machineComes(linked.engine, helloOfDesk(4'000),
                     {.token = {}, .peer = "10.0.0.2", .key = Sha256::of(kKey).hex(), .mostMilliCores = 2'000}));
    const RawAnswer shown = linked.call("GET", "machines/1");
    QVERIFY2(shown.body.contains("\"max_cores\":2"), shown.body.c_str());
    QVERIFY2(!shown.body.contains(Sha256::of(kKey).hex()), shown.body.c_str());
    QCOMPARE(linked.call("DELETE", "machines/9").status, 404);
    QCOMPARE(linked.knock(kKey).first, 101);
    QCOMPARE(linked.call("DELETE", "machines/1").status, 200);
    const auto [status, sentence] = linked.knock(kKey);
    QCOMPARE(status, 401);
    QVERIFY2(sentence.contains("may have been removed"), sentence.c_str());
}

void JoinTokensTest::aMachineThatIsBeingRemovedWaitsWhateverIsWrittenMeanwhile() {
    Joining linked;
    const std::string token = linked.token(R"({"uses":2})");
    QCOMPARE(linked.knock(token, kKey).first, 101);
    coro::HelperPool helpers(1);
    JoinTokens tokens(linked.engine->dataDir() + std::string(JoinTokens::kFile));
    const std::string hash = Sha256::of(kKey).hex();
    const auto refusal = [](const auto& answer) -> std::optional<ErrorKind> {
        return answer ? std::nullopt : std::optional(answer.error().kind);
    };
    tokens.suspend(hash, true);
    tokens.suspend(Sha256::of(kOtherKey).hex(), true); // there is no such machine
    QVERIFY(refusal(tokens.check(kKey)) == ErrorKind::Busy);
    QVERIFY(linked.engine.run(tokens.enter(token, false, kOtherKey, nobody, helpers)));
    QVERIFY(refusal(tokens.check(kKey)) == ErrorKind::Busy);
    QVERIFY(refusal(linked.engine.run(tokens.enter(token, false, kKey, nobody, helpers))) == ErrorKind::Busy);
    QVERIFY(tokens.check(kOtherKey));
    tokens.suspend(hash, false);
    QVERIFY(tokens.check(kKey));
    tokens.suspend(hash, true);
    QVERIFY(linked.engine.run(tokens.forget(hash, helpers)));
    QVERIFY(refusal(tokens.check(kKey)) == ErrorKind::Unauthorized);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    JoinTokensTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_join_tokens.moc"
