// yardctl attach at a real engine: back to a terminal whose client was left, killed or cut off.
#include "tests/app/at_engine.h"
#include "tests/app/relay.h"

#include <QTest>
#include <csignal>

using namespace yard;
using namespace yard::torture;
using test::ctl;
using test::TerminalProcess;
using test::words;

namespace {

/// `first` is done before it says that it is there.
std::vector<std::string> run(const Place& place, const std::string& line, const std::string& first = "") {
    return words(place, {"run", "-t", "-c", first + "echo re\"\"ady; " + line});
}

/// Answers each line that is typed, until "end".
const char* const kAnswers = "until [ \"$x\" = end ]; do read x; echo \"[$x] $(stty size)\"; done; exit 5";

std::int64_t attached(Yardmaster& engine) {
    const Answer action = engine.caller().get("/compute/jobs/1");
    return action.json().at("tty").at("attached").as_int64();
}

} // namespace

class TestAttach : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void afterItsClientWasKilled();
    void afterItsConnectionBroke();
    void afterItWasLeftAndLeftAgain();
    void theProgramDrawsItselfAgain();
    void onlyTheEndOfMuchOutputIsShown();
    void somebodyElseIsThere();
    void whoStaysGetsTheSizeBackWhenAnotherLeaves();
    void whatCannotBeAttachedToSaysWhy();
    void anEndMeanwhileIsToldWithItsCode();
    void aSignalLeavesItRunning();
    void shellsOfferLiveTerminals();
    void aRetrySaysThatNobodyIsThere();
};

void TestAttach::afterItsClientWasKilled() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(run(place, kAnswers));
    QVERIFY(first.shows("ready\r\n"));
    first.type("one\r");
    QVERIFY(first.shows("[one] 24 80\r\n"));
    QVERIFY(eventually([&] { return attached(engine) == 1; }));
    first.signal(SIGKILL);
    QCOMPARE(first.end(), -1);
    TerminalProcess again(words(place, {"attach", "1"}), 40, 100);
    const std::string before = again.modesBefore();
    QVERIFY2(again.shows("[one] 24 80\r\n"), again.shown().c_str());
    QVERIFY(again.shown().starts_with("ready\r\n"));
    QVERIFY(eventually([&] { return again.isRaw() && attached(engine) == 1; }));
    // The new size is on its way beside the keys.
    std::string answered;
    const auto sized = [&] {
        answered = again.answer("two", "[two] ");
        return answered == "[two] 40 100";
    };
    QVERIFY2(eventually(sized), answered.c_str());
    again.type("end\r");
    QCOMPARE(again.end(), 5);
    QVERIFY2(again.shown().ends_with("[end] 40 100\r\n"), again.shown().c_str());
    QCOMPARE(again.modes(), before);
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::afterItsConnectionBroke() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    test::Relay relay(engine.port());
    TerminalProcess first({YARDCTL_PATH, "--url", relay.url(), "--token-file", place.data() + "/token", "run", "-t",
                           "-c", std::string("echo re\"\"ady; ") + kAnswers});
    QVERIFY2(first.shows("ready\r\n"), first.shown().c_str());
    relay.cut();
    first.type("lost\r");
    QVERIFY2(first.shows("the engine does not answer"), first.shown().c_str());
    QVERIFY(eventually([&] { return attached(engine) == 0; }));
    TerminalProcess again(words(place, {"attach", "1"}));
    QVERIFY2(again.shows("ready\r\n"), again.shown().c_str());
    again.type("back\r");
    QVERIFY2(again.shows("[back] 24 80\r\n"), again.shown().c_str());
    QVERIFY(!again.shown().contains("[lost]"));
    again.type("end\r");
    QCOMPARE(again.end(), 5);
    first.type("\r~.");
    QCOMPARE(first.end(), 130);
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::afterItWasLeftAndLeftAgain() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(run(place, kAnswers));
    QVERIFY(first.shows("ready\r\n"));
    first.type("~.");
    QCOMPARE(first.end(), 130);
    QVERIFY2(first.shown().contains("'yardctl attach 1' comes back to it"), first.shown().c_str());
    TerminalProcess second(words(place, {"attach", "1"}));
    QVERIFY(second.shows("ready\r\n"));
    second.type("x\r");
    QVERIFY2(second.shows("[x] 24 80\r\n"), second.shown().c_str());
    second.type("~.");
    QCOMPARE(second.end(), 130);
    QVERIFY2(second.shown().contains(
                 "yardctl: action 1 goes on; 'yardctl attach 1' comes back to it, 'yardctl cancel 1' "
                 "ends it\r\n"),
             second.shown().c_str());
    TerminalProcess third(words(place, {"attach", "1"}));
    QVERIFY(third.shows("[x] 24 80\r\n"));
    third.type("end\r");
    QCOMPARE(third.end(), 5);
    QCOMPARE(engine.stop(), 0);
}

/// It hears of a size only where that is another one.
void TestAttach::theProgramDrawsItselfAgain() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(run(place, "while :; do read x; done", "trap 'echo drawn at $(stty size)' WINCH; "));
    QVERIFY(first.shows("ready\r\n"));
    first.type("~.");
    QCOMPARE(first.end(), 130);
    TerminalProcess again(words(place, {"attach", "1"}));
    QVERIFY2(again.shows("drawn at 24 80\r\n"), again.shown().c_str());
    QCOMPARE(ctl(place, {"cancel", "1"}).code, 0);
    QVERIFY(again.end() >= 128);
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::onlyTheEndOfMuchOutputIsShown() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(run(place, "printf '\\033[?1049h'; seq 100000; read x; echo $x"));
    QVERIFY(first.shows("\r\n100000\r\n"));
    first.type("~.");
    QCOMPARE(first.end(), 130);
    TerminalProcess again(words(place, {"attach", "1"}));
    QVERIFY(again.shows("\r\n100000\r\n"));
    again.type("all\r");
    QCOMPARE(again.end(), 0);
    QVERIFY2(again.shown().size() < 20'000, again.shown().substr(0, 200).c_str());
    const std::string line = again.shown().substr(0, again.shown().find('\r'));
    QVERIFY2(std::stoi(line) > 97'000 && line.size() == 5, line.c_str()); // a whole one
    QVERIFY(again.shown().ends_with("\r\n100000\r\nall\r\nall\r\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::somebodyElseIsThere() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(run(place, kAnswers));
    QVERIFY(first.shows("ready\r\n"));
    TerminalProcess refused(words(place, {"attach", "1"}));
    QCOMPARE(refused.end(), 1);
    QVERIFY2(refused.shown().contains(
                 "yardctl: somebody else is at the terminal of action 1; 'yardctl attach --share 1' "
                 "goes there beside them\r\n"),
             refused.shown().c_str());
    TerminalProcess second(words(place, {"attach", "--share", "1"}));
    QVERIFY(second.shows("ready\r\n"));
    second.type("two\r");
    QVERIFY2(first.shows("[two] 24 80\r\n"), first.shown().c_str());
    first.type("end\r");
    QCOMPARE(second.end(), 5);
    QCOMPARE(first.end(), 5);
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::whoStaysGetsTheSizeBackWhenAnotherLeaves() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const auto size = [&] {
        const Answer action = engine.caller().get("/compute/jobs/1");
        const auto tty = action.json().at("tty");
        return fmt::format("{} {}", tty.at("rows").as_int64(), tty.at("cols").as_int64());
    };
    TerminalProcess first(run(place, kAnswers));
    QVERIFY(first.shows("ready\r\n"));
    TerminalProcess second(words(place, {"attach", "--share", "1"}), 50, 132);
    QVERIFY(second.shows("ready\r\n"));
    QVERIFY(eventually([&] { return size() == "50 132" && attached(engine) == 2; }));
    second.type("~.");
    QCOMPARE(second.end(), 130);
    QVERIFY(eventually([&] { return size() == "24 80"; }));
    // Whoever made it larger last keeps that.
    TerminalProcess third(words(place, {"attach", "--share", "1"}), 30, 90);
    QVERIFY(third.shows("ready\r\n"));
    QVERIFY(eventually([&] { return size() == "30 90" && attached(engine) == 2; }));
    first.resize(40, 100);
    QVERIFY(eventually([&] { return size() == "40 100"; }));
    third.type("\r~.");
    QCOMPARE(third.end(), 130);
    QVERIFY(eventually([&] { return attached(engine) == 1; }));
    first.forget();
    first.type("one\r");
    QVERIFY2(first.shows("[one] 40 100\r\n"), first.shown().c_str());
    first.type("end\r");
    QCOMPARE(first.end(), 5);
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::whatCannotBeAttachedToSaysWhy() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    QCOMPARE(caller.post("/compute/jobs", shJson(place, "exec sleep 1000")).number("lsn"), std::int64_t{1});
    QCOMPARE(caller.post("/compute/jobs", shJson(place, "true", R"(,"tty":{"rows":24,"cols":80},"hold":true)"))
                 .number("lsn"),
             std::int64_t{2});
    const auto says = [&](const char* lsn, int code, const std::string& sentence) {
        TerminalProcess attach(words(place, {"attach", lsn}));
        const std::string before = attach.modesBefore();
        QCOMPARE(attach.end(), code);
        QVERIFY2(attach.shown().contains(sentence), attach.shown().c_str());
        QCOMPARE(attach.modes(), before);
    };
    says("1", 1,
         "yardctl: action 1 has no terminal: 'yardctl run -t' gives one; 'yardctl logs -f 1' follows what it "
         "writes\r\n");
    says("2", 1,
         "yardctl: action 2 does not run yet (pending: held): its terminal is there once it does; 'yardctl why 2' "
         "says what it waits for\r\n");
    says("3", 1, "yardctl: ");
    const test::Ended pipe = ctl(place, {"attach", "1"});
    QCOMPARE(pipe.code, 2);
    QVERIFY2(
        pipe.err.starts_with("yardctl: 'attach' needs a terminal here as stdin and stdout; 'yardctl logs -f 1' "
                             "follows what the action writes\n"),
        pipe.err.c_str());
    QCOMPARE(ctl(place, {"--json", "attach", "1"}).code, 2);
    QCOMPARE(ctl(place, {"cancel", "1", "2"}).code, 0);
    (void)caller.result(1);
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::anEndMeanwhileIsToldWithItsCode() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(run(place, "read x; exit 5"));
    QVERIFY(first.shows("ready\r\n"));
    first.type("~.");
    QCOMPARE(first.end(), 130);
    Caller caller = engine.caller();
    QCOMPARE(caller.post("/compute/jobs/1/terminal", "\n", "Content-Type: application/octet-stream\r\n").status,
             200);
    QCOMPARE(caller.result(1).number("exit_code"), std::int64_t{5});
    TerminalProcess late(words(place, {"attach", "1"}));
    QCOMPARE(late.end(), 5);
    QVERIFY2(late.shown().contains("yardctl: action 1 has ended: failed: exit code 5"), late.shown().c_str());
    QVERIFY2(late.shown().contains("; 'yardctl logs 1' has what it wrote\r\n"), late.shown().c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::aSignalLeavesItRunning() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(run(place, kAnswers));
    QVERIFY(first.shows("ready\r\n"));
    first.signal(SIGKILL);
    QCOMPARE(first.end(), -1);
    TerminalProcess again(words(place, {"attach", "1"}));
    const std::string before = again.modesBefore();
    QVERIFY(again.shows("ready\r\n"));
    QVERIFY(eventually([&] { return again.isRaw(); }));
    again.signal(SIGTERM);
    QCOMPARE(again.end(), 128 + SIGTERM);
    QCOMPARE(again.modes(), before);
    QCOMPARE(engine.caller().get("/compute/jobs/1").text("state"), std::string("running"));
    QCOMPARE(ctl(place, {"cancel", "1"}).code, 0);
    (void)engine.caller().result(1);
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::shellsOfferLiveTerminals() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    TerminalProcess first(words(place, {"run", "-t", "-l", "mine", "-c", "echo re\"\"ady; read x"}));
    QVERIFY(first.shows("ready\r\n"));
    Caller caller = engine.caller();
    QCOMPARE(caller.post("/compute/jobs", shJson(place, "exec sleep 1000")).number("lsn"), std::int64_t{2});
    QVERIFY(eventually([&] { return caller.get("/compute/jobs/2").text("state") == "running"; }));
    QCOMPARE(ctl(place, {"completion", "values", "terminals"}).out, std::string("1\tmine\n"));
    first.type("\r");
    QCOMPARE(first.end(), 0);
    QCOMPARE(ctl(place, {"completion", "values", "terminals"}).out, std::string());
    QCOMPARE(ctl(place, {"cancel", "2"}).code, 0);
    (void)caller.result(2);
    QCOMPARE(engine.stop(), 0);
}

void TestAttach::aRetrySaysThatNobodyIsThere() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    for (int i = 0; i < 2; ++i) {
        TerminalProcess failing(run(place, "read x; exit 3"));
        QVERIFY(failing.shows("ready\r\n"));
        failing.type("\r");
        QCOMPARE(failing.end(), 3);
    }
    QCOMPARE(ctl(place, {"run", "false"}).code, 1);
    QCOMPARE(ctl(place, {"retry", "--force", "3"}).out, std::string("3 goes again\n"));
    QCOMPARE(engine.caller().result(3).text("state"), std::string("failed"));
    QCOMPARE(ctl(place, {"retry", "--force", "1"}).out,
             std::string("1 goes again; nobody is at its terminal, 'yardctl attach 1' goes there\n"));
    // By a filter a program at a terminal is not meant, by its number it is.
    QCOMPARE(ctl(place, {"retry", "--force", "--all"}).out,
             std::string(
                 "1 action goes again\n1 passed over: nobody would be at its terminal ('yardctl retry LSN' runs it "
                 "all the same)\n"));
    QCOMPARE(engine.caller().result(3).text("state"), std::string("failed"));
    QCOMPARE(ctl(place, {"retry", "--force", "2", "3"}).out,
             std::string("2 actions go again\n1 of them has a terminal, and nobody is at it: 'yardctl attach LSN' "
                         "goes there\n"));
    for (const char* lsn : {"1", "2"}) {
        QVERIFY(eventually(
            [&] { return engine.caller().get(std::string("/compute/jobs/") + lsn).text("state") == "running"; }));
        TerminalProcess again(words(place, {"attach", lsn}));
        QVERIFY2(again.shows("ready\r\n"), again.shown().c_str());
        again.type("\r");
        QCOMPARE(again.end(), 3);
    }
    QCOMPARE(engine.stop(), 0);
}

QTEST_GUILESS_MAIN(TestAttach)
#include "tst_attach.moc"
