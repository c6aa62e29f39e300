// A profile as bytes, the file `*.yprof`. Docs: docs/inside.md.
//
// 8 bytes "YPROF\r\n\x1a", then unsigned LEB128 numbers: version, began, lasted; the loop's name; what is counted; functions;
// nodes; slices; what was left out. A text is its length and its bytes. A list is its length and its elements.
#pragma once

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard::profile {

inline constexpr std::uint64_t kFileVersion =
    3; ///< 1, without allocated bytes, and 2, of calls alone, are read, too
/// A larger file is not read.
inline constexpr std::size_t kLargestFile = 64u << 20;

// A file that has more is not read; what takes a profile (coro/profiler.h) stops earlier.
inline constexpr std::size_t kMostFunctions = 100'000;
inline constexpr std::size_t kMostNodes = 100'000;
inline constexpr std::size_t kMostSlices = 200'000;
inline constexpr std::size_t kLongestText = 4'096; ///< bytes
inline constexpr std::uint32_t kDeepest = 256;     ///< nodes of a path

/// Longer texts are cut.
std::string encode(const Profile& profile);
/// It begins as one; else decode() refuses it.
bool isProfileFile(std::string_view bytes);
/// Of hostile bytes: Invalid with a sentence, where they are no profile, of another version, cut off, have more than is
/// read, or name what is not in them.
Result<Profile> decode(std::string_view bytes);

} // namespace yard::profile
