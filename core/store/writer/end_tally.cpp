#include "core/store/writer/end_tally.h"

#include "core/store/packing.h"

#include <algorithm>
#include <utility>

namespace yard::store {

/// Among the counters of a group: those of queues that are gone. No queue has that number.
static constexpr std::int64_t kPast = -1;

EndTally::EndTally(StatementMaker& sql, FoldRows& folds)
    : database_(sql.database())
    , owner_(sql.owner())
    , folds_(folds) {
    countQueue_ = sql("UPDATE queue SET completed=completed+?, failed=failed+?, abandoned=abandoned+?, "
                      "cancelled=cancelled+? WHERE id=?");
    countPast_ = sql("INSERT INTO meta VALUES(?1, CAST(?2 AS TEXT)) ON CONFLICT(key) DO UPDATE SET "
                     "value=CAST(CAST(value AS INTEGER)+?2 AS TEXT)");
    countFinished_ = sql("UPDATE meta SET value=CAST(CAST(value AS INTEGER)+? AS TEXT) WHERE key='finished'");
    putRecent_ = sql("INSERT OR REPLACE INTO recent VALUES(?,?,?)");
}

Result<void> EndTally::load() {
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

void EndTally::ended(Lsn lsn, std::int64_t queue, ActionState state, WallMicros started) {
    YARD_ASSERT_OWNER(owner_);
    count(queue, state, 1);
    group_.finished.push_back(lsn);
    group_.folds.push_back({.lsn = lsn, .state = state, .ended = 1, .started = started});
}

void EndTally::tried(Lsn lsn, WallMicros started) {
    YARD_ASSERT_OWNER(owner_);
    if (started != 0) group_.folds.push_back({.lsn = lsn, .started = started});
}

void EndTally::reopened(Lsn lsn, std::int64_t queue, ActionState state) {
    YARD_ASSERT_OWNER(owner_);
    count(queue, state, -1);
    ++group_.rowsGone;
    group_.folds.push_back({.lsn = lsn, .state = state, .ended = -1});
}

void EndTally::retired(Lsn lsn, ActionState state) {
    YARD_ASSERT_OWNER(owner_);
    ++group_.rowsGone;
    group_.folds.push_back({.lsn = lsn, .state = state, .ended = -1, .gone = 1});
}

void EndTally::queueGone(const Counters& counters) {
    YARD_ASSERT_OWNER(owner_);
    Counters& past = group_.counters[kPast];
    for (std::size_t which = 0; which < past.size(); ++which) past[which] += counters[which];
}

void EndTally::count(std::int64_t queue, ActionState state, std::int64_t by) {
    const int which = std::to_underlying(state) - std::to_underlying(ActionState::Completed);
    group_.counters[queue][static_cast<std::size_t>(which)] += by;
}

void EndTally::clear() {
    group_ = {};
}

void EndTally::mark() {
    marked_ = group_;
}

void EndTally::backToMark() {
    group_ = marked_;
}

int EndTally::write() {
    YARD_ASSERT_OWNER(owner_);
    int rc = writeCounters();
    if (rc == SQLITE_OK && !group_.folds.empty()) rc = folds_.add(group_.folds);
    return rc == SQLITE_OK && !group_.finished.empty() ? writeRecent() : rc;
}

void EndTally::committed() {
    for (const Lsn lsn : group_.finished) recent_[recentCount_++ % recent_.size()] = lsn;
    clear();
}

int EndTally::writeCounters() {
    Counters past{};
    for (const auto& [queue, delta] : group_.counters) {
        const int rc = countQueue_.run(delta[0], delta[1], delta[2], delta[3], queue);
        if (rc != SQLITE_OK) return rc;
        if (sqlite3_changes(database_.handle()) > 0) continue; // else it is gone, and what it did is not
        for (std::size_t which = 0; which < past.size(); ++which) past[which] += delta[which];
    }
    for (std::size_t which = 0; which < past.size(); ++which) {
        if (past[which] == 0) continue;
        const int rc = countPast_.run(kPastKeys[which], past[which]);
        if (rc != SQLITE_OK) return rc;
    }
    const std::int64_t rows = std::ssize(group_.finished) - group_.rowsGone;
    return rows == 0 ? SQLITE_OK : countFinished_.run(rows);
}

int EndTally::writeRecent() {
    // Only the ends that stay in the ring are worth writing; rows are rewritten from the first that changes.
    const std::uint64_t end = recentCount_ + group_.finished.size();
    const std::uint64_t oldest = end > recent_.size() ? end - recent_.size() : 0;
    const auto at = [&](std::uint64_t i) {
        return i < recentCount_ ? recent_[i % recent_.size()] : group_.finished[i - recentCount_];
    };
    std::vector<Lsn> lsns;
    for (std::uint64_t row = std::max(recentCount_, oldest) / kRecentPerRow; row * kRecentPerRow < end; ++row) {
        lsns.clear();
        for (std::uint64_t i = row * kRecentPerRow; i < std::min(end, (row + 1) * kRecentPerRow); ++i) {
            lsns.push_back(i + recent_.size() < recentCount_ ? Lsn() : at(i));
        }
        const std::string bytes = packLsns(lsns);
        const int rc = putRecent_.run(row % kRecentRows, row, Bytes{bytes});
        if (rc != SQLITE_OK) return rc;
    }
    return SQLITE_OK;
}

} // namespace yard::store
