// The page Recordings over a link that is played: what its rows say, what its commands ask for, and
// what comes of answers that are late, wrong or too much.
#include "tests/ui/played_page.h"
#include "ui/log/diff_view.h"
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
template<class Shown>
using Played = test::PlayedPage<Shown>;

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
};

QTEST_MAIN(TestRecordingsPage)
#include "tst_recordings_page.moc"
