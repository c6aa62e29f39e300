// How many objects of one type move from which state to which, per minute of the last ten. A value; no owner, no clock: times
// go in, and do not run backwards. Bounds: a pair of states has one entry, so kMaxStates * (kMaxStates + 1) at most.
#pragma once

#include "core/base/clock.h"
#include "core/lifecycle/type.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace yard::lifecycle {

struct MoveRate {
    std::optional<StateNumber> from{}; ///< nothing: they were made
    StateNumber to = 0;
    double perMinute = 0;
};

class MoveRates {
public:
    static constexpr std::size_t kMinutes = 10;

    void count(std::optional<StateNumber> from, StateNumber to, WallMicros now);
    /// Those that are over zero, in the order of their states; what was made comes first.
    std::vector<MoveRate> rates(WallMicros now) const;
    /// The states are others.
    void clear() { moves_.clear(); }

private:
    struct Minute {
        WallMicros number = -1; ///< since the epoch
        std::uint32_t count = 0;
    };
    /// A minute stands at its number modulo kMinutes.
    std::map<std::pair<std::optional<StateNumber>, StateNumber>, std::array<Minute, kMinutes>> moves_;
};

} // namespace yard::lifecycle
