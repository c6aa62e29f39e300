// What WarmRunner keeps of a worker, a process and a request. Private to it.
#pragma once

#include "core/runners/warm_frames.h"
#include "core/runners/warm_runner.h"

#include <deque>
#include <string>
#include <vector>

namespace yard::runners {

/// Ahead goes only where a request takes less than this on average.
inline constexpr double kShortRun = 1'000;
/// Whoever takes less on average is waited for awake. A turn through a bare socket between two threads, where one
/// goes to sleep and is woken on both sides, took up to 190 us in the slowest virtual machine measured; the rest is
/// for the request itself.
inline constexpr Duration kQuickRun{300};
/// Functions of a worker that are told apart; of one more nothing is known.
inline constexpr std::size_t kMostFunctions = 64;
/// A process that has not answered for so long gets nothing ahead.
inline constexpr Duration kSlow{5'000};
/// What runs for so long is told to run; most has ended by then, and one update says both.
inline constexpr Duration kTellStarted{2'000};
/// So long a process keeps its cores while other work waits for some.
inline constexpr Duration kTurn{1'000'000};
/// Bytes that wait for a process to read; beyond, nothing more is sent to it.
inline constexpr std::size_t kMostUnread = 64u << 10;
/// Actions that shared crashes and may come back; of one more all are forgotten.
inline constexpr std::size_t kMostSuspects = 1'024;
/// What is seen of a death first; how it ended says more.
inline constexpr std::string_view kHungUp = "it closed its socket";
/// So many want to know what a process printed, and wait for the launcher to tell.
inline constexpr std::size_t kMostAsks = 16;
/// Of the file of sent requests: each slot is a ring of 64.
inline constexpr unsigned kEntrySlots = 128;

/// Of a request, from its number on the socket.
constexpr std::uint32_t placeOf(std::uint64_t wire) {
    return static_cast<std::uint32_t>(wire);
}

struct WarmRunner::Worker {
    std::string id;
    std::shared_ptr<const WorkerDescriptor> descriptor;
    pool::GroupId group;
    std::uint32_t gate = 0;
    double averageRun = 0; ///< microseconds on a lane; 0: none ended yet
    struct Function {
        std::string name;
        double averageRun = 0;
    };
    std::vector<Function> functions; ///< those that were called; a few
    SpawnFailure lastFailure;        ///< of a spawn; its message says it all
    std::string lastEnd;             ///< how the last of its processes ended that had requests
    int window = -1;
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

struct WarmRunner::Process {
    enum class Phase : unsigned char {
        Waiting,   ///< for memory
        Preparing, ///< its directory is made
        Launched,  ///< the launcher has it; it is not ready
        Live,      ///< takes requests
        Ending     ///< takes none, will be gone
    };
    Phase phase = Phase::Waiting;
    bool submitted = false; ///< the launcher has it: its Ended will come
    pool::ProcessId inPool;
    AttemptId id;
    SlotId slot;
    std::string name; ///< for people and the API
    Worker* worker = nullptr;
    int pid = 0;
    UniqueFd socket;
    UniqueFd theirs; ///< its own end, kept until it is dead: tells how much of what it was sent it has not read
    std::uint64_t theirInode = 0;
    warm::FrameBuffer in;
    std::string out;
    std::size_t written = 0;
    std::uint64_t put = 0;     ///< bytes of requests, ever
    std::uint64_t sent = 0;    ///< of those: given to the kernel
    std::uint64_t answers = 0; ///< requests it answered
    bool waitsToWrite = false;
    bool isDirty = false;
    unsigned concurrency = 1;
    unsigned maxAhead = 0;
    std::vector<std::uint32_t> lanes;
    std::optional<std::uint32_t> firstLane; ///< of its worker's timeline; `concurrency` of them are its own
    std::vector<std::uint32_t> freeLanes;   ///< of those, counted from the first
    std::deque<std::uint32_t> ahead;
    std::deque<std::uint32_t> unsent;
    unsigned slow = 0;                  ///< in flight: of functions that take long, or are not known
    std::optional<std::uint32_t> alone; ///< a request of it that shares it with no other
    MonoTime lastAnswer{};
    bool holdsCores = false;
    bool wantsCores = false;
    /// While other work waits for cores that it has.
    enum class Turn : unsigned char {
        Serving,  ///< its own turn
        Yielding, ///< gets no more requests, to come to the end of those it has, and give the cores back
        Sharing ///< one that it had then takes long, and the cores with it: others may as well be served beside it
    };
    Turn turn = Turn::Serving;
    bool gaveWay = false; ///< gave its cores back for others, who come first: asks again with the next tick
    MonoTime heldSince{};
    MonoTime yieldsSince{};
    Duration yieldsFor = kTurn; ///< twice as long each time that it was in vain
    MonoTime readyBy = MonoTime::max();
    MonoTime asksAt = MonoTime::max(); ///< Waiting: that an idle one goes for it
    MonoTime killAt = MonoTime::max(); ///< it was asked to end
    unsigned lateLooks = 0;            ///< at killAt, that came too late to tell
    bool usedSinceSample = false;
    bool endedForOne = false; ///< a request of it was cancelled, or its deadline passed: the others only shared it
    std::string failure;      ///< what it did wrong
    std::optional<double> cpuSeconds;
    std::optional<std::int64_t> rssBytes;
    std::int64_t memoryLimit = 0;             ///< bytes, of its whole tree; 0: none
    std::int64_t memoryBytes = 0;             ///< of its whole tree, when it was last looked at
    std::size_t processes = 0;                ///< of its tree, then
    bool isContained = false;                 ///< in a sandbox: over its limit it is ended whatever it works on
    bool overMemory = false;                  ///< and was
    WarmProcessView lastView;                 ///< from when its end began
    std::deque<WarmRunner::OutputSink> asks;  ///< for what it printed; the oldest is answered first
    std::shared_ptr<const OutputEnds> output; ///< once it has ended

    std::uint64_t coreKey() const { return static_cast<std::uint64_t>(id.lsn.value) * 2; }
    std::uint64_t memoryKey() const { return coreKey() + 1; }
    std::size_t inFlight() const { return lanes.size() + ahead.size(); }
    bool yields() const { return turn == Turn::Yielding; }
    /// Besides itself, and the first process of its sandbox.
    bool hasChildren() const { return processes > (isContained ? 2u : 1u); }
    ProcessLook look() const { return {pid, theirInode, id.lsn.value, memoryLimit, memoryBytes}; }
    /// While others wait. `hasOld`: it still works on what it had when it last yielded.
    Turn nextTurn(MonoTime now, bool hasOld) const;
};

struct WarmRunner::Request {
    enum class State : unsigned char {
        None,
        Held,     ///< for a look at the restart files
        Remaking, ///< its directory is made anew
        Waiting,  ///< in the pool
        Unsent,   ///< its process is known
        Ahead,    ///< sent
        Running   ///< on a lane
    };
    State state = State::None;
    AttemptId id;
    WarmCall call;
    Duration deadline{};
    Duration grace{};
    std::uint64_t wire = 0; ///< number on the socket: use << 32 | place
    std::uint32_t use = 0;
    Process* process = nullptr;
    std::uint32_t lane = 0; ///< of its process's
    pool::WaiterId waiter;
    unsigned attempts = 0;      ///< processes that had it and ended before they read anything
    unsigned sharedCrashes = 0; ///< of processes that worked on this and others
    bool isSlow = false;        ///< its function takes long, or is not known: nothing is sent ahead behind it
    std::uint64_t endsAt = 0;   ///< its last byte, in what its process was sent
    bool told = false;
    std::optional<StopCause> stop;
    bool isSoiled = false; ///< a process was sent it, and may have written to its directory
    MonoTime sentAt{};
    MonoTime laneAt{};
    SlotId entrySlot{}; ///< of its entry in slots.warm
    bool hasEntry = false;
    std::uint64_t mark = 0; ///< which of those that wait until their entry is on the disk; 0: none

    /// Nobody can tell whether it is the one that crashes them, unless it has a process for itself.
    bool isSuspect() const { return sharedCrashes >= 2; }
    /// On its lane: its deadline has passed.
    bool isOverdue(MonoTime now) const { return deadline > Duration::zero() && now >= laneAt + deadline; }
};

} // namespace yard::runners
