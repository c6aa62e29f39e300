// Figures over time: the history of machine and engine, what /proc says, and how they outlast the engine.
#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/overview.h"
#include "core/engine/running/stats_sampler.h"
#include "core/host/process_tree.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <signal.h>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr WallMicros kNoon = 1'800'000'000 * kSecond;

/// "10 s: 1.5 - 2" of what actions took.
std::string printed(const history::StatsView& view) {
    std::string text = fmt::format("{} s:", view.resolution.count() / kSecond);
    for (const history::StatsView::Row& row : view.rows)
        text += row.sample ? fmt::format(" {:.3g}", row.sample->cpuActions) : " -";
    return text;
}

std::int64_t completedIn(const history::StatsView& view) {
    return std::accumulate(
        view.rows.begin(), view.rows.end(), std::int64_t(0),
        [](std::int64_t sum, const auto& row) { return sum + (row.sample ? row.sample->completed : 0); });
}

void addSeconds(history::StatsHistory& history, WallMicros from, int seconds, const history::StatsSample& sample) {
    for (int i = 0; i < seconds; ++i) history.add(from + i * kSecond, from + (i + 1) * kSecond, sample);
}

std::string imageOf(history::StatsHistory& history) {
    std::string image(history::StatsHistory::fileSize(), '\0');
    for (const history::StatsHistory::Piece& piece : history.takeChanged())
        image.replace(piece.at, piece.bytes.size(), piece.bytes);
    return image;
}

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

} // namespace

class FiguresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasNotSeenIsUnknown();
    void whatIsOldIsThereInCoarserSteps();
    void aSpanIsCutWhereFinerStepsBegin();
    void nothingThatEndedIsLostInCoarserSteps();
    void aLongLookFillsEachOfItsSteps();
    void aQuestionForTooMuchIsAnsweredCoarsely();
    void aClockThatWasSetBackOverwritesNothing();
    void theFileBringsItAllBack();
    void whatGpusDidIsKeptWhereItIsKnown();
    void aFileFromBeforeThereWereGpusIsTakenOver();
    void onlyWhatChangedIsWritten();
    void aFileOfAnotherKindIsNotRead();
    void damagedStepsAreLeftOut();

    void readsMachineAndEngineFromProc();
    void saysNothingWithoutProc();
    void looksAtWholeTrees();

    void historyOutlivesTheEngine();
    void aForeignFileIsBegunAnew();
    void anEngineWhoseFileCannotBeWrittenGoesOn();
    void actionsShowInTheHistory();
    void whatBurnsIsInEveryStep();
    void aFailureAfterARetryByHandCountsAgain();
    void whatIsIdleIsLookedAtLessAndLess();
    void rowsOfRunningActionsSayWhatTheyUsed();
};

void FiguresTest::aSpanIsCutWhereFinerStepsBegin() {
    const auto parts = [](std::int64_t from, std::int64_t to) {
        std::string text;
        for (const auto& part : history::StatsHistory::partsOf(kNoon + from * kSecond, kNoon + to * kSecond, kNoon))
            text += fmt::format("{}..{}/{} ", (part.from - kNoon) / kSecond, (part.to - kNoon) / kSecond,
                                part.width.count() / kSecond);
        return text;
    };
    QCOMPARE(parts(-604'800, 100),
             std::string("-604800..-129000/600 -129000..-14340/60 -14340..-1190/10 -1190..0/1 "));
    QCOMPARE(parts(-600, -100), std::string("-600..-100/1 "));
    QCOMPARE(parts(-3'600, -1'800), std::string("-3600..-1800/10 "));
    QCOMPARE(parts(100, 200), std::string());
}

void FiguresTest::whatWasNotSeenIsUnknown() {
    history::StatsHistory history;
    history.add(kNoon, kNoon + kSecond, {.cpuActions = 1.5});
    history.add(kNoon + 3 * kSecond, kNoon + 4 * kSecond, {.cpuActions = 0});
    const history::StatsQuery query{kNoon - kSecond, kNoon + 6 * kSecond, Duration(kSecond)};
    QCOMPARE(printed(history.query(query, kNoon + 5 * kSecond)), std::string("1 s: - 1.5 - - 0 -"));
    const history::StatsView usual = history.query({}, kNoon + 5 * kSecond);
    QCOMPARE(usual.resolution.count() / kSecond, 2); // a quarter of an hour in at most 600 steps
    QVERIFY(usual.rows.size() >= 450 && usual.rows.size() <= 451);
    QCOMPARE(history.query({kNoon + 9 * kSecond, {}, {}}, kNoon).rows.size(), std::size_t(0));
}

void FiguresTest::whatIsOldIsThereInCoarserSteps() {
    history::StatsHistory history;
    constexpr int kHours = 5;
    addSeconds(history, kNoon, kHours * 3'600, {.cpuActions = 2});
    const WallMicros now = kNoon + std::int64_t(kHours) * 3'600 * kSecond;
    const auto resolutionOf = [&](std::int64_t secondsAgo, std::int64_t asked) {
        const WallMicros from = now - secondsAgo * kSecond;
        return history.query({from, from + 60 * kSecond, Duration(asked * kSecond)}, now).resolution.count() /
               kSecond;
    };
    QCOMPARE(resolutionOf(1'000, 1), 1);
    QCOMPARE(resolutionOf(1'300, 1), 10);
    QCOMPARE(resolutionOf(15'000, 1), 60);
    QCOMPARE(resolutionOf(3 * 86'400, 1), 600);
    QCOMPARE(resolutionOf(1'000, 4), 4);
    QCOMPARE(resolutionOf(1'300, 15), 20);
    const WallMicros from = now - 16'000 * kSecond;
    QCOMPARE(printed(history.query({from, from + 120 * kSecond, Duration(kSecond)}, now)).substr(0, 9),
             std::string("60 s: 2 2"));
}

void FiguresTest::nothingThatEndedIsLostInCoarserSteps() {
    history::StatsHistory history;
    addSeconds(history, kNoon, 3'600, {.completed = 7});
    const WallMicros now = kNoon + 3'600 * kSecond;
    QCOMPARE(completedIn(history.query({kNoon, now, Duration(kSecond)}, now)), 7 * 3'600);
    QCOMPARE(completedIn(history.query({kNoon, now, Duration(60 * kSecond)}, now)), 7 * 3'600);
    QCOMPARE(completedIn(history.query({kNoon, now, Duration(600 * kSecond)}, now)), 7 * 3'600);
}

void FiguresTest::aLongLookFillsEachOfItsSteps() {
    history::StatsHistory history;
    history.add(kNoon, kNoon + 4 * kSecond, {.cpuActions = 0.25, .completed = 3});
    const history::StatsView view =
        history.query({kNoon, kNoon + 4 * kSecond, Duration(kSecond)}, kNoon + 4 * kSecond);
    QCOMPARE(printed(view), std::string("1 s: 0.25 0.25 0.25 0.25"));
    QCOMPARE(completedIn(view), 3);
    // Longer than an hour: a machine that slept. Only the last hour is known.
    history.add(kNoon + 4 * kSecond, kNoon + 20 * 3'600 * kSecond, {.cpuActions = 1});
    QCOMPARE(printed(history.query({kNoon + 15 * 3'600 * kSecond, kNoon + 15 * 3'600 * kSecond + kSecond, {}},
                                   kNoon + 20 * 3'600 * kSecond)),
             std::string("60 s: -"));
}

void FiguresTest::aQuestionForTooMuchIsAnsweredCoarsely() {
    const history::StatsHistory history;
    const history::StatsView week = history.query({kNoon - 7 * 86'400 * kSecond, kNoon, Duration(1)}, kNoon);
    QVERIFY(week.rows.size() <= history::StatsHistory::kMostRows);
    QCOMPARE(week.resolution.count() / kSecond, 600);
    const history::StatsView all = history.query({0, kNoon, Duration(1)}, kNoon);
    QVERIFY(all.rows.size() <= history::StatsHistory::kMostRows);
    QCOMPARE(history.query({0, 1, {}}, kNoon).rows.size(), std::size_t(0));
}

void FiguresTest::aClockThatWasSetBackOverwritesNothing() {
    history::StatsHistory history;
    const WallMicros later = kNoon + 1'200 * kSecond; // its step has the same place
    history.add(later, later + kSecond, {.cpuActions = 3});
    history.add(kNoon, kNoon + kSecond, {.cpuActions = 1});
    QCOMPARE(printed(history.query({later, later + kSecond, Duration(kSecond)}, later + kSecond)),
             std::string("1 s: 3"));
}

void FiguresTest::theFileBringsItAllBack() {
    history::StatsHistory history;
    addSeconds(
        history, kNoon, 100,
        {.cpuActions = 1, .cpuOthers = 0.5, .memoryBytes = 1 << 30, .pending = 3, .running = 2, .completed = 1});
    const WallMicros now = kNoon + 100 * kSecond;
    history::StatsHistory again;
    QVERIFY(again.restore(imageOf(history)));
    QCOMPARE(printed(again.query({{}, {}, Duration(10 * kSecond)}, now)),
             printed(history.query({{}, {}, Duration(10 * kSecond)}, now)));
    const auto last = again.query({now - kSecond, now, Duration(kSecond)}, now).rows.back().sample;
    QVERIFY(last);
    QCOMPARE(fmt::format("{} {} {} {} {} {} {}", last->cpuActions, last->cpuOthers, last->memoryBytes,
                         last->pending, last->running, last->completed, last->failed),
             std::string("1 0.5 1073741824 3 2 1 0"));
}

void FiguresTest::whatGpusDidIsKeptWhereItIsKnown() {
    history::StatsHistory history;
    addSeconds(history, kNoon, 10, {.cpuActions = 1});
    addSeconds(history, kNoon + 10 * kSecond, 5, {.cpuActions = 1, .gpuPercent = 40, .gpuMemoryBytes = 3 << 20});
    addSeconds(history, kNoon + 15 * kSecond, 5, {.cpuActions = 1, .gpuPercent = 160, .gpuMemoryBytes = 5 << 20});
    addSeconds(history, kNoon + 20 * kSecond, 10, {.cpuActions = 1}); // the driver does not answer
    history::StatsHistory again;
    QVERIFY(again.restore(imageOf(history)));
    const WallMicros now = kNoon + 30 * kSecond;
    const auto rows = again.query({kNoon, now, Duration(10 * kSecond)}, now).rows;
    QCOMPARE(rows.size(), std::size_t(3));
    QVERIFY(!rows[0].sample->gpuPercent && !rows[0].sample->gpuMemoryBytes);
    QCOMPARE(std::lround(rows[1].sample->gpuPercent.value_or(-1)), 100);
    QCOMPARE(rows[1].sample->gpuMemoryBytes, std::optional<std::int64_t>(5 << 20));
    QVERIFY(!rows[2].sample->gpuPercent);
    const auto whole = again.query({kNoon, now, Duration(30 * kSecond)}, now).rows;
    QCOMPARE(std::lround(whole.front().sample->gpuPercent.value_or(-1)), 100); // of what is known
}

void FiguresTest::aFileFromBeforeThereWereGpusIsTakenOver() {
    constexpr std::size_t kHeader = 64, kStep = 48, kOldStep = 40;
    history::StatsHistory history;
    addSeconds(history, kNoon, 100, {.cpuActions = 1, .completed = 1});
    const WallMicros now = kNoon + 100 * kSecond;
    const std::string image = imageOf(history);
    std::string old = image.substr(0, kHeader);
    old.replace(old.find('2'), 1, "1");
    for (std::size_t at = kHeader; at < image.size(); at += kStep) old += image.substr(at, kOldStep);
    history::StatsHistory again;
    QVERIFY(again.restore(old));
    const history::StatsQuery asked{{}, {}, Duration(10 * kSecond)};
    QCOMPARE(printed(again.query(asked, now)), printed(history.query(asked, now)));
    QVERIFY(!again.query(asked, now).rows.back().sample->gpuPercent);
    history::StatsHistory third; // all of it is written as it is now
    QVERIFY(third.restore(imageOf(again)));
    QCOMPARE(printed(third.query(asked, now)), printed(history.query(asked, now)));
}

void FiguresTest::onlyWhatChangedIsWritten() {
    history::StatsHistory history;
    QCOMPARE(history.takeChanged().size(), std::size_t(1)); // the header
    QVERIFY(history.takeChanged().empty());
    addSeconds(history, kNoon, 60, {.cpuActions = 1});
    std::size_t bytes = 0;
    for (const history::StatsHistory::Piece& piece : history.takeChanged()) bytes += piece.bytes.size();
    QVERIFY2(bytes < 5'000, std::to_string(bytes).c_str());
    QVERIFY(history.takeChanged().empty());
}

void FiguresTest::aFileOfAnotherKindIsNotRead() {
    history::StatsHistory history;
    QVERIFY(!history.restore(""));
    QVERIFY(!history.restore(std::string(history::StatsHistory::fileSize(), 'x')));
    QCOMPARE(history.takeChanged().front().at, std::size_t(0)); // the header is written again
}

void FiguresTest::damagedStepsAreLeftOut() {
    history::StatsHistory history;
    addSeconds(history, kNoon, 20, {.cpuActions = 1});
    const std::string image = imageOf(history);
    const WallMicros now = kNoon + 20 * kSecond;
    history::StatsHistory cut;
    QVERIFY(cut.restore(image.substr(0, image.size() / 3)));
    for (std::size_t at = 64; at < image.size(); at += 48) {
        std::string damaged = image;
        for (std::size_t i = 0; i < 12; ++i) damaged[at + i] = '\xff'; // no such step, no such number
        if (damaged == image) continue;
        history::StatsHistory restored;
        QVERIFY(restored.restore(damaged));
        for (const auto& row : restored.query({kNoon, now, Duration(kSecond)}, now).rows)
            QVERIFY(!row.sample || row.sample->cpuActions == 1);
        at += 48 * 100;
    }
}

void FiguresTest::readsMachineAndEngineFromProc() {
    QTemporaryDir dir;
    const std::string root = dir.path().toStdString() + "/";
    write(root + "proc/stat", "cpu  100 10 200 99999 5 3 7 9 50 0\ncpu0 1 1 1 1\nintr 5\n");
    write(root + "proc/meminfo", "MemTotal:    1000 kB\nMemFree: 1 kB\nMemAvailable:  400 kB\n");
    write(fmt::format("{}proc/{}/stat", root, ::getpid()),
          "1 (a b) S 1 1 1 0 -1 0 0 0 0 0 30 20 4 6 20 0 1 0 77 0 25 0\n");
    write(root + "proc/4711/stat", "4711 (launcher) S 1 1 1 0 -1 0 0 0 0 0 1 1 500 100 20 0 1 0 77 0 9 0\n");
    write(root + "journal", std::string(300, 'x'));
    write(root + "journal-wal", std::string(20, 'x'));
    const auto reading = readMachine(4711, root + "journal", root);
    QVERIFY(reading);
    const std::int64_t tick = 1'000'000 / ::sysconf(_SC_CLK_TCK);
    QCOMPARE(reading->busy, 320 * tick);
    QCOMPARE(reading->memoryBytes, 600 * 1'024);
    QCOMPARE(reading->engine, 50 * tick);
    QCOMPARE(reading->engineRss, 25 * ::sysconf(_SC_PAGESIZE));
    QCOMPARE(reading->ended.value_or(-1), 600 * tick);
    QCOMPARE(reading->journalBytes, 320);
    QVERIFY(!readMachine(0, "", root)->ended);
    QVERIFY(!readMachine(12, "", root)->ended); // it has ended
}

void FiguresTest::saysNothingWithoutProc() {
    QTemporaryDir dir;
    const std::string root = dir.path().toStdString() + "/";
    QVERIFY(!readMachine(0, "", root));
    write(root + "proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 400 kB\n");
    for (const char* stat : {"", "cpu", "cpu  1 2 3", "cpux 1 2 3 4 5 6 7 8", "cpu  1 2 x 4 5 6 7 8"}) {
        write(root + "proc/stat", stat);
        QVERIFY2(!readMachine(0, "", root), stat);
    }
    write(root + "proc/stat", "cpu  1 2 3 4 5 6 7 8\n");
    QVERIFY(readMachine(0, "", root));
    write(root + "proc/meminfo", "MemFree: 1000 kB\n");
    QVERIFY(!readMachine(0, "", root));
}

void FiguresTest::looksAtWholeTrees() {
    // A shell whose child computes: the child is of its tree.
    std::FILE* shell = ::popen("echo $$; (i=0; while [ $i -lt 100000000 ]; do i=$((i+1)); done) & wait", "re");
    QVERIFY(shell);
    int pid = 0;
    QCOMPARE(std::fscanf(shell, "%d", &pid), 1);
    const auto used = [&] {
        const auto trees = readTrees({{.pid = pid}, {.pid = 2'000'000'000}});
        return trees.contains(pid) && trees.size() == 1 && trees.at(pid).cpu > 0 && trees.at(pid).rssBytes > 0;
    };
    const bool seen = test::EngineTest::eventually(used);
    const std::vector<int> children = host::childrenOf(pid);
    for (const int child : children) ::kill(child, SIGKILL);
    ::pclose(shell);
    QVERIFY(seen);
    QVERIFY(readTrees({{.pid = pid}}).empty());
}

void FiguresTest::historyOutlivesTheEngine() {
    test::EngineTest engine;
    engine.run(engine->ask(&engine::StatsSampler::query, {}));
    const Lsn lsn = engine.sh("true");
    engine.wait(lsn);
    QVERIFY(engine.eventually(
        [&] { return completedIn(engine.run(engine->ask(&engine::StatsSampler::query, {}))) == 1; }));
    engine.stop();
    engine.start();
    const history::StatsView view = engine.run(engine->ask(&engine::StatsSampler::query, {}));
    QCOMPARE(completedIn(view), 1);
}

void FiguresTest::aForeignFileIsBegunAnew() {
    test::EngineTest engine;
    engine.stop();
    write(engine.path("data/stats"), std::string(500'000, 'x'));
    engine.start();
    QVERIFY(engine.eventually([&] {
        for (const auto& row : engine.run(engine->ask(&engine::StatsSampler::query, {})).rows)
            if (row.sample) return true;
        return false;
    }));
    engine.stop();
    QVERIFY(std::filesystem::file_size(engine.path("data/stats")) <= history::StatsHistory::fileSize());
}

void FiguresTest::anEngineWhoseFileCannotBeWrittenGoesOn() {
    test::EngineTest engine;
    engine.stop();
    std::filesystem::remove(engine.path("data/stats"));
    std::filesystem::create_directory(engine.path("data/stats"));
    engine.start();
    QVERIFY(engine.eventually([&] {
        for (const auto& row : engine.run(engine->ask(&engine::StatsSampler::query, {})).rows)
            if (row.sample) return true;
        return false;
    }));
    QCOMPARE(test::ending(engine.wait(engine.sh("true"))), std::string("completed"));
}

void FiguresTest::actionsShowInTheHistory() {
    test::EngineTest engine;
    const Lsn lsn = engine.sh("while :; do :; done");
    QVERIFY(engine.eventually([&] {
        for (const auto& row :
             engine.run(engine->ask(&engine::StatsSampler::query, {{}, {}, Duration(kSecond)})).rows)
            if (row.sample && row.sample->cpuActions > 0.05 && row.sample->running == 1) return true;
        return false;
    }));
    const SessionView session = engine.run(engine->ask(&Overview::session));
    QVERIFY(session.itself.cpuPercent);
    QVERIFY(session.itself.rssBytes > 0);
    QVERIFY(session.itself.journalBytes > 0);
    QVERIFY(session.itself.diskFreeBytes > 0 && session.itself.diskFreeBytes <= session.itself.diskBytes);
    engine.run(engine->ask(&engine::Operations::cancel, lsn));
    engine.wait(lsn);
}

/// It is looked at every five seconds, and each second in between has its share.
void FiguresTest::whatBurnsIsInEveryStep() {
    test::EngineTest engine;
    const Lsn lsn = engine.sh("while :; do :; done");
    QVERIFY(engine.eventually([&] {
        int inARow = 0;
        for (const auto& row :
             engine.run(engine->ask(&engine::StatsSampler::query, {{}, {}, Duration(kSecond)})).rows) {
            inARow = row.sample && row.sample->cpuActions > 0.05 ? inARow + 1 : 0;
            if (inARow == 4) return true;
        }
        return false;
    }));
    engine.run(engine->ask(&engine::Operations::cancel, lsn));
    engine.wait(lsn);
}

void FiguresTest::aFailureAfterARetryByHandCountsAgain() {
    test::EngineTest engine;
    const auto failures = [&] {
        std::int64_t failed = 0;
        for (const auto& row :
             engine.run(engine->ask(&engine::StatsSampler::query, {{}, {}, Duration(kSecond)})).rows)
            if (row.sample) failed += row.sample->failed;
        return failed;
    };
    const Lsn lsn = engine.sh("exit 3", R"(,"max_retries":0)");
    QCOMPARE(test::ending(engine.wait(lsn)), std::string("failed exit_code 3"));
    QVERIFY(test::EngineTest::eventually([&] { return failures() == 1; }));
    QVERIFY(engine.run(engine->ask(&engine::Rescheduling::reschedule, lsn, true)));
    QCOMPARE(test::ending(engine.wait(lsn)), std::string("failed exit_code 3"));
    QVERIFY(test::EngineTest::eventually([&] { return failures() == 2; }));
}

void FiguresTest::rowsOfRunningActionsSayWhatTheyUsed() {
    test::EngineTest engine(2);
    const Lsn lsn = engine.sh("while [ ! -e go ]; do :; done");
    const auto row = [&] {
        engine::ListQuery running;
        running.states = {ActionState::Running};
        running.limit = 10;
        const auto page = engine.run(engine->ask(&engine::Listing::list, running));
        return page && page->jobs.size() == 1 ? page->jobs.front() : ActionResult{};
    };
    // It may be looked at right after its start, when somebody else takes much memory: then it has used nothing yet.
    ActionResult seen;
    QVERIFY(test::EngineTest::eventually([&] {
        seen = row();
        return seen.outcome && seen.outcome->measures[Measure::CpuTime].value_or(0) > 0;
    }));
    QCOMPARE(seen.lsn, lsn);
    QVERIFY(seen.outcome->measures[Measure::PeakMemory].value_or(0) >= seen.usage->rssBytes);
    const std::string json = toJson(seen);
    QVERIFY2(json.contains("\"cpu_seconds\":") && json.contains("\"max_rss_bytes\":"), json.c_str());
    QVERIFY2(!json.contains("\"reason\"") && !json.contains("\"exit_code\""), json.c_str());
    write(engine.path("go"), "");
    QVERIFY(engine.wait(lsn).outcome->measures[Measure::PeakMemory] >= seen.outcome->measures[Measure::PeakMemory]);
}

void FiguresTest::whatIsIdleIsLookedAtLessAndLess() {
    // What looks after attempts has no clock: the moments are given.
    UsageSeries series(kNoon);
    for (int i = 1; i <= 100'000; ++i) series.add({kNoon + i * kSecond, 100, i});
    QVERIFY(series.all().size() <= UsageSeries::kMost);
    QCOMPARE(series.all().back().t, kNoon + 100'000 * kSecond);
    std::int64_t most = 0;
    for (const UsageSample& sample : series.all()) {
        QCOMPARE(sample.cpuPercent, 100.0f);
        QVERIFY(sample.rssBytes > most);
        most = sample.rssBytes;
    }
    QVERIFY(series.all().front().t - kNoon > 1'000 * kSecond); // what is old is coarse
    QCOMPARE(series.all()[UsageSeries::kMost / 2 + 5].rssBytes + 1,
             series.all()[UsageSeries::kMost / 2 + 6].rssBytes);
    QVERIFY(decodeUsage(encodeUsage(series.all())) == series.all());
    QVERIFY(decodeUsage("short").empty());
    QVERIFY(decodeUsage(std::string(60, '\xff')).empty());
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    FiguresTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_figures.moc"
