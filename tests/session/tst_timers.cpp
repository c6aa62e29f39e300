// Back-offs and times before which an action does not start.
#include "core/session/timers.h"

#include <QTest>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

MonoTime at(int microseconds) {
    return MonoTime{Duration{microseconds}};
}

} // namespace

class TestTimers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void comeOutByTimeOnceTheyAreDue();
    void oneThatIsClearedDoesNotComeOut();
    void backOffsAreCountedUntilTheyEnd();
    void aPlaceAtARunnerIsNoTimer();
};

void TestTimers::comeOutByTimeOnceTheyAreDue() {
    Records records;
    Timers timers(records);
    QVERIFY(!timers.earliest());
    QCOMPARE(timers.takeDue(at(100)), kNone);
    std::vector<std::uint32_t> made;
    for (const int time : {30, 10, 20}) {
        made.push_back(records.allocate(Lsn(time)));
        timers.set(made.back(), at(time), false);
    }
    QCOMPARE(timers.earliest(), std::optional(at(10)));
    QCOMPARE(timers.takeDue(at(9)), kNone);
    QCOMPARE(timers.takeDue(at(20)), made[1]);
    QCOMPARE(timers.takeDue(at(20)), made[2]);
    QCOMPARE(timers.takeDue(at(20)), kNone);
    QVERIFY(!timers.of(records[made[1]]));
    QCOMPARE(timers.of(records[made[0]]), std::optional(at(30)));
}

void TestTimers::oneThatIsClearedDoesNotComeOut() {
    Records records;
    Timers timers(records);
    const std::uint32_t a = records.allocate(Lsn(1));
    const std::uint32_t b = records.allocate(Lsn(2));
    timers.set(a, at(10), false);
    timers.set(b, at(20), false);
    timers.clear(a);
    timers.clear(a);
    QCOMPARE(timers.earliest(), std::optional(at(20)));
    QCOMPARE(timers.takeDue(at(30)), b);
}

void TestTimers::backOffsAreCountedUntilTheyEnd() {
    Records records;
    Timers timers(records);
    const std::uint32_t a = records.allocate(Lsn(1));
    const std::uint32_t b = records.allocate(Lsn(2));
    timers.set(a, at(10), true);
    timers.set(b, at(20), false);
    QCOMPARE(timers.backingOff(), 1);
    QVERIFY(records[a].has(Record::kBackoff));
    QCOMPARE(timers.takeDue(at(10)), a);
    QCOMPARE(timers.backingOff(), 0);
    QVERIFY(!records[a].has(Record::kBackoff));
}

void TestTimers::aPlaceAtARunnerIsNoTimer() {
    Records records;
    Timers timers(records);
    const std::uint32_t a = records.allocate(Lsn(1));
    records[a].set(Record::kOut);
    records[a].timer = 5; // its place among those handed out
    QVERIFY(!timers.of(records[a]));
    timers.clear(a);
    QCOMPARE(records[a].timer, 5u);
}

QTEST_APPLESS_MAIN(TestTimers)
#include "tst_timers.moc"
