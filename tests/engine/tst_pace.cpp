// How long clearing up leaves the journal to others.
#include "core/engine/running/upkeep_throttle.h"

#include <QTest>

using namespace yard;
using namespace yard::engine;

namespace {
constexpr Duration kStep{600};
constexpr MonoTime kStart{std::chrono::hours(1)};
} // namespace

class TestPace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aloneAPauseIsAsLongAsTheStep() {
        UpkeepThrottle pace;
        std::uint64_t own = 0;
        QCOMPARE(pace.after(kStep, {.now = kStart, .operations = ++own}), kStep);
        QCOMPARE(pace.after(kStep, {.now = kStart, .operations = ++own}), kStep);
        QCOMPARE(pace.after(Duration{1}, {.now = kStart, .operations = ++own}), UpkeepThrottle::kLeast);
        QCOMPARE(pace.after(Duration{1'000'000}, {.now = kStart, .operations = ++own}), UpkeepThrottle::kMost);
    }

    void besideOthersItIsMuchLonger() {
        UpkeepThrottle pace;
        QCOMPARE(pace.after(kStep, {.now = kStart, .operations = 1}), kStep);
        MonoTime now = kStart;
        QCOMPARE(pace.after(kStep, {.now = now, .operations = 3}),
                 kStep * UpkeepThrottle::kBesideOthers); // one was not its own
        now += UpkeepThrottle::kRecently / 2;
        QCOMPARE(pace.after(kStep, {.now = now, .operations = 4}),
                 kStep * UpkeepThrottle::kBesideOthers); // just now
        now += UpkeepThrottle::kRecently / 2;
        QCOMPARE(pace.after(kStep, {.now = now, .operations = 5}), kStep); // not for a while
        QCOMPARE(pace.after(Duration{1'000}, {.now = now, .operations = 7}), UpkeepThrottle::kMost);
    }

    void butNotWhenMoreEndsThanGoes() {
        UpkeepThrottle pace;
        std::uint64_t operations = 0;
        const auto after = [&](std::uint64_t ended, std::uint64_t gone) {
            operations += 10;
            return pace.after(kStep, {.now = kStart, .operations = operations, .ended = ended, .gone = gone});
        };
        QCOMPARE(after(UpkeepThrottle::kSlack, 0), kStep * UpkeepThrottle::kBesideOthers);
        QCOMPARE(after(UpkeepThrottle::kSlack + 1, 0), kStep);
        QCOMPARE(after(UpkeepThrottle::kSlack + 500, 500), kStep * UpkeepThrottle::kBesideOthers); // it keeps up
    }

    void norWithMoreOnTheDiskThanMayBe() {
        UpkeepThrottle pace;
        QCOMPARE(pace.after(kStep, {.now = kStart, .operations = 10, .overLimit = true}), kStep);
        QCOMPARE(pace.after(kStep, {.now = kStart, .operations = 20}), kStep * UpkeepThrottle::kBesideOthers);
    }
};

QTEST_GUILESS_MAIN(TestPace)
#include "tst_pace.moc"
