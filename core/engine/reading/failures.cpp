#include "core/engine/reading/failures.h"

#include "core/coro/suspend.h"
#include "core/engine/reading/asking_place.h"
#include "core/engine/state/list_parts.h"
#include "core/engine/state/slice.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <vector>

namespace yard::engine {

namespace {

/// Of the journal, before others who read get their turn.
constexpr Duration kFailuresPortion{8'000};

/// The query as one of a list: failures alone, of the time that is asked for.
ListQuery failuresOf(FailureQuery query) {
    ListQuery which = std::move(query.which);
    if (which.states.empty()) which.states = {ActionState::Failed, ActionState::Abandoned};
    std::erase_if(which.states, [](ActionState state) {
        return state != ActionState::Failed && state != ActionState::Abandoned;
    });
    if (query.since) {
        FilterTerm since;
        since.key = FilterKey::Finished;
        since.ranges.push_back({static_cast<double>(*query.since), std::numeric_limits<double>::infinity()});
        which.filter.terms.push_back(std::move(since));
    }
    return which;
}

} // namespace

/// As they are now: what has ended by now is of one of these.
coro::Task<FailureTally::Names> Failures::names() {
    FailureTally::Names names{.workers = {}, .machine = parts_.machineName, .now = parts_.wall()};
    const std::size_t count = parts_.dictionary.classCount();
    names.workers.reserve(count);
    for (std::uint32_t number = 0; number < count; ++number) {
        const ClassKey& key = parts_.dictionary.classKey(number);
        names.workers.push_back(
            key.workerVersion.empty() ? key.workerName : fmt::format("{}@{}", key.workerName, key.workerVersion));
        if ((number + 1) % kPerSlice == 0) co_await coro::yieldNow();
    }
    co_return names;
}

coro::Task<Result<bool>> Failures::walk(FailureQuery query, std::shared_ptr<FailureTally> tally) {
    auto which = co_await parts_.selection.lookUp(failuresOf(std::move(query)));
    if (!which) co_return std::unexpected(which.error());
    if (which->states.empty() || meansNobody(which->filter)) co_return true; // no failure is asked for
    Result<store::PageFilter> filter = parts_.selection.pageFilter(*which);
    if (!filter) co_return std::unexpected(filter.error());
    filter->lookFor = kFailuresPortion;
    const MonoTime until = parts_.now() + kLookFor;
    std::int64_t left = parts_.most;
    for (Lsn cursor{};;) {
        auto pages = co_await parts_.journal.pages({.filter = *filter,
                                                    .order = store::PageOrder::NewestFirst,
                                                    .limit = kRowsAtOnce,
                                                    .cursor = cursor,
                                                    .live = false,
                                                    .ended = true});
        if (!pages) co_return std::unexpected(pages.error());
        store::Page& page = (*pages)[1];
        cursor = page.cursor;
        std::erase_if(page.rows, [&](const ActionResult& row) { return !parts_.selection.accepts(*which, row); });
        const bool isTooMuch = std::ssize(page.rows) > left;
        if (isTooMuch) page.rows.resize(static_cast<std::size_t>(left));
        left -= std::ssize(page.rows);
        co_await parts_.helpers.run([tally, rows = std::move(page.rows)] {
            for (const ActionResult& row : rows) tally->add(row);
            return true;
        });
        if (isTooMuch) co_return false;
        if (cursor.value == 0) co_return true;
        if (left == 0 || parts_.now() >= until) co_return false;
    }
}

coro::Task<Result<FailureGroups>> Failures::groups(FailureQuery query) {
    YARD_ASSERT_OWNER(owner_);
    if (asking_ > kMostWaiting) co_return tooManyAskFor("failures");
    const AskingPlace asking(asking_);
    const auto guard = co_await mutex_.lock();
    auto tally = std::make_shared<FailureTally>(co_await names());
    const auto isWhole = co_await walk(std::move(query), tally);
    if (!isWhole) co_return std::unexpected(isWhole.error());
    // With what it holds: of ten thousand groups it takes a moment to let go, too.
    FailureGroups groups = co_await parts_.helpers.run([held = std::move(tally)]() mutable {
        const std::shared_ptr<FailureTally> last = std::exchange(held, nullptr);
        return last->groups();
    });
    groups.isExact = groups.isExact && *isWhole;
    for (FailureGroup& group : groups.groups) group.mutedUntil = parts_.mutes.until(group.id);
    co_return groups;
}

coro::Task<Result<FailureDetail>> Failures::detail(FailureQuery query, std::string group) {
    YARD_ASSERT_OWNER(owner_);
    if (asking_ > kMostWaiting) co_return tooManyAskFor("failures");
    const AskingPlace asking(asking_);
    const auto guard = co_await mutex_.lock();
    auto tally = std::make_shared<FailureTally>(co_await names(), group);
    const auto isWhole = co_await walk(std::move(query), tally);
    if (!isWhole) co_return std::unexpected(isWhole.error());
    // Up to a thousand values of a hundred masks are sorted, and let go.
    std::unique_ptr<FailureDetail> detail = co_await parts_.helpers.run([held = std::move(tally)]() mutable {
        const std::shared_ptr<FailureTally> last = std::exchange(held, nullptr);
        return last->detail();
    });
    if (!detail)
        co_return fail(
            ErrorKind::NotFound,
            fmt::format("nothing failed as {} says, of what is kept and was asked for: 'yardctl failures' "
                        "and GET failures have the groups that there are",
                        group));
    detail->isExact = *isWhole;
    detail->group.mutedUntil = parts_.mutes.until(group);
    co_return std::move(*detail);
}

} // namespace yard::engine
