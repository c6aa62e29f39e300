#include "core/lease/runner.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace yard::runners {

namespace {

constexpr std::array kLasting{ENOENT, EACCES, ENOEXEC, ENOTDIR,      ELOOP,
                              E2BIG,  EINVAL, EISDIR,  ENAMETOOLONG, ELIBBAD};

bool isOfProgram(const SpawnFailure& failure) {
    return failure.step == SpawnStep::Lookup || failure.step == SpawnStep::Exec;
}

} // namespace

bool cannotHeal(const SpawnFailure& failure) {
    const bool isNamed = isOfProgram(failure) || failure.step == SpawnStep::ChangeDirectory;
    return isNamed && std::ranges::find(kLasting, failure.err) != kLasting.end();
}

std::optional<int> shellExitCode(const SpawnFailure& failure) {
    constexpr int kNotFound = 127;
    constexpr int kNotExecutable = 126;
    if (!isOfProgram(failure)) return {};
    return failure.err == ENOENT ? kNotFound : kNotExecutable;
}

std::string_view name(EndCause cause) {
    constexpr std::array<std::string_view, 9> kNames{"exited",         "cancelled",   "abandoned",
                                                     "engine_stopped", "deadline",    "spawn_error",
                                                     "lease_ended",    "lost_runner", "worker_crashed"};
    return kNames[std::to_underlying(cause)];
}

std::string_view name(SpawnStep step) {
    constexpr std::array<std::string_view, 13> kNames{
        "none", "pipe", "clone",   "session", "parent death signal", "chdir", "streams", "limits", "look-up",
        "exec", "lock", "sandbox", "mark"};
    return kNames[std::to_underlying(step)];
}

} // namespace yard::runners
