// Scale, lanes, marks and rows of the timeline: pure geometry.
#include "ui/timeline/lane_layout.h"
#include "ui/timeline/marks.h"

#include <QTest>
#include <algorithm>
#include <random>

using namespace yard;
using namespace yard::ui;
using namespace yard::ui::timeline;

namespace {

constexpr WallMicros kNoon = 1'800'000'000'000'000;

Item bar(WallMicros begin, WallMicros end, DisplayState face = DisplayState::Completed, qint64 lsn = 1) {
    Item item;
    item.begin = begin;
    item.running = begin;
    item.exited = end;
    item.end = end;
    item.face = face;
    item.lsn = lsn;
    return item;
}

std::vector<timeline::Mark> marksOf(const Lane& lane, const TimeScale& scale, WallMicros now = kNoon) {
    std::vector<timeline::Mark> marks;
    layMarks(lane, scale, scale.range(), now, 1, marks);
    return marks;
}

/// Whether the pixel of this time has a mark of this face.
bool showsAt(const std::vector<timeline::Mark>& marks, double x, DisplayState face) {
    return std::ranges::any_of(marks, [&](const timeline::Mark& mark) {
        return mark.face == face && mark.from <= x + 0.01 && mark.to >= x - 0.01;
    });
}

Lane randomLane(std::mt19937& random, std::size_t count) {
    std::vector<Item> items;
    WallMicros at = kNoon;
    const std::array faces{DisplayState::Completed, DisplayState::Completed, DisplayState::Completed,
                           DisplayState::Cancelled, DisplayState::Abandoned};
    for (std::size_t i = 0; i < count; ++i) {
        const auto length =
            static_cast<WallMicros>(1'000 << (random() % 14)) + static_cast<WallMicros>(random() % 999);
        items.push_back(
            bar(at, at + length, random() % 97 == 0 ? DisplayState::Failed : faces[random() % faces.size()]));
        at += length + static_cast<WallMicros>(random() % 4'000'000 / (1 + random() % 500));
    }
    return Lane(std::move(items));
}

} // namespace

class TestTimelineGeometry : public QObject {
    Q_OBJECT
private slots:
    void zoomKeepsWhatIsUnderThePointer() {
        const TimeScale scale({kNoon, kNoon + kHour}, 200, 1'000);
        const WallMicros under = scale.timeAt(450);
        const TimeScale closer(scale.zoomed(1 / 1.25, 450), 200, 1'000);
        QCOMPARE(closer.range().length(), static_cast<std::int64_t>(kHour / 1.25));
        QVERIFY(std::abs(closer.timeAt(450) - under) <= 2);
    }

    void zoomStopsAtTenMillisecondsAndThirtyDays() {
        TimeScale scale({kNoon, kNoon + kHour}, 0, 1'000);
        for (int i = 0; i < 200; ++i) scale = TimeScale(scale.zoomed(1 / 1.25, 500), 0, 1'000);
        QCOMPARE(scale.range().length(), kNarrowest);
        for (int i = 0; i < 200; ++i) scale = TimeScale(scale.zoomed(1.25, 500), 0, 1'000);
        QCOMPARE(scale.range().length(), kWidest);
    }

    void panMovesByPixels() {
        const TimeScale scale({kNoon, kNoon + 1'000 * kSecond}, 0, 1'000);
        QCOMPARE(scale.panned(10).from, kNoon - 10 * kSecond);
        QCOMPARE(scale.panned(-10).to, kNoon + 1'010 * kSecond);
    }

    void rulerStepsAreTheSmallestWithLabelsApart_data() {
        QTest::addColumn<qint64>("length");
        QTest::addColumn<qint64>("step");
        QTest::newRow("10 ms") << qint64{kNarrowest} << qint64{kMillisecond};
        QTest::newRow("5 min") << qint64{5 * kMinute} << qint64{30 * kSecond};
        QTest::newRow("40 min") << qint64{40 * kMinute} << qint64{5 * kMinute};
        QTest::newRow("day") << qint64{kDay} << qint64{3 * kHour};
        QTest::newRow("30 days") << qint64{kWidest} << qint64{7 * kDay};
    }
    void rulerStepsAreTheSmallestWithLabelsApart() {
        QFETCH(qint64, length);
        QFETCH(qint64, step);
        QCOMPARE(rulerStep(static_cast<double>(length) / 1'000), std::int64_t{step});
    }

    void ticksFollowTheWallClockOverAChangeOfItsOffset() {
        const QTimeZone zone("Europe/Berlin");
        // 2026-03-29: at 02:00 it becomes 03:00.
        const WallMicros day = QDateTime(QDate(2026, 3, 29), QTime(0, 0), zone).toMSecsSinceEpoch() * 1'000;
        QStringList labels;
        for (const WallMicros tick : ticks({day, day + 12 * kHour}, 3 * kHour, zone))
            labels << tickLabel(tick, 3 * kHour, zone);
        QCOMPARE(labels, QStringList({"Sun 29 Mar", "03:00", "06:00", "09:00", "12:00"}));
    }

    void labelsHaveSecondsAndMillisecondsOnlyWhenTheStepNeedsThem() {
        const WallMicros at = kNoon + 123 * kMillisecond;
        QCOMPARE(tickLabel(at, kMinute, QTimeZone::utc()), QString("08:00"));
        QCOMPARE(tickLabel(at, kSecond, QTimeZone::utc()), QString("08:00:00"));
        QCOMPARE(tickLabel(at, kMillisecond, QTimeZone::utc()), QString("08:00:00.123"));
        QCOMPARE(tickLabel(startOfDay(at, QTimeZone::utc()), kHour, QTimeZone::utc()), QString("Fri 15 Jan"));
        QCOMPARE(cursorLabel(at, 300'000, QTimeZone::utc()), QString("08:00:00.1"));
    }

    void aLaneAnswersLikeALookAtEveryItem() {
        std::mt19937 random(7);
        const Lane lane = randomLane(random, 3'000);
        for (int i = 0; i < 2'000; ++i) {
            const std::size_t first = random() % lane.size();
            const std::size_t last = first + 1 + random() % (lane.size() - first);
            int worst = 0;
            double covered = 0;
            for (std::size_t k = first; k < last; ++k) {
                worst = std::max(worst, severity(lane[k]));
                covered += static_cast<double>(lane[k].end - lane[k].begin);
            }
            QCOMPARE(lane.worst(first, last), worst);
            QCOMPARE(lane.covered(first, last), covered);
            const WallMicros at = lane[last - 1].begin + static_cast<WallMicros>(random() % 3) - 1;
            std::size_t from = first;
            while (from < lane.size() && lane[from].begin < at) ++from;
            QCOMPARE(lane.firstFrom(at, first), from);
            std::size_t ends = 0;
            while (ends < lane.size() && lane[ends].end <= at) ++ends;
            QCOMPARE(lane.firstEndingAfter(at), ends);
        }
        const std::size_t failure = lane.firstOf(severity(DisplayState::Failed), 0);
        QVERIFY(failure < lane.size() && lane[failure].face == DisplayState::Failed);
        QVERIFY(std::none_of(lane.items().begin(), lane.items().begin() + static_cast<std::ptrdiff_t>(failure),
                             [](const Item& item) { return item.face == DisplayState::Failed; }));
        QCOMPARE(lane.firstOf(severity(DisplayState::Running), 0), lane.size());
    }

    void noFailureIsLostAtAnyZoom() {
        std::mt19937 random(11);
        const Lane lane = randomLane(random, 4'000);
        const WallMicros end = lane[lane.size() - 1].end;
        for (std::int64_t length = 20 * kMillisecond; length < 4 * (end - kNoon); length *= 3) {
            for (int i = 0; i < 12; ++i) {
                const WallMicros from = kNoon - length / 2 + static_cast<WallMicros>(random() % (end - kNoon));
                const TimeScale scale({from, from + length}, 200, 1'064);
                const auto marks = marksOf(lane, scale);
                QVERIFY(marks.size() < 1'064 + 2);
                for (const Item& item : lane.items()) {
                    if (item.face != DisplayState::Failed || item.end <= from || item.begin >= from + length)
                        continue;
                    const double x = std::max(scale.xOf(item.begin), 200.0);
                    QVERIFY2(showsAt(marks, x, DisplayState::Failed), qPrintable(QString::number(x)));
                }
            }
        }
    }

    void failuresArePaintedLastSoThatNothingHidesThem() {
        const Lane lane({bar(kNoon, kNoon + kSecond, DisplayState::Failed), bar(kNoon + kSecond, kNoon + kMinute)});
        const auto marks = marksOf(lane, TimeScale({kNoon, kNoon + kHour}, 0, 1'000));
        QCOMPARE(marks.size(), std::size_t{2});
        QCOMPARE(marks.back().face, DisplayState::Failed);
        QCOMPARE(marks.back().alpha, 1.0F);
    }

    void marksAreBarsBlocksOrColumnsByTheirWidth() {
        const Lane lane({bar(kNoon, kNoon + 10 * kSecond), bar(kNoon + kMinute, kNoon + kMinute + 4 * kSecond),
                         bar(kNoon + 2 * kMinute, kNoon + 2 * kMinute + kSecond / 2)});
        const auto marks = marksOf(lane, TimeScale({kNoon, kNoon + 1'000 * kSecond}, 0, 1'000));
        QCOMPARE(marks.size(), std::size_t{3});
        QCOMPARE(marks[0].kind, timeline::Mark::Kind::Bar);
        QCOMPARE(marks[1].kind, timeline::Mark::Kind::Block);
        QCOMPARE(marks[2].kind, timeline::Mark::Kind::Column);
        QCOMPARE(marks[2].alpha, 0.65F);
    }

    void whatGoesOnEndsNowAndNoLater() {
        Item open = bar(kNoon, 0, DisplayState::Running);
        const Lane lane({open});
        const TimeScale scale({kNoon, kNoon + 1'000 * kSecond}, 0, 1'000);
        QCOMPARE(marksOf(lane, scale, kNoon + 100 * kSecond).front().to, 100.0);
        QVERIFY(lane.at(kNoon + 50 * kSecond, kNoon + 100 * kSecond) == 0);
        QVERIFY(lane.at(kNoon + 150 * kSecond, kNoon + 100 * kSecond) == 1);
    }

    void whatEndedBeforeTheRangeIsNotDrawnThoughSomethingOlderGoesOn() {
        const Lane lane({bar(kNoon, 0, DisplayState::Running),
                         bar(kNoon + kSecond, kNoon + 2 * kSecond, DisplayState::Failed)});
        const auto marks =
            marksOf(lane, TimeScale({kNoon + kMinute, kNoon + 2 * kMinute}, 0, 1'000), kNoon + kHour);
        QCOMPARE(marks.size(), std::size_t{1});
        QCOMPARE(marks.front().face, DisplayState::Running);
    }

    void idleSlotsFoldIntoOneRow() {
        const std::vector<GroupSlots> groups{{"a", "render", {{0, true}, {1, false}, {2, true}, {3, false}}},
                                             {"b", "cook", {{0, true}}}};
        const LaneLayout layout(groups, 18, {}, {});
        QCOMPARE(layout.rows().size(), std::size_t{6});
        QCOMPARE(layout.rows()[3].kind, LayoutRow::Kind::Idle);
        QCOMPARE(layout.rows()[3].count, 2);
        QCOMPARE(layout.height(), 22 + 18 + 18 + 18 + 22 + 18);
        QCOMPARE(layout.rowAt(22), 1);
        QCOMPARE(layout.rowAt(21), 0);
        QCOMPARE(layout.rowAt(layout.height()), -1);
        QCOMPARE(layout.nextLane(2, 1), 5);
        QCOMPARE(layout.nextLane(5, 1), 5);
        QCOMPARE(layout.nextLane(5, -1), 2);
        QCOMPARE(layout.within(0, 23), (std::pair<std::size_t, std::size_t>{0, 2}));
        QCOMPARE(layout.within(22, 40), (std::pair<std::size_t, std::size_t>{1, 2}));
        const LaneLayout folded(groups, 18, {"a"}, {});
        QCOMPARE(folded.rows().size(), std::size_t{3});
        const LaneLayout whole(groups, 18, {}, {"a"});
        QCOMPARE(whole.rowOf(0, 3), 4);
    }

    void laneHeightsAreSix() {
        QCOMPARE(nextLaneHeight(18, 1), 24);
        QCOMPARE(nextLaneHeight(32, 1), 32);
        QCOMPARE(nextLaneHeight(6, -1), 6);
        QCOMPARE(bodyHeight(18), 12);
        QCOMPARE(bodyHeight(10), 8);
    }

    void bySlotPutsAllWorkersOfASlotIntoOneLane() {
        Picture picture;
        picture.groups.push_back({"a", "a", {}});
        picture.groups.push_back({"b", "b", {}});
        picture.groups[0].lanes.emplace(3, Lane({bar(kNoon, kNoon + 1)}));
        picture.groups[1].lanes.emplace(3, Lane({bar(kNoon - 5, kNoon - 4)}));
        const Picture machine = bySlot(picture);
        QCOMPARE(machine.groups.size(), std::size_t{1});
        QCOMPARE(machine.groups[0].lanes.at(3).size(), std::size_t{2});
        QCOMPARE(machine.groups[0].lanes.at(3)[0].begin, kNoon - 5);
    }

    void aSlotOfAWorkerIsFoundAmongThoseOfTheMachine() {
        const auto in = [](Item item, std::uint32_t machineSlot) {
            item.machineSlot = machineSlot;
            return item;
        };
        Picture picture;
        picture.groups.push_back({"a", "a", {}});
        picture.groups.push_back({"b", "b", {}});
        picture.groups[0].lanes.emplace(1, Lane({in(bar(kNoon, kNoon + 1), 4)}));
        picture.groups[0].lanes.emplace(2, Lane({in(bar(kNoon, kNoon + 1), 7)}));
        picture.groups[1].lanes.emplace(1, Lane({in(bar(kNoon - 5, kNoon - 4), 7)}));
        const Picture machine = bySlot(picture);
        QCOMPARE(machine.groups[0].lanes.size(), std::size_t{2});
        QCOMPARE(machine.groups[0].lanes.at(4).size(), std::size_t{1});
        QCOMPARE(machine.groups[0].lanes.at(7).size(), std::size_t{2});
    }
};

QTEST_MAIN(TestTimelineGeometry)
#include "tst_timeline_geometry.moc"
