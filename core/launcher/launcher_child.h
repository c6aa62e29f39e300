// One slot of a spawner and what runs in it: what Spawner, ProgramStarter and OutputReader work on. The spawner's
// thread; in its start, the thread that stands in it.
#pragma once

#include "core/launcher/child_process.h"
#include "core/launcher/launcher_pump.h"
#include "core/launcher/start_watch.h"
#include "core/locks/named_lock.h"
#include "core/sandbox/enter.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yard::runners {

/// One of its two streams.
struct OutputFlow {
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
struct StartWorkspace {
    ChildStack stack;
    std::vector<char*> argv; ///< reused between starts
    std::vector<char*> envp;
};

/// While a thread stands in a start that was given up, this belongs to that thread alone, and another one has taken
/// its place in the spawner (Spawner::leaveBehind).
struct SlotChild {
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
    std::shared_ptr<StartWorkspace> workspace;       ///< in its start
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
    std::uint32_t peakBefore = 0; ///< its start, see launcher_memory.h
    MonoTime registerAt = MonoTime::max();
    std::vector<locks::NamedLock> locks; ///< until its tree is gone
    Ended ended;
    OutputFlow out;
    OutputFlow err;
    std::array<OutputFlow*, 2> flows() { return {&out, &err}; }
    OutputFlow& flow(Stream stream) { return stream == Stream::Out ? out : err; }
    Pump::Key pumpKey(const OutputFlow& flow) const {
        return (std::uint64_t{slot.value} << 40) | (std::uint64_t{generation} << 2) |
               std::to_underlying(flow.stream);
    }
};

/// What a spawner waits for of a child.
enum class EventKind : std::uint64_t { Exit = 0, Out = 1, Err = 2 };
struct ChildEvent {
    EventKind kind = EventKind::Exit;
    std::size_t child = 0; ///< SlotChild::index
    /// An event may still come for a descriptor that is closed: it is of another generation then.
    std::uint32_t generation = 0;

    ChildEvent(EventKind what, const SlotChild& of)
        : kind(what)
        , child(of.index)
        , generation(of.generation) {}
    explicit ChildEvent(std::uint64_t key)
        : kind(static_cast<EventKind>(key >> 62))
        , child(key & 0xffff)
        , generation(static_cast<std::uint32_t>(key >> 16)) {}
    std::uint64_t key() const {
        return (std::to_underlying(kind) << 62) | (std::uint64_t{generation} << 16) | child;
    }
};

} // namespace yard::runners
