// What is seen of a loop by those who look on: how often it switched and woke, and who ran too long without yielding.
//
// Owner: the loop's thread. Lifetime: with the loop, which alone reports to it.
#pragma once

#include "core/base/clock.h"
#include "core/coro/await_chain.h"
#include "core/coro/task.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yard::coro {

class Profiler;
class Thread;

/// Sees every switch, for a profiler. Called on the loop's thread, with the time on its clock; must not suspend.
class SwitchObserver {
public:
    virtual ~SwitchObserver() = default;
    virtual void switchedIn(const Thread& thread, MonoTime at) = 0;
    virtual void switchedOut(const Thread& thread, MonoTime at, Duration ran) = 0;
    /// A function that was posted is to run; it has run.
    virtual void postedBegins() {}
    virtual void postedEnds() {}
    /// The loop blocks in the kernel; it came back.
    virtual void fallsAsleep() {}
    virtual void wakesUp() {}
};

/// One of the longest turns since the start.
struct SlowTurn {
    std::uint64_t thread = 0; ///< its number; 0: a posted function
    std::string name{};
    Duration ran{};
    WallMicros ended = 0;
    std::vector<AwaitPlace>
        chain{}; ///< where the turn ended, the innermost function first; none where the thread did
};

class LoopMeter {
public:
    /// Called with the thread and how long it ran without yielding.
    using LatencyHook = std::function<void(const Thread&, Duration)>;

    /// `loop`: its name, for the log; outlives this.
    LoopMeter(const std::string& loop, Duration latencyLimit)
        : loop_(loop)
        , latencyLimit_(latencyLimit) {}

    struct ProfilerEnd {
        void operator()(Profiler* profiler) const;
    };
    /// Of profiler.h, which makes and ends it.
    std::unique_ptr<Profiler, ProfilerEnd>& profiler() noexcept { return profiler_; }
    void setObserver(SwitchObserver* observer) noexcept { observer_ = observer; }
    void setLatencyLimit(Duration limit) noexcept { latencyLimit_ = limit; }
    void setLatencyHook(LatencyHook hook) { latencyHook_ = std::move(hook); }
    /// Warnings so far: of threads, and of posted functions that ran as long.
    std::uint64_t latencyWarnings() const noexcept { return latencyWarnings_; }
    /// The longest turns of 1 ms and more, the longest first; at most kSlowTurns.
    static constexpr std::size_t kSlowTurns = 100;
    std::vector<SlowTurn> slowestTurns() const;
    /// Switches to a thread since the start, and times the loop came back from blocking in the kernel.
    std::uint64_t switches() const noexcept { return switches_; }
    std::uint64_t wakeups() const noexcept { return wakeups_; }
    /// Since when the turn lasts that runs now, on CLOCK_MONOTONIC in microseconds; 0: it sleeps. Any thread.
    std::int64_t turnSince() const noexcept { return turnSince_.load(std::memory_order_relaxed); }

private:
    friend class Loop;
    void turnBegins(MonoTime at) noexcept {
        turnSince_.store(at.time_since_epoch().count(), std::memory_order_relaxed);
    }
    void sleeps() noexcept {
        turnSince_.store(0, std::memory_order_relaxed);
        if (detail::kHasProfiler && observer_) observer_->fallsAsleep();
    }
    void postedBegins(MonoTime at) noexcept {
        turnBegins(at);
        if (detail::kHasProfiler && observer_) observer_->postedBegins();
    }
    void switchedIn(const Thread& thread, MonoTime at) {
        ++switches_;
        turnBegins(at);
        if (detail::kHasProfiler && observer_) observer_->switchedIn(thread, at);
    }
    void switchedOut(const Thread& thread, MonoTime at, Duration ran) {
        if (detail::kHasProfiler && observer_) observer_->switchedOut(thread, at, ran);
        if (ran >= slowFrom_) noteSlow(&thread, ran);
        if (ran > latencyLimit_) warn(thread, ran);
    }
    void ranPosted(Duration ran) {
        if (detail::kHasProfiler && observer_) observer_->postedEnds();
        if (ran >= slowFrom_) noteSlow(nullptr, ran);
        if (ran > latencyLimit_) warnOfPosted(ran);
    }
    void woke() noexcept {
        ++wakeups_;
        if (detail::kHasProfiler && observer_) observer_->wakesUp();
    }
    void noteSlow(const Thread* thread, Duration ran);
    void warn(const Thread& thread, Duration ran);
    void warnOfPosted(Duration ran);

    const std::string& loop_;
    Duration latencyLimit_;
    Duration slowFrom_ = std::chrono::milliseconds(1); ///< a turn of this length is one of the longest
    std::vector<SlowTurn> slow_;                       ///< a heap, the shortest on top
    LatencyHook latencyHook_;
    SwitchObserver* observer_ = nullptr;
    std::unique_ptr<Profiler, ProfilerEnd> profiler_;
    std::uint64_t latencyWarnings_ = 0;
    std::uint64_t switches_ = 0;
    std::uint64_t wakeups_ = 0;
    std::atomic<std::int64_t> turnSince_ = 0;
};

} // namespace yard::coro
