// yardctl allocators: what asks other systems for machines while work waits.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "core/base/clock.h"
#include "core/base/percent.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace yard::ctl {

namespace {

constexpr std::array<std::string_view, 7> kAllocatorVerbs{"ls",    "show",   "add",   "change",
                                                          "pause", "resume", "remove"};

/// What an option becomes in the body.
enum class AllocatorValue : unsigned char { Text, Count, Amount, Seconds, List, Flag };
struct AllocatorOption {
    std::string_view option;
    std::string_view member;
    AllocatorValue value;
};
constexpr std::array<AllocatorOption, 17> kAllocatorOptions{{
    {"partition", "partition", AllocatorValue::Text},
    {"option", "options", AllocatorValue::List},
    {"program", "program", AllocatorValue::Text},
    {"start", "start", AllocatorValue::Text},
    {"list", "list", AllocatorValue::Text},
    {"stop", "stop", AllocatorValue::Text},
    {"time", "walltime_s", AllocatorValue::Seconds},
    {"cores", "cores", AllocatorValue::Amount},
    {"memory-mb", "memory_mb", AllocatorValue::Count},
    {"gpus", "gpus", AllocatorValue::Amount},
    {"min", "min", AllocatorValue::Count},
    {"max", "max", AllocatorValue::Count},
    {"pending-max", "pending_max", AllocatorValue::Count},
    {"backlog", "backlog_s", AllocatorValue::Seconds},
    {"idle", "idle_s", AllocatorValue::Seconds},
    {"keep", "keep", AllocatorValue::Flag},
    {"end", "keep", AllocatorValue::Flag},
}};

Outcome<json::value> allocatorAmount(const std::string& text, std::string_view option) {
    double amount = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
        return usageError(fmt::format("--{}: '{}' is not a number", option, printable(text)));
    return json::value(amount);
}

Outcome<json::value> allocatorValue(const Arguments& arguments, const AllocatorOption& row) {
    const std::string text = arguments.value(row.option).value_or("");
    switch (row.value) {
    case AllocatorValue::Text: return json::value(text);
    case AllocatorValue::Flag: return json::value(row.option == "keep");
    case AllocatorValue::Amount: return allocatorAmount(text, row.option);
    case AllocatorValue::List: {
        json::array list;
        for (const std::string& each : arguments.values(row.option)) list.emplace_back(each);
        return json::value(std::move(list));
    }
    case AllocatorValue::Count: {
        const auto count = parseInteger(text, fmt::format("--{}", row.option));
        if (!count) return std::unexpected(count.error());
        return json::value(*count);
    }
    case AllocatorValue::Seconds: {
        const auto seconds = parseDuration(text);
        if (!seconds) return std::unexpected(seconds.error());
        return json::value(static_cast<std::int64_t>(std::ceil(std::min(*seconds, 1e12))));
    }
    }
    return json::value();
}

Outcome<json::object> allocatorBody(const Arguments& arguments) {
    if (arguments.has("keep") && arguments.has("end")) return usageError("give one of --keep and --end");
    json::object body;
    for (const AllocatorOption& row : kAllocatorOptions) {
        if (!arguments.has(row.option)) continue;
        auto value = allocatorValue(arguments, row);
        if (!value) return std::unexpected(value.error());
        body[row.member] = std::move(*value);
    }
    return body;
}

std::string jobsText(const json::object& allocator) {
    const json::array* pilots = arrayOf(allocator, "pilots");
    return fmt::format("{}", pilots ? pilots->size() : 0);
}

void showAllocators(const json::array& allocators) {
    Table table({{"NAME"},
                 {"KIND", false, kWhole, 2},
                 {"STATE"},
                 {"WANTED", true},
                 {"JOBS", true},
                 {"MOST", true, kWhole, 1},
                 {"WHY", false, 8, 3}});
    for (const json::value& each : allocators) {
        const json::object* allocator = each.if_object();
        if (!allocator) continue;
        const std::string reason = printable(textOf(*allocator, "reason"));
        table.add({printable(textOf(*allocator, "name")), printable(textOf(*allocator, "kind")),
                   printable(textOf(*allocator, "state")), countText(*allocator, "wanted"), jobsText(*allocator),
                   countText(*allocator, "max"),
                   reason.empty() ? printable(textOf(*allocator, "decision")) : reason});
    }
    if (table.empty())
        fmt::print(stderr, "There are no allocators: 'yardctl allocators add slurm NAME' makes one.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
}

/// One of them: its sentence, then its jobs.
void showAllocator(const json::object& allocator) {
    showAllocators(json::array{allocator});
    fmt::print("{}\n", printable(textOf(allocator, "decision")));
    const json::array* pilots = arrayOf(allocator, "pilots");
    if (!pilots || pilots->empty()) return;
    Table table({{"JOB"}, {"STATE"}, {"SINCE", false, kWhole, 1}, {"MACHINE"}});
    for (const json::value& each : *pilots) {
        const json::object* pilot = each.if_object();
        if (!pilot) continue;
        const std::string job = printable(textOf(*pilot, "job"));
        const std::string machine = printable(textOf(*pilot, "machine"));
        const auto since = integerOf(*pilot, "since");
        table.add({job.empty() ? "-" : job, printable(textOf(*pilot, "state")),
                   since ? timeWords(*since, wallNow()) : "-", machine.empty() ? "-" : machine});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> listedAllocators(const Invocation& invocation) {
    auto answer = invocation.engine.get("allocators");
    if (!answer) return failedWith(answer.error());
    const json::array* allocators = arrayOf(answer->object, "allocators");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (allocators)
        showAllocators(*allocators);
    return 0;
}

/// The call of a verb; `words`: all operands.
Outcome<Call> callOfAllocator(const Invocation& invocation, const std::vector<std::string>& words) {
    const std::string& verb = words.front();
    auto body = allocatorBody(invocation.arguments);
    if (!body) return std::unexpected(body.error());
    if (!body->empty() && verb != "add" && verb != "change")
        return usageError("options of an allocator go with 'add' and 'change'");
    if (verb == "add") {
        if (words.size() != 3 || (words[1] != "slurm" && words[1] != "command"))
            return usageError("say which kind, and its name: yardctl allocators add slurm|command NAME");
        (*body)["kind"] = words[1];
        (*body)["name"] = words[2];
        return Call{.method = "POST", .path = "allocators", .body = compactJson(*body)};
    }
    if (words.size() != 2) return usageError(fmt::format("name one: yardctl allocators {} NAME", verb));
    Call call{.method = "POST", .path = fmt::format("allocators/{}", percentEncode(words[1]))};
    if (verb == "show") {
        call.method = "GET";
    } else if (verb == "remove") {
        call.method = "DELETE";
    } else if (verb == "change") {
        call.method = "PATCH";
        call.body = compactJson(*body);
    } else {
        call.path += fmt::format("/{}", verb);
    }
    return call;
}

Outcome<int> allocatorsCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const std::string verb = words.empty() ? "ls" : words.front();
    if (std::ranges::find(kAllocatorVerbs, verb) == kAllocatorVerbs.end())
        return usageError(
            fmt::format("'{}' is none of ls, add, show, change, pause, resume and remove", printable(verb)));
    if (verb == "ls") {
        if (words.size() > 1) return usageError("'ls' lists all; 'show' takes one");
        return listedAllocators(invocation);
    }
    const auto call = callOfAllocator(invocation, words);
    if (!call) return std::unexpected(call.error());
    auto answer = invocation.engine.call(*call);
    if (!answer)
        return verb == "add" || verb == "change" ? failedByWords(answer.error()) : failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (verb == "remove")
        fmt::print("{} is removed once its jobs have ended\n", printable(words[1]));
    else
        showAllocator(answer->object);
    return 0;
}

} // namespace

Command allocatorsRow() {
    return {
        .name = "allocators",
        .usage = "[ls | add slurm NAME | add command NAME --start CMD --list CMD --stop CMD | show NAME | "
                 "change NAME | pause NAME | resume NAME | remove NAME]",
        .summary = "what asks Slurm and its like for machines",
        .details =
            "An allocator asks for as many machines as it takes to do the work that waits within --backlog, "
            "between "
            "--min and --max. They join this engine, and are given back when they have had nothing to do for "
            "--idle. Only actions that may run elsewhere count: a command needs \"machine\": \"any\".\n"
            "'start' prints a word by which the job is known, 'list' a line for each job (JOB and running, waiting "
            "or failed), 'stop' ends $YARD_JOB. They find $YARD_JOIN_URL and $YARD_JOIN_TOKEN.\n"
            "After three failures in a row it is paused, until 'resume'. 'remove' ends its jobs first.",
        .examples = "yardctl allocators\n"
                    "yardctl allocators add slurm night --time 4h --cores 16 --max 8\n"
                    "yardctl allocators add command cloud --start up --list jobs --stop down\n"
                    "yardctl allocators change night --max 20\n"
                    "yardctl allocators pause night",
        .options = {{"partition", 0, "P", "slurm: the partition (default: Slurm's own)"},
                    {"option", 0, "OPTION", "slurm: one more option of sbatch; may be repeated"},
                    {"program", 0, "PATH", "slurm: yardmaster on the nodes (default: yardmaster)"},
                    {"start", 0, "CMD", "command: starts a machine and prints its job"},
                    {"list", 0, "CMD", "command: prints the jobs there are"},
                    {"stop", 0, "CMD", "command: ends $YARD_JOB"},
                    {"time", 0, "TIME", "how long a machine lives (default: 1h)"},
                    {"cores", 0, "N", "of one machine (default: 1)"},
                    {"memory-mb", 0, "N", "of one machine (default: any)"},
                    {"gpus", 0, "N", "of one machine (default: 0)"},
                    {"min", 0, "N", "as many at least (default: 0)"},
                    {"max", 0, "N", "as many at most (default: 1)"},
                    {"pending-max", 0, "N", "as many wait in the other queue at most (default: 2)"},
                    {"backlog", 0, "TIME", "within which the work is to be done (default: 10m)"},
                    {"idle", 0, "TIME", "a machine without work goes after so long (default: 5m)"},
                    {"keep", 0, "", "its machines go on when the engine ends"},
                    {"end", 0, "", "they end with the engine, as they do by default"}},
        .maxOperands = 3,
        .function = allocatorsCommand};
}

} // namespace yard::ctl
