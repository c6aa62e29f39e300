// The attempts that runners have: handing one out takes its resources, locks and places, and they come back with it.
// It asks runners to stop one or to give one back; what becomes of an action whose attempt is over is decided above.
// Private to session; owner: engine thread. Lives as long as the session, above the entrance.
//
// Invariants (asserted by check()): a record has kOut while a runner has it: then it is in all(), at the place in its
// `timer`, and its machine at the same place; while it is in `keeping_`, too, it holds no resources; the counters of
// slots are those of the others. Pieces of this machine's resources are those of records that are out here and not kept.
#pragma once

#include "core/base/owner.h"
#include "core/model/given_resources.h"
#include "core/session/entrance.h"
#include "core/session/ledger.h"
#include "core/session/placer.h"
#include "core/session/views.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace yard::session {

class Attempts {
public:
    Attempts(Ledger& ledger, Capacity& capacity, Entrance& entrance, const SessionOptions& options);

    // -- handing out
    /// A turn begins: what starts in it is shared between the machines together.
    void beginTurn() { placer_.beginTurn(); }
    /// A machine has a slot for one more of the class to wait in.
    bool hasSlotAhead(std::uint32_t cls) const { return capacity_.placeAhead(classes_.demandOf(cls)).has_value(); }
    /// What was picked goes to a runner: Outbox::start. `ahead`: beyond the capacity.
    void handOut(const Order::Pick& picked, bool ahead, Outbox& out);
    /// Of a record that is in no lane: the last engine gave its next attempt to that machine. No locks, no gate.
    void takeOver(std::uint32_t record, MachineId machine);
    /// The runner has it no more.
    void giveBack(std::uint32_t record);
    /// Its resources are free while it is kept; of maxKeeping at once, else nothing happens.
    void keep(std::uint32_t record);
    /// It has a slot now.
    void endAhead(std::uint32_t record);

    // -- events
    /// The record of an attempt that a runner has; kNone: an event of something older, counted.
    std::uint32_t find(Lsn lsn, std::uint32_t attempt);
    /// An event that cannot be.
    void ignore() { ++ignored_; }

    // -- what runners are asked; each once per attempt
    void stop(std::uint32_t record, StopCause cause, Outbox& out);
    void takeBack(std::uint32_t record, Outbox& out);
    /// It ends Cancelled: one that waits at the runner is asked back; should it begin all the same, it is stopped.
    void cancel(std::uint32_t record, Outbox& out);
    /// Leases ahead that something more urgent has come for.
    void takeBackOvertaken(Outbox& out);
    /// Leases ahead of one queue, or of all.
    void takeBackAhead(std::uint32_t queue, Outbox& out);
    void takeBackAllAhead(Outbox& out);

    // -- questions
    const std::vector<std::uint32_t>& all() const { return outstanding_; }
    const std::unordered_set<std::uint32_t>& allKept() const { return keeping_; }
    bool isKept(std::uint32_t record) const { return keeping_.contains(record); }
    /// Where it runs; of one that no runner has this machine.
    MachineId machineOf(const Record& r) const { return r.has(Record::kOut) ? machines_[r.timer] : fleet::kLocal; }
    /// Some resources of this machine have pieces.
    bool tellsApart() const { return indexed_ != nullptr; }
    /// Which pieces it has of what is told apart.
    GivenResources givenTo(const Record& r) const;
    bool holdsNothing(const Record& r) const { return r.has(Record::kOut) && isKept(outstanding_[r.timer]); }
    /// Those that are not kept: not at a gate, and at one.
    int ungated() const { return static_cast<int>(outstanding_.size() - keeping_.size()) - gated_; }
    int gated() const { return gated_; }
    /// Of ungated() those that take one core each, in the slots of the cores.
    int inCoreSlots() const { return ungated() - shared_; }
    /// The runner has no place for another one that is not one core.
    bool isSharedFull() const { return shared_ >= options_.sharedSlots; }
    /// What the runner has places for.
    Order::Room room(bool mustFit) const;
    /// Some take a part of the cores that is not one, so that slots are no measure of what is free.
    bool hasPartCores() const { return partCores_ > 0; }
    std::uint64_t starts() const { return starts_; }
    std::uint64_t ignored() const { return ignored_; }
    std::size_t memoryBytes() const { return outstanding_.capacity() * 4 + machines_.capacity() * 4; }
    void check() const; // check.cpp

private:
    void countOut(std::uint32_t record, MachineId machine);
    void giveResources(std::uint32_t record);
    void countSlot(std::uint32_t cls, int by);
    bool isAhead(const Record& r) const { return r.phase == Phase::Leased && r.has(Record::kAhead); }

    Ledger& ledger_;
    Records& records_;
    Lanes& lanes_;
    WorkClasses& classes_;
    Order& order_;
    Capacity& capacity_;
    IndexedResources* const indexed_; ///< null: nothing is told apart
    Entrance& entrance_;
    const SessionOptions& options_;
    Placer placer_;
    std::vector<std::uint32_t> outstanding_;
    std::vector<MachineId> machines_;           ///< of outstanding_, in its order
    std::unordered_set<std::uint32_t> keeping_; ///< of outstanding_: have given back their resources
    std::int32_t gated_ = 0;                    ///< of outstanding_ without keeping_: at a gate
    std::int32_t shared_ = 0;                   ///< of the same: not one core, each in a slot of its own
    std::int32_t partCores_ = 0;                ///< of shared_: take some cores
    std::uint64_t starts_ = 0;
    std::uint64_t ignored_ = 0;
    OwnerCheck owner_;
};

} // namespace yard::session
