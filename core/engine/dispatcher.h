// Carries attempts from the session's Start to their end: fetches the spec, makes a directory where one is needed,
// hands the lease to the runner, turns the runner's updates into events of the session, collects outputs, and holds
// the record of each attempt until the journal has it.
//
//     Fetching -> [Preparing] -> Launched -> [Collecting] -> Ended -> (journal acknowledged) gone
//
// An exec in a `cwd` without inputs takes no step in brackets and touches no directory.
//
// Owner: engine thread. Lifetime: made before the runner, outlives it. Bound: the session hands out at most
// SessionOptions::maxOutstanding, and as many ended ones wait for the journal as the rings of `slots` hold.
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/engine/collector.h"
#include "core/engine/dictionary.h"
#include "core/engine/estimator.h"
#include "core/engine/helper_pool.h"
#include "core/engine/live_streams.h"
#include "core/engine/metrics.h"
#include "core/engine/sandboxing.h"
#include "core/engine/spec_cache.h"
#include "core/engine/terminal.h"
#include "core/engine/unkept_values.h"
#include "core/engine/usage_reading.h"
#include "core/engine/waiters.h"
#include "core/engine/worker_registry.h"
#include "core/locks/claims.h"
#include "core/model/result.h"
#include "core/model/settings.h"
#include "core/model/usage.h"
#include "core/runners/runner.h"
#include "core/runners/scratch.h"
#include "core/runners/warm_runner.h"
#include "core/session/session.h"
#include "core/store/chunk_store.h"
#include "core/store/journal.h"
#include "core/timeline/span.h"

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

/// Longest grace when the engine itself ends: it has ten seconds for all.
inline constexpr Duration kMaxGraceAtEnd{2'000'000};

/// What an attempt uses, as far as was looked.
struct AttemptUsage {
    MonoTime due{};      ///< when it is looked at next; max(): it is being looked at
    Duration interval{}; ///< to the look after that
    MonoTime at{};       ///< of the last look; before the first one its start
    std::int64_t cpu = 0;
    UsageSeries series;
};
/// The first process of one attempt, to look at.
struct UsageQuestion {
    runners::AttemptId id;
    Leader leader;
    std::optional<runners::Scratch> outputs; ///< whose are looked at as well
    runners::OutputLimits outputLimits;
};

/// Where requests to one worker's processes lie: a number below scratch/.
struct Mailbox {
    SlotId slot{};
    std::shared_ptr<runners::RequestDirectories> requests;
};

struct Attempt {
    enum class Phase : unsigned char { Fetching, Preparing, Launched, Collecting, Ended };

    runners::AttemptId id;
    QueueId queue;
    session::ClassId cls;
    session::LabelId label;
    Phase phase = Phase::Fetching;
    bool ahead = false;
    bool shared = false;                      ///< runs in a slot of its own, beside those of the cores
    std::int64_t memoryLimit = 0;             ///< bytes, of all its processes; 0: none
    std::int64_t memorySeen = 0;              ///< when last looked at
    bool isOverMemory = false;                ///< and was ended for that
    bool wasEnforced = false;                 ///< see session::AttemptEnd
    bool isOverOutputs = false;               ///< its outputs/ held too much while it ran: it was ended for that
    runners::OutputLimits outputLimits{0, 0}; ///< of what may be in outputs/ while it runs; 0: not looked at
    bool warm = false;                        ///< goes to a warm process, and takes no slot
    bool hurry = false;                       ///< somebody waits for the result
    bool askedBack = false;                   ///< it waits behind a long one while a slot is idle
    bool cannotHeal = false;                  ///< it could not be started, and never can be
    bool stored = false; ///< the session has finished the action (abandoned): only the process is left
    std::optional<session::StopCause> stop;
    std::optional<std::uint32_t> lane; ///< of its worker's timeline, where that is not the slot
    SpecPtr spec;
    std::vector<std::string> lacking; ///< variables whose values are not known any more
    WallScale scale;                  ///< fixed for the attempt: its times never run backwards
    SlotId slot{};
    std::optional<runners::Scratch> scratch;
    std::optional<LentRequest> request;
    std::shared_ptr<Collector> collector; ///< while it is collected
    AttemptRecord record;
    std::vector<store::SmallChunk> chunks;
    MonoTime launched{};              ///< when the runner got it
    std::optional<MonoTime> endAsked; ///< when its processes were told to end
    Duration grace{};                 ///< from then to SIGKILL
    // while it runs
    int pid = 0;
    MonoTime runningSince{};
    std::string stoppedForMemory;                            ///< the note of its end, once it was
    std::optional<std::int64_t> processorTime;               ///< when last looked at, microseconds
    std::array<std::optional<std::uint64_t>, 2> outputSizes; ///< as far as they are watched
    MonoTime progress{};                                     ///< when it last had output or processor time
    bool isSuspected = false;                                ///< its output is watched
    WallMicros hungSince = 0;
    MonoTime collected{}; ///< since when its outputs go into the content store; the epoch: they do not
    std::shared_ptr<LiveStreams> live;
    std::shared_ptr<Terminal> terminal;  ///< while the runner has it, of an action that has one
    std::unique_ptr<AttemptUsage> usage; ///< once it ran for a while

    /// Somebody has told its processes to end. What comes later is not why it ended.
    bool isBeingEnded() const { return stop || isOverMemory || isOverOutputs || !stoppedForMemory.empty(); }
};

runners::StopCause stopCauseOf(session::StopCause cause);

class Dispatcher {
public:
    struct Parts {
        coro::Loop& loop;
        session::Session& session;
        session::Outbox& outbox;
        const Dictionary& dictionary;
        const WorkerRegistry& workers;
        HelperPool& helpers;
        SpecCache& specs;
        const UnkeptValues& unkept;
        EngineCounters& counters;
        Estimator& estimator;
        const Waiters& waiters; ///< what somebody waits for hurries
        std::string dataDir;
        runners::ScratchHomePtr scratch;
        bool isDurable = false;   ///< a power cut loses nothing
        const Settings& settings; ///< in force now; changes on the engine thread
        const Sandboxing& sandboxing;
        locks::Claims& claims;                                  ///< directories in use
        std::function<void(const runners::LockBusy&)> lockBusy; ///< a start found a lock held
        std::function<void()> wake;                             ///< the session got events: take a turn
        std::function<void(timeline::Span)> tellSpan;           ///< of each attempt that ended
    };
    explicit Dispatcher(Parts parts);
    ~Dispatcher();

    /// The first `coreSlots` slots of the runner take what needs one core, one after another; the others take one
    /// attempt each, of any size.
    /// `slots`: of the runner's, for actions; those above are processes of `warm`.
    void attach(store::Store& store, store::ChunkStore& chunks, runners::Runner& runner, runners::WarmRunner& warm,
                unsigned coreSlots, unsigned slots);

    // --- what the session decided
    void begin(const std::vector<session::Start>& starts, WallScale scale);
    /// Attempts here that have a process of their own, or wait for one.
    std::size_t processes() const { return processes_; }
    void takeBack(const session::TakeBack& what);
    void stop(const session::Stop& what);
    /// The record of an attempt that ended, for the journal; its small chunks are moved out. Of one that still runs
    /// (an abandoned session) the times so far.
    /// `retried`: another one follows.
    AttemptRecord record(runners::AttemptId id, ActionState state, Reason reason, bool retried,
                         std::vector<store::SmallChunk>& chunks);
    /// The journal has the end of this attempt.
    void stored(Lsn lsn, std::uint32_t attempt);

    /// At a start: the record of an attempt that the last engine had out. It ends at once as `engine_died`.
    /// `started`: 0: not known.
    void restoreInterrupted(runners::AttemptId id, QueueId queue, session::ClassId cls, WallScale scale,
                            WallMicros started);

    // --- what comes in
    void specsArrived(std::vector<store::FetchedSpec> specs);
    void updates(std::vector<runners::Update> batch);

    /// What waits in a slot behind one that runs long, while another slot is idle, is asked back: the session hands
    /// it out anew. After each turn.
    void balance(MonoTime now);
    /// When balance() may find something that it does not find now.
    std::optional<MonoTime> nextBalance() const { return nextBalance_; }

    /// Makes the directory of a warm process and tells the warm runner how to start it.
    void prepareProcess(const runners::ProcessOrder& order);
    void discardProcess(const runners::ProcessOrder& order);
    /// Makes the directory of a request to a warm process anew, and tells the warm runner.
    void remakeScratch(runners::AttemptId id);
    /// Makes workers/<id>/ if it is not there. Its path.
    coro::Task<Result<std::string>> workerFiles(std::string workerId);

    // --- questions
    /// The attempt in flight, null when there is none.
    const Attempt* find(Lsn lsn) const;
    /// The runner is starting it now: nothing else has its slot.
    bool isStarting(const Attempt& attempt) const;
    /// Slots of the cores with something in them.
    std::ptrdiff_t busyCoreSlots() const;
    /// Starts watching the stream of a launched attempt; null when there is none of that number (0: any).
    std::shared_ptr<LiveStreams> follow(Lsn lsn, std::uint32_t attempt, unsigned stream);
    /// Its files are gone, or will be.
    void forgetWorker(const std::string& id);
    /// Somebody waits for this one's end.
    void setHurry(Lsn lsn);
    /// Notified whenever an attempt was launched, started or ended.
    coro::ConditionVariable& progress() { return progress_; }
    std::size_t inFlight() const { return attempts_.size(); }
    /// Its program has begun, as far as is known.
    bool hasBegun(runners::AttemptId id) const;
    /// Those that were handed out and have not.
    std::vector<Lsn> notBegun() const;
    /// When the first of those began to be collected that the journal does not have yet.
    std::optional<MonoTime> oldestCollection() const;
    struct Heavy {
        runners::AttemptId id;
        std::int64_t used = 0;  ///< bytes, by its process tree and sandbox
        std::int64_t asked = 0; ///< bytes; 0: it asked for none
    };
    /// Of those that run and were not told to end the one that has most memory over what it asked for. Where none
    /// has kWorthStopping more, the one that began last.
    std::optional<Heavy> furthestOver(const std::unordered_map<int, TreeReading>& trees) const;
    static constexpr std::int64_t kWorthStopping = 64 << 20;
    /// Ends it, gently; it ends as `memory_pressure` with this note.
    void stopForMemory(runners::AttemptId id, std::string note);
    /// First processes of what runs since `before` or longer.
    std::vector<Leader> runningSince(MonoTime before) const;
    /// First processes of what runs with a limit of memory and was not told to end, with what they had when they
    /// were last looked at.
    std::vector<std::pair<Leader, std::int64_t>> limited() const;
    /// What has more than it may is ended.
    void noteMemory(const std::unordered_map<int, TreeReading>& trees);
    /// Takes processor times by first process. What had none, and no output, for `limit` hangs. Returns those that
    /// began or ceased to.
    std::vector<Lsn> noteProgress(const std::unordered_map<int, std::int64_t>& times, MonoTime now, Duration limit);
    /// Nothing is said to hang any more: those that did.
    std::vector<Lsn> forgetHung();
    std::size_t hung() const;
    /// What is to be looked at now, the longest overdue first. Each is looked at after two seconds, then every
    /// five; what used no processor time ever less often, down to once a minute.
    std::vector<UsageQuestion> dueForUsage(MonoTime now, std::size_t most);
    /// The next look is at all that runs.
    void lookAtAllNext() { looksAtAll_ = true; }
    /// What was seen of them; those that are not there have ended.
    void noteUsage(const std::vector<UsageQuestion>& asked, const std::unordered_map<int, TreeReading>& trees,
                   MonoTime now);
    /// Their outputs hold more than they may.
    void endOverOutputs(const std::vector<runners::AttemptId>& ids);
    /// Those that have begun and not ended.
    std::vector<timeline::Span> openSpans() const;
    /// Of all that runs, as it was last looked at, in microseconds.
    std::int64_t processorTimeOfRunning() const;

private:
    struct Preparation;
    Attempt* get(runners::AttemptId id);
    void checkMemory(Attempt& attempt, std::int64_t bytes);
    Attempt* latest(Lsn lsn);
    void submit(std::vector<runners::Lease> leases);
    void proceed(Attempt& attempt, std::vector<runners::Lease>& leases);
    runners::Lease bareLease(const Attempt& attempt) const;
    void addUnkept(Attempt& attempt, runners::Lease& lease) const;
    bool giveTerminal(Attempt& attempt, runners::Lease& lease);
    /// All of it but where the files of the attempt's worker are.
    Preparation preparationOf(const Attempt& attempt);
    coro::Task<void> prepare(runners::AttemptId id);
    coro::Task<void> makeProcess(runners::ProcessOrder order);
    coro::Task<void> remake(runners::AttemptId id);
    bool needsDirectory(const Attempt& attempt) const;
    bool isLastTry(const Attempt& attempt) const;
    runners::Lease warmLease(const Attempt& attempt) const;
    const Mailbox& mailboxOf(const std::string& worker);
    runners::Runner& runnerOf(const Attempt& attempt) const {
        return attempt.warm ? static_cast<runners::Runner&>(*warm_) : *runner_;
    }
    void leaveSlot(const Attempt& attempt);
    Collector::Parts collectionOf(const Attempt& attempt, runners::Ended ended);
    coro::Task<void> collect(runners::AttemptId id, runners::Ended ended);
    void launch(Attempt& attempt, runners::Lease lease, std::vector<runners::Lease>& leases);
    /// The runner gave the attempt to another slot.
    void place(Attempt& attempt, SlotId slot);
    SlotId leastLoadedSlot(bool shared) const;
    bool runsLong(std::size_t slot, MonoTime now) const;
    Duration deadlineOf(const Attempt& attempt) const;
    void tellToEnd(Attempt& attempt, runners::StopCause cause, std::optional<Duration> grace = {});
    void giveUp(Attempt& attempt);
    void neverStarted(Attempt& attempt, runners::SpawnFailure failure);
    void onStarted(Attempt& attempt, const runners::Started& started);
    void onEnded(Attempt& attempt, runners::Ended ended);
    void onStreamAt(Attempt& attempt, const runners::StreamAt& at);
    void finish(Attempt& attempt);
    static void closeTerminal(Attempt& attempt);
    void count(const Attempt& attempt);
    void noteOutput(Attempt& attempt, const runners::StreamAt& at);
    bool getsOn(Attempt& attempt, std::int64_t time, MonoTime now, Duration limit);
    void forgetUncounted(Attempt& attempt);
    void erase(runners::AttemptId id);
    void discardScratch(Attempt& attempt);
    void discardDirectory(const std::string& root);

    Parts parts_;
    store::Store* store_ = nullptr;
    store::ChunkStore* chunks_ = nullptr;
    runners::Runner* runner_ = nullptr;
    runners::WarmRunner* warm_ = nullptr;
    std::unordered_map<std::string, Mailbox> mailboxes_; ///< by worker
    std::uint32_t nextMailbox_ = kFirstMailbox;          ///< no number is given twice
    std::unordered_map<runners::AttemptId, Attempt> attempts_;
    std::unordered_map<Lsn, std::uint32_t> latest_; ///< number of the newest attempt in flight
    bool looksAtAll_ = false;
    std::vector<unsigned> slotLoad_;      ///< leases out, per slot
    std::size_t processes_ = 0;           ///< sum of slotLoad_
    std::ptrdiff_t coreSlots_ = 0;        ///< of slotLoad_: the first ones
    std::vector<MonoTime> slotBusySince_; ///< when what runs there began; the epoch: not known to run
    std::optional<MonoTime> nextBalance_;
    std::set<std::string> readyWorkers_;
    coro::Mutex workerFilesMutex_; ///< one worker's files are made at a time
    coro::ConditionVariable progress_;
    OwnerCheck owner_;
};

} // namespace yard::engine
