// Starting the launcher's process.
#pragma once

#include "core/runners/local_runner.h"

#include <string_view>

namespace yard::runners {

/// What a launcher may be marked with: 16 to 64 hexadecimal digits.
bool isOwnerToken(std::string_view token);
/// The pid of a launcher whose end of the socket is `socketFd`. Never a fork: the engine's heap may be large. All
/// signals are blocked in it until it has settled its own, and it leads a session of its own, so that Ctrl-C in a
/// terminal reaches the engine only. Io when it cannot be started.
Result<int> spawnLauncher(const LauncherConfig& config, int socketFd);

} // namespace yard::runners
