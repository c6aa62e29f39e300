// POST gc: clear up, or say what would go.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/model/json_writer.h"

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
    if (report.limitBytes > 0) writer.member("limit_bytes", report.limitBytes);
    writer.member("size_bytes", report.diskBytes);
    writer.closeObject();
    if (!report.note.empty()) writer.member("note", report.note);
    writer.closeObject();
    return text;
}

} // namespace

coro::Task<Response> Api::clearUp(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = JsonRequest::parse(call.request.body, {"dry_run"});
    if (!body) co_return errorResponse(body.error());
    const auto dryRun = body->flag("dry_run");
    if (!dryRun) co_return errorResponse(dryRun.error());
    const auto report = co_await engine_.gc(*dryRun);
    co_return report ? jsonResponse(reportJson(*report)) : errorResponse(report.error());
}

} // namespace yard::http
