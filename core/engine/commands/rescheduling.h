// Running finished actions again by hand: with what they wait for, and with those that failed only because they did.
// Asked first whether it may; then the journal has it among what is pending, then the session.
//
// Owner: engine thread. Lifetime: after the rows, the predecessors and the workers. Invariant: what an action waits for
// is watched from the look at it to its place among the live ones, so that no end in between is missed.
#pragma once

#include "core/base/owner.h"
#include "core/coro/one_shot.h"
#include "core/coro/task.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/state/in_flight_submissions.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/predecessors.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"
#include "core/store/journal.h"
#include "core/store/reader.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

/// What an action was posted to wait for.
struct PostedToWait {
    std::vector<store::Edge> after;
    WallMicros until = 0; ///< its not_before; 0: none
};
/// One that failed because another did, and all that it waits for.
struct FailedChild {
    store::FailedDependent row;
    std::vector<store::Edge> after;
    WallMicros until = 0;
};
/// How far the dependents of some actions were looked at.
struct Reached {
    std::size_t parent = 0; ///< their place in the list
    Lsn last{};             ///< of its dependents
};
struct FailedChildren {
    std::vector<FailedChild> children;
    Reached place; ///< behind them
};

class Rescheduling {
public:
    struct Parts {
        session::Session& session;
        session::Outbox& outbox;
        const InternTable& dictionary;
        ActionRows& rows;
        Predecessors& predecessors;
        InFlightSubmissions& entered;
        const WallScale& scale;
        /// It is registered, and is not being removed.
        std::function<bool(const std::string& worker)> takesActions;
        /// Posted when this returns, answered once the journal has it.
        std::function<std::unique_ptr<coro::OneShot<store::AckDetail>>(store::Action)> post;
        /// readWaits() and readFailed(), of the journal.
        std::function<coro::Task<Result<PostedToWait>>(Lsn)> waits;
        std::function<coro::Task<Result<FailedChildren>>(std::vector<Lsn> parents, Reached)> failed;
        /// Another machine may run it still, though it is over here: "m1 for 12 s". Empty: none.
        std::function<std::string(Lsn)> mayRun;
        std::function<void(Lsn)> putBack; ///< it is pending again
        std::function<void()> wake;       ///< something may start now
        std::function<MonoTime()> now;
    };
    explicit Rescheduling(Parts parts)
        : parts_(std::move(parts)) {}

    /// It waits for what it was posted to wait for, and what failed only because of it comes back as well.
    /// WrongState when not Failed or Abandoned, its queue is not active, or what it waits for ended otherwise;
    /// AtLimit unless forced.
    coro::Task<Result<Rescheduled>> reschedule(Lsn lsn, bool force);
    /// What reschedule() would answer.
    coro::Task<Result<void>> mayRetry(Lsn lsn, bool force);
    /// Others that would come back with these, in the order of their LSNs.
    coro::Task<Result<std::vector<Lsn>>> wouldRevive(std::vector<Lsn> lsns);
    /// Those of a page that a filter means to run again.
    coro::Task<RetryChoice> meantToRetry(std::vector<ActionResult> page);

private:
    RetryLimits limitsOf(const ActionResult& result) const;
    coro::Task<Result<ActionResult>> endedAction(Lsn lsn);
    /// What rescheduling it would make of its counters.
    Result<session::RetryCounters> mayReschedule(const ActionResult& known, bool force) const;
    /// Why it would wait in vain, and what helps.
    coro::Task<Error> waitsInVain(Lsn lsn, store::Edge parent);
    coro::Task<Lsn> newestOf(Lsn replaced);
    /// WrongState or AtLimit when it may not go again; else nothing.
    coro::Task<Result<void>> mayGoAgain(const ActionResult& known, const PostedToWait& waits, bool force);
    coro::Task<Result<PostedToWait>> waitsNow(Lsn lsn, PredecessorWatch::Scope& watched);
    void bringBack(const store::AckDetail& done, ActionState was);
    coro::Task<std::vector<Lsn>> revive(Lsn lsn);
    coro::Task<std::vector<Lsn>> revivePart(std::vector<FailedChild> children);
    coro::Task<std::vector<Lsn>> reopen(std::vector<store::Reopen> part);
    coro::Task<bool> lookAtArraysOf(std::vector<FailedChild>& children, PredecessorWatch::Scope& watched);
    bool mayRevive(const store::FailedDependent& row) const;

    Parts parts_;
    OwnerCheck owner_;
};

/// What it was posted to wait for: what that is now, and its time. Of arrays only how many elements they have: those
/// that are not known any more are left out.
Result<PostedToWait> readWaits(store::Reader& reader, Lsn lsn);
/// Those that failed because of `parents`, the next ones from `place` on.
Result<FailedChildren> readFailed(store::Reader& reader, const std::vector<Lsn>& parents, Reached place);

} // namespace yard::engine
