// yardctl session: the engine's service state, and its moves.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/confirm.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"

#include <array>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

void factLine(std::string_view name, const std::string& value) {
    if (!value.empty()) fmt::print("{:<12} {}\n", name, value);
}

/// A scalar as it reads, an object as "a 1, b 2".
std::string words(const json::value& value) {
    if (value.is_string()) return printable(value.get_string());
    if (value.is_bool()) return value.get_bool() ? "yes" : "no";
    if (const json::object* object = value.if_object()) {
        std::string out;
        for (const auto& [key, member] : *object)
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", printable(key), words(member));
        return out;
    }
    return printable(compactJson(value));
}

/// "13 actions of one core, 8 others, 6 warm processes: …".
std::string slotWords(const json::object& slots) {
    const auto count = [&](std::string_view key) { return integerOf(slots, key).value_or(0); };
    const std::string why = printable(textOf(slots, "why"));
    return fmt::format("{} action{} of one core, {} others, {} warm processes{}{}", count("one_core"),
                       count("one_core") == 1 ? "" : "s", count("other"), count("warm"), why.empty() ? "" : ": ",
                       why);
}

/// "3 of 4 cores, 512 of 14,000 memory_mb": of what there is some of.
std::string takenWords(const json::object& machine) {
    const json::object* taken = objectOf(machine, "taken");
    const json::object* all = objectOf(machine, "resources");
    std::string out;
    for (const auto& [name, amount] : all ? *all : json::object()) {
        const auto used = taken ? numberOf(*taken, name) : std::nullopt;
        const auto total = numberOf(*all, name);
        if (used && total && *total > 0)
            out += fmt::format("{}{:g} of {:g} {}", out.empty() ? "" : ", ", *used, *total, printable(name));
    }
    return out;
}

/// "aws, c5.large in eu-west-1, spot; is taken away (terminate)"
std::string cloudWords(const json::object& cloud) {
    std::string text = printable(textOf(cloud, "provider"));
    if (const std::string type = printable(textOf(cloud, "type")); !type.empty()) text += ", " + type;
    if (const std::string region = printable(textOf(cloud, "region")); !region.empty()) text += " in " + region;
    if (isTrue(cloud, "spot")) text += ", spot";
    if (const json::object* notice = objectOf(cloud, "notice"))
        text += fmt::format("; {} ({})", isTrue(*notice, "certain") ? "is taken away" : "may be taken away soon",
                            printable(textOf(*notice, "what")));
    return text;
}

void showSession(const json::object& session) {
    const auto member = [&](std::string_view name, std::string_view key) {
        if (const json::value* value = session.if_contains(key)) factLine(name, words(*value));
    };
    member("state", "state");
    member("healthy", "healthy");
    if (const std::string why = printable(textOf(session, "why")); !why.empty())
        factLine("", "nothing starts: " + why);
    member("version", "version");
    member("engine", "engine_id");
    member("run", "run_id");
    member("actions", "counts");
    if (session.contains("counts")) factLine("", "what has ended counts since the data directory was made");
    member("capacity", "capacity");
    if (const json::object* slots = objectOf(session, "slots")) factLine("at once", slotWords(*slots));
    if (const json::object* machine = objectOf(session, "machine")) {
        std::string text = printable(textOf(*machine, "name"));
        if (const auto cores = integerOf(*machine, "cores")) text += fmt::format(", {} cores", *cores);
        if (const auto memory = integerOf(*machine, "memory_bytes"); memory && *memory > 0)
            text += fmt::format(", {}", sizeWords(static_cast<std::uint64_t>(*memory)));
        factLine("machine", text);
        factLine("taken", takenWords(*machine));
    }
    if (const json::object* cloud = objectOf(session, "cloud")) factLine("cloud", cloudWords(*cloud));
    if (const json::object* sandbox = objectOf(session, "sandbox")) {
        json::object facts = *sandbox;
        const std::string why = printable(textOf(facts, "why"));
        for (const char* told : {"why", "holds", "parts", "notes"}) facts.erase(told);
        factLine("sandbox", words(facts) + (why.empty() ? "" : ": ") + why);
    }
}

int showWaiting(const json::object& waiting) {
    const json::value* reasons = waiting.if_contains("reasons");
    if (!reasons || !reasons->is_array() || reasons->get_array().empty()) {
        fmt::print("nothing waits\n");
        return 0;
    }
    Table table({{"ACTIONS", true}, {"QUEUE", true, kWhole, 2}, {"REASON", false, 20}, {"FILTER", false, 12, 1}});
    for (const json::value& value : reasons->get_array()) {
        const json::object* row = value.if_object();
        if (!row) continue;
        const json::object* wait = objectOf(*row, "wait");
        const auto queue = integerOf(*row, "queue_id");
        table.add({fmt::format("{}", integerOf(*row, "count").value_or(0)), queue ? fmt::format("{}", *queue) : "",
                   wait ? waitMessage(*wait) : "", printable(textOf(*row, "filter"))});
    }
    fmt::print("{}", table.text(terminalWidth()));
    if (const auto others = integerOf(waiting, "others"); others && *others > 0)
        fmt::print("{} more for other reasons\n", *others);
    return 0;
}

/// Of moves that only a restart takes back, and that stop work: empty for others.
std::string_view questionOf(std::string_view move) {
    if (move == "pause") return "pause the session until the engine is restarted? 'hold --all' can be taken back.";
    if (move == "abandon") return "abandon all that is pending or running, until the engine is restarted?";
    return {};
}

} // namespace

std::string_view standstillWords(std::string_view state) {
    if (state == "draining") return ": it takes no new actions until the engine is restarted";
    if (state == "paused" || state == "abandoned") return ": nothing starts until the engine is restarted";
    return {};
}

namespace {

Outcome<int> sessionCommand(const Invocation& invocation) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMoves = {
        {{"drain", "session/drain"},
         {"pause", "session/pause"},
         {"abandon", "abandon"},
         {"sunset", "session/sunset"}}};
    const auto& operands = invocation.arguments.operands();
    if (operands.empty()) {
        auto answer = invocation.engine.get("session");
        if (!answer) return failedWith(answer.error());
        if (invocation.json)
            fmt::print("{}\n", answer->text);
        else
            showSession(answer->object);
        return 0;
    }
    if (operands.front() == "waiting") {
        auto answer = invocation.engine.get("session/waiting");
        if (!answer) return failedWith(answer.error());
        if (!invocation.json) return showWaiting(answer->object);
        fmt::print("{}\n", answer->text);
        return 0;
    }
    for (const auto& [move, path] : kMoves) {
        if (operands.front() != move) continue;
        if (const std::string_view question = questionOf(move);
            !question.empty() && !isMeant(invocation.arguments, question))
            return failed("nothing was done");
        auto answer = invocation.engine.post(std::string(path));
        if (!answer) return failedWith(answer.error());
        const auto state = textOf(answer->object, "state");
        if (invocation.json)
            fmt::print("{}\n", answer->text);
        else
            fmt::print("the session is {}{}\n", state.empty() ? fmt::format("asked to {}", move) : printable(state),
                       standstillWords(state));
        return 0;
    }
    return usageError(fmt::format("a session cannot '{}'; it knows waiting, drain, pause, abandon and sunset",
                                  printable(operands.front())));
}

} // namespace

Command sessionRow() {
    return {.name = "session",
            .usage = "[options] [waiting|drain|pause|abandon|sunset]",
            .summary = "state of the engine, and its moves",
            .details =
                "Without a word it shows the state. Of its actions those that have ended count since the data "
                "directory was made, also when they are no longer kept; the others are there now.\n"
                "  waiting   why pending actions have not started, counted by reason\n"
                "  drain     no new work, the rest runs to its end\n"
                "  pause     nothing new, nothing starts, running actions finish\n"
                "  abandon   pending and running actions are abandoned at once\n"
                "  sunset    tear down and end, as by TERM\n"
                "Only a restart of the engine takes back drain, pause, abandon and sunset. 'hold --all' is a "
                "pause that 'release --all' takes back. On a terminal pause and abandon ask first.",
            .examples = "yardctl session\n"
                        "yardctl session waiting\n"
                        "yardctl session drain\n"
                        "yardctl session --yes abandon",
            .options = {{"yes", 'y', "", "pause, abandon: do not ask"}},
            .maxOperands = 1,
            .function = sessionCommand,
            .alias = "status"};
}

} // namespace yard::ctl
