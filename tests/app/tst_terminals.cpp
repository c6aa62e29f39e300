// yardctl run -t at a real engine: what a person sees at their terminal, and in which state they get it back.
#include "tests/app/at_engine.h"

#include <QTest>
#include <boost/json.hpp>
#include <csignal>
#include <functional>
#include <memory>

using namespace yard;
using namespace yard::torture;
using test::ctl;
using test::TerminalProcess;
using test::words;

namespace {

std::vector<std::string> atTerminal(const Place& place, const std::vector<std::string>& more) {
    std::vector<std::string> all = {"run", "-t"};
    all.insert(all.end(), more.begin(), more.end());
    return words(place, all);
}

/// Does `first`, says that it is there, then goes on.
std::vector<std::string> script(const Place& place, const std::string& line, const std::string& first = "") {
    return atTerminal(place, {"-c", first + "echo re\"\"ady; " + line});
}

} // namespace

class TestTerminals : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aShellIsAsInTheOwnTerminal();
    void sizeAndKeysReachTheProgram();
    void whoeverEndsItTheModesComeBack_data();
    void whoeverEndsItTheModesComeBack();
    void itIsLeftToTheEngine();
    void aClosedWindowLeavesItToTheEngine();
    void aClosedWindowLeavesWhatWaitsToTheEngine();
    void itIsSuspendedAndGoesOn_data();
    void itIsSuspendedAndGoesOn();
    void itIsDrawnAgainWhenItGoesOn_data();
    void itIsDrawnAgainWhenItGoesOn();
    void aDeadEngineIsLeft();
    void whatWaitsSaysSoAndIsCancelled();
    void aLongPasteArrivesWhole();
    void coloursAreInTheLog();
    void aSandboxHasOneToo();
    void howFarItIsStandsBesideWhatItPrints();
    void aMapCountsTheHalfOfWhatIsHalfDone();
    void withoutATerminalThereIsNone_data();
    void withoutATerminalThereIsNone();
};

void TestTerminals::aShellIsAsInTheOwnTerminal() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    qputenv("TERM", "vt220");
    TerminalProcess run(atTerminal(place, {"--", "bash", "--norc", "--noprofile", "-i"}), 33, 77);
    const std::string before = run.modesBefore();
    run.type("echo h\"\"i $TERM; stty size; exit 3\r");
    QCOMPARE(run.end(), 3);
    QVERIFY2(run.shown().contains("hi vt220\r\n33 77\r\n"), run.shown().c_str());
    QCOMPARE(run.modes(), before);
    // The usual hour is nothing for a person at a terminal.
    const std::string spec = engine.caller().get("/compute/jobs/1/spec").body;
    QVERIFY2(spec.contains("\"deadline_s\":315360000"), spec.c_str());
    TerminalProcess clean(atTerminal(place, {"--clean-env", "-c", "echo $TERM; kill -9 $$"}));
    QCOMPARE(clean.end(), 128 + SIGKILL);
    QVERIFY2(clean.shown().contains("vt220\r\n"), clean.shown().c_str());
    QCOMPARE(clean.modes(), before);
    TerminalProcess none(atTerminal(place, {"--", "/nowhere/at-all"}));
    QCOMPARE(none.end(), 127);
    QVERIFY2(none.shown().contains("does not exist"), none.shown().c_str());
    QCOMPARE(none.modes(), before);
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::sizeAndKeysReachTheProgram() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess run(script(place, "until [ \"$x\" = end ]; do read x; echo \"[$x]\"; done; exit 4",
                               "trap 'stty size' WINCH; trap 'echo ca\"\"ught' INT; "));
    QVERIFY(run.shows("ready\r\n"));
    QVERIFY(run.isRaw());
    run.resize(50, 132);
    run.type("a~b\r");
    QVERIFY2(run.shows("[a~b]\r\n"), run.shown().c_str());
    QVERIFY2(run.shows("50 132\r\n"), run.shown().c_str());
    run.type("\x03\r");
    QVERIFY2(run.shows("caught\r\n"), run.shown().c_str());
    run.type("end\r");
    QCOMPARE(run.end(), 4);
    QCOMPARE(engine.stop(), 0);
}

using End = std::function<void(TerminalProcess&, std::unique_ptr<Yardmaster>&, const Place&)>;
Q_DECLARE_METATYPE(End)

void TestTerminals::whoeverEndsItTheModesComeBack_data() {
    QTest::addColumn<End>("end");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, int code, const End& end) { QTest::newRow(name) << end << code; };
    const auto signal = [](int number) {
        return [number](TerminalProcess& run, auto&, const Place&) { run.signal(number); };
    };
    row("the program", 0, [](TerminalProcess& run, auto&, const Place&) { run.type("\x04"); });
    row("SIGTERM", 128 + SIGTERM, signal(SIGTERM));
    row("SIGQUIT", 128 + SIGQUIT, signal(SIGQUIT));
    row("SIGHUP", 128 + SIGHUP, signal(SIGHUP));
    row("SIGINT", 128 + SIGINT, signal(SIGINT));
    row("the person", 128 + SIGINT, [](TerminalProcess& run, auto&, const Place&) { run.type("\r~."); });
    row("somebody who cancels it", 128 + SIGTERM,
        [](TerminalProcess&, auto&, const Place& place) { QCOMPARE(ctl(place, {"cancel", "1"}).code, 0); });
    row("the engine's end and a new one", 125,
        [](TerminalProcess&, std::unique_ptr<Yardmaster>& engine, const Place& place) {
            engine->kill();
            engine = std::make_unique<Yardmaster>(place);
            QVERIFY2(engine->isServing(), engine->errors().c_str());
        });
}

void TestTerminals::whoeverEndsItTheModesComeBack() {
    QFETCH(End, end);
    QFETCH(int, code);
    Place place;
    auto engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    TerminalProcess run(script(place, "printf '\\033[?1049h'; cat"));
    const std::string before = run.modesBefore();
    QVERIFY(run.shows("ready\r\n"));
    QVERIFY(run.shows("\x1b[?1049h"));
    QVERIFY(run.isRaw());
    end(run, engine, place);
    QCOMPARE(run.end(), code);
    QCOMPARE(run.modes(), before);
    QVERIFY2(run.shown().contains("\x1b[?1049l\x1b[m"),
             run.shown().c_str()); // what the program set in the terminal
    QCOMPARE(engine->stop(), 0);
}

void TestTerminals::itIsLeftToTheEngine() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess run(script(place, "read x; exit 5"));
    QVERIFY(run.shows("ready\r\n"));
    run.type("~?");
    QVERIFY2(run.shows("~^Z  suspend yardctl"), run.shown().c_str());
    run.type("~.");
    QCOMPARE(run.end(), 130);
    QVERIFY2(run.shown().contains(
                 "\r\nyardctl: action 1 is left to the engine and goes on; 'yardctl attach 1' comes back "
                 "to it, 'yardctl cancel 1' ends it\r\n"),
             run.shown().c_str());
    Caller caller = engine.caller();
    QCOMPARE(caller.get("/compute/jobs/1").text("state"), std::string("running"));
    QCOMPARE(caller.post("/compute/jobs/1/terminal", "\n", "Content-Type: application/octet-stream\r\n").status,
             200);
    QCOMPARE(caller.result(1).number("exit_code"), std::int64_t{5});
    QCOMPARE(engine.stop(), 0);
}

/// With what was typed into it.
void TestTerminals::aClosedWindowLeavesItToTheEngine() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess run(script(place, "read x; echo \"[$x]\"; read y; echo \"$x $y\"; exit 5"));
    QVERIFY(run.shows("ready\r\n"));
    run.type("kept\r");
    QVERIFY2(run.shows("[kept]\r\n"), run.shown().c_str());
    QCOMPARE(run.hangUp(), 128 + SIGHUP);
    QCOMPARE(engine.caller().get("/compute/jobs/1").text("state"), std::string("running"));
    TerminalProcess back({YARDCTL_PATH, "--data-dir", place.data(), "attach", "1"});
    QVERIFY2(back.shows("[kept]\r\n"), back.shown().c_str());
    back.type("on\r");
    QCOMPARE(back.end(), 5);
    QVERIFY2(back.shown().contains("kept on\r\n"), back.shown().c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::aClosedWindowLeavesWhatWaitsToTheEngine() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess run(atTerminal(place, {"--hold", "-c", "exit 6"}));
    QVERIFY2(run.shows("yardctl: action 1 is held; "), run.shown().c_str());
    QCOMPARE(run.hangUp(), 128 + SIGHUP);
    QCOMPARE(engine.caller().get("/compute/jobs/1").text("state"), std::string("pending"));
    QCOMPARE(ctl(place, {"release", "1"}).code, 0);
    QCOMPARE(engine.caller().result(1).number("exit_code"), std::int64_t{6});
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::itIsSuspendedAndGoesOn_data() {
    QTest::addColumn<bool>("bySignal");
    QTest::newRow("by its keys") << false;
    QTest::newRow("by a signal") << true;
}

/// Of a shell with job control, which takes the terminal meanwhile.
void TestTerminals::itIsSuspendedAndGoesOn() {
    QFETCH(bool, bySignal);
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    writeText(place.path("command"),
              fmt::format("echo re\"\"ady; until [ \"$x\" = end ]; do read x; echo \"[$x] $(stty "
                          "size)\"; done; exit 6\n"));
    TerminalProcess shell({"/bin/bash", "--norc", "--noprofile", "-i"});
    shell.type(fmt::format("PS1='pro''mpt '; {} --data-dir {} run -t -- sh {}\r", YARDCTL_PATH, place.data(),
                           place.path("command")));
    QVERIFY(shell.shows("ready\r\n"));
    if (bySignal) {
        for (const int pid : processesOf(place))
            if (fileText(fmt::format("/proc/{}/comm", pid)) == "yardctl\n") ::kill(pid, SIGTSTP);
    } else {
        shell.type("~\x1a");
    }
    QVERIFY2(shell.shows("Stopped"), shell.shown().c_str());
    QVERIFY2(shell.shows("prompt "), shell.shown().c_str());
    shell.resize(20, 60);
    shell.type("echo in the sh\"\"ell; fg\r");
    QVERIFY2(shell.shows("in the shell\r\n"), shell.shown().c_str());
    QVERIFY(eventually([&] { return shell.isRaw(); }));
    // The new size is on its way beside the keys.
    std::string answered;
    const auto sized = [&] {
        answered = shell.answer("x", "[x] ");
        return answered == "[x] 20 60";
    };
    QVERIFY2(eventually(sized), answered.c_str());
    shell.type("end\r");
    QVERIFY2(shell.shows("[end] 20 60\r\n"), shell.shown().c_str());
    QVERIFY2(shell.shows("prompt "), shell.shown().c_str()); // perhaps in the same piece
    shell.type("echo code $?; exit\r");
    QVERIFY2(shell.shows("code 6\r\n"), shell.shown().c_str());
    QCOMPARE(shell.end(), 0);
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::itIsDrawnAgainWhenItGoesOn_data() {
    itIsSuspendedAndGoesOn_data();
}

/// With its screen and its modes, which the shell has not meanwhile.
void TestTerminals::itIsDrawnAgainWhenItGoesOn() {
    QFETCH(bool, bySignal);
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    writeText(place.path("command"),
              "printf '\\033[?1049h'; trap 'echo \"drawn $(stty size)\"' WINCH; echo re\"\"ady; "
              "until [ \"$x\" = end ]; do read x; echo \"[$x]\"; done; exit 6\n");
    TerminalProcess shell({"/bin/bash", "--norc", "--noprofile", "-i"});
    shell.type(fmt::format("PS1='pro''mpt '; {} --data-dir {} run -t -- sh {}\r", YARDCTL_PATH, place.data(),
                           place.path("command")));
    QVERIFY(shell.shows("ready\r\n"));
    shell.forget();
    if (bySignal) {
        for (const int pid : processesOf(place))
            if (fileText(fmt::format("/proc/{}/comm", pid)) == "yardctl\n") ::kill(pid, SIGTSTP);
    } else {
        shell.type("~\x1a");
    }
    QVERIFY2(shell.shows("Stopped"), shell.shown().c_str());
    QVERIFY2(shell.shown().contains("\x1b[?1049l\x1b[m"), shell.shown().c_str());
    QVERIFY2(shell.shows("prompt "), shell.shown().c_str());
    shell.forget();
    shell.type("fg\r");
    QVERIFY2(shell.shows("\x1b[?1049h"), shell.shown().c_str());
    QVERIFY(eventually([&] { return shell.isRaw(); }));
    // A size that changes and changes back; the shell hears of it between two lines.
    int line = 0;
    QVERIFY(eventually([&] {
        shell.type(fmt::format("{}\r", ++line));
        return shell.shows(fmt::format("[{}]\r\n", line)) && shell.shown().contains("drawn 24 80\r\n");
    }));
    shell.type("end\r");
    QVERIFY2(shell.shows("\x1b[?1049l"), shell.shown().c_str());
    QVERIFY2(shell.shows("prompt "), shell.shown().c_str());
    shell.type("echo code $?; exit\r");
    QVERIFY2(shell.shows("code 6\r\n"), shell.shown().c_str());
    QCOMPARE(shell.end(), 0);
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::aDeadEngineIsLeft() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess run(script(place, "cat"));
    const std::string before = run.modesBefore();
    QVERIFY(run.shows("ready\r\n"));
    engine.kill();
    run.type("x");
    QVERIFY2(
        run.shows("yardctl: the engine does not answer; it is looked for. Enter and ~. leave action 1 to it.\r\n"),
        run.shown().c_str());
    run.type("\r~.");
    QCOMPARE(run.end(), 130);
    QCOMPARE(run.modes(), before);
}

void TestTerminals::whatWaitsSaysSoAndIsCancelled() {
    Place place;
    Yardmaster engine(place, {.arguments = {"--set", "max_terminals=1"}, .wrapper = {}, .dataDir = {}});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(script(place, "cat"));
    QVERIFY(first.shows("ready\r\n"));
    TerminalProcess second(script(place, "cat"));
    const std::string before = second.modesBefore();
    QVERIFY2(second.shows("yardctl: action 2 waits: 0 of 1 terminals free"), second.shown().c_str());
    QVERIFY2(second.shows("Ctrl+C cancels it\r\n"), second.shown().c_str());
    QCOMPARE(second.modes(), before);
    second.type("\x03");
    QCOMPARE(second.end(), 130);
    first.type("\x04");
    QCOMPARE(first.end(), 0);
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::aLongPasteArrivesWhole() {
    constexpr std::size_t kSize = 400'000;
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess run(
        atTerminal(place, {"-c", fmt::format("stty raw -echo; echo ready; head -c {} | tr -d k | wc -c; "
                                             "exit 7",
                                             kSize)}));
    QVERIFY(run.shows("ready"));
    run.type(std::string(kSize, 'k'));
    QCOMPARE(run.end(), 7);
    QVERIFY2(run.shown().ends_with("ready\n0\n"), run.shown().c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::coloursAreInTheLog() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess run(atTerminal(place, {"-c", "printf '\\033[1;31mred\\033[0m\\n'"}), 33, 77);
    QCOMPARE(run.end(), 0);
    // On a busy machine a line before says what it waits for.
    QVERIFY2(run.shown().ends_with("\x1b[1;31mred\x1b[0m\r\n"), run.shown().c_str());
    const test::Ended log = ctl(place, {"logs", "1"});
    QCOMPARE(log.out, std::string("\x1b[1;31mred\x1b[0m\r\n"));
    QCOMPARE(log.err, std::string());
    const test::Ended shown = ctl(place, {"show", "1"});
    QVERIFY2(shown.out.contains("\nterminal     33 rows, 77 columns\n"), shown.out.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::aSandboxHasOneToo() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string look = "for fd in 0 1 2; do [ -t $fd ] && echo -n $fd; done; stty size; ";
    const std::string wait = "trap 'exit 8' INT; echo ready; read x";
    TerminalProcess run(atTerminal(place, {"--sandbox", "--", "/bin/sh", "-c", look + wait}), 33, 77);
    if (!run.shows("ready\r\n") && run.shown().contains("sandbox")) QSKIP("no sandbox can be made here");
    QVERIFY2(run.shown().contains("01233 77\r\n"), run.shown().c_str());
    run.type("\x03");
    QCOMPARE(run.end(), 8);
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::howFarItIsStandsBesideWhatItPrints() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string go = place.path("go");
    const std::string line =
        fmt::format("echo begun; echo progress 0.4 >$YARD_STATUS; until [ -e {0} ]; do {1} 0.05; done; "
                    "printf open; until [ -e {0}2 ]; do {1} 0.05; done; echo; exit 3",
                    go, place.nap());
    TerminalProcess run(words(place, {"run", "--progress", "-c", line}));
    QVERIFY2(run.shows("begun\r\n"), run.shown().c_str());
    QVERIFY2(run.shows("1  [########            ] 40 %"), run.shown().c_str());
    writeText(go, "");
    QVERIFY2(run.shows("\r\x1b[Kopen"), run.shown().c_str()); // the line goes first
    run.forget();
    writeText(go + "2", "");
    QCOMPARE(run.end(), 3);
    const std::string& shown = run.shown();
    QVERIFY2(shown.find('%') == std::string::npos || shown.find('%') > shown.find("\r\n"), shown.c_str());
    // Where there is no terminal it is left out, and what does not go together is refused.
    QCOMPARE(ctl(place, {"run", "--progress", "echo", "x"}).err, std::string());
    for (const char* other : {"-t", "-d"}) QCOMPARE(ctl(place, {"run", "--progress", other, "true"}).code, 2);
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::aMapCountsTheHalfOfWhatIsHalfDone() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string go = place.path("go");
    const std::string line =
        fmt::format("echo progress 0.5 >$YARD_STATUS; until [ -e {} ]; do {} 0.05; done; exit 0", go, place.nap());
    TerminalProcess map(words(place, {"map", "-j1", "--bar", line, ":::", "1", "2"}));
    QVERIFY2(map.shows("[#####               ]  25 %  0 of 2"), map.shown().c_str());
    map.resize(24, 24);
    QVERIFY2(map.shows("\r[#####               ] \x1b[K"), map.shown().c_str());
    map.signal(SIGSTOP);
    writeText(go, "");
    map.resize(24, 80);
    map.signal(SIGCONT);
    QCOMPARE(map.end(), 0);
    QVERIFY2(map.shown().contains("100 %  2 of 2"), map.shown().c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestTerminals::withoutATerminalThereIsNone_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const QStringList& words, const char* sentence) {
        QTest::newRow(name) << words << QString(sentence);
    };
    row("a pipe", {"run", "-t", "true"},
        "yardctl: --tty needs a terminal here as stdin and stdout; without it 'run' works with pipes and files\n");
    row("detached", {"run", "-t", "-d", "true"},
        "yardctl: --tty and --detach do not go together: nobody would be at the terminal\n");
    row("with a file to read", {"run", "--tty", "--stdin", "/dev/null", "true"},
        "yardctl: --tty and --stdin do not go together: the terminal is the program's stdin\n");
    row("for an array", {"run", "-t", "--array", "0-3", "true"},
        "yardctl: --tty and --array do not go together: there is one terminal here, and an action for each "
        "index\n");
}

void TestTerminals::withoutATerminalThereIsNone() {
    QFETCH(QStringList, words);
    QFETCH(QString, sentence);
    Place place;
    const test::Ended ended = ctl(place, words);
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.starts_with(sentence.toStdString()), ended.err.c_str());
}

QTEST_GUILESS_MAIN(TestTerminals)
#include "tst_terminals.moc"
