// Several machines: where what starts goes, what waits for one of them, and what each is kept for.
#include "core/model/worker.h"
#include "core/session/events.h"
#include "core/session/fleet_capacity.h"
#include "core/session/growing_capacity.h"
#include "core/session/live_views.h"
#include "core/session/machine_commands.h"
#include "core/session/outlook.h"
#include "core/session/queue_commands.h"
#include "core/session/reservation.h"
#include "core/session/resource_holds.h"
#include "core/session/shortage.h"
#include "core/session/wait_reasons.h"
#include "tests/session/machine.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

constexpr MachineId kBeside{1};

Resources cores(std::int64_t count) {
    return {.milliCores = 1'000 * count, .memoryMb = 0, .named = {}};
}

/// A machine for each number of cores: "local" on "linux", then "m1", "m2" on "windows".
class Yard : public test::Machine {
public:
    /// `memoryMb`: of "local"; the others have none.
    explicit Yard(const std::vector<int>& sizes, int ahead = 0, std::int64_t memoryMb = 0)
        : Machine(machinesOf(sizes, ahead, memoryMb), {.slotCount = sumOf(sizes), .aheadPerSlot = ahead}) {}

    void submitMany(int count, std::uint32_t cls = 0) {
        for (int i = 0; i < count; ++i) submit(0, 0, cls);
        schedule();
    }
    /// Starts by machine since the last question: "0:5 1:1".
    std::string takePlaces() {
        std::map<std::uint32_t, int> counts;
        for (; told_ < started.size(); ++told_) ++counts[started[told_].machine.value];
        std::string text;
        for (const auto& [machine, count] : counts)
            text += (text.empty() ? "" : " ") + std::to_string(machine) + ":" + std::to_string(count);
        return text;
    }
    /// What has run longest there completes, and what can start then does.
    void completeOn(std::uint32_t machine) {
        const auto at =
            std::ranges::find_if(running, [&](const Start& s) { return s.machine == MachineId(machine); });
        QVERIFY(at != running.end());
        completeAt(static_cast<std::size_t>(at - running.begin()));
        schedule();
    }
    /// Why it waits, machine by machine: "local:full m1:platform".
    std::string why(Lsn lsn) const {
        std::string text;
        for (const fleet::WhyNot& one : session.reasons().of(lsn, false)->machines)
            text += (text.empty() ? "" : " ") + one.name + ":" + std::string(fleet::name(one.unfit));
        return text;
    }

protected:
    Yard(std::unique_ptr<Capacity> capacity, int size)
        : Machine(std::move(capacity), {.slotCount = size, .aheadPerSlot = 0}) {}
    static fleet::Machine machineOf(std::uint32_t id, int size) {
        fleet::Machine one;
        one.name = id == 0 ? "local" : "m" + std::to_string(id);
        one.platform = "linux";
        one.total = cores(size);
        one.slots = static_cast<std::uint32_t>(size);
        one.otherSlots = 8;
        return one;
    }

private:
    static int sumOf(const std::vector<int>& sizes) {
        int sum = 0;
        for (const int size : sizes) sum += size;
        return sum;
    }
    static std::unique_ptr<Capacity> machinesOf(const std::vector<int>& sizes, int ahead, std::int64_t memoryMb) {
        std::unique_ptr<FleetCapacity> machines;
        for (std::size_t at = 0; at < sizes.size(); ++at) {
            fleet::Machine one;
            one.name = at == 0 ? "local" : "m" + std::to_string(at);
            one.platform = at == 0 ? "linux" : "windows";
            one.total = cores(sizes[at]);
            if (at == 0) one.total.memoryMb = memoryMb;
            one.slots = static_cast<std::uint32_t>(sizes[at] * (1 + ahead));
            one.otherSlots = 8;
            if (at == 0)
                machines = std::make_unique<FleetCapacity>(std::move(one));
            else
                machines->add(MachineId(static_cast<std::uint32_t>(at)), std::move(one));
        }
        return machines;
    }

    std::size_t told_ = 0;
};

/// One machine alone, to which others come.
class Grown : public Yard {
public:
    explicit Grown(int size)
        : Yard(std::make_unique<GrowingCapacity>(machineOf(0, size)), size) {}
    void come(std::uint32_t id, int size) { session.machines().add(MachineId(id), machineOf(id, size)); }
    void change(std::uint32_t id, int size) { session.machines().change(MachineId(id), machineOf(id, size)); }
};

} // namespace

class TestMachines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // --- where
    void aBatchIsSplitInProportionToWhatIsFree();
    void equalsTakeTurns();
    void whatNeedsFourNeverGoesWhereTwoAndTwoAreFree();
    void whatIsTooLargeForEachOfThemNeverFits();
    void aPlatformIsKeptTo();
    void anUnknownMachineIsWaitedFor();
    void aNamedMachineIsKeptTo();
    void aMachineAloneTakesWhatIsForIt();
    void whatCameBackLeavesItsMachineFree();
    void whatAWarmProcessServesIsHere();
    void resourcesOfOthersAreHere();
    void whatWaitsForAnotherMachineLacksNoCoresHere();
    // --- a machine that takes nothing
    void aShutMachineGetsNothingUntilItIsOpen();
    void whatCanOnlyRunThereSaysWhy();
    // --- ahead
    void leasesAheadGoWhereLeastIsTaken();
    void aShutMachineGetsNoLeasesAhead();
    // --- kept for something large
    void itIsKeptOnOneMachineAndTheOthersGoOn();
    void aMachineThatWasShutWhenAReservationEndedIsNotInTheWay();
    void aBatchTakesOnlyWhatCanBeSparedWhereSomethingIsKept();
    // --- they come and go
    void aMachineThatComesTakesItsPart();
    void whatRunsWhenTheFirstOneComesKeepsWhatItHas();
    void aMachineThatWentGetsNothing();
    void aMachineThatChangesGetsWhatItHasThen();
    void withOneThatCameMoreIsHandedOut();
    void slotsAreThoseOfTheMachinesThatThereAre();
    // --- all of it
    void aForecastKeepsToTheMachine();
    void machinesThatCameAreCountedAsThoseThatChanged();
    void noMachineIsEverOverbooked();
};

void TestMachines::aBatchIsSplitInProportionToWhatIsFree() {
    Yard b({10, 2});
    b.submitMany(6);
    QCOMPARE(b.takePlaces(), std::string("0:5 1:1"));
    b.submitMany(4);
    QCOMPARE(b.takePlaces(), std::string("0:3 1:1"));
    b.submitMany(9);
    QCOMPARE(b.takePlaces(), std::string("0:2")); // that is all there is
    b.completeOn(1);
    QCOMPARE(b.takePlaces(), std::string("1:1"));
    b.session.check();
}

void TestMachines::equalsTakeTurns() {
    Yard b({4, 4, 4});
    for (int i = 0; i < 6; ++i) b.submitMany(1);
    QCOMPARE(b.takePlaces(), std::string("0:2 1:2 2:2"));
}

void TestMachines::whatNeedsFourNeverGoesWhereTwoAndTwoAreFree() {
    Yard b({4, 4});
    b.defineClass(1, 2);
    b.defineClass(2, 4);
    b.submitMany(2, 1);
    QCOMPARE(b.takePlaces(), std::string("0:1 1:1"));
    const Lsn large = b.submit(0, 0, 2);
    b.schedule();
    QVERIFY(!b.hasStarted(large));
    const auto waiting = b.session.reasons().of(large, false);
    QCOMPARE(waiting->needs.size(), std::size_t{1});
    QCOMPARE(waiting->needs[0].need, 4.0);
    QCOMPARE(waiting->needs[0].free, 2.0);
    QCOMPARE(waiting->needs[0].total, 4.0);
    QCOMPARE(b.why(large), std::string("local:full m1:full"));
    b.completeOn(1);
    QVERIFY(b.hasStarted(large));
    QCOMPARE(b.takePlaces(), std::string("1:1"));
}

void TestMachines::whatIsTooLargeForEachOfThemNeverFits() {
    Yard b({4, 2});
    b.defineClass(1, 5);
    QVERIFY(!b.session.everFits(ClassId(1)));
    QCOMPARE(b.session.needs(ClassId(1))[0].total, 4.0);
    b.defineClass(2, 4);
    QVERIFY(b.session.everFits(ClassId(2)));
}

void TestMachines::aPlatformIsKeptTo() {
    Yard b({4, 1});
    b.session.defineClass(ClassId(1), cores(1), {}, {}, {}, {.machines = {}, .platform = "windows"});
    b.submitMany(3, 1);
    QCOMPARE(b.takePlaces(), std::string("1:1"));
    QCOMPARE(b.why(Lsn(2)), std::string("local:platform m1:full"));
    b.session.defineClass(ClassId(2), cores(1), {}, {}, {}, {.machines = {}, .platform = "plan9"});
    QVERIFY(b.session.everFits(ClassId(2))); // a machine of that platform may come
    b.session.defineClass(ClassId(3), cores(1), {}, {}, {}, {.machines = {"local"}, .platform = "plan9"});
    QVERIFY(!b.session.everFits(ClassId(3)));
    b.session.defineClass(ClassId(4), cores(5), {}, {}, {}, {.machines = {}, .platform = "windows"});
    QVERIFY(!b.session.everFits(ClassId(4))); // the one that there is is too small
}

void TestMachines::anUnknownMachineIsWaitedFor() {
    Yard b({4, 1});
    b.session.defineClass(ClassId(1), cores(50), {}, {}, {}, {.machines = {"later", "m1"}, .platform = {}});
    QVERIFY(b.session.everFits(ClassId(1)));
    const Lsn lsn = b.submit(0, 0, 1);
    b.schedule();
    QCOMPARE(b.takePlaces(), std::string());
    QCOMPARE(b.why(lsn), std::string("local:not_named m1:too_small later:unknown"));
}

void TestMachines::aNamedMachineIsKeptTo() {
    Yard b({4, 4, 4});
    b.session.defineClass(ClassId(1), cores(1), {}, {}, {}, {.machines = {"local"}, .platform = {}});
    b.session.defineClass(ClassId(2), cores(1), {}, {}, {}, {.machines = {"m1", "m2"}, .platform = {}});
    b.submitMany(2, 1);
    QCOMPARE(b.takePlaces(), std::string("0:2"));
    b.submitMany(4, 2);
    QCOMPARE(b.takePlaces(), std::string("1:2 2:2"));
}

void TestMachines::aMachineAloneTakesWhatIsForIt() {
    const MachineCapacity alone{cores(4)};
    const Resources one = cores(1);
    const auto takes = [&](const Where& where) {
        const Demand need(one, fleet::Slots::Cores, &where);
        return alone.everFits(need) && alone.fits(need);
    };
    QVERIFY(takes({.machines = {"local"}, .platform = {}}));
    QVERIFY(takes({.machines = {"m1", "any"}, .platform = {}}));
    QVERIFY(takes({.machines = {}, .platform = std::string(thisPlatform())}));
    QVERIFY(!takes({.machines = {"m1"}, .platform = {}}));
    QVERIFY(!takes({.machines = {"local"}, .platform = "plan9"}));
    const auto may = [&](const Where& where, std::int64_t count) {
        const Resources some = cores(count);
        return alone.mayFit({some, fleet::Slots::Cores, &where});
    };
    QVERIFY(may({.machines = {"m1"}, .platform = {}}, 50));
    QVERIFY(may({.machines = {}, .platform = "plan9"}, 50));
    QVERIFY(may({.machines = {"local", "m1"}, .platform = {}}, 4));
    QVERIFY(may({.machines = {"local", "m1"}, .platform = {}}, 50)); // m1 may come
    QVERIFY(!may({.machines = {}, .platform = std::string(thisPlatform())}, 5));
    QVERIFY(!may({.machines = {"local", "any"}, .platform = {}}, 5));
    QVERIFY(!may({.machines = {"local"}, .platform = "plan9"}, 1));
}

void TestMachines::whatCameBackLeavesItsMachineFree() {
    Yard b({1, 1});
    b.submitMany(2);
    const Start there = b.running[1];
    b.session.events().returned(there.lsn, there.attempt, b.out);
    b.running.pop_back();
    b.takePlaces();
    b.schedule();
    QCOMPARE(b.takePlaces(), std::to_string(there.machine.value) + ":1");
    b.session.check();
}

void TestMachines::whatAWarmProcessServesIsHere() {
    Yard b({1, 8});
    b.session.defineClass(ClassId(1), cores(1), {}, GateId(0));
    b.session.setGate(GateId(0), 3);
    b.submitMany(5, 1);
    QCOMPARE(b.takePlaces(), std::string("0:3"));
}

void TestMachines::whatWaitsForAnotherMachineLacksNoCoresHere() {
    Yard b({2, 4});
    b.session.defineClass(ClassId(1), cores(4)); // too large for this one
    b.session.defineClass(ClassId(2), cores(1), {}, {}, {}, {.machines = {"m1"}, .platform = {}});
    QVERIFY(b.session.holds().take(7, cores(2)));
    b.submitMany(2, 1);
    b.submitMany(1, 2);
    QCOMPARE(b.takePlaces(), std::string("1:1"));
    QVERIFY(!b.session.shortage().lacksCores());
    b.submitMany(1);
    QVERIFY(b.session.shortage().lacksCores());
    QVERIFY(b.session.holds().letGo(7));
    b.schedule();
    QCOMPARE(b.takePlaces(), std::string("0:1"));
    QVERIFY(!b.session.shortage().lacksCores());
}

void TestMachines::resourcesOfOthersAreHere() {
    Yard b({2, 4});
    QVERIFY(!b.session.holds().take(7, cores(3))); // never: there are two here
    b.session.holds().letGo(7);
    QVERIFY(b.session.holds().take(8, cores(2)));
    b.submitMany(5);
    QCOMPARE(b.takePlaces(), std::string("1:4"));
    QVERIFY(b.session.holds().letGo(8));
    b.schedule();
    QCOMPARE(b.takePlaces(), std::string("0:1"));
    QCOMPARE(b.session.taken().milliCores, std::int64_t{5'000});
}

void TestMachines::aShutMachineGetsNothingUntilItIsOpen() {
    Yard b({1, 2});
    b.session.machines().setGate(kBeside, fleet::Gate::Silent);
    b.submitMany(4);
    QCOMPARE(b.takePlaces(), std::string("0:1"));
    b.completeOn(0);
    QCOMPARE(b.takePlaces(), std::string("0:1"));
    b.session.machines().setGate(kBeside, fleet::Gate::Open);
    b.schedule();
    QCOMPARE(b.takePlaces(), std::string("1:2"));
}

void TestMachines::whatCanOnlyRunThereSaysWhy() {
    Yard b({1, 4});
    b.defineClass(1, 3);
    b.session.machines().setGate(kBeside, fleet::Gate::Silent);
    const Lsn large = b.submit(0, 0, 1);
    b.schedule();
    QVERIFY(b.session.everFits(ClassId(1))); // it may come back
    QCOMPARE(b.why(large), std::string("local:too_small m1:silent"));
    QCOMPARE(b.session.reasons().of(large, false)->needs[0].total, 4.0);
}

void TestMachines::leasesAheadGoWhereLeastIsTaken() {
    Yard b({2, 1}, 1);
    b.submitMany(3);
    QCOMPARE(b.takePlaces(), std::string("0:2 1:1"));
    b.session.queues().learnRunTime(QueueId(0), Duration{1'000});
    b.submitMany(9);
    QCOMPARE(b.takePlaces(), std::string("0:2 1:1"));
    QVERIFY(b.started.back().ahead);
    b.session.check();
}

void TestMachines::aShutMachineGetsNoLeasesAhead() {
    Yard b({1, 4}, 1);
    b.session.machines().setGate(kBeside, fleet::Gate::Silent);
    b.session.queues().learnRunTime(QueueId(0), Duration{1'000});
    b.submitMany(9);
    QCOMPARE(b.takePlaces(), std::string("0:2"));
}

void TestMachines::itIsKeptOnOneMachineAndTheOthersGoOn() {
    Yard b({4, 2});
    b.defineClass(1, 4);
    b.submitMany(6);
    const Lsn large = b.submit(0, 0, 1);
    b.submitMany(40);
    b.completeOn(0);
    b.now += kPassedOverFor;
    b.completeOn(0); // by now it was passed over for so long
    b.takePlaces();
    for (int i = 0; i < 4; ++i) {
        b.completeOn(1);
        QCOMPARE(b.takePlaces(), std::string("1:1"));
        QCOMPARE(b.session.reasons().of(large, false)->reservedForLarger, false);
        b.completeOn(0);
        if (i < 3) QCOMPARE(b.takePlaces(), std::string()); // kept
    }
    QVERIFY(b.hasStarted(large));
    QCOMPARE(b.takePlaces(), std::string("0:1"));
}

void TestMachines::aBatchTakesOnlyWhatCanBeSparedWhereSomethingIsKept() {
    Yard b({16, 16}, 0, 100);
    QVERIFY(b.session.holds().take(7, {.milliCores = 0, .memoryMb = 60, .named = {}}));
    b.defineClass(1, 12, 80);
    const Lsn large = b.submit(0, 0, 1); // only this machine has memory, and of that too little is free
    b.submitMany(1);
    b.now += kPassedOverFor;
    b.submitMany(1); // by now it was passed over for so long
    b.complete();
    b.takePlaces();
    b.submitMany(28);
    QCOMPARE(b.takePlaces(), std::string("0:4 1:16")); // twelve cores are kept
    QVERIFY(b.session.holds().letGo(7));
    b.schedule();
    QVERIFY(b.hasStarted(large));
    b.session.check();
}

void TestMachines::aMachineThatComesTakesItsPart() {
    Grown b(2);
    b.submitMany(4);
    QCOMPARE(b.takePlaces(), std::string("0:2"));
    QVERIFY(b.why(Lsn(4)).empty());
    b.come(1, 1);
    b.schedule();
    QCOMPARE(b.takePlaces(), std::string("1:1"));
    QCOMPARE(b.why(Lsn(4)), std::string("local:full m1:full"));
    b.session.check();
}

void TestMachines::whatRunsWhenTheFirstOneComesKeepsWhatItHas() {
    Grown b(4);
    b.defineClass(1, 2);
    b.submitMany(1, 1);
    b.submitMany(1);
    QVERIFY(b.session.holds().take(7, cores(1)));
    b.come(1, 4);
    QCOMPARE(b.session.taken().milliCores, std::int64_t{4'000});
    b.submitMany(5);
    QCOMPARE(b.takePlaces(), std::string("0:2 1:4"));
    b.completeOn(0); // two cores
    QCOMPARE(b.takePlaces(), std::string("0:1"));
    b.complete();
    QVERIFY(!b.session.holds().letGo(7)); // nobody waits for it
    QCOMPARE(b.session.taken().milliCores, std::int64_t{0});
    b.session.check();
}

void TestMachines::aMachineThatWentGetsNothing() {
    Grown b(1);
    b.come(1, 1);
    b.submitMany(2);
    QCOMPARE(b.takePlaces(), std::string("0:1 1:1"));
    b.complete();
    b.session.machines().remove(kBeside);
    b.submitMany(3);
    QCOMPARE(b.takePlaces(), std::string("0:1"));
    QCOMPARE(b.why(Lsn(5)), std::string("local:full"));
    b.come(2, 1);
    b.schedule();
    QCOMPARE(b.takePlaces(), std::string("2:1"));
    b.session.check();
}

void TestMachines::aMachineThatChangesGetsWhatItHasThen() {
    Grown b(1);
    b.come(1, 4);
    b.change(1, 2);
    b.submitMany(6);
    QCOMPARE(b.takePlaces(), std::string("0:1 1:2"));
    b.change(1, 4); // what runs there keeps what it has
    b.schedule();
    QCOMPARE(b.takePlaces(), std::string("1:2"));
    b.change(1, 1);
    b.completeOn(1);
    QCOMPARE(b.takePlaces(), std::string(""));
    b.change(7, 1); // nobody
    b.session.check();
}

void TestMachines::withOneThatCameMoreIsHandedOut() {
    Grown b(1);
    b.defineClass(1, 2);
    QVERIFY(!b.session.everFits(ClassId(1)));
    b.come(1, 4);
    QVERIFY(b.session.everFits(ClassId(1)));
    b.submitMany(3, 1);
    QCOMPARE(b.takePlaces(), std::string("1:2"));
    b.session.check();
}

void TestMachines::aMachineThatWasShutWhenAReservationEndedIsNotInTheWay() {
    Yard b({1, 4});
    b.defineClass(1, 4);
    b.submitMany(5);
    const Lsn large = b.submit(0, 0, 1);
    b.submitMany(40);
    b.completeOn(1);
    b.now += kPassedOverFor;
    b.completeOn(1); // by now it was passed over for so long
    b.session.machines().setGate(kBeside, fleet::Gate::Silent);
    b.now += kReserve;
    b.schedule(); // nothing is kept for it any more
    b.session.machines().setGate(kBeside, fleet::Gate::Open);
    b.takePlaces();
    for (int i = 0; i < 3; ++i) {
        b.completeOn(1);
        QCOMPARE(b.takePlaces(), std::string("1:1"));
    }
    b.completeOn(1);                         // the last that ran there then
    QCOMPARE(b.takePlaces(), std::string()); // kept again
    for (int i = 0; i < 3; ++i) b.completeOn(1);
    QVERIFY(b.hasStarted(large));
    b.session.check();
}

void TestMachines::slotsAreThoseOfTheMachinesThatThereAre() {
    fleet::Machine two;
    two.name = "two";
    two.total = cores(2);
    two.slots = 2;
    two.otherSlots = 8;
    GrowingCapacity capacity(two);
    WorkClasses classes(capacity);
    SessionOptions options{.slotCount = 2, .sharedSlots = 8, .aheadPerSlot = 3, .maxOutstanding = 16};
    MachineCommands machines(capacity, classes, options);
    const auto slots = [&] { return std::vector{options.slotCount, options.sharedSlots, options.maxOutstanding}; };
    machines.add(kBeside, two);
    QCOMPARE(slots(), (std::vector{4, 16, 16 + 2 * (1 + 3) + 8}));
    two.total = cores(4);
    two.slots = 4;
    machines.change(kBeside, two); // as many slots as before
    QCOMPARE(slots(), (std::vector{4, 16, 16 + 2 * (1 + 3) + 8}));
    for (int times = 0; times < 2; ++times) machines.remove(kBeside);
    machines.remove(fleet::kLocal);
    machines.change(fleet::kLocal, two);
    QCOMPARE(slots(), (std::vector{2, 8, 16}));
    QVERIFY(!machines.freePieces("gpus")); // none has names
}

void TestMachines::aForecastKeepsToTheMachine() {
    constexpr Duration kEach{10'000'000};
    Yard b({1, 1});
    b.session.defineClass(ClassId(1), cores(1), {}, {}, {}, {.machines = {"m1"}, .platform = {}});
    b.submitMany(2, 1);
    QCOMPARE(b.takePlaces(), std::string("1:1"));
    const Outlook outlook(b.session.outline(100, b.now), b.now,
                          [kEach](const Outlook::Question&) { return Outlook::Answer{.time = kEach}; });
    QCOMPARE(outlook.startOf(*b.session.views().live(Lsn(2))), std::optional(b.now + kEach));
}

void TestMachines::machinesThatCameAreCountedAsThoseThatChanged() {
    const auto machine = [](std::string name, std::int64_t count, std::int64_t gpus) {
        fleet::Machine one;
        one.name = std::move(name);
        one.total = cores(count);
        one.total.memoryMb = 100 * count;
        one.total.named = {{"gpus", gpus}};
        return one;
    };
    FleetCapacity came(machine("local", 4, 1'000));
    came.add(MachineId(1), machine("m1", 2, 3'000));
    came.add(MachineId(2), machine("m2", 10, 4'000));
    FleetCapacity changed(machine("local", 1, 500));
    changed.add(MachineId(1), machine("m1", 1, 500));
    changed.add(MachineId(2), machine("m2", 1, 500));
    changed.change(MachineId(0), machine("local", 4, 1'000));
    changed.change(MachineId(1), machine("m1", 2, 3'000));
    changed.change(MachineId(2), machine("m2", 10, 4'000));
    const Resources memory{.milliCores = 0, .memoryMb = 400, .named = {}};
    const Resources gpus{.milliCores = 0, .memoryMb = 0, .named = {{"gpus", 4'000}}};
    for (const FleetCapacity* fleet : {&came, &changed}) {
        QCOMPARE(fleet->dominantShare(cores(4)), 0.25); // of all of them
        QCOMPARE(fleet->dominantShare(memory), 0.25);
        QCOMPARE(fleet->dominantShare(gpus), 0.5);
    }
}

void TestMachines::noMachineIsEverOverbooked() {
    const std::vector<int> sizes{6, 4, 3};
    std::mt19937 random(7);
    const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Yard b(sizes);
    for (std::uint32_t cls = 1; cls <= 5; ++cls) b.defineClass(cls, static_cast<int>(cls) + 1);
    for (int round = 0; round < 2'000; ++round) {
        for (int i = below(4); i > 0; --i) b.submit(0, below(3), static_cast<std::uint32_t>(below(6)));
        if (below(20) == 0)
            b.session.machines().setGate(MachineId(1 + static_cast<std::uint32_t>(below(2))),
                                         below(2) == 0 ? fleet::Gate::Silent : fleet::Gate::Open);
        b.now += Duration{below(5'000'000)};
        b.schedule();
        std::vector<std::int64_t> used(sizes.size(), 0);
        for (const Start& start : b.running) used[start.machine.value] += start.cls.value + 1;
        for (std::size_t at = 0; at < sizes.size(); ++at) QVERIFY(used[at] <= sizes[at]);
        for (int i = below(4); i > 0 && !b.running.empty(); --i)
            b.completeAt(static_cast<std::size_t>(below(static_cast<int>(b.running.size()))));
        if (round % 50 == 0) b.session.check();
    }
    for (const MachineId id : {MachineId(1), MachineId(2)}) b.session.machines().setGate(id, fleet::Gate::Open);
    while (b.session.views().counts().all.active() > 0) {
        b.now += Duration{1'000'000};
        b.schedule();
        QVERIFY(!b.running.empty()); // nothing waits forever
        b.completeOne();
    }
}

QTEST_APPLESS_MAIN(TestMachines)
#include "tst_machines.moc"
