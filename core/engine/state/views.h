// What commands of the engine take and answer, as values: engine.h has the commands. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/engine/state/courtesy_view.h"
#include "core/engine/state/gpu_view.h"
#include "core/model/action_spec.h"
#include "core/model/facet.h"
#include "core/model/filter.h"
#include "core/model/fold.h"
#include "core/model/queue.h"
#include "core/model/result.h"
#include "core/model/settings.h"
#include "core/model/sort.h"
#include "core/model/states.h"
#include "core/model/why.h"
#include "core/model/worker.h"
#include "core/store/object_operations.h"
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

/// Which queue a command is for: the route's reference, or the implicit queue.
struct QueueSelector {
    std::optional<QueueRef> ref; ///< absent: queue 0 for submissions, every queue for lists
};

struct Submission {
    std::vector<ParsedAction> actions;
    QueueSelector queue;
    std::string idempotencyKey;                  ///< empty: none; of who asks, whose name may stand before it
    Hash256 bodyHash;                            ///< of the request body, with a key only
    std::optional<store::SubmitEffect> effect{}; ///< it carries that out: in the same commit, and once
    std::function<void(Lsn first)> accepted{};   ///< the journal has them, and none has begun
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
    bool fold = false;  ///< of each array or list only the first one in this order
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
    std::int64_t terminals = 0;                 ///< of those that run again: have a terminal, and nobody at it
    std::int64_t replacedLeft = 0;              ///< of a filter to retry: passed over, as others replace them
    std::int64_t terminalsLeft = 0;             ///< the same, as nobody would be at their terminal
};

/// Of those that were to get a mark, or lose it.
struct MarkAnswer {
    std::int64_t marked = 0;
    std::vector<Lsn> unknown; ///< not there, or not any more
};

/// How many actions a list has in all.
struct ListCount {
    std::int64_t count = 0;
    bool isExact = true; ///< false: at least so many; it would take too long to count them all
};

struct FacetQuery {
    ListQuery which; ///< order, limit and cursor mean nothing here
    /// Each is counted under the terms of the others: those about the facet itself do not count for it.
    std::vector<FacetKey> by;
    bool underOwn = false;     ///< under its own terms, too
    bool isQueueFixed = false; ///< `which.queue` is no term: it holds of the count by queue, too
};
struct FacetList {
    FacetKey key;
    /// Largest first, at most kMaxFacetValues. Actions without a value (no label, no reason) are in none.
    std::vector<std::pair<std::string, std::int64_t>> values;
    std::int64_t others = 0; ///< actions whose value is not among them
};
struct FacetCounts {
    std::int64_t total = 0; ///< of the whole filter
    bool isExact = true;    ///< false: each number is at least so many; it would take too long to count them all
    std::vector<FacetList> lists; ///< in the order asked for
};
inline constexpr std::size_t kMaxFacetValues = 100;

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

/// An array or a list as one row: of all its actions, whichever of them a list means.
struct FoldView {
    Lsn first;
    std::int64_t count = 0; ///< as it was posted; 0: there is none
    FoldKind kind = FoldKind::Array;
    std::array<std::int64_t, kActionStates> states{}; ///< of those that are kept
    std::int64_t held = 0;                            ///< of the pending ones
    std::int64_t retry = 0;                           ///< of the pending ones: in back-off
    bool isExact = true;                              ///< false: `held` and `retry` are at least so many
    /// Of the first of those that wait, in the order of the queue of this row's action; absent also where not all were
    /// looked at, or the order is not known yet.
    std::optional<std::int64_t> place;
    WallMicros started = 0; ///< the first start of one of them; 0: none began
    std::string name;       ///< with "{index}" in it; of a list that of its first action
    std::string
        failure; ///< the commonest line of its newest failures (own ones first), as the newest of these says it
    std::int64_t failures = 0; ///< how many of these have that line
};

struct ListPage {
    std::vector<ActionResult> jobs;
    std::string cursor;            ///< empty: nothing more
    std::vector<FoldView> folds{}; ///< of a list that folds: one for each of `jobs`
};

/// A part of a list's LSNs.
struct LsnPart {
    std::vector<Lsn> lsns;
    std::int64_t total = 0;                ///< of the whole list; 0 while it is being put in order
    std::optional<std::int64_t> matched{}; ///< of a list that folds: how many actions its rows stand for
    std::string cursor;                    ///< empty: nothing more
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
    bool isPart = false;     ///< the live file may end before the stream does: the rest is in the store then
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

/// The cloud that this machine is of.
struct CloudView {
    std::string provider; ///< aws, azure, gcp
    std::string instance;
    std::string type;
    std::string region;
    bool isSpot = false;
    struct Notice {
        std::string what;       ///< the cloud's own word
        bool isCertain = false; ///< false: only a warning
        WallMicros at = 0;      ///< when; 0: it does not say
    };
    std::optional<Notice> notice; ///< that the machine is taken away
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
    std::optional<CloudView> cloud; ///< absent: it is no cloud's, or nobody asked
    CourtesyNow courtesy;
    int cores = 0;
    std::int64_t memoryBytes = 0;
    double gpus = 0;
    std::vector<GpuView> gpuList; ///< those that were found
    int capacity = 0;
    Resources total; ///< what may be in use at once
    Resources taken; ///< what of it is in use
    struct Slots {
        int oneCore = 0; ///< actions of one core
        int other = 0;   ///< actions of any size
        int warm = 0;    ///< warm processes: what the pool may have
        std::string why; ///< there are not more; empty: they are all that are wanted
    } slots;             ///< how many may run at once
    bool journalWritable = true;
    /// Nothing starts though the state lets it: of the journal, memory or descriptors. Empty: something may.
    std::string why;
    bool isHealthy() const { return yard::isHealthy(state) && journalWritable; }
    struct Guard {
        bool holding = false;              ///< nothing starts for the sake of memory
        std::optional<double> usedPercent; ///< absent: nothing waits or runs, and nobody looks
        std::uint64_t stopped = 0;         ///< actions, since the start
        std::string reason;                ///< while it holds
        struct Event {
            WallMicros t = 0;
            std::string_view what; ///< "hold", "go_on" or "stop"
            std::string reason;
            Lsn lsn; ///< that was stopped; 0: none
        };
        std::vector<Event> events; ///< the last ten, newest last
    } guard;
    struct EngineUsage {
        std::optional<double> cpuPercent; ///< of one core, lately
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
    Settings asked;                         ///< as set by file, route and this run's --set
    std::vector<std::string> restartNeeded; ///< names of those that take effect at the next start
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
    GivenResources given;        ///< pieces that it has
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
    std::int64_t logBytes = 0;     ///< beside that, of the journal's log: it does not get smaller as actions go
    std::int64_t workersBytes = 0; ///< beside that, of the files of registered workers: they stay
    std::int64_t limitBytes = 0;   ///< of usedBytes; 0: no limit
    std::int64_t diskBytes = 0;
    std::string note; ///< why something was left undone
};

struct Rescheduled {
    int retryCount = 0;
    std::vector<Lsn> revived; ///< others that came back with it
};

/// What a filter means to run again: whoever wants one of the others names it.
struct RetryChoice {
    std::vector<Lsn> lsns;
    std::int64_t replaced = 0;  ///< not: another one was submitted in its place
    std::int64_t terminals = 0; ///< not: it has a terminal, and nobody would be at it
};

} // namespace yard::engine
