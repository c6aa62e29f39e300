#include "app/yardctl/graph_text.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "core/model/states.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <vector>

namespace yard::ctl {

namespace {

struct Node {
    std::int64_t lsn = 0;
    std::int64_t count = 1;
    std::int64_t layer = 0;
    std::string label;
    std::string states; ///< "failed", or "3 completed, 1 running"
    bool hasFailed = false;
    bool hasEnded = true;
    std::optional<double> left;
    std::optional<double> slack;
};

struct Edge {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::string on;
    bool isMet = false;
};

std::string statesOf(const json::object& states, Node& node) {
    std::vector<std::pair<std::string, std::int64_t>> counts;
    for (std::size_t i = 0; i < kActionStates; ++i) {
        const auto state = static_cast<ActionState>(i);
        const std::int64_t count = integerOf(states, name(state)).value_or(0);
        if (count <= 0) continue;
        counts.emplace_back(name(state), count);
        node.hasFailed = node.hasFailed || state == ActionState::Failed;
        node.hasEnded = node.hasEnded && yard::isEnded(state);
    }
    if (counts.size() == 1 && counts.front().second == node.count) return counts.front().first;
    std::string text;
    for (const auto& [state, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
    return text.empty() ? "not known" : text;
}

std::vector<Node> nodesOf(const json::object& graph) {
    std::vector<Node> nodes;
    const json::array* list = arrayOf(graph, "nodes");
    for (const json::value& value : list ? *list : json::array()) {
        const json::object* object = value.if_object();
        if (!object) continue;
        Node& node = nodes.emplace_back();
        node.lsn = integerOf(*object, "id").value_or(0);
        node.count = integerOf(*object, "count").value_or(1);
        node.layer = integerOf(*object, "layer").value_or(0);
        node.label = printable(textOf(*object, "label"));
        if (const json::object* states = objectOf(*object, "states")) node.states = statesOf(*states, node);
        if (const json::object* estimate = objectOf(*object, "estimate")) node.left = numberOf(*estimate, "left_s");
        node.slack = numberOf(*object, "slack_s");
    }
    return nodes;
}

std::vector<Edge> edgesOf(const json::object& graph) {
    std::vector<Edge> edges;
    const json::array* list = arrayOf(graph, "edges");
    for (const json::value& value : list ? *list : json::array()) {
        const json::object* object = value.if_object();
        if (!object) continue;
        edges.push_back({.from = integerOf(*object, "from").value_or(0),
                         .to = integerOf(*object, "to").value_or(0),
                         .on = printable(textOf(*object, "on")),
                         .isMet = isTrue(*object, "met")});
    }
    return edges;
}

std::vector<std::int64_t> criticalOf(const json::object& graph) {
    std::vector<std::int64_t> lsns;
    const json::array* list = arrayOf(graph, "critical");
    for (const json::value& value : list ? *list : json::array())
        if (const std::int64_t* lsn = value.if_int64()) lsns.push_back(*lsn);
    return lsns;
}

std::string quotedForDot(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

/// What is not met yet of what each waits for, "12, 14".
std::map<std::int64_t, std::string> waitsOf(const std::vector<Edge>& edges) {
    std::map<std::int64_t, std::string> waits;
    for (const Edge& edge : edges) {
        if (edge.isMet) continue;
        std::string& text = waits[edge.to];
        text += fmt::format("{}{}", text.empty() ? "" : ", ", edge.from);
        if (edge.on != "completed") text += fmt::format(" ({})", edge.on);
    }
    return waits;
}

} // namespace

std::string graphAsDot(const json::object& graph) {
    const std::vector<std::int64_t> critical = criticalOf(graph);
    const std::set<std::int64_t> isCritical(critical.begin(), critical.end());
    std::set<std::pair<std::int64_t, std::int64_t>> steps;
    for (std::size_t i = 1; i < critical.size(); ++i) steps.emplace(critical[i - 1], critical[i]);
    std::string out = "digraph actions {\n    rankdir=LR;\n    node [shape=box];\n";
    for (const Node& node : nodesOf(graph)) {
        const std::string number =
            node.count > 1 ? fmt::format("{}, {} actions", node.lsn, node.count) : fmt::format("{}", node.lsn);
        std::string label = quotedForDot(node.label);
        label.insert(label.size() - 1, fmt::format("\\n{}\\n{}", number, node.states)); // its line breaks
        out +=
            fmt::format("    a{} [label={}{}{}];\n", node.lsn, label,
                        isCritical.contains(node.lsn) ? ", penwidth=3" : "", node.hasFailed ? ", color=red" : "");
    }
    for (const Edge& edge : edgesOf(graph)) {
        const bool isStep = steps.contains({edge.from, edge.to});
        out += fmt::format("    a{} -> a{} [style={}{}{}];\n", edge.from, edge.to, edge.isMet ? "dotted" : "solid",
                           isStep ? ", penwidth=3" : "",
                           edge.on == "completed" ? "" : fmt::format(", label={}", quotedForDot(edge.on)));
    }
    return out + "}\n";
}

std::string graphAsLines(const json::object& graph, std::optional<std::size_t> width) {
    constexpr std::int64_t kMostIndented = 20;
    const std::vector<Node> nodes = nodesOf(graph);
    if (nodes.empty()) return "Nothing waits here.\n";
    const auto waits = waitsOf(edgesOf(graph));
    const std::vector<std::int64_t> critical = criticalOf(graph);
    Table table({{"ACTION", true},
                 {"NAME", false, 12},
                 {"COUNT", true, kWhole, 1},
                 {"STATE", false, 12},
                 {"LEFT", true, kWhole, 3},
                 {"SPARE", true, kWhole, 2},
                 {"WAITS FOR", false, 8}});
    double sum = 0;
    bool isUnknown = false;
    for (const Node& node : nodes) {
        const bool isCritical = std::ranges::find(critical, node.lsn) != critical.end();
        if (isCritical) sum += node.left.value_or(0);
        isUnknown = isUnknown || (!node.hasEnded && !node.left);
        const auto indent = static_cast<std::size_t>(2 * std::clamp<std::int64_t>(node.layer, 0, kMostIndented));
        const auto waitsFor = waits.find(node.lsn);
        table.add({fmt::format("{}", node.lsn), std::string(indent, ' ') + (isCritical ? "* " : "") + node.label,
                   node.count > 1 ? fmt::format("{}", node.count) : "", node.states,
                   node.left ? durationWords(*node.left) : "-", node.slack ? durationWords(*node.slack) : "-",
                   waitsFor == waits.end() ? "" : waitsFor->second});
    }
    std::string text = table.text(width);
    if (!critical.empty())
        text += fmt::format("* critical path, {} left: {}\n", durationWords(sum), fmt::join(critical, ", "));
    else if (isUnknown)
        text += "No critical path: of some it is not known how long they take.\n";
    if (isTrue(graph, "truncated")) text += "There is more than this; --limit N shows more of it.\n";
    return text;
}

} // namespace yard::ctl
