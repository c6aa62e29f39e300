#include "core/host/machine.h"

#include "core/host/group_memory.h"
#include "core/host/small_file.h"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace yard::host {

namespace {

constexpr std::int64_t kMb = 1 << 20;

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

Resources machineResources(int capacity, std::size_t gpus, const ResourceSettings& settings,
                           const std::string& root) {
    constexpr std::int64_t kThousandths = 1000;
    Resources all;
    all.milliCores = kThousandths * capacity;
    all.memoryMb = settings.memoryMb ? *settings.memoryMb : memoryOfMachine(root);
    const auto set = [&all](const std::string& name, std::int64_t amount) {
        std::erase_if(all.named, [&](const auto& known) { return known.first == name; });
        if (amount > 0) all.named.emplace_back(name, amount);
    };
    set("gpus", kThousandths * static_cast<std::int64_t>(gpus));
    for (const auto& [name, amount] : settings.named) set(name, amount);
    std::ranges::sort(all.named);
    return all;
}

} // namespace yard::host
