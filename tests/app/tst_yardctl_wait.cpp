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
    void anyEndsWithTheFirstThatEnds();
    void failFastEndsWithTheFirstThatFails();
    void failFastIsContentWhenAllComplete();
    void aQueueIsWaitedForUntilNothingIsActive();
    void aFilterMeansThoseThatMatchNow();
    void whatHadFailedBeforeIsNoSuccess();
    void anActionThatDoesNotExistIsNamed();
    void aTimeLimitLeavesThemRunning();
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
    const Ended ended = data.run({"wait", "--fail-fast", "5..7"});
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

void TestYardctlWait::anActionThatDoesNotExistIsNamed() {
    FakeServer server(looks({row(5, "running")}));
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--any", "5", "6"});
    QCOMPARE(ended.err, "yardctl: there is no action 6\n");
    QCOMPARE(ended.code, 1);
}

void TestYardctlWait::aTimeLimitLeavesThemRunning() {
    FakeServer server(looks({row(5, "running") + "," + row(6, "running")}));
    const DataDirectory data(server);
    const Ended ended = data.run({"wait", "--any", "--timeout", "0", "5", "6"});
    QCOMPARE(ended.err, "yardctl: 2 of 2 actions have not ended after 0 s; they go on\n");
    QCOMPARE(ended.code, 1);
}

void TestYardctlWait::whatIsWaitedForIsNamedOnce() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"wait"}).code, 2);
    QCOMPARE(data.run({"wait", "5", "--filter", "label:a"}).code, 2);
    QCOMPARE(data.run({"wait", "--any", "--fail-fast", "5"}).code, 2);
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
             "yardctl: there is no queue 'none'; 'yardctl queues' lists them\n");
    FakeServer broken(
        [](const FakeRequest&) { return FakeReply{500, R"({"error":"internal","message":"Broken."})"}; });
    const DataDirectory elsewhere(broken);
    QCOMPARE(elsewhere.run({"queue", "hold", "nightly"}).err, "yardctl: Broken.\n");
    QCOMPARE(elsewhere.run({"wait", "--filter", "x"}).err, "yardctl: Broken.\n");
    QCOMPARE(elsewhere.run({"wait", "--any", "5"}).err, "yardctl: Broken.\n");
}

QTEST_GUILESS_MAIN(TestYardctlWait)
#include "tst_yardctl_wait.moc"
