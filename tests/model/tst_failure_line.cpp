// Failures by likeness: what of a line is taken out, what stands, and which failures are alike.
#include "core/model/failure_line.h"
#include "core/model/filter.h"

#include <QTest>

#include <string>

using namespace yard;

namespace {

ActionResult failureOf(std::string note, Reason reason = Reason::ExitCode) {
    ActionResult failure;
    failure.lsn = Lsn(1);
    failure.state = ActionState::Failed;
    failure.note = std::move(note);
    failure.outcome.emplace().reason = reason;
    return failure;
}

} // namespace

class TestFailureLine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatDiffersIsTakenOut_data();
    void whatDiffersIsTakenOut();
    void whatSaysHowItEndedStands_data();
    void whatSaysHowItEndedStands();
    void namesStand_data();
    void namesStand();
    void whatWasTakenOutIsKeptInOrder();
    void aLineIsTheSameWhenItIsMaskedAgain();
    void aLineThatIsTooLongIsCutBetweenCharacters();
    void oneWithoutANoteSaysHowItEnded_data();
    void oneWithoutANoteSaysHowItEnded();
    void thoseThatFailedAlikeHaveOneId();
    void onlyFailuresHaveAnId();
    void theFilterFindsAGroup();
};

void TestFailureLine::whatDiffersIsTakenOut_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("masked");
    const auto row = [](const char* name, const char* line, const char* masked) {
        QTest::newRow(name) << QString::fromUtf8(line) << QString::fromUtf8(masked);
    };
    row("a path", "cannot open /tmp/a/b.txt: No such file", "cannot open <path>: No such file");
    row("a path at the end of a sentence", "no room left in /var/tmp.", "no room left in <path>.");
    row("a path in brackets", "error (/srv/x) again", "error (<path>) again");
    row("a path as a value", "--out=/tmp/x is not there", "--out=<path> is not there");
    row("a path below here", "./run.sh: not found", "<path>: not found");
    row("a path below home", "~/jobs/x: not found", "<path>: not found");
    row("a path that goes up", "../a/b: not found", "<path>: not found");
    row("a relative path", "src/core/main.cpp:12:5: error: expected ';'", "<path>:#:#: error: expected ';'");
    row("a file name", "main.cpp(88,17): error X3004: undeclared identifier 'g_Wind'",
        "<path>(#,#): error X3004: undeclared identifier 'g_Wind'");
    row("a file name in quotes", "cannot decode 'IMG 0412.jpg': unexpected end",
        "cannot decode '<path>': unexpected end");
    row("a path with blanks in quotes", "cannot open \"/data/my files/a\": denied",
        "cannot open \"<path>\": denied");
    row("quotes of other languages", "fatal: \u2018/srv/git\u2019 is gone", "fatal: \u2018<path>\u2019 is gone");
    row("a path of Windows", "cannot open C:\\Users\\me\\a.txt: denied", "cannot open <path>: denied");
    row("a traceback", "File \"/usr/lib/python3.11/json.py\", line 355", "File \"<path>\", line #");
    row("a URL", "GET https://example.org:8443/a/17?x=2: timed out", "GET https://example.org:#<path>: timed out");
    row("a URL without a path", "cannot reach http://db1:5432", "cannot reach http://db1:#");
    row("an integer", "17 tests failed", "# tests failed");
    row("a fraction", "3.25 of 4.0 GB", "# of # GB");
    row("a number with a unit", "512MB wanted, 30s waited", "#MB wanted, #s waited");
    row("an exponent", "off by 1.5e-7", "off by #");
    row("a version", "needs 2.4.12 or later", "needs # or later");
    row("a negative number", "returned -5", "returned -#");
    row("a number behind a name", "frame_0412 and shard-3", "frame_# and shard-#");
    row("hexadecimal", "segfault at 0x7ffdeadbeef0 ip 0X1F", "segfault at # ip #");
    row("a digest", "chunk e3b0c44298fc1c14 is damaged", "chunk # is damaged");
    row("a digest that begins with a digit", "commit 9fceb02d0ae5 is gone", "commit # is gone");
    row("a UUID", "volume 9f86d081-884c-4d63-a5a1-2b1e5e0f6a11 is lost", "volume # is lost");
    row("a UUID that begins with a letter", "volume a186d081-884c-4d63-a5a1-2b1e5e0f6a11", "volume #");
    row("a time", "2026-11-26T09:45:31.250Z FATAL out of memory", "# FATAL out of memory");
    row("a time with a zone", "[2026-11-26 09:45:31 +01:00] gone", "[# +#:#] gone");
    row("a day", "expired on 2026-11-26", "expired on #");
    row("a day with slashes", "expired on 2026/11/26", "expired on #");
    row("a time of day", "09:45:31,042 ERROR broken", "# ERROR broken");
    row("an address", "10.0.0.17:8080 refused", "#:# refused");
    row("a number in quotes", "invalid literal for int(): '12'", "invalid literal for int(): '#'");
}

void TestFailureLine::whatDiffersIsTakenOut() {
    QFETCH(QString, line);
    QFETCH(QString, masked);
    QCOMPARE(QString::fromStdString(maskedLine(line.toStdString()).line), masked);
}

void TestFailureLine::whatSaysHowItEndedStands_data() {
    QTest::addColumn<QString>("line");
    for (const char* line :
         {"killed by signal 64; it printed nothing", "killed by SIGSEGV; its last line: done", "exit code 3",
          "the command failed with exit status 127", "subprocess exited with 2", "exited with code 137",
          "process died (signal: 9)", "returned non-zero exit status 1.", "return code: 4", "exit_code=5", "rc=7",
          "make: *** [all] Error 2", "Signal 11 (SIGSEGV) in libOpenImageDenoise.so"})
        QTest::newRow(line) << QString(line);
}

void TestFailureLine::whatSaysHowItEndedStands() {
    QFETCH(QString, line);
    const MaskedLine masked = maskedLine(line.toStdString());
    QCOMPARE(QString::fromStdString(masked.line), line);
    QVERIFY(masked.values.empty());
}

void TestFailureLine::namesStand_data() {
    QTest::addColumn<QString>("line");
    for (const char* line : {"",
                             "Segmentation fault",
                             "error X3004 in E0425",
                             "undeclared identifier 'g_WindPhase2'",
                             "no member named 'int32_t' in 'std::vector'",
                             "torch.cuda.OutOfMemoryError: CUDA out of memory",
                             "Input/output error",
                             "read and/or write failed",
                             "TCP/IP: N/A",
                             "python3.11 is not x86_64",
                             "java.lang.NullPointerException",
                             "it didn't work, it's broken",
                             "feedface and decade are words",
                             "\u00fcber \u65e5\u672c\u8a9e",
                             "a / b",
                             "// a remark",
                             "text/html is not taken",
                             "...",
                             "- -- /",
                             "\"open"})
        QTest::addRow("[%s]", line) << QString::fromUtf8(line);
}

void TestFailureLine::namesStand() {
    QFETCH(QString, line);
    QCOMPARE(QString::fromStdString(maskedLine(line.toStdString()).line), line);
}

void TestFailureLine::whatWasTakenOutIsKeptInOrder() {
    const MaskedLine masked = maskedLine("shaders/foliage_wind.hlsl(88,17): error, exit code 2");
    QCOMPARE(masked.line, std::string("<path>(#,#): error, exit code 2"));
    const std::vector<MaskedLine::Value> expected{
        {LineMask::Path, "shaders/foliage_wind.hlsl"}, {LineMask::Number, "88"}, {LineMask::Number, "17"}};
    QVERIFY(masked.values == expected);
}

/// A program may print what another one has masked.
void TestFailureLine::aLineIsTheSameWhenItIsMaskedAgain() {
    const std::string line = maskedLine("/a/b(1,2): 3 of 4 at 0x5f, frame_12").line;
    QCOMPARE(maskedLine(line).line, line);
}

void TestFailureLine::aLineThatIsTooLongIsCutBetweenCharacters() {
    std::string line;
    while (line.size() < 2 * kMostMaskedBytes) line += "\u20ac";
    const std::string masked = maskedLine(line).line;
    QCOMPARE(masked.size(), kMostMaskedBytes / 3 * 3);
    QCOMPARE(maskedLine(std::string(kMostMaskedBytes * 2, '7')).values.size(), std::size_t(1));
}

void TestFailureLine::oneWithoutANoteSaysHowItEnded_data() {
    QTest::addColumn<int>("reason");
    QTest::addColumn<QString>("line");
    QTest::newRow("an exit code") << int(Reason::ExitCode) << "exit code 3";
    QTest::newRow("a signal") << int(Reason::Signal) << "signal 9";
    QTest::newRow("something else") << int(Reason::LostRunner) << "lost runner";
    QTest::newRow("nothing") << int(Reason::None) << "failed";
}

void TestFailureLine::oneWithoutANoteSaysHowItEnded() {
    QFETCH(int, reason);
    QFETCH(QString, line);
    ActionResult failure = failureOf({}, static_cast<Reason>(reason));
    failure.outcome->exitCode = 3;
    failure.outcome->signal = 9;
    QCOMPARE(QString::fromStdString(failureLine(failure)), line);
    QCOMPARE(QString::fromStdString(maskedLine(failureLine(failure)).line), line);
}

void TestFailureLine::thoseThatFailedAlikeHaveOneId() {
    const std::string one = *failureIdOf(failureOf("cannot open /a/1: No such file"));
    QVERIFY(isFailureId(one));
    QCOMPARE(one, std::string("05013b6261b5dd2a")); // the same in every engine: mutes and filters are kept
    QCOMPARE(*failureIdOf(failureOf("cannot open /b/22: No such file")), one);
    QVERIFY(*failureIdOf(failureOf("cannot open /a/1: denied")) != one);
    QVERIFY(*failureIdOf(failureOf("cannot open /a/1: No such file", Reason::Deadline)) != one);
    QVERIFY(!isFailureId("") && !isFailureId(one + "0") && !isFailureId("ABCDEF0123456789"));
}

void TestFailureLine::onlyFailuresHaveAnId() {
    ActionResult action = failureOf("broken");
    QVERIFY(failureIdOf(action));
    action.state = ActionState::Abandoned;
    QVERIFY(failureIdOf(action));
    for (const ActionState state : {ActionState::Completed, ActionState::Cancelled, ActionState::Pending}) {
        action.state = state;
        QVERIFY(!failureIdOf(action));
    }
}

void TestFailureLine::theFilterFindsAGroup() {
    const ActionResult failure = failureOf("cannot open /a/1: No such file");
    const auto matches = [&](const std::string& text) { return parseFilter(text, 0).value().matches(failure, 0); };
    const std::string id = *failureIdOf(failure);
    QVERIFY(matches("failure:" + id));
    QVERIFY(!matches("-failure:" + id));
    QVERIFY(!matches("failure:0000000000000000"));
    QVERIFY(matches("failure:0000000000000000," + id));
    QVERIFY(matches("failure:*"));
    const auto wrong = parseFilter("failure:12", 0);
    QVERIFY(!wrong);
    QCOMPARE(wrong.error().field, std::string("q"));
    QCOMPARE(wrong.error().message,
             std::string("\"12\" is no id of failures alike; 'yardctl failures' and GET failures have them."));
}

QTEST_APPLESS_MAIN(TestFailureLine)
#include "tst_failure_line.moc"
