// An action beside the last good one like it, on the real window over a real engine: both outputs, and what they were
// submitted with.
#include "tests/ui/window_test.h"
#include "ui/log/diff_view.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/compare_tab.h"
#include "ui/pages/actions/detail_panel.h"

#include <QCheckBox>

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
        QTRY_VERIFY_WITH_TIMEOUT(valuesOf(tab).contains("env VALUE"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(!valuesOf(tab).contains("argv"), kSoon);
        QVERIFY(valuesOf(tab).contains("State") && valuesOf(tab).contains("env CODE"));
        QVERIFY(tab->onlyDifferences()->isChecked());
        tab->onlyDifferences()->click();
        QVERIFY(valuesOf(tab).contains("argv") && valuesOf(tab).contains("label"));
        // Another window remembers it.
        window_.reset();
        QVERIFY(openWindow());
        QVERIFY(!compare(bad_)->onlyDifferences()->isChecked());
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
