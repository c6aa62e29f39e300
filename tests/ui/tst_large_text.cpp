// Large text and longer words in the least window: German at 150 %. Nothing lies over anything else, nothing is outside
// its place. Places are measured, and texts read from what is painted.
#include "tests/ui/painted.h"
#include "tests/ui/timeline_fixed.h"
#include "tests/ui/warm_worker.h"
#include "tests/ui/window_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/samples_view.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/dashboard/failures_panel.h"
#include "ui/pages/dashboard/load_charts.h"
#include "ui/pages/dashboard/state_strip.h"
#include "ui/pages/dashboard/waiting_panel.h"
#include "ui/pages/pool/pool_strip.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/pages/settings/settings_page.h"
#include "ui/pages/timelines/selection_strip.h"
#include "ui/state/languages.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/table.h"

#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>

#include <algorithm>

using namespace yard;
using namespace yard::ui;
using test::Painted;

namespace {

constexpr QSize kLeast{1'100, 700};
constexpr double kLarge = 1.5;

/// Larger text while it lives; windows are made after it and go before it.
class LargeText {
public:
    LargeText() { setTextScale(kLarge); }
    ~LargeText() { setTextScale(1); }
    LargeText(const LargeText&) = delete;
    LargeText& operator=(const LargeText&) = delete;
};

/// Of its columns that are shown.
int widthOfColumns(const Table* table) {
    int width = 0;
    for (int i = 0; i < table->horizontalHeader()->count(); ++i)
        if (!table->isColumnHidden(i)) width += table->columnWidth(i);
    return width;
}

/// In the window; empty where it is not shown.
QRect placeOf(const QWidget* widget) {
    return widget->isVisible() ? QRect(widget->mapTo(widget->window(), QPoint()), widget->size()) : QRect();
}

} // namespace

class TestLargeText : public test::WindowTest {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(start("large-text", {"--capacity", "2"})); }
    void cleanup() {
        window_.reset();
        Languages::choose("en");
    }
    void cleanupTestCase() { engine_.kill(); }

    void inGermanAtOneAndAHalfThePanelOfAQueueIsNotCut() {
        const LargeText large;
        Languages::choose("de");
        Languages languages;
        languages.install();
        QVERIFY(openWindow(kLeast));
        QueuePanel* panel = show<QueuesPage>("queues")->panel();
        auto* area = panel->findChild<QScrollArea*>();
        QVERIFY(area != nullptr && area->widget() != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && panel->queue() >= 0, kSoon);
        const auto isWhole = [&] {
            return area->viewport()->width() > 0 && area->widget()->width() <= area->viewport()->width();
        };
        QTRY_VERIFY2_WITH_TIMEOUT(
            isWhole(),
            qPrintable(QStringLiteral("%1 of %2").arg(area->viewport()->width()).arg(area->widget()->width())),
            kSoon);
        window_.reset(); // before its language goes
    }

    void atOneAndAHalfPanelsStandBelowWhereTheyWouldHaveNoRoom() {
        const LargeText large;
        QVERIFY(openWindow({1'650, 1'050}));
        const qint64 lsn = submit("placed", "true");
        window_->navigation().showAction(lsn, "output");
        const auto* detail = qobject_cast<ActionsPage*>(window_->navigation().page())->detail();
        const auto* split = qobject_cast<QSplitter*>(detail->parentWidget());
        QVERIFY(split != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(split->orientation(), Qt::Vertical, kSoon);
        window_->resize(2'400, 1'050);
        QTRY_COMPARE_WITH_TIMEOUT(split->orientation(), Qt::Horizontal, kSoon);
    }

    void atOneAndAHalfTheChartsOfAnActionAreWholeOrScrolledTo() {
        const LargeText large;
        QVERIFY(openWindow(kLeast));
        const qint64 lsn = submit("measured", "true");
        window_->navigation().showAction(lsn, "processor");
        const auto* detail = qobject_cast<ActionsPage*>(window_->navigation().page())->detail();
        const auto isWhole = [&] {
            const QRect cores = placeOf(detail->samples()->cores());
            const QRect memory = placeOf(detail->samples()->memory());
            return cores.height() >= scaled(80) && memory.height() >= scaled(80) && memory.top() > cores.bottom();
        };
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kSoon);
    }

    void inGermanAtOneAndAHalfNoButtonOfAHeadIsOutsideIt() {
        const LargeText large;
        Languages::choose("de");
        Languages languages;
        languages.install();
        QVERIFY(openWindow(kLeast));
        for (const char* id : {"queues", "actions", "workers", "timelines", "pool", "machines", "failures"}) {
            window_->navigation().show(id);
            auto* head = window_->navigation().page()->findChild<PageHead*>();
            QVERIFY2(head != nullptr, id);
            const auto isWhole = [&] {
                return std::ranges::all_of(head->findChildren<Button*>(), [&](const Button* button) {
                    return !button->isVisible() || (head->rect().contains(button->geometry()) &&
                                                    button->width() >= button->sizeHint().width());
                });
            };
            QVERIFY2(QTest::qWaitFor(isWhole, kSoon), id);
        }
        window_.reset(); // before its language goes
    }

    void inGermanAtOneAndAHalfTheLegendOfTheTimelinesHasAllItsEntries() {
        const LargeText large;
        Languages::choose("de");
        Languages languages;
        languages.install();
        TimelineLegend legend;
        const QStringList words = legend.accessibleDescription().split(", ");
        QVERIFY(words.size() >= 5);
        legend.resize(legend.sizeHint());
        const Painted painted(legend);
        for (const QString& word : words) QVERIFY2(painted.says(word), qPrintable(painted.text()));
        for (const auto& piece : painted.pieces()) QVERIFY2(piece.isWholeAcross(), qPrintable(piece.text));
        // With more room they stand in one line.
        legend.resize(4 * legend.sizeHint().width(), legend.height());
        QVERIFY2(!Painted(legend).text().contains('\n'), qPrintable(Painted(legend).text()));
    }

    void inGermanAtOneAndAHalfTheSearchIsSaidWhole() {
        const LargeText large;
        Languages::choose("de");
        Languages languages;
        languages.install();
        QVERIFY(openWindow(kLeast));
        auto* search = window_->findChild<SearchButton*>();
        QTRY_VERIFY2_WITH_TIMEOUT(Painted(*search).says("Suche, Befehl"), qPrintable(Painted(*search).text()),
                                  kSoon);
        const Painted painted(*search);
        QVERIFY2(!painted.says("…"), qPrintable(painted.text()));
        for (const auto& piece : painted.pieces())
            QVERIFY2(piece.area.left() >= 24, qPrintable(piece.text)); // behind the icon
        window_.reset();                                               // before its language goes
    }

    void inGermanAtOneAndAHalfThePartsOfTheDashboardDoNotLieOverEachOther() {
        const LargeText large;
        Languages::choose("de");
        Languages languages;
        languages.install();
        QVERIFY(openWindow(kLeast));
        submit("is there", "true");
        auto* page = show<DashboardPage>("dashboard");
        QTRY_VERIFY_WITH_TIMEOUT(page->strip()->isVisible(), kSoon);
        const auto isApart = [&] {
            const std::vector<QWidget*> parts{page->strip(), page->charts(), page->queueTable(), page->failures(),
                                              page->waiting()};
            for (std::size_t i = 0; i < parts.size(); ++i)
                for (std::size_t j = 0; j < i; ++j)
                    if (placeOf(parts[i]).intersects(placeOf(parts[j]))) return false;
            return true;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isApart(), kSoon);
        for (const DisplayState face :
             {DisplayState::Pending, DisplayState::Failed, DisplayState::Abandoned, DisplayState::Cancelled}) {
            auto* cell = page->strip()->cell(face);
            QVERIFY2(!Painted(*cell).says("…"), qPrintable(Painted(*cell).text()));
            QVERIFY(page->strip()->rect().contains(cell->geometry()));
        }
        for (Chart* chart : {page->charts()->processor(), page->charts()->finished()})
            QVERIFY(chart->plot().height() > 20);
        window_.reset(); // before its language goes
    }

    void inGermanAtOneAndAHalfNoColumnIsOutsideItsTable() {
        const LargeText large;
        Languages::choose("de");
        Languages languages;
        languages.install();
        QVERIFY(openWindow(kLeast));
        submit("fails", "echo 'error: no such licence' >&2; exit 3", {{"max_retries", 0}});
        (void)test::registerWarmWorker(window_->engine().state()->link(), "thumbs", "1.2", {});
        for (const char* id : {"dashboard", "queues", "actions", "workers", "pool", "machines", "failures"}) {
            window_->navigation().show(id);
            QString outside;
            const auto isWithin = [&] {
                outside.clear();
                for (const Table* table : window_->navigation().page()->findChildren<Table*>())
                    if (table->isVisible() && widthOfColumns(table) > table->viewport()->width())
                        outside += QStringLiteral("%1, %2: %3 of %4; ")
                                       .arg(QLatin1String(id), table->accessibleName())
                                       .arg(widthOfColumns(table))
                                       .arg(table->viewport()->width());
                return outside.isEmpty();
            };
            QVERIFY2(QTest::qWaitFor(isWithin, kSoon), qPrintable(outside));
        }
        window_.reset(); // before its language goes
    }

    void inGermanAtOneAndAHalfNoSettingIsCut() {
        const LargeText large;
        Languages::choose("de");
        Languages languages;
        languages.install();
        QVERIFY(openWindow(kLeast));
        auto* page = show<SettingsPage>("settings");
        auto* area = page->findChild<QScrollArea*>();
        QVERIFY(area != nullptr && area->widget() != nullptr);
        for (const char* id : {"general", "appearance", "engine", "engines", "notifications", "keys", "courtesy"}) {
            page->setFilter(id);
            const auto isWhole = [&] {
                return area->viewport()->width() > 0 && area->widget()->width() <= area->viewport()->width();
            };
            QVERIFY2(QTest::qWaitFor(isWhole, kSoon), id);
        }
        window_.reset(); // before its language goes
    }

    void largeTextOfTheTimelinesStaysInItsRows() {
        const LargeText large;
        constexpr qint64 kNoon = 1'800'000'000'000'000;
        test::FixedTimeline data;
        timeline::TimelineView view{data};
        view.resize(1'200, 600);
        view.setMachine({16, 25e9, 0.9});
        view.setRange({kNoon, kNoon + 60'000'000});
        data.setNow(kNoon + 60'000'000);
        view.show();
        const Painted painted(view, [&](QPainter& painter) { view.paintTo(painter); });
        const auto& pieces = painted.pieces();
        QVERIFY2(painted.says("Processor") && painted.says("Memory"), qPrintable(painted.text()));
        for (std::size_t i = 0; i < pieces.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (pieces[i].area.left() > timeline::kLabels || pieces[j].area.left() > timeline::kLabels)
                    continue;
                const QRectF both = pieces[i].area.adjusted(0, 3, 0, -3) & pieces[j].area.adjusted(0, 3, 0, -3);
                QVERIFY2(both.isEmpty(), qPrintable(pieces[i].text + " over " + pieces[j].text));
            }
    }

    void aNoteOfThePoolThatDoesNotFitIsNotCut() {
        const LargeText large;
        PoolStrip strip;
        PoolView pool;
        pool.max = 12;
        strip.resize(700, strip.height());
        strip.show(pool, 25'300'000'000);
        strip.show();
        for (const auto& piece : Painted(strip).pieces()) QVERIFY2(!piece.isCutNumber(), qPrintable(piece.text));
    }
};

QTEST_MAIN(TestLargeText)
#include "tst_large_text.moc"
