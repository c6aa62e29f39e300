// The dashboard and the lower half of the queues, offscreen, on the real program: what they tell is what the engine
// has, what is pressed is done, and what the engine does not say is not made up.
#include "tests/ui/demo_load.h"
#include "tests/ui/window_test.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/dashboard/failures_panel.h"
#include "ui/pages/dashboard/load_charts.h"
#include "ui/pages/dashboard/processor_panel.h"
#include "ui/pages/dashboard/state_strip.h"
#include "ui/pages/dashboard/waiting_panel.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/pages/queues/queue_troubles.h"
#include "ui/pages/queues/queue_work.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/state/failure_kinds.h"
#include "ui/state/poll.h"
#include "ui/state/tonight.h"
#include "ui/state/wait_reasons.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QSignalSpy>

#include <cmath>
#include <utility>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr std::int64_t kSecond = 1'000'000;

/// A link that answers when it is told to.
class SilentLink final : public EngineLink {
public:
    void send(const Request&, QObject*, Done done) override {
        ++asked;
        done_ = std::move(done);
    }
    void answer(const Answer& answer) { std::exchange(done_, {})(answer); }
    std::unique_ptr<QObject> stream(const Request&, std::function<void(const QByteArray&)>, Done) override {
        return nullptr;
    }
    void watch(const QJsonObject&) override {}
    QUrl address() const override { return QStringLiteral("http://127.0.0.1:1/compute"); }
    void become(LinkState state) { setState(state); }
    int asked = 0;

private:
    Done done_;
};

QJsonObject pending(qint64 lsn, const QString& note, QJsonObject more = {}) {
    more.insert("lsn", lsn);
    more.insert("queue_id", 0);
    more.insert("state", "pending");
    more.insert("note", note);
    return more;
}

} // namespace

class TestDashboard : public test::WindowTest {
    Q_OBJECT

    DashboardPage* page() {
        window_->navigation().show("dashboard");
        return qobject_cast<DashboardPage*>(window_->navigation().page());
    }
    static void clickCell(Table* table, int row, int column) {
        const QRect cell = table->visualRect(table->rows()->index(row, column));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, QPoint(cell.right() - 20, cell.center().y()));
    }
    qint64 waitsOnStrip() {
        const QString pending = page()->strip()->cell(DisplayState::Pending)->accessibleName();
        return pending.section(' ', 0, 0).remove(',').toLongLong();
    }
    qint64 queueOf(const QString& tag) const {
        for (const auto& [id, queue] : window_->engine().state()->queues())
            if (queue.tag == tag) return id;
        return -1;
    }

private slots:
    void initTestCase() {
        QVERIFY(start("dashboard"));
        QVERIFY(openWindow());
    }
    void cleanupTestCase() { window_.reset(); }

    void itIsTheFirstPage() {
        QCOMPARE(window_->navigation().pages().front().id, QString("dashboard"));
        QCOMPARE(window_->navigation().pageId(), QString("dashboard"));
        window_->navigation().show("queues");
        QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(window_->navigation().pageId(), QString("dashboard"));
    }

    void anEngineWithoutWorkSaysSoAndHowToBegin() {
        QTRY_VERIFY_WITH_TIMEOUT(page()->isEmpty(), kSoon);
        QVERIFY(!page()->strip()->isVisible());
        QAbstractButton* copy = nullptr;
        for (QAbstractButton* button : page()->findChildren<QAbstractButton*>())
            if (button->isVisible() && button->text() == "Copy") copy = button;
        QVERIFY(copy != nullptr);
        copy->click();
        QVERIFY(QApplication::clipboard()->text().startsWith("yardctl --data-dir " + engine_.directory() + " run"));
    }

    void workShowsItsStates() {
        test::submitDemo(window_->engine().state()->link());
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isEmpty(), kSoon);
        QVERIFY(page()->strip()->isVisible());
        // Those of the held queue are pending, as the list that a press shows has them.
        QTRY_VERIFY_WITH_TIMEOUT(waitsOnStrip() >= 12, kSoon);
        QCOMPARE(page()->strip()->cell(DisplayState::Held)->accessibleName(), QString("0 Held"));
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->count(DisplayState::Failed) >= 3, 3 * kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(
            page()->strip()->cell(DisplayState::Failed)->accessibleName(),
            QString::number(window_->engine().state()->count(DisplayState::Failed)) + " Failed", kSoon);
    }

    void theChartsFillFromTheEnginesFigures() {
        LoadCharts* charts = page()->charts();
        QTRY_VERIFY_WITH_TIMEOUT(charts->processor()->pieces(0) >= 1, 2 * kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(charts->memory()->pieces(0) >= 1, kSoon);
        const auto memory = charts->memoryBytes();
        QVERIFY(memory.has_value());
        QVERIFY(*memory > 1e7);
        QVERIFY(charts->finished()->data().t.size() <= Chart::kMostPoints);
        QVERIFY(!charts->gpus()->isVisible()); // without GPUs there is no chart of them
        QTRY_VERIFY_WITH_TIMEOUT(!charts->finished()->data().ticks.empty(), kSoon);
    }

    void anotherSpanIsAskedForAndRemembered() {
        LoadCharts* charts = page()->charts();
        for (const int minutes : {60, 1'440, 15}) {
            charts->setSpan(minutes);
            const auto wanted = static_cast<std::int64_t>(minutes) * 60 * kSecond;
            QTRY_COMPARE_WITH_TIMEOUT(charts->memory()->data().to - charts->memory()->data().from, wanted, kSoon);
            QTRY_VERIFY_WITH_TIMEOUT(charts->memory()->data().step >= std::max(2, minutes / 8) * kSecond, kSoon);
        }
    }

    void queuesStandAsOnTheirOwnPage() {
        const TableModel* rows = page()->queueTable()->rows();
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(rows, "lightmaps") >= 0, kSoon);
        QCOMPARE(rows->cell(rowWith(rows, "lightmaps"), 1).text, QString("Held"));
    }

    void enterOnAQueueLeadsToIt() {
        Table* table = page()->queueTable();
        table->selectRow(rowWith(table->rows(), "nightly-cook"));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(window_->navigation().pageId(), QString("queues"));
        auto* queues = qobject_cast<QueuesPage*>(window_->navigation().page());
        QCOMPARE(queues->panel()->queue(), queueOf("nightly-cook"));
        page()->queueTable()->clearSelection();
    }

    void theLatestFailureIsOnTopWithItsErrorLine() {
        RowsModel* rows = page()->failures()->rows();
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(rows, "foliage_wind.hlsl sm6.6 V0412", 2) >= 0, kSoon);
        const int row = rowWith(rows, "foliage_wind.hlsl sm6.6 V0412", 2);
        QVERIFY(rows->cell(row, 3).text.contains("undeclared identifier"));
        // The other one may have ended after that answer.
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(rows, "render/shadow_cascade_test", 2) >= 0, kSoon);
        const int crash = rowWith(rows, "render/shadow_cascade_test", 2);
        QVERIFY(rows->cell(crash, 3).text.contains("SIGSEGV"));
    }

    void theButtonOfARowReschedulesIt() {
        RowsModel* rows = page()->failures()->rows();
        const int row = rowWith(rows, "render/shadow_cascade_test", 2);
        const qint64 lsn = rows->idAt(row);
        clickCell(page()->failures()->table(), row, 4);
        QTRY_VERIFY_WITH_TIMEOUT(!window_->engine().commands()->records().empty() &&
                                     window_->engine().commands()->records().back().status == 200,
                                 kSoon);
        const auto& record = window_->engine().commands()->records().back();
        QVERIFY(record.operation.yardctl.startsWith("yardctl retry"));
        QVERIFY(record.operation.yardctl.contains(QString::number(lsn)));
        page()->failures()->table()->clearSelection();
        // It fails again: the row comes back.
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(rows, "render/shadow_cascade_test", 2) >= 0, 2 * kSoon);
    }

    void allOfTonightWaitsForUndo() {
        QTRY_VERIFY_WITH_TIMEOUT(page()->failures()->rescheduleAll()->isEnabled(), kSoon);
        QVERIFY(page()->failures()->rescheduleAll()->text().startsWith("Reschedule all of tonight ("));
        page()->failures()->rescheduleAll()->click();
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        const Operation* waiting = window_->engine().commands()->waiting();
        QVERIFY(waiting->yardctl.contains("finished:since-18:00"));
        QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window_->engine().commands()->waiting() == nullptr);
    }

    void whenTonightBeginsIsASetting() {
        setTonightSince("22:00");
        QCOMPARE(tonightFilter(), QString("state:failed finished:since-22:00"));
        setTonightSince("18:00");
    }

    void whatRunsIsListedAndTheRestIsSummedUp() {
        RowsModel* rows = page()->processor()->rows();
        QTRY_VERIFY_WITH_TIMEOUT(rows->rowCount() >= 2, kSoon);
        QCOMPARE(rows->idAt(rows->rowCount() - 1), ProcessorPanel::kOthersRow);
        QTRY_VERIFY_WITH_TIMEOUT(rows->cell(0, 0).text.startsWith("frame "), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(rows->cell(rows->rowCount() - 1, 2).text != QString("–"), kSoon);
    }

    void whyWorkWaitsNamesTheHeldQueue() {
        RowsModel* rows = page()->waiting()->rows();
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(rows, "queue lightmaps is held") >= 0, kSoon);
        QCOMPARE(rows->cell(rowWith(rows, "queue lightmaps is held"), 1).text, QString("12"));
    }

    /// By what the counts say, not by the clock.
    void whatIsReleasedLeavesWhatWaitsAtOnce() {
        WaitingPanel* waiting = page()->waiting();
        const auto held = [&] {
            const int row = rowWith(waiting->rows(), "held by themselves");
            return row < 0 ? 0 : waiting->rows()->cell(row, 1).text.toInt();
        };
        constexpr int kHourMs = 3'600'000;
        waiting->setEvery(kHourMs);
        const int before = held();
        const QJsonObject action{{"worker", "exec"}, {"argv", QJsonArray{"true"}}, {"hold", true}};
        const qint64 lsn = ask("POST", "jobs", action).json.value("lsn").toInteger();
        QVERIFY(lsn != 0);
        QTRY_COMPARE_WITH_TIMEOUT(held(), before + 1, kSoon);
        QVERIFY(ask("POST", QString("jobs/%1/release").arg(lsn)).ok());
        QTRY_COMPARE_WITH_TIMEOUT(held(), before, kSoon);
        waiting->setEvery(3'000);
    }

    void modelsKeepTheRulesOfModels() {
        const QAbstractItemModelTester failures(page()->failures()->rows(),
                                                QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester running(page()->processor()->rows(),
                                               QAbstractItemModelTester::FailureReportingMode::QtTest);
        window_->resize(1100, 700);
        window_->resize(1440, 900);
    }

    void noNumberOfTheStripIsClippedInTheLeastWindow() {
        window_->resize(1100, 700);
        page();
        QTRY_VERIFY_WITH_TIMEOUT(page()->strip()->cell(DisplayState::Failed)->width() >= 90, kSoon);
        QVERIFY(page()->waiting()->geometry().bottom() <= page()->height());
        window_->resize(1440, 900);
    }

    void whatIsNotLookedAtAsksForNothing() {
        SilentLink link;
        link.become(LinkState::Connected);
        Poll poll(link, 1, [] { return Request{"GET", "stats", {}, {}}; }, [](const Answer&) {});
        poll.now();
        QCOMPARE(link.asked, 0);
        poll.setActive(true);
        poll.now();
        QCOMPARE(link.asked, 1); // the first has not been answered
        link.answer({.status = 200, .bytes = {}, .json = {}, .error = {}, .message = {}});
        QCOMPARE(link.asked, 2); // wanted meanwhile
        poll.setActive(false);
        link.answer({.status = 200, .bytes = {}, .json = {}, .error = {}, .message = {}});
        poll.now();
        QCOMPARE(link.asked, 2);
    }

    void aLostLinkIsAskedForNothingAndARefusalIsToldOnce() {
        SilentLink link;
        Poll poll(link, 1'000'000, [] { return Request{"GET", "stats", {}, {}}; }, [](const Answer&) {});
        QSignalSpy told(&poll, &Poll::failed);
        poll.setActive(true);
        QCOMPARE(link.asked, 0);
        link.become(LinkState::Connected);
        for (int i = 0; i < 3; ++i) {
            poll.now();
            link.answer(
                {.status = 404, .bytes = {}, .json = {}, .error = "not_found", .message = "No such route."});
        }
        QCOMPARE(link.asked, 3);
        QCOMPARE(told.count(), 1);
        QCOMPARE(poll.problem(), QString("No such route."));
    }

    void theChartOfAQueueEndsNowAndItsForecastIsABand() {
        window_->navigation().show("queues");
        auto* queues = qobject_cast<QueuesPage*>(window_->navigation().page());
        queues->open(queueOf("shot-0420-render"), {});
        QTRY_VERIFY_WITH_TIMEOUT(queues->work()->chart()->data().t.size() >= 2, kSoon);
        const auto& data = queues->work()->chart()->data();
        const QueueInfo* queue = window_->engine().state()->queue(queueOf("shot-0420-render"));
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<qint64>(data.values[0].back()), queue->active, kSoon);
        const auto first = [queues] {
            const RowsModel* waits = queues->work()->waits();
            return waits->rowCount() > 0 ? waits->cell(0, 0).text : QString();
        };
        QTRY_VERIFY2_WITH_TIMEOUT(first().contains("1 of at most 1"), qPrintable(first()), kSoon); // while one runs
    }

    void failuresOfAQueueByKindAndTheirReschedule() {
        window_->navigation().show("queues");
        auto* queues = qobject_cast<QueuesPage*>(window_->navigation().page());
        queues->open(queueOf("nightly-cook"), {});
        RowsModel* kinds = queues->panel()->troubles()->kinds();
        QTRY_COMPARE_WITH_TIMEOUT(kinds->rowCount(), 1, kSoon);
        QVERIFY(kinds->cell(0, 0).text.startsWith("exit code 1"));
        const std::size_t before = window_->engine().commands()->records().size();
        clickCell(queues->panel()->troubles()->kindTable(), 0, 2);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->records().size() > before, kSoon);
        QVERIFY(window_->engine().commands()->records().back().operation.yardctl.startsWith("yardctl retry"));
    }

    void whatThisWindowDidIsAmongTheEvents() {
        window_->navigation().show("queues");
        auto* queues = qobject_cast<QueuesPage*>(window_->navigation().page());
        queues->open(queueOf("lightmaps"), {});
        window_->engine().commands()->run(operations::releaseQueue(queueOf("lightmaps"), "lightmaps"));
        RowsModel* events = queues->panel()->troubles()->events();
        QTRY_COMPARE_WITH_TIMEOUT(rowWith(events, "Release lightmaps", 1), 0, kSoon);
    }

    void aLostEngineStopsTheLinesAndBlocksCommandsWithTheReason() {
        DashboardPage* dashboard = page();
        QTRY_VERIFY_WITH_TIMEOUT(dashboard->charts()->memory()->pieces(0) >= 1, kSoon);
        engine_.kill();
        QTRY_VERIFY_WITH_TIMEOUT(dashboard->head()->note().contains("as of"), 2 * kSoon);
        QVERIFY(!dashboard->failures()->rescheduleAll()->isEnabled());
        QVERIFY(dashboard->failures()->rescheduleAll()->toolTip().contains("no connection"));
        QVERIFY(dashboard->failures()->rows()->rowCount() > 0); // data stays
        const auto& data = dashboard->charts()->memory()->data();
        const std::int64_t last = data.t.back();
        QTRY_VERIFY_WITH_TIMEOUT(data.to - last >= 3 * kSecond, kSoon); // time goes on, the line does not
        QCOMPARE(data.t.back(), last);
        QVERIFY(engine_.start());
        QTRY_VERIFY_WITH_TIMEOUT(!dashboard->head()->note().contains("as of"), 3 * kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(data.t.back() > last, 2 * kSoon);
    }

    // --- without an engine ---

    void figuresThatAreNotWholeYetAreNotKnown() {
        const std::int64_t now = 1'800'000'000 * kSecond;
        const QJsonObject stats{
            {"resolution", 60},
            {"t", QJsonArray{static_cast<qint64>(now - 150 * kSecond), static_cast<qint64>(now - 90 * kSecond),
                             static_cast<qint64>(now - 30 * kSecond)}},
            {"series", QJsonObject{{"cpu_actions", QJsonArray{1.5, QJsonValue(), 2.0}},
                                   {"completed", QJsonArray{10, 20, 5}},
                                   {"failed", QJsonArray{0, 2, 0}}}}};
        const LoadSeries load = loadSeriesOf(stats, now);
        QCOMPARE(load.actions[0], 1.5);
        QVERIFY(std::isnan(load.actions[1]));
        QCOMPARE(load.perMinute[1], 20.0);
        QVERIFY(std::isnan(load.perMinute[2]));
        QVERIFY(std::isnan(load.memory[0])); // not told at all
        QVERIFY(load.gpus.empty());          // there are none
        QCOMPARE(load.failures.size(), 1U);
    }

    void gpusAreThereWhereTheEngineTellsOfThem() {
        const std::int64_t now = 1'800'000'000 * kSecond;
        const LoadSeries load = loadSeriesOf(
            {{"resolution", 60},
             {"t", QJsonArray{static_cast<qint64>(now - 90 * kSecond), static_cast<qint64>(now - 30 * kSecond)}},
             {"series", QJsonObject{{"gpu_percent", QJsonArray{QJsonValue(), 150}}}}},
            now);
        QCOMPARE(load.gpus.size(), 2U);
        QVERIFY(std::isnan(load.gpus[0]));
        QCOMPARE(load.gpus[1], 150.0);
    }

    void figuresThatCannotBeAreLeftOut() {
        QVERIFY(loadSeriesOf({}, 1).t.empty());
        QVERIFY(loadSeriesOf({{"resolution", 2}, {"t", QJsonArray{3, 1}}}, 1).t.empty());
    }

    void reasonsToWaitAreCountedByWhatTheyHaveInCommon() {
        SilentLink link;
        const EngineState state(link);
        const QJsonArray jobs{pending(1, "0 of 2 cores free, it is next"),
                              pending(2, "0 of 2 cores free, first of its queue"),
                              pending(3, "0 of 2 cores free, about 70 of its queue before it"),
                              pending(4, "1 action to end"),
                              pending(5, "12 actions to end"),
                              pending(6, "backs off for 3.0 s more", {{"retry_at", 5'000'000}}),
                              pending(7, "backs off for 1 min 9 s more", {{"retry_at", 11'000'000}}),
                              pending(8, "it is held", {{"held", true}}),
                              pending(9, "its queue runs 2 of at most 2"),
                              pending(10, "is not to start for 3.0 s more"),
                              pending(11, "is not to start for 2 h 3 min more")};
        const auto reasons = waitReasonsOf(jobs, state, 2'000'000);
        QCOMPARE(reasons.size(), 6U);
        QCOMPARE(reasons[0].text, QString("cores: 0 of 2 free"));
        QCOMPARE(reasons[0].count, 3);
        const auto find = [&](const QString& text) { return *std::ranges::find(reasons, text, &WaitReason::text); };
        QCOMPARE(find("after another action").count, 2);
        QCOMPARE(find("not before a time of their own").count, 2); // as the engine says it of many
        QCOMPARE(find("back-off after a failure").more, QString("next in 3.0 s"));
        QCOMPARE(find("back-off after a failure").face, DisplayState::Retry);
        QCOMPARE(find("held by themselves").filter, QString("state:held"));
        QCOMPARE(find("the default queue runs 2 of at most 2").filter, QString("state:pending queue:0"));
    }

    void reasonsThatTheEngineCounted() {
        SilentLink link;
        const EngineState state(link);
        const QJsonObject answer{
            {"reasons",
             QJsonArray{
                 QJsonObject{
                     {"count", 2'500},
                     {"queue_id", 7},
                     {"filter", "state:pending queue:7"},
                     {"wait", QJsonObject{{"kind", "hold"}, {"of", "queue"}, {"message", "its queue is held"}}}},
                 QJsonObject{{"count", 4'000},
                             {"wait", QJsonObject{{"kind", "capacity"}, {"message", "0 of 64 cores free"}}}},
                 QJsonObject{{"count", 3},
                             {"filter", "state:retry -state:held"},
                             {"wait", QJsonObject{{"kind", "backoff"},
                                                  {"until", 8'000'000},
                                                  {"message", "backs off for 6.0 s more"}}}}}},
            {"others", 9}};
        const auto reasons = waitReasonsOf(answer, state, 2'000'000);
        QCOMPARE(reasons.size(), 4U);
        QCOMPARE(reasons[0].text, QString("cores: 0 of 64 free"));
        QCOMPARE(reasons[0].count, 4'000);
        QCOMPARE(reasons[1].text, QString("queue 7 is held"));
        QCOMPARE(reasons[1].face, DisplayState::Held);
        QCOMPARE(reasons[1].filter, QString("state:pending queue:7"));
        QCOMPARE(reasons[2].count, 9);
        QCOMPARE(reasons[3].more, QString("next in 6.0 s"));
        QCOMPARE(reasons[3].filter, QString("state:retry -state:held"));
    }

    void whoHasWhatIsMissingIsSaidWithHowMuch() {
        const QJsonObject wait{{"kind", "capacity"},
                               {"holders", QJsonArray{QJsonObject{{"lsn", 12}, {"name", "render"}, {"amount", 4}},
                                                      QJsonObject{{"lsn", 13}, {"amount", 2}},
                                                      QJsonObject{{"name", "worker sort"}, {"amount", 1}}}}};
        const auto holders = waitHoldersOf(wait);
        QCOMPARE(holders.size(), 3U);
        QCOMPARE(holders[0].text, QString("12 render: 4"));
        QCOMPARE(holders[0].lsn, 12);
        QCOMPARE(holders[1].text, QString("13: 2"));
        QCOMPARE(holders[2].text, QString("worker sort: 1"));
        QCOMPARE(holders[2].lsn, 0);
        QVERIFY(waitHoldersOf(QJsonObject{{"kind", "hold"}}).empty());
    }

    void failuresAreGroupedByEndAndWorker() {
        const auto job = [](qint64 lsn, QJsonObject more) {
            more.insert("lsn", lsn);
            return more;
        };
        const auto kinds =
            failureKindsOf({job(1, {{"reason", "exit_code"}, {"exit_code", 1}, {"worker_name", "shaderc"}}),
                            job(2, {{"reason", "exit_code"}, {"exit_code", 1}, {"worker_name", "shaderc"}}),
                            job(3, {{"reason", "signal"}, {"signal", 11}, {"function", "compress"}}),
                            job(4, {{"reason", "memory"}})});
        QCOMPARE(kinds.size(), 3U);
        QCOMPARE(kinds[0].text, QString("exit code 1, shaderc"));
        QCOMPARE(kinds[0].lsns.size(), 2U);
        QVERIFY(std::ranges::find(kinds, QString("signal 11, compress"), &FailureKind::text) != kinds.end());
        QVERIFY(std::ranges::find(kinds, QString("memory limit, program"), &FailureKind::text) != kinds.end());
    }

    void aForecastSpansAllThatIsKnown() {
        const qint64 now = 1'000 * kSecond;
        QVERIFY(!forecastOf(now, 100, {10, 50}, 0).has_value()); // the engine knows of something without an end
        QVERIFY(!forecastOf(now, 0, {10}, 0).has_value());
        const auto band = forecastOf(now, 100, {10, 50}, now + 300 * kSecond);
        QVERIFY(band.has_value());
        QCOMPARE(static_cast<qint64>(band->likely), now + 300 * kSecond);
        QCOMPARE(static_cast<qint64>(band->earliest), now + 120 * kSecond);
        QCOMPARE(static_cast<qint64>(band->latest), now + 600 * kSecond);
    }

    void theHistoryOfAQueueIsBoundedAndKeepsItsGaps() {
        QueueHistory history;
        for (qint64 i = 0; i < 5'000; ++i) history.add(1, i * kSecond, 5'000 - i, i);
        QVERIFY(history.of(1).size() <= QueueHistory::kMostPoints);
        QCOMPARE(history.of(1).back().left, 1);
        QVERIFY(std::abs(history.perMinute(1, 5'000 * kSecond, 600 * kSecond) - 60) < 2);
        history.loseSight(5'001 * kSecond);
        QCOMPARE(history.of(1).back().left, -1);
        history.add(1, 5'100 * kSecond, 3, 4'997);
        QCOMPARE(history.of(1).back().left, 3);
        QCOMPARE(history.of(1)[history.of(1).size() - 2].left, -1);
        QVERIFY(history.of(2).empty());
        QVERIFY(history.perMinute(2, 1, 1) < 0);
        for (qint64 queue = 0; queue < 700; ++queue) history.add(queue, 6'000 * kSecond + queue, 1, 0);
        QVERIFY(history.queues() <= QueueHistory::kMostQueues);
        QVERIFY(!history.of(699).empty());
    }
};

QTEST_MAIN(TestDashboard)
#include "tst_dashboard.moc"
