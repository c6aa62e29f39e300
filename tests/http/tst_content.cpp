// Content over a real engine: chunks, workers, and submissions that bring their chunks with them.
#include "core/base/hash.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/support/waiting.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::http;

namespace {

/// A multipart body; `parts`: name and bytes.
std::string inParts(const std::vector<std::pair<std::string, std::string>>& parts) {
    std::string text;
    for (const auto& [name, bytes] : parts)
        text += "--limit\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + bytes + "\r\n";
    return text + "--limit--\r\n";
}

const ApiTest::Fields kParts = {{"Content-Type", "multipart/form-data; boundary=limit"}};

std::string hashOf(const std::string& bytes) {
    return Sha256::of(bytes).hex();
}

/// Prints its input "in".
std::string catAction(const std::string& bytes) {
    return "{\"worker\":\"exec\",\"argv\":[\"cat\",\"inputs/in\"],\"inputs\":{\"in\":\"" + hashOf(bytes) + "\"}}";
}

} // namespace

class ContentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void chunksAreStoredVerifiedAndReadInParts();
    void workersAreRegistered();
    void aWorkerInUseIsRemovedByForceOnly();
    void whatRanByAWorkerThatIsGoneIsNotRunAgain();
    void aSubmissionBringsItsChunks();
    void whatIsWrongInPartsIsSaid_data();
    void whatIsWrongInPartsIsSaid();
    void aRepeatedKeyCountsInPartsToo();
    void jsonInPartsIsBounded();

private:
    std::string registerScript(const std::string& name, const std::string& body);

    std::unique_ptr<ApiTest> api_;
};

void ContentTest::chunksAreStoredVerifiedAndReadInParts() {
    std::string bytes;
    for (int i = 0; bytes.size() < 700'000; ++i) bytes += std::to_string(i) + ",";
    const std::string hash = Sha256::of(bytes).hex();
    const std::string chunk = "/compute/chunks/" + hash;
    const ApiTest::Fields plain = {{"Content-Type", "application/octet-stream"}};
    const Reply put = api_->call("PUT", chunk, bytes, plain);
    QVERIFY2(put.status == 200, put.body.c_str());
    QCOMPARE(put.number("size"), static_cast<std::int64_t>(bytes.size()));
    QVERIFY(api_->get(chunk).body == bytes);
    QCOMPARE(api_->call("HEAD", chunk).length.value_or(0), bytes.size());
    const auto part = [&](const char* range) { return api_->call("GET", chunk, "", {{"Range", range}}); };
    QCOMPARE(part("bytes=10-19").status, 206);
    QCOMPARE(part("bytes=10-19").body, bytes.substr(10, 10));
    QCOMPARE(part("bytes=10-19").field("Content-Range"), "bytes 10-19/" + std::to_string(bytes.size()));
    QVERIFY(part("bytes=600000-").body == bytes.substr(600'000));
    QCOMPARE(part("bytes=-5").body, bytes.substr(bytes.size() - 5));
    QCOMPARE(part("bytes=99999999-").status, 416);
    QCOMPARE(part("bytes=5-4").status, 200);
    QCOMPARE(part("lines=1-2").status, 200);
    const std::string wrong = "/compute/chunks/" + Sha256::of("other").hex();
    QCOMPARE(api_->call("PUT", wrong, bytes, plain).status, 422);
    QCOMPARE(api_->get(wrong).status, 404);
    const std::string nothing = "/compute/chunks/" + Sha256::of("").hex();
    QCOMPARE(api_->call("PUT", nothing, "", plain).status, 200);
    QCOMPARE(api_->get(nothing).body, std::string());
}

void ContentTest::workersAreRegistered() {
    const std::string script = "#!/bin/sh\ncat \"$YARD_ACTION\"\n";
    const std::string hash = Sha256::of(script).hex();
    const std::string descriptor = "{\"name\":\"echoer\",\"version\":\"1\",\"platform\":\"" +
                                   std::string(thisPlatform()) +
                                   "\",\"executable\":\"run.sh\",\"files\":[{\"path\":\"run.sh\",\"hash\":\"" +
                                   hash + "\",\"size\":" + std::to_string(script.size()) +
                                   ",\"mode\":\"0755\"}],\"functions\":[{\"name\":\"f\",\"version\":\"1\"}]}";
    const auto parsed = parseWorker(descriptor);
    QVERIFY(parsed);
    const std::string worker = "/compute/workers/" + parsed->id.hex();
    const Reply other = api_->post("/compute/workers/" + Sha256::of("x").hex(), descriptor);
    QCOMPARE(other.status, 422);
    QVERIFY(other.text("message").find(parsed->id.hex()) != std::string::npos);
    const Reply need = api_->post(worker, descriptor);
    QCOMPARE(need.status, 409);
    QCOMPARE(need.text("error"), std::string("need"));
    QCOMPARE(std::string(need.json().at("need").as_array().at(0).as_string()), hash);
    QCOMPARE(api_->call("PUT", "/compute/chunks/" + hash, script, {{"Content-Type", "x/y"}}).status, 200);
    QCOMPARE(api_->post(worker, descriptor).status, 200);
    QCOMPARE(api_->get("/compute/workers/echoer").text("id"), parsed->id.hex());
    QCOMPARE(api_->get("/compute/workers/echoer@1").text("version"), std::string("1"));
    QCOMPARE(api_->get("/compute/workers").json().at("workers").as_array().size(), std::size_t(1));
    const Reply result = api_->post("/compute/jobs/echoer?wait=60", "{\"function\":\"f\",\"args\":{\"a\":[1,2]}}");
    QVERIFY2(result.text("state") == "completed", result.body.c_str());
    QVERIFY(api_->get("/compute/jobs/" + std::to_string(result.number("lsn")) + "/stdout").body.find("[1,2]") !=
            std::string::npos);
    QCOMPARE(api_->call("DELETE", "/compute/workers/echoer").status, 200);
    QCOMPARE(api_->get("/compute/workers/echoer").status, 404);
}

/// The id of a worker, registered under this name, that runs `body`.
std::string ContentTest::registerScript(const std::string& name, const std::string& body) {
    const std::string script = "#!/bin/sh\n" + body + "\n";
    const std::string hash = hashOf(script);
    const std::string descriptor = fmt::format(
        R"({{"name":"{}","version":"1","platform":"{}","executable":"run.sh","files":[{{"path":"run.sh",)"
        R"("hash":"{}","size":{},"mode":"0755"}}],"functions":[{{"name":"f","version":"1"}}]}})",
        name, thisPlatform(), hash, script.size());
    api_->call("PUT", "/compute/chunks/" + hash, script, {{"Content-Type", "x/y"}});
    const std::string id = parseWorker(descriptor)->id.hex();
    const Reply done = api_->post("/compute/workers/" + id, descriptor);
    return done.status == 200 ? id : done.body;
}

void ContentTest::aWorkerInUseIsRemovedByForceOnly() {
    const std::string id = registerScript("sleeper", "exec sleep 100");
    const Reply array = api_->post("/compute/jobs/sleeper", R"({"function":"f","array":{"from":0,"to":2999}})");
    QVERIFY2(array.status == 200, array.body.c_str());
    const std::string first = fmt::format("/compute/jobs/{}", array.number("lsn"));
    const std::string last = fmt::format("/compute/jobs/{}", array.number("lsn") + 2999);
    QTRY_COMPARE_WITH_TIMEOUT(api_->get(first).text("state"), std::string("running"), kWaitMs);

    const Reply refused = api_->call("DELETE", "/compute/workers/sleeper");
    QCOMPARE(refused.status, 409);
    QVERIFY2(refused.text("message").find("force") != std::string::npos, refused.body.c_str());
    QCOMPARE(api_->get("/compute/workers/" + id).status, 200);
    QCOMPARE(api_->post("/compute/jobs/sleeper", R"({"function":"f","hold":true})").status, 200);

    const Reply done = api_->call("DELETE", "/compute/workers/" + id, R"({"force":true})");
    QVERIFY2(done.status == 200, done.body.c_str());
    QCOMPARE(done.text("id"), id);
    QCOMPARE(api_->get("/compute/workers/sleeper").status, 404);
    QCOMPARE(api_->get(first).text("state"), std::string("cancelled"));
    QCOMPARE(api_->get(last).text("state"), std::string("cancelled"));
    QCOMPARE(api_->get("/compute/jobs?worker=sleeper&state=pending,submitting,running")
                 .json()
                 .at("jobs")
                 .as_array()
                 .size(),
             std::size_t(0));
    QCOMPARE(api_->post("/compute/jobs/sleeper", R"({"function":"f"})").status, 422);
}

void ContentTest::whatRanByAWorkerThatIsGoneIsNotRunAgain() {
    const std::string id = registerScript("failer", "exit 3");
    const Reply queue = api_->post("/compute/queues", R"({"config":{"max_retries":0}})");
    const Reply failed =
        api_->post("/compute/queues/" + queue.text("token") + "/jobs/failer?wait=60", R"({"function":"f"})");
    QCOMPARE(failed.text("state"), std::string("failed"));
    QCOMPARE(api_->call("DELETE", "/compute/workers/" + id).status, 200);
    const std::string again = fmt::format("/compute/jobs/{}", failed.number("lsn"));
    const Reply refused = api_->post(again, R"({"force":true})");
    QCOMPARE(refused.status, 409);
    QVERIFY2(refused.text("message").find("was removed") != std::string::npos, refused.body.c_str());
    QCOMPARE(registerScript("failer", "exit 3"), id);
    QCOMPARE(api_->post(again, R"({"force":true})").status, 200);
}

void ContentTest::aSubmissionBringsItsChunks() {
    std::string large;
    for (int i = 0; large.size() < 300'000; ++i) large += std::to_string(i) + "\r\n--limi";
    for (const std::string& bytes : {std::string("small"), large, std::string()}) {
        const Reply need = api_->post("/compute/jobs", catAction(bytes));
        if (!bytes.empty()) QCOMPARE(need.text("error"), std::string("need"));
        // The JSON may come before the chunks or behind them.
        for (const bool first : {true, false}) {
            std::vector<std::pair<std::string, std::string>> parts = {{hashOf(bytes), bytes}};
            parts.insert(first ? parts.begin() : parts.end(), {"action", catAction(bytes)});
            const Reply done = api_->call("POST", "/compute/jobs?wait=60", inParts(parts), kParts);
            QVERIFY2(done.text("state") == "completed", done.body.c_str());
            const std::string out = fmt::format("/compute/jobs/{}/stdout", done.number("lsn"));
            QVERIFY(api_->get(out).body == bytes);
        }
    }
    const std::string list = "[" + catAction("one") + "," + catAction("two") + "]";
    const Reply two =
        api_->call("POST", "/compute/jobs/exec",
                   inParts({{hashOf("one"), "one"}, {"action", list}, {hashOf("two"), "two"}}), kParts);
    QVERIFY2(two.status == 200, two.body.c_str());
    QCOMPARE(two.json().at("lsns").as_array().size(), std::size_t(2));
}

void ContentTest::whatIsWrongInPartsIsSaid_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("contains");
    const auto row = [](const char* sentence, const std::string& body, int status, const char* contains) {
        QTest::newRow(sentence) << QByteArray::fromStdString(body) << status << QByteArray(contains);
    };
    const std::string action = catAction("never sent");
    row("no parts", "--limit--\r\n", 422, "\"field\":\"action\"");
    row("no action", inParts({{hashOf("x"), "x"}}), 422, "\"field\":\"action\"");
    row("two actions", inParts({{"action", action}, {"action", action}}), 422, "\"field\":\"action\"");
    row("a chunk that is still missing", inParts({{"action", action}}), 409, "\"need\":");
    row("bytes that are not those of their name", inParts({{hashOf("x"), "y"}, {"action", action}}), 422, "hash");
    row("a part that is neither", inParts({{"photo", "y"}, {"action", action}}), 422, "\"field\":\"photo\"");
    row("an action that is no JSON", inParts({{"action", "{"}}), 400, "malformed");
    row("an action that is wrong", inParts({{"action", "{\"worker\":\"exec\",\"argv\":1}"}}), 422, "argv");
    row("another boundary", "--other\r\n\r\n", 400, "boundary");
    row("an end too early", inParts({{"action", action}}).substr(0, 50), 400, "before its last boundary");
    row("an end within a chunk", inParts({{hashOf("x"), std::string(5'000, 'y')}}).substr(0, 3'000), 400, "before");
    row("something behind the end", inParts({{"action", action}}) + std::string(100'000, 'x'), 400,
        "last boundary");
    row("nothing", "", 400, "malformed");
}

void ContentTest::whatIsWrongInPartsIsSaid() {
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    QFETCH(QByteArray, contains);
    const Reply reply = api_->call("POST", "/compute/jobs", body.toStdString(), kParts);
    QVERIFY2(reply.status == status, reply.body.c_str());
    QVERIFY2(reply.body.find(contains.toStdString()) != std::string::npos, reply.body.c_str());
    const Reply noBoundary = api_->call("POST", "/compute/jobs", "x", {{"Content-Type", "multipart/form-data"}});
    QCOMPARE(noBoundary.status, 400);
    // Where no chunks belong there are no parts.
    QCOMPARE(api_->call("POST", "/compute/queues", "x", kParts).status, 415);
}

void ContentTest::aRepeatedKeyCountsInPartsToo() {
    ApiTest::Fields keyed = kParts;
    keyed.emplace_back("Idempotency-Key", "parts-1");
    const std::string body = inParts({{hashOf("k"), "k"}, {"action", catAction("k")}});
    const Reply first = api_->call("POST", "/compute/jobs", body, keyed);
    QCOMPARE(first.status, 200);
    QCOMPARE(api_->call("POST", "/compute/jobs", body, keyed).body, first.body);
    const std::string other = inParts({{hashOf("l"), "l"}, {"action", catAction("l")}});
    QCOMPARE(api_->call("POST", "/compute/jobs", other, keyed).status, 422);
}

void ContentTest::jsonInPartsIsBounded() {
    const std::string padded = catAction("x") + std::string((8u << 20) + 1, ' ');
    const Reply large = api_->call("POST", "/compute/jobs", inParts({{"action", padded}}), kParts);
    QCOMPARE(large.status, 413);
    QVERIFY(large.text("message").find("PUT chunks") != std::string::npos);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ContentTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_content.moc"
