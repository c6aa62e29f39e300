#include "app/yardctl/action_view.h"

#include "app/yardctl/format.h"
#include "core/base/clock.h"
#include "core/model/result.h"
#include "core/model/states.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace {

std::string reasonWords(const json::object& action) {
    const std::string_view reason = textOf(action, "reason");
    const auto signal = integerOf(action, "signal");
    const auto exitCode = integerOf(action, "exit_code");
    if (reason == "exit_code" && exitCode) return fmt::format("exit code {}", *exitCode);
    if (reason == "signal" && signal) return fmt::format("killed by {}", signalName(static_cast<int>(*signal)));
    std::string out = printable(reason);
    std::ranges::replace(out, '_', ' ');
    return out;
}

/// What the note says in the same words as the reason, with what follows it; empty: nothing.
std::string repeatedWords(const json::object& action) {
    std::string why = reasonWords(action);
    const std::string_view note = textOf(action, "note");
    if (why.empty() || !note.starts_with(why)) return {};
    if (note.size() == why.size()) return why;
    const std::string_view rest = note.substr(why.size());
    return rest.starts_with("; ") || rest.starts_with(": ") ? why + std::string(rest.substr(0, 2)) : std::string();
}

/// "told to end at 09:45:31, SIGKILL follows at 09:45:33": the times stand behind the parts of the message.
std::string endingWords(const std::string& message, std::int64_t since, std::optional<std::int64_t> until,
                        std::int64_t now) {
    const std::size_t comma = std::min(message.find(", "), message.size());
    std::string out = fmt::format("{} at {}", message.substr(0, comma), timeWords(since, now));
    if (comma < message.size()) out += message.substr(comma);
    return until && *until > 0 ? fmt::format("{} at {}", out, timeWords(*until, now)) : out;
}

/// "PATH (/usr/local/bin:/usr/bin:…)".
std::string withShortPath(std::string note) {
    constexpr std::string_view kBegin = "in PATH (";
    constexpr std::size_t kMost = 40; ///< columns
    const std::size_t begin = note.find(kBegin);
    if (begin == std::string::npos) return note;
    const std::size_t list = begin + kBegin.size();
    const std::size_t end = note.find(')', list);
    if (end == std::string::npos) return note;
    return note.replace(list, end - list, fitted(std::string_view(note).substr(list, end - list), kMost));
}

} // namespace

std::string_view textOf(const json::object& object, std::string_view key) {
    const json::value* v = object.if_contains(key);
    if (!v || !v->is_string()) return {};
    return v->get_string();
}

std::optional<std::int64_t> integerOf(const json::object& object, std::string_view key) {
    const json::value* v = object.if_contains(key);
    if (!v || !v->is_int64()) return std::nullopt;
    return v->get_int64();
}

std::string countText(const json::object& object, std::string_view key) {
    return fmt::format("{}", integerOf(object, key).value_or(0));
}

std::optional<double> numberOf(const json::object& object, std::string_view key) {
    const json::value* v = object.if_contains(key);
    if (!v || !v->is_number()) return std::nullopt;
    return v->to_number<double>();
}

bool isTrue(const json::object& object, std::string_view key) {
    const json::value* v = object.if_contains(key);
    return v && v->is_bool() && v->get_bool();
}

const json::object* objectOf(const json::object& object, std::string_view key) {
    const json::value* v = object.if_contains(key);
    return v ? v->if_object() : nullptr;
}

const json::array* arrayOf(const json::object& object, std::string_view key) {
    const json::value* v = object.if_contains(key);
    return v ? v->if_array() : nullptr;
}

bool isCut(const json::object& stream) {
    return isTrue(stream, "truncated");
}

bool isReplaced(const json::object& action) {
    return action.contains("replaced") || action.contains("replaced_by");
}

bool isEnded(const json::object& action) {
    constexpr std::array<std::string_view, 4> kEnds = {"completed", "failed", "abandoned", "cancelled"};
    return std::ranges::find(kEnds, textOf(action, "state")) != kEnds.end();
}

std::int64_t attemptNumber(const json::object& action) {
    return integerOf(action, "retry_count").value_or(0) + 1;
}

std::string stateWords(const json::object& action) {
    std::string state = printable(textOf(action, "state"));
    if (state == "pending") {
        if (isTrue(action, "held")) return "pending: held";
        if (const auto at = integerOf(action, "retry_at"); at && *at > 0)
            return fmt::format("pending: retry at {}", timeWords(*at, wallNow()));
        return state;
    }
    if (textOf(action, "ending") == "cancelled") return "cancelling";
    if (state == "completed" || state == textOf(action, "reason")) return state;
    const json::object* estimate = isEnded(action) ? nullptr : objectOf(action, "estimate");
    if (estimate && textOf(*estimate, "unknown") == "overdue") return state + ": overdue";
    const std::string why = reasonWords(action);
    return why.empty() ? state : fmt::format("{}: {}", state, why);
}

std::string noteWords(const json::object& action) {
    std::string note = withShortPath(printable(textOf(action, "note").substr(repeatedWords(action).size())));
    if (!isReplaced(action)) return note;
    const auto by = integerOf(action, "replaced_by");
    return fmt::format("replaced{}{}{}", by ? fmt::format(" by {}", *by) : "", note.empty() ? "" : "; ", note);
}

std::string lastCommentWords(const json::object& action) {
    const json::object* comments = objectOf(action, "comments");
    const json::object* last = comments ? objectOf(*comments, "last") : nullptr;
    if (!last) return "-";
    std::string text(textOf(*last, "text"));
    std::ranges::replace(text, '\n', ' ');
    return printable(fmt::format("{}: {}", textOf(*last, "by"), text));
}

std::string endWords(const json::object& action) {
    const std::string note = noteWords(action);
    if (note.empty()) return stateWords(action);
    return fmt::format("{}{}{}", stateWords(action), repeatedWords(action).empty() ? ": " : "; ", note);
}

std::string gapWords(const json::object& actionOrQueue) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWords{
        {{"no_history", "nothing like it has completed here"},
         {"held", "it is held"},
         {"session", "the session starts nothing"},
         {"dependency", "it waits for other actions"},
         {"lock", "another engine has its lock"},
         {"overdue", "it takes longer than usual"},
         {"waits_for_unknown", "what has to end first has no known end"}}};
    const json::object* estimate = objectOf(actionOrQueue, "estimate");
    const auto unknown = estimate ? textOf(*estimate, "unknown") : std::string_view();
    const auto* known = std::ranges::find(kWords, unknown, &std::pair<std::string_view, std::string_view>::first);
    return known == kWords.end() ? printable(unknown) : std::string(known->second);
}

std::string finishWords(const json::object& queue, std::int64_t now) {
    const json::object* estimate = objectOf(queue, "estimate");
    if (!estimate) return "-";
    if (const auto finish = integerOf(*estimate, "finish"))
        return durationWords(static_cast<double>(std::max<std::int64_t>(*finish - now, 0)) / 1e6);
    std::string why = printable(textOf(*estimate, "unknown"));
    std::ranges::replace(why, '_', ' ');
    return why.empty() ? "-" : why;
}

std::string whatWords(const json::object& action) {
    if (const auto name = textOf(action, "name"); !name.empty()) return printable(name);
    // An engine from before says no name.
    if (const auto label = textOf(action, "label"); !label.empty()) return printable(label);
    const auto function = textOf(action, "function");
    const auto worker = textOf(action, "worker_name");
    if (!function.empty()) return printable(fmt::format("{}:{}", worker, function));
    return printable(worker.empty() ? textOf(action, "worker") : worker);
}

/// "14000 MiB of memory", "1 core"; without a unit where it is not known.
static std::string amountWords(double amount, std::string_view resource) {
    if (resource.empty()) return fmt::format("{:.10g}", amount);
    if (resource == "memory_mb") return fmt::format("{:.10g} MiB of memory", amount);
    return fmt::format("{:.10g} {}", amount, resource == "cores" && amount == 1 ? "core" : printable(resource));
}

std::string waitMessage(const json::object& wait) {
    std::string message = printable(textOf(wait, "message"));
    const double need = numberOf(wait, "need").value_or(0);
    const std::string_view resource = textOf(wait, "resource");
    if (textOf(wait, "kind") != "capacity" || need <= 0 || resource == "slots") return message;
    const std::string free =
        fmt::format(" {} free", resource == "memory_mb" ? "MiB of memory" : printable(resource));
    const std::size_t at = message.find(free);
    // Others begin with a sentence about processes.
    if (at == std::string::npos || message.find_first_not_of("0123456789. of") < at) return message;
    return fmt::format("needs {}, {} free{}", amountWords(need, resource), message.substr(0, at),
                       message.substr(at + free.size()));
}

/// Who has most of what it lacks, a line each.
static std::string capacityHolderWords(const json::object& wait) {
    std::string out;
    const json::array* holders = arrayOf(wait, "holders");
    if (!holders) return out;
    for (const json::value& value : *holders) {
        const json::object* holder = value.if_object();
        if (!holder) continue;
        const auto lsn = integerOf(*holder, "lsn");
        const std::string name = printable(textOf(*holder, "name"));
        out += fmt::format("  {:<10}  {} held by {}{}{}\n", "",
                           amountWords(numberOf(*holder, "amount").value_or(0), textOf(wait, "resource")),
                           lsn ? fmt::format("action {}", *lsn) : name, lsn && !name.empty() ? ", " : "",
                           lsn ? name : "");
    }
    return out;
}

std::string waitWords(const json::object& why, std::int64_t now) {
    std::string out;
    const json::array* waits = arrayOf(why, "waits");
    if (!waits) return out;
    for (const json::value& value : *waits) {
        const json::object* wait = value.if_object();
        if (!wait) continue;
        std::string message = waitMessage(*wait);
        const auto until = integerOf(*wait, "until");
        if (const auto since = integerOf(*wait, "since"); since && *since > 0)
            message = textOf(*wait, "kind") == "ending"
                          ? endingWords(message, *since, until, now)
                          : fmt::format("{}, since {}", message, timeWords(*since, now));
        else if (until && *until > 0)
            message += fmt::format(", until {}", timeWords(*until, now));
        if (const auto state = textOf(*wait, "state"); !state.empty())
            message += fmt::format(" ({} now)", printable(state));
        out += fmt::format("  {:<10}  {}\n", printable(textOf(*wait, "kind")), message);
        out += capacityHolderWords(*wait);
    }
    return out;
}

std::optional<double> runSeconds(const json::object& action) {
    const json::object* times = objectOf(action, "timestamps");
    if (!times) return std::nullopt;
    auto begin = integerOf(*times, "running");
    if (!begin && !isEnded(action)) begin = integerOf(*times, "submitting"); // else it never ran
    if (!begin) return std::nullopt;
    auto end = integerOf(*times, "exited");
    // When it ended nobody saw: its end is on record since the next start of the engine.
    if (!end && textOf(action, "reason") == "engine_died") return std::nullopt;
    if (!end && isEnded(action)) end = integerOf(*times, textOf(action, "state"));
    if (!end && isEnded(action)) return std::nullopt;
    return static_cast<double>(end.value_or(wallNow()) - *begin) / 1e6;
}

std::optional<double> waitedSeconds(const json::object& action) {
    const json::object* times = objectOf(action, "timestamps");
    const auto created = times ? integerOf(*times, "new") : std::nullopt;
    if (!created) return std::nullopt;
    const auto at = [times](std::string_view state) { return integerOf(*times, state).value_or(0); };
    const auto [from, until] =
        waitingTime(*created, at("pending"), at("submitting"), isEnded(action) ? at(textOf(action, "state")) : 0);
    return static_cast<double>((until != 0 ? until : wallNow()) - from) / 1e6;
}

std::string measureWords(const json::object& action, const MeasureInfo& info) {
    const auto value = numberOf(action, info.name);
    if (!value) return "-";
    if (info.unit == MeasureUnit::Microseconds) return durationWords(*value);
    return *value > 0 ? sizeWords(static_cast<std::uint64_t>(*value)) : "-";
}

std::string loadWords(const json::object& action) {
    const json::object* usage = isEnded(action) ? nullptr : objectOf(action, "usage");
    const auto percent = usage ? numberOf(*usage, "cpu_percent") : std::nullopt;
    return percent ? fmt::format("{:.0f} %", *percent) : "-";
}

bool wasInterrupted(const json::object& action) {
    const auto reason = reasonFrom(textOf(action, "reason"));
    return isEnded(action) && reason && isInterruption(*reason) && *reason != Reason::SpawnError;
}

bool endedBeforeItRan(const json::object& action) {
    if (!isEnded(action) || textOf(action, "state") == "completed") return false;
    const json::array* attempts = arrayOf(action, "attempts");
    return !attempts || attempts->empty();
}

int shellExitCode(const json::object& action) {
    constexpr int kSignalBase = 128;
    if (textOf(action, "state") == "completed") return 0;
    if (textOf(action, "reason") == "deadline") return kExitDeadline;
    if (wasInterrupted(action)) return kExitNotRun;
    if (const auto code = integerOf(action, "exit_code"); code && *code > 0) return static_cast<int>(*code & 0xff);
    if (const auto signal = integerOf(action, "signal"); signal && *signal > 0)
        return kSignalBase + static_cast<int>(*signal & 0x7f);
    return textOf(action, "reason") == "spawn_error" ? kExitNotRun : kExitFailed;
}

std::string signalName(int number) {
    const char* abbreviation = ::sigabbrev_np(number);
    return abbreviation ? fmt::format("SIG{}", abbreviation) : fmt::format("signal {}", number);
}

std::string givenWords(const json::object& action) {
    const json::object* given = objectOf(action, "resources_given");
    std::string words;
    if (!given) return words;
    for (const auto& [resource, names] : *given) {
        if (!names.is_array()) continue;
        words += fmt::format("{}{} ", words.empty() ? "" : " ", printable(resource));
        bool isFirst = true;
        for (const json::value& name : names.get_array()) {
            if (name.is_string()) words += fmt::format("{}{}", isFirst ? "" : ",", printable(name.get_string()));
            isFirst = false;
        }
    }
    return words;
}

} // namespace yard::ctl
