// In which lines two texts differ, as `diff -u` shows it. Pure.
#pragma once

#include "core/base/shortest_edit.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yard::recording {

/// Lines without their ends; the last one counts also without one.
std::vector<std::string_view> linesOf(std::string_view text);

/// Hunks with three lines around them: "@@ -3,2 +3,3 @@", " same", "-of a", "+of b". Lines that `isSame` takes for the same need not be the same text. Empty: they do not differ. Looks for the
/// shortest way while it is at most kMostEdits long; else what lies between the first and the last difference is one change.
/// At most `most` bytes, then a line that says so.
std::string lineDifference(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b,
                           const IsSameLine& isSame, std::size_t most);
inline constexpr std::size_t kMostEdits = 400;

} // namespace yard::recording
