// A whole engine with a second runner beside this machine: what it runs, and what a restart makes of it.
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/reasons.h"
#include "core/launcher/launcher.h"
#include "core/runners/runner_source.h"
#include "tests/engine/engine_test.h"
#include "tests/engine/fake_runner.h"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::test;
using engine::test::FakeRunner;

namespace {

/// Makes a runner for each start of the engine; the test's thread speaks to the newest.
class FakeSource final : public runners::RunnerSource {
public:
    std::vector<runners::SlotEntry> left; ///< attempts that may have lived when the last engine ended
    bool runsAtOnce = false;
    std::atomic<FakeRunner*> runner = nullptr; ///< the engine's, from its start to its end

    std::string_view name() const override { return "fake"; }
    unsigned cores() const override { return 2; }
    Result<std::vector<runners::SlotEntry>> recover() override { return std::exchange(left, {}); }
    Result<std::unique_ptr<runners::Runner>> start(runners::UpdateSink sink) override {
        auto made = std::make_unique<FakeRunner>(cores(), std::move(sink));
        made->runsAtOnce = runsAtOnce;
        runner = made.get();
        return made;
    }
};

/// One core here, two there.
class Bench {
public:
    std::shared_ptr<FakeSource> source = std::make_shared<FakeSource>();
    EngineTest engine;

    explicit Bench(bool runsAtOnce = false)
        : engine((source->runsAtOnce = runsAtOnce, 1),
                 [this](engine::Options& options) { options.runners = {source}; }) {}

    /// What this machine would run until the file is there.
    Lsn submit() {
        return engine.submit(
            anywhere(fmt::format("while [ ! -e {} ]; do sleep 0.05; done; echo here", engine.path("go"))));
    }
    static std::string anywhere(const std::string& script, const std::string& more = "") {
        return fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c","{}"],"machine":"any"{}}})", script, more);
    }
    static std::string at(const std::string& machine) {
        return R"({"worker":"exec","argv":["true"],"machine":")" + machine + R"("})";
    }
    std::vector<Lsn> submitMany(int count) {
        std::vector<Lsn> lsns;
        for (int i = 0; i < count; ++i) lsns.push_back(submit());
        return lsns;
    }
    void go() { QVERIFY(QFile(QString::fromStdString(engine.path("go"))).open(QIODevice::WriteOnly)); }
    /// Asks the runner, on the engine's thread.
    template<class T>
    T ask(std::function<T(FakeRunner&)> question) {
        auto answer = std::make_shared<std::promise<T>>();
        source->runner.load()->post([=](FakeRunner& runner) { answer->set_value(question(runner)); });
        return answer->get_future().get();
    }
    std::vector<Lsn> there() {
        return ask<std::vector<Lsn>>([](FakeRunner& runner) {
            std::vector<Lsn> lsns;
            for (const auto& [id, one] : runner.out) lsns.push_back(id.lsn);
            return lsns;
        });
    }
    bool comesThere(std::size_t count) {
        return EngineTest::eventually([&] { return there().size() == count; });
    }
    void begin(Lsn lsn) {
        source->runner.load()->post([lsn](FakeRunner& runner) { runner.begin(lsn.value); });
    }
    /// The first reason.
    std::string why(Lsn lsn) {
        const auto known = engine.run(engine->ask(&engine::Reasons::why, lsn));
        return known->waits.empty() ? "" : known->waits.front().message;
    }
    bool becomes(Lsn lsn, ActionState state) {
        return EngineTest::eventually(
            [&] { return engine.run(engine->ask(&engine::ActionRows::action, lsn))->state == state; });
    }
};

} // namespace

class TestRunnersBeside : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bothRunWhatThereIs() {
        Bench b;
        const std::vector<Lsn> lsns = b.submitMany(3);
        QVERIFY(b.comesThere(2));
        for (const Lsn lsn : b.there()) {
            b.begin(lsn);
            QVERIFY(b.becomes(lsn, ActionState::Running));
            b.source->runner.load()->post([lsn](FakeRunner& runner) { runner.exit(lsn.value, 0, "there\n"); });
        }
        b.go();
        int there = 0;
        for (const Lsn lsn : lsns) {
            const ActionResult result = b.engine.wait(lsn);
            QCOMPARE(ending(result), "completed");
            if (b.engine.text(result.outcome->out) == "there\n") ++there;
        }
        QCOMPARE(there, 2);
    }

    void whatEndsThereMakesRoomForTheNext() {
        Bench b(true);
        const Lsn here = b.submit();
        const std::vector<Lsn> lsns = b.submitMany(20);
        b.go();
        for (const Lsn lsn : lsns) QCOMPARE(ending(b.engine.wait(lsn)), "completed");
        QCOMPARE(ending(b.engine.wait(here)), "completed");
    }

    void whatNamesAMachineRunsThereOnly() {
        Bench b;
        std::vector<Lsn> lsns;
        for (int i = 0; i < 3; ++i) lsns.push_back(b.engine.submit(Bench::at("fake")));
        QVERIFY(b.comesThere(2));
        QVERIFY(b.why(lsns[2]).contains("cores free"));
        const Lsn here = b.engine.submit(R"({"worker":"exec","argv":["true"]})"); // as is usual of a command
        QCOMPARE(ending(b.engine.wait(here)), "completed");
        // The third may wait there, beyond what there is; nothing else may.
        const std::vector<Lsn> there = b.there();
        QVERIFY(std::ranges::all_of(there, [&](Lsn lsn) { return std::ranges::find(lsns, lsn) != lsns.end(); }));
    }

    void whatClaimsLocksStays() {
        Bench b;
        const Lsn lsn = b.engine.submit(Bench::anywhere("echo here", R"(,"locks":["a"])"));
        QCOMPARE(ending(b.engine.wait(lsn)), "completed");
        QVERIFY(b.there().empty());
    }

    void whatNamesAnUnknownMachineWaitsForItAfterARestartToo() {
        Bench b;
        const Lsn lsn = b.engine.submit(Bench::at("desk"));
        QCOMPARE(b.why(lsn), "no machine takes it: desk is not known");
        b.engine.stop();
        b.engine.start();
        QCOMPARE(b.why(lsn), "no machine takes it: desk is not known");
    }

    void whatIsTooLargeForEachOfThemIsRefused() {
        Bench b;
        const auto refused = b.engine.trySubmit(Bench::anywhere("true", R"(,"resources":{"cores":2})"));
        QVERIFY(!refused); // one here and two there are no place for it: there only what takes one core runs
        QVERIFY(refused.error().message.contains("this engine has 1"));
        QVERIFY(!b.engine.trySubmit(Bench::anywhere("true", R"(,"resources":{"cores":3})")));
        QVERIFY(b.engine.trySubmit(Bench::anywhere("true", R"(,"resources":{"cores":1})")).has_value());
    }

    void whatIsLostThereRunsHere() {
        Bench b;
        b.submitMany(3);
        QVERIFY(b.comesThere(2));
        const std::vector<Lsn> lost = b.there();
        b.begin(lost[0]); // the other one has not
        QVERIFY(b.becomes(lost[0], ActionState::Running));
        b.source->runner.load()->post([](FakeRunner& runner) { runner.die(); });
        b.go();
        const ActionResult begun = b.engine.wait(lost[0]);
        QCOMPARE(ending(begun), "completed");
        QCOMPARE(begun.attempts.size(), std::size_t{2});
        QCOMPARE(begun.attempts[0].outcome.reason, Reason::LostRunner);
        const ActionResult waiting = b.engine.wait(lost[1]);
        QCOMPARE(ending(waiting), "completed");
        QCOMPARE(waiting.attempts.size(), std::size_t{1});
    }

    void whatMayHaveLivedThereWasInterrupted() {
        Bench b;
        b.submitMany(3);
        QVERIFY(b.comesThere(2));
        const std::vector<Lsn> leased = b.there();
        b.engine.stop(); // it has not begun, as far as this engine knows
        b.source->left = {{.slot = SlotId(0), .id = {leased[0], 1}, .started = wallNow()}};
        b.go();
        b.source->runsAtOnce = true;
        b.engine.start();
        const ActionResult interrupted = b.engine.wait(leased[0]);
        QCOMPARE(ending(interrupted), "completed");
        QCOMPARE(interrupted.attempts.size(), std::size_t{2});
        QCOMPARE(interrupted.attempts[0].outcome.reason, Reason::EngineDied);
        QCOMPARE(b.engine.wait(leased[1]).attempts.size(), std::size_t{1});
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    TestRunnersBeside test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_runners_beside.moc"
