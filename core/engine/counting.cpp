// How many: actions of a list, and pending ones by the reason for which they have not started.
#include "core/engine/engine_core.h"

#include "core/engine/list_parts.h"
#include "core/engine/live_matcher.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace yard::engine {

namespace {

/// A count is answered after this long, whole or not; what is asked of the journal for it is asked in such
/// portions.
constexpr Duration kCountFor{250'000};
constexpr Duration kCountPortion{20'000};
/// Reasons are counted anew after a second, or after so many times as long as it took: a twentieth of the engine's
/// time.
constexpr Duration kReasonsHold{1'000'000};
constexpr int kReasonsShare = 20;

/// All that live, of a queue or of all.
bool isUnfiltered(const ListQuery& query) {
    return !query.heldOnly && !query.retryOnly && query.states.empty() && query.worker.empty() &&
           query.label.empty() && query.text.empty() && query.filter.empty();
}

} // namespace

// --- lists

coro::Task<std::int64_t> EngineCore::countLive(ListQuery query, std::optional<QueueId> queue, MonoTime until,
                                               bool& isExact) {
    if (isUnfiltered(query)) {
        if (!queue) co_return session_->counts().all.active();
        const auto status = session_->queueStatus(*queue);
        co_return status ? status->counters.active() : 0;
    }
    const MonoTime now = MonoClock::now();
    const auto isWhole = co_await findCommands(query, now + (until - now) / 2); // the rest is for the walk
    if (!isWhole || !*isWhole) isExact = false;
    LiveMatcher matcher(matcherParts(), query, queue);
    std::int64_t count = 0;
    for (Lsn next{1}; next.value > 0;) {
        next = session_->walkLive(next, kPerSlice, [&](const session::LiveView& live) {
            if (!isEnded(live.state) && matcher.matches(live)) ++count;
        });
        if (next.value > 0 && MonoClock::now() >= until) {
            isExact = false;
            break;
        }
        if (next.value > 0) co_await coro::yieldNow();
    }
    co_return count;
}

coro::Task<Result<std::int64_t>> EngineCore::countEnded(ListQuery query, MonoTime until, bool& isExact) {
    Result<store::PageFilter> filter = pageFilter(query);
    if (!filter) co_return std::unexpected(filter.error());
    filter->lookFor = kCountPortion;
    // What the journal's numbers do not decide is looked at row by row.
    const bool byNumbers = query.text.empty() && filter->numbers.terms.size() == query.filter.terms.size();
    std::int64_t count = 0;
    Lsn cursor{};
    do {
        if (byNumbers) {
            const auto counted = co_await read(
                [filter = *filter, cursor](store::Reader& reader) { return reader.count(filter, cursor); });
            if (!counted) co_return std::unexpected(counted.error());
            count += counted->count;
            cursor = counted->cursor;
        } else {
            auto pages = co_await readPages(*filter, false, kRowsAtOnce, cursor, false, true);
            if (!pages) co_return std::unexpected(pages.error());
            count += std::ranges::count_if((*pages)[1].rows,
                                           [&](const ActionResult& row) { return accepts(query, row); });
            cursor = (*pages)[1].cursor;
        }
        if (cursor.value > 0 && MonoClock::now() >= until) {
            isExact = false;
            break;
        }
    } while (cursor.value > 0);
    co_return count;
}

coro::Task<Result<ListCount>> EngineCore::count(ListQuery query) {
    const auto queue = queueIdOf(query.queue);
    if (!queue) co_return std::unexpected(queue.error());
    const MonoTime until = MonoClock::now() + kCountFor;
    ListCount counted;
    if (wantsLive(query, session_->state()))
        counted.count = co_await countLive(query, *queue, until, counted.isExact);
    if (wantsEnded(query)) {
        const auto ended = co_await countEnded(std::move(query), until, counted.isExact);
        if (!ended) co_return std::unexpected(ended.error());
        counted.count += *ended;
    }
    co_return counted;
}

// --- reasons

namespace {

/// What makes two actions wait for the same.
using ReasonKey = std::tuple<WaitKind, std::string, std::string, std::string, std::string, std::int64_t>;

bool isOfQueue(const Wait& wait) {
    return wait.kind == WaitKind::Limit || (wait.kind == WaitKind::Hold && wait.of == "queue");
}

std::string filterFor(const Wait& wait, QueueId queue) {
    if (wait.kind == WaitKind::Hold && wait.of == "action") return "state:held";
    if (wait.kind == WaitKind::Backoff) return "state:retry";
    if (!isOfQueue(wait)) return {};
    std::string filter = fmt::format("state:pending queue:{}", queue.value);
    // A label with a quote in it cannot be written in a filter.
    if (!wait.label.empty() && wait.label.find_first_of("\"*") == std::string::npos)
        filter += fmt::format(" label:\"{}\"", wait.label);
    return filter;
}

Wait plainWait(WaitKind kind, std::string message) {
    Wait wait;
    wait.kind = kind;
    wait.message = std::move(message);
    return wait;
}

} // namespace

/// The first reason of an action, in words that suit all who have it.
Wait EngineCore::reasonOf(const session::LiveView& live) const {
    const auto waiting = session_->waiting(live.lsn, false);
    if (!waiting) return plainWait(WaitKind::NoRunner, "on their way");
    std::vector<Wait> waits = waitsOf(live.lsn, *waiting, true);
    if (waits.empty()) return plainWait(WaitKind::NoRunner, "on their way");
    Wait wait = std::move(waits.front());
    if (wait.kind == WaitKind::Hold && wait.of == "action") wait.message = "held by hand";
    if (wait.kind == WaitKind::Dependency) wait = plainWait(WaitKind::Dependency, "other actions to end");
    if (wait.kind == WaitKind::Backoff) wait = plainWait(WaitKind::Backoff, "back-off after a failure");
    if (wait.kind == WaitKind::NotBefore) wait = plainWait(WaitKind::NotBefore, "not before a time of their own");
    if (wait.resource == "processes") // numbers of one worker are not those of another
        wait.message = wait.name == "pool_max" ? "the pool is full"
                       : wait.name.empty()
                           ? "a warm process of their worker"
                           : fmt::format("all warm processes of their worker are busy ({})", wait.name);
    if (wait.kind == WaitKind::Start) wait = plainWait(WaitKind::Start, "being started");
    wait.position.reset();
    return wait;
}

coro::Task<WaitingView> EngineCore::waiting() {
    const auto guard = co_await waitingMutex_.lock();
    const MonoTime begun = MonoClock::now();
    if (begun < waitingUntil_) co_return waiting_;
    struct Reason {
        WaitingRow row;
        QueueId queue;
    };
    std::map<ReasonKey, Reason> reasons;
    // What only depends on queue, kind and, where it has limits, label is looked up once for all of them.
    std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, Reason*> alike;
    WaitingView view;
    const auto take = [&](const session::LiveView& live) {
        if (live.state != ActionState::Pending || live.ending) return;
        const bool isOwn = live.held || live.unmet > 0 || live.wakesAt != MonoTime{} || live.leased;
        const QueueConfig* config = session_->queueConfig(live.queue);
        const std::uint32_t label = config && !config->labelLimits.empty() ? live.label.value : 0;
        Reason** known = isOwn ? nullptr : &alike[{live.queue.value, live.cls.value, label}];
        if (known && *known) {
            ++(*known)->row.count;
            return;
        }
        Wait wait = reasonOf(live);
        const QueueId queue = isOfQueue(wait) ? live.queue : QueueId{};
        ReasonKey key{wait.kind, wait.of, wait.resource, wait.name, wait.label, queue.value};
        if (!reasons.contains(key) && reasons.size() >= kMostWaitingRows) {
            ++view.others;
            return;
        }
        Reason& reason = reasons[std::move(key)];
        if (reason.row.count == 0) {
            reason.row.filter = filterFor(wait, queue);
            if (isOfQueue(wait)) reason.row.queue = queue;
            reason.row.wait = std::move(wait);
        }
        ++reason.row.count;
        if (known) *known = &reason;
    };
    for (Lsn next{1}; next.value > 0;) {
        next = session_->walkLive(next, kPerSlice, take);
        if (next.value > 0) co_await coro::yieldNow();
    }
    for (auto& [key, reason] : reasons) view.rows.push_back(std::move(reason.row));
    std::ranges::sort(view.rows, [](const WaitingRow& a, const WaitingRow& b) {
        return a.count != b.count ? a.count > b.count : a.wait.message < b.wait.message;
    });
    const MonoTime now = MonoClock::now();
    view.t = scale_.at(now);
    waiting_ = view;
    waitingUntil_ = now + std::max(kReasonsHold, (now - begun) * kReasonsShare);
    co_return view;
}

} // namespace yard::engine
