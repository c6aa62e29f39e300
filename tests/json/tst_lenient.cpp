// Values of documents of our own: what is of another type counts as absent.
#include "core/json/lenient.h"

#include <QTest>

#include <string>

using namespace yard;

class TestLenient : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aValueOfItsTypeIsTaken();
    void anotherTypeCountsAsAbsent();

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

QTEST_GUILESS_MAIN(TestLenient)
#include "tst_lenient.moc"
