// Levels of detail against the spans themselves: what they merge they do not lose.
#include "core/model/states.h"
#include "core/timeline/levels.h"
#include "tests/support/show_strings.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>
#include <random>

using namespace yard;
using namespace yard::timeline;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr WallMicros kNoon = 1'800'000'000 * kSecond;
constexpr std::size_t kMany = 10'000'000;

bool everyone(std::uint32_t) {
    return true;
}

/// One after another in each of some lanes, with pauses; now and then one is long, now and then one fails.
std::vector<Span> aDay(int lanes, int each, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Span> spans;
    std::vector<double> at(std::size_t(lanes), 0.0);
    for (int i = 0; i < each; ++i)
        for (int lane = 0; lane < lanes; ++lane) {
            double& now = at[std::size_t(lane)];
            now += std::exponential_distribution(0.5)(random);
            const double length = std::exponential_distribution(random() % 100 == 0 ? 0.01 : 0.3)(random);
            Span span;
            span.lsn = Lsn{std::int64_t(spans.size()) + 1};
            span.worker = std::uint32_t(lane % 2);
            span.slot = std::uint32_t(lane);
            span.begin = kNoon + static_cast<std::int64_t>(now * kSecond);
            span.end = span.begin + static_cast<std::int64_t>(length * kSecond);
            if (random() % 500 == 0) span.state = ActionState::Failed;
            spans.push_back(span);
            now += length;
        }
    std::ranges::sort(spans, {}, &Span::end);
    return spans;
}

struct Sums {
    std::int64_t count = 0;
    double covered = 0;        ///< seconds
    std::int64_t failures = 0; ///< columns and bars that show one
};

Sums sumsOf(const View& view) {
    Sums sums;
    for (const LaneView& lane : view.lanes) {
        for (const Span& bar : lane.bars) {
            ++sums.count;
            sums.covered +=
                static_cast<double>(std::min(bar.end, view.to) - std::max(bar.begin, view.from)) / kSecond;
            sums.failures += bar.state == ActionState::Failed;
        }
        for (const Column& column : lane.columns) {
            sums.count += column.count;
            sums.covered += column.covered * static_cast<double>(view.resolution) / kSecond;
            sums.failures += column.count > 0 && column.state == ActionState::Failed;
        }
    }
    return sums;
}

View draw(const Levels& levels, WallMicros from, WallMicros to, std::int64_t resolution) {
    Raster raster(from, to, resolution, kMany);
    levels.draw(raster, from, to, resolution, everyone);
    return raster.finish();
}

} // namespace

class LevelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsMergedIsNotLost_data();
    void whatIsMergedIsNotLost();
    void everyFailureIsSeen();
    void anHourOfADayIsThatHour();
    void aPictureCostsWhatItShows();
    void whatIsOldGoesWhenThereIsTooMuch();
    void finePicturesAreDrawnElsewhere();
    void oneWorkerIsDrawnAlone();
};

void LevelsTest::whatIsMergedIsNotLost_data() {
    QTest::addColumn<qint64>("seconds");
    for (const int seconds : {60, 100, 960, 5'000, 14'400, 100'000})
        QTest::addRow("%d s a step", seconds) << qint64(seconds);
}

void LevelsTest::whatIsMergedIsNotLost() {
    QFETCH(qint64, seconds);
    const std::vector<Span> spans = aDay(8, 5'000, 1);
    Levels levels;
    for (const Span& span : spans) levels.add(span);
    const WallMicros to = spans.back().end + 1;
    const std::int64_t step = seconds * kSecond;
    QVERIFY(levels.covers(kNoon, step));
    Raster naive(kNoon, to, step, kMany);
    for (const Span& span : spans) naive.add(span);
    const Sums expected = sumsOf(naive.finish());
    const Sums got = sumsOf(draw(levels, kNoon, to, step));
    QCOMPARE(got.count, expected.count);
    QVERIFY2(std::abs(got.covered - expected.covered) < expected.covered / 100 + 1,
             fmt::format("{} {}", got.covered, expected.covered).c_str());
}

void LevelsTest::everyFailureIsSeen() {
    const std::vector<Span> spans = aDay(4, 5'000, 2);
    Levels levels;
    for (const Span& span : spans) levels.add(span);
    const WallMicros to = spans.back().end + 1;
    for (const std::int64_t step : {60 * kSecond, 960 * kSecond, 14'400 * kSecond}) {
        const View view = draw(levels, kNoon, to, step);
        for (const Span& span : spans) {
            if (span.state != ActionState::Failed) continue;
            const auto lane = std::ranges::find(view.lanes, span.slot, &LaneView::slot);
            QVERIFY(lane != view.lanes.end());
            const bool isBar = std::ranges::find(lane->bars, span.lsn, &Span::lsn) != lane->bars.end();
            // A segment shows its worst once: in the column of the failure, or half a step before.
            const auto shows = [&](const Column& column) {
                return column.state == ActionState::Failed && column.t <= span.begin &&
                       span.begin < column.t + 2 * step;
            };
            QVERIFY(isBar || std::ranges::any_of(lane->columns, shows));
        }
    }
}

void LevelsTest::anHourOfADayIsThatHour() {
    const std::vector<Span> spans = aDay(3, 5'000, 3);
    Levels levels;
    for (const Span& span : spans) levels.add(span);
    const WallMicros from = kNoon + 7'200 * kSecond;
    const WallMicros to = from + 3'600 * kSecond;
    Raster naive(from, to, 60 * kSecond, kMany);
    for (const Span& span : spans) naive.add(span);
    const Sums expected = sumsOf(naive.finish());
    const Sums got = sumsOf(draw(levels, from, to, 60 * kSecond));
    QVERIFY2(std::abs(got.covered - expected.covered) < expected.covered / 50 + 30,
             fmt::format("{} {}", got.covered, expected.covered).c_str());
    QVERIFY(std::abs(got.count - expected.count) <= 3 * 60);
    const View none =
        draw(levels, spans.back().end + 10'000 * kSecond, spans.back().end + 20'000 * kSecond, 60 * kSecond);
    QCOMPARE(none.lanes.size(), std::size_t(0));
}

void LevelsTest::aPictureCostsWhatItShows() {
    // A million in a day: as many columns as the picture has, whatever is behind them.
    const std::vector<Span> spans = aDay(10, 20'000, 5);
    Levels levels;
    for (const Span& span : spans) levels.add(span);
    const View view = draw(levels, kNoon, kNoon + 86'400 * kSecond, 600 * kSecond);
    QCOMPARE(view.lanes.size(), std::size_t(10));
    for (const LaneView& lane : view.lanes) QVERIFY(lane.columns.size() <= 145);
}

void LevelsTest::whatIsOldGoesWhenThereIsTooMuch() {
    Levels levels(100);
    Span span;
    span.lsn = Lsn{1};
    // Too far apart to be merged, so each is a segment of its own.
    for (int i = 0; i < 1'000; ++i) {
        span.begin = kNoon + std::int64_t(i) * 10'000 * kSecond;
        span.end = span.begin + (i % 2 ? kSecond : 100 * kSecond);
        levels.add(span);
    }
    const std::int64_t step = 60 * kSecond;
    QVERIFY(!levels.covers(kNoon, step));
    QVERIFY(!levels.covers(kNoon, 100'000 * kSecond));
    const WallMicros recent = kNoon + std::int64_t(990) * 10'000 * kSecond;
    QVERIFY(levels.covers(recent, step));
    const Sums sums = sumsOf(draw(levels, recent, recent + 200'000 * kSecond, step));
    QCOMPARE(sums.count, 10);
}

void LevelsTest::finePicturesAreDrawnElsewhere() {
    const Levels levels;
    QVERIFY(!levels.covers(kNoon, 59 * kSecond));
    QVERIFY(levels.covers(kNoon, Levels::kCoarsest));
}

void LevelsTest::oneWorkerIsDrawnAlone() {
    Levels levels;
    for (const Span& span : aDay(4, 100, 6)) levels.add(span);
    Raster raster(kNoon, kNoon + 86'400 * kSecond, 60 * kSecond, kMany);
    levels.draw(raster, kNoon, kNoon + 86'400 * kSecond, 60 * kSecond,
                [](std::uint32_t worker) { return worker == 1; });
    const View view = raster.finish();
    std::string shown;
    for (const LaneView& lane : view.lanes) shown += fmt::format("{} ", lane.slot);
    QCOMPARE(shown, std::string("1 3 "));
}

QTEST_APPLESS_MAIN(LevelsTest)
#include "tst_levels.moc"
