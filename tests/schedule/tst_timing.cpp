// When something is due by a line, by steps, once: the next ones, and the last ones of a long time.
#include "core/schedule/timing.h"
#include "tests/schedule/local_time.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace yard;
using namespace yard::schedule;
using namespace yard::schedule::test;

namespace {

constexpr WallMicros kSecondMicros = 1'000'000;
constexpr WallMicros kHourMicros = 3'600 * kSecondMicros;

WallMicros at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
    return utc(year, month, day, hour, minute) * kSecondMicros;
}

Timing line(const char* text) {
    return *Timing::cron(text, "UTC");
}

} // namespace

class TestScheduleTiming : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stepsCountFromTheirAnchor();
    void stepsBeforeTheAnchorAreNone();
    void stepsMayBeFractions();
    void stepsOutsideTheBoundsAreRefused();
    void onceIsOnce();
    void aTimeThatIsNoneIsRefused();
    void aLineIsDueOnWholeMinutes();
    void aBadLineAndABadZoneAreNamed();
    void theListIsBounded();
    void theNewestAreTheLastOnes();
    void theNewestOfAYearOfMinutes();
    void theNewestStopAtTheBeginning();
};

void TestScheduleTiming::stepsCountFromTheirAnchor() {
    const Timing steps = *Timing::every(3'600, at(2026, 1, 1, 0, 10));
    QCOMPARE(steps.nextAfter(at(2026, 1, 1, 0, 10)), std::optional(at(2026, 1, 1, 1, 10)));
    QCOMPARE(steps.nextAfter(at(2026, 1, 1, 1, 9)), std::optional(at(2026, 1, 1, 1, 10)));
    QCOMPARE(steps.nextAfter(at(2026, 1, 1, 1, 10)), std::optional(at(2026, 1, 1, 2, 10)));
}

void TestScheduleTiming::stepsBeforeTheAnchorAreNone() {
    const Timing steps = *Timing::every(60, at(2026, 1, 1));
    QCOMPARE(steps.nextAfter(0), std::optional(at(2026, 1, 1, 0, 1)));
}

void TestScheduleTiming::stepsMayBeFractions() {
    const Timing steps = *Timing::every(1.5, 0);
    QCOMPARE(steps.listAfter(0, 2), (std::vector<WallMicros>{1'500'000, 3'000'000}));
}

void TestScheduleTiming::stepsOutsideTheBoundsAreRefused() {
    for (const double seconds : {0.0, 0.5, -5.0, 1e12, std::nan(""), std::numeric_limits<double>::infinity()}) {
        const auto steps = Timing::every(seconds, 0);
        QVERIFY(!steps);
        QCOMPARE(steps.error().field, std::string("every_s"));
    }
    QCOMPARE(Timing::every(60, -1).error().field, std::string("anchor"));
}

void TestScheduleTiming::onceIsOnce() {
    const Timing once = *Timing::once(at(2026, 1, 1));
    QCOMPARE(once.listAfter(0, 10), std::vector<WallMicros>{at(2026, 1, 1)});
    QVERIFY(!once.nextAfter(at(2026, 1, 1)));
}

void TestScheduleTiming::aTimeThatIsNoneIsRefused() {
    for (const WallMicros none : {WallMicros(0), WallMicros(-1), std::numeric_limits<WallMicros>::max()})
        QCOMPARE(Timing::once(none).error().field, std::string("at"));
}

void TestScheduleTiming::aLineIsDueOnWholeMinutes() {
    QCOMPARE(line("* * * * *").nextAfter(at(2026, 1, 1) + 1), std::optional(at(2026, 1, 1, 0, 1)));
    QCOMPARE(line("* * * * *").nextAfter(at(2026, 1, 1) - 1), std::optional(at(2026, 1, 1)));
}

void TestScheduleTiming::aBadLineAndABadZoneAreNamed() {
    QCOMPARE(Timing::cron("* * *", "UTC").error().field, std::string("cron"));
    QCOMPARE(Timing::cron("* * * * *", "Nowhere").error().field, std::string("timezone"));
    QVERIFY(Timing::cron("* * * * *", ""));
}

void TestScheduleTiming::theListIsBounded() {
    QCOMPARE(line("* * * * *").listAfter(0, 1'000'000).size(), Timing::kMostListed);
}

void TestScheduleTiming::theNewestAreTheLastOnes() {
    const Timing daily = line("0 3 * * *");
    QCOMPARE(daily.newest(at(2026, 1, 1), at(2026, 3, 1), 2),
             (std::vector<WallMicros>{at(2026, 2, 27, 3), at(2026, 2, 28, 3)}));
    // Both ends: what is due at the first is over, what is due at the last is not.
    QCOMPARE(daily.newest(at(2026, 1, 1, 3), at(2026, 1, 2, 3), 5), std::vector<WallMicros>{at(2026, 1, 2, 3)});
    QVERIFY(daily.newest(at(2026, 1, 1, 3), at(2026, 1, 2, 2), 5).empty());
    QVERIFY(daily.newest(at(2026, 1, 2), at(2026, 1, 1), 5).empty());
}

void TestScheduleTiming::theNewestOfAYearOfMinutes() {
    const auto times = line("* * * 1-6 *").newest(at(2026, 1, 1), at(2026, 12, 31), 3);
    QCOMPARE(times,
             (std::vector<WallMicros>{at(2026, 6, 30, 23, 57), at(2026, 6, 30, 23, 58), at(2026, 6, 30, 23, 59)}));
}

void TestScheduleTiming::theNewestStopAtTheBeginning() {
    const Timing hourly = *Timing::every(3'600, 0);
    QCOMPARE(hourly.newest(0, 2 * kHourMicros, 100), (std::vector<WallMicros>{kHourMicros, 2 * kHourMicros}));
}

QTEST_APPLESS_MAIN(TestScheduleTiming)
#include "tst_timing.moc"
