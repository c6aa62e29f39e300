// Which action starts next (docs/scheduling.md). Per shape a heap of queues by virtual time, per queue and shape
// heaps of lanes by key and by age. Private to session; owner: engine thread.
//
// A shape is a distinct vector of resources: a decision looks at the tops of the shapes that fit, so what is
// blocked costs nothing. Entries go stale (the queue started elsewhere, was held, ran empty; the first action of a
// lane was cancelled) and are put right when they come to the top. Virtual times only grow, so a stale entry is
// never too late.
//
// It has over 40 functions, most of them private: heaps, turns and claims of locks change together at each start, and each
// would be a party to the others' invariants. What could be told apart is: Listings, Reservation, LockTable, Lanes, Shortage.
//
// Each 16th start of a queue goes to the oldest that can start. Is there an older one that lacks only locks or
// resources, its turn is kept: it moves to a lane of its own kind, before all others of its queue; its locks go to
// nobody who came later, a place of its label waits for it. So an action starts within 17 starts of its queue for
// itself and for each older one, plus what those need that hold what it lacks (docs/scheduling.md has the bound).
#pragma once

#include "core/base/clock.h"
#include "core/session/capacity.h"
#include "core/session/grow_array.h"
#include "core/session/lanes.h"
#include "core/session/listings.h"
#include "core/session/lock_table.h"
#include "core/session/queues.h"
#include "core/session/record.h"
#include "core/session/reservation.h"
#include "core/session/work_classes.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace yard::session {

/// Every kOldestEvery-th start of a queue goes to its oldest action, regardless of priority.
inline constexpr std::uint32_t kOldestEvery = 16;

class Order {
public:
    /// `dropped` is told of each entry that was met and taken out because its action does not wait (any more).
    Order(Records& records, Lanes& lanes, WorkClasses& classes, const Capacity& capacity,
          std::function<void(std::uint32_t)> dropped)
        : records_(records)
        , lanes_(lanes)
        , classes_(classes)
        , capacity_(capacity)
        , dropped_(std::move(dropped)) {}

    void defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks, std::optional<GateId> gate,
                     const RetryLimits& limits, const Where& where = {});
    const LockTable& locks() const { return locks_; }
    /// So often was a lane that waited for a lock looked at again.
    std::uint64_t lanesWoken() const { return lanesWoken_; }
    /// So many of a shape wait, or some more; from 1 to `most`. Looks at as many lanes and queues at most.
    unsigned likes(std::uint32_t shape, unsigned most) const;
    /// Something waits that is not at a gate.
    bool hasListed() const;

    // What is kept for something large.
    Reservation& reservation() { return reservation_; }
    const Reservation& reservation() const { return reservation_; }
    /// Per shape the queues that have something of it to start.
    const Listings& listings() const { return listings_; }
    /// What resources are kept for may have been held or cancelled: then they are kept no more.
    void endVainReservation(int& budget);
    /// Something that could start waits for cores of this machine, and for nothing else.
    bool lacksCores(int& budget);
    /// The action that resources are kept for; 0: none.
    Lsn keptFor() const;

    std::uint32_t addQueue(QueueId id);
    /// Frees the place of a queue that is gone once nothing refers to it any more.
    void removeIfUnused(std::uint32_t queue);
    Queue& queue(std::uint32_t i) { return *queues_[i]; }
    const Queue& queue(std::uint32_t i) const { return *queues_[i]; }
    std::uint32_t queuesEnd() const { return queues_.size(); }
    bool hasQueue(std::uint32_t i) const { return i < queues_.size() && queues_[i] != nullptr; }

    /// The record waits: an entry in its lane.
    void enter(std::uint32_t record);
    /// The queue may be eligible again: its shapes are listed. O(its shapes).
    void wake(std::uint32_t queue);

    /// What a start has to fit into, beside what the capacity knows.
    struct Room {
        bool mustFit = true;     ///< false: what would start if there were resources for everything
        bool onlyGated = false;  ///< no place is left for anything that is not at a gate
        bool slotsFull = false;  ///< none for what is exactly one core
        bool sharedFull = false; ///< none for any other
    };
    struct Pick {
        std::uint32_t queue = kNone;
        std::uint32_t lane = kNone;
        bool oldest = false;        ///< by its turn, not by its priority
        std::uint32_t keep = kNone; ///< record whose turn it would have been, and is kept
        explicit operator bool() const { return lane != kNone; }
    };
    /// What starts next. `budget` goes down with each entry that is taken out on the way; at 0 nothing is picked,
    /// ask again.
    Pick pick(const Room& room, int& budget);
    /// Takes the picked action out of its lane and charges its queue. Returns the record.
    std::uint32_t start(const Pick& pick);
    /// What was started has let go of its locks: who waited for them may start.
    void giveLocks(std::uint32_t cls);
    /// Another engine has the lock, or has not any more.
    void setLockElsewhere(LockId lock, bool held);
    /// Queues with a gate that has a place again because a lane went to wait for a lock, or a turn was given up;
    /// forgotten with the answer.
    std::vector<std::uint32_t> takeGatesToOpen() { return std::exchange(gatesToOpen_, {}); }
    /// The start was given back.
    void refund(std::uint32_t queue, std::uint32_t cls);

    // Turns that are kept (turns.cpp).
    /// The record, which is about to enter a lane, goes before others of its queue.
    void grantTurn(std::uint32_t record);
    /// The record does not wait any more, or not as it did: no turn, and its lane keeps no lock for it.
    void leave(std::uint32_t record);
    /// The queue starts nothing for now: no lock is kept for it.
    void endClaimsOf(std::uint32_t queue);

    /// The largest virtual time at which a queue started something.
    double virtualNow() const { return now_; }
    void setVirtualNow(double now) { now_ = now; }
    /// Where nothing waits: queues are listed again, by the virtual time that they have then.
    void forgetListings();

    /// Takes the first entry of this lane out.
    void popFirst(std::uint32_t lane);
    /// Takes out the first entry of some lane of the queue, waiting or not. kNone: its lanes are empty.
    std::uint32_t takeAny(std::uint32_t queue);

    std::size_t memoryBytes() const;
    void check() const;

private:
    void checkLocks() const;
    QueueShape& queueShape(Queue& queue, std::uint32_t shape);
    /// What waits of a class, out of its heaps: it may get another shape. Awake, and without claims.
    std::vector<std::uint32_t> takeOutOf(ClassId id);
    void list(std::uint32_t queue, QueueShape& of);
    /// The top of the shape's heap, once stale entries are out: a queue that has something to start. kNone: there
    /// is none.
    std::uint32_t topQueue(std::uint32_t shape, int& budget);
    /// The top lane of one of the two heaps, once its first action waits and its label has a place. kNone: none is
    /// left.
    std::uint32_t topLane(Queue& queue, QueueShape& of, bool byAge, int& budget);
    void popEntry(QueueShape& of, std::uint32_t lane);
    void leaveHeaps(QueueShape& of, std::uint32_t lane);
    void blockLane(Queue& queue, QueueShape& of, std::uint32_t lane, LockId lock);
    std::optional<LockId> lockWaitedFor(std::uint32_t lane);
    void leaveLock(std::uint32_t lane);
    void wakeLane(std::uint32_t lane);
    /// Of the lanes that wait for the lock, if it is free: the one it is kept for, else of each queue and shape the
    /// first one.
    void wakeFor(LockId lock);
    /// All lanes of the queue that wait for a lock.
    void wakeAll(std::uint32_t queue);
    /// This one has fallen back or left: those that were not woken for a free lock because it came before them.
    void wakeBehind(std::uint32_t lane);
    /// The oldest that could start and was not woken, if it is older than `than` (kNone: any). False: there is
    /// none, or too many older ones are refused.
    bool wakeOlder(QueueShape& of, std::uint32_t than);
    bool isGuarded(LockId lock, std::uint32_t lane) const;
    /// If it waits for a lock: to be met again.
    void recheckLane(std::uint32_t lane);
    void leaveBlocked(QueueShape& of, std::uint32_t lane);
    void claim(std::uint32_t lane);
    void endClaim(std::uint32_t lane);
    /// The oldest that waits for a lock and could have a turn kept; kNone: none.
    std::uint32_t oldestBlocked(Queue& queue, QueueShape& of, int& budget);
    Pick pickByKey(std::uint32_t queue, const Room& room, int& budget);
    Pick pickOldest(std::uint32_t queue, const Room& room, int& budget);
    void keepTurn(std::uint32_t record);
    void giveUpTurn(std::uint32_t record);
    void changeLane(std::uint32_t record, bool turn);
    /// Its first action goes before that of the other one.
    bool before(std::uint32_t lane, std::uint32_t other) const {
        if (lanes_[lane].turn != lanes_[other].turn) return lanes_[lane].turn;
        const std::uint32_t a = lanes_[lane].first;
        const std::uint32_t b = lanes_[other].first;
        return lanes_[lane].turn ? records_.older(a, b) : records_.less(a, b);
    }
    bool mayFit(std::uint32_t shape, const Room& room) const;
    /// Its next start is that of its oldest.
    static bool isTurnOf(const Queue& queue) { return queue.starts % kOldestEvery == kOldestEvery - 1; }
    auto laneLess() const {
        return [this](std::uint32_t a, std::uint32_t b) { return before(a, b); };
    }
    auto laneOlder() const {
        return
            [this](std::uint32_t a, std::uint32_t b) { return records_.older(lanes_[a].first, lanes_[b].first); };
    }
    auto keyMoved() {
        return [this](std::uint32_t lane, std::uint32_t at) { lanes_[lane].keyPos = at; };
    }
    auto ageMoved() {
        return [this](std::uint32_t lane, std::uint32_t at) { lanes_[lane].agePos = at; };
    }
    bool waits(std::uint32_t record) const {
        const Record& r = records_[record];
        return r.phase == Phase::Waiting && !r.has(Record::kHeld | Record::kCancel);
    }

    Records& records_;
    Lanes& lanes_;
    WorkClasses& classes_;
    const Capacity& capacity_;
    std::function<void(std::uint32_t)> dropped_;

    LockTable locks_;
    std::uint64_t lanesWoken_ = 0;
    std::vector<std::uint32_t> gatesToOpen_;
    GrowArray<std::unique_ptr<Queue>> queues_;
    std::vector<std::uint32_t> freeQueues_;
    Listings listings_;
    Reservation reservation_{classes_, listings_, capacity_};
    double now_ = 0; ///< virtual time: the largest at which a queue started something
};

} // namespace yard::session
