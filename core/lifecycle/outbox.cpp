#include "core/lifecycle/outbox.h"

#include <algorithm>

namespace yard::lifecycle {

void Outbox::add(EffectKey key, Effect effect, WallMicros now) {
    const auto [row, isNew] = rows_.try_emplace(key, Row{.effect = std::move(effect), .attempts = 0, .at = now});
    if (isNew) waiting_.emplace(row->second.at, key);
}

std::vector<CarryOut> Outbox::take(WallMicros now) {
    std::vector<CarryOut> taken;
    while (!waiting_.empty() && waiting_.begin()->first <= now && onTheirWay_ < kMaxOnTheirWay) {
        const EffectKey key = waiting_.begin()->second;
        waiting_.erase(waiting_.begin());
        Row& row = rows_.at(key);
        row.at = 0;
        ++row.attempts;
        ++onTheirWay_;
        taken.push_back({.key = key, .effect = row.effect, .attempt = row.attempts});
    }
    return taken;
}

void Outbox::done(const EffectKey& key) {
    const auto row = rows_.find(key);
    if (row == rows_.end()) return;
    if (row->second.at == 0)
        --onTheirWay_;
    else
        waiting_.erase({row->second.at, key});
    rows_.erase(row);
}

void Outbox::failed(const EffectKey& key, WallMicros now) {
    const auto row = rows_.find(key);
    if (row == rows_.end() || row->second.at != 0) return;
    constexpr unsigned kMostDoublings = 16;
    const unsigned doublings = std::min(row->second.attempts - 1, kMostDoublings);
    const Duration pause = std::min<Duration>(kFirstPause * (1U << doublings), kLongestPause);
    --onTheirWay_;
    row->second.at = now + pause.count();
    waiting_.emplace(row->second.at, key);
}

std::optional<WallMicros> Outbox::next() const {
    if (waiting_.empty() || onTheirWay_ >= kMaxOnTheirWay) return std::nullopt;
    return waiting_.begin()->first;
}

} // namespace yard::lifecycle
