// yardctl timeline: what ran when in which slot, as lanes of characters.
#include "app/yardctl/action_view.h"
#include "app/yardctl/charts.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/row_options.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace yard::ctl {

namespace {

constexpr std::size_t kUsualLanes = 100;
constexpr std::size_t kFewestColumns = 8;

struct Lane {
    std::string name;
    std::string text;
};

struct View {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t step = 1; ///< microseconds of a merged column
};

void markBars(LanePicture& picture, const json::object& lane, const View& view) {
    const json::array* bars = arrayOf(lane, "bars");
    if (!bars) return;
    for (const json::value& value : *bars) {
        const json::object* bar = value.if_object();
        if (!bar) continue;
        picture.mark(integerOf(*bar, "submitting").value_or(view.from), integerOf(*bar, "end").value_or(view.to),
                     isTrue(*bar, "retried") ? laneLetter("retry") : laneLetter(textOf(*bar, "state")));
    }
}

/// Short attempts come merged: a time and the worst state of each column.
void markColumns(LanePicture& picture, const json::object& lane, const View& view) {
    const json::object* columns = objectOf(lane, "columns");
    const json::array* times = columns ? arrayOf(*columns, "t") : nullptr;
    const json::array* states = columns ? arrayOf(*columns, "state") : nullptr;
    if (!times || !states) return;
    for (std::size_t i = 0; i < std::min(times->size(), states->size()); ++i)
        if ((*times)[i].is_int64() && (*states)[i].is_string()) {
            const std::int64_t at = (*times)[i].get_int64();
            picture.mark(at, at + view.step, laneLetter((*states)[i].get_string()));
        }
}

std::vector<const json::object*> objectsOf(const json::object& holder, std::string_view key) {
    std::vector<const json::object*> out;
    if (const json::array* list = arrayOf(holder, key))
        for (const json::value& value : *list)
            if (const json::object* object = value.if_object()) out.push_back(object);
    return out;
}

std::vector<Lane> lanesOf(const json::object& answer, const View& view, std::size_t names, std::size_t columns) {
    std::vector<Lane> lanes;
    for (const json::object* worker : objectsOf(answer, "workers"))
        for (const json::object* lane : objectsOf(*worker, "lanes")) {
            LanePicture picture(view.from, view.to, columns);
            markColumns(picture, *lane, view);
            markBars(picture, *lane, view);
            lanes.push_back({fmt::format("{} {}", fitted(printable(textOf(*worker, "worker_name")), names),
                                         integerOf(*lane, "slot").value_or(0)),
                             picture.text()});
        }
    return lanes;
}

/// What never ran has no lane, and what is not there has none either.
Outcome<void> checkWorker(Engine& engine, const std::string& word) {
    if (word == "exec") return {};
    const auto answer = engine.get("workers/all");
    if (!answer) return failedWith(answer.error());
    for (const json::object* worker : objectsOf(answer->object, "workers"))
        if (textOf(*worker, "id") == word || textOf(*worker, "name") == word) return {};
    return failed(fmt::format("there is no worker '{}'; 'yardctl workers' lists them", printable(word)));
}

Outcome<int> timelineCommand(const Invocation& invocation) {
    auto query = spanQuery(invocation.arguments);
    if (!query) return std::unexpected(query.error());
    const auto worker = invocation.arguments.value("worker");
    if (worker) *query += fmt::format("{}worker={}", query->empty() ? "?" : "&", percentEncode(*worker));
    auto answer = invocation.engine.get("timelines" + *query);
    if (!answer) return failedWith(answer.error());
    if (worker && objectsOf(answer->object, "workers").empty())
        if (auto known = checkWorker(invocation.engine, *worker); !known) return std::unexpected(known.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    View view{integerOf(answer->object, "from").value_or(0), integerOf(answer->object, "to").value_or(0)};
    view.step = static_cast<std::int64_t>(numberOf(answer->object, "resolution").value_or(0) * 1e6);
    const std::size_t width = terminalWidth().value_or(kUsualLanes);
    const std::size_t names = std::clamp<std::size_t>(width / 4, 4, 19);
    const std::size_t taken = names + 5; // with its slot and the bars around the lane
    const auto lanes =
        lanesOf(answer->object, view, names, width > taken + kFewestColumns ? width - taken : kFewestColumns);
    if (lanes.empty()) {
        fmt::print("Nothing ran in that time.\n");
        return 0;
    }
    std::size_t longest = 0;
    for (const Lane& lane : lanes) longest = std::max(longest, displayWidth(lane.name));
    fmt::print("{} to {}   = completed  F failed  a abandoned  c cancelled  r retried  . not ended\n",
               timeWords(view.from, wallNow()), timeWords(view.to, wallNow()));
    for (const Lane& lane : lanes)
        fmt::print("{}{} |{}|\n", lane.name, std::string(longest - displayWidth(lane.name), ' '), lane.text);
    return 0;
}

} // namespace

Command timelineRow() {
    return {.name = "timeline",
            .usage = "[--from TIME] [--to TIME] [--worker NAME]",
            .summary = "what ran when, a lane for each slot",
            .details = "Of the last hour, unless --from says otherwise. Where several attempts share a column the "
                       "worst is shown.",
            .examples = "yardctl timeline --from -10min --worker exec",
            .options = {fromOption(), toOption(), {"worker", 0, "NAME", "only this worker's slots"}},
            .maxOperands = 0,
            .function = timelineCommand};
}

} // namespace yard::ctl
