// What screen readers are told of views that paint their content themselves: role, name, value and parts.
#include "tests/support/waiting.h"
#include "ui/log/log_view.h"
#include "ui/pages/pool/pool_strip.h"
#include "ui/pages/workers/runs_chart.h"
#include "ui/style/format.h"
#include "ui/style/theme.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tabs.h"

#include <QAccessible>
#include <QTest>

#include <utility>

using namespace yard::ui;

namespace {

QAccessibleInterface* of(QWidget* widget) {
    return QAccessible::queryAccessibleInterface(widget);
}
QString nameOf(const QAccessibleInterface* part) {
    return part->text(QAccessible::Name);
}
QString valueOf(const QAccessibleInterface* part) {
    return part->text(QAccessible::Value);
}

} // namespace

class TestAccess : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() { theme_ = std::make_unique<Theme>(nullptr); }

    void factsAreAListOfWhichMetersHaveAValue() {
        Facts facts;
        facts.resize(300, 100);
        facts.set({{"reason", "exit code 1"},
                   {"memory", "1.2 GB of 4.0 GB", Fact::Tone::Normal, 0.3},
                   {"waits for it", "12", Fact::Tone::Link, {}, "12"}});
        auto* list = of(&facts);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->childCount(), 3);
        QCOMPARE(nameOf(list->child(0)), QString("reason"));
        QCOMPARE(valueOf(list->child(0)), QString("exit code 1"));
        QVERIFY(list->child(0)->valueInterface() == nullptr);
        auto* meter = list->child(1);
        QCOMPARE(meter->role(), QAccessible::ProgressBar);
        QCOMPARE(valueOf(meter), QString("1.2 GB of 4.0 GB"));
        QVERIFY(meter->valueInterface() != nullptr);
        QCOMPARE(meter->valueInterface()->currentValue().toDouble(), 30.0);
        QCOMPARE(meter->valueInterface()->maximumValue().toInt(), 100);
        QCOMPARE(list->child(2)->role(), QAccessible::Link);
        QCOMPARE(list->indexOfChild(meter), 1);
        QCOMPARE(meter->parent(), list);
        const QPoint within = meter->rect().center();
        QCOMPARE(list->childAt(within.x(), within.y()), meter);
        // Others now: the parts before are no more.
        facts.set({{"reason", "deadline"}});
        QCOMPARE(list->childCount(), 1);
        QCOMPARE(valueOf(list->child(0)), QString("deadline"));
        QVERIFY(list->child(1) == nullptr);
    }

    void namesOfFactsHaveWhatTheirValuesLeaveThem() {
        Facts facts;
        facts.resize(372, 100);
        const QString name = "Requests per process, at most, of all";
        const int whole = QFontMetrics(typeface(Type::Body)).horizontalAdvance(name);
        QVERIFY(whole > facts.width() / 2);
        facts.set({{name, "no limit"}});
        QVERIFY(facts.nameWidth() >= whole);
        facts.set({{name, QString(200, 'x')}});
        QCOMPARE(facts.nameWidth(), facts.width() / 2);
    }

    void aChartSaysWhatItsLinesAreNowAndBetweenWhat() {
        Chart chart("Processor");
        chart.resize(400, 200);
        chart.setSeries({{"actions", Chart::Tone::Accent}, {"others", Chart::Tone::Others}});
        chart.setWords([](double value) { return QString::number(value); });
        auto* access = of(&chart);
        QCOMPARE(access->role(), QAccessible::Chart);
        QCOMPARE(nameOf(access), QString("Processor"));
        chart.setMessage("nothing yet");
        QCOMPARE(valueOf(access), QString("nothing yet"));
        Chart::Data data;
        data.from = 1'000'000;
        data.to = 3'000'000;
        data.step = 1'000'000;
        data.t = {1'000'000, 2'000'000, 3'000'000};
        data.values = {{4, Chart::kNone, 3}, {1, 7, Chart::kNone}};
        data.ticks = {2'000'000};
        chart.replace(data);
        QTRY_VERIFY_WITH_TIMEOUT(valueOf(access).contains("actions: 3, between 3 and 4"), yard::kWaitMs);
        QVERIFY(valueOf(access).contains("others: 7, between 1 and 7"));
        QVERIFY(valueOf(access).contains("1 failure"));
        chart.setForecast(Chart::Forecast{3'000'000, 3, 0, 0, 0, "now: 3 left", "done 10:09"});
        QVERIFY(valueOf(access).endsWith("now: 3 left; done 10:09"));
    }

    void tabsAreAListOfWhichOneIsShown() {
        Tabs tabs({"Output", "Inputs"});
        tabs.resize(400, 32);
        tabs.setNote(1, "3");
        auto* list = of(&tabs);
        QCOMPARE(list->role(), QAccessible::PageTabList);
        QCOMPARE(list->childCount(), 2);
        QCOMPARE(list->child(1)->role(), QAccessible::PageTab);
        QCOMPARE(nameOf(list->child(1)), QString("Inputs, 3"));
        QCOMPARE(valueOf(list->child(0)), QString("shown"));
        tabs.setCurrent(1);
        QCOMPARE(list->childCount(), 2);
        QCOMPARE(valueOf(list->child(1)), QString("shown"));
        QVERIFY(valueOf(list->child(0)).isEmpty());
    }

    void outputIsAListOfTheLinesInView() {
        LogView log;
        log.resize(600, 200);
        log.show();
        auto* access = of(&log);
        QCOMPARE(access->role(), QAccessible::List);
        log.setMessage("It has printed nothing");
        QCOMPARE(valueOf(access), QString("It has printed nothing"));
        QByteArray all;
        for (int i = 1; i <= 500; ++i) all += "line of text " + QByteArray::number(i) + '\n';
        log.append(LogStream::Out, all);
        log.finish(LogStream::Out);
        const auto partOf = [&](const QString& text) -> QAccessibleInterface* {
            for (int i = 0; i < access->childCount(); ++i)
                if (nameOf(access->child(i)) == text) return access->child(i);
            return nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(partOf("line of text 500") != nullptr, yard::kWaitMs); // it follows the end
        QVERIFY(access->childCount() < 40);
        QVERIFY(valueOf(access).endsWith("of 500"));
        log.markError("text 250");
        QVERIFY(partOf("line of text 500") == nullptr);
        QVERIFY(partOf("line of text 250") != nullptr);
        QCOMPARE(valueOf(partOf("line of text 250")), QString("line 250, the first error"));
        QCOMPARE(valueOf(partOf("line of text 251")), QString("line 251"));
    }

    void runsOfAWorkerAreSpokenOneByOne() {
        RunsChart chart;
        chart.resize(300, 160);
        auto* access = of(&chart);
        QCOMPARE(access->role(), QAccessible::Chart);
        QCOMPARE(valueOf(access), QString("It has not run yet"));
        Run good;
        good.lsn = 7;
        good.name = "frame 7";
        good.ran = 2'000'000;
        Run bad = good;
        bad.lsn = 8;
        bad.failed = true;
        chart.setRuns({good, bad});
        QCOMPARE(access->childCount(), 2);
        QVERIFY(valueOf(access).contains("1 failed"));
        QVERIFY(nameOf(access->child(0)).contains("frame 7") && nameOf(access->child(0)).contains("completed"));
        QVERIFY(nameOf(access->child(1)).contains("failed"));
    }

    void thePoolsFiguresAreSpokenWithWhatStandsBehindThem() {
        PoolStrip strip;
        strip.resize(1'200, 60);
        PoolView pool;
        pool.max = 16;
        PoolGroup group;
        group.name = "thumbs";
        group.waiting = 3;
        group.processes.resize(2);
        group.processes[0].state = "busy";
        group.processes[1].state = "idle";
        pool.groups.push_back(group);
        strip.show(pool, 0, yard::Duration(4'100'000));
        auto* access = of(&strip);
        QCOMPARE(access->childCount(), 5);
        QCOMPARE(nameOf(access->child(0)), QString("Processes"));
        QCOMPARE(valueOf(access->child(0)), QString("2 of 16 1 busy, 1 idle"));
        QCOMPARE(valueOf(access->child(3)), QString("3 oldest 4.1 s"));
        strip.show(pool, 0);
        QCOMPARE(valueOf(access->child(3)), QString("3 for thumbs"));
    }

    void progressInATableIsSpokenByItsShares() {
        RowsModel model(
            {{.id = "name", .title = "Queue", .tip = {}, .kind = CellKind::Name, .width = 100},
             {.id = "progress", .title = "Progress", .tip = {}, .kind = CellKind::Progress, .width = 100}});
        Cell progress;
        progress.shares[std::to_underlying(DisplayState::Completed)] = 1'200;
        progress.shares[std::to_underlying(DisplayState::Failed)] = 3;
        model.setRows({{1, {{"nightly"}, progress}, {}}});
        const QString words = model.index(0, 1).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(words.contains("1,200 completed") && words.contains("3 failed"), qPrintable(words));
        QCOMPARE(model.index(0, 0).data(Qt::AccessibleTextRole).toString(), "nightly, " + words);
    }

    void barsAreSpokenByTheirWordsAndWhatStandsAsideIsSpokenToo() {
        RowsModel model({{.id = "line", .title = "Line", .tip = {}, .kind = CellKind::Mono, .width = 100},
                         {.id = "hours", .title = "By hour", .tip = {}, .kind = CellKind::Bars, .width = 100}});
        Cell line{"broken"};
        line.aside = "muted";
        Cell hours;
        hours.bars = {0, 3, 1};
        hours.tip = "4 in three hours";
        model.setRows({{1, {line, hours}, {}}});
        QCOMPARE(model.index(0, 0).data(Qt::AccessibleTextRole).toString(),
                 QString("broken, muted, 4 in three hours"));
    }
};

QTEST_MAIN(TestAccess)
#include "tst_access.moc"
