#include "core/courtesy/profile.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace yard::courtesy {

namespace {

struct BuiltIn {
    std::string_view name;
    std::string_view rules;
};
constexpr std::array<BuiltIn, 4> kBuiltIn{{
    {.name = "off", .rules = "off"},
    {.name = "gentle",
     .rules = "active -> idle_priority, leave 1; memory_pressure > 20 -> hold; on_battery & battery < 30 -> hold; "
              "sleeping -> freeze"},
    {.name = "polite",
     .rules = "active -> idle_priority, share 50; memory_pressure > 20 -> hold; on_battery -> freeze; heat > 90 -> "
              "freeze; "
              "sleeping -> freeze"},
    {.name = "night",
     .rules =
         "active -> idle_priority; not idle >= 600 & hour >= 7 & hour < 22 -> hold; memory_pressure > 20 -> hold; "
         "on_battery & battery < 30 -> hold; sleeping -> freeze"},
}};

constexpr std::array<std::string_view, kMeasureKinds> kMeasureNames{"idle_priority", "fewer_cores", "hold",
                                                                    "freeze"};

/// Takes what is before `end` off the text; all of it where there is none.
std::string_view takeUntil(std::string_view& text, std::string_view end) {
    const auto at = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + end.size(), text.size()));
    return trimmed(part);
}

template<class Number>
std::optional<Number> wholeNumber(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::unexpected<Error> wrong(std::string_view profile, std::string_view what) {
    return fail(ErrorKind::Invalid, fmt::format("The courtesy profile '{}' cannot be read: {}.", profile, what));
}

Result<Term> parseTerm(std::string_view profile, std::string_view text) {
    constexpr std::array<std::pair<std::string_view, Term::Is>, 4> kSigns{
        {{"<=", Term::Is::AtMost}, {">=", Term::Is::AtLeast}, {"<", Term::Is::Less}, {">", Term::Is::More}}};
    Term term;
    std::string_view rest = text;
    if (rest.starts_with("not ")) {
        term.isNegated = true;
        rest = trimmed(rest.substr(4));
    }
    std::string_view name = rest;
    if (const auto at = rest.find_first_of("<>"); at != rest.npos) {
        name = trimmed(rest.substr(0, at));
        rest.remove_prefix(at);
        const auto sign = std::ranges::find_if(kSigns, [rest](const auto& s) { return rest.starts_with(s.first); });
        const auto than = wholeNumber<double>(trimmed(rest.substr(sign->first.size())));
        if (!than || !(*than > -1e9 && *than < 1e9))
            return wrong(profile, fmt::format("'{}' needs a number", text));
        term.is = sign->second;
        term.than = *than;
    }
    const auto kind = conditionFrom(name);
    if (!kind) return wrong(profile, fmt::format("'{}' is no condition", name));
    term.kind = *kind;
    return term;
}

Result<Measure> parseMeasure(std::string_view profile, std::string_view text) {
    if (text == "hold") return Measure{.kind = MeasureKind::Hold, .cores = 0, .percent = 0};
    if (text == "freeze") return Measure{.kind = MeasureKind::Freeze, .cores = 0, .percent = 0};
    if (text == "idle_priority") return Measure{.kind = MeasureKind::IdlePriority, .cores = 0, .percent = 0};
    std::string_view rest = text;
    const std::string_view word = takeUntil(rest, " ");
    const auto number = wholeNumber<int>(trimmed(rest));
    if (word == "leave" && number && *number >= 1 && *number <= 4'096)
        return Measure{.kind = MeasureKind::FewerCores, .cores = *number, .percent = 0};
    if (word == "share" && number && *number >= 1 && *number <= 99)
        return Measure{.kind = MeasureKind::FewerCores, .cores = 0, .percent = *number};
    return wrong(
        profile,
        fmt::format("'{}' is no measure: give idle_priority, hold, freeze, leave CORES or share PERCENT", text));
}

Result<Rule> parseRule(std::string_view profile, std::string_view text) {
    if (text.find("->") == text.npos) return wrong(profile, fmt::format("'{}' has no '->'", text));
    Rule rule;
    std::string_view terms = takeUntil(text, "->");
    do {
        auto term = parseTerm(profile, takeUntil(terms, "&"));
        if (!term) return std::unexpected(term.error());
        rule.terms.push_back(*term);
    } while (!terms.empty());
    do {
        auto measure = parseMeasure(profile, takeUntil(text, ","));
        if (!measure) return std::unexpected(measure.error());
        rule.measures.push_back(*measure);
    } while (!text.empty());
    return rule;
}

bool isProfileName(std::string_view text) {
    return !text.empty() && text.size() <= kMaxProfileName && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

int coresLeft(const Measure& measure, int cores) {
    const int left = measure.percent > 0 ? cores - std::max(1, cores * measure.percent / 100) : measure.cores;
    return std::clamp(left, 0, std::max(0, cores - 1));
}

} // namespace

std::string_view name(MeasureKind kind) {
    return kMeasureNames[std::to_underlying(kind)];
}

bool Term::compares(const Conditions& now, bool did) const {
    const Condition* known = now.find(kind);
    if (!known) return false;
    const double lag = did ? infoOf(kind).lag : 0;
    switch (is) {
    case Is::Less: return known->value < than + lag;
    case Is::AtMost: return known->value <= than + lag;
    case Is::More: return known->value > than - lag;
    case Is::AtLeast: return known->value >= than - lag;
    }
    return false;
}

Result<Profile> parseProfile(std::string_view name, std::string_view text) {
    Profile profile{.name = std::string(name), .rules = {}};
    if (text.size() > kMaxProfileText)
        return wrong(name, fmt::format("it is longer than {} bytes", kMaxProfileText));
    text = trimmed(text);
    if (text == "off") return profile;
    do {
        if (profile.rules.size() == kMaxRules)
            return wrong(name, fmt::format("it has more than {} rules", kMaxRules));
        auto rule = parseRule(name, takeUntil(text, ";"));
        if (!rule) return std::unexpected(rule.error());
        profile.rules.push_back(std::move(*rule));
    } while (!trimmed(text).empty());
    return profile;
}

std::optional<Profile> builtInProfile(std::string_view name) {
    const auto at = std::ranges::find(kBuiltIn, name, &BuiltIn::name);
    if (at == kBuiltIn.end()) return std::nullopt;
    auto parsed = parseProfile(name, at->rules);
    return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
}

Result<std::vector<Profile>> parseProfiles(std::string_view text) {
    constexpr std::size_t kMostProfiles = 20;
    std::vector<Profile> all;
    while (!trimmed(text).empty()) {
        std::string_view rules = takeUntil(text, "|");
        const std::string_view name = rules.find(':') == rules.npos ? std::string_view() : takeUntil(rules, ":");
        if (!isProfileName(name) || name == "auto" || std::ranges::find(kProfileNames, name) != kProfileNames.end())
            return wrong(name,
                         "give each profile as NAME: RULES, with a name of its own of lower case letters, digits "
                         "and _");
        if (std::ranges::find(all, name, &Profile::name) != all.end())
            return wrong(name, "there are two of that name");
        if (all.size() == kMostProfiles) return wrong(name, fmt::format("there are more than {}", kMostProfiles));
        auto profile = parseProfile(name, rules);
        if (!profile) return std::unexpected(profile.error());
        all.push_back(std::move(*profile));
    }
    return all;
}

AskedMeasures decide(const Profile& profile, const Conditions& now, int cores, HeldTerms& held) {
    AskedMeasures asked;
    std::size_t at = 0;
    for (const Rule& rule : profile.rules) {
        bool isMet = true;
        for (const Term& term : rule.terms) { // each of them: the next look goes by all
            if (at == held.size()) held.push_back(false);
            held[at] = term.compares(now, held[at]);
            isMet = isMet && held[at] != term.isNegated;
            ++at;
        }
        if (!isMet) continue;
        for (const Measure& measure : rule.measures) {
            const int left = measure.kind == MeasureKind::FewerCores ? coresLeft(measure, cores) : 0;
            if (measure.kind == MeasureKind::FewerCores && left == 0) continue;
            std::optional<Asked>& one = asked[std::to_underlying(measure.kind)];
            if (!one || left > one->cores) one = Asked{.cores = left, .because = rule.terms.front().kind};
        }
    }
    // What starts would have to stand still at once.
    auto& hold = asked[std::to_underlying(MeasureKind::Hold)];
    const auto& freeze = asked[std::to_underlying(MeasureKind::Freeze)];
    if (freeze && !hold) hold = freeze;
    return asked;
}

} // namespace yard::courtesy
