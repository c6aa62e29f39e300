// Every route over a real engine: what a client sends, what it gets.
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/http/raw_client.h"
#include "tests/support/waiting.h"

#include <QObject>
#include <QTest>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace yard;
using namespace yard::http;

namespace {

constexpr std::string_view kNoRetry = "{\"config\":{\"max_retries\":0}}";

} // namespace

class ApiRoutesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void answersByTheTable_data();
    void answersByTheTable();
    void theTokenIsAskedForBeforeTheRoute();
    void healthIsForEverybody();

    void anActionIsSubmittedRunAndRead();
    void aWaitReturnsTheResultOrWhatIsKnown();
    void listsAndArraysAreAcceptedWhole();
    void aRepeatedKeyReturnsTheFirstAnswer();
    void aRepeatIsAnsweredThoughItsQueueDrains();
    void aRouteNamesTheWorker();
    void largeBodiesAreParsedOffTheThread();
    void actionsAreHeldReleasedCancelledAndRetired();
    void whatIsCancelledAndHasNotEndedIsEnding();
    void failedActionsAreRescheduled();
    void anElementOfAnArrayIsAskedForAlone();
    void reasonsForWaitingAreTold();
    void locksAreListed();
    void pendingActionsArePatched();

    void listsAreFilteredAndPaged();
    void queuesLiveAndDie();
    void aQueueShowsItsOwnActionsOnly();
    void theSessionMoves();

private:
    std::unique_ptr<ApiTest> api_;
};

void ApiRoutesTest::answersByTheTable_data() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("contains");
    const auto row = [](const char* sentence, const char* method, const char* target, const std::string& body,
                        int status, const char* contains) {
        QTest::newRow(sentence) << QByteArray(method) << QByteArray(target) << QByteArray::fromStdString(body)
                                << status << QByteArray(contains);
    };
    row("an unknown route", "GET", "/compute/nothing", "", 404, "not_found");
    row("an unknown route says where they are", "GET", "/compute", "", 404, "openapi.json");
    row("a wrong method", "PUT", "/compute/jobs", "", 405, "POST");
    row("an unknown action", "GET", "/compute/jobs/999999999", "", 404, "not_found");
    row("an unknown parameter", "GET", "/compute/jobs?colour=red", "", 400, "colour");
    row("a wait that is too long", "GET", "/compute/jobs/1?wait=301", "", 422, "wait");
    row("no body", "POST", "/compute/jobs", "", 400, "malformed");
    row("no JSON", "POST", "/compute/jobs", "{", 400, "malformed");
    row("deep JSON", "POST", "/compute/jobs", std::string(100'000, '['), 400, "malformed");
    row("an unknown member", "POST", "/compute/jobs", "{\"worker\":\"exec\",\"argv\":[\"true\"],\"colour\":1}", 422,
        "colour");
    row("a wrong type", "POST", "/compute/jobs", "{\"worker\":\"exec\",\"argv\":1}", 422, "argv");
    row("a bad action in a list names its place", "POST", "/compute/jobs", "[" + kTrue + ",{\"worker\":\"exec\"}]",
        422, "\"index\":1");
    row("an unknown worker", "POST", "/compute/jobs", "{\"worker\":\"nobody\",\"function\":\"f\"}", 422, "nobody");
    row("an empty list", "POST", "/compute/jobs", "[]", 200, "\"lsns\":[]");
    row("a wait for a list", "POST", "/compute/jobs?wait=1", "[" + kTrue + "]", 422, "wait");
    row("another worker than the route's", "POST", "/compute/jobs/exec",
        "{\"worker\":\"other\",\"argv\":[\"true\"]}", 422, "worker");
    row("a body where none belongs", "GET", "/compute/jobs", "{}", 400, "no body");
    row("members where none belong", "POST", "/compute/hold", "{\"x\":1}", 422, "\"x\"");
    row("an unknown queue", "GET", "/compute/queues/4711", "", 404, "not_found");
    row("a queue that cannot be named so", "GET", "/compute/queues/nightly", "", 404, "not_found");
    row("an action in an unknown queue", "POST", "/compute/queues/4711/jobs", kTrue, 404, "not_found");
    row("queue 0 cannot be drained", "POST", "/compute/queues/0/drain", "", 409, "\"error\"");
    row("queue 0 cannot be deleted", "DELETE", "/compute/queues/0", "", 409, "\"error\"");
    row("an unknown member of a queue's configuration", "POST", "/compute/queues", "{\"config\":{\"colour\":1}}",
        422, "colour");
    row("an unknown chunk", "GET",
        "/compute/chunks/0000000000000000000000000000000000000000000000000000000000000000", "", 404, "not_found");
    row("a chunk that cannot be named so", "GET", "/compute/chunks/xyz", "", 422, "hash");
    row("a chunk whose bytes have another hash", "PUT",
        "/compute/chunks/1111111111111111111111111111111111111111111111111111111111111111", "abc", 422,
        "\"field\":\"hash\"");
    row("the descriptor of what is built in", "GET", "/compute/workers/exec", "", 404, "built in");
    row("a pool that is too large", "PATCH", "/compute/pool", "{\"max\":-1}", 422, "Give \\\"max\\\" as");
    row("an unknown worker's descriptor", "GET", "/compute/workers/nobody", "", 404, "not_found");
    row("an unknown state", "GET", "/compute/jobs?state=done", "", 422, "state");
    row("a page that is too large", "GET", "/compute/jobs?limit=1001", "", 422, "limit");
    row("a filter key that wants numbers", "GET", "/compute/jobs?q=after:x", "", 422, "after");
    row("a time that is none", "GET", "/compute/jobs?q=finished:soon", "", 422, "yesterday");
    row("a filter key with a letter too few", "GET", "/compute/jobs?q=sate:failed", "", 422, "did you mean");
    row("a sorting by no field", "GET", "/compute/jobs?sort=colour", "", 422, "max_rss_bytes");
    row("a cursor of another order", "GET", "/compute/jobs?sort=label&cursor=12", "", 400, "cursor");
    row("a cursor whose order is gone", "GET", "/compute/jobs?sort=label&cursor=00000000.1.1.0", "", 409, "begin");
    row("a wrong bulk filter", "POST", "/compute/jobs/cancel", "{\"filter\":\"state:done\"}", 422, "filter");
    row("an empty bulk filter", "POST", "/compute/jobs/cancel", "{\"filter\":\" \"}", 422, "filter");
    row("LSNs beside a filter", "POST", "/compute/jobs/cancel", "{\"filter\":\"x\",\"lsns\":[1]}", 422, "lsns");
    row("neither LSNs nor a filter", "POST", "/compute/jobs/cancel", "{}", 422, "or \\\"filter\\\"");
    row("at_most below 0", "POST", "/compute/jobs/hold", "{\"lsns\":[1],\"at_most\":-1}", 422, "at_most");
    row("at_most as text", "POST", "/compute/jobs/retry", "{\"filter\":\"x\",\"at_most\":\"1\"}", 422, "at_most");
    row("a dry run as a number", "POST", "/compute/jobs/retire", "{\"filter\":\"x\",\"dry_run\":1}", 422,
        "dry_run");
    row("LSNs that are none", "POST", "/compute/jobs/cancel", "{\"lsns\":[\"1\"]}", 422, "\"field\":\"lsns\"");
    row("a change that is none", "PATCH", "/compute/jobs", "{\"lsns\":[1],\"set\":5}", 422, "\"field\":\"set\"");
    row("a list where an object belongs", "POST", "/compute/jobs/1/cancel", "[1]", 422, "JSON object.\"}");
    row("nothing to set", "PATCH", "/compute/jobs", "{\"lsns\":[1],\"set\":{}}", 422, "priority");
    row("a priority that is none", "PATCH", "/compute/jobs/1", "{\"priority\":101}", 422, "priority");
    row("a queue that is none", "PATCH", "/compute/jobs/1", "{\"queue\":\"x\"}", 422, "queue");
    row("a patch of an unknown action", "PATCH", "/compute/jobs/999999999", "{\"priority\":1}", 404, "not_found");
    row("an unknown action says where to look", "GET", "/compute/jobs/999999999", "", 404, "GET jobs lists");
    row("a number that no action can have", "GET", "/compute/jobs/99999999999999999999", "", 404, "no action 922");
    row("a number that no action can have cannot be cancelled", "POST", "/compute/jobs/99999999999999999999/cancel",
        "", 404, "no action 922");
    row("an action to wait for that never was", "POST", "/compute/jobs",
        "{\"worker\":\"exec\",\"argv\":[\"true\"],\"after\":[999999999]}", 422, "leave it out of");
    row("one chunk that is missing", "POST", "/compute/jobs",
        "{\"worker\":\"exec\",\"argv\":[\"true\"],\"inputs\":{\"a\":\"" + std::string(64, '1') + "\"}}", 409,
        "\"A chunk is missing: PUT it");
    row("two chunks that are missing", "POST", "/compute/jobs",
        "{\"worker\":\"exec\",\"argv\":[\"true\"],\"inputs\":{\"a\":\"" + std::string(64, '1') + "\",\"b\":\"" +
            std::string(64, '2') + "\"}}",
        409, "\"2 chunks are missing: PUT them");
    row("reasons of an unknown action", "GET", "/compute/jobs/999999999/why", "", 404, "not_found");
    row("the version", "GET", "/version", "", 200, "version");
    row("the session", "GET", "/compute/session", "", 200, "\"state\":\"ready\"");
    row("options of a route", "OPTIONS", "/compute/jobs", "", 204, "");
    row("all workers", "GET", "/compute/workers/all", "", 200, "{\"workers\":[]}");
}

void ApiRoutesTest::answersByTheTable() {
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, target);
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    QFETCH(QByteArray, contains);
    const Reply reply = api_->call(method.toStdString(), target.toStdString(), body.toStdString());
    QVERIFY2(reply.status == status, reply.body.c_str());
    QVERIFY2(reply.body.find(contains.toStdString()) != std::string::npos ||
                 reply.field("Allow").find(contains.toStdString()) != std::string::npos,
             reply.body.c_str());
    if (status >= 400) {
        QVERIFY(!reply.text("error").empty());
        QVERIFY(!reply.text("message").empty());
    }
}

void ApiRoutesTest::theTokenIsAskedForBeforeTheRoute() {
    for (const char* target : {"/compute/jobs", "/compute/nothing", "/version", "/metrics", "/"}) {
        QCOMPARE(api_->call("GET", target, "", {{"Authorization", ""}}).status, 401);
        QCOMPARE(api_->call("GET", target, "", {{"Authorization", "Bearer wrong"}}).status, 401);
        QCOMPARE(api_->call("GET", target, "", {{"Host", "evil.example"}}).status, 403);
        QCOMPARE(api_->call("GET", target, "", {{"Origin", "http://evil.example"}}).status, 403);
    }
    QCOMPARE(api_->call("POST", "/compute/jobs", kTrue, {{"Content-Type", "text/plain"}}).status, 415);
    QCOMPARE(
        api_->call("POST", "/compute/jobs", kTrue, {{"Content-Type", "application/json; charset=utf-8"}}).status,
        200);
}

void ApiRoutesTest::healthIsForEverybody() {
    const Reply reply = api_->call("GET", "/health", "", {{"Authorization", ""}});
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.text("session"), std::string("ready"));
    QCOMPARE(api_->call("GET", "/health", "", {{"Host", "evil.example"}}).status, 403);
}

void ApiRoutesTest::anActionIsSubmittedRunAndRead() {
    const Reply submitted =
        api_->post("/compute/jobs", api_->engine.shJson("echo out; echo err >&2", ",\"label\":\"x\""));
    QCOMPARE(submitted.status, 200);
    QCOMPARE(submitted.number("queue_id"), std::int64_t(0));
    const std::string job = "/compute/jobs/" + std::to_string(submitted.number("lsn"));
    const Reply result = api_->get(job + "?wait=60");
    QCOMPARE(result.status, 200);
    QCOMPARE(result.text("state"), std::string("completed"));
    QCOMPARE(result.text("label"), std::string("x"));
    QCOMPARE(api_->get(job + "/stdout").body, std::string("out\n"));
    QCOMPARE(api_->get(job + "/stderr").body, std::string("err\n"));
    QCOMPARE(api_->get(job + "/stdout?attempt=1").body, std::string("out\n"));
    QCOMPARE(api_->get(job + "/stdout?attempt=2").status, 404);
    QCOMPARE(api_->get(job + "/spec").text("label"), std::string("x"));
    QCOMPARE(api_->call("HEAD", job + "/stdout").length.value_or(0), std::uint64_t(4));
}

void ApiRoutesTest::aWaitReturnsTheResultOrWhatIsKnown() {
    const Reply done = api_->post("/compute/jobs?wait=60", kTrue);
    QCOMPARE(done.status, 200);
    QCOMPARE(done.text("state"), std::string("completed"));
    const Reply late = api_->post("/compute/jobs?wait=0.05", kSleep);
    QCOMPARE(late.status, 202);
    QVERIFY(late.number("lsn") > 0);
    const Reply known = api_->get("/compute/jobs/" + std::to_string(late.number("lsn")) + "?wait=0.05");
    QCOMPARE(known.status, 202);
    QCOMPARE(known.number("lsn"), late.number("lsn"));
    // A server that stops answers at once with what is known; nobody waits for a client that has left.
    api_->link.stopping = true;
    QCOMPARE(api_->get("/compute/jobs/" + std::to_string(late.number("lsn")) + "?wait=60").status, 202);
    api_->link.stopping = false;
    QCOMPARE(api_->post("/compute/jobs/" + std::to_string(late.number("lsn")) + "/cancel").status, 200);
}

void ApiRoutesTest::listsAndArraysAreAcceptedWhole() {
    const Reply list = api_->post("/compute/jobs", "[" + kTrue + "," + kTrue + "]");
    QCOMPARE(list.status, 200);
    QCOMPARE(list.json().at("lsns").as_array().size(), std::size_t(2));
    const Reply array =
        api_->post("/compute/jobs", api_->engine.shJson("exit 0", ",\"array\":{\"from\":1,\"to\":3}"));
    QCOMPARE(array.number("count"), std::int64_t(3));
    const std::int64_t last = array.number("lsn") + 2;
    QCOMPARE(api_->get("/compute/jobs/" + std::to_string(last) + "?wait=60").text("state"),
             std::string("completed"));
    const Reply mixed =
        api_->post("/compute/jobs",
                   "[" + kTrue + "," + api_->engine.shJson("exit 0", ",\"array\":{\"from\":1,\"to\":2}") + "]");
    QCOMPARE(mixed.json().at("counts").as_array().at(1).as_int64(), std::int64_t(2));
}

void ApiRoutesTest::aRepeatedKeyReturnsTheFirstAnswer() {
    const ApiTest::Fields key = {{"Idempotency-Key", "key-1"}};
    const Reply first = api_->call("POST", "/compute/jobs", kTrue, key);
    QCOMPARE(first.status, 200);
    const Reply again = api_->call("POST", "/compute/jobs", kTrue, key);
    QCOMPARE(again.number("lsn"), first.number("lsn"));
    const Reply other = api_->call("POST", "/compute/jobs", kSleep, key);
    QCOMPARE(other.status, 422);
    QCOMPARE(other.text("field"), std::string("Idempotency-Key"));
    // Elsewhere it is another request, too.
    QCOMPARE(api_->call("POST", "/compute/jobs/exec", kTrue, key).status, 422);
    QCOMPARE(api_->call("POST", "/compute/jobs", kTrue, {{"Idempotency-Key", std::string(256, 'k')}}).status, 422);
}

void ApiRoutesTest::aRepeatIsAnsweredThoughItsQueueDrains() {
    const auto queue = api_->post("/compute/queues").number("queue_id");
    const std::string target = fmt::format("/compute/queues/{}/jobs", queue);
    const ApiTest::Fields key = {{"Idempotency-Key", "key-2"}};
    const std::string list = "[" + kTrue + "," + kTrue + "]";
    const Reply first = api_->call("POST", target, list, key);
    QCOMPARE(first.status, 200);
    QCOMPARE(api_->post(fmt::format("/compute/queues/{}/drain", queue)).status, 200);
    QCOMPARE(api_->call("POST", target, list, key).body, first.body);
    QCOMPARE(api_->call("POST", target, kTrue, key).status, 422);
    QCOMPARE(api_->call("POST", target, list, {{"Idempotency-Key", "key-3"}}).status, 409);
    QCOMPARE(api_->call("DELETE", fmt::format("/compute/queues/{}", queue)).status, 200);
    QCOMPARE(api_->call("POST", target, list, key).body, first.body);
    QCOMPARE(api_->call("POST", target, list, {{"Idempotency-Key", "key-3"}}).status, 404);
}

void ApiRoutesTest::aRouteNamesTheWorker() {
    const Reply reply = api_->post("/compute/jobs/exec?wait=60", "{\"argv\":[\"true\"],\"cwd\":\"/\"}");
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.text("worker"), std::string("exec"));
}

void ApiRoutesTest::largeBodiesAreParsedOffTheThread() {
    const std::string big = api_->engine.shJson("true", ",\"label\":\"big\"") + std::string(2u << 20, ' ');
    QCOMPARE(api_->post("/compute/jobs?wait=60", big).text("label"), std::string("big"));
    QCOMPARE(api_->post("/compute/jobs", std::string(2u << 20, '[')).status, 400);
}

void ApiRoutesTest::actionsAreHeldReleasedCancelledAndRetired() {
    const std::string job = "/compute/jobs/" + std::to_string(api_->sh("true", ",\"hold\":true"));
    QCOMPARE(api_->get(job).json().at("held").as_bool(), true);
    QCOMPARE(api_->post(job + "/release").status, 200);
    QCOMPARE(api_->get(job + "?wait=60").text("state"), std::string("completed"));
    QCOMPARE(api_->post(job + "/cancel").status, 409);
    QCOMPARE(api_->call("DELETE", job).status, 200);
    QCOMPARE(api_->get(job).status, 404);

    const std::string busy = "/compute/jobs/" + std::to_string(api_->post("/compute/jobs", kSleep).number("lsn"));
    QCOMPARE(api_->call("DELETE", busy).status, 409);
    QCOMPARE(api_->post(busy + "/cancel").status, 200);
    QCOMPARE(api_->get(busy + "?wait=60").text("state"), std::string("cancelled"));
}

void ApiRoutesTest::whatIsCancelledAndHasNotEndedIsEnding() {
    QCOMPARE(api_->call("PATCH", "/compute/settings", R"({"grace_s":60})").status, 200);
    const std::string go = api_->engine.path("end");
    std::vector<std::int64_t> lsns;
    for (const char* name : {"one", "two"}) {
        const std::string ready = api_->engine.path(name);
        lsns.push_back(
            api_->sh("trap '' TERM; touch " + ready + "; while [ ! -e " + go + " ]; do sleep 0.02; done"));
        QVERIFY(test::EngineTest::eventually([&] { return std::filesystem::exists(ready); }));
    }
    QCOMPARE(api_->post(fmt::format("/compute/jobs/{}/cancel", lsns[0])).body,
             fmt::format(R"({{"lsn":{},"ending":true}})", lsns[0]));
    const Reply both = api_->post("/compute/jobs/cancel", fmt::format(R"({{"lsns":[{},{}]}})", lsns[0], lsns[1]));
    QCOMPARE(both.number("ending"), std::int64_t(2));
    const Reply why = api_->get(fmt::format("/compute/jobs/{}/why", lsns[1]));
    QVERIFY2(why.body.find(R"("kind":"ending","since":)") != std::string::npos, why.body.c_str());
    std::ofstream(go) << "x";
    for (const std::int64_t lsn : lsns)
        QCOMPARE(api_->get(fmt::format("/compute/jobs/{}?wait=60", lsn)).text("state"), std::string("cancelled"));
    QCOMPARE(api_->call("PATCH", "/compute/settings", R"({"grace_s":null})").status, 200);
}

void ApiRoutesTest::failedActionsAreRescheduled() {
    const Reply queue = api_->post("/compute/queues", std::string(kNoRetry));
    QVERIFY2(queue.status == 200, queue.body.c_str());
    const std::string base = "/compute/queues/" + queue.text("token");
    const std::string file = api_->engine.path("flag");
    const Reply failed = api_->post(base + "/jobs?wait=60", api_->engine.shJson("test -e " + file));
    QCOMPARE(failed.text("state"), std::string("failed"));
    const std::string job = base + "/jobs/" + std::to_string(failed.number("lsn"));
    QCOMPARE(api_->post(job).status, 409); // at the limit
    std::ofstream(file) << "x";
    const Reply forced = api_->post(job, "{\"force\":true}");
    QVERIFY2(forced.status == 200, forced.body.c_str());
    QCOMPARE(forced.number("retry_count"), std::int64_t(1));
    QCOMPARE(api_->get(job + "?wait=60").text("state"), std::string("completed"));
    QCOMPARE(api_->post(job, "{\"force\":true}").status, 409);
}

void ApiRoutesTest::pendingActionsArePatched() {
    const auto queue = api_->post("/compute/queues").number("queue_id");
    const auto lsn = api_->sh("true", ",\"hold\":true");
    const std::string target = fmt::format("/compute/jobs/{}", lsn);
    const Reply patched = api_->call("PATCH", target, fmt::format("{{\"priority\":7,\"queue\":{}}}", queue));
    QCOMPARE(patched.status, 200);
    QCOMPARE(patched.number("priority"), 7);
    QCOMPARE(patched.number("queue_id"), queue);
    QCOMPARE(api_->get(fmt::format("/compute/queues/{}", queue)).number("pending"), 1);
    QCOMPARE(api_->call("PATCH", target, "{\"queue\":4711}").status, 404);
    QCOMPARE(api_->post(target + "/release").status, 200);
    QCOMPARE(api_->get(target + "?wait=60").text("state"), "completed");
    QCOMPARE(api_->call("PATCH", target, "{\"priority\":1}").status, 409);
    QCOMPARE(api_->get(fmt::format("/compute/queues/{}", queue)).number("completed"), 1);
}

void ApiRoutesTest::anElementOfAnArrayIsAskedForAlone() {
    const auto posted = api_->post(
        "/compute/jobs", api_->engine.shJson("echo {index}", R"(,"hold":true,"array":{"from":10,"to":12})"));
    const std::string last = fmt::format("/compute/jobs/{}/spec", posted.number("lsn") + 2);
    QVERIFY2(api_->get(last).body.contains(R"("array":{"from":10,"to":12})"), api_->get(last).body.c_str());
    QVERIFY(api_->get(last + "?element=1").body.contains(R"("array":{"from":12,"to":12})"));
    const auto alone = api_->sh("true", R"(,"hold":true)");
    QVERIFY(!api_->get(fmt::format("/compute/jobs/{}/spec?element=1", alone)).body.contains("array"));
    QCOMPARE(api_->get(last + "?element=2").status, 422);
}

void ApiRoutesTest::reasonsForWaitingAreTold() {
    const auto lsn = api_->sh("true", ",\"hold\":true");
    const auto child = api_->sh("true", ",\"after\":[" + std::to_string(lsn) + "]");
    Reply why = api_->get("/compute/jobs/" + std::to_string(lsn) + "/why");
    QCOMPARE(why.status, 200);
    QCOMPARE(why.body, "{\"lsn\":" + std::to_string(lsn) +
                           ",\"state\":\"pending\",\"waits\":[{\"kind\":\"hold\",\"of\":"
                           "\"action\",\"message\":\"it is held\"}]}");
    why = api_->get("/compute/jobs/" + std::to_string(child) + "/why");
    QVERIFY2(why.body.find("\"kind\":\"dependency\",\"lsn\":" + std::to_string(lsn)) != why.body.npos,
             why.body.c_str());
    QCOMPARE(api_->get("/compute/jobs/" + std::to_string(lsn)).text("note"), "it is held");
    QCOMPARE(api_->post("/compute/jobs/" + std::to_string(lsn) + "/release").status, 200);
    QCOMPARE(api_->get("/compute/jobs/" + std::to_string(child) + "?wait=60").text("state"), "completed");
    why = api_->get("/compute/jobs/" + std::to_string(child) + "/why");
    QCOMPARE(why.body, "{\"lsn\":" + std::to_string(child) + ",\"state\":\"completed\",\"waits\":[]}");
}

void ApiRoutesTest::locksAreListed() {
    QCOMPARE(api_->get("/compute/locks").body, std::string("{\"locks\":[]}"));
    const auto holds = api_->sh("sleep 30", ",\"locks\":[\"app:x\"]");
    const auto waits = api_->sh("true", ",\"locks\":[\"app:x\"]");
    const std::string path = "/compute/jobs/" + std::to_string(waits);
    QVERIFY(QTest::qWaitFor(
        [&] { return api_->get(path + "/why").body.contains("\"kind\":\"lock\",\"name\":\"app:x\""); }, kWaitMs));
    const Reply why = api_->get(path + "/why");
    QVERIFY2(why.body.contains("\"lsn\":" + std::to_string(holds) + ",\"pid\":" + std::to_string(::getpid())),
             why.body.c_str());
    // Once its process has begun.
    QVERIFY(QTest::qWaitFor([&] { return api_->get("/compute/locks").body.contains("\"held_since\":"); }, kWaitMs));
    const boost::json::array locks = api_->get("/compute/locks").json().at("locks").as_array();
    QCOMPARE(locks.size(), std::size_t{1});
    const boost::json::object& lock = locks[0].as_object();
    QCOMPARE(std::string(lock.at("name").as_string()), std::string("app:x"));
    QCOMPARE(lock.at("holder").at("lsn").as_int64(), holds);
    QCOMPARE(lock.at("waiting").at(0).as_int64(), waits);
    QVERIFY(lock.at("held_since").as_int64() > 0);
    QCOMPARE(api_->get("/compute/locks?x=1").status, 400);
    QCOMPARE(api_->post("/compute/jobs/" + std::to_string(holds) + "/cancel").status, 200);
    QCOMPARE(api_->get(path + "?wait=60").text("state"), "completed");
}

void ApiRoutesTest::listsAreFilteredAndPaged() {
    const Reply queue = api_->post("/compute/queues", "{\"tag\":\"pages\"}");
    const std::string id = std::to_string(queue.number("queue_id"));
    for (int i = 0; i < 5; ++i)
        QCOMPARE(api_->post("/compute/queues/" + id + "/jobs?wait=60",
                            api_->engine.shJson("true", ",\"label\":\"p" + std::to_string(i) + "\""))
                     .status,
                 200);
    const auto labelsOf = [](const boost::json::array& jobs) {
        std::string text;
        for (const auto& job : jobs) text += std::string(job.as_object().at("label").as_string());
        return text;
    };
    const auto labels = [&](const Reply& reply) { return labelsOf(reply.json().at("jobs").as_array()); };
    QCOMPARE(labels(api_->get("/compute/jobs?queue=" + id)), std::string("p4p3p2p1p0"));
    QCOMPARE(labels(api_->get("/compute/jobs?sort=lsn&queue=" + id)), std::string("p0p1p2p3p4"));
    QCOMPARE(labels(api_->get("/compute/jobs?label=p2&queue=" + id)), std::string("p2"));
    QCOMPARE(labelsOf(api_->listed("q=state:completed+queue:" + id)), std::string("p4p3p2p1p0"));
    QCOMPARE(labelsOf(api_->listed("q=finished%3E-10min+new:yesterday..today+queue:" + id)),
             std::string("p4p3p2p1p0"));
    QCOMPARE(labelsOf(api_->listed("q=finished:..-10min+queue:" + id)), std::string());
    QCOMPARE(labels(api_->get("/compute/jobs?state=failed,running&queue=" + id)), std::string());
    std::string all;
    std::string cursor;
    for (int page = 0; page < 10; ++page) {
        const Reply reply =
            api_->get("/compute/jobs?limit=2&queue=" + id + (cursor.empty() ? "" : "&cursor=" + cursor));
        QCOMPARE(reply.status, 200);
        all += labels(reply);
        cursor = reply.text("cursor");
        if (cursor.empty()) break;
    }
    QCOMPARE(all, std::string("p4p3p2p1p0"));
    QCOMPARE(labels(api_->get("/compute/queues/" + id + "/completed")), std::string("p4p3p2p1p0"));
    QCOMPARE(labels(api_->get("/compute/queues/" + id + "/history")), std::string("p4p3p2p1p0"));
    QCOMPARE(labels(api_->get("/compute/queues/" + id + "/running")), std::string());
    QCOMPARE(api_->get("/compute/jobs/history").status, 200);
    QCOMPARE(api_->get("/compute/jobs/completed?limit=1").json().at("jobs").as_array().size(), std::size_t(1));
    const Reply slow = api_->post("/compute/jobs", kSleep);
    QVERIFY(test::EngineTest::eventually(
        [&] { return !api_->get("/compute/jobs/running").json().at("jobs").as_array().empty(); }));
    QCOMPARE(api_->post("/compute/jobs/" + std::to_string(slow.number("lsn")) + "/cancel").status, 200);
}

void ApiRoutesTest::queuesLiveAndDie() {
    const Reply made = api_->post("/compute/queues", "{\"tag\":\"nightly\",\"config\":{\"max_retries\":7}}");
    QCOMPARE(made.status, 200);
    QCOMPARE(made.text("tag"), std::string("nightly"));
    const auto namedWith = [&](std::size_t bytes) {
        return api_->post("/compute/queues", R"({"tag":")" + std::string(bytes, 't') + "\"}");
    };
    QCOMPARE(namedWith(kMaxTag).text("tag").size(), kMaxTag);
    QCOMPARE(namedWith(kMaxTag + 1).text("field"), std::string("tag"));
    QCOMPARE(made.json().at("config").as_object().at("max_retries").as_int64(), std::int64_t(7));
    const std::string queue = "/compute/queues/" + made.text("token");
    QCOMPARE(api_->get(queue).number("queue_id"), made.number("queue_id"));
    QCOMPARE(api_->call("PATCH", queue, "{\"config\":{\"weight\":2}}").status, 200);
    QCOMPARE(api_->get(queue).json().at("config").as_object().at("max_retries").as_int64(), std::int64_t(7));
    QVERIFY(api_->post(queue + "/hold").json().at("held").as_bool());
    QCOMPARE(api_->post(queue + "/jobs", kTrue).status, 200);
    QCOMPARE(api_->get(queue).number("pending"), std::int64_t(1));
    QVERIFY(!api_->post(queue + "/release").json().at("held").as_bool());
    QCOMPARE(api_->post(queue + "/drain").text("state"), std::string("draining"));
    QCOMPARE(api_->post(queue + "/jobs", kTrue).status, 409);
    const auto refused = [&](const std::string& verb) {
        const Reply reply = api_->post(queue + verb);
        return fmt::format("{} {}", reply.status, reply.text("message"));
    };
    const std::int64_t number = made.number("queue_id");
    QCOMPARE(refused("/drain"),
             fmt::format("409 Queue {} is draining already, for good: make another one for new work.", number));
    QCOMPARE(api_->post(queue + "/cancel").text("state"), std::string("cancelled"));
    QCOMPARE(
        refused("/cancel"),
        fmt::format("409 Queue {} is cancelled already: delete it, or make another one for new work.", number));
    bool listed = false;
    for (const auto& one : api_->get("/compute/queues").json().at("queues").as_array())
        listed = listed || one.as_object().at("queue_id").as_int64() == made.number("queue_id");
    QVERIFY(listed);
    QCOMPARE(api_->call("DELETE", queue).status, 200);
    QCOMPARE(api_->get(queue).status, 404);
}

void ApiRoutesTest::aQueueShowsItsOwnActionsOnly() {
    const Reply queue = api_->post("/compute/queues");
    QCOMPARE(queue.status, 200);
    const std::int64_t elsewhere = api_->post("/compute/jobs?wait=60", kTrue).number("lsn");
    const std::string base = "/compute/queues/" + std::to_string(queue.number("queue_id"));
    QCOMPARE(api_->get(base + "/jobs/" + std::to_string(elsewhere)).status, 404);
    QCOMPARE(api_->get(base + "/jobs/" + std::to_string(elsewhere) + "/stdout").status, 404);
    QCOMPARE(api_->call("DELETE", base + "/jobs/" + std::to_string(elsewhere)).status, 404);
    QCOMPARE(api_->get("/compute/jobs/" + std::to_string(elsewhere)).status, 200);
    QCOMPARE(api_->get(base + "/workers").status, 200);
}

void ApiRoutesTest::theSessionMoves() {
    ApiTest own;
    QCOMPARE(own.post("/compute/hold").status, 200);
    const std::string job = "/compute/jobs/" + std::to_string(own.sh("true"));
    QCOMPARE(own.get(job + "?wait=0.1").text("state"), std::string("pending"));
    QCOMPARE(own.post("/compute/release").status, 200);
    QCOMPARE(own.get(job + "?wait=60").text("state"), std::string("completed"));
    QCOMPARE(own.post("/compute/session/drain").text("state"), std::string("draining"));
    QCOMPARE(own.post("/compute/session/drain").status, 409);
    QCOMPARE(own.post("/compute/jobs", kTrue).status, 503);
    QCOMPARE(own.get("/health").status, 200);
    QCOMPARE(own.post("/compute/session/pause").status, 200);
    QCOMPARE(own.post("/compute/abandon").status, 200);
    QCOMPARE(own.get("/health").status, 503);
    QCOMPARE(own.get("/compute/session").text("state"), std::string("abandoned"));
    QCOMPARE(own.post("/compute/session/pause").status, 409);
    QCOMPARE(own.post("/compute/session/sunset").status, 200);
    // From then on, though nothing has ended yet.
    QCOMPARE(own.get("/health").text("session"), std::string("sunset"));
    QCOMPARE(own.get("/compute/session").text("state"), std::string("sunset"));
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ApiRoutesTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_api.moc"
