// A text in lines that come in pieces: numbers, ends, case, long lines, bounds.
#include "core/http/line_search.h"
#include "core/json/utf8.h"

#include <QTest>

#include <fmt/format.h>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::http;

namespace {

constexpr std::size_t kAll = 1'000'000;

/// All that is found, in pieces of `step` bytes.
std::vector<FoundLine> found(std::string_view bytes, const std::string& text, std::size_t step,
                             bool exactCase = false) {
    LineSearch search(text, exactCase);
    std::vector<FoundLine> lines;
    for (std::size_t at = 0; at < bytes.size(); at += step) search.take(bytes.substr(at, step), kAll, lines);
    search.finish(kAll, lines);
    return lines;
}

/// "2 b|3 c"
std::string printed(const std::vector<FoundLine>& lines) {
    std::string text;
    for (const FoundLine& line : lines)
        text += fmt::format("{}{} {}", text.empty() ? "" : "|", line.number, line.text);
    return text;
}

} // namespace

class LineSearchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesAreFoundHoweverTheirBytesCome_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("lines");
        const auto row = [](const char* name, const char* bytes, const char* text, const char* lines) {
            QTest::newRow(name) << QByteArray(bytes) << QByteArray(text) << QByteArray(lines);
        };
        row("in the middle", "one\ntwo\nthree\n", "wo", "2 two");
        row("without an end", "one\ntwo", "two", "2 two");
        row("nothing", "one\ntwo\n", "four", "");
        row("no bytes", "", "one", "");
        row("empty lines count", "\n\none\n\n", "one", "3 one");
        row("whatever its case", "An ERROR here\nerror\n", "Error", "1 An ERROR here|2 error");
        row("several in one line", "a a a\nb\na\n", "a", "1 a a a|3 a");
        row("not over the end of a line", "ab\ncd\n", "bc", "");
        row("with a carriage return", "one\r\ntwo\r\n", "one", "1 one");
        row("bytes that are no text",
            "a\xff\x01"
            "b\n",
            "b",
            "1 a\xff\x01"
            "b");
    }
    void linesAreFoundHoweverTheirBytesCome() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, lines);
        for (const std::size_t step : {1, 2, 3, 1'000})
            QCOMPARE(printed(found(bytes.toStdString(), text.toStdString(), step)), lines.toStdString());
    }

    void caseCountsWhereItIsAskedFor() {
        QCOMPARE(printed(found("An ERROR here\nError\n", "Error", 4, true)), std::string("2 Error"));
    }

    void aLongLineIsFoundOnceAndShownAroundTheMatch() {
        const std::string line = std::string(150'000, 'x') + "needle" + std::string(100'000, 'y') + "needle";
        for (const std::size_t step : {1'000u, 70'000u, 300'000u}) {
            const auto lines = found("first\n" + line + "\nneedle\n", "needle", step);
            QCOMPARE(lines.size(), std::size_t(2));
            QCOMPARE(lines[0].number, 2);
            QVERIFY(lines[0].isCut);
            QVERIFY(lines[0].text.contains("needle"));
            QVERIFY(lines[0].text.size() <= LineSearch::kMaxShown);
            QCOMPARE(lines[1], (FoundLine{.number = 3, .text = "needle", .isCut = false}));
        }
    }

    void aMatchIsFoundWhereverALongLineIsParted() {
        for (std::size_t before = LineSearch::kMaxLine - 8; before < LineSearch::kMaxLine + 8; ++before) {
            const std::string line = std::string(before, 'x') + "needle" + std::string(100, 'y');
            QCOMPARE(found(line, "needle", 7).size(), std::size_t(1));
        }
    }

    void charactersAreNotCutInTwo() {
        std::string line;
        for (int i = 0; i < 300; ++i) line += "\xc3\xa4"; // ä
        for (const char* before : {"", "x"}) {
            const auto lines = found(before + line + "needle" + line, "needle", 1'000);
            QCOMPARE(lines.size(), std::size_t(1));
            QVERIFY(lines[0].isCut);
            QVERIFY(isUtf8(lines[0].text));
            QVERIFY(lines[0].text.contains("needle"));
        }
    }

    void thatThereAreMoreIsTold() {
        LineSearch search("a", false);
        std::vector<FoundLine> lines;
        QVERIFY(!search.take("a\nb\na\n", 2, lines));
        QCOMPARE(lines.size(), std::size_t(2));
        QVERIFY(!search.take("b\n", 0, lines));
        QVERIFY(search.take("a\n", 0, lines));
        QCOMPARE(lines.size(), std::size_t(2));
        LineSearch last("a", false);
        lines.clear();
        QVERIFY(!last.take("a", 0, lines));
        QVERIFY(last.finish(0, lines));
    }
};

QTEST_GUILESS_MAIN(LineSearchTest)
#include "tst_line_search.moc"
