#include "core/engine/reading/match_walk.h"

#include "core/engine/reading/live_matcher.h"
#include "core/engine/state/list_parts.h"
#include "core/engine/state/slice.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

namespace {

/// A count is answered after this long, whole or not; what is asked of the journal for it is asked in such
/// portions.
constexpr Duration kCountFor{250'000};
constexpr Duration kCountPortion{20'000};

bool isNegatedCommand(const FilterTerm& term) {
    return term.negated && looksAtCommand(term);
}

} // namespace

MonoTime MatchWalk::until() const {
    return parts_.now() + kCountFor;
}

coro::Task<bool> MatchWalk::live(ListQuery query, std::optional<QueueId> queue, MonoTime until, LiveTaker take) {
    YARD_ASSERT_OWNER(owner_);
    const MonoTime now = parts_.now();
    const auto known =
        co_await parts_.selection.findCommands(query, now + (until - now) / 2); // the rest is for the walk
    bool isWhole = known && *known;
    // What was not looked at would be taken for what is not called so: more than there are.
    if (!isWhole && std::ranges::any_of(query.filter.terms, isNegatedCommand)) co_return false;
    LiveMatcher matcher = parts_.selection.matcher(query, queue);
    for (Lsn next{1}; next.value > 0;) {
        next = parts_.session.views().walk(next, kPerSlice, [&](const session::LiveView& live) {
            if (!isEnded(live.state) && matcher.matches(live)) take(live);
        });
        if (next.value > 0 && parts_.now() >= until) {
            isWhole = false;
            break;
        }
        if (next.value > 0) co_await coro::yieldNow();
    }
    co_return isWhole;
}

coro::Task<Result<bool>> MatchWalk::ended(ListQuery query, MonoTime until, EndedTaker take) {
    YARD_ASSERT_OWNER(owner_);
    Result<store::PageFilter> filter = parts_.selection.pageFilter(query);
    if (!filter) co_return std::unexpected(filter.error());
    filter->lookFor = kCountPortion;
    filter->wantsMachines = take.wantsMachines;
    // What the journal's numbers do not decide is looked at row by row.
    const bool byNumbers = query.text.empty() && filter->numbers.terms.size() == query.filter.terms.size();
    Lsn cursor{};
    do {
        if (byNumbers) {
            const auto counted = take.wantsKinds ? co_await parts_.journal.countKinds(*filter, cursor)
                                                 : co_await parts_.journal.count(*filter, cursor);
            if (!counted) co_return std::unexpected(counted.error());
            take.portion(*counted);
            cursor = counted->cursor;
        } else {
            auto pages = co_await parts_.journal.pages(
                {.filter = *filter, .limit = kRowsAtOnce, .cursor = cursor, .live = false, .ended = true});
            if (!pages) co_return std::unexpected(pages.error());
            for (const ActionResult& row : (*pages)[1].rows)
                if (parts_.selection.accepts(query, row)) take.row(row);
            cursor = (*pages)[1].cursor;
        }
        if (cursor.value > 0 && parts_.now() >= until) co_return false;
    } while (cursor.value > 0);
    co_return true;
}

} // namespace yard::engine
