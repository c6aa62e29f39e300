#include "core/engine/running/guards.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/engine/running/progress.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kMemoryPeriod{1'000'000};
/// Looks come this often at least where one action follows the other, so that none of them waits for one.
constexpr Duration kFreshLook = 2 * kMemoryPeriod;
constexpr Duration kLimitPeriod{100'000};
constexpr Duration kShortestLook{250'000};
constexpr Duration kLongestLook{60'000'000};

} // namespace

// --- memory

coro::Task<void> Guards::watchMachine() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        const bool anything = parts_.monitor.inFlight() > 0 ||
                              (guard_.isHolding() && parts_.session.views().counts().all.pending > 0);
        if (!anything && !lookNow_.isSet()) {
            if (guard_.isHolding()) looked_.reset();
            setHolding([this] { guard_.forget(); });
            memoryWork_.clear();
            co_await memoryWork_.wait();
        }
        (void)co_await coro::comesWithin(kMemoryPeriod, lookNow_);
        const auto reading =
            co_await parts_.helpers.run([read = parts_.readMemory] { return read ? read() : readMemory(); });
        looked_ = MonoClock::now();
        const bool isAwaited = lookNow_.isSet(); // perhaps only since it began: it is new enough
        lookNow_.clear();
        bool stop = false;
        if (reading) // else there is no such thing here
            setHolding([&] { stop = guard_.observe(*reading, parts_.settings, *looked_); });
        if (isAwaited) parts_.wake();
        if (stop) co_await stopForMemory();
    }
}

bool Guards::waitsForLook() {
    YARD_ASSERT_OWNER(owner_);
    if (parts_.settings.guardHold == 0 || guard_.isHolding()) return false;
    if (looked_ && (parts_.monitor.inFlight() > 0 || MonoClock::now() - *looked_ <= kFreshLook)) return false;
    if (parts_.session.views().counts().all.pending == 0) return false;
    lookNow_.set();
    memoryWork_.set();
    return true;
}

/// Tells of it when `change` makes the guard hold, or let go.
void Guards::setHolding(const std::function<void()>& change) {
    const bool before = guard_.isHolding();
    change();
    if (guard_.isHolding() == before) return;
    if (guard_.isHolding()) {
        logWarning("guard", "nothing starts: {}", guard_.reason());
        note("hold", guard_.reason());
        parts_.session.takeBackAhead(parts_.outbox);
    } else {
        logInfo("guard", "starting goes on");
        note("go_on", guard_.reasonToGoOn());
    }
    parts_.wake();
}

void Guards::note(std::string_view what, std::string reason, Lsn lsn) {
    constexpr std::size_t kKept = 10;
    if (events_.size() == kKept) events_.erase(events_.begin());
    events_.push_back(
        {.t = parts_.wallOf(MonoClock::now()), .what = what, .reason = std::move(reason), .lsn = lsn});
    parts_.changed();
}

coro::Task<void> Guards::stopForMemory() {
    const auto trees =
        co_await parts_.helpers.run([leaders = parts_.monitor.runningSince(MonoTime::max()),
                                     adopter = parts_.adopter()] { return readTrees(leaders, adopter); });
    const auto heavy = parts_.monitor.furthestOver(trees);
    if (!heavy) co_return;
    ++parts_.counters.stoppedForMemory;
    std::string reason =
        fmt::format("stopped when {:.0f} % of the {} was in use", guard_.usedPercent().value_or(0), guard_.whose());
    if (heavy->used - heavy->asked >= AttemptMonitor::kWorthStopping)
        reason += heavy->asked > 0
                      ? fmt::format(": it had {} MiB and asked for {}", heavy->used >> 20, heavy->asked >> 20)
                      : fmt::format(": it had {} MiB and asked for none", heavy->used >> 20);
    logWarning("guard", "action {}: {}", heavy->id.lsn.value, reason);
    parts_.monitor.stopForMemory(heavy->id, reason);
    note("stop", std::move(reason), heavy->id.lsn);
}

std::vector<std::pair<Leader, std::int64_t>> Guards::limited() const {
    std::vector<std::pair<Leader, std::int64_t>> all = parts_.monitor.limited();
    for (const runners::ProcessLook& look : parts_.limitedWarm())
        all.emplace_back(Leader{look.pid, look.lsn, look.memoryLimit}, look.memoryBytes);
    return all;
}

namespace {

struct LimitLook {
    std::optional<std::int64_t> used; ///< bytes, of the machine's memory
    bool all = false;                 ///< each of them was looked at
    std::unordered_map<int, TreeReading> trees;
};

/// Those above half of their limit. All, once the memory in use has grown since `usedBefore` by half of what that
/// one of the others has left that has least: it may be one of them that took it.
LimitLook lookAtLimits(const std::vector<std::pair<Leader, std::int64_t>>& limited, std::int64_t usedBefore,
                       const Adopter& adopter) {
    LimitLook look{.used = readUsedMemory(), .trees = {}};
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& [leader, seen] : limited)
        if (seen <= leader.memoryLimit / 2) least = std::min(least, leader.memoryLimit - seen);
    look.all = !look.used || *look.used - usedBefore >= least / 2;
    std::vector<Leader> leaders;
    for (const auto& [leader, seen] : limited)
        if (look.all || seen > leader.memoryLimit / 2) leaders.push_back(leader);
    look.trees = readTrees(leaders, adopter);
    return look;
}

} // namespace

/// Beside the looks of figures and of the warm pool, which see to what grows slowly.
coro::Task<void> Guards::watchLimits() {
    std::optional<std::int64_t> usedBefore; ///< at the last look at all of them, or less since
    for (;;) {
        const auto limited = this->limited();
        if (limited.empty()) {
            usedBefore.reset();
            limitWork_.clear();
            co_await limitWork_.wait();
        }
        co_await coro::sleepFor(kLimitPeriod);
        if (limited.empty()) continue;
        const LimitLook seen =
            co_await parts_.helpers.run([limited, before = usedBefore.value_or(0), adopter = parts_.adopter()] {
                return lookAtLimits(limited, before, adopter);
            });
        if (seen.used) usedBefore = seen.all ? *seen.used : std::min(usedBefore.value_or(0), *seen.used);
        parts_.monitor.noteMemory(seen.trees);
        for (const auto& [pid, tree] : seen.trees) parts_.noteWarm(pid, tree);
    }
}

// --- progress

void Guards::started() {
    memoryWork_.set();
    limitWork_.set();
    progressWork_.set();
}

void Guards::settingsChanged(const Settings& before) {
    progressWork_.set();
    if (parts_.settings.hung != before.hung) hungChanged_.set();
    if (parts_.settings.guardHold == before.guardHold) return;
    looked_.reset();
    if (parts_.monitor.inFlight() == 0 && parts_.session.views().counts().all.pending == 0) return;
    lookNow_.set(); // what waits may start now, or not any more
    memoryWork_.set();
}

SessionView::Guard Guards::view() const {
    YARD_ASSERT_OWNER(owner_);
    return {.holding = guard_.isHolding(),
            .usedPercent = guard_.usedPercent(),
            .stopped = parts_.counters.stoppedForMemory,
            .reason = guard_.isHolding() ? guard_.reason() : std::string(),
            .events = events_};
}

/// A change of the limit counts at once, for all that runs: a look follows, whatever the last wait was.
coro::Task<void> Guards::watchProgress() {
    Duration known{};
    for (;;) {
        progressWork_.clear();
        const Duration limit = parts_.settings.hung;
        const bool changed = std::exchange(known, limit) != limit;
        if (changed && limit == Duration::zero())
            for (const Lsn lsn : parts_.monitor.forgetHung()) parts_.rowChanged(lsn);
        if (limit == Duration::zero() || parts_.monitor.inFlight() == 0) {
            co_await progressWork_.wait();
            continue;
        }
        if (!changed && !co_await sleepUnlessHungChanges(std::clamp(limit / 4, kShortestLook, kLongestLook)))
            continue;
        const MonoTime before = changed ? MonoClock::now() : MonoClock::now() - limit / 4;
        const std::vector<Leader> leaders = parts_.monitor.runningSince(before);
        if (leaders.empty()) continue;
        const auto times = co_await parts_.helpers.run(
            [leaders, adopter = parts_.adopter()] { return processorTimes(leaders, adopter); });
        for (const Lsn lsn : parts_.monitor.noteProgress(times, MonoClock::now(), limit)) parts_.rowChanged(lsn);
    }
}

/// False: the setting changed before the time was over.
coro::Task<bool> Guards::sleepUnlessHungChanges(Duration time) {
    hungChanged_.clear();
    const bool changed = co_await coro::comesWithin(time, hungChanged_);
    co_return !changed;
}

} // namespace yard::engine
