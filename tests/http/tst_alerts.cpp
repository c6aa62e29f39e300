// Alerts over HTTP: made, read, changed, silenced, tried and removed; and the events that tell of them.
#include "core/engine/alerts/alerts.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/http/served.h"
#include "tests/http/ws_client.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>
#include <memory>
#include <string>

using namespace yard;
using namespace yard::http;

class AlertRouteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void anAlertIsMadeReadChangedAndRemoved();
    void whatIsToldIsListed();
    void anAlertIsSilenced();
    void aRuleIsTried();
    void whatIsWrongIsNamed();
    void whoAsksHearsOfThemInEvents();

private:
    std::unique_ptr<ApiTest> api_;
};

void AlertRouteTest::anAlertIsMadeReadChangedAndRemoved() {
    const std::string rule =
        R"({"name":"first","on":{"kind":"disk"},"then":[{"desktop":true},{"webhook":"http://127.0.0.1/secret"}]})";
    const Reply made = api_->post("/compute/alerts", rule);
    QCOMPARE(made.status, 200);
    QCOMPARE(made.text("state"), std::string("quiet"));
    QCOMPARE(api_->post("/compute/alerts", rule).status, 409);
    const Reply changed = api_->call("PATCH", "/compute/alerts/first", R"({"hours":"08:00-20:00"})");
    QCOMPARE(changed.status, 200);
    const Reply read = api_->get("/compute/alerts/first");
    QCOMPARE(read.text("hours"), std::string("08:00-20:00"));
    QVERIFY(read.body.find("secret") != std::string::npos);
    QVERIFY(api_->get("/compute/alerts").body.find(R"("name":"first")") != std::string::npos);
    QCOMPARE(api_->call("DELETE", "/compute/alerts/first").status, 200);
    QCOMPARE(api_->get("/compute/alerts/first").status, 404);
}

void AlertRouteTest::whatIsToldIsListed() {
    QCOMPARE(api_->post("/compute/alerts",
                        R"({"name":"told","on":{"kind":"action_finished","filter":"label:tell"},)"
                        R"("quiet_s":0,"then":[{"desktop":true}]})")
                 .status,
             200);
    QCOMPARE(api_->post("/compute/jobs?wait=60", R"({"worker":"exec","argv":["true"],"label":"tell"})").status,
             200);
    const auto told = [&] { return api_->get("/compute/alerts/told").json().at("messages").as_array().size(); };
    QTRY_COMPARE_WITH_TIMEOUT(told(), std::size_t(1), kWaitMs);
    const auto message = api_->get("/compute/alerts/told").json().at("messages").as_array().at(0).as_object();
    QCOMPARE(std::string(message.at("rule").as_string()), std::string("told"));
    QVERIFY(!api_->get("/compute/alerts").json().at("fired").as_array().empty());
    QVERIFY(message.at("lsn").as_int64() > 0);
    QCOMPARE(api_->call("DELETE", "/compute/alerts/told").status, 200);
}

void AlertRouteTest::anAlertIsSilenced() {
    QCOMPARE(api_->post("/compute/alerts", R"({"name":"loud","on":{"kind":"regression"}})").status, 200);
    const Reply silenced = api_->post("/compute/alerts/loud/silence", R"({"s":60})");
    QCOMPARE(silenced.status, 200);
    QCOMPARE(silenced.text("state"), std::string("silenced"));
    QVERIFY(silenced.json().at("silenced_until").as_int64() > 0);
    QCOMPARE(api_->post("/compute/alerts/loud/silence", R"({"s":0})").text("state"), std::string("quiet"));
    for (const char* body : {"{}", R"({"s":-1})", R"({"s":"1"})", R"({"s":1,"t":1})"})
        QCOMPARE(api_->post("/compute/alerts/loud/silence", body).status, 422);
    QCOMPARE(api_->post("/compute/alerts/none/silence", R"({"s":1})").status, 404);
}

void AlertRouteTest::aRuleIsTried() {
    QCOMPARE(api_->post("/compute/jobs?wait=60", R"({"worker":"exec","argv":["true"],"label":"tried"})").status,
             200);
    const Reply tried = api_->post(
        "/compute/alerts/test", R"({"rule":{"on":{"kind":"action_finished","filter":"label:tried"},"quiet_s":0}})");
    QCOMPARE(tried.status, 200);
    // It ended just now: what would be told a second later is not over yet.
    QVERIFY(tried.json().at("looked").as_int64() > 0);
    const Reply later = api_->post(
        "/compute/alerts/test",
        fmt::format(
            R"({{"rule":{{"on":{{"kind":"action_finished","filter":"label:tried"}},"quiet_s":0}},"to":{}}})",
            4'000'000'000'000'000));
    QCOMPARE(later.json().at("count").as_int64(), std::int64_t(1));
    QCOMPARE(api_->post("/compute/alerts/test", "{}").status, 422);
}

void AlertRouteTest::whatIsWrongIsNamed() {
    QCOMPARE(api_->post("/compute/alerts", R"({"name":"test","on":{"kind":"disk"}})").text("field"),
             std::string("name"));
    QCOMPARE(api_->post("/compute/alerts", R"({"name":"a","on":{"kind":"x"}})").status, 422);
    QCOMPARE(api_->post("/compute/alerts", "[]").status, 400);
    QCOMPARE(api_->call("PATCH", "/compute/alerts/none", "{}").status, 404);
    QCOMPARE(api_->call("DELETE", "/compute/alerts/none").status, 404);
}

void AlertRouteTest::whoAsksHearsOfThemInEvents() {
    Served served;
    const auto hasAlerts = [](const boost::json::object& frame) { return frame.contains("alerts"); };
    WsClient listener(served.port(), served.engine->token(), "/compute/events?alerts=1");
    QVERIFY(listener.nextUntil(hasAlerts)); // as it begins
    WsClient other(served.port(), served.engine->token());
    QVERIFY(other.nextUntil([](const boost::json::object& frame) { return frame.contains("snapshot"); }));
    const std::string rule = R"({"name":"heard","on":{"kind":"disk"}})";
    QVERIFY(served.engine.run(served.engine->ask(&engine::Alerts::create, rule)));
    QVERIFY(listener.nextUntil(hasAlerts));
    QVERIFY(served.engine.run(served.engine->ask(&engine::Queues::create, std::string("after"), std::string())));
    bool heard = false;
    QVERIFY(other.nextUntil([&](const boost::json::object& frame) {
        heard |= frame.contains("alerts");
        return frame.contains("queues");
    }));
    QVERIFY(!heard); // who did not ask
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    AlertRouteTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_alerts.moc"
