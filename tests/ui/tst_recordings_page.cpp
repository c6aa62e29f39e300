// The pages Recordings and History over a link that is played: what their rows say, what their commands ask for, and
// what comes of answers that are late, wrong or too much.
#include "tests/ui/played_page.h"
#include "ui/log/diff_view.h"
#include "ui/pages/failures/failures_page.h"
#include "ui/pages/history/history_page.h"
#include "ui/pages/history/kind_panel.h"
#include "ui/pages/history/kind_values.h"
#include "ui/pages/history/past_panes.h"
#include "ui/pages/recordings/recording_forms.h"
#include "ui/pages/recordings/recording_panel.h"
#include "ui/pages/recordings/recordings_page.h"
#include "ui/pages/recordings/unified_diff.h"
#include "ui/style/format.h"
#include "ui/style/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QJsonDocument>
#include <QLineEdit>
#include <QLocale>
#include <QMimeData>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr qint64 kSecond = 1'000'000;
constexpr qint64 kHour = 3'600 * kSecond;

QJsonObject recording(const QString& name, const QString& state, qint64 ago, QJsonObject more = {}) {
    QJsonObject json{{"name", name},
                     {"state", state},
                     {"note", ""},
                     {"filter", ""},
                     {"attachments", "all"},
                     {"engine_id", "e1"},
                     {"started", wallNow() - ago},
                     {"actions", 12},
                     {"waiting", 0},
                     {"missed", 0},
                     {"workers", 1},
                     {"chunks", 3},
                     {"chunk_bytes", 10},
                     {"chunks_gone", 0},
                     {"bytes", 2'000'000}};
    for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
    return json;
}

QJsonObject recordings() {
    return {{"recordings",
             QJsonArray{recording("night", "complete", 2 * kHour, {{"ended", wallNow() - kHour}, {"failed", 4}}),
                        recording("now", "recording", kHour, {{"waiting", 3}}),
                        recording("crash", "interrupted", 3 * kHour, {{"missed", 2}}),
                        recording("full", "cut", 4 * kHour, {{"why", "The disk is nearly full."}})}}};
}

QJsonObject replay(qint64 id, const QString& state, qint64 different, qint64 impossible = 0) {
    return {{"id", id},
            {"recording", "night"},
            {"queue_id", 9},
            {"state", state},
            {"actions", 12},
            {"submitted", 12},
            {"ended", 12 - impossible},
            {"different", different},
            {"impossible", impossible},
            {"differences", different},
            {"started", wallNow() - kHour}};
}

QJsonObject difference(qint64 lsn, const QString& what, QJsonObject more = {}) {
    QJsonObject json{{"lsn", lsn}, {"replayed", lsn + 100}, {"what", what}, {"recorded", 0}, {"replayed_value", 1}};
    for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
    return json;
}

QByteArray recordedLine(int n, const QString& state) {
    const QJsonObject result{{"lsn", 40 + n},
                             {"state", state},
                             {"exit_code", state == "failed" ? 3 : 0},
                             {"timestamps", QJsonObject{{"running", wallNow() - 9 * kSecond},
                                                        {"exited", wallNow() - 4 * kSecond},
                                                        {state, wallNow() - 4 * kSecond}}}};
    const QJsonObject action{{"worker", "exec"}, {"argv", QJsonArray{"make", QString("-j%1").arg(n)}}};
    return QJsonDocument(QJsonObject{{"n", n}, {"machine", "anvil"}, {"action", action}, {"result", result}})
               .toJson(QJsonDocument::Compact) +
           '\n';
}

QAction* commandOf(const Page& page, const char* id) {
    for (QAction* each : page.commands())
        if (each->objectName() == QLatin1String(id)) return each;
    return nullptr;
}

template<class Shown>
class Played {
public:
    Played() {
        page.resize(1'200, 800);
        page.show();
        page.setActive(true);
    }
    QAction* command(const char* id) { return commandOf(page, id); }
    QString cell(const Table* table, int row, int column) { return table->rows()->cell(row, column).text; }
    /// The newest question, as "METHOD path body".
    QString last() {
        const auto& request = std::get<0>(played.link.asked.back());
        return QString::fromUtf8(request.method + ' ' + request.path.toUtf8() + ' ' + request.body).trimmed();
    }

    test::PlayedContext played;
    Shown page{played.context()};
};

/// The page Recordings with those of recordings(), one of them selected.
class WithRecordings : public Played<RecordingsPage> {
public:
    explicit WithRecordings(const QString& name = "night") {
        if (!played.link.answer("recordings", recordings())) qFatal("the page asked for no recordings");
        page.setFilter(name);
    }
    void tellReplays(const QJsonArray& replays) {
        if (played.link.waiting("replays") == 0) page.takeUpdates();
        if (!played.link.answer("replays", QJsonObject{{"replays", replays}})) qFatal("no replays were asked for");
    }
};

QJsonObject kind(const QString& name, qint64 runs, qint64 failed, QJsonObject more = {}) {
    QJsonObject json{{"kind", name},
                     {"runs", runs},
                     {"failed", failed},
                     {"reasons", QJsonObject()},
                     {"last", wallNow() - kHour},
                     {"versions", QJsonArray{"1", "2"}},
                     {"duration", QJsonObject{{"p50", 3.4}, {"p90", 5.0}, {"p95", 5.8}, {"p99", 7.0}}}};
    for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
    return json;
}

QJsonObject change(const QString& what, double before, double after) {
    return {{"what", what},
            {"t", wallNow() - 2 * kHour},
            {"before", before},
            {"after", after},
            {"ratio", after / before},
            {"p", 1e-9},
            {"since", QJsonObject{{"version", "2.4.2"}}}};
}

QJsonObject kindsOf(const QJsonArray& kinds, const QString& cursor = {}) {
    QJsonObject json{{"kinds", kinds}};
    if (!cursor.isEmpty()) json.insert("cursor", cursor);
    return json;
}

QJsonArray threeKinds() {
    return {
        kind("cook:run", 100, 5, {{"regression", change("duration", 2.0, 3.0)}}), kind("exec:git log", 50, 0),
        kind("thumb:make", 1'000, 20,
             {{"flaky", QJsonObject{{"is_flaky", true}, {"probability", 0.99}, {"rate", 0.041}, {"inputs", 2}}}})};
}

} // namespace

class TestRecordingsPage : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-recordings-page");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
    }

    // --- recordings

    void theNewestIsFirstAndSaysHowItEnded() {
        WithRecordings on;
        const Table* table = on.page.table();
        QCOMPARE(on.cell(table, 0, 0), QString("now"));
        QCOMPARE(on.cell(table, 0, 7), QString("Recording"));
        QVERIFY(on.cell(table, 0, 8).contains("3 "));
        QCOMPARE(on.cell(table, 1, 0), QString("night"));
        QCOMPARE(on.cell(table, 1, 2), QString("1 h 0 min"));
        QCOMPARE(on.cell(table, 1, 4), QString("4"));
        QCOMPARE(on.cell(table, 2, 7), QString("Cut short"));
        QVERIFY(on.cell(table, 2, 8).startsWith("the engine ended while it ran"));
        QCOMPARE(on.cell(table, 2, 4), Format::unknown());
        QCOMPARE(on.cell(table, 3, 8), QString("The disk is nearly full."));
        QCOMPARE(on.page.note(), "4, " + Format().size(8'000'000));
        QVERIFY(!on.page.isEmpty());
    }

    void noneSaysHowToHaveOne() {
        Played<RecordingsPage> on;
        QVERIFY(on.played.link.answer("recordings", QJsonObject{{"recordings", QJsonArray()}}));
        QVERIFY(on.page.isEmpty());
        QVERIFY(on.page.note().isEmpty());
    }

    void commandsSayWhyTheyCannotBeGiven() {
        WithRecordings on("now");
        QVERIFY(on.command("stop")->isEnabled());
        for (const char* id : {"replay", "export", "delete", "note", "show-actions"}) {
            QVERIFY2(!on.command(id)->isEnabled(), id);
            QVERIFY2(blockedWhy(on.command(id)).contains("Stop"), id);
        }
        on.page.setFilter("night");
        QVERIFY(!on.command("stop")->isEnabled());
        QVERIFY(!on.command("cancel")->isEnabled());
        QVERIFY(on.command("replay")->isEnabled());
        QVERIFY(on.page.closeInnermost());
        for (const char* id : {"stop", "replay", "delete"}) QVERIFY2(!on.command(id)->isEnabled(), id);
        QVERIFY(!on.page.closeInnermost());
    }

    void commandsAskForWhatTheySay() {
        WithRecordings on("now");
        on.command("stop")->trigger();
        QCOMPARE(on.last(), QString("POST recordings/now/stop"));
        QCOMPARE(on.page.yardctlOf(on.command("stop")), QString("yardctl record stop now"));
        on.page.setFilter("night");
        on.command("delete")->trigger();
        QCOMPARE(on.last(), QString("DELETE recordings/night"));
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl record show night"));
    }

    void aFormRecordsWhatItSays() {
        WithRecordings on;
        on.command("record")->trigger();
        RecordForm* form = on.page.recording();
        QVERIFY(form != nullptr);
        form->findChild<QLineEdit*>("name")->setText("../x");
        const std::size_t before = on.played.link.asked.size();
        form->start()->click();
        QCOMPARE(on.played.link.asked.size(), before);
        QVERIFY(!form->problem().isEmpty());
        form->findChild<QLineEdit*>("name")->setText("week");
        form->findChild<QLineEdit*>("filter")->setText("queue:nightly");
        form->findChild<QComboBox*>("when")->setCurrentIndex(1);
        form->start()->click();
        QCOMPARE(on.last(), QString(R"(POST recordings {"from":{"filter":"queue:nightly"},"name":"week"})"));
        QVERIFY(
            on.played.link.answer("recordings", Answer{200, {}, recordings(), {}, {}})); // the poll's, if it waits
    }

    void aRefusedRecordingKeepsItsForm() {
        WithRecordings on;
        while (on.played.link.waiting("recordings") > 0) (void)on.played.link.answer("recordings", recordings());
        on.command("record")->trigger();
        RecordForm* form = on.page.recording();
        form->findChild<QLineEdit*>("name")->setText("night");
        form->start()->click();
        QVERIFY(on.played.link.answer("recordings", Answer{409, {}, {}, "exists", "There is one already."}));
        QCOMPARE(form->problem(), QString("There is one already."));
        QVERIFY(form->isVisible());
    }

    void aReplayIsAskedForWithWhatTheFormSays() {
        WithRecordings on;
        on.command("replay")->trigger();
        ReplayForm* form = on.page.replaying();
        QVERIFY(form != nullptr);
        for (const char* wrong : {"fast", "0.00001", "-1"}) {
            form->findChild<QLineEdit*>("speed")->setText(wrong);
            const std::size_t before = on.played.link.asked.size();
            form->start()->click();
            QCOMPARE(on.played.link.asked.size(), before);
        }
        form->findChild<QLineEdit*>("speed")->setText("2");
        form->findChild<QLineEdit*>("tolerance")->setText("0.5");
        form->findChild<QLineEdit*>("worker")->setText("thumb@2");
        form->findChild<QLineEdit*>("filter")->setText("state:failed");
        form->findChild<QCheckBox*>("stderr")->setChecked(true);
        form->start()->click();
        QCOMPARE(
            on.last(),
            QString(R"(POST recordings/night/replay {"compare":{"ignore":["stderr"],"numbers":{"tolerance":0.5}},)"
                    R"("filter":"state:failed","replace":{"worker":"thumb@2"},"speed":2})"));
        QVERIFY(
            on.played.link.answer("recordings/night/replay", Answer{429, {}, {}, "at_limit", "2 run already."}));
        QCOMPARE(form->problem(), QString("2 run already."));
    }

    void theNewestReplayIsShownWithItsDifferences() {
        WithRecordings on;
        on.tellReplays({replay(1, "done", 0), replay(2, "done", 2, 1)});
        QVERIFY2(on.page.panel()->words().startsWith("10 of 12 the same"), qPrintable(on.page.panel()->words()));
        const QJsonObject text =
            difference(41, "output", {{"name", "o"}, {"diff", "@@ -3,2 +3,2 @@\n same\n-8\n+9\n"}});
        QJsonObject impossible = difference(42, "state", {{"diff", "Its worker is nowhere."}});
        impossible.remove("replayed");
        QVERIFY(on.played.link.answer("replays/2/differences",
                                      QJsonObject{{"differences", QJsonArray{text, impossible}}}));
        const Table* table = on.page.panel()->differences();
        QCOMPARE(table->rows()->rowCount(), 2);
        QCOMPARE(on.cell(table, 0, 2), QString("output o"));
        QCOMPARE(on.cell(table, 1, 2), QString("could not be run"));
        QCOMPARE(on.cell(table, 1, 1), Format::unknown());
        QCOMPARE(on.cell(table, 1, 4), QString("Its worker is nowhere."));
        on.page.panel()->differences()->selectId(1);
        QVERIFY2(on.page.panel()->diff()->shownText().contains("- 8"),
                 qPrintable(on.page.panel()->diff()->shownText()));
        QVERIFY(on.page.panel()->diff()->shownText().contains("+ 9"));
        emit on.page.panel()->differences()->opened(1);
        QCOMPARE(on.played.window.shown, std::vector<qint64>{141});
        emit on.page.panel()->differences()->opened(2);
        QCOMPARE(on.played.window.shown.size(), std::size_t{1});
    }

    void differencesOfAnEarlierQuestionAreNotTaken() {
        WithRecordings on;
        on.tellReplays({replay(1, "done", 1), replay(2, "done", 1)});
        on.page.panel()->choose(1);
        QVERIFY(on.played.link.answer("replays/2/differences",
                                      QJsonObject{{"differences", QJsonArray{difference(41, "state")}}}));
        QCOMPARE(on.page.panel()->differences()->rows()->rowCount(), 0);
        QVERIFY(on.played.link.answer("replays/1/differences",
                                      QJsonObject{{"differences", QJsonArray{difference(42, "state")}}}));
        QCOMPARE(on.page.panel()->differences()->rows()->rowCount(), 1);
    }

    void differencesComePageAfterPage() {
        WithRecordings on;
        on.tellReplays({replay(1, "done", 2)});
        QVERIFY(on.played.link.answer(
            "replays/1/differences",
            QJsonObject{{"differences", QJsonArray{difference(41, "state")}}, {"cursor", "1"}}));
        QVERIFY(on.played.link.answer("replays/1/differences",
                                      QJsonObject{{"differences", QJsonArray{difference(42, "exit_code")}}}));
        QCOMPARE(on.page.panel()->differences()->rows()->rowCount(), 2);
    }

    void whoMayNotSeeDifferencesIsTold() {
        WithRecordings on;
        on.tellReplays({replay(1, "done", 2)});
        QVERIFY(
            on.played.link.answer("replays/1/differences", Answer{403, {}, {}, "forbidden", "This wants admin."}));
        QCOMPARE(on.page.panel()->differences()->message(), QString("This wants admin."));
    }

    void aReplayThatRunsCanBeCancelled() {
        WithRecordings on;
        on.tellReplays({replay(3, "running", 0)});
        QVERIFY(on.page.panel()->cancel()->isVisible());
        QVERIFY(on.command("cancel")->isEnabled());
        on.command("cancel")->trigger();
        QCOMPARE(on.last(), QString("POST replays/3/cancel"));
    }

    void itsActionsAreReadFromTheFile() {
        WithRecordings on;
        on.command("show-actions")->trigger();
        const QByteArray lines = recordedLine(1, "completed") + recordedLine(2, "failed");
        const QString path = "recordings/night/actions";
        QVERIFY(on.played.link.pour(path, lines.left(30), {}));
        QVERIFY(on.played.link.pour(path, lines.mid(30), Answer{200, {}, {}, {}, {}}));
        RecordedList* list = on.page.panel()->actions();
        QCOMPARE(list->table()->rows()->rowCount(), 2);
        QCOMPARE(on.cell(list->table(), 1, 0), QString("Failed"));
        QCOMPARE(on.cell(list->table(), 1, 1), QString("42"));
        QCOMPARE(on.cell(list->table(), 1, 2), QString("make -j2"));
        QCOMPARE(on.cell(list->table(), 1, 3), QString("anvil"));
        QCOMPARE(on.cell(list->table(), 1, 4), QString("3"));
        QCOMPARE(on.cell(list->table(), 1, 5), QString("5.0 s"));
        list->table()->selectId(2);
        QVERIFY(list->text().contains("-j2"));
        emit list->table()->opened(2);
        QVERIFY2(on.played.window.shown.empty(), "an action of another engine has no detail here");
    }

    void linesThatAreNoneEndTheList() {
        WithRecordings on;
        on.command("show-actions")->trigger();
        QVERIFY(on.played.link.pour("recordings/night/actions", recordedLine(1, "completed") + "nonsense\n", {}));
        RecordedList* list = on.page.panel()->actions();
        QVERIFY(!list->note().isEmpty());
        QTRY_COMPARE(list->table()->rows()->rowCount(), 1);
        QVERIFY(!on.played.link.pour("recordings/night/actions", "x", {}));
    }

    void moreActionsThanWereToldAreNotTaken() {
        WithRecordings on; // told of 12
        on.command("show-actions")->trigger();
        QByteArray lines;
        for (int n = 1; n <= RecordedList::kMostRows + 5; ++n) lines += recordedLine(n, "completed");
        QVERIFY(on.played.link.pour("recordings/night/actions", lines, {}));
        RecordedList* list = on.page.panel()->actions();
        QTRY_COMPARE(list->table()->rows()->rowCount(), static_cast<int>(RecordedList::kMostRows));
        QVERIFY2(list->note().startsWith(Format().number(RecordedList::kMostRows)), qPrintable(list->note()));
    }

    void aRecordingOfThisEngineLeadsToItsTimeInTimelines() {
        WithRecordings on;
        QVERIFY(!on.command("timelines")->isEnabled()); // e1 made it, and this engine has not said who it is
        on.command("timelines")->trigger();
        QVERIFY(on.played.window.places.isEmpty());
        QVERIFY(on.page.commands().contains(on.command("timelines")));
    }

    void whoMayNotSeeTheActionsIsTold() {
        WithRecordings on;
        on.command("show-actions")->trigger();
        QVERIFY(
            on.played.link.pour("recordings/night/actions", {}, Answer{403, {}, {}, "forbidden", "Admin only."}));
        QCOMPARE(on.page.panel()->actions()->table()->message(), QString("Admin only."));
    }

    void aFileIsBroughtByItsName() {
        WithRecordings on;
        on.page.bring("/tmp/my night.yrec");
        QCOMPARE(on.last(), QString("PUT recordings/my-night/file /tmp/my night.yrec"));
        QVERIFY(
            on.played.link.answer("recordings/my-night/file", Answer{422, {}, {}, "malformed", "It is damaged."}));
        QCOMPARE(on.played.window.said.last(), QString("It is damaged."));
        const std::size_t before = on.played.link.asked.size();
        on.page.bring("/tmp/....yrec");
        QCOMPARE(on.played.link.asked.size(), before);
    }

    void aFileIsSavedWholeOrNotAtAll() {
        QTemporaryDir directory;
        const QString path = directory.filePath("a.yrec");
        WithRecordings on;
        on.page.saveTo(path);
        QVERIFY(
            on.played.link.pour("recordings/night/file", "half", Answer{0, {}, {}, {}, "The connection broke."}));
        QCOMPARE(on.played.window.said.last(), QString("The connection broke."));
        QVERIFY(!QFile::exists(path));
        on.page.saveTo(path);
        QVERIFY(on.played.link.pour("recordings/night/file", "ha", {}));
        QVERIFY(on.played.link.pour("recordings/night/file", "lf", Answer{200, {}, {}, {}, {}}));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("half"));
        QCOMPARE(QFile::permissions(path) & (QFile::ReadOther | QFile::ReadGroup), QFile::Permissions());
        on.page.saveTo(directory.filePath("no/such/folder.yrec"));
        QTRY_VERIFY(on.played.window.said.last() != "Saved as " + path);
    }

    void hunksStandAtTheirLines() {
        const auto parts =
            partsOfUnified("@@ -3,2 +3,3 @@\n same\n-a\n+b\n+c\n@@ -9,0 +11,1 @@\n+new\n(there is more)\n", "o");
        QCOMPARE(parts.size(), std::size_t{2});
        QCOMPARE(parts[0].leftFrom, std::size_t{2});
        QCOMPARE(parts[0].left, (std::vector<QString>{"same", "a"}));
        QCOMPARE(parts[0].right, (std::vector<QString>{"same", "b", "c"}));
        QCOMPARE(parts[1].leftFrom, std::size_t{9});
        QCOMPARE(parts[1].rightFrom, std::size_t{10});
        QCOMPARE(parts[1].right, (std::vector<QString>{"new"}));
        QVERIFY(partsOfUnified("Its worker is nowhere.", "o").empty());
    }

    // --- history

    void aKindSaysWhatOneWouldAsk() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf(threeKinds())));
        const Table* table = on.page.table();
        QCOMPARE(on.cell(table, 0, 0), QString("cook:run"));
        QCOMPARE(on.cell(table, 0, 1), QString("100"));
        QCOMPARE(on.cell(table, 0, 3), QString("3.4 s"));
        QCOMPARE(on.cell(table, 0, 4), QString("5.8 s"));
        QCOMPARE(on.cell(table, 0, 5), Format::unknown());
        QVERIFY2(on.cell(table, 0, 8).startsWith("slower by 50 % since"), qPrintable(on.cell(table, 0, 8)));
        QVERIFY(on.cell(table, 0, 8).endsWith("with version 2.4.2"));
        QCOMPARE(on.cell(table, 1, 8), QString());
        QCOMPARE(on.cell(table, 2, 6), QString("2"));
        QCOMPARE(on.cell(table, 2, 8), QString("fails 4.1 % of the time on inputs that work"));
    }

    void aKindThatAsksForTooMuchSaysWhatIsEnough() {
        Played<HistoryPage> on;
        QJsonObject one = kind("a:b", 30, 0);
        one.insert("learned_memory_bytes", 1e9);
        one.insert("asked_memory_bytes", 4e9);
        QJsonObject enough = kind("c:d", 30, 0);
        enough.insert("learned_memory_bytes", 1e9);
        enough.insert("asked_memory_bytes", 1e9);
        QVERIFY(on.played.link.answer("kinds", kindsOf({one, enough})));
        QCOMPARE(on.cell(on.page.table(), 0, 8),
                 QString("ask for 1.00 GB instead of 4.00 GB: 4.0 times as many would fit"));
        QCOMPARE(on.cell(on.page.table(), 1, 8), QString());
    }

    void kindsComePageAfterPageAndAllAreShown() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf({kind("a:b", 1, 0)}, "1000")));
        QCOMPARE(on.page.table()->rows()->rowCount(), 1);
        QVERIFY(on.played.link.answer("kinds", kindsOf({kind("c:d", 1, 0)})));
        QCOMPARE(on.page.table()->rows()->rowCount(), 2);
    }

    void theTabFlakyHasThoseAlone() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf(threeKinds())));
        on.page.setTab(HistoryPage::Flaky);
        QCOMPARE(on.page.table()->rows()->rowCount(), 1);
        QCOMPARE(on.cell(on.page.table(), 0, 0), QString("thumb:make"));
        on.page.setFilter("cook");
        QCOMPARE(on.page.table()->rows()->rowCount(), 0);
        QVERIFY(!on.page.table()->message().isEmpty());
        on.page.setTab(HistoryPage::Kinds);
        QCOMPARE(on.page.table()->rows()->rowCount(), 1);
    }

    void aRegressionLeadsToItsKind() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf(threeKinds())));
        QJsonObject one = change("duration", 2.0, 3.0);
        one.insert("kind", "cook:run");
        QVERIFY(on.played.link.answer("regressions", QJsonObject{{"regressions", QJsonArray{one}}}));
        on.page.setTab(HistoryPage::Regressions);
        QCOMPARE(on.cell(on.page.changes(), 0, 1), QString("cook:run"));
        QCOMPARE(on.cell(on.page.changes(), 0, 2), QString("2.0 s"));
        on.page.changes()->selectId(on.page.changes()->rows()->idAt(0));
        QVERIFY(on.page.panel()->isVisible());
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl kinds show cook:run"));
        on.command("show-actions")->trigger();
        QCOMPARE(on.played.window.places.last(), QString(R"(actions worker:"cook" function:"run")"));
        // Of a command each word by itself: "git -C there log" is of this kind, too.
        QCOMPARE(actionsOfKind("exec:git log"), QString(R"(worker:exec "git" "log")"));
    }

    void aKindIsShownByDayVersionAndInput() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", kindsOf(threeKinds())));
        on.page.table()->selectId(on.page.table()->rows()->idAt(2));
        QTRY_COMPARE(on.played.link.waiting("kinds/thumb%3Amake"), std::size_t{1});
        constexpr qint64 kDay = 24 * kHour;
        const auto day = [](qint64 t, double p50) {
            return QJsonObject{
                {"t", t}, {"runs", 3}, {"failed", 0}, {"duration", QJsonObject{{"p50", p50}, {"p95", 2 * p50}}}};
        };
        QJsonObject detail = kind("thumb:make", 1'000, 20);
        detail.insert("versions", QJsonArray{QJsonObject{{"version", "1"}, {"runs", 7}, {"failed", 1}}});
        detail.insert("machines", QJsonArray{QJsonObject{{"machine", "anvil"}, {"runs", 8}, {"failed", 0}}});
        detail.insert("days", QJsonArray{day(10 * kDay, 1.0), day(11 * kDay, 1.5)});
        detail.insert("weeks", QJsonArray());
        QVERIFY(on.played.link.answer("kinds/thumb%3Amake", detail));
        QVERIFY(on.played.link.answer(
            "kinds/thumb%3Amake/flaky",
            QJsonObject{
                {"inputs", QJsonArray{QJsonObject{
                               {"spec", "00ff"}, {"completed", 9}, {"failed", 1}, {"lsns", QJsonArray{77}}}}},
                {"lines", QJsonArray{QJsonObject{{"line", "licence lost"}, {"count", 4}}}}}));
        KindPanel* panel = on.page.panel();
        QCOMPARE(on.cell(panel->versions(), 0, 0), QString("1"));
        QCOMPARE(on.cell(panel->machines(), 0, 0), QString("anvil"));
        QCOMPARE(on.cell(panel->flaky(), 0, 1), QString("1 of 10"));
        QTRY_COMPARE(panel->chart()->data().t.size(), std::size_t{2});
        QCOMPARE(panel->chart()->data().values[0][1], 1.5);
        emit panel->flaky()->opened(1);
        QCOMPARE(on.played.window.shown, std::vector<qint64>{77});
        bool saysLines = false;
        for (const Fact& fact : panel->facts()->facts()) saysLines = saysLines || fact.value == "4 × licence lost";
        QVERIFY(saysLines);
        panel->setMemory(true);
        QTRY_VERIFY(panel->chart()->data().t.empty());
    }

    void anEngineThatCannotTellSaysWhy() {
        Played<HistoryPage> on;
        QVERIFY(on.played.link.answer("kinds", Answer{404, {}, {}, "not_found", "There is no such route."}));
        QCOMPARE(on.page.table()->message(), QString("There is no such route."));
    }

    void eachTabOfHistoryAsksForItsOwn() {
        Played<HistoryPage> on;
        QCOMPARE(on.played.link.waiting("accounting"), std::size_t{0});
        on.page.open(HistoryPage::Usage);
        QCOMPARE(on.played.link.waiting("accounting"), std::size_t{1});
        QCOMPARE(on.played.link.waiting("audit"), std::size_t{0});
        on.page.setTab(HistoryPage::Audit);
        QCOMPARE(on.played.link.waiting("audit"), std::size_t{1});
        on.page.setTab(HistoryPage::Alerts);
        QCOMPARE(on.played.link.waiting("alerts"), std::size_t{1});
        // A number that is no tab changes nothing.
        on.page.open(99);
        QVERIFY(on.page.alerts()->isVisible());
        on.page.open(HistoryPage::Kinds);
        QVERIFY(on.page.table()->isVisible());
    }

    void failuresAreAPageBehindATab() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Regressions);
        emit on.page.tabs()->chosen(HistoryPage::Failures);
        QCOMPARE(on.played.window.places.last().trimmed(), QString("failures"));
        QCOMPARE(on.page.tabs()->current(), static_cast<int>(HistoryPage::Regressions));
        Played<FailuresPage> failures;
        QCOMPARE(failures.page.tabs()->current(), static_cast<int>(FailuresTab));
        emit failures.page.tabs()->chosen(AuditTab);
        QCOMPARE(failures.played.window.places.last(), QString("history 6"));
        QCOMPARE(failures.page.tabs()->current(), static_cast<int>(FailuresTab));
    }

    void usageSaysWhatWasForNothing() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Usage);
        const auto row = [](const QString& key, double used, double wasted) {
            return QJsonObject{{"key", key},
                               {"actions", 4},
                               {"core_seconds", used},
                               {"wasted_core_seconds", wasted},
                               {"memory_gb_hours", 1.5},
                               {"wait_seconds", 8}};
        };
        QVERIFY(on.played.link.answer(
            "accounting",
            QJsonObject{{"retired", 3}, {"rows", QJsonArray{row("7", 36'000, 3'600), row("8", 0, 0)}}}));
        UsagePane* usage = on.page.usage();
        QCOMPARE(on.cell(usage->table(), 0, 0), QString("queue 7"));
        QCOMPARE(on.cell(usage->table(), 0, 2), QString("10.0"));
        QCOMPARE(on.cell(usage->table(), 0, 3), QString("1.00"));
        QCOMPARE(on.cell(usage->table(), 0, 4), QString("10.0 %"));
        QCOMPARE(on.cell(usage->table(), 0, 6), QString("2.0 s"));
        QCOMPARE(on.cell(usage->table(), 1, 4), Format::unknown());
        QVERIFY2(usage->line().startsWith("10.0 core hours, 1.00 of them wasted (10.0 %)"),
                 qPrintable(usage->line()));
        QVERIFY2(usage->line().contains("3 action"), qPrintable(usage->line()));
        emit usage->table()->opened(usage->table()->rows()->idAt(0));
        QCOMPARE(on.played.window.places.last(), QString("actions queue:7"));
        // A label begins like a formula: a table for spreadsheets has none.
        usage->setBy("label");
        QVERIFY(on.played.link.answer("accounting", QJsonObject{{"rows", QJsonArray{row("=SUM(1)", 1, 0)}}}));
        QVERIFY2(usage->csv().contains("\"'=SUM(1)\",4,1,0,1.5,8\r\n"), usage->csv().constData());
        on.page.setFilter("nothing has this");
        QCOMPARE(usage->table()->rows()->rowCount(), 0);
        QVERIFY(!usage->table()->message().isEmpty());
    }

    void usageThatWasAskedForBeforeIsNotTakenForAnother() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Usage);
        on.page.usage()->setBy("worker");
        QVERIFY(on.played.link.answer(
            "accounting", QJsonObject{{"rows", QJsonArray{QJsonObject{{"key", "7"}, {"actions", 1}}}}}));
        QCOMPARE(on.cell(on.page.usage()->table(), 0, 0), QString("queue 7"));
        QVERIFY(on.played.link.answer(
            "accounting", QJsonObject{{"rows", QJsonArray{QJsonObject{{"key", "7"}, {"actions", 1}}}}}));
        QCOMPARE(on.cell(on.page.usage()->table(), 0, 0), QString("7"));
    }

    void rulesOfAlertsSayWhatTheyToldLast() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Alerts);
        const QJsonObject night{
            {"name", "night"},
            {"state", "firing"},
            {"since", wallNow() - kHour},
            {"on", QJsonObject{{"kind", "failures"}, {"filter", "queue:nightly"}}},
            {"then",
             QJsonArray{QJsonObject{{"desktop", true}}, QJsonObject{{"webhook", "https://ci.example.org/secret"}}}},
            {"messages", QJsonArray{QJsonObject{{"t", wallNow() - kHour}, {"text", "3 failed"}}}}};
        const QJsonObject quiet{{"name", "quiet"}, {"state", "quiet"}, {"waiting_error", "no route to host"}};
        QVERIFY(on.played.link.answer("alerts", QJsonObject{{"alerts", QJsonArray{night, quiet}}}));
        const Table* table = on.page.alerts()->table();
        QCOMPARE(on.cell(table, 0, 1), QString("Firing"));
        QCOMPARE(on.cell(table, 0, 3), QString("failures queue:nightly"));
        QVERIFY(on.cell(table, 0, 4).endsWith(": 3 failed"));
        QCOMPARE(on.cell(table, 0, 5), QString("the desktop, ci.example.org"));
        QCOMPARE(on.cell(table, 1, 4), QString("not told yet: no route to host"));
        on.page.alerts()->table()->selectId(table->rows()->idAt(0));
        on.page.alerts()->rowActions().front()->trigger();
        QCOMPARE(on.last(), QString(R"(POST alerts/night/silence {"s":3600})"));
        QVERIFY(on.played.link.answer("alerts/night/silence",
                                      Answer{403, {}, {}, "forbidden", "Not with this token."}));
        QCOMPARE(on.played.window.said.last(), QString("Not with this token."));
        emit on.page.alerts()->table()->opened(table->rows()->idAt(0));
        QCOMPARE(on.played.window.places.last(), QString("alerts"));
    }

    void aRowOfTheAuditIsCopiedAsWhatItWas() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Audit);
        const auto entry = [](qint64 ago, const QString& path, const QString& body, int result) {
            return QJsonObject{{"t", wallNow() - ago}, {"who", "anna"}, {"method", "POST"},
                               {"path", path},         {"body", body},  {"result", result}};
        };
        QVERIFY(on.played.link.answer(
            "audit", QJsonObject{{"entries", QJsonArray{entry(kSecond, "/compute/queues/7/hold", "{}", 200)}},
                                 {"dropped", 2},
                                 {"cursor", "20833.4711"}}));
        QCOMPARE(on.page.audit()->table()->rows()->rowCount(), 1);
        QVERIFY(on.played.link.answer(
            "audit",
            QJsonObject{{"entries", QJsonArray{entry(kHour, "/compute/cancel", "{\"lsns\":[1,2…", 403)}}}));
        AuditPane* audit = on.page.audit();
        const Table* table = audit->table();
        QCOMPARE(table->rows()->rowCount(), 2);
        QCOMPARE(on.cell(table, 0, 3), QString("POST /compute/queues/7/hold {}"));
        QCOMPARE(on.cell(table, 1, 4), QString("403"));
        QVERIFY2(audit->line().contains("2 could not be kept"), qPrintable(audit->line()));
        emit audit->table()->opened(table->rows()->idAt(0));
        QVERIFY2(on.played.window.said.last().contains("curl"), qPrintable(on.played.window.said.last()));
        // Of a body that was cut no request can be made.
        emit audit->table()->opened(table->rows()->idAt(1));
        QVERIFY(!on.played.window.said.last().contains("curl"));
        on.page.setFilter("hold");
        QCOMPARE(table->rows()->rowCount(), 1);
    }

    void whoMayNotSeeTheAuditIsTold() {
        Played<HistoryPage> on;
        on.page.setTab(HistoryPage::Audit);
        QVERIFY(on.played.link.answer("audit", Answer{403, {}, {}, "forbidden", "Admin only."}));
        QCOMPARE(on.page.audit()->table()->message(), QString("Admin only."));
    }

    void whatAKindCallsItselfCannotTurnTheText() {
        Played<HistoryPage> on;
        const QString turning = QString("a") + QChar(0x202e) + "b:c";
        QVERIFY(on.played.link.answer("kinds", kindsOf({kind(turning, 1, 0)})));
        QVERIFY(!on.cell(on.page.table(), 0, 0).contains(QChar(0x202e)));
    }
};

QTEST_MAIN(TestRecordingsPage)
#include "tst_recordings_page.moc"
