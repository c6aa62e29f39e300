#include "core/engine/reading/waiting_counts.h"

#include "core/engine/state/slice.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"
#include "core/session/wait_reasons.h"

#include <algorithm>
#include <compare>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>

namespace yard::engine {

namespace {

/// How long a count is the answer: a second, or as many times as long as it took, so that counting takes a twentieth
/// of the engine's time.
constexpr Duration kReasonsHold{1'000'000};
constexpr int kReasonsShare = 20;

/// So many are told apart while they are counted: the largest are the answer.
constexpr std::size_t kMostReasons = 1'000;

/// What makes two actions wait for the same.
struct ReasonKey {
    WaitKind kind;
    std::string of;
    std::string resource;
    std::string name;
    std::string label;
    std::string wording;
    double need;
    Lsn keptFor;
    QueueId queue;
    auto operator<=>(const ReasonKey&) const = default;
};

/// What is said, without its numbers: those change while others are counted, the reason does not. Elsewhere what the
/// reason is about says it all.
std::string wordingOf(const Wait& wait) {
    if (wait.kind != WaitKind::Capacity && wait.kind != WaitKind::NoRunner) return {};
    std::string wording = wait.message;
    std::erase_if(wording, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    return wording;
}

ReasonKey keyOf(const Wait& wait, QueueId queue) {
    return {.kind = wait.kind,
            .of = wait.of,
            .resource = wait.resource,
            .name = wait.name,
            .label = wait.label,
            .wording = wordingOf(wait),
            .need = wait.need.value_or(0),
            .keptFor = wait.keptFor,
            .queue = queue};
}

bool isOfQueue(const Wait& wait) {
    return wait.kind == WaitKind::Limit || (wait.kind == WaitKind::Hold && wait.of == "queue");
}

/// What is counted for an earlier reason is left out: a hold of its own comes before that of its queue, and both before
/// a back-off.
std::string filterFor(const Wait& wait, QueueId queue) {
    if (wait.kind == WaitKind::Hold && wait.of == "action") return "state:held";
    if (wait.kind == WaitKind::Backoff) return "state:retry -state:held";
    if (!isOfQueue(wait)) return {};
    std::string filter = fmt::format("state:pending queue:{} -state:{}", queue.value,
                                     wait.kind == WaitKind::Limit ? "held,retry" : "held");
    // A label with a quote in it cannot be written in a filter.
    if (!wait.label.empty() && wait.label.find_first_of("\"*") == std::string::npos)
        filter += fmt::format(" label:\"{}\"", wait.label);
    return filter;
}

} // namespace

/// One walk: actions by what they wait for.
class WaitingCounts::Tally {
public:
    explicit Tally(const WaitingCounts& of)
        : of_(of) {}

    void take(const session::LiveView& live) {
        if (live.state != ActionState::Pending || live.ending) return;
        const bool isOwn = live.held || live.unmet > 0 || live.wakesAt != MonoTime{} || live.leased;
        const QueueConfig* config = of_.parts_.session.queues().configOf(live.queue);
        const std::uint32_t label = config && !config->labelLimits.empty() ? live.label.value : 0;
        WaitingRow** known = isOwn ? nullptr : &alike_[{live.queue.value, live.cls.value, label}];
        if (known && *known) {
            ++(*known)->count;
            return;
        }
        WaitingRow* row = rowFor(live);
        if (!row) return;
        ++row->count;
        if (known) *known = row;
    }

    WaitingView view() {
        WaitingView view;
        view.others = others_;
        for (auto& [key, row] : rows_) view.rows.push_back(std::move(row));
        std::ranges::sort(view.rows, [](const WaitingRow& a, const WaitingRow& b) {
            return a.count != b.count ? a.count > b.count : a.wait.message < b.wait.message;
        });
        for (; view.rows.size() > kMostWaitingRows; view.rows.pop_back()) view.others += view.rows.back().count;
        return view;
    }

private:
    /// Null: there are as many already.
    WaitingRow* rowFor(const session::LiveView& live) {
        Wait wait = of_.reasonOf(live);
        const QueueId queue = isOfQueue(wait) ? live.queue : QueueId{};
        ReasonKey key = keyOf(wait, queue);
        if (!rows_.contains(key) && rows_.size() >= kMostReasons) {
            ++others_;
            return nullptr;
        }
        WaitingRow& row = rows_[std::move(key)];
        if (row.count == 0) {
            row.filter = filterFor(wait, queue);
            if (isOfQueue(wait)) row.queue = queue;
            row.wait = std::move(wait);
        }
        return &row;
    }

    const WaitingCounts& of_;
    std::map<ReasonKey, WaitingRow> rows_;
    /// What only depends on queue, kind and, where it has limits, label is looked up once for all of them.
    std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, WaitingRow*> alike_;
    std::int64_t others_ = 0;
};

/// The first reason of an action, in words that suit all who have it.
Wait WaitingCounts::reasonOf(const session::LiveView& live) const {
    const auto waiting = parts_.session.reasons().of(live.lsn, false);
    if (!waiting) return plainWait(WaitKind::NoRunner, "on their way");
    std::optional<Wait> first = parts_.reasons.first(live.lsn, *waiting);
    if (!first) return plainWait(WaitKind::NoRunner, "on their way");
    Wait wait = std::move(*first);
    if (wait.kind == WaitKind::Hold && wait.of == "action") wait.message = "held by hand";
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

coro::Task<WaitingView> WaitingCounts::view() {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    const MonoTime begun = parts_.now();
    if (begun < until_) co_return counted_;
    Tally tally(*this);
    for (Lsn next{1}; next.value > 0;) {
        next = parts_.session.views().walk(next, kPerSlice,
                                           [&tally](const session::LiveView& live) { tally.take(live); });
        if (next.value > 0) co_await coro::yieldNow();
    }
    const MonoTime now = parts_.now();
    counted_ = tally.view();
    counted_.t = parts_.scale.at(now);
    until_ = now + std::max(kReasonsHold, (now - begun) * kReasonsShare);
    co_return counted_;
}

} // namespace yard::engine
