#include "core/base/duration_text.h"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>

namespace yard {

namespace {

std::string twoUnits(std::int64_t total, std::int64_t unit, std::string_view name, std::int64_t small,
                     std::string_view smallName) {
    const std::int64_t rest = total % unit / small;
    if (rest == 0) return fmt::format("{} {}", total / unit, name);
    return fmt::format("{} {} {} {}", total / unit, name, rest, smallName);
}

} // namespace

std::string durationText(double seconds) {
    constexpr std::int64_t kMinute = 60;
    constexpr std::int64_t kHour = 60 * kMinute;
    constexpr std::int64_t kDay = 24 * kHour;
    if (!std::isfinite(seconds) || seconds < 0) return "-";
    if (seconds == 0) return "0 s";
    if (seconds < 0.001) return "<1 ms";
    if (seconds < 0.0095) return fmt::format("{:.0f} ms", seconds * 1000);
    if (seconds < 0.995) return fmt::format("{:.2f} s", seconds);
    if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
    const std::int64_t total = std::llround(seconds);
    if (total < kHour) return twoUnits(total, kMinute, "min", 1, "s");
    if (total < kDay) return twoUnits(total, kHour, "h", kMinute, "min");
    return twoUnits(total, kDay, "d", kHour, "h");
}

} // namespace yard
