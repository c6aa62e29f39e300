// What people asked this engine to write down of itself: profiles in `profiles/` of the data directory, dumps in `dumps/`. At
// most kMostProfiles of each, the oldest go.
// Blocks: for helpers. Any thread; one at a time, others wait.
#pragma once

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <string>
#include <string_view>

namespace yard::http {

inline constexpr std::size_t kMostProfiles = 20;

/// The path of the new file, `<loop>-<seconds since the epoch>.yprof`, mode 0600. Never replaces one.
Result<std::string> keepProfile(const std::string& dataDir, const profile::Profile& profile);

/// 1 to 64 letters, digits, `.`, `_` and `-`, not with a `.` first.
bool isDumpName(std::string_view name);
/// The same of a dump, `<name>.json`; without a name `inside-<seconds since the epoch>.json`. WrongState: there is one of
/// this name.
Result<std::string> keepDump(const std::string& dataDir, const std::string& name, std::string_view json);

} // namespace yard::http
