// A profile as bytes, the file `*.yprof`. Docs: docs/inside.md.
//
// 8 bytes "YPROF\r\n\x1a", then unsigned LEB128 numbers: version (1), began, lasted; the loop's name; functions; nodes;
// slices; what was left out. A text is its length and its bytes. A list is its length and its elements.
#pragma once

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <string>
#include <string_view>

namespace yard::profile {

inline constexpr std::uint64_t kFileVersion = 1;
/// A larger file is not read.
inline constexpr std::size_t kLargestFile = 64u << 20;

std::string encode(const Profile& profile);
/// Of hostile bytes: Invalid with a sentence, where they are no profile, of another version, cut off, or name what is not
/// in them.
Result<Profile> decode(std::string_view bytes);

} // namespace yard::profile
