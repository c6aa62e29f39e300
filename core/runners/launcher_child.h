// One slot of a spawner and what runs in it. Part of the spawner's own files.
#pragma once

#include "core/locks/named_lock.h"
#include "core/runners/launcher_spawner.h"

#include <array>
#include <atomic>
#include <utility>

namespace yard::runners {

struct Spawner::Flow {
    enum class Where : unsigned char { Closed, Here, Pumped };
    Stream stream = Stream::Out;
    Where where = Where::Closed;
    bool registered = false;
    bool isTerminal = false;
    UniqueFd pipe; ///< or the master of a terminal
    std::string kept;
    StreamResult result; ///< once Closed
};

/// What the process that is being started needs of its starter's memory.
struct Spawner::Workspace {
    ChildStack stack;
    std::vector<char*> argv; ///< reused between starts
    std::vector<char*> envp;
};

/// What keeps a start from getting on.
struct Spawner::Blame {
    SpawnStep step = SpawnStep::None;
    std::string path;
};

/// What a thread finds that goes on for one that was left behind.
struct Spawner::TakenOver {
    std::shared_ptr<Child> child; ///< in place of the one that thread stands in
    SpawnFailure failure;
};

/// While a thread stands in a start that was given up, this belongs to that thread alone, and another one has taken
/// its place in the spawner (Spawner::leaveBehind).
struct Spawner::Child {
    enum class Phase : unsigned char { Idle, Marked, Running, WaitTree, WaitStreams };
    SlotId slot;
    std::size_t index = 0;
    std::uint32_t generation = 0;
    Phase phase = Phase::Idle;
    Lease lease;
    unsigned ring = 0;
    bool heldBack = false; ///< its ring is full: waits for a nudge
    int pid = 0;
    StartWatch::Number start = 0;
    std::shared_ptr<Workspace> workspace;            ///< in its start
    std::shared_ptr<const sandbox::Plan> plan;       ///< of its start: that of the lease, its directory found
    std::string looksAt;                             ///< in its start, before and after that of the process
    std::atomic<SpawnStep> reached{SpawnStep::None}; ///< in its start, of the steps that may block
    UniqueFd pidfd;
    /// The process's end of its terminal, until its streams are complete: while somebody has it open, its output
    /// has no end of its own, as that of a pipe with an unknown writer.
    UniqueFd terminal;
    UniqueFd records;         ///< of a sandbox: what its first process tells
    sandbox::Network network; ///< of a sandbox, if others may have it next
    bool pidfdRegistered = false;
    MonoTime registerAt = MonoTime::max();
    std::vector<locks::NamedLock> locks; ///< until its tree is gone
    Ended ended;
    Flow out;
    Flow err;
    std::array<Flow*, 2> flows() { return {&out, &err}; }
    Pump::Key pumpKey(const Flow& flow) const {
        return (std::uint64_t{slot.value} << 40) | (std::uint64_t{generation} << 2) |
               std::to_underlying(flow.stream);
    }
};

} // namespace yard::runners
