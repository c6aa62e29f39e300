// What looks after running actions: the memory guard, and whether they get on. Both wait while nothing runs.
#include "core/engine/engine_core.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/engine/progress.h"
#include "core/engine/usage_reading.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kMemoryPeriod{1'000'000};
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
    const auto trees = co_await helpers_->run(
        [leaders = dispatcher_->runningSince(MonoTime::max())] { return readTrees(leaders); });
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
        const std::vector<int> leaders = dispatcher_->runningSince(before);
        if (leaders.empty()) continue;
        const auto times = co_await helpers_->run([leaders] { return processorTimes(leaders); });
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
