// Which action starts next (docs/scheduling.md). Per shape a heap of queues by virtual time, per queue and shape
// heaps of lanes by key and by age. Private to session; owner: engine thread.
//
// A shape is a distinct vector of resources: a decision looks at the tops of the shapes that fit, so what is
// blocked costs nothing. Entries go stale (the queue started elsewhere, was held, ran empty; the first action of a
// lane was cancelled) and are put right when they come to the top. Virtual times only grow, so a stale entry is
// never too late.
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
#include "core/session/lock_book.h"
#include "core/session/queues.h"
#include "core/session/record.h"
#include "core/session/standing.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace yard::session {

/// Shapes are looked at one by one in each decision: past this many, vectors are rounded up into buckets.
inline constexpr std::size_t kExactShapes = 64;
/// Each so many starts of a queue, one goes to its oldest action whatever its priority.
inline constexpr std::uint32_t kOldestEvery = 16;
/// A shape that did not fit at so many starts of others, or for so long, gets the one reservation: nothing starts
/// that would take what it waits for, until one of it did or the reservation is over. Then it gets none before so
/// much of what runs at that moment has ended that the rest could be its own, and the next one lasts twice as long:
/// an action without an end costs others one reservation, and what has an end is waited for in the end.
inline constexpr std::uint32_t kPassedOver = 1'000;
inline constexpr Duration kPassedOverFor{30'000'000};
inline constexpr Duration kReserve{60'000'000};
inline constexpr int kMostDoublings = 12;

class Order {
public:
    /// `dropped` is told of each entry that was met and taken out because its action does not wait (any more).
    Order(Records& records, Lanes& lanes, Capacity& capacity, std::function<void(std::uint32_t)> dropped)
        : records_(records)
        , lanes_(lanes)
        , capacity_(capacity)
        , dropped_(std::move(dropped)) {}

    void defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks, std::optional<GateId> gate,
                     const RetryLimits& limits);
    const RetryLimits& limitsOf(std::uint32_t cls) const { return classes_[cls].limits; }
    bool isDefined(ClassId id) const { return id.value < classes_.size() && classes_[id.value].shape != kNone; }
    const Resources& resourcesOf(std::uint32_t cls) const { return *vectors_[classes_[cls].vector].resources; }
    bool isOneCore(std::uint32_t cls) const {
        return vectors_[classes_[cls].vector].oneCore && classes_[cls].locks == LockBook::kNoLocks;
    }
    /// Number of the set of locks that a class claims; LockBook::kNoLocks: none.
    std::uint32_t locksOf(std::uint32_t cls) const { return classes_[cls].locks; }
    const LockBook& locks() const { return locks_; }
    /// So often was a lane that waited for a lock looked at again.
    std::uint64_t lanesWoken() const { return lanesWoken_; }
    double shareOf(std::uint32_t cls) const { return vectors_[classes_[cls].vector].share; }

    // Gates: classes whose attempts take no resources, but of which only so many are out.
    void setGate(GateId gate, int most);
    bool isGated(std::uint32_t cls) const { return shapes_[classes_[cls].shape]->gate != kNone; }
    bool isAt(GateId gate, std::uint32_t cls) const { return shapes_[classes_[cls].shape]->gate == gate.value; }
    int outAt(GateId gate) const { return gate.value < gates_.size() ? gates_[gate.value].out : 0; }
    std::uint32_t gateOf(std::uint32_t cls) const { return shapes_[classes_[cls].shape]->gate; }
    int mostAt(std::uint32_t cls) const { return gates_[shapes_[classes_[cls].shape]->gate].most; }
    int outAtGateOf(std::uint32_t cls) const { return gates_[shapes_[classes_[cls].shape]->gate].out; }
    /// One more or less is out; false: the class has no gate.
    bool countGate(std::uint32_t cls, int by);
    /// Nothing else may start for now.
    void setOnlyGated(bool only) { onlyGated_ = only; }
    /// Something waits that is not at a gate.
    bool hasListed() const;
    /// Something waits for resources.
    bool isCrowded() const;
    /// MB that the one of them lacks that lacks the least, and nothing else; of what something is kept for, if
    /// that lacks some. 0: there is none.
    std::int64_t memoryLack() const;
    /// What becomes free is kept for that one, unless something is kept already.
    void keepForLack();
    /// Taking these leaves what is being kept for something large.
    bool leavesReserved(const Resources& resources) const {
        return reserved_ == kNone || capacity_.leaves(resources, shapes_[reserved_]->resources);
    }

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

    struct Pick {
        std::uint32_t queue = kNone;
        std::uint32_t lane = kNone;
        bool oldest = false;        ///< by its turn, not by its priority
        std::uint32_t keep = kNone; ///< record whose turn it would have been, and is kept
        explicit operator bool() const { return lane != kNone; }
    };
    /// The present, for how long a shape was passed over.
    void setNow(MonoTime now) { present_ = now; }
    /// No place is left for what is not exactly one core: such shapes do not fit.
    void setSharedFull(bool full) { sharedFull_ = full; }
    /// The same of what is exactly one core.
    void setSlotsFull(bool full) { slotsFull_ = full; }
    /// Resources are being kept for something large.
    bool hasReservation() const { return reserved_ != kNone; }
    /// How long the first reservation of a shape lasts at most.
    void setReserve(Duration reserve) { reserve_ = reserve; }
    Duration reserve() const { return reserve_; }
    /// How long a class was passed over, with all others of its shape, and what came of it.
    struct Patience {
        std::uint32_t shape = kNone;
        std::uint32_t passedOver = 0; ///< starts of others
        MonoTime since{};
        int doublings = 0;
        std::optional<MonoTime> reservedSince; ///< it has the reservation
        const Standing* standing = nullptr;    ///< it had one, which was given up because of these
    };
    /// Nothing: it was not.
    std::optional<Patience> patienceOf(std::uint32_t cls) const; // patience.cpp
    void setPatience(std::uint32_t cls, const Patience& patience, std::unique_ptr<Standing> standing);
    /// When the reservation that there is ends by itself.
    std::optional<MonoTime> reservationEnds() const;
    /// It does so; `standing`: all that is in use now.
    void giveUpReservation(std::unique_ptr<Standing> standing);
    /// It may have stood in the way of a shape whose reservation was given up.
    void attemptEnded(std::uint32_t record, std::uint32_t cls);
    void holdEnded(HoldKey key, const Resources& resources);
    /// What resources are kept for may have been held or cancelled: then they are kept no more.
    void endVainReservation(int& budget);
    /// Keeps resources again for one in whose way nothing stands any more.
    void renewReservation();
    /// The action that resources are kept for; 0: none.
    Lsn keptFor() const;
    /// Why a class does not fit although its resources do.
    bool isReservedAway(std::uint32_t cls) const;
    bool isSharedFull() const { return sharedFull_; }

    /// What starts next. `mustFit` false: what would if there were room for everything. `budget` goes down with
    /// each entry that is taken out on the way; at 0 nothing is picked, ask again.
    Pick pick(bool mustFit, int& budget);
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
    struct Vector {
        const Resources* resources;
        double share;
        bool oneCore;
    };
    struct ClassInfo {
        std::uint32_t shape = kNone;
        std::uint32_t vector = kNone;
        std::uint32_t locks = LockBook::kNoLocks;
        RetryLimits limits;
    };
    struct Listing {
        double virtualTime;
        std::uint32_t queue;
    };
    struct Sooner {
        bool operator()(const Listing& a, const Listing& b) const {
            return a.virtualTime != b.virtualTime ? a.virtualTime < b.virtualTime : a.queue < b.queue;
        }
    };
    struct Shape {
        Resources resources;
        bool oneCore = false; ///< exactly one core and no lock: has slots of its own
        std::uint32_t gate = kNone;
        GrowArray<Listing> queues;
        std::uint32_t passedOver = 0; ///< starts of others since it last fitted
        MonoTime passedSince{};
        int doublings = 0;                  ///< of what its next reservation lasts
        std::unique_ptr<Standing> standing; ///< its last one was given up because of this
    };
    using ShapeKey = std::tuple<Resources, bool, std::uint32_t>; ///< resources, exactly one core, gate
    struct Gate {
        int most = 0;
        int out = 0;
    };

    std::uint32_t shapeFor(const Resources& resources, bool oneCore, std::uint32_t gate);
    void countPassedOver(std::uint32_t started);
    void endReservation();
    void reserve(std::uint32_t shape);
    /// It fits, started or is wanted no more.
    void forgetPassedOver(Shape& shape);
    std::uint32_t vectorFor(const Resources& resources);
    QueueShape& queueShape(Queue& queue, std::uint32_t shape);
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
    Pick pickByKey(std::uint32_t queue, bool mustFit, int& budget);
    Pick pickOldest(std::uint32_t queue, bool mustFit, int& budget);
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
    bool mayFit(std::uint32_t shape, bool now) const;
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
    Capacity& capacity_;
    std::function<void(std::uint32_t)> dropped_;

    LockBook locks_;
    std::uint64_t lanesWoken_ = 0;
    std::vector<std::uint32_t> gatesToOpen_;
    GrowArray<ClassInfo> classes_;
    std::map<Resources, std::uint32_t> vectorIndex_; ///< keys are what vectors_ points to
    std::vector<Vector> vectors_;
    std::map<ShapeKey, std::uint32_t> shapeIndex_;
    std::vector<std::unique_ptr<Shape>> shapes_;
    GrowArray<std::unique_ptr<Queue>> queues_;
    std::vector<std::uint32_t> freeQueues_;
    std::int64_t lackOf(std::uint32_t shape) const;
    std::uint32_t leastLacking() const;
    std::uint32_t reserved_ = kNone; ///< shape
    MonoTime reservedSince_{};
    Duration reserve_ = kReserve;
    int standing_ = 0; ///< shapes with `standing`
    bool sharedFull_ = false;
    bool slotsFull_ = false;
    bool onlyGated_ = false;
    std::vector<Gate> gates_;
    MonoTime present_{};
    double now_ = 0; ///< virtual time: the largest at which a queue started something
};

} // namespace yard::session
