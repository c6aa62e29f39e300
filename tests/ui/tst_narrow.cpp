// Where there is little room: widgets that are narrow, and the least window. Places are measured, and texts read from
// what is painted. tst_large_text has large text and longer words.
#include "tests/ui/painted.h"
#include "tests/ui/timeline_fixed.h"
#include "tests/ui/window_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/dashboard/failures_panel.h"
#include "ui/pages/dashboard/load_charts.h"
#include "ui/pages/dashboard/processor_panel.h"
#include "ui/pages/dashboard/waiting_panel.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/form.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tabs.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>

#include <algorithm>
#include <utility>

using namespace yard;
using namespace yard::ui;
using test::Painted;

namespace {

constexpr QSize kLeast{1'100, 700};

int columnOf(const Table* table, const QString& id) {
    const auto& columns = table->rows()->columns();
    const auto found = std::ranges::find(columns, id, &Column::id);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

/// Below the lines of a chart.
QString timesBelow(Chart* chart) {
    const int foot = chart->plot().bottom() + 6; // without the number at the foot of the axis
    return Painted(*chart).text(QRectF(0, foot, chart->width(), chart->height() - foot));
}

/// Of its columns that are shown.
int widthOfColumns(const Table* table) {
    int width = 0;
    for (int i = 0; i < table->horizontalHeader()->count(); ++i)
        if (!table->isColumnHidden(i)) width += table->columnWidth(i);
    return width;
}

Row rowOf(qint64 id, std::vector<Cell> cells) {
    Row row;
    row.id = id;
    row.cells = std::move(cells);
    return row;
}

} // namespace

class TestNarrow : public test::WindowTest {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(start("narrow", {"--capacity", "2"})); }
    void cleanup() { window_.reset(); }
    void cleanupTestCase() { engine_.kill(); }

    // --- widgets

    void wordsInPlaceOfANumberStayInTheirColumn() {
        RowsModel rows({{.id = "name", .title = "Name", .tip = {}, .kind = CellKind::Name, .width = 120},
                        {.id = "waiting", .title = "Waiting", .tip = {}, .kind = CellKind::Number, .width = 66},
                        {.id = "finish", .title = "Finish in", .tip = {}, .kind = CellKind::Number, .width = 84}});
        rows.setRows({rowOf(1, {{"nightly"}, {"10"}, {QString("no history ").repeated(80)}})});
        Table table({});
        table.setRows(&rows);
        table.resize(400, 200);
        table.show();
        QTRY_VERIFY_WITH_TIMEOUT(Painted(*table.viewport()).text().contains(u'…'), kSoon);
        QVERIFY(Painted(*table.viewport()).says("10"));
        for (const test::Piece& piece : Painted(*table.viewport()).pieces())
            if (piece.text.contains(u'…'))
                QVERIFY2(piece.area.left() >= table.columnViewportPosition(2) - 1, qPrintable(piece.text));
    }

    void tabsThatDoNotFitAreBehindMore() {
        Tabs tabs({"Output", "Inputs", "Outputs", "Command", "Processor", "Sandbox", "JSON"});
        tabs.resize(tabs.sizeHint());
        tabs.show();
        QVERIFY(!tabs.isBehindMore(6));
        QVERIFY(Painted(tabs).says("JSON"));
        QVERIFY(!Painted(tabs).says("More"));
        tabs.resize(tabs.sizeHint().width() / 2, tabs.height());
        QVERIFY(!tabs.isBehindMore(0));
        QVERIFY(tabs.isBehindMore(6));
        for (int i = 0; i < 7; ++i) QVERIFY2(tabs.rect().contains(tabs.tabArea(i)), qPrintable(QString::number(i)));
        QVERIFY(Painted(tabs).says("More"));
        QVERIFY(!Painted(tabs).says("JSON"));
        std::vector<int> chosen;
        connect(&tabs, &Tabs::chosen, this, [&](int tab) { chosen.push_back(tab); });
        QTimer::singleShot(0, this, [] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu != nullptr);
            menu->actions().back()->trigger();
            menu->close();
        });
        QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabArea(6).center());
        QCOMPARE(chosen, std::vector<int>{6});
        QCOMPARE(tabs.current(), 6);
        QVERIFY(Painted(tabs).says("JSON")); // it is called as the current one
        QTest::keyClick(&tabs, Qt::Key_Right);
        QCOMPARE(tabs.current(), 0);
        QVERIFY(Painted(tabs).says("More"));
        QTest::keyClick(&tabs, Qt::Key_Left);
        QCOMPARE(tabs.current(), 6);
    }

    void buttonsOfAHeadThatDoNotFitAreBehindMore() {
        QWidget window; // a head that is one itself cannot be smaller than what it has
        window.resize(1'000, 60);
        PageHead head("Queues", &window);
        std::vector<Button*> buttons;
        std::vector<QString> pressed;
        for (const char* text : {"Hold", "Drain", "Cancel"}) {
            buttons.push_back(new Button(Button::Kind::Plain, text, {}));
            connect(buttons.back(), &QAbstractButton::clicked, this,
                    [&pressed, text] { pressed.emplace_back(text); });
        }
        auto* badge = new Button(Button::Kind::Plain, "3 updates wait", {});
        badge->hide();
        head.addRight(badge);
        for (Button* button : buttons) head.addRight(button);
        buttons[2]->setBlocked("Select a queue first");
        head.resize(900, head.height());
        window.show();
        const auto more = [&]() -> Button* {
            for (auto* button : head.findChildren<Button*>())
                if (button->text() == "More") return button;
            return nullptr;
        };
        QVERIFY(more() != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(buttons[2]->isVisible() && !more()->isVisible(), kSoon);
        QVERIFY(!badge->isVisible());
        // Room for the first one alone.
        const int others = buttons[1]->sizeHint().width() + buttons[2]->sizeHint().width();
        head.resize(head.layout()->minimumSize().width() - others + more()->sizeHint().width(), head.height());
        QTRY_VERIFY_WITH_TIMEOUT(more()->isVisible() && !buttons[2]->isVisible() && !buttons[1]->isVisible(),
                                 kSoon);
        QVERIFY(buttons[0]->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(head.rect().contains(more()->geometry()), kSoon);
        emit more() -> menu()->aboutToShow();
        const QList<QAction*> entries = more()->menu()->actions();
        QCOMPARE(entries.size(), 2);
        QCOMPARE(entries[0]->text(), QString("Drain"));
        QVERIFY(!entries[1]->isEnabled());
        entries[0]->trigger();
        QCOMPARE(pressed, std::vector<QString>{"Drain"});
        head.resize(900, head.height());
        QTRY_VERIFY_WITH_TIMEOUT(buttons[2]->isVisible() && !more()->isVisible(), kSoon);
        QVERIFY(!badge->isVisible());
    }

    void whatFoldsIsInTheMenuOfThePageThatHasOne() {
        QWidget window;
        window.resize(1'000, 60);
        PageHead head("Actions", &window);
        auto* cancel = new Button(Button::Kind::Plain, "Cancel 4,102 actions", {});
        auto* more = new Button(Button::Kind::Plain, "More", {});
        more->setMenu(new QMenu(more));
        more->menu()->addAction("Retire");
        int pressed = 0;
        connect(cancel, &QAbstractButton::clicked, this, [&pressed] { ++pressed; });
        head.addRight(cancel);
        head.addRight(more, false);
        head.setMore(more);
        head.resize(900, head.height());
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), kSoon);
        emit more->menu()->aboutToShow();
        QCOMPARE(more->menu()->actions().size(), 1);
        head.resize(head.layout()->minimumSize().width() - 20, head.height());
        QTRY_VERIFY_WITH_TIMEOUT(!cancel->isVisible(), kSoon);
        QVERIFY(more->isVisible());
        for (int i = 0; i < 2; ++i) emit more->menu()->aboutToShow(); // as often as it is opened
        const QList<QAction*> entries = more->menu()->actions();
        QCOMPARE(entries.size(), 3); // with the line between
        QCOMPARE(entries[0]->text(), QString("Retire"));
        QCOMPARE(entries[2]->text(), QString("Cancel 4,102 actions"));
        entries[2]->trigger();
        QCOMPARE(pressed, 1);
        head.resize(900, head.height());
        QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), kSoon);
        emit more->menu()->aboutToShow();
        QCOMPARE(more->menu()->actions().size(), 1);
    }

    void aFilterHasAllTheRoomOfItsHead() {
        QWidget window;
        window.resize(1'000, 60);
        PageHead head("Actions", &window);
        auto* filter = new FilterField("state:failed queue:nightly cpu>50 text…", true);
        filter->setMaximumWidth(620);
        head.addLeft(filter, 1);
        head.resize(1'000, head.height());
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(filter->width() >= 600, kSoon);
    }

    void theTitleOfAPanelEndsEarlyBeforeWhatIsPressed() {
        Panel panel("Using the processor now");
        panel.setNote("3 of them");
        auto* all = new Button(Button::Kind::Link, "All 3 running", {});
        panel.addToHead(all);
        panel.resize(all->sizeHint().width() + 120, 100);
        panel.show();
        QTRY_COMPARE_WITH_TIMEOUT(all->width(), all->sizeHint().width(), kSoon);
        QVERIFY2(Painted(panel).says("…") && Painted(panel).says("All 3 running"),
                 qPrintable(Painted(panel).text()));
        panel.resize(600, 100);
        QTRY_VERIFY2_WITH_TIMEOUT(Painted(panel).says("Using the processor now") &&
                                      Painted(panel).says("3 of them"),
                                  qPrintable(Painted(panel).text()), kSoon);
    }

    void aButtonThatIsTooNarrowEndsEarly() {
        Button button(Button::Kind::Plain, "Reschedule what failed", {});
        button.resize(button.sizeHint());
        QVERIFY2(Painted(button).says("Reschedule what failed"), qPrintable(Painted(button).text()));
        button.resize(button.sizeHint().width() / 2, button.height());
        QVERIFY2(Painted(button).says("…"), qPrintable(Painted(button).text()));
    }

    void aLegendThatIsTooNarrowGoesToTheNextLine() {
        std::vector<Legend::Entry> entries;
        for (const DisplayState face : {DisplayState::Pending, DisplayState::Held, DisplayState::Running,
                                        DisplayState::Completed, DisplayState::Failed, DisplayState::Cancelled})
            entries.push_back(Legend::of(face));
        Legend legend(std::move(entries));
        legend.setMostLines(2);
        const QStringList words = legend.accessibleName().split(", ");
        QCOMPARE(words.size(), 6);
        legend.resize(legend.sizeHint());
        QVERIFY2(!Painted(legend).text().contains('\n'), qPrintable(Painted(legend).text()));
        legend.resize(legend.sizeHint().width() * 2 / 3, legend.height());
        const Painted painted(legend);
        QVERIFY2(painted.text().contains('\n'), qPrintable(painted.text()));
        for (const QString& word : words) QVERIFY2(painted.says(word), qPrintable(painted.text()));
    }

    void wordsAtTheEndOfAChartStayInIt() {
        Chart chart("Actions left");
        chart.setSeries({{"actions left", Chart::Tone::Accent}});
        chart.setAxis(20, {{0, "0"}, {10, "10"}, {20, "20"}});
        chart.resize(300, 160);
        Chart::Data data;
        data.from = 1'800'000'000'000'000;
        data.to = data.from + 60'000'000;
        data.step = 1'000'000;
        data.t = {data.from, data.to};
        data.values = {{6, 6}};
        Chart::Forecast end;
        end.at = data.to;
        end.value = 6;
        end.head = "now: 6 left";
        end.line = QString("nothing like one of its actions has completed here ").repeated(4);
        chart.setForecast(end);
        chart.replace(data);
        chart.setVisible(true);
        QTRY_VERIFY_WITH_TIMEOUT(Painted(chart).says("now: 6 left"), kSoon);
        const Painted painted(chart);
        QVERIFY2(painted.says("…"), qPrintable(painted.text()));
        for (const auto& piece : painted.pieces())
            if (piece.text.contains(u'…'))
                QVERIFY2(piece.area.left() >= chart.plot().left() - 1, qPrintable(piece.text));
        // Too low for two lines: the second one would lie over the curve.
        chart.resize(300, 64);
        QTRY_VERIFY2_WITH_TIMEOUT(Painted(chart).says("now: 6 left") && !Painted(chart).says("…"),
                                  qPrintable(Painted(chart).text()), kSoon);
    }

    void whereAFormIsNarrowALabelStandsAboveItsField() {
        QWidget window; // a row that is one itself cannot be narrower than its layout
        window.resize(900, 200);
        auto* field = new QLineEdit;
        FormRow row("Keep actions", field, "How many finished actions are kept.", &window);
        QVERIFY(row.minimumSizeHint().width() >= 200 + 320);
        row.setMayStack(true);
        QVERIFY(row.minimumSizeHint().width() < 400);
        row.resize(800, row.sizeHint().height());
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(field->x() >= 200, kSoon);
        QCOMPARE(field->width(), 320);
        row.resize(420, 120);
        QTRY_VERIFY_WITH_TIMEOUT(field->x() < 20 && field->y() > 10, kSoon);
        QVERIFY(row.rect().contains(field->geometry()));
        row.resize(800, 120);
        QTRY_VERIFY_WITH_TIMEOUT(field->x() >= 200, kSoon);
    }

    void whatAComboBoxShowsIsNotUnderItsArrow() {
        QComboBox box;
        box.addItem("all functions");
        box.resize(box.sizeHint());
        box.show();
        QTRY_VERIFY2_WITH_TIMEOUT(Painted(box).says("all functions"), qPrintable(Painted(box).text()), kSoon);
        for (const auto& piece : Painted(box).pieces())
            QVERIFY2(piece.area.right() <= box.width() - 22, qPrintable(piece.text));
    }

    void ofATableThatIsTooNarrowTheColumnThatStretchesGivesWay() {
        RowsModel rows({{.id = "a", .title = "A", .tip = {}, .width = 100},
                        {.id = "b", .title = "B", .tip = {}, .width = 160, .stretches = true},
                        {.id = "c", .title = "C", .tip = {}, .kind = CellKind::Number, .width = 100}});
        rows.setRows({rowOf(1, {{"one"}, {"two"}, {"3"}})});
        Table table({});
        table.setRows(&rows);
        table.resize(320, 200);
        table.show();
        QTRY_VERIFY_WITH_TIMEOUT(table.visualRect(rows.index(0, 2)).right() < table.viewport()->width(), kSoon);
        QVERIFY(table.columnWidth(1) < 160);
        table.resize(600, 200);
        QTRY_VERIFY_WITH_TIMEOUT(table.columnWidth(1) > 160, kSoon);
    }

    void ofATableThatIsMuchTooNarrowTextsGiveWayAndThenColumnsFall() {
        RowsModel rows(
            {{.id = "name", .title = "Name", .tip = {}, .kind = CellKind::Name, .width = 200},
             {.id = "bar", .title = "Bar", .tip = {}, .width = 160, .stretches = true},
             {.id = "early", .title = "Early", .tip = {}, .kind = CellKind::Number, .width = 60, .falls = 1},
             {.id = "late", .title = "Late", .tip = {}, .kind = CellKind::Number, .width = 60, .falls = kFallsLast},
             {.id = "last", .title = "Last", .tip = {}, .kind = CellKind::Number, .width = 100}});
        rows.setRows({rowOf(1, {{"one"}, {"two"}, {"3"}, {"4"}, {"5"}})});
        Table table({});
        table.setRows(&rows);
        const auto isLaidOut = [&](int width, bool hasLate) {
            table.resize(width, 200);
            return QTest::qWaitFor(
                [&] {
                    return table.isColumnHidden(3) != hasLate &&
                           widthOfColumns(&table) <= table.viewport()->width();
                },
                kSoon);
        };
        table.show();
        QVERIFY(isLaidOut(500, true));
        QVERIFY(table.isColumnHidden(2)); // before anything else gives way
        QVERIFY(table.columnWidth(1) < 160);
        QCOMPARE(table.columnWidth(0), 200);
        QVERIFY(isLaidOut(380, true));
        QVERIFY(table.columnWidth(0) < 200);
        QCOMPARE(table.columnWidth(4), 100);
        QVERIFY(isLaidOut(300, false));
        QCOMPARE(table.columnWidth(4), 100);
    }

    void aBarOfProgressIsNotAsWideAsAWideScreen() {
        RowsModel rows({{.id = "bar", .title = "Bar", .tip = {}, .kind = CellKind::Progress, .stretches = true}});
        Cell bar;
        bar.shares[std::to_underlying(DisplayState::Completed)] = 10;
        rows.setRows({rowOf(1, {bar})});
        Table table({});
        table.setRows(&rows);
        table.resize(1'200, 120);
        table.show();
        const auto inkAt = [&](int x) {
            const QRect cell = table.visualRect(rows.index(0, 0));
            return table.viewport()->grab().toImage().pixelColor(cell.left() + x, cell.center().y());
        };
        const QColor done = Theme::current().fillOf(DisplayState::Completed);
        QTRY_COMPARE_WITH_TIMEOUT(inkAt(400), done, kSoon);
        QVERIFY(inkAt(700) != done);
    }

    void fiveDigitsFitIntoEveryCountOfAQueue() {
        for (const Column& column : queueColumns(false))
            if (QStringList{"waiting", "running", "completed", "failed"}.contains(column.id))
                QVERIFY2(numberWidth(typeface(Type::Body), "20,856") + 16 <= column.width, qPrintable(column.id));
    }

    void wordsOfTheTimelinesDoNotLieOverEachOtherAndNoneIsCut() {
        constexpr qint64 kNoon = 1'800'000'000'000'000;
        constexpr qint64 kSecond = 1'000'000;
        test::FixedTimeline data;
        timeline::TimelineView view{data};
        view.resize(1'200, 600);
        view.setMachine({16, 25e9, 0.9});
        view.setRange({kNoon, kNoon + 60 * kSecond});
        data.setNow(kNoon + 60 * kSecond);
        timeline::Figures figures; // of the last seconds alone
        figures.range = {kNoon, kNoon + 60 * kSecond};
        figures.step = kSecond;
        for (int i = 40; i < 60; ++i) {
            figures.t.push_back(kNoon + i * kSecond);
            figures.cores.push_back(2);
            figures.memory.push_back(4e9);
            figures.pending.push_back(12);
            for (auto* each : {&figures.running, &figures.completed, &figures.failed}) each->push_back(0);
        }
        data.setFigures(figures);
        view.show();
        const Painted painted(view, [&](QPainter& painter) { view.paintTo(painter); });
        QVERIFY2(painted.says("no data") && painted.says("no new starts above"), qPrintable(painted.text()));
        const auto& pieces = painted.pieces();
        for (const auto& words : pieces) {
            if (words.area.bottom() <= timeline::kMapHeight && words.area.left() > timeline::kLabels)
                QVERIFY2(words.isWholeAcross() && !words.text.contains(u'…'), qPrintable(words.text));
            if (!words.text.contains("no data")) continue;
            for (const auto& other : pieces) {
                const QRectF both = words.area.adjusted(0, 3, 0, -3) & other.area.adjusted(0, 3, 0, -3);
                QVERIFY2(&other == &words || both.isEmpty(), qPrintable(other.text));
            }
        }
    }

    // --- the least window

    void noPanelOfTheDashboardCutsARow() {
        QVERIFY(openWindow(kLeast));
        ask("POST", "jobs",
            QJsonObject{{"worker", "exec"}, {"argv", QJsonArray{"true"}}}); // else it offers a start
        auto* page = show<DashboardPage>("dashboard");
        for (const Table* table : {page->queueTable(), page->processor()->table(), page->failures()->table(),
                                   page->waiting()->table()}) {
            const auto isWhole = [table] {
                const int row = table->verticalHeader()->defaultSectionSize();
                return table->isVisible() && table->viewport()->height() >= 2 * row &&
                       table->viewport()->height() % row == 0;
            };
            QVERIFY2(QTest::qWaitFor(isWhole, kSoon),
                     qPrintable(QStringLiteral("%1: %2 px for rows of %3 px, %4")
                                    .arg(table->accessibleName())
                                    .arg(table->viewport()->height())
                                    .arg(table->verticalHeader()->defaultSectionSize())
                                    .arg(table->isVisible() ? "seen" : "not seen")));
        }
    }

    void inTheLeastWindowTheNoteOfAnActionHas220() {
        QVERIFY(openWindow(kLeast));
        Table* table = show<ActionsPage>("actions")->table();
        const int note = columnOf(table, "note");
        QVERIFY(note >= 0);
        QTRY_VERIFY_WITH_TIMEOUT(table->columnWidth(note) >= 220, kSoon);
        QVERIFY(table->columnViewportPosition(note) + table->columnWidth(note) <= table->viewport()->width());
    }

    void inTheLeastWindowAnErrorLineHasTheRoomOfTheButtonBesideIt() {
        QVERIFY(openWindow({1'440, 900}));
        submit("fails", "echo 'error: no such licence' >&2; exit 3", {{"max_retries", 0}});
        auto* dashboard = show<DashboardPage>("dashboard");
        Table* table = dashboard->failures()->table();
        QTRY_VERIFY_WITH_TIMEOUT(table->rows()->rowCount() > 0 && table->isVisible(), kSoon);
        const int again = columnOf(table, "again");
        QTRY_VERIFY_WITH_TIMEOUT(!table->isColumnHidden(again), kSoon);
        window_->resize(kLeast);
        QTRY_VERIFY_WITH_TIMEOUT(table->isColumnHidden(again), kSoon);
        QVERIFY(table->columnWidth(columnOf(table, "line")) >= 220);
    }

    void inTheLeastWindowTheSearchSaysWhatItIsWhole() {
        QVERIFY(openWindow(kLeast));
        auto* search = window_->findChild<SearchButton*>();
        QVERIFY(search != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(!Painted(*search).text().isEmpty(), kSoon);
        QVERIFY2(!Painted(*search).says("…"), qPrintable(Painted(*search).text()));
        SearchButton small;
        small.resize(240, 28);
        QVERIFY2(Painted(small).says("Search, command"), qPrintable(Painted(small).text()));
    }

    void chartsSideBySideHaveTheSameTimes_data() {
        QTest::addColumn<int>("width");
        for (const int width : {1'100, 1'280, 1'440, 1'900})
            QTest::newRow(qPrintable(QString::number(width))) << width;
    }
    void chartsSideBySideHaveTheSameTimes() {
        QFETCH(int, width);
        QVERIFY(openWindow({width, 800}));
        submit("is there", "true");
        LoadCharts* charts = show<DashboardPage>("dashboard")->charts();
        const auto isSame = [&] {
            const QString times = timesBelow(charts->processor());
            return charts->isVisible() && !times.isEmpty() && timesBelow(charts->memory()) == times &&
                   timesBelow(charts->finished()) == times;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(isSame(),
                                  qPrintable(timesBelow(charts->processor()) + "; " + timesBelow(charts->memory()) +
                                             "; " + timesBelow(charts->finished())),
                                  kSoon);
    }
};

QTEST_MAIN(TestNarrow)
#include "tst_narrow.moc"
