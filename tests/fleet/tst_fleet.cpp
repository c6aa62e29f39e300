// Where actions go: rules by hand, and random batches against the plainest model of the same machines.
#include "core/fleet/fleet.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::fleet;

namespace {

Resources amounts(std::int64_t cores, std::int64_t memoryMb = 0, std::int64_t gpus = 0) {
    Resources all{.milliCores = cores * 1'000, .memoryMb = memoryMb, .named = {}};
    if (gpus > 0) all.named.emplace_back("gpus", gpus * 1'000);
    return all;
}

Machine machine(std::string name, const Resources& total, std::uint32_t slots = 100) {
    Machine one;
    one.name = std::move(name);
    one.platform = "linux-x86_64";
    one.total = total;
    one.slots = slots;
    return one;
}

Ask ask(const Resources& need) {
    Ask one;
    one.need = need;
    return one;
}

std::string text(const std::vector<Share>& shares) {
    std::string all;
    for (const Share& share : shares)
        all += (all.empty() ? "" : " ") + std::to_string(share.machine.value) + ':' + std::to_string(share.count);
    return all;
}

std::string text(const std::vector<WhyNot>& why) {
    std::string all;
    for (const WhyNot& one : why) all += (all.empty() ? "" : " ") + one.name + ':' + std::string(name(one.unfit));
    return all;
}

std::string placed(Fleet& fleet, const Ask& ask) {
    const auto id = fleet.place(ask);
    return id ? std::to_string(id->value) : "nowhere";
}

/// a: 8 cores, b: 4, c: 4.
Fleet threeMachines() {
    Fleet fleet;
    fleet.add(kLocal, machine("a", amounts(8)));
    fleet.add(MachineId(1), machine("b", amounts(4)));
    fleet.add(MachineId(2), machine("c", amounts(4)));
    return fleet;
}

} // namespace

class TestFleet : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aBatchIsSplitInProportionToWhatIsFree();
    void whatIsLeftOverGoesInTurns();
    void neverMoreThanFits();
    void oneGoesWhereMostFitsAndInTurnsAmongEquals();
    void machinesWithTheFilesGoFirst();
    void nothingIsSpreadOverTwoMachines();
    void slotsAreALimitOfTheirOwn();
    void slotsOfOtherAmountsAreCountedApart();
    void whatIsNoAttemptTakesNoSlot();
    void aShutMachineTakesNothing();
    void leasesAheadGoWhereLeastIsTaken();
    void theClosestLacksLeast();
    void theClosestIsRatherOneThatIsOpenAndLargeEnough();
    void whatIsKeptOnOneMachineLeavesTheOthersFree();
    void anIdleFleetHasTheSameMachines();
    void namedAmountsCount();
    void whereSaysNamesTagsAndLocal();
    void whyIsToldMachineByMachine();
    void aMachineWhereItFailedIsLeftOutWhileAnotherTakesIt();
    void leasesAheadTakeMoreThanThereIs();
    void whatRunsOnAMachineThatIsRemovedIsGivenBackToNobody();
    void aChangedMachineKeepsWhatIsInUse();
    void hundredsOfMachinesAnswerLikeAFew();
    void everFitsLooksAtEmptyMachines();
    void oneMachineIsUsedAsIfItWereAlone();
    void randomBatchesFollowTheModel();
};

void TestFleet::aBatchIsSplitInProportionToWhatIsFree() {
    Fleet fleet = threeMachines();
    QCOMPARE(text(fleet.split(ask(amounts(1)), 8)), std::string("0:4 1:2 2:2"));
    fleet.take(kLocal, amounts(6));
    QCOMPARE(text(fleet.split(ask(amounts(1)), 5)), std::string("0:1 1:2 2:2"));
    QCOMPARE(text(fleet.split(ask(amounts(1)), 0)), std::string());
}

void TestFleet::whatIsLeftOverGoesInTurns() {
    Fleet fleet;
    for (std::uint32_t id = 1; id <= 3; ++id) fleet.add(MachineId(id), machine("m", amounts(4)));
    std::map<std::uint32_t, unsigned> counts;
    for (int i = 0; i < 6; ++i)
        for (const Share& share : fleet.split(ask(amounts(1)), 1)) counts[share.machine.value] += share.count;
    QVERIFY((counts == std::map<std::uint32_t, unsigned>{{1, 2}, {2, 2}, {3, 2}}));
}

void TestFleet::neverMoreThanFits() {
    Fleet fleet = threeMachines();
    QCOMPARE(text(fleet.split(ask(amounts(3)), 100)), std::string("0:2 1:1 2:1"));
    QCOMPARE(text(fleet.split(ask(amounts(9)), 100)), std::string());
}

void TestFleet::oneGoesWhereMostFitsAndInTurnsAmongEquals() {
    Fleet fleet = threeMachines();
    QCOMPARE(placed(fleet, ask(amounts(1))), std::string("0"));
    fleet.take(kLocal, amounts(4));
    // Now all are alike, and the first was chosen before.
    QCOMPARE(placed(fleet, ask(amounts(1))), std::string("1"));
    QCOMPARE(placed(fleet, ask(amounts(1))), std::string("2"));
    QCOMPARE(placed(fleet, ask(amounts(1))), std::string("0"));
    QCOMPARE(placed(fleet, ask(amounts(1))), std::string("1"));
    QCOMPARE(placed(fleet, ask(amounts(5))), std::string("nowhere"));
}

void TestFleet::machinesWithTheFilesGoFirst() {
    Fleet fleet = threeMachines();
    Ask one = ask(amounts(1));
    one.hasContent = {MachineId(2)};
    QCOMPARE(placed(fleet, one), std::string("2"));
    fleet.take(MachineId(2), amounts(4));
    QCOMPARE(placed(fleet, one), std::string("0"));
}

void TestFleet::nothingIsSpreadOverTwoMachines() {
    Fleet fleet;
    fleet.add(MachineId(1), machine("a", amounts(4, 100)));
    fleet.add(MachineId(2), machine("b", amounts(1, 1'000)));
    QCOMPARE(placed(fleet, ask(amounts(2, 500))), std::string("nowhere"));
    QVERIFY(!fleet.everFits(ask(amounts(2, 500))));
    QCOMPARE(placed(fleet, ask(amounts(1, 500))), std::string("2"));
}

void TestFleet::slotsAreALimitOfTheirOwn() {
    Fleet fleet;
    fleet.add(kLocal, machine("a", amounts(8), 2));
    QCOMPARE(fleet.roomFor(kLocal, ask(amounts(1))), 2u);
    fleet.take(kLocal, amounts(1));
    fleet.take(kLocal, amounts(1));
    QVERIFY(fleet.unfitOf(kLocal, ask(amounts(1))) == Unfit::Full);
    fleet.give(kLocal, amounts(1));
    QCOMPARE(fleet.roomFor(kLocal, ask(amounts(1))), 1u);
    // What needs no amount at all still needs a slot.
    QCOMPARE(fleet.roomFor(kLocal, ask(amounts(0))), 1u);
}

void TestFleet::slotsOfOtherAmountsAreCountedApart() {
    Fleet fleet;
    Machine one = machine("a", amounts(8), 1);
    one.otherSlots = 2;
    fleet.add(kLocal, one);
    Ask two = ask(amounts(2));
    two.slots = Slots::Others;
    QCOMPARE(fleet.roomFor(kLocal, two), 2u);
    fleet.take(kLocal, amounts(1));
    QCOMPARE(fleet.roomFor(kLocal, two), 2u);
    QCOMPARE(fleet.roomFor(kLocal, ask(amounts(1))), 0u);
    fleet.take(kLocal, amounts(2), Slots::Others);
    QCOMPARE(fleet.roomFor(kLocal, two), 1u);
    fleet.give(kLocal, amounts(2), Slots::Others);
    QCOMPARE(fleet.roomFor(kLocal, two), 2u);
    one.otherSlots = 0;
    fleet.change(kLocal, one);
    QVERIFY(fleet.unfitOf(kLocal, two) == Unfit::TooSmall);
}

void TestFleet::whatIsNoAttemptTakesNoSlot() {
    Fleet fleet;
    fleet.add(kLocal, machine("a", amounts(2), 1));
    fleet.take(kLocal, amounts(1), Slots::None);
    QCOMPARE(fleet.roomFor(kLocal, ask(amounts(1))), 1u);
    fleet.take(kLocal, amounts(1));
    Ask hold = ask(amounts(1));
    hold.slots = Slots::None;
    QVERIFY(!fleet.fits(hold));
    fleet.give(kLocal, amounts(1), Slots::None);
    QVERIFY(fleet.fits(hold));
    QVERIFY(!fleet.fits(ask(amounts(1)))); // the one slot is taken
}

void TestFleet::aShutMachineTakesNothing() {
    Fleet fleet = threeMachines();
    fleet.setGate(kLocal, Gate::Silent);
    fleet.setGate(MachineId(9), Gate::Silent); // none of ours
    QCOMPARE(text(fleet.why(ask(amounts(1)))), std::string("a:silent b:none c:none"));
    QVERIFY(!fleet.fits(ask(amounts(8))));
    QVERIFY(fleet.everFits(ask(amounts(8))));
    fleet.setGate(kLocal, Gate::Open);
    QVERIFY(fleet.fits(ask(amounts(8))));
}

void TestFleet::leasesAheadGoWhereLeastIsTaken() {
    Fleet fleet;
    fleet.add(kLocal, machine("a", amounts(4), 6));
    fleet.add(MachineId(1), machine("b", amounts(2), 3));
    std::string order;
    for (int i = 0; i < 9; ++i) {
        const auto id = fleet.placeAhead(ask(amounts(1)));
        QVERIFY(id.has_value());
        fleet.take(*id, amounts(1));
        order += std::to_string(id->value);
    }
    QCOMPARE(order, std::string("010010010"));
    QVERIFY(!fleet.placeAhead(ask(amounts(1)))); // no slot is left
}

void TestFleet::theClosestLacksLeast() {
    Fleet fleet = threeMachines();
    QVERIFY(!Fleet().closest(ask(amounts(1))));
    QCOMPARE(fleet.closest(ask(amounts(4))), std::optional(kLocal)); // all have enough, and it most
    fleet.take(kLocal, amounts(7));
    fleet.take(MachineId(1), amounts(2));
    fleet.take(MachineId(2), amounts(1));
    QCOMPARE(fleet.closest(ask(amounts(4))), std::optional(MachineId(2)));
    QCOMPARE(fleet.closest(ask(amounts(8))), std::optional(kLocal)); // the others are too small
}

void TestFleet::theClosestIsRatherOneThatIsOpenAndLargeEnough() {
    Fleet fleet = threeMachines();
    fleet.take(MachineId(1), amounts(4));
    fleet.setGate(kLocal, Gate::Silent);
    fleet.setGate(MachineId(2), Gate::Silent);
    QCOMPARE(fleet.closest(ask(amounts(2))), std::optional(MachineId(1)));
    QCOMPARE(fleet.closest(ask(amounts(6))), std::optional(kLocal)); // shut, and the only one that could
    QCOMPARE(fleet.closest(ask(amounts(9))), std::optional(kLocal)); // too small, and the least so
}

void TestFleet::whatIsKeptOnOneMachineLeavesTheOthersFree() {
    Fleet fleet = threeMachines();
    fleet.take(kLocal, amounts(4));
    const Resources large = amounts(8);
    QVERIFY(fleet.leaves(ask(amounts(1)), kLocal, large)); // it goes to another one
    QVERIFY(!fleet.leavesThere(kLocal, amounts(1), large));
    QVERIFY(fleet.leavesThere(kLocal, amounts(0, 100), large));
    fleet.take(MachineId(1), amounts(4));
    fleet.take(MachineId(2), amounts(4));
    QVERIFY(!fleet.leaves(ask(amounts(1)), kLocal, large)); // there is room on that one only
    fleet.take(kLocal, amounts(4));
    QVERIFY(fleet.leaves(ask(amounts(1)), kLocal, large));  // there is none: it may wait for another one
    QVERIFY(!fleet.leaves(ask(amounts(5)), kLocal, large)); // that one it could wait for only
}

void TestFleet::anIdleFleetHasTheSameMachines() {
    Fleet fleet = threeMachines();
    fleet.take(kLocal, amounts(8));
    fleet.setGate(MachineId(1), Gate::Paused);
    const Fleet idle = fleet.idle();
    QCOMPARE(text(idle.why(ask(amounts(1)))), std::string("a:none b:paused c:none"));
    QCOMPARE(idle.roomFor(kLocal, ask(amounts(1))), 8u);
    QCOMPARE(fleet.usedOf(kLocal)->milliCores, std::int64_t{8'000});
    QCOMPARE(idle.usedOf(kLocal)->milliCores, std::int64_t{0});
    QVERIFY(!idle.totalOf(MachineId(9)) && !idle.usedOf(MachineId(9)));
}

void TestFleet::namedAmountsCount() {
    Fleet fleet;
    fleet.add(MachineId(1), machine("a", amounts(8)));
    fleet.add(MachineId(2), machine("b", amounts(8, 0, 2)));
    QCOMPARE(text(fleet.split(ask(amounts(1, 0, 1)), 9)), std::string("2:2"));
    fleet.take(MachineId(2), amounts(1, 0, 1));
    QCOMPARE(fleet.roomFor(MachineId(2), ask(amounts(1, 0, 1))), 1u);
    fleet.take(MachineId(2), amounts(1, 0, 1));
    QVERIFY(fleet.unfitOf(MachineId(2), ask(amounts(1, 0, 1))) == Unfit::Full);
    fleet.give(MachineId(2), amounts(1, 0, 1));
    QCOMPARE(fleet.roomFor(MachineId(2), ask(amounts(1, 0, 1))), 1u);
    QVERIFY(fleet.unfitOf(MachineId(1), ask(amounts(1, 0, 1))) == Unfit::TooSmall);
}

void TestFleet::whereSaysNamesTagsAndLocal() {
    Fleet fleet = threeMachines();
    Machine tagged = machine("c", amounts(4));
    tagged.tags = {"render", "night"};
    fleet.change(MachineId(2), tagged);
    const auto fits = [&fleet](std::vector<std::string> where) {
        Ask one = ask(amounts(1));
        one.where = std::move(where);
        return text(fleet.split(one, 100));
    };
    QCOMPARE(fits({"local"}), std::string("0:8"));
    QCOMPARE(fits({"a"}), std::string("0:8"));
    QCOMPARE(fits({"tag:night"}), std::string("2:4"));
    QCOMPARE(fits({"b", "tag:render"}), std::string("1:4 2:4"));
    QCOMPARE(fits({"tag:day"}), std::string());
    QCOMPARE(fits({"render"}), std::string());
    QCOMPARE(fits({"any"}), std::string("0:8 1:4 2:4"));
}

void TestFleet::whyIsToldMachineByMachine() {
    Fleet fleet;
    std::uint32_t id = 1;
    const auto add = [&](std::string name, const auto& change) {
        Machine one = machine(std::move(name), amounts(4));
        change(one);
        fleet.add(MachineId(id++), one);
    };
    add("free", [](Machine&) {});
    add("windows", [](Machine& m) { m.platform = "windows-x86_64"; });
    add("strict", [](Machine& m) { m.takesUnsandboxed = false; });
    add("earlier", [](Machine& m) { m.takesWorkers = false; });
    add("small", [](Machine& m) { m.total = amounts(1); });
    add("short", [](Machine& m) { m.lifetime = Duration(1'000); });
    add("kept", [](Machine&) {});
    add("refused", [](Machine& m) { m.gate = Gate::Refused; });
    add("silent", [](Machine& m) { m.gate = Gate::Silent; });
    add("paused", [](Machine& m) { m.gate = Gate::Paused; });
    add("draining", [](Machine& m) { m.gate = Gate::Draining; });
    add("full", [](Machine&) {});
    fleet.take(MachineId(12), amounts(4));
    Ask one = ask(amounts(2));
    one.platform = "linux-x86_64";
    one.isUnsandboxed = true;
    one.isWorker = true;
    one.expected = Duration(2'000);
    one.keptFrom = {MachineId(7)};
    QCOMPARE(text(fleet.why(one)),
             std::string("free:none windows:platform strict:unsandboxed earlier:workers small:too_small "
                         "short:lifetime kept:kept_from "
                         "refused:refused silent:silent paused:paused draining:draining full:full"));
    one.where = {"free"};
    QVERIFY(text(fleet.why(one)).ends_with("full:not_named"));
    one.where = {"free", "nobody", "tag:none", "any"};
    QVERIFY(text(fleet.why(one)).ends_with("full:full nobody:unknown tag:none:unknown"));
    one.where = {"free"};
    QVERIFY(fleet.unfitOf(MachineId(2), one) == Unfit::NotNamed);
    QVERIFY(fleet.unfitOf(MachineId(99), one) == Unfit::NotNamed);
    QCOMPARE(fleet.roomFor(MachineId(99), one), 0u);
}

void TestFleet::aMachineWhereItFailedIsLeftOutWhileAnotherTakesIt() {
    Fleet fleet = threeMachines();
    Ask one = ask(amounts(1));
    one.avoid = kLocal;
    QCOMPARE(text(fleet.split(one, 100)), std::string("1:4 2:4"));
    fleet.take(MachineId(1), amounts(4));
    fleet.take(MachineId(2), amounts(4));
    QCOMPARE(placed(fleet, one), std::string("0"));
}

void TestFleet::leasesAheadTakeMoreThanThereIs() {
    Fleet fleet;
    fleet.add(kLocal, machine("a", amounts(1)));
    for (int i = 0; i < 3; ++i) fleet.take(kLocal, amounts(1));
    QCOMPARE(placed(fleet, ask(amounts(1))), std::string("nowhere"));
    fleet.give(kLocal, amounts(1));
    fleet.give(kLocal, amounts(1));
    QCOMPARE(placed(fleet, ask(amounts(1))), std::string("nowhere"));
    fleet.give(kLocal, amounts(1));
    QCOMPARE(placed(fleet, ask(amounts(1))), std::string("0"));
}

void TestFleet::whatRunsOnAMachineThatIsRemovedIsGivenBackToNobody() {
    Fleet fleet = threeMachines();
    fleet.take(MachineId(1), amounts(2));
    fleet.remove(MachineId(1));
    QVERIFY(!fleet.has(MachineId(1)));
    fleet.give(MachineId(1), amounts(2));
    fleet.take(MachineId(1), amounts(2));
    QCOMPARE(fleet.size(), std::size_t{2});
    QCOMPARE(text(fleet.split(ask(amounts(1)), 100)), std::string("0:8 2:4"));
}

void TestFleet::aChangedMachineKeepsWhatIsInUse() {
    Fleet fleet = threeMachines();
    fleet.take(MachineId(1), amounts(2));
    fleet.change(MachineId(1), machine("b", amounts(6)));
    QCOMPARE(fleet.roomFor(MachineId(1), ask(amounts(1))), 4u);
    fleet.change(MachineId(1), machine("b", amounts(1)));
    QVERIFY(fleet.unfitOf(MachineId(1), ask(amounts(1))) == Unfit::Full);
}

void TestFleet::hundredsOfMachinesAnswerLikeAFew() {
    constexpr std::uint32_t kMany = 300;
    Fleet fleet;
    for (std::uint32_t id = 0; id < kMany; ++id)
        fleet.add(MachineId(id), machine("m", amounts(4 + id % 9, 1'000 + id % 5 * 1'000)));
    fleet.remove(MachineId(7));
    QCOMPARE(fleet.size(), std::size_t{kMany - 1});
    QVERIFY(!fleet.has(MachineId(7)));
    std::mt19937 random(3);
    std::vector<std::pair<MachineId, Resources>> running;
    for (int step = 0; step < 2'000; ++step) {
        const Ask one = ask(amounts(1 + random() % 12, random() % 2 == 0 ? 0 : 500 + random() % 3'000));
        std::int64_t rooms = 0;
        for (std::uint32_t id = 0; id < kMany; ++id) rooms += fleet.roomFor(MachineId(id), one);
        QCOMPARE(fleet.fits(one), rooms > 0);
        const unsigned count = random() % 20 == 0 ? 500 : 1 + random() % 30;
        std::int64_t placed = 0;
        for (const Share& share : fleet.split(one, count)) {
            QVERIFY(share.count <= fleet.roomFor(share.machine, one));
            placed += share.count;
            for (unsigned i = 0; i < share.count; ++i) {
                fleet.take(share.machine, one.need);
                running.emplace_back(share.machine, one.need);
            }
        }
        QCOMPARE(placed, std::min<std::int64_t>(count, rooms));
        const auto closest = fleet.closest(one);
        QVERIFY(closest && (!fleet.fits(one) || fleet.roomFor(*closest, one) > 0));
        for (std::size_t ends = random() % 40; ends > 0 && !running.empty(); --ends) {
            std::swap(running[random() % running.size()], running.back());
            fleet.give(running.back().first, running.back().second);
            running.pop_back();
        }
    }
}

void TestFleet::everFitsLooksAtEmptyMachines() {
    Fleet fleet = threeMachines();
    fleet.take(kLocal, amounts(8));
    QVERIFY(fleet.everFits(ask(amounts(8))));
    QVERIFY(!fleet.everFits(ask(amounts(9))));
    Ask one = ask(amounts(1));
    one.platform = "other";
    QVERIFY(!fleet.everFits(one));
}

void TestFleet::oneMachineIsUsedAsIfItWereAlone() {
    Fleet fleet;
    fleet.add(kLocal, machine("a", amounts(4, 1'000)));
    std::mt19937 random(7);
    std::vector<Resources> running;
    std::int64_t cores = 4'000;
    std::int64_t memory = 1'000;
    for (int i = 0; i < 5'000; ++i) {
        const Resources need = amounts(1 + random() % 5, random() % 600);
        const bool fits = need.milliCores <= cores && need.memoryMb <= memory;
        QCOMPARE(fleet.place(ask(need)).has_value(), fits);
        if (fits) {
            fleet.take(kLocal, need);
            running.push_back(need);
            cores -= need.milliCores;
            memory -= need.memoryMb;
        } else if (!running.empty()) {
            fleet.give(kLocal, running.back());
            cores += running.back().milliCores;
            memory += running.back().memoryMb;
            running.pop_back();
        }
    }
}

void TestFleet::randomBatchesFollowTheModel() {
    struct Plain {
        std::int64_t cores;
        std::int64_t memory;
    };
    struct Running {
        MachineId id;
        Resources need;
    };
    std::mt19937 random(11);
    Fleet fleet;
    std::vector<Plain> plain;
    for (std::uint32_t id = 0; id < 6; ++id) {
        plain.push_back({.cores = 1 + static_cast<std::int64_t>(random() % 16),
                         .memory = static_cast<std::int64_t>(random() % 2'000)});
        fleet.add(MachineId(id), machine("m", amounts(plain[id].cores, plain[id].memory), 1'000));
    }
    std::vector<Running> running;
    for (int i = 0; i < 4'000; ++i) {
        const std::int64_t cores = 1 + random() % 3;
        const std::int64_t memory = 1 + random() % 300;
        const unsigned count = random() % 30;
        std::int64_t all = 0;
        std::vector<std::int64_t> rooms;
        for (const Plain& one : plain) {
            rooms.push_back(std::min(one.cores / cores, one.memory / memory));
            all += rooms.back();
        }
        const std::vector<Share> shares = fleet.split(ask(amounts(cores, memory)), count);
        const std::int64_t expected = std::min<std::int64_t>(count, all);
        std::int64_t sum = 0;
        for (const Share& share : shares) {
            const std::int64_t room = rooms[share.machine.value];
            // In proportion: off by less than one, and never over the room.
            QVERIFY(share.count >= 1 && share.count <= room);
            QVERIFY(std::abs(static_cast<std::int64_t>(share.count) * all - expected * room) < all);
            sum += share.count;
            for (unsigned n = 0; n < share.count; ++n) {
                fleet.take(share.machine, amounts(cores, memory));
                running.push_back({.id = share.machine, .need = amounts(cores, memory)});
            }
            plain[share.machine.value].cores -= cores * share.count;
            plain[share.machine.value].memory -= memory * share.count;
        }
        QCOMPARE(sum, expected);
        std::ranges::shuffle(running, random);
        for (std::size_t ends = running.empty() ? 0 : random() % (running.size() + 1); ends > 0; --ends) {
            const Running end = running.back();
            running.pop_back();
            fleet.give(end.id, end.need);
            plain[end.id.value].cores += end.need.milliCores / 1'000;
            plain[end.id.value].memory += end.need.memoryMb;
        }
    }
}

QTEST_APPLESS_MAIN(TestFleet)
#include "tst_fleet.moc"
