#include "core/base/clock.h"

#include <ctime>

namespace yard {

namespace {

std::int64_t microsOf(clockid_t clock) noexcept {
    timespec t{};
    ::clock_gettime(clock, &t);
    return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000;
}

} // namespace

MonoClock::time_point MonoClock::now() noexcept {
    return time_point(duration(microsOf(CLOCK_MONOTONIC)));
}

WallMicros wallNow() noexcept {
    return microsOf(CLOCK_REALTIME);
}

WallScale WallScale::pinnedNow() noexcept {
    // Read on both sides of the wall clock, so that being descheduled between two reads cannot skew the offset
    // much.
    const std::int64_t before = microsOf(CLOCK_MONOTONIC);
    const std::int64_t wall = microsOf(CLOCK_REALTIME);
    const std::int64_t after = microsOf(CLOCK_MONOTONIC);
    return {.offset = wall - (before + (after - before) / 2)};
}

} // namespace yard
