#include "core/courtesy/decider.h"

#include <algorithm>
#include <utility>

namespace yard::courtesy {

namespace {

bool isSameMeasure(const std::optional<InForce>& have, const std::optional<Asked>& asked) {
    return have.has_value() == asked.has_value() && (!have || have->cores == asked->cores);
}

} // namespace

void Decider::setProfile(Profile profile) {
    profile_ = std::move(profile);
    held_.clear();
    isNewProfile_ = true;
}

bool Decider::look(const Conditions& conditions, int cores, MonoTime now, WallMicros wall) {
    const AskedMeasures asked = decide(profile_, conditions, cores, held_);
    due_.reset();
    bool differs = false;
    for (std::size_t i = 0; i < kMeasureKinds; ++i) {
        differs = differs || !isSameMeasure(inForce_[i], asked[i]);
        if (inForce_[i] && asked[i]) inForce_[i]->because = asked[i]->because;
    }
    const bool wasNewProfile = std::exchange(isNewProfile_, false);
    const Condition* sleeping = conditions.find(ConditionKind::Sleeping);
    const bool isSleeping = sleeping && sleeping->value > 0;
    const bool isUrgent = std::exchange(wasSleeping_, isSleeping) != isSleeping || wasNewProfile;
    if (!differs) return false;
    const bool isFirstStep = std::ranges::none_of(inForce_, [](const auto& one) { return one.has_value(); });
    if (!isFirstStep && !isUrgent && changed_ && now - *changed_ < kBetweenChanges) {
        due_ = *changed_ + kBetweenChanges;
        return false;
    }
    changed_ = now;
    for (std::size_t i = 0; i < kMeasureKinds; ++i) {
        if (isSameMeasure(inForce_[i], asked[i])) continue;
        const std::optional<InForce> before = inForce_[i];
        inForce_[i].reset();
        if (asked[i]) inForce_[i] = InForce{.cores = asked[i]->cores, .because = asked[i]->because, .since = wall};
        note(i, before, wall);
    }
    return true;
}

void Decider::note(std::size_t measure, const std::optional<InForce>& before, WallMicros wall) {
    const std::optional<InForce>& now = inForce_[measure];
    if (changes_.size() == kMaxChanges) changes_.pop_front();
    changes_.push_back({.t = wall,
                        .measure = static_cast<MeasureKind>(measure),
                        .isInForce = now.has_value(),
                        .cores = now ? now->cores : 0,
                        .because = now      ? now->because
                                   : before ? before->because
                                            : ConditionKind::Active,
                        .profile = profile_.name});
}

} // namespace yard::courtesy
