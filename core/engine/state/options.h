// With what an engine is opened. A value.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/courtesy/desk.h"
#include "core/host/machine.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::runners {
class RunnerSource;
}

namespace yard::engine {

struct MemoryReading;

/// The yard that this machine works for.
struct JoinOptions {
    std::string url;
    std::string token;     ///< empty: it has joined before
    bool insecure = false; ///< plain HTTP to another machine
    /// The yard does not want this machine, with its sentence. On the engine thread.
    std::function<void(const std::string& sentence)> refused;
};

/// How often the GPUs are looked at, and how long for: docs/gpus.md.
struct GpuPace {
    Duration watched{1'000'000};   ///< while somebody watches
    Duration unwatched{5'000'000}; ///< else
    Duration apart{200'000};       ///< from one look to the next at least, also where failures ask for them
    Duration limit{3'000'000};     ///< of one look at all of them
};

struct Options {
    std::string dataDir;
    std::string tokenFile; ///< empty: `token` in the data directory
    /// Called once the data directory is ours, before anything of it runs; its error is open()'s. What else a start
    /// needs is taken here, so that no action is begun in vain.
    std::function<Result<void>()> onOwned;
    std::string launcherProgram;      ///< re-executed as the launcher; empty: this program
    std::string lockDir;              ///< of named locks; empty: the user's on this machine, shared by all engines
    int capacity = 0;                 ///< cores; 0: as the settings say
    int slotCount = 256;              ///< actions at once whatever they take; at least 16 more than cores
    host::ResourceSettings resources; ///< other amounts than found on this machine or set
    bool noSandbox = false;           ///< registered workers run without one
    std::vector<std::shared_ptr<runners::RunnerSource>> runners; ///< beside this machine
    std::function<std::optional<MemoryReading>()> readMemory;    ///< for the memory guard; empty: of this machine
    GpuPace gpuPace;                                             ///< of looks at GPUs
    Duration retentionYoungest{60'000'000}; ///< clearing up leaves actions that ended less than this ago
    std::optional<Duration> grace;          ///< between SIGTERM and SIGKILL; absent: as the settings say
    bool mayProbeCloud = false;             ///< the setting cloud_probe counts: an engine without a window
    bool hasWindow = false;                 ///< a person looks at it: what courtesy "auto" means
    courtesy::OpenDesk openDesk;            ///< for courtesy; empty: this machine's
    std::optional<JoinOptions> join;        ///< absent: this machine works for nobody else
    bool serves = true;                     ///< it may work for others
    bool takesYards = false;            ///< other engines may open a link to this one, and have it work for them
    std::string name{};                 ///< of this machine, to other engines and to people; empty: the host's
    std::string sshProgram{};           ///< for machines that are reached so; empty: `ssh` of PATH
    std::string bundle{};               ///< the program that is copied to them; empty: found beside this one
    std::string hooksDir{};             ///< programs that are hooks; empty: `hooks` in the data directory
    std::vector<std::string> plugins{}; ///< shared libraries that are told of hooks
    std::vector<std::string> set;       ///< NAME=VALUE for this run, over settings.json
};

} // namespace yard::engine
