// The engine behind its door: owns the threads and the services, starts and ends them, and takes the turns in which the
// session decides and the services carry it out. What is asked of the engine is asked of a service.
//
// Owner: built and closed by main; everything between start() and close() on the engine thread, in cooperative
// threads: one that takes turns (pump), one that waits for the session's timers, one for each service that has a run(),
// one per command, two for each attempt that needs a directory. Others post (deliver…) or use the thread-safe
// parts.
#pragma once

#include "core/base/cpu_colocation.h"
#include "core/coro/events.h"
#include "core/coro/helper_pool.h"
#include "core/coro/loop.h"
#include "core/engine/commands/annotating.h"
#include "core/engine/commands/intake.h"
#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/commands/results.h"
#include "core/engine/commands/session_moves.h"
#include "core/engine/reading/accounting.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/estimates.h"
#include "core/engine/reading/facets.h"
#include "core/engine/reading/failures.h"
#include "core/engine/reading/folding.h"
#include "core/engine/reading/graphs.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/notes.h"
#include "core/engine/reading/orders.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/reading/selection.h"
#include "core/engine/reading/waiting_counts.h"
#include "core/engine/reading/watching.h"
#include "core/engine/running/attempt_monitor.h"
#include "core/engine/running/execution.h"
#include "core/engine/running/guards.h"
#include "core/engine/running/orphan_sweep.h"
#include "core/engine/running/retention.h"
#include "core/engine/running/runner_places.h"
#include "core/engine/running/sandboxing.h"
#include "core/engine/running/stats_sampler.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/engine/running/warm_host.h"
#include "core/engine/running/warm_pool.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/committer.h"
#include "core/engine/state/estimator.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/lock_watch.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/options.h"
#include "core/engine/state/predecessors.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/settings_service.h"
#include "core/engine/state/spec_cache.h"
#include "core/engine/state/views.h"
#include "core/engine/state/work_classes.h"
#include "core/engine/state/workers.h"
#include "core/lease/recovery.h"
#include "core/locks/claims.h"
#include "core/runners/runner_source.h"
#include "core/runners/this_machine.h"
#include "core/session/session.h"
#include "core/store/chunk_store.h"
#include "core/store/data_directory.h"
#include "core/store/journal.h"
#include "core/store/reader.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace yard::engine {

class Kernel {
public:
    explicit Kernel(Options options);
    ~Kernel();

    // --- life, called by main (lifecycle.cpp)
    Result<void> open();
    void close();
    void hurry();
    /// Any thread.
    void joinThreads() { together_.join(); }
    /// Moves the engine's threads onto one CPU while it has little to do, apart while it is busy. Engine thread.
    void placeThreads();

    // --- commands, on the engine thread
    Intake& intake() { return *intake_; }
    ActionRows& rows() { return *rows_; }
    ActionDetails& details() { return *details_; }
    Results& results() { return *results_; }
    Reasons& reasons() { return *reasons_; }
    Rescheduling& rescheduling() { return *rescheduling_; }
    Operations& operations() { return *operations_; }
    Annotating& annotating() { return *annotating_; }
    Listing& listing() { return *listing_; }
    Folding& folding() { return *folding_; }
    Facets& facets() { return *facets_; }
    WaitingCounts& waiting() { return *waitingCounts_; }
    Accounting& accounting() { return *accounting_; }
    Failures& failures() { return *failures_; }
    FailureMutes& failureMutes() { return *failureMutes_; }
    Graphs& graphs() { return *graphs_; }
    Queues& queues() { return *queues_; }
    Workers& workers() { return *workers_; }
    Watching& watching() { return *watching_; }
    ChangeLog& changes() { return *changes_; }
    LockWatch& locks() { return *locks_; }
    StatsSampler& figures() { return *figures_; }
    TimelineKeeper& timelines() { return *timelines_; }
    Overview& overview() { return *overview_; }
    SessionMoves& sessionMoves() { return *sessionMoves_; }
    SettingsService& settings() { return settingsService_; }
    WarmPool& pool() { return *pool_; }
    Retention& retention() { return *retention_; }

    // --- thread-safe
    coro::Loop& loop() { return loop_; }
    bool isClosing() const { return closing_; }
    const std::string& token() const { return token_; }
    const std::string& dataDir() const { return directory_->path(); }
    store::ChunkStore& chunks() { return *chunks_; }
    int sunsetFd() const { return sessionMoves_->sunsetFd(); }
    Result<void> publishAddress(const std::string& url, const std::string& fingerprint);

private:
    // lifecycle.cpp
    Result<void> openDirectory();
    Result<void> readSettings();
    void settingsChanged(const Settings& before);
    host::ResourceSettings resourceSettings() const;
    Result<void> openStorage();
    Result<void> begin();
    Result<void> restore();
    void markInterrupted(std::vector<session::NewAction>& actions);
    void openServices();
    void openLocks();
    void openOrphanSweep();
    void openChanges();
    void openQueues();
    void openWorkers();
    void openIntake();
    void openForecasts();
    void openRows();
    void openLists();
    void openResults();
    void openRescheduling();
    void openOperations();
    void openAnnotating();
    void openPool();
    Result<void> openSessionMoves();
    void openOverview();
    std::function<void(const char* name, coro::Task<void>)> spawning();
    std::function<const Attempt*(Lsn)> attempts() const;
    std::optional<Wait> nothingStarts() const;
    coro::Task<Result<ActionState>> stateOfEnded(Lsn lsn);
    Result<void> mayRun(const ActionSpec& spec) const;
    coro::Task<Result<void>> cancelAllOf(std::string workerId);
    coro::Task<Result<void>> waitForEnd(Lsn lsn, Duration wait);
    void workerLeft(const std::string& id);
    Result<void> fitSlots();
    int coresBeside() const;
    Result<void> recoverBeside();
    bool isDurable() const { return settings_.durability == "power"; }
    Result<void> startRunner();
    void runnerUpdates(std::vector<runners::Update> batch);
    void runLoop(std::promise<Result<void>> begun);
    coro::Task<void> beginWork(std::promise<Result<void>> begun);
    /// Something is in flight, or not committed.
    bool isBusy() const;
    coro::Task<void> idleFor(Duration atMost);
    coro::Task<void> sunset();

    // pump.cpp: the turns
    void wake() { work_.set(); }
    coro::Task<void> pump();
    coro::Task<void> watchWarm();
    coro::Task<void> watchTimers();
    bool takeTurn();
    void carryOut();

    Adopter adopter() const;
    void openExecution(runners::ScratchHomePtr scratch);
    void openGuards();
    void lookForMemory();

    coro::Task<void> learnFromHistory();
    coro::Task<Result<std::vector<std::string>>> commandsOf(std::vector<Lsn> lsns, Duration lookFor);

    /// Runs `function` on the reader thread.
    template<class F>
    auto read(F function) {
        return journal_.ask(std::move(function));
    }

    // warm_start.cpp
    Result<void> startWarm();
    pool::PoolOptions poolOptions() const;
    void addWarmWorker(const std::string& id, const std::shared_ptr<const WorkerDescriptor>& descriptor);
    unsigned readWarmEntries();
    void takeIdleMemory();

    Options options_;
    CpuColocation together_; ///< engine, store and who joined them
    SettingsService settingsService_;
    const Settings& settings_ = settingsService_.inForce();
    int capacity_ = 1; ///< slots
    std::optional<store::DataDirectory> directory_;
    std::string token_;
    std::string runId_;
    std::string machineName_ = host::hostName();
    std::atomic<bool> closing_{false};
    std::atomic<bool> hurried_{false};

    coro::Loop loop_;
    std::unique_ptr<store::ChunkFiles> chunkFiles_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<store::ChunkStore> chunks_;
    std::unique_ptr<store::ReaderThread> reader_;
    JournalReader journal_{[this](store::ReaderThread::Job job) { return reader_->post(std::move(job)); }};
    locks::Claims claims_;                 ///< directories of attempts in use
    std::optional<Sandboxing> sandboxing_; ///< constant once open
    std::optional<coro::HelperPool> helpers_;

    session::Outbox outbox_;
    std::optional<session::Session> session_;
    InternTable dictionary_;
    WorkerRegistry registry_;
    std::optional<WorkClasses> classes_;
    std::optional<Workers> workers_;
    std::optional<Predecessors> predecessors_;
    std::optional<Intake> intake_;
    std::optional<ChangeLog> changes_;
    Annotations annotations_;
    std::optional<Queues> queues_;
    SpecCache specs_;
    UnkeptValues unkept_;
    Committer committer_;
    std::optional<LockWatch> locks_;
    std::optional<Results> results_;
    std::optional<Rescheduling> rescheduling_;
    std::optional<Operations> operations_;
    std::optional<Annotating> annotating_;
    std::optional<SessionMoves> sessionMoves_;
    AttemptTable attempts_;
    SlotBalancer slots_{attempts_};
    std::optional<Workspaces> workspaces_;
    std::optional<LeaseMaker> leases_;
    std::optional<Execution> execution_;
    std::optional<AttemptMonitor> monitor_;
    std::optional<OrphanSweep> orphans_;
    std::optional<Guards> guards_;
    std::optional<Retention> retention_;
    std::optional<StatsSampler> figures_;
    std::optional<TimelineKeeper> timelines_;
    std::optional<Overview> overview_;
    Estimator estimator_;
    std::optional<Estimates> estimates_;
    std::optional<Reasons> reasons_;
    std::optional<WaitingCounts> waitingCounts_;
    std::optional<Accounting> accounting_;
    std::optional<FailureMutes> failureMutes_;
    std::optional<Graphs> graphs_;
    std::optional<Notes> notes_;
    std::optional<ActionRows> rows_;
    std::optional<ActionDetails> details_;
    std::optional<Selection> selection_;
    std::optional<Orders> orders_;
    std::optional<MatchWalk> matches_;
    std::optional<Listing> listing_;
    std::optional<Folding> folding_;
    std::optional<Facets> facets_;
    std::optional<Failures> failures_;
    std::optional<Watching> watching_;
    std::optional<RunnerPlaces> places_;
    std::optional<WarmPool> pool_;
    std::optional<EngineWarmHost> warmHost_;
    std::unique_ptr<runners::WarmRunner> warm_; ///< uses this machine
    std::optional<coro::FdWatch> warmWatch_;

    Resources total_;       ///< of the machine, for actions
    int coreSlots_ = 1;     ///< of the runner: the first ones, for what takes one core
    int sharedSlots_ = 0;   ///< the others: one action each, whatever it takes
    int poolSlots_ = 0;     ///< those behind: for processes of warm workers
    std::string slotLimit_; ///< why there are not more of them; empty: they are all that are wanted
    WallScale scale_;
    std::string lockDir_; ///< of named locks; empty: none
    EngineCounters counters_;

    coro::Event work_;                            ///< the pump has something to do
    coro::Event timersChanged_;                   ///< nextWake() may be earlier than before
    coro::ConditionVariable idle_;                ///< notified when nothing is in flight any more
    std::vector<runners::SlotEntry> interrupted_; ///< found at the start
    std::vector<runners::SlotEntry> interruptedWarm_;
    std::thread thread_;
};

} // namespace yard::engine
