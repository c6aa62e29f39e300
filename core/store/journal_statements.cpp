// The SQL of the journal's writer, in one place.
#include "core/store/journal_writer.h"
#include "core/store/packing.h"

namespace yard::store {
namespace {

/// Prepares one after another; keeps the first error.
struct Preparing {
    Database& database;
    Result<void> result{};
    Statement operator()(std::string_view sql) {
        if (!result) return {};
        auto statement = database.prepare(sql);
        if (statement) return std::move(*statement);
        result = std::unexpected(std::move(statement.error()));
        return {};
    }
};

} // namespace

Result<void> JournalWriter::prepareRows() {
    Preparing sql{database_};
    begin_ = sql("BEGIN IMMEDIATE");
    commit_ = sql("COMMIT");
    rollback_ = sql("ROLLBACK");
    savepoint_ = sql("SAVEPOINT one");
    release_ = sql("RELEASE one");
    rollbackTo_ = sql("ROLLBACK TO one");

    insertPending_ = sql("INSERT INTO pending VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    selectPending_ =
        sql("SELECT queue, class, label, priority, flags, t_new, d_pending, array_base, array_index, attempts, "
            "retry_count, own_failures, interruptions, name, id FROM pending WHERE lsn=?");
    deletePending_ = sql("DELETE FROM pending WHERE lsn=?");
    // Not of a submission whose parts are not all there.
    pendingExists_ = sql("SELECT 1 FROM pending WHERE lsn=?1 AND NOT EXISTS "
                         "(SELECT 1 FROM accepting WHERE ?1 BETWEEN first AND last)");
    updatePending_ = sql("UPDATE pending SET flags=(flags & ~?2) | ?3, priority=coalesce(?4, priority), "
                         "queue=coalesce(?5, queue), "
                         "not_before=CASE WHEN ?6 IS NULL THEN not_before ELSE nullif(?6, 0) END WHERE lsn=?1");
    retryPending_ =
        sql("UPDATE pending SET flags=?, d_pending=?, not_before=?, attempts=?, retry_count=?, own_failures=?, "
            "interruptions=? WHERE lsn=?");

    insertDone_ = sql("INSERT INTO done VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    doneState_ = sql("SELECT state, array_base FROM done WHERE lsn=?");
    selectDone_ =
        sql("SELECT queue, class, label, priority, state, attempts, retry_count, own_failures, interruptions, "
            "t_new, array_base, array_index FROM done WHERE lsn=?");
    deleteDone_ = sql("DELETE FROM done WHERE lsn=?");
    reopenRow_ = sql(
        "INSERT INTO pending SELECT lsn, queue, class, label, priority, 0, t_new, ?2 - t_new, NULL, array_base, "
        "array_index, attempts, retry_count + 1, coalesce(?3, own_failures), coalesce(?4, interruptions), "
        "?5, name, id FROM done WHERE lsn=?1");
    attemptFromDone_ =
        sql("INSERT OR IGNORE INTO attempt SELECT lsn << 16 | min(attempts, 65535), state, reason, exit_code, "
            "signal, cpu_us, max_rss, flags & 15, t_new + d_submitting, t_new + d_running, "
            "t_new + d_exited, t_new + d_end, NULL, NULL, NULL, NULL, NULL, note, NULL "
            "FROM done WHERE lsn=? AND flags & 16");
    static_assert(kAttemptBits == 16 && kByAttempt == 16, "as in attemptFromDone_");

    putAttempt_ = sql("INSERT OR REPLACE INTO attempt VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    deleteAttempts_ = sql("DELETE FROM attempt WHERE id BETWEEN ? AND ?");
    insertSpec_ = sql("INSERT INTO spec VALUES(?,?,?)");
    insertDependent_ = sql("INSERT INTO dependent VALUES(?,?,?,?) ON CONFLICT(parent, lsn) DO UPDATE SET "
                           "span=max(span, excluded.span)");
    deleteDependents_ = sql("DELETE FROM dependent WHERE lsn BETWEEN ? AND ?");
    deleteSpec_ = sql("DELETE FROM spec WHERE lsn=?");
    specExists_ = sql("SELECT 1 FROM spec WHERE lsn=?");
    insertArray_ = sql("INSERT INTO array VALUES(?1,?2,?2)");
    releaseArray_ = sql("UPDATE array SET live=live-1 WHERE base=?");
    arrayLive_ = sql("SELECT live FROM array WHERE base=?");
    deleteArray_ = sql("DELETE FROM array WHERE base=?");
    return sql.result;
}

Result<void> JournalWriter::prepareMany() {
    Preparing sql{database_};
    insertRun_ =
        sql("INSERT INTO pending WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1<?2) "
            "SELECT ?1+i, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?17, ?11+i, ?12, ?13, ?14, ?15, ?16, ?18, ?19 FROM n");
    beginAccepting_ = sql("INSERT INTO accepting VALUES(?,?)");
    endAccepting_ = sql("DELETE FROM accepting WHERE first=?");
    accepting_ = sql("SELECT first, last FROM accepting");
    undoPending_ = sql("DELETE FROM pending WHERE lsn BETWEEN ? AND ?");
    undoArray_ = sql("DELETE FROM array WHERE base BETWEEN ? AND ?");
    updateRun_ = sql("UPDATE pending SET flags=(flags & ~?3) | ?4, priority=coalesce(?5, priority), "
                     "queue=coalesce(?6, queue) WHERE lsn BETWEEN ?1 AND ?2");
    queuesOfRun_ = sql("SELECT lsn, queue FROM pending WHERE lsn BETWEEN ? AND ?");
    finishRun_ = sql(
        "INSERT INTO done SELECT lsn, queue, class, label, priority, ?3, ?4, NULL, NULL, NULL, NULL, 0, attempts, "
        "retry_count, own_failures, interruptions, t_new, d_pending, NULL, NULL, NULL, ?5 - t_new, array_base, "
        "array_index, NULL, name, id FROM pending WHERE lsn BETWEEN ?1 AND ?2");
    deleteRun_ = sql("DELETE FROM pending WHERE lsn BETWEEN ? AND ?");
    moveOp_ = sql("UPDATE op SET cursor=?2 WHERE id=?1");
    return sql.result;
}

Result<void> JournalWriter::prepareRest() {
    Preparing sql{database_};
    findChunk_ = sql("SELECT hash, size, bytes, pack, at FROM blob WHERE key=?");
    insertBlob_ = sql("INSERT INTO blob(key, hash, size, bytes, pack, at) VALUES(?,?,?,?,?,?)");
    deleteBlob_ = sql("DELETE FROM blob WHERE key=? AND hash=?");
    insertPack_ = sql("INSERT INTO pack VALUES(?,?)");
    lastPack_ = sql("SELECT coalesce(max(id), 0) FROM pack");

    countFinished_ = sql("UPDATE meta SET value=CAST(CAST(value AS INTEGER)+? AS TEXT) WHERE key='finished'");

    insertLabel_ = sql("INSERT OR IGNORE INTO dict_label VALUES(?,?)");
    insertClass_ = sql("INSERT OR IGNORE INTO dict_class VALUES(?,?,?,?,?)");
    findIdem_ = sql("SELECT id, body, answer, t FROM idem WHERE key=?");
    insertIdem_ = sql("INSERT INTO idem(key, body, answer, t) VALUES(?,?,?,?)");
    deleteIdem_ = sql("DELETE FROM idem WHERE id=?");
    pruneIdem_ = sql("DELETE FROM idem WHERE id IN (SELECT id FROM idem ORDER BY id LIMIT 1000) AND "
                     "(t<?1 OR id<=(SELECT max(id) FROM idem)-?2)");

    putQueue_ = sql("INSERT INTO queue(id, token, tag, state, held, config, created, failed_before) "
                    "VALUES(?,?,?,?,?,?,?,?) "
                    "ON CONFLICT(id) DO UPDATE SET token=excluded.token, tag=excluded.tag, state=excluded.state, "
                    "held=excluded.held, config=excluded.config, failed_before=excluded.failed_before");
    deleteQueue_ = sql("DELETE FROM queue WHERE id=?");
    raiseLastQueue_ =
        sql("UPDATE meta SET value=?1 WHERE key='last_queue' AND CAST(value AS INTEGER)<CAST(?1 AS INTEGER)");
    countQueue_ = sql("UPDATE queue SET completed=completed+?, failed=failed+?, abandoned=abandoned+?, "
                      "cancelled=cancelled+? WHERE id=?");
    putWorker_ = sql("INSERT OR REPLACE INTO worker VALUES(?,?,?,?)");
    deleteWorker_ = sql("DELETE FROM worker WHERE id=?");
    putOp_ = sql("INSERT OR REPLACE INTO op VALUES(?,?,?,?)");
    deleteOp_ = sql("DELETE FROM op WHERE id=?");
    putMeta_ = sql("INSERT OR REPLACE INTO meta VALUES(?,?)");
    getMeta_ = sql("SELECT value FROM meta WHERE key=?");
    putRecent_ = sql("INSERT OR REPLACE INTO recent VALUES(?,?,?)");
    return sql.result;
}

Result<void> JournalWriter::prepareSweep() {
    Preparing sql{database_};
    scanDone_ =
        sql("SELECT lsn, array_base, t_new + coalesce(d_end, 0) FROM done WHERE lsn>=? ORDER BY lsn LIMIT ?");
    deleteDoneRun_ = sql("DELETE FROM done WHERE lsn BETWEEN ? AND ?");
    deleteSpecRun_ = sql("DELETE FROM spec WHERE lsn BETWEEN ? AND ?");
    releaseArrayBy_ = sql("UPDATE array SET live=live-?2 WHERE base=?1");
    blobSize_ = sql("SELECT hash, size, id FROM blob WHERE key=?");
    packedBlobs_ = sql("SELECT id, at, size FROM blob WHERE pack=? ORDER BY at");
    movePacked_ = sql("UPDATE blob SET pack=?2, at=?3 WHERE id=?1");
    packSize_ = sql("SELECT size FROM pack WHERE id=?");
    deletePack_ = sql("DELETE FROM pack WHERE id=?");
    freePages_ = sql("PRAGMA freelist_count");
    allPages_ = sql("PRAGMA page_count");
    return sql.result;
}

Result<void> JournalWriter::loadRecent() {
    auto rows = database_.prepare("SELECT seq, lsns FROM recent ORDER BY seq");
    if (!rows) return std::unexpected(std::move(rows.error()));
    int rc = rows->step();
    for (; rc == SQLITE_ROW; rc = rows->step()) {
        const auto row = static_cast<std::uint64_t>(rows->integer(0));
        const auto lsns = unpackLsns(rows->text(1));
        if (lsns.size() > kRecentPerRow) continue;
        for (std::size_t i = 0; i < lsns.size(); ++i) recent_[(row * kRecentPerRow + i) % recent_.size()] = lsns[i];
        recentCount_ = row * kRecentPerRow + lsns.size();
    }
    if (rc != SQLITE_DONE) return std::unexpected(database_.error(ErrorKind::Io, "reading what finished last"));
    return {};
}

} // namespace yard::store
