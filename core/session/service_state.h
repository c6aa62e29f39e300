// The state of the session as a service (core/model/states.h), and what it allows. Private to session; owner:
// engine thread. Lives as long as the session; asks nobody.
//
// Invariant: once Abandoned, isAbandoned() stays true, in Sunset as well.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/model/states.h"

namespace yard::session {

class ServiceState {
public:
    SessionState state() const { return state_; }
    bool isAbandoned() const { return abandoned_; }
    /// Something may be handed out.
    bool startsWork() const { return state_ == SessionState::Ready || state_ == SessionState::Draining; }
    /// NotAccepting: the session takes no new work in this state.
    Result<void> acceptsWork() const;
    /// WrongState when the table forbids it. What follows for the actions is up to the caller.
    Result<void> moveTo(SessionState to);

private:
    SessionState state_ = SessionState::Created;
    bool abandoned_ = false;
    OwnerCheck owner_;
};

} // namespace yard::session
