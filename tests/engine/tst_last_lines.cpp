// The last output lines of running actions: who gets one, when it is read again, and who hears of it.
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/watching.h"
#include "core/engine/running/output_tails.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/watch.h"
#include "tests/support/waiting.h"

#include <QFile>
#include <QObject>

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::engine;
using yard::test::EngineTest;

namespace {

constexpr MonoTime kStart{Duration(1'000'000'000)};

std::shared_ptr<LiveStreams> streamsOf(std::uint64_t out, std::uint64_t err) {
    auto streams = std::make_shared<LiveStreams>();
    streams->streams[0] = {.watched = true, .path = out ? "/out" : "", .size = out};
    streams->streams[1] = {.watched = true, .path = err ? "/err" : "", .size = err};
    return streams;
}

/// "7.0 7.1": which streams are to be read.
std::string printed(const std::vector<LineToRead>& lines) {
    std::string text;
    for (const LineToRead& line : lines)
        text += fmt::format("{}{}.{}", text.empty() ? "" : " ", line.lsn.value, line.stream);
    return text;
}

/// Says one line, then another when the file `go` is there, and ends with the file `end`.
Lsn twoLines(EngineTest& engine) {
    return engine.sh("echo one; until test -e go -o -e end; do sleep 0.02; done; echo two >&2; until test -e end; "
                     "do sleep 0.02; done");
}

/// Watches an action from its making on, and asks for nothing but what has changed.
struct Watcher {
    Watcher(EngineTest& of, Lsn watched)
        : engine(of)
        , lsn(watched) {
        auto watch = std::make_shared<Watch>();
        watch->kind = Watch::Kind::Lsns;
        watch->lsns = {lsn};
        request = {.watch = watch, .seen = 0, .everything = true, .afterQueue = {}, .allRows = true, .known = {}};
        told = engine.run(engine->ask(&engine::Watching::collect, {request}));
        request.everything = request.allRows = false;
    }
    /// The note told last, when it is this one or after a hundred changes.
    std::string hears(const std::string& note) {
        for (int looks = 0; looks < 100 && (!told.rows.contains(lsn) || told.rows.at(lsn).note != note); ++looks) {
            request.seen = told.updates.front().seq;
            engine.run(engine->ask(&engine::ChangeLog::after, request.seen));
            told = engine.run(engine->ask(&engine::Watching::collect, {request}));
        }
        return told.rows.contains(lsn) ? told.rows.at(lsn).note : "no row";
    }

    EngineTest& engine;
    Lsn lsn;
    WatchRequest request;
    WatchedChanges told;
};

} // namespace

class LastLinesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyWhatHasGrownIsReadAgain() {
        OutputTails lines;
        const auto streams = streamsOf(10, 0);
        std::vector<LineToRead> grown;
        lines.ask(Lsn(7), streams, kStart, grown);
        QCOMPARE(printed(grown), "7.0");
        QCOMPARE(lines.line(Lsn(7)), "");
        grown.front().line = "hello";
        lines.took(grown, kStart);
        QCOMPARE(lines.line(Lsn(7)), "hello");
        grown.clear();
        lines.ask(Lsn(7), streams, kStart, grown);
        QCOMPARE(printed(grown), "");
        QCOMPARE(lines.grown(kStart).size(), 0u);
        streams->streams[1] = {.watched = true, .path = "/err", .size = 3};
        QCOMPARE(lines.grown(kStart).size(), 1u);
        lines.ask(Lsn(7), streams, kStart, grown);
        QCOMPARE(printed(grown), "7.1");
        lines.took(grown, kStart); // nothing that shows
        QCOMPARE(lines.line(Lsn(7)), "hello");
    }

    void whatIsSaidWithoutAFileGoesBeforeTheOutput() {
        OutputTails lines;
        std::vector<LineToRead> grown;
        QVERIFY(!lines.took(Lsn(7), {.fraction = 0.1, .message = "nobody looks"}, kStart));
        lines.ask(Lsn(7), streamsOf(10, 0), kStart, grown);
        grown.front().marks = progressInOutput("\x1b]9;4;1;90\a", false);
        lines.took(grown, kStart);
        QCOMPARE(lines.progress(Lsn(7))->said.fraction, std::optional(0.9));
        QVERIFY(lines.took(Lsn(7), {.fraction = 0.25, .message = "packing"}, kStart + Duration(5)));
        QVERIFY(!lines.took(Lsn(7), {.fraction = 0.25, .message = "packing"}, kStart + Duration(9)));
        QCOMPARE(lines.progress(Lsn(7))->said.fraction, std::optional(0.25));
        QCOMPARE(lines.progress(Lsn(7))->at, kStart + Duration(5));
        QCOMPARE(lines.shown(), std::vector{Lsn(7)});
    }

    void whatIsTooYoungIsNamedOnceItIsOldEnough() {
        OutputTails lines;
        lines.askLater(Lsn(7), kStart);
        lines.askLater(Lsn(7), kStart + Duration(500'000)); // somebody else looks, too
        lines.askLater(Lsn(8), kStart + Duration(1));
        QVERIFY(!lines.empty());
        QCOMPARE(lines.grown(kStart - Duration(1)).size(), 0u);
        QCOMPARE(lines.grown(kStart), std::vector{Lsn(7)});
        QCOMPARE(lines.grown(kStart + Duration(1)), std::vector{Lsn(8)});
        QVERIFY(lines.empty());
        for (std::size_t i = 0; i <= OutputTails::kMost; ++i)
            lines.askLater(Lsn(static_cast<std::int64_t>(i + 1)), kStart);
        QCOMPARE(lines.grown(kStart).size(), OutputTails::kMost);
    }

    void anotherAttemptBeginsWithoutALine() {
        OutputTails lines;
        std::vector<LineToRead> grown;
        lines.ask(Lsn(7), streamsOf(10, 0), kStart, grown);
        grown.front().line = "hello";
        lines.took(grown, kStart);
        lines.ask(Lsn(7), streamsOf(0, 0), kStart, grown);
        QCOMPARE(lines.line(Lsn(7)), "");
    }

    void whatEndedAndWhatNobodyAsksForIsForgotten() {
        OutputTails lines;
        std::vector<LineToRead> grown;
        const auto ended = streamsOf(1, 0);
        lines.ask(Lsn(1), ended, kStart, grown);
        lines.ask(Lsn(2), streamsOf(1, 0), kStart, grown);
        ended->ended = true;
        QCOMPARE(lines.grown(kStart), std::vector{Lsn(2)});
        QVERIFY(!lines.empty());
        QCOMPARE(lines.grown(kStart + OutputTails::kKeep + Duration(1)).size(), 0u);
        QVERIFY(lines.empty());
        lines.took(grown, kStart); // read meanwhile
        QCOMPARE(lines.line(Lsn(1)), "");
    }

    void thereIsRoomForAThousand() {
        OutputTails lines;
        std::vector<LineToRead> grown;
        for (std::size_t i = 0; i <= OutputTails::kMost; ++i)
            lines.ask(Lsn(static_cast<std::int64_t>(i + 1)), streamsOf(1, 0), kStart, grown);
        QCOMPARE(grown.size(), OutputTails::kMost);
        lines.ask(Lsn(5), nullptr, kStart, grown); // it has ended
        QCOMPARE(grown.size(), OutputTails::kMost);
    }

    void aFileThatIsGoneHasNoLine() {
        QTemporaryDir directory;
        const std::string path = directory.filePath("out").toStdString();
        std::ofstream(path) << std::string(10'000, 'x') << "\nthe end\n";
        const auto read = readLines({{Lsn(1), 0, path, 10'009, {}}, {Lsn(2), 0, path + "-gone", 5, {}}}, false);
        QCOMPARE(read[0].line, "the end");
        QCOMPARE(read[1].line, "");
    }

    void whatAnEditorHasDrawnForAWhileIsNoLine() {
        QTemporaryDir directory;
        const std::string path = directory.filePath("out").toStdString();
        std::string text = "$ vim\r\n\x1b[?1049h";
        for (int i = 0; i < 1'000; ++i) text += "\x1b[1m~\r\n";
        std::ofstream(path) << text;
        const auto read = readLines({{Lsn(1), 0, path, text.size(), {}}}, false);
        QCOMPARE(read[0].line, "$ vim");
    }

    void aStatusFileIsReadAFewTimesASecondWhoeverAsks() {
        OutputTails lines;
        std::vector<LineToRead> grown;
        std::vector<StatusToRead> due;
        lines.askStatus(Lsn(7), "/status/0", kStart, due); // nobody looks at it
        QVERIFY(due.empty());
        lines.ask(Lsn(7), streamsOf(0, 0), kStart, grown);
        for (int i = 0; i < 3; ++i) lines.askStatus(Lsn(7), "/status/0", kStart + Duration(i), due);
        QCOMPARE(due.size(), 1u);
        QVERIFY(lines.dueStatuses(kStart + Duration(3)).empty());
        due = lines.dueStatuses(kStart + OutputTails::kStatusEvery);
        QCOMPARE(due.size(), 1u);
        QCOMPARE(due.front().path, "/status/0");
        lines.askStatus(Lsn(7), {}, kStart, due); // it has none any more
        QVERIFY(lines.dueStatuses(kStart + 2 * OutputTails::kStatusEvery).empty());
    }

    void whatWasSaidHoldsUntilSomethingElseIs() {
        OutputTails lines;
        std::vector<LineToRead> grown;
        lines.ask(Lsn(7), streamsOf(1, 1), kStart, grown);
        QVERIFY(!lines.progress(Lsn(7)));
        QCOMPARE(lines.took({{.lsn = Lsn(7), .path = {}, .said = {.fraction = 0.5, .message = "half"}}}, kStart),
                 std::vector{Lsn(7)});
        const MonoTime later = kStart + Duration(5);
        QVERIFY(lines.took({{.lsn = Lsn(7), .path = {}, .said = {.fraction = {}, .message = {}}}}, later).empty());
        QCOMPARE(lines.took({{.lsn = Lsn(7), .path = {}, .said = {.fraction = {}, .message = "more"}}}, later),
                 std::vector{Lsn(7)});
        QCOMPARE(lines.progress(Lsn(7))->said, (ReportedProgress{.fraction = 0.5, .message = "more"}));
        QCOMPARE(lines.progress(Lsn(7))->at, kStart);
        // What it says by itself goes before its output.
        grown.front().marks = progressInOutput("\x1b]9;4;1;90\a", false);
        lines.took(grown, later);
        QCOMPARE(lines.progress(Lsn(7))->said.fraction, std::optional(0.5));
    }

    void whatIsInThePlaceOfAStatusFileKeepsNobody() {
        QTemporaryDir directory;
        const std::string path = directory.path().toStdString();
        QCOMPARE(::mkfifo((path + "/fifo").c_str(), 0600), 0);
        QCOMPARE(::symlink("/etc/passwd", (path + "/link").c_str()), 0);
        std::ofstream(path + "/long") << std::string(1'000'000, 'x') << "\nprogress 0.7\n";
        std::vector<StatusToRead> asked;
        for (const char* name : {"/fifo", "/link", "/gone", "/", "/long"})
            asked.push_back({.lsn = Lsn(1), .path = path + name});
        asked = readStatuses(std::move(asked));
        for (std::size_t i = 0; i < 4; ++i) QVERIFY(asked[i].said.isEmpty());
        QCOMPARE(asked[4].said.fraction, std::optional(0.7));
    }

    void howFarItSaysThatItIsIsInItsRow() {
        EngineTest engine(1);
        const Lsn lsn = engine.sh("echo progress 0.25 >$YARD_STATUS; echo message linking >>$YARD_STATUS; "
                                  "until test -e end; do sleep 0.02; done");
        ActionResult row;
        QVERIFY(EngineTest::eventually([&] {
            row = *engine.run(engine->ask(&ActionRows::action, lsn));
            return row.progress.fraction == 0.25 && row.progress.message == "linking";
        }));
        QCOMPARE(row.note, "linking");
        QVERIFY(row.estimatedFinish > row.times[ActionState::Running]);
        QVERIFY(row.estimateGap == EstimateGap::None);
        std::ofstream(engine.path("end")) << "x";
        const ActionResult ended = engine.wait(lsn);
        QVERIFY(ended.progress.isEmpty());
        // The next one in its slot begins with nothing, and another's file is not its own.
        const ActionResult next = engine.wait(
            engine.sh("cat $YARD_STATUS; test -f $YARD_STATUS && echo there", R"(,"env":{"YARD_STATUS":"x"})"));
        QCOMPARE(engine.text(next.outcome->out), "there\n");
    }

    void aWatcherHearsOfProgressAlone() {
        EngineTest engine(1);
        const Lsn lsn = engine.sh("until test -e go; do sleep 0.02; done; echo message on its way >$YARD_STATUS; "
                                  "until test -e end; do sleep 0.02; done");
        Watcher watcher(engine, lsn);
        QVERIFY(EngineTest::eventually(
            [&] { return engine.run(engine->ask(&ActionRows::action, lsn))->state == ActionState::Running; }));
        std::ofstream(engine.path("go")) << "x";
        QCOMPARE(watcher.hears("on its way"), "on its way");
        std::ofstream(engine.path("end")) << "x";
        engine.wait(lsn);
    }

    void linesOfKnownProgramsCountWhereTheSettingSaysSo_data() {
        QTest::addColumn<QString>("setting");
        QTest::addColumn<QString>("says");
        QTest::addColumn<double>("fraction"); // -1: none
        QTest::newRow("on") << "on" << "echo '[1/4] a'; echo '[2/4] b'" << 0.5;
        QTest::newRow("off") << "off" << "echo '[1/4] a'; echo '[2/4] b'" << -1.0;
        QTest::newRow("an escape counts anyway") << "off" << R"(printf '\\033]9;4;1;40\\007')" << 0.4;
    }
    void linesOfKnownProgramsCountWhereTheSettingSaysSo() {
        QFETCH(QString, setting);
        QFETCH(QString, says);
        QFETCH(double, fraction);
        EngineTest engine(
            1, [&](engine::Options& options) { options.set = {"progress_from_output=" + setting.toStdString()}; });
        const Lsn lsn = engine.sh(says.toStdString() + "; echo; echo said; until test -e end; do sleep 0.02; done");
        ActionResult row;
        QVERIFY(EngineTest::eventually([&] {
            row = *engine.run(engine->ask(&ActionRows::action, lsn));
            return row.note == "said";
        }));
        QCOMPARE(row.progress.fraction.value_or(-1), fraction);
        std::ofstream(engine.path("end")) << "x";
        engine.wait(lsn);
    }

    void theNoteOfARunningActionIsItsLastLine() {
        EngineTest engine;
        engine.wait(engine.sh("true")); // from now on it is known how long such an action takes
        const Lsn lsn = twoLines(engine);
        const auto noted = [&] { return engine.run(engine->ask(&engine::ActionRows::action, lsn))->note; };
        const auto listed = [&](const char* sort, const char* filter) {
            ListQuery query;
            query.sort = *parseSort(sort);
            query.filter = *parseFilter(filter, wallNow());
            if (query.filter.empty()) query.states = {ActionState::Running};
            for (;;) {
                const auto page = engine.run(engine->ask(&engine::Listing::list, query));
                if (!page->jobs.empty() || page->cursor.empty())
                    return page->jobs.empty() ? std::string("no row") : page->jobs.front().note;
                query.cursor = page->cursor;
            }
        };
        QTRY_COMPARE_WITH_TIMEOUT(noted(), "one", kWaitMs);
        QCOMPARE(listed("lsn", ""), "one");
        QCOMPARE(listed("lsn", "worker:exec state:running"), "one");
        QCOMPARE(listed("-running", "worker:exec state:running"), "one");
        std::ofstream(engine.path("go")) << "now";
        QTRY_COMPARE_WITH_TIMEOUT(noted(), "two", kWaitMs);
        std::ofstream(engine.path("end")) << "now";
        QCOMPARE(engine.wait(lsn).note, "");
    }

    void whoWatchesFromTheStartHearsOfALineOnceThereIsOne() {
        EngineTest engine;
        const Lsn lsn = twoLines(engine);
        Watcher watcher(engine, lsn); // within its first second; nobody asks for it again
        QCOMPARE(watcher.hears("one"), "one");
        std::ofstream(engine.path("end")) << "now";
        engine.wait(lsn);
    }

    void watchersHearOfNewLines() {
        EngineTest engine;
        const Lsn lsn = twoLines(engine);
        QTRY_COMPARE_WITH_TIMEOUT(engine.run(engine->ask(&engine::ActionRows::action, lsn))->note, "one", kWaitMs);
        Watcher watcher(engine, lsn);
        std::ofstream(engine.path("go")) << "now";
        QCOMPARE(watcher.hears("two"), "two");
        std::ofstream(engine.path("end")) << "now";
        engine.wait(lsn);
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    LastLinesTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_last_lines.moc"
