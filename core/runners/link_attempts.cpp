#include "core/runners/link_attempts.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iterator>

namespace yard::runners {

LinkAttempts::LinkAttempts(unsigned slots, std::function<void()> ring, ChunksOf chunksOf)
    : ring_(std::move(ring))
    , chunksOf_(std::move(chunksOf))
    , inSlot_(slots) {
    assert(slots > 0);
}

SlotId LinkAttempts::slotFor(SlotId wanted) const {
    if (wanted.value < inSlot_.size()) return wanted;
    const auto least = std::ranges::min_element(inSlot_);
    return SlotId(static_cast<std::uint32_t>(std::distance(inSlot_.begin(), least)));
}

unsigned LinkAttempts::freeSlots() const {
    return static_cast<unsigned>(std::ranges::count(inSlot_, 0u));
}

void LinkAttempts::use(const std::string& worker) {
    if (worker.empty()) return;
    Worker& used = workers_[worker];
    if (++used.attempts > 1 || !chunksOf_) return;
    const std::vector<Hash256> chunks = chunksOf_(worker);
    used.chunks.insert(chunks.begin(), chunks.end());
}

void LinkAttempts::release(const std::string& worker) {
    if (const auto used = workers_.find(worker); used != workers_.end() && --used->second.attempts == 0)
        workers_.erase(used);
}

bool LinkAttempts::isInput(const Hash256& hash) const {
    return inputs_.contains(hash) ||
           std::ranges::any_of(workers_, [&](const auto& used) { return used.second.chunks.contains(hash); });
}

LinkAttempts::Attempt& LinkAttempts::add(AttemptId id, SlotId wanted, std::vector<Hash256> inputs,
                                         std::string worker) {
    const SlotId slot = slotFor(wanted);
    ++inSlot_[slot.value];
    for (const Hash256& hash : inputs) ++inputs_[hash];
    use(worker);
    const auto [at, isNew] = attempts_.try_emplace(
        refOf(id), Attempt{.slot = slot, .inputs = std::move(inputs), .worker = std::move(worker)});
    assert(isNew);
    return at->second;
}

LinkAttempts::Attempt* LinkAttempts::find(link::AttemptRef ref) {
    const auto at = attempts_.find(ref);
    return at == attempts_.end() ? nullptr : &at->second;
}

std::vector<AttemptId> LinkAttempts::ids() const {
    std::vector<AttemptId> ids;
    ids.reserve(attempts_.size());
    for (const auto& [ref, attempt] : attempts_) ids.push_back(idOf(ref));
    return ids;
}

bool LinkAttempts::waitForJournal() const {
    return std::ranges::any_of(attempts_, [](const auto& entry) { return entry.second.unsent.has_value(); });
}

void LinkAttempts::tell(AttemptId id, decltype(Update::what) what) {
    news_.push_back({.id = id, .what = std::move(what)});
    ring_();
}

void LinkAttempts::tellLast(link::AttemptRef ref, decltype(Update::what) what) {
    const auto at = attempts_.find(ref);
    if (at == attempts_.end()) return;
    --inSlot_[at->second.slot.value];
    for (const Hash256& hash : at->second.inputs)
        if (const auto known = inputs_.find(hash); --known->second == 0) inputs_.erase(known);
    release(at->second.worker);
    attempts_.erase(at);
    tell(idOf(ref), std::move(what));
}

void LinkAttempts::tellLost(link::AttemptRef ref, MonoTime now) {
    const Attempt* attempt = find(ref);
    if (!attempt) return;
    Ended ended;
    ended.slot = attempt->slot;
    ended.cause = EndCause::LostRunner;
    ended.message = "The machine did not come back in time.";
    ended.times = attempt->times;
    ended.times.ended = now;
    tellLast(ref, std::move(ended));
}

} // namespace yard::runners
