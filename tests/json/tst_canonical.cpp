// RFC 8785 with its own examples, and what it must not change silently.

#include "core/json/canonical_json.h"
#include "tests/model/printed.h"

#include <QTest>

using namespace yard;

class TestCanonical : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textsBecomeCanonical_data();
    void textsBecomeCanonical();
    void theCanonicalFormIsItsOwn();
};

void TestCanonical::textsBecomeCanonical_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("canonical");
    const auto row = [](const char* sentence, const char* json, const char* canonical) {
        QTest::newRow(sentence) << QByteArray(json) << QString::fromUtf8(canonical);
    };
    row("RFC 8785, 3.2.2: the sample",
        R"({
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
})",
        R"({"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],)"
        R"("string":"€$\u000f\nA'B\"\\\\\"/"})");
    row("RFC 8785, 3.2.3: names in the order of UTF-16",
        R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",)"
        R"("\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"})",
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With "
        "Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\uFB33\":\"Hebrew Letter Dalet With "
        "Dagesh\"}");
    row("names sort inside too, and lists keep their order", R"({"b":[{"z":1,"y":2}],"a":{"d":1,"c":2}})",
        R"({"a":{"c":2,"d":1},"b":[{"y":2,"z":1}]})");
    row("a prefix comes first", R"({"aa":1,"a":2,"":3,"a ":4})", R"({"":3,"a":2,"a ":4,"aa":1})");
    row("whole numbers lose point and exponent", "[1.0,10e2,-0.0,-0,100]", "[1,1000,0,0,100]");
    row("integers that a double holds pass", "[9007199254740993024,9007199254740994]",
        "[9007199254740993000,9007199254740994]");
    row("an integer that would become another is refused", R"({"n":9007199254740993})",
        "invalid n: Give the integer 9007199254740993 as a string: a double does not hold it.");
    row("an integer over 63 bits is refused", R"({"n":18446744073709551615})",
        "invalid n: Give the integer 18446744073709551615 as a string: it is too large.");
    row("a lone value", " \"\\u00e9\" ", "\"é\"");
    row("what is not JSON is not canonical", "{a:1}",
        "malformed: The JSON is wrong at byte 1 (syntax error); correct it and send it again.");
}

void TestCanonical::textsBecomeCanonical() {
    QFETCH(QByteArray, json);
    const auto text = canonicalJson(std::string_view(json.data(), static_cast<std::size_t>(json.size())));
    QTEST(text ? qt(*text) : printed(text.error()), "canonical");
}

void TestCanonical::theCanonicalFormIsItsOwn() {
    const auto once = canonicalJson(std::string_view(R"({"b":[1e21,"\u2028",{}],"a":0.1})"));
    QVERIFY(once);
    const auto twice = canonicalJson(*once);
    QVERIFY(twice);
    QCOMPARE(qt(*twice), qt(*once));
}

QTEST_APPLESS_MAIN(TestCanonical)
#include "tst_canonical.moc"
