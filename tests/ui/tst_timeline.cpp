// The timeline: the widget by mouse and keys, for screen readers, as a picture; the page on the real program.
#include "tests/support/waiting.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/painted.h"
#include "tests/ui/real_engine.h"
#include "tests/ui/timeline_answers.h"
#include "tests/ui/timeline_fixed.h"
#include "ui/bridge/attached_link.h"
#include "ui/pages/timelines/selection_strip.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_access.h"

#include <QAccessible>
#include <QFile>
#include <QJsonArray>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

using namespace yard;
using namespace yard::ui;
using namespace yard::ui::timeline;
using yard::test::demo;
using yard::test::kNoon;

namespace {

constexpr int kSoon = kWaitMs;
} // namespace

class TestTimeline : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

    /// A view of a minute of demo() on 1000 pixels.
    struct Shown {
        test::FixedTimeline data;
        TimelineView view{data};
        Shown() {
            data.set(demo());
            view.resize(kLabels + 1'000 + kRight, 600);
            view.setRange({kNoon, kNoon + kMinute});
            view.show();
        }
        QPoint at(WallMicros time, int lane = 0) const {
            const double x = kLabels + static_cast<double>(time - kNoon) / kMinute * 1'000;
            return {static_cast<int>(x), kLanesTop + kGroupHead + lane * 18 + 9};
        }
    };

private slots:
    void initTestCase() {
        test::useOwnSettings("timeline");
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
    }

    // --- the widget

    void aClickSelectsTheBarAndArrowsWalkTheLane() {
        Shown shown;
        QTest::mouseClick(&shown.view, Qt::LeftButton, {}, shown.at(kNoon + 10 * kSecond));
        QVERIFY(shown.view.selected().has_value());
        QCOMPARE(shown.view.selected()->item.lsn, 7);
        QTest::keyClick(&shown.view, Qt::Key_Right);
        QCOMPARE(shown.view.selected()->item.lsn, 8);
        QTest::keyClick(&shown.view, Qt::Key_Right);
        QTest::keyClick(&shown.view, Qt::Key_Right); // stays at the last
        QCOMPARE(shown.view.selected()->item.lsn, 9);
        QSignalSpy opened(&shown.view, &TimelineView::opened);
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QTest::keyClick(&shown.view, Qt::Key_L, Qt::ControlModifier);
        QCOMPARE(opened.size(), 2);
        QCOMPARE(opened[0][0].toLongLong(), 9);
        QCOMPARE(opened[1][1].toString(), QString("output"));
        QTest::mouseClick(&shown.view, Qt::LeftButton, {}, shown.at(kNoon + 40 * kSecond));
        QVERIFY(!shown.view.selected());
    }

    void theFocusIsFramedForKeysAndNotForTheMouse() {
        Shown shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.view));
        const auto isFramed = [&] {
            return shown.view.grab().toImage().pixelColor(0, 300) == (*theme_)(Token::Accent);
        };
        shown.view.setFocus(Qt::TabFocusReason);
        QTRY_VERIFY_WITH_TIMEOUT(shown.view.hasFocus() && isFramed(), kSoon);
        QTest::mouseClick(&shown.view, Qt::LeftButton, {}, shown.at(kNoon + 10 * kSecond));
        QVERIFY(shown.view.hasFocus() && !isFramed());
        QTest::keyClick(&shown.view, Qt::Key_Right);
        QVERIFY(isFramed());
    }

    void aBarOverASeamHasItsLabelOnce() {
        const Picture picture = demo();
        const Lane& lane = picture.groups.front().lanes.begin()->second;
        QWidget surface;
        surface.resize(1'000, 40);
        const test::Painted painted(surface, [&](QPainter& painter) {
            LanePainter bars(painter, TimeScale({kNoon, kNoon + kMinute}, 0, 1'000), 18, picture.now, 1);
            const QRectF row(0, 0, 1'000, 18);
            const WallMicros seam = kNoon + 10 * kSecond; // in the middle of the first bar
            bars.paint(row, lane, *picture.names, {kNoon, seam});
            bars.paint(row, lane, *picture.names, {seam, kNoon + kMinute});
        });
        QCOMPARE(painted.text().count("brick_worn"), 1);
        QCOMPARE(painted.text().count("foliage_wind"), 1);
    }

    void theWheelZoomsAroundThePointerAndEndsFollowing() {
        Shown shown;
        shown.view.follow();
        QVERIFY(shown.view.isFollowing());
        shown.view.setRange({kNoon, kNoon + kMinute});
        QVERIFY(!shown.view.isFollowing());
        const QPointF at(shown.at(kNoon + 15 * kSecond));
        QWheelEvent wheel(at, shown.view.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&shown.view, &wheel);
        QCOMPARE(shown.view.range().length(), static_cast<std::int64_t>(kMinute / 1.25));
        const TimeScale scale(shown.view.range(), kLabels, 1'000);
        QVERIFY(std::abs(scale.timeAt(at.x()) - (kNoon + 15 * kSecond)) < 2'000);
        QTest::keyClick(&shown.view, Qt::Key_End);
        QVERIFY(shown.view.isFollowing());
        const TimeScale followed(shown.view.range(), kLabels, 1'000);
        QVERIFY(std::abs(followed.xOf(shown.data.now()) - (kLabels + 960)) < 1);
    }

    void aDragPansAndADragOnTheRulerSelectsARangeThatEnterShows() {
        Shown shown;
        const QPoint start = shown.at(kNoon + 40 * kSecond);
        QTest::mousePress(&shown.view, Qt::LeftButton, {}, start);
        QTest::mouseMove(&shown.view, start + QPoint(50, 0));
        QTest::mouseMove(&shown.view, start + QPoint(100, 0));
        QTest::mouseRelease(&shown.view, Qt::LeftButton, {}, start + QPoint(100, 0));
        QVERIFY(std::abs(shown.view.range().from - (kNoon - 6 * kSecond)) < kSecond / 5);
        shown.view.setRange({kNoon, kNoon + kMinute});
        const QPoint ruler(kLabels + 250, kMapHeight + 10);
        QTest::mousePress(&shown.view, Qt::LeftButton, {}, ruler);
        QTest::mouseMove(&shown.view, ruler + QPoint(250, 0));
        QTest::mouseRelease(&shown.view, Qt::LeftButton, {}, ruler + QPoint(250, 0));
        QTest::keyClick(&shown.view, Qt::Key_Return);
        QVERIFY(std::abs(shown.view.range().from - (kNoon + 15 * kSecond)) < kSecond / 5);
        QVERIFY(std::abs(shown.view.range().length() - 15 * kSecond) < kSecond / 5);
    }

    void aFilterCountsAndF3GoesFromMatchToMatch() {
        Shown shown;
        QCOMPARE(shown.view.counts().all, 3);
        shown.view.setFilter("state:failed,running");
        QCOMPARE(shown.view.counts().matching, 2);
        QTest::keyClick(&shown.view, Qt::Key_F3);
        QCOMPARE(shown.view.selected()->item.lsn, 8);
        QTest::keyClick(&shown.view, Qt::Key_F3);
        QCOMPARE(shown.view.selected()->item.lsn, 9);
        QTest::keyClick(&shown.view, Qt::Key_F3);
        QCOMPARE(shown.view.selected()->item.lsn, 8);
    }

    void lettersGoToTheFilterAndControlWheelChangesLanes() {
        Shown shown;
        QSignalSpy typed(&shown.view, &TimelineView::typed);
        QTest::keyClick(&shown.view, 'f');
        QCOMPARE(typed.size(), 1);
        const QPointF at(shown.at(kNoon));
        QWheelEvent wheel(at, at, {}, {0, 120}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&shown.view, &wheel);
        QCOMPARE(shown.view.laneHeight(), 24);
    }

    void theCardTellsTheSplitAndNeverLiesOverTheBar() {
        Shown shown;
        QTest::mouseMove(&shown.view, shown.at(kNoon + 25 * kSecond));
        HoverCard* card = shown.view.card();
        QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kSoon);
        QCOMPARE(card->title(), QString("foliage_wind"));
        QVERIFY(std::ranges::any_of(card->lines(),
                                    [](const HoverCard::Line& line) { return line.value.contains("run 10.0 s"); }));
        const QRectF bar = shown.view.hoveredAt(shown.at(kNoon + 25 * kSecond)).area;
        QVERIFY(!bar.intersects(card->geometry()));
        QVERIFY(shown.view.rect().contains(card->geometry()));
        QTest::keyPress(&shown.view, Qt::Key_Control);
        QVERIFY(card->isPinned());
        QVERIFY(shown.view.clearInnermost());
        QVERIFY(!card->isVisible());
        QTest::mouseMove(&shown.view, shown.at(kNoon + 40 * kSecond));
        QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kSoon);
        QVERIFY(card->title().contains("idle"));
    }

    void theCardNamesTheGpuThatItWasGiven() {
        Shown shown;
        shown.data.setDetails({{"resources_given", QJsonObject{{"gpus", QJsonArray{"1"}}}}});
        QTest::mouseMove(&shown.view, shown.at(kNoon + 25 * kSecond));
        HoverCard* card = shown.view.card();
        QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kSoon);
        QVERIFY(std::ranges::any_of(card->lines(), [](const HoverCard::Line& line) {
            return line.key == "given" && line.value == "gpus 1";
        }));
    }

    void cardsFlipToStayInside() {
        const QRectF inside(200, 0, 1'000, 600);
        QCOMPARE(cardRect({356, 150}, {300, 100, 20, 18}, inside), QRect(300, 130, 356, 150));
        QCOMPARE(cardRect({356, 150}, {300, 500, 20, 18}, inside), QRect(300, 338, 356, 150));
        QCOMPARE(cardRect({356, 150}, {1'190, 100, 20, 18}, inside).right(), 1'199);
        const QRect beside = cardRect({356, 590}, {300, 290, 20, 18}, inside);
        QVERIFY(beside.left() > 320);
    }

    void screenReadersFindLanesWithTheirBarsInWords() {
        Shown shown;
        QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&shown.view);
        QVERIFY(access != nullptr);
        QCOMPARE(access->role(), QAccessible::Table);
        QCOMPARE(access->childCount(), 4); // three graphs, then lanes
        QAccessibleInterface* lane = access->child(3);
        QCOMPARE(lane->text(QAccessible::Name), QString("exec slot 1"));
        QCOMPARE(lane->childCount(), 3);
        QVERIFY(lane->child(1)->text(QAccessible::Name).startsWith("Failed, 8, foliage_wind, exec slot 1"));
        QCOMPARE(access->indexOfChild(lane), 3);
        QCOMPARE(lane->indexOfChild(lane->child(2)), 2);
    }

    void screenReadersAreToldWhatTheGraphsSay() {
        Shown shown;
        shown.view.setMachine({16, 64e9, 0});
        QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&shown.view);
        QAccessibleInterface* processor = access->child(0);
        QCOMPARE(processor->role(), QAccessible::Chart);
        QCOMPARE(processor->text(QAccessible::Name), QString("Processor, of 16 cores"));
        QCOMPARE(processor->text(QAccessible::Value), QString("no data"));
        const Range range = shown.view.range();
        const double none = std::numeric_limits<double>::quiet_NaN();
        Figures figures;
        figures.range = range;
        figures.step = 1'000'000;
        figures.t = {range.from - 5'000'000, range.from, range.from + 1'000'000, range.from + 2'000'000};
        figures.cores = {15, 2, 8, none}; // what is before the view is not told
        figures.memory = {1e9, 2e9, 4e9, 3e9};
        figures.pending = {900, 10, 12, 1'100};
        shown.data.setFigures(figures);
        QCOMPARE(access->childCount(), 4); // counted again, made again
        processor = access->child(0);
        QCOMPARE(processor->text(QAccessible::Value),
                 QString("last 8.00 cores, between 2.00 cores and 8.00 cores"));
        QCOMPARE(access->child(1)->text(QAccessible::Value), QString("last 3.00 GB, between 2.00 GB and 4.00 GB"));
        QCOMPARE(access->child(2)->text(QAccessible::Value), QString("last 1,100, between 10 and 1,100"));
        const QPoint within = processor->rect().center();
        QCOMPARE(access->childAt(within.x(), within.y()), processor);
    }

    void aPictureOfWhatIsShownHasTheBars() {
        Shown shown;
        QImage image(shown.view.size(), QImage::Format_RGB32);
        QPainter painter(&image);
        shown.view.paintTo(painter);
        painter.end();
        const QColor failed = image.pixelColor(shown.at(kNoon + 27 * kSecond));
        QCOMPARE(failed, theme_->fillOf(DisplayState::Failed));
        QCOMPARE(image.pixelColor(shown.at(kNoon + 13 * kSecond)), theme_->fillOf(DisplayState::Completed));
        QCOMPARE(image.pixelColor(shown.at(kNoon + 17 * kSecond)), (*theme_)(Token::Lane));
    }

    void slotsOfAllWorkersAsOneGroup() {
        Shown shown;
        shown.view.setBySlot(true);
        QCOMPARE(shown.view.visibleBars().size(), std::size_t{3});
        QVERIFY(shown.view.store().isBySlot());
    }

    // --- the page

    void thePageShowsRealWorkFindsItAndExportsIt() {
        test::RealEngine engine;
        QVERIFY(engine.start());
        MainWindow window;
        window.engine().set(std::make_unique<AttachedLink>(engine.address(), engine.token()), "embedded");
        window.resize(1'280, 720);
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(window.engine().state()->isLive(), kSoon);
        window.engine().commands()->run(operations::submit(
            QJsonObject{
                {"worker", "exec"}, {"argv", QJsonArray{"sh", "-c", "sleep 0.3; exit 3"}}, {"label", "will fail"}},
            0, {}));
        window.navigation().show("timelines");
        auto* page = qobject_cast<TimelinesPage*>(window.navigation().page());
        QVERIFY(page != nullptr);
        QVERIFY(page->view()->isFollowing());
        page->view()->setRange(
            {page->view()->data().now() - 20 * kSecond, page->view()->data().now() + 5 * kSecond});
        page->view()->follow();
        page->setFilter("will");
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->counts().matching >= 1, kSoon);
        page->view()->selectNextMatch();
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->selected().has_value() && !page->view()->selected()->item.isOpen(),
                                 kSoon);
        QVERIFY(page->strip()->title().contains("will fail"));
        QTest::keyClick(page->view(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(page->showsTable());
        QVERIFY(page->table()->rows()->rowCount() >= 1);
        QVERIFY(page->closeInnermost());
        QTemporaryDir directory;
        for (const auto& [name, kind] :
             {std::pair("a.png", TimelinesPage::Export::Png), std::pair("a.svg", TimelinesPage::Export::Svg),
              std::pair("a.json", TimelinesPage::Export::Trace)}) {
            page->exportTo(directory.filePath(name), kind);
            QTRY_VERIFY_WITH_TIMEOUT(QFile(directory.filePath(name)).size() > 500, kSoon);
        }
        QFile trace(directory.filePath("a.json"));
        QVERIFY(trace.open(QIODevice::ReadOnly));
        QVERIFY(trace.readAll().contains("will fail"));
        page->exportTo(directory.filePath("no/such/a.png"), TimelinesPage::Export::Png);
        QVERIFY(!QFile::exists(directory.filePath("no/such/a.png")));
    }
};

QTEST_MAIN(TestTimeline)
#include "tst_timeline.moc"
