// Private to core/store: the LSNs that a page may still hold, a part of them at a time, without the holes between
// them. Between two windows there is a look at the clock. Values and references; the reader's thread.
#pragma once

#include "core/store/database.h"
#include "core/store/read_budget.h"
#include "core/store/reader.h"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <utility>

namespace yard::store {

/// LSNs that are looked at between looks at the clock, where few or none of them match: a millisecond or so.
inline constexpr std::int64_t kWindow = 8'192;

/// Both ends inclusive.
struct LsnRange {
    std::int64_t low, high;
};

inline LsnRange rangeOf(const PageFilter& filter, PageOrder order, Lsn cursor) {
    LsnRange range{std::max<std::int64_t>(filter.from.value, 1),
                   filter.to.value == 0 ? std::numeric_limits<std::int64_t>::max() : filter.to.value};
    if (cursor.value == 0) return range;
    if (order == PageOrder::NewestFirst)
        range.high = std::min(range.high, cursor.value - 1);
    else
        range.low = std::max(range.low, cursor.value + 1);
    return range;
}

/// Steps through the LSNs in the page's order.
class PageWindows {
public:
    /// `below`, `above`: the statements that find the next LSN there is.
    PageWindows(LsnRange range, PageOrder order, Statement& below, Statement& above)
        : range_(range)
        , down_(order == PageOrder::NewestFirst)
        , next_(down_ ? below : above) {}
    /// SQLITE_ROW: `low` to `high` are next; SQLITE_DONE: nothing is left.
    int step() {
        if (range_.low > range_.high) return SQLITE_DONE;
        QueryScope next(next_, range_.low, range_.high);
        const int rc = next.step();
        if (rc != SQLITE_ROW) return rc;
        const std::int64_t there = next->integer(0);
        low = down_ ? std::max(range_.low, there - kWindow + 1) : there;
        high = down_ ? there : std::min(range_.high, there + kWindow - 1);
        (down_ ? range_.high : range_.low) = down_ ? low - 1 : high + 1;
        return SQLITE_ROW;
    }
    /// The last LSN of this window: a page goes on behind it.
    Lsn edge() const { return Lsn(down_ ? low : high); }

    std::int64_t low = 0, high = 0;

private:
    LsnRange range_;
    bool down_;
    Statement& next_;
};

/// What a row was for walk().
enum class Seen : unsigned char { PassedOver, Shown, ShownAndLast };

/// Goes through the rows that `statement` finds in the windows, from window to window; `bound` is what it is given
/// besides their ends. Of each row `each` is told, which says what it was, or an error of SQLite, and keeps
/// `cursor` where a look may end between rows. SQLITE_DONE: that was all, and `cursor` is empty; SQLITE_ROW: time
/// is over, or there are enough.
template<class Each, class... Bound>
int walk(Statement& statement, PageWindows& windows, ReadBudget& looking, Lsn& cursor, Each each,
         const Bound&... bound) {
    int rc = windows.step();
    for (; rc == SQLITE_ROW; rc = windows.step()) {
        QueryScope rows(statement, windows.low, windows.high, bound...);
        for (rc = rows.step(); rc == SQLITE_ROW; rc = rows.step()) {
            const std::expected<Seen, int> seen = each(rows);
            if (!seen) return seen.error();
            if (*seen == Seen::ShownAndLast || looking.isOverAfter(*seen == Seen::Shown)) return SQLITE_ROW;
        }
        if (rc != SQLITE_DONE) return rc;
        cursor = windows.edge();
        if (looking.isOver()) return SQLITE_ROW;
    }
    if (rc == SQLITE_DONE) cursor = Lsn();
    return rc;
}

/// From the first to the last of the classes wanted; those in between are looked at one by one.
template<class Classes>
auto spanOf(const std::optional<Classes>& classes) {
    std::optional<std::int64_t> first, last;
    if (classes) {
        first = classes->front();
        last = classes->back();
    }
    return std::pair(first, last);
}

inline std::optional<std::int64_t> numberOf(const std::optional<QueueId>& queue) {
    return queue ? std::optional(queue->value) : std::nullopt;
}

} // namespace yard::store
