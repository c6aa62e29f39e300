// Estimates and reasons by themselves: no launcher, no journal; what runs is what the test says, the clock as well.
#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/fleet_capacity.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "core/session/machine_commands.h"
#include "core/session/queue_commands.h"
#include "core/session/resource_holds.h"
#include "core/session/wait_reasons.h"
#include "tests/engine/forecast_bench.h"

#include <QTest>

using namespace yard;
using namespace yard::engine;

namespace {

using Bench = engine::test::ForecastBench;
using engine::test::kSecond;

Wait waitFor(Lsn lsn) {
    Wait wait;
    wait.kind = WaitKind::Dependency;
    wait.lsn = lsn;
    wait.message = "action " + std::to_string(lsn.value) + " to end";
    return wait;
}

} // namespace

class TestForecasts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- estimates

    void whatWaitsStartsWhenWhatRunsUsuallyEnds() {
        Bench b;
        b.usually(10 * kSecond);
        const Lsn runs = b.run();
        const Lsn waits = b.submit();
        const WallMicros now = b.scale.at(b.machine.now);
        QCOMPARE(b.row(runs).estimatedFinish, now + 10'000'000);
        QCOMPARE(b.row(waits).estimatedStart, now + 10'000'000);
        QCOMPARE(b.row(waits).estimatedFinish, now + 20'000'000);
        QVERIFY2(b.row(waits).note.ends_with("starts in about 10 s"), b.row(waits).note.c_str());
    }

    void ofAKindThatWasNeverSeenNothingIsSaidButWhy() {
        Bench b;
        const Lsn runs = b.run();
        const Lsn waits = b.submit();
        QCOMPARE(b.row(runs).estimateGap, EstimateGap::NoHistory);
        QCOMPARE(b.row(waits).estimateGap, EstimateGap::NoHistory);
        QCOMPARE(b.row(waits).estimatedStart, WallMicros{0});
    }

    void whatIsLateIsOverdue() {
        Bench b;
        b.usually(10 * kSecond);
        const Lsn runs = b.run();
        b.machine.now += 30 * kSecond;
        QCOMPARE(b.row(runs).estimateGap, EstimateGap::Overdue);
        QVERIFY2(b.row(runs).note.contains("usually takes 10 s"), b.row(runs).note.c_str());
    }

    void whatIsHeldOrWaitsForOthersHasNoEnd() {
        Bench b;
        b.usually(10 * kSecond);
        QCOMPARE(b.row(b.submit(true)).estimateGap, EstimateGap::Held);
        const Lsn parent = b.run();
        session::Predecessor of{.lsn = parent};
        session::NewAction child;
        child.lsn = Lsn(50);
        child.queue = QueueId(1);
        child.cls = session::ClassId(b.cls.id);
        child.after = {&of, 1};
        b.machine.session.intake().add({&child, 1}, b.machine.now, b.machine.out);
        QCOMPARE(b.row(Lsn(50)).estimateGap, EstimateGap::Dependency);
    }

    void whileMemoryIsShortNobodyKnowsWhenItGoesOn() {
        Bench b;
        b.usually(10 * kSecond);
        b.run();
        b.isHolding = true;
        QCOMPARE(b.row(b.submit()).estimateGap, EstimateGap::WaitsForUnknown);
    }

    void aQueueIsDoneWhenTheLastOfItIs() {
        Bench b;
        b.usually(10 * kSecond);
        b.run();
        b.submit();
        b.submit();
        QueueView view;
        view.id = QueueId(1);
        b.estimates.ofQueue(view, *b.machine.session.views().queue(QueueId(1)));
        QCOMPARE(view.estimatedFinish, b.scale.at(b.machine.now) + 30'000'000);
    }

    void commandsWithoutALabelTakeWhatTheSameCommandTook() {
        Bench b;
        b.estimator.learn(QueueId(1), Estimator::kindOf("exec", "", ""), 100 * kSecond); // others of the queue
        b.estimator.learnCommand("make", 10 * kSecond);
        const std::uint32_t cls = b.wide(1);
        const Lsn runs = b.machine.submit(1, 0, cls);
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        auto spec = std::make_shared<ActionSpec>();
        spec->argv = {"make"};
        b.begin(runs).spec = spec;
        b.machine.session.events().running(runs, b.machine.started.back().attempt, b.machine.out);
        const Lsn waits = b.machine.submit(1, 0, cls);
        b.commands[waits] = "make";
        const WallMicros now = b.scale.at(b.machine.now);
        QCOMPARE(b.row(waits).estimatedStart, now + 10'000'000);
        QCOMPARE(b.row(waits).estimatedFinish, now + 20'000'000);
        QCOMPARE(b.queueView().estimatedFinish, now + 110'000'000); // the journal has not answered yet
        b.rig.settle();
        QCOMPARE(b.queueView().estimatedFinish, now + 20'000'000);
        (void)b.queueView();
        b.rig.settle();
        QCOMPARE(b.reads, 1);
    }

    void ofACommandThatWasNeverSeenNothingIsSaidWhateverElseItsQueueDid() {
        Bench b;
        b.estimator.learn(QueueId(1), Estimator::kindOf("exec", "", ""), 100 * kSecond);
        const Lsn waits = b.machine.submit(1, 0, b.wide(1));
        b.commands[waits] = "make";
        QCOMPARE(b.row(waits).estimateGap, EstimateGap::NoHistory);
        (void)b.queueView();
        b.rig.settle();
        QCOMPARE(b.queueView().estimateGap, EstimateGap::NoHistory);
        QCOMPARE(b.queueView().estimatedFinish, WallMicros{0});
    }

    void whileTheJournalCannotBeReadTheMeanOfTheQueueHolds() {
        Bench b;
        b.canRead = false;
        b.estimator.learn(QueueId(1), Estimator::kindOf("exec", "", ""), 100 * kSecond);
        const Lsn waits = b.machine.submit(1, 0, b.wide(1));
        const auto now = [&b] { return b.scale.at(b.machine.now); };
        for (int look = 1; look <= 2; ++look) {
            QCOMPARE(b.queueView().estimatedFinish, now() + 100'000'000);
            b.rig.settle();
            QCOMPARE(b.reads, look);
            b.machine.now += 2 * kSecond; // the outlook is older than it may be
        }
        b.canRead = true;
        b.commands[waits] = "make";
        b.estimator.learnCommand("make", 10 * kSecond);
        (void)b.queueView();
        b.rig.settle();
        QCOMPARE(b.queueView().estimatedFinish, now() + 10'000'000);
    }

    void ofManyCommandsTheNewestNamesAreKept() {
        coro::test::Rig rig;
        int told = 0;
        PendingCommands commands(
            {.read = [](std::vector<Lsn> lsns) -> coro::Task<Result<std::vector<std::string>>> {
                 std::vector<std::string> names;
                 for (const Lsn lsn : lsns) names.push_back(std::to_string(lsn.value));
                 co_return names;
             },
             .spawn = [&rig](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
             .found = [&told] { ++told; }});
        constexpr auto kMost = static_cast<std::int64_t>(PendingCommands::kMostWanted);
        for (std::int64_t lsn = 1; lsn <= kMost + 1; ++lsn) QCOMPARE(commands.of(Lsn(lsn)), "");
        rig.settle();
        QCOMPARE(told, 1);
        QCOMPARE(commands.known(), PendingCommands::kMostWanted);
        QCOMPARE(commands.of(Lsn(kMost)), std::to_string(kMost));
        QCOMPARE(commands.of(Lsn(kMost + 1)), ""); // one too many then
        rig.settle();
        QCOMPARE(commands.of(Lsn(kMost + 1)), std::to_string(kMost + 1));
        constexpr auto kAll = 2 * static_cast<std::int64_t>(PendingCommands::kMostKnown);
        for (std::int64_t lsn = 1; lsn <= kAll; ++lsn) {
            (void)commands.of(Lsn(lsn));
            if (lsn % kMost == 0) rig.settle();
        }
        QCOMPARE(commands.known(), PendingCommands::kMostKnown);
        QCOMPARE(commands.of(Lsn(kAll)), std::to_string(kAll));
        rig.loop.shutdown();
    }

    void whatFinishedLastIsLearnt() {
        Bench b;
        ActionResult ended;
        ended.queue = QueueId(1);
        ended.workerName = "sort";
        ended.function = "f";
        ended.state = ActionState::Completed;
        ended.times[ActionState::Submitting] = 1'000'000;
        ended.times[ActionState::Completed] = 5'000'000;
        ActionResult failed = ended;
        failed.state = ActionState::Failed;
        b.estimates.learn(std::vector{failed, ended});
        QCOMPARE(b.row(b.run()).estimatedFinish, b.scale.at(b.machine.now) + 4'000'000);
    }

    // --- reasons

    void whatAsksForAnUnknownMachineSaysSo() {
        Bench b;
        const std::uint32_t cls = b.wide(1);
        b.machine.session.defineClass(session::ClassId(cls), {}, {}, {}, {},
                                      {.machines = {"desk", "tag:render"}, .platform = {}});
        const Lsn lsn = b.machine.submit(1, 0, cls);
        QCOMPARE(b.machine.schedule(), std::size_t{0});
        QCOMPARE(b.words(lsn), "no machine takes it: desk is not known, tag:render is not known");
        std::string json;
        appendJson(json, b.why(lsn).waits.front());
        QVERIFY(json.contains(R"("machines":[{"name":"desk","reason":"unknown"},)"));
    }

    void whatIsForAnotherPlatformSaysSo() {
        Bench b;
        const std::uint32_t cls = b.wide(1);
        b.machine.session.defineClass(session::ClassId(cls), {}, {}, {}, {}, {.machines = {}, .platform = "plan9"});
        QCOMPARE(b.words(b.machine.submit(1, 0, cls)), "no machine takes it: local has another platform");
    }

    void whatIsForAnotherPlatformSaysWhatToInstall() {
        Bench b;
        b.machine.session.defineClass(session::ClassId(b.cls.id), {}, {}, {}, {},
                                      {.machines = {}, .platform = "plan9"});
        b.foreign = "Install it";
        QCOMPARE(b.words(b.machine.submit(1, 0, b.cls.id)),
                 "no machine takes it: local has another platform. Install it");
    }

    void whatNoMachineTakesSaysWhyMachineByMachine() {
        fleet::Machine local;
        local.name = "local";
        local.total.milliCores = 1'000;
        local.slots = local.otherSlots = 1;
        fleet::Machine beside = local;
        beside.name = "desk";
        beside.total.milliCores = 2'000;
        auto machines = std::make_unique<session::FleetCapacity>(local);
        machines->add(session::MachineId(1), beside);
        Bench b(std::move(machines), 3);
        b.machine.session.machines().setGate(session::MachineId(1), fleet::Gate::Silent);
        const Lsn lsn = b.machine.submit(1, 0, b.wide(2));
        QCOMPARE(b.words(lsn), "no machine takes it: local is too small, desk is not there");
        const std::vector<Wait> waits = b.why(lsn).waits;
        QCOMPARE(waits.front().kind, WaitKind::NoRunner);
        QCOMPARE(waits.front().machines.size(), std::size_t{2});
        QCOMPARE(waits.front().machines[1].name, "desk");
        QCOMPARE(waits.front().machines[1].reason, "silent");
        std::string json;
        appendJson(json, waits.front());
        QVERIFY(json.contains(R"("machines":[{"name":"local","reason":"too_small"},)"));
        b.machine.session.machines().setGate(session::MachineId(1), fleet::Gate::Open);
        QCOMPARE(b.why(lsn).waits.front().kind, WaitKind::Capacity); // it is next
    }

    void whatKeepsEverythingComesFirst() {
        Bench b;
        const Lsn held = b.submit(true);
        b.nothing = Wait{};
        b.nothing->kind = WaitKind::NoRunner;
        b.nothing->message = "the launcher is being replaced";
        QCOMPARE(b.words(held), "the launcher is being replaced; it is held");
        const auto waiting = b.machine.session.reasons().of(held, false);
        QCOMPARE(b.reasons.firstWords(held, *waiting), "the launcher is being replaced");
        b.nothing.reset();
        QCOMPARE(b.reasons.firstWords(held, *waiting), "it is held");
    }

    void aHeldQueueIsNamed() {
        Bench b;
        const Lsn lsn = b.submit();
        QVERIFY(b.machine.session.queues().hold(QueueId(1), b.machine.out));
        QCOMPARE(b.words(lsn), "its queue is held");
    }

    void coresAndThePlaceInLineAreSaid() {
        Bench b;
        b.run();
        const Lsn next = b.submit();
        const Lsn last = b.submit();
        QCOMPARE(b.words(next), "0 of 1 cores free, first of its queue");
        QCOMPARE(b.words(last), "0 of 1 cores free, 1 of its queue before it");
    }

    void whoHoldsWhatIsMissingIsNamedTheLargestFirst() {
        Bench b(10);
        const std::uint32_t small = b.wide(1);
        const std::uint32_t large = b.wide(3);
        std::vector<Lsn> running;
        for (const std::uint32_t cls : {small, large, small, small, small, small, small})
            running.push_back(b.machine.submit(1, 0, cls));
        QCOMPARE(b.machine.schedule(), running.size());
        auto spec = std::make_shared<ActionSpec>();
        spec->argv = {"make", "all"};
        b.begin(running[1]).spec = spec;
        QVERIFY(b.machine.session.holds().take(7, {.milliCores = 1'000, .named = {}}));
        const Lsn lsn = b.machine.submit(1, 0, b.wide(2));
        const Why why = b.why(lsn);
        QCOMPARE(why.waits.front().resource, "cores");
        const auto& holders = why.waits.front().holders;
        QCOMPARE(holders.size(), kMostCapacityHolders);
        QCOMPARE(holders[0].lsn, running[1]);
        QCOMPARE(holders[0].name, "make all");
        QCOMPARE(holders[0].amount, 3.0);
        QCOMPARE(holders[1].name, "worker w"); // no action
        QCOMPARE(holders[1].lsn, Lsn(0));
        QCOMPARE(holders[2].lsn, running[0]);
    }

    void whatIsNoActionCountsTogetherByItsName() {
        Bench b(10);
        const Lsn runs = b.machine.submit(1, 0, b.wide(1));
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        for (session::HoldKey key = 1; key <= 7; ++key)
            QVERIFY(b.machine.session.holds().take(key, {.milliCores = 1'000, .named = {}}));
        const Why why = b.why(b.machine.submit(1, 0, b.wide(3)));
        const auto& holders = why.waits.front().holders;
        QCOMPARE(holders.size(), std::size_t{2});
        QCOMPARE(holders[0].name, "worker w");
        QCOMPARE(holders[0].amount, 7.0);
        QCOMPARE(holders[1].lsn, runs);
    }

    void whereEnoughIsFreeNobodyIsNamed() {
        Bench b;
        const Lsn lsn = b.submit(); // not scheduled yet
        QVERIFY(b.why(lsn).waits.front().holders.empty());
    }

    void fewerSlotsThanCoresAreSaidWithWhy() {
        Bench b;
        b.run();
        const Lsn lsn = b.submit();
        b.slots = {.all = 1, .busy = 1, .cores = 8, .limit = "64 open files are allowed"};
        const Why why = b.why(lsn);
        QCOMPARE(why.waits.front().resource, "slots");
        QVERIFY(why.waits.front().message.ends_with("(64 open files are allowed)"));
    }

    void aWarmWorkersProcessesAreCounted() {
        Bench b;
        const Lsn lsn = b.submit();
        b.pool = runners::WarmWait{};
        b.pool->what = runners::WarmWait::For::Group;
        b.pool->serving = b.pool->alive = b.pool->most = 2;
        b.pool->isOwnLimit = true;
        const Why why = b.why(lsn);
        QCOMPARE(why.waits.front().resource, "processes");
        QCOMPARE(why.waits.front().name, "max_processes");
        QVERIFY2(why.waits.front().message.starts_with("its worker's 2 processes are busy; it may have 2 at most"),
                 why.waits.front().message.c_str());
    }

    void parentsAreNamedWithTheirStatesAndArraysWithWhatIsLeft() {
        Bench b;
        const Lsn parent = b.run();
        std::vector<session::Predecessor> after{{.lsn = parent}};
        session::NewAction child;
        child.lsn = Lsn(50);
        child.queue = QueueId(1);
        child.cls = session::ClassId(b.cls.id);
        child.after = after;
        b.machine.session.intake().add({&child, 1}, b.machine.now, b.machine.out);
        Wait ended;
        ended.kind = WaitKind::Dependency;
        ended.array = Lsn(7); // of which nothing is left
        b.parents = {waitFor(parent), ended};
        const Why why = b.why(Lsn(50));
        QCOMPARE(why.waits.size(), std::size_t{1});
        QCOMPARE(why.waits.front().lsn, parent);
        QCOMPARE(why.waits.front().state, ActionState::Running);
        QCOMPARE(b.reasons.firstWords(Lsn(50), *b.machine.session.reasons().of(Lsn(50), false)), "1 action to end");
    }

    void whatLeavesSaysHow() {
        Bench b;
        const Lsn lsn = b.run();
        QCOMPARE(b.words(lsn), "");
        Attempt& attempt = b.attempts[lsn];
        b.machine.session.actions().cancel(lsn, b.machine.out);
        QCOMPARE(b.words(lsn), "a cancel is under way");
        attempt.endAsked = b.machine.now;
        attempt.grace = 60 * kSecond;
        QCOMPARE(b.words(lsn), "told to end, SIGKILL follows");
        attempt.grace = -kSecond;
        QCOMPARE(b.words(lsn), "told to end, SIGKILL was sent");
        attempt.phase = Attempt::Phase::Collecting;
        QCOMPARE(b.words(lsn), std::string(kCollectingWords));
    }

    void ofOneThatIsGoneItsStateIsSaid() {
        Bench b;
        QCOMPARE(b.why(Lsn(99)).state, ActionState::Completed);
        QVERIFY(b.why(Lsn(99)).waits.empty());
    }
};

QTEST_GUILESS_MAIN(TestForecasts)
#include "tst_forecasts.moc"
