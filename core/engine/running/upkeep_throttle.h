// How long clearing up leaves the journal to others after a step of its own. Pure; the caller's thread, a value.
#pragma once

#include "core/base/clock.h"

#include <algorithm>
#include <cstdint>

namespace yard::engine {

/// Alone, a pause is as long as the step before it. While others write to the journal it is 80 times as long: every
/// page that a step writes makes the checkpoints longer that they wait behind. Not when more actions end than go,
/// nor with more on the disk than may be: then alone or not, it has to be done.
class UpkeepThrottle {
public:
    static constexpr int kAlone = 1;
    static constexpr int kBesideOthers = 80;
    static constexpr Duration kLeast{500};
    static constexpr Duration kMost{50'000};
    /// Others are at the journal when they wrote to it this recently.
    static constexpr Duration kRecently{100'000};
    /// It falls behind when so many more have ended than gone.
    static constexpr std::uint64_t kSlack = 1'000;

    /// What there is to see after a step. Counts only grow, but for the two of a pass.
    struct Seen {
        MonoTime now{};
        std::uint64_t operations = 0; ///< of the journal, anybody's, the step's own one among them
        std::uint64_t ended = 0;      ///< actions since this pass began
        std::uint64_t gone = 0;       ///< actions in this pass
        bool overLimit = false;       ///< more on the disk than may be
    };

    Duration after(Duration step, const Seen& seen) {
        if (seen.operations > operations_ + 1) othersWrote_ = seen.now;
        operations_ = seen.operations;
        const bool besideOthers = seen.now - othersWrote_ < kRecently;
        const bool fallsBehind = seen.ended > seen.gone + kSlack;
        const bool gently = besideOthers && !fallsBehind && !seen.overLimit;
        return std::clamp<Duration>(step * (gently ? kBesideOthers : kAlone), kLeast, kMost);
    }

private:
    std::uint64_t operations_ = 0;
    MonoTime othersWrote_{};
};

} // namespace yard::engine
