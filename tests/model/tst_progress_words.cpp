// How far an action is, as its processes say: the file of $YARD_STATUS, escapes of terminals, lines of known programs.
#include "core/model/progress_words.h"

#include <QTest>

#include <fmt/format.h>

using namespace yard;

namespace {

std::string printed(const ReportedProgress& progress) {
    std::string text = progress.fraction ? fmt::format("{:.4g}", *progress.fraction) : "-";
    if (!progress.message.empty()) text += " " + progress.message;
    return text;
}

std::string printed(const std::vector<ProgressMark>& marks) {
    std::string text;
    for (const ProgressMark& mark : marks)
        text += fmt::format("{}{}{}", text.empty() ? "" : " ",
                            std::string("esptTw")[static_cast<std::size_t>(mark.source)],
                            mark.fraction ? fmt::format("{:.4g}", *mark.fraction) : "-");
    return text;
}

std::string after(const std::vector<std::string>& looks) {
    OutputProgress progress;
    for (const std::string& look : looks) progress.take(progressInOutput(look, true));
    return progress.fraction() ? fmt::format("{:.4g}", *progress.fraction()) : "-";
}

} // namespace

class TestProgressWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aStatusFileSaysTheLastOfEach_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char* name, const QByteArray& file, const char* said) {
            QTest::newRow(name) << file << QByteArray(said);
        };
        row("nothing", "", "-");
        row("a progress", "progress 0.4\n", "0.4");
        row("without the end of its line", "progress 0.4", "0.4");
        row("the last one counts", "progress 0.1\nmessage linking\nprogress 0.5\n", "0.5 linking");
        row("it may go back", "progress 0.9\nprogress 0.1\n", "0.1");
        row("JSON", "{\"progress\":0.25,\"message\":\"a b\"}\n", "0.25 a b");
        row("JSON with a whole number", "{\"progress\":1}\n", "1");
        row("JSON of a part only", "progress 0.5\n{\"message\":\"x\"}\n", "0.5 x");
        row("half of a line of JSON", "progress 0.5\n{\"progress\":0.7,\"mess", "0.5");
        row("JSON of other types", "{\"progress\":\"1\",\"message\":5}\n[1]\n{}\n", "-");
        row("not a number", "progress nan\nprogress inf\nprogress -1\nprogress 1.01\nprogress 1e9\nprogress 0.5x\n",
            "-");
        row("other words", "progress\nprogressing 0.4\n0.4\nstatus ok\n", "-");
        row("a hole where another one began again", QByteArray(20, '\0') + "progress 0.3\n", "0.3");
        row("control characters and escapes", "message a\x1b[31mred\x1b[0m\tb\n", "- ared b");
        row("an empty message takes the last one away", "message a\nmessage \n", "-");
        row("a line of a megabyte", "progress 0.2\n{" + QByteArray(1'000'000, 'x') + "\n", "0.2");
    }
    void aStatusFileSaysTheLastOfEach() {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, said);
        QCOMPARE(printed(progressInStatus(file.toStdString())), said.toStdString());
    }

    void aMessageIsOneShortLine() {
        const auto progress = progressInStatus("message " + std::string(1'000'000, 'm') + "\n");
        QVERIFY(!progress.message.empty() && progress.message.size() <= 203);
    }

    void marksAreFoundInOutput_data() {
        QTest::addColumn<QByteArray>("output");
        QTest::addColumn<QByteArray>("marks");
        const auto row = [](const char* name, const QByteArray& output, const char* marks) {
            QTest::newRow(name) << output << QByteArray(marks);
        };
        row("nothing", "hello\n", "");
        row("an escape that ends with a bell", "\x1b]9;4;1;45\a", "e0.45");
        row("an escape that ends as a string does", "text\x1b]9;4;1;45\x1b\\more", "e0.45");
        row("its end", "\x1b]9;4;1;45\a\x1b]9;4;0\a", "e0.45 e-");
        row("one that does not know", "\x1b]9;4;3;\a", "e-");
        row("an error and a pause say how far as well", "\x1b]9;4;2;10\a\x1b]9;4;4;20\a", "e0.1 e0.2");
        row("over a hundred", "\x1b]9;4;1;900\a", "e1");
        row("a state that there is not", "\x1b]9;4;7;10\a", "");
        row("half of one", "\x1b]9;4;1;4", "");
        row("a number of a thousand digits", "\x1b]9;4;1;" + QByteArray(1'000, '9') + "\a", "");
        row("the title of a window", "\x1b]0;45% done\a", "");
        row("one that never ends", "\x1b]9;4;1;45\nnext 45%\n", "w0.45");
        row("ninja", "[12/48] CXX a.o\n", "s0.25");
        row("ninja at a terminal", "\r[1/4] a\x1b[K\r[2/4] b\x1b[K", "s0.25 s0.5");
        row("Bazel", "[0 / 2] checking\n", "s0");
        row("more than there is", "[5/4] x\n[1/0] x\n", "");
        row("make of CMake", "[ 25%] Building C\n", "p0.25");
        row("pytest", "test_a.py ....   [ 12%]\n", "t0.12");
        row("ctest", "  3/4 Test #3: x\n", "T0.75");
        row("rsync", "  1,000  12%  1.2MB/s\r 2,000  24%  1.3MB/s", "w0.12 w0.24");
        row("tqdm", " 30%|###   | 3/10", "w0.3");
        row("git", "Receiving objects:  12% (3/25)", "w0.12");
        row("a fraction of a percent", "12.5% done", "w0.125");
        row("at the end of a line", "now 45%\n", "w0.45");
        row("over a hundred percent", "150% of it\n", "");
        row("part of a word", "a45% x\nx-45% y\n45%x\n", "");
        row("colours are passed over", "\x1b[1m[\x1b[32m1/4]\x1b[0m x\n", "s0.25");
    }
    void marksAreFoundInOutput() {
        QFETCH(QByteArray, output);
        QFETCH(QByteArray, marks);
        QCOMPARE(printed(progressInOutput(output.toStdString(), true)), marks.toStdString());
    }

    void linesCountOnlyWhereTheyAreToBeRead() {
        QCOMPARE(printed(progressInOutput("[1/4] x\n\x1b]9;4;1;45\a 50% \n", false)), std::string("e0.45"));
    }

    void onlyTheLastMarksAreKept() {
        std::string output;
        for (int i = 0; i <= 10'000; ++i) output += fmt::format("[{}/10000] x\n", i);
        const auto marks = progressInOutput(output, true);
        QCOMPARE(marks.size(), kMostProgressMarks);
        QCOMPARE(marks.back().fraction, std::optional(1.0));
    }

    void bytesOfAnyKindAreRead() {
        std::string output(64u << 10, '\x1b');
        QVERIFY(progressInOutput(output, true).empty());
        for (std::size_t i = 0; i < output.size(); ++i) output[i] = static_cast<char>(i * 7919 >> 3);
        (void)progressInOutput(output, true);
        (void)progressInStatus(output);
        QVERIFY(progressInOutput(std::string(1u << 20, '%'), true).empty());
    }

    void aSourceIsBelievedOnceItRises() {
        QCOMPARE(after({"[1/10] x\n"}), std::string("-"));
        QCOMPARE(after({"[1/10] x\n", "[1/10] x\n"}), std::string("-"));
        QCOMPARE(after({"[1/10] x\n", "[1/10] x\n[3/10] x\n"}), std::string("0.3"));
        QCOMPARE(after({"[1/10] x\n", "y\n", "[3/10] x\n"}), std::string("0.3"));
        QCOMPARE(after({"90% \n10% \n", "90% \n10% \nx\n"}), std::string("-")); // the same again is no rise
        QCOMPARE(after({"disk is 90% full\n[1/10] x\n[2/10] x\n"}), std::string("0.2"));
    }

    void oneThatIsBelievedStaysAndItsLastLineCounts() {
        QCOMPARE(after({"[1/10] x\n[5/10] x\n", "90% \n95% \n"}), std::string("0.5"));
        QCOMPARE(after({"[1/10] x\n[5/10] x\n", "[10/10] x\n[1/20] y\n"}), std::string("0.05")); // a second build
        QCOMPARE(after({"[1/10] x\n[9/10] x\n[2/10] x\n"}), std::string("0.2"));
        QCOMPARE(after({"[1/10] x\n[5/10] x\n", "[5/10] x\n90% \n"}), std::string("0.5"));
        QCOMPARE(after({"[5/10] x\n", "[1/10] x\n[2/10] x\n"}),
                 std::string("0.2")); // the first was of something else
    }

    void anEscapeIsBelievedAtOnceAndWins() {
        QCOMPARE(after({"\x1b]9;4;1;40\a"}), std::string("0.4"));
        QCOMPARE(after({"[1/10] x\n[5/10] x\n\x1b]9;4;1;40\a"}), std::string("0.4"));
        QCOMPARE(after({"\x1b]9;4;1;40\a", "\x1b]9;4;1;10\a"}), std::string("0.1"));
        QCOMPARE(after({"\x1b]9;4;1;40\a", "\x1b]9;4;0\a"}), std::string("-"));
    }
};

QTEST_GUILESS_MAIN(TestProgressWords)
#include "tst_progress_words.moc"
