#include "core/lifecycle/outbox.h"

#include <algorithm>

namespace yard::lifecycle {

void Outbox::add(EffectKey key, Effect effect, WallMicros now) {
    const auto [row, isNew] = rows_.try_emplace(key, Row{.effect = std::move(effect), .attempts = 0, .at = now});
    if (isNew) laneOf(row->second).waiting.emplace(row->second.at, key);
}

std::vector<CarryOut> Outbox::take(WallMicros now) {
    std::vector<CarryOut> taken;
    take(others_, now, taken);
    take(calls_, now, taken);
    return taken;
}

void Outbox::take(Lane& lane, WallMicros now, std::vector<CarryOut>& taken) {
    while (!lane.waiting.empty() && lane.waiting.begin()->first <= now && lane.onTheirWay < kMaxOnTheirWay) {
        const EffectKey key = lane.waiting.begin()->second;
        lane.waiting.erase(lane.waiting.begin());
        Row& row = rows_.at(key);
        row.at = 0;
        ++row.attempts;
        ++lane.onTheirWay;
        taken.push_back({.key = key, .effect = row.effect, .attempt = row.attempts});
    }
}

void Outbox::done(const EffectKey& key) {
    const auto row = rows_.find(key);
    if (row == rows_.end()) return;
    if (row->second.at == 0)
        --laneOf(row->second).onTheirWay;
    else
        laneOf(row->second).waiting.erase({row->second.at, key});
    rows_.erase(row);
}

Outbox::Row* Outbox::onItsWay(const EffectKey& key) {
    const auto row = rows_.find(key);
    return row == rows_.end() || row->second.at != 0 ? nullptr : &row->second;
}

void Outbox::waitUntil(WallMicros at, const EffectKey& key, Row& row) {
    Lane& lane = laneOf(row);
    --lane.onTheirWay;
    row.at = at;
    lane.waiting.emplace(at, key);
}

void Outbox::failed(const EffectKey& key, WallMicros now) {
    Row* row = onItsWay(key);
    if (!row) return;
    constexpr unsigned kMostDoublings = 16;
    const unsigned doublings = std::min(row->attempts - 1, kMostDoublings);
    const Duration pause = std::min<Duration>(kFirstPause * (1U << doublings), kLongestPause);
    waitUntil(now + pause.count(), key, *row);
}

void Outbox::postponed(const EffectKey& key, WallMicros now) {
    Row* row = onItsWay(key);
    if (!row) return;
    --row->attempts;
    waitUntil(now + kShortPause.count(), key, *row);
}

void Outbox::hurry(ObjectId object, WallMicros now) {
    auto row = rows_.lower_bound({.object = object, .revision = 0, .position = 0});
    for (; row != rows_.end() && row->first.object == object; ++row) {
        auto& [key, waiting] = *row;
        if (waiting.at <= now) continue; // on its way, or due
        auto& times = laneOf(waiting).waiting;
        times.erase({waiting.at, key});
        waiting.at = now;
        times.emplace(now, key);
    }
}

bool Outbox::has(ObjectId object) const {
    const auto row = rows_.lower_bound({.object = object, .revision = 0, .position = 0});
    return row != rows_.end() && row->first.object == object;
}

std::uint32_t Outbox::creates(ObjectId object) const {
    std::uint32_t count = 0;
    auto row = rows_.lower_bound({.object = object, .revision = 0, .position = 0});
    for (; row != rows_.end() && row->first.object == object; ++row)
        if (row->second.effect.kind == EffectKind::Create) ++count;
    return count;
}

std::optional<WallMicros> Outbox::next() const {
    std::optional<WallMicros> next;
    for (const Lane* lane : {&others_, &calls_}) {
        if (lane->waiting.empty() || lane->onTheirWay >= kMaxOnTheirWay) continue;
        const WallMicros at = lane->waiting.begin()->first;
        next = next ? std::min(*next, at) : at;
    }
    return next;
}

} // namespace yard::lifecycle
