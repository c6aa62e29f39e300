// An actor of objects as the engine knows it, and what the history says of the move that its answer makes. Values.
#pragma once

#include "core/base/clock.h"
#include "core/lifecycle/decisions.h"
#include "core/store/operations.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::engine {

struct ObjectActor {
    lifecycle::TypeNumber type = 0;
    std::string key{};
    lifecycle::Seen seen{}; ///< what it looks at; id 0: nothing
    std::optional<lifecycle::EffectKey> call{};
    std::string fields{}; ///< of what it looks at
    WallMicros since = 0; ///< when it was given that, or was started
    bool isReady = false;
};

/// What the history says of a move.
struct ObjectMoveNote {
    std::string actor{};
    std::int64_t tickMs = 0;
    std::string fields{}; ///< before the move
    std::optional<store::Idempotency> once{};
};

} // namespace yard::engine
