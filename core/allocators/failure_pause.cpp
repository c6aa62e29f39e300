#include "core/allocators/failure_pause.h"

#include <algorithm>
#include <array>
#include <utility>

namespace yard::allocators {

std::string_view name(AllocatorState state) {
    constexpr std::array<std::string_view, 3> kNames = {"active", "backing_off", "paused"};
    return kNames[std::to_underlying(state)];
}

void FailurePause::failed(std::string sentence, MonoTime now) {
    reason_ = std::move(sentence);
    ++failures_;
    const unsigned doublings = std::min(failures_ - 1, 5U);
    until_ = now + std::min(kFirst * (1U << doublings), kLongest);
    if (failures_ >= kFailures) isPaused_ = true;
}

void FailurePause::succeeded() {
    failures_ = 0;
    until_ = MonoTime{};
    if (!isPaused_) reason_.clear();
}

void FailurePause::pause(std::string sentence) {
    isPaused_ = true;
    reason_ = std::move(sentence);
}

void FailurePause::resume() {
    isPaused_ = false;
    succeeded();
}

AllocatorState FailurePause::state(MonoTime now) const {
    if (isPaused_) return AllocatorState::Paused;
    return now < until_ ? AllocatorState::BackingOff : AllocatorState::Active;
}

std::optional<MonoTime> FailurePause::until(MonoTime now) const {
    if (state(now) != AllocatorState::BackingOff) return std::nullopt;
    return until_;
}

} // namespace yard::allocators
