// The Actions page on a real engine: lists, filters, details and what can be done with one or many, by keys and
// clicks.
#include "tests/ui/window_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/samples_view.h"
#include "ui/pages/actions/state_chips.h"
#include "ui/pages/actions/views_button.h"
#include "ui/state/tonight.h"
#include "ui/widgets/chart.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QSplitter>

using namespace yard;
using namespace yard::ui;

class TestActions : public test::WindowTest {
    Q_OBJECT

    ActionsPage* page() { return at<ActionsPage>("actions"); }
    ActionsModel* model() { return page()->model(); }
    /// What the table shows of this action in this column; empty while it is not there.
    QString cellOf(qint64 lsn, int column) {
        const int row = model()->rowOf(lsn);
        return row < 0 || model()->idAt(row) == 0 ? QString() : model()->cell(row, column).text;
    }
    QString logText() {
        const LogText& text = page()->detail()->output()->view()->text();
        QString all;
        for (std::size_t i = 0; i < text.size(); ++i) all += text.line(i).text + '\n';
        return all;
    }
    static bool has(const std::vector<Fact>& facts, const QString& text) {
        return std::ranges::any_of(facts,
                                   [&](const Fact& f) { return f.name.contains(text) || f.value.contains(text); });
    }

private slots:
    void initTestCase() { QVERIFY(start("actions", {"--capacity", "4"})); }
    void init() {
        QSettings().clear(); // one test's order is not the next one's
        QVERIFY(openWindow());
        page()->setFilter({});
    }
    void cleanup() { window_.reset(); }

    void aSubmittedActionAppearsAndItsEndIsShownInPlace() {
        page();
        const qint64 lsn = submit("appears", "true");
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(lsn, ActionsModel::kState), QString("Completed"), kSoon);
        QCOMPARE(cellOf(lsn, ActionsModel::kWhat), QString("appears"));
    }

    void theFirstErrorLineStandsOnTheRowOfAFailure() {
        const qint64 lsn =
            submit("fails", "echo fine; echo 'x.cpp:3: error: no such thing' >&2; exit 1", {{"max_retries", 0}});
        const qint64 once = lsn != 0 ? lsn : submit("fails", "echo 'x.cpp:3: error: no such thing' >&2; exit 1");
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(once, ActionsModel::kState), QString("Failed"), kSoon);
        QVERIFY(cellOf(once, ActionsModel::kNote).contains("error: no such thing"));
    }

    void aFilterThatIsWrongSaysWhyAndTheRowsStay() {
        const qint64 lsn = submit("stays", "true");
        QTRY_VERIFY_WITH_TIMEOUT(!cellOf(lsn, 0).isEmpty(), kSoon);
        page()->setFilter("sate:failed");
        QTRY_VERIFY_WITH_TIMEOUT(model()->problem().contains("sate"), kSoon);
        QVERIFY(model()->rowOf(lsn) >= 0);
        auto* head = page()->findChild<PageHead*>();
        QCOMPARE(head->note(), QLocale().toString(model()->rowCount()));
        const int filterAt = page()->findChild<FilterField*>()->x();
        page()->setFilter("label:stays");
        QTRY_VERIFY_WITH_TIMEOUT(model()->problem().isEmpty() && model()->rowCount() == 1, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(head->note(), QString("1"), kSoon);
        QCOMPARE(page()->findChild<FilterField*>()->x(), filterAt); // where it is typed nothing moves
    }

    void aChipFiltersByItsStateAndControlAddsAnother() {
        page();
        const auto chips = page()->findChildren<StateChip*>();
        const auto chipOf = [&](DisplayState face) { return *std::ranges::find(chips, face, &StateChip::face); };
        QTest::mouseClick(chipOf(DisplayState::Failed), Qt::LeftButton);
        QCOMPARE(page()->filter(), QString("state:failed"));
        QTest::mouseClick(chipOf(DisplayState::Running), Qt::LeftButton);
        QCOMPARE(page()->filter(), QString("state:running"));
        QTest::mouseClick(chipOf(DisplayState::Running), Qt::LeftButton);
        QCOMPARE(page()->filter(), QString());
    }

    void theChipsCountWhatTheRestOfTheFilterLeaves() {
        submit("chip good", "true");
        const qint64 held = submit("chip held", "true", {{"hold", true}});
        const auto chips = page()->findChildren<StateChip*>();
        const auto count = [&](DisplayState face) {
            return (*std::ranges::find(chips, face, &StateChip::face))->accessibleName().section(", ", 1);
        };
        page()->setFilter("label:\"chip *\"");
        QTRY_COMPARE_WITH_TIMEOUT(count(DisplayState::Completed), QString("1"), kSoon);
        QCOMPARE(count(DisplayState::Held), QString("1"));
        QCOMPARE(count(DisplayState::Pending), QString("0"));
        QCOMPARE(count(DisplayState::Failed), QString("0"));
        // A press replaces the states: these are not those of the list that is shown.
        page()->setFilter("state:failed label:\"chip *\"");
        QCOMPARE(count(DisplayState::Completed), QString("1"));
        // It changes as actions do.
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(held));
        QTRY_COMPARE_WITH_TIMEOUT(count(DisplayState::Cancelled), QString("1"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(count(DisplayState::Held), QString("0"), kSoon);
        // Without another filter they are those of the engine again.
        page()->setFilter({});
        QCOMPARE(count(DisplayState::Completed),
                 QLocale().toString(window_->engine().state()->count(DisplayState::Completed)));
    }

    void aNumberAloneFindsTheActionOfThatNumber() {
        const qint64 lsn = submit("numbered", "true");
        const qint64 named = submit(QStringLiteral("named %1").arg(lsn), "true");
        page()->setFilter(QString::number(lsn));
        QTRY_VERIFY_WITH_TIMEOUT(model()->isCurrent() && model()->rowCount() == 1, kSoon);
        QCOMPARE(model()->idAt(0), lsn);
        QCOMPARE(page()->filter(), QString::number(lsn)); // as it was written
        QVERIFY2(page()->asOperation().yardctl.contains(QStringLiteral("lsn:%1").arg(lsn)),
                 qPrintable(page()->asOperation().yardctl));
        // In quotes it is a word.
        page()->setFilter(QStringLiteral("\"%1\"").arg(lsn));
        QTRY_VERIFY_WITH_TIMEOUT(model()->isCurrent() && model()->rowOf(named) >= 0, kSoon);
        QCOMPARE(model()->rowOf(lsn), -1);
    }

    void anActionThatIsShownIsSelectedAlsoWhereTheListStandsOnIt() {
        const qint64 lsn = submit("stands", "true");
        QTRY_VERIFY_WITH_TIMEOUT(!cellOf(lsn, 0).isEmpty(), kSoon);
        Table* table = page()->table();
        table->clearSelection();
        table->selectionModel()->setCurrentIndex(model()->index(model()->rowOf(lsn), 0),
                                                 QItemSelectionModel::NoUpdate);
        QVERIFY(table->selectedIds().empty());
        window_->navigation().showAction(lsn);
        QCOMPARE(table->selectedIds(), std::vector<qint64>{lsn});
        const QString note = page()->findChild<PageHead*>()->note();
        QVERIFY2(!note.contains("selected"), qPrintable(note));
    }

    void theDetailShowsOutputWhatItWasAndWhyItStopped() {
        const qint64 lsn = submit("detail", "echo one; printf '\\033[31mred\\033[0m\\n'; echo oops >&2; exit 7");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon);
        window_->navigation().showAction(lsn, "output");
        QTRY_VERIFY_WITH_TIMEOUT(logText().contains("one\nred\n") && logText().contains("oops"), kSoon);
        QVERIFY(has(page()->detail()->why()->facts(), "exit code 7"));
    }

    void outputOfWhatRunsComesLive() {
        const qint64 lsn = submit("live", "echo begun; while [ ! -e \"$STOP\" ]; do sleep 0.05; done; echo ended",
                                  {{"env", QJsonObject{{"STOP", engine_.directory() + "/stop-live"}}}});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("running"), kSoon);
        window_->navigation().showAction(lsn, "output");
        QTRY_VERIFY_WITH_TIMEOUT(logText().contains("begun"), kSoon);
        QVERIFY(!logText().contains("ended"));
        QFile stop(engine_.directory() + "/stop-live");
        QVERIFY(stop.open(QIODevice::WriteOnly));
        QTRY_VERIFY_WITH_TIMEOUT(logText().contains("ended"), kSoon);
    }

    void aLongOutputIsReadPieceByPiece() {
        const qint64 lsn = submit("long log", "echo first; head -c 20000000 /dev/zero | tr '\\0' . | fold -w 9999; "
                                              "echo; echo last");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        window_->navigation().showAction(lsn, "output");
        const auto button = [&](const char* name) { return page()->detail()->findChild<QAbstractButton*>(name); };
        QTRY_VERIFY_WITH_TIMEOUT(logText().endsWith("last\n"), kSoon);
        QVERIFY(!logText().startsWith("first\n"));
        QTRY_VERIFY_WITH_TIMEOUT(button("earlier-output")->isVisible(), kSoon);
        QVERIFY(!button("later-output")->isVisible());
        QVERIFY2(page()->detail()->output()->summary().contains("the last"),
                 qPrintable(page()->detail()->output()->summary()));
        button("earlier-output")->click();
        QTRY_VERIFY_WITH_TIMEOUT(logText().startsWith("first\n"), kSoon);
        QVERIFY(!logText().endsWith("last\n"));
        QTRY_VERIFY_WITH_TIMEOUT(button("later-output")->isVisible(), kSoon);
        QVERIFY(!button("earlier-output")->isVisible());
        button("later-output")->click();
        QTRY_VERIFY_WITH_TIMEOUT(logText().endsWith("last\n"), kSoon);
    }

    void aPendingActionSaysWhyItWaits() {
        const qint64 first = submit("first", "sleep 30");
        const qint64 second = submit("second", "true", {{"after", QJsonArray{first}}});
        window_->navigation().showAction(second, "why");
        QTRY_VERIFY_WITH_TIMEOUT(has(page()->detail()->why()->facts(), QLocale().toString(first)), kSoon);
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(first));
    }

    void theDetailStandsAtTheRightInWindowsOf1600AndWider() {
        const qint64 lsn = submit("placed", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        window_->resize(1'600, 900);
        window_->navigation().showAction(lsn, "output");
        const auto* split = qobject_cast<QSplitter*>(page()->detail()->parentWidget());
        QVERIFY(split != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(split->orientation(), Qt::Horizontal, kSoon);
        window_->resize(1'599, 900);
        QTRY_COMPARE_WITH_TIMEOUT(split->orientation(), Qt::Vertical, kSoon);
    }

    void anExitCodeIsNoReasonOfWhatCompleted() {
        const qint64 lsn = submit("code", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        window_->navigation().showAction(lsn, "output");
        const auto& facts = page()->detail()->why()->facts();
        QTRY_VERIFY_WITH_TIMEOUT(
            std::ranges::any_of(facts,
                                [](const Fact& fact) { return fact.name == "exit code" && fact.value == "0"; }),
            kSoon);
        QVERIFY(std::ranges::none_of(facts, [](const Fact& fact) { return fact.name == "reason"; }));
    }

    void whyStandsBesideEveryTab() {
        const qint64 lsn = submit("held for its reason", "true", {{"hold", true}});
        window_->navigation().showAction(lsn, "output");
        DetailPanel* detail = page()->detail();
        QTRY_VERIFY_WITH_TIMEOUT(has(detail->why()->facts(), "held"), kSoon);
        for (int tab = 0; tab < DetailPanel::kTabs; ++tab) {
            detail->setTab(tab);
            QVERIFY2(detail->why()->isVisible(), qPrintable(QString::number(tab)));
            QTRY_VERIFY_WITH_TIMEOUT(detail->why()->visibleRegion().boundingRect().width() > 100, kSoon);
        }
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(lsn));
    }

    void whatNeverStartedIsNotSaidToHaveRunShort() {
        const qint64 lsn = submit("never", "true", {{"hold", true}});
        window_->navigation().showAction(lsn, "processor");
        DetailPanel* detail = page()->detail();
        QTRY_COMPARE_WITH_TIMEOUT(detail->samples()->cores()->spokenValue(), QString("It has not started yet"),
                                  kSoon);
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(lsn));
        QTRY_COMPARE_WITH_TIMEOUT(detail->samples()->cores()->spokenValue(), QString("It never started"), kSoon);
        QVERIFY(has(detail->why()->facts(), "tries"));
        QVERIFY(std::ranges::any_of(detail->why()->facts(),
                                    [](const Fact& f) { return f.name == "tries" && f.value == "0"; }));
    }

    void triesAreThoseThatHaveBegun() {
        const auto tries = [](const QString& state, int retries, const QJsonObject& times) {
            return actionRowOf({{"state", state}, {"retry_count", retries}, {"timestamps", times}}).tries;
        };
        const QJsonObject begun{{"new", 1}, {"submitting", 2}, {"running", 3}};
        QCOMPARE(tries("pending", 0, {{"new", 1}}), 0);
        QCOMPARE(tries("cancelled", 0, {{"new", 1}, {"cancelled", 2}}), 0);
        QCOMPARE(tries("pending", 1, begun), 1);
        QCOMPARE(tries("submitting", 0, {{"new", 1}, {"submitting", 2}}), 1);
        QCOMPARE(tries("running", 1, begun), 2);
        QCOMPARE(tries("failed", 2, begun), 3);
    }

    void aRowSaysWhichPiecesItWasGiven() {
        const QJsonObject given{{"port", QJsonArray{"5003", "5004"}}, {"gpus", QJsonArray{"1"}}};
        QCOMPARE(actionRowOf({{"state", "running"}, {"resources_given", given}}).given,
                 QString("gpus 1 port 5003,5004"));
        QVERIFY(actionRowOf({{"state", "running"}}).given.isEmpty());
    }

    void aRunningActionShowsWhatItUses() {
        const qint64 lsn = submit("uses", "while :; do :; done");
        QTRY_VERIFY_WITH_TIMEOUT(cellOf(lsn, ActionsModel::kCpu).endsWith(" s"), kSoon);
        const QString first = cellOf(lsn, ActionsModel::kCpu);
        QVERIFY(cellOf(lsn, ActionsModel::kPeak) != "–");
        QTRY_VERIFY_WITH_TIMEOUT(cellOf(lsn, ActionsModel::kCpu) != first, kSoon); // it goes on
        QCOMPARE(cellOf(lsn, ActionsModel::kState), QString("Running"));
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(lsn));
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(lsn, ActionsModel::kState), QString("Cancelled"), kSoon);
    }

    void cancelByKeyEndsTheSelectedOne() {
        const qint64 lsn = submit("cancelled-by-key", "sleep 30");
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(lsn, 0), QString("Running"), kSoon);
        page()->table()->selectId(lsn);
        page()->table()->setFocus();
        QTest::keyClick(page()->table(), Qt::Key_Delete, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(lsn, 0), QString("Cancelled"), kSoon);
    }

    void cancelOfTwoWaitsToBeUndone() {
        const qint64 one = submit("pair", "sleep 30");
        const qint64 two = submit("pair", "sleep 30");
        page()->setFilter("label:pair state:running");
        QTRY_COMPARE_WITH_TIMEOUT(model()->rowCount(), 2, kSoon);
        page()->table()->setFocus();
        QTest::keyClick(page()->table(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(page()->table(), Qt::Key_Delete, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        QCOMPARE(stateOf(one), QString("running"));
        window_->engine().commands()->sendNow();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(one), QString("cancelled"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(two), QString("cancelled"), kSoon);
    }

    void rescheduleStartsAFailureAgain() {
        const qint64 lsn =
            submit("again", "[ -e \"$GOOD\" ]", {{"env", QJsonObject{{"GOOD", engine_.directory() + "/good"}}}});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon);
        QFile good(engine_.directory() + "/good");
        QVERIFY(good.open(QIODevice::WriteOnly));
        window_->navigation().showAction(lsn);
        page()->table()->setFocus();
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(lsn, ActionsModel::kState), QString("Failed"), kSoon);
        page()->table()->selectId(lsn);
        QTest::keyClick(page()->table(), Qt::Key_R, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
    }

    void whatCannotBeDoneToWhatIsSelectedSaysWhy() {
        const auto whyNot = [this](const QString& id) {
            for (const QAction* action : page()->commands())
                if (action->objectName() == id) return blockedWhy(action);
            return QString("no such command");
        };
        const qint64 done = submit("can be retired", "true");
        const qint64 runs = submit("can be cancelled", "sleep 30");
        page()->setFilter("label:can*");
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(done, ActionsModel::kState), QString("Completed"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(runs, ActionsModel::kState), QString("Running"), kSoon);
        page()->table()->selectId(done);
        QCOMPARE(whyNot("retire"), QString());
        QCOMPARE(whyNot("cancel"), QString("It has ended already"));
        QVERIFY(whyNot("reschedule").contains("failed or was abandoned"));
        QVERIFY(whyNot("hold").contains("what waits") && whyNot("priority").contains("what waits"));
        // Of several it is enough that it can be done to one.
        page()->table()->selectAll();
        QCOMPARE(whyNot("cancel"), QString());
        page()->table()->selectId(runs);
        QCOMPARE(whyNot("cancel"), QString());
        QVERIFY(!whyNot("retire").isEmpty());
        // It follows what becomes of the action.
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(runs));
        QTRY_COMPARE_WITH_TIMEOUT(whyNot("cancel"), QString("It has ended already"), kSoon);
        QCOMPARE(whyNot("retire"), QString());
    }

    void whatIsSelectedStaysWhenOthersComeAndABadgeCountsThem() {
        const qint64 lsn = submit("still", "true");
        QTRY_VERIFY_WITH_TIMEOUT(model()->rowOf(lsn) >= 0, kSoon);
        page()->table()->selectId(lsn);
        const int row = model()->rowOf(lsn);
        const qint64 other = submit("comes", "true");
        QTRY_VERIFY_WITH_TIMEOUT(model()->waiting() > 0, kSoon);
        QCOMPARE(model()->rowOf(lsn), row);
        QCOMPARE(model()->rowOf(other), -1);
        QTest::keyClick(window_.get(), Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(model()->rowOf(other) >= 0, kSoon);
        QCOMPARE(page()->table()->selectedIds(), std::vector<qint64>{lsn});
    }

    void copyAsYardctlAndCurlOfTheSelection() {
        const qint64 lsn = submit("copied", "true");
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(lsn, 0), QString("Completed"), kSoon);
        page()->table()->selectId(lsn);
        QTest::keyClick(window_.get(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 window_->engine().state()->link().yardctl(QStringLiteral("yardctl show %1").arg(lsn)));
        QTest::keyClick(window_.get(), Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
        const QString curl = QGuiApplication::clipboard()->text();
        QVERIFY(curl.startsWith("curl ") && curl.endsWith(QStringLiteral("/jobs/%1").arg(lsn)));
        QVERIFY(!curl.contains(engine_.token()));
    }

    void ctrlShiftFGoesToTheNewestFailure() {
        const qint64 lsn = submit("newest failure", "exit 9");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon);
        window_->navigation().show("queues");
        QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("actions"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(page()->detail()->lsn(), lsn, kSoon);
    }

    void aThousandRowsComeAsTheyAreScrolledTo() {
        QJsonArray many;
        for (int i = 0; i < 1'300; ++i)
            many.append(
                QJsonObject{{"worker", "exec"}, {"argv", QJsonArray{"true"}}, {"label", "bulk"}, {"hold", true}});
        QVERIFY(ask("POST", "jobs", many).ok());
        page()->setFilter("label:bulk");
        QTRY_VERIFY_WITH_TIMEOUT(model()->isHere(0), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(model()->rowCount(), 1'300, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), qint64{1'300}, kSoon);
        page()->table()->setFocus();
        QTest::keyClick(page()->table(), Qt::Key_End);
        QTRY_VERIFY_WITH_TIMEOUT(model()->isHere(1'299), kSoon);
        QCOMPARE(page()->table()->currentId(), model()->idAt(1'299));
    }

    void allThatMatchAreSelectedAlsoThoseThatAreNotHere() {
        page()->setFilter("label:bulk");
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), qint64{1'300}, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(model()->isHere(0), kSoon);
        page()->table()->setFocus();
        QTest::keyClick(page()->table(), Qt::Key_A, Qt::ControlModifier);
        const int inView = page()->table()->rowsInView();
        QVERIFY(inView > 5 && inView < 60);
        const QString note = QStringLiteral("%1 selected, %2 in view").arg(QLocale().toString(1'300)).arg(inView);
        QCOMPARE(page()->findChild<PageHead*>()->note(), note);
        // Still all of them in another order.
        QTest::mouseClick(page()->table()->horizontalHeader()->viewport(), Qt::LeftButton, {},
                          QPoint(page()->table()->columnViewportPosition(ActionsModel::kWorker) + 20, 10));
        QTRY_VERIFY_WITH_TIMEOUT(model()->isWhole() && model()->isHere(0), kSoon);
        QVERIFY(page()->table()->allSelected());
        QTRY_COMPARE_WITH_TIMEOUT(model()->total().value_or(0), qint64{1'300}, kSoon); // else it is asked about
        // What is done, is done to all of them.
        QTest::keyClick(page()->table(), Qt::Key_H, Qt::ControlModifier);
        const auto held = [&] {
            return ask("GET", "jobs/lsns?q=label:bulk%20state:held").json.value("total").toInteger();
        };
        QTRY_COMPARE_WITH_TIMEOUT(held(), qint64{0}, kSoon); // they were held, so they are released
    }

    void theViewOfTonightBeginsWhenTheSettingsSay() {
        page();
        setTonightSince("20:30");
        QAction* tonight = nullptr;
        for (auto* menu : page()->findChildren<QMenu*>()) {
            emit menu->aboutToShow();
            for (QAction* action : menu->actions())
                if (action->text() == "Tonight") tonight = action;
        }
        QVERIFY(tonight != nullptr);
        tonight->trigger();
        QCOMPARE(page()->filter(), QString("finished:since-20:30"));
        QTRY_VERIFY_WITH_TIMEOUT(model()->isWhole() && model()->problem().isEmpty(), kSoon);
        setTonightSince({});
    }

    void aLongFilterIsShownFromItsBeginningAndLettersGoToItsEnd() {
        page()->table()->setFocus();
        const QString filter = "state:failed,abandoned,cancelled label:" + QString(200, 'x');
        page()->setFilter(filter);
        auto* field = page()->findChild<FilterField*>();
        QCOMPARE(field->cursorPosition(), 0);
        QTest::keyClick(page()->table(), Qt::Key_Y);
        QCOMPARE(field->text(), filter + 'y');
    }

    void theButtonOfViewsIsCalledAsTheViewThatIsShown() {
        auto* button = page()->findChild<ViewsButton*>();
        page()->setFilter("state:failed");
        QCOMPARE(button->text(), QString("Failed"));
        page()->setFilter("state:failed label:x");
        QCOMPARE(button->text(), QString("View"));
        QSettings().setValue("views/of x", "state:failed label:x");
        page()->setFilter({});
        QCOMPARE(button->text(), QString("All"));
        page()->setFilter("state:failed label:x");
        QCOMPARE(button->text(), QString("of x"));
        QSettings().remove("views");
    }

    void aHiddenPageAsksForNothing() {
        page();
        window_->navigation().show("queues");
        // What was asked while it was shown is answered by then.
        const qint64 before = submit("perhaps seen", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(before), QString("completed"), kSoon);
        const qint64 lsn = submit("unseen", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        QCOMPARE(window_->findChild<ActionsPage*>()->model()->rowOf(lsn), -1);
        QTRY_VERIFY_WITH_TIMEOUT(model()->rowOf(lsn) >= 0, kSoon); // shown again
    }

    void whatAnActionUsedIsAChart() {
        const qint64 eater = submit("eats the processor", "while :; do :; done");
        page()->setFilter("label:\"eats the processor\"");
        QTRY_VERIFY_WITH_TIMEOUT(model()->rowOf(eater) >= 0, kSoon);
        page()->table()->selectId(eater);
        page()->table()->setFocus();
        QTest::keyClick(window_.get(), Qt::Key_5, Qt::AltModifier);
        QVERIFY(page()->detail()->samples()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(page()->detail()->samples()->cores()->data().t.size() > 1, kSoon);
        // On a busy machine the first second may have been nobody's.
        const auto most = [this] {
            return *std::ranges::max_element(page()->detail()->samples()->cores()->data().values.front());
        };
        QTRY_VERIFY_WITH_TIMEOUT(most() > 0, kSoon);
        QCOMPARE(page()->detail()->samples()->memory()->data().t, page()->detail()->samples()->cores()->data().t);
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(eater));
    }

    void theWindowGoesOnWhileTheEngineStandsStill() {
        const qint64 done = submit("done before", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(done), QString("completed"), kSoon);
        const qint64 last =
            submit("filler", "true", {{"hold", true}, {"array", QJsonObject{{"from", 1}, {"to", 2'000}}}}) + 1'999;
        page()->setFilter("label:filler");
        QTRY_VERIFY_WITH_TIMEOUT(model()->isHere(model()->rowOf(last)), kSoon);
        page()->table()->setFocus();
        engine_.standStill();
        // Keys and clicks that ask the engine for something, and more paintings than a window that waits would do.
        int frames = 0;
        for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_End, Qt::Key_Home}) {
            QTest::keyClick(page()->table(), key);
            QTest::keyClick(window_.get(), Qt::Key_2, Qt::ControlModifier);
            QCOMPARE(window_->navigation().pageId(), QString("queues"));
            QTest::keyClick(window_.get(), Qt::Key_3, Qt::ControlModifier);
            QCOMPARE(window_->navigation().pageId(), QString("actions"));
            page()->table()->setFocus();
            frames += window_->grab().isNull() ? 0 : 1;
        }
        QTest::keyClick(page()->table(), Qt::Key_End);
        QCOMPARE(page()->table()->currentIndex().row(), page()->model()->rowCount() - 1);
        QCOMPARE(frames, 4);
        QElapsedTimer still;
        still.start();
        int ticks = 0;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, [&] { ++ticks; });
        timer.start(20);
        QTRY_VERIFY_WITH_TIMEOUT(still.elapsed() > 2'000, kSoon);
        QVERIFY2(ticks > 20, qPrintable(QString::number(ticks))); // a hundred if nothing else ran here
        engine_.goOn();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(done), QString("completed"), kSoon);
        // It is at the end still, wherever that is by now, and what is there has come.
        const auto isNot = [this]() -> QString {
            const QScrollBar* bar = page()->table()->verticalScrollBar();
            const int last = page()->model()->rowCount() - 1;
            if (!page()->model()->isWhole()) return "whole";
            if (const int row = page()->table()->currentIndex().row(); row != last)
                return QStringLiteral("at the last row: at %1 of %2, scrolled to %3 of %4")
                    .arg(row)
                    .arg(last)
                    .arg(bar->value())
                    .arg(bar->maximum());
            if (bar->value() != bar->maximum()) return "scrolled to the end";
            return page()->model()->isHere(last) ? "" : "here";
        };
        QTRY_COMPARE_WITH_TIMEOUT(isNot(), QString(), kSoon);
    }

    void samplesThatCannotBeAreLeftOut() {
        const auto charts = chartsOf(
            QJsonArray{QJsonObject{{"t", 5'000'000}, {"cpu_percent", 150.0}, {"rss_bytes", 7}},
                       QJsonObject{{"t", 4'000'000}, {"cpu_percent", 900.0}}, QJsonObject{{"cpu_percent", 900.0}},
                       QJsonValue(3), QJsonObject{{"t", 6'000'000}, {"cpu_percent", 50.0}}});
        QCOMPARE(charts[0].t, (std::vector<std::int64_t>{5'000'000, 6'000'000}));
        QCOMPARE(charts[0].values[0], (std::vector<double>{1.5, 0.5}));
        QCOMPARE(charts[1].values[0], (std::vector<double>{7, 0}));
        QCOMPARE(charts[0].step, 1'000'000);
        QVERIFY(chartsOf({})[0].t.empty());
    }
};

QTEST_MAIN(TestActions)
#include "tst_actions.moc"
