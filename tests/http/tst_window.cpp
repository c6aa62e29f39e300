// What the window asks for, over a real engine: figures over time, timelines, samples, reasons, totals.
#include "core/runners/launcher.h"
#include "tests/http/api_test.h"
#include "tests/http/served.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>

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
private slots:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void wrongSpansAreRefused_data();
    void wrongSpansAreRefused();
    void figuresOverTimeAreServed();
    void theSessionSaysWhatTheEngineTakes();
    void timelinesAreServed();
    void allOfItComesOverASocket_data();
    void allOfItComesOverASocket();

private:
    std::unique_ptr<ApiTest> api_;
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
    for (const char* route : {"/compute/stats?", "/compute/timelines?"}) {
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
    QTRY_VERIFY_WITH_TIMEOUT(seen("cpu_others"), 30'000);
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
    QTRY_VERIFY_WITH_TIMEOUT(api_->get("/compute/session").json().contains("engine"), 30'000);
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
    QTRY_VERIFY_WITH_TIMEOUT(!lanes(range + "&resolution=0.001").empty(), 30'000);
    const boost::json::object lane = lanes(range + "&resolution=0.001").at(0).as_object();
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

void WindowTest::allOfItComesOverASocket_data() {
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QByteArray>("contains");
    QTest::newRow("figures") << QByteArray("/compute/stats") << QByteArray("\"series\"");
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
