#include "core/engine/objects/pokes.h"

namespace yard::engine {

std::string_view name(PokeWhy why) {
    switch (why) {
    case PokeWhy::Person: return "person";
    case PokeWhy::Object: return "object";
    case PokeWhy::Child: return "child";
    case PokeWhy::Action: return "action";
    }
    return "";
}

std::string_view name(PokeOutcome outcome) {
    switch (outcome) {
    case PokeOutcome::Waits: return "waits";
    case PokeOutcome::Moved: return "moved";
    case PokeOutcome::Stayed: return "stayed";
    case PokeOutcome::Failed: return "failed";
    case PokeOutcome::Ended: return "ended";
    }
    return "";
}

void Pokes::note(lifecycle::ObjectId id, Poke poke) {
    YARD_ASSERT_OWNER(owner_);
    std::deque<Kept>& own = kept_[id];
    own.push_back({.number = ++last_, .poke = std::move(poke)});
    if (own.size() > kMostOfOne) own.pop_front();
    order_.emplace_back(id, last_);
    if (order_.size() <= kMost) return;
    const auto [oldest, number] = order_.front();
    order_.pop_front();
    const auto found = kept_.find(oldest);
    if (found == kept_.end() || found->second.front().number != number) return; // it is gone already
    found->second.pop_front();
    if (found->second.empty()) kept_.erase(found);
}

void Pokes::settle(lifecycle::ObjectId id, WallMicros until, PokeOutcome outcome, std::string_view to) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = kept_.find(id);
    if (found == kept_.end()) return;
    for (Kept& kept : found->second) {
        if (kept.poke.outcome != PokeOutcome::Waits || kept.poke.t > until) continue;
        kept.poke.outcome = outcome;
        kept.poke.to = to;
    }
}

void Pokes::forget(lifecycle::ObjectId id) {
    YARD_ASSERT_OWNER(owner_);
    kept_.erase(id);
}

std::vector<Poke> Pokes::of(lifecycle::ObjectId id) const {
    YARD_ASSERT_OWNER(owner_);
    std::vector<Poke> all;
    if (const auto found = kept_.find(id); found != kept_.end())
        for (const Kept& kept : found->second) all.push_back(kept.poke);
    return all;
}

} // namespace yard::engine
