// The address that an engine writes down, and what is read from it.
#include "app/yardmaster/arguments.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <array>
#include <vector>

using namespace yard::app;

class TestArguments : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void prefixesArePathsOrNothing();
    void theUsualAddressIsThatOfItsClients();
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

void TestArguments::theUsualAddressIsThatOfItsClients() {
    const std::string usual = "127.0.0.1:" + std::to_string(yard::kUsualPort);
    std::array words{std::string("yardmaster"), std::string("--help")};
    std::array<char*, 2> raw{words[0].data(), words[1].data()};
    QCOMPARE(std::get<Arguments>(parseArguments(1, raw.data())).listen, usual);
    const std::string help = std::get<EarlyExit>(parseArguments(2, raw.data())).text;
    QVERIFY2(help.find("(default: " + usual + ")\n") != std::string::npos, help.c_str());
}

QTEST_APPLESS_MAIN(TestArguments)
#include "tst_arguments.moc"
