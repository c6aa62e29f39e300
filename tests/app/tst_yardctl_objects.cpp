// yardctl types, objects and orchestrator: what they ask for, print and refuse.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include "tests/support/show_strings.h"

#include <QTest>

#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlObjects : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { qputenv("TZ", "UTC"); }
    void typesAreRows();
    void aTypeIsAddedShownDrawnAndRemoved();
    void objectsAreRows();
    void oneObjectIsShownWithItsMoves();
    void anObjectIsMadeOfWords();
    void manyAreMovedAndWhatIsRefusedIsSaid();
    void anObjectIsWaitedFor();
    void theOrchestratorSaysWhoLooksAtWhat();
    void wrongWordsAreRefused_data();
    void wrongWordsAreRefused();
};

static const std::string kType =
    R"({"name":"page","type":{"name":"page","version":"3","actor":{"worker":"w"},)"
    R"("states":{"queued":{"initial":true},"sealed":{"final":true}},)"
    R"("transitions":[{"from":["queued"],"to":"sealed"}]},"counts":{"queued":3,"sealed":0}})";

static const std::string kObject =
    R"({"id":7,"type":"page","status":"queued","retry_at":1000000,"fields":{"url":"a b","n":1},"retries":2,)"
    R"("created":1000000,"modified":1000000,"revision":4,"last_error":"no luck","children":{"done":2},)"
    R"("history":[{"t":1000000,"from":"queued","to":"queued","actor":"w #1","tick_ms":90}]})";

void TestYardctlObjects::typesAreRows() {
    FakeServer server(table({{"GET /compute/types", {.body = R"({"types":[)" + kType + "]}"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"types"}).out, "TYPE  VERSION  WORKER  OBJECTS\npage  3        w       queued 3\n");
    FakeServer none(table({{"GET /compute/types", {.body = R"({"types":[]})"}}}));
    QCOMPARE(DataDirectory(none).run({"types"}).err, "There are no types of objects.\n");
}

void TestYardctlObjects::aTypeIsAddedShownDrawnAndRemoved() {
    FakeServer server(table({{"POST /compute/types", {.body = kType}},
                             {"GET /compute/types/page", {.body = kType}},
                             {"DELETE /compute/types/page?force=1", {.body = R"({"name":"page"})"}}}));
    const DataDirectory data(server);
    QTemporaryDir dir;
    const QString file = dir.path() + "/page.json";
    QFile written(file);
    QVERIFY(written.open(QIODevice::WriteOnly));
    written.write("{}");
    written.close();
    QCOMPARE(data.run({"types", "add", file}).out, "page is saved\n");
    QVERIFY(data.run({"types", "show", "page"}).out.contains("-> sealed"));
    QCOMPARE(data.run({"types", "graph", "page"}).out,
             "digraph \"page\" {\n    rankdir=LR;\n    \"queued\" [shape=ellipse];\n"
             "    \"sealed\" [shape=doublecircle];\n    \"queued\" -> \"sealed\";\n}\n");
    QCOMPARE(data.run({"types", "rm", "page", "--force"}).out, "page is removed\n");
    QCOMPARE(data.run({"types", "add", dir.path() + "/none"}).code, 1);
}

void TestYardctlObjects::objectsAreRows() {
    FakeServer server(table({{"GET /compute/objects?limit=100&type=page&status=queued&q=n%3A1",
                              {.body = R"({"objects":[)" + kObject + R"(],"cursor":"7"})"}},
                             {"GET /compute/objects?limit=5&parent=3", {.body = R"({"objects":[]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"objects", "ls", "--type", "page", "--status", "queued", "--where", "n:1"});
    QCOMPARE(ended.out, "ID  TYPE  STATUS  NEXT LOOK   TRIES  FIELDS\n"
                        " 7  page  queued  1970-01-01      2  {\"url\":\"a b\",\"n\":1}\n");
    QVERIFY(ended.err.contains("There are more"));
    QCOMPARE(data.run({"objects", "ls", "--parent", "3", "--limit", "5"}).err, "There are no objects.\n");
}

void TestYardctlObjects::oneObjectIsShownWithItsMoves() {
    FakeServer server(table({{"GET /compute/objects/7", {.body = kObject}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"objects", "show", "7"});
    for (const char* part : {"page 7", "queued", "a b", "done 2", "no luck", "w #1", "0.09 s"})
        QVERIFY2(ended.out.contains(part), ended.out.c_str());
    QCOMPARE(data.run({"--json", "objects", "show", "7"}).out, kObject + "\n");
    QCOMPARE(data.run({"objects", "show", "8"}).code, 1);
}

void TestYardctlObjects::anObjectIsMadeOfWords() {
    FakeServer server(table(
        {{"POST /compute/objects", {.body = R"({"id":12})"}}, {"PATCH /compute/objects/7", {.body = kObject}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"objects", "create", "page", "url=a", "n=1", "--key", "k", "--parent", "3"}).out, "12\n");
    QCOMPARE(server.requests().back().body, R"({"type":"page","fields":{"url":"a","n":1},"key":"k","parent":3})");
    QCOMPARE(data.run({"objects", "set", "7", "n=null"}).code, 0);
    QCOMPARE(server.requests().back().body, R"({"fields":{"n":null}})");
}

void TestYardctlObjects::manyAreMovedAndWhatIsRefusedIsSaid() {
    FakeServer server(
        table({{"POST /compute/objects/move", {.body = R"({"count":1,"refused":[{"id":8,"message":"no"}]})"}},
               {"POST /compute/objects/look", {.body = R"({"count":1})"}},
               {"POST /compute/objects/delete", {.body = R"({"count":1})"}}}));
    const DataDirectory data(server);
    const Ended moved = data.run({"objects", "move", "7", "8", "sealed", "--force"});
    QCOMPARE(moved.out, "1 of 2 are sealed now\n");
    QCOMPARE(moved.err, "object 8: no\n");
    QCOMPARE(moved.code, 1);
    QCOMPARE(server.requests().back().body, R"({"ids":[7,8],"to":"sealed","force":true})");
    QCOMPARE(data.run({"objects", "look", "7"}).out, "1 of 1 are due now\n");
    QCOMPARE(data.run({"objects", "delete", "7"}).out, "1 of 1 are deleted\n");
}

void TestYardctlObjects::anObjectIsWaitedFor() {
    FakeServer server(table({{"GET /compute/objects/7?wait=60&until=sealed", {.body = kObject}},
                             {"GET /compute/objects/7?wait=60", {.body = kObject}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"objects", "wait", "7", "sealed"}).code, 0);
    QCOMPARE(data.run({"objects", "wait", "7"}).code, 0);
    QCOMPARE(data.run({"objects", "wait", "9"}).code, 1);
}

void TestYardctlObjects::theOrchestratorSaysWhoLooksAtWhat() {
    FakeServer server(table(
        {{"GET /compute/orchestrator",
          {.body =
               R"({"types":[{"name":"page","due":3,"actors":[{"ready":true,"object":7,"since":1}],"why":"bad"}],)"
               R"("orphans":[{"id":9,"type":"page","status":"queued","reason":"key_missing"}],"orphan_count":1,)"
               R"("objects":4,"stuck":1,"outbox":2})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"orchestrator"}).out, "TYPE  DUE  ACTORS  LOOKS AT  NOTE\n"
                                             "page    3       1  7         bad\n"
                                             "4 objects, 1 stuck, 2 effects to carry out, next look -\n"
                                             "nobody looks at object 9 (page queued): key_missing\n");
}

void TestYardctlObjects::wrongWordsAreRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("verb of objects") << QStringList{"objects", "kill", "7"};
    QTest::newRow("verb of types") << QStringList{"types", "edit", "page"};
    QTest::newRow("no number") << QStringList{"objects", "show", "page"};
    QTest::newRow("no object") << QStringList{"objects", "look"};
    QTest::newRow("no status") << QStringList{"objects", "move", "7"};
    QTest::newRow("no value") << QStringList{"objects", "set", "7", "url"};
    QTest::newRow("no type") << QStringList{"objects", "create"};
    QTest::newRow("limit") << QStringList{"objects", "ls", "--limit", "0"};
    QTest::newRow("option of another verb") << QStringList{"objects", "show", "7", "--force"};
    QTest::newRow("force of another verb") << QStringList{"types", "show", "page", "--force"};
    QTest::newRow("no file") << QStringList{"types", "add"};
}

void TestYardctlObjects::wrongWordsAreRefused() {
    QFETCH(QStringList, words);
    FakeServer server(table({}));
    const DataDirectory data(server);
    QCOMPARE(data.run(words).code, 2);
    QVERIFY(server.requests().empty());
}

QTEST_GUILESS_MAIN(TestYardctlObjects)
#include "tst_yardctl_objects.moc"
