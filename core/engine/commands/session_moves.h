// Moving the session: what people ask of it, from ready to drained, paused, abandoned, and down.
//
// Owner: engine thread; sunsetFd() is constant, for any thread. Lifetime: before the engine thread begins, and it
// outlives those who poll the descriptor.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/base/unique_fd.h"
#include "core/coro/task.h"
#include "core/model/states.h"
#include "core/session/session.h"

#include <functional>
#include <utility>

namespace yard::engine {

class SessionMoves {
public:
    struct Parts {
        session::Session& session;
        session::Outbox& outbox;
        UniqueFd sunset;               ///< an eventfd
        std::function<void()> changed; ///< the session is in another state
        std::function<void()> wake;    ///< something may start now, or is to be ended
    };
    explicit SessionMoves(Parts parts)
        : parts_(std::move(parts)) {}

    /// WrongState when the table forbids it. Sunset makes sunsetFd() readable, and nothing else: the owner then
    /// calls Engine::close(), which moves the session. There is one way down.
    coro::Task<Result<void>> moveTo(SessionState to);

    int sunsetFd() const { return parts_.sunset.get(); }

private:
    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
