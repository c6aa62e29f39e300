// Reading the journal: short read-only transactions on a connection that never writes and never checkpoints. A
// Reader is used by one thread at a time; ReaderThread is that thread for the http side. Each call sees every group
// that was acknowledged before it, and holds its snapshot for at most 50 ms. All readers are closed before their
// Store.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/model/filter.h"
#include "core/model/result.h"
#include "core/model/sort.h"
#include "core/store/action_use.h"
#include "core/store/bulk.h"
#include "core/store/object_reads.h"
#include "core/store/rows.h"
#include "core/store/waits.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace yard::store {

class Store;

/// What a page may be narrowed to. Absent or empty: anything.
struct PageFilter {
    std::vector<ActionState> states{}; ///< end states; ignored by pagePending
    std::optional<QueueId> queue{};
    std::string worker{}; ///< an id, a name or "exec"
    std::optional<std::string> label{};
    std::optional<Reason> reason{};
    Lsn from{};                 ///< lowest LSN, inclusive
    Lsn to{};                   ///< highest LSN, inclusive; 0: no bound
    bool heldOnly = false;      ///< pagePending
    bool backoffOnly = false;   ///< pagePending
    Filter numbers{};           ///< page: terms that state, reason, LSN, times and other numbers of a row decide
    Duration lookFor{10'000};   ///< then the page is answered as it is
    bool wantsMachines = false; ///< countKinds: told apart by machine, too, which costs another look at each
};
enum class PageOrder : unsigned char { NewestFirst, OldestFirst };

/// A page may be short, even empty, and still have a cursor: go on from there.
struct Page {
    std::vector<ActionResult> rows; ///< without `attempts`
    Lsn cursor;                     ///< last LSN looked at, to pass on; 0: that was all
};

/// What a finished action is sorted by.
struct SortKey {
    static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
    std::int64_t key; ///< sortNumber(); of named fields the number of the class or the label; kUnknown
    Lsn lsn;
};
struct SortKeys {
    std::vector<SortKey> keys; ///< by LSN
    Lsn cursor;                ///< last LSN looked at, to pass on; 0: that was all
};
struct PartialPage {
    std::vector<ActionResult> rows; ///< without `attempts`
    std::size_t looked = 0;         ///< of the LSNs asked for
};

/// What lists of counts tell finished actions apart by. Numbers are those of the journal.
struct EndedKind {
    ActionState state = ActionState::Completed;
    Reason reason = Reason::None;
    QueueId queue;
    ClassNumber classNumber = 0;
    LabelNumber label = 0;
    bool wasStarted = false; ///< a runner had it: it was on a machine
    std::string
        machine{}; ///< with PageFilter::wantsMachines: the last one, where that was another one than the engine's
    friend bool operator==(const EndedKind&, const EndedKind&) = default;
};
struct KindCount {
    EndedKind kind;
    std::int64_t count = 0;
};
/// Kinds in one answer of Reader::countKinds(): so many are added up in well under a millisecond.
inline constexpr std::size_t kMaxKinds = 4'096;

class Reader {
public:
    /// A read-only connection to the store's journal. `store` outlives it.
    static Result<std::unique_ptr<Reader>> open(Store& store);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// All that is known, with the last 1,000 attempts. A pending action has state Pending, whatever the session
    /// does with it. Nothing: unknown or retired.
    Result<std::optional<ActionResult>> get(Lsn lsn);
    /// Finished actions by LSN. Stops after `lookFor` with what it has. `limit` 1..1000; `cursor` 0 begins.
    Result<Page> page(const PageFilter& filter, PageOrder order, int limit, Lsn cursor);
    /// How many finished actions match, from the cursor on. Stops after `lookFor` with what it has.
    struct Counted {
        std::int64_t count = 0;
        Lsn cursor;                     ///< counted up to here; 0: that was all
        std::vector<KindCount> kinds{}; ///< countKinds(): the sum of their counts is `count`
    };
    Result<Counted> count(const PageFilter& filter, Lsn cursor);
    /// The same, kind by kind. Stops at kMaxKinds, too.
    Result<Counted> countKinds(const PageFilter& filter, Lsn cursor);
    /// Pending ones, likewise.
    Result<Page> pagePending(const PageFilter& filter, PageOrder order, int limit, Lsn cursor);
    /// The keys of all finished actions that match, in the order of their LSNs, from behind `cursor` on. Stops
    /// after `lookFor` or 65,536 of them. `now`: for what a filter compares with it.
    Result<SortKeys> sortKeys(const PageFilter& filter, SortField field, Lsn cursor, WallMicros now);
    /// These actions as in a page, whichever state they have; those that are unknown are left out. Stops after
    /// `lookFor`, but not before the first.
    Result<PartialPage> rows(std::span<const Lsn> lsns, Duration lookFor);
    /// Shows each action that may have used something, in the order of their LSNs, from behind `cursor` on: those
    /// that ended and those that are to run again. Each is seen once, whatever happens to it between two calls.
    /// Stops after `lookFor`. The last LSN looked at, to pass on; 0: that was all.
    Result<Lsn> uses(const UseQuestion& question, Lsn cursor, const std::function<void(const ActionUse&)>& show);
    /// The finished actions that are kept.
    struct Kept {
        std::int64_t count = 0;
        WallMicros oldest = 0; ///< the end of the one with the lowest LSN; 0: there is none
    };
    Result<Kept> kept();
    /// The last finished, the latest end first; at most 1000. Those retired since are left out.
    Result<std::vector<ActionResult>> history(int limit, std::optional<QueueId> queue = {});
    /// The action as posted; nothing when unknown or no longer kept. `arrayIndex` is set for an element of an
    /// array.
    struct SpecText {
        std::string text;
        std::optional<std::int64_t> arrayIndex;
    };
    Result<std::optional<SpecText>> specText(Lsn lsn);
    /// The actions that were submitted to wait for one of [first, last] and are known yet. AtLimit when they are
    /// in more than `most` places.
    Result<LsnSet> dependents(Lsn first, Lsn last, int most);
    /// How many elements the arrays have that begin with these; 0: there is none.
    Result<std::vector<std::int64_t>> arraySizes(std::span<const Lsn> bases);
    /// The array or list of each of these, in the same order; of what is of none an empty one.
    Result<std::vector<FoldRow>> folds(std::span<const Lsn> lsns);
    /// Arrays and lists that begin behind `behind`, the lowest first. Stops after kMostFoldRuns or `lookFor`.
    struct FoldRuns {
        std::vector<LsnRun> runs;
        Lsn cursor; ///< the last one's first LSN, to pass on; 0: that was all
    };
    static constexpr std::size_t kMostFoldRuns = 65'536;
    Result<FoldRuns> foldRuns(Lsn behind, Duration lookFor);
    /// Those of [first, last] behind `behind` that ended otherwise than completed, at most kMostOtherwise. Stops
    /// after `lookFor` with what it has.
    struct Otherwise {
        std::vector<std::pair<Lsn, ActionState>> ends;
        Lsn cursor; ///< looked at up to here; 0: that was all
    };
    Result<Otherwise> endedOtherwise(Lsn first, Lsn last, Lsn behind, Duration lookFor);
    /// Of the pending actions behind `behind` those whose command (ActionResult::command) is `wanted`. Stops after
    /// `lookFor` with what it has.
    struct Named {
        LsnSet lsns;
        Lsn cursor; ///< looked at up to here; 0: that was all
    };
    Result<Named> pendingNamed(const std::function<bool(std::string_view)>& wanted, Lsn behind, Duration lookFor);
    /// The commands of these; empty where there is none. May stop after `lookFor`: then there are fewer.
    Result<std::vector<std::string>> commands(std::span<const Lsn> lsns, Duration lookFor);
    /// The indices of these in their arrays; absent of what is no element, or not known. As commands().
    Result<std::vector<std::optional<std::int64_t>>> indices(std::span<const Lsn> lsns, Duration lookFor);
    /// Of those that were submitted to wait for `parent` the first ones that are pending, arrays with one that is,
    /// in `most` places.
    Result<LsnSet> pendingDependents(Lsn parent, int most);
    /// Of those that were posted to wait for `parent` the next `most` behind `behind` that failed without having
    /// run (dependency_failed) and were not replaced, lowest first.
    Result<std::vector<FailedDependent>> failedDependents(Lsn parent, Lsn behind, int most);
    /// What is known of these: of each run of LSNs by its first row that is. In the same order.
    Result<std::vector<WaitUnit>> waitUnits(std::span<const LsnRun> runs);
    /// What these wait for. Stops after `lookFor`, but not within one of them, nor before the first.
    Result<ParentEdges> waitParents(std::span<const LsnRun> children, Duration lookFor);
    /// What waits for these or for elements of them, from behind `from` on. Stops after `most` or `lookFor`.
    Result<ChildEdges> waitChildren(std::span<const LsnRun> parents, WaitPlace from, int most, Duration lookFor);
    /// What waits in this queue, or for something of it, below this LSN, the newest first. 0 begins.
    Result<WaitsOfQueue> waitsOfQueue(QueueId queue, Lsn below, Duration lookFor);
    /// May stop after `lookFor`: then there are fewer.
    Result<std::vector<WaitName>> waitNames(std::span<const Lsn> lsns, Duration lookFor);
    /// What a submission with this idempotency key was answered, however long ago; nothing when it is not known.
    struct KeptAnswer {
        Hash256 body;
        std::string answer;
        WallMicros t = 0;
    };
    Result<std::optional<KeptAnswer>> keptAnswer(const std::string& key);
    /// Nothing: there is none of this number. With the counts of its children and its parent.
    Result<std::optional<ObjectWithRelatives>> object(std::int64_t id);
    /// By number. Looks at each row where nothing but fields is asked for, until the snapshot's time is over.
    Result<ObjectPage> objects(const ObjectQuestion& question);
    /// The moves that are kept of one, the oldest first.
    Result<std::vector<ObjectMoveRow>> objectHistory(std::int64_t id);
    /// Of objects of a type that have each of these statuses now, the newest: how long they stayed where they were before.
    Result<std::vector<StatusStay>> objectStays(std::int64_t type, const std::vector<std::string>& statuses);
    /// As object(), of those that are there; ends once their fields have more bytes than that.
    Result<std::vector<ObjectWithRelatives>> objectsOf(const std::vector<std::int64_t>& ids, std::size_t mostBytes);
    /// A small chunk's bytes, not verified.
    Result<std::optional<std::string>> blob(const Hash256& hash);
    Result<bool> hasBlob(const Hash256& hash);
    /// In the order of their registration.
    Result<std::vector<WorkerRow>> workers();
    /// Final states of these LSNs; Pending when not finished; New when unknown. Same order.
    Result<std::vector<ActionState>> states(const std::vector<Lsn>& lsns);

private:
    struct Impl;
    explicit Reader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A thread with a Reader. Jobs run one after another and hand their answer to whomever they capture.
class ReaderThread {
public:
    using Job = std::move_only_function<void(Reader&)>;
    /// More than the server has connections: ten thousand who wait for one action ask at once when it ends.
    static constexpr std::size_t kMaxJobs = 16'384;

    static Result<std::unique_ptr<ReaderThread>> start(Store& store);
    /// Runs what is queued, then joins.
    ~ReaderThread();
    ReaderThread(const ReaderThread&) = delete;
    ReaderThread& operator=(const ReaderThread&) = delete;
    /// Thread-safe, does not block. Busy with kMaxJobs waiting; the job is then destroyed unrun.
    Result<void> post(Job job);

private:
    struct Impl;
    explicit ReaderThread(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::store
