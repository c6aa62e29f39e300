// yardctl pool: warm processes, listed, ended and replaced, and the limits of all.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/output_follower.h"
#include "core/base/clock.h"
#include "core/base/last_output.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <unistd.h>

namespace yard::ctl {

namespace {

std::string since(const json::object& object, std::string_view key) {
    const auto at = integerOf(object, key);
    if (!at) return "-";
    return durationWords(static_cast<double>(std::max<std::int64_t>(wallNow() - *at, 0)) / 1e6);
}

std::string size(const json::object& object, std::string_view key) {
    const auto bytes = integerOf(object, key);
    return bytes && *bytes >= 0 ? sizeWords(static_cast<std::uint64_t>(*bytes)) : "-";
}

std::string spacedWords(std::string_view name) {
    std::string out = printable(name);
    std::ranges::replace(out, '_', ' ');
    return out;
}

/// The actions it works on and for how long it has the oldest.
std::string now(const json::object& process) {
    const json::array* current = arrayOf(process, "current");
    if (!current || current->empty()) return printable(textOf(process, "note"));
    std::string out = compactJson(current->front());
    if (current->size() > 1) out += fmt::format(" and {}", current->size() - 1);
    return fmt::format("{} for {}", out, since(process, "current_since"));
}

void addProcess(Table& table, const json::object& group, const json::object& process) {
    const std::string why = spacedWords(textOf(process, "why_started"));
    const std::string ends = spacedWords(textOf(process, "why"));
    const std::string given = givenWords(process); // "gpus 0": it is busy with those, or keeps them
    const std::string doing = now(process);
    const auto cpu = numberOf(process, "cpu_seconds");
    table.add({printable(textOf(group, "name")), printable(textOf(process, "id")),
               spacedWords(textOf(process, "state")), countText(process, "pid"), countText(process, "sessions"),
               countText(process, "processed"), cpu ? fmt::format("{:.2f} s", *cpu) : "-",
               size(process, "rss_bytes"), since(process, "started"), since(process, "last_used"),
               doing.empty() || given.empty() ? doing + given : fmt::format("{} ({})", doing, given),
               ends.empty() ? why : ends});
}

std::string groupWords(const json::object& group) {
    std::string out = fmt::format("{} {}: {} wait", printable(textOf(group, "name")),
                                  printable(textOf(group, "version")), countText(group, "waiting"));
    if (integerOf(group, "spawning").value_or(0) > 0) out += ", one starts";
    if (const auto rate = numberOf(group, "hit_rate"))
        out += fmt::format(", {:.1f} % found a process since the engine started", std::min(*rate * 100, 100.0));
    if (const auto saved = numberOf(group, "spawn_seconds_saved"); saved && *saved > 0)
        out += fmt::format(", {} of starts saved", durationWords(*saved));
    if (const json::object* restart = objectOf(group, "restart"))
        out +=
            fmt::format(", restarts one by one: {} of {}", countText(*restart, "done"), countText(*restart, "of"));
    return out;
}

/// "at most 6 processes, 4 of one worker; one that is idle ends after 5 min, unless its worker says otherwise".
std::string limitLine(const json::object& pool) {
    const auto most = integerOf(pool, "max");
    if (!most) return {};
    const std::int64_t each = integerOf(pool, "max_per_group").value_or(0);
    const double idle = numberOf(pool, "max_idle_s").value_or(0);
    return fmt::format("at most {} processes{}; one that is idle {}, unless its worker says otherwise\n", *most,
                       each > 0 ? fmt::format(", {} of one worker", each) : std::string(),
                       idle > 0 ? "ends after " + durationWords(idle) : std::string("stays"));
}

void showGroups(const json::object& pool) {
    Table table({{"WORKER"},
                 {"ID"},
                 {"STATE"},
                 {"PID", true, kWhole, 4},
                 {"OPEN", true, kWhole, 3},
                 {"DONE", true, kWhole, 6},
                 {"CPU", true, kWhole, 5},
                 {"MEMORY", true, kWhole, 7},
                 {"UP", true, kWhole, 2},
                 {"USED", true, kWhole, 1},
                 {"NOW", false, 6},
                 {"WHY", false, 8}});
    std::string summary = limitLine(pool);
    const json::array* groups = arrayOf(pool, "groups");
    for (const json::value& value : groups ? *groups : json::array()) {
        const json::object* group = value.if_object();
        if (!group) continue;
        summary += groupWords(*group) + "\n";
        const json::array* processes = arrayOf(*group, "processes");
        for (const json::value& each : processes ? *processes : json::array())
            if (const json::object* process = each.if_object()) addProcess(table, *group, *process);
    }
    fmt::print("{}", summary);
    if (table.empty())
        fmt::print(stderr, "There are no warm processes.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
}

void showGone(const json::object& pool) {
    Table table({{"ENDED"},
                 {"ID"},
                 {"PID", true, kWhole, 1},
                 {"DONE", true, kWhole, 2},
                 {"WHY", false, 10},
                 {"NOTE", false, 12}});
    const json::array* gone = arrayOf(pool, "gone");
    for (const json::value& value : gone ? *gone : json::array())
        if (const json::object* process = value.if_object())
            table.add({timeWords(integerOf(*process, "ended").value_or(0), wallNow()),
                       printable(textOf(*process, "id")), countText(*process, "pid"),
                       countText(*process, "processed"), spacedWords(textOf(*process, "why")),
                       printable(textOf(*process, "note"))});
    if (table.empty())
        fmt::print(stderr, "No warm process has ended.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> listPool(const Invocation& invocation) {
    auto answer = invocation.engine.get("pool");
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (invocation.arguments.has("gone"))
        showGone(answer->object);
    else
        showGroups(answer->object);
    return 0;
}

/// As the process wrote it: its stdout there, its stderr there.
Outcome<int> showOutput(const Invocation& invocation, const std::string& id) {
    auto answer = invocation.engine.get(fmt::format("pool/processes/{}", percentEncode(id)));
    if (!answer) return failedWith(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    const json::object* out = objectOf(answer->object, "stdout");
    const json::object* err = objectOf(answer->object, "stderr");
    if (!out || !err) {
        fmt::print(stderr, "What {} printed is no longer kept.\n", printable(id));
        return 0;
    }
    for (const auto& [fd, object] : {std::pair(STDERR_FILENO, err), std::pair(STDOUT_FILENO, out)}) {
        const auto size =
            static_cast<std::uint64_t>(std::max<std::int64_t>(integerOf(*object, "size").value_or(0), 0));
        if (size > yard::kLastOutputBytes)
            fmt::print(stderr, "The last {} of {} that it wrote to its {}:\n", sizeWords(yard::kLastOutputBytes),
                       sizeWords(size), fd == STDOUT_FILENO ? "stdout" : "stderr");
        if (auto written = writeOutput(fd, textOf(*object, "text")); !written) return failedWith(written.error());
    }
    return 0;
}

/// The same call for each word; `done` says what became of one.
Outcome<int> forEachNamed(const Invocation& invocation, std::span<const std::string> words, std::string_view method,
                          std::string_view path, std::string_view done) {
    for (const std::string& word : words) {
        auto answer = invocation.engine.call(
            {.method = std::string(method), .path = fmt::format(fmt::runtime(path), percentEncode(word))});
        if (!answer) return failedWith(answer.error());
        fmt::print("{}\n", invocation.json ? answer->text : fmt::format(fmt::runtime(done), printable(word)));
    }
    return 0;
}

Outcome<int> set(const Invocation& invocation, std::span<const std::string> words) {
    auto changes = changesOf({words.begin(), words.end()});
    if (!changes) return std::unexpected(changes.error());
    auto answer = invocation.engine.call({.method = "PATCH", .path = "pool", .body = compactJson(*changes)});
    if (!answer) return failedByWords(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    for (const auto& [name, unused] : *changes)
        if (const json::value* value = answer->object.if_contains(name))
            fmt::print("{} is {}\n", printable(name), compactJson(*value));
    return 0;
}

Outcome<int> poolCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    if (const auto process = invocation.arguments.value("output")) {
        if (!words.empty()) return usageError("'pool --output PROCESS' takes nothing more");
        return showOutput(invocation, *process);
    }
    if (words.empty()) return listPool(invocation);
    const std::string& verb = words.front();
    const std::span<const std::string> rest(words.begin() + 1, words.end());
    const bool known = verb == "restart" || verb == "detach" || verb == "set";
    if (!known)
        return usageError(fmt::format("'pool' cannot '{}'; it knows restart, detach and set", printable(verb)));
    if (rest.empty())
        return usageError(fmt::format("something is missing: yardctl pool {} {}", verb,
                                      verb == "restart"  ? "WORKER…"
                                      : verb == "detach" ? "PROCESS…"
                                                         : "NAME=VALUE…"));
    if (verb == "set") return set(invocation, rest);
    if (verb == "restart")
        return forEachNamed(
            invocation, rest, "POST", "pool/{}/restart",
            "whatever processes {} has are replaced one by one; 'yardctl pool' shows how far that is");
    return forEachNamed(invocation, rest, "DELETE", "pool/processes/{}",
                        "{} gets no more requests, and ends once it has answered what it has");
}

} // namespace

Command poolRow() {
    return {.name = "pool",
            .usage = "[--gone | --output PROCESS | restart WORKER… | detach PROCESS… | set NAME=VALUE…]",
            .summary = "list, replace and end warm processes; limits of all",
            .details =
                "  restart   replace a worker's processes one by one, until a new one does\n"
                "            not come up; where the limits leave no room for both, the old one\n"
                "            goes first\n"
                "  detach    end a process once it has answered what it has\n"
                "  set       max, max_per_group, max_idle_s: at once, and kept\n"
                "NOW is the action a process works on, and for how long, or the step of its start. DONE and CPU "
                "count since the process started; how many found a process, and the starts that were saved, "
                "count since the engine started.",
            .examples = "yardctl pool\n"
                        "yardctl pool --gone\n"
                        "yardctl pool set max_idle_s=60",
            .options = {{"gone", 'g', "", "those that have ended, and why"},
                        {"output", 'o', "PROCESS", "the end of what one printed, also one of the last that ended"}},
            .function = poolCommand};
}

} // namespace yard::ctl
