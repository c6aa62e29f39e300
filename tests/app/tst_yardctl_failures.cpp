// yardctl failures: what it asks for, and how groups read.
#include "core/base/clock.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QRegularExpression>
#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlFailures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { qputenv("TZ", "UTC"); }
    void groupsAreRows();
    void whatIsLeftOutIsSaid();
    void aFilterAndATimeAreAskedFor();
    void nothingIsSaidOfNothing();
    void oneGroupHasItsCounts();
    void hoursHaveNoSeconds();
    void aGroupIsMutedUntilATime();
    void aGroupThatNothingIsInIsNotMuted();
    void aMuteIsTakenBack();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked_data();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked();
    void whatTheEngineRefusesIsSaid();
};

static const std::string kId = "3f0c91d2a4b8e677";
static const std::string kQueuesAnswer = R"({"queues":[{"queue_id":7,"tag":"nightly"},{"queue_id":0,"tag":""}]})";

static std::string groupJson(int count, std::string_view line, std::string_view queues, std::string_view more) {
    return fmt::format(R"({{"id":"{}","line":"{}","count":{},"first":1000000,"last":3000000,"queues":[{}],)"
                       R"("lsns":[9,8],"filter":"failure:{}",{}}})",
                       kId, line, count, queues, kId, more);
}

void TestYardctlFailures::groupsAreRows() {
    const std::string body =
        fmt::format(R"({{"total":31,"exact":true,"groups":[{},{},{}]}})",
                    groupJson(20, "cannot open <path>: denied", "7,0,3", R"("muted":false)"),
                    groupJson(10, "# of # differ", "0", R"("muted":true,"muted_until":7000000)"),
                    groupJson(1, R"(a\u001b[2J)", "3", R"("muted":false)"));
    FakeServer server(
        table({{"GET /compute/failures", {.body = body}}, {"GET /compute/queues", {.body = kQueuesAnswer}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out,
             "31 failures in 3 groups, 1 muted\n"
             "COUNT  FIRST       LAST        QUEUES      GROUP             LINE\n"
             "   20  1970-01-01  1970-01-01  nightly +2  3f0c91d2a4b8e677  cannot open <path>: denied\n"
             "   10  1970-01-01  1970-01-01  0           3f0c91d2a4b8e677  (muted until 1970-01-01) # of # differ\n"
             "    1  1970-01-01  1970-01-01  3           3f0c91d2a4b8e677  a?[2J\n");
    QCOMPARE(data.run({"--json", "failures"}).out, body + "\n");
}

void TestYardctlFailures::whatIsLeftOutIsSaid() {
    const std::string body = fmt::format(R"({{"total":25,"exact":false,"others":5,"groups":[{}]}})",
                                         groupJson(20, "broken", "7", R"("muted":false)"));
    FakeServer server(table({{"GET /compute/failures", {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures"});
    QVERIFY2(ended.out.starts_with("at least 25 failures in 1 group and 5 in others\n"), ended.out.c_str());
    QVERIFY2(ended.out.contains("  7       3f0c91d2a4b8e677  broken\n"), ended.out.c_str()); // nobody knows its tag
}

void TestYardctlFailures::aFilterAndATimeAreAskedFor() {
    const std::string path = "GET /compute/failures?since=1795132800000000&q=queue%3Anightly%20-state%3Aabandoned";
    FakeServer server(table({{path, {.body = R"({"total":0,"exact":true,"groups":[]})"}},
                             {"GET /compute/queues", {.body = R"({"queues":[{"queue_id":7,"tag":"nightly"}]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures", "--since", "2026-11-20", "queue:nightly", "-state:abandoned"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "Nothing failed.\n");
}

void TestYardctlFailures::nothingIsSaidOfNothing() {
    FakeServer server(table({{"GET /compute/failures", {.body = R"({"total":0,"exact":true,"groups":[]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures"});
    QCOMPARE(ended.out, "Nothing failed.\n");
    QCOMPARE(ended.code, 0);
}

void TestYardctlFailures::oneGroupHasItsCounts() {
    const std::string more =
        R"("reason":"exit_code","muted":false,"exact":true,"by":{"queue":{"values":[{"value":"7","count":2}],"others":1},)"
        R"("worker":{"values":[{"value":"cook@2","count":3}]},"machine":{"values":[]}},)"
        R"("hours":[{"t":0,"count":3}],"parts":[{"mask":"<path>","values":[{"value":"/a","count":2},{"value":"/b","count":1}]},)"
        R"({"mask":"#","values":[{"value":"8","count":3}]}])";
    FakeServer server(table({{"GET /compute/failures?group=" + kId, {.body = groupJson(3, "<path>:#", "7", more)}},
                             {"GET /compute/queues", {.body = kQueuesAnswer}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures", "--show", QString::fromStdString(kId)});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "<path>:#\n"
                        "  3 failures, 1970-01-01 to 1970-01-01\n"
                        "  reason    exit_code\n"
                        "  queue     nightly: 2, 1 other\n"
                        "  worker    cook@2: 3\n"
                        "  hour      1970-01-01: 3\n"
                        "  <path>    /a: 2, /b: 1\n"
                        "  #         8: 3\n"
                        "  newest    9 8\n"
                        "  again     yardctl retry --filter failure:3f0c91d2a4b8e677\n");
}

void TestYardctlFailures::hoursHaveNoSeconds() {
    const WallMicros hour = wallNow() / 3'600'000'000 * 3'600'000'000;
    const std::string more = fmt::format(
        R"("reason":"exit_code","muted":false,"exact":true,"hours":[{{"t":{},"count":3}}],"parts":[])", hour);
    FakeServer server(table({{"GET /compute/failures?group=" + kId, {.body = groupJson(3, "broken", "7", more)}},
                             {"GET /compute/queues", {.body = kQueuesAnswer}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures", "--show", QString::fromStdString(kId)});
    QCOMPARE(ended.err, "");
    static const QRegularExpression line("\n  hour      ([A-Z][a-z]{2} )?\\d\\d:\\d\\d: 3\n");
    QVERIFY2(QString::fromStdString(ended.out).contains(line), ended.out.c_str());
}

void TestYardctlFailures::aGroupIsMutedUntilATime() {
    FakeServer server(
        table({{"GET /compute/failures?group=" + kId, {.body = groupJson(3, "broken", "7", R"("muted":false)")}},
               {"POST /compute/failures/mute", {.body = R"({"group":"x","until":5})"}}}));
    const DataDirectory data(server);
    const WallMicros before = wallNow();
    const Ended ended = data.run({"failures", "--mute", QString::fromStdString(kId), "--until", "+1h"});
    const WallMicros after = wallNow();
    QCOMPARE(ended.err, "");
    QVERIFY2(ended.out.starts_with(kId + " is muted until "), ended.out.c_str());
    const std::string body = server.requests().back().body;
    const std::string head = fmt::format(R"({{"group":"{}","until":)", kId);
    QVERIFY2(body.starts_with(head), body.c_str());
    const std::int64_t until = std::stoll(body.substr(head.size()));
    QVERIFY(until >= before + 3'600'000'000 && until <= after + 3'600'000'000);
}

void TestYardctlFailures::aGroupThatNothingIsInIsNotMuted() {
    FakeServer server(table({{"POST /compute/failures/mute", {.body = R"({"group":"x","until":5})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures", "--mute", QString::fromStdString(kId), "--until", "+1h"});
    QCOMPARE(ended.out, "");
    QVERIFY(ended.code != 0);
    QVERIFY2(ended.err.contains("There is no action 9."), ended.err.c_str()); // as the engine says it
    QCOMPARE(server.lines().back(), "GET /compute/failures?group=" + kId);
}

void TestYardctlFailures::aMuteIsTakenBack() {
    FakeServer server(table({{"POST /compute/failures/mute", {.body = R"({"group":"x","until":0})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures", "--unmute", QString::fromStdString(kId)});
    QCOMPARE(ended.out, kId + " is muted no more.\n");
    QCOMPARE(server.requests().back().body, fmt::format(R"({{"group":"{}","until":0}})", kId));
}

void TestYardctlFailures::wrongWordsAreRefusedBeforeTheEngineIsAsked_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("contains");
    const QString id = QString::fromStdString(kId);
    QTest::newRow("a group that is none") << QStringList{"--show", "12"} << "'12' is no group of failures";
    QTest::newRow("a mute without a time") << QStringList{"--mute", id} << "--mute and --until go together";
    QTest::newRow("a time without a mute") << QStringList{"--until", "+1h"} << "--mute and --until go together";
    QTest::newRow("both") << QStringList{"--mute", id, "--until", "+1h", "--unmute", id} << "a mute goes alone";
    QTest::newRow("a mute of a filter") << QStringList{"--unmute", id, "queue:7"} << "a mute goes alone";
    QTest::newRow("a time that is over") << QStringList{"--mute", id, "--until", "2020-01-01"} << "has passed";
    QTest::newRow("a time that is none") << QStringList{"--since", "soon"} << "soon";
}

void TestYardctlFailures::wrongWordsAreRefusedBeforeTheEngineIsAsked() {
    QFETCH(QStringList, words);
    QFETCH(QString, contains);
    FakeServer server(table({}));
    const DataDirectory data(server);
    const Ended ended = data.run(QStringList{"failures"} + words);
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains(contains.toStdString()), ended.err.c_str());
    QVERIFY(server.requests().empty());
}

void TestYardctlFailures::whatTheEngineRefusesIsSaid() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const Ended ended = data.run({"failures"});
    QCOMPARE(ended.code, 1);
    QVERIFY(!ended.err.empty());
}

QTEST_GUILESS_MAIN(TestYardctlFailures)
#include "tst_yardctl_failures.moc"
