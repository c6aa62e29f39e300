// Variables of actions whose values must not be kept or shown: which they are (the setting env_never_kept), and
// how they leave an action. Pure functions.
#pragma once

#include "core/model/action_spec.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// `patterns`: separated by spaces; "*" stands for any characters, upper and lower case are the same.
bool isNeverKept(std::string_view name, std::string_view patterns);

/// Takes the variables that are never kept out of the action: their names go to ActionSpec::unkeptEnv, and in its
/// text their values become null. Returns them with their values; without one the action stays as it is.
Variables takeUnkeptEnv(ParsedAction& action, std::string_view patterns);

/// "A, B and 3 more"
std::string listedNames(const std::vector<std::string>& names);

} // namespace yard
