// Memory that a sandbox has and no process of it: its /tmp, and what waits in its sockets and pipes. Any thread but
// the engine's: it blocks.
#pragma once

#include <cstdint>
#include <vector>

namespace yard::host {

/// Of the sandbox in which `leader` is the first process and `members`, itself among them, are all. 0 when it is in
/// no sandbox, or gone.
///
/// A socket or pipe counts with what the kernel keeps for it. A socket that no process has open (closed by its
/// sender before the other end read, or not accepted yet) cannot be asked: it counts with the most that it can
/// hold.
std::int64_t memoryOutsideProcesses(int leader, const std::vector<int>& members);

} // namespace yard::host
