// yardctl courtesy: how work makes room for a person at the machine, and choosing it.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "core/base/clock.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::string profileWords(const json::object& courtesy) {
    const std::string profile = printable(textOf(courtesy, "profile"));
    const std::string setting = printable(textOf(courtesy, "setting"));
    if (const auto until = integerOf(courtesy, "until"))
        return fmt::format("{} until {}, then {}", profile, timeWords(*until, wallNow()), setting);
    return setting == profile ? profile : fmt::format("{} ({})", profile, setting);
}

/// What the engine knows of its machine; one that nobody here can say of is no condition.
bool isKnown(const json::object& courtesy, std::string_view name) {
    const json::array* conditions = arrayOf(courtesy, "conditions");
    return conditions && std::ranges::any_of(*conditions, [&](const json::value& one) {
               return one.is_object() && textOf(one.get_object(), "name") == name;
           });
}

std::string measureLine(const json::object& measure, const json::object& courtesy) {
    const std::string_view name = textOf(measure, "name");
    const std::int64_t cores = integerOf(courtesy, "cores").value_or(0);
    std::string because = printable(textOf(measure, "because"));
    if (because == "idle" && !isKnown(courtesy, because))
        because = "how long nobody has used this machine is not known here";
    if (name == "hold") return fmt::format("nothing new starts: {}", because);
    if (name == "freeze") return fmt::format("actions stand still: {}", because);
    if (name == "idle_priority") return fmt::format("actions run at idle priority: {}", because);
    if (name == "fewer_cores")
        return fmt::format("{} of {} cores left free: {}", integerOf(measure, "cores").value_or(0), cores, because);
    return fmt::format("{}: {}", printable(name), because);
}

void showCourtesy(const json::object& courtesy) {
    fmt::print("profile   {}\n", profileWords(courtesy));
    const json::array* measures = arrayOf(courtesy, "measures");
    if (measures && measures->empty()) fmt::print("measures  none\n");
    std::string_view head = "measures";
    for (const json::value& measure : measures ? *measures : json::array()) {
        if (!measure.is_object()) continue;
        fmt::print("{:<8}  {}\n", head, measureLine(measure.get_object(), courtesy));
        head = "";
    }
    if (isTrue(courtesy, "keeps_awake")) fmt::print("awake     the machine does not go to sleep\n");
    Table table({{"CONDITION"}, {"VALUE", true}, {"UNIT"}, {"SINCE"}, {"SOURCE", false, 10, 1}});
    const json::array* conditions = arrayOf(courtesy, "conditions");
    for (const json::value& one : conditions ? *conditions : json::array()) {
        if (!one.is_object()) continue;
        const json::object& condition = one.get_object();
        table.add(
            {printable(textOf(condition, "name")), fmt::format("{:.4g}", numberOf(condition, "value").value_or(0)),
             printable(textOf(condition, "unit")), timeWords(integerOf(condition, "since").value_or(0), wallNow()),
             printable(textOf(condition, "source"))});
    }
    if (!table.empty()) fmt::print("\n{}", table.text(terminalWidth()));
}

/// What the words ask for; no members: only to show.
Outcome<json::object> courtesyChange(const std::vector<std::string>& words) {
    json::object body;
    if (words.empty() || (words.size() == 1 && words.front() == "show")) return body;
    if (words.front() == "for") {
        if (words.size() != 3) return usageError("give a time and a profile, as 'yardctl courtesy for 2h off'");
        const auto seconds = parseDuration(words[1]);
        if (!seconds) return std::unexpected(seconds.error());
        constexpr double kMostSeconds = 7 * 86'400.0;
        if (*seconds <= 0 || *seconds > kMostSeconds)
            return usageError(fmt::format("'{}' is not from 1 s to 7 days", printable(words[1])));
        body["for_s"] = static_cast<std::int64_t>(std::ceil(*seconds));
    } else if (words.size() != 1) {
        return usageError("give one profile, as 'yardctl courtesy gentle'; 'for 2h off' chooses one for a while");
    }
    body["profile"] = words.back();
    return body;
}

Outcome<int> courtesyCommand(const Invocation& invocation) {
    const auto body = courtesyChange(invocation.arguments.operands());
    if (!body) return std::unexpected(body.error());
    const auto answer =
        body->empty() ? invocation.engine.get("courtesy")
                      : invocation.engine.call({.method = "PATCH", .path = "courtesy", .body = compactJson(*body)});
    if (!answer) return failedByWords(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (body->empty())
        showCourtesy(answer->object);
    else
        fmt::print("courtesy is {}\n", profileWords(answer->object));
    return 0;
}

} // namespace

Command courtesyRow() {
    return {.name = "courtesy",
            .usage = "[show | PROFILE | for TIME PROFILE]",
            .summary = "how work makes room for a person at the machine",
            .details =
                "Profiles are off, gentle, polite, night, those of the setting courtesy_profiles, and auto: gentle "
                "where the engine has a window, else off. With 'for' the one from before counts again after that "
                "time.",
            .examples = "yardctl courtesy\n"
                        "yardctl courtesy polite\n"
                        "yardctl courtesy for 2h off",
            .options = {},
            .maxOperands = 3,
            .function = courtesyCommand};
}

} // namespace yard::ctl
