// Tokens for others: every route with every right, how a token is made, and how it ends.
#include "core/base/files.h"
#include "core/engine/commands/operations.h"
#include "core/http/audit.h"
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
    void everyRowThatChangesSomethingIsInTheAudit();
    void theAuditSaysWhoDidWhatFromWhereWithWhichResult();
    void theAuditIsReadInPagesAndPassesOverDamage();
    void theAuditHasItsLimits();
    void whatTheAuditCannotBeAskedForIsRefused_data();
    void whatTheAuditCannotBeAskedForIsRefused();
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
    QCOMPARE(owners, (std::set<std::string>{"GET audit",
                                            "GET tokens",
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
                                            "POST allocators",
                                            "PATCH allocators/{name}",
                                            "DELETE allocators/{name}",
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
                                            "POST inside/dump",
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

/// What is left out is said by name, so that each new row is decided on.
void TokensTest::everyRowThatChangesSomethingIsInTheAudit() {
    std::set<std::string> leftOut;
    for (const Route& route : allRoutes()) {
        if (route.spec.method == Method::Get)
            QVERIFY2(!isAudited(route.spec), rowOf(route).c_str());
        else if (!isAudited(route.spec))
            leftOut.insert(rowOf(route));
    }
    QCOMPARE(leftOut, (std::set<std::string>{"PUT chunks/{hash}", "POST jobs", "POST jobs/{worker}",
                                             "POST jobs/{lsn}/terminal", "PATCH jobs/{lsn}/terminal"}));
}

void TokensTest::theAuditSaysWhoDidWhatFromWhereWithWhichResult() {
    const std::string token = made("auditor", "operate");
    const std::int64_t queue = newQueue();
    QCOMPARE(as(token, "POST", fmt::format("/compute/queues/{}/hold", queue)).status, 200);
    QCOMPARE(as(token, "POST", "/compute/queues/99999/hold").status, 404);
    QCOMPARE(as(token, "PATCH", fmt::format("/compute/queues/{}", queue), R"({"config":{"weight":2}})").status,
             200);
    const boost::json::array entries = api_->get("/compute/audit?who=auditor").json().at("entries").as_array();
    QCOMPARE(entries.size(), std::size_t(3));
    const boost::json::object last = entries[0].as_object(); // the latest first
    QCOMPARE(last.at("method").as_string(), "PATCH");
    QCOMPARE(last.at("body").as_string(), R"({"config":{"weight":2}})");
    QCOMPARE(entries[1].at("result").as_int64(), 404);
    QCOMPARE(entries[2].at("path").as_string(), fmt::format("/compute/queues/{}/hold", queue).c_str());
    QCOMPARE(entries[2].at("result").as_int64(), 200);
    // The owner's, and no secret: a token that is made is not in it.
    const std::string owners = api_->get("/compute/audit?who=the+owner&q=tokens").body;
    QVERIFY2(owners.contains("\"path\":\"/compute/tokens\"") && !owners.contains("auditor"), owners.c_str());
    // What only reads or submits is not in it.
    const std::size_t before = api_->get("/compute/audit?limit=1000").json().at("entries").as_array().size();
    api_->get("/compute/queues");
    api_->post("/compute/jobs?wait=60", kTrue);
    QCOMPARE(api_->get("/compute/audit?limit=1000").json().at("entries").as_array().size(), before);
    QCOMPARE(as(token, "GET", "/compute/audit").status, 403);
}

void TokensTest::theAuditIsReadInPagesAndPassesOverDamage() {
    constexpr std::int64_t kDay = 86'400'000'000;
    const std::string directory = api_->engine.path("audit-pages");
    Audit audit(directory);
    coro::HelperPool helpers(1);
    // Two lines on each of ten days: more days than one page looks at.
    for (int day = 0; day < 10; ++day)
        for (int i = 0; i < 2; ++i)
            (void)api_->engine.run(audit.note({.t = kDay * (20'000 + day) + i + 1,
                                               .who = "anna",
                                               .from = {},
                                               .method = "POST",
                                               .path = fmt::format("/{}.{}", day, i),
                                               .body = {},
                                               .result = 200},
                                              helpers));
    // A line that is none, and one that a crash cut off; the next one begins on a line of its own.
    const std::string last = directory + "/2024-10-13.jsonl";
    const auto text = readFile(last);
    QVERIFY2(text.has_value(), text ? "" : text.error().message.c_str());
    QVERIFY(writeFileAtomically(last, *text + "no JSON\n{\"t\":1", 0600));
    (void)api_->engine.run(audit.note({.t = kDay * 20'009 + 9,
                                       .who = "anna",
                                       .from = {},
                                       .method = "POST",
                                       .path = "/end",
                                       .body = {},
                                       .result = 200},
                                      helpers));
    std::string seen;
    std::string cursor;
    int pages = 0;
    do {
        const auto page = api_->engine.run(
            audit.read({.from = {}, .to = {}, .who = "anna", .text = "", .limit = 3, .cursor = cursor}, helpers));
        QVERIFY(page.has_value());
        QVERIFY(page->entries.size() <= 3u);
        for (const AuditEntry& entry : page->entries) seen += entry.path + " ";
        cursor = page->cursor;
    } while (!cursor.empty() && ++pages < 50);
    QCOMPARE(seen, "/end /9.1 /9.0 /8.1 /8.0 /7.1 /7.0 /6.1 /6.0 /5.1 /5.0 /4.1 /4.0 /3.1 /3.0 /2.1 /2.0 /1.1 /1.0 "
                   "/0.1 /0.0 ");
    const auto some = api_->engine.run(audit.read(
        {.from = kDay * 20'003, .to = kDay * 20'004, .who = "", .text = ".1", .limit = 100, .cursor = ""},
        helpers));
    QVERIFY(some.has_value());
    QCOMPARE(some->entries.size(), std::size_t(1));
    QCOMPARE(some->entries.front().path, std::string("/3.1"));
    helpers.stop();
}

void TokensTest::theAuditHasItsLimits() {
    constexpr std::int64_t kDay = 86'400'000'000;
    const std::string directory = api_->engine.path("audit-limits");
    Audit audit(directory);
    coro::HelperPool helpers(1);
    const auto note = [&](std::int64_t day) {
        (void)api_->engine.run(audit.note({.t = kDay * day + 1,
                                           .who = "anna",
                                           .from = {},
                                           .method = "POST",
                                           .path = "/x",
                                           .body = {},
                                           .result = 200},
                                          helpers));
    };
    note(20'000);
    note(20'000 + kAuditDays - 1);
    QVERIFY(readFile(directory + "/2024-10-04.jsonl").has_value());
    note(20'000 + kAuditDays);
    QVERIFY(!readFile(directory + "/2024-10-04.jsonl").has_value()); // its time was over
    QCOMPARE(audit.dropped(), std::uint64_t(0));
    // A day that is full takes no more.
    QVERIFY(writeFileAtomically(directory + "/2025-06-15.jsonl", std::string(kMostAuditDay, '\n'), 0600));
    note(20'254);
    QCOMPARE(audit.dropped(), std::uint64_t(1));
    // Where nothing can be written, it is counted, and the work goes on.
    const std::string file = api_->engine.path("no-directory");
    QVERIFY(writeFileAtomically(file, "x", 0600));
    Audit nowhere(file);
    (void)api_->engine.run(nowhere.note(
        {.t = kDay, .who = "anna", .from = {}, .method = "POST", .path = "/x", .body = {}, .result = 200},
        helpers));
    QCOMPARE(nowhere.dropped(), std::uint64_t(1));
    helpers.stop();
}

void TokensTest::whatTheAuditCannotBeAskedForIsRefused_data() {
    QTest::addColumn<QString>("query");
    QTest::newRow("no number of rows") << "limit=0";
    QTest::newRow("too many rows") << "limit=1001";
    QTest::newRow("no cursor of ours") << "cursor=abc";
    QTest::newRow("half a cursor") << "cursor=20000";
    QTest::newRow("no time") << "from=yesterday";
}

void TokensTest::whatTheAuditCannotBeAskedForIsRefused() {
    QFETCH(QString, query);
    QCOMPARE(api_->get("/compute/audit?" + query.toStdString()).status, 422);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    TokensTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_tokens.moc"
