// yardctl show: what became of actions.
#include "app/yardctl/action_progress.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/work_options.h"
#include "core/base/clock.h"
#include "core/model/action_name.h"
#include "core/model/states.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <tuple>

namespace yard::ctl {

namespace {

class Details {
public:
    void add(std::string_view name, const std::string& value) {
        if (!value.empty()) fmt::print("{:<12} {}\n", name, value);
    }
};

std::string chunkWords(const json::object& holder, std::string_view stream) {
    const json::object* chunk = objectOf(holder, stream);
    if (!chunk) return {};
    const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(integerOf(*chunk, "size").value_or(0), 0));
    return sizeWords(size) +
           (isCut(*chunk) ? ", cut: it was longer than the setting stream_bytes, and its middle is left out" : "");
}

/// States in the order they were entered: "new 09:45:31, pending +0.00 s, running +0.12 s, …".
std::string historyWords(const json::object& action) {
    const json::object* times = objectOf(action, "timestamps");
    if (!times) return {};
    // States entered in the same microsecond stay in the order the engine gave them.
    std::vector<std::tuple<std::int64_t, std::size_t, std::string>> entered;
    for (const auto& [state, at] : *times)
        if (at.is_int64()) entered.emplace_back(at.get_int64(), entered.size(), printable(state));
    std::ranges::sort(entered);
    std::string out;
    for (const auto& [at, order, state] : entered) {
        if (out.empty())
            out = fmt::format("{} {}", state, timeWords(at, wallNow()));
        else
            out += fmt::format(", {} +{}", state,
                               durationWords(static_cast<double>(at - std::get<0>(entered.front())) / 1e6));
    }
    return out;
}

/// Where the time of the last attempt went: "waiting 2 s, preparing 10 ms, running 3 s, collecting 20 ms".
std::string splitWords(const json::object& action) {
    const json::object* times = objectOf(action, "timestamps");
    if (!times) return {};
    const auto ended = isEnded(action) ? integerOf(*times, textOf(action, "state")) : std::nullopt;
    const std::array<std::pair<std::string_view, std::optional<std::int64_t>>, 4> parts = {
        {{"waiting", integerOf(*times, "pending")},
         {"preparing", integerOf(*times, "submitting")},
         {"running", integerOf(*times, "running")},
         {"collecting", integerOf(*times, "exited")}}};
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto begin = parts[i].second;
        const auto end = i + 1 < parts.size() ? parts[i + 1].second : ended;
        if (!begin || !end || *end < *begin) continue;
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", parts[i].first,
                           durationWords(static_cast<double>(*end - *begin) / 1e6));
    }
    return out;
}

/// "starts 09:45:31, ends 09:50:02", or why nobody knows.
std::string estimateWords(const json::object& action) {
    const json::object* estimate = objectOf(action, "estimate");
    if (!estimate || isEnded(action)) return {};
    std::string out;
    if (const auto start = integerOf(*estimate, "start"); start && textOf(action, "state") == "pending")
        out = fmt::format("starts {}", timeWords(*start, wallNow()));
    if (const auto finish = integerOf(*estimate, "finish"))
        out += fmt::format("{}ends {}", out.empty() ? "" : ", ", timeWords(*finish, wallNow()));
    if (const std::string gap = gapWords(action); out.empty() && !gap.empty()) out = "end not known: " + gap;
    return out;
}

/// How many of its attempts but the last one were none of its own failures: it was begun again after them.
std::int64_t interruptionsOf(const json::object& action) {
    const std::int64_t again = integerOf(action, "retry_count").value_or(0);
    std::int64_t count = 0;
    const json::array* attempts = arrayOf(action, "attempts");
    for (const json::value& value : attempts ? *attempts : json::array()) {
        const json::object* attempt = value.if_object();
        const auto reason = attempt ? reasonFrom(textOf(*attempt, "reason")) : std::nullopt;
        if (reason && isInterruption(*reason) && integerOf(*attempt, "n").value_or(0) <= again) ++count;
    }
    return std::min(count, again);
}

void showAttempts(const json::object& action) {
    const json::array* attempts = arrayOf(action, "attempts");
    if (!attempts || attempts->empty()) return;
    fmt::print("attempts\n");
    for (const json::value& value : *attempts) {
        const json::object* attempt = value.if_object();
        if (!attempt) continue;
        const auto seconds = runSeconds(*attempt);
        const std::string machine = printable(textOf(*attempt, "machine"));
        fmt::print("  {:>2}  {}{}{}{}{}\n", integerOf(*attempt, "n").value_or(0), stateWords(*attempt),
                   seconds ? "  " : "", seconds ? durationWords(*seconds) : "", machine.empty() ? "" : "  on ",
                   machine);
        // That of the last one is the action's mostly.
        if (textOf(*attempt, "note") != textOf(action, "note"))
            if (const std::string note = noteWords(*attempt); !note.empty()) fmt::print("      {}\n", note);
    }
}

void showNamed(const json::object& action) {
    if (const json::object* outputs = objectOf(action, "outputs"); outputs && !outputs->empty()) {
        fmt::print("outputs\n");
        for (const auto& [name, value] : *outputs) {
            const json::object* chunk = value.if_object();
            if (!chunk) continue;
            const auto size =
                static_cast<std::uint64_t>(std::max<std::int64_t>(integerOf(*chunk, "size").value_or(0), 0));
            fmt::print("  {:>9}  {}\n", sizeWords(size), printable(name));
        }
    }
    if (const json::array* denied = arrayOf(action, "denied"); denied && !denied->empty()) {
        fmt::print("denied\n");
        for (const json::value& value : *denied)
            if (const json::object* d = value.if_object())
                fmt::print("  {}  {}\n", printable(textOf(*d, "what")), printable(textOf(*d, "path")));
    }
}

/// What a pending action waits for, a line each. Empty: it is not pending, or the engine does not say.
std::string waitWordsOf(const Invocation& invocation, const json::object& action) {
    if (textOf(action, "state") != "pending") return {};
    const auto answer = invocation.engine.get(fmt::format("jobs/{}/why", integerOf(action, "lsn").value_or(0)));
    const std::string waits = answer ? waitWords(answer->object, wallNow()) : std::string();
    return waits.empty() ? waits : "waits for\n" + waits;
}

/// What it runs, as it would be typed; of an element with its index. Empty: it is no command, or that is not kept.
std::string commandWordsOf(const json::object& spec) {
    constexpr std::size_t kMost = 4'096;
    const json::array* words = arrayOf(spec, "argv");
    if (!words) return {};
    std::vector<std::string> argv;
    for (const json::value& word : *words)
        if (word.is_string()) argv.emplace_back(word.get_string());
    std::string command = commandName(argv, kMost);
    const json::object* array = objectOf(spec, "array");
    if (const auto index = array ? integerOf(*array, "from") : std::nullopt)
        command = elementName(std::move(command), *index, kMost);
    return printable(command);
}

/// Of one that runs as it is now, else as it was asked for.
std::string terminalWords(const json::object& action, const json::object& spec) {
    const json::object* size = objectOf(action, "tty");
    if (!size) size = objectOf(spec, "tty");
    if (!size) return {};
    return fmt::format("{} rows, {} columns", integerOf(*size, "rows").value_or(0),
                       integerOf(*size, "cols").value_or(0));
}

/// What people ask first, first: what it runs and where, how it is, and why. `waits` in place of the note, which is
/// the first of them.
void showAction(const json::object& action, const json::object& spec, const std::string& waits) {
    Details details;
    details.add("action", fmt::format("{}", integerOf(action, "lsn").value_or(0)));
    details.add("command", commandWordsOf(spec));
    details.add("directory", printable(textOf(spec, "cwd")));
    details.add("terminal", terminalWords(action, spec));
    details.add("state", stateWords(action));
    if (waits.empty()) details.add("note", printable(textOf(action, "note")));
    details.add("progress", progressWords(action));
    if (const auto by = integerOf(action, "replaced_by"))
        details.add("replaced by", fmt::format("{}", *by));
    else if (isReplaced(action))
        details.add("replaced by", "one that was retired since");
    fmt::print("{}", waits);
    details.add("mark", printable(textOf(action, "mark")));
    details.add("label", printable(textOf(action, "label")));
    details.add("id", printable(textOf(action, "id")));
    details.add("worker", printable(textOf(action, "worker_name")));
    details.add("function", printable(textOf(action, "function")));
    details.add("queue", fmt::format("{}", integerOf(action, "queue_id").value_or(0)));
    if (const auto place = integerOf(action, "place"))
        details.add("place", fmt::format("{}, of what waits in its queue", *place));
    if (const auto priority = integerOf(action, "priority"); priority && *priority != 0)
        details.add("priority", fmt::format("{}", *priority));
    details.add("machine", printable(textOf(action, "machine")));
    details.add("given", givenWords(action));
    if (const auto tokens = integerOf(action, "tokens"))
        details.add("tokens", fmt::format("{} of its jobserver", *tokens));
    details.add("history", historyWords(action));
    details.add("time", splitWords(action));
    details.add("about", estimateWords(action));
    if (const auto since = integerOf(action, "hung_since"))
        details.add("hangs since", timeWords(*since, wallNow()));
    if (const auto seconds = runSeconds(action)) details.add("ran for", durationWords(*seconds));
    for (const MeasureInfo& info : kMeasureTable)
        if (const auto value = numberOf(action, info.name);
            value && (*value > 0 || info.unit == MeasureUnit::Microseconds))
            details.add(info.label, measureWords(action, info));
    const std::int64_t interrupted = interruptionsOf(action);
    if (const auto retries = integerOf(action, "retry_count").value_or(0) - interrupted; retries > 0)
        details.add("retries", fmt::format("{}", retries));
    if (interrupted > 0) details.add("begun again", fmt::format("{}", interrupted));
    details.add("stdout", chunkWords(action, "stdout"));
    details.add("stderr", chunkWords(action, "stderr"));
    if (const json::value* result = action.if_contains("result"))
        details.add("result", printable(compactJson(*result)));
    showAttempts(action);
    showNamed(action);
}

Outcome<int> showCommand(const Invocation& invocation) {
    const auto lsns = namedActions(invocation.engine, invocation.arguments.operands());
    if (!lsns) return std::unexpected(lsns.error());
    for (bool first = true; const std::int64_t lsn : *lsns) {
        auto answer = invocation.engine.get(fmt::format("jobs/{}", lsn));
        if (!answer) return failedWith(answer.error());
        if (invocation.json) {
            fmt::print("{}\n", answer->text);
        } else {
            if (!std::exchange(first, false)) fmt::print("\n");
            // Of one that is not kept any more nothing is shown.
            const auto spec = invocation.engine.get(fmt::format("jobs/{}/spec?element=1", lsn));
            showAction(answer->object, spec ? spec->object : json::object(),
                       waitWordsOf(invocation, answer->object));
            if (answer->object.contains("comments")) showComments(invocation.engine, fmt::format("jobs/{}", lsn));
        }
        if (auto saved = saveIfAsked(invocation, answer->object); !saved) return std::unexpected(saved.error());
    }
    return 0;
}

} // namespace

Command showRow() {
    return {.name = "show",
            .usage = "[options] LSN…",
            .summary = "everything known of an action",
            .details = "What it runs and where, how it is and why, when it was in which state, and what it used.",
            .examples = "yardctl show 12\n"
                        "yardctl show --json 12 | jq .exit_code",
            .options = {outOption()},
            .minOperands = 1,
            .function = showCommand};
}

} // namespace yard::ctl
