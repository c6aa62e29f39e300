// Resources that are kept for something large: when it begins, when it is over, when it begins again. What is lacking that
// somebody could give back.
#include "core/session/entrance.h"
#include "core/session/ledger.h"
#include "core/session/reservation.h"
#include "core/session/shortage.h"

#include <QTest>
#include <memory>
#include <utility>

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

Resources cores(int count, std::int64_t memoryMb = 0) {
    return Machine::cores(count, memoryMb);
}

/// A machine of four cores, 1,000 MiB and two licences; actions wait there, each of a class of its own.
struct Short {
    Short() {
        (void)service.moveTo(SessionState::Ready);
        queue = ledger.addQueue(QueueId(7), {});
    }
    void wait(std::uint32_t cls, const Resources& need) {
        ledger.order().defineClass(ClassId(cls), need, {}, {}, {});
        NewAction action;
        action.lsn = Lsn(cls);
        action.queue = QueueId(7);
        action.cls = ClassId(cls);
        action.submitTime = cls;
        entrance.wake(entrance.make(action, queue));
    }
    const Reservation& kept() { return ledger.order().reservation(); }

    MachineCapacity capacity{Resources{.milliCores = 4'000, .memoryMb = 1'000, .named = {{"licence", 2'000}}}};
    ServiceState service;
    Ledger ledger{capacity};
    Entrance entrance{ledger};
    Shortage shortage{ledger.order(), ledger.classes(), capacity, service};
    std::uint32_t queue = kNone;
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
    void whatBecomesFreeIsKeptUnlessSomethingIsKeptAlready();
    void memoryIsLackingWhereNothingElseIs();
    void aNamedResourceIsLackingWhereNothingElseIs();
    void coresAreLackingWhereSomethingMayStart();
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

void TestReservation::whatBecomesFreeIsKeptUnlessSomethingIsKeptAlready() {
    Machine machine;
    machine.kept.keepFor(machine.classes.shapeOf(kLarge));
    QCOMPARE(machine.kept.shape(), machine.classes.shapeOf(kLarge));
    machine.kept.keepFor(machine.classes.shapeOf(kSmall));
    QCOMPARE(machine.kept.shape(), machine.classes.shapeOf(kLarge));
    auto standing = std::make_unique<Standing>(machine.capacity);
    standing->addAttempt(7, Machine::cores(2), fleet::kLocal);
    machine.kept.giveUp(std::move(standing));
    machine.kept.keepFor(machine.classes.shapeOf(kLarge)); // what stood in its way runs
    QVERIFY(!machine.kept.isActive());
    machine.kept.check();
}

void TestReservation::memoryIsLackingWhereNothingElseIs() {
    Short machine;
    QVERIFY(!machine.shortage.isCrowded());
    machine.capacity.take(cores(0, 500), fleet::kLocal);
    machine.wait(1, cores(5, 800)); // it lacks cores, too
    QVERIFY(machine.shortage.isCrowded());
    QCOMPARE(machine.shortage.memoryLack(), 0);
    machine.wait(2, cores(1, 900));
    QCOMPARE(machine.shortage.memoryLack(), 400);
    machine.wait(3, cores(1, 800)); // it lacks less
    QCOMPARE(machine.shortage.memoryLack(), 300);
    machine.shortage.keepForMemoryLack();
    QCOMPARE(machine.kept().shape(), machine.ledger.classes().shapeOf(3));
    machine.wait(4, cores(1, 600));
    QCOMPARE(machine.shortage.memoryLack(), 300); // of the one that it is kept for
    machine.shortage.keepForMemoryLack();
    QCOMPARE(machine.kept().shape(), machine.ledger.classes().shapeOf(3));
}

void TestReservation::aNamedResourceIsLackingWhereNothingElseIs() {
    Short machine;
    machine.capacity.take(Resources{.milliCores = 0, .named = {{"licence", 2'000}}}, fleet::kLocal);
    machine.wait(1, {.milliCores = 5'000, .named = {{"licence", 1'000}}}); // it lacks cores, too
    QVERIFY(machine.shortage.namedLack().empty());
    machine.shortage.keepForNamedLack();
    QVERIFY(!machine.kept().isActive());
    machine.wait(2, {.milliCores = 1'000, .named = {{"licence", 1'000}}});
    QCOMPARE(machine.shortage.namedLack(), "licence");
    QCOMPARE(machine.shortage.memoryLack(), 0);
    machine.shortage.keepForNamedLack();
    QCOMPARE(machine.kept().shape(), machine.ledger.classes().shapeOf(2));
}

void TestReservation::coresAreLackingWhereSomethingMayStart() {
    Short machine;
    machine.capacity.take(cores(4), fleet::kLocal);
    QVERIFY(!machine.shortage.lacksCores());
    machine.wait(1, cores(1));
    QVERIFY(machine.shortage.lacksCores());
    QVERIFY(machine.service.moveTo(SessionState::Paused));
    QVERIFY(!machine.shortage.lacksCores());
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
