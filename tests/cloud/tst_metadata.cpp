// What metadata services are asked and what their answers mean.
#include "core/cloud/metadata.h"

#include <QtTest>

#include <chrono>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::cloud;
using namespace std::chrono_literals;

namespace {

Answer ok(std::string body) {
    return {.status = 200, .etag = {}, .flavor = "Google", .body = std::move(body)};
}
const Answer kNotThere{.status = 404, .etag = {}, .flavor = {}, .body = "not found"};

constexpr WallMicros kSeptember2017 = 1'505'722'920'000'000; // 2017-09-18 08:22:00 UTC

} // namespace

class TestCloudMetadata : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void questionsAreThoseOfThePapers();
    void aSpotInstanceOfAwsIsToBeEnded();
    void anActionWithoutATimeIsStillOne();
    void aRebalanceIsAWarning();
    void azuresEventsOfOtherMachinesSayNothing();
    void azuresEventsThatLeaveTheMachineSayNothing();
    void azuresTimeIsReadOrAbsent();
    void azureSaysWhichMachineThisIs();
    void googleSaysWhichMachineThisIs();
    void googlesWordsArePreemptedAndTerminate();
    void whatIsNotGooglesIsNotBelieved();
    void wordsOfAwsAreShortAndPlain();
    void whatThePapersDoNotKnowIsMalformed_data();
    void whatThePapersDoNotKnowIsMalformed();
};

void TestCloudMetadata::questionsAreThoseOfThePapers() {
    QCOMPARE(awsToken().method, std::string_view("PUT"));
    QCOMPARE(awsToken().headers.front().second, std::string("21600"));
    QCOMPARE(awsItem("T", kAwsAction).target, std::string("/latest/meta-data/spot/instance-action"));
    QCOMPARE(awsItem("T", kAwsAction).headers.front().second, std::string("T"));
    QCOMPARE(azureEvents().headers.front(), (std::pair<std::string, std::string>("Metadata", "true")));
    QCOMPARE(gcpItem(kGcpPreempted, "", 60s).target, std::string("/computeMetadata/v1/instance/preempted"));
    QCOMPARE(
        gcpItem(kGcpPreempted, "ab1", 60s).target,
        std::string("/computeMetadata/v1/instance/preempted?wait_for_change=true&timeout_sec=60&last_etag=ab1"));
    QCOMPARE(name(Provider::Azure), std::string_view("azure"));
}

void TestCloudMetadata::aSpotInstanceOfAwsIsToBeEnded() {
    const auto notice = readAwsAction(ok(R"({"action":"terminate","time":"2017-09-18T08:22:00Z"})"));
    QCOMPARE(notice.value(),
             (std::optional<Notice>({.isCertain = true, .what = "terminate", .at = kSeptember2017})));
    QCOMPARE(readAwsAction(kNotThere).value(), std::optional<Notice>());
}

void TestCloudMetadata::anActionWithoutATimeIsStillOne() {
    for (const std::string body : {R"({"action":"stop"})", R"({"action":"stop","time":"soon"})",
                                   R"({"action":"stop","time":"2017-09-18T08:22:00Z and more"})"}) {
        const auto notice = readAwsAction(ok(body));
        QCOMPARE(notice.value().value().what, std::string("stop"));
        QVERIFY(!notice.value()->at);
    }
}

void TestCloudMetadata::aRebalanceIsAWarning() {
    const auto notice = readAwsRebalance(ok(R"({"noticeTime":"2020-10-27T08:22:00Z"})"));
    QVERIFY(!notice.value().value().isCertain);
    QCOMPARE(readAwsRebalance(kNotThere).value(), std::optional<Notice>());
}

void TestCloudMetadata::azuresEventsOfOtherMachinesSayNothing() {
    const Answer answer = ok(R"({"DocumentIncarnation":2,"Events":[{"EventId":"A","EventType":"Preempt",
        "ResourceType":"VirtualMachine","Resources":["other"],"EventStatus":"Scheduled"}]})");
    QCOMPARE(readAzureEvents(answer, "mine").value(), std::optional<Notice>());
    QCOMPARE(readAzureEvents(answer, "other").value().value().what, std::string("Preempt"));
}

void TestCloudMetadata::azuresEventsThatLeaveTheMachineSayNothing() {
    for (const std::string type : {"Freeze", "Reboot"}) {
        const Answer answer = ok(R"({"Events":[{"EventType":")" + type + R"(","Resources":["mine"]}]})");
        QCOMPARE(readAzureEvents(answer, "mine").value(), std::optional<Notice>());
    }
    QCOMPARE(readAzureEvents(ok(R"({"Events":[]})"), "mine").value(), std::optional<Notice>());
    QCOMPARE(readAzureEvents(ok(R"({"Events":[3,{"EventType":"Terminate"}]})"), "mine").value(),
             std::optional<Notice>());
}

void TestCloudMetadata::azuresTimeIsReadOrAbsent() {
    const auto at = [](const std::string& time) {
        const Answer answer =
            ok(R"({"Events":[{"EventType":"Terminate","Resources":["mine"],"NotBefore":")" + time + R"("}]})");
        return readAzureEvents(answer, "mine").value().value().at;
    };
    QCOMPARE(at("Mon, 18 Sep 2017 08:22:00 GMT"), std::optional(kSeptember2017));
    QCOMPARE(at(""), std::optional<WallMicros>()); // it has begun
}

void TestCloudMetadata::azureSaysWhichMachineThisIs() {
    const auto identity = readAzureInstance(ok(
        R"({"compute":{"vmId":"12-34","vmSize":"Standard_D4","location":"westeurope","name":"vm0","priority":"Spot"}})"));
    QCOMPARE(identity.value(), (Identity{.provider = Provider::Azure,
                                         .instance = "12-34",
                                         .type = "Standard_D4",
                                         .region = "westeurope",
                                         .host = "vm0",
                                         .isSpot = true}));
}

void TestCloudMetadata::googleSaysWhichMachineThisIs() {
    const auto identity = readGcpInstance(
        ok(R"({"id":5123456789012345678,"name":"i0","machineType":"projects/12/machineTypes/e2-medium",
               "zone":"projects/12/zones/us-east1-b","scheduling":{"preemptible":"TRUE"}})"));
    QCOMPARE(identity.value(), (Identity{.provider = Provider::Gcp,
                                         .instance = "5123456789012345678",
                                         .type = "e2-medium",
                                         .region = "us-east1-b",
                                         .host = "i0",
                                         .isSpot = true}));
    QVERIFY(!readGcpInstance(ok(R"({"id":"1","zone":"x"})")).value().isSpot);
    QCOMPARE(readGcpInstance(ok(R"({"id":9223372036854775808})")).value().instance,
             std::string("9223372036854775808"));
}

void TestCloudMetadata::googlesWordsArePreemptedAndTerminate() {
    QCOMPARE(readGcpPreempted(ok("FALSE")).value(), std::optional<Notice>());
    QVERIFY(readGcpPreempted(ok("TRUE")).value()->isCertain);
    QCOMPARE(readGcpMaintenance(ok("NONE")).value(), std::optional<Notice>());
    QCOMPARE(readGcpMaintenance(ok("MIGRATE_ON_HOST_MAINTENANCE")).value(), std::optional<Notice>());
    QCOMPARE(readGcpMaintenance(ok("TERMINATE_ON_HOST_MAINTENANCE")).value()->what,
             std::string("TERMINATE_ON_HOST_MAINTENANCE"));
}

void TestCloudMetadata::whatIsNotGooglesIsNotBelieved() {
    Answer answer = ok("TRUE");
    answer.flavor.clear();
    QVERIFY(!readGcpPreempted(answer));
    QVERIFY(!readGcpMaintenance(answer));
    answer.body = R"({"id":"1"})";
    QVERIFY(!readGcpInstance(answer));
}

void TestCloudMetadata::wordsOfAwsAreShortAndPlain() {
    QCOMPARE(readAwsWord(ok("i-0123")).value(), std::string("i-0123"));
    for (const std::string& body :
         {std::string(), std::string("a b"), std::string("a\r\nX: y"), std::string(257, 'a')})
        QVERIFY(!readAwsWord(ok(body)));
    QVERIFY(!readAwsWord(kNotThere));
}

void TestCloudMetadata::whatThePapersDoNotKnowIsMalformed_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("a failing service") << 500 << QByteArray("{}");
    QTest::newRow("no JSON") << 200 << QByteArray("<html>");
    QTest::newRow("another JSON") << 200 << QByteArray("[]");
    QTest::newRow("members of another kind")
        << 200 << QByteArray(R"({"action":1,"noticeTime":2,"Events":3,"compute":4})");
    QTest::newRow("nothing") << 200 << QByteArray();
}

void TestCloudMetadata::whatThePapersDoNotKnowIsMalformed() {
    QFETCH(const int, status);
    QFETCH(const QByteArray, body);
    const Answer answer{.status = unsigned(status), .etag = {}, .flavor = "Google", .body = body.toStdString()};
    QCOMPARE(readAwsAction(answer).error().kind, ErrorKind::Malformed);
    QCOMPARE(readAwsRebalance(answer).error().kind, ErrorKind::Malformed);
    QCOMPARE(readAzureEvents(answer, "mine").error().kind, ErrorKind::Malformed);
    QCOMPARE(readAzureInstance(answer).error().kind, ErrorKind::Malformed);
    QCOMPARE(readGcpInstance(answer).error().kind, ErrorKind::Malformed);
    QCOMPARE(readGcpPreempted(answer).error().kind, ErrorKind::Malformed);
    QCOMPARE(readGcpMaintenance(answer).error().kind, ErrorKind::Malformed);
}

QTEST_APPLESS_MAIN(TestCloudMetadata)
#include "tst_metadata.moc"
