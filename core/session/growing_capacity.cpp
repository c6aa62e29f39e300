#include "core/session/growing_capacity.h"

#include <utility>

namespace yard::session {

namespace {

constexpr std::array kSlots = {fleet::Slots::Cores, fleet::Slots::Others};

} // namespace

GrowingCapacity::GrowingCapacity(fleet::Machine local)
    : local_(std::move(local))
    , alone_(local_.total) {}

void GrowingCapacity::take(const Demand& need, fleet::MachineId machine) {
    if (fleet_) return fleet_->take(need, machine);
    alone_.take(need, machine);
    for (std::size_t at = 0; at < kSlots.size(); ++at)
        if (need.slots == kSlots[at]) ++inSlots_[at];
}

void GrowingCapacity::give(const Demand& need, fleet::MachineId machine) {
    if (fleet_) return fleet_->give(need, machine);
    alone_.give(need, machine);
    for (std::size_t at = 0; at < kSlots.size(); ++at)
        if (need.slots == kSlots[at]) --inSlots_[at];
}

std::vector<fleet::Share> GrowingCapacity::split(const Demand& need, const Demand* reserved, unsigned count) {
    return fleet_ ? fleet_->split(need, reserved, count) : std::vector<fleet::Share>{};
}

bool GrowingCapacity::fitsOn(fleet::MachineId machine, const Demand& need) const {
    return now().fitsOn(machine, need);
}

bool GrowingCapacity::leavesOn(fleet::MachineId machine, const Demand& need, const Demand& reserved) const {
    return now().leavesOn(machine, need, reserved);
}

void GrowingCapacity::setGate(fleet::MachineId id, fleet::Gate gate) {
    if (fleet_) fleet_->setGate(id, gate);
}

/// What is in use here goes along.
void GrowingCapacity::grow() {
    fleet_.emplace(local_);
    const Resources used = alone_.used();
    fleet_->take({used, fleet::Slots::None}, fleet::kLocal);
    const Resources nothing{.milliCores = 0, .memoryMb = 0, .named = {}};
    for (std::size_t at = 0; at < kSlots.size(); ++at)
        for (std::uint32_t i = 0; i < inSlots_[at]; ++i) fleet_->take({nothing, kSlots[at]}, fleet::kLocal);
    hasSeveral_ = true;
}

void GrowingCapacity::add(fleet::MachineId id, fleet::Machine machine) {
    if (!fleet_) grow();
    fleet_->add(id, std::move(machine));
}

void GrowingCapacity::change(fleet::MachineId id, fleet::Machine machine) {
    if (fleet_) fleet_->change(id, std::move(machine));
}

void GrowingCapacity::remove(fleet::MachineId id) {
    if (fleet_) fleet_->remove(id);
}

} // namespace yard::session
