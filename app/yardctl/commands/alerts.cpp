// yardctl alerts: what is told to whom (docs/alerts.md).
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/commands/verbs.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/schedule_view.h"
#include "core/base/clock.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>

namespace yard::ctl {

namespace {

constexpr std::size_t kMostRuleFile = 64u << 10;

/// "queue_age over 3600 of queue:7"
std::string conditionWords(const json::object& alert) {
    const json::object* on = objectOf(alert, "on");
    if (!on) return "-";
    std::string out = printable(textOf(*on, "kind"));
    if (const auto over = numberOf(*on, "over")) out += fmt::format(" over {:g}", *over);
    if (const std::string filter = printable(textOf(*on, "filter")); !filter.empty()) out += " of " + filter;
    return out;
}

/// "desktop, notify, hooks.example"
std::string targetWords(const json::object& alert) {
    std::string out;
    const json::array* targets = arrayOf(alert, "then");
    if (!targets) return "-";
    for (const json::value& each : *targets) {
        const json::object* target = each.if_object();
        if (!target) continue;
        std::string word = "desktop";
        const json::array* command = arrayOf(*target, "command");
        if (command && !command->empty() && command->front().is_string())
            word = printable(std::string_view(command->front().get_string()));
        if (target->contains("webhook")) word = printable(textOf(*target, "webhook"));
        out += (out.empty() ? "" : ", ") + word;
    }
    return out.empty() ? "-" : out;
}

const json::object* newestMessage(const json::object& alert) {
    const json::array* messages = arrayOf(alert, "messages");
    return messages && !messages->empty() ? messages->front().if_object() : nullptr;
}

void printAlerts(const json::array& alerts) {
    Table table({{"NAME"},
                 {"STATE"},
                 {"WHEN", false, 8, 2},
                 {"TELLS", false, 8, 3},
                 {"TOLD", false, kWhole, 1},
                 {"WAITING", true, kWhole, 4}});
    for (const json::value& each : alerts) {
        const json::object* alert = each.if_object();
        if (!alert) continue;
        const json::object* message = newestMessage(*alert);
        table.add({printable(textOf(*alert, "name")), printable(textOf(*alert, "state")), conditionWords(*alert),
                   targetWords(*alert), message ? timeWords(integerOf(*message, "t").value_or(0), wallNow()) : "-",
                   countText(*alert, "waiting")});
    }
    if (!table.empty()) fmt::print("{}", table.text(terminalWidth()));
}

void printMessages(const json::array* messages) {
    if (!messages) return;
    for (const json::value& each : *messages)
        if (const json::object* message = each.if_object())
            fmt::print("  {}  {}\n", dueWords(integerOf(*message, "t").value_or(0)),
                       printable(textOf(*message, "text")));
}

void printAlert(const json::object& alert) {
    const auto line = [](std::string_view head, const std::string& text) { fmt::print("{:<9} {}\n", head, text); };
    line("name", printable(textOf(alert, "name")));
    line("when", conditionWords(alert));
    line("tells", targetWords(alert));
    line("state", printable(textOf(alert, "state")));
    if (const auto until = integerOf(alert, "silenced_until")) line("silenced", "until " + dueWords(*until));
    if (const json::object* last = objectOf(alert, "last")) line("last", printable(textOf(*last, "text")));
    if (const std::string error = printable(textOf(alert, "waiting_error")); !error.empty()) line("waits", error);
    printMessages(arrayOf(alert, "messages"));
}

Outcome<std::string> ruleText(const std::string& path) {
    std::string text;
    std::ifstream file;
    const bool isInput = path == "-";
    if (!isInput) file.open(path, std::ios::binary);
    std::istream& from = isInput ? std::cin : file;
    if (!from) return usageError(fmt::format("{} cannot be read", printable(path)));
    text.resize(kMostRuleFile + 1);
    from.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(from.gcount()));
    if (text.size() > kMostRuleFile) return usageError("a rule has at most 64 KiB");
    return text;
}

Outcome<int> listAlerts(const Invocation& invocation) {
    auto answer = invocation.engine.get("alerts");
    if (!answer) return failedWith(answer.error());
    const json::array* alerts = arrayOf(answer->object, "alerts");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (!alerts || alerts->empty())
        fmt::print(stderr, "There are no alerts.\n");
    else
        printAlerts(*alerts);
    return 0;
}

/// add, set
Outcome<int> saveAlert(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const bool isNew = words.front() == "add";
    auto rule = ruleText(words.back());
    if (!rule) return std::unexpected(rule.error());
    auto answer =
        invocation.engine.call({.method = isNew ? "POST" : "PATCH",
                                .path = isNew ? "alerts" : fmt::format("alerts/{}", percentEncode(words[1])),
                                .body = *std::move(rule)});
    if (!answer) return failedByWords(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("{} is {}\n", printable(textOf(answer->object, "name")), isNew ? "saved" : "changed");
    return 0;
}

Outcome<int> testAlert(const Invocation& invocation) {
    auto rule = ruleText(invocation.arguments.operands()[1]);
    if (!rule) return std::unexpected(rule.error());
    auto answer = invocation.engine.call(
        {.method = "POST", .path = "alerts/test", .body = fmt::format(R"({{"rule":{}}})", *rule)});
    if (!answer) return failedByWords(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    const std::int64_t count = integerOf(answer->object, "count").value_or(0);
    fmt::print("it would have told something {} {} in the last week\n", count, count == 1 ? "time" : "times");
    if (const std::string note = printable(textOf(answer->object, "note")); !note.empty()) fmt::print("{}\n", note);
    printMessages(arrayOf(answer->object, "fired"));
    return 0;
}

/// show, rm
Outcome<int> oneAlert(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const bool isShow = words.front() == "show";
    auto answer = invocation.engine.call(
        {.method = isShow ? "GET" : "DELETE", .path = fmt::format("alerts/{}", percentEncode(words[1]))});
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (isShow)
        printAlert(answer->object);
    else
        fmt::print("{} is removed\n", printable(words[1]));
    return 0;
}

Outcome<int> silenceAlert(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const auto seconds = parseDuration(words[2]);
    if (!seconds) return std::unexpected(seconds.error());
    auto answer = invocation.engine.call({.method = "POST",
                                          .path = fmt::format("alerts/{}/silence", percentEncode(words[1])),
                                          .body = fmt::format(R"({{"s":{:.0f}}})", std::ceil(*seconds))});
    if (!answer) return failedByWords(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (const auto until = integerOf(answer->object, "silenced_until"))
        fmt::print("{} is silent until {}\n", printable(words[1]), dueWords(*until));
    else
        fmt::print("{} tells again\n", printable(words[1]));
    return 0;
}

struct AlertVerb {
    std::string_view name;
    Outcome<int> (*function)(const Invocation&);
    std::size_t words = 1; ///< with its own
    std::string_view usage;
};
constexpr std::array<AlertVerb, 7> kAlertVerbs = {
    {{.name = "ls", .function = &listAlerts, .words = 1, .usage = ""},
     {.name = "show", .function = &oneAlert, .words = 2, .usage = " NAME"},
     {.name = "add", .function = &saveAlert, .words = 2, .usage = " FILE"},
     {.name = "set", .function = &saveAlert, .words = 3, .usage = " NAME FILE"},
     {.name = "rm", .function = &oneAlert, .words = 2, .usage = " NAME"},
     {.name = "silence", .function = &silenceAlert, .words = 3, .usage = " NAME TIME"},
     {.name = "test", .function = &testAlert, .words = 2, .usage = " FILE"}}};

Outcome<int> alertsCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const auto known = verbIn(kAlertVerbs, words);
    if (!known) return std::unexpected(known.error());
    const AlertVerb& verb = **known;
    if (!words.empty() && words.size() != verb.words)
        return usageError(fmt::format("give it as: yardctl alerts {}{}", verb.name, verb.usage));
    return verb.function(invocation);
}

} // namespace

Command alertsRow() {
    return {
        .name = "alerts",
        .usage = "[ls | show NAME | add FILE|- | set NAME FILE|- | rm NAME | silence NAME TIME | test FILE|-]",
        .summary = "what is told to whom: failures, silence, full disks",
        .details =
            "A rule is a file of JSON; '-' reads it from stdin. 'test' tells what a rule would have told in the "
            "last week, and saves nothing. 'silence' keeps one quiet for a while, 0 ends that.",
        .examples = "yardctl alerts\n"
                    "yardctl alerts add rule.json\n"
                    "yardctl alerts silence disk 2h\n"
                    "yardctl alerts test rule.json",
        .exits = {},
        .options = {},
        .function = alertsCommand};
}

} // namespace yard::ctl
