// GET and PATCH settings: values by name, what is known of each, and what waits for a restart.
#include "core/http/route.h"

#include "core/engine/state/settings_service.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"
#include "core/model/settings.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

void writeAbout(JsonWriter& writer, const SettingInfo& setting) {
    writer.key(setting.name);
    writer.openObject();
    writer.member("group", name(setting.group));
    writer.member("title", titleOf(setting));
    if (!setting.unit.empty()) writer.member("unit", setting.unit);
    if (setting.words.empty() && !setting.isText()) {
        writer.member("least", setting.least);
        writer.member("most", setting.most);
    } else if (!setting.words.empty()) {
        writer.key("words");
        writer.openArray();
        for (const std::string_view word : setting.words) writer.string(word);
        writer.closeArray();
    }
    if (!setting.isFamily()) {
        writer.key("default");
        writeSetting(writer, setting, Settings{});
    }
    writer.member("applies", setting.applies == Applies::AtOnce ? "at_once" : "at_start");
    writer.member("help", setting.help);
    writer.closeObject();
}

std::string settingsJson(const engine::SettingsView& settings) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    for (const SettingInfo& setting : settingsTable()) {
        if (setting.isFamily()) continue;
        writer.key(setting.name);
        writeSetting(writer, setting, settings.asked);
    }
    for (const auto& [name, amount] : settings.asked.resources) {
        writer.key(fmt::format("resources.{}", name));
        writeResource(writer, settings.asked, name);
    }
    writer.key("restart_needed");
    writer.openArray();
    for (const std::string& name : settings.restartNeeded) writer.string(name);
    writer.closeArray();
    writer.key("about");
    writer.openObject();
    for (const SettingInfo& setting : settingsTable()) writeAbout(writer, setting);
    writer.closeObject();
    writer.closeObject();
    return text;
}

coro::Task<Response> getSettings(Call& call) {
    co_return jsonResponse(settingsJson(co_await call.engine.ask(&engine::SettingsService::view)));
}

coro::Task<Response> changeSettings(Call& call) {
    const auto changed = co_await call.engine.ask(&engine::SettingsService::change, std::move(call.request.body));
    co_return changed ? jsonResponse(settingsJson(*changed)) : errorResponse(changed.error());
}

} // namespace

std::span<const Route> settingsRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "settings", Global, None, Needs::Read},
         &getSettings,
         {.id = "getSettings", .summary = "All settings", .answers = {{{200, "Settings"}}}}},
        {{Patch, "settings", Global, Json, Needs::Admin},
         &changeSettings,
         {.id = "changeSettings",
          .summary = "Change settings; null goes back to the default",
          .members = kReadsItself,
          .request = "ChangeSettings",
          .answers = {{{200, "Settings"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
