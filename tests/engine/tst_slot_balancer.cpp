// Which slot an attempt goes to, by itself: attempts are values, the time is a parameter.
#include "core/engine/running/slot_balancer.h"

#include <QTest>

#include <optional>
#include <string>

using namespace yard;
using namespace yard::engine;
using runners::AttemptId;

namespace {

constexpr Duration kLong{50'000};

class Bench {
public:
    AttemptTable attempts;
    SlotBalancer slots{attempts};
    MonoTime now{Duration{1'000'000}};

    /// One place with as many slots of each kind.
    explicit Bench(unsigned cores, unsigned others = 1) { slots.add({.cores = cores, .others = others}); }

    /// The slot of one more; -1: there is none.
    int take(std::int64_t lsn, bool shared = false, std::uint32_t machine = 0) {
        Attempt& attempt = attempts.add({Lsn(lsn), 1});
        attempt.shared = shared;
        attempt.phase = Attempt::Phase::Launched;
        attempt.launched = now;
        const auto slot = slots.take(session::MachineId(machine), shared, now);
        if (!slot) {
            attempts.erase(attempt.id);
            return -1;
        }
        attempt.slot = *slot;
        return static_cast<int>(slot->value);
    }
    Attempt& at(std::int64_t lsn) { return *attempts.get({Lsn(lsn), 1}); }
    void begin(std::int64_t lsn) {
        at(lsn).runningSince = now;
        slots.began(at(lsn), now);
    }
    void end(std::int64_t lsn) {
        slots.leave(at(lsn));
        slots.ended(at(lsn));
    }
    void forget(std::int64_t lsn) {
        slots.leaveLane(at(lsn));
        attempts.erase({Lsn(lsn), 1});
    }
    /// LSNs of those that are asked back.
    std::string misplaced() {
        std::string text;
        for (const AttemptId id : slots.misplaced(now)) text += std::to_string(id.lsn.value) + " ";
        return text;
    }
};

} // namespace

class TestSlotBalancer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- which slot

    void whatTheMachineHadBeforeHasASlotThoughItIsFullOrAcceptsNothing() {
        Bench b(1);
        bool accepts = false;
        const session::MachineId there = b.slots.add(
            {.first = 2, .cores = 2, .others = 1, .isElsewhere = true, .isAccepting = [&] { return accepts; }});
        QVERIFY(!b.slots.take(there, false, b.now));
        QCOMPARE(b.slots.takeOver(there, false).value, 2u);
        QCOMPARE(b.slots.takeOver(there, false).value, 3u);
        QCOMPARE(b.slots.takeOver(there, true).value, 4u);
        QCOMPARE(b.slots.takeOver(there, true).value, 2u); // beside another one: there is none of its kind
        QCOMPARE(b.slots.ownNumber(there, SlotId(4)).value, 2u);
        QCOMPARE(b.slots.processes(), std::size_t{4});
    }

    void eachGetsTheSlotWithLeastToDo() {
        Bench b(2);
        QCOMPARE(b.take(1), 0);
        QCOMPARE(b.take(2), 1);
        QCOMPARE(b.take(3), 0);
        b.end(2);
        QCOMPARE(b.take(4), 1);
        QCOMPARE(b.slots.processes(), std::size_t{3});
        QCOMPARE(b.slots.busyCoreSlots(), std::ptrdiff_t{2});
    }

    void nothingGoesBehindWhatRunsLong() {
        Bench b(2);
        b.take(1);
        b.begin(1);
        b.take(2);
        b.begin(2);
        b.end(2);
        b.now += kLong;
        QCOMPARE(b.take(3), 1);
        QCOMPARE(b.take(4), 1); // although slot 0 has as little to do
    }

    void whatTakesAnotherAmountHasASlotOfItsOwn() {
        Bench b(1, 2);
        QCOMPARE(b.take(1, true), 1);
        QCOMPARE(b.take(2, true), 2);
        QCOMPARE(b.take(3, true), -1);
        QCOMPARE(b.take(4), 0);
        b.end(1);
        QCOMPARE(b.take(5, true), 1);
        QCOMPARE(b.slots.busyCoreSlots(), std::ptrdiff_t{1});
    }

    void whatTheRunnerMovedCountsWhereItIs() {
        Bench b(2);
        b.take(1);
        b.take(2);
        b.take(3); // behind 1
        b.end(2);
        b.slots.move(b.at(3), SlotId(1));
        QCOMPARE(b.at(3).slot, SlotId(1));
        b.end(1);
        QCOMPARE(b.take(4), 0);
        b.slots.move(b.at(4), SlotId(17)); // none of ours
        QCOMPARE(b.at(4).slot, SlotId(0));
    }

    // --- several runners

    void eachMachineHasItsOwnSlots() {
        Bench b(1);
        b.slots.add({.first = 10, .cores = 2, .others = 1});
        QCOMPARE(b.take(1, false, 1), 10);
        QCOMPARE(b.take(2, false, 1), 11);
        QCOMPARE(b.take(3, false, 1), 10); // behind the first, although a slot of machine 0 is idle
        QCOMPARE(b.take(4, true, 1), 12);
        QCOMPARE(b.take(5), 0);
        QCOMPARE(b.take(6, false, 2), -1); // there is none of that number
    }

    void aPlaceThatAcceptsNothingGetsNothing() {
        Bench b(1);
        bool accepts = true;
        b.slots.add({.first = 10, .cores = 4, .others = 1, .isAccepting = [&] { return accepts; }});
        QCOMPARE(b.take(1, false, 1), 10);
        accepts = false;
        QCOMPARE(b.take(2, false, 1), -1);
        QCOMPARE(b.take(3, true, 1), -1);
        QCOMPARE(b.take(4), 0);
        accepts = true;
        QCOMPARE(b.take(5, true, 1), 14);
    }

    void numbersBetweenPlacesAreNobodysSlot() {
        Bench b(1, 0);
        b.slots.add({.first = 10, .cores = 1});
        QVERIFY(b.slots.has(SlotId(0)));
        QVERIFY(!b.slots.has(SlotId(1)));
        QVERIFY(!b.slots.has(SlotId(9)));
        QVERIFY(b.slots.has(SlotId(10)));
        QVERIFY(!b.slots.has(SlotId(11)));
    }

    void aPlaceGoesOnceNothingOfItIsInFlight() {
        Bench b(1);
        const session::MachineId there = b.slots.add({.first = 10, .cores = 1});
        QCOMPARE(b.take(1, false, 1), 10);
        b.at(1).machine = there;
        QVERIFY(!b.slots.remove(there));
        b.end(1);
        b.forget(1);
        QVERIFY(b.slots.remove(there));
        QVERIFY(!b.slots.has(SlotId(10)));
        QCOMPARE(b.take(2, false, 1), -1);
        QCOMPARE(b.slots.nextMachine(), session::MachineId(2));
        QCOMPARE(b.slots.add({.first = 10, .cores = 1, .isElsewhere = true}), session::MachineId(2));
        QVERIFY(b.slots.isElsewhere(session::MachineId(2)));
        QVERIFY(!b.slots.isElsewhere(session::MachineId(0)));
        QCOMPARE(b.take(3, false, 2), 10);
    }

    // --- behind a long one

    void whatWaitsBehindALongOneIsAskedBackOnceASlotIsIdle() {
        Bench b(2);
        b.take(1);
        b.take(2);
        b.take(3); // behind 1
        b.begin(1);
        b.begin(2);
        b.now += kLong;
        QCOMPARE(b.misplaced(), ""); // no slot is idle
        b.end(2);
        QCOMPARE(b.misplaced(), "3 ");
        QCOMPARE(b.misplaced(), ""); // it was asked back
    }

    void aShortOneIsGivenItsTime() {
        Bench b(2);
        b.take(1);
        b.take(2);
        b.take(3);
        b.begin(1);
        b.end(2);
        QCOMPARE(b.misplaced(), "");
        QVERIFY(b.slots.nextLook().has_value());
        b.now = *b.slots.nextLook();
        QCOMPARE(b.misplaced(), "3 ");
        QVERIFY(!b.slots.nextLook().has_value());
    }

    void whatRunsIsNotAskedBack() {
        Bench b(2);
        b.take(1);
        b.begin(1);
        b.now += kLong;
        QCOMPARE(b.misplaced(), "");
    }

    // --- what others ask

    void whatIsAloneInItsSlotIsStarting() {
        Bench b(1);
        b.take(1);
        b.now += Duration{1};
        b.take(2);
        QVERIFY(b.slots.isStarting(b.at(1)));
        QVERIFY(!b.slots.isStarting(b.at(2))); // behind the first
        b.begin(1);
        QVERIFY(!b.slots.isStarting(b.at(1)));
        b.end(1);
        b.forget(1);
        QVERIFY(b.slots.isStarting(b.at(2)));
    }

    // --- lanes of the timeline

    void whatIsCollectedKeepsItsLaneUntilTheNextRuns() {
        Bench b(1, 0);
        b.take(1);
        b.begin(1);
        b.end(1);
        b.slots.keepLane(b.at(1));
        QVERIFY(!b.at(1).lane);
        b.take(2);
        b.begin(2);
        QCOMPARE(b.at(1).lane, std::optional(1u)); // above all slots
        b.end(2);
        b.slots.keepLane(b.at(2));
        b.take(3);
        b.begin(3);
        QCOMPARE(b.at(2).lane, std::optional(2u));
        b.forget(1);
        b.end(3);
        b.slots.keepLane(b.at(3));
        b.take(4);
        b.begin(4);
        QCOMPARE(b.at(3).lane, std::optional(1u)); // it is free again
    }
};

QTEST_GUILESS_MAIN(TestSlotBalancer)
#include "tst_slot_balancer.moc"
