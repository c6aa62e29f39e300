// Comments on actions and queues: docs/api.md, "Marks and comments". Marks are set by PATCH (api_bulk.cpp,
// api_queues.cpp).
#include "core/http/handler_steps.h"

#include "core/engine/commands/annotating.h"
#include "core/http/caller.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"
#include "core/model/annotation.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

/// Bytes of as many characters as text has at most.
constexpr std::size_t kMostBytesOfCharacter = 4;

/// What was posted, yet without the time. How long it is, and of what, the engine checks. Who has a token of their own
/// writes by its name: nobody writes in the name of others but the owner.
Result<Comment> readComment(const Call& call) {
    const JsonRequest& body = call.body;
    auto text = body.text("text", kMostCommentCharacters * kMostBytesOfCharacter);
    if (!text) return std::unexpected(text.error());
    auto by = body.word("by", kMostAuthorCharacters * kMostBytesOfCharacter);
    if (!by) return std::unexpected(by.error());
    if (const Caller* caller = call.request.presence.caller(); caller && !caller->name.empty()) *by = caller->name;
    return Comment{.t = 0, .by = std::move(*by), .text = std::move(*text)};
}

Response commentResponse(const Result<Comment>& comment) {
    if (!comment) return errorResponse(comment.error());
    std::string text;
    JsonWriter writer(text);
    writeComment(writer, *comment);
    return jsonResponse(std::move(text));
}

Response commentsResponse(const Result<std::vector<Comment>>& comments) {
    if (!comments) return errorResponse(comments.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("comments");
    writer.openArray();
    for (const Comment& comment : *comments) writeComment(writer, comment);
    writer.closeArray();
    writer.closeObject();
    return jsonResponse(std::move(text));
}

coro::Task<Response> listComments(Call& call) {
    co_return commentsResponse(co_await call.engine.ask(&engine::Annotating::comments, call.lsn()));
}

coro::Task<Response> addComment(Call& call) {
    auto comment = readComment(call);
    if (!comment) co_return errorResponse(comment.error());
    co_return commentResponse(
        co_await call.engine.ask(&engine::Annotating::comment, call.lsn(), std::move(*comment)));
}

coro::Task<Response> listQueueComments(Call& call) {
    co_return commentsResponse(co_await call.engine.ask(&engine::Annotating::queueComments, *call.queue));
}

coro::Task<Response> addQueueComment(Call& call) {
    auto comment = readComment(call);
    if (!comment) co_return errorResponse(comment.error());
    co_return commentResponse(
        co_await call.engine.ask(&engine::Annotating::commentQueue, *call.queue, std::move(*comment)));
}

} // namespace

Result<std::optional<Mark>> readMark(const JsonRequest& body) {
    if (!body.has("mark")) return std::nullopt;
    if (body.isNull("mark")) return Mark::None;
    const auto word = body.word("mark", kMaxFilterBytes);
    const auto mark = word ? markFrom(*word) : std::nullopt;
    if (mark && *mark != Mark::None) return mark;
    return invalid("mark", fmt::format("Give \"mark\" as one of {}, or as null to take it away.", markNames()));
}

std::span<const Route> annotationRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "jobs/{lsn}/comments", Both, None, Needs::Read},
         &listComments,
         {.id = "listComments",
          .summary = "What people wrote about an action, the oldest first",
          .answers = {{{200, "Comments"}}}}},
        {{Post, "jobs/{lsn}/comments", Both, Json, Needs::Steer},
         &addComment,
         {.id = "addComment",
          .summary = "Write something about an action, whatever its state",
          .members = "text by",
          .request = "NewComment",
          .answers = {{{200, "Comment"}}}}},
        {{Get, "comments", Queue, None, Needs::Read},
         &listQueueComments,
         {.id = "listQueueComments",
          .summary = "What people wrote about a queue, the oldest first",
          .answers = {{{200, "Comments"}}}}},
        {{Post, "comments", Queue, Json, Needs::Steer},
         &addQueueComment,
         {.id = "addQueueComment",
          .summary = "Write something about a queue",
          .members = "text by",
          .request = "NewComment",
          .answers = {{{200, "Comment"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
