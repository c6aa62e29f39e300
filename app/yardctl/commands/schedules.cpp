// yardctl schedules: what runs at certain times (docs/schedules.md).
#include "app/yardctl/accepted.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/commands/verbs.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/row_options.h"
#include "app/yardctl/schedule_body.h"
#include "app/yardctl/schedule_view.h"
#include "core/base/clock.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>

namespace yard::ctl {

namespace {

constexpr int kTimesTold = 10;

/// As the engine would say it, had it the schedule.
Outcome<json::array> timesToCome(Engine& engine, const json::object& body) {
    if (body.contains("cron")) {
        auto answer = engine.get(nextTimesPath(body, kTimesTold));
        if (!answer) return failedByWords(answer.error());
        const json::array* times = arrayOf(answer->object, "times");
        return times ? *times : json::array();
    }
    if (const auto at = integerOf(body, "at")) return json::array{*at};
    json::array times;
    const auto step = static_cast<std::int64_t>(numberOf(body, "every_s").value_or(0) * 1e6);
    const std::int64_t now = wallNow();
    for (int i = 1; i <= kTimesTold; ++i) times.emplace_back(now + i * step);
    return times;
}

Outcome<int> showDryRun(const Invocation& invocation, const json::object& body) {
    auto times = timesToCome(invocation.engine, body);
    if (!times) return std::unexpected(times.error());
    const json::object shown{{"schedule", body}, {"times", std::move(*times)}};
    if (invocation.json) {
        fmt::print("{}\n", compactJson(shown));
        return 0;
    }
    fmt::print("{} would be due\n", printable(textOf(body, "name")));
    printDueTimes(shown);
    if (const auto jitter = numberOf(body, "jitter_s"); jitter && *jitter > 0)
        fmt::print("and starts later by up to {}, always by the same\n", durationWords(*jitter));
    return 0;
}

Outcome<int> tellSaved(const Invocation& invocation, const Answer& answer) {
    if (invocation.json) {
        fmt::print("{}\n", answer.text);
        return 0;
    }
    const std::string name = printable(textOf(answer.object, "name"));
    const json::array* times = arrayOf(answer.object, "times");
    if (!times || times->empty())
        fmt::print("{} is saved; no time of it is to come\n", name);
    else if (isTrue(answer.object, "paused"))
        fmt::print("{} is saved and paused; it would be due\n", name);
    else
        fmt::print("{} is saved; it is due\n", name);
    printDueTimes(answer.object);
    return 0;
}

Outcome<void> checkNewSchedule(const json::object& body) {
    if (!body.contains("name")) return usageError("name it: yardctl schedules add NAME");
    if (!body.contains("cron") && !body.contains("every_s") && !body.contains("at"))
        return usageError("say when it is due with --cron, --every or --at");
    if (!body.contains("action") && !body.contains("list"))
        return usageError("say what is to run: a program behind '--', -c LINE or --file FILE");
    return {};
}

Outcome<int> saveSchedule(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const bool isNew = words.front() == "add";
    if (words.size() < 2 && !(isNew && invocation.arguments.has("file")))
        return usageError(fmt::format("name it: yardctl schedules {} NAME", words.front()));
    std::vector<std::string> program;
    if (words.size() > 2) program.assign(std::next(words.begin(), 2), words.end());
    auto body = scheduleBody(invocation.arguments, program);
    if (!body) return std::unexpected(body.error());
    if (!isNew && body->empty()) return usageError("say what is to change; 'yardctl schedules --help' lists it");
    if (isNew) {
        if (words.size() > 1) (*body)["name"] = words[1];
        if (auto whole = checkNewSchedule(*body); !whole) return std::unexpected(whole.error());
        if (invocation.arguments.has("dry-run")) return showDryRun(invocation, *body);
    } else {
        body->erase("name"); // a file may be of another one
    }
    auto answer =
        invocation.engine.call({.method = isNew ? "POST" : "PATCH",
                                .path = isNew ? "schedules" : fmt::format("schedules/{}", percentEncode(words[1])),
                                .body = compactJson(*body)});
    if (!answer) return failedByWords(answer.error());
    return tellSaved(invocation, *answer);
}

Outcome<int> listSchedules(const Invocation& invocation) {
    if (invocation.arguments.operands().size() > 1) return usageError("'ls' lists all; 'show' takes one");
    auto answer = invocation.engine.get("schedules");
    if (!answer) return failedWith(answer.error());
    const json::array* schedules = arrayOf(answer->object, "schedules");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (!schedules || schedules->empty())
        fmt::print(stderr, "There are no schedules.\n");
    else
        printSchedules(*schedules);
    return 0;
}

Outcome<int> tellRun(const Answer& answer) {
    std::vector<std::int64_t> lsns;
    std::string lines;
    if (const json::array* actions = arrayOf(answer.object, "actions"))
        for (const json::value& each : *actions) {
            const json::object* action = each.if_object();
            const auto first = action ? integerOf(*action, "lsn") : std::nullopt;
            if (!first) continue;
            const std::int64_t count = integerOf(*action, "count").value_or(1);
            lsns.push_back(*first);
            lines += count > 1 ? fmt::format("{}..{}\n", *first, *first + count - 1) : fmt::format("{}\n", *first);
        }
    if (auto printed = printAccepted(lines, lsns); !printed) return std::unexpected(printed.error());
    return 0;
}

/// show, run, rm, pause, resume
/// Of the actions of its newest runs; none of those that the engine does not have any more.
std::map<std::int64_t, std::string> statesOfRuns(Engine& engine, const json::object& schedule) {
    constexpr std::size_t kMost = 1'000; // of a request
    std::vector<std::int64_t> lsns;
    const json::array* runs = arrayOf(schedule, "runs");
    for (const json::value& each : runs ? *runs : json::array()) {
        const auto more = each.is_object() ? lsnsOfRun(each.get_object()) : std::vector<std::int64_t>();
        if (lsns.size() + more.size() > kMost) break;
        lsns.insert(lsns.end(), more.begin(), more.end());
    }
    std::map<std::int64_t, std::string> states;
    if (lsns.empty()) return states;
    const auto answer = engine.get(fmt::format("jobs?limit=1000&lsn={}", fmt::join(lsns, ",")));
    const json::array* jobs = answer ? arrayOf(answer->object, "jobs") : nullptr;
    for (const json::value& each : jobs ? *jobs : json::array())
        if (const json::object* job = each.if_object())
            states.emplace(integerOf(*job, "lsn").value_or(0), std::string(textOf(*job, "state")));
    return states;
}

Outcome<int> oneSchedule(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const std::string& verb = words.front();
    if (words.size() != 2) return usageError(fmt::format("name one: yardctl schedules {} NAME", verb));
    Call call{.method = "POST", .path = fmt::format("schedules/{}", percentEncode(words[1]))};
    if (verb == "show")
        call.method = "GET";
    else if (verb == "rm")
        call.method = "DELETE";
    else
        call.path += fmt::format("/{}", verb);
    auto answer = invocation.engine.call(call);
    if (!answer) return failedWith(answer.error());
    const std::string name = printable(words[1]);
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (verb == "show")
        printSchedule(answer->object, statesOfRuns(invocation.engine, answer->object));
    else if (verb == "run")
        return tellRun(*answer);
    else if (verb == "rm")
        fmt::print("{} is removed; what it started goes on\n", name);
    else if (verb == "pause")
        fmt::print("{} is paused\n", name);
    else
        fmt::print("{} goes on; next: {}\n", name, nextDue(answer->object));
    return 0;
}

/// The fields may be one word or five.
Outcome<int> showNextTimes(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    if (words.size() < 2) return usageError("give a line of crontab: yardctl schedules next '0 3 * * 1-5'");
    std::int64_t count = kTimesTold;
    if (const auto given = invocation.arguments.value("number")) {
        const auto number = parseInteger(*given, "--number");
        if (!number) return std::unexpected(number.error());
        if (*number < 1 || *number > 1000) return usageError("--number takes 1 to 1000");
        count = *number;
    }
    const json::object asked{{"cron", fmt::format("{}", fmt::join(std::next(words.begin()), words.end(), " "))},
                             {"timezone", invocation.arguments.value("timezone").value_or("")}};
    auto answer = invocation.engine.get(nextTimesPath(asked, count));
    if (!answer) return failedByWords(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        printDueTimes(answer->object);
    return 0;
}

struct ScheduleVerb {
    std::string_view name;
    Outcome<int> (*function)(const Invocation&);
    std::string_view options; ///< that it takes, a space around each
};
constexpr std::string_view kSavingOptions =
    " cron every at timezone missed overlap jitter paused command cwd file queue ";
constexpr std::array<ScheduleVerb, 10> kScheduleVerbs = {
    {{.name = "ls", .function = &listSchedules, .options = {}},
     {.name = "show", .function = &oneSchedule, .options = {}},
     {.name = "add", .function = &saveSchedule, .options = kSavingOptions},
     {.name = "set", .function = &saveSchedule, .options = kSavingOptions},
     {.name = "rm", .function = &oneSchedule, .options = {}},
     {.name = "run", .function = &oneSchedule, .options = {}},
     {.name = "pause", .function = &oneSchedule, .options = {}},
     {.name = "resume", .function = &oneSchedule, .options = {}},
     {.name = "next", .function = &showNextTimes, .options = " timezone number "},
     {.name = "import", .function = &importCrontab, .options = " timezone missed overlap jitter paused queue "}}};

std::vector<Option> optionsOfSchedules() {
    return joined(scheduleOptions(),
                  {{"dry-run", 0, "", "of add and import: save nothing, say when it would be due"},
                   {"number", 'n', "N", "of next: so many times (default 10)"}});
}

Outcome<int> schedulesCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const auto known = verbIn(kScheduleVerbs, words);
    if (!known) return std::unexpected(known.error());
    const ScheduleVerb& verb = **known;
    for (const Option& option : optionsOfSchedules()) {
        const bool isOfVerb = option.name == "dry-run" ? verb.name == "add" || verb.name == "import"
                                                       : verb.options.contains(fmt::format(" {} ", option.name));
        if (invocation.arguments.has(option.name) && !isOfVerb)
            return usageError(fmt::format("'schedules {}' does not take --{}", verb.name, option.name));
    }
    return verb.function(invocation);
}

} // namespace

Command schedulesRow() {
    return {
        .name = "schedules",
        .usage = "[ls | show NAME | add NAME [options] -- CMD… | set NAME [options] [-- CMD…] | rm NAME | run NAME "
                 "| pause NAME | resume NAME | next LINE | import crontab [FILE|-]]",
        .summary = "what runs at certain times; crontab",
        .details =
            "'add' tells the next ten times of what it saved. A program runs in the current directory, with the "
            "engine's environment. 'set' changes what is given. 'run' starts one now, also while it is paused, and "
            "prints the LSNs. Times are shown as this machine's clock has them.\n"
            "'import crontab' makes a schedule of each line of a file, else of 'crontab -l'. Variables go into "
            "the environment, CRON_TZ is the time zone, what follows a '%' is read as stdin, MAILTO is left out. "
            "Each is named after its program. What is there already is not made twice. Lines that cannot be "
            "taken are named, the others are imported.",
        .examples = "yardctl schedules\n"
                    "yardctl schedules add nightly --cron '0 3 * * 1-5' -- ./backup --all\n"
                    "yardctl schedules add clean --every 2h --jitter 5min -c 'rm -rf tmp/*'\n"
                    "yardctl schedules set nightly --timezone Europe/Berlin\n"
                    "yardctl schedules next '0 3 * * mon' -n 3\n"
                    "yardctl schedules import crontab --dry-run",
        .exits = "0 done, 1 not done or a line was not imported, 2 wrong command line.",
        .options = optionsOfSchedules(),
        .function = schedulesCommand,
        .live = "schedules"};
}

} // namespace yard::ctl
