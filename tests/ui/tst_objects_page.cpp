// The page Objects over a link that is played: what its parts say, what its commands ask for, how rows come and stay.
#include "tests/ui/played_objects.h"
#include "ui/pages/objects/actor_strip.h"
#include "ui/pages/objects/new_object_form.h"
#include "ui/pages/objects/orphan_banner.h"
#include "ui/pages/objects/state_view.h"
#include "ui/pages/objects/type_list.h"
#include "ui/style/format.h"
#include "ui/style/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QJsonObject>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <algorithm>

using namespace yard;
using namespace yard::ui;

namespace {

using Played = test::PlayedObjects;
using test::kSecond;
using test::object;
using test::rowsFrom;

QJsonObject orphans() {
    const auto orphan = [](qint64 id, const char* status, const char* reason) {
        return QJsonObject{{"id", id}, {"type", "snapshot"}, {"status", status}, {"reason", reason}};
    };
    return {
        {"orphans", QJsonArray{orphan(1, "started", "status_not_claimed"),
                               orphan(2, "started", "status_not_claimed"), orphan(3, "queued", "create_pending")}},
        {"orphan_count", 3},
        {"stuck", 2}};
}

} // namespace

class TestObjectsPage : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-objects-page");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
    }

    // --- what is shown

    void withoutATypeItSaysWhatObjectsAreAndHowToBegin() {
        Played on;
        QVERIFY(on.tell("types", QJsonObject{{"types", QJsonArray()}}));
        QVERIFY(on.page.isFirst());
        QVERIFY(!on.page.table()->isVisible());
        on.page.takeUpdates();
        QVERIFY(on.tell("types", test::snapshotTypes()));
        QVERIFY(!on.page.isFirst());
        QVERIFY(on.page.table()->isVisible());
    }

    void typesStandWithTheirStatesAndHowManyAreWhere() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        const TableModel* rows = on.page.typeList()->rows();
        QStringList shown;
        for (int row = 0; row < rows->rowCount(); ++row)
            shown << rows->cell(row, 0).text + ' ' + rows->cell(row, 2).text;
        QCOMPARE(shown, QStringList({"snapshot 13385", "queued 412", "started 96", "failed 31", "sealed 12846"}));
        QCOMPARE(rows->cell(1, 0).face, std::optional(DisplayState::Pending));
        QCOMPARE(rows->cell(2, 0).face, std::optional(DisplayState::Running));
        QCOMPARE(rows->cell(3, 0).face, std::optional(DisplayState::Failed));
        QCOMPARE(rows->cell(4, 0).face, std::optional(DisplayState::Completed));
        QCOMPARE(on.page.note(), QString("13385"));
    }

    void aStateIsChosenByMouseAndByKeysAndGivenUpAgain() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        StateView* states = on.page.states();
        QTest::mouseClick(states, Qt::LeftButton, {}, states->chart().place("started")->area.center().toPoint());
        QCOMPARE(on.page.filter(), QString("type:snapshot status:started"));
        states->setFocus();
        QTest::keyClick(states, Qt::Key_Left);
        QCOMPARE(states->current(), QString("queued"));
        QTest::keyClick(states, Qt::Key_Right);
        QTest::keyClick(states, Qt::Key_Down);
        QVERIFY(states->current() == "failed" || states->current() == "started");
        QVERIFY(states->wordsOf("queued").contains("412"));
        QVERIFY(states->wordsOf("queued").contains("started"));
        on.page.typeList()->selectId(on.page.typeList()->rows()->idAt(1));
        QCOMPARE(on.page.filter(), QString("type:snapshot status:queued"));
        on.page.typeList()->selectId(on.page.typeList()->rows()->idAt(2));
        QCOMPARE(on.page.filter(), QString("type:snapshot status:started"));
        QTest::mouseClick(states, Qt::LeftButton, {}, states->chart().place("started")->area.center().toPoint());
        QCOMPARE(on.page.filter(), QString("type:snapshot"));
    }

    void aRowSaysWhereItIsAndWhatComesNext() {
        Played on;
        const qint64 now = wallNow();
        const QJsonArray rows{
            object(9, "started", {{"retry_at", now - kSecond}, {"parent", 7}, {"key", "sdk notes"}}),
            object(8, "queued", {{"retries", 2}, {"last_error", "no such host"}}), object(7, "sealed"),
            object(6, "started", {{"stuck", true}, {"last_error", "HTTP 503"}}), object(5, "elsewhere")};
        const QJsonArray actors{
            QJsonObject{{"key", "work"}, {"ready", true}, {"object", 9}, {"since", now - 3 * kSecond}}};
        const QJsonObject orchestrator{
            {"types", QJsonArray{QJsonObject{{"name", "snapshot"}, {"actors", actors}}}}};
        QVERIFY(on.begin({{"objects", rows}}, orchestrator));
        QCOMPARE(on.cell(9, ObjectColumn::Key), QString("sdk notes"));
        QCOMPARE(on.cell(9, ObjectColumn::NextLook), QString("now"));
        QCOMPARE(on.cell(9, ObjectColumn::Actor), QString("work"));
        QCOMPARE(on.cell(9, ObjectColumn::Parent), QString("7"));
        QVERIFY(on.cell(9, ObjectColumn::Note).startsWith("looked at for 3"));
        QVERIFY(on.cell(8, ObjectColumn::NextLook).startsWith("in "));
        QCOMPARE(on.cell(8, ObjectColumn::Note), QString("no such host; try 3 of 6 next"));
        QCOMPARE(on.page.model()->cell(1, static_cast<int>(ObjectColumn::Status)).face,
                 std::optional(DisplayState::Retry));
        QCOMPARE(on.cell(7, ObjectColumn::NextLook), Format::unknown());
        QCOMPARE(on.cell(7, ObjectColumn::Parent), Format::unknown());
        QCOMPARE(on.cell(6, ObjectColumn::Note), QString("stuck: HTTP 503"));
        QCOMPARE(on.cell(5, ObjectColumn::Status), QString("elsewhere, unknown"));
        const auto status = static_cast<int>(ObjectColumn::Status);
        QVERIFY(on.page.model()->cell(on.page.model()->rowOf(5), status).tip.contains("no such status"));
        QCOMPARE(on.page.model()->cell(on.page.model()->rowOf(9), status).tip, QString());
    }

    void anObjectWhoseTypeIsNotKnownSaysSo() {
        Played on;
        QVERIFY(on.begin({{"objects", QJsonArray{object(1, "queued", {{"type", "gone"}})}}}));
        QCOMPARE(on.cell(1, ObjectColumn::Status), QString("queued, unknown"));
        const Cell cell = on.page.model()->cell(0, static_cast<int>(ObjectColumn::Status));
        QVERIFY2(cell.tip.contains("\"gone\""), qPrintable(cell.tip));
        on.page.table()->selectId(1);
        QVERIFY(on.tell("objects/1", object(1, "queued", {{"type", "gone"}})));
        QCOMPARE(on.page.panel()->about()->facts().front().value, QString("queued, unknown"));
    }

    void actorsSayWhatTheyLookAtAndForHowLongOfTheirLimit() {
        Played on;
        const qint64 now = wallNow();
        const QJsonArray actors{
            QJsonObject{{"key", "work"}, {"ready", true}, {"object", 13'388}, {"since", now - 30 * kSecond}},
            QJsonObject{{"ready", false}, {"since", now}}};
        QVERIFY(on.begin(rowsFrom(1, 1, false),
                         {{"types", QJsonArray{QJsonObject{{"name", "snapshot"}, {"actors", actors}}}}}));
        const auto& cards = on.page.strip()->cards();
        QCOMPARE(cards.size(), std::size_t{3});
        QCOMPARE(cards[0].title, QString("2"));
        QCOMPARE(cards[0].state, QString("at most 4"));
        QCOMPARE(cards[1].title, QString("snapshot, work"));
        QCOMPARE(cards[1].state, QString("busy"));
        QVERIFY2(cards[1].line.contains("of 1 min") && cards[1].line.contains("13388"), qPrintable(cards[1].line));
        QVERIFY(cards[1].share.value_or(0) > 0.4 && cards[1].share.value_or(0) < 0.6);
        QCOMPARE(cards[2].state, QString("starting"));
        QTest::mouseClick(on.page.strip(), Qt::LeftButton, {}, QPoint(on.page.strip()->width() / 4, 10));
        QVERIFY(on.last().startsWith("GET objects/13388"));
    }

    void aTypeWhoseActorDidNotStartSaysWhy() {
        Played on;
        const QJsonObject why{{"name", "snapshot"}, {"actors", QJsonArray()}, {"why", "exit code 1"}};
        QVERIFY(on.begin(rowsFrom(1, 1, false), {{"types", QJsonArray{why}}}));
        QCOMPARE(on.page.strip()->cards().back().line, QString("exit code 1"));
        QCOMPARE(on.page.strip()->cards().back().face, std::optional(DisplayState::Failed));
    }

    void whatNobodyClaimsStandsInABannerAndIsShownByIt() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false), orphans()));
        QVERIFY(on.page.banner()->isVisible());
        QVERIFY2(on.page.banner()->text().startsWith("2 "), qPrintable(on.page.banner()->text()));
        QCOMPARE(on.page.banner()->why(), QString("snapshot in started: no actor looks at this status"));
        QCOMPARE(on.played.state.unclaimed(), 2);
        QCOMPARE(on.cell(1, ObjectColumn::Note), QString("no actor looks at this status"));
        QCOMPARE(on.page.typeList()->rows()->cell(2, 0).face, std::optional(DisplayState::Abandoned));
        QVERIFY(on.page.note().endsWith("2 stuck"));
        on.page.banner()->button()->click();
        QCOMPARE(on.page.filter(), QString("type:snapshot status:started"));
        on.page.takeUpdates();
        QVERIFY(on.tell("orchestrator", QJsonObject()));
        QVERIFY(!on.page.banner()->isVisible());
        QCOMPARE(on.played.state.unclaimed(), 0);
    }

    void manyThatWaitForTheirCreatesAreNoneThatNobodyClaims() {
        Played on;
        const QJsonArray named{
            QJsonObject{{"id", 3}, {"type", "snapshot"}, {"status", "queued"}, {"reason", "create_pending"}}};
        QVERIFY(on.begin(rowsFrom(3, 1, false), {{"orphans", named}, {"orphan_count", 5'000}}));
        QVERIFY(!on.page.banner()->isVisible());
        QCOMPARE(on.played.state.unclaimed(), 0);
    }

    void whatAnObjectIsCalledCannotTurnTheText() {
        Played on;
        const QString turning = QString("a") + QChar(0x202e) + "b";
        QVERIFY(
            on.begin({{"objects", QJsonArray{object(1, turning, {{"key", turning}, {"last_error", turning}})}}}));
        for (const auto column : {ObjectColumn::Key, ObjectColumn::Status, ObjectColumn::Note})
            QVERIFY(!on.cell(1, column).contains(QChar(0x202e)));
    }

    // --- rows come as they are looked at

    void ofALongListOnlyItsBeginningIsAskedForAndMoreWhenItIsScrolled() {
        Played on;
        QAbstractItemModelTester tester(on.page.model());
        QCOMPARE(on.queryOf("objects"), QString("limit=200"));
        QVERIFY(on.begin(rowsFrom(1'000'000, 999'801, true)));
        QCOMPARE(on.page.model()->rowCount(), 200);
        QVERIFY(!on.page.model()->isWhole());
        on.page.model()->fetchMore({});
        QCOMPARE(on.queryOf("objects"), QString("limit=200&cursor=999801"));
        QVERIFY(on.tell("objects", rowsFrom(999'800, 999'601, true)));
        QCOMPARE(on.page.model()->rowCount(), 400);
        QCOMPARE(on.page.model()->idAt(399), 999'601);
        QVERIFY(on.page.note() == "13385");
    }

    void whatIsInViewIsAskedForAgainAndLaidOverTheRows() {
        Played on;
        QAbstractItemModelTester tester(on.page.model());
        QVERIFY(on.begin(rowsFrom(10, 1, false)));
        on.page.takeUpdates();
        QJsonObject next = rowsFrom(12, 2, false);
        QVERIFY(on.tell("objects", next));
        QCOMPARE(on.page.model()->rowCount(), 11);
        QCOMPARE(on.page.model()->idAt(0), 12);
        QCOMPARE(on.page.model()->rowOf(1), -1);
    }

    void rowsBehindAGapAreAskedForAgain() {
        Played on;
        QVERIFY(on.begin(rowsFrom(10, 1, false)));
        on.page.takeUpdates();
        QVERIFY(on.tell("objects", rowsFrom(500, 301, true))); // between 301 and 10 there are others
        QCOMPARE(on.page.model()->rowCount(), 200);
        QCOMPARE(on.page.model()->rowOf(10), -1);
        QVERIFY(on.page.model()->canFetchMore({}));
    }

    void whileARowIsSelectedOthersWaitAndCellsChange() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        emit on.played.state.refreshed();
        QVERIFY(on.tell("objects", QJsonObject{{"objects", QJsonArray{object(4, "queued"), object(3, "started"),
                                                                      object(2, "queued"), object(1, "queued")}}}));
        QCOMPARE(on.page.model()->rowCount(), 3);
        QCOMPARE(on.page.model()->waiting(), 1);
        QCOMPARE(on.cell(3, ObjectColumn::Status), QString("started"));
        on.page.takeUpdates();
        QVERIFY(on.tell("objects", rowsFrom(4, 1, false)));
        QCOMPARE(on.page.model()->rowCount(), 4);
        QCOMPARE(on.page.model()->waiting(), 0);
        QCOMPARE(on.page.table()->selectedIds(), std::vector<qint64>{2});
    }

    void theOldestFirstIsAskedForAsThat() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.model()->sortBy(0, Qt::AscendingOrder);
        QCOMPARE(on.queryOf("objects"), QString("sort=id&limit=200"));
        QVERIFY(on.tell("objects", QJsonObject{{"objects", QJsonArray{object(1, "queued"), object(2, "queued")}}}));
        QCOMPARE(on.page.model()->idAt(0), 1);
        QCOMPARE(on.page.model()->rowOf(2), 1);
    }

    void rowsThatAreNotInOrderAreNotTaken() {
        Played on;
        QVERIFY(on.begin({{"objects", QJsonArray{object(1, "queued"), object(1, "queued"), object(2, "queued")}}}));
        QCOMPARE(on.page.model()->rowCount(), 0);
    }

    // --- the filter

    void theFilterBecomesWhatTheEngineIsAsked() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.setFilter("type:snapshot status:queued parent:12 url:https://a.org/x?y=1&z");
        QTRY_COMPARE(on.queryOf("objects"),
                     QString("type=snapshot&status=queued&parent=12&q=url:https://a.org/x?y=1&z&limit=200"));
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl objects --type 'snapshot' --status 'queued' "
                                                        "--parent 12 --where 'url:https://a.org/x?y=1&z'"));
        QVERIFY(on.tell("objects", rowsFrom(2, 1, false)));
        QCOMPARE(on.page.note(), QString("2"));
    }

    void aFilterThatIsNoneSaysWhyAndIsNotAsked() {
        for (const char* wrong : {"loose", "parent:x", "type:"})
            QVERIFY2(!ObjectFilter::of(wrong).problem.isEmpty(), wrong);
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.setFilter("loose");
        QTRY_COMPARE(on.page.model()->rowCount(), 0);
        QCOMPARE(on.page.table()->message(), ObjectFilter::of("loose").problem);
        QCOMPARE(on.played.link.waiting("objects"), std::size_t{0});
    }

    void anAnswerToAnOlderFilterIsNotShown() {
        Played on;
        QVERIFY(on.tell("types", test::snapshotTypes()));
        on.page.setFilter("type:other");
        QVERIFY(on.tell("objects", rowsFrom(3, 1, false)));
        QCOMPARE(on.page.model()->rowCount(), 0);
        QCOMPARE(on.queryOf("objects"), QString("type=other&limit=200"));
    }

    void aFilterThatTheClockAsksForFirstBeginsWithoutTheOldRows() {
        Played on;
        QVERIFY(on.begin(rowsFrom(1'000, 801, true)));
        on.page.setFilter("type:other");
        emit on.played.state.refreshed(); // before the pause of writing is over
        QCOMPARE(on.page.model()->rowCount(), 0);
        QCOMPARE(on.queryOf("objects"), QString("type=other&limit=200"));
        QVERIFY(on.tell("objects", rowsFrom(900, 899, true)));
        QCOMPARE(on.page.model()->rowCount(), 2);
    }

    void anEngineThatRefusesSaysWhyInPlaceOfTheRows() {
        Played on;
        QVERIFY(on.tell("types", test::snapshotTypes()));
        QVERIFY(on.played.link.answer("objects", Answer{422, {}, {}, "invalid", "Filter by an indexed field."}));
        QCOMPARE(on.page.model()->rowCount(), 0);
        QVERIFY(!on.page.model()->isKnown());
        QCOMPARE(on.page.table()->message(), QString("Filter by an indexed field."));
    }

    void theSameRefusalIsToldOfAnotherFilterToo() {
        Played on;
        const Answer refusal{422, {}, {}, "invalid", "Filter by an indexed field."};
        QVERIFY(on.tell("types", test::snapshotTypes()));
        QVERIFY(on.played.link.answer("objects", refusal));
        on.page.setFilter("loose");
        QTRY_COMPARE(on.page.table()->message(), ObjectFilter::of("loose").problem);
        on.page.setFilter("type:other");
        QTRY_COMPARE(on.queryOf("objects"), QString("type=other&limit=200"));
        QVERIFY(on.played.link.answer("objects", refusal));
        QTRY_COMPARE(on.page.table()->message(), refusal.message);
    }

    void withoutAnAnswerTheRowsStay() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.takeUpdates();
        QVERIFY(on.played.link.answer("objects", Answer{0, {}, {}, {}, "No connection."}));
        QCOMPARE(on.page.model()->rowCount(), 3);
    }

    // --- commands

    void commandsSayWhyTheyCannotBeGiven() {
        Played on;
        QVERIFY(on.begin({{"objects", QJsonArray{object(3, "queued"), object(2, "sealed")}}}));
        for (const char* id : {"look-now", "move-to", "delete", "show-children", "show-parent"})
            QVERIFY2(!on.command(id)->isEnabled(), id);
        on.page.table()->selectId(3);
        for (const char* id : {"look-now", "move-to", "delete", "show-children"})
            QVERIFY2(on.command(id)->isEnabled(), id);
        QVERIFY(!on.command("show-parent")->isEnabled());
        on.page.table()->selectId(2);
        QVERIFY(blockedWhy(on.command("look-now")).contains("ended"));
        QVERIFY(on.command("delete")->isEnabled());
    }

    void commandsAskForWhatTheySay() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        on.command("look-now")->trigger();
        QCOMPARE(on.last(), QString("POST objects/2/look"));
        QCOMPARE(on.page.yardctlOf(on.command("look-now")), QString("yardctl objects look 2"));
        on.command("delete")->trigger();
        QCOMPARE(on.last(), QString("DELETE objects/2"));
        QCOMPARE(on.page.yardctlOf(on.command("delete")), QString("yardctl objects delete 2"));
        on.page.table()->selectAll();
        on.command("look-now")->trigger();
        QCOMPARE(on.last(), QString(R"(POST objects/look {"ids":[3,2,1]})"));
        on.command("delete")->trigger();
        QCOMPARE(on.last(), QString(R"(POST objects/delete {"ids":[3,2,1]})"));
        QVERIFY(!on.command("show-children")->isEnabled());
    }

    void movesAreWhatTheTableAllowsAndOthersByForce() {
        Played on;
        QVERIFY(
            on.begin({{"objects", QJsonArray{object(3, "queued"), object(2, "started"), object(1, "sealed")}}}));
        on.page.table()->selectId(3);
        QCOMPARE(on.movesOffered(false), QStringList({"failed", "started"}));
        QCOMPARE(on.movesOffered(true), QStringList({"sealed"}));
        on.page.table()->selectId(1);
        QCOMPARE(on.movesOffered(false), QStringList());
        QCOMPARE(on.movesOffered(true), QStringList({"failed", "queued", "started"}));
        on.page.table()->selectAll();
        QCOMPARE(on.movesOffered(false), QStringList());
        on.page.table()->selectId(2);
        emit on.page.moveMenu()->aboutToShow();
        for (QAction* action : on.page.moveMenu()->actions())
            if (action->data() == "sealed") action->trigger();
        QCOMPARE(on.last(), QString(R"(POST objects/2/move {"to":"sealed"})"));
        on.page.table()->selectId(1);
        emit on.page.moveMenu()->aboutToShow();
        on.page.moveMenu()->actions().back()->menu()->actions().front()->trigger();
        QVERIFY2(on.last().startsWith(R"(POST objects/1/move {"force":true,"to":)"), qPrintable(on.last()));
    }

    void whatCameToABadEndIsTriedAgainAndWhatIsStuckIsLookedAt() {
        Played on;
        const QJsonArray rows{object(6, "failed"), object(5, "failed"), object(4, "started", {{"stuck", true}}),
                              object(3, "started")};
        QVERIFY(on.begin({{"objects", rows}}));
        on.page.table()->selectId(3);
        QVERIFY(blockedWhy(on.command("retry")).contains("not stuck"));
        QVERIFY(on.page.panel()->retry()->isHidden());
        on.page.table()->selectId(4);
        on.command("retry")->trigger();
        QCOMPARE(on.last(), QString("POST objects/4/look"));
        on.page.table()->selectId(5);
        QVERIFY(!on.page.panel()->retry()->isHidden());
        on.page.panel()->retry()->click();
        QCOMPARE(on.last(), QString(R"(POST objects/5/move {"force":true,"to":"queued"})"));
        QCOMPARE(on.page.yardctlOf(on.command("retry")), operations::moveObjects({5}, "queued", true).yardctl);
        on.page.table()->selectAll();
        QVERIFY(!on.command("retry")->isEnabled());
        QVERIFY(on.page.yardctlOf(on.command("retry")).isEmpty());
    }

    void whatIsHotSaysSo() {
        Played on;
        QVERIFY(on.begin({{"objects", QJsonArray{object(2, "started", {{"hot", true}}), object(1, "started")}}}));
        QVERIFY(on.cell(2, ObjectColumn::Note).startsWith("hot"));
        QCOMPARE(on.cell(1, ObjectColumn::Note), QString());
    }

    void arrowsSayHowManyMovePerMinute() {
        const QJsonArray moves{QJsonObject{{"to", "queued"}, {"per_min", 41.0}},
                               QJsonObject{{"from", "queued"}, {"to", "started"}, {"per_min", 38.2}},
                               QJsonObject{{"from", "started"}, {"to", "failed"}, {"per_min", 0.4}}};
        const QJsonObject type{{"name", "snapshot"}, {"due", 0}, {"actors", QJsonArray()}, {"moves", moves}};
        Played plain;
        QVERIFY(plain.begin(rowsFrom(3, 1, false)));
        QVERIFY(!plain.page.states()->wordsOf("queued").contains("per min"));
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false), {{"types", QJsonArray{type}}}));
        const QString queued = on.page.states()->wordsOf("queued");
        QVERIFY2(queued.contains("41 made per min") && queued.contains("started (38 per min)"), qPrintable(queued));
        QVERIFY(on.page.states()->wordsOf("started").contains("failed (0.4 per min)"));
        const auto picture = [](Played& of) { return of.page.states()->grab().toImage(); };
        QVERIFY(picture(on) != picture(plain));
    }

    void anArrowSaysItsMoveAlsoWhereItsNumberHasNoRoom() {
        const QJsonArray moves{QJsonObject{{"from", "queued"}, {"to", "started"}, {"per_min", 38.2}}};
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false),
                         {{"types", QJsonArray{QJsonObject{
                                        {"name", "snapshot"}, {"actors", QJsonArray()}, {"moves", moves}}}}}));
        StateView* states = on.page.states();
        const auto& arrows = states->chart().arrows();
        const auto arrowOf = [&](const QString& from, const QString& to) {
            return std::ranges::find_if(arrows, [&](const auto& one) { return one.from == from && one.to == to; });
        };
        const auto moved = arrowOf("queued", "started");
        const auto still = arrowOf("started", "sealed");
        QVERIFY(moved != arrows.end() && still != arrows.end());
        QCOMPARE(states->arrowAt(moved->line.back()), &*moved);
        QCOMPARE(states->wordsOf(*moved), QString::fromUtf8("queued → started: 38 per min"));
        QCOMPARE(states->wordsOf(*still), QString::fromUtf8("started → sealed"));
        QVERIFY(states->arrowAt(QPointF(-100, -100)) == nullptr);
        // On a level part, else on an upright one, else nowhere.
        StateChart::Arrow arrow{"a", "b", QPolygonF{{0, 0}, {12, 0}, {12, 80}, {20, 80}}};
        const auto upright = StateView::rateArea(arrow, "1,140");
        QVERIFY(upright.has_value());
        QCOMPARE(upright->center(), QPointF(12, 40));
        arrow.line = QPolygonF{{0, 0}, {120, 0}};
        QCOMPARE(StateView::rateArea(arrow, "1,140")->center(), QPointF(60, 0));
        arrow.line = QPolygonF{{0, 0}, {12, 0}};
        QVERIFY(!StateView::rateArea(arrow, "1,140"));
    }

    void statesSayHowLongObjectsUsuallyStay() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        StateView* states = on.page.states();
        QVERIFY(!states->wordsOf("started").contains("usual stay"));
        const QJsonArray stays{QJsonObject{{"status", "started"}, {"usual_s", 52.6}, {"of", 9}}};
        QVERIFY(on.tell("types/snapshot/stays", QJsonObject{{"stays", stays}}));
        QVERIFY2(states->wordsOf("started").contains("usual stay 52.6 s"), qPrintable(states->wordsOf("started")));
        QVERIFY(!states->wordsOf("queued").contains("usual stay"));
        // Another type has none before they are told.
        QJsonObject other = test::snapshotType();
        other.insert("name", "other");
        states->show(
            readObjectTypes({{"types", QJsonArray{QJsonObject{{"name", "other"}, {"type", other}}}}}).front(), {},
            {}, {});
        QVERIFY(!states->wordsOf("started").contains("usual stay"));
    }

    // --- a new object

    void aNewObjectIsWrittenInAFormAndShownOnceItIsMade() {
        Played on;
        QVERIFY(!on.page.fresh()->isEnabled() || !blockedWhy(on.command("new-object")).isEmpty());
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.setActive(false);
        while (on.tell("objects", rowsFrom(3, 1, false))) continue; // nothing but the form asks from here on
        on.page.fresh()->click();
        NewObjectForm* form = on.page.form();
        QVERIFY(form != nullptr);
        on.command("new-object")->trigger();
        QCOMPARE(on.page.findChildren<NewObjectForm*>().size(), qsizetype{1});
        const auto before = on.played.link.asked.size();
        form->line("fields.depth")->setText("deep");
        form->line("parent")->setText("-1");
        form->create()->click();
        QCOMPARE(on.played.link.asked.size(), before); // nothing is sent
        QCOMPARE(form->row("fields.url")->problem(), QString("Its type wants this"));
        QCOMPARE(form->row("fields.depth")->problem(), QString("This wants a whole number"));
        QCOMPARE(form->row("parent")->problem(), QString("This wants the number of an object"));
        form->line("fields.url")->setText("mailto:a");
        form->line("fields.depth")->setText("3");
        form->line("parent")->setText("7");
        form->line("key")->setText("k");
        form->create()->click();
        QCOMPARE(
            on.last(),
            QString(
                R"(POST objects {"fields":{"depth":3,"url":"mailto:a"},"key":"k","parent":7,"type":"snapshot"})"));
        QVERIFY(on.played.link.answer(
            "objects", Answer{422, {}, QJsonObject{{"field", "parent"}}, "invalid", "No object 7."}));
        QCOMPARE(form->row("parent")->problem(), QString("No object 7."));
        QVERIFY(form->isVisible()); // what was written stays
        form->line("parent")->clear();
        form->status()->setCurrentIndex(form->status()->findData("started"));
        form->create()->click();
        QVERIFY2(on.last().contains(R"("status":"started")"), qPrintable(on.last()));
        QVERIFY(on.played.link.answer("objects", Answer{503, {}, {}, "not_accepting", "A hook failed."}));
        QCOMPARE(form->problem(), QString("A hook failed."));
        form->create()->click();
        QVERIFY(on.tell("objects", QJsonObject{{"id", 900}}));
        QVERIFY(!form->isVisible());
        QVERIFY(on.page.panel()->isVisible());
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl objects show 900"));
    }

    void aFormOfAnotherTypeHasItsFieldsAndKeepsWhatBothHave() {
        test::PlayedContext played;
        QJsonObject json = test::snapshotTypes();
        QJsonArray types = json.value("types").toArray();
        const QJsonObject fields{{"url", QJsonObject{{"type", "string"}}},
                                 {"size", QJsonObject{{"type", "integer"}, {"default", 12}}}};
        const QJsonObject states{{"new", QJsonObject{{"initial", true}}}, {"old", QJsonObject{{"final", true}}}};
        types.append(QJsonObject{{"name", "photo"}, {"type", QJsonObject{{"fields", fields}, {"states", states}}}});
        json.insert("types", types);
        QWidget parent;
        auto* form = new NewObjectForm(played.context(), readObjectTypes(json), "snapshot", [](qint64) {}, &parent);
        QCOMPARE(form->type()->currentData().toString(), QString("snapshot"));
        form->line("fields.url")->setText("mailto:a");
        form->type()->setCurrentIndex(form->type()->findData("photo"));
        QVERIFY(form->line("fields.depth") == nullptr);
        QCOMPARE(form->line("fields.url")->text(), QString("mailto:a"));
        QCOMPARE(form->line("fields.size")->placeholderText(), QString("12"));
        QCOMPARE(form->status()->currentText(), QString("new"));
        form->create()->click();
        QCOMPARE(std::get<0>(played.link.asked.back()).body,
                 QByteArray(R"({"fields":{"url":"mailto:a"},"type":"photo"})"));
    }

    void ofManyThoseThatWereNotMovedAreTold() {
        Played on;
        QVERIFY(on.begin({{"objects", QJsonArray{object(3, "queued"), object(2, "queued")}}}));
        on.page.table()->selectAll();
        emit on.page.moveMenu()->aboutToShow();
        for (QAction* action : on.page.moveMenu()->actions())
            if (action->data() == "started") action->trigger();
        QCOMPARE(on.last(), QString(R"(POST objects/move {"ids":[3,2],"to":"started"})"));
        const QJsonArray refused{QJsonObject{{"id", 2}, {"message", "It was moved meanwhile."}}};
        QVERIFY(on.tell("objects/move", QJsonObject{{"count", 1}, {"refused", refused}}));
        QVERIFY(on.played.window.said.back().contains("It was moved meanwhile."));
    }
};

QTEST_MAIN(TestObjectsPage)
#include "tst_objects_page.moc"
