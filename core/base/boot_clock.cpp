#include "core/base/boot_clock.h"

#include <ctime>

namespace yard {

BootTime bootNow() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_BOOTTIME, &t);
    return BootTime(Duration(std::int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000));
}

} // namespace yard
