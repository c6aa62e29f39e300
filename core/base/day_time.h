// Times of day as people write them in rules: "08:30". Pure functions.
#pragma once

#include "core/base/text.h"

#include <optional>
#include <string_view>

namespace yard {

inline constexpr int kMinutesOfDay = 24 * 60;

/// Minutes since midnight of "HH:MM"; 24:00 is the end of the day.
constexpr std::optional<int> dayMinutesIn(std::string_view text) {
    if (text.size() != 5 || text[2] != ':' || !isDigits(text.substr(0, 2)) || !isDigits(text.substr(3)))
        return std::nullopt;
    const int hours = (text[0] - '0') * 10 + (text[1] - '0');
    const int minutes = (text[3] - '0') * 10 + (text[4] - '0');
    const int all = hours * 60 + minutes;
    if (minutes > 59 || all > kMinutesOfDay) return std::nullopt;
    return all;
}

} // namespace yard
