// What goes on inside of the process: cooperative threads, slow turns, memory, descriptors. For its owner alone: names
// of threads and files show everybody's work, and whoever interrupts a thread can stop the engine.
#include "core/http/route.h"

#include "core/base/log.h"
#include "core/base/parsed_number.h"
#include "core/coro/suspend.h"
#include "core/engine/reading/inside.h"
#include "core/http/body_budget.h"
#include "core/http/error_map.h"
#include "core/http/process_inside.h"
#include "core/http/profile_store.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::http {

namespace {

constexpr std::string_view kEngineLoop = "engine";
constexpr std::string_view kHttpLoop = "http"; // the one that asks
/// Of each loop, in a dump.
constexpr std::size_t kMostDumpedThreads = 10'000;
constexpr std::size_t kLongestDumpName = 200; // a longer one is refused as no word at all

std::string_view stateWord(const coro::ThreadInfo& thread) {
    switch (thread.state) {
    case coro::ThreadState::Ready: return "ready";
    case coro::ThreadState::Running: return "running";
    case coro::ThreadState::Parked: return thread.asleepFor ? "asleep" : "waiting";
    case coro::ThreadState::Ended: break;
    }
    return "ended";
}

void writeChain(JsonWriter& writer, const std::vector<coro::AwaitPlace>& chain) {
    writer.key("chain");
    writer.openArray();
    for (const coro::AwaitPlace& place : chain) {
        writer.openObject();
        writer.member("file", std::string_view(place.file));
        writer.member("line", std::uint64_t{place.line});
        writer.member("function", coro::functionName(place.function));
        writer.closeObject();
    }
    writer.closeArray();
}

void writeThread(JsonWriter& writer, std::string_view loop, const coro::ThreadInfo& thread) {
    const std::string_view state = stateWord(thread);
    writer.openObject();
    writer.member("loop", loop);
    writer.member("number", thread.id);
    writer.member("name", thread.name);
    writer.member("state", state);
    writer.member("since_s", inSeconds(thread.waiting));
    if (state == "waiting") writer.member("waits_for", thread.where);
    if (thread.asleepFor) writer.member("wakes_in_s", inSeconds(*thread.asleepFor));
    writeChain(writer, thread.chain);
    if (!thread.timeouts.empty()) {
        writer.key("timeouts_s");
        writer.openArray();
        for (const Duration left : thread.timeouts) writer.number(inSeconds(left));
        writer.closeArray();
    }
    writer.member("age_s", inSeconds(thread.age));
    writer.member("runs", thread.runs);
    writer.member("used_s", inSeconds(thread.used));
    writer.member("longest_turn_s", inSeconds(thread.longestTurn));
    writer.closeObject();
}

Error noSuchLoop(std::string_view word) {
    return {.kind = ErrorKind::NotFound,
            .message = fmt::format("There is no loop \"{}\"; there are engine and http.", word),
            .field = {},
            .need = {}};
}

coro::Task<Result<coro::ThreadPage>> pageOf(Call& call, std::string_view loop, coro::ThreadQuery query) {
    if (loop == kHttpLoop) co_return co_await coro::listThreads(std::move(query));
    if (loop == kEngineLoop) co_return co_await call.engine.ask(&engine::Inside::threads, std::move(query));
    co_return std::unexpected(noSuchLoop(loop));
}

Response noSuchThread(Call& call) {
    return errorResponse(
        ErrorKind::NotFound,
        fmt::format("There is no thread {} of the loop {}; it may have ended.", call.capture(1), call.capture(0)));
}

coro::Task<Response> getThreads(Call& call) {
    const std::string loop(call.query.text("loop").value_or(kEngineLoop));
    if (loop != kEngineLoop && loop != kHttpLoop)
        co_return errorResponse(invalid("loop", R"(Give "loop" as engine or http.)").error());
    const auto limit = call.query.integer("limit", 1, kMostThreads);
    if (!limit) co_return errorResponse(limit.error());
    const auto after = parsedNumber<std::uint64_t>(call.query.text("cursor").value_or("0"));
    if (!after) co_return errorResponse(invalid("cursor", "Give the cursor of the page before.").error());
    const auto page = co_await pageOf(call, loop,
                                      {.after = *after,
                                       .limit = static_cast<std::size_t>(limit->value_or(kUsualThreads)),
                                       .filter = std::string(call.query.text("filter").value_or(""))});
    if (!page) co_return errorResponse(page.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("threads");
    writer.openArray();
    for (const coro::ThreadInfo& thread : page->threads) writeThread(writer, loop, thread);
    writer.closeArray();
    if (page->next != 0) writer.member("cursor", std::to_string(page->next));
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> getThread(Call& call) {
    const auto number = parsedNumber<std::uint64_t>(call.capture(1));
    if (!number || *number == 0) co_return noSuchThread(call);
    const auto page = co_await pageOf(call, call.capture(0), {.after = *number - 1, .limit = 1, .filter = {}});
    if (!page) co_return errorResponse(page.error());
    if (page->threads.empty() || page->threads.front().id != *number) co_return noSuchThread(call);
    std::string text;
    JsonWriter writer(text);
    writeThread(writer, call.capture(0), page->threads.front());
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> interruptThread(Call& call) {
    const std::string& loop = call.capture(0);
    if (loop != kEngineLoop && loop != kHttpLoop) co_return errorResponse(noSuchLoop(loop));
    const auto number = parsedNumber<std::uint64_t>(call.capture(1));
    if (!number) co_return noSuchThread(call);
    const auto force = call.body.flag("force");
    if (!force) co_return errorResponse(force.error());
    using enum engine::Inside::Interruption;
    engine::Inside::Interruption done = NotThere;
    if (loop == kEngineLoop)
        done = co_await call.engine.ask(&engine::Inside::interrupt, *number, *force);
    else
        done = engine::Inside().interrupt(*number, *force);
    if (done == NotThere) co_return noSuchThread(call);
    if (done == Refused)
        co_return errorResponse(ErrorKind::WrongState,
                                "This thread is a service of the engine, which does not work without it and does "
                                "not start it again. Give \"force\": true to end it all the same.");
    co_return jsonResponse(fmt::format(R"({{"loop":"{}","number":{}}})", loop, *number));
}

coro::Task<Response> getLatency(Call& call) {
    std::vector<std::pair<std::string_view, coro::SlowTurn>> turns;
    for (coro::SlowTurn& turn : co_await call.engine.ask(&engine::Inside::slowestTurns))
        turns.emplace_back(kEngineLoop, std::move(turn));
    for (coro::SlowTurn& turn : coro::currentLoop().meter().slowestTurns())
        turns.emplace_back(kHttpLoop, std::move(turn));
    std::ranges::sort(turns, [](const auto& a, const auto& b) { return a.second.ran > b.second.ran; });
    if (turns.size() > coro::LoopMeter::kSlowTurns) turns.resize(coro::LoopMeter::kSlowTurns);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("turns");
    writer.openArray();
    for (const auto& [loop, turn] : turns) {
        writer.openObject();
        writer.member("loop", loop);
        if (turn.thread != 0) writer.member("number", turn.thread);
        writer.member("name", turn.thread == 0 ? std::string_view("(posted)") : std::string_view(turn.name));
        writer.member("ran_s", inSeconds(turn.ran));
        writer.member("ended", turn.ended);
        writeChain(writer, turn.chain);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

void writePart(JsonWriter& writer, const engine::MemoryPart& part) {
    writer.member("name", part.name);
    writer.member("bytes", part.bytes);
    if (part.items) writer.member("items", *part.items);
    if (part.budget > 0) writer.member("budget_bytes", part.budget);
}

coro::Task<Response> getMemory(Call& call) {
    const ProcessMemory memory = co_await call.helpers.run([] { return processMemory(); });
    std::vector<engine::MemoryPart> parts = co_await call.engine.ask(&engine::Inside::memory);
    const BodyBudget& bodies = call.api.partBudget;
    parts.push_back(
        {.name = "submissions in parts", .bytes = bodies.limit() - bodies.available(), .budget = bodies.limit()});
    std::uint64_t known = 0;
    for (const engine::MemoryPart& part : parts) known += part.bytes;
    parts.push_back({.name = "other things that were allocated",
                     .bytes = memory.allocated > known ? memory.allocated - known : 0});
    parts.push_back({.name = "freed, and kept by the allocator", .bytes = memory.kept});
    parts.push_back({.name = "files that are mapped", .bytes = memory.resident.ofFiles});
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("total_bytes", memory.resident.bytes);
    writer.key("subsystems");
    writer.openArray();
    for (const engine::MemoryPart& part : parts) {
        writer.openObject();
        writePart(writer, part);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> getCaches(Call& call) {
    const std::vector<engine::CacheView> caches = co_await call.engine.ask(&engine::Inside::caches);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("caches");
    writer.openArray();
    for (const engine::CacheView& cache : caches) {
        writer.openObject();
        writePart(writer, cache.part);
        writer.member("hits", cache.hits);
        writer.member("misses", cache.misses);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> emptyCache(Call& call) {
    const bool isThere = co_await call.engine.ask(&engine::Inside::emptyCache, call.capture());
    if (!isThere)
        co_return errorResponse(ErrorKind::NotFound,
                                fmt::format("There is no cache \"{}\"; there are {} and {}.", call.capture(),
                                            engine::Inside::kSpecs, engine::Inside::kLists));
    co_return jsonResponse("{}");
}

void writeDescriptors(JsonWriter& writer, const std::vector<OpenDescriptor>& listed) {
    writer.key("descriptors");
    writer.openArray();
    for (const OpenDescriptor& one : listed) {
        writer.openObject();
        writer.member("number", std::uint64_t(one.number));
        writer.member("target", std::string_view(one.target));
        if (!one.opener.empty()) writer.member("opener", std::string_view(one.opener));
        if (one.age) writer.member("age_s", inSeconds(*one.age));
        writer.closeObject();
    }
    writer.closeArray();
}

coro::Task<Response> getDescriptors(Call& call) {
    const std::string owner(call.query.text("owner").value_or(""));
    ProcessDescriptors open = co_await call.helpers.run(
        [owner, dataDir = call.engine.dataDir()] { return processDescriptors(dataDir, owner); });
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("limit", open.limit);
    writer.member("used", open.used);
    writer.key("owners");
    writer.openArray();
    for (const auto& [name, count] : open.owners) {
        writer.openObject();
        writer.member("name", std::string_view(name));
        writer.member("count", count);
        writer.closeObject();
    }
    writer.closeArray();
    if (!owner.empty()) writeDescriptors(writer, open.listed);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<void> writeAllThreads(Call& call, JsonWriter& writer, std::string_view loop) {
    writer.key(loop);
    writer.openArray();
    std::size_t written = 0;
    for (std::uint64_t after = 0;;) {
        const auto page = co_await pageOf(call, loop, {.after = after, .limit = kUsualThreads, .filter = {}});
        if (!page) break;
        for (const coro::ThreadInfo& thread : page->threads) writeThread(writer, loop, thread);
        written += page->threads.size();
        after = page->next;
        if (after == 0 || written >= kMostDumpedThreads) break;
        co_await coro::yieldNow();
    }
    writer.closeArray();
}

void writeLogLines(JsonWriter& writer) {
    writer.key("log");
    writer.openArray();
    for (const LogRecord& line : recentLog(0)) {
        writer.openObject();
        writer.member("time", line.time);
        writer.member("level", name(line.level));
        writer.member("text", std::string_view(line.text));
        writer.closeObject();
    }
    writer.closeArray();
}

/// All that is told here, as a file for whoever looks at it later.
coro::Task<Response> makeDump(Call& call) {
    const auto name = call.body.word("name", kLongestDumpName);
    if (!name) co_return errorResponse(name.error());
    if (!name->empty() && !isDumpName(*name))
        co_return errorResponse(
            invalid("name", R"(Give "name" as letters, digits, ".", "_" and "-", the first no ".", 64 at most.)")
                .error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("time", wallNow());
    writer.member("version", std::string_view(YARD_VERSION));
    writer.key("threads");
    writer.openObject();
    co_await writeAllThreads(call, writer, kEngineLoop);
    co_await writeAllThreads(call, writer, kHttpLoop);
    writer.closeObject();
    using Part = coro::Task<Response> (*)(Call&);
    static constexpr std::pair<std::string_view, Part> kParts[] = {
        {"latency", &getLatency}, {"memory", &getMemory}, {"caches", &getCaches}, {"descriptors", &getDescriptors}};
    for (const auto& [key, part] : kParts) {
        const Response answer = co_await part(call); // as its route answers
        writer.key(key);
        writer.raw(answer.body);
    }
    writeLogLines(writer);
    writer.closeObject();
    const auto path =
        co_await call.helpers.run([dataDir = call.engine.dataDir(), dumpName = *name, json = std::move(text)] {
            return keepDump(dataDir, dumpName, json);
        });
    if (!path) co_return errorResponse(path.error());
    std::string said;
    JsonWriter answer(said);
    answer.openObject();
    answer.member("file", *path);
    answer.closeObject();
    co_return jsonResponse(std::move(said));
}

} // namespace

std::span<const Route> insideRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "inside/threads", Global, None, Needs::Admin},
         &getThreads,
         {.id = "listThreads",
          .summary = "The cooperative threads of a loop",
          .query = "loop filter=part_of_name limit=threads cursor=thread_cursor",
          .answers = {{{200, "InsideThreads"}}}}},
        {{Get, "inside/threads/{loop}/{number}", Global, None, Needs::Admin},
         &getThread,
         {.id = "getThread", .summary = "One cooperative thread", .answers = {{{200, "InsideThread"}}}}},
        {{Post, "inside/threads/{loop}/{number}/interrupt", Global, OptionalJson, Needs::Admin},
         &interruptThread,
         {.id = "interruptThread",
          .summary = "Make a cooperative thread unwind; one of the engine's services by force alone",
          .members = "force",
          .request = "ThreadInterruption",
          .answers = {{{200, "AnyObject"}}}}},
        {{Get, "inside/latency", Global, None, Needs::Admin},
         &getLatency,
         {.id = "getLatency",
          .summary = "The longest turns of the loops since the start",
          .answers = {{{200, "InsideLatency"}}}}},
        {{Get, "inside/memory", Global, None, Needs::Admin},
         &getMemory,
         {.id = "getMemory",
          .summary = "What the process' memory is used for",
          .answers = {{{200, "InsideMemory"}}}}},
        {{Get, "inside/caches", Global, None, Needs::Admin},
         &getCaches,
         {.id = "getCaches",
          .summary = "What the engine keeps to be quicker, and how often that was of use",
          .answers = {{{200, "InsideCaches"}}}}},
        {{Post, "inside/caches/{name}/empty", Global, None, Needs::Admin},
         &emptyCache,
         {.id = "emptyCache",
          .summary = "Throw away what a cache has; it is made again when it is needed",
          .answers = {{{200, "AnyObject"}}}}},
        {{Get, "inside/descriptors", Global, None, Needs::Admin},
         &getDescriptors,
         {.id = "getDescriptors",
          .summary = "Who has the open descriptors; those of one owner one by one, too",
          .query = "owner=descriptor_owner",
          .answers = {{{200, "InsideDescriptors"}}}}},
        {{Post, "inside/dump", Global, OptionalJson, Needs::Admin},
         &makeDump,
         {.id = "makeDump",
          .summary =
              "Write threads, turns, memory, caches, descriptors and the latest lines of the log into a file",
          .members = "name",
          .request = "MakeDump",
          .answers = {{{200, "MadeDump"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
