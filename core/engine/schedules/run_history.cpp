#include "core/engine/schedules/run_history.h"

#include "core/json/document.h"
#include "core/json/lenient.h"

#include <algorithm>
#include <array>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::array<std::string_view, 4> kOutcomeWords = {"submitted", "missed", "overlap", "refused"};

std::vector<ScheduleRun::Item> readItems(JsonView list) {
    std::vector<ScheduleRun::Item> items;
    if (list.kind() != JsonKind::Array) return items;
    for (const JsonView element : list) {
        ScheduleRun::Item item;
        if (!element.isObject()) continue;
        for (const JsonView value : element) {
            if (value.key() == "lsn") item.first = Lsn(integerOrZero(value));
            if (value.key() == "count") item.count = integerOrZero(value);
        }
        if (item.first.value > 0 && item.count > 0) items.push_back(item);
    }
    return items;
}

ScheduleRun readRun(JsonView object) {
    ScheduleRun run;
    for (const JsonView value : object) {
        const std::string_view key = value.key();
        if (key == "due") run.due = integerOrZero(value);
        if (key == "t") run.at = integerOrZero(value);
        if (key == "late") run.isLate = isTrue(value);
        if (key == "skipped") run.skipped = integerOrZero(value);
        if (key == "actions") run.items = readItems(value);
        if (value.kind() != JsonKind::String) continue;
        if (key == "error") run.error = value.string();
        const auto* const word = std::ranges::find(kOutcomeWords, value.string());
        if (key == "outcome" && word != kOutcomeWords.end())
            run.outcome = static_cast<RunOutcome>(word - kOutcomeWords.begin());
    }
    return run;
}

} // namespace

void writeRun(JsonWriter& writer, const ScheduleRun& run) {
    if (run.due > 0) writer.member("due", run.due);
    writer.member("t", run.at);
    writer.member("outcome", kOutcomeWords[std::to_underlying(run.outcome)]);
    writer.member("late", run.isLate);
    if (run.skipped > 0) writer.member("skipped", run.skipped);
    writer.key("actions");
    writer.openArray();
    for (const ScheduleRun::Item& item : run.items) {
        writer.openObject();
        writer.member("lsn", item.first.value);
        if (item.count != 1) writer.member("count", item.count);
        writer.closeObject();
    }
    writer.closeArray();
    if (!run.error.empty()) writer.member("error", run.error);
}

std::string writeHistory(const RunHistory& history) {
    return writeDocument([&history](JsonWriter& writer) {
        writer.member("decided", history.decidedUntil);
        writer.member("era", history.era);
        writer.key("runs");
        writer.openArray();
        for (const ScheduleRun& run : history.runs) {
            writer.openObject();
            writeRun(writer, run);
            writer.closeObject();
        }
        writer.closeArray();
    });
}

RunHistory readHistory(std::string_view json) {
    RunHistory history;
    const auto tape = readDocument(json);
    if (!tape) return history;
    for (const JsonView value : tape->root()) {
        if (value.key() == "decided") history.decidedUntil = integerOrZero(value);
        if (value.key() == "era") history.era = integerOrZero(value);
        if (value.key() != "runs" || value.kind() != JsonKind::Array) continue;
        for (const JsonView run : value)
            if (run.isObject()) history.runs.push_back(readRun(run));
    }
    while (history.runs.size() > RunHistory::kMostRuns) history.runs.pop_front();
    return history;
}

} // namespace yard::engine
