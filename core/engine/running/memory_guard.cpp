#include "core/engine/running/memory_guard.h"

#include "core/base/files.h"
#include "core/host/group_memory.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace yard::engine {

namespace {

constexpr std::size_t kMemoryFile = 16u << 10;
/// Starting goes on only this far below the threshold, or it would go on and off with every action; of a low
/// threshold a share of it, or there would be nothing below.
constexpr double kSlack = 2;
constexpr double kSlackShare = 0.1;
/// What was stopped needs its time to end and to give its memory back.
constexpr Duration kBetweenStops{5'000'000};

/// The number behind `key`, spaces apart.
std::optional<double> numberAfter(std::string_view text, std::string_view key) {
    const auto at = text.find(key);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at + key.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    return value;
}

} // namespace

std::optional<MemoryReading> readMemory(const std::string& root) {
    const auto info = readFile(root + "proc/meminfo", kMemoryFile);
    if (!info) return std::nullopt;
    const auto total = numberAfter(*info, "MemTotal:");
    const auto available = numberAfter(*info, "MemAvailable:");
    if (!total || !available || *total <= 0) return std::nullopt;
    MemoryReading reading{.usedPercent = 100 - 100 * *available / *total, .ofGroup = false, .stalledPercent = {}};
    for (const host::GroupMemory& group : host::limitedGroups(root)) {
        const double percent = 100 * static_cast<double>(group.used) / static_cast<double>(group.limit);
        if (percent <= reading.usedPercent) continue;
        reading.usedPercent = percent;
        reading.ofGroup = true;
    }
    if (const auto pressure = readFile(root + "proc/pressure/memory", kMemoryFile))
        if (const auto full = pressure->find("full "); full != std::string::npos)
            reading.stalledPercent = numberAfter(std::string_view(*pressure).substr(full), "avg10=");
    return reading;
}

bool MemoryGuard::observe(const MemoryReading& reading, const Settings& settings, MonoTime now) {
    last_ = reading;
    isKnown_ = true;
    const auto hold = static_cast<double>(settings.guardHold);
    const auto stop = static_cast<double>(settings.guardStop);
    goesOnBelow_ = hold - std::min(kSlack, kSlackShare * hold);
    holding_ = hold > 0 && reading.usedPercent >= (holding_ ? goesOnBelow_ : hold);
    if (stop <= 0 || reading.usedPercent < stop) return false;
    if (stopped_ != MonoTime{} && now - stopped_ < kBetweenStops) return false;
    stopped_ = now;
    return true;
}

std::string_view MemoryGuard::whose() const {
    return last_.ofGroup ? "memory that its control group may use" : "machine's memory";
}

std::string MemoryGuard::reasonToGoOn() const {
    if (!isKnown_) return "nothing is left that waits or runs";
    return fmt::format("{:.0f} % of the {} is in use", last_.usedPercent, whose());
}

std::string MemoryGuard::reason() const {
    std::string text = fmt::format("{:.0f} % of the {} is in use, starting goes on below {:g} %", last_.usedPercent,
                                   whose(), goesOnBelow_);
    if (last_.stalledPercent && *last_.stalledPercent >= 1)
        text += fmt::format(" (it waits for memory {:.0f} % of the time)", *last_.stalledPercent);
    return text;
}

} // namespace yard::engine
