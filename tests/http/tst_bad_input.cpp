// Bad input, over real sockets and a real engine: each gets its clear answer, and whoever comes next is served.
#include "core/launcher/launcher.h"
#include "tests/http/served.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>

#include <thread>

using namespace yard;
using namespace yard::http;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

std::string action(const std::string& members) {
    return R"({"worker":"exec","argv":["true"],"cwd":"/",)" + members + "}";
}

std::string nested(int depth) {
    return action("\"args\":" + std::string(static_cast<std::size_t>(depth), '[') +
                  std::string(static_cast<std::size_t>(depth), ']'));
}

} // namespace

class BadInputTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { served_ = std::make_unique<Served>(); }
    void cleanupTestCase() { served_.reset(); }
    void cleanup();

    void bodiesAreRefusedWithAReason_data();
    void bodiesAreRefusedWithAReason();
    void whatIsAtTheLimitIsTaken_data();
    void whatIsAtTheLimitIsTaken();
    void headsAreRefusedWithAReason_data();
    void headsAreRefusedWithAReason();
    void aHeadThatNeverEndsIsCutOff();
    void aGibibyteIsRefusedAnnouncedOrNot();
    void smuggledRequestsAreNotHeard_data();
    void smuggledRequestsAreNotHeard();
    void fiveHundredHalfOpenConnectionsHurtNobody();
    void aWebPageCannotDriveTheEngine_data();
    void aWebPageCannotDriveTheEngine();

private:
    std::string request(const std::string& method, const std::string& target, const std::string& body,
                        std::vector<std::pair<std::string, std::string>> fields = {}) const;
    std::unique_ptr<Served> served_;
};

std::string BadInputTest::request(const std::string& method, const std::string& target, const std::string& body,
                                  std::vector<std::pair<std::string, std::string>> fields) const {
    std::string text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                       served_->engine->token() + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    if (fields.empty() && !body.empty()) fields.emplace_back("Content-Type", "application/json");
    for (const auto& [name, value] : fields) text += name + ": " + value + "\r\n";
    return text + "\r\n" + body;
}

/// Whatever a test did, others are served.
void BadInputTest::cleanup() {
    const RawAnswer answer = exchange(served_->port(), request("GET", "/compute/session", ""));
    QCOMPARE(answer.status, 200);
    QVERIFY(answer.body.find("\"state\":\"ready\"") != std::string::npos);
}

void BadInputTest::bodiesAreRefusedWithAReason_data() {
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("contains");
    const auto row = [](const char* sentence, const char* target, const std::string& body, int status,
                        const char* contains) {
        QTest::newRow(sentence) << QByteArray(target) << QByteArray::fromStdString(body) << status
                                << QByteArray(contains);
    };
    const char* jobs = "/compute/jobs";
    row("half an object", jobs, R"({"worker":"exec")", 400, "malformed");
    row("two values", jobs, action("\"label\":\"a\"") + "{}", 400, "malformed");
    row("a comma too many", jobs, action("\"label\":\"a\","), 400, "malformed");
    row("single quotes", jobs, "{'worker':'exec'}", 400, "malformed");
    row("a comment", jobs, "/* hi */ {}", 400, "malformed");
    row("a byte order mark", jobs, "\xef\xbb\xbf{}", 400, "malformed");
    row("not a number", jobs, action("\"priority\":NaN"), 400, "malformed");
    row("a leading zero", jobs, action("\"priority\":01"), 400, "malformed");
    row("a NUL between", jobs, "{\0}"s, 400, "malformed");
    row("a line end in text", jobs, action("\"label\":\"a\nb\""), 400, "malformed");
    row("a member twice", jobs, action("\"label\":\"a\",\"label\":\"b\""), 422, "\"field\":\"label\"");
    row("65 levels", jobs, nested(64), 400, "deep");
    row("64 levels where none belong", jobs, nested(63), 422, "\"field\":\"args\"");
    row("a million levels", jobs, std::string(1'000'000, '['), 400, "malformed");
    row("text instead of an object", jobs, "\"exec\"", 422, "object");
    row("null", jobs, "null", 422, "object");

    row("a byte that is no UTF-8", jobs, action("\"label\":\"\xff\""), 400, "UTF-8");
    row("an overlong slash", jobs, action("\"label\":\"\xc0\xaf\""), 400, "UTF-8");
    row("half a surrogate pair", jobs, action("\"label\":\"\xed\xa0\x80\""), 400, "UTF-8");
    row("half a surrogate pair, escaped", jobs, action(R"("label":"\ud800")"), 400, "malformed");

    row("an unknown member", jobs, action("\"colour\":1"), 422, "colour");
    row("an unknown member inside", jobs, action("\"resources\":{\"!\":1}"), 422, "\"field\":\"resources");
    row("a number for text", jobs, action("\"label\":7"), 422, "\"field\":\"label\"");
    row("text for a number", jobs, action("\"priority\":\"high\""), 422, "\"field\":\"priority\"");
    row("a list for an object", jobs, action("\"env\":[]"), 422, "\"field\":\"env\"");
    row("a number in a list of text", jobs, R"({"worker":"exec","argv":["true",1]})", 422, "argv");
    row("null for text", jobs, action("\"label\":null"), 422, "\"field\":\"label\"");

    row("a control character in a label", jobs, action(R"("label":"a\u0007b")"), 422, "\"field\":\"label\"");
    row("a NUL in an argument", jobs, R"({"worker":"exec","argv":["a\u0000b"]})", 422, "argv");
    row("a line end in the name of an input", jobs, action(R"("inputs":{"a\nb":")" + std::string(64, '0') + "\"}"),
        422, "inputs");
    row("an equals sign in the name of a variable", jobs, action(R"("env":{"A=B":"c"})"), 422, "env");
    row("a climbing input", jobs, action(R"("inputs":{"../a":")" + std::string(64, '0') + "\"}"), 422, "inputs");
    row("an absolute input", jobs, action(R"("inputs":{"/etc/passwd":")" + std::string(64, '0') + "\"}"), 422,
        "inputs");
    row("a climbing output", jobs, action(R"("expect":["a/../../b"])"), 422, "expect");
    row("a lock with a blank", jobs, action(R"("locks":["a b"])"), 422, "locks");
    row("a relative directory", jobs, R"({"worker":"exec","argv":["true"],"cwd":"tmp"})", 422, "cwd");
    row("a control character in a tag", "/compute/queues", R"({"tag":"a\u001bb"})", 422, "tag");
    row("a control character in a lock", jobs, action(R"("locks":["a\tb"])"), 422, "locks");

    row("a priority out of range", jobs, action("\"priority\":101"), 422, "\"field\":\"priority\"");
    row("a priority with a fraction", jobs, action("\"priority\":0.5"), 422, "\"field\":\"priority\"");
    row("a number beyond all", jobs, action("\"priority\":1e400"), 422, "\"field\":\"priority\"");
    row("2^63", jobs, action("\"not_before\":9223372036854775808"), 422, "not_before");
    row("a negative deadline", jobs, action("\"deadline_s\":-1"), 422, "deadline_s");
    row("no cores", jobs, action("\"resources\":{\"cores\":0}"), 422, "cores");
    row("more memory than there is in the world", jobs, action("\"resources\":{\"memory_mb\":1e30}"), 422,
        "memory_mb");
    row("an array of two millions", jobs, action("\"array\":{\"from\":0,\"to\":1999999}"), 422, "array");
    row("an array backwards", jobs, action("\"array\":{\"from\":1,\"to\":0}"), 422, "array");
    row("an LSN beyond 64 bits", jobs, action("\"after\":[99999999999999999999]"), 422, "after");
    row("an LSN that nobody has", jobs, action("\"after\":[987654321]"), 422, "after");
    row("retries without end", "/compute/queues", R"({"config":{"max_retries":1e9}})", 422, "max_retries");
    row("negative retries", "/compute/queues", R"({"config":{"max_retries":-1}})", 422, "max_retries");
    row("no LSNs", "/compute/jobs/cancel", R"({"lsns":[]})", 422, "lsns");
    row("an LSN as text", "/compute/jobs/cancel", R"({"lsns":["1"]})", 422, "lsns");
    row("a filter without an end", "/compute/jobs/cancel", R"({"filter":"label:\"a"})", 422, "filter");
    row("a filter of 5,000 bytes", "/compute/jobs/cancel", R"({"filter":")" + std::string(5'000, 'a') + "\"}", 422,
        "filter");
    row("a descriptor that is none", ("/compute/workers/" + std::string(64, '0')).c_str(), "{}", 422, "\"field\"");
}

void BadInputTest::bodiesAreRefusedWithAReason() {
    QFETCH(QByteArray, target);
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    QFETCH(QByteArray, contains);
    const RawAnswer answer = exchange(served_->port(), request("POST", target.toStdString(), body.toStdString()));
    QVERIFY2(answer.status == status, answer.body.c_str());
    QVERIFY2(answer.body.find(contains.toStdString()) != std::string::npos, answer.body.c_str());
    QVERIFY(answer.body.starts_with("{\"error\":\""));
    QVERIFY2(answer.body.size() < 2'000, answer.body.c_str()); // what was sent does not come back
}

void BadInputTest::whatIsAtTheLimitIsTaken_data() {
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char* sentence, const std::string& body) {
        QTest::newRow(sentence) << QByteArray::fromStdString(body);
    };
    row("the largest priority", action("\"priority\":100"));
    row("the smallest priority", action("\"priority\":-100"));
    row("blanks everywhere", " \r\n\t" + action(" \"label\" : \"a\" ") + " \n");
    row("text in many alphabets", action("\"label\":\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x9a\x82\""));
    row("escaped text", action(R"("label":"\u00e4 \ud83d\ude82")"));
}

void BadInputTest::whatIsAtTheLimitIsTaken() {
    QFETCH(QByteArray, body);
    const RawAnswer answer = exchange(served_->port(), request("POST", "/compute/jobs", body.toStdString()));
    QVERIFY2(answer.status == 200, answer.body.c_str());
}

void BadInputTest::headsAreRefusedWithAReason_data() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<int>("status");
    const auto row = [](const char* sentence, const char* method, const std::string& target, int status) {
        QTest::newRow(sentence) << QByteArray(method) << QByteArray::fromStdString(target) << status;
    };
    row("a climbing path", "GET", "/compute/../compute/jobs", 404);
    row("a climbing path, encoded", "GET", "/compute/%2e%2e/compute/jobs", 404);
    row("an encoded slash", "GET", "/compute%2fjobs", 404);
    row("two slashes", "GET", "//compute/jobs", 404);
    row("a slash at the end", "GET", "/compute/jobs/", 404);
    row("a path to a file", "GET", "/compute/chunks/../../token", 404);
    row("a path to a file as a chunk", "GET", "/compute/chunks/..%2f..%2ftoken", 422);
    row("a chunk in capitals", "GET", "/compute/chunks/" + std::string(64, 'A'), 422);
    row("an encoded NUL", "GET", "/compute/jobs/%00", 404);
    row("a percent sign alone", "GET", "/compute/jobs/%", 404);
    row("bytes that are no UTF-8", "GET", "/compute/workers/%ff", 404);
    row("a whole URL", "GET", "http://localhost/compute/jobs", 400);
    row("an LSN with a sign", "GET", "/compute/jobs/+1", 404);
    row("a queue beyond 64 bits", "GET", "/compute/queues/99999999999999999999", 404);
    row("a wrong escape in the query", "GET", "/compute/jobs?q=%zz", 400);
    row("a parameter twice", "GET", "/compute/jobs?limit=1&limit=2", 400);
    row("a wait that is negative", "GET", "/compute/jobs/1?wait=-1", 422);
    row("a page of nothing", "GET", "/compute/jobs?limit=0", 422);
    for (const char* list : {"jobs", "jobs/running", "jobs/completed", "jobs/lsns", "queues/0/running",
                             "queues/0/completed", "queues/0/jobs", "queues/0/jobs/lsns", "queues/0/jobs/running"})
        for (const char* cursor : {"../../etc", "zzz", "0", "-1", "12x", "9999999999999999999"})
            row(fmt::format("a cursor of somebody else: {} of {}", cursor, list).c_str(), "GET",
                fmt::format("/compute/{}?cursor={}", list, cursor), 400);
    row("a cursor of somebody else with lsns", "GET", "/compute/jobs?lsn=1,2&cursor=zzz", 400);
    row("a cursor of somebody else with a state", "GET", "/compute/jobs?state=running&cursor=zzz", 400);
    row("a cursor of somebody else with a sort", "GET", "/compute/jobs?sort=label&cursor=zzz", 400);
    row("a method that is none", "BREW", "/compute/jobs", 405);
    row("TRACE", "TRACE", "/compute/jobs", 405);
    row("a head of 100 kB", "GET", "/compute/jobs?q=" + std::string(100'000, 'a'), 431);
}

void BadInputTest::headsAreRefusedWithAReason() {
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, target);
    QFETCH(int, status);
    const RawAnswer answer = exchange(served_->port(), request(method.toStdString(), target.toStdString(), ""));
    QVERIFY2(answer.status == status, answer.body.c_str());
    QVERIFY2(answer.body.starts_with("{\"error\":\""), answer.body.c_str());
}

void BadInputTest::aHeadThatNeverEndsIsCutOff() {
    RawClient client(served_->port());
    client.send("GET /compute/jobs HTTP/1.1\r\nHost: localhost\r\n");
    const std::string field = "X-Field: " + std::string(50, 'x') + "\r\n";
    const std::size_t sent = client.sendUntilFull(field, 64u << 20, 2'000);
    QVERIFY2(sent < (48u << 20), std::to_string(sent).c_str());
    QCOMPARE(client.receive().status, 431);
}

void BadInputTest::aGibibyteIsRefusedAnnouncedOrNot() {
    const std::string head = "POST /compute/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                             served_->engine->token() + "\r\nContent-Type: application/json\r\n";
    RawClient announced(served_->port());
    announced.send(head + "Content-Length: 1073741824\r\n\r\n[");
    QCOMPARE(announced.receive().status, 413);
    // Without a length it is read as far as the largest body.
    RawClient chunked(served_->port());
    chunked.send(head + "Transfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "100000\r\n" + std::string(1u << 20, ' ') + "\r\n";
    const std::size_t sent = chunked.sendUntilFull(chunk, 1u << 30, 5'000);
    QVERIFY2(sent < (128u << 20), std::to_string(sent).c_str());
    QCOMPARE(chunked.receive().status, 413);
}

void BadInputTest::smuggledRequestsAreNotHeard_data() {
    QTest::addColumn<QByteArray>("fields");
    QTest::addColumn<int>("status");
    const auto row = [](const char* sentence, const char* fields, int status) {
        QTest::newRow(sentence) << QByteArray(fields) << status;
    };
    row("a length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400);
    row("chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400);
    row("two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n", 400);
    row("two lengths in one", "Content-Length: 5, 6\r\n", 400);
    row("a length with a sign", "Content-Length: +5\r\n", 400);
    row("a length in hexadecimal", "Content-Length: 0x5\r\n", 400);
    row("a blank before the colon", "Content-Length : 5\r\n", 400);
    row("chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400);
    row("chunks and something else", "Transfer-Encoding: chunked, identity\r\n", 400);
    row("chunks misspelt", "Transfer-Encoding: xchunked\r\n", 400);
    row("a folded line, which is one", "X: a\r\n Content-Length: 5\r\n", 200);
    row("a second Host", "Host: evil.example\r\nContent-Length: 5\r\n", 400);
}

/// Behind each is what a proxy might take for its body, and a server for a second request: it gets no answer.
void BadInputTest::smuggledRequestsAreNotHeard() {
    QFETCH(QByteArray, fields);
    QFETCH(int, status);
    RawClient client(served_->port());
    client.send("POST /compute/release HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                served_->engine->token() + "\r\nContent-Type: application/json\r\n" + fields.toStdString() +
                "\r\n0\r\n\r\n" + request("POST", "/compute/session/drain", ""));
    QCOMPARE(client.receive().status, status);
    if (status == 200) QCOMPARE(client.receive().status, 400); // what followed is no request
    QVERIFY(client.isClosedByServer());
}

void BadInputTest::fiveHundredHalfOpenConnectionsHurtNobody() {
    Limits limits;
    limits.head = 3s;
    Served served(limits);
    std::vector<std::unique_ptr<RawClient>> half;
    for (int i = 0; i < 500; ++i) {
        half.push_back(std::make_unique<RawClient>(served.port()));
        QVERIFY(half.back()->isConnected());
        half.back()->send("POST /compute/jobs HTTP/1.1\r\nHost: loc");
    }
    for (int i = 0; i < 50; ++i) QCOMPARE(served.get("/compute/session", {{"Upgrade", ""}}).status, 200);
    for (auto& client : half) QCOMPARE(client->receive().status, 408);
}

void BadInputTest::aWebPageCannotDriveTheEngine_data() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("fields");
    QTest::addColumn<int>("status");
    const auto row = [](const char* sentence, const char* method, const char* fields, int status) {
        QTest::newRow(sentence) << QByteArray(method) << QByteArray(fields) << status;
    };
    const char* token = "Authorization: Bearer TOKEN\r\n";
    row("a form without a token", "POST", "Content-Type: text/plain\r\n", 401);
    row("a form that knows the token", "POST",
        (token + "Origin: http://evil.example\r\nContent-Type: text/plain\r\n"s).c_str(), 403);
    row("a script that asks whether it may", "OPTIONS",
        "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n", 403);
    row("a page of another port", "POST",
        (token + "Origin: http://localhost:3000\r\nContent-Type: application/json\r\n"s).c_str(), 403);
    row("a page in a sandbox", "POST", (token + "Origin: null\r\nContent-Type: application/json\r\n"s).c_str(),
        403);
    row("JSON as text", "POST", (token + "Content-Type: text/plain\r\n"s).c_str(), 415);
    row("JSON as a form", "POST", (token + "Content-Type: application/x-www-form-urlencoded\r\n"s).c_str(), 415);
    row("a wrong token", "POST", "Authorization: Bearer 0000\r\nContent-Type: application/json\r\n", 401);
    row("a password", "POST", "Authorization: Basic YTpi\r\nContent-Type: application/json\r\n", 401);
}

void BadInputTest::aWebPageCannotDriveTheEngine() {
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, fields);
    QFETCH(int, status);
    const std::string body = action("\"label\":\"from a page\"");
    const std::string known =
        QString::fromUtf8(fields).replace("TOKEN", QString::fromStdString(served_->engine->token())).toStdString();
    const RawAnswer answer =
        exchange(served_->port(), method.toStdString() + " /compute/jobs HTTP/1.1\r\nHost: localhost\r\n" + known +
                                      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    QVERIFY2(answer.status == status, answer.body.c_str());
    // Nothing that a browser would take for a permission.
    QVERIFY(answer.head.find("Access-Control") == std::string::npos);
    // The same by a name that was made to point here.
    const RawAnswer renamed = exchange(served_->port(), "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    QCOMPARE(renamed.status, 403);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    BadInputTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_bad_input.moc"
