#include "core/store/writer/meta_rows.h"

#include "core/store/schema.h"

#include <algorithm>
#include <charconv>

namespace yard::store {

MetaRows::MetaRows(StatementMaker& sql)
    : owner_(sql.owner()) {
    put_ = sql("INSERT OR REPLACE INTO meta VALUES(?,?)");
    get_ = sql("SELECT value FROM meta WHERE key=?");
}

Applied MetaRows::apply(const ReserveLsns& reserve) {
    YARD_ASSERT_OWNER(owner_);
    std::int64_t first = 0;
    {
        QueryScope next(get_, "next_lsn");
        const int rc = next.step();
        if (rc != SQLITE_ROW) return Applied::with(rc == SQLITE_DONE ? SQLITE_CORRUPT : rc);
        const auto text = next->text(0);
        std::from_chars(text.data(), text.data() + text.size(), first);
    }
    // A number below 1 can only come from damage: giving it out would give numbers out twice.
    if (first < 1) return Applied::with(SQLITE_CORRUPT);
    const std::int64_t end = first + std::max(reserve.count, kLsnBlock);
    if (const int rc = put_.run("next_lsn", std::to_string(end)); rc != SQLITE_OK) return Applied::with(rc);
    Applied applied;
    applied.detailed().lsns = {Lsn(first), Lsn(end)};
    return applied;
}

int MetaRows::probe() {
    YARD_ASSERT_OWNER(owner_);
    return put_.run("probe", "");
}

} // namespace yard::store
