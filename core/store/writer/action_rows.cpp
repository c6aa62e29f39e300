#include "core/store/writer/action_rows.h"

#include "core/store/schema.h"

#include <fmt/format.h>

namespace yard::store {

ActionRows::ActionRows(StatementMaker& sql)
    : database_(sql.database())
    , owner_(sql.owner()) {
    // Not of a submission whose parts are not all there.
    findPending_ = sql("SELECT 1 FROM pending WHERE lsn=?1 AND NOT EXISTS "
                       "(SELECT 1 FROM accepting WHERE ?1 BETWEEN first AND last)");
    findDone_ = sql("SELECT state, array_base FROM done WHERE lsn=?");
    update_ = sql("UPDATE pending SET flags=(flags & ~?2) | ?3, priority=coalesce(?4, priority), "
                  "queue=coalesce(?5, queue), "
                  "not_before=CASE WHEN ?6 IS NULL THEN not_before ELSE nullif(?6, 0) END WHERE lsn=?1");
    place_ = sql("UPDATE pending SET place=?2 WHERE lsn=?1");
}

int ActionRows::findPending(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    return QueryScope(findPending_, lsn).step();
}

int ActionRows::findDone(Lsn lsn, Done& done) {
    YARD_ASSERT_OWNER(owner_);
    QueryScope row(findDone_, lsn);
    const int rc = row.step();
    if (rc == SQLITE_ROW)
        done = {.state = static_cast<ActionState>(row->integer(0)), .arrayBase = row->optionalInteger(1)};
    return rc;
}

int ActionRows::find(Lsn lsn) {
    if (const int rc = findPending(lsn); rc != SQLITE_DONE) return rc;
    Done done;
    return findDone(lsn, done);
}

int ActionRows::update(const Update& update) {
    YARD_ASSERT_OWNER(owner_);
    std::int64_t clear = 0;
    std::int64_t set = 0;
    const auto flag = [&](std::optional<bool> value, std::int64_t bit) {
        if (!value) return;
        clear |= bit;
        if (*value) set |= bit;
    };
    flag(update.held, kHeld);
    flag(update.cancelRequested, kCancelRequested);
    if (update.notBefore) clear |= kBackoff;
    return update_.run(update.lsn, clear, set, update.priority, update.queue, update.notBefore);
}

Applied ActionRows::apply(const Update& change) {
    const int rc = update(change);
    if (rc != SQLITE_OK) return Applied::with(rc);
    return sqlite3_changes(database_.handle()) == 0 ? notPending(change.lsn) : Applied();
}

Applied ActionRows::apply(const PlaceActions& placed) {
    YARD_ASSERT_OWNER(owner_);
    for (const auto& [lsn, to] : placed.rows)
        if (const int rc = place_.run(lsn, toText(to)); rc != SQLITE_OK) return Applied::with(rc);
    return {};
}

Applied ActionRows::notPending(Lsn lsn) {
    return Applied::refused(
        ErrorKind::NotFound,
        fmt::format("Action {} is not pending any more: cancel it and submit another.", lsn.value));
}

} // namespace yard::store
