// The parts that decide without a socket: who may speak, what a target means, which route it is, what a body says.
#include "core/http/auth.h"
#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/http/query.h"
#include "core/http/router.h"

#include <QTest>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::http;

namespace {

RequestHead headWith(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
    RequestHead head;
    head.setTarget("/");
    for (const auto& [fieldName, value] : fields) head.addField(fieldName, value);
    return head;
}

constexpr RouteSpec kTable[] = {
    {Method::Get, "health", Scope::Open},
    {Method::Post, "jobs", Scope::Both, BodyKind::Json},
    {Method::Get, "jobs", Scope::Both},
    {Method::Get, "jobs/history", Scope::Both},
    {Method::Get, "jobs/{lsn}", Scope::Both},
    {Method::Post, "jobs/{lsn}", Scope::Both},
    {Method::Post, "jobs/{worker}", Scope::Both, BodyKind::Json},
    {Method::Get, "jobs/{lsn}/stdout", Scope::Both},
    {Method::Get, "", Scope::Queue},
    {Method::Get, "chunks/{hash}", Scope::Global},
};

std::string matched(const Router& router, const std::string& request) {
    const std::size_t space = request.find(' ');
    std::array<std::string, kMaxCaptures> captures;
    const auto match = router.match(methodFrom(request.substr(0, space)), request.substr(space + 1), captures);
    if (match.route < 0) return match.methods == 0 ? "none" : "allow " + Router::allowed(match.methods);
    std::string text = fmt::format("{} {}{}", name(kTable[match.route].method), match.inQueue ? "q:" : "",
                                   kTable[match.route].pattern);
    for (const std::string& capture : captures)
        if (!capture.empty()) text += " " + capture;
    return text;
}

} // namespace

class RequestsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void hostAndOriginMustBeOurs_data();
    void hostAndOriginMustBeOurs();
    void theTokenIsNeededWhole();
    void pathsFindTheirRoute_data();
    void pathsFindTheirRoute();
    void prefixMayBeLongOrEmpty();
    void percentEncodingIsStrict();
    void queriesAreCheckedByName();
    void smallBodiesAreCheckedByName();
    void errorsSayWhatTheyKnow();
};

void RequestsTest::hostAndOriginMustBeOurs_data() {
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<QByteArray>("origin");
    QTest::addColumn<bool>("allowed");
    const auto row = [](const char* sentence, const char* host, const char* origin, bool allowed) {
        QTest::newRow(sentence) << QByteArray(host) << QByteArray(origin) << allowed;
    };
    row("localhost", "localhost:8640", "", true);
    row("localhost in capitals", "LocalHost", "", true);
    row("an address", "127.0.0.1:8640", "", true);
    row("another address of this machine", "192.168.1.7:8640", "", true);
    row("an address of version 6", "[::1]:8640", "", true);
    row("a port that is not ours, as behind a tunnel", "localhost:9000", "", true);
    row("a name that was allowed", "desk.example:8640", "", true);
    row("a foreign name, as when a page's name is pointed here", "evil.example:8640", "", false);
    row("a name that begins like ours", "localhost.evil.example", "", false);
    row("an address with a tail", "127.0.0.1.evil.example", "", false);
    row("no name at all", ":8640", "", false);
    row("a broken port", "localhost:86x", "", false);
    row("a broken bracket", "[::1:8640", "", false);
    row("our own page", "localhost:8640", "http://localhost:8640", true);
    row("our own page by address", "localhost:8640", "http://127.0.0.1:8640", true);
    row("a page of another port here", "localhost:8640", "http://localhost:3000", false);
    row("a page of port 80 here", "localhost:8640", "http://localhost", false);
    row("a foreign page", "localhost:8640", "http://evil.example", false);
    row("a foreign page on our port", "localhost:8640", "http://evil.example:8640", false);
    row("a page without an origin", "localhost:8640", "null", false);
    row("an extension", "localhost:8640", "chrome-extension://abc", false);
}

void RequestsTest::hostAndOriginMustBeOurs() {
    QFETCH(QByteArray, host);
    QFETCH(QByteArray, origin);
    QFETCH(bool, allowed);
    const Gate gate("secret", {"desk.example"});
    RequestHead head = headWith({{"Host", host.toStdString()}});
    if (!origin.isEmpty()) head.addField("Origin", origin.toStdString());
    const auto error = gate.checkPlace(head, 8640);
    QCOMPARE(!error, allowed);
    if (error) QCOMPARE(error->kind, ErrorKind::Forbidden);
}

void RequestsTest::theTokenIsNeededWhole() {
    const Gate gate("secret", {});
    QVERIFY(!gate.checkToken(headWith({{"Authorization", "Bearer secret"}})));
    QVERIFY(!gate.checkToken(headWith({{"authorization", "bearer secret"}})));
    for (const char* wrong : {"Bearer secre", "Bearer secrets", "Bearer ", "Bearer", "Basic secret", "secret", ""})
        QVERIFY2(gate.checkToken(headWith({{"Authorization", wrong}})), wrong);
    QVERIFY(gate.checkToken(headWith({})));
}

void RequestsTest::pathsFindTheirRoute_data() {
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* sentence, const char* request, const char* expected) {
        QTest::newRow(sentence) << QByteArray(request) << QByteArray(expected);
    };
    row("outside of the prefix", "GET /health", "GET health");
    row("a plain route", "POST /compute/jobs", "POST jobs");
    row("digits are an LSN", "GET /compute/jobs/17", "GET jobs/{lsn} 17");
    row("a name is a worker", "POST /compute/jobs/thumb", "POST jobs/{worker} thumb");
    row("a name with a version is a worker", "POST /compute/jobs/thumb@1.2", "POST jobs/{worker} thumb@1.2");
    row("an encoded name", "POST /compute/jobs/th%75mb%401", "POST jobs/{worker} thumb@1");
    row("the built-in worker", "POST /compute/jobs/exec", "POST jobs/{worker} exec");
    row("a word of the routes is no worker", "POST /compute/jobs/history", "allow GET, HEAD, OPTIONS");
    row("a route below an LSN", "GET /compute/jobs/17/stdout", "GET jobs/{lsn}/stdout 17");
    row("the same in a queue", "GET /compute/queues/3/jobs/17/stdout", "GET q:jobs/{lsn}/stdout 3 17");
    row("a queue itself", "GET /compute/queues/3", "GET q: 3");
    row("HEAD is GET", "HEAD /compute/jobs/17", "GET jobs/{lsn} 17");
    row("a wrong method", "DELETE /compute/jobs", "allow GET, HEAD, POST, OPTIONS");
    row("an unknown method", "BREW /compute/jobs", "allow GET, HEAD, POST, OPTIONS");
    row("an unknown path", "GET /compute/nothing", "none");
    row("without the prefix", "GET /jobs", "none");
    row("a slash at the end", "GET /compute/jobs/", "none");
    row("a climbing path", "GET /compute/jobs/../jobs", "none");
    row("an LSN beyond 64 bits", "GET /compute/jobs/99999999999999999999", "GET jobs/{lsn} 99999999999999999999");
    const std::string hash(64, '9');
    row("digits as long as a hash are a worker", ("POST /compute/jobs/" + hash).c_str(),
        ("POST jobs/{worker} " + hash).c_str());
    row("a negative LSN", "GET /compute/jobs/-1", "none");
    row("broken encoding", "GET /compute/jobs/%zz", "none");
    row("a path of many parts", "GET /a/b/c/d/e/f/g/h/i/j/k/l", "none");
    row("no path", "OPTIONS *", "none");
}

void RequestsTest::pathsFindTheirRoute() {
    QFETCH(QByteArray, request);
    QFETCH(QByteArray, expected);
    const Router router(kTable, "/compute");
    QCOMPARE(QByteArray::fromStdString(matched(router, request.toStdString())), expected);
}

void RequestsTest::prefixMayBeLongOrEmpty() {
    QCOMPARE(matched(Router(kTable, ""), "GET /jobs/17"), std::string("GET jobs/{lsn} 17"));
    QCOMPARE(matched(Router(kTable, "/a/b"), "GET /a/b/queues/3/jobs"), std::string("GET q:jobs 3"));
}

void RequestsTest::percentEncodingIsStrict() {
    QCOMPARE(percentDecode("a%20b+c", false).value_or("?"), std::string("a b+c"));
    QCOMPARE(percentDecode("a%20b+c", true).value_or("?"), std::string("a b c"));
    QCOMPARE(percentDecode("%C3%A4", false).value_or("?"), std::string("\xc3\xa4"));
    for (const char* wrong : {"%", "%1", "%zz", "%00", "%0a", "%7f", "%ff", "%c3"})
        QVERIFY2(!percentDecode(wrong, false), wrong);
}

void RequestsTest::queriesAreCheckedByName() {
    const auto query = Query::parse("wait=1.5&limit=10&follow&label=a%20b");
    QVERIFY(query);
    QVERIFY(query->allowOnly("wait limit follow label"));
    const auto refused = query->allowOnly("wait limit follow");
    QVERIFY(!refused);
    QVERIFY(refused.error().message.find("label") != std::string::npos);
    QCOMPARE(query->seconds("wait", 300).value().value(), Duration(1'500'000));
    QCOMPARE(query->integer("limit", 1, 1000).value().value(), std::int64_t(10));
    QVERIFY(query->flag("follow").value());
    QVERIFY(!query->flag("other").value());
    QVERIFY(!query->integer("limit", 1, 9));
    QVERIFY(!query->integer("label", 1, 9));
    QVERIFY(!query->seconds("wait", 1));
    for (const char* wrong : {"wait=-1", "wait=x", "wait=", "wait=1e3", "wait=inf", "wait=nan", "wait=301"})
        QVERIFY2(!Query::parse(wrong)->seconds("wait", 300), wrong);
    QVERIFY(!Query::parse("a=1&a=2"));
    QVERIFY(!Query::parse("a=%zz"));
}

void RequestsTest::smallBodiesAreCheckedByName() {
    const auto body = JsonRequest::parse("{\"tag\": \"nightly\", \"force\": true, \"lsns\": [3, 4], "
                                         "\"config\": {\"max_retries\" : 1}}",
                                         "tag force lsns config", "config");
    QVERIFY(body);
    QCOMPARE(body->word("tag", 10).value(), std::string("nightly"));
    QVERIFY(body->flag("force").value());
    QCOMPARE(body->lsns("lsns", 10)->size(), std::size_t(2));
    QCOMPARE(body->raw(), std::string("{\"max_retries\":1}"));
    QVERIFY(!body->lsns("lsns", 1));
    QVERIFY(!body->word("tag", 3));
    QVERIFY(!body->flag("tag"));
    const auto unknown = JsonRequest::parse("{\"x\":1}", "force");
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().field, std::string("x"));
    QVERIFY(JsonRequest::parse("", "force"));
    QVERIFY(!JsonRequest::parse("[]", "force"));
    QVERIFY(!JsonRequest::parse("3", "force"));
    QCOMPARE(JsonRequest::parse("{", "force").error().kind, ErrorKind::Malformed);
    for (const char* wrong : {"{\"lsns\":[]}", "{\"lsns\":[0]}", "{\"lsns\":[\"1\"]}", "{\"lsns\":1}", "{}"})
        QVERIFY2(!JsonRequest::parse(wrong, "lsns")->lsns("lsns", 10), wrong);
}

void RequestsTest::errorsSayWhatTheyKnow() {
    Error error{.kind = ErrorKind::Invalid, .message = "Give it.", .field = "argv", .need = {}};
    error.index = 3;
    QCOMPARE(errorJson(error),
             std::string("{\"error\":\"invalid\",\"message\":\"Give it.\",\"field\":\"argv\",\"index\":3}"));
    const Error need{.kind = ErrorKind::NeedChunks, .message = "PUT them.", .field = {}, .need = {"aa", "bb"}};
    QCOMPARE(errorJson(need),
             std::string("{\"error\":\"need\",\"message\":\"PUT them.\",\"need\":[\"aa\",\"bb\"]}"));
    QCOMPARE(errorResponse(need).status, 409);
    QVERIFY(!errorResponse(ErrorKind::Busy, "Wait.").fields.empty());
}

QTEST_APPLESS_MAIN(RequestsTest)
#include "tst_requests.moc"
