// Which measures are in force: what the profile asks for, with the pace at which that may change. The first step back is
// at once, further changes come at most every 5 s, but for what comes of the machine's sleep: it waits 5 s at most, and
// what woke is to go on. That work returns only a minute after the last input is the matter of
// Person. Pure: time is a parameter. Owner: whoever has it.
#pragma once

#include "core/base/clock.h"
#include "core/courtesy/condition.h"
#include "core/courtesy/profile.h"

#include <array>
#include <deque>
#include <optional>
#include <string>

namespace yard::courtesy {

inline constexpr Duration kBetweenChanges{5'000'000};
/// So many changes are kept.
inline constexpr std::size_t kMaxChanges = 100;

struct InForce {
    int cores = 0; ///< FewerCores: left free
    ConditionKind because = ConditionKind::Active;
    WallMicros since = 0;
};
using MeasuresInForce = std::array<std::optional<InForce>, kMeasureKinds>;

/// A measure began, ended, or has another number of cores.
struct MeasureChange {
    WallMicros t = 0;
    MeasureKind measure = MeasureKind::Hold;
    bool isInForce = false;
    int cores = 0;
    ConditionKind because = ConditionKind::Active; ///< of its end: why it had begun
    std::string profile;
};

class Decider {
public:
    /// The next look decides by it, at once.
    void setProfile(Profile profile);
    const Profile& profile() const { return profile_; }
    /// True: what is in force has changed.
    bool look(const Conditions& conditions, int cores, MonoTime now, WallMicros wall);
    const MeasuresInForce& inForce() const { return inForce_; }
    bool is(MeasureKind kind) const { return inForce_[static_cast<std::size_t>(kind)].has_value(); }
    /// A change waits for this time. Nothing: none does.
    std::optional<MonoTime> due() const { return due_; }
    const std::deque<MeasureChange>& changes() const { return changes_; } ///< oldest first

private:
    void note(std::size_t measure, const std::optional<InForce>& before, WallMicros wall);

    Profile profile_;
    bool isNewProfile_ = true;
    HeldTerms held_; ///< of profile_
    bool wasSleeping_ = false;
    MeasuresInForce inForce_;
    std::optional<MonoTime> changed_;
    std::optional<MonoTime> due_;
    std::deque<MeasureChange> changes_;
};

} // namespace yard::courtesy
