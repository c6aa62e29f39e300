// Attempts of actions, each kept apart, and in what two runs differ.
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <string>

using namespace yard;
using namespace yard::http;

class AttemptsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void eachAttemptKeepsItsOwnOutputAndEnd();
    void theOneUnderWayComesLast();
    void whatNeverBeganHasNone();
    void anAttemptTellsCommandVariablesAndLimits();
    void wrongAttemptsAreNotFound();
    void twoRunsDifferInWhatWasAskedAndInTheirOutput();
    void attemptsOfOneActionAreCompared();
    void withoutAnotherTheLastGoodRunOfTheSameWorkIsTaken();
    void whereThereIsNoGoodRunItSaysSo();
    void belowAQueueOnlyItsActionsAreCompared();
    void wrongComparisonsAreRefused_data();
    void wrongComparisonsAreRefused();

private:
    /// Ended when this returns.
    std::int64_t run(const std::string& script, const std::string& more = {}) {
        return api_->post("/compute/jobs?wait=60", api_->engine.shJson(script, more)).number("lsn");
    }
    /// In a queue that tries it again at once; ended when this returns.
    std::int64_t runWithRetries(const std::string& script) {
        const Reply queue = api_->post("/compute/queues", R"({"config":{"max_retries":2,"backoff_s":0.01}})");
        return api_->post("/compute/queues/" + queue.text("token") + "/jobs?wait=60", api_->engine.shJson(script))
            .number("lsn");
    }
    Reply attempt(std::int64_t lsn, std::string_view n) {
        return api_->get(fmt::format("/compute/jobs/{}/attempts/{}", lsn, n));
    }
    /// "what name: a | b", without times.
    static std::string differences(const Reply& reply) {
        std::string text;
        const boost::json::object answer = reply.json();
        const auto* all = answer.if_contains("differences");
        if (!all) return reply.body;
        for (const auto& one : all->as_array()) {
            const boost::json::object& object = one.as_object();
            if (object.at("what").as_string() == "times") continue;
            const auto side = [&object](const char* name) {
                const auto* value = object.if_contains(name);
                return value ? boost::json::serialize(*value) : std::string();
            };
            text += fmt::format("{} {}: {} | {}{}\n", std::string(object.at("what").as_string()),
                                std::string(object.at("name").as_string()), side("a"), side("b"),
                                object.contains("line") ? " at line " + side("line") : "");
        }
        return text;
    }
    std::unique_ptr<ApiTest> api_;
};

void AttemptsTest::eachAttemptKeepsItsOwnOutputAndEnd() {
    const std::string mark = api_->engine.path("began");
    const std::int64_t lsn = runWithRetries(
        fmt::format("if [ -e {0} ]; then echo second; exit 0; fi; touch {0}; echo first; exit 3", mark));
    const Reply list = api_->get(fmt::format("/compute/jobs/{}/attempts", lsn));
    QCOMPARE(list.status, 200);
    const boost::json::object answer = list.json();
    QCOMPARE(answer.at("state").as_string(), "completed");
    const boost::json::array& attempts = answer.at("attempts").as_array();
    QCOMPARE(attempts.size(), std::size_t{2});
    QCOMPARE(attempts[0].at("state").as_string(), "failed");
    QCOMPARE(attempts[0].at("exit_code").as_int64(), 3);
    QCOMPARE(attempts[0].at("stdout").at("size").as_int64(), 6);
    QCOMPARE(attempts[1].at("state").as_string(), "completed");
    QCOMPARE(attempts[1].at("stdout").at("size").as_int64(), 7);
    QCOMPARE(attempt(lsn, "1").number("exit_code"), 3);
    QCOMPARE(attempt(lsn, "2").number("exit_code"), 0);
}

void AttemptsTest::theOneUnderWayComesLast() {
    const std::int64_t lsn = api_->post("/compute/jobs", kSleep).number("lsn");
    const std::string path = fmt::format("/compute/jobs/{}/attempts", lsn);
    QVERIFY(test::EngineTest::eventually(
        [&] { return api_->get(path).body.contains(R"("state":"running","attempts":[{"n":1)"); }));
    const boost::json::object answer = api_->get(path).json();
    QCOMPARE(answer.at("attempts").as_array().size(), std::size_t{1});
    QCOMPARE(answer.at("attempts").as_array()[0].at("state").as_string(), "running");
    QCOMPARE(attempt(lsn, "1").text("state"), std::string("running"));
    QCOMPARE(api_->post(fmt::format("/compute/jobs/{}/cancel", lsn)).status, 200);
}

void AttemptsTest::whatNeverBeganHasNone() {
    const std::int64_t lsn =
        api_->post("/compute/jobs", R"({"worker":"exec","argv":["true"],"cwd":"/","hold":true})").number("lsn");
    const boost::json::object answer = api_->get(fmt::format("/compute/jobs/{}/attempts", lsn)).json();
    QVERIFY(answer.at("attempts").as_array().empty());
    QCOMPARE(attempt(lsn, "1").status, 404);
    QCOMPARE(api_->get("/compute/jobs/999999/attempts").status, 404);
}

void AttemptsTest::anAttemptTellsCommandVariablesAndLimits() {
    const std::int64_t lsn =
        run("exit 0", R"(,"env":{"COLOUR":"blue"},"deadline_s":77,"resources":{"memory_mb":12})");
    const boost::json::object one = attempt(lsn, "1").json();
    QCOMPARE(boost::json::serialize(one.at("command")), R"(["/bin/sh","-c","exit 0"])");
    QCOMPARE(boost::json::serialize(one.at("environment")), R"({"COLOUR":"blue"})");
    QCOMPARE(one.at("limits").at("deadline_s").to_number<double>(), 77.0);
    QCOMPARE(one.at("limits").at("memory_mb").as_int64(), 12);
    QVERIFY(one.at("samples").is_array());
    const std::int64_t other = run("exit 0");
    QCOMPARE(attempt(other, "1").json().at("limits").at("deadline_s").to_number<double>(), 3'600.0);
}

void AttemptsTest::wrongAttemptsAreNotFound() {
    const std::int64_t lsn = run("exit 0");
    for (const char* n : {"2", "0", "x", "-1", "99999999999999"}) QCOMPARE(attempt(lsn, n).status, 404);
}

void AttemptsTest::twoRunsDifferInWhatWasAskedAndInTheirOutput() {
    const std::int64_t a = run("echo one; echo two; echo three", R"(,"env":{"K":"1"})");
    const std::int64_t b = run("echo one; echo 2; exit 4", R"(,"env":{"K":"2"},"max_retries":0)");
    const Reply reply = api_->get(fmt::format("/compute/jobs/{}/compare?with={}", a, b));
    QCOMPARE(reply.status, 200);
    QCOMPARE(differences(reply), "spec argv: [\"/bin/sh\",\"-c\",\"echo one; echo two; echo three\"] | "
                                 "[\"/bin/sh\",\"-c\",\"echo one; echo 2; exit 4\"]\n"
                                 "spec max_retries:  | 0\n"
                                 "environment K: \"1\" | \"2\"\n"
                                 "outcome state: \"completed\" | \"failed\"\n"
                                 "outcome exit_code: 0 | 4\n"
                                 "outcome reason:  | \"exit_code\"\n"
                                 "outcome note:  | \"2\"\n"
                                 "output stdout: \"two\" | \"2\" at line 2\n");
    QCOMPARE(reply.json().at("a").at("lsn").as_int64(), a);
    QCOMPARE(reply.json().at("b").at("lsn").as_int64(), b);
    QCOMPARE(differences(api_->get(fmt::format("/compute/jobs/{0}/compare?with={0}", a))), "");
}

void AttemptsTest::attemptsOfOneActionAreCompared() {
    const std::string mark = api_->engine.path("once");
    const std::int64_t lsn = runWithRetries(
        fmt::format("if [ -e {0} ]; then echo done; exit 0; fi; touch {0}; echo lost >&2; exit 3", mark));
    const std::string expected = "outcome state: \"failed\" | \"completed\"\n"
                                 "outcome reason: \"exit_code\" | \n"
                                 "outcome exit_code: 3 | 0\n"
                                 "outcome note: \"lost\" | \n"
                                 "output stdout:  | \"done\" at line 1\n";
    QCOMPARE(differences(api_->get(fmt::format("/compute/jobs/{0}/compare?attempt=1&with={0}.2", lsn))), expected);
    // The last good run is the attempt that healed it.
    QCOMPARE(differences(api_->get(fmt::format("/compute/jobs/{}/compare?attempt=1", lsn))), expected);
}

void AttemptsTest::withoutAnotherTheLastGoodRunOfTheSameWorkIsTaken() {
    const std::string mark = api_->engine.path("breaks");
    const std::string script = fmt::format("if [ -e {0} ]; then echo bad; exit 1; fi; echo good", mark);
    const std::string more = R"(,"label":"nightly","max_retries":0)";
    (void)run(script, more);
    const std::int64_t good = run(script, more);
    (void)run("echo another work", more);
    std::ofstream(mark) << "x";
    const std::int64_t bad = run(script, more);
    const Reply reply = api_->get(fmt::format("/compute/jobs/{}/compare", bad));
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.json().at("b").at("lsn").as_int64(), good);
    QVERIFY2(differences(reply).ends_with("output stdout: \"bad\" | \"good\" at line 1\n"), reply.body.c_str());
}

void AttemptsTest::whereThereIsNoGoodRunItSaysSo() {
    const std::int64_t lsn = run("exit 5", R"(,"label":"never good","max_retries":0)");
    const Reply reply = api_->get(fmt::format("/compute/jobs/{}/compare", lsn));
    QCOMPARE(reply.status, 404);
    QVERIFY2(reply.text("message").contains("name one with \"with\""), reply.body.c_str());
}

void AttemptsTest::belowAQueueOnlyItsActionsAreCompared() {
    const std::int64_t outside = run("exit 0", R"(,"label":"twice")");
    const std::string queue =
        "/compute/queues/" + api_->post("/compute/queues", R"({"config":{}})").text("token") + "/jobs";
    const auto runThere = [&] {
        return api_->post(queue + "?wait=60", api_->engine.shJson("exit 0", R"(,"label":"twice")")).number("lsn");
    };
    const std::int64_t first = runThere();
    QCOMPARE(api_->get(fmt::format("{}/{}/compare?with={}", queue, first, outside)).status, 404);
    QCOMPARE(api_->get(fmt::format("{}/{}/compare", queue, first)).status, 404);
    const std::int64_t second = runThere();
    QCOMPARE(api_->get(fmt::format("{}/{}/compare?with={}", queue, second, first)).status, 200);
    QCOMPARE(api_->get(fmt::format("{}/{}/compare", queue, second)).json().at("b").at("lsn").as_int64(), first);
    QCOMPARE(api_->get(fmt::format("/compute/jobs/{}/compare?with={}", first, outside)).status, 200);
}

void AttemptsTest::wrongComparisonsAreRefused_data() {
    QTest::addColumn<std::string>("query");
    QTest::addColumn<int>("status");
    QTest::newRow("no number") << std::string("with=x") << 422;
    QTest::newRow("no attempt") << std::string("with=1.") << 422;
    QTest::newRow("attempt 0") << std::string("with=1.0") << 422;
    QTest::newRow("too much") << std::string("with=1.2.3") << 422;
    QTest::newRow("unknown action") << std::string("with=999999") << 404;
    QTest::newRow("unknown attempt") << std::string("attempt=9&with=1") << 404;
    QTest::newRow("wrong attempt") << std::string("attempt=0") << 422;
}

void AttemptsTest::wrongComparisonsAreRefused() {
    QFETCH(std::string, query);
    QFETCH(int, status);
    const std::int64_t lsn = run("exit 0");
    QCOMPARE(api_->get(fmt::format("/compute/jobs/{}/compare?{}", lsn, query)).status, status);
}

int main(int argc, char** argv) {
    if (const auto launched = yard::runners::runLauncherIfAsked(argc, argv)) return *launched;
    AttemptsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_attempts.moc"
