#include "core/engine/running/timeline_lanes.h"

namespace yard::engine {

void TimelineLanes::take(SlotId slot) {
    YARD_ASSERT_OWNER(owner_);
    const auto kept = kept_.find(slot.value);
    if (kept == kept_.end()) return;
    if (Attempt* attempt = attempts_.get(kept->second)) moveAside(*attempt);
    kept_.erase(kept);
}

void TimelineLanes::keep(Attempt& attempt, bool isTaken) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t slot = attempt.slot.value;
    if (isTaken || kept_.contains(slot))
        moveAside(attempt);
    else
        kept_.emplace(slot, attempt.id);
}

void TimelineLanes::moveAside(Attempt& attempt) {
    std::uint32_t lane = above_;
    while (!aside_.insert(lane).second) ++lane;
    attempt.lane = lane;
}

void TimelineLanes::leave(const Attempt& attempt) {
    if (attempt.warm) return;
    if (attempt.lane) aside_.erase(*attempt.lane);
    const auto kept = kept_.find(attempt.slot.value);
    if (kept != kept_.end() && kept->second == attempt.id) kept_.erase(kept);
}

} // namespace yard::engine
