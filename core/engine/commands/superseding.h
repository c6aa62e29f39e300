// Pending actions that a submission replaces: none of them starts while that is being committed, and then all of them
// are cancelled with it. What is not committed leaves them as they were. What runs goes on: that is cancelled by hand.
//
// Owner: engine thread. Lifetime: within the command that submits.
#pragma once

#include "core/coro/task.h"
#include "core/session/session.h"
#include "core/store/reader.h"

#include <functional>
#include <set>
#include <vector>

namespace yard::engine {

class Superseding {
public:
    /// Submissions that something pending is waited for by; at most so many.
    using Dependents = std::function<coro::Task<Result<store::LsnSet>>(Lsn, int)>;
    Superseding(session::Session& session, session::Outbox& outbox)
        : session_(session)
        , outbox_(outbox) {}
    ~Superseding();
    Superseding(const Superseding&) = delete;
    Superseding& operator=(const Superseding&) = delete;

    /// Holds those that are pending. WrongState when one of them is waited for by something that would stay: that one
    /// would fail with it.
    coro::Task<Result<void>> take(const std::vector<Lsn>& replaced, const Dependents& dependents);
    bool has(Lsn lsn) const { return taken_.contains(lsn); }
    bool empty() const { return taken_.empty(); }
    /// The journal has their successors, and that they are cancelled.
    void cancel();

private:
    session::Session& session_;
    session::Outbox& outbox_;
    std::set<Lsn> taken_;
    std::vector<Lsn> held_; ///< by us
};

} // namespace yard::engine
