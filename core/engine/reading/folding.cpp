#include "core/engine/reading/folding.h"

#include "core/coro/sync.h"
#include "core/engine/state/list_parts.h"
#include "core/engine/state/slice.h"
#include "core/model/action_name.h"
#include "core/model/failure_line.h"
#include "core/session/live_views.h"
#include "core/session/place_commands.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>

namespace yard::engine {

namespace {

/// Rows that are asked for at once where arrays are met, as most of them will be of one.
constexpr int kFewRows = 8;
constexpr int kMaxRowsOfPage = 1'000;
/// Likewise along an order: its rows are taken up to the next cursor, whatever they cost.
constexpr int kMostAlongAnOrder = 32;
/// Of the journal, for the lines of one row's failures.
constexpr Duration kLinesPortion{3'000};

/// Behind all of the fold, in the order of a list by LSN; behind the action itself where it is of none.
Lsn behindFold(const ListQuery& query, Lsn lsn, const store::LsnRun& fold) {
    if (fold.count == 0) return lsn;
    return query.sort.descending ? fold.first : fold.last();
}

/// In the order of a queue.
bool goesBefore(const session::LiveView& one, const session::LiveView& other) {
    if (one.priority != other.priority) return one.priority > other.priority;
    return one.place != other.place ? one.place < other.place : one.lsn < other.lsn;
}

bool isInRun(const store::LsnRun& run, Lsn lsn) {
    return run.count > 0 && run.first <= lsn && lsn <= run.last();
}

} // namespace

coro::Task<Result<ListPage>> Folding::list(ListQuery query) {
    YARD_ASSERT_OWNER(owner_);
    auto whole = co_await parts_.selection.lookUp(std::move(query));
    if (!whole) co_return std::unexpected(whole.error());
    query = std::move(*whole);
    Gathered all;
    all.until = parts_.now() + kLookFor;
    all.wanted = query.limit;
    all.running = parts_.session.views().running();
    std::ranges::sort(all.running);
    const int most = query.sort.field == SortField::Lsn ? kMaxRowsOfPage : kMostAlongAnOrder;
    for (int atOnce = kFewRows;;) {
        query.limit = std::min(atOnce, all.wanted - static_cast<int>(all.page.jobs.size()));
        auto more = co_await parts_.listing.pageOf(query, all.until);
        if (!more) co_return std::unexpected(more.error());
        const std::size_t asked = more->jobs.size();
        const std::size_t before = all.page.jobs.size();
        const auto goesOn = co_await take(all, std::move(*more), query);
        if (!goesOn) co_return std::unexpected(goesOn.error());
        const std::size_t taken = all.page.jobs.size() - before;
        if (!*goesOn || all.page.cursor.empty() || asked == 0) break;
        query.cursor = all.page.cursor;
        atOnce = taken == asked ? std::min(most, atOnce * 4) : kFewRows;
    }
    co_return std::move(all.page);
}

/// Each array or list once, and the cursor behind it. False: the page is full, or its time is over.
coro::Task<Result<bool>> Folding::take(Gathered& all, ListPage more, const ListQuery& query) {
    const bool isByLsn = query.sort.field == SortField::Lsn;
    std::vector<Lsn> lsns;
    lsns.reserve(more.jobs.size());
    for (const ActionResult& row : more.jobs) lsns.push_back(row.lsn);
    const auto folds = co_await parts_.journal.folds(lsns);
    if (!folds) co_return std::unexpected(folds.error());
    all.page.cursor = more.cursor;
    for (std::size_t i = 0; i < more.jobs.size(); ++i) {
        const store::FoldRow& fold = (*folds)[i];
        if (isByLsn && isInRun(all.last, lsns[i])) continue;
        FoldView view;
        if (fold.lsns.count > 0) {
            auto made = co_await viewOf(fold, more.jobs[i], all.running);
            if (!made) co_return std::unexpected(made.error());
            view = std::move(*made);
        }
        all.last = fold.lsns;
        all.page.jobs.push_back(std::move(more.jobs[i]));
        all.page.folds.push_back(std::move(view));
        // Along an order the cursor of the page is the only one there is.
        const bool isOver = std::ssize(all.page.jobs) >= all.wanted || parts_.now() >= all.until;
        if (!isByLsn || !isOver) continue;
        const bool isLast = more.cursor.empty() && i + 1 == more.jobs.size();
        all.page.cursor = isLast ? std::string() : fmt::format("{}", behindFold(query, lsns[i], fold.lsns).value);
        co_return false;
    }
    if (isByLsn && !more.cursor.empty() && all.last.count > 0) {
        const Lsn next = behindFold(query, {}, all.last);
        const Lsn looked = lsnFrom(more.cursor).value_or(next);
        if (query.sort.descending ? next < looked : next > looked) all.page.cursor = fmt::format("{}", next.value);
    }
    const bool isFull = std::ssize(all.page.jobs) >= all.wanted;
    co_return !isFull && parts_.now() < all.until;
}

coro::Task<Result<FoldView>> Folding::viewOf(const store::FoldRow& fold, const ActionResult& row,
                                             const std::vector<Lsn>& running) {
    FoldView view{.first = fold.lsns.first,
                  .count = fold.lsns.count,
                  .kind = fold.kind,
                  .place = {},
                  .started = fold.started,
                  .name = {},
                  .failure = {}};
    for (const ActionState state :
         {ActionState::Completed, ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled})
        view.states[std::to_underlying(state)] = fold.ended[endPlace(state)];
    const std::int64_t live = fold.lsns.count - fold.gone - sumOf(fold.ended);
    if (live > 0) addRunning(view, fold.lsns, running, live);
    if (view.states[std::to_underlying(ActionState::Pending)] > 0) co_await addFaces(view, fold.lsns, row.queue);
    const bool hasFailures =
        fold.ended[endPlace(ActionState::Failed)] + fold.ended[endPlace(ActionState::Abandoned)] > 0;
    if (hasFailures)
        if (const auto added = co_await addFailure(view, fold.lsns); !added)
            co_return std::unexpected(added.error());
    auto name = co_await nameOf(fold, row);
    if (!name) co_return std::unexpected(name.error());
    view.name = std::move(*name);
    co_return view;
}

/// What neither ended nor runs is pending: it need not be counted.
void Folding::addRunning(FoldView& view, const store::LsnRun& lsns, const std::vector<Lsn>& running,
                         std::int64_t live) const {
    std::int64_t left = live;
    for (auto at = std::ranges::lower_bound(running, lsns.first);
         at != running.end() && *at <= lsns.last() && left > 0; ++at) {
        const auto known = parts_.session.views().live(*at);
        if (!known || (known->state != ActionState::Submitting && known->state != ActionState::Running)) continue;
        ++view.states[std::to_underlying(known->state)];
        --left;
        const Attempt* attempt = parts_.attempt(*at);
        const WallMicros began = attempt ? attempt->record.times[ActionState::Running] : 0;
        if (began != 0 && (view.started == 0 || began < view.started)) view.started = began;
    }
    view.states[std::to_underlying(ActionState::Pending)] = left;
}

/// And the place of the first of them.
coro::Task<void> Folding::addFaces(FoldView& view, store::LsnRun lsns, QueueId queue) {
    int walked = 0;
    std::optional<session::LiveView> first;
    for (Lsn next = lsns.first; next.value > 0 && next <= lsns.last();) {
        if (walked >= kMostWalked) {
            view.isExact = false;
            co_return;
        }
        next = parts_.session.views().walk(next, kPerSlice, [&](const session::LiveView& live) {
            if (live.lsn > lsns.last() || live.state != ActionState::Pending) return;
            if (live.held) ++view.held;
            if (live.backoff) ++view.retry;
            if (live.queue == queue && (!first || goesBefore(live, *first))) first = live;
        });
        walked += kPerSlice;
        if (next.value > 0 && next <= lsns.last()) co_await coro::yieldNow();
    }
    if (first) view.place = co_await placeOf(*first);
}

coro::Task<std::optional<std::int64_t>> Folding::placeOf(const session::LiveView& waits) {
    const MonoTime until = parts_.now() + kLinesPortion;
    while (!parts_.session.places().prepare(waits.queue, kPerSlice) && parts_.now() < until)
        co_await coro::yieldNow();
    co_return parts_.session.places().numberOf(waits.lsn);
}

/// Those of their own: of what failed because of them there may be many more, and it says nothing of the cause.
coro::Task<Result<void>> Folding::addFailure(FoldView& view, store::LsnRun lsns) {
    store::PageFilter filter;
    filter.states = {ActionState::Failed, ActionState::Abandoned};
    filter.from = lsns.first;
    filter.to = lsns.last();
    filter.lookFor = kLinesPortion;
    store::PageFilter own = filter;
    own.numbers.terms.push_back({.key = FilterKey::Reason,
                                 .negated = true,
                                 .words = {std::string(name(Reason::DependencyFailed))},
                                 .ranges = {},
                                 .found = {}});
    const auto question = [](store::PageFilter of) {
        return JournalReads::PagesQuestion{.filter = std::move(of),
                                           .order = store::PageOrder::NewestFirst,
                                           .limit = kMostFailuresRead,
                                           .live = false,
                                           .ended = true};
    };
    auto pages = co_await parts_.journal.pages(question(std::move(own)));
    if (pages && (*pages)[1].rows.empty()) pages = co_await parts_.journal.pages(question(std::move(filter)));
    if (!pages) co_return std::unexpected(pages.error());
    std::map<std::string, std::int64_t> counts;
    for (const ActionResult& row : (*pages)[1].rows) {
        std::string line = failureLine(row);
        const std::int64_t count = ++counts[maskedLine(line).line];
        if (count > view.failures) view.failures = count;
    }
    for (const ActionResult& row : (*pages)[1].rows) { // the newest one that says it
        std::string line = failureLine(row);
        if (counts[maskedLine(line).line] < view.failures) continue;
        view.failure = std::move(line);
        break;
    }
    co_return Result<void>{};
}

/// Of an array without its index; a list is called like its first action, or this one where that is not kept.
coro::Task<Result<std::string>> Folding::nameOf(const store::FoldRow& fold, const ActionResult& row) {
    if (fold.kind == FoldKind::Array) {
        if (!row.label.empty()) co_return row.label;
        const auto names = co_await parts_.journal.waitNames({row.lsn}, kLinesPortion);
        if (!names) co_return std::unexpected(names.error());
        if (!names->empty() && !names->front().command.empty()) co_return names->front().command;
        co_return actionName(row);
    }
    if (row.lsn == fold.lsns.first) co_return actionName(row);
    const auto first = co_await parts_.journal.rows({fold.lsns.first}, kLinesPortion);
    if (!first) co_return std::unexpected(first.error());
    co_return actionName(first->rows.empty() ? row : first->rows.front());
}

} // namespace yard::engine
