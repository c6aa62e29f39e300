// GET timelines?format=chrome over a real engine: what ran as a Chrome trace.
#include "core/launcher/launcher.h"
#include "core/timeline/timeline_store.h"
#include "tests/http/api_test.h"

#include <QTest>

#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::http;

class TraceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void anAttemptIsASliceWithItsPhases();
    void eachAttemptOfARetriedActionIsThere();
    void anArrowLeadsFromWhatWasWaitedFor();
    void whatGoesOnIsBegunOnly();
    void elementsAndCommandsHaveTheirNames();
    void onlyTheSpanAndTheWorkerThatAreAskedForAreThere();
    void partsWithNothingThatIsWantedDoNotEndIt();
    void wrongRequestsAreRefused();

private:
    std::vector<boost::json::object> events(const std::string& query = {}) {
        std::vector<boost::json::object> all;
        const boost::json::object trace =
            api_->get(fmt::format("/compute/timelines?format=chrome{}{}", query.empty() ? "" : "&", query)).json();
        if (const auto* list = trace.if_contains("traceEvents"))
            for (const auto& event : list->as_array()) all.push_back(event.as_object());
        return all;
    }
    /// Slices of this phase of an attempt by the name of its action.
    std::vector<boost::json::object> named(std::string_view name, std::string_view phase = "X") {
        std::vector<boost::json::object> found;
        for (boost::json::object& event : events())
            if (event.at("ph").as_string() == phase && event.at("name").as_string() == name)
                found.push_back(std::move(event));
        return found;
    }
    std::unique_ptr<ApiTest> api_;
};

void TraceTest::anAttemptIsASliceWithItsPhases() {
    const Reply done = api_->post("/compute/jobs?wait=60", api_->engine.shJson("sleep 0.1", R"(,"label":"nap")"));
    const boost::json::object times = done.json().at("timestamps").as_object();
    QTRY_COMPARE_WITH_TIMEOUT(named("nap").size(), std::size_t{1}, kWaitMs);
    const boost::json::object slice = named("nap").front();
    QCOMPARE(slice.at("ts").as_int64(), times.at("submitting").as_int64());
    QCOMPARE(slice.at("dur").as_int64(), times.at("completed").as_int64() - times.at("submitting").as_int64());
    QCOMPARE(slice.at("args").at("lsn").as_int64(), done.number("lsn"));
    QCOMPARE(slice.at("args").at("attempt").as_int64(), 1);
    QCOMPARE(slice.at("cat").as_string(), "completed");
    bool found = false;
    for (const boost::json::object& phase : named("running"))
        found = found || (phase.at("ts").as_int64() == times.at("running").as_int64() &&
                          phase.at("tid") == slice.at("tid") && phase.at("pid") == slice.at("pid"));
    QVERIFY(found);
    QCOMPARE(named("process_name", "M").size(), std::size_t{2}); // the machine, and exec
    QVERIFY(!named("thread_name", "M").empty());
}

void TraceTest::eachAttemptOfARetriedActionIsThere() {
    const Reply queue = api_->post("/compute/queues", R"({"config":{"max_retries":1,"backoff_s":0.01}})");
    (void)api_->post("/compute/queues/" + queue.text("token") + "/jobs?wait=60",
                     api_->engine.shJson("exit 1", R"(,"label":"twice")"));
    QTRY_COMPARE_WITH_TIMEOUT(named("twice").size(), std::size_t{2}, kWaitMs);
    const auto both = named("twice");
    QVERIFY(both[0].at("args").as_object().contains("retried"));
    QCOMPARE(both[1].at("args").at("attempt").as_int64(), 2);
    // An arrow leads from the one to the other: both ends are in their slices, under one id.
    const std::string id = fmt::format("{}.1", both[0].at("args").at("lsn").as_int64());
    const auto ofAction = [&](std::string_view phase) {
        std::vector<boost::json::object> arrows = named("retry", phase);
        std::erase_if(arrows, [&](const boost::json::object& arrow) { return arrow.at("id").as_string() != id; });
        return arrows;
    };
    const auto starts = ofAction("s");
    const auto ends = ofAction("f");
    QCOMPARE(starts.size(), std::size_t{1});
    QCOMPARE(ends.size(), std::size_t{1});
    const auto isIn = [](const boost::json::object& arrow, const boost::json::object& slice) {
        const std::int64_t t = arrow.at("ts").as_int64();
        const std::int64_t begin = slice.at("ts").as_int64();
        return arrow.at("pid") == slice.at("pid") && arrow.at("tid") == slice.at("tid") && t >= begin &&
               t <= begin + slice.at("dur").as_int64();
    };
    QVERIFY(isIn(starts.front(), both[0]));
    QVERIFY(isIn(ends.front(), both[1]));
}

void TraceTest::anArrowLeadsFromWhatWasWaitedFor() {
    const std::int64_t parent =
        api_->post("/compute/jobs", api_->engine.shJson("exit 0", R"(,"label":"parent")")).number("lsn");
    const std::int64_t array =
        api_->post("/compute/jobs",
                   api_->engine.shJson("exit 0", R"(,"label":"elements","array":{"from":0,"to":2})"))
            .number("lsn");
    const auto waiting = [&](const char* label) {
        const std::string more = fmt::format(R"(,"label":"{}","after":[{},{{"array":{}}}])", label, parent, array);
        return api_->post("/compute/jobs?wait=60", api_->engine.shJson("exit 0", more)).number("lsn");
    };
    // What is found for the first one is taken for the second one, too.
    const std::int64_t child = waiting("child");
    const std::int64_t other = waiting("other");
    QTRY_VERIFY_WITH_TIMEOUT(named("child").size() == 1 && named("other").size() == 1, kWaitMs);
    const auto of = [&](std::string_view phase, std::int64_t from, std::int64_t to) {
        std::vector<boost::json::object> arrows = named("after", phase);
        const std::string id = fmt::format("{}>{}", from, to);
        std::erase_if(arrows, [&](const boost::json::object& arrow) { return arrow.at("id").as_string() != id; });
        return arrows;
    };
    for (const auto& [lsn, label] : {std::pair(child, "child"), std::pair(other, "other")})
        for (const std::int64_t from : {parent, array}) {
            const boost::json::object to = named(label).front();
            QCOMPARE(of("s", from, lsn).size(), std::size_t{1});
            QCOMPARE(of("f", from, lsn).size(), std::size_t{1});
            QCOMPARE(of("f", from, lsn).front().at("ts").as_int64(), to.at("ts").as_int64());
            QCOMPARE(of("f", from, lsn).front().at("tid").as_int64(), to.at("tid").as_int64());
        }
    const boost::json::object slice = named("parent").front();
    const boost::json::object start = of("s", parent, child).front();
    const std::int64_t t = start.at("ts").as_int64();
    QVERIFY(t >= slice.at("ts").as_int64());
    QVERIFY(t <= slice.at("ts").as_int64() + slice.at("dur").as_int64());
    QCOMPARE(start.at("tid").as_int64(), slice.at("tid").as_int64());
}

void TraceTest::whatGoesOnIsBegunOnly() {
    const std::int64_t lsn =
        api_->post("/compute/jobs", R"({"worker":"exec","argv":["sleep","100"],"cwd":"/","label":"long"})")
            .number("lsn");
    QTRY_COMPARE_WITH_TIMEOUT(named("long", "B").size(), std::size_t{1}, kWaitMs);
    QVERIFY(!named("long", "B").front().contains("dur"));
    QVERIFY(named("long").empty());
    QCOMPARE(api_->post(fmt::format("/compute/jobs/{}/cancel", lsn)).status, 200);
}

void TraceTest::elementsAndCommandsHaveTheirNames() {
    (void)api_->post("/compute/jobs",
                     api_->engine.shJson("exit 0", R"(,"label":"part {index}","array":{"from":4,"to":5})"));
    (void)api_->post("/compute/jobs?wait=60", R"({"worker":"exec","argv":["echo","plain"],"cwd":"/"})");
    QTRY_COMPARE_WITH_TIMEOUT(named("part 5").size(), std::size_t{1}, kWaitMs);
    QTRY_COMPARE_WITH_TIMEOUT(named("echo plain").size(), std::size_t{1}, kWaitMs);
}

void TraceTest::onlyTheSpanAndTheWorkerThatAreAskedForAreThere() {
    const auto slices = [this](const std::string& query) {
        std::size_t count = 0;
        for (const boost::json::object& event : events(query)) count += event.at("ph").as_string() == "X" ? 1 : 0;
        return count;
    };
    QVERIFY(slices("worker=exec") > 0);
    QCOMPARE(slices("worker=nobody"), std::size_t{0});
    QCOMPARE(slices("from=1&to=2"), std::size_t{0});
}

void TraceTest::partsWithNothingThatIsWantedDoNotEndIt() {
    ApiTest api; // nothing has run: its store reads the files when it is asked
    timeline::TimelineStore store(api.engine.path("data/timeline"), {0}, {});
    std::vector<timeline::Span> spans;
    for (std::int64_t i = 1; i <= 9 * 1'024; ++i)
        spans.push_back({.lsn = Lsn(i), .begin = i * 1'000'000, .end = i * 1'000'000 + 500'000});
    QVERIFY(store.append(spans));
    const auto trace = api.get("/compute/timelines?format=chrome&worker=nobody&from=1&to=100000000000").json();
    QVERIFY(trace.contains("traceEvents"));
    QCOMPARE(trace.at("traceEvents").as_array().size(), std::size_t{1}); // the machine's name
}

void TraceTest::wrongRequestsAreRefused() {
    QCOMPARE(api_->get("/compute/timelines?format=svg").status, 422);
    QCOMPARE(api_->get("/compute/timelines?format=chrome&from=2&to=1").status, 422);
    QCOMPARE(api_->get("/compute/timelines?format=json").status, 200);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    TraceTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_trace.moc"
