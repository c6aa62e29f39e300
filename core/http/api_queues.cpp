// Queues: docs/queues.md, docs/api.md, 4.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/http/view_json.h"
#include "core/model/json_writer.h"

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
    writer.member("running", counters.running);
    writer.member("completed", counters.completed);
    writer.member("failed", counters.failed);
    writer.member("abandoned", counters.abandoned);
    writer.member("cancelled", counters.cancelled);
    writer.member("per_minute", queue.perMinute);
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

/// Routes that take neither parameters nor members.
Result<void> takesNothing(const Api::Call& call) {
    if (auto known = call.query.allowOnly({}); !known) return known;
    const auto body = JsonRequest::parse(call.request.body, {});
    if (!body) return std::unexpected(body.error());
    return {};
}

} // namespace

coro::Task<Result<void>> Api::requireQueue(Call& call, QueueNeeded needed) {
    if (!call.queue) co_return Result<void>{};
    if (needed == QueueNeeded::Known) {
        const auto number = co_await engine_.queueNumber(*call.queue);
        if (!number) co_return std::unexpected(number.error());
    } else {
        const auto queue = co_await engine_.queue(*call.queue);
        if (!queue) co_return std::unexpected(queue.error());
    }
    co_return Result<void>{};
}

coro::Task<Response> Api::listQueues(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const std::vector<QueueView> queues = co_await engine_.queues();
    std::string text = R"({"queues":[)";
    for (const QueueView& queue : queues) {
        if (text.back() == '}') text += ',';
        appendJson(text, queue);
    }
    text += "]}";
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> Api::createQueue(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = JsonRequest::parse(call.request.body, {"tag", "config"}, "config");
    if (!body) co_return errorResponse(body.error());
    auto tag = body->word("tag", kMaxTag);
    if (!tag) co_return errorResponse(tag.error());
    co_return queueResponse(co_await engine_.createQueue(std::move(*tag), body->raw()));
}

coro::Task<Response> Api::configureQueue(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = JsonRequest::parse(call.request.body, {"config"}, "config");
    if (!body) co_return errorResponse(body.error());
    if (!body->has("config"))
        co_return errorResponse(invalid("config", "Give \"config\" with what is to change.").error());
    co_return queueResponse(co_await engine_.configureQueue(*call.queue, body->raw()));
}

coro::Task<Response> Api::getQueue(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    co_return queueResponse(co_await engine_.queue(*call.queue));
}

coro::Task<Response> Api::deleteQueue(Call& call) {
    if (const auto nothing = takesNothing(call); !nothing) co_return errorResponse(nothing.error());
    const auto queue = co_await engine_.queue(*call.queue);
    if (!queue) co_return errorResponse(queue.error());
    const auto done = co_await engine_.deleteQueue(*call.queue);
    if (!done) co_return errorResponse(done.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("queue_id", queue->id.value);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> Api::holdQueue(Call& call) {
    if (const auto nothing = takesNothing(call); !nothing) co_return errorResponse(nothing.error());
    co_return queueResponse(co_await engine_.holdQueue(*call.queue));
}

coro::Task<Response> Api::releaseQueue(Call& call) {
    if (const auto nothing = takesNothing(call); !nothing) co_return errorResponse(nothing.error());
    co_return queueResponse(co_await engine_.releaseQueue(*call.queue));
}

coro::Task<Response> Api::drainQueue(Call& call) {
    if (const auto nothing = takesNothing(call); !nothing) co_return errorResponse(nothing.error());
    co_return queueResponse(co_await engine_.drainQueue(*call.queue));
}

coro::Task<Response> Api::cancelQueue(Call& call) {
    if (const auto nothing = takesNothing(call); !nothing) co_return errorResponse(nothing.error());
    co_return queueResponse(co_await engine_.cancelQueue(*call.queue));
}

} // namespace yard::http
