// What a replayed action did otherwise: found by hash, then by content, under the terms that were given.
#include "core/recording/comparison.h"
#include "core/recording/line_difference.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <fmt/format.h>
#include <map>
#include <string>

using namespace yard;
using namespace yard::recording;

namespace {

std::map<std::string, std::string> chunks; ///< bytes by hash in hex

std::string chunk(const std::string& bytes) {
    const std::string hash = Sha256::of(bytes).hex();
    chunks[hash] = bytes;
    return fmt::format(R"({{"hash":"{}","size":{}}})", hash, bytes.size());
}

std::string result(const std::string& more, const std::string& state = "completed") {
    return fmt::format(R"({{"lsn":1,"state":"{}"{}}})", state, more.empty() ? "" : "," + more);
}

std::string printing(const std::string& out) {
    return result(R"("stdout":)" + chunk(out));
}

std::string leaving(const std::string& name, const std::string& bytes) {
    return result(fmt::format(R"("outputs":{{"{}":{}}})", name, chunk(bytes)));
}

/// "what name recorded|replayed", or with the diff where there is one.
std::string differences(
    const std::string& a, const std::string& b, const std::string& terms = {},
    const std::function<bool()>& goOn = [] { return true; }) {
    const auto parsed = CompareTerms::parse(terms);
    if (!parsed) return parsed.error().message;
    const auto content = [](RunSide, const ChunkRef& chunk) -> std::optional<std::string> {
        const auto known = chunks.find(chunk.hash.hex());
        return known == chunks.end() ? std::nullopt : std::optional(known->second);
    };
    const auto found = compareRuns(a, b, *parsed, content, goOn);
    if (!found) return found.error().message;
    std::string text;
    for (const RunDifference& one : *found) {
        text += one.what + (one.name.empty() ? "" : " " + one.name);
        text += one.diff.empty() ? fmt::format(" {}|{};", one.recorded, one.replayed) : ":\n" + one.diff;
    }
    return text;
}

std::string diff(const std::string& a, const std::string& b) {
    const auto linesA = linesOf(a);
    const auto linesB = linesOf(b);
    return lineDifference(
        linesA, linesB, [&](std::size_t i, std::size_t j) { return linesA[i] == linesB[j]; }, 10'000);
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsTheSameHasNoDifference();
    void endsAreCompared();
    void resultsAreComparedByValue();
    void linesThatDifferAreShown();
    void whatIsIgnoredIsNot();
    void patternsMakeLinesAlike();
    void numbersMayDifferByATolerance_data();
    void numbersMayDifferByATolerance();
    void outputsAreComparedByName();
    void outputsOfJsonAreComparedByValue();
    void binaryOutputsAreToldByTheirHashes();
    void textOfVeryManyLinesIsToldByItsHash();
    void whatIsNotThereIsDifferentByItsHash();
    void timeAndMemoryAreComparedOnlyWhenAskedFor();
    void wrongTermsAreRefused_data();
    void wrongTermsAreRefused();
    void aLongLineAndAPatternThatBacktracksTakeNoLongTime();
    void whoWantsNoMoreIsToldByHashes();
    void differencesAreThoseOfDiff_data();
    void differencesAreThoseOfDiff();
    void farFromEachOtherIsOneChange();
    void aDiffHasABound();
    void anyTwoTextsAreToldInFull();
    void whatIsNoResultIsSaid();
};

void TestComparison::whatIsTheSameHasNoDifference() {
    const std::string one = result(R"("exit_code":0,"result":{"a":[1,"x",null]},"stdout":)" + chunk("x\n"));
    QCOMPARE(differences(one, one), std::string());
    QCOMPARE(differences(printing("a\n"), printing("a\n")), std::string());
}

void TestComparison::endsAreCompared() {
    QCOMPARE(differences(result(R"("exit_code":0)"), result(R"("exit_code":3)", "failed")),
             std::string(R"(state "completed"|"failed";exit_code 0|3;)"));
    QCOMPARE(differences(result(R"("exit_code":0)"), result("")), std::string("exit_code 0|;"));
}

void TestComparison::resultsAreComparedByValue() {
    const auto of = [](const std::string& value) { return result(R"("result":)" + value); };
    QCOMPARE(differences(of(R"({"a":1,"b":2})"), of(R"({"b":2.0,"a":1})")), std::string());
    QCOMPARE(differences(of("[1,2]"), of("[2,1]")), std::string("result [1,2]|[2,1];"));
    QCOMPARE(differences(of("[1,2]"), of("[1]")), std::string("result [1,2]|[1];"));
    QCOMPARE(differences(of(R"({"a":1})"), of(R"({"b":1})")), std::string(R"(result {"a":1}|{"b":1};)"));
    QCOMPARE(differences(of("1.0000001"), of("1.0000002"), R"({"numbers":{"tolerance":1e-6}})"), std::string());
}

void TestComparison::linesThatDifferAreShown() {
    QCOMPARE(differences(printing("a\nb\nc\n"), printing("a\nx\nc\n")),
             std::string("stdout:\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"));
}

void TestComparison::whatIsIgnoredIsNot() {
    QCOMPARE(differences(printing("a"), printing("b"), R"({"ignore":["stdout"]})"), std::string());
    QCOMPARE(differences(result(""), result("", "failed"), R"({"ignore":["state","exit_code"]})"), std::string());
    QCOMPARE(differences(leaving("o", "a"), leaving("o", "b"), R"({"ignore":["output"]})"), std::string());
}

void TestComparison::patternsMakeLinesAlike() {
    const std::string terms =
        R"json({"normalise":[{"pattern":"\\d+ ms","with":"N ms"},{"pattern":"0x[0-9a-f]+","with":"P"}]})json";
    QCOMPARE(differences(printing("took 12 ms at 0xff\nend\n"), printing("took 7 ms at 0xa0\nend\n"), terms),
             std::string());
    const std::string found = differences(printing("took 12 ms\nend\n"), printing("took 7 s\nend\n"), terms);
    QVERIFY(found.starts_with("stdout:\n@@ -1,2 +1,2 @@\n-took 12 ms\n+took 7 s\n end\n"));
}

void TestComparison::numbersMayDifferByATolerance_data() {
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<bool>("same");
    QTest::newRow("a little") << "x = 1.0001 y" << "x = 1.0002 y" << true;
    QTest::newRow("much") << "x = 1.0 y" << "x = 1.1 y" << false;
    QTest::newRow("the text around") << "x = 1.0 y" << "x = 1.0 z" << false;
    QTest::newRow("a sign") << "1 -2" << "1 2" << false;
    QTest::newRow("an exponent") << "1e3" << "1000" << true;
    QTest::newRow("one more") << "1 2" << "1 2 3" << false;
    QTest::newRow("no number") << "v1" << "vx" << false;
    QTest::newRow("many") << "1.00001,2.00001" << "1,2" << true;
}

void TestComparison::numbersMayDifferByATolerance() {
    QFETCH(QString, a);
    QFETCH(QString, b);
    QFETCH(bool, same);
    const std::string found =
        differences(printing(a.toStdString()), printing(b.toStdString()), R"({"numbers":{"tolerance":0.001}})");
    QVERIFY2(found.empty() == same, found.c_str());
}

void TestComparison::outputsAreComparedByName() {
    const std::string both = result(fmt::format(R"("outputs":{{"a":{},"b":{}}})", chunk("1\n"), chunk("2\n")));
    const std::string other = result(fmt::format(R"("outputs":{{"a":{},"c":{}}})", chunk("1\n"), chunk("2\n")));
    const std::string found = differences(both, other);
    QVERIFY(found.starts_with("output b {") && found.contains("|;output c |{"));
    QCOMPARE(differences(leaving("o", "a\n"), leaving("o", "b\n")),
             std::string("output o:\n@@ -1,1 +1,1 @@\n-a\n+b\n"));
}

void TestComparison::outputsOfJsonAreComparedByValue() {
    QCOMPARE(differences(leaving("o.json", R"({"a":1, "b":2})"), leaving("o.json", R"({"b":2,"a":1})")),
             std::string());
    QVERIFY(!differences(leaving("o.json", R"({"a":1})"), leaving("o.json", R"({"a":2})")).empty());
    QVERIFY(!differences(leaving("o.json", "not json"), leaving("o.json", R"({"a":2})")).empty());
}

void TestComparison::binaryOutputsAreToldByTheirHashes() {
    const std::string found = differences(leaving("o", std::string("\0a", 2)), leaving("o", std::string("\0b", 2)));
    QVERIFY(found.starts_with(R"(output o {"hash":")"));
}

void TestComparison::textOfVeryManyLinesIsToldByItsHash() {
    const std::string many(kMostComparedLines, '\n');
    QVERIFY(differences(printing(many), printing("x" + many)).contains("@@"));
    const std::string told = differences(printing(many), printing("x" + many + "\n"));
    QVERIFY2(told.starts_with("stdout {") && !told.contains("@@"), told.c_str());
}

void TestComparison::whatIsNotThereIsDifferentByItsHash() {
    const std::string a = printing("kept");
    const std::string b = printing("gone");
    chunks.erase(Sha256::of("gone").hex());
    QVERIFY(differences(a, b).starts_with(R"(stdout {"hash":")"));
    QCOMPARE(differences(b, b), std::string());
}

void TestComparison::timeAndMemoryAreComparedOnlyWhenAskedFor() {
    const auto of = [](int seconds, int bytes) {
        return result(fmt::format(R"("max_rss_bytes":{},"timestamps":{{"running":1000000,"exited":{}}})", bytes,
                                  1'000'000 + seconds * 1'000'000));
    };
    QCOMPARE(differences(of(1, 100), of(3, 300)), std::string());
    QCOMPARE(differences(of(1, 100), of(3, 300), R"({"duration":2,"memory":4})"), std::string("duration 1|3;"));
    QCOMPARE(differences(of(1, 100), of(3, 300), R"({"duration":4,"memory":2})"), std::string("memory 100|300;"));
    QCOMPARE(differences(of(3, 300), of(1, 100), R"({"duration":1,"memory":1})"), std::string());
}

void TestComparison::wrongTermsAreRefused_data() {
    QTest::addColumn<QString>("terms");
    for (const char* terms : {"[]", "x", R"({"speed":1})", R"({"ignore":"stdout"})", R"({"ignore":["colour"]})",
                              R"({"normalise":[{}]})", R"({"normalise":[{"pattern":"(","with":""}]})",
                              R"json({"normalise":[{"pattern":"(a)\\1","with":""}]})json", R"({"numbers":1})",
                              R"({"normalise":[{"pattern":"a{9}","with":""}]})",
                              R"json({"normalise":[{"pattern":"(?:\\\\.{200}){200}","with":""}]})json",
                              R"({"numbers":{"tolerance":-1}})", R"({"duration":0.5})", R"({"memory":"much"})"})
        QTest::newRow(terms) << terms;
}

void TestComparison::wrongTermsAreRefused() {
    QFETCH(QString, terms);
    const auto parsed = CompareTerms::parse(terms.toStdString());
    QVERIFY(!parsed.has_value());
    QCOMPARE(parsed.error().kind, ErrorKind::Invalid);
}

void TestComparison::aLongLineAndAPatternThatBacktracksTakeNoLongTime() {
    const std::string terms = R"json({"normalise":[{"pattern":"(a+)+b","with":"x"}]})json";
    QVERIFY(
        !differences(printing(std::string(60, 'a') + "c"), printing(std::string(61, 'a') + "c"), terms).empty());
    QVERIFY(
        !differences(printing(std::string(2'000'000, 'a')), printing(std::string(2'000'001, 'a')), terms).empty());
}

void TestComparison::whoWantsNoMoreIsToldByHashes() {
    const std::string terms = R"json({"normalise":[{"pattern":"\\d+\\{","with":"N{"}]})json";
    QCOMPARE(differences(printing("1{\nx\n"), printing("2{\nx\n"), terms), std::string());
    int lines = 0;
    const std::string told =
        differences(printing("1{\nx\n"), printing("2{\nx\n"), terms, [&] { return ++lines < 2; });
    QCOMPARE(lines, 2);
    QVERIFY2(told.starts_with("stdout {") && !told.contains("@@"), told.c_str());
}

void TestComparison::differencesAreThoseOfDiff_data() {
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<QString>("diff");
    const auto row = [](const char* what, const char* a, const char* b, const char* diff) {
        QTest::newRow(what) << a << b << diff;
    };
    row("none", "a\nb\n", "a\nb\n", "");
    row("nothing and something", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n");
    row("something and nothing", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n");
    row("a line more", "a\nb\nc\n", "a\nb\nx\nc\n", "@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n");
    row("a line less", "a\nb\nc\n", "a\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c\n");
    row("the last line", "a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    row("far apart", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "x\n2\n3\n4\n5\n6\n7\n8\n9\n10\ny\n",
        "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -8,4 +8,4 @@\n 8\n 9\n 10\n-11\n+y\n");
    row("near each other", "1\n2\n3\n4\n5\n", "x\n2\n3\n4\ny\n", "@@ -1,5 +1,5 @@\n-1\n+x\n 2\n 3\n 4\n-5\n+y\n");
}

void TestComparison::differencesAreThoseOfDiff() {
    QFETCH(QString, a);
    QFETCH(QString, b);
    QFETCH(QString, diff);
    QCOMPARE(::diff(a.toStdString(), b.toStdString()), diff.toStdString());
}

void TestComparison::farFromEachOtherIsOneChange() {
    std::string a = "same\n";
    std::string b = "same\n";
    for (int i = 0; i < 600; ++i) {
        a += fmt::format("a{}\n", i);
        b += fmt::format("b{}\n", i);
    }
    const std::string found = diff(a, b);
    QVERIFY(found.starts_with("@@ -1,601 +1,601 @@\n same\n-a0\n-a1\n"));
    QVERIFY(found.ends_with("+b599\n"));
}

void TestComparison::aDiffHasABound() {
    std::string a;
    for (int i = 0; i < 5'000; ++i) a += fmt::format("line {}\n", i);
    const std::string found = diff(a, "");
    QVERIFY(found.size() < 11'000);
    QVERIFY(found.ends_with("(there is more)\n"));
}

/// What is left of a diff and what it adds are both texts again.
void TestComparison::anyTwoTextsAreToldInFull() {
    std::uint32_t x = 7;
    for (int round = 0; round < 500; ++round) {
        std::string a;
        std::string b;
        for (std::string* text : {&a, &b})
            for (int i = 0; i < 12; ++i) {
                x = x * 1664525u + 1013904223u;
                if ((x >> 30) != 0) *text += fmt::format("{}\n", (x >> 20) % 4);
            }
        const std::string found = diff(a, b);
        if (found.empty()) {
            QCOMPARE(a, b);
            continue;
        }
        std::size_t removed = 0;
        std::size_t added = 0;
        for (const std::string_view line : linesOf(found)) {
            removed += line.starts_with('-') ? 1 : 0;
            added += line.starts_with('+') ? 1 : 0;
        }
        QCOMPARE(linesOf(a).size() - removed, linesOf(b).size() - added);
        QVERIFY(a != b);
    }
}

void TestComparison::whatIsNoResultIsSaid() {
    QCOMPARE(differences("[]", "{}"), std::string("A result cannot be read, so it cannot be compared."));
}

QTEST_APPLESS_MAIN(TestComparison)
#include "tst_comparison.moc"
