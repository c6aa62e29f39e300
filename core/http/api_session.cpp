// The session and what is outside of the prefix.
#include "core/http/api.h"

#include "core/http/closing.h"
#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/http/openapi.h"
#include "core/http/view_json.h"
#include "core/model/json_writer.h"

#include <fmt/format.h>

namespace yard::http {

void appendCounts(std::string& text, const engine::SessionView& session) {
    JsonWriter writer(text);
    writer.openObject();
    for (std::size_t i = 0; i < kActionStates; ++i)
        writer.member(name(static_cast<ActionState>(i)), session.counts[i]);
    writer.member("held", session.held);
    writer.member("retry", session.retry);
    writer.closeObject();
}

namespace {

/// What may be in use at once, by the names that actions use.
void writeAmounts(JsonWriter& writer, const Resources& total) {
    writer.openObject();
    writer.member("cores", static_cast<double>(total.milliCores) / 1000);
    writer.member("memory_mb", total.memoryMb);
    for (const auto& [name, amount] : total.named) writer.member(name, static_cast<double>(amount) / 1000);
    writer.closeObject();
}

void writeSandbox(JsonWriter& writer, const engine::SessionView::Sandbox& sandbox) {
    writer.key("sandbox");
    writer.openObject();
    writer.member("workers", sandbox.workers);
    writer.member("holds", sandbox.holds);
    if (!sandbox.why.empty()) writer.member("why", sandbox.why);
    writer.key("parts");
    writer.openArray();
    for (const engine::SessionView::SandboxPart& part : sandbox.parts) {
        writer.openObject();
        writer.member("name", part.name);
        writer.member("holds", part.holds);
        if (!part.why.empty()) writer.member("why", part.why);
        writer.closeObject();
    }
    writer.closeArray();
    writer.key("notes");
    writer.openArray();
    for (const std::string& note : sandbox.notes) writer.string(note);
    writer.closeArray();
    writer.closeObject();
}

void writeMachine(JsonWriter& writer, const engine::SessionView& session) {
    writer.key("machine");
    writer.openObject();
    writer.member("name", session.machineName);
    writer.member("cores", session.cores);
    writer.member("memory_bytes", session.memoryBytes);
    writer.member("gpus", session.gpus);
    writer.key("resources");
    writeAmounts(writer, session.total);
    writer.closeObject();
}

void writeSlots(JsonWriter& writer, const engine::SessionView& session) {
    writer.key("slots");
    writer.openObject();
    writer.member("one_core", session.slots.oneCore);
    writer.member("other", session.slots.other);
    writer.member("warm", session.slots.warm);
    if (!session.slots.why.empty()) writer.member("why", session.slots.why);
    writer.closeObject();
}

void writeGuard(JsonWriter& writer, const engine::SessionView& session) {
    writer.key("memory_guard");
    writer.openObject();
    writer.member("holding", session.guard.holding);
    writer.member("used_percent", session.guard.usedPercent);
    writer.member("stopped", static_cast<std::int64_t>(session.guard.stopped));
    if (session.guard.holding) writer.member("reason", session.guard.reason);
    writer.key("events");
    writer.openArray();
    for (const auto& event : session.guard.events) {
        writer.openObject();
        writer.member("t", event.t);
        writer.member("what", event.what);
        writer.member("reason", event.reason);
        if (event.lsn.value != 0) writer.member("lsn", event.lsn.value);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
}

void writeItself(JsonWriter& writer, const engine::SessionView& session) {
    if (session.itself.rssBytes <= 0) return;
    writer.key("engine");
    writer.openObject();
    if (session.itself.cpuPercent) writer.member("cpu_percent", *session.itself.cpuPercent);
    writer.member("rss_bytes", session.itself.rssBytes);
    writer.member("journal_bytes", session.itself.journalBytes);
    if (session.itself.diskBytes > 0) {
        writer.member("disk_bytes", session.itself.diskBytes);
        writer.member("disk_free_bytes", session.itself.diskFreeBytes);
    }
    writer.closeObject();
}

void writeJanitor(JsonWriter& writer, const engine::SessionView& session) {
    writer.key("janitor");
    writer.openObject();
    writer.member("reaped", static_cast<std::int64_t>(session.janitor.reaped));
    writer.member("stale_locks", static_cast<std::int64_t>(session.janitor.staleLocks));
    writer.key("findings");
    writer.openArray();
    for (const std::string& finding : session.janitor.findings) writer.string(finding);
    writer.closeArray();
    writer.closeObject();
}

} // namespace

void appendJson(std::string& text, const engine::SessionView& session) {
    std::string counts;
    appendCounts(counts, session);
    JsonWriter writer(text);
    writer.openObject();
    writer.member("state", name(session.state));
    writer.member("healthy", isHealthy(session.state));
    writer.member("engine_id", session.engineId);
    writer.member("run_id", session.runId);
    writer.member("version", YARD_VERSION);
    writer.key("counts");
    writer.raw(counts);
    writeMachine(writer, session);
    writer.member("capacity", session.capacity);
    writeSlots(writer, session);
    writer.member("journal_writable", session.journalWritable);
    writeGuard(writer, session);
    writeItself(writer, session);
    writeJanitor(writer, session);
    writeSandbox(writer, *session.sandbox);
    writer.closeObject();
}

/// The end begins when it is asked for: the session itself is sunset a little later.
coro::Task<engine::SessionView> Api::sessionNow(Call& call) {
    engine::SessionView session = co_await engine_.session();
    if (sunset_ || call.request.link->isStopping()) session.state = SessionState::Sunset;
    co_return session;
}

coro::Task<Response> Api::getHealth(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    co_return healthResponse((co_await sessionNow(call)).state);
}

coro::Task<Response> Api::getVersion(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    co_return jsonResponse(fmt::format(R"({{"name":"yardmaster","version":"{}"}})", YARD_VERSION));
}

coro::Task<Response> Api::getOpenApi(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    co_return jsonResponse(openApiJson(prefix_, YARD_VERSION));
}

coro::Task<Response> Api::getSession(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    std::string text;
    appendJson(text, co_await sessionNow(call));
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> Api::getWaiting(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const engine::WaitingView waiting = co_await engine_.waiting();
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("t", waiting.t);
    writer.key("reasons");
    writer.openArray();
    for (const engine::WaitingRow& row : waiting.rows) {
        writer.openObject();
        writer.member("count", row.count);
        if (row.queue) writer.member("queue_id", row.queue->value);
        if (!row.filter.empty()) writer.member("filter", row.filter);
        std::string wait;
        appendJson(wait, row.wait);
        writer.key("wait");
        writer.raw(wait);
        writer.closeObject();
    }
    writer.closeArray();
    writer.member("others", waiting.others);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> Api::moveSession(Call& call, SessionState to) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = JsonRequest::parse(call.request.body, {});
    if (!body) co_return errorResponse(body.error());
    if (to == SessionState::Sunset)
        sunset_ = true; // first: nobody is told of an end and sees a healthy engine then
    const auto done = co_await engine_.moveSession(to);
    if (!done) {
        if (to == SessionState::Sunset) sunset_ = false;
        co_return errorResponse(done.error());
    }
    co_return jsonResponse(fmt::format(R"({{"state":"{}"}})", name(to)));
}

coro::Task<Response> Api::drainSession(Call& call) {
    return moveSession(call, SessionState::Draining);
}
coro::Task<Response> Api::pauseSession(Call& call) {
    return moveSession(call, SessionState::Paused);
}
coro::Task<Response> Api::sunsetSession(Call& call) {
    return moveSession(call, SessionState::Sunset);
}
coro::Task<Response> Api::abandonSession(Call& call) {
    return moveSession(call, SessionState::Abandoned);
}

coro::Task<Response> Api::setHeldEverywhere(Call& call, bool held) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = JsonRequest::parse(call.request.body, {});
    if (!body) co_return errorResponse(body.error());
    Result<void> done;
    if (held)
        done = co_await engine_.holdAll();
    else
        done = co_await engine_.releaseAll();
    co_return done ? jsonResponse(fmt::format(R"({{"held":{}}})", held)) : errorResponse(done.error());
}

coro::Task<Response> Api::holdAll(Call& call) {
    return setHeldEverywhere(call, true);
}
coro::Task<Response> Api::releaseAll(Call& call) {
    return setHeldEverywhere(call, false);
}

} // namespace yard::http
