// Many schedules: what is due, what was missed, when to wake; and what a run does that meets the one before.
#include "core/schedule/overlap.h"
#include "core/schedule/timetable.h"
#include "tests/schedule/local_time.h"

#include <QtTest>

#include <algorithm>
#include <string>

using namespace yard;
using namespace yard::schedule;
using namespace yard::schedule::test;
using namespace std::chrono_literals;

namespace {

constexpr WallMicros kSeconds = 1'000'000;
constexpr WallMicros kHours = 3'600 * kSeconds;
constexpr WallMicros kDays = 24 * kHours;

const WallMicros kStart = utc(2026, 1, 1) * kSeconds;

Plan hourly(Missed missed = Missed::Once, Duration jitter = {}) {
    return {.timing = *Timing::every(3'600, kStart), .missed = missed, .jitter = jitter};
}

Plan onceAt(WallMicros at, Missed missed = Missed::Once) {
    return {.timing = *Timing::once(at), .missed = missed, .jitter = {}};
}

/// "name +HOURSh[ late][ not run][ N before]", one for each.
QStringList printed(const std::vector<Due>& due) {
    QStringList lines;
    for (const Due& one : due) {
        QString text = QString("%1 +%2h").arg(QString::fromStdString(one.name)).arg((one.due - kStart) / kHours);
        if (one.isLate) text += " late";
        if (!one.isRun) text += " not run";
        if (one.skipped > 0) text += QString(" %1 before").arg(one.skipped);
        lines.append(text);
    }
    return lines;
}

} // namespace

class TestScheduleTimetable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsDueBeforeItsTime();
    void whatIsDueIsToldOnce();
    void whatWasMissedFollowsItsRule_data();
    void whatWasMissedFollowsItsRule();
    void aYearThatPassesAtOnceIsBounded();
    void aTimeThatComesOnceComesLate();
    void aClockThatGoesBackALittleRepeatsNothing();
    void aClockThatWasAYearAheadIsForgotten();
    void aTimeDecidedInTheFutureIsForgottenAtTheStart();
    void jitterIsTheSameEachTimeAndWithinItsBound();
    void jitterMovesTheStartNotTheTimeThatIsDue();
    void aReplacedPlanCountsAlone();
    void whatIsRemovedIsNotDue();
    void theNextOfTenThousandIsTheOnlyWakeUp();
    void manyAtOnceComeInPortions();
    void aRunThatMeetsTheOneBefore_data();
    void aRunThatMeetsTheOneBefore();
    void wordsAreReadAsTheyAreWritten();
};

void TestScheduleTimetable::nothingIsDueBeforeItsTime() {
    Timetable table;
    QVERIFY(!table.wakeAt());
    table.put("a", hourly(), kStart, kStart);
    QCOMPARE(table.wakeAt(), std::optional(kStart + kHours));
    QCOMPARE(table.nextOf("a"), std::optional(kStart + kHours));
    QVERIFY(!table.nextOf("b"));
    QVERIFY(table.take(kStart + kHours - 1).empty());
}

void TestScheduleTimetable::whatIsDueIsToldOnce() {
    Timetable table;
    table.put("a", hourly(), kStart, kStart);
    QCOMPARE(printed(table.take(kStart + kHours + 5)), QStringList{"a +1h"});
    QVERIFY(table.take(kStart + kHours + 5).empty());
    QCOMPARE(table.wakeAt(), std::optional(kStart + 2 * kHours));
}

void TestScheduleTimetable::whatWasMissedFollowsItsRule_data() {
    QTest::addColumn<QString>("missed");
    QTest::addColumn<qint64>("now");
    QTest::addColumn<QStringList>("due");
    const qint64 atThree = 3 * kHours;
    const qint64 afterThree = 3 * kHours + 30 * 60 * kSeconds;
    QTest::newRow("once, the last one on time") << "once" << atThree << QStringList{"a +3h 2 before"};
    QTest::newRow("once, all late") << "once" << afterThree << QStringList{"a +3h late 2 before"};
    QTest::newRow("skip, the last one on time")
        << "skip" << atThree << QStringList{"a +2h late not run 1 before", "a +3h"};
    QTest::newRow("skip, all late") << "skip" << afterThree << QStringList{"a +3h late not run 2 before"};
    QTest::newRow("all, the last one on time")
        << "all" << atThree << QStringList{"a +1h late", "a +2h late", "a +3h"};
    QTest::newRow("all late") << "all" << afterThree << QStringList{"a +1h late", "a +2h late", "a +3h late"};
    QTest::newRow("a minute is on time") << "skip" << qint64(kHours + kPunctual) << QStringList{"a +1h"};
    QTest::newRow("more is not") << "skip" << qint64(kHours + kPunctual + 1) << QStringList{"a +1h late not run"};
}

void TestScheduleTimetable::whatWasMissedFollowsItsRule() {
    QFETCH(QString, missed);
    QFETCH(qint64, now);
    QFETCH(QStringList, due);
    Timetable table;
    table.put("a", hourly(*missedIn(missed.toStdString())), kStart, kStart + now);
    QCOMPARE(printed(table.take(kStart + now)), due);
    QVERIFY(*table.wakeAt() > kStart + now);
}

void TestScheduleTimetable::aYearThatPassesAtOnceIsBounded() {
    for (const Missed missed : {Missed::Once, Missed::Skip, Missed::All}) {
        Timetable table;
        table.put("a", hourly(missed), kStart, kStart);
        const auto due = table.take(kStart + 365 * kDays + kHours / 2);
        const auto runs = std::size_t(std::ranges::count(due, true, &Due::isRun));
        QCOMPARE(runs, missed == Missed::Once ? 1U : missed == Missed::Skip ? 0U : kMostMissed);
        QCOMPARE(due.back().due, kStart + 365 * kDays);
        QVERIFY(due.front().skipped > 0);
    }
}

void TestScheduleTimetable::aTimeThatComesOnceComesLate() {
    Timetable table;
    table.put("late", onceAt(kStart + kHours), 0, kStart + kDays);
    table.put("skipped", onceAt(kStart + 2 * kHours, Missed::Skip), 0, kStart + kDays);
    QCOMPARE(printed(table.take(kStart + kDays)), (QStringList{"late +1h late", "skipped +2h late not run"}));
    QVERIFY(!table.wakeAt());
}

void TestScheduleTimetable::aClockThatGoesBackALittleRepeatsNothing() {
    Timetable table;
    table.put("a", hourly(), kStart, kStart);
    QCOMPARE(table.take(kStart + 2 * kHours).size(), std::size_t(1));
    QVERIFY(table.take(kStart + kHours).empty());
    QCOMPARE(table.wakeAt(), std::optional(kStart + 3 * kHours));
}

void TestScheduleTimetable::aClockThatWasAYearAheadIsForgotten() {
    Timetable table;
    table.put("a", hourly(), kStart, kStart);
    table.take(kStart + 365 * kDays);
    QVERIFY(table.takeRepeated().empty());
    QVERIFY(table.take(kStart + kHours / 2).empty());
    QCOMPARE(table.wakeAt(), std::optional(kStart + kHours));
    QCOMPARE(table.takeRepeated(), (std::map<std::string, WallMicros>{{"a", kStart + kHours / 2}}));
    QVERIFY(table.takeRepeated().empty());
    QCOMPARE(printed(table.take(kStart + kHours)), QStringList{"a +1h"});
}

void TestScheduleTimetable::aTimeDecidedInTheFutureIsForgottenAtTheStart() {
    Timetable table;
    table.put("a", hourly(), kStart + 365 * kDays, kStart);
    QCOMPARE(table.wakeAt(), std::optional(kStart + kHours));
    QCOMPARE(table.takeRepeated(), (std::map<std::string, WallMicros>{{"a", kStart}}));
    // A clock that was put right by an hour is no such thing: what it passed is not due again.
    table.put("a", hourly(), kStart + 3 * kHours, kStart + 2 * kHours);
    QCOMPARE(table.wakeAt(), std::optional(kStart + 4 * kHours));
}

void TestScheduleTimetable::jitterIsTheSameEachTimeAndWithinItsBound() {
    WallMicros least = 10 * kSeconds;
    WallMicros most = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::string name = "nightly-" + std::to_string(i);
        const WallMicros delay = Timetable::delayOf(name, 10s);
        QCOMPARE(Timetable::delayOf(name, 10s), delay);
        least = std::min(least, delay);
        most = std::max(most, delay);
    }
    QVERIFY(least >= 0 && least < kSeconds);
    QVERIFY(most <= 10 * kSeconds && most > 9 * kSeconds);
    QCOMPARE(Timetable::delayOf("a", 0s), WallMicros(0));
    QCOMPARE(Timetable::delayOf("a", -1s), WallMicros(0));
}

void TestScheduleTimetable::jitterMovesTheStartNotTheTimeThatIsDue() {
    Timetable table;
    table.put("a", hourly(Missed::Skip, 1800s), kStart, kStart);
    const WallMicros delay = Timetable::delayOf("a", 1800s);
    QVERIFY(delay > 0);
    QCOMPARE(table.wakeAt(), std::optional(kStart + kHours + delay));
    QVERIFY(table.take(kStart + kHours + delay - 1).empty());
    QCOMPARE(printed(table.take(kStart + kHours + delay)), QStringList{"a +1h"});
}

void TestScheduleTimetable::aReplacedPlanCountsAlone() {
    Timetable table;
    table.put("a", hourly(), kStart, kStart);
    table.put("a", onceAt(kStart + 5 * kHours), kStart, kStart);
    QCOMPARE(table.size(), std::size_t(1));
    QCOMPARE(table.wakeAt(), std::optional(kStart + 5 * kHours));
    QCOMPARE(printed(table.take(kStart + 5 * kHours)), QStringList{"a +5h"});
}

void TestScheduleTimetable::whatIsRemovedIsNotDue() {
    Timetable table;
    table.put("a", hourly(), kStart, kStart);
    table.put("b", onceAt(kStart + 2 * kHours), kStart, kStart);
    table.remove("a");
    table.remove("a");
    QCOMPARE(table.wakeAt(), std::optional(kStart + 2 * kHours));
    QCOMPARE(printed(table.take(kStart + 2 * kHours)), QStringList{"b +2h"});
}

void TestScheduleTimetable::theNextOfTenThousandIsTheOnlyWakeUp() {
    Timetable table;
    for (int i = 0; i < 10'000; ++i)
        table.put("s" + std::to_string(i), onceAt(kStart + (10'000 - i) * kHours), kStart, kStart);
    QCOMPARE(table.size(), std::size_t(10'000));
    QCOMPARE(table.wakeAt(), std::optional(kStart + kHours));
    QCOMPARE(printed(table.take(kStart + kHours)), QStringList{"s9999 +1h"});
    QCOMPARE(table.wakeAt(), std::optional(kStart + 2 * kHours));
}

void TestScheduleTimetable::manyAtOnceComeInPortions() {
    Timetable table;
    for (int i = 0; i < 250; ++i) table.put("s" + std::to_string(i), hourly(), kStart, kStart);
    QCOMPARE(table.take(kStart + kHours).size(), std::size_t(100));
    QCOMPARE(table.wakeAt(), std::optional(kStart + kHours));
    QCOMPARE(table.take(kStart + kHours).size(), std::size_t(100));
    QCOMPARE(table.take(kStart + kHours).size(), std::size_t(50));
    QCOMPARE(table.wakeAt(), std::optional(kStart + 2 * kHours));
}

void TestScheduleTimetable::aRunThatMeetsTheOneBefore_data() {
    QTest::addColumn<QString>("overlap");
    QTest::addColumn<int>("unfinished");
    QTest::addColumn<int>("step");
    const auto row = [](const char* overlap, int unfinished, Step step) {
        QTest::addRow("%s with %d", overlap, unfinished) << overlap << unfinished << int(step);
    };
    for (const char* overlap : {"skip", "queue", "cancel_previous", "allow"}) row(overlap, 0, Step::Submit);
    row("skip", 1, Step::LeaveOut);
    row("queue", 1, Step::SubmitAfterPrevious);
    row("queue", 99, Step::SubmitAfterPrevious);
    row("queue", 100, Step::LeaveOut);
    row("cancel_previous", 1, Step::CancelAndSubmit);
    row("cancel_previous", 100, Step::CancelAndSubmit);
    row("allow", 1, Step::Submit);
    row("allow", 100, Step::LeaveOut);
}

void TestScheduleTimetable::aRunThatMeetsTheOneBefore() {
    QFETCH(QString, overlap);
    QFETCH(int, unfinished);
    QFETCH(int, step);
    QCOMPARE(int(stepFor(*overlapIn(overlap.toStdString()), std::size_t(unfinished))), step);
}

void TestScheduleTimetable::wordsAreReadAsTheyAreWritten() {
    for (const Missed missed : {Missed::Once, Missed::Skip, Missed::All})
        QCOMPARE(missedIn(missedWord(missed)), std::optional(missed));
    for (const Overlap overlap : {Overlap::Skip, Overlap::Queue, Overlap::CancelPrevious, Overlap::Allow})
        QCOMPARE(overlapIn(overlapWord(overlap)), std::optional(overlap));
    QVERIFY(!missedIn("never"));
    QVERIFY(!overlapIn(""));
}

QTEST_APPLESS_MAIN(TestScheduleTimetable)
#include "tst_timetable.moc"
