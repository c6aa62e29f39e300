// The Actions page on a real engine: lists, filters, details and what can be done with one or many, by keys and
// clicks.
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/state_chips.h"
#include "ui/shell/main_window.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QJsonDocument>
#include <QMenu>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {
constexpr int kSoon = 20'000;
}

class TestActions : public QObject {
    Q_OBJECT

    test::RealEngine engine_;
    std::unique_ptr<Theme> theme_;
    std::unique_ptr<MainWindow> window_;

    ActionsPage* page() {
        if (window_->pageId() != "actions") window_->MainWindow::show("actions");
        return qobject_cast<ActionsPage*>(window_->page());
    }
    ActionsModel* model() { return page()->model(); }
    Answer ask(const QByteArray& method, const QString& path, const QJsonValue& body = {}) {
        Answer got;
        bool done = false;
        Request request{method, path};
        if (body.isObject()) request.body = QJsonDocument(body.toObject()).toJson();
        if (body.isArray()) request.body = QJsonDocument(body.toArray()).toJson();
        window_->state()->link().send(request, this, [&](const Answer& answer) {
            got = answer;
            done = true;
        });
        [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
        return got;
    }
    qint64 submit(const QString& label, const QString& script, QJsonObject more = {}) {
        more.insert("worker", "exec");
        more.insert("argv", QJsonArray{"sh", "-c", script});
        more.insert("label", label);
        return ask("POST", "jobs", more).json.value("lsn").toInteger();
    }
    QString stateOf(qint64 lsn) {
        return ask("GET", QStringLiteral("jobs/%1").arg(lsn)).json.value("state").toString();
    }
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
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-actions");
        QSettings().clear();
        engine_.setArguments({"--capacity", "4"});
        QVERIFY(engine_.start());
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
    }
    void init() {
        window_ = std::make_unique<MainWindow>();
        window_->setEngine(std::make_unique<AttachedLink>(engine_.address(), engine_.token()), "embedded");
        window_->show();
        QTRY_VERIFY_WITH_TIMEOUT(window_->state()->isLive(), kSoon);
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
        const auto chipOf = [&](Face face) { return *std::ranges::find(chips, face, &StateChip::face); };
        QTest::mouseClick(chipOf(Face::Failed), Qt::LeftButton);
        QCOMPARE(page()->filter(), QString("state:failed"));
        QTest::mouseClick(chipOf(Face::Running), Qt::LeftButton);
        QCOMPARE(page()->filter(), QString("state:running"));
        QTest::mouseClick(chipOf(Face::Running), Qt::LeftButton);
        QCOMPARE(page()->filter(), QString());
    }

    void theDetailShowsOutputWhatItWasAndWhyItStopped() {
        const qint64 lsn = submit("detail", "echo one; printf '\\033[31mred\\033[0m\\n'; echo oops >&2; exit 7");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon);
        window_->showAction(lsn, "output");
        QTRY_VERIFY_WITH_TIMEOUT(logText().contains("one\nred\n") && logText().contains("oops"), kSoon);
        QVERIFY(has(page()->detail()->why()->facts(), "exit code 7"));
    }

    void outputOfWhatRunsComesLive() {
        const qint64 lsn = submit("live", "echo begun; while [ ! -e \"$STOP\" ]; do sleep 0.05; done; echo ended",
                                  {{"env", QJsonObject{{"STOP", engine_.directory() + "/stop-live"}}}});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("running"), kSoon);
        window_->showAction(lsn, "output");
        QTRY_VERIFY_WITH_TIMEOUT(logText().contains("begun"), kSoon);
        QVERIFY(!logText().contains("ended"));
        QFile stop(engine_.directory() + "/stop-live");
        QVERIFY(stop.open(QIODevice::WriteOnly));
        QTRY_VERIFY_WITH_TIMEOUT(logText().contains("ended"), kSoon);
    }

    void aPendingActionSaysWhyItWaits() {
        const qint64 first = submit("first", "sleep 30");
        const qint64 second = submit("second", "true", {{"after", QJsonArray{first}}});
        window_->showAction(second, "why");
        QTRY_VERIFY_WITH_TIMEOUT(has(page()->detail()->why()->facts(), QLocale().toString(first)), kSoon);
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(first));
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
        QVERIFY(window_->commands()->waiting() != nullptr);
        QCOMPARE(stateOf(one), QString("running"));
        window_->commands()->sendNow();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(one), QString("cancelled"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(two), QString("cancelled"), kSoon);
    }

    void rescheduleStartsAFailureAgain() {
        const qint64 lsn =
            submit("again", "[ -e \"$GOOD\" ]", {{"env", QJsonObject{{"GOOD", engine_.directory() + "/good"}}}});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon);
        QFile good(engine_.directory() + "/good");
        QVERIFY(good.open(QIODevice::WriteOnly));
        window_->showAction(lsn);
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
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("yardctl retry --force %1").arg(lsn));
        QTest::keyClick(window_.get(), Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
        const QString curl = QGuiApplication::clipboard()->text();
        QVERIFY(curl.startsWith("curl ") && curl.contains("/jobs/retry") && !curl.contains(engine_.token()));
    }

    void ctrlShiftFGoesToTheNewestFailure() {
        const qint64 lsn = submit("newest failure", "exit 9");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon);
        window_->MainWindow::show("queues");
        QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window_->pageId(), QString("actions"), kSoon);
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
        QCOMPARE(model()->total().value_or(0), qint64{1'300});
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
        // What is done, is done to all of them.
        QTest::keyClick(page()->table(), Qt::Key_H, Qt::ControlModifier);
        const auto held = [&] {
            return ask("GET", "jobs/lsns?q=label:bulk+state:held").json.value("total").toInteger();
        };
        QTRY_COMPARE_WITH_TIMEOUT(held(), qint64{0}, kSoon); // they were held, so they are released
    }

    void theViewOfTonightBeginsWhenTheSettingsSay() {
        page();
        QSettings().setValue("general/tonight", "20:30");
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
        QSettings().remove("general/tonight");
    }

    void aHiddenPageAsksForNothing() {
        page();
        window_->MainWindow::show("queues");
        const qint64 lsn = submit("unseen", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        QCOMPARE(window_->findChild<ActionsPage*>()->model()->rowOf(lsn), -1);
        QTRY_VERIFY_WITH_TIMEOUT(model()->rowOf(lsn) >= 0, kSoon); // shown again
    }
};

QTEST_MAIN(TestActions)
#include "tst_actions.moc"
