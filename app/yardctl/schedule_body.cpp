#include "app/yardctl/schedule_body.h"

#include "app/yardctl/action_reader.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/run_action.h"
#include "app/yardctl/work_options.h"
#include "core/base/clock.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::array<std::string_view, 3> kMissedChoices{"once", "skip", "all"};
constexpr std::array<std::string_view, 4> kOverlapChoices{"skip", "queue", "cancel_previous", "allow"};
constexpr std::array<std::string_view, 3> kTimeMembers{"cron", "every_s", "at"};
/// What the engine tells of a schedule and does not take: so what `show --json` printed can be given again.
constexpr std::array<std::string_view, 7> kToldMembers{"anchor", "next", "unfinished", "broken",
                                                       "last",   "runs", "times"};
constexpr double kLongestStep = 10.0 * 365 * 86'400;

Outcome<void> takeChoice(const Arguments& arguments, std::string_view option,
                         std::span<const std::string_view> choices, json::object& body) {
    const auto given = arguments.value(option);
    if (!given) return {};
    if (std::ranges::find(choices, *given) == choices.end())
        return usageError(fmt::format("'{}' is nothing that --{} takes: {}", printable(*given), option,
                                      fmt::join(choices, ", ")));
    body[option] = *given;
    return {};
}

Outcome<void> takeScheduleTime(const Arguments& arguments, json::object& body) {
    const auto cron = arguments.value("cron");
    const auto every = arguments.value("every");
    const auto at = arguments.value("at");
    const int given = (cron ? 1 : 0) + (every ? 1 : 0) + (at ? 1 : 0);
    if (given == 0) return {};
    if (given > 1) return usageError("one of --cron, --every and --at says when it is due");
    if (!cron && arguments.has("timezone"))
        return usageError("--timezone goes with --cron; --at is a time of this machine");
    for (const std::string_view member : kTimeMembers) body.erase(member);
    if (cron) body["cron"] = *cron;
    if (every) {
        const auto seconds = parseDuration(*every);
        if (!seconds) return std::unexpected(seconds.error());
        if (*seconds < 1 || *seconds > kLongestStep) return usageError("--every takes 1 s to 10 years");
        body["every_s"] = *seconds;
    }
    if (at) {
        const auto moment = parseComing(*at, wallNow());
        if (!moment) return std::unexpected(moment.error());
        body["at"] = *moment;
    }
    return {};
}

/// What is behind the name, or -c.
Outcome<void> takeProgram(const Arguments& arguments, const std::vector<std::string>& program, json::object& body) {
    const auto line = arguments.value("command");
    const int given = (line ? 1 : 0) + (program.empty() ? 0 : 1) + (arguments.has("file") ? 1 : 0);
    if (given > 1) return usageError("one of a program, -c LINE and --file FILE says what is to run");
    if (!line && program.empty()) {
        if (arguments.has("cwd")) return usageError("--cwd goes with a program or -c LINE");
        return {};
    }
    const auto directory = workingDirectory(arguments);
    if (!directory) return std::unexpected(directory.error());
    const std::vector<std::string> argv = line ? std::vector<std::string>{"/bin/sh", "-c", *line} : program;
    body["action"] =
        json::object{{"worker", "exec"}, {"argv", json::array(argv.begin(), argv.end())}, {"cwd", *directory}};
    return {};
}

/// A whole schedule, an action, or a list of them.
Outcome<json::object> scheduleFromFile(const std::string& path) {
    UniqueFd opened;
    if (path != "-") {
        opened.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (!opened) return failedWith(failErrno(fmt::format("cannot open {}", printable(path)), errno).error());
    }
    const std::string name = path == "-" ? "standard input" : printable(path);
    ActionReader reader(path == "-" ? STDIN_FILENO : opened.get(), name);
    auto first = reader.next();
    if (!first) return std::unexpected(first.error());
    if (!*first) return failed(fmt::format("{} holds neither a schedule nor an action", name));
    auto second = reader.next();
    if (!second) return std::unexpected(second.error());
    if (*second) return failed(fmt::format("{} holds more than one value; give several actions as a list", name));
    json::value value = std::move((*first)->value);
    if (value.is_array()) return json::object{{"list", std::move(value)}};
    json::object object = std::move(value.get_object());
    if (!object.contains("action") && !object.contains("list")) return json::object{{"action", std::move(object)}};
    for (const std::string_view member : kToldMembers) object.erase(member);
    return object;
}

} // namespace

std::vector<Option> scheduleOptions() {
    return {{"cron", 0, "LINE", "due by a line of crontab: '0 3 * * 1-5', @daily"},
            {"every", 0, "TIME", "due each 90s, 10min, 2h, 1d, counted from now"},
            {"at", 0, "TIME", "due once: +10m, 22:30, '2026-12-24 18:00'"},
            {"timezone", 0, "ZONE", "of --cron: Europe/Berlin (default: the engine's)"},
            {"missed", 0, "HOW", "what of missed times runs: once (default), skip, all"},
            {"overlap", 0, "HOW", "beside one that still runs: skip (default), queue, cancel_previous, allow"},
            {"jitter", 0, "TIME", "start up to this later, always by the same"},
            {"paused", 0, "", "it is not due before 'resume'"},
            {"command", 'c', "LINE", "a line for the shell instead of a program"},
            {"cwd", 'C', "DIR", "run it there instead of the current directory"},
            {"file", 0, "FILE", "an action, a list of them or a whole schedule as JSON; - is stdin"},
            queueOption()};
}

Outcome<json::object> scheduleConditions(const Arguments& arguments) {
    json::object body;
    if (const auto zone = arguments.value("timezone")) body["timezone"] = *zone;
    if (auto taken = takeChoice(arguments, "missed", kMissedChoices, body); !taken)
        return std::unexpected(taken.error());
    if (auto taken = takeChoice(arguments, "overlap", kOverlapChoices, body); !taken)
        return std::unexpected(taken.error());
    if (const auto queue = arguments.value("queue")) body["queue"] = *queue;
    if (const auto jitter = arguments.value("jitter")) {
        const auto seconds = parseDuration(*jitter);
        if (!seconds) return std::unexpected(seconds.error());
        body["jitter_s"] = *seconds;
    }
    if (arguments.has("paused")) body["paused"] = true;
    return body;
}

Outcome<json::object> scheduleBody(const Arguments& arguments, const std::vector<std::string>& program) {
    json::object body;
    if (const auto path = arguments.value("file")) {
        auto read = scheduleFromFile(*path);
        if (!read) return std::unexpected(read.error());
        body = std::move(*read);
    }
    auto conditions = scheduleConditions(arguments);
    if (!conditions) return std::unexpected(conditions.error());
    for (auto&& member : *conditions) body[member.key()] = std::move(member.value());
    if (auto taken = takeScheduleTime(arguments, body); !taken) return std::unexpected(taken.error());
    if (auto taken = takeProgram(arguments, program, body); !taken) return std::unexpected(taken.error());
    return body;
}

std::string nextTimesPath(const json::object& schedule, std::int64_t count) {
    const std::string_view zone = textOf(schedule, "timezone");
    return fmt::format("schedules/next?cron={}{}{}&n={}", percentEncode(textOf(schedule, "cron")),
                       zone.empty() ? "" : "&timezone=", percentEncode(zone), count);
}

} // namespace yard::ctl
