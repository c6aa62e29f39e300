// yardctl schedules import crontab: a schedule for each line of a crontab.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/crontab.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/schedule_body.h"
#include "app/yardctl/schedule_view.h"
#include "core/base/files.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr int kCrontabSilenceMs = 10'000;

/// To the end; waits for bytes without limit where `silenceMs` is negative.
Outcome<std::string> crontabFrom(int fd, int silenceMs) {
    std::string text;
    std::array<char, 16'384> piece{};
    for (;;) {
        pollfd wait{fd, POLLIN, 0};
        const int ready = ::poll(&wait, 1, silenceMs);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) return failed("'crontab -l' says nothing; name a file");
        const ssize_t got = ::read(fd, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failedWith(failErrno("cannot read the crontab", errno).error());
        if (got == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(got));
        if (text.size() > Crontab::kMostBytes)
            return failed(fmt::format("the crontab has more than {} KiB", Crontab::kMostBytes >> 10));
    }
}

int spawnCrontab(int out, pid_t& pid) {
    SpawnPlan plan(SpawnPlan::Apart::No);
    plan.open("/dev/null", O_RDONLY, STDIN_FILENO);
    plan.give(out, STDOUT_FILENO);
    return plan.run(pid, {"crontab", "-l"});
}

/// Of whoever runs yardctl. Its own sentence goes to stderr when there is none.
Outcome<std::string> ownCrontab() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failedWith(failErrno("cannot make a pipe", errno).error());
    UniqueFd read(ends[0]);
    UniqueFd write(ends[1]);
    pid_t pid = -1;
    const int err = spawnCrontab(write.get(), pid);
    write.reset();
    if (err != 0) return failedWith(failErrno("cannot run 'crontab -l'; name a file instead", err).error());
    auto text = crontabFrom(read.get(), kCrontabSilenceMs);
    read.reset();
    if (!text) ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (text && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return failed("'crontab -l' shows none; name a file instead");
    return text;
}

Outcome<std::string> crontabText(const std::vector<std::string>& words) {
    if (words.size() < 3) return ownCrontab();
    if (words[2] == "-") return crontabFrom(STDIN_FILENO, -1);
    const UniqueFd file(::open(words[2].c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return failedWith(failErrno(fmt::format("cannot open {}", printable(words[2])), errno).error());
    return crontabFrom(file.get(), -1);
}

json::object actionOfEntry(const CrontabEntry& entry) {
    const CrontabVariables& variables = *entry.variables;
    const auto variable = [&](const std::string& name, const std::string& otherwise) {
        const auto at = variables.find(name);
        return at == variables.end() || at->second.empty() ? otherwise : at->second;
    };
    json::object action{{"worker", "exec"},
                        {"argv", json::array{variable("SHELL", "/bin/sh"), "-c", entry.command}},
                        {"cwd", variable("HOME", homeDirectory())}};
    if (!variables.empty()) {
        json::object env;
        for (const auto& [name, value] : variables) env[name] = value;
        action["env"] = std::move(env);
    }
    if (entry.input) action["stdin"] = json::object{{"text", *entry.input}};
    return action;
}

bool isSameMember(const json::object& one, const json::object& other, std::string_view member) {
    const json::value* left = one.if_contains(member);
    const json::value* right = other.if_contains(member);
    return left && right ? *left == *right : !left && !right;
}

/// Whether the engine finds fault with the line, not with all of them.
bool isFaultOfLine(const Error& error) {
    using enum ErrorKind;
    constexpr std::array kFaults = {Malformed, Invalid, TooLarge, WrongState, AtLimit};
    return std::ranges::find(kFaults, error.kind) != kFaults.end();
}

class CrontabImport {
public:
    CrontabImport(const Invocation& invocation, json::object conditions)
        : invocation_(invocation)
        , conditions_(std::move(conditions)) {}

    /// Of what is there: its names are taken, and it is not made twice.
    Outcome<void> learn() {
        auto answer = invocation_.engine.get("schedules");
        if (!answer) return failedWith(answer.error());
        if (const json::array* schedules = arrayOf(answer->object, "schedules"))
            for (const json::value& each : *schedules)
                if (const json::object* schedule = each.if_object()) {
                    taken_.emplace(textOf(*schedule, "name"));
                    known_.push_back(*schedule);
                }
        return {};
    }

    Outcome<void> take(const CrontabEntry& entry) {
        if (entry.input && !isUtf8(*entry.input)) {
            refuse(entry.line, "What it reads is not UTF-8: put it into a file.");
            return {};
        }
        json::object body = conditions_;
        body["cron"] = entry.when;
        if (!entry.timezone.empty()) body["timezone"] = entry.timezone;
        body["action"] = actionOfEntry(entry);
        const auto same = std::ranges::find_if(known_, [&](const json::object& one) {
            return isSameMember(one, body, "action") && isSameMember(one, body, "cron") &&
                   isSameMember(one, body, "timezone");
        });
        if (same != known_.end()) {
            notes_.push_back(
                {.line = entry.line, .text = fmt::format("It is there as {}.", printable(textOf(*same, "name")))});
            return {};
        }
        body["name"] = scheduleNameFor(entry.command, taken_);
        auto answer = send(body);
        if (!answer) {
            if (!isFaultOfLine(answer.error())) return failedWith(answer.error());
            refuse(entry.line, answer.error().message);
            return {};
        }
        taken_.emplace(textOf(body, "name"));
        body["line"] = static_cast<std::int64_t>(entry.line);
        if (const json::array* times = arrayOf(answer->object, "times"); times && !times->empty())
            body["next"] = times->front();
        made_.emplace_back(std::move(body));
        return {};
    }

    void refuse(std::size_t line, std::string sentence) {
        refused_.push_back({.line = line, .text = std::move(sentence)});
    }
    void note(const CrontabNote& note) { notes_.push_back(note); }
    bool isWhole() const { return refused_.empty(); }

    void print() {
        std::ranges::sort(refused_, {}, &CrontabNote::line);
        std::ranges::sort(notes_, {}, &CrontabNote::line);
        if (invocation_.json) return printJson();
        Table table({{"LINE", true}, {"NAME"}, {"WHEN"}, {"NEXT", false, kWhole, 1}, {"WHAT", false, 8, 2}});
        for (const json::value& each : made_) {
            const json::object& one = each.get_object();
            table.add({countText(one, "line"), printable(textOf(one, "name")), dueRule(one), nextDue(one),
                       scheduledWork(one)});
        }
        if (!table.empty()) fmt::print("{}", table.text(terminalWidth()));
        std::fflush(stdout);
        for (const auto& list : {notes_, refused_})
            for (const CrontabNote& one : list)
                fmt::print(stderr, "yardctl: line {}: {}\n", one.line, printable(one.text));
    }

private:
    Result<Answer> send(const json::object& body) {
        if (!invocation_.arguments.has("dry-run")) return invocation_.engine.post("schedules", compactJson(body));
        return invocation_.engine.get(nextTimesPath(body, 1));
    }

    static json::array listOf(const std::vector<CrontabNote>& notes) {
        json::array list;
        for (const CrontabNote& one : notes)
            list.emplace_back(json::object{{"line", one.line}, {"message", one.text}});
        return list;
    }

    void printJson() const {
        const json::object all{{"dry_run", invocation_.arguments.has("dry-run")},
                               {"imported", made_},
                               {"refused", listOf(refused_)},
                               {"notes", listOf(notes_)}};
        fmt::print("{}\n", compactJson(all));
    }

    const Invocation& invocation_;
    const json::object conditions_;
    std::set<std::string, std::less<>> taken_;
    std::vector<json::object> known_;
    json::array made_;
    std::vector<CrontabNote> refused_;
    std::vector<CrontabNote> notes_;
};

} // namespace

Outcome<int> importCrontab(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    if (words.size() < 2 || words.size() > 3 || words[1] != "crontab")
        return usageError("this imports a crontab: yardctl schedules import crontab [FILE|-]");
    auto conditions = scheduleConditions(invocation.arguments);
    if (!conditions) return std::unexpected(conditions.error());
    const auto text = crontabText(words);
    if (!text) return std::unexpected(text.error());
    const Crontab crontab = parseCrontab(*text);
    CrontabImport importing(invocation, std::move(*conditions));
    if (auto learnt = importing.learn(); !learnt) return std::unexpected(learnt.error());
    for (const CrontabNote& one : crontab.refused) importing.refuse(one.line, one.text);
    for (const CrontabNote& one : crontab.notes) importing.note(one);
    Outcome<void> done;
    for (const CrontabEntry& entry : crontab.entries)
        if (done = importing.take(entry); !done) break;
    // What was made before the engine went is there.
    importing.print();
    if (!done) return std::unexpected(done.error());
    return importing.isWhole() ? 0 : kExitFailed;
}

} // namespace yard::ctl
