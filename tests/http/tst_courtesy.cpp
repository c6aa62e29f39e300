// GET and PATCH courtesy of a real engine, whose desk says nothing of this machine.
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>

using namespace yard;
using namespace yard::http;

namespace {

class SilentDesk final : public courtesy::Desk {
public:
    void setWatching(bool) override {}
    void keepAwake(const std::string&) override {}
    bool isKeptAwake() const override { return false; }
    void delaySleep(const std::string&) override {}
    void readyToSleep() override {}
    bool isSleepDelayed() const override { return false; }
};

void withSilentDesk(engine::Options& options) {
    options.openDesk = [](courtesy::DeskSink) { return std::make_unique<SilentDesk>(); };
}

} // namespace

class CourtesyRouteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itIsOffWithoutAWindow();
    void aProfileIsKept();
    void aProfileForAWhileHasAnEnd();
    void whatIsWrongIsRefused();
};

void CourtesyRouteTest::itIsOffWithoutAWindow() {
    ApiTest api(withSilentDesk);
    const Reply reply = api.get("/compute/courtesy");
    QCOMPARE(reply.status, 200);
    const auto courtesy = reply.json();
    QCOMPARE(std::string(courtesy.at("setting").as_string()), std::string("auto"));
    QCOMPARE(std::string(courtesy.at("profile").as_string()), std::string("off"));
    QVERIFY(!courtesy.contains("until"));
    QVERIFY(courtesy.at("measures").as_array().empty());
    QCOMPARE(courtesy.at("profiles").as_array().size(), 4u);
    const auto session = api.get("/compute/session").json();
    QCOMPARE(std::string(session.at("courtesy").at("profile").as_string()), std::string("off"));
}

void CourtesyRouteTest::aProfileIsKept() {
    ApiTest api(withSilentDesk);
    const Reply reply = api.call("PATCH", "/compute/courtesy", R"({"profile":"polite"})");
    QCOMPARE(reply.status, 200);
    QCOMPARE(std::string(reply.json().at("profile").as_string()), std::string("polite"));
    QCOMPARE(std::string(api.get("/compute/settings").json().at("courtesy").as_string()), std::string("polite"));
}

void CourtesyRouteTest::aProfileForAWhileHasAnEnd() {
    ApiTest api(withSilentDesk);
    const Reply reply = api.call("PATCH", "/compute/courtesy", R"({"profile":"polite","for_s":7200})");
    QCOMPARE(reply.status, 200);
    QVERIFY(reply.json().at("until").to_number<std::int64_t>() > 0);
    QCOMPARE(std::string(api.get("/compute/settings").json().at("courtesy").as_string()), std::string("auto"));
}

void CourtesyRouteTest::whatIsWrongIsRefused() {
    ApiTest api(withSilentDesk);
    QCOMPARE(api.call("PATCH", "/compute/courtesy", R"({"profile":"mine"})").status, 422);
    QCOMPARE(api.call("PATCH", "/compute/courtesy", R"({})").status, 422);
    QCOMPARE(api.call("PATCH", "/compute/courtesy", R"({"profile":"off","for_s":0})").status, 422);
    QCOMPARE(api.call("PATCH", "/compute/courtesy", R"({"profile":"off","for_s":604801})").status, 422);
    QCOMPARE(api.call("PATCH", "/compute/settings", R"({"courtesy":"mine"})").status, 422);
    QCOMPARE(api.call("PATCH", "/compute/settings", R"({"courtesy_profiles":"mine: hold"})").status, 422);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    CourtesyRouteTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_courtesy.moc"
