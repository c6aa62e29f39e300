// yardctl run and logs: a stream that breaks, ends early or is a long one; logs of an attempt, of what runs, as JSON.
#include "core/base/kept_stream.h"
#include "tests/app/ctl_process.h"
#include "tests/app/one_action.h"

#include <QTest>
#include <atomic>
#include <boost/json.hpp>

using namespace yard::test;
using yard::gapLine;
namespace json = boost::json;

class TestYardctlStreams : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aBrokenStreamGoesOnWhereItStopped();
    void aStreamThatEndsEarlyIsCompleted();
    void ofALongStreamNothingIsSeenTwice();
    void theStoredViewOfALongStreamIsNotPrintedAgain();
    void logsOfAnAttempt();
    void logsFollowUntilTheEnd();
    void logsAsJsonLines();
};

void TestYardctlStreams::aBrokenStreamGoesOnWhereItStopped() {
    std::atomic<int> opened = 0;
    OneAction script;
    script.onStdout = [&](const FakeRequest&) {
        return opened++ == 0 ? pieces({"ab", "cd"}, false) : pieces({"a", "bc", "def"});
    };
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"run", "true"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "abcdef");
}

void TestYardctlStreams::aStreamThatEndsEarlyIsCompleted() {
    std::atomic<int> opened = 0;
    std::atomic<int> asked = 0;
    OneAction script;
    // An engine that stops ends its streams properly, and the attempt goes on writing for a moment.
    script.onStdout = [&](const FakeRequest&) { return opened++ == 0 ? pieces({"ab"}) : pieces({"abcd"}); };
    script.onResult = [&](const FakeRequest&) {
        return asked++ < 4 ? FakeReply{202, R"({"lsn":7,"state":"running"})"}
                           : FakeReply{200, R"({"lsn":7,"state":"completed","stdout":{"hash":"","size":4}})"};
    };
    FakeServer server(script);
    QCOMPARE(DataDirectory(server).run({"run", "true"}).out, "abcd");
}

void TestYardctlStreams::ofALongStreamNothingIsSeenTwice() {
    const auto left = [](std::uint64_t bytes) { return gapLine({0, bytes}); };
    std::atomic<int> opened = 0;
    OneAction script;
    // 121 bytes were written. What is left out depends on when the engine is asked.
    script.onStdout = [&](const FakeRequest&) {
        const int time = opened++;
        if (time == 0) return pieces({"a\nb\n", left(100).substr(0, 5), left(100).substr(5), "tail\n"}, false);
        if (time == 1) return pieces({"a\nb\n" + left(103), "l\n", "[1 \n" + left(4) + "u\n"}, false);
        return pieces({"a\nb", left(114), "u\n.\n"});
    };
    const std::string size = std::to_string(7 + left(114).size());
    script.onResult =
        always(R"({"lsn":7,"state":"completed","stdout":{"hash":"","truncated":true,"size":)" + size + "}}");
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"run", "true"});
    QCOMPARE(ended.out, "a\nb\n" + left(100) + "tail\n[1 \n" + left(4) + "u\n.\n");
    QCOMPARE(opened, 3);
    // The engine died while it was followed, and kept less than what was to be seen.
    opened = 0;
    script.onStdout = [&](const FakeRequest&) {
        return opened++ == 0 ? pieces({"abc"}, false) : pieces({"a" + left(9) + "b\n"});
    };
    FakeServer lossy(script);
    QCOMPARE(DataDirectory(lossy).run({"run", "true"}).out, "abc" + left(7) + "b\n");
}

void TestYardctlStreams::theStoredViewOfALongStreamIsNotPrintedAgain() {
    std::atomic<int> opened = 0;
    OneAction script;
    // The follower was left behind, so it has less than what is kept: none of that comes out of order.
    script.onStdout = [&](const FakeRequest&) {
        return opened++ == 0 ? pieces({"ab" + gapLine({2, 8}) + "ij"}) : pieces({"ab" + gapLine({2, 6}) + "ghij"});
    };
    script.onResult = always(R"({"lsn":7,"state":"completed","stdout":{"hash":"","truncated":true,"size":90}})");
    FakeServer server(script);
    QCOMPARE(DataDirectory(server).run({"run", "true"}).out, "ab" + gapLine({2, 8}) + "ij");
}

void TestYardctlStreams::logsOfAnAttempt() {
    OneAction script;
    script.onStdout = always("out");
    script.onStderr = always("err");
    FakeServer server(script);
    const DataDirectory data(server);
    const Ended both = data.run({"logs", "7", "--attempt", "1"});
    QCOMPARE(both.code, 0);
    QCOMPARE(both.out, "out");
    QCOMPARE(both.err, "err");
    QVERIFY(!server.find("GET /compute/jobs/7/stdout?attempt=1").method.empty());
    QCOMPARE(data.run({"logs", "7", "--stderr"}).out, "");
    const Ended missing = data.run({"logs", "8"});
    QCOMPARE(missing.code, 1);
    QCOMPARE(missing.err, "yardctl: There is nothing here.\n");
}

void TestYardctlStreams::logsFollowUntilTheEnd() {
    OneAction script;
    script.onStdout = [](const FakeRequest&) { return pieces({"a", "b"}); };
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"logs", "-f", "7"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "ab");
}

void TestYardctlStreams::logsAsJsonLines() {
    OneAction script;
    script.onStdout = [](const FakeRequest&) { return pieces({"a\xff\xc3", "\xa4"}); };
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"logs", "--json", "--stdout", "7"});
    // Together they are one character; how they came is no business of who reads the text.
    std::string text;
    for (const QByteArray& line : QByteArray::fromStdString(ended.out).trimmed().split('\n'))
        text += json::parse(line.toStdString()).at("text").as_string();
    QCOMPARE(text, "a\xef\xbf\xbd\xc3\xa4");
}

QTEST_GUILESS_MAIN(TestYardctlStreams)
#include "tst_yardctl_streams.moc"
