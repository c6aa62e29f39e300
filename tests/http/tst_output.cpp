// What actions print, while they do and afterwards, and a server that stops meanwhile.
#include "core/base/kept_stream.h"
#include "core/engine/reading/overview.h"
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/http/raw_client.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace yard;
using namespace yard::http;

namespace {

bool exists(const std::string& path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0;
}

} // namespace

class ApiOutputTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void outputIsReadWhileItGrows_data();
    void outputIsReadWhileItGrows();
    void theEndOfAnOutputIsServedAlone();
    void outputIsFollowedThroughRetries();
    void outputOfAnAttemptIsKeptApart();
    void whatBeganHasStreamsAndWhatNeverDidHasNone();
    void ofALongOutputBothHalvesAreServed();
    void everythingIsServedOverASocket();
    void aStopCutsFollowersSoThatTheyKnow();

private:
    /// In a queue of its own that tries it again at once.
    std::int64_t shWithRetries(const std::string& script) {
        const Reply queue = api_->post("/compute/queues", "{\"config\":{\"max_retries\":2,\"backoff_s\":0.01}}");
        return api_->sh(script, "", "/compute/queues/" + queue.text("token") + "/jobs");
    }
    std::unique_ptr<ApiTest> api_;
};

void ApiOutputTest::outputIsReadWhileItGrows_data() {
    QTest::addColumn<std::string>("last");
    QTest::addColumn<std::string>("soFar");
    QTest::newRow("all") << std::string() << std::string("first\n");
    QTest::newRow("from its end") << std::string("&last=3") << gapLine({0, 3}) + "st\n";
    QTest::newRow("there is no more") << std::string("&last=6") << std::string("first\n");
}

void ApiOutputTest::outputIsReadWhileItGrows() {
    QFETCH(std::string, last);
    QFETCH(std::string, soFar);
    Api api(*api_->engine, {});
    auto server = Server::start({.host = "127.0.0.1", .port = 0}, api);
    QVERIFY(server);
    const std::string go = api_->engine.path("go" + last);
    const std::int64_t lsn = api_->sh("echo first; while [ ! -e '" + go + "' ]; do sleep 0.02; done; echo last");
    const std::string job = "/compute/jobs/" + std::to_string(lsn);
    QVERIFY(test::EngineTest::eventually([&] { return api_->get(job + "/stdout").body == "first\n"; }));
    RawClient follower((*server)->port());
    follower.send("GET " + job + "/stdout?follow=1" + last +
                  " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + api_->engine->token() + "\r\n\r\n");
    // What was printed before comes at once, the rest as it is printed.
    QVERIFY(follower.receiveUntil("st\n"));
    std::ofstream(go) << "x";
    const RawAnswer followed = follower.receive();
    QCOMPARE(followed.status, 200);
    QCOMPARE(followed.body, soFar + "last\n");
    QCOMPARE(api_->get(job + "/stdout?follow=1").body, std::string("first\nlast\n"));
    QCOMPARE(api_->get(job + "/stderr?follow=1").body, std::string());
}

void ApiOutputTest::theEndOfAnOutputIsServedAlone() {
    const std::string job = "/compute/jobs/" + std::to_string(api_->sh("echo first; echo last"));
    QCOMPARE(api_->get(job + "?wait=60").text("state"), std::string("completed"));
    QCOMPARE(api_->get(job + "/stdout?last=5").body, std::string("last\n"));
    QCOMPARE(api_->get(job + "/stdout?last=5&attempt=1").body, std::string("last\n"));
    QCOMPARE(api_->get(job + "/stdout?last=11").body, std::string("first\nlast\n"));
    QCOMPARE(api_->get(job + "/stdout?last=1000").body, std::string("first\nlast\n"));
    QCOMPARE(api_->get(job + "/stderr?last=1000").body, std::string());
    QCOMPARE(api_->get(job + "/stdout?last=5&follow=1").body, gapLine({0, 6}) + "last\n");
    QCOMPARE(api_->get(job + "/stdout?last=11&follow=1").body, std::string("first\nlast\n"));
    for (const char* wrong : {"?last=0", "?last=-1", "?last=some"})
        QCOMPARE(api_->get(job + "/stdout" + wrong).status, 422);
}

void ApiOutputTest::outputIsFollowedThroughRetries() {
    const std::string flag = api_->engine.path("second");
    const std::int64_t lsn =
        shWithRetries("echo try; if [ -e " + flag + " ]; then exit 0; fi; touch " + flag + "; exit 1");
    const std::string job = "/compute/jobs/" + std::to_string(lsn);
    QCOMPARE(api_->get(job + "/stdout?follow=1&attempt=1").body, std::string("try\n"));
    QVERIFY(api_->get(job + "/stdout?follow=1").body.ends_with("try\n"));
    QCOMPARE(api_->get(job + "?wait=60").number("retry_count"), std::int64_t(1));
}

void ApiOutputTest::outputOfAnAttemptIsKeptApart() {
    const std::string flag = api_->engine.path("third");
    const std::int64_t lsn =
        shWithRetries("if [ -e " + flag + " ]; then echo b; exit 0; fi; touch " + flag + "; echo a; exit 1");
    const std::string job = "/compute/jobs/" + std::to_string(lsn);
    QCOMPARE(api_->get(job + "?wait=60").status, 200);
    QCOMPARE(api_->get(job + "/stdout?attempt=1").body, std::string("a\n"));
    QCOMPARE(api_->get(job + "/stdout?attempt=2").body, std::string("b\n"));
    QCOMPARE(api_->get(job + "/stdout").body, std::string("b\n"));
    const Reply none = api_->get(job + "/stdout?attempt=3");
    QCOMPARE(none.status, 404);
    QVERIFY2(none.text("message").find("has no attempt 3") != std::string::npos, none.body.c_str());
}

void ApiOutputTest::whatBeganHasStreamsAndWhatNeverDidHasNone() {
    const auto job = [](std::int64_t lsn) { return "/compute/jobs/" + std::to_string(lsn); };
    const auto exec = [](const std::string& more) { return R"({"worker":"exec","max_retries":0,)" + more + "}"; };
    const auto submitted = [&](const std::string& more) {
        return api_->post("/compute/jobs", exec(more)).number("lsn");
    };
    // No program was found, no directory: an attempt all the same.
    for (const char* began : {R"("argv":["/no/such/program"])", R"("argv":["true"],"cwd":"/no/such/directory")",
                              R"("argv":["true"])"}) {
        const std::int64_t lsn = submitted(began);
        QCOMPARE(api_->get(job(lsn) + "?wait=60").status, 200);
        for (const char* stream :
             {"/stdout", "/stderr", "/stdout?attempt=1", "/stdout?last=5", "/stdout?follow=1"}) {
            const Reply reply = api_->get(job(lsn) + stream);
            QCOMPARE(reply.status, 200);
            QCOMPARE(reply.body, std::string());
            QCOMPARE(reply.contentType, std::string("application/octet-stream"));
        }
    }
    const auto refused = [&](std::int64_t lsn, const char* stream, const char* because) {
        const Reply reply = api_->get(job(lsn) + stream);
        QCOMPARE(reply.status, 404);
        QVERIFY2(reply.text("message").find(because) != std::string::npos, reply.body.c_str());
    };
    const std::int64_t held = submitted(R"("argv":["true"],"hold":true)");
    refused(held, "/stdout", "has not run");
    refused(held, "/stdout?attempt=1", "has no attempt 1");
    QCOMPARE(api_->post(job(held) + "/cancel").status, 200);
    for (const char* stream : {"/stdout", "/stderr", "/stdout?follow=1", "/stdout?attempt=1"})
        refused(held, stream, "ended before it ran");
    const std::int64_t parent = submitted(R"("argv":["false"])");
    const std::int64_t child = submitted(R"("argv":["true"],"after":[)" + std::to_string(parent) + "]");
    QCOMPARE(api_->get(job(child) + "?wait=60").status, 200);
    refused(child, "/stdout", "ended before it ran");
}

void ApiOutputTest::ofALongOutputBothHalvesAreServed() {
    QCOMPARE(api_->call("PATCH", "/compute/settings", R"({"stream_bytes":65535})").status, 422);
    QCOMPARE(api_->call("PATCH", "/compute/settings", R"({"stream_bytes":65536})").status, 200);
    const std::string go = api_->engine.path("go on");
    const std::string ready = api_->engine.path("printed");
    const std::int64_t lsn = api_->sh("seq -w 100000; touch '" + ready + "'; while [ ! -e '" + go +
                                      "' ]; do sleep 0.02; done; echo last");
    const std::string job = "/compute/jobs/" + std::to_string(lsn);
    std::string all;
    for (int i = 1; i <= 100'000; ++i) all += fmt::format("{:06}\n", i);
    const auto kept = [](const std::string& text) {
        const std::size_t half = 32'768;
        return text.substr(0, half) + gapLine({half, text.size() - half}) + text.substr(text.size() - half);
    };
    QVERIFY(test::EngineTest::eventually([&] { return exists(ready); }));
    // Asked for first, it is written to a file from then on.
    QVERIFY(test::EngineTest::eventually([&] { return api_->get(job + "/stdout").body == kept(all); }));
    // The end of it reaches over the line between the halves.
    QVERIFY(api_->get(job + "/stdout?last=40000").body == kept(all).substr(kept(all).size() - 40'000));
    std::thread opener([&] { std::ofstream(go) << "x"; });
    const Reply followed = api_->get(job + "/stdout?follow=1");
    opener.join();
    QCOMPARE(followed.status, 200);
    // It has the first half, a line wherever something was missed, the end: nothing twice, and the lines are true.
    QVERIFY(followed.body.starts_with(all.substr(0, 32'768)));
    QVERIFY(followed.body.ends_with("100000\nlast\n"));
    QCOMPARE(followed.body.find("100000\n"), followed.body.rfind("100000\n"));
    all += "last\n";
    std::size_t lines = 0;
    std::uint64_t missed = 0;
    for (std::size_t at = 0; (at = followed.body.find(kGapLineBegin, at)) != std::string::npos;) {
        const std::uint64_t here = std::stoull(followed.body.substr(at + kGapLineBegin.size()));
        missed += here;
        at += gapLine({0, here}).size();
        lines += gapLine({0, here}).size();
    }
    QVERIFY(lines > 0);
    QCOMPARE(followed.body.size() - lines + missed, all.size());
    const Reply result = api_->get(job + "?wait=60");
    QCOMPARE(result.text("state"), std::string("completed"));
    QCOMPARE(result.json().at("stdout").at("truncated").as_bool(), true);
    QCOMPARE(result.json().at("stdout").at("size").as_int64(), std::int64_t(kept(all).size()));
    QVERIFY(api_->get(job + "/stdout").body == kept(all));
    QVERIFY(api_->get(job + "/stdout?last=40000").body == kept(all).substr(kept(all).size() - 40'000));
    QCOMPARE(api_->call("PATCH", "/compute/settings", R"({"stream_bytes":null})").status, 200);
}

void ApiOutputTest::everythingIsServedOverASocket() {
    test::EngineTest engine;
    Api api(*engine, {});
    auto server = Server::start({.host = "127.0.0.1", .port = 0}, api);
    QVERIFY(server);
    const std::string common = " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + engine->token() +
                               "\r\nContent-Type: application/json\r\n";
    const auto post = [&](const std::string& target, const std::string& body) {
        return "POST " + target + common + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    };
    RawClient client((*server)->port());
    for (int i = 0; i < 50; ++i) {
        client.send(post("/compute/jobs?wait=60", kTrue));
        QCOMPARE(client.receive().status, 200);
    }
    const std::string go = engine.path("go");
    client.send(
        post("/compute/jobs", engine.shJson("echo one; while [ ! -e " + go + " ]; do sleep 0.02; done; echo two")));
    const RawAnswer submitted = client.receive();
    const std::string lsn = std::to_string(boost::json::parse(submitted.body).as_object().at("lsn").as_int64());
    client.send("GET /compute/jobs/" + lsn + "/stdout?follow=1" + common + "\r\n");
    QVERIFY(client.receiveUntil("one"));
    std::ofstream(go) << "x";
    QCOMPARE(client.receive().body, std::string("one\ntwo\n"));
    QVERIFY(test::EngineTest::eventually([&] {
        return engine.run(engine->ask(&engine::Overview::session)).counts[std::size_t(ActionState::Running)] == 0;
    }));
    // A long poll is answered when the server stops.
    client.send(post("/compute/jobs?wait=60", kSleep));
    RawClient other((*server)->port());
    other.send("GET /compute/jobs/running" + common + "\r\n");
    QCOMPARE(other.receive().status, 200);
    QVERIFY(test::EngineTest::eventually([&] {
        return engine.run(engine->ask(&engine::Overview::session)).counts[std::size_t(ActionState::Running)] > 0;
    }));
    (*server)->stop();
    QCOMPARE(client.receive().status, 202);
}

/// An end by the book would say that this is all there is, while the action goes on with the next engine.
void ApiOutputTest::aStopCutsFollowersSoThatTheyKnow() {
    test::EngineTest engine;
    Api api(*engine, {});
    auto server = Server::start({.host = "127.0.0.1", .port = 0}, api);
    QVERIFY(server);
    const Lsn lsn = engine.sh("echo one; sleep 100");
    RawClient client((*server)->port());
    client.send("GET /compute/jobs/" + std::to_string(lsn.value) +
                "/stdout?follow=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + engine->token() +
                "\r\n\r\n");
    QVERIFY(client.receiveUntil("one\n"));
    (*server)->stop();
    std::string seen;
    for (std::string more = client.receiveSome(); !more.empty(); more = client.receiveSome()) seen += more;
    QVERIFY(seen.find("Transfer-Encoding: chunked") != std::string::npos);
    QVERIFY(seen.find("\r\n0\r\n") == std::string::npos);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ApiOutputTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_output.moc"
