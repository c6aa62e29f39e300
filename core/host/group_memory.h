// What the control groups that we are in (cgroup v2 or v1, from our own up to the root) allow and use of memory.
// Any thread; reads a few small files below `root`, which is "/" but in tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace yard::host {

struct GroupMemory {
    std::int64_t limit = 0; ///< bytes
    std::int64_t used = 0;  ///< bytes, without what the kernel would give up at once
};
/// Those with a limit, the innermost first; none where the machine is the limit.
std::vector<GroupMemory> limitedGroups(const std::string& root = "/");

} // namespace yard::host
