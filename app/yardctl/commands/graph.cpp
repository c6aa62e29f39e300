// yardctl submit --graph: which of the actions wait for which, for Graphviz.
#include "app/yardctl/action_reader.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "core/model/action_graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace yard::ctl {

namespace {

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
    const auto parsed = parseActions(json::serialize(drawn.actions));
    if (!parsed) {
        const auto index = static_cast<std::size_t>(std::max(parsed.error().index, 0));
        const std::string place =
            index < drawn.lines.size() ? fmt::format("line {}: ", drawn.lines[index]) : std::string();
        return failed(place + parsed.error().message);
    }
    fmt::print("{}", toDot(parsed->actions));
    return 0;
}

} // namespace yard::ctl
