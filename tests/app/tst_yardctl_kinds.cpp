// yardctl kinds: what it asks for, and how kinds of work, flaky inputs and regressions read.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include "tests/support/show_strings.h"

#include <QTest>

#include <boost/json.hpp>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlKinds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { qputenv("TZ", "UTC"); }
    void kindsAreRows();
    void nothingIsSaidOfNothing();
    void aTimeAnOrderAndALimitAreAskedFor();
    void allAreReadPageByPage();
    void whatWasForgottenIsSaid();
    void theAnswerIsOneObjectAsTheEngineGivesIt();
    void oneKindHasItsFiguresAndParts();
    void aNameMayBeTypedWithoutQuotes();
    void aKindThatNeverCompletedSaysLittle();
    void kindsThatAreFlakyAreRows();
    void aLimitOfFlakyKindsIsOfWhatIsShown();
    void inputsAndLinesOfAFlakyKindAreRows();
    void noFlakyInputsAreSaidToBeNone();
    void regressionsAreRows();
    void noRegressionIsSaidToBeNone();
    void asJsonOneAnswerIsAsItCame_data();
    void asJsonOneAnswerIsAsItCame();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked_data();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked();
    void anOrderThatTheEngineDoesNotKnowIsWrongUsage();
    void aKindThatNobodyKnowsIsSaid();
};

static std::string kindJson(std::string_view name, std::string_view more) {
    return fmt::format(
        R"({{"kind":"{}","runs":120,"failed":3,"reasons":{{"exit_code":2,"signal":1}},)"
        R"("duration":{{"p50":0.31,"p90":0.4,"p95":0.5,"p99":72}},"memory_bytes":{{"p50":4000,"p90":5000,"p95":6000,"p99":7000}},)"
        R"("wait":{{"p50":2,"p90":3,"p95":4,"p99":5}},"last":3000000{}}})",
        name, more);
}

static const std::string kFlaky = R"(,"flaky":{"is_flaky":true,"probability":0.99,"rate":0.04,"inputs":2})";
static const std::string kSlower =
    R"(,"regression":{"what":"duration","t":3000000,"before":0.2,"after":0.38,"ratio":1.9,"p":1e-9,"since":{"version":"3"}})";

void TestYardctlKinds::kindsAreRows() {
    const std::string body =
        fmt::format(R"({{"kinds":[{},{},{}]}})", kindJson("exec:git log", kFlaky + kSlower),
                    kindJson(R"(a\u001b[2J)", R"(,"versions":[])"),
                    R"({"kind":"w:f","runs":1,"failed":1,"reasons":{"signal":1},"last":3000000,"versions":[]})");
    FakeServer server(table({{"GET /compute/kinds?limit=100", {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out,
             "KIND          RUNS  FAILED  DURATION     P95   MEMORY   WAIT  LAST        NOTE\n"
             "exec:git log   120       3    310 ms  500 ms  4.00 kB  2.0 s  1970-01-01  flaky, 1.90 times as long\n"
             "a?[2J          120       3    310 ms  500 ms  4.00 kB  2.0 s  1970-01-01\n"
             "w:f              1       1         -       -        -      -  1970-01-01\n");
    QCOMPARE(data.run({"kinds", "ls"}).out, ended.out);
}

void TestYardctlKinds::nothingIsSaidOfNothing() {
    FakeServer server(table({{"GET /compute/kinds?limit=100", {.body = R"({"kinds":[]})"}},
                             {"GET /compute/kinds?limit=1000", {.body = R"({"kinds":[]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds"});
    QCOMPARE(ended.out, "Nothing is known of any kind of work.\n");
    QCOMPARE(ended.code, 0);
    QCOMPARE(data.run({"kinds", "flaky"}).out, "No kind of work both worked and failed with the same inputs.\n");
}

void TestYardctlKinds::aTimeAnOrderAndALimitAreAskedFor() {
    const std::string path = "GET /compute/kinds?limit=7&since=1795132800000000&sort=-duration";
    FakeServer server(table({{path, {.body = R"({"kinds":[]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds", "--since", "2026-11-20", "--sort", "-duration", "--limit", "7"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
}

void TestYardctlKinds::allAreReadPageByPage() {
    FakeServer server(table({{"GET /compute/kinds?limit=1000",
                              {.body = fmt::format(R"({{"kinds":[{}],"cursor":"1000"}})", kindJson("a", ""))}},
                             {"GET /compute/kinds?limit=1000&cursor=1000",
                              {.body = fmt::format(R"({{"kinds":[{}]}})", kindJson("b", ""))}},
                             {"GET /compute/kinds?limit=1",
                              {.body = fmt::format(R"({{"kinds":[{}],"cursor":"1"}})", kindJson("a", ""))}}}));
    const DataDirectory data(server);
    const Ended all = data.run({"kinds", "--limit", "0"});
    QCOMPARE(all.err, "");
    QVERIFY2(all.out.contains("\na ") && all.out.contains("\nb "), all.out.c_str());
    const Ended one = data.run({"kinds", "--limit", "1"});
    QCOMPARE(one.err, "There are more: --limit N, or --limit 0 for all.\n");
    QVERIFY2(one.out.contains("\na ") && !one.out.contains("\nb "), one.out.c_str());
}

void TestYardctlKinds::whatWasForgottenIsSaid() {
    const std::string body =
        fmt::format(R"({{"kinds":[{}],"dropped":12,"last_dropped":"exec:job 9"}})", kindJson("a", ""));
    FakeServer server(table({{"GET /compute/kinds?limit=100", {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds"});
    QCOMPARE(ended.err, "12 kinds were forgotten for others since the engine started, exec:job 9 last.\n");
    QCOMPARE(ended.code, 0);
}

void TestYardctlKinds::theAnswerIsOneObjectAsTheEngineGivesIt() {
    const std::string first = R"({"kind":"a","runs":1,"duration":{"p50":0.5}})";
    const std::string second = R"({"kind":"b","runs":2,"flaky":{"is_flaky":false,"inputs":1}})";
    FakeServer server(
        table({{"GET /compute/kinds?limit=100", {.body = fmt::format(R"({{"kinds":[{}],"cursor":"1"}})", first)}},
               {"GET /compute/kinds?limit=99&cursor=1",
                {.body = fmt::format(R"({{"kinds":[{}],"dropped":2,"last_dropped":"c"}})", second)}},
               {"GET /compute/kinds?limit=1000", {.body = fmt::format(R"({{"kinds":[{},{}]}})", first, second)}},
               {"GET /compute/kinds?limit=1", {.body = fmt::format(R"({{"kinds":[{}],"cursor":"1"}})", first)}}}));
    const DataDirectory data(server);
    const boost::json::value all = boost::json::parse(data.run({"--json", "kinds"}).out);
    QVERIFY(all == boost::json::parse(
                       fmt::format(R"({{"kinds":[{},{}],"dropped":2,"last_dropped":"c"}})", first, second)));
    const Ended one = data.run({"--json", "kinds", "--limit", "1"});
    QCOMPARE(one.out, fmt::format(R"({{"kinds":[{}],"cursor":"1"}})", first) + "\n");
    QCOMPARE(one.err, "");
    QCOMPARE(data.run({"--json", "kinds", "flaky"}).out, fmt::format(R"({{"kinds":[{}]}})", second) + "\n");
}

void TestYardctlKinds::oneKindHasItsFiguresAndParts() {
    const std::string more =
        R"(,"estimate":{"median":0.31,"low":0.3,"high":0.32,"runs":117},"learned_memory_bytes":8050)" + kFlaky +
        kSlower +
        R"(,"versions":[{"version":"3","runs":20,"failed":1,"reasons":{"signal":1}}],"machines":[],)"
        R"("days":[{"t":86400000000,"runs":5,"failed":0,"reasons":{},"duration":{"p50":1,"p90":1,"p95":1.5,"p99":2}}],"weeks":[])";
    FakeServer server(table({{"GET /compute/kinds/exec%3Amake", {.body = kindJson("exec:make", more)}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds", "show", "exec:make"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "exec:make\n"
                        "  120 runs, 3 failed (exit_code: 2, signal: 1), the last one 1970-01-01\n"
                        "  expected: 310 ms, the median is in 300 ms to 320 ms, by 117 that completed\n"
                        "  memory that is enough: 8.05 kB\n"
                        "  flaky: 4 % of the runs of inputs that work fail, 99 % certain that it is over 1 %\n"
                        "  1.90 times as long since 1970-01-01: 200 ms before, 380 ms after, with version 3\n"
                        "  FIGURE     MEDIAN     90 %     95 %        99 %\n"
                        "  duration   310 ms   400 ms   500 ms  1 min 12 s\n"
                        "  memory    4.00 kB  5.00 kB  6.00 kB     7.00 kB\n"
                        "  wait        2.0 s    3.0 s    4.0 s       5.0 s\n"
                        "\n"
                        "VERSION  RUNS  FAILED  DURATION  P95  MEMORY  WAIT\n"
                        "3          20       1         -    -       -     -\n"
                        "\n"
                        "DAY, UTC    RUNS  FAILED  DURATION    P95  MEMORY  WAIT\n"
                        "1970-01-02     5       0     1.0 s  1.5 s       -     -\n");
}

void TestYardctlKinds::aNameMayBeTypedWithoutQuotes() {
    const std::string path = "GET /compute/kinds/exec%3Agit%20log";
    FakeServer server(table({{path, {.body = kindJson("exec:git log", "")}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"kinds", "show", "exec:git", "log"}).code, 0);
    QCOMPARE(data.run({"kinds", "show", "exec:git log"}).code, 0);
    QCOMPARE(server.lines().back(), path);
}

void TestYardctlKinds::aKindThatNeverCompletedSaysLittle() {
    const std::string body = R"({"kind":"w:f","runs":1,"failed":1,"reasons":{"signal":1},"last":3000000})";
    FakeServer server(table({{"GET /compute/kinds/w%3Af", {.body = body}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"kinds", "show", "w:f"}).out,
             "w:f\n  1 run, 1 failed (signal: 1), the last one 1970-01-01\n");
}

void TestYardctlKinds::kindsThatAreFlakyAreRows() {
    const std::string body =
        fmt::format(R"({{"kinds":[{},{},{}]}})", kindJson("steady", ""), kindJson("flip", kFlaky),
                    kindJson("rare", R"(,"flaky":{"is_flaky":false,"probability":0.5,"rate":0.004,"inputs":1})"));
    FakeServer server(table({{"GET /compute/kinds?limit=1000", {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds", "flaky"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "KIND  RUNS  INPUTS  RATE  CERTAIN  LAST        NOTE\n"
                        "flip   120       2   4 %     99 %  1970-01-01  flaky\n"
                        "rare   120       1  <1 %     50 %  1970-01-01\n");
}

void TestYardctlKinds::aLimitOfFlakyKindsIsOfWhatIsShown() {
    const std::string body = fmt::format(R"({{"kinds":[{},{},{}]}})", kindJson("steady", ""),
                                         kindJson("flip", kFlaky), kindJson("flop", kFlaky));
    FakeServer server(table({{"GET /compute/kinds?limit=1000", {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds", "flaky", "--limit", "1"});
    QVERIFY2(ended.out.contains("\nflip ") && !ended.out.contains("flop"), ended.out.c_str());
    QCOMPARE(ended.err, "There are more: --limit N, or --limit 0 for all.\n");
}

void TestYardctlKinds::inputsAndLinesOfAFlakyKindAreRows() {
    const std::string body = R"({"inputs":[{"spec":"00000000000000ab","completed":7,"failed":2,"lsns":[9,8]}],)"
                             R"("lines":[{"line":"error: no # here","count":2},{"line":"a\u001b[2J","count":1}]})";
    FakeServer server(table({{"GET /compute/kinds/exec%3Aflip/flaky", {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds", "flaky", "exec:flip"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "INPUTS            COMPLETED  FAILED  FAILED ACTIONS\n"
                        "00000000000000ab          7       2  9 8\n"
                        "\n"
                        "COUNT  LINE\n"
                        "    2  error: no # here\n"
                        "    1  a?[2J\n");
}

void TestYardctlKinds::noFlakyInputsAreSaidToBeNone() {
    FakeServer server(table({{"GET /compute/kinds/exec%3Amake/flaky", {.body = R"({"inputs":[],"lines":[]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"kinds", "flaky", "exec:make"}).out, "No inputs of it both worked and failed.\n");
}

void TestYardctlKinds::regressionsAreRows() {
    const std::string body =
        R"({"regressions":[{"kind":"exec:make","what":"duration","t":3000000,"before":0.2,"after":0.38,"ratio":1.9,"p":1e-9,)"
        R"("since":{"version":"3"}},{"kind":"w:f","what":"memory","t":2000000,"before":1000,"after":12000,"ratio":12,"p":1e-9,)"
        R"("since":{"machine":"desk"}},{"kind":"w:g","what":"memory","t":1000000,"before":1000,"after":1100,"ratio":1.1,"p":1e-9}]})";
    FakeServer server(table({{"GET /compute/regressions", {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds", "regressions"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "SINCE       KIND       WHAT       BEFORE    AFTER  TIMES  WITH\n"
                        "1970-01-01  exec:make  duration   200 ms   380 ms   1.90  version 3\n"
                        "1970-01-01  w:f        memory    1.00 kB  12.0 kB     12  machine desk\n"
                        "1970-01-01  w:g        memory    1.00 kB  1.10 kB   1.10\n");
}

void TestYardctlKinds::noRegressionIsSaidToBeNone() {
    FakeServer server(table({{"GET /compute/regressions", {.body = R"({"regressions":[]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"kinds", "regressions"}).out, "No kind of work got slower or larger.\n");
}

void TestYardctlKinds::asJsonOneAnswerIsAsItCame_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("path");
    QTest::newRow("one kind") << QStringList{"show", "a"} << "kinds/a";
    QTest::newRow("its inputs") << QStringList{"flaky", "a"} << "kinds/a/flaky";
    QTest::newRow("regressions") << QStringList{"regressions"} << "regressions";
}

void TestYardctlKinds::asJsonOneAnswerIsAsItCame() {
    QFETCH(QStringList, words);
    QFETCH(QString, path);
    const std::string body = R"({"lines": [ ],"more":1})";
    FakeServer server(table({{"GET /compute/" + path.toStdString(), {.body = body}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run(QStringList{"--json", "kinds"} + words).out, body + "\n");
}

void TestYardctlKinds::wrongWordsAreRefusedBeforeTheEngineIsAsked_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("contains");
    QTest::newRow("a word that is none") << QStringList{"exec:make"} << "'exec:make' is none of ls";
    QTest::newRow("no name") << QStringList{"show"} << "name one";
    QTest::newRow("a name for all") << QStringList{"ls", "a"} << "'ls' lists all";
    QTest::newRow("regressions of one") << QStringList{"regressions", "a"} << "'regressions' lists all";
    QTest::newRow("a time of one") << QStringList{"show", "a", "--since", "-1h"} << "--since goes with lists";
    QTest::newRow("an order of inputs") << QStringList{"flaky", "a", "--sort", "runs"} << "--sort goes with lists";
    QTest::newRow("some regressions") << QStringList{"regressions", "--limit", "3"} << "--limit goes with lists";
    QTest::newRow("a limit below nothing") << QStringList{"--limit", "-1"} << "0 (all) or more";
    QTest::newRow("a time that is none") << QStringList{"--since", "soon"} << "soon";
}

void TestYardctlKinds::wrongWordsAreRefusedBeforeTheEngineIsAsked() {
    QFETCH(QStringList, words);
    QFETCH(QString, contains);
    FakeServer server(table({}));
    const DataDirectory data(server);
    const Ended ended = data.run(QStringList{"kinds"} + words);
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains(contains.toStdString()), ended.err.c_str());
    QVERIFY(server.requests().empty());
}

void TestYardctlKinds::anOrderThatTheEngineDoesNotKnowIsWrongUsage() {
    FakeServer server(
        table({{"GET /compute/kinds?limit=100&sort=colour",
                {.status = 422, .body = R"({"error":"invalid","message":"sort is one of last."})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds", "--sort", "colour"});
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains("is one of last."), ended.err.c_str());
}

void TestYardctlKinds::aKindThatNobodyKnowsIsSaid() {
    FakeServer server(
        table({{"GET /compute/kinds/a",
                {.status = 404, .body = R"({"error":"not_found","message":"No such kind of work is known."})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"kinds", "show", "a"});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.contains("No such kind of work is known."), ended.err.c_str());
}

QTEST_GUILESS_MAIN(TestYardctlKinds)
#include "tst_yardctl_kinds.moc"
