// Profiles of courtesy: rules from conditions to measures, as one line of text that people can write themselves:
//   active -> idle_priority, leave 1; memory_pressure > 20 -> hold; on_battery & battery < 30 -> hold
// A rule's terms all hold; a term is a condition alone (over 0) or with < <= > >= and a number, `not` turns it around. A
// term of what is not known does not hold, so `not` of it does. A comparison with heat that held goes on until the value is
// some degrees beyond its number (ConditionInfo::lag). Pure; values.
#pragma once

#include "core/base/error.h"
#include "core/courtesy/condition.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::courtesy {

/// In the order of severity. Append only.
enum class MeasureKind : unsigned char {
    IdlePriority, ///< processes get what others leave
    FewerCores,   ///< so many cores are left free; of new starts only
    Hold,         ///< nothing new starts
    Freeze        ///< what runs stands still, the newest first (freezer.h); Hold comes with it
};
inline constexpr std::size_t kMeasureKinds = 4;
std::string_view name(MeasureKind kind);

struct Term {
    enum class Is : unsigned char { Less, AtMost, More, AtLeast };
    ConditionKind kind = ConditionKind::Active;
    Is is = Is::More;
    double than = 0;
    bool isNegated = false;
    /// The comparison, whether negated or not. `did`: it did so when it was last looked at.
    bool compares(const Conditions& now, bool did) const;
};

struct Measure {
    MeasureKind kind = MeasureKind::Hold;
    int cores = 0;   ///< FewerCores: so many stay free
    int percent = 0; ///< FewerCores: or only this share is used; 0: not given
};

struct Rule {
    std::vector<Term> terms; ///< all of them
    std::vector<Measure> measures;
};

struct Profile {
    std::string name;
    std::vector<Rule> rules;
    bool isOff() const { return rules.empty(); }
};

inline constexpr std::size_t kMaxProfileName = 40;
/// Of one profile's line, in bytes, and how many rules it may have.
inline constexpr std::size_t kMaxProfileText = 2'000;
inline constexpr std::size_t kMaxRules = 20;
/// Invalid, with what is wrong. "off" alone is a profile without rules.
Result<Profile> parseProfile(std::string_view name, std::string_view text);

/// Profiles that are always there, in the order in which they are shown.
inline constexpr std::array<std::string_view, 4> kProfileNames{"off", "gentle", "polite", "night"};
/// Nothing: no such name.
std::optional<Profile> builtInProfile(std::string_view name);
/// Profiles of people: "NAME: RULES | NAME: RULES". Invalid: which one is wrong, and why. Names are lower case letters,
/// digits and _; those that are always there are not taken.
Result<std::vector<Profile>> parseProfiles(std::string_view text);

/// A measure that conditions ask for, and the condition to blame.
struct Asked {
    int cores = 0; ///< FewerCores: left free
    ConditionKind because = ConditionKind::Active;
};
using AskedMeasures = std::array<std::optional<Asked>, kMeasureKinds>;
/// Which comparisons held when the profile was last looked at: of each rule each term, in order. Empty: it was not.
using HeldTerms = std::vector<bool>;
/// What a profile asks for. `cores`: of the machine; at least one of them stays for work. `held`: as the last look at the
/// same profile left it.
AskedMeasures decide(const Profile& profile, const Conditions& now, int cores, HeldTerms& held);

} // namespace yard::courtesy
