// What may start is in its lane, and nothing else is.
#include "core/session/entrance.h"

#include <QTest>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

struct Gatehouse {
    Gatehouse() {
        ledger.order().defineClass(ClassId(0), {}, {}, {}, {});
        queue = ledger.addQueue(QueueId(7), {});
    }
    std::uint32_t make(std::int64_t lsn, int priority = 0, bool held = false) {
        NewAction action;
        action.lsn = Lsn(lsn);
        action.queue = QueueId(7);
        action.label = LabelId(1);
        action.priority = priority;
        action.submitTime = lsn;
        action.held = held;
        return entrance.make(action, queue);
    }
    bool isInLane(std::uint32_t record) { return ledger.records()[record].has(Record::kInLane); }
    Queue& of() { return ledger.order().queue(queue); }

    MachineCapacity capacity{Resources{.milliCores = 4'000, .named = {}}};
    Ledger ledger{capacity};
    Entrance entrance{ledger};
    std::uint32_t queue = kNone;
};

} // namespace

class TestEntrance : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneThatIsWokenEntersItsLaneOnce();
    void heldOnesAndThoseThatWaitStayOutside();
    void aReleasedOneEntersWhenItIsWoken();
    void aGateWithAPlaceIsOpenedForWhoIsParked();
    void somethingMoreUrgentThanALeaseAheadIsShown();
};

void TestEntrance::oneThatIsWokenEntersItsLaneOnce() {
    Gatehouse house;
    const std::uint32_t a = house.make(1);
    QVERIFY(!house.isInLane(a));
    house.entrance.wake(a);
    house.entrance.wake(a);
    QVERIFY(house.isInLane(a));
    house.entrance.check(false);
    house.ledger.check();
}

void TestEntrance::heldOnesAndThoseThatWaitStayOutside() {
    Gatehouse house;
    const std::uint32_t held = house.make(1, 0, true);
    const std::uint32_t waits = house.make(2);
    ++house.ledger.records()[waits].unmet;
    for (const std::uint32_t record : {held, waits}) {
        house.entrance.wake(record);
        QVERIFY(!house.isInLane(record));
    }
    QCOMPARE(house.ledger.held(), 1);
}

void TestEntrance::aReleasedOneEntersWhenItIsWoken() {
    Gatehouse house;
    const std::uint32_t a = house.make(1, 0, true);
    house.entrance.setHeld(a, false);
    QVERIFY(!house.isInLane(a));
    house.entrance.wake(a);
    QVERIFY(house.isInLane(a));
}

void TestEntrance::aGateWithAPlaceIsOpenedForWhoIsParked() {
    Gatehouse house;
    house.of().gates = std::make_unique<LabelGates>(house.ledger.records());
    house.of().gates->setLimits({{LabelId(1), 1}}, [](LabelId) { return 1; });
    const std::uint32_t a = house.make(1);
    house.of().gates->park(a);
    house.entrance.listOpening(house.queue);
    QVERIFY(!house.entrance.hasGatesToOpen());
    house.of().gates->count(1, -1);
    house.entrance.listOpening(house.queue);
    QVERIFY(house.entrance.hasGatesToOpen());
    int budget = 10;
    house.entrance.openGates(budget);
    QVERIFY(house.isInLane(a));
    QVERIFY(!house.entrance.hasGatesToOpen());
    QCOMPARE(house.of().jobs, 0u);
}

void TestEntrance::somethingMoreUrgentThanALeaseAheadIsShown() {
    Gatehouse house;
    house.of().ahead = 1;
    house.of().lowestAhead = 0;
    house.entrance.wake(house.make(1));
    house.entrance.wake(house.make(2, 5));
    house.entrance.wake(house.make(3, 9));
    std::vector<std::uint32_t> shown;
    int arrived = 0;
    const auto note = [&](std::uint32_t queue) {
        shown.push_back(queue);
        arrived = house.of().arrived;
    };
    house.entrance.takeOvertaken(note);
    QCOMPARE(shown, std::vector{house.queue});
    QCOMPARE(arrived, 9);
    house.entrance.takeOvertaken(note);
    QCOMPARE(shown.size(), std::size_t{1});
}

QTEST_APPLESS_MAIN(TestEntrance)
#include "tst_entrance.moc"
