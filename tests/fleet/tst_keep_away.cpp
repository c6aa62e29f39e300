// Machines that fail what others do.
#include "core/fleet/keep_away.h"

#include <QtTest>

#include <chrono>

using namespace yard;
using namespace yard::fleet;
using namespace std::chrono_literals;

namespace {

constexpr KindId kCook{1};
constexpr KindId kRender{2};
constexpr MachineId kBad{1};
constexpr MachineId kGood{2};
constexpr MonoTime kNow{100s};

/// Actions from `first` on fail on the bad machine and succeed on the good one.
void failThere(KeepAway& keep, int first, int count, MonoTime now = kNow) {
    for (int lsn = first; lsn < first + count; ++lsn) {
        keep.failed(Lsn(lsn), kBad);
        keep.succeeded(Lsn(lsn), kCook, kGood, now);
    }
}

} // namespace

class TestFleetKeepAway : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void threeInARowThatSucceededElsewhereKeepAKindAwayForAnHour();
    void aSuccessThereBeginsTheCountAnew();
    void whatFailsEverywhereSaysNothingOfAMachine();
    void whatSucceedsThereAtLastSaysNothing();
    void otherKindsAreNotKept();
    void itIsAllowedAgain();
    void oneMoreAfterTheHourKeepsItAwayAgain();
    void itSaysHowManyFailedAndHowManyWereFine();
    void aMachineThatIsForgottenIsNotKept();
    void theOldestFailuresAreForgotten();
};

void TestFleetKeepAway::threeInARowThatSucceededElsewhereKeepAKindAwayForAnHour() {
    KeepAway keep;
    failThere(keep, 1, 2);
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
    failThere(keep, 3, 1);
    QVERIFY(keep.isKept(kBad, kCook, kNow));
    QVERIFY(!keep.isKept(kGood, kCook, kNow));
    QVERIFY(keep.isKept(kBad, kCook, kNow + 3'599s));
    QVERIFY(!keep.isKept(kBad, kCook, kNow + 3'600s));
}

void TestFleetKeepAway::aSuccessThereBeginsTheCountAnew() {
    KeepAway keep;
    failThere(keep, 1, 2);
    keep.succeeded(Lsn(10), kCook, kBad, kNow);
    failThere(keep, 3, 2);
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
}

void TestFleetKeepAway::whatFailsEverywhereSaysNothingOfAMachine() {
    KeepAway keep;
    for (int lsn = 1; lsn <= 9; ++lsn) {
        keep.failed(Lsn(lsn), kBad);
        keep.failed(Lsn(lsn), kGood);
        keep.forget(Lsn(lsn));
    }
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
    // The end of an action that was forgotten is one like any other.
    keep.succeeded(Lsn(1), kCook, kGood, kNow);
    QVERIFY(keep.keptFrom(kBad, kNow).empty());
}

void TestFleetKeepAway::whatSucceedsThereAtLastSaysNothing() {
    KeepAway keep;
    for (int lsn = 1; lsn <= 9; ++lsn) {
        keep.failed(Lsn(lsn), kBad);
        keep.failed(Lsn(lsn), kBad);
        keep.succeeded(Lsn(lsn), kCook, kBad, kNow);
    }
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
}

void TestFleetKeepAway::otherKindsAreNotKept() {
    KeepAway keep;
    failThere(keep, 1, 3);
    QVERIFY(!keep.isKept(kBad, kRender, kNow));
    keep.succeeded(Lsn(20), kRender, kBad, kNow);
    QVERIFY(keep.isKept(kBad, kCook, kNow));
}

void TestFleetKeepAway::itIsAllowedAgain() {
    KeepAway keep;
    QVERIFY(!keep.allow(kBad, kCook, kNow));
    failThere(keep, 1, 3);
    QVERIFY(keep.allow(kBad, kCook, kNow));
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
    failThere(keep, 4, 2);
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
    failThere(keep, 6, 1);
    QVERIFY(keep.isKept(kBad, kCook, kNow));
}

void TestFleetKeepAway::oneMoreAfterTheHourKeepsItAwayAgain() {
    KeepAway keep;
    failThere(keep, 1, 3);
    failThere(keep, 4, 1, kNow + 4'000s);
    QVERIFY(keep.isKept(kBad, kCook, kNow + 4'001s));
}

void TestFleetKeepAway::itSaysHowManyFailedAndHowManyWereFine() {
    KeepAway keep;
    failThere(keep, 1, 2);
    for (int lsn = 50; lsn < 60; ++lsn) keep.succeeded(Lsn(lsn), kCook, kGood, kNow);
    failThere(keep, 3, 1);
    const auto kept = keep.keptFrom(kBad, kNow);
    QCOMPARE(kept.size(), std::size_t{1});
    QVERIFY((kept[0] == Kept{.kind = kCook, .until = kNow + 3'600s, .failedHere = 3, .fineElsewhere = 13}));
    QVERIFY(keep.keptFrom(kGood, kNow).empty());
}

void TestFleetKeepAway::aMachineThatIsForgottenIsNotKept() {
    KeepAway keep;
    failThere(keep, 1, 3);
    keep.failed(Lsn(9), kBad);
    keep.forget(kBad);
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
    keep.succeeded(Lsn(9), kCook, kGood, kNow);
    failThere(keep, 10, 2);
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
}

void TestFleetKeepAway::theOldestFailuresAreForgotten() {
    KeepAway keep;
    const int most = static_cast<int>(KeepAway::kMaxActions);
    for (int lsn = 1; lsn <= most + 2; ++lsn) keep.failed(Lsn(lsn), kBad);
    keep.succeeded(Lsn(1), kCook, kGood, kNow); // forgotten
    keep.succeeded(Lsn(2), kCook, kGood, kNow); // forgotten
    keep.succeeded(Lsn(3), kCook, kGood, kNow);
    keep.succeeded(Lsn(4), kCook, kGood, kNow);
    QVERIFY(!keep.isKept(kBad, kCook, kNow));
    keep.succeeded(Lsn(most + 2), kCook, kGood, kNow);
    QVERIFY(keep.isKept(kBad, kCook, kNow));
}

QTEST_APPLESS_MAIN(TestFleetKeepAway)
#include "tst_keep_away.moc"
