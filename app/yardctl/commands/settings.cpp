// yardctl settings: what can be set of an engine.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::string settingWords(const json::value& value) {
    return printable(value.is_string() ? std::string(value.get_string()) : compactJson(value));
}

std::string allowedWords(const json::object& about) {
    if (const json::array* choices = arrayOf(about, "words")) {
        std::string out;
        for (const json::value& choice : *choices) out += (out.empty() ? "" : ", ") + settingWords(choice);
        return out;
    }
    const json::value* least = about.if_contains("least");
    const json::value* most = about.if_contains("most");
    if (!least || !most) return "";
    const std::string unit = printable(textOf(about, "unit"));
    return fmt::format("{} to {}{}{}", settingWords(*least), settingWords(*most), unit.empty() ? "" : " ", unit);
}

/// It takes effect at the next start.
bool waits(const json::object& settings, std::string_view name) {
    const json::array* list = arrayOf(settings, "restart_needed");
    return list && std::ranges::find(*list, json::value(name)) != list->end();
}

/// Those of `changes` that do; without changes all that do.
std::string waiting(const json::object& settings, const json::object& changes) {
    std::string names;
    const auto add = [&names](std::string_view name) {
        names.append(names.empty() ? "" : ", ").append(printable(name));
    };
    for (const auto& [name, unused] : changes)
        if (waits(settings, name)) add(name);
    const json::array* list = changes.empty() ? arrayOf(settings, "restart_needed") : nullptr;
    if (list)
        for (const json::value& name : *list)
            if (name.is_string()) add(name.get_string());
    return names;
}

/// What is known of a setting; of "resources.gpus" that of "resources.NAME".
const json::object* factsOf(const json::object& about, std::string_view name) {
    if (const json::object* facts = objectOf(about, name)) return facts;
    const std::size_t dot = name.find('.');
    return dot == name.npos ? nullptr : objectOf(about, fmt::format("{}.NAME", name.substr(0, dot)));
}

void showSettings(const json::object& settings) {
    Table table({{"NAME"},
                 {"VALUE", false, 12},
                 {"DEFAULT", false, 8, 3},
                 {"RANGE", false, 12, 2},
                 {"APPLIES", false, kWhole, 1},
                 {"WHAT", false, 20, 4}});
    const json::object nothing;
    const json::object* known = objectOf(settings, "about");
    const json::object& about = known ? *known : nothing;
    const auto row = [&](std::string_view name, const std::string& value) {
        const json::object* found = factsOf(about, name);
        const json::object& facts = found ? *found : nothing;
        const json::value* usual = facts.if_contains("default");
        const std::string_view applies = textOf(facts, "applies");
        table.add({printable(name), value, usual ? settingWords(*usual) : "as found", allowedWords(facts),
                   applies == "at_start"  ? "at start"
                   : applies == "at_once" ? "at once"
                                          : "-",
                   printable(textOf(facts, "help"))});
    };
    for (const auto& [name, value] : settings)
        if (name != "about" && name != "restart_needed") row(name, settingWords(value));
    // What each of a family would be called, and what is said of all of them.
    for (const auto& [name, unused] : about)
        if (std::string_view(name).ends_with(".NAME")) row(name, "as found");
    fmt::print("{}", table.text(terminalWidth()));
}

} // namespace

Outcome<json::object> changesOf(const std::vector<std::string>& operands) {
    json::object changes;
    for (const std::string& operand : operands) {
        const std::size_t equals = operand.find('=');
        if (equals == std::string::npos || equals == 0)
            return usageError(
                fmt::format("'{}' is not NAME=VALUE, like grace_s=5; NAME=default goes back", printable(operand)));
        const std::string text = operand.substr(equals + 1);
        boost::system::error_code ec;
        json::value value = json::parse(text, ec);
        changes[operand.substr(0, equals)] = text == "default" ? json::value(nullptr)
                                             : ec              ? json::value(text)
                                                               : std::move(value);
    }
    return changes;
}

namespace {

Outcome<int> settingsCommand(const Invocation& invocation) {
    const auto& operands = invocation.arguments.operands();
    auto changes = changesOf(operands);
    if (!changes) return std::unexpected(changes.error());
    auto answer =
        operands.empty()
            ? invocation.engine.get("settings")
            : invocation.engine.call({.method = "PATCH", .path = "settings", .body = compactJson(*changes)});
    if (!answer) return failedByWords(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (operands.empty())
        showSettings(answer->object);
    else
        for (const auto& [name, unused] : *changes)
            if (const json::value* value = answer->object.if_contains(name))
                fmt::print("{} is {}\n", printable(name), settingWords(*value));
            else
                fmt::print("{} is as found\n", printable(name));
    const std::string names = waiting(answer->object, *changes);
    if (!names.empty()) fmt::print(stderr, "Takes effect at the next start of the engine: {}.\n", names);
    return 0;
}

} // namespace

Command settingsRow() {
    return {.name = "settings",
            .usage = "[NAME=VALUE…]",
            .summary = "show and change the engine's settings",
            .details =
                "NAME=default goes back to the default. What takes effect at the next start of the engine is "
                "said to.",
            .examples = "yardctl settings\n"
                        "yardctl settings grace_s=5 log_level=debug\n"
                        "yardctl settings grace_s=default",
            .options = {},
            .function = settingsCommand};
}

} // namespace yard::ctl
