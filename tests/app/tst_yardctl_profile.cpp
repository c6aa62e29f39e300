// yardctl profile: what it asks for, and what it makes of a file.
#include "core/base/files.h"
#include "core/profile/profile_file.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/profile/sample.h"
#include "tests/support/show_strings.h"

#include <QFile>
#include <QProcess>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

using namespace yard;
using namespace yard::test;

namespace {

/// A perf that comes before the real one, if there is one, and does what a test says.
class FakePerf {
public:
    FakePerf(const QString& directory, const QString& record, const QString& script)
        : before_(qgetenv("PATH")) {
        const std::string path = (directory + "/perf").toStdString();
        const QString text =
            QString("#!/bin/sh\necho \"$@\" >>%1/asked\nif [ \"$1\" = record ]; then\n%2\nfi\n%3\n")
                .arg(directory, record, script);
        (void)writeFileAtomically(path, text.toStdString(), 0700);
        qputenv("PATH", directory.toUtf8() + ":" + before_);
    }
    ~FakePerf() { qputenv("PATH", before_); }
    FakePerf(const FakePerf&) = delete;
    FakePerf& operator=(const FakePerf&) = delete;

private:
    const QByteArray before_;
};

/// What an engine would have started for an action.
class ActionProcess {
public:
    ActionProcess(const QString& lsn, const QString& owner) {
        QProcessEnvironment environment;
        environment.insert("YARD_LSN", lsn);
        environment.insert("YARD_OWNER", owner);
        process_.setProcessEnvironment(environment);
        process_.start("/bin/sleep", {"1000"});
        if (!process_.waitForStarted()) qFatal("sleep does not start");
    }
    ~ActionProcess() {
        process_.kill();
        process_.waitForFinished();
    }
    ActionProcess(const ActionProcess&) = delete;
    ActionProcess& operator=(const ActionProcess&) = delete;
    std::string pid() const { return std::to_string(process_.processId()); }

private:
    QProcess process_;
};

} // namespace

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
    void anActionIsMeasuredByPerf();
    void anActionThatEndsEarlierIsMeasuredUntilThen();
    void whatPerfCannotMeasureIsSaid_data();
    void whatPerfCannotMeasureIsSaid();
    void anActionThatIsNotHereIsSaid();
    void withoutPerfItSaysWhatToInstall();
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
    const Ended rows = data.run({"profile", "show", path});
    QVERIFY2(rows.out.contains("busy") && !rows.out.contains('\x1b'), rows.out.c_str());
    QVERIFY2(rows.out.contains(" SAMPLES ") && !rows.out.contains("CALLS"), rows.out.c_str());
    const Ended page = data.run({"profile", "show", path, "--format", "html"});
    QVERIFY(page.out.contains("<!doctype html>"));
}

void TestYardctlProfile::anActionIsMeasuredByPerf() {
    const FakePerf perf(directory_.path(), "exit 0",
                        R"(printf 'sh 7 5.5: 2000000 cpu-clock:u: \n\t 12 busy+0x1 (/usr/bin/sh)\n')");
    const ActionProcess process("4242", "engine one");
    FakeServer server(table({}));
    const DataDirectory data(server);
    const QString path = directory_.path() + "/action.yprof";
    const Ended ended = data.run({"profile", "record", "--action", "4242", "--seconds", "1", "--out", path});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, path.toStdString() + "\n");
    QCOMPARE(ended.code, 0);
    const Ended rows = data.run({"profile", "show", path});
    QVERIFY2(rows.out.contains("busy"), rows.out.c_str());
    QVERIFY2(rows.out.starts_with("action 4242, ") && rows.out.contains(" SAMPLES "), rows.out.c_str());
    const std::string asked = readFile(directory_.path().toStdString() + "/asked").value_or("");
    QVERIFY2(asked.contains("-p " + process.pid() + " -o") && asked.contains("-- sleep 1"), asked.c_str());
}

void TestYardctlProfile::anActionThatEndsEarlierIsMeasuredUntilThen() {
    const FakePerf perf(directory_.path(), "kill -TERM $$",
                        R"(printf 'sh 7 5.5: 2000000 cpu-clock:u: \n\t 12 busy+0x1 (/usr/bin/sh)\n')");
    const ActionProcess process("4242", "engine one");
    FakeServer server(table({}));
    const DataDirectory data(server);
    const QString path = directory_.path() + "/short.yprof";
    const Ended ended = data.run({"profile", "record", "--action", "4242", "--out", path});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    QVERIFY(QFile::exists(path));
}

void TestYardctlProfile::whatPerfCannotMeasureIsSaid_data() {
    QTest::addColumn<QString>("record");
    QTest::addColumn<QString>("script");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("may not") << "exit 255" << "exit 0" << QByteArray("'perf record' failed");
    QTest::newRow("cannot read it") << "exit 0" << "exit 1" << QByteArray("'perf script' failed");
    QTest::newRow("nothing ran") << "exit 0" << "exit 0" << QByteArray("used no processor");
}

void TestYardctlProfile::whatPerfCannotMeasureIsSaid() {
    QFETCH(QString, record);
    QFETCH(QString, script);
    QFETCH(QByteArray, says);
    const FakePerf perf(directory_.path(), record, script);
    const ActionProcess process("4242", "engine one");
    FakeServer server(table({}));
    const DataDirectory data(server);
    const QString path = directory_.path() + "/not-made.yprof";
    const Ended ended = data.run({"profile", "record", "--action", "4242", "--out", path});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.contains(says.toStdString()), ended.err.c_str());
    QVERIFY(!QFile::exists(path));
}

void TestYardctlProfile::anActionThatIsNotHereIsSaid() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const QStringList words{"profile", "record", "--action", "4242"};
    QVERIFY(data.run(words).err.contains("action 4242 has no process here"));
    const ActionProcess one("4242", "engine one");
    const ActionProcess two("4242", "engine two");
    QVERIFY(data.run(words).err.contains("2 engines run an action 4242 here"));
}

void TestYardctlProfile::withoutPerfItSaysWhatToInstall() {
    const QByteArray before = qgetenv("PATH");
    const auto restore = qScopeGuard([&] { qputenv("PATH", before); });
    const ActionProcess process("4242", "engine one");
    FakeServer server(table({}));
    const DataDirectory data(server);
    qputenv("PATH", directory_.path().toUtf8() + "/nothing-here");
    const Ended ended = data.run({"profile", "record", "--action", "4242"});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.contains("there is no perf here; install it"), ended.err.c_str());
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
    QTest::newRow("an action of show") << QStringList{"show", "x", "--action", "3"};
    QTest::newRow("no action") << QStringList{"record", "--action", "0"};
    QTest::newRow("an action that is no number") << QStringList{"record", "--action", "x"};
    QTest::newRow("a thread of an action") << QStringList{"record", "--action", "3", "--thread", "x"};
    QTest::newRow("a file of the engine's") << QStringList{"record", "--out", "x"};
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
