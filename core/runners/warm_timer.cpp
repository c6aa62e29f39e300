#include "core/runners/warm_timer.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <sys/timerfd.h>
#include <unistd.h>

namespace yard::runners {

Result<void> WarmTimer::open() {
    fd_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!fd_) return failErrno("make a timer for warm workers", errno);
    return {};
}

void WarmTimer::armAt(MonoTime at) {
    YARD_ASSERT_OWNER(owner_);
    if (at >= armed_) return;
    armed_ = at;
    itimerspec when{};
    const auto micros = std::max<std::int64_t>(at.time_since_epoch().count(), 1);
    when.it_value.tv_sec = micros / 1'000'000;
    when.it_value.tv_nsec = micros % 1'000'000 * 1'000;
    ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

bool WarmTimer::hasRung() {
    YARD_ASSERT_OWNER(owner_);
    std::uint64_t count = 0;
    if (::read(fd_.get(), &count, sizeof count) <= 0) return false;
    armed_ = MonoTime::max();
    return true;
}

} // namespace yard::runners
