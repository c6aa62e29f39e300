#include "core/host/group_memory.h"

#include "core/host/small_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace yard::host {

namespace {

/// Version 1 writes a number near the largest for "no limit".
constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

/// Names of the files of one version of control groups.
struct Names {
    std::string_view mount;
    std::string_view limit;
    std::string_view usage;
    std::string_view cache; ///< line of memory.stat: file pages that were not used lately
};
constexpr Names kVersion2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};
constexpr Names kVersion1{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                          "total_inactive_file "};

/// The group and those above it.
void climb(const std::string& root, const Names& names, std::string_view group, std::vector<GroupMemory>& found) {
    for (;;) {
        const std::string base = fmt::format("{}{}{}/", root, names.mount, group == "/" ? "" : group);
        const auto limit = leadingNumber(readSmallFile(base + std::string(names.limit)));
        if (limit && *limit > 0 && *limit < kNoLimit) {
            const std::int64_t used = leadingNumber(readSmallFile(base + std::string(names.usage))).value_or(0);
            const std::string stat = readSmallFile(base + "memory.stat");
            const std::int64_t cache = leadingNumber(lineOf(stat, names.cache)).value_or(0);
            found.push_back({*limit, std::max<std::int64_t>(used - cache, 0)});
        }
        if (group.empty() || group == "/") return;
        group = group.substr(0, group.rfind('/'));
    }
}

} // namespace

std::vector<GroupMemory> limitedGroups(const std::string& root) {
    std::vector<GroupMemory> found;
    const std::string groups = readSmallFile(root + "proc/self/cgroup");
    // "0::/a/b" of version 2, "7:cpu,memory:/a/b" of version 1.
    eachLine(groups, [&](std::string_view line) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first == line.npos ? first : first + 1);
        if (second == line.npos) return;
        const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
        const std::string_view group = line.substr(second + 1);
        if (controllers == ",,")
            climb(root, kVersion2, group, found);
        else if (controllers.contains(",memory,"))
            climb(root, kVersion1, group, found);
    });
    return found;
}

} // namespace yard::host
