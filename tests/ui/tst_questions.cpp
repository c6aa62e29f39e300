// The ten questions of an operator, each answered in at most two gestures by the keyboard and by the mouse, on the
// real window over a real engine. YARD_QUESTIONS_ACTIONS: among how many actions (2,000).
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/compare_tab.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/samples_view.h"
#include "ui/pages/actions/sandbox_tab.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/dashboard/failures_panel.h"
#include "ui/pages/dashboard/processor_panel.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/palette.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QJsonDocument>
#include <QMenu>
#include <QScrollBar>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {
constexpr int kSoon = 30'000;
constexpr auto kError = "foliage_wind.hlsl(88,17): error X3004: undeclared identifier";
} // namespace

class TestQuestions : public QObject {
    Q_OBJECT

    test::RealEngine engine_;
    std::unique_ptr<Theme> theme_;
    std::unique_ptr<MainWindow> window_;
    qint64 cook_ = 0; ///< a queue without retries
    qint64 failed_ = 0;
    qint64 waits_ = 0;
    qint64 holder_ = 0;
    qint64 eater_ = 0;
    qint64 good_ = 0;
    qint64 bad_ = 0; ///< what good_ is, and it failed
    qint64 denied_ = 0;

    QJsonObject ask(const QByteArray& method, const QString& path, const QJsonValue& body = {}) {
        QJsonObject json;
        bool done = false;
        Request request{method, path.section('?', 0, 0), QUrlQuery(path.section('?', 1)), {}, {}};
        if (body.isObject()) request.body = QJsonDocument(body.toObject()).toJson();
        window_->state()->link().send(request, this, [&](const Answer& answer) {
            json = answer.json;
            done = true;
        });
        [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
        return json;
    }
    qint64 submit(const QString& label, const QString& script, QJsonObject more = {}) {
        more.insert("worker", "exec");
        more.insert("argv", QJsonArray{"sh", "-c", script});
        more.insert("label", label);
        return ask("POST", QStringLiteral("queues/%1/jobs").arg(cook_), more).value("lsn").toInteger();
    }
    QString stateOf(qint64 lsn) { return ask("GET", QStringLiteral("jobs/%1").arg(lsn)).value("state").toString(); }
    void openWindow() {
        window_ = std::make_unique<MainWindow>();
        window_->setEngine(std::make_unique<AttachedLink>(engine_.address(), engine_.token()), "embedded");
        window_->resize(1'440, 900);
        window_->show();
        window_->activateWindow();
        QTRY_VERIFY_WITH_TIMEOUT(window_->state()->isLive(), kSoon);
    }
    /// As an operator comes to a row before he asks: it is looked for, and not chosen yet.
    ActionsPage* actionsWith(const QString& filter, qint64 lsn) {
        window_->MainWindow::show("actions", filter);
        auto* page = qobject_cast<ActionsPage*>(window_->page());
        if (!QTest::qWaitFor([&] { return page->model()->isHere(page->model()->rowOf(lsn)); }, kSoon))
            qFatal("%lld is not there", lsn);
        page->table()->setFocus();
        return page;
    }
    /// The same with the row chosen by the keys.
    ActionsPage* onRow(const QString& filter, qint64 lsn) {
        ActionsPage* page = actionsWith(filter, lsn);
        page->table()->selectId(lsn);
        return page;
    }
    void clickRow(Table* table, qint64 id, int column = 1) {
        const QRect cell = table->visualRect(table->rows()->index(table->rows()->rowOf(id), column));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
    }
    void clickRail(const QString& title) {
        for (auto* item : window_->findChildren<RailItem*>())
            if (item->accessibleName().startsWith(title)) return QTest::mouseClick(item, Qt::LeftButton);
        QFAIL(qPrintable("no page " + title));
    }
    /// Ctrl+K, the words, Enter, once the best row is the one meant.
    void palette(const QString& words, const std::function<bool(const PaletteEntry&)>& meant) {
        QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(window_->palette()->field(), words);
        const auto isBest = [&] {
            const PaletteEntry* entry =
                window_->palette()->model()->entry(window_->palette()->list()->currentIndex().row());
            return entry != nullptr && meant(*entry);
        };
        QTRY_VERIFY_WITH_TIMEOUT(isBest(), kSoon);
        QTest::keyClick(window_->palette()->field(), Qt::Key_Return);
    }
    static bool has(const std::vector<Fact>& facts, const QString& text) {
        return std::ranges::any_of(facts,
                                   [&](const Fact& f) { return f.name.contains(text) || f.value.contains(text); });
    }
    DetailPanel* detail() { return qobject_cast<ActionsPage*>(window_->page())->detail(); }
    DashboardPage* dashboard() { return qobject_cast<DashboardPage*>(window_->page()); }
    QString note(qint64 lsn) {
        const ActionsModel* model = qobject_cast<ActionsPage*>(window_->page())->model();
        const int row = model->rowOf(lsn);
        return row < 0 ? QString() : model->cell(row, ActionsModel::kNote).text;
    }
    static int rowWith(const TableModel* rows, const QString& text) {
        for (int row = 0; row < rows->rowCount(); ++row)
            for (int column = 0; column < rows->columnCount(); ++column)
                if (rows->cell(row, column).text == text) return row;
        return -1;
    }
    /// The menu that is open gets this entry pressed.
    static void pressInMenu(const QString& text) {
        QTimer::singleShot(0, qApp, [text] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu != nullptr);
            for (QAction* action : menu->actions())
                if (action->text() == text) action->trigger();
            menu->close();
        });
    }
    void eatsIsShown() {
        const TableModel* rows = dashboard()->processor()->rows();
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(rows, "eats the processor") >= 0, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(rows->cell(rowWith(rows, "eats the processor"), 2).text != Format::unknown(),
                                 kSoon);
    }
    void comparisonIsShown() {
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), bad_, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->compare()->other(), good_, kSoon);
        QVERIFY(detail()->compare()->isVisible());
    }
    void denialIsShown() {
        const Table* denied = detail()->sandbox()->denied();
        QVERIFY(denied->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(denied->rows()->rowCount() > 0, kSoon);
        QCOMPARE(denied->rows()->cell(0, 1).text, QString("link"));
    }

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-questions");
        QSettings().clear();
        engine_.setArguments({"--capacity", "6"});
        QVERIFY(engine_.start());
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
        openWindow();
        cook_ =
            ask("POST", "queues", QJsonObject{{"tag", "nightly-cook"}, {"config", QJsonObject{{"max_retries", 0}}}})
                .value("queue_id")
                .toInteger();
        const int others = qEnvironmentVariableIntValue("YARD_QUESTIONS_ACTIONS");
        submit("filler", "true",
               {{"hold", true}, {"array", QJsonObject{{"from", 1}, {"to", others > 0 ? others : 2'000}}}});
        good_ = submit("shadow test", "[ ! -e \"$BAD\" ]",
                       {{"env", QJsonObject{{"BAD", engine_.directory() + "/bad"}}}});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(good_), QString("completed"), kSoon);
        QFile bad(engine_.directory() + "/bad");
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad_ = submit("shadow test", "[ ! -e \"$BAD\" ]", {{"env", QJsonObject{{"BAD", bad.fileName()}}}});
        denied_ = submit("leaves a link", "mkdir -p outputs; ln -s /etc/hostname outputs/link; true");
        eater_ = submit("eats the processor", "while :; do :; done");
        holder_ = submit("holds atlas", "sleep 600", {{"locks", QJsonArray{"app:atlas"}}});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(holder_), QString("running"), kSoon);
        waits_ = submit("wants atlas", "true", {{"locks", QJsonArray{"app:atlas"}}});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(bad_), QString("failed"), kSoon);
        failed_ = submit("foliage wind", QStringLiteral("echo \"%1 'g_WindPhase'\" >&2; exit 1").arg(kError));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(failed_), QString("failed"), kSoon);
        window_.reset();
    }
    void cleanupTestCase() { engine_.kill(); }
    void init() { openWindow(); }
    void cleanup() { window_.reset(); }

    void whatFailedLastByKeys() {
        QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window_->pageId(), QString("actions"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), failed_, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(note(failed_).contains(kError), kSoon);
    }
    void whatFailedLastByMouse() {
        window_->MainWindow::show("queues");
        clickRail("Dashboard");
        const TableModel* rows = dashboard()->failures()->rows();
        QTRY_VERIFY_WITH_TIMEOUT(rows->rowCount() > 0, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(rows->idAt(0), failed_, kSoon);
        QVERIFY(rows->cell(0, 3).text.contains(kError));
    }

    void whyIsItNotRunningByKeys() {
        palette(QString::number(waits_),
                [this](const PaletteEntry& e) { return e.title.contains(QLocale().toString(waits_)); });
        QTRY_VERIFY_WITH_TIMEOUT(window_->pageId() == "actions" && detail()->lsn() == waits_, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(has(detail()->why()->facts(), "app:atlas"), kSoon);
    }
    void whyIsItNotRunningByMouse() {
        ActionsPage* page = actionsWith("label:\"wants atlas\"", waits_);
        QVERIFY(note(waits_).startsWith("lock app:atlas is held by"));
        clickRow(page->table(), waits_);
        QTRY_VERIFY_WITH_TIMEOUT(has(detail()->why()->facts(), "app:atlas"), kSoon);
    }

    void whatEatsTheProcessorByKeys() {
        window_->MainWindow::show("queues");
        QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
        eatsIsShown();
    }
    void whatEatsTheProcessorByMouse() {
        window_->MainWindow::show("queues");
        clickRail("Dashboard");
        eatsIsShown();
        Table* table = dashboard()->processor()->findChild<Table*>();
        clickRow(table, eater_, 0);
        // Its graph.
        QTest::keyClick(table, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(window_->pageId(), QString("actions"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), eater_, kSoon);
    }

    void whenWillThisQueueBeDoneByKeys() {
        palette("nightly-cook", [](const PaletteEntry& e) { return e.kind == PaletteEntry::Kind::Queue; });
        QTRY_COMPARE_WITH_TIMEOUT(window_->pageId(), QString("queues"), kSoon);
        const Table* table = qobject_cast<QueuesPage*>(window_->page())->table();
        QTRY_COMPARE_WITH_TIMEOUT(table->selectedIds().size(), std::size_t{1}, kSoon);
        QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(dashboard()->queueTable()->rows(), "nightly-cook") >= 0, kSoon);
    }
    void whenWillThisQueueBeDoneByMouse() {
        clickRail("Queues");
        auto* page = qobject_cast<QueuesPage*>(window_->page());
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(page->table()->rows(), "nightly-cook") >= 0, kSoon);
        const int row = rowWith(page->table()->rows(), "nightly-cook");
        clickRow(page->table(), page->table()->rows()->idAt(row));
        QCOMPARE(page->table()->selectedIds(), std::vector<qint64>{page->table()->rows()->idAt(row)});
    }

    void whatDidThisSlotDoThenByKeys() {
        window_->MainWindow::show("timelines");
        auto* page = qobject_cast<TimelinesPage*>(window_->page());
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->selectAction(failed_), kSoon);
        const auto bar = *page->view()->selected();
        const QTime at = QDateTime::fromMSecsSinceEpoch(bar.item.begin / 1'000).time();
        page->view()->select(std::nullopt);
        window_->MainWindow::show("queues");
        palette(QStringLiteral("exec slot %1 %2").arg(bar.slot).arg(at.toString("HH:mm:ss")),
                [](const PaletteEntry& e) { return e.kind == PaletteEntry::Kind::Slot; });
        QTRY_COMPARE_WITH_TIMEOUT(window_->pageId(), QString("timelines"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->selected().has_value(), kSoon);
        QCOMPARE(page->view()->selected()->slot, bar.slot);
        QVERIFY(page->view()->range().contains(bar.item.begin));
    }
    void whatDidThisSlotDoThenByMouse() {
        clickRail("Timelines");
        auto* page = qobject_cast<TimelinesPage*>(window_->page());
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->selectAction(failed_), kSoon);
        page->view()->select(std::nullopt);
        const auto before = page->view()->range();
        // Anywhere on the map is another time.
        QTest::mouseClick(page->view(), Qt::LeftButton, {}, QPoint(page->view()->width() / 2, 22));
        QVERIFY(page->view()->range().from != before.from);
    }

    void compareWithTheLastGoodOneByKeys() {
        ActionsPage* page = onRow("label:\"shadow test\"", bad_);
        QTest::keyClick(page->table(), Qt::Key_D, Qt::ControlModifier);
        comparisonIsShown();
    }
    void compareWithTheLastGoodOneByMouse() {
        ActionsPage* page = onRow("label:\"shadow test\"", bad_);
        pressInMenu("Compare with the last good one");
        const QRect cell = page->table()->visualRect(page->model()->index(page->model()->rowOf(bad_), 1));
        QContextMenuEvent event(QContextMenuEvent::Mouse, cell.center(),
                                page->table()->viewport()->mapToGlobal(cell.center()));
        QCoreApplication::sendEvent(page->table()->viewport(), &event);
        comparisonIsShown();
    }

    void rerunAllFailuresOfTonightByKeys() {
        palette("rerun tonight", [](const PaletteEntry& e) { return e.title == "Rerun all failures of tonight"; });
        QTRY_VERIFY_WITH_TIMEOUT(window_->commands()->waiting() != nullptr, kSoon);
        QVERIFY(window_->commands()->waiting()->yardctl.contains("yardctl retry"));
        window_->commands()->undo();
    }
    void rerunAllFailuresOfTonightByMouse() {
        clickRail("Dashboard");
        QTRY_VERIFY_WITH_TIMEOUT(dashboard()->failures()->rescheduleAll()->isEnabled(), kSoon);
        QTest::mouseClick(dashboard()->failures()->rescheduleAll(), Qt::LeftButton);
        QVERIFY(window_->commands()->waiting() != nullptr);
        window_->commands()->undo();
    }

    void whoHoldsThisLockByKeys() {
        palette("app:atlas", [](const PaletteEntry& e) { return e.title == "app:atlas"; });
        QTRY_VERIFY_WITH_TIMEOUT(window_->pageId() == "actions" && detail()->lsn() == holder_, kSoon);
    }
    void whoHoldsThisLockByMouse() {
        ActionsPage* page = actionsWith("label:\"wants atlas\"", waits_);
        const QModelIndex cell = page->model()->index(page->model()->rowOf(waits_), ActionsModel::kNote);
        const QString words = page->model()->cell(cell.row(), ActionsModel::kNote).text;
        QVERIFY2(words.endsWith(QLocale().toString(holder_)), qPrintable(words));
        const qreal left = QFontMetricsF(typeface(Type::Body)).horizontalAdvance(words.chopped(2));
        const QRect area = page->table()->visualRect(cell);
        QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {},
                          QPoint(area.left() + 8 + static_cast<int>(left), area.center().y()));
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), holder_, kSoon);
        // Beside the number a click is one on the row.
        page->table()->clearSelection();
        QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {},
                          QPoint(area.left() + 12, area.center().y()));
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), waits_, kSoon);
    }

    void whatDidTheSandboxDenyByKeys() {
        ActionsPage* page = onRow("label:\"leaves a link\"", denied_);
        QTest::keyClick(page->table(), Qt::Key_Return);
        QTest::keyClick(window_.get(), Qt::Key_6, Qt::AltModifier);
        denialIsShown();
        // Of all.
        QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
        auto* field = page->findChild<FilterField*>();
        QVERIFY(field->hasFocus());
        QTest::keyClicks(field, "denied:*");
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(page->model()->filter() == "denied:*" && page->model()->isWhole() &&
                                     page->model()->rowCount() == 1,
                                 kSoon);
        QCOMPARE(page->model()->idAt(0), denied_);
    }
    void whatDidTheSandboxDenyByMouse() {
        ActionsPage* page = actionsWith("label:\"leaves a link\"", denied_);
        clickRow(page->table(), denied_);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), denied_, kSoon);
        Tabs* tabs = detail()->tabs();
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabArea(DetailPanel::kSandbox).center());
        denialIsShown();
    }

    void howDoIDoThisFromAScriptByKeys() {
        ActionsPage* page = onRow("label:\"foliage wind\"", failed_);
        QTest::keyClick(page->table(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("yardctl retry --force %1").arg(failed_));
    }
    void howDoIDoThisFromAScriptByMouse() {
        ActionsPage* page = onRow("label:\"foliage wind\"", failed_);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), failed_, kSoon);
        static_cast<void>(page);
        Button* copy = nullptr;
        for (Button* button : detail()->findChildren<Button*>())
            if (button->text() == "Copy as") copy = button;
        QVERIFY(copy != nullptr);
        pressInMenu("yardctl: its output");
        QTest::mouseClick(copy, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(QGuiApplication::clipboard()->text(),
                                  QStringLiteral("yardctl logs %1").arg(failed_), kSoon);
    }

    void whatAnActionUsedIsAChart() {
        ActionsPage* page = onRow("label:\"eats the processor\"", eater_);
        static_cast<void>(page);
        QTest::keyClick(window_.get(), Qt::Key_5, Qt::AltModifier);
        QVERIFY(detail()->samples()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(detail()->samples()->cores()->data().t.size() > 1, kSoon);
        const auto& cores = detail()->samples()->cores()->data().values.front();
        QVERIFY(*std::ranges::max_element(cores) > 0);
        QCOMPARE(detail()->samples()->memory()->data().t, detail()->samples()->cores()->data().t);
    }

    void theWindowGoesOnWhileTheEngineStandsStill() {
        ActionsPage* page = actionsWith("label:filler", good_ - 1);
        engine_.standStill();
        // Keys and clicks that ask the engine for something, and more paintings than a window that waits would do.
        int frames = 0;
        for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_End, Qt::Key_Home}) {
            QTest::keyClick(page->table(), key);
            QTest::keyClick(window_.get(), Qt::Key_2, Qt::ControlModifier);
            QCOMPARE(window_->pageId(), QString("queues"));
            QTest::keyClick(window_.get(), Qt::Key_3, Qt::ControlModifier);
            QCOMPARE(window_->pageId(), QString("actions"));
            page->table()->setFocus();
            frames += window_->grab().isNull() ? 0 : 1;
        }
        QTest::keyClick(page->table(), Qt::Key_End);
        QCOMPARE(page->table()->currentIndex().row(), page->model()->rowCount() - 1);
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
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(good_), QString("completed"), kSoon);
        // It is at the end still, wherever that is by now, and what is there has come.
        const auto isNot = [page]() -> QString {
            const QScrollBar* bar = page->table()->verticalScrollBar();
            const int last = page->model()->rowCount() - 1;
            if (!page->model()->isWhole()) return "whole";
            if (const int row = page->table()->currentIndex().row(); row != last)
                return QStringLiteral("at the last row: at %1 of %2, scrolled to %3 of %4")
                    .arg(row)
                    .arg(last)
                    .arg(bar->value())
                    .arg(bar->maximum());
            if (bar->value() != bar->maximum()) return "scrolled to the end";
            return page->model()->isHere(last) ? "" : "here";
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

QTEST_MAIN(TestQuestions)
#include "tst_questions.moc"
