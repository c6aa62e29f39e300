// The search in outputs on the real program: where it looks, lines as they are found, the action at one of them.
#include "tests/ui/window_test.h"
#include "ui/pages/actions/actions_elsewhere.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_search.h"
#include "ui/pages/actions/output_tab.h"

#include <QAction>

using namespace yard;
using namespace yard::ui;

class TestOutputSearch : public test::WindowTest {
    Q_OBJECT

    qint64 first_ = 0;
    qint64 second_ = 0;

    ActionsPage* page() { return show<ActionsPage>("actions"); }
    OutputSearch* open() {
        for (QAction* action : page()->commands())
            if (action->objectName() == "search-output") action->trigger();
        return page()->elsewhere().search();
    }
    static QString at(const OutputSearch* search, int row, int column) {
        return search->table()->rows()->cell(row, column).text;
    }
    /// Until the engine is through.
    void find(OutputSearch* search, const QString& text) {
        search->field()->setText(text);
        QTest::keyClick(search->field(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!search->isSearching(), kSoon);
    }

private slots:
    void initTestCase() { QVERIFY(start("output-search")); }
    void init() {
        QVERIFY(openWindow());
        if (first_ != 0) return;
        first_ = submit("first", "echo one; echo An error; echo more");
        second_ = submit("second", "echo error two >&2");
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->count(DisplayState::Completed) >= 2, kSoon);
    }
    void cleanup() { window_.reset(); }

    void linesStandThereWithTheirActions() {
        OutputSearch* search = open();
        QVERIFY(search != nullptr && search->isVisible());
        QCOMPARE(search->whereText(), QString("In all actions"));
        find(search, "error");
        QCOMPARE(search->table()->rows()->rowCount(), 2);
        QCOMPARE(at(search, 0, 0), QLocale().toString(second_));
        QCOMPARE(at(search, 0, 1), QString("second"));
        QCOMPARE(at(search, 0, 2), QString("stderr"));
        QCOMPARE(at(search, 0, 4), QString("error two"));
        QCOMPARE(at(search, 1, 0), QLocale().toString(first_));
        QCOMPARE(at(search, 1, 3), QString("2"));
        QCOMPARE(at(search, 1, 4), QString("An error"));
        QVERIFY2(search->stateText().startsWith("2 line(s), 2 searched"), qPrintable(search->stateText()));
        find(search, "nobody says so");
        QCOMPARE(search->table()->rows()->rowCount(), 0);
        QVERIFY2(search->stateText().startsWith("0 line(s)"), qPrintable(search->stateText()));
    }

    void enterOpensTheActionAtItsLine() {
        OutputSearch* search = open();
        find(search, "error");
        QCOMPARE(search->table()->rows()->rowCount(), 2);
        search->table()->selectId(2);
        QTest::keyClick(search->table(), Qt::Key_Return);
        const DetailPanel* detail = page()->detail();
        QCOMPARE(detail->lsn(), first_);
        QTRY_COMPARE_WITH_TIMEOUT(detail->output()->view()->foundLine(), 1, kSoon);
        QVERIFY(search->isVisible());
        // The same action is open already.
        find(search, "more");
        search->table()->selectId(1);
        QTest::keyClick(search->table(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(detail->output()->view()->foundLine(), 2, kSoon);
    }

    void itLooksInWhatIsSelectedOrFiltered() {
        QTRY_VERIFY_WITH_TIMEOUT(page()->model()->rowOf(first_) >= 0 && page()->model()->rowOf(second_) >= 0,
                                 kSoon);
        for (const qint64 lsn : {first_, second_})
            page()->table()->selectionModel()->select(page()->model()->index(page()->model()->rowOf(lsn), 0),
                                                      QItemSelectionModel::Select | QItemSelectionModel::Rows);
        OutputSearch* search = open();
        QCOMPARE(search->whereText(), QString("In 2 selected action(s)"));
        find(search, "error");
        QCOMPARE(search->table()->rows()->rowCount(), 2);
        page()->table()->clearSelection();
        page()->setFilter("label:first");
        QCOMPARE(open(), search);
        QCOMPARE(search->whereText(), QString("In all that match label:first"));
        QCOMPARE(search->table()->rows()->rowCount(), 0); // of another question
        find(search, "error");
        QCOMPARE(search->table()->rows()->rowCount(), 1);
        page()->setFilter("colour:red");
        open();
        find(search, "error");
        QVERIFY2(search->stateText().contains("colour"), qPrintable(search->stateText()));
    }

    void whatIsFoundStandsThereAlthoughARowIsSelected() {
        OutputSearch* search = open();
        find(search, "error");
        search->table()->selectId(1);
        find(search, "more");
        QCOMPARE(search->table()->rows()->rowCount(), 1);
        search->table()->selectId(1);
        page()->setFilter("label:second");
        open();
        QCOMPARE(search->table()->rows()->rowCount(), 0); // of another question
        find(search, "error");
        QCOMPARE(search->table()->rows()->rowCount(), 1);
        page()->setFilter({});
    }

    void closingItEndsIt() {
        OutputSearch* search = open();
        search->field()->setText("error");
        search->start();
        QVERIFY(search->isSearching());
        search->hide();
        QVERIFY(!search->isSearching());
        QVERIFY2(search->stateText().endsWith("stopped"), qPrintable(search->stateText()));
    }

    void whatItAsksIsWhatYardctlDoes() {
        const Operation all = operations::searchOutputs({}, "no space", false);
        QCOMPARE(all.yardctl, QString("yardctl search 'no space'"));
        QCOMPARE(all.request.path, QString("jobs/search"));
        const Operation some = operations::searchOutputs(Target::of({3, 7}), "-x", true);
        QCOMPARE(some.yardctl, QString("yardctl search --case -- -x 3 7"));
        QCOMPARE(some.request.query.queryItemValue("lsn"), QString("3,7"));
        const Operation filtered = operations::searchOutputs({{}, "state:failed", {}}, "x", false);
        QCOMPARE(filtered.yardctl, QString("yardctl search x state:failed"));
    }
};

QTEST_MAIN(TestOutputSearch)
#include "tst_output_search.moc"
