// yardctl record: what it asks for, how recordings read, and what becomes of files.
#include "core/base/files.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include "tests/support/show_strings.h"

#include <QDir>
#include <QTest>

#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlRecord : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { qputenv("TZ", "UTC"); }
    void recordingsAreRows();
    void noneIsSaidToBeNone();
    void aStartSaysWhatIsMeant();
    void thePastHasItsFilterWithin();
    void anEndIsToldWithItsSentence();
    void aPulledFileIsWrittenOnceItIsWhole();
    void aPushedFileIsNamedAsItIs();
    void anExportIsAsItComes();
    void othersAreAskedForByName();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked_data();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked();
};

static std::string recordingJson(std::string_view name, std::string_view more = {}) {
    return fmt::format(
        R"({{"name":"{}","state":"complete","note":"","filter":"label:a","attachments":"all","engine_id":"e",)"
        R"("started":3000000,"actions":12,"waiting":0,"missed":0,"workers":1,"chunks":3,"chunk_bytes":9,)"
        R"("chunks_gone":0,"bytes":45056{}}})",
        name, more);
}

void TestYardctlRecord::recordingsAreRows() {
    const std::string body = fmt::format(
        R"({{"recordings":[{},{{"name":"b","state":"cut","why":"It is full.","actions":0,"started":3000000}}]}})",
        recordingJson("tonight"));
    FakeServer server(table({{"GET /compute/recordings", {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"record"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "NAME     STATE     ACTIONS     SIZE  STARTED     FILTER   NOTE\n"
                        "tonight  complete       12  45.1 kB  1970-01-01  label:a\n"
                        "b        cut             0      0 B  1970-01-01  -        It is full.\n");
    QCOMPARE(data.run({"record", "ls"}).out, ended.out);
    QCOMPARE(data.run({"--json", "record", "ls"}).out, body + "\n");
}

void TestYardctlRecord::noneIsSaidToBeNone() {
    FakeServer server(table({{"GET /compute/recordings", {.body = R"({"recordings":[]})"}}}));
    QCOMPARE(DataDirectory(server).run({"record"}).out, "There is no recording.\n");
}

void TestYardctlRecord::aStartSaysWhatIsMeant() {
    FakeServer server(table({{"POST /compute/recordings", {.body = recordingJson("tonight")}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"record", "start", "tonight"}).out, "tonight: complete, 12 actions, 45.1 kB\n");
    QCOMPARE(server.requests().back().body, R"({"name":"tonight"})");
    data.run({"record", "start", "tonight", "--filter", "queue:7", "--attachments", "inputs", "--max-bytes", "2M",
              "--note", "x y"});
    QCOMPARE(server.requests().back().body,
             R"({"name":"tonight","filter":"queue:7","attachments":"inputs","note":"x y","max_bytes":2097152})");
}

void TestYardctlRecord::thePastHasItsFilterWithin() {
    FakeServer server(table({{"POST /compute/recordings", {.body = recordingJson("week")}}}));
    const DataDirectory data(server);
    data.run({"record", "start", "week", "--past", "--filter", "finished>-7d"});
    QCOMPARE(server.requests().back().body, R"({"name":"week","from":{"filter":"finished>-7d"}})");
    data.run({"record", "start", "week", "--past"});
    QCOMPARE(server.requests().back().body, R"({"name":"week","from":{}})");
}

void TestYardctlRecord::anEndIsToldWithItsSentence() {
    FakeServer server(
        table({{"POST /compute/recordings/a/stop", {.body = recordingJson("a", R"(,"why":"It is full.")")}}}));
    QCOMPARE(DataDirectory(server).run({"record", "stop", "a"}).out,
             "a: complete, 12 actions, 45.1 kB\nIt is full.\n");
}

void TestYardctlRecord::aPulledFileIsWrittenOnceItIsWhole() {
    FakeServer server(table({{"GET /compute/recordings/a/file", {.body = "the bytes"}}}));
    const DataDirectory data(server);
    const QString file = data.path() + "/here.yrec";
    QCOMPARE(data.run({"record", "pull", "a", file}).err, "");
    QCOMPARE(*readFile(file.toStdString()), std::string("the bytes"));
    const Ended unknown = data.run({"record", "pull", "b", data.path() + "/b.yrec"});
    QCOMPARE(unknown.code, 1);
    QVERIFY(!QFile::exists(data.path() + "/b.yrec"));
    QVERIFY(QDir(data.path()).entryList({"*.part"}, QDir::Files | QDir::Hidden).empty());
}

void TestYardctlRecord::aPushedFileIsNamedAsItIs() {
    FakeServer server(table({{"PUT /compute/recordings/here/file", {.body = recordingJson("here")}},
                             {"PUT /compute/recordings/other/file", {.body = recordingJson("other")}},
                             {"GET /compute/recordings/here", {.body = recordingJson("here")}},
                             {"GET /compute/recordings/other", {.body = recordingJson("other")}}}));
    const DataDirectory data(server);
    const QString file = data.path() + "/here.yrec";
    QVERIFY(writeFileAtomically(file.toStdString(), "the bytes", 0600));
    QCOMPARE(data.run({"record", "push", file}).out, "here: complete, 12 actions, 45.1 kB\n");
    QCOMPARE(data.run({"record", "push", file, "other"}).out, "other: complete, 12 actions, 45.1 kB\n");
    bool came = false;
    for (const FakeRequest& request : server.requests()) came = came || request.body == "the bytes";
    QVERIFY(came);
    QCOMPARE(data.run({"record", "push", data.path() + "/none.yrec"}).code, 1);
}

void TestYardctlRecord::anExportIsAsItComes() {
    const std::string lines = "{\"n\":1}\n{\"n\":2}\n";
    FakeServer server(table({{"GET /compute/recordings/a/actions", {.body = lines}}}));
    QCOMPARE(DataDirectory(server).run({"record", "export", "a"}).out, lines);
}

void TestYardctlRecord::othersAreAskedForByName() {
    FakeServer server(table({{"GET /compute/recordings/a", {.body = recordingJson("a", R"(,"missed":2)")}},
                             {"PATCH /compute/recordings/a", {.body = recordingJson("b")}},
                             {"DELETE /compute/recordings/a", {.body = "{}"}},
                             {"DELETE /compute/recordings/b", {.body = "{}"}}}));
    const DataDirectory data(server);
    QVERIFY(data.run({"record", "show", "a"}).out.starts_with("a: complete"));
    QCOMPARE(data.run({"record", "rename", "a", "b"}).out, "b: complete, 12 actions, 45.1 kB\n");
    QCOMPARE(server.requests().back().body, R"({"name":"b"})");
    QCOMPARE(data.run({"record", "rm", "a", "b"}).code, 0);
    QCOMPARE(data.run({"record", "rm", "c"}).code, 1);
}

void TestYardctlRecord::wrongWordsAreRefusedBeforeTheEngineIsAsked_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("another verb") << QStringList{"play"};
    QTest::newRow("no name") << QStringList{"start"};
    QTest::newRow("two names") << QStringList{"stop", "a", "b"};
    QTest::newRow("one name") << QStringList{"rename", "a"};
    QTest::newRow("a filter of an end") << QStringList{"stop", "a", "--filter", "exit:0"};
    QTest::newRow("a size that is none") << QStringList{"start", "a", "--max-bytes", "many"};
}

void TestYardctlRecord::wrongWordsAreRefusedBeforeTheEngineIsAsked() {
    QFETCH(QStringList, words);
    FakeServer server(table({}));
    const Ended ended = DataDirectory(server).run(QStringList{"record"} + words);
    QCOMPARE(ended.code, 2);
    QVERIFY(server.requests().empty());
}

QTEST_GUILESS_MAIN(TestYardctlRecord)
#include "tst_yardctl_record.moc"
