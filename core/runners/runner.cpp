#include "core/runners/runner.h"

#include <array>

namespace yard::runners {

std::string_view name(EndCause cause) {
    constexpr std::array<std::string_view, 8> kNames{"exited",   "cancelled",   "abandoned",   "engine_stopped",
                                                     "deadline", "spawn_error", "lost_runner", "worker_crashed"};
    return kNames[std::to_underlying(cause)];
}

std::string_view name(SpawnStep step) {
    constexpr std::array<std::string_view, 12> kNames{
        "none",    "pipe", "clone", "session", "parent death signal", "chdir", "streams", "limits",
        "look-up", "exec", "lock",  "sandbox"};
    return kNames[std::to_underlying(step)];
}

} // namespace yard::runners
