// yardctl where something is lost: a connection while stdin is sent, an output that nobody takes, an engine that ends.
#include "core/base/hash.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <atomic>
#include <csignal>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlLost : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stdinIsSentAgainOverABrokenConnection();
    void stdinIsCalledStdin();
    void whatCannotBeWrittenIsAFailure_data();
    void whatCannotBeWrittenIsAFailure();
    void whatWasAcceptedIsNamedWhereItCannotBeWritten_data();
    void whatWasAcceptedIsNamedWhereItCannotBeWritten();
    void anEngineThatDoesNotTakeTheActionIsSaidAndLeft();
    void anInterruptionIsToldWithItsWayOut();
    void aCancelThatTheEngineDidNotHearIsNotPromised();
    void aDeviceIsReadAsStdinToo();
};

namespace {

/// An engine that lacks the chunk of stdin; `onPut` answers each try to send it.
FakeServer::Handler lacking(const std::string& hash, std::function<FakeReply()> onPut) {
    return [=, has = std::make_shared<std::atomic<bool>>(false)](const FakeRequest& request) -> FakeReply {
        if (request.line() == "PUT /compute/chunks/" + hash) {
            FakeReply reply = onPut();
            *has = !reply.close && reply.status == 200;
            return reply;
        }
        if (request.line() == "POST /compute/jobs" && !*has)
            return {409, fmt::format(R"({{"error":"need","message":"Chunks are missing.","need":["{}"]}})", hash)};
        if (request.line() == "POST /compute/jobs") return {.body = R"({"lsn":7,"queue_id":0})"};
        if (request.target.find("/std") != std::string::npos) return {.body = ""};
        return {.body = R"({"lsn":7,"state":"completed","exit_code":0})"};
    };
}

} // namespace

void TestYardctlLost::stdinIsSentAgainOverABrokenConnection() {
    const std::string input(20'000, 'x');
    const std::string hash = hexOf(input);
    std::atomic<int> tries = 0;
    FakeServer server(lacking(hash, [&] { return FakeReply{.close = ++tries < 3}; }));
    const Ended ended = DataDirectory(server).run({"run", "cat"}, input);
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    std::string last;
    for (const FakeRequest& request : server.requests())
        if (request.method == "PUT") last = request.body;
    QVERIFY(last == input);
}

void TestYardctlLost::stdinIsCalledStdin() {
    const std::string input(20'000, 'x');
    FakeServer server(
        lacking(hexOf(input), [] { return FakeReply{500, R"({"error":"io","message":"The disk is full."})"}; }));
    const Ended ended = DataDirectory(server).run({"run", "cat"}, input);
    QCOMPARE(ended.code, 125);
    QCOMPARE(ended.err, "yardctl: cannot send stdin: The disk is full.\n");
}

void TestYardctlLost::whatCannotBeWrittenIsAFailure_data() {
    QTest::addColumn<QString>("words");
    for (const char* words : {"ls", "show 7", "show 8", "logs 7", "run true", "run -d true", "wait 7", "why 7",
                              "--help", "--json show 8", "--json run true", "events"})
        QTest::newRow(words) << words;
}

/// As `ls >&-` and `ls > /dev/full` of other programs: a sentence, and no 0.
void TestYardctlLost::whatCannotBeWrittenIsAFailure() {
    QFETCH(QString, words);
    const std::string end = R"({"lsn":7,"state":"completed","exit_code":0})";
    // More than is kept back before it is written.
    const std::string large =
        fmt::format(R"({{"lsn":8,"state":"completed","label":"{}","exit_code":0}})", std::string(20'000, 'x'));
    FakeServer server(table({{"POST /compute/jobs", {.body = R"({"lsn":7,"queue_id":0})"}},
                             {"GET /compute/jobs?limit=100", {.body = fmt::format(R"({{"jobs":[{}]}})", end)}},
                             {"GET /compute/jobs/7", {.body = end}},
                             {"GET /compute/jobs/8", {.body = large}},
                             {"GET /compute/jobs/7?wait=60", {.body = end}},
                             {"GET /compute/jobs/7?wait=0.25", {.body = end}},
                             {"GET /compute/jobs/7/why", {.body = R"({"lsn":7,"state":"completed","waits":[]})"}},
                             {"GET /compute/jobs/7/stdout", {.body = "out\n"}},
                             {"GET /compute/jobs/7/stderr", {.body = ""}},
                             {"GET /compute/jobs/7/stdout?attempt=1&follow=1", {.body = "out\n"}},
                             {"GET /compute/jobs/7/stderr?attempt=1&follow=1", {.body = ""}}}));
    const DataDirectory data(server);
    for (const char* where : {">&-", ">/dev/full"}) {
        const QString line = QString("\"$0\" --data-dir \"$1\" %1 %2 </dev/null").arg(words, where);
        const Ended ended = CtlProcess({"-c", line, YARDCTL_PATH, data.path()}, {}, "sh").end();
        QVERIFY2(ended.code > 0, (ended.err + where).c_str());
        if (words != "events") // which this engine has none of
            QVERIFY2(ended.err.find("cannot write to standard output: ") != std::string::npos, ended.err.c_str());
        QCOMPARE(ended.out, "");
    }
}

void TestYardctlLost::whatWasAcceptedIsNamedWhereItCannotBeWritten_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<std::string>("named");
    QTest::newRow("run") << "run -d true" << std::string("action 7");
    QTest::newRow("array") << "run -d --array 0-3 true" << std::string("actions 7..10");
    QTest::newRow("one") << "submit \"$1/one\"" << std::string("action 7");
    QTest::newRow("list") << "submit \"$1/list\"" << std::string("actions 20..21, 25");
    QTest::newRow("json") << "--json submit \"$1/list\"" << std::string("actions 20..21, 25");
}

void TestYardctlLost::whatWasAcceptedIsNamedWhereItCannotBeWritten() {
    QFETCH(QString, words);
    QFETCH(std::string, named);
    FakeServer server([](const FakeRequest& request) -> FakeReply {
        if (request.body.starts_with('[')) return {.body = R"({"lsns":[20,21,25]})"};
        const bool isArray = request.body.contains("\"array\"");
        return {.body = isArray ? R"({"lsn":7,"count":4})" : R"({"lsn":7,"queue_id":0})"};
    });
    const DataDirectory data(server);
    const std::string action = R"({"worker":"exec","argv":["true"]})";
    QVERIFY(yard::writeFileAtomically(data.file("one"), action, 0600));
    QVERIFY(yard::writeFileAtomically(data.file("list"), "[" + action + "," + action + "," + action + "]", 0600));
    // Closed, full, and left by its reader.
    for (const char* where : {">&-", ">/dev/full", "| exec true"}) {
        const QString line = QString("\"$0\" --data-dir \"$1\" %1 %2 </dev/null").arg(words, where);
        const Ended ended = CtlProcess({"-c", line, YARDCTL_PATH, data.path()}, {}, "sh").end();
        if (*where == '>') QCOMPARE(ended.code, 1);
        if (*where == '>' || !ended.err.empty()) // `true` may have been there to the end
            QVERIFY2(ended.err.contains("the engine has accepted " + named + " all the same"),
                     (ended.err + where).c_str());
    }
}

void TestYardctlLost::anInterruptionIsToldWithItsWayOut() {
    FakeServer server(table({{"POST /compute/jobs", {.body = R"({"lsn":7,"queue_id":0})"}},
                             {"GET /compute/jobs/7?wait=60",
                              {.body = R"({"lsn":7,"state":"abandoned","reason":"engine_stopped","signal":15})"}},
                             {"GET /compute/jobs/7?wait=0.25",
                              {.body = R"({"lsn":7,"state":"abandoned","reason":"engine_stopped","signal":15})"}},
                             {"GET /compute/jobs/7/stdout?attempt=1&follow=1", {.body = "half"}},
                             {"GET /compute/jobs/7/stderr?attempt=1&follow=1", {.body = ""}}}));
    const Ended ended = DataDirectory(server).run({"run", "make"});
    QCOMPARE(ended.code, 125); // and not the 143 of its TERM
    QCOMPARE(ended.out, "half");
    QCOMPARE(ended.err, "yardctl: action 7 was interrupted (abandoned: engine stopped) and is not begun again by "
                        "itself; 'yardctl retry 7' runs it again\n");
    QCOMPARE(DataDirectory(server).run({"--json", "run", "make"}).code, 125);
}

void TestYardctlLost::anEngineThatDoesNotTakeTheActionIsSaidAndLeft() {
    Gate asked;
    Gate over;
    FakeServer server([&](const FakeRequest&) -> FakeReply {
        asked.open();
        over.wait();
        return {.close = true};
    });
    const DataDirectory data(server);
    CtlProcess ctl(data.arguments({"run", "true"}));
    asked.wait();
    QVERIFY(ctl.waitForError("yardctl: the engine has not taken the action yet\n"));
    ctl.signal(SIGTERM);
    const Ended ended = ctl.end(); // while the engine still says nothing
    over.open();
    QCOMPARE(ended.code, 128 + SIGTERM);
    QVERIFY2(ended.err.ends_with("whether it took the action is not known, 'yardctl ls' shows it\n"),
             ended.err.c_str());
}

void TestYardctlLost::aCancelThatTheEngineDidNotHearIsNotPromised() {
    Gate asked;
    Gate over;
    FakeServer server([&](const FakeRequest& request) -> FakeReply {
        if (request.line() == "POST /compute/jobs") return {.body = R"({"lsn":7,"queue_id":0})"};
        if (request.line() != "POST /compute/jobs/7/cancel") return untilGone();
        asked.open();
        over.wait();
        return {};
    });
    const DataDirectory data(server);
    CtlProcess ctl(data.arguments({"run", "true"}));
    QVERIFY(ctl.waitForOutput(1));
    ctl.signal(SIGINT);
    asked.wait();
    ctl.signal(SIGINT);
    const Ended ended = ctl.end();
    over.open();
    QCOMPARE(ended.code, 130);
    QVERIFY2(
        ended.err.ends_with("yardctl: action 7 is not cancelled: the engine did not answer; 'yardctl cancel 7' "
                            "cancels it once the engine runs\n"),
        ended.err.c_str());
}

void TestYardctlLost::aDeviceIsReadAsStdinToo() {
    FakeServer server([](const FakeRequest&) { return FakeReply{}; });
    const DataDirectory data(server);
    CtlProcess ctl({"-c", "exec " YARDCTL_PATH " --data-dir '" + data.path() + "' run wc -c </dev/zero"}, {},
                   "/bin/sh");
    const Ended ended = ctl.end();
    QCOMPARE(ended.code, 125);
    QVERIFY2(ended.err.contains("stdin has more than 64 MiB"), ended.err.c_str());
    QVERIFY(server.requests().empty());
}

QTEST_GUILESS_MAIN(TestYardctlLost)
#include "tst_yardctl_lost.moc"
