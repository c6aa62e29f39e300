// What a runner has: taken when it is handed out, given back once, asked for once.
#include "core/session/attempts.h"

#include <QTest>

using namespace yard;
using namespace yard::session;

namespace {

struct Yard {
    Yard() {
        ledger.order().defineClass(ClassId(0), Resources{.milliCores = 1'000, .named = {}}, {}, {}, {});
        ledger.order().defineClass(ClassId(1), Resources{.milliCores = 2'000, .named = {}}, {}, {}, {});
        queue = ledger.addQueue(QueueId(7), {});
    }
    /// The record of an action that was handed out.
    std::uint32_t start(std::int64_t lsn, std::uint32_t cls = 0, bool ahead = false) {
        NewAction action;
        action.lsn = Lsn(lsn);
        action.queue = QueueId(7);
        action.cls = ClassId(cls);
        action.submitTime = lsn;
        entrance.wake(entrance.make(action, queue));
        int budget = 10;
        attempts.handOut(ledger.order().pick({.mustFit = !ahead}, budget), ahead, out);
        return ledger.records().find(Lsn(lsn));
    }
    Queue& of() { return ledger.order().queue(queue); }

    MachineCapacity capacity{Resources{.milliCores = 2'000, .named = {}}};
    SessionOptions options{.slotCount = 2, .maxKeeping = 1};
    Ledger ledger{capacity};
    Entrance entrance{ledger};
    Attempts attempts{ledger, capacity, entrance, options};
    Outbox out;
    std::uint32_t queue = kNone;
};

} // namespace

class TestAttempts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void resourcesAreTakenUntilTheAttemptComesBack();
    void eventsOfAnOlderAttemptAreCountedAndFindNothing();
    void aRunnerIsAskedOncePerAttempt();
    void oneAheadIsAskedBackAndOneThatRunsIsStopped();
    void oneThatIsKeptHoldsNothingAndOnlySoManyAre();
};

void TestAttempts::resourcesAreTakenUntilTheAttemptComesBack() {
    Yard yard;
    const std::uint32_t a = yard.start(1, 1);
    QCOMPARE(yard.out.start.size(), std::size_t{1});
    QVERIFY(yard.out.start.front().shared);
    QVERIFY(yard.attempts.hasPartCores());
    QVERIFY(!yard.capacity.fits(Resources{.milliCores = 1'000, .named = {}}));
    QCOMPARE(yard.of().outstanding, 1);
    yard.attempts.check();
    yard.attempts.giveBack(a);
    QVERIFY(yard.attempts.all().empty());
    QVERIFY(!yard.attempts.hasPartCores());
    QVERIFY(yard.capacity.fits(Resources{.milliCores = 2'000, .named = {}}));
    QCOMPARE(yard.of().outstanding, 0);
}

void TestAttempts::eventsOfAnOlderAttemptAreCountedAndFindNothing() {
    Yard yard;
    const std::uint32_t a = yard.start(1);
    QCOMPARE(yard.attempts.find(Lsn(1), 1), a);
    QCOMPARE(yard.attempts.find(Lsn(1), 2), kNone);
    QCOMPARE(yard.attempts.find(Lsn(9), 1), kNone);
    QCOMPARE(yard.attempts.ignored(), std::uint64_t{2});
}

void TestAttempts::aRunnerIsAskedOncePerAttempt() {
    Yard yard;
    const std::uint32_t a = yard.start(1);
    yard.attempts.stop(a, StopCause::Cancel, yard.out);
    yard.attempts.stop(a, StopCause::Abandon, yard.out);
    QCOMPARE(yard.out.stop.size(), std::size_t{1});
    yard.attempts.takeBack(a, yard.out);
    yard.attempts.takeBack(a, yard.out);
    QCOMPARE(yard.out.takeBack.size(), std::size_t{1});
}

void TestAttempts::oneAheadIsAskedBackAndOneThatRunsIsStopped() {
    Yard yard;
    const std::uint32_t runs = yard.start(1);
    const std::uint32_t ahead = yard.start(2, 0, true);
    QCOMPARE(yard.of().ahead, 1);
    yard.attempts.cancel(ahead, yard.out);
    yard.attempts.cancel(runs, yard.out);
    QCOMPARE(yard.out.takeBack.size(), std::size_t{1});
    QCOMPARE(yard.out.takeBack.front().lsn, Lsn(2));
    QCOMPARE(yard.out.stop.size(), std::size_t{1});
    QCOMPARE(yard.out.stop.front().lsn, Lsn(1));
    yard.attempts.endAhead(ahead);
    QCOMPARE(yard.of().ahead, 0);
}

void TestAttempts::oneThatIsKeptHoldsNothingAndOnlySoManyAre() {
    Yard yard;
    const std::uint32_t a = yard.start(1);
    const std::uint32_t b = yard.start(2);
    yard.attempts.keep(a);
    yard.attempts.keep(b);
    QVERIFY(yard.attempts.isKept(a));
    QVERIFY(!yard.attempts.isKept(b));
    QCOMPARE(yard.attempts.ungated(), 1);
    QVERIFY(yard.capacity.fits(Resources{.milliCores = 1'000, .named = {}}));
    yard.attempts.check();
    yard.attempts.giveBack(a);
    QVERIFY(!yard.capacity.fits(Resources{.milliCores = 2'000, .named = {}}));
    yard.attempts.giveBack(b);
    QVERIFY(yard.capacity.fits(Resources{.milliCores = 2'000, .named = {}}));
}

QTEST_APPLESS_MAIN(TestAttempts)
#include "tst_attempts.moc"
