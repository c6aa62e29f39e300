// How Objects and its parts reach the journal, the loop and each other. Made by Objects; the parts keep a reference.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/coro/one_shot.h"
#include "core/coro/task.h"
#include "core/store/operations.h"

#include <functional>
#include <memory>

namespace yard::engine {

using PostedObjects = std::unique_ptr<coro::OneShot<store::AckDetail>>;

struct ObjectIo {
    /// Is posted when this returns, so that the journal keeps the order.
    std::function<PostedObjects(store::Action)> post;
    std::function<void(const char* name, coro::Task<void>)> spawn;
    std::function<WallMicros()> now; ///< never runs backwards
    /// There may be something to decide.
    std::function<void()> wakeUp;
    /// The journal refused a write: looks and moves pause.
    std::function<void(const Error&)> refused;
};

} // namespace yard::engine
