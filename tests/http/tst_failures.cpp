// Failures by likeness over a real engine: what the route says of a mix, changes by a group's filter, mutes.
#include "core/engine/reading/failures.h"
#include "core/engine/state/failure_mutes.h"
#include "core/engine/state/failures_view.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QTest>

#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::http;

class FailuresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup() { api_.reset(); }
    void whatFailedAlikeIsOneGroup();
    void aFilterAndATimeNarrowThem();
    void theCountsOfOneGroup();
    void aGroupIsListedAndRunAgainByItsFilter();
    void aMuteIsSaidAndTakenBack();
    void aMuteSurvivesARestart();
    void wrongRequestsAreRefused_data();
    void wrongRequestsAreRefused();

private:
    /// Ended when this returns.
    Lsn fail(const std::string& script, const std::string& queue = "/compute") {
        const Reply done = api_->post(queue + "/jobs?wait=60", api_->engine.shJson(script, R"(,"max_retries":0)"));
        return Lsn(done.number("lsn"));
    }
    boost::json::object answer(const std::string& query = {}) {
        const Reply reply = api_->get("/compute/failures" + query);
        return reply.status == 200 ? reply.json() : boost::json::object{{"groups", boost::json::array()}};
    }
    /// The one with this line; empty: there is none.
    boost::json::object group(const std::string& line, const std::string& query = {}) {
        const boost::json::object all = answer(query);
        for (const auto& value : all.at("groups").as_array())
            if (value.at("line").as_string() == line) return value.as_object();
        return {};
    }
    std::string idOf(const std::string& line) { return std::string(group(line).at("id").as_string()); }
    static std::vector<std::int64_t> numbers(const boost::json::object& object, std::string_view member) {
        std::vector<std::int64_t> found;
        for (const auto& value : object.at(member).as_array()) found.push_back(value.as_int64());
        return found;
    }

    std::unique_ptr<ApiTest> api_;
    std::string queue_; ///< "/compute/queues/1"
    Lsn first_, second_, third_;
};

static const std::string kLine = "error: cannot open <path>: No such file";

/// Two of one kind in queue 0, one of it in another, and others.
void FailuresTest::init() {
    api_ = std::make_unique<ApiTest>();
    queue_ =
        fmt::format("/compute/queues/{}", api_->post("/compute/queues", R"({"tag":"nightly"})").number("queue_id"));
    first_ = fail("echo 'error: cannot open /tmp/a1: No such file' >&2; exit 3");
    second_ = fail("echo 'error: cannot open /tmp/b2: No such file' >&2; exit 3");
    third_ = fail("echo 'error: cannot open /tmp/b2: No such file' >&2; exit 3", queue_);
    fail("exit 4");
    fail("kill -9 $$");
    fail("true");
}

void FailuresTest::whatFailedAlikeIsOneGroup() {
    const boost::json::object all = answer();
    QCOMPARE(all.at("total").as_int64(), 5);
    QVERIFY(all.at("exact").as_bool());
    QCOMPARE(all.at("groups").as_array().size(), std::size_t(3));
    const boost::json::object largest = all.at("groups").as_array().at(0).as_object();
    QCOMPARE(std::string(largest.at("line").as_string()), kLine);
    QCOMPARE(largest.at("count").as_int64(), 3);
    QCOMPARE(std::string(largest.at("reason").as_string()), std::string("exit_code"));
    QCOMPARE(numbers(largest, "lsns"), (std::vector{third_.value, second_.value, first_.value}));
    QCOMPARE(numbers(largest, "queues").front(), 0);
    QCOMPARE(std::string(largest.at("workers").as_array().at(0).as_string()), std::string("exec"));
    QCOMPARE(largest.at("machines").as_array().size(), std::size_t(1));
    const auto endOf = [&](Lsn lsn) {
        return api_->get(fmt::format("/compute/jobs/{}", lsn.value))
            .json()
            .at("timestamps")
            .at("failed")
            .as_int64();
    };
    QCOMPARE(largest.at("first").as_int64(), endOf(first_));
    QCOMPARE(largest.at("last").as_int64(), endOf(third_));
    QCOMPARE(largest.at("muted").as_bool(), false);
    const std::vector<std::int64_t> hours = numbers(largest, "hours");
    QCOMPARE(hours.size(), engine::kFailureHours);
    QCOMPARE(std::accumulate(hours.begin(), hours.end(), std::int64_t{0}), 3);
    QVERIFY(hours.back() >= 1);
    QCOMPARE(group("exit code 4").at("count").as_int64(), 1);
    QCOMPARE(group("killed by SIGKILL; it printed nothing").at("count").as_int64(), 1);
}

void FailuresTest::aFilterAndATimeNarrowThem() {
    QCOMPARE(group(kLine, "?q=queue:nightly").at("count").as_int64(), 1);
    QCOMPARE(group(kLine, "?q=queue:0").at("count").as_int64(), 2);
    QCOMPARE(answer("?q=reason:signal").at("total").as_int64(), 1);
    QCOMPARE(answer("?q=state:completed").at("total").as_int64(), 0);
    const std::int64_t last = group(kLine).at("last").as_int64();
    QCOMPARE(group(kLine, fmt::format("?since={}", last)).at("count").as_int64(), 1);
    QVERIFY(group(kLine, fmt::format("?since={}", last + 1)).empty());
}

void FailuresTest::theCountsOfOneGroup() {
    const boost::json::object detail = answer("?group=" + idOf(kLine));
    QCOMPARE(std::string(detail.at("line").as_string()), kLine);
    QCOMPARE(detail.at("count").as_int64(), 3);
    const auto text = [](const boost::json::value& counts) {
        std::string words;
        for (const auto& one : counts.at("values").as_array())
            words +=
                fmt::format("{} {};", std::string_view(one.at("value").as_string()), one.at("count").as_int64());
        return words;
    };
    QCOMPARE(text(detail.at("by").at("queue")), "0 2;" + queue_.substr(queue_.rfind('/') + 1) + " 1;");
    QCOMPARE(text(detail.at("by").at("worker")), std::string("exec 3;"));
    QCOMPARE(detail.at("parts").as_array().size(), std::size_t(1));
    QCOMPARE(std::string(detail.at("parts").at(0).at("mask").as_string()), std::string("<path>"));
    QCOMPARE(text(detail.at("parts").at(0)), std::string("/tmp/b2 2;/tmp/a1 1;"));
    std::int64_t sum = 0;
    for (const auto& hour : detail.at("hours").as_array()) sum += hour.at("count").as_int64();
    QCOMPARE(sum, 3);
}

void FailuresTest::aGroupIsListedAndRunAgainByItsFilter() {
    const std::string filter(group(kLine).at("filter").as_string());
    QCOMPARE(api_->listed("q=" + filter).size(), std::size_t(3));
    const Reply dry = api_->post("/compute/jobs/retry", fmt::format(R"({{"filter":"{}","dry_run":true}})", filter));
    QCOMPARE(dry.status, 200);
    const Reply retried =
        api_->post("/compute/jobs/retry", fmt::format(R"({{"filter":"{}","force":true}})", filter));
    QCOMPARE(retried.number("changed"), 3);
    for (const Lsn lsn : {first_, second_, third_})
        QCOMPARE(api_->get(fmt::format("/compute/jobs/{}?wait=60", lsn.value)).number("retry_count"), 1);
    QCOMPARE(group(kLine).at("count").as_int64(), 3);
}

void FailuresTest::aMuteIsSaidAndTakenBack() {
    const std::string id = idOf(kLine);
    const WallMicros until = wallNow() + 3'600'000'000;
    const auto mute = [&](WallMicros time) {
        return api_->post("/compute/failures/mute", fmt::format(R"({{"group":"{}","until":{}}})", id, time));
    };
    const Reply muted = mute(until);
    QCOMPARE(muted.status, 200);
    QCOMPARE(muted.number("until"), until);
    QCOMPARE(group(kLine).at("muted").as_bool(), true);
    QCOMPARE(group(kLine).at("muted_until").as_int64(), until);
    QCOMPARE(group(kLine).at("count").as_int64(), 3);
    QCOMPARE(answer("?group=" + id).at("muted_until").as_int64(), until);
    QCOMPARE(group("exit code 4").at("muted").as_bool(), false);
    QCOMPARE(mute(0).status, 200);
    QCOMPARE(group(kLine).at("muted").as_bool(), false);
    const Reply again = mute(0);
    QCOMPARE(again.status, 404);
    QVERIFY2(again.text("message").contains(id + " is not muted"), again.body.c_str());
}

void FailuresTest::aMuteSurvivesARestart() {
    const std::string id = idOf(kLine);
    const WallMicros until = wallNow() + 3'600'000'000;
    test::EngineTest& engine = api_->engine;
    const auto muted = engine.run(engine->ask(&engine::FailureMutes::set, id, until));
    QVERIFY(muted);
    engine.stop();
    engine.start();
    const auto all = engine.run(engine->ask(&engine::Failures::groups, {}));
    QVERIFY(all);
    QCOMPARE(all->groups.front().id, id);
    QCOMPARE(all->groups.front().count, 3);
    QCOMPARE(all->groups.front().mutedUntil, until);
}

void FailuresTest::wrongRequestsAreRefused_data() {
    QTest::addColumn<QByteArray>("query");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("contains");
    const auto row = [](const char* name, const char* query, const char* body, int status, const char* contains) {
        QTest::newRow(name) << QByteArray(query) << QByteArray(body) << status << QByteArray(contains);
    };
    row("a group that is none", "?group=12", "", 422, "id of a group");
    row("a group that nothing is in", "?group=0123456789abcdef", "", 404, "0123456789abcdef");
    row("a time that is none", "?since=yesterday", "", 422, "since");
    row("a filter that is none", "?q=colour:red", "", 422, "colour");
    row("a filter of no group", "?q=failure:12", "", 422, "yardctl failures");
    row("something else", "?until=5", "", 400, "until");
    row("a mute of nothing", "", R"({"until":5})", 422, "id of a group");
    row("a mute without a time", "", R"({"group":"0123456789abcdef"})", 422, "until");
    row("a mute until a word", "", R"({"group":"0123456789abcdef","until":"soon"})", 422, "until");
    row("the end of no mute", "", R"({"group":"0123456789abcdef","until":0})", 404,
        "0123456789abcdef is not muted");
    row("a mute with more", "", R"({"group":"0123456789abcdef","until":5,"why":"x"})", 422, "why");
}

void FailuresTest::wrongRequestsAreRefused() {
    QFETCH(QByteArray, query);
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    QFETCH(QByteArray, contains);
    const Reply reply = body.isEmpty() ? api_->get("/compute/failures" + query.toStdString())
                                       : api_->post("/compute/failures/mute", body.toStdString());
    QVERIFY2(reply.status == status, reply.body.c_str());
    QVERIFY2(reply.text("message").contains(contains.toStdString()), reply.body.c_str());
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    FailuresTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_failures.moc"
