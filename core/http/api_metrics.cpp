// GET /metrics: figures of all parts, gathered and written.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/http/metrics_text.h"
#include "core/store/chunk_store.h"

namespace yard::http {

coro::Task<Response> Api::getMetrics(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    // What reads files is a helper's; it may come after the answer has been given up, so it owns what it uses.
    auto look = [dataDir = engine_.dataDir()] { return processFigures(dataDir); };
    ProcessFigures process = co_await helpers_.run(std::move(look));
    const engine::MetricsView view = co_await engine_.metrics();
    AllFigures figures{.engine = view,
                       .events = events_.counters(),
                       .chunks = engine_.chunks().stats(),
                       .process = process,
                       .server = {},
                       .started = started_};
    if (const Server* server = server_.load()) figures.server = server->counters();
    Response response;
    response.contentType = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metricsText(figures);
    co_return response;
}

} // namespace yard::http
