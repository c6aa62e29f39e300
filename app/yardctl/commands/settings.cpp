// yardctl settings: what can be set of an engine.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"

#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::string words(const json::value& value) {
    return printable(value.is_string() ? std::string(value.get_string()) : compactJson(value));
}

std::string rangeWords(const json::object& about) {
    if (const json::array* choices = arrayOf(about, "words")) {
        std::string out;
        for (const json::value& choice : *choices) out += (out.empty() ? "" : ", ") + words(choice);
        return out;
    }
    const json::value* least = about.if_contains("least");
    const json::value* most = about.if_contains("most");
    if (!least || !most) return "";
    const std::string unit = printable(textOf(about, "unit"));
    return fmt::format("{} to {}{}{}", words(*least), words(*most), unit.empty() ? "" : " ", unit);
}

/// Names of those that take effect at the next start.
std::string waiting(const json::object& settings) {
    std::string names;
    if (const json::array* list = arrayOf(settings, "restart_needed"))
        for (const json::value& name : *list) names += (names.empty() ? "" : ", ") + words(name);
    return names;
}

void showSettings(const json::object& settings) {
    Table table({{"NAME"}, {"VALUE"}, {"DEFAULT"}, {"RANGE"}, {"APPLIES"}, {"WHAT"}});
    const json::object nothing;
    const json::object* about = objectOf(settings, "about");
    for (const auto& [name, value] : settings) {
        if (name == "about" || name == "restart_needed") continue;
        const json::object* known = about ? objectOf(*about, name) : nullptr;
        const json::object& facts = known ? *known : nothing;
        const json::value* usual = facts.if_contains("default");
        table.add({printable(name), words(value), usual ? words(*usual) : "-", rangeWords(facts),
                   textOf(facts, "applies") == "at_start" ? "at start" : "at once",
                   printable(textOf(facts, "help"))});
    }
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

Outcome<int> settingsCommand(const Invocation& invocation) {
    const auto& operands = invocation.arguments.operands();
    auto changes = changesOf(operands);
    if (!changes) return std::unexpected(changes.error());
    auto answer =
        operands.empty()
            ? invocation.engine.get("settings")
            : invocation.engine.call({.method = "PATCH", .path = "settings", .body = compactJson(*changes)});
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (operands.empty())
        showSettings(answer->object);
    else
        for (const auto& [name, unused] : *changes)
            if (const json::value* value = answer->object.if_contains(name))
                fmt::print("{} is {}\n", printable(name), words(*value));
            else
                fmt::print("{} is as found\n", printable(name));
    const std::string names = waiting(answer->object);
    if (!names.empty()) fmt::print(stderr, "Takes effect at the next start of the engine: {}.\n", names);
    return 0;
}

} // namespace yard::ctl
