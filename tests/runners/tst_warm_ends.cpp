// Warm processes as they can be seen in every order, their ends above all: the socket is read, and the launcher's
// word about the process heard, when the test says so. Real processes, and a host that holds cores or not.
#include "core/launcher/launcher.h"
#include "core/runners/warm_runner.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTest>

#include <poll.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {

class Host final : public WarmHost {
public:
    void prepare(const ProcessOrder& order) override { orders.push_back(order); }
    void discard(const ProcessOrder&) override {}
    void remake(AttemptId) override {} // requests have no directories here
    bool lacksMemory(const std::string&) const override { return false; }
    bool hold(std::uint64_t, const Resources&) override { return hasCores; }
    void letGo(std::uint64_t) override {}
    bool isCrowded() const override {
        ++crowdLooks;
        return crowded;
    }
    void setWindow(std::uint32_t, int) override {}
    void syncEntries() override { ++syncs; }
    void lookForRestart(const std::string& worker, const std::string&, bool) override { looks.push_back(worker); }

    std::vector<ProcessOrder> orders;
    std::vector<std::string> looks;
    int syncs = 0;
    bool hasCores = true;
    bool crowded = false;
    mutable std::size_t crowdLooks = 0;
};

/// A warm worker whose processes play the role `warm` of child.cpp.
class WarmBench {
public:
    explicit WarmBench(std::vector<std::string> role, unsigned maxProcesses = 1, bool durable = false)
        : role_(std::move(role)) {
        bench_.acknowledges = false;
        bench_.onUpdates = [this](std::vector<Update>& batch) {
            std::ranges::copy(batch, std::back_inserter(told_));
        };
        WarmConfig config;
        config.dataDir = bench_.config().dataDir;
        config.slots = kSlots;
        config.pool.max = kSlots;
        config.durable = durable;
        auto started = WarmRunner::start(config, bench_.runner(), host, [this](std::vector<Update> batch) {
            std::ranges::move(batch, std::back_inserter(seen));
        });
        if (!started) qFatal("%s", started.error().message.c_str());
        warm_ = std::move(*started);
        auto descriptor = std::make_shared<WorkerDescriptor>();
        descriptor->name = descriptor->pool.group = "w";
        descriptor->pool.maxProcesses = maxProcesses;
        group_ = warm_->addWorker("w", descriptor, 0);
    }

    WarmRunner& runner() { return *warm_; }
    void submit(std::int64_t lsn, bool once = false) {
        Lease lease;
        lease.id = {Lsn(lsn), 1};
        lease.warm = WarmCall{.group = group_, .spec = std::make_shared<ActionSpec>(), .root = {}};
        lease.warm->once = once;
        std::vector<Lease> batch;
        batch.push_back(std::move(lease));
        warm_->submit(std::move(batch));
    }

    /// Drives all of it until `done`; false when it did not come to that.
    bool until(const std::function<bool()>& done) {
        const MonoTime end = MonoClock::now() + std::chrono::milliseconds(kWaitMs);
        while (!done()) {
            if (MonoClock::now() > end) return false;
            pollfd fds[2] = {{bench_.runner().pollFd(), POLLIN, 0}, {warm_->pollFd(), POLLIN, 0}};
            ::poll(fds, 2, 20);
            readLauncher();
            hear();
            readSockets();
        }
        return true;
    }
    /// What the launcher says is taken, and kept from the warm runner.
    void readLauncher() {
        answerHost();
        bench_.runner().onReadable();
    }
    void readSockets() {
        answerHost();
        warm_->onReadable();
    }
    /// The warm runner is told what the launcher said.
    void hear() {
        for (Update& update : std::exchange(told_, {})) warm_->processUpdate(std::move(update));
    }
    /// The launcher said that a process has ended, which the warm runner does not know yet.
    bool isEndTold() const {
        return std::ranges::any_of(told_, [](const Update& u) { return std::holds_alternative<Ended>(u.what); });
    }
    template<class T>
    const T* find(std::int64_t lsn) const {
        for (const Update& update : seen)
            if (update.id.lsn.value == lsn)
                if (const auto* what = std::get_if<T>(&update.what)) return what;
        return nullptr;
    }
    WarmPoolView view() const { return warm_->views().pool(); }
    const WarmCounters& counters() const { return warm_->views().counters(); }
    std::string stateOfFirst() const {
        const auto processes = warm_->views().pool().groups.at(0).processes;
        return processes.empty() ? std::string() : std::string(processes[0].state);
    }
    std::string path(const std::string& name) const { return bench_.path(name); }
    bool close() {
        warm_->shutDown(Duration::zero());
        const bool isDown = until([&] { return warm_->isDown(); });
        warm_.reset();
        return bench_.close() && isDown;
    }

    Host host;
    std::vector<Update> seen;

private:
    static constexpr unsigned kSlots = 4;

    void answerHost() {
        for (const std::string& worker : std::exchange(host.looks, {})) warm_->restartSigns(worker, {}, {});
        for (const ProcessOrder& order : std::exchange(host.orders, {}))
            warm_->prepared(order.id, bench_.lease(0, role_));
    }

    RunnerBench bench_{kSlots};
    std::vector<std::string> role_;
    std::vector<Update> told_;
    std::unique_ptr<WarmRunner> warm_;
    pool::GroupId group_;
};

/// Directory of the FIFOs through which the processes and the test speak.
struct Fifos {
    QTemporaryDir dir;
    Fifo says{dir.filePath("says").toStdString()};
    Fifo gate{dir.filePath("gate").toStdString()};
    std::vector<std::string> role(const char* what) const { return {"warm", says.path(), gate.path(), what}; }
};

} // namespace

class TestWarmEnds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatDiesBeforeItReadAnythingIsTriedTenTimes_data();
    void whatDiesBeforeItReadAnythingIsTriedTenTimes();
    void howItEndedIsToldThoughNobodyLookedInTime();
    void oneThatYieldsTakesRequestsAgainOnceNobodyWaits();
    void whatAYieldingProcessIsNotSentGoesToAnother();
    void aRequestBehindALongOneIsServedThoughOtherWorkWaits();
    void whatMayNotBeginTwiceIsSentWhenThatIsOnTheDisk();
};

void TestWarmEnds::whatDiesBeforeItReadAnythingIsTriedTenTimes_data() {
    QTest::addColumn<bool>("readsReadyFirst");
    QTest::newRow("that it is ready is read before it is dead") << true;
    QTest::newRow("its end is seen before it was read that it is ready") << false;
}

void TestWarmEnds::whatDiesBeforeItReadAnythingIsTriedTenTimes() {
    QFETCH(bool, readsReadyFirst);
    Fifos fifos;
    WarmBench bench(fifos.role("leave"));
    bench.host.hasCores = false; // so that it is never sent anything
    bench.submit(1);
    for (unsigned i = 0; i < pool::kMaxAttempts; ++i) {
        QVERIFY(!bench.find<Ended>(1));
        bench.readLauncher(); // what is to be started is started
        QCOMPARE(fifos.says.next().word, std::string("warm"));
        if (readsReadyFirst) QVERIFY(bench.until([&] { return bench.counters().spawned == i + 1; }));
        fifos.gate.open();
        QVERIFY(eventually([&] {
            bench.readLauncher();
            return bench.isEndTold();
        }));
        bench.hear();
    }
    QVERIFY(bench.until([&] { return bench.find<Ended>(1) != nullptr; }));
    QVERIFY(bench.find<Ended>(1)->cause == EndCause::WorkerCrashed);
    QCOMPARE(bench.find<Ended>(1)->message,
             std::string("10 warm processes ended before they read it; the last one: it ended with exit code 9; it "
                         "printed nothing"));
    QCOMPARE(bench.counters().spawned, pool::kMaxAttempts);
    QVERIFY(bench.close());
}

void TestWarmEnds::howItEndedIsToldThoughNobodyLookedInTime() {
    Fifos fifos;
    WarmBench bench(fifos.role("hang-up"));
    bench.submit(1);
    QVERIFY(bench.until([&] { return bench.find<Started>(1) != nullptr; }));
    QCOMPARE(fifos.says.next().word, std::string("warm"));
    fifos.gate.open();
    QCOMPARE(fifos.says.next().word, std::string("hung-up"));
    QVERIFY(eventually([&] {
        bench.readSockets();
        return bench.stateOfFirst() == "stopping";
    }));
    const MonoTime late = MonoClock::now() + Duration(400'000);
    fifos.gate.open();
    QVERIFY(eventually([&] {
        bench.readLauncher();
        return bench.isEndTold() && MonoClock::now() > late;
    }));
    bench.readSockets(); // what else there was first, as after a stop of this thread
    bench.hear();
    QVERIFY(bench.until([&] { return bench.find<Ended>(1) != nullptr; }));
    QCOMPARE(bench.find<Ended>(1)->message,
             std::string("its warm process died: it ended with exit code 9; it printed nothing"));
    QVERIFY(bench.close());
}

namespace {

/// Runs request 1, and had the cores for its turn while other work waits for some.
bool yields(WarmBench& bench, Fifos& fifos) {
    bench.submit(1);
    if (!bench.until([&] { return bench.find<Started>(1) != nullptr; })) return false;
    bench.host.crowded = true;
    const MonoTime turn = MonoClock::now() + Duration(1'000'000);
    const std::size_t looks = bench.host.crowdLooks;
    return fifos.says.next().word == "warm" &&
           bench.until([&] { return MonoClock::now() > turn && bench.host.crowdLooks > looks + 1; });
}

} // namespace

void TestWarmEnds::oneThatYieldsTakesRequestsAgainOnceNobodyWaits() {
    Fifos fifos;
    WarmBench bench(fifos.role("leave"));
    QVERIFY(yields(bench, fifos));
    bench.submit(2);
    QCOMPARE(bench.view().groups.at(0).processes.at(0).sessions, 1u);
    bench.host.crowded = false;
    QVERIFY(bench.until([&] { return bench.find<Started>(2) != nullptr; }));
    QVERIFY(!bench.find<Ended>(1));
    QVERIFY(bench.close());
}

void TestWarmEnds::whatAYieldingProcessIsNotSentGoesToAnother() {
    Fifos fifos;
    WarmBench bench(fifos.role("leave"), 2);
    QVERIFY(yields(bench, fifos));
    bench.submit(2);
    QVERIFY(bench.until([&] { return bench.find<Started>(2) != nullptr; }));
    QCOMPARE(bench.counters().spawned, 2u);
    QVERIFY(bench.close());
}

void TestWarmEnds::aRequestBehindALongOneIsServedThoughOtherWorkWaits() {
    Fifos fifos;
    WarmBench bench(fifos.role("leave"));
    QVERIFY(yields(bench, fifos));
    bench.submit(2); // there is room beside it, and no other process may be
    QVERIFY(bench.until([&] { return bench.find<Started>(2) != nullptr; }));
    QVERIFY(bench.host.crowded && !bench.find<Ended>(1));
    QVERIFY(bench.close());
}

void TestWarmEnds::whatMayNotBeginTwiceIsSentWhenThatIsOnTheDisk() {
    Fifos fifos;
    WarmBench bench(fifos.role("leave"), 1, true);
    bench.submit(1, true);
    QVERIFY(bench.until([&] { return bench.host.syncs == 1; }));
    QVERIFY(!bench.find<Started>(1));
    bench.submit(2, true); // written while the file is synced: with the next one
    bench.runner().entriesSynced({});
    QVERIFY(bench.until([&] { return bench.find<Started>(1) && bench.host.syncs == 2; }));
    QVERIFY(!bench.find<Started>(2));
    bench.runner().entriesSynced(fail(ErrorKind::Io, "no disk"));
    QVERIFY(bench.until([&] { return bench.find<Ended>(2) != nullptr; }));
    QVERIFY(bench.find<Ended>(2)->cause == EndCause::SpawnError);
    QCOMPARE(bench.find<Ended>(2)->spawn.message, std::string("that it begins could not be kept: no disk"));
    bench.submit(3); // another one needs no mark
    QVERIFY(bench.until([&] { return bench.find<Started>(3) != nullptr; }));
    QVERIFY(bench.close());
}

YARD_RUNNER_TEST_MAIN(TestWarmEnds)
#include "tst_warm_ends.moc"
