// The ten questions of an operator, each answered in at most two gestures by the keyboard and by the mouse, on the
// real window over a real engine. The answer is read from what is painted, and held against what the engine says
// past the window. A gesture is a click, a shortcut, or something typed with Enter; cleanup() counts them.
// YARD_QUESTIONS_ACTIONS: among how many actions (2,000; ui.questions_million has a million).
#include "tests/ui/operator_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/compare_tab.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/samples_view.h"
#include "ui/pages/actions/sandbox_tab.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/dashboard/failures_panel.h"
#include "ui/pages/dashboard/processor_panel.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/pages/queues/queue_work.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/pages/timelines/selection_strip.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/state/tonight.h"
#include "ui/timeline/hover_card.h"

#include <QClipboard>
#include <QProcess>
#include <QRegularExpression>
#include <QTime>

#include <chrono>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr auto kError = "foliage_wind.hlsl(88,17): error X3004: undeclared identifier";
constexpr qint64 kSecond = 1'000'000;

qint64 now() {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

QString clock(qint64 at, const char* format) {
    return QDateTime::fromMSecsSinceEpoch(at / 1'000).toString(QLatin1String(format));
}

/// "1 h 54 min" in seconds; -1: it is no span of time.
double secondsIn(const QString& text) {
    static const QRegularExpression part("([\\d.]+) (ms|s|min|h|d)\\b");
    static const std::map<QString, double> units{{"ms", 0.001}, {"s", 1}, {"min", 60}, {"h", 3'600}, {"d", 86'400}};
    double seconds = -1;
    for (const auto& match : part.globalMatch(text))
        seconds = std::max(0.0, seconds) + match.captured(1).toDouble() * units.at(match.captured(2));
    return seconds;
}

/// The number before the word, as "4,998 left" has it; -1: there is none.
qint64 numberBefore(const QString& text, const QString& word) {
    const auto match = QRegularExpression("([\\d,]+) " + word).match(text);
    return match.hasMatch() ? match.captured(1).remove(u',').toLongLong() : -1;
}

} // namespace

class TestQuestions : public test::OperatorTest {
    Q_OBJECT

    qint64 cook_ = 0;   ///< a queue without retries
    qint64 soon_ = 0;   ///< one that will be done: short actions, one after another
    qint64 failed_ = 0; ///< said kError
    qint64 waits_ = 0;
    qint64 holder_ = 0;
    qint64 eater_ = 0;
    qint64 good_ = 0;
    qint64 bad_ = 0;  ///< what good_ is, and it failed
    qint64 long_ = 0; ///< had a slot for itself for a while
    qint64 denied_ = 0;

    // --- what the engine says

    QJsonObject action(qint64 lsn) { return ask("GET", QStringLiteral("jobs/%1").arg(lsn)).json; }
    QJsonObject newestFailure() {
        const QJsonArray newest = jobs("state=failed&sort=-finished", 1);
        return newest.isEmpty() ? QJsonObject() : newest[0].toObject();
    }
    qsizetype attemptsOf(qint64 lsn) { return action(lsn).value("attempts").toArray().size(); }
    double coresOf(qint64 lsn) { return action(lsn).value("usage")["cpu_percent"].toDouble(-100) / 100; }
    /// When it has nothing left; 0: not known.
    qint64 finishOf(qint64 queue) {
        return ask("GET", QStringLiteral("queues/%1").arg(queue)).json.value("estimate")["finish"].toInteger();
    }
    /// Its place on the timeline, from 1; -1: there is none yet.
    qint64 slotOf(qint64 lsn) {
        const QJsonObject times = action(lsn).value("timestamps").toObject();
        const QString range = QStringLiteral("timelines?from=%1&to=%2&resolution=0.01")
                                  .arg(times.value("submitting").toInteger() - kSecond)
                                  .arg(times.value("completed").toInteger() + kSecond);
        const QJsonObject all = ask("GET", range).json;
        for (const QJsonValue worker : all.value("workers").toArray())
            for (const QJsonValue lane : worker["lanes"].toArray())
                for (const QJsonValue bar : lane["bars"].toArray())
                    if (bar["lsn"].toInteger() == lsn) return lane["slot"].toInteger();
        return -1;
    }

    // --- pages

    DetailPanel* detail() { return qobject_cast<ActionsPage*>(window_->navigation().page())->detail(); }
    DashboardPage* dashboard() { return qobject_cast<DashboardPage*>(window_->navigation().page()); }
    QueuesPage* queues() { return qobject_cast<QueuesPage*>(window_->navigation().page()); }
    Table* actions() { return qobject_cast<ActionsPage*>(window_->navigation().page())->table(); }
    /// As an operator comes to a row before he asks: it is looked for, and not chosen yet.
    void goTo(const QString& filter, qint64 lsn) {
        window_->navigation().show("actions", filter);
        const TableModel* rows = actions()->rows();
        if (!QTest::qWaitFor([&] { return rows->isHere(rows->rowOf(lsn)); }, kSoon))
            qFatal("%lld is not there", lsn);
        actions()->setFocus();
    }
    /// The same with the row chosen.
    void choose(const QString& filter, qint64 lsn) {
        goTo(filter, lsn);
        actions()->selectId(lsn);
    }

private slots:
    void initTestCase() {
        QVERIFY(start("questions", {"--capacity", "6"}));
        // The usual 18:00 may come while this runs.
        setTonightSince(QTime::currentTime().addSecs(-3'600).toString("HH:mm"));
        QVERIFY(openWindow());
        cook_ = makeQueue("nightly-cook", {{"max_retries", 0}});
        soon_ = makeQueue("thumbnails", {{"max_running", 1}});
        const int others = qEnvironmentVariableIntValue("YARD_QUESTIONS_ACTIONS");
        const QJsonObject many{{"from", 1}, {"to", others > 0 ? others : 2'000}};
        submit("filler", "true", {{"hold", true}, {"array", many}}, cook_);
        const QJsonObject never{{"BAD", engine_.directory() + "/bad"}};
        good_ = submit("shadow test", "[ ! -e \"$BAD\" ]", {{"env", never}}, cook_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(good_), QString("completed"), kSoon);
        QFile bad(engine_.directory() + "/worse");
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad_ = submit("shadow test", "[ ! -e \"$BAD\" ]", {{"env", QJsonObject{{"BAD", bad.fileName()}}}}, cook_);
        denied_ = submit("leaves a link", "mkdir -p outputs; ln -s /etc/hostname outputs/link; true", {}, cook_);
        eater_ = submit("eats the processor", "while :; do :; done", {}, cook_);
        holder_ = submit("holds atlas", "sleep 600", {{"locks", QJsonArray{"app:atlas"}}}, cook_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(holder_), QString("running"), kSoon);
        waits_ = submit("wants atlas", "true", {{"locks", QJsonArray{"app:atlas"}}}, cook_);
        long_ = submit("terrain splat", "sleep 3", {}, cook_);
        // What has the highest number is not what failed last.
        const QString go = engine_.directory() + "/go";
        const QString script = "while [ ! -e \"$GO\" ]; do sleep 0.05; done; echo \"%1 'g_WindPhase'\" >&2; exit 1";
        failed_ = submit("foliage wind", script.arg(kError), {{"env", QJsonObject{{"GO", go}}}}, cook_);
        const qint64 other = submit("fails at once", "exit 7", {}, cook_);
        for (const qint64 lsn : {bad_, other}) QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(denied_), QString("completed"), kSoon);
        QVERIFY(QFile(go).open(QIODevice::WriteOnly));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(failed_), QString("failed"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(long_), QString("completed"), kSoon);
        const QJsonObject thumbnails{{"array", QJsonObject{{"from", 1}, {"to", 5'000}}}};
        QVERIFY(submit("thumbnail", "sleep 0.3", thumbnails, soon_) > 0);
        window_.reset();
    }
    void cleanupTestCase() { engine_.kill(); }
    void init() {
        QVERIFY(openWindow());
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        gestures_ = 0;
    }
    void cleanup() {
        window_.reset();
        if (!QTest::currentTestFailed()) QVERIFY2(gestures_ == 1 || gestures_ == 2, qPrintable(grouped(gestures_)));
    }

    // What failed last, and its first error line?

    void whatFailedLastByKeys() {
        const QJsonObject last = newestFailure();
        QCOMPARE(last.value("lsn").toInteger(), failed_);
        press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("actions"), kSoon);
        QTRY_VERIFY2_WITH_TIMEOUT(shown(detail()).contains(grouped(failed_)), qPrintable(shown(detail())), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(shown(detail()->output()->view()->viewport()).contains(kError), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(isOf(shownRow(actions(), failed_, "note"), last.value("note").toString()), kSoon);
        QCOMPARE(shownRow(actions(), failed_, "state"), QString("Failed"));
    }
    void whatFailedLastByMouse() {
        const QJsonObject last = newestFailure();
        window_->navigation().show("queues");
        clickRail("Dashboard");
        Table* table = dashboard()->failures()->table();
        QTRY_COMPARE_WITH_TIMEOUT(table->rows()->idAt(0), last.value("lsn").toInteger(), kSoon);
        QCOMPARE(shownRow(table, failed_, "action"), grouped(failed_));
        QCOMPARE(shownRow(table, failed_, "what"), last.value("label").toString());
        const QString line = shownRow(table, failed_, "line");
        QVERIFY2(isOf(line, last.value("note").toString()), qPrintable(line));
        QVERIFY(line.startsWith(QLatin1String(kError).left(30)));
    }

private:
    // Why is this not running?

    void isToldWhyItWaits() {
        const QJsonObject why =
            ask("GET", QStringLiteral("jobs/%1/why").arg(waits_)).json.value("waits")[0].toObject();
        QCOMPARE(why.value("name").toString(), QString("app:atlas"));
        QTRY_VERIFY_WITH_TIMEOUT(shown(detail()->why()).contains("app:atlas"), kSoon);
        const QString words = shown(detail()->why());
        QVERIFY2(words.contains(grouped(why.value("holder")["lsn"].toInteger())), qPrintable(words));
    }

private slots:
    void whyIsItNotRunningByKeys() {
        palette(QString::number(waits_),
                [this](const PaletteEntry& entry) { return entry.title.contains(grouped(waits_)); });
        QTRY_VERIFY_WITH_TIMEOUT(window_->navigation().pageId() == "actions" && detail()->lsn() == waits_, kSoon);
        isToldWhyItWaits();
    }
    void whyIsItNotRunningByKeysOnItsRow() {
        choose("label:\"wants atlas\"", waits_);
        const QString note = shownRow(actions(), waits_, "note");
        QVERIFY2(note.contains(grouped(holder_)), qPrintable(note));
        press(Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), waits_, kSoon);
        isToldWhyItWaits();
    }
    void whyIsItNotRunningByMouse() {
        goTo("label:\"wants atlas\"", waits_);
        const QString note = shownRow(actions(), waits_, "note");
        QVERIFY2(note.startsWith("lock app:atlas is held by") && note.contains(grouped(holder_)), qPrintable(note));
        clickRow(actions(), waits_);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), waits_, kSoon);
        isToldWhyItWaits();
    }

private:
    // What eats the processor now?

    void theEaterComesFirstWithItsCores() {
        Table* table = dashboard()->processor()->table();
        QTRY_COMPARE_WITH_TIMEOUT(table->rows()->idAt(0), eater_, kSoon);
        const auto isAsMeasured = [&] {
            bool isNumber = false;
            const double cores = shownRow(table, eater_, "cores").toDouble(&isNumber);
            return isNumber && std::abs(cores - coresOf(eater_)) < 0.1 && coresOf(holder_) < coresOf(eater_);
        };
        QTRY_VERIFY_WITH_TIMEOUT(isAsMeasured(), kSoon);
        QCOMPARE(shownRow(table, eater_, "action"), QString("eats the processor"));
    }

private slots:
    /// The bar at the bottom has it without a gesture, and as the engine says it.
    void theBarSaysHowManyCoresAreTaken() {
        gestures_ = 1;
        const auto says = [&] {
            const QJsonObject machine = ask("GET", "session").json.value("machine").toObject();
            const QString text = QStringLiteral("%1 of %2 cores taken")
                                     .arg(machine.value("taken")["cores"].toDouble())
                                     .arg(machine.value("resources")["cores"].toDouble());
            const QString bar = shown(window_->findChild<StatusBar*>("status-bar"));
            static const QRegularExpression kCost("engine \\d+\\.\\d+ cores");
            return machine.value("taken")["cores"].toDouble() >= 1 && bar.contains(text) &&
                   kCost.match(bar).hasMatch();
        };
        QVERIFY2(QTest::qWaitFor(says, kSoon), qPrintable(shown(window_->findChild<StatusBar*>("status-bar"))));
    }
    void whatEatsTheProcessorByKeys() {
        window_->navigation().show("queues");
        press(Qt::Key_1, Qt::ControlModifier);
        theEaterComesFirstWithItsCores();
    }
    void whatEatsTheProcessorByMouse() {
        window_->navigation().show("queues");
        clickRail("Dashboard");
        theEaterComesFirstWithItsCores();
        clickRow(dashboard()->processor()->table(), eater_, 0);
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("actions"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), eater_, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(detail()->samples()->isVisible(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(detail()->samples()->cores()->data().t.size() > 1, kSoon); // its graph
    }

private:
    // When will this queue be done?

    /// "25 min 3 s" is what the engine expects, and that is as it must be: 0.3 s each, one after the other.
    bool isExpected(const QString& span) {
        const double left = static_cast<double>(finishOf(soon_) - now()) / kSecond;
        return left > 1'200 && left < 6'000 && std::abs(secondsIn(span) - left) < 30 + left / 20;
    }
    void theBandIsAroundTheFinish() {
        Chart* chart = queues()->work()->chart();
        const auto isSo = [&] {
            const QString words = shown(chart);
            static const QRegularExpression done("done (\\d\\d:\\d\\d)");
            const QString at = done.match(words).captured(1);
            const qint64 left = ask("GET", QStringLiteral("queues/%1").arg(soon_)).json.value("active").toInteger();
            const qint64 told = numberBefore(words, "left");
            const auto isAt = [&](int minutes) {
                return clock(finishOf(soon_) + minutes * 60 * kSecond, "HH:mm") == at;
            };
            return told >= left && told < left + 200 && (isAt(-1) || isAt(0) || isAt(1));
        };
        QTRY_VERIFY2_WITH_TIMEOUT(isSo(), qPrintable(shown(chart)), kSoon);
    }

private slots:
    void whenWillThisQueueBeDoneByKeys() {
        window_->navigation().show("queues");
        press(Qt::Key_1, Qt::ControlModifier);
        QTRY_VERIFY2_WITH_TIMEOUT(isExpected(shownRow(dashboard()->queueTable(), rowIdOf(soon_), "finish")),
                                  qPrintable(shownRow(dashboard()->queueTable(), rowIdOf(soon_)) +
                                             grouped((finishOf(soon_) - now()) / kSecond)),
                                  kSoon);
    }
    void whenWillThatQueueBeDoneByKeysFromElsewhere() {
        palette("thumbnails", [](const PaletteEntry& entry) { return entry.kind == PaletteEntry::Kind::Queue; });
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("queues"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(queues()->table()->selectedIds(), std::vector<qint64>{rowIdOf(soon_)}, kSoon);
        theBandIsAroundTheFinish();
    }
    void whenWillThisQueueBeDoneByMouse() {
        clickRail("Queues");
        QTRY_VERIFY_WITH_TIMEOUT(queues()->table()->rows()->rowOf(rowIdOf(soon_)) >= 0, kSoon);
        clickRow(queues()->table(), rowIdOf(soon_));
        QTRY_VERIFY_WITH_TIMEOUT(isExpected(shownRow(queues()->table(), rowIdOf(soon_), "finish")), kSoon);
        const auto inPanel = [&] {
            static const QRegularExpression span("\\d+ min \\d+ s|\\d+ h \\d+ min");
            const QString words = shown(queues()->panel());
            return words.contains("thumbnails") && isExpected(span.match(words).captured());
        };
        QTRY_VERIFY2_WITH_TIMEOUT(inPanel(), qPrintable(shown(queues()->panel())), kSoon);
        theBandIsAroundTheFinish();
    }

private:
    // What did this slot do at 3 a.m.?

    struct Span {
        qint64 slot;
        qint64 from;
        qint64 to;
        qint64 middle() const { return (from + to) / 2; }
    };
    Span whereItRan() {
        const QJsonObject times = action(long_).value("timestamps").toObject();
        return {slotOf(long_), times.value("submitting").toInteger(), times.value("completed").toInteger()};
    }
    TimelinesPage* timelines() { return qobject_cast<TimelinesPage*>(window_->navigation().page()); }

private slots:
    void whatDidThisSlotDoThenByKeys() {
        QTRY_VERIFY_WITH_TIMEOUT(slotOf(long_) >= 0, kSoon);
        const Span ran = whereItRan();
        window_->navigation().show("queues");
        palette(QStringLiteral("exec slot %1 %2").arg(ran.slot).arg(clock(ran.middle(), "HH:mm:ss")),
                [](const PaletteEntry& entry) { return entry.kind == PaletteEntry::Kind::Slot; });
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("timelines"), kSoon);
        QTRY_VERIFY2_WITH_TIMEOUT(shown(timelines()->strip()).contains(grouped(long_) + " terrain splat"),
                                  qPrintable(shown(timelines()->strip())), kSoon);
        const QString words = shown(timelines()->strip());
        for (const QString& part : {QStringLiteral("terrain splat"), QStringLiteral("exec slot %1").arg(ran.slot),
                                    clock(ran.from, "HH:mm:ss"), clock(ran.to, "HH:mm:ss")})
            QVERIFY2(words.contains(part), qPrintable(words));
    }
    void whatDidThisSlotDoThenByMouse() {
        QTRY_VERIFY_WITH_TIMEOUT(slotOf(long_) >= 0, kSoon);
        const Span ran = whereItRan();
        // Hours before, as somebody left it.
        window_->navigation().show("timelines");
        timeline::TimelineView* view = timelines()->view();
        const qint64 early = ran.from - 2 * 3'600 * kSecond;
        view->setRange({early, early + 60 * kSecond});
        window_->navigation().show("queues");
        clickRail("Timelines");
        QVERIFY(!view->range().contains(ran.middle()));
        click(view, QPoint(qRound(view->scene().mapScale().xOf(ran.middle())), timeline::kMapHeight / 2));
        QVERIFY(view->range().contains(ran.middle()));
        QRectF bar;
        const auto isThere = [&] {
            for (const auto& each : view->visibleBars())
                if (each.bar.item.lsn == long_ && each.bar.slot == ran.slot) bar = each.area;
            return !bar.isEmpty() && QRectF(view->rect()).contains(bar);
        };
        QTRY_VERIFY_WITH_TIMEOUT(isThere(), kSoon);
        // It is painted where it ran, and says what it was under the pointer.
        const QPoint middle = bar.center().toPoint();
        QTRY_COMPARE_WITH_TIMEOUT(view->grab().toImage().pixelColor(middle),
                                  theme_->fillOf(DisplayState::Completed), kSoon);
        QTest::mouseMove(view, middle);
        QTRY_VERIFY_WITH_TIMEOUT(shown(view->card()).contains("terrain splat"), kSoon);
        QVERIFY2(shown(view->card()).contains(clock(ran.from, "HH:mm:ss")), qPrintable(shown(view->card())));
    }

private:
    // Compare this attempt with the last good one.

    void bothStandBesideEachOther() {
        QCOMPARE(stateOf(good_), QString("completed"));
        QTRY_COMPARE_WITH_TIMEOUT(detail()->compare()->other(), good_, kSoon);
        const auto lines = [this] { return shown(detail()->compare()).split('\n'); };
        const auto has = [&](std::initializer_list<QString> words) {
            return std::ranges::any_of(lines(), [&](const QString& line) {
                return std::ranges::all_of(words, [&](const QString& word) { return line.contains(word); });
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(has({"Action", grouped(bad_), grouped(good_)}), kSoon);
        QTRY_VERIFY2_WITH_TIMEOUT(has({"State", "Failed", "Completed", "differs"}), qPrintable(lines().join('\n')),
                                  kSoon);
        QTRY_VERIFY2_WITH_TIMEOUT(has({"env", "differs"}), qPrintable(lines().join('\n')), kSoon);
        QVERIFY2(!has({"argv"}), qPrintable(lines().join('\n'))); // the same
    }

private slots:
    void compareWithTheLastGoodOneByKeys() {
        choose("label:\"shadow test\"", bad_);
        press(Qt::Key_D, Qt::ControlModifier);
        bothStandBesideEachOther();
    }
    void compareWithTheLastGoodOneByMouse() {
        goTo("label:\"shadow test\"", bad_);
        clickInMenu("Compare with the last good one");
        rightClickRow(actions(), bad_);
        bothStandBesideEachOther();
    }

private:
    // Who holds this lock?

    void theHolderIsShownAndWhoWaits() {
        const QJsonObject lock = ask("GET", "locks").json.value("locks")[0].toObject();
        QCOMPARE(lock.value("name").toString(), QString("app:atlas"));
        QCOMPARE(lock.value("holder")["lsn"].toInteger(), holder_);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), holder_, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(shown(detail()).contains(grouped(holder_) + " holds atlas"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(shown(detail()->locks()).contains("app:atlas held by this one"), kSoon);
        const QString line = QStringLiteral("waiting for it %1").arg(lock.value("waiting").toArray().size());
        QTRY_VERIFY2_WITH_TIMEOUT(shown(detail()->locks()).contains(line), qPrintable(shown(detail()->locks())),
                                  kSoon);
    }

private slots:
    void whoHoldsThisLockByKeys() {
        palette("app:atlas", [](const PaletteEntry& entry) { return entry.title == "app:atlas"; });
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("actions"), kSoon);
        theHolderIsShownAndWhoWaits();
    }
    void whoHoldsThisLockByMouse() {
        goTo("label:\"wants atlas\"", waits_);
        const QString words = shownRow(actions(), waits_, "note"); // its place is known once it is painted
        QVERIFY2(words.endsWith(grouped(holder_)), qPrintable(words));
        const QModelIndex cell = actions()->rows()->index(actions()->rows()->rowOf(waits_), ActionsModel::kNote);
        const QRect area = actions()->visualRect(cell);
        const qreal left = QFontMetricsF(typeface(Type::Body)).horizontalAdvance(words.chopped(2));
        click(actions()->viewport(), QPoint(area.left() + 8 + static_cast<int>(left), area.center().y()));
        theHolderIsShownAndWhoWaits();
        // Beside the number a click is one on the row.
        actions()->clearSelection();
        click(actions()->viewport(), QPoint(area.left() + 12, area.center().y()));
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), waits_, kSoon);
    }

private:
    // What did the sandbox deny?

    void theDenialIsShown() {
        const QJsonObject denial = action(denied_).value("denied")[0].toObject();
        QCOMPARE(denial.value("what").toString(), QString("link"));
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), denied_, kSoon);
        Table* table = detail()->sandbox()->denied();
        QTRY_VERIFY_WITH_TIMEOUT(table->isVisible() && table->rows()->rowCount() == 1, kSoon);
        const QString row = shownRow(table, table->rows()->idAt(0));
        for (const QString& part : {QStringLiteral("link"), denial.value("path").toString(),
                                    clock(denial.value("t").toInteger(), "HH:mm:ss")})
            QVERIFY2(row.contains(part), qPrintable(row));
    }

private slots:
    void whatDidTheSandboxDenyByKeys() {
        choose("label:\"leaves a link\"", denied_);
        press(Qt::Key_Return);
        press(Qt::Key_6, Qt::AltModifier);
        theDenialIsShown();
    }
    void whatDidTheSandboxDenyToAllByKeys() {
        window_->navigation().show("actions");
        press(Qt::Key_Slash);
        typeEnter("denied:*");
        const TableModel* rows = actions()->rows();
        QTRY_VERIFY_WITH_TIMEOUT(rows->rowCount() == 1 && rows->idAt(0) == denied_ && rows->isHere(0), kSoon);
        QCOMPARE(jobs("q=denied:*").size(), 1);
        QVERIFY2(shownRow(actions(), denied_).contains("leaves a link"), qPrintable(shownRow(actions(), denied_)));
    }
    void whatDidTheSandboxDenyByMouse() {
        goTo("label:\"leaves a link\"", denied_);
        clickRow(actions(), denied_);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), denied_, kSoon);
        click(detail()->tabs(), detail()->tabs()->tabArea(DetailPanel::kSandbox).center());
        theDenialIsShown();
    }

private:
    // How do I do this from a script? What was copied is run, as a script would.

    /// In a shell whose own engine is another one.
    QByteArray run(const QString& line) {
        QStringList words = line.split(' ');
        if (words.takeFirst() != "yardctl") return "not yardctl: " + line.toUtf8();
        QProcess yardctl;
        yardctl.start(YARDCTL_PATH, words);
        if (!yardctl.waitForFinished(kSoon)) return "it does not end";
        return yardctl.readAllStandardOutput() + yardctl.readAllStandardError();
    }

private slots:
    void howDoIDoThisFromAScriptByMouse() {
        choose("label:\"foliage wind\"", failed_);
        QTRY_COMPARE_WITH_TIMEOUT(detail()->lsn(), failed_, kSoon);
        Button* copy = nullptr;
        for (Button* button : detail()->findChildren<Button*>())
            if (button->text() == "Copy as") copy = button;
        QVERIFY(copy != nullptr);
        clickInMenu("yardctl: its output");
        click(copy, copy->rect().center());
        QTRY_COMPARE_WITH_TIMEOUT(
            QGuiApplication::clipboard()->text(),
            QStringLiteral("yardctl --data-dir %1 logs %2").arg(engine_.directory()).arg(failed_), kSoon);
        const QByteArray said = run(QGuiApplication::clipboard()->text());
        QVERIFY2(said.contains(kError), said.constData());
    }
    void howDoIDoThisFromAScriptByKeys() {
        choose("label:\"foliage wind\"", failed_);
        const auto before = attemptsOf(failed_);
        press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QString line = QGuiApplication::clipboard()->text();
        QCOMPARE(line, QStringLiteral("yardctl --data-dir %1 show %2").arg(engine_.directory()).arg(failed_));
        QTRY_VERIFY2_WITH_TIMEOUT(shown(window_->findChild<StatusBar*>("status-bar")).contains("Copied: yardctl"),
                                  qPrintable(shown(window_->findChild<StatusBar*>("status-bar"))), kSoon);
        const QByteArray said = run(line);
        QVERIFY2(said.contains(kError), said.constData());
        QCOMPARE(attemptsOf(failed_), before); // it was only looked at
    }

private:
    // Rerun all failures of tonight. Last, as they fail again.

    qsizetype failedTonight() {
        return jobs("q=" + QString::fromLatin1(QUrl::toPercentEncoding(tonightFilter()))).size();
    }
    /// "Rerunning 3 actions …": what the bar at the foot says; empty: it is not there.
    QString undoBar() { return shown(window_->findChild<UndoBar*>()); }

private slots:
    void rerunAllFailuresOfTonightByKeys() {
        const auto before = attemptsOf(failed_);
        palette("rerun tonight",
                [](const PaletteEntry& entry) { return entry.title == "Rerun all failures of tonight"; });
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        QVERIFY(window_->engine().commands()->waiting()->yardctl.contains("yardctl retry"));
        QTRY_VERIFY2_WITH_TIMEOUT(undoBar().contains("Undo"), qPrintable(undoBar()), kSoon);
        window_->engine().commands()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(undoBar().isEmpty(), kSoon);
        QCOMPARE(attemptsOf(failed_), before); // nothing was sent
    }
    void rerunAllFailuresOfTonightByMouse() {
        std::map<qint64, qsizetype> before;
        for (const qint64 lsn : {bad_, failed_}) before[lsn] = attemptsOf(lsn);
        clickRail("Dashboard");
        Button* all = dashboard()->failures()->rescheduleAll();
        QTRY_VERIFY_WITH_TIMEOUT(all->isEnabled(), kSoon);
        const QString words = QStringLiteral("Reschedule all of tonight (%1)").arg(failedTonight());
        QTRY_COMPARE_WITH_TIMEOUT(shown(all), words, kSoon);
        click(all, all->rect().center());
        QTRY_VERIFY2_WITH_TIMEOUT(undoBar().contains("Now"), qPrintable(undoBar()), kSoon);
        window_->engine().commands()->sendNow(); // as the bar does by itself after its seconds
        const auto ranAgain = [&] {
            return std::ranges::all_of(before, [this](const auto& entry) {
                return attemptsOf(entry.first) > entry.second && stateOf(entry.first) == "failed";
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(ranAgain(), kSoon);
    }
};

QTEST_MAIN(TestQuestions)
#include "tst_questions.moc"
