// yardctl show, edit, compare, priority: what they ask for, print and submit.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <sys/stat.h>

using namespace yard;
using namespace yard::test;

namespace {

const std::string kSpec = R"({"worker":"exec","argv":["sh","-c","a, {b}"],"cwd":"/tmp/x","env":)"
                          "{\"K\":\"\\\"1\\\"\"},\"deadline_s\":1.50}";

/// An editor that carries out `line`, with the file as $1.
void useEditor(const DataDirectory& data, const std::string& line) {
    const std::string path = data.file("editor");
    (void)writeFileAtomically(path, "#!/bin/sh\n" + line + "\n", 0755);
    qunsetenv("VISUAL");
    qputenv("EDITOR", QByteArray::fromStdString(path));
    qputenv("TMPDIR", QByteArray::fromStdString(data.path().toStdString()));
}

FakeReply action(const char* more = "") {
    return {.body = std::string(R"({"lsn":5,"queue_id":7,"state":"failed","reason":"exit_code","exit_code":2)") +
                    more + "}"};
}

/// How what failed because of action 5 is asked for.
const std::string kFollowers =
    "GET /compute/jobs?limit=1000&q=state%3Afailed%20reason%3Adependency_failed%20after%3A5..5";
const std::string kWaiting = "GET /compute/jobs?limit=1000&q=state%3Apending%20after%3A5";

} // namespace

class TestYardctlEdit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void showBeginsWithWhatIsAskedFirst() {
        FakeServer server(
            table({{"GET /compute/jobs/5", action(R"(,"name":"n","label":"l","id":"compile","note":"error: x")")},
                   {"GET /compute/jobs/5/spec?element=1", {.body = kSpec}},
                   {"GET /compute/jobs/6",
                    {.body = R"({"lsn":6,"queue_id":0,"place":4,"state":"pending","name":"render 3"})"}},
                   {"GET /compute/jobs/6/why",
                    {.body = R"({"lsn":6,"state":"pending","waits":[{"kind":"hold","message":"it is held"}]})"}},
                   {"GET /compute/jobs/6/spec?element=1",
                    {.body = R"({"worker":"exec","argv":["render","{index}",7],"array":{"from":3,"to":3}})"}}}));
        const DataDirectory data(server);
        const Ended failed = data.run({"show", "5"});
        QCOMPARE(failed.err, "");
        QVERIFY2(failed.out.starts_with("action       5\n"
                                        "command      sh -c 'a, {b}'\n"
                                        "directory    /tmp/x\n"
                                        "state        failed: exit code 2\n"
                                        "note         error: x\n"
                                        "label        l\n"
                                        "id           compile\n"),
                 failed.out.c_str());
        const Ended pending = data.run({"show", "6"});
        QVERIFY2(pending.out.starts_with("action       6\n"
                                         "command      render 3\n"
                                         "state        pending\n"
                                         "waits for\n"
                                         "  hold        it is held\n"),
                 pending.out.c_str());
        QVERIFY2(pending.out.contains("place        4, of what waits in its queue\n"), pending.out.c_str());
        QVERIFY(data.run({"why", "6"}).out.starts_with("6 is pending, number 4 in queue 0, and waits for\n"));
    }

    void listsShowTheName() {
        FakeServer server([](const FakeRequest&) {
            return FakeReply{
                .body = R"({"jobs":[{"lsn":5,"state":"completed","worker_name":"exec","name":"make all"}]})"};
        });
        QVERIFY(DataDirectory(server).run({"ls"}).out.contains("make all"));
    }

    void whatIsChangedInTheEditorIsSubmitted() {
        FakeServer server(table({{"GET /compute/jobs/5", {.body = R"({"lsn":5,"queue_id":7,"state":"running"})"}},
                                 {kWaiting, {.body = R"({"jobs":[]})"}},
                                 {"GET /compute/jobs/5/spec?element=1", {.body = kSpec}},
                                 {"POST /compute/queues/7/jobs", {.body = R"({"lsn":9,"queue_id":7})"}},
                                 {"POST /compute/jobs/5/cancel", {.body = "{}"}}}));
        const DataDirectory data(server);
        useEditor(data, R"(cp "$1" )" + data.file("shown") + R"(; sed -i 's/1\.50/2.50/' "$1")");
        const Ended edited = data.run({"edit", "--replace", "5"});
        QCOMPARE(edited.err, "");
        QCOMPARE(edited.out, "9\n");
        QCOMPARE(*readFile(data.file("shown")), "{\n"
                                                "  \"worker\": \"exec\",\n"
                                                "  \"argv\": [\"sh\",\"-c\",\"a, {b}\"],\n"
                                                "  \"cwd\": \"/tmp/x\",\n"
                                                "  \"env\": {\"K\":\"\\\"1\\\"\"},\n"
                                                "  \"deadline_s\": 1.50\n"
                                                "}\n");
        const auto requests = server.requests();
        QCOMPARE(requests.back().line(), "POST /compute/jobs/5/cancel");
        const FakeRequest& submitted = requests[requests.size() - 2];
        QVERIFY(submitted.body.contains("2.50"));
        QVERIFY(submitted.headers.contains("idempotency-key"));
        QCOMPARE(data.run({"--json", "edit", "5"}).out, "{\"lsn\":9,\"queue_id\":7}\n");
        // Only of what was refused a file is left.
        QVERIFY(QDir(data.path()).entryList({"yardctl-*"}).isEmpty());
    }

    void nothingIsSubmittedWithoutAChangeOrAnEditor() {
        FakeServer server(table({{"GET /compute/jobs/5", action()},
                                 {kFollowers, {.body = R"({"jobs":[]})"}},
                                 {"GET /compute/jobs/5/spec?element=1", {.body = kSpec}},
                                 {"GET /compute/jobs/6", action()}}));
        const DataDirectory data(server);
        useEditor(data, "true");
        QCOMPARE(data.run({"edit", "5"}).err, "yardctl: nothing was changed, so nothing was submitted\n");
        useEditor(data, "exit 3");
        const Ended failed = data.run({"edit", "5"});
        QCOMPARE(failed.code, 1);
        QVERIFY2(failed.err.contains("the editor (") && failed.err.contains("failed"), failed.err.c_str());
        useEditor(data, R"(rm "$1")");
        QVERIFY(data.run({"edit", "5"}).err.contains("cannot be read"));
        QCOMPARE(data.run({"edit", "6"}).code, 1); // its specification is not kept
        QCOMPARE(data.run({"edit", "4"}).code, 1);
        QCOMPARE(data.run({"edit", "5..6"}).code, 2);
        qputenv("TMPDIR", "/no/such/directory");
        QVERIFY(data.run({"edit", "5"}).err.contains("cannot make a file"));
        for (const FakeRequest& request : server.requests()) QCOMPARE(request.method, "GET");
    }

    void whoMayNotChangeItIsToldBeforeTheEditorStarts_data() {
        QTest::addColumn<QByteArray>("token");
        QTest::addColumn<bool>("starts");
        QTest::newRow("read") << QByteArray(R"({"name":"anna","rights":"read"})") << false;
        QTest::newRow("submit for new actions") << QByteArray(R"({"name":"ci","rights":"submit"})") << false;
        QTest::newRow("submit for others")
            << QByteArray(R"({"name":"ci","rights":"submit","queues":[3]})") << false;
        QTest::newRow("submit for its queue")
            << QByteArray(R"({"name":"c","rights":"submit","queues":[3,7]})") << true;
        QTest::newRow("operate") << QByteArray(R"({"name":"op","rights":"operate"})") << true;
        QTest::newRow("a right to come") << QByteArray(R"({"name":"x","rights":"paint"})") << true;
    }

    void whoMayNotChangeItIsToldBeforeTheEditorStarts() {
        QFETCH(QByteArray, token);
        QFETCH(bool, starts);
        FakeServer server(table({{"GET /compute/jobs/5", action()},
                                 {kFollowers, {.body = R"({"jobs":[]})"}},
                                 {"GET /compute/token", {.body = token.toStdString()}},
                                 {"GET /compute/jobs/5/spec?element=1", {.body = kSpec}}}));
        const DataDirectory data(server);
        useEditor(data, "echo >" + data.file("started"));
        const Ended ended = data.run({"edit", "5"});
        QCOMPARE(ended.code, 1);
        QCOMPARE(QFile::exists(QString::fromStdString(data.file("started"))), starts);
        const bool isRefused =
            ended.err.contains("what is in queue 7 is changed with operate, or with submit for that "
                               "queue; 'yardctl whoami' shows it");
        QVERIFY2(isRefused != starts, ended.err.c_str());
    }

    /// It would be a copy without what the token is not told of the old one.
    void besideWhatWasReplacedANewOneNeedsATokenThatSeesAllOfTheOldOne() {
        FakeServer server(table({{"GET /compute/jobs/5", action(R"(,"replaced_by":6)")},
                                 {"GET /compute/token", {.body = R"({"name":"ci","rights":"submit"})"}},
                                 {"GET /compute/jobs/5/spec?element=1", {.body = kSpec}}}));
        const DataDirectory data(server);
        useEditor(data, "echo >" + data.file("started"));
        const Ended ended = data.run({"edit", "--again", "--alone", "5"});
        QCOMPARE(ended.code, 1);
        QVERIFY2(ended.err.contains("the token in use has the right submit: what is in queue 7"),
                 ended.err.c_str());
        QVERIFY(!QFile::exists(QString::fromStdString(data.file("started"))));
    }

    void viIsNotStartedWithoutATerminal() {
        FakeServer server(table({{"GET /compute/jobs/5", action()},
                                 {kFollowers, {.body = R"({"jobs":[]})"}},
                                 {"GET /compute/jobs/5/spec?element=1", {.body = kSpec}}}));
        qunsetenv("VISUAL");
        qunsetenv("EDITOR");
        const Ended ended = DataDirectory(server).run({"edit", "5"});
        QCOMPARE(ended.code, 1);
        QCOMPARE(ended.err, "yardctl: there is no terminal here for the editor vi: set $EDITOR to a program that "
                            "changes the file it is given, as EDITOR='sed -i s/1G/2G/'\n");
    }

    void whatIsRefusedIsNotLost() {
        FakeServer server(
            table({{"GET /compute/jobs/5", action()},
                   {kFollowers, {.body = R"({"jobs":[]})"}},
                   {"GET /compute/jobs/5/spec?element=1", {.body = kSpec}},
                   {"POST /compute/queues/7/jobs", {422, R"({"error":"invalid","message":"No."})"}}}));
        const DataDirectory data(server);
        useEditor(data, R"(echo wrong > "$1")");
        const Ended refused = data.run({"edit", "5"});
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.err.starts_with("yardctl: No. (") && refused.err.contains("has what you wrote"),
                 refused.err.c_str());
        const QStringList kept = QDir(data.path()).entryList({"yardctl-5-*.json"});
        QCOMPARE(kept.size(), 1);
        QCOMPARE(*readFile(data.file(kept.front().toStdString())), "wrong\n");
    }

    void compareTellsOnlyTheDifferences() {
        FakeServer server(table(
            {{"GET /compute/jobs/5/compare?with=6",
              {.body =
                   R"json({"a":{"lsn":5,"attempt":2,"state":"failed"},"b":{"lsn":6,"attempt":1,"state":"completed"},"differences":[
                 {"what":"spec","name":"argv","a":["a"],"b":["b"]},{"what":"spec","name":"label","a":"x"},
                 {"what":"inputs","name":"p.jpg","a":"12","b":"34"},{"what":"environment","name":"K","b":"1"},
                 {"what":"worker","name":"version","a":"1","b":"2"},{"what":"machine","name":"name","a":"here","b":"there"},
                 {"what":"limits","name":"deadline_s","a":60,"b":2},{"what":"outcome","name":"exit_code","a":2,"b":0},
                 {"what":"times","name":"running","a":1.5,"b":2},{"what":"times","name":"fetching","a":1.001,"b":1.002},{"what":"times","name":"max_rss_bytes","a":1000,"b":2000},
                 {"what":"output","name":"stdout","a":"no","b":"yes","line":7}]})json"}},
             {"GET /compute/jobs/6/compare?with=6",
              {.body =
                   R"({"a":{"lsn":6,"attempt":1,"state":"completed"},"b":{"lsn":6,"attempt":1,"state":"completed"},"differences":[]})"}},
             {"GET /compute/jobs/6/compare", {404, R"({"error":"not_found","message":"No other one."})"}}}));
        const DataDirectory data(server);
        const Ended both = data.run({"compare", "5", "6"});
        QCOMPARE(both.err, "");
        QCOMPARE(both.out, "WHAT            5.2      6\n"
                           "argv            [\"a\"]    [\"b\"]\n"
                           "label           x        -\n"
                           "input p.jpg     12       34\n"
                           "variable K      -        1\n"
                           "worker version  1        2\n"
                           "machine         here     there\n"
                           "deadline_s      1 min    2.0 s\n"
                           "exit_code       2        0\n"
                           "running         1.5 s    2.0 s\n"
                           "max_rss_bytes   1.00 kB  2.00 kB\n"
                           "stdout, line 7  no       yes\n");
        QCOMPARE(data.run({"compare", "6", "6"}).out, "6 and 6 do not differ.\n");
        const Ended alone = data.run({"compare", "6"});
        QCOMPARE(alone.code, 1);
        QCOMPARE(alone.err, "yardctl: No other one.\n");
        QCOMPARE(data.run({"compare", "5..7", "6"}).code, 2);
        QVERIFY(data.run({"--json", "compare", "5", "6"}).out.contains("\"lsn\":6"));
    }

    void compareTakesAttempts() {
        FakeServer server(
            table({{"GET /compute/jobs/5/compare?attempt=1&with=5.2",
                    {.body = R"({"a":{"lsn":5,"attempt":1},"b":{"lsn":5,"attempt":2},"differences":[]})"}}}));
        const DataDirectory data(server);
        QCOMPARE(data.run({"compare", "5.1", "5.2"}).out, "5.1 and 5.2 do not differ.\n");
        for (const char* wrong : {"5.", "5.0", "5.x", ".1", "5.1.2"})
            QCOMPARE(data.run({"compare", wrong}).code, 2);
    }

    void prioritiesAreSet() {
        FakeServer server(table({{"PATCH /compute/jobs/5", {.body = "{}"}},
                                 {"PATCH /compute/jobs", {.body = R"({"changed":3,"refused":[]})"}}}));
        const DataDirectory data(server);
        const Ended one = data.run({"priority", "-10", "5"});
        QCOMPARE(one.err, "");
        QCOMPARE(one.out, "5 now at priority -10\n");
        QCOMPARE(server.requests().back().body, R"({"priority":-10})");
        QCOMPARE(
            data.run({"priority", "512", "7"}).err,
            "yardctl: a priority is a number from -100 to 100, and comes first: yardctl priority N LSN…; 512 is "
            "none\n");
        QCOMPARE(data.run({"priority", "7", "--filter", "queue:7"}).out, "3 actions now at priority 7\n");
        QCOMPARE(server.requests().back().body, R"({"filter":"queue:7","set":{"priority":7}})");
        QCOMPARE(data.run({"priority", "101", "5"}).code, 2);
        QCOMPARE(data.run({"priority", "high", "5"}).code, 2);
        QCOMPARE(data.run({"priority", "7"}).code, 2);
        QCOMPARE(data.run({"priority"}).code, 2);
    }

    void eventsSayWhyTheyDoNotCome() {
        FakeServer refusing([](const FakeRequest&) { return FakeReply{401, R"({"error":"unauthorized"})"}; });
        const Ended wrong = DataDirectory(refusing).run({"events"});
        QCOMPARE(wrong.code, 1);
        QVERIFY2(wrong.err.contains("does not take this token"), wrong.err.c_str());
        FakeServer other([](const FakeRequest&) { return FakeReply{404, "{}"}; });
        QVERIFY(DataDirectory(other).run({"events"}).err.contains("tells no events (404)"));
        QVERIFY(CtlProcess({"--url", "http://127.0.0.1:1", "events"}).end().err.contains("cannot connect"));
    }
};

QTEST_GUILESS_MAIN(TestYardctlEdit)
#include "tst_yardctl_edit.moc"
