#include "app/yardctl/top_view.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace yard::ctl {

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Of all queues; nothing while that of one is not known.
std::optional<std::int64_t> perMinute(const json::object& queues) {
    std::int64_t sum = 0;
    if (const json::array* all = arrayOf(queues, "queues"))
        for (const json::value& queue : *all) {
            const auto rate = queue.is_object() ? integerOf(queue.get_object(), "per_minute") : std::nullopt;
            if (!rate) return std::nullopt;
            sum += *rate;
        }
    return sum;
}

std::string headline(const TopPicture& picture) {
    const json::object nothing;
    const json::object* machine = objectOf(picture.session, "machine");
    const json::object* counts = objectOf(picture.session, "counts");
    const json::object& by = counts ? *counts : nothing;
    std::string out = fmt::format("yardmaster {}", printable(textOf(picture.session, "state")));
    if (machine) out += fmt::format(" on {}", printable(textOf(*machine, "name")));
    const std::int64_t running = integerOf(by, "running").value_or(0) + integerOf(by, "submitting").value_or(0);
    out += fmt::format(", {} running, {} pending, {} completed, {} failed", running, countText(by, "pending"),
                       countText(by, "completed"), countText(by, "failed"));
    if (const auto rate = perMinute(picture.queues)) out += fmt::format(", {} per minute", *rate);
    if (const auto capacity = integerOf(picture.session, "capacity"))
        out += fmt::format(", capacity {}", *capacity);
    return out;
}

/// Of the connection, else of the engine.
std::string troubleWords(const TopPicture& picture) {
    if (!picture.trouble.empty()) return picture.trouble;
    const std::string why = printable(textOf(picture.session, "why"));
    return why.empty() ? why : "nothing starts: " + why;
}

Rows queueRows(const json::object& queues, std::int64_t now) {
    Rows rows;
    std::vector<const json::object*> list;
    if (const json::array* all = arrayOf(queues, "queues"))
        for (const json::value& queue : *all)
            if (queue.is_object()) list.push_back(&queue.get_object());
    // Those with most work first.
    std::ranges::sort(list, std::greater<>(), [](const json::object* queue) {
        const std::int64_t work =
            integerOf(*queue, "running").value_or(0) + integerOf(*queue, "pending").value_or(0);
        return std::pair(work, -integerOf(*queue, "queue_id").value_or(0));
    });
    for (const json::object* queue : list) {
        const bool isHeld = isTrue(*queue, "held");
        rows.push_back({countText(*queue, "queue_id"),
                        printable(textOf(*queue, "state")) + (isHeld ? ", held" : ""), countText(*queue, "running"),
                        countText(*queue, "pending"), countText(*queue, "completed"), countText(*queue, "failed"),
                        queue->contains("per_minute") ? countText(*queue, "per_minute") : "-",
                        finishWords(*queue, now), printable(textOf(*queue, "tag"))});
    }
    return rows;
}

Rows runningRows(const json::object& running) {
    Rows rows;
    const json::array* jobs = arrayOf(running, "jobs");
    if (!jobs) return rows;
    for (const json::value& job : *jobs) {
        if (!job.is_object()) continue;
        const json::object& action = job.get_object();
        const auto seconds = runSeconds(action);
        rows.push_back({countText(action, "lsn"), stateWords(action), countText(action, "queue_id"),
                        seconds ? durationWords(*seconds) : "-", loadWords(action),
                        measureWords(action, measureInfo(Measure::CpuTime)),
                        measureWords(action, measureInfo(Measure::PeakMemory)), fitted(whatWords(action), 40),
                        noteWords(action)});
    }
    return rows;
}

/// A table of at most `most` rows, and how many more there are.
std::string tableText(std::vector<Table::Column> columns, const Rows& rows, std::size_t most,
                      std::optional<std::size_t> width) {
    Table table(std::move(columns));
    const std::size_t shown = rows.size() <= most ? rows.size() : std::max<std::size_t>(most, 1) - 1;
    for (std::size_t i = 0; i < shown; ++i) table.add(rows[i]);
    std::string out = table.text(width);
    if (shown < rows.size())
        out += fitted(fmt::format("and {} more", rows.size() - shown), width.value_or(80)) + "\n";
    return out;
}

} // namespace

std::string topText(const TopPicture& picture, TopSize size) {
    const auto width = size.columns ? std::optional(size.columns) : std::nullopt;
    const auto line = [&](const std::string& text) { return (width ? fitted(text, *width) : text) + "\n"; };
    const Rows queues = queueRows(picture.queues, picture.now);
    const Rows running = runningRows(picture.running);
    // Headline, trouble, two empty lines, two heads; what is left is shared, running actions get what queues leave.
    constexpr std::size_t kFixed = 6;
    std::size_t queueMost = queues.size();
    std::size_t runningMost = running.size();
    if (size.rows) {
        const std::size_t left = size.rows > kFixed + 2 ? size.rows - kFixed : 2;
        queueMost = std::min(queueMost, std::max<std::size_t>(left / 2, left - std::min(left, runningMost)));
        runningMost = left - std::max<std::size_t>(queueMost, 1);
    }
    std::string out = line(headline(picture));
    out += line(troubleWords(picture));
    out += tableText({{"QUEUE", true},
                      {"STATE"},
                      {"RUNNING", true},
                      {"PENDING", true},
                      {"COMPLETED", true},
                      {"FAILED", true},
                      {"PER MIN", true},
                      {"FINISH IN", true},
                      {"TAG"}},
                     queues, queueMost, width);
    out += "\n";
    if (running.empty())
        out += line("Nothing is running.");
    else
        out += tableText({{"LSN", true},
                          {"STATE"},
                          {"QUEUE", true},
                          {"TIME", true},
                          {"LOAD", true},
                          {"CPU", true},
                          {"MEMORY", true},
                          {"WHAT"},
                          {"NOTE"}},
                         running, runningMost, width);
    if (!size.rows) return out;
    std::size_t end = 0;
    for (std::size_t n = 0; n < size.rows && end < out.size(); ++n) end = out.find('\n', end) + 1;
    return out.substr(0, end);
}

} // namespace yard::ctl
