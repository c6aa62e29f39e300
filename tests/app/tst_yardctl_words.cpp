// The words yardctl reads and writes: durations, sizes, tables, addresses, command lines.
#include "app/yardctl/action_view.h"
#include "app/yardctl/command.h"
#include "app/yardctl/completion.h"
#include "app/yardctl/engine.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/manual.h"
#include "app/yardctl/worker_package.h"
#include "core/base/files.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <ranges>

using namespace yard;
using namespace yard::ctl;

class TestYardctlWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void durationsHaveTwoUnitsAtMost();
    void sizesHaveThreeFigures();
    void timesAreShorterTheNearerTheyAre();
    void textOfOthersCannotSteerTheTerminal();
    void aTableFitsTheTerminal();
    void jsonNumbersReadAsWritten();
    void lsnsMayBeRanges();
    void durationsAreReadWithUnits();
    void momentsAreReadAsPeopleWriteThem_data();
    void momentsAreReadAsPeopleWriteThem();
    void sizesAndTimesToComeAreRead();
    void aliasesAreTheSameCommand();
    void addressesOfEngines();
    void badAddressesSayWhatIsWrong();
    void theTokenGoesToThisMachineOnly();
    void exitCodesAreThoseOfAShell();
    void commandLines();
    void wrongCommandLinesExit2();
    void completionKnowsEveryCommandAndOption();
    void bashCompletesWords_data();
    void bashCompletesWords();
    void fishCompletesWords_data() { otherShells(); }
    void fishCompletesWords();
    void fishAsksTheYardctlThatWasTyped();
    void zshCompletesWords_data() { otherShells(); }
    void zshCompletesWords();
    void zshAsksTheYardctlThatWasTyped();
    void theManualKnowsEveryCommandAndOption();
    void negatedTermsOfAFilterAreNoOptions();
    void aWorkerDirectoryIsFilledIn();
    void aWorkerThatClimbsOutIsRefused();

private:
    static void otherShells();
};

void TestYardctlWords::durationsHaveTwoUnitsAtMost() {
    QCOMPARE(durationWords(0), "0 s");
    QCOMPARE(durationWords(0.0004), "<1 ms");
    QCOMPARE(durationWords(0.004), "4 ms");
    QCOMPARE(durationWords(0.0096), "0.01 s");
    QCOMPARE(durationWords(0.09), "0.09 s");
    QCOMPARE(durationWords(8.4), "8.4 s");
    QCOMPARE(durationWords(59.96), "1 min");
    QCOMPARE(durationWords(372), "6 min 12 s");
    QCOMPARE(durationWords(6840), "1 h 54 min");
    QCOMPARE(durationWords(187200), "2 d 4 h");
    QCOMPARE(durationWords(-1), "-");
}

void TestYardctlWords::sizesHaveThreeFigures() {
    QCOMPARE(sizeWords(0), "0 B");
    QCOMPARE(sizeWords(999), "999 B");
    QCOMPARE(sizeWords(1234), "1.23 kB");
    QCOMPARE(sizeWords(999'999), "1.00 MB");
    QCOMPARE(sizeWords(45'600'000), "45.6 MB");
}

void TestYardctlWords::timesAreShorterTheNearerTheyAre() {
    qputenv("TZ", "UTC");
    ::tzset();
    constexpr std::int64_t now = 1'795'262'400'000'000; // 2026-11-21 12:00:00
    QCOMPARE(timeWords(now - 8'069'000'000, now), "09:45:31");
    QCOMPARE(timeWords(now - 86'399'000'000, now), "Fri 12:00:01");
    QCOMPARE(timeWords(now - 86'400'000'000, now), "Fri 12:00");
    QCOMPARE(timeWords(now - 9 * 86'400'000'000, now), "12 Nov 12:00");
    QCOMPARE(timeWords(now - 400 * 86'400'000'000, now), "2025-10-17");
}

void TestYardctlWords::textOfOthersCannotSteerTheTerminal() {
    QCOMPARE(printable("a\x1b[31mb\n"), "a?[31mb?");
    QCOMPARE(printable("a\xc2\x9b"
                       "31m"),
             "a?31m");
    QCOMPARE(printable("Größe"), "Größe");
    // What turns the rest of a line around, or ends it.
    QCOMPARE(printable("a\u202e\u2066b\u2028c\u200f\u061c"), "a??b?c??");
}

void TestYardctlWords::aTableFitsTheTerminal() {
    Table table({{"LSN", true}, {"NOTE"}});
    table.add({"7", "größer als gedacht"});
    table.add({"112", ""});
    QCOMPARE(table.text(std::nullopt), "LSN  NOTE\n  7  größer als gedacht\n112\n");
    QCOMPARE(table.text(10), "LSN  NOTE\n  7  größ…\n112\n");
}

void TestYardctlWords::jsonNumbersReadAsWritten() {
    QCOMPARE(compactJson(json::parse(R"({"a": [0.5, 1, true, null, "x\n"]})")), R"({"a":[0.5,1,true,null,"x\n"]})");
}

void TestYardctlWords::lsnsMayBeRanges() {
    QCOMPARE(*parseLsnRanges({"7", "10..12"}), (std::vector<LsnRange>{{7, 7}, {10, 12}}));
    QCOMPARE(parseLsnRanges({"5..3"}).error().message, "the range '5..3' begins behind its end: write 3..5");
    QVERIFY(parseLsnRanges({"1..9000000000"})); // however wide: LSNs have gaps
    for (const char* bad : {"", "x", "0", "-1", "5..4", "1..", "3-10", "7x"})
        QCOMPARE(parseLsnRanges({bad}).error().exitCode, kExitUsage);
}

void TestYardctlWords::durationsAreReadWithUnits() {
    QCOMPARE(*parseDuration("90"), 90.0);
    QCOMPARE(*parseDuration("0.5s"), 0.5);
    QCOMPARE(*parseDuration("10min"), 600.0);
    QCOMPARE(*parseDuration("2h"), 7200.0);
    QCOMPARE(*parseDuration("1h30m"), 5400.0);
    QCOMPARE(*parseDuration("1d2h0.5s"), 93600.5);
    for (const char* bad : {"", "-1", "5 parsec", "nan", "inf", "1h30", "1h-5m", "h", "1hm", "1h 5m"})
        QVERIFY2(!parseDuration(bad), bad);
}

void TestYardctlWords::momentsAreReadAsPeopleWriteThem_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("moment");
    const auto row = [](const char* text, const char* moment) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(moment);
    };
    row("now", "2026-03-01 12:30:00");
    row("-1h", "2026-03-01 11:30:00");
    row("-90", "2026-03-01 12:28:30");
    row("today", "2026-03-01 00:00:00");
    row("yesterday", "2026-02-28 00:00:00");
    row("09:45", "2026-03-01 09:45:00");
    row("09:45:31", "2026-03-01 09:45:31");
    row("tomorrow 09:45", "2026-03-02 09:45:00");
    row("yesterday 22:30:15", "2026-02-28 22:30:15");
    row("today 09:45", "2026-03-01 09:45:00");
    row("2026-11-20", "2026-11-20 00:00:00");
    row("2026-11-20 09:45", "2026-11-20 09:45:00");
    row("2026-11-20T09:45:31", "2026-11-20 09:45:31");
    for (const char* wrong : {"", "-", "-1x", "soon", "9 o'clock", "2026-11-20x", "25:00", "tomorrow soon",
                              "tomorrow 2026-11-20", "soon 09:45", "tomorrow "})
        row(wrong, "");
}

void TestYardctlWords::momentsAreReadAsPeopleWriteThem() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, moment);
    qputenv("TZ", "UTC");
    ::tzset();
    constexpr std::int64_t kNow = 1'772'368'200'000'000; // 2026-03-01 12:30:00
    const auto read = parseMoment(text.toStdString(), kNow);
    if (moment.isEmpty()) {
        QVERIFY(!read);
        QCOMPARE(read.error().exitCode, kExitUsage);
        return;
    }
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    const std::time_t seconds = *read / 1'000'000;
    std::array<char, 32> words{};
    std::strftime(words.data(), words.size(), "%Y-%m-%d %H:%M:%S", std::gmtime(&seconds));
    QCOMPARE(QByteArray(words.data()), moment);
}

void TestYardctlWords::sizesAndTimesToComeAreRead() {
    qputenv("TZ", "UTC");
    ::tzset();
    constexpr std::int64_t now = 1'795'262'400'000'000; // 2026-11-21 12:00:00
    QCOMPARE(*parseComing("+10m", now), now + 600'000'000);
    QCOMPARE(*parseComing("12:30", now), now + 1'800'000'000);
    QCOMPARE(*parseComing("11:30", now), now + 84'600'000'000); // tomorrow's
    QCOMPARE(*parseComing("2026-11-22 09:45", now), *parseMoment("2026-11-22 09:45", now));
    QCOMPARE(*parseComing("tomorrow", now), *parseMoment("2026-11-22", now));
    QCOMPARE(*parseComing("tomorrow 09:45", now), *parseMoment("2026-11-22 09:45", now));
    QCOMPARE(*parseComing("10m", now), now + 600'000'000);
    QCOMPARE(*parseComing("+1h30m", now), now + 5'400'000'000);
    for (const char* tooFar : {"1e300d", "+1e300d", "101y"}) QVERIFY2(!parseComing(tooFar, now), tooFar);
    for (const char* past :
         {"2026-11-20 09:45", "today 09:45", "yesterday 23:59", "2026-11-20", "-1h", "today", "yesterday"}) {
        const auto refused = parseComing(past, now);
        QVERIFY2(!refused && refused.error().exitCode == kExitUsage, past);
    }
    QCOMPARE(parseComing("2026-11-20 09:45", now).error().message,
             "'2026-11-20 09:45' is 2026-11-20 09:45:00, which has passed; write +10m, 22:30 (the next one), "
             "'tomorrow 09:45' or "
             "'YYYY-MM-DD 09:45'");
    QVERIFY(parseComing("soon", now).error().message.find("-1h") == std::string::npos);
    QVERIFY(!parseComing("+soon", now) && !parseComing("soon", now));
    QCOMPARE(*parseSize("2G", "x"), std::int64_t{2} << 30);
    QCOMPARE(*parseSize("1.5k", "x"), 1536);
    QCOMPARE(*parseSize("3MiB", "x"), 3 << 20);
    QCOMPARE(*parseSize("3MB", "x"), 3'000'000);
    QCOMPARE(*parseSize("3B", "x"), 3);
    for (const char* wrong : {"2", "G", "-1G", "2X", "2Gb", "9000000T", ""})
        QVERIFY2(!parseSize(wrong, "x"), wrong);
    QCOMPARE(*parseAmount("0.5", "x"), 0.5);
    QVERIFY(!parseAmount("-1", "x") && !parseAmount("1x", "x"));
}

void TestYardctlWords::aliasesAreTheSameCommand() {
    for (const auto& [alias, name] : {std::pair("ps", "ls"), std::pair("kill", "cancel"), std::pair("rm", "retire"),
                                      std::pair("status", "session")})
        QCOMPARE(findCommand(alias), findCommand(name));
    QVERIFY(helpText(*findCommand("kill")).find("Also: yardctl kill") != std::string::npos);
    QCOMPARE(findCommand(""), nullptr);
}

void TestYardctlWords::addressesOfEngines() {
    const auto plain = Endpoint::parse("http://127.0.0.1:8640");
    QVERIFY(plain);
    QCOMPARE(plain->port, "8640");
    QCOMPARE(plain->prefix, "/compute");
    QCOMPARE(Endpoint::parse("http://desk")->port, std::to_string(kUsualPort));
    QCOMPARE(Endpoint::parse("http://desk:1/yard/")->prefix, "/yard");
    QCOMPARE(Endpoint::parse("http://desk:1/")->prefix, "/compute");
    const auto six = Endpoint::parse("http://[::1]:90");
    QCOMPARE(six->host, "::1");
    QCOMPARE(six->authority(), "[::1]:90");
    QVERIFY(six->isLoopback());
    QVERIFY(!Endpoint::parse("http://127.example.org")->isLoopback());
    QVERIFY(!plain->secure);
    const auto secure = Endpoint::parse("https://desk/yard");
    QVERIFY(secure->secure);
    QCOMPARE(secure->url(), "https://desk:" + std::to_string(kUsualPort));
    QCOMPARE(secure->prefix, "/yard");
    for (const char* fine : {"https://desk", "http://localhost", "http://[::1]", "http://0.0.0.0", "http://[::]"})
        QVERIFY2(Endpoint::parse(fine)->checkPrivacy(false), fine);
    QVERIFY(!Endpoint::parse("http://desk")->checkPrivacy(false));
    QVERIFY(Endpoint::parse("http://desk")->checkPrivacy(true));
}

void TestYardctlWords::badAddressesSayWhatIsWrong() {
    for (const char* bad : {"", "desk:8640", "ftp://desk", "https://", "http://", "http://desk:0",
                            "http://desk:99999", "http://[::1", "http://a b", "http://user@desk"}) {
        const auto endpoint = Endpoint::parse(bad);
        QVERIFY2(!endpoint, bad);
        QVERIFY(endpoint.error().message.find("http://HOST:PORT") != std::string::npos);
    }
}

void TestYardctlWords::theTokenGoesToThisMachineOnly() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString();
    QVERIFY(writeFileAtomically(path + "/token", "secret\n", 0600));
    QVERIFY(writeFileAtomically(path + "/address", "http://127.0.0.1:99\n", 0600));
    qputenv("XDG_DATA_HOME", (path + "/none").c_str());
    qputenv("XDG_CONFIG_HOME", (path + "/config").c_str());
    QCOMPARE(locate({.dataDir = path})->token, "secret");
    QCOMPARE(locate({.dataDir = path})->endpoint.port, "99");
    QCOMPARE(locate({.dataDir = path})->endpoint.prefix, "/compute");
    // What an engine writes that has another prefix, or none.
    QVERIFY(writeFileAtomically(path + "/address", "http://127.0.0.1:99/yard\n", 0600));
    QCOMPARE(locate({.dataDir = path})->endpoint.prefix, "/yard");
    QVERIFY(writeFileAtomically(path + "/address", "http://127.0.0.1:99/\n", 0600));
    QCOMPARE(locate({.dataDir = path})->endpoint.prefix, "");
    QCOMPARE(locate({.url = "https://example.org", .tokenFile = path + "/token"})->token, "secret");
    QVERIFY(!locate({}));
    QVERIFY(makeDirectories(path + "/none/yardmaster"));
    QVERIFY(writeFileAtomically(path + "/none/yardmaster/token", "mine", 0600));
    QCOMPARE(locate({.url = "http://127.0.0.1:1"})->token, "mine");
    QCOMPARE(locate({.url = "https://example.org:1"})->token, "");
    QCOMPARE(locate({.url = "http://example.org:1", .insecure = true})->token, "");
    QVERIFY(locate({.url = "http://example.org:1"}).error().message.contains("--insecure"));
    // The key of an engine of this directory is the one that it wrote down, however it is named.
    const std::string print(64, 'a');
    QVERIFY(writeFileAtomically(path + "/address", "https://127.0.0.1:99\n" + print + "\n", 0600));
    QCOMPARE(locate({.dataDir = path})->endpoint.fingerprint, print);
    QCOMPARE(locate({.url = "https://127.0.0.1:99", .dataDir = path})->endpoint.fingerprint, print);
    QCOMPARE(locate({.url = "https://127.0.0.1:98", .dataDir = path})->endpoint.fingerprint, "");
}

void TestYardctlWords::exitCodesAreThoseOfAShell() {
    const auto code = [](const char* text) { return shellExitCode(json::parse(text).get_object()); };
    QCOMPARE(code(R"({"state":"completed","exit_code":0})"), 0);
    QCOMPARE(code(R"({"state":"failed","reason":"exit_code","exit_code":3})"), 3);
    QCOMPARE(code(R"({"state":"failed","reason":"signal","signal":11})"), 139);
    QCOMPARE(code(R"({"state":"failed","reason":"spawn_error"})"), 125);
    QCOMPARE(code(R"({"state":"failed","reason":"spawn_error","exit_code":127})"), 127);
    QCOMPARE(code(R"({"state":"failed","reason":"engine_died"})"), 125);
    QCOMPARE(code(R"({"state":"failed","reason":"lost_runner"})"), 125);
    QCOMPARE(code(R"({"state":"failed","reason":"missing_output","exit_code":0})"), 1);
    QCOMPARE(code(R"({"state":"failed","reason":"deadline","signal":15})"), 124);
}

void TestYardctlWords::commandLines() {
    const std::vector<const char*> words = {"--json", "run",      "-q",   "7",  "--env=A=1", "-eB=2",
                                            "--url",  "http://x", "make", "-j", "--json"};
    const auto line = parseCommandLine(words);
    QVERIFY(line);
    QVERIFY(line->global.json);
    QCOMPARE(*line->global.url, "http://x");
    QCOMPARE(*line->arguments.value("queue"), "7");
    QCOMPARE(line->arguments.values("env"), (std::vector<std::string>{"A=1", "B=2"}));
    QCOMPARE(line->arguments.operands(), (std::vector<std::string>{"make", "-j", "--json"}));
}

void TestYardctlWords::wrongCommandLinesExit2() {
    const std::vector<std::vector<const char*>> wrong = {{},
                                                         {"frobnicate"},
                                                         {"--nonsense"},
                                                         {"ls", "--nonsense"},
                                                         {"run", "-q"},
                                                         {"submit", "a", "b"},
                                                         {"show", "--out"},
                                                         {"queues", "x"},
                                                         {"--json=1", "ls"},
                                                         {"-Z"}};
    for (const auto& words : wrong) {
        const auto line = parseCommandLine(words);
        QVERIFY(!line);
        QCOMPARE(line.error().exitCode, kExitUsage);
    }
    const std::vector<const char*> typo = {"cancle", "5"};
    QVERIFY(parseCommandLine(typo).error().message.find("did you mean 'cancel'") != std::string::npos);
    const std::vector<const char*> elsewhere = {"squeue"};
    QCOMPARE(parseCommandLine(elsewhere).error().message,
             std::string("there is no command 'squeue'; here it is 'ls'; 'yardctl --help' lists them"));
    // A command whose name is near is no answer to what GNU parallel does.
    QCOMPARE(meantBy("map"), std::string("; here it is 'run --array', or 'submit' for a list"));
}

namespace {

/// What a shell command prints; "(failed)" when it ends otherwise than with 0.
std::string shell(const std::string& command) {
    FILE* pipe = ::popen(command.c_str(), "r"); // NOLINT(cert-env33-c)
    if (!pipe) return "(not started)";
    std::string out;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
    return ::pclose(pipe) == 0 ? out : out + "(failed)";
}

bool hasProgram(const std::string& name) {
    return shell("command -v " + name + " >/dev/null && echo yes") == "yes\n";
}

/// A zsh that keeps a note of all that completion offers.
constexpr std::string_view kZshSetup = R"(fpath=($HOME $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a offered
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        builtin compadd -A offered "$@"
        print -rl -- $IPREFIX$^offered >>$HOME/offered
    fi
    builtin compadd "$@"
}
finished() { print -r -- fini''shed }
comppostfuncs=(finished)
bindkey '^I' complete-word
print -r -- rea''dy
)";
/// Types its argument and a tab into one, and prints what that offers.
constexpr std::string_view kZshTypist = R"(zmodload zsh/zpty
zpty shell zsh -f -i
hear() { local line; while zpty -r shell line && [[ $line != *$1* ]]; do :; done }
zpty -w shell '. $HOME/setup'
hear ready
zpty -w -n shell $1$'\t'
hear finished
zpty -d shell
cat $HOME/offered
)";

} // namespace

void TestYardctlWords::completionKnowsEveryCommandAndOption() {
    QVERIFY(!completionScript("csh"));
    const QTemporaryDir dir;
    for (const std::string name : {"bash", "zsh", "fish"}) {
        const std::string script = *completionScript(name);
        for (const Command& command : commands()) {
            QVERIFY2(script.find(command.name) != std::string::npos, std::string(command.name).c_str());
            for (const Option& option : command.options)
                QVERIFY2(script.find(option.name) != std::string::npos, std::string(option.name).c_str());
        }
        const std::string path = (dir.path() + "/").toStdString() + name;
        QVERIFY(writeFileAtomically(path, script, 0600));
        if (hasProgram(name)) QCOMPARE(shell(name + " -n " + path + " 2>&1"), std::string());
    }
    QCOMPARE(operandWords(*findCommand("session")),
             (std::vector<std::string>{"waiting", "drain", "pause", "abandon", "sunset"}));
    QCOMPARE(operandWords(*findCommand("workers")), (std::vector<std::string>{"add", "show", "remove"}));
    QCOMPARE(operandWords(*findCommand("mark")),
             (std::vector<std::string>{"red", "orange", "yellow", "green", "blue", "purple", "grey", "none"}));
    QCOMPARE(operandWords(*findCommand("ls")), std::vector<std::string>{});
    QCOMPARE(operandWords(*findCommand("run")), std::vector<std::string>{});
}

void TestYardctlWords::bashCompletesWords_data() {
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* words, const char* expected) {
        QTest::newRow(words) << QByteArray(words) << QByteArray(expected);
    };
    row("yardctl se", "search session settings");
    row("yardctl --json --url http://h sess", "session");
    row("yardctl session dr", "drain");
    row("yardctl session drain ''", "");
    row("yardctl logs --fo", "--follow");
    row("yardctl logs --da", "--data-dir");
    row("yardctl kill --fil", "--filter");
    row("yardctl --url ''", "");
    row("yardctl run -- --la", "");
    row("yardctl run setsi", "setsid");
    row("yardctl run -q 7 --hold -- setsi", "setsid");
    row("yardctl run setsid setsi", ""); // files, which bash adds
    row("yardctl --token-file /proc/self/statu", "/proc/self/status");
}

/// The words that come of a command line, each once and in order, with these files in the directory "{0}" of it.
static std::string offered(std::initializer_list<std::pair<const char*, std::string>> files,
                           const std::string& commandLine) {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString();
    for (const auto& [name, content] : files)
        if (!writeFileAtomically(fmt::format("{}/{}", path, name), content, 0600)) return "cannot be written";
    std::string words = shell(fmt::format(fmt::runtime(commandLine + " | sort -u | xargs"), path));
    if (words.ends_with('\n')) words.pop_back();
    return words;
}

void TestYardctlWords::bashCompletesWords() {
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, expected);
    if (!hasProgram("bash")) QSKIP("there is no bash");
    const std::string typed = "COMP_WORDS=(" + words.toStdString() +
                              ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_yardctl\n"
                              "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    QCOMPARE(offered({{"script", *completionScript("bash") + typed}}, "bash --norc {0}/script 2>&1"),
             expected.toStdString());
}

void TestYardctlWords::otherShells() {
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* words, const char* expected) {
        QTest::newRow(words) << QByteArray(words) << QByteArray(expected);
    };
    row("yardctl se", "search session settings");
    row("yardctl --json --url http://h sess", "session");
    row("yardctl session dr", "drain");
    row("yardctl logs --fo", "--follow");
    row("yardctl logs --da", "--data-dir");
    row("yardctl kill --fil", "--filter");
    row("yardctl retry --al", "--all");
    row("yardctl run setsi", "setsid");
    row("yardctl run --hold -q 7 -- setsi", "setsid");
    row("yardctl gc /proc/self/statu", "");
    row("yardctl --token-file /proc/self/statu", "/proc/self/status");
}

void TestYardctlWords::fishCompletesWords() {
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, expected);
    if (!hasProgram("fish")) QSKIP("there is no fish");
    // Of each completion the word alone: a description follows a tab.
    const std::string line = "HOME={0} fish --no-config -c 'source {0}/script; complete -C \"" +
                             words.toStdString() + "\"' 2>&1 | cut -f1";
    QCOMPARE(offered({{"script", *completionScript("fish")}}, line), expected.toStdString());
}

void TestYardctlWords::fishAsksTheYardctlThatWasTyped() {
    if (!hasProgram("fish")) QSKIP("there is no fish");
    const std::string fake = "#!/bin/sh\necho \"7\tasked with $*\"\n";
    const std::string line = "chmod +x {0}/yardctl; HOME={0} fish --no-config -c 'source {0}/script; complete -C "
                             "\"{0}/yardctl --url http://h wait \"' 2>&1 | cut -f2 | grep asked";
    QCOMPARE(offered({{"script", *completionScript("fish")}, {"yardctl", fake}}, line),
             "asked with --url http://h completion values active --");
}

void TestYardctlWords::zshAsksTheYardctlThatWasTyped() {
    if (!hasProgram("zsh")) QSKIP("there is no zsh");
    const std::string fake = "#!/bin/sh\necho \"$*\" | tr ' ' _\n";
    const auto asked = [&](const std::string& words) {
        return offered({{"_yardctl", *completionScript("zsh")},
                        {"setup", std::string(kZshSetup)},
                        {"typist", std::string(kZshTypist)},
                        {"yardctl", fake}},
                       "chmod +x {0}/yardctl; HOME={0} zsh -f {0}/typist \"{0}/yardctl " + words + "\" 2>&1");
    };
    QCOMPARE(asked("--url http://h wait "), "--url_http://h_completion_values_active_--_");
    QCOMPARE(asked("ls --columns "), "completion_values_columns_--_");
    QCOMPARE(asked("ls "), "completion_values_filters_--_");
}

void TestYardctlWords::zshCompletesWords() {
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, expected);
    if (!hasProgram("zsh")) QSKIP("there is no zsh");
    // Of a file it offers what is below the directory.
    const QByteArray rest = expected.mid(expected.lastIndexOf('/') + 1);
    const std::string line = "HOME={0} zsh -f {0}/typist '" + words.toStdString() + "' 2>&1";
    QCOMPARE(offered({{"_yardctl", *completionScript("zsh")},
                      {"setup", std::string(kZshSetup)},
                      {"typist", std::string(kZshTypist)}},
                     line),
             rest.toStdString());
}

/// What man shows of a page, or what groff has against it.
static std::string shown(const std::string& page) {
    const QTemporaryDir dir;
    const std::string path = (dir.path() + "/page.1").toStdString();
    if (!writeFileAtomically(path, page, 0600)) return "cannot be written";
    const std::string wrong = shell("groff -k -man -Tutf8 -ww -z " + path + " 2>&1");
    return wrong.empty() ? shell("groff -k -man -Tascii -P-cbou -rLL=500n " + path + " 2>/dev/null") : wrong;
}

void TestYardctlWords::theManualKnowsEveryCommandAndOption() {
    const std::string page = manualPage("1.2");
    QVERIFY(page.starts_with(".TH \"YARDCTL\" 1 \"\" \"Yardmaster 1.2\""));
    if (!hasProgram("groff")) QSKIP("there is no groff");
    const std::string all = shown(page);
    const auto has = [](const std::string& text, std::string_view part) {
        return text.find(part) != std::string::npos;
    };
    for (const Option& option : globalOptions()) QVERIFY2(has(all, fmt::format("--{}", option.name)), all.c_str());
    for (const Command& command : commands()) {
        QVERIFY2(has(all, fmt::format("yardctl {}", command.name)), all.c_str());
        const std::string own = shown(manualPage(command, "1.2"));
        QVERIFY2(has(own, fmt::format("yardctl-{} - {}\n", command.name, command.summary)), own.c_str());
        QVERIFY2(has(own, fmt::format("SYNOPSIS\n       yardctl {}", command.name)), own.c_str());
        for (const std::vector<Option>* options : {&command.options, &globalOptions()})
            for (const Option& option : *options) QVERIFY2(has(own, fmt::format("--{}", option.name)), own.c_str());
        for (const char* section : {"\nDESCRIPTION\n", "\nEXAMPLES\n", "\nEXIT STATUS\n", "\nSEE ALSO\n"})
            QVERIFY2(has(own, section), own.c_str());
        for (const auto& line : std::views::split(command.examples, '\n'))
            QVERIFY2(has(own, "       " + std::string(line.begin(), line.end()) + "\n"), own.c_str());
    }
}

void TestYardctlWords::negatedTermsOfAFilterAreNoOptions() {
    const auto operands = [](const std::vector<const char*>& words) {
        const auto line = parseCommandLine(words);
        return line ? line->arguments.operands() : std::vector<std::string>{"refused"};
    };
    using Words = std::vector<std::string>;
    QCOMPARE(operands({"ls", "worker:thumb*", "-state:completed"}), (Words{"worker:thumb*", "-state:completed"}));
    QCOMPARE(operands({"ps", "-cpu>50", "-s", "-lsn"}), (Words{"-cpu>50"}));
    QCOMPARE(operands({"ls", "-n5", "-slabel"}), Words{});
    QCOMPARE(operands({"cancel", "-state:completed"}), (Words{"refused"}));
}

void TestYardctlWords::aWorkerDirectoryIsFilledIn() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString();
    QVERIFY(makeDirectories(path + "/bin"));
    QVERIFY(makeDirectories(path + "/.git"));
    QVERIFY(writeFileAtomically(path + "/.git/x", "no", 0644));
    QVERIFY(writeFileAtomically(path + "/bin/w", "#!/bin/sh\n", 0700));
    QVERIFY(writeFileAtomically(path + "/data", "d", 0600));
    QVERIFY(writeFileAtomically(path + "/worker.json",
                                R"({"name":"w","version":"1","executable":"bin/w","functions":[{"name":"f"}]})",
                                0644));
    const auto package = openWorkerPackage(path);
    QVERIFY2(package, package ? "" : package.error().message.c_str());
    const auto& files = package->worker.descriptor->files;
    QCOMPARE(files.size(), std::size_t{2});
    QCOMPARE(files[0].path, "bin/w");
    QCOMPARE(files[0].mode, 0755U);
    QCOMPARE(files[1].mode, 0644U);
    QCOMPARE(files[1].hash, Sha256::of("d"));
    QCOMPARE(package->worker.descriptor->platform, thisPlatform());
    // The same files are the same worker, however it is named.
    QCOMPARE(openWorkerPackage(path + "/worker.json")->worker.id, package->worker.id);
}

void TestYardctlWords::aWorkerThatClimbsOutIsRefused() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString();
    for (const char* file : {"../x", "/etc/passwd", "a/../../b"}) {
        const std::string text =
            std::string(R"({"name":"w","version":"1","executable":"x","files":[")") + file + "\"]}";
        QVERIFY(writeFileAtomically(path + "/worker.json", text, 0644));
        QVERIFY(!openWorkerPackage(path));
    }
    QVERIFY(writeFileAtomically(path + "/x", "x", 0755));
    QVERIFY(writeFileAtomically(path + "/worker.json",
                                R"({"name":"w","version":"1","executable":"x","files":[{"path":"x","size":2}]})",
                                0644));
    QVERIFY(openWorkerPackage(path).error().message.find("bytes") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestYardctlWords)
#include "tst_yardctl_words.moc"
