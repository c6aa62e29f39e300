// The failures page on the real program: groups, what differs within one, mutes, running again, filters, and what it
// says where nothing failed.
#include "tests/ui/painted.h"
#include "tests/ui/window_test.h"
#include "ui/pages/failures/failure_panel.h"
#include "ui/pages/failures/failures_page.h"
#include "ui/pages/failures/masked_line.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>

#include <numeric>

using namespace yard;
using namespace yard::ui;
using test::Painted;

namespace {

const QString kAlike = QStringLiteral("error: cannot open <path>: No such file");

/// Of a row as the page has it.
enum : int { kCount, kLine, kQueues, kWorkers, kMachines, kHours };

} // namespace

class TestFailures : public test::WindowTest {
    Q_OBJECT

    std::vector<qint64> alike_; ///< two that failed alike

    FailuresPage* page() {
        window_->navigation().show("failures");
        return qobject_cast<FailuresPage*>(window_->navigation().page());
    }
    const TableModel* rows() { return page()->table()->rows(); }
    int rowOf(const QString& line) { return rowWith(rows(), line, kLine); }
    Cell cell(const QString& line, int column) {
        const int row = rowOf(line);
        return row < 0 ? Cell{} : rows()->cell(row, column);
    }
    QAction* command(const QString& id) {
        for (QAction* action : page()->commands())
            if (action->objectName() == id) return action;
        return nullptr;
    }
    /// The entry of the menu that is open.
    static bool choose(const QString& title) {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (menu == nullptr) return false;
        for (QAction* action : menu->actions()) {
            if (action->text() != title) continue;
            action->trigger();
            menu->close();
            return true;
        }
        return false;
    }
    qint64 fail(const QString& script) { return submit("fails", script, {{"max_retries", 0}}); }
    /// Two that failed alike, and another one; once for all tests.
    void failSome() {
        if (!alike_.empty()) return;
        alike_ = {fail("echo 'error: cannot open /tmp/a1: No such file' >&2; exit 3"),
                  fail("echo 'error: cannot open /tmp/b2: No such file' >&2; exit 3")};
        fail("exit 4");
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->count(DisplayState::Failed) >= 3, kSoon);
    }
    void select(const QString& line) {
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(line) >= 0, kSoon);
        page()->table()->selectId(rows()->idAt(rowOf(line)));
    }

private slots:
    void initTestCase() { QVERIFY(start("failures")); }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    // --- words

    void namesAreTheFirstAndHowManyMore() {
        QCOMPARE(firstAndMore({}), QString("–"));
        QCOMPARE(firstAndMore({"nightly"}), QString("nightly"));
        QCOMPARE(firstAndMore({"nightly", "tests", "maps"}), QString("nightly +2"));
    }

    void aLineIsCutAtItsMasks() {
        using Pieces = std::vector<LinePiece>;
        QCOMPARE(piecesOfLine("<path>:#: no #"),
                 (Pieces{{"<path>", true}, {":", false}, {"#", true}, {": no ", false}, {"#", true}}));
        QCOMPARE(piecesOfLine("broken <here>"), (Pieces{{"broken <here>", false}}));
        QCOMPARE(piecesOfLine(""), Pieces());
    }

    void mondayIsTheNextOneAtEight() {
        const auto at = [](int day, int hour) {
            return QDateTime(QDate(2026, 11, day), QTime(hour, 0)).toMSecsSinceEpoch() * 1'000;
        };
        QCOMPARE(nextMonday(at(15, 23)), at(16, 8)); // a Sunday
        QCOMPARE(nextMonday(at(16, 7)), at(16, 8));
        QCOMPARE(nextMonday(at(16, 8)), at(23, 8));
        QCOMPARE(nextMonday(at(18, 12)), at(23, 8));
        QCOMPARE(mutedWords(at(16, 8), at(13, 12)), QString("muted to Mon 08:00"));
        QCOMPARE(mutedWords(at(16, 8), at(16, 7)), QString("muted to 08:00"));
        QCOMPARE(mutedWords(endlessMute(), at(16, 7)), QString("muted"));
        QCOMPARE(mutedWords(0, at(16, 7)), QString());
    }

    void aGroupHasANumberOfItsOwn() {
        QCOMPARE(readFailureGroup({{"id", "0000000000000000"}}).row(), 1);
        QVERIFY(readFailureGroup({{"id", "ffffffffffffffff"}}).row() > 0);
        QVERIFY(readFailureGroup({{"id", "3f0c91d2a4b8e677"}}).row() !=
                readFailureGroup({{"id", "3f0c91d2a4b8e675"}}).row());
    }

    // --- the page

    void whereNothingFailedItSaysSoAndOffersALongerTime() {
        QTRY_COMPARE_WITH_TIMEOUT(page()->emptyText(), QString("Nothing failed in these 24 hours"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(Painted(*page()).says("7 days"), kSoon);
        page()->setHours(168);
        QTRY_COMPARE_WITH_TIMEOUT(page()->emptyText(), QString("Nothing failed in these 7 days"), kSoon);
        page()->setHours(0);
        QTRY_COMPARE_WITH_TIMEOUT(page()->emptyText(), QString("Nothing that is kept has failed"), kSoon);
        QVERIFY(!blockedWhy(command("mute")).isEmpty());
    }

    void whatFailedAlikeIsOneRow() {
        failSome();
        QTRY_COMPARE_WITH_TIMEOUT(cell(kAlike, kCount).text, QString("2"), kSoon);
        QCOMPARE(page()->emptyText(), QString());
        QCOMPARE(cell(kAlike, kQueues).text, QString("default"));
        QCOMPARE(cell(kAlike, kWorkers).text, QString("exec"));
        QVERIFY(!cell(kAlike, kMachines).text.isEmpty());
        const std::vector<qint64> hours = cell(kAlike, kHours).bars;
        QCOMPARE(hours.size(), std::size_t(24));
        QCOMPARE(std::accumulate(hours.begin(), hours.end(), qint64{0}), 2);
        QVERIFY(cell(kAlike, kHours).tip.startsWith("2 in the last 24 hours"));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("exit code 4") >= 0, kSoon);
        QCOMPARE(page()->note(), QString("3 failure(s) in 2 group(s)"));
    }

    void theSelectedGroupSaysWhatDiffersAndItsNewest() {
        failSome();
        QVERIFY(!page()->panel()->isVisible());
        select(kAlike);
        FailurePanel* panel = page()->panel();
        QVERIFY(panel->isVisible());
        QCOMPARE(panel->reschedule()->text(), QString("Reschedule 2"));
        QCOMPARE(panel->line()->pieces().size(), std::size_t(3));
        QTRY_COMPARE_WITH_TIMEOUT(panel->newest()->rows()->rowCount(), 2, kSoon);
        QVERIFY(panel->newest()->rows()->rowOf(alike_[0]) >= 0);
        const TableModel* differs = panel->differs()->rows();
        QTRY_VERIFY_WITH_TIMEOUT(rowWith(differs, "/tmp/b2", 1) >= 0, kSoon);
        QVERIFY(rowWith(differs, "/tmp/a1", 1) >= 0);
        QCOMPARE(differs->cell(0, 0).text, QString("<path>"));
        const int queue = rowWith(differs, "Queue");
        QVERIFY(queue >= 2);
        QCOMPARE(differs->cell(queue, 1).text, QString("default"));
        QCOMPARE(differs->cell(queue, 2).text, QString("2"));
        QTRY_VERIFY_WITH_TIMEOUT(Painted(*panel).says("cannot open"), kSoon);
        QVERIFY(page()->closeInnermost());
        QVERIFY(!panel->isVisible());
    }

    void aMuteShowsInItsRowUntilItIsTakenBack() {
        failSome();
        select(kAlike);
        QVERIFY(!command("unmute")->isEnabled());
        const auto mute = [this](const QString& title) {
            command("mute")->trigger();
            QVERIFY2(QTest::qWaitFor([&] { return choose(title); }, kSoon), qPrintable(title));
        };
        mute("To Monday");
        const WallMicros now = wallNow();
        QTRY_COMPARE_WITH_TIMEOUT(cell(kAlike, kLine).aside, mutedWords(nextMonday(now), now), kSoon);
        QCOMPARE(cell(kAlike, kLine).icon, QString("pause"));
        QCOMPARE(cell(kAlike, kCount).tone, Cell::Tone::Faint);
        QVERIFY(page()->note().endsWith(", 1 muted"));
        QVERIFY(command("unmute")->isEnabled());
        mute("Until it is unmuted");
        QTRY_COMPARE_WITH_TIMEOUT(cell(kAlike, kLine).aside, QString("muted"), kSoon);
        command("unmute")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(cell(kAlike, kLine).aside, QString(), kSoon);
        QCOMPARE(cell(kAlike, kCount).text, QString("2"));
    }

    void aGroupIsListedAndCopied() {
        failSome();
        select(kAlike);
        const QString id = page()->asOperation().yardctl.section("--show ", 1);
        QCOMPARE(id.size(), 16);
        command("copy-line")->trigger();
        QCOMPARE(QApplication::clipboard()->text(), kAlike);
        QVERIFY(page()->yardctlOf(command("reschedule")).contains("failure:" + id));
        QVERIFY(page()->yardctlOf(command("unmute")).endsWith("--unmute " + id));
        QVERIFY(page()->yardctlOf(command("mute")).contains("--mute " + id + " --until "));
        command("show-actions")->trigger();
        QCOMPARE(window_->navigation().pageId(), QString("actions"));
        QCOMPARE(window_->navigation().page()->filter(), "failure:" + id + " finished>-24h");
    }

    void aFilterNarrowsThemAndOneThatIsWrongSaysWhy() {
        failSome();
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 2, kSoon);
        page()->setFilter("exit:4");
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 1, kSoon);
        page()->setFilter(QString::number(alike_.front())); // a number alone is that of an action
        QTRY_VERIFY_WITH_TIMEOUT(rows()->rowCount() == 1 && rowOf(kAlike) == 0, kSoon);
        page()->setFilter("exit:4");
        QTRY_VERIFY_WITH_TIMEOUT(rows()->rowCount() == 1 && rowOf(kAlike) < 0, kSoon);
        page()->setFilter("colour:red");
        auto* field = page()->findChild<FilterField*>();
        QTRY_VERIFY_WITH_TIMEOUT(field->problem().contains("colour"), kSoon);
        QCOMPARE(rows()->rowCount(), 1); // the last good answer stays
        page()->setFilter("label:nobody");
        QTRY_COMPARE_WITH_TIMEOUT(rows()->rowCount(), 0, kSoon);
        QCOMPARE(field->problem(), QString());
        QTRY_VERIFY_WITH_TIMEOUT(Painted(*page()->table()->viewport()).says("No failure matches this filter"),
                                 kSoon);
    }

    /// Last: what it reschedules fails again.
    void theGroupRunsAgain() {
        failSome();
        select(kAlike);
        command("reschedule")->trigger();
        for (const qint64 lsn : alike_)
            QTRY_VERIFY_WITH_TIMEOUT(
                ask("GET", QStringLiteral("jobs/%1").arg(lsn)).json.value("retry_count").toInt() >= 1, kSoon);
    }
};

QTEST_MAIN(TestFailures)
#include "tst_failures.moc"
