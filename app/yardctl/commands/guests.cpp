// yardctl guests: the other engines that this machine works for.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::string actionCounts(const json::object& yard) {
    const json::array* actions = arrayOf(yard, "actions");
    if (!actions || actions->empty()) return "-";
    const auto running = std::ranges::count_if(*actions, [](const json::value& each) {
        const json::object* action = each.if_object();
        return action && textOf(*action, "state") == "running";
    });
    const auto waiting = static_cast<std::int64_t>(actions->size()) - running;
    return waiting == 0 ? fmt::format("{} running", running)
                        : fmt::format("{} running, {} waiting", running, waiting);
}

void showGuests(const json::object& answer) {
    Table table({{"ID"},
                 {"NAME"},
                 {"ADDRESS", false, kWhole, 1},
                 {"STATE"},
                 {"SINCE", false, kWhole, 1},
                 {"ACTIONS"},
                 {"WHY", false, 8, 2}});
    if (const json::array* yards = arrayOf(answer, "guests"))
        for (const json::value& each : *yards) {
            const json::object* yard = each.if_object();
            if (!yard) continue;
            const std::string name = printable(textOf(*yard, "name"));
            table.add({fmt::format("{}", integerOf(*yard, "id").value_or(0)), name.empty() ? "-" : name,
                       printable(textOf(*yard, "url")), printable(textOf(*yard, "state")),
                       timeWords(integerOf(*yard, "since").value_or(0), wallNow()), actionCounts(*yard),
                       printable(textOf(*yard, "reason"))});
        }
    if (table.empty())
        fmt::print(stderr, "This machine works for no other engine.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> guestsCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    if (!words.empty() && words.front() != "remove")
        return usageError(fmt::format("'{}' is not remove, all that there is: yardctl guests remove ID",
                                      printable(words.front())));
    if (words.size() == 1) return usageError("name one by its number: yardctl guests remove ID");
    if (words.size() == 2 && !parseInteger(words[1], "ID"))
        return usageError(fmt::format("'{}' is not a number: yardctl guests remove ID", printable(words[1])));
    auto answer = words.empty() ? invocation.engine.get("guests")
                                : invocation.engine.remove(fmt::format("guests/{}", percentEncode(words[1])));
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (words.empty())
        showGuests(answer->object);
    else
        fmt::print("{} is sent away\n", printable(words[1]));
    return 0;
}

} // namespace

Command guestsRow() {
    return {.name = "guests",
            .usage = "[remove ID]",
            .summary = "the other engines that this machine works for",
            .details =
                "A machine that was started with 'yardmaster --join' runs actions of another engine. What it gives "
                "is in the settings guest_cores, guest_memory_mb, guest_store_mb and guest_unsandboxed. 'remove' "
                "ends what runs for an engine, and the link to it.",
            .examples = "yardctl guests\n"
                        "yardctl guests remove 1",
            .options = {},
            .maxOperands = 2,
            .function = guestsCommand};
}

} // namespace yard::ctl
