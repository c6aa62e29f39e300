// yardctl's completion in real shells, and its manual as man shows it.
#include "app/yardctl/command.h"
#include "app/yardctl/completion.h"
#include "app/yardctl/manual.h"
#include "core/base/files.h"

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <ranges>

using namespace yard;
using namespace yard::ctl;

class TestYardctlShells : public QObject {
    Q_OBJECT
private Q_SLOTS:
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

private:
    static void anyShell();
    static void otherShells();
};

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

void TestYardctlShells::completionKnowsEveryCommandAndOption() {
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
    QCOMPARE(operandWords(*findCommand("kinds")), (std::vector<std::string>{"ls", "show", "flaky", "regressions"}));
    QCOMPARE(operandWords(*findCommand("mark")),
             (std::vector<std::string>{"red", "orange", "yellow", "green", "blue", "purple", "grey", "none"}));
    QCOMPARE(operandWords(*findCommand("ls")), std::vector<std::string>{});
    QCOMPARE(operandWords(*findCommand("run")), std::vector<std::string>{});
}

/// What a line offers, in every shell.
static void addRow(const char* words, const char* expected) {
    QTest::newRow(words) << QByteArray(words) << QByteArray(expected);
}

void TestYardctlShells::anyShell() {
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("expected");
    addRow("yardctl se", "search session settings");
    addRow("yardctl --json --url http://h sess", "session");
    addRow("yardctl session dr", "drain");
    addRow("yardctl logs --fo", "--follow");
    addRow("yardctl logs --da", "--data-dir");
    addRow("yardctl kill --fil", "--filter");
    addRow("yardctl retry --al", "--all");
    addRow("yardctl run setsi", "setsid");
    addRow("yardctl run --hold -q 7 -- setsi", "setsid");
    addRow("yardctl run -q 7 --hold -- setsi", "setsid");
    addRow("yardctl --token-file /proc/self/statu", "/proc/self/status");
}

void TestYardctlShells::bashCompletesWords_data() {
    anyShell();
    addRow("yardctl session drain ''", "");
    addRow("yardctl --url ''", "");
    addRow("yardctl run -- --la", "");
    addRow("yardctl run setsid setsi", ""); // files, which bash adds
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

void TestYardctlShells::bashCompletesWords() {
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, expected);
    if (!hasProgram("bash")) QSKIP("there is no bash");
    const std::string typed = "COMP_WORDS=(" + words.toStdString() +
                              ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_yardctl\n"
                              "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    QCOMPARE(offered({{"script", *completionScript("bash") + typed}}, "bash --norc {0}/script 2>&1"),
             expected.toStdString());
}

void TestYardctlShells::otherShells() {
    anyShell();
    addRow("yardctl gc /proc/self/statu", "");
}

void TestYardctlShells::fishCompletesWords() {
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, expected);
    if (!hasProgram("fish")) QSKIP("there is no fish");
    // Of each completion the word alone: a description follows a tab.
    const std::string line = "HOME={0} fish --no-config -c 'source {0}/script; complete -C \"" +
                             words.toStdString() + "\"' 2>&1 | cut -f1";
    QCOMPARE(offered({{"script", *completionScript("fish")}}, line), expected.toStdString());
}

void TestYardctlShells::fishAsksTheYardctlThatWasTyped() {
    if (!hasProgram("fish")) QSKIP("there is no fish");
    const std::string fake = "#!/bin/sh\necho \"7\tasked with $*\"\n";
    const std::string line = "chmod +x {0}/yardctl; HOME={0} fish --no-config -c 'source {0}/script; complete -C "
                             "\"{0}/yardctl --url http://h wait \"' 2>&1 | cut -f2 | grep asked";
    QCOMPARE(offered({{"script", *completionScript("fish")}, {"yardctl", fake}}, line),
             "asked with --url http://h completion values active --");
}

void TestYardctlShells::zshAsksTheYardctlThatWasTyped() {
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

void TestYardctlShells::zshCompletesWords() {
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

void TestYardctlShells::theManualKnowsEveryCommandAndOption() {
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

QTEST_GUILESS_MAIN(TestYardctlShells)
#include "tst_yardctl_shells.moc"
