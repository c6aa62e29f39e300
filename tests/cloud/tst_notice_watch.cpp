// The three services at their real address, in a network of the test's own where this machine allows one: which machine
// this is, when it is taken away, and services that are slow, wrong or not there.
#include "core/cloud/notice_watch.h"
#include "tests/cloud/own_network.h"
#include "tests/cloud/watch_bench.h"

#include <QtTest>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::cloud;
using namespace yard::cloud::test;
using namespace std::chrono_literals;

namespace {

bool hasOwnNetwork = false;

/// A mock and a watch of it, on a clock moved by hand.
class Watched : public WatchBench {
public:
    Watched()
        : WatchBench(hasOwnNetwork ? Place().address.c_str() : "127.0.0.1", hasOwnNetwork ? 80 : 0)
        , watch(hasOwnNetwork ? Place() : Place{.address = "127.0.0.1", .port = mock.port()},
                {.found = [this](const Identity& identity) { found.push_back(identity); },
                 .notice = [this](const Notice& notice) { notices.push_back(notice); }}) {}
    ~Watched() { stopWatch(watch); }
    void start() { startWatch(watch); }
    bool isAsked(std::string_view words, std::size_t times) {
        return until([&] { return mock.count(words) >= times; });
    }

    void isAzure() {
        mock.replies["/metadata/instance"].body = R"({"compute":{"vmId":"v1","name":"vm0"}})";
        mock.replies["/metadata/scheduledevents"].body = R"({"Events":[]})";
    }
    void isGcp() {
        mock.replies["/computeMetadata/v1/instance/"] = {.status = 200, .body = R"({"id":7})", .headers = kGoogle};
        mock.replies["/computeMetadata/v1/instance/preempted"] = {
            .status = 200, .body = "FALSE", .headers = kMarked};
        mock.replies["/computeMetadata/v1/instance/maintenance-event"] = {
            .status = 200, .body = "NONE", .headers = kMarked};
    }

    static constexpr const char* kGoogle = "Metadata-Flavor: Google\r\n";
    static constexpr const char* kMarked = "Metadata-Flavor: Google\r\nETag: e1\r\n";

    NoticeWatch watch;
    std::vector<Identity> found;
    std::vector<Notice> notices;
};

} // namespace

class TestCloudNoticeWatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nobodyAnswersNothingIsTold();
    void aMuteServiceIsGivenUp();
    void awsSaysWhatItIsAndWhenItGoes();
    void aTokenThatRanOutIsAskedForAgain();
    void anActionThatChangesIsToldAgain();
    void azuresEventIsTold();
    void googleIsToldByALongPoll();
    void aServiceThatFailsIsAskedAgainLater();
    void whatIsNoHttpIsRefused_data();
    void whatIsNoHttpIsRefused();
};

void TestCloudNoticeWatch::nobodyAnswersNothingIsTold() {
    Watched watched; // each path is 404
    watched.start();
    QVERIFY(watched.isAsked("/computeMetadata/v1/instance/?recursive", 1));
    watched.rig.advance(1h);
    QVERIFY(watched.found.empty());
    QCOMPARE(watched.mock.asked.size(), std::size_t(3)); // one for each cloud, and no more
}

void TestCloudNoticeWatch::aMuteServiceIsGivenUp() {
    Watched watched;
    watched.mock.isMute = true;
    watched.start();
    for (const std::size_t asked : {1U, 2U, 3U}) {
        QVERIFY(watched.until([&] { return watched.mock.asked.size() == asked; }));
        watched.rig.advance(NoticeWatch::kProbe);
    }
    watched.rig.advance(1h);
    QCOMPARE(watched.mock.asked.size(), std::size_t(3));
}

void TestCloudNoticeWatch::awsSaysWhatItIsAndWhenItGoes() {
    Watched watched;
    watched.isAws();
    watched.start();
    QVERIFY(watched.isAsked("rebalance", 1));
    QCOMPARE(watched.found, std::vector<Identity>({{.provider = Provider::Aws,
                                                    .instance = "i-01",
                                                    .type = "c5.large",
                                                    .region = "eu-west-1",
                                                    .host = {},
                                                    .isSpot = true}}));
    QVERIFY(watched.notices.empty());
    watched.mock.replies["/latest/meta-data/events/recommendations/rebalance"].body = R"({"noticeTime":"x"})";
    watched.rig.advance(5s);
    QVERIFY(watched.isAsked("rebalance", 2));
    QVERIFY(watched.until([&] { return watched.notices.size() == 1; }));
    QVERIFY(!watched.notices[0].isCertain);
    watched.mock.replies["/latest/meta-data/spot/instance-action"].body = R"({"action":"terminate"})";
    watched.rig.advance(5s);
    QVERIFY(watched.until([&] { return watched.notices.size() == 2; }));
    QCOMPARE(watched.notices[1].what, std::string("terminate"));
    QCOMPARE(watched.mock.count("PUT /latest/api/token"), std::size_t(1));
    QVERIFY(watched.mock.asked.back().contains("X-aws-ec2-metadata-token: TOKEN1"));
}

void TestCloudNoticeWatch::aTokenThatRanOutIsAskedForAgain() {
    Watched watched;
    watched.isAws();
    watched.start();
    QVERIFY(watched.isAsked("rebalance", 1));
    watched.mock.replies["/latest/meta-data/spot/instance-action"].status = 401;
    watched.mock.replies["/latest/api/token"].body = "TOKEN2";
    watched.rig.advance(5s);
    QVERIFY(watched.isAsked("rebalance", 2));
    QCOMPARE(watched.mock.count("PUT /latest/api/token"), std::size_t(2));
    QVERIFY(watched.mock.asked.back().contains("X-aws-ec2-metadata-token: TOKEN2"));
    QVERIFY(watched.notices.empty()); // refused a second time, it is an answer that is none
}

void TestCloudNoticeWatch::anActionThatChangesIsToldAgain() {
    Watched watched;
    watched.isAws();
    auto& action = watched.mock.replies["/latest/meta-data/spot/instance-action"];
    action.body = R"({"action":"stop"})";
    watched.start();
    QVERIFY(watched.until([&] { return watched.notices.size() == 1; }));
    QVERIFY(watched.isAsked("rebalance", 1));
    watched.rig.settle();
    watched.rig.advance(5s);
    QVERIFY(watched.isAsked("rebalance", 2));
    QCOMPARE(watched.notices.size(), std::size_t(1));
    action.body = R"({"action":"terminate"})";
    watched.rig.settle();
    watched.rig.advance(5s);
    QVERIFY(watched.until([&] { return watched.notices.size() == 2; }));
}

void TestCloudNoticeWatch::azuresEventIsTold() {
    Watched watched;
    watched.isAzure();
    watched.start();
    QVERIFY(watched.isAsked("scheduledevents", 1));
    QCOMPARE(watched.found.at(0).host, std::string("vm0"));
    watched.mock.replies["/metadata/scheduledevents"].body =
        R"({"Events":[{"EventType":"Preempt","Resources":["vm0"]}]})";
    watched.rig.settle();
    watched.rig.advance(1s);
    QVERIFY(watched.until([&] { return watched.notices.size() == 1; }));
}

void TestCloudNoticeWatch::googleIsToldByALongPoll() {
    Watched watched;
    watched.isGcp();
    watched.start();
    QVERIFY(watched.isAsked("preempted?wait_for_change=true&timeout_sec=60&last_etag=e1", 1));
    QVERIFY(watched.isAsked("maintenance-event?wait_for_change=true", 1));
    QVERIFY(watched.notices.empty());
    watched.mock.replies["/computeMetadata/v1/instance/preempted"].body = "TRUE";
    watched.mock.change();
    QVERIFY(watched.until([&] { return watched.notices.size() == 1; }));
    QCOMPARE(watched.notices[0].what, std::string("preempted"));
}

void TestCloudNoticeWatch::aServiceThatFailsIsAskedAgainLater() {
    Watched watched;
    watched.isAzure();
    watched.mock.replies["/metadata/scheduledevents"].status = 500;
    watched.start();
    QVERIFY(watched.isAsked("scheduledevents", 1));
    watched.rig.advance(NoticeWatch::kRetry - 1s);
    QCOMPARE(watched.mock.count("scheduledevents"), std::size_t(1));
    QVERIFY(watched.until([&] {
        watched.rig.advance(1s);
        return watched.mock.count("scheduledevents") == 2;
    }));
}

void TestCloudNoticeWatch::whatIsNoHttpIsRefused_data() {
    QTest::addColumn<QByteArray>("raw");
    QTest::newRow("another protocol") << QByteArray("SSH-2.0-OpenSSH\r\n\r\n");
    QTest::newRow("ends in the head") << QByteArray("HTTP/1.1 200 OK\r\nContent-");
    QTest::newRow("ends in the body") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    QTest::newRow("a body over the limit")
        << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n") + QByteArray(1'000, 'x');
    QTest::newRow("a head over the limit") << QByteArray("HTTP/1.1 200 OK\r\nX: ") + QByteArray(400'000, 'x');
    QTest::newRow("a length that is none") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n");
}

void TestCloudNoticeWatch::whatIsNoHttpIsRefused() {
    QFETCH(const QByteArray, raw);
    Watched watched;
    watched.mock.raw = raw.toStdString();
    MetadataClient client(hasOwnNetwork ? Place() : Place{.address = "127.0.0.1", .port = watched.mock.port()});
    const auto answer = watched.rig.ask(client.ask(awsToken(), 5s));
    QVERIFY(!answer);
    QVERIFY2(answer.error().kind == ErrorKind::Malformed || answer.error().kind == ErrorKind::Io,
             answer.error().message.c_str());
    MetadataClient nowhere(Place{.address = "no address", .port = 1});
    QCOMPARE(watched.rig.ask(nowhere.ask(awsToken(), 5s)).error().kind, ErrorKind::Io);
}

// The namespace has to be entered before Qt starts a thread.
int main(int argc, char** argv) {
    hasOwnNetwork = enterOwnNetwork("169.254.169.254");
    if (!hasOwnNetwork) qWarning("This machine allows no network namespace: the mock is on the loopback address.");
    QCoreApplication application(argc, argv);
    TestCloudNoticeWatch test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_notice_watch.moc"
