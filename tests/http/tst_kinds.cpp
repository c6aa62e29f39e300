// The memory of work over a real engine: what counts, how it is asked for, and what a restart keeps.
#include "core/base/files.h"
#include "core/engine/running/kind_keeper.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::http;

class KindsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { api_ = std::make_unique<ApiTest>(); }
    void cleanup() { api_.reset(); }
    void whatEndedIsCountedByItsKind();
    void whatNeverRanIsNotCounted();
    void aKindIsShownByMachineAndDay();
    void pagesFollowEachOtherInTheOrderThatIsAskedFor();
    void inputsThatBothWorkAndFailAreShownWithTheirLines();
    void aKindWithASlashInItsNameIsFound();
    void withoutAChangeThereIsNoRegression();
    void aJumpIsARegressionSinceTheVersionThatCameThen();
    void othersGetAnEstimate();
    void aCleanStopKeepsWhatIsKnown();
    void aKindAsksForTheMemoryThatItTook();
    void wrongRequestsAreRefused_data();
    void wrongRequestsAreRefused();

private:
    void saysWhatAQueueThatSuggestsWouldAsk();

    /// Ended when this returns.
    std::int64_t run(const std::string& label, const std::string& script, const std::string& more = {}) {
        return api_
            ->post("/compute/jobs?wait=60",
                   api_->engine.shJson(script, fmt::format(R"(,"label":"{}"{})", label, more)))
            .number("lsn");
    }
    /// Of GET kinds; empty: there is none of this name.
    boost::json::object kind(const std::string& name) {
        const boost::json::object all = api_->get("/compute/kinds").json();
        for (const auto& value : all.at("kinds").as_array())
            if (value.at("kind").as_string() == name) return value.as_object();
        return {};
    }
    std::string names(const std::string& query) {
        std::string all;
        const boost::json::object answer = api_->get("/compute/kinds" + query).json();
        for (const auto& value : answer.at("kinds").as_array())
            all += (all.empty() ? "" : " ") + std::string(value.at("kind").as_string());
        return all;
    }

    std::unique_ptr<ApiTest> api_;
};

void KindsTest::whatEndedIsCountedByItsKind() {
    run("work", "true");
    run("work", "exit 3", R"(,"max_retries":0)");
    const boost::json::object one = kind("exec:work");
    QVERIFY(!one.empty());
    QCOMPARE(one.at("runs").as_int64(), 2);
    QCOMPARE(one.at("failed").as_int64(), 1);
    QCOMPARE(one.at("reasons").as_object().at("exit_code").as_int64(), 1);
    QVERIFY(one.at("duration").as_object().at("p50").to_number<double>() >= 0);
    QVERIFY(one.contains("wait") && one.contains("output_bytes"));
    QCOMPARE(one.at("estimate").as_object().at("runs").as_int64(), 1);
    QVERIFY(!one.contains("flaky") && !one.contains("regression") && !one.contains("learned_memory_bytes"));
}

void KindsTest::whatNeverRanIsNotCounted() {
    const std::int64_t lsn =
        api_->post("/compute/jobs", api_->engine.shJson("true", R"(,"label":"held","hold":true)")).number("lsn");
    api_->post(fmt::format("/compute/jobs/{}/cancel", lsn));
    run("other", "true");
    QVERIFY(kind("exec:held").empty());
}

void KindsTest::aKindIsShownByMachineAndDay() {
    run("work", "true");
    const boost::json::object one = api_->get("/compute/kinds/exec:work").json();
    QCOMPARE(std::string(one.at("kind").as_string()), std::string("exec:work"));
    QCOMPARE(one.at("machines").as_array().size(), std::size_t{1});
    QCOMPARE(one.at("machines").as_array().at(0).at("runs").as_int64(), 1);
    QCOMPARE(one.at("days").as_array().size(), std::size_t{1});
    QVERIFY(one.at("versions").as_array().empty() && one.at("weeks").as_array().empty());
}

void KindsTest::pagesFollowEachOtherInTheOrderThatIsAskedFor() {
    for (const char* label : {"a", "b", "c", "b"}) run(label, "true");
    QCOMPARE(names("?sort=kind"), std::string("exec:a exec:b exec:c"));
    QCOMPARE(names("?sort=-runs&limit=1"), std::string("exec:b"));
    const boost::json::object first = api_->get("/compute/kinds?sort=-kind&limit=2").json();
    QVERIFY(first.contains("cursor"));
    const std::string cursor(first.at("cursor").as_string());
    QCOMPARE(names("?sort=-kind&limit=2&cursor=" + cursor), std::string("exec:a"));
    QCOMPARE(names(fmt::format("?since={}", wallNow() + 3'600'000'000)), std::string());
}

void KindsTest::inputsThatBothWorkAndFailAreShownWithTheirLines() {
    // The same work each time, by a file that is there from the second one on.
    const std::string script = "test -e flag || { : > flag; echo 'error: no 17 here' >&2; exit 1; }";
    const std::int64_t failed = run("flip", script, R"(,"max_retries":0)");
    run("flip", script, R"(,"max_retries":0)");
    const boost::json::object flaky = api_->get("/compute/kinds/exec:flip/flaky").json();
    QCOMPARE(flaky.at("inputs").as_array().size(), std::size_t{1});
    const boost::json::object input = flaky.at("inputs").as_array().at(0).as_object();
    QCOMPARE(input.at("completed").as_int64(), 1);
    QCOMPARE(input.at("failed").as_int64(), 1);
    QCOMPARE(input.at("lsns").as_array().at(0).as_int64(), failed);
    QCOMPARE(std::string(flaky.at("lines").as_array().at(0).at("line").as_string()),
             std::string("error: no # here"));
    QVERIFY(kind("exec:flip").at("flaky").as_object().at("is_flaky").as_bool());
}

void KindsTest::aKindWithASlashInItsNameIsFound() {
    run("a/b c", "true");
    QCOMPARE(api_->get("/compute/kinds/exec%3Aa%2Fb%20c").status, 200);
}

void KindsTest::withoutAChangeThereIsNoRegression() {
    run("work", "true");
    QVERIFY(api_->get("/compute/regressions").json().at("regressions").as_array().empty());
}

void KindsTest::aJumpIsARegressionSinceTheVersionThatCameThen() {
    constexpr WallMicros kRunsEnd = 1'700'000'000'000'000;
    kinds::KindTable table;
    for (const char* name : {"w:steady", "w:slower"})
        for (int i = 0; i < 80; ++i) {
            const bool isAfter = i >= 40;
            kinds::Run one{
                .kind = name, .version = isAfter ? "2" : "1", .machine = "here", .end = kRunsEnd + i * 1'000'000};
            one.duration = (isAfter && one.kind == "w:slower" ? 2.0 : 1.0) + (i % 7) / 1e3;
            table.add(one);
        }
    (void)table.look(2);
    std::vector<store::DocumentRow> kept;
    for (kinds::KindDocument& document : table.takeChanged(kRunsEnd, 2, true))
        kept.push_back({.kind = std::string(engine::KindKeeper::kDocumentKind),
                        .name = std::move(document.name),
                        .body = std::move(document.body)});
    const engine::InternTable dictionary;
    engine::KindKeeper keeper({.dictionary = dictionary, .machineName = {}, .commit = {}, .now = {}});
    keeper.restore(kept);
    const Result<engine::RegressionList> found = api_->engine.run(keeper.regressions());
    QVERIFY(found);
    const engine::RegressionList& all = *found;
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(all[0].kind, std::string("w:slower"));
    QCOMPARE(all[0].change.version, std::string("2"));
    QCOMPARE(all[0].change.t, kRunsEnd + 40 * 1'000'000);
}

void KindsTest::othersGetAnEstimate() {
    run("work", "true");
    test::EngineTest& engine = api_->engine;
    const auto known = engine.run(engine->ask(&engine::KindKeeper::show, std::string("exec:work")));
    QVERIFY(known && known->row.estimate);
    QCOMPARE(known->row.estimate->runs, std::uint64_t{1});
}

void KindsTest::aCleanStopKeepsWhatIsKnown() {
    run("work", "true");
    test::EngineTest& engine = api_->engine;
    engine.stop();
    engine.start();
    const auto known = engine.run(engine->ask(&engine::KindKeeper::show, std::string("exec:work")));
    QVERIFY(known);
    QCOMPARE(known->row.figures.runs, std::uint64_t{1});
}

void KindsTest::aKindAsksForTheMemoryThatItTook() {
    api_ = std::make_unique<ApiTest>([](engine::Options& options) { options.resources.memoryMb = 256; });
    constexpr int kEnough = 20;
    // Each until its memory was looked at.
    const std::string go = api_->engine.path("go");
    std::vector<std::string> paths;
    for (int i = 0; i < kEnough; ++i)
        paths.push_back(fmt::format(
            "/compute/jobs/{}",
            api_->post("/compute/jobs", api_->engine.shJson(fmt::format("until [ -e {} ]; do sleep 0.1; done", go),
                                                            R"(,"label":"learner","resources":{"cores":0.01})"))
                .number("lsn")));
    for (const std::string& path : paths)
        QTRY_VERIFY_WITH_TIMEOUT(api_->get(path).body.contains("\"max_rss_bytes\""), kWaitMs);
    QVERIFY(writeFileAtomically(go, "", 0600));
    for (const std::string& path : paths)
        QCOMPARE(api_->get(path + "?wait=60").text("state"), std::string("completed"));
    const boost::json::object known = kind("exec:learner");
    QVERIFY(known.contains("learned_memory_bytes"));
    const double bytes = known.at("learned_memory_bytes").to_number<double>();
    const auto exact = static_cast<std::uint64_t>(std::ceil(bytes / (1 << 20)));
    const std::uint64_t step = std::max<std::uint64_t>(1, std::bit_floor(exact) / 16);
    const auto expected = static_cast<std::int64_t>((exact + step - 1) / step * step);

    // All of the memory is taken: what needs some says how much.
    const std::int64_t blocker =
        api_->post("/compute/jobs",
                   api_->engine.shJson("exec sleep 1000", R"(,"label":"blocker","resources":{"memory_mb":256})"))
            .number("lsn");
    QTRY_COMPARE(api_->get(fmt::format("/compute/jobs/{}", blocker)).text("state"), std::string("running"));
    const auto need = [&](std::int64_t lsn) -> std::int64_t {
        const boost::json::object why = api_->get(fmt::format("/compute/jobs/{}/why", lsn)).json();
        for (const auto& wait : why.at("waits").as_array())
            if (wait.at("kind").as_string() == "capacity" && wait.at("resource").as_string() == "memory_mb")
                return wait.at("need").to_number<std::int64_t>();
        return -1;
    };
    const std::string learned = R"(,"label":"learner","resources":{"memory_mb":"learned"})";
    const std::int64_t asks = api_->post("/compute/jobs", api_->engine.shJson("true", learned)).number("lsn");
    QTRY_COMPARE(need(asks), expected);
    // In a queue that learns, so does what asked for more.
    const std::int64_t queue = api_->post("/compute/queues", R"({"config":{"learn":"apply"}})").number("queue_id");
    const std::int64_t saves =
        api_->post(fmt::format("/compute/queues/{}/jobs", queue),
                   api_->engine.shJson("true", R"(,"label":"learner","resources":{"memory_mb":200})"))
            .number("lsn");
    QTRY_COMPARE(need(saves), expected);
    // Nothing is known of this one: it asks for nothing.
    const std::int64_t stranger = run("stranger", "true", R"(,"resources":{"memory_mb":"learned"})");
    QCOMPARE(api_->get(fmt::format("/compute/jobs/{}", stranger)).text("state"), std::string("completed"));
    api_->post(fmt::format("/compute/jobs/{}/cancel", blocker));
    for (const std::int64_t lsn : {asks, saves}) // the last one to end says what its kind asks for
        QCOMPARE(api_->get(fmt::format("/compute/jobs/{}?wait=60", lsn)).text("state"), std::string("completed"));
    saysWhatAQueueThatSuggestsWouldAsk();
}

/// It changes nothing of what is asked for.
void KindsTest::saysWhatAQueueThatSuggestsWouldAsk() {
    QVERIFY(!kind("exec:learner").contains("asked_memory_bytes"));
    const std::int64_t asking =
        api_->post("/compute/queues", R"({"config":{"learn":"suggest"}})").number("queue_id");
    const std::int64_t asked =
        api_->post(fmt::format("/compute/queues/{}/jobs", asking),
                   api_->engine.shJson("true", R"(,"label":"learner","resources":{"memory_mb":200})"))
            .number("lsn");
    QCOMPARE(api_->get(fmt::format("/compute/jobs/{}?wait=60", asked)).text("state"), std::string("completed"));
    QCOMPARE(kind("exec:learner").at("asked_memory_bytes").to_number<double>(), 200.0 * (1 << 20));
}

void KindsTest::wrongRequestsAreRefused_data() {
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<int>("status");
    QTest::newRow("a kind that nobody knows") << QByteArray("kinds/exec:nothing") << 404;
    QTest::newRow("its flaky inputs") << QByteArray("kinds/exec:nothing/flaky") << 404;
    QTest::newRow("another order") << QByteArray("kinds?sort=colour") << 422;
    QTest::newRow("a page of nothing") << QByteArray("kinds?limit=0") << 422;
    QTest::newRow("a page of too many") << QByteArray("kinds?limit=1001") << 422;
    QTest::newRow("a cursor that is none") << QByteArray("kinds?cursor=x") << 422;
    QTest::newRow("a time that is none") << QByteArray("kinds?since=yesterday") << 422;
    QTest::newRow("another parameter") << QByteArray("regressions?kind=x") << 400;
}

void KindsTest::wrongRequestsAreRefused() {
    QFETCH(QByteArray, path);
    QFETCH(int, status);
    const Reply reply = api_->get("/compute/" + path.toStdString());
    QVERIFY2(reply.status == status, reply.body.c_str());
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    KindsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_kinds.moc"
