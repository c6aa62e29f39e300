// Courtesy: what is known of the machine, which measures are in force, and for how long (docs/courtesy.md).
#include "core/http/route.h"

#include "core/engine/running/courtesy_service.h"
#include "core/http/error_map.h"
#include "core/http/view_json.h"
#include "core/json/json_writer.h"

namespace yard::http {

namespace {

void writeConditions(JsonWriter& writer, const engine::CourtesyView& courtesy) {
    writer.key("conditions");
    writer.openArray();
    for (const auto& condition : courtesy.conditions) {
        writer.openObject();
        writer.member("name", condition.name);
        writer.member("value", condition.value);
        writer.member("unit", condition.unit);
        writer.member("source", condition.source);
        writer.member("since", condition.since);
        writer.closeObject();
    }
    writer.closeArray();
}

void writeChanges(JsonWriter& writer, const engine::CourtesyView& courtesy) {
    writer.key("changes");
    writer.openArray();
    for (const auto& change : courtesy.changes) {
        writer.openObject();
        writer.member("t", change.t);
        writer.member("measure", change.measure);
        writer.member("in_force", change.isInForce);
        if (change.cores > 0) writer.member("cores", change.cores);
        writer.member("because", change.because);
        writer.member("profile", change.profile);
        writer.closeObject();
    }
    writer.closeArray();
}

Response courtesyResponse(const engine::CourtesyView& courtesy) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("setting", courtesy.setting);
    if (courtesy.until > 0) writer.member("until", courtesy.until);
    writeCourtesyNow(writer, courtesy.now);
    writer.member("keeps_awake", courtesy.keepsAwake);
    writer.key("profiles");
    writer.openArray();
    for (const std::string& name : courtesy.profiles) writer.string(name);
    writer.closeArray();
    writeConditions(writer, courtesy);
    writeChanges(writer, courtesy);
    writer.closeObject();
    return jsonResponse(std::move(text));
}

coro::Task<Response> getCourtesy(Call& call) {
    co_return courtesyResponse(co_await call.engine.ask(&engine::CourtesyService::view));
}

coro::Task<Response> changeCourtesy(Call& call) {
    auto profile = call.body.word("profile", courtesy::kMaxProfileName);
    if (!profile) co_return errorResponse(profile.error());
    if (profile->empty())
        co_return errorResponse(invalid("profile", "Give \"profile\", as \"gentle\" or \"off\".").error());
    const auto seconds = call.body.integer("for_s", 1, engine::CourtesyChange::kLongest.count());
    if (!seconds) co_return errorResponse(seconds.error());
    engine::CourtesyChange change{.profile = std::move(*profile), .forTime = {}};
    if (*seconds) change.forTime = std::chrono::seconds(**seconds);
    const auto changed = co_await call.engine.ask(&engine::CourtesyService::change, std::move(change));
    co_return changed ? courtesyResponse(*changed) : errorResponse(changed.error());
}

} // namespace

void writeCourtesyNow(JsonWriter& writer, const engine::CourtesyNow& now) {
    writer.member("profile", now.profile);
    writer.member("cores", now.cores);
    writer.key("measures");
    writer.openArray();
    for (const engine::CourtesyMeasure& measure : now.measures) {
        writer.openObject();
        writer.member("name", measure.name);
        if (measure.cores > 0) writer.member("cores", measure.cores);
        writer.member("since", measure.since);
        writer.member("because", measure.because);
        writer.closeObject();
    }
    writer.closeArray();
}

std::span<const Route> courtesyRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "courtesy", Global, None, Needs::Read},
         &getCourtesy,
         {.id = "getCourtesy",
          .summary = "How work makes room for a person: conditions, measures in force, changes",
          .answers = {{{200, "Courtesy"}}}}},
        {{Patch, "courtesy", Global, Json, Needs::Admin},
         &changeCourtesy,
         {.id = "changeCourtesy",
          .summary = "Choose a profile of courtesy, from now on or for a while",
          .members = "profile for_s",
          .request = "ChangeCourtesy",
          .answers = {{{200, "Courtesy"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
