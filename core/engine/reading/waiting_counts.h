// What pending actions wait for, counted by reason. One walk over all that live serves everybody who asks within
// a second of it, or longer where it took long: counting takes a twentieth of the engine's time at most.
//
// Owner: engine thread. Lifetime: after the session and the reasons. Invariant: one walk at a time.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"

#include <functional>
#include <utility>

namespace yard::engine {

class WaitingCounts {
public:
    struct Parts {
        const session::Session& session;
        const Reasons& reasons;
        const WallScale& scale;
        std::function<MonoTime()> now;
    };
    explicit WaitingCounts(Parts parts)
        : parts_(std::move(parts)) {}

    /// Why work is waiting.
    coro::Task<WaitingView> view();

private:
    class Tally;
    Wait reasonOf(const session::LiveView& live) const;

    Parts parts_;
    coro::Mutex mutex_;
    WaitingView counted_; ///< last
    MonoTime until_{};    ///< `counted_` is the answer until then
    OwnerCheck owner_;
};

} // namespace yard::engine
