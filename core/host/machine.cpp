#include "core/host/machine.h"

#include "core/host/group_memory.h"
#include "core/host/small_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::host {

namespace {

constexpr std::int64_t kMb = 1 << 20;

int entriesOf(const std::string& directory, std::string_view prefix) {
    std::error_code error;
    int count = 0;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
        if (at->path().filename().string().starts_with(prefix)) ++count;
    return count;
}

} // namespace

std::int64_t memoryOfMachine(const std::string& root) {
    constexpr std::int64_t kKb = 1024;
    std::int64_t bytes = leadingNumber(lineOf(readSmallFile(root + "proc/meminfo"), "MemTotal:")).value_or(0) * kKb;
    for (const GroupMemory& group : limitedGroups(root)) bytes = bytes ? std::min(bytes, group.limit) : group.limit;
    return bytes / kMb;
}

std::string hostName() {
    std::array<char, 256> host{};
    (void)::gethostname(host.data(), host.size() - 1);
    return host.data();
}

int gpusOfMachine(const std::string& root) {
    const int nvidia = entriesOf(root + "proc/driver/nvidia/gpus", "");
    return nvidia > 0 ? nvidia : entriesOf(root + "dev/dri", "renderD");
}

Resources machineResources(int capacity, const ResourceSettings& settings, const std::string& root) {
    constexpr std::int64_t kThousandths = 1000;
    Resources all;
    all.milliCores = kThousandths * capacity;
    all.memoryMb = settings.memoryMb ? *settings.memoryMb : memoryOfMachine(root);
    const auto set = [&all](const std::string& name, std::int64_t amount) {
        std::erase_if(all.named, [&](const auto& known) { return known.first == name; });
        if (amount > 0) all.named.emplace_back(name, amount);
    };
    set("gpus", kThousandths * gpusOfMachine(root));
    for (const auto& [name, amount] : settings.named) set(name, amount);
    std::ranges::sort(all.named);
    return all;
}

} // namespace yard::host
