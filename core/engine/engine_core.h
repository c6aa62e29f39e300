// The engine behind its door: owns the threads and the parts, carries out what the session decides.
//
// Owner: built and closed by main; everything between start() and close() on the engine thread, in cooperative
// threads: one that takes turns (pump), one that waits for the session's timers, one that lets idle queues expire,
// one per command, two for each attempt that needs a directory. Others post (deliver…) or use the thread-safe
// parts.
#pragma once

#include "core/base/owner.h"
#include "core/base/together.h"
#include "core/coro/events.h"
#include "core/coro/loop.h"
#include "core/engine/change_feed.h"
#include "core/engine/committer.h"
#include "core/engine/dictionary.h"
#include "core/engine/dispatcher.h"
#include "core/engine/engine.h"
#include "core/engine/estimator.h"
#include "core/engine/figures.h"
#include "core/engine/guards.h"
#include "core/engine/helper_pool.h"
#include "core/engine/kept_orders.h"
#include "core/engine/last_lines.h"
#include "core/engine/live_matcher.h"
#include "core/engine/lock_watch.h"
#include "core/engine/metrics.h"
#include "core/engine/orphan_sweep.h"
#include "core/engine/predecessor_watch.h"
#include "core/engine/queue_book.h"
#include "core/engine/retention.h"
#include "core/engine/sandboxing.h"
#include "core/engine/settings_service.h"
#include "core/engine/spec_cache.h"
#include "core/engine/timeline_keeper.h"
#include "core/engine/waiters.h"
#include "core/engine/warm_host.h"
#include "core/engine/watch.h"
#include "core/engine/worker_registry.h"
#include "core/engine/workers_entered.h"
#include "core/locks/claims.h"
#include "core/runners/local_runner.h"
#include "core/runners/recovery.h"
#include "core/session/outlook.h"
#include "core/session/session.h"
#include "core/store/chunk_store.h"
#include "core/store/data_directory.h"
#include "core/store/journal.h"
#include "core/store/reader.h"

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace yard::engine {

/// Actions looked at, or changed, before others get their turn: well under a millisecond.
inline constexpr int kPerSlice = 1'000;

/// Slots of the launcher for warm processes at most.
inline constexpr int kMostPoolSlots = 256;

/// One that failed because another did, and all that it waits for.
struct FailedChild {
    store::FailedDependent row;
    std::vector<store::Edge> after;
};

class EngineCore {
public:
    explicit EngineCore(Options options);
    ~EngineCore();

    // --- life, called by main (lifecycle.cpp)
    Result<void> open();
    void close();
    void hurry();
    /// Any thread.
    void joinThreads() { together_.join(); }
    /// Whoever passes by on the engine thread: are its threads where they are best?
    void placeThreads();

    // --- commands, on the engine thread
    coro::Task<Result<SubmitAnswer>> submit(Submission submission, Duration linger);
    coro::Task<Result<ActionResult>> action(Lsn lsn);
    coro::Task<Result<ActionResult>> waitForAction(Lsn lsn, Duration wait);
    coro::Task<Result<std::string>> spec(Lsn lsn, bool element);
    coro::Task<Result<Why>> why(Lsn lsn);
    coro::Task<Result<std::vector<UsageSample>>> samples(Lsn lsn);
    coro::Task<Result<void>> typeInto(Lsn lsn, std::string keys);
    coro::Task<Result<void>> resizeTerminal(Lsn lsn, TerminalSize size);
    coro::Task<Result<void>> cancel(Lsn lsn);
    coro::Task<std::int64_t> beingCancelled(std::vector<Lsn> lsns);
    coro::Task<Result<void>> hold(Lsn lsn);
    coro::Task<Result<void>> release(Lsn lsn);
    coro::Task<Result<void>> change(Lsn lsn, ActionChange what);
    coro::Task<Result<BulkAnswer>> changeMatching(BulkRequest request);
    coro::Task<Result<void>> mayChange(BulkDeed deed, Lsn lsn);
    coro::Task<Result<Rescheduled>> reschedule(Lsn lsn, bool force);
    coro::Task<Result<std::vector<Lsn>>> wouldRevive(std::vector<Lsn> lsns);
    coro::Task<Result<void>> mayRetry(Lsn lsn, bool force);
    RetryLimits retryLimits(const ActionResult& result) const;
    coro::Task<Result<void>> retire(Lsn lsn);
    /// The query with what `after` means looked up, as list(), listLsns() and count() want it. AtLimit.
    coro::Task<Result<ListQuery>> withDependents(ListQuery query);
    coro::Task<Result<ListPage>> list(ListQuery query);
    coro::Task<Result<LsnPart>> listLsns(ListQuery query);
    coro::Task<Result<ListCount>> count(ListQuery query);
    coro::Task<WaitingView> waiting();
    coro::Task<Result<ListPage>> history(QueueSelector queue);
    coro::Task<Result<StreamSource>> openStream(Lsn lsn, Stream stream, std::uint32_t attempt, bool follow);
    coro::Task<Result<StreamProgress>> awaitStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                   std::uint64_t known);
    coro::Task<std::vector<QueueView>> queues();
    coro::Task<Result<QueueView>> queue(QueueRef ref);
    coro::Task<Result<QueueId>> queueNumber(QueueRef ref);
    coro::Task<Result<QueueView>> createQueue(std::string tag, std::string configJson);
    coro::Task<Result<QueueView>> configureQueue(QueueRef ref, std::string configJson);
    coro::Task<Result<QueueView>> holdQueue(QueueRef ref, bool held);
    coro::Task<Result<QueueView>> drainQueue(QueueRef ref);
    coro::Task<Result<QueueView>> cancelQueue(QueueRef ref);
    coro::Task<Result<void>> deleteQueue(QueueRef ref);
    coro::Task<Result<void>> holdAll(bool held);
    coro::Task<Result<void>> registerWorker(ParsedWorker worker);
    coro::Task<std::vector<WorkerView>> workers();
    coro::Task<Result<WorkerView>> worker(std::string ref);
    coro::Task<Result<void>> removeWorker(std::string ref, bool force);
    coro::Task<Collected> collect(std::vector<WatchRequest> requests);
    coro::Task<std::uint64_t> awaitChange(std::uint64_t seen);
    LockWatch& locks() { return *locks_; }
    coro::Task<MetricsView> metrics();
    coro::Task<StatsView> stats(StatsQuery query) { return figures_->query(query); }
    coro::Task<TimelineView> timelines(TimelineQuery query);
    coro::Task<SessionView> session();
    coro::Task<Result<void>> moveSession(SessionState to);
    coro::Task<SettingsView> settings() { co_return settingsService_.view(); }
    coro::Task<Result<SettingsView>> changeSettings(std::string json) {
        return settingsService_.change(std::move(json), *helpers_);
    }
    coro::Task<PoolView> pool();
    coro::Task<Result<PoolProcessDetail>> poolProcess(std::string id);
    coro::Task<Result<PoolView>> changePool(std::string json);
    coro::Task<Result<void>> restartPool(std::string worker);
    coro::Task<Result<void>> endPoolProcess(std::string id);
    coro::Task<Result<GcReport>> gc(bool dryRun) { return retention_->pass(dryRun); }

    // --- thread-safe
    coro::Loop& loop() { return loop_; }
    bool isClosing() const { return closing_; }
    const std::string& token() const { return token_; }
    const std::string& dataDir() const { return directory_->path(); }
    store::ChunkStore& chunks() { return *chunks_; }
    int sunsetFd() const { return sunsetFd_.get(); }
    Result<void> publishAddress(const std::string& url);

private:
    // lifecycle.cpp
    Result<void> openDirectory();
    Result<void> readSettings();
    void settingsChanged(const Settings& before);
    ResourceSettings resourceSettings() const;
    Result<void> openStorage();
    Result<void> begin();
    Result<void> restore();
    Result<void> restoreNames(const store::Restored& restored);
    Result<void> restoreQueues(const store::Restored& restored);
    void restoreWorkers(const store::Restored& restored);
    void markInterrupted(std::vector<session::NewAction>& actions);
    void openLocks();
    void openOrphanSweep();
    Result<void> fitSlots();
    bool isDurable() const { return settings_.durability == "power"; }
    Result<void> startRunner();
    void localUpdates(std::vector<runners::Update> batch);
    void runLoop(std::promise<Result<void>> begun);
    coro::Task<void> beginWork(std::promise<Result<void>> begun);
    /// Something is in flight, or not committed.
    bool isBusy() const;
    coro::Task<void> idleFor(Duration atMost);
    coro::Task<void> sunset();

    // pump.cpp: the turns
    /// Ends on their way to the journal, beyond which large operations wait: what else is written is not held up.
    static constexpr std::size_t kResultsAhead = 4'000;
    void wake() { work_.set(); }
    coro::Task<void> pump();
    coro::Task<void> watchRunner();
    coro::Task<void> watchWarm();
    coro::Task<void> watchTimers();
    coro::Task<void> expireQueues();
    bool takeTurn();
    void takeAcks();
    void carryOut();
    void postRetry(const session::Retry& retry);
    void postFinish(const session::Finish& finish);
    void postFinishes(const std::vector<session::Finish>& finishes);
    void tellEnd(const ResultAck& ack, Lsn lsn);
    void noteQueueUsed(QueueId id);
    void forgetQueueNow(QueueId id);

    Adopter adopter() const;
    void openGuards();
    void lookForMemory();

    // estimates.cpp
    coro::Task<void> learnFromHistory();
    std::optional<Duration> usualTime(QueueId queue, session::ClassId cls, session::LabelId label) const;
    session::Outlook::Answer runTimeOf(const session::Outlook::Question& asked, MonoTime now) const;
    const session::Outlook& outlook() const;
    bool isOutlookOfNow() const;
    void estimateRunning(ActionResult& result, const session::LiveView& live) const;
    void estimatePending(ActionResult& result, const session::LiveView& live,
                         const session::Waiting& waiting) const;
    void estimateQueue(QueueView& view, const session::QueueStatus& status) const;

    // submissions.cpp
    struct Resolved {
        std::vector<store::AcceptItem> items;
        std::vector<store::LabelEntry> labels;
        std::vector<store::ClassEntry> classes;
        std::vector<SpecPtr> specs;
        std::vector<std::pair<std::size_t, Variables>> unkept; ///< of some items, by their place
        std::vector<std::string> workers;                      ///< ids of registered ones, each once
        std::int64_t count = 0;
        std::vector<store::FinishedState> finished; ///< predecessors that had ended when it was committed
        std::vector<std::uint32_t> order;           ///< of the items: their places in the list; empty: as posted
        std::size_t placeOf(std::size_t item) const { return order.empty() ? item : order[item]; }
    };
    /// Of an edge to an array of which it is not looked up yet how many elements it has.
    static constexpr std::int64_t kArrayUnknown = -1;
    Result<void> roomFor(std::int64_t count) const;
    coro::Task<Result<SubmitAnswer>> take(Submission submission);
    Result<QueueEntry*> selectQueue(const QueueSelector& queue);
    Result<void> checkSpec(const ActionSpec& spec) const;
    coro::Task<Result<Resolved>> resolve(Submission& submission, QueueId queue);
    coro::Task<Result<void>> checkStdins(const Submission& submission);
    coro::Task<Result<std::shared_ptr<Terminal>>> terminalOf(Lsn lsn);
    /// While a submission with this key is on its way in parts.
    class KeyInParts {
    public:
        KeyInParts(EngineCore& core, std::string key)
            : core_(core)
            , key_(std::move(key)) {
            if (!key_.empty()) core_.keysInParts_.insert(key_);
        }
        ~KeyInParts() {
            core_.keysInParts_.erase(key_);
            core_.partsEnded_.notifyAll();
        }
        KeyInParts(const KeyInParts&) = delete;
        KeyInParts& operator=(const KeyInParts&) = delete;

    private:
        EngineCore& core_;
        std::string key_;
    };
    coro::Task<void> keyIsFree(const store::Accept& accept);
    coro::Task<store::AckDetail> acceptAtOnce(store::Accept accept);
    coro::Task<store::AckDetail> acceptInParts(store::Accept whole);
    coro::Task<void> undoParts(std::vector<store::LsnRun> rows, Lsn first);
    coro::Task<Result<SubmitAnswer>> answeredBefore(std::string key, Hash256 body, Error refusal);
    coro::Task<Result<Lsn>> takeLsns(std::int64_t count);
    coro::Task<void> enter(const Resolved& resolved);
    coro::Task<Result<std::vector<store::Edge>>> findArrays(Resolved& resolved);
    coro::Task<void> nameParents(Resolved& resolved, const Submission& submission);
    static std::vector<std::uint32_t> listOrder(std::span<const ParsedAction> actions);
    coro::Task<Result<void>> notWaitedFor(Lsn lsn);
    coro::Task<Result<void>> lookAtArrays(std::vector<store::Edge> edges);
    store::Edge asOfNow(store::Edge array) const;
    session::Predecessor predecessor(const store::Edge& edge,
                                     const std::vector<store::FinishedState>& finished) const;
    session::NewAction sessionAction(const store::PendingRow& row) const;

    // workers.cpp
    coro::Task<Lsn> firstLiveOf(std::string workerId, Lsn from);
    coro::Task<Result<void>> endAllOf(std::string workerId, std::string name, bool force);

    // counting.cpp
    coro::Task<std::int64_t> countLive(ListQuery query, std::optional<QueueId> queue, MonoTime until,
                                       bool& isExact);
    coro::Task<Result<std::int64_t>> countEnded(ListQuery query, MonoTime until, bool& isExact);
    Wait reasonOf(const session::LiveView& live) const;

    // bulk.cpp
    coro::Task<store::LsnSet> choose(const BulkRequest& request, const store::BulkChange& change,
                                     std::optional<QueueId> queue, BulkAnswer& answer);
    coro::Task<Result<void>> notEnded(Lsn lsn);
    Result<store::BulkChange> wantedChange(const ActionChange& what);
    Result<store::BulkChange> bulkChange(const BulkDeed& deed);
    coro::Task<Result<void>> changeOne(Lsn lsn, store::BulkChange change);
    Result<void> changeLive(Lsn lsn, const store::BulkChange& change);
    Result<void> mayChangeLive(Lsn lsn, const store::BulkChange& change) const;
    coro::Task<Result<ActionResult>> endedAction(Lsn lsn);
    Result<void> notLive(Lsn lsn) const;
    /// What rescheduling it would make of its counters.
    Result<session::RetryCounters> mayReschedule(const ActionResult& known, bool force) const;
    void bringBack(const store::AckDetail& done, ActionState was);
    coro::Task<std::vector<Lsn>> revive(Lsn lsn);
    coro::Task<Result<std::vector<store::Edge>>> parentsNow(Lsn lsn, PredecessorWatch::Scope& watched);
    coro::Task<bool> lookAtArraysOf(std::vector<FailedChild>& children, PredecessorWatch::Scope& watched);
    bool mayRevive(const store::FailedDependent& row) const;
    bool isThere(const std::string& workerId) const;
    coro::Task<std::vector<Lsn>> reopen(std::vector<store::Reopen> part);
    coro::Task<Result<void>> changeChosen(const store::LsnSet& chosen, const store::BulkChange& change,
                                          BulkAnswer& answer);
    coro::Task<Result<void>> cancelChosen(const store::LsnSet& chosen, BulkAnswer& answer);
    coro::Task<void> endCancelled(std::int64_t op, store::LsnSet waiting, store::LsnSet running);

    // queries.cpp
    coro::Task<Result<bool>> findCommands(ListQuery& query, MonoTime until);
    template<class F>
    auto read(F function) -> coro::Task<std::invoke_result_t<F&, store::Reader&>>;
    void overlay(ActionResult& result) const;
    std::optional<ActionResult> resultOf(const store::Finish& row) const;
    coro::Task<std::optional<ActionResult>> endOf(Lsn lsn, Duration wait);

    // reasons.cpp
    std::optional<Wait> processWait(const session::Waiting& waiting) const;
    /// All reasons but which actions it waits for; `shortly`: the first one only, without its position.
    std::vector<Wait> waitsOf(Lsn lsn, const session::Waiting& waiting, bool shortly) const;
    std::optional<Wait> slotWait(const session::Waiting& waiting) const;
    std::optional<Wait> startWait(Lsn lsn) const;
    std::optional<Wait> endingWait(Lsn lsn) const;
    coro::Task<Result<std::vector<Wait>>> dependenciesOf(Lsn lsn);
    /// Estimates and the note of a pending action, with its place in line: takes some microseconds each.
    void describePending(ActionResult& result) const;
    /// The same for a page, as far as that goes within `atMost`.
    static constexpr Duration kDescribeFor{4'000};
    void describePending(std::span<ActionResult> page, Duration atMost) const;

    // last_lines.cpp
    /// Notes of what is pending or runs. The rows stay where they are until it returns.
    coro::Task<void> addNotes(std::span<ActionResult> rows, Duration pendingFor = kDescribeFor);
    coro::Task<void> tellLines();

    // queries.cpp
    /// action() without its note.
    coro::Task<Result<ActionResult>> rowOf(Lsn lsn);
    coro::Task<Result<ListPage>> listRunning(ListQuery query);
    Result<store::PageFilter> pageFilter(const ListQuery& query);
    coro::Task<Result<std::array<store::Page, 2>>> readPages(store::PageFilter filter, bool newestFirst, int limit,
                                                             Lsn cursor, bool live, bool ended);
    ActionResult withNames(ActionResult result) const;
    bool accepts(const ListQuery& query, const ActionResult& result) const;
    ListPage merge(const ListQuery& query, std::array<store::Page, 2> pages) const;

    // sorting.cpp
    struct PlaceInOrder {
        std::shared_ptr<KeptOrder> order;
        std::size_t at = 0;
    };
    coro::Task<Result<PlaceInOrder>> placeIn(const ListQuery& query, const store::PageFilter& filter,
                                             MonoTime until);
    std::string cursorAt(KeptOrder& order, std::size_t at) const;
    coro::Task<Result<ListPage>> listSorted(ListQuery query, store::PageFilter filter, MonoTime until);
    coro::Task<Result<ListPage>> listNamed(ListQuery query, std::vector<Lsn> lsns, MonoTime until);
    Result<std::shared_ptr<KeptOrder>> beginOrder(const ListQuery& query, const store::PageFilter& filter);
    coro::Task<void> makeOrder(std::shared_ptr<KeptOrder> order, store::PageFilter filter);
    coro::Task<Result<std::vector<Lsn>>> orderOf(const KeptOrder& order, store::PageFilter filter);
    coro::Task<KeyPieces> liveKeys(const ListQuery& query, std::optional<QueueId> queue);
    coro::Task<Result<void>> endedKeys(const ListQuery& query, store::PageFilter filter, WallMicros now,
                                       KeyPieces& keys);
    coro::Task<Result<std::vector<Lsn>>> endedThatMatch(const ListQuery& query, store::PageFilter filter);
    coro::Task<std::vector<SortName>> namesFor(SortField field);
    std::int64_t liveKey(const session::LiveView& live, SortField field, WallMicros now) const;
    coro::Task<Result<ListPage>> pageOf(std::span<const Lsn> lsns, std::size_t& at, ListQuery query,
                                        MonoTime until);
    coro::Task<void> dropUnusedOrders();
    LiveMatcher::Parts matcherParts();

    // watching.cpp
    void keepChanges();
    coro::Task<void> dropUnusedFeed();
    void noteAction(const session::Change& change);
    void noteRow(Lsn lsn);
    void noteChange(ChangeEntry::Kind kind, QueueId queue = {});
    void noteWritable();
    struct Walk;
    coro::Task<void> walk(Walk& walk);
    bool takeEntry(Walk& walk, const ChangeEntry& entry) const;
    bool takeRow(Walk& walk, const ChangeEntry& entry) const;
    bool mayMatch(const Walk& walk, const ChangeEntry& entry) const;
    bool matches(const ListQuery& query, const ActionResult& row) const;
    void tellEverything(const WatchRequest& request, WatchUpdate& update);
    coro::Task<void> findDependents(WatchRequest& request);
    coro::Task<void> tellAllRows(const Watch& watch, WatchUpdate& update, Collected& into);
    coro::Task<void> readRows(std::vector<Lsn> lsns, Collected& into);
    void sortRows(const WatchRequest& request, WatchUpdate& update, const Collected& from) const;
    void addQueues(Collected& into);

    // warm_pool.cpp
    Result<void> startWarm();
    pool::PoolOptions poolOptions() const;
    void addWarmWorker(const std::string& id, const std::shared_ptr<const WorkerDescriptor>& descriptor);
    void defineClass(std::uint32_t cls);
    std::optional<session::GateId> gateOf(const std::string& worker);
    unsigned readWarmEntries();
    void takeIdleMemory();
    std::optional<session::ResourceNeed> memoryNeed(session::ClassId cls) const;
    coro::Task<void> sampleWarm(std::vector<runners::ProcessLook> looks);
    coro::Task<void> guardWarm();
    PoolProcessView viewOf(const runners::WarmProcessView& process) const;

    // queues.cpp
    QueueView view(const QueueEntry& entry) const;
    store::QueueRow row(const QueueEntry& entry) const;
    std::unexpected<Error> noQueue(const QueueRef& ref) const;
    Result<QueueEntry*> findQueue(const QueueRef& ref);
    /// Also of a queue that was deleted, by its number: its finished actions stay.
    std::optional<QueueId> knownQueue(const QueueRef& ref) const;
    Result<QueueId> numberOf(const QueueRef& ref);
    /// Nothing when none is named.
    Result<std::optional<QueueId>> queueIdOf(const std::optional<QueueRef>& ref);
    coro::Task<Result<QueueView>> commitQueue(QueueId id);
    /// The session learns of the limits of the queue's configuration.
    void setLabelLimits(QueueId id, const QueueConfig& config);
    void queueStopped(QueueId id);

    Options options_;
    Together together_; ///< engine, store and who joined them
    SettingsService settingsService_;
    const Settings& settings_ = settingsService_.inForce();
    int capacity_ = 1; ///< slots
    std::optional<store::DataDirectory> directory_;
    std::string token_;
    std::string runId_;
    std::string machineName_ = hostName();
    UniqueFd sunsetFd_;
    std::atomic<bool> closing_{false};
    std::atomic<bool> hurried_{false};

    coro::Loop loop_;
    std::unique_ptr<store::ChunkFiles> chunkFiles_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<store::ChunkStore> chunks_;
    std::unique_ptr<store::ReaderThread> reader_;
    locks::Claims claims_;                 ///< directories of attempts in use
    std::optional<Sandboxing> sandboxing_; ///< constant once open
    std::optional<HelperPool> helpers_;

    session::Outbox outbox_;
    std::optional<session::Session> session_;
    Dictionary dictionary_;
    WorkerRegistry workers_;
    QueueBook queues_;
    SpecCache specs_;
    UnkeptValues unkept_;
    Committer committer_;
    std::optional<LockWatch> locks_;
    std::optional<Dispatcher> dispatcher_;
    std::optional<OrphanSweep> orphans_;
    std::optional<Guards> guards_;
    std::optional<Retention> retention_;
    std::optional<Figures> figures_;
    std::optional<TimelineKeeper> timelines_;
    Estimator estimator_;
    struct KeptOutlook {
        session::Outlook of;
        std::uint32_t revision = 0; ///< of the session then
        MonoTime soon{};            ///< from then on another one, if the session changed
        MonoTime until{};           ///< in any case
    };
    mutable KeptOutlook outlook_;
    std::unique_ptr<runners::LocalRunner> runner_;
    std::optional<coro::FdWatch> runnerWatch_;
    std::optional<EngineWarmHost> warmHost_;
    std::unique_ptr<runners::WarmRunner> warm_; ///< uses runner_
    std::optional<coro::FdWatch> warmWatch_;
    std::unordered_map<std::string, std::uint32_t> gates_; ///< of warm workers, by id; a number is never given anew
    coro::Event warmWork_;                                 ///< a warm process may be busy
    bool samplesIdle_ = false;                             ///< the next look at warm processes is at idle ones, too

    store::LsnBlock lsns_;
    coro::Mutex lsnMutex_;  ///< one reservation at a time
    Resources total_;       ///< of the machine, for actions
    int coreSlots_ = 1;     ///< of the runner: the first ones, for what takes one core
    int sharedSlots_ = 0;   ///< the others: one action each, whatever it takes
    int poolSlots_ = 0;     ///< those behind: for processes of warm workers
    std::string slotLimit_; ///< why there are not more of them; empty: they are all that are wanted
    WallScale scale_;
    std::int64_t lastSubmitTime_ = 0;
    std::unordered_set<std::string> keysInParts_; ///< idempotency keys
    coro::ConditionVariable partsEnded_;
    Waiters waiters_;
    PredecessorWatch predecessors_;
    WorkersEntered workersEntered_;
    std::int64_t entering_ = 0;          ///< actions that are accepted and not yet in the session
    std::optional<MonoTime> nextExpiry_; ///< when the next idle queue is looked at
    std::string lockDir_;                ///< of named locks; empty: none
    EngineCounters counters_;
    ChangeFeed feed_;
    MonoTime feedUsed_{};               ///< when somebody last asked for changes
    const ResultAck* ending_ = nullptr; ///< the end that the session is just told of
    bool toldWritable_ = true;
    LastLines lastLines_;
    bool tellsLines_ = false;

    KeptOrders orders_;
    coro::Semaphore ordersInTheMaking_{KeptOrders::kMadeAtOnce};
    coro::Mutex waitingMutex_; ///< one walk at a time
    WaitingView waiting_;      ///< as last counted
    MonoTime waitingUntil_{};  ///< until then it is shown

    coro::Mutex bulkMutex_;            ///< one operation on many actions at a time
    std::int64_t lastOp_ = 0;          ///< number of the last one of this run
    coro::ConditionVariable roomMade_; ///< results were acknowledged

    coro::Event work_;                            ///< the pump has something to do
    coro::Event timersChanged_;                   ///< nextWake() may be earlier than before
    coro::Event queuesChanged_;                   ///< a queue may expire earlier than before
    coro::ConditionVariable idle_;                ///< notified when nothing is in flight any more
    std::vector<runners::SlotEntry> interrupted_; ///< found at the start
    std::thread thread_;
};

/// NotFound: neither the session nor the journal has it.
std::unexpected<Error> unknownAction(Lsn lsn);
/// NotFound, of a worker that is not registered.
std::unexpected<Error> unknownWorker(const std::string& ref);

/// Runs `function` on the reader thread.
template<class F>
auto EngineCore::read(F function) -> coro::Task<std::invoke_result_t<F&, store::Reader&>> {
    using R = std::invoke_result_t<F&, store::Reader&>;
    coro::OneShot<R> shot("journal read");
    const Result<void> posted =
        reader_->post([promise = shot.promise(), function = std::move(function)](store::Reader& reader) mutable {
            promise.setFrom([&] { return function(reader); });
        });
    if (!posted) co_return std::unexpected(posted.error());
    co_return co_await shot.get();
}

} // namespace yard::engine
