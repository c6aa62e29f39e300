// yardctl profile: what it asks for, and what it makes of a file.
#include "core/base/files.h"
#include "core/profile/profile_file.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/profile/sample.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace yard;
using namespace yard::test;

class TestYardctlProfile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneIsRecorded();
    void aFileIsATable();
    void aFileTakesEachForm_data();
    void aFileTakesEachForm();
    void onlySomeFunctionsMayBeShown();
    void namesCannotSteerTheTerminal();
    void itMayGoIntoAFile();
    void whatIsNoProfileIsSaid();
    void whatPerfPrintsIsShownTheSameWay();
    void wrongWordsAreRefused_data();
    void wrongWordsAreRefused();

private:
    QString written() {
        const QString path = directory_.path() + "/a.yprof";
        (void)writeFileAtomically(path.toStdString(), profile::encode(sampleProfile()), 0600);
        return path;
    }
    QTemporaryDir directory_;
};

void TestYardctlProfile::oneIsRecorded() {
    FakeServer server(
        table({{"POST /compute/inside/profile", {.body = R"({"file":"/data/profiles/http-1.yprof"})"}}}));
    const DataDirectory data(server);
    const Ended ended =
        data.run({"profile", "record", "--seconds", "3", "--loop", "http", "--thread", "x", "--function", "f"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "/data/profiles/http-1.yprof\n");
    QCOMPARE(ended.code, 0);
}

void TestYardctlProfile::aFileIsATable() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const Ended ended = data.run({"profile", "show", written()});
    QCOMPARE(ended.err, "");
    QVERIFY2(ended.out.contains("thread janitor") && ended.out.contains("yard::http::read"), ended.out.c_str());
}

void TestYardctlProfile::aFileTakesEachForm_data() {
    QTest::addColumn<QString>("form");
    QTest::addColumn<QByteArray>("has");
    QTest::newRow("html") << "html" << QByteArray("<!doctype html>");
    QTest::newRow("speedscope") << "speedscope" << QByteArray("speedscope.app");
    QTest::newRow("collapsed") << "collapsed" << QByteArray("janitor 16000\n");
    QTest::newRow("pprof") << "pprof" << QByteArray("nanoseconds");
}

void TestYardctlProfile::aFileTakesEachForm() {
    QFETCH(QString, form);
    QFETCH(QByteArray, has);
    FakeServer server(table({}));
    const DataDirectory data(server);
    const Ended ended = data.run({"profile", "show", written(), "--format", form});
    QCOMPARE(ended.err, "");
    QVERIFY2(ended.out.contains(has.constData()), ended.out.c_str());
}

void TestYardctlProfile::onlySomeFunctionsMayBeShown() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const Ended ended = data.run({"profile", "show", written(), "--format", "collapsed", "--function", "janitor"});
    QCOMPARE(ended.out, "janitor 16000\n");
}

void TestYardctlProfile::namesCannotSteerTheTerminal() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    profile::Profile steering = sampleProfile();
    steering.functions[3].name = "a\xc2\x9b"
                                 "2Jb\xe2\x80\xae"
                                 "c\xff";
    const QString path = directory_.path() + "/steering.yprof";
    QVERIFY(writeFileAtomically(path.toStdString(), profile::encode(steering), 0600));
    const Ended ended = data.run({"profile", "show", path, "--format", "collapsed"});
    QVERIFY2(ended.out.contains("a?2Jb?c\xef\xbf\xbd 16000\n"), ended.out.c_str());
}

void TestYardctlProfile::itMayGoIntoAFile() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const QString out = directory_.path() + "/p.html";
    const Ended ended = data.run({"profile", "show", written(), "--format", "html", "-o", out});
    QCOMPARE(ended.out, "");
    QVERIFY(readFile(out.toStdString()).value_or("").starts_with("<!doctype html>"));
}

void TestYardctlProfile::whatIsNoProfileIsSaid() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const QString path = directory_.path() + "/other";
    (void)writeFileAtomically(path.toStdString(), "something else", 0600);
    const Ended other = data.run({"profile", "show", path});
    QCOMPARE(other.code, 1);
    QVERIFY2(other.err.contains("no profile"), other.err.c_str());
    QCOMPARE(data.run({"profile", "show", path + ".not-there"}).code, 1);
}

void TestYardctlProfile::whatPerfPrintsIsShownTheSameWay() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const QString path = directory_.path() + "/perf.txt";
    (void)writeFileAtomically(path.toStdString(),
                              "sh 7 5.5: 2000000 cpu-clock:u: \n\t 12 busy\x1b[2J+0x1 (/usr/bin/sh)\n", 0600);
    const Ended table = data.run({"profile", "show", path});
    QVERIFY2(table.out.contains("busy") && !table.out.contains('\x1b'), table.out.c_str());
    const Ended page = data.run({"profile", "show", path, "--format", "html"});
    QVERIFY(page.out.contains("<!doctype html>"));
}

void TestYardctlProfile::wrongWordsAreRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("nothing") << QStringList{};
    QTest::newRow("another word") << QStringList{"start"};
    QTest::newRow("no file") << QStringList{"show"};
    QTest::newRow("a form that is none") << QStringList{"show", "x", "--format", "pdf"};
    QTest::newRow("a time of show") << QStringList{"show", "x", "--seconds", "3"};
    QTest::newRow("a form of record") << QStringList{"record", "--format", "html"};
    QTest::newRow("no time") << QStringList{"record", "--seconds", "soon"};
    QTest::newRow("too long") << QStringList{"record", "--seconds", "601"};
}

void TestYardctlProfile::wrongWordsAreRefused() {
    QFETCH(QStringList, words);
    FakeServer server(table({}));
    const DataDirectory data(server);
    QCOMPARE(data.run(QStringList{"profile"} + words).code, 2);
}

QTEST_GUILESS_MAIN(TestYardctlProfile)
#include "tst_yardctl_profile.moc"
