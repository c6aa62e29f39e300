#include "core/session/lock_book.h"

#include <algorithm>
#include <cassert>

namespace yard::session {

std::uint32_t LockBook::setFor(std::vector<LockId> locks) {
    if (locks.empty()) return kNoLocks;
    std::ranges::sort(locks);
    const auto same = std::ranges::unique(locks);
    locks.erase(same.begin(), same.end());
    const auto [it, made] = setIndex_.try_emplace(std::move(locks), static_cast<std::uint32_t>(sets_.size()));
    if (made) sets_.push_back(&it->first);
    return it->second;
}

std::optional<LockId> LockBook::refusal(std::uint32_t set, std::uint32_t lane) const {
    for (const LockId lock : locksOf(set)) {
        const State* state = find(lock);
        if (!state) continue;
        if (!state->isFree() || (!state->claims.empty() && state->claims.front() != lane)) return lock;
    }
    return std::nullopt;
}

void LockBook::take(std::uint32_t set, Lsn holder) {
    for (const LockId lock : locksOf(set)) {
        State& state = locks_[lock];
        assert(state.isFree());
        state.holder = holder;
        ++held_;
    }
}

void LockBook::give(std::uint32_t set) {
    for (const LockId lock : locksOf(set)) {
        State& state = locks_[lock];
        assert(state.holder.value != 0);
        state.holder = {};
        --held_;
        dropIfIdle(lock);
    }
}

void LockBook::setElsewhere(LockId lock, bool held) {
    locks_[lock].elsewhere = held;
    dropIfIdle(lock);
}

bool LockBook::isElsewhere(std::uint32_t set) const {
    return std::ranges::any_of(locksOf(set), [this](LockId lock) {
        const State* state = find(lock);
        return state && state->elsewhere;
    });
}

GrowArray<std::uint32_t>* LockBook::findWaiting(LockId lock, std::uint32_t queue, std::uint32_t shape) {
    const auto at = locks_.find(lock);
    if (at == locks_.end()) return nullptr;
    const auto lanes = at->second.waiting.find({queue, shape});
    return lanes == at->second.waiting.end() ? nullptr : &lanes->second;
}

void LockBook::forgetIfIdle(LockId lock, std::uint32_t queue, std::uint32_t shape) {
    const auto at = locks_.find(lock);
    if (at == locks_.end()) return;
    const auto lanes = at->second.waiting.find({queue, shape});
    if (lanes != at->second.waiting.end() && lanes->second.empty()) at->second.waiting.erase(lanes);
    dropIfIdle(lock);
}

bool LockBook::isOpen(LockId lock) const {
    const State* state = find(lock);
    return !state || (state->isFree() && state->claims.empty());
}

void LockBook::remindOf(LockId lock, std::uint32_t lane, int times) {
    State& state = locks_.at(lock);
    state.due[state.freed + static_cast<std::uint64_t>(times)].insert(lane);
}

std::set<std::uint32_t> LockBook::takeDue(LockId lock) {
    const auto at = locks_.find(lock);
    if (at == locks_.end()) return {};
    State& state = at->second;
    ++state.freed;
    if (state.due.empty() || state.due.begin()->first > state.freed) return {};
    std::set<std::uint32_t> lanes = std::move(state.due.begin()->second);
    state.due.erase(state.due.begin());
    return lanes;
}

void LockBook::forEachBlocked(const std::function<void(LockId, std::uint32_t)>& visit) const {
    for (const auto& [lock, state] : locks_)
        for (const auto& [of, lanes] : state.waiting)
            for (std::uint32_t i = 0; i < lanes.size(); ++i) visit(lock, lanes[i]);
}

void LockBook::claim(std::uint32_t lane, std::uint32_t set) {
    assert(claimants_.size() < kMostClaims);
    claimants_.push_back(lane);
    for (const LockId lock : locksOf(set)) locks_[lock].claims.push_back(lane);
}

void LockBook::endClaim(std::uint32_t lane, std::uint32_t set) {
    std::erase(claimants_, lane);
    for (const LockId lock : locksOf(set)) {
        std::erase(locks_.at(lock).claims, lane);
        dropIfIdle(lock);
    }
}

const LockBook::State* LockBook::find(LockId lock) const {
    const auto at = locks_.find(lock);
    return at == locks_.end() ? nullptr : &at->second;
}

void LockBook::forEach(const std::function<void(LockId, const State&)>& visit) const {
    for (const auto& [lock, state] : locks_) visit(lock, state);
}

std::size_t LockBook::memoryBytes() const {
    std::size_t bytes = locks_.size() * (sizeof(State) + 64) + sets_.capacity() * sizeof(void*);
    for (const auto& [lock, state] : locks_) {
        for (const auto& [of, lanes] : state.waiting) bytes += sizeof(lanes) + 64 + lanes.memoryBytes();
        for (const auto& [times, lanes] : state.due) bytes += 96 + 40 * lanes.size();
    }
    for (const auto* set : sets_) bytes += set->capacity() * sizeof(LockId) + 96;
    return bytes;
}

void LockBook::dropIfIdle(LockId lock) {
    const auto at = locks_.find(lock);
    if (at != locks_.end() && at->second.isFree() && !at->second.isWaitedFor() && at->second.claims.empty())
        locks_.erase(at);
}

} // namespace yard::session
