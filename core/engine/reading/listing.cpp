#include "core/engine/reading/listing.h"

#include "core/engine/state/list_parts.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace yard::engine {

namespace {

constexpr int kHistory = 1000;

/// Of a list by LSN: that of the page before; 0: it begins. Nothing: the cursor is none of such a list.
std::optional<Lsn> lastOf(const ListQuery& query) {
    return query.cursor.empty() ? Lsn{} : lsnFrom(query.cursor);
}

} // namespace

coro::Task<Result<ListPage>> Listing::list(ListQuery query) {
    auto whole = co_await parts_.selection.lookUp(std::move(query));
    if (!whole) co_return std::unexpected(whole.error());
    co_return co_await pageOf(std::move(*whole));
}

coro::Task<Result<ListPage>> Listing::pageOf(ListQuery query, MonoTime latest) {
    YARD_ASSERT_OWNER(owner_);
    const MonoTime until = std::min(parts_.now() + kLookFor, latest);
    Result<store::PageFilter> filter = parts_.selection.pageFilter(query);
    if (!filter) co_return std::unexpected(filter.error());
    if (query.sort.field != SortField::Lsn) co_return co_await sorted(std::move(query), std::move(*filter), until);
    if (auto lsns = lsnsNamedIn(query.filter)) co_return co_await named(std::move(query), std::move(*lsns), until);
    if (onlyRunning(query)) co_return co_await running(std::move(query));
    co_return co_await byLsn(std::move(query), std::move(*filter), until);
}

/// Page after page until there are enough, nothing is left, or it has looked long enough.
coro::Task<Result<ListPage>> Listing::byLsn(ListQuery query, store::PageFilter filter, MonoTime until) {
    const std::optional<Lsn> last = lastOf(query);
    if (!last) co_return noCursor();
    Lsn cursor = *last;
    const bool live = wantsLive(query, parts_.session.state());
    const bool ended = wantsEnded(query);
    const bool looksItself = !query.filter.empty() || !query.text.empty();
    const int wanted = query.limit;
    // Of a list that folds a few will do, as long as they match: what follows may be of the same array.
    int atOnce = looksItself && !query.fold ? kRowsAtOnce : query.limit;
    ListPage page;
    for (;; atOnce = looksItself ? std::min(kRowsAtOnce, 4 * atOnce) : query.limit) {
        filter.lookFor = lookLeft(until, parts_.now());
        auto both = co_await parts_.journal.pages(
            {.filter = filter,
             .order = query.sort.descending ? store::PageOrder::NewestFirst : store::PageOrder::OldestFirst,
             .limit = atOnce,
             .cursor = cursor,
             .live = live,
             .ended = ended});
        if (!both) co_return std::unexpected(both.error());
        ListPage more = merge(query, std::move(*both));
        page.cursor = std::move(more.cursor);
        std::ranges::move(more.jobs, std::back_inserter(page.jobs));
        query.limit = wanted - static_cast<int>(page.jobs.size());
        if (page.cursor.empty() || query.limit <= 0 || parts_.now() + kLeastLook >= until) break;
        std::from_chars(page.cursor.data(), page.cursor.data() + page.cursor.size(), cursor.value);
    }
    co_await parts_.rows.addNotes(page.jobs);
    co_return page;
}

/// Two pages by LSN into one: up to where both have been looked at.
ListPage Listing::merge(const ListQuery& query, JournalReads::TwoPages pages) const {
    const bool newest = query.sort.descending;
    const auto before = [newest](Lsn a, Lsn b) { return newest ? b < a : a < b; };
    Lsn edge{};
    for (const store::Page& page : pages)
        if (page.cursor.value && (edge.value == 0 || before(page.cursor, edge))) edge = page.cursor;
    ListPage merged;
    for (store::Page& page : pages)
        for (ActionResult& row : page.rows) {
            if (edge.value && before(edge, row.lsn)) continue;
            parts_.rows.update(row);
            if (parts_.selection.accepts(query, row)) merged.jobs.push_back(std::move(row));
        }
    std::ranges::sort(merged.jobs, before, &ActionResult::lsn);
    // An action that ended between the two reads is in both; the finished row is the later one.
    const auto same = [](const ActionResult& a, const ActionResult& b) { return a.lsn == b.lsn; };
    for (auto at = std::ranges::adjacent_find(merged.jobs, same); at != merged.jobs.end();
         at = std::adjacent_find(at, merged.jobs.end(), same))
        at = merged.jobs.erase(isEnded(at->state) ? std::next(at) : at);
    if (std::ssize(merged.jobs) > query.limit) {
        merged.jobs.resize(static_cast<std::size_t>(query.limit));
        edge = merged.jobs.back().lsn;
    }
    if (edge.value) merged.cursor = fmt::format("{}", edge.value);
    return merged;
}

coro::Task<Result<ListPage>> Listing::running(ListQuery query) {
    std::vector<Lsn> lsns = parts_.session.views().running();
    std::ranges::sort(lsns, [&](Lsn a, Lsn b) { return query.sort.descending ? b < a : a < b; });
    const std::optional<Lsn> after = lastOf(query);
    if (!after) co_return noCursor();
    ListPage page;
    for (const Lsn lsn : lsns) {
        if (after->value && (query.sort.descending ? lsn >= *after : lsn <= *after)) continue;
        if (std::ssize(page.jobs) >= query.limit) {
            page.cursor = fmt::format("{}", page.jobs.back().lsn.value);
            break;
        }
        Result<ActionResult> result = co_await parts_.rows.row(lsn);
        if (!result || !parts_.selection.matches(query, *result)) continue;
        result->attempts.clear();
        page.jobs.push_back(std::move(*result));
    }
    co_await parts_.rows.addNotes(page.jobs);
    co_return page;
}

/// By LSN, of those that a filter names one by one: what lies between them is not walked through.
coro::Task<Result<ListPage>> Listing::named(ListQuery query, std::vector<Lsn> lsns, MonoTime until) {
    const bool newest = query.sort.descending;
    const auto before = [newest](Lsn a, Lsn b) { return newest ? b < a : a < b; };
    std::ranges::sort(lsns, before);
    const auto same = std::ranges::unique(lsns);
    lsns.erase(same.begin(), same.end());
    const std::optional<Lsn> last = lastOf(query);
    if (!last) co_return noCursor();
    if (last->value) lsns.erase(lsns.begin(), std::ranges::upper_bound(lsns, *last, before));
    std::size_t at = 0;
    auto page = co_await rowsOf(lsns, at, std::move(query), until);
    if (page) page->cursor = at < lsns.size() ? fmt::format("{}", lsns[at - 1].value) : std::string();
    co_return page;
}

coro::Task<Result<ListPage>> Listing::sorted(ListQuery query, store::PageFilter filter, MonoTime until) {
    const auto place = co_await parts_.orders.find(query, filter, until);
    if (!place) co_return std::unexpected(place.error());
    KeptOrder& order = *place->order;
    if (!order.made.isSet()) co_return ListPage{{}, parts_.orders.cursorAt(order, 0)};
    std::size_t at = place->at;
    auto page = co_await rowsOf(order.lsns, at, std::move(query), until);
    if (page && at < order.lsns.size()) page->cursor = parts_.orders.cursorAt(order, at);
    order.isReadToEnd = page && at >= order.lsns.size();
    co_return page;
}

coro::Task<Result<LsnPart>> Listing::lsns(ListQuery query) {
    auto whole = co_await parts_.selection.lookUp(std::move(query));
    if (!whole) co_return std::unexpected(whole.error());
    query = std::move(*whole);
    const Result<store::PageFilter> filter = parts_.selection.pageFilter(query);
    if (!filter) co_return std::unexpected(filter.error());
    const auto place = co_await parts_.orders.find(query, *filter, parts_.now() + kLookFor);
    if (!place) co_return std::unexpected(place.error());
    KeptOrder& order = *place->order;
    LsnPart part;
    if (!order.made.isSet()) {
        part.cursor = parts_.orders.cursorAt(order, 0);
        co_return part;
    }
    const std::size_t from = std::min(place->at, order.lsns.size());
    const std::size_t count = std::min(order.lsns.size() - from, static_cast<std::size_t>(query.limit));
    const auto first = order.lsns.begin() + static_cast<std::ptrdiff_t>(from);
    part.lsns.assign(first, first + static_cast<std::ptrdiff_t>(count));
    part.total = std::ssize(order.lsns);
    if (query.fold) part.matched = order.matched;
    order.isReadToEnd = from + count >= order.lsns.size();
    if (!order.isReadToEnd) part.cursor = parts_.orders.cursorAt(order, from + count);
    co_return part;
}

/// From `at` on, which is then the place to go on at. The page has no cursor.
coro::Task<Result<ListPage>> Listing::rowsOf(std::span<const Lsn> lsns, std::size_t& at, ListQuery query,
                                             MonoTime until) {
    ListPage page;
    while (at < lsns.size() && std::ssize(page.jobs) < query.limit) {
        const auto next = lsns.subspan(at, std::min(lsns.size() - at, query.limit - page.jobs.size()));
        auto rows = co_await parts_.journal.rows({next.begin(), next.end()}, lookLeft(until, parts_.now()));
        if (!rows) co_return std::unexpected(rows.error());
        for (ActionResult& row : rows->rows) {
            if (!parts_.rows.update(row) && !co_await parts_.rows.readAgain(row)) continue;
            if (parts_.selection.matches(query, row)) page.jobs.push_back(std::move(row));
        }
        at += rows->looked;
        if (parts_.now() >= until) break;
    }
    co_await parts_.rows.addNotes(page.jobs);
    co_return page;
}

coro::Task<Result<ListPage>> Listing::history(QueueSelector selector) {
    const auto queue = parts_.queues.numberIfNamed(selector.ref);
    if (!queue) co_return std::unexpected(queue.error());
    auto rows = co_await parts_.journal.history(kHistory, *queue);
    if (!rows) co_return std::unexpected(rows.error());
    parts_.rows.addAnnotations(*rows);
    co_return ListPage{std::move(*rows), {}};
}

} // namespace yard::engine
