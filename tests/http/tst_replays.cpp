// Replays over a real engine with real processes: the same again has no difference, what changed is named and nothing else.
#include "core/engine/recordings/replays.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <string>

using namespace yard;
using namespace yard::http;

class ReplaysTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { api_ = std::make_unique<ApiTest>(); }
    void cleanup() { api_.reset(); }
    void theSameAgainHasNoDifference();
    void aChangedScriptIsToldByTheOutputsThatDiffer();
    void aFailureThatIsTheSameIsNoDifference();
    void whatIsIgnoredIsNoDifference();
    void whoWaitedForAnotherWaitsForItAgain();
    void inOrderTheNextOneWaitsForTheEndOfTheOneBefore();
    void whatIsSentToAMachineSaysSo();
    void elementsOfAnArrayAreReplayedEach();
    void whatCannotBeSubmittedIsSaid();
    void anInputComesFromTheRecording();
    void aFilterLeavesOutWhatItDoesNotMean();
    void aCancelledReplayEnds();
    void wrongRequestsAreRefused_data();
    void wrongRequestsAreRefused();

private:
    std::int64_t run(const std::string& script, const std::string& more = {}) {
        return api_->post("/compute/jobs?wait=60", api_->engine.shJson(script, more)).number("lsn");
    }
    void start(const std::string& name) {
        QCOMPARE(api_->post("/compute/recordings", fmt::format(R"({{"name":"{}"}})", name)).status, 200);
    }
    void stop(const std::string& name) {
        QCOMPARE(api_->post(fmt::format("/compute/recordings/{}/stop", name)).status, 200);
    }
    /// Once it is over.
    boost::json::object replayed(const std::string& name, const std::string& terms = "{}") {
        const std::int64_t id = api_->post(fmt::format("/compute/recordings/{}/replay", name), terms).number("id");
        boost::json::object replay;
        test::EngineTest::eventually([&] {
            replay = api_->get(fmt::format("/compute/replays/{}", id)).json();
            const auto* state = replay.if_contains("state");
            return !state || state->as_string() != "running";
        });
        return replay;
    }
    boost::json::array differences(const boost::json::object& replay) {
        const auto all =
            api_->get(fmt::format("/compute/replays/{}/differences", replay.at("id").as_int64())).json();
        const auto* list = all.if_contains("differences");
        return list && list->is_array() ? list->as_array() : boost::json::array();
    }
    /// "lsn what name", in any order.
    std::set<std::string> told(const boost::json::object& replay) {
        std::set<std::string> words;
        for (const auto& value : differences(replay)) {
            const auto& one = value.as_object();
            const auto* name = one.if_contains("name");
            words.insert(fmt::format("{} {} {}", one.at("lsn").as_int64(), std::string(one.at("what").as_string()),
                                     name ? std::string(name->as_string()) : "-"));
        }
        return words;
    }
    std::string put(const std::string& bytes) {
        const std::string hash = Sha256::of(bytes).hex();
        api_->call("PUT", "/compute/chunks/" + hash, bytes, {{"Content-Type", "application/octet-stream"}});
        return hash;
    }

    std::unique_ptr<ApiTest> api_;
};

void ReplaysTest::theSameAgainHasNoDifference() {
    const std::string hash = put("what it reads\n");
    start("night");
    for (int i = 0; i < 20; ++i)
        api_->post(
            "/compute/jobs?wait=60",
            fmt::format(
                R"({{"worker":"exec","argv":["/bin/sh","-c","cat inputs/in; mkdir -p outputs; echo {} > outputs/o"],)"
                R"("inputs":{{"in":"{}"}},"expect":["o"],"label":"n{}"}})",
                i, hash, i));
    stop("night");
    const auto replay = replayed("night");
    QCOMPARE(std::string(replay.at("state").as_string()), std::string("done"));
    QCOMPARE(replay.at("actions").as_int64(), 20);
    QCOMPARE(replay.at("submitted").as_int64(), 20);
    QCOMPARE(replay.at("ended").as_int64(), 20);
    QCOMPARE(replay.at("different").as_int64(), 0);
    QCOMPARE(differences(replay).size(), std::size_t{0});
    const std::int64_t queue = replay.at("queue_id").as_int64();
    QVERIFY(queue > 0);
    QCOMPARE(api_->listed(fmt::format("queue={}", queue)).size(), std::size_t{20});
    QCOMPARE(api_->get(fmt::format("/compute/queues/{}", queue)).text("tag"),
             fmt::format("replay {} of night", replay.at("id").as_int64()));
    QCOMPARE(api_->get("/compute/replays").json().at("replays").as_array().size(), std::size_t{1});
}

void ReplaysTest::aChangedScriptIsToldByTheOutputsThatDiffer() {
    const std::string script = api_->engine.path("script");
    const auto write = [&](const std::string& text) {
        QFile file(QString::fromStdString(script));
        return file.open(QIODevice::WriteOnly) && file.write(text.c_str()) > 0;
    };
    QVERIFY(write(
        "mkdir -p $YARD_SCRATCH/outputs; echo $1 > $YARD_SCRATCH/outputs/a; echo $1 > $YARD_SCRATCH/outputs/b\n"));
    start("night");
    std::vector<std::int64_t> lsns;
    for (int i = 0; i < 10; ++i) lsns.push_back(run(fmt::format("sh ./script {}", i), R"(,"expect":["a","b"])"));
    stop("night");
    QCOMPARE(replayed("night").at("different").as_int64(), 0);
    QVERIFY(write("mkdir -p $YARD_SCRATCH/outputs; echo $1 > $YARD_SCRATCH/outputs/a\n"
                  "[ $1 -gt 7 ] && set -- other\necho $1 > $YARD_SCRATCH/outputs/b\n"));
    const auto replay = replayed("night");
    QCOMPARE(replay.at("different").as_int64(), 2);
    QCOMPARE(replay.at("differences").as_int64(), 2);
    QCOMPARE(told(replay),
             (std::set<std::string>{fmt::format("{} output b", lsns[8]), fmt::format("{} output b", lsns[9])}));
    QCOMPARE(std::string(differences(replay).at(0).at("diff").as_string()),
             std::string("@@ -1,1 +1,1 @@\n-8\n+other\n"));
    const auto page = api_->get(fmt::format("/compute/replays/{}/differences?limit=1", replay.at("id").as_int64()));
    QCOMPARE(page.text("cursor"), std::string("1"));
    QCOMPARE(page.json().at("differences").as_array().size(), std::size_t{1});
}

void ReplaysTest::aFailureThatIsTheSameIsNoDifference() {
    start("night");
    run("echo bad >&2; exit 3", R"(,"max_retries":0)");
    const std::int64_t other = run("test -e gone || { touch gone; exit 4; }", R"(,"max_retries":0)");
    stop("night");
    const auto replay = replayed("night");
    QCOMPARE(told(replay),
             (std::set<std::string>{fmt::format("{} state -", other), fmt::format("{} exit_code -", other)}));
    QCOMPARE(replay.at("different").as_int64(), 1);
}

void ReplaysTest::aFilterLeavesOutWhatItDoesNotMean() {
    start("night");
    run("exit 0");
    run("exit 3", R"(,"max_retries":0)");
    run("exit 0");
    stop("night");
    QCOMPARE(api_->get("/compute/recordings/night").number("failed"), 1);
    const auto replay = replayed("night", R"({"filter":"state:failed"})");
    QCOMPARE(replay.at("actions").as_int64(), 1);
    QCOMPARE(replay.at("submitted").as_int64(), 1);
    QCOMPARE(replay.at("different").as_int64(), 0);
    QCOMPARE(replayed("night", R"({"filter":"-state:failed"})").at("submitted").as_int64(), 2);
    QCOMPARE(replayed("night", R"({"filter":"state:abandoned"})").at("actions").as_int64(), 0);
}

void ReplaysTest::whatIsIgnoredIsNoDifference() {
    start("night");
    run("echo took $$ ms");
    stop("night");
    QCOMPARE(replayed("night").at("different").as_int64(), 1);
    QCOMPARE(replayed("night", R"({"compare":{"ignore":["stdout"]}})").at("different").as_int64(), 0);
    QCOMPARE(replayed("night", R"json({"compare":{"normalise":[{"pattern":"\\d+ ms","with":"N ms"}]}})json")
                 .at("different")
                 .as_int64(),
             0);
}

void ReplaysTest::whoWaitedForAnotherWaitsForItAgain() {
    start("night");
    const std::int64_t first = run("echo 1 > first");
    const std::int64_t second = run(
        "cat first && rm first", fmt::format(R"(,"max_retries":0,"after":[{{"lsn":{},"on":"completed"}}])", first));
    stop("night");
    const auto replay = replayed("night");
    QCOMPARE(replay.at("different").as_int64(), 0);
    const auto listed = api_->listed(fmt::format("queue={}&sort=lsn", replay.at("queue_id").as_int64()));
    QCOMPARE(listed.size(), std::size_t{2});
    const Reply spec = api_->get(fmt::format("/compute/jobs/{}/spec", listed.at(1).at("lsn").as_int64()));
    QVERIFY2(spec.body.contains(fmt::format("{}", listed.at(0).at("lsn").as_int64())), spec.body.c_str());
    Q_UNUSED(second);
}

void ReplaysTest::inOrderTheNextOneWaitsForTheEndOfTheOneBefore() {
    // None waits for another. Each leaves word that it runs, so two at once would end otherwise.
    const std::string alone = "mkdir busy || exit 1; echo alone; rmdir busy";
    start("night");
    for (int i = 0; i < 5; ++i) run(alone, R"(,"max_retries":0)");
    stop("night");
    const auto replay = replayed("night", R"({"order":"recorded"})");
    QCOMPARE(std::string(replay.at("state").as_string()), std::string("done"));
    QCOMPARE(replay.at("ended").as_int64(), 5);
    QCOMPARE(replay.at("different").as_int64(), 0);
    const auto listed = api_->listed(fmt::format("queue={}&sort=lsn", replay.at("queue_id").as_int64()));
    QCOMPARE(listed.size(), std::size_t{5});
    const auto time = [&](std::size_t i, const char* what) {
        return listed.at(i).at("timestamps").as_object().at(what).as_int64();
    };
    for (std::size_t i = 1; i < listed.size(); ++i) QVERIFY(time(i, "new") >= time(i - 1, "completed"));
}

void ReplaysTest::whatIsSentToAMachineSaysSo() {
    start("night");
    run("echo here");
    stop("night");
    const auto replay = replayed("night", R"({"to":"local"})");
    QCOMPARE(replay.at("different").as_int64(), 0);
    const auto listed = api_->listed(fmt::format("queue={}", replay.at("queue_id").as_int64()));
    QCOMPARE(listed.size(), std::size_t{1});
    const Reply spec = api_->get(fmt::format("/compute/jobs/{}/spec", listed.at(0).at("lsn").as_int64()));
    QVERIFY2(spec.body.contains(R"("machine")") && spec.body.contains(R"("local")"), spec.body.c_str());
}

void ReplaysTest::elementsOfAnArrayAreReplayedEach() {
    start("night");
    const std::int64_t lsn = api_->post("/compute/jobs", api_->engine.shJson("echo {index} $YARD_INDEX",
                                                                             R"(,"array":{"from":3,"to":5})"))
                                 .number("lsn");
    for (int i = 0; i < 3; ++i) api_->get(fmt::format("/compute/jobs/{}?wait=60", lsn + i));
    stop("night");
    const auto replay = replayed("night");
    QCOMPARE(replay.at("ended").as_int64(), 3);
    QCOMPARE(replay.at("different").as_int64(), 0);
}

void ReplaysTest::whatCannotBeSubmittedIsSaid() {
    const std::string hash = put("nobody keeps it");
    QCOMPARE(api_->post("/compute/recordings", R"({"name":"night","attachments":"none"})").status, 200);
    const std::int64_t lsn = run("cat", fmt::format(R"(,"stdin":{{"hash":"{}"}})", hash));
    stop("night");
    const Reply file = api_->get("/compute/recordings/night/file");
    ApiTest other;
    other.call("PUT", "/compute/recordings/night/file", file.body, {{"Content-Type", "application/octet-stream"}});
    api_.reset();
    const std::int64_t id = other.post("/compute/recordings/night/replay").number("id");
    boost::json::object replay;
    QVERIFY(test::EngineTest::eventually([&] {
        replay = other.get(fmt::format("/compute/replays/{}", id)).json();
        return replay.contains("state") && replay.at("state").as_string() != "running";
    }));
    QCOMPARE(std::string(replay.at("state").as_string()), std::string("done"));
    QCOMPARE(replay.at("impossible").as_int64(), 1);
    QCOMPARE(replay.at("different").as_int64(), 1);
    const auto all = other.get(fmt::format("/compute/replays/{}/differences", id)).json();
    const auto& one = all.at("differences").at(0).as_object();
    QCOMPARE(one.at("lsn").as_int64(), lsn);
    QCOMPARE(std::string(one.at("diff").as_string()),
             fmt::format("The chunk {} is neither here nor in the recording.", hash));
    QVERIFY(!one.contains("replayed"));
}

void ReplaysTest::anInputComesFromTheRecording() {
    const std::string hash = put("from the recording");
    start("night");
    run("cat", fmt::format(R"(,"stdin":{{"hash":"{}"}})", hash));
    stop("night");
    const Reply file = api_->get("/compute/recordings/night/file");
    QCOMPARE(file.status, 200);
    ApiTest other; // a second engine
    QCOMPARE(other
                 .call("PUT", "/compute/recordings/night/file", file.body,
                       {{"Content-Type", "application/octet-stream"}})
                 .status,
             200);
    const std::int64_t id = other.post("/compute/recordings/night/replay").number("id");
    boost::json::object replay;
    QVERIFY(test::EngineTest::eventually([&] {
        replay = other.get(fmt::format("/compute/replays/{}", id)).json();
        return replay.contains("state") && replay.at("state").as_string() != "running";
    }));
    // The directory of the first engine's test is there for both.
    QCOMPARE(replay.at("ended").as_int64(), 1);
    QCOMPARE(replay.at("different").as_int64(), 0);
}

void ReplaysTest::aCancelledReplayEnds() {
    start("night");
    run("test -e slow && sleep 1000; true");
    stop("night");
    run("touch slow");
    const std::int64_t id = api_->post("/compute/recordings/night/replay").number("id");
    QCOMPARE(api_->post(fmt::format("/compute/replays/{}/cancel", id)).status, 200);
    boost::json::object replay;
    QVERIFY(test::EngineTest::eventually([&] {
        replay = api_->get(fmt::format("/compute/replays/{}", id)).json();
        return replay.at("state").as_string() != "running";
    }));
    QCOMPARE(std::string(replay.at("state").as_string()), std::string("cancelled"));
    QCOMPARE(api_->post(fmt::format("/compute/replays/{}/cancel", id)).status, 409);
}

void ReplaysTest::wrongRequestsAreRefused_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("status");
    const auto row = [](const char* what, const char* body, int status) { QTest::newRow(what) << body << status; };
    row("another engine", R"({"to":"http://other:8640"})", 501);
    row("no machine", R"({"to":"a machine"})", 422);
    row("an order that is none", R"({"order":"random"})", 422);
    row("no speed", R"({"speed":0})", 422);
    row("a speed in words", R"({"speed":"slow"})", 422);
    row("a worker without a version", R"({"replace":{"worker":"thumb"}})", 422);
    row("something else replaced", R"({"replace":{"queue":"7"}})", 422);
    row("terms that are none", R"({"compare":{"colour":1}})", 422);
    row("a pattern that is none", R"({"compare":{"normalise":[{"pattern":"["}]}})", 422);
    row("an unknown member", R"({"colour":1})", 422);
    row("a list", "[]", 400);
}

void ReplaysTest::wrongRequestsAreRefused() {
    QFETCH(QString, body);
    QFETCH(int, status);
    start("night");
    QCOMPARE(api_->post("/compute/recordings/night/replay").status, 409); // it goes on
    stop("night");
    QCOMPARE(api_->post("/compute/recordings/night/replay", body.toStdString()).status, status);
    QCOMPARE(api_->post("/compute/recordings/none/replay").status, 404);
    QCOMPARE(api_->get("/compute/replays/7").status, 404);
    QCOMPARE(api_->get("/compute/replays/7/differences").status, 404);
    QCOMPARE(api_->post("/compute/replays/7/cancel").status, 404);
    QCOMPARE(replayed("night").at("actions").as_int64(), 0);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ReplaysTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_replays.moc"
