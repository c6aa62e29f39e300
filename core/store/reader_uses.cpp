// What actions have used: their attempts with the times they ran, those that ended and those that will run again.
#include "core/store/page_windows.h"
#include "core/store/reader_impl.h"
#include "core/store/schema.h"

#include <algorithm>

namespace yard::store {

namespace {

/// Columns of useRows.
enum UseColumn : int {
    kLsn,
    kQueue,
    kClass,
    kAttempts,
    kNew,
    kPending,
    kLabel,
    kState,
    kReason,
    kFlags,
    kSubmitting,
    kRunning,
    kExited,
    kEnd,
    kPeak
};

/// The last attempt of an action that ended by it stands in the action's own row.
bool lastIsInRow(const Statement& row) {
    return !row.isNull(kState) && (row.integer(kFlags) & kByAttempt) != 0;
}

/// Of an action that has ended: when, how long it waited, and its last attempt.
void addEnd(ActionUse& use, const Statement& row) {
    const WallMicros created = row.integer(kNew);
    const auto at = [&](int column) { return row.isNull(column) ? 0 : created + row.integer(column); };
    use.ended = at(kEnd);
    const WaitingTime waiting = waitingTime(created, at(kPending), at(kSubmitting), use.ended);
    use.waited = std::max<WallMicros>(waiting.until - waiting.from, 0);
    if (!lastIsInRow(row) || row.isNull(kRunning)) return;
    use.attempts.push_back({.state = static_cast<ActionState>(row.integer(kState)),
                            .reason = static_cast<Reason>(row.integer(kReason)),
                            .from = at(kRunning),
                            .until = row.isNull(kExited) ? use.ended : at(kExited),
                            .peakBytes = row.optionalInteger(kPeak)});
}

} // namespace

int Reader::Impl::addUses(ActionUse& use, std::int64_t last) {
    if (last <= 0) return SQLITE_OK;
    const std::int64_t before = use.lsn.value << kAttemptBits;
    QueryScope rows(useAttempts, before + 1, before + std::min<std::int64_t>(last, (1 << kAttemptBits) - 1));
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step()) {
        if (rows->isNull(2)) continue; // it never ran
        use.attempts.push_back({.state = static_cast<ActionState>(rows->integer(0)),
                                .reason = static_cast<Reason>(rows->integer(1)),
                                .from = rows->integer(2),
                                .until = rows->integer(rows->isNull(3) ? 4 : 3),
                                .peakBytes = rows->optionalInteger(5)});
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

Result<Lsn> Reader::uses(const UseQuestion& question, Lsn cursor,
                         const std::function<void(const ActionUse&)>& show) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    ReadBudget looking(question.lookFor);
    // A window has the rows of both tables in one snapshot: an action that ends is in one of them.
    PageWindows windows(rangeOf({}, PageOrder::OldestFirst, cursor), PageOrder::OldestFirst, reader.useAbove,
                        reader.useAbove);
    ActionUse use;
    const auto each = [&](const QueryScope& rows) -> std::expected<Seen, int> {
        cursor = use.lsn = Lsn(rows->integer(kLsn));
        use.queue = QueueId(rows->integer(kQueue));
        use.classNumber = static_cast<ClassNumber>(rows->integer(kClass));
        use.label = rows->text(kLabel);
        use.ended = use.waited = 0;
        use.attempts.clear();
        const std::int64_t attempts = rows->integer(kAttempts);
        const int rc = reader.addUses(use, lastIsInRow(reader.useRows) ? attempts - 1 : attempts);
        if (rc != SQLITE_OK) return std::unexpected(rc);
        if (!rows->isNull(kState)) addEnd(use, reader.useRows);
        show(use);
        return Seen::PassedOver;
    };
    const int rc =
        walk(reader.useRows, windows, looking, cursor, each, question.from, question.to, question.labels ? 1 : 0);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return reader.failed(rc, "reading what actions used");
    return cursor;
}

Result<Reader::Kept> Reader::kept() {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    Kept kept;
    {
        QueryScope row(reader.countAll);
        if (const int rc = row.step(); rc != SQLITE_ROW) return reader.failed(rc, "counting");
        kept.count = row->integer(0);
    }
    QueryScope row(reader.oldestDone);
    const int rc = row.step();
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "looking for the oldest action");
    if (rc == SQLITE_ROW) kept.oldest = row->integer(0);
    return kept;
}

} // namespace yard::store
