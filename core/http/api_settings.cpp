// GET and PATCH settings: values by name, what is known of each, and what waits for a restart.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/model/json_writer.h"
#include "core/model/settings.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

void writeAbout(JsonWriter& writer, const SettingInfo& setting) {
    writer.key(setting.name);
    writer.openObject();
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
    for (const auto& [name, amount] : settings.asked.resources)
        writer.member(fmt::format("resources.{}", name), amount);
    writer.key("restart_needed");
    writer.openArray();
    for (const std::string_view name : settings.restartNeeded) writer.string(name);
    writer.closeArray();
    writer.key("about");
    writer.openObject();
    for (const SettingInfo& setting : settingsTable()) writeAbout(writer, setting);
    writer.closeObject();
    writer.closeObject();
    return text;
}

} // namespace

coro::Task<Response> Api::getSettings(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    co_return jsonResponse(settingsJson(co_await engine_.settings()));
}

coro::Task<Response> Api::changeSettings(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto changed = co_await engine_.changeSettings(std::move(call.request.body));
    co_return changed ? jsonResponse(settingsJson(*changed)) : errorResponse(changed.error());
}

} // namespace yard::http
