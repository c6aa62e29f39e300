// What yardctl says of itself: help fits a terminal, and its examples are what the parsers take.
#include "app/yardctl/command.h"
#include "app/yardctl/format.h"
#include "core/model/action_spec.h"
#include "core/model/filter.h"
#include "core/model/queue.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ranges>

using namespace yard;
using namespace yard::ctl;

class TestYardctlHelp : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyCommandHasHelp();
    void helpFitsAScreen();
    void examplesAreCommandLines();
    void filtersInHelpAreOfTheLanguage();
    void actionsInHelpAreAccepted();
};

void TestYardctlHelp::everyCommandHasHelp() {
    const std::string all = helpText();
    for (const Command& c : commands()) {
        QVERIFY(all.find("\n  " + std::string(c.name) + " ") != std::string::npos);
        QVERIFY(!c.summary.empty() && c.function);
        const std::string own = helpText(c);
        QVERIFY(!c.examples.empty() && own.find("\nExamples:\n  ") != std::string::npos);
        for (const Option& o : c.options) QVERIFY(own.find("--" + std::string(o.name)) != std::string::npos);
    }
}

void TestYardctlHelp::helpFitsAScreen() {
    const auto isNarrow = [](const std::string& text) {
        return std::ranges::all_of(std::views::split(text, '\n'), [](const auto& line) {
            return displayWidth(std::string_view(line.begin(), line.end())) <= 80;
        });
    };
    const std::string all = helpText();
    QVERIFY(std::ranges::count(all, '\n') <= 80);
    QVERIFY(isNarrow(all));
    for (const Command& c : commands()) QVERIFY2(isNarrow(helpText(c)), std::string(c.name).c_str());
}

/// The first command of a line of a shell, without its quotes.
static std::vector<std::string> wordsOf(std::string_view line) {
    std::vector<std::string> words(1);
    char quote = 0;
    for (const char c : line) {
        if (!quote && (c == '|' || c == '<' || c == '>')) break;
        if (!quote && c == ' ' && !words.back().empty())
            words.emplace_back();
        else if (quote ? c == quote : c == '\'')
            quote = quote ? '\0' : c;
        else if (quote || c != ' ')
            words.back() += c;
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

/// Of a command line after "yardctl".
static CommandLine parsedLine(const std::string& line) {
    const std::vector<std::string> words = wordsOf(line.substr(line.find("yardctl ") + 8));
    std::vector<const char*> raw;
    for (const std::string& word : words) raw.push_back(word.c_str());
    return parseCommandLine(raw).value_or(CommandLine{});
}

void TestYardctlHelp::filtersInHelpAreOfTheLanguage() {
    std::vector<std::string> filters;
    for (const Command& c : commands())
        for (const auto& part : std::views::split(c.examples, '\n')) {
            const Arguments arguments = parsedLine(std::string(part.begin(), part.end())).arguments;
            if (const auto filter = arguments.value("filter")) filters.push_back(*filter);
            if (c.takesFilter) filters.push_back(fmt::format("{}", fmt::join(arguments.operands(), " ")));
        }
    for (const FilterKind& kind : filterKinds())
        for (const auto& part : std::views::split(kind.forms, std::string_view(", "))) {
            const std::string form(part.begin(), part.end());
            // "now" alone is a moment; words are of whatever has words.
            const std::string key(kind.values == "words" ? "label" : kind.keys.front());
            filters.push_back(key + (form == "now" ? "<" : form.starts_with('>') ? "" : ":") + form);
        }
    QVERIFY(filters.size() > 20);
    for (const std::string& filter : filters) {
        const auto parsed = parseFilter(filter, wallNow());
        QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    }
    const std::string help = helpText(*findCommand("ls"));
    const auto has = [&](std::string_view word) { return help.contains(word); };
    for (const FilterKind& kind : filterKinds())
        for (const std::string_view key : kind.keys) QVERIFY2(has(key), help.c_str());
    for (const char* word : {"retry_count", "waited", "abandoned", "held", "since-22:00"})
        QVERIFY2(has(word), help.c_str());
}

void TestYardctlHelp::actionsInHelpAreAccepted() {
    const std::string help = helpText(*findCommand("submit"));
    std::string list;
    for (const auto& part : std::views::split(help, '\n')) {
        const std::string_view line(part.begin(), part.end());
        if (line.starts_with("  {")) list += list.empty() ? "[" : ",";
        if (line.starts_with("  {") || line.starts_with("   \"")) list += line;
    }
    list += "]";
    // What yardctl makes of a file.
    const std::size_t path = list.find("@/data/1.jpg");
    QVERIFY(path != std::string::npos);
    const auto parsed = parseActions(list.replace(path, 12, std::string(64, '0')));
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(parsed->actions.size(), 4u);
    QCOMPARE(parsed->actions[1].spec->references.size(), 1u);
    QVERIFY(parsed->actions[2].spec->array.has_value());
    QVERIFY(help.contains(fmt::format("max_retries times: {} unless", QueueConfig{}.maxRetries)));
}

void TestYardctlHelp::examplesAreCommandLines() {
    for (const Command& c : commands())
        for (const auto& part : std::views::split(c.examples, '\n')) {
            const std::string line(part.begin(), part.end());
            QVERIFY2(parsedLine(line).command == &c, line.c_str());
        }
}

QTEST_APPLESS_MAIN(TestYardctlHelp)
#include "tst_yardctl_help.moc"
