#include "core/store/writer/spec_rows.h"

#include "core/store/packing.h"
#include "core/store/writer/column_values.h"

#include <algorithm>

namespace yard::store {

SpecRows::SpecRows(StatementMaker& sql)
    : owner_(sql.owner()) {
    insert_ = sql("INSERT INTO spec VALUES(?,?,?)");
    find_ = sql("SELECT 1 FROM spec WHERE lsn=?");
    delete_ = sql("DELETE FROM spec WHERE lsn=?");
    deleteRun_ = sql("DELETE FROM spec WHERE lsn BETWEEN ? AND ?");
    insertArray_ = sql("INSERT INTO array VALUES(?1,?2,?2)");
    releaseArray_ = sql("UPDATE array SET live=live-?2 WHERE base=?1");
    live_ = sql("SELECT live FROM array WHERE base=?");
    deleteArray_ = sql("DELETE FROM array WHERE base=?");
    deleteArrays_ = sql("DELETE FROM array WHERE base BETWEEN ? AND ?");
    insertDependent_ = sql("INSERT INTO dependent VALUES(?,?,?,?) ON CONFLICT(parent, lsn) DO UPDATE SET "
                           "span=max(span, excluded.span)");
    deleteDependents_ = sql("DELETE FROM dependent WHERE lsn BETWEEN ? AND ?");
}

int SpecRows::insert(const AcceptItem& item) {
    YARD_ASSERT_OWNER(owner_);
    const PendingRow& row = item.row;
    const std::int64_t elements = std::max(item.count, item.total);
    if (item.isArray)
        if (const int rc = insertArray_.run(row.lsn, elements); rc != SQLITE_OK) return rc;
    const std::string chunks = packHashes(item.chunks);
    if (const int rc = insert_.run(row.lsn, item.spec, unlessEmpty(chunks)); rc != SQLITE_OK) return rc;
    for (const Edge& edge : row.after) {
        const int rc = insertDependent_.run(edge.lsn, row.lsn, elements, std::max<std::int64_t>(edge.count, 1));
        if (rc != SQLITE_OK) return rc;
    }
    return SQLITE_OK;
}

int SpecRows::find(Lsn lsn) {
    return QueryScope(find_, lsn).step();
}

int SpecRows::findArray(Lsn base) {
    return QueryScope(live_, base).step();
}

int SpecRows::forgetText(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    return delete_.run(lsn);
}

int SpecRows::forgetSubmitted(std::int64_t first, std::int64_t last) {
    const int rc = deleteRun_.run(first, last);
    return rc == SQLITE_OK ? deleteDependents_.run(first, last) : rc;
}

int SpecRows::forget(std::int64_t first, std::int64_t last, std::optional<std::int64_t> arrayBase) {
    YARD_ASSERT_OWNER(owner_);
    if (!arrayBase) return forgetSubmitted(first, last);
    int rc = releaseArray_.run(*arrayBase, last - first + 1);
    if (rc != SQLITE_OK) return rc;
    {
        QueryScope live(live_, *arrayBase);
        rc = live.step();
        if (rc == SQLITE_ROW && live->integer(0) > 0) return SQLITE_OK;
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return rc;
    }
    rc = deleteArray_.run(*arrayBase);
    return rc == SQLITE_OK ? forgetSubmitted(*arrayBase, *arrayBase) : rc;
}

int SpecRows::undo(const LsnRun& rows) {
    YARD_ASSERT_OWNER(owner_);
    const int rc = forgetSubmitted(rows.first.value, rows.last().value);
    return rc == SQLITE_OK ? deleteArrays_.run(rows.first, rows.last()) : rc;
}

} // namespace yard::store
