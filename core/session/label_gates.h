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

/// Each so many records that a gate lets through, one is the oldest whatever its priority.
inline constexpr std::uint32_t kOldestThroughGate = 16;

class LabelGates {
public:
    explicit LabelGates(Records& records)
        : records_(records) {}

    /// Limits by label, > 0; each label once. `running(label)` says how many of a new one are handed out.
    void setLimits(std::vector<std::pair<LabelId, int>> limits, const std::function<int(LabelId)>& running);
    bool empty() const { return gates_.empty(); }

    /// May another one of this label start?
    bool isOpen(std::uint32_t label) const;
    void park(std::uint32_t record);
    void unpark(std::uint32_t record);
    /// One of this label was handed out (1) or given back (-1).
    void count(std::uint32_t label, int by);
    /// One that waited in its lane, or could have, does not any more: another one may.
    void offerAgain(std::uint32_t label);
    /// Something is parked that could start: openNext() has work.
    bool wantsOpening() const { return wantsOpening_; }
    /// Takes records out that may start, at most `budget`: the caller makes them wait in their lanes again.
    std::vector<std::uint32_t> openNext(int budget);

    struct Limit {
        int most = 0;
        int running = 0;
        std::uint32_t parked = 0;
    };
    /// Nothing when there is no limit.
    std::optional<Limit> limitOf(std::uint32_t label) const;
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
        int toOffer = 0; ///< free places that no record in a lane was let through for
        std::uint32_t opened = 0;
        std::uint32_t waiting = 0;      ///< parked
        std::vector<Parked> byPriority; ///< highest first, none empty
    };

    Gate* find(std::uint32_t label);
    const Gate* find(std::uint32_t label) const { return const_cast<LabelGates*>(this)->find(label); }
    std::uint32_t takeNext(Gate& gate);
    void take(Gate& gate, std::size_t group, std::uint32_t at);
    void offer(Gate& gate, int places);

    Records& records_;
    std::vector<Gate> gates_; ///< sorted by label
    bool wantsOpening_ = false;
};

} // namespace yard::session
