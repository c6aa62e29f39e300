#include "core/session/machine_commands.h"

#include "core/session/indexed_resources.h"

#include <cassert>
#include <utility>

namespace yard::session {

void MachineCommands::countSlots(const SlotCounts& slots, int sign) {
    options_.slotCount += sign * slots.cores;
    options_.sharedSlots += sign * slots.others;
    options_.maxOutstanding += sign * (slots.cores * (1 + options_.aheadPerSlot) + slots.others);
    classes_.capacityChanged();
}

void MachineCommands::add(MachineId id, fleet::Machine machine) {
    YARD_ASSERT_OWNER(owner_);
    const SlotCounts slots{.cores = static_cast<int>(machine.slots),
                           .others = static_cast<int>(machine.otherSlots)};
    machine.slots *= static_cast<std::uint32_t>(1 + options_.aheadPerSlot);
    capacity_.add(id, std::move(machine));
    assert(capacity_.hasSeveral() && "it has to be one that grows");
    slots_.emplace(id, slots);
    countSlots(slots, 1);
}

void MachineCommands::change(MachineId id, fleet::Machine machine) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = slots_.find(id);
    if (at == slots_.end()) return;
    machine.slots = static_cast<std::uint32_t>(at->second.cores * (1 + options_.aheadPerSlot));
    machine.otherSlots = static_cast<std::uint32_t>(at->second.others);
    capacity_.change(id, std::move(machine));
    classes_.capacityChanged();
}

void MachineCommands::remove(MachineId id) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = slots_.find(id);
    if (at == slots_.end()) return;
    const SlotCounts slots = at->second;
    slots_.erase(at);
    capacity_.remove(id);
    countSlots(slots, -1);
}

void MachineCommands::setGate(MachineId id, fleet::Gate gate) {
    YARD_ASSERT_OWNER(owner_);
    capacity_.setGate(id, gate);
}

void MachineCommands::setPieceLost(std::string_view resource, std::string_view piece, bool isLost) {
    YARD_ASSERT_OWNER(owner_);
    if (IndexedResources* indexed = capacity_.indexed()) indexed->setLost(resource, piece, isLost);
}

std::optional<std::int64_t> MachineCommands::freePieces(std::string_view resource) const {
    const IndexedResources* indexed = std::as_const(capacity_).indexed();
    return indexed ? indexed->free(resource) : std::nullopt;
}

} // namespace yard::session
