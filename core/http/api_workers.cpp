// Registered workers: docs/api.md, 3.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/model/json_writer.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

/// {"id":…, and the descriptor's members}
std::string workerJson(const engine::WorkerView& worker) {
    std::string text = R"({"id":)";
    appendJsonString(text, worker.id);
    // A canonical descriptor is an object with members: what follows its brace goes on after the id.
    if (worker.canonical.size() > 2) text += ',';
    text += std::string_view(worker.canonical).substr(1);
    return text;
}

} // namespace

coro::Task<Response> Api::listWorkers(Call& call) {
    Result<void> good = call.query.allowOnly({});
    if (good) good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    const std::vector<engine::WorkerView> workers = co_await engine_.workers();
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("workers");
    writer.openArray();
    for (const engine::WorkerView& worker : workers) writer.string(worker.id);
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> Api::listAllWorkers(Call& call) {
    Result<void> good = call.query.allowOnly({});
    if (good) good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    const std::vector<engine::WorkerView> workers = co_await engine_.workers();
    std::string text = R"({"workers":[)";
    for (std::size_t i = 0; i < workers.size(); ++i) {
        if (i > 0) text += ',';
        text += workerJson(workers[i]);
    }
    text += "]}";
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> Api::getWorker(Call& call) {
    Result<void> good = call.query.allowOnly({});
    if (good) good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    const auto worker = co_await engine_.worker(call.capture());
    co_return worker ? jsonResponse(workerJson(*worker)) : errorResponse(worker.error());
}

coro::Task<Response> Api::registerWorker(Call& call) {
    Result<void> good = call.query.allowOnly({});
    if (good) good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    Result<ParsedWorker> worker = ParsedWorker{};
    if (call.request.body.size() <= kInlineBytes) {
        worker = parseWorker(call.request.body);
    } else {
        auto job = [body = std::move(call.request.body)] { return parseWorker(body); };
        worker = co_await helpers_.run(std::move(job));
    }
    if (!worker) co_return errorResponse(worker.error());
    const std::string id = worker->id.hex();
    if (call.capture() != id)
        co_return errorResponse(
            invalid("id", fmt::format("The id of this descriptor is {}; post it to workers/{}.", id, id)).error());
    const auto done = co_await engine_.registerWorker(std::move(*worker));
    co_return done ? jsonResponse(fmt::format(R"({{"id":"{}"}})", id)) : errorResponse(done.error());
}

coro::Task<Response> Api::removeWorker(Call& call) {
    Result<void> good = call.query.allowOnly({});
    if (good) good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    const auto body = JsonRequest::parse(call.request.body, {"force"});
    if (!body) co_return errorResponse(body.error());
    const auto force = body->flag("force");
    if (!force) co_return errorResponse(force.error());
    const auto worker = co_await engine_.worker(call.capture());
    if (!worker) co_return errorResponse(worker.error());
    const auto done = co_await engine_.removeWorker(worker->id, *force);
    co_return done ? jsonResponse(fmt::format(R"({{"id":"{}"}})", worker->id)) : errorResponse(done.error());
}

} // namespace yard::http
