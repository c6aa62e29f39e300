// The commands of yardctl that show actions: what they ask for, what they print, how they exit.
#include "core/base/files.h"
#include "core/model/worker.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QDir>
#include <QTest>
#include <atomic>

using namespace yard;
using namespace yard::test;

class TestYardctlResults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void waitExitsByTheWorst();
    void showPrintsForPeopleAndSavesOutputs();
    void showSaysThatAStreamWasCut();
    void showSaysWhatAPendingActionWaitsFor();
    void showSaysWhereTheTimeWentAndGoes();
    void showSaysWhichPiecesItWasGiven();
    void showSaysOnWhichMachine();
    void anOutputThatIsNotItsHashIsNotKept();
    void lsUsesParametersOrTheFilterLanguage();
    void aStateAmongWordsIsExplained();
    void lsGoesThroughShortPages();
    void programsForWindowsAreNotReproduced();
};

void TestYardctlResults::waitExitsByTheWorst() {
    std::atomic<int> asked = 0;
    FakeServer server([&](const FakeRequest& request) {
        if (request.target.starts_with("/compute/jobs/5"))
            return asked++ == 0 ? FakeReply{202, R"({"lsn":5,"state":"running"})"}
                                : FakeReply{200, R"({"lsn":5,"state":"completed","label":"a"})"};
        if (request.target.starts_with("/compute/jobs/6"))
            return FakeReply{200, R"({"lsn":6,"state":"failed","reason":"deadline","note":"too slow"})"};
        if (request.line() == rangeOf(5, 6, "").first) return rangeOf(5, 6, "5..6").second;
        if (request.target == "/compute/jobs?limit=1000&lsn=5,6")
            return FakeReply{.body = R"({"jobs":[{"lsn":6},{"lsn":5}]})"};
        if (request.target.starts_with("/compute/jobs/7")) return FakeReply{202, R"({"lsn":7,"state":"running"})"};
        return FakeReply{404, kNotFound};
    });
    const DataDirectory data(server);
    const Ended good = data.run({"wait", "5"});
    QCOMPARE(good.code, 0);
    QCOMPARE(good.out, "5  completed  a\n");
    const Ended bad = data.run({"wait", "5..6"});
    QCOMPARE(bad.code, 1);
    QCOMPARE(bad.out, "5  completed  a\n6  failed: deadline  too slow\n");
    const Ended late = data.run({"wait", "--timeout", "0", "7"});
    QCOMPARE(late.code, 124); // as of timeout(1): not the code of a failure
    QVERIFY(late.err.find("still running") != std::string::npos);
    QCOMPARE(data.run({"wait", "9"}).err, "yardctl: There is no action 9.\n");
}

void TestYardctlResults::showPrintsForPeopleAndSavesOutputs() {
    const std::string hash = hexOf("picture");
    const std::string action =
        R"({"lsn":5,"queue_id":0,"state":"completed","label":"nice\u001b[2J","cpu_seconds":1.5,
        "outputs":{"a/b.png":{"hash":")" +
        hash + R"(","size":7}},"retry_count":1,"result":{"n":0.5},
        "attempts":[{"n":1,"state":"failed","reason":"exit_code","exit_code":3}]})";
    FakeServer server(table({{"GET /compute/jobs/5", {.body = action}},
                             {"GET /compute/chunks/" + hash + "?lsn=5", {.body = "picture"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"show", "5", "-o", QString::fromStdString(data.file("out"))});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    for (const char* part :
         {"completed", "nice?[2J", "1.5 s", "a/b.png", "7 B", "failed: exit code 3", R"({"n":0.5})"})
        QVERIFY2(ended.out.find(part) != std::string::npos, part);
    QCOMPARE(*readFile(data.file("out/5/a/b.png")), "picture");
    QCOMPARE(data.run({"--json", "show", "5"}).out, action + "\n");
}

void TestYardctlResults::showSaysThatAStreamWasCut() {
    FakeServer server(table(
        {{"GET /compute/jobs/5",
          {.body = R"({"lsn":5,"queue_id":0,"state":"failed","stdout":{"hash":"","size":65600,"truncated":true},
                            "stderr":{"hash":"","size":70000}, "attempts":[
                            {"n":1,"state":"failed","stdout":{"hash":"","size":65600,"truncated":true}}]})"}}}));
    const DataDirectory data(server);
    const std::string shown = data.run({"show", "5"}).out;
    QVERIFY2(
        shown.contains("stdout       65.6 kB, cut: it was longer than the setting stream_bytes, and its middle is "
                       "left out\n"),
        shown.c_str());
    QVERIFY2(shown.contains("stderr       70.0 kB\n"), shown.c_str());
    const std::string attempts = data.run({"attempts", "5"}).out;
    QVERIFY2(attempts.contains("65.6 kB (cut)"), attempts.c_str());
}

void TestYardctlResults::showSaysWhatAPendingActionWaitsFor() {
    FakeServer server(table(
        {{"GET /compute/jobs/5",
          {.body = R"({"lsn":5,"queue_id":0,"state":"pending","note":"its queue is held"})"}},
         {"GET /compute/jobs/5/why",
          {.body =
               R"({"lsn":5,"state":"pending","waits":[{"kind":"hold","of":"queue","message":"its queue is held"},)"
               R"({"kind":"dependency","lsn":4,"state":"running","message":"action 4 to end"},7,)"
               R"({"kind":"backoff","until":1,"message":"backs off"}]})"}},
         {"GET /compute/jobs/6", {.body = R"({"lsn":6,"queue_id":0,"state":"pending","note":"it waits"})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"show", "5"});
    QCOMPARE(ended.code, 0);
    for (const char* part : {"waits for\n", "  hold        its queue is held\n",
                             "  dependency  action 4 to end (running now)\n", "  backoff     backs off, until "})
        QVERIFY2(ended.out.find(part) != std::string::npos, ended.out.c_str());
    QCOMPARE(ended.out.find("its queue is held"), ended.out.rfind("its queue is held"));
    const Ended older = data.run({"show", "6"});
    QCOMPARE(older.code, 0);
    QVERIFY(older.out.find("waits for") == std::string::npos);
    QVERIFY2(older.out.find("it waits\n") != std::string::npos, older.out.c_str());
}

void TestYardctlResults::showSaysWhereTheTimeWentAndGoes() {
    FakeServer server(table(
        {{"GET /compute/jobs/5",
          {.body = R"({"lsn":5,"queue_id":0,"state":"completed","timestamps":{"new":1000000,"pending":1000000,
                      "submitting":3000000,"running":3500000,"exited":7500000,"completed":7750000}})"}},
         {"GET /compute/jobs/6",
          {.body = R"({"lsn":6,"queue_id":0,"state":"running","hung_since":5,"estimate":{"start":5,"finish":6},
                      "tokens":2,"progress":{"fraction":0.459,"message":"linking"},
                      "timestamps":{"pending":1000000,"submitting":3000000,"running":3500000}})"}},
         {"GET /compute/jobs/7",
          {.body = R"({"lsn":7,"queue_id":0,"state":"pending","estimate":{"start":5,"finish":6}})"}}}));
    const DataDirectory data(server);
    const std::string ended = data.run({"show", "5"}).out;
    for (const char* part : {"waiting 2.0 s", "preparing 0.50 s", "running 4.0 s", "collecting 0.25 s"})
        QVERIFY2(ended.find(part) != std::string::npos, ended.c_str());
    const std::string running = data.run({"show", "6"}).out;
    for (const char* part : {"waiting 2.0 s, preparing 0.50 s\n", "  ends 19", "hangs since", "45 %, linking\n",
                             "2 of its jobserver\n"})
        QVERIFY2(running.find(part) != std::string::npos, running.c_str());
    const std::string pending = data.run({"show", "7"}).out;
    QVERIFY2(pending.find("starts 19") != std::string::npos && pending.find(", ends 19") != std::string::npos,
             pending.c_str());
}

void TestYardctlResults::showSaysWhichPiecesItWasGiven() {
    FakeServer server(
        table({{"GET /compute/jobs/5", {.body = R"({"lsn":5,"queue_id":0,"state":"running","timestamps":{},
                                        "resources_given":{"gpus":["1"],"port":["5003","5004"]}})"}},
               {"GET /compute/jobs/6", {.body = R"({"lsn":6,"queue_id":0,"state":"running"})"}}}));
    const DataDirectory data(server);
    const std::string some = data.run({"show", "5"}).out;
    QVERIFY2(some.find("gpus 1 port 5003,5004\n") != std::string::npos, some.c_str());
    QVERIFY(data.run({"show", "6"}).out.find("given") == std::string::npos);
}

void TestYardctlResults::showSaysOnWhichMachine() {
    FakeServer server(
        table({{"GET /compute/jobs/5", {.body = R"({"lsn":5,"queue_id":0,"state":"completed","machine":"desk",
                                        "timestamps":{},"attempts":[{"n":1,"state":"abandoned","machine":"attic",
                                        "timestamps":{}},{"n":2,"state":"completed","timestamps":{}}]})"}}}));
    const DataDirectory data(server);
    const std::string shown = data.run({"show", "5"}).out;
    QVERIFY2(shown.contains(" desk\n"), shown.c_str());
    QVERIFY2(shown.contains("  on attic\n"), shown.c_str());
}

void TestYardctlResults::anOutputThatIsNotItsHashIsNotKept() {
    const std::string hash = hexOf("picture");
    const auto action = [&](const char* name) {
        return std::string(R"({"lsn":5,"state":"completed","outputs":{")") + name + R"(":{"hash":")" + hash +
               "\"}}}";
    };
    FakeServer server(table({{"GET /compute/jobs/5", {.body = action("b.png")}},
                             {"GET /compute/jobs/6", {.body = action("../../evil")}},
                             {"GET /compute/chunks/" + hash + "?lsn=5", {.body = "Picture"}}}));
    const DataDirectory data(server);
    const Ended wrong = data.run({"show", "5", "-o", QString::fromStdString(data.file("out"))});
    QCOMPARE(wrong.code, 1);
    QVERIFY(QDir(QString::fromStdString(data.file("out/5")))
                .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)
                .isEmpty());
    QCOMPARE(data.run({"show", "6", "-o", QString::fromStdString(data.file("out"))}).code, 1);
    QVERIFY(!readFile(data.file("evil")));
}

void TestYardctlResults::lsUsesParametersOrTheFilterLanguage() {
    const std::string page = R"({"jobs":[{"lsn":5,"state":"pending","held":true,"queue_id":7,"label":"a"}]})";
    FakeServer server([&](const FakeRequest&) { return FakeReply{.body = page}; });
    const DataDirectory data(server);
    const Ended plain = data.run({"ls", "state:failed,cancelled", "queue:7"});
    QVERIFY(plain.out.find("pending: held") != std::string::npos);
    data.run({"ls", "cpu>50 state:failed", "--sort", "-lsn", "--limit", "5"});
    data.run({"ls", "worker:thumb*"});
    data.run({"ls", "queue:nightly", "-state:completed"});
    data.run({"ls", "36", "finished>-1h", "38..40"});
    QCOMPARE(server.lines(),
             (std::vector<std::string>{"GET /compute/jobs?limit=100&state=failed%2Ccancelled&queue=7",
                                       "GET /compute/jobs?limit=5&q=cpu%3E50%20state%3Afailed&sort=-lsn",
                                       "GET /compute/jobs?limit=100&q=worker%3Athumb%2A",
                                       "GET /compute/jobs?limit=100&q=queue%3Anightly%20-state%3Acompleted",
                                       "GET /compute/jobs?limit=100&q=finished%3E-1h%20lsn%3A36%2C38..40"}));
}

void TestYardctlResults::aStateAmongWordsIsExplained() {
    FakeServer server(table({{"GET /compute/jobs?limit=100&q=failed", {.body = R"({"jobs":[]})"}},
                             {"GET /compute/jobs?limit=100&q=make", {.body = R"({"jobs":[]})"}},
                             {"GET /compute/jobs?limit=100&state=failed", {.body = R"({"jobs":[]})"}}}));
    const DataDirectory data(server);
    const Ended word = data.run({"ls", "failed"});
    QCOMPARE(word.err,
             "No action matches.\n'failed' is looked for in names, labels, functions and notes; 'yardctl ls "
             "state:failed' lists those in that state.\n");
    QCOMPARE(word.code, 0);
    QCOMPARE(
        data.run({"ls", "make"}).err,
        "No action matches.\n'make' is looked for in names, labels, functions and notes; for anything else write "
        "KEY:VALUE ('yardctl ls --help' has the keys).\n");
    QCOMPARE(data.run({"ls", "state:failed"}).err, "No action matches.\n");
    QCOMPARE(data.run({"--json", "ls", "failed"}).err, "");
}

void TestYardctlResults::lsGoesThroughShortPages() {
    FakeServer server(table({
        {"GET /compute/jobs?limit=3", {.body = R"({"jobs":[{"lsn":1},{"lsn":2}],"cursor":"c1"})"}},
        {"GET /compute/jobs?limit=1&cursor=c1", {.body = R"({"jobs":[],"cursor":"c2"})"}},
        {"GET /compute/jobs?limit=1&cursor=c2", {.body = R"({"jobs":[{"lsn":3}],"cursor":"c3"})"}},
    }));
    const Ended ended = DataDirectory(server).run({"ls", "--json", "-n", "3"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "{\"lsn\":1}\n{\"lsn\":2}\n{\"lsn\":3}\n");
}

void TestYardctlResults::programsForWindowsAreNotReproduced() {
    const std::string file = hexOf("program");
    const std::string descriptor =
        R"({"name":"w","version":"1","platform":"windows-x86_64","executable":"w.exe","files":[{"path":"w.exe","hash":")" +
        file + R"(","size":7,"mode":"0755"}],"functions":[{"name":"f","version":"1"}]})";
    const auto worker = parseWorker(descriptor);
    QVERIFY2(worker, worker ? "" : worker.error().message.c_str());
    const std::string id = worker->id.hex();
    const FakeReply attempts{.body = R"({"attempts":[{"n":1}]})"};
    FakeServer server(
        table({{"GET /compute/jobs/5/attempts", attempts},
               {"GET /compute/jobs/5/attempts/1", {.body = R"({"n":1,"worker":")" + id + R"("})"}},
               {"GET /compute/jobs/5/spec?element=1", {.body = R"({"worker":"w","function":"f"})"}},
               {"GET /compute/workers/" + id, {.body = R"({"id":")" + id + R"(",)" + descriptor.substr(1)}},
               {"GET /compute/jobs/6/attempts", attempts},
               {"GET /compute/jobs/6/attempts/1", {.body = R"({"n":1,"worker":"exec"})"}},
               {"GET /compute/jobs/6/spec?element=1",
                {.body = R"({"worker":"exec","argv":["w.exe"],"platform":"windows-x86_64"})"}}}));
    const DataDirectory data(server);
    for (const char* lsn : {"5", "6"}) {
        const Ended ended = data.run({"reproduce", lsn, QString::fromStdString(data.file("again"))});
        QCOMPARE(ended.code, 1);
        QVERIFY2(ended.err.contains("is a program for Windows (windows-x86_64)"), ended.err.c_str());
        QVERIFY(!QDir(QString::fromStdString(data.file("again"))).exists());
    }
}

QTEST_GUILESS_MAIN(TestYardctlResults)
#include "tst_yardctl_results.moc"
