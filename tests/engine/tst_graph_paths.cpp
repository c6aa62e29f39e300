// Graphs of who waits for whom as pure values: layers, the way that takes longest, what there is to spare, what is
// folded and what is left out. Graphs are written in a small language, see graphFrom().
#include "core/engine/reading/graph_parts.h"
#include "core/engine/reading/graph_paths.h"
#include "tests/support/show_strings.h"

#include <QTest>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr std::string_view kLetters = "NPSRCFAX"; ///< in the order of ActionState

std::int64_t numberAt(std::string_view& text, std::int64_t otherwise = 1) {
    std::int64_t number = otherwise;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return number;
}

bool skip(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

/// "10x4:2C2P/6|2=7": an array of four from 10 on, two completed and two pending, which take 6 s together, two at
/// once, of kind 7. "/?": nobody knows how long. "~3": three edges away.
GraphUnit unitFrom(std::string_view text) {
    GraphUnit unit;
    unit.row.lsns.first = Lsn(numberAt(text));
    unit.row.lsns.count = skip(text, 'x') ? numberAt(text) : 1;
    if (skip(text, ':'))
        while (!text.empty() && !std::string_view("/|=~").contains(text.front())) {
            const std::int64_t count = numberAt(text);
            unit.states[kLetters.find(text.front())] += count;
            text.remove_prefix(1);
        }
    if (skip(text, '/')) {
        if (skip(text, '?'))
            unit.gap = EstimateGap::NoHistory;
        else
            unit.work = std::chrono::seconds(numberAt(text));
    }
    unit.longest = unit.work / std::max<std::int64_t>(unfinishedIn(unit.states), 1);
    if (skip(text, '|')) unit.width = static_cast<int>(numberAt(text));
    if (skip(text, '=')) unit.row.classNumber = static_cast<store::ClassNumber>(numberAt(text));
    if (skip(text, '~')) unit.distance = static_cast<std::uint32_t>(numberAt(text));
    return unit;
}

/// "any:10x4>20x2": 20 and 21 wait for the ends of 10 to 13.
store::WaitEdge edgeFrom(std::string_view text) {
    store::WaitEdge edge;
    for (const DependencyOn on : {DependencyOn::Any, DependencyOn::Failed})
        if (text.starts_with(name(on))) {
            edge.on = on;
            text.remove_prefix(name(on).size() + 1);
        }
    for (store::LsnRun* run : {&edge.parent, &edge.child}) {
        run->first = Lsn(numberAt(text));
        run->count = skip(text, 'x') ? numberAt(text) : 1;
        skip(text, '>');
    }
    return edge;
}

/// Units and edges with blanks between.
GraphParts graphFrom(const std::string& text) {
    GraphParts parts;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (word.contains('>'))
            parts.edges.push_back(edgeFrom(word));
        else
            parts.units.push_back(unitFrom(word));
    }
    return parts;
}

std::string shown(const GraphView& view) {
    std::string text;
    for (const GraphNode& node : view.nodes) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", node.lsn.value);
        if (node.count > 1) text += fmt::format("x{}", node.count);
        text += fmt::format("@{}:", node.layer);
        for (std::size_t i = 0; i < kActionStates; ++i)
            if (node.states[i] > 0) text += fmt::format("{}{}", node.states[i], kLetters[i]);
        if (node.left)
            text += fmt::format("/{}", std::chrono::duration_cast<std::chrono::seconds>(*node.left).count());
        if (node.gap != EstimateGap::None) text += "/?";
        if (node.slack)
            text += fmt::format("+{}", std::chrono::duration_cast<std::chrono::seconds>(*node.slack).count());
    }
    text += ";";
    for (const GraphEdge& edge : view.edges)
        text +=
            fmt::format(" {}{}{}>{}", edge.on == DependencyOn::Completed ? "" : std::string(name(edge.on)) + ":",
                        edge.from.value, edge.isMet ? "" : "-", edge.to.value);
    text += ";";
    for (const Lsn lsn : view.critical) text += fmt::format(" {}", lsn.value);
    return text + (view.isTruncated ? " …" : "");
}

std::string graph(const std::string& text, bool fold = true, int limit = 100) {
    GraphParts parts = graphFrom(text);
    if (!fold) unfold(parts, {}, limit);
    return shown(graphOf(parts, {.lsn = Lsn(1), .queue = {}, .isFolded = fold, .limit = limit}));
}

} // namespace

class TestGraphPaths : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void layersAndTheLongestWayAreThoseOfAGraph_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* what, const char* text, const char* expected) {
            QTest::newRow(what) << text << expected;
        };
        row("nothing", "", ";;");
        row("one alone is the whole way", "1:P/3", "1@0:1P/3+0;; 1");
        row("what has ended is on no way", "1:C 2:F", "1@0:1C 2@0:1F;;");
        row("a chain", "1:R/2 2:P/3 3:P/4 1>2 2>3", "1@0:1R/2+0 2@1:1P/3+0 3@2:1P/4+0; 1->2 2->3; 1 2 3");
        row("the shorter of two ways has time to spare", "1:P/1 2:P/5 3:P/2=2 4:P/1 1>2 1>3 2>4 3>4",
            "1@0:1P/1+0 2@1:1P/5+0 3@1:1P/2+3 4@2:1P/1+0; 1->2 1->3 2->4 3->4; 1 2 4");
        row("an edge that skips a layer", "1:P/1 2:P/1 3:P/1 1>2 2>3 1>3",
            "1@0:1P/1+0 2@1:1P/1+0 3@2:1P/1+0; 1->2 1->3 2->3; 1 2 3");
        row("what has ended delays nothing, and keeps its layer", "1:C 2:P/3 3:P/4=2 1>2 1>3",
            "1@0:1C 2@1:1P/3+1 3@1:1P/4+0; 1>2 1>3; 3");
        row("two ends: the later one is that of the whole", "1:P/1 2:P/1 3:P/9=2 1>2 1>3",
            "1@0:1P/1+0 2@1:1P/1+8 3@1:1P/9+0; 1->2 1->3; 1 3");
        row("a time that is not known leaves no way", "1:P/? 2:P/3 1>2", "1@0:1P/? 2@1:1P/3; 1->2;");
        row("that of what has ended does not matter", "1:C/? 2:P/3 1>2", "1@0:1C 2@1:1P/3+0; 1>2; 2");
        row("several of an array run at once", "10x6:2C4P/8|2 20:P/1 10x6>20",
            "10x6@0:4P2C/4+0 20@1:1P/1+0; 10->20; 10 20");
        row("but an array takes as long as one of it", "10x2:2P/8|8", "10x2@0:2P/4+0;; 10");
    }
    void layersAndTheLongestWayAreThoseOfAGraph() {
        QFETCH(QString, graph);
        QFETCH(QString, expected);
        QCOMPARE(::graph(graph.toStdString()), expected.toStdString());
    }

    void whatEndedWhileItWasCountedIsCountedOnce() {
        const auto counted = [](std::string_view text, std::int64_t count) {
            GraphView view;
            GraphNode& node = view.nodes.emplace_back();
            node.lsn = Lsn(1);
            node.count = count;
            node.states = unitFrom(text).states;
            countEachOnce(node.states, count);
            return shown(view);
        };
        QCOMPARE(counted("1x4:2R3C", 4), "1x4@0:1R3C;;");
        QCOMPARE(counted("1x4:1P1R4C", 4), "1x4@0:4C;;");
        QCOMPARE(counted("1x4:1P1R2C", 4), "1x4@0:1P1R2C;;");
    }

    void anEdgeIsMetByWhatItWaitsFor_data() {
        QTest::addColumn<QString>("states");
        QTest::addColumn<QString>("met");
        QTest::newRow("one that waits") << "P" << "";
        QTest::newRow("one that runs") << "R" << "";
        QTest::newRow("one that completed") << "C" << "completed any";
        QTest::newRow("one that failed") << "F" << "any failed";
        QTest::newRow("one that was cancelled") << "X" << "any";
        QTest::newRow("an array of which one runs") << "3CR" << "";
        QTest::newRow("an array that completed") << "4C" << "completed any";
        QTest::newRow("an array of which one failed") << "3CF" << "any failed";
        QTest::newRow("one that is not known any more") << "" << "completed any";
    }
    void anEdgeIsMetByWhatItWaitsFor() {
        QFETCH(QString, states);
        QFETCH(QString, met);
        const GraphUnit unit = unitFrom("1:" + states.toStdString());
        std::string words;
        for (const DependencyOn on : {DependencyOn::Completed, DependencyOn::Any, DependencyOn::Failed})
            if (isMet(on, unit.states)) words += (words.empty() ? "" : " ") + std::string(name(on));
        QCOMPARE(words, met.toStdString());
    }

    void anEdgeFromAnElementIsMetByThatElement() {
        GraphParts parts = graphFrom("10x4:2C2P/2 20:P/1 21:P/1=2 11>20 12>21");
        parts.elements = {{Lsn(11), ActionState::Completed}, {Lsn(12), ActionState::Pending}};
        const GraphView view = graphOf(parts, {.lsn = Lsn(10), .queue = {}, .isFolded = true, .limit = 10});
        QCOMPARE(shown(view), "10x4@0:2P2C/2+0 20@1:1P/1+2 21@1:1P/1+0; 10>20 10->21; 10 21");
    }

    void thoseOfOneKindWithEqualEdgesAreOneNode_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* what, const char* text, const char* expected) {
            QTest::newRow(what) << text << expected;
        };
        row("equal ones", "1:C 2:C 3:R/4 4:P/4 5:P/1 1>2 1>3 1>4 2>5 3>5 4>5",
            "1@0:1C 2x3@1:1P1R1C/8+0 5@2:1P/1+0; 1>2 2->5; 2 5");
        row("of another kind", "1:C 2:C=1 3:C=2 1>2 1>3", "1@0:1C 2@1:1C 3@1:1C; 1>2 1>3;");
        row("with another edge", "1:C 2:C 3:C 4:C 1>2 1>3 3>4", "1@0:1C 2@1:1C 3@1:1C 4@2:1C; 1>2 1>3 3>4;");
        row("that wait for something else to happen", "1:C 2:C 3:C 1>2 any:1>3",
            "1@0:1C 2@1:1C 3@1:1C; 1>2 any:1>3;");
        row("arrays stay apart", "1:C 10x2:2C 20x2:2C 1>10x2 1>20x2", "1@0:1C 10x2@1:2C 20x2@1:2C; 1>10 1>20;");
        row("those without edges stay apart", "1:C 2:C", "1@0:1C 2@0:1C;;");
        row("each of them waits for an element", "10x2:2P/2 20:P/1 21:P/1 10>20 11>21",
            "10x2@0:2P/2+0 20x2@1:2P/2+0; 10>20; 10");
    }
    void thoseOfOneKindWithEqualEdgesAreOneNode() {
        QFETCH(QString, graph);
        QFETCH(QString, expected);
        QCOMPARE(::graph(graph.toStdString()), expected.toStdString());
    }

    void withoutFoldingEachActionIsANode() {
        QCOMPARE(graph("10x2 20x2 30:P/1 10x2>20x2 20x2>30", false),
                 "10@0: 11@0: 20@1: 21@1: 30@2:1P/1+0; 10>20 10>21 11>20 11>21 20>30 21>30; 30");
    }

    void ofAnArrayOnlyTheElementsThatAreMeantAreNodes() {
        GraphParts parts = graphFrom("10x4 20 11>20");
        unfold(parts, {{Lsn(10), Lsn(11)}}, 10);
        QCOMPARE(shown(graphOf(parts, {.lsn = Lsn(20), .queue = {}, .isFolded = false, .limit = 10})),
                 "11@0: 20@1:; 11>20;");
    }

    void beyondTheLimitTheNearestAreKept() {
        QCOMPARE(graph("1:C~2 2:C~1 3:C 4:P/1~1=2 5:P/1~2 1>2 2>3 3>4 4>5", true, 3),
                 "2@0:1C 3@1:1C 4@2:1P/1+0; 2>3 3>4; 4 …");
        QCOMPARE(graph("10x5 1~1 10x5>1", false, 3), "10@0: 11@0: 12@0:;; …");
    }

    void ofAQueueTheNewestAreKept() {
        const GraphParts parts = graphFrom("1:C 2:C 3:C=2 4:C=3 1>2 2>3 3>4");
        QCOMPARE(shown(graphOf(parts, {.lsn = {}, .queue = {}, .isFolded = true, .limit = 2})),
                 "3@0:1C 4@1:1C; 3>4; …");
    }

    void manyThatAreAlikeAreOneNode() {
        std::string text = "1:C ";
        for (int i = 2; i < 20'002; ++i) text += fmt::format("{}:P/1|100 1>{} ", i, i);
        QCOMPARE(graph(text), "1@0:1C 2x20000@1:20000P/200+0; 1>2; 2");
    }

    void whatWaitsForItselfEndsNoSearch() {
        const std::vector<GraphPaths::Node> nodes(3, {.hasEnded = false, .left = Duration(1)});
        const std::vector<GraphPaths::Edge> edges{{0, 1}, {1, 2}, {2, 1}};
        const GraphPaths paths(nodes, edges);
        QCOMPARE(paths.critical(), std::vector<std::uint32_t>{0});
        QVERIFY(!paths.slackOf(1));
    }
};

QTEST_GUILESS_MAIN(TestGraphPaths)
#include "tst_graph_paths.moc"
