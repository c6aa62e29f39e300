#include "core/host/gpu_clients.h"

#include "core/host/small_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

namespace yard::host {

namespace {

constexpr std::size_t kMostDescriptors = 4'096;
constexpr std::size_t kMostEngines = 64;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

std::string_view withoutBlanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

/// "1234 KiB", "2 MiB", "17".
std::int64_t bytesFrom(std::string_view text) {
    const std::int64_t number = std::clamp<std::int64_t>(leadingNumber(text).value_or(0), 0, kMostBytes >> 20);
    if (text.ends_with("KiB")) return number << 10;
    if (text.ends_with("MiB")) return number << 20;
    return std::clamp<std::int64_t>(leadingNumber(text).value_or(0), 0, kMostBytes);
}

/// One open device.
struct Account {
    std::string pci;
    std::string client;
    std::map<std::string, std::int64_t> memory; ///< by region
    std::map<std::string, GpuEngineUse> engines;

    GpuEngineUse* engine(std::string_view name) {
        if (engines.size() >= kMostEngines) {
            const auto at = engines.find(std::string(name));
            return at == engines.end() ? nullptr : &at->second;
        }
        return &engines[std::string(name)];
    }
    /// Of the device's own memory, where it has some.
    std::int64_t memoryBytes() const {
        std::int64_t own = 0, elsewhere = 0;
        bool hasOwn = false;
        for (const auto& [region, bytes] : memory) {
            const bool isOwn = region.starts_with("vram") || region.starts_with("local");
            hasOwn = hasOwn || isOwn;
            (isOwn ? own : elsewhere) += bytes;
        }
        return hasOwn ? own : elsewhere;
    }
};

/// `drm-memory-REGION` is what newer drivers call `drm-resident-REGION`, and may stand beside it.
void takeLine(Account& account, std::string_view key, std::string_view value) {
    const auto after = [&](std::string_view prefix) {
        const bool isSuch = key.starts_with(prefix) && key.size() > prefix.size();
        return isSuch ? key.substr(prefix.size()) : std::string_view();
    };
    const auto number = [&] { return std::max<std::int64_t>(leadingNumber(value).value_or(0), 0); };
    if (key == "drm-pdev") account.pci = value;
    if (key == "drm-client-id") account.client = value;
    for (const std::string_view prefix : {"drm-memory-", "drm-resident-"})
        if (const std::string_view region = after(prefix); !region.empty() && account.memory.size() < kMostEngines)
            account.memory[std::string(region)] = bytesFrom(value);
    std::string_view name;
    if (name = after("drm-engine-capacity-"); !name.empty()) {
        if (GpuEngineUse* engine = account.engine(name)) engine->capacity = std::max<std::int64_t>(number(), 1);
    } else if (name = after("drm-engine-"); !name.empty()) {
        if (GpuEngineUse* engine = account.engine(name)) engine->used = number();
    } else if (name = after("drm-cycles-"); !name.empty()) {
        if (GpuEngineUse* engine = account.engine(name)) engine->used = number();
    } else if (name = after("drm-total-cycles-"); !name.empty()) {
        if (GpuEngineUse* engine = account.engine(name)) engine->total = number();
    }
}

Account accountFrom(std::string_view text) {
    Account account;
    eachLine(text, [&account](std::string_view line) {
        const auto colon = line.find(':');
        if (line.starts_with("drm-") && colon != line.npos)
            takeLine(account, line.substr(0, colon), withoutBlanks(line.substr(colon + 1)));
    });
    return account;
}

void add(GpuUse& sum, const Account& account) {
    sum.memoryBytes += account.memoryBytes();
    for (const auto& [name, engine] : account.engines) {
        GpuEngineUse& of = sum.engines[name];
        of.used += engine.used;
        of.total = std::max(of.total, engine.total); // of the device: the same for all
        of.capacity = std::max(of.capacity, engine.capacity);
    }
}

} // namespace

std::optional<std::map<std::string, GpuUse>> gpuUseOf(const std::vector<int>& pids, const std::string& root) {
    std::map<std::string, GpuUse> all;
    std::set<std::pair<std::string, std::string>> seen; // a device and a client of it
    for (const int pid : pids) {
        const std::string process = fmt::format("{}proc/{}/", root, pid);
        std::error_code error;
        std::size_t looked = 0;
        for (std::filesystem::directory_iterator fd(process + "fd", error), end;
             !error && fd != end && looked < kMostDescriptors; fd.increment(error), ++looked) {
            std::error_code closed;
            if (!std::filesystem::read_symlink(fd->path(), closed).native().starts_with("/dev/dri/")) continue;
            const Account account =
                accountFrom(readSmallFile(process + "fdinfo/" + fd->path().filename().native()));
            if (account.pci.empty() || account.client.empty()) continue;
            if (seen.emplace(account.pci, account.client).second) add(all[account.pci], account);
        }
        if (error == std::errc::permission_denied) return std::nullopt;
    }
    return all;
}

double gpuPercentBetween(const GpuUse& before, const GpuUse& now, Duration span) {
    constexpr double kAll = 100;
    double most = 0;
    for (const auto& [name, engine] : now.engines) {
        const auto at = before.engines.find(name);
        const GpuEngineUse was = at == before.engines.end() ? GpuEngineUse{.total = engine.total} : at->second;
        // What a process that ended had used is not counted any more.
        const auto used = static_cast<double>(std::max<std::int64_t>(engine.used - was.used, 0));
        const auto of = engine.total > 0 ? static_cast<double>(engine.total - was.total)
                                         : static_cast<double>(span.count()) * 1e3;
        if (of > 0) most = std::max(most, kAll * used / (of * static_cast<double>(engine.capacity)));
    }
    return std::min(most, kAll);
}

} // namespace yard::host
