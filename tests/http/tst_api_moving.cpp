// POST jobs/move: the order that people give what waits in a queue, and `place` in what is answered.
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/support/waiting.h"

#include <QObject>
#include <QTest>

using namespace yard;
using namespace yard::http;

class ApiMovingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }
    void init();

    void aMoveAnswersWhereTheyAreNow();
    void anActionSaysItsPlaceWhileItWaits();
    void aFilterMovesAllThatWaitAndMatch();
    void thoseThatCannotBeMovedAreTold();
    void impossibleMovesAreRefused_data();
    void impossibleMovesAreRefused();
    void aQueueMovesItsOwnOnly();
    void aListByPlaceGoesByTheOrderAndHasWhatDoesNotWaitLast();

private:
    std::string order();
    Reply move(const std::string& which, const std::string& to) {
        return api_->post("/compute/jobs/move", "{" + which + ",\"to\":" + to + "}");
    }
    std::int64_t submit(const std::string& more = {}) {
        return api_->post(jobs_, api_->engine.shJson("exit 0", more)).number("lsn");
    }
    std::string lsns(const std::vector<std::size_t>& of) const {
        std::vector<std::int64_t> all;
        for (const std::size_t i : of) all.push_back(lsns_[i]);
        return fmt::format(R"("lsns":[{}])", fmt::join(all, ","));
    }

    std::unique_ptr<ApiTest> api_;
    std::int64_t queue_ = 0;
    std::string jobs_;
    std::vector<std::int64_t> lsns_;
};

/// A held queue of its own with four that wait: 0 1 2 3.
void ApiMovingTest::init() {
    queue_ = api_->call("POST", "/compute/queues", "{}").number("queue_id");
    jobs_ = fmt::format("/compute/queues/{}/jobs", queue_);
    QCOMPARE(api_->post(fmt::format("/compute/queues/{}/hold", queue_)).status, 200);
    lsns_.clear();
    for (int i = 0; i < 4; ++i) lsns_.push_back(submit(fmt::format(R"(,"label":"part-{}")", i % 2)));
}

/// "3 0 1 2": positions in `lsns_`, by `sort=place`; each has to have its number.
std::string ApiMovingTest::order() {
    std::string text;
    std::int64_t number = 0;
    // A page that takes long ends early, with a cursor.
    for (std::string cursor = "first"; !cursor.empty();) {
        const std::string more = cursor == "first" ? "" : "&cursor=" + cursor;
        const Reply reply = api_->call("GET", jobs_ + "?sort=place" + more);
        const boost::json::object page = reply.json();
        for (const auto& job : page.at("jobs").as_array()) {
            const auto lsn = job.at("lsn").to_number<std::int64_t>();
            const auto at = std::ranges::find(lsns_, lsn) - lsns_.begin();
            const auto* place = job.as_object().if_contains("place");
            if (place != nullptr && place->to_number<std::int64_t>() != ++number)
                return "out of order: " + reply.body;
            text += fmt::format("{}{}{}", text.empty() ? "" : " ", at, place == nullptr ? "-" : "");
        }
        cursor = reply.text("cursor");
    }
    return text;
}

void ApiMovingTest::aMoveAnswersWhereTheyAreNow() {
    QCOMPARE(order(), "0 1 2 3");
    const Reply top = move(lsns({3}), "\"top\"");
    QCOMPARE(top.body, fmt::format(R"({{"changed":1,"queue_id":{},"place":1,"refused":[]}})", queue_));
    QCOMPARE(order(), "3 0 1 2");
    QCOMPARE(move(lsns({3}), "\"top\"").number("changed"), 0);
    QCOMPARE(move(lsns({0}), "\"down\"").number("place"), 3);
    QCOMPARE(order(), "3 1 0 2");
    QCOMPARE(move(lsns({2}), "\"up\"").number("place"), 3);
    QCOMPARE(order(), "3 1 2 0");
    QCOMPARE(move(lsns({3, 1}), "\"bottom\"").number("place"), 3);
    QCOMPARE(order(), "2 0 3 1");
    QCOMPARE(move(lsns({1}), fmt::format(R"({{"before":{}}})", lsns_[0])).number("place"), 2);
    QCOMPARE(order(), "2 1 0 3");
}

void ApiMovingTest::anActionSaysItsPlaceWhileItWaits() {
    const std::string last = fmt::format("/compute/jobs/{}", lsns_[3]);
    QCOMPARE(api_->call("GET", last).number("place"), 4);
    QCOMPARE(move(lsns({3}), "\"top\"").status, 200);
    QCOMPARE(api_->call("GET", last).number("place"), 1);
    QCOMPARE(api_->post(fmt::format("/compute/queues/{}/release", queue_)).status, 200);
    (void)api_->engine.wait(Lsn{lsns_[3]});
    QVERIFY(!api_->call("GET", last).json().contains("place"));
}

void ApiMovingTest::aFilterMovesAllThatWaitAndMatch() {
    QCOMPARE(move(fmt::format(R"("filter":"queue:{} label:part-1")", queue_), "\"top\"").number("changed"), 2);
    QCOMPARE(order(), "1 3 0 2");
    const Reply none = move(fmt::format(R"("filter":"queue:{} label:none")", queue_), "\"top\"");
    QCOMPARE(none.body, R"({"changed":0,"refused":[]})");
}

void ApiMovingTest::thoseThatCannotBeMovedAreTold() {
    QCOMPARE(api_->post(fmt::format("/compute/jobs/{}/cancel", lsns_[1])).status, 200);
    const Reply some = move(lsns({1, 3}), "\"top\"");
    QCOMPARE(some.status, 200);
    QCOMPARE(some.number("changed"), 1);
    QCOMPARE(some.json().at("refused").as_array().size(), std::size_t{1});
    const Reply alone = move(lsns({1}), "\"top\"");
    QVERIFY2(alone.status == 404 || alone.status == 409, alone.body.c_str());
    for (const Reply& never :
         {move(R"("lsns":[999999999])", "\"top\""), move(lsns({0}), R"({"before":999999999})")}) {
        QCOMPARE(never.status, 404);
        QVERIFY2(never.body.contains("There is no action 999999999, or not any more"), never.body.c_str());
    }
    // Of what was that is not said, also beside one that never was.
    (void)api_->engine.wait(Lsn{lsns_[1]});
    const Reply ended = move(fmt::format(R"("lsns":[{},{},999999999])", lsns_[0], lsns_[1]), "\"top\"");
    QVERIFY2(!ended.body.contains(fmt::format("no action {}", lsns_[1])), ended.body.c_str());
    QVERIFY2(ended.body.contains("There is no action 999999999"), ended.body.c_str());
}

void ApiMovingTest::impossibleMovesAreRefused_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("words");
    QTest::newRow("nowhere") << R"({"lsns":[1]})" << "\"field\":\"to\"";
    QTest::newRow("no place") << R"({"lsns":[1],"to":"first"})" << "\"field\":\"to\"";
    QTest::newRow("before nothing") << R"({"lsns":[1],"to":{}})" << "\"field\":\"before\"";
    QTest::newRow("before no LSN") << R"({"lsns":[1],"to":{"before":0}})" << "\"field\":\"before\"";
    QTest::newRow("before something else") << R"({"lsns":[1],"to":{"after":2}})" << "after";
    QTest::newRow("nothing") << R"({"to":"top"})" << "either";
    QTest::newRow("both") << R"({"to":"top","lsns":[1],"filter":"state:pending"})" << "either";
    QTest::newRow("an empty filter") << R"({"to":"top","filter":" "})" << "\"field\":\"filter\"";
    QTest::newRow("several queues") << "" << "move those of one queue at a time";
    QTest::newRow("another priority") << "P" << "a higher one always goes first";
}

void ApiMovingTest::impossibleMovesAreRefused() {
    QFETCH(QString, body);
    QFETCH(const QString, words);
    if (body.isEmpty()) {
        const auto other =
            api_->post("/compute/jobs", api_->engine.shJson("exit 0", R"(,"hold":true)")).number("lsn");
        body = QStringLiteral(R"({"lsns":[%1,%2],"to":"top"})").arg(lsns_[0]).arg(other);
    } else if (body == "P") {
        const std::int64_t urgent = submit(R"(,"priority":5)");
        body = QStringLiteral(R"({"lsns":[%1],"to":{"before":%2}})").arg(lsns_[0]).arg(urgent);
    }
    const Reply reply = api_->post("/compute/jobs/move", body.toStdString());
    QCOMPARE(reply.status, 422);
    QVERIFY2(reply.body.contains(words.toStdString()), reply.body.c_str());
}

void ApiMovingTest::aQueueMovesItsOwnOnly() {
    const auto other = api_->post("/compute/jobs", api_->engine.shJson("exit 0", R"(,"hold":true)")).number("lsn");
    const Reply some =
        api_->post(jobs_ + "/move", fmt::format(R"({{"lsns":[{},{}],"to":"top"}})", lsns_[2], other));
    QCOMPARE(some.number("changed"), 1);
    QCOMPARE(some.json().at("refused").as_array().size(), std::size_t{1});
    QCOMPARE(order(), "2 0 1 3");
    QCOMPARE(api_->post(jobs_ + "/move", R"({"filter":"label:part-1","to":"top"})").number("changed"), 2);
    QCOMPARE(order(), "1 3 2 0");
    QCOMPARE(api_->post(jobs_ + "/move", R"({"filter":"queue:0","to":"top"})").status, 422);
    // Nor is anything put before what is elsewhere.
    const auto before = [&](std::int64_t lsn) {
        return api_->post(jobs_ + "/move", fmt::format(R"({{{},"to":{{"before":{}}}}})", lsns({0}), lsn)).status;
    };
    QCOMPARE(before(other), 404);
    QCOMPARE(before(lsns_[1]), 200);
}

void ApiMovingTest::aListByPlaceGoesByTheOrderAndHasWhatDoesNotWaitLast() {
    QCOMPARE(move(lsns({2}), "\"top\"").status, 200);
    QCOMPARE(api_->post(fmt::format("/compute/jobs/{}/cancel", lsns_[0])).status, 200);
    (void)api_->engine.wait(Lsn{lsns_[0]});
    QCOMPARE(order(), "2 1 3 0-");
    const Reply descending = api_->call("GET", jobs_ + "?sort=-place");
    QCOMPARE(descending.json().at("jobs").as_array().front().at("lsn").to_number<std::int64_t>(), lsns_[3]);
    QCOMPARE(descending.json().at("jobs").as_array().back().at("lsn").to_number<std::int64_t>(), lsns_[0]);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ApiMovingTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_api_moving.moc"
