// What people and the engine see of warm workers and their processes: plain values, made by WarmViews
// (warm_views.h), each a copy of how it was at that moment. No owner.
#pragma once

#include "core/base/clock.h"
#include "core/lease/runner.h"
#include "core/model/given_resources.h"
#include "core/pool/pool.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

/// Takes what a process printed last; null: no longer kept.
using OutputSink = std::move_only_function<void(std::shared_ptr<const OutputEnds>)>;

/// A step of a process that starts: it needs memory that is not free.
inline constexpr std::string_view kWaitsForMemory = "waits for memory";
/// The same of a worker that keeps more than that.
inline constexpr std::string_view kWaitsForKept = "waits for what it keeps";

struct WarmProcessView {
    std::string id;
    std::string worker;
    std::string_view state;
    std::string_view whyStarted;
    std::string_view whyEnded; ///< empty: it goes on
    std::string note;          ///< of one that starts its step; of one that is gone what went wrong
    int pid = 0;
    unsigned sessions = 0;
    unsigned concurrency = 1;
    std::uint64_t processed = 0;
    MonoTime started{};
    MonoTime lastUsed{};
    MonoTime ended{};
    std::vector<Lsn> current;
    std::optional<MonoTime> currentSince; ///< of the oldest of them
    GivenResources given;                 ///< pieces that it has
    std::optional<double> cpuSeconds;
    std::optional<std::int64_t> rssBytes;
    std::shared_ptr<const OutputEnds> output; ///< of one that is gone, what it printed last; null: no longer kept
};
struct WarmGroupView {
    std::string worker; ///< id
    std::string name;   ///< of its family
    std::string version;
    std::uint32_t gate = 0;
    std::size_t waiting = 0;
    bool spawning = false;
    pool::GroupOptions limits;
    std::int64_t memoryMb = 0; ///< of each process; 0: no limit
    struct Restart {
        std::size_t done = 0;
        std::size_t of = 0;
    };
    std::optional<Restart> restart; ///< a rolling one goes on
    std::optional<double> hitRate;
    double spawnSecondsSaved = 0;
    std::vector<WarmProcessView> processes;
};
struct WarmPoolView {
    pool::PoolOptions options;
    std::vector<WarmGroupView> groups;
    std::vector<WarmProcessView> gone; ///< the last 50, newest first
};
struct WarmCounters {
    std::uint64_t spawned = 0;
    std::uint64_t spawnFailures = 0;
    std::uint64_t crashes = 0;
    std::uint64_t requests = 0;  ///< answered
    std::uint64_t elsewhere = 0; ///< given to another process
};
/// A process to look at, by whoever may read /proc.
struct ProcessLook {
    int pid = 0;
    std::uint64_t socket = 0;     ///< inode of its end of the socket; 0: not to be looked for
    std::int64_t lsn = 0;         ///< as the environment of its processes has it
    std::int64_t memoryLimit = 0; ///< bytes, of its whole tree; 0: none
    std::int64_t memoryBytes = 0; ///< when it was last looked at
};
struct ProcessSample {
    int pid = 0;
    double cpuSeconds = 0;
    std::int64_t rssBytes = 0;
    bool hasSocket = true;        ///< false: no process of its tree has its end any more
    std::int64_t memoryBytes = 0; ///< with what its sandbox has and no process of it
    std::size_t processes = 0;    ///< of its tree
};

/// What a request of a worker waits for, with numbers of processes.
struct WarmWait {
    enum class For : unsigned char {
        Start,   ///< one that is being started; `step` says how far it is
        Cores,   ///< those that have requests wait for cores
        Turn,    ///< they have had theirs, and give their cores to other work
        Place,   ///< the pool is full
        Group,   ///< as many of the worker's group as may be are there
        Pause,   ///< another one failed to start: the next try is at `until`
        Process, ///< nothing but that one becomes free
    };
    For what = For::Process;
    std::string_view step;
    unsigned serving = 0;    ///< of the worker: idle or busy
    unsigned idle = 0;       ///< of those
    unsigned alive = 0;      ///< Place: in the pool. Group: in the group
    unsigned most = 0;       ///< there may be
    bool isOwnLimit = false; ///< Group: max_processes, else the pool's max_per_group
    MonoTime until{};
    std::optional<std::uint64_t> hold; ///< of a process of it: what it asked the host for, and waits for
};

} // namespace yard::runners
