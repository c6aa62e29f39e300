// Arrays and lists as one row on the Actions page: what a row says, unfolding by keys, the way to all of it, and
// rescheduling what failed.
#include "tests/ui/operator_test.h"
#include "ui/forms/submit_form.h"
#include "ui/pages/actions/actions_elsewhere.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/folded_list.h"
#include "ui/pages/actions/output_search.h"
#include "ui/pages/actions/spec_copies.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/page_head.h"

#include <QAction>
#include <QFile>

#include <algorithm>

using namespace yard;
using namespace yard::ui;

class TestFolded : public test::OperatorTest {
    Q_OBJECT

    ActionsPage* page() { return at<ActionsPage>("actions"); }
    FoldedList* list() { return page()->folded(); }
    FoldedModel* rows() { return list()->folded(); }
    QString cell(int row, FoldedColumn column) { return rows()->cell(row, static_cast<int>(column)).text; }
    bool hasEnded(qint64 first, int count) {
        for (qint64 lsn = first; lsn < first + count; ++lsn)
            if (const QString state = stateOf(lsn); state != "completed" && state != "failed") return false;
        return true;
    }
    /// Four, of which the one with index 1 fails unless the file is there.
    qint64 submitArray(const QString& label, const QString& file) {
        return submit(label, "test $YARD_INDEX != 1 || test -e \"$GO\" || { echo error: no room >&2; exit 1; }",
                      {{"array", QJsonObject{{"from", 0}, {"to", 3}}},
                       {"max_retries", 0},
                       {"env", QJsonObject{{"GO", file}}}});
    }
    /// The button of the head, as an operator finds it.
    void clickSwitch() {
        for (auto* button : page()->findChildren<QAbstractButton*>())
            if (button->text() == "Arrays folded" && button->isVisible())
                return click(button, button->rect().center());
        QFAIL("there is no switch");
    }
    QAction* command(const QString& id) {
        for (QAction* action : page()->commands())
            if (action->objectName() == id) return action;
        return nullptr;
    }

    std::unique_ptr<QMenu> menu_;

private slots:
    void initTestCase() { QVERIFY(start("folded", {"--capacity", "2"})); }
    void init() {
        QSettings().clear();
        QVERIFY(openWindow());
    }
    void cleanup() { window_.reset(); }

    void anArrayIsOneRowWithNumbersOfAll() {
        const qint64 first = submitArray("cliff_{index}", engine_.directory() + "/never");
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(first, 4), kSoon);
        page()->setFilter("label:cliff_*");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        QVERIFY(list()->isVisible() && !page()->table()->isVisible());
        QCOMPARE(cell(0, FoldedColumn::Lsn), grouped(first));
        QCOMPARE(cell(0, FoldedColumn::Index), QString("4 of 4"));
        QCOMPARE(cell(0, FoldedColumn::What), QString("cliff_{index}"));
        QCOMPARE(cell(0, FoldedColumn::Failed), QString("1"));
        QCOMPARE(cell(0, FoldedColumn::Note), QString("error: no room"));
        QCOMPARE(cell(0, FoldedColumn::Again), QString("Reschedule the 1"));
        QTRY_COMPARE_WITH_TIMEOUT(page()->findChild<PageHead*>()->note(), QString("4 in 1 row(s)"), kSoon);
        QVERIFY(QSettings().value("actions/folded").toBool());
        clickSwitch();
        QVERIFY(page()->table()->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 4, kSoon);
    }

    void aNoteHasTheRoomOfTheButtonUnlessItsRowIsAtHand() {
        const qint64 first = submitArray("roomy_{index}", engine_.directory() + "/never");
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(first, 4), kSoon);
        page()->setFilter("label:roomy_*");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        constexpr int kNote = static_cast<int>(FoldedColumn::Note);
        constexpr int kAgain = static_cast<int>(FoldedColumn::Again);
        list()->clearSelection();
        list()->setCurrentIndex({});
        const int note = list()->columnWidth(kNote);
        const int both = note + list()->columnWidth(kAgain);
        QCOMPARE(roomOf(*list(), 0, kNote).width, both);
        QCOMPARE(roomOf(*list(), 0, kAgain).column, kNote);
        QCOMPARE(roomOf(*list(), 0, kAgain).width, both);
        list()->selectRow(0);
        QCOMPARE(roomOf(*list(), 0, kNote).width, note);
        QCOMPARE(roomOf(*list(), 0, kAgain).column, kAgain);
        // What is before them has its own room.
        QCOMPARE(roomOf(*list(), 0, static_cast<int>(FoldedColumn::What)).width,
                 list()->columnWidth(static_cast<int>(FoldedColumn::What)));
        clickSwitch();
    }

    void rightUnfoldsLeftFoldsAndEnterShowsAll() {
        const qint64 first = submitArray("rock_{index}", engine_.directory() + "/never");
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(first, 4), kSoon);
        page()->setFilter("label:rock_*");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        list()->selectId(rows()->idAt(0));
        QTest::keyClick(list(), Qt::Key_Right);
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 3, kSoon);
        QCOMPARE(cell(1, FoldedColumn::State), QString("Failed"));
        QCOMPARE(cell(1, FoldedColumn::Lsn), grouped(first + 1));
        QCOMPARE(cell(1, FoldedColumn::Index), QString("1"));
        QCOMPARE(cell(1, FoldedColumn::What), QString("rock_1"));
        QCOMPARE(cell(2, FoldedColumn::Note), QString("3 more: 3 completed"));
        QCOMPARE(cell(2, FoldedColumn::What), QString("Show all 4"));
        // From a row below it as well.
        list()->selectId(first + 1);
        QTest::keyClick(list(), Qt::Key_Left);
        QCOMPARE(rows()->rowCount(), 1);
        QTest::keyClick(list(), Qt::Key_Right);
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 3, kSoon);
        list()->selectId(restIdOf(first));
        QTest::keyClick(list(), Qt::Key_Return);
        QCOMPARE(page()->filter(), QStringLiteral("lsn:%1..%2").arg(first).arg(first + 3));
        QVERIFY(page()->table()->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 4, kSoon);
    }

    void theMenuOffersWhatGoesWithAnArrayAListOrAnElement() {
        const qint64 first =
            submit("menu_{index}", "true", {{"hold", true}, {"array", QJsonObject{{"from", 4}, {"to", 5}}}});
        page()->setFilter("label:menu_*");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        const auto offered = [&](const QString& text) -> QAction* {
            menu_ = std::make_unique<QMenu>();
            list()->addTo(*menu_);
            for (QAction* action : menu_->actions())
                if (action->text() == text) return action;
            return nullptr;
        };
        QVERIFY(offered("Unfold") == nullptr); // nothing is chosen
        list()->selectId(rows()->idAt(0));
        QVERIFY(offered("Show all 2") != nullptr);
        QVERIFY(!offered("Reschedule the 0 that failed")->isEnabled());
        QVERIFY(offered("Resubmit all of it…")->isEnabled());
        QVERIFY(!offered("Resubmit the 0 that failed…")->isEnabled());
        QVERIFY(offered("Resubmit this index…") == nullptr);
        offered("Unfold")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 2,
                                  kSoon); // none of it failed, runs or waits to be tried again
        QCOMPARE(cell(1, FoldedColumn::Note), QString("2 more: 2 held"));
        offered("Fold")->trigger();
        QCOMPARE(rows()->rowCount(), 1);
        offered("Resubmit all of it…")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChildren<SubmitForm*>().size(), qsizetype{1}, kSoon);
        SubmitForm* form = window_->findChildren<SubmitForm*>().front();
        QCOMPARE(form->actions().toObject().value("array").toObject().value("to").toInt(), 5);
        form->close();
        QTRY_VERIFY_WITH_TIMEOUT(window_->findChildren<SubmitForm*>().isEmpty(), kSoon);
        // One that has no row here, and is not in the panel.
        emit list() -> editWanted(first + 1);
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChildren<SubmitForm*>().size(), qsizetype{1}, kSoon);
        form = window_->findChildren<SubmitForm*>().front();
        QCOMPARE(form->actions().toObject().value("replaces").toInteger(), first + 1);
        form->close();
        menu_.reset();
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(first));
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(first + 1));
    }

    void whatFailedOfAnArrayIsRescheduledFromItsRow() {
        const QString file = engine_.directory() + "/go";
        const qint64 first = submitArray("moss_{index}", file);
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(first, 4), kSoon);
        page()->setFilter("label:moss_*");
        QCOMPARE(blockedWhy(command("again-failed")), QString("Fold arrays first"));
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        QVERIFY(!blockedWhy(command("again-failed")).isEmpty()); // nothing is chosen
        QFile go(file);
        QVERIFY(go.open(QIODevice::WriteOnly));
        go.close();
        clickRow(list(), rows()->idAt(0), static_cast<int>(FoldedColumn::Again));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(first + 1), QString("completed"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(cell(0, FoldedColumn::Failed), QString("0"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(blockedWhy(command("again-failed")).contains("None of it failed"), kSoon);
    }

    void whatIsChosenIsMeantAsAWhole() {
        const qint64 first =
            submit("held_{index}", "true", {{"hold", true}, {"array", QJsonObject{{"from", 0}, {"to", 2}}}});
        const qint64 alone = submit("held_alone", "true", {{"hold", true}});
        page()->setFilter("label:held_*");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 2, kSoon);
        QCOMPARE(rows()->idAt(0), alone);
        QCOMPARE(cell(0, FoldedColumn::State), QString("Held"));
        QCOMPARE(cell(1, FoldedColumn::Index), QString("0 of 3"));
        list()->selectId(rows()->idAt(1));
        QCOMPARE(list()->target().filter, QStringLiteral("lsn:%1..%2").arg(first).arg(first + 2));
        QCOMPARE(list()->target().count, std::optional<qint64>(3));
        list()->selectAll();
        QCOMPARE(list()->target().filter, QStringLiteral("lsn:%1..%2,%3").arg(first).arg(first + 2).arg(alone));
        QCOMPARE(list()->target().count, std::optional<qint64>(4));
        list()->selectId(alone);
        QCOMPARE(list()->target().lsns, std::vector<qint64>{alone});
        // Its outputs are those of all of it.
        list()->selectId(rows()->idAt(1));
        command("search-output")->trigger();
        QCOMPARE(page()->elsewhere().search()->whereText(),
                 QStringLiteral("In all that match lsn:%1..%2").arg(first).arg(first + 2));
        page()->elsewhere().search()->close();
        // What is held is released.
        QVERIFY(list()->isHeld());
        command("hold")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(first, 3), kSoon);
        ask("POST", "jobs/cancel", QJsonObject{{"filter", "label:held_*"}});
    }

    void commandsOfAnArrayGoByTheStatesOfAllOfIt() {
        const QString file = engine_.directory() + "/go-fir";
        const qint64 first = submitArray("fir_{index}", file);
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(first, 4), kSoon);
        page()->setFilter("label:fir_*");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        list()->selectId(rows()->idAt(0));
        QVERIFY(blockedWhy(command("reschedule")).isEmpty());
        QVERIFY(blockedWhy(command("retire")).isEmpty());
        QCOMPARE(blockedWhy(command("cancel")), QString("It has ended already"));
        QVERIFY(!command("hold")->isEnabled());
        // Of the four the one that failed is meant, and told.
        QCOMPARE(list()->againTarget().count, std::optional<qint64>(1));
        QCOMPARE(list()->againTarget().filter,
                 QStringLiteral("lsn:%1..%2 state:failed,abandoned").arg(first).arg(first + 3));
        QVERIFY(page()->yardctlOf(command("reschedule")).contains("state:failed,abandoned"));
        const auto says = [this](const QString& text) {
            return std::ranges::any_of(page()->findChildren<QAbstractButton*>(),
                                       [&](const auto* button) { return button->text() == text; });
        };
        QVERIFY(says("Reschedule 1 action(s)"));
        QFile go(file);
        QVERIFY(go.open(QIODevice::WriteOnly));
        go.close();
        command("reschedule")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(first + 1), QString("completed"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(!blockedWhy(command("reschedule")).isEmpty(), kSoon);
        QVERIFY(says("Reschedule"));
    }

    void anElementWithoutARowHasItsCommandsByItsOwnState() {
        const qint64 first = submitArray("elm_{index}", engine_.directory() + "/never");
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(first, 4), kSoon);
        page()->setFilter("label:elm_*");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        page()->open(first, {}); // as from the map
        QTRY_VERIFY_WITH_TIMEOUT(!command("reschedule")->isEnabled(), kSoon);
        QCOMPARE(blockedWhy(command("cancel")), QString("It has ended already"));
        QVERIFY(command("retire")->isEnabled());
        page()->open(first + 1, {});
        QTRY_VERIFY_WITH_TIMEOUT(!command("cancel")->isEnabled(), kSoon);
        QVERIFY(command("reschedule")->isEnabled());
    }

    void whatIsBehindMoreCanBeReachedWithNothingChosen() {
        QVERIFY(page() != nullptr);
        window_->resize(1'100, 700);
        const auto buttons = page()->findChildren<Button*>();
        const auto more = std::ranges::find_if(buttons, [this](const Button* button) {
            return button->menu() != nullptr && button->menu()->actions().contains(command("fold"));
        });
        QVERIFY(more != buttons.end());
        QVERIFY(!command("hold")->isEnabled());
        QVERIFY((*more)->isEnabled());
        command("fold")->trigger();
        QVERIFY(list()->isVisible());
        QVERIFY((*more)->isEnabled());
    }

    void anotherFilterReplacesTheListUnderAChosenRow() {
        const qint64 before = submit("before_one", "true", {{"hold", true}});
        const qint64 after = submit("after_one", "true", {{"hold", true}});
        page()->setFilter("label:before_*");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        list()->selectId(before);
        QVERIFY(rows()->isFrozen());
        page()->setFilter("label:after_*");
        QVERIFY(list()->selectedIds().empty());
        QTRY_COMPARE_WITH_TIMEOUT(rows()->idAt(0), after, kSoon);
        QCOMPARE(rows()->rowCount(), 1);
        QCOMPARE(rows()->waiting(), 0);
        list()->setFocus();
        QTest::keyClick(list(), Qt::Key_A, Qt::ControlModifier);
        command("cancel")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(after), QString("cancelled"), kSoon);
        QVERIFY(stateOf(before) != "cancelled");
        ask("POST", "jobs/cancel", QJsonObject{{"filter", "label:before_*"}});
    }

    void itIsRememberedAndAListIsCalledLikeItsFirst() {
        const QJsonObject one{{"worker", "exec"}, {"argv", QJsonArray{"true"}}, {"label", "lists"}, {"hold", true}};
        QVERIFY(ask("POST", "jobs", QJsonArray{one, one, one}).ok());
        QSettings().setValue("actions/folded", true);
        window_.reset();
        QVERIFY(openWindow());
        page()->setFilter("label:lists");
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        QVERIFY(list()->isVisible());
        QCOMPARE(cell(0, FoldedColumn::What), QString("lists and 2 other(s)"));
        page()->setFilter("sate:failed");
        QTRY_VERIFY_WITH_TIMEOUT(rows()->problem().contains("sate"), kSoon);
        ask("POST", "jobs/cancel", QJsonObject{{"filter", "label:lists"}});
    }

    void whatWaitsWithinAListWaitsForTheCopy() {
        const QJsonObject build{{"worker", "exec"}, {"id", "compile"}};
        const QJsonObject lint{{"worker", "exec"}, {"id", "same"}};
        const QJsonObject film{
            {"worker", "exec"},
            {"id", "same"},
            {"after", QJsonArray{3, 12, QJsonObject{{"lsn", 13}, {"on", "any"}}, QJsonObject{{"array", 12}}}}};
        const QJsonArray list = listOfCopies({{14, film}, {12, build}, {13, lint}});
        QCOMPARE(list.size(), qsizetype{3});
        QCOMPARE(list.at(0).toObject(), build);
        QCOMPARE(list.at(1).toObject(), (QJsonObject{{"worker", "exec"}, {"id", "copy of 13"}}));
        QCOMPARE(list.at(2).toObject(),
                 (QJsonObject{{"worker", "exec"},
                              {"after", QJsonArray{3, "compile", QJsonObject{{"id", "copy of 13"}, {"on", "any"}},
                                                   QJsonObject{{"array", 12}}}}}));
        QVERIFY(listOfCopies({}).isEmpty());
    }

    void aListIsSubmittedAgainAsAListAndWhatFailedOfAnArrayToo() {
        const QJsonObject parent{
            {"worker", "exec"}, {"argv", QJsonArray{"true"}}, {"label", "copied"}, {"id", "p"}};
        const QJsonObject child{
            {"worker", "exec"}, {"argv", QJsonArray{"true"}}, {"label", "copied"}, {"after", QJsonArray{"p"}}};
        QVERIFY(ask("POST", "jobs", QJsonArray{parent, child}).ok());
        page()->setFilter("label:copied");
        clickSwitch();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        const auto choose = [&](const QString& text) {
            list()->selectId(rows()->idAt(0));
            QMenu menu;
            list()->addTo(menu);
            for (QAction* action : menu.actions())
                if (action->text() == text && action->isEnabled()) return action->trigger();
            QFAIL(qPrintable("no entry " + text));
        };
        choose("Resubmit all of it…");
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChildren<SubmitForm*>().size(), qsizetype{1}, kSoon);
        SubmitForm* form = window_->findChildren<SubmitForm*>().front();
        const QJsonArray copies = form->actions().toArray();
        QCOMPARE(copies.size(), qsizetype{2});
        const QString id = copies.at(0).toObject().value("id").toString();
        QVERIFY(!id.isEmpty());
        const QJsonValue waits = copies.at(1).toObject().value("after").toArray().at(0);
        QCOMPARE(waits.isObject() ? waits.toObject().value("id").toString() : waits.toString(), id);
        QVERIFY(!copies.at(0).toObject().contains("replaces"));
        form->close();
        QTRY_VERIFY_WITH_TIMEOUT(window_->findChildren<SubmitForm*>().isEmpty(), kSoon);
        // Of an array those that failed, each in place of the one before.
        const qint64 first = submitArray("fern_{index}", engine_.directory() + "/never");
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(first, 4), kSoon);
        list()->clearSelection();
        page()->setFilter("label:fern_*");
        QTRY_COMPARE_WITH_TIMEOUT(cell(0, FoldedColumn::Failed), QString("1"), kSoon);
        choose("Resubmit the 1 that failed…");
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChildren<SubmitForm*>().size(), qsizetype{1}, kSoon);
        form = window_->findChildren<SubmitForm*>().front();
        const QJsonArray failed = form->actions().toArray();
        QCOMPARE(failed.size(), qsizetype{1});
        QCOMPARE(failed.at(0).toObject().value("replaces").toInteger(), first + 1);
        QCOMPARE(failed.at(0).toObject().value("array").toObject().value("from").toInt(), 1);
        form->close();
        QTRY_VERIFY_WITH_TIMEOUT(window_->findChildren<SubmitForm*>().isEmpty(), kSoon);
    }

    void whatIsLeftIsToldByState() {
        const QJsonObject json{
            {"lsn", 20},
            {"state", "running"},
            {"fold", QJsonObject{{"first", 10},
                                 {"count", 400},
                                 {"kind", "array"},
                                 {"name", "x {index}"},
                                 {"place", 1'204},
                                 {"failure", QJsonObject{{"line", "error: y"}, {"count", 9}}}}},
            {"states",
             QJsonObject{
                 {"pending", 36}, {"held", 2}, {"retry", 3}, {"running", 2}, {"completed", 350}, {"failed", 12}}}};
        const FoldedRow row = foldedRowOf(json);
        QCOMPARE(row.filter(), QString("lsn:10..409"));
        QCOMPARE(foldOf(row.id()), qint64{10});
        QVERIFY(!isRestId(row.id()) && isRestId(restIdOf(10)) && foldOf(restIdOf(10)) == 10);
        const Row shown = foldedTableRow(row, false, 1);
        QCOMPARE(shown.cells[static_cast<std::size_t>(FoldedColumn::Index)].text, QString("362 of 400"));
        QCOMPARE(shown.cells[static_cast<std::size_t>(FoldedColumn::Note)].text, QString("9 × error: y"));
        QCOMPARE(shown.cells[static_cast<std::size_t>(FoldedColumn::Place)].text, Format().number(1'204));
        const Row idle = foldedTableRow(foldedRowOf({{"lsn", 20}, {"fold", QJsonObject{{"first", 10}}}}), false, 1);
        QCOMPARE(idle.cells[static_cast<std::size_t>(FoldedColumn::Place)].text, Format::unknown());
        std::vector<ActionRow> members(5);
        for (ActionRow& member : members) member.face = DisplayState::Failed;
        const Row rest = foldedRestRow(row, members);
        QCOMPARE(rest.cells[static_cast<std::size_t>(FoldedColumn::Note)].text,
                 QString("395 more: 7 failed, 2 running, 3 retry waiting, 2 held, 31 pending, 350 completed"));
    }
};

QTEST_MAIN(TestFolded)
#include "tst_folded.moc"
