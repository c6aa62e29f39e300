// Profiles of this engine, kept as files in `profiles/` of the data directory: at most kMostProfiles, the oldest go.
// Blocks: for helpers. Any thread; one at a time, others wait.
#pragma once

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <string>

namespace yard::http {

inline constexpr std::size_t kMostProfiles = 20;

/// The path of the new file, `<loop>-<seconds since the epoch>.yprof`, mode 0600. Never replaces one.
Result<std::string> keepProfile(const std::string& dataDir, const profile::Profile& profile);

} // namespace yard::http
