// What is seen of a loop by those who look on: how often it switched and woke, and who ran too long without yielding.
//
// Owner: the loop's thread. Lifetime: with the loop, which alone reports to it.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace yard::coro {

class Thread;

/// Sees every switch, for a profiler. Called on the loop's thread, with the time on its clock; must not suspend.
class SwitchObserver {
public:
    virtual ~SwitchObserver() = default;
    virtual void switchedIn(const Thread& thread, MonoTime at) = 0;
    virtual void switchedOut(const Thread& thread, MonoTime at, Duration ran) = 0;
};

class LoopMeter {
public:
    /// Called with the thread and how long it ran without yielding.
    using LatencyHook = std::function<void(const Thread&, Duration)>;

    /// `loop`: its name, for the log; outlives this.
    LoopMeter(const std::string& loop, Duration latencyLimit)
        : loop_(loop)
        , latencyLimit_(latencyLimit) {}

    void setObserver(SwitchObserver* observer) noexcept { observer_ = observer; }
    void setLatencyLimit(Duration limit) noexcept { latencyLimit_ = limit; }
    void setLatencyHook(LatencyHook hook) { latencyHook_ = std::move(hook); }
    /// Warnings so far: of threads, and of posted functions that ran as long.
    std::uint64_t latencyWarnings() const noexcept { return latencyWarnings_; }
    /// Switches to a thread since the start, and times the loop came back from blocking in the kernel.
    std::uint64_t switches() const noexcept { return switches_; }
    std::uint64_t wakeups() const noexcept { return wakeups_; }

private:
    friend class Loop;
    void switchedIn(const Thread& thread, MonoTime at) {
        ++switches_;
        if (observer_) observer_->switchedIn(thread, at);
    }
    void switchedOut(const Thread& thread, MonoTime at, Duration ran) {
        if (observer_) observer_->switchedOut(thread, at, ran);
        if (ran > latencyLimit_) warn(thread, ran);
    }
    void ranPosted(Duration ran) {
        if (ran > latencyLimit_) warnOfPosted(ran);
    }
    void woke() noexcept { ++wakeups_; }
    void warn(const Thread& thread, Duration ran);
    void warnOfPosted(Duration ran);

    const std::string& loop_;
    Duration latencyLimit_;
    LatencyHook latencyHook_;
    SwitchObserver* observer_ = nullptr;
    std::uint64_t latencyWarnings_ = 0;
    std::uint64_t switches_ = 0;
    std::uint64_t wakeups_ = 0;
};

} // namespace yard::coro
