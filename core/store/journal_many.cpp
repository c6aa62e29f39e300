// Many rows of the journal with few statements: a statement for each row costs three times as much.
#include "core/store/journal_writer.h"

#include "core/base/log.h"

namespace yard::store {

using Applied = JournalWriter::Applied;

int JournalWriter::updateRun(const LsnRun& run, const BulkChange& change) {
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

Applied JournalWriter::on(const UpdateMany& update) {
    for (const LsnRun& run : update.runs)
        if (const int rc = updateRun(run, update.change); rc != SQLITE_OK) return {rc, nullptr};
    if (update.op == 0) return {};
    if (update.endsTheOp) return {deleteOp_.run(update.op), nullptr};
    if (update.runs.empty()) return {};
    return {moveOp_.run(update.op, update.runs.back().last()), nullptr};
}

Applied JournalWriter::on(const FinishMany& finish) {
    for (const LsnRun& run : finish.runs) {
        {
            Selecting rows(queuesOfRun_, run.first, run.last());
            int rc = rows.step();
            for (; rc == SQLITE_ROW; rc = rows.step()) {
                group_.finished.push_back(Lsn(rows->integer(0)));
                count(rows->integer(1), finish.state, 1);
            }
            if (rc != SQLITE_DONE) return {rc, nullptr};
        }
        int rc = finishRun_.run(run.first, run.last(), std::to_underlying(finish.state),
                                std::to_underlying(finish.reason), finish.tEnd);
        if (rc == SQLITE_OK) rc = deleteRun_.run(run.first, run.last());
        if (rc != SQLITE_OK) return {rc, nullptr};
    }
    return {};
}

int JournalWriter::removeRows(const LsnRun& rows) {
    int rc = undoPending_.run(rows.first, rows.last());
    if (rc == SQLITE_OK) rc = forgetSubmitted(rows.first.value, rows.last().value);
    if (rc == SQLITE_OK) rc = undoArray_.run(rows.first, rows.last());
    return rc;
}

Applied JournalWriter::on(const UndoAccept& undo) {
    int rc = removeRows(undo.rows);
    if (rc == SQLITE_OK && undo.ends) rc = endAccepting_.run(undo.whole);
    return {rc, nullptr};
}

Result<int> JournalWriter::undoUnfinished() {
    std::vector<LsnRun> wholes;
    int rc = SQLITE_OK;
    {
        Selecting rows(accepting_);
        for (rc = rows.step(); rc == SQLITE_ROW; rc = rows.step())
            wholes.push_back({Lsn(rows->integer(0)), rows->integer(1) - rows->integer(0) + 1});
    }
    if (rc == SQLITE_DONE) rc = wholes.empty() ? SQLITE_OK : begin();
    for (const LsnRun& whole : wholes) {
        if (rc == SQLITE_OK) rc = removeRows(whole);
        if (rc == SQLITE_OK) rc = endAccepting_.run(whole.first);
    }
    if (rc == SQLITE_OK && !wholes.empty()) rc = commit();
    if (rc == SQLITE_OK) return static_cast<int>(wholes.size());
    Error error = journalError(rc, sqlite3_errmsg(database_.handle()));
    rollback();
    return std::unexpected(std::move(error));
}

Result<int> JournalWriter::finishOps(const std::vector<OpRow>& ops) {
    if (ops.empty()) return 0;
    const auto failed = [this](int rc) -> std::unexpected<Error> {
        Error error = journalError(rc, sqlite3_errmsg(database_.handle()));
        rollback();
        return std::unexpected(std::move(error));
    };
    if (const int rc = begin(); rc != SQLITE_OK) return failed(rc);
    for (const OpRow& row : ops) {
        const auto op = parseBulkOp(row.body);
        if (!op) { // kept from being carried out half: nothing of the rest of it is
            logError("store", "operation {} on many actions: {}; it is dropped", row.id, op.error().message);
        } else {
            for (LsnRun run : op->runs) {
                if (run.last() <= row.cursor) continue;
                if (run.first <= row.cursor) run = {Lsn(row.cursor.value + 1), run.last().value - row.cursor.value};
                if (const int rc = updateRun(run, op->change); rc != SQLITE_OK) return failed(rc);
            }
        }
        if (const int rc = deleteOp_.run(row.id); rc != SQLITE_OK) return failed(rc);
    }
    if (const int rc = commit(); rc != SQLITE_OK) return failed(rc);
    return static_cast<int>(ops.size());
}

} // namespace yard::store
