#include "core/session/indexed_capacity.h"

#include <algorithm>
#include <utility>

namespace yard::session {

IndexedCapacity::IndexedCapacity(std::unique_ptr<Capacity> counted, ResourceNames names,
                                 std::vector<std::int64_t> gpuMemory)
    : counted_(std::move(counted))
    , indexed_(std::move(names), std::move(gpuMemory)) {
    hasSeveral_ = counted_->hasSeveral();
}

bool IndexedCapacity::fitsElsewhere(const Demand& need) const {
    return std::ranges::any_of(others_, [&](fleet::MachineId id) { return counted_->fitsOn(id, need); });
}

bool IndexedCapacity::fits(const Demand& need) const {
    return counted_->fits(need) && (indexed_.fits(*need.amounts) || fitsElsewhere(need));
}

bool IndexedCapacity::everFits(const Demand& need) const {
    return counted_->everFits(need) && indexed_.isAmount(*need.amounts) &&
           (indexed_.everFits(*need.amounts) || !others_.empty());
}

std::unique_ptr<Capacity> IndexedCapacity::idle(bool isOpen) const {
    auto machines =
        std::make_unique<IndexedCapacity>(counted_->idle(isOpen), indexed_.names(), indexed_.gpuMemory());
    machines->others_ = others_;
    return machines;
}

bool IndexedCapacity::leaves(const Demand& need, const Demand& reserved) const {
    return counted_->leaves(need, reserved) &&
           (indexed_.leaves(*need.amounts, *reserved.amounts) || fitsElsewhere(need));
}

/// What is free by amounts may be in pieces that are too small.
std::vector<ResourceNeed> IndexedCapacity::describe(const Demand& need) const {
    std::vector<ResourceNeed> all = counted_->describe(need);
    for (ResourceNeed& one : all) {
        const auto found = indexed_.fitting(one.resource, *need.amounts);
        if (!found) continue;
        one.isApart = true;
        one.pieces = found->all;
        one.fitting = found->pieces;
        one.isAmount = found->isAmount;
        one.memory = found->memory;
        one.lacksMemory = found->lacksMemory;
        one.isTooLarge = found->isTooLarge;
    }
    return all;
}

/// The share of this machine is what finds pieces of it. Where nobody gets anything then, the first other machine that one
/// of them fits gets that one.
std::vector<fleet::Share> IndexedCapacity::split(const Demand& need, const Demand* reserved, unsigned count) {
    std::vector<fleet::Share> shares = counted_->split(need, reserved, count);
    const auto here = std::ranges::find(shares, fleet::kLocal, &fleet::Share::machine);
    if (here == shares.end()) return shares;
    const unsigned room = indexed_.room(*need.amounts, here->count);
    if (room == here->count) return shares;
    here->count = room;
    if (room == 0) shares.erase(here);
    if (!shares.empty()) return shares;
    const auto other =
        std::ranges::find_if(others_, [&](fleet::MachineId id) { return counted_->fitsOn(id, need); });
    if (other != others_.end()) shares.push_back({.machine = *other, .count = 1});
    return shares;
}

bool IndexedCapacity::fitsOn(fleet::MachineId machine, const Demand& need) const {
    return counted_->fitsOn(machine, need) && (machine != fleet::kLocal || indexed_.fits(*need.amounts));
}

bool IndexedCapacity::leavesOn(fleet::MachineId machine, const Demand& need, const Demand& reserved) const {
    return counted_->leavesOn(machine, need, reserved) &&
           (machine != fleet::kLocal || indexed_.leaves(*need.amounts, *reserved.amounts));
}

void IndexedCapacity::add(fleet::MachineId id, fleet::Machine machine) {
    counted_->add(id, std::move(machine));
    others_.push_back(id);
    hasSeveral_ = counted_->hasSeveral();
}

void IndexedCapacity::remove(fleet::MachineId id) {
    counted_->remove(id);
    std::erase(others_, id);
}

} // namespace yard::session
