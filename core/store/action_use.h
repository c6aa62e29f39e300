// What an action has used, as the journal knows it, and how that is asked for. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/states.h"
#include "core/store/rows.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace yard::store {

/// What an action has used so far: its attempts that ran and ended.
struct ActionUse {
    struct Attempt {
        ActionState state = ActionState::Failed; ///< of the last one that of the action
        Reason reason = Reason::None;
        WallMicros from = 0;  ///< its first process
        WallMicros until = 0; ///< the end of that, else of the attempt
        std::optional<std::int64_t> peakBytes{};
    };
    Lsn lsn{};
    QueueId queue{};
    ClassNumber classNumber = 0;
    std::string_view label{};        ///< where it was asked for; until the next action
    WallMicros ended = 0;            ///< 0: it has not
    WallMicros waited = 0;           ///< once it has ended: microseconds, as waitingTime()
    std::vector<Attempt> attempts{}; ///< as they followed each other
};
struct UseQuestion {
    WallMicros from = 0; ///< of those that ended from then on, or have not,
    WallMicros to = 0;   ///< and were there before this
    bool labels = false;
    Duration lookFor{10'000};
};

} // namespace yard::store
