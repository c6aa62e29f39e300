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
#include "core/engine/state/options.h"
#include "core/engine/state/views.h"
#include "core/host/machine.h"
#include "core/model/action_spec.h"
#include "core/model/annotation.h"
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

namespace yard::history {
struct StatsQuery;
struct StatsView;
} // namespace yard::history

namespace yard::engine {

struct WatchRequest;
struct WatchedChanges;
struct MetricsView;
struct TimelineQuery;
struct TimelineView;
struct AccountingQuery;
struct AccountingView;
struct FailureQuery;
struct FailureGroups;
struct FailureDetail;
struct GraphQuery;
struct GraphView;

class Kernel;

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
    /// Of these, how many have not ended and have a terminal, or will.
    coro::Task<std::int64_t> withTerminal(std::vector<Lsn> lsns);
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
    /// Those of a page that a filter means to run again.
    coro::Task<RetryChoice> meantToRetry(std::vector<ActionResult> page);
    coro::Task<Result<void>> retire(Lsn lsn);

    // --- marks and comments, in every state
    /// Those of them that are there; Mark::None takes it away. At most 5,000 LSNs, each once. AtLimit.
    coro::Task<Result<MarkAnswer>> mark(std::vector<Lsn> lsns, Mark mark);
    coro::Task<Result<QueueView>> markQueue(QueueRef ref, Mark mark);
    /// As it was written: now, and by the engine's user where nobody is named. Invalid ("text", "by"), NotFound,
    /// AtLimit.
    coro::Task<Result<Comment>> comment(Lsn lsn, Comment comment);
    coro::Task<Result<Comment>> commentQueue(QueueRef ref, Comment comment);
    /// The oldest first. NotFound.
    coro::Task<Result<std::vector<Comment>>> comments(Lsn lsn);
    coro::Task<Result<std::vector<Comment>>> queueComments(QueueRef ref);

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
    /// The same by state, queue and so on; see FacetQuery. Looks for a quarter of a second at most, one after another.
    coro::Task<Result<FacetCounts>> facets(FacetQuery query);
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
    coro::Task<WatchedChanges> collect(std::vector<WatchRequest> requests);
    /// The newest revision, once it is above `seen` or after 25 s. Returns at once when the engine closes.
    coro::Task<std::uint64_t> awaitChange(std::uint64_t seen);
    /// Locks that somebody on this machine holds, and those that something here waits for.
    coro::Task<std::vector<LockView>> locks();
    coro::Task<MetricsView> metrics();
    /// How machine and engine did (stats_history.h).
    coro::Task<history::StatsView> stats(history::StatsQuery query);
    /// What ran when in which slot (timeline_keeper.h).
    coro::Task<TimelineView> timelines(TimelineQuery query);
    /// What work used (accounting.h). Reads what the journal keeps: a second for a million actions. Busy, Io.
    coro::Task<Result<AccountingView>> accounting(AccountingQuery query);
    /// Failures by likeness (failures.h). Busy, Io.
    coro::Task<Result<FailureGroups>> failures(FailureQuery query);
    /// One group of them with its counts. NotFound, too.
    coro::Task<Result<FailureDetail>> failuresAlike(FailureQuery query, std::string group);
    /// From now on until then; a time that is over ends it (failure_mutes.h). AtLimit, Journal.
    coro::Task<Result<void>> muteFailures(std::string group, WallMicros until);

    /// Who waits for whom (graph_view.h). Takes some seconds at most. NotFound: the action, the queue; Busy.
    coro::Task<Result<GraphView>> graph(GraphQuery query);

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
    explicit Engine(std::unique_ptr<Kernel> core);
    std::unique_ptr<Kernel> core_;
};

} // namespace yard::engine
