#include "core/session/placer.h"

#include <algorithm>
#include <utility>

namespace yard::session {

namespace {

/// A turn starts no more: what is left of a larger batch is split in the next one.
constexpr int kMostLikes = 1'000;

} // namespace

/// So far behind its share is one of which so many were given: who is furthest behind is next, so that the first few are
/// shared as all of them are.
double Placer::Part::lag() const {
    return share.count / (given + 0.5);
}

/// Of those that are alike the first machine comes first.
bool Placer::comesLater(const Part& one, const Part& other) {
    const double own = one.lag();
    const double others = other.lag();
    return own != others ? own < others : one.share.machine > other.share.machine;
}

Placer::Plan& Placer::planOf(std::uint32_t shape) {
    const auto at = std::ranges::find(plans_, shape, &Plan::shape);
    return at != plans_.end() ? *at : plans_.emplace_back(Plan{.shape = shape, .parts = {}});
}

void Placer::make(Plan& plan, const Demand& need) const {
    const bool isBound = plan.reserved != kNone && plan.reserved != plan.shape;
    const Demand reserved = isBound ? classes_.demandOfShape(plan.reserved) : need;
    const int most = std::min(options_.maxOutstanding, kMostLikes);
    const unsigned likes = order_.likes(plan.shape, static_cast<unsigned>(most));
    for (const fleet::Share& share : capacity_.split(need, isBound ? &reserved : nullptr, likes))
        plan.parts.push_back({.share = share});
    std::ranges::make_heap(plan.parts, comesLater);
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
        if (plan.parts.empty()) {
            // What was picked fits somewhere: a new plan has a part.
            if (std::exchange(isNew, true)) return fleet::kLocal;
            make(plan, need);
            continue;
        }
        std::ranges::pop_heap(plan.parts, comesLater);
        Part& next = plan.parts.back();
        const MachineId machine = next.share.machine;
        // What was started beside it in this turn may have used up what can be spared there.
        const bool fits = capacity_.fitsOn(machine, need) &&
                          (!isBound || capacity_.leavesOn(machine, need, classes_.demandOfShape(kept)));
        if (!fits || ++next.given == next.share.count)
            plan.parts.pop_back();
        else
            std::ranges::push_heap(plan.parts, comesLater);
        if (fits) return machine;
    }
}

} // namespace yard::session
