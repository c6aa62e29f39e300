#include "core/session/service_state.h"

#include "core/base/sentences.h"

#include <fmt/format.h>

namespace yard::session {

Result<void> ServiceState::moveTo(SessionState to) {
    YARD_ASSERT_OWNER(owner_);
    if (!sessionTransitions().allows(state_, to))
        return fail(ErrorKind::WrongState,
                    fmt::format("The session is {} and cannot become {}: restart the engine to go on.",
                                name(state_), name(to)));
    state_ = to;
    if (to == SessionState::Abandoned) abandoned_ = true;
    return {};
}

Result<void> ServiceState::acceptsWork() const {
    switch (state_) {
    case SessionState::Ready: return {};
    case SessionState::Created: return fail(ErrorKind::NotAccepting, kEngineIsStarting);
    default:
        return fail(ErrorKind::NotAccepting,
                    fmt::format("The session is {} and takes no new work: submit to another engine, or restart "
                                "this one.",
                                name(state_)));
    }
}

} // namespace yard::session
