// The machines of this engine: docs/machines.md.
#include "core/http/route.h"

#include "core/engine/machines/machines.h"
#include "core/http/error_map.h"
#include "core/http/join_tokens.h"
#include "core/json/json_writer.h"

#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>

namespace yard::http {

namespace {

using engine::Machines;
using engine::MachineView;

constexpr double kThousand = 1'000;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// What is no number is none that was ever given.
std::uint32_t machineId(const Call& call) {
    const std::string_view text = call.capture();
    std::uint32_t id = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
    return problem == std::errc{} && end == text.data() + text.size() ? id : UINT32_MAX;
}

void writeMachineRow(JsonWriter& writer, const MachineView& machine) {
    writer.openObject();
    writer.member("id", machine.id.value);
    writer.member("name", machine.name);
    writer.member("kind", machine.kind);
    if (!machine.address.empty()) writer.member("address", machine.address);
    writer.member("state", link::name(machine.state));
    if (!machine.reason.empty()) writer.member("reason", machine.reason);
    if (!machine.platform.empty()) writer.member("platform", machine.platform);
    if (!machine.version.empty()) writer.member("version", machine.version);
    if (machine.milliCores > 0) writer.member("cores", static_cast<double>(machine.milliCores) / kThousand);
    if (machine.memoryMb > 0) writer.member("memory_bytes", machine.memoryMb * kMiB);
    writer.member("slots", machine.slots);
    writer.member("running", machine.running);
    writer.member("waiting", machine.waiting);
    if (machine.since > 0) writer.member("since", machine.since);
    if (machine.lostAt > 0) writer.member("lost_at", machine.lostAt);
    if (!machine.tags.empty()) {
        writer.key("tags");
        writer.openArray();
        for (const std::string& tag : machine.tags) writer.string(tag);
        writer.closeArray();
    }
    if (machine.mostMilliCores > 0)
        writer.member("max_cores", static_cast<double>(machine.mostMilliCores) / kThousand);
    writer.closeObject();
}

Response machineResponse(const Result<MachineView>& machine) {
    if (!machine) return errorResponse(machine.error());
    std::string text;
    JsonWriter writer(text);
    writeMachineRow(writer, *machine);
    return jsonResponse(std::move(text));
}

coro::Task<Response> listMachines(Call& call) {
    const auto machines = co_await call.engine.ask(&Machines::list);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("machines");
    writer.openArray();
    for (const MachineView& machine : machines) writeMachineRow(writer, machine);
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> getMachine(Call& call) {
    co_return machineResponse(co_await call.engine.ask(&Machines::get, machineId(call)));
}

coro::Task<Response> changeMachine(Call& call) {
    if (!call.body.has("paused"))
        co_return errorResponse(invalid("paused", "Give \"paused\" as true or false.").error());
    const auto paused = call.body.flag("paused");
    if (!paused) co_return errorResponse(paused.error());
    co_return machineResponse(*paused ? co_await call.engine.ask(&Machines::pause, machineId(call))
                                      : co_await call.engine.ask(&Machines::resume, machineId(call)));
}

coro::Task<Response> drainMachine(Call& call) {
    co_return machineResponse(co_await call.engine.ask(&Machines::drain, machineId(call)));
}

coro::Task<Response> resumeMachine(Call& call) {
    co_return machineResponse(co_await call.engine.ask(&Machines::resume, machineId(call)));
}

coro::Task<Response> removeMachine(Call& call) {
    const auto force = call.body.flag("force");
    if (!force) co_return errorResponse(force.error());
    const std::uint32_t id = machineId(call);
    const auto machine = co_await call.engine.ask(&Machines::get, id);
    if (!machine) co_return errorResponse(machine.error());
    // First of all, or it would come back as a new one at once. What it has open stays until it has gone.
    call.api.joins.suspend(machine->key, true);
    auto removed = co_await call.engine.ask(&Machines::remove, id, *force);
    if (removed) removed = co_await call.api.joins.forget(machine->key, call.helpers);
    if (!removed) {
        call.api.joins.suspend(machine->key, false);
        co_return errorResponse(removed.error());
    }
    co_return jsonResponse(fmt::format(R"({{"id":{}}})", id));
}

} // namespace

std::span<const Route> machineRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "machines", Global, None, Needs::Read},
         &listMachines,
         {.id = "listMachines",
          .summary = "What runs actions: this machine first, then those that are linked to it",
          .answers = {{{200, "MachineRows"}}}}},
        {{Get, "machines/{id}", Global, None, Needs::Read},
         &getMachine,
         {.id = "getMachine", .summary = "One machine", .answers = {{{200, "MachineRow"}}}}},
        {{Patch, "machines/{id}", Global, Json, Needs::Operate},
         &changeMachine,
         {.id = "changeMachine",
          .summary = "Give a machine nothing new, or work again",
          .members = "paused",
          .request = "MachineChange",
          .answers = {{{200, "MachineRow"}}}}},
        {{Post, "machines/{id}/drain", Global, OptionalJson, Needs::Operate},
         &drainMachine,
         {.id = "drainMachine",
          .summary = "Give a machine nothing new; what it has goes on",
          .answers = {{{200, "MachineRow"}}}}},
        {{Post, "machines/{id}/resume", Global, OptionalJson, Needs::Operate},
         &resumeMachine,
         {.id = "resumeMachine",
          .summary = "Give a machine work again; one that was refused may come again",
          .answers = {{{200, "MachineRow"}}}}},
        {{Delete, "machines/{id}", Global, OptionalJson, Needs::Operate},
         &removeMachine,
         {.id = "removeMachine",
          .summary = "Remove a machine; one that has actions by force alone, and they run elsewhere",
          .members = "force",
          .request = "MachineRemoval",
          .answers = {{{200, "MachineRemoved"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
