// Which pieces of a resource an attempt was given: as JSON, in the environment, for people; names that a setting stands for.
#include "core/model/given_resources.h"
#include "tests/model/printed.h"

#include <QTest>

using namespace yard;

namespace {

const GivenResources kSome = {{.resource = "display", .names = {":1"}},
                              {.resource = "port", .names = {"5000", "5001"}}};

} // namespace

class TestGivenResources : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theirJsonIsReadBack() {
        QCOMPARE(toJson(kSome), R"({"display":[":1"],"port":["5000","5001"]})");
        QCOMPARE(givenFrom(toJson(kSome)), kSome);
        QCOMPARE(toJson(GivenResources{}), "{}");
    }

    void whatIsNoSuchJsonIsNothing() {
        for (const char* text : {"", "{", "[]", R"({"port":"5000"})", R"({"port":[5000]})", R"({"a":["1"],"b":1})"})
            QVERIFY2(givenFrom(text).empty(), text);
    }

    void namesOfVariablesAreThoseOfAShell() {
        QCOMPARE(variableOf("port"), "YARD_RESOURCE_PORT");
        QCOMPARE(variableOf("licence.x-2"), "YARD_RESOURCE_LICENCE_X_2");
    }

    void peopleReadThemInALine() {
        QCOMPARE(listed(kSome.back()), "5000,5001");
        QCOMPARE(listed(kSome), "display :1 port 5000,5001");
        QCOMPARE(listed(GivenResources{}), "");
    }

    void aRangeIsEachOfItsNumbers() {
        std::vector<std::string> names;
        QVERIFY(expandNames("8-10", names) && expandNames("a-b", names) && expandNames(":1", names));
        QCOMPARE(names, (std::vector<std::string>{"8", "9", "10", "a-b", ":1"}));
        names.clear();
        QVERIFY(expandNames("08-10", names) && expandNames("7-7", names));
        QCOMPARE(names, (std::vector<std::string>{"08", "09", "10", "7"}));
    }

    void aNameIsThereOnceAndShort() {
        std::vector<std::string> names{"5"};
        for (const std::string& word :
             {std::string("5"), std::string("4-6"), std::string(), std::string("a,b"), std::string("a\nb"),
              std::string(129, 'x'), std::string("9-8"), std::string("0-4096"), std::string("\xff")}) {
            names.resize(1);
            QVERIFY2(!expandNames(word, names), word.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestGivenResources)
#include "tst_given_resources.moc"
