// GET and DELETE guests: what an engine that works for another one says of it, over the API.
#include "core/launcher/launcher.h"
#include "tests/engine/scripted_yard.h"
#include "tests/http/api_test.h"

#include <QTest>

#include <fmt/format.h>
#include <memory>
#include <string>

using namespace yard;
using namespace yard::http;

class GuestsRouteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whoWorksForNobodySaysSo();
    void aYardIsShownAndSentAway();
    void nobodyIsSentAwayWhoIsNotThere_data();
    void nobodyIsSentAwayWhoIsNotThere();
};

void GuestsRouteTest::whoWorksForNobodySaysSo() {
    ApiTest api;
    const Reply reply = api.get("/compute/guests");
    QCOMPARE(reply.status, 200);
    QVERIFY(reply.json().at("serves").as_bool());
    QVERIFY(reply.json().at("guests").as_array().empty());
    QVERIFY(!reply.json().at("gives").at("unsandboxed").as_bool());
    QVERIFY(reply.json().at("gives").at("memory_mb").as_int64() > 0);
}

void GuestsRouteTest::aYardIsShownAndSentAway() {
    engine::test::ScriptedYard there;
    ApiTest api([&](engine::Options& options) {
        options.join = engine::JoinOptions{
            .url = there.url(), .token = engine::test::kJoinSecret, .insecure = false, .refused = {}};
    });
    QVERIFY(there.link());
    const auto state = [&] {
        const auto guests = api.get("/compute/guests").json().at("guests").as_array();
        return std::string(guests.front().at("state").as_string());
    };
    QVERIFY(test::EngineTest::eventually([&] { return state() == "linked"; }));
    const auto first = api.get("/compute/guests").json().at("guests").as_array().front();
    QCOMPARE(first.at("id").as_int64(), std::int64_t{1});
    QCOMPARE(std::string(first.at("url").as_string()), there.url() + "/compute");
    QVERIFY(first.at("actions").as_array().empty());
    const Reply away = api.call("DELETE", "/compute/guests/1");
    QCOMPARE(away.status, 200);
    QCOMPARE(away.number("id"), std::int64_t{1});
    QVERIFY(there.next(link::Kind::Leaving));
    QVERIFY(there.isClosed());
    QVERIFY(test::EngineTest::eventually([&] { return state() == "gone"; }));
    QCOMPARE(api.call("DELETE", "/compute/guests/1").status, 409);
}

void GuestsRouteTest::nobodyIsSentAwayWhoIsNotThere_data() {
    QTest::addColumn<QString>("id");
    for (const char* id : {"1", "0", "-1", "x", "1x", "99999999999999999999"}) QTest::newRow(id) << id;
}

void GuestsRouteTest::nobodyIsSentAwayWhoIsNotThere() {
    QFETCH(QString, id);
    ApiTest api;
    QCOMPARE(api.call("DELETE", "/compute/guests/" + id.toStdString()).status, 404);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    GuestsRouteTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_guests.moc"
