// yardctl samples, stats: figures over time, of one action and of the engine.
#include "app/yardctl/action_view.h"
#include "app/yardctl/charts.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "core/base/clock.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace yard::ctl {

namespace {

using Values = std::vector<std::optional<double>>;

constexpr std::size_t kUsualWidth = 100;
/// What stands before and behind the line of a figure.
constexpr std::size_t kWordsWidth = 44;

std::size_t chartWidth() {
    const std::size_t width = terminalWidth().value_or(kUsualWidth);
    return width > kWordsWidth + 10 ? width - kWordsWidth : 10;
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

void printFigure(std::string_view name, const Values& values, auto&& words) {
    const auto now = latest(values);
    if (!now) return;
    const double most = largest(values);
    fmt::print("{:<14} {}  now {}, most {}\n", name, sparkline(values, most, chartWidth()), words(*now),
               words(most));
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

std::string bytesWords(double bytes) {
    return sizeWords(static_cast<std::uint64_t>(std::max(bytes, 0.0)));
}

std::string spanOf(std::int64_t from, std::int64_t to) {
    return fmt::format("{} to {}", timeWords(from, wallNow()), timeWords(to, wallNow()));
}

std::string wholeWords(double value) {
    return fmt::format("{:.0f}", value);
}

} // namespace

Outcome<int> samplesCommand(const Invocation& invocation) {
    auto lsns = parseLsns(invocation.arguments.operands());
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
        printFigure("  cpu", membersOf(*samples, "cpu_percent"),
                    [](double v) { return fmt::format("{:.0f} %", v); });
        printFigure("  memory", membersOf(*samples, "rss_bytes"), bytesWords);
    }
    return 0;
}

Outcome<std::string> spanQuery(const Arguments& arguments) {
    std::string query;
    for (const std::string_view end : {"from", "to"}) {
        const auto word = arguments.value(end);
        if (!word) continue;
        auto moment = parseMoment(*word, wallNow());
        if (!moment) return std::unexpected(moment.error());
        query += fmt::format("{}{}={}", query.empty() ? "?" : "&", end, *moment);
    }
    return query;
}

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
    fmt::print("{}, a figure every {}\n",
               spanOf(times->front().to_number<std::int64_t>(), times->back().to_number<std::int64_t>()),
               durationWords(numberOf(answer->object, "resolution").value_or(0)));
    const auto cores = [](double value) { return fmt::format("{:.2f} cores", value); };
    printFigure("cpu, actions", seriesOf(*series, "cpu_actions"), cores);
    printFigure("cpu, others", seriesOf(*series, "cpu_others"), cores);
    printFigure("memory", seriesOf(*series, "memory_bytes"), bytesWords);
    for (const std::string_view name : {"pending", "running", "completed", "failed"})
        printFigure(name, seriesOf(*series, name), wholeWords);
    return 0;
}

} // namespace yard::ctl
