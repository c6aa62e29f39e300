// Which slot an attempt goes to, and what becomes of those that wait in one behind a long one. Runs ahead (leases
// beyond the capacity) are for short actions; how long one takes is known only afterwards.
//
// Each runner has a place: slots for what needs one core, which take several attempts, one after another, and others
// that take one attempt each, of any size. Slots of all places are numbered through. The session says which place: they
// have the numbers of its machines.
//
// Owner: engine thread. Lifetime: after the attempts. It asks no clock: the time is a parameter. Invariant: a slot that
// was taken is left once, whatever became of the attempt. Attempts of warm workers have no slot here.
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"
#include "core/engine/running/attempt_table.h"
#include "core/engine/running/timeline_lanes.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace yard::engine {

/// The slots of one runner.
struct SlotPlace {
    std::uint32_t first = 0;  ///< they are numbered from here on
    unsigned cores = 0;       ///< the first ones: what needs one core
    unsigned others = 0;      ///< those behind
    bool isElsewhere = false; ///< another machine: nothing is made for it here before it starts
    std::function<bool()> isAccepting = [] { return true; }; ///< else none of its slots is given
    std::uint32_t border() const { return first + cores; }   ///< the first of the others
    std::uint32_t end() const { return first + cores + others; }
    bool has(SlotId slot) const { return slot.value >= first && slot.value < end(); }
};

class SlotBalancer {
public:
    explicit SlotBalancer(AttemptTable& attempts)
        : attempts_(attempts)
        , lanes_(attempts) {}
    /// None of its slots is there already. Its machine in the session; numbers are never given twice.
    session::MachineId add(SlotPlace place);
    /// The machine that is added next.
    session::MachineId nextMachine() const { return session::MachineId(next_); }
    /// False: something of it is in flight, and nothing changed. Else its slots are gone.
    [[nodiscard]] bool remove(session::MachineId machine);

    // --- attempts come and go
    /// The machine's slot with least to do: from now on it counts as taken. Nothing: it accepts nothing, or `shared`, and
    /// each of the others has its one.
    std::optional<SlotId> take(session::MachineId machine, bool shared, MonoTime now);
    /// The same for one that the machine had of the engine before this one, whatever is full or accepts nothing.
    SlotId takeOver(session::MachineId machine, bool shared);
    /// The runner's own number of it.
    SlotId ownNumber(session::MachineId machine, SlotId slot) const;
    void leave(const Attempt& attempt);
    /// The runner gave the attempt to another slot.
    void move(Attempt& attempt, SlotId to);
    /// Its program runs since `now`.
    void began(const Attempt& attempt, MonoTime now);
    /// It has ended: nothing runs in its slot, which it may have left before.
    void ended(const Attempt& attempt);
    /// Its outputs are kept for a while, and others may have its slot.
    void keepLane(Attempt& attempt);
    void leaveLane(const Attempt& attempt) { lanes_.leave(attempt); }

    /// What waits in a slot behind one that runs long, while another slot is idle: to be asked back, so that the
    /// session hands it out again. Each is named once.
    std::vector<runners::AttemptId> misplaced(MonoTime now);
    /// When misplaced() may find something that it does not find now.
    std::optional<MonoTime> nextLook() const { return nextLook_; }

    // --- questions
    bool has(SlotId slot) const;
    /// What runs there has its directory there.
    bool isElsewhere(session::MachineId machine) const;
    /// The runner is starting it now: nothing else has its slot.
    bool isStarting(const Attempt& attempt) const;
    /// Slots of the cores with something in them.
    std::ptrdiff_t busyCoreSlots() const;
    /// Attempts that have a process of their own, or wait for one.
    std::size_t processes() const { return processes_; }

private:
    struct Slot {
        unsigned load = 0;    ///< leases out
        MonoTime busySince{}; ///< when what runs there began; the epoch: not known to run
        bool isThere = false; ///< of a place
    };
    std::optional<std::uint32_t> leastLoaded(const SlotPlace& place, MonoTime now) const;
    std::optional<std::uint32_t> freeOther(const SlotPlace& place) const;
    bool runsLong(std::uint32_t slot, MonoTime now) const;
    bool isCoreIdle() const;

    AttemptTable& attempts_;
    TimelineLanes lanes_;
    std::map<session::MachineId, SlotPlace> places_;
    std::uint32_t next_ = 0;
    std::vector<Slot> slots_;   ///< by number; those between two places are never taken
    std::size_t processes_ = 0; ///< sum of the loads
    std::optional<MonoTime> nextLook_;
    OwnerCheck owner_;
};

} // namespace yard::engine
