// Queues: docs/queues.md, docs/api.md, 4.
#include "core/http/handler_steps.h"

#include "core/engine/reading/action_rows.h"
#include "core/engine/state/queues.h"
#include "core/http/error_map.h"
#include "core/http/view_json.h"
#include "core/json/json_writer.h"

#include <fmt/format.h>

namespace yard::http {

void appendJson(std::string& text, const QueueView& queue) {
    JsonWriter writer(text);
    const QueueCounters& counters = queue.counters;
    writer.openObject();
    writer.member("queue_id", queue.id.value);
    if (!queue.token.empty()) writer.member("token", queue.token);
    if (!queue.tag.empty()) writer.member("tag", queue.tag);
    writer.member("state", name(queue.state));
    writer.member("held", queue.held);
    writer.member("active", counters.active());
    writer.member("pending", counters.pending);
    writer.member("held_actions", queue.heldActions);
    writer.member("running", counters.running);
    writer.member("completed", counters.completed);
    writer.member("failed", counters.failed);
    writer.member("abandoned", counters.abandoned);
    writer.member("cancelled", counters.cancelled);
    writeAnnotations(writer, queue.mark, queue.comments);
    if (queue.perMinute) writer.member("per_minute", *queue.perMinute);
    writeEstimate(writer, queue.estimatedStart, queue.estimatedFinish, queue.estimateGap);
    writer.key("config");
    writer.raw(toJson(queue.config));
    writer.closeObject();
}

namespace {

Response queueResponse(const Result<QueueView>& queue) {
    if (!queue) return errorResponse(queue.error());
    std::string text;
    appendJson(text, *queue);
    return jsonResponse(std::move(text));
}

coro::Task<Response> listQueues(Call& call) {
    const std::vector<QueueView> queues = co_await call.engine.ask(&engine::Queues::list);
    std::string text = R"({"queues":[)";
    for (const QueueView& queue : queues) {
        if (text.back() == '}') text += ',';
        appendJson(text, queue);
    }
    text += "]}";
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> createQueue(Call& call) {
    auto tag = call.body.word("tag", kMaxTag);
    if (!tag) co_return errorResponse(tag.error());
    co_return queueResponse(co_await call.engine.ask(&engine::Queues::create, std::move(*tag), call.body.raw()));
}

coro::Task<Response> configureQueue(Call& call) {
    const auto mark = readMark(call.body);
    if (!mark) co_return errorResponse(mark.error());
    const bool configures = call.body.has("config");
    if (!configures && !*mark)
        co_return errorResponse(
            invalid("config", "Give \"config\" with what is to change, \"mark\", or both.").error());
    if (!configures) co_return queueResponse(co_await call.engine.ask(&engine::Queues::mark, *call.queue, **mark));
    auto queue = co_await call.engine.ask(&engine::Queues::configure, *call.queue, call.body.raw());
    if (queue && *mark) queue = co_await call.engine.ask(&engine::Queues::mark, *call.queue, **mark);
    co_return queueResponse(queue);
}

coro::Task<Response> getQueue(Call& call) {
    co_return queueResponse(co_await call.engine.ask(&engine::Queues::get, *call.queue));
}

coro::Task<Response> deleteQueue(Call& call) {
    const auto queue = co_await call.engine.ask(&engine::Queues::get, *call.queue);
    if (!queue) co_return errorResponse(queue.error());
    const auto done = co_await call.engine.ask(&engine::Queues::remove, *call.queue);
    if (!done) co_return errorResponse(done.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("queue_id", queue->id.value);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> holdQueue(Call& call) {
    co_return queueResponse(co_await call.engine.ask(&engine::Queues::setHeld, *call.queue, true));
}

coro::Task<Response> releaseQueue(Call& call) {
    co_return queueResponse(co_await call.engine.ask(&engine::Queues::setHeld, *call.queue, false));
}

coro::Task<Response> drainQueue(Call& call) {
    co_return queueResponse(co_await call.engine.ask(&engine::Queues::drain, *call.queue));
}

coro::Task<Response> cancelQueue(Call& call) {
    co_return queueResponse(co_await call.engine.ask(&engine::Queues::cancel, *call.queue));
}

} // namespace

coro::Task<Result<void>> requireQueue(Call& call, QueueNeeded needed) {
    if (!call.queue) co_return Result<void>{};
    if (needed == QueueNeeded::Known) {
        const auto number = co_await call.engine.ask(&engine::Queues::numberOf, *call.queue);
        if (!number) co_return std::unexpected(number.error());
    } else {
        const auto queue = co_await call.engine.ask(&engine::Queues::get, *call.queue);
        if (!queue) co_return std::unexpected(queue.error());
    }
    co_return Result<void>{};
}

coro::Task<Result<void>> checkQueue(Call& call, Lsn lsn) {
    if (!call.queue) co_return Result<void>{};
    const auto queue = co_await call.engine.ask(&engine::Queues::numberOf, *call.queue);
    if (!queue) co_return std::unexpected(queue.error());
    const auto action = co_await call.engine.ask(&engine::ActionRows::action, lsn);
    if (!action) co_return std::unexpected(action.error());
    if (action->queue != *queue)
        co_return fail(ErrorKind::NotFound,
                       fmt::format("Action {} is not in this queue but in queue {}: ask for jobs/{} there.",
                                   lsn.value, action->queue.value, lsn.value));
    co_return Result<void>{};
}

std::span<const Route> queueRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "queues", Global, None, Needs::Read},
         &listQueues,
         {.id = "listQueues", .summary = "All queues", .answers = {{{200, "Queues"}}}}},
        {{Post, "queues", Global, OptionalJson, Needs::Operate},
         &createQueue,
         {.id = "createQueue",
          .summary = "Make a queue",
          .members = "tag config",
          .rawMember = "config",
          .request = "CreateQueue",
          .answers = {{{200, "Queue"}}}}},
        {{Get, "", Queue, None, Needs::Read},
         &getQueue,
         {.id = "getQueue", .summary = "One queue", .answers = {{{200, "Queue"}}}}},
        {{Delete, "", Queue, OptionalJson, Needs::Operate},
         &deleteQueue,
         {.id = "deleteQueue",
          .summary = "Cancel what is active, then forget the queue",
          .answers = {{{200, "QueueDeleted"}}}}},
        {{Patch, "", Queue, Json, Needs::Operate},
         &configureQueue,
         {.id = "configureQueue",
          .summary = "Change a queue's configuration, or its mark",
          .members = "config mark",
          .rawMember = "config",
          .request = "ConfigureQueue",
          .answers = {{{200, "Queue"}}}}},
        {{Post, "hold", Queue, OptionalJson, Needs::Operate},
         &holdQueue,
         {.id = "holdQueue", .summary = "Start nothing of this queue", .answers = {{{200, "Queue"}}}}},
        {{Post, "release", Queue, OptionalJson, Needs::Operate},
         &releaseQueue,
         {.id = "releaseQueue", .summary = "Let a held queue go on", .answers = {{{200, "Queue"}}}}},
        {{Post, "drain", Queue, OptionalJson, Needs::Operate},
         &drainQueue,
         {.id = "drainQueue", .summary = "Take no new actions, for good", .answers = {{{200, "Queue"}}}}},
        {{Post, "cancel", Queue, OptionalJson, Needs::Operate},
         &cancelQueue,
         {.id = "cancelQueue", .summary = "Cancel all of this queue, for good", .answers = {{{200, "Queue"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
