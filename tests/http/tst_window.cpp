// What the window asks for, over a real engine: figures over time, timelines, samples, reasons, totals.
#include "core/base/moment.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/http/served.h"
#include "tests/support/waiting.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <vector>

using namespace yard;
using namespace yard::http;

namespace {

std::size_t sizeOf(const boost::json::object& object, std::string_view member) {
    const auto* value = object.if_contains(member);
    return value && value->is_array() ? value->as_array().size() : std::size_t(-1);
}

} // namespace

class WindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void wrongSpansAreRefused_data();
    void wrongSpansAreRefused();
    void figuresOverTimeAreServed();
    void theSessionSaysWhatTheEngineTakes();
    void timelinesAreServed();
    void barsOfElementsHaveTheIndexThatTheirLabelNames();
    void samplesShowWhatAnActionUses();
    void whyWorkWaitsIsCounted();
    void listsSayHowManyThereAre_data();
    void listsSayHowManyThereAre();
    void facetsAreTheTotalsOfTheirLists_data();
    void facetsAreTheTotalsOfTheirLists();
    void facetsOfAQueueAreOfThatQueueAlone();
    void wrongFacetsAreRefused_data();
    void wrongFacetsAreRefused();
    void numbersOfActionsComeAsRuns();
    void wrongListsOfNumbersAreRefused_data();
    void wrongListsOfNumbersAreRefused();
    void queuesSayHowFastTheyAre();
    void queuesSayHowManyOfTheirActionsAreHeld();
    void theSessionSaysHowFarItsLocalTimeIsAheadOfUtc();
    void allOfItComesOverASocket_data();
    void allOfItComesOverASocket();

private:
    /// What takes longer to count than a quarter of a second has a bound in place of a total: asked for again, as on a
    /// busy machine it may be anything.
    Reply listCounted(const std::string& query) {
        Reply reply;
        (void)test::EngineTest::eventually([&] {
            reply = api_->get("/compute/jobs?count=1&" + query);
            return reply.status != 200 || reply.json().contains("total");
        });
        return reply;
    }
    void submitMix();
    Reply exactly(const std::string& target);
    std::int64_t total(const std::string& query);

    std::unique_ptr<ApiTest> api_;
    bool counted_ = false; ///< what listsSayHowManyThereAre() counts is there
    std::string mix_[2];   ///< "/compute/queues/7" of both queues of submitMix()
};

void WindowTest::wrongSpansAreRefused_data() {
    QTest::addColumn<QByteArray>("query");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("contains");
    QTest::newRow("an end before the beginning") << QByteArray("from=5&to=4") << 422 << QByteArray("from");
    QTest::newRow("a time that is none") << QByteArray("from=yesterday") << 422 << QByteArray("from");
    QTest::newRow("a time before all") << QByteArray("to=-1") << 422 << QByteArray("to");
    QTest::newRow("steps longer than a year")
        << QByteArray("resolution=99999999") << 422 << QByteArray("resolution");
    QTest::newRow("something else") << QByteArray("until=4") << 400 << QByteArray("until");
}

void WindowTest::wrongSpansAreRefused() {
    QFETCH(QByteArray, query);
    QFETCH(int, status);
    QFETCH(QByteArray, contains);
    for (const char* route : {"/compute/stats?", "/compute/timelines?", "/compute/accounting?"}) {
        if (route == std::string_view("/compute/accounting?") && query.startsWith("resolution")) continue;
        const Reply reply = api_->get(route + query.toStdString());
        QVERIFY2(reply.status == status, reply.body.c_str());
        QVERIFY2(reply.text("message").find(contains.toStdString()) != std::string::npos, reply.body.c_str());
    }
}

void WindowTest::figuresOverTimeAreServed() {
    const auto stats = [&](std::string_view query) {
        return api_->get(fmt::format("/compute/stats{}", query)).json();
    };
    const auto seen = [&](std::string_view series) {
        for (const auto& value : stats("?resolution=1").at("series").at(series).as_array())
            if (!value.is_null()) return true;
        return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(seen("cpu_others"), kWaitMs);
    QVERIFY(seen("memory_bytes"));
    const boost::json::object usual = stats("");
    QCOMPARE(usual.at("resolution").as_int64(), 2);
    const std::size_t steps = sizeOf(usual, "t");
    QVERIFY(steps >= 450);
    for (const char* series :
         {"cpu_actions", "cpu_others", "memory_bytes", "pending", "running", "completed", "failed"})
        QCOMPARE(sizeOf(usual.at("series").as_object(), series), steps);
    const boost::json::object past = stats("?from=1000000&to=2000000");
    QCOMPARE(sizeOf(past, "t"), std::size_t(0));
}

void WindowTest::theSessionSaysWhatTheEngineTakes() {
    QTRY_VERIFY_WITH_TIMEOUT(api_->get("/compute/session").json().contains("engine"), kWaitMs);
    const auto engine = api_->get("/compute/session").json().at("engine").as_object();
    QVERIFY(engine.at("rss_bytes").as_int64() > 1'000'000);
    QVERIFY(engine.at("journal_bytes").as_int64() > 0);
}

void WindowTest::timelinesAreServed() {
    const Reply done = api_->post("/compute/jobs?wait=60", api_->engine.shJson("sleep 0.2", R"(,"label":"naps")"));
    QCOMPARE(done.text("state"), std::string("completed"));
    const boost::json::object times = done.json().at("timestamps").as_object();
    const auto lanes = [&](const std::string& more) {
        const boost::json::object all = api_->get("/compute/timelines?" + more).json();
        const auto& workers = all.at("workers").as_array();
        return workers.empty() ? boost::json::array() : workers.at(0).as_object().at("lanes").as_array();
    };
    const std::string range = fmt::format("from={}&to={}", times.at("submitting").as_int64() - 1'000'000,
                                          times.at("completed").as_int64() + 1);
    QTRY_VERIFY_WITH_TIMEOUT(!lanes(range + "&resolution=0.001").empty(), kWaitMs);
    const boost::json::object lane = lanes(range + "&resolution=0.001").at(0).as_object();
    QVERIFY(lane.at("slot").as_int64() >= 1);
    QVERIFY(lane.at("machine_slot").as_int64() >= 0);
    bool found = false;
    for (const auto& value : lane.at("bars").as_array()) {
        const boost::json::object& bar = value.as_object();
        if (bar.at("lsn").as_int64() != done.number("lsn")) continue;
        found = true;
        QCOMPARE(bar.at("label").as_string(), "naps");
        QCOMPARE(bar.at("state").as_string(), "completed");
        QCOMPARE(bar.at("n").as_int64(), 1);
        QCOMPARE(bar.at("submitting").as_int64(), times.at("submitting").as_int64());
        QCOMPARE(bar.at("running").as_int64(), times.at("running").as_int64());
        QCOMPARE(bar.at("exited").as_int64(), times.at("exited").as_int64());
        QCOMPARE(bar.at("end").as_int64(), times.at("completed").as_int64());
    }
    QVERIFY(found);
    // With steps of a minute it is one of a column.
    const boost::json::object columns = lanes(range + "&resolution=60").at(0).as_object().at("columns").as_object();
    QCOMPARE(sizeOf(columns, "t"), std::size_t(1));
    QCOMPARE(sizeOf(columns, "state"), std::size_t(1));
    QVERIFY(columns.at("count").as_array().at(0).as_int64() >= 1);
    QVERIFY(lanes(range + "&worker=nobody").empty());
    QVERIFY(!lanes(range + "&worker=exec").empty());
}

void WindowTest::barsOfElementsHaveTheIndexThatTheirLabelNames() {
    const std::string array = R"(,"label":"nap {index}","array":{"from":3,"to":3})";
    const std::string range = fmt::format("from={}&resolution=0.001", wallNow() - 10'000'000);
    QCOMPARE(api_->post("/compute/jobs", api_->engine.shJson("sleep 0.2", array)).status / 100, 2);
    const auto isShown = [&] {
        const boost::json::object all = api_->get("/compute/timelines?" + range).json();
        for (const auto& worker : all.at("workers").as_array())
            for (const auto& lane : worker.as_object().at("lanes").as_array())
                for (const auto& value : lane.as_object().at("bars").as_array()) {
                    const boost::json::object& bar = value.as_object();
                    if (!bar.contains("label") || bar.at("label").as_string() != "nap {index}") continue;
                    return bar.contains("index") && bar.at("index").as_int64() == 3;
                }
        return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isShown(), kWaitMs);
}

void WindowTest::samplesShowWhatAnActionUses() {
    const std::int64_t lsn = api_->sh("while :; do :; done");
    const std::string job = fmt::format("/compute/jobs/{}", lsn);
    const auto samples = [&] { return api_->get(job + "/samples").json().at("samples").as_array(); };
    // On a busy machine it may have had no turn yet when it is looked at for the first time.
    const auto isUsed = [](const boost::json::value& look) {
        return look.at("cpu_percent").to_number<double>() > 0 && look.at("rss_bytes").as_int64() > 0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(std::ranges::any_of(samples(), isUsed), kWaitMs);
    const boost::json::value first = samples().at(0);
    const auto usageOfAll = [&] {
        std::vector<boost::json::value> all;
        for (const auto& job : api_->get("/compute/jobs/running").json().at("jobs").as_array())
            if (const auto* usage = job.as_object().if_contains("usage")) all.push_back(*usage);
        return all;
    };
    QTRY_VERIFY_WITH_TIMEOUT(usageOfAll().size() == 1 && isUsed(usageOfAll()[0]), kWaitMs);
    const auto taken = [&](const char* of) {
        return api_->get("/compute/session").json().at("machine").at(of).at("cores").to_number<double>();
    };
    QCOMPARE(taken("taken"), 1.0);
    QVERIFY(taken("resources") > 1.0);
    QCOMPARE(api_->post(job + "/cancel").status, 200);
    QCOMPARE(api_->get(job + "?wait=60").text("state"), std::string("cancelled"));
    QCOMPARE(taken("taken"), 0.0);
    // They are kept with the attempt, and are no more what it uses.
    QVERIFY(!samples().empty());
    QCOMPARE(samples().at(0), first);
    QVERIFY(!api_->get(job).json().contains("usage"));
    const Reply quick = api_->post("/compute/jobs?wait=60", api_->engine.shJson("true"));
    QCOMPARE(api_->get(fmt::format("/compute/jobs/{}/samples", quick.number("lsn"))).body,
             std::string("{\"samples\":[]}"));
    QCOMPARE(api_->get("/compute/jobs/999999999/samples").status, 404);
}

void WindowTest::whyWorkWaitsIsCounted() {
    const Reply queue = api_->post("/compute/queues", R"({"tag":"held one"})");
    const std::string held = "/compute/queues/" + queue.text("token");
    QCOMPARE(api_->post(held + "/hold").status, 200);
    const Reply many = api_->post(held + "/jobs", api_->engine.shJson("true", R"(,"array":{"from":0,"to":2499})"));
    QCOMPARE(many.status, 200);
    // Counted as held by hand, not for its queue.
    QCOMPARE(api_->post(held + "/jobs", api_->engine.shJson("true", R"(,"hold":true)")).status, 200);
    const std::int64_t alone = api_->sh("true", R"(,"hold":true)");
    const std::int64_t after = api_->sh("true", fmt::format(R"(,"after":[{}])", alone));
    const std::int64_t later = api_->sh("true", fmt::format(R"(,"not_before":{})", wallNow() + 3'600'000'000));
    const auto counted = [&] {
        std::string text;
        for (const auto& value : api_->get("/compute/session/waiting").json().at("reasons").as_array()) {
            const boost::json::object& row = value.as_object();
            const boost::json::object& wait = row.at("wait").as_object();
            text += fmt::format("{} {}{};", row.at("count").as_int64(), std::string(wait.at("kind").as_string()),
                                wait.contains("of") ? "/" + std::string(wait.at("of").as_string()) : "");
        }
        return text;
    };
    QTRY_COMPARE_WITH_TIMEOUT(counted(), std::string("2500 hold/queue;2 hold/action;1 not_before;1 dependency;"),
                              kWaitMs);
    const boost::json::object row =
        api_->get("/compute/session/waiting").json().at("reasons").as_array().at(0).as_object();
    QCOMPARE(row.at("queue_id").as_int64(), queue.number("queue_id"));
    // What its filter finds is what it counts.
    const std::string filter(row.at("filter").as_string());
    const std::string asked = QByteArray::fromStdString(filter).toPercentEncoding().toStdString();
    QCOMPARE(listCounted("q=" + asked).number("total"), 2'500);

    const boost::json::object counts = api_->get("/compute/session").json().at("counts").as_object();
    QCOMPARE(counts.at("held").as_int64(), 2);
    QCOMPARE(counts.at("retry").as_int64(), 0);
    QCOMPARE(counts.at("pending").as_int64(), 2'504);
    api_->call("DELETE", held);
    for (const std::int64_t lsn : {after, later, alone}) api_->post(fmt::format("/compute/jobs/{}/cancel", lsn));
    QTRY_COMPARE_WITH_TIMEOUT(counted(), std::string(), kWaitMs);
}

void WindowTest::listsSayHowManyThereAre_data() {
    QTest::addColumn<QByteArray>("query");
    QTest::addColumn<qint64>("total");
    const auto row = [](const char* query, qint64 total) { QTest::newRow(query) << QByteArray(query) << total; };
    row("label=counted", 30);
    row("label=counted&limit=1", 30);
    row("q=label:count*", 30);
    row("q=label:counted+state:completed", 20);
    row("label=counted&state=failed", 5);
    row("label=counted&state=pending", 5);
    row("label=counted&state=held", 5);
    row("label=counted&q=exit:3", 5);
    row("label=counted&q=counted", 30);
    row("q=label:counted+worker:exec+state:held,failed", 10);
    row("label=counted&worker=exec&state=completed", 20);
    row("label=counted&q=finished:since-00:00+finished:since-12:00", 25);
    row("label=nobody", 0);
}

void WindowTest::listsSayHowManyThereAre() {
    QFETCH(QByteArray, query);
    QFETCH(qint64, total);
    if (!counted_) {
        counted_ = true;
        const Reply queue = api_->post("/compute/queues", R"({"config":{"max_retries":0}})");
        const std::string jobs = "/compute/queues/" + queue.text("token") + "/jobs";
        const auto array = [&](const char* script, int count, const char* more) {
            api_->post(jobs, api_->engine.shJson(
                                 script,
                                 fmt::format(R"(,"label":"counted","array":{{"from":1,"to":{}}}{})", count, more)));
        };
        array("true", 20, "");
        array("exit 3", 5, "");
        array("true", 5, R"(,"hold":true)");
        const std::string self = "/compute/queues/" + queue.text("token");
        QTRY_COMPARE_WITH_TIMEOUT(api_->get(self).number("completed") + api_->get(self).number("failed"), 25,
                                  kWaitMs);
    }
    const Reply reply = listCounted(query.toStdString());
    QVERIFY2(reply.status == 200 && reply.json().contains("total"), reply.body.c_str());
    // Around midnight or noon the time of day can cut what just ended apart.
    if (query.contains("since") && reply.number("total") != total) QSKIP("the day has just begun");
    QCOMPARE(reply.number("total"), total);
    QVERIFY(!api_->get("/compute/jobs?" + query.toStdString()).json().contains("total"));
}

/// Two queues of actions that differ in state, reason, worker and label; what ends has ended.
void WindowTest::submitMix() {
    if (!mix_[0].empty()) return;
    std::int64_t ends = 0;
    const auto add = [&](int queue, const char* script, int count, const char* more) {
        const std::string array = fmt::format(R"(,"array":{{"from":1,"to":{}}}{})", count, more);
        QCOMPARE(api_->post(mix_[queue] + "/jobs", api_->engine.shJson(script, array)).status, 200);
        if (!std::string_view(more).contains("hold")) ends += count;
    };
    for (std::string& queue : mix_)
        queue = "/compute/queues/" +
                std::to_string(api_->post("/compute/queues", R"({"config":{"max_retries":0}})").number("queue_id"));
    add(0, "true", 7, R"(,"label":"mix night")");
    add(0, "exit 3", 4, R"(,"label":"mix night")");
    add(0, "kill -9 $$", 2, R"(,"label":"mix day")");
    add(0, "true", 3, R"(,"label":"mix day","hold":true)");
    add(1, "true", 5, R"(,"label":"mix day")");
    add(1, "exit 3", 1, "");
    add(1, "true", 6, R"(,"hold":true)");
    QTRY_COMPARE_WITH_TIMEOUT(
        total("q=queue:" + mix_[0].substr(16) + "," + mix_[1].substr(16) + "+state:completed,failed"), ends,
        60'000);
}

/// Asks again while the machine is too busy to count them all in time.
Reply WindowTest::exactly(const std::string& target) {
    Reply reply;
    (void)QTest::qWaitFor(
        [&] {
            reply = api_->get(target);
            const boost::json::object answer = reply.json();
            const auto* exact = answer.if_contains("exact");
            return reply.status != 200 || (answer.contains("total") && (!exact || exact->as_bool()));
        },
        60'000);
    return reply;
}

std::int64_t WindowTest::total(const std::string& query) {
    return exactly("/compute/jobs?limit=1&count=1&" + query).number("total");
}

void WindowTest::facetsAreTheTotalsOfTheirLists_data() {
    QTest::addColumn<QByteArray>("terms");
    const auto row = [](const char* terms) { QTest::newRow(terms) << QByteArray(terms); };
    row("");
    row("state:failed");
    row("state:failed,held");
    row("-state:pending label:mix*");
    row("state:pending label:*day");
    row("reason:exit_code worker:exec");
    row("machine:* tries:1");
    row("name:sh*");
}

/// Of each facet the terms of the others hold, and of each value the list that has its own term instead.
void WindowTest::facetsAreTheTotalsOfTheirLists() {
    QFETCH(QByteArray, terms);
    submitMix();
    const std::string queues = fmt::format("queue:{},{}", mix_[0].substr(16), mix_[1].substr(16));
    const auto without = [&](std::string_view key) {
        std::string rest;
        for (const QByteArray& term : (QByteArray::fromStdString(queues) + ' ' + terms).split(' '))
            if (!term.startsWith(QByteArray(key.data(), std::ssize(key)) + ':') &&
                !term.startsWith('-' + QByteArray(key.data(), std::ssize(key)) + ':'))
                rest += (rest.empty() ? "" : " ") + term.toStdString();
        return rest;
    };
    const auto encoded = [](const std::string& text) {
        return "q=" + QByteArray::fromStdString(text).toPercentEncoding().toStdString();
    };
    const std::string whole = encoded(queues + " " + terms.toStdString());
    const Reply reply = exactly("/compute/jobs/facets?by=state,queue,worker,label,reason,machine&" + whole);
    QVERIFY2(reply.status == 200, reply.body.c_str());
    const boost::json::object answer = reply.json();
    QVERIFY(answer.at("exact").as_bool());
    QCOMPARE(reply.number("total"), total(whole));
    for (const auto& [facet, counts] : answer.at("facets").as_object())
        for (const auto& [value, count] : counts.as_object()) {
            const std::string one =
                fmt::format("{} {}:\"{}\"", without(facet), std::string_view(facet), std::string_view(value));
            QVERIFY2(count.as_int64() == total(encoded(one)), (one + " in " + reply.body).c_str());
        }
}

void WindowTest::facetsOfAQueueAreOfThatQueueAlone() {
    submitMix();
    const Reply reply = exactly(mix_[1] + "/jobs/facets?by=queue,state,label,reason&q=state:pending");
    QCOMPARE(reply.number("total"), 6);
    QCOMPARE(
        reply.json().at("facets"),
        boost::json::parse(fmt::format(R"({{"queue":{{"{}":6}},"state":{{"pending":6,"completed":5,"failed":1}},)"
                                       R"("label":{{}},"reason":{{}}}})",
                                       mix_[1].substr(16))));
    const Reply own = exactly(mix_[1] + "/jobs/facets?by=state&own=1&q=state:pending");
    QCOMPARE(own.body, std::string(R"({"total":6,"exact":true,"facets":{"state":{"pending":6}}})"));
    QCOMPARE(api_->get(mix_[1] + "/jobs/facets?state=failed").json().at("facets").as_object().size(), 6u);
}

void WindowTest::wrongFacetsAreRefused_data() {
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<int>("status");
    const auto row = [](const char* target, int status) { QTest::newRow(target) << QByteArray(target) << status; };
    row("jobs/facets?by=colour", 422);
    row("jobs/facets?by=", 422);
    row("jobs/facets?by=state,", 422);
    row("jobs/facets?own=maybe", 422);
    row("jobs/facets?q=sate:failed", 422);
    row("jobs/facets?limit=5", 400);
    row("jobs/facets?queue=99999", 404);
    row("queues/99999/jobs/facets", 404);
    row("queues/0/jobs/facets?queue=7", 422);
}

void WindowTest::wrongFacetsAreRefused() {
    QFETCH(QByteArray, target);
    QFETCH(int, status);
    const Reply reply = api_->get("/compute/" + target.toStdString());
    QVERIFY2(reply.status == status, reply.body.c_str());
}

void WindowTest::numbersOfActionsComeAsRuns() {
    const Reply queue = api_->post("/compute/queues", "{}");
    const std::string self = "/compute/queues/" + queue.text("token");
    const auto add = [&](int count, const char* label) {
        return api_
            ->post(self + "/jobs", api_->engine.shJson("true", fmt::format(R"(,"label":"{}","hold":true,"array":)"
                                                                           R"({{"from":1,"to":{}}})",
                                                                           label, count)))
            .number("lsn");
    };
    const std::int64_t first = add(3, "one");
    const std::int64_t other = add(1, "two");
    const std::int64_t last = add(2, "one");
    const auto all = [&](const std::string& query) {
        std::string text;
        std::string cursor;
        for (;;) {
            const Reply part =
                api_->get(self + "/jobs/lsns?" + query + (cursor.empty() ? "" : "&cursor=" + cursor));
            if (part.status != 200) return part.body;
            text += (text.empty() || part.text("lsns").empty() ? "" : "|") + part.text("lsns");
            cursor = part.text("cursor");
            if (cursor.empty()) return fmt::format("{} of {}", text, part.number("total"));
        }
    };
    QCOMPARE(all(""), fmt::format("{}..{} of 6", last + 1, first));
    QCOMPARE(all("sort=lsn"), fmt::format("{}..{} of 6", first, last + 1));
    QCOMPARE(all("sort=lsn&limit=4"), fmt::format("{}..{}|{}..{} of 6", first, other, last, last + 1));
    QCOMPARE(all("label=one"), fmt::format("{}..{},{}..{} of 5", last + 1, last, first + 2, first));
    QCOMPARE(all("q=label:two"), fmt::format("{} of 1", other));
    QCOMPARE(all("q=label:three"), std::string(" of 0"));
    QCOMPARE(all(fmt::format("lsn={},{},1", last, first)), fmt::format("{},{} of 2", last, first));
    const Reply rows = api_->get(fmt::format("{}/jobs?lsn={},{}&label=two", self, other, last));
    QVERIFY2(rows.json().at("jobs").as_array().size() == 1, rows.body.c_str());
}

void WindowTest::wrongListsOfNumbersAreRefused_data() {
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<int>("status");
    const auto row = [](const char* target, int status) { QTest::newRow(target) << QByteArray(target) << status; };
    row("jobs?lsn=", 422);
    row("jobs?lsn=1,", 422);
    row("jobs?lsn=1,x", 422);
    row("jobs?lsn=0", 422);
    row("jobs?lsn=1..5", 422);
    row("jobs?lsn=9007199254740993", 422);
    row("jobs/lsns?lsn=-1", 422);
    row("jobs/lsns?limit=0", 422);
    row("jobs/lsns?limit=100001", 422);
    row("jobs/lsns?cursor=7", 400);
    row("jobs/lsns?count=1", 400);
    row("jobs/lsns?sort=colour", 422);
    row("jobs/lsns?q=sate:failed", 422);
    row("queues/0/jobs/lsns?queue=7", 422);
    row("queues/99999/jobs/lsns", 404);
    QTest::newRow("too many") << "jobs?lsn=1" + QByteArray(",1").repeated(1'000) << 422;
}

void WindowTest::wrongListsOfNumbersAreRefused() {
    QFETCH(QByteArray, target);
    QFETCH(int, status);
    const Reply reply = api_->get("/compute/" + target.toStdString());
    QVERIFY2(reply.status == status, reply.body.c_str());
}

void WindowTest::queuesSayHowFastTheyAre() {
    const Reply queue = api_->post("/compute/queues", "{}");
    const std::string self = "/compute/queues/" + queue.text("token");
    QCOMPARE(api_->get(self).number("per_minute"), 0);
    for (int i = 0; i < 3; ++i) api_->post(self + "/jobs?wait=60", api_->engine.shJson("true"));
    api_->post(self + "/jobs?wait=60", api_->engine.shJson("false", R"(,"max_retries":0)"));
    QCOMPARE(api_->get(self).number("failed"), 1);
    QCOMPARE(api_->get(self).number("per_minute"), 3); // what completed
}

void WindowTest::queuesSayHowManyOfTheirActionsAreHeld() {
    const Reply queue = api_->post("/compute/queues", "{}");
    const std::string self = "/compute/queues/" + queue.text("token");
    QCOMPARE(queue.number("held_actions"), 0);
    for (int i = 0; i < 3; ++i) api_->post(self + "/jobs", api_->engine.shJson("true", R"(,"hold":true)"));
    QCOMPARE(api_->get(self).number("held_actions"), 3);
    QCOMPARE(api_->get(self).number("pending"), 3);
    // What waits because its queue is held is not held by itself.
    api_->post(self + "/hold");
    api_->post(self + "/jobs", api_->engine.shJson("true"));
    QCOMPARE(api_->get(self).number("held_actions"), 3);
    api_->post(self + "/jobs/release", "{\"filter\":\"state:held\"}");
    QCOMPARE(api_->get(self).number("held_actions"), 0);
    QCOMPARE(api_->get(self).number("pending"), 4);
}

void WindowTest::theSessionSaysHowFarItsLocalTimeIsAheadOfUtc() {
    const auto told = api_->get("/compute/session").json().at("machine").at("utc_offset_s").as_int64();
    QCOMPARE(told, utcOffsetAt(wallNow()));
}

void WindowTest::allOfItComesOverASocket_data() {
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QByteArray>("contains");
    QTest::newRow("figures") << QByteArray("/compute/stats") << QByteArray("\"series\"");
    QTest::newRow("reasons") << QByteArray("/compute/session/waiting") << QByteArray("\"reasons\":[]");
    QTest::newRow("a total") << QByteArray("/compute/jobs?count=1") << QByteArray("\"total\":0");
    QTest::newRow("timelines") << QByteArray("/compute/timelines?resolution=0.5")
                               << QByteArray("\"resolution\":0.5");
}

void WindowTest::allOfItComesOverASocket() {
    QFETCH(QByteArray, target);
    QFETCH(QByteArray, contains);
    Served served;
    const RawAnswer answer = served.get(target.toStdString(), {});
    QCOMPARE(answer.status, 200);
    QVERIFY2(answer.body.find(contains.toStdString()) != std::string::npos, answer.body.c_str());
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    WindowTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_window.moc"
