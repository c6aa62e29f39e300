// Which slot an attempt goes to, and what becomes of those that wait in one behind a long one. Runs ahead (leases
// beyond the capacity) are for short actions; how long one takes is known only afterwards.
#include "core/engine/dispatcher.h"

#include <algorithm>
#include <cassert>

namespace yard::engine {

namespace {

/// What runs longer keeps those behind it from a slot that is idle. Well above the average that allows leases ahead
/// (session::Options::aheadBelow), so that short ones are not carried to and fro.
constexpr Duration kLong{20'000};

} // namespace

bool Dispatcher::runsLong(std::size_t slot, MonoTime now) const {
    return slotBusySince_[slot] != MonoTime{} && now - slotBusySince_[slot] > kLong;
}

SlotId Dispatcher::leastLoadedSlot(bool shared) const {
    const auto border = slotLoad_.begin() + coreSlots_;
    // The session hands out no more of them than there are slots beside those of the cores.
    if (shared) {
        const auto free = std::find(border, slotLoad_.end(), 0U);
        assert(free != slotLoad_.end());
        return SlotId{static_cast<std::uint32_t>(free - slotLoad_.begin())};
    }
    // A full slot would send it back, and behind a long one it would wait.
    const MonoTime now = MonoClock::now();
    const auto rank = [&](std::size_t slot) {
        const unsigned load = slotLoad_[slot];
        return load + (runsLong(slot, now) ? runners::kLeasesPerSlot : 0) +
               (load >= runners::kLeasesPerSlot ? 4 * runners::kLeasesPerSlot : 0);
    };
    std::size_t least = 0;
    auto leastRank = rank(0);
    for (std::size_t slot = 1; slot < static_cast<std::size_t>(coreSlots_); ++slot)
        if (const auto own = rank(slot); own < leastRank) {
            least = slot;
            leastRank = own;
        }
    return SlotId{static_cast<std::uint32_t>(least)};
}

void Dispatcher::balance(MonoTime now) {
    nextBalance_.reset();
    const auto border = slotLoad_.begin() + coreSlots_;
    if (std::find(slotLoad_.begin(), border, 0U) == border) return;
    bool any = false;
    for (std::size_t slot = 0; slot < static_cast<std::size_t>(coreSlots_); ++slot) {
        if (slotLoad_[slot] < 2 || slotBusySince_[slot] == MonoTime{}) continue;
        if (runsLong(slot, now)) {
            any = true;
            continue;
        }
        const MonoTime due = slotBusySince_[slot] + kLong + Duration(1);
        nextBalance_ = nextBalance_ ? std::min(*nextBalance_, due) : due;
    }
    if (!any) return;
    for (auto& [id, attempt] : attempts_) {
        if (attempt.phase != Attempt::Phase::Launched || attempt.pid != 0 || attempt.shared || attempt.warm ||
            attempt.askedBack || !runsLong(attempt.slot.value, now))
            continue;
        attempt.askedBack = true;
        runner_->takeBack(id);
    }
}

} // namespace yard::engine
