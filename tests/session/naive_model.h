// What the session should decide, in the plainest way: every action in a map, each decision a walk over all of
// them. Knows order, shares, holds, limits, retries and counters; not leases ahead and not the states of the
// session (the scripts have those).
#pragma once

#include "core/session/session.h"

#include <map>
#include <string>
#include <vector>

namespace yard::session::test {

class NaiveModel {
public:
    enum class Phase { Waiting, Out, Retrying, Ending };
    struct Action {
        NewAction given; ///< as submitted, then priority, queue, hold as changed since
        int cores = 1;
        Phase phase = Phase::Waiting;
        bool countsRunning = false;
        bool cancel = false;
        std::uint32_t attempt = 0;
        RetryCounters retries;
        MonoTime notBefore{};
        ActionState target{};
    };
    struct Queue {
        QueueConfig config;
        QueueState state = QueueState::Active;
        bool held = false;
        QueueCounters counters;
        int outstanding = 0;
        double virtualTime = 0;
        unsigned starts = 0;
        bool wasReady = false; ///< when the last decision was taken
    };

    /// `exactShares`: all actions are alike, so which queue comes next is known too.
    NaiveModel(int cores, bool exactShares)
        : cores_(cores)
        , exactShares_(exactShares) {}

    std::map<std::int64_t, Action> actions; ///< by LSN
    std::map<std::int64_t, Queue> queues;

    void add(const NewAction& given, int cores);
    /// The session started this: applied, after the question whether it was the right one. Empty, or what is wrong.
    std::string started(const Start& start, MonoTime now);
    /// The session started nothing more: empty, or the name of what it missed.
    std::string idle(MonoTime now);
    void begun(Action& a);
    void returned(Action& a);
    /// Retrying or Ending, as the rules say.
    void ended(Action& a, const AttemptEnd& end);
    void cancel(Action& a);
    void stored(std::int64_t lsn);

private:
    bool ready(const Action& a, MonoTime now) const;
    bool fits(const Action& a) const;
    void refreshShares(MonoTime now);
    void finish(Action& a, ActionState state);

    int cores_;
    bool exactShares_;
    double now_ = 0;
};

} // namespace yard::session::test
