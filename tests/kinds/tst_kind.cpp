// What one kind remembers: figures, changes, what works now and then; and that all of it is bounded.
#include "core/kinds/kind.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

using namespace yard;
using namespace yard::kinds;

namespace {

constexpr WallMicros kSecond = 1'000'000;
constexpr WallMicros kDay = 86'400 * kSecond;
constexpr WallMicros kStart = 20'000 * kDay;

Run completed(double duration, WallMicros end = kStart, std::uint64_t work = 1) {
    Run run{.kind = "w:f", .version = "1", .machine = "here", .end = end};
    run.duration = duration;
    run.cpu = duration / 2;
    run.memory = 1e6;
    run.work = work;
    return run;
}
Run failed(Reason reason = Reason::ExitCode, std::uint64_t work = 1, std::int64_t lsn = 1) {
    Run run = completed(1.0, kStart, work);
    run.reason = reason;
    run.lsn = Lsn{lsn};
    return run;
}

/// Runs of a duration that varies by 5 per cent.
void addMany(Kind& kind, int count, double level, std::string_view version, std::string_view machine = "here") {
    std::mt19937_64 random(5);
    std::normal_distribution<double> of(level, level * 0.05);
    for (int i = 0; i < count; ++i) {
        Run run = completed(of(random), kStart + static_cast<WallMicros>(kind.total().runs) * kSecond);
        run.version = version;
        run.machine = machine;
        if (kind.add(run)) (void)kind.look();
    }
}

} // namespace

class TestKind : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsAreCountedByVersionMachineAndDay() {
        Kind kind("w:f");
        (void)kind.add(completed(1.0));
        Run other = completed(3.0, kStart + kDay);
        other.version = "2";
        other.machine = "there";
        (void)kind.add(other);
        (void)kind.add(failed(Reason::Signal));
        QCOMPARE(kind.total().runs, std::uint64_t{3});
        QCOMPARE(kind.total().failed, std::uint64_t{1});
        QCOMPARE(kind.total().reasons[std::to_underlying(Reason::Signal)], 1u);
        QCOMPARE(kind.versions().size(), std::size_t{2});
        QCOMPARE(kind.versions()[0].figures.runs, std::uint64_t{2});
        QCOMPARE(kind.machines()[1].name, std::string("there"));
        QCOMPARE(kind.days().size(), std::size_t{2});
        QCOMPARE(kind.days()[0].figures.failed, std::uint64_t{1});
        QCOMPARE(kind.last(), kStart + kDay);
    }
    void durationsAreThoseOfWhatCompleted() {
        Kind kind("w:f");
        (void)kind.add(completed(1.0));
        (void)kind.add(failed());
        QCOMPARE(kind.total()[Quantity::Duration].count(), std::uint64_t{1});
        QCOMPARE(kind.total()[Quantity::Memory].count(), std::uint64_t{2});
        QCOMPARE(kind.total()[Quantity::Wait].count(), std::uint64_t{0});
    }
    void daysBecomeWeeksAndNothingIsLostBeforeHalfAYear() {
        Kind kind("w:f");
        for (int day = 0; day < 100; ++day) (void)kind.add(completed(1.0, kStart + day * kDay));
        QCOMPARE(kind.days().size(), Kind::kMaxDays);
        std::uint64_t runs = 0;
        for (const PeriodFigures& week : kind.weeks()) {
            QVERIFY(week.figures.runs <= 7);
            runs += week.figures.runs;
        }
        QCOMPARE(runs, std::uint64_t{100 - Kind::kMaxDays});
        QCOMPARE(kind.since(kStart + 95 * kDay).runs, std::uint64_t{5});
        QCOMPARE(kind.since(0).runs, std::uint64_t{100});
    }
    void aClockThatIsSetBackLosesNoRun() {
        Kind kind("w:f");
        for (int day = 100; day > 0; --day) (void)kind.add(completed(1.0, kStart + day * kDay));
        (void)kind.add(completed(1.0, -5));
        std::uint64_t runs = 0;
        for (const PeriodFigures& day : kind.days()) runs += day.figures.runs;
        QCOMPARE(runs, std::uint64_t{101});
        QCOMPARE(kind.last(), kStart + 100 * kDay);
    }
    void versionsAndMachinesAreBoundedAndTheOneLongestUnseenGoes() {
        Kind kind("w:f");
        for (int i = 0; i < 600; ++i) {
            const std::string name = std::to_string(i);
            Run run = completed(1.0, kStart + i * kSecond);
            run.version = run.machine = name;
            (void)kind.add(run);
        }
        QCOMPARE(kind.versions().size(), Kind::kMaxNamed);
        QCOMPARE(kind.machines().size(), Kind::kMaxNamed);
        QCOMPARE(kind.versions().back().name, std::string("599"));
    }

    // --- changes

    void aKindTwentyPerCentSlowerAtRun500Of1000IsFoundWithTheVersionThatDidIt() {
        Kind kind("w:f");
        addMany(kind, 500, 1.0, "1.2");
        QVERIFY(!kind.regression());
        addMany(kind, 500, 1.2, "1.3");
        QCOMPARE(kind.changes().size(), std::size_t{1});
        const auto found = kind.regression();
        QVERIFY(found);
        QCOMPARE(found->version, std::string("1.3"));
        QCOMPARE(found->machine, std::string());
        QVERIFY(found->ratio() > 1.12 && found->ratio() < 1.23);
        const auto run = (found->t - kStart) / kSecond;
        QVERIFY2(run >= 490 && run <= 505, qPrintable(QString::number(run)));
    }
    void aMachineThatCameIsNamedWhereTheVersionStayed() {
        Kind kind("w:f");
        addMany(kind, 100, 1.0, "1", "fast");
        addMany(kind, 100, 2.0, "1", "slow");
        QVERIFY(kind.regression());
        QCOMPARE(kind.regression()->machine, std::string("slow"));
        QCOMPARE(kind.regression()->version, std::string());
    }
    void aChangeWithoutAVersionOrMachineNamesNone() {
        Kind kind("w:f");
        addMany(kind, 100, 1.0, "1");
        addMany(kind, 100, 2.0, "1");
        QVERIFY(kind.regression());
        QCOMPARE(kind.regression()->version + kind.regression()->machine, std::string());
    }
    void whatGotBetterAgainIsNoRegressionAnyMore() {
        Kind kind("w:f");
        addMany(kind, 100, 1.0, "1");
        addMany(kind, 100, 1.5, "2");
        addMany(kind, 100, 1.0, "3");
        QCOMPARE(kind.changes().size(), std::size_t{2});
        QVERIFY(!kind.regression());
    }
    void memoryIsLookedAtToo() {
        Kind kind("w:f");
        for (int i = 0; i < 200; ++i) {
            Run run = completed(1.0, kStart + i * kSecond);
            run.memory = (i < 100 ? 1e8 : 2e8) + 1'000.0 * (i * 37 % 100);
            if (kind.add(run)) (void)kind.look();
        }
        QVERIFY(kind.regression());
        QVERIFY(kind.regression()->what == ChangeOf::Memory);
        QVERIFY(kind.regression()->before < 1.01e8);
    }
    void aChangeIsFoundAlsoWhereOneCannotLookAsOftenAsItRuns() {
        Kind kind("w:f");
        std::mt19937_64 random(9);
        std::normal_distribution<double> of(1.0, 0.05);
        for (int i = 0; i < 400'000; ++i) {
            const bool due = kind.add(completed((i < 200'000 ? 1.0 : 1.3) * of(random), kStart + i * 100));
            if (due && i % 10'000 == 0) (void)kind.look();
        }
        QCOMPARE(kind.changes().size(), std::size_t{1});
    }

    // --- what works now and then

    void theSameInputsThatWorkAndFailAreFlaky() {
        Kind kind("w:f");
        for (std::uint64_t i = 0; i < 30; ++i) (void)kind.add(completed(1.0, kStart, i));
        for (std::int64_t i = 0; i < 3; ++i) (void)kind.add(failed(Reason::ExitCode, 5, 100 + i));
        QVERIFY(kind.flakiness().isFlaky());
        QCOMPARE(kind.mixedWorks(), std::size_t{1});
        QCOMPARE(kind.works()[5].lsns[0].value, std::int64_t{102});
    }
    void inputsThatNeverWorkedAreNotFlaky() {
        Kind kind("w:f");
        for (std::uint64_t i = 0; i < 30; ++i) (void)kind.add(completed(1.0, kStart, i));
        for (int i = 0; i < 30; ++i) (void)kind.add(failed(Reason::ExitCode, 99));
        QVERIFY(!kind.flakiness().isFlaky());
        QCOMPARE(kind.mixedWorks(), std::size_t{0});
    }
    void oneRetryAmongAThousandRunsIsNotFlaky() {
        Kind kind("w:f");
        for (std::uint64_t i = 0; i < 1'000; ++i) {
            Run run = completed(1.0, kStart, i);
            run.failedBefore = i == 500 ? 1 : 0;
            (void)kind.add(run);
        }
        QVERIFY(!kind.flakiness().isFlaky());
    }
    void aRetryThatWorkedShowsThatTheInputsDo() {
        Kind kind("w:f");
        for (std::uint64_t i = 0; i < 20; ++i) {
            Run run = completed(1.0, kStart, i);
            run.failedBefore = i % 4 == 0 ? 1 : 0;
            (void)kind.add(run);
        }
        QVERIFY(kind.flakiness().isFlaky());
        QCOMPARE(kind.mixedWorks(), std::size_t{5});
    }
    void interruptionsAreNoFailuresOfItsOwn() {
        Kind kind("w:f");
        (void)kind.add(completed(1.0));
        for (int i = 0; i < 10; ++i) (void)kind.add(failed(Reason::EngineDied));
        QVERIFY(!kind.flakiness().isFlaky());
        QCOMPARE(kind.total().failed, std::uint64_t{10});
    }
    void inputsAreBoundedAndThoseThatDidBothStay() {
        Kind kind("w:f");
        (void)kind.add(completed(1.0, kStart, 7));
        (void)kind.add(failed(Reason::ExitCode, 7));
        for (std::uint64_t i = 100; i < 5'000; ++i) (void)kind.add(completed(1.0, kStart, i));
        QCOMPARE(kind.works().size(), Kind::kMaxWorks);
        QCOMPARE(kind.mixedWorks(), std::size_t{1});
    }
    void linesAreCountedAndBounded() {
        Kind kind("w:f");
        const std::string longLine(5'000, 'x');
        Run run = failed();
        run.line = longLine;
        (void)kind.add(run);
        run.line = "cannot open <path>";
        for (int i = 0; i < 3; ++i) (void)kind.add(run);
        for (int i = 0; i < 100; ++i) {
            const std::string line = "line " + std::to_string(i);
            run.line = line;
            (void)kind.add(run);
        }
        QCOMPARE(kind.lines().size(), Kind::kMaxLines);
        QCOMPARE(kind.lines().front().line, std::string("cannot open <path>"));
        QCOMPARE(kind.lines().front().count, 3u);
    }

    // --- what comes next

    void aKindThatNeverCompletedHasNoEstimate() {
        Kind kind("w:f");
        (void)kind.add(failed());
        QVERIFY(!kind.estimate(Quantity::Duration));
    }
    void anEstimateIsSurerWithMoreRuns() {
        Kind few("w:f"), many("w:f");
        addMany(few, 10, 2.0, "1");
        addMany(many, 1'000, 2.0, "1");
        const auto wide = few.estimate(Quantity::Duration);
        const auto narrow = many.estimate(Quantity::Duration);
        QVERIFY(wide && narrow);
        QVERIFY(*narrow->low <= narrow->median && narrow->median <= *narrow->high);
        QVERIFY(narrow->median > 1.95 && narrow->median < 2.05);
        QVERIFY(*narrow->high - *narrow->low < *wide->high - *wide->low);
        QCOMPARE(narrow->runs, std::uint64_t{1'000});
        Kind five("w:f"), six("w:f");
        addMany(five, 5, 2.0, "1");
        addMany(six, 6, 2.0, "1");
        QVERIFY(!five.estimate(Quantity::Duration)->low && !five.estimate(Quantity::Duration)->high);
        QVERIFY(six.estimate(Quantity::Duration)->low && six.estimate(Quantity::Duration)->high);
    }
    void memoryIsLearnedFromTwentyRunsOn() {
        Kind kind("w:f");
        for (int i = 0; i < 19; ++i) (void)kind.add(completed(1.0));
        QVERIFY(!kind.learnedMemory());
        (void)kind.add(completed(1.0));
        const double learned = kind.learnedMemory().value_or(0);
        QVERIFY2(learned > 1.13e6 && learned < 1.17e6, qPrintable(QString::number(learned)));
    }
};

QTEST_APPLESS_MAIN(TestKind)
#include "tst_kind.moc"
