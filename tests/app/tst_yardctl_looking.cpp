// The commands of yardctl that look at actions and at the engine over time: what they ask for and print.
#include "core/base/clock.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlLooking : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { qputenv("TZ", "UTC"); }
    void whySaysEachReason();
    void whatHasNotEndedIsBeingCancelled();
    void theSessionSaysHowManyRunAtOnce();
    void theSessionSaysWhyNothingStarts();
    void whatIsShownHasTheNotesOfItsAttempts();
    void attemptsHaveALineEach();
    void samplesAreALineOfHeights();
    void statsAreOfTheTimeAskedFor();
    void statsUntilNowSayNow();
    void usageIsATableOfHours();
    void littleUsageIsNotRoundedToNothing();
    void usageOfEachKindIsAskedForAndHeaded_data();
    void usageOfEachKindIsAskedForAndHeaded();
    void usageSaysWhatIsMissing_data();
    void usageSaysWhatIsMissing();
    void usageAsATableComesAsTheEngineHasIt();
    void wrongWordsOfUsageAreRefusedBeforeTheEngineIsAsked();
    void timelineHasALaneForEachSlot();
    void wrongTimesAreRefusedBeforeTheEngineIsAsked();
    void whatDoesNotExistIsSaid();
    void errorsAreJsonWhereJsonIsAskedFor();
    void anythingElseThanAnEngineIsNamedSo();
    void aWrongTokenIsExplained();
};

void TestYardctlLooking::whySaysEachReason() {
    const std::string why =
        R"({"lsn":5,"state":"pending","waits":[{"kind":"lock","name":"app","message":"lock app, held by action 3"},)"
        R"({"kind":"dependency","lsn":4,"state":"running","message":"action 4 to end"}]})";
    const std::string ending =
        R"({"lsn":7,"state":"running","waits":[{"kind":"ending","since":1000000,"until":3000000,)"
        R"("message":"told to end, SIGKILL follows"}]})";
    const std::string start = R"({"lsn":8,"state":"pending","waits":[{"kind":"start","since":1000000,"path":"/m",)"
                              R"("message":"it is being started in the directory '/m'"}]})";
    const std::string full =
        R"({"lsn":9,"state":"pending","waits":[{"kind":"capacity","resource":"cores","need":4,"free":1,)"
        R"("message":"1 of 8 cores free, it is next","holders":[)"
        R"({"lsn":3,"name":"render","amount":4},{"lsn":4,"amount":2.5},{"name":"worker sort","amount":1}]},)"
        R"({"kind":"capacity","resource":"memory_mb","need":1500,"message":"500 of 16000 MiB of memory free",)"
        R"("holders":[{"lsn":3,"amount":14000}]},)"
        R"({"kind":"capacity","resource":"gpu","need":1,"message":"0 of 2 gpu free","holders":[{"lsn":3,"amount":2}]},)"
        R"({"kind":"capacity","resource":"slots","need":1,"message":"0 of 2 slots free, first of its queue"},)"
        R"({"kind":"capacity","resource":"cores","need":1,"message":"its worker has no process, 1 of 2 cores free"},)"
        R"({"kind":"capacity","message":"0 of 2 x free","holders":[{"lsn":3,"amount":2}]}]})";
    FakeServer server(table({rangeOf(5, 6, "5..6"),
                             {"GET /compute/jobs/5/why", {.body = why}},
                             {"GET /compute/jobs/7/why", {.body = ending}},
                             {"GET /compute/jobs/8/why", {.body = start}},
                             {"GET /compute/jobs/9/why", {.body = full}},
                             {"GET /compute/jobs/6/why", {.body = R"({"lsn":6,"state":"running","waits":[]})"}}}));
    const DataDirectory data(server);
    const Ended both = data.run({"why", "5..6"});
    QCOMPARE(both.err, "");
    QCOMPARE(both.out, "5 is pending and waits for\n"
                       "  lock        lock app, held by action 3\n"
                       "  dependency  action 4 to end (running now)\n"
                       "6 is running: it waits for nothing\n");
    QCOMPARE(data.run({"--json", "why", "5"}).out, why + "\n");
    QCOMPARE(data.run({"why", "7", "8"}).out,
             "7 is running:\n"
             "  ending      told to end at 1970-01-01, SIGKILL follows at 1970-01-01\n"
             "8 is pending and waits for\n"
             "  start       it is being started in the directory '/m', since 1970-01-01\n");
    QCOMPARE(data.run({"why", "9"}).out, "9 is pending and waits for\n"
                                         "  capacity    needs 4 cores, 1 of 8 free, it is next\n"
                                         "              4 cores held by action 3, render\n"
                                         "              2.5 cores held by action 4\n"
                                         "              1 core held by worker sort\n"
                                         "  capacity    needs 1500 MiB of memory, 500 of 16000 free\n"
                                         "              14000 MiB of memory held by action 3\n"
                                         "  capacity    needs 1 gpu, 0 of 2 free\n"
                                         "              2 gpu held by action 3\n"
                                         "  capacity    0 of 2 slots free, first of its queue\n"
                                         "  capacity    its worker has no process, 1 of 2 cores free\n"
                                         "  capacity    0 of 2 x free\n"
                                         "              2 held by action 3\n");
}

void TestYardctlLooking::whatHasNotEndedIsBeingCancelled() {
    FakeServer server(table(
        {{"POST /compute/jobs/5/cancel", {.body = R"({"lsn":5,"ending":true})"}},
         {"POST /compute/jobs/6/cancel", {404, R"({"message":"No action 6: GET jobs lists those there are."})"}},
         {"POST /compute/jobs/cancel", {.body = R"({"changed":630,"ending":618,"refused":[]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"cancel", "5"}).out, "5 is being cancelled\n");
    QCOMPARE(data.run({"cancel", "6"}).err, "yardctl: No action 6: 'yardctl ls' lists those there are.\n");
    QCOMPARE(data.run({"cancel", "--filter", "queue:7"}).out, "12 actions cancelled, 618 are being cancelled\n");
    FakeServer all(table({{"POST /compute/jobs/cancel", {.body = R"({"changed":1,"ending":1,"refused":[]})"}}}));
    QCOMPARE(DataDirectory(all).run({"cancel", "--filter", "queue:7"}).out, "1 action is being cancelled\n");
}

void TestYardctlLooking::theSessionSaysHowManyRunAtOnce() {
    FakeServer narrow(table({{"GET /compute/session",
                              {.body = R"({"state":"ready","capacity":40,"slots":{"one_core":13,"other":8,)"
                                       R"("warm":6,"why":"a process may open only 256 files here"}})"}}}));
    QVERIFY(DataDirectory(narrow)
                .run({"session"})
                .out.find("at once      13 actions of one core, 8 others, 6 warm processes: a process may open "
                          "only 256 files "
                          "here\n") != std::string::npos);
}

void TestYardctlLooking::theSessionSaysWhyNothingStarts() {
    FakeServer full(table(
        {{"GET /compute/session", {.body = R"({"state":"ready","healthy":false,"why":"free some disk space"})"}},
         {"POST /compute/release", {.body = R"({"held":false})"}},
         {"GET /compute/queues", {.body = R"({"queues":[]})"}},
         {"GET /compute/jobs/running?limit=1000", {.body = R"({"jobs":[]})"}}}));
    const DataDirectory data(full);
    QCOMPARE(data.run({"session"}).out, "state        ready\n"
                                        "healthy      no\n"
                                        "             nothing starts: free some disk space\n");
    QVERIFY(data.run({"top"}).out.find("\nnothing starts: free some disk space\n") != std::string::npos);
    QCOMPARE(data.run({"release", "--all"}).err, "yardctl: nothing starts: free some disk space\n");
}

void TestYardctlLooking::whatIsShownHasTheNotesOfItsAttempts() {
    FakeServer server(
        table({{"GET /compute/jobs/5",
                {.body = R"({"lsn":5,"state":"failed","reason":"spawn_error","note":"the disk is full",)"
                         R"("attempts":[{"n":1,"state":"failed","reason":"spawn_error","machine":"desk",)"
                         R"("note":"no space there"},{"n":2,"state":"failed","reason":"spawn_error",)"
                         R"("note":"the disk is full"}]})"}}}));
    const std::string shown = DataDirectory(server).run({"show", "5"}).out;
    QVERIFY2(shown.contains("attempts\n   1  failed: spawn error  on desk\n      no space there\n"
                            "   2  failed: spawn error\n"),
             shown.c_str());
    QVERIFY2(shown.find("the disk is full") == shown.rfind("the disk is full"), shown.c_str());
}

void TestYardctlLooking::attemptsHaveALineEach() {
    FakeServer server(table(
        {{"GET /compute/jobs/5",
          {.body = R"({"lsn":5,"state":"completed","label":"a","attempts":[)"
                   R"({"n":1,"state":"failed","reason":"exit_code","exit_code":3,"cpu_seconds":0.5,)"
                   R"("max_rss_bytes":4200000,"stdout":{"size":12},"stderr":{"size":0},)"
                   R"("timestamps":{"submitting":1000000,"running":1000000,"exited":3000000,"failed":3000000}},7,)"
                   R"({"n":2,"state":"completed"}]})"}},
         {"GET /compute/jobs/7",
          {.body = R"({"lsn":7,"state":"completed","label":"c","attempts":[)"
                   R"({"n":1,"state":"abandoned","reason":"engine_died",)"
                   R"("timestamps":{"submitting":1000000,"running":1000000,"abandoned":9000000}}]})"}},
         {"GET /compute/jobs/8",
          {.body =
               R"({"lsn":8,"state":"running","label":"d","retry_count":1,)"
               R"("timestamps":{"submitting":5000000,"running":5000000},"attempts":[)"
               R"({"n":1,"state":"failed","reason":"exit_code","exit_code":3,)"
               R"("timestamps":{"submitting":1000000,"running":1000000,"exited":3000000,"failed":3000000}}]})"}},
         {"GET /compute/jobs/6", {.body = R"({"lsn":6,"state":"pending","label":"b","attempts":[]})"}},
         {"GET /compute/jobs/9", {.body = R"({"lsn":9,"state":"cancelled","label":"e"})"}}}));
    const DataDirectory data(server);
    const Ended both = data.run({"attempts", "5", "6"});
    QCOMPARE(both.err, "");
    QCOMPARE(both.out, "5  a\n"
                       "N  STATE                STARTED      TIME     CPU   MEMORY  STDOUT  STDERR\n"
                       "1  failed: exit code 3  1970-01-01  2.0 s  0.50 s  4.20 MB    12 B     0 B\n"
                       "2  completed            -               -       -        -       -       -\n"
                       "6  b\n"
                       "It has not been started yet.\n");
    // When it ended nobody saw.
    QCOMPARE(data.run({"attempts", "7"}).out,
             "N  STATE                   STARTED     TIME  CPU  MEMORY  STDOUT  STDERR\n"
             "1  abandoned: engine died  1970-01-01     -    -       -       -       -\n");
    QCOMPARE(data.run({"attempts", "6"}).out, "It has not been started yet.\n");
    QCOMPARE(data.run({"attempts", "9"}).out, "It ended before it ran; 'yardctl why 9' says why.\n");
    // The one that is under way has no end, but a start.
    const std::string running = data.run({"attempts", "8"}).out;
    QVERIFY2(running.find("\n1  failed: exit code 3  1970-01-01  ") != std::string::npos, running.c_str());
    QVERIFY2(running.find("\n2  running              1970-01-01  ") != std::string::npos, running.c_str());
}

void TestYardctlLooking::samplesAreALineOfHeights() {
    FakeServer server(table({{"GET /compute/jobs/5/samples",
                              {.body = R"({"samples":[{"t":1000000,"rss_bytes":1000000},)"
                                       R"({"t":2000000,"cpu_percent":50,"rss_bytes":2000000},)"
                                       R"({"t":3000000,"cpu_percent":100,"rss_bytes":1000000}]})"}},
                             {"GET /compute/jobs/6/samples", {.body = R"({"samples":[]})"}},
                             {"GET /compute/jobs/7/samples",
                              {.body = R"({"samples":[{"t":1000000,"cpu_percent":50,"rss_bytes":1000000}]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"samples", "5", "6", "7"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "5: 3 samples, 1970-01-01 to 1970-01-01\n"
                        "  cpu           ▅█  last 100 %, most 100 %\n"
                        "  memory       ▅█▅  last 1.00 MB, most 2.00 MB\n"
                        "6: no samples; it has not run for long enough\n"
                        "7: 1 sample, 1970-01-01 to 1970-01-01\n"
                        "  cpu          50 %\n"
                        "  memory       1.00 MB\n");
}

void TestYardctlLooking::statsAreOfTheTimeAskedFor() {
    FakeServer server([](const FakeRequest& request) {
        if (request.target == "/compute/stats")
            return FakeReply{.body = R"({"resolution":2,"t":[1000000],"series":{"running":[null]}})"};
        return FakeReply{.body = R"({"resolution":2,"t":[1000000,3000000],"series":{"cpu_actions":[0.5,1],)"
                                 R"("memory_bytes":[1000,null],"running":[1,2],"failed":[0,0]}})"};
    });
    const DataDirectory data(server);
    const Ended some = data.run({"stats", "--from", "2026-11-20", "--to", "2026-11-20 09:45"});
    QCOMPARE(some.err, "");
    QCOMPARE(server.lines().back(), "GET /compute/stats?from=1795132800000000&to=1795167900000000");
    QCOMPARE(some.out, "1970-01-01 to 1970-01-01, a figure every 2.0 s; peaks in between are not seen\n"
                       "cpu, actions   ▅█  last 1.00 cores, most 1.00 cores\n"
                       "memory         █   last 1.00 kB, most 1.00 kB\n"
                       "running        ▅█  last 2, most 2\n"
                       "failed         ▁▁  last 0, most 0\n");
    QCOMPARE(data.run({"stats"}).out, "There are no figures of that time.\n");
}

void TestYardctlLooking::statsUntilNowSayNow() {
    const std::int64_t now = wallNow();
    FakeServer server([now](const FakeRequest&) {
        return FakeReply{.body = fmt::format(R"({{"resolution":1,"t":[{},{}],"series":{{"running":[1,2]}}}})",
                                             now - 1'000'000, now)};
    });
    const DataDirectory data(server);
    const Ended ended = data.run({"stats"});
    QVERIFY2(ended.out.ends_with("a figure every 1.0 s\nrunning        ▅█  now 2, most 2\n"), ended.out.c_str());
}

namespace {

std::string usageOf(const std::string& rows, const std::string& more = R"("retired":0)") {
    return fmt::format(R"({{"from":1000000,"to":3000000,{},"rows":[{}]}})", more, rows);
}

} // namespace

void TestYardctlLooking::usageIsATableOfHours() {
    const std::string usage =
        usageOf(R"({"key":"7","actions":4,"core_seconds":36000,"wasted_core_seconds":3600,"memory_gb_hours":1.5,)"
                R"("wait_seconds":260},{"key":"3","actions":0,"core_seconds":0,"wasted_core_seconds":0,)"
                R"("memory_gb_hours":0,"wait_seconds":0})");
    FakeServer server(table({{"GET /compute/accounting?by=queue", {.body = usage}},
                             {"GET /compute/queues", {.body = R"({"queues":[{"queue_id":7,"tag":"nightly"}]})"}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"usage"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "1970-01-01 to 1970-01-01: 10.00 core hours, 1.00 of them wasted (10 %)\n"
                        "QUEUE  TAG      ACTIONS  CORE HOURS  WASTED  OF IT  GB HOURS  MEAN WAIT\n"
                        "    7  nightly        4       10.00    1.00   10 %      1.50  1 min 5 s\n"
                        "    3                 0        0.00    0.00      -      0.00          -\n");
    QCOMPARE(data.run({"--json", "usage"}).out, usage + "\n");
}

void TestYardctlLooking::littleUsageIsNotRoundedToNothing() {
    const std::string usage = usageOf(
        R"({"key":"exec","actions":1,"core_seconds":1800,"wasted_core_seconds":4.5,"memory_gb_hours":0.0123,)"
        R"("wait_seconds":1})");
    FakeServer server(table({{"GET /compute/accounting?by=worker", {.body = usage}}}));
    const Ended ended = DataDirectory(server).run({"usage", "--by", "worker"});
    QCOMPARE(ended.err, "");
    QVERIFY2(ended.out.contains(": 0.500 core hours, 0.00125 of them wasted (<1 %)\n"), ended.out.c_str());
    QVERIFY2(ended.out.contains("  0.500  0.00125   <1 %    0.0123  "), ended.out.c_str());
}

void TestYardctlLooking::usageOfEachKindIsAskedForAndHeaded_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("head");
    QTest::addColumn<QString>("cell");
    QTest::newRow("worker") << "worker" << "exec" << "WORKER  ACTIONS" << "exec    ";
    QTest::newRow("label") << "label" << "" << "LABEL       ACTIONS" << "(no label)  ";
    QTest::newRow("a label of somebody") << "label" << R"(a\u001b[2J)" << "LABEL  ACTIONS" << "a?[2J  ";
    QTest::newRow("machine") << "machine" << "desk" << "MACHINE  ACTIONS" << "desk     ";
    QTest::newRow("day") << "day" << "2026-11-26" << "DAY, UTC    ACTIONS" << "2026-11-26  ";
    QTest::newRow("hour") << "hour" << "2026-11-26T14" << "HOUR, UTC      ACTIONS" << "2026-11-26T14  ";
    QTest::newRow("waste") << "waste" << "signal" << "WASTE   ACTIONS  CORE HOURS  GB HOURS\n"
                           << "signal        2        0.00      0.00\n";
}

void TestYardctlLooking::usageOfEachKindIsAskedForAndHeaded() {
    QFETCH(QString, kind);
    QFETCH(QString, key);
    QFETCH(QString, head);
    QFETCH(QString, cell);
    const std::string path = fmt::format("GET /compute/accounting?from=1795132800000000&by={}", kind.toStdString());
    const std::string body = usageOf(fmt::format(R"({{"key":"{}","actions":2}})", key.toStdString()));
    FakeServer server(table({{path, {.body = body}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"usage", "--by", kind, "--from", "2026-11-20"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out.contains(" core hours wasted\n"), kind == "waste");
    QVERIFY2(ended.out.contains("\n" + head.toStdString()), ended.out.c_str());
    QVERIFY2(ended.out.contains("\n" + cell.toStdString()), ended.out.c_str());
    QCOMPARE(server.lines().size(), std::size_t(1));
}

void TestYardctlLooking::usageSaysWhatIsMissing_data() {
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("nothing") << QByteArray(R"("retired":0,"oldest":2000000)") << QByteArray();
    QTest::newRow("older than what is asked for") << QByteArray(R"("retired":5,"oldest":900000)") << QByteArray();
    QTest::newRow("several")
        << QByteArray(R"("retired":5,"oldest":2000000)")
        << QByteArray("5 actions are not kept any more, and what they used is not in these figures; the oldest one "
                      "that is kept ended 1970-01-01.\n");
    QTest::newRow("all there was")
        << QByteArray(R"("retired":1)")
        << QByteArray("1 action is not kept any more, and what it used is not in these figures.\n");
}

void TestYardctlLooking::usageSaysWhatIsMissing() {
    QFETCH(QByteArray, members);
    QFETCH(QByteArray, words);
    FakeServer server([&](const FakeRequest&) { return FakeReply{.body = usageOf("", members.toStdString())}; });
    const DataDirectory data(server);
    QCOMPARE(data.run({"usage"}).out, "Nothing was used in that time.\n" + words.toStdString());
}

void TestYardctlLooking::usageAsATableComesAsTheEngineHasIt() {
    const std::string csv = "key,actions\r\n\"'=1\",2\r\n";
    FakeServer server([&](const FakeRequest&) { return FakeReply{.body = csv}; });
    const DataDirectory data(server);
    const Ended ended = data.run({"usage", "--csv", "--by", "label"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, csv);
    QCOMPARE(server.find("GET /compute/accounting?by=label").headers.at("accept"), "text/csv");
}

void TestYardctlLooking::wrongWordsOfUsageAreRefusedBeforeTheEngineIsAsked() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const Ended kind = data.run({"usage", "--by", "colour"});
    QCOMPARE(kind.code, 2);
    QVERIFY2(
        kind.err.contains("'colour' is no kind of row; there are queue, worker, label, machine, day, hour, waste"),
        kind.err.c_str());
    QCOMPARE(data.run({"--json", "usage", "--csv"}).code, 2);
    QCOMPARE(server.lines().size(), std::size_t(0));
}

void TestYardctlLooking::timelineHasALaneForEachSlot() {
    const std::string lanes =
        R"({"from":0,"to":76000000,"now":76000000,"resolution":1,"workers":[{"worker":"exec","worker_name":"exec",)"
        R"("lanes":[{"slot":0,"bars":[{"lsn":1,"n":1,"state":"completed","submitting":0,"end":10000000},)"
        R"({"lsn":2,"n":1,"state":"running","submitting":70000000}],"columns":{"t":[20000000],"state":["failed"]}},)"
        R"({"slot":11,"bars":[{"lsn":3,"n":1,"state":"failed","retried":true,"submitting":0,"end":1000000}]}]}]})";
    FakeServer server([&](const FakeRequest& request) {
        if (request.target.ends_with("workers/all")) return FakeReply{.body = R"({"workers":[{"name":"none"}]})"};
        const bool isEmpty = request.target.ends_with("worker=none") || request.target.ends_with("worker=nosuch");
        return FakeReply{.body = isEmpty ? R"({"from":0,"to":1,"workers":[]})" : lanes};
    });
    const DataDirectory data(server);
    const Ended ended = data.run({"timeline", "--worker", "a b"});
    QCOMPARE(ended.err, "");
    QCOMPARE(server.lines().back(), "GET /compute/timelines?worker=a%20b");
    const std::string lane0 = std::string(10, '=') + std::string(10, ' ') + "F" + std::string(49, ' ') + "......";
    QVERIFY2(ended.out.find("exec 0  |" + lane0 + "|\n") != std::string::npos, ended.out.c_str());
    QVERIFY2(ended.out.find("exec 11 |r" + std::string(75, ' ') + "|\n") != std::string::npos, ended.out.c_str());
    QCOMPARE(data.run({"timeline", "--worker", "none"}).out, "Nothing ran in that time.\n");
    const Ended unknown = data.run({"timeline", "--worker", "nosuch"});
    QCOMPARE(unknown.code, 1);
    QCOMPARE(unknown.out, "");
    QCOMPARE(unknown.err, "yardctl: there is no worker 'nosuch'; 'yardctl workers' lists them\n");
    QCOMPARE(data.run({"--json", "timeline", "--worker", "nosuch"}).code, 1);
    QCOMPARE(data.run({"--json", "timeline"}).out, lanes + "\n");
}

void TestYardctlLooking::wrongTimesAreRefusedBeforeTheEngineIsAsked() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    for (const char* command : {"stats", "timeline", "usage"}) {
        const Ended ended = data.run({command, "--from", "soon"});
        QCOMPARE(ended.code, 2);
        QVERIFY2(ended.err.find("'soon' is not a time; write -1h") != std::string::npos, ended.err.c_str());
        const Ended swapped = data.run({command, "--to", "2026-11-19", "--from", "2026-11-20"});
        QCOMPARE(swapped.code, 2);
        QVERIFY2(swapped.err.starts_with("yardctl: --from is after --to: exchange them"), swapped.err.c_str());
    }
    QCOMPARE(server.lines().size(), 0);
}

void TestYardctlLooking::whatDoesNotExistIsSaid() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    for (const char* command : {"why", "attempts", "samples"}) {
        const Ended ended = data.run({command, "9"});
        QCOMPARE(ended.code, 1);
        QCOMPARE(ended.err, "yardctl: There is no action 9.\n");
        QCOMPARE(data.run({command, "x"}).code, 2);
    }
    for (const char* command : {"stats", "timeline", "usage"}) QCOMPARE(data.run({command}).code, 1);
}

void TestYardctlLooking::errorsAreJsonWhereJsonIsAskedFor() {
    FakeServer server([](const FakeRequest&) {
        return FakeReply{404,
                         R"({"error":"not_found","message":"There is no action 9: GET jobs lists those there are; )"
                         R"(GET jobs/9 says more."})"};
    });
    const DataDirectory data(server);
    const Ended unknown = data.run({"--json", "show", "9"});
    QCOMPARE(unknown.code, 1);
    QCOMPARE(unknown.out, "");
    QCOMPARE(unknown.err,
             R"({"error":"not_found","message":"There is no action 9: 'yardctl ls' lists those there are; )"
             R"('yardctl show 9' says more."})"
             "\n");
    QVERIFY(data.run({"cancel", "--json", "9"}).err.starts_with(R"({"error":"not_found",)"));
    const Ended wrong = data.run({"--json", "frobnicate"});
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.starts_with(R"({"error":"usage","message":"there is no command 'frobnicate')"),
             wrong.err.c_str());
    const Ended program = data.run({"run", "--", "frobnicate", "--json"});
    QCOMPARE(program.code, 125);
    QVERIFY2(program.err.starts_with("yardctl: There is no action 9"), program.err.c_str());
}

void TestYardctlLooking::anythingElseThanAnEngineIsNamedSo() {
    for (const FakeReply& reply : {FakeReply{200, "<html>"}, FakeReply{502, "Bad Gateway"}, FakeReply{200, "[]"}}) {
        FakeServer server([&](const FakeRequest&) { return reply; });
        const Ended ended = DataDirectory(server).run({"queues"});
        QCOMPARE(ended.code, 1);
        QVERIFY(ended.err.starts_with("yardctl: what answers at " + server.url() + " is no Yardmaster engine: "));
    }
}

void TestYardctlLooking::aWrongTokenIsExplained() {
    FakeServer server([](const FakeRequest&) {
        return FakeReply{401, R"({"error":"unauthorized","message":"The token is wrong."})"};
    });
    const Ended ended = DataDirectory(server).run({"queues"});
    QCOMPARE(ended.code, 1);
    QVERIFY(ended.err.find("The token is wrong.") != std::string::npos);
    QVERIFY(ended.err.find("--token-file") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestYardctlLooking)
#include "tst_yardctl_looking.moc"
