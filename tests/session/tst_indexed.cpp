// Resources whose pieces are told apart: who gets which, that nobody else has them, and that nothing waits for pieces that
// would serve it.
#include "core/session/growing_capacity.h"
#include "core/session/index_pool.h"
#include "core/session/indexed_capacity.h"
#include "core/session/live_views.h"
#include "core/session/machine_commands.h"
#include "core/session/resource_holds.h"
#include "core/session/shortage.h"
#include "core/session/wait_reasons.h"
#include "tests/session/machine.h"

#include <QTest>

#include <map>
#include <random>
#include <string>

using namespace yard;
using namespace yard::session;

namespace {

using Pieces = std::vector<IndexPool::Index>;

Resources asking(std::int64_t gpus, std::int64_t ports, std::int64_t milliCores = 1'000) {
    Resources need{.milliCores = milliCores, .memoryMb = 0, .named = {}};
    if (gpus > 0) need.named.emplace_back("gpus", gpus);
    if (ports > 0) need.named.emplace_back("port", ports);
    return need;
}

fleet::Machine machineOf(std::string name, const Resources& total) {
    fleet::Machine machine;
    machine.name = std::move(name);
    machine.platform = "linux";
    machine.total = total;
    machine.slots = machine.otherSlots = 64;
    return machine;
}

constexpr std::int64_t kGpuMb = 4'000;

Resources with(std::int64_t gpuMemoryMb, Resources need) {
    need.gpuMemoryMb = gpuMemoryMb;
    return need;
}

/// Two GPUs and four ports.
std::unique_ptr<Capacity> indexed(std::int64_t cores) {
    const ResourceNames names = {{"gpus", {"0", "1"}}, {"port", {"5000", "5001", "5002", "5003"}}};
    return std::make_unique<IndexedCapacity>(
        std::make_unique<GrowingCapacity>(machineOf("local", asking(2'000, 4'000, 1'000 * cores))), names,
        std::vector<std::int64_t>{kGpuMb, kGpuMb});
}

struct Yard : test::Machine {
    explicit Yard(int cores = 16)
        : Machine(indexed(cores), {.slotCount = cores, .aheadPerSlot = 0}) {}
    /// What it was given, as "gpus 0 port 5000,5001"; empty: nothing, or it does not run.
    std::string given(Lsn of) const { return listed(session.views().givenTo(of)); }
    Lsn start(std::uint32_t cls) {
        const Lsn made = submit(0, 0, cls);
        schedule();
        return made;
    }
    void end(Lsn of) {
        const auto at = std::ranges::find(running, of, &Start::lsn);
        QVERIFY(at != running.end());
        completeAt(static_cast<std::size_t>(at - running.begin()));
    }
};

} // namespace

class TestIndexed : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // --- a pool
    void wholePiecesAreTheFirstThatAreFree();
    void partsFillTheFullestPieceThatHasEnough();
    void moreThanOneIsWhole();
    void aLostPieceIsGivenToNobody();
    void memoryIsAskedOfEachPiece();
    // --- the session
    void eachAttemptGetsItsOwn();
    void whatAsksForNoneGetsNone();
    void partsThatAreLeftOnTwoPiecesServeNoWhole();
    void aRetryAndAKeptAttemptGiveTheirsBack();
    void aHoldHasPiecesToo();
    void anAttemptOfAGateTakesPiecesAndNoCores();
    void whatAGateServesKeepsItsTurnForAPiece();
    void whatLacksOnePieceAloneIsNamed();
    void whatWaitsForAPieceAsWellDoesNotLackCoresAlone();
    void whatIsNeverWholeNeverFits();
    void whatWaitsSaysHowManyFit();
    void whatWaitsForLostPiecesLacksThem();
    void whatWaitsForMemoryLacksThat();
    void anotherMachineCountsOnly();
    void aWholePieceIsKeptForWhoWasPassedOver();
    void nobodyEverHasWhatAnotherHas();
};

void TestIndexed::wholePiecesAreTheFirstThatAreFree() {
    IndexPool pool(3);
    QCOMPARE(pool.take(2'000), (Pieces{0, 1}));
    QCOMPARE(pool.take(1'000), (Pieces{2}));
    QVERIFY(!pool.fits(1'000) && !pool.fits(1));
    pool.give(Pieces{0, 1}, 2'000);
    QVERIFY(pool.fits(2'000) && !pool.fits(3'000) && pool.everFits(3'000) && !pool.everFits(4'000));
}

void TestIndexed::partsFillTheFullestPieceThatHasEnough() {
    IndexPool pool(2);
    QCOMPARE(pool.take(600), (Pieces{0}));
    QCOMPARE(pool.take(500), (Pieces{1}));
    QCOMPARE(pool.take(400), (Pieces{0}));
    QCOMPARE(pool.take(300), (Pieces{1}));
    QVERIFY(!pool.fits(300) && pool.fits(200));
    QCOMPARE(pool.fitting(200), std::size_t{1});
}

void TestIndexed::moreThanOneIsWhole() {
    QVERIFY(IndexPool::isAmount(1) && IndexPool::isAmount(999) && IndexPool::isAmount(1'000));
    QVERIFY(IndexPool::isAmount(3'000) && !IndexPool::isAmount(1'500) && !IndexPool(4).everFits(1'500));
}

void TestIndexed::aLostPieceIsGivenToNobody() {
    IndexPool pool(2);
    QCOMPARE(pool.take(1'000), (Pieces{0}));
    pool.setLost(0, true);
    pool.give(Pieces{0}, 1'000);
    QCOMPARE(pool.take(1'000), (Pieces{1}));
    QVERIFY(!pool.fits(500) && pool.everFits(2'000) && pool.size() == 1);
    pool.setLost(0, false);
    QCOMPARE(pool.take(500), (Pieces{0}));
}

void TestIndexed::memoryIsAskedOfEachPiece() {
    IndexPool pool(2, {100, 200});
    QVERIFY(pool.everFits({1'000, 200}) && !pool.everFits({2'000, 200}) && pool.everFits({2'000, 100}));
    QCOMPARE(pool.take({250, 80}), (Pieces{0}));
    QCOMPARE(pool.take({250, 80}), (Pieces{1})); // the first has room for it, and not so much memory
    QCOMPARE(pool.take(250), (Pieces{0}));       // who asks for none takes none
    QCOMPARE(pool.fitting({250, 120}), std::size_t{1});
    QVERIFY(!pool.fits({250, 121}));
    pool.give(Pieces{1}, {250, 80});
    QCOMPARE(pool.take({1'000, 200}), (Pieces{1}));
    QVERIFY(!IndexPool(2).everFits({1'000, 1})); // nobody knows what they have
}

void TestIndexed::eachAttemptGetsItsOwn() {
    Yard yard;
    yard.session.defineClass(ClassId(1), asking(1'000, 2'000));
    const Lsn first = yard.start(1), second = yard.start(1), third = yard.start(1);
    QCOMPARE(yard.given(first), "gpus 0 port 5000,5001");
    QCOMPARE(yard.given(second), "gpus 1 port 5002,5003");
    QVERIFY(!yard.hasStarted(third));
    yard.end(first);
    QCOMPARE(yard.given(first), "");
    yard.schedule();
    QCOMPARE(yard.given(third), "gpus 0 port 5000,5001");
    yard.session.check();
}

void TestIndexed::whatAsksForNoneGetsNone() {
    Yard yard;
    QCOMPARE(yard.given(yard.start(0)), "");
    QCOMPARE(yard.running.size(), std::size_t{1});
}

void TestIndexed::partsThatAreLeftOnTwoPiecesServeNoWhole() {
    Yard yard;
    yard.session.defineClass(ClassId(1), asking(600, 0));
    yard.session.defineClass(ClassId(2), asking(400, 0));
    yard.session.defineClass(ClassId(3), asking(1'000, 0));
    const Lsn first = yard.start(1), second = yard.start(1);
    const Lsn small = yard.start(2), other = yard.start(2);
    QCOMPARE(yard.given(first) + yard.given(second), "gpus 0gpus 1");
    QCOMPARE(yard.given(small) + yard.given(other), "gpus 0gpus 1");
    yard.end(first);
    yard.end(other);
    const Lsn whole = yard.start(3); // 0.6 and 0.4 are free
    QVERIFY(!yard.hasStarted(whole));
    yard.end(small);
    yard.schedule();
    QCOMPARE(yard.given(whole), "gpus 0");
}

void TestIndexed::aRetryAndAKeptAttemptGiveTheirsBack() {
    Yard yard;
    yard.session.defineClass(ClassId(1), asking(0, 4'000));
    const Lsn first = yard.start(1), second = yard.start(1);
    yard.session.events().running(first, 1, yard.out);
    yard.session.events().keeping(first, 1); // its tree is gone, its outputs are on their way
    QCOMPARE(yard.given(first), "");
    yard.schedule();
    QCOMPARE(yard.given(second), "port 5000,5001,5002,5003");
    yard.end(first);
    QCOMPARE(yard.given(second), "port 5000,5001,5002,5003");
    yard.session.events().returned(second, 1, yard.out);
    yard.running.clear();
    QCOMPARE(yard.given(second), "");
    yard.schedule();
    QCOMPARE(yard.given(second), "port 5000,5001,5002,5003");
    yard.session.check();
}

void TestIndexed::aHoldHasPiecesToo() {
    Yard yard;
    QVERIFY(yard.session.holds().take(7, asking(1'000, 0, 0)));
    yard.session.defineClass(ClassId(1), asking(1'000, 0));
    QCOMPARE(yard.given(yard.start(1)), "gpus 1");
    const Lsn waits = yard.start(1);
    QVERIFY(!yard.hasStarted(waits));
    QVERIFY(yard.session.holds().letGo(7));
    yard.schedule();
    QCOMPARE(yard.given(waits), "gpus 0");
}

void TestIndexed::anAttemptOfAGateTakesPiecesAndNoCores() {
    Yard yard(1);
    Resources need = asking(1'000, 1'000);
    need.memoryMb = 1'000'000; // its process has them
    yard.session.defineClass(ClassId(1), need, {}, GateId(0));
    yard.session.setGate(GateId(0), 3);
    const Lsn first = yard.start(1), second = yard.start(1), third = yard.start(1);
    QCOMPARE(yard.given(first), "gpus 0 port 5000");
    QCOMPARE(yard.given(second), "gpus 1 port 5001");
    QVERIFY(!yard.hasStarted(third)); // there is a place for it, and no GPU
    const auto wait = yard.session.reasons().of(third, false);
    QVERIFY(wait && wait->needs.size() == 3);
    QCOMPARE(wait->needs[0].resource, "warm");
    QCOMPARE(wait->needs[1].resource, "gpus");
    QVERIFY(!wait->needs[0].isLacking() && wait->needs[1].isLacking() && !wait->needs[2].isLacking());
    QVERIFY(yard.hasStarted(yard.start(0))); // the core is free
    yard.end(first);
    yard.schedule();
    QCOMPARE(yard.given(third), "gpus 0 port 5000");
    const std::vector<ResourceHolder> holders = yard.session.reasons().holders("port", 8);
    QCOMPARE(holders.size(), std::size_t{2});
}

void TestIndexed::whatAGateServesKeepsItsTurnForAPiece() {
    Yard yard;
    yard.session.defineClass(ClassId(1), asking(2'000, 0), {}, GateId(0));
    yard.session.setGate(GateId(0), 1);
    yard.session.defineClass(ClassId(2), asking(1'000, 0));
    yard.start(2);
    yard.start(2);
    const Lsn both = yard.start(1);
    // Others that need one each pass it over, until both are kept for it.
    for (int i = 0; i < 3'000 && !yard.hasStarted(both); ++i) {
        yard.start(2);
        yard.end(yard.running.front().lsn);
        yard.schedule();
    }
    QVERIFY(yard.hasStarted(both));
    QCOMPARE(yard.given(both), "gpus 0,1");
}

void TestIndexed::whatLacksOnePieceAloneIsNamed() {
    Yard yard(2);
    yard.session.defineClass(ClassId(1), asking(1'000, 0));
    QVERIFY(yard.session.holds().take(7, asking(2'000, 0, 0)));
    const Lsn waits = yard.start(1);
    QCOMPARE(yard.session.shortage().namedLack(), "gpus");
    yard.session.shortage().keepForNamedLack();
    QVERIFY(yard.session.holds().letGo(7));
    QVERIFY(!yard.session.holds().take(8, asking(2'000, 0, 0))); // what becomes free is kept for who waited
    yard.schedule();
    QVERIFY(yard.hasStarted(waits));
    QVERIFY(yard.session.shortage().namedLack().empty());
}

void TestIndexed::whatWaitsForAPieceAsWellDoesNotLackCoresAlone() {
    Yard yard(3);
    yard.session.defineClass(ClassId(1), asking(600, 0));
    yard.session.defineClass(ClassId(2), asking(700, 0));
    yard.start(1);
    yard.start(1);
    QVERIFY(yard.session.holds().take(7, asking(0, 0)));
    yard.start(2); // 0.4 and 0.4 are free
    QVERIFY(!yard.session.shortage().lacksCores());
    yard.start(0);
    QVERIFY(yard.session.shortage().lacksCores());
}

void TestIndexed::whatIsNeverWholeNeverFits() {
    Yard yard;
    yard.session.defineClass(ClassId(1), asking(1'500, 0));
    yard.session.defineClass(ClassId(2), asking(2'000, 0));
    QVERIFY(!yard.session.everFits(ClassId(1)) && yard.session.everFits(ClassId(2)));
    QVERIFY(!yard.session.needs(ClassId(1)).back().isAmount);
}

void TestIndexed::whatWaitsSaysHowManyFit() {
    Yard yard;
    yard.session.defineClass(ClassId(1), asking(400, 0));
    yard.session.defineClass(ClassId(2), asking(2'000, 0));
    (void)yard.start(1);
    const auto wait = yard.session.reasons().of(yard.start(2), false);
    QVERIFY(wait);
    const ResourceNeed& gpus = wait->needs.back();
    QCOMPARE(gpus.pieces, std::size_t{2});
    QCOMPARE(gpus.fitting, std::size_t{1});
    QVERIFY(gpus.isLacking());
    QVERIFY(!wait->needs.front().isLacking()); // cores
}

void TestIndexed::whatWaitsForLostPiecesLacksThem() {
    Yard yard;
    for (const char* gpu : {"0", "1"}) yard.session.machines().setPieceLost("gpus", gpu, true);
    yard.session.machines().setPieceLost("gpus", "7", true); // there is none
    yard.session.machines().setPieceLost("licence", "0", true);
    QCOMPARE(yard.session.machines().freePieces("gpus"), std::optional<std::int64_t>(0));
    QVERIFY(!yard.session.machines().freePieces("licence"));
    yard.session.defineClass(ClassId(1), asking(1'000, 0));
    QVERIFY(yard.session.everFits(ClassId(1))); // they may come back
    const Lsn waits = yard.start(1);
    QVERIFY(!yard.hasStarted(waits));
    QVERIFY(yard.session.reasons().of(waits, false)->needs.back().isLacking());
    yard.session.machines().setPieceLost("gpus", "1", false);
    QCOMPARE(yard.session.machines().freePieces("gpus"), std::optional<std::int64_t>(1'000));
    yard.schedule();
    QCOMPARE(yard.given(waits), "gpus 1");
    QCOMPARE(yard.session.machines().freePieces("gpus"), std::optional<std::int64_t>(0));
    yard.session.machines().setPieceLost("gpus", "1", true); // it has it still: that is not counted twice
    yard.session.machines().setPieceLost("gpus", "0", false);
    QCOMPARE(yard.session.machines().freePieces("gpus"), std::optional<std::int64_t>(1'000));
}

void TestIndexed::whatWaitsForMemoryLacksThat() {
    Yard yard;
    yard.session.defineClass(ClassId(1), with(3'000, asking(500, 0)));
    const Lsn first = yard.start(1);
    QCOMPARE(yard.given(first), "gpus 0");
    QCOMPARE(yard.given(yard.start(1)), "gpus 1");
    const Lsn waits = yard.start(1);
    QVERIFY(!yard.hasStarted(waits));
    const auto wait = yard.session.reasons().of(waits, false);
    QVERIFY(wait);
    const ResourceNeed& gpus = wait->needs.back();
    QVERIFY(gpus.isLacking() && gpus.lacksMemory && !gpus.isTooLarge);
    QCOMPARE(gpus.memory, 3'000);
    QCOMPARE(gpus.fitting, std::size_t{0});
    yard.end(first);
    yard.schedule();
    QCOMPARE(yard.given(waits), "gpus 0");
    yard.session.defineClass(ClassId(3), with(5'000, asking(500, 0)));
    QVERIFY(!yard.session.everFits(ClassId(3)));
    QVERIFY(yard.session.needs(ClassId(3)).back().isTooLarge);
    yard.session.check();
}

void TestIndexed::anotherMachineCountsOnly() {
    Yard yard;
    yard.session.defineClass(ClassId(1), asking(1'000, 0));
    yard.session.machines().add(MachineId(1), machineOf("m1", asking(1'000, 0, 4'000)));
    for (int i = 0; i < 4; ++i) yard.submit(0, 0, 1);
    yard.schedule();
    QCOMPARE(yard.running.size(), std::size_t{3});
    std::multiset<std::string> given;
    for (const Start& start : yard.running)
        given.insert(start.machine == fleet::kLocal ? yard.given(start.lsn) : "elsewhere" + yard.given(start.lsn));
    QCOMPARE(given, (std::multiset<std::string>{"elsewhere", "gpus 0", "gpus 1"}));
    yard.session.check();
}

/// Two of a half on each piece by turns would never leave a whole one.
void TestIndexed::aWholePieceIsKeptForWhoWasPassedOver() {
    Yard yard;
    yard.session.setReserve(Duration{3'600'000'000});
    yard.session.defineClass(ClassId(1), asking(500, 0));
    yard.session.defineClass(ClassId(2), asking(1'000, 0));
    for (int i = 0; i < 4; ++i) (void)yard.start(1);
    const Lsn whole = yard.start(2);
    for (int i = 0; i < 200 && !yard.hasStarted(whole); ++i) {
        yard.now += Duration{1'000'000};
        if (yard.running.size() < 5) yard.submit(0, 1, 1);
        yard.completeAt(static_cast<std::size_t>(i) % yard.running.size());
        yard.schedule();
    }
    QVERIFY(yard.hasStarted(whole));
}

namespace {

/// Who has how much of which piece, in the plainest way.
class PlainModel {
public:
    void take(Lsn who, const Resources& need, const GivenResources& given) {
        QCOMPARE(given.size(), need.named.size());
        for (std::size_t i = 0; i < given.size(); ++i) {
            const auto& [name, amount] = need.named[i];
            QCOMPARE(given[i].resource, name);
            QCOMPARE(std::ssize(given[i].names), std::max<std::int64_t>(amount / 1'000, 1));
            for (const std::string& piece : given[i].names) {
                std::int64_t& used = used_[name][piece];
                used += std::min<std::int64_t>(amount, 1'000);
                QVERIFY2(used <= 1'000, "two have the same piece");
                has_[who].push_back({&used, std::min<std::int64_t>(amount, 1'000)});
                if (name != "gpus") continue;
                std::int64_t& memory = used_["memory"][piece];
                memory += need.gpuMemoryMb;
                QVERIFY2(memory <= kGpuMb, "more of its memory is asked for than it has");
                has_[who].push_back({&memory, need.gpuMemoryMb});
            }
        }
    }
    void give(Lsn who) {
        for (const auto& [used, amount] : has_[who]) *used -= amount;
        has_.erase(who);
    }
    bool fits(const Resources& need) {
        return std::ranges::all_of(need.named, [&](const auto& entry) {
            const std::int64_t amount = std::min<std::int64_t>(entry.second, 1'000);
            std::int64_t free = 0;
            for (const std::string& piece : pieces_.at(entry.first))
                free += used_[entry.first][piece] + amount <= 1'000 &&
                        (entry.first != "gpus" || used_["memory"][piece] + need.gpuMemoryMb <= kGpuMb);
            return free >= std::max<std::int64_t>(entry.second / 1'000, 1);
        });
    }

private:
    const ResourceNames pieces_ = {{"gpus", {"0", "1"}}, {"port", {"5000", "5001", "5002", "5003"}}};
    std::map<std::string, std::map<std::string, std::int64_t>> used_;
    std::map<Lsn, std::vector<std::pair<std::int64_t*, std::int64_t>>> has_;
};

} // namespace

void TestIndexed::nobodyEverHasWhatAnotherHas() {
    const std::vector<Resources> asks = {asking(0, 0),
                                         asking(300, 0),
                                         asking(500, 1'000),
                                         asking(700, 0),
                                         asking(1'000, 0),
                                         asking(2'000, 1'000),
                                         asking(0, 1'000),
                                         asking(0, 3'000),
                                         asking(250, 500),
                                         with(1'500, asking(100, 0)),
                                         with(2'500, asking(250, 1'000)),
                                         with(4'000, asking(1'000, 0)),
                                         with(4'000, asking(2'000, 0))};
    std::mt19937 random(28);
    const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    Yard yard(64);
    yard.session.setReserve(Duration{0});
    for (std::uint32_t cls = 0; cls < asks.size(); ++cls) {
        yard.session.defineClass(ClassId(cls), asks[cls]);
        yard.addQueue(cls + 1); // of its own: no turn of something older is kept
    }
    PlainModel model;
    std::map<Lsn, std::uint32_t> waiting;
    for (int round = 0; round < 4'000; ++round) {
        for (std::size_t i = below(4); i > 0; --i) {
            const auto cls = static_cast<std::uint32_t>(below(asks.size()));
            if (waiting.size() < 40) waiting.emplace(yard.submit(cls + 1, 0, cls), cls);
        }
        yard.now += Duration{1'000'000};
        const std::size_t before = yard.started.size();
        yard.schedule();
        for (std::size_t i = before; i < yard.started.size(); ++i) {
            const Start& start = yard.started[i];
            model.take(start.lsn, asks[start.cls.value], yard.session.views().givenTo(start.lsn));
            if (QTest::currentTestFailed()) return;
            waiting.erase(start.lsn);
        }
        for (const auto& [lsn, cls] : waiting) QVERIFY2(!model.fits(asks[cls]), "it could start, and does not");
        for (std::size_t i = below(5); i > 0 && !yard.running.empty(); --i) {
            const std::size_t which = below(yard.running.size());
            model.give(yard.running[which].lsn);
            yard.completeAt(which);
        }
        if (round % 100 == 0) yard.session.check();
    }
    while (!yard.running.empty()) {
        yard.complete();
        yard.schedule();
    }
    QCOMPARE(yard.session.views().counts().all.active(), 0);
}

QTEST_APPLESS_MAIN(TestIndexed)
#include "tst_indexed.moc"
