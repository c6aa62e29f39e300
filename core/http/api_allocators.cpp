// What asks other systems for machines: docs/machines.md.
#include "core/http/route.h"

#include "core/engine/allocators/allocators.h"
#include "core/http/allocator_json.h"
#include "core/http/error_map.h"
#include "core/http/json_answer.h"
#include "core/http/permission.h"

#include <string>
#include <utility>

namespace yard::http {

namespace {

using engine::Allocators;
using engine::AllocatorView;

Response allocatorResponse(const Call& call, const Result<AllocatorView>& view) {
    if (!view) return errorResponse(view.error());
    std::string text;
    JsonWriter writer(text);
    writeAllocatorRow(writer, *view, mayDo(call, Right::Admin));
    return jsonResponse(std::move(text));
}

coro::Task<Response> listAllocators(Call& call) {
    const auto views = co_await call.engine.ask(&Allocators::list);
    const bool isOwner = mayDo(call, Right::Admin);
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("allocators");
        writer.openArray();
        for (const AllocatorView& view : views) writeAllocatorRow(writer, view, isOwner);
        writer.closeArray();
    });
}

coro::Task<Response> getAllocator(Call& call) {
    co_return allocatorResponse(call, co_await call.engine.ask(&Allocators::get, call.capture()));
}

coro::Task<Response> createAllocator(Call& call) {
    co_return allocatorResponse(call, co_await call.engine.ask(&Allocators::create, std::move(call.request.body)));
}

coro::Task<Response> changeAllocator(Call& call) {
    co_return allocatorResponse(
        call, co_await call.engine.ask(&Allocators::change, call.capture(), std::move(call.request.body)));
}

coro::Task<Response> removeAllocator(Call& call) {
    const auto done = co_await call.engine.ask(&Allocators::remove, call.capture());
    if (!done) co_return errorResponse(done.error());
    co_return objectOf([&](JsonWriter& writer) { writer.member("name", call.capture()); });
}

coro::Task<Response> pauseAllocator(Call& call) {
    co_return allocatorResponse(call, co_await call.engine.ask(&Allocators::setPaused, call.capture(), true));
}

coro::Task<Response> resumeAllocator(Call& call) {
    co_return allocatorResponse(call, co_await call.engine.ask(&Allocators::setPaused, call.capture(), false));
}

} // namespace

std::span<const Route> allocatorRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "allocators", Global, None, Needs::Read},
         &listAllocators,
         {.id = "listAllocators",
          .summary = "What asks other systems for machines while work waits, by name",
          .answers = {{{200, "Allocators"}}}}},
        {{Post, "allocators", Global, Json, Needs::Admin},
         &createAllocator,
         {.id = "createAllocator",
          .summary = "Ask Slurm, or a system with commands of your own, for machines while work waits",
          .members = kReadsItself,
          .request = "NewAllocator",
          .answers = {{{200, "Allocator"}}}}},
        {{Get, "allocators/{name}", Global, None, Needs::Read},
         &getAllocator,
         {.id = "getAllocator", .summary = "One allocator, with its jobs", .answers = {{{200, "Allocator"}}}}},
        {{Patch, "allocators/{name}", Global, Json, Needs::Admin},
         &changeAllocator,
         {.id = "changeAllocator",
          .summary = "Change what is given of an allocator; jobs that it has stay as they are",
          .members = kReadsItself,
          .request = "AllocatorChange",
          .answers = {{{200, "Allocator"}}}}},
        {{Delete, "allocators/{name}", Global, OptionalJson, Needs::Admin},
         &removeAllocator,
         {.id = "removeAllocator",
          .summary = "End the jobs of an allocator; it goes with the last of them",
          .answers = {{{200, "AnyObject"}}}}},
        {{Post, "allocators/{name}/pause", Global, OptionalJson, Needs::Operate},
         &pauseAllocator,
         {.id = "pauseAllocator",
          .summary = "Let an allocator start nothing; what it has stays",
          .answers = {{{200, "Allocator"}}}}},
        {{Post, "allocators/{name}/resume", Global, OptionalJson, Needs::Operate},
         &resumeAllocator,
         {.id = "resumeAllocator",
          .summary = "Let an allocator start machines again, its failures forgotten",
          .answers = {{{200, "Allocator"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
