// What an engine does when its cloud takes the machine away, beside a metadata service of the test's own.
#include "core/engine/running/cloud_watch.h"
#include "tests/cloud/watch_bench.h"

#include <QtTest>

#include <fmt/format.h>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

/// A machine of AWS, and what the engine did with it: "leave: …", "move: abandoned".
class CloudBench : public cloud::test::WatchBench {
public:
    explicit CloudBench(bool isHeadless = true)
        : WatchBench("127.0.0.1", 0)
        , watch({.settings = settings,
                 .place = {.address = "127.0.0.1", .port = mock.port()},
                 .mayProbe = isHeadless,
                 .leave = [this](const std::string& sentence) { did.push_back("leave: " + sentence); },
                 .moveTo = [this](SessionState to) { return moveTo(to); },
                 .changed = [this] { ++changes; }}) {
        settings.cloudProbe = "on";
        isAws();
    }
    ~CloudBench() { stopWatch(watch); }
    void start() { startWatch(watch); }
    bool isFound() {
        start();
        return until([this] { return watch.view().has_value(); });
    }
    /// The service says it from now on, and is asked again.
    bool says(const char* path, const char* body) {
        mock.replies[path].body = body;
        return until([&] {
            rig.clock.advance(std::chrono::seconds(1));
            return watch.view()->notice.has_value() && watch.view()->notice->what != lastNotice;
        });
    }
    std::string done() const { return fmt::format("{}", fmt::join(did, "; ")); }

    static constexpr const char* kAction = "/latest/meta-data/spot/instance-action";
    static constexpr const char* kRebalance = "/latest/meta-data/events/recommendations/rebalance";

    Settings settings;
    std::vector<std::string> did;
    std::string lastNotice;
    int changes = 0;
    bool isRefused = false;
    CloudWatch watch;

private:
    coro::Task<Result<void>> moveTo(SessionState to) {
        did.push_back(fmt::format("move: {}", name(to)));
        if (isRefused) co_return fail(ErrorKind::WrongState, "the session is draining");
        co_return Result<void>{};
    }
};

constexpr const char* kTerminate = R"({"action":"terminate","time":"2017-09-18T08:22:00Z"})";
constexpr const char* kLeft = "leave: the cloud takes that machine away (terminate)";

} // namespace

class TestCloudWatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nobodyIsAskedUnlessTheSettingIsOn() {
        CloudBench b;
        b.settings.cloudProbe = "off";
        b.start();
        QVERIFY(b.mock.asked.empty());
        QVERIFY(!b.watch.view());
    }
    void anEngineWithAWindowAsksNobody() {
        CloudBench b(false);
        b.start();
        QVERIFY(b.mock.asked.empty());
        QVERIFY(!b.watch.view());
    }
    void aMachineOfACloudIsShownAsThat() {
        CloudBench b;
        QVERIFY(b.isFound());
        QCOMPARE(b.watch.view()->provider, std::string("aws"));
        QCOMPARE(b.watch.view()->instance, std::string("i-01"));
        QCOMPARE(b.watch.view()->type, std::string("c5.large"));
        QCOMPARE(b.watch.view()->region, std::string("eu-west-1"));
        QVERIFY(b.watch.view()->isSpot);
        QVERIFY(!b.watch.view()->notice);
        QCOMPARE(b.changes, 1);
        QCOMPARE(b.done(), std::string());
    }
    void aNoticeAbandonsTheSessionOnceYardsHaveHeardOfIt() {
        CloudBench b;
        QVERIFY(b.isFound());
        QVERIFY(b.says(CloudBench::kAction, kTerminate));
        b.rig.settle();
        QCOMPARE(b.done(), std::string(kLeft) + "; move: abandoned");
        QVERIFY(b.watch.view()->notice->isCertain);
        QCOMPARE(b.watch.view()->notice->at, WallMicros{1'505'722'920'000'000});
        QCOMPARE(b.changes, 2);
    }
    void onTerminationMayDrainInstead() {
        CloudBench b;
        b.settings.onTermination = "drain";
        QVERIFY(b.isFound());
        QVERIFY(b.says(CloudBench::kAction, kTerminate));
        b.rig.settle();
        QCOMPARE(b.done(), std::string(kLeft) + "; move: draining");
    }
    void anIgnoredNoticeIsShownAndDoesNothing() {
        CloudBench b;
        b.settings.onTermination = "ignore";
        QVERIFY(b.isFound());
        QVERIFY(b.says(CloudBench::kAction, kTerminate));
        b.rig.settle();
        QCOMPARE(b.done(), std::string());
        QCOMPARE(b.watch.view()->notice->what, std::string("terminate"));
    }
    void aWarningIsShownAndDoesNothingUntilItIsCertain() {
        CloudBench b;
        QVERIFY(b.isFound());
        QVERIFY(b.says(CloudBench::kRebalance, R"({"noticeTime":"2020-10-27T08:22:00Z"})"));
        QVERIFY(!b.watch.view()->notice->isCertain);
        QCOMPARE(b.done(), std::string());
        b.lastNotice = b.watch.view()->notice->what;
        QVERIFY(b.says(CloudBench::kAction, kTerminate));
        b.rig.settle();
        QVERIFY(b.watch.view()->notice->isCertain);
        QCOMPARE(b.done(), std::string(kLeft) + "; move: abandoned");
    }
    void aSessionThatIsElsewhereAlreadyStaysThere() {
        CloudBench b;
        b.isRefused = true;
        QVERIFY(b.isFound());
        QVERIFY(b.says(CloudBench::kAction, kTerminate));
        b.rig.settle();
        QCOMPARE(b.done(), std::string(kLeft) + "; move: abandoned"); // asked once, and no more
    }
};

QTEST_GUILESS_MAIN(TestCloudWatch)
#include "tst_cloud_watch.moc"
