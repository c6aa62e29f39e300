// Schedules over HTTP: made, read, changed, run, paused, removed; and when a line would be due.
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>
#include <memory>
#include <string>

using namespace yard;
using namespace yard::http;

class ScheduleRouteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void aScheduleIsMadeReadAndRemoved();
    void aScheduleIsChangedPausedAndResumed();
    void aScheduleIsRunByHand();
    void theNextTimesOfALineAreServed();
    void whatIsWrongIsNamed();

private:
    static std::string yearly(const std::string& name) {
        return fmt::format(R"({{"name":"{}","cron":"@yearly","action":{{"worker":"exec","argv":["true"]}}}})",
                           name);
    }
    std::unique_ptr<ApiTest> api_;
};

void ScheduleRouteTest::aScheduleIsMadeReadAndRemoved() {
    const Reply made = api_->post("/compute/schedules", yearly("first"));
    QCOMPARE(made.status, 200);
    QCOMPARE(made.text("name"), std::string("first"));
    QCOMPARE(made.json().at("times").as_array().size(), std::size_t(10));
    QVERIFY(made.json().at("next").as_int64() > 0);
    QCOMPARE(api_->post("/compute/schedules", yearly("first")).status, 409);
    QCOMPARE(api_->get("/compute/schedules/first").text("cron"), std::string("@yearly"));
    QCOMPARE(api_->get("/compute/schedules").json().at("schedules").as_array().size(), std::size_t(1));
    QCOMPARE(api_->call("DELETE", "/compute/schedules/first").status, 200);
    QCOMPARE(api_->get("/compute/schedules/first").status, 404);
}

void ScheduleRouteTest::aScheduleIsChangedPausedAndResumed() {
    QCOMPARE(api_->post("/compute/schedules", yearly("second")).status, 200);
    const Reply changed = api_->call("PATCH", "/compute/schedules/second", R"({"every_s":3600})");
    QCOMPARE(changed.status, 200);
    QVERIFY(!changed.json().contains("cron"));
    QCOMPARE(api_->post("/compute/schedules/second/pause", "").json().at("paused").as_bool(), true);
    QVERIFY(!api_->get("/compute/schedules/second").json().contains("next"));
    QCOMPARE(api_->post("/compute/schedules/second/resume", "").json().at("paused").as_bool(), false);
    QVERIFY(api_->get("/compute/schedules/second").json().contains("next"));
}

void ScheduleRouteTest::aScheduleIsRunByHand() {
    QCOMPARE(api_->post("/compute/schedules", yearly("third")).status, 200);
    const Reply run = api_->post("/compute/schedules/third/run", "");
    QCOMPARE(run.status, 200);
    QCOMPARE(run.text("outcome"), std::string("submitted"));
    const auto lsn = run.json().at("actions").as_array().at(0).as_object().at("lsn").as_int64();
    const Reply done = api_->get(fmt::format("/compute/jobs/{}?wait=60", lsn));
    QCOMPARE(done.text("label"), std::string("third"));
    QCOMPARE(api_->get("/compute/schedules/third").json().at("runs").as_array().size(), std::size_t(1));
}

void ScheduleRouteTest::theNextTimesOfALineAreServed() {
    const Reply times = api_->get("/compute/schedules/next?cron=0+0+*+*+*&timezone=UTC&from=86400000000&n=2");
    QCOMPARE(times.body, std::string(R"({"times":[172800000000,259200000000]})"));
    QCOMPARE(api_->get("/compute/schedules/next?cron=@daily").json().at("times").as_array().size(),
             std::size_t(10));
}

void ScheduleRouteTest::whatIsWrongIsNamed() {
    QCOMPARE(api_->get("/compute/schedules/next").status, 422);
    QCOMPARE(api_->get("/compute/schedules/next?cron=0+0+L+*+*").status, 422);
    QCOMPARE(api_->get("/compute/schedules/next?cron=@daily&n=1001").status, 422);
    QCOMPARE(api_->get("/compute/schedules/next?cron=@daily&timezone=No/Where").status, 422);
    QCOMPARE(api_->post("/compute/schedules", R"({"name":"next"})").status, 422);
    const std::string secret = R"("action":{"worker":"exec","argv":["x"],"env":{"MY_TOKEN":"s"}}})"; // never kept
    QCOMPARE(api_->post("/compute/schedules", R"({"name":"kept","every_s":60,)" + secret).status, 422);
    QCOMPARE(api_->post("/compute/schedules", yearly("kept")).status, 200);
    QCOMPARE(api_->call("PATCH", "/compute/schedules/kept", "{" + secret).status, 422);
    QCOMPARE(api_->call("PATCH", "/compute/schedules/none", "{}").status, 404);
    for (const char* word : {"run", "pause", "resume"})
        QCOMPARE(api_->post(fmt::format("/compute/schedules/none/{}", word), "").status, 404);
    QCOMPARE(api_->call("DELETE", "/compute/schedules/none").status, 404);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ScheduleRouteTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_schedules.moc"
