// POST gc: clear up, or say what would go.
#include "core/http/route.h"

#include "core/engine/running/retention.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"

namespace yard::http {

namespace {

std::string reportJson(const engine::GcReport& report) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("dry_run", report.dryRun);
    writer.key("actions");
    writer.openObject();
    writer.member("age", report.byAge);
    writer.member("count", report.byCount);
    writer.member("size", report.bySize);
    writer.closeObject();
    writer.key("chunks");
    writer.openObject();
    writer.member("count", report.chunks);
    writer.member("bytes", report.chunkBytes);
    writer.member("recent", report.chunksRecent);
    writer.closeObject();
    writer.member("packs", report.packs);
    writer.member("journal_pages", report.journalPages);
    writer.member("finished", report.actionsKept);
    writer.key("disk");
    writer.openObject();
    writer.member("used_bytes", report.usedBytes);
    writer.member("log_bytes", report.logBytes);
    writer.member("workers_bytes", report.workersBytes);
    if (report.limitBytes > 0) writer.member("limit_bytes", report.limitBytes);
    writer.member("size_bytes", report.diskBytes);
    writer.closeObject();
    if (!report.note.empty()) writer.member("note", report.note);
    writer.closeObject();
    return text;
}

coro::Task<Response> clearUp(Call& call) {
    const auto dryRun = call.body.flag("dry_run");
    if (!dryRun) co_return errorResponse(dryRun.error());
    const auto report = co_await call.engine.ask(&engine::Retention::pass, *dryRun);
    co_return report ? jsonResponse(reportJson(*report)) : errorResponse(report.error());
}

} // namespace

std::span<const Route> gcRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Post, "gc", Global, OptionalJson, Needs::Admin},
         &clearUp,
         {.id = "clearUp",
          .summary = "Take away what the settings keep_… do not keep, or say what would go",
          .members = "dry_run",
          .request = "ClearUp",
          .answers = {{{200, "ClearedUp"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
