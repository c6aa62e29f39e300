#include "core/store/writer/replaced_rows.h"

#include <fmt/format.h>

namespace yard::store {

ReplacedRows::ReplacedRows(StatementMaker& sql, ActionRows& actions)
    : owner_(sql.owner())
    , actions_(actions) {
    successorOf_ = sql("SELECT successor FROM replaced WHERE lsn=?");
    insert_ = sql("INSERT OR REPLACE INTO replaced VALUES(?,?)");
    delete_ = sql("DELETE FROM replaced WHERE lsn BETWEEN ? AND ?");
}

/// The newest that is kept of those that replaced it one after the other; 0: none did.
int ReplacedRows::findNewest(Lsn lsn, Lsn& newest) {
    newest = Lsn{};
    for (Lsn at = lsn;;) {
        QueryScope row(successorOf_, at);
        const int rc = row.step();
        if (rc != SQLITE_ROW) return rc == SQLITE_DONE ? SQLITE_OK : rc;
        const Lsn next(row->integer(0));
        if (next <= at) return SQLITE_OK; // a successor is newer: this comes to an end
        at = next;
        if (const int found = actions_.find(at); found == SQLITE_ROW)
            newest = at;
        else if (found != SQLITE_DONE)
            return found;
    }
}

bool ReplacedRows::refuses(const Accept& accept, Applied& applied) {
    YARD_ASSERT_OWNER(owner_);
    for (const Replacement& one : accept.replaced) {
        Lsn newest;
        int rc = actions_.find(one.old);
        if (rc == SQLITE_DONE) {
            applied =
                Applied::refused(invalid("replaces", fmt::format("There is no action {} to replace, or not any "
                                                                 "more: leave it out of \"replaces\".",
                                                                 one.old.value))
                                     .error());
            return true;
        }
        if (rc == SQLITE_ROW) rc = findNewest(one.old, newest);
        if (rc == SQLITE_OK && newest.value == 0) continue;
        applied =
            rc == SQLITE_OK
                ? Applied::refused(ErrorKind::WrongState,
                                   fmt::format("Action {} was replaced by {} already: replace that one, or leave "
                                               "out \"replaces\".",
                                               one.old.value, newest.value))
                : Applied::with(rc);
        return true;
    }
    return false;
}

int ReplacedRows::insert(const Replacement& one) {
    YARD_ASSERT_OWNER(owner_);
    const int rc = insert_.run(one.old, one.successor);
    if (rc != SQLITE_OK || !one.cancels) return rc;
    return actions_.update({.lsn = one.old, .cancelRequested = true});
}

int ReplacedRows::forget(std::int64_t first, std::int64_t last) {
    YARD_ASSERT_OWNER(owner_);
    return delete_.run(first, last);
}

} // namespace yard::store
