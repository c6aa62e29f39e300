// What keeps coming: kinds of work that are submitted again and again, and how often. Of that an outlook expects more;
// what came once, however much it was, is not expected again. Private to session; owner: engine thread.
//
// Counted are two rows of steps, short ones for what comes often and long ones for what comes seldom. A kind keeps coming
// where all but one of the last full steps had some of it: as many as the step but one with least.
// Bound: kMostKinds; another one takes the place of one that was not heard of for a whole row, or is not counted.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace yard::session {

class Arrivals {
public:
    static constexpr std::size_t kMostKinds = 64;

    struct Kind {
        QueueId queue{};
        std::uint32_t cls = 0;
        std::uint32_t label = 0;
        std::uint64_t rank = 0; ///< Record::makeKey() of its priority and no time
        auto operator<=>(const Kind&) const = default;
    };
    struct Steady {
        Kind kind;
        Duration every{};
    };

    void note(const Kind& kind, MonoTime now);
    std::vector<Steady> steady(MonoTime now) const;

private:
    static constexpr std::size_t kSteps = 6;
    static constexpr std::array<Duration, 2> kWidths{Duration{5'000'000}, Duration{60'000'000}};
    struct Row {
        std::array<std::int64_t, kSteps + 1> numbers{};
        std::array<std::int64_t, kSteps + 1> counts{};
    };
    using Rows = std::array<Row, kWidths.size()>;

    static std::int64_t stepOf(MonoTime now, std::size_t row) {
        return now.time_since_epoch().count() / kWidths[row].count();
    }
    static std::int64_t steadyCount(const Row& row, std::int64_t now);
    bool makeRoom(MonoTime now);

    std::map<Kind, Rows> kinds_;
    std::int64_t lookedAt_ = -1; ///< the step in which there was no room: it is not looked for again
};

} // namespace yard::session
