// Workers and classes by themselves: no launcher, no journal, nothing runs.
#include "core/engine/state/work_classes.h"
#include "core/engine/state/workers.h"

#include "core/session/action_commands.h"
#include "core/session/wait_reasons.h"
#include "tests/coro/coro_test.h"
#include "tests/session/machine.h"

#include <QTest>

#include <fmt/format.h>
#include <optional>
#include <set>
#include <variant>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr Duration kSecond{1'000'000};

ParsedWorker descriptor(const std::string& name, const char* mode = "process",
                        const std::string& platform = std::string(thisPlatform())) {
    const auto parsed = parseWorker(fmt::format(
        R"({{"name":"{}","version":"1","platform":"{}","mode":"{}","executable":"run","files":[{{"path":"run","hash":"{}","size":5,"mode":"0755"}}],"functions":[{{"name":"f","version":"1"}}]}})",
        name, platform, mode, Sha256::of("run").hex()));
    if (!parsed) qFatal("%s", parsed.error().message.c_str());
    return *parsed;
}

ClassKey classOf(const ParsedWorker& worker, std::int64_t memoryMb = 0) {
    ClassKey key;
    key.workerId = worker.id.hex();
    key.workerName = worker.descriptor->name;
    key.workerVersion = "1";
    key.function = "f";
    key.resources.milliCores = 1'000;
    key.resources.memoryMb = memoryMb;
    return key;
}

class Bench {
public:
    coro::test::Rig rig;
    session::test::Machine machine{1, 0, 1'000};
    InternTable dictionary;
    WorkerRegistry registry;
    coro::HelperPool helpers{1};
    Settings settings;
    std::string emulated; ///< a platform whose programs run here
    WorkClasses classes{machine.session, dictionary, registry, [this](const std::string& platform) {
                            return platform == emulated ? std::string(thisPlatform()) : platform;
                        }};
    std::string log;                    ///< what was told, in words
    std::vector<WallMicros> registered; ///< as the journal has it
    bool takes = true;
    bool sandbox = true;
    std::function<void()> onWait = [] {};
    std::set<std::string> checked; ///< names
    Workers workers{
        {.session = machine.session,
         .dictionary = dictionary,
         .registry = registry,
         .helpers = helpers,
         .settings = settings,
         .commit = [this](store::Action action) { return commit(std::move(action)); },
         .mayRun = [this]() -> Result<void> {
             if (!sandbox) return fail(ErrorKind::WrongState, "no sandbox here");
             return {};
         },
         .mayRunForeign = [](const WorkerDescriptor& one) -> Result<void> {
             if (one.platform == "windows-x86_64") return {};
             return refuseForeign(one);
         },
         .checkFiles = [this](const WorkerDescriptor& one) { checked.insert(one.name); },
         .cancelAll = [this](std::string) { return cancelAll(); },
         .waitFor = [this](Lsn lsn, Duration) { return waitFor(lsn); },
         .came = [this](const std::string&, const Workers::Descriptor& one) { note("came " + one->name); },
         .left = [this](const std::string&) { note("left"); },
         .changed = [this] { note("changed"); },
         .now = [this] { return rig.loop.now(); }}};

    ~Bench() {
        rig.loop.shutdown();
        helpers.stop();
    }
    coro::Task<store::AckDetail> commit(store::Action action) {
        const auto* put = std::get_if<store::PutWorker>(&action);
        note(put ? "put" : "drop");
        if (put) registered.push_back(put->row.registered);
        store::AckDetail detail;
        if (!takes) detail.error = fail(ErrorKind::NoSpace, "full").error();
        co_return detail;
    }
    coro::Task<Result<void>> cancelAll() {
        note("cancel");
        co_return Result<void>{};
    }
    coro::Task<Result<void>> waitFor(Lsn lsn) {
        note("wait for " + std::to_string(lsn.value));
        onWait();
        co_await coro::yieldNow();
        co_return Result<void>{};
    }
    void note(const std::string& word) { log += (log.empty() ? "" : ", ") + word; }
    std::string take() { return std::exchange(log, {}); }

    /// An action of this worker, not started.
    Lsn submit(const ParsedWorker& worker) { return machine.submit(0, 0, classes.intern(classOf(worker)).id); }
};

} // namespace

class TestWorkersService : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWorkerIsToldOnceTheJournalHasIt() {
        Bench b;
        const ParsedWorker worker = descriptor("sort");
        QVERIFY(b.rig.ask(b.workers.add(worker)));
        QCOMPARE(b.take(), "put, came sort, changed");
        QCOMPARE(b.checked, std::set<std::string>{"sort"});
        QCOMPARE(b.rig.ask(b.workers.get("sort")).value().id, worker.id.hex());
        QCOMPARE(b.rig.ask(b.workers.list()).size(), std::size_t{1});
        QVERIFY(b.workers.takesActions(worker.id.hex()));
        QVERIFY(b.workers.takesActions("exec") && !b.workers.takesActions("other"));
    }

    void whatTheJournalRefusesIsNotThere() {
        Bench b;
        b.takes = false;
        QCOMPARE(b.rig.ask(b.workers.add(descriptor("sort"))).error().kind, ErrorKind::NoSpace);
        QCOMPARE(b.take(), "put");
        QCOMPARE(b.rig.ask(b.workers.get("sort")).error().kind, ErrorKind::NotFound);
    }

    void aWorkerThatCannotRunHereIsRefused() {
        Bench b;
        QCOMPARE(b.rig.ask(b.workers.add(descriptor("far", "process", "plan9-mips"))).error().field, "platform");
        b.sandbox = false;
        QCOMPARE(b.rig.ask(b.workers.add(descriptor("sort"))).error().message, "no sandbox here");
        QCOMPARE(b.take(), "");
    }

    void actionsOfAnotherPlatformWaitWhereItsProgramsDoNotRun() {
        for (const bool runs : {false, true}) {
            Bench b;
            if (runs) b.emulated = "windows-x86_64";
            const ParsedWorker worker = descriptor("sort", "process", "windows-x86_64");
            QVERIFY(b.rig.ask(b.workers.add(worker)));
            b.submit(worker);
            QCOMPARE(b.machine.schedule(), std::size_t{runs});
        }
    }

    void whatWaitsForItsPlatformStartsOnceItsProgramsRunHere() {
        Bench b;
        const ParsedWorker worker = descriptor("sort", "process", "windows-x86_64");
        QVERIFY(b.rig.ask(b.workers.add(worker)));
        b.submit(worker);
        QCOMPARE(b.machine.schedule(), std::size_t{0});
        b.emulated = "windows-x86_64";
        b.classes.workerCame(worker.id.hex());
        b.submit(worker);
        QCOMPARE(b.machine.schedule(), std::size_t{1}); // it has one core
    }

    void execIsBuiltIn() {
        Bench b;
        QVERIFY(b.rig.ask(b.workers.get("exec")).error().message.contains("built in"));
        QCOMPARE(b.rig.ask(b.workers.remove("exec", true)).error().kind, ErrorKind::NotFound);
    }

    void aWorkerWithActionsIsOnlyRemovedByForce() {
        Bench b;
        const ParsedWorker worker = descriptor("sort");
        QVERIFY(b.rig.ask(b.workers.add(worker)));
        const Lsn lsn = b.submit(worker);
        b.take();
        QCOMPARE(b.rig.ask(b.workers.remove("sort", false)).error().kind, ErrorKind::WrongState);
        QCOMPARE(b.take(), "");
        QVERIFY(b.workers.takesActions(worker.id.hex())); // it stays after all
        b.onWait = [&] {
            b.machine.session.actions().cancel(lsn, b.machine.out);
            b.machine.settle();
        };
        QVERIFY(b.rig.ask(b.workers.remove("sort", true)));
        QCOMPARE(b.take(), fmt::format("cancel, wait for {}, drop, left, changed", lsn.value));
        QVERIFY(!b.workers.takesActions(worker.id.hex()));
    }

    void endsThatTakeTooLongAreToldAndTheWorkerStays() {
        Bench b;
        const ParsedWorker worker = descriptor("sort");
        QVERIFY(b.rig.ask(b.workers.add(worker)));
        b.submit(worker);
        b.onWait = [&] { b.rig.clock.advance(60 * kSecond); };
        QCOMPARE(b.rig.ask(b.workers.remove("sort", true)).error().kind, ErrorKind::Busy);
        QVERIFY(b.workers.takesActions(worker.id.hex()));
    }

    void whatIsOnItsWayInIsWaitedFor() {
        Bench b;
        const ParsedWorker worker = descriptor("sort");
        QVERIFY(b.rig.ask(b.workers.add(worker)));
        b.take();
        auto entering =
            std::make_unique<InFlightSubmissions::Scope>(b.workers.entered(), std::vector{worker.id.hex()});
        const auto removed = b.rig.begin(b.workers.remove("sort", false));
        QVERIFY(!*removed && b.log.empty());
        QVERIFY(!b.workers.takesActions(worker.id.hex())); // none follows
        QCOMPARE(b.rig.ask(b.workers.remove("sort", true)).error().kind, ErrorKind::WrongState);
        QCOMPARE(b.rig.ask(b.workers.add(worker)).error().kind, ErrorKind::WrongState);
        b.submit(worker);
        entering.reset();
        b.rig.settle();
        QVERIFY(*removed);
        QVERIFY2((*removed)->error().message.contains("pending or running"), (*removed)->error().message.c_str());
    }

    void workersOfTheJournalAreThereAndDamagedOnesLeftOut() {
        Bench b;
        const ParsedWorker worker = descriptor("sort");
        store::WorkerRow good;
        good.id = worker.id;
        good.canonical = worker.canonical;
        store::WorkerRow damaged;
        damaged.canonical = "{";
        b.workers.restore({damaged, good});
        QCOMPARE(b.rig.ask(b.workers.list()).size(), std::size_t{1});
    }

    void aBareNameMeansTheLastRegisteredAlsoWhereTheClockWasSetBack() {
        Bench b;
        const ParsedWorker worker = descriptor("sort");
        const WallMicros ahead = wallNow() + 1'000'000'000'000;
        b.workers.restore({store::WorkerRow{worker.id, worker.canonical, ahead, {}}});
        QVERIFY(b.rig.ask(b.workers.add(descriptor("sort", "warm"))));
        QVERIFY(b.rig.ask(b.workers.add(worker)));
        QCOMPARE(b.registered, (std::vector<WallMicros>{ahead + 1, ahead + 2}));
        QCOMPARE(b.rig.ask(b.workers.get("sort")).value().id, worker.id.hex());
    }

    // --- classes

    void aWarmWorkerRunsOnThisMachineAlone() {
        Bench b;
        b.registry.add(
            {.id = descriptor("cold").id.hex(), .canonical = {}, .descriptor = descriptor("cold").descriptor});
        b.registry.add({.id = descriptor("hot", "warm").id.hex(),
                        .canonical = {},
                        .descriptor = descriptor("hot", "warm").descriptor});
        const ParsedWorker foreign = descriptor("far", "process", "linux-pdp11");
        b.registry.add({.id = foreign.id.hex(), .canonical = {}, .descriptor = foreign.descriptor});
        const auto keyOf = [&](const std::string& worker, const std::string& machine,
                               std::vector<std::string> usual) {
            const auto action =
                parseAction(fmt::format(R"({{"worker":"{}","function":"f"{}}})", worker,
                                        machine.empty() ? machine : fmt::format(R"(,"machine":{})", machine)));
            if (!action) qFatal("%s", action.error().message.c_str());
            return b.registry.resolve(*action->spec, usual);
        };
        const auto refused = keyOf("hot", R"(["attic","tag:render"])", {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().field, std::string("machine"));
        QVERIFY2(refused.error().message.contains("is warm"), refused.error().message.c_str());
        // Where it may be here as well, or its queue alone says another one, it is here.
        QVERIFY(keyOf("hot", R"(["attic","local"])", {})->machines.empty());
        QVERIFY(keyOf("hot", R"("any")", {})->machines.empty());
        QVERIFY(keyOf("hot", "", {"attic"})->machines.empty());
        // One that is started for each action runs where it is to.
        QCOMPARE(keyOf("cold", R"(["attic","tag:render"])", {})->machines,
                 (std::vector<std::string>{"attic", "tag:render"}));
        QCOMPARE(keyOf("cold", R"("local")", {})->machines, std::vector<std::string>{"local"});
        QVERIFY(keyOf("cold", R"("any")", {"attic"})->machines.empty());
        QCOMPARE(keyOf("cold", "", {"attic"})->machines, std::vector<std::string>{"attic"});
        QCOMPARE(keyOf("far", R"("attic")", {})->machines, std::vector<std::string>{"attic"});
        // How long it may take is of its class where a machine could end before it.
        const auto longest = [&](const std::string& worker, const std::string& more) {
            const auto action =
                parseAction(fmt::format(R"({{"worker":"{}","function":"f","deadline_s":600{}}})", worker, more));
            if (!action) qFatal("%s", action.error().message.c_str());
            return b.registry.resolve(*action->spec, {})->longestS;
        };
        QCOMPARE(longest("cold", ""), longestFor(std::chrono::minutes(10)));
        QCOMPARE(longest("cold", R"(,"machine":"attic")"), longestFor(std::chrono::minutes(10)));
        QCOMPARE(longest("cold", R"(,"machine":"local")"), std::int64_t{0});
        QCOMPARE(longest("hot", ""), std::int64_t{0});
    }

    void aWarmWorkerHasOneGateForAllTimes() {
        Bench b;
        const ParsedWorker warm = descriptor("warm", "warm");
        QVERIFY(!b.classes.gateOf(warm.id.hex()));
        QVERIFY(b.rig.ask(b.workers.add(warm)));
        const auto gate = b.classes.gateOf(warm.id.hex());
        QVERIFY(gate);
        QVERIFY(b.rig.ask(b.workers.add(descriptor("other", "warm"))));
        QVERIFY(b.classes.gateOf(descriptor("other", "warm").id.hex()) != gate);
        QVERIFY(b.rig.ask(b.workers.remove("warm", false)));
        QVERIFY(!b.classes.gateOf(warm.id.hex()));
        QVERIFY(b.rig.ask(b.workers.add(warm)));
        QCOMPARE(b.classes.gateOf(warm.id.hex()), gate);
        QVERIFY(b.rig.ask(b.workers.add(descriptor("plain"))));
        QVERIFY(!b.classes.gateOf(descriptor("plain").id.hex()));
    }

    void aClassKnownBeforeItsWorkerGoesThroughItsGateOnceItComes() {
        Bench b;
        const ParsedWorker warm = descriptor("warm", "warm");
        const auto cls = b.classes.intern(classOf(warm));
        QVERIFY(cls.isNew);
        QVERIFY(b.rig.ask(b.workers.add(warm)));
        b.classes.workerCame(warm.id.hex());
        const auto gate = b.classes.gateOf(warm.id.hex());
        b.machine.submit(0, 0, cls.id);
        QCOMPARE(b.machine.session.reasons().waitingAt(*gate), std::int64_t{1});
    }

    void memoryThatIsNotFreeIsLacked() {
        Bench b;
        const ParsedWorker worker = descriptor("big");
        const auto cls = b.classes.intern(classOf(worker, 800));
        QCOMPARE(b.classes.memoryNeed(session::ClassId{cls.id})->need, 800);
        QVERIFY(!b.classes.memoryNeed(session::ClassId{b.classes.intern(classOf(descriptor("small"))).id}));
        QVERIFY(!b.classes.lacksMemory(worker.id.hex()));
        b.machine.submit(0, 0, cls.id);
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        QVERIFY(b.classes.lacksMemory(worker.id.hex()));
        QVERIFY(!b.classes.lacksMemory("other"));
    }

    void namesOfADamagedJournalAreRefusedByTheirNumber() {
        Bench b;
        const auto labels = b.classes.restore({{.number = 1, .text = "a"}, {.number = 1, .text = "b"}}, {});
        QVERIFY(labels.error().message.contains("label 1"));
        store::ClassEntry entry;
        entry.number = 3;
        entry.text = "{";
        QVERIFY(b.classes.restore({}, {entry}).error().message.contains("class 3"));
        entry.number = 0;
        entry.text = classOf(descriptor("sort")).text();
        QVERIFY(!b.classes.restore({}, {entry}));
        entry.number = 3;
        QVERIFY(b.classes.restore({}, {entry}));
        QVERIFY(!b.classes.restore({}, {entry})); // twice
        QVERIFY(!b.classes.intern(classOf(descriptor("sort"))).isNew);
    }
};

QTEST_GUILESS_MAIN(TestWorkersService)
#include "tst_workers_service.moc"
