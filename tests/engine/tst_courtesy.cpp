// Courtesy of a whole engine, with a desk that the test moves: what starts, with which priority, what is said of it, and
// when the machine may sleep.
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/courtesy_service.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/settings_service.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"
#include "tests/support/mock_bus.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sched.h>
#include <sstream>

using namespace yard;
using namespace yard::test;
using courtesy::ConditionKind;

namespace {

/// What the test says of the machine; it outlives the engine.
struct FakeDesk {
    std::mutex mutex;
    courtesy::DeskSink sink;
    courtesy::DeskReadings readings;
    std::atomic<bool> watches{false};
    std::atomic<bool> keepsAwake{false};
    std::atomic<bool> delays{false};
    std::atomic<int> readied{0};
    std::atomic<int> opened{0};

    void tell() {
        const std::lock_guard lock(mutex);
        if (sink) sink(readings);
    }
    void input(bool comes) {
        {
            const std::lock_guard lock(mutex);
            readings.input = courtesy::InputReading{.comesNow = comes, .idle = Duration::zero(), .source = "test"};
        }
        tell();
    }
    void say(ConditionKind kind, double value) {
        {
            const std::lock_guard lock(mutex);
            std::erase_if(readings.all, [kind](const courtesy::Reading& one) { return one.kind == kind; });
            readings.all.push_back({.kind = kind, .value = value, .source = "test"});
        }
        tell();
    }
};

class OpenedDesk final : public courtesy::Desk {
public:
    OpenedDesk(FakeDesk& of, courtesy::DeskSink sink)
        : of_(of) {
        const std::lock_guard lock(of_.mutex);
        of_.sink = std::move(sink);
        ++of_.opened;
    }
    ~OpenedDesk() override {
        const std::lock_guard lock(of_.mutex);
        of_.sink = {};
        of_.watches = of_.keepsAwake = false;
    }
    void setWatching(bool on) override {
        if (of_.watches.exchange(on) == on || !on) return;
        of_.tell();
    }
    void keepAwake(const std::string& why) override { of_.keepsAwake = !why.empty(); }
    bool isKeptAwake() const override { return of_.keepsAwake; }
    void delaySleep(const std::string& why) override { of_.delays = !why.empty(); }
    void readyToSleep() override { ++of_.readied; }
    bool isSleepDelayed() const override { return of_.delays; }

private:
    FakeDesk& of_;
};

void touch(const std::string& path) {
    std::ofstream(path) << "x";
}

std::string readText(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

class TestCourtesy : public QObject {
    Q_OBJECT

    std::unique_ptr<FakeDesk> desk_;

    std::function<void(engine::Options&)> with(std::string profile) {
        return [this, profile = std::move(profile)](engine::Options& options) {
            options.openDesk = [this](courtesy::DeskSink sink) {
                return std::make_unique<OpenedDesk>(*desk_, std::move(sink));
            };
            if (!profile.empty()) options.set.push_back("courtesy=" + profile);
        };
    }
    static engine::CourtesyNow now(EngineTest& engine) {
        return engine.run(engine->ask(&engine::Overview::session)).courtesy;
    }
    static bool has(EngineTest& engine, std::string_view measure) {
        const auto measures = now(engine).measures;
        return std::ranges::find(measures, measure, &engine::CourtesyMeasure::name) != measures.end();
    }
    static engine::CourtesyView view(EngineTest& engine) {
        return engine.run(engine->ask(&engine::CourtesyService::view));
    }
    static ActionState stateOf(EngineTest& engine, Lsn lsn) {
        return engine.run(engine->ask(&engine::ActionRows::action, lsn))->state;
    }
    static ActionResult rowOf(EngineTest& engine, Lsn lsn) {
        return *engine.run(engine->ask(&engine::ActionRows::action, lsn));
    }
    static std::vector<Lsn> runningOf(EngineTest& engine, const std::vector<Lsn>& all) {
        std::vector<Lsn> running;
        for (const Lsn lsn : all)
            if (stateOf(engine, lsn) == ActionState::Running) running.push_back(lsn);
        return running;
    }
    static Why why(EngineTest& engine, Lsn lsn) { return *engine.run(engine->ask(&engine::Reasons::why, lsn)); }
    static Result<engine::CourtesyView> change(EngineTest& engine, std::string profile,
                                               std::optional<Duration> forTime = {}) {
        return engine.run(engine->ask(&engine::CourtesyService::change,
                                      engine::CourtesyChange{.profile = std::move(profile), .forTime = forTime}));
    }

private Q_SLOTS:
    void init() { desk_ = std::make_unique<FakeDesk>(); }

    void withoutAWindowItIsOffAndLooksAtNothing() {
        EngineTest engine(2, with({}));
        QCOMPARE(now(engine).profile, "off");
        QCOMPARE(ending(engine.wait(engine.sh("true"))), "completed");
        QCOMPARE(desk_->opened, 0);
        QVERIFY(!desk_->keepsAwake);
    }

    void withAWindowItIsGentle() {
        EngineTest engine(2, [this](engine::Options& options) {
            with({})(options);
            options.hasWindow = true;
        });
        QCOMPARE(now(engine).profile, "gentle");
        QCOMPARE(view(engine).setting, "auto");
    }

    void nothingStartsWhileMemoryIsShort() {
        EngineTest engine(2, with("gentle"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        desk_->say(ConditionKind::MemoryPressure, 40);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "hold"), kWaitMs);
        const Lsn waits = engine.sh("true");
        const Why reasons = why(engine, waits);
        QCOMPARE(reasons.waits.size(), 1u);
        QCOMPARE(reasons.waits[0].kind, WaitKind::Courtesy);
        QCOMPARE(reasons.waits[0].condition, "memory_pressure");
        QCOMPARE(reasons.waits[0].measure, "hold");
        QCOMPARE(reasons.waits[0].message, "nothing starts: memory is short (courtesy gentle)");
        QCOMPARE(stateOf(engine, waits), ActionState::Pending);
        desk_->say(ConditionKind::MemoryPressure, 0);
        QCOMPARE(ending(engine.wait(waits)), "completed");
        const auto changes = view(engine).changes;
        QCOMPARE(changes.size(), 2u);
        QVERIFY(changes[0].isInForce && !changes[1].isInForce);
    }

    void aQueueThatIgnoresItGoesOn() {
        EngineTest engine(2, with("gentle"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        desk_->say(ConditionKind::MemoryPressure, 40);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "hold"), kWaitMs);
        const auto queue = engine.run(
            engine->ask(&engine::Queues::create, std::string("urgent"), std::string(R"({"courtesy":"ignore"})")));
        QVERIFY(queue.has_value());
        QVERIFY(queue->config.ignoresCourtesy);
        const Lsn goes = engine.sh("true", "", QueueRef{.number = queue->id, .token = {}});
        QCOMPARE(ending(engine.wait(goes)), "completed");
    }

    void aCoreIsLeftFreeWhenInputComes() {
        EngineTest engine(2, with("gentle"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        desk_->input(true);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "fewer_cores"), kWaitMs);
        const Lsn first = engine.sh("while [ ! -e go ]; do sleep 0.05; done");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(engine, first), ActionState::Running, kWaitMs);
        const Lsn second = engine.sh("true");
        const Why reasons = why(engine, second);
        QCOMPARE(reasons.waits.size(), 2u);
        QCOMPARE(reasons.waits[0].kind, WaitKind::Capacity);
        QCOMPARE(reasons.waits[1].kind, WaitKind::Courtesy);
        QCOMPARE(reasons.waits[1].measure, "fewer_cores");
        QCOMPARE(reasons.waits[1].message, "1 of 2 cores left free: somebody uses this machine (courtesy gentle)");
        QCOMPARE(stateOf(engine, second), ActionState::Pending);
        QVERIFY(change(engine, "off").has_value()); // at once
        QCOMPARE(ending(engine.wait(second)), "completed");
        touch(engine.path("go"));
        QCOMPARE(ending(engine.wait(first)), "completed");
    }

    void whatStartsAndWhatRunsGetsIdlePriority() {
        EngineTest engine(3, with("gentle"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        // A child of its own: the whole tree is lowered.
        const std::string script = "(while [ ! -e go ]; do sleep 0.05; done) & echo $$ $! > NAME.tmp; "
                                   "mv NAME.tmp NAME; wait";
        const auto pidsOf = [&](const char* name) {
            std::string text = script;
            for (auto at = text.find("NAME"); at != text.npos; at = text.find("NAME")) text.replace(at, 4, name);
            const Lsn lsn = engine.sh(text);
            [&] { QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(engine.path(name)), kWaitMs); }();
            return lsn;
        };
        const auto policies = [&](const char* name) {
            std::istringstream pids(readText(engine.path(name)));
            int first = 0;
            int child = 0;
            pids >> first >> child;
            return std::pair(::sched_getscheduler(first), ::sched_getscheduler(child));
        };
        const Lsn before = pidsOf("before");
        QCOMPARE(policies("before"), std::pair(SCHED_OTHER, SCHED_OTHER));
        desk_->input(true);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "idle_priority"), kWaitMs);
        QTRY_COMPARE_WITH_TIMEOUT(policies("before"), std::pair(SCHED_IDLE, SCHED_IDLE), kWaitMs);
        const Lsn after = pidsOf("after");
        QTRY_COMPARE_WITH_TIMEOUT(policies("after"), std::pair(SCHED_IDLE, SCHED_IDLE), kWaitMs);
        touch(engine.path("go"));
        QCOMPARE(ending(engine.wait(before)), "completed");
        QCOMPARE(ending(engine.wait(after)), "completed");
    }

    void theMachineStaysAwakeWhileActionsRunOnMains() {
        EngineTest engine(2, with("gentle"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        QVERIFY(!desk_->keepsAwake);
        const Lsn lsn = engine.sh("while [ ! -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(desk_->keepsAwake, kWaitMs);
        QVERIFY(view(engine).keepsAwake);
        desk_->say(ConditionKind::OnBattery, 1);
        QTRY_VERIFY_WITH_TIMEOUT(!desk_->keepsAwake, kWaitMs);
        desk_->say(ConditionKind::OnBattery, 0);
        QTRY_VERIFY_WITH_TIMEOUT(desk_->keepsAwake, kWaitMs);
        touch(engine.path("go"));
        QCOMPARE(ending(engine.wait(lsn)), "completed");
        QTRY_VERIFY_WITH_TIMEOUT(!desk_->keepsAwake, kWaitMs);
    }

    void sleepInTheMiddleOfWorkLosesNothing() {
        EngineTest engine(4, with("gentle"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        std::vector<Lsn> all;
        for (int i = 0; i < 50; ++i) all.push_back(engine.sh("sleep 0.05"));
        desk_->say(ConditionKind::Sleeping, 1);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "hold"), kWaitMs);
        desk_->say(ConditionKind::Sleeping, 0);
        for (const Lsn lsn : all) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void theNewestStandStillOnBatteryAndGoOnAtTheMains() {
        EngineTest engine(4, with("polite"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        std::vector<Lsn> all;
        for (int i = 0; i < 2; ++i) {
            all.push_back(engine.sh("while [ ! -e go ]; do sleep 0.05; done"));
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(engine, all.back()), ActionState::Running, kWaitMs);
        }
        desk_->say(ConditionKind::OnBattery, 1);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "freeze"), kWaitMs);
        QVERIFY(has(engine, "hold"));
        QTRY_COMPARE_WITH_TIMEOUT(why(engine, all[1]).waits.size(), 1u, kWaitMs);
        const Wait wait = why(engine, all[1]).waits[0];
        QCOMPARE(wait.kind, WaitKind::Courtesy);
        QCOMPARE(wait.measure, "freeze");
        QCOMPARE(wait.condition, "on_battery");
        QCOMPARE(wait.message,
                 "its processes stand still for a while: the machine runs on battery (courtesy polite)");
        QVERIFY(rowOf(engine, all[1]).times.frozen > 0);
        desk_->say(ConditionKind::OnBattery, 0);
        QTRY_VERIFY_WITH_TIMEOUT(!has(engine, "freeze"), kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(why(engine, all[1]).waits.empty(), kWaitMs);
        touch(engine.path("go"));
        for (const Lsn lsn : all) QCOMPARE(ending(engine.wait(lsn)), "completed");
        // It is kept.
        const auto frozen = rowOf(engine, all[1]).times.frozen;
        QVERIFY(frozen > 0);
        engine.stop();
        engine.start();
        QCOMPARE(rowOf(engine, all[1]).times.frozen, frozen);
    }

    void aQueueThatIgnoresItDoesNotStandStill() {
        EngineTest engine(4, with("polite"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        const auto queue = engine.run(
            engine->ask(&engine::Queues::create, std::string("urgent"), std::string(R"({"courtesy":"ignore"})")));
        const QueueRef urgent{.number = queue->id, .token = {}};
        const Lsn goes = engine.sh("while [ ! -e go ]; do sleep 0.05; done", "", urgent);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(engine, goes), ActionState::Running, kWaitMs);
        desk_->say(ConditionKind::Sleeping, 1);
        QTRY_COMPARE_WITH_TIMEOUT(desk_->readied, 1, kWaitMs); // nothing is to stand still
        QVERIFY(why(engine, goes).waits.empty());
        touch(engine.path("go"));
        QCOMPARE(ending(engine.wait(goes)), "completed");
    }

    void sleepWaitsUntilAllStandStill() {
        EngineTest engine(8, with("gentle"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        QVERIFY(!desk_->delays);
        std::vector<Lsn> all;
        for (int i = 0; i < 50; ++i) all.push_back(engine.sh("sleep 0.2; echo done"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->delays, kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(runningOf(engine, all).size() >= 4, kWaitMs);
        desk_->say(ConditionKind::Sleeping, 1);
        QTRY_COMPARE_WITH_TIMEOUT(desk_->readied, 1, kWaitMs);
        // What was just being started stands still a little later.
        const auto allStandStill = [&] {
            return std::ranges::all_of(runningOf(engine, all), [&](Lsn lsn) {
                const ActionResult row = rowOf(engine, lsn);
                return row.state != ActionState::Running || row.times.exited != 0 || row.times.frozen > 0;
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(allStandStill(), kWaitMs);
        desk_->say(ConditionKind::Sleeping, 0);
        for (const Lsn lsn : all) QCOMPARE(ending(engine.wait(lsn)), "completed");
        QTRY_VERIFY_WITH_TIMEOUT(!desk_->delays, kWaitMs);
    }

    void sleepThatLogindTellsLosesNothing() {
        if (!MockBus::isPossible()) QSKIP("python3-dbusmock, dbus-daemon or gdbus is not installed");
        MockBus bus;
        QVERIFY(bus.start());
        qunsetenv("DISPLAY");
        EngineTest engine(8, [](engine::Options& options) { options.set.emplace_back("courtesy=gentle"); });
        std::vector<Lsn> all;
        for (int i = 0; i < 50; ++i)
            all.push_back(engine.sh("while [ ! -e morning ]; do sleep 0.05; done; echo done"));
        QTRY_VERIFY_WITH_TIMEOUT(MockBus::inhibitors().contains("'delay'"), kWaitMs);
        QVERIFY(MockBus::sleeps(true));
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "freeze"), kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(!MockBus::inhibitors().contains("'delay'"), kWaitMs);
        QVERIFY(MockBus::sleeps(false));
        QTRY_VERIFY_WITH_TIMEOUT(!has(engine, "freeze"), kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(engine, all.front()).times.frozen > 0, kWaitMs);
        std::ofstream(engine.path("morning")) << "x";
        for (const Lsn lsn : all) {
            const auto result = engine.wait(lsn);
            QCOMPARE(ending(result), "completed");
            QCOMPARE(rowOf(engine, lsn).retryCount, 0);
        }
        QTRY_VERIFY_WITH_TIMEOUT(!MockBus::inhibitors().contains("Yardmaster"), kWaitMs);
    }

    void aChoiceForAWhileEndsByItself() {
        EngineTest engine(2, with("gentle"));
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        desk_->say(ConditionKind::MemoryPressure, 40);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "hold"), kWaitMs);
        const auto off = change(engine, "off", Duration(300'000));
        QVERIFY(off.has_value());
        QCOMPARE(off->now.profile, "off");
        QCOMPARE(off->setting, "gentle");
        QVERIFY(off->until > 0);
        QVERIFY(off->now.measures.empty());
        QTRY_COMPARE_WITH_TIMEOUT(now(engine).profile, "gentle", kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "hold"), kWaitMs);
        QCOMPARE(view(engine).until, 0);
    }

    void aProfileIsKeptAsTheSetting() {
        EngineTest engine(2, with({}));
        QVERIFY(change(engine, "polite").has_value());
        QCOMPARE(view(engine).now.profile, "polite");
        engine.stop();
        engine.start();
        QCOMPARE(view(engine).setting, "polite");
        QVERIFY(change(engine, "auto").has_value());
        QCOMPARE(view(engine).now.profile, "off");
    }

    void ownProfilesComeFromTheSettings() {
        EngineTest engine(4, with({}));
        const auto set = [&](const char* json) {
            return engine.run(engine->ask(&engine::SettingsService::change, std::string(json)));
        };
        QVERIFY(set(R"({"courtesy_profiles":"cool: heat > 50 -> leave 2","courtesy":"cool"})").has_value());
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        desk_->say(ConditionKind::Heat, 60);
        QTRY_VERIFY_WITH_TIMEOUT(has(engine, "fewer_cores"), kWaitMs);
        QCOMPARE(now(engine).measures[0].cores, 2);
        QCOMPARE(view(engine).profiles.back(), "cool");
        const auto wrong = set(R"({"courtesy_profiles":"cool: mood -> hold"})");
        QCOMPARE(wrong.error().kind, ErrorKind::Invalid);
        QCOMPARE(wrong.error().field, "courtesy_profiles");
        const auto gone = set(R"({"courtesy_profiles":""})"); // it is in force
        QCOMPARE(gone.error().field, "courtesy");
        QCOMPARE(now(engine).profile, "cool");
    }

    void aProfileThatThereIsNotIsRefused() {
        EngineTest engine(2, with({}));
        QCOMPARE(change(engine, "mine").error().field, "profile");
        QCOMPARE(change(engine, "auto", Duration(1'000'000)).error().field, "profile");
        QCOMPARE(change(engine, "off", Duration(0)).error().field, "for_s");
        QCOMPARE(change(engine, "off", std::chrono::hours(169)).error().field, "for_s");
    }

    void whatIsChosenForAWhileOutlivesTheEngine() {
        EngineTest engine(2, with({}));
        QVERIFY(change(engine, "gentle").has_value());
        const auto chosen = change(engine, "night", std::chrono::hours(1));
        QVERIFY(chosen.has_value());
        engine.stop();
        engine.start();
        QCOMPARE(now(engine).profile, "night");
        QCOMPARE(view(engine).setting, "gentle");
        QVERIFY(std::abs(view(engine).until - chosen->until) < 60'000'000);
        QVERIFY(change(engine, "polite").has_value());
        engine.stop();
        engine.start();
        QCOMPARE(now(engine).profile, "polite");
        QCOMPARE(view(engine).until, WallMicros(0));
    }

    void conditionsAreLookedAtForWhoAsksAlsoWhenItIsOff() {
        EngineTest engine(2, with({}));
        QVERIFY(view(engine).conditions.empty());
        QTRY_VERIFY_WITH_TIMEOUT(desk_->watches, kWaitMs);
        desk_->say(ConditionKind::Heat, 60);
        const auto heat = [&]() -> std::optional<double> {
            const auto all = view(engine).conditions;
            const auto at = std::ranges::find(all, "heat", &engine::CourtesyView::Condition::name);
            return at == all.end() ? std::nullopt : std::optional(at->value);
        };
        QTRY_COMPARE_WITH_TIMEOUT(heat(), std::optional(60.0), kWaitMs);
        QVERIFY(now(engine).measures.empty());
    }

    void theHourIsKnownWhateverTheDeskSays() {
        EngineTest engine(2, with("gentle"));
        const auto conditionNow = [&](const char* name) -> std::optional<engine::CourtesyView::Condition> {
            const auto all = view(engine).conditions;
            const auto at = std::ranges::find(all, name, &engine::CourtesyView::Condition::name);
            return at == all.end() ? std::nullopt : std::optional(*at);
        };
        QTRY_VERIFY_WITH_TIMEOUT(conditionNow("hour").has_value(), kWaitMs);
        const WallMicros since = conditionNow("hour")->since;
        desk_->say(ConditionKind::Heat, 60);
        QTRY_VERIFY_WITH_TIMEOUT(conditionNow("heat").has_value(), kWaitMs);
        const auto still = conditionNow("hour");
        QVERIFY(still.has_value());
        QCOMPARE(still->since, since);
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    TestCourtesy test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_courtesy.moc"
