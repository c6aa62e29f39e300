#include "core/store/writer/annotation_rows.h"

#include <fmt/format.h>
#include <utility>

namespace yard::store {

AnnotationRows::AnnotationRows(StatementMaker& sql, ActionRows& actions)
    : database_(sql.database())
    , owner_(sql.owner())
    , actions_(actions) {
    // Not of a submission whose parts are not all there.
    mark_ = sql("INSERT OR REPLACE INTO mark SELECT lsn, ?3 FROM done WHERE lsn BETWEEN ?1 AND ?2 UNION ALL "
                "SELECT lsn, ?3 FROM pending WHERE lsn BETWEEN ?1 AND ?2 AND NOT EXISTS "
                "(SELECT 1 FROM accepting WHERE pending.lsn BETWEEN accepting.first AND accepting.last)");
    unmark_ = sql("DELETE FROM mark WHERE lsn BETWEEN ? AND ?");
    findQueue_ = sql("SELECT 1 FROM queue WHERE id=?");
    addComment_ = sql("INSERT INTO comment(lsn, queue, t, who, text) VALUES(?,?,?,?,?)");
    deleteOfActions_ = sql("DELETE FROM comment WHERE lsn BETWEEN ? AND ?");
    deleteOfQueue_ = sql("DELETE FROM comment WHERE queue=?");
}

Applied AnnotationRows::apply(const MarkActions& marking) {
    YARD_ASSERT_OWNER(owner_);
    std::int64_t marked = 0;
    for (const LsnRun& run : marking.runs) {
        const bool isColour = marking.mark != Mark::None;
        const int rc = isColour ? mark_.run(run.first, run.last(), std::to_underlying(marking.mark))
                                : unmark_.run(run.first, run.last());
        if (rc != SQLITE_OK) return Applied::with(rc);
        marked += isColour ? sqlite3_changes(database_.handle()) : run.count;
    }
    Applied applied;
    applied.detailed().marked = marked;
    return applied;
}

Applied AnnotationRows::apply(const AddComment& added) {
    YARD_ASSERT_OWNER(owner_);
    const bool isOfAction = added.lsn.value > 0;
    const int rc = isOfAction ? actions_.find(added.lsn) : QueryScope(findQueue_, added.queue).step();
    if (rc == SQLITE_DONE)
        return Applied::refused(
            ErrorKind::NotFound,
            isOfAction
                ? fmt::format("There is no action {}, or not any more (it was retired): GET jobs lists those "
                              "there are.",
                              added.lsn.value)
                : fmt::format("There is no queue {}: GET queues lists those there are.", added.queue.value));
    if (rc != SQLITE_ROW) return Applied::with(rc);
    const std::optional<std::int64_t> lsn = isOfAction ? std::optional(added.lsn.value) : std::nullopt;
    const std::optional<std::int64_t> queue = isOfAction ? std::nullopt : std::optional(added.queue.value);
    const Comment& comment = added.comment;
    return Applied::with(addComment_.run(lsn, queue, comment.t, comment.by, comment.text));
}

int AnnotationRows::forget(std::int64_t first, std::int64_t last) {
    YARD_ASSERT_OWNER(owner_);
    const int rc = unmark_.run(first, last);
    return rc == SQLITE_OK ? deleteOfActions_.run(first, last) : rc;
}

int AnnotationRows::forget(QueueId queue) {
    YARD_ASSERT_OWNER(owner_);
    return deleteOfQueue_.run(queue);
}

} // namespace yard::store
