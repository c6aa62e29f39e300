#include "core/courtesy/condition.h"

#include <algorithm>
#include <utility>

namespace yard::courtesy {

namespace {

constexpr double kHeatLag = 5; ///< degrees that a machine cools down before it works on

constexpr std::array<ConditionInfo, kConditionKinds> kConditionTable{{
    {.name = "active", .unit = "", .isSwitch = true, .lag = 0},
    {.name = "idle", .unit = "s", .isSwitch = false, .lag = 0},
    {.name = "locked", .unit = "", .isSwitch = true, .lag = 0},
    {.name = "memory_pressure", .unit = "%", .isSwitch = false, .lag = 0},
    {.name = "cpu_pressure", .unit = "%", .isSwitch = false, .lag = 0},
    {.name = "on_battery", .unit = "", .isSwitch = true, .lag = 0},
    {.name = "battery", .unit = "%", .isSwitch = false, .lag = 0},
    {.name = "power_saver", .unit = "", .isSwitch = true, .lag = 0},
    {.name = "heat", .unit = "C", .isSwitch = false, .lag = kHeatLag},
    {.name = "heat_left", .unit = "C", .isSwitch = false, .lag = kHeatLag},
    {.name = "lid_closed", .unit = "", .isSwitch = true, .lag = 0},
    {.name = "sleeping", .unit = "", .isSwitch = true, .lag = 0},
    {.name = "hour", .unit = "h", .isSwitch = false, .lag = 0},
    {.name = "full_screen", .unit = "", .isSwitch = true, .lag = 0},
    {.name = "others_load", .unit = "cores", .isSwitch = false, .lag = 0},
}};

} // namespace

const ConditionInfo& infoOf(ConditionKind kind) {
    return kConditionTable[std::to_underlying(kind)];
}

std::optional<ConditionKind> conditionFrom(std::string_view name) {
    const auto at = std::ranges::find(kConditionTable, name, &ConditionInfo::name);
    if (at == kConditionTable.end()) return std::nullopt;
    return static_cast<ConditionKind>(at - kConditionTable.begin());
}

void Conditions::set(Reading reading, WallMicros now) {
    std::optional<Condition>& known = all_[std::to_underlying(reading.kind)];
    const bool begins = !known || (infoOf(reading.kind).isSwitch && known->value != reading.value);
    const WallMicros since = begins ? now : known->since;
    known = Condition{.value = reading.value, .source = std::move(reading.source), .since = since};
}

void Conditions::forgetAllBut(const std::vector<ConditionKind>& kept) {
    for (std::size_t i = 0; i < all_.size(); ++i)
        if (std::ranges::find(kept, static_cast<ConditionKind>(i)) == kept.end()) all_[i].reset();
}

const Condition* Conditions::find(ConditionKind kind) const {
    const std::optional<Condition>& known = all_[std::to_underlying(kind)];
    return known ? &*known : nullptr;
}

} // namespace yard::courtesy
