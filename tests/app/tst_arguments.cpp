// The address that an engine writes down, and what is read from it.
#include "app/yardmaster/arguments.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <vector>

using namespace yard::app;

class TestArguments : public QObject {
    Q_OBJECT
private slots:
    void prefixesArePathsOrNothing();
};

void TestArguments::prefixesArePathsOrNothing() {
    const auto prefixOf = [](std::string text) {
        std::vector<std::string> words{"yardmaster", "--prefix", std::move(text)};
        std::vector<char*> raw;
        for (std::string& word : words) raw.push_back(word.data());
        const auto parsed = parseArguments(static_cast<int>(raw.size()), raw.data());
        const auto* arguments = std::get_if<Arguments>(&parsed);
        return arguments ? arguments->prefix : std::get<EarlyExit>(parsed).text;
    };
    QCOMPARE(prefixOf("/yard/"), std::string("/yard"));
    QCOMPARE(prefixOf("/"), std::string());
    for (const char* wrong : {"", "yard", "/a?b", "/a b", "/%41"})
        QVERIFY2(prefixOf(wrong).starts_with("yardmaster: --prefix is a path"), wrong);
}

QTEST_APPLESS_MAIN(TestArguments)
#include "tst_arguments.moc"
