#include "core/engine/running/slot_balancer.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace yard::engine {

using Phase = Attempt::Phase;

namespace {

/// What runs longer keeps those behind it from a slot that is idle. Well above the average that allows leases ahead
/// (session::Options::aheadBelow), so that short ones are not carried to and fro.
constexpr Duration kLong{20'000};

bool hasBegun(const Attempt& attempt) {
    return attempt.runningSince != MonoTime{};
}

} // namespace

session::MachineId SlotBalancer::add(SlotPlace place) {
    if (slots_.size() < place.end()) slots_.resize(place.end());
    lanes_.setAbove(static_cast<std::uint32_t>(slots_.size()));
    for (std::uint32_t slot = place.first; slot < place.end(); ++slot) {
        assert(!slots_[slot].isThere && "each slot is of one place");
        slots_[slot].isThere = true;
    }
    const session::MachineId machine(next_++);
    places_.emplace(machine, std::move(place));
    return machine;
}

bool SlotBalancer::remove(session::MachineId machine) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = places_.find(machine);
    if (at == places_.end()) return true;
    const bool isUsed = std::ranges::any_of(
        attempts_, [machine](const auto& entry) { return entry.second.machine == machine && !entry.second.warm; });
    if (isUsed) return false;
    for (std::uint32_t slot = at->second.first; slot < at->second.end(); ++slot) slots_[slot] = {};
    places_.erase(at);
    return true;
}

bool SlotBalancer::has(SlotId slot) const {
    return slot.value < slots_.size() && slots_[slot.value].isThere;
}

bool SlotBalancer::isElsewhere(session::MachineId machine) const {
    const auto at = places_.find(machine);
    return at != places_.end() && at->second.isElsewhere;
}

bool SlotBalancer::runsLong(std::uint32_t slot, MonoTime now) const {
    const MonoTime since = slots_[slot].busySince;
    return since != MonoTime{} && now - since > kLong;
}

// --- which one

/// A full slot would send it back, and behind a long one it would wait.
std::optional<std::uint32_t> SlotBalancer::leastLoaded(const SlotPlace& place, MonoTime now) const {
    std::optional<std::uint32_t> best;
    unsigned least = 0;
    for (std::uint32_t slot = place.first; slot < place.border(); ++slot) {
        const unsigned load = slots_[slot].load;
        const unsigned rank = load + (runsLong(slot, now) ? runners::kLeasesPerSlot : 0) +
                              (load >= runners::kLeasesPerSlot ? 4 * runners::kLeasesPerSlot : 0);
        if (best && rank >= least) continue;
        best = slot;
        least = rank;
    }
    return best;
}

std::optional<std::uint32_t> SlotBalancer::freeOther(const SlotPlace& place) const {
    for (std::uint32_t slot = place.border(); slot < place.end(); ++slot)
        if (slots_[slot].load == 0) return slot;
    return std::nullopt;
}

std::optional<SlotId> SlotBalancer::take(session::MachineId machine, bool shared, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = places_.find(machine);
    if (at == places_.end() || !at->second.isAccepting()) return std::nullopt;
    const SlotPlace& place = at->second;
    const auto slot = shared ? freeOther(place) : leastLoaded(place, now);
    if (!slot) return std::nullopt;
    ++slots_[*slot].load;
    ++processes_;
    return SlotId(*slot);
}

SlotId SlotBalancer::takeOver(session::MachineId machine, bool shared) {
    YARD_ASSERT_OWNER(owner_);
    const SlotPlace& place = places_.at(machine);
    const auto wanted = shared ? freeOther(place) : std::nullopt;
    const std::uint32_t slot = wanted ? *wanted : leastLoaded(place, MonoTime{}).value_or(place.first);
    ++slots_[slot].load;
    ++processes_;
    return SlotId(slot);
}

SlotId SlotBalancer::ownNumber(session::MachineId machine, SlotId slot) const {
    return SlotId(slot.value - places_.at(machine).first);
}

void SlotBalancer::leave(const Attempt& attempt) {
    YARD_ASSERT_OWNER(owner_);
    if (attempt.warm) return;
    assert(slots_[attempt.slot.value].load > 0);
    --slots_[attempt.slot.value].load;
    --processes_;
}

void SlotBalancer::move(Attempt& attempt, SlotId to) {
    if (attempt.warm || to == attempt.slot || !has(to)) return;
    --slots_[attempt.slot.value].load;
    ++slots_[to.value].load;
    attempt.slot = to;
}

void SlotBalancer::began(const Attempt& attempt, MonoTime now) {
    if (attempt.warm) return;
    lanes_.take(attempt.slot);
    if (has(attempt.slot)) slots_[attempt.slot.value].busySince = now;
}

void SlotBalancer::ended(const Attempt& attempt) {
    if (!attempt.warm && has(attempt.slot)) slots_[attempt.slot.value].busySince = {};
}

void SlotBalancer::keepLane(Attempt& attempt) {
    if (attempt.warm || !has(attempt.slot)) return;
    lanes_.keep(attempt, slots_[attempt.slot.value].busySince != MonoTime{});
}

// --- behind a long one

bool SlotBalancer::isCoreIdle() const {
    return std::ranges::any_of(places_, [this](const auto& entry) {
        const SlotPlace& place = entry.second;
        const auto first = slots_.begin() + place.first;
        return place.isAccepting() &&
               std::any_of(first, first + place.cores, [](const Slot& slot) { return slot.load == 0; });
    });
}

std::vector<runners::AttemptId> SlotBalancer::misplaced(MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    nextLook_.reset();
    std::vector<runners::AttemptId> found;
    if (!isCoreIdle()) return found;
    bool any = false;
    for (const auto& [machine, place] : places_) {
        for (std::uint32_t slot = place.first; slot < place.border(); ++slot) {
            if (slots_[slot].load < 2 || slots_[slot].busySince == MonoTime{}) continue;
            if (runsLong(slot, now)) {
                any = true;
                continue;
            }
            const MonoTime due = slots_[slot].busySince + kLong + Duration(1);
            nextLook_ = nextLook_ ? std::min(*nextLook_, due) : due;
        }
    }
    if (!any) return found;
    for (auto& [id, attempt] : attempts_) {
        if (attempt.phase != Phase::Launched || hasBegun(attempt) || attempt.shared || attempt.warm ||
            attempt.askedBack || !runsLong(attempt.slot.value, now))
            continue;
        attempt.askedBack = true;
        found.push_back(id);
    }
    return found;
}

// --- questions

bool SlotBalancer::isStarting(const Attempt& attempt) const {
    if (attempt.phase != Phase::Launched || attempt.warm || hasBegun(attempt)) return false;
    if (!has(attempt.slot) || slots_[attempt.slot.value].busySince != MonoTime{}) return false;
    if (slots_[attempt.slot.value].load == 1) return true;
    return std::ranges::none_of(attempts_, [&](const auto& entry) {
        const Attempt& other = entry.second;
        return other.phase == Phase::Launched && !other.warm && other.slot == attempt.slot &&
               (hasBegun(other) || other.launched < attempt.launched);
    });
}

std::ptrdiff_t SlotBalancer::busyCoreSlots() const {
    std::ptrdiff_t busy = 0;
    for (const auto& [machine, place] : places_) {
        const auto first = slots_.begin() + place.first;
        busy += std::count_if(first, first + place.cores, [](const Slot& slot) { return slot.load > 0; });
    }
    return busy;
}

} // namespace yard::engine
