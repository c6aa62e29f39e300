#include "core/engine/reading/orders.h"

#include "core/coro/timeout.h"
#include "core/engine/state/list_parts.h"
#include "core/engine/state/slice.h"
#include "core/session/live_views.h"
#include "core/session/place_commands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <span>

namespace yard::engine {

namespace {

/// Of the journal, before others who read get their turn.
constexpr Duration kSortPortion{8'000};
constexpr std::size_t kRunIdShown = 8;
/// Whose places are found in one walk: far fewer than are kept.
constexpr std::size_t kQueuesInOneWalk = 1'000;

/// Run of the engine, order, place in it, and a number that differs.
struct Named {
    std::string_view run;
    std::uint64_t order = 0;
    std::uint64_t at = 0;
};

std::optional<Named> placeFrom(std::string_view cursor) {
    std::array<std::string_view, 4> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t dot = cursor.find('.');
        if ((dot == cursor.npos) != (i + 1 == parts.size())) return std::nullopt;
        parts[i] = cursor.substr(0, dot);
        cursor.remove_prefix(dot == cursor.npos ? cursor.size() : dot + 1);
    }
    Named place{.run = parts[0]};
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
                    SortedListCache::kMostOfOne));
}

/// What the journal cannot decide by the numbers of a row.
bool looksAtWords(const ListQuery& query) {
    return !query.text.empty() ||
           std::ranges::any_of(query.filter.terms, [](const FilterTerm& term) { return !isOfNumbers(term.key); });
}

} // namespace

std::unexpected<Error> noCursor() {
    return fail(ErrorKind::Malformed,
                "\"cursor\" is none that a page of this list was answered with: begin without "
                "one.");
}

Result<std::shared_ptr<KeptOrder>> Orders::begin(const ListQuery& query, const store::PageFilter& filter) {
    parts_.changes.keep();
    const MonoTime now = parts_.now();
    if (auto same = kept_.find(query, parts_.changes.feed().last(), now)) return same;
    const bool isFirst = kept_.empty();
    auto order = kept_.begin(query, parts_.changes.feed().last(), now);
    if (!order) return order;
    parts_.spawn("order", make(*order, filter));
    if (isFirst) parts_.spawn("kept orders", dropUnused());
    return order;
}

coro::Task<void> Orders::dropUnused() {
    while (!kept_.empty()) {
        co_await coro::sleepFor(SortedListCache::kKeep);
        kept_.dropUnused(parts_.now());
    }
}

coro::Task<Result<Orders::Place>> Orders::find(ListQuery query, store::PageFilter filter, MonoTime until) {
    YARD_ASSERT_OWNER(owner_);
    Place found;
    if (query.cursor.empty()) {
        auto begun = begin(query, filter);
        if (!begun) co_return std::unexpected(begun.error());
        found.order = std::move(*begun);
    } else {
        const std::optional<Named> place = placeFrom(query.cursor);
        if (!place) co_return noCursor();
        if (place->run == parts_.run.substr(0, kRunIdShown)) found.order = kept_.find(place->order, parts_.now());
        if (!found.order)
            co_return fail(ErrorKind::WrongState, "The order of this list is not kept any more (it is for a minute "
                                                  "after its last page): begin without \"cursor\".");
        const ListQuery& list = found.order->query;
        if (list.sort != query.sort || list.fold != query.fold) co_return noCursor();
        found.at = place->at;
    }
    co_await coro::comesWithin(until - parts_.now(), found.order->made);
    if (found.order->failed) co_return std::unexpected(*found.order->failed);
    co_return found;
}

std::string Orders::cursorAt(KeptOrder& order, std::size_t at) const {
    const std::uint64_t looks = order.made.isSet() ? 0 : ++order.looks;
    return fmt::format("{}.{}.{}.{}", parts_.run.substr(0, kRunIdShown), order.id, at, looks);
}

// --- making one

coro::Task<void> Orders::make(std::shared_ptr<KeptOrder> order, store::PageFilter filter) {
    const coro::SemaphoreUnits turn = co_await inTheMaking_.hold();
    auto lsns = co_await inOrder(*order, std::move(filter));
    if (lsns && order->query.fold) {
        order->matched = std::ssize(*lsns);
        lsns = co_await folded(std::move(*lsns));
    }
    kept_.finish(*order, std::move(lsns));
}

/// What of an array or a list comes after its first one is left out.
coro::Task<Result<std::vector<Lsn>>> Orders::folded(std::vector<Lsn> lsns) {
    std::vector<store::LsnRun> folds;
    for (Lsn behind{};;) {
        const auto portion = co_await parts_.journal.foldRuns(behind, kSortPortion);
        if (!portion) co_return std::unexpected(portion.error());
        folds.insert(folds.end(), portion->runs.begin(), portion->runs.end());
        if (folds.size() > SortedListCache::kMostOfOne) co_return tooMany();
        behind = portion->cursor;
        if (behind.value == 0) break;
    }
    co_return co_await parts_.helpers.run([lsns = std::move(lsns), folds = std::move(folds)]() mutable {
        return firstOfEach(std::move(lsns), folds);
    });
}

/// What lives is looked at first: what ends meanwhile is then seen at least once. What is put back meanwhile may be
/// seen by neither look; it is noted as it happens.
coro::Task<Result<std::vector<Lsn>>> Orders::inOrder(const KeptOrder& order, store::PageFilter filter) {
    ListQuery query = order.query;
    if (const auto whole = co_await parts_.selection.findCommands(query, MonoTime::max()); !whole)
        co_return std::unexpected(whole.error());
    const WallMicros now = parts_.scale.at(parts_.now());
    const std::optional<QueueId> queue = filter.queue;
    OrderParts parts{.ended = {}, .live = {}, .putBack = {}, .names = {}, .descending = query.sort.descending};
    if (wantsLive(query, parts_.session.state())) parts.live = co_await liveKeys(query, queue);
    if (wantsEnded(query)) {
        const auto read = co_await endedKeys(query, std::move(filter), now, parts.ended);
        if (!read) co_return std::unexpected(read.error());
    }
    if (parts.live.size() + parts.ended.size() > SortedListCache::kMostOfOne) co_return tooMany();
    if (!order.putBack.empty()) // with those that are pending only since then
        if (const auto whole = co_await parts_.selection.findCommands(query, MonoTime::max()); !whole)
            co_return std::unexpected(whole.error());
    LiveMatcher matcher = parts_.selection.matcher(query, queue);
    for (const Lsn lsn : order.putBack)
        if (const auto live = parts_.session.views().live(lsn); live && matcher.matches(*live))
            parts.putBack.push_back({liveKey(*live, query.sort.field, now), lsn});
    parts.names = co_await namesFor(query.sort.field);
    co_return co_await parts_.helpers.run(
        [parts = std::move(parts)]() mutable { return arrange(std::move(parts)); });
}

std::int64_t Orders::liveKey(const session::LiveView& live, SortField field, WallMicros now) const {
    if (field == SortField::Worker || field == SortField::Function) return live.cls.value;
    if (field == SortField::Label) return live.label.value == 0 ? store::SortKey::kUnknown : live.label.value;
    ActionResult shown;
    shown.lsn = live.lsn;
    shown.queue = live.queue;
    shown.state = live.state;
    shown.held = live.held;
    shown.retryAt = live.backoff && live.wakesAt != MonoTime{} ? parts_.scale.at(live.wakesAt) : 0;
    shown.retryCount = live.retries.retryCount;
    shown.priority = live.priority;
    shown.times[ActionState::New] = live.submitTime;
    shown.times[ActionState::Pending] = parts_.rows.pendingSince(live);
    if (const Attempt* attempt = parts_.attempt(live.lsn)) {
        const Timestamps& times = attempt->record.times;
        shown.hungSince = attempt->hungSince;
        shown.times[ActionState::Submitting] = times[ActionState::Submitting];
        shown.times[ActionState::Running] = times[ActionState::Running];
        shown.times.exited = times.exited;
    }
    return sortNumber(shown, field, now).value_or(store::SortKey::kUnknown);
}

/// By LSN. Numbers of one moment each queue: told one by one they would shift under the walk.
coro::Task<std::vector<store::SortKey>> Orders::placesNow(std::optional<QueueId> queue) {
    std::set<QueueId> queues;
    if (queue) queues.insert(*queue);
    for (Lsn next{1}; next.value > 0 && !queue;) {
        next = parts_.session.views().walk(next, kPerSlice, [&](const session::LiveView& live) {
            if (live.state == ActionState::Pending) queues.insert(live.queue);
        });
        if (next.value > 0) co_await coro::yieldNow();
    }
    std::vector<store::SortKey> numbers;
    const std::vector<QueueId> wanted(queues.begin(), queues.end());
    for (std::span<const QueueId> rest(wanted); !rest.empty();) {
        const auto together = rest.first(std::min(rest.size(), kQueuesInOneWalk));
        rest = rest.subspan(together.size());
        while (!parts_.places.prepare(together, kPerSlice)) co_await coro::yieldNow();
        for (const QueueId one : together) {
            while (!parts_.places.prepare(one, kPerSlice)) co_await coro::yieldNow(); // forgotten meanwhile
            std::int64_t number = 0;
            for (const Lsn lsn : parts_.places.inOrder(one)) numbers.push_back({++number, lsn});
            co_await coro::yieldNow();
        }
    }
    co_return co_await parts_.helpers.run([numbers = std::move(numbers)]() mutable {
        std::ranges::sort(numbers, {}, &store::SortKey::lsn);
        return std::move(numbers);
    });
}

coro::Task<KeyPieces> Orders::liveKeys(const ListQuery& query, std::optional<QueueId> queue) {
    std::vector<store::SortKey> places;
    if (query.sort.field == SortField::Place && !onlyRunning(query)) places = co_await placesNow(queue);
    LiveMatcher matcher = parts_.selection.matcher(query, queue);
    const WallMicros now = parts_.scale.at(parts_.now());
    KeyPieces keys;
    auto place = places.begin();
    const auto take = [&](const session::LiveView& live) {
        if (!matcher.matches(live)) return;
        while (place != places.end() && place->lsn < live.lsn) ++place;
        const bool hasPlace = place != places.end() && place->lsn == live.lsn && live.state == ActionState::Pending;
        keys.push({hasPlace ? place->key : liveKey(live, query.sort.field, now), live.lsn});
    };
    if (onlyRunning(query)) {
        std::vector<Lsn> running = parts_.session.views().running();
        std::ranges::sort(running);
        for (const Lsn lsn : running)
            if (const auto live = parts_.session.views().live(lsn)) take(*live);
        co_return keys;
    }
    for (Lsn next{1}; next.value > 0 && keys.size() <= SortedListCache::kMostOfOne;) {
        next = parts_.session.views().walk(next, kPerSlice, take);
        if (next.value > 0) co_await coro::yieldNow();
    }
    co_return keys;
}

/// The keys of what the journal alone can choose; those that words decide are chosen row by row, and the rest left
/// out.
coro::Task<Result<void>> Orders::endedKeys(const ListQuery& query, store::PageFilter filter, WallMicros now,
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
        auto portion = co_await parts_.journal.sortKeys(filter, query.sort.field, cursor, now);
        if (!portion) co_return std::unexpected(portion.error());
        if (chosen)
            std::erase_if(portion->keys, [&](const store::SortKey& key) {
                while (next != chosen->end() && *next < key.lsn) ++next;
                return next == chosen->end() || *next != key.lsn;
            });
        keys.append(std::move(portion->keys));
        if (keys.size() > SortedListCache::kMostOfOne) co_return tooMany();
        cursor = portion->cursor;
        if (cursor.value == 0) co_return Result<void>{};
    }
}

coro::Task<Result<std::vector<Lsn>>> Orders::endedThatMatch(const ListQuery& query, store::PageFilter filter) {
    filter.lookFor = kSortPortion;
    std::vector<Lsn> found;
    for (Lsn cursor{};;) {
        auto page = co_await parts_.journal.page(filter, kRowsAtOnce, cursor);
        if (!page) co_return std::unexpected(page.error());
        for (const ActionResult& row : page->rows)
            if (parts_.selection.accepts(query, row)) found.push_back(row.lsn);
        if (found.size() > SortedListCache::kMostOfOne) co_return tooMany();
        cursor = page->cursor;
        if (cursor.value == 0) co_return found;
    }
}

/// By number; empty for fields that have none.
coro::Task<std::vector<SortName>> Orders::namesFor(SortField field) {
    static const std::string kNothing;
    std::vector<SortName> names;
    if (!isNamed(field)) co_return names;
    const bool isLabel = field == SortField::Label;
    // What is added meanwhile is of actions that came later.
    const std::size_t count = isLabel ? parts_.dictionary.labelCount() : parts_.dictionary.classCount();
    names.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto number = static_cast<std::uint32_t>(i);
        if (isLabel) {
            names.push_back({&parts_.dictionary.label(number), &kNothing});
        } else {
            const ClassKey& key = parts_.dictionary.classKey(number);
            names.push_back(field == SortField::Worker ? SortName{&key.workerName, &key.workerId}
                                                       : SortName{&key.function, &kNothing});
        }
        if (i % kPerSlice == kPerSlice - 1) co_await coro::yieldNow();
    }
    co_return names;
}

} // namespace yard::engine
