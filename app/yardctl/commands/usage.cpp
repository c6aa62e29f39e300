// yardctl usage: what work used of the machine, and what of it was for nothing.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/row_options.h"
#include "core/base/clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <unistd.h>

namespace yard::ctl {

namespace {

/// Millions of actions, behind others who ask, take a while to be read.
constexpr std::chrono::minutes kUsageSilence{5};
constexpr double kHourSeconds = 3'600;

double valueOf(const json::object& row, std::string_view key) {
    return numberOf(row, key).value_or(0);
}

/// "12.34", of less than one three figures: "0.00123". Only nothing is "0.00".
std::string hoursWords(double hours) {
    constexpr int kMostDecimals = 9;
    const int zeros = hours > 0 && hours < 1 ? static_cast<int>(std::floor(std::log10(hours))) : 0;
    return fmt::format("{:.{}f}", hours, std::min(2 - zeros, kMostDecimals));
}

/// "9 %"; "-" where there is nothing to be a part of.
std::string shareWords(double part, double whole) {
    if (part > 0 && whole > 0 && part / whole < 0.01) return "<1 %";
    return whole > 0 ? fmt::format("{:.0f} %", 100 * part / whole) : "-";
}

std::string headOf(std::string_view kind) {
    const std::string head = upperCase(kind);
    return kind == "day" || kind == "hour" ? head + ", UTC" : head;
}

std::string keyWords(const json::object& row, std::string_view kind) {
    std::string key = printable(textOf(row, "key"));
    return key.empty() && kind == "label" ? "(no label)" : key;
}

void printRows(const json::array& rows, std::string_view kind, Engine& engine) {
    const bool isOfQueues = kind == "queue";
    const bool isOfWaste = kind == "waste"; // all of it is
    const auto tags = isOfQueues ? queueTags(engine) : std::map<std::string, std::string>();
    std::vector<Table::Column> columns{{headOf(kind), isOfQueues, isOfQueues ? kWhole : 8}};
    if (isOfQueues) columns.push_back({"TAG", false, 8});
    columns.push_back({"ACTIONS", true, kWhole, 2});
    columns.push_back({"CORE HOURS", true});
    if (!isOfWaste) {
        columns.push_back({"WASTED", true});
        columns.push_back({"OF IT", true, kWhole, 1});
    }
    columns.push_back({"GB HOURS", true, kWhole, 3});
    if (!isOfWaste) columns.push_back({"MEAN WAIT", true, kWhole, 4});
    Table table(std::move(columns));
    for (const json::value& value : rows) {
        const json::object* row = value.if_object();
        if (!row) continue;
        const double cores = valueOf(*row, "core_seconds");
        const double wasted = valueOf(*row, "wasted_core_seconds");
        const std::int64_t actions = integerOf(*row, "actions").value_or(0);
        std::vector<std::string> cells{keyWords(*row, kind)};
        if (isOfQueues) {
            const auto tag = tags.find(cells.front());
            cells.push_back(tag == tags.end() ? "" : tag->second);
        }
        cells.push_back(fmt::format("{}", actions));
        cells.push_back(hoursWords(cores / kHourSeconds));
        if (!isOfWaste) {
            cells.push_back(hoursWords(wasted / kHourSeconds));
            cells.push_back(shareWords(wasted, cores));
        }
        cells.push_back(hoursWords(valueOf(*row, "memory_gb_hours")));
        if (!isOfWaste)
            cells.push_back(actions > 0 ? durationWords(valueOf(*row, "wait_seconds") / double(actions)) : "-");
        table.add(std::move(cells));
    }
    fmt::print("{}", table.text(terminalWidth()));
}

double sumOf(const json::array& rows, std::string_view key) {
    double sum = 0;
    for (const json::value& value : rows)
        if (const json::object* row = value.if_object()) sum += valueOf(*row, key);
    return sum;
}

std::string momentOf(const json::object& answer, std::string_view key) {
    return timeWords(integerOf(answer, key).value_or(0), wallNow());
}

void printUsage(const json::object& answer, std::string_view kind, Engine& engine) {
    const json::array* rows = arrayOf(answer, "rows");
    if (!rows || rows->empty()) {
        fmt::print("Nothing was used in that time.\n");
    } else {
        const double cores = sumOf(*rows, "core_seconds");
        const double wasted = sumOf(*rows, "wasted_core_seconds");
        fmt::print("{} to {}: {} core hours", momentOf(answer, "from"), momentOf(answer, "to"),
                   hoursWords(cores / kHourSeconds));
        if (kind == "waste")
            fmt::print(" wasted\n");
        else
            fmt::print(", {} of them wasted ({})\n", hoursWords(wasted / kHourSeconds), shareWords(wasted, cores));
        printRows(*rows, kind, engine);
    }
    // What went is older than what is kept, but for single actions that were retired by hand.
    const std::int64_t retired = integerOf(answer, "retired").value_or(0);
    const auto oldest = integerOf(answer, "oldest");
    if (retired == 0 || (oldest && integerOf(answer, "from").value_or(0) >= *oldest)) return;
    fmt::print("{} action{} not kept any more, and what {} used is not in these figures",
               retired == 1 ? "1" : fmt::format("{}", retired), retired == 1 ? " is" : "s are",
               retired == 1 ? "it" : "they");
    if (oldest)
        fmt::print("; the oldest one that is kept ended {}.\n", momentOf(answer, "oldest"));
    else
        fmt::print(".\n");
}

} // namespace

std::map<std::string, std::string> queueTags(Engine& engine) {
    std::map<std::string, std::string> tags;
    const auto answer = engine.get("queues");
    const json::array* queues = answer ? arrayOf(answer->object, "queues") : nullptr;
    for (const json::value& value : queues ? *queues : json::array())
        if (const json::object* queue = value.if_object())
            tags[fmt::format("{}", integerOf(*queue, "queue_id").value_or(0))] = printable(textOf(*queue, "tag"));
    return tags;
}

namespace {

Outcome<int> usageCommand(const Invocation& invocation) {
    const std::string kind = invocation.arguments.value("by").value_or(std::string(kUsageKinds.front()));
    if (std::ranges::find(kUsageKinds, kind) == kUsageKinds.end())
        return usageError(fmt::format("'{}' is no kind of row; there are {}", kind, fmt::join(kUsageKinds, ", ")));
    const bool isCsv = invocation.arguments.has("csv");
    if (isCsv && invocation.json)
        return usageError("--csv and --json do not go together: each is all that is printed");
    const auto query = spanQuery(invocation.arguments);
    if (!query) return std::unexpected(query.error());
    Call call{.path = fmt::format("accounting{}{}by={}", *query, query->empty() ? "?" : "&", kind),
              .silence = kUsageSilence};
    if (isCsv) {
        call.accept = "text/csv";
        const auto copied = invocation.engine.stream(
            call, [](std::string_view bytes) { return writeOutput(STDOUT_FILENO, bytes); });
        if (!copied) return failedWith(copied.error());
        return 0;
    }
    const auto answer = invocation.engine.call(call);
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        printUsage(answer->object, kind, invocation.engine);
    return 0;
}

} // namespace

Command usageRow() {
    return {.name = "usage",
            .usage = "[--by KIND] [--from TIME] [--to TIME] [--csv]",
            .summary = "core hours, and what of them was for nothing",
            .details =
                "Of attempts that have ended, in the last day unless --from says otherwise: cores that they "
                "reserved, times the time that they ran. Wasted is what did not complete: failures, also "
                "those before a success, interruptions and what was cancelled. Memory is what was reserved, "
                "else what was used at most. A wait is that for the last start, the mean of all actions that "
                "ended.\n"
                "\n"
                "KIND is queue, worker, label (what stands before the first / : - _ or blank), machine, day or "
                "hour (UTC), or waste: why attempts did not complete. At most 1000 rows; the smallest are "
                "one, '…other'. --csv prints them for spreadsheets, in seconds and GB hours.",
            .examples = "yardctl usage\n"
                        "yardctl usage --by day --from 2026-11-01 --csv > november.csv\n"
                        "yardctl usage --by waste --from -7d",
            .options = {{"by", 'b', "KIND", "rows of: queue (usual), worker, label, machine, day, hour, waste"},
                        fromOption(),
                        toOption(),
                        {"csv", 0, "", "comma-separated, with a line of headings"}},
            .maxOperands = 0,
            .function = usageCommand};
}

} // namespace yard::ctl
