#include "app/yardctl/schedule_view.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "core/base/clock.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

/// "12, 20..29"
std::string runLsns(const json::object& run) {
    std::string out;
    if (const json::array* actions = arrayOf(run, "actions"))
        for (const json::value& each : *actions) {
            const json::object* action = each.if_object();
            if (!action) continue;
            const std::int64_t first = integerOf(*action, "lsn").value_or(0);
            const std::int64_t count = integerOf(*action, "count").value_or(1);
            out += out.empty() ? "" : ", ";
            out += count > 1 ? fmt::format("{}..{}", first, first + count - 1) : fmt::format("{}", first);
        }
    return out.empty() ? "-" : out;
}

std::string runNote(const json::object& run) {
    std::string out = isTrue(run, "late") ? "late" : "";
    const auto add = [&](const std::string& words) { out += (out.empty() ? "" : ", ") + words; };
    if (const auto skipped = integerOf(run, "skipped"); skipped && *skipped > 0)
        add(fmt::format("for {} more", *skipped));
    if (const std::string error = printable(textOf(run, "error")); !error.empty()) add(error);
    return out.empty() ? "-" : out;
}

/// "completed", "2 completed, 1 failed"; "-" where none is known.
std::string stateWordsOf(const json::object& run, const std::map<std::int64_t, std::string>& states) {
    std::map<std::string, int> counts;
    int all = 0;
    for (const std::int64_t lsn : lsnsOfRun(run))
        if (const auto state = states.find(lsn); state != states.end()) {
            ++counts[state->second];
            ++all;
        }
    if (all == 1) return printable(counts.begin()->first);
    std::string out;
    for (const auto& [state, count] : counts)
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, printable(state));
    return out.empty() ? "-" : out;
}

void printRuns(const json::array& runs, const std::map<std::int64_t, std::string>& states) {
    Table table({{"DUE"},
                 {"DECIDED", false, kWhole, 1},
                 {"OUTCOME"},
                 {"ACTIONS"},
                 {"STATE", false, 8, 1},
                 {"NOTE", false, 8, 2}});
    for (const json::value& each : runs) {
        const json::object* run = each.if_object();
        if (!run) continue;
        const auto due = integerOf(*run, "due");
        table.add({due ? dueWords(*due) : "by hand", dueWords(integerOf(*run, "t").value_or(0)),
                   printable(textOf(*run, "outcome")), runLsns(*run), stateWordsOf(*run, states), runNote(*run)});
    }
    if (!table.empty()) fmt::print("\n{}", table.text(terminalWidth()));
}

} // namespace

std::string dueWords(std::int64_t micros) {
    const std::time_t second = micros / 1'000'000;
    std::tm then{};
    std::array<char, 64> text{};
    if (!::localtime_r(&second, &then)) return "-";
    const std::size_t size = std::strftime(text.data(), text.size(), "%a %Y-%m-%d %H:%M:%S", &then);
    return {text.data(), size};
}

std::string dueRule(const json::object& schedule) {
    if (const std::string cron = printable(textOf(schedule, "cron")); !cron.empty()) {
        const std::string zone = printable(textOf(schedule, "timezone"));
        return zone.empty() ? cron : fmt::format("{} ({})", cron, zone);
    }
    if (const auto seconds = numberOf(schedule, "every_s")) return fmt::format("each {}", durationWords(*seconds));
    return "once";
}

std::string scheduledWork(const json::object& schedule) {
    if (const json::array* list = arrayOf(schedule, "list")) return fmt::format("{} actions", list->size());
    const json::object* action = objectOf(schedule, "action");
    if (!action) return "-";
    const json::array* argv = arrayOf(*action, "argv");
    if (!argv) return printable(whatWords(*action));
    // Of a line for the shell the line.
    const bool isShell = argv->size() == 3 && (*argv)[1] == "-c";
    std::string out;
    for (std::size_t i = isShell ? 2 : 0; i < argv->size(); ++i)
        if (const json::string* word = (*argv)[i].if_string())
            out += (out.empty() ? "" : " ") + printable(std::string_view(*word));
    return out;
}

std::string nextDue(const json::object& schedule) {
    if (isTrue(schedule, "paused")) return "paused";
    if (schedule.contains("broken")) return "broken";
    const auto next = integerOf(schedule, "next");
    return next ? dueWords(*next) : "-";
}

void printDueTimes(const json::object& answer) {
    if (const json::array* times = arrayOf(answer, "times"))
        for (const json::value& time : *times)
            if (time.is_int64()) fmt::print("  {}\n", dueWords(time.get_int64()));
}

void printSchedules(const json::array& schedules) {
    Table table({{"NAME"},
                 {"WHEN", false, 8, 3},
                 {"NEXT"},
                 {"LAST", false, kWhole, 2},
                 {"UNFINISHED", true, kWhole, 1},
                 {"WHAT", false, 8, 4}});
    for (const json::value& each : schedules) {
        const json::object* schedule = each.if_object();
        if (!schedule) continue;
        const json::object* last = objectOf(*schedule, "last");
        table.add({printable(textOf(*schedule, "name")), dueRule(*schedule), nextDue(*schedule),
                   last ? fmt::format("{} {}", printable(textOf(*last, "outcome")),
                                      timeWords(integerOf(*last, "t").value_or(0), wallNow()))
                        : "-",
                   countText(*schedule, "unfinished"), scheduledWork(*schedule)});
    }
    if (!table.empty()) fmt::print("{}", table.text(terminalWidth()));
}

std::vector<std::int64_t> lsnsOfRun(const json::object& run) {
    constexpr std::int64_t kMost = 1'000;
    std::vector<std::int64_t> lsns;
    const json::array* actions = arrayOf(run, "actions");
    for (const json::value& each : actions ? *actions : json::array()) {
        const json::object* action = each.if_object();
        const std::int64_t first = action ? integerOf(*action, "lsn").value_or(0) : 0;
        const std::int64_t count = action ? integerOf(*action, "count").value_or(1) : 0;
        for (std::int64_t i = 0; i < std::min(count, kMost); ++i)
            if (first > 0 && std::ssize(lsns) < kMost) lsns.push_back(first + i);
    }
    return lsns;
}

void printSchedule(const json::object& schedule, const std::map<std::int64_t, std::string>& states) {
    const auto line = [](std::string_view head, const std::string& text) { fmt::print("{:<10} {}\n", head, text); };
    line("name", printable(textOf(schedule, "name")));
    line("when", dueRule(schedule));
    line("what", scheduledWork(schedule));
    if (const json::object* action = objectOf(schedule, "action")) {
        const std::string cwd = printable(textOf(*action, "cwd"));
        if (!cwd.empty() || textOf(*action, "worker") == "exec")
            line("in", cwd.empty() ? "a directory of its own" : cwd);
        if (const json::object* env = objectOf(*action, "env"); env && !env->empty()) {
            std::string names;
            for (const auto& variable : *env)
                names += (names.empty() ? "" : " ") + printable(std::string_view(variable.key()));
            line("with", names);
        }
    }
    if (const std::string queue = printable(textOf(schedule, "queue")); !queue.empty()) line("queue", queue);
    line("missed", printable(textOf(schedule, "missed")));
    line("overlap", printable(textOf(schedule, "overlap")));
    if (const auto jitter = numberOf(schedule, "jitter_s"); jitter && *jitter > 0)
        line("jitter", durationWords(*jitter));
    line("unfinished", countText(schedule, "unfinished"));
    line("next", nextDue(schedule));
    if (const std::string broken = printable(textOf(schedule, "broken")); !broken.empty()) line("broken", broken);
    if (const json::array* times = arrayOf(schedule, "times"); times && !times->empty()) {
        fmt::print("due\n");
        printDueTimes(schedule);
    }
    if (const json::array* runs = arrayOf(schedule, "runs")) printRuns(*runs, states);
}

} // namespace yard::ctl
