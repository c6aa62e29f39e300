// Tokens for others: every route with every right, how a token is made, and how it ends.
#include "core/base/files.h"
#include "core/engine/commands/operations.h"
#include "core/http/closing.h"
#include "core/http/tokens.h"
#include "core/http/wrong_tokens.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/http/served.h"
#include "tests/http/with_tokens.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <set>
#include <sys/stat.h>

using namespace yard;
using namespace yard::http;
using namespace std::chrono_literals;

namespace {

/// A path of a route, with something in place of each part in braces.
std::string pathOf(const Route& route) {
    const RouteSpec& spec = route.spec;
    std::string path = spec.scope == Scope::Root || spec.scope == Scope::Open ? ""
                       : spec.scope == Scope::Queue                           ? "/compute/queues/0"
                                                                              : "/compute";
    if (!spec.pattern.empty()) path += "/" + std::string(spec.pattern);
    const auto put = [&path](std::string_view part, std::string_view value) {
        if (const auto at = path.find(part); at != path.npos) path.replace(at, part.size(), value);
    };
    put("{lsn}", "1");
    put("{worker}", "exec");
    put("{id}", "1");
    put("{name}", "nobody");
    put("{hash}", std::string(64, '0'));
    return path;
}

std::string rowOf(const Route& route) {
    return fmt::format("{} {}", name(route.spec.method), route.spec.pattern);
}

/// tokens.json with one token "anna", whose member is as given.
std::string tokensFile(std::string_view member, std::string_view value) {
    const auto of = [&](std::string_view known, std::string_view usual) {
        return fmt::format(R"("{}":{})", known, known == member ? value : usual);
    };
    return fmt::format(R"({{"tokens":[{{{},{},{},{},{},{}}}]}})", of("name", R"("anna")"),
                       of("rights", R"("read")"), of("hash", "\"" + Sha256::of("secret").hex() + "\""),
                       of("queues", "[]"), of("created", "1"), of("expires", "0"));
}

std::string permissionsOf(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? fmt::format("{:o}", status.st_mode & 0777) : "(none)";
}

} // namespace

class TokensTest : public WithTokens {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void everyRouteTakesEachRightAsItsRowSays_data();
    void everyRouteTakesEachRightAsItsRowSays();
    void whatOnlyReadsNeedsTheLeastRightAndFewRowsAreTheOwnersAlone();
    void aTokenIsToldOnceAndOnlyItsHashIsKept();
    void everybodyIsToldWhatTheirTokenAllows();
    void aTokenThatCannotBeMadeSaysWhy_data();
    void aTokenThatCannotBeMadeSaysWhy();
    void aNameIsTakenOnceAndThereIsALimit();
    void aTokenThatCannotBeWrittenIsNotMade();
    void aRemovedTokenIsNobodysAndItsConnectionsEnd();
    void whoRemovesTheirOwnTokenIsTold();
    void aFileThatIsNoListLeavesTheOwnerAlone_data();
    void aFileThatIsNoListLeavesTheOwnerAlone();
    void anExpiredTokenSaysSo();
    void aWatcherLeavesWithItsToken();
    void aFollowedStreamEndsWithItsToken_data();
    void aFollowedStreamEndsWithItsToken();
    void manyWrongTokensWait();
    void anEngineThatEndsKnowsThemAsWell();
};

void TokensTest::everyRouteTakesEachRightAsItsRowSays_data() {
    QTest::addColumn<int>("right");
    for (std::size_t i = 0; i < kRights; ++i) QTest::newRow(std::string(name(Right(i))).c_str()) << int(i);
}

/// A parameter that no route knows is refused before a handler is called: so nothing is done, and what is allowed is
/// told from what is not.
void TokensTest::everyRouteTakesEachRightAsItsRowSays() {
    QFETCH(int, right);
    const std::string token = made(fmt::format("each-{}", right), name(Right(right)));
    QVERIFY(!token.empty());
    for (const Route& route : allRoutes()) {
        const RouteSpec& spec = route.spec;
        const std::string body = spec.body == BodyKind::Json || spec.body == BodyKind::JsonOrParts ? "{}" : "";
        const Reply reply = as(token, name(spec.method), pathOf(route) + "?no_such_parameter=1", body);
        const bool isAllowed = spec.scope == Scope::Open || Right(right) >= rightFor(spec.needs);
        QVERIFY2(reply.status == (isAllowed ? 400 : 403),
                 fmt::format("{} {} {}", rowOf(route), reply.status, reply.body).c_str());
        if (isAllowed) {
            QVERIFY2(reply.body.contains("no_such_parameter"), reply.body.c_str());
        } else {
            QCOMPARE(reply.text("error"), std::string("forbidden"));
            QVERIFY2(reply.body.contains(fmt::format("this needs {}", name(rightFor(spec.needs)))),
                     reply.body.c_str());
        }
    }
}

void TokensTest::whatOnlyReadsNeedsTheLeastRightAndFewRowsAreTheOwnersAlone() {
    std::set<std::string> owners;
    for (const Route& route : allRoutes()) {
        const bool reads = route.spec.method == Method::Get;
        if (route.spec.needs == Needs::Admin)
            owners.insert(rowOf(route)); // a row that says nothing is one of these: give it what it needs
        else
            QVERIFY2(reads == (route.spec.needs == Needs::Read), rowOf(route).c_str());
    }
    QCOMPARE(owners, (std::set<std::string>{"GET tokens",
                                            "POST tokens",
                                            "DELETE tokens/{name}",
                                            "POST gc",
                                            "GET replays/{id}/differences",
                                            "GET recordings/{name}/actions",
                                            "GET recordings/{name}/file",
                                            "PUT recordings/{name}/file",
                                            "PATCH settings",
                                            "PATCH courtesy",
                                            "POST session/sunset",
                                            "GET link",
                                            "GET machines/tokens",
                                            "POST machines/tokens",
                                            "DELETE machines/tokens/{id}",
                                            "DELETE guests/{id}",
                                            "GET guests/link",
                                            "POST machines",
                                            "GET inside/threads",
                                            "GET inside/threads/{loop}/{number}",
                                            "POST inside/threads/{loop}/{number}/interrupt",
                                            "GET inside/latency",
                                            "GET inside/log",
                                            "PATCH inside/log",
                                            "GET inside/memory",
                                            "GET inside/caches",
                                            "POST inside/caches/{name}/empty",
                                            "GET inside/descriptors",
                                            "POST inside/profile",
                                            "POST inside/profile/start",
                                            "POST inside/profile/stop"}));
}

void TokensTest::aTokenIsToldOnceAndOnlyItsHashIsKept() {
    const Reply reply =
        api_->post("/compute/tokens", R"({"name":"anna","rights":"submit","queues":["0",0],"expires_s":3600})");
    QCOMPARE(reply.status, 200);
    const std::string token = reply.text("token");
    QCOMPARE(token.size(), std::size_t(48));
    QCOMPARE(reply.text("rights"), std::string("submit"));
    QCOMPARE(reply.json().at("queues").as_array().size(), std::size_t(1));
    QCOMPARE(reply.number("expires"), reply.number("created") + 3'600'000'000);
    const std::string file = api_->engine.path("data/tokens.json");
    const std::string kept = readFile(file).value_or("(none)");
    QVERIFY(!kept.contains(token));
    QVERIFY(kept.contains(Sha256::of(token).hex()));
    QCOMPARE(permissionsOf(file), std::string("600"));
    const Reply list = api_->get("/compute/tokens");
    QVERIFY(list.body.contains(R"("name":"anna")") && !list.body.contains(token));
    QCOMPARE(as(token, "GET", "/compute/session").status, 200);
    // The next start finds it again.
    const Tokens again("owner", file);
    const auto found = again.find(token);
    QVERIFY(found.has_value());
    QCOMPARE((*found)->name, std::string("anna"));
    QVERIFY((*found)->right == Right::Submit && (*found)->names(QueueId(0)));
    QVERIFY((*again.find("owner"))->name.empty());
}

void TokensTest::everybodyIsToldWhatTheirTokenAllows() {
    const std::int64_t queue = newQueue();
    const std::string bound = made("asks", "submit", fmt::format(R"(,"queues":[{}],"expires_s":3600)", queue));
    const Reply told = as(bound, "GET", "/compute/token");
    QCOMPARE(told.status, 200);
    QCOMPARE(told.text("name"), std::string("asks"));
    QCOMPARE(told.text("rights"), std::string("submit"));
    QCOMPARE(boost::json::serialize(told.json().at("queues")), fmt::format("[{}]", queue));
    QCOMPARE(told.number("expires"), told.number("created") + 3'600'000'000);
    QVERIFY(!told.body.contains(bound));
    const Reply reader = as(made("asks-too", "read"), "GET", "/compute/token");
    QCOMPARE(reader.text("rights"), std::string("read"));
    QVERIFY2(!reader.body.contains("queues") && !reader.body.contains("expires"), reader.body.c_str());
    QCOMPARE(api_->get("/compute/token").body, std::string(R"({"name":"","rights":"admin"})"));
}

void TokensTest::aTokenThatCannotBeMadeSaysWhy_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("field");
    const auto row = [](const char* name, const char* body, const char* field) {
        QTest::newRow(name) << QByteArray(body) << QByteArray(field);
    };
    row("no name", R"({"rights":"read"})", "name");
    row("a name with a slash", R"({"name":"a/b","rights":"read"})", "name");
    row("a name that is a number", R"({"name":7,"rights":"read"})", "name");
    row("no right", R"({"name":"x"})", "rights");
    row("no such right", R"({"name":"x","rights":"write"})", "rights");
    row("a right that is a number", R"({"name":"x","rights":1})", "rights");
    row("over at once", R"({"name":"x","rights":"read","expires_s":0})", "expires_s");
    row("valid for too long", R"({"name":"x","rights":"read","expires_s":99999999999})", "expires_s");
    row("a name of dots", R"({"name":"..","rights":"read"})", "name");
    row("no queue in the list", R"({"name":"x","rights":"submit","queues":[]})", "queues");
    row("queues that are no list", R"({"name":"x","rights":"submit","queues":7})", "queues");
    row("a queue that is none", R"({"name":"x","rights":"submit","queues":[true]})", "queues");
    row("a number below 0", R"({"name":"x","rights":"submit","queues":[-1]})", "queues");
    row("a queue that is not there", R"({"name":"x","rights":"submit","queues":[4711]})", "queues");
    row("queues of another right", R"({"name":"x","rights":"operate","queues":[0]})", "queues");
}

void TokensTest::aTokenThatCannotBeMadeSaysWhy() {
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, field);
    const Reply refused = api_->post("/compute/tokens", body.toStdString());
    QCOMPARE(refused.status, 422);
    QCOMPARE(refused.text("field"), field.toStdString());
}

void TokensTest::aNameIsTakenOnceAndThereIsALimit() {
    ApiTest api;
    const auto make = [&](const std::string& name) {
        return api.post("/compute/tokens", fmt::format(R"({{"name":"{}","rights":"read"}})", name));
    };
    QCOMPARE(make("t0").status, 200);
    const Reply again = make("t0");
    QCOMPARE(again.status, 409);
    QCOMPARE(again.text("error"), std::string("wrong_state"));
    for (std::size_t i = 1; i < kMostTokens; ++i) QCOMPARE(make(fmt::format("t{}", i)).status, 200);
    QCOMPARE(api.get("/compute/tokens").json().at("tokens").as_array().size(), kMostTokens);
    const Reply tooMany = make("more");
    QCOMPARE(tooMany.status, 409);
    QCOMPARE(tooMany.text("error"), std::string("at_limit"));
}

void TokensTest::aTokenThatCannotBeWrittenIsNotMade() {
    ApiTest api;
    const std::string file = api.engine.path("data/tokens.json");
    QCOMPARE(api.post("/compute/tokens", R"({"name":"a","rights":"read"})").status, 200);
    QCOMPARE(::unlink(file.c_str()), 0);
    // A directory in its place: the new file cannot take the name.
    QCOMPARE(::mkdir(file.c_str(), 0700), 0);
    QCOMPARE(api.post("/compute/tokens", R"({"name":"b","rights":"read"})").status, 500);
    QCOMPARE(api.call("DELETE", "/compute/tokens/a").status, 500);
    const Reply list = api.get("/compute/tokens");
    QVERIFY2(list.body.contains(R"("name":"a")") && !list.body.contains(R"("name":"b")"), list.body.c_str());
}

void TokensTest::aRemovedTokenIsNobodysAndItsConnectionsEnd() {
    const std::string file = api_->engine.path("removed.json");
    Tokens tokens("owner", file);
    coro::HelperPool helpers(1);
    const auto made = api_->engine.run(tokens.make({.name = "anna", .right = Right::Admin}, helpers));
    QVERIFY(made.has_value());
    FakeLink one, two, asking;
    Presence first, second, third;
    first.enter(*tokens.find(made->token), &one);
    second.enter(*tokens.find(made->token), &two);
    third.enter(*tokens.find(made->token), &asking);
    second.leave();
    QVERIFY(api_->engine.run(tokens.remove("anna", &asking, helpers)).has_value());
    QVERIFY(one.isCut && !two.isCut && !asking.isCut);
    QVERIFY(first.caller()->isOver());
    QCOMPARE(tokens.find(made->token).error().kind, ErrorKind::Unauthorized);
    QCOMPARE(api_->engine.run(tokens.remove("anna", nullptr, helpers)).error().kind, ErrorKind::NotFound);
    QVERIFY(!Tokens("owner", file).find(made->token).has_value());
    helpers.stop();
}

void TokensTest::whoRemovesTheirOwnTokenIsTold() {
    const std::string token = made("leaving", "admin");
    const Reply gone = as(token, "DELETE", "/compute/tokens/leaving");
    QCOMPARE(gone.status, 200);
    QCOMPARE(gone.text("name"), std::string("leaving"));
    QVERIFY(!api_->link.isCut);
    QCOMPARE(as(token, "GET", "/compute/session").status, 401);
    QCOMPARE(api_->call("DELETE", "/compute/tokens/leaving").status, 404);
}

void TokensTest::aFileThatIsNoListLeavesTheOwnerAlone_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const std::string& text) {
        QTest::newRow(name) << QByteArray::fromStdString(text);
    };
    row("no JSON", "tokens");
    row("no object", "[]");
    row("another member", R"({"names":[]})");
    row("no list", R"({"tokens":{}})");
    row("a token that is no object", R"({"tokens":[1]})");
    row("a token without members", R"({"tokens":[{}]})");
    row("an empty name", tokensFile("name", R"("")"));
    row("a name that is a number", tokensFile("name", "1"));
    row("no such right", tokensFile("rights", R"("write")"));
    row("a hash that is too short", tokensFile("hash", R"("00")"));
    row("queues that are no list", tokensFile("queues", "7"));
    row("a queue below 0", tokensFile("queues", "[-1]"));
    row("a time that is text", tokensFile("expires", R"("never")"));
}

void TokensTest::aFileThatIsNoListLeavesTheOwnerAlone() {
    QFETCH(QByteArray, text);
    const std::string file = api_->engine.path("bad.json");
    QVERIFY(writeFileAtomically(file, text.toStdString(), 0600).has_value());
    Tokens tokens("owner", file);
    QVERIFY(tokens.find("owner").has_value());
    QVERIFY(!tokens.find("secret").has_value());
    QCOMPARE(tokens.all().error().kind, ErrorKind::Io);
    coro::HelperPool helpers(1);
    QCOMPARE(api_->engine.run(tokens.make({.name = "b"}, helpers)).error().kind, ErrorKind::Io);
    QCOMPARE(api_->engine.run(tokens.remove("anna", nullptr, helpers)).error().kind, ErrorKind::Io);
    helpers.stop();
    QCOMPARE(readFile(file).value_or(""), text.toStdString());
}

void TokensTest::anExpiredTokenSaysSo() {
    const std::string file = api_->engine.path("expired.json");
    QVERIFY(writeFileAtomically(file, tokensFile("expires", "1"), 0600).has_value());
    const auto expired = Tokens("owner", file).find("secret");
    QVERIFY(!expired.has_value());
    QVERIFY2(expired.error().message.contains("\"anna\" has expired"), expired.error().message.c_str());
    QVERIFY(writeFileAtomically(file, tokensFile("expires", "0"), 0600).has_value());
    QVERIFY(Tokens("owner", file).find("secret").has_value());
}

void TokensTest::aWatcherLeavesWithItsToken() {
    Served served;
    const auto make = [&](const std::string& name, const std::string& more) {
        const std::string body = fmt::format(R"({{"name":"{}","rights":"read"{}}})", name, more);
        RawClient client(served.port());
        std::string request = WsClient::request(served.port(), served.engine->token(), "/compute/tokens",
                                                {{"Content-Type", "application/json"},
                                                 {"Content-Length", std::to_string(body.size())},
                                                 {"Upgrade", ""},
                                                 {"Connection", ""}},
                                                "POST");
        client.send(request + body);
        return std::string(boost::json::parse(client.receive().body).at("token").as_string());
    };
    WsClient removed(served.port(), make("removed", ""));
    WsClient expires(served.port(), make("expires", R"(,"expires_s":15)"));
    WsClient stays = served.connect();
    for (WsClient* client : {&removed, &expires, &stays}) QVERIFY(client->next().contains("resumed"));
    QCOMPARE(served.get("/compute/tokens/removed", {{"Upgrade", ""}, {"Connection", ""}}, "DELETE").status, 200);
    QCOMPARE(removed.closing(), std::string("ended"));
    QCOMPARE(expires.closing(), std::string("ended"));
    QVERIFY(stays.send(kEnds));
    QVERIFY(stays.nextUntil([](const boost::json::object& frame) { return frame.contains("watch"); }));
}

void TokensTest::aFollowedStreamEndsWithItsToken_data() {
    QTest::addColumn<bool>("expires");
    QTest::newRow("that is removed") << false;
    QTest::newRow("that expires") << true;
}

void TokensTest::aFollowedStreamEndsWithItsToken() {
    QFETCH(bool, expires);
    Served served;
    const std::string body =
        fmt::format(R"({{"name":"follows","rights":"read"{}}})", expires ? R"(,"expires_s":15)" : "");
    RawClient maker(served.port());
    maker.send(WsClient::request(served.port(), served.engine->token(), "/compute/tokens",
                                 {{"Content-Type", "application/json"},
                                  {"Content-Length", std::to_string(body.size())},
                                  {"Upgrade", ""},
                                  {"Connection", ""}},
                                 "POST") +
               body);
    const std::string token(boost::json::parse(maker.receive().body).at("token").as_string());
    const Lsn lsn = served.engine.sh("echo begun; exec sleep 1000");
    RawClient client(served.port());
    client.send(WsClient::request(served.port(), token, fmt::format("/compute/jobs/{}/stdout?follow=1", lsn.value),
                                  {{"Upgrade", ""}, {"Connection", ""}}));
    QVERIFY(client.receiveUntil("begun"));
    if (!expires)
        QCOMPARE(served.get("/compute/tokens/follows", {{"Upgrade", ""}, {"Connection", ""}}, "DELETE").status,
                 200);
    QVERIFY(client.isClosedByServer());
    served.engine.run(served.engine->ask(&engine::Operations::cancel, lsn));
}

void TokensTest::manyWrongTokensWait() {
    WrongTokens wrong;
    const MonoTime start = MonoClock::now();
    for (int i = 0; i < WrongTokens::kFree; ++i) QCOMPARE(wrong.note("a", start), Duration::zero());
    QCOMPARE(wrong.note("a", start), WrongTokens::kDelay);
    QCOMPARE(wrong.note("a", start + 59s), WrongTokens::kDelay);
    QCOMPARE(wrong.note("b", start), Duration::zero());
    QCOMPARE(wrong.note("a", start + 60s), Duration::zero());
    for (int i = 0; i < WrongTokens::kFree; ++i) (void)wrong.note("c", start - 1s);
    // As many others as there is room for: the oldest, "c", is forgotten.
    for (std::size_t i = 0; i + 2 < WrongTokens::kMostAddresses; ++i)
        (void)wrong.note(fmt::format("other {}", i), start);
    QCOMPARE(wrong.note("c", start), Duration::zero());

    Served served;
    for (int i = 0; i <= WrongTokens::kFree; ++i) {
        RawClient client(served.port());
        client.send(
            WsClient::request(served.port(), "wrong", "/compute/session", {{"Upgrade", ""}, {"Connection", ""}}));
        QCOMPARE(client.receive().status, 401);
    }
    QCOMPARE(served.get("/compute/session", {{"Upgrade", ""}, {"Connection", ""}}).status, 200);
}

void TokensTest::anEngineThatEndsKnowsThemAsWell() {
    const std::string file = api_->engine.path("closing.json");
    QVERIFY(writeFileAtomically(file, tokensFile("rights", R"("read")"), 0600).has_value());
    ClosingHandler closing("owner", {}, file);
    const auto answered = [&](const std::string& token) {
        Request request;
        request.head.setTarget("/compute/jobs");
        request.head.method = Method::Get;
        if (!token.empty()) request.head.addField("Authorization", "Bearer " + token);
        return closing.admit(request).refusal->status;
    };
    QCOMPARE(answered("owner"), 503);
    QCOMPARE(answered("secret"), 503);
    QCOMPARE(answered("other"), 401);
    QCOMPARE(answered(""), 401);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    TokensTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_tokens.moc"
