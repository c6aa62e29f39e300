// yardctl why, attempts: what an action, or its end, waits for, and how each of its attempts went.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::string sizeOf(const json::object& attempt, std::string_view key) {
    const auto bytes = integerOf(attempt, key);
    return bytes && *bytes >= 0 ? sizeWords(static_cast<std::uint64_t>(*bytes)) : "-";
}

std::string streamSize(const json::object& attempt, std::string_view stream) {
    const json::object* chunk = objectOf(attempt, stream);
    return chunk ? sizeOf(*chunk, "size") : "-";
}

/// Those that have ended, and the one that is under way: that one is the action itself.
json::array attemptsOf(const json::object& action) {
    const json::array* ended = arrayOf(action, "attempts");
    json::array all = ended ? *ended : json::array();
    const std::string_view state = textOf(action, "state");
    if (state != "submitting" && state != "running") return all;
    json::object current = action;
    current["n"] = attemptNumber(action);
    all.push_back(std::move(current));
    return all;
}

std::string attemptsTable(const json::array& attempts, std::int64_t now) {
    Table table({{"N", true},
                 {"STATE"},
                 {"STARTED"},
                 {"TIME", true},
                 {"CPU", true},
                 {"MEMORY", true},
                 {"STDOUT", true},
                 {"STDERR", true}});
    for (const json::value& value : attempts) {
        const json::object* attempt = value.if_object();
        if (!attempt) continue;
        const json::object* times = objectOf(*attempt, "timestamps");
        const auto started = times ? integerOf(*times, "submitting") : std::nullopt;
        const auto seconds = runSeconds(*attempt);
        const auto cpu = numberOf(*attempt, "cpu_seconds");
        table.add({fmt::format("{}", integerOf(*attempt, "n").value_or(0)), stateWords(*attempt),
                   started ? timeWords(*started, now) : "-", seconds ? durationWords(*seconds) : "-",
                   cpu ? durationWords(*cpu) : "-", sizeOf(*attempt, "max_rss_bytes"),
                   streamSize(*attempt, "stdout"), streamSize(*attempt, "stderr")});
    }
    return table.empty() ? std::string() : table.text(terminalWidth());
}

/// Calls `print` with each action's answer of GET jobs/LSN`tail`, or prints the answer itself with --json.
Outcome<int> forEachAction(const Invocation& invocation, std::string_view tail, auto&& print) {
    auto lsns = parseLsns(invocation.arguments.operands());
    if (!lsns) return std::unexpected(lsns.error());
    for (const std::int64_t lsn : *lsns) {
        auto answer = invocation.engine.get(fmt::format("jobs/{}{}", lsn, tail));
        if (!answer) return failedWith(answer.error());
        if (invocation.json)
            fmt::print("{}\n", answer->text);
        else
            print(lsn, answer->object, lsns->size() > 1);
    }
    return 0;
}

} // namespace

Outcome<int> whyCommand(const Invocation& invocation) {
    return forEachAction(invocation, "/why", [](std::int64_t lsn, const json::object& why, bool /*several*/) {
        const std::string waits = waitWords(why, wallNow());
        const std::string_view state = textOf(why, "state");
        if (!waits.empty())
            fmt::print("{} is {}{}\n{}", lsn, printable(state), state == "pending" ? " and waits for" : ":", waits);
        else
            fmt::print("{} is {}: it waits for nothing\n", lsn, printable(state));
    });
}

Outcome<int> attemptsCommand(const Invocation& invocation) {
    return forEachAction(invocation, "", [](std::int64_t lsn, const json::object& action, bool several) {
        if (several) fmt::print("{}  {}\n", lsn, whatWords(action));
        const std::string table = attemptsTable(attemptsOf(action), wallNow());
        fmt::print("{}", table.empty() ? "It has not been started yet.\n" : table);
    });
}

} // namespace yard::ctl
