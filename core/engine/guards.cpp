// What looks after running actions: the memory guard, and whether they get on. Both wait while nothing runs.
#include "core/engine/engine_core.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/engine/progress.h"
#include "core/engine/usage_reading.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kMemoryPeriod{1'000'000};
constexpr Duration kLimitPeriod{100'000};
constexpr Duration kShortestLook{250'000};
constexpr Duration kLongestLook{60'000'000};

} // namespace

// --- memory

coro::Task<void> EngineCore::guardMemory() {
    for (;;) {
        const bool anything =
            dispatcher_->inFlight() > 0 || (guard_.isHolding() && session_->counts().all.pending > 0);
        if (!anything) {
            setHolding([this] { guard_.forget(); });
            memoryWork_.clear();
            co_await memoryWork_.wait();
        }
        co_await coro::sleepFor(kMemoryPeriod);
        const auto reading =
            co_await helpers_->run([read = options_.readMemory] { return read ? read() : readMemory(); });
        if (!reading) continue; // no such thing here
        bool stop = false;
        setHolding([&] { stop = guard_.observe(*reading, settings_, MonoClock::now()); });
        if (stop) co_await stopForMemory();
    }
}

/// Tells of it when `change` makes the guard hold, or let go.
void EngineCore::setHolding(const std::function<void()>& change) {
    const bool before = guard_.isHolding();
    change();
    if (guard_.isHolding() == before) return;
    if (guard_.isHolding()) {
        logWarning("guard", "nothing starts: {}", guard_.reason());
        noteGuard("hold", guard_.reason());
        session_->takeBackAhead(outbox_);
    } else {
        logInfo("guard", "starting goes on");
        noteGuard("go_on", guard_.reasonToGoOn());
    }
    wake();
}

void EngineCore::noteGuard(std::string_view what, std::string reason, Lsn lsn) {
    constexpr std::size_t kKept = 10;
    if (guardEvents_.size() == kKept) guardEvents_.erase(guardEvents_.begin());
    guardEvents_.push_back(
        {.t = scale_.at(MonoClock::now()), .what = what, .reason = std::move(reason), .lsn = lsn});
    noteChange(ChangeEntry::Kind::Session);
}

coro::Task<void> EngineCore::stopForMemory() {
    const auto trees = co_await helpers_->run([leaders = dispatcher_->runningSince(MonoTime::max()),
                                               adopter = adopter()] { return readTrees(leaders, adopter); });
    const auto heavy = dispatcher_->furthestOver(trees);
    if (!heavy) co_return;
    ++counters_.stoppedForMemory;
    std::string reason =
        fmt::format("stopped when {:.0f} % of the {} was in use", guard_.usedPercent(), guard_.whose());
    if (heavy->used - heavy->asked >= Dispatcher::kWorthStopping)
        reason += heavy->asked > 0
                      ? fmt::format(": it had {} MB and asked for {}", heavy->used >> 20, heavy->asked >> 20)
                      : fmt::format(": it had {} MB and asked for none", heavy->used >> 20);
    logWarning("guard", "action {}: {}", heavy->id.lsn.value, reason);
    dispatcher_->stopForMemory(heavy->id, reason);
    noteGuard("stop", std::move(reason), heavy->id.lsn);
}

/// Somebody takes much: of actions and of warm processes, idle ones too, each is looked at.
void EngineCore::lookForMemory() {
    dispatcher_->lookAtAllNext();
    samplesIdle_ = true;
    warmWork_.set();
}

Adopter EngineCore::adopter() const {
    return {.pid = runner_ ? runner_->launcherPid() : 0, .token = directory_->engineId()};
}

std::vector<std::pair<Leader, std::int64_t>> EngineCore::limited() const {
    std::vector<std::pair<Leader, std::int64_t>> all = dispatcher_->limited();
    for (const runners::ProcessLook& look : warm_->limited())
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
coro::Task<void> EngineCore::guardLimits() {
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
            co_await helpers_->run([limited, before = usedBefore.value_or(0), adopter = adopter()] {
                return lookAtLimits(limited, before, adopter);
            });
        if (seen.used) usedBefore = seen.all ? *seen.used : std::min(usedBefore.value_or(0), *seen.used);
        dispatcher_->noteMemory(seen.trees);
        for (const auto& [pid, tree] : seen.trees) warm_->noteMemory(pid, tree.memoryBytes(), tree.processes);
    }
}

// --- progress

/// A change of the limit counts at once, for all that runs: a look follows, whatever the last wait was.
coro::Task<void> EngineCore::watchProgress() {
    Duration heeded{};
    for (;;) {
        progressWork_.clear();
        const Duration limit = settings_.hung;
        const bool changed = std::exchange(heeded, limit) != limit;
        if (changed && limit == Duration::zero())
            for (const Lsn lsn : dispatcher_->forgetHung()) noteRow(lsn);
        if (limit == Duration::zero() || dispatcher_->inFlight() == 0) {
            co_await progressWork_.wait();
            continue;
        }
        if (!changed && !co_await sleepUnlessHungChanges(std::clamp(limit / 4, kShortestLook, kLongestLook)))
            continue;
        const MonoTime before = changed ? MonoClock::now() : MonoClock::now() - limit / 4;
        const std::vector<Leader> leaders = dispatcher_->runningSince(before);
        if (leaders.empty()) continue;
        const auto times =
            co_await helpers_->run([leaders, adopter = adopter()] { return processorTimes(leaders, adopter); });
        for (const Lsn lsn : dispatcher_->noteProgress(times, MonoClock::now(), limit)) noteRow(lsn);
    }
}

/// False: the setting changed before the time was over.
coro::Task<bool> EngineCore::sleepUnlessHungChanges(Duration time) {
    hungChanged_.clear();
    const bool changed = co_await coro::comesWithin(time, hungChanged_);
    co_return !changed;
}

} // namespace yard::engine
