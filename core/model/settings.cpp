#include "core/model/settings.h"

#include "core/base/kept_stream.h"
#include "core/json/json_reader.h"
#include "core/json/utf8.h"
#include "core/model/action_spec.h"
#include "core/model/json_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

namespace yard {

namespace {

constexpr std::size_t kMaxBytes = 64u << 10;
constexpr std::size_t kMaxLine = 1024;
constexpr std::array<std::string_view, 2> kDurabilities = {"process", "power"};
constexpr std::array<std::string_view, 2> kNetworks = {"off", "asked"};
constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};

using Value = std::variant<std::int64_t, double, std::string>;

/// What to give for a setting, as the end of a sentence.
std::string wanted(const SettingInfo& setting) {
    if (!setting.words.empty()) return rangeOf(setting);
    if (setting.isText()) return fmt::format("a line of at most {} bytes", kMaxLine);
    const bool seconds = std::holds_alternative<Duration Settings::*>(setting.field);
    return fmt::format("{} from {}",
                       setting.isFamily() ? "an amount"
                       : seconds          ? "seconds"
                                          : "a whole number",
                       rangeOf(setting));
}

bool isWithin(const SettingInfo& setting, std::string_view text) {
    if (!setting.words.empty()) return std::ranges::find(setting.words, text) != setting.words.end();
    return text.size() <= kMaxLine && isUtf8(text) && !hasControlCharacters(text);
}

bool isWithin(const SettingInfo& setting, double number) {
    return number >= setting.least && number <= setting.most;
}

constexpr std::string_view kResources = "resources.";
constexpr std::size_t kMaxResources = 64;

/// A setting by name; of a family, which one.
struct Found {
    const SettingInfo* setting;
    std::string_view item = {};
};

/// False when the value is none that the setting may have.
bool assign(const Found& found, const Value& value, Settings& settings) {
    const SettingInfo& setting = *found.setting;
    if (const auto* field = std::get_if<std::string Settings::*>(&setting.field)) {
        const auto* word = std::get_if<std::string>(&value);
        if (!word || !isWithin(setting, *word)) return false;
        settings.** field = *word;
        return true;
    }
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if (!whole && !real) return false;
    const double number = whole ? static_cast<double>(*whole) : *real;
    if (!isWithin(setting, number)) return false;
    if (const auto* field = std::get_if<Duration Settings::*>(&setting.field)) {
        settings.** field = Duration(std::llround(number * 1e6));
        return true;
    }
    if (setting.isFamily()) {
        settings.resources.insert_or_assign(std::string(found.item), number);
        return settings.resources.size() <= kMaxResources;
    }
    if (!whole) return false;
    settings.*std::get<std::int64_t Settings::*>(setting.field) = *whole;
    return true;
}

std::optional<Value> valueOf(JsonView v) {
    if (v.kind() == JsonKind::Integer) return v.node().integer;
    if (v.kind() == JsonKind::Number) return v.node().number;
    if (v.kind() == JsonKind::String) return std::string(v.string());
    return std::nullopt;
}

Value valueOf(const SettingInfo& setting, std::string_view text) {
    if (setting.isText()) return std::string(text);
    const auto parsed = [text](auto number) -> std::optional<Value> {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        return number;
    };
    if (const auto whole = parsed(std::int64_t{})) return *whole;
    return parsed(double{}).value_or(std::string(text));
}

std::unexpected<Error> refusal(std::string_view name, const SettingInfo& setting) {
    return invalid(std::string(name), fmt::format("Give \"{}\" as {}.", name, wanted(setting)));
}

Result<Found> findResource(std::string_view name) {
    const std::string_view item = name.substr(kResources.size());
    if (item == "cores") return invalid(std::string(name), "The number of cores is the setting \"capacity\".");
    if (item == kTerminals)
        return invalid(std::string(name), "The number of terminals is the setting \"max_terminals\".");
    if (!isPlainName(item))
        return invalid(
            std::string(name),
            fmt::format("{} cannot be the name of a resource: a letter, then letters, digits, \".\", \"_\" "
                        "or \"-\", at most 64.",
                        quoted(item)));
    const auto table = settingsTable();
    return Found{.setting = &*std::ranges::find_if(table, &SettingInfo::isFamily), .item = item};
}

Result<Found> find(std::string_view name) {
    if (name.starts_with(kResources)) return findResource(name);
    const auto table = settingsTable();
    const auto found = std::ranges::find(table, name, &SettingInfo::name);
    if (found != table.end()) return Found{.setting = &*found};
    std::string names;
    for (const SettingInfo& setting : table) names += fmt::format("{}{}", names.empty() ? "" : ", ", setting.name);
    return invalid(std::string(name), fmt::format("There is no setting {}; there are {}.", quoted(name), names));
}

std::uint32_t bitOf(const SettingInfo& setting) {
    return 1u << (&setting - settingsTable().data());
}

void reset(const Found& found, GivenSettings& settings) {
    if (found.setting->isFamily()) {
        settings.values.resources.erase(std::string(found.item));
        return;
    }
    copySetting(*found.setting, Settings{}, settings.values);
    settings.given &= ~bitOf(*found.setting);
}

void writeAmounts(JsonWriter& writer, const std::map<std::string, double>& amounts) {
    writer.openObject();
    for (const auto& [name, amount] : amounts) writer.member(name, amount);
    writer.closeObject();
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const SettingInfo> settingsTable() {
    using enum SettingGroup;
    // clang-format off
    static const std::array kTable = {
        SettingInfo{Capacity, "capacity", "slots", &Settings::capacity, 0, 4096, {}, Applies::AtStart,
                    "Cores that actions have between them; 0 is the number of processors."},
        SettingInfo{Capacity, "resources.NAME", "", &Settings::resources, 0, 1e9, {}, Applies::AtStart,
                    "How much of a resource there is, instead of what was found: memory_mb (in MiB), gpus, or a name "
                    "of your own such as licence.x."},
        SettingInfo{Other, "durability", "", &Settings::durability, 0, 0, kDurabilities, Applies::AtStart,
                    "What accepted work survives: the death of the process, or a power cut as well (slower: it "
                    "syncs every group, chunk and directory)."},
        SettingInfo{Deadlines, "grace_s", "s", &Settings::grace, 0, 60, {}, Applies::AtOnce,
                    "Between SIGTERM and SIGKILL when an action is ended; for actions that start after the change, "
                    "and never more than 2 when the engine itself ends."},
        SettingInfo{Deadlines, "deadline_s", "s", &Settings::deadline, 0.001, kMaxSeconds, {}, Applies::AtOnce,
                    "How long an attempt may take when neither action, queue nor worker say; for attempts that "
                    "start after the change."},
        SettingInfo{Retention, "keep_days", "days", &Settings::keepDays, 0, 36'500, {}, Applies::AtOnce,
                    "How long finished actions are kept; 0 is without limit."},
        SettingInfo{Retention, "keep_actions", "actions", &Settings::keepActions, 0, 1e9, {}, Applies::AtOnce,
                    "How many finished actions are kept, the newest; 0 is any number."},
        SettingInfo{Retention, "keep_disk_percent", "%", &Settings::keepDiskPercent, 0, 100, {}, Applies::AtOnce,
                    "How much of its file system the data directory may take before the oldest finished actions "
                    "go; 0 is any share."},
        SettingInfo{Retention, "chunk_grace_s", "s", &Settings::chunkGrace, 1, 604'800, {}, Applies::AtOnce,
                    "How long a chunk that nothing refers to is kept after it was last put or asked for."},
        SettingInfo{Guard, "guard_hold_percent", "%", &Settings::guardHold, 0, 100, {}, Applies::AtOnce,
                    "No action starts while at least this share of the machine's memory is in use (0 to 100 %, default "
                    "90); 0 is never."},
        SettingInfo{Guard, "guard_stop_percent", "%", &Settings::guardStop, 0, 100, {}, Applies::AtOnce,
                    "While at least this share of the machine's memory is in use (0 to 100 %, default 95), the action "
                    "furthest over the memory it asked for is stopped, to run again later; 0 is never."},
        SettingInfo{Guard, "hung_s", "s", &Settings::hung, 0, 604'800, {}, Applies::AtOnce,
                    "After how long without output and processor time a running action is said to hang; 0 is "
                    "never."},
        SettingInfo{Capacity, "max_pending", "actions", &Settings::maxPending, 1, 1e9, {}, Applies::AtOnce,
                    "How many actions may be pending: what would be more is refused with 429, a list or an array "
                    "whole."},
        SettingInfo{Capacity, "reserve_s", "s", &Settings::reserve, 0, 86'400, {}, Applies::AtOnce,
                    "Cores and memory that become free are kept for a large action for at most this long (0 to 86400 s, "
                    "default 60), then smaller actions pass it; 0 keeps nothing."},
        SettingInfo{Capacity, "max_terminals", "terminals", &Settings::maxTerminals, 0, 4096, {}, Applies::AtStart,
                    "How many actions may have a terminal at once; others that want one wait. 0: no action gets one."},
        SettingInfo{Pool, "pool_max", "processes", &Settings::poolMax, 0, 256, {}, Applies::AtOnce,
                    "How many warm processes there may be; 0 is twice the capacity, or 4. Never more than twice the capacity, or "
                    "16 where that is less."},
        SettingInfo{Pool, "pool_max_per_group", "processes", &Settings::poolMaxPerGroup, 0, 256, {}, Applies::AtOnce,
                    "How many of them one worker may have that does not say itself; 0 is all."},
        SettingInfo{Pool, "pool_max_idle_s", "s", &Settings::poolMaxIdle, 0, kMaxSeconds, {}, Applies::AtOnce,
                    "After how long without work a warm process ends; 0 is never."},
        SettingInfo{Retention, "stream_bytes", "bytes", &Settings::streamBytes, kLeastStreamBytes, 1e15, {}, Applies::AtOnce,
                    "How much of stdout and of stderr is kept of an attempt: of a longer one the first half and the "
                    "last half; for attempts that start after the change."},
        SettingInfo{Sandbox, "sandbox_network", "", &Settings::sandboxNetwork, 0, 0, kNetworks, Applies::AtOnce,
                    "Whether sandboxed workers whose descriptor asks for the network get it; for what starts after "
                    "the change."},
        SettingInfo{Sandbox, "sandbox_tmp_mb", "MiB", &Settings::sandboxTmpMb, 1, 1'048'576, {}, Applies::AtOnce,
                    "The size of the private /tmp of a sandbox, which is memory; never more than the memory of its "
                    "action."},
        SettingInfo{Sandbox, "default_memory_mb", "MiB", &Settings::defaultMemoryMb, 0, 1e9, {}, Applies::AtOnce,
                    "The limit of memory in a sandbox for workers that ask for none; 0 is the machine's memory up to "
                    "guard_hold_percent."},
        SettingInfo{Sandbox, "max_processes", "processes", &Settings::maxProcesses, 1, 1e6, {}, Applies::AtOnce,
                    "The most that limits.processes of a worker may be; one that asks for more gets this. For what "
                    "starts after the change."},
        SettingInfo{Sandbox, "max_open_files", "files", &Settings::maxOpenFiles, 16, 1e6, {}, Applies::AtOnce,
                    "The most that limits.open_files of a worker may be, for each of its processes; one that asks "
                    "for more gets this. For what starts after the change."},
        SettingInfo{Sandbox, "max_output_bytes", "bytes", &Settings::maxOutputBytes, 1, 1e15, {},
                    Applies::AtOnce,
                    "The most that limits.output_bytes of a worker may be; one that asks for more, or for no limit, "
                    "gets this. For what starts after the change."},
        SettingInfo{Other, "env_never_kept", "", &Settings::envNeverKept, 0, 0, {}, Applies::AtOnce,
                    "Variables in env of an action whose values are never kept nor shown, as patterns with * between "
                    "spaces; a retry after a restart lacks them. For what is submitted after the change."},
        SettingInfo{Other, "log_level", "", &Settings::logLevel, 0, 0, kLevels, Applies::AtOnce,
                    "The least important lines that are written to stderr."},
    };
    // clang-format on
    static_assert(kTable.size() <= 32);
    return kTable;
}

Result<GivenSettings> applySettings(const GivenSettings& base, std::string_view json) {
    if (json.size() > kMaxBytes) return fail(ErrorKind::TooLarge, "Settings are a few lines of JSON, not more.");
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    if (!tape->root().isObject()) return invalid("", "Give settings as a JSON object of names and values.");
    GivenSettings settings = base;
    for (const JsonView member : tape->root()) {
        const Result<Found> found = find(member.key());
        if (!found) return std::unexpected(found.error());
        if (member.kind() == JsonKind::Null) {
            reset(*found, settings);
            continue;
        }
        const std::optional<Value> value = valueOf(member);
        if (!value || !assign(*found, *value, settings.values)) return refusal(member.key(), *found->setting);
        settings.given |= bitOf(*found->setting);
    }
    return settings;
}

Result<GivenSettings> applySetting(const GivenSettings& base, std::string_view nameAndValue) {
    const auto mark = nameAndValue.find('=');
    if (mark == nameAndValue.npos)
        return invalid("", fmt::format("Give a setting as NAME=VALUE, not {}.", quoted(nameAndValue)));
    const std::string_view name = nameAndValue.substr(0, mark);
    const Result<Found> found = find(name);
    if (!found) return std::unexpected(found.error());
    GivenSettings settings = base;
    if (!assign(*found, valueOf(*found->setting, nameAndValue.substr(mark + 1)), settings.values))
        return refusal(name, *found->setting);
    settings.given |= bitOf(*found->setting);
    return settings;
}

std::string toJson(const GivenSettings& settings) {
    std::string text = "{";
    const auto begin = [&text](std::string_view name) {
        text += text.size() > 1 ? ",\n  " : "\n  ";
        appendJsonString(text, name);
        text += ": ";
    };
    for (const SettingInfo& setting : settingsTable()) {
        if (setting.isFamily() || !(settings.given & bitOf(setting))) continue;
        begin(setting.name);
        JsonWriter writer(text);
        writeSetting(writer, setting, settings.values);
    }
    for (const auto& [name, amount] : settings.values.resources) {
        begin(fmt::format("{}{}", kResources, name));
        appendJsonNumber(text, amount);
    }
    return text + "\n}\n";
}

void writeSetting(JsonWriter& writer, const SettingInfo& setting, const Settings& settings) {
    if (const auto* word = std::get_if<std::string Settings::*>(&setting.field))
        writer.string(settings.**word);
    else if (const auto* duration = std::get_if<Duration Settings::*>(&setting.field))
        writer.number(inSeconds(settings.**duration));
    else if (setting.isFamily())
        writeAmounts(writer, settings.resources);
    else
        writer.integer(settings.*std::get<std::int64_t Settings::*>(setting.field));
}

std::string_view name(SettingGroup group) {
    constexpr std::array<std::string_view, 7> kNames = {"capacity", "guard", "deadlines", "retention",
                                                        "sandbox",  "pool",  "other"};
    return kNames[static_cast<std::size_t>(group)];
}

std::string titleOf(const SettingInfo& setting) {
    std::string_view title = setting.name;
    const auto dropUnit = [&](std::string_view unit, std::string_view ending) {
        if (setting.unit == unit && title.ends_with(ending)) title.remove_suffix(ending.size());
    };
    dropUnit("s", "_s");
    dropUnit("MiB", "_mb");
    dropUnit("%", "_percent");
    std::string text(title);
    std::ranges::replace(text, '_', ' ');
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string rangeOf(const SettingInfo& setting) {
    if (setting.words.empty() && setting.isText()) return "text";
    if (setting.words.empty()) {
        std::string text;
        appendJsonNumber(text, setting.least);
        text += " to ";
        appendJsonNumber(text, setting.most);
        return text;
    }
    const std::string most = fmt::format("{}", fmt::join(setting.words.first(setting.words.size() - 1), ", "));
    return fmt::format("{} or {}", most, setting.words.back());
}

std::vector<std::string> differing(const SettingInfo& setting, const Settings& a, const Settings& b) {
    if (std::visit([&](auto field) { return a.*field == b.*field; }, setting.field)) return {};
    if (!setting.isFamily()) return {std::string(setting.name)};
    std::set<std::string> names;
    const auto add = [&names](const Settings& these, const Settings& others) {
        for (const auto& [item, amount] : these.resources)
            if (const auto other = others.resources.find(item);
                other == others.resources.end() || other->second != amount)
                names.insert(fmt::format("{}{}", kResources, item));
    };
    add(a, b);
    add(b, a);
    return {names.begin(), names.end()};
}

void copySetting(const SettingInfo& setting, const Settings& from, Settings& to) {
    std::visit([&](auto field) { to.*field = from.*field; }, setting.field);
}

} // namespace yard
