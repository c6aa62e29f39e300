// The session and what is outside of the prefix.
#include "core/engine/commands/session_moves.h"
#include "core/engine/reading/overview.h"
#include "core/http/route.h"

#include "core/base/moment.h"
#include "core/engine/reading/waiting_counts.h"
#include "core/engine/state/queues.h"
#include "core/http/closing.h"
#include "core/http/error_map.h"
#include "core/http/openapi.h"
#include "core/http/view_json.h"
#include "core/json/json_writer.h"
#include "core/tls/server_tls.h"

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

/// By the names that actions use.
void writeAmounts(JsonWriter& writer, const Resources& amounts) {
    writer.openObject();
    writer.member("cores", static_cast<double>(amounts.milliCores) / 1000);
    writer.member("memory_mb", amounts.memoryMb);
    for (const auto& [name, amount] : amounts.named) writer.member(name, static_cast<double>(amount) / 1000);
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

void writeGpu(JsonWriter& writer, const engine::GpuView& view) {
    const auto& [gpu, figures, at] = view;
    const auto text = [&writer](std::string_view name, const std::string& value) {
        if (!value.empty()) writer.member(name, value);
    };
    const auto amount = [&writer](std::string_view name, const auto& value) {
        if (value) writer.member(name, *value);
    };
    writer.openObject();
    writer.member("index", gpu.index);
    writer.member("maker", name(gpu.maker));
    text("uuid", gpu.uuid);
    text("name", gpu.name);
    if (gpu.memoryBytes > 0) writer.member("memory_bytes", gpu.memoryBytes);
    text("pci", gpu.pci);
    amount("numa_node", gpu.numaNode);
    text("lost", figures.lost);
    text("unknown", figures.unknown);
    amount("utilisation_percent", figures.utilisationPercent);
    amount("memory_used_bytes", figures.memoryUsedBytes);
    amount("power_watts", figures.powerWatts);
    amount("temperature_c", figures.temperatureC);
    writer.closeObject();
}

void writeMachine(JsonWriter& writer, const engine::SessionView& session) {
    writer.key("machine");
    writer.openObject();
    writer.member("name", session.machineName);
    writer.member("cores", session.cores);
    writer.member("memory_bytes", session.memoryBytes);
    writer.member("gpus", session.gpus);
    if (!session.gpuList.empty()) {
        writer.key("gpus_list");
        writer.openArray();
        for (const engine::GpuView& gpu : session.gpuList) writeGpu(writer, gpu);
        writer.closeArray();
    }
    writer.member("utc_offset_s", utcOffsetAt(wallNow())); // what a day of a filter goes by
    writer.key("resources");
    writeAmounts(writer, session.total);
    writer.key("taken");
    writeAmounts(writer, session.taken);
    writer.closeObject();
}

void writeCloud(JsonWriter& writer, const engine::CloudView& cloud) {
    writer.key("cloud");
    writer.openObject();
    writer.member("provider", cloud.provider);
    writer.member("instance", cloud.instance);
    writer.member("type", cloud.type);
    writer.member("region", cloud.region);
    writer.member("spot", cloud.isSpot);
    if (cloud.notice) {
        writer.key("notice");
        writer.openObject();
        writer.member("what", cloud.notice->what);
        writer.member("certain", cloud.notice->isCertain);
        if (cloud.notice->at > 0) writer.member("at", cloud.notice->at);
        writer.closeObject();
    }
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
    if (session.guard.usedPercent) writer.member("used_percent", *session.guard.usedPercent);
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
    writer.member("healthy", session.isHealthy());
    if (!session.why.empty()) writer.member("why", session.why);
    writer.member("engine_id", session.engineId);
    writer.member("run_id", session.runId);
    writer.member("version", YARD_VERSION);
    writer.key("counts");
    writer.raw(counts);
    writeMachine(writer, session);
    if (session.cloud) writeCloud(writer, *session.cloud);
    writer.key("courtesy");
    writer.openObject();
    writeCourtesyNow(writer, session.courtesy);
    writer.closeObject();
    writer.member("capacity", session.capacity);
    writeSlots(writer, session);
    writer.member("journal_writable", session.journalWritable);
    writeGuard(writer, session);
    writeItself(writer, session);
    writeJanitor(writer, session);
    writeSandbox(writer, *session.sandbox);
    writer.closeObject();
}

namespace {

/// The end begins when it is asked for: the session itself is sunset a little later.
coro::Task<engine::SessionView> sessionNow(Call& call) {
    engine::SessionView session = co_await call.engine.ask(&engine::Overview::session);
    if (call.api.sunset || call.request.link->isStopping()) session.state = SessionState::Sunset;
    co_return session;
}

coro::Task<Response> getHealth(Call& call) {
    const engine::SessionView session = co_await sessionNow(call);
    co_return healthResponse(session.state, session.journalWritable ? std::string_view() : session.why);
}

coro::Task<Response> getVersion(Call&) {
    co_return jsonResponse(fmt::format(R"({{"name":"yardmaster","version":"{}"}})", YARD_VERSION));
}

coro::Task<Response> getOpenApi(Call& call) {
    co_return jsonResponse(openApiJson(call.api.prefix, YARD_VERSION));
}

coro::Task<Response> getSession(Call& call) {
    std::string text;
    appendJson(text, co_await sessionNow(call));
    text.pop_back();
    if (call.api.tls) text += fmt::format(R"(,"fingerprint":"{}")", call.api.tls->fingerprint());
    if (call.api.insecure) text += R"(,"insecure":true)";
    text += '}';
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> getWaiting(Call& call) {
    const engine::WaitingView waiting = co_await call.engine.ask(&engine::WaitingCounts::view);
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

coro::Task<Response> moveSession(Call& call, SessionState to) {
    if (to == SessionState::Sunset)
        call.api.sunset = true; // before the move: after its answer /health must not say healthy
    const auto done = co_await call.engine.ask(&engine::SessionMoves::moveTo, to);
    if (!done) {
        if (to == SessionState::Sunset) call.api.sunset = false;
        co_return errorResponse(done.error());
    }
    co_return jsonResponse(fmt::format(R"({{"state":"{}"}})", name(to)));
}

coro::Task<Response> drainSession(Call& call) {
    return moveSession(call, SessionState::Draining);
}
coro::Task<Response> pauseSession(Call& call) {
    return moveSession(call, SessionState::Paused);
}
coro::Task<Response> sunsetSession(Call& call) {
    return moveSession(call, SessionState::Sunset);
}
coro::Task<Response> abandonSession(Call& call) {
    return moveSession(call, SessionState::Abandoned);
}

coro::Task<Response> setHeldEverywhere(Call& call, bool held) {
    Result<void> done;
    if (held)
        done = co_await call.engine.ask(&engine::Queues::setAllHeld, true);
    else
        done = co_await call.engine.ask(&engine::Queues::setAllHeld, false);
    co_return done ? jsonResponse(fmt::format(R"({{"held":{}}})", held)) : errorResponse(done.error());
}

coro::Task<Response> holdAll(Call& call) {
    return setHeldEverywhere(call, true);
}
coro::Task<Response> releaseAll(Call& call) {
    return setHeldEverywhere(call, false);
}

} // namespace

std::span<const Route> sessionRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "health", Open, None, Needs::Read},
         &getHealth,
         {.id = "getHealth",
          .summary = "Whether the engine serves",
          .answers = {{{200, "Health"}, {503, "Health"}}}}},
        {{Get, "version", Root, None, Needs::Read},
         &getVersion,
         {.id = "getVersion", .summary = "Which program this is", .answers = {{{200, "Version"}}}}},
        {{Get, "openapi.json", Root, None, Needs::Read},
         &getOpenApi,
         {.id = "getOpenApi", .summary = "This document", .answers = {{{200, "OpenApi"}}}}},
        {{Get, "session", Global, None, Needs::Read},
         &getSession,
         {.id = "getSession", .summary = "State, counts and machine", .answers = {{{200, "Session"}}}}},
        {{Get, "session/waiting", Global, None, Needs::Read},
         &getWaiting,
         {.id = "getWaiting",
          .summary = "Why pending actions have not started: each reason with its number of actions",
          .answers = {{{200, "WaitingReasons"}}}}},
        {{Post, "session/drain", Global, OptionalJson, Needs::Operate},
         &drainSession,
         {.id = "drainSession", .summary = "Take no new actions", .answers = {{{200, "SessionMoved"}}}}},
        {{Post, "session/pause", Global, OptionalJson, Needs::Operate},
         &pauseSession,
         {.id = "pauseSession", .summary = "Take and start nothing", .answers = {{{200, "SessionMoved"}}}}},
        {{Post, "session/sunset", Global, OptionalJson, Needs::Admin},
         &sunsetSession,
         {.id = "sunsetSession", .summary = "End the engine", .answers = {{{200, "SessionMoved"}}}}},
        {{Post, "abandon", Global, OptionalJson, Needs::Operate},
         &abandonSession,
         {.id = "abandonSession",
          .summary = "Give up everything pending and running",
          .answers = {{{200, "SessionMoved"}}}}},
        {{Post, "hold", Global, OptionalJson, Needs::Operate},
         &holdAll,
         {.id = "holdAll", .summary = "Hold every queue", .answers = {{{200, "Held"}}}}},
        {{Post, "release", Global, OptionalJson, Needs::Operate},
         &releaseAll,
         {.id = "releaseAll", .summary = "Release every queue", .answers = {{{200, "Held"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
