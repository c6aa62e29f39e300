// GET /metrics: figures of all parts, gathered and written.
#include "core/engine/reading/inside.h"
#include "core/engine/reading/overview.h"
#include "core/http/route.h"

#include "core/http/event_hub.h"
#include "core/http/metrics_text.h"
#include "core/http/server.h"
#include "core/store/chunk_store.h"

#include <utility>
#include <vector>

namespace yard::http {

namespace {

coro::Task<Response> getMetrics(Call& call) {
    // What reads files is a helper's; it may come after the answer has been given up, so it owns what it uses.
    auto look = [dataDir = call.engine.dataDir()] { return processFigures(dataDir); };
    ProcessFigures process = co_await call.helpers.run(std::move(look));
    const engine::MetricsView view = co_await call.engine.ask(&engine::Overview::metrics);
    std::vector<engine::MemoryPart> memory = co_await call.engine.ask(&engine::Inside::memory);
    AllFigures figures{.engine = view,
                       .events = call.api.events.counters(),
                       .chunks = call.engine.chunks().stats(),
                       .process = process,
                       .server = {},
                       .started = call.api.started,
                       .memory = std::move(memory)};
    if (const Server* server = call.api.server.load()) figures.server = server->counters();
    Response response;
    response.contentType = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metricsText(figures);
    co_return response;
}

} // namespace

std::span<const Route> metricsRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "metrics", Root, None, Needs::Read},
         &getMetrics,
         {.id = "getMetrics", .summary = "Figures in the text format of Prometheus", .answers = {{{200, "text"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
