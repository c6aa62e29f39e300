// yardctl run: output as it comes, exit codes, signals, retries, an engine that is lost.
#include "core/base/hash.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/app/one_action.h"

#include <QDir>
#include <QTest>
#include <atomic>
#include <boost/json.hpp>
#include <csignal>
#include <fmt/format.h>

using namespace yard::test;
namespace json = boost::json;

class TestYardctlRun : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void submitsWhereItStandsAndExitsWithTheCode();
    void outputIsSeenBeforeTheActionEnds();
    void optionsBecomeMembersOfTheAction();
    void memoryMayBeWhatWasLearned();
    void aPoolIsAQueueThatIsMadeOnce();
    void elsewhereNothingOfHereIsSentAlong();
    void aLineGoesToTheShell();
    void aSignalGives128AndIts();
    void whatIsNotTheProgramsEndIsExplained();
    void interruptCancelsAndWaitsForTheEnd();
    void aSecondInterruptLeavesAtOnce();
    void whatComesThroughAPipeIsGiven();
    void tooMuchThroughAPipeIsRefused();
    void anArraysOutputComesElementByElement();
    void theDeadlineHasACodeOfItsOwn();
    void aSubmissionIsRepeatedOverABrokenConnection();
    void withoutAnEngineItSaysHowToGetOne();
    void aRetriedAttemptIsFollowedByTheNext();
    void whyAnAttemptCouldNotStartIsSaidAtOnce();
    void anEngineThatMovedIsFoundAgain();
    void aReaderThatLeavesCancels();
    void detachPrintsTheNumber();
    void jsonPrintsTheResultOnly();
};

void TestYardctlRun::submitsWhereItStandsAndExitsWithTheCode() {
    OneAction script;
    script.onStdout = always("out\n");
    script.onStderr = always("err\n");
    script.onResult = always(R"({"lsn":7,"state":"failed","reason":"exit_code","exit_code":3})");
    FakeServer server(script);
    const DataDirectory data(server);
    const Ended ended = data.run({"run", "--", "make", "-j4"});
    QCOMPARE(ended.code, 3);
    QCOMPARE(ended.out, "out\n");
    QCOMPARE(ended.err, "err\n");
    const FakeRequest posted = server.find("POST /compute/jobs");
    const json::object action = json::parse(posted.body).as_object();
    QCOMPARE(action.at("worker").as_string(), "exec");
    QCOMPARE(json::serialize(action.at("argv")), R"(["make","-j4"])");
    QCOMPARE(std::string(action.at("cwd").as_string()), QDir::currentPath().toStdString());
    QCOMPARE(action.at("max_retries").as_int64(), 0); // as in a shell
    QCOMPARE(action.at("max_interruptions").as_int64(), 0);
    QCOMPARE(action.size(), std::size_t{7});
    // What was typed sees what is set here, and nothing of the engine's.
    QCOMPARE(std::string(action.at("env").as_object().at("PATH").as_string()), qgetenv("PATH").toStdString());
    QVERIFY(!action.at("env").as_object().contains("_"));
    QVERIFY(!action.at("engine_env").as_bool());
    QCOMPARE(posted.headers.at("authorization"), "Bearer secret");
    QCOMPARE(posted.headers.at("content-type"), "application/json");
    QCOMPARE(posted.headers.at("host"), "127.0.0.1:" + std::to_string(server.port()));
    QVERIFY(posted.headers.contains("idempotency-key"));
}

void TestYardctlRun::outputIsSeenBeforeTheActionEnds() {
    Gate seen;
    OneAction script;
    script.onStdout = [&](const FakeRequest&) {
        return FakeReply{.stream = [&](FakeStream& stream) {
            stream.write("first\n");
            seen.wait();
            stream.write("second\n");
            return true;
        }};
    };
    script.onResult = [&](const FakeRequest&) {
        seen.wait();
        return FakeReply{.body = R"({"lsn":7,"state":"completed"})"};
    };
    FakeServer server(script);
    const DataDirectory data(server);
    CtlProcess ctl(data.arguments({"run", "true"}));
    QVERIFY(ctl.waitForOutput(6));
    QCOMPARE(ctl.outSoFar(), "first\n");
    seen.open();
    const Ended ended = ctl.end();
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "first\nsecond\n");
}

void TestYardctlRun::optionsBecomeMembersOfTheAction() {
    OneAction script;
    const QTemporaryDir dir;
    const std::string env = (dir.path() + "/env").toStdString();
    QVERIFY(yard::writeFileAtomically(env, "# ours\n\nA=first\nB= c\n", 0600));
    FakeServer server([&](const FakeRequest& request) {
        if (request.line() == rangeOf(5, 6, "").first) return rangeOf(5, 6, "5..6").second;
        return request.target == "/compute/queues/7/jobs" ? FakeReply{.body = R"({"lsn":7,"queue_id":7})"}
                                                          : script(request);
    });
    const DataDirectory data(server);
    const QString options =
        "run -q 7 --label x --priority -5 --deadline 2min --cwd /tmp/a/../b/ -e A=b=c --cores 2 "
        "--after 4 --after 5..6:any --lock l --hold --retries 3 --memory 1.5G --gpus 0.5 "
        "--gpu-memory 20G --resource licence.x=2 --array 0-9 --expect a.png --sandbox --clean-env";
    const QStringList files = {"--env-from", QString::fromStdString(env), "--input",
                               QString::fromStdString("in.txt=" + env)};
    QCOMPARE(data.run(options.split(' ') + files + QStringList{"true"}).code, 0);
    const json::object action = json::parse(server.find("POST /compute/queues/7/jobs").body).as_object();
    const json::value expected =
        json::parse(R"({"worker":"exec","argv":["true"],"cwd":"/tmp/b","env":{"A":"b=c","B":" c"},
        "label":"x","locks":["l"],"priority":-5,"deadline_s":120,"resources":{"cores":2,"memory_mb":1536,"gpus":0.5,"gpu_memory_mb":20480,
        "licence.x":2},"after":[4,{"lsn":5,"on":"any"},{"lsn":6,"on":"any"}],"hold":true,"max_retries":3,"max_interruptions":0,
        "array":{"from":0,"to":9},"expect":["a.png"],"sandbox":true,"inputs":{"in.txt":")" +
                    yard::Sha256::of("# ours\n\nA=first\nB= c\n").hex() + "\"}}");
    QCOMPARE(action.at("deadline_s").to_number<double>(), 120.0);
    for (const auto& [key, value] : expected.as_object())
        if (key != "deadline_s") QCOMPARE(json::serialize(action.at(key)), json::serialize(value));
    QCOMPARE(action.size(), expected.as_object().size());
}

void TestYardctlRun::memoryMayBeWhatWasLearned() {
    OneAction script;
    FakeServer server([&](const FakeRequest& request) { return script(request); });
    const DataDirectory data(server);
    QCOMPARE(data.run({"run", "--memory", "learned", "true"}).code, 0);
    const json::object action = json::parse(server.find("POST /compute/jobs").body).as_object();
    QCOMPARE(json::serialize(action.at("resources")), std::string(R"({"memory_mb":"learned"})"));
}

void TestYardctlRun::aPoolIsAQueueThatIsMadeOnce() {
    OneAction script;
    std::vector<std::string> tagged; // "pool 8", each a queue from 7 on
    std::string dropped;
    bool isLate = false; // somebody else made one at the same moment
    FakeServer server([&](const FakeRequest& request) {
        if (request.line() == "GET /compute/queues") {
            std::string queues;
            for (std::size_t i = 0; i < tagged.size(); ++i)
                queues += fmt::format(R"({}{{"queue_id":{},"tag":"{}"}})", i > 0 ? "," : "", 7 + i, tagged[i]);
            return FakeReply{.body = R"({"queues":[)" + queues + "]}"};
        }
        if (request.line() == "POST /compute/queues") {
            if (isLate) tagged.emplace_back("pool 8");
            tagged.emplace_back("pool 8");
            return FakeReply{.body = fmt::format(R"({{"queue_id":{}}})", 6 + tagged.size())};
        }
        if (request.method == "DELETE") dropped = request.target;
        if (request.target == "/compute/queues/7/jobs") return FakeReply{.body = R"({"lsn":7,"queue_id":7})"};
        return script(request);
    });
    const DataDirectory data(server);
    for (int i = 0; i < 2; ++i) QCOMPARE(data.run({"run", "--pool", "8", "--", "true"}).code, 0);
    QCOMPARE(tagged.size(), std::size_t{1});
    QCOMPARE(dropped, std::string());
    const auto& made = server.requests();
    QVERIFY(std::ranges::any_of(made, [](const FakeRequest& request) {
        return request.line() == "POST /compute/queues" && request.body.contains(R"("tag":"pool 8")") &&
               request.body.contains(R"("max_running":8)");
    }));
    tagged.clear();
    isLate = true;
    QCOMPARE(data.run({"run", "--pool", "8", "--", "true"}).code, 0);
    QCOMPARE(dropped, std::string("/compute/queues/8"));
    for (const char* count : {"0", "x", "-1"}) QCOMPARE(data.run({"run", "--pool", count, "true"}).code, 2);
    QCOMPARE(data.run({"run", "--pool", "8", "-q", "7", "true"}).code, 2);
}

void TestYardctlRun::elsewhereNothingOfHereIsSentAlong() {
    const auto sent = [](const QStringList& options) {
        OneAction script;
        FakeServer server(script);
        const DataDirectory data(server);
        data.run(QStringList{"run"} + options + QStringList{"true"});
        json::object action = json::parse(server.find("POST /compute/jobs").body).as_object();
        for (const char* usual : {"worker", "argv", "max_retries", "max_interruptions"}) action.stable_erase(usual);
        if (action.contains("env")) action["env"] = action.at("env").as_object().contains("PATH");
        return json::serialize(action);
    };
    QCOMPARE(sent({"--machine", "desk", "--platform", "linux-aarch64"}),
             R"({"machine":"desk","platform":"linux-aarch64"})");
    QCOMPARE(sent({"--machine", "desk", "--machine", "tag:render", "-e", "A=b"}),
             R"({"machine":["desk","tag:render"],"env":false})");
    QCOMPARE(sent({"--machine", "desk", "--jobserver", "pipe"}), R"({"machine":"desk","jobserver":true})");
    QCOMPARE(sent({"--machine", "desk", "--jobserver", "fifo"}), R"({"machine":"desk","jobserver":"fifo"})");
    QCOMPARE(sent({"--machine", "desk", "--jobserver", "off"}), R"({"machine":"desk","jobserver":false})");
    QCOMPARE(sent({"--machine", "any", "--cwd", "/tmp"}), R"({"cwd":"/tmp","machine":"any"})");
    const std::string here = QDir::currentPath().toStdString();
    QCOMPARE(sent({"--machine", "local"}),
             R"({"cwd":")" + here + R"(","env":true,"engine_env":false,"machine":"local"})");
}

void TestYardctlRun::aLineGoesToTheShell() {
    OneAction script;
    FakeServer server(script);
    const DataDirectory data(server);
    QCOMPARE(data.run({"run", "-c", "cat a | wc -l > \"$1\"", "me", "out"}).code, 0);
    const json::object action = json::parse(server.find("POST /compute/jobs").body).as_object();
    QCOMPARE(json::serialize(action.at("argv")), R"(["/bin/sh","-c","cat a | wc -l > \"$1\"","me","out"])");
    const Ended nothing = data.run({"run", "-d"});
    QCOMPARE(nothing.code, 2);
    QVERIFY(nothing.err.starts_with("yardctl: 'run' wants a program, or a line for the shell with -c\n"));
}

void TestYardctlRun::aSignalGives128AndIts() {
    OneAction script;
    script.onResult = always(R"({"lsn":7,"state":"failed","reason":"signal","signal":11})");
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"run", "true"});
    QCOMPARE(ended.code, 139);
    QCOMPARE(ended.err, "yardctl: action 7 failed: killed by SIGSEGV\n");
    script.onResult = always(
        R"({"lsn":7,"state":"failed","reason":"signal","signal":11,"note":"killed by SIGSEGV; its last line: x"})");
    FakeServer noting(script);
    QCOMPARE(DataDirectory(noting).run({"run", "true"}).err,
             "yardctl: action 7 failed: killed by SIGSEGV; its last line: x\n");
}

void TestYardctlRun::whatIsNotTheProgramsEndIsExplained() {
    OneAction script;
    script.onStdout = always(R"({"error":"not_found","message":"It never ran."})", 404);
    script.onStderr = script.onStdout;
    script.onResult = always(R"({"lsn":7,"state":"failed","reason":"spawn_error","note":"no such program: frob"})");
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"run", "frob"});
    QCOMPARE(ended.code, 125);
    QCOMPARE(ended.err, "yardctl: action 7 failed: spawn error: no such program: frob\n");
}

void TestYardctlRun::interruptCancelsAndWaitsForTheEnd() {
    for (const auto& [number, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143), std::pair(SIGHUP, 129)}) {
        Gate cancelled;
        OneAction script;
        script.onStdout = [&](const FakeRequest&) {
            return FakeReply{.stream = [&](FakeStream& stream) {
                stream.write("working\n");
                cancelled.wait();
                stream.write("bye\n");
                return true;
            }};
        };
        script.onCancel = [&] { cancelled.open(); };
        script.onResult = [&](const FakeRequest&) {
            cancelled.wait();
            return FakeReply{.body = R"({"lsn":7,"state":"cancelled","reason":"cancelled","signal":15})"};
        };
        FakeServer server(script);
        const DataDirectory data(server);
        CtlProcess ctl(data.arguments({"run", "true"}));
        QVERIFY(ctl.waitForOutput(8));
        ctl.signal(number);
        const Ended ended = ctl.end();
        QCOMPARE(ended.code, code);
        QCOMPARE(ended.out, "working\nbye\n");
        QCOMPARE(ended.err, "");
    }
}

void TestYardctlRun::aSecondInterruptLeavesAtOnce() {
    Gate asked;
    OneAction script;
    script.onStdout = script.onResult = [](const FakeRequest&) { return untilGone(); };
    // What the program prints while yardctl leaves does not come after yardctl's last words.
    script.onStderr = [&](const FakeRequest&) {
        return FakeReply{.stream = [&](FakeStream& stream) {
            asked.wait();
            while (stream.write("x")) {
            }
            return false;
        }};
    };
    script.onCancel = [&] { asked.open(); };
    FakeServer server(script);
    const DataDirectory data(server);
    CtlProcess ctl(data.arguments({"run", "true"}));
    QVERIFY(ctl.waitForOutput(1));
    ctl.signal(SIGINT);
    asked.wait();
    ctl.signal(SIGINT);
    const Ended ended = ctl.end();
    QCOMPARE(ended.code, 130);
    QVERIFY2(ended.err.ends_with(
                 "yardctl: action 7 is left to the engine, which cancels it; 'yardctl wait 7' waits for its end\n"),
             ended.err.c_str());
}

void TestYardctlRun::whatComesThroughAPipeIsGiven() {
    OneAction script;
    FakeServer server(script);
    const DataDirectory data(server);
    const auto posted = [&](const std::string& input, const QStringList& words) {
        const Ended ended = data.run(QStringList{"run", "--clean-env"} + words, input);
        if (ended.code != 0) return fmt::format("{} {}", ended.code, ended.err);
        std::string last;
        for (const FakeRequest& request : server.requests())
            if (request.line() == "POST /compute/jobs") last = request.body;
        const json::object action = json::parse(last).as_object();
        return action.contains("stdin") ? json::serialize(action.at("stdin")) : std::string("none");
    };
    QCOMPARE(posted("", {"cat"}), std::string("none"));
    QCOMPARE(posted("a\nb", {"cat"}), std::string(R"({"text":"a\nb"})"));
    // What is no text, or long, is a chunk.
    const QTemporaryDir dir;
    const std::string path = (dir.path() + "/file").toStdString();
    QVERIFY(yard::writeFileAtomically(path, "x\n", 0600));
    QCOMPARE(posted("left alone", {"--stdin", QString::fromStdString(path), "cat"}),
             std::string(R"({"text":"x\n"})"));
    for (const std::string& input : {std::string("\xff"), std::string(5000, 'x')})
        QCOMPARE(posted(input, {"--stdin", "-", "cat"}),
                 fmt::format(R"({{"hash":"{}"}})", yard::Sha256::of(input).hex()));
    const Ended missing = data.run({"run", "--stdin", "/no/such/file", "cat"});
    QCOMPARE(missing.code, 125);
    QCOMPARE(missing.err, "yardctl: cannot open /no/such/file: No such file or directory\n");
    const QString fromDirectory = "\"$0\" --data-dir \"$1\" run cat < \"$1\"";
    const Ended directory = CtlProcess({"-c", fromDirectory, YARDCTL_PATH, data.path()}, {}, "sh").end();
    QCOMPARE(directory.code, 125);
    QCOMPARE(directory.err, "yardctl: cannot read stdin: Is a directory; < /dev/null gives the program none\n");
}

void TestYardctlRun::tooMuchThroughAPipeIsRefused() {
    FakeServer server{OneAction()};
    const DataDirectory data(server);
    const QString pipeline = "head -c 70000000 /dev/zero | \"$0\" --data-dir \"$1\" run cat";
    const Ended ended = CtlProcess({"-c", pipeline, YARDCTL_PATH, data.path()}, {}, "sh").end();
    QCOMPARE(ended.code, 125);
    QVERIFY2(ended.err.starts_with("yardctl: stdin has more than 64 MiB"), ended.err.c_str());
    QCOMPARE(server.requests().size(), std::size_t{0});
}

void TestYardctlRun::anArraysOutputComesElementByElement() {
    FakeServer server([](const FakeRequest& request) {
        if (request.line() == "POST /compute/jobs") return FakeReply{.body = R"({"lsn":7,"queue_id":0,"count":2})"};
        const bool isSecond = request.target.starts_with("/compute/jobs/8");
        if (request.target.contains("/stdout")) return FakeReply{.body = isSecond ? "two\n" : "one\n"};
        if (request.target.contains("/stderr")) return FakeReply{.body = ""};
        return FakeReply{.body = isSecond ? R"({"lsn":8,"state":"failed","reason":"exit_code","exit_code":5})"
                                          : R"({"lsn":7,"state":"completed","exit_code":0})"};
    });
    const DataDirectory data(server);
    const Ended ended = data.run({"run", "--array", "0-1", "--", "make", "{index}"});
    QCOMPARE(ended.out, "one\ntwo\n");
    QCOMPARE(ended.code, 5);
    QCOMPARE(data.run({"run", "-d", "--array", "0-1", "true"}).out, "7..8\n");
}

void TestYardctlRun::theDeadlineHasACodeOfItsOwn() {
    OneAction script;
    script.onResult = always(R"({"lsn":7,"state":"failed","reason":"deadline","signal":15})");
    FakeServer server(script);
    QCOMPARE(DataDirectory(server).run({"run", "true"}).code, 124);
}

void TestYardctlRun::aSubmissionIsRepeatedOverABrokenConnection() {
    std::atomic<int> posts = 0;
    OneAction script;
    FakeServer server([&](const FakeRequest& request) {
        if (request.line() == "POST /compute/jobs" && posts++ == 0) return FakeReply{.close = true};
        return script(request);
    });
    QCOMPARE(DataDirectory(server).run({"run", "-d", "true"}).out, "7\n");
    const auto requests = server.requests();
    QCOMPARE(requests.size(), std::size_t{2});
    QCOMPARE(requests[0].headers.at("idempotency-key"), requests[1].headers.at("idempotency-key"));
}

void TestYardctlRun::withoutAnEngineItSaysHowToGetOne() {
    const QTemporaryDir dir;
    const Ended none = CtlProcess({"--data-dir", dir.path(), "run", "true"}).end();
    QCOMPARE(none.code, 125);
    QVERIFY2(none.err.contains("start one with 'yardmaster --headless --data-dir /"), none.err.c_str());
    const Ended other = CtlProcess({"--url", "http://127.0.0.1:1", "run", "true"}).end();
    QCOMPARE(other.code, 125);
    QVERIFY2(other.err.contains("no engine answers at http://127.0.0.1:1"), other.err.c_str());
    // Nobody is asked for an engine, and none is looked for, before the words are right.
    const Ended wrong = CtlProcess({"--data-dir", dir.path(), "run", "--pool", "0", "true"}).end();
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.contains("--pool wants a number from 1"), wrong.err.c_str());
}

void TestYardctlRun::aRetriedAttemptIsFollowedByTheNext() {
    OneAction script;
    std::atomic<bool> secondAsked = false;
    script.onStdout = [&](const FakeRequest& request) {
        if (request.target.find("attempt=1&") != std::string::npos) return FakeReply{.body = "one\n"};
        // Not begun the first time it is asked for: the back-off.
        if (!secondAsked.exchange(true)) return FakeReply{404, R"({"error":"not_found","message":"Not yet."})"};
        return FakeReply{.body = "two\n"};
    };
    script.onResult = [&](const FakeRequest&) {
        if (secondAsked)
            return FakeReply{.body = R"({"lsn":7,"state":"completed","retry_count":1,
            "attempts":[{"n":1,"state":"failed","reason":"exit_code","exit_code":9,"note":"one"}]})"};
        return FakeReply{202, R"({"lsn":7,"state":"pending","retry_count":1,
            "attempts":[{"n":1,"state":"failed","reason":"exit_code","exit_code":9,"note":"one"}]})"};
    };
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"run", "true"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.err, "yardctl: action 7: attempt 1 failed: exit code 9; being retried as attempt 2\n");
    QVERIFY(ended.out.starts_with("one\n"));
}

/// Nobody should have to wait for the last of ten tries to learn that the program is misspelt.
void TestYardctlRun::whyAnAttemptCouldNotStartIsSaidAtOnce() {
    OneAction script;
    script.onStdout = [](const FakeRequest& request) {
        if (request.target.find("attempt=1&") == std::string::npos) return FakeReply{.body = "two\n"};
        return FakeReply{404, R"({"error":"not_found","message":"It did not run."})"};
    };
    script.onResult = [](const FakeRequest&) {
        return FakeReply{.body = R"({"lsn":7,"state":"completed","retry_count":1,"attempts":[
            {"n":1,"state":"failed","reason":"spawn_error","note":"the program 'tru' was not found"}]})"};
    };
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"run", "tru"});
    QCOMPARE(ended.err, "yardctl: action 7: attempt 1 failed: spawn error (the program 'tru' was not found); an "
                        "interruption, not a failure of the program: being retried as attempt 2, which begins "
                        "again from the start\n");
}

void TestYardctlRun::anEngineThatMovedIsFoundAgain() {
    OneAction second;
    second.onStdout = always("hello");
    FakeServer there(second);
    std::atomic<DataDirectory*> data = nullptr;
    OneAction first;
    const auto moved = [&](const FakeRequest&) {
        data.load()->setAddress(there.url());
        return FakeReply{.close = true};
    };
    first.onStdout = moved;
    first.onStderr = moved;
    first.onResult = moved;
    FakeServer here(first);
    DataDirectory directory(here);
    data = &directory;
    const Ended ended = directory.run({"run", "true"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "hello");
}

void TestYardctlRun::aReaderThatLeavesCancels() {
    Gate cancelled;
    OneAction script;
    script.onStdout = [&](const FakeRequest&) {
        return FakeReply{.stream = [&](FakeStream& stream) {
            while (stream.write(std::string(4096, 'y'))) {
            }
            return false;
        }};
    };
    script.onCancel = [&] { cancelled.open(); };
    script.onResult = [&](const FakeRequest&) {
        cancelled.wait();
        return FakeReply{.body = R"({"lsn":7,"state":"cancelled","reason":"cancelled","signal":15})"};
    };
    FakeServer server(script);
    const DataDirectory data(server);
    const QString pipeline = "{ \"$0\" --data-dir \"$1\" run yes; echo $? >&2; } | head -c 1";
    const Ended ended = CtlProcess({"-c", pipeline, YARDCTL_PATH, data.path()}, {}, "sh").end();
    QCOMPARE(ended.out, "y");
    QCOMPARE(ended.err, std::to_string(128 + SIGPIPE) + "\n"); // and not a word of it
}

void TestYardctlRun::detachPrintsTheNumber() {
    FakeServer server{OneAction()};
    const Ended ended = DataDirectory(server).run({"run", "-d", "true"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "7\n");
    QCOMPARE(server.requests().size(), std::size_t{1});
}

void TestYardctlRun::jsonPrintsTheResultOnly() {
    OneAction script;
    script.onResult = always(R"({"lsn":7,"state":"failed","reason":"exit_code","exit_code":4})");
    FakeServer server(script);
    const Ended ended = DataDirectory(server).run({"run", "--json", "true"});
    QCOMPARE(ended.code, 4);
    QCOMPARE(ended.out, "{\"lsn\":7,\"state\":\"failed\",\"reason\":\"exit_code\",\"exit_code\":4}\n");
}

QTEST_GUILESS_MAIN(TestYardctlRun)
#include "tst_yardctl_run.moc"
