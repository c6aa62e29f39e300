// Private to core/store: the inside of Reader. One thread at a time.
#pragma once

#include "core/base/clock.h"
#include "core/store/bulk.h"
#include "core/store/chunk_files.h"
#include "core/store/database.h"
#include "core/store/reader.h"

#include <atomic>
#include <span>
#include <unordered_map>
#include <vector>

namespace yard::store {

struct Reader::Impl {
    Impl(ChunkFiles& chunkFiles, std::atomic<int>& count)
        : files(chunkFiles)
        , readers(count) {
        ++readers;
    }
    ~Impl();
    struct Prepared {
        Statement* statement;
        const char* sql;
    };
    Result<void> prepare();
    Result<void> prepareRows();
    Result<void> prepareRest();
    Result<void> prepareWaits();
    Result<void> prepareFoldsAndUses();
    Result<void> prepareAll(std::span<const Prepared> all);

    /// A read transaction that ends by itself: at the end of the scope, or after 50 ms with SQLITE_INTERRUPT.
    class Snapshot {
    public:
        explicit Snapshot(Impl& reader);
        ~Snapshot();
        Snapshot(const Snapshot&) = delete;
        Snapshot& operator=(const Snapshot&) = delete;

    private:
        Impl& reader_;
    };

    /// Rows of submissions whose parts are not all there are nobody's: asked at the beginning of a snapshot, by
    /// those who look at pending rows.
    int findHidden();
    bool isHidden(std::int64_t lsn) const {
        for (const LsnRun& run : hiddenRuns)
            if (lsn >= run.first.value && lsn <= run.last().value) return true;
        return false;
    }

    /// What a filter's words mean in numbers. `impossible`: no row can match.
    struct Wanted {
        bool impossible = false;
        std::optional<std::vector<ClassNumber>> classes; ///< sorted
        std::optional<LabelNumber> label;
        std::uint32_t states = ~0u; ///< a bit each
    };
    Result<Wanted> understand(const PageFilter& filter);
    static bool matches(const PageFilter& filter, const Wanted& wanted, std::int64_t queue,
                        std::int64_t classNumber, std::int64_t label);

    /// Row of kDoneColumns / kPendingColumns as a result, names and last attempt not yet filled in.
    static ActionResult doneRow(const Statement& row);
    static ActionResult pendingRow(const Statement& row);
    /// Fills in worker, function, label from the dictionary.
    int complete(ActionResult& result, ClassNumber classNumber, LabelNumber label);
    /// Adds what only the attempt's own row knows to the outcome of a finished action.
    int addLastAttempt(ActionResult& result, std::int64_t attempts);
    /// The machine of the last of so many attempts.
    int addMachine(EndedKind& kind, Lsn lsn, std::int64_t attempts);
    /// The result of a done row, whole. SQLITE_ROW: found.
    int finished(Lsn lsn, std::optional<ActionResult>& result);
    /// The same of a pending row.
    int stillPending(Lsn lsn, std::optional<ActionResult>& result);
    /// Which object it belongs to. SQLite's code.
    int addObject(ActionResult& result);
    int addAttempts(ActionResult& result, std::int64_t attempts, bool endedByAttempt);

    Result<std::optional<std::string>> blob(const Hash256& hash, bool& packIsGone);

    /// Those of one object, when they are asked for first: most journals have none.
    Result<void> prepareObject();

    Result<Page> scan(const PageFilter& filter, const Wanted& wanted, PageOrder order, int limit, Lsn cursor);
    /// One run of the index per (state, queue, reason) there is; nothing when those are too many.
    struct Run {
        std::int64_t state, queue, reason;
    };
    Result<std::optional<std::vector<Run>>> runs(const PageFilter& filter, const Wanted& wanted);
    int stepRun(std::int64_t state, std::int64_t& queue, std::int64_t& reason, bool sameQueue);
    Result<Page> merge(const std::vector<Run>& runs, const PageFilter& filter, const Wanted& wanted,
                       PageOrder order, int limit, Lsn cursor);
    /// The statement that brings LSN, class and what a field is compared by of the finished ones wanted.
    Result<Statement> keysOf(SortField field);
    /// Those attempts of an action that have rows of their own and ran, up to number `last`.
    int addUses(ActionUse& use, std::int64_t last);
    std::unexpected<Error> failed(int rc, std::string_view doing) const;

    ChunkFiles& files;
    std::atomic<int>& readers;
    Database database;
    MonoTime deadline;
    Statement begin, end;
    Statement done, doneDown, doneUp, doneBelow, doneAbove;
    Statement pending, pendingDown, pendingUp, pendingBelow, pendingAbove;
    Statement nextReason, nextQueue, runDown, runUp;
    Statement attempt, attempts, objectOf, className, labelText, classesOf, labelOf;
    Statement countDone, countAll, kindsDone, machineOf;
    Statement useRows, useAbove, useAttempts, oldestDone;
    Statement pendingNames, nameOf, arraySize, ends, pendingDependents;
    Statement waitUnit, waitParents, waitOns, waitChildren, waitsBelow, waitName;
    Statement foldUpTo, foldsBehind;
    Statement object, objectChildren, objectActions; ///< see prepareObject()
    Statement recent, spec, findBlob, idem, hidden, dependents, failedDependents;
    std::vector<LsnRun> hiddenRuns;
};

} // namespace yard::store
