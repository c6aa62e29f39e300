// Lists in other orders than that of the LSNs (kept_orders.h): what to sort by is read in portions, from the
// session here and from the journal on the reader thread; a helper sorts; pages then cost what their rows cost.
#include "core/engine/engine_core.h"
#include "core/engine/list_parts.h"

#include "core/coro/timeout.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace yard::engine {

namespace {

/// Of the journal, before others who read get their turn.
constexpr Duration kSortPortion{8'000};
constexpr std::size_t kRunIdShown = 8;

std::unexpected<Error> noCursor() {
    return fail(ErrorKind::Malformed,
                "\"cursor\" is none that a page of this list was answered with: begin without "
                "one.");
}

/// Run of the engine, order, place in it, and a number that differs.
struct Place {
    std::string_view run;
    std::uint64_t order = 0;
    std::uint64_t at = 0;
};

std::optional<Place> placeFrom(std::string_view cursor) {
    std::array<std::string_view, 4> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t dot = cursor.find('.');
        if ((dot == cursor.npos) != (i + 1 == parts.size())) return std::nullopt;
        parts[i] = cursor.substr(0, dot);
        cursor.remove_prefix(dot == cursor.npos ? cursor.size() : dot + 1);
    }
    Place place{.run = parts[0]};
    const auto read = [](std::string_view text, std::uint64_t& out) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        return error == std::errc{} && end == text.data() + text.size();
    };
    if (place.run.empty() || !read(parts[1], place.order) || !read(parts[2], place.at)) return std::nullopt;
    return place;
}

std::unexpected<Error> tooMany() {
    return fail(
        ErrorKind::AtLimit,
        fmt::format("More than {} actions match, too many to sort: narrow the list with a filter, or take it "
                    "by lsn.",
                    KeptOrders::kMostOfOne));
}

/// What the journal cannot decide by the numbers of a row.
bool looksAtWords(const ListQuery& query) {
    return !query.text.empty() ||
           std::ranges::any_of(query.filter.terms, [](const FilterTerm& term) { return !isOfNumbers(term.key); });
}

} // namespace

Result<std::shared_ptr<KeptOrder>> EngineCore::beginOrder(const ListQuery& query, const store::PageFilter& filter) {
    keepChanges();
    const MonoTime now = MonoClock::now();
    if (auto same = orders_.find(query, feed_.last(), now)) return same;
    const bool isFirst = orders_.empty();
    auto order = orders_.begin(query, feed_.last(), now);
    if (!order) return order;
    loop_.spawn("order", makeOrder(*order, filter));
    if (isFirst) loop_.spawn("kept orders", dropUnusedOrders());
    return order;
}

coro::Task<void> EngineCore::dropUnusedOrders() {
    while (!orders_.empty()) {
        co_await coro::sleepFor(KeptOrders::kKeep);
        orders_.dropUnused(MonoClock::now());
    }
}

/// The order of a list, begun or found by its cursor, once it is made, or not made by `until`.
coro::Task<Result<EngineCore::PlaceInOrder>> EngineCore::placeIn(const ListQuery& query,
                                                                 const store::PageFilter& filter, MonoTime until) {
    PlaceInOrder found;
    if (query.cursor.empty()) {
        auto begun = beginOrder(query, filter);
        if (!begun) co_return std::unexpected(begun.error());
        found.order = std::move(*begun);
    } else {
        const std::optional<Place> place = placeFrom(query.cursor);
        if (!place) co_return noCursor();
        if (place->run == runId_.substr(0, kRunIdShown)) found.order = orders_.find(place->order, MonoClock::now());
        if (!found.order)
            co_return fail(ErrorKind::WrongState, "The order of this list is not kept any more (it is for a minute "
                                                  "after its last page): begin without \"cursor\".");
        if (found.order->query.sort != query.sort) co_return noCursor();
        found.at = place->at;
    }
    co_await coro::comesWithin(until - MonoClock::now(), found.order->made);
    if (found.order->failed) co_return std::unexpected(*found.order->failed);
    co_return found;
}

/// Of an order in the making another one each time.
std::string EngineCore::cursorAt(KeptOrder& order, std::size_t at) const {
    const std::uint64_t looks = order.made.isSet() ? 0 : ++order.looks;
    return fmt::format("{}.{}.{}.{}", runId_.substr(0, kRunIdShown), order.id, at, looks);
}

coro::Task<Result<ListPage>> EngineCore::listSorted(ListQuery query, store::PageFilter filter, MonoTime until) {
    const auto place = co_await placeIn(query, filter, until);
    if (!place) co_return std::unexpected(place.error());
    KeptOrder& order = *place->order;
    if (!order.made.isSet()) co_return ListPage{{}, cursorAt(order, 0)};
    std::size_t at = place->at;
    auto page = co_await pageOf(order.lsns, at, std::move(query), until);
    if (page && at < order.lsns.size()) page->cursor = cursorAt(order, at);
    co_return page;
}

coro::Task<Result<LsnPart>> EngineCore::listLsns(ListQuery query) {
    const Result<store::PageFilter> filter = pageFilter(query);
    if (!filter) co_return std::unexpected(filter.error());
    const auto place = co_await placeIn(query, *filter, MonoClock::now() + kLookFor);
    if (!place) co_return std::unexpected(place.error());
    KeptOrder& order = *place->order;
    LsnPart part;
    if (!order.made.isSet()) {
        part.cursor = cursorAt(order, 0);
        co_return part;
    }
    const std::size_t from = std::min(place->at, order.lsns.size());
    const std::size_t count = std::min(order.lsns.size() - from, static_cast<std::size_t>(query.limit));
    const auto first = order.lsns.begin() + static_cast<std::ptrdiff_t>(from);
    part.lsns.assign(first, first + static_cast<std::ptrdiff_t>(count));
    part.total = std::ssize(order.lsns);
    if (from + count < order.lsns.size()) part.cursor = cursorAt(order, from + count);
    co_return part;
}

/// By LSN, of those that a filter names one by one: what lies between them is not walked through.
coro::Task<Result<ListPage>> EngineCore::listNamed(ListQuery query, std::vector<Lsn> lsns, MonoTime until) {
    const bool newest = query.sort.descending;
    const auto before = [newest](Lsn a, Lsn b) { return newest ? b < a : a < b; };
    std::ranges::sort(lsns, before);
    const auto same = std::ranges::unique(lsns);
    lsns.erase(same.begin(), same.end());
    if (!query.cursor.empty()) {
        const std::optional<Lsn> last = lsnFrom(query.cursor);
        if (!last) co_return noCursor();
        lsns.erase(lsns.begin(), std::ranges::upper_bound(lsns, *last, before));
    }
    std::size_t at = 0;
    auto page = co_await pageOf(lsns, at, std::move(query), until);
    if (page) page->cursor = at < lsns.size() ? fmt::format("{}", lsns[at - 1].value) : std::string();
    co_return page;
}

/// From `at` on, which is then the place to go on at. The page has no cursor.
coro::Task<Result<ListPage>> EngineCore::pageOf(std::span<const Lsn> lsns, std::size_t& at, ListQuery query,
                                                MonoTime until) {
    ListPage page;
    while (at < lsns.size() && std::ssize(page.jobs) < query.limit) {
        const auto next = lsns.subspan(at, std::min(lsns.size() - at, query.limit - page.jobs.size()));
        std::vector<Lsn> some(next.begin(), next.end());
        auto rows = co_await read(
            [some = std::move(some), until](store::Reader& reader) { return reader.rows(some, lookLeft(until)); });
        if (!rows) co_return std::unexpected(rows.error());
        for (ActionResult& row : rows->rows) {
            if (!isEnded(row.state) && !session_->live(row.lsn)) {
                // It ended, or entered, while we read.
                Result<ActionResult> again = co_await action(row.lsn);
                if (!again) continue;
                row = std::move(*again);
                row.attempts.clear();
            } else if (!isEnded(row.state)) {
                overlay(row);
            }
            if (matches(query, row)) page.jobs.push_back(std::move(row));
        }
        at += rows->looked;
        if (MonoClock::now() >= until) break;
    }
    co_await addNotes(page.jobs);
    co_return page;
}

// --- making one

coro::Task<void> EngineCore::makeOrder(std::shared_ptr<KeptOrder> order, store::PageFilter filter) {
    const coro::SemaphoreUnits turn = co_await ordersInTheMaking_.hold();
    orders_.finish(*order, co_await orderOf(*order, std::move(filter)));
}

/// What lives is looked at first: what ends meanwhile is then seen at least once. What is put back meanwhile may be
/// seen by neither look; it is noted as it happens.
coro::Task<Result<std::vector<Lsn>>> EngineCore::orderOf(const KeptOrder& order, store::PageFilter filter) {
    ListQuery query = order.query;
    if (const auto whole = co_await findCommands(query, MonoTime::max()); !whole)
        co_return std::unexpected(whole.error());
    const WallMicros now = scale_.at(MonoClock::now());
    const std::optional<QueueId> queue = filter.queue;
    OrderParts parts{.ended = {}, .live = {}, .putBack = {}, .names = {}, .descending = query.sort.descending};
    if (wantsLive(query, session_->state())) parts.live = co_await liveKeys(query, queue);
    if (wantsEnded(query)) {
        const auto read = co_await endedKeys(query, std::move(filter), now, parts.ended);
        if (!read) co_return std::unexpected(read.error());
    }
    if (parts.live.size() + parts.ended.size() > KeptOrders::kMostOfOne) co_return tooMany();
    if (!order.putBack.empty()) // with those that are pending only since then
        if (const auto whole = co_await findCommands(query, MonoTime::max()); !whole)
            co_return std::unexpected(whole.error());
    LiveMatcher matcher(matcherParts(), query, queue);
    for (const Lsn lsn : order.putBack)
        if (const auto live = session_->live(lsn); live && matcher.matches(*live))
            parts.putBack.push_back({liveKey(*live, query.sort.field, now), lsn});
    parts.names = co_await namesFor(query.sort.field);
    co_return co_await helpers_->run([parts = std::move(parts)]() mutable { return arrange(std::move(parts)); });
}

std::int64_t EngineCore::liveKey(const session::LiveView& live, SortField field, WallMicros now) const {
    if (field == SortField::Worker || field == SortField::Function) return live.cls.value;
    if (field == SortField::Label) return live.label.value == 0 ? store::SortKey::kUnknown : live.label.value;
    ActionResult shown;
    shown.lsn = live.lsn;
    shown.queue = live.queue;
    shown.state = live.state;
    shown.held = live.held;
    shown.retryAt = live.backoff && live.wakesAt != MonoTime{} ? scale_.at(live.wakesAt) : 0;
    shown.retryCount = live.retries.retryCount;
    shown.priority = live.priority;
    shown.times[ActionState::New] = live.submitTime;
    if (const Attempt* attempt = dispatcher_->find(live.lsn)) {
        const Timestamps& times = attempt->record.times;
        shown.hungSince = attempt->hungSince;
        shown.times[ActionState::Submitting] = times[ActionState::Submitting];
        shown.times[ActionState::Running] = times[ActionState::Running];
        shown.times.exited = times.exited;
    }
    return sortNumber(shown, field, now).value_or(store::SortKey::kUnknown);
}

coro::Task<KeyPieces> EngineCore::liveKeys(const ListQuery& query, std::optional<QueueId> queue) {
    LiveMatcher matcher(matcherParts(), query, queue);
    const WallMicros now = scale_.at(MonoClock::now());
    KeyPieces keys;
    const auto take = [&](const session::LiveView& live) {
        if (matcher.matches(live)) keys.push({liveKey(live, query.sort.field, now), live.lsn});
    };
    if (onlyRunning(query)) {
        std::vector<Lsn> running = session_->runningActions();
        std::ranges::sort(running);
        for (const Lsn lsn : running)
            if (const auto live = session_->live(lsn)) take(*live);
        co_return keys;
    }
    for (Lsn next{1}; next.value > 0 && keys.size() <= KeptOrders::kMostOfOne;) {
        next = session_->walkLive(next, kPerSlice, take);
        if (next.value > 0) co_await coro::yieldNow();
    }
    co_return keys;
}

/// The keys of what the journal alone can choose; those that words decide are chosen row by row, and the rest left
/// out.
coro::Task<Result<void>> EngineCore::endedKeys(const ListQuery& query, store::PageFilter filter, WallMicros now,
                                               KeyPieces& keys) {
    std::optional<std::vector<Lsn>> chosen;
    if (looksAtWords(query)) {
        auto found = co_await endedThatMatch(query, filter);
        if (!found) co_return std::unexpected(found.error());
        chosen = std::move(*found);
        if (chosen->empty()) co_return Result<void>{};
        filter.from = chosen->front();
        filter.to = chosen->back();
        filter.numbers = {}; // they hold of what was chosen
    }
    filter.lookFor = kSortPortion;
    auto next = chosen ? chosen->begin() : std::vector<Lsn>::iterator();
    for (Lsn cursor{};;) {
        auto portion = co_await read([filter, field = query.sort.field, cursor, now](store::Reader& reader) {
            return reader.sortKeys(filter, field, cursor, now);
        });
        if (!portion) co_return std::unexpected(portion.error());
        if (chosen)
            std::erase_if(portion->keys, [&](const store::SortKey& key) {
                while (next != chosen->end() && *next < key.lsn) ++next;
                return next == chosen->end() || *next != key.lsn;
            });
        keys.append(std::move(portion->keys));
        if (keys.size() > KeptOrders::kMostOfOne) co_return tooMany();
        cursor = portion->cursor;
        if (cursor.value == 0) co_return Result<void>{};
    }
}

coro::Task<Result<std::vector<Lsn>>> EngineCore::endedThatMatch(const ListQuery& query, store::PageFilter filter) {
    filter.lookFor = kSortPortion;
    std::vector<Lsn> found;
    for (Lsn cursor{};;) {
        auto page = co_await read([filter, cursor](store::Reader& reader) {
            return reader.page(filter, store::PageOrder::OldestFirst, kRowsAtOnce, cursor);
        });
        if (!page) co_return std::unexpected(page.error());
        for (const ActionResult& row : page->rows)
            if (accepts(query, row)) found.push_back(row.lsn);
        if (found.size() > KeptOrders::kMostOfOne) co_return tooMany();
        cursor = page->cursor;
        if (cursor.value == 0) co_return found;
    }
}

/// By number; empty for fields that have none.
coro::Task<std::vector<SortName>> EngineCore::namesFor(SortField field) {
    static const std::string kNothing;
    std::vector<SortName> names;
    if (!isNamed(field)) co_return names;
    const bool isLabel = field == SortField::Label;
    // What is added meanwhile is of actions that came later.
    const std::size_t count = isLabel ? dictionary_.labelCount() : dictionary_.classCount();
    names.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto number = static_cast<std::uint32_t>(i);
        if (isLabel) {
            names.push_back({&dictionary_.label(number), &kNothing});
        } else {
            const ClassKey& key = dictionary_.classKey(number);
            names.push_back(field == SortField::Worker ? SortName{&key.workerName, &key.workerId}
                                                       : SortName{&key.function, &kNothing});
        }
        if (i % kPerSlice == kPerSlice - 1) co_await coro::yieldNow();
    }
    co_return names;
}

} // namespace yard::engine
