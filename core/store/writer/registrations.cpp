#include "core/store/writer/registrations.h"

#include "core/store/packing.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace yard::store {

Registrations::Registrations(StatementMaker& sql, ChunkRows& chunks, AnnotationRows& annotations, EndTally& tally)
    : database_(sql.database())
    , owner_(sql.owner())
    , chunks_(chunks)
    , annotations_(annotations)
    , tally_(tally) {
    // A change that was on its way when the queue was deleted does not bring it back.
    putQueue_ =
        sql("INSERT INTO queue(id, token, tag, state, held, config, created, failed_before, mark, deleting) "
            "VALUES(?,?,?,?,?,?,?,?,?,?) "
            "ON CONFLICT(id) DO UPDATE SET token=excluded.token, tag=excluded.tag, state=excluded.state, "
            "held=excluded.held, config=excluded.config, failed_before=excluded.failed_before, "
            "mark=excluded.mark, deleting=max(deleting, excluded.deleting)");
    deleteQueue_ = sql("DELETE FROM queue WHERE id=?");
    raiseLastQueue_ =
        sql("UPDATE meta SET value=?1 WHERE key='last_queue' AND CAST(value AS INTEGER)<CAST(?1 AS INTEGER)");
    countsOfQueue_ = sql("SELECT completed, failed, abandoned, cancelled FROM queue WHERE id=?");
    putWorker_ = sql("INSERT OR REPLACE INTO worker VALUES(?,?,?,?)");
    deleteWorker_ = sql("DELETE FROM worker WHERE id=?");
}

Applied Registrations::apply(const PutQueue& put) {
    YARD_ASSERT_OWNER(owner_);
    const QueueRow& row = put.row;
    int rc = putQueue_.run(row.id, row.token, row.tag, std::to_underlying(row.state), row.held, row.config,
                           row.created, row.failedBefore, std::to_underlying(row.mark), row.deleting);
    if (rc == SQLITE_OK) rc = raiseLastQueue_.run(std::to_string(row.id.value));
    return Applied::with(rc);
}

Applied Registrations::apply(const DropQueue& drop) {
    YARD_ASSERT_OWNER(owner_);
    {
        QueryScope counts(countsOfQueue_, drop.id);
        if (counts.step() == SQLITE_ROW)
            tally_.queueGone({counts->integer(0), counts->integer(1), counts->integer(2), counts->integer(3)});
    }
    int rc = deleteQueue_.run(drop.id);
    if (rc == SQLITE_OK && sqlite3_changes(database_.handle()) == 0)
        return Applied::refused(
            ErrorKind::NotFound,
            fmt::format("There is no queue {}: GET queues lists those there are.", drop.id.value));
    if (rc == SQLITE_OK) rc = annotations_.forget(drop.id);
    return Applied::with(rc);
}

Applied Registrations::apply(const PutWorker& put) {
    YARD_ASSERT_OWNER(owner_);
    Applied applied;
    if (chunks_.lacks(put.row.chunks, applied)) return applied;
    const std::string chunks = packHashes(put.row.chunks);
    return Applied::with(putWorker_.run(bytesOf(put.row.id), put.row.canonical, put.row.registered, Bytes{chunks}));
}

Applied Registrations::apply(const DropWorker& drop) {
    YARD_ASSERT_OWNER(owner_);
    const int rc = deleteWorker_.run(bytesOf(drop.id));
    if (rc == SQLITE_OK && sqlite3_changes(database_.handle()) == 0)
        return Applied::refused(
            ErrorKind::NotFound,
            fmt::format("There is no worker {}: GET workers lists those there are.", drop.id.hex()));
    return Applied::with(rc);
}

} // namespace yard::store
