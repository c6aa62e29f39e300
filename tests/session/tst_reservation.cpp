// Resources that are kept for something large: when it begins, when it is over, when it begins again.
#include "core/session/reservation.h"

#include <QTest>

using namespace yard;
using namespace yard::session;

namespace {

constexpr std::uint32_t kSmall = 0;
constexpr std::uint32_t kLarge = 1;

/// A machine of four cores, of which two are taken; a small class and a large one, which waits.
struct Machine {
    Machine() {
        classes.define(ClassId(kSmall), cores(1), LockTable::kNoLocks, {}, {});
        classes.define(ClassId(kLarge), cores(4), LockTable::kNoLocks, {}, {});
        listings.growTo(classes.shapes());
        kept.growTo(classes.shapes());
        listings.push(classes.shapeOf(kLarge), {.virtualTime = 0, .queue = 0});
        capacity.take(cores(2), fleet::kLocal);
        kept.setNow(now);
    }
    static Resources cores(int count, std::int64_t memoryMb = 0) {
        return {.milliCores = 1'000 * count, .memoryMb = memoryMb, .named = {}};
    }
    void startSmall(std::uint32_t times) {
        for (std::uint32_t i = 0; i < times; ++i) kept.started(classes.shapeOf(kSmall));
    }
    MachineCapacity capacity{cores(4, 1'000)};
    WorkClasses classes{capacity};
    Listings listings;
    Reservation kept{classes, listings, capacity};
    MonoTime now{Duration{1'000}};
};

} // namespace

class TestReservation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasPassedOverOftenGetsIt();
    void whatWasPassedOverForLongGetsIt();
    void itsStartEndsIt();
    void onlyWhatLeavesItStarts();
    void onceGivenUpItComesBackTwiceAsLongWhenTheWayIsFree();
    void memoryThatIsLackingIsKept();
    void patienceGoesOnElsewhere();
};

void TestReservation::whatWasPassedOverOftenGetsIt() {
    Machine machine;
    machine.startSmall(kPassedOver - 1);
    QVERIFY(!machine.kept.isActive());
    machine.startSmall(1);
    QCOMPARE(machine.kept.shape(), machine.classes.shapeOf(kLarge));
    QCOMPARE(machine.kept.ends(), std::optional(machine.now + kReserve));
    machine.kept.check();
}

void TestReservation::whatWasPassedOverForLongGetsIt() {
    Machine machine;
    machine.startSmall(1);
    machine.kept.setNow(machine.now + kPassedOverFor);
    machine.startSmall(1);
    QVERIFY(machine.kept.isActive());
}

void TestReservation::itsStartEndsIt() {
    Machine machine;
    machine.startSmall(kPassedOver);
    machine.kept.started(machine.classes.shapeOf(kLarge));
    QVERIFY(!machine.kept.isActive());
    QVERIFY(!machine.kept.patienceOf(kLarge));
}

void TestReservation::onlyWhatLeavesItStarts() {
    Machine machine;
    QVERIFY(machine.kept.allows(machine.classes.shapeOf(kSmall)));
    machine.startSmall(kPassedOver);
    QVERIFY(!machine.kept.allows(machine.classes.shapeOf(kSmall)));
    QVERIFY(machine.kept.allows(machine.classes.shapeOf(kLarge)));
    QVERIFY(machine.kept.leaves(Machine::cores(0, 10)));
    machine.kept.end();
    QVERIFY(machine.kept.allows(machine.classes.shapeOf(kSmall)));
}

void TestReservation::onceGivenUpItComesBackTwiceAsLongWhenTheWayIsFree() {
    Machine machine;
    machine.startSmall(kPassedOver);
    auto standing = std::make_unique<Standing>(machine.capacity);
    standing->addAttempt(7, Machine::cores(2), fleet::kLocal);
    machine.kept.giveUp(std::move(standing));
    QVERIFY(!machine.kept.isActive());
    machine.startSmall(kPassedOver);
    machine.kept.renew();
    QVERIFY(!machine.kept.isActive());
    machine.kept.attemptEnded(7, Machine::cores(2));
    machine.kept.renew();
    QVERIFY(machine.kept.isActive());
    QCOMPARE(machine.kept.ends(), std::optional(machine.now + kReserve * 2));
    machine.kept.check();
}

void TestReservation::memoryThatIsLackingIsKept() {
    Machine machine;
    QCOMPARE(machine.kept.memoryLack(), 0); // it lacks cores
    machine.classes.define(ClassId(2), Machine::cores(1, 800), LockTable::kNoLocks, {}, {});
    machine.listings.growTo(machine.classes.shapes());
    machine.kept.growTo(machine.classes.shapes());
    machine.listings.push(machine.classes.shapeOf(2), {.virtualTime = 0, .queue = 0});
    machine.capacity.take(Machine::cores(0, 500), fleet::kLocal);
    QVERIFY(machine.kept.isCrowded());
    QCOMPARE(machine.kept.memoryLack(), 300);
    machine.kept.keepForLack();
    QCOMPARE(machine.kept.shape(), machine.classes.shapeOf(2));
}

void TestReservation::patienceGoesOnElsewhere() {
    Machine machine;
    machine.startSmall(kPassedOver);
    const auto patience = machine.kept.patienceOf(kLarge);
    QVERIFY(patience && patience->reservedSince);
    Machine other;
    other.kept.setPatience(kLarge, *patience, nullptr);
    QCOMPARE(other.kept.shape(), other.classes.shapeOf(kLarge));
    QCOMPARE(other.kept.ends(), machine.kept.ends());
}

QTEST_APPLESS_MAIN(TestReservation)
#include "tst_reservation.moc"
