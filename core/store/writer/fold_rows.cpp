#include "core/store/writer/fold_rows.h"

#include "core/model/fold.h"

#include <algorithm>

namespace yard::store {

FoldRows::FoldRows(StatementMaker& sql)
    : owner_(sql.owner()) {
    insert_ = sql("INSERT INTO fold(first, last, kind) VALUES(?,?,?)");
    upTo_ = sql("SELECT first, last FROM fold WHERE first<=? ORDER BY first DESC LIMIT 1");
    behind_ = sql("SELECT first, last FROM fold WHERE first>? ORDER BY first LIMIT 1");
    update_ =
        sql("UPDATE fold SET completed=completed+?2, failed=failed+?3, abandoned=abandoned+?4, "
            "cancelled=cancelled+?5, gone=gone+?6, started=CASE WHEN ?7=0 THEN started WHEN started=0 THEN ?7 "
            "ELSE min(started, ?7) END WHERE first=?1");
    delete_ = sql("DELETE FROM fold WHERE first=? AND gone>last-first");
    deleteRun_ = sql("DELETE FROM fold WHERE first BETWEEN ? AND ?");
}

int FoldRows::insert(const FoldRun& fold) {
    YARD_ASSERT_OWNER(owner_);
    return insert_.run(fold.lsns.first, fold.lsns.last(), std::to_underlying(fold.kind));
}

int FoldRows::undo(const LsnRun& rows) {
    YARD_ASSERT_OWNER(owner_);
    return deleteRun_.run(rows.first, rows.last());
}

int FoldRows::findAt(Statement& statement, std::int64_t lsn, std::optional<Place>& place) {
    QueryScope row(statement, lsn);
    const int rc = row.step();
    if (rc == SQLITE_ROW) place = Place{.first = row->integer(0), .last = row->integer(1)};
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int FoldRows::findFrom(Lsn lsn, std::optional<Place>& place) {
    place.reset();
    const int rc = findAt(upTo_, lsn.value, place);
    if (rc != SQLITE_OK || (place && place->last >= lsn.value)) return rc;
    place.reset();
    return findAt(behind_, lsn.value, place);
}

/// Takes all changes of one fold, from `at` on, which is behind them afterwards.
int FoldRows::update(const Place& place, const std::vector<FoldChange>& changes, std::size_t& at) {
    EndCounts ended{};
    std::int64_t gone = 0;
    WallMicros started = 0;
    for (; at < changes.size() && changes[at].lsn.value <= place.last; ++at) {
        const FoldChange& change = changes[at];
        if (change.state && endPlace(*change.state) < ended.size()) // a damaged row may say anything
            ended[endPlace(*change.state)] += change.ended;
        gone += change.gone;
        if (change.started != 0 && (started == 0 || change.started < started)) started = change.started;
    }
    const int rc = update_.run(place.first, ended[0], ended[1], ended[2], ended[3], gone, started);
    return rc == SQLITE_OK && gone > 0 ? delete_.run(place.first) : rc;
}

int FoldRows::add(std::vector<FoldChange> changes) {
    YARD_ASSERT_OWNER(owner_);
    std::ranges::sort(changes, {}, &FoldChange::lsn);
    for (std::size_t at = 0; at < changes.size();) {
        std::optional<Place> place;
        if (const int rc = findFrom(changes[at].lsn, place); rc != SQLITE_OK) return rc;
        if (!place) return SQLITE_OK; // nothing is folded from here on
        while (at < changes.size() && changes[at].lsn.value < place->first) ++at;
        if (at == changes.size() || changes[at].lsn.value > place->last) continue;
        if (const int rc = update(*place, changes, at); rc != SQLITE_OK) return rc;
    }
    return SQLITE_OK;
}

} // namespace yard::store
