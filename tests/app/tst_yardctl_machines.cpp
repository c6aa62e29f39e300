// yardctl machines: what it asks for, and what it says.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>

using namespace yard;
using namespace yard::test;

namespace {

const std::string kMachines =
    R"({"machines":[{"id":0,"name":"here","kind":"local","state":"ready","cores":8,"memory_bytes":1073741824,)"
    R"("running":1,"waiting":0,"slots":8},{"id":2,"name":"desk","kind":"joined","state":"silent","reason":"no answer",)"
    R"("cores":2.5,"running":3,"waiting":4,"slots":2,"since":1,"lost_at":1}]})";

} // namespace

class TestYardctlMachines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allAreListed();
    void oneIsShownByItsName();
    void eachVerbAsksForItsRoute_data();
    void eachVerbAsksForItsRoute();
    void oneIsRemoved();
    void whatIsWrongIsSaid_data();
    void whatIsWrongIsSaid();
};

void TestYardctlMachines::allAreListed() {
    FakeServer server(table({{"GET /compute/machines", {.body = kMachines}}}));
    const DataDirectory data(server);
    const Ended listed = data.run({"machines"});
    QCOMPARE(listed.code, 0);
    for (const char* word : {"here", "desk", "2.5", "silent, lost in 0", "no answer"})
        QVERIFY2(listed.out.contains(word), listed.out.c_str());
    QCOMPARE(data.run({"machines", "ls"}).out, listed.out);
    QCOMPARE(data.run({"--json", "machines"}).out, kMachines + "\n");
}

void TestYardctlMachines::oneIsShownByItsName() {
    FakeServer server(table({{"GET /compute/machines", {.body = kMachines}},
                             {"GET /compute/machines/2", {.body = R"({"id":2,"name":"desk","state":"ready"})"}}}));
    const DataDirectory data(server);
    QVERIFY(data.run({"machines", "show", "desk"}).out.contains("ready"));
    QCOMPARE(data.run({"machines", "show", "2"}).out, data.run({"machines", "show", "desk"}).out);
    const Ended unknown = data.run({"machines", "show", "table"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.err.contains("there is no machine 'table'"), unknown.err.c_str());
}

void TestYardctlMachines::eachVerbAsksForItsRoute_data() {
    QTest::addColumn<QString>("verb");
    QTest::addColumn<QByteArray>("route");
    QTest::newRow("drain") << "drain" << QByteArray("POST /compute/machines/2/drain");
    QTest::newRow("resume") << "resume" << QByteArray("POST /compute/machines/2/resume");
    QTest::newRow("pause") << "pause" << QByteArray("PATCH /compute/machines/2");
}

void TestYardctlMachines::eachVerbAsksForItsRoute() {
    QFETCH(const QString, verb);
    QFETCH(const QByteArray, route);
    FakeServer server(table({{route.toStdString(), {.body = R"({"id":2,"name":"desk","state":"draining"})"}}}));
    const Ended ended = DataDirectory(server).run({"machines", verb, "2"});
    QCOMPARE(ended.code, 0);
    QVERIFY2(ended.out.contains("draining"), ended.out.c_str());
}

void TestYardctlMachines::oneIsRemoved() {
    FakeServer server(table({{"DELETE /compute/machines/2", {.body = R"({"id":2})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"machines", "remove", "2"}).out, "2 is removed\n");
    QCOMPARE(data.run({"machines", "remove", "2", "--force"}).out, "2 is removed\n");
    QCOMPARE(data.run({"machines", "remove", "3"}).code, 1);
}

void TestYardctlMachines::whatIsWrongIsSaid_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("sentence");
    QTest::newRow("another verb") << QStringList{"add"} << QByteArray("'add' is none of ls, show");
    QTest::newRow("no number") << QStringList{"drain"} << QByteArray("name one by its number or name");
    QTest::newRow("ls of one") << QStringList{"ls", "2"} << QByteArray("'ls' lists all");
    QTest::newRow("force of another") << QStringList{"drain", "2", "--force"}
                                      << QByteArray("--force goes with 'remove'");
}

void TestYardctlMachines::whatIsWrongIsSaid() {
    QFETCH(QStringList, words);
    QFETCH(QByteArray, sentence);
    FakeServer server(table({}));
    const Ended refused = DataDirectory(server).run(QStringList{"machines"} + words);
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.starts_with("yardctl: " + sentence.toStdString()), refused.err.c_str());
}

QTEST_GUILESS_MAIN(TestYardctlMachines)
#include "tst_yardctl_machines.moc"
