// yardctl simulate: what it reads, asks for, prints and refuses.
#include "core/base/files.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace yard;
using namespace yard::test;

namespace {

const std::string kModel = R"({"actions":8,"kinds":[{"name":"a","seconds":{"p50":5,"p95":5}}]})";

const std::string kDone =
    R"("state":"completed","timestamps":{"new":1000000,"submitting":2000000,"completed":12000000}})";
const std::string kHistory = R"({"jobs":[)"
                             R"({"lsn":5,"worker":"exec","worker_name":"exec","name":"make",)" +
                             kDone + R"(,{"lsn":6,"worker":"exec","worker_name":"exec","name":"make",)" + kDone +
                             R"(,{"lsn":7,"worker":"w1","worker_name":"sort","function":"f","name":"f",)" + kDone +
                             "]}";

QJsonObject object(const std::string& json) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
}

} // namespace

class TestYardctlSimulate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aModelNeedsNoEngine();
    void twoFleetsStandSideBySide();
    void asATable();
    void whatCompletedHereIsPlayed();
    void whereNothingCompletedItSaysSo();
    void aTraceIsWritten();
    void wrongWordsAreRefused_data();
    void wrongWordsAreRefused();

private:
    /// In an empty data directory, with the model in it.
    Ended run(const QStringList& rest) const {
        FakeServer server(table({}));
        const DataDirectory data(server);
        (void)writeFileAtomically(data.file("m.json"), kModel, 0600);
        QStringList words = rest;
        words.replaceInStrings("M", QString::fromStdString(data.file("m.json")));
        const Ended ended = data.run(words);
        asked_ = !server.requests().empty();
        return ended;
    }
    mutable bool asked_ = false;
};

void TestYardctlSimulate::aModelNeedsNoEngine() {
    const Ended ended = run({"--json", "simulate", "--model", "M", "--machines", "2", "--cores", "2"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    QVERIFY(!asked_);
    const QJsonObject answer = object(ended.out);
    QCOMPARE(answer["bound_s"].toDouble(), 10.0);
    QVERIFY(answer["makespan_s"].toDouble() >= 10.0 && answer["makespan_s"].toDouble() < 10.1);
    QVERIFY(answer["wait_s"].toObject().contains("a"));
}

void TestYardctlSimulate::twoFleetsStandSideBySide() {
    const Ended ended = run({"--json", "simulate", "--model", "M", "--cores", "4", "--against-machines", "2",
                             "--against-policy", "shortest-first"});
    QCOMPARE(ended.err, "");
    const QJsonObject answer = object(ended.out);
    QCOMPARE(answer["a"].toObject()["bound_s"].toDouble(), 10.0);
    QCOMPARE(answer["b"].toObject()["bound_s"].toDouble(), 5.0);
}

void TestYardctlSimulate::asATable() {
    const Ended ended = run({"simulate", "--model", "M", "--cores", "8", "--against-cores", "4"});
    QCOMPARE(ended.err, "");
    QVERIFY(ended.out.contains("1 x 8 cores, usual"));
    QVERIFY(ended.out.contains("1 x 4 cores, usual"));
    QVERIFY(ended.out.contains("a waits (p50, p95)"));
    QVERIFY(ended.out.contains("100 %"));
}

void TestYardctlSimulate::whatCompletedHereIsPlayed() {
    FakeServer server(table(
        {{"GET /compute/workers/all",
          {.body = R"({"workers":[{"id":"w1","name":"sort","cores":2,"memory_mb":10}]})"}},
         {"GET /compute/jobs?limit=1000&sort=lsn&q=state%3Acompleted%20finished%3A-7d..now", {.body = kHistory}},
         {"GET /compute/jobs/5/spec", {.body = R"({"worker":"exec","argv":["make"],"resources":{"cores":3}})"}},
         {"GET /compute/jobs/7/spec", {.body = R"({"worker":"w1","function":"f"})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"--json", "simulate", "--history", "7", "--cores", "4"});
    QCOMPARE(ended.err, "");
    const QJsonObject answer = object(ended.out);
    QCOMPARE(answer["bound_s"].toDouble(), 20.0); // 10 s of 3 + 3 + 2 cores
    QCOMPARE(answer["wait_s"].toObject().keys(), (QStringList{"exec make", "sort f"}));
    QVERIFY(data.run({"simulate", "--history", "7", "--cores", "2"}).err.contains("it would never start"));
}

void TestYardctlSimulate::whereNothingCompletedItSaysSo() {
    FakeServer server(table({{"GET /compute/workers/all", {.body = R"({"workers":[]})"}},
                             {"GET /compute/jobs?limit=1000&sort=lsn&q=state%3Acompleted%20finished%3A-1d..now",
                              {.body = R"({"jobs":[]})"}}}));
    const Ended ended = DataDirectory(server).run({"simulate", "--history", "1"});
    QCOMPARE(ended.code, 1);
    QVERIFY(ended.err.contains("nothing completed here in the last day"));
}

void TestYardctlSimulate::aTraceIsWritten() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    (void)writeFileAtomically(data.file("m.json"), kModel, 0600);
    const auto path = [&](const char* name) { return QString::fromStdString(data.file(name)); };
    QCOMPARE(data.run({"simulate", "--model", path("m.json"), "--trace", path("t.json")}).err, "");
    const auto text = readFile(data.file("t.json"));
    QVERIFY(text);
    QVERIFY(object(*text).contains("traceEvents"));
    QCOMPARE(data.run({"simulate", "--model", path("m.json"), "--trace", path("no/t.json")}).code, 1);
}

void TestYardctlSimulate::wrongWordsAreRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("nothing to play") << QStringList{} << "either --model FILE or --history DAYS";
    QTest::newRow("both") << QStringList{"--model", "M", "--history", "1"}
                          << "either --model FILE or --history DAYS";
    QTest::newRow("a recording") << QStringList{"--recording", "r"} << "there are no recordings yet";
    QTest::newRow("no machine") << QStringList{"--model", "M", "--machines", "0"}
                                << "--machines is 1 to 100000, not '0'";
    QTest::newRow("cores that are no number") << QStringList{"--model", "M", "--cores", "x"} << "--cores";
    QTest::newRow("a policy that there is not")
        << QStringList{"--model", "M", "--policy", "best"}
        << "--policy is one of usual, no-reserve, shortest-first, longest-first, not 'best'";
    QTest::newRow("another one") << QStringList{"--model", "M", "--against-policy", "best"}
                                 << "--against-policy is one of";
    QTest::newRow("a year and more") << QStringList{"--history", "400"} << "--history is 1 to 366, not '400'";
}

void TestYardctlSimulate::wrongWordsAreRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, sentence);
    const Ended ended = run(QStringList{"simulate"} + words);
    QCOMPARE(ended.code, 2);
    QVERIFY2(QString::fromStdString(ended.err).contains(sentence), ended.err.c_str());
    QVERIFY(!asked_);
}

QTEST_GUILESS_MAIN(TestYardctlSimulate)
#include "tst_yardctl_simulate.moc"
