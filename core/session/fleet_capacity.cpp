#include "core/session/fleet_capacity.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace yard::session {

namespace {

void add(Resources& sum, const Resources& by) {
    sum.milliCores += by.milliCores;
    sum.memoryMb += by.memoryMb;
    for (const auto& [name, amount] : by.named) {
        const auto at = std::ranges::find(sum.named, name, &std::pair<std::string, std::int64_t>::first);
        if (at == sum.named.end())
            sum.named.emplace_back(name, amount);
        else
            at->second += amount;
    }
}

} // namespace

FleetCapacity::FleetCapacity(fleet::Machine local) {
    add(fleet::kLocal, std::move(local));
}

void FleetCapacity::add(fleet::MachineId id, fleet::Machine machine) {
    assert(machine.total.milliCores > 0);
    ids_.push_back(id);
    fleet_.add(id, std::move(machine));
    session::add(total_, *fleet_.totalOf(id));
    hasSeveral_ = true; // machines may be named and shut from now on, be it only one
}

void FleetCapacity::change(fleet::MachineId id, fleet::Machine machine) {
    assert(machine.total.milliCores > 0);
    fleet_.change(id, std::move(machine));
    sumUp();
}

void FleetCapacity::remove(fleet::MachineId id) {
    assert(id != fleet::kLocal);
    fleet_.remove(id);
    std::erase(ids_, id);
    sumUp();
}

void FleetCapacity::sumUp() {
    total_ = {.milliCores = 0, .memoryMb = 0, .named = {}};
    for (const fleet::MachineId id : ids_) session::add(total_, *fleet_.totalOf(id));
}

fleet::Ask FleetCapacity::askOf(const Demand& need) {
    fleet::Ask ask;
    ask.need = *need.amounts;
    ask.slots = need.slots;
    if (need.slots == fleet::Slots::None) ask.where.emplace_back("local");
    if (!need.where) return ask;
    ask.where = need.where->machines;
    ask.platform = need.where->platform;
    ask.expected = need.where->longest;
    ask.isWorker = need.where->isWorker;
    return ask;
}

bool FleetCapacity::fits(const Demand& need) const {
    return fleet_.fits(askOf(need));
}

bool FleetCapacity::fitsOn(fleet::MachineId machine, const Demand& need) const {
    return fleet_.roomFor(machine, askOf(need)) > 0;
}

bool FleetCapacity::everFits(const Demand& need) const {
    return fleet_.everFits(askOf(need));
}

bool FleetCapacity::lacksCoresHere(const Demand& need) const {
    fleet::Ask ask = askOf(need);
    if (fleet_.unfitOf(fleet::kLocal, ask) != fleet::Unfit::Full) return false;
    ask.need.milliCores = 0;
    return fleet_.roomFor(fleet::kLocal, ask) > 0;
}

/// Only one that takes work now: nothing is kept on a machine that is not there.
std::optional<fleet::MachineId> FleetCapacity::keptMachine(const Demand& reserved) const {
    const fleet::Ask ask = askOf(reserved);
    const auto closest = fleet_.closest(ask);
    if (!closest) return std::nullopt;
    const fleet::Unfit why = fleet_.unfitOf(*closest, ask);
    return why == fleet::Unfit::None || why == fleet::Unfit::Full ? closest : std::nullopt;
}

bool FleetCapacity::leaves(const Demand& need, const Demand& reserved) const {
    const auto kept = keptMachine(reserved);
    return !kept || fleet_.leaves(askOf(need), *kept, *reserved.amounts);
}

bool FleetCapacity::leavesOn(fleet::MachineId machine, const Demand& need, const Demand& reserved) const {
    return keptMachine(reserved) != machine || fleet_.leavesThere(machine, *need.amounts, *reserved.amounts);
}

std::vector<fleet::Share> FleetCapacity::split(const Demand& need, const Demand* reserved, unsigned count) {
    fleet::Ask ask = askOf(need);
    if (const auto kept = reserved ? keptMachine(*reserved) : std::nullopt;
        kept && !fleet_.leavesThere(*kept, *need.amounts, *reserved->amounts))
        ask.keptFrom.push_back(*kept);
    return fleet_.split(ask, count);
}

std::optional<fleet::MachineId> FleetCapacity::placeAhead(const Demand& need) const {
    return fleet_.placeAhead(askOf(need));
}

std::vector<fleet::WhyNot> FleetCapacity::why(const Demand& need) const {
    return fleet_.why(askOf(need));
}

double FleetCapacity::dominantShare(const Resources& need) const {
    return MachineCapacity(total_).dominantShare(need);
}

std::vector<ResourceNeed> FleetCapacity::describe(const Demand& need) const {
    const auto closest = fleet_.closest(askOf(need));
    MachineCapacity machine(closest ? *fleet_.totalOf(*closest) : total_);
    if (closest) machine.take(*fleet_.usedOf(*closest), *closest);
    return machine.describe(*need.amounts);
}

Resources FleetCapacity::taken() const {
    Resources sum{.milliCores = 0, .memoryMb = 0, .named = {}};
    for (const fleet::MachineId id : ids_) {
        MachineCapacity machine(*fleet_.totalOf(id));
        machine.take(*fleet_.usedOf(id), id);
        session::add(sum, machine.taken());
    }
    return sum;
}

void FleetCapacity::take(const Demand& need, fleet::MachineId machine) {
    fleet_.take(machine, *need.amounts, need.slots);
}

void FleetCapacity::give(const Demand& need, fleet::MachineId machine) {
    fleet_.give(machine, *need.amounts, need.slots);
}

std::unique_ptr<Capacity> FleetCapacity::idle(bool isOpen) const {
    auto machines = std::make_unique<FleetCapacity>(*this);
    machines->fleet_ = fleet_.idle();
    if (isOpen)
        for (const fleet::MachineId id : ids_) machines->fleet_.setGate(id, fleet::Gate::Open);
    return machines;
}

} // namespace yard::session
