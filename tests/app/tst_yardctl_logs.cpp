// yardctl logs of several actions, of their last lines, and of the attempts since a moment: what is asked for, and what
// is printed.
#include "app/yardctl/log_lines.h"
#include "core/base/clock.h"
#include "core/base/kept_stream.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <algorithm>
#include <csignal>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlLogs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ofSeveralEachLineSaysWhose();
    void ofSeveralAsJsonEachLineHasItsAction();
    void severalAreFollowedAtOnce();
    void oneThatFailsDoesNotKeepTheOthers();
    void tailIsTheLastLines_data();
    void tailIsTheLastLines();
    void tailHasALimit();
    void tailIsAskedForFromTheEnd();
    void aCutThatIsOverIsForgotten();
    void aTailIsFollowedByWhatComes();
    void aTailIsFollowedFromTheEnd();
    void ofARetryAllIsFollowed();
    void sinceLeavesOutAttemptsThatWereOver();
    void sinceTellsAttemptsApart();
    void sinceFollowsWhatIsUnderWay();
    void whatEndedBeforeItRanHasNoOutput();
    void aLineTooLongIsBroken();
    void allThatRunsOfAQueueIsFollowedAndWhatStartsLaterJoins();
    void soManyAreFollowedAtOnce();
    void oneThatFailsDoesNotKeepTheOthersOfAQueue();
    void aFilterThatIsWrongEndsIt();
    void whatMakesNoSenseIsRefused();
};

namespace {

std::string action(int lsn, std::string_view state, std::string_view more = "") {
    return fmt::format(R"({{"lsn":{},"state":"{}","name":"job {}"{}}})", lsn, state,
                       std::string(lsn == 5 ? 1 : 3, 'x'), more);
}

/// Stdout of one stream as it is asked for in each way; the other one is empty.
std::string streamLine(int lsn, std::string_view query, std::string_view stream = "stdout") {
    return fmt::format("GET /compute/jobs/{}/{}{}", lsn, stream, query);
}

/// Of 5, which ended, stdout as it is asked for: all of it, or so many bytes from the end.
FakeServer::Handler streamOf(std::string written) {
    return [written = std::move(written)](const FakeRequest& request) -> FakeReply {
        if (request.line() == "GET /compute/jobs/5") return {.body = action(5, "completed")};
        const std::size_t last = request.target.find("last=");
        if (last == std::string::npos) return {.body = written};
        const std::size_t most = std::stoull(request.target.substr(last + 5));
        return {.body = written.substr(written.size() - std::min(most, written.size()))};
    };
}

FakeServer::Handler twoThatEnded() {
    return table({rangeOf(5, 6, "5..6"),
                  {"GET /compute/jobs/5", {.body = action(5, "completed")}},
                  {"GET /compute/jobs/6", {.body = action(6, "completed")}},
                  {streamLine(5, ""), {.body = "a\nb"}},
                  {streamLine(6, ""), {.body = "\nc\n"}},
                  {streamLine(5, "", "stderr"), {.body = "wrong\n"}},
                  {streamLine(6, "", "stderr"), {.body = ""}}});
}

} // namespace

void TestYardctlLogs::ofSeveralEachLineSaysWhose() {
    FakeServer server(twoThatEnded());
    const DataDirectory data(server);
    const Ended ended = data.run({"logs", "5..6", "5"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "5 job x   | a\n5 job x   | b\n6 job xxx | \n6 job xxx | c\n");
    QCOMPARE(ended.err, "5 job x   | wrong\n");
    QCOMPARE(data.run({"logs", "5", "--stdout"}).out, "a\nb"); // of one as it is
    const Ended missing = data.run({"logs", "5", "9"});
    QCOMPARE(missing.code, 1);
    QCOMPARE(missing.out, "");
    QCOMPARE(missing.err, "yardctl: There is no action 9.\n");
}

void TestYardctlLogs::ofSeveralAsJsonEachLineHasItsAction() {
    FakeServer server(twoThatEnded());
    QCOMPARE(DataDirectory(server).run({"--json", "logs", "--stdout", "5", "6"}).out,
             "{\"lsn\":5,\"attempt\":1,\"stream\":\"stdout\",\"text\":\"a\\nb\"}\n"
             "{\"lsn\":6,\"attempt\":1,\"stream\":\"stdout\",\"text\":\"\\nc\\n\"}\n");
}

/// 6 writes its second line only once 5 has ended: neither waits for the other.
void TestYardctlLogs::severalAreFollowedAtOnce() {
    Gate fiveEnded;
    FakeServer server([&](const FakeRequest& request) -> FakeReply {
        if (request.line() == streamLine(5, "?attempt=1&follow=1"))
            return {.stream = [&](FakeStream& stream) {
                stream.write("of five\n");
                fiveEnded.open();
                return true;
            }};
        if (request.line() == streamLine(6, "?attempt=1&follow=1"))
            return {.stream = [&](FakeStream& stream) {
                stream.write("of");
                fiveEnded.wait();
                stream.write(" six\nlast");
                return true;
            }};
        if (request.target.contains("/std")) return {.body = ""};
        const int lsn = request.target.contains("/5") ? 5 : 6;
        return {.body = action(lsn, "completed")};
    });
    const Ended ended = DataDirectory(server).run({"logs", "-f", "5", "6"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    std::vector<std::string> lines;
    for (const QByteArray& line : QByteArray::fromStdString(ended.out).trimmed().split('\n'))
        lines.push_back(line.toStdString());
    std::ranges::sort(lines);
    QCOMPARE(lines, (std::vector<std::string>{"5 job x   | of five", "6 job xxx | last", "6 job xxx | of six"}));
}

void TestYardctlLogs::oneThatFailsDoesNotKeepTheOthers() {
    FakeServer server([&](const FakeRequest& request) -> FakeReply {
        if (request.line() == streamLine(5, "?attempt=1&follow=1"))
            return {500, R"({"error":"internal","message":"The chunk is damaged."})"};
        if (request.line() == streamLine(6, "?attempt=1&follow=1")) return {.body = "six\n"};
        return {.body = action(request.target.contains("/5") ? 5 : 6, "completed")};
    });
    const Ended ended = DataDirectory(server).run({"logs", "-f", "--stdout", "5", "6"});
    QCOMPARE(ended.code, 1);
    QCOMPARE(ended.out, "6 job xxx | six\n");
    QCOMPARE(ended.err, "yardctl: The chunk is damaged.\n");
}

void TestYardctlLogs::tailIsTheLastLines_data() {
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("shown");
    QTest::newRow("two") << "a\nb\nc\n" << "2" << "b\nc\n";
    QTest::newRow("without an end") << "a\nb\nc" << "2" << "b\nc";
    QTest::newRow("empty ones count") << "a\n\n\n" << "2" << "\n\n";
    QTest::newRow("all") << "a\nb\n" << "7" << "a\nb\n";
    QTest::newRow("none") << "a\nb\n" << "0" << "";
    QTest::newRow("of nothing") << "" << "3" << "";
}

void TestYardctlLogs::tailIsTheLastLines() {
    QFETCH(QString, written);
    QFETCH(QString, lines);
    QFETCH(QString, shown);
    FakeServer server(streamOf(written.toStdString()));
    const Ended ended = DataDirectory(server).run({"logs", "--stdout", "--tail", lines, "5"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, shown.toStdString());
    // However it comes.
    ctl::TailLines tail(lines.toULong());
    for (const char c : written.toStdString()) tail.take(std::string_view(&c, 1));
    QCOMPARE(tail.end(), shown.toStdString());
}

void TestYardctlLogs::tailHasALimit() {
    const std::string large(ctl::TailLines::kMost + 10, 'x');
    FakeServer server(streamOf("first\n" + large + "\nlast\n"));
    const DataDirectory data(server);
    const Ended cut = data.run({"logs", "--stdout", "--tail", "2", "5"});
    QCOMPARE(cut.out.size(), ctl::TailLines::kMost);
    QVERIFY(cut.out.ends_with("xx\nlast\n"));
    QCOMPARE(cut.err, "yardctl: action 5: of its stdout only the last 4.19 MB are shown, which is less than --tail "
                      "asks for; leave --tail out for all of it\n");
    const Ended whole = data.run({"logs", "--stdout", "--tail", "1", "5"});
    QCOMPARE(whole.out, "last\n");
    QCOMPARE(whole.err, "");
}

void TestYardctlLogs::tailIsAskedForFromTheEnd() {
    std::string written;
    for (int i = 0; i < 300'000; ++i) written += fmt::format("{:06}\n", i);
    FakeServer server(streamOf(written));
    const DataDirectory data(server);
    QCOMPARE(data.run({"logs", "--stdout", "--tail", "2", "5"}).out, "299998\n299999\n");
    QCOMPARE(server.lines(), (std::vector<std::string>{"GET /compute/jobs/5", streamLine(5, "?last=65536")}));
    // In larger pieces until there are enough lines.
    const Ended more = data.run({"logs", "--stdout", "--attempt", "1", "--tail", "20000", "5"});
    QCOMPARE(more.out.size(), 140'000U);
    QVERIFY(more.out.starts_with("280000\n"));
    QCOMPARE(server.lines().back(), streamLine(5, "?attempt=1&last=524288"));
    // The first line of a piece is none unless all of it is there.
    FakeServer exact(streamOf(std::string(65'535, 'x') + "\n"));
    QCOMPARE(DataDirectory(exact).run({"logs", "--stdout", "--tail", "1", "5"}).out.size(), 65'536U);
}

void TestYardctlLogs::aCutThatIsOverIsForgotten() {
    ctl::TailLines tail(2);
    for (int i = 0; i < 3; ++i) tail.take(std::string(ctl::TailLines::kMost, 'x'));
    tail.take("\n");
    for (int i = 0; i < 100'000; ++i) tail.take(fmt::format("{}\n", i));
    QCOMPARE(tail.end(), "99998\n99999\n");
    QVERIFY(!tail.isCut());
}

/// What was there is cut, what comes is not; nothing comes twice.
void TestYardctlLogs::aTailIsFollowedByWhatComes() {
    FakeServer server(table({{"GET /compute/jobs/5", {.body = action(5, "running")}},
                             {"GET /compute/jobs/5?wait=0.25", {.body = action(5, "completed")}},
                             {streamLine(5, "?attempt=1&last=65536"), {.body = "1\n2\n3\nha"}},
                             {streamLine(5, "?attempt=1&follow=1"), {.body = "1\n2\n3\nhalf\n5\n6\n"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"logs", "-f", "--stdout", "--tail", "2", "5"}).out, "3\nhalf\n5\n6\n");
    QCOMPARE(data.run({"logs", "-f", "--stdout", "--tail", "0", "5"}).out, "lf\n5\n6\n");
}

/// What comes before the last part is not asked for, whatever comes between the two requests.
void TestYardctlLogs::aTailIsFollowedFromTheEnd() {
    std::string written;
    for (int i = 100'000; i < 110'000; ++i) written += fmt::format("{}\n", i);
    const std::string last = written.substr(written.size() - 65'536);
    const std::string later = "110000\n";
    const std::string grown = (written + later).substr(written.size() + later.size() - 65'536);
    const std::string passed = gapLine({0, written.size() + later.size() - 65'536});
    for (const std::size_t at : {1, 2, 20, 70, 60'000}) { // in two pieces
        FakeServer server([&](const FakeRequest& request) -> FakeReply {
            const std::string& target = request.target;
            if (target.ends_with("/stdout?attempt=1&last=65536")) return {.body = last};
            if (!target.ends_with("/stdout?attempt=1&follow=1&last=65536"))
                return {.body = action(5, target.contains("wait") ? "completed" : "running")};
            return {.stream = [&](FakeStream& stream) {
                const std::string all = passed + grown + "new\n";
                return stream.write(all.substr(0, at)) && stream.write(all.substr(at));
            }};
        });
        const Ended ended = DataDirectory(server).run({"logs", "-f", "--stdout", "--tail", "2", "5"});
        QCOMPARE(ended.err, "");
        QVERIFY2(ended.out == "109999\n110000\nnew\n", fmt::format("cut at {}: {}", at, ended.out).c_str());
    }
}

void TestYardctlLogs::ofARetryAllIsFollowed() {
    const std::string second = action(5, "completed", R"(,"retry_count":1,"attempts":[{"n":1,"state":"failed"}])");
    FakeServer server(table({{"GET /compute/jobs/5", {.body = action(5, "running")}},
                             {"GET /compute/jobs/5?wait=0.25", {.body = second}},
                             {streamLine(5, "?attempt=1&last=65536"), {.body = "1\n2\n"}},
                             {streamLine(5, "?attempt=1&follow=1"), {.body = "1\n2\n"}},
                             {streamLine(5, "?attempt=2&follow=1"), {.body = "a\nb\n"}}}));
    const Ended ended = DataDirectory(server).run({"logs", "-f", "--stdout", "--tail", "1", "5"});
    QCOMPARE(ended.out, "2\na\nb\n");
    QCOMPARE(ended.code, 0);
}

namespace {

/// Three attempts: one that was over two hours ago, one that ended half an hour ago, one that began a minute ago.
std::string tried(std::string_view state) {
    const WallMicros now = wallNow();
    const auto ago = [&](int minutes) { return now - static_cast<std::int64_t>(minutes) * 60'000'000; };
    return fmt::format(
        R"({{"lsn":5,"state":"{}","retry_count":2,"timestamps":{{"new":{},"submitting":{}}},"attempts":[
                       {{"n":1,"state":"failed","timestamps":{{"submitting":{},"failed":{}}}}},
                       {{"n":2,"state":"failed","timestamps":{{"submitting":{},"failed":{}}}}}]}})",
        state, ago(180), ago(1), ago(180), ago(120), ago(90), ago(30));
}

} // namespace

void TestYardctlLogs::sinceLeavesOutAttemptsThatWereOver() {
    const std::string running = tried("running");
    FakeServer server(table({{"GET /compute/jobs/5", {.body = running}},
                             {"GET /compute/jobs/6", {.body = action(6, "pending")}},
                             {streamLine(5, "?attempt=1"), {.body = "one\n"}},
                             {streamLine(5, "?attempt=2"), {.body = "two\n"}},
                             {streamLine(5, "?attempt=3"), {.body = "three\n"}}}));
    const DataDirectory data(server);
    const Ended hour = data.run({"logs", "--stdout", "--since", "-1h", "5", "6"});
    QCOMPARE(hour.code, 0);
    QCOMPARE(hour.out, "5         | two\n5         | three\n");
    QCOMPARE(hour.err,
             "yardctl: action 5: attempt 2 began before that; its lines have no times, so all of them are "
             "shown\nyardctl: action 5: attempt 2\nyardctl: action 5: attempt 3\n");
    const Ended only = data.run({"logs", "--stdout", "--since", "-10min", "5"});
    QCOMPARE(only.out, "three\n");
    QCOMPARE(only.err, "");
    const Ended day = data.run({"logs", "--stdout", "--since", "-1d", "5"});
    QCOMPARE(day.out, "one\ntwo\nthree\n");
    QCOMPARE(day.err, "yardctl: action 5: attempt 1\nyardctl: action 5: attempt 2\nyardctl: action 5: attempt 3\n");
    const Ended none = data.run({"logs", "--stdout", "--since", "now", "6"});
    QCOMPARE(none.out, "");
    QCOMPARE(none.code, 0);
}

/// Both streams of one attempt come before the next one; a line without an end does not run into the mark.
void TestYardctlLogs::sinceTellsAttemptsApart() {
    FakeServer server(table({{"GET /compute/jobs/5", {.body = tried("running")}},
                             {streamLine(5, "?attempt=1"), {.body = "one"}},
                             {streamLine(5, "?attempt=1", "stderr"), {.body = ""}},
                             {streamLine(5, "?attempt=2"), {.body = "two\n"}},
                             {streamLine(5, "?attempt=2", "stderr"), {.body = "wrong\n"}},
                             {streamLine(5, "?attempt=3"), {.body = "three\n"}},
                             {streamLine(5, "?attempt=3", "stderr"), {.body = ""}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"logs", "--since", "-1d", "5"});
    QCOMPARE(ended.out, "onetwo\nthree\n"); // what they wrote, and nothing else
    QCOMPARE(ended.err, "yardctl: action 5: attempt 1\n\nyardctl: action 5: attempt 2\nwrong\n"
                        "yardctl: action 5: attempt 3\n");
    QCOMPARE(data.run({"--json", "logs", "--since", "-1d", "5"}).err, "");
}

void TestYardctlLogs::sinceFollowsWhatIsUnderWay() {
    FakeServer server([&](const FakeRequest& request) -> FakeReply {
        if (request.line() == rangeOf(5, 6, "").first) return rangeOf(5, 6, "5..6").second;
        if (request.line() == "GET /compute/jobs/5") return {.body = tried("running")};
        if (request.line() == "GET /compute/jobs/6") {
            const std::string times = fmt::format(R"(,"timestamps":{{"submitting":1,"completed":{}}})", 2);
            return {.body = action(6, "completed", times)};
        }
        if (request.target.contains("attempt=3&follow=1")) return {.body = "three\n"};
        return {.body = tried("completed")};
    });
    const Ended ended =
        DataDirectory(server).run({"--json", "logs", "-f", "--stdout", "--since", "-10min", "5..6"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "{\"lsn\":5,\"attempt\":3,\"stream\":\"stdout\",\"text\":\"three\\n\"}\n");
    for (const std::string& line : server.lines()) QVERIFY2(!line.contains("jobs/6/std"), line.c_str());
}

void TestYardctlLogs::whatEndedBeforeItRanHasNoOutput() {
    FakeServer server([](const FakeRequest& request) -> FakeReply {
        if (request.target.starts_with("/compute/jobs/5/std"))
            return {404, R"({"error":"not_found","message":"Action 5 has no output: it ended before it ran."})"};
        return {.body = action(5, "cancelled")}; // the wait for its end, too
    });
    const DataDirectory data(server);
    for (const QStringList& words :
         {QStringList{"logs", "5"}, QStringList{"logs", "-f", "5"}, QStringList{"logs", "--stdout", "5"},
          QStringList{"logs", "--tail", "3", "5"}, QStringList{"logs", "-f", "--tail", "3", "5"}}) {
        const Ended ended = data.run(words);
        QCOMPARE(ended.code, 0);
        QCOMPARE(ended.out, "");
        QCOMPARE(ended.err, "yardctl: action 5 has no output: it ended before it ran; 'yardctl why 5' says why\n");
    }
    QCOMPARE(data.run({"--json", "logs", "5"}).err, "");
}

void TestYardctlLogs::aLineTooLongIsBroken() {
    const std::string large(ctl::PrefixedLines::kMaxLine + 3, 'x');
    FakeServer server(table({{"GET /compute/jobs/5", {.body = action(5, "completed")}},
                             {"GET /compute/jobs/6", {.body = action(6, "completed")}},
                             {streamLine(5, ""), {.body = large + "\nnext\n"}},
                             {streamLine(6, ""), {.body = ""}}}));
    const Ended ended = DataDirectory(server).run({"logs", "--stdout", "5", "6"});
    QCOMPARE(ended.out, fmt::format("5 job x   | {}\n5 job x   | xxx\n5 job x   | next\n",
                                    large.substr(0, ctl::PrefixedLines::kMaxLine)));
}

/// The list of those that run of queue 7, and of what started since, as GET jobs is asked for them.
static const std::string kRunning = "GET /compute/jobs?limit=1000&sort=lsn&queue=7&q=state%3Asubmitting%2Crunning";
static const std::string kStarted = "GET /compute/jobs?limit=1000&sort=lsn&queue=7&q=started%3E-";

static std::vector<std::string> sortedLines(const std::string& text) {
    std::vector<std::string> lines;
    for (const QByteArray& line : QByteArray::fromStdString(text).trimmed().split('\n'))
        lines.push_back(line.toStdString());
    std::ranges::sort(lines);
    return lines;
}

void TestYardctlLogs::allThatRunsOfAQueueIsFollowedAndWhatStartsLaterJoins() {
    FakeServer server([&](const FakeRequest& request) -> FakeReply {
        const std::string line = request.line();
        if (line == kRunning) return {.body = R"({"jobs":[)" + action(5, "running") + "]}"};
        // What had ended before is none that is followed.
        if (line == kStarted + "15s") return {.body = R"({"jobs":[)" + action(4, "completed") + "]}"};
        if (line.starts_with(kStarted))
            return {.body = R"({"jobs":[)" + action(4, "completed") + "," + action(5, "running") + "," +
                            action(6, "completed") + "]}"};
        if (line == streamLine(5, "?attempt=1&follow=1")) return {.body = "of five\n"};
        if (line == streamLine(6, "?attempt=1&follow=1")) return {.body = "of six\n"};
        return {.body = action(request.target.contains("/5") ? 5 : 6, "completed")};
    });
    const DataDirectory data(server);
    CtlProcess logs(data.arguments({"logs", "-f", "--queue", "7", "--stdout"}));
    const std::string five = "5 job x | of five\n";
    const std::string six = "6 job xxx | of six\n";
    QVERIFY(logs.waitForOutput(five.size() + six.size()));
    logs.signal(SIGTERM);
    QCOMPARE(sortedLines(logs.end().out), sortedLines(five + six));
    for (const std::string& line : server.lines()) QVERIFY2(!line.contains("/jobs/4/"), line.c_str());
}

/// The last one joins when another has ended.
void TestYardctlLogs::soManyAreFollowedAtOnce() {
    constexpr int kMany = 33;
    Gate full;
    FakeServer server([&](const FakeRequest& request) -> FakeReply {
        const std::string line = request.line();
        if (line == kRunning || line.starts_with(kStarted)) {
            std::string jobs;
            for (int lsn = 1; lsn <= kMany; ++lsn)
                jobs += fmt::format(R"({}{{"lsn":{},"state":"running","name":"x"}})", lsn == 1 ? "" : ",", lsn);
            return {.body = R"({"jobs":[)" + jobs + "]}"};
        }
        if (request.target.contains("/stdout"))
            return {.stream = [&](FakeStream& stream) {
                full.wait();
                return stream.write("x\n");
            }};
        return {.body = R"({"lsn":1,"state":"completed"})"};
    });
    const DataDirectory data(server);
    CtlProcess logs(data.arguments({"logs", "-f", "--queue", "7", "--stdout"}));
    QVERIFY(logs.waitForError("32 are followed at once"));
    full.open();
    std::string all;
    for (int lsn = 1; lsn <= kMany; ++lsn) all += fmt::format("{} x | x\n", lsn);
    QVERIFY(logs.waitForOutput(all.size()));
    logs.signal(SIGTERM);
    QCOMPARE(sortedLines(logs.end().out), sortedLines(all));
}

void TestYardctlLogs::oneThatFailsDoesNotKeepTheOthersOfAQueue() {
    FakeServer server([&](const FakeRequest& request) -> FakeReply {
        const std::string line = request.line();
        if (line == kRunning)
            return {.body = R"({"jobs":[)" + action(5, "running") + "," + action(6, "running") + "]}"};
        if (line.starts_with(kStarted)) return {.body = R"({"jobs":[]})"};
        if (line == streamLine(5, "?attempt=1&follow=1"))
            return {500, R"({"error":"internal","message":"The chunk is damaged."})"};
        if (line == streamLine(6, "?attempt=1&follow=1")) return {.body = "of six\n"};
        return {.body = action(request.target.contains("/5") ? 5 : 6, "completed")};
    });
    const DataDirectory data(server);
    CtlProcess logs(data.arguments({"logs", "-f", "--queue", "7", "--stdout"}));
    QVERIFY(logs.waitForError("yardctl: action 5: The chunk is damaged."));
    const std::string six = "6 job xxx | of six\n";
    QVERIFY(logs.waitForOutput(six.size()));
    logs.signal(SIGTERM);
    QCOMPARE(logs.end().out, six);
}

void TestYardctlLogs::aFilterThatIsWrongEndsIt() {
    FakeServer server([&](const FakeRequest&) -> FakeReply {
        return {422, R"({"error":"invalid","message":"There is no key \u0022colour\u0022."})"};
    });
    const Ended ended = DataDirectory(server).run({"logs", "-f", "--filter", "colour:red"});
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains("colour"), ended.err.c_str());
    QCOMPARE(server.lines().front(),
             "GET /compute/jobs?limit=1000&sort=lsn&q=colour%3Ared%20state%3Asubmitting%2Crunning");
}

void TestYardctlLogs::whatMakesNoSenseIsRefused() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"logs"}).code, 2);
    QCOMPARE(data.run({"logs", "--tail", "-1", "5"}).code, 2);
    QCOMPARE(data.run({"logs", "--tail", "some", "5"}).code, 2);
    QCOMPARE(data.run({"logs", "--attempt", "0", "5"}).code, 2);
    QCOMPARE(data.run({"logs", "--since", "soon", "5"}).code, 2);
    QCOMPARE(data.run({"logs", "--since", "-1h", "--attempt", "1", "5"}).code, 2);
    const auto refused = [&](const QStringList& words, std::string_view why) {
        const Ended ended = data.run(QStringList{"logs"} + words);
        QCOMPARE(ended.code, 2);
        QVERIFY2(ended.err.contains(why), ended.err.c_str());
    };
    refused({"--queue", "7"}, "add --follow");
    refused({"--filter", "label:x"}, "add --follow");
    refused({"-f", "--queue", "7", "5"}, "not both");
    refused({"-f", "--queue", "7", "--tail", "3"}, "--tail is for actions that are named");
    QCOMPARE(server.lines().size(), 0);
    FakeServer wide(table({rangeOf(1, 33, "1..33")}));
    QCOMPARE(DataDirectory(wide).run({"logs", "-f", "1..33"}).err,
             "yardctl: --follow takes up to 32 actions at once\n");
}

QTEST_GUILESS_MAIN(TestYardctlLogs)
#include "tst_yardctl_logs.moc"
