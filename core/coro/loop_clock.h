// The time scale of a loop: the monotonic clock, or one that a test moves by hand. Wall time is never used, so a
// step of the wall clock neither fires nor delays anything. Owner: the OS thread of the loop that uses it.
#pragma once

#include "core/base/clock.h"

namespace yard::coro {

/// The time scale of a loop. The real one is MonoClock; only the monotonic scale is ever used.
class Clock {
public:
    virtual ~Clock() = default;
    virtual MonoTime now() noexcept = 0;
    /// The loop has nothing to do before `next`: true when the clock jumped there, so that it need not block.
    virtual bool skipTo(MonoTime) noexcept { return false; }
    /// True: time moves by hand; the loop does not block on its account.
    virtual bool isVirtual() const noexcept { return false; }
    /// CLOCK_MONOTONIC.
    static Clock& real() noexcept;
};

/// Time moved by hand, for tests. Starts at 1 s. With autoAdvance an idle loop jumps to its next timer by itself.
/// Owner: the loop's OS thread.
class VirtualClock : public Clock {
public:
    explicit VirtualClock(bool autoAdvance = false) noexcept
        : autoAdvance_(autoAdvance) {}
    MonoTime now() noexcept override { return now_; }
    bool skipTo(MonoTime next) noexcept override;
    bool isVirtual() const noexcept override { return true; }
    void advance(Duration by) noexcept { now_ += by; }

private:
    MonoTime now_{std::chrono::seconds(1)};
    bool autoAdvance_;
};

} // namespace yard::coro
