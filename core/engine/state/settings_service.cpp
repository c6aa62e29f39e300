#include "core/engine/state/settings_service.h"

#include "core/base/files.h"
#include "core/base/log.h"

#include <fmt/format.h>

#include <utility>

namespace yard::engine {

namespace {

constexpr std::size_t kMaxFile = 1u << 20;

void applyLogLevel(const Settings& settings) {
    LogLevel level{};
    if (parseLogLevel(settings.logLevel, level)) setLogLevel(level);
}

} // namespace

Result<void> SettingsService::read(std::string path, const Options& options) {
    path_ = std::move(path);
    auto text = readFile(path_, kMaxFile);
    if (!text && text.error().kind != ErrorKind::NotFound) return std::unexpected(text.error());
    if (text) {
        auto saved = applySettings({}, *text);
        if (!saved)
            return invalid(saved.error().field, fmt::format("{}: {} Fix the file, or remove it to begin with the "
                                                            "defaults.",
                                                            path_, saved.error().message));
        saved_ = *saved;
    }
    GivenSettings forThisRun = saved_;
    for (const std::string& setting : options.set) {
        auto applied = applySetting(forThisRun, setting);
        if (!applied) return std::unexpected(applied.error());
        forThisRun = *applied;
    }
    if (options.capacity > 0) forThisRun.values.capacity = options.capacity;
    if (options.grace) forThisRun.values.grace = *options.grace;
    inForce_ = asked_ = forThisRun.values;
    applyLogLevel(inForce_);
    return {};
}

SettingsView SettingsService::view() const {
    SettingsView view{.asked = asked_, .restartNeeded = {}};
    for (const SettingInfo& setting : settingsTable())
        for (std::string& name : differing(setting, asked_, inForce_))
            view.restartNeeded.push_back(std::move(name));
    return view;
}

coro::Task<Result<SettingsView>> SettingsService::change(std::string json) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    // What --set gave for this run alone stays so.
    const auto saved = applySettings(saved_, json);
    if (!saved) co_return std::unexpected(saved.error());
    const auto asked = applySettings({asked_, 0}, json);
    if (!asked) co_return std::unexpected(asked.error());
    for (const auto& check : checks_)
        if (auto checked = check(asked->values); !checked) co_return std::unexpected(checked.error());
    auto write = [path = path_, text = toJson(*saved)] { return writeFileAtomically(path, text, 0600, true); };
    const Result<void> written = co_await helpers_->run(std::move(write));
    if (!written) co_return std::unexpected(written.error());
    saved_ = *saved;
    asked_ = asked->values;
    const Settings before = inForce_;
    for (const SettingInfo& setting : settingsTable())
        if (setting.applies == Applies::AtOnce) copySetting(setting, asked_, inForce_);
    applyLogLevel(inForce_);
    for (const auto& listener : listeners_) listener(before);
    logInfo("engine", "settings were changed");
    co_return view();
}

} // namespace yard::engine
