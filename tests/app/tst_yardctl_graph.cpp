// yardctl graph: what it asks for, and how it prints who waits for whom.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>

using namespace yard;
using namespace yard::test;

namespace {

const std::string kGraph =
    R"({"nodes":[{"id":12,"lsn":12,"count":1,"label":"compile","states":{"completed":1},"layer":0},)"
    R"({"id":13,"lsn":13,"count":9,"label":"frames \u0022all\u0022","states":{"pending":3,"running":1,"completed":5},"layer":1,)"
    R"("estimate":{"left_s":310.5},"slack_s":0},)"
    R"({"id":22,"lsn":22,"count":1,"label":"lint","states":{"failed":1},"layer":1},)"
    R"({"id":23,"lsn":23,"count":1,"label":"film","states":{"pending":1},"layer":2,"estimate":{"left_s":60},"slack_s":0}],)"
    R"("edges":[{"from":12,"to":13,"on":"completed","met":true},{"from":12,"to":22,"on":"completed","met":true},)"
    R"({"from":13,"to":23,"on":"completed","met":false},{"from":22,"to":23,"on":"any","met":true}],)"
    R"("critical":[13,23],"truncated":false})";
const std::string kUnknown =
    R"({"nodes":[{"id":1,"lsn":1,"count":1,"label":"a","states":{"running":1},"layer":0,"estimate":{"unknown":"no_history"}},)"
    R"({"id":2,"lsn":2,"count":1,"label":"b","states":{"pending":1},"layer":1,"estimate":{"left_s":2}}],)"
    R"("edges":[{"from":1,"to":2,"on":"failed","met":false}],"critical":[],"truncated":true})";

} // namespace

class TestYardctlGraph : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void forGraphvizWhereItIsNoTerminal();
    void asLinesByLayer();
    void whatIsNotKnownIsSaid();
    void nothingIsASentence();
    void ofAQueueByItsTag();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked_data();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked();
};

void TestYardctlGraph::forGraphvizWhereItIsNoTerminal() {
    FakeServer server(table({{"GET /compute/graph?lsn=12&fold=1", {.body = kGraph}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"graph", "12"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out,
             "digraph actions {\n"
             "    rankdir=LR;\n"
             "    node [shape=box];\n"
             "    a12 [label=\"compile\\n12\\ncompleted\"];\n"
             "    a13 [label=\"frames \\\"all\\\"\\n13, 9 actions\\n3 pending, 1 running, 5 completed\", "
             "penwidth=3];\n"
             "    a22 [label=\"lint\\n22\\nfailed\", color=red];\n"
             "    a23 [label=\"film\\n23\\npending\", penwidth=3];\n"
             "    a12 -> a13 [style=dotted];\n"
             "    a12 -> a22 [style=dotted];\n"
             "    a13 -> a23 [style=solid, penwidth=3];\n"
             "    a22 -> a23 [style=dotted, label=\"any\"];\n"
             "}\n");
    QCOMPARE(data.run({"--json", "graph", "12"}).out, kGraph + "\n");
}

void TestYardctlGraph::asLinesByLayer() {
    FakeServer server(table({{"GET /compute/graph?lsn=12&limit=50", {.body = kGraph}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"graph", "--text", "--unfold", "-n", "50", "12"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out,
             "ACTION  NAME              COUNT  STATE                                    LEFT  SPARE  WAITS FOR\n"
             "    12  compile                  completed                                   -      -\n"
             "    13    * frames \"all\"      9  3 pending, 1 running, 5 completed  5 min 11 s    0 s\n"
             "    22    lint                   failed                                      -      -\n"
             "    23      * film               pending                                 1 min    0 s  13\n"
             "* critical path, 6 min 11 s left: 13, 23\n");
}

void TestYardctlGraph::whatIsNotKnownIsSaid() {
    FakeServer server(table({{"GET /compute/graph?lsn=1&fold=1", {.body = kUnknown}}}));
    const DataDirectory data(server);
    const std::string out = data.run({"graph", "--text", "1"}).out;
    QVERIFY2(out.contains("1 (failed)"), out.c_str());
    QVERIFY2(out.contains("No critical path: of some it is not known how long they take.\n"), out.c_str());
    QVERIFY2(out.contains("There is more than this"), out.c_str());
}

void TestYardctlGraph::nothingIsASentence() {
    FakeServer server(table({{"GET /compute/graph?queue=7&fold=1", {.body = R"({"nodes":[],"edges":[]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"graph", "--text", "--queue", "7"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "Nothing waits here.\n");
}

void TestYardctlGraph::ofAQueueByItsTag() {
    FakeServer server(table({{"GET /compute/queues", {.body = R"({"queues":[{"queue_id":7,"tag":"nightly"}]})"}},
                             {"GET /compute/graph?queue=7&fold=1", {.body = kUnknown}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"graph", "--queue", "nightly"});
    QCOMPARE(ended.err, "");
    QVERIFY2(ended.out.contains("a1 -> a2 [style=solid, label=\"failed\"];"), ended.out.c_str());
}

void TestYardctlGraph::wrongWordsAreRefusedBeforeTheEngineIsAsked_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("nothing") << QStringList{"graph"};
    QTest::newRow("both") << QStringList{"graph", "12", "--queue", "7"};
    QTest::newRow("a range") << QStringList{"graph", "12..20"};
    QTest::newRow("two forms") << QStringList{"graph", "--dot", "--text", "12"};
    QTest::newRow("no number") << QStringList{"graph", "--limit", "many", "12"};
}

void TestYardctlGraph::wrongWordsAreRefusedBeforeTheEngineIsAsked() {
    QFETCH(QStringList, words);
    FakeServer server(table({}));
    const Ended ended = DataDirectory(server).run(words);
    QCOMPARE(ended.code, 2);
    QVERIFY(!ended.err.empty());
}

QTEST_GUILESS_MAIN(TestYardctlGraph)
#include "tst_yardctl_graph.moc"
