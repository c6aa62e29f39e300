// Tokens for others: docs/tokens.md.
#include "core/http/route.h"

#include "core/engine/state/queues.h"
#include "core/http/error_map.h"
#include "core/http/tokens.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace yard::http {

namespace {

void writeToken(JsonWriter& writer, const Caller& caller, std::string_view token = {}) {
    writer.openObject();
    writer.member("name", caller.name);
    writer.member("rights", name(caller.right));
    if (!caller.queues.empty()) {
        writer.key("queues");
        writer.openArray();
        for (const QueueId queue : caller.queues) writer.integer(queue.value);
        writer.closeArray();
    }
    if (caller.created != 0) writer.member("created", caller.created);
    if (caller.expires != 0) writer.member("expires", caller.expires);
    if (!token.empty()) writer.member("token", token);
    writer.closeObject();
}

coro::Task<Response> listTokens(Call& call) {
    const auto callers = call.api.tokens.all();
    if (!callers) co_return errorResponse(callers.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("tokens");
    writer.openArray();
    for (const auto& caller : *callers) writeToken(writer, *caller);
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

/// Of the token that asks. The owner's has no name and was not made.
coro::Task<Response> getToken(Call& call) {
    std::string text;
    JsonWriter writer(text);
    writeToken(writer, *call.request.presence.caller());
    co_return jsonResponse(std::move(text));
}

std::optional<QueueRef> queueRefOf(JsonView value) {
    if (value.kind() == JsonKind::String) return parseQueueRef(value.string());
    if (value.kind() != JsonKind::Integer || value.node().integer < 0) return std::nullopt;
    return QueueRef{QueueId(value.node().integer), {}};
}

/// The member "queues", a list of numbers and tokens of queues that there are.
coro::Task<Result<std::vector<QueueId>>> readTokenQueues(Call& call) {
    std::vector<QueueId> queues;
    if (call.body.raw().empty()) co_return queues;
    const auto wrong = [] {
        return invalid("queues", fmt::format("Give \"queues\" as a list of 1 to {} queues, each by its number or "
                                             "its token, or leave it out.",
                                             kMostTokenQueues));
    };
    const auto tape = readJson(call.body.raw());
    if (!tape) co_return std::unexpected(tape.error());
    const JsonView list = tape->root();
    // An empty one would reach all of them.
    if (list.kind() != JsonKind::Array || list.count() == 0 || list.count() > kMostTokenQueues) co_return wrong();
    for (const JsonView value : list) {
        auto ref = queueRefOf(value);
        if (!ref) co_return wrong();
        const auto queue = co_await call.engine.ask(&engine::Queues::get, std::move(*ref));
        if (!queue) co_return invalid("queues", queue.error().message);
        if (std::ranges::find(queues, queue->id) == queues.end()) queues.push_back(queue->id);
    }
    co_return queues;
}

coro::Task<Response> makeToken(Call& call) {
    Tokens::Wanted wanted;
    auto name = call.body.word("name", kMostTokenName);
    if (!name) co_return errorResponse(name.error());
    wanted.name = std::move(*name);
    const auto word = call.body.word("rights", kMostTokenName);
    const auto right = word ? rightFrom(*word) : std::nullopt;
    if (!right)
        co_return errorResponse(invalid("rights", fmt::format("Give \"rights\" as {}.", rightNames())).error());
    wanted.right = *right;
    const auto seconds = call.body.integer("expires_s", 1, kLongestToken);
    if (!seconds) co_return errorResponse(seconds.error());
    wanted.seconds = seconds->value_or(0);
    auto queues = co_await readTokenQueues(call);
    if (!queues) co_return errorResponse(queues.error());
    if (!queues->empty() && *right != Right::Submit)
        co_return errorResponse(
            invalid("queues", "Give \"queues\" with the right submit only; the others do not end at a queue.")
                .error());
    wanted.queues = std::move(*queues);
    const auto made = co_await call.api.tokens.make(std::move(wanted), call.helpers);
    if (!made) co_return errorResponse(made.error());
    std::string text;
    JsonWriter writer(text);
    writeToken(writer, *made->caller, made->token);
    co_return jsonResponse(std::move(text));
}

/// Who removes his own token is told, and then has to leave.
coro::Task<Response> removeToken(Call& call) {
    const std::string name = call.capture();
    const auto done = co_await call.api.tokens.remove(name, call.request.link, call.helpers);
    if (!done) co_return errorResponse(done.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("name", name);
    writer.closeObject();
    Response response = jsonResponse(std::move(text));
    const Caller* caller = call.request.presence.caller();
    response.close = caller && caller->isOver();
    co_return response;
}

} // namespace

std::span<const Route> tokenRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "token", Global, None, Needs::Read},
         &getToken,
         {.id = "getToken",
          .summary = "What the token that asks allows, without the token itself",
          .answers = {{{200, "Token"}}}}},
        {{Get, "tokens", Global, None, Needs::Admin},
         &listTokens,
         {.id = "listTokens",
          .summary = "The tokens that were made for others, without the tokens themselves",
          .answers = {{{200, "Tokens"}}}}},
        {{Post, "tokens", Global, Json, Needs::Admin},
         &makeToken,
         {.id = "makeToken",
          .summary = "Make a token for somebody else; it is told once",
          .members = "name rights queues expires_s",
          .rawMember = "queues",
          .request = "NewToken",
          .answers = {{{200, "MadeToken"}}}}},
        {{Delete, "tokens/{name}", Global, OptionalJson, Needs::Admin},
         &removeToken,
         {.id = "removeToken",
          .summary = "Remove a token; its connections end at once",
          .answers = {{{200, "TokenRemoved"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
