// What completed at an engine, as work for a simulation: when each action arrived, how long its last attempt took, what
// it asked for. Blocks as calls do.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "core/simulate/work.h"

#include <cstddef>
#include <cstdint>

namespace yard::ctl {

/// Actions that are read, the first ones; kinds, by worker, function and label or command: what is beyond is of the kind
/// "others", which takes one core.
inline constexpr std::size_t kMostFinished = 1'000'000;
inline constexpr std::size_t kMostFinishedKinds = 200;

/// Of the last days. Failed, where nothing completed.
Outcome<simulate::Work> finishedWork(Engine& engine, std::int64_t days);

} // namespace yard::ctl
