// Several machines as one Capacity: what fits on one of them fits, and nothing is spread over two. What is reserved is
// reserved on the machine that lacks least of it: there nothing starts that would take it, so it lacks less and less.
//
// Owner: engine thread. Lifetime: that of the session. Invariant: machine 0 is this engine's own and is always there;
// what is no attempt, such as a warm process, has its resources there.
// Cost: O(machines) per question, change() and remove().
#pragma once

#include "core/session/capacity.h"

namespace yard::session {

class FleetCapacity final : public Capacity {
public:
    explicit FleetCapacity(fleet::Machine local);
    void add(fleet::MachineId id, fleet::Machine machine) override;
    void change(fleet::MachineId id, fleet::Machine machine) override;
    void remove(fleet::MachineId id) override;

    bool fits(const Demand& need) const override;
    bool everFits(const Demand& need) const override;
    bool lacksCoresHere(const Demand& need) const override;
    bool leaves(const Demand& need, const Demand& reserved) const override;
    double dominantShare(const Resources& need) const override;
    std::vector<ResourceNeed> describe(const Demand& need) const override;
    Resources taken() const override;
    void take(const Demand& need, fleet::MachineId machine) override;
    void give(const Demand& need, fleet::MachineId machine) override;
    /// With the gates of now, unless all are to be open.
    std::unique_ptr<Capacity> idle(bool isOpen = false) const override;

    std::vector<fleet::Share> split(const Demand& need, const Demand* reserved, unsigned count) override;
    bool fitsOn(fleet::MachineId machine, const Demand& need) const override;
    bool leavesOn(fleet::MachineId machine, const Demand& need, const Demand& reserved) const override;
    std::optional<fleet::MachineId> placeAhead(const Demand& need) const override;
    std::vector<fleet::WhyNot> why(const Demand& need) const override;
    void setGate(fleet::MachineId id, fleet::Gate gate) override { fleet_.setGate(id, gate); }

private:
    static fleet::Ask askOf(const Demand& need);
    std::optional<fleet::MachineId> keptMachine(const Demand& reserved) const;
    void sumUp();

    fleet::Fleet fleet_;
    std::vector<fleet::MachineId> ids_;
    Resources total_{.milliCores = 0, .memoryMb = 0, .named = {}}; ///< of all of them
};

} // namespace yard::session
