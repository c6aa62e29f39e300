// This machine alone, as cheap as it gets, until another one comes: from then on several, however many are left.
//
// Owner: engine thread. Lifetime: that of the session. Invariant: what is in use when the first machine comes is in use
// here, and stays so until it is given back.
// Cost: alone that of MachineCapacity, then that of FleetCapacity; add() of the first one O(attempts).
#pragma once

#include "core/session/capacity.h"
#include "core/session/fleet_capacity.h"

#include <array>
#include <cstdint>
#include <optional>

namespace yard::session {

class GrowingCapacity final : public Capacity {
public:
    /// `local`: with its slots, as FleetCapacity takes it.
    explicit GrowingCapacity(fleet::Machine local);

    bool fits(const Demand& need) const override { return now().fits(need); }
    bool everFits(const Demand& need) const override { return now().everFits(need); }
    bool lacksCoresHere(const Demand& need) const override { return now().lacksCoresHere(need); }
    bool leaves(const Demand& need, const Demand& reserved) const override { return now().leaves(need, reserved); }
    double dominantShare(const Resources& need) const override { return now().dominantShare(need); }
    std::vector<ResourceNeed> describe(const Demand& need) const override { return now().describe(need); }
    Resources taken() const override { return now().taken(); }
    void take(const Demand& need, fleet::MachineId machine) override;
    void give(const Demand& need, fleet::MachineId machine) override;
    std::unique_ptr<Capacity> idle(bool isOpen = false) const override { return now().idle(isOpen); }

    std::vector<fleet::Share> split(const Demand& need, const Demand* reserved, unsigned count) override;
    bool fitsOn(fleet::MachineId machine, const Demand& need) const override;
    bool leavesOn(fleet::MachineId machine, const Demand& need, const Demand& reserved) const override;
    std::optional<fleet::MachineId> placeAhead(const Demand& need) const override { return now().placeAhead(need); }
    std::vector<fleet::WhyNot> why(const Demand& need) const override { return now().why(need); }
    void setGate(fleet::MachineId id, fleet::Gate gate) override;

    void add(fleet::MachineId id, fleet::Machine machine) override;
    void change(fleet::MachineId id, fleet::Machine machine) override;
    void remove(fleet::MachineId id) override;

private:
    const Capacity& now() const {
        if (fleet_) return *fleet_;
        return alone_;
    }
    void grow();

    const fleet::Machine local_;
    MachineCapacity alone_;
    std::array<std::uint32_t, 2> inSlots_{}; ///< while it is alone: of Slots::Cores, of Slots::Others
    std::optional<FleetCapacity> fleet_;     ///< once another machine came
};

} // namespace yard::session
