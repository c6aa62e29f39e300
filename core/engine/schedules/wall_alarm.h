// A wake-up at a time of the wall clock: also when that is set, and after the machine slept.
//
// Owner: the loop's OS thread. Lifetime: ends before its loop.
#pragma once

#include "core/base/clock.h"
#include "core/coro/events.h"
#include "core/coro/task.h"

#include <optional>

namespace yard::engine {

class WallAlarm {
public:
    explicit WallAlarm(coro::Loop& loop);

    /// Replaces what was set; a time that is over rings at once. Nothing: it never rings.
    void set(std::optional<WallMicros> at);
    /// Returns once it rings, or once the clock was set while it was to ring: look at the time.
    coro::Task<void> rung();

private:
    coro::FdWatch timer_;
};

} // namespace yard::engine
