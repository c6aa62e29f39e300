// Workers with warm processes: each has a group in the pool, a window of requests that may be out, averages of how long
// its functions take, and a directory in which restart files are looked for.
//
// Owner: the thread of the warm runner. Lifetime: after WarmShared; before processes, which refer to their worker.
// Invariants: a worker that was removed is kept until its last process is forgotten (dropRemoved()), but no group names
// it any more. Between take and give each lane of a worker's timeline has one process.
#pragma once

#include "core/base/owner.h"
#include "core/base/unique_fd.h"
#include "core/lease/runner.h"
#include "core/model/worker.h"
#include "core/pool/pool.h"
#include "core/pool/restart_files.h"
#include "core/runners/warm_state.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

/// Ahead goes only where a request takes less than this on average.
inline constexpr double kShortRun = 1'000;
/// Functions of a worker that are told apart; of one more nothing is known.
inline constexpr std::size_t kMostFunctions = 64;

/// Of a worker whose requests nobody counts.
inline constexpr std::uint32_t kNoGate = 0xffffffffu;

struct WarmWorker {
    std::string id;
    std::string source; ///< the registered worker that its processes run: `id`, but for an actor
    std::shared_ptr<const WorkerDescriptor> descriptor;
    pool::GroupId group;
    std::vector<std::string> locks; ///< named ones that each of its processes holds while it lives
    std::uint32_t gate = 0;
    double averageRun = 0; ///< microseconds on a lane; 0: none ended yet
    struct Function {
        std::string name;
        double averageRun = 0;
    };
    std::vector<Function> functions; ///< those that were called; a few
    SpawnFailure lastFailure;        ///< of a spawn; its message says it all
    std::string lastEnd;             ///< how the last of its processes ended that had requests
    int window = -1;                 ///< as the host was told; -1: that is to be found out again
    // restart files
    pool::RestartFiles files;
    std::string restartDir;
    UniqueFd changes; ///< inotify of restartDir; invalid: it is looked at each second
    bool isLooking = false;
    bool always = false;
    MonoTime lookedAt{};
    std::vector<std::uint32_t> held; ///< requests that wait for the look
    std::vector<bool> lanes;         ///< of its timeline: those that a process has

    Function& function(std::string_view name);
    /// So many lanes next to each other, the lowest that are free. The first.
    std::uint32_t takeLanes(unsigned count);
    void giveLanes(std::uint32_t first, unsigned count);

    pool::GroupOptions options() const {
        return {.minProcesses = descriptor->pool.minProcesses,
                .maxProcesses = descriptor->pool.maxProcesses,
                .maxRequests = always ? 1 : descriptor->pool.maxRequests,
                .maxIdle = descriptor->pool.maxIdle,
                .globalQueue = descriptor->pool.globalQueue};
    }
};

class WarmWorkers {
public:
    explicit WarmWorkers(WarmShared& shared)
        : shared_(shared) {}

    /// Makes its group, the newest of its family, or makes it that again.
    WarmWorker& add(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor, std::uint32_t gate,
                    const std::string& source);
    WarmWorker& add(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor, std::uint32_t gate) {
        return add(id, std::move(descriptor), gate, id);
    }
    /// The pool has no group of it any more.
    void remove(WarmWorker& worker);
    /// It was removed, and the last of its processes is gone.
    void dropRemoved(const WarmWorker* worker);
    WarmWorker* find(const std::string& id) const;
    /// Of the pool's group at this place; null: it was removed.
    WarmWorker* of(pool::GroupId group) const;
    const auto& all() const { return workers_; }
    /// What its processes keep for as long as they live; 0 of one that was removed.
    std::int64_t memoryOf(pool::GroupId group) const;
    /// Its processes have some of this named resource for as long as they live.
    bool keeps(pool::GroupId group, const std::string& resource) const;

    // --- windows
    void forgetWindows();
    /// Tells the host which workers may have changed.
    void tellWindows();

    // --- restart files
    /// Something may have changed since the last look. Does not block: the watch is asked, which costs a system
    /// call, so once per batch of requests: all that happened before one of them was submitted has happened before
    /// `now`.
    bool mustLook(WarmWorker& worker, MonoTime now);
    void look(WarmWorker& worker, MonoTime now);
    /// What the host saw: processes are replaced, or serve one request each, where it says so.
    void take(WarmWorker& worker, const pool::RestartSigns& signs, UniqueFd changes, MonoTime now);

private:
    void tellWindow(WarmWorker& worker);

    WarmShared& shared_;
    std::map<std::string, std::unique_ptr<WarmWorker>, std::less<>> workers_;
    std::vector<WarmWorker*> byGroup_;                 ///< by place of the group
    std::vector<std::unique_ptr<WarmWorker>> removed_; ///< some of their processes live
    OwnerCheck owner_;
};

} // namespace yard::runners
