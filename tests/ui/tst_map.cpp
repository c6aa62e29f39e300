// One cell for each action of an array, a list or a queue: which states they are in, where the cells are, what the hand
// does with them, and where the window shows them.
#include "tests/ui/operator_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/fold_panel.h"
#include "ui/pages/actions/folded_list.h"
#include "ui/pages/actions/graph_tab.h"
#include "ui/pages/map_pane.h"
#include "ui/pages/queues/queue_work.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/widgets/tabs.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QImage>
#include <QPaintEvent>
#include <QRegion>
#include <QSignalSpy>

#include <cstdlib>

using namespace yard;
using namespace yard::ui;

namespace {

std::vector<MapCell> completed(std::size_t count, qint64 first = 101) {
    std::vector<MapCell> cells(count);
    for (std::size_t i = 0; i < count; ++i)
        cells[i] = {.id = first + static_cast<qint64>(i), .face = DisplayState::Completed};
    return cells;
}

bool isAlike(const QColor& a, const QColor& b) {
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 12;
}

/// "completed failed -".
QString facesOf(const std::vector<MapCell>& cells) {
    QStringList words;
    for (const MapCell& cell : cells)
        words << (cell.face ? QString::fromLatin1(name(*cell.face).data(),
                                                  static_cast<qsizetype>(name(*cell.face).size()))
                            : QString("-"));
    return words.join(' ');
}

/// What of a widget is painted, as it comes.
class PaintedParts final : public QObject {
public:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Paint) all += static_cast<QPaintEvent*>(event)->region();
        return false;
    }
    QRegion all;
};

} // namespace

class TestMap : public test::OperatorTest {
    Q_OBJECT

    ActionsPage* page() { return at<ActionsPage>("actions"); }
    FoldPanel* panel() { return page()->foldPanel(); }
    CellMap* cells() { return panel()->map()->map(); }
    /// Arrays folded, the only row that this filter finds chosen.
    void chooseOnly(const QString& filter) {
        QSettings().setValue("actions/folded", true);
        window_.reset();
        QVERIFY(openWindow());
        page()->setFilter(filter);
        QTRY_COMPARE_WITH_TIMEOUT(page()->folded()->folded()->rowCount(), 1, kSoon);
        page()->folded()->setFocus();
        page()->folded()->selectId(page()->folded()->folded()->idAt(0));
        emit page() -> folded()->selectionEdited();
    }
    /// With the indices 0 to 3; that with 1 fails.
    qint64 submitArray(const QString& label) {
        return submit(label, "test $YARD_INDEX != 1",
                      {{"array", QJsonObject{{"from", 0}, {"to", 3}}}, {"max_retries", 0}});
    }

private slots:
    void initTestCase() { QVERIFY(start("map", {"--capacity", "2"})); }
    void init() {
        QSettings().clear();
        QVERIFY(openWindow());
    }
    void cleanup() { window_.reset(); }

    // --- values

    void statesAreMergedByNumberAndTheLaterOneCounts() {
        std::vector<MapCell> cells = withFace({}, {5, 3, 4}, DisplayState::Pending);
        cells = withFace(cells, {4}, DisplayState::Held);
        cells = withFace(cells, {7, 5}, DisplayState::Failed);
        cells = withFace(cells, {}, DisplayState::Cancelled);
        QCOMPARE(facesOf(cells), QString("pending held failed failed"));
        QCOMPARE(cells.back().id, 7);
    }

    void eachIndexHasItsPlaceAndWhatIsNotSeenHasNoState() {
        const auto placed = inPlaces(withFace({}, {9, 11, 12, 14}, DisplayState::Completed), 10, 4);
        QCOMPARE(facesOf(placed), QString("- completed completed -"));
        QCOMPARE(placed.front().id, 10);
        QVERIFY(inPlaces({}, 10, -1).empty());
    }

    // --- the cells

    void cellsAreAsLargeAsFitAndThenStandForSeveral() {
        CellMap map;
        map.resize(400, 200);
        map.setCells(completed(100), 1);
        QCOMPARE(map.pitch(), 16);
        QCOMPARE(map.perRow() % 10, 0);
        QCOMPARE(map.perCell(), std::size_t{1});
        map.setCells(completed(2'000), 1);
        QCOMPARE(map.pitch(), 3);
        QCOMPARE(map.perCell(), std::size_t{1});
        map.setCells(completed(20'000), 1);
        QCOMPARE(map.perCell(), std::size_t{4});
        QCOMPARE(map.drawn(), std::size_t{5'000});
        QVERIFY(map.areaOf(map.drawn() - 1).bottom() < map.height());
        map.setCells({}, 1);
        QCOMPARE(map.drawn(), std::size_t{0});
    }

    void noMoreThanABoundArePainted() {
        CellMap map;
        map.resize(2'560, 1'440);
        map.setCells(completed(StateMap::kMost), 1);
        QVERIFY(map.drawn() <= CellMap::kMostDrawn);
        map.resize(20, 4); // no room for even one
        map.setCells(completed(1'000), 1);
        QCOMPARE(map.drawn(), std::size_t{1});
    }

    void aCellOfSeveralHasTheWorstOfTheirStates() {
        CellMap map;
        map.resize(400, 200);
        auto many = completed(20'000);
        many[9].face = DisplayState::Failed;
        many[10].face.reset();
        map.setCells(std::move(many), 1);
        QCOMPARE(map.perCell(), std::size_t{4});
        QVERIFY(map.worstOf(1) == DisplayState::Completed);
        QVERIFY(map.worstOf(2) == DisplayState::Failed);
        QCOMPARE(map.wordsOf(2), QString("9 to 12, 1 failed, 2 completed"));
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.areaOf(2).center());
        QCOMPARE(map.current(), 110); // the one that failed
    }

    void arrowsWalkAClickChoosesAndEnterOpens() {
        CellMap map;
        map.resize(400, 200);
        map.setCells(completed(50), 0);
        const qint64 row = map.perRow();
        QSignalSpy chosen(&map, &CellMap::chosen);
        QSignalSpy opened(&map, &CellMap::opened);
        QTest::keyClick(&map, Qt::Key_Return);
        QVERIFY(opened.isEmpty()); // nothing is chosen
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(map.current(), 101);
        QTest::keyClick(&map, Qt::Key_Left);
        QTest::keyClick(&map, Qt::Key_Up);
        QCOMPARE(map.current(), 101);
        QTest::keyClick(&map, Qt::Key_Right);
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.current(), 102 + row);
        QTest::keyClick(&map, Qt::Key_End);
        QCOMPARE(map.current(), 150);
        QTest::keyClick(&map, Qt::Key_Home);
        QCOMPARE(map.current(), 101);
        chosen.clear();
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.areaOf(7).center());
        QCOMPARE(chosen.takeFirst().first().toLongLong(), 108);
        QTest::mouseClick(&map, Qt::LeftButton, {}, QPoint(1, 1));
        QVERIFY(chosen.isEmpty() && opened.isEmpty());
        QTest::keyClick(&map, Qt::Key_Return);
        QCOMPARE(opened.takeFirst().first().toLongLong(), 108);
        QTest::mouseDClick(&map, Qt::LeftButton, {}, map.areaOf(8).center());
        QCOMPARE(opened.takeFirst().first().toLongLong(), 109);
    }

    void aStepPaintsTheTwoCellsAloneThatAreOthers() {
        CellMap map;
        map.resize(400, 200);
        map.setCells(completed(2'000), 1);
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        QTest::keyClick(&map, Qt::Key_Home);
        map.repaint();
        PaintedParts painted;
        map.installEventFilter(&painted);
        QTest::keyClick(&map, Qt::Key_End);
        QCoreApplication::sendPostedEvents(&map, QEvent::UpdateRequest); // nothing else comes between
        QTRY_VERIFY_WITH_TIMEOUT(!painted.all.isEmpty(), kSoon);
        QVERIFY(painted.all.contains(map.areaOf(0).center()));
        QVERIFY(painted.all.contains(map.areaOf(1'999).center()));
        QVERIFY(!painted.all.contains(map.areaOf(1'000).center()));
    }

    void thePointerTellsTheCellBelowIt() {
        CellMap map;
        map.resize(400, 200);
        map.setCells(completed(3), 1);
        QSignalSpy shown(&map, &CellMap::tipShown);
        QHelpEvent onCell(QEvent::ToolTip, map.areaOf(1).center(), QPoint(5, 5));
        QCoreApplication::sendEvent(&map, &onCell);
        QCOMPARE(shown.takeFirst().first().toLongLong(), 102);
        QHelpEvent beside(QEvent::ToolTip, QPoint(1, 1), QPoint(5, 5));
        QCoreApplication::sendEvent(&map, &beside);
        QVERIFY(shown.isEmpty());
    }

    void whatWasChosenStaysSoWhileItIsThere() {
        CellMap map;
        map.resize(400, 200);
        map.setCells(completed(50), 1);
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.areaOf(7).center());
        map.setCells(completed(40, 105), 1);
        QCOMPARE(map.current(), 108);
        map.setCells(completed(40, 201), 1);
        QCOMPARE(map.current(), 0);
    }

    void eachCellIsSaidInWords() {
        CellMap map;
        map.resize(400, 200);
        auto some = completed(3);
        some[1].face = DisplayState::Failed;
        some[2].face.reset();
        map.setCells(std::move(some), 4);
        const auto parts = map.spokenParts();
        QCOMPARE(parts.size(), std::size_t{3});
        QCOMPARE(parts[1].name, QString("5, 102, failed"));
        QCOMPARE(parts[2].name, QString("6, 103, not known"));
        QCOMPARE(parts[1].area, map.areaOf(1));
        QVERIFY(map.spokenValue().isEmpty());
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.areaOf(1).center());
        QCOMPARE(map.spokenValue(), parts[1].name);
        QCOMPARE(QAccessible::queryAccessibleInterface(&map)->role(), QAccessible::List);
        map.setCells(completed(2'000), 1);
        QCOMPARE(map.spokenParts().size(), AccessibleText::kMostParts);
    }

    void statesAreToldApartInBothSchemes() {
        CellMap map;
        map.resize(400, 200);
        auto some = completed(2);
        some[1].face = DisplayState::Failed;
        map.setCells(std::move(some), 1);
        for (const auto choice : {Theme::Choice::Dark, Theme::Choice::Light}) {
            theme_->choose(choice);
            QImage picture(map.size(), QImage::Format_RGB32);
            map.render(&picture);
            const QPoint good = map.areaOf(0).center();
            QCOMPARE(picture.pixelColor(good), theme_->fillOf(DisplayState::Completed));
            const QRect bad = map.areaOf(1);
            bool hasInk = false;
            for (int x = bad.left(); x <= bad.right(); ++x)
                hasInk =
                    hasInk || isAlike(picture.pixelColor(x, bad.center().y()), theme_->inkOf(DisplayState::Failed));
            QVERIFY(hasInk);
        }
        theme_->choose(Theme::Choice::System);
    }

    // --- where they are shown

    void anArrayHasAMapOfWhichACellLeadsToItsAction() {
        const qint64 first = submitArray("mapped_{index}");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(first + 1), QString("failed"), kSoon);
        for (const qint64 lsn : {first, first + 2, first + 3})
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        chooseOnly("label:mapped_*");
        QVERIFY(panel()->isVisible() && !page()->detail()->isVisible());
        QCOMPARE(panel()->first(), first);
        QTRY_COMPARE_WITH_TIMEOUT(facesOf(cells()->cells()), QString("completed failed completed completed"),
                                  kSoon);
        QCOMPARE(panel()->map()->summary(), QString("1 cell = 1 action"));
        QVERIFY(panel()->map()->told().isEmpty());
        QCOMPARE(cells()->wordsOf(1), QStringLiteral("1, %1, failed").arg(grouped(first + 1)));
        QTest::keyClick(cells(), Qt::Key_Home);
        QTest::keyClick(cells(), Qt::Key_Right);
        QCOMPARE(cells()->current(), first + 1);
        QTRY_VERIFY_WITH_TIMEOUT(panel()->map()->told().contains("mapped_1, Failed"), kSoon);
        QVERIFY(panel()->map()->told().startsWith(QStringLiteral("index 1, %1, ").arg(grouped(first + 1))));
        QTest::keyClick(cells(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(page()->detail()->isVisible(), kSoon);
        QCOMPARE(page()->detail()->lsn(), first + 1);
        QVERIFY(!panel()->isVisible());
        QCOMPARE(panel()->first(), 0);
    }

    void itsPanelIsClosedAndOpenedAgainByKeys() {
        submit("panel_{index}", "true", {{"hold", true}, {"array", QJsonObject{{"from", 0}, {"to", 1}}}});
        chooseOnly("label:panel_*");
        QVERIFY(panel()->isVisible());
        QVERIFY(page()->closeInnermost());
        QVERIFY(!panel()->isVisible());
        QTest::keyClick(page()->folded(), Qt::Key_Space);
        QVERIFY(panel()->isVisible());
        QTest::keyClick(window_.get(), Qt::Key_2, Qt::AltModifier);
        QVERIFY(!panel()->map()->isVisible() && panel()->graph()->isVisible());
        QTest::keyClick(window_.get(), Qt::Key_3, Qt::AltModifier); // it has none
        QCOMPARE(panel()->tabs()->current(), int(FoldPanel::kGraph));
        QTest::keyClick(window_.get(), Qt::Key_1, Qt::AltModifier);
        QVERIFY(panel()->map()->isVisible() && !page()->detail()->isVisible());
        emit panel() -> closed();
        QVERIFY(!panel()->isVisible());
        ask("POST", "jobs/cancel", QJsonObject{{"filter", "label:panel_*"}});
    }

    void cellsFollowTheStates() {
        submit("follow_{index}", "true", {{"hold", true}, {"array", QJsonObject{{"from", 0}, {"to", 1}}}});
        chooseOnly("label:follow_*");
        QTRY_COMPARE_WITH_TIMEOUT(facesOf(cells()->cells()), QString("held held"), kSoon);
        QVERIFY(ask("POST", "jobs/release", QJsonObject{{"filter", "label:follow_*"}}).ok());
        QTRY_COMPARE_WITH_TIMEOUT(facesOf(cells()->cells()), QString("completed completed"), kSoon);
    }

    void aQueueHasAMapOfAllItsActions() {
        const qint64 queue = makeQueue("with-map");
        submit("one", "true", {{"hold", true}}, queue);
        const qint64 second = submit("two", "exit 1", {{"max_retries", 0}}, queue);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->queue(queue) != nullptr, kSoon);
        window_->navigation().showThing("queues", queue);
        auto* queues = qobject_cast<QueuesPage*>(window_->navigation().page());
        QVERIFY(queues != nullptr);
        QueueWork* work = queues->work();
        QVERIFY(!work->map()->isVisible());
        click(work->tabs(), work->tabs()->tabArea(1).center());
        QVERIFY(work->map()->isVisible() && !work->chart()->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(facesOf(work->map()->map()->cells()), QString("held failed"), kSoon);
        for (int step = 0; step < 10 && QApplication::focusWidget() != work->map()->map(); ++step)
            press(Qt::Key_F6);
        QCOMPARE(QApplication::focusWidget(), work->map()->map());
        QTest::mouseClick(work->map()->map(), Qt::LeftButton, {}, work->map()->map()->areaOf(1).center());
        QTRY_VERIFY_WITH_TIMEOUT(work->map()->told().contains("two, Failed"), kSoon);
        QTest::keyClick(work->map()->map(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("actions"), kSoon);
        QCOMPARE(page()->detail()->lsn(), second);
        ask("POST", "jobs/cancel", QJsonObject{{"filter", "label:one"}});
    }

    void whatWaitsInAQueueThatIsHeldIsPendingAndItsNoteSaysWhy() {
        const qint64 queue = makeQueue("held-map");
        QVERIFY(ask("POST", QStringLiteral("queues/%1/hold").arg(queue)).ok());
        submit("waits", "true", {}, queue);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->queue(queue) != nullptr, kSoon);
        window_->navigation().showThing("queues", queue);
        auto* queues = qobject_cast<QueuesPage*>(window_->navigation().page());
        QVERIFY(queues != nullptr);
        MapPane* pane = queues->work()->map();
        click(queues->work()->tabs(), queues->work()->tabs()->tabArea(1).center());
        QTRY_COMPARE_WITH_TIMEOUT(facesOf(pane->map()->cells()), QString("pending"), kSoon);
        QTest::keyClick(pane->map(), Qt::Key_Home);
        QTRY_VERIFY_WITH_TIMEOUT(pane->told().contains("its queue is held"), kSoon);
        QVERIFY(ask("POST", QStringLiteral("queues/%1/release").arg(queue)).ok());
        QTRY_COMPARE_WITH_TIMEOUT(facesOf(pane->map()->cells()), QString("completed"), kSoon);
    }

    void moreThanThereIsRoomForIsSaid() {
        StateMap states(*window_->engine().state());
        QSignalSpy changed(&states, &StateMap::changed);
        states.show({.filter = "lsn:1..600000", .first = 1, .count = 600'000});
        states.setActive(true);
        QVERIFY(!changed.isEmpty());
        QVERIFY2(states.problem().contains(grouped(600'000)), qPrintable(states.problem()));
        QVERIFY(states.cells().empty());
        // Another one is another question.
        states.show({.filter = "label:nobody"});
        QVERIFY(states.problem().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(states.isRead(), kSoon);
        QVERIFY(states.cells().empty() && states.problem().isEmpty());
    }

    void aFilterThatTheEngineDoesNotTakeIsSaid() {
        StateMap states(*window_->engine().state());
        states.show({.filter = "sate:failed"});
        states.setActive(true);
        QTRY_VERIFY_WITH_TIMEOUT(states.problem().contains("sate"), kSoon);
        QVERIFY(!states.isRead());
    }
};

QTEST_MAIN(TestMap)
#include "tst_map.moc"
