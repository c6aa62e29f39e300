// yardctl machines: what runs actions for this engine, and what it is to get.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "core/base/clock.h"
#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::ctl {

namespace {

constexpr std::array<std::string_view, 7> kMachineVerbs{"ls",    "show",   "drain", "resume",
                                                        "pause", "remove", "hours"};
constexpr std::array<std::string_view, 3> kTokenOptions{"uses", "expires", "cores"};

std::string coresOfMachine(const json::object& machine) {
    const auto cores = numberOf(machine, "cores");
    return cores ? fmt::format("{:g}", *cores) : "-";
}

std::string memoryOfMachine(const json::object& machine) {
    const auto bytes = integerOf(machine, "memory_bytes");
    return bytes && *bytes > 0 ? sizeWords(static_cast<std::uint64_t>(*bytes)) : "-";
}

/// "silent, lost in 22 s"; the sentence comes behind it.
std::string stateOfMachine(const json::object& machine) {
    std::string state = printable(textOf(machine, "state"));
    if (const auto lostAt = integerOf(machine, "lost_at"))
        state +=
            fmt::format(", lost in {}",
                        durationWords(static_cast<double>(std::max<std::int64_t>(*lostAt - wallNow(), 0)) / 1e6));
    return state;
}

void showMachines(const json::array& machines) {
    Table table({{"ID"},
                 {"NAME"},
                 {"KIND", false, kWhole, 2},
                 {"STATE"},
                 {"SINCE", false, kWhole, 1},
                 {"CORES", true},
                 {"MEMORY", true, kWhole, 3},
                 {"RUN", true},
                 {"WAIT", true, kWhole, 4},
                 {"WHY", false, 8, 5}});
    for (const json::value& each : machines) {
        const json::object* machine = each.if_object();
        if (!machine) continue;
        const auto since = integerOf(*machine, "since");
        table.add({countText(*machine, "id"), printable(textOf(*machine, "name")),
                   printable(textOf(*machine, "kind")), stateOfMachine(*machine),
                   since ? timeWords(*since, wallNow()) : "-", coresOfMachine(*machine), memoryOfMachine(*machine),
                   countText(*machine, "running"), countText(*machine, "waiting"),
                   printable(textOf(*machine, "reason"))});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> listedMachines(const Invocation& invocation) {
    auto answer = invocation.engine.get("machines");
    if (!answer) return failedWith(answer.error());
    const json::array* machines = arrayOf(answer->object, "machines");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (machines)
        showMachines(*machines);
    return 0;
}

/// The number of the machine: by it, or by its name.
Outcome<std::int64_t> numberOfMachine(const Invocation& invocation, const std::string& word) {
    if (const auto number = parseInteger(word, "ID"); number && *number >= 0) return *number;
    auto answer = invocation.engine.get("machines");
    if (!answer) return failedWith(answer.error());
    if (const json::array* machines = arrayOf(answer->object, "machines"))
        for (const json::value& each : *machines)
            if (const json::object* machine = each.if_object(); machine && textOf(*machine, "name") == word)
                if (const auto id = integerOf(*machine, "id")) return *id;
    // As of a number that none has: the line is right, there is no such machine.
    return std::unexpected(
        Failure(fmt::format("there is no machine '{}': 'yardctl machines' lists those there are", printable(word)),
                kExitFailed, errorName(ErrorKind::NotFound)));
}

Call callOfMachine(std::string_view verb, std::int64_t id, bool force) {
    Call call{.method = "POST", .path = fmt::format("machines/{}", id)};
    if (verb == "show") {
        call.method = "GET";
    } else if (verb == "remove") {
        call.method = "DELETE";
        if (force) call.body = R"({"force":true})";
    } else if (verb == "pause") {
        call.method = "PATCH";
        call.body = R"({"paused":true})";
    } else {
        call.path += fmt::format("/{}", verb);
    }
    return call;
}

Call hoursCall(std::int64_t id, const std::string& rules) {
    const json::object body{{"hours", rules == "always" ? std::string() : rules}};
    return {.method = "PATCH", .path = fmt::format("machines/{}", id), .body = compactJson(body)};
}

// --- join tokens

void showJoinTokens(const json::array& tokens) {
    Table table(
        {{"ID", true}, {"USED", true}, {"OF", true}, {"MADE", false, kWhole, 1}, {"EXPIRES"}, {"CORES", true}});
    for (const json::value& each : tokens) {
        const json::object* token = each.if_object();
        if (!token) continue;
        const std::int64_t expires = integerOf(*token, "expires").value_or(0);
        table.add({countText(*token, "id"), countText(*token, "used"), countText(*token, "uses"),
                   timeWords(integerOf(*token, "created").value_or(0), wallNow()),
                   expires <= wallNow() ? "has expired" : timeWords(expires, wallNow()),
                   integerOf(*token, "max_cores") ? countText(*token, "max_cores") : "-"});
    }
    if (table.empty())
        fmt::print(stderr, "There are no join tokens: 'yardctl machines token' makes one.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> listedJoinTokens(const Invocation& invocation) {
    auto answer = invocation.engine.get("machines/tokens");
    if (!answer) return failedWith(answer.error());
    const json::array* tokens = arrayOf(answer->object, "tokens");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (tokens)
        showJoinTokens(*tokens);
    return 0;
}

/// The token alone is on stdout: it goes to the machine that is to join.
Outcome<int> newJoinToken(const Invocation& invocation) {
    json::object body;
    for (const auto& [option, member] : {std::pair{"uses", "uses"}, std::pair{"cores", "max_cores"}})
        if (const auto value = invocation.arguments.value(option)) {
            const auto number = parseInteger(*value, fmt::format("--{}", option));
            if (!number) return std::unexpected(number.error());
            body[member] = *number;
        }
    if (const auto expires = invocation.arguments.value("expires")) {
        const auto seconds = parseDuration(*expires);
        if (!seconds) return std::unexpected(seconds.error());
        body["expires_s"] = static_cast<std::int64_t>(std::ceil(std::min(*seconds, 1e12)));
    }
    auto answer = invocation.engine.post("machines/tokens", compactJson(body));
    if (!answer) return failedByWords(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    const std::string token = printable(textOf(answer->object, "token"));
    fmt::print("{}\n", token);
    fmt::print(stderr,
               "It is not shown again. On the machine that is to work for this engine:\n"
               "  yardmaster --headless --join {} --join-token {}\n",
               printable(textOf(answer->object, "url")), token);
    return 0;
}

Outcome<int> removedJoinToken(const Invocation& invocation, const std::string& word) {
    const auto id = parseInteger(word, "ID");
    if (!id) return std::unexpected(id.error());
    auto answer = invocation.engine.remove(fmt::format("machines/tokens/{}", *id));
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("join token {} is removed; machines that joined with it stay\n", *id);
    return 0;
}

// --- machines by their addresses

constexpr std::array<std::string_view, 4> kAddOptions{"machine-token", "fingerprint", "name", "install"};
/// A program may be copied over a slow line before there is an answer; the engine gives up earlier.
constexpr std::chrono::milliseconds kInstallSilence = std::chrono::minutes(12);

/// Of the file that was named; "-": stdin.
Outcome<std::string> machineToken(const std::string& path) {
    constexpr std::size_t kMost = 4'096;
    const auto text = readFile(path == "-" ? std::string("/dev/stdin") : path, kMost);
    if (!text) return failedWith(text.error());
    std::string token = *text;
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    return token;
}

/// What goes with the way that the address names: a token, or a program that is copied by ssh.
Outcome<json::object> wayOf(const Arguments& arguments, const std::string& address) {
    json::object body{{"address", address}};
    const auto file = arguments.value("machine-token");
    if (address.starts_with("ssh://")) {
        if (file)
            return usageError("--machine-token goes with https://: by ssh the keys of the engine's user decide");
        if (arguments.has("install")) body["install"] = true;
        return body;
    }
    if (arguments.has("install")) return usageError("--install copies by ssh: it goes with ssh://USER@HOST");
    if (!file)
        return usageError(
            "give --machine-token FILE, with a token of that machine's engine that has the right admin");
    auto token = machineToken(*file);
    if (!token) return std::unexpected(token.error());
    body["token"] = *token;
    return body;
}

Outcome<int> addedMachine(const Invocation& invocation, const std::vector<std::string>& words) {
    const Arguments& arguments = invocation.arguments;
    if (words.size() != 2)
        return usageError("name it by its address: yardctl machines add ssh://USER@HOST, or https://HOST:PORT "
                          "--machine-token FILE");
    auto way = wayOf(arguments, words[1]);
    if (!way) return std::unexpected(way.error());
    json::object& body = *way;
    for (const std::string_view option : {"fingerprint", "name"})
        if (const auto value = arguments.value(option)) body[option] = *value;
    if (const auto cores = arguments.value("cores")) {
        const auto number = parseInteger(*cores, "--cores");
        if (!number) return std::unexpected(number.error());
        body["max_cores"] = *number;
    }
    Call call{.method = "POST", .path = "machines", .body = compactJson(body)};
    if (arguments.has("install")) call.silence = kInstallSilence;
    auto answer = invocation.engine.call(call);
    if (!answer) return failedByWords(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        showMachines(json::array{answer->object});
    return 0;
}

/// 'token' makes one, 'tokens' lists them, 'tokens remove ID'.
Outcome<int> joinTokens(const Invocation& invocation, const std::vector<std::string>& words) {
    const bool makes = words.front() == "token";
    if (makes && words.size() > 1) return usageError("'token' makes one and takes no operand");
    if (makes) return newJoinToken(invocation);
    if (words.size() == 1) return listedJoinTokens(invocation);
    if (words.size() == 3 && words[1] == "remove") return removedJoinToken(invocation, words[2]);
    return usageError("name one by its number: yardctl machines tokens remove ID");
}

Outcome<int> machinesCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const std::string verb = words.empty() ? "ls" : words.front();
    const bool isOfTokens = verb == "token" || verb == "tokens";
    for (const std::string_view option : kTokenOptions)
        if (invocation.arguments.has(option) && verb != "token" && !(verb == "add" && option == "cores"))
            return usageError(fmt::format("--{} goes with 'token', which makes one", option));
    for (const std::string_view option : kAddOptions)
        if (invocation.arguments.has(option) && verb != "add")
            return usageError(fmt::format("--{} goes with 'add'", option));
    if (invocation.arguments.has("force") && (isOfTokens || verb == "add"))
        return usageError("--force goes with 'remove'");
    if (isOfTokens) return joinTokens(invocation, words);
    if (verb == "add") return addedMachine(invocation, words);
    if (std::ranges::find(kMachineVerbs, verb) == kMachineVerbs.end())
        return usageError(
            fmt::format("'{}' is none of add, ls, show, drain, resume, pause, hours, remove, token and tokens",
                        printable(verb)));
    const bool force = invocation.arguments.has("force");
    if (force && verb != "remove") return usageError("--force goes with 'remove'");
    if (verb == "ls") {
        if (words.size() > 1) return usageError("'ls' lists all; 'show' takes one");
        return listedMachines(invocation);
    }
    if (verb == "hours" && words.size() != 3)
        return usageError("say which: yardctl machines hours ID 'mon-fri 19:00-07:00', or always");
    if (verb != "hours" && words.size() != 2)
        return usageError(fmt::format("name one by its number or name: yardctl machines {} ID", verb));
    const auto id = numberOfMachine(invocation, words[1]);
    if (!id) return std::unexpected(id.error());
    auto answer =
        invocation.engine.call(verb == "hours" ? hoursCall(*id, words[2]) : callOfMachine(verb, *id, force));
    if (!answer) return verb == "hours" ? failedByWords(answer.error()) : failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (verb == "remove")
        fmt::print("{} is removed\n", printable(words[1]));
    else
        showMachines(json::array{answer->object});
    return 0;
}

} // namespace

Command machinesRow() {
    return {
        .name = "machines",
        .usage = "[ls | add URL --machine-token FILE | add ssh://USER@HOST [--install] | show ID | drain ID | "
                 "resume ID | pause ID | hours ID RULES | remove ID | "
                 "token [--uses N] [--expires TIME] | "
                 "tokens [remove ID]]",
        .summary = "what runs actions: this machine, and those that work for it",
        .details =
            "ID is a number or a name. 'drain' and 'pause' give a machine nothing new, until 'resume', which also "
            "lets one that was refused come again. 'remove' ends what a machine has only with --force; that runs "
            "elsewhere then.\n"
            "'hours' says when a machine gets work, by its own clock; outside them it drains. 'always' ends that.\n"
            "'add' has the machine of another engine work for this one, which links to it from now on; that engine "
            "has "
            "to run with --serve on. Without --fingerprint the one that it shows is told.\n"
            "With ssh:// an engine is started there by ssh, whose keys and known_hosts decide: 'ssh USER@HOST' has "
            "to "
            "work for the user of this engine without a question. --install first copies this engine's program "
            "there, "
            "where none is installed.\n"
            "'token' prints what lets another machine join this engine, with the line to type there; a machine "
            "needs it "
            "once, and comes back with a key of its own until it is removed. 'tokens' lists those that were made.",
        .examples = "yardctl machines\n"
                    "yardctl machines drain desk\n"
                    "yardctl machines hours desk 'mon-fri 19:00-07:00,sat-sun 00:00-24:00'\n"
                    "yardctl machines remove 2 --force\n"
                    "yardctl machines add https://desk:8640 --machine-token desk.token\n"
                    "yardctl machines add ssh://me@desk --install\n"
                    "yardctl machines token --uses 5 --expires 2h\n"
                    "yardctl machines tokens remove 1",
        .options = {{"force", 0, "", "remove it though it runs something, which is ended there"},
                    {"machine-token", 0, "FILE", "add: a token of that engine with the right admin; -: stdin"},
                    {"fingerprint", 0, "HEX", "add: the one that it has to show"},
                    {"name", 0, "NAME", "add: as it is called here"},
                    {"install", 0, "", "add, by ssh: copy the program there first"},
                    {"uses", 0, "N", "token: so many machines may join with it (default: 1)"},
                    {"expires", 0, "TIME", "token: it is valid for so long (default: a day)"},
                    {"cores", 0, "N", "token, add: each of them gets at most so many cores"}},
        .maxOperands = 3,
        .function = machinesCommand};
}

} // namespace yard::ctl
