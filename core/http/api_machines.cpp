// The machines of this engine: docs/machines.md.
#include "core/http/route.h"

#include "core/base/parsed_number.h"
#include "core/engine/machines/machines.h"
#include "core/engine/machines/ssh_link.h"
#include "core/http/error_map.h"
#include "core/http/handler_steps.h"
#include "core/http/join_tokens.h"
#include "core/http/machine_json.h"
#include "core/json/json_writer.h"
#include "core/model/limits.h"
#include "core/tls/trust.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace yard::http {

namespace {

using engine::Machines;
using engine::MachineView;

constexpr std::int64_t kMostCores = 1'000'000;
constexpr std::int64_t kMostMemoryMb = std::int64_t{1} << 40;
constexpr std::size_t kMostHours = 600; ///< 16 rules
constexpr std::size_t kMostAddress = 300;
constexpr std::size_t kMostToken = 200;

/// What is no number is none that was ever given.
std::uint32_t machineId(const Call& call) {
    return parsedNumber<std::uint32_t>(call.capture()).value_or(UINT32_MAX);
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
    co_return jsonResponse(fmt::format(R"({{"machines":{}}})", machinesJson(machines)));
}

coro::Task<Response> getMachine(Call& call) {
    co_return machineResponse(co_await call.engine.ask(&Machines::get, machineId(call)));
}

/// Its name, and what it is to get.
Result<engine::MachineChange> readAmounts(const JsonRequest& body) {
    engine::MachineChange wanted;
    if (body.has("name")) {
        auto name = body.word("name", kMaxMachineName);
        if (!name) return std::unexpected(name.error());
        wanted.name = std::move(*name);
    }
    const auto cores = body.integer("max_cores", 0, kMostCores);
    if (!cores) return std::unexpected(cores.error());
    if (*cores) wanted.mostMilliCores = **cores * 1'000;
    const auto memory = body.integer("max_memory_mb", 0, kMostMemoryMb);
    if (!memory) return std::unexpected(memory.error());
    wanted.mostMemoryMb = *memory;
    return wanted;
}

Result<engine::MachineChange> readChange(const JsonRequest& body) {
    auto wanted = readAmounts(body);
    if (!wanted) return wanted;
    if (body.has("paused")) {
        const auto paused = body.flag("paused");
        if (!paused) return std::unexpected(paused.error());
        wanted->paused = *paused;
    }
    if (body.has("hours")) {
        auto hours = body.word("hours", kMostHours);
        if (!hours) return std::unexpected(hours.error());
        wanted->hours = std::move(*hours);
    }
    if (!wanted->name && !wanted->mostMilliCores && !wanted->mostMemoryMb && !wanted->paused && !wanted->hours)
        return invalid(
            "paused", "Give at least one of \"name\", \"max_cores\", \"max_memory_mb\", \"hours\" and \"paused\".");
    return wanted;
}

/// What goes with the way that the address names. By ssh the keys of this engine's user decide.
Result<void> checkWay(const JsonRequest& body, engine::DialTarget& target) {
    const auto installs = body.flag("install");
    if (!installs) return std::unexpected(installs.error());
    target.installs = *installs;
    if (engine::isSshUrl(target.url)) {
        if (!target.token.empty()) return invalid("token", "An ssh:// address takes no \"token\": leave it out.");
        if (!target.fingerprint.empty())
            return invalid("fingerprint", "An ssh:// address takes no \"fingerprint\": known_hosts decides.");
        return {};
    }
    if (target.installs)
        return invalid("install", "\"install\" copies a program by ssh: it goes with an ssh:// address.");
    const bool isPlain = std::ranges::all_of(target.token, [](unsigned char c) { return c > ' ' && c < 0x7f; });
    if (target.token.empty() || !isPlain)
        return invalid("token", "Give \"token\", one of the machine's engine with the right admin.");
    return {};
}

Result<engine::DialWanted> readDial(const JsonRequest& body) {
    engine::DialWanted wanted;
    for (const auto& [member, most, field] : {std::tuple{"address", kMostAddress, &wanted.target.url},
                                              std::tuple{"token", kMostToken, &wanted.target.token},
                                              std::tuple{"fingerprint", kMostToken, &wanted.target.fingerprint}}) {
        auto word = body.word(member, most);
        if (!word) return std::unexpected(word.error());
        *field = std::move(*word);
    }
    if (wanted.target.url.empty())
        return invalid("address",
                       "Give \"address\", of the machine's engine: https://HOST:PORT, or ssh://USER@HOST.");
    if (auto fine = checkWay(body, wanted.target); !fine) return std::unexpected(fine.error());
    if (!wanted.target.fingerprint.empty() && !tls::isFingerprint(wanted.target.fingerprint))
        return invalid("fingerprint", "Give \"fingerprint\" as 64 hexadecimal digits, or leave it out to be told.");
    auto change = readAmounts(body);
    if (!change) return std::unexpected(change.error());
    wanted.name = std::move(change->name);
    wanted.mostMilliCores = change->mostMilliCores;
    wanted.mostMemoryMb = change->mostMemoryMb;
    return wanted;
}

/// Of one whose fingerprint nobody has confirmed: it is told, for whoever asks to compare.
Response fingerprintResponse(const std::string& fingerprint) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("error", "fingerprint");
    writer.member("message", fmt::format("The machine shows the fingerprint {}, and nothing here vouches for it: "
                                         "compare it with the one that its engine prints, and give it along.",
                                         fingerprint));
    writer.member("fingerprint", fingerprint);
    writer.closeObject();
    Response response = jsonResponse(std::move(text));
    response.status = 409;
    return response;
}

coro::Task<Response> addMachine(Call& call) {
    auto wanted = readDial(call.body);
    if (!wanted) co_return errorResponse(wanted.error());
    const auto dialled = co_await call.engine.ask(&Machines::dial, std::move(*wanted));
    if (!dialled) co_return errorResponse(dialled.error());
    if (!dialled->machine) co_return fingerprintResponse(dialled->fingerprint);
    co_return machineResponse(*dialled->machine);
}

coro::Task<Response> changeMachine(Call& call) {
    const auto wanted = readChange(call.body);
    if (!wanted) co_return errorResponse(wanted.error());
    co_return machineResponse(co_await call.engine.ask(&Machines::change, machineId(call), *wanted));
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
    if (!removed) {
        call.api.joins.suspend(machine->key, false);
        co_return errorResponse(removed.error());
    }
    // A machine that is gone stays out, also while this cannot be written down. One without a key has none to forget.
    if (!machine->key.empty()) removed = co_await call.api.joins.forget(machine->key, call.helpers);
    if (!removed) co_return errorResponse(removed.error());
    co_return jsonResponse(fmt::format(R"({{"id":{}}})", id));
}

} // namespace

coro::Task<std::optional<std::set<std::string>>> keysOfMachines(engine::Engine& engine) {
    std::set<std::string> keys;
    auto machines = co_await engine.ask(&engine::Machines::list);
    if (machines.empty()) co_return std::nullopt; // its own is always there
    for (engine::MachineView& machine : machines) {
        if (machine.isUnread) co_return std::nullopt;
        if (!machine.key.empty()) keys.insert(std::move(machine.key));
    }
    co_return keys;
}

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
        {{Post, "machines", Global, Json, Needs::Admin},
         &addMachine,
         {.id = "addMachine",
          .summary =
              "Have another machine work for this one: links to it from now on, by its engine's address or by ssh",
          .members = "address token fingerprint install name max_cores max_memory_mb",
          .request = "MachineAddition",
          .answers = {{{200, "MachineRow"}, {409, "MachineFingerprint"}}}}},
        {{Get, "machines/{id}", Global, None, Needs::Read},
         &getMachine,
         {.id = "getMachine", .summary = "One machine", .answers = {{{200, "MachineRow"}}}}},
        {{Patch, "machines/{id}", Global, Json, Needs::Operate},
         &changeMachine,
         {.id = "changeMachine",
          .summary = "Call a machine otherwise, give it less or more, or nothing new",
          .members = "name max_cores max_memory_mb hours paused",
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
