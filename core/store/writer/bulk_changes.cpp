#include "core/store/writer/bulk_changes.h"

#include "core/base/log.h"

#include <utility>

namespace yard::store {

BulkChanges::BulkChanges(StatementMaker& sql, EndTally& tally)
    : owner_(sql.owner())
    , tally_(tally) {
    updateRun_ = sql("UPDATE pending SET flags=(flags & ~?3) | ?4, priority=coalesce(?5, priority), "
                     "queue=coalesce(?6, queue) WHERE lsn BETWEEN ?1 AND ?2");
    queuesOfRun_ = sql("SELECT lsn, queue FROM pending WHERE lsn BETWEEN ? AND ?");
    finishRun_ =
        sql("INSERT INTO done(lsn, queue, class, label, priority, state, reason, flags, attempts, retry_count, "
            "own_failures, interruptions, t_new, d_pending, d_end, array_base, array_index, name, id) "
            "SELECT lsn, queue, class, label, priority, ?3, ?4, (flags & 1) << 5, attempts, retry_count, "
            "own_failures, interruptions, t_new, d_pending, ?5 - t_new, array_base, array_index, name, id "
            "FROM pending WHERE lsn BETWEEN ?1 AND ?2");
    static_assert(kHeld << 5 == kWasHeld, "as in finishRun_");
    deleteRun_ = sql("DELETE FROM pending WHERE lsn BETWEEN ? AND ?");
    putOp_ = sql("INSERT OR REPLACE INTO op VALUES(?,?,?,?)");
    moveOp_ = sql("UPDATE op SET cursor=?2 WHERE id=?1");
    deleteOp_ = sql("DELETE FROM op WHERE id=?");
}

// --- changes

int BulkChanges::updateRun(const LsnRun& run, const BulkChange& change) {
    std::int64_t clear = 0;
    std::int64_t set = 0;
    for (const auto& [value, bit] : {std::pair{change.held, std::int64_t{kHeld}},
                                     std::pair{change.cancelRequested, std::int64_t{kCancelRequested}}}) {
        if (!value) continue;
        clear |= bit;
        if (*value) set |= bit;
    }
    return updateRun_.run(run.first, run.last(), clear, set, change.priority, change.queue);
}

Applied BulkChanges::apply(const UpdateMany& update) {
    YARD_ASSERT_OWNER(owner_);
    for (const LsnRun& run : update.runs)
        if (const int rc = updateRun(run, update.change); rc != SQLITE_OK) return Applied::with(rc);
    if (update.op == 0) return {};
    if (update.endsTheOp) return Applied::with(deleteOp_.run(update.op));
    if (update.runs.empty()) return {};
    return Applied::with(moveOp_.run(update.op, update.runs.back().last()));
}

// --- ends

int BulkChanges::finishRun(const LsnRun& run, const FinishMany& finish) {
    {
        QueryScope rows(queuesOfRun_, run.first, run.last());
        int rc = rows.step();
        for (; rc == SQLITE_ROW; rc = rows.step())
            tally_.ended(Lsn(rows->integer(0)), rows->integer(1), finish.state);
        if (rc != SQLITE_DONE) return rc;
    }
    const int rc = finishRun_.run(run.first, run.last(), std::to_underlying(finish.state),
                                  std::to_underlying(finish.reason), finish.tEnd);
    return rc == SQLITE_OK ? deleteRun_.run(run.first, run.last()) : rc;
}

Applied BulkChanges::apply(const FinishMany& finish) {
    YARD_ASSERT_OWNER(owner_);
    for (const LsnRun& run : finish.runs)
        if (const int rc = finishRun(run, finish); rc != SQLITE_OK) return Applied::with(rc);
    return {};
}

// --- operations that are not finished

Applied BulkChanges::apply(const PutOp& put) {
    YARD_ASSERT_OWNER(owner_);
    return Applied::with(putOp_.run(put.row.id, put.row.body, put.row.last, put.row.cursor));
}

Applied BulkChanges::apply(const DropOp& drop) {
    YARD_ASSERT_OWNER(owner_);
    return Applied::with(deleteOp_.run(drop.id));
}

int BulkChanges::finish(const OpRow& row) {
    YARD_ASSERT_OWNER(owner_);
    const auto op = parseBulkOp(row.body);
    if (!op) { // kept from being carried out half: nothing of the rest of it is
        logError("store", "operation {} on many actions: {}; it is dropped", row.id, op.error().message);
        return deleteOp_.run(row.id);
    }
    for (LsnRun run : op->runs) {
        if (run.last() <= row.cursor) continue;
        if (run.first <= row.cursor) run = {Lsn(row.cursor.value + 1), run.last().value - row.cursor.value};
        if (const int rc = updateRun(run, op->change); rc != SQLITE_OK) return rc;
    }
    return deleteOp_.run(row.id);
}

} // namespace yard::store
