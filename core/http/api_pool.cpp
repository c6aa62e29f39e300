// The warm pool: GET and PATCH pool, restart of a worker's processes, the end of one.
#include "core/http/route.h"

#include "core/engine/running/warm_pool.h"
#include "core/engine/state/workers.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

void writeMembers(JsonWriter& writer, const engine::PoolProcessView& process) {
    const bool isGone = process.ended != 0;
    writer.member("id", process.id);
    writer.member("worker", process.worker);
    if (!isGone) writer.member("state", process.state);
    if (process.pid != 0) writer.member("pid", process.pid);
    writer.member("processed", process.processed);
    if (process.started != 0) writer.member("started", process.started);
    if (!process.note.empty()) writer.member("note", process.note);
    if (isGone) {
        writer.member("ended", process.ended);
        writer.member("why", process.whyEnded);
        return;
    }
    writer.member("sessions", process.sessions);
    if (process.lastUsed != 0) writer.member("last_used", process.lastUsed);
    writer.member("concurrency", process.concurrency);
    writer.key("current");
    writer.openArray();
    for (const Lsn lsn : process.current) writer.integer(lsn.value);
    writer.closeArray();
    if (process.currentSince != 0) writer.member("current_since", process.currentSince);
    if (!process.given.empty()) {
        writer.key("resources_given");
        writer.raw(toJson(process.given));
    }
    if (process.cpuSeconds) writer.member("cpu_seconds", *process.cpuSeconds);
    if (process.rssBytes) writer.member("rss_bytes", *process.rssBytes);
    writer.member("why_started", process.whyStarted);
    if (!process.whyEnded.empty()) writer.member("why", process.whyEnded);
}

void writeProcess(JsonWriter& writer, const engine::PoolProcessView& process) {
    writer.openObject();
    writeMembers(writer, process);
    writer.closeObject();
}

/// Not from the middle of a character: where the end of a longer text begins is chance.
std::string_view fromCharacter(std::string_view text) {
    constexpr std::size_t kMostInside = 3;
    for (std::size_t n = 0; n < kMostInside && !text.empty() && (text.front() & 0xc0) == 0x80; ++n)
        text.remove_prefix(1);
    return text;
}

void writeOutput(JsonWriter& writer, std::string_view name, const std::optional<engine::PoolOutput>& output) {
    if (!output) return;
    const bool isCut = output->size > output->end.size();
    writer.key(name);
    writer.openObject();
    writer.member("size", output->size);
    writer.member("text", isCut ? fromCharacter(output->end) : std::string_view(output->end));
    writer.closeObject();
}

void writeGroup(JsonWriter& writer, const engine::PoolGroupView& group) {
    writer.openObject();
    writer.member("worker", group.worker);
    writer.member("name", group.name);
    writer.member("version", group.version);
    writer.member("waiting", group.waiting);
    writer.member("spawning", group.spawning ? 1 : 0); // one at a time
    if (group.hitRate) writer.member("hit_rate", *group.hitRate);
    writer.member("spawn_seconds_saved", group.spawnSecondsSaved);
    if (group.restart) {
        writer.key("restart");
        writer.openObject();
        writer.member("done", group.restart->done);
        writer.member("of", group.restart->of);
        writer.closeObject();
    }
    writer.key("limits");
    writer.openObject();
    writer.member("min_processes", group.minProcesses);
    writer.member("max_processes", group.maxProcesses);
    writer.member("max_requests", group.maxRequests);
    if (group.maxIdle) writer.member("max_idle_s", inSeconds(*group.maxIdle));
    writer.member("queue", group.globalQueue ? "global" : "private");
    writer.member("memory_mb", group.memoryMb);
    writer.closeObject();
    writer.key("processes");
    writer.openArray();
    for (const engine::PoolProcessView& process : group.processes) writeProcess(writer, process);
    writer.closeArray();
    writer.closeObject();
}

std::string poolJson(const engine::PoolView& pool) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("max", pool.max);
    writer.member("max_per_group", pool.maxPerGroup);
    writer.member("max_idle_s", inSeconds(pool.maxIdle));
    writer.key("groups");
    writer.openArray();
    for (const engine::PoolGroupView& group : pool.groups) writeGroup(writer, group);
    writer.closeArray();
    writer.key("gone");
    writer.openArray();
    for (const engine::PoolProcessView& process : pool.gone) writeProcess(writer, process);
    writer.closeArray();
    writer.closeObject();
    return text;
}

coro::Task<Response> getPool(Call& call) {
    co_return jsonResponse(poolJson(co_await call.engine.ask(&engine::WarmPool::view)));
}

coro::Task<Response> getPoolProcess(Call& call) {
    const auto detail = co_await call.engine.ask(&engine::WarmPool::process, call.capture());
    if (!detail) co_return errorResponse(detail.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeMembers(writer, detail->process);
    writeOutput(writer, "stdout", detail->out);
    writeOutput(writer, "stderr", detail->err);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> changePool(Call& call) {
    const auto changed = co_await call.engine.ask(&engine::WarmPool::change, std::move(call.request.body));
    co_return changed ? jsonResponse(poolJson(*changed)) : errorResponse(changed.error());
}

coro::Task<Response> restartPool(Call& call) {
    const auto worker = co_await call.engine.ask(&engine::Workers::get, call.capture());
    if (!worker) co_return errorResponse(worker.error());
    const auto done = co_await call.engine.ask(&engine::WarmPool::restart, worker->id);
    co_return done ? jsonResponse(fmt::format(R"({{"worker":"{}"}})", worker->id)) : errorResponse(done.error());
}

coro::Task<Response> endPoolProcess(Call& call) {
    const std::string& id = call.capture();
    const auto done = co_await call.engine.ask(&engine::WarmPool::end, id);
    if (!done) co_return errorResponse(done.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("id", id);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

} // namespace

std::span<const Route> poolRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "pool", Global, None, Needs::Read},
         &getPool,
         {.id = "getPool", .summary = "The warm processes", .answers = {{{200, "Pool"}}}}},
        {{Patch, "pool", Global, Json, Needs::Operate},
         &changePool,
         {.id = "configurePool",
          .summary = "Change the limits of the pool",
          .members = kReadsItself,
          .request = "PoolLimits",
          .answers = {{{200, "Pool"}}}}},
        {{Post, "pool/{worker}/restart", Global, OptionalJson, Needs::Operate},
         &restartPool,
         {.id = "restartWorker",
          .summary = "Replace a worker's warm processes",
          .answers = {{{200, "AnyObject"}}}}},
        {{Get, "pool/processes/{id}", Global, None, Needs::Read},
         &getPoolProcess,
         {.id = "getProcess",
          .summary = "One warm process, or one of the last that ended, with the end of what it printed",
          .answers = {{{200, "PoolProcessDetail"}}}}},
        {{Delete, "pool/processes/{id}", Global, OptionalJson, Needs::Operate},
         &endPoolProcess,
         {.id = "endProcess", .summary = "End one warm process", .answers = {{{200, "AnyObject"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
