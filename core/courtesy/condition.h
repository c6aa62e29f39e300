// Conditions of the machine that courtesy decides by (docs/courtesy.md). A condition that cannot be known is absent.
// Values; no owner.
#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::courtesy {

/// Append only: the order is that of answers.
enum class ConditionKind : unsigned char {
    Active,            ///< there was input within the last minute
    IdleS,             ///< since the last input
    Locked,            ///< the session is
    MemoryPressure,    ///< "some" of PSI, mean of 10 s
    ProcessorPressure, ///< the same of processors
    OnBattery,
    Battery, ///< charge
    PowerSaver,
    Heat,     ///< hottest thermal zone
    HeatLeft, ///< the least of what a zone has left to a trip point
    LidClosed,
    Sleeping,   ///< the machine is about to sleep
    Hour,       ///< of the local day, with a fraction
    FullScreen, ///< a program has the whole screen: a talk, a film, a game
    OthersLoad  ///< cores in use by anything but actions
};
inline constexpr std::size_t kConditionKinds = 15;

struct ConditionInfo {
    std::string_view name;
    std::string_view unit;
    bool isSwitch = false; ///< 0 or 1
    /// A comparison that held ends only this far beyond its number: what runs and what stands still change such a value
    /// themselves, and would follow each other.
    double lag = 0;
};
const ConditionInfo& infoOf(ConditionKind kind);
std::optional<ConditionKind> conditionFrom(std::string_view name);

/// One value that a source tells.
struct Reading {
    ConditionKind kind = ConditionKind::Active;
    double value = 0;
    std::string source; ///< "logind", "upower", "/proc/pressure/memory"
    friend bool operator==(const Reading&, const Reading&) = default;
};

struct Condition {
    double value = 0;
    std::string source;
    WallMicros since = 0; ///< of a switch: since it has this value; else: since it is known
};

/// What is known now.
class Conditions {
public:
    void set(Reading reading, WallMicros now);
    /// Forgets each kind that is not in `kept`.
    void forgetAllBut(const std::vector<ConditionKind>& kept);
    const Condition* find(ConditionKind kind) const;

private:
    std::array<std::optional<Condition>, kConditionKinds> all_;
};

} // namespace yard::courtesy
