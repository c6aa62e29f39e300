// Who did what: docs/audit.md.
#include "core/http/route.h"

#include "core/http/audit.h"
#include "core/http/error_map.h"
#include "core/http/time_span.h"
#include "core/json/json_writer.h"

namespace yard::http {

namespace {

std::string auditJson(const AuditPage& page, std::uint64_t dropped) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("entries");
    writer.openArray();
    for (const AuditEntry& entry : page.entries) writeAuditEntry(writer, entry);
    writer.closeArray();
    if (dropped > 0) writer.member("dropped", dropped);
    if (!page.cursor.empty()) writer.member("cursor", page.cursor);
    writer.closeObject();
    return text;
}

coro::Task<Response> getAudit(Call& call) {
    const auto span = readSpan(call.query);
    if (!span) co_return errorResponse(span.error());
    const auto limit = call.query.integer("limit", 1, kAuditPage);
    if (!limit) co_return errorResponse(limit.error());
    AuditQuery query{.from = span->from,
                     .to = span->to,
                     .who = std::string(call.query.text("who").value_or("")),
                     .text = std::string(call.query.text("q").value_or("")),
                     .limit = limit->value_or(AuditQuery{}.limit),
                     .cursor = std::string(call.query.text("cursor").value_or(""))};
    const auto page = co_await call.api.audit.read(std::move(query), call.helpers);
    co_return page ? jsonResponse(auditJson(*page, call.api.audit.dropped())) : errorResponse(page.error());
}

} // namespace

std::span<const Route> auditRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "audit", Global, None, Needs::Admin},
         &getAudit,
         {.id = "getAudit",
          .summary = "Who changed what, from where, with which result, the latest first",
          .query = "from to who=audit_who q=audit_text limit cursor=audit_cursor",
          .answers = {{{200, "Audit"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
