#include "core/guests/held_guests.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace yard::guests {

HeldGuests::~HeldGuests() {
    for (auto& [id, guest] : guests_) giveBudget(guest);
}

Guest& HeldGuests::add(GuestAttempt attempt, std::size_t size, link::BootTime now) {
    Guest& guest = guests_[attempt.id];
    guest.attempt = std::move(attempt);
    guest.came = now;
    holds(guest, size);
    inputs_.use(guest.attempt.inputs);
    return guest;
}

void HeldGuests::needsToo(Guest& guest, const std::vector<Hash256>& files) {
    std::vector<Hash256>& inputs = guest.attempt.inputs;
    std::vector<Hash256> more;
    std::ranges::copy_if(files, std::back_inserter(more),
                         [&](const Hash256& hash) { return !std::ranges::binary_search(inputs, hash); });
    inputs_.use(more);
    holds(guest, guest.held + sizeOf(more));
    inputs.insert(inputs.end(), more.begin(), more.end());
    std::ranges::sort(inputs);
}

Guest* HeldGuests::find(link::AttemptRef id) {
    const auto found = guests_.find(id);
    return found != guests_.end() ? &found->second : nullptr;
}

Guest* HeldGuests::at(link::AttemptRef id, GuestStage stage) {
    Guest* guest = find(id);
    return guest && guest->stage == stage ? guest : nullptr;
}

void HeldGuests::letGo(Guest& guest) {
    ready_.erase(guest.turn);
    for (const Hash256& hash : guest.missing) inputs_.lackNoMore(hash, guest.attempt.id);
    guest.missing.clear();
    inputs_.release(std::exchange(guest.attempt.inputs, {}));
}

void HeldGuests::giveBudget(Guest& guest) {
    if (std::exchange(guest.hasBudget, false)) budget_.give(guest.attempt.needs);
}

void HeldGuests::holds(Guest& guest, std::size_t size) {
    bytes_ = bytes_ - guest.held + size;
    guest.held = size;
}

void HeldGuests::erase(link::AttemptRef id) {
    const auto found = guests_.find(id);
    if (found == guests_.end()) return;
    bytes_ -= found->second.held;
    guests_.erase(found);
}

void HeldGuests::becomeReady(Guest& guest) {
    guest.stage = GuestStage::Ready;
    guest.turn = ++lastTurn_;
    ready_.emplace(guest.turn, guest.attempt.id);
}

Guest* HeldGuests::firstReady() {
    if (ready_.empty()) return nullptr;
    Guest* guest = at(ready_.begin()->second, GuestStage::Ready);
    assert(guest);
    return guest;
}

void HeldGuests::follow(const link::Follow& follow, DeskOut& out) {
    Guest* guest = find(follow.id);
    if (!guest || guest->stage == GuestStage::Done) return;
    (follow.isErr ? guest->errFrom : guest->outFrom) = follow.from;
    if (guest->stage == GuestStage::Running) out.follows.push_back(follow);
}

void HeldGuests::tellFollowed(const Guest& guest, DeskOut& out) const {
    const link::AttemptRef id = guest.attempt.id;
    if (guest.outFrom) out.follows.push_back({.id = id, .isErr = false, .from = *guest.outFrom});
    if (guest.errFrom) out.follows.push_back({.id = id, .isErr = true, .from = *guest.errFrom});
}

void HeldGuests::unfollowAll() {
    for (auto& [id, guest] : guests_) guest.outFrom = guest.errFrom = std::nullopt;
}

void HeldGuests::addInputs(std::vector<Hash256>& to) const {
    for (const auto& [id, guest] : guests_)
        to.insert(to.end(), guest.attempt.inputs.begin(), guest.attempt.inputs.end());
}

} // namespace yard::guests
