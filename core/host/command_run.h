// Runs a short command of this machine's and reads what it says: those of Slurm, and of people who start machines
// elsewhere. It is no work of an action: it has no launcher, slot or sandbox.
//
// Blocks: for helper threads. Bounds: `limit` of time, kMostOutput bytes of each stream; what is over that is read and
// dropped. Its process group is killed at the limit and once `stop` is asked for; what left the group goes on.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace yard::host {

struct CommandOrder {
    static constexpr std::size_t kMostOutput = std::size_t{16} << 20;
    std::vector<std::string> argv;                          ///< at least one; looked up in PATH
    std::vector<std::pair<std::string, std::string>> env{}; ///< beside what this process has
    std::string input{};                                    ///< its stdin
    Duration limit = std::chrono::seconds(60);
};

struct CommandEnd {
    int exitCode = 0; ///< of a signal: 128 and its number
    std::string out;
    std::string err;
    bool isTooLong = false; ///< one of them was cut
};

/// Io: it cannot be started, or took too long; NotAccepting: `stop` came first.
Result<CommandEnd> runCommand(const CommandOrder& order, const std::stop_token& stop);

} // namespace yard::host
