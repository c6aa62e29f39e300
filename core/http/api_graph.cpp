// Who waits for whom, around an action or of a queue.
#include "core/http/route.h"

#include "core/engine/reading/graphs.h"
#include "core/engine/state/graph_view.h"
#include "core/http/error_map.h"
#include "core/http/request_limits.h"
#include "core/json/json_writer.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace yard::http {

namespace {

using engine::GraphEdge;
using engine::GraphNode;
using engine::GraphView;

double wholeMillis(Duration time) {
    return std::round(std::chrono::duration<double, std::milli>(time).count()) / 1e3;
}

void writeNode(JsonWriter& writer, const GraphNode& node) {
    writer.openObject();
    writer.member("id", node.lsn.value);
    writer.member("lsn", node.lsn.value);
    writer.member("count", node.count);
    writer.member("label", node.label);
    writer.key("states");
    writer.openObject();
    for (std::size_t i = 0; i < kActionStates; ++i)
        if (node.states[i] > 0) writer.member(name(static_cast<ActionState>(i)), node.states[i]);
    writer.closeObject();
    writer.member("layer", std::int64_t{node.layer});
    if (node.left || node.gap != EstimateGap::None) {
        writer.key("estimate");
        writer.openObject();
        if (node.left)
            writer.member("left_s", wholeMillis(*node.left));
        else
            writer.member("unknown", name(node.gap));
        writer.closeObject();
    }
    if (node.slack) writer.member("slack_s", wholeMillis(*node.slack));
    writer.closeObject();
}

std::string toJson(const GraphView& view) {
    constexpr std::size_t kUsualNodeBytes = 160;
    constexpr std::size_t kUsualEdgeBytes = 50;
    std::string text;
    text.reserve(view.nodes.size() * kUsualNodeBytes + view.edges.size() * kUsualEdgeBytes + 128);
    JsonWriter writer(text);
    writer.openObject();
    writer.key("nodes");
    writer.openArray();
    for (const GraphNode& node : view.nodes) writeNode(writer, node);
    writer.closeArray();
    writer.key("edges");
    writer.openArray();
    for (const GraphEdge& edge : view.edges) {
        writer.openObject();
        writer.member("from", edge.from.value);
        writer.member("to", edge.to.value);
        writer.member("on", name(edge.on));
        writer.member("met", edge.isMet);
        writer.closeObject();
    }
    writer.closeArray();
    writer.key("critical");
    writer.openArray();
    for (const Lsn node : view.critical) writer.integer(node.value);
    writer.closeArray();
    writer.member("truncated", view.isTruncated);
    writer.closeObject();
    return text;
}

Result<engine::GraphQuery> readGraphQuery(const Query& parameters) {
    engine::GraphQuery query;
    const auto lsn = parameters.integer("lsn", 1, kMostLsn);
    if (!lsn) return std::unexpected(lsn.error());
    const auto queue = parameters.text("queue");
    if (lsn->has_value() == queue.has_value())
        return invalid(*lsn ? "queue" : "lsn", "A graph is of an action or of a queue: give \"lsn\" or \"queue\".");
    query.lsn = Lsn(lsn->value_or(0));
    if (queue) query.queue = parseQueueRef(*queue);
    if (queue && !query.queue)
        return invalid("queue", "Name a queue by its number or its token; GET queues lists them.");
    const auto fold = parameters.flag("fold");
    if (!fold) return std::unexpected(fold.error());
    query.isFolded = *fold;
    const auto limit = parameters.integer("limit", 1, engine::kMostGraphNodes);
    if (!limit) return std::unexpected(limit.error());
    query.limit = static_cast<int>(limit->value_or(engine::kGraphNodes));
    return query;
}

coro::Task<Response> getGraph(Call& call) {
    const auto query = readGraphQuery(call.query);
    if (!query) co_return errorResponse(query.error());
    auto view = co_await call.engine.ask(&engine::Graphs::view, *query);
    if (!view) co_return errorResponse(view.error());
    // Of ten thousand nodes it takes a while to be written down.
    constexpr std::size_t kInlineNodes = 500;
    if (view->nodes.size() + view->edges.size() <= kInlineNodes) co_return jsonResponse(toJson(*view));
    co_return jsonResponse(co_await call.helpers.run([graph = std::move(*view)] { return toJson(graph); }));
}

} // namespace

std::span<const Route> graphRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "graph", Global, None, Needs::Read},
         &getGraph,
         {.id = "getGraph",
          .summary = "Who waits for whom, around an action or of a queue",
          .query = "lsn=action queue fold limit=nodes",
          .answers = {{{200, "Graph"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
