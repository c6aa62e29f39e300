// The graph of who waits for whom at an engine with real processes, and its search in a large journal.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/graph_walk.h"
#include "core/engine/reading/graphs.h"
#include "core/engine/state/graph_view.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"
#include "tests/store/journal_fixture.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

std::string shown(const GraphView& view) {
    std::string text;
    for (const GraphNode& node : view.nodes) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", node.lsn.value, node.label);
        if (node.count > 1) text += fmt::format(" x{}", node.count);
        for (std::size_t i = 0; i < kActionStates; ++i)
            if (node.states[i] > 0) text += fmt::format(" {}{}", node.states[i], name(static_cast<ActionState>(i)));
    }
    text += ";";
    for (const GraphEdge& edge : view.edges)
        text += fmt::format(" {}{}{}", edge.from.value, edge.isMet ? ">" : "->", edge.to.value);
    return text;
}

/// A journal as large as a test can make it, and a search in it.
class SearchBench {
public:
    explicit SearchBench(const std::string& directory)
        : journal(directory) {
        auto started = store::ReaderThread::start(journal.store());
        if (!started) qFatal("%s", started.error().message.c_str());
        reader = std::move(*started);
    }
    /// `count` actions from `first` on that wait for `parent`; 0: for the one before.
    void add(std::int64_t first, std::int64_t count, std::int64_t parent) {
        store::Accept rows;
        rows.now = kThen;
        for (std::int64_t lsn = first; lsn < first + count; ++lsn) {
            rows.items.push_back(item(lsn));
            const std::int64_t waitsFor = parent > 0 ? parent : lsn - 1;
            if (waitsFor > 0) rows.items.back().row.after.push_back({.lsn = Lsn(waitsFor)});
        }
        if (const auto answer = journal.carryOut(std::move(rows)); answer.error)
            qFatal("%s", answer.error->message.c_str());
    }
    GraphWalk::Found around(std::int64_t lsn, bool fold, int limit) {
        GraphWalk::Found found;
        coro::Loop loop;
        loop.spawn("test", search(lsn, fold, limit, found));
        loop.run();
        return found;
    }

    Journal journal;
    std::unique_ptr<store::ReaderThread> reader;
    JournalReader reads{[this](store::ReaderThread::Job job) { return reader->post(std::move(job)); }};
    Duration searchFor = std::chrono::seconds(1'000);
    int looks = 0; ///< at the clock: one for each portion, at least

private:
    coro::Task<void> search(std::int64_t lsn, bool fold, int limit, GraphWalk::Found& found) {
        const MonoTime until = MonoClock::now() + searchFor;
        GraphWalk walk({.journal = reads,
                        .now =
                            [this] {
                                ++looks;
                                return MonoClock::now();
                            },
                        .until = until,
                        .edgesUntil = until},
                       fold, limit);
        const auto done = co_await walk.around(Lsn(lsn));
        if (!done) qFatal("%s", done.error().message.c_str());
        found = walk.take();
    }
};

} // namespace

class TestGraphs : public QObject {
    Q_OBJECT

    std::unique_ptr<EngineTest> engine_;
    Directories directories_;
    QueueRef queue_;

    std::string sh(const std::string& script, const std::string& more) {
        return engine_->shJson(script, "," + more);
    }
    std::vector<Lsn> submit(const std::string& json) {
        auto answer = engine_->trySubmit(json, queue_);
        if (!answer) qFatal("refused: %s", answer.error().message.c_str());
        std::vector<Lsn> lsns;
        for (const auto& item : answer->items) lsns.push_back(item.first);
        return lsns;
    }
    Result<GraphView> tryGraph(GraphQuery query) {
        return engine_->run((*engine_)->ask(&engine::Graphs::view, std::move(query)));
    }
    GraphView graph(Lsn lsn, bool fold = true, int limit = kGraphNodes) {
        return tryGraph({.lsn = lsn, .queue = {}, .isFolded = fold, .limit = limit}).value();
    }
    /// "a" completes; "b", four of them, run until there is a file `go`; "c" and "d" wait for "b", "e" for "c".
    std::vector<Lsn> chain() {
        return submit(
            "[" + sh("true", R"("id":"a")") + "," +
            sh("while ! test -e go; do sleep 0.01; done", R"("id":"b","after":["a"],"array":{"from":1,"to":4})") +
            "," + sh("true", R"("id":"c","after":["b"],"label":"after b")") + "," +
            sh("true", R"("id":"d","after":[{"id":"b","on":"any"}])") + "," +
            sh("true", R"("id":"e","after":["c"])") + "]");
    }
    void waitForRunning(Lsn first, int count) {
        QVERIFY(EngineTest::eventually([&] {
            for (int i = 0; i < count; ++i)
                if (engine_->run((*engine_)->ask(&engine::ActionRows::action, Lsn(first.value + i)))->state !=
                    ActionState::Running)
                    return false;
            return true;
        }));
    }

private Q_SLOTS:
    void init() {
        engine_ = std::make_unique<EngineTest>(4);
        queue_ = {
            engine_->run((*engine_)->ask(&engine::Queues::create, "q", R"({"max_retries":0,"idle_expiry_s":0})"))
                ->id,
            {}};
    }
    void cleanup() { engine_.reset(); }

    void itHasAncestorsAndDescendantsWithTheirStates() {
        const std::vector<Lsn> lsns = chain();
        const std::int64_t a = lsns[0].value, b = lsns[1].value, c = lsns[2].value, d = lsns[3].value,
                           e = lsns[4].value;
        engine_->wait(lsns[0]);
        waitForRunning(lsns[1], 4);
        QCOMPARE(shown(graph(lsns[1])),
                 fmt::format("{0} a 1completed, {1} b x4 4running, {2} after b 1pending, {3} d 1pending, "
                             "{4} e 1pending; {0}>{1} {1}->{2} {1}->{3} {2}->{4}",
                             a, b, c, d, e));
        // Of "c" neither "d" nor what else waits for its ancestors.
        QCOMPARE(shown(graph(lsns[2])),
                 fmt::format("{0} a 1completed, {1} b x4 4running, {2} after b 1pending, {3} e "
                             "1pending; {0}>{1} {1}->{2} {2}->{3}",
                             a, b, c, e));
        std::ofstream(engine_->path("go")) << "now";
        for (const Lsn lsn : {lsns[3], lsns[4]}) QCOMPARE(ending(engine_->wait(lsn)), "completed");
        const GraphView ended = graph(lsns[4]);
        QVERIFY(std::ranges::all_of(ended.edges, &GraphEdge::isMet));
        QVERIFY(ended.critical.empty());
        QCOMPARE(ended.nodes.size(), std::size_t{4});
    }

    void eachElementIsANodeWhereNothingIsFolded() {
        const std::vector<Lsn> lsns = chain();
        const GraphView of = graph(lsns[2], false);
        QCOMPARE(of.nodes.size(), std::size_t{7}); // a, four, c, e
        QCOMPARE(of.edges.size(), std::size_t{9});
        const GraphView one = graph(Lsn(lsns[1].value + 2), false);
        QCOMPARE(one.nodes.size(), std::size_t{5}); // of the array itself alone
        std::ofstream(engine_->path("go")) << "now";
        engine_->wait(lsns[4]);
    }

    void itIsReadFromTheJournalAfterARestart() {
        const std::vector<Lsn> lsns = chain();
        std::ofstream(engine_->path("go")) << "now";
        engine_->wait(lsns[4]);
        engine_->wait(lsns[3]);
        const std::string before = shown(graph(lsns[1]));
        engine_->stop();
        engine_->start();
        QCOMPARE(shown(graph(lsns[1])), before);
        QVERIFY(before.contains("b x4 4completed"));
    }

    void aQueueHasWhatWaitsInIt() {
        const std::vector<Lsn> lsns = chain();
        submit(sh("true", R"("id":"alone")"));
        const GraphView of = tryGraph({.lsn = {}, .queue = queue_, .isFolded = true}).value();
        QCOMPARE(of.nodes.size(), std::size_t{5});
        QCOMPARE(of.edges.size(), std::size_t{4});
        std::ofstream(engine_->path("go")) << "now";
        engine_->wait(lsns[4]);
        const GraphView newest = tryGraph({.lsn = {}, .queue = queue_, .isFolded = true, .limit = 2}).value();
        QCOMPARE(newest.nodes.size(), std::size_t{2});
        QVERIFY(newest.isTruncated);
        QVERIFY(newest.nodes[0].lsn >= lsns[3] && newest.nodes[1].lsn >= lsns[3]);
    }

    void theWayThatTakesLongestIsKnownOnceItsKindsHaveCompleted() {
        const std::string slow = sh("sleep 0.2", R"("label":"slow")");
        const std::string fast = sh("true", R"("label":"fast")");
        for (const std::string& json : {slow, fast}) engine_->wait(submit(json).front());
        const auto with = [](std::string json, const std::string& more) { return json.insert(1, more + ","); };
        const std::vector<Lsn> lsns = submit(
            "[" + with(slow, R"("id":"a","hold":true)") + "," + with(fast, R"("id":"b")") + "," +
            with(fast, R"("id":"c","after":["a","b"])") + "," + with(slow, R"("id":"d","after":["b"])") + "]");
        GraphView of;
        QVERIFY(EngineTest::eventually([&] {
            of = graph(lsns[2]);
            return of.nodes.size() == 3 && of.edges.back().isMet; // "b" has completed
        }));
        QCOMPARE(of.critical, (std::vector{lsns[0], lsns[2]}));
        for (const GraphNode& node : of.nodes) {
            QCOMPARE(node.left.has_value(), node.lsn != lsns[1]);
            QCOMPARE(node.slack.has_value(), node.lsn != lsns[1]);
        }
        QVERIFY(engine_->run((*engine_)->ask(&engine::Operations::release, lsns[0])));
        engine_->wait(lsns[2]);
    }

    void withoutHistoryThereIsNoWay() {
        const std::vector<Lsn> lsns = chain();
        const GraphView of = graph(lsns[1]);
        QVERIFY(of.critical.empty());
        QVERIFY(std::ranges::any_of(
            of.nodes, [](const GraphNode& node) { return node.gap == EstimateGap::NoHistory && !node.left; }));
        std::ofstream(engine_->path("go")) << "now";
        engine_->wait(lsns[4]);
    }

    /// What other programs of its queue took says nothing of a command without a label.
    void aCommandThatNeverRanHasNoUsualTime() {
        engine_->wait(submit("[" + sh("sleep 0.1", R"("id":"x")") + "]").front());
        const std::vector<Lsn> lsns =
            submit("[" + sh("sleep 0.1", R"("id":"same","hold":true)") + "," +
                   sh("true", R"("id":"other","after":["same"])") + "," +
                   sh("sleep 0.1", R"("id":"all","after":["other"],"array":{"from":1,"to":3})") + "," +
                   sh(": {index}", R"("id":"each","after":["all"],"array":{"from":1,"to":3})") + "]");
        const GraphView of = graph(lsns[1]);
        QCOMPARE(of.nodes.size(), std::size_t{4});
        for (const GraphNode& node : of.nodes) {
            const bool isSame = node.lsn == lsns[0] || node.lsn == lsns[2];
            QCOMPARE(node.left.has_value(), isSame);
            QCOMPARE(node.gap, isSame ? EstimateGap::None : EstimateGap::NoHistory);
        }
        QVERIFY(of.critical.empty());
        const GraphView each = graph(lsns[1], false);
        QCOMPARE(std::ranges::count_if(each.nodes, [](const GraphNode& node) { return node.left.has_value(); }), 4);
    }

    void whatDoesNotExistIsSaid() {
        const auto action = tryGraph({.lsn = Lsn(999), .queue = {}});
        QVERIFY(!action && action.error().kind == ErrorKind::NotFound);
        const auto queue = tryGraph({.lsn = {}, .queue = QueueRef{QueueId(77), {}}});
        QVERIFY(!queue && queue.error().kind == ErrorKind::NotFound);
        const Lsn alone = submit(sh("true", R"("id":"alone")")).front();
        QCOMPARE(graph(alone).nodes.size(), std::size_t{1});
    }

    void ofManyThatWaitForOneAllAreFoundInPortions() {
        SearchBench bench(directories_.fresh("many"));
        constexpr int kMany = 20'000;
        bench.add(1, 1, 0);
        bench.add(2, kMany, 1);
        const auto found = bench.around(1, true, 100);
        QCOMPARE(found.units.size(), std::size_t{kMany + 1});
        QCOMPARE(found.edges.size(), std::size_t{kMany});
        QVERIFY(!found.isTruncated);
        QVERIFY(bench.looks >= kMany / 1'000);
        // Of those that are not folded it is enough to know that there are more.
        const auto some = bench.around(1, false, 100);
        QVERIFY(some.isTruncated);
        QVERIFY(some.units.size() > 100 && some.units.size() < 5'000);
    }

    void aLongChainIsFollowedToTheLimit() {
        SearchBench bench(directories_.fresh("chain"));
        bench.add(1, 600, 0);
        const auto found = bench.around(300, true, 50);
        QVERIFY(found.isTruncated);
        QCOMPARE(found.units.size(), std::size_t{101}); // fifty each way
        QCOMPARE(found.edges.size(), std::size_t{101}); // and one that leads away
        QCOMPARE(bench.around(20, true, 5'000).units.size(), std::size_t{600});
    }

    void whatIsNotFoundInTimeIsLeftOut() {
        SearchBench bench(directories_.fresh("late"));
        bench.add(1, 10, 0);
        bench.searchFor = Duration::zero();
        const auto found = bench.around(1, true, 50);
        QVERIFY(found.isTruncated);
        QVERIFY(found.units.size() < 10);
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    TestGraphs test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_graphs.moc"
