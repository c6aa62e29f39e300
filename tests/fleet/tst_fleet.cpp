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
    void namedAmountsCount();
    void whereSaysNamesTagsAndLocal();
    void whyIsToldMachineByMachine();
    void aMachineWhereItFailedIsLeftOutWhileAnotherTakesIt();
    void leasesAheadTakeMoreThanThereIs();
    void whatRunsOnAMachineThatIsRemovedIsGivenBackToNobody();
    void aChangedMachineKeepsWhatIsInUse();
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
    add("small", [](Machine& m) { m.total = amounts(1); });
    add("short", [](Machine& m) { m.lifetime = Duration(1'000); });
    add("kept", [](Machine&) {});
    add("refused", [](Machine& m) { m.gate = Gate::Refused; });
    add("silent", [](Machine& m) { m.gate = Gate::Silent; });
    add("paused", [](Machine& m) { m.gate = Gate::Paused; });
    add("draining", [](Machine& m) { m.gate = Gate::Draining; });
    add("full", [](Machine&) {});
    fleet.take(MachineId(11), amounts(4));
    Ask one = ask(amounts(2));
    one.platform = "linux-x86_64";
    one.isUnsandboxed = true;
    one.expected = Duration(2'000);
    one.keptFrom = {MachineId(6)};
    QCOMPARE(
        text(fleet.why(one)),
        std::string("free:none windows:platform strict:unsandboxed small:too_small short:lifetime kept:kept_from "
                    "refused:refused silent:silent paused:paused draining:draining full:full"));
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
