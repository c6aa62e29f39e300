// Documents of our own: what is no object is none, and a value of another type counts as absent.
#include "core/json/lenient.h"

#include "core/json/document.h"

#include <QTest>

#include <string>

using namespace yard;

class TestLenient : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aValueOfItsTypeIsTaken();
    void anotherTypeCountsAsAbsent();
    void aDocumentIsReadAsItWasWritten();
    void whatIsNoObjectIsNoDocument_data();
    void whatIsNoObjectIsNoDocument();
    void aDocumentHasItsLimit();

private:
    /// Of each element: number, text and flag.
    static std::string read(std::string_view json) {
        const auto tape = readJson(json);
        if (!tape) return tape.error().message;
        std::string text;
        for (const JsonView value : tape->root())
            text += std::to_string(integerOrZero(value)) + textOrEmpty(value) + (isTrue(value) ? "t " : "f ");
        return text;
    }
};

void TestLenient::aValueOfItsTypeIsTaken() {
    QCOMPARE(read(R"([7,-7,"a",true,false])"), std::string("7f -7f 0af 0t 0f "));
}

void TestLenient::anotherTypeCountsAsAbsent() {
    QCOMPARE(read(R"([1.5,null,[1],{"a":1}])"), std::string("0f 0f 0f 0f "));
}

void TestLenient::aDocumentIsReadAsItWasWritten() {
    const std::string text = writeDocument([](JsonWriter& writer) {
        writer.member("name", "one\n");
        writer.member("count", std::int64_t{3});
    });
    QCOMPARE(text, std::string(R"({"name":"one\n","count":3})"));
    const auto tape = readDocument(text);
    QVERIFY(tape.has_value());
    QCOMPARE(textOrEmpty(memberOf(tape->root(), "name").value()), std::string("one\n"));
    QCOMPARE(integerOrZero(memberOf(tape->root(), "count").value()), std::int64_t{3});
    QVERIFY(readDocument(writeDocument([](JsonWriter&) {})).has_value());
}

void TestLenient::whatIsNoObjectIsNoDocument_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("a list") << QByteArray("[1]");
    QTest::newRow("a number") << QByteArray("7");
    QTest::newRow("cut off") << QByteArray(R"({"name":"on)");
    QTest::newRow("two of them") << QByteArray("{}{}");
    QTest::newRow("no UTF-8") << QByteArray("{\"name\":\"\xff\"}");
}

void TestLenient::whatIsNoObjectIsNoDocument() {
    QFETCH(QByteArray, text);
    QVERIFY(!readDocument(text.toStdString()));
}

void TestLenient::aDocumentHasItsLimit() {
    const auto ofSize = [](std::size_t bytes) {
        const std::string frame = R"({"a":""})";
        return R"({"a":")" + std::string(bytes - frame.size(), 'x') + R"("})";
    };
    QVERIFY(readDocument(ofSize(kMaxJsonDocument)).has_value());
    QVERIFY(!readDocument(ofSize(kMaxJsonDocument + 1)));
}

QTEST_GUILESS_MAIN(TestLenient)
#include "tst_lenient.moc"
