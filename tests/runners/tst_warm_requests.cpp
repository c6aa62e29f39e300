// The table of warm requests by itself: places and numbers, entries and their marks, what is told when.
#include "core/runners/warm_requests.h"
#include "core/runners/warm_workers.h"
#include "tests/runners/warm_parts.h"

#include <QTest>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {

constexpr MonoTime kNow{Duration{1'000'000'000}};

struct Table : WarmParts {
    explicit Table(bool durable = false)
        : WarmParts(durable) {
        process.pid = 41;
        process.firstLane = 4;
        if (!requests.open(path("slots.warm"))) qFatal("no file of entries");
    }
    /// On lane 1 of the process.
    std::uint32_t running(std::int64_t lsn, MonoTime since = kNow) {
        const std::uint32_t place = requests.add(warmLease(lsn));
        requests[place].process = &process;
        requests[place].sentAt = since;
        requests.run(place, 1, since);
        return place;
    }
    template<class T>
    std::optional<T> told() {
        const std::vector<Update> updates = requests.takeUpdates();
        if (updates.size() != 1 || !std::holds_alternative<T>(updates[0].what)) return std::nullopt;
        return std::get<T>(updates[0].what);
    }

    WarmProcess process;
    RequestTable requests{shared};
};

} // namespace

class TestWarmRequests : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aPlaceIsUsedAgainWithAnotherNumber();
    void aNumberIsOnlyWithTheProcessThatWasSentIt();
    void whatRunsForLongIsToldToRunOnce();
    void whatEndsSoonIsToldOnce();
    void aDeadlineIsDueOnceItHasPassed();
    void whatMayNotBeginTwiceIsMarkedWhenItsEntryIsOnTheDisk();
    void whenSyncingFailedNothingIsMarked();
    void whatLacksAnEntryIsToldOfOneThatBecomesFree();
    void whoSharedTwoCrashesIsASuspectUntilItEnds();
    void aCrashForTheSakeOfOneMakesNoSuspects();
    void whatWasToldToRunIsNotGivenBack();
};

void TestWarmRequests::aPlaceIsUsedAgainWithAnotherNumber() {
    Table table;
    const std::uint32_t first = table.requests.add(warmLease(1));
    const std::uint64_t wire = table.requests[first].wire;
    QCOMPARE(table.requests.find({Lsn(1), 1}), std::optional(first));
    table.requests.giveBack(first);
    QVERIFY(table.told<Returned>());
    QVERIFY(!table.requests.find({Lsn(1), 1}));
    QCOMPARE(table.requests.count(), std::size_t{0});
    QCOMPARE(table.requests.add(warmLease(2)), first);
    QVERIFY(table.requests[first].wire != wire);
    QCOMPARE(placeOf(table.requests[first].wire), first);
    QCOMPARE(table.requests.count(), std::size_t{1});
}

void TestWarmRequests::aNumberIsOnlyWithTheProcessThatWasSentIt() {
    Table table;
    const std::uint32_t waits = table.requests.add(warmLease(1));
    table.requests[waits].process = &table.process;
    const std::uint32_t runs = table.running(2);
    const std::uint64_t wire = table.requests[runs].wire;
    WarmProcess other;
    QVERIFY(table.requests.isWith(table.process, wire));
    QVERIFY(!table.requests.isWith(other, wire));
    QVERIFY(!table.requests.isWith(table.process, table.requests[waits].wire));
    QVERIFY(!table.requests.isWith(table.process, wire + 7));
    table.requests.fail(runs, EndCause::Deadline, {});
    QVERIFY(!table.requests.isWith(table.process, wire));
}

void TestWarmRequests::whatRunsForLongIsToldToRunOnce() {
    Table table;
    table.running(1);
    table.requests.tellStarted(kNow + kTellStarted - Duration(1));
    QVERIFY(!table.requests.hasUpdates());
    table.requests.tellStarted(kNow + kTellStarted);
    const auto started = table.told<Started>();
    QVERIFY(started);
    QCOMPARE(started->pid, 41);
    QCOMPARE(started->lane, std::optional(5u));
    table.requests.tellStarted(kNow + 2 * kTellStarted);
    QVERIFY(!table.requests.hasUpdates());
}

void TestWarmRequests::whatEndsSoonIsToldOnce() {
    Table table;
    const std::uint32_t place = table.running(1);
    Ended ended;
    ended.exitCode = 3;
    table.requests.finish(place, std::move(ended));
    const auto told = table.told<Ended>();
    QVERIFY(told);
    QCOMPARE(told->exitCode, std::optional(3));
    QCOMPARE(told->lane, std::optional(5u));
    table.requests.tellStarted(kNow + kTellStarted);
    QVERIFY(!table.requests.hasUpdates());
}

void TestWarmRequests::aDeadlineIsDueOnceItHasPassed() {
    Table table;
    const std::uint32_t place = table.requests.add(warmLease(1));
    table.requests[place].deadline = Duration(500);
    table.requests.run(place, 0, kNow);
    QVERIFY(!table.requests.areDeadlinesDue(kNow + Duration(499)));
    QVERIFY(!table.requests[place].isOverdue(kNow + Duration(499)));
    QVERIFY(table.requests.areDeadlinesDue(kNow + Duration(500)));
    QVERIFY(table.requests[place].isOverdue(kNow + Duration(500)));
    QVERIFY(!table.requests.areDeadlinesDue(kNow + Duration(501))); // unless it is noted again
    table.requests.noteDeadline(table.requests[place]);
    QVERIFY(table.requests.areDeadlinesDue(kNow + Duration(501)));
}

void TestWarmRequests::whatMayNotBeginTwiceIsMarkedWhenItsEntryIsOnTheDisk() {
    Table table(true);
    const std::uint32_t first = table.requests.add(warmLease(1, true));
    const std::uint32_t second = table.requests.add(warmLease(2, true));
    const std::uint32_t other = table.requests.add(warmLease(3));
    QVERIFY(table.requests.takeEntry(first, 41) && !table.requests.isMarked(first));
    QVERIFY(table.requests.takeEntry(second, 41) && !table.requests.isMarked(second));
    QVERIFY(table.requests.takeEntry(other, 41) && table.requests.isMarked(other));
    QCOMPARE(table.host.syncs, 1); // the second was written while that went on
    QCOMPARE(table.requests.noteSynced(true), std::uint64_t{1});
    QVERIFY(table.requests.isMarked(first));
    QVERIFY(!table.requests.isMarked(second));
    QCOMPARE(table.host.syncs, 2);
    QCOMPARE(table.requests.noteSynced(true), std::uint64_t{2});
    QVERIFY(table.requests.isMarked(second));
    const auto file = SlotsFile::open(table.path("slots.warm"));
    QVERIFY(file && file->find({Lsn(2), 1}));
    QCOMPARE(file->find({Lsn(2), 1})->pid, 41);
}

void TestWarmRequests::whenSyncingFailedNothingIsMarked() {
    Table table(true);
    const std::uint32_t place = table.requests.add(warmLease(1, true));
    QVERIFY(table.requests.takeEntry(place, 41) && !table.requests.isMarked(place));
    QCOMPARE(table.requests.noteSynced(false), table.requests[place].mark);
    QVERIFY(!table.requests.isMarked(place));
    QCOMPARE(table.host.syncs, 2);
}

void TestWarmRequests::whatLacksAnEntryIsToldOfOneThatBecomesFree() {
    Table table;
    constexpr std::int64_t kAll = std::int64_t{kEntrySlots} * SlotsFile::kRing;
    for (std::int64_t lsn = 1; lsn <= kAll; ++lsn)
        QVERIFY(table.requests.takeEntry(table.requests.add(warmLease(lsn)), 41));
    const std::uint32_t first = *table.requests.find({Lsn(1), 1});
    QVERIFY(!table.requests.freeEntry(SlotId(kEntrySlots), {Lsn(1), 1})); // not one of the file's
    const std::uint32_t late = table.requests.add(warmLease(kAll + 1));
    QVERIFY(!table.requests.takeEntry(late, 41));
    QVERIFY(table.requests.freeEntry(table.requests[first].entrySlot, {Lsn(1), 1}));
    QVERIFY(table.requests.takeEntry(late, 41));
    QVERIFY(!table.requests.freeEntry(table.requests[late].entrySlot, {Lsn(kAll + 1), 1})); // nobody waits for it
}

void TestWarmRequests::whoSharedTwoCrashesIsASuspectUntilItEnds() {
    Table table;
    table.requests.interrupt(table.running(1), "died");
    const auto first = table.told<Ended>();
    QVERIFY(first && first->cause == EndCause::LostRunner);
    const std::uint32_t again = table.running(1);
    QVERIFY(!table.requests[again].isSuspect());
    table.requests.interrupt(again, "died");
    const std::uint32_t third = table.running(1);
    QVERIFY(table.requests[third].isSuspect());
    table.requests.fail(third, EndCause::WorkerCrashed, "died");
    QVERIFY(!table.requests[table.running(1)].isSuspect());
}

void TestWarmRequests::aCrashForTheSakeOfOneMakesNoSuspects() {
    Table table;
    table.process.endedForOne = true;
    for (int i = 0; i < 3; ++i) table.requests.interrupt(table.running(1), "was ended");
    QVERIFY(!table.requests[table.running(1)].isSuspect());
}

void TestWarmRequests::whatWasToldToRunIsNotGivenBack() {
    Table table;
    const std::uint32_t stopped = table.running(1);
    table.requests.tellStarted(kNow + kTellStarted);
    QVERIFY(table.told<Started>());
    table.requests[stopped].stop = StopCause::Cancelled;
    table.requests.giveBack(stopped);
    const auto cancelled = table.told<Ended>();
    QVERIFY(cancelled && cancelled->cause == EndCause::Cancelled);
    const std::uint32_t running = table.running(2);
    table.requests.tellStarted(kNow + kTellStarted);
    QVERIFY(table.told<Started>());
    table.requests.giveBack(running);
    const auto left = table.told<Ended>();
    QVERIFY(left && left->cause == EndCause::EngineStopped);
}

QTEST_APPLESS_MAIN(TestWarmRequests)
#include "tst_warm_requests.moc"
