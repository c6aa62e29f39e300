// The order that people give what waits in a queue.
#include "core/engine/commands/moving.h"
#include "core/http/error_map.h"
#include "core/http/handler_steps.h"
#include "core/http/json_request.h"
#include "core/json/json_writer.h"
#include "core/model/limits.h"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <utility>

namespace yard::http {

namespace {

Result<session::MoveTo> readTo(std::string_view raw) {
    using enum session::MoveTo::Where;
    constexpr std::array kWords{std::pair{"\"top\"", Top}, std::pair{"\"up\"", Up}, std::pair{"\"down\"", Down},
                                std::pair{"\"bottom\"", Bottom}};
    for (const auto& [word, where] : kWords)
        if (raw == word) return session::MoveTo{.where = where, .before = {}};
    if (!raw.starts_with('{'))
        return invalid("to", "Give \"to\" as \"top\", \"up\", \"down\", \"bottom\", or {\"before\": LSN}.");
    const auto members = JsonRequest::parse(raw, "before");
    if (!members) return std::unexpected(members.error());
    const auto before = members->integer("before", 1, std::numeric_limits<std::int64_t>::max());
    if (!before) return std::unexpected(before.error());
    if (!*before) return invalid("before", "Give \"before\" as the LSN of an action that waits in the same queue.");
    return session::MoveTo{.where = Before, .before = Lsn(**before)};
}

coro::Task<Result<engine::MoveAnswer>> moveAsked(Call& call) {
    const JsonRequest& body = call.body;
    const auto to = readTo(body.raw());
    if (!to) co_return std::unexpected(to.error());
    if (to->where == session::MoveTo::Where::Before)
        if (auto inQueue = co_await checkQueue(call, to->before); !inQueue)
            co_return std::unexpected(std::move(inQueue.error()));
    if (body.has("filter") == body.has("lsns"))
        co_return invalid("lsns",
                          fmt::format("Give either \"lsns\", a list of 1 to {} LSNs, or \"filter\".", kMaxBulk));
    engine::MoveRequest request{.lsns = {}, .which = {}, .to = *to};
    if (body.has("filter")) {
        auto which = readChosen(call);
        if (!which) co_return std::unexpected(which.error());
        request.which = std::move(*which);
        co_return co_await call.engine.ask(&engine::Moving::move, std::move(request));
    }
    auto lsns = body.lsns("lsns", kMaxBulk);
    if (!lsns) co_return std::unexpected(lsns.error());
    std::vector<std::pair<Lsn, Error>> elsewhere;
    for (const Lsn lsn : *lsns) {
        if (auto inQueue = co_await checkQueue(call, lsn); inQueue)
            request.lsns.push_back(lsn);
        else
            elsewhere.emplace_back(lsn, std::move(inQueue.error()));
    }
    auto answer = co_await call.engine.ask(&engine::Moving::move, std::move(request));
    if (answer) answer->refused.insert(answer->refused.end(), elsewhere.begin(), elsewhere.end());
    co_return answer;
}

coro::Task<Response> moveJobs(Call& call) {
    const auto answer = co_await moveAsked(call);
    if (!answer) co_return errorResponse(answer.error());
    if (answer->moved == 0 && !answer->refused.empty()) co_return errorResponse(answer->refused.front().second);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("changed", answer->changed);
    if (answer->queue) writer.member("queue_id", answer->queue->value);
    if (answer->place) writer.member("place", *answer->place);
    writeRefused(writer, answer->refused);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

} // namespace

std::span<const Route> movingRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Post, "jobs/move", Both, Json, Needs::Steer},
         &moveJobs,
         {.id = "moveJobs",
          .summary = "Move pending actions within the order of their queue",
          .members = "lsns filter to",
          .rawMember = "to",
          .request = "MoveMany",
          .answers = {{{200, "Moved"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
