// Reading and writing JSON text: what is refused, what stays as it was written.

#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/model/action_spec.h"
#include "core/model/array_element.h"
#include "tests/model/printed.h"

#include <QTest>
#include <bit>
#include <fmt/format.h>

using namespace yard;

namespace {

QString compacted(const QByteArray& json) {
    const auto text = compactJson({json.data(), static_cast<std::size_t>(json.size())});
    return text ? qt(*text) : printed(text.error());
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

} // namespace

class TestJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textIsKeptWithoutWhiteSpace_data();
    void textIsKeptWithoutWhiteSpace();
    void badDocumentsAreRefused_data();
    void badDocumentsAreRefused();
    void depthEndsAtSixtyFourLevels();
    void aDocumentOverTheLimitIsTooLarge();
    void repeatedMembersAreFoundAmongThousands();
    void elementsComeOneByOneWithTheirText();
    void aSyntaxErrorWinsOverARefusedElement();
    void stringsAreEscaped_data();
    void stringsAreEscaped();
    void numbersArePrintedAsInEcmaScript_data();
    void numbersArePrintedAsInEcmaScript();
    void oneElementOfAnArrayIsTheSameTextWithThatArray();
    void theWriterPutsCommasWhereTheyBelong();
};

void TestJson::textIsKeptWithoutWhiteSpace_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* sentence, const QByteArray& json, const char* text) {
        QTest::newRow(sentence) << json << QString::fromUtf8(text);
    };
    row("white space goes", " { \"a\" : [ 1 , 2 , { } , [ ] ] ,\n\t\"b\" : null } \r\n",
        R"({"a":[1,2,{},[]],"b":null})");
    row("members stay in their order", R"({"z":1,"a":2})", R"({"z":1,"a":2})");
    row("numbers stay as they were written", "[1.50,-0,1E5,1e-3,0.1000]", "[1.50,-0,1E5,1e-3,0.1000]");
    row("the largest integers of 64 bits pass", "[18446744073709551615,-9223372036854775808]",
        "[18446744073709551615,-9223372036854775808]");
    row("escapes become the shortest form", R"(["A\u00e9\/\ud83d\ude00\u0001\n"])", "[\"Aé/😀\\u0001\\n\"]");
    row("a string that ends with a comma keeps it", R"(["a,",","])", R"(["a,",","])");
    row("a string of escapes longer than any buffer",
        QByteArray("[\"") + QByteArray("\\u0041").repeated(5000) + "\"]",
        (std::string("[\"") + std::string(5000, 'A') + "\"]").c_str());
    row("a lone value is a document", " true ", "true");
    row("a lone string too", R"( "x" )", R"("x")");
    row("empty names are names", R"({"":{"":0}})", R"({"":{"":0}})");
    row("the same name in different objects is fine", R"({"a":{"a":[{"a":1},{"a":1}]}})",
        R"({"a":{"a":[{"a":1},{"a":1}]}})");
}

void TestJson::textIsKeptWithoutWhiteSpace() {
    QFETCH(QByteArray, json);
    QTEST(compacted(json), "text");
}

void TestJson::badDocumentsAreRefused_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("answer");
    const auto row = [](const char* sentence, const QByteArray& json, const char* answer) {
        QTest::newRow(sentence) << json << answer;
    };
    row("nothing", "", "malformed: The JSON ends too early; send the whole document.");
    row("only white space", "  ", "malformed: The JSON ends too early; send the whole document.");
    row("cut short", "{\"a\":", "malformed: The JSON ends too early; send the whole document.");
    row("cut in a string", "[\"ab", "malformed: The JSON ends too early; send the whole document.");
    row("a trailing comma", "[1,]",
        "malformed: The JSON is wrong at byte 3 (syntax error); correct it and send it again.");
    row("a comment", "/* x */ 1",
        "malformed: The JSON is wrong at byte 0 (syntax error); correct it and send it again.");
    row("more after the end", "{} {}", "malformed: The JSON goes on after its end at byte 3; send one document.");
    row("a byte order mark", "\xEF\xBB\xBF{}",
        "malformed: The JSON is wrong at byte 0 (syntax error); correct it and send it again.");
    const auto utf8 = [&](const char* sentence, const char* json, const char* what, const char* byte) {
        const std::string message = fmt::format(
            "malformed: {} is not valid UTF-8 (byte {}); encode it as UTF-8 and send it again.", what, byte);
        row(sentence, json, message.c_str());
    };
    utf8("invalid UTF-8 in a string", "[\"\xFF\"]", "The JSON", "0xff");
    utf8("an overlong form", "[\"\xC0\xAF\"]", "The JSON", "0xc0");
    utf8("an encoded surrogate", "[\"\xED\xA0\x80\"]", "The JSON", "0xed");
    utf8("beyond Unicode", "[\"\xF4\x90\x80\x80\"]", "The JSON", "0xf4");
    utf8("a sequence cut by the quote", "[\"\xE2\x82\"]", "The JSON", "0xe2");
    utf8("invalid UTF-8 in a name", "{\"\xC3\":1}", "\"\xEF\xBF\xBD\"", "0xc3");
    utf8("invalid UTF-8 in a member",
         R"({"a\"":"b","label" : [{"x":1},")"
         "\xFF\"]}",
         "\"x\"", "0xff");
    utf8("invalid UTF-8 behind escapes", "{\"tag\":\"a\\\\\\\"\xFF\"}", "\"tag\"", "0xff");
    row("a member given twice", R"({"a":1,"b":2,"a":3})",
        R"(invalid a: "a" appears twice in one object; send it once.)");
    row("a member given twice far inside", R"([{"x":[{"k":1,"k":1}]}])",
        R"(invalid k: "k" appears twice in one object; send it once.)");
    row("a member given twice, once escaped", R"({"a":1,"\u0061":1})",
        R"(invalid a: "a" appears twice in one object; send it once.)");
    row("an integer of 65 bits", "[18446744073709551616]",
        "invalid: Give the integer 18446744073709551616 as a string: it needs more than 64 bits.");
    row("a negative integer of 65 bits", "[-9223372036854775809]",
        "invalid: Give the integer -9223372036854775809 as a string: it needs more than 64 bits.");
    row("a number beyond a double", "[1e400]",
        "invalid: Give the number 1e400 as a string: it is beyond what a double holds.");
}

void TestJson::badDocumentsAreRefused() {
    QFETCH(QByteArray, json);
    QTEST(compacted(json), "answer");
}

void TestJson::depthEndsAtSixtyFourLevels() {
    const std::string good = repeated("[", 64) + repeated("]", 64);
    QCOMPARE(compacted(QByteArray::fromStdString(good)), qt(good));
    QVERIFY(readJson(good));
    const std::string objects = repeated("{\"a\":", 64) + "1" + repeated("}", 64);
    QCOMPARE(compacted(QByteArray::fromStdString(objects)), qt(objects));
    const auto deep = readJson("[" + good + "]");
    QVERIFY(!deep);
    QCOMPARE(printed(deep.error()), QString("malformed: The JSON is nested deeper than 64 levels; flatten it."));
    QVERIFY(!readJson(repeated("[", 1'000'000)));
}

void TestJson::aDocumentOverTheLimitIsTooLarge() {
    const auto read = readJson(std::string(kMaxJsonBody + 1, ' '));
    QVERIFY(!read);
    QCOMPARE(printed(read.error()), QString("too_large: The JSON is over 64 MiB; send it in parts."));
    std::string many = "[" + repeated("0,", kMaxJsonNodes) + "0]";
    const auto nodes = readJson(many);
    QVERIFY(!nodes);
    QCOMPARE(printed(nodes.error()),
             QString("too_large: The JSON has more than 4000000 values; send it in parts."));
    QVERIFY(compactJson(many)); // on no tape
}

void TestJson::repeatedMembersAreFoundAmongThousands() {
    std::string json = "{";
    for (int i = 0; i < 5000; ++i) json += "\"k" + std::to_string(i) + "\":{\"x\":1},";
    QVERIFY(readJson(json + "\"last\":0}"));
    const auto repeatedKey = readJson(json + "\"k17\":0}");
    QVERIFY(!repeatedKey);
    QCOMPARE(qt(repeatedKey.error().field), QString("k17"));
}

void TestJson::elementsComeOneByOneWithTheirText() {
    QStringList seen;
    const auto isList =
        readJsonElements(R"([ {"a":"x","args":{"b":[1, 2]},"c":3}, 5, {"args":null}, {}, "s\n" ])", "args",
                         [&](JsonView value, std::string_view text) -> Result<void> {
                             QString line = qt(text);
                             if (value.isObject())
                                 for (const JsonView member : value)
                                     if (member.kind() == JsonKind::Raw)
                                         line +=
                                             " raw " + qt(text.substr(member.node().offset, member.node().size));
                             seen << line;
                             return {};
                         });
    QVERIFY(isList && *isList);
    QCOMPARE(seen, QStringList({R"({"a":"x","args":{"b":[1,2]},"c":3} raw {"b":[1,2]})", "5",
                                R"({"args":null} raw null)", "{}", R"("s\n")"}));
}

void TestJson::aSyntaxErrorWinsOverARefusedElement() {
    const JsonElementSink refuse = [](JsonView, std::string_view) -> Result<void> { return invalid("x", "No."); };
    const auto refused = readJsonElements("[1,2]", "args", refuse);
    QCOMPARE(printed(refused.error()), QString("[0] invalid x: No."));
    const auto malformed = readJsonElements("[1,2", "args", refuse);
    QCOMPARE(qt(errorName(malformed.error().kind)), QString("malformed"));
}

void TestJson::stringsAreEscaped_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("json");
    QTest::newRow("plain text stays") << QByteArray("a b/c") << "\"a b/c\"";
    QTest::newRow("quotes and backslashes") << QByteArray("\"\\") << R"("\"\\")";
    QTest::newRow("controls, short and long")
        << QByteArray("\b\f\n\r\t\x01\x1f\x7f") << QString("\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    QTest::newRow("NUL") << QByteArray("a\0b", 3) << "\"a\\u0000b\"";
    QTest::newRow("beyond ASCII stays") << QByteArray("é€😀") << QString::fromUtf8("\"é€😀\"");
    QTest::newRow("bytes that are not UTF-8 are replaced one by one")
        << QByteArray("a\xFF\xC3(\xE2\x82") << QString::fromUtf8("\"a\uFFFD\uFFFD(\uFFFD\uFFFD\"");
}

void TestJson::stringsAreEscaped() {
    QFETCH(QByteArray, text);
    std::string out;
    appendJsonString(out, {text.data(), static_cast<std::size_t>(text.size())});
    QTEST(qt(out), "json");
}

// RFC 8785, appendix B.
void TestJson::numbersArePrintedAsInEcmaScript_data() {
    QTest::addColumn<quint64>("bits");
    QTest::addColumn<QString>("json");
    const auto row = [](const char* sentence, quint64 bits, const char* json) {
        QTest::newRow(sentence) << bits << json;
    };
    row("zero", 0x0000000000000000, "0");
    row("minus zero", 0x8000000000000000, "0");
    row("least positive", 0x0000000000000001, "5e-324");
    row("least negative", 0x8000000000000001, "-5e-324");
    row("greatest", 0x7fefffffffffffff, "1.7976931348623157e+308");
    row("most negative", 0xffefffffffffffff, "-1.7976931348623157e+308");
    row("2^53", 0x4340000000000000, "9007199254740992");
    row("-2^53", 0xc340000000000000, "-9007199254740992");
    row("2^68", 0x4430000000000000, "295147905179352830000");
    row("below 1e23", 0x44b52d02c7e14af5, "9.999999999999997e+22");
    row("1e23", 0x44b52d02c7e14af6, "1e+23");
    row("above 1e23", 0x44b52d02c7e14af7, "1.0000000000000001e+23");
    row("two below 1e21", 0x444b1ae4d6e2ef4e, "999999999999999700000");
    row("one below 1e21", 0x444b1ae4d6e2ef4f, "999999999999999900000");
    row("1e21", 0x444b1ae4d6e2ef50, "1e+21");
    row("below 1e-6", 0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7");
    row("1e-6", 0x3eb0c6f7a0b5ed8d, "0.000001");
    row("a third, 1", 0x41b3de4355555553, "333333333.3333332");
    row("a third, 2", 0x41b3de4355555554, "333333333.33333325");
    row("a third, 3", 0x41b3de4355555555, "333333333.3333333");
    row("a third, 4", 0x41b3de4355555556, "333333333.3333334");
    row("a third, 5", 0x41b3de4355555557, "333333333.33333343");
    row("small and negative", 0xbecbf647612f3696, "-0.0000033333333333333333");
    row("round to even", 0x43143ff3c1cb0959, "1424953923781206.2");
}

void TestJson::numbersArePrintedAsInEcmaScript() {
    QFETCH(quint64, bits);
    std::string out;
    appendJsonNumber(out, std::bit_cast<double>(bits));
    QTEST(qt(out), "json");
}

void TestJson::oneElementOfAnArrayIsTheSameTextWithThatArray() {
    const auto element = [](std::string_view action) { return elementOfArray(action, 7).value_or("refused"); };
    QCOMPARE(qt(element(R"({"args":{"array":[1,2.50]},"array":{"from":0,"to":99},"label":"x"})")),
             QString(R"({"args":{"array":[1,2.50]},"array":{"from":7,"to":7},"label":"x"})"));
    QCOMPARE(qt(element(R"({"array":{"to":99}})")), QString(R"({"array":{"from":7,"to":7}})"));
    QCOMPARE(qt(element(R"({"label":"array"})")), QString(R"({"label":"array"})"));
    QCOMPARE(elementOfArray("{", 7).error().kind, ErrorKind::Malformed);
}

void TestJson::theWriterPutsCommasWhereTheyBelong() {
    std::string out = "[1],"; // what stands before is not looked at
    JsonWriter writer(out);
    writer.openObject();
    writer.member("a", 1);
    writer.key("b");
    writer.openArray();
    writer.openObject();
    writer.closeObject();
    writer.string("x");
    writer.raw("null");
    writer.number(0.5);
    writer.closeArray();
    writer.member("c", true);
    writer.member("d", "text");
    writer.key("e");
    writer.hash(Hash256::ofNothing());
    writer.closeObject();
    QCOMPARE(qt(out), QString(R"([1],{"a":1,"b":[{},"x",null,0.5],"c":true,"d":"text","e":)"
                              R"("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})"));
}

QTEST_APPLESS_MAIN(TestJson)
#include "tst_json.moc"
