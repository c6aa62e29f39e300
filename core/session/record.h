// One live action in 48 bytes, its phases, and the slab that holds them. Private to session.
#pragma once

#include "core/base/ids.h"
#include "core/base/state_machine.h"
#include "core/session/id_map.h"
#include "core/session/messages.h"
#include "core/session/slab.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <unordered_map>

namespace yard::session {

/// Where an action is between the journal and the runners. Others see ActionState, which follows from it.
enum class Phase : unsigned char {
    Free,       ///< not an action
    Waiting,    ///< pending: in a lane, held, or behind a timer
    Leased,     ///< pending, but handed to a runner
    Submitting, ///< a runner prepares it
    Running,    ///< its first process runs
    Retrying,   ///< its attempt ended, the reset is on its way to the journal; others still see it running
    Ending,     ///< its Finish is on its way to the journal; others see what it was before
    Dead        ///< gone, only its entry in a lane, or what it waited for, still refers to it
};
inline constexpr std::size_t kPhases = 8;
const TransitionTable<Phase, kPhases>& phaseTransitions();
constexpr bool isPendingPhase(Phase p) {
    return p == Phase::Waiting || p == Phase::Leased;
}
constexpr bool isRunningPhase(Phase p) {
    return p >= Phase::Submitting && p <= Phase::Retrying;
}

struct Record {
    std::uint64_t key; ///< (100 - priority) << 56 | kMoved | submit time: but for kMoved the smallest starts first
    std::uint32_t lsnLow;
    std::uint32_t lane;
    std::uint32_t label;
    std::uint32_t firstEdge; ///< list of the actions that wait for this one (Edges); kNone
    std::uint32_t timer;    ///< place in the heap of timers, while handed out in the list of those, while parked in
                            ///< the heap of its gate; else kNone
    std::uint32_t attempt;  ///< the current one, or how many there were
    std::uint32_t revision; ///< of the last visible change
    std::uint16_t unmet;    ///< dependencies that have not ended
    std::uint16_t retryCount;
    std::uint16_t ownFailures;
    std::uint16_t interruptions;
    std::uint16_t flags;
    Phase phase;
    std::uint8_t lsnHigh; ///< bits 32 to 39

    static constexpr std::uint16_t kHeld = 1;
    static constexpr std::uint16_t kCancel = 2; ///< asked for; it ends Cancelled, but for AttemptEnd::wasEnforced
    static constexpr std::uint16_t kInLane = 4; ///< a lane has an entry of it
    static constexpr std::uint16_t kTakeBackAsked = 8; ///< of the current attempt
    static constexpr std::uint16_t kStopAsked = 16;    ///< of the current attempt
    static constexpr std::uint16_t kAhead = 32;        ///< leased beyond the capacity
    static constexpr std::uint16_t kOldestPick =
        64; ///< leased as the oldest of its queue: given back, so is the turn
    static constexpr std::uint16_t kBackoff = 128;       ///< its timer is a back-off
    static constexpr std::uint16_t kCountsRunning = 256; ///< the counters of its queue have it as running
    static constexpr std::uint16_t kOut = 512;           ///< a runner has it; holds its resources
    static constexpr std::uint16_t kSwept = 1024;        ///< its Finish is the session's: visibly Abandoned at once
    static constexpr std::uint16_t kStored = 2048;    ///< its Finish is in the journal, but a runner still has it
    static constexpr std::uint16_t kTargetShift = 12; ///< two bits: final state - Completed, while Ending
    static constexpr std::uint16_t kParked = 16384;   ///< waits for a place of its label, see LabelGates
    static constexpr std::uint16_t kTurn = 32768;     ///< waits, and its turn is kept; see Order
    static constexpr std::uint16_t kOfAttempt = kTakeBackAsked | kStopAsked | kAhead | kOldestPick;

    bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
    void set(std::uint16_t flag) { flags = static_cast<std::uint16_t>(flags | flag); }
    void unset(std::uint16_t flag) { flags = static_cast<std::uint16_t>(flags & ~flag); }
    ActionState target() const {
        return static_cast<ActionState>(std::to_underlying(ActionState::Completed) + (flags >> kTargetShift & 3));
    }
    void setTarget(ActionState state) {
        const auto bits = std::to_underlying(state) - std::to_underlying(ActionState::Completed);
        flags = static_cast<std::uint16_t>((flags & ~(3 << kTargetShift)) | bits << kTargetShift);
    }
    int priority() const { return 100 - static_cast<int>(key >> 56); }
    /// What it is ordered by: when it was submitted, of one that was moved when its anchor was (PlaceKey).
    std::int64_t time() const { return static_cast<std::int64_t>(key & kTimeMask); }
    bool isMoved() const { return (key & kMoved) != 0; }
    std::uint64_t orderKey() const { return key & ~kMoved; }
    std::uint32_t& freeLink() { return lsnLow; }

    static constexpr std::uint64_t kMoved = std::uint64_t{1} << 55; ///< moved by hand: Records has its PlaceKey
    static constexpr std::uint64_t kTimeMask = kMoved - 1;
    static std::uint64_t makeKey(int priority, std::int64_t submitTime) {
        assert(priority >= -100 && priority <= 100);
        return static_cast<std::uint64_t>(100 - priority) << 56 |
               (static_cast<std::uint64_t>(submitTime) & kTimeMask);
    }
    RetryCounters retries() const { return {retryCount, ownFailures, interruptions}; }
    void setRetries(const RetryCounters& c) {
        const auto clamp = [](int n) { return static_cast<std::uint16_t>(std::clamp(n, 0, 65'535)); };
        retryCount = clamp(c.retryCount);
        ownFailures = clamp(c.ownFailures);
        interruptions = clamp(c.interruptions);
    }
};
static_assert(sizeof(Record) == 48);

/// How others see a live action while the session is not abandoned.
inline ActionState seenOf(const Record& r) {
    if (r.phase == Phase::Submitting) return ActionState::Submitting;
    return r.has(Record::kCountsRunning) ? ActionState::Running : ActionState::Pending;
}

/// All records, found by place or by LSN. The 40 bits kept of an LSN are completed from the largest one seen: live
/// actions may be 2^40 numbers apart.
class Records {
public:
    Record& operator[](std::uint32_t place) { return slab_[place]; }
    const Record& operator[](std::uint32_t place) const { return slab_[place]; }
    std::uint32_t find(Lsn lsn) const { return byLsn_.find(lsn.value); }
    /// The lowest LSN from this one on; kNone: none.
    std::uint32_t next(Lsn from) const { return byLsn_.next(from.value).second; }

    Lsn lsnOf(const Record& r) const {
        const auto low = static_cast<std::uint64_t>(r.lsnHigh) << 32 | r.lsnLow;
        const auto back = (static_cast<std::uint64_t>(largest_) - low) & ((std::uint64_t{1} << 40) - 1);
        return Lsn(largest_ - static_cast<std::int64_t>(back));
    }
    /// Smaller starts first: priority, then place, then LSN. The place of what nobody moved is its age.
    bool less(std::uint32_t a, std::uint32_t b) const {
        const Record& x = slab_[a];
        const Record& y = slab_[b];
        return x.orderKey() != y.orderKey() ? x.orderKey() < y.orderKey() : isBeforeAtSameTime(a, b);
    }
    bool older(std::uint32_t a, std::uint32_t b) const {
        const Record& x = slab_[a];
        const Record& y = slab_[b];
        return x.time() != y.time() ? x.time() < y.time() : isBeforeAtSameTime(a, b);
    }

    // -- what was moved by hand
    PlaceKey placeOf(std::uint32_t place) const {
        const Record& r = slab_[place];
        if (r.isMoved()) return moved_.at(place).to;
        return {.time = r.time(), .anchor = lsnOf(r), .rank = 0};
    }
    /// When it was submitted, wherever it was moved to.
    std::int64_t submitTime(std::uint32_t place) const {
        const Record& r = slab_[place];
        return r.isMoved() ? moved_.at(place).submitTime : r.time();
    }
    /// In no lane, gate or other order while its place changes.
    void setPlace(std::uint32_t place, const PlaceKey& to) {
        const std::int64_t submitted = submitTime(place);
        Record& r = slab_[place];
        moved_[place] = {.to = to, .submitTime = submitted};
        r.key = Record::makeKey(r.priority(), to.time) | Record::kMoved;
    }

    /// A record with this LSN and nothing else set but phase Free, which the caller moves on.
    std::uint32_t allocate(Lsn lsn) {
        largest_ = std::max(largest_, lsn.value);
        assert(lsn.value > 0 && largest_ - lsn.value < std::int64_t{1} << 40);
        const std::uint32_t place = slab_.allocate();
        slab_[place] = Record{.key = 0,
                              .lsnLow = static_cast<std::uint32_t>(lsn.value),
                              .lane = kNone,
                              .label = 0,
                              .firstEdge = kNone,
                              .timer = kNone,
                              .attempt = 0,
                              .revision = 0,
                              .unmet = 0,
                              .retryCount = 0,
                              .ownFailures = 0,
                              .interruptions = 0,
                              .flags = 0,
                              .phase = Phase::Free,
                              .lsnHigh = static_cast<std::uint8_t>(lsn.value >> 32)};
        return place;
    }
    void release(std::uint32_t place) {
        if (slab_[place].isMoved()) moved_.erase(place);
        slab_[place].phase = Phase::Free;
        slab_.release(place);
    }
    void map(Lsn lsn, std::uint32_t place) { byLsn_.insert(lsn.value, place); }
    void unmap(Lsn lsn) { byLsn_.erase(lsn.value); }

    std::uint32_t used() const { return slab_.used(); }
    std::uint32_t end() const { return slab_.end(); }
    bool present(std::uint32_t place) const { return slab_.present(place) && slab_[place].phase != Phase::Free; }
    std::uint32_t next(std::uint32_t place) const { return slab_.next(place); }
    std::size_t memoryBytes() const {
        return slab_.memoryBytes() + byLsn_.memoryBytes() + moved_.size() * (sizeof(Moved) + 4 * sizeof(void*));
    }

private:
    struct Moved {
        PlaceKey to;
        std::int64_t submitTime = 0;
    };
    bool isBeforeAtSameTime(std::uint32_t a, std::uint32_t b) const {
        const Record& x = slab_[a];
        const Record& y = slab_[b];
        if (x.isMoved() || y.isMoved()) {
            const PlaceKey p = placeOf(a);
            const PlaceKey q = placeOf(b);
            if (p != q) return p < q;
        }
        return lsnOf(x) < lsnOf(y);
    }

    Slab<Record, 4096> slab_;
    IdMap byLsn_;
    std::unordered_map<std::uint32_t, Moved> moved_; ///< by place
    std::int64_t largest_ = 0;
};

} // namespace yard::session
