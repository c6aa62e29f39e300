#include "core/engine/commands/session_moves.h"

#include <cerrno>
#include <cstdint>
#include <unistd.h>

namespace yard::engine {

coro::Task<Result<void>> SessionMoves::moveTo(SessionState to) {
    YARD_ASSERT_OWNER(owner_);
    if (to == SessionState::Sunset) {
        const std::uint64_t one = 1;
        if (::write(parts_.sunset.get(), &one, sizeof one) != sizeof one)
            co_return failErrno("waking the main thread", errno);
        co_return Result<void>{};
    }
    auto moved = parts_.session.moveTo(to, parts_.outbox);
    if (moved) parts_.changed();
    parts_.wake();
    co_return moved;
}

} // namespace yard::engine
