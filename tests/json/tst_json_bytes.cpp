// Bytes that are not UTF-8 in JSON: how they are written and read, and where an action may hold them.

#include "core/json/json_bytes.h"

#include "core/json/json_writer.h"
#include "core/json/utf8.h"
#include "core/model/action_spec.h"
#include "core/model/array_element.h"
#include "core/model/unkept_env.h"
#include "tests/model/printed.h"

#include <QTest>

using namespace yard;

class TestJsonBytes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void codeUnitsAreBytes_data();
    void codeUnitsAreBytes();
    void everyByteGoesThereAndBack();
    void anActionHoldsThem();
    void nothingElseDoes_data();
    void nothingElseDoes();
    void partsOfAnActionKeepThem();
};

void TestJsonBytes::codeUnitsAreBytes_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("bytes"); // "-": as it was
    const auto row = [](const char* name, const char* json, const char* bytes) {
        QTest::newRow(name) << QByteArray(json) << QByteArray(bytes);
    };
    row("one", R"("\udcff")", "\"\xff\"");
    row("in capitals", R"("\uDC80")", "\"\x80\"");
    row("several, between text", R"("a\udcfe\udcffb")",
        "\"a\xfe\xff"
        "b\"");
    row("a character of several", R"("\udcc3\udca9")", "\"\xc3\xa9\"");
    row("other escapes stay", R"("\n\u00e9\udcff\"")", "\"\\n\\u00e9\xff\\\"\"");
    row("an escaped backslash", R"("\\udcff")", "-");
    row("a backslash before one", R"("\\\udcff")", "\"\\\\\xff\"");
    row("half of a pair", R"("\ud83d\udc80")", "-");
    row("after a pair", R"("\ud83d\ude00\udcff")", "\"\\ud83d\\ude00\xff\"");
    row("what stands for ASCII", R"("\udc7f")", "-");
    row("what is no byte", R"("\udd00")", "-");
    row("cut short", R"("\udcf)", "-");
    row("none", R"({"a":"é"})", "-");
}

void TestJsonBytes::codeUnitsAreBytes() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, bytes);
    const auto decoded = decodeJsonBytes(json.toStdString());
    QCOMPARE(QByteArray::fromStdString(decoded.value_or("-")), bytes);
}

void TestJsonBytes::everyByteGoesThereAndBack() {
    std::string all;
    for (int byte = 255; byte > 0; --byte) all += static_cast<char>(byte); // in this order none make a character
    std::string json;
    appendJsonBytes(json, all);
    QVERIFY(isUtf8(json));
    const auto read = parseAction(R"({"worker":"exec","argv":["true",)" + json + "]}");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(QByteArray::fromStdString(read->spec->argv[1]).toHex(), QByteArray::fromStdString(all).toHex());
    QCOMPARE(encodeJsonBytes(*decodeJsonBytes(json)), json);
}

void TestJsonBytes::anActionHoldsThem() {
    const char* const kJson = R"({"worker":"exec", "argv":["a\udcff","\udcc3\udca9"], "cwd":"/\uDC80",)"
                              R"( "env":{"N\udcfe":"\udcfd"}, "label":"é"})";
    const auto read = parseAction(kJson);
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->spec->argv, (std::vector<std::string>{"a\xff", "é"}));
    QCOMPARE(*read->spec->cwd, std::string("/\x80"));
    QCOMPARE(read->spec->env, (std::vector<std::pair<std::string, std::string>>{{"N\xfe", "\xfd"}}));
    QCOMPARE(qt(read->text), QString::fromUtf8(R"({"worker":"exec","argv":["a\udcff","é"],"cwd":"/\udc80",)"
                                               R"("env":{"N\udcfe":"\udcfd"},"label":"é"})"));
    const auto again = parseAction(read->text);
    QVERIFY(again);
    QCOMPARE(again->text, read->text);
    QCOMPARE(again->spec->argv, read->spec->argv);
}

void TestJsonBytes::nothingElseDoes_data() {
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QString>("refusal");
    const auto row = [](const char* name, const char* members, const char* refusal) {
        QTest::newRow(name) << QByteArray(members) << QString(refusal);
    };
    const char* const kWhy =
        R"(" as text: \udc80 to \udcff stand for single bytes, which only argv, cwd, env may hold.)";
    const auto textOnly = [&](const char* name, const char* members, const QString& field) {
        QTest::newRow(name) << QByteArray(members) << "[0] invalid " + field + ": Give \"" + field + kWhy;
    };
    textOnly("a label", R"("label":"\udcff")", "label");
    textOnly("an id, after an argument with one", R"("env":{"A":"\udcff"},"id":"\udcff")", "id");
    textOnly("the name of an input", R"("inputs":{"\udcff":"x"})", "inputs");
    textOnly("a text of stdin", R"("stdin":{"text":"\udcff"})", "stdin");
    textOnly("args, which stay as they are", R"("args":[["\udcff"]])", "args");
    row("a NUL", R"("env":{"A":"\udcff\u0000"})",
        "[0] invalid env.A: Give \"env.A\" as text of at most 131070 bytes without NUL.");
    row("half of a pair", R"("env":{"A":"\ud800"})", "malformed");
    row("a byte itself", "\"env\":{\"A\":\"\xff\",\"B\":\"\\udcff\"}",
        "malformed: \"A\" is not valid UTF-8 (byte 0xff); encode it as UTF-8 and send it again.");
}

void TestJsonBytes::nothingElseDoes() {
    QFETCH(QByteArray, members);
    QFETCH(QString, refusal);
    const auto read = parseActions("[{\"worker\":\"exec\",\"argv\":[\"true\"]," + members.toStdString() + "}]");
    QVERIFY(!read);
    QVERIFY2(printed(read.error()).startsWith(refusal), qPrintable(printed(read.error())));
}

void TestJsonBytes::partsOfAnActionKeepThem() {
    const std::string json =
        R"({"worker":"exec","argv":["\udcff"],"env":{"KEY":"\udcfe","B":"\udcfd"},"array":{"from":0,"to":9}})";
    QCOMPARE(
        qt(*elementOfArray(json, 3)),
        QString(
            R"({"worker":"exec","argv":["\udcff"],"env":{"KEY":"\udcfe","B":"\udcfd"},"array":{"from":3,"to":3}})"));
    auto action = *parseAction(json);
    const Variables taken = takeUnkeptEnv(action, "*KEY*");
    QCOMPARE(taken, (Variables{{"KEY", "\xfe"}}));
    QCOMPARE(
        qt(action.text),
        QString(
            R"({"worker":"exec","argv":["\udcff"],"env":{"B":"\udcfd","KEY":null},"array":{"from":0,"to":9}})"));
}

QTEST_APPLESS_MAIN(TestJsonBytes)
#include "tst_json_bytes.moc"
