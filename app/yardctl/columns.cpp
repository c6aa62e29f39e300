#include "app/yardctl/columns.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/fold_view.h"
#include "core/base/nearest.h"
#include "core/model/result.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace {

std::string number(const json::object& action, std::string_view key) {
    const auto value = integerOf(action, key);
    return value ? fmt::format("{}", *value) : "-";
}

template<const char* Key>
std::string numberCell(const json::object& action, std::int64_t /*now*/) {
    return number(action, Key);
}

template<const char* Key>
std::string textCell(const json::object& action, std::int64_t /*now*/) {
    const std::string_view text = textOf(action, Key);
    return text.empty() ? "-" : printable(text);
}

std::string timeCellOf(std::optional<std::int64_t> at, std::int64_t now) {
    return at && *at > 0 ? timeWords(*at, now) : "-";
}

std::optional<std::int64_t> timestamp(const json::object& action, std::string_view state) {
    const json::object* times = objectOf(action, "timestamps");
    return times ? integerOf(*times, state) : std::nullopt;
}

/// When it entered this state last.
template<const char* State>
std::string timeCell(const json::object& action, std::int64_t now) {
    return timeCellOf(timestamp(action, State), now);
}

template<const char* Key>
std::string momentCell(const json::object& action, std::int64_t now) {
    return timeCellOf(integerOf(action, Key), now);
}

/// When its program began to run; of one that is being started, when that began.
std::string startedCell(const json::object& action, std::int64_t now) {
    if (const auto first = foldStarted(action)) return timeCellOf(first, now);
    const auto running = timestamp(action, "running");
    return timeCellOf(running || isEnded(action) ? running : timestamp(action, "submitting"), now);
}

std::optional<std::int64_t> finishedAt(const json::object& action) {
    return isEnded(action) ? timestamp(action, textOf(action, "state")) : std::nullopt;
}

std::string waitedCell(const json::object& action, std::int64_t /*now*/) {
    const auto seconds = waitedSeconds(action);
    return seconds ? durationWords(*seconds) : "-";
}

std::string runtimeCell(const json::object& action, std::int64_t /*now*/) {
    const auto seconds = runSeconds(action);
    return seconds ? durationWords(*seconds) : "-";
}

std::string workerCell(const json::object& action, std::int64_t /*now*/) {
    const auto name = textOf(action, "worker_name");
    const std::string out = printable(name.empty() ? textOf(action, "worker") : name);
    return out.empty() ? "-" : out;
}

std::string heldCell(const json::object& action, std::int64_t /*now*/) {
    const json::value* held = action.if_contains("held");
    return held && held->is_bool() ? held->get_bool() ? "yes" : "no" : "-";
}

std::string signalCell(const json::object& action, std::int64_t /*now*/) {
    const auto signal = integerOf(action, "signal");
    return signal ? signalName(static_cast<int>(*signal)) : "-";
}

std::string lsnCell(const json::object& action, std::int64_t /*now*/) {
    return foldLsns(action).value_or(number(action, "lsn"));
}

constexpr char kIndex[] = "index";

/// Of an array as one row its elements have one each.
std::string indexCell(const json::object& action, std::int64_t now) {
    return isFolded(action) ? "-" : numberCell<kIndex>(action, now);
}

std::string triesCell(const json::object& action, std::int64_t /*now*/) {
    const auto state = actionStateFrom(textOf(action, "state")).value_or(ActionState::New);
    const auto retries = static_cast<std::int32_t>(integerOf(action, "retry_count").value_or(0));
    return fmt::format("{}", triesOf(state, retries, timestamp(action, "submitting").value_or(0)));
}

constexpr char kQueue[] = "queue_id";
constexpr char kFunction[] = "function";
constexpr char kLabel[] = "label";
constexpr char kReason[] = "reason";
constexpr char kExitCode[] = "exit_code";
constexpr char kRetryCount[] = "retry_count";
constexpr char kPriority[] = "priority";
constexpr char kMachine[] = "machine";
constexpr char kMark[] = "mark";
constexpr char kRetryAt[] = "retry_at";
constexpr char kHungSince[] = "hung_since";
constexpr char kNew[] = "new";
constexpr char kSubmitting[] = "submitting";
constexpr char kRunning[] = "running";
constexpr char kExited[] = "exited";
constexpr char kPlace[] = "place";

using Action = const json::object&;

template<Measure M>
std::string measureCell(Action action, std::int64_t /*now*/) {
    return measureWords(action, measureInfo(M));
}

/// `goes`: where there is no room (Table::Column).
template<Measure M>
ActionColumn measureColumn(int goes) {
    const MeasureInfo& info = measureInfo(M);
    return {info.name, info.filter, {upperCase(info.heading), true, kWhole, goes}, measureCell<M>};
}

/// In the order of the help. Those of the usual list come first, and in its order.
const std::array<ActionColumn, 35> kActionColumns{{
    {"lsn", "", {"LSN", true}, lsnCell},
    {"state",
     "",
     {"STATE", false, 12},
     [](Action a, std::int64_t) { return foldState(a).value_or(stateWords(a)); }},
    {"queue", "queue_id", {"QUEUE", true, kWhole, 4}, numberCell<kQueue>},
    {"started", "", {"STARTED", false, kWhole, 5}, startedCell},
    {"runtime", "", {"TIME", true}, runtimeCell},
    measureColumn<Measure::CpuTime>(3),
    measureColumn<Measure::PeakMemory>(2),
    {"name", "", {"WHAT", false, 16}, [](Action a, std::int64_t) { return foldName(a).value_or(whatWords(a)); }},
    {"note", "", {"NOTE", false, 12, 1}, [](Action a, std::int64_t) { return foldNote(a).value_or(noteWords(a)); }},
    {"index", "", {"INDEX", true}, indexCell},
    {"done", "", {"DONE", true}, [](Action a, std::int64_t) { return foldDone(a).value_or("-"); }},
    {"failed", "", {"FAILED", true}, [](Action a, std::int64_t) { return foldFailed(a).value_or("-"); }},
    {"label", "", {"LABEL", false, 8}, textCell<kLabel>},
    {"worker", "worker_name", {"WORKER", false, 8}, workerCell},
    {"function", "", {"FUNCTION", false, 8}, textCell<kFunction>},
    {"reason", "", {"REASON"}, textCell<kReason>},
    {"exit_code", "exit", {"EXIT", true}, numberCell<kExitCode>},
    {"signal", "", {"SIGNAL"}, signalCell},
    {"tries", "", {"TRIES", true}, triesCell},
    {"retry_count", "", {"RETRIES", true}, numberCell<kRetryCount>},
    {"retry_at", "", {"RETRY AT"}, momentCell<kRetryAt>},
    {"priority", "", {"PRIORITY", true}, numberCell<kPriority>},
    {"place", "", {"PLACE", true}, numberCell<kPlace>},
    {"held", "", {"HELD"}, heldCell},
    {"mark", "", {"MARK"}, textCell<kMark>},
    {"comment", "", {"COMMENT", false, 12}, [](Action a, std::int64_t) { return lastCommentWords(a); }},
    {"given",
     "",
     {"GIVEN", false, 12},
     [](Action a, std::int64_t) {
         std::string words = givenWords(a);
         return words.empty() ? std::string("-") : words;
     }},
    {"machine", "", {"MACHINE", false, 8}, textCell<kMachine>},
    {"hung_since", "", {"HANGS SINCE"}, momentCell<kHungSince>},
    {"waited", "", {"WAITED", true}, waitedCell},
    {"new", "", {"NEW"}, timeCell<kNew>},
    {"submitting", "", {"SUBMITTING"}, timeCell<kSubmitting>},
    {"running", "", {"RUNNING"}, timeCell<kRunning>},
    {"exited", "", {"EXITED"}, timeCell<kExited>},
    {"finished", "", {"FINISHED"}, [](Action a, std::int64_t now) { return timeCellOf(finishedAt(a), now); }},
}};
constexpr std::size_t kUsual = 9;

} // namespace

std::span<const ActionColumn> actionColumns() {
    // What is measured and stands in no place of its own comes last.
    constexpr std::size_t kPlaced = 2;
    static const std::vector<ActionColumn> kAll = []<std::size_t... I>(std::index_sequence<I...>) {
        std::vector<ActionColumn> all(kActionColumns.begin(), kActionColumns.end());
        (all.push_back(measureColumn<static_cast<Measure>(kPlaced + I)>(0)), ...);
        return all;
    }(std::make_index_sequence<kMeasures - kPlaced>());
    return kAll;
}

std::vector<const ActionColumn*> usualColumns() {
    std::vector<const ActionColumn*> columns;
    for (const ActionColumn& column : actionColumns().first(kUsual)) columns.push_back(&column);
    return columns;
}

std::vector<const ActionColumn*> foldedColumns() {
    return *columnsNamed("lsn,state,index,done,failed,queue,started,name,note");
}

Outcome<std::vector<const ActionColumn*>> columnsNamed(std::string_view names) {
    std::vector<const ActionColumn*> columns;
    for (bool more = true; more;) {
        const std::size_t comma = std::min(names.find(','), names.size());
        const std::string_view name = names.substr(0, comma);
        more = comma < names.size();
        names.remove_prefix(comma + static_cast<std::size_t>(more));
        const auto all = actionColumns();
        const auto found = std::ranges::find_if(
            all, [&](const ActionColumn& c) { return !name.empty() && (c.name == name || c.also == name); });
        if (found != all.end()) {
            columns.push_back(&*found);
            continue;
        }
        std::vector<std::string_view> known;
        for (const ActionColumn& c : all) known.insert(known.end(), {c.name, c.also});
        const std::string_view near = nearestOf(name, known);
        return usageError(near.empty()
                              ? fmt::format("there is no column '{}'; there are {}", printable(name), columnNames())
                              : fmt::format("there is no column '{}', did you mean '{}'?", printable(name), near));
    }
    return columns;
}

std::string columnNames() {
    std::string out;
    for (const ActionColumn& column : actionColumns())
        out += fmt::format("{}{}", out.empty() ? "" : ", ", column.name);
    return out;
}

Table tableOf(const std::vector<const ActionColumn*>& columns, bool areNamed) {
    std::vector<Table::Column> shown;
    for (const ActionColumn* column : columns) {
        shown.push_back(column->shown);
        if (areNamed) shown.back().goes = 0;
    }
    return Table(std::move(shown));
}

} // namespace yard::ctl
