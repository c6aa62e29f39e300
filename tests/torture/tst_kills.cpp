// kill -9 at random moments of a load of submissions, completions, retries and cancels: of the engine, of its
// launcher, of both. YARD_TORTURE_ROUNDS says how often (5), YARD_TORTURE_SEED which moments (random; printed).
#include "tests/torture/load.h"

#include <QTest>

#include <QDir>
#include <QFile>

#include <csignal>
#include <ranges>
#include <thread>

using namespace yard;
using namespace yard::torture;

namespace {

constexpr int kClients = 3;
constexpr int kRoundsInShort = 5;
/// The engine starts a launcher again at once five times a minute; then it waits.
constexpr int kLauncherKillsPerEngine = 3;
/// Of broken promises; one cause breaks many.
constexpr int kShownAtMost = 20;

int rounds() {
    return numberFrom("YARD_TORTURE_ROUNDS", kRoundsInShort);
}

unsigned chosenSeed() {
    bool ok = false;
    const int wanted = qEnvironmentVariableIntValue("YARD_TORTURE_SEED", &ok);
    return ok ? static_cast<unsigned>(wanted) : std::random_device()();
}

/// One data directory through many engines.
class Torture {
public:
    explicit Torture(bool strangers = true)
        : seed_(chosenSeed())
        , random_(seed_)
        , load_(place_, seed_, strangers) {
        qInfo("YARD_TORTURE_SEED=%u", seed_);
        start();
        load_.prepare(engine_->caller());
    }
    Place& place() { return place_; }
    Yardmaster& engine() { return *engine_; }
    Load& load() { return load_; }

    void start() {
        Yardmaster::Options options;
        options.arguments = {"--capacity", "4", "--set", "grace_s=0.3"};
        engine_.emplace(place_, std::move(options));
        if (!engine_->isServing()) giveUp("the engine does not start: " + engine_->errors());
    }
    /// An engine that dies while it starts.
    void startAndKill() {
        engine_.emplace(place_);
        pause(250);
        engine_->kill();
    }
    /// Clients work until `end` has done its deed.
    void underLoad(const std::function<void()>& end) {
        std::atomic<bool> stop = false;
        std::jthread clients([&] { load_.run([&] { return engine_->caller(); }, kClients, stop); });
        end();
        stop = true;
    }
    void pause(int atMostMs) {
        std::this_thread::sleep_for(std::chrono::milliseconds(random_() % static_cast<unsigned>(atMostMs)));
    }
    bool once(unsigned in) { return random_() % in == 0; }

    /// The last engine of all: everything comes to its end, every promise is kept, nothing is left.
    void verify() {
        load_.finish(engine_->caller());
        const std::vector<std::string> broken = load_.broken(engine_->caller());
        qInfo("%s", load_.summary().c_str());
        for (const std::string& line : broken | std::views::take(kShownAtMost)) qWarning("%s", line.c_str());
        QVERIFY2(broken.empty(), place_.errors().c_str());
        QCOMPARE(engine_->stop(), 0);
        QCOMPARE(describe(processesOf(place_)), std::string());
        for (const char* directory : {"data/chunks/tmp", "data/scratch/0", "data/scratch/1"})
            QCOMPARE(left(directory), std::string());
    }

private:
    [[noreturn]] static void giveUp(const std::string& why) { qFatal("%s", why.c_str()); }
    /// What is in a directory, but for a slot's lock.
    std::string left(const char* directory) const {
        std::string names;
        for (const QString& name : QDir(QString::fromStdString(place_.path(directory)))
                                       .entryList(QDir::NoDotAndDotDot | QDir::AllEntries))
            if (name != "lock") names += name.toStdString() + " ";
        return names;
    }

    Place place_;
    unsigned seed_;
    std::mt19937 random_;
    Load load_;
    std::optional<Yardmaster> engine_;
};

/// Those of `pids` that live yet, after a while.
std::string survivors(const Place& place, const std::vector<int>& pids) {
    std::vector<int> alive;
    (void)eventually([&] {
        alive.clear();
        const std::vector<int> now = processesOf(place);
        std::ranges::copy_if(pids, std::back_inserter(alive),
                             [&](int pid) { return std::ranges::find(now, pid) != now.end(); });
        return alive.empty();
    });
    return describe(alive);
}

} // namespace

class TestKills : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { qInfo("%d rounds of each", rounds()); }
    void whatAKilledEngineAcceptedIsKeptAndRunOnce();
    void whatAKilledLauncherRanIsRunAgain();
    void engineAndLauncherKilledTogetherLoseNothing();
    void anArrayThatIsCutInTwoIsWholeOrNotThere();
    void aQueueIsGoneWhoseDeletionWasAnsweredBeforeAKill();
};

void TestKills::whatAKilledEngineAcceptedIsKeptAndRunOnce() {
    Torture torture;
    for (int round = 0; round < rounds(); ++round) {
        torture.underLoad([&] {
            torture.pause(900);
            torture.engine().kill();
        });
        // Nobody is left who could end them but the launcher, which goes with the engine.
        std::vector<int> left;
        QVERIFY2(eventually([&] { return (left = processesOf(torture.place())).empty(); }), describe(left).c_str());
        if (torture.once(4)) torture.startAndKill();
        torture.start();
    }
    torture.verify();
}

void TestKills::whatAKilledLauncherRanIsRunAgain() {
    Torture torture;
    for (int round = 0; round < rounds(); ++round) {
        if (round > 0 && round % kLauncherKillsPerEngine == 0) {
            QCOMPARE(torture.engine().stop(), 0);
            QCOMPARE(describe(processesOf(torture.place())), std::string());
            torture.start();
        }
        torture.underLoad([&] {
            torture.pause(900);
            int launcher = 0; // of an engine that serves since just now it may still be on its way
            QVERIFY2(eventually([&] { return (launcher = torture.engine().launcherPid()) > 0; }),
                     torture.engine().errors().c_str());
            // Held, so that what it has started is known.
            ::kill(launcher, SIGSTOP);
            std::vector<int> below = processesOf(torture.place(), torture.engine().pid());
            ::kill(launcher, SIGKILL);
            QCOMPARE(survivors(torture.place(), below), std::string());
            QVERIFY2(eventually([&] { return torture.engine().launcherPid() > 0; }),
                     torture.engine().errors().c_str());
            torture.pause(200);
        });
    }
    torture.verify();
}

void TestKills::engineAndLauncherKilledTogetherLoseNothing() {
    Torture torture(false);
    for (int round = 0; round < rounds(); ++round) {
        std::vector<int> below;
        torture.underLoad([&] {
            torture.pause(900);
            const int launcher = torture.engine().launcherPid();
            // Neither can end what the other leaves.
            torture.engine().signal(SIGSTOP);
            if (launcher > 0) ::kill(launcher, SIGSTOP);
            below = processesOf(torture.place());
            if (launcher > 0) ::kill(launcher, SIGKILL);
            torture.engine().kill();
        });
        torture.start();
        QCOMPARE(survivors(torture.place(), below), std::string());
    }
    torture.verify();
}

/// Arrays that take many groups of the journal, one after the other, into an engine where nothing starts.
void TestKills::anArrayThatIsCutInTwoIsWholeOrNotThere() {
    constexpr std::int64_t kMany = 60'000;
    const std::string array =
        fmt::format(R"({{"worker":"exec","argv":["true"],"cwd":"/","array":{{"from":1,"to":{}}}}})", kMany);
    const Place place;
    std::mt19937 random(chosenSeed());
    std::int64_t answered = 0;
    std::int64_t there = 0;
    for (int round = 0; round < rounds(); ++round) {
        Yardmaster engine(place);
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        Caller caller = engine.caller();
        QCOMPARE(caller.post("/compute/queues/0/hold").status, 200);
        there = caller.get("/compute/queues/0").number("pending");
        QVERIFY2(there % kMany == 0, fmt::format("{} are pending", there).c_str());
        QVERIFY2(there >= answered * kMany, fmt::format("{} of {} arrays", there / kMany, answered).c_str());
        std::atomic<std::int64_t> accepted = 0;
        std::jthread client([&, mine = engine.caller()](std::stop_token stop) mutable {
            while (!stop.stop_requested() && mine.post("/compute/jobs", array).status == 200) ++accepted;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 600));
        engine.kill();
        client.request_stop();
        client.join();
        answered += accepted;
    }
    qInfo("%lld arrays, %lld of them answered", static_cast<long long>(there / kMany),
          static_cast<long long>(answered));
}

/// Its action resists when it is cancelled, so that the engine dies while the deletion waits for it.
void TestKills::aQueueIsGoneWhoseDeletionWasAnsweredBeforeAKill() {
    const Place place;
    Yardmaster::Options options;
    options.arguments = {"--set", "grace_s=60"};
    std::string queue;
    std::int64_t lsn = 0;
    {
        Yardmaster engine(place, options);
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        Caller caller = engine.caller();
        queue = fmt::format("/compute/queues/{}",
                            caller.post("/compute/queues", R"({"tag":"night"})").number("queue_id"));
        lsn = caller.post(queue + "/jobs", shJson(place, "trap '' TERM; touch ready; while :; do sleep 1; done"))
                  .number("lsn");
        QVERIFY(eventually([&] { return QFile::exists(QString::fromStdString(place.work() + "/ready")); }));
        QCOMPARE(caller.call("DELETE", queue).status, 200);
        QCOMPARE(caller.get(queue).status, 404);
        engine.kill();
    }
    for (int start = 0; start < 2; ++start) {
        Yardmaster engine(place, options);
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        Caller caller = engine.caller();
        QCOMPARE(caller.get(queue).status, 404);
        QCOMPARE(caller.result(lsn).text("state"), std::string("cancelled"));
        QCOMPARE(engine.stop(), 0);
    }
}

QTEST_GUILESS_MAIN(TestKills)
#include "tst_kills.moc"
