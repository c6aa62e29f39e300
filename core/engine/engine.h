// The one door to the engine: commands in, results out. http, the window and the tests speak to the engine through
// this header alone.
//
// Threads: an Engine is opened and closed by one thread (main). The commands are coroutines for any coro::Loop but
// the engine's own: each carries values to the engine thread (or to the reader thread) and resumes on the caller's
// loop. None blocks the caller's thread. A command that is interrupted may still take effect: accepted is accepted.
// Lifetime: every command must have ended before close() returns; close() refuses new ones with NotAccepting.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/coro/task.h"
#include "core/engine/machine.h"
#include "core/engine/memory_guard.h"
#include "core/model/action_spec.h"
#include "core/model/filter.h"
#include "core/model/queue.h"
#include "core/model/result.h"
#include "core/model/settings.h"
#include "core/model/sort.h"
#include "core/model/states.h"
#include "core/model/why.h"
#include "core/model/worker.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::store {
class ChunkStore;
}

namespace yard::engine {

struct Options {
    std::string dataDir;
    std::string tokenFile; ///< empty: `token` in the data directory
    /// Called once the data directory is ours, before anything of it runs; its error is open()'s. What else a start
    /// needs is taken here, so that no action is begun in vain.
    std::function<Result<void>()> onOwned;
    std::string launcherProgram; ///< re-executed as the launcher; empty: this program
    std::string lockDir;         ///< of named locks; empty: the user's on this machine, shared by all engines
    int capacity = 0;            ///< cores; 0: as the settings say
    int slotCount = 256;         ///< actions at once whatever they take; at least 16 more than cores
    ResourceSettings resources;  ///< other amounts than found on this machine or set
    bool noSandbox = false;      ///< registered workers run without one
    std::function<std::optional<MemoryReading>()> readMemory; ///< for the memory guard; empty: of this machine
    Duration retentionYoungest{60'000'000}; ///< clearing up leaves actions that ended less than this ago
    std::optional<Duration> grace;          ///< between SIGTERM and SIGKILL; absent: as the settings say
    std::vector<std::string> set;           ///< NAME=VALUE for this run, over settings.json
};

/// Which queue a command is for: the route's reference, or the implicit queue.
struct QueueSelector {
    std::optional<QueueRef> ref; ///< absent: queue 0 for submissions, every queue for lists
};

struct Submission {
    std::vector<ParsedAction> actions;
    QueueSelector queue;
    std::string idempotencyKey; ///< empty: none; at most 255 bytes
    Hash256 bodyHash;           ///< of the request body, with a key only
};
struct SubmitAnswer {
    struct Item {
        Lsn first;
        std::int64_t count = 1; ///< over 1 for an array
    };
    std::vector<Item> items; ///< one per posted action, in order
    QueueId queue;
    std::optional<ActionResult> ended; ///< the result of the one that was waited for
};

/// What of a pending action is to be different; absent stays.
struct ActionChange {
    std::optional<int> priority;
    std::optional<QueueRef> queue;
};

/// What a list of actions is asked for. Fields that are empty do not filter.
struct ListQuery {
    std::optional<QueueRef> queue;
    std::vector<ActionState> states;
    bool heldOnly = false;  ///< the face "held" of pending
    bool retryOnly = false; ///< the face "retry" of pending
    std::string worker;     ///< id, name or name@version
    std::string label;
    Filter filter;    ///< what else must hold
    std::string text; ///< part of label, worker name, function or note
    Sort sort;
    int limit = 100;    ///< 1..1000
    std::string cursor; ///< as given by the page before
    friend bool operator==(const ListQuery&, const ListQuery&) = default;
};
/// What many actions are to be changed by: those that live, or have ended (Retry, Retire).
enum class BulkKind : unsigned char { Cancel, Hold, Release, Set, Retry, Retire };
struct BulkDeed {
    BulkKind kind = BulkKind::Cancel;
    ActionChange set{}; ///< BulkKind::Set
    bool force = false; ///< BulkKind::Retry: passes the limit of retries
};
/// One change of all live actions that a query means.
struct BulkRequest {
    BulkDeed deed{};                      ///< neither Retry nor Retire
    ListQuery which;                      ///< order, limit and cursor mean nothing here
    bool dryRun = false;                  ///< counts, and changes nothing
    std::optional<std::int64_t> atMost{}; ///< changes nothing where it would change more
};
struct BulkAnswer {
    std::int64_t changed = 0;
    std::optional<std::int64_t> counted{};      ///< nothing was changed: so many would have been
    std::vector<std::pair<Lsn, Error>> refused; ///< the first thousand
    std::int64_t revived = 0;                   ///< others that came back with those that run again
    std::int64_t ending = 0;                    ///< of those that were cancelled: told to end, and not ended yet
};

/// How many actions a list has in all.
struct ListCount {
    std::int64_t count = 0;
    bool isExact = true; ///< false: at least so many; it would take too long to count them all
};

/// One reason for which pending actions have not started, and how many there are of them.
struct WaitingRow {
    Wait wait; ///< without what differs from action to action
    std::int64_t count = 0;
    std::optional<QueueId> queue; ///< it is that queue's reason
    std::string filter;           ///< finds them, as far as the filter language can say it; may be empty
};
struct WaitingView {
    std::vector<WaitingRow> rows; ///< most first, at most kMostWaitingRows
    std::int64_t others = 0;      ///< actions whose reasons are not among the rows
    WallMicros t = 0;             ///< when they were counted: a little ago where there are many
};
inline constexpr std::size_t kMostWaitingRows = 100;

struct ListPage {
    std::vector<ActionResult> jobs;
    std::string cursor; ///< empty: nothing more
};

/// A part of a list's LSNs.
struct LsnPart {
    std::vector<Lsn> lsns;
    std::int64_t total = 0; ///< of the whole list; 0 while it is being put in order
    std::string cursor;     ///< empty: nothing more
};
inline constexpr int kMostLsnsInPart = 100'000;

enum class Stream : unsigned char { Out, Err };
/// Where the bytes of one output stream are, now.
struct StreamSource {
    std::uint32_t attempt = 0;
    std::optional<ChunkRef> chunk; ///< the attempt has ended: read the content store
    std::string livePath;    ///< it runs: this file grows; keep it open, it may be renamed when the attempt ends
    bool willRetry = false;  ///< ended, and another attempt follows
    std::uint64_t limit = 0; ///< of the live file: the setting stream_bytes when its attempt began
};
/// What a follower waits for: more bytes than it has, or the end of the attempt.
struct StreamProgress {
    std::uint64_t size = 0; ///< bytes in the live file so far
    bool ended = false;     ///< the attempt is over and its result is committed; ask openStream again
};

struct WorkerView {
    std::string id;
    std::string canonical; ///< the descriptor, RFC 8785
};

/// A named lock that is held or waited for.
struct LockView {
    std::string name;
    std::optional<LockHolderView> holder; ///< absent: free, or its file does not say
    WallMicros heldSince = 0;             ///< 0: not known
    std::vector<Lsn> waiting;             ///< of this engine, lowest first
    bool hasMore = false;                 ///< more wait
};

struct SessionView {
    SessionState state = SessionState::Created;
    std::string engineId;
    std::string runId;
    std::array<std::int64_t, kActionStates>
        counts{};           ///< by state, over all queues; final states since the beginning
    std::int64_t held = 0;  ///< part of the pending ones: held by themselves
    std::int64_t retry = 0; ///< likewise: failed, and waiting for their next attempt
    std::string machineName;
    int cores = 0;
    std::int64_t memoryBytes = 0;
    double gpus = 0;
    int capacity = 0;
    Resources total; ///< what may be in use at once
    struct Slots {
        int oneCore = 0; ///< actions of one core
        int other = 0;   ///< actions of any size
        int warm = 0;    ///< warm processes
        std::string why; ///< there are not more; empty: they are all that are wanted
    } slots;             ///< how many may run at once
    bool journalWritable = true;
    struct Guard {
        bool holding = false; ///< nothing starts for the sake of memory
        double usedPercent = 0;
        std::uint64_t stopped = 0; ///< actions, since the start
        std::string reason;        ///< while it holds
        struct Event {
            WallMicros t = 0;
            std::string_view what; ///< "hold", "go_on" or "stop"
            std::string reason;
            Lsn lsn; ///< that was stopped; 0: none
        };
        std::vector<Event> events; ///< the last ten, newest last
    } guard;
    struct Itself {
        std::optional<double> cpuPercent; ///< of one core, of late
        std::int64_t rssBytes = 0;        ///< 0: not looked at yet
        std::int64_t journalBytes = 0;
        std::int64_t diskBytes = 0; ///< of the file system with the data directory; 0: not known
        std::int64_t diskFreeBytes = 0;
    } itself; ///< what the engine takes
    struct Janitor {
        std::uint64_t reaped = 0; ///< directories of attempts, since the start
        std::uint64_t staleLocks = 0;
        std::vector<std::string> findings; ///< the last ones, the newest last: what a person should look at
    } janitor;
    struct SandboxPart {
        std::string name;
        bool holds = false;
        std::string why; ///< it does not
    };
    struct Sandbox {
        bool workers = false; ///< registered workers run in one
        bool holds = false;   ///< this machine can make one
        std::string why;      ///< not
        std::vector<SandboxPart> parts;
        std::vector<std::string> notes; ///< what holds less than one may think, a sentence each
    };
    std::shared_ptr<const Sandbox> sandbox; ///< never null; the same from the start to the end
};

struct SettingsView {
    Settings asked;                              ///< as set by file, route and this run's --set
    std::vector<std::string_view> restartNeeded; ///< names of those that take effect at the next start
};

struct PoolProcessView {
    std::string id;
    std::string worker; ///< its id
    std::string state;
    std::string whyStarted;
    std::string whyEnded; ///< empty: it goes on
    std::string note;     ///< of one that starts its step; of one that is gone what went wrong
    int pid = 0;
    unsigned sessions = 0;
    unsigned concurrency = 1;
    std::uint64_t processed = 0;
    WallMicros started = 0;
    WallMicros lastUsed = 0;
    WallMicros ended = 0;
    std::vector<Lsn> current;    ///< what it works on
    WallMicros currentSince = 0; ///< the oldest of them; 0: none
    std::optional<double> cpuSeconds;
    std::optional<std::int64_t> rssBytes;
};
/// The end of what a warm process wrote to one stream.
struct PoolOutput {
    std::uint64_t size = 0; ///< bytes in all
    std::string end;        ///< the last 64 KiB at most
};
struct PoolProcessDetail {
    PoolProcessView process;
    std::optional<PoolOutput> out; ///< absent: no longer kept, of one that ended long ago
    std::optional<PoolOutput> err;
};
struct PoolGroupView {
    std::string worker;
    std::string name;
    std::string version;
    unsigned minProcesses = 0;
    unsigned maxProcesses = 0;       ///< 0: the pool's maxPerGroup
    unsigned maxRequests = 0;        ///< 0: any number
    std::optional<Duration> maxIdle; ///< absent: the pool's
    bool globalQueue = true;
    std::int64_t memoryMb = 0; ///< of each process; 0: no limit
    struct Restart {
        std::size_t done = 0;
        std::size_t of = 0;
    };
    std::optional<Restart> restart; ///< a rolling one goes on
    std::int64_t waiting = 0;
    bool spawning = false;
    std::optional<double> hitRate; ///< absent: nobody asked for a process yet
    double spawnSecondsSaved = 0;
    std::vector<PoolProcessView> processes;
};
struct PoolView {
    std::int64_t max = 0;
    std::int64_t maxPerGroup = 0; ///< 0: as many as max
    Duration maxIdle{};           ///< 0: no limit
    std::vector<PoolGroupView> groups;
    std::vector<PoolProcessView> gone; ///< the newest first
};

/// What clearing up took away, or would take: see Settings::keepDays and what follows it.
struct GcReport {
    bool dryRun = false;
    std::int64_t byAge = 0;   ///< finished actions: too old
    std::int64_t byCount = 0; ///< too many
    std::int64_t bySize = 0;  ///< too much of the disk
    std::int64_t chunks = 0;  ///< that nothing refers to (any more)
    std::int64_t chunkBytes = 0;
    std::int64_t chunksRecent = 0; ///< the same, but too recent to go
    std::int64_t packs = 0;
    std::int64_t journalPages = 0; ///< given back to the file system
    std::int64_t actionsKept = 0;  ///< how it is now
    std::int64_t usedBytes = 0;
    std::int64_t limitBytes = 0; ///< 0: no limit
    std::int64_t diskBytes = 0;
    std::string note; ///< why something was left undone
};

struct WatchRequest;
struct Collected;
struct MetricsView;
struct StatsQuery;
struct StatsView;
struct TimelineQuery;
struct TimelineView;

class EngineCore;

struct Rescheduled {
    int retryCount = 0;
    std::vector<Lsn> revived; ///< others that came back with it
};

class Engine {
public:
    /// Takes the data directory, ends what an earlier engine left behind, restores the journal, starts the launcher
    /// and the threads; the session is Ready when it returns. Blocks. Errors: AtLimit when another engine holds the
    /// data directory (the message names its pid); Io, NoSpace, Journal, Invalid (token file readable by others,
    /// settings.json) with a sentence each.
    static Result<std::unique_ptr<Engine>> open(Options options);
    /// Sunset: refuses new commands, tears running actions down (gently for `grace`, then not), commits, joins the
    /// threads. Blocks; at most 10 s. `hurry` skips the gentle part, and may be called by another thread meanwhile.
    void close();
    void hurry();
    ~Engine();

    /// The calling thread hands requests in and waits for their answers: it keeps near the engine's threads, on
    /// their CPU while there is little to do. Until it ends.
    void joinThreads();

    const std::string& token() const;
    const std::string& dataDir() const;
    store::ChunkStore& chunks(); ///< thread-safe, blocking: for helper threads

    // --- submissions and single actions
    /// Accepted means committed. NeedChunks, Invalid (unknown worker or function, unknown LSN in `after`, …; with
    /// index), NotFound (queue), WrongState (queue drains), NotAccepting, Busy, Journal.
    /// `linger`: of a single action, the answer waits so long for its end, and brings the result if that came.
    coro::Task<Result<SubmitAnswer>> submit(Submission submission, Duration linger = Duration::zero());
    /// The action as far as it is known, finished or not. NotFound when it never was or is retired.
    coro::Task<Result<ActionResult>> action(Lsn lsn);
    /// The same, once it is finished or after `wait`, whichever is first.
    coro::Task<Result<ActionResult>> waitForAction(Lsn lsn, Duration wait);
    /// As it was posted; with `element`, of an array only this one: what submits it again and no other.
    coro::Task<Result<std::string>> spec(Lsn lsn, bool element = false);
    /// What it waits for, in every state; NotFound when it never was or is retired.
    coro::Task<Result<Why>> why(Lsn lsn);
    /// What its current attempt, or else its last one, used while it ran.
    coro::Task<Result<std::vector<UsageSample>>> samples(Lsn lsn);
    /// Into the terminal of a running action, as if it was typed there. NotFound; WrongState when it has none, or does
    /// not run; Busy when its program does not read.
    coro::Task<Result<void>> typeInto(Lsn lsn, std::string keys);
    /// The same errors but Busy. Sides of 1 to kMaxTerminalSide.
    coro::Task<Result<void>> resizeTerminal(Lsn lsn, TerminalSize size);
    coro::Task<Result<void>> cancel(Lsn lsn);
    /// Those of them that are to be cancelled, and whose processes have not ended.
    coro::Task<std::int64_t> beingCancelled(std::vector<Lsn> lsns);
    coro::Task<Result<void>> hold(Lsn lsn);
    coro::Task<Result<void>> release(Lsn lsn);
    /// Priority (-100..100), queue, or both; only while it is pending and not being started, else WrongState. The
    /// queue must take work.
    coro::Task<Result<void>> change(Lsn lsn, ActionChange what);
    /// All that live and match, without a limit to their number; what has finished is not looked at. Cancel: what
    /// waits or runs, none of which starts once this answers; their ends follow. Others: what is pending, changed
    /// and in the journal when this answers. An engine that dies meanwhile finishes it at its next start.
    /// With `atMost` it never changes more: those that are changed are chosen, and counted, before the first is.
    coro::Task<Result<BulkAnswer>> changeMatching(BulkRequest request);
    /// What the operation on this one action would answer now; nothing changes.
    coro::Task<Result<void>> mayChange(BulkDeed deed, Lsn lsn);
    /// It waits for what it was posted to wait for, and what failed only because of it comes back as well.
    /// WrongState when not Failed or Abandoned, its queue is not active, or what it waits for ended otherwise;
    /// AtLimit unless forced.
    coro::Task<Result<Rescheduled>> reschedule(Lsn lsn, bool force);
    /// Those that would come back with these, were they rescheduled: in the order of their LSNs. Changes nothing.
    coro::Task<Result<std::vector<Lsn>>> wouldRevive(std::vector<Lsn> lsns);
    coro::Task<Result<void>> retire(Lsn lsn);

    // --- lists
    /// A page, within some 20 ms: it may be short, even empty, and still have a cursor to go on with.
    /// By LSN: what is there all the time is listed once, what comes or goes meanwhile at most once.
    /// By another field: the first page has an order made of all that match then; see kept_orders.h for how long it
    /// is kept. What matched then and still does is listed once, at the place it had then, as it is now; what came
    /// to match later is not. Malformed: no cursor of this list. WrongState: its order is not kept any more.
    /// AtLimit: too many match for an order. Busy: too many orders are being made.
    coro::Task<Result<ListPage>> list(ListQuery query);
    /// The LSNs of all that match and nothing else of them, query.limit (1..kMostLsnsInPart) at a time. Whatever
    /// the field, an order is made and kept as for list() by another field than the LSN, and its errors are the
    /// same. A part without LSNs and with a cursor: the order is still being made, go on.
    coro::Task<Result<LsnPart>> listLsns(ListQuery query);
    /// All that match, order, limit and cursor apart. Looks for a quarter of a second at most.
    coro::Task<Result<ListCount>> count(ListQuery query);
    /// Why work is waiting.
    coro::Task<WaitingView> waiting();
    /// The last 1000 that finished, newest first.
    coro::Task<Result<ListPage>> history(QueueSelector queue);

    // --- output
    /// attempt 0: the last. NotFound when that attempt never was or never ran.
    coro::Task<Result<StreamSource>> openStream(Lsn lsn, Stream stream, std::uint32_t attempt, bool follow);
    /// Returns when there are more than `known` bytes, the attempt ended, or after a second.
    coro::Task<Result<StreamProgress>> awaitStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                   std::uint64_t known);

    // --- queues
    coro::Task<std::vector<QueueView>> queues();
    coro::Task<Result<QueueView>> queue(QueueRef ref);
    /// Also of one that was deleted, named by its number: its finished actions can be asked for. NotFound.
    coro::Task<Result<QueueId>> queueNumber(QueueRef ref);
    coro::Task<Result<QueueView>> createQueue(std::string tag, std::string configJson);
    coro::Task<Result<QueueView>> configureQueue(QueueRef ref, std::string configJson);
    coro::Task<Result<QueueView>> holdQueue(QueueRef ref);
    coro::Task<Result<QueueView>> releaseQueue(QueueRef ref);
    coro::Task<Result<QueueView>> drainQueue(QueueRef ref);
    coro::Task<Result<QueueView>> cancelQueue(QueueRef ref);
    coro::Task<Result<void>> deleteQueue(QueueRef ref);
    coro::Task<Result<void>> holdAll();
    coro::Task<Result<void>> releaseAll();

    // --- workers
    coro::Task<Result<void>> registerWorker(ParsedWorker worker);
    coro::Task<std::vector<WorkerView>> workers();
    /// By id, name (the newest registered) or name@version.
    coro::Task<Result<WorkerView>> worker(std::string ref);
    coro::Task<Result<void>> removeWorker(std::string ref, bool force);

    // --- watching (watch.h, metrics.h)
    /// Answers all requests from one look. From the first call on, and for a minute after the last, changes are
    /// kept for those who ask on.
    coro::Task<Collected> collect(std::vector<WatchRequest> requests);
    /// The newest revision, once it is above `seen` or after 25 s. Returns at once when the engine closes.
    coro::Task<std::uint64_t> awaitChange(std::uint64_t seen);
    /// Locks that somebody on this machine holds, and those that something here waits for.
    coro::Task<std::vector<LockView>> locks();
    coro::Task<MetricsView> metrics();
    /// How machine and engine did (stats_history.h).
    coro::Task<StatsView> stats(StatsQuery query);
    /// What ran when in which slot (timeline_keeper.h).
    coro::Task<TimelineView> timelines(TimelineQuery query);

    // --- session
    coro::Task<SessionView> session();
    /// WrongState when the table forbids it. Sunset makes waitForSunset return; the owner then calls close().
    coro::Task<Result<void>> moveSession(SessionState to);
    coro::Task<SettingsView> settings();
    /// Changes those that the JSON object names, null to the default; kept in settings.json before it answers. What
    /// can applies at once. Malformed, Invalid, Io, NoSpace: then nothing has changed.
    coro::Task<Result<SettingsView>> changeSettings(std::string json);
    /// The warm processes as they are; looks at what they use, which takes a moment.
    coro::Task<PoolView> pool();
    /// One of them, or one of the last that ended, with what it printed last. NotFound; Busy when the launcher does
    /// not answer, or too many ask.
    coro::Task<Result<PoolProcessDetail>> poolProcess(std::string id);
    /// Some of max, max_per_group and max_idle_s. Invalid names the member.
    coro::Task<Result<PoolView>> changePool(std::string json);
    /// Replaces the worker's processes one by one. NotFound, or WrongState when it is not warm.
    coro::Task<Result<void>> restartPool(std::string worker);
    /// Ends a process once it has answered what it has. NotFound.
    coro::Task<Result<void>> endPoolProcess(std::string id);
    /// Clears up what retention does not keep, now, or says what would go. Takes as long as it takes: a million
    /// actions some seconds. Journal, Io, NoSpace, Busy.
    coro::Task<Result<GcReport>> gc(bool dryRun);
    /// Readable once the session is Sunset by a route; for poll() beside main's signals. Do not read it.
    int sunsetFd() const;
    /// Writes `address` into the data directory (and the lock file): the server listens. Blocks for a file write.
    Result<void> publishAddress(const std::string& url);

private:
    explicit Engine(std::unique_ptr<EngineCore> core);
    std::unique_ptr<EngineCore> core_;
};

} // namespace yard::engine
