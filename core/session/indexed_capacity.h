// A capacity some of whose resources are told apart on this machine: what fits by amounts has to find its pieces, too.
// Made only where there are such resources, so that without them no decision costs more.
//
// Owner: engine thread. Lifetime: that of the session. Other machines count their amounts alone. So does who takes amounts
// without pieces, as a play does.
#pragma once

#include "core/session/capacity.h"
#include "core/session/indexed_resources.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace yard::session {

class IndexedCapacity final : public Capacity {
public:
    /// `counted`: has so much of each name as it has pieces, and no machine beside this one that has some. `gpuMemory`: of
    /// each piece of "gpus", MiB.
    IndexedCapacity(std::unique_ptr<Capacity> counted, ResourceNames names,
                    std::vector<std::int64_t> gpuMemory = {});

    IndexedResources* indexed() override { return &indexed_; }
    const IndexedResources* indexed() const override { return &indexed_; }

    bool fits(const Demand& need) const override;
    bool everFits(const Demand& need) const override;
    bool lacksCoresHere(const Demand& need) const override {
        return counted_->lacksCoresHere(need) && indexed_.fits(*need.amounts);
    }
    bool leaves(const Demand& need, const Demand& reserved) const override;
    double dominantShare(const Resources& need) const override { return counted_->dominantShare(need); }
    std::vector<ResourceNeed> describe(const Demand& need) const override;
    Resources taken() const override { return counted_->taken(); }
    void take(const Demand& need, fleet::MachineId machine) override { counted_->take(need, machine); }
    void give(const Demand& need, fleet::MachineId machine) override { counted_->give(need, machine); }
    std::unique_ptr<Capacity> idle(bool isOpen = false) const override;

    std::vector<fleet::Share> split(const Demand& need, const Demand* reserved, unsigned count) override;
    bool fitsOn(fleet::MachineId machine, const Demand& need) const override;
    bool leavesOn(fleet::MachineId machine, const Demand& need, const Demand& reserved) const override;
    std::optional<fleet::MachineId> placeAhead(const Demand& need) const override {
        return counted_->placeAhead(need);
    }
    std::vector<fleet::WhyNot> why(const Demand& need) const override { return counted_->why(need); }
    void setGate(fleet::MachineId id, fleet::Gate gate) override { counted_->setGate(id, gate); }

    void add(fleet::MachineId id, fleet::Machine machine) override;
    void change(fleet::MachineId id, fleet::Machine machine) override { counted_->change(id, std::move(machine)); }
    void remove(fleet::MachineId id) override;

private:
    bool fitsElsewhere(const Demand& need) const;

    std::unique_ptr<Capacity> counted_;
    IndexedResources indexed_;
    std::vector<fleet::MachineId> others_;
};

} // namespace yard::session
