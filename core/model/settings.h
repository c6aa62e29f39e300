// The settings of an engine: one table from which the file, --set, the route, its description and the test of
// docs/settings.md work. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/kept_stream.h"
#include "core/json/json_writer.h"
#include "core/model/limits.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
    Duration cleanupEvery{600'000'000};
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
    std::string progressFromOutput = "off";
    std::string logLevel = "info";
    std::int64_t guestCores = 0;    ///< 0: all
    std::int64_t guestMemoryMb = 0; ///< 0: all
    std::int64_t guestStoreMb = 20'480;
    std::string guestUnsandboxed = "off";
    std::string cloudProbe = "off";
    std::string onTermination = "abandon";
    std::int64_t leaseS = 20;
    std::string webhookAllow;
    std::string courtesy = "auto";
    std::string courtesyProfiles;
    std::map<std::string, double> resources; ///< "gpus", "licence.x": amount; those not here are as found
    /// Of those whose pieces are told apart the words of their names, such as "5000-5015"; `resources` has how many.
    std::map<std::string, std::vector<std::string>> resourceNames;
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

inline constexpr std::array<std::string_view, 2> kDurabilityWords = {"process", "power"};
inline constexpr std::array<std::string_view, 2> kNetworkWords = {"off", "asked"};
inline constexpr std::array<std::string_view, 2> kSwitchWords = {"off", "on"};
inline constexpr std::array<std::string_view, 3> kTerminationWords = {"abandon", "drain", "ignore"};
inline constexpr std::array<std::string_view, 4> kLogLevelWords = {"debug", "info", "warning", "error"};

// A setting is a field above and a row here; the order is that of the bits of GivenSettings and of the documents.
// clang-format off
inline constexpr std::array kSettingsTable = {
    SettingInfo{SettingGroup::Capacity, "capacity", "slots", &Settings::capacity, 0, 4096, {}, Applies::AtStart,
                "Cores that actions have between them; 0 is the number of processors."},
    SettingInfo{SettingGroup::Capacity, "resources.NAME", "", &Settings::resources, 0, 1e9, {}, Applies::AtStart,
                "How much of a resource there is, instead of what was found: memory_mb (in MiB), gpus, or a name "
                "of your own such as licence.x. Of what is told apart its names: 5000-5015,6000."},
    SettingInfo{SettingGroup::Other, "durability", "", &Settings::durability, 0, 0, kDurabilityWords, Applies::AtStart,
                "What accepted work survives: the death of the process, or a power cut as well (slower: it "
                "syncs every group, chunk and directory)."},
    SettingInfo{SettingGroup::Deadlines, "grace_s", "s", &Settings::grace, 0, 60, {}, Applies::AtOnce,
                "Between SIGTERM and SIGKILL when an action is ended; for actions that start after the change, "
                "and never more than 2 when the engine itself ends."},
    SettingInfo{SettingGroup::Deadlines, "deadline_s", "s", &Settings::deadline, 0.001, kMaxSeconds, {}, Applies::AtOnce,
                "How long an attempt may take when neither action, queue nor worker say; for attempts that "
                "start after the change."},
    SettingInfo{SettingGroup::Retention, "keep_days", "days", &Settings::keepDays, 0, 36'500, {}, Applies::AtOnce,
                "How long finished actions are kept; 0 is without limit."},
    SettingInfo{SettingGroup::Retention, "keep_actions", "actions", &Settings::keepActions, 0, 1e9, {}, Applies::AtOnce,
                "How many finished actions are kept, the newest; 0 is any number."},
    SettingInfo{SettingGroup::Retention, "keep_disk_percent", "%", &Settings::keepDiskPercent, 0, 100, {}, Applies::AtOnce,
                "How much of its file system the data directory may take before the oldest finished actions "
                "go; 0 is any share."},
    SettingInfo{SettingGroup::Retention, "chunk_grace_s", "s", &Settings::chunkGrace, 1, 604'800, {}, Applies::AtOnce,
                "How long a chunk that nothing refers to is kept after it was last put or asked for."},
    SettingInfo{SettingGroup::Retention, "cleanup_every_s", "s", &Settings::cleanupEvery, 1, 86'400, {}, Applies::AtOnce,
                "After how long the engine clears up again what is not kept, while something happens."},
    SettingInfo{SettingGroup::Guard, "guard_hold_percent", "%", &Settings::guardHold, 0, 100, {}, Applies::AtOnce,
                "No action starts while at least this share of the machine's memory is in use; 0 is never."},
    SettingInfo{SettingGroup::Guard, "guard_stop_percent", "%", &Settings::guardStop, 0, 100, {}, Applies::AtOnce,
                "While at least this share of the machine's memory is in use, the action "
                "furthest over the memory it asked for is stopped, to run again later; 0 is never."},
    SettingInfo{SettingGroup::Guard, "hung_s", "s", &Settings::hung, 0, 604'800, {}, Applies::AtOnce,
                "After how long without output and processor time a running action is said to hang; 0 is "
                "never."},
    SettingInfo{SettingGroup::Capacity, "max_pending", "actions", &Settings::maxPending, 1, 1e9, {}, Applies::AtOnce,
                "How many actions may be pending: what would be more is refused with 429, a list or an array "
                "whole."},
    SettingInfo{SettingGroup::Capacity, "reserve_s", "s", &Settings::reserve, 0, 86'400, {}, Applies::AtOnce,
                "Cores and memory that become free are kept for a large action for at most this long, "
                "then smaller actions pass it; 0 keeps nothing."},
    SettingInfo{SettingGroup::Capacity, "max_terminals", "terminals", &Settings::maxTerminals, 0, 4096, {}, Applies::AtStart,
                "How many actions may have a terminal at once; others that want one wait. 0: no action gets one."},
    SettingInfo{SettingGroup::Pool, "pool_max", "processes", &Settings::poolMax, 0, 256, {}, Applies::AtOnce,
                "How many warm processes there may be; 0 is twice the capacity, or 4. Never more than twice the capacity, or "
                "16 where that is less."},
    SettingInfo{SettingGroup::Pool, "pool_max_per_group", "processes", &Settings::poolMaxPerGroup, 0, 256, {}, Applies::AtOnce,
                "How many of them one worker may have that does not say itself; 0 is all."},
    SettingInfo{SettingGroup::Pool, "pool_max_idle_s", "s", &Settings::poolMaxIdle, 0, kMaxSeconds, {}, Applies::AtOnce,
                "After how long without work a warm process ends; 0 is never."},
    SettingInfo{SettingGroup::Retention, "stream_bytes", "bytes", &Settings::streamBytes, kLeastStreamBytes, 1e15, {}, Applies::AtOnce,
                "How much of stdout and of stderr is kept of an attempt: of a longer one the first half and the "
                "last half; for attempts that start after the change."},
    SettingInfo{SettingGroup::Sandbox, "sandbox_network", "", &Settings::sandboxNetwork, 0, 0, kNetworkWords, Applies::AtOnce,
                "Whether sandboxed workers whose descriptor asks for the network get it; for what starts after "
                "the change."},
    SettingInfo{SettingGroup::Sandbox, "sandbox_tmp_mb", "MiB", &Settings::sandboxTmpMb, 1, 1'048'576, {}, Applies::AtOnce,
                "The size of the private /tmp of a sandbox, which is memory; never more than the memory of its "
                "action."},
    SettingInfo{SettingGroup::Sandbox, "default_memory_mb", "MiB", &Settings::defaultMemoryMb, 0, 1e9, {}, Applies::AtOnce,
                "The limit of memory in a sandbox for workers that ask for none; 0 is the machine's memory up to "
                "guard_hold_percent."},
    SettingInfo{SettingGroup::Sandbox, "max_processes", "processes", &Settings::maxProcesses, 1, 1e6, {}, Applies::AtOnce,
                "The most that limits.processes of a worker may be; one that asks for more gets this. For what "
                "starts after the change."},
    SettingInfo{SettingGroup::Sandbox, "max_open_files", "files", &Settings::maxOpenFiles, 16, 1e6, {}, Applies::AtOnce,
                "The most that limits.open_files of a worker may be, for each of its processes; one that asks "
                "for more gets this. For what starts after the change."},
    SettingInfo{SettingGroup::Sandbox, "max_output_bytes", "bytes", &Settings::maxOutputBytes, 1, 1e15, {},
                Applies::AtOnce,
                "The most that limits.output_bytes of a worker may be; one that asks for more, or for no limit, "
                "gets this. For what starts after the change."},
    SettingInfo{SettingGroup::Other, "env_never_kept", "", &Settings::envNeverKept, 0, 0, {}, Applies::AtOnce,
                "Variables in env of an action whose values are never kept nor shown, as patterns with * between "
                "spaces; a retry after a restart lacks them. For what is submitted after the change."},
    SettingInfo{SettingGroup::Other, "progress_from_output", "", &Settings::progressFromOutput, 0, 0, kSwitchWords, Applies::AtOnce,
                "Whether lines such as [12/841] and 45% in an action's output say how far it is."},
    SettingInfo{SettingGroup::Other, "log_level", "", &Settings::logLevel, 0, 0, kLogLevelWords, Applies::AtOnce,
                "The least important lines that are written to stderr."},
    SettingInfo{SettingGroup::Capacity, "guest_cores", "slots", &Settings::guestCores, 0, 4096, {}, Applies::AtOnce,
                "Cores that actions of other engines may have here between them (--join); 0 is all of the capacity. For "
                "what comes after the change."},
    SettingInfo{SettingGroup::Capacity, "guest_memory_mb", "MiB", &Settings::guestMemoryMb, 0, 1e9, {}, Applies::AtOnce,
                "Memory that actions of other engines may have here between them; 0 is all of it. For what comes after "
                "the change."},
    SettingInfo{SettingGroup::Retention, "guest_store_mb", "MiB", &Settings::guestStoreMb, 1, 1e9, {}, Applies::AtStart,
                "How much of inputs that other engines sent is kept here for the next time: the longest unused go "
                "first."},
    SettingInfo{SettingGroup::Sandbox, "guest_unsandboxed", "", &Settings::guestUnsandboxed, 0, 0, kSwitchWords, Applies::AtOnce,
                "Whether commands of other engines may run here without a sandbox: only for engines of your own."},
    SettingInfo{SettingGroup::Other, "cloud_probe", "", &Settings::cloudProbe, 0, 0, kSwitchWords, Applies::AtStart,
                "Whether a headless engine asks the metadata services of AWS, Azure and Google which machine this is, "
                "and whether it is about to be taken away."},
    SettingInfo{SettingGroup::Other, "on_termination", "", &Settings::onTermination, 0, 0, kTerminationWords, Applies::AtOnce,
                "What the engine does when its cloud takes the machine away: abandon the session, drain it, or "
                "nothing; needs cloud_probe."},
    SettingInfo{SettingGroup::Deadlines, "lease_s", "s", &Settings::leaseS, 5, 600, {}, Applies::AtStart,
                "How long a machine that works for this engine may be silent: it ends what it has of this engine then, and "
                "10 s later that runs elsewhere."},
    SettingInfo{SettingGroup::Other, "webhook_allow", "", &Settings::webhookAllow, 0, 0, {}, Applies::AtOnce,
                "Hosts, or networks such as 10.0.0.0/8, to which the webhook of an alert may redirect beside its own host, "
                "between spaces."},
    SettingInfo{SettingGroup::Other, "courtesy", "", &Settings::courtesy, 0, 0, {}, Applies::AtOnce,
                "How work makes room for a person at this machine: off, gentle, polite, night, or a profile of your "
                "own; auto is gentle with a window and off without."},
    SettingInfo{SettingGroup::Other, "courtesy_profiles", "", &Settings::courtesyProfiles, 0, 0, {}, Applies::AtOnce,
                "Profiles of your own for courtesy, as NAME: CONDITIONS -> MEASURES; more rules between semicolons, "
                "more profiles between bars."},
};
// clang-format on
static_assert(kSettingsTable.size() <= 64, "GivenSettings has a bit for each");
std::span<const SettingInfo> settingsTable();

/// Settings of which some are given and the others at their defaults.
struct GivenSettings {
    Settings values;
    std::uint64_t given = 0; ///< bits in the order of the table; members of families are given when they are there
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
/// Of one of a family: its amount, or the words of its names.
void writeResource(JsonWriter& writer, const Settings& settings, const std::string& name);
/// All names of those that are told apart, in their order.
std::map<std::string, std::vector<std::string>> namedPieces(const Settings& settings);
/// "Keep disk" of keep_disk_percent: its name without the unit, as people read it.
std::string titleOf(const SettingInfo& setting);
/// "0 to 60", "process or power".
std::string rangeOf(const SettingInfo& setting);
/// The names under which two have other values: none or its own, of a family those of it.
std::vector<std::string> differing(const SettingInfo& setting, const Settings& a, const Settings& b);
void copySetting(const SettingInfo& setting, const Settings& from, Settings& to);

} // namespace yard
