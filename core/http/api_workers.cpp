// Registered workers: docs/api.md, 3.
#include "core/http/handler_steps.h"

#include "core/engine/state/workers.h"
#include "core/http/error_map.h"
#include "core/http/permission.h"
#include "core/json/json_writer.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

/// {"id":…, and the descriptor's members}.
std::string workerJson(const Call& call, const engine::WorkerView& worker) {
    std::string text = R"({"id":)";
    appendJsonString(text, worker.id);
    const std::string descriptor = shownDescriptor(call, worker.canonical);
    // A canonical descriptor is an object with members: what follows its brace goes on after the id.
    if (descriptor.size() > 2) text += ',';
    text += std::string_view(descriptor).substr(1);
    return text;
}

coro::Task<Response> listWorkers(Call& call) {
    const auto good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    const std::vector<engine::WorkerView> workers = co_await call.engine.ask(&engine::Workers::list);
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

coro::Task<Response> listAllWorkers(Call& call) {
    const auto good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    const std::vector<engine::WorkerView> workers = co_await call.engine.ask(&engine::Workers::list);
    std::string text = R"({"workers":[)";
    for (std::size_t i = 0; i < workers.size(); ++i) {
        if (i > 0) text += ',';
        text += workerJson(call, workers[i]);
    }
    text += "]}";
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> getWorker(Call& call) {
    const auto good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    const auto worker = co_await call.engine.ask(&engine::Workers::get, call.capture());
    co_return worker ? jsonResponse(workerJson(call, *worker)) : errorResponse(worker.error());
}

coro::Task<Response> registerWorker(Call& call) {
    const auto good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    Result<ParsedWorker> worker = ParsedWorker{};
    if (call.request.body.size() <= kInlineBytes) {
        worker = parseWorker(call.request.body);
    } else {
        auto job = [body = std::move(call.request.body)] { return parseWorker(body); };
        worker = co_await call.helpers.run(std::move(job));
    }
    if (!worker) co_return errorResponse(worker.error());
    const std::string id = worker->id.hex();
    if (call.capture() != id)
        co_return errorResponse(
            invalid("id", fmt::format("The id of this descriptor is {}; post it to workers/{}.", id, id)).error());
    const auto done = co_await call.engine.ask(&engine::Workers::add, std::move(*worker));
    co_return done ? jsonResponse(fmt::format(R"({{"id":"{}"}})", id)) : errorResponse(done.error());
}

coro::Task<Response> removeWorker(Call& call) {
    const auto good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    const auto force = call.body.flag("force");
    if (!force) co_return errorResponse(force.error());
    const auto worker = co_await call.engine.ask(&engine::Workers::get, call.capture());
    if (!worker) co_return errorResponse(worker.error());
    const auto done = co_await call.engine.ask(&engine::Workers::remove, worker->id, *force);
    co_return done ? jsonResponse(fmt::format(R"({{"id":"{}"}})", worker->id)) : errorResponse(done.error());
}

} // namespace

std::span<const Route> workerRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "workers", Both, None, Needs::Read},
         &listWorkers,
         {.id = "listWorkers", .summary = "Ids of registered workers", .answers = {{{200, "WorkerIds"}}}}},
        {{Get, "workers/all", Both, None, Needs::Read},
         &listAllWorkers,
         {.id = "listAllWorkers",
          .summary = "Registered workers with their descriptors",
          .answers = {{{200, "Workers"}}}}},
        {{Get, "workers/{worker}", Both, None, Needs::Read},
         &getWorker,
         {.id = "getWorker", .summary = "One worker's descriptor", .answers = {{{200, "Worker"}}}}},
        {{Post, "workers/{worker}", Both, Json, Needs::Operate},
         &registerWorker,
         {.id = "registerWorker",
          .summary = "Register a worker under the id of its descriptor",
          .members = kReadsItself,
          .request = "WorkerDescriptor",
          .answers = {{{200, "WorkerId"}}}}},
        {{Delete, "workers/{worker}", Both, OptionalJson, Needs::Operate},
         &removeWorker,
         {.id = "removeWorker",
          .summary = "Forget a worker",
          .members = "force",
          .request = "Force",
          .answers = {{{200, "WorkerId"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
