// How many actions of one label may be handed out at once in a queue, and those that wait for that: they are parked
// outside of their lanes, so that a decision does not meet them again and again. Private to session; owner: engine
// thread.
//
// Invariants: a parked record is in phase Waiting, not held, in no lane; its `timer` is its place in the heap here.
// Each free place of a gate was offered to a record that waits in its lane, or is in `toOffer` until openNext().
#pragma once

#include "core/session/grow_array.h"
#include "core/session/record.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace yard::session {

/// Every kOldestThroughGate-th start of a label goes to its oldest action, regardless of priority. Its turn is kept
/// (order.h): the place waits for it.
inline constexpr std::uint32_t kOldestThroughGate = 16;

class LabelGates {
public:
    explicit LabelGates(Records& records)
        : records_(records) {}

    /// Limits by label, > 0; each label once. `running(label)` says how many of a new one are handed out.
    void setLimits(std::vector<std::pair<LabelId, int>> limits, const std::function<int(LabelId)>& running);
    bool empty() const { return gates_.empty(); }

    /// May another one of this label start? `turn`: one for which a place is kept.
    bool isOpen(std::uint32_t label, bool turn) const;
    void park(std::uint32_t record);
    void unpark(std::uint32_t record);
    /// One of this label was handed out (1) or given back (-1).
    void count(std::uint32_t label, int by);
    /// One that waited in its lane, or could have, does not any more: another one may.
    void offerAgain(std::uint32_t label);
    /// The turn of the oldest of the queue found no place of this label: the next one goes to the oldest of it.
    void nextToOldest(std::uint32_t label);
    /// A place is kept for one of this label that waits, until it starts or waits no more.
    void keep(std::uint32_t label);
    void endKeep(std::uint32_t label);
    /// Something is parked that could start: openNext() has work.
    bool wantsOpening() const { return wantsOpening_; }
    struct Opened {
        std::uint32_t record = kNone;
        bool turn = false; ///< its turn is to be kept
    };
    /// Takes records out that may start, at most `budget`: the caller makes them wait in their lanes again.
    std::vector<Opened> openNext(int budget);

    struct Limit {
        int most = 0;
        int running = 0; ///< those a place is kept for, too
    };
    /// Nothing when there is no limit.
    std::optional<Limit> limitOf(std::uint32_t label) const;
    std::vector<std::pair<LabelId, int>> limits() const;
    std::size_t memoryBytes() const;
    /// Asserts the invariants; `visit` is told of each parked record.
    void check(const std::function<void(std::uint32_t)>& visit) const;

private:
    static constexpr int kUnlimited = std::numeric_limits<int>::max();
    struct Parked {
        int priority;
        GrowArray<std::uint32_t> oldestFirst;
    };
    struct Gate {
        std::uint32_t label = 0;
        int limit = 0; ///< kUnlimited: gone as soon as nothing is parked
        int running = 0;
        int kept = 0;    ///< places for records whose turn is kept; counts what entered since the gate is here
        int toOffer = 0; ///< free places that no record in a lane was let through for
        std::uint32_t starts = 0;  ///< of its label since the last turn of the oldest, up to kOldestThroughGate
        std::uint32_t waiting = 0; ///< parked
        std::vector<Parked> byPriority; ///< highest first, none empty
    };

    Gate* find(std::uint32_t label);
    const Gate* find(std::uint32_t label) const { return const_cast<LabelGates*>(this)->find(label); }
    Opened takeNext(Gate& gate);
    void dropIdle();
    void take(Gate& gate, std::size_t group, std::uint32_t at);
    void offer(Gate& gate, int places);

    Records& records_;
    std::vector<Gate> gates_; ///< sorted by label
    bool wantsOpening_ = false;
};

} // namespace yard::session
