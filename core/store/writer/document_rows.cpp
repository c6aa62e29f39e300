#include "core/store/writer/document_rows.h"

namespace yard::store {

DocumentRows::DocumentRows(StatementMaker& sql)
    : owner_(sql.owner()) {
    put_ = sql("INSERT OR REPLACE INTO document VALUES(?,?,?)");
    drop_ = sql("DELETE FROM document WHERE kind=? AND name=?");
}

Applied DocumentRows::apply(const PutDocuments& put) {
    YARD_ASSERT_OWNER(owner_);
    for (const DocumentChange& change : put.changes) {
        const int rc =
            change.body ? put_.run(change.kind, change.name, *change.body) : drop_.run(change.kind, change.name);
        if (rc != SQLITE_OK) return Applied::with(rc);
    }
    return {};
}

} // namespace yard::store
