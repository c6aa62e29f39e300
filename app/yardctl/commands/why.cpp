// yardctl why, attempts: what an action, or its end, waits for, and how each of its attempts went.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/pages.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace yard::ctl {

namespace {

std::string sizeOf(const json::object& attempt, std::string_view key) {
    const auto bytes = integerOf(attempt, key);
    return bytes && *bytes >= 0 ? sizeWords(static_cast<std::uint64_t>(*bytes)) : "-";
}

std::string streamSize(const json::object& attempt, std::string_view stream) {
    const json::object* chunk = objectOf(attempt, stream);
    if (!chunk) return "-";
    return sizeOf(*chunk, "size") + (isCut(*chunk) ? " (cut)" : "");
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
                 {"STATE", false, 12},
                 {"STARTED", false, kWhole, 3},
                 {"TIME", true},
                 {"CPU", true, kWhole, 2},
                 {"MEMORY", true, kWhole, 4},
                 {"STDOUT", true, kWhole, 1},
                 {"STDERR", true, kWhole, 1}});
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
    const auto lsns = namedActions(invocation.engine, invocation.arguments.operands());
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

/// Of the actions that an action was to run after: each that did not complete and has been replaced, a line.
std::string replacedParents(Engine& engine, std::int64_t lsn) {
    constexpr std::size_t kMost = 100;
    const auto spec = engine.get(fmt::format("jobs/{}/spec", lsn));
    const json::array* after = spec ? arrayOf(spec->object, "after") : nullptr;
    if (!after) return {};
    std::vector<std::int64_t> parents;
    for (const json::value& edge : *after) {
        const auto parent = edge.is_int64()    ? std::optional(edge.get_int64())
                            : edge.is_object() ? integerOf(edge.get_object(), "lsn")
                                               : std::nullopt;
        if (parent && parents.size() < kMost) parents.push_back(*parent);
    }
    if (parents.empty()) return {};
    std::string out;
    for (Pages pages(engine); !pages.atEnd();) {
        const auto page = pages.next(fmt::format("jobs?limit={}&lsn={}", kMost, fmt::join(parents, ",")));
        const json::array* jobs = page ? arrayOf(page->object, "jobs") : nullptr;
        if (!page) break; // they are more than was asked for
        for (const json::value& job : jobs ? *jobs : json::array()) {
            const json::object* parent = job.if_object();
            const auto by = parent ? integerOf(*parent, "replaced_by") : std::nullopt;
            if (by && textOf(*parent, "state") != "completed")
                out += fmt::format("  action {} was replaced by {}\n", integerOf(*parent, "lsn").value_or(0), *by);
        }
    }
    return out;
}

/// As `ls` has it, and what became of those that it waited for in vain. Empty: it completed, or nobody says.
std::string howItEnded(Engine& engine, std::int64_t lsn) {
    const auto action = engine.get(fmt::format("jobs/{}", lsn));
    if (!action || textOf(action->object, "state") == "completed") return {};
    const bool wasInVain = textOf(action->object, "reason") == "dependency_failed";
    return fmt::format("{}\n{}", endWords(action->object), wasInVain ? replacedParents(engine, lsn) : "");
}

/// ", number 3 in queue 0": where it stands in the order that people can change. Empty: nobody says.
std::string placeWords(Engine& engine, std::int64_t lsn) {
    const auto action = engine.get(fmt::format("jobs/{}", lsn));
    const auto place = action ? integerOf(action->object, "place") : std::nullopt;
    if (!place) return {};
    return fmt::format(", number {} in queue {},", *place, integerOf(action->object, "queue_id").value_or(0));
}

Outcome<int> whyCommand(const Invocation& invocation) {
    return forEachAction(invocation, "/why", [&](std::int64_t lsn, const json::object& why, bool /*several*/) {
        const std::string waits = waitWords(why, wallNow());
        const std::string_view state = textOf(why, "state");
        const std::string end = waits.empty() && isEnded(why) ? howItEnded(invocation.engine, lsn) : std::string();
        if (!waits.empty())
            fmt::print("{} is {}{}\n{}", lsn, printable(state),
                       state == "pending" ? placeWords(invocation.engine, lsn) + " and waits for" : ":", waits);
        else if (!end.empty())
            fmt::print("{} is {}", lsn, end);
        else
            fmt::print("{} is {}: it waits for nothing\n", lsn, printable(state));
    });
}

Outcome<int> attemptsCommand(const Invocation& invocation) {
    return forEachAction(invocation, "", [](std::int64_t lsn, const json::object& action, bool several) {
        if (several) fmt::print("{}  {}\n", lsn, whatWords(action));
        const std::string table = attemptsTable(attemptsOf(action), wallNow());
        if (!table.empty())
            fmt::print("{}", table);
        else if (endedBeforeItRan(action))
            fmt::print("It ended before it ran; 'yardctl why {}' says why.\n", lsn);
        else
            fmt::print("It has not been started yet.\n");
    });
}

} // namespace

Command whyRow() {
    return {.name = "why",
            .usage = "LSN…",
            .summary = "what actions wait for",
            .details =
                "Each reason has a line: a hold, capacity and the place in line, a lock and its holder, another "
                "action, a pause before the next attempt, a time, a limit; its start, or that it was told to "
                "end. Of one that did not complete it says how it ended; where it waited in vain for another "
                "one that was edited since, by which that is replaced.",
            .examples = "yardctl why 12\n"
                        "yardctl why 12..20",
            .options = {},
            .minOperands = 1,
            .function = whyCommand,
            .live = "active"};
}

Command attemptsRow() {
    return {.name = "attempts",
            .usage = "LSN…",
            .summary = "how each attempt of an action went",
            .details = "The one that is under way has no end yet. 'logs --attempt N' prints the output of one.",
            .examples = "yardctl attempts 12",
            .options = {},
            .minOperands = 1,
            .function = attemptsCommand};
}

} // namespace yard::ctl
