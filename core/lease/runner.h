// What can execute actions: this machine, another Yardmaster, a Slurm partition. The engine hands out leases and
// gets batches of updates; a runner never touches service state.
//
// Owner: the engine thread calls everything here and receives the sink's callback on that same thread.
// Invariants a caller can rely on:
//  - every lease that was submitted gets exactly one terminal update, Ended, Returned or LockBusy, whatever dies in
//    between;
//  - of one attempt the updates come in order: Moved, Started, StreamAt…, Ended. A Returned or a LockBusy ends it,
//    too: it never ran;
//  - no process of an attempt is alive when its Ended is delivered;
//  - of a runner that is lost, what may have begun ends as LostRunner, and what had not comes back as Returned;
//  - what is asked about an attempt that is not out has no effect.
#pragma once

#include "core/base/boot_clock.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/base/kept_stream.h"
#include "core/base/unique_fd.h"
#include "core/locks/lock_holder.h"
#include "core/model/action_spec.h"
#include "core/model/given_resources.h"
#include "core/model/result.h"
#include "core/pool/pool.h"
#include "core/sandbox/plan.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace yard::runners {

/// Leave the choice of the slot to the runner: the one with the fewest leases.
inline constexpr SlotId kAnySlot{0xffffffffu};
/// Output of one stream up to this size travels inside Ended; more goes to a temporary file.
inline constexpr std::size_t kInlineStreamBytes = 16u << 10;

/// One attempt of one action. Attempts count from 1; (lsn, attempt) is never given twice.
struct AttemptId {
    Lsn lsn;
    std::uint32_t attempt = 1;
    friend auto operator<=>(const AttemptId&, const AttemptId&) = default;
};
/// Processes of the warm pool have numbers as attempts do: from here on.
inline constexpr std::int64_t kFirstProcessLsn = std::int64_t{1} << 52;
/// What runs here for another engine has one from here on: a number of this machine's own, not the yard's.
inline constexpr std::int64_t kFirstGuestLsn = kFirstProcessLsn + (std::int64_t{1} << 51) + (std::int64_t{1} << 29);
/// Requests to actors, which look at objects, have numbers from here to kFirstHookLsn. No action ever has one of them.
inline constexpr std::int64_t kFirstLookLsn = std::int64_t{1} << 51;
/// Runs of programs that are hooks (docs/objects.md) have numbers from here to kFirstProcessLsn.
inline constexpr std::int64_t kFirstHookLsn = kFirstLookLsn + (std::int64_t{1} << 50) + (std::int64_t{3} << 28);
inline bool isLook(AttemptId id) {
    return id.lsn.value >= kFirstLookLsn && id.lsn.value < kFirstHookLsn;
}
inline bool isHook(AttemptId id) {
    return id.lsn.value >= kFirstHookLsn && id.lsn.value < kFirstProcessLsn;
}
inline bool isGuest(AttemptId id) {
    return id.lsn.value >= kFirstGuestLsn;
}
inline bool isWarmProcess(AttemptId id) {
    return id.lsn.value >= kFirstProcessLsn && !isGuest(id);
}

/// Limits of the first process and what it starts (setrlimit, soft and hard). 0: as the engine found them.
struct ResourceLimits {
    std::uint64_t openFiles = 0;
    std::uint64_t processes = 0; ///< counted by the kernel per user, so only meaningful in a sandbox; not for exec
    std::uint64_t fileBytes = 0;
    std::uint64_t dataBytes = 0; ///< private memory of each process; in a sandbox only
    bool noCoreFiles = false;
};

/// What a warm process is asked to do.
struct WarmCall {
    pool::GroupId group;
    std::shared_ptr<const ActionSpec> spec; ///< function and args
    std::string root;                       ///< of inputs/ and outputs/; empty: io inline
    GivenResources given{};                 ///< pieces that the attempt has itself
    bool once = false;                      ///< one interruption is its end: it is never sent ahead
    /// Of a request to an actor: members of a JSON object, sent in place of args; empty: it is an action's. The whole answer
    /// is the result. It has no entry in slots.warm: the journal knows enough to ask again.
    std::string look{};
    bool isStart = false; ///< nothing is sent: it has ended once there is a process for it
};

/// Goes to the first process, which keeps it: a socket as descriptor kSocketFd. The engine's own copy is closed
/// once it was sent.
using SharedFd = std::shared_ptr<UniqueFd>;
inline constexpr int kSocketFd = 3;
/// Of the pipe of a jobserver: programs want two.
inline constexpr int kTokensReadFd = 3;
inline constexpr int kTokensWriteFd = 4;

/// Groups of guests have numbers from 1 to this one: one for each yard that this machine works for.
inline constexpr std::uint32_t kMaxGuestGroup = 255;

/// The right, and the order, to run one attempt once in one slot. Leases of a slot run one after another in the
/// order they came; what is ahead of the running one starts without asking and can be taken back until it is
/// cloned.
struct Lease {
    AttemptId id;
    /// The slot whose resources the attempt uses. The engine counts a slot as taken while it has leases out.
    SlotId slot = kAnySlot;
    /// Leases of the same group other than 0 need the same resources: a slot that runs dry takes over a waiting
    /// lease of its last group from another slot, at the moment its own last one ends (see Moved). 0: never moved.
    std::uint32_t group = 0;
    std::vector<std::string> argv; ///< argv[0] with '/' is a path (below cwd when relative),
                                   ///< else it is looked up in PATH of the child's environment
    std::vector<std::pair<std::string, std::string>> env; ///< added to the engine's; the same name replaces
    std::string cwd;                                      ///< absolute, must exist
    Duration deadline{3'600'000'000};                     ///< Submitting to the end of the tree; 0: none
    Duration grace{2'000'000};                            ///< between SIGTERM and SIGKILL of a teardown
    ResourceLimits limits;
    std::vector<std::string> locks; ///< named locks, all held from before the start until the tree is gone
    /// Of stdout and stderr each: the first and the last half are kept (core/base/kept_stream.h). 0: no limit, else
    /// at least kLeastStreamBytes.
    std::uint64_t streamBytes = 0;
    bool once = false;     ///< it may not begin a second time: see LauncherConfig::durable
    bool hurry = false;    ///< somebody waits for it: its updates are sent at once
    bool watchOut = false; ///< as if watch() had been called before the start
    bool watchErr = false;
    bool idlePriority = false; ///< it gets what other processes of the machine leave; not of a warm call
    bool keepsLast = false;    ///< of its output only the end is kept, in memory: Runner::askOutputEnds()
    /// Null: as the engine runs. Else argv[0] and cwd are inside, and the environment is what the plan says.
    std::shared_ptr<const sandbox::Plan> sandbox;
    SharedFd socket; ///< null: the process has 0, 1 and 2 only
    SharedFd input;  ///< becomes its descriptor 0; null: /dev/null. Not with a socket
    /// The master of a terminal, non-blocking: the process gets its other end as 0, 1 and 2 and as its controlling
    /// terminal. What it prints is stdout, stderr stays empty. Not with a socket or input.
    SharedFd terminal;
    /// A pipe, open for both: becomes its descriptors kTokensReadFd and kTokensWriteFd (docs/builds.md). Not with a socket.
    SharedFd tokens;
    /// It runs for a yard: only until the time that Runner::mayRunUntil() last said for this group. 0: for this
    /// machine's own engine, as long as it likes.
    std::uint32_t guestGroup = 0;
    bool engineEnv = true;        ///< false: `env` is all of it, and what a sandbox sets
    std::optional<WarmCall> warm; ///< for a warm process: argv and what follows from it are not used
    MonoTime begun{}; ///< set by the launcher when a slot takes it: Submitting, the deadline counts from here
};

enum class Stream : unsigned char { Out = 1, Err = 2 };

/// Why the engine ends an attempt that has not ended by itself.
enum class StopCause : unsigned char {
    Cancelled,
    Abandoned,
    EngineStopped,
    Limit,  ///< it is over a limit of its own: memory, outputs
    Machine ///< the machine needs its memory
};

/// Why an attempt ended. The first that happened counts, but a stop or deadline that comes while survivors of an
/// exited first process are being ended still counts.
enum class EndCause : unsigned char {
    Exited, ///< by itself; exitCode or signal says how
    Cancelled,
    Abandoned,
    EngineStopped,
    Deadline,
    SpawnError,   ///< nothing ran; `spawn` says why
    LeaseEnded,   ///< the time of its guest group was over; the launcher ended it by itself
    LostRunner,   ///< the launcher died, or its warm process, which worked on others too (`message`)
    WorkerCrashed ///< the warm process died while it worked on this one; `message` says more
};

/// How an attempt ends that is stopped for this.
constexpr EndCause endOf(StopCause cause) {
    switch (cause) {
    case StopCause::Cancelled: return EndCause::Cancelled;
    case StopCause::Abandoned: return EndCause::Abandoned;
    case StopCause::EngineStopped:
    case StopCause::Limit:
    case StopCause::Machine: break; // the engine knows which
    }
    return EndCause::EngineStopped;
}

/// The step of a start that failed. Append only: it crosses the launcher's socket.
enum class SpawnStep : unsigned char {
    None,
    Pipe,
    Clone,
    Session,
    ParentDeath,
    ChangeDirectory,
    Streams,
    Limits,
    Lookup,
    Exec,
    Lock,
    Sandbox, ///< a step of making it; the message says which
    Mark     ///< that it begins could not be written down
};
struct SpawnFailure {
    SpawnStep step = SpawnStep::None;
    int err = 0;        ///< errno
    std::string path{}; ///< program or directory at fault, may be empty
    /// One sentence that says what is wrong and what to do ("program 'x' was not found in PATH (/usr/bin:/bin)").
    std::string message{};
};

/// One stream of an ended attempt: bytes, or a file in chunks/tmp that now belongs to whoever reads this.
struct StreamResult {
    std::string bytes; ///< when path is empty; of a lease that keepsLast the end, without a hash
    std::string path;  ///< absolute; empty: inline
    Hash256 hash; ///< of the file's content or the inline bytes; not set when there are none, or there is a gap
    std::uint64_t size = 0; ///< bytes written, those of the gap too
    StreamGap gap;          ///< bytes that the file no longer has
    bool truncated = false; ///< the limit or a failed write cut it
    int err = 0;            ///< errno of the write that failed (ENOSPC, EFBIG, …)
};

/// Monotonic times; a default value (0) means it did not come to that.
struct RunTimes {
    MonoTime submitting; ///< taken by a spawner
    MonoTime running;    ///< exec succeeded
    MonoTime exited;     ///< end of the first process
    MonoTime ended;      ///< end of the last process of the tree, output complete
};

struct Started {
    SlotId slot;
    int pid = 0;
    RunTimes times;                         ///< submitting, running
    std::optional<std::uint32_t> lane = {}; ///< as Ended's
    GivenResources given = {};              ///< as Ended's
};
struct Ended {
    SlotId slot;
    EndCause cause = EndCause::Exited;
    std::optional<int> exitCode; ///< of the first process
    std::optional<int> signal;
    Measures measures; ///< of what was reaped: first process, what it waited for, orphans
    RunTimes times;
    StreamResult out;
    StreamResult err;
    SpawnFailure spawn;                     ///< cause SpawnError
    std::vector<Denial> denied;             ///< by the sandbox
    std::string result;                     ///< of a warm worker: JSON; empty: none
    std::string message;                    ///< of a warm worker: one line for people
    bool resultTooLarge = false;            ///< it was over the limit and left out
    std::string resultRefused;              ///< why it was left out otherwise; empty: it was not
    std::optional<std::uint32_t> lane = {}; ///< of its worker's, where that is not its slot: timelines
    GivenResources given = {};              ///< of a warm worker: pieces that its process had
    bool hadSurvivors = false;              ///< processes of the tree outlived the first one and were ended
    bool overMemory = false;                ///< the kernel ended it for that: slot_groups.h
};
/// It was never started and never will be: taken back, or ended while it waited in its slot.
struct Returned {};
/// As Returned: a lock that it claims is held, by another engine or by something that has not let go yet.
struct LockBusy {
    std::string name;
    std::optional<locks::LockHolder> holder; ///< when the file says so
};
/// A watched stream has grown: `size` bytes of `path` can be read. At most 20 a second per stream.
struct StreamAt {
    Stream stream = Stream::Out;
    std::string path;
    std::uint64_t size = 0;
    std::uint64_t limit = 0; ///< Lease::streamBytes
};
/// The end of a stream's output, and how much it was in all.
struct StreamEnd {
    std::uint64_t size = 0;
    std::string bytes;
};
/// What a process printed last: the answer to Runner::askOutputEnds().
struct OutputEnds {
    StreamEnd out;
    StreamEnd err;
};
/// A waiting lease went to another slot of its group. Comes right behind the Ended that emptied that slot, in the
/// same batch, so that a slot never looks free in between.
struct Moved {
    SlotId slot;
};
/// All its processes stand still since then, or go on again (Runner::setFrozen). What ends goes on before its Ended.
struct Frozen {
    bool isFrozen = false;
    MonoTime at;
};
struct Update {
    AttemptId id;
    std::variant<Started, Ended, Returned, StreamAt, Moved, LockBusy, OutputEnds, Frozen> what;
};

/// Called with what arrived since the last time; may call the runner.
using UpdateSink = std::move_only_function<void(std::vector<Update> batch)>;

class Runner {
public:
    virtual ~Runner() = default;

    virtual std::string_view name() const = 0;
    /// Attempts at once: the number of slots. Does not change.
    virtual unsigned capacity() const = 0;
    /// Slots without a lease. 0 while it cannot start anything (launcher being replaced).
    virtual unsigned free() const = 0;
    /// False while it cannot start anything, and from shutDown() on: what is submitted comes straight back. Changes in
    /// onReadable().
    virtual bool isAccepting() const = 0;
    /// Takes the leases; does not block. At most capacity() * kLeasesPerSlot may be out; what is over that, or
    /// cannot be expressed (an argument list over 2 MiB), comes back as Returned or Ended{SpawnError}.
    virtual void submit(std::vector<Lease> batch) = 0;
    /// Returned follows if it is not cloned yet; else nothing, and its Ended comes when it ends.
    virtual void takeBack(AttemptId id) = 0;
    /// Ends the tree: SIGTERM, after `grace` (the lease's when absent) SIGKILL. Returned follows if it was not
    /// cloned yet. Calling it again is harmless; a shorter grace counts.
    virtual void end(AttemptId id, StopCause cause, std::optional<Duration> grace = {}) = 0;
    /// end() for everything that is out.
    virtual void endAll(StopCause cause, std::optional<Duration> grace = {}) = 0;
    /// From now on the stream goes to a file whose growth is reported. Without effect when it has ended.
    virtual void watch(AttemptId id, Stream stream) = 0;
    virtual void unwatch(AttemptId id, Stream stream) = 0;
    /// The journal holds the attempt: what the runner keeps of it for recovery (its entry in the slots file) may go.
    virtual void acknowledge(SlotId slot, AttemptId id) = 0;
    /// What an attempt with keepsLast printed last: OutputEnds comes, or its Ended before that. False: it is not out,
    /// or nothing is kept here.
    virtual bool askOutputEnds(AttemptId) { return false; }

    /// All processes of what runs stand still, and its deadline does not count, until it is to go on; Frozen says when it
    /// is so. What is told to end goes on first. False: it is not out, or nothing can be frozen here.
    virtual bool setFrozen(AttemptId, bool /*on*/) { return false; }

    /// Attempts of this group may run until then, and none starts from then on; until it is said, none does. What runs
    /// at that time is ended within link::kTeardown, whatever its grace, by whatever runs it: the engine may hang. A
    /// later call counts, also where it names an earlier time. False: nothing here enforces it, so no guest may be
    /// given to this runner.
    virtual bool mayRunUntil(std::uint32_t /*guestGroup*/, BootTime /*until*/) { return false; }

    /// One descriptor for everything this waits for. Level-triggered, do not read it: when it is readable, call
    /// onReadable().
    virtual int pollFd() const = 0;
    /// Takes what arrived, sends what is due, calls the sink with it.
    virtual void onReadable() = 0;
    /// Ends everything with this grace and lets go of what runs it; isDown() when both are done. Keep calling
    /// onReadable().
    virtual void shutDown(Duration grace) = 0;
    virtual bool isDown() const = 0;
    /// The process of this machine that has the attempts as its children; 0: there is none, or not now.
    virtual int launcherPid() const { return 0; }
};

/// One that runs and eight that wait (more waiting ones gain nothing).
inline constexpr unsigned kLeasesPerSlot = 9;

/// Trying again cannot heal it: program or working directory is not there, or is not to be used.
bool cannotHeal(const SpawnFailure& failure);
/// What a shell exits with when it cannot run the program: 127 (not found) or 126. Nothing: it did not get so far.
std::optional<int> shellExitCode(const SpawnFailure& failure);

std::string_view name(EndCause cause);
std::string_view name(SpawnStep step);

} // namespace yard::runners

template<>
struct std::hash<yard::runners::AttemptId> {
    std::size_t operator()(const yard::runners::AttemptId& id) const noexcept {
        return std::hash<std::uint64_t>{}(static_cast<std::uint64_t>(id.lsn.value) * 0x9e3779b97f4a7c15ull +
                                          id.attempt);
    }
};
