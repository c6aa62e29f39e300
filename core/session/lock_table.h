// Named locks as the session knows them: who of its own holds which, which are held elsewhere, and the lanes whose
// next action cannot have one. All actions of a lane claim the same locks, so a lane waits as a whole, out of the
// heaps of its queue: however many wait for a lock, they cost nothing while it is held. Private to session; owner:
// engine thread.
//
// Once it is free, of each queue and shape only the lane that would start first is woken: the others behind it
// could not start before it does, and then the lock is taken again. When it does not start but leaves or falls
// back, the next one is woken (Order::wakeBehind). So a free lock costs as much as queues have lanes that wait for
// it, not as there are lanes. One that needs several locks is woken every eighth time, too: it may make a claim
// then.
//
// All of an action's locks or none are taken, at the moment it is handed out, so nobody waits while holding. One
// could still wait forever while others keep taking a lock of it: a lane whose turn is kept (order.h), or that
// needs several and was refused so often, makes a claim, and until it started something nobody who came later gets
// any of its locks. Claims on one lock are served in the order they were made, which is the same for all locks of a
// claim: the earliest claim waits for holders only, so claims cannot wait for each other in a circle.
//
// Invariants: a lock has at most one holder; a lane waits for at most one lock, one of its class; where lanes of a
// queue and shape wait for a lock that is free and kept for none, one that claims it and comes before them is
// awake.
#pragma once

#include "core/base/ids.h"
#include "core/session/grow_array.h"
#include "core/session/messages.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace yard::session {

/// A lane that needs several locks and was refused so often in a row makes a claim.
inline constexpr std::uint8_t kRefusedBefore = 8;
/// Claims at once; past them a lane has none and waits for another turn.
inline constexpr std::size_t kMostClaims = 1'000;

class LockTable {
public:
    /// No locks.
    static constexpr std::uint32_t kNoLocks = 0xffffffffu;

    /// The number of this set, the same for equal sets; kNoLocks for an empty one.
    std::uint32_t setFor(std::vector<LockId> locks);
    const std::vector<LockId>& locksOf(std::uint32_t set) const { return *sets_[set]; }

    /// The first of its locks that this lane cannot have now; nothing: it can have them all.
    std::optional<LockId> refusal(std::uint32_t set, std::uint32_t lane) const;
    /// All of them.
    std::vector<LockId> refusals(std::uint32_t set, std::uint32_t lane) const;
    void take(std::uint32_t set, Lsn holder);
    void give(std::uint32_t set);
    void setElsewhere(LockId lock, bool held);
    bool isElsewhere(std::uint32_t set) const;

    /// Lanes of a queue and shape that wait for the lock: a heap, the one that would start first on top, which the
    /// owner keeps in order (and with it the lanes' places in it). Made when there is none.
    GrowArray<std::uint32_t>& waitingFor(LockId lock, std::uint32_t queue, std::uint32_t shape) {
        return locks_[lock].waiting[{queue, shape}];
    }
    /// Null when none of them waits.
    GrowArray<std::uint32_t>* findWaiting(LockId lock, std::uint32_t queue, std::uint32_t shape);
    /// One was taken out of waitingFor(): forgets what has become empty.
    void forgetIfIdle(LockId lock, std::uint32_t queue, std::uint32_t shape);
    /// Free, and kept for nobody.
    bool isOpen(LockId lock) const;
    /// This lane is to be met again once the lock was freed so many times.
    void remindOf(LockId lock, std::uint32_t lane, int times);
    /// The lock was freed once more: lanes whose time has come, be it that they wait for something else by now.
    std::set<std::uint32_t> takeDue(LockId lock);
    /// All that wait for something.
    void forEachBlocked(const std::function<void(LockId, std::uint32_t)>& visit) const;

    /// Each lane once. At most kMostClaims.
    void claim(std::uint32_t lane, std::uint32_t set);
    void endClaim(std::uint32_t lane, std::uint32_t set);
    /// Lanes with a claim, in the order they were made.
    const std::vector<std::uint32_t>& claimants() const { return claimants_; }

    struct State {
        Lsn holder{};           ///< 0: none of ours
        bool elsewhere = false; ///< another engine has it
        /// Lanes that wait for it, by queue and shape; none is empty.
        std::map<std::pair<std::uint32_t, std::uint32_t>, GrowArray<std::uint32_t>> waiting;
        std::vector<std::uint32_t> claims;                    ///< lanes it is kept for, in this order
        std::uint64_t freed = 0;                              ///< so often while something waits for it
        std::map<std::uint64_t, std::set<std::uint32_t>> due; ///< by `freed`: see remindOf()
        bool isFree() const { return holder.value == 0 && !elsewhere; }
        bool isWaitedFor() const { return !waiting.empty(); }
    };
    /// Nothing of a lock that nobody holds or waits for.
    const State* find(LockId lock) const;
    /// Every lock that is held, elsewhere or waited for.
    void forEach(const std::function<void(LockId, const State&)>& visit) const;
    std::size_t held() const { return held_; }
    std::size_t memoryBytes() const;

private:
    bool isRefused(LockId lock, std::uint32_t lane) const;
    void dropIfIdle(LockId lock);

    std::map<std::vector<LockId>, std::uint32_t> setIndex_;
    std::vector<const std::vector<LockId>*> sets_; ///< keys of setIndex_
    std::map<LockId, State> locks_;                ///< those in use only
    std::size_t held_ = 0;                         ///< by actions of ours
    std::vector<std::uint32_t> claimants_;
};

} // namespace yard::session
