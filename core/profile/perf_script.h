// What `perf script` prints of a recording of programs, as a profile: each sample is time of the innermost function of its
// stack. So an action that was measured by perf is shown as the engine itself is.
//
// Text that anybody may have written: what is not understood is left out. Bounds as of a profile's file; what is beyond
// counts as its caller's.
#pragma once

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <string_view>

namespace yard::profile {

/// Of a sample whose event does not tell nanoseconds: perf's usual 99 in a second.
inline constexpr std::uint64_t kNanosOfSample = 1'000'000'000 / 99;

/// Invalid: there is no sample in it.
Result<Profile> readPerfScript(std::string_view text);

} // namespace yard::profile
