// yardctl samples, stats: figures over time, of one action and of the engine.
#include "app/yardctl/action_view.h"
#include "app/yardctl/charts.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/row_options.h"
#include "core/base/clock.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace yard::ctl {

namespace {

using Values = std::vector<std::optional<double>>;

constexpr std::size_t kUsualWidth = 100;
/// What stands before and behind the line of a figure.
constexpr std::size_t kWordsWidth = 44;

/// 0: there is no room for one.
std::size_t chartWidth() {
    constexpr std::size_t kLeast = 6;
    const std::size_t width = terminalWidth().value_or(kUsualWidth);
    return width >= kWordsWidth + kLeast ? width - kWordsWidth : 0;
}

double largest(const Values& values) {
    double most = 0;
    for (const auto& value : values) most = std::max(most, value.value_or(0));
    return most;
}

std::optional<double> latest(const Values& values) {
    const auto it =
        std::ranges::find_if(values.rbegin(), values.rend(), [](const auto& v) { return v.has_value(); });
    return it == values.rend() ? std::nullopt : *it;
}

/// `last`: what the last one is called, "now" or "last".
void printFigure(std::string_view name, const Values& values, std::string_view last, auto&& words) {
    const auto found = latest(values);
    if (!found) return;
    const double most = largest(values);
    std::string line = fmt::format("{:<14} ", name);
    const std::size_t width = chartWidth();
    if (values.size() > 1 && width > 0) // a chart of one figure says nothing
        line += sparkline(values, most, width) + "  ";
    line += values.size() > 1 ? fmt::format("{} {}, most {}", last, words(*found), words(most)) : words(*found);
    const auto columns = terminalWidth();
    fmt::print("{}\n", columns ? fitted(line, *columns) : line);
}

/// The last step that has a figure ended a moment ago, or goes on.
bool reachesNow(const json::array& times, const Values& values, double resolution) {
    for (std::size_t i = std::min(times.size(), values.size()); i-- > 0;) {
        if (!values[i]) continue;
        constexpr double kLooks = 11; // seconds from one to the next, where nothing happens
        const double age = static_cast<double>(wallNow() - times[i].to_number<std::int64_t>()) / 1e6;
        return age <= resolution + kLooks;
    }
    return false;
}

Values membersOf(const json::array& list, std::string_view key) {
    Values out;
    for (const json::value& value : list) {
        const json::object* object = value.if_object();
        out.push_back(object ? numberOf(*object, key) : std::nullopt);
    }
    return out;
}

Values seriesOf(const json::object& series, std::string_view key) {
    Values out;
    if (const json::array* list = arrayOf(series, key))
        for (const json::value& value : *list)
            out.push_back(value.is_number() ? std::optional(value.to_number<double>()) : std::nullopt);
    return out;
}

std::string spanOf(std::int64_t from, std::int64_t to) {
    return fmt::format("{} to {}", timeWords(from, wallNow()), timeWords(to, wallNow()));
}

/// Of the last step; it may go on.
std::int64_t endOf(const json::array& times, double resolution) {
    const auto end = times.back().to_number<std::int64_t>() + static_cast<std::int64_t>(resolution * 1e6);
    return std::min(end, std::max(wallNow(), times.back().to_number<std::int64_t>()));
}

std::string wholeWords(double value) {
    return fmt::format("{:.0f}", value);
}

Outcome<int> samplesCommand(const Invocation& invocation) {
    const auto lsns = namedActions(invocation.engine, invocation.arguments.operands());
    if (!lsns) return std::unexpected(lsns.error());
    for (const std::int64_t lsn : *lsns) {
        auto answer = invocation.engine.get(fmt::format("jobs/{}/samples", lsn));
        if (!answer) return failedWith(answer.error());
        if (invocation.json) {
            fmt::print("{}\n", answer->text);
            continue;
        }
        const json::array* samples = arrayOf(answer->object, "samples");
        if (!samples || samples->empty()) {
            fmt::print("{}: no samples; it has not run for long enough\n", lsn);
            continue;
        }
        const Values times = membersOf(*samples, "t");
        fmt::print("{}: {} sample{}, {}\n", lsn, samples->size(), samples->size() == 1 ? "" : "s",
                   spanOf(static_cast<std::int64_t>(times.front().value_or(0)),
                          static_cast<std::int64_t>(times.back().value_or(0))));
        printFigure("  cpu", membersOf(*samples, "cpu_percent"), "last",
                    [](double v) { return fmt::format("{:.0f} %", v); });
        printFigure("  memory", membersOf(*samples, "rss_bytes"), "last", bytesWords);
    }
    return 0;
}

} // namespace

Outcome<std::string> spanQuery(const Arguments& arguments) {
    std::string query;
    std::optional<std::int64_t> from;
    for (const std::string_view end : {"from", "to"}) {
        const auto word = arguments.value(end);
        if (!word) continue;
        auto moment = parseMoment(*word, wallNow());
        if (!moment) return std::unexpected(moment.error());
        if (from && *from > *moment) return usageError("--from is after --to: exchange them");
        from = *moment;
        query += fmt::format("{}{}={}", query.empty() ? "?" : "&", end, *moment);
    }
    return query;
}

namespace {

Outcome<int> statsCommand(const Invocation& invocation) {
    auto query = spanQuery(invocation.arguments);
    if (!query) return std::unexpected(query.error());
    auto answer = invocation.engine.get("stats" + *query);
    if (!answer) return failedWith(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    const json::object* series = objectOf(answer->object, "series");
    const json::array* times = arrayOf(answer->object, "t");
    if (!series || !times || times->empty() || !latest(seriesOf(*series, "running"))) {
        fmt::print("There are no figures of that time.\n");
        return 0;
    }
    const double resolution = numberOf(answer->object, "resolution").value_or(0);
    // Of a step there is the mean, or what was at its end.
    fmt::print("{}, a figure every {}{}\n",
               spanOf(times->front().to_number<std::int64_t>(), endOf(*times, resolution)),
               durationWords(resolution), resolution > 1 ? "; peaks in between are not seen" : "");
    const std::string_view last = reachesNow(*times, seriesOf(*series, "running"), resolution) ? "now" : "last";
    const auto cores = [](double value) { return fmt::format("{:.2f} cores", value); };
    printFigure("cpu, actions", seriesOf(*series, "cpu_actions"), last, cores);
    printFigure("cpu, others", seriesOf(*series, "cpu_others"), last, cores);
    printFigure("memory", seriesOf(*series, "memory_bytes"), last, bytesWords);
    for (const std::string_view name : {"pending", "running", "completed", "failed"})
        printFigure(name, seriesOf(*series, name), last, wholeWords);
    return 0;
}

} // namespace

Command samplesRow() {
    return {.name = "samples",
            .usage = "LSN…",
            .summary = "processor and memory of an action over time",
            .details = "Of the current or the last attempt.",
            .examples = "yardctl samples 12\n"
                        "yardctl samples --json 12 > samples.json",
            .options = {},
            .minOperands = 1,
            .function = samplesCommand};
}

Command statsRow() {
    return {.name = "stats",
            .usage = "[--from TIME] [--to TIME]",
            .summary = "figures of the engine over time",
            .details = "Of the last 15 minutes, unless --from says otherwise; a week is kept. TIME is -1h (an hour "
                       "ago), 09:45, today, yesterday, 2026-11-20 or '2026-11-20 09:45'.",
            .examples = "yardctl stats\n"
                        "yardctl stats --from yesterday --to today",
            .options = {fromOption(), toOption()},
            .maxOperands = 0,
            .function = statsCommand};
}

} // namespace yard::ctl
