// Lanes: the waiting actions of one queue, class and priority, in order (those whose turn is kept apart). 40 bytes
// each (8 of them for the reference count and the link of the hash table): the first action in the
// lane itself, those behind it in chunks of 14, those that came back out of order in a small heap. Private to
// session; owner: engine thread.
//
// Invariants: `first` comes before everything else in its lane; the chunks are in order; an entry stays until it is
// taken out, whatever becomes of its action; a lane lives while an action refers to it, waiting or not.
#pragma once

#include "core/session/grow_array.h"
#include "core/session/record.h"
#include "core/session/slab.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace yard::session {

struct Lane {
    std::uint32_t queue;
    std::uint32_t cls;
    std::uint32_t refs;   ///< records whose lane this is
    std::uint32_t first;  ///< record that starts next; kNone: the lane is empty
    std::uint32_t tail;   ///< last chunk; its `next` is the first one
    std::uint32_t side;   ///< heap of those out of order; kNone
    std::uint32_t keyPos; ///< places in the two heaps of its queue and shape; kNone: in neither
    std::uint32_t agePos; ///< while blocked: in the heap of those that are, or kNone
    std::uint32_t bucketNext;
    std::int8_t priority;
    bool alive : 1;
    bool blocked : 1;      ///< waits for a lock of its class, in no heap of those that may start; see LockTable
    bool turn : 1;         ///< of actions whose turn is kept: before all others of their queue; see Order
    bool claims : 1;       ///< its locks are kept for it; see LockTable
    std::uint8_t refusals; ///< how often it had to since it last started something

    std::uint32_t& freeLink() { return bucketNext; }
};
static_assert(sizeof(Lane) == 40);

class Lanes {
public:
    /// `dropped` gets each dead record that leaves a lane before its turn.
    explicit Lanes(Records& records, std::function<void(std::uint32_t)> dropped = {})
        : records_(records)
        , dropped_(std::move(dropped)) {}
    ~Lanes();
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    Lane& operator[](std::uint32_t lane) { return lanes_[lane]; }
    const Lane& operator[](std::uint32_t lane) const { return lanes_[lane]; }

    /// The lane of queue, class and priority, made when there is none, with one more reference. `turn`: the other
    /// one, of those whose turn is kept.
    std::uint32_t acquire(std::uint32_t queue, std::uint32_t cls, int priority, bool turn = false);
    void release(std::uint32_t lane);

    /// Adds an entry. True when it is the new first one.
    bool push(std::uint32_t lane, std::uint32_t record);
    /// Takes the first entry out.
    void pop(std::uint32_t lane);

    /// What a sweep does. It may free records, and with them the lane it is in.
    struct Sweeper {
        std::function<bool(std::uint32_t record)> isDead;
        std::function<void(std::uint32_t record)> dropped; ///< a dead entry was taken out behind the first one
        std::function<void(std::uint32_t lane)>
            popFirst; ///< the first entry is dead: pop() it, and what goes with it
    };
    /// Takes dead entries out of all lanes, at most about `budget` entries per call. False: went through all of
    /// them. (Those in a heap of out-of-order actions stay until they come up, or half of it is dead.)
    bool sweep(int budget, const Sweeper& sweeper);

    struct Counting {
        int exact = 0; ///< entries still to be looked at one by one
        int steps = 0; ///< chunks and lanes still to be looked at
    };
    /// Entries of the lane that come before `record`, in this lane or not, and of which `waits` holds; an estimate
    /// where `counting` ran out.
    double countBefore(std::uint32_t lane, std::uint32_t record, const std::function<bool(std::uint32_t)>& waits,
                       Counting& counting) const;
    /// Every entry of a lane, in no particular order.
    void forEachEntry(std::uint32_t lane, const std::function<void(std::uint32_t)>& visit) const;
    std::uint32_t used() const { return lanes_.used(); }
    std::uint32_t end() const { return lanes_.end(); }
    bool present(std::uint32_t lane) const { return lanes_.present(lane) && lanes_[lane].alive; }
    std::uint32_t next(std::uint32_t lane) const { return lanes_.next(lane); }
    std::size_t memoryBytes() const;
    /// Asserts the order of a lane and its references to chunks.
    void check(std::uint32_t lane) const;

private:
    static constexpr int kChunkEntries = 14;
    struct alignas(8) Chunk {
        std::uint32_t records[kChunkEntries];
        std::uint32_t next;
        std::uint8_t begin;
        std::uint8_t end;
        std::uint32_t& freeLink() { return next; }
    };
    static_assert(sizeof(Chunk) == 64);
    struct Side {
        GrowArray<std::uint32_t>* heap;
        std::uint32_t link;
        std::uint32_t crowded; ///< at this size the dead are taken out
        std::uint32_t& freeLink() { return link; }
    };

    std::uint32_t bucketOf(std::uint64_t hash) const;
    void growBuckets();
    void unlink(std::uint32_t lane);
    void append(Lane& lane, std::uint32_t record);
    std::uint32_t frontOf(const Lane& lane) const;
    void popFront(Lane& lane);
    std::uint32_t lastOf(const Lane& lane) const;
    double estimateBefore(const Lane& lane, std::uint32_t record) const;
    void pushSide(Lane& lane, std::uint32_t record);
    void dropDead(Side& side);
    std::uint32_t popSide(Lane& lane);
    void dropChunk(Lane& lane, std::uint32_t previous, std::uint32_t chunk);
    int sweepChunk(Lane& lane, const Sweeper& sweeper);
    void sweepNextLane(std::uint32_t after);

    Records& records_;
    std::function<void(std::uint32_t)> dropped_;
    Slab<Lane, 1024> lanes_;
    Slab<Chunk, 2048> chunks_;
    Slab<Side, 256> sides_;
    std::size_t sideBytes_ = 0;

    // Linear hashing: one bucket is split per new lane, never all at once.
    GrowArray<std::uint32_t> buckets_;
    std::uint32_t level_ = 0; ///< buckets: 2^level + split
    std::uint32_t split_ = 0;

    struct Sweep {
        std::uint32_t lane = kNone;  ///< being swept; kNone: not started
        std::uint32_t chunk = kNone; ///< looked at next; kNone: this lane's chunks are not begun
        std::uint32_t previous = kNone;
    } sweep_;
};

} // namespace yard::session
