// What machine, engine and actions use, as /proc has it. Any thread but the engine's: it blocks.
#pragma once

#include "core/engine/running/leaders.h"
#include "core/host/gpu_clients.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

/// Times in microseconds of processor time, counted up.
struct MachineReading {
    std::int64_t busy = 0;        ///< of all processors
    std::int64_t memoryBytes = 0; ///< in use: what is not available
    std::int64_t engine = 0;      ///< by this process
    std::int64_t engineRss = 0;
    std::optional<std::int64_t> ended; ///< by children of the launcher that were reaped; absent: there is none
    std::int64_t journalBytes = 0;
    std::int64_t diskBytes = 0; ///< of the file system the journal is on; 0: not known
    std::int64_t diskFreeBytes = 0;
};
/// `launcherPid` 0: there is none. `root` is "/" but in tests. Nothing where there is no such /proc.
std::optional<MachineReading> readMachine(int launcherPid, const std::string& journal,
                                          const std::string& root = "/");

/// Bytes of memory in use: what is not available. Nothing where /proc does not say.
std::optional<std::int64_t> readUsedMemory(const std::string& root = "/");

/// Of a process and all that descend from it, or did before they lost their parent (leaders.h).
struct TreeReading {
    std::int64_t cpu = 0; ///< microseconds, by children that have ended and were waited for, too
    std::int64_t rssBytes = 0;
    std::optional<std::int64_t> onceBytes; ///< what they share counted once; absent: it was not worth asking
    std::size_t processes = 0;
    std::vector<int> members; ///< if it was asked for
    /// With them: what they have of GPUs by their drivers' own accounts, by PCI address. Nothing: it cannot be told.
    std::optional<std::map<std::string, host::GpuUse>> gpus;
    std::int64_t outsideBytes = 0; ///< of its sandbox and no process: kernel_memory.h
    std::int64_t memoryBytes() const { return onceBytes.value_or(rssBytes) + outsideBytes; }
};
/// Each of these processes that is there. At most 1,000 of a tree are looked at.
std::unordered_map<int, TreeReading> readTrees(const std::vector<Leader>& leaders, const Adopter& adopter = {});

/// Whether one of a process and those that descend from it has this socket open. True as well where it cannot be
/// told.
bool hasSocket(int leader, std::uint64_t inode);

} // namespace yard::engine
