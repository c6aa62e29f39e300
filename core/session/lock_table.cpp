#include "core/session/lock_table.h"

#include <algorithm>
#include <cassert>

namespace yard::session {

std::uint32_t LockTable::setFor(std::vector<LockId> locks) {
    if (locks.empty()) return kNoLocks;
    std::ranges::sort(locks);
    const auto same = std::ranges::unique(locks);
    locks.erase(same.begin(), same.end());
    const auto [it, made] = setIndex_.try_emplace(std::move(locks), static_cast<std::uint32_t>(sets_.size()));
    if (made) sets_.push_back(&it->first);
    return it->second;
}

bool LockTable::isRefused(LockId lock, std::uint32_t lane) const {
    const State* state = find(lock);
    return state && (!state->isFree() || (!state->claims.empty() && state->claims.front() != lane));
}

std::optional<LockId> LockTable::refusal(std::uint32_t set, std::uint32_t lane) const {
    for (const LockId lock : locksOf(set))
        if (isRefused(lock, lane)) return lock;
    return std::nullopt;
}

std::vector<LockId> LockTable::refusals(std::uint32_t set, std::uint32_t lane) const {
    std::vector<LockId> all;
    for (const LockId lock : locksOf(set))
        if (isRefused(lock, lane)) all.push_back(lock);
    return all;
}

void LockTable::take(std::uint32_t set, Lsn holder) {
    for (const LockId lock : locksOf(set)) {
        State& state = locks_[lock];
        assert(state.isFree());
        state.holder = holder;
        ++held_;
    }
}

void LockTable::give(std::uint32_t set) {
    for (const LockId lock : locksOf(set)) {
        State& state = locks_[lock];
        assert(state.holder.value != 0);
        state.holder = {};
        --held_;
        dropIfIdle(lock);
    }
}

void LockTable::setElsewhere(LockId lock, bool held) {
    locks_[lock].elsewhere = held;
    dropIfIdle(lock);
}

bool LockTable::isElsewhere(std::uint32_t set) const {
    return std::ranges::any_of(locksOf(set), [this](LockId lock) {
        const State* state = find(lock);
        return state && state->elsewhere;
    });
}

GrowArray<std::uint32_t>* LockTable::findWaiting(LockId lock, std::uint32_t queue, std::uint32_t shape) {
    const auto at = locks_.find(lock);
    if (at == locks_.end()) return nullptr;
    const auto lanes = at->second.waiting.find({queue, shape});
    return lanes == at->second.waiting.end() ? nullptr : &lanes->second;
}

void LockTable::forgetIfIdle(LockId lock, std::uint32_t queue, std::uint32_t shape) {
    const auto at = locks_.find(lock);
    if (at == locks_.end()) return;
    const auto lanes = at->second.waiting.find({queue, shape});
    if (lanes != at->second.waiting.end() && lanes->second.empty()) at->second.waiting.erase(lanes);
    dropIfIdle(lock);
}

bool LockTable::isOpen(LockId lock) const {
    const State* state = find(lock);
    return !state || (state->isFree() && state->claims.empty());
}

void LockTable::remindOf(LockId lock, std::uint32_t lane, int times) {
    State& state = locks_.at(lock);
    state.due[state.freed + static_cast<std::uint64_t>(times)].insert(lane);
}

std::set<std::uint32_t> LockTable::takeDue(LockId lock) {
    const auto at = locks_.find(lock);
    if (at == locks_.end()) return {};
    State& state = at->second;
    ++state.freed;
    if (state.due.empty() || state.due.begin()->first > state.freed) return {};
    std::set<std::uint32_t> lanes = std::move(state.due.begin()->second);
    state.due.erase(state.due.begin());
    return lanes;
}

void LockTable::forEachBlocked(const std::function<void(LockId, std::uint32_t)>& visit) const {
    for (const auto& [lock, state] : locks_)
        for (const auto& [of, lanes] : state.waiting)
            for (std::uint32_t i = 0; i < lanes.size(); ++i) visit(lock, lanes[i]);
}

void LockTable::claim(std::uint32_t lane, std::uint32_t set) {
    assert(claimants_.size() < kMostClaims);
    claimants_.push_back(lane);
    for (const LockId lock : locksOf(set)) locks_[lock].claims.push_back(lane);
}

void LockTable::endClaim(std::uint32_t lane, std::uint32_t set) {
    std::erase(claimants_, lane);
    for (const LockId lock : locksOf(set)) {
        std::erase(locks_.at(lock).claims, lane);
        dropIfIdle(lock);
    }
}

const LockTable::State* LockTable::find(LockId lock) const {
    const auto at = locks_.find(lock);
    return at == locks_.end() ? nullptr : &at->second;
}

void LockTable::forEach(const std::function<void(LockId, const State&)>& visit) const {
    for (const auto& [lock, state] : locks_) visit(lock, state);
}

std::size_t LockTable::memoryBytes() const {
    std::size_t bytes = locks_.size() * (sizeof(State) + 64) + sets_.capacity() * sizeof(void*);
    for (const auto& [lock, state] : locks_) {
        for (const auto& [of, lanes] : state.waiting) bytes += sizeof(lanes) + 64 + lanes.memoryBytes();
        for (const auto& [times, lanes] : state.due) bytes += 96 + 40 * lanes.size();
    }
    for (const auto* set : sets_) bytes += set->capacity() * sizeof(LockId) + 96;
    return bytes;
}

void LockTable::dropIfIdle(LockId lock) {
    const auto at = locks_.find(lock);
    if (at != locks_.end() && at->second.isFree() && !at->second.isWaitedFor() && at->second.claims.empty())
        locks_.erase(at);
}

} // namespace yard::session
