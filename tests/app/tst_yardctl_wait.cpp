// yardctl wait beyond a list of actions, and queues named by their tag: what is asked for, printed, and the exit
// code.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <memory>

using namespace yard;
using namespace yard::test;

class TestYardctlWait : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allIsWhatItDoesWithoutIt();
    void anEndIsToldOnTheDesktop();
    void anyEndsWithTheFirstThatEnds();
    void failFastEndsWithTheFirstThatFails();
    void failFastIsContentWhenAllComplete();
    void aQueueIsWaitedForUntilNothingIsActive();
    void aFilterMeansThoseThatMatchNow();
    void whatHadFailedBeforeIsNoSuccess();
    void aFilterThatFindsNothingIsSaid();
    void aFilterWhoseActionsHaveEndedIsContent();
    void aQueueCountsWhatFailedUnseen_data();
    void aQueueCountsWhatFailedUnseen();
    void aRangeMeansTheActionsInIt();
    void anActionThatDoesNotExistIsNamed();
    void aTimeLimitLeavesThemRunning();
    void aTimeLimitCountsWhileNoEngineAnswers_data();
    void aTimeLimitCountsWhileNoEngineAnswers();
    void whatIsWaitedForIsNamedOnce();
    void aTagIsAsGoodAsANumber();
    void aTagOfTwoQueuesIsRefusedWithBoth();
};

namespace {

constexpr const char* kQueues = R"({"queues":[{"queue_id":0,"tag":""},{"queue_id":7,"tag":"nightly"},)"
                                R"({"queue_id":8,"tag":"twice"},{"queue_id":9,"tag":"twice"}]})";

std::string row(int lsn, std::string_view state) {
    return fmt::format(R"({{"lsn":{},"state":"{}","label":"a{}"}})", lsn, state, lsn);
}

/// Answers jobs?lsn=… with the rows of each look in turn, the last one again and again.
FakeServer::Handler looks(std::vector<std::string> answers) {
    return [answers = std::move(answers),
            at = std::make_shared<std::atomic<std::size_t>>(0)](const FakeRequest& request) {
        if (!request.target.starts_with("/compute/jobs?")) return FakeReply{404, kNotFound};
        const std::size_t now = std::min(at->fetch_add(1), answers.size() - 1);
        return FakeReply{.body = fmt::format(R"({{"jobs":[{}]}})", answers[now])};
    };
}

} // namespace

void TestYardctlWait::allIsWhatItDoesWithoutIt() {
    FakeServer server(table({{"GET /compute/jobs?limit=1000&lsn=5,6",
                              {.body = fmt::format(R"({{"jobs":[{},{}]}})", row(6, "running"), row(5, "running"))}},
                             {"GET /compute/jobs/5?wait=60", {.body = row(5, "failed")}},
                             {"GET /compute/jobs/6?wait=60", {.body = row(6, "completed")}}}));
    const DataDirectory data(server);
    for (const QStringList& words : {QStringList{"wait", "--all", "5", "6"}, QStringList{"wait", "5", "6"}}) {
        const Ended ended = data.run(words);
        QCOMPARE(ended.out, "5  failed  a5\n6  completed  a6\n");
        QCOMPARE(ended.code, 1); // the first failure ends nothing
    }
    QCOMPARE(data.run({"wait", "--all", "6"}).code, 0);
}

void TestYardctlWait::anyEndsWithTheFirstThatEnds() {
    FakeServer server(
        looks({row(5, "running") + "," + row(6, "pending"), row(5, "running") + "," + row(6, "failed")}));
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--any", "5", "6"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "6  failed  a6\n");
    QCOMPARE(ended.code, 1);
    QCOMPARE(server.lines().back(), "GET /compute/jobs?limit=1000&lsn=5,6");
}

void TestYardctlWait::failFastEndsWithTheFirstThatFails() {
    FakeServer server(looks({row(5, "running") + "," + row(6, "completed") + "," + row(7, "running"),
                             row(5, "cancelled") + "," + row(7, "running")}));
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--fail-fast", "5", "6", "7"});
    QCOMPARE(ended.out, "6  completed  a6\n5  cancelled  a5\n");
    QCOMPARE(ended.code, 1);
    QCOMPARE(server.lines().back(), "GET /compute/jobs?limit=1000&lsn=5,7");
}

void TestYardctlWait::failFastIsContentWhenAllComplete() {
    FakeServer server(looks({row(5, "completed")}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"wait", "--fail-fast", "5"}).code, 0);
}

void TestYardctlWait::aQueueIsWaitedForUntilNothingIsActive() {
    std::atomic<int> asked = 0;
    FakeServer server([&](const FakeRequest& request) {
        if (request.target == "/compute/queues") return FakeReply{.body = kQueues};
        if (request.target.contains("state=failed,cancelled,abandoned"))
            return FakeReply{.body = R"({"lsns":"9"})"};
        if (request.target.starts_with("/compute/jobs/lsns?")) {
            const int n = asked++;
            return FakeReply{.body = n == 0   ? R"({"lsns":"6..5","cursor":"c"})"
                                     : n == 1 ? R"({"lsns":"4"})"
                                     : n == 2 ? R"({"lsns":"9"})"
                                              : R"({"lsns":""})"};
        }
        const std::string lsn = request.target.substr(std::string("/compute/jobs/").size(), 1);
        return FakeReply{.body = row(std::stoi(lsn), lsn == "9" ? "failed" : "completed")};
    });
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--queue", "nightly"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "4  completed  a4\n5  completed  a5\n6  completed  a6\n9  failed  a9\n");
    QCOMPARE(ended.code, 1);
    const auto lines = server.lines();
    QVERIFY(1 ==
            std::ranges::count(
                lines, "GET /compute/jobs/lsns?limit=100000&state=pending,submitting,running&queue=7&cursor=c"));
}

void TestYardctlWait::aFilterMeansThoseThatMatchNow() {
    FakeServer server([&](const FakeRequest& request) {
        if (request.target.contains("state=failed,cancelled,abandoned")) return FakeReply{.body = R"({"lsns":""})"};
        if (request.target.starts_with("/compute/jobs/lsns?")) return FakeReply{.body = R"({"lsns":"5"})"};
        return FakeReply{.body = row(5, "completed")};
    });
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--filter", "label:a*"});
    QCOMPARE(ended.out, "5  completed  a5\n");
    QCOMPARE(ended.code, 0);
    QCOMPARE(server.lines().front(),
             "GET /compute/jobs/lsns?limit=100000&state=pending,submitting,running&q=label%3Aa%2A");
}

void TestYardctlWait::whatHadFailedBeforeIsNoSuccess() {
    FakeServer server([&](const FakeRequest& request) {
        // 5 has ended between the two questions: it is reported, not counted again.
        if (request.target.contains("state=failed,cancelled,abandoned"))
            return FakeReply{.body = R"({"lsns":"20..14,5"})"};
        if (request.target.starts_with("/compute/jobs/lsns?")) return FakeReply{.body = R"({"lsns":"5"})"};
        return FakeReply{.body = row(5, "failed")};
    });
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--filter", "label:a*"});
    QCOMPARE(ended.out, "5  failed  a5\n");
    QCOMPARE(ended.err, "yardctl: 7 of those that match had ended otherwise than completed before: 14, 15, 16, 17, "
                        "18, …\n");
    QCOMPARE(ended.code, 1);
}

void TestYardctlWait::aFilterThatFindsNothingIsSaid() {
    FakeServer server([](const FakeRequest& request) {
        // The first page of a list may be empty.
        const bool isFirst = !request.target.contains("cursor=");
        return FakeReply{.body = isFirst ? R"({"lsns":"","cursor":"c"})" : R"({"lsns":""})"};
    });
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--filter", "label:tset"});
    QCOMPARE(ended.err, "yardctl: no action matches 'label:tset'\n");
    QCOMPARE(ended.out, "");
    QCOMPARE(ended.code, 1);
    QCOMPARE(server.lines().back(), "GET /compute/jobs/lsns?limit=1&q=label%3Atset&cursor=c");
    // A queue may well have none of the kind.
    const Ended narrowed = data.run({"wait", "--queue", "7", "--filter", "new>-1h"});
    QCOMPARE(narrowed.err, "yardctl: no action of the queue matches 'new>-1h'\n");
    QCOMPARE(narrowed.code, 0);
    const Ended queue = data.run({"wait", "--queue", "7"});
    QCOMPARE(queue.err, "");
    QCOMPARE(queue.code, 0);
}

void TestYardctlWait::aFilterWhoseActionsHaveEndedIsContent() {
    FakeServer server([](const FakeRequest& request) {
        const bool isOfAll = request.target.starts_with("/compute/jobs/lsns?limit=1&");
        return FakeReply{.body = isOfAll ? R"({"lsns":"5"})" : R"({"lsns":""})"};
    });
    const Ended ended = DataDirectory(server).run({"wait", "--filter", "label:test"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
}

void TestYardctlWait::aQueueCountsWhatFailedUnseen_data() {
    QTest::addColumn<QStringList>("option");
    QTest::addColumn<QString>("out");
    QTest::addColumn<int>("code");
    QTest::newRow("all") << QStringList{} << "5  failed  a5\n" << 1;
    QTest::newRow("at once, without a wait") << QStringList{"--fail-fast"} << "" << 1;
    QTest::newRow("the first that ends") << QStringList{"--any"} << "5  failed  a5\n" << 1;
}

/// 4 had failed before the wait; 5 fails meanwhile and is told by its line.
void TestYardctlWait::aQueueCountsWhatFailedUnseen() {
    QFETCH(QStringList, option);
    QFETCH(QString, out);
    QFETCH(int, code);
    std::atomic<bool> hasEnded = false;
    FakeServer server([&](const FakeRequest& request) {
        if (request.target.contains("state=failed,cancelled,abandoned"))
            return FakeReply{.body = hasEnded ? R"({"lsns":"5..4"})" : R"({"lsns":"4"})"};
        if (request.target.starts_with("/compute/jobs/lsns?"))
            return FakeReply{.body = hasEnded ? R"({"lsns":""})" : R"({"lsns":"5"})"};
        hasEnded = true;
        if (request.target.starts_with("/compute/jobs?"))
            return FakeReply{.body = fmt::format(R"({{"jobs":[{}]}})", row(5, "failed"))};
        return FakeReply{.body = row(5, "failed")};
    });
    const DataDirectory data(server);
    const Ended ended = data.run(QStringList{"wait", "--queue", "7"} + option);
    QCOMPARE(ended.out, out.toStdString());
    QCOMPARE(ended.err, option.contains("--any")
                            ? ""
                            : "yardctl: 1 of the queue had ended otherwise than completed before: 4; add --filter "
                              "'new>-1h' to leave out what is older\n");
    QCOMPARE(ended.code, code);
}

void TestYardctlWait::aRangeMeansTheActionsInIt() {
    // The LSNs between the two are of no action.
    FakeServer server(table({rangeOf(3, 10'000'007, "3..4,10000007"),
                             rangeOf(20, 30, ""),
                             {"GET /compute/jobs?limit=1000&lsn=3,4,10000007",
                              {.body = R"({"jobs":[{"lsn":3},{"lsn":4},{"lsn":10000007}]})"}},
                             {"GET /compute/jobs/3?wait=60", {.body = row(3, "completed")}},
                             {"GET /compute/jobs/4?wait=60", {.body = row(4, "completed")}},
                             {"GET /compute/jobs/10000007?wait=60", {.body = row(10'000'007, "completed")}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "3..10000007"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "3  completed  a3\n4  completed  a4\n10000007  completed  a10000007\n");
    QCOMPARE(ended.code, 0);
    for (const char* command : {"wait", "logs", "show", "why", "samples", "cancel", "hold"}) {
        const Ended empty = data.run({command, "20..30"});
        QCOMPARE(empty.err, "yardctl: there are no actions from 20 to 30; 'yardctl ls' lists those there are\n");
        QCOMPARE(empty.code, std::string_view(command) == "wait" ? 2 : 1);
    }
    QCOMPARE(data.run({"run", "--after", "20..30", "true"}).code, 125);
    QCOMPARE(data.run({"edit", "20..30"}).code, 2);
    QCOMPARE(data.run({"compare", "3..4", "5"}).code, 2);
}

void TestYardctlWait::anActionThatDoesNotExistIsNamed() {
    FakeServer server(looks({row(5, "running")}));
    const DataDirectory data(server);
    for (const QStringList& words : {QStringList{"wait", "--any", "5", "6"}, QStringList{"wait", "5", "6"}}) {
        const Ended ended = data.run(words);
        QCOMPARE(ended.err, "yardctl: there is no action 6\n");
        QCOMPARE(ended.code, 2);
    }
    const Ended alone = data.run({"wait", "9"});
    QCOMPARE(alone.err, "yardctl: There is no action 9.\n");
    QCOMPARE(alone.code, 2);
    // Of others 1 means nothing else.
    QCOMPARE(data.run({"show", "9"}).code, 1);
    // Not the action is missing, but the engine.
    const QTemporaryDir empty;
    QCOMPARE(CtlProcess({"--data-dir", empty.path(), "wait", "9"}).end().code, 1);
}

void TestYardctlWait::aTimeLimitLeavesThemRunning() {
    FakeServer server(looks({row(5, "running") + "," + row(6, "running")}));
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--any", "--timeout", "0", "5", "6"});
    QCOMPARE(ended.err, "yardctl: 2 of 2 actions have not ended after 0 s; they go on\n");
    QCOMPARE(ended.code, 124);
    QCOMPARE(data.run({"--json", "wait", "--any", "--timeout", "0", "5", "6"}).err,
             "{\"error\":\"timeout\",\"message\":\"2 of 2 actions have not ended after 0 s; they go on\"}\n");
}

void TestYardctlWait::aTimeLimitCountsWhileNoEngineAnswers_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("by number") << QStringList{"5"};
    QTest::newRow("any") << QStringList{"--any", "5", "6"};
    QTest::newRow("a queue") << QStringList{"--queue", "7"};
}

/// It answers once, and then never again: without the limit it would be looked for during half a minute.
void TestYardctlWait::aTimeLimitCountsWhileNoEngineAnswers() {
    QFETCH(const QStringList, words);
    const auto asked = std::make_shared<std::atomic<int>>(0);
    FakeServer server([asked](const FakeRequest& request) -> FakeReply {
        if (asked->fetch_add(1) > 0) return {.close = true};
        if (request.target.starts_with("/compute/jobs/lsns")) return {.body = R"({"lsns":"5"})"};
        if (request.target.starts_with("/compute/jobs?"))
            return {.body = fmt::format(R"({{"jobs":[{},{}]}})", row(5, "running"), row(6, "running"))};
        return {202, row(5, "running")};
    });
    const Ended ended = DataDirectory(server).run(QStringList{"wait", "--timeout", "0.5s"} + words);
    QCOMPARE(ended.code, 124);
    QVERIFY2(ended.err.starts_with("yardctl: 0.50 s have passed, and the engine does not answer: "),
             ended.err.c_str());
}

void TestYardctlWait::whatIsWaitedForIsNamedOnce() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"wait"}).code, 2);
    QCOMPARE(data.run({"wait", "5", "--filter", "label:a"}).code, 2);
    QCOMPARE(data.run({"wait", "--any", "--fail-fast", "5"}).code, 2);
    QCOMPARE(data.run({"wait", "--all", "--any", "5"}).code, 2);
    QCOMPARE(data.run({"wait", "--all", "--fail-fast", "5"}).code, 2);
    QCOMPARE(data.run({"wait", "--any", "--timeout", "soon", "5"}).code, 2);
    QCOMPARE(server.lines().size(), 0);
}

void TestYardctlWait::aTagIsAsGoodAsANumber() {
    FakeServer server(table({{"GET /compute/queues", {.body = kQueues}},
                             {"POST /compute/queues/7/hold", {}},
                             {"PATCH /compute/queues/7", {}},
                             {"GET /compute/queues/7", {.body = R"({"queue_id":7,"tag":"nightly"})"}},
                             {"POST /compute/queues/7/jobs", {.body = R"({"lsn":5,"queue_id":7})"}},
                             {"POST /compute/queues/0123456789abcdef01234567/hold", {}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"queue", "hold", "nightly"}).code, 0);
    QCOMPARE(data.run({"queue", "set", "nightly", "max_running=2"}).code, 0);
    QCOMPARE(data.run({"queue", "show", "nightly"}).code, 0);
    QCOMPARE(data.run({"run", "-d", "--queue", "nightly", "--", "true"}).out, "5\n");
    const std::size_t asked = server.lines().size();
    QCOMPARE(data.run({"queue", "hold", "7", "0123456789abcdef01234567"}).code, 0);
    QCOMPARE(server.lines().size(), asked + 2);
}

void TestYardctlWait::aTagOfTwoQueuesIsRefusedWithBoth() {
    FakeServer server(table({{"GET /compute/queues", {.body = kQueues}}}));
    const DataDirectory data(server);
    for (const QStringList& words :
         {QStringList{"queue", "hold", "twice"}, QStringList{"queue", "show", "twice"},
          QStringList{"queue", "set", "twice", "weight=2"}, QStringList{"run", "-q", "twice", "--", "true"}})
        QCOMPARE(data.run(words).err,
                 "yardctl: the queues 8, 9 all have the tag 'twice': name one by its number\n");
    QCOMPARE(data.run({"queue", "drain", "none"}).err,
             "yardctl: There is no queue 'none': 'yardctl queues' lists those there are.\n");
    QCOMPARE(data.run({"wait", "--queue", "none"}).code, 2);
    QCOMPARE(data.run({"wait", "--queue", "twice"}).code, 1);
    FakeServer broken(
        [](const FakeRequest&) { return FakeReply{500, R"({"error":"internal","message":"Broken."})"}; });
    const DataDirectory elsewhere(broken);
    QCOMPARE(elsewhere.run({"queue", "hold", "nightly"}).err, "yardctl: Broken.\n");
    QCOMPARE(elsewhere.run({"wait", "--filter", "x"}).err, "yardctl: Broken.\n");
    QCOMPARE(elsewhere.run({"wait", "--any", "5"}).err, "yardctl: Broken.\n");
}

void TestYardctlWait::anEndIsToldOnTheDesktop() {
    const char* end = R"({"lsn":7,"state":"failed","reason":"exit_code","exit_code":3,"name":"make"})";
    FakeServer server(table({{"POST /compute/jobs", {.body = R"({"lsn":7,"queue_id":0})"}},
                             {"GET /compute/jobs/7?wait=60", {.body = end}},
                             {"GET /compute/jobs/7?wait=0.25", {.body = end}},
                             {"GET /compute/jobs/7/stdout?attempt=1&follow=1", {.body = ""}},
                             {"GET /compute/jobs/7/stderr?attempt=1&follow=1", {.body = ""}}}));
    const DataDirectory data(server);
    const std::string program = data.file("notify-send");
    const std::string said = data.file("said");
    QVERIFY(yard::writeFileAtomically(program, "#!/bin/sh\nfor word; do echo \"$word\"; done >>" + said, 0700));
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", data.path().toUtf8() + ":" + path);
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    const int ran = data.run({"run", "--notify", "make"}).code;
    const int waited = data.run({"wait", "--notify", "7"}).code;
    qputenv("PATH", path);
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    QCOMPARE(ran, 3);
    QCOMPARE(waited, 1);
    QCOMPARE(*yard::readFile(said, 4'096),
             "--app-name=Yardmaster\n--\nyardctl run\nmake: failed: exit code 3\n"
             "--app-name=Yardmaster\n--\nyardctl wait\n1 action has ended, 1 otherwise than completed\n");
}

QTEST_GUILESS_MAIN(TestYardctlWait)
#include "tst_yardctl_wait.moc"
