// The warm pool as people see and change it, by itself: processes are what a test says, the clock is moved by hand.
#include "core/engine/running/warm_pool.h"

#include "tests/coro/coro_test.h"
#include "tests/session/machine.h"

#include <QTest>

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr Duration kSecond{1'000'000};

class Bench {
public:
    coro::test::Rig rig;
    session::test::Machine machine{1};
    WorkerRegistry registry;
    WallScale scale{.offset = 1'700'000'000'000'000};
    bool areBusy = false;
    WarmPool::Looks processes; ///< to look at
    std::string looks;         ///< which ones, as they came: "used used all"
    int sampled = 0;
    runners::WarmPoolView seen;
    std::function<void(WarmPool::Output)> asked; ///< who waits for output
    bool hasProcesses = true;                    ///< the worker, and the process that is named
    std::string settings;                        ///< as they were to be changed
    std::optional<Error> refusal;                ///< of them
    WarmPool pool{{.session = machine.session,
                   .registry = registry,
                   .scale = scale,
                   .processes = {.areBusy = [this] { return areBusy; },
                                 .looks = [this](bool usedOnly) { return looksAt(usedOnly ? "used" : "all"); },
                                 .looksAt = [this](const std::string& id) { return looksAt(id); },
                                 .sampled = [](const WarmPool::Samples&) {},
                                 .all = [this] { return seen; },
                                 .find = [this](const std::string& id) { return find(id); },
                                 .askOutput =
                                     [this](const std::string&, auto sink) {
                                         asked = std::move(sink);
                                         return Result<void>{};
                                     },
                                 .restart = [this](const std::string&) { return hasProcesses; },
                                 .detach = [this](const std::string&) { return hasProcesses; }},
                   .sample = [](WarmPool::Looks looks) { return samples(std::move(looks)); },
                   .sampled = [this] { ++sampled; },
                   .changeSettings = [this](std::string json) { return change(std::move(json)); }}};

    ~Bench() { rig.loop.shutdown(); }
    std::string take() { return std::exchange(looks, {}); }

private:
    WarmPool::Looks looksAt(const std::string& which) {
        looks += (looks.empty() ? "" : " ") + which;
        return processes;
    }
    std::optional<runners::WarmProcessView> find(const std::string& id) const {
        if (!hasProcesses) return std::nullopt;
        runners::WarmProcessView view;
        view.id = id;
        view.pid = 7;
        view.started = MonoTime{kSecond};
        return view;
    }
    static coro::Task<WarmPool::Samples> samples(WarmPool::Looks looks) {
        co_return WarmPool::Samples(looks.size());
    }
    coro::Task<Result<SettingsView>> change(std::string json) {
        settings = std::move(json);
        if (refusal) co_return std::unexpected(*refusal);
        co_return SettingsView{};
    }
};

} // namespace

class TestWarmPool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- looking after processes

    void processesAreLookedAtEachSecondWhileTheyAreUsed() {
        Bench b;
        b.processes.resize(1);
        b.rig.spawn("pool", b.pool.run());
        b.rig.advance(5 * kSecond);
        QCOMPARE(b.take(), "");
        b.areBusy = true;
        b.pool.mayBeBusy();
        b.rig.settle();
        b.rig.advance(kSecond);
        b.rig.advance(kSecond);
        QCOMPARE(b.take(), "used used");
        QCOMPARE(b.sampled, 2);
        b.areBusy = false;
        b.rig.advance(kSecond); // the look that was under way
        b.take();
        b.rig.advance(5 * kSecond);
        QCOMPARE(b.take(), "");
    }

    void idleOnesAreLookedAtOnceWhenSomebodyAsksForIt() {
        Bench b;
        b.processes.resize(1);
        b.rig.spawn("pool", b.pool.run());
        b.rig.settle();
        b.pool.lookAtIdleNext();
        b.areBusy = true;
        b.rig.settle();
        b.rig.advance(kSecond);
        b.rig.advance(kSecond);
        QCOMPARE(b.take(), "all used");
    }

    void withoutAProcessNothingIsRead() {
        Bench b;
        (void)b.rig.ask(b.pool.view());
        QCOMPARE(b.sampled, 0);
    }

    // --- questions

    void whatWaitsForAWorkerIsWhatThePoolHasAndTheSession() {
        Bench b;
        runners::WarmGroupView group;
        group.worker = "w";
        group.waiting = 2;
        group.restart = {1, 3};
        runners::WarmProcessView& process = group.processes.emplace_back();
        process.id = "p";
        process.started = MonoTime{kSecond};
        b.seen.groups.push_back(group);
        b.seen.gone.emplace_back().id = "gone";
        b.seen.options.max = 4;
        const PoolView view = b.rig.ask(b.pool.view());
        QCOMPARE(view.max, 4U);
        QCOMPARE(view.groups.front().waiting, std::int64_t{2});
        QCOMPARE(view.groups.front().processes.front().started, b.scale.at(process.started));
        QCOMPARE(view.groups.front().processes.front().ended, WallMicros{0});
        QCOMPARE(view.gone.front().id, "gone");
    }

    void aProcessSaysWhatItPrinted() {
        Bench b;
        b.processes.resize(1);
        const auto answer = b.rig.begin(b.pool.process("p"));
        QVERIFY(!answer->has_value());
        auto output = std::make_shared<runners::OutputEnds>();
        output->out.bytes = "hello";
        b.asked(output);
        b.rig.settle();
        QVERIFY(answer->has_value());
        QCOMPARE((*answer)->value().process.id, "p");
        QCOMPARE((*answer)->value().out->end, "hello");
        QCOMPARE(b.take(), "p"); // it was looked at for this
    }

    void aLauncherThatSaysNothingIsBusy() {
        Bench b;
        const auto answer = b.rig.begin(b.pool.process("p"));
        b.rig.advance(5 * kSecond);
        QVERIFY(answer->has_value());
        QCOMPARE((*answer)->error().kind, ErrorKind::Busy);
    }

    void aProcessThatWasForgottenMeanwhileIsNotFound() {
        Bench b;
        const auto answer = b.rig.begin(b.pool.process("p"));
        b.hasProcesses = false;
        b.asked(nullptr);
        b.rig.settle();
        QCOMPARE((*answer)->error().kind, ErrorKind::NotFound);
    }

    // --- changes

    void itsLimitsAreSettings() {
        Bench b;
        QVERIFY(b.rig.ask(b.pool.change(R"({"max":3,"max_idle_s":1.5,"max_per_group":null})")).has_value());
        QCOMPARE(b.settings, R"({"pool_max":3,"pool_max_idle_s":1.5,"pool_max_per_group":null})");
    }

    void whatItDoesNotHaveIsRefusedByName() {
        Bench b;
        QCOMPARE(b.rig.ask(b.pool.change(R"({"min":3})")).error().field, "min");
        QCOMPARE(b.rig.ask(b.pool.change(R"({"max":"many"})")).error().field, "max");
        QCOMPARE(b.rig.ask(b.pool.change("[]")).error().kind, ErrorKind::Invalid);
        QCOMPARE(b.settings, "");
    }

    void whatASettingRefusesIsSaidByTheNameThatItHasHere() {
        Bench b;
        b.refusal = invalid("pool_max", "\"pool_max\" is too large.").error();
        const auto refused = b.rig.ask(b.pool.change(R"({"max":99999})"));
        QCOMPARE(refused.error().field, "max");
        QCOMPARE(refused.error().message, "\"max\" is too large.");
    }

    void whatIsNotThereCannotBeEndedOrRestarted() {
        Bench b;
        QCOMPARE(b.rig.ask(b.pool.restart("sort")).error().kind, ErrorKind::NotFound);
        WorkerDescriptor descriptor;
        descriptor.name = "sort";
        b.registry.add({.id = "w",
                        .canonical = {},
                        .descriptor = std::make_shared<const WorkerDescriptor>(std::move(descriptor))});
        QVERIFY(b.rig.ask(b.pool.restart("sort")).has_value());
        QVERIFY(b.rig.ask(b.pool.end("p")).has_value());
        b.hasProcesses = false;
        QCOMPARE(b.rig.ask(b.pool.restart("sort")).error().kind, ErrorKind::WrongState);
        QCOMPARE(b.rig.ask(b.pool.end("p")).error().kind, ErrorKind::NotFound);
    }
};

QTEST_GUILESS_MAIN(TestWarmPool)
#include "tst_warm_pool.moc"
