// What work used, over a real engine: as JSON, and as a table for spreadsheets.
#include "core/http/csv.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>
#include <cmath>
#include <fmt/format.h>

using namespace yard;
using namespace yard::http;

class AccountingRouteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void whatWorkUsedIsServed();
    void whatIsRetiredIsMissingInWhatWorkUsed();
    void whatWorkUsedIsATableForThoseWhoWantOne_data();
    void whatWorkUsedIsATableForThoseWhoWantOne();
    void cellsAreTextForSpreadsheets_data();
    void cellsAreTextForSpreadsheets();

private:
    std::unique_ptr<ApiTest> api_;
};

void AccountingRouteTest::whatWorkUsedIsServed() {
    const auto job = [&](const std::string& script, const std::string& label) {
        const Reply done = api_->post(
            "/compute/jobs?wait=60",
            api_->engine.shJson(script,
                                fmt::format(R"(,"label":"{}","max_retries":0,"resources":{{"cores":2}})", label)));
        return done.json().at("timestamps").as_object();
    };
    const auto held = [](const boost::json::object& times) {
        return 2 * double(times.at("exited").as_int64() - times.at("running").as_int64()) / 1e6;
    };
    const double good = held(job("sleep 0.1", "spent/good"));
    const double bad = held(job("sleep 0.1; exit 3", "spent/bad"));
    const auto rowsBy = [&](const std::string& by) {
        const Reply reply = api_->get("/compute/accounting?by=" + by);
        boost::json::object rows;
        for (const auto& row : reply.json().at("rows").as_array())
            rows[row.as_object().at("key").as_string()] = row.as_object();
        return rows;
    };
    const boost::json::object spent = rowsBy("label").at("spent").as_object();
    QCOMPARE(spent.at("actions").as_int64(), 2);
    const auto near = [&](std::string_view figure, double value) {
        return std::abs(spent.at(figure).to_number<double>() - value) < 0.002;
    };
    QVERIFY2(near("core_seconds", good + bad), boost::json::serialize(spent).c_str());
    QVERIFY2(near("wasted_core_seconds", bad), boost::json::serialize(spent).c_str());
    QVERIFY(rowsBy("waste").contains("exit_code"));
    QVERIFY(rowsBy("worker").contains("exec"));
    QVERIFY(rowsBy("queue").contains("0"));
    const std::string machine(
        api_->get("/compute/session").json().at("machine").as_object().at("name").as_string());
    QCOMPARE(rowsBy("machine").size(), std::size_t(1));
    QVERIFY(rowsBy("machine").contains(machine));
    const Reply wrong = api_->get("/compute/accounting?by=colour");
    QCOMPARE(wrong.status, 422);
    QCOMPARE(wrong.text("message"),
             std::string("\"by\" is one of: queue, worker, label, machine, day, hour, waste."));
    QCOMPARE(api_->get("/compute/accounting?from=5&to=5").json().at("rows").as_array().size(), std::size_t(0));
}

void AccountingRouteTest::whatIsRetiredIsMissingInWhatWorkUsed() {
    const Reply done = api_->post("/compute/jobs?wait=60", api_->engine.shJson("true", R"(,"label":"gone")"));
    const auto rows = [&] { return api_->get("/compute/accounting?by=label").body; };
    QVERIFY(rows().contains("\"gone\""));
    QCOMPARE(api_->get("/compute/accounting").number("retired"), 0);
    QCOMPARE(api_->call("DELETE", fmt::format("/compute/jobs/{}", done.number("lsn"))).status, 200);
    QVERIFY(!rows().contains("\"gone\""));
    QCOMPARE(api_->get("/compute/accounting").number("retired"), 1);
}

void AccountingRouteTest::whatWorkUsedIsATableForThoseWhoWantOne_data() {
    QTest::addColumn<QByteArray>("accept");
    QTest::addColumn<bool>("isTable");
    QTest::newRow("nothing is said") << QByteArray("") << false;
    QTest::newRow("a table") << QByteArray("text/csv") << true;
    QTest::newRow("in capitals, with its parameter") << QByteArray("TEXT/CSV;header=present") << true;
    QTest::newRow("any text") << QByteArray("text/*") << true;
    QTest::newRow("anything") << QByteArray("*/*") << false;
    QTest::newRow("rather a table") << QByteArray("application/json;q=0.5, text/csv") << true;
    QTest::newRow("rather JSON") << QByteArray("text/csv; q=0.5, application/json") << false;
    QTest::newRow("either") << QByteArray("text/csv, application/json") << false;
    QTest::newRow("anything but JSON") << QByteArray("*/*, application/json;q=0") << true;
    QTest::newRow("a browser") << QByteArray("text/html,application/xml;q=0.9,*/*;q=0.8") << false;
    QTest::newRow("no table") << QByteArray("text/csv;q=0") << false;
    QTest::newRow("something that is not there") << QByteArray("image/png") << false;
    QTest::newRow("no field at all") << QByteArray(";q=,,=") << false;
}

void AccountingRouteTest::whatWorkUsedIsATableForThoseWhoWantOne() {
    QFETCH(QByteArray, accept);
    QFETCH(bool, isTable);
    static const auto lsn =
        api_->post("/compute/jobs?wait=60", api_->engine.shJson("true", R"(,"label":"=A1, \"x\"")")).number("lsn");
    QVERIFY(lsn > 0);
    const Reply reply = api_->call("GET", "/compute/accounting?by=label", {}, {{"Accept", accept.toStdString()}});
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.field("Vary"), std::string("Accept"));
    QCOMPARE(reply.contentType,
             std::string(isTable ? "text/csv; charset=utf-8; header=present" : "application/json"));
    if (!isTable) return;
    QVERIFY2(
        reply.body.starts_with("key,actions,core_seconds,wasted_core_seconds,memory_gb_hours,wait_seconds\r\n"),
        reply.body.c_str());
    QVERIFY2(reply.body.contains("\r\n\"'=A1,\",1,"), reply.body.c_str());
    QVERIFY(reply.body.ends_with("\r\n"));
}

void AccountingRouteTest::cellsAreTextForSpreadsheets_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("cell");
    QTest::newRow("plain") << QByteArray("night") << QByteArray("night");
    QTest::newRow("empty") << QByteArray("") << QByteArray("");
    QTest::newRow("a comma") << QByteArray("a,b") << QByteArray("\"a,b\"");
    QTest::newRow("quotes") << QByteArray("a \"b\"") << QByteArray("\"a \"\"b\"\"\"");
    QTest::newRow("a new line") << QByteArray("a\nb") << QByteArray("\"a\nb\"");
    QTest::newRow("a semicolon") << QByteArray("a;=b") << QByteArray("\"a;=b\"");
    QTest::newRow("equals") << QByteArray("=1+2") << QByteArray("\"'=1+2\"");
    QTest::newRow("plus") << QByteArray("+1") << QByteArray("\"'+1\"");
    QTest::newRow("minus") << QByteArray("-1") << QByteArray("\"'-1\"");
    QTest::newRow("at") << QByteArray("@sum") << QByteArray("\"'@sum\"");
    QTest::newRow("a tab") << QByteArray("\t=1") << QByteArray("\"'\t=1\"");
    QTest::newRow("a formula with quotes") << QByteArray("=\"a\"") << QByteArray("\"'=\"\"a\"\"\"");
    QTest::newRow("not at the beginning") << QByteArray("a=b") << QByteArray("a=b");
}

void AccountingRouteTest::cellsAreTextForSpreadsheets() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, cell);
    QCOMPARE(QByteArray::fromStdString(csvCell(text.toStdString())), cell);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    AccountingRouteTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_accounting.moc"
