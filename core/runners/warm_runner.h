// Runs actions in warm processes: the pool decides which one serves (core/pool), the launcher starts and ends them,
// and requests go over a socket each (warm_frames.h). One of the engine's runners.
//
// Owner: one thread (the engine's) calls everything. It waits until pollFd() is readable, then calls onReadable();
// nothing here blocks. The sink is called from onReadable() only, never from inside submit() or end().
//
// A request waits in the pool, then with a process (unsent), then it was sent: beyond the process's concurrency
// ahead, else on a lane, which is when it runs and its deadline counts. What becomes of it:
//   - answered: Ended, with exit code, result and message;
//   - its process died, hung or sent garbage: alone on a lane and read, it fails as WorkerCrashed. Read and on a
//     lane beside others it is interrupted (LostRunner), and what shared two that crashed gets the next for itself.
//     What was ahead, unsent, or never read goes elsewhere. After kMaxAttempts processes that ended before they
//     read one request it fails. What a live process was sent, no other gets before it is dead;
//   - its deadline passed, or it was cancelled on a lane: its process is ended, then it; ahead it waits for its
//     lane first;
//   - no process came up for it: SpawnError, with the step that failed and what the process printed last.
#pragma once

#include "core/base/owner.h"
#include "core/model/worker.h"
#include "core/pool/pool.h"
#include "core/pool/restart_files.h"
#include "core/runners/local_runner.h"
#include "core/runners/runner.h"
#include "core/runners/slots.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::runners {

/// Processes of the pool have numbers as attempts do: from here on.
inline constexpr std::int64_t kFirstProcessLsn = std::int64_t{1} << 52;
inline bool isWarmProcess(AttemptId id) {
    return id.lsn.value >= kFirstProcessLsn;
}

/// A step of a process that starts: it needs memory that is not free.
inline constexpr std::string_view kWaitsForMemory = "waits for memory";

/// A process is to be started: make its directory, then answer with prepared().
struct ProcessOrder {
    AttemptId id;
    SlotId slot;
    std::string worker; ///< its id
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
    /// There is less memory free than a process of the worker needs, whoever else waits for some.
    virtual bool lacksMemory(const std::string& worker) const = 0;
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

class WarmRunner final : public Runner {
public:
    /// `local` starts the processes; its updates of them (isWarmProcess) come to processUpdate().
    static Result<std::unique_ptr<WarmRunner>> start(WarmConfig config, LocalRunner& local, WarmHost& host,
                                                     UpdateSink sink);
    ~WarmRunner() override;

    int pollFd() const;
    void onReadable();

    // --- workers
    /// Makes the worker's group, the newest of its family. `gate` is its number for setWindow().
    pool::GroupId addWorker(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor,
                            std::uint32_t gate);
    void removeWorker(const std::string& id);
    std::optional<pool::GroupId> groupOf(const std::string& worker) const;
    void configure(const pool::PoolOptions& options, Duration grace);
    /// A rolling restart. False: no such worker.
    bool restart(const std::string& worker);
    /// By the id of its view. False: unknown, or ending already.
    bool detach(const std::string& process);
    WarmPoolView view() const;
    /// One process, alive or one of the last that ended, by the id of its view. Nothing: unknown.
    std::optional<WarmProcessView> view(const std::string& process) const;
    /// What the next request of a worker waits for. Nothing: no such worker.
    std::optional<WarmWait> waitOf(const std::string& worker) const;
    /// "process p3 of thumbnailer": who asked the host for this; empty: it is gone.
    std::string holderName(std::uint64_t key) const;
    using OutputSink = std::move_only_function<void(std::shared_ptr<const OutputEnds>)>;
    /// What a process printed last, by the id of its view, to `sink`: at once, or when the launcher has told.
    /// Null: no longer kept. NotFound; Busy when kMostAsks have not been answered yet.
    Result<void> askOutput(const std::string& process, OutputSink sink);
    const WarmCounters& counters() const { return counters_; }
    unsigned busy() const { return pool_.active(); }
    /// By when the only request that is out will most probably be answered: so soon that a thread that went to
    /// sleep would hardly be awake again. Nothing: none is out, several are, or it will take longer.
    std::optional<MonoTime> answerBy() const;
    unsigned alive() const { return pool_.count(); }
    /// Other work lacks so much memory: idle processes that hold some end, the least used first, but none of those
    /// that min_processes keeps, and none where all that is idle holds too little. True: so much will be free once
    /// those that end have ended.
    bool giveMemory(std::int64_t memoryMb);

    // --- answers of the host
    /// Argv, env, cwd and limits of the process; or why there is none.
    void prepared(AttemptId id, Result<Lease> lease);
    /// The directory of a request is as at first, or why not.
    void remade(AttemptId request, const Result<void>& made);
    void granted(std::uint64_t key);
    void entriesSynced(const Result<void>& synced);
    /// `changes`: an inotify descriptor for the directory, where there is none yet. An event of its own end, or of
    /// one above it, says that the path may name another directory.
    void restartSigns(const std::string& worker, const pool::RestartSigns& signs, UniqueFd changes);
    void processUpdate(Update update);
    void sampled(const std::vector<ProcessSample>& samples);
    /// Processes that live; of those that were used since the last call if `usedOnly`.
    std::vector<ProcessLook> looks(bool usedOnly);
    /// The one of this name; nothing: it is not there.
    std::vector<ProcessLook> looks(const std::string& process) const;
    /// Those with a limit of memory that start, work on something, or have left children.
    std::vector<ProcessLook> limited() const;
    /// What one and its children take together. Over its limit it is ended in a sandbox, with what it works on;
    /// without one it is replaced when it has answered.
    void noteMemory(int pid, std::int64_t bytes, std::size_t processes);

    // --- Runner
    std::string_view name() const override { return "warm"; }
    unsigned capacity() const override { return config_.slots; }
    unsigned free() const override { return static_cast<unsigned>(freeSlots_.size()); }
    void submit(std::vector<Lease> batch) override;
    void takeBack(AttemptId id) override;
    void end(AttemptId id, StopCause cause, std::optional<Duration> grace = {}) override;
    void endAll(StopCause cause, std::optional<Duration> grace = {}) override;
    void watch(AttemptId, Stream) override {} ///< a warm action has no streams of its own
    void unwatch(AttemptId, Stream) override {}
    void acknowledge(SlotId slot, AttemptId id) override;

    /// Ends every process; isDown() once they are gone. What waits comes back as Returned.
    void shutDown(Duration grace);
    bool isDown() const { return processes_.empty(); }

private:
    struct Worker;
    struct Process;
    struct Request;

    WarmRunner(WarmConfig config, LocalRunner& local, WarmHost& host, UpdateSink sink);
    Result<void> open();

    // warm_runner.cpp: time, and requests until they are with a process
    void carry();
    void flush();
    void route(std::uint32_t request, MonoTime now);
    void assign(Process& process, std::uint32_t request, MonoTime now);
    void feed(Process& process, MonoTime now);
    unsigned aheadOf(const Process& process, MonoTime now) const;
    bool takeEntry(const Process& process, std::uint32_t request);
    bool isMarked(std::uint32_t request);
    void sendOne(Process& process, std::uint32_t request, MonoTime now);
    void startLane(Process& process, std::uint32_t request, MonoTime now);
    void updateWindow(Worker& worker);
    void armAt(MonoTime at);
    void scheduleClean(const Process& process, MonoTime now);
    void lookAtDeadlines(Process& process, MonoTime now);
    void checkMemory(Process& process, std::int64_t bytes, std::size_t processes, MonoTime now);
    Process* findByPid(int pid) const;
    void takeTurns(Process& process, bool isCrowded, MonoTime now);
    void tick(MonoTime now);
    void tellStarted(MonoTime now);

    // warm_answers.cpp: requests that are over, or start anew
    void answered(Process& process, std::uint64_t id, std::string_view json, MonoTime now);
    void elsewhere(std::uint32_t request, bool counts, MonoTime now);
    void unsentElsewhere(Process& process, bool counts, MonoTime now);
    void finish(std::uint32_t request, Ended ended);
    void giveBack(std::uint32_t request);
    void fail(std::uint32_t request, EndCause cause, std::string message, bool overMemory = false);
    void failStart(std::uint32_t request, SpawnFailure failure);
    void endNow(std::uint32_t request, Ended ended);
    void interrupt(std::uint32_t request, std::string message);
    void forgetRequest(std::uint32_t request);
    void dropFrom(Process& process, std::uint32_t request);
    void learn(Process& process, const Request& request, MonoTime now);
    void release(Process& process);

    // warm_views.cpp: restart files
    void look(Worker& worker, MonoTime now);
    bool mustLook(Worker& worker, MonoTime now);

    // warm_process.cpp: processes
    void order(const pool::Outbox::Spawn& spawn, MonoTime now);
    void prepare(Process& process);
    void askForRoom(Process& process, MonoTime now);
    std::int64_t memoryOf(pool::GroupId id) const;
    void readSocket(Process& process, MonoTime now);
    void writeSocket(Process& process, MonoTime now);
    void becomeReady(Process& process, std::string_view json, MonoTime now);
    void retire(Process& process, std::string why, MonoTime now);
    void broken(Process& process, std::string why, MonoTime now);
    void endPolitely(Process& process, MonoTime now);
    void lookAtEnd(Process& process, MonoTime now);
    void kill(Process& process, Duration grace);
    void processEnded(Process& process, Ended ended, MonoTime now);
    void settleRequests(Process& process, const Ended& ended, MonoTime now);
    void forgetProcess(Process& process, MonoTime now);
    void closeSocket(Process& process);
    bool wasRead(const Process& process, std::uint32_t request) const;
    bool endsInVain(const Process& process) const;
    Process* find(pool::ProcessId id) const;
    Process* find(AttemptId id) const;
    Process* find(const std::string& name) const;
    void tellOutput(Process& process, const std::shared_ptr<const OutputEnds>& output);
    void keepGone(WarmProcessView view);
    void sayGoodbye(Process& process, pool::WhyEnded why, std::string note);
    std::string_view stepOf(const Process& process) const;
    WarmProcessView viewOf(const Process& process) const;

    const WarmConfig config_;
    LocalRunner& local_;
    WarmHost& host_;
    UpdateSink sink_;
    OwnerCheck owner_;
    pool::Pool pool_;
    pool::Outbox out_;
    bool carrying_ = false;
    bool ending_ = false;
    bool starved_ = false; ///< no entry was free for a request
    Duration grace_;
    SlotsFile entries_; ///< requests that were sent, for the next start of the engine
    std::uint32_t nextEntrySlot_ = 0;
    std::uint64_t marked_ = 0;  ///< entries of what may not begin a second time, ever
    std::uint64_t syncing_ = 0; ///< so many will be on the disk; 0: nothing is synced
    std::uint64_t synced_ = 0;  ///< so many are
    UniqueFd epoll_;
    UniqueFd timer_;
    UniqueFd wake_;
    MonoTime armed_ = MonoTime::max();
    MonoTime nextDeadline_ = MonoTime::max();
    MonoTime nextClean_ = MonoTime::max();
    bool woken_ = false;
    bool telling_ = false; ///< in onReadable(): what there is to tell is told at its end
    std::vector<Update> updates_;
    std::vector<std::uint64_t> untold_; ///< running requests whose Started was not sent yet, by wire id
    std::map<std::string, std::unique_ptr<Worker>, std::less<>> workers_;
    std::vector<Worker*> byGroup_;                               ///< by place of the group
    std::vector<std::unique_ptr<Worker>> removed_;               ///< some of their processes live
    std::map<std::int64_t, std::unique_ptr<Process>> processes_; ///< by number
    std::vector<Process*> byPlace_;                              ///< by place in the pool
    std::vector<Process*> dirty_;                                ///< with bytes to write
    std::vector<SlotId> freeSlots_;
    std::deque<Request> requests_;
    std::vector<std::uint32_t> freeRequests_;
    std::unordered_map<AttemptId, std::uint32_t> byAttempt_;
    std::unordered_map<Lsn, unsigned> suspects_; ///< crashes they shared, of those that were interrupted
    std::deque<WarmProcessView> gone_;
    std::int64_t nextProcess_ = kFirstProcessLsn;
    WarmCounters counters_;
};

} // namespace yard::runners
