// A person who reads only the screen never sees a number that the API contradicts. A night with ends of several kinds
// is made on a real engine; then nothing runs, so that numbers stand still. Each number of each page is read from what
// is painted and held against the engine's answer past the window. What moves by itself, the load of the machine and
// the engine's own cost, is not compared: tst_questions has those.
#include "tests/ui/numbers_test.h"
#include "tests/ui/warm_worker.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/state_chips.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/dashboard/failures_panel.h"
#include "ui/pages/dashboard/load_charts.h"
#include "ui/pages/dashboard/state_strip.h"
#include "ui/pages/dashboard/waiting_panel.h"
#include "ui/pages/failures/failure_groups.h"
#include "ui/pages/failures/failures_page.h"
#include "ui/pages/machines/machine_panel.h"
#include "ui/pages/machines/machines_page.h"
#include "ui/pages/pool/pool_page.h"
#include "ui/pages/pool/pool_strip.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/pages/queues/queue_work.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/pages/settings/settings_page.h"
#include "ui/pages/timelines/selection_strip.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/pages/workers/workers_page.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/tabs.h"

#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>

#include <algorithm>
#include <utility>

using namespace yard;
using namespace yard::ui;
using test::Number;
using test::Numbers;
using test::squeezed;
using test::within;

namespace {

constexpr qint64 kSecond = 1'000'000;

constexpr std::array kAllFaces{DisplayState::Pending,    DisplayState::Held,      DisplayState::Retry,
                               DisplayState::Submitting, DisplayState::Running,   DisplayState::Completed,
                               DisplayState::Failed,     DisplayState::Abandoned, DisplayState::Cancelled};

QString spanOf(qint64 from, qint64 to) {
    if (from == 0 || to == 0) return Format::unknown();
    return Format().duration(Duration(std::chrono::microseconds(to - from)));
}

/// From its process's start to its end, of the last try.
QString ranOf(const QJsonObject& job) {
    const QJsonObject times = job.value("timestamps").toObject();
    const qint64 exited = times.value("exited").toInteger();
    return spanOf(times.value("running").toInteger(),
                  exited != 0 ? exited : times.value(job.value("state").toString()).toInteger());
}

QString sizeOf(const QJsonObject& json, const char* member) {
    return json.contains(QLatin1String(member)) ? Format().size(json.value(QLatin1String(member)).toInteger())
                                                : Format::unknown();
}

/// What a panel says above its body.
QString headOf(QWidget* body) {
    QWidget* panel = body;
    while (panel != nullptr && qobject_cast<const Panel*>(panel) == nullptr) panel = panel->parentWidget();
    if (panel == nullptr || !panel->isVisible()) return {};
    return test::Painted(*panel).text(QRectF(0, 0, panel->width(), scaled(32)));
}

/// Behind the title of a page.
QString noteOf(Page* page) {
    auto* head = page->findChild<PageHead*>();
    if (head == nullptr) return {};
    for (Label* label : head->findChildren<Label*>())
        if (label->isVisible() && label->text() == head->note()) return test::Painted(*label).text();
    return {};
}

} // namespace

class TestNumbers : public test::NumbersTest {
    Q_OBJECT

    qint64 cook_ = 0;   ///< a queue without retries
    qint64 maps_ = 0;   ///< one that is held
    qint64 failed_ = 0; ///< with an exit code of its own
    QString worker_;    ///< a warm one

    // --- what the engine says

    /// Pending has the held ones and those to be retried among it; the window shows them beside it.
    std::map<DisplayState, qint64> counts() {
        std::map<DisplayState, qint64> all;
        for (const DisplayState face : kAllFaces) all[face] = totalOf("state:" + filterWordOf(face));
        all[DisplayState::Pending] -= all[DisplayState::Held] + all[DisplayState::Retry];
        return all;
    }
    QJsonObject action(qint64 lsn) { return get(QStringLiteral("jobs/%1").arg(lsn)); }

    Numbers queueNumbers(Table* table) {
        Numbers all;
        const Format format;
        const QJsonArray queues = get("queues").value("queues").toArray();
        for (const QJsonValue value : queues) {
            const QJsonObject queue = value.toObject();
            const auto of = [&](const char* member) { return queue.value(QLatin1String(member)).toInteger(); };
            const qint64 done = of("completed") + of("failed") + of("abandoned") + of("cancelled");
            const qint64 row = rowIdOf(of("queue_id"));
            addCell(all, table, row, "done", format.percent(done, done + of("active")));
            addCell(all, table, row, "waiting", format.number(of("pending")));
            addCell(all, table, row, "running", format.number(of("running")));
            addCell(all, table, row, "completed", format.number(of("completed")));
            addCell(all, table, row, "failed", format.number(of("failed")));
            addCell(all, table, row, "per-minute",
                    queue.contains("per_minute") ? format.number(of("per_minute")) : Format::unknown());
            addCell(all, table, row, "weight",
                    format.number(static_cast<qint64>(queue.value("config")["weight"].toDouble(1))));
        }
        all.push_back(
            {"how many queues", QString::number(table->rows()->rowCount()), format.number(queues.size())});
        return all;
    }

    void makeTheNight() {
        const QJsonObject three{{"array", QJsonObject{{"from", 1}, {"to", 3}}}};
        const QJsonObject seven{{"array", QJsonObject{{"from", 1}, {"to", 7}}}};
        const QJsonObject byHand{{"hold", true}};
        submit("brick {index}", "echo cooked {index}", seven, cook_);
        submit("moss {index}", "echo \"error: cannot open /tmp/m{index}: No such file\" >&2; exit 3", three, cook_);
        failed_ = submit("foliage wind", "sleep 1; echo 'error: out of licences' >&2; exit 75", {}, cook_);
        const qint64 held = submit("by hand", "true", byHand, cook_);
        submit("behind it", "true", {{"after", QJsonArray{held}}}, cook_);
        submit("lightmap {index}", "true", three, maps_);
        const qint64 gone = submit("not wanted", "true", byHand);
        QVERIFY(ask("POST", QStringLiteral("jobs/%1/cancel").arg(gone)).ok());
        const QJsonObject sum{{"worker", worker_},
                              {"function", "add"},
                              {"args", QJsonObject{{"a", 1}, {"b", 2}}},
                              {"label", "a sum"}};
        QVERIFY(ask("POST", "jobs", sum).ok());
    }
    bool isQuiet() {
        const QJsonObject told = get("session").value("counts").toObject();
        const auto of = [&](const char* state) { return told.value(QLatin1String(state)).toInteger(); };
        return of("completed") == 8 && of("failed") == 4 && of("cancelled") == 1 && of("running") == 0 &&
               of("submitting") == 0 && of("pending") == 5;
    }

private slots:
    void initTestCase() {
        QVERIFY(start("numbers", {"--capacity", "4"}));
        QVERIFY(openWindow());
        cook_ = makeQueue("nightly-cook", {{"max_retries", 0}});
        maps_ = makeQueue("lightmaps");
        QVERIFY(ask("POST", QStringLiteral("queues/%1/hold").arg(maps_)).ok());
        worker_ =
            test::registerWarmWorker(window_->engine().state()->link(), "thumbs", "1.2", {{"max_processes", 2}});
        QVERIFY(!worker_.isEmpty());
        makeTheNight();
        QTRY_VERIFY_WITH_TIMEOUT(isQuiet(), kSoon);
        window_.reset();
    }
    void cleanupTestCase() { engine_.kill(); }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    // --- around the pages

    void theRailCountsAsTheEngineDoes() {
        agree(4, [this] {
            const Format format;
            qint64 processes = 0;
            const QJsonObject pool = get("pool");
            for (const QJsonValue group : pool.value("groups").toArray())
                processes += group["processes"].toArray().size();
            const std::map<QString, QString> told{
                {"Queues", format.number(get("queues").value("queues").toArray().size())},
                {"Actions", format.number(totalOf("state:failed"))},
                {"Workers", format.number(get("workers").value("workers").toArray().size())},
                {"Pool", format.number(processes) + "/" + format.number(pool.value("max").toInteger())}};
            Numbers all;
            for (auto* item : window_->findChildren<RailItem*>())
                if (const auto found = told.find(item->text()); found != told.end())
                    all.push_back({"rail, " + item->text(), shown(item), item->text() + found->second});
            return all;
        });
    }

    void theStatusBarSaysWhatIsTaken() {
        agree(1, [this]() -> Numbers {
            const QJsonObject machine = get("session").value("machine").toObject();
            const QString told = QStringLiteral("%1 of %2 cores taken")
                                     .arg(machine.value("taken")["cores"].toDouble())
                                     .arg(machine.value("resources")["cores"].toDouble());
            return {within("status bar", shown(window_->findChild<StatusBar*>("status-bar")), told)};
        });
    }

    void theStatusBarSaysHowLargeTheJournalIs() {
        agree(1, [this]() -> Numbers {
            const QJsonObject engine = get("session").value("engine").toObject();
            return {within("status bar", shown(window_->findChild<StatusBar*>("status-bar")),
                           "journal " + sizeOf(engine, "journal_bytes"))};
        });
    }

    // --- dashboard

    void theDashboardCountsStates() {
        agree(kAllFaces.size(), [this] {
            Numbers all;
            StateStrip* strip = show<DashboardPage>("dashboard")->strip();
            for (const auto& [face, count] : counts())
                all.push_back({"strip, " + wordOf(face), shown(strip->cell(face)), wordOf(face) + grouped(count)});
            return all;
        });
    }

    void theDashboardSaysWhichMachineItIs() {
        agree(1, [this]() -> Numbers {
            const QJsonObject machine = get("session").value("machine").toObject();
            QString told = QStringLiteral("%1, %2 cores, %3")
                               .arg(machine.value("name").toString())
                               .arg(machine.value("cores").toInt())
                               .arg(sizeOf(machine, "memory_bytes"));
            if (const int gpus = machine.value("gpus").toInt(); gpus > 0)
                told += QStringLiteral(", %1 GPUs").arg(gpus);
            return {{"head", noteOf(show<DashboardPage>("dashboard")), told}};
        });
    }

    void theChartsSayWhatTheMachineHasAndWhatWasDone() {
        agree(3, [this]() -> Numbers {
            LoadCharts* charts = show<DashboardPage>("dashboard")->charts();
            const QJsonObject machine = get("session").value("machine").toObject();
            const double whole = machine.value("memory_bytes").toDouble();
            qint64 rate = 0;
            for (const QJsonValue queue : get("queues").value("queues").toArray())
                rate += queue["per_minute"].toInteger();
            const QString gigas = QLocale().toString(whole / 1e9, 'f', whole >= 99.95e9 ? 0 : 1);
            return {
                within("processor", headOf(charts->processor()),
                       QStringLiteral("of %1 cores").arg(machine.value("cores").toInt())),
                within("memory", headOf(charts->memory()), QStringLiteral("of %1 GB").arg(gigas)),
                {"finished", headOf(charts->finished()).remove(QRegularExpression("\\D")), QString::number(rate)}};
        });
    }

    void theDashboardCountsQueues() {
        agree(3 * 5, [this] {
            Table* table = show<DashboardPage>("dashboard")->queueTable();
            Numbers all = queueNumbers(table);
            all.push_back(
                {"head", headOf(table), "Queues" + grouped(get("queues").value("queues").toArray().size())});
            return all;
        });
    }

    void theDashboardCountsFailures() {
        agree(2, [this]() -> Numbers {
            Table* table = show<DashboardPage>("dashboard")->failures()->table();
            const QJsonArray failed = jobs("state=failed&sort=-finished");
            QStringList lsns;
            for (const QJsonValue job : failed) lsns << grouped(job["lsn"].toInteger());
            // All of this night failed within the last minutes.
            const QString count = grouped(failed.size());
            const QString tonight = grouped(totalOf("state:failed%20finished:since-18:00"));
            return {{"rows", columnText(table, "action"), lsns.join(' ')},
                    {"head", headOf(table),
                     QStringLiteral("Latest failures %1, %1 of them in the last 10 minutes "
                                    "Reschedule all of tonight (%2)")
                         .arg(count, tonight)}};
        });
    }

    void theDashboardCountsWhatWaits() {
        agree(2, [this]() -> Numbers {
            Table* table = show<DashboardPage>("dashboard")->waiting()->table();
            std::vector<qint64> told;
            for (const QJsonValue reason : get("session/waiting").value("reasons").toArray())
                told.push_back(reason["count"].toInteger());
            std::ranges::sort(told);
            QStringList words;
            for (const qint64 count : told) words << grouped(count);
            return {{"rows", columnText(table, "count", true), words.join(' ')},
                    {"head", headOf(table), "Why work is waiting" + grouped(totalOf("state:pending"))}};
        });
    }

    // --- actions

    void theActionsAreCountedByState() {
        agree(5, [this] {
            Numbers all;
            auto* page = show<ActionsPage>("actions");
            const auto told = counts();
            for (auto* chip : page->findChildren<StateChip*>())
                if (chip->isVisible())
                    all.push_back(
                        {"chip, " + chip->text(), shown(chip), chip->text() + grouped(told.at(chip->face()))});
            all.push_back(
                {"head", noteOf(page), grouped(get("jobs?count=1&limit=1").value("total").toInteger(-1))});
            return all;
        });
    }

    void aStateOfTheStripIsTheListThatAPressShows() {
        for (const DisplayState face : {DisplayState::Held, DisplayState::Failed, DisplayState::Cancelled}) {
            StateStrip* strip = show<DashboardPage>("dashboard")->strip();
            QTRY_VERIFY_WITH_TIMEOUT(squeezed(shown(strip->cell(face))) ==
                                         squeezed(wordOf(face) + grouped(face == DisplayState::Failed ? 4 : 1)),
                                     kSoon);
            strip->cell(face)->click();
            agree(1, [this, face]() -> Numbers {
                auto* page = show<ActionsPage>("actions");
                const qint64 total = totalOf("state:" + filterWordOf(face));
                return {{"head, " + wordOf(face), noteOf(page), grouped(total)},
                        {"rows, " + wordOf(face), QString::number(page->table()->rows()->rowCount()),
                         QString::number(total)}};
            });
        }
    }

    void eachRowOfTheActionsHasTheNumbersOfItsAction() {
        agree(3 * 12, [this] {
            Numbers all;
            Table* table = show<ActionsPage>("actions")->table();
            for (const QJsonValue value : jobs("sort=-lsn")) {
                const QJsonObject job = value.toObject();
                const qint64 lsn = job.value("lsn").toInteger();
                addCell(all, table, lsn, "lsn", grouped(lsn));
                addCell(all, table, lsn, "ran", ranOf(job));
                addCell(all, table, lsn, "peak", sizeOf(job, "max_rss_bytes"));
            }
            return all;
        });
    }

    void thePanelOfAnActionHasItsNumbers() {
        window_->navigation().showAction(failed_, "output");
        agree(4, [this]() -> Numbers {
            DetailPanel* panel = show<ActionsPage>("actions")->detail();
            const QJsonObject job = action(failed_);
            const QString why = shown(panel->why());
            const QString tabs = shown(panel->tabs());
            const qint64 exitCode = job.value("exit_code").toInteger(-1);
            return {within("panel", shown(panel), grouped(failed_) + " foliage wind"),
                    within("why", why, QStringLiteral("exit code %1").arg(exitCode)),
                    within("why", why, "tries " + grouped(job.value("attempts").toArray().size())),
                    within("tabs", tabs, "Outputs " + grouped(job.value("outputs").toArray().size()))};
        });
    }

    // --- queues

    void theQueuesAreCounted() {
        agree(3 * 6, [this] {
            Table* table = show<QueuesPage>("queues")->table();
            Numbers all = queueNumbers(table);
            all.push_back({"head", noteOf(window_->navigation().page()),
                           grouped(get("queues").value("queues").toArray().size())});
            return all;
        });
    }

    void thePanelOfAQueueHasItsNumbers() {
        auto* page = show<QueuesPage>("queues");
        QTRY_VERIFY_WITH_TIMEOUT(page->table()->rows()->rowOf(rowIdOf(cook_)) >= 0, kSoon);
        page->table()->selectId(rowIdOf(cook_));
        agree(6, [this, page]() -> Numbers {
            const Format format;
            const QJsonObject queue = get(QStringLiteral("queues/%1").arg(cook_));
            const auto of = [&](const char* member) { return queue.value(QLatin1String(member)).toInteger(); };
            const qint64 done = of("completed") + of("failed") + of("abandoned") + of("cancelled");
            const qint64 total = done + of("active");
            const QString words = shown(page->panel());
            Numbers all{within("number", words, QStringLiteral("queue %1").arg(cook_)),
                        within("done", words, format.percent(done, total)),
                        within("run", words, grouped(of("running")) + " running"),
                        within("wait", words, grouped(of("pending")) + " waiting"),
                        within("failed", words, grouped(of("failed")) + " failed"),
                        within("share", words, format.percent(of("failed"), total))};
            for (const ValueField* field : page->panel()->findChildren<ValueField*>())
                if (const double value = queue.value("config")[field->name()].toDouble(); value > 0)
                    all.push_back({field->name(), field->edit()->text().section(' ', 0, 0),
                                   QLocale().toString(value, 'g', 12)});
            return all;
        });
    }

    void whatIsLeftOfAQueueIsItsNumber() {
        auto* page = show<QueuesPage>("queues");
        QTRY_VERIFY_WITH_TIMEOUT(page->table()->rows()->rowOf(rowIdOf(maps_)) >= 0, kSoon);
        page->table()->selectId(rowIdOf(maps_));
        agree(2, [this, page]() -> Numbers {
            const QJsonObject queue = get(QStringLiteral("queues/%1").arg(maps_));
            const QString words = shown(page->work());
            return {within("chart", words,
                           QStringLiteral("now: %1 left").arg(grouped(queue.value("active").toInteger()))),
                    within("waits", words,
                           QStringLiteral("What its %1 waiting actions wait for")
                               .arg(grouped(queue.value("pending").toInteger())))};
        });
    }

    // --- workers and their pool

    void theWorkerHasItsNumbers() {
        agree(5, [this]() -> Numbers {
            Table* table = show<WorkersPage>("workers")->table();
            Numbers all;
            const qint64 row = table->rows()->rowCount() == 1 ? table->rows()->idAt(0) : -1;
            const auto count = [&](const char* states) {
                return grouped(
                    jobs(QStringLiteral("worker=%1&state=%2").arg(worker_, QLatin1String(states))).size());
            };
            const QJsonObject sum = jobs("state=completed&worker=" + worker_).first().toObject();
            addCell(all, table, row, "running", count("running,submitting"));
            addCell(all, table, row, "waiting", count("pending"));
            addCell(all, table, row, "failed", count("failed,abandoned"));
            addCell(all, table, row, "usual", ranOf(sum));
            addCell(all, table, row, "peak", sizeOf(sum, "max_rss_bytes"));
            return all;
        });
    }

    void thePoolHasTheNumbersOfItsProcesses() {
        agree(5, [this]() -> Numbers {
            auto* page = show<PoolPage>("pool");
            const QJsonObject pool = get("pool");
            const QJsonObject group = pool.value("groups")[0].toObject();
            const QJsonArray processes = group.value("processes").toArray();
            const QString strip = shown(page->strip());
            const QString whole = grouped(processes.size()) + " of " + grouped(pool.value("max").toInteger());
            Numbers all{
                within("strip", strip, whole),
                within("strip", strip, grouped(processes.size()) + " idle"),
                {"waiting", page->strip()->figures().value(3), grouped(group.value("waiting").toInteger())},
                {"gone", headOf(page->goneTable()), "Gone lately" + grouped(pool.value("gone").toArray().size())}};
            for (const QJsonValue process : processes) {
                const qint64 row = process["id"].toString().mid(1).toLongLong();
                addCell(all, page->table(), row, "open", grouped(process["sessions"].toInteger()));
                addCell(all, page->table(), row, "served", grouped(process["processed"].toInteger()));
            }
            return all;
        });
    }

    // --- machines: tst_machines has one that joined

    void thisMachineHasItsNumbers() {
        auto* page = show<MachinesPage>("machines");
        QTRY_VERIFY_WITH_TIMEOUT(page->table()->rows()->rowOf(1) >= 0, kSoon);
        page->table()->selectId(1);
        agree(7, [this, page]() -> Numbers {
            const Format format;
            const QJsonObject own = get("machines").value("machines")[0].toObject();
            const QJsonObject taken = get("session").value("machine")["taken"].toObject();
            const auto of = [&](const char* member) { return own.value(QLatin1String(member)).toInteger(); };
            const QString cores = format.cores(taken.value("cores").toDouble()) + " of " +
                                  format.cores(own.value("cores").toDouble());
            const QString memory =
                format.size(taken.value("memory_mb").toInteger() << 20) + " of " + format.size(of("memory_bytes"));
            Numbers all{{"head", noteOf(page), "1"},
                        within("panel", shown(page->panel()), cores),
                        within("panel", shown(page->panel()), memory)};
            addCell(all, page->table(), 1, "slots", grouped(of("slots")));
            addCell(all, page->table(), 1, "cores", cores);
            addCell(all, page->table(), 1, "memory", memory);
            addCell(all, page->table(), 1, "running", grouped(of("running")));
            addCell(all, page->table(), 1, "waiting", grouped(of("waiting")));
            return all;
        });
    }

    // --- failures, timelines, settings

    void failuresAreCountedByLikeness() {
        agree(3, [this]() -> Numbers {
            auto* page = show<FailuresPage>("failures");
            const QJsonObject failures = get("failures");
            const QJsonArray groups = failures.value("groups").toArray();
            Numbers all{{"head", noteOf(page),
                         QStringLiteral("%1 failure(s) in %2 group(s)")
                             .arg(failures.value("total").toInteger())
                             .arg(groups.size())}};
            for (const QJsonValue group : groups)
                addCell(all, page->table(), readFailureGroup(group.toObject()).row(), "count",
                        grouped(group["count"].toInteger()));
            return all;
        });
    }

    void theBarThatIsChosenHasTheTimesOfItsAction() {
        auto* page = show<TimelinesPage>("timelines");
        const QJsonObject times = action(failed_).value("timestamps").toObject();
        const qint64 from = times.value("submitting").toInteger();
        const qint64 to = times.value("failed").toInteger();
        page->view()->setRange({from - 5 * kSecond, to + 5 * kSecond});
        page->setFilter("foliage");
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->counts().matching >= 1, kSoon);
        page->view()->selectNextMatch();
        QTRY_VERIFY_WITH_TIMEOUT(page->view()->selected().has_value(), kSoon);
        agree(3, [&]() -> Numbers {
            const QString words = shown(page->strip());
            const auto clock = [](qint64 at) {
                return QDateTime::fromMSecsSinceEpoch(at / 1'000).toString("HH:mm:ss");
            };
            return {within("strip", words, grouped(failed_) + " foliage wind"), within("strip", words, clock(from)),
                    within("strip", words, clock(to))};
        });
    }

    void theSettingsOfTheEngineAreThoseThatItHas() {
        show<SettingsPage>("settings")->setFilter("engine");
        agree(10, [this] {
            SettingsSection* section = show<SettingsPage>("settings")->section("engine");
            Numbers all;
            // Nobody reads 1E+15.
            for (const FormRow* row : section->findChildren<FormRow*>())
                if (row->control()->accessibleDescription().contains("E+"))
                    all.push_back({row->title(), row->control()->accessibleDescription(), "in digits"});
            const QJsonObject settings = get("settings");
            for (const QString& name : settings.keys()) {
                const QJsonValue value = settings.value(name);
                FormRow* row = section->row(name);
                if (row == nullptr || !(value.isDouble() || value.isString())) continue;
                if (auto* box = qobject_cast<QComboBox*>(row->control())) {
                    all.push_back({name, box->currentText(), value.toString()});
                } else if (auto* edit = qobject_cast<QLineEdit*>(row->control());
                           edit != nullptr && value.isDouble()) {
                    bool isNumber = false;
                    const double shown = QLocale().toDouble(edit->text(), &isNumber);
                    const QString text = isNumber ? QString::number(shown, 'g', 12) : edit->text();
                    all.push_back({name, text, QString::number(value.toDouble(), 'g', 12)});
                }
            }
            const qint64 kept =
                ask("POST", "gc", QJsonObject{{"dry_run", true}}).json.value("finished").toInteger();
            if (FormRow* row = section->row("keep_actions"))
                all.push_back(within("keep_actions", row->note(), grouped(kept) + " are kept"));
            return all;
        });
    }
};

QTEST_MAIN(TestNumbers)
#include "tst_numbers.moc"
