// How many slots an engine has, by cores and by the files that a process may open.
#include "core/engine/kernel/slot_plan.h"

#include "tests/support/show_strings.h"

#include <QTest>

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr std::uint64_t kPlenty = 1'000'000;

/// "4 for one core, 252 others, 16 warm".
std::string text(const Result<SlotPlan>& plan) {
    if (!plan) return plan.error().message;
    return fmt::format("{} for one core, {} others, {} warm", plan->core, plan->shared, plan->warm);
}

unsigned poolOf(std::int64_t setting, int cores, int warmSlots) {
    Settings settings;
    settings.poolMax = setting;
    return poolOptions(settings, cores, warmSlots).max;
}

} // namespace

class TestSlotPlan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachCoreHasOneAndTheOthersAreForWhatTakesLess() {
        const auto plan = planSlots(4, 256, kPlenty);
        QCOMPARE(text(plan), "4 for one core, 252 others, 16 warm");
        QCOMPARE(plan->limit, "");
        QCOMPARE(plan->ofThisMachine(), 272);
    }
    void guestsGetAsManyAsTheEnginesOwnWhereThereIsRoom() {
        auto plan = planSlots(4, 256, kPlenty);
        QCOMPARE(plan->guests, 0);
        addGuestSlots(*plan, kPlenty);
        QCOMPARE(plan->guests, 20);
        QCOMPARE(plan->ofThisMachine(), 292);
        auto few = planSlots(40, 256, 256);
        const int others = few->ofThisMachine();
        addGuestSlots(*few, 256);
        QVERIFY(few->guests >= 0 && few->guests < 56);
        QCOMPARE(few->ofThisMachine(), others + few->guests);
    }
    void howeverFewAreAskedForSixteenAreForWhatTakesLess() {
        QCOMPARE(text(planSlots(4, 0, kPlenty)), "4 for one core, 16 others, 16 warm");
        QCOMPARE(text(planSlots(300, 256, kPlenty)), "300 for one core, 16 others, 256 warm");
    }
    void moreCoresThanTheFileOfSlotsHasAreSaid() {
        const auto plan = planSlots(5'000, 256, std::nullopt);
        QCOMPARE(text(plan), "3824 for one core, 16 others, 256 warm");
        QCOMPARE(plan->limit, "an engine runs at most 3824 actions of one core at once");
        QCOMPARE(text(planSlots(5'000, 256, kPlenty)), text(plan));
    }
    void whereFewFilesMayBeOpenThereAreFewerOfAllKinds() {
        const auto plan = planSlots(40, 256, 256);
        QCOMPARE(text(plan), "13 for one core, 8 others, 6 warm");
        QCOMPARE(plan->limit, "a process may open only 256 files here: raise the hard limit (ulimit -Hn) for more");
    }
    void theFewestFilesAreEnoughForAFew() {
        QCOMPARE(text(planSlots(4, 256, 128)), "4 for one core, 3 others, 2 warm");
    }
    void fewerFilesThanThatAreRefusedWithWhatToDo() {
        const auto plan = planSlots(4, 256, 127);
        QVERIFY(!plan);
        QCOMPARE(plan.error().kind, ErrorKind::Invalid);
        QCOMPARE(text(plan), "A process may open only 127 files here, and it takes 128: raise the hard limit "
                             "(ulimit -Hn), then start again.");
    }
    void hooksHaveASlotEachAndOneMore() {
        auto plan = planSlots(4, 256, kPlenty);
        const int before = plan->ofThisMachine();
        addHookSlots(*plan, 0, kPlenty);
        QCOMPARE(plan->hooks, 2); // programs may come later
        plan->hooks = 0;
        addHookSlots(*plan, 3, kPlenty);
        QCOMPARE(plan->hooks, 4);
        QCOMPARE(plan->ofThisMachine(), before + 4);
        QCOMPARE(plan->firstOfHooks(), before);
        plan->hooks = 0;
        addHookSlots(*plan, 64, kPlenty);
        QCOMPARE(plan->hooks, 16);
    }
    void whereFewFilesMayBeOpenOtherWorkGivesWayToHooks() {
        auto plan = planSlots(4, 256, 128);
        const int before = plan->ofThisMachine();
        addHookSlots(*plan, 0, 128);
        QCOMPARE(plan->ofThisMachine(), before + plan->hooks); // none gives way to what may come
        QVERIFY(plan->hooks <= 2);
        plan->hooks = 0;
        addHookSlots(*plan, 1, 128);
        QCOMPARE(plan->hooks, 2);
        QVERIFY(plan->shared >= 1);
        QVERIFY(plan->ofThisMachine() <= before + 1);
    }
    void coresOfOtherMachinesTakeNoSlotsHere() {
        SlotPlan plan{.core = 4, .shared = 16, .warm = 8, .beside = 3, .limit = {}};
        QCOMPARE(plan.ofThisMachine(), 28);
        QCOMPARE(plan.oneCore(), 7);
    }
    void thePoolIsAsLargeAsItsSettingOrTwiceTheCores() {
        QCOMPARE(poolOf(5, 4, 100), 5u);
        QCOMPARE(poolOf(0, 4, 100), 8u);
        QCOMPARE(poolOf(0, 1, 100), 4u);
    }
    void thePoolIsNeverLargerThanItsSlots() {
        QCOMPARE(poolOf(50, 4, 6), 6u);
        QCOMPARE(poolOf(0, 40, 6), 6u);
    }
};

QTEST_GUILESS_MAIN(TestSlotPlan)
#include "tst_slot_plan.moc"
