#include "core/engine/schedules/wall_alarm.h"

#include "core/base/log.h"
#include "core/coro/timer.h"

#include <algorithm>
#include <cerrno>
#include <sys/timerfd.h>
#include <unistd.h>

namespace yard::engine {

/// Where the kernel gives no timer.
static constexpr Duration kLookAnyway{1'000'000};

WallAlarm::WallAlarm(coro::Loop& loop)
    : timer_(loop, UniqueFd(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK))) {
    if (timer_.fd() < 0) logWarning("engine", "no timer for schedules: they are looked at every second");
}

void WallAlarm::set(std::optional<WallMicros> at) {
    itimerspec when{};
    if (at) {
        // All zero would stop it.
        const WallMicros time = std::max<WallMicros>(*at, 1);
        when.it_value.tv_sec = time / 1'000'000;
        when.it_value.tv_nsec = time % 1'000'000 * 1'000;
    }
    ::timerfd_settime(timer_.fd(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, nullptr);
}

coro::Task<void> WallAlarm::rung() {
    for (;;) {
        if (timer_.fd() < 0) co_return co_await coro::sleepFor(kLookAnyway);
        std::uint64_t times = 0;
        // ECANCELED: the clock was set.
        if (::read(timer_.fd(), &times, sizeof times) > 0 || errno == ECANCELED) co_return;
        if (co_await timer_.readable() != 0) co_await coro::sleepFor(kLookAnyway);
    }
}

} // namespace yard::engine
