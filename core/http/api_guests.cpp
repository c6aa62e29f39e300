// For whom this machine works: docs/machines.md.
#include "core/http/route.h"

#include "core/engine/guests/guests.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"

#include <string>

namespace yard::http {

namespace {

void writeRun(JsonWriter& writer, const engine::GuestsView::Run& run) {
    writer.openObject();
    writer.member("lsn", run.lsn);
    writer.member("attempt", std::int64_t{run.attempt});
    writer.member("name", run.name);
    writer.member("state", run.isRunning ? "running" : "waiting");
    writer.member("since", run.since);
    writer.closeObject();
}

void writeYard(JsonWriter& writer, const engine::GuestsView::Yard& yard) {
    writer.openObject();
    writer.member("id", yard.id);
    writer.member("name", yard.name);
    writer.member("url", yard.url);
    writer.member("state", yard.state);
    if (!yard.reason.empty()) writer.member("reason", yard.reason);
    writer.member("since", yard.since);
    writer.member("held", static_cast<std::int64_t>(yard.held));
    writer.key("actions");
    writer.openArray();
    for (const engine::GuestsView::Run& run : yard.runs) writeRun(writer, run);
    writer.closeArray();
    writer.closeObject();
}

coro::Task<Response> listGuests(Call& call) {
    const engine::GuestsView view = co_await call.engine.ask(&engine::Guests::list);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("serves", view.serves);
    writer.key("gives");
    writer.openObject();
    writer.member("cores", static_cast<double>(view.gives.milliCores) / 1000);
    writer.member("memory_mb", view.gives.memoryMb);
    writer.member("store_mb", static_cast<std::int64_t>(view.gives.storeBytes >> 20));
    writer.member("unsandboxed", view.gives.unsandboxed);
    writer.closeObject();
    writer.key("guests");
    writer.openArray();
    for (const engine::GuestsView::Yard& yard : view.yards) writeYard(writer, yard);
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> sendGuestAway(Call& call) {
    const std::int64_t id = call.number();
    const auto done = co_await call.engine.ask(&engine::Guests::sendAway, id);
    if (!done) co_return errorResponse(done.error());
    std::string answer;
    JsonWriter writer(answer);
    writer.openObject();
    writer.member("id", id);
    writer.closeObject();
    co_return jsonResponse(std::move(answer));
}

} // namespace

std::span<const Route> guestRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "guests", Global, None, Needs::Read},
         &listGuests,
         {.id = "listGuests",
          .summary = "For which other engines this machine works, and what it gives them",
          .answers = {{{200, "Guests"}}}}},
        {{Delete, "guests/{id}", Global, OptionalJson, Needs::Admin},
         &sendGuestAway,
         {.id = "sendGuestAway",
          .summary = "Send an engine away that this machine works for: what runs for it is ended",
          .answers = {{{200, "GuestSentAway"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
