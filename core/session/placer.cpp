#include "core/session/placer.h"

#include <algorithm>
#include <utility>

namespace yard::session {

namespace {

/// So far behind its share is one of which so many were given: who is furthest behind is next, so that the first few are
/// shared as all of them are.
double lagOf(const fleet::Share& share, unsigned given) {
    return share.count / (given + 0.5);
}

} // namespace

Placer::Plan& Placer::planOf(std::uint32_t shape) {
    const auto at = std::ranges::find(plans_, shape, &Plan::shape);
    return at != plans_.end() ? *at : plans_.emplace_back(Plan{.shape = shape, .parts = {}});
}

void Placer::make(Plan& plan, const Demand& need) const {
    const bool isBound = plan.reserved != kNone && plan.reserved != plan.shape;
    const Demand reserved = isBound ? classes_.demandOfShape(plan.reserved) : need;
    const unsigned likes = order_.likes(plan.shape, static_cast<unsigned>(options_.maxOutstanding));
    for (const fleet::Share& share : capacity_.split(need, isBound ? &reserved : nullptr, likes))
        plan.parts.push_back({.share = share});
}

MachineId Placer::placeOf(std::uint32_t cls, bool ahead) {
    if (classes_.isGated(cls)) return fleet::kLocal; // its process is here
    const Demand need = classes_.demandOf(cls);
    if (ahead) return capacity_.placeAhead(need).value_or(fleet::kLocal);
    Plan& plan = planOf(classes_.shapeOf(cls));
    const std::uint32_t kept = order_.reservation().shape();
    if (std::exchange(plan.reserved, kept) != kept) plan.parts.clear();
    const bool isBound = kept != kNone && kept != plan.shape;
    for (bool isNew = false;;) {
        const auto next = std::ranges::max_element(plan.parts, {},
                                                   [](const Part& part) { return lagOf(part.share, part.given); });
        if (next == plan.parts.end()) {
            // What was picked fits somewhere: a new plan has a part.
            if (std::exchange(isNew, true)) return fleet::kLocal;
            make(plan, need);
            continue;
        }
        const MachineId machine = next->share.machine;
        // What was started beside it in this turn may have used up what can be spared there.
        const bool fits = capacity_.fitsOn(machine, need) &&
                          (!isBound || capacity_.leavesOn(machine, need, classes_.demandOfShape(kept)));
        if (!fits || ++next->given == next->share.count) plan.parts.erase(next);
        if (fits) return machine;
    }
}

} // namespace yard::session
