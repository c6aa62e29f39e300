// Timelines: the store behind them, and what an engine that ran shows, also after the next start.
#include "core/engine/commands/operations.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace yard;
using namespace yard::engine;
using timeline::Span;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr WallMicros kNoon = 1'800'000'000 * kSecond;

/// One of `seconds` from second `i` on, in slot 0.
Span nap(int i, std::int64_t micros = kSecond / 2) {
    return {.lsn = Lsn{i + 1}, .begin = kNoon + i * kSecond, .end = kNoon + i * kSecond + micros};
}

std::vector<Span> naps(int from, int to) {
    std::vector<Span> spans;
    for (int i = from; i < to; ++i) spans.push_back(nap(i));
    return spans;
}

std::int64_t countOf(const timeline::View& view) {
    std::int64_t count = 0;
    for (const timeline::LaneView& lane : view.lanes) {
        count += std::ssize(lane.bars);
        for (const timeline::Column& column : lane.columns) count += column.count;
    }
    return count;
}

struct Kept {
    QTemporaryDir dir;
    std::string path = dir.path().toStdString() + "/timeline";
    timeline::TimelineStore::Limits limits{
        .recordsPerFile = 4'000, .files = 3, .items = 100'000, .segments = 1'000};
    std::unique_ptr<timeline::TimelineStore> store;
    Kept() { open(); }
    void open() { store = std::make_unique<timeline::TimelineStore>(path, std::vector<std::uint32_t>{0}, limits); }
    timeline::View draw(int from, int to, std::int64_t resolution, const std::vector<Span>& live = {}) {
        return store->draw(
            {kNoon + from * kSecond, kNoon + to * kSecond, resolution, [](std::uint32_t) { return true; }}, live);
    }
};

/// The last minute, finely.
TimelineQuery lately(std::string worker = {}) {
    TimelineQuery query;
    query.worker = std::move(worker);
    query.from = wallNow() - 60 * kSecond;
    query.resolution = Duration(1'000);
    return query;
}

struct Shown {
    std::string text; ///< "0: 7.1 completed, 7.2 failed retried" by slot
    int open = 0;
};

Shown shown(const TimelineView& view) {
    Shown all;
    for (const timeline::LaneView& lane : view.view.lanes)
        for (const Span& bar : lane.bars) {
            all.text += fmt::format("{}.{} {}{} ", bar.lsn.value, bar.attempt, name(bar.state),
                                    bar.retried ? " retried" : "");
            all.open += bar.isOpen();
        }
    return all;
}

} // namespace

class TimelinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allOfASpanIsReadPartByPart();
    void partsHaveWhatOverlapsAndIsWanted();
    void spansComeBackFromFiles();
    void theOldestFileGoes();
    void aTornFileIsReadAsFarAsItIsWhole();
    void filesOfOthersAreLeftAlone();
    void whatCannotBeWrittenIsInTheLevels();
    void aPictureOfTooMuchIsCoarse();
    void classesThatNobodyKnowsAreLeftOut();
    void theLanesOfAWorkerAreNumberedFromOne();

    void whatRanIsShown();
    void whatRunsHasNoEnd();
    void whatGoesOnIsInTheLastPart();
    void eachAttemptHasItsBar();
    void theNextEngineShowsWhatTheLastOneRan();
    void anEngineThatCannotWriteItRunsOn();
};

void TimelinesTest::allOfASpanIsReadPartByPart() {
    Kept kept;
    QVERIFY(kept.store->append(naps(0, 10'000)));
    kept.open(); // from the files
    const timeline::TimelineStore::Picture all{kNoon, kNoon + 20'000 * kSecond, 0,
                                               [](std::uint32_t) { return true; }};
    std::vector<std::int64_t> lsns;
    int parts = 0;
    timeline::TimelineStore::Place place;
    for (bool more = true; more; ++parts) {
        auto part = kept.store->read(all, place);
        std::size_t bars = 0;
        for (const timeline::LaneView& lane : part.view.lanes) {
            QVERIFY(lane.columns.empty());
            bars += lane.bars.size();
            for (const Span& bar : lane.bars) lsns.push_back(bar.lsn.value);
        }
        QVERIFY(bars <= timeline::TimelineStore::kBlocksPerPart * 1'024);
        place = part.next;
        more = part.more;
    }
    QCOMPARE(lsns.size(), std::size_t{10'000});
    QVERIFY(std::ranges::is_sorted(lsns) && std::ranges::adjacent_find(lsns) == lsns.end());
    QVERIFY(parts >= 3);
}

void TimelinesTest::partsHaveWhatOverlapsAndIsWanted() {
    Kept kept;
    QVERIFY(kept.store->append(naps(0, 100)));
    const auto count = [&](int from, int to, bool wanted) {
        const auto part = kept.store->read(
            {kNoon + from * kSecond, kNoon + to * kSecond, 0, [wanted](std::uint32_t) { return wanted; }}, {});
        return countOf(part.view) + (part.more ? 1'000 : 0);
    };
    QCOMPARE(count(10, 20, true), 10);
    QCOMPARE(count(10, 20, false), 0);
    QCOMPARE(count(200, 300, true), 0);
}

void TimelinesTest::spansComeBackFromFiles() {
    Kept kept;
    QCOMPARE(countOf(kept.draw(0, 10'000, kSecond)), 0);
    QVERIFY(kept.store->append(naps(0, 5'000)));
    QVERIFY(kept.store->append(naps(5'000, 6'000)));
    const auto check = [&] {
        QCOMPARE(countOf(kept.draw(0, 10'000, 10 * kSecond)), 6'000);
        QCOMPARE(countOf(kept.draw(0, 10'000, 100 * kSecond)), 6'000); // from the levels
        QCOMPARE(countOf(kept.draw(3'990, 4'010, kSecond / 10)), 20);
        QCOMPARE(kept.draw(3'990, 4'010, kSecond / 10).lanes.front().bars.size(), std::size_t(20));
    };
    check();
    kept.open();
    check();
}

void TimelinesTest::theOldestFileGoes() {
    Kept kept;
    for (int i = 0; i < 20; ++i) QVERIFY(kept.store->append(naps(i * 1'000, (i + 1) * 1'000)));
    QCOMPARE(countOf(kept.draw(0, 20'000, 10 * kSecond)), 12'000);
    const auto files = std::distance(std::filesystem::directory_iterator(kept.path), {});
    QCOMPARE(int(files), 3);
    kept.open();
    QCOMPARE(countOf(kept.draw(0, 20'000, 10 * kSecond)), 12'000);
    QVERIFY(kept.store->append(naps(20'000, 20'001)));
    QCOMPARE(countOf(kept.draw(0, 30'000, 10 * kSecond)), 8'001);
}

void TimelinesTest::aTornFileIsReadAsFarAsItIsWhole() {
    Kept kept;
    QVERIFY(kept.store->append(naps(0, 100)));
    const std::string file = kept.path + "/0000000001";
    std::filesystem::resize_file(file, 90 * timeline::kRecordBytes + 7);
    std::fstream(file, std::ios::in | std::ios::out).seekp(10 * timeline::kRecordBytes + 5) << "damage";
    kept.open();
    QCOMPARE(countOf(kept.draw(0, 1'000, kSecond)), 89);
    QVERIFY(kept.store->append(naps(200, 210)));
    QCOMPARE(countOf(kept.draw(0, 1'000, kSecond)), 99);
    kept.open();
    QCOMPARE(countOf(kept.draw(0, 1'000, kSecond)), 99);
}

void TimelinesTest::filesOfOthersAreLeftAlone() {
    Kept kept;
    std::filesystem::create_directories(kept.path);
    for (const char* name : {"/notes", "/12", "/0000000000", "/-000000001"})
        std::ofstream(kept.path + name) << "mine";
    QVERIFY(kept.store->append(naps(0, 10)));
    kept.open();
    QCOMPARE(countOf(kept.draw(0, 1'000, kSecond)), 10);
    QVERIFY(std::filesystem::exists(kept.path + "/12"));
}

void TimelinesTest::whatCannotBeWrittenIsInTheLevels() {
    Kept kept;
    std::ofstream(kept.path) << "a file where the directory should be";
    QVERIFY(!kept.store->append(naps(0, 10)));
    QCOMPARE(countOf(kept.draw(0, 1'000, 60 * kSecond)), 10);
    QCOMPARE(countOf(kept.draw(0, 1'000, kSecond)), 0);
    std::filesystem::remove(kept.path);
    QVERIFY(kept.store->append(naps(10, 20)));
    QCOMPARE(countOf(kept.draw(0, 1'000, kSecond)), 10);
    // The file is there, but nothing can be opened under its name.
    kept.open();
    std::filesystem::remove_all(kept.path);
    std::filesystem::create_directories(kept.path + "/0000000001");
    QVERIFY(!kept.store->append(naps(30, 31)));
}

void TimelinesTest::aPictureOfTooMuchIsCoarse() {
    Kept kept;
    kept.limits.items = 100;
    kept.open();
    QVERIFY(kept.store->append(naps(0, 1'000)));
    const timeline::View view = kept.draw(0, 1'000, kSecond / 10);
    QVERIFY(view.lanes.front().bars.size() + view.lanes.front().columns.size() <= 100);
    QVERIFY(view.resolution > kSecond);
    QCOMPARE(countOf(view), 1'000);
    // More lanes than items: one step for all, and no more to be done.
    std::vector<Span> wide;
    for (std::uint32_t slot = 0; slot < 300; ++slot) {
        wide.push_back(nap(5'000));
        wide.back().slot = slot;
    }
    QVERIFY(kept.store->append(wide));
    QCOMPARE(kept.draw(5'000, 5'010, kSecond).resolution, 16 * kSecond);
}

void TimelinesTest::classesThatNobodyKnowsAreLeftOut() {
    Kept kept;
    std::vector<Span> spans = naps(0, 10);
    spans[3].cls = 7;
    QVERIFY(kept.store->append(spans));
    QCOMPARE(countOf(kept.draw(0, 100, kSecond / 10)), 10);
    kept.open(); // with a dictionary of one class
    QCOMPARE(countOf(kept.draw(0, 100, kSecond / 10)), 9);
    QCOMPARE(countOf(kept.draw(0, 100, 60 * kSecond)), 9);
}

void TimelinesTest::theLanesOfAWorkerAreNumberedFromOne() {
    Kept kept;
    const auto at = [](int i, std::uint32_t worker, std::uint32_t slot) {
        Span span = nap(i);
        span.worker = span.cls = worker;
        span.slot = slot;
        return span;
    };
    const auto numbers = [&](int from, const std::vector<Span>& live = {}) {
        std::string text;
        for (const timeline::LaneView& lane : kept.draw(from, 100, kSecond / 10, live).lanes)
            text += fmt::format("{}/{}={} ", lane.worker, lane.slot, lane.number);
        return text;
    };
    QVERIFY(kept.store->append({at(0, 0, 7), at(1, 0, 2), at(2, 1, 7)}));
    QCOMPARE(numbers(0), std::string("0/7=1 0/2=2 1/7=1 ")); // in the order of the numbers
    QCOMPARE(numbers(1), std::string("0/2=2 1/7=1 "));       // also where the others have nothing to show
    Span open = at(3, 0, 11);
    open.end = 0;
    QCOMPARE(numbers(1, {open}), std::string("0/2=2 0/11=3 1/7=1 "));
    QVERIFY(kept.store->append({at(5, 0, 9)}));
    QCOMPARE(numbers(5), std::string("0/9=4 "));
    kept.open(); // from the files, with a dictionary of one class
    QCOMPARE(numbers(0), std::string("0/7=1 0/2=2 0/9=3 "));
}

void TimelinesTest::whatRanIsShown() {
    test::EngineTest engine;
    const Lsn lsn = engine.sh("sleep 0.1", R"(,"label":"night")");
    const ActionResult result = engine.wait(lsn);
    const TimelineView view = engine.run(engine->ask(&TimelineKeeper::query, lately()));
    QCOMPARE(shown(view).text, fmt::format("{}.1 completed ", lsn.value));
    const Span& bar = view.view.lanes.at(0).bars.at(0);
    QCOMPARE(view.view.lanes.at(0).number, 1U);
    QCOMPARE(bar.begin, result.times[ActionState::Submitting]);
    QCOMPARE(bar.running, result.times[ActionState::Running]);
    QCOMPARE(bar.end, result.times[ActionState::Completed]);
    QCOMPARE(view.labels.at(bar.label), std::string("night"));
    QCOMPARE(view.workers.at(view.view.lanes.at(0).worker).id, std::string("exec"));
}

void TimelinesTest::whatRunsHasNoEnd() {
    test::EngineTest engine;
    const Lsn lsn = engine.sh("sleep 100");
    const auto now = [&] { return shown(engine.run(engine->ask(&TimelineKeeper::query, {}))); };
    QVERIFY(engine.eventually([&] { return now().text == fmt::format("{}.1 running ", lsn.value); }));
    QCOMPARE(now().open, 1);
    engine.run(engine->ask(&engine::Operations::cancel, lsn));
    engine.wait(lsn);
    const TimelineView ended = engine.run(engine->ask(&TimelineKeeper::query, lately()));
    QCOMPARE(countOf(ended.view), 1);
    QCOMPARE(shown(ended).open, 0);
}

void TimelinesTest::whatGoesOnIsInTheLastPart() {
    test::EngineTest engine; // nothing has ended: its store reads the files when it is asked
    timeline::TimelineStore store(engine.path("data/timeline"), {0}, {});
    QVERIFY(store.append(naps(0, 5 * 1'024)));
    const Lsn lsn = engine.sh("sleep 100");
    QVERIFY(test::EngineTest::eventually(
        [&] { return shown(engine.run(engine->ask(&TimelineKeeper::query, lately("exec")))).open == 1; }));
    TimelineQuery all;
    all.worker = "exec";
    all.from = 1;
    all.to = WallMicros{1} << 60;
    const auto opened = [](const TimelinePart& part) {
        std::vector<Lsn> lsns;
        for (const timeline::LaneView& lane : part.view.view.lanes)
            for (const Span& bar : lane.bars)
                if (bar.isOpen()) lsns.push_back(bar.lsn);
        return lsns;
    };
    const TimelinePart first = engine.run(engine->ask(&TimelineKeeper::part, all, {}));
    QVERIFY(first.more && opened(first).empty());
    const TimelinePart last = engine.run(engine->ask(&TimelineKeeper::part, all, first.next));
    QVERIFY(!last.more);
    QCOMPARE(opened(last), std::vector<Lsn>{lsn});
}

void TimelinesTest::eachAttemptHasItsBar() {
    test::EngineTest engine;
    engine.run(engine->ask(&engine::Queues::configure, {QueueId(0), {}}, R"({"max_retries":1,"backoff_s":0})"));
    const Lsn lsn = engine.sh("sleep 0.1; exit 3");
    engine.wait(lsn);
    const Shown all = shown(engine.run(engine->ask(&TimelineKeeper::query, lately())));
    QVERIFY2(all.text.find(fmt::format("{}.1 failed retried ", lsn.value)) != all.text.npos, all.text.c_str());
    QVERIFY2(all.text.find(fmt::format("{}.2 failed ", lsn.value)) != all.text.npos, all.text.c_str());
}

void TimelinesTest::theNextEngineShowsWhatTheLastOneRan() {
    test::EngineTest engine;
    const Lsn lsn = engine.sh("sleep 0.1", R"(,"label":"old")");
    engine.wait(lsn);
    engine.stop();
    engine.start();
    const TimelineView view = engine.run(engine->ask(&TimelineKeeper::query, lately("exec")));
    QCOMPARE(shown(view).text, fmt::format("{}.1 completed ", lsn.value));
    QCOMPARE(view.labels.at(view.view.lanes.at(0).bars.at(0).label), std::string("old"));
    QCOMPARE(shown(engine.run(engine->ask(&TimelineKeeper::query, lately("other")))).text, std::string());
    TimelineQuery before;
    before.to = view.now - 60 * kSecond;
    QCOMPARE(shown(engine.run(engine->ask(&TimelineKeeper::query, before))).text, std::string());
}

void TimelinesTest::anEngineThatCannotWriteItRunsOn() {
    test::EngineTest engine;
    engine.stop();
    std::filesystem::remove_all(engine.path("data/timeline"));
    std::ofstream(engine.path("data/timeline")) << "a file";
    engine.start();
    QCOMPARE(test::ending(engine.wait(engine.sh("true"))), std::string("completed"));
    engine.run(engine->ask(&TimelineKeeper::query, {}));
    QCOMPARE(test::ending(engine.wait(engine.sh("true"))), std::string("completed"));
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    TimelinesTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_timelines.moc"
