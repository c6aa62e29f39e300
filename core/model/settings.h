// The settings of an engine: one table from which the file, --set, the route, its description and the test of
// docs/settings.md work. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/json/json_writer.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace yard {

struct Settings {
    std::int64_t capacity = 0; ///< 0: number of processors
    std::string durability = "process";
    Duration grace{2'000'000};
    Duration deadline{3'600'000'000};
    std::int64_t keepDays = 30;
    std::int64_t keepActions = 2'000'000;
    std::int64_t keepDiskPercent = 20;
    Duration chunkGrace{3'600'000'000};
    std::int64_t guardHold = 90;
    std::int64_t guardStop = 95;
    Duration hung{600'000'000};
    std::int64_t maxPending = 20'000'000;
    Duration reserve{60'000'000};
    std::int64_t maxTerminals = 64;
    std::int64_t poolMax = 0; ///< 0: twice the capacity
    std::int64_t poolMaxPerGroup = 0;
    Duration poolMaxIdle{300'000'000};
    std::int64_t streamBytes = std::int64_t{1} << 30;
    std::string sandboxNetwork = "off";
    std::int64_t sandboxTmpMb = 1024;
    std::int64_t defaultMemoryMb = 0;
    std::int64_t maxProcesses = 4096;
    std::int64_t maxOpenFiles = 16'384;
    std::int64_t maxOutputBytes = std::int64_t{64} << 30;
    std::string envNeverKept = "*TOKEN* *SECRET* *PASSWORD* *KEY*";
    std::string logLevel = "info";
    std::map<std::string, double> resources; ///< "gpus", "licence.x": amount; those not here are as found
    friend bool operator==(const Settings&, const Settings&) = default;
};

enum class Applies : unsigned char {
    AtOnce, ///< while the engine runs
    AtStart ///< by the next one
};

/// What a setting is about, in the order in which groups are shown.
enum class SettingGroup : unsigned char { Capacity, Guard, Deadlines, Retention, Sandbox, Pool, Other };
/// "capacity", …
std::string_view name(SettingGroup group);

struct SettingInfo {
    SettingGroup group;
    std::string_view name; ///< of a family: "resources.NAME"
    std::string_view unit; ///< "s", "slots", or empty
    std::variant<std::int64_t Settings::*, Duration Settings::*, std::string Settings::*,
                 std::map<std::string, double> Settings::*>
        field;
    double least = 0; ///< of numbers; Durations in seconds
    double most = 0;
    std::span<const std::string_view> words = {}; ///< of text: all that it may be; empty: any line
    Applies applies = Applies::AtOnce;
    std::string_view help; ///< one sentence
    /// Any number of settings whose names begin alike.
    bool isText() const { return std::holds_alternative<std::string Settings::*>(field); }
    bool isFamily() const { return std::holds_alternative<std::map<std::string, double> Settings::*>(field); }
};
std::span<const SettingInfo> settingsTable();

/// Settings of which some are given and the others at their defaults.
struct GivenSettings {
    Settings values;
    std::uint32_t given = 0; ///< bits in the order of the table; members of families are given when they are there
};
/// Applies a JSON object of names and values to `base`; null takes a setting back to its default. Malformed, or
/// Invalid with the setting's name (unknown, another type, out of range).
Result<GivenSettings> applySettings(const GivenSettings& base, std::string_view json);
/// The same for one setting as typed: "grace_s=3".
Result<GivenSettings> applySetting(const GivenSettings& base, std::string_view nameAndValue);
/// A JSON object of those that are given, a line each: settings.json.
std::string toJson(const GivenSettings& settings);

/// The value as JSON; of a family an object.
void writeSetting(JsonWriter& writer, const SettingInfo& setting, const Settings& settings);
/// "Keep disk" of keep_disk_percent: its name without the unit, as people read it.
std::string titleOf(const SettingInfo& setting);
/// "0 to 60", "process or power".
std::string rangeOf(const SettingInfo& setting);
/// The names under which two have other values: none or its own, of a family those of it.
std::vector<std::string> differing(const SettingInfo& setting, const Settings& a, const Settings& b);
void copySetting(const SettingInfo& setting, const Settings& from, Settings& to);

} // namespace yard
