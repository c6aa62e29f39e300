#include "core/session/shortage.h"

#include <algorithm>
#include <vector>

namespace yard::session {

namespace {

constexpr int kLooksForCores = 1'000; ///< at entries of the order, for one answer

/// MiB that these needs lack, and nothing else; else 0.
double onlyMemoryLackOf(const std::vector<ResourceNeed>& needs) {
    double lack = 0;
    for (const ResourceNeed& need : needs) {
        if (!need.isLacking()) continue;
        if (need.resource != "memory_mb") return 0;
        lack = need.need - need.free;
    }
    return lack;
}

} // namespace

bool Shortage::isCrowded() const {
    YARD_ASSERT_OWNER(owner_);
    const Listings& listings = order_.listings();
    for (std::uint32_t s = 0; s < listings.shapes(); ++s) {
        if (!classes_.takesShape(s) || listings.isEmpty(s)) continue;
        const Demand need = classes_.demandOfShape(s);
        if (!capacity_.fits(need) || !order_.reservation().leaves(need)) return true;
    }
    return false;
}

bool Shortage::lacksCores() {
    YARD_ASSERT_OWNER(owner_);
    if (!service_.startsWork()) return false;
    int budget = kLooksForCores;
    return order_.lacksCores(budget);
}

std::int64_t Shortage::memoryLackOf(std::uint32_t shape) const {
    // Looked at in each turn of a busy engine: most need no memory, and describing them costs more than that.
    const Demand need = classes_.demandOfShape(shape);
    if (need.amounts->memoryMb == 0 || capacity_.fits(need)) return 0;
    return static_cast<std::int64_t>(onlyMemoryLackOf(capacity_.describe(need)));
}

std::uint32_t Shortage::leastLackingMemory() const {
    const std::uint32_t kept = order_.reservation().shape();
    if (kept != kNone && memoryLackOf(kept) > 0) return kept;
    const Listings& listings = order_.listings();
    std::uint32_t found = kNone;
    std::int64_t least = 0;
    for (std::uint32_t s = 0; s < listings.shapes(); ++s) {
        if (!classes_.takesShape(s) || listings.isEmpty(s)) continue;
        const std::int64_t lack = memoryLackOf(s);
        if (lack <= 0 || (found != kNone && lack >= least)) continue;
        least = lack;
        found = s;
    }
    return found;
}

std::int64_t Shortage::memoryLack() const {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t shape = leastLackingMemory();
    return shape == kNone ? 0 : memoryLackOf(shape);
}

void Shortage::keepForMemoryLack() {
    YARD_ASSERT_OWNER(owner_);
    if (order_.reservation().isActive()) return;
    if (const std::uint32_t shape = leastLackingMemory(); shape != kNone) order_.reservation().keepFor(shape);
}

std::uint32_t Shortage::lackingNamed(std::string& resource) const {
    const Listings& listings = order_.listings();
    for (std::uint32_t s = 0; s < listings.shapes(); ++s) {
        const Demand need = classes_.demandOfShape(s);
        if (need.amounts->named.empty() || listings.isEmpty(s) || capacity_.fits(need)) continue;
        const std::vector<ResourceNeed> needs = capacity_.describe(need);
        const auto first = std::ranges::find_if(needs, &ResourceNeed::isLacking);
        if (first == needs.end() || std::ranges::count_if(needs, &ResourceNeed::isLacking) > 1) continue;
        if (need.amounts->amountOf(first->resource) == 0) continue; // cores or memory
        resource = first->resource;
        return s;
    }
    return kNone;
}

std::string Shortage::namedLack() const {
    YARD_ASSERT_OWNER(owner_);
    std::string resource;
    (void)lackingNamed(resource);
    return resource;
}

void Shortage::keepForNamedLack() {
    YARD_ASSERT_OWNER(owner_);
    if (order_.reservation().isActive()) return;
    std::string resource;
    if (const std::uint32_t shape = lackingNamed(resource); shape != kNone) order_.reservation().keepFor(shape);
}

} // namespace yard::session
