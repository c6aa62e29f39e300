// yardctl search: what it asks for, and how the lines read that the engine finds.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesStandBehindTheirActions();
    void theyComeAsTheyAreFound();
    void wordsAreAskedFor_data();
    void wordsAreAskedFor();
    void whatIsLeftOutIsSaid();
    void nothingFoundExitsOne();
    void aQueueThatIsNotThereIsSaid();
    void anAnswerThatIsCutOffFails();
    void wrongWordsAreRefused_data();
    void wrongWordsAreRefused();
};

static const std::string kFound =
    R"({"lsn":12,"name":"cook","stream":"stdout","line":88,"text":"no\tspace left"})"
    "\n"
    R"({"lsn":9,"name":"cook","stream":"stderr","line":1,"text":"a\u001b[2J no space"})"
    "\n";
static const std::string kEnd = "{\"actions\":31,\"lines\":2,\"bytes\":900,\"whole\":true}\n";

void TestYardctlSearch::linesStandBehindTheirActions() {
    FakeServer server(table({{"GET /compute/jobs/search?text=no%20space", {.body = kFound + kEnd}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"search", "no space"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "12: no space left\n9: a?[2J no space\n");
    QCOMPARE(data.run({"search", "--line-number", "no space"}).out, "12:88: no space left\n9:1: a?[2J no space\n");
    QCOMPARE(data.run({"--json", "search", "no space"}).out, kFound + kEnd);
}

/// The first line is there before the second one is found; pieces end anywhere.
void TestYardctlSearch::theyComeAsTheyAreFound() {
    Gate seen;
    FakeServer server([&](const FakeRequest&) -> FakeReply {
        return {.stream = [&](FakeStream& stream) {
            stream.write(kFound.substr(0, 90));
            seen.wait();
            stream.write(kFound.substr(90));
            stream.write(kEnd);
            return true;
        }};
    });
    const DataDirectory data(server);
    CtlProcess search(data.arguments({"search", "space"}));
    const std::string first = "12: no space left\n";
    QVERIFY(search.waitForOutput(first.size()));
    QCOMPARE(search.outSoFar(), first);
    seen.open();
    QCOMPARE(search.end().out, first + "9: a?[2J no space\n");
}

void TestYardctlSearch::wordsAreAskedFor_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("query");
    QTest::newRow("a filter") << QStringList{"x", "state:failed", "-queue:7"}
                              << "text=x&q=state%3Afailed%20-queue%3A7";
    QTest::newRow("actions") << QStringList{"x", "12", "15..20"} << "text=x&q=lsn%3A12%2C15..20";
    QTest::newRow("options") << QStringList{"--case", "-n", "7", "x"} << "text=x&case=1&lines=7";
    QTest::newRow("a queue") << QStringList{"--queue", "7", "x"} << "text=x&queue=7";
}

void TestYardctlSearch::wordsAreAskedFor() {
    QFETCH(QStringList, words);
    QFETCH(QString, query);
    FakeServer server([&](const FakeRequest&) -> FakeReply { return {.body = kFound + kEnd}; });
    const DataDirectory data(server);
    QCOMPARE(data.run(QStringList{"search"} + words).code, 0);
    QCOMPARE(server.lines().back(), "GET /compute/jobs/search?" + query.toStdString());
}

void TestYardctlSearch::whatIsLeftOutIsSaid() {
    const std::string body = R"({"lsn":12,"stream":"stdout","line":1,"text":"x"})"
                             "\n"
                             R"({"lsn":12,"stream":"stdout","more":true})"
                             "\n"
                             R"({"actions":5,"lines":1,"bytes":9})"
                             "\n"
                             R"({"actions":9,"lines":1,"bytes":9,"skipped":2,"whole":false})"
                             "\n";
    FakeServer server([&](const FakeRequest&) -> FakeReply { return {.body = body}; });
    const DataDirectory data(server);
    const Ended ended = data.run({"search", "x"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "12: x\n12: … more of its stdout has it\n");
    QCOMPARE(ended.err, "There may be more: --limit N, at most 10000, or a narrower filter.\n"
                        "2 outputs could not be read.\n");
}

void TestYardctlSearch::nothingFoundExitsOne() {
    FakeServer server([&](const FakeRequest&) -> FakeReply {
        return {.body = "{\"actions\":1,\"lines\":0,\"bytes\":7,\"whole\":true}\n"};
    });
    const DataDirectory data(server);
    const Ended ended = data.run({"search", "x"});
    QCOMPARE(ended.code, 1);
    QCOMPARE(ended.out, "");
    QCOMPARE(ended.err, "Nothing found in the output of 1 action.\n");
}

void TestYardctlSearch::aQueueThatIsNotThereIsSaid() {
    FakeServer server(table({{"GET /compute/jobs/search?text=x&q=queue%3Anope",
                              {.body = "{\"actions\":0,\"lines\":0,\"bytes\":0,\"whole\":true}\n"}},
                             {"GET /compute/queues", {.body = R"({"queues":[{"queue_id":7,"tag":"nightly"}]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"search", "x", "queue:nope"});
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains("nope"), ended.err.c_str());
}

void TestYardctlSearch::anAnswerThatIsCutOffFails() {
    FakeServer server([&](const FakeRequest&) -> FakeReply { return {.body = kFound}; });
    const DataDirectory data(server);
    const Ended ended = data.run({"search", "x"});
    QCOMPARE(ended.code, 1);
    QCOMPARE(ended.out, "12: no space left\n9: a?[2J no space\n");
    QVERIFY2(ended.err.contains("before it was through"), ended.err.c_str());
    FakeServer other([&](const FakeRequest&) -> FakeReply { return {.body = "hello\n"}; });
    const Ended strange = DataDirectory(other).run({"search", "x"});
    QCOMPARE(strange.code, 1);
    QVERIFY2(strange.err.contains("no list of lines"), strange.err.c_str());
}

void TestYardctlSearch::wrongWordsAreRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("contains");
    QTest::newRow("no text") << QStringList{} << "TEXT";
    QTest::newRow("no lines") << QStringList{"-n", "0", "x"} << "--limit wants 1 or more";
    QTest::newRow("a range that ends before it begins") << QStringList{"x", "20..12"} << "20..12";
    QTest::newRow("a filter that is none") << QStringList{"x", "colour:red"} << "no key";
}

void TestYardctlSearch::wrongWordsAreRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, contains);
    FakeServer server([&](const FakeRequest&) -> FakeReply {
        return {422, R"({"error":"invalid","message":"There is no key \u0022colour\u0022."})"};
    });
    const DataDirectory data(server);
    const Ended ended = data.run(QStringList{"search"} + words);
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains(contains.toStdString()), ended.err.c_str());
}

QTEST_GUILESS_MAIN(TestYardctlSearch)
#include "tst_yardctl_search.moc"
