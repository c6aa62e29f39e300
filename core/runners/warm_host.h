// What the warm runner needs of others: of the engine (WarmHost), and of whoever starts processes
// (WarmProcessStarter, in the engine the local runner). Plain interfaces, so that its parts can be tested without
// a launcher.
//
// Owner: the thread of the warm runner calls them. Lifetime: they outlive it.
#pragma once

#include "core/base/clock.h"
#include "core/lease/runner.h"
#include "core/model/given_resources.h"
#include "core/model/worker.h"
#include "core/pool/pool.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::runners {

/// A process is to be started: make its directory, then answer with prepared().
struct ProcessOrder {
    AttemptId id;
    SlotId slot;
    std::string worker;     ///< its id
    GivenResources given{}; ///< pieces that it has for as long as it lives
};

/// What the runner needs of the engine. Called on the owner's thread; must not call back but for what says so.
class WarmHost {
public:
    virtual ~WarmHost() = default;
    virtual void prepare(const ProcessOrder& order) = 0;
    /// The process is gone: its directory may go.
    virtual void discard(const ProcessOrder& order) = 0;
    /// Makes the directory of a request as it was before a process had it, then answers with remade().
    virtual void remake(AttemptId request) = 0;
    /// Takes resources. False: granted() will be called once they were taken, unless letGo() was.
    virtual bool hold(std::uint64_t key, const Resources& resources) = 0;
    virtual void letGo(std::uint64_t key) = 0;
    /// Which pieces of what is told apart were taken with it.
    virtual GivenResources given(std::uint64_t) const { return {}; }
    /// There is less memory free than a process of the worker needs, whoever else waits for some.
    virtual bool lacksMemory(const std::string& worker) const = 0;
    /// There is less free of a named resource than was asked for with hold(), which waits.
    virtual bool lacks(std::uint64_t, const std::string&) const { return false; }
    /// Other work waits for resources.
    virtual bool isCrowded() const = 0;
    /// So many requests of the gate may be out.
    virtual void setWindow(std::uint32_t gate, int most) = 0;
    /// Sees to it that what `slots.warm` has by now is on the disk, then answers with entriesSynced().
    virtual void syncEntries() = 0;
    /// Looks whether there are restart files in the directory: answered by restartSigns().
    virtual void lookForRestart(const std::string& worker, const std::string& directory, bool watch) = 0;
};

struct WarmConfig {
    std::string dataDir;
    SlotId firstSlot{};   ///< of the launcher's, for processes
    unsigned slots = 1;   ///< processes at once, whatever the pool's options say
    bool durable = false; ///< what may not begin a second time is sent when that is on the disk
    Duration grace{2'000'000};
    Duration spawnLimit{30'000'000};
    pool::PoolOptions pool;
};

/// Starts the processes and ends them, as Runner does; what becomes of them comes to WarmRunner::processUpdate().
class WarmProcessStarter {
public:
    virtual ~WarmProcessStarter() = default;
    virtual void submit(Lease lease) = 0;
    virtual void end(AttemptId id, Duration grace) = 0;
    virtual void acknowledge(SlotId slot, AttemptId id) = 0;
    /// As Runner::askOutputEnds().
    virtual bool askOutput(AttemptId id) = 0;
};

} // namespace yard::runners
