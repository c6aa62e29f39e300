// What actions ask for: classes, the shapes they share, gates.
#include "core/session/work_classes.h"

#include "core/session/fleet_capacity.h"

#include <QTest>

using namespace yard;
using namespace yard::session;

namespace {

constexpr std::uint32_t kSomeLocks = 0;

Resources milliCores(int amount) {
    return {.milliCores = amount, .named = {}};
}

struct Catalogue {
    void define(std::uint32_t cls, const Resources& resources, std::uint32_t locks = LockTable::kNoLocks,
                std::optional<GateId> gate = {}) {
        classes.define(ClassId(cls), resources, locks, gate, {});
    }
    MachineCapacity capacity{milliCores(100'000)};
    WorkClasses classes{capacity};
};

} // namespace

class TestWorkClasses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void classesThatAskForTheSameShareAShape();
    void oneThatClaimsALockIsOfAnotherShape();
    void aGateHasPlacesUntilSoManyAreOut();
    void manyShapesAreRoundedUpIntoBuckets();
    void aBucketIsNeverLargerThanTheMachine();
    void partsOfAPieceShareItInABucketAsWell();
    void whatMayOutliveAMachineDoesNotGoThere();
};

void TestWorkClasses::classesThatAskForTheSameShareAShape() {
    Catalogue book;
    book.define(0, milliCores(1'000));
    book.define(3, milliCores(1'000));
    book.define(4, milliCores(2'000));
    QCOMPARE(book.classes.shapeOf(0), book.classes.shapeOf(3));
    QVERIFY(book.classes.shapeOf(0) != book.classes.shapeOf(4));
    QVERIFY(book.classes.isOneCore(0) && !book.classes.isOneCore(4));
    QVERIFY(!book.classes.isDefined(ClassId(1)) && !book.classes.isDefined(ClassId(9)));
    QVERIFY(book.classes.shareOf(4) > book.classes.shareOf(0));
}

void TestWorkClasses::oneThatClaimsALockIsOfAnotherShape() {
    Catalogue book;
    book.define(0, milliCores(1'000));
    book.define(1, milliCores(1'000), kSomeLocks);
    QVERIFY(!book.classes.isOneCore(1));
    QVERIFY(book.classes.shapeOf(0) != book.classes.shapeOf(1));
    QVERIFY(book.classes.shape(book.classes.shapeOf(0)).oneCore);
    QVERIFY(!book.classes.shape(book.classes.shapeOf(1)).oneCore);
}

void TestWorkClasses::aGateHasPlacesUntilSoManyAreOut() {
    Catalogue book;
    book.define(0, {}, LockTable::kNoLocks, GateId(2));
    book.define(1, milliCores(1'000));
    QVERIFY(book.classes.isGated(0) && book.classes.isAt(GateId(2), 0));
    QVERIFY(!book.classes.hasPlace(2));
    book.classes.setGate(GateId(2), 1);
    QVERIFY(book.classes.hasPlace(2));
    QVERIFY(book.classes.countGate(0, 1));
    QVERIFY(!book.classes.hasPlace(2));
    QCOMPARE(book.classes.outAt(GateId(2)), 1);
    QVERIFY(!book.classes.countGate(1, 1));
}

void TestWorkClasses::manyShapesAreRoundedUpIntoBuckets() {
    Catalogue book;
    for (std::uint32_t cls = 0; cls < kExactShapes; ++cls)
        book.define(cls, milliCores(1'001 + static_cast<int>(cls)));
    QCOMPARE(book.classes.shapes(), static_cast<std::uint32_t>(kExactShapes));
    book.define(100, milliCores(4'100));
    book.define(101, milliCores(5'900));
    QCOMPARE(book.classes.shapeOf(100), book.classes.shapeOf(101));
    QCOMPARE(book.classes.shape(book.classes.shapeOf(100)).resources.milliCores, 6'000);
    QCOMPARE(book.classes.resourcesOf(100).milliCores, 4'100);
}

void TestWorkClasses::aBucketIsNeverLargerThanTheMachine() {
    Catalogue book;
    for (std::uint32_t cls = 0; cls < kExactShapes; ++cls)
        book.define(cls, milliCores(1'001 + static_cast<int>(cls)));
    book.define(100, milliCores(99'000));
    QCOMPARE(book.classes.shape(book.classes.shapeOf(100)).resources.milliCores, 99'000);
}

void TestWorkClasses::partsOfAPieceShareItInABucketAsWell() {
    MachineCapacity capacity({.milliCores = 100'000, .named = {{"gpus", 4'000}}});
    WorkClasses classes(capacity);
    for (std::uint32_t cls = 0; cls < kExactShapes; ++cls)
        classes.define(ClassId(cls), milliCores(1'001 + static_cast<int>(cls)), LockTable::kNoLocks, {}, {});
    const auto bucketOf = [&](std::uint32_t cls, std::int64_t milliGpus) {
        classes.define(ClassId(cls), {.milliCores = 500, .named = {{"gpus", milliGpus}}}, LockTable::kNoLocks, {},
                       {});
        return classes.shape(classes.shapeOf(cls)).resources.named.front().second;
    };
    QCOMPARE(bucketOf(100, 500), 500);
    QCOMPARE(bucketOf(101, 333), 333);
    QCOMPARE(bucketOf(102, 260), 333);
    QCOMPARE(bucketOf(103, 501), 1'000);
    QCOMPARE(bucketOf(104, 3'000), 3'000);
}

void TestWorkClasses::whatMayOutliveAMachineDoesNotGoThere() {
    using namespace std::chrono_literals;
    fleet::Machine machine;
    machine.total = milliCores(4'000);
    machine.slots = 4;
    FleetCapacity capacity(machine);
    machine.lifetime = 20min;
    capacity.add(fleet::MachineId(1), machine);
    WorkClasses classes(capacity);
    const auto fitsThere = [&](Duration longest) {
        classes.define(ClassId(0), milliCores(1'000), LockTable::kNoLocks, {}, {},
                       {.machines = {}, .platform = {}, .longest = longest});
        return capacity.fitsOn(fleet::MachineId(1), classes.demandOf(0));
    };
    QVERIFY(fitsThere(20min));
    QVERIFY(!fitsThere(21min));
    QVERIFY(capacity.why(classes.demandOf(0)).back().unfit == fleet::Unfit::Lifetime);
    QVERIFY(capacity.fitsOn(fleet::kLocal, classes.demandOf(0)));
    QVERIFY(fitsThere(5min)); // the same class, known better
    QVERIFY(fitsThere({}));   // nobody knows
}

QTEST_APPLESS_MAIN(TestWorkClasses)
#include "tst_work_classes.moc"
