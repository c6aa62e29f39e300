// Replays: recordings run again here, and what was different (docs/recordings.md).
#include "core/http/route.h"

#include "core/engine/recordings/replays.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::http {

namespace {

using engine::Replays;
using engine::ReplayView;

void writeReplay(JsonWriter& writer, const ReplayView& view) {
    writer.openObject();
    writer.member("id", view.id);
    writer.member("recording", view.recording);
    writer.member("queue_id", view.queue.value);
    writer.member("state", engine::name(view.state));
    if (!view.why.empty()) writer.member("why", view.why);
    writer.member("actions", view.actions);
    writer.member("submitted", view.submitted);
    writer.member("ended", view.ended);
    writer.member("different", view.different);
    writer.member("impossible", view.impossible);
    writer.member("differences", view.differences);
    writer.member("started", view.started);
    if (view.finished != 0) writer.member("finished", view.finished);
    const std::int64_t left = view.actions - view.ended - view.impossible;
    if (view.state == engine::ReplayState::Running && view.ended > 0 && left >= 0)
        writer.member("eta", wallNow() + (wallNow() - view.started) / view.ended * left);
    writer.closeObject();
}

Response replayResponse(const Result<ReplayView>& view) {
    if (!view) return errorResponse(view.error());
    std::string text;
    JsonWriter writer(text);
    writeReplay(writer, *view);
    return jsonResponse(std::move(text));
}

coro::Task<Response> startReplay(Call& call) {
    auto terms = recording::parseReplayTerms(call.request.body);
    if (!terms) co_return errorResponse(terms.error());
    co_return replayResponse(co_await call.engine.ask(&Replays::start, call.capture(), std::move(*terms)));
}

coro::Task<Response> getReplays(Call& call) {
    const auto views = co_await call.engine.ask(&Replays::list);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("replays");
    writer.openArray();
    for (const ReplayView& view : views) writeReplay(writer, view);
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> getReplay(Call& call) {
    co_return replayResponse(co_await call.engine.ask(&Replays::get, call.number()));
}

coro::Task<Response> cancelReplay(Call& call) {
    co_return replayResponse(co_await call.engine.ask(&Replays::cancel, call.number()));
}

std::string toJson(const engine::ReplayDifferences& page) {
    std::string text;
    JsonWriter writer(text);
    const auto value = [&](std::string_view key, const std::string& json) {
        writer.key(key);
        writer.raw(json.empty() ? "null" : json);
    };
    writer.openObject();
    writer.key("differences");
    writer.openArray();
    for (const engine::ReplayDifference& one : page.differences) {
        writer.openObject();
        writer.member("lsn", one.lsn.value);
        if (one.replayed.value != 0) writer.member("replayed", one.replayed.value);
        writer.member("what", one.difference.what);
        if (!one.difference.name.empty()) writer.member("name", one.difference.name);
        value("recorded", one.difference.recorded);
        value("replayed_value", one.difference.replayed);
        if (!one.difference.diff.empty()) writer.member("diff", one.difference.diff);
        writer.closeObject();
    }
    writer.closeArray();
    if (page.next != 0) writer.member("cursor", fmt::format("{}", page.next));
    writer.closeObject();
    return text;
}

coro::Task<Response> getDifferences(Call& call) {
    constexpr auto kMost = static_cast<std::int64_t>(engine::kReplayDifferencesOfPage);
    const auto limit = call.query.integer("limit", 1, kMost);
    if (!limit) co_return errorResponse(limit.error());
    const auto from = call.query.integer("cursor", 0, static_cast<std::int64_t>(engine::kMostReplayDifferences));
    if (!from) co_return errorResponse(from.error());
    const auto page =
        co_await call.engine.ask(&Replays::differences, call.number(), static_cast<std::size_t>(from->value_or(0)),
                                 static_cast<std::size_t>(limit->value_or(kMost)));
    co_return page ? jsonResponse(toJson(*page)) : errorResponse(page.error());
}

} // namespace

std::span<const Route> replayRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Post, "recordings/{name}/replay", Global, OptionalJson, Needs::Operate},
         &startReplay,
         {.id = "startReplay",
          .summary = "Submit what was recorded again, in a queue of its own, and compare what it does",
          .members = kReadsItself,
          .request = "StartReplay",
          .answers = {{{200, "Replay"}}}}},
        {{Get, "replays", Global, None, Needs::Read},
         &getReplays,
         {.id = "getReplays",
          .summary = "Replays since the start, the oldest first",
          .answers = {{{200, "Replays"}}}}},
        {{Get, "replays/{id}", Global, None, Needs::Read},
         &getReplay,
         {.id = "getReplay", .summary = "How far a replay is", .answers = {{{200, "Replay"}}}}},
        {{Get, "replays/{id}/differences", Global, None, Needs::Admin},
         &getDifferences,
         {.id = "getReplayDifferences",
          .summary = "What was different, with both sides",
          .query = "limit=differences cursor=differences_cursor",
          .answers = {{{200, "ReplayDifferences"}}}}},
        {{Post, "replays/{id}/cancel", Global, OptionalJson, Needs::Operate},
         &cancelReplay,
         {.id = "cancelReplay", .summary = "Cancel what has not ended", .answers = {{{200, "Replay"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
