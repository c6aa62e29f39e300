// yardctl guests: what it asks for, and what it says.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>

using namespace yard;
using namespace yard::test;

class TestYardctlGuests : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void yardsAreListedWithWhatRunsForThem();
    void whoWorksForNobodyIsToldSo();
    void oneIsSentAway();
    void whatIsWrongIsSaid_data();
    void whatIsWrongIsSaid();
};

void TestYardctlGuests::yardsAreListedWithWhatRunsForThem() {
    const std::string answer =
        R"({"serves":true,"gives":{},"guests":[{"id":1,"name":"desk","url":"https://desk:8640/compute","state":"linked",)"
        R"("since":1,"held":2,"actions":[{"lsn":1,"state":"running"},{"lsn":2,"state":"waiting"}]},)"
        R"({"id":2,"name":"","url":"https://other:1","state":"waiting","reason":"no answer","since":1,"actions":[]}]})";
    FakeServer server(table({{"GET /compute/guests", {.body = answer}}}));
    const DataDirectory data(server);
    const Ended listed = data.run({"guests"});
    QCOMPARE(listed.code, 0);
    QVERIFY2(listed.out.contains("1 running, 1 waiting"), listed.out.c_str());
    QVERIFY2(listed.out.contains("desk"), listed.out.c_str());
    QVERIFY2(listed.out.contains("no answer"), listed.out.c_str());
    QCOMPARE(data.run({"--json", "guests"}).out, answer + "\n");
}

void TestYardctlGuests::whoWorksForNobodyIsToldSo() {
    FakeServer server(table({{"GET /compute/guests", {.body = R"({"serves":true,"gives":{},"guests":[]})"}}}));
    const Ended listed = DataDirectory(server).run({"guests"});
    QCOMPARE(listed.code, 0);
    QCOMPARE(listed.out, "");
    QCOMPARE(listed.err, "This machine works for no other engine.\n");
}

void TestYardctlGuests::oneIsSentAway() {
    FakeServer server(table({{"DELETE /compute/guests/1", {.body = R"({"id":1})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"guests", "remove", "1"}).out, "1 is sent away\n");
    QCOMPARE(data.run({"--json", "guests", "remove", "1"}).out, "{\"id\":1}\n");
    QCOMPARE(data.run({"guests", "remove", "2"}).code, 1);
}

void TestYardctlGuests::whatIsWrongIsSaid_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("sentence");
    QTest::newRow("another verb") << QStringList{"add"}
                                  << QByteArray("'add' is not remove, all that there is: yardctl guests");
    QTest::newRow("a name") << QStringList{"remove", "x"} << QByteArray("'x' is not a number");
    QTest::newRow("no number") << QStringList{"remove"} << QByteArray("name one by its number");
}

void TestYardctlGuests::whatIsWrongIsSaid() {
    QFETCH(QStringList, words);
    QFETCH(QByteArray, sentence);
    FakeServer server(table({}));
    const Ended refused = DataDirectory(server).run(QStringList{"guests"} + words);
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.starts_with("yardctl: " + sentence.toStdString()), refused.err.c_str());
}

QTEST_GUILESS_MAIN(TestYardctlGuests)
#include "tst_yardctl_guests.moc"
