#include "core/store/writer/free_pages.h"

#include <fmt/format.h>

namespace yard::store {

static constexpr std::int64_t kFewPages = 1'000;
/// One page in so many.
static constexpr std::int64_t kGoodPart = 10;

FreePages::FreePages(StatementMaker& sql)
    : database_(sql.database())
    , owner_(sql.owner()) {
    freePages_ = sql("PRAGMA freelist_count");
    allPages_ = sql("PRAGMA page_count");
}

static std::int64_t numberFrom(Statement& statement) {
    QueryScope row(statement);
    return row.step() == SQLITE_ROW ? row->integer(0) : 0;
}

bool FreePages::areMany(std::int64_t freePages) {
    return freePages >= kFewPages && freePages * kGoodPart >= numberFrom(allPages_);
}

Applied FreePages::apply(const ShrinkJournal& shrink) {
    YARD_ASSERT_OWNER(owner_);
    const std::int64_t before = numberFrom(freePages_);
    if (!areMany(before)) return Applied::swept({});
    // The pragma gives back one page for each step of its statement.
    auto statement = database_.prepare(fmt::format("PRAGMA incremental_vacuum({})", shrink.pages));
    if (!statement) return Applied::with(sqlite3_errcode(database_.handle()));
    int rc = statement->step();
    while (rc == SQLITE_ROW) rc = statement->step();
    if (rc != SQLITE_DONE) return Applied::with(rc);
    statement->reset();
    const std::int64_t after = numberFrom(freePages_);
    SweepResult swept;
    swept.gone = before - after;
    swept.more = swept.gone > 0 && areMany(after);
    return Applied::swept(std::move(swept));
}

} // namespace yard::store
