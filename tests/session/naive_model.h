// What the session should decide, in the plainest way: every action in a map, each decision a walk over all of
// them. Knows order, shares, holds, limits of queues and labels, locks, dependencies, resources, retries, stopping
// after failures and counters; not leases ahead and not the states of the session (the scripts have those).
#pragma once

#include "core/session/session.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace yard::session::test {

class NaiveModel {
public:
    enum class Phase { Waiting, Out, Retrying, Ending };
    struct Action {
        NewAction given; ///< as submitted, then priority, queue, hold as changed since
        int cores = 1;
        int licences = 0;
        std::set<std::uint32_t> locks{};
        std::vector<Predecessor> after{}; ///< those that have not ended
        Phase phase = Phase::Waiting;
        bool countsRunning = false;
        bool keeping = false; ///< out, and takes no resources
        bool cancel = false;  ///< also of one that waits: it was cancelled in two parts, the second is to come
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
        std::map<std::uint32_t, int> labelLimits;
        bool hadLimits = false;        ///< of labels, now or once
        std::int64_t failing = 0;      ///< ended failed, not stored yet
        std::int64_t failedBefore = 0; ///< failures that do not count any more
        int outstanding = 0;
        double virtualTime = 0;
        unsigned starts = 0;
        bool wasReady = false; ///< when the last decision was taken
    };

    /// `exactShares`: all actions are alike, so which queue comes next is known too.
    NaiveModel(int cores, int licences, bool exactShares)
        : cores_(cores)
        , licences_(licences)
        , exactShares_(exactShares) {}

    std::map<std::int64_t, Action> actions; ///< by LSN
    std::map<std::int64_t, Queue> queues;

    std::map<std::int64_t, ActionState> endStates; ///< of actions that are no longer there

    std::set<std::uint32_t> locksElsewhere;
    /// Some need several locks: then locks may be kept, and neither the order of those that need some nor that they
    /// start as soon as they could is known. The same holds once a queue may have kept a turn.
    bool mayReserveLocks = false;

    void add(const NewAction& given, int cores, int licences, std::set<std::uint32_t> locks);
    /// The session started this: applied, after the question whether it was the right one. Empty, or what is wrong.
    std::string started(const Start& start, MonoTime now);
    /// The session started nothing more: empty, or the name of what it missed.
    std::string idle(MonoTime now);
    void begun(Action& a);
    void returned(Action& a);
    /// Retrying or Ending, as the rules say.
    void ended(Action& a, const AttemptEnd& end);
    void cancel(Action& a);
    /// In two parts. True: finishCancelled() must follow.
    bool cancelLater(Action& a);
    void finishCancelled(Action& a);
    void release(Queue& q);
    void stored(std::int64_t lsn);

private:
    bool ready(const Action& a, MonoTime now) const;
    bool fits(const Action& a) const;
    bool hasLocks(const Action& a) const;
    bool labelHasPlace(const Action& a) const;
    bool labelIsLimited(const Action& a) const;
    /// Its place of a label may be offered to another one of the same label, which is too large.
    bool yieldsToLarger(const Action& a, MonoTime now) const;
    /// A place of its label may be kept for another one, which lacks a lock.
    bool yieldsToLocked(const Action& a, MonoTime now) const;
    void tellDependents(std::int64_t lsn, ActionState end);
    void refreshShares(MonoTime now);
    /// It started so often that the turn of its oldest came: that one may go before others later.
    static bool mayKeepTurns(const Queue& q) { return q.starts >= 15 || q.hadLimits; }
    bool mayKeepLocks() const;
    void finish(Action& a, ActionState state);

    int cores_;
    int licences_;
    bool exactShares_;
    double now_ = 0;
};

} // namespace yard::session::test
