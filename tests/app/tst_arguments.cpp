// The address that an engine writes down, and what is read from it.
#include "app/yardmaster/arguments.h"
#include "app/yardmaster/options.h"
#include "core/base/roff.h"
#include "tests/support/show_strings.h"

#include <QTemporaryFile>
#include <QTest>
#include <algorithm>
#include <array>
#include <vector>

using namespace yard::app;

class TestArguments : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void prefixesArePathsOrNothing();
    void theUsualAddressIsThatOfItsClients();
    void helpAndManualHaveEveryOption();
    void optionsOfTlsThatDoNotFitAreRefused();
    void aJoinTokenIsReadFromAFileOrTheEnvironment();
    void optionsOfJoiningThatDoNotFitAreRefused();
    void aLinkOverStdioIsForTheOneWhoStartedIt();
    void theExampleIsForAnEngineThatIsStarted();
    void aNameIsOneThatActionsCanSay();
    void howLongItServesIsANumberOfSeconds();
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

void TestArguments::helpAndManualHaveEveryOption() {
    const auto printed = [](std::string option) {
        std::array words{std::string("yardmaster"), std::move(option)};
        std::array<char*, 2> raw{words[0].data(), words[1].data()};
        const auto exit = std::get<EarlyExit>(parseArguments(2, raw.data()));
        return exit.code == 0 ? exit.text : "failed: " + exit.text;
    };
    const std::string help = printed("--help");
    const std::string page = printed("--manual");
    QVERIFY2(page.starts_with(".TH \"YARDMASTER\" 1 \"\" \"Yardmaster "), page.c_str());
    for (const OptionRow& row : optionRows()) {
        QVERIFY2(help.contains(std::string("\n  --") + row.name), row.name);
        const std::string typed = yard::roff::text(std::string("--") + row.name);
        QVERIFY2(page.contains("\n.B \"" + typed + "\"\n") || page.contains("\n.BI \"" + typed + " \" \""),
                 row.name);
    }
    QVERIFY2(help.ends_with("3 the data directory is in use, 4 cannot listen.\n"), help.c_str());
    QVERIFY2(page.contains(".SH EXIT STATUS\n.TP\n.B 0\nended as asked\n"), page.c_str());
}

namespace {

std::variant<Arguments, EarlyExit> parsed(std::vector<std::string> words) {
    words.insert(words.begin(), "yardmaster");
    std::vector<char*> raw;
    for (std::string& word : words) raw.push_back(word.data());
    return parseArguments(static_cast<int>(raw.size()), raw.data());
}

std::string refusal(std::vector<std::string> words) {
    const auto result = parsed(std::move(words));
    const auto* exit = std::get_if<EarlyExit>(&result);
    return exit && exit->code == 2 ? exit->text : std::string("(taken)");
}

} // namespace

void TestArguments::optionsOfTlsThatDoNotFitAreRefused() {
    QVERIFY(refusal({"--tls-cert", "c"}).contains("--tls-cert and --tls-key go together"));
    QVERIFY(refusal({"--tls-key", "k"}).contains("--tls-cert and --tls-key go together"));
    QVERIFY(refusal({"--tls-cert", "c", "--tls-key", "k", "--insecure"}).contains("give one of them"));
    const auto both = parsed({"--tls-cert", "c", "--tls-key", "k"});
    QCOMPARE(std::get<Arguments>(both).tlsCert, std::string("c"));
    QCOMPARE(std::get<Arguments>(both).tlsKey, std::string("k"));
    QVERIFY(std::get<Arguments>(parsed({"--insecure"})).insecure);
}

void TestArguments::aJoinTokenIsReadFromAFileOrTheEnvironment() {
    QTemporaryFile file;
    QVERIFY(file.open());
    const std::string path = "@" + file.fileName().toStdString();
    QVERIFY(refusal({"--join", "https://h", "--join-token", path}).contains("is empty"));
    QVERIFY(file.write("secret\n") == 7 && file.flush());
    const auto tokenOf = [](std::vector<std::string> words) {
        return std::get<Arguments>(parsed(std::move(words))).joinToken;
    };
    QVERIFY(qputenv("YARD_JOIN_TOKEN", "other"));
    QCOMPARE(tokenOf({"--join", "https://h", "--join-token", path}), std::string("secret"));
    QVERIFY(!qEnvironmentVariableIsSet("YARD_JOIN_TOKEN")); // what runs here does not see it
    QVERIFY(qputenv("YARD_JOIN_TOKEN", "other"));
    QCOMPARE(tokenOf({"--join", "https://h"}), std::string("other"));
    QVERIFY(qputenv("YARD_JOIN_TOKEN", "other"));
    QCOMPARE(tokenOf({}), std::string());
    QVERIFY(refusal({"--join", "https://h", "--join-token", "@/no/such/file"}).contains("/no/such/file"));
}

void TestArguments::optionsOfJoiningThatDoNotFitAreRefused() {
    QVERIFY(refusal({"--join-token", "t"}).contains("--join-token goes with --join"));
    QVERIFY(refusal({"--join", "https://h", "--serve", "off"}).contains("--serve off forbids that"));
    QVERIFY(refusal({"--join", "https://h", "--attach", "https://h"}).contains("no engine of its own"));
    QVERIFY(refusal({"--serve", "maybe"}).contains("--serve is on or off"));
    const auto both = parsed({"--join", "https://h", "--join-token", "t"});
    QCOMPARE(std::get<Arguments>(both).join, std::string("https://h"));
    QCOMPARE(std::get<Arguments>(both).joinToken, std::string("t"));
    QVERIFY(std::get<Arguments>(both).serves);
    QVERIFY(!std::get<Arguments>(parsed({"--serve", "off"})).serves);
    QVERIFY(std::get<Arguments>(parsed({"--serve", "on"})).takesYards);
    QVERIFY(!std::get<Arguments>(parsed({})).takesYards);
}

void TestArguments::aLinkOverStdioIsForTheOneWhoStartedIt() {
    const auto bare = parsed({"--link-stdio"});
    const auto& arguments = std::get<Arguments>(bare);
    QVERIFY(arguments.headless && arguments.takesYards && arguments.linkStdio);
    QCOMPARE(arguments.listen, std::string("127.0.0.1:0"));
    QCOMPARE(arguments.dataDir, std::string()); // who started it says which
    QVERIFY(std::ranges::find(arguments.set, std::string("log_level=warning")) != arguments.set.end());
    const auto given = parsed({"--link-stdio", "--data-dir", "/d", "--listen", "127.0.0.1:7", "--bundle", "/b"});
    QCOMPARE(std::get<Arguments>(given).dataDir, std::string("/d"));
    QCOMPARE(std::get<Arguments>(given).listen, std::string("127.0.0.1:7"));
    QCOMPARE(std::get<Arguments>(given).bundle, std::string("/b"));
    QVERIFY(refusal({"--link-stdio", "--serve", "off"}).contains("--serve off forbids that"));
    QVERIFY(refusal({"--link-stdio", "--join", "https://h"}).contains("goes with none of"));
    QVERIFY(refusal({"--link-stdio", "--example"}).contains("goes with none of"));
}

void TestArguments::theExampleIsForAnEngineThatIsStarted() {
    QVERIFY(!std::get<Arguments>(parsed({})).example);
    QVERIFY(std::get<Arguments>(parsed({"--headless", "--example"})).example);
    QVERIFY(refusal({"--example", "--attach", "http://h"}).contains("yardctl example load"));
}

void TestArguments::aNameIsOneThatActionsCanSay() {
    QCOMPARE(std::get<Arguments>(parsed({"--name", "desk-7"})).name, std::string("desk-7"));
    for (const char* wrong : {"", "any", "local", "tag:x", "two words", "-x", "2"})
        QVERIFY2(refusal({std::string("--name=") + wrong}).contains("--name is a letter or digit"), wrong);
    QVERIFY(refusal({"--name", std::string(65, 'a')}).contains("--name is"));
}

void TestArguments::howLongItServesIsANumberOfSeconds() {
    const auto both = std::get<Arguments>(parsed({"--idle-exit", "300", "--lifetime", "3600"}));
    QCOMPARE(both.idleExit->count(), 300);
    QCOMPARE(both.lifetime->count(), 3600);
    QVERIFY(!std::get<Arguments>(parsed({})).idleExit);
    for (const char* wrong : {"0", "-1", "1.5", "x", "", "31622401", "99999999999"}) {
        QVERIFY2(refusal({std::string("--idle-exit=") + wrong}).contains("--idle-exit is a number"), wrong);
        QVERIFY2(refusal({std::string("--lifetime=") + wrong}).contains("--lifetime is a number"), wrong);
    }
}

QTEST_APPLESS_MAIN(TestArguments)
#include "tst_arguments.moc"
