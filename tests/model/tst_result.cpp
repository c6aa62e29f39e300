// Results as JSON, and the line that is shown of a failed action's output.

#include "core/json/canonical_json.h"
#include "core/model/result.h"
#include "tests/model/printed.h"

#include <QTest>
#include <boost/json.hpp>

using namespace yard;

namespace {

const char* const kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

ActionResult pendingAction() {
    ActionResult result;
    result.lsn = Lsn(7);
    result.workerId = "exec";
    result.state = ActionState::Pending;
    result.times[ActionState::New] = 1'000;
    result.times[ActionState::Pending] = 1'001;
    return result;
}

AttemptOutcome failedOutcome() {
    AttemptOutcome outcome;
    outcome.state = ActionState::Failed;
    outcome.reason = Reason::ExitCode;
    outcome.exitCode = 2;
    outcome.measures[Measure::CpuTime] = 15'000;
    outcome.measures[Measure::PeakMemory] = 4096;
    outcome.out = ChunkRef{Hash256::ofNothing(), 0};
    outcome.err = ChunkRef{Hash256::ofNothing(), 9};
    outcome.errTruncated = true;
    return outcome;
}

} // namespace

class TestResult : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aPendingActionSaysWhetherItIsHeld();
    void aFinishedActionHasEverythingInTheContractsWords();
    void inShortItSaysTheSignal();
    void whatIsAbsentIsLeftOut();
    void hostileTextCannotBreakTheAnswer();
    void answersAreJson();
    void theErrorLineIsFound_data();
    void theErrorLineIsFound();
    void theLineOfTwoStreamsIsTheOneThatTellsMore_data();
    void theLineOfTwoStreamsIsTheOneThatTellsMore();
    void aLongLineIsCutBetweenCharacters();
    void aHugeLogIsLookedAtFromBothEnds();
    void theLastLineIsTheLastThatShowsSomething_data();
    void theLastLineIsTheLastThatShowsSomething();
};

void TestResult::aPendingActionSaysWhetherItIsHeld() {
    ActionResult result = pendingAction();
    QCOMPARE(qt(toJson(result)),
             QString(R"({"lsn":7,"queue_id":0,"worker":"exec","name":"exec","state":"pending","held":false,)"
                     R"("retry_count":0,"priority":0,"timestamps":{"new":1000,"pending":1001}})"));
    result.held = true;
    result.retryAt = 5;
    result.retryCount = 1;
    result.note = "held by hand";
    QCOMPARE(
        qt(toJson(result)),
        QString(R"({"lsn":7,"queue_id":0,"worker":"exec","name":"exec","state":"pending","held":true,"retry_at":5,)"
                R"("retry_count":1,"priority":0,"timestamps":{"new":1000,"pending":1001},"note":"held by hand"})"));
}

void TestResult::aFinishedActionHasEverythingInTheContractsWords() {
    ActionResult result = pendingAction();
    result.queue = QueueId(3);
    result.workerId = kEmpty;
    result.workerName = "thumb";
    result.function = "make";
    result.label = "night";
    result.state = ActionState::Failed;
    result.priority = -5;
    result.times[ActionState::Submitting] = 1'002;
    result.times[ActionState::Running] = 1'003;
    result.times.exited = 1'004;
    result.times[ActionState::Failed] = 1'005;
    result.note = "error: x";
    result.outcome = failedOutcome();
    result.outcome->outputs = {{"a/b.png", {Hash256::ofNothing(), 12}}};
    result.outcome->result = R"({"n":1})";
    result.outcome->denied = {{.t = 9, .what = "openat", .path = "/etc/x", .err = 13, .pid = 44}};
    AttemptRecord attempt{.n = 1, .outcome = failedOutcome(), .times = {}};
    attempt.outcome.exitCode.reset();
    attempt.outcome.signal = 9;
    attempt.outcome.reason = Reason::Signal;
    attempt.times.exited = 8;
    result.attempts = {attempt};
    const QString streams =
        QString(R"("stdout":{"hash":"%1","size":0},"stderr":{"hash":"%1","size":9,"truncated":true})").arg(kEmpty);
    QCOMPARE(
        qt(toJson(result)),
        QString(
            R"({"lsn":7,"queue_id":3,"worker":"%1","worker_name":"thumb","function":"make","label":"night",)"
            R"("name":"night","state":"failed","retry_count":0,"priority":-5,"reason":"exit_code","exit_code":2,)"
            R"("cpu_seconds":0.015,"max_rss_bytes":4096,%2,"outputs":{"a/b.png":{"hash":"%1","size":12}},)"
            R"("result":{"n":1},"denied":[{"t":9,"what":"openat","path":"/etc/x","errno":13,"pid":44}],)"
            R"("timestamps":{"new":1000,"pending":1001,"submitting":1002,"running":1003,"exited":1004,)"
            R"("failed":1005},"attempts":[{"n":1,"state":"failed","reason":"signal","signal":9,)"
            R"("cpu_seconds":0.015,"max_rss_bytes":4096,%2,"timestamps":{"exited":8}}],"note":"error: x"})")
            .arg(kEmpty, streams));
}

void TestResult::inShortItSaysTheSignal() {
    ActionResult result = pendingAction();
    result.state = ActionState::Failed;
    result.outcome.emplace().state = ActionState::Failed;
    result.outcome->reason = Reason::Signal;
    result.outcome->signal = 11;
    std::string text;
    appendInShort(text, result, false);
    QVERIFY(qt(text).endsWith(R"("state":"failed","reason":"signal","signal":11})"));
}

void TestResult::whatIsAbsentIsLeftOut() {
    ActionResult result = pendingAction();
    result.state = ActionState::Completed;
    result.outcome.emplace().state = ActionState::Completed;
    result.outcome->exitCode = 0;
    result.estimatedFinish = 77;
    QCOMPARE(qt(toJson(result)),
             QString(R"({"lsn":7,"queue_id":0,"worker":"exec","name":"exec","state":"completed","retry_count":0,)"
                     R"("priority":0,"exit_code":0,"timestamps":{"new":1000,"pending":1001},)"
                     R"("estimate":{"finish":77}})"));
}

void TestResult::hostileTextCannotBreakTheAnswer() {
    ActionResult result = pendingAction();
    result.label = "\"},{\\\n\x01";
    result.note = "a\xFF\xC3";
    const auto value = boost::json::parse(toJson(result)).as_object();
    QCOMPARE(qt(std::string_view(value.at("label").as_string())), qt(result.label));
    QCOMPARE(qt(std::string_view(value.at("note").as_string())), QString::fromUtf8("a\uFFFD\uFFFD"));
}

void TestResult::answersAreJson() {
    ActionResult result = pendingAction();
    result.outcome = failedOutcome();
    result.attempts = {AttemptRecord{}, AttemptRecord{.n = 2, .outcome = failedOutcome(), .times = {}}};
    result.outcome->denied = {Denial{}};
    result.outcome->outputs = {NamedChunk{}, NamedChunk{"b", {}}};
    std::string list = "[";
    appendJson(list, result);
    list += ',';
    appendJson(list, pendingAction());
    list += ']';
    boost::json::error_code ec;
    const auto value = boost::json::parse(list, ec);
    QVERIFY2(!ec, list.c_str());
    QCOMPARE(value.as_array().size(), 2u);
    QVERIFY(canonicalJson(list)); // no member stands twice
}

void TestResult::theErrorLineIsFound_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* sentence, const char* text, const char* line) {
        QTest::newRow(sentence) << QByteArray(text) << QString::fromUtf8(line);
    };
    row("nothing", "", "");
    row("only white space", " \n\t\r\n", "");
    row("one line", "oops", "oops");
    row("the last line when none looks like an error", "one\ntwo\n\n", "two");
    row("a compiler's error, not the note after it",
        "cc -Werror -c error.c\nmain.c:3:5: warning: unused\nmain.c:4:1: error: expected ';'\n1 error generated.\n",
        "main.c:4:1: error: expected ';'");
    row("the first of several", "error: first\nerror: second", "error: first");
    row("git", "Cloning\nfatal: repository not found\n", "fatal: repository not found");
    row("rust", "   Compiling x\nerror[E0308]: mismatched types\n  --> src", "error[E0308]: mismatched types");
    row("the last line of a Python traceback",
        "start\nTraceback (most recent call last):\n  File \"x.py\", line 1\n    error: 1/0\nZeroDivisionError: "
        "division by "
        "zero\nbye",
        "ZeroDivisionError: division by zero");
    row("a Java exception", "up\njava.io.IOException: broken pipe\n\tat x.y\n", "java.io.IOException: broken pipe");
    row("make", "gcc x\nmake: *** [Makefile:2: all] Error 1", "make: *** [Makefile:2: all] Error 1");
    row("a shell", "/bin/sh: 1: nope: not found\nsh: line 1: nope: command not found",
        "sh: line 1: nope: command not found");
    row("a missing file", "cat: x: No such file or directory\nend", "cat: x: No such file or directory");
    row("a crash", "working\nSegmentation fault (core dumped)\n", "Segmentation fault (core dumped)");
    row("a weaker word when there is no better line", "step 1\ntest failed in 3 s\nbye", "test failed in 3 s");
    row("no errors is no error", "checked: 0 errors, no failure\ndone", "done");
    row("a strong line after a weak one wins", "3 tests failed\nerror: the reason\n", "error: the reason");
    row("colours and controls are taken out",
        "\x1b[1;31merror:\x1b[0m \x07"
        "bad\tthing\x1b]0;title\x07 \n",
        "error: bad thing");
    row("a progress bar before it", "10%\r50%\rerror: disk full\r\n", "error: disk full");
    row("bytes that are not UTF-8", "error: \xFF", "error: \xEF\xBF\xBD");
    row("indentation goes", "   \t error: deep", "error: deep");
    row("a line of nothing but escapes is no line", "text\n\x1b[0m\x1b[K", "text");
    row("what an editor draws is no line", "opening\r\n\x1b[?1049h\x1b[2;1H~ error: of the file\x1b[?1049l",
        "opening");
    row("nor what is put somewhere on the screen", "opening\r\n\x1b[24;1Herror: x  1,1  All\r\n", "opening");
    row("an error on a screen that was not left, where there is nothing else",
        "\x1b[?1049h\x1b[H\x1b[2J\r\nTraceback (most recent call last):\r\n  File \"x\"\r\nValueError: no\r\n",
        "ValueError: no");
    row("what was written over is not there", "error: 10%\b\b\b99%\b\b\bfull", "error: full");
    row("as bold was printed", "e\ber\brr\bro\bor\br", "error");
    row("back before the beginning", "\b\berror: x", "error: x");
    row("what nobody sees is no text",
        "\xEF\xBB\xBF\xE2\x80\x8B"
        "error:\xC2\xAD no\xE2\x81\xA0 \xE2\x80\x8E"
        "disk",
        "error: no disk");
    row("a line of nothing that is seen is no line", "text\n\xE2\x80\x8B\xEF\xBB\xBF\n", "text");
    row("what joins letters stays", "error: \xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xB4",
        "error: \xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xB4");
    row("a character set is no text", "\x1b(Berror: \x1b(0x", "error: x");
}

void TestResult::theErrorLineIsFound() {
    QFETCH(QByteArray, text);
    QTEST(qt(firstErrorLine({text.data(), static_cast<std::size_t>(text.size())})), "line");
}

void TestResult::theLineOfTwoStreamsIsTheOneThatTellsMore_data() {
    QTest::addColumn<QString>("err");
    QTest::addColumn<QString>("out");
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("last");
    const auto row = [](const char* name, const char* err, const char* out, const char* line, const char* last) {
        QTest::newRow(name) << err << out << line << last;
    };
    row("a warning in one, the failure in the other", "warning: old syntax\n", "1 of 3: error: no disk\n",
        "1 of 3: error: no disk", "1 of 3: error: no disk");
    row("a word of failure in a warning", "Warning: failed to load colours\n", "2 tests failed\n", "2 tests failed",
        "2 tests failed");
    row("both tell of an error", "error: one\n", "error: two\n", "error: one", "error: one");
    row("a certain one before a likely one", "step 3 failed\n", "fatal: no disk\n", "fatal: no disk",
        "step 3 failed");
    row("neither", "so far\n", "read 3 files\n", "so far", "so far");
    row("neither, and one is a note", "[info] reading\n", "read 3 files\n", "read 3 files", "read 3 files");
    row("nothing but a warning", "warning: old\n", "", "warning: old", "warning: old");
    row("only one", "", "no\n", "no", "no");
    row("nothing", "", "", "", "");
}

void TestResult::theLineOfTwoStreamsIsTheOneThatTellsMore() {
    QFETCH(QString, err);
    QFETCH(QString, out);
    QTEST(qt(firstErrorLine(err.toStdString(), out.toStdString())), "line");
    QTEST(qt(lastLineOf(err.toStdString(), out.toStdString())), "last");
}

void TestResult::aLongLineIsCutBetweenCharacters() {
    std::string text = "error: ";
    for (int i = 0; i < 200; ++i) text += "é";
    const std::string line = firstErrorLine(text);
    QCOMPARE(line.size(), 199u); // 7 and 96 characters of two bytes
    QVERIFY(text.starts_with(line));
    QCOMPARE(firstErrorLine(std::string(5'000'000, 'x')).size(), 200u);
}

void TestResult::aHugeLogIsLookedAtFromBothEnds() {
    std::string filler;
    for (int i = 0; i < 40'000; ++i) filler += "all is well here\n";
    QCOMPARE(qt(firstErrorLine(filler + "error: at the end\n")), QString("error: at the end"));
    QCOMPARE(qt(firstErrorLine("error: at the start\n" + filler)), QString("error: at the start"));
}

void TestResult::theLastLineIsTheLastThatShowsSomething_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* name, QByteArray text, const char* line) {
        QTest::newRow(name) << text << QString::fromUtf8(line);
    };
    row("nothing", "", "");
    row("empty lines", "\n\r\n \n", "");
    row("one", "one", "one");
    row("one that is ended", "one\n", "one");
    row("the last of two", "one\ntwo", "two");
    row("a progress bar", "frame 1\rframe 2\rframe 3", "frame 3");
    row("empty ones after it", "one\n\n  \n", "one");
    row("lines that only move the cursor", "one\n\x1b[0m\x1b[K\n", "one");
    row("colours", "\x1b[32mgood\x1b[0m\n", "good");
    row("what is no text", "a\xff\n", "a\xEF\xBF\xBD");
    row("an editor that runs", "$ vim\r\n\x1b[?1049h\x1b[22;0;0t\x1b[2;1H~\x1b[3;1H~", "$ vim");
    row("an editor that was left", "$ vim\r\n\x1b[?1049h\x1b[2;1H~\r\ntext\r\n\x1b[?1049l$ ls\r\n", "$ ls");
    row("the end of what an editor drew", "~\x1b[3;1H~\r\ntext\r\n\x1b[?2004l\x1b[?1049l\r\n", "");
    row("an older switch among others", "one\r\n\x1b[?1;47hdrawn", "one");
    row("two editors, one after the other", "a\n\x1b[?1049hx\x1b[?1049l\nb\n\x1b[?1049hy\x1b[?1049l\n", "b");
    row("a screen that is left twice", "\x1b[?1049hx\x1b[?1049l\nb\n\x1b[?47l\n", "b");
    row("what is put somewhere", "one\n\x1b[10;3Htwo\n", "one");
    row("a screen that is cleared", "one\n\x1b[H\x1b[2J\x1b[3Jtwo\n", "two");
    row("a question to the terminal", "one\x1bP+q436f\x1b\\\n", "one");
    row("a character set", "\x1b(Bone\x1b[m\n", "one");
    row("a sequence that is cut", "one\x1b[?10", "one");
    row("a long one", QByteArray(300, 'x'), QByteArray(200, 'x').constData());
    row("the end of much", QByteArray("line\n").repeated(100'000) + "end\n", "end");
}

void TestResult::theLastLineIsTheLastThatShowsSomething() {
    QFETCH(QByteArray, text);
    QTEST(qt(lastLine({text.data(), static_cast<std::size_t>(text.size())})), "line");
}

QTEST_APPLESS_MAIN(TestResult)
#include "tst_result.moc"
