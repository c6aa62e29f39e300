// yardctl run, wait and logs at a real engine: what the program gets and gives, and engines that die meanwhile.
#include "tests/app/ctl_process.h"
#include "tests/app/terminal_process.h"
#include "tests/torture/program.h"

#include <QTest>
#include <boost/json.hpp>
#include <csignal>
#include <filesystem>
#include <memory>

using namespace yard;
using namespace yard::torture;
namespace fs = std::filesystem;

namespace {

QStringList at(const Place& place, const QStringList& words) {
    return QStringList{"--data-dir", QString::fromStdString(place.data())} + words;
}

test::Ended ctl(const Place& place, const QStringList& words, std::string_view input = {}) {
    return test::CtlProcess(at(place, words), input).end();
}

/// With a shell around it: "$0" is yardctl, "$1" the data directory.
test::Ended shell(const Place& place, const QString& line) {
    return test::CtlProcess({"-c", line, YARDCTL_PATH, QString::fromStdString(place.data())}, {}, "sh").end();
}

boost::json::object parsed(const std::string& text) {
    return boost::json::parse(text).as_object();
}

/// Prints a line, waits for the file "go", prints another.
QString twoLines(const Place& place) {
    return QString("cd %1; echo begun; until [ -e go ]; do %2 0.02; done; echo done")
        .arg(QString::fromStdString(place.work()), QString::fromStdString(place.nap()));
}

} // namespace

class TestRunAtAnEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theProgramSeesWhatIsHere();
    void whatIsSecretIsNotKept();
    void stdinGoesToEveryAttempt();
    void twoMegabytesOfArgumentsAreGiven();
    void theEndHasTheCodeOfAShell_data();
    void theEndHasTheCodeOfAShell();
    void aReaderThatLeavesEndsTheProgramQuietly();
    void anEngineThatIsKilledIsFoundAgain();
    void anEngineThatIsRestartedIsWaitedFor();
    void whatWasWrittenBeforeTheEngineDiedIsKept();
    void whatWasInterruptedIsNotBegunAgain();
    void anArrayRunsElementByElement();
    void outputsAreSaved();
    void submitTakesTheSameOptions();
    void shellsAreToldWhatThereIs();
    void atATerminalAnEngineIsStarted();
    void inAPipeTheTerminalIsAskedForAnEngine();
    void aTerminalIsNotRead();
};

void TestRunAtAnEngine::theProgramSeesWhatIsHere() {
    Place place;
    qputenv("OF_THE_ENGINE", "yes");
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    qunsetenv("OF_THE_ENGINE");
    qputenv("OF_THE_CALLER", "ü");
    const QString tell = "echo \"$OF_THE_ENGINE/$OF_THE_CALLER/$MORE\"; pwd";
    const std::string here = fs::current_path().string();
    QCOMPARE(ctl(place, {"run", "-e", "MORE=m", "-c", tell}).out, fmt::format("/ü/m\n{}\n", here));
    QCOMPARE(ctl(place, {"run", "--clean-env", "-c", tell}).out, fmt::format("yes//\n{}\n", here));
    QCOMPARE(ctl(place, {"run", "-C", "/", "-c", "echo $PWD; pwd"}).out, std::string("/\n/\n"));
    qunsetenv("OF_THE_CALLER");
    QCOMPARE(engine.stop(), 0);
}

void TestRunAtAnEngine::whatIsSecretIsNotKept() {
    Place place;
    auto engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    qputenv("MY_API_KEY", "hush-4711-hush");
    const QString tell = "echo ${#MY_API_KEY}";
    QCOMPARE(ctl(place, {"run", "-c", tell}).out, std::string("14\n"));
    const test::Ended held = ctl(place, {"run", "-d", "--hold", "-c", tell});
    qunsetenv("MY_API_KEY");
    const QString lsn = QString::fromStdString(held.out).trimmed();
    engine->kill();
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place.data()))
        if (entry.is_regular_file())
            QVERIFY2(!fileText(entry.path().string()).contains("hush-4711-hush"), entry.path().c_str());
    engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    QCOMPARE(ctl(place, {"release", lsn}).code, 0);
    QCOMPARE(ctl(place, {"wait", lsn}).code, 0);
    QCOMPARE(ctl(place, {"logs", lsn}).out, std::string("0\n"));
    const test::Ended shown = ctl(place, {"show", lsn});
    QVERIFY2(shown.out.contains("it ran without MY_API_KEY"), shown.out.c_str());
    QCOMPARE(engine->stop(), 0);
}

void TestRunAtAnEngine::stdinGoesToEveryAttempt() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"run", "cat"}, "one\ntwo\n").out, std::string("one\ntwo\n"));
    QCOMPARE(ctl(place, {"run", "--", "wc", "-c"}, std::string(20'000, '\xff')).out, std::string("20000\n"));
    QCOMPARE(ctl(place, {"run", "--sandbox", "--", "wc", "-c"}, std::string(20'000, '\xff')).out,
             std::string("20000\n"));
    const QString again =
        QString("wc -c; [ -e %1/tried ] || { touch %1/tried; exit 1; }").arg(QString::fromStdString(place.work()));
    QCOMPARE(ctl(place, {"run", "--retries", "1", "-c", again}, std::string(20'000, 'x')).out,
             std::string("20000\n20000\n"));
    // From where the shell has read to.
    writeText(place.path("lines"), "first\nsecond\n");
    QCOMPARE(shell(place, QString("{ read line; \"$0\" --data-dir \"$1\" run cat; } < %1")
                              .arg(QString::fromStdString(place.path("lines"))))
                 .out,
             std::string("second\n"));
    QCOMPARE(shell(place, "\"$0\" --data-dir \"$1\" run cat < /dev/null").out, std::string());
    QCOMPARE(engine.stop(), 0);
}

void TestRunAtAnEngine::twoMegabytesOfArgumentsAreGiven() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    // A system takes 2 MiB, of which the environment and a number for each argument are a part.
    const QString line = "x=$(head -c 100000 /dev/zero | tr '\\0' a); x=\"$x $x $x $x $x\"; "
                         "\"$0\" --data-dir \"$1\" run -- sh -c 'printf %s \"$@\" | wc -c' sh $x $x $x $x";
    const QStringList words{"-c", line, YARDCTL_PATH, QString::fromStdString(place.data())};
    const test::Ended ended = test::CtlProcess(words, {}, "sh").end();
    QVERIFY2(ended.code == 0, ended.err.substr(0, 1'000).c_str());
    QCOMPARE(ended.out, std::string("2000000\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestRunAtAnEngine::theEndHasTheCodeOfAShell_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::newRow("its own") << QStringList{"-c", "exit 7"} << 7;
    QTest::newRow("a signal") << QStringList{"-c", "kill -9 $$"} << 137;
    QTest::newRow("the deadline") << QStringList{"--deadline", "0.1s", "--", "sleep", "3600"} << 124;
    QTest::newRow("not found") << QStringList{"no-such-program-7"} << 127;
    QTest::newRow("a line as a program") << QStringList{"echo hi"} << 127;
    QTest::newRow("never fits") << QStringList{"--gpus", "77", "true"} << 125;
    QTest::newRow("a queue that there is not") << QStringList{"-q", "nightly", "true"} << 125;
}

void TestRunAtAnEngine::theEndHasTheCodeOfAShell() {
    QFETCH(QStringList, words);
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended ended = ctl(place, QStringList{"run"} + words);
    QTEST(ended.code, "code");
    // -c is named only where the program is a whole command line.
    QCOMPARE(ended.err.contains("; a line for the shell goes behind -c: yardctl run -c 'echo hi'\n"),
             words == QStringList{"echo hi"});
    QCOMPARE(engine.stop(), 0);
}

void TestRunAtAnEngine::aReaderThatLeavesEndsTheProgramQuietly() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended ended = shell(place, "\"$0\" --data-dir \"$1\" run yes | head -n 2");
    QCOMPARE(ended.out, std::string("y\ny\n"));
    QCOMPARE(ended.err, std::string());
    QVERIFY(ctl(place, {"ls", "--json"}).out.contains("\"state\":\"cancelled\""));
    QCOMPARE(engine.stop(), 0);
}

/// Those who wait for an action go on at the engine that follows, wherever it listens.
void TestRunAtAnEngine::anEngineThatIsKilledIsFoundAgain() {
    Place place;
    auto engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    test::CtlProcess run(at(place, {"run", "--interruptions", "1", "-c", twoLines(place)}));
    QVERIFY(run.waitForOutput(6));
    // The first is there already: once that is told, the other one is waited for.
    QCOMPARE(ctl(place, {"run", "-d", "true"}).out, std::string("2\n"));
    test::CtlProcess wait(at(place, {"wait", "2", "1"}));
    QVERIFY(wait.waitForOutput(12));
    test::CtlProcess logs(at(place, {"logs", "-f", "1"}));
    QVERIFY(logs.waitForOutput(6));
    engine->kill();
    engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    writeText(place.path("work/go"), "");
    const test::Ended ran = run.end();
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.out, std::string("begun\nbegun\ndone\n"));
    QVERIFY2(ran.err.contains("being retried as attempt 2, which begins again from the start"), ran.err.c_str());
    QCOMPARE(logs.end().out, std::string("begun\nbegun\ndone\n"));
    const test::Ended waited = wait.end();
    QCOMPARE(waited.code, 0);
    QVERIFY2(waited.out.starts_with("2  completed") && waited.out.contains("\n1  completed"), waited.out.c_str());
    QCOMPARE(engine->stop(), 0);
}

/// As after a kill: who ends says so to those who ask meanwhile, and that is no answer about their work.
void TestRunAtAnEngine::anEngineThatIsRestartedIsWaitedFor() {
    Place place;
    auto engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    test::CtlProcess run(at(place, {"run", "--interruptions", "1", "-c", twoLines(place)}));
    QVERIFY(run.waitForOutput(6));
    test::CtlProcess logs(at(place, {"logs", "-f", "1"}));
    QVERIFY(logs.waitForOutput(6));
    test::CtlProcess wait(at(place, {"wait", "1"}));
    test::CtlProcess late(at(place, {"run", "--after", "1", "echo", "late"}));
    QVERIFY(eventually([&] { return engine->caller().get("/compute/jobs/2").status == 202; }));
    writeText(place.path("list"), R"({"worker":"exec","argv":["true"],"after":[1]})");
    test::CtlProcess submit(at(place, {"submit", "-w", QString::fromStdString(place.path("list"))}));
    QVERIFY(eventually([&] { return engine->caller().get("/compute/jobs/3").status == 202; }));
    QCOMPARE(engine->stop(), 0);
    engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    writeText(place.path("work/go"), "");
    const test::Ended ran = run.end();
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QCOMPARE(ran.out, std::string("begun\nbegun\ndone\n"));
    const test::Ended followed = logs.end();
    QVERIFY2(followed.code == 0, followed.err.c_str());
    QCOMPARE(followed.out, std::string("begun\nbegun\ndone\n"));
    const test::Ended waited = wait.end();
    QVERIFY2(waited.code == 0 && waited.out.starts_with("1  completed"), waited.err.c_str());
    const test::Ended came = late.end();
    QVERIFY2(came.code == 0, came.err.c_str());
    QCOMPARE(came.out, std::string("late\n"));
    const test::Ended submitted = submit.end();
    QVERIFY2(submitted.code == 0, submitted.err.c_str());
    QVERIFY2(submitted.out.contains("3  completed"), submitted.out.c_str());
    QCOMPARE(engine->stop(), 0);
}

/// Short output, which no file has while it runs. Killed with the launcher, its loss is told.
void TestRunAtAnEngine::whatWasWrittenBeforeTheEngineDiedIsKept() {
    for (const bool both : {false, true}) {
        Place place;
        auto engine = std::make_unique<Yardmaster>(place);
        QVERIFY2(engine->isServing(), engine->errors().c_str());
        const QString line =
            QString("cd %1; if [ -e begun ]; then echo again; exit; fi; echo hello; echo more >&2; "
                    "touch begun; until [ -e go ]; do %2 0.02; done")
                .arg(QString::fromStdString(place.work()), QString::fromStdString(place.nap()));
        QCOMPARE(ctl(place, {"run", "-d", "--interruptions", "1", "-c", line}).out, std::string("1\n"));
        QVERIFY(eventually([&] { return fs::exists(place.path("work/begun")); }));
        // What nobody knows to have begun cannot have lost anything.
        QVERIFY(eventually([&] { return engine->caller().get("/compute/jobs/1").text("state") == "running"; }));
        if (both) {
            // Whoever is stopped writes nothing more, whenever it is killed.
            const int launcher = engine->launcherPid();
            ::kill(launcher, SIGSTOP);
            engine->kill();
            ::kill(launcher, SIGKILL);
        } else {
            engine->kill();
        }
        engine = std::make_unique<Yardmaster>(place);
        QVERIFY2(engine->isServing(), engine->errors().c_str());
        QCOMPARE(ctl(place, {"wait", "1"}).code, 0);
        QCOMPARE(ctl(place, {"logs", "1"}).out, std::string("again\n"));
        const test::Ended first = ctl(place, {"logs", "1", "--attempt", "1"});
        QCOMPARE(first.code, 0);
        QCOMPARE(first.out, std::string(both ? "" : "hello\n"));
        QCOMPARE(
            first.err,
            std::string(both ? "yardctl: what attempt 1 of action 1 wrote was lost with the engine\n" : "more\n"));
        QCOMPARE(engine->stop(), 0);
    }
}

/// Of the engine, and of its launcher. What has not begun waits on.
void TestRunAtAnEngine::whatWasInterruptedIsNotBegunAgain() {
    Place place;
    auto engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    test::CtlProcess run(at(place, {"run", "-c", twoLines(place)}));
    QVERIFY(run.waitForOutput(6));
    test::CtlProcess waiting(at(place, {"run", "--after", "1:any", "echo", "late"}));
    QVERIFY(eventually([&] { return engine->caller().get("/compute/jobs/2").status == 202; }));
    engine->kill();
    engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    const test::Ended ran = run.end();
    QCOMPARE(ran.code, 125);
    QCOMPARE(ran.out, std::string("begun\n"));
    QVERIFY2(ran.err.contains("action 1 was interrupted (") && ran.err.contains("engine died") &&
                 ran.err.contains("'yardctl retry 1' runs it again"),
             ran.err.c_str());
    QCOMPARE(waiting.end().out, std::string("late\n"));
    // As the sentence says.
    writeText(place.path("work/go"), "");
    QCOMPARE(ctl(place, {"retry", "--force", "1"}).code, 0);
    QCOMPARE(ctl(place, {"wait", "1"}).code, 0);
    fs::remove(place.path("work/go"));
    test::CtlProcess other(at(place, {"run", "-c", twoLines(place)}));
    QVERIFY(other.waitForOutput(6));
    ::kill(engine->launcherPid(), SIGKILL);
    const test::Ended lost = other.end();
    QCOMPARE(lost.code, 125);
    QVERIFY2(lost.err.contains("was interrupted (abandoned: lost runner"), lost.err.c_str());
    QCOMPARE(engine->stop(), 0);
}

void TestRunAtAnEngine::anArrayRunsElementByElement() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended ended = ctl(place, {"run", "--array", "3-5", "-c", "echo {index}/$YARD_INDEX; exit {index}"});
    QCOMPARE(ended.out, std::string("3/3\n4/4\n5/5\n"));
    QCOMPARE(ended.code, 3);
    QCOMPARE(engine.stop(), 0);
}

void TestRunAtAnEngine::outputsAreSaved() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    writeText(place.path("source"), "given");
    const test::Ended ended = ctl(place, {"run", "--input", QString::fromStdString("in=" + place.path("source")),
                                          "--expect", "made", "--out", QString::fromStdString(place.path("out")),
                                          "-c", "cp \"$YARD_SCRATCH/inputs/in\" \"$YARD_SCRATCH/outputs/made\""});
    QCOMPARE(ended.err, std::string());
    // Its number is not the first: it was refused once, for want of the input.
    const std::string lsn = std::to_string(parsed(ctl(place, {"ls", "--json"}).out).at("lsn").as_int64());
    QCOMPARE(fileText(place.path("out/" + lsn + "/made")), std::string("given"));
    QCOMPARE(engine.stop(), 0);
}

void TestRunAtAnEngine::submitTakesTheSameOptions() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    writeText(place.path("text"), "read me\n");
    const std::string actions = fmt::format(R"({{"worker":"exec","argv":["cat"],"stdin":"@{}","label":"own"}}
[{{"worker":"exec","argv":["env"],"env":{{"A":"1","B":"1"}},"resources":{{"memory_mb":1}}}}])",
                                            place.path("text"));
    const test::Ended ended =
        ctl(place, {"submit", "--label", "both", "-e", "B=2", "--cores", "1", "--wait", "-"}, actions);
    QCOMPARE(ended.code, 0);
    QCOMPARE(ctl(place, {"logs", "1"}).out, std::string("read me\n"));
    QVERIFY(ctl(place, {"logs", "2"}).out.contains("A=1\nB=2\n"));
    Caller caller = engine.caller();
    QCOMPARE(caller.get("/compute/jobs/1").text("label"), std::string("both"));
    QVERIFY(caller.get("/compute/jobs/2/spec").body.contains(R"("resources":{"memory_mb":1,"cores":1})"));
    QCOMPARE(engine.stop(), 0);
}

void TestRunAtAnEngine::shellsAreToldWhatThereIs() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"queue", "create", "--tag", "nightly"}).code, 0);
    QCOMPARE(ctl(place, {"run", "-q", "nightly", "--label", "tidy", "true"}).code, 0);
    QCOMPARE(ctl(place, {"completion", "values", "lsns"}).out, std::string("1\ttidy (completed)\n"));
    QVERIFY(ctl(place, {"completion", "values", "queues"}).out.contains("nightly\tqueue 1\n1\tnightly\n"));
    QCOMPARE(ctl(place, {"completion", "values", "workers"}).code, 0);
    QCOMPARE(ctl(place, {"completion", "values", "colours"}).code, 2);
    const QString typed = "eval \"$(\"$0\" completion bash)\"; COMP_WORDS=(\"$0\" --data-dir \"$1\" %1 ''); "
                          "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _yardctl; echo \"${COMPREPLY[@]}\"";
    const auto offered = [&](const QString& words) {
        return test::CtlProcess({"-c", typed.arg(words), YARDCTL_PATH, QString::fromStdString(place.data())}, {},
                                "bash")
            .end()
            .out;
    };
    QCOMPARE(offered("show"), std::string("1\n"));
    QCOMPARE(offered("run --after"), std::string("1\n"));
    QVERIFY2(offered("run -q").contains("nightly"), offered("run -q").c_str());
    QVERIFY2(offered("queue show").contains("nightly"), offered("queue show").c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestRunAtAnEngine::atATerminalAnEngineIsStarted() {
    Place place;
    const std::vector<std::string> words = {YARDCTL_PATH, "--data-dir", place.data(), "run", "-c", "echo \"h\"i"};
    test::TerminalProcess no(words);
    QVERIFY2(no.shows("Start one in the background? [Y/n] "), no.shown().c_str());
    no.type("n\n");
    QCOMPARE(no.end(), 125);
    QVERIFY2(no.shown().contains("start one with 'yardmaster --headless --data-dir /"), no.shown().c_str());
    test::TerminalProcess yes(words);
    QVERIFY2(yes.shows("Start one in the background? [Y/n] "), yes.shown().c_str());
    yes.type("\n");
    QCOMPARE(yes.end(), 0);
    QVERIFY2(yes.shown().contains("yardctl: started an engine, process "), yes.shown().c_str());
    QVERIFY2(yes.shown().contains("'yardctl --data-dir " + place.data() + " session sunset' ends it"),
             yes.shown().c_str());
    QVERIFY2(yes.shown().ends_with("hi\r\n"), yes.shown().c_str());
    // It lives on, and nobody is asked any more.
    QCOMPARE(ctl(place, {"run", "true"}).code, 0);
    QCOMPARE(ctl(place, {"session", "sunset"}).code, 0);
    QVERIFY(eventually([&] { return !fs::exists(place.path("data/address")); }));
    QVERIFY(eventually([&] { return processesOf(place).empty(); }));
}

void TestRunAtAnEngine::inAPipeTheTerminalIsAskedForAnEngine() {
    Place place;
    const std::vector<std::string> line = {
        "/bin/sh", "-c", "seq 3 | \"$0\" --data-dir \"$1\" run sort -r | tr '\\n' .", YARDCTL_PATH, place.data()};
    test::TerminalProcess no(line);
    QVERIFY2(no.shows("Start one in the background? [Y/n] "), no.shown().c_str());
    no.type("n\n");
    QCOMPARE(no.end(), 0); // tr's
    QVERIFY2(no.shown().contains("start one with 'yardmaster --headless --data-dir /"), no.shown().c_str());
    test::TerminalProcess yes(line);
    QVERIFY2(yes.shows("Start one in the background? [Y/n] "), yes.shown().c_str());
    yes.type("\n");
    QCOMPARE(yes.end(), 0);
    QVERIFY2(yes.shown().ends_with("3.2.1."), yes.shown().c_str());
    QCOMPARE(ctl(place, {"session", "sunset"}).code, 0);
    QVERIFY(eventually([&] { return !fs::exists(place.path("data/address")); }));
    QVERIFY(eventually([&] { return processesOf(place).empty(); }));
}

void TestRunAtAnEngine::aTerminalIsNotRead() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    test::TerminalProcess run({YARDCTL_PATH, "--data-dir", place.data(), "run", "-c", "cat; echo en\"\"d"});
    QCOMPARE(run.end(), 0);
    QVERIFY2(run.shown().ends_with("end\r\n"), run.shown().c_str()); // behind what it waited for, on a busy machine
    // The first Ctrl+C ends it gently.
    test::TerminalProcess long_({YARDCTL_PATH, "--data-dir", place.data(), "run", "-c",
                                 "trap 'echo b\"\"ye; exit 0' TERM; echo begu\"\"n; while :; do sleep 0.01; done"});
    QVERIFY(long_.shows("begun"));
    long_.type("\x03");
    QCOMPARE(long_.end(), 130);
    QVERIFY2(long_.shown().contains("bye"), long_.shown().c_str());
    QCOMPARE(engine.stop(), 0);
}

QTEST_GUILESS_MAIN(TestRunAtAnEngine)
#include "tst_run_at_an_engine.moc"
