// yardctl submit: what it sends, what it prints, how it exits.
#include "core/base/files.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <atomic>

using namespace yard;
using namespace yard::test;

class TestYardctlSubmit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void submitSendsLinesInOneBatch();
    void submitSaysWhichLineIsWrong();
    void linesAreAcceptedWholeOrNotAtAll();
    void whatIsOverTheLimitOfARequestIsNotBegun();
    void submitSendsAListWhole();
    void submitSendsFilesTheEngineLacks();
    void submitRepeatsWithTheSameKey();
    void arraysGoAlone();
    void aGraphIsPrintedAndNothingSubmitted();
};

void TestYardctlSubmit::submitSendsLinesInOneBatch() {
    FakeServer server(table({{"POST /compute/queues/3/jobs", {.body = R"({"lsns":[5,6]})"}}}));
    const DataDirectory data(server);
    const std::string lines = "{\"worker\": \"exec\", \"argv\": [\"a\"], \"args\": 1.50}\n\n{\"worker\":\"w\"}";
    const Ended ended = data.run({"submit", "-q", "3", "-"}, lines);
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "5\n6\n");
    // Word for word as it was written.
    QCOMPARE(server.requests().front().body, R"([{"worker": "exec", "argv": ["a"], "args": 1.50},{"worker":"w"}])");
    QCOMPARE(data.run({"submit", "-q", "3", "--json", "-"}, lines).out, "{\"lsns\":[5,6]}\n");
}

void TestYardctlSubmit::aGraphIsPrintedAndNothingSubmitted() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const std::string lines =
        R"({"worker":"exec","argv":["ld","a b"],"after":["cc",12],"inputs":{"x":"@/no/file"}})"
        "\n"
        R"({"worker":"exec","argv":["cc"],"id":"cc","array":{"from":0,"to":3}})"
        "\n";
    const Ended drawn = data.run({"submit", "--graph", "-"}, lines);
    QCOMPARE(drawn.err, "");
    QCOMPARE(drawn.out, R"(digraph actions {
    rankdir=LR;
    node [shape=box];
    a0 [label="ld 'a b'"];
    a1 [label="cc: cc [0..3]"];
    l12 [label="action 12", style=dotted];
    l12 -> a0;
    a1 -> a0;
}
)");
    const Ended unknown = data.run({"submit", "--graph", "-"}, R"([{"worker":"w"},{"worker":"w","after":["x"]}])");
    QCOMPARE(unknown.code, 1);
    QVERIFY2(unknown.err.contains("line 1: No action of this list has the \"id\" \"x\""), unknown.err.c_str());
    QVERIFY(data.run({"submit", "--graph", "-"}, "[1]").err.contains("line 1: this is no action"));
    QVERIFY(data.run({"submit", "--graph", "-"}, "[").err.contains("line 1"));
    QVERIFY(server.requests().empty());
}

void TestYardctlSubmit::submitSaysWhichLineIsWrong() {
    FakeServer server(table({{"POST /compute/jobs", {.body = R"({"lsn":5,"queue_id":0})"}}}));
    const DataDirectory data(server);
    const Ended malformed = data.run({"submit", "-"}, "{\"worker\":\"w\"}\n{\"worker\":]\n");
    QCOMPARE(malformed.code, 1);
    QCOMPARE(malformed.out, "");
    QVERIFY(malformed.err.find("line 2") != std::string::npos);
    QVERIFY(data.run({"submit", "-"}, "hello").err.find("line 1") != std::string::npos);
    QCOMPARE(data.run({"submit", "-"}, " \n").code, 1);
    FakeServer refusing(table(
        {{"POST /compute/jobs", {422, R"({"error":"invalid","message":"\"wroker\" is no member.","index":1})"}}}));
    const Ended refused =
        DataDirectory(refusing).run({"submit", "-"}, "{\"worker\":\"w\"}\n\n{\"wroker\":\"w\"}\n");
    QCOMPARE(refused.err, "yardctl: standard input, line 3: \"wroker\" is no member.\n");
}

void TestYardctlSubmit::linesAreAcceptedWholeOrNotAtAll() {
    FakeServer server(table({{"POST /compute/jobs", {.body = R"({"lsns":[5,6,9],"counts":[1,3,1]})"}}}));
    const DataDirectory data(server);
    std::string lines;
    for (int i = 0; i < 3'000; ++i) lines += "{\"worker\":\"w\"}\n";
    const Ended malformed = data.run({"submit", "-"}, lines + "{\"worker\":]\n");
    QCOMPARE(malformed.code, 1);
    QVERIFY(malformed.err.find("line 3001") != std::string::npos);
    QCOMPARE(server.requests().size(), std::size_t{0});
    QCOMPARE(data.run({"submit", "-"}, lines + R"([{"worker":"w"}])").code, 0);
    QCOMPARE(server.requests().size(), std::size_t{1});
    const Ended mixed =
        data.run({"submit", "-"}, R"({"worker":"w"} {"worker":"w","array":{"from":0,"to":2}} [ {"worker":"w"} ])");
    QCOMPARE(mixed.out, "5\n6..8\n9\n");
    QCOMPARE(server.requests().back().body,
             R"([{"worker":"w"},{"worker":"w","array":{"from":0,"to":2}}, {"worker":"w"} ])");
    FakeServer refusing(table({{"POST /compute/jobs", {422, R"({"error":"invalid","message":"No.","index":3})"}}}));
    const Ended refused = DataDirectory(refusing).run(
        {"submit", "-"}, "{\"worker\":\"w\"}\n[{\"worker\":\"w\"},\n{\"worker\":\"w\"},{\"worker\":\"x\"}]");
    QVERIFY2(refused.err.find("standard input, line 2: action 3 of the list: No.") != std::string::npos,
             refused.err.c_str());
}

void TestYardctlSubmit::whatIsOverTheLimitOfARequestIsNotBegun() {
    FakeServer server(table({{"POST /compute/jobs", {.body = R"({"lsns":[5]})"}}}));
    const DataDirectory data(server);
    const std::string line = "{\"worker\":\"w\",\"args\":\"" + std::string(1'000'000, 'a') + "\"}\n";
    std::string lines;
    for (int i = 0; i < 70; ++i) lines += line;
    QVERIFY(writeFileAtomically(data.file("large"), lines, 0600));
    const Ended ended = data.run({"submit", QString::fromStdString(data.file("large"))});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.find("over 64 MiB") != std::string::npos, ended.err.c_str());
    QCOMPARE(server.requests().size(), std::size_t{0});
}

void TestYardctlSubmit::submitSendsAListWhole() {
    FakeServer server(table({{"POST /compute/jobs", {.body = R"({"lsns":[5,6]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"submit", "-"}, "[{\"worker\":\"w\"},\n {\"worker\":\"w\"}]\n").out, "5\n6\n");
    QCOMPARE(server.requests().size(), std::size_t{1});
    QCOMPARE(data.run({"submit", "-"}, "[]").code, 1);
}

void TestYardctlSubmit::submitSendsFilesTheEngineLacks() {
    const std::string big(3'000'000, 'x');
    const std::string hash = hexOf(big);
    std::atomic<bool> stored = false;
    FakeServer server([&](const FakeRequest& request) {
        if (request.method == "PUT") {
            stored = request.target == "/compute/chunks/" + hash && request.body == big;
            return FakeReply{};
        }
        if (!stored) return FakeReply{409, R"({"error":"need","message":"Send it.","need":[")" + hash + "\"]}"};
        return FakeReply{.body = R"({"lsn":5,"queue_id":0})"};
    });
    const DataDirectory data(server);
    QVERIFY(writeFileAtomically(data.file("photo.jpg"), big, 0600));
    const std::string action =
        R"({"worker":"w","inputs":{"photo.jpg":"@)" + data.file("photo.jpg") + R"("},"args":0.5})";
    const Ended ended = data.run({"submit", "-"}, action);
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "5\n");
    QCOMPARE(server.requests().back().body,
             R"({"worker":"w","inputs":{"photo.jpg":")" + hash + R"("},"args":0.5})");
    const Ended missing = data.run({"submit", "-"}, R"({"worker":"w","inputs":{"a":"@/nonexistent"}})");
    QCOMPARE(missing.code, 1);
    QVERIFY(missing.err.find("/nonexistent") != std::string::npos);
}

void TestYardctlSubmit::submitRepeatsWithTheSameKey() {
    std::atomic<int> posts = 0;
    FakeServer server([&](const FakeRequest& request) {
        // The engine closes a kept-alive connection just as the second list arrives.
        if (request.method == "POST" && posts++ == 1) return FakeReply{.close = true};
        return FakeReply{.body = R"({"lsns":[5]})"};
    });
    std::string lines;
    for (int i = 0; i < 2'000; ++i) lines += "{\"worker\":\"w\"}\n";
    const Ended ended = DataDirectory(server).run({"submit", "--stream", "-"}, lines);
    QCOMPARE(ended.code, 0);
    const auto all = server.requests();
    QCOMPARE(all.size(), std::size_t{3});
    QCOMPARE(all[1].headers.at("idempotency-key"), all[2].headers.at("idempotency-key"));
    QVERIFY(all[0].headers.at("idempotency-key") != all[1].headers.at("idempotency-key"));
}

void TestYardctlSubmit::arraysGoAlone() {
    FakeServer server(table({{"POST /compute/jobs", {.body = R"({"lsn":10,"count":3,"queue_id":0})"}}}));
    const Ended ended = DataDirectory(server).run({"submit", "-"}, R"({"worker":"w","array":{"from":0,"to":2}})");
    QCOMPARE(ended.out, "10..12\n");
}

QTEST_GUILESS_MAIN(TestYardctlSubmit)
#include "tst_yardctl_submit.moc"
