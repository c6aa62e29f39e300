#include "core/model/unkept_env.h"

#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/model/filter.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard {

namespace {

std::string upperCase(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

std::string envJson(const ActionSpec& spec) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    for (const auto& [name, value] : spec.env) {
        writer.keyBytes(name);
        writer.bytes(value);
    }
    for (const std::string& name : spec.unkeptEnv) {
        writer.keyBytes(name);
        writer.raw("null");
    }
    writer.closeObject();
    return text;
}

/// The action's text with another object in the place of its "env".
std::string withEnv(const std::string& action, std::string_view env) {
    constexpr std::string_view kMember = "env";
    std::string changed;
    const auto replace = [&](JsonView value, std::string_view text) -> Result<void> {
        for (const JsonView member : value)
            if (member.key() == kMember && member.kind() == JsonKind::Raw)
                changed = fmt::format("{}{}{}", text.substr(0, member.node().offset), env,
                                      text.substr(member.node().offset + member.node().size));
        return {};
    };
    (void)readJsonElements(action, kMember, replace, kByteMembers);
    return changed;
}

} // namespace

bool isNeverKept(std::string_view name, std::string_view patterns) {
    const std::string upper = upperCase(name);
    while (!patterns.empty()) {
        const std::size_t end = std::min(patterns.find(' '), patterns.size());
        if (end > 0 && matchesPattern(upper, upperCase(patterns.substr(0, end)))) return true;
        patterns.remove_prefix(std::min(end + 1, patterns.size()));
    }
    return false;
}

Variables takeUnkeptEnv(ParsedAction& action, std::string_view patterns) {
    const auto isTaken = [patterns](const auto& variable) { return isNeverKept(variable.first, patterns); };
    if (std::ranges::none_of(action.spec->env, isTaken)) return {};
    auto spec = std::make_shared<ActionSpec>(*action.spec);
    Variables out;
    Variables kept;
    for (auto& variable : spec->env) (isTaken(variable) ? out : kept).push_back(std::move(variable));
    spec->env = std::move(kept);
    for (const auto& [name, value] : out) spec->unkeptEnv.push_back(name);
    action.text = withEnv(action.text, envJson(*spec));
    action.spec = std::move(spec);
    return out;
}

std::string listedNames(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 3;
    std::string out;
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
        const bool isLast = i + 1 == names.size();
        out += i == 0 ? "" : isLast ? " and " : ", ";
        out += names[i];
    }
    if (names.size() > kShown) out += fmt::format(" and {} more", names.size() - kShown);
    return out;
}

} // namespace yard
