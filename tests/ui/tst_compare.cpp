// An action beside the last good one like it, on the real window over a real engine: both outputs, and what they were
// submitted with.
#include "tests/ui/window_test.h"
#include "ui/log/diff_view.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/compare_tab.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/state_history.h"
#include "ui/style/paint.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QJsonArray>

using namespace yard;
using namespace yard::ui;

class TestCompare : public test::WindowTest {
    Q_OBJECT

    qint64 queue_ = 0;
    qint64 good_ = 0;
    qint64 bad_ = 0;

    CompareTab* compare(qint64 lsn) {
        window_->navigation().showAction(lsn, "history");
        return qobject_cast<ActionsPage*>(window_->navigation().page())->detail()->compare();
    }
    /// "argv" of the values that are listed.
    static QStringList valuesOf(const CompareTab* tab) {
        QStringList names;
        const TableModel* rows = tab->values()->rows();
        for (int row = 0; row < rows->rowCount(); ++row) names << rows->cell(row, 0).text;
        return names;
    }
    static QStringList columnOf(const TableModel* rows, int column) {
        QStringList texts;
        for (int row = 0; row < rows->rowCount(); ++row) texts << rows->cell(row, column).text;
        return texts;
    }

private slots:
    void initTestCase() {
        QVERIFY(start("compare", {"--capacity", "4"}));
        QVERIFY(openWindow());
        queue_ = makeQueue("compare", {{"max_retries", 0}});
        const QString script =
            "echo begun; echo \"value $VALUE\"; echo ended; echo \"problem $VALUE\" >&2; exit $CODE";
        const auto run = [&](const QString& value, const QString& code) {
            return submit("compared", script, {{"env", QJsonObject{{"VALUE", value}, {"CODE", code}}}}, queue_);
        };
        good_ = run("one", "0");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(good_), QString("completed"), kSoon);
        bad_ = run("two", "3");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(bad_), QString("failed"), kSoon);
        window_.reset();
    }
    void cleanupTestCase() { engine_.kill(); }
    void init() {
        QSettings().clear();
        QVERIFY(openWindow());
    }
    void cleanup() { window_.reset(); }

    void outputsAreComparedLineByLineEachStreamByItself() {
        const CompareTab* tab = compare(bad_);
        QTRY_COMPARE_WITH_TIMEOUT(tab->other(), good_, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(tab->diff()->shownText(),
                                  QString("@ stdout: 1 line(s) differ\n  begun\n- value two\n+ value one\n  ended\n"
                                          "@ stderr: 1 line(s) differ\n- problem two\n+ problem one\n"),
                                  kSoon);
    }

    void onlyWhatDiffersIsListedUnlessAllIsWanted() {
        const CompareTab* tab = compare(bad_);
        // Of one list: it is filled again when the other action is known.
        const auto differs = [tab] {
            const QStringList values = valuesOf(tab);
            return values.contains("env VALUE") && values.contains("State") && values.contains("env CODE") &&
                   !values.contains("argv");
        };
        QTRY_VERIFY_WITH_TIMEOUT(differs(), kSoon);
        QVERIFY(tab->onlyDifferences()->isChecked());
        tab->onlyDifferences()->click();
        QVERIFY(valuesOf(tab).contains("argv") && valuesOf(tab).contains("label"));
        // Another window remembers it.
        window_.reset();
        QVERIFY(openWindow());
        QVERIFY(!compare(bad_)->onlyDifferences()->isChecked());
    }

    void aboveItIsWhatTheActionWentThrough() {
        // Long enough for a bar of its own in the timelines.
        const qint64 slow = submit("slow", "sleep 0.1; exit 3", {}, queue_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(slow), QString("failed"), kSoon);
        const StateHistory* history = compare(slow)->history();
        const TableModel* rows = history->rows();
        QTRY_COMPARE_WITH_TIMEOUT(columnOf(rows, 0),
                                  QStringList({"Pending", "Submitting", "Running", "Collecting", "Failed"}), kSoon);
        QCOMPARE(columnOf(rows, 3), QStringList({"–", "1", "1", "1", "1"}));
        QCOMPARE(rows->cell(4, 2).text, QString("–")); // the last one has no end
        QVERIFY(rows->cell(2, 2).text != "–");
        QCOMPARE(rows->cell(4, 5).text, QString("3"));
        QCOMPARE(rows->cell(4, 6).text, QString("exit code 3"));
        QTRY_VERIFY_WITH_TIMEOUT(history->slotOf(1).value_or(0) >= 1, kSoon); // as the timelines have it
        QCOMPARE(rows->cell(4, 4).text, QString::number(*history->slotOf(1)));
        // How it ended stays where there is little room; what fell away is in the tooltip.
        QVERIFY2(rows->cell(4, 0).tip.contains("attempt 1, slot 1"), qPrintable(rows->cell(4, 0).tip));
        StateHistory narrow({window_->engine().state()->link(), *window_->engine().state(),
                             *window_->engine().commands(), window_->navigation(), *window_});
        narrow.resize(scaled(420), scaled(200));
        narrow.show(QJsonObject{{"lsn", 1}});
        narrow.QWidget::show();
        QTRY_VERIFY_WITH_TIMEOUT(narrow.isColumnHidden(4), kSoon);
        for (const int column : {0, 1, 5, 6})
            QVERIFY2(!narrow.isColumnHidden(column), qPrintable(QString::number(column)));
        // What differs keeps its rows in a place as low as this one.
        const Table* values = compare(slow)->values();
        QTRY_VERIFY_WITH_TIMEOUT(values->viewport()->height() >= 2 * values->verticalHeader()->defaultSectionSize(),
                                 kSoon);
    }

    void eachAttemptHasItsStates_data() {
        QTest::addColumn<QJsonObject>("action");
        QTest::addColumn<QString>("states");
        const QJsonObject first{
            {"n", 1},
            {"state", "failed"},
            {"reason", "exit_code"},
            {"exit_code", 7},
            {"timestamps", QJsonObject{{"submitting", 110}, {"running", 120}, {"failed", 150}}}};
        const auto action = [](const QString& state, int retries, const QJsonObject& times,
                               const QJsonArray& ended) {
            return QJsonObject{
                {"lsn", 5}, {"state", state}, {"retry_count", retries}, {"timestamps", times}, {"attempts", ended}};
        };
        const auto row = [](const char* name, const QJsonObject& action, const char* states) {
            QTest::newRow(name) << action << QString::fromLatin1(states);
        };
        row("none", {}, "");
        row("one that waits", action("pending", 0, {{"new", 100}, {"pending", 100}}, {}), "0:Pending@100-0");
        row("one that runs", action("running", 0, {{"new", 100}, {"submitting", 110}, {"running", 120}}, {}),
            "0:Pending@100-110 1:Submitting@110-120 1:Running@120-0");
        row("one that waits again",
            action("pending", 1, {{"new", 100}, {"pending", 160}, {"submitting", 110}, {"running", 120}}, {first}),
            "0:Pending@100-110 1:Submitting@110-120 1:Running@120-150 1:Failed@150-160 0:Pending@160-0");
        row("one that runs again",
            action("running", 1, {{"new", 100}, {"pending", 160}, {"submitting", 170}, {"running", 180}}, {first}),
            "0:Pending@100-110 1:Submitting@110-120 1:Running@120-150 1:Failed@150-170 2:Submitting@170-180 "
            "2:Running@180-0");
        row("one that was never tried", action("cancelled", 0, {{"new", 100}, {"cancelled", 130}}, {}),
            "0:Pending@100-130 0:Cancelled@130-0 end");
        row("one of which the attempt is told twice",
            action("failed", 1, {{"new", 100}, {"submitting", 110}, {"running", 120}, {"failed", 150}}, {first}),
            "0:Pending@100-110 1:Submitting@110-120 1:Running@120-150 1:Failed@150-0 end");
    }
    void eachAttemptHasItsStates() {
        QFETCH(QJsonObject, action);
        QStringList words;
        for (const StateStep& step : stateStepsOf(action)) {
            words << QStringLiteral("%1:%2@%3-%4")
                         .arg(step.attempt)
                         .arg(wordOf(step.face))
                         .arg(step.at)
                         .arg(step.until);
            if (step.isFinal) words << "end";
        }
        QTEST(words.join(' '), "states");
    }

    void withoutAnotherOneItSaysSo() {
        const qint64 alone = submit("alone", "exit 3", {}, queue_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(alone), QString("failed"), kSoon);
        const CompareTab* tab = compare(alone);
        QTRY_VERIFY_WITH_TIMEOUT(tab->diff()->spokenValue().contains("No other one like it"), kSoon);
        QCOMPARE(tab->other(), qint64{0});
    }
};

QTEST_MAIN(TestCompare)
#include "tst_compare.moc"
