#include "core/model/json_fields.h"

#include "core/base/text.h"
#include "core/json/json_writer.h"
#include "core/json/utf8.h"
#include "core/model/action_spec.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace yard {

namespace {

/// The value as a whole number: 5, and 5.0 as some languages write it.
std::optional<std::int64_t> wholeNumber(JsonView v) {
    if (v.kind() == JsonKind::Integer) return v.node().integer;
    if (v.kind() != JsonKind::Number) return std::nullopt;
    const double value = v.node().number;
    if (std::trunc(value) != value || std::abs(value) > static_cast<double>(kMaxExactInteger)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

std::optional<double> realNumber(JsonView v) {
    switch (v.kind()) {
    case JsonKind::Integer: return static_cast<double>(v.node().integer);
    case JsonKind::Unsigned: return static_cast<double>(v.node().unsignedInteger);
    case JsonKind::Number: return v.node().number;
    default: return std::nullopt;
    }
}

std::string plainNumber(double value) {
    std::string text;
    appendJsonNumber(text, value);
    return text;
}

constexpr bool isAlpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool isAlnum(char c) {
    return isAlpha(c) || (c >= '0' && c <= '9');
}

} // namespace

std::string FieldPath::text() const {
    std::string path(utf8Prefix(member, 128));
    if (index >= 0) path += fmt::format("[{}]", index);
    if (!inner.empty()) {
        if (!path.empty()) path += '.';
        path += utf8Prefix(inner, 128);
    }
    return path;
}

std::string quoted(std::string_view text) {
    const std::string_view prefix = utf8Prefix(text, 64);
    std::string out;
    appendJsonString(out, prefix);
    if (prefix.size() < text.size()) out.insert(out.size() - 1, "…");
    return out;
}

bool JsonFields::refuseWith(const FieldPath& at, std::string message) {
    if (!error_) error_ = invalid(at.text(), std::move(message)).error();
    return false;
}

bool JsonFields::refuse(const FieldPath& at, std::string_view what) {
    if (!error_) error_ = invalid(at.text(), fmt::format("Give {} as {}.", quoted(at.text()), what)).error();
    return false;
}

bool JsonFields::refuseUnknown(const FieldPath& at) {
    return refuseWith(
        at, fmt::format("Remove {} or correct its spelling: {} has no such member.", quoted(at.text()), noun_));
}

bool JsonFields::refuseMissing(std::string_view member, std::string_view what) {
    return refuseWith({member}, fmt::format("Add {}: {}.", quoted(member), what));
}

bool JsonFields::integer(JsonView v, const FieldPath& at, std::int64_t least, std::int64_t most,
                         std::int64_t& out) {
    const auto value = wholeNumber(v);
    if (!value || *value < least || *value > most)
        return refuse(at, fmt::format("a whole number from {} to {}", least, most));
    out = *value;
    return !failed();
}

bool JsonFields::integer(JsonView v, const FieldPath& at, int least, int most, int& out) {
    std::int64_t wide = 0;
    if (!integer(v, at, std::int64_t{least}, std::int64_t{most}, wide)) return false;
    out = static_cast<int>(wide);
    return true;
}

bool JsonFields::boolean(JsonView v, const FieldPath& at, bool& out) {
    if (v.kind() != JsonKind::Bool) return refuse(at, "true or false");
    out = v.node().boolean;
    return !failed();
}

bool JsonFields::number(JsonView v, const FieldPath& at, double least, double most, double& out) {
    const auto value = realNumber(v);
    if (!value || !(*value >= least && *value <= most))
        return refuse(at, fmt::format("a number from {} to {}", plainNumber(least), plainNumber(most)));
    out = *value;
    return !failed();
}

bool JsonFields::seconds(JsonView v, const FieldPath& at, bool zeroAllowed, Duration& out) {
    const auto value = realNumber(v);
    if (!value || !(*value >= 0 && *value <= kMaxSeconds) || (*value == 0 && !zeroAllowed))
        return refuse(at, fmt::format("seconds, {} and at most {}", zeroAllowed ? "at least 0" : "more than 0",
                                      plainNumber(kMaxSeconds)));
    const auto micros = static_cast<std::int64_t>(std::llround(*value * 1e6));
    out = Duration(*value > 0 ? std::max<std::int64_t>(micros, 1) : 0);
    return !failed();
}

bool JsonFields::thousandths(JsonView v, const FieldPath& at, std::int64_t least, std::int64_t most,
                             std::int64_t& out) {
    const auto value = realNumber(v);
    const double scaled = value.value_or(-1) * 1000;
    const double whole = std::round(scaled);
    const bool fits = value && whole >= static_cast<double>(least) && whole <= static_cast<double>(most);
    if (!fits || std::abs(scaled - whole) > 1e-6 * std::max(1.0, std::abs(whole)))
        return refuse(at, fmt::format("a number from {} to {} with at most three decimals",
                                      plainNumber(static_cast<double>(least) / 1000),
                                      plainNumber(static_cast<double>(most) / 1000)));
    out = static_cast<std::int64_t>(whole);
    return !failed();
}

bool JsonFields::word(JsonView v, const FieldPath& at, std::size_t least, std::size_t most, std::string& out) {
    if (v.kind() != JsonKind::String || v.string().size() < least || v.string().size() > most ||
        hasControlCharacters(v.string()))
        return refuse(at, fmt::format("text of {} to {} bytes without control characters", least, most));
    out = v.string();
    return !failed();
}

bool JsonFields::identifier(JsonView v, const FieldPath& at, std::size_t most, std::string& out) {
    if (v.kind() == JsonKind::String && hasSteeringCharacters(v.string()))
        return refuse(at, fmt::format("text of 1 to {} bytes without line separators and controls of the direction "
                                      "of writing (U+2028, U+202E and the like)",
                                      most));
    return word(v, at, 1, most, out);
}

bool JsonFields::text(JsonView v, const FieldPath& at, std::size_t most, std::string& out) {
    if (v.kind() != JsonKind::String || v.string().size() > most || v.string().contains('\0'))
        return refuse(at, fmt::format("text of at most {} bytes without NUL", most));
    out = v.string();
    return !failed();
}

bool JsonFields::path(JsonView v, const FieldPath& at, std::string& out) {
    if (v.kind() != JsonKind::String || !isSafeRelativePath(v.string()))
        return refuse(at, "a relative path without \".\", \"..\", empty parts or control characters");
    out = v.string();
    return !failed();
}

bool JsonFields::hash(JsonView v, const FieldPath& at, Hash256& out) {
    const auto parsed = v.kind() == JsonKind::String ? Hash256::fromHex(v.string()) : std::nullopt;
    if (!parsed) return refuse(at, "a SHA-256 of 64 lower-case hex digits");
    out = *parsed;
    return !failed();
}

bool JsonFields::machines(JsonView v, const FieldPath& at, std::vector<std::string>& out) {
    const auto add = [&out](JsonView word) {
        if (word.kind() != JsonKind::String || !isMachineWord(word.string())) return false;
        out.emplace_back(word.string());
        return true;
    };
    out.clear();
    const bool isList = v.kind() == JsonKind::Array;
    bool good = isList ? v.count() > 0 && v.count() <= kMaxMachineWords : add(v);
    if (isList)
        for (const JsonView word : v) good = good && add(word);
    if (!good)
        return refuse(at,
                      fmt::format("\"any\", \"local\", the name of a machine, \"tag:\" and a tag, or a list of 1 "
                                  "to {} of these",
                                  kMaxMachineWords));
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return !failed();
}

bool JsonFields::object(JsonView v, const FieldPath& at, std::size_t most) {
    if (v.kind() != JsonKind::Object || v.count() > most)
        return refuse(at,
                      most == kMaxJsonNodes ? "an object" : fmt::format("an object of at most {} members", most));
    return !failed();
}

bool JsonFields::array(JsonView v, const FieldPath& at, std::size_t least, std::size_t most) {
    if (v.kind() != JsonKind::Array || v.count() < least || v.count() > most)
        return refuse(at, least == 0 ? fmt::format("a list of at most {} elements", most)
                                     : fmt::format("a list of {} to {} elements", least, most));
    return !failed();
}

bool JsonFields::environment(JsonView v, std::string_view member,
                             std::vector<std::pair<std::string, std::string>>& out,
                             std::vector<std::string>* unkept) {
    if (!object(v, {member}, kMaxVariables)) return false;
    out.reserve(v.count());
    for (const JsonView variable : v) {
        const std::string_view name = variable.key();
        if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string_view::npos)
            return refuseWith({member}, fmt::format("Rename {} in {}: a variable's name is not empty and has no "
                                                    "\"=\" or NUL.",
                                                    quoted(name), quoted(member)));
        if (unkept != nullptr && variable.kind() == JsonKind::Null) {
            unkept->emplace_back(name);
            continue;
        }
        std::string value;
        if (!text(variable, {.member = member, .inner = name},
                  kMaxVariableBytes - std::min(name.size(), kMaxVariableBytes), value))
            return false;
        out.emplace_back(name, std::move(value));
    }
    return !failed();
}

bool isLockName(std::string_view name) {
    return !name.empty() && name.size() <= 128 && std::ranges::all_of(name, [](char c) {
        return isAlnum(c) || c == '.' || c == '_' || c == ':' || c == '@' || c == '-';
    });
}

bool isMachineWord(std::string_view word) {
    constexpr std::string_view kTag = "tag:";
    if (word.starts_with(kTag)) word.remove_prefix(kTag.size());
    return !word.empty() && word.size() <= kMaxMachineName && isAlnum(word[0]) &&
           std::ranges::all_of(word, [](char c) { return isAlnum(c) || c == '.' || c == '_' || c == '-'; });
}

bool isNumberAlone(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

bool isMachineName(std::string_view word) {
    return isMachineWord(word) && !word.starts_with("tag:") && word != "local" && word != "any" &&
           !isNumberAlone(word);
}

bool isPlainName(std::string_view name) {
    return !name.empty() && name.size() <= 64 && isAlpha(name[0]) &&
           std::ranges::all_of(name, [](char c) { return isAlnum(c) || c == '.' || c == '_' || c == '-'; });
}

std::optional<std::string_view> conflictingPath(std::span<std::string_view> paths) {
    // A slash sorts before everything else, so that a directory stands right before what is in it.
    const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
    std::ranges::sort(paths, [rank](std::string_view a, std::string_view b) {
        return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
    });
    for (std::size_t i = 1; i < paths.size(); ++i) {
        const std::string_view before = paths[i - 1];
        if (!paths[i].starts_with(before)) continue;
        if (paths[i].size() == before.size() || paths[i][before.size()] == '/') return paths[i];
    }
    return std::nullopt;
}

} // namespace yard
