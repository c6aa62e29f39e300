// Settings while the engine lives: the file at the start, changes by the route.
#include "core/engine/engine_core.h"

#include "core/base/files.h"
#include "core/base/log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <thread>

namespace yard::engine {

namespace {

constexpr std::size_t kMaxFile = 1u << 20;

void applyLogLevel(const Settings& settings) {
    LogLevel level{};
    if (parseLogLevel(settings.logLevel, level)) setLogLevel(level);
}

} // namespace

Result<void> EngineCore::readSettings() {
    const std::string path = directory_->settings();
    auto text = readFile(path, kMaxFile);
    if (!text && text.error().kind != ErrorKind::NotFound) return std::unexpected(text.error());
    if (text) {
        auto saved = applySettings({}, *text);
        if (!saved)
            return invalid(saved.error().field, fmt::format("{}: {} Mend the file, or remove it to begin with the "
                                                            "defaults.",
                                                            path, saved.error().message));
        savedSettings_ = *saved;
    }
    GivenSettings forThisRun = savedSettings_;
    for (const std::string& setting : options_.set) {
        auto applied = applySetting(forThisRun, setting);
        if (!applied) return std::unexpected(applied.error());
        forThisRun = *applied;
    }
    if (options_.capacity > 0) forThisRun.values.capacity = options_.capacity;
    if (options_.grace) forThisRun.values.grace = *options_.grace;
    settings_ = askedSettings_ = forThisRun.values;
    capacity_ = settings_.capacity > 0 ? static_cast<int>(settings_.capacity)
                                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    applyLogLevel(settings_);
    return {};
}

ResourceSettings EngineCore::resourceSettings() const {
    ResourceSettings resources;
    for (const auto& [name, amount] : settings_.resources) {
        if (name == "memory_mb")
            resources.memoryMb = std::llround(amount);
        else
            resources.named.emplace_back(name, std::llround(amount * 1000));
    }
    if (options_.resources.memoryMb) resources.memoryMb = options_.resources.memoryMb;
    resources.named.insert(resources.named.end(), options_.resources.named.begin(), options_.resources.named.end());
    return resources;
}

coro::Task<SettingsView> EngineCore::settings() {
    SettingsView view{.asked = askedSettings_, .restartNeeded = {}};
    for (const SettingInfo& setting : settingsTable())
        if (!isSame(setting, askedSettings_, settings_)) view.restartNeeded.push_back(setting.name);
    co_return view;
}

coro::Task<Result<SettingsView>> EngineCore::changeSettings(std::string json) {
    const auto guard = co_await settingsMutex_.lock();
    // What the request names changes for this run and in the file; what --set gave for this run alone stays so.
    const auto saved = applySettings(savedSettings_, json);
    if (!saved) co_return std::unexpected(saved.error());
    const auto asked = applySettings({askedSettings_, 0}, json);
    if (!asked) co_return std::unexpected(asked.error());
    auto write = [path = directory_->settings(), text = toJson(*saved)] {
        return writeFileAtomically(path, text, 0600, true);
    };
    const Result<void> written = co_await helpers_->run(std::move(write));
    if (!written) co_return std::unexpected(written.error());
    savedSettings_ = *saved;
    askedSettings_ = asked->values;
    const Duration hung = settings_.hung;
    for (const SettingInfo& setting : settingsTable())
        if (setting.applies == Applies::AtOnce) copySetting(setting, askedSettings_, settings_);
    applyLogLevel(settings_);
    chunkFiles_->setGrace(settings_.chunkGrace);
    session_->setReserve(settings_.reserve);
    retention_->settingsChanged();
    progressWork_.set();
    if (settings_.hung != hung) hungChanged_.set();
    if (warm_) warm_->configure(poolOptions(), settings_.grace);
    logInfo("engine", "settings were changed");
    co_return co_await settings();
}

} // namespace yard::engine
