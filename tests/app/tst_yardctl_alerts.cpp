// yardctl alerts: what it asks for, and what it says.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <string>

using namespace yard;
using namespace yard::test;

namespace {

const std::string kAlert =
    R"({"name":"disk","on":{"kind":"disk","over":95},"then":[{"desktop":true},{"command":["notify","-x"]}],)"
    R"("quiet_s":600,"repeat_s":0,"severity":"critical","state":"firing","firing":1,"waiting":2,"waiting_error":"It fails.",)"
    R"("last":{"t":1,"to":"command","done":false,"text":"Action 7 ran the command, and is failed."},)"
    R"("messages":[{"rule":"disk","severity":"critical","state":"firing","t":1800000000000000,"count":1,"text":"Full."}]})";

} // namespace

class TestYardctlAlerts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allAreListed();
    void oneIsShown();
    void aFileIsSavedChangedAndTried();
    void oneIsSilencedAndRemoved();
    void whatIsWrongIsSaid_data();
    void whatIsWrongIsSaid();

private:
    QString file(const std::string& text) {
        const QString path = dir_.filePath("rule.json");
        std::ofstream(path.toStdString()) << text;
        return path;
    }
    QTemporaryDir dir_;
};

void TestYardctlAlerts::allAreListed() {
    const std::string answer = R"({"alerts":[)" + kAlert + R"(],"fired":[]})";
    FakeServer server(table({{"GET /compute/alerts", {.body = answer}}}));
    const DataDirectory data(server);
    const Ended listed = data.run({"alerts"});
    QCOMPARE(listed.code, 0);
    for (const char* word : {"disk", "firing", "desktop, notify"})
        QVERIFY2(listed.out.contains(word), listed.out.c_str());
    QCOMPARE(data.run({"alerts", "ls"}).out, listed.out);
    QCOMPARE(data.run({"--json", "alerts"}).out, answer + "\n");
    FakeServer empty(table({{"GET /compute/alerts", {.body = R"({"alerts":[],"fired":[]})"}}}));
    QCOMPARE(DataDirectory(empty).run({"alerts"}).err, "There are no alerts.\n");
}

void TestYardctlAlerts::oneIsShown() {
    FakeServer server(table({{"GET /compute/alerts/disk", {.body = kAlert}}}));
    const Ended shown = DataDirectory(server).run({"alerts", "show", "disk"});
    QCOMPARE(shown.code, 0);
    for (const char* word : {"disk over 95", "firing", "Full.", "Action 7 ran the command", "It fails."})
        QVERIFY2(shown.out.contains(word), shown.out.c_str());
}

void TestYardctlAlerts::aFileIsSavedChangedAndTried() {
    const std::string tried =
        R"({"fired":[{"t":1800000000000000,"text":"Full.","resolved":false,"count":1}],"count":1,)"
        R"("looked":5,"whole":true})";
    FakeServer server(table({{"POST /compute/alerts", {.body = kAlert}},
                             {"PATCH /compute/alerts/disk", {.body = kAlert}},
                             {"POST /compute/alerts/test", {.body = tried}}}));
    const DataDirectory data(server);
    const QString path = file(R"({"on":{"kind":"disk"}})");
    QCOMPARE(data.run({"alerts", "add", path}).out, "disk is saved\n");
    QCOMPARE(server.find("POST /compute/alerts").body, R"({"on":{"kind":"disk"}})");
    QCOMPARE(data.run({"alerts", "set", "disk", path}).out, "disk is changed\n");
    const Ended test = data.run({"alerts", "test", path});
    QVERIFY2(test.out.starts_with("it would have told something 1 time in the last week\n"), test.out.c_str());
    QVERIFY(test.out.contains("Full."));
    QCOMPARE(server.find("POST /compute/alerts/test").body, R"({"rule":{"on":{"kind":"disk"}}})");
}

void TestYardctlAlerts::oneIsSilencedAndRemoved() {
    FakeServer server(table(
        {{"POST /compute/alerts/disk/silence", {.body = R"({"name":"disk","silenced_until":1800000000000000})"}},
         {"DELETE /compute/alerts/disk", {.body = R"({"name":"disk"})"}}}));
    const DataDirectory data(server);
    QVERIFY(data.run({"alerts", "silence", "disk", "2h"}).out.starts_with("disk is silent until "));
    QCOMPARE(server.find("POST /compute/alerts/disk/silence").body, R"({"s":7200})");
    QCOMPARE(data.run({"alerts", "rm", "disk"}).out, "disk is removed\n");
}

void TestYardctlAlerts::whatIsWrongIsSaid_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("no such verb") << QStringList{"alerts", "shout"};
    QTest::newRow("no name") << QStringList{"alerts", "show"};
    QTest::newRow("too much") << QStringList{"alerts", "ls", "x"};
    QTest::newRow("no such file") << QStringList{"alerts", "add", "/nowhere/at/all"};
    QTest::newRow("no time") << QStringList{"alerts", "silence", "disk", "soon"};
}

void TestYardctlAlerts::whatIsWrongIsSaid() {
    QFETCH(QStringList, words);
    FakeServer server(table({}));
    const Ended ended = DataDirectory(server).run(words);
    QCOMPARE(ended.code, 2);
    QVERIFY(!ended.err.empty());
}

QTEST_GUILESS_MAIN(TestYardctlAlerts)
#include "tst_yardctl_alerts.moc"
