// Resources for something that is no attempt: who gets them, and who waits for whom.
#include "core/session/entrance.h"
#include "core/session/ledger.h"
#include "core/session/resource_holds.h"

#include <QTest>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

Resources cores(int count, std::int64_t memoryMb = 0) {
    return {.milliCores = 1'000 * count, .memoryMb = memoryMb, .named = {}};
}

struct House {
    MachineCapacity capacity{cores(4, 1'000)};
    Ledger ledger{capacity};
    ResourceHolds holds{capacity, ledger.order()};
    Outbox out;
};

} // namespace

class TestResourceHolds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsFreeIsTakenAtOnce();
    void whoWaitsGetsItInTheOrderOfAsking();
    void whoNeedsSomethingElseGoesPastWhoWaits();
    void whoAsksForMoreThanThereIsKeepsNobodyWaiting();
    void aWishIsTakenBack();
    void coresAreTold();
    void aLockOfAnotherEngineIsNotOurs();
};

void TestResourceHolds::whatIsFreeIsTakenAtOnce() {
    House house;
    QVERIFY(house.holds.take(1, cores(3)));
    QVERIFY(!house.capacity.fits(cores(2)));
    QCOMPARE(house.holds.held().size(), std::size_t{1});
    QVERIFY(!house.holds.letGo(1));
    QVERIFY(house.capacity.fits(cores(4)));
    QVERIFY(house.holds.held().empty());
}

void TestResourceHolds::whoWaitsGetsItInTheOrderOfAsking() {
    House house;
    QVERIFY(house.holds.take(1, cores(3)));
    QVERIFY(!house.holds.take(2, cores(4)));
    QVERIFY(!house.holds.take(3, cores(1)));
    house.holds.grant(house.out);
    QVERIFY(house.out.granted.empty());
    const auto wait = house.holds.waitOf(3);
    QVERIFY(wait);
    QCOMPARE(wait->behind, std::optional<HoldKey>(2));
    QVERIFY(house.holds.letGo(1));
    house.holds.grant(house.out);
    QCOMPARE(house.out.granted, std::vector<HoldKey>{2});
    QVERIFY(!house.holds.waitOf(2));
}

void TestResourceHolds::whoNeedsSomethingElseGoesPastWhoWaits() {
    House house;
    QVERIFY(house.holds.take(1, cores(0, 800)));
    QVERIFY(!house.holds.take(2, cores(0, 500)));
    QVERIFY(house.holds.take(3, cores(2)));
}

void TestResourceHolds::whoAsksForMoreThanThereIsKeepsNobodyWaiting() {
    House house;
    QVERIFY(!house.holds.everFits(cores(5)));
    QVERIFY(house.holds.everFits(cores(4)));
    QVERIFY(!house.holds.take(1, cores(5)));
    QVERIFY(!house.holds.wantsCores());
    QVERIFY(!house.holds.take(2, {.milliCores = 1'000, .memoryMb = 0, .named = {{"gpus", 1'000}}}));
    QVERIFY(!house.holds.wantsCores());
    QVERIFY(house.holds.take(3, cores(4)));
    house.holds.grant(house.out);
    QVERIFY(house.out.granted.empty());
}

void TestResourceHolds::aWishIsTakenBack() {
    House house;
    QVERIFY(house.holds.take(1, cores(4)));
    QVERIFY(!house.holds.take(2, cores(4)));
    QVERIFY(house.holds.letGo(2));
    QVERIFY(!house.holds.waitOf(2));
    QVERIFY(!house.holds.letGo(1));
    house.holds.grant(house.out);
    QVERIFY(house.out.granted.empty());
}

void TestResourceHolds::coresAreTold() {
    House house;
    QVERIFY(house.holds.take(1, cores(0, 100)));
    QVERIFY(!house.holds.hasCores());
    QVERIFY(house.holds.take(2, cores(4)));
    QVERIFY(house.holds.hasCores());
    QVERIFY(!house.holds.wantsCores());
    QVERIFY(!house.holds.take(3, cores(1)));
    QVERIFY(house.holds.wantsCores());
}

void TestResourceHolds::aLockOfAnotherEngineIsNotOurs() {
    House house;
    house.ledger.order().defineClass(ClassId(1), cores(1), {LockId(5)}, {}, {});
    const std::uint32_t queue = house.ledger.addQueue(QueueId(7), {});
    NewAction action;
    action.lsn = Lsn(1);
    action.queue = QueueId(7);
    action.cls = ClassId(1);
    Entrance entrance(house.ledger);
    house.holds.setLockElsewhere(LockId(5), true);
    entrance.wake(entrance.make(action, queue));
    int budget = 10;
    QVERIFY(!house.ledger.order().pick({}, budget));
    house.holds.setLockElsewhere(LockId(5), false);
    QVERIFY(house.ledger.order().pick({}, budget));
}

QTEST_APPLESS_MAIN(TestResourceHolds)
#include "tst_resource_holds.moc"
