#include "core/session/resource_holds.h"

#include "core/session/indexed_resources.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace yard::session {

bool ResourceHolds::take(HoldKey key, const Resources& resources) {
    YARD_ASSERT_OWNER(owner_);
    const bool isTaken = takeNow({key, resources}, wanted_.size());
    if (!isTaken) wanted_.push_back({key, resources});
    return isTaken;
}

bool ResourceHolds::letGo(HoldKey key) {
    YARD_ASSERT_OWNER(owner_);
    const bool wanted = std::erase_if(wanted_, [&](const Hold& hold) { return hold.key == key; }) > 0;
    const auto at = std::ranges::find(held_, key, &Hold::key);
    if (at == held_.end()) return wanted;
    capacity_.give(at->demand(), fleet::kLocal);
    if (IndexedResources* indexed = capacity_.indexed()) indexed->give({.isHold = true, .key = key});
    order_.reservation().holdEnded(key, at->demand());
    withCores_ -= at->resources.milliCores > 0 ? 1 : 0;
    *at = std::move(held_.back());
    held_.pop_back();
    return !wanted_.empty() || order_.hasListed();
}

/// Of the first so many of those who wait, the one that asked for what this would take; the end: there is none. Who
/// needs memory that is not free keeps nobody from cores.
std::size_t ResourceHolds::wantedBefore(const Hold& hold, std::size_t earlier) const {
    const auto first = wanted_ | std::views::take(earlier);
    const auto at = std::ranges::find_if(first, [&](const Hold& waits) {
        return !capacity_.leaves(hold.demand(), waits.demand()) && everFits(waits.resources);
    });
    return static_cast<std::size_t>(at - first.begin());
}

/// Only what fits and takes nothing of what is being kept for something large, or of what others asked for before.
bool ResourceHolds::takeNow(const Hold& hold, std::size_t earlier) {
    if (!capacity_.fits(hold.demand()) || !order_.reservation().leaves(hold.demand()) ||
        wantedBefore(hold, earlier) < earlier)
        return false;
    capacity_.take(hold.demand(), fleet::kLocal);
    if (IndexedResources* indexed = capacity_.indexed())
        indexed->take({.isHold = true, .key = hold.key}, hold.resources);
    withCores_ += hold.resources.milliCores > 0 ? 1 : 0;
    held_.push_back(hold);
    return true;
}

/// In the order they were asked for: one that does not fit keeps those waiting that need the same, or it would wait
/// forever.
void ResourceHolds::grant(Outbox& out) {
    for (std::size_t i = 0; i < wanted_.size();) {
        if (!takeNow(wanted_[i], i)) {
            ++i;
            continue;
        }
        out.granted.push_back(wanted_[i].key);
        wanted_.erase(wanted_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

GivenResources ResourceHolds::given(HoldKey key) const {
    const IndexedResources* indexed = std::as_const(capacity_).indexed();
    return indexed ? indexed->given({.isHold = true, .key = key}) : GivenResources{};
}

std::optional<HoldWait> ResourceHolds::waitOf(HoldKey key) const {
    const auto at = std::ranges::find(wanted_, key, &Hold::key);
    if (at == wanted_.end()) return std::nullopt;
    HoldWait wait{.needs = capacity_.describe(at->demand()), .keptFor = {}, .behind = {}};
    if (!capacity_.fits(at->demand())) return wait;
    wait.isKept = !order_.reservation().leaves(at->demand());
    if (wait.isKept) {
        wait.keptFor = order_.keptFor();
        return wait;
    }
    const auto place = static_cast<std::size_t>(at - wanted_.begin());
    if (const std::size_t before = wantedBefore(*at, place); before < place) wait.behind = wanted_[before].key;
    return wait;
}

void ResourceHolds::setLockElsewhere(LockId lock, bool isHeld) {
    YARD_ASSERT_OWNER(owner_);
    order_.setLockElsewhere(lock, isHeld);
}

bool ResourceHolds::wantsCores() const {
    return std::ranges::any_of(
        wanted_, [this](const Hold& w) { return w.resources.milliCores > 0 && everFits(w.resources); });
}

} // namespace yard::session
