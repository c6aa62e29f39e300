// yardctl graph: who waits for whom in an engine; submit --graph: the same of what is not submitted yet.
#include "app/yardctl/action_reader.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/graph_text.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/work_options.h"
#include "core/model/action_graph.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace yard::ctl {

namespace {

/// A search takes some seconds, and waits for others' before it.
constexpr std::chrono::minutes kGraphSilence{1};

/// One list of all that is read, and the line of each action.
struct Drawn {
    json::array actions;
    std::vector<std::size_t> lines;

    Outcome<void> take(ActionReader::Value value) {
        json::array list;
        if (value.value.is_array())
            list = std::move(value.value.get_array());
        else
            list.push_back(std::move(value.value));
        for (json::value& action : list) {
            if (!action.is_object()) return failed(fmt::format("line {}: this is no action", value.line));
            action.get_object().erase("inputs"); // "@path" would have to be read
            actions.push_back(std::move(action));
            lines.push_back(value.line);
        }
        return {};
    }
};

} // namespace

Outcome<int> drawGraph(ActionReader& reader) {
    Drawn drawn;
    for (;;) {
        auto value = reader.next();
        if (!value) return std::unexpected(value.error());
        if (!*value) break;
        if (auto taken = drawn.take(std::move(**value)); !taken) return std::unexpected(taken.error());
    }
    const auto parsed = parseActions(compactJson(drawn.actions));
    if (!parsed) {
        const auto index = static_cast<std::size_t>(std::max(parsed.error().index, 0));
        const std::string place =
            index < drawn.lines.size() ? fmt::format("line {}: ", drawn.lines[index]) : std::string();
        return failed(place + parsed.error().message);
    }
    fmt::print("{}", toDot(parsed->actions));
    return 0;
}

namespace {

Outcome<int> graphCommand(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    const auto queue = arguments.value("queue");
    if (queue.has_value() != arguments.operands().empty())
        return usageError("a graph is of an action or of a queue: give its number, or --queue REF");
    if (arguments.has("dot") && arguments.has("text"))
        return usageError("--dot and --text do not go together: each is all that is printed");
    std::string path;
    if (queue) {
        path = fmt::format("graph?queue={}", percentEncode(*queue));
    } else {
        const auto ranges = parseLsnRanges(arguments.operands());
        if (!ranges) return std::unexpected(ranges.error());
        if (!ranges->front().isOne()) return usageError("a graph is of one action: 'graph' takes no range");
        path = fmt::format("graph?lsn={}", ranges->front().first);
    }
    if (!arguments.has("unfold")) path += "&fold=1";
    if (const auto limit = arguments.value("limit")) {
        const auto nodes = parseInteger(*limit, "--limit");
        if (!nodes) return std::unexpected(nodes.error());
        path += fmt::format("&limit={}", *nodes);
    }
    const auto answer = invocation.engine.call({.path = path, .silence = kGraphSilence});
    if (!answer) return failedWith(answer.error());
    const bool asText = arguments.has("text") || (!arguments.has("dot") && ::isatty(STDOUT_FILENO) == 1);
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("{}", asText ? graphAsLines(answer->object, terminalWidth()) : graphAsDot(answer->object));
    return 0;
}

} // namespace

Command graphRow() {
    return {.name = "graph",
            .usage = "[options] LSN | --queue REF",
            .summary = "who waits for whom",
            .details =
                "Of an action: what it waits for, directly or not, and what waits for it; of a queue what waits "
                "in it. At a terminal a line for each, else in the language of Graphviz. Arrays are one line, "
                "and so are several that are alike in what they wait for and what waits for them.\n"
                "\n"
                "LEFT is how long it usually takes from where it is, SPARE how much later it may end and the "
                "last one ends no later. The critical path, marked *, is the longest way to that end.",
            .examples = "yardctl graph 12\n"
                        "yardctl graph 12 | dot -Tsvg > graph.svg\n"
                        "yardctl graph --queue nightly --text",
            .options = {queueOption(),
                        {"dot", 0, "", "for Graphviz' dot, also at a terminal"},
                        {"text", 0, "", "a line for each, also where this is no terminal"},
                        {"unfold", 0, "", "each element of arrays by itself"},
                        {"limit", 'n', "N", "at most so many (2000): the nearest, of a queue the newest"}},
            .maxOperands = 1,
            .function = graphCommand};
}

} // namespace yard::ctl
