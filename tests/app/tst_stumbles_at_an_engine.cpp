// What people stumble over at the command line: what cannot be taken back, what seems to hang, what has to be typed
// twice.
#include "tests/app/at_engine.h"
#include "tests/base/in_mount_namespace.h"

#include <QTest>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace yard;
using namespace yard::torture;
using test::at;
using test::ctl;
using test::TerminalProcess;
using test::words;

class TestStumblesAtAnEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatOnlyARestartTakesBackIsAskedAbout_data();
    void whatOnlyARestartTakesBackIsAskedAbout();
    void whatIsHeldIsSaidToBe();
    void atATerminalItIsSaidWhatARunWaitsFor();
    void whatFailedGoesAgainByAFilter();
    void aNamedActionGoesAgain();
    void aSlipInTheEditorIsEditedAgain();
    void whatWaitsForAnEditedOneThatRunsIsTold();
    void theAdviceNamesTheDirectoryThatWasTyped();
    void aCancelUnderWayIsTold();
    void anEndThatAFullDiskKeepsBackIsSaidAndLeft();
    void withoutADesktopABellTellsOfTheEnd();
    void whatNeverRanHasNoTimes();
    void aLongPathIsShortenedInItsNote();
};

void TestStumblesAtAnEngine::whatOnlyARestartTakesBackIsAskedAbout_data() {
    QTest::addColumn<std::string>("move");
    QTest::addColumn<std::string>("question");
    QTest::addColumn<std::string>("state");
    QTest::newRow("pause") << std::string("pause")
                           << std::string(
                                  "yardctl: pause the session until the engine is restarted? 'hold --all' can be "
                                  "taken back. [y/N] ")
                           << std::string("paused");
    QTest::newRow("abandon") << std::string("abandon")
                             << std::string("yardctl: abandon all that is pending or running, until the engine is "
                                            "restarted? [y/N] ")
                             << std::string("abandoned");
}

void TestStumblesAtAnEngine::whatOnlyARestartTakesBackIsAskedAbout() {
    QFETCH(std::string, move);
    QFETCH(std::string, question);
    QFETCH(std::string, state);
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string before = engine.caller().get("/compute/session").text("state");
    TerminalProcess no(words(place, {"session", move}));
    QVERIFY2(no.shows(question), no.shown().c_str());
    no.type("\r");
    QCOMPARE(no.end(), 1);
    QVERIFY2(no.shown().contains("yardctl: nothing was done\r\n"), no.shown().c_str());
    QCOMPARE(engine.caller().get("/compute/session").text("state"), before);
    TerminalProcess yes(words(place, {"session", move}));
    QVERIFY(yes.shows(question));
    yes.type("y\r");
    QCOMPARE(yes.end(), 0);
    QCOMPARE(engine.caller().get("/compute/session").text("state"), state);
    TerminalProcess unasked(words(place, {"session", move, "--yes"}));
    (void)unasked.end();
    QVERIFY2(!unasked.shown().contains("[y/N]"), unasked.shown().c_str());
    QVERIFY(!ctl(place, {"session", QString::fromStdString(move)}).err.contains("[y/N]")); // a script means it
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::whatIsHeldIsSaidToBe() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended left = ctl(place, {"run", "-d", "--hold", "true"});
    QCOMPARE(left.out, std::string("1\n"));
    QCOMPARE(left.err, std::string("yardctl: action 1 is held; 'yardctl release 1' lets it start\n"));
    const test::Ended array = ctl(place, {"run", "-d", "--hold", "--array", "0-1", "true"});
    QCOMPARE(array.err, std::string("yardctl: actions 2..3 are held; 'yardctl release 2..3' lets them start\n"));
    QCOMPARE(ctl(place, {"--json", "run", "-d", "--hold", "true"}).err, std::string());
    TerminalProcess run(words(place, {"run", "--hold", "echo", "gone on"}));
    QVERIFY2(run.shows("yardctl: action 5 is held; 'yardctl release 5' lets it start\r\n"), run.shown().c_str());
    QCOMPARE(ctl(place, {"release", "5"}).code, 0);
    QCOMPARE(run.end(), 0);
    QVERIFY(run.shown().ends_with("gone on\r\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::atATerminalItIsSaidWhatARunWaitsFor() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"hold", "--all"}).code, 0);
    test::CtlProcess script(at(place, {"run", "true"})); // no terminal: nothing is said
    TerminalProcess run(words(place, {"run", "echo", "gone on"}));
    QVERIFY2(run.shows(" waits: its queue is held\r\n"), run.shown().c_str());
    QCOMPARE(ctl(place, {"release", "--all"}).code, 0);
    QCOMPARE(run.end(), 0);
    QVERIFY2(run.shown().ends_with("gone on\r\n"), run.shown().c_str());
    const test::Ended silent = script.end();
    QCOMPARE(silent.err, std::string());
    QCOMPARE(silent.code, 0);
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::whatFailedGoesAgainByAFilter() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"run", "-l", "it", "false"}).code, 1); // max_retries 0: at its limit
    QCOMPARE(ctl(place, {"run", "-l", "it", "true"}).code, 0);
    const test::Ended failed = ctl(place, {"retry", "--filter", "label:it state:failed"});
    QCOMPARE(failed.err, std::string());
    QCOMPARE(failed.out, std::string("1 action goes again\n"));
    Caller caller = engine.caller();
    QCOMPARE(caller.result(1).number("retry_count"), std::int64_t{1});
    QCOMPARE(ctl(place, {"retry", "--all"}).out, std::string("1 action goes again\n"));
    QCOMPARE(caller.result(1).number("retry_count"), std::int64_t{2});
    QCOMPARE(ctl(place, {"retry", "1..1"}).out, std::string("1 goes again\n")); // a range is meant, too
    QCOMPARE(caller.result(1).number("retry_count"), std::int64_t{3});
    // What completed does not, whatever finds it.
    (void)ctl(place, {"retry", "--filter", "label:it state:completed"});
    QCOMPARE(caller.result(2).number("retry_count"), std::int64_t{0});
    QCOMPARE(engine.stop(), 0);
}

/// The first time it writes what is no member, the second time what is meant.
void TestStumblesAtAnEngine::aSlipInTheEditorIsEditedAgain() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string editor = place.path("editor");
    (void)writeFileAtomically(
        editor,
        fmt::format("#!/bin/sh\nif [ -e {0} ]; then sed -i 's/argh/argv/; s/false/true/' \"$1\"\n"
                    "else : >{0}; sed -i 's/argv/argh/' \"$1\"; fi\n",
                    place.path("second")),
        0755);
    qunsetenv("VISUAL");
    qputenv("EDITOR", QByteArray::fromStdString(editor));
    qputenv("TMPDIR", QByteArray::fromStdString(place.path()));
    QCOMPARE(ctl(place, {"run", "false"}).code, 1);
    TerminalProcess edit(words(place, {"edit", "1"}));
    QVERIFY2(edit.shows("edit it again? [Y/n] "), edit.shown().c_str());
    QVERIFY2(edit.shown().contains("argh"), edit.shown().c_str());
    edit.type("\n");
    QCOMPARE(edit.end(), 0);
    Caller caller = engine.caller();
    QCOMPARE(caller.result(2).text("state"), std::string("completed"));
    // Who says no, and a script, keep what they wrote.
    QVERIFY(::unlink(place.path("second").c_str()) == 0);
    TerminalProcess no(words(place, {"edit", "--again", "1"}));
    QVERIFY2(no.shows("edit it again? [Y/n] "), no.shown().c_str());
    no.type("n\n");
    QCOMPARE(no.end(), 1);
    QVERIFY2(no.shown().contains("has what you wrote"), no.shown().c_str());
    QVERIFY(::unlink(place.path("second").c_str()) == 0);
    const test::Ended script = ctl(place, {"edit", "--again", "1"});
    QVERIFY2(script.code == 1 && !script.err.contains("again?"), script.err.c_str());
    qunsetenv("EDITOR");
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::whatWaitsForAnEditedOneThatRunsIsTold() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    QCOMPARE(caller
                 .post("/compute/jobs", R"([{"worker":"exec","argv":["sleep","1000"],"id":"a"},
        {"worker":"exec","argv":["true"],"after":["a"]}])")
                 .status,
             200);
    QVERIFY(eventually([&] { return caller.get("/compute/jobs/1").text("state") == "running"; }));
    const std::string editor = place.path("editor");
    (void)writeFileAtomically(editor, "#!/bin/sh\nsed -i 's/1000/0/' \"$1\"\n", 0755);
    qputenv("TMPDIR", QByteArray::fromStdString(place.path()));
    qunsetenv("VISUAL");
    qputenv("EDITOR", QByteArray::fromStdString(editor));
    const test::Ended edited = ctl(place, {"edit", "1"});
    QCOMPARE(edited.out, "3\n");
    QCOMPARE(edited.err,
             "yardctl: 1 runs on, and is still waited for by 2: 'yardctl edit' makes them wait for another\n");
    qunsetenv("EDITOR");
    QCOMPARE(ctl(place, {"cancel", "1"}).code, 0);
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::aNamedActionGoesAgain() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"run", "false"}).code, 1); // max_retries 0: at its limit
    QCOMPARE(ctl(place, {"run", "true"}).code, 0);
    const test::Ended named = ctl(place, {"retry", "1"});
    QCOMPARE(named.err, std::string());
    QCOMPARE(named.out, std::string("1 goes again\n"));
    Caller caller = engine.caller();
    QCOMPARE(caller.result(1).number("retry_count"), std::int64_t{1});
    QCOMPARE(ctl(place, {"retry", "2"}).code, 1); // completed
    QCOMPARE(caller.result(2).number("retry_count"), std::int64_t{0});
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::theAdviceNamesTheDirectoryThatWasTyped() {
    Place place;
    const test::Ended none = ctl(place, {"ls"});
    QCOMPARE(none.code, 1);
    QVERIFY2(none.err.contains(fmt::format(
                 "start one with 'yardmaster --headless --data-dir {}', or say where it is", place.data())),
             none.err.c_str());
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    engine.kill();
    // A child that it was just starting may hold its socket for a moment longer.
    test::Ended gone;
    QVERIFY(eventually([&] {
        gone = ctl(place, {"ls"});
        return !gone.err.contains("broke while");
    }));
    QVERIFY2(gone.err.contains(fmt::format(
                 "start one with 'yardmaster --headless --data-dir {}', or say where it is", place.data())),
             gone.err.c_str());
}

void TestStumblesAtAnEngine::aCancelUnderWayIsTold() {
    Place place;
    Yardmaster engine(place, {.arguments = {"--set", "grace_s=60"}, .wrapper = {}, .dataDir = {}});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    const std::string ready = place.path("ready");
    QCOMPARE(caller
                 .post("/compute/jobs",
                       shJson(place, fmt::format("trap '' TERM; touch {0}.on; while [ ! -e {0} ]; do {1} "
                                                 "0.02; done",
                                                 ready, place.nap())))
                 .number("lsn"),
             std::int64_t{1});
    QVERIFY(eventually([&] { return ::access((ready + ".on").c_str(), F_OK) == 0; }));
    // The program may be there before the engine has heard of its start.
    QVERIFY(eventually([&] { return caller.get("/compute/jobs/1").text("state") == "running"; }));
    const test::Ended both =
        test::CtlProcess({"-c", "\"$0\" --data-dir \"$1\" cancel 1 && \"$0\" --data-dir \"$1\" why 1", YARDCTL_PATH,
                          QString::fromStdString(place.data())},
                         {}, "sh")
            .end();
    QVERIFY2(both.out.contains("1 is running:\n  ending "), both.out.c_str());
    writeText(ready, "go");
    QCOMPARE(caller.result(1).text("state"), std::string("cancelled"));
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::anEndThatAFullDiskKeepsBackIsSaidAndLeft() {
    static const QTemporaryDir dir;
    YARD_IN_MOUNT_NAMESPACE(dir.path(), "mount -t tmpfs -o size=12m,mode=700 tmpfs $YARD_TEST_MOUNTED");
    const std::string mounted = qEnvironmentVariable(test::kMountedVariable).toStdString();
    const std::string data = mounted + "/data";
    Place place;
    Yardmaster engine(place, {.arguments = {"--capacity", "2"}, .wrapper = {}, .dataDir = data});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QStringList run{"--data-dir", QString::fromStdString(data), "run", "-c",
                          QString("echo begun; until [ -e %1 ]; do %2 0.02; done")
                              .arg(QString::fromStdString(place.path("go")), QString::fromStdString(place.nap()))};
    test::CtlProcess ended(run);
    test::CtlProcess cancelled(run);
    QVERIFY(ended.waitForOutput(6) && cancelled.waitForOutput(6));
    const std::string fill = fmt::format("head -c 64m /dev/zero >{}/filler 2>/dev/null; true", mounted);
    QCOMPARE(std::system(fill.c_str()), 0); // NOLINT(concurrency-mt-unsafe)
    // Its program runs, is ended, and that cannot be kept: nothing is waited for.
    cancelled.signal(SIGTERM);
    const test::Ended left = cancelled.end();
    QCOMPARE(left.code, 128 + SIGTERM);
    QVERIFY2(left.err.contains("the journal cannot be written to keep that: is the disk full?"), left.err.c_str());
    // The engine takes the cancel, or has seen already that it cannot keep it.
    QVERIFY2(left.err.contains("is left to the engine, which cancels it; 'yardctl wait ") ||
                 left.err.contains("is left to the engine and not cancelled; 'yardctl cancel "),
             left.err.c_str());
    // Its program ends by itself. It is said before anybody asks.
    writeText(place.path("go"), "");
    QVERIFY(ended.waitForError("its program has ended, and the journal cannot be written to keep that: is the disk "
                               "full?"));
    QVERIFY(std::remove((mounted + "/filler").c_str()) == 0);
    QCOMPARE(ended.end().code, 0); // once there is room
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::withoutADesktopABellTellsOfTheEnd() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    std::vector<std::string> all{
        "/usr/bin/env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "-u", "DBUS_SESSION_BUS_ADDRESS"};
    const auto append = [&](const std::vector<std::string>& more) {
        std::vector<std::string> line = all;
        const auto last = words(place, more);
        line.insert(line.end(), last.begin(), last.end());
        return line;
    };
    TerminalProcess quiet(append({"run", "true"}));
    QCOMPARE(quiet.end(), 0);
    QVERIFY(!quiet.shown().contains('\a'));
    TerminalProcess run(append({"run", "--notify", "true"}));
    QCOMPARE(run.end(), 0);
    QVERIFY(run.shown().contains('\a'));
    TerminalProcess wait(append({"wait", "--notify", "1", "2"}));
    QCOMPARE(wait.end(), 0);
    QVERIFY(wait.shown().contains('\a'));
    QCOMPARE(ctl(place, {"run", "-d", "--notify", "true"}).code, 2);
    const std::string list = place.path("list");
    writeText(list, R"({"worker":"exec","argv":["true"]})");
    TerminalProcess submit(append({"submit", "--wait", "--progress", "--notify", list}));
    QCOMPARE(submit.end(), 0);
    QVERIFY(submit.shown().contains('\a'));
    for (const char* option : {"--notify", "--progress"})
        QCOMPARE(ctl(place, {"submit", option, QString::fromStdString(list)}).code, 2);
    QCOMPARE(engine.stop(), 0);
}

void TestStumblesAtAnEngine::whatNeverRanHasNoTimes() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"run", "/no/such/program"}).code, 127);
    const std::string list = ctl(place, {"ls", "--columns", "state,started,runtime,tries"}).out;
    QVERIFY2(list.ends_with("\nfailed: spawn error  -           -      1\n"), list.c_str());
    const std::string shown = ctl(place, {"show", "1"}).out;
    QVERIFY2(!shown.contains("ran for"), shown.c_str());
    QCOMPARE(engine.stop(), 0);
}

/// PATH alone may have a hundred kilobytes, and the note is in every list.
void TestStumblesAtAnEngine::aLongPathIsShortenedInItsNote() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString path = "PATH=/begin:" + QString("/ü/n").repeated(20'000) + ":/end";
    for (const QStringList& line : {QStringList{"run", "-e", path, "nosuchprogram"},
                                    {"run", "/no/" + QString("ü").repeated(10'000)},
                                    {"run", "-C", "/no/" + QString("ü").repeated(2'000), "true"}}) {
        const test::Ended ended = ctl(place, line);
        QVERIFY2(ended.err.size() < 2'000, ended.err.c_str());
        QVERIFY2(ended.err.contains("…"), ended.err.c_str());
        QVERIFY2(!ended.err.contains("\uFFFD"), ended.err.c_str()); // no half of a character
    }
    QCOMPARE(engine.stop(), 0);
}

QTEST_GUILESS_MAIN(TestStumblesAtAnEngine)
#include "tst_stumbles_at_an_engine.moc"
