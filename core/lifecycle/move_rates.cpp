#include "core/lifecycle/move_rates.h"

namespace yard::lifecycle {

static constexpr WallMicros kMinuteMicros = 60'000'000;

void MoveRates::count(std::optional<StateNumber> from, StateNumber to, WallMicros now) {
    const WallMicros number = now / kMinuteMicros;
    Minute& minute = moves_[{from, to}][static_cast<std::size_t>(number) % kMinutes];
    if (minute.number != number) minute = {.number = number, .count = 0};
    ++minute.count;
}

std::vector<MoveRate> MoveRates::rates(WallMicros now) const {
    const WallMicros oldest = now / kMinuteMicros - static_cast<WallMicros>(kMinutes) + 1;
    std::vector<MoveRate> rates;
    for (const auto& [states, minutes] : moves_) {
        std::uint64_t count = 0;
        for (const Minute& minute : minutes)
            if (minute.number >= oldest) count += minute.count;
        if (count == 0) continue;
        rates.push_back({.from = states.first,
                         .to = states.second,
                         .perMinute = static_cast<double>(count) / static_cast<double>(kMinutes)});
    }
    return rates;
}

} // namespace yard::lifecycle
