// More than one runner: what each gets, and what becomes of its attempts when it refuses, is lost and comes back. No
// launcher, no journal, no disk.
#include "core/session/action_commands.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"
#include "tests/engine/execution_bench.h"

#include <QTest>

using namespace yard;
using namespace yard::engine;
using engine::test::ExecutionBench;
using runners::AttemptId;

namespace {

/// Two runners; `there` is the second one, beside the machine.
class Bench : public ExecutionBench {
public:
    explicit Bench(unsigned machine, unsigned there, int ahead = 0, unsigned others = 0)
        : ExecutionBench({machine, there}, ahead, others) {}
    engine::test::FakeRunner& there() { return runner(1); }
    void submitMany(int count) {
        for (int i = 0; i < count; ++i) submit();
        turn();
    }
    void defineClass(std::uint32_t id, int cores) {
        ClassKey key;
        key.function = std::to_string(id);
        dictionary.internClass(key);
        machine.defineClass(id, cores);
    }
    /// One that the second runner has of an engine before this one.
    Lsn takeOver(WallMicros submitTime = 1, std::optional<Resources> resources = {}) {
        session::NewAction action;
        if (resources) {
            ClassKey key{};
            key.resources = *resources;
            action.cls = session::ClassId(dictionary.internClass(key).id);
            machine.session.defineClass(action.cls, *resources);
        }
        action.lsn = Lsn(++machine.lsn);
        action.queue = QueueId(1);
        action.submitTime = submitTime;
        action.out = session::MachineId(1);
        machine.session.intake().add({&action, 1}, machine.now, machine.out);
        const AttemptId id{action.lsn, 1};
        const auto came = rig.begin(execution.expect({{.id = id, .machine = *action.out}}, scale));
        auto spec = std::make_shared<ActionSpec>();
        spec->worker = "exec";
        spec->argv = {"true"};
        std::vector<store::FetchedSpec> specs(1);
        specs.front().lsn = action.lsn;
        specs.front().spec = std::move(spec);
        execution.specsArrived(std::move(specs));
        rig.settle();
        if (!came->has_value()) qFatal("its spec does not come");
        execution.takeOver(id);
        return action.lsn;
    }
    /// Of one that the second runner has.
    std::int64_t oneThere() { return there().out.begin()->first.lsn.value; }
};

/// Two cores here; others come while it runs. `there` is the newest.
class Growing : public ExecutionBench {
public:
    Growing()
        : ExecutionBench({2}) {}
    session::MachineId come(unsigned cores) {
        auto runner = std::make_unique<engine::test::FakeRunner>(cores, places.sink());
        there = runner.get();
        fleet::Machine one;
        one.name = "came";
        one.total = {.milliCores = std::int64_t{1000} * cores, .named = {}};
        one.slots = cores;
        return places.join(std::move(runner), std::move(one));
    }
    void submitMany(int count) {
        for (int i = 0; i < count; ++i) submit();
        turn();
    }
    engine::test::FakeRunner* there = nullptr;
};

} // namespace

class TestRunnerPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- who gets what

    void eachRunnerGetsItsShareOfWhatIsFree() {
        Bench b(4, 2);
        b.submitMany(3);
        QCOMPARE(b.runner().out.size(), std::size_t{2});
        QCOMPARE(b.there().out.size(), std::size_t{1});
        b.submitMany(9);
        QCOMPARE(b.runner().out.size(), std::size_t{4});
        QCOMPARE(b.there().out.size(), std::size_t{2});
        QCOMPARE(b.places.group().free(), 1u); // for what takes another amount
    }

    void whoHasRoomGetsTheNext() {
        Bench b(2, 2);
        b.submitMany(4);
        const std::int64_t lsn = b.oneThere();
        b.there().begin(lsn);
        b.there().exit(lsn);
        b.turn();
        b.submitMany(1);
        QCOMPARE(b.runner().out.size(), std::size_t{2});
        QCOMPARE(b.there().taken.size(), std::size_t{3});
    }

    void aBatchIsSharedInProportionToWhatIsFree() {
        Bench b(10, 2);
        b.submitMany(6);
        QCOMPARE(b.runner().out.size(), std::size_t{5});
        QCOMPARE(b.there().out.size(), std::size_t{1});
    }

    void whatNeedsFourCoresNeverGoesWhereTwoAndTwoAreFree() {
        Bench b(4, 4, 0, 4);
        b.defineClass(1, 2);
        b.defineClass(2, 4);
        for (int i = 0; i < 2; ++i) b.submit(false, 1);
        b.turn();
        QCOMPARE(b.runner().out.size(), std::size_t{1});
        QCOMPARE(b.there().out.size(), std::size_t{1});
        const Lsn large = b.submit(false, 2);
        b.turn();
        QVERIFY(!b.attempt(large));
        const std::int64_t lsn = b.oneThere();
        b.there().begin(lsn);
        b.there().exit(lsn);
        b.turn();
        QVERIFY(b.there().out.contains({large, 1}));
        QVERIFY(b.there().out.at({large, 1}).lease.slot.value >= 4); // none of those of the cores
    }

    void whatTakesAnotherAmountGoesWhereThereAreSlotsForIt() {
        Bench b(2, 4);
        b.defineClass(1, 2);
        b.defineClass(2, 3);
        const Lsn two = b.submit(false, 1);
        b.turn();
        QVERIFY(b.runner().out.contains({two, 1}));
        QVERIFY(!b.machine.session.everFits(session::ClassId(2)));
    }

    void aPlatformIsKeptTo() {
        Bench b(4, 1);
        ClassKey key;
        key.function = "elsewhere";
        b.dictionary.internClass(key);
        b.machine.session.defineClass(session::ClassId(1), {}, {}, {}, {}, {.machines = {}, .platform = "windows"});
        for (int i = 0; i < 3; ++i) b.submit(false, 1);
        b.turn();
        QCOMPARE(b.there().out.size(), std::size_t{1});
        QVERIFY(b.runner().out.empty());
    }

    void leasesAheadWaitWhereLeastIsTaken() {
        Bench b(1, 2, 1);
        b.machine.session.queues().learnRunTime(QueueId(1), Duration{1'000});
        b.submitMany(9);
        QCOMPARE(b.runner().out.size(), std::size_t{2});
        QCOMPARE(b.there().out.size(), std::size_t{4});
    }

    void slotsHaveTheirOwnNumbersThere() {
        Bench b(1, 2);
        b.submitMany(3);
        for (const auto& [id, one] : b.there().out) {
            QVERIFY(one.lease.slot.value < 2);
            QCOMPARE(b.attempts.get(id)->slot.value, one.lease.slot.value + 2); // behind the machine's two
        }
        const std::int64_t lsn = b.oneThere();
        const SlotId slot = b.attempt(Lsn(lsn))->slot;
        b.there().begin(lsn);
        b.turn();
        QCOMPARE(b.attempt(Lsn(lsn))->slot, slot);
        b.there().exit(lsn);
        b.turn();
        QCOMPARE(b.takeEnds(), std::to_string(lsn) + " completed");
        b.store();
        QCOMPARE(b.there().acknowledged, (std::vector{AttemptId{Lsn(lsn), 1}}));
        QVERIFY(b.runner().acknowledged.empty());
    }

    void whatIsToEndIsToldWhereItRuns() {
        Bench b(1, 1);
        b.submitMany(2);
        const std::int64_t lsn = b.oneThere();
        b.there().begin(lsn);
        b.turn();
        QVERIFY(b.machine.session.actions().cancel(Lsn(lsn), b.machine.out));
        b.turn();
        QCOMPARE(b.there().toldToEnd, std::vector{std::to_string(lsn) + " cancelled"});
        QVERIFY(b.runner().toldToEnd.empty());
    }

    // --- refused

    void whatIsRefusedStartsAnewAndIsNotCounted() {
        Bench b(1, 1);
        b.there().refuses = 1;
        b.submitMany(2);
        QCOMPARE(b.takeEnds(), "");
        QCOMPARE(b.runner().out.size() + b.there().out.size(), std::size_t{2});
        for (const auto& [id, attempt] : b.attempts) QCOMPARE(id.attempt, 1u);
    }

    // --- lost

    void whatHadBegunIsLostAndRunsAgain() {
        Bench b(1, 1);
        b.submitMany(2);
        const std::int64_t lsn = b.oneThere();
        b.there().begin(lsn);
        b.turn();
        b.there().die();
        b.turn();
        QCOMPARE(b.takeEnds(), std::to_string(lsn) + " retry abandoned lost_runner");
        b.store();
        const auto live = b.machine.session.views().live(Lsn(lsn));
        QCOMPARE(live->retries.interruptions, 1);
        QCOMPARE(live->retries.ownFailures, 0);
    }

    void whatHadNotBegunGoesToAnother() {
        Bench b(1, 1);
        b.submitMany(2);
        const std::int64_t lsn = b.oneThere();
        const std::int64_t other = b.runner().out.begin()->first.lsn.value;
        b.there().die();
        b.turn();
        QCOMPARE(b.takeEnds(), "");
        QVERIFY(!b.attempt(Lsn(lsn))); // the machine is busy
        b.runner().begin(other);
        b.runner().exit(other);
        b.turn();
        QVERIFY(b.runner().out.contains({Lsn(lsn), 1}));
    }

    void itsCoresAreNotGivenAwayMeanwhile() {
        Bench b(2, 4);
        b.there().die();
        b.turn();
        b.submitMany(6);
        QCOMPARE(b.runner().out.size(), std::size_t{2});
        QVERIFY(b.there().taken.empty());
        QCOMPARE(b.attempts.size(), std::size_t{2}); // the others wait in their queue
    }

    void onceItIsBackItGetsItsShareAgain() {
        Bench b(1, 2);
        b.there().die();
        b.turn();
        b.submitMany(3);
        QCOMPARE(b.runner().out.size(), std::size_t{1});
        b.there().recover();
        b.turn();
        QCOMPARE(b.there().out.size(), std::size_t{2});
    }

    void withoutTheMachineNothingStarts() {
        Bench b(1, 1);
        b.runner().die();
        b.turn();
        b.submitMany(2);
        QVERIFY(b.attempts.size() == 0);
        b.runner().recover();
        b.turn();
        QCOMPARE(b.attempts.size(), std::size_t{2});
    }

    // --- they come and go while it runs

    void oneThatComesGetsItsShare() {
        Growing b;
        b.submitMany(4);
        QCOMPARE(b.runner().out.size(), std::size_t{2});
        QCOMPARE(b.come(2), session::MachineId(1));
        b.turn();
        QCOMPARE(b.there->out.size(), std::size_t{2});
        for (const auto& [id, one] : b.there->out) QVERIFY(one.lease.slot.value < 2);
        const std::int64_t lsn = b.there->out.begin()->first.lsn.value;
        b.there->begin(lsn);
        b.turn();
        b.there->exit(lsn);
        b.turn();
        QCOMPARE(b.takeEnds(), std::to_string(lsn) + " completed");
    }

    void whatRunsThereHasNoDirectoryHere() {
        Growing b;
        b.submitMany(2);
        b.come(1);
        const Lsn lsn = b.start(true);
        QVERIFY(b.there->out.contains({lsn, 1}));
        QVERIFY(b.files.log.empty());
        b.there->begin(lsn.value);
        b.there->exit(lsn.value);
        b.turn();
        QCOMPARE(b.takeEnds(), std::to_string(lsn.value) + " completed");
        QVERIFY(b.files.log.empty());
    }

    void oneThatHasSomethingInFlightStays() {
        Growing b;
        const session::MachineId machine = b.come(1);
        b.submitMany(3);
        const std::int64_t lsn = b.there->out.begin()->first.lsn.value;
        QVERIFY(!b.places.remove(machine));
        b.there->begin(lsn);
        b.there->exit(lsn);
        b.turn();
        QVERIFY(!b.places.remove(machine)); // the journal does not have it yet
        b.store();
        QVERIFY(b.places.remove(machine));
        b.rig.settle();
        b.submitMany(2);
        QCOMPARE(b.runner().out.size(), std::size_t{2});
        QCOMPARE(b.places.group().capacity(), 3u);
    }

    void anotherOneHasAnotherNumberAndMayHaveItsSlots() {
        Growing b;
        QVERIFY(b.places.remove(b.come(3)));
        b.rig.settle();
        QCOMPARE(b.come(2), session::MachineId(2));
        QCOMPARE(b.places.group().capacity(), 5u);
        b.submitMany(4);
        QCOMPARE(b.there->out.size(), std::size_t{2});
        b.there->die();
        b.turn();
        QCOMPARE(b.takeEnds(), "");
    }

    void oneThatIsToDrainGetsNothing() {
        Growing b;
        const session::MachineId machine = b.come(2);
        b.places.setWish(machine, fleet::Gate::Draining);
        b.submitMany(4);
        QVERIFY(b.there->taken.empty());
        b.there->die(); // and comes back: that changes nothing
        b.turn();
        b.there->recover();
        b.turn();
        QVERIFY(b.there->taken.empty());
        b.places.setWish(machine, fleet::Gate::Open);
        b.turn();
        QCOMPARE(b.there->out.size(), std::size_t{2});
    }

    // --- what was there before

    void theTimesOfWhatWasThereDoNotRunBackwards() {
        Bench b(1, 2);
        const WallMicros later = b.scale.at(b.machine.now) + 60'000'000; // the wall clock was set back
        const Lsn lsn = b.takeOver(later);
        QCOMPARE(b.attempt(lsn)->scale.at(b.machine.now), later);
        QCOMPARE(b.attempt(b.takeOver())->scale.offset, b.scale.offset);
    }

    void whatWasThereHasTheKindOfSlotThatTheSessionCounts() {
        Bench b(1, 2);
        QVERIFY(!b.attempt(b.takeOver())->shared);
        QVERIFY(b.attempt(b.takeOver(1, Resources{.milliCores = 2'000, .memoryMb = 0, .named = {}}))->shared);
        QVERIFY(b.attempt(b.takeOver(1, Resources{.milliCores = 1'000, .memoryMb = 64, .named = {}}))->shared);
    }

    void nobodyLearnsHowLongWhatWasThereTook() {
        Bench b(1, 2);
        const Lsn lsn = b.takeOver();
        const SlotId slot = b.attempt(lsn)->slot;
        runners::Ended ended;
        ended.slot = slot;
        ended.exitCode = 0;
        ended.times = {
            .submitting = b.machine.now, .running = b.machine.now, .exited = b.machine.now, .ended = b.machine.now};
        b.execution.updates({{{lsn, 1}, runners::Started{.slot = slot, .pid = 0, .times = ended.times}}});
        b.execution.updates({{{lsn, 1}, std::move(ended)}});
        b.turn();
        QCOMPARE(b.takeEnds(), "1 completed");
        QCOMPARE(b.estimator.kinds(), std::size_t{0});
        const Lsn other = b.start();
        engine::test::FakeRunner& taker = b.there().out.empty() ? b.runner() : b.there();
        taker.begin(other.value);
        taker.exit(other.value);
        b.turn();
        QCOMPARE(b.takeEnds(), "2 completed");
        QVERIFY(b.estimator.kinds() > 0);
    }

    // --- the end

    void allOfThemEnd() {
        Bench b(1, 1);
        b.submitMany(2);
        for (const auto* one : b.runners) QCOMPARE(one->out.size(), std::size_t{1});
        b.places.group().shutDown(Duration::zero());
        QVERIFY(b.places.group().isDown());
        QVERIFY(!b.places.isAccepting());
    }
};

QTEST_GUILESS_MAIN(TestRunnerPlaces)
#include "tst_runner_places.moc"
