#include "core/model/settings.h"

#include "core/base/kept_stream.h"
#include "core/json/json_reader.h"
#include "core/json/utf8.h"
#include "core/model/action_spec.h"
#include "core/model/given_resources.h"
#include "core/model/json_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <ranges>
#include <set>

namespace yard {

namespace {

constexpr std::size_t kMaxBytes = 64u << 10;
constexpr std::size_t kMaxLine = 1024;

using Words = std::vector<std::string>;
using Value = std::variant<std::int64_t, double, std::string, Words>;

/// What to give for a setting, as the end of a sentence.
std::string wanted(const SettingInfo& setting) {
    if (!setting.words.empty()) return rangeOf(setting);
    if (setting.isText()) return fmt::format("a line of at most {} bytes", kMaxLine);
    const bool seconds = std::holds_alternative<Duration Settings::*>(setting.field);
    if (setting.isFamily())
        return fmt::format("an amount from {}, or as at most {} names, all different: [\"5000-5015\", \"6000\"]",
                           rangeOf(setting), kMaxResourceNames);
    return fmt::format("{} from {}", seconds ? "seconds" : "a whole number", rangeOf(setting));
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

std::optional<Words> wordsOf(JsonView v) {
    if (v.kind() != JsonKind::Array) return std::nullopt;
    Words words;
    for (const JsonView word : v) {
        if (word.kind() != JsonKind::String) return std::nullopt;
        words.emplace_back(word.string());
    }
    return words;
}

/// "5000-5015,6000" or ["5000-5015", "6000"] as typed; nothing when it is neither that nor a list.
std::optional<Words> wordsIn(const Value& value) {
    if (const auto* words = std::get_if<Words>(&value)) return *words;
    const auto* text = std::get_if<std::string>(&value);
    if (!text) return std::nullopt;
    if (text->starts_with('[')) {
        const auto tape = readJson(*text);
        return tape ? wordsOf(tape->root()) : std::nullopt;
    }
    Words words;
    for (const auto part : std::views::split(*text, ',')) words.emplace_back(part.begin(), part.end());
    return words;
}

std::optional<Words> expanded(const Words& words) {
    Words names;
    const bool isGood =
        std::ranges::all_of(words, [&](const std::string& word) { return expandNames(word, names); });
    return isGood && !names.empty() ? std::optional(std::move(names)) : std::nullopt;
}

bool assignNames(std::string_view item, const Words& words, Settings& settings) {
    const auto names = item == "memory_mb" ? std::nullopt : expanded(words);
    if (!names) return false;
    settings.resources.insert_or_assign(std::string(item), static_cast<double>(names->size()));
    settings.resourceNames.insert_or_assign(std::string(item), words);
    return settings.resources.size() <= kMaxResources;
}

/// The value of one of the family; nothing: it is as found.
std::optional<Value> resourceOf(const Settings& settings, const std::string& name) {
    if (const auto words = settings.resourceNames.find(name); words != settings.resourceNames.end())
        return words->second;
    const auto amount = settings.resources.find(name);
    return amount == settings.resources.end() ? std::nullopt : std::optional<Value>(amount->second);
}

/// False when the value is none that the setting may have.
bool assign(const Found& found, const Value& value, Settings& settings) {
    const SettingInfo& setting = *found.setting;
    if (const auto* field = std::get_if<std::string Settings::*>(&setting.field)) {
        const auto* word = std::get_if<std::string>(&value);
        if (!word || !isWithin(setting, *word)) return false;
        settings.** field = *word;
        return true;
    }
    if (setting.isFamily())
        if (const auto words = wordsIn(value)) return assignNames(found.item, *words, settings);
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
        settings.resourceNames.erase(std::string(found.item));
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
    return wordsOf(v);
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

/// Of what is told apart each has a variable of its own in what an action is given.
Result<void> checkVariables(const Settings& settings) {
    std::map<std::string, std::string> names{{variableOf(kGpus), kGpus}};
    for (const std::string& name : settings.resourceNames | std::views::keys) {
        const auto [at, isNew] = names.emplace(variableOf(name), name);
        if (!isNew && at->second != name)
            return invalid(fmt::format("{}{}", kResources, name),
                           fmt::format("The resources {} and {} would be one variable of actions, {}: give one of "
                                       "them another name.",
                                       at->second, name, at->first));
    }
    return {};
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

std::uint64_t bitOf(const SettingInfo& setting) {
    return std::uint64_t{1} << (&setting - settingsTable().data());
}

void reset(const Found& found, GivenSettings& settings) {
    if (found.setting->isFamily()) {
        settings.values.resources.erase(std::string(found.item));
        settings.values.resourceNames.erase(std::string(found.item));
        return;
    }
    copySetting(*found.setting, Settings{}, settings.values);
    settings.given &= ~bitOf(*found.setting);
}

void writeAmounts(JsonWriter& writer, const Settings& settings) {
    writer.openObject();
    for (const auto& [name, amount] : settings.resources) {
        writer.key(name);
        writeResource(writer, settings, name);
    }
    writer.closeObject();
}

} // namespace

std::span<const SettingInfo> settingsTable() {
    return kSettingsTable;
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
    if (auto fine = checkVariables(settings.values); !fine) return std::unexpected(std::move(fine.error()));
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
    if (auto fine = checkVariables(settings.values); !fine) return std::unexpected(std::move(fine.error()));
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
        JsonWriter writer(text);
        writeResource(writer, settings.values, name);
    }
    return text + "\n}\n";
}

void writeResource(JsonWriter& writer, const Settings& settings, const std::string& name) {
    const auto words = settings.resourceNames.find(name);
    if (words == settings.resourceNames.end()) return writer.number(settings.resources.at(name));
    writer.openArray();
    for (const std::string& word : words->second) writer.string(word);
    writer.closeArray();
}

std::map<std::string, std::vector<std::string>> namedPieces(const Settings& settings) {
    std::map<std::string, std::vector<std::string>> pieces;
    for (const auto& [name, words] : settings.resourceNames)
        if (auto names = expanded(words)) pieces.emplace(name, std::move(*names));
    return pieces;
}

void writeSetting(JsonWriter& writer, const SettingInfo& setting, const Settings& settings) {
    if (const auto* word = std::get_if<std::string Settings::*>(&setting.field))
        writer.string(settings.**word);
    else if (const auto* duration = std::get_if<Duration Settings::*>(&setting.field))
        writer.number(inSeconds(settings.**duration));
    else if (setting.isFamily())
        writeAmounts(writer, settings);
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
    if (!setting.isFamily()) {
        if (std::visit([&](auto field) { return a.*field == b.*field; }, setting.field)) return {};
        return {std::string(setting.name)};
    }
    std::set<std::string> names;
    for (const Settings* settings : {&a, &b})
        for (const std::string& item : settings->resources | std::views::keys)
            if (resourceOf(a, item) != resourceOf(b, item)) names.insert(fmt::format("{}{}", kResources, item));
    return {names.begin(), names.end()};
}

void copySetting(const SettingInfo& setting, const Settings& from, Settings& to) {
    std::visit([&](auto field) { to.*field = from.*field; }, setting.field);
    if (setting.isFamily()) to.resourceNames = from.resourceNames;
}

} // namespace yard
